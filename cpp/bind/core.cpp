// The module: what Python can import. The files of bind/ are the only ones that know Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/chi2.hpp"
#include "base/kernels.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/tree.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace bough;

namespace {

double gain(const std::string& criterion, MatrixByRows children, const std::vector<double>& costs) {
    const std::size_t k = children.shape(1);
    const auto scorer = scorer_of(criterion, static_cast<u32>(k), costs);
    std::vector<Side> sides;
    for (std::size_t c = 0; c < children.shape(0); ++c)
        sides.emplace_back(std::span<const double>(begin_of(children) + c * k, k));
    return static_cast<double>(sides.size() == 2 ? scorer->gain(sides[0], sides[1]) : scorer->gain_of_many(sides));
}

}  // namespace

NB_MODULE(_core, m) {
    nb::set_leak_warnings(false);  // what lives until the interpreter ends is not lost
    m.doc() = "The compiled core of bough: tables in, trees out.";
    bind_data(m);
    bind_tree(m);
    bind_mean(m);
    bind_explain(m);
    bind_grow(m);
    bind_boost(m);
    m.def("gain", &gain, "criterion"_a, "children"_a, "costs"_a = std::vector<double>(),
          "The criterion's plain gain of children given by their class weights.");
    m.def("chi2_log_tail", &chi2_log_tail, "x"_a, "df"_a, "log P(χ² with df degrees of freedom > x).");
    bind_partition(m);
    bind_distributed(m);
    bind_registry(m);
    bind_linalg(m);
    m.def("kernel_names", &kernel_names, "Kernel sets that this machine can run, the best one last.");
    m.def("kernels_in_use", &kernels_in_use, "Their name: the best, or BOUGH_KERNELS of the environment at first use.");
    m.def("use_kernels", &use_kernels, "name"_a, "Chooses a kernel set for the whole process.");
}
