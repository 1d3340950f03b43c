#include "bind/partition.hpp"

#include <nanobind/ndarray.h>
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

using Table2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::tuple partition(Table2 table, const std::string& criterion, const std::string& search,
                    const std::map<std::string, double>& params, u64 seed, const std::vector<double>& costs) {
    const auto& plugin = Registry::find(Registry::get().nominal, search);
    const u32 n = static_cast<u32>(table.shape(0)), k = static_cast<u32>(table.shape(1));
    if (!costs.empty() && costs.size() != std::size_t{k} * k)
        throw std::invalid_argument("costs are not a number for each pair of classes");
    const TablePartition p = interruptible(nb::none(), [&](Budget& budget) {
        return partition_table(begin_of(table), n, k, criterion, plugin, params, costs, seed, budget);
    });
    auto* left = new std::vector<u8>(p.left);
    nb::capsule owner(left, [](void* x) noexcept { delete static_cast<std::vector<u8>*>(x); });
    return nb::make_tuple(nb::ndarray<nb::numpy, u8, nb::ndim<1>>(left->data(), {left->size()}, owner), p.gain,
                          p.bound);
}

// Both tables are without their empty values and classes before they are added, as those of two parts of a
// node's rows are.
std::vector<std::vector<double>> added(Table2 a, Table2 b) {
    auto of = [](const Table2& t) {
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
