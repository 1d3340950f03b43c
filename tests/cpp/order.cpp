// Thresholds, the order of a column's rows, and ranks: each beside the plain way.
#include "base/order.hpp"

#include <doctest/doctest.h>

#include "base/threshold.hpp"
#include "data/ranks.hpp"
#include "random.hpp"

using namespace bough;

TEST_CASE("a threshold lies between two values and separates them, however close they are") {
    const double tiny = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
    const double next = std::nextafter(1.0, 2.0);
    const double pairs[][2] = {{0, 1}, {1, next}, {-tiny, 0}, {0, tiny}, {-most, most}, {-1, -0.5}, {most / 2, most}};
    for (const auto& [low, high] : pairs) {
        CHECK(between(low, high) >= low);
        CHECK(between(low, high) < high);
        CHECK(cut_between(low, high, true) >= low);
        CHECK(cut_between(low, high, true) <= between(low, high));
    }
    CHECK(between(1, 2) == 1.5);
    CHECK(between(1, next) == 1.0);
}

TEST_CASE("rows are sorted by value, then by number, and those without a value are left out") {
    Budget budget;
    OrderScratch scratch;
    for (u64 seed = 0; seed < 60; ++seed) {
        Dice dice(seed);
        const u32 n = 1 + dice.below(3000), kinds = 1 + dice.below(seed % 2 ? 4 : 100000);
        std::vector<double> v(n);
        for (double& x : v) {
            x = (dice.below(kinds) - kinds / 2.0) / 3;
            if (seed % 3 == 0 && dice.below(5) == 0) x = std::numeric_limits<double>::quiet_NaN();
        }
        std::vector<u32> rows;
        double low = kInf, high = -kInf;
        for (u32 row = 0; row < n; ++row)
            if (!std::isnan(v[row])) rows.push_back(row), low = std::min(low, v[row]), high = std::max(high, v[row]);
        if (rows.empty()) continue;
        std::stable_sort(rows.begin(), rows.end(), [&](u32 a, u32 b) { return v[a] < v[b]; });
        u32 m = 0;
        const u64* words = order_rows(v.data(), n, low, high, scratch, budget, m);
        REQUIRE(m == rows.size());
        for (u32 i = 0; i < m; ++i) REQUIRE(static_cast<u32>(words[i]) == rows[i]);
    }
}

TEST_CASE("the rank of a number is its place among the distinct ones, by column and by row") {
    Budget budget;
    Team team(1, budget);
    Dice dice(7);
    const u32 n = 700, kinds[] = {1, 2, 3, 300, 100000};
    std::vector<std::vector<double>> numbers;
    Table table;
    table.n_rows = n;
    for (u32 k : kinds) {
        std::vector<double>& column = numbers.emplace_back(n);
        for (double& x : column) x = dice.below(k) * 0.25 - 3;
    }
    for (const auto& column : numbers) table.columns.push_back({ColumnKind::numeric, column.data()});
    const Ranks ranks(table, team, budget);
    CHECK(ranks.complete());
    for (u32 c = 0; c < table.n_columns(); ++c) {
        std::vector<double> values = numbers[c];
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        CHECK(ranks.values(c) == values);
        for (bool by_row : {false, true})
            ranks.read(c, by_row, [&](auto rank_of) {
                for (u32 row = 0; row < n; ++row) REQUIRE(values[rank_of(row)] == numbers[c][row]);
            });
        const u32 last = static_cast<u32>(values.size());
        for (double x : values) REQUIRE(values[ranks.rank_at_most(c, x, ranks.cell(c, x, 0, last))] == x);
    }
}

TEST_CASE("a table with a missing number has no ranks") {
    Budget budget;
    Team team(1, budget);
    const std::vector<double> column = {1, std::numeric_limits<double>::quiet_NaN(), 2};
    Table table;
    table.n_rows = 3;
    table.columns.push_back({ColumnKind::numeric, column.data()});
    CHECK_FALSE(Ranks(table, team, budget).complete());
}
