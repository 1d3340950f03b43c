// Random tables for tests of what grows trees.
#pragma once

#include "data/sample.hpp"
#include "grow/plan.hpp"
#include "random.hpp"

namespace bough {

// Numbers of few or many values, a nominal column, perhaps weights; a class that leans on the first column.
struct RandomTable {
    std::vector<std::vector<double>> numbers;
    std::vector<i32> codes;
    std::vector<u32> classes;
    std::vector<double> weights;
    Data data;

    RandomTable(u64 seed, u32 n, bool nominal, bool weighted)
        : numbers(3, std::vector<double>(n)), codes(n), classes(n) {
        Dice dice(seed);
        for (u32 row = 0; row < n; ++row) {
            for (u32 c = 0; c < 3; ++c) numbers[c][row] = dice.below(c == 0 ? 9 : 1000) / 8.0;
            codes[row] = static_cast<i32>(dice.below(4));
            classes[row] = numbers[0][row] > 0.5 ? dice.below(3) : dice.below(2);
            if (weighted) weights.push_back(1.0 + dice.below(3));
        }
        data = part(0, n);
        if (!nominal) data.table.columns.pop_back();
    }
    RandomTable(const RandomTable&) = delete;  // the data borrow from it

    // Rows begin … end − 1.
    Data part(u32 begin, u32 end) const {
        Data d;
        d.table.n_rows = end - begin;
        for (const auto& x : numbers) {
            Column column{ColumnKind::numeric};
            column.values = x.data() + begin;
            d.table.columns.push_back(column);
        }
        Column column{ColumnKind::nominal};
        column.codes = codes.data() + begin;
        column.n_values = 4;
        d.table.columns.push_back(column);
        d.target.n_classes = 3;
        d.target.classes = std::span(classes).subspan(begin, end - begin);
        if (!weights.empty()) d.target.weights = std::span(weights).subspan(begin, end - begin);
        return d;
    }
};

inline Plan plan_of(const char* criterion, u32 max_depth) {
    Plan plan;
    plan.criterion = criterion;
    plan.split.name = "axis";
    plan.nominal.name = "auto";
    plan.selector.name = "score";
    plan.stop.max_depth = max_depth;
    return plan;
}

// Are all arrays of two trees the same?
inline bool same(const TreeParts& a, const TreeParts& b) {
    std::vector<std::string> bytes[2];
    for (int i = 0; i < 2; ++i)
        each_part(i == 0 ? a : b, [&](const char*, const auto& list, auto...) {
            bytes[i].emplace_back(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(list[0]));
        });
    return bytes[0] == bytes[1];
}

}  // namespace bough
