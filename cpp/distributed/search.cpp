// The search for the split of a node of which counts are known.
#include "distributed/counts.hpp"

namespace bough {

void CountStore::begin_search(Handle& at) {
    at.numbers.assign(n_columns(), {});
    searches_inside_ = false;
}

// What is left for the case that nothing can be split is tried last, when all cuts are known. Selectors that ask how
// much the rows of a node know, (Σw)²/Σw², are shown a single row, the square of whose weight is Σw².
bool CountStore::search(Handle& at, std::span<const u32> columns, bool, Pace&, Best& best) {
    if (at.known && searches_inside_) {
        best = *at.known;
        for (u32 column = 0; column < n_columns(); ++column)
            if (!at.numbers[column].x.empty())
                each_cut(at, column, [&](const Part& left, u64 cell, u32 inside) {
                    if (inside > 0) offer_cut(at, column, left, cell, inside, best);
                });
        return true;
    }
    Node& node = at.node;
    const u32 shown = static_cast<u32>(shown_.size()) - 1;
    if (weighted()) shown_.back() = std::sqrt(at.counts->sums.back());
    if (weighted()) node.rows = {&shown, 1};
    const std::vector<Contingency> tables = tables_of(at);
    for (u32 c = 0; c < layout_.n_table(); ++c)
        if (!layout_.numeric(c)) table_.columns[c].counted = &tables[c];
    if (!columns.empty()) at.drawn.resize(n_columns(), 0);
    for (u32 c : columns) at.drawn[c] = 1;
    auto ask = [&](std::span<const u8> allowed, u32, Best& to) {
        node.rows = {};
        node.allowed = allowed;
        for (u32 c = 0; c < n_columns(); ++c) {
            // Directions are over all columns of numbers.
            if (has_cuts(at, c) && node.allows(line_of(at, c) ? numeric_[0] : c)) offer_numbers(at, c, to);
            // Two rows part in one way: the first column, as `axis` does it.
            if (node.n_rows == 2 && !to.empty() && !by_moments_ && tie_places_.empty()) break;
        }
        if (nominal_) nominal_->propose(node, nullptr, worker_, to);
        node.allowed = {};
    };
    const bool any = offer_selected(
        *selector_, node, worker_, columns, n_columns(), selection_, ask, [](const Candidate&) { return kNaN; }, best,
        searches_inside_);
    node.rows = {};
    at.log_p = selection_.log_p;
    if (!any || columns.empty()) return any;
    // More are drawn where none of these can be split, which is not known yet.
    at.unsure = !searches_inside_ && best.empty() &&
                std::any_of(columns.begin(), columns.end(), [&](u32 c) { return may_be_cut(at, c); });
    return !at.unsure;
}

// Could a column be split though no split of it is known? A cut may be inside a bin.
bool CountStore::may_be_cut(const Handle& at, u32 column) const {
    if (!layout_.numeric(column)) return !selector_->passive();  // it may be held back until nothing else is left
    for (u32 bin = 0; bin < layout_.n_bins(column); ++bin)
        if (rows_in(at, layout_.begin[column] + bin) > 1 && !layout_.single(column, bin)) return true;
    return false;
}

// Calls cut(left, cell, inside) for every cut whose counts are known, ascending: behind the last number of a bin
// (inside: 0), or behind number inside − 1 of the column. Rows without a number are on the right.
template <class Cut>
void CountStore::each_cut(const Handle& at, u32 column, Cut cut) const {
    const std::size_t k = layout_.n_classes;
    const NumbersInside& numbers = at.numbers[column];
    const auto& edges = edges_of(at, column);
    Part left(layout_.n_classes), inner = left, missing = left;
    add_cell(at, layout_.missing(column), missing);
    const u32 known = at.node.n_rows - missing.n;
    std::size_t i = 0;
    for (u32 bin = 0; bin < layout_.n_bins(column) && left.n < known; ++bin) {
        const u64 cell = layout_.begin[column] + bin;
        const u32 before = left.n;
        auto here = [&](std::size_t j) {
            return j < numbers.x.size() && (bin == edges.size() || numbers.x[j] <= edges[bin]);
        };
        if (here(i)) inner = left;
        for (; here(i); ++i) {
            for (u32 c : at.node.present) inner.add(c, numbers.rows[i * k + c], numbers.weights[i * k + c]);
            if (layout_.regression) inner.sum += numbers.sums[i];
            if (inner.n > left.n && here(i + 1)) cut(inner, cell, static_cast<u32>(i) + 1);
        }
        add_cell(at, cell, left);
        if (left.n > before && left.n < known && may_part_behind(at, column, bin)) cut(left, cell, 0u);
    }
}

// What is on the left of a cut that was offered.
CountStore::Part CountStore::left_of(const Handle& at, u32 column, const Payload& cut) const {
    Part found(layout_.n_classes);
    each_cut(at, column, [&](const Part& left, u64 cell, u32 inside) {
        if (cell == cut.a && inside == cut.b) found = left;
    });
    return found;
}

// Is there room for a cut behind the numbers of a bin? Along a direction, positions on both sides of it may be one.
bool CountStore::may_part_behind(const Handle& at, u32 column, u32 bin) const {
    const Line* line = line_of(at, column);
    if (!line) return true;
    return end_of(at, column, next_bin(at, column, bin), false) - end_of(at, column, bin, true) > line->blur;
}

// The other side of a cut.
CountStore::Part CountStore::rest_of(const Handle& at, const Part& part) const {
    Part rest(layout_.n_classes);
    rest.n = at.node.n_rows - part.n;
    rest.sum = -part.sum;
    for (u32 c : at.node.present) {
        rest.rows[c] = at.node.counts[c] - part.rows[c];
        rest.weights[c] = std::max(0.0, at.node.weights[c] - part.weights[c]);
    }
    return rest;
}

void CountStore::offer_numbers(const Handle& at, u32 column, Best& best) const {
    each_cut(at, column,
             [&](const Part& left, u64 cell, u32 inside) { offer_cut(at, column, left, cell, inside, best); });
    Part missing(layout_.n_classes);
    add_cell(at, layout_.missing(column), missing);
    if (missing.n == 0 || missing.n == at.node.n_rows || line_of(at, column)) return;
    offer_cut(at, column, rest_of(at, missing), kNone, 0, best);  // rows with a number to the left, the others right
}

// A cut with the rows that lack a number on the right, and on the left if there are any. `cell` is kNone where the cut
// is between those that have a number and those that lack it.
void CountStore::offer_cut(const Handle& at, u32 column, const Part& left, u64 cell, u32 inside, Best& best) const {
    const Node& node = at.node;
    const LeafLimits& limits = problem_.limits;
    const std::size_t k = node.present.size();
    const u32 least = limits.least_rows(weighted());
    const u64 missing = layout_.missing(column) * layout_.n_classes;
    const u32 n_missing = rows_in(at, layout_.missing(column));
    std::vector<double>&l = sides_[0], &r = sides_[1];
    l.resize(k);
    r.resize(k);
    for (const bool gone_left : {false, true}) {
        if (gone_left && (n_missing == 0 || cell == kNone)) break;
        const u32 n = left.n + (gone_left ? n_missing : 0);
        if (n < least || node.n_rows - n < least) continue;
        for (std::size_t d = 0; d < k; ++d) {
            const u32 c = node.present[d];
            l[d] = left.weights[c] + (gone_left ? weight_of(at, missing + c) : 0.0);
            r[d] = std::max(0.0, node.weights[c] - l[d]);
        }
        const double sum = left.sum + (gone_left ? sum_of(at, missing) : 0.0), rest = -sum;
        const std::size_t sums = layout_.regression ? 1 : 0;
        const Side a(l, {&sum, sums}), b(r, {&rest, sums});
        const double balance = std::min(a.total, b.total);
        if (limits.min_weight > 0 && balance < limits.min_weight) continue;
        const Gain gain = scorer_->gain(node.view(a), node.view(b));
        const Line* line = line_of(at, column);
        Key key{line ? line->first : column, line ? line->number : 0, u64{left.n} << 1 | (gone_left ? 0u : 1u)};
        if (cell == kNone) key.direction = key.place = ~u64{0};
        best.offer({gain, balance, key, 0, {.a = static_cast<u32>(cell), .b = inside}});
    }
}

// ---- bins that are worth a look

// The largest gain of a cut inside a bin where numbers are predicted: of a side that weighs w and whose distances add
// up to z it is z²/(w·(W − w)), W being the weight of the node, which is convex in both. What is taken of a bin of
// weight b, sum s and sum of squares q adds at most b to w, and to z something between (s ± √(b·q))/2, so that the
// corners of that tell a bound; so does W·gain = z²/w + z²/(W − w) <= what both sides have without the bin, plus q.
double CountStore::most_inside(const Handle& at, double w, double z, u64 cell) const {
    const double total = at.node.total, bin = weight_of(at, cell), rest = total - w - bin;
    const double sum = sum_of(at, cell), square = square_of(at, cell), reach = std::sqrt(bin * square);
    double corner = 0;
    auto each_corner = [&](auto gain) {
        for (const double side : {w, w + bin})
            for (const double x : {z + (sum - reach) / 2, z + (sum + reach) / 2})
                corner = std::max(corner, gain(side, x));
        return corner;
    };
    if (!target_.leaf.squares())  // a deviance: x²/(2·w·mean + x) where x < 0, x²/(2·w·mean) where not, of both sides
        return each_corner([&](double side, double x) {
            const double l = 2 * side * at.node.mean + std::min(x, 0.0);
            const double r = 2 * (total - side) * at.node.mean - std::max(x, 0.0);
            return l > 0 && r > 0 ? (x * x / l + x * x / r) / total : kInf;
        });
    auto part = [&](double s, double weight) { return weight > kSum * total ? s * s / weight : 0.0; };
    const double apart = (part(z, w) + part(z + sum, rest) + square) / total;
    if (!(w > kSum * total) || !(rest > kSum * total)) return apart;
    return std::min(apart, each_corner([&](double side, double x) { return x * x / (side * (total - side)); }));
}

void CountStore::want(Handle& at, const Best& best, std::vector<WantedBin>& to) {
    const Node& node = at.node;
    const std::size_t k = node.present.size(), all = layout_.n_classes;
    searches_inside_ = true;
    at.unsure |= node.n_rows == 2 && !by_moments_;  // the first column that parts them wins, whatever the gains
    if (problem_.every_column && !at.unsure) at.known = best;
    const Bounds* bounds = scorer_->bounds();
    if (!bounds && !layout_.regression) return;  // no column of numbers
    const double slack =
        (scorer_->traits().ratio ? kRatioRunning : kRunning) * best.scale() + (bounds ? kEntropyFloor : 0.0);
    const double floor = at.unsure ? -kInf : best.floor() - slack;
    std::vector<double> low(k), high(k), gone(k);
    std::vector<u8> asked;  // of each bin of a column: 2, all its numbers are wanted; 1, its ends
    for (u32 column = 0; column < n_columns(); ++column) {
        if (!has_cuts(at, column) || (!at.unsure && !at.drawn.empty() && !at.drawn[column])) continue;
        const u32 n_bins = layout_.n_bins(column);
        const u64 missing = layout_.missing(column);
        const u32 n_missing = rows_in(at, missing);
        u32 rows = 0;
        double sum = 0;  // of distances below the bin, where numbers are predicted
        std::fill(low.begin(), low.end(), 0.0);
        for (std::size_t d = 0; d < k; ++d) gone[d] = weight_of(at, missing * all + node.present[d]);
        asked.assign(n_bins, 0);
        u32 before = kNone;  // the last bin that has rows
        for (u32 bin = 0; bin < n_bins; ++bin) {
            const u64 cell = layout_.begin[column] + bin;
            const u32 here = rows_in(at, cell);
            if (here == 0) continue;
            for (std::size_t d = 0; d < k; ++d) high[d] = low[d] + weight_of(at, cell * all + node.present[d]);
            if (before != kNone && !line_of(at, column) &&
                (at.unsure || best.holds(0, static_cast<u32>(layout_.begin[column] + before))))
                for (u32 beside : {before, bin})
                    if (!layout_.single(column, beside) && asked[beside] == 0) asked[beside] = 1;
            const u64 least = problem_.limits.min_rows;
            const bool room = u64{rows} + here - 1 + n_missing >= least && u64{node.n_rows} - rows - 1 >= least;
            if (here > 1 && room && !layout_.single(column, bin)) {
                auto inside = [&](double more) {
                    return bounds ? bounds->most(low.data(), high.data(), node.present_weights.data(), u32(k))
                                  : most_inside(at, low[0], sum + more, cell);
                };
                double most = inside(0);
                if (n_missing > 0) {
                    for (std::size_t d = 0; d < k; ++d) low[d] += gone[d], high[d] += gone[d];
                    most = std::max(most, inside(sum_of(at, missing * all)));
                    for (std::size_t d = 0; d < k; ++d) high[d] -= gone[d];
                }
                if (!(most < floor)) asked[bin] = 2;
            }
            sum += sum_of(at, cell);
            rows += here;
            before = bin;
            low = high;
        }
        for (u32 bin = 0; bin < n_bins; ++bin)
            if (asked[bin]) {
                const u32 sent = asked[bin] == 2 ? rows_in(at, layout_.begin[column] + bin) : 2;
                to.push_back({at.id, column, bin, asked[bin] == 2, node.mean, sent});
            }
    }
}

}  // namespace bough
