#include "bind/mean.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/parallel.hpp"
#include "bind/tree.hpp"
#include "bind/work.hpp"
#include "tree/mean.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

namespace {

// Keeps the trees alive that it borrows.
struct BoundMean {
    std::vector<nb::object> keep;
    MeanOfTrees mean;
};

MeanOfTrees mean_of(const std::vector<nb::object>& trees, std::vector<std::vector<double>> values) {
    std::vector<const Tree*> borrowed;
    for (const auto& t : trees) borrowed.push_back(nb::cast<const Tree*>(t));
    return MeanOfTrees(std::move(borrowed), std::move(values));
}

Out<double> say(const BoundMean& bound, const Columns& columns, int threads) {
    const MeanOfTrees& mean = bound.mean;
    const std::span<const Column> in = input_of(mean.parts(), columns);
    const u64 n = columns.n_rows(), k = mean.n_outputs();
    auto out = numpy_empty<double>(n * k);
    double* data = out.data();
    interruptible(nb::none(), [&](Budget& budget) {
        const u64 rows = mean.rows_at_once();
        constexpr u64 kShareOut = 1 << 11;
        Team team(n > kShareOut ? threads : 1, budget);
        team.each((n + rows - 1) / rows, [&](std::size_t i, int) {
            budget.poll();
            const u64 begin = i * rows, end = std::min(n, begin + rows);
            mean.say(in, begin, end, data + begin * k, !columns.complete());
        });
    });
    return out;
}

}  // namespace

void bind_mean(nb::module_& m) {
    nb::class_<BoundMean>(m, "MeanOfTrees", "What many trees say together.")
        .def(
            "__init__",
            [](BoundMean* self, const std::vector<nb::object>& trees, std::vector<std::vector<double>> values) {
                new (self) BoundMean{trees, mean_of(trees, std::move(values))};
            },
            "trees"_a, "values"_a = std::vector<std::vector<double>>())
        .def("say", &say, "columns"_a, "threads"_a = 1, "The mean, row by row: a share for each class, or a number.");
}

}  // namespace bough
