// axis where a node draws few columns: nothing is kept of the others. A tree owns its rows only, each once with how
// often it was drawn; a node is a run of them, gathers the ranks of a drawn column and asks for its best cut. The tree
// is that of the presorted lists.
#include "families/axis_drawn.hpp"

#include "base/threshold.hpp"
#include "data/ranks.hpp"
#include "score/counted.hpp"

namespace bough {

namespace {

constexpr u32 kByRow = 2048;   // nodes of at most this many entries read ranks by row
constexpr int kTimesBits = 4;  // a row that was drawn more often has several entries
constexpr u32 kMostTimes = (1u << kTimesBits) - 1;
constexpr u64 kShareOut = 60000;  // ranks above which a node is worth waking helpers

struct Stretch final : NodeState {
    u32 begin, size;
    Stretch(u32 b, u32 s) : begin(b), size(s) {}
};

class DrawnAxis final : public Family {
   public:
    explicit DrawnAxis(const Problem& problem)
        : problem_(problem),
          ranks_(*problem.ranks),
          counted_(*problem.scorer->counted()),
          numeric_(problem.table->of(ColumnKind::numeric)),
          packing_(problem.table->n_rows, problem.target->n_classes) {
        times_shift_ = packing_.rank_shift;
        class_bits_ = packing_.rank_shift - packing_.row_bits;
        const std::span<const u32> rows = problem.rows;
        const std::size_t n = rows.empty() ? problem.table->n_rows : rows.size();
        entries_.reserve(n);
        for (std::size_t i = 0; i < n;) {
            const u32 row = rows.empty() ? static_cast<u32>(i) : rows[i];
            u32 times = 1;
            while (times < kMostTimes && i + times < n && !rows.empty() && rows[i + times] == row) ++times;
            entries_.push_back(packing_.pack(row, problem.target->classes[row]) | times << times_shift_);
            i += times;
        }
    }

    bool needs_rows() const override { return false; }

    std::unique_ptr<NodeState> root() override {
        return std::make_unique<Stretch>(0, static_cast<u32>(entries_.size()));
    }

    void propose(const Node& node, NodeState* state, Worker& worker, Best& best) override {
        const Stretch& run = *static_cast<Stretch*>(state);
        const Gain limit = problem_.scorer->limit(node);
        if (worker.team->size() > 1 && u64{run.size} * 2 > kShareOut) {
            std::vector<Best> found(worker.team->size(), best);
            worker.team->each(numeric_.size(), [&](std::size_t i, int helper) {
                if (node.allows(numeric_[i])) search(node, run, numeric_[i], found[helper]);
            });
            for (const auto& f : found) best.merge(f);
            return;
        }
        for (u32 column : numeric_) {
            if (!node.allows(column)) continue;
            if (run.size > kShareOut) problem_.budget->poll();
            search(node, run, column, best);
            // Two pure children: no later column can do better, and a tie goes to this one.
            if (node.present.size() == 2 && best.reaches(limit)) return;
        }
    }

    Split resolve(const Node&, const NodeState* state, const Candidate& c) const override {
        const Stretch& run = *static_cast<const Stretch*>(state);
        u32 low = 0, high = kNone;  // the ranks beside the cut
        ranks_.read(c.key.column, run.size <= kByRow, [&](auto rank_of) {
            const u32* entries = entries_.data() + run.begin;
            const u32 size = run.size, row_mask = packing_.row_mask, most = c.payload.a;
            u32 below = 0, above = kNone;
            for (u32 i = 0; i < size; ++i) {
                const u32 rank = rank_of(entries[i] & row_mask);
                below = std::max(below, rank <= most ? rank : 0u);
                above = std::min(above, rank <= most ? kNone : rank);
            }
            low = below;
            high = above;
        });
        const std::vector<double>& values = ranks_.values(c.key.column);
        Split split;
        split.kind = NodeKind::axis;
        split.column = c.key.column;
        split.cut = between(values[low], values[high]);
        return split;
    }

    bool side(const Node& node, const NodeState* state, const Candidate& c, std::vector<u32>& rows,
              u32& child) override {
        child = 0;
        const Stretch& run = *static_cast<const Stretch*>(state);
        rows.resize(std::size_t{node.n_rows} + kMostTimes);
        std::size_t n = 0;
        ranks_.read(c.key.column, run.size <= kByRow, [&](auto rank_of) {
            const u32* entries = entries_.data() + run.begin;
            const u32 size = run.size, row_mask = packing_.row_mask, most = c.payload.a;
            const int shift = times_shift_;
            u32* to = rows.data();
            for (u32 i = 0; i < size; ++i) {
                const u32 times = entries[i] >> shift, row = entries[i] & row_mask;
                to[0] = to[1] = to[2] = row;
                for (u32 more = 3; more < times; ++more) to[more] = row;
                to += times * static_cast<u32>(rank_of(row) <= most);
            }
            n = static_cast<std::size_t>(to - rows.data());
        });
        rows.resize(n);
        return true;
    }

    void divide(const Node&, NodeState* state, const Candidate&, const Division& division, Worker& worker,
                std::span<std::unique_ptr<NodeState>> children) override {
        const Stretch& run = *static_cast<Stretch*>(state);
        worker.spare.grow_to(run.size);
        std::vector<Piece> pieces(children.size());
        division.part(entries_.data() + run.begin, run.size, packing_.row_mask, pieces.data(),
                      reinterpret_cast<u32*>(worker.spare.data()));
        for (std::size_t c = 0; c < children.size(); ++c)
            if (division.open[c]) children[c] = std::make_unique<Stretch>(run.begin + pieces[c].begin, pieces[c].size);
    }

   private:
    void search(const Node& node, const Stretch& run, u32 column, Best& best) const {
        thread_local RawBuffer<u32> keys_memory, kept_memory;
        keys_memory.grow_to(run.size + 1);
        u32* keys = keys_memory.data();
        const u32* entries = entries_.data() + run.begin;
        u32 size = run.size;
        const u32 row_mask = packing_.row_mask;
        if (const u64* others = ranks_.others(column)) {  // only rows that have not the least number
            kept_memory.grow_to(run.size + 1);
            u32* kept = kept_memory.data();
            size = 0;
            for (u32 i = 0; i < run.size; ++i) {
                const u32 row = entries[i] & row_mask;
                kept[size] = entries[i];
                size += others[row / 64] >> (row % 64) & 1;
            }
            entries = kept;
            if (size == 0) return;
        }
        const int payload_bits = class_bits_ + kTimesBits, row_bits = packing_.row_bits;
        u32 low = kNone, high = 0;
        ranks_.read(column, run.size <= kByRow, [&, entries, keys, size, payload_bits, row_bits](auto rank_of) {
            u32 least = kNone, most = 0;
            for (u32 i = 0; i < size; ++i) {
                const u32 key = rank_of(entries[i] & row_mask) << payload_bits | entries[i] >> row_bits;
                keys[i] = key;
                least = std::min(least, key);
                most = std::max(most, key);
            }
            low = least;
            high = most;
        });
        const CountedColumn counted{
            keys, size, payload_bits, class_bits_, low >> payload_bits, high >> payload_bits, size < run.size};
        if (!counted.rest && counted.low == counted.high) return;
        counted_.cuts(node, counted, problem_.limits, {&best, column, index});
    }

    const Problem problem_;
    const Ranks& ranks_;
    const CountedCuts& counted_;
    std::vector<u32> numeric_;
    Packing<u32> packing_;
    int times_shift_, class_bits_;
    std::vector<u32> entries_;  // times | class | row
};

}  // namespace

// Classes, rows that weigh 1, and room for them in an entry of 32 bits.
bool drawn_axis_fits(const Data& data) {
    const Target& target = data.target;
    if (target.regression() || target.weighted() || data.table.entry_bits > 32) return false;
    return Packing<u32>(data.table.n_rows, target.n_classes).rank_bits >= kTimesBits;
}

std::unique_ptr<Family> make_drawn_axis(const Problem& problem) { return std::make_unique<DrawnAxis>(problem); }

}  // namespace bough
