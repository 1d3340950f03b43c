#include "data/moments.hpp"

#include <algorithm>
#include <cmath>

#include "base/slack.hpp"
#include "data/column_sums.hpp"
#include "data/target.hpp"

namespace bough {

namespace {

// Calls visit(row, values) with the numeric columns of every row, or of every step-th one, side by side.
template <class Visit>
void each_row(const Table& table, u32 step, Visit visit) {
    const u32 d = table.n_columns(), n = table.n_rows / step;
    if (const double* matrix = first_row(table.columns)) {
        const i64 apart = table.columns[0].stride * step;
        for (u32 row = 0; row < n; ++row) visit(row * step, matrix + row * apart);
        return;
    }
    constexpr u32 kRows = 64;
    std::vector<double> block(std::size_t{kRows} * d, 0.0);
    for (u32 begin = 0; begin < n; begin += std::min(kRows, n - begin)) {
        const u32 size = std::min(kRows, n - begin);
        for (u32 c = 0; c < d; ++c)
            if (table.columns[c].kind == ColumnKind::numeric)
                for (u32 i = 0; i < size; ++i)
                    block[std::size_t{i} * d + c] = table.columns[c].value((begin + i) * step);
        for (u32 i = 0; i < size; ++i) visit((begin + i) * step, block.data() + std::size_t{i} * d);
    }
}

}  // namespace

void ColumnSums::add(const Table& table, const Target& target) {
    const u32 d = table.n_columns();
    each_row(table, 1,
             [&, o = origin.data(), s = sum.data(), q = squares.data(), w = weight.data(), a = most.data()](
                 u32 row, const double* x) {
                 const double wi = target.weight(row);
                 total += wi;
                 for (u32 c = 0; c < d; ++c) {
                     const double step = x[c] - o[c], known = step == step ? step : 0.0, far = std::fabs(known);
                     s[c] += wi * known;
                     q[c] += wi * known * known;
                     w[c] += step == step ? wi : 0.0;
                     a[c] = far > a[c] ? far : a[c];
                 }
             });
}

namespace {

Moments nothing_of(u32 d) {
    return {std::vector<double>(d, 0.0), std::vector<double>(d, 1.0), std::vector<double>(d, 0.0),
            std::vector<double>(d, 0.0)};
}

// Mean and spread of a column.
void put(u32 c, double origin, double shift, double spread, double most, Moments& m) {
    constexpr double kOffset = 64;  // means up to this many spreads cost six bits of fifty-three
    m.means[c] = origin + shift;
    if (spread > kSpread * most && std::isfinite(spread)) {
        m.spreads[c] = spread;
        m.centered |= std::fabs(m.means[c]) > kOffset * spread;
    }
    if (!std::isfinite(m.means[c])) m.means[c] = 0;
    m.magnitudes[c] = most + std::fabs(origin - m.means[c]);
}

void put(u32 c, const ColumnSums& s, Moments& m) {
    const double shift = s.sum[c] / s.weight[c];
    put(c, s.origin[c], shift, std::sqrt(std::max(0.0, s.squares[c] / s.weight[c] - shift * shift)), s.most[c], m);
}

void center(Moments& m) {
    if (m.centered)
        m.centers = m.means;
    else
        for (std::size_t c = 0; c < m.means.size(); ++c) m.magnitudes[c] += std::fabs(m.means[c]);
}

}  // namespace

Moments ColumnSums::moments() const {
    Moments m = nothing_of(static_cast<u32>(origin.size()));
    for (u32 c = 0; c < origin.size(); ++c) {
        m.centered |= weight[c] != total;
        if (weight[c] > 0) put(c, *this, m);
    }
    center(m);
    return m;
}

Moments moments_of(const Table& table, const Target& target) {
    constexpr u32 kSample = 256;
    const u32 d = table.n_columns(), n = table.n_rows;
    Moments m = nothing_of(d);
    // About the mean of a few rows, so that one pass loses no digits.
    ColumnSums sums(std::vector<double>(d, 0.0));
    for (u32 c = 0; c < d; ++c) {
        if (table.columns[c].kind != ColumnKind::numeric) continue;
        double first = kNaN, shift = 0;
        u32 known = 0;
        for (u32 i = 0; i < std::min(n, kSample); ++i) {
            const double x = table.columns[c].value(n <= kSample ? i : static_cast<u32>(u64{i} * n / kSample));
            if (is_missing(x)) continue;
            if (known++ == 0) first = x;
            shift += x - first;
        }
        if (known > 0) sums.origin[c] = first + shift / known;
        if (!std::isfinite(sums.origin[c])) sums.origin[c] = 0;
    }
    sums.add(table, target);
    for (u32 c = 0; c < d; ++c) {
        if (table.columns[c].kind != ColumnKind::numeric) continue;
        m.centered |= sums.weight[c] != sums.total;  // a missing number is to be at its column's mean
        if (!(sums.weight[c] > 0)) continue;
        const int exponent = wild_exponent({&sums.most[c], 1});
        if (exponent == 0) {
            put(c, sums, m);
            continue;
        }
        double scaled = 0, square = 0;  // its squares are no numbers
        for (u32 row = 0; row < n; ++row) {
            const double x = table.columns[c].value(row), wi = target.weight(row);
            const double step = is_missing(x) ? 0.0 : std::ldexp(x - sums.origin[c], -exponent);
            scaled += wi * step;
            square += wi * step * step;
        }
        scaled /= sums.weight[c];
        const double spread = std::sqrt(std::max(0.0, square / sums.weight[c] - scaled * scaled));
        put(c, sums.origin[c], std::ldexp(scaled, exponent), std::ldexp(spread, exponent), sums.most[c], m);
    }
    center(m);
    return m;
}

std::vector<double> rough_spreads(const Table& table) {
    constexpr u32 kEnough = 1000;  // rows tell the size of a spread; all of them would cost a Max-Cut tree a third more
    const u32 d = table.n_columns();
    std::vector<double> mean(d, 0.0), sum(d, 0.0), known(d, 0.0);
    each_row(table, std::max<u32>(1, table.n_rows / kEnough), [&](u32, const double* x) {
        for (u32 c = 0; c < d; ++c) {
            if (is_missing(x[c])) continue;
            const double off = x[c] - mean[c];
            mean[c] += off / ++known[c];
            sum[c] += off * (x[c] - mean[c]);
        }
    });
    for (u32 c = 0; c < d; ++c) sum[c] = known[c] > 0 ? std::sqrt(sum[c] / known[c]) : 0.0;
    return sum;
}

}  // namespace bough
