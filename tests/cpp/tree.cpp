// Trees: what the writer writes has no fault, a broken part is named, and a row goes where its split says.
#include "tree/tree.hpp"

#include <doctest/doctest.h>

#include "tree/route.hpp"
#include "tree/writer.hpp"

using namespace bough;

namespace {

// x0 <= 1.5: class 0, else by the codes of x1: {0, 2} class 1, {1} class 2.
TreeParts small_tree() {
    TreeWriter out({0, 3}, 3, Missing::either, false);
    Split axis;
    axis.kind = NodeKind::axis;
    axis.cut = 1.5;
    axis.missing_left = true;
    Split subset;
    subset.kind = NodeKind::subset;
    subset.column = 1;
    subset.values = {0, 1, 2};
    subset.goes_left = {1, 0, 1};
    subset.other = 1;
    const double weights[3][3] = {{4, 0, 0}, {0, 3, 0}, {0, 0, 2}};
    out.inner(axis, 0.5, {.rows = 9}, {}, {});
    out.leaf({.rows = 4, .weights = weights[0]}, {});
    out.inner(subset, 0.25, {.rows = 5}, {}, {});
    out.leaf({.rows = 3, .weights = weights[1]}, {});
    out.leaf({.rows = 2, .weights = weights[2]}, {});
    return std::move(out).finish();
}

}  // namespace

TEST_CASE("a tree that was written has no fault, and sums what its leaves have") {
    Budget budget;
    const Tree tree(small_tree(), budget);
    CHECK(tree.n_nodes() == 5);
    CHECK(tree.n_leaves() == 3);
    CHECK(tree.max_depth() == 2);
    CHECK(tree.rows(0) == 9);
    CHECK(tree.rows(2) == 5);
    CHECK(tree.gain(2) == 0.25);
    CHECK(tree.parent(3) == 2);
}

TEST_CASE("a broken part is refused with a sentence") {
    Budget budget;
    const auto broken = [&](auto damage) {
        TreeParts parts = small_tree();
        damage(parts);
        const std::string what = fault(parts, budget);
        if (!what.empty()) CHECK_THROWS_AS(Tree(parts, budget), std::invalid_argument);
        return what;
    };
    CHECK(broken([](TreeParts&) {}).empty());
    CHECK_FALSE(broken([](TreeParts& p) { p.kinds.pop_back(); }).empty());
    CHECK_FALSE(broken([](TreeParts& p) { p.kinds[0] = 9; }).empty());
    CHECK_FALSE(broken([](TreeParts& p) { p.columns[0] = 7; }).empty());
    CHECK_FALSE(broken([](TreeParts& p) { p.cuts[0] = std::numeric_limits<double>::quiet_NaN(); }).empty());
    CHECK_FALSE(broken([](TreeParts& p) { p.values[1] = 0; }).empty());
    CHECK_FALSE(broken([](TreeParts& p) { p.leaf_rows.pop_back(); }).empty());
    CHECK_FALSE(broken([](TreeParts& p) { p.leaf_weights[0] = -1; }).empty());
    CHECK_FALSE(broken([](TreeParts& p) { p.gains.clear(); }).empty());
}

TEST_CASE("a row goes to the side that its value names, and missing ones where the split says") {
    Budget budget;
    const Tree tree(small_tree(), budget);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> x0 = {1.5, std::nextafter(1.5, 2), 2, 2, 2, nan};
    const std::vector<i32> x1 = {0, 0, 1, 2, -1, 1};
    const std::vector<Column> columns = {{ColumnKind::numeric, x0.data()},
                                         {ColumnKind::nominal, nullptr, 1, x1.data(), 3}};
    std::vector<u32> ends(6);
    tree.apply(columns, 0, 6, ends.data(), true);
    CHECK(ends == std::vector<u32>{1, 3, 4, 3, 4, 1});
    for (u64 row = 0; row < 6; ++row) {
        u32 node = 0;
        while (!tree.children(node).empty()) node = tree.children(node)[route(tree.view(node), columns, row)];
        CHECK(node == ends[row]);
    }
}
