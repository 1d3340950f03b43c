// What many trees say together, as Python sees it.
#include "tree/mean.hpp"

#include <nanobind/stl/vector.h>

#include "bind/module.hpp"
#include "bind/tree.hpp"
#include "bind/work.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

namespace {

Out<double> predict(const MeanOfTrees& mean, const Columns& columns, int threads) {
    const std::span<const Column> in = input_of(mean.parts(), columns);
    const u64 n = columns.n_rows(), k = mean.n_outputs();
    auto out = numpy_empty<double>(n * k);
    each_block(n, mean.rows_at_once(), 1 << 11, threads, [&, data = out.data()](u64 begin, u64 end, Budget&) {
        mean.predict(in, begin, end, data + begin * k, !columns.complete());
    });
    return out;
}

}  // namespace

void bind_mean(nb::module_& m) {
    using Values = std::vector<std::vector<double>>;
    nb::class_<MeanOfTrees>(m, "MeanOfTrees", "The mean prediction of many trees.")
        .def(nb::init<std::vector<const Tree*>, Values>(), "trees"_a, "values"_a = Values(), nb::keep_alive<1, 2>())
        .def(
            "__init__",
            [](MeanOfTrees* made, std::vector<const Tree*> trees, std::vector<double> start, double rate) {
                new (made) MeanOfTrees(std::move(trees), {}, {std::move(start), rate});
            },
            "trees"_a, "start"_a, "rate"_a, nb::keep_alive<1, 2>())
        .def("predict", &predict, "columns"_a, "threads"_a = 1,
             "The mean, row by row: a share for each class, or a number.");
}

}  // namespace bough
