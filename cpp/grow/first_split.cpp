#include "grow/first_split.hpp"

#include "score/problem.hpp"
#include "score/sums.hpp"
#include "tree/route.hpp"

namespace bough {

Split given_split(const Split& given, const Node& node, const Problem& problem) {
    Split split = given;
    if (split.kind == NodeKind::subset) return split;
    for (std::size_t i = 0; i < split.term_columns.size() && !problem.moments.centers.empty(); ++i)
        split.cut -= split.term_weights[i] * problem.moments.centers[split.term_columns[i]];
    const bool positions = problem.scorer->traits().projection || problem.scorer->traits().regression;
    Gain gains[2];
    for (const bool left : {false, true}) {
        split.missing_left = left;
        const SplitView view = view_of(split, problem.moments.centers);
        SideSums sums(node, *problem.target, 2);
        for (u32 row : node.rows) {
            split.saw_missing |= answer(view, problem.table->columns, row) == kNone;
            sums.add(route(view, problem.table->columns, row), row, 0);
        }
        const Side sides[2] = {sums.side(0, positions), sums.side(1, positions)};
        gains[left] = sides[0].total > 0 && sides[1].total > 0 ? problem.scorer->gain(sides[0], sides[1]) : -kInf;
        if (!split.saw_missing) break;
    }
    split.missing_left = split.saw_missing && gains[1] >= gains[0];
    return split;
}

}  // namespace bough
