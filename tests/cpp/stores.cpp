// Stores: however the rows of open nodes lie in memory, the tree is the same.
#include <doctest/doctest.h>

#include "grow/grow.hpp"
#include "tables.hpp"

using namespace bough;

TEST_CASE("lists, ranks and row ids grow the same tree") {
    Budget budget;
    for (u64 seed = 0; seed < 12; ++seed) {
        CAPTURE(seed);
        const RandomTable t(seed, 40 + 60 * static_cast<u32>(seed), false, seed % 3 == 1);
        Plan plan = plan_of(seed % 2 ? "gini" : "entropy", 2 + seed % 7);
        plan.limits.min_rows = 1 + seed % 4;
        plan.stop.max_features = 2;
        std::vector<TreeParts> grown;
        for (const char* engine : {"lists", "ranks", "row_ids"}) {
            plan.engine = engine;
            if (t.data.target.weighted() && plan.engine == "ranks") continue;  // which know no weights
            grown.push_back(grow_tree(t.data, {}, plan, budget).tree.parts());
        }
        CHECK(grown[0].kinds.size() > 1);
        for (const TreeParts& parts : grown) CHECK(same(grown[0], parts));
    }
}

TEST_CASE("an engine that cannot grow a plan is refused with a sentence") {
    Budget budget;
    const RandomTable t(1, 50, true, false);
    Plan plan = plan_of("gini", 3);
    plan.engine = "ranks";
    CHECK_THROWS_AS(grow_tree(t.data, {}, plan, budget), std::invalid_argument);
}
