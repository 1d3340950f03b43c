#include "bind/module.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/data.hpp"
#include "bind/grow.hpp"
#include "bind/tree.hpp"
#include "bind/work.hpp"
#include "distributed/driver.hpp"
#include "distributed/eligible.hpp"
#include "distributed/portion.hpp"
#include "distributed/subtrees.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

namespace {

std::string_view view(const nb::bytes& b) { return {b.c_str(), b.size()}; }

nb::bytes sent(std::string_view bytes) { return nb::bytes(bytes.data(), bytes.size()); }

Plan plan_without_functions(nb::handle from) {
    nb::handle functions;
    return plan_of(from, functions);
}

class BoundPortion {
   public:
    BoundPortion(BoundData data, const nb::bytes& layout) : data_(std::move(data)) {
        Layout own = Layout::from(view(layout));
        portion_ = interruptible(nb::none(), [&](Budget& budget) {
            return std::make_unique<Portion>(data_.data(), std::move(own), budget);
        });
    }
    BoundPortion(const BoundPortion& all, In<u32> rows)
        : data_(all.data_), portion_(std::make_unique<Portion>(*all.portion_, span_of(rows))) {}

    nb::bytes answer(const nb::bytes& request, const std::optional<nb::bytes>& before) {
        const std::string bytes = interruptible(
            nb::none(),
            [&, from = view(request), so_far = before ? view(*before) : std::string_view()](Budget& budget) {
                std::optional<Answer> first;
                if (!so_far.empty()) first = from_bytes<Answer>(so_far);
                return to_bytes(portion_->answer(from_bytes<Request>(from), first ? &*first : nullptr, budget));
            });
        return sent(bytes);
    }

   private:
    BoundData data_;
    std::unique_ptr<Portion> portion_;
};

nb::bytes add_answers(const std::vector<nb::bytes>& answers) {
    if (answers.empty()) throw std::invalid_argument("there is no answer");
    Answer sum = from_bytes<Answer>(view(answers[0]));
    for (std::size_t i = 1; i < answers.size(); ++i) sum.add(from_bytes<Answer>(view(answers[i])));
    return sent(to_bytes(std::move(sum)));
}

const char* how(const Driver& driver, Ask ask) {
    if (ask == Ask::splits) return "splits";
    return driver.one_after_the_other() ? "in turn" : driver.in_order() ? "in order" : "added";
}

const char* name_of(Ask ask) {
    static constexpr const char* kNames[] = {"splits", "moments",  "measure", "total", "spread",
                                             "sums",   "products", "count",   "find",  "rows"};
    return kNames[static_cast<u32>(ask)];
}

std::optional<std::tuple<const char*, const char*, nb::bytes>> next(Driver& driver) {
    std::optional<Request> request = interruptible(nb::none(), [&](Budget&) { return driver.next(); });
    if (!request) return {};
    const Ask ask = request->ask;
    return std::tuple(name_of(ask), how(driver, ask), sent(to_bytes(std::move(*request))));
}

nb::bytes layout_of(nb::handle plan, const std::vector<u32>& n_values, const std::vector<In<double>>& numbers,
                    u32 n_classes, u32 most_bins) {
    std::vector<std::span<const double>> some;
    for (const auto& x : numbers) some.push_back(span_of(x));
    return sent(to_bytes(Layout(plan_without_functions(plan), n_values, some, n_classes, most_bins)));
}

nb::bytes grow_rows(nb::handle plan, const nb::bytes& layout, const nb::bytes& request,
                    const std::vector<nb::bytes>& taken, const nb::object& progress) {
    const Plan own = plan_without_functions(plan);
    std::vector<std::string_view> views;
    for (const nb::bytes& t : taken) views.push_back(view(t));
    const auto asked = view(request), laid_out = view(layout);
    const std::string grown = interruptible(progress, [&](Budget& budget) {
        std::vector<Answer> rows;
        for (auto& t : views) rows.push_back(from_bytes<Answer>(t));
        return to_bytes(grow_moved(from_bytes<Request>(asked), Layout::from(laid_out), own, rows, budget));
    });
    return sent(grown);
}

std::string why_in_one_place_of(nb::handle plan, bool numbers, bool forest, bool class_weights, bool pair_costs,
                                double distance, const std::vector<double>& some,
                                const std::vector<double>& magnitudes) {
    nb::handle functions;
    const Plan p = plan_of(plan, functions);
    const bool regression = Registry::find(Registry::get().criteria, p.criterion).traits.regression;
    return why_in_one_place(p, {numbers, regression, forest, nb::len(functions) > 0, class_weights, pair_costs,
                                distance, some, magnitudes});
}

}  // namespace

void bind_distributed(nb::module_& m) {
    nb::class_<BoundPortion>(m, "Portion", "Rows of a table that lies on several machines, by node.")
        .def(nb::init<BoundData, const nb::bytes&>(), "data"_a, "layout"_a)
        .def(
            "drawn", [](const BoundPortion& all, In<u32> rows) { return BoundPortion(all, rows); }, "rows"_a,
            "The portion of some of its rows, in their order, which may repeat; bins are shared.")
        .def("answer", &BoundPortion::answer, "request"_a, "before"_a.none() = nb::none(),
             "What the driver asks for, added to the answer of other portions if there is one.");
    m.def("add_answers", &add_answers, "answers"_a, "The sum of answers to the same request, in their order.");
    m.def("layout", &layout_of, "plan"_a, "n_values"_a, "numbers"_a, "n_classes"_a, "most_bins"_a,
          "How rows are counted; `numbers`: some of each numeric column, ascending.");
    m.def("grow_rows", &grow_rows, "plan"_a, "layout"_a, "request"_a, "taken"_a, "progress"_a.none() = nb::none(),
          "The subtrees below moved nodes, from the answers of all portions in their order.");
    m.def("why_in_one_place", &why_in_one_place_of, "plan"_a, "numbers"_a, "forest"_a = false,
          "class_weights"_a = false, "pair_costs"_a = false, "distance"_a = 1.0, "some"_a = std::vector<double>(),
          "magnitudes"_a = std::vector<double>(),
          "What in a plan needs the rows of every node in one place; empty: nothing.");
    nb::class_<Driver>(m, "Driver", "Grows a tree from what portions answer.")
        .def(
            "__init__",
            [](Driver* to, nb::handle plan, const nb::bytes& layout, const std::vector<double>& some, double weight,
               u32 few, bool forest, u32 most_numbers) {
                new (to) Driver(Layout::from(view(layout)), plan_without_functions(plan),
                                {some, weight, few, forest, most_numbers});
            },
            "plan"_a, "layout"_a, "some"_a, "weight"_a, "few"_a, "forest"_a = false, "most_numbers"_a = 1u << 18)
        .def("next", &next,
             "What is asked, how portions answer it (`added`, `in order`, `in turn`; `splits` are remembered), and the "
             "request; None: the tree stands but for moved nodes.")
        .def(
            "take",
            [](Driver& driver, const nb::bytes& answer) {
                const auto bytes = view(answer);
                interruptible(nb::none(), [&](Budget& b) { driver.take(from_bytes<Answer>(bytes), b); });
            },
            "answer"_a, "The sum of the answers, or subtrees.")
        .def(
            "batches",
            [](Driver& driver) {
                std::vector<nb::bytes> found;
                for (Request& r : driver.batches()) found.push_back(sent(to_bytes(std::move(r))));
                return found;
            },
            "Requests for the rows of moved nodes.")
        .def_prop_ro("n_asked", &Driver::n_asked, "Nodes that are counted.")
        .def_prop_ro("n_looked", &Driver::n_looked, "Bins that were looked into.")
        .def_prop_ro("rows", &Driver::n_rows)
        .def_prop_ro("rows_left", &Driver::rows_left, "Rows of nodes that are not grown yet.")
        .def_prop_ro("rows_moved", &Driver::rows_moved, "Rows of nodes that wait to be moved.")
        .def_prop_ro(
            "spreads", [](const Driver& d) { return d.moments().spreads; },
            "Of the columns, where there are directions.")
        .def_prop_ro("magnitudes", [](const Driver& d) { return d.moments().magnitudes; })
        .def("finish", [](Driver& driver) {
            return interruptible(nb::none(), [&](Budget& budget) { return std::move(driver).finish(budget); });
        });
    m.attr("Driver").attr("weight_parts") = Driver::kParts;
}

}  // namespace bough
