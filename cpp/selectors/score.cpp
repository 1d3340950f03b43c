// score: every column may be split; the best gain decides.
#include "../selector.hpp"

namespace bough {

namespace {

struct Score final : Selector {
    bool select(const Node&, Workplace&, std::span<u8>) override { return true; }
};

}  // namespace

void register_score(Registry& r) {
    r.selectors.push_back({{"score", "every column may be split, the best gain wins", "common"},
                           [](const Problem&, const Params&) { return std::make_unique<Score>(); }});
}

}  // namespace bough
