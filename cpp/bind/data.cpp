#include "bind/data.hpp"
#include "bind/module.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "data/classes.hpp"
#include "data/moments.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

int Columns::add_matrix(Matrix x) {
    const double* values = begin_of(x);
    const int found = finiteness(values, x.shape(0), x.shape(1), x.stride(0), x.stride(1));
    for (std::size_t j = 0; j < x.shape(1); ++j)
        add(x.shape(0), {ColumnKind::numeric, values + static_cast<i64>(j) * x.stride(1), x.stride(0)});
    check_rows(x.shape(0));
    complete_ = found == 0;
    keep_.push_back(nb::cast(x));
    return found;
}

void Columns::add_numeric(Strided x) {
    add(x.shape(0), {ColumnKind::numeric, begin_of(x), x.stride(0)});
    keep_.push_back(nb::cast(x));
}

void Columns::add_nominal(In<i32> codes, u32 n_values) {
    add(codes.shape(0), {ColumnKind::nominal, nullptr, 1, begin_of(codes), n_values});
    keep_.push_back(nb::cast(codes));
}

Columns Columns::shuffled(u32 column, In<u32> order) const {
    if (column >= table_.n_columns() || order.shape(0) != table_.n_rows)
        throw std::invalid_argument("there is no such column, or the order is not one of its rows");
    for (u32 row : span_of(order))
        if (row >= table_.n_rows) throw std::invalid_argument("the order names a row that is not there");
    Columns out = *this;
    Column& c = out.table_.columns[column];
    auto moved = [&]<class T>(auto at) {
        std::vector<T> values;
        for (u32 row : span_of(order)) values.push_back(at(row));
        auto array = to_numpy(std::move(values));
        out.keep_.push_back(nb::cast(array));
        return array.data();
    };
    if (c.kind == ColumnKind::numeric) {
        c.values = moved.template operator()<double>([from = c](u32 row) { return from.value(row); });
        c.stride = 1;
    } else {
        c.codes = moved.template operator()<i32>([from = c](u32 row) { return from.codes[row]; });
    }
    return out;
}

void Columns::add(std::size_t n, Column column) {
    check_rows(n);
    table_.columns.push_back(column);
}

void Columns::check_rows(std::size_t n) {
    if (n >= 0xffffffffull) throw std::invalid_argument("a table can have at most 2^32 − 2 rows");
    if (!table_.columns.empty() && n != table_.n_rows) throw std::invalid_argument("columns differ in length");
    table_.n_rows = static_cast<u32>(n);
}

Target Stakes::target(u32 n_classes) const {
    const std::size_t k = n_classes;
    for (const auto* matrix : {&costs, &losses})
        if (!matrix->empty() && matrix->size() != k * k)
            throw std::invalid_argument("costs must have one number for each pair of classes");
    if (!scale.empty() && scale.size() != k) throw std::invalid_argument("scale must have one number per class");
    Target t;
    t.n_classes = n_classes;
    t.costs = costs;
    t.losses = losses;
    t.scale = scale;
    return t;
}

BoundData::BoundData(Columns columns, std::optional<In<u32>> classes, u32 n_classes, std::optional<In<double>> numbers,
                     std::optional<In<double>> weights, Stakes stakes)
    : columns_(std::move(columns)), stakes_(std::move(stakes)) {
    auto view = [&](const auto& array, auto& to) {
        if (!array) return;
        to = span_of(*array);
        keep_.push_back(nb::cast(*array));
    };
    Target& target = data_.target;
    target = stakes_.target(n_classes);
    view(classes, target.classes);
    view(numbers, target.numbers);
    view(weights, target.weights);
    data_.table = columns_.table();
    const std::size_t n = data_.table.n_rows;
    if ((n_classes ? target.classes.size() : target.numbers.size()) != n || (weights && target.weights.size() != n))
        throw std::invalid_argument("target or weights differ in length from the table");
    for (u32 c : target.classes)
        if (c >= n_classes) throw std::invalid_argument("a class number is out of range");
}

BoundSample::BoundSample(In<u32> rows, std::optional<In<double>> weights) {
    sample_.all_rows = false;
    sample_.rows = span_of(rows);
    keep_.push_back(nb::cast(rows));
    if (weights) {
        sample_.weights = span_of(*weights);
        keep_.push_back(nb::cast(*weights));
    }
    if (sample_.rows.empty()) throw std::invalid_argument("a sample needs at least one row");
    if (sample_.rows.size() >= kNone) throw std::invalid_argument("a sample can have at most 2^32 − 2 rows");
    if (weights && sample_.weights.size() != sample_.rows.size())
        throw std::invalid_argument("a sample needs one weight for each of its rows");
    for (double w : sample_.weights)
        if (!(w > 0) || !std::isfinite(w))
            throw std::invalid_argument("the weights of a sample are finite and above 0");
    last_ = *std::max_element(sample_.rows.begin(), sample_.rows.end());
}

const Sample& BoundSample::of(u32 n_rows) const {
    if (last_ >= n_rows)
        throw std::invalid_argument("a sample has row " + std::to_string(last_) + " of a table of " +
                                    std::to_string(n_rows) + " rows");
    return sample_;
}

void bind_data(nb::module_& m) {
    nb::class_<Columns>(m, "Columns", "Borrowed columns of a table.")
        .def(nb::init<>())
        .def("add_matrix", &Columns::add_matrix, "x"_a.noconvert())
        .def("add_numeric", &Columns::add_numeric, "x"_a.noconvert())
        .def("add_nominal", &Columns::add_nominal, "codes"_a.noconvert(), "n_values"_a)
        .def("shuffled", &Columns::shuffled, "column"_a, "order"_a,
             "The same columns, one of them with its rows in another order.")
        .def_prop_ro("n_rows", &Columns::n_rows)
        .def(
            "spreads", [](const Columns& c) { return rough_spreads(c.table()); },
            "Standard deviation of each column, of large tables over about 1,000 of their rows; 0 for nominal ones.");
    m.def(
        "number_classes",
        [](In<i64> y, nb::ndarray<u32, nb::ndim<1>, nb::c_contig, nb::device::cpu> places) {
            if (places.shape(0) != y.shape(0)) throw std::invalid_argument("places must have one entry per row");
            return number_classes(span_of(y), places.data());
        },
        "y"_a.noconvert(), "places"_a.noconvert(),
        "The whole numbers in y, ascending; the place of each row's goes to `places`. None: too far apart to be "
        "counted.");
    nb::class_<Stakes>(m, "Stakes", "Costs of mixing classes, costs of predictions, and class weights in predictions.")
        .def(nb::init<>())
        .def(nb::init<std::vector<double>, std::vector<double>, std::vector<double>>(), "costs"_a, "losses"_a,
             "scale"_a);
    nb::class_<BoundData>(m, "Data", "Columns, target and weights: what a tree can be grown from.")
        .def(nb::init<Columns, std::optional<In<u32>>, u32, std::optional<In<double>>, std::optional<In<double>>,
                      Stakes>(),
             "columns"_a, "classes"_a.none(), "n_classes"_a, "numbers"_a.none(), "weights"_a.none(),
             "stakes"_a = Stakes{});
    nb::class_<BoundSample>(m, "Sample", "Rows of the data, which may repeat, and what each of them weighs.")
        .def(nb::init<In<u32>, std::optional<In<double>>>(), "rows"_a, "weights"_a.none() = nb::none());
}

}  // namespace bough
