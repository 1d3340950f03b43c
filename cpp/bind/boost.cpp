// Boosting, as Python calls it.
#include "grow/boost.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/data.hpp"
#include "bind/grow.hpp"
#include "bind/module.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

namespace {

Rounds rounds_of(const nb::dict& d, u32 n_rows) {
    Rounds r;
    auto read = [&]<class T>(const char* name, T& to) { to = nb::cast<T>(d[name]); };
    read("loss", r.loss);
    read("alpha", r.alpha);
    read("rate", r.rate);
    read("l2", r.l2);
    read("subsample", r.subsample);
    read("bins", r.bins);
    read("most", r.most);
    read("stops", r.stops);
    read("patience", r.patience);
    read("tolerance", r.tolerance);
    r.held = vector_of<u32>(d["held"]);
    for (u32 row : r.held)
        if (row >= n_rows) throw std::invalid_argument("a held-out row is not in the table");
    r.start = vector_of<double>(d["start"]);
    r.raw = vector_of<double>(d["raw"]);
    r.train_scores = vector_of<double>(d["train_scores"]);
    r.held_scores = vector_of<double>(d["held_scores"]);
    if (r.raw.size() != r.start.size() * n_rows) throw std::invalid_argument("there must be one number per row");
    return r;
}

nb::dict fit(const BoundData& data, const BoundSample* sample, nb::handle plan, const nb::dict& how,
             const nb::object& judge, const nb::object& progress) {
    const Sample rows = sample_of(data, sample);
    Rounds rounds = rounds_of(how, data.data().table.n_rows);
    std::exception_ptr raised;
    Boosted made = grown(
        plan, progress,
        [&](const Plan& p, Budget& budget) {
            if (!judge.is_none())
                rounds.judge = [&](std::span<const double> raw) {
                    nb::gil_scoped_acquire gil;
                    try {
                        const auto scores = judge(to_numpy(std::vector<double>(raw.begin(), raw.end())));
                        return std::pair{nb::cast<double>(scores[0]), nb::cast<double>(scores[1])};
                    } catch (...) {
                        raised = std::current_exception();
                        throw Stopped();
                    }
                };
            return boost(data.data(), rows, p, rounds, budget);
        },
        raised);
    nb::dict found;
    found["trees"] = std::move(made.trees);
    found["start"] = to_numpy(std::move(made.start));
    found["train_scores"] = to_numpy(std::move(made.train_scores));
    found["held_scores"] = to_numpy(std::move(made.held_scores));
    found["engine"] = made.engine;
    return found;
}

}  // namespace

void bind_boost(nb::module_& m) {
    m.def("boost", &fit, "data"_a, "sample"_a.none(), "plan"_a, "rounds"_a, "judge"_a.none() = nb::none(),
          "progress"_a.none() = nb::none(),
          "Trees that are each fitted to what those before them leave over; a dict of them, where they start from, "
          "scores of each round and the engine.");
}

}  // namespace bough
