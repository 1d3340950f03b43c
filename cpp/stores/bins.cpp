#include "stores/bins.hpp"

#include <algorithm>

#include "base/memory.hpp"
#include "base/rng.hpp"
#include "base/threshold.hpp"

namespace bough {

namespace {

constexpr u32 kMostSorted = 200'000;  // numbers of a column from which its bins are made
constexpr u32 kPiece = 1u << 14;      // rows between two looks at the clock
constexpr u32 kShareRows = 1u << 15;  // of a node that is worth waking helpers
constexpr u32 kAhead = 12;            // rows that are fetched before they are read

// The integer that stands for a number, with so many of them to add up.
double scale_for(double sum, int bits) {
    int exponent = 0;
    std::frexp(sum, &exponent);
    return sum > 0 ? std::ldexp(1.0, std::clamp(bits - exponent, -1000, 1000)) : 1.0;
}

}  // namespace

BinnedTable::BinnedTable(const Table& table, u32 most, Team& team, Budget& budget)
    : n_rows_(table.n_rows), bins_(table.n_columns()) {
    const std::size_t d = bins_.size();
    by_row_ = RawBuffer<u8>(d * n_rows_);
    by_column_ = RawBuffer<u8>(d * n_rows_);
    team.each(d, [&](std::size_t c, int) {
        const Column& x = table.columns[c];
        std::vector<double> some;
        Rng rng = Rng::at(0x62696e73, c);
        const u32 wanted = std::min(n_rows_, kMostSorted);
        for (u32 i = 0; i < wanted; ++i) {  // one of each of as many pieces of the table
            const u64 begin = u64{n_rows_} * i / wanted, end = u64{n_rows_} * (i + 1) / wanted;
            const double v = x.value(begin + (end - begin > 1 ? rng.below(static_cast<u32>(end - begin)) : 0));
            if (!is_missing(v)) some.push_back(v == 0 ? 0.0 : v);
        }
        std::sort(some.begin(), some.end());
        budget.poll();
        Bins& bins = bins_[c];
        make_bins(bins, some, most);
        u8* to = by_column_.data() + c * n_rows_;
        const u32 missing = bins.n(), last = missing > 0 ? missing - 1 : 0;
        for (u32 row = 0; row < n_rows_; ++row) {
            if (row % kPiece == 0) budget.poll();
            const double v = x.value(row);
            if (is_missing(v)) {
                to[row] = static_cast<u8>(missing);
                continue;
            }
            const double* at = bins.low.data();  // the last bin that begins at or below it
            for (u32 n = missing; n > 1;) {
                const u32 half = n / 2;
                at += at[half] <= v ? half : 0;
                n -= half;
            }
            to[row] = static_cast<u8>(std::min(static_cast<u32>(at - bins.low.data()), last));
        }
        if (wanted < n_rows_)  // bins reach to the numbers that were not looked at
            for (u32 row = 0; row < n_rows_; ++row) {
                if (to[row] == missing) continue;
                const double v = x.value(row);
                bins.low[to[row]] = std::min(bins.low[to[row]], v);
                bins.high[to[row]] = std::max(bins.high[to[row]], v);
            }
    });
    for (Bins& bins : bins_) {
        bins.first = n_cells_;
        n_cells_ += bins.n() + 1;
    }
    for (u32 row = 0; row < n_rows_; ++row) {
        if (row % kPiece == 0) budget.poll();
        for (std::size_t c = 0; c < d; ++c) by_row_[row * d + c] = by_column_[c * n_rows_ + row];
    }
}

// Distinct numbers have a bin each if there is room; else bins have about as many rows, and what is frequent one alone.
void BinnedTable::make_bins(Bins& to, std::vector<double>& sorted, u32 most) {
    std::size_t distinct = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) distinct += i == 0 || sorted[i] != sorted[i - 1];
    std::size_t left = sorted.size(), bins_left = most;
    for (std::size_t begin = 0; begin < sorted.size();) {
        const double wanted = distinct <= most ? 1.0 : static_cast<double>(left) / static_cast<double>(bins_left);
        std::size_t end = begin;
        do {
            const std::size_t next = static_cast<std::size_t>(
                std::upper_bound(sorted.begin() + static_cast<std::ptrdiff_t>(end), sorted.end(), sorted[end]) -
                sorted.begin());
            // A bin is full where another number would take it further beyond its share than it is below it now.
            if (end > begin && bins_left > 1 &&
                static_cast<double>(next - begin) - wanted > wanted - static_cast<double>(end - begin))
                break;
            end = next;
        } while (end < sorted.size() && (bins_left == 1 || static_cast<double>(end - begin) < wanted));
        to.low.push_back(sorted[begin]);
        to.high.push_back(sorted[end - 1]);
        left -= end - begin;
        bins_left -= bins_left > 1;
        begin = end;
    }
}

BinStore::BinStore(const Problem& problem, const BinnedTable& table, std::span<const u32> rows)
    : problem_(problem),
      table_(table),
      numbers_(problem.target->numbers.data()),
      weights_(problem.target->weighted() ? problem.target->weights.data() : nullptr) {
    cells_.begin(table.n_cells());
    parts_.resize(static_cast<std::size_t>(problem.team->size()));
    node_.weights.resize(1);
    node_.counts.resize(1);
    take_rows(rows);
}

void BinStore::take_rows(std::span<const u32> rows) {
    const u32 n = rows.empty() ? table_.n_rows() : static_cast<u32>(rows.size());
    rows_ = RawBuffer<u32>(n);
    spare_ = RawBuffer<u32>(n);
    images_ = RawBuffer<Cell>(table_.n_rows());
    while (u64{1} << count_bits_ <= n) ++count_bits_;
    double sizes = 0, weight = 0;
    for (u32 i = 0; i < n; ++i) {
        const u32 row = rows_[i] = rows.empty() ? i : rows[i];
        const double w = weights_ ? weights_[row] : 1.0;
        sizes += std::fabs(w * numbers_[row]);
        weight += w;
    }
    const double by_sum = scale_for(sizes, 61), by_weight = scale_for(weight, 61 - count_bits_);
    sum_unit_ = 1 / by_sum;
    weight_unit_ = 1 / by_weight;
    for (u32 i = 0; i < n; ++i) {
        const u32 row = rows_[i];
        const double w = weights_ ? weights_[row] : 1.0;
        images_[row] = {static_cast<i64>(w * numbers_[row] * by_sum),
                        static_cast<i64>(static_cast<u64>(static_cast<i64>(w * by_weight)) << count_bits_) + 1};
    }
}

BinStore::Handle BinStore::root(u32 depth, u64 path) {
    Handle at{0, static_cast<u32>(rows_.size()), depth, kNone, true, path, 0, 0, 0};
    measure(at);
    return at;
}

// What the rows of a node weigh, and their mean, in their order.
void BinStore::measure(Handle& at) const {
    const u32* rows = rows_.data() + at.begin;
    double weight = 0, sum = 0, squares = 0;
    for (u32 i = 0; i < at.n_rows; ++i) {
        const double y = numbers_[rows[i]], w = weights_ ? weights_[rows[i]] : 1.0;
        weight += w;
        sum += w * y;
        squares += w * y * y;
    }
    at.total = weight;
    at.mean = sum / weight;
    at.spread = std::max(0.0, squares - sum * at.mean);
}

const Node& BinStore::enter(Handle& at) {
    node_.n_rows = at.n_rows;
    node_.depth = at.depth;
    node_.path = at.path;
    node_.total = node_.weights[0] = at.total;
    node_.counts[0] = at.n_rows;
    node_.mean = node_.value = at.mean;
    node_.spread = node_.loss = at.spread;
    node_.pure = at.spread <= 0;
    if (at.open) list_present(node_, *problem_.target);
    return node_;
}

// The histogram of some rows.
void BinStore::fill(Cell* to, u32 begin, u32 n) {
    const std::size_t d = table_.n_columns();
    std::vector<u32> first(d);
    for (std::size_t c = 0; c < d; ++c) first[c] = table_.bins(static_cast<u32>(c)).first;
    auto add = [&](Cell* cells, u32 from, u32 end) {
        const u32* rows = rows_.data() + begin;
        for (u32 i = from; i < end; ++i) {
            if (i % kPiece == 0) problem_.budget->poll();
            if (i + kAhead < end) {
                fetch_soon(table_.row(rows[i + kAhead]));
                fetch_soon(images_.data() + rows[i + kAhead]);
            }
            const Cell image = images_[rows[i]];
            const u8* codes = table_.row(rows[i]);
            for (std::size_t c = 0; c < d; ++c) cells[first[c] + codes[c]] += image;
        }
    };
    const std::size_t size = table_.n_cells(), helpers = parts_.size();
    std::fill_n(to, size, Cell{0, 0});
    if (helpers == 1 || n < kShareRows) return add(to, 0, n);
    problem_.team->each(helpers, [&](std::size_t h, int) {
        parts_[h].grow_to(size);
        std::fill_n(parts_[h].data(), size, Cell{0, 0});
        add(parts_[h].data(), static_cast<u32>(u64{n} * h / helpers), static_cast<u32>(u64{n} * (h + 1) / helpers));
    });
    for (auto& part : parts_)
        for (std::size_t i = 0; i < size; ++i) to[i] += part[i];
}

bool BinStore::search(Handle& at, std::span<const u32> columns, bool, Pace& pace, Best& best) {
    if (at.slot == kNone) {
        at.slot = cells_.take();
        fill(cells_.at(at.slot), at.begin, at.n_rows);
    }
    for (u32 i = 0; i < (columns.empty() ? table_.n_columns() : columns.size()); ++i) {
        const u32 column = columns.empty() ? i : columns[i];
        pace.read(table_.bins(column).n());
        search_column(at, column, best);
    }
    return true;
}

// Cuts behind every bin that has rows, rows without a value to the right, and to the left if there are any.
void BinStore::search_column(const Handle& at, u32 column, Best& best) {
    const BinnedTable::Bins& bins = table_.bins(column);
    const Cell* cells = cells_.at(at.slot) + bins.first;
    const u32 n = bins.n(), least_rows = std::max(1u, problem_.limits.min_rows);
    const Cell starts[2] = {{0, 0}, cells[n]};  // rows without a value go right, go left
    const u32 sides = cells[n].weight != 0 ? 2 : 1;
    const Cell known = added_up(cells, n, {0, 0});
    const Sums all = sums_of(added_up(cells, n + 1, {0, 0}));
    const double mean = all.sum / all.weight;
    gains_.resize(2 * (std::size_t{n} + 1));
    const Standing standing = best.standing(column);
    double top = -kInf;
    for (u32 side = 0; side < sides; ++side) {
        Cell left = starts[side];
        u32 rest = static_cast<u32>(known.weight & ((i64{1} << count_bits_) - 1));
        for (u32 b = 0; b < n; ++b) {
            double& gain = gains_[side * n + b];
            gain = -kInf;
            if (cells[b].weight == 0) continue;
            left += cells[b];
            rest -= sums_of(cells[b]).rows;
            if (rest == 0 && (side == 1 || sides == 1)) continue;  // nothing is on the right
            const Sums l = sums_of(left);
            const double right = all.weight - l.weight;
            if (l.rows < least_rows || all.rows - l.rows < least_rows) continue;
            if (l.weight < problem_.limits.min_weight || right < problem_.limits.min_weight) continue;
            if (!(l.weight > 0) || !(right > 0)) continue;
            const double x = l.sum - l.weight * mean;
            if (!standing.keeps(l.sum / l.weight, (all.sum - l.sum) / right)) continue;
            gain = x * x / (l.weight * right);
            top = std::max(top, gain);
        }
    }
    const double from = std::max(best.floor(standing) - kLastSteps * best.scale(), top - kTie * best.scale());
    if (!(top >= from && top > -kInf)) return;
    for (u32 i = 0; i < sides * n; ++i) {
        if (gains_[i] < from) continue;
        const u32 side = i / n, b = i % n;
        const Sums l = sums_of(added_up(cells, b + 1, starts[side]));
        Candidate c;
        c.gain = gains_[i];
        c.balance = std::min(l.weight, all.weight - l.weight);
        c.key = {column, 0, u64{b} * 2 + 1 - side};
        c.payload.a = b;
        c.payload.b = side;
        c.sides.left = {l.weight, l.sum / l.weight};
        c.sides.right = {all.weight - l.weight, (all.sum - l.sum) / (all.weight - l.weight)};
        best.offer(c);
    }
}

void BinStore::resolve(Handle& at, Decision& d) {
    const u32 column = d.candidate.key.column, b = d.candidate.payload.a, side = d.candidate.payload.b;
    const BinnedTable::Bins& bins = table_.bins(column);
    const Cell* cells = cells_.at(at.slot) + bins.first;
    const Cell missing = cells[bins.n()], left = added_up(cells, b + 1, side ? missing : Cell{0, 0});
    u32 next = b + 1;  // the first bin on the right that has rows
    while (next < bins.n() && cells[next].weight == 0) ++next;
    d.split = {};
    d.split.kind = NodeKind::axis;
    d.split.column = column;
    d.split.cut = next == bins.n() ? kInf : between(bins.high[b], bins.low[next]);
    d.split.saw_missing = missing.weight != 0;
    const Sums sides[2] = {sums_of(left), sums_of(added_up(cells, bins.n() + 1, {0, 0}) - left)};
    d.split.missing_left = d.split.saw_missing ? side != 0 : left_is_heavier(sides[0].weight, sides[1].weight);
    d.children.resize(2);
    // Rows are measured once they have been divided; until then the spread left over is shared out by weight.
    const double rest = std::max(0.0, at.spread - static_cast<double>(d.candidate.gain) * at.total);
    for (u32 c : {0u, 1u}) {
        Node& child = d.children[c];
        child.n_rows = sides[c].rows;
        child.total = sides[c].weight;
        child.mean = child.value = sides[c].sum / sides[c].weight;
        child.spread = child.loss = rest * sides[c].weight / (sides[0].weight + sides[1].weight);
        child.pure = child.spread <= 0;
        child.depth = at.depth + 1;
        child.path = child_path(at.path, c);
        child.weights.assign(1, child.total);
        child.counts.assign(1, child.n_rows);
    }
}

void BinStore::divide(Handle& at, Decision& d, std::vector<Handle>& children) {
    const u8* codes = table_.column(d.split.column);
    const u32 b = d.candidate.payload.a;
    u8 left[256] = {};
    for (u32 j = 0; j <= b; ++j) left[j] = 1;
    left[table_.bins(d.split.column).n()] = d.split.saw_missing && d.split.missing_left;
    u32 *rows = rows_.data() + at.begin, *other = spare_.data(), n_left = 0, n_right = 0;
    for (u32 i = 0; i < at.n_rows; ++i) {
        if (i % kPiece == 0) problem_.budget->poll();
        const u32 row = rows[i], side = left[codes[row]];
        rows[n_left] = row;
        other[n_right] = row;
        n_left += side;
        n_right += 1 - side;
    }
    std::copy_n(other, n_right, rows + n_left);
    const u32 begins[2] = {at.begin, at.begin + n_left}, sizes[2] = {n_left, n_right};
    children.resize(2);
    for (u32 c : {0u, 1u}) {
        const Node& child = d.children[c];
        children[c] = {begins[c], sizes[c], child.depth, kNone, d.open[c] != 0, child.path, 0, 0, 0};
        measure(children[c]);
    }
    const u32 less = n_left <= n_right ? 0 : 1, more = 1 - less;
    if (!children[more].open) return close(at);
    children[less].slot = cells_.take();
    children[more].slot = at.slot;
    Cell* small = cells_.at(children[less].slot);
    fill(small, children[less].begin, children[less].n_rows);
    Cell* large = cells_.at(at.slot);
    for (u32 i = 0; i < table_.n_cells(); ++i) large[i] = large[i] - small[i];
    at.slot = kNone;
    if (!children[less].open) close(children[less]);
}

}  // namespace bough
