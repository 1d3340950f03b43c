// The cluster in one process: layouts and messages as bytes, answers that add up, and the tree of one table.
#include <doctest/doctest.h>

#include "distributed/driver.hpp"
#include "distributed/portion.hpp"
#include "distributed/subtrees.hpp"
#include "grow/grow.hpp"
#include "tables.hpp"

using namespace bough;

namespace {

Layout layout_of(const RandomTable& t, const Plan& plan, u32 most_bins) {
    std::vector<std::vector<double>> sorted = t.numbers;
    std::vector<std::span<const double>> numbers;
    for (auto& x : sorted) {
        std::sort(x.begin(), x.end());
        numbers.push_back(x);
    }
    numbers.emplace_back();  // of the nominal column
    return Layout(plan, {0, 0, 0, 4}, numbers, 3, most_bins);
}

TreeParts grown_in_portions(const RandomTable& t, const Plan& plan, const Layout& layout, std::span<const u32> ends,
                            u32 few) {
    Budget budget;
    std::vector<std::unique_ptr<Portion>> portions;
    u32 begin = 0;
    for (u32 end : ends) {
        portions.push_back(std::make_unique<Portion>(t.part(begin, end), layout, budget));
        begin = end;
    }
    double weight = 0;
    for (u32 row = 0; row < begin; ++row) weight += t.data.target.weight(row);
    DriverStart start;
    start.weight = weight;
    start.few = few;
    if (!t.weights.empty()) start.some = {1.0, 3.0};
    Driver driver(layout, plan, start);
    while (auto request = driver.next()) {
        const std::string sent = to_bytes(std::move(*request));
        std::optional<Answer> sum;
        for (auto& portion : portions) {
            Answer own = portion->answer(from_bytes<Request>(sent), nullptr, budget);
            if (sum)
                sum->add(own);
            else
                sum = std::move(own);
        }
        if (sum->ask != Ask::splits) driver.take(from_bytes<Answer>(to_bytes(std::move(*sum))), budget);
    }
    for (const Request& request : driver.batches()) {
        std::vector<Answer> taken;
        for (auto& portion : portions) taken.push_back(portion->answer(request, nullptr, budget));
        driver.take(grow_moved(request, layout, plan, taken, budget), budget);
    }
    return std::move(driver).finish(budget).parts();
}

}  // namespace

TEST_CASE("a layout has a cell for every bin and value, and is the same as bytes and back") {
    const RandomTable t(0, 100, true, false);
    const Layout layout = layout_of(t, plan_of("gini", 3), 16);
    CHECK(layout.n_columns() == 4);
    CHECK(layout.n_cells() == layout.begin.back());
    CHECK(layout.size() == layout.n_cells() * 3);
    for (u32 c = 0; c < 3; ++c) {
        CHECK(layout.numeric(c));
        CHECK(layout.n_bins(c) == layout.edges[c].size() + 1);
        CHECK(layout.missing(c) == layout.begin[c + 1] - 1);
        CHECK(layout.column_of(layout.begin[c]) == c);
        CHECK(std::is_sorted(layout.edges[c].begin(), layout.edges[c].end()));
    }
    CHECK(layout.begin[4] - layout.begin[3] == 4);
    const Layout again = Layout::from(to_bytes(layout));
    CHECK(again.begin == layout.begin);
    CHECK(again.edges == layout.edges);
    CHECK(again.n_values == layout.n_values);
}

TEST_CASE("bytes that were damaged on the way are refused") {
    const RandomTable t(0, 30, true, false);
    const std::string bytes = to_bytes(layout_of(t, plan_of("gini", 3), 8));
    CHECK_THROWS_AS(Layout::from(bytes.substr(0, bytes.size() - 1)), std::invalid_argument);
    CHECK_THROWS_AS(Layout::from(bytes + "x"), std::invalid_argument);
    for (std::size_t i = 0; i < bytes.size(); i += 7) {
        std::string other = bytes;
        other[i] = static_cast<char>(other[i] ^ 16);
        CHECK_THROWS_AS(Layout::from(other), std::invalid_argument);
    }
    CHECK_THROWS_AS(from_bytes<Request>(bytes), std::invalid_argument);
}

TEST_CASE("answers of portions add up to the answer of the table") {
    Budget budget;
    for (bool weighted : {false, true}) {
        const RandomTable t(7, 90, true, weighted);
        const Layout layout = layout_of(t, plan_of("gini", 3), 8);
        Request request;
        request.ask = Ask::count;
        request.nodes = {0};
        request.means = {0};
        Portion all(t.part(0, 90), layout, budget), first(t.part(0, 20), layout, budget),
            rest(t.part(20, 90), layout, budget);
        const Answer whole = all.answer(request, nullptr, budget);
        const Answer before = first.answer(request, nullptr, budget);
        const Answer in_turn = rest.answer(request, &before, budget);
        Answer sum = before;
        sum.add(rest.answer(request, nullptr, budget));
        CHECK(whole.counts == sum.counts);
        CHECK(whole.counts == in_turn.counts);
        CHECK(whole.sums == sum.sums);  // weights are whole numbers
        CHECK_THROWS_AS(sum.add(first.answer({}, nullptr, budget)), std::invalid_argument);
    }
}

TEST_CASE("the tree of portions is that of the table, whatever the portions and bins") {
    Budget budget;
    for (u64 seed = 0; seed < 12; ++seed) {
        CAPTURE(seed);
        const u32 n = 60 + 20 * static_cast<u32>(seed);
        const RandomTable t(seed, n, true, seed % 2 == 1);
        const Plan plan = plan_of(seed % 3 ? "gini" : "entropy", 2 + seed % 5);
        const Layout layout = layout_of(t, plan, 2 + static_cast<u32>(seed) * 3);
        const TreeParts whole = grow_tree(t.data, {}, plan, budget).tree.parts();
        const u32 one[] = {n}, three[] = {1, n / 3, n};
        CHECK(same(whole, grown_in_portions(t, plan, layout, one, 0)));
        CHECK(same(whole, grown_in_portions(t, plan, layout, three, 0)));
        CHECK(same(whole, grown_in_portions(t, plan, layout, three, 25)));
    }
}
