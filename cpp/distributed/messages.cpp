#include "distributed/messages.hpp"

#include <algorithm>

namespace bough {

void Answer::begin(Ask what, std::size_t nodes, const AnswerSize& of) {
    ask = what;
    counts.assign(nodes * of.counts, 0);
    sums.assign(nodes * of.sums, 0.0);
    exact.assign(nodes * of.exact, 0);
    ends.assign(nodes * of.ends, -kInf);
    some.resize(what == Ask::sums ? nodes : 0);
}

bool Answer::fits(std::size_t nodes, const AnswerSize& of) const {
    return counts.size() == nodes * of.counts && sums.size() == nodes * of.sums && exact.size() == nodes * of.exact &&
           ends.size() == nodes * of.ends && some.size() == (ask == Ask::sums ? nodes : 0);
}

void Answer::add(const Answer& more) {
    if (ask != more.ask || counts.size() != more.counts.size() || sums.size() != more.sums.size() ||
        exact.size() != more.exact.size() || ends.size() != more.ends.size() || some.size() != more.some.size())
        throw std::invalid_argument("answers to different requests do not add up");
    if (ask == Ask::rows) throw std::invalid_argument("rows of nodes are not added up");
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += more.counts[i];
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more.sums[i];
    for (std::size_t i = 0; i < exact.size(); ++i)
        exact[i] = static_cast<i128>(static_cast<u128>(exact[i]) + static_cast<u128>(more.exact[i]));
    for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = std::max(ends[i], more.ends[i]);
    auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    for (std::size_t i = 0; i < some.size(); ++i) append(some[i], more.some[i]);
    append(found, more.found);
    append(found_sums, more.found_sums);
}

}  // namespace bough
