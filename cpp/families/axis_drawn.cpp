// axis where a node draws few columns: nothing is kept of the others. A tree owns its rows only; a node gathers the
// ranks of a drawn column and asks for its best cut. The tree is that of the presorted lists.
#include "families/axis_drawn.hpp"

#include "base/threshold.hpp"
#include "families/drawn_subtree.hpp"

namespace bough {

namespace {

constexpr u64 kShareOut = 60000;  // ranks above which a node is worth waking helpers

// The middle between the numbers beside it.
struct MiddleCut {
    static constexpr bool kBeside = true;
    double operator()(double, const std::vector<double>& values, u32 low, u32 high) const {
        return between(values[low], values[high]);
    }
};

class DrawnAxis final : public Family {
   public:
    explicit DrawnAxis(const Problem& problem)
        : problem_(problem),
          counted_(problem.scorer->counted()),
          numbered_(problem.scorer->numbered()),
          numeric_(problem.table->of(ColumnKind::numeric)),
          rows_(problem) {}

    bool needs_rows() const override { return false; }

    std::unique_ptr<NodeState> root() override { return std::make_unique<Stretch>(0, rows_.size()); }

    void propose(const Node& node, NodeState* state, Worker& worker, Best& best) override {
        const Stretch& run = *static_cast<Stretch*>(state);
        if (numbered_) return propose_numbers(node, run, *worker.team, best);
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
        rows_.read(c.key.column, run.size, [&](auto rank_of) {
            const u32* entries = rows_.from(run.begin);
            const u32 size = run.size, most = c.payload.a;
            u32 below = 0, above = kNone;
            for (u32 i = 0; i < size; ++i) {
                const u32 rank = rank_of(rows_.row(entries[i]));
                below = std::max(below, rank <= most ? rank : 0u);
                above = std::min(above, rank <= most ? kNone : rank);
            }
            low = below;
            high = above;
        });
        const std::vector<double>& values = rows_.ranks().values(c.key.column);
        Split split;
        split.kind = NodeKind::axis;
        split.column = c.key.column;
        split.cut = between(values[low], values[high]);
        return split;
    }

    bool side(const Node&, const NodeState* state, const Candidate& c, std::vector<u32>& rows, u32& child) override {
        child = 0;
        const Stretch& run = *static_cast<const Stretch*>(state);
        rows_.read(c.key.column, run.size, [&](auto rank_of) {
            const u32* entries = rows_.from(run.begin);
            for (u32 i = 0; i < run.size; ++i)
                if (const u32 row = rows_.row(entries[i]); rank_of(row) <= c.payload.a)
                    rows.insert(rows.end(), rows_.times(entries[i]), row);
        });
        return true;
    }

    void divide(const Node&, NodeState* state, const Candidate&, const Division& division, Worker& worker,
                std::span<std::unique_ptr<NodeState>> children) override {
        rows_.divide(*static_cast<Stretch*>(state), division, worker, children);
    }

    bool grows_alone(const Node&, const NodeState*) const override { return true; }

    void grow_below(const Node& node, NodeState* state, const StopRules& stop, Worker& worker,
                    TreeWriter& out) override {
        const Stretch& run = *static_cast<Stretch*>(state);
        auto search = [this](const Node& at, auto& group, Best& best) {
            if (numbered_)
                return numbered_->cuts(at, group.numbered(), group, group.columns(), problem_.limits, index, best);
            const Gain limit = at.present.size() == 2 ? problem_.scorer->limit(at) : static_cast<Gain>(kInf);
            CountedColumn keys;
            for (u32 c : group.columns()) {
                if (!group.keys(c, keys)) continue;
                counted_->cuts(at, keys, problem_.limits, {&best, c, index});
                // Two pure children, or two entries, can be had in one way only: a tie goes to this column.
                if (best.reaches(limit) || (group.size == 2 && !best.empty())) return;
            }
        };
        const MiddleCut cut;
        DrawnSubtree(problem_, rows_, stop, worker, out, search, cut).grow(node, run.begin, run.size);
    }

   private:
    // The entries of one node of a numeric target.
    struct Source final : RankSource {
        const DrawnAxis& axis;
        const Stretch& run;
        Source(const DrawnAxis& of, const Stretch& at) : axis(of), run(at) {}
        bool ranks(u32 column, u32* to, Found& found) override {
            if (run.size > kShareOut) axis.problem_.budget->poll();
            return axis.rows_.ranks_of(column, axis.rows_.from(run.begin), run.size, to, found);
        }
    };

    void propose_numbers(const Node& node, const Stretch& run, Team& team, Best& best) const {
        thread_local std::vector<double> numbers;
        thread_local std::vector<u32> times, columns;
        rows_.list_numbers(rows_.from(run.begin), run.size, problem_.target->numbers.data(), numbers, times);
        columns.clear();
        for (u32 column : numeric_)
            if (node.allows(column)) columns.push_back(column);
        const NumberedRows rows{run.size, numbers.data(), times.data(), false};
        const std::span<const u32> all = columns;
        auto look = [&](std::span<const u32> some, Best& to) {
            Source source(*this, run);
            numbered_->cuts(node, rows, source, some, problem_.limits, index, to);
        };
        if (team.size() == 1 || u64{run.size} * 2 <= kShareOut) return look(all, best);
        std::vector<Best> found(team.size(), best);
        team.each(all.size(), [&](std::size_t i, int helper) { look(all.subspan(i, 1), found[helper]); });
        for (const auto& f : found) best.merge(f);
    }

    void search(const Node& node, const Stretch& run, u32 column, Best& best) const {
        thread_local RawBuffer<u32> keys, kept;
        keys.grow_to(run.size + 1);
        kept.grow_to(run.size + 1);
        CountedColumn counted;
        if (rows_.keys_of(column, rows_.from(run.begin), run.size, keys.data(), kept.data(), counted))
            counted_->cuts(node, counted, problem_.limits, {&best, column, index});
    }

    const Problem problem_;
    const CountedCuts* counted_;    // of classes
    const NumberedCuts* numbered_;  // of numbers
    std::vector<u32> numeric_;
    DrawnRows rows_;
};

}  // namespace

std::unique_ptr<Family> make_drawn_axis(const Problem& problem) { return std::make_unique<DrawnAxis>(problem); }

}  // namespace bough
