// The search for the split of a node of which counts are known.
#include "base/threshold.hpp"
#include "distributed/driver.hpp"

namespace bough {

// The tables of the nominal columns at a node.
std::vector<Contingency> Driver::tables_of(const Open& open) const {
    std::vector<Contingency> tables(layout_.n_columns());
    const std::size_t k = layout_.n_classes;
    const auto& present = open.node.present;
    for (u32 column = 0; column < layout_.n_columns(); ++column) {
        if (layout_.numeric(column)) continue;
        Contingency& t = tables[column];
        t.classes = present;
        t.n_classes = static_cast<u32>(present.size());
        for (u32 v = 0; v < layout_.n_values[column]; ++v) {
            const std::size_t at = (layout_.begin[column] + v) * k;
            const u32 rows = rows_in(open, layout_.begin[column] + v);
            if (rows == 0) continue;
            t.codes.push_back(v);
            t.rows.push_back(rows);
            t.n_rows += rows;
            for (u32 c : present) t.w.push_back(weight_of(*open.counts, at + c));
            if (layout_.regression) t.z.push_back(sum_of(*open.counts, at));
        }
        t.n_values = static_cast<u32>(t.codes.size());
        t.finish(weighted());
        t.origin = open.node.mean;
    }
    return tables;
}

// As the common loop searches a node of which every column may be looked at. What is left for the case that nothing
// can be split is tried last, when all cuts are known. Selectors that ask how much the rows of a node know, (Σw)²/Σw²,
// are shown a single row, the square of whose weight is Σw².
void Driver::search(Open& open, bool last, Best& best) {
    Node& node = open.node;
    const u32 shown = static_cast<u32>(start_.some.size());
    if (weighted()) shown_.back() = std::sqrt(open.counts->sums.back());
    const std::vector<Contingency> tables = tables_of(open);
    for (u32 c = 0; c < layout_.n_columns(); ++c)
        if (!layout_.numeric(c)) table_.columns[c].counted = &tables[c];
    auto ask = [&](std::span<const u8> allowed, Best& to) {
        node.allowed = allowed;
        for (u32 c = 0; c < layout_.n_columns(); ++c) {
            // Directions are over all columns of numbers.
            if (has_cuts(open, c) && node.allows(line_of(open, c) ? numeric_[0] : c)) offer_numbers(open, c, to);
            // Two rows part in one way: the first column, as `axis` does it.
            if (node.n_rows == 2 && !to.empty() && !directed() && tie_places_.empty()) break;
        }
        if (nominal_) nominal_->propose(node, nullptr, *worker_, to);
        node.allowed = {};
    };
    Selection selection;
    auto propose = [&](Best& to) {
        selection.next.clear();
        if (weighted()) node.rows = {&shown, 1};
        const bool any = selector_->passive() || selector_->select(node, *worker_, selection);
        node.rows = {};
        if (!any) return false;
        ask(selection.allowed, to);
        for (std::size_t i = 0; last && i < selection.next.size() && to.empty(); ++i) {
            std::fill(selection.allowed.begin(), selection.allowed.end(), 0);
            for (u32 c : selection.next[i]) selection.allowed[c] = 1;
            ask(selection.allowed, to);
        }
        return true;
    };
    const u32 d = layout_.n_columns(), most = plan_.stop.max_features;
    if (most == 0 || most >= d) {
        if (!selector_->passive()) selection.allowed.assign(d, 1);
        propose(best);
        open.log_p = std::move(selection.log_p);
        return;
    }
    open.drawn.assign(d, 0);
    worker_->columns.each_group(
        d, plan_.stop, plan_.seed, node.path, best, [&](std::span<const u32> columns, Best& to) {
            selection.allowed.assign(d, 0);
            for (u32 c : columns) selection.allowed[c] = open.drawn[c] = 1;
            const bool any = propose(to);
            open.log_p = selection.log_p;
            if (!any) return false;
            // More are drawn where none of these can be split, which is not known yet.
            open.unsure = !last && to.empty() &&
                          std::any_of(columns.begin(), columns.end(), [&](u32 c) { return may_be_cut(open, c); });
            return !open.unsure;
        });
}

// Could a column be split though no split of it is known? A cut may be inside a bin.
bool Driver::may_be_cut(const Open& open, u32 column) const {
    if (!layout_.numeric(column)) return !selector_->passive();  // it may be held back until nothing else is left
    for (u32 bin = 0; bin < layout_.n_bins(column); ++bin)
        if (rows_in(open, layout_.begin[column] + bin) > 1 && !layout_.single(column, bin)) return true;
    return false;
}

void Driver::add_cell(const Open& open, u64 cell, Left& to) const {
    const std::size_t k = layout_.n_classes;
    for (u32 c : open.node.present) {
        to.rows[c] += open.counts->rows[cell * k + c];
        to.weights[c] += weight_of(*open.counts, cell * k + c);
        to.n += open.counts->rows[cell * k + c];
        to.sum += sum_of(*open.counts, cell * k + c);
    }
}

// Calls cut(left, cell, inside) for every cut whose counts are known, ascending: behind the last number of a bin
// (inside: 0), or behind number inside − 1 of the column. Rows without a number are on the right.
template <class Cut>
void Driver::each_cut(const Open& open, u32 column, Cut cut) const {
    const std::size_t k = layout_.n_classes;
    static const Numbers kNothing;
    const Numbers& numbers = open.numbers.empty() ? kNothing : open.numbers[column];
    const std::span<const u32> looked = open.looked.empty() ? std::span<const u32>() : open.looked[column];
    const auto& edges = edges_of(open, column);
    Left left{std::vector<u32>(k, 0), std::vector<double>(k, 0.0)}, inner = left, missing = left;
    add_cell(open, layout_.missing(column), missing);
    const u32 known = open.node.n_rows - missing.n;
    std::size_t next = 0, at = 0;
    for (u32 bin = 0; bin < layout_.n_bins(column) && left.n < known; ++bin) {
        const u64 cell = layout_.begin[column] + bin;
        const u32 before = left.n;
        const bool inside = next < looked.size() && looked[next] == bin;
        if (inside) {
            ++next;
            inner = left;
            while (bin > 0 && at < numbers.x.size() && numbers.x[at] <= edges[bin - 1]) ++at;
            for (; at + 1 < numbers.x.size() && (bin == edges.size() || numbers.x[at + 1] <= edges[bin]); ++at) {
                for (u32 c : open.node.present) {
                    inner.rows[c] += numbers.rows[at * k + c];
                    inner.n += numbers.rows[at * k + c];
                    inner.weights[c] +=
                        numbers.weights.empty() ? numbers.rows[at * k + c] : numbers.weights[at * k + c];
                }
                if (layout_.regression) inner.sum += numbers.sums[at];
                cut(inner, cell, static_cast<u32>(at) + 1);
            }
        }
        add_cell(open, cell, left);
        if (left.n > before && left.n < known && may_part_behind(open, column, bin)) cut(left, cell, 0u);
    }
}

// Is there room for a cut behind the numbers of a bin? Along a direction, positions on both sides of it may be one.
bool Driver::may_part_behind(const Open& open, u32 column, u32 bin) const {
    const Line* line = line_of(open, column);
    if (!line) return true;
    return end_of(open, column, next_bin(open, column, bin), false) - end_of(open, column, bin, true) > line->blur;
}

// The cuts inside bins that were looked into.
void Driver::offer_inside(const Open& open, Best& best) const {
    for (u32 column = 0; column < layout_.n_columns(); ++column)
        if (!open.looked[column].empty())
            each_cut(open, column, [&](const Left& left, u64 cell, u32 inside) {
                if (inside > 0) offer_cut(open, column, left, cell, inside, best);
            });
}

void Driver::offer_numbers(const Open& open, u32 column, Best& best) const {
    each_cut(open, column,
             [&](const Left& left, u64 cell, u32 inside) { offer_cut(open, column, left, cell, inside, best); });
    Left rest{std::vector<u32>(layout_.n_classes, 0), std::vector<double>(layout_.n_classes, 0.0)};
    add_cell(open, layout_.missing(column), rest);
    if (rest.n == 0 || rest.n == open.node.n_rows || line_of(open, column)) return;
    Left known = rest;  // rows with a number to the left, the others to the right
    known.n = open.node.n_rows - rest.n;
    for (u32 c : open.node.present) {
        known.rows[c] = static_cast<u32>(open.node.counts[c]) - rest.rows[c];
        known.weights[c] = std::max(0.0, open.node.weights[c] - rest.weights[c]);
    }
    known.sum = -rest.sum;
    offer_cut(open, column, known, kNone, 0, best);
}

// A cut with the rows that lack a number on the right, and on the left if there are any. `cell` is kNone where the cut
// is between those that have a number and those that lack it.
void Driver::offer_cut(const Open& open, u32 column, const Left& left, u64 cell, u32 inside, Best& best) const {
    const Node& node = open.node;
    const std::size_t k = node.present.size(), all = layout_.n_classes;
    const double by_weight = target_.weighted() ? 1.0 : std::ceil(plan_.limits.min_weight);
    const u32 least = std::max({1u, plan_.limits.min_rows, static_cast<u32>(by_weight)});
    const u64 missing = layout_.missing(column) * all;
    const u32 n_missing = rows_in(open, layout_.missing(column));
    std::vector<double>&l = sides_[0], &r = sides_[1];
    l.resize(k);
    r.resize(k);
    for (const bool gone_left : {false, true}) {
        if (gone_left && (n_missing == 0 || cell == kNone)) break;
        const u32 n = left.n + (gone_left ? n_missing : 0);
        if (n < least || node.n_rows - n < least) continue;
        for (std::size_t d = 0; d < k; ++d) {
            const u32 c = node.present[d];
            l[d] = left.weights[c] + (gone_left ? weight_of(*open.counts, missing + c) : 0.0);
            r[d] = std::max(0.0, node.weights[c] - l[d]);
        }
        const double sum = left.sum + (gone_left ? sum_of(*open.counts, missing) : 0.0), rest = -sum;
        const std::size_t sums = layout_.regression ? 1 : 0;
        const Side a(l, {&sum, sums}), b(r, {&rest, sums});
        const double balance = std::min(a.total, b.total);
        if (plan_.limits.min_weight > 0 && balance < plan_.limits.min_weight) continue;
        const Gain gain = scorer_->gain(node.view(a), node.view(b));
        const Line* line = line_of(open, column);
        Key key{line ? line->first : column, line ? line->number : 0, u64{left.n} << 1 | (gone_left ? 0u : 1u)};
        if (cell == kNone) key.direction = key.place = ~u64{0};
        best.offer({gain, balance, key, 0, {.a = static_cast<u32>(cell), .b = inside}});
    }
}

// The largest gain of a cut inside a bin where numbers are predicted: of a side that weighs w and whose distances add
// up to z it is z²/(w·(W − w)), W being the weight of the node, which is convex in both. What is taken of a bin of
// weight b, sum s and sum of squares q adds at most b to w, and to z something between (s ± √(b·q))/2, so that the
// corners of that tell a bound; so does W·gain = z²/w + z²/(W − w) <= what both sides have without the bin, plus q.
double Driver::most_inside(const Open& open, double w, double z, u64 cell) const {
    const double total = open.node.total, bin = weight_of(*open.counts, cell), rest = total - w - bin;
    const double sum = sum_of(*open.counts, cell), square = square_of(*open.counts, cell);
    const double reach = std::sqrt(bin * square);
    if (!target_.leaf.squares()) {  // a deviance: x²/(2·w·mean + x) where x < 0, x²/(2·w·mean) where not, of both sides
        double most = 0;
        for (const double side : {w, w + bin})
            for (const double x : {z + (sum - reach) / 2, z + (sum + reach) / 2}) {
                const double l = 2 * side * open.node.mean + std::min(x, 0.0);
                const double r = 2 * (total - side) * open.node.mean - std::max(x, 0.0);
                if (!(l > 0 && r > 0)) return kInf;
                most = std::max(most, (x * x / l + x * x / r) / total);
            }
        return most;
    }
    auto part = [&](double s, double weight) { return weight > kSum * total ? s * s / weight : 0.0; };
    const double apart = (part(z, w) + part(z + sum, rest) + square) / total;
    if (!(w > kSum * total) || !(rest > kSum * total)) return apart;
    double corner = 0;
    for (const double side : {w, w + bin})
        for (const double x : {z + (sum - reach) / 2, z + (sum + reach) / 2})
            corner = std::max(corner, x * x / (side * (total - side)));
    return std::min(apart, corner);
}

// Bins that could hold a better cut than those that are known, and the ends of bins beside an edge that could win.
void Driver::want(const Open& open, const Best& best, std::vector<WantedBin>& to) const {
    const Node& node = open.node;
    const std::size_t k = node.present.size(), all = layout_.n_classes;
    const Bounds* bounds = scorer_->bounds();
    if (!bounds && !layout_.regression) return;  // no column of numbers
    const Traits& traits = scorer_->traits();
    const double slack = (traits.ratio ? kRatioRunning : kRunning) * best.scale() + (bounds ? kEntropyFloor : 0.0);
    const double floor = open.unsure ? -kInf : best.floor() - slack;
    std::vector<double> low(k), high(k), gone(k);
    std::vector<u8> asked;  // of each bin of a column: 2, all its numbers are wanted; 1, its ends
    for (u32 column = 0; column < layout_.n_columns(); ++column) {
        if (!has_cuts(open, column)) continue;
        if (!open.unsure && !open.drawn.empty() && !open.drawn[column]) continue;
        const u32 n_bins = layout_.n_bins(column);
        const u32 n_missing = rows_in(open, layout_.missing(column));
        u32 rows = 0;
        double sum = 0;  // of distances below the bin, where numbers are predicted
        std::fill(low.begin(), low.end(), 0.0);
        for (std::size_t d = 0; d < k; ++d)
            gone[d] = weight_of(*open.counts, layout_.missing(column) * all + node.present[d]);
        asked.assign(n_bins, 0);
        u32 before = kNone;  // the last bin that has rows
        for (u32 bin = 0; bin < n_bins; ++bin) {
            const std::size_t at = (layout_.begin[column] + bin) * all;
            const u32 here = rows_in(open, layout_.begin[column] + bin);
            if (here == 0) continue;
            for (std::size_t d = 0; d < k; ++d) high[d] = low[d] + weight_of(*open.counts, at + node.present[d]);
            if (before != kNone && !line_of(open, column) &&
                (open.unsure || best.holds(0, static_cast<u32>(layout_.begin[column] + before))))
                for (u32 beside : {before, bin})
                    if (!layout_.single(column, beside) && asked[beside] == 0) asked[beside] = 1;
            const u64 least = plan_.limits.min_rows;
            const bool room = u64{rows} + here - 1 + n_missing >= least && u64{node.n_rows} - rows - 1 >= least;
            if (here > 1 && room && !layout_.single(column, bin)) {
                auto inside = [&](double more) {
                    return bounds ? bounds->most(low.data(), high.data(), node.present_weights.data(), u32(k))
                                  : most_inside(open, low[0], sum + more, at);
                };
                double most = inside(0);
                if (n_missing > 0) {
                    for (std::size_t d = 0; d < k; ++d) low[d] += gone[d], high[d] += gone[d];
                    most = std::max(most, inside(sum_of(*open.counts, layout_.missing(column) * all)));
                    for (std::size_t d = 0; d < k; ++d) high[d] -= gone[d];
                }
                if (!(most < floor)) asked[bin] = 2;
            }
            sum += sum_of(*open.counts, at);
            rows += here;
            before = bin;
            low = high;
        }
        for (u32 bin = 0; bin < n_bins; ++bin)
            if (asked[bin]) {
                const u32 sent = asked[bin] == 2 ? rows_in(open, layout_.begin[column] + bin) : 2;
                to.push_back({open.id, column, bin, asked[bin] == 2, node.mean, sent});
            }
    }
}

// The least or the greatest number of a bin at a node.
double Driver::end_of(const Open& open, u32 column, u32 bin, bool greatest) const {
    if (line_of(open, column)) {
        const double* ends =
            open.counts->ends.data() + 2 * (std::size_t{column - layout_.n_table()} * layout_.n_bins(column) + bin);
        return greatest ? ends[1] : -ends[0];
    }
    const auto& edges = layout_.edges[column];
    if (layout_.single(column, bin)) return edges[bin];
    const auto& x = open.numbers[column].x;
    const auto first = bin == 0 ? x.begin() : std::upper_bound(x.begin(), x.end(), edges[bin - 1]);
    const auto last = bin == edges.size() ? x.end() : std::upper_bound(x.begin(), x.end(), edges[bin]);
    if (first == last) throw std::runtime_error("numbers of a bin are not there: rows were lost or changed");
    return greatest ? *(last - 1) : *first;
}

Split Driver::split_of(const Open& open, const Candidate& c) const {
    if (c.family != 0) return *c.payload.split;
    const u32 column = c.payload.a == kNone ? c.key.column : layout_.column_of(c.payload.a);
    const Line* line = line_of(open, column);
    const bool linear = line && line->along.columns.size() > 1;
    Split s;
    s.kind = linear ? NodeKind::linear : NodeKind::axis;
    s.column = linear ? 0 : line ? line->first : column;
    s.saw_missing = rows_in(open, layout_.missing(column)) > 0;
    if (c.payload.a == kNone) {
        s.cut = kInf;
        return s;
    }
    s.missing_left = (c.key.place & 1) == 0;
    double low, high;
    if (c.payload.b > 0) {
        const Numbers& numbers = open.numbers[column];
        low = (line ? numbers.last : numbers.x)[c.payload.b - 1];
        high = numbers.x[c.payload.b];
    } else {
        const u32 bin = static_cast<u32>(c.payload.a - layout_.begin[column]);
        low = end_of(open, column, bin, true);
        high = end_of(open, column, next_bin(open, column, bin), false);
    }
    s.cut = cut_between(low, high, below_);
    if (linear) {
        s.term_columns = line->along.columns;
        s.term_weights = line->along.weights;
    }
    return s;
}

std::vector<Node> Driver::children_of(const Open& open, const Candidate& c, const Split& split) const {
    const Node& node = open.node;
    const std::size_t k = layout_.n_classes;
    const Left nothing{std::vector<u32>(k, 0), std::vector<double>(k, 0.0)};
    std::vector<Left> sums(split.n_children(), nothing);
    if (split.kind == NodeKind::axis || split.kind == NodeKind::linear) {
        const u32 column = c.payload.a == kNone ? split.column : layout_.column_of(c.payload.a);
        if (c.payload.a == kNone) {
            add_cell(open, layout_.missing(column), sums[1]);
        } else {
            each_cut(open, column, [&](const Left& left, u64 cell, u32 inside) {
                if (cell == c.payload.a && inside == c.payload.b) sums[0] = left;
            });
            if (split.saw_missing && split.missing_left) add_cell(open, layout_.missing(column), sums[0]);
        }
        Left& known = sums[c.payload.a == kNone ? 1 : 0];
        Left& rest = sums[c.payload.a == kNone ? 0 : 1];
        rest.n = node.n_rows - known.n;
        for (u32 d : node.present) {
            rest.rows[d] = static_cast<u32>(node.counts[d]) - known.rows[d];
            rest.weights[d] = rest.rows[d] == 0 ? 0.0 : std::max(0.0, node.weights[d] - known.weights[d]);
        }
    } else {
        for (std::size_t v = 0; v < split.values.size(); ++v) {
            const std::size_t to = split.kind == NodeKind::multiway ? v : (split.goes_left[v] ? 0 : 1);
            add_cell(open, layout_.begin[split.column] + split.values[v], sums[to]);
        }
    }
    std::vector<Node> children(sums.size());
    for (u32 i = 0; i < sums.size(); ++i) {
        Node& child = children[i];
        child.depth = node.depth + 1;
        child.path = child_path(node.path, i);
        child.n_rows = sums[i].n;
        child.counts.assign(sums[i].rows.begin(), sums[i].rows.end());
        child.weights = sums[i].weights;
        for (double w : child.weights) child.total += w;
        list_present(child, target_);
    }
    return children;
}

}  // namespace bough
