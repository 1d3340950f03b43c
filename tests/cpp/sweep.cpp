// Sweeps of a sorted list beside a scan of all its cuts, for every criterion of classes; sums of numbers in any order.
#include <doctest/doctest.h>

#include "data/exact_sum.hpp"
#include "data/target.hpp"
#include "grow/registry.hpp"
#include "random.hpp"

using namespace bough;

namespace {

// A column of few distinct values and a target of classes; the list of its rows, lowest value first.
struct Case {
    Case(u64 seed, u32 n, u32 k, u32 kinds) : values(n), classes(n), packing(n, k) {
        Dice dice(seed);
        for (u32 row = 0; row < n; ++row) {
            values[row] = dice.below(kinds) * 0.5;
            classes[row] = std::min(k - 1, dice.below(k) * (1 + dice.below(2)));
        }
        for (u32 row = 0; row < n; ++row) order.push_back(row);
        std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return values[a] < values[b]; });
        u64 rank = 0;
        for (u32 i = 0; i < n; ++i) {
            rank += i > 0 && values[order[i]] != values[order[i - 1]];
            entries.push_back(packing.pack(order[i], classes[order[i]]) | packing.rank(rank));
        }
        column = {ColumnKind::numeric, values.data()};
        target.n_classes = k;
        target.classes = classes;
    }
    PackedColumn list() const {
        PackedColumn c;
        c.packing = &packing;
        c.column = &column;
        c.low = {entries.data(), static_cast<u32>(entries.size()), 0};
        return c;
    }

    std::vector<double> values;
    std::vector<u32> classes, order, entries;
    Packing packing;
    Column column;
    Target target;
};

// Offers every cut between different values by its plain gain.
void scan(const Case& c, const Node& node, const Scorer& scorer, const LeafLimits& limits, Best& best) {
    const u32 n = static_cast<u32>(c.order.size());
    std::vector<double> left(node.present.size()), right = node.present_weights;
    for (u32 i = 0; i + 1 < n; ++i) {
        const auto at = std::lower_bound(node.present.begin(), node.present.end(), c.classes[c.order[i]]);
        ++left[static_cast<std::size_t>(at - node.present.begin())];
        --right[static_cast<std::size_t>(at - node.present.begin())];
        if (c.values[c.order[i]] == c.values[c.order[i + 1]]) continue;
        if (std::min(i + 1, n - i - 1) < limits.min_rows) continue;
        const Side l = Side(left).of(node.present), r = Side(right).of(node.present);
        best.offer({scorer.gain(l, r), std::min(l.total, r.total), {0, 0, i}});
    }
}

}  // namespace

TEST_CASE("a sweep finds the cut of a scan") {
    for (const CriterionPlugin& plugin : Registry::get().criteria) {
        if (plugin.traits.regression || plugin.traits.projection || plugin.function) continue;
        CAPTURE(plugin.info.name);
        for (u64 seed = 0; seed < 40; ++seed) {
            Dice dice(seed);
            const u32 k = 2 + (seed % 4 == 0 ? dice.below(30) : dice.below(3)), n = 2 + dice.below(900);
            const Case c(seed, n, k, 2 + dice.below(seed % 2 ? 8 : 2000));
            const std::unique_ptr<Scorer> scorer = plugin.make(c.target);
            Node node;
            node.n_rows = n;
            measure(node, c.target, c.order);
            list_present(node, c.target);
            if (node.pure) continue;
            const LeafLimits limits{.min_rows = 1 + dice.below(3)};
            Best swept(scorer->unit(node), node.total), scanned = swept.afresh();
            scorer->cuts(node, c.list(), limits, {&swept, 0, 0});
            scan(c, node, *scorer, limits, scanned);
            REQUIRE(swept.empty() == scanned.empty());
            if (swept.empty()) continue;
            CAPTURE(seed);
            CHECK(swept.winner().gain == scanned.winner().gain);
            CHECK(swept.winner().balance == scanned.winner().balance);
        }
    }
}

TEST_CASE("sums of numbers do not depend on the order of rows, and equal sums are equal to the last bit") {
    Dice dice(3);
    std::vector<double> numbers;
    for (u32 i = 0; i < 500; ++i) numbers.push_back((dice.below(2000) - 1000.0) / 7 * std::pow(10.0, dice.below(6)));
    NumberEnds ends;
    for (double y : numbers) ends.add(y);
    const NumberImage image(ends, false);
    ExactSum first;
    for (double y : numbers) image.add(y, first);
    for (int turn = 0; turn < 20; ++turn) {
        dice.shuffle(numbers);
        ExactSum again, half;
        for (double y : numbers) image.add(y, again);
        CHECK(again.sum == first.sum);
        for (std::size_t i = 0; i < numbers.size() / 2; ++i) image.add(numbers[i], half);
        ExactSum rest = first - half, rest_summed;
        for (std::size_t i = numbers.size() / 2; i < numbers.size(); ++i) image.add(numbers[i], rest_summed);
        CHECK(rest.sum == rest_summed.sum);
        CHECK(rest.weight == rest_summed.weight);
    }
}
