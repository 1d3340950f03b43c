// random: a random column and a random threshold between its smallest and largest value. Nothing is sorted and nothing
// is kept: a column that is drawn is read once.
#include "base/per_thread.hpp"
#include "families/random_cuts.hpp"
#include "families/random_ranked.hpp"
#include "grow/known.hpp"
#include "score/sums.hpp"
#include "score/sweep_numbers.hpp"

namespace bough {

namespace {

constexpr u32 kMany = 1u << 12;  // rows from which a column is worth an answer to Ctrl-C

class Random final : public Family {
   public:
    Random(const Problem& problem, const Params& params)
        : problem_(problem),
          tries_(params.count("candidates")),
          draw_(static_cast<Draw>(params.count("draw"))),
          numeric_(problem.table->of(ColumnKind::numeric)),
          by_position_(problem.scorer->traits().projection || problem.scorer->traits().ordered) {}

    void propose(const Node& node, NodeState*, Worker&, Best& best) override {
        auto& open = per_thread<std::vector<u32>, struct OpenHere>();
        auto& left = per_thread<std::vector<u32>, struct LeftHere>();  // places of the columns that have not been drawn
        open.clear();
        for (u32 c : node.among(numeric_))
            if (node.allows(c)) open.push_back(c);
        read_rows(node);
        bool some_missing = false;  // in the column that was drawn last
        auto range = [&](u32 j) {
            if (node.n_rows > kMany) problem_.budget->poll();
            return read(node, open[j], some_missing);
        };
        draw_cuts(problem_.seed, node.path, static_cast<u32>(open.size()), tries_, left, range,
                  [&](u32 j, RandomRange r, double share) {
                      const double* values = rows_of_worker().values.data();
                      const double cut = drawn_cut(draw_, values, node.n_rows, r, share, *problem_.budget);
                      if (some_missing && problem_.missing != Missing::either)
                          propose_known(node, open[j], cut, best);
                      else if (by_position_ || some_missing || !node.image.keeps_rows())
                          propose_by_position(node, open[j], cut, best);
                      else
                          propose_one(node, open[j], cut, best);
                  });
    }

    Split resolve(const Node&, const NodeState*, const Candidate& c) const override {
        Split split;
        split.kind = NodeKind::axis;
        split.column = c.key.column;
        split.cut = c.payload.x;
        split.missing_left = c.payload.a != 0;
        split.saw_missing = c.payload.b != 0;
        return split;
    }

    bool side(const Node& node, const NodeState*, const Candidate& c, std::vector<u32>& rows, u32& child) override {
        const Column& x = problem_.table->columns[c.key.column];
        const double cut = c.payload.x;
        const bool missing_left = c.payload.a != 0;
        rows.resize(node.n_rows);
        u32 n = 0;
        for (u32 row : node.rows) {
            const double v = x.value(row);
            rows[n] = row;
            n += (v <= cut) | (missing_left & (v != v));
        }
        rows.resize(n);
        child = 0;
        return true;
    }

   private:
    static RandomRows& rows_of_worker() { return per_thread<RandomRows, struct RowsHere>(); }
    void read_rows(const Node& node) const {
        const Target& target = *problem_.target;
        RandomRows& r = rows_of_worker();
        r.values.resize(std::max<std::size_t>(r.values.size(), node.n_rows));
        if (target.weighted()) {
            r.weights.resize(std::max<std::size_t>(r.weights.size(), node.n_rows));
            for (u32 i = 0; i < node.n_rows; ++i) r.weights[i] = target.weights[node.rows[i]];
        }
        if (target.regression()) {
            r.numbers.assign(node.n_rows, {});
            for (u32 i = 0; i < node.n_rows; ++i) {
                const double y = target.numbers[node.rows[i]];
                target.weighted() ? node.image.add(y, r.numbers[i], r.weights[i]) : node.image.add(y, r.numbers[i]);
            }
            return;
        }
        auto& place = per_thread<std::vector<u32>, struct PlaceHere>();  // of each class among those that are here
        place.resize(node.weights.size());
        for (u32 c = 0; c < node.present.size(); ++c) place[node.present[c]] = c;
        r.places.resize(std::max<std::size_t>(r.places.size(), node.n_rows));
        for (u32 i = 0; i < node.n_rows; ++i) r.places[i] = place[target.classes[node.rows[i]]];
    }
    // Reads the values of a column; `some_missing`: some rows have none.
    RandomRange read(const Node& node, u32 column, bool& some_missing) const {
        double* values = rows_of_worker().values.data();
        const Column x = problem_.table->columns[column];
        const u32* rows = node.rows.data();
        double low = kInf, high = -kInf;
        u32 known = 0;
        for (u32 i = 0; i < node.n_rows; ++i) {
            const double v = values[i] = x.value(rows[i]);
            low = v < low ? v : low;
            high = v > high ? v : high;
            known += v == v;
        }
        some_missing = known < node.n_rows;
        return {low, high};
    }
    // Sums both sides of a cut of the column that was read.
    void propose_one(const Node& node, u32 column, double cut, Best& best) const {
        const Target& target = *problem_.target;
        const u32 n = node.n_rows, k = static_cast<u32>(node.present.size());
        RandomRows& r = rows_of_worker();
        const double* v = r.values.data();
        u32 rows = 0;
        if (target.regression()) {
            ExactSum left;
            for (u32 i = 0; i < n; ++i) {
                const u64 goes = v[i] <= cut ? ~u64{0} : 0;  // without a branch, which nobody foresees
                const i128 mask = static_cast<i64>(goes);
                rows += goes & 1;
                left.sum += r.numbers[i].sum & mask;
                left.weight += r.numbers[i].weight & mask;
            }
            return offer_numbers(node, rows, left, column, cut, best);
        }
        r.left_w.assign(k, 0.0);
        r.right_w.assign(k, 0.0);
        if (target.weighted()) {
            double *left = r.left_w.data(), *right = r.right_w.data();
            for (u32 i = 0; i < n; ++i) {
                rows += v[i] <= cut;
                (v[i] <= cut ? left : right)[r.places[i]] += r.weights[i];
            }
        } else if (k <= 2) {
            u32 second = 0;
            for (u32 i = 0; i < n; ++i) {
                const u32 is_left = v[i] <= cut;
                rows += is_left;
                second += is_left & r.places[i];
            }
            r.left_w[0] = rows - second;
            if (k == 2) r.left_w[1] = second;
        } else {
            r.left.assign(2 * k, 0);  // two in turn, so that equal neighbours do not wait for each other
            for (u32 i = 0; i < n; ++i) r.left[r.places[i] * 2 + (i & 1)] += v[i] <= cut;
            for (u32 c = 0; c < k; ++c) {
                r.left_w[c] = r.left[2 * c] + r.left[2 * c + 1];
                rows += r.left[2 * c] + r.left[2 * c + 1];
            }
        }
        if (!target.weighted())
            for (u32 c = 0; c < k; ++c) r.right_w[c] = node.present_weights[c] - r.left_w[c];
        offer_sides(node, rows, Side(r.left_w), Side(r.right_w), column, cut, best);
    }
    void offer_sides(const Node& node, u32 rows, const Side& left, const Side& right, u32 column, double cut,
                     Best& best) const {
        const u32 least = std::max(1u, problem_.limits.min_rows);
        if (rows < least || node.n_rows - rows < least) return;
        offer_cut(node.view(left), node.view(right), node.ruled, column, cut, false, false, best);
    }
    void offer_numbers(const Node& node, u32 rows, const ExactSum& left, u32 column, double cut, Best& best) const {
        const NumberSides sides(node, left);
        offer_sides(node, rows, sides.left, sides.right, column, cut, best);
    }
    void offer_cut(const Side& left, const Side& right, u32 ruled, u32 column, double cut, bool missing_left,
                   bool saw_missing, Best& best) const {
        const double balance = std::min(left.total, right.total);
        if (balance < problem_.limits.min_weight) return;
        const Gain gain = problem_.scorer->gain(left, right);
        const Key key{column, 0, missing_left ? 0u : 1u};
        best.offer({gain, balance, key, index, {missing_left, saw_missing, cut}, {left, right, ruled}});
    }

    // For criteria that look at positions, and for rows without a value, which go to the one side and to the other.
    void propose_by_position(const Node& node, u32 column, double cut, Best& best) const {
        const Column& x = problem_.table->columns[column];
        const double center = by_position_ ? mean(node, x) : 0.0;
        bool saw_missing = false;
        for (const bool missing_left : {false, true}) {
            SideSums sums(node, *problem_.target, 2);
            for (u32 row : node.rows) {
                const double v = x.value(row);
                saw_missing |= is_missing(v);
                const bool left = is_missing(v) ? missing_left : v <= cut;
                sums.add(left ? 0 : 1, row, is_missing(v) ? 0.0 : v - center);
            }
            if (sums.keep(problem_.limits)) {
                const bool z = by_position_ || problem_.target->regression();
                offer_cut(sums.side(0, z), sums.side(1, z), node.ruled, column, cut, missing_left, saw_missing, best);
            }
            if (!saw_missing) break;
        }
    }
    // Where rows without a value go to neither side.
    void propose_known(const Node& node, u32 column, double cut, Best& best) const {
        auto& rows = per_thread<std::vector<u32>, struct RowsHere>();
        const Column& x = problem_.table->columns[column];
        const Node known = known_part(node, *problem_.target, rows, [&](u32 row) { return is_missing(x.value(row)); });
        Best own(problem_.scorer->unit(known), known.total);
        propose_by_position(known, column, cut, own);
        offer_known(problem_, own, known.total, node.total, best);
    }
    double mean(const Node& node, const Column& x) const {
        double sum = 0, weight = 0;
        for (u32 row : node.rows) {
            const double v = x.value(row), w = problem_.target->weight(row);
            if (!is_missing(v)) sum += w * v, weight += w;
        }
        return sum / weight;
    }

    const Problem problem_;
    u32 tries_;
    Draw draw_;
    std::vector<u32> numeric_;
    bool by_position_;
};

}  // namespace

void register_random(Registry& r) {
    FamilyPlugin plugin{
        {"random",
         "a random column, a random threshold between its smallest and largest value",
         "Geurts et al. 2006; SCC.461 report 2020",
         {{"candidates", "how many columns are drawn; the best of their thresholds wins; 0: all that may be split",
           Param::Type::integer, 1, 0, 1e6},
          {"draw",
           "a uniform number in the column's range, the value of a row, or midway between two neighbours",
           Param::Type::choice,
           0,
           -kInf,
           kInf,
           {"range", "row", "midpoint"}}}},
        [](const Problem& p, const Params& params) { return std::make_unique<Random>(p, params); }};
    // One tree is grown before its columns are sorted. Draws from the numbers at hand sort those, and go by rows.
    plugin.ranks_from = [](const Params& params) -> u64 { return params.get("draw") == 0 ? 5 : 0; };
    plugin.rank_search = [](const Problem& p, const Params& params) {
        return make_random_rank_search(p, params.count("candidates"));
    };
    r.splits.push_back(std::move(plugin));
}

}  // namespace bough
