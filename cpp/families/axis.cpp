// axis: every column, its exact best threshold. Columns are sorted once; a node owns a segment of
// each list, and a split partitions the segments by one bit for each row.
#include <numeric>

#include "base/per_thread.hpp"
#include "base/threshold.hpp"
#include "data/presort.hpp"
#include "families/axis_c45.hpp"
#include "families/axis_projected.hpp"
#include "families/axis_ranked.hpp"
#include "grow/known.hpp"

namespace bough {

namespace {

// A node's part of one list.
struct Segment {
    u32 list, size;
    u64 offset;
};

struct Segments final : NodeState {
    std::vector<Segment> all;  // by list, so by column
};

constexpr u64 kShareOut = 60000;      // entries above which a node is worth waking helpers
constexpr u64 kLinesKept = 1u << 16;  // doubles in the rows of a node that stay in a cache from column to column

class Axis final : public Family {
   public:
    Axis(const Problem& problem, const Params& params)
        : problem_(problem),
          c45_(is_c45(params) ? std::make_unique<C45Cuts>(problem_, params) : nullptr),
          below_(params.get("cut") == 2),
          sorted_(sorted_lists()) {}
    Axis(const Problem& problem, const ProjectedDirections& projection)
        : problem_(problem),
          projection_(projection),
          in_order_(std::is_sorted(projection.first.begin(), projection.first.end())),
          sorted_(sorted_lists()) {}

    bool needs_rows() const override { return false; }

    std::unique_ptr<NodeState> root() override {
        auto s = std::make_unique<Segments>();
        for (u32 l = 0; l < sorted_.lists.size(); ++l)
            s->all.push_back({l, sorted_.lists[l].size, sorted_.lists[l].offset});
        if (!problem_.table->places.empty()) drop_constant(s->all, problem_.table->n_rows);
        return s;
    }

    void propose(const Node& node, NodeState* state, Worker& worker, Best& best) override {
        const std::span<const Segment> all = among(static_cast<Segments*>(state)->all, node.only);
        u64 entries = 0;
        for (const auto& s : all) entries += s.size;
        if (worker.team->size() > 1 && entries > kShareOut) {
            std::vector<std::size_t> starts;
            for (std::size_t i = 0; i < all.size(); i = end_of_column(all, i)) starts.push_back(i);
            std::vector<Best> found(worker.team->size(), best);
            worker.team->each(starts.size(), [&](std::size_t c, int helper) {
                problem_.budget->poll();
                propose_column(node, all, starts[c], found[helper]);
            });
            for (const auto& f : found) best.merge(f);
            return;
        }
        const Gain limit = problem_.scorer->limit(node);
        const bool by_position = problem_.scorer->traits().projection;
        for (std::size_t i = 0; i < all.size(); i = end_of_column(all, i)) {
            if (entries > kShareOut) problem_.budget->poll();
            propose_column(node, all, i, best);
            if (!in_order_ || c45_ || !problem_.tie_places.empty()) continue;
            // Two pure children, or two rows, can be had in one way only: a tie goes to this column.
            if (node.present.size() == 2 && best.reaches(limit)) return;
            if (node.n_rows == 2 && !by_position && best.parts_two()) return;
        }
    }

    double bits(const Candidate& c) const override { return c45_ ? c.payload.x : kNaN; }

    Split resolve(const Node& node, const NodeState* state, const Candidate& c) const override {
        Split split;
        split.kind = NodeKind::axis;
        split.column = c.key.column;
        if (c.payload.a == kNone) {  // rows with a value to the left, rows without one to the right
            split.cut = kInf;
            split.saw_missing = true;
            return split;
        }
        const auto& all = static_cast<const Segments*>(state)->all;
        const std::size_t i = find(all, c.payload.a);
        const bool high = sorted_.lists[c.payload.a].role == ListRole::high;
        const u32 outer = c.payload.b >> 1;
        const double outside = value(all[i], outer - 1);
        double inside = sorted_.modes[c.key.column];
        if (outer < all[i].size) {
            inside = value(all[i], outer);
        } else if (rows_of_column(all, i) == node.n_rows) {
            const std::size_t other = high ? i - 1 : i + 1;  // the mode is not here: the other list
            inside = value(all[other], all[other].size - 1);
        }
        split.cut = cut_between(std::min(outside, inside), std::max(outside, inside), below_);
        if (c45_) split.cut = c45_->stored(split.cut, split.column);
        split.missing_left = ((c.payload.b & 1) != 0) != high;
        const std::size_t last = end_of_column(all, i) - 1;
        split.saw_missing = sorted_.lists[all[last].list].role == ListRole::missing;
        return split;
    }

    bool side(const Node&, const NodeState* state, const Candidate& c, std::vector<u32>& rows, u32& child) override {
        const auto& all = static_cast<const Segments*>(state)->all;
        auto append = [&](const Segment& s, u32 n) {
            const u32* e = entries_of(s);
            for (u32 i = 0; i < n; ++i) rows.push_back(sorted_.packing.row(e[i]));
        };
        if (c.payload.a != kNone) append(all[find(all, c.payload.a)], c.payload.b >> 1);
        if (c.payload.a == kNone || (c.payload.b & 1))  // the missing ones go along
            for (const auto& s : all)
                if (column_of(s) == c.key.column && sorted_.lists[s.list].role == ListRole::missing) append(s, s.size);
        child = c.payload.a == kNone || sorted_.lists[c.payload.a].role == ListRole::high ? 1 : 0;
        return true;
    }

    void divide(const Node&, NodeState* state, const Candidate& made, const Division& division, Worker& worker,
                std::span<std::unique_ptr<NodeState>> children) override {
        const auto& all = static_cast<Segments*>(state)->all;
        const u32 n_children = division.n_children();
        u64 entries = 0;
        u32 longest = 0;
        for (const auto& s : all) entries += s.size, longest = std::max(longest, s.size);
        std::vector<Piece> pieces(all.size() * n_children);  // by segment and child
        auto part = [&](std::size_t s, u32* spare) {
            Piece* to = pieces.data() + s * n_children;
            if (made.family == index && made.payload.a == all[s].list && !division.many()) {  // the list that was cut
                const u32 front = division.front(), n = made.payload.b >> 1;
                to[front] = {0, n};
                to[1 - front] = {n, all[s].size - n};
                return;
            }
            division.part(sorted_.entries.data() + all[s].offset, all[s].size, sorted_.packing.row_mask, to, spare);
        };
        if (worker.team->size() > 1 && entries > kShareOut) {
            std::vector<RawBuffer<u32>> spares(worker.team->size());
            worker.team->each(all.size(), [&](std::size_t s, int helper) {
                spares[helper].grow_to(longest);
                part(s, spares[helper].data());
            });
        } else {
            worker.spare.grow_to(longest);
            for (std::size_t s = 0; s < all.size(); ++s) part(s, worker.spare.data());
        }
        for (u32 c = 0; c < n_children; ++c) {
            if (!division.open[c]) continue;
            auto child = std::make_unique<Segments>();
            child->all.reserve(all.size());
            for (std::size_t s = 0; s < all.size(); ++s) {
                const Piece& p = pieces[s * n_children + c];
                if (p.size) child->all.push_back({all[s].list, p.size, all[s].offset + p.begin});
            }
            drop_constant(child->all, division.n_rows[c]);
            children[c] = std::move(child);
        }
    }

    bool compact(const Node& node, const NodeState* state, Lists& to) const override {
        if (!in_order_ || c45_ || !Lists::fits(problem_, node.n_rows)) return false;
        const auto& all = static_cast<const Segments*>(state)->all;
        u64 entries = 0;
        u32 longest = 0;
        for (const auto& s : all) {
            if (sorted_.lists[s.list].role == ListRole::missing) return false;
            entries += s.size;
            longest = std::max(longest, s.size);
        }
        // Lists that leave most rows out are shorter as they are.
        if (2 * entries < u64{node.n_rows} * all.size()) return false;
        std::vector<u32> rows(node.rows.begin(), node.rows.end());
        if (rows.empty() && longest < node.n_rows) return false;
        const bool all_rows = node.n_rows == problem_.table->n_rows;
        if (all_rows) {
            rows.resize(node.n_rows);
            std::iota(rows.begin(), rows.end(), 0u);
        }
        for (std::size_t i = 0; rows.empty(); ++i)  // nobody asked for them: those of any list that has all
            if (all[i].size == node.n_rows)
                for (u32 j = 0; j < node.n_rows; ++j) rows.push_back(sorted_.packing.row(entries_of(all[i])[j]));
        to.begin({&problem_, index, below_, projection_.split, sorted_.modes}, rows);
        const bool packed_alike = all_rows && to.packs_as(sorted_.packing);
        for (std::size_t i = 0; i < all.size();) {
            const u32 column = column_of(all[i]);
            const bool ambiguous = sorted_.lists[all[i].list].ambiguous;
            Segment low{0, 0, 0}, high{0, 0, 0};
            for (const std::size_t end = end_of_column(all, i); i < end; ++i)
                (sorted_.lists[all[i].list].role == ListRole::low ? low : high) = all[i];
            if (packed_alike && !ambiguous) {
                to.take(column, {entries_of(low), low.size}, {entries_of(high), high.size});
                continue;
            }
            auto row = [this](const Segment& s) {
                return [this, s](u32 j) { return sorted_.packing.row(entries_of(s)[j]); };
            };
            auto apart = [this](const Segment& s) { return [this, s](u32 j) { return differ(s, j, j + 1); }; };
            to.take(column, low.size, high.size, row(low), apart(low), row(high), apart(high));
        }
        return true;
    }

   private:
    Presorted sorted_lists() const {
        const Problem& p = problem_;
        const bool projected = !projection_.first.empty();
        const Presorted::Options options{
            .elide = !p.target->wild() && !p.scorer->traits().ordered && !projected && !c45_,
            .copies = p.scorer->traits().projection && !projected && !c45_,
            .blurs = projection_.blurs,
            .doubt = c45_ ? C45Cuts::kSurelyApart : 0.0};
        return p.table->sorted ? p.table->sorted->of(*p.table, *p.target, options, *p.team, *p.budget)
                               : Presorted(*p.table, *p.target, options, *p.team, *p.budget);
    }
    const u32* entries_of(const Segment& s) const { return sorted_.entries.data() + s.offset; }
    double value(const Segment& s, u32 i) const {
        const Column& column = sorted_.columns[sorted_.lists[s.list].column];
        return column.value(sorted_.packing.row(entries_of(s)[i]));
    }
    // Rank bits that differ prove that values do, without a look at them; mostly equal ones prove the opposite.
    bool differ(const Segment& s, u32 i, u32 j) const {
        const u32* e = entries_of(s);
        if ((e[i] ^ e[j]) & sorted_.packing.rank_mask) return true;
        const ListInfo& list = sorted_.lists[s.list];
        const double blur = projection_.blurs.empty() ? 0.0 : projection_.blurs[list.column];
        return list.ambiguous && std::fabs(value(s, i) - value(s, j)) > blur;
    }
    u32 column_of(const Segment& s) const { return sorted_.lists[s.list].column; }

    // The segments of the only column that is asked for; kNone: all of them.
    std::span<const Segment> among(const std::vector<Segment>& all, u32 only) const {
        if (only == kNone) return all;
        const auto begin = std::partition_point(all.begin(), all.end(), [&](auto& s) { return column_of(s) < only; });
        return {begin, std::find_if(begin, all.end(), [&](auto& s) { return column_of(s) != only; })};
    }

    std::size_t end_of_column(std::span<const Segment> all, std::size_t i) const {
        const u32 column = column_of(all[i]);
        while (i < all.size() && column_of(all[i]) == column) ++i;
        return i;
    }

    PackedColumn packed(const Node& node, std::span<const Segment> all, std::size_t first) const {
        PackedColumn p;
        const u32 column = column_of(all[first]);
        p.packing = &sorted_.packing;
        p.column = &sorted_.columns[column];
        // The few rows of a small node are better read where a whole row lies together.
        const Column& given = problem_.table->columns[column];
        if (static_cast<u64>(std::abs(given.stride)) * node.n_rows < kLinesKept) p.column = &given;
        p.mode = sorted_.modes[column];
        if (!projection_.blurs.empty()) p.blur = projection_.blurs[column];
        if (!sorted_.packing.has_classes) p.classes = problem_.target->classes.data();
        p.weights = problem_.target->weighted() ? problem_.target->weights.data() : nullptr;
        p.numbers = problem_.target->numbers.data();
        p.scale = problem_.standardize ? 1 / problem_.moments.spreads[column] : 1.0;
        for (std::size_t i = first; i < all.size() && column_of(all[i]) == column; ++i) {
            const ListInfo& list = sorted_.lists[all[i].list];
            const PackedList part{entries_of(all[i]), all[i].size, all[i].list};
            if (list.role == ListRole::missing) {
                p.missing = part;
            } else {
                (list.role == ListRole::low ? p.low : p.high) = part;
                p.ambiguous = list.ambiguous;
                p.heavy = list.heavy;
                p.counted = list.counted;
            }
        }
        return p;
    }

    void propose_column(const Node& node, std::span<const Segment> all, std::size_t first, Best& best) const {
        const u32 column = column_of(all[first]);
        if (!node.allows(column)) return;
        PackedColumn lists = packed(node, all, first);
        if (c45_) return c45_->offer(node, lists, sink(column, best));
        if (problem_.missing == Missing::either || lists.missing.size == 0)
            return problem_.scorer->cuts(node, lists, problem_.limits, sink(column, best));
        auto& rows = per_thread<std::vector<u32>, struct RowsHere>();
        const Column& x = problem_.table->columns[column];
        const Node known = known_part(node, *problem_.target, rows, [&](u32 row) { return is_missing(x.value(row)); });
        if (known.n_rows < 2) return;
        lists.missing = {};
        Best own(problem_.scorer->unit(known), known.total);
        problem_.scorer->cuts(known, lists, problem_.limits, sink(column, own));
        offer_known(problem_, own, known.total, node.total, best);
    }

    CutSink sink(u32 column, Best& best) const {
        if (projection_.first.empty()) return {&best, column, index, false, 0, problem_.budget};
        return {&best, projection_.first[column], projection_.family, true, column, problem_.budget};
    }

    static std::size_t find(const std::vector<Segment>& all, u32 list) {
        const auto at =
            std::lower_bound(all.begin(), all.end(), list, [](const Segment& s, u32 l) { return s.list < l; });
        return static_cast<std::size_t>(at - all.begin());
    }

    // Rows of the node that the lists of a column hold; fewer than the node has when its mode is here.
    u32 rows_of_column(const std::vector<Segment>& all, std::size_t i) const {
        while (i > 0 && column_of(all[i - 1]) == column_of(all[i])) --i;
        u32 rows = 0;
        for (const std::size_t end = end_of_column(all, i); i < end; ++i) rows += all[i].size;
        return rows;
    }

    // Leaves out the columns that have one value in the node: they never split below it.
    void drop_constant(std::vector<Segment>& all, u32 n_rows) const {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < all.size();) {
            const std::size_t end = end_of_column(all, i);
            u32 listed = 0, missing = 0;
            for (std::size_t s = i; s < end; ++s)
                (sorted_.lists[all[s].list].role == ListRole::missing ? missing : listed) += all[s].size;
            bool varies = missing > 0 ? missing < n_rows : listed > 0;
            if (varies && missing == 0 && listed == n_rows && end - i == 1)  // one list and no mode
                varies = differ(all[i], 0, listed - 1);
            for (; i < end; ++i)
                if (varies) all[kept++] = all[i];
        }
        all.resize(kept);
    }

    const Problem problem_;
    ProjectedDirections projection_;
    bool in_order_ = true;          // an earlier column has an earlier key
    std::unique_ptr<C45Cuts> c45_;  // where it cuts as C4.5 does
    bool below_ = false;            // cuts lie just below the midpoint
    Presorted sorted_;
};

}  // namespace

std::unique_ptr<Family> make_projected_axis(const Problem& positions, const ProjectedDirections& projection) {
    auto family = std::make_unique<Axis>(positions, projection);
    family->index = kNone;  // the lists of the winner are not in order: only its position is known
    return family;
}

void register_axis(Registry& r) {
    FamilyPlugin plugin{
        {"axis", "every numeric column, exact best threshold", "Breiman et al. 1984 (CART)", c45_params()},
        [](const Problem& p, const Params& params) { return std::make_unique<Axis>(p, params); }};
    plugin.lists = [](const Params& params) { return !is_c45(params); };
    plugin.ranks_from = [](const Params& params) -> u64 { return !is_c45(params) && params.get("cut") == 0 ? 1 : 0; };
    plugin.rank_search = [](const Problem& p, const Params&) { return make_axis_rank_search(p); };
    plugin.make_ranked = make_ranked_axis;
    r.splits.push_back(std::move(plugin));
}

}  // namespace bough
