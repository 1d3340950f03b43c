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

}  // namespace

void bind_partition(nb::module_& m) {
    m.def("partition", &partition, "table"_a, "criterion"_a, "search"_a, "params"_a, "seed"_a, "costs"_a,
          "Left values (0 or 1), gain and proven bound of the partition that a nominal search finds.");
}

}  // namespace bough
