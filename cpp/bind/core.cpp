// Arrays in, a Tree out. The files bind*.cpp are the only ones that know Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/chi2.hpp"
#include "base/kernels.hpp"
#include "bind/functions.hpp"
#include "bind/partition.hpp"
#include "bind/registry.hpp"
#include "bind/work.hpp"
#include "grow/grower.hpp"
#include "tree/prune.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace bough;

namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Strided = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
Out<T> to_numpy(std::vector<T> v) {
    auto* owned = new std::vector<T>(std::move(v));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(owned->data(), {owned->size()}, owner);
}
template <class T>
Out<T> numpy_empty(std::size_t n) {
    T* data = new T[n];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Out<T>(data, {n}, owner);
}

// Borrowed columns: a whole float64 matrix, or single ones added in order.
class Columns {
   public:
    // Returns 0 if every number is finite, 1 if some are missing, 2 if some are infinite.
    int add_matrix(Matrix x) {
        check_rows(x.shape(0));
        const int found = finiteness(x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1));
        complete_ = found == 0;
        for (std::size_t j = 0; j < x.shape(1); ++j) {
            Column c{ColumnKind::numeric};
            c.values = x.data() + static_cast<i64>(j) * x.stride(1);
            c.stride = x.stride(0);
            table_.columns.push_back(c);
        }
        keep_.push_back(nb::cast(x));
        return found;
    }
    void add_numeric(Strided x) {
        check_rows(x.shape(0));
        Column c{ColumnKind::numeric};
        c.values = x.data();
        c.stride = x.stride(0);
        table_.columns.push_back(c);
        keep_.push_back(nb::cast(x));
    }
    void add_nominal(In<i32> codes, u32 n_values) {
        check_rows(codes.shape(0));
        Column c{ColumnKind::nominal};
        c.codes = codes.data();
        c.n_values = n_values;
        table_.columns.push_back(c);
        keep_.push_back(nb::cast(codes));
    }
    const Table& table() const { return table_; }
    u32 n_rows() const { return table_.n_rows; }
    bool complete() const { return complete_; }

   private:
    void check_rows(std::size_t n) {
        if (n >= 0xffffffffull) throw std::invalid_argument("a table can have at most 2^32 − 2 rows");
        if (!table_.columns.empty() && n != table_.n_rows) throw std::invalid_argument("columns differ in length");
        table_.n_rows = static_cast<u32>(n);
    }
    Table table_;
    bool complete_ = false;  // known to hold no missing number
    std::vector<nb::object> keep_;
};

Plan plan_of(const nb::dict& d) {
    Plan p;
    auto text = [&](const char* key) { return nb::cast<std::string>(d[key]); };
    auto number = [&](const char* key) { return nb::cast<double>(d[key]); };
    auto count = [&](const char* key) { return static_cast<u32>(std::min(number(key), 4294967295.0)); };
    p.criterion = text("criterion");
    p.split = text("split");
    p.nominal = text("nominal");
    p.selector = text("selector");
    using Map = std::map<std::string, double>;
    p.split_params = nb::cast<Map>(d["split_params"]);
    p.nominal_params = nb::cast<Map>(d["nominal_params"]);
    p.selector_params = nb::cast<Map>(d["selector_params"]);
    p.stop.max_depth = count("max_depth");
    p.stop.min_samples_split = count("min_samples_split");
    p.stop.min_impurity_decrease = number("min_impurity_decrease");
    p.stop.min_info_gain = number("min_info_gain");
    p.stop.max_leaf_nodes = count("max_leaf_nodes");
    p.stop.max_features = count("max_features");
    p.limits.min_rows = count("min_samples_leaf");
    p.limits.min_weight = number("min_weight_leaf");
    p.seed = nb::cast<u64>(d["seed"]);
    p.threads = nb::cast<int>(d["threads"]);
    p.target_offset = number("target_offset");
    p.standardize = nb::cast<bool>(d["standardize"]);
    p.simplify = nb::cast<bool>(d["simplify"]);
    p.wide = d.contains("wide");
    return p;
}

template <class T>
std::span<const T> span_of(const std::optional<In<T>>& a) {
    return a ? std::span<const T>(a->data(), a->shape(0)) : std::span<const T>();
}

void warn_unproven(const Unproven& u) {
    char text[300];
    std::snprintf(text, sizeof text,
                  "max_seconds ran out at %llu node%s: the best split found was taken, and it is not proven to be the "
                  "best. At no node is more than %.4g of gain missed.",
                  static_cast<unsigned long long>(u.nodes), u.nodes == 1 ? "" : "s", u.gap);
    if (PyErr_WarnEx(PyExc_UserWarning, text, 1) != 0) throw nb::python_error();
}

Tree grow_tree(const Columns& columns, std::optional<In<u32>> classes, u32 n_classes, std::optional<In<double>> numbers,
               std::optional<In<double>> weights, const nb::dict& plan_dict, const nb::object& progress) {
    Plan plan = plan_of(plan_dict);
    std::exception_ptr raised;  // by a function of the user's own
    if (plan_dict.contains("functions")) plan.functions = functions_of(plan_dict["functions"], raised);
    Target target;
    target.n_classes = n_classes;
    target.classes = span_of(classes);
    target.numbers = span_of(numbers);
    target.weights = span_of(weights);
    if (plan_dict.contains("costs")) plan.costs = nb::cast<std::vector<double>>(plan_dict["costs"]);
    target.costs = plan.costs;
    if (!plan.costs.empty() && plan.costs.size() != std::size_t{n_classes} * n_classes)
        throw std::invalid_argument("costs are not a number for each pair of classes");
    const std::size_t n = columns.n_rows();
    if ((n_classes ? target.classes.size() : target.numbers.size()) != n || (weights && target.weights.size() != n))
        throw std::invalid_argument("target or weights differ in length from the table");
    for (u32 c : target.classes)
        if (c >= n_classes) throw std::invalid_argument("a class number is out of range");
    try {
        Unproven unproven;
        Tree tree(interruptible(progress, [&](Budget& budget) {
            plan.functions.failed = [&budget] { budget.stop(); };
            TreeParts parts = grow(columns.table(), target, plan, budget);
            unproven = budget.unproven();
            return parts;
        }));
        if (unproven.nodes > 0) warn_unproven(unproven);
        return tree;
    } catch (const Stopped&) {
        if (raised) std::rethrow_exception(raised);
        throw;
    }
}

// ---- Tree --------------------------------------------------------------------------------------

nb::dict parts_to_python(const Tree& t) {
    nb::dict d;
    each_part(t.parts(), [&](const char* name, const auto& part) { d[name] = to_numpy(part); });
    return d;
}

Tree tree_from_python(u32 n_columns, u32 n_classes, const nb::dict& d) {
    TreeParts p;
    p.n_columns = n_columns;
    p.n_classes = n_classes;
    each_part(p, [&](const char* name, auto& part) {
        using T = typename std::remove_reference_t<decltype(part)>::value_type;
        if (!d.contains(name)) throw std::invalid_argument(std::string(name) + " is missing");
        In<T> a;
        if (!nb::try_cast(d[name], a)) throw std::invalid_argument(std::string(name) + " is not of the right type");
        part.assign(a.data(), a.data() + a.shape(0));
    });
    return Tree(std::move(p));
}

nb::dict split_to_python(const Tree& t, u32 node) {
    if (node >= t.n_nodes()) throw nb::index_error("no such node");
    const Split s = t.split(node);
    nb::dict d;
    d["kind"] = static_cast<int>(s.kind);
    d["column"] = s.column;
    d["cut"] = s.cut;
    d["missing_left"] = s.missing_left;
    d["saw_missing"] = s.saw_missing;
    d["term_columns"] = s.term_columns;
    d["term_weights"] = s.term_weights;
    std::vector<double> centers, spreads;
    for (u32 c : s.term_columns) {
        centers.push_back(t.parts().centers.empty() ? 0.0 : t.parts().centers[c]);
        spreads.push_back(t.parts().spreads.empty() ? 1.0 : t.parts().spreads[c]);
    }
    d["term_centers"] = centers;
    d["term_spreads"] = spreads;
    d["values"] = s.values;
    d["goes_left"] = std::vector<bool>(s.goes_left.begin(), s.goes_left.end());
    d["other"] = s.other == kStopHere ? nb::none() : nb::cast(s.other);
    return d;
}

Out<u32> apply(const Tree& t, const Columns& columns, int threads) {
    const Table& table = columns.table();
    if (table.n_columns() != t.parts().n_columns)
        throw std::invalid_argument("the table has another number of columns");
    std::vector<InputColumn> in;
    for (u32 c = 0; c < table.n_columns(); ++c) {
        const Column& from = table.columns[c];
        if ((from.kind == ColumnKind::nominal) != (t.parts().n_values[c] > 0))
            throw std::invalid_argument("a column is of another kind than in training");
        in.push_back({from.values, from.stride, from.codes});
    }
    const u64 n = table.n_rows;
    auto out = numpy_empty<u32>(n);
    u32* data = out.data();
    {
        nb::gil_scoped_release release;
        constexpr u64 kRows = 1 << 14;
        const u64 pieces = (n + kRows - 1) / kRows;
        Team team(pieces > 4 ? threads : 1);
        team.each(pieces, [&](std::size_t i, int) {
            const u64 begin = i * kRows;
            t.apply(in, begin, std::min(n, begin + kRows), data + begin, !columns.complete());
        });
    }
    return out;
}

// One number per node.
template <class T, class F>
Out<T> per_node(const Tree& t, F value) {
    std::vector<T> v(t.n_nodes());
    for (u32 i = 0; i < t.n_nodes(); ++i) v[i] = value(i);
    return to_numpy(std::move(v));
}

// The scorer of a criterion for sides of all classes, with their costs or none.
std::unique_ptr<Scorer> scorer_of(const std::string& criterion, u32 n_classes, const std::vector<double>& costs) {
    if (!costs.empty() && costs.size() != std::size_t{n_classes} * n_classes)
        throw std::invalid_argument("costs are not a number for each pair of classes");
    Target target;
    target.n_classes = n_classes;
    target.costs = costs;
    return Registry::find(Registry::get().criteria, criterion).make(target);
}

std::vector<double> impurities(const Tree& t, const std::string& criterion, const std::vector<double>& costs) {
    std::vector<double> v(t.n_nodes());
    const auto scorer = scorer_of(criterion, t.parts().n_classes, costs);
    for (u32 i = 0; i < t.n_nodes(); ++i)
        v[i] = t.parts().n_classes ? scorer->impurity(Side(t.weights(i))) : t.spread(i) / t.weights(i)[0];
    return v;
}

std::vector<double> risks(const Tree& t, const std::string& criterion, const std::vector<double>& costs) {
    std::vector<double> v = impurities(t, criterion, costs);
    auto weight = [&](u32 i) {
        double sum = 0;
        for (double w : t.weights(i)) sum += w;
        return sum;
    };
    const double total = weight(0);
    for (u32 i = 0; i < t.n_nodes(); ++i) v[i] *= weight(i) / total;
    return v;
}

Tree prune(const Tree& t, const std::string& name, const std::map<std::string, double>& given,
           const std::string& criterion, const std::vector<double>& costs) {
    const auto& plugin = Registry::find(Registry::get().pruners, name);
    Params params(plugin.info);
    for (const auto& [key, value] : given) params.set(key, value);
    return pruned(t, plugin.make(params)->cut(t, risks(t, criterion, costs)));
}

}  // namespace

NB_MODULE(_core, m) {
    nb::set_leak_warnings(false);  // what lives until the interpreter ends is not lost
    m.doc() = "The compiled core of bough: tables in, trees out.";

    nb::class_<Columns>(m, "Columns", "Borrowed columns of a table.")
        .def(nb::init<>())
        .def("add_matrix", &Columns::add_matrix, "x"_a.noconvert())
        .def("add_numeric", &Columns::add_numeric, "x"_a.noconvert())
        .def("add_nominal", &Columns::add_nominal, "codes"_a.noconvert(), "n_values"_a)
        .def_prop_ro("n_rows", &Columns::n_rows);

    nb::class_<Tree>(m, "Tree", "A grown tree: immutable arrays in preorder.")
        .def_prop_ro("n_nodes", &Tree::n_nodes)
        .def_prop_ro("n_leaves", &Tree::n_leaves)
        .def_prop_ro("n_columns", [](const Tree& t) { return t.parts().n_columns; })
        .def_prop_ro("n_classes", [](const Tree& t) { return t.parts().n_classes; })
        .def_prop_ro("max_depth", &Tree::max_depth)
        .def("parts", &parts_to_python)
        .def_static("from_parts", &tree_from_python, "n_columns"_a, "n_classes"_a, "parts"_a)
        .def("split", &split_to_python, "node"_a)
        .def("apply", &apply, "columns"_a, "threads"_a = 1)
        .def(
            "children",
            [](const Tree& t, u32 i) {
                if (i >= t.n_nodes()) throw nb::index_error("no such node");
                const auto c = t.children(i);
                return std::vector<u32>(c.begin(), c.end());
            },
            "node"_a)
        .def("children_left",
             [](const Tree& t) {
                 return per_node<i64>(
                     t, [&](u32 i) { return t.children(i).size() == 2 ? i64{t.children(i)[0]} : i64{-1}; });
             })
        .def("children_right",
             [](const Tree& t) {
                 return per_node<i64>(
                     t, [&](u32 i) { return t.children(i).size() == 2 ? i64{t.children(i)[1]} : i64{-1}; });
             })
        .def("parents",
             [](const Tree& t) {
                 return per_node<i64>(t, [&](u32 i) { return t.parent(i) == kNone ? i64{-1} : i64{t.parent(i)}; });
             })
        .def("kinds", [](const Tree& t) { return per_node<u8>(t, [&](u32 i) { return t.parts().kinds[i]; }); })
        .def("rows", [](const Tree& t) { return per_node<i64>(t, [&](u32 i) { return i64{t.rows(i)}; }); })
        .def("gains",
             [](const Tree& t) {
                 return per_node<double>(t, [&](u32 i) { return t.kind(i) == NodeKind::leaf ? kNaN : t.gain(i); });
             })
        .def(
            "weights",
            [](const Tree& t) {
                std::vector<double> v;
                for (u32 i = 0; i < t.n_nodes(); ++i) v.insert(v.end(), t.weights(i).begin(), t.weights(i).end());
                return to_numpy(std::move(v));
            },
            "Class weights of every node, row by row; the weight of every node of a regression tree.")
        .def("means",
             [](const Tree& t) {
                 if (t.parts().n_classes) throw std::invalid_argument("a classification tree has no means");
                 return per_node<double>(t, [&](u32 i) { return t.mean(i); });
             })
        .def(
            "impurities",
            [](const Tree& t, const std::string& criterion, const std::vector<double>& costs) {
                return to_numpy(impurities(t, criterion, costs));
            },
            "criterion"_a, "costs"_a = std::vector<double>())
        .def("prune", &prune, "pruner"_a, "params"_a, "criterion"_a, "costs"_a = std::vector<double>())
        .def(
            "pruning_path",
            [](const Tree& t, const std::string& criterion, const std::vector<double>& costs) {
                PruningPath p = pruning_path(t, risks(t, criterion, costs));
                return std::pair(to_numpy(std::move(p.alphas)), to_numpy(std::move(p.risks)));
            },
            "criterion"_a, "costs"_a = std::vector<double>());

    m.def("grow", &grow_tree, "columns"_a, "classes"_a.none(), "n_classes"_a, "numbers"_a.none(), "weights"_a.none(),
          "plan"_a, "progress"_a.none());
    m.def(
        "gain",
        [](const std::string& criterion, nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> children,
           const std::vector<double>& costs) {
            const auto scorer = scorer_of(criterion, static_cast<u32>(children.shape(1)), costs);
            std::vector<Side> sides;
            for (std::size_t c = 0; c < children.shape(0); ++c)
                sides.emplace_back(std::span<const double>(children.data() + c * children.shape(1), children.shape(1)));
            return static_cast<double>(sides.size() == 2 ? scorer->gain(sides[0], sides[1])
                                                         : scorer->gain_of_many(sides));
        },
        "criterion"_a, "children"_a, "costs"_a = std::vector<double>(),
        "The criterion's plain gain of children given by their class weights.");
    m.def("chi2_log_tail", &chi2_log_tail, "x"_a, "df"_a, "log P(χ² with df degrees of freedom > x).");
    bind_partition(m);
    bind_registry(m);
    bind_linalg(m);
    m.def("kernel_names", &kernel_names);
    m.def("use_kernels", &use_kernels, "name"_a);
}
