// axis where a node looks at few columns: nothing is kept of the others. A node gathers the ranks of a column and asks
// for its best cut. The tree is that of the sorted lists.
#include "families/axis_ranked.hpp"

#include "base/threshold.hpp"

namespace bough {

namespace {

class AxisRankSearch final : public RankSearch {
   public:
    AxisRankSearch(const Problem& problem, u32 family)
        : problem_(problem),
          family_(family),
          classes_(problem.scorer->ranked_classes()),
          numbers_(problem.scorer->ranked_numbers()) {}

    bool by_column() const override { return true; }
    void search(const Node& node, RankGroup& group, Best& best) override {
        if (numbers_)
            return numbers_->cuts(node, group.ranked_numbers(), group, group.columns(), problem_.limits, family_, best);
        const Gain limit = node.present.size() == 2 ? problem_.scorer->limit(node) : static_cast<Gain>(kInf);
        RankedClasses keys;
        for (u32 c : group.columns()) {
            if (!group.keys(c, keys)) continue;
            classes_->cuts(node, keys, problem_.limits, {&best, c, family_});
            // Two pure children, or two entries, can be had in one way only: a tie goes to this column.
            if (best.reaches(limit) || (group.size == 2 && best.parts_two())) return;
        }
    }

   private:
    const Problem& problem_;
    const u32 family_;
    const RankedClassCuts* classes_;   // of classes
    const RankedNumberCuts* numbers_;  // of numbers
};

// Beside other families: the entries of a node are kept as a store of ranks keeps them.
class RankedAxis final : public Family {
   public:
    explicit RankedAxis(const Problem& problem)
        : problem_(problem), numeric_(problem.table->of(ColumnKind::numeric)), rows_(problem) {}

    bool needs_rows() const override { return false; }
    std::unique_ptr<NodeState> root() override {
        search_ = std::make_unique<AxisRankSearch>(problem_, index);
        return std::make_unique<Stretch>(0, rows_.size());
    }

    void propose(const Node& node, NodeState* state, Worker& worker, Best& best) override {
        const Stretch& run = *static_cast<Stretch*>(state);
        std::vector<u32> columns;
        for (u32 column : numeric_)
            if (node.allows(column)) columns.push_back(column);
        sort_by_place(columns, problem_.tie_places);
        const std::span<const u32> all = columns;
        std::vector<RankScratch> scratch(static_cast<std::size_t>(worker.team->size()));
        auto look = [&](std::span<const u32> some, int helper, Best& to) {
            RankScratch& s = scratch[helper];
            s.constant.assign(problem_.table->n_columns() / 64 + 1, 0);
            if (problem_.target->regression())
                rows_.list_numbers(rows_.from(run.begin), run.size, problem_.target->numbers.data(), s.numbers,
                                   s.times);
            RankGroup group(problem_, rows_, rows_.from(run.begin), run.size, some, s, nullptr);
            search_->search(node, group, to);
        };
        if (worker.team->size() == 1 || run.size <= kShareOut) return look(all, 0, best);
        std::vector<Best> found(scratch.size(), best);
        worker.team->each(all.size(),
                          [&](std::size_t i, int helper) { look(all.subspan(i, 1), helper, found[helper]); });
        for (const auto& f : found) best.merge(f);
    }

    Split resolve(const Node&, const NodeState* state, const Candidate& c) const override {
        u32 low = 0, high = kNone;  // the ranks beside the cut
        each_rank(state, c, [&](u32, u32 rank) {
            const bool is_left = rank <= c.payload.a;
            low = std::max(low, is_left ? rank : 0u);
            high = std::min(high, is_left ? kNone : rank);
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
        each_rank(state, c, [&](u32 entry, u32 rank) {
            if (rank <= c.payload.a) rows.insert(rows.end(), rows_.times(entry), rows_.row(entry));
        });
        return true;
    }

    void divide(const Node&, NodeState* state, const Candidate&, const Division& division, Worker& worker,
                std::span<std::unique_ptr<NodeState>> children) override {
        const Stretch& run = *static_cast<Stretch*>(state);
        worker.spare.grow_to(run.size);
        std::vector<Piece> pieces(children.size());
        division.part(rows_.from(run.begin), run.size, rows_.row_mask(), pieces.data(), worker.spare.data());
        for (std::size_t c = 0; c < children.size(); ++c)
            if (division.open[c]) children[c] = std::make_unique<Stretch>(run.begin + pieces[c].begin, pieces[c].size);
    }

   private:
    static constexpr u32 kShareOut = 30000;  // entries above which a node is worth waking helpers

    // The entries of a node.
    struct Stretch final : NodeState {
        u32 begin, size;
        Stretch(u32 b, u32 s) : begin(b), size(s) {}
    };

    // Calls visit(entry, rank) with the ranks of the column that is cut.
    template <class Visit>
    void each_rank(const NodeState* state, const Candidate& c, Visit visit) const {
        const Stretch& run = *static_cast<const Stretch*>(state);
        const u32* entries = rows_.from(run.begin);
        rows_.read(c.key.column, run.size, [&](auto rank_of) {
            for (u32 i = 0; i < run.size; ++i) visit(entries[i], rank_of(rows_.row(entries[i])));
        });
    }

    const Problem problem_;
    std::vector<u32> numeric_;
    RankedRows rows_;
    std::unique_ptr<AxisRankSearch> search_;
};

}  // namespace

std::unique_ptr<RankSearch> make_axis_rank_search(const Problem& problem) {
    return std::make_unique<AxisRankSearch>(problem, 0);
}

std::unique_ptr<Family> make_ranked_axis(const Problem& problem) { return std::make_unique<RankedAxis>(problem); }

}  // namespace bough
