#include "bind/tree.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/data.hpp"
#include "bind/module.hpp"
#include "bind/work.hpp"
#include "grow/plan.hpp"
#include "grow/pruner.hpp"
#include "tree/margins.hpp"
#include "tree/prune.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

namespace {

nb::dict parts_to_python(const Tree& t) {
    nb::dict d;
    each_part(t.parts(), [&](const char* name, const auto& part, auto...) { d[name] = to_numpy(part); });
    return d;
}

Tree tree_from_python(u32 n_columns, u32 n_classes, const nb::dict& d) {
    TreeParts p;
    p.n_columns = n_columns;
    p.n_classes = n_classes;
    each_part(p, [&](const char* name, auto& part, auto...) {
        using T = typename std::remove_reference_t<decltype(part)>::value_type;
        if (!d.contains(name)) throw std::invalid_argument(std::string(name) + " is missing");
        In<T> a;
        if (!nb::try_cast(d[name], a)) throw std::invalid_argument(std::string(name) + " is not of the right type");
        part.assign(begin_of(a), begin_of(a) + a.shape(0));
    });
    return interruptible(nb::none(), [&](Budget& budget) { return Tree(std::move(p), budget); });
}

u32 node_of(const Tree& t, u32 node) {
    if (node >= t.n_nodes()) throw nb::index_error("no such node");
    return node;
}

nb::object as_python(NodeKind kind) { return nb::cast(static_cast<int>(kind)); }
nb::object as_python(const std::vector<u8>& sides) { return nb::cast(std::vector<bool>(sides.begin(), sides.end())); }
template <class T>
nb::dict fields_of(const T& from);

template <class T>
nb::object as_python(const T& x) {
    if constexpr (std::is_same_v<T, std::vector<Surrogate>>) {
        nb::list found;
        for (const Surrogate& s : x) found.append(fields_of(s));
        return found;
    } else {
        return nb::cast(x);
    }
}

template <class T>
nb::dict fields_of(const T& from) {
    nb::dict d;
    T::each_field(from, [&](const char* name, const auto& x) { d[name] = as_python(x); });
    return d;
}

nb::dict split_to_python(const Tree& t, u32 node) {
    const Split s = t.split(node_of(t, node));
    nb::dict d = fields_of(s);
    std::vector<double> centers, spreads;
    for (u32 c : s.term_columns) {
        centers.push_back(t.parts().centers.empty() ? 0.0 : t.parts().centers[c]);
        spreads.push_back(t.parts().spreads.empty() ? 1.0 : t.parts().spreads[c]);
    }
    d["term_centers"] = centers;
    d["term_spreads"] = spreads;
    if (s.other == kStopHere) d["other"] = nb::none();
    return d;
}

constexpr u64 kBlock = 1 << 12, kShareOut = 1 << 16;  // rows

Out<u32> apply(const Tree& t, const Columns& columns, int threads) {
    const std::span<const Column> in = input_of(t.parts(), columns);
    auto out = numpy_empty<u32>(columns.n_rows());
    u32* data = out.data();
    each_block(columns.n_rows(), kBlock, kShareOut, threads,
               [&](u64 begin, u64 end, Budget&) { t.apply(in, begin, end, data + begin, !columns.complete()); });
    return out;
}

// Calls some(row, reached) for every row.
template <class Some>
void each_row(u64 n, int threads, const Some& some) {
    each_block(n, kBlock, kShareOut, threads, [&](u64 begin, u64 end, Budget& budget) {
        std::vector<Reached> found;
        for (u64 row = begin; row < end; ++row) {
            if (row % 64 == 0) budget.poll();
            some(row, found);
        }
    });
}

// What a node predicts of each row.
Out<double> predicted_at(const Tree& t, const Columns& columns, In<u32> nodes, int threads) {
    const std::span<const Column> in = input_of(t.parts(), columns);
    if (nodes.shape(0) != columns.n_rows()) throw std::invalid_argument("nodes must have one entry per row");
    for (u32 node : span_of(nodes)) node_of(t, node);
    auto out = numpy_empty<double>(columns.n_rows());
    double* to = out.data();
    each_row(columns.n_rows(), threads, [&](u64 row, auto&) { to[row] = t.predicted(nodes.data()[row], in, row); });
    return out;
}

// What each row gets of the values of the nodes where it ends, by its shares there: rows × values of a node.
Out<double> mix_of_nodes(const Tree& t, const Columns& columns, In<double> values, int threads) {
    const std::span<const Column> in = input_of(t.parts(), columns);
    const std::size_t k = values.shape(0) / t.n_nodes();
    if (k * t.n_nodes() != values.shape(0)) throw std::invalid_argument("values need as many entries for every node");
    auto out = numpy_empty<double>(std::size_t{columns.n_rows()} * k);
    double* data = out.data();
    each_row(columns.n_rows(), threads, [&](u64 row, std::vector<Reached>& found) {
        t.reach(in, row, found);
        double* to = data + row * k;
        std::fill_n(to, k, 0.0);
        for (const Reached& r : found)
            for (std::size_t j = 0; r.ends && j < k; ++j) to[j] += r.share * values.data()[r.node * k + j];
    });
    return out;
}

// The nodes that each row comes to and its shares there; those of row i are from starts[i] to starts[i + 1].
std::tuple<Out<i64>, Out<u32>, Out<double>> reach(const Tree& t, const Columns& columns) {
    const std::span<const Column> in = input_of(t.parts(), columns);
    std::vector<i64> starts{0};
    std::vector<u32> nodes;
    std::vector<double> shares;
    each_row(columns.n_rows(), 1, [&](u64 row, std::vector<Reached>& found) {
        t.reach(in, row, found);
        for (const Reached& r : found) {
            nodes.push_back(r.node);
            shares.push_back(r.share);
        }
        starts.push_back(static_cast<i64>(nodes.size()));
    });
    return {to_numpy(std::move(starts)), to_numpy(std::move(nodes)), to_numpy(std::move(shares))};
}

Out<double> margins_to_python(const Tree& t, const Columns& columns, std::optional<In<u32>> rows) {
    const std::span<const Column> in = input_of(t.parts(), columns);
    const u32 n = static_cast<u32>(columns.n_rows());
    std::optional<std::span<const u32>> listed;
    if (rows) listed = span_of(*rows);
    for (u32 row : listed.value_or(std::span<const u32>()))
        if (row >= n) throw std::invalid_argument("row " + std::to_string(row) + " is not in the table");
    return to_numpy(interruptible(nb::none(), [&](Budget& budget) { return margins(t, in, n, listed, budget); }));
}

// A function that gives one number per node.
template <class T, class F>
auto per_node(F value) {
    return [value](const Tree& t) {
        std::vector<T> v(t.n_nodes());
        for (u32 i = 0; i < t.n_nodes(); ++i) v[i] = value(t, i);
        return to_numpy(std::move(v));
    };
}

// The n-th of two children; −1: a node does not have two.
template <u32 n>
i64 child_of(const Tree& t, u32 i) {
    return t.children(i).size() == 2 ? i64{t.children(i)[n]} : i64{-1};
}

// Runs work(scorer, target, budget), as pruning sees the criterion.
template <class Work>
auto judged(const Tree& t, const std::string& criterion, const Stakes& stakes, Work work) {
    const Target target = stakes.target(t.parts().n_classes);
    const auto scorer = scorer_of(criterion, target.n_classes, stakes.costs);
    return interruptible(nb::none(), [&](Budget& budget) { return work(*scorer, target, budget); });
}

}  // namespace

std::span<const Column> input_of(const TreeParts& parts, const Columns& columns) {
    const Table& table = columns.table();
    if (table.n_columns() != parts.n_columns) throw std::invalid_argument("the table differs in its number of columns");
    for (u32 c = 0; c < table.n_columns(); ++c)
        if ((table.columns[c].kind == ColumnKind::nominal) != (parts.n_values[c] > 0))
            throw std::invalid_argument("a column is numeric here and was nominal in training, or the reverse");
    return table.columns;
}

std::unique_ptr<Scorer> scorer_of(const std::string& criterion, u32 n_classes, const std::vector<double>& costs) {
    return Registry::find(Registry::get().criteria, criterion).make(Stakes{costs, {}, {}}.target(n_classes));
}

void bind_tree(nb::module_& m) {
    nb::class_<Tree>(m, "Tree", "A grown tree: immutable arrays in preorder.")
        .def_prop_ro("n_nodes", &Tree::n_nodes)
        .def_prop_ro("n_leaves", &Tree::n_leaves)
        .def_prop_ro("linear", &Tree::linear)
        .def_prop_ro("n_columns", [](const Tree& t) { return t.parts().n_columns; })
        .def_prop_ro("n_classes", [](const Tree& t) { return t.parts().n_classes; })
        .def_prop_ro("max_depth", &Tree::max_depth)
        .def("parts", &parts_to_python)
        .def_static("from_parts", &tree_from_python, "n_columns"_a, "n_classes"_a, "parts"_a)
        .def("split", &split_to_python, "node"_a)
        .def_prop_ro("missing",
                     [](const Tree& t) {
                         static const char* kModes[] = {"either", "shared", "surrogate"};
                         return kModes[static_cast<int>(t.missing())];
                     })
        .def("apply", &apply, "columns"_a, "threads"_a = 1)
        .def("predicted", &predicted_at, "columns"_a, "nodes"_a, "threads"_a = 1,
             "The number that a node predicts of each row, by its lines.")
        .def("mix", &mix_of_nodes, "columns"_a, "values"_a, "threads"_a = 1,
             "What each row gets of the values of the nodes where it ends, by its shares there.")
        .def("margins", &margins_to_python, "columns"_a, "rows"_a.none() = nb::none(),
             "Of each node the greatest position on the left, then the least on the right, then of each column its "
             "greatest distance from the center.")
        .def("reach", &reach, "columns"_a,
             "The nodes that each row comes to and its shares there, one row after the other.")
        .def(
            "children",
            [](const Tree& t, u32 i) {
                const auto c = t.children(node_of(t, i));
                return std::vector<u32>(c.begin(), c.end());
            },
            "node"_a)
        .def("children_left", per_node<i64>(child_of<0>))
        .def("children_right", per_node<i64>(child_of<1>))
        .def("parents", per_node<i64>([](auto& t, u32 i) { return t.parent(i) == kNone ? i64{-1} : i64{t.parent(i)}; }))
        .def("kinds", per_node<u8>([](auto& t, u32 i) { return t.parts().kinds[i]; }))
        .def("rows", per_node<i64>([](auto& t, u32 i) { return i64{t.rows(i)}; }))
        .def("gains", per_node<double>([](auto& t, u32 i) { return t.kind(i) == NodeKind::leaf ? kNaN : t.gain(i); }))
        .def(
            "weights",
            [](const Tree& t, const In<u32>& nodes) {
                const std::size_t k = t.parts().n_outputs();
                auto out = numpy_empty<double>(nodes.shape(0) * k);
                double* to = out.data();
                std::fill_n(to, nodes.shape(0) * k, 0.0);
                for (u32 node : span_of(nodes)) {
                    const ClassWeights w = t.weights(node_of(t, node));
                    for (std::size_t c = 0; c < w.size(); ++c) to[w.id(c)] = w[c];
                    to += k;
                }
                return out;
            },
            "nodes"_a, "Class weights of these nodes, row by row; of a regression tree, the weight of each.")
        .def("total_weights", per_node<double>([](auto& t, u32 i) { return t.weights(i).sum(); }),
             "What the rows of every node weigh together.")
        .def(
            "heaviest",
            [](const Tree& t, const In<u32>& nodes) {
                std::vector<i64> found;
                for (u32 given : span_of(nodes)) {
                    u32 node = node_of(t, given);
                    while (!(t.weights(node).most() > 0)) node = t.parent(node);  // the root has rows
                    const ClassWeights w = t.weights(node);
                    const double sum = w.sum();
                    std::size_t most = 0;  // by share: what differs in the last bit of a weight may not in that
                    for (std::size_t c = 1; c < w.size(); ++c)
                        if (w[c] / sum > w[most] / sum) most = c;
                    found.push_back(w.id(most));
                }
                return to_numpy(std::move(found));
            },
            "nodes"_a,
            "The class that weighs most at each of these nodes, the first of equals; where no row came, above it.")
        .def("means",
             [](const Tree& t) {
                 if (t.parts().n_classes) throw std::invalid_argument("a classification tree has no means");
                 return per_node<double>([](auto& t, u32 i) { return t.mean(i); })(t);
             })
        .def(
            "impurities",
            [](const Tree& t, const std::string& criterion, const Stakes& stakes) {
                return to_numpy(judged(t, criterion, stakes, [&](const Scorer& s, const Target& target, Budget&) {
                    return impurities(t, s, target);
                }));
            },
            "criterion"_a, "stakes"_a = Stakes{})
        .def(
            "prune",
            [](const Tree& t, const std::string& name, const std::map<std::string, double>& params,
               const std::string& criterion, const Stakes& stakes) {
                return judged(t, criterion, stakes, [&](const Scorer& s, const Target& target, Budget& budget) {
                    return prune(t, {name, params}, {s, target, budget});
                });
            },
            "pruner"_a, "params"_a, "criterion"_a, "stakes"_a = Stakes{})
        .def(
            "cut",
            [](const Tree& t, const In<u8>& leaves) {
                if (leaves.shape(0) != t.n_nodes()) throw std::invalid_argument("leaves need one entry per node");
                return interruptible(nb::none(), [&](Budget& budget) { return pruned(t, span_of(leaves), budget); });
            },
            "leaves"_a, "The tree in which the flagged nodes are leaves.")
        .def(
            "pruning_path",
            [](const Tree& t, const std::string& criterion, const Stakes& stakes) {
                PruningPath p = judged(t, criterion, stakes, [&](const Scorer& s, const Target& target, Budget& b) {
                    return pruning_path(t, risks(t, s, target), b);
                });
                return std::pair(to_numpy(std::move(p.alphas)), to_numpy(std::move(p.risks)));
            },
            "criterion"_a, "stakes"_a = Stakes{});
}

}  // namespace bough
