// random: a random column and a random threshold between its smallest and largest value. Nothing is sorted and nothing
// is kept. A column that is drawn is read once; where all are drawn, one pass over the rows of a node finds their
// ranges and one more the sums of both sides of all thresholds.
#include "base/eight.hpp"
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
          matrix_(first_row(problem.table->columns)),
          by_position_(problem.scorer->traits().projection || problem.scorer->traits().ordered) {}

    void propose(const Node& node, NodeState*, Worker&, Best& best) override {
        auto& all = per_thread<RandomColumns, struct AllHere>();
        auto& left = per_thread<std::vector<u32>, struct LeftHere>();  // places of the columns that have not been drawn
        all.which.clear();
        for (u32 c : node.among(numeric_))
            if (node.allows(c)) all.which.push_back(c);
        const u32 n_columns = static_cast<u32>(all.which.size());
        const u32 tries = tries_ == 0 ? n_columns : tries_;
        // Rows that lie in one piece are better read once for all columns than once for each, unless most are not
        // drawn.
        const bool at_once = matrix_ && tries >= n_columns && 2 * n_columns >= numeric_.size() &&
                             !problem_.target->weighted() && draw_ == Draw::range;
        if (at_once)
            find_ranges(node, all);
        else
            read_rows(node);
        all.cuts.assign(n_columns, kNaN);
        bool gaps = false;  // in the column that was drawn last
        auto range = [&](u32 j) {
            if (node.n_rows > kMany) problem_.budget->poll();
            gaps = at_once && all.gaps[j] > 0;
            return at_once ? RandomRange{all.low[j], all.high[j]} : read(node, all.which[j], gaps);
        };
        draw_cuts(problem_.seed, node.path, n_columns, tries, left, range, [&](u32 j, RandomRange r, double share) {
            const double* values = rows_of_worker().values.data();
            const double cut = drawn_cut(draw_, values, node.n_rows, r, share, *problem_.budget);
            if (gaps && problem_.missing != Missing::either)
                propose_known(node, all.which[j], cut, best);
            else if (by_position_ || gaps || !node.image.keeps_rows())
                propose_by_position(node, all.which[j], cut, best);
            else if (at_once)
                all.cuts[j] = cut;
            else
                propose_one(node, all.which[j], cut, best);
        });
        if (at_once) propose_all(node, all, best);
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
    // Calls visit(i, values) for every row of the node: its numbers in some columns, side by side.
    template <class Visit>
    void each_line(const Node& node, RandomColumns& d, Visit visit) const {
        constexpr u32 kPoll = 1u << 14;
        const u32 width = static_cast<u32>(d.which.size()), first = d.which[0];
        const bool neighbours = d.which.back() - first + 1 == width;
        d.line.resize(width);
        for (u32 i = 0; i < node.n_rows; ++i) {
            if (i % kPoll == kPoll - 1) problem_.budget->poll();
            const double* from = line_of(node.rows[i]);
            for (u32 j = 0; j < width && !neighbours; ++j) d.line[j] = from[d.which[j]];
            visit(i, neighbours ? from + first : d.line.data());
        }
    }
    const double* line_of(u32 row) const { return matrix_ + static_cast<i64>(row) * problem_.table->columns[0].stride; }

    // Calls visit(from, size, line) for eight columns after the other, where line(i) are the numbers of row i in them:
    // what is found out about eight stays in registers.
    template <class Visit>
    void each_eight(const Node& node, const RandomColumns& d, Visit visit) const {
        const u32 *rows = node.rows.data(), width = static_cast<u32>(d.which.size());
        for (u32 from = 0; from < width; from += kEight) {
            if (node.n_rows > kMany) problem_.budget->poll();
            const u32 size = std::min(kEight, width - from), first = d.which[from];
            if (size == kEight && d.which[from + kEight - 1] - first + 1 == kEight) {  // they lie side by side
                visit(from, size, [rows, at = matrix_ + first, stride = problem_.table->columns[0].stride](u32 i) {
                    return at + static_cast<i64>(rows[i]) * stride;
                });
                continue;
            }
            double line[kEight] = {};
            visit(from, size, [&](u32 i) {
                for (u32 t = 0; t < size; ++t) line[t] = line_of(rows[i])[d.which[from + t]];
                return static_cast<const double*>(line);
            });
        }
    }

    void find_ranges(const Node& node, RandomColumns& d) const {
        for (auto* found : {&d.low, &d.high, &d.gaps}) found->resize(d.which.size());
        each_eight(node, d, [&, n = node.n_rows](u32 from, u32 size, auto line) {
            const Eight none = Eight::all(kInf);
            Eight low = Eight::all(kInf), high = Eight::all(-kInf), known = Eight::all(0);
            for (u32 i = 0; i < n; ++i) {
                const Eight x = Eight::at(line(i));
                low.keep_least(x);
                high.keep_greatest(x);
                known.add_by(x, none, 1, 0);
            }
            for (u32 t = 0; t < size; ++t) {
                d.low[from + t] = low[t];
                d.high[from + t] = high[t];
                d.gaps[from + t] = n - known[t];
            }
        });
    }

    // The same for a numeric target, whose integers are added up in halves of 31 bits, which doubles hold exactly.
    void propose_numbers(const Node& node, const RandomColumns& d, Best& best) const {
        constexpr u32 kExact = 1u << 21;  // rows whose halves add up to less than 2^53
        auto& halves = per_thread<std::vector<double>, struct HalvesHere>();  // of each row, the lower one first
        halves.resize(std::max<std::size_t>(halves.size(), 2 * std::size_t{node.n_rows}));
        for (u32 i = 0; i < node.n_rows; ++i) {
            const i64 q = node.image.of(problem_.target->numbers[node.rows[i]]);
            halves[2 * i] = static_cast<double>(q & 0x7fffffff);
            halves[2 * i + 1] = static_cast<double>(q >> 31);
        }
        each_eight(node, d, [&, n = node.n_rows, halves = halves.data()](u32 from, u32 size, auto line) {
            double cuts[kEight] = {};
            std::copy_n(d.cuts.data() + from, size, cuts);
            const Eight cut = Eight::at(cuts);
            ExactSum sums[kEight];
            for (u32 begin = 0, end; begin < n; begin = end) {
                end = begin + std::min(kExact, n - begin);
                Eight counted = Eight::all(0), low = counted, high = counted;
                for (u32 i = begin; i < end; ++i) {
                    const Eight x = Eight::at(line(i));
                    counted.add_by(x, cut, 1, 0);
                    low.add_by(x, cut, halves[2 * i], 0);
                    high.add_by(x, cut, halves[2 * i + 1], 0);
                }
                for (u32 t = 0; t < size; ++t)
                    sums[t] += {static_cast<i64>(counted[t]),
                                (i128{static_cast<i64>(high[t])} << 31) + static_cast<i64>(low[t])};
            }
            for (u32 t = 0; t < size; ++t)
                offer_numbers(node, static_cast<u32>(sums[t].weight), sums[t], d.which[from + t], cuts[t], best);
        });
    }

    // Sums both sides of all cuts, each class by itself, and offers the cuts.
    void propose_all(const Node& node, RandomColumns& d, Best& best) const {
        std::size_t width = 0;
        for (std::size_t j = 0; j < d.which.size(); ++j) {
            d.which[width] = d.which[j];
            d.cuts[width] = d.cuts[j];
            width += !is_missing(d.cuts[j]);
        }
        if (node.n_rows == 2 && problem_.tie_places.empty() && !best.asks()) width = std::min<std::size_t>(width, 1);
        d.which.resize(width);
        if (width == 0) return;
        if (problem_.target->regression()) return propose_numbers(node, d, best);
        const Target& target = *problem_.target;
        const std::size_t k = node.present.size();
        auto& place = per_thread<std::vector<u32>, struct PlaceHere>();  // of each class among those that are here
        list_places(node, place);
        d.left_w.assign(k * width, 0.0);
        each_line(node, d, [&, cut = d.cuts.data(), left = d.left_w.data(), width](u32 i, const double* x) {
            double* to = left + place[target.classes[node.rows[i]]] * width;
            for (std::size_t j = 0; j < width; ++j) to[j] += x[j] <= cut[j] ? 1.0 : 0.0;
        });
        RandomRows& one = rows_of_worker();
        one.left_w.resize(k);
        one.right_w.resize(k);
        for (std::size_t j = 0; j < width; ++j) {
            double rows = 0;
            for (std::size_t c = 0; c < k; ++c) {  // whole counts: the right side is the rest
                rows += one.left_w[c] = d.left_w[c * width + j];
                one.right_w[c] = node.present_weights[c] - one.left_w[c];
            }
            offer_sides(node, static_cast<u32>(rows), Side(one.left_w), Side(one.right_w), d.which[j], d.cuts[j], best);
        }
    }

    // ---- one column after the other

    static RandomRows& rows_of_worker() { return per_thread<RandomRows, struct RowsHere>(); }
    static void list_places(const Node& node, std::vector<u32>& place) {
        place.resize(node.weights.size());
        for (u32 c = 0; c < node.present.size(); ++c) place[node.present[c]] = c;
    }
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
        auto& place = per_thread<std::vector<u32>, struct PlaceHere>();
        list_places(node, place);
        r.places.resize(std::max<std::size_t>(r.places.size(), node.n_rows));
        for (u32 i = 0; i < node.n_rows; ++i) r.places[i] = place[target.classes[node.rows[i]]];
    }
    // Reads the values of a column; `gaps`: some rows have none.
    RandomRange read(const Node& node, u32 column, bool& gaps) const {
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
        gaps = known < node.n_rows;
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
    const double* matrix_;
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
          choice_param("draw",
                       "a uniform number in the column's range, the value of a row, or midway between two neighbours",
                       {"range", "row", "midpoint"})}},
        [](const Problem& p, const Params& params) { return std::make_unique<Random>(p, params); }};
    // One tree is grown before its columns are sorted. Draws from the numbers at hand sort those, and go by rows.
    plugin.ranks_from = [](const Params& params) -> u64 { return params.get("draw") == 0 ? 5 : 0; };
    plugin.rank_search = [](const Problem& p, const Params& params) {
        return make_random_rank_search(p, params.count("candidates"));
    };
    r.splits.push_back(std::move(plugin));
}

}  // namespace bough
