// What Python sees of explanations.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/module.hpp"
#include "bind/tree.hpp"
#include "bind/work.hpp"
#include "explain/explain.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

namespace {

using Contributions = std::tuple<Out<double>, Out<double>, Out<u8>>;

Contributions contributions(const std::vector<nb::object>& trees, const std::vector<In<double>>& values,
                            const Columns& rows, const Columns* background, int threads) {
    std::vector<const Tree*> borrowed;
    std::vector<std::span<const double>> said;
    Explaining of;
    for (const auto& t : trees) {
        borrowed.push_back(nb::cast<const Tree*>(t));
        of.rows = input_of(borrowed.back()->parts(), rows);
        if (background) of.background = input_of(borrowed.back()->parts(), *background);
    }
    for (const auto& v : values) said.push_back(span_of(v));
    if (borrowed.empty() || said.size() != borrowed.size()) throw std::invalid_argument("not one array for each tree");
    of.trees = borrowed;
    of.values = said;
    of.n_rows = rows.n_rows();
    of.n_background = background ? background->n_rows() : 0;
    of.threads = threads;
    const TreeParts& parts = borrowed[0]->parts();
    std::vector<double> base(parts.n_outputs());
    std::vector<u8> unclear(of.n_rows);
    auto out = numpy_empty<double>(std::size_t{of.n_rows} * parts.n_columns * parts.n_outputs());
    std::fill_n(out.data(), out.size(), 0.0);
    interruptible(nb::none(), [&](Budget& budget) { explain(of, {out.data(), base.data(), unclear.data()}, budget); });
    return {out, to_numpy(std::move(base)), to_numpy(std::move(unclear))};
}

}  // namespace

void bind_explain(nb::module_& m) {
    m.def(
        "contributions", &contributions, "trees"_a, "values"_a, "rows"_a, "background"_a.none() = nb::none(),
        "threads"_a = 1,
        "Shapley values, rows × columns × outputs; what is said of a row of which nothing is known; whether the values "
        "of a row are no use, because a path asks too many columns.");
}

}  // namespace bough
