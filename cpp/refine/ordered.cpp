#include "refine/ordered.hpp"

#include <numeric>
#include <stdexcept>

#include "data/column_order.hpp"

namespace bough {

namespace {

constexpr u32 kFrequent = 8;  // a run of this part of the rows is left out of sums

// Numbers of a row side by side would be fetched one cache line each.
void order_numbers(const Column& column, u32 n, OrderedColumn& to, Budget& budget) {
    if (column.stride == 1) {
        to.x = column.values;
    } else {
        to.own.resize(n);
        for (u32 row = 0; row < n; ++row) to.own[row] = column.value(row);
        to.x = to.own.data();
    }
    ColumnOrder order;
    order.sort({to.x, n}, budget);
    to.entries.resize(order.size());
    for (u32 i = 0; i < order.size(); ++i)
        to.entries[i] = order.row(i) << 1 | (i + 1 == order.size() || order.number(i) != order.number(i + 1));
    for (u32 row = 0; row < n && order.size() < n; ++row)
        if (is_missing(to.x[row])) to.missing.push_back(row);
}

void order_codes(const Column& column, u32 n, OrderedColumn& to) {
    to.codes = column.codes;
    std::vector<u32> begin(column.n_values + 1, 0);
    for (u32 row = 0; row < n; ++row) ++begin[static_cast<u32>(column.codes[row]) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    to.entries.resize(n);
    for (u32 row = 0; row < n; ++row) to.entries[begin[static_cast<u32>(column.codes[row])]++] = row << 1;
    for (u32 end : begin)  // now that of each value
        if (end > 0) to.entries[end - 1] |= 1;
}

}  // namespace

std::vector<OrderedColumn> ordered_columns(const Table& table, Team& team, Budget& budget) {
    if (table.n_rows > kNone / 2)
        throw std::invalid_argument("refinement takes at most 2147483647 rows; these are " +
                                    std::to_string(table.n_rows) + ". Fit a sample of them.");
    std::vector<OrderedColumn> found(table.n_columns());
    team.each(found.size(), [&](std::size_t c, int) {
        OrderedColumn& to = found[c];
        if (table.columns[c].kind == ColumnKind::numeric)
            order_numbers(table.columns[c], table.n_rows, to, budget);
        else
            order_codes(table.columns[c], table.n_rows, to);
        for (u32 i = 0, begin = 0, value = 0; i < to.n(); ++i) {
            if (!(to.entries[i] & 1)) continue;
            if (to.codes) to.values.push_back(static_cast<u32>(to.codes[to.row(i)]));
            if (i + 1 - begin > to.skip_end - to.skip_begin)
                to.skip_begin = begin, to.skip_end = i + 1, to.skipped = value;
            begin = i + 1;
            ++value;
        }
        if ((to.skip_end - to.skip_begin) * u64{kFrequent} < table.n_rows)
            to.skip_begin = to.skip_end = to.n(), to.skipped = kNone;
        else if (to.x)
            to.each_other([&](u32 row, u32) { to.others.push_back(to.x[row]); });
    });
    return found;
}

}  // namespace bough
