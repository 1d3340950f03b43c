#include "bind/module.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/work.hpp"
#include "nominal/partition_table.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

namespace {

nb::tuple partition(MatrixByRows table, const std::string& criterion, const std::string& search,
                    const std::map<std::string, double>& params, u64 seed, const std::vector<double>& costs) {
    const auto& plugin = Registry::find(Registry::get().nominal, search);
    const u32 n = static_cast<u32>(table.shape(0)), k = static_cast<u32>(table.shape(1));
    if (!costs.empty() && costs.size() != std::size_t{k} * k)
        throw std::invalid_argument("costs must have one number for each pair of classes");
    const TablePartition p = interruptible(nb::none(), [&](Budget& budget) {
        return partition_table(begin_of(table), n, k, criterion, plugin, params, costs, seed, budget);
    });
    return nb::make_tuple(to_numpy(p.left), p.gain, p.bound);
}

// Both tables are without their empty values and classes before they are added, as those of two parts of a
// node's rows are.
std::vector<std::vector<double>> added(MatrixByRows a, MatrixByRows b) {
    auto of = [](const MatrixByRows& t) {
        return Contingency::of_table(begin_of(t), static_cast<u32>(t.shape(0)), static_cast<u32>(t.shape(1)));
    };
    Contingency sum = of(a);
    sum.add(of(b));
    std::vector<std::vector<double>> rows(a.shape(0), std::vector<double>(a.shape(1), 0.0));
    for (u32 v = 0; v < sum.n_values; ++v)
        for (u32 c = 0; c < sum.n_classes; ++c) rows.at(sum.codes[v]).at(sum.classes[c]) = sum.of(v)[c];
    return rows;
}

}  // namespace

void bind_partition(nb::module_& m) {
    m.def("partition", &partition, "table"_a, "criterion"_a, "search"_a, "params"_a, "seed"_a, "costs"_a,
          "Left values (0 or 1), gain and proven bound of the partition that a nominal search finds.");
    m.def("add_tables", &added, "a"_a, "b"_a, "The sum of two tables of values and classes of one shape.");
}

}  // namespace bough
