#include "bind/pooled.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/data.hpp"
#include "bind/grow.hpp"
#include "bind/tree.hpp"
#include "bind/work.hpp"
#include "data/column_sums.hpp"
#include "grow/registry.hpp"
#include "pooled/grower.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

namespace {

template <class T>
using Sums = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;  // written to
// Node, column, bin, all of its numbers?, center of the node, rows.
using Bins = std::tuple<In<u32>, In<u32>, In<u32>, In<u8>, In<double>, In<u32>>;
// Node, column, number, class, rows, weight, sum.
using Numbers =
    std::tuple<In<u32>, In<u32>, In<double>, In<u32>, In<u32>, std::optional<In<double>>, std::optional<In<double>>>;
// Columns, weights and centers of a sum.
using Terms = std::tuple<std::vector<u32>, std::vector<double>, std::vector<double>>;
// Node, first child, number of children, kind, column, cut, child of rows without a value, values, their sides, terms.
using Step = std::tuple<u32, u32, u32, int, u32, double, u32, std::vector<u32>, std::vector<u32>, Terms>;
// A direction: terms, edges of bins.
using Direction = std::pair<Terms, std::vector<double>>;
// Per column of a table: means, spreads, magnitudes, centers; centered?
using MomentsOf = std::tuple<std::vector<double>, std::vector<double>, std::vector<double>, std::vector<double>, bool>;

Moments moments_from(const std::optional<MomentsOf>& given) {
    Moments m;
    if (given) std::tie(m.means, m.spreads, m.magnitudes, m.centers, m.centered) = *given;
    return m;
}

Layout layout_of(const std::vector<u32>& n_values, const std::vector<In<double>>& edges, u32 n_classes,
                 std::pair<u32, u32> along) {
    std::vector<std::vector<double>> cuts;
    for (const auto& e : edges) cuts.emplace_back(begin_of(e), begin_of(e) + e.shape(0));
    return Layout(n_values, std::move(cuts), n_classes, along.first, along.second);
}

template <class T>
std::vector<T> copy_of(const In<T>& a) {
    const auto s = span_of(a);
    return {s.begin(), s.end()};
}

// What is known of the numbers of nodes, as an array of doubles.
template <class T>
auto numbers_in(T* state, std::size_t size, std::size_t n_nodes) {
    using State = std::conditional_t<std::is_const_v<T>, const NumbersSoFar, NumbersSoFar>;
    static_assert(sizeof(NumbersSoFar) == 6 * sizeof(double));
    if (size != 6 * n_nodes) throw std::invalid_argument("the state of a node is six numbers");
    return std::span<State>(reinterpret_cast<State*>(state), n_nodes);
}

class BoundPortion {
   public:
    BoundPortion(BoundData data, const std::vector<u32>& n_values, const std::vector<In<double>>& edges,
                 std::pair<u32, u32> along)
        : data_(std::move(data)) {
        Layout layout = layout_of(n_values, edges, data_.data().target.n_classes, along);
        portion_ = interruptible(nb::none(), [&](Budget& budget) {
            return std::make_unique<Portion>(data_.data(), std::move(layout), budget);
        });
    }

    BoundPortion(const BoundPortion& whole, In<u32> rows)
        : data_(whole.data_), portion_(std::make_unique<Portion>(*whole.portion_, span_of(rows))) {}

    u32 n_rows(u32 node) const { return portion_->n_rows(node); }

    void count(const std::vector<u32>& nodes, const std::vector<double>& centers, Sums<u32> rows,
               std::optional<Sums<double>> sums) const {
        const std::size_t size = portion_->layout().size(), n_sums = portion_->n_sums();
        if (rows.shape(0) != nodes.size() * size || (sums ? sums->shape(0) : 0) != nodes.size() * n_sums ||
            centers.size() != nodes.size())
            throw std::invalid_argument("the sums are of another size");
        u32* to = rows.data();
        double* more = sums ? sums->data() : nullptr;
        interruptible(nb::none(), [&](Budget& budget) {
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                budget.poll();
                portion_->count(nodes[i], centers[i], to + i * size, more ? more + i * n_sums : nullptr);
            }
        });
    }

    // Sums about origins, three for each column and the weight of all rows; and the largest distance in each column.
    nb::tuple column_sums(const std::vector<double>& origins) const {
        const Data& data = portion_->data();
        if (origins.size() != data.table.n_columns()) throw std::invalid_argument("there is an origin for each column");
        ColumnSums s(origins);
        interruptible(nb::none(), [&](Budget&) { s.add(data.table, data.target); });
        std::vector<double> added = std::move(s.weight);
        added.insert(added.end(), s.sum.begin(), s.sum.end());
        added.insert(added.end(), s.squares.begin(), s.squares.end());
        added.push_back(s.total);
        return nb::make_tuple(to_numpy(std::move(added)), to_numpy(std::move(s.most)));
    }

    nb::tuple add_sums(const std::vector<u32>& nodes, const std::vector<double>& means,
                       const std::vector<double>& centers, const std::vector<u32>& steps) const {
        const std::size_t g = portion_->n_groups(), d = portion_->n_numeric(), own = g * (2 * d + 1);
        if (means.size() != nodes.size() || steps.size() != nodes.size() ||
            centers.size() != portion_->data().table.n_columns())
            throw std::invalid_argument("there is not one of these for each node");
        std::vector<double> sums(nodes.size() * own, 0.0), ends(nodes.size() * 2 * g * d, -kInf);
        std::vector<std::vector<double>> some(nodes.size());
        interruptible(nb::none(), [&](Budget& budget) {
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                budget.poll();
                portion_->add_sums(nodes[i], means[i], centers, std::max(1u, steps[i]), sums.data() + i * own,
                                   ends.data() + i * 2 * g * d, some[i]);
            }
        });
        nb::list rows;
        for (auto& s : some) rows.append(to_numpy(std::move(s)));
        return nb::make_tuple(to_numpy(std::move(sums)), to_numpy(std::move(ends)), rows);
    }

    auto scatter(const std::vector<u32>& nodes, const std::vector<double>& means, const std::vector<double>& centers,
                 In<double> about, In<double> missing, bool each) const {
        const std::size_t g = portion_->n_groups(), d = portion_->n_numeric();
        if (about.shape(0) != nodes.size() * g * d || missing.shape(0) != nodes.size() * d ||
            means.size() != nodes.size() || centers.size() != portion_->data().table.n_columns())
            throw std::invalid_argument("there are not points for each node");
        const std::size_t own = (each ? g : 1) * d * d + (portion_->layout().regression ? d : 0);
        std::vector<double> products(nodes.size() * own, 0.0);
        interruptible(nb::none(), [&](Budget& budget) {
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                budget.poll();
                portion_->add_scatter(nodes[i], means[i], centers, begin_of(about) + i * g * d,
                                      begin_of(missing) + i * d, each, products.data() + i * own);
            }
        });
        return to_numpy(std::move(products));
    }

    void aim(const std::vector<u32>& nodes, const std::vector<std::vector<Direction>>& directions) {
        std::vector<std::vector<Along>> along;
        for (const auto& of_node : directions) {
            along.emplace_back();
            for (const auto& [terms, edges] : of_node) {
                const auto& [columns, weights, centers] = terms;
                for (u32 c : columns)
                    if (c >= portion_->data().table.n_columns()) throw std::invalid_argument("there is no such column");
                if (weights.size() != columns.size() || centers.size() != columns.size())
                    throw std::invalid_argument("terms differ in length");
                along.back().push_back({columns, weights, centers, edges});
            }
        }
        interruptible(nb::none(), [&](Budget& budget) { portion_->aim(nodes, std::move(along), budget); });
    }

    void add_ends(const std::vector<u32>& nodes, Sums<double> ends) const {
        const std::size_t own = portion_->layout().n_ends();
        if (ends.shape(0) != nodes.size() * own) throw std::invalid_argument("the ends are of another size");
        for (std::size_t i = 0; i < nodes.size(); ++i) portion_->add_ends(nodes[i], ends.data() + i * own);
    }

    void measure(const std::vector<u32>& nodes, Sums<double> state) const {
        if (!portion_->layout().regression) return add_weights(nodes, {state.data(), state.shape(0)});
        const std::span<NumbersSoFar> so_far = numbers_in(state.data(), state.shape(0), nodes.size());
        interruptible(nb::none(), [&](Budget&) {
            for (std::size_t i = 0; i < nodes.size(); ++i) portion_->measure(nodes[i], so_far[i]);
        });
    }

    void add_weights(const std::vector<u32>& nodes, std::span<double> weights) const {
        const std::size_t k = portion_->layout().n_classes;
        if (weights.size() != k * nodes.size()) throw std::invalid_argument("a node has one weight for each class");
        interruptible(nb::none(), [&](Budget&) {
            for (std::size_t i = 0; i < nodes.size(); ++i) portion_->add_weights(nodes[i], weights.subspan(i * k, k));
        });
    }

    void add_spreads(const std::vector<u32>& nodes, Sums<double> state, Sums<double> spreads) const {
        const std::span<NumbersSoFar> known = numbers_in(state.data(), state.shape(0), nodes.size());
        if (spreads.shape(0) != nodes.size()) throw std::invalid_argument("there is not one spread for each node");
        interruptible(nb::none(), [&](Budget&) {
            for (std::size_t i = 0; i < nodes.size(); ++i)
                portion_->add_spread(nodes[i], known[i].mean(), spreads.data()[i]);
        });
    }

    nb::tuple find(const Bins& bins) const {
        const auto& [node, column, bin, all, center, rows] = bins;
        std::vector<WantedBin> wanted;
        for (std::size_t i = 0; i < node.shape(0); ++i)
            wanted.push_back({node.data()[i], column.data()[i], bin.data()[i], all.data()[i] != 0, center.data()[i]});
        FoundNumbers f;
        interruptible(nb::none(), [&](Budget& budget) { portion_->find(wanted, f, budget); });
        const nb::object weight = portion_->weighted() ? nb::cast(to_numpy(std::move(f.weight))) : nb::none();
        const nb::object sum = portion_->layout().regression ? nb::cast(to_numpy(std::move(f.sum))) : nb::none();
        return nb::make_tuple(to_numpy(std::move(f.node)), to_numpy(std::move(f.column)), to_numpy(std::move(f.number)),
                              to_numpy(std::move(f.cls)), to_numpy(std::move(f.rows)), weight, sum);
    }

    void divide(const std::vector<Step>& steps) {
        interruptible(nb::none(), [&](Budget&) {
            for (const auto& [node, first, n_children, kind, column, cut, without, values, sides, terms] : steps) {
                const std::vector<u8> goes_left(sides.begin(), sides.end());
                const auto& [columns, weights, centers] = terms;
                std::vector<double> all(portion_->data().table.n_columns(), 0.0);
                for (std::size_t t = 0; t < columns.size(); ++t) all.at(columns[t]) = centers.at(t);
                SplitView split;
                split.kind = static_cast<NodeKind>(kind);
                split.column = column;
                split.cut = cut;
                split.without = without;
                split.values = values;
                split.goes_left = goes_left;
                split.term_columns = columns;
                split.term_weights = weights;
                split.centers = all;
                portion_->divide(node, split, first, n_children);
            }
        });
    }

    nb::tuple take(u32 node) const {
        TakenRows t = interruptible(nb::none(), [&](Budget&) { return portion_->take(node); });
        const nb::object weights = portion_->weighted() ? nb::cast(to_numpy(std::move(t.weights))) : nb::none();
        const nb::object target = portion_->layout().regression ? nb::cast(to_numpy(std::move(t.targets)))
                                                                : nb::cast(to_numpy(std::move(t.classes)));
        return nb::make_tuple(to_numpy(std::move(t.numbers)), to_numpy(std::move(t.codes)), target, weights);
    }

   private:
    BoundData data_;
    std::unique_ptr<Portion> portion_;
};

void make_grower(PooledGrower* to, nb::handle plan, const std::vector<u32>& n_values,
                 const std::vector<In<double>>& edges, const std::vector<double>& counts,
                 const std::vector<double>& weights, const std::vector<double>& some, u32 few,
                 std::pair<u32, u32> along, const std::optional<MomentsOf>& moments) {
    nb::handle functions;
    const Plan p = plan_of(plan, functions);
    const bool numbers = Registry::find(Registry::get().criteria, p.criterion).traits.regression;
    const u32 n_classes = numbers ? 0 : static_cast<u32>(counts.size());
    new (to) PooledGrower(layout_of(n_values, edges, n_classes, along), p, counts, weights, some, few,
                          moments_from(moments));
}

void measured(PooledGrower& g, In<double> state, std::optional<In<double>> spreads) {
    if (!spreads) return g.measured(span_of(state));
    const std::span<const NumbersSoFar> so_far = numbers_in(begin_of(state), state.shape(0), g.unmeasured().size());
    g.measured(so_far, span_of(*spreads));
}

// The moments of all columns, of sums about origins as portions tell them.
MomentsOf moments_of_sums(std::vector<double> origins, In<double> added, In<double> most) {
    ColumnSums s(std::move(origins));
    const std::size_t d = s.origin.size();
    if (added.shape(0) != 3 * d + 1 || most.shape(0) != d) throw std::invalid_argument("sums of other columns");
    const double* from = begin_of(added);
    for (auto* v : {&s.weight, &s.sum, &s.squares}) std::copy_n(from, d, v->begin()), from += d;
    s.total = *from;
    std::copy_n(begin_of(most), d, s.most.begin());
    const Moments m = s.moments();
    return {m.means, m.spreads, m.magnitudes, m.centers, m.centered};
}

// How many directions a family makes from sums at most, of so many classes (0: numbers) and columns; 0: it cannot.
u64 most_directions(const std::string& split, u64 n_classes, u64 n_columns) {
    const ByMoments* how = find_by_moments(split);
    return how ? how->most(n_classes == 0 ? 2 : n_classes, n_columns) : 0;
}

void summed(PooledGrower& g, In<double> sums, In<double> ends, const std::vector<In<double>>& some) {
    std::vector<std::vector<double>> rows;
    for (const auto& s : some) rows.push_back(copy_of(s));
    if (sums.shape(0) == 0 || ends.shape(0) == 0) throw std::invalid_argument("the sums are of another size");
    g.summed(begin_of(sums), begin_of(ends), rows);
}

void scattered(PooledGrower& g, std::optional<In<double>> products) {
    if ((products ? products->shape(0) : 0) != g.asked().size() * g.n_products())
        throw std::invalid_argument("the products are of another size");
    interruptible(nb::none(), [&](Budget& budget) { g.scattered(products ? begin_of(*products) : nullptr, budget); });
}

nb::tuple about(const PooledGrower& g) {
    auto [points, missing] = g.about();
    return nb::make_tuple(to_numpy(std::move(points)), to_numpy(std::move(missing)));
}

std::vector<std::vector<Direction>> along(const PooledGrower& g) {
    std::vector<std::vector<Direction>> found;
    for (auto& lines : g.along()) {
        found.emplace_back();
        for (Along& a : lines) found.back().emplace_back(Terms{a.columns, a.weights, a.centers}, a.edges);
    }
    return found;
}

void counted(PooledGrower& g, In<u32> rows, std::optional<In<double>> sums, std::size_t size,
             std::optional<In<double>> ends) {
    if (rows.shape(0) != g.asked().size() * size || (sums ? sums->shape(0) : 0) != g.asked().size() * g.n_sums() ||
        (ends ? ends->shape(0) : 0) != g.asked().size() * g.n_ends())
        throw std::invalid_argument("the sums are of another size");
    g.counted(begin_of(rows), sums ? begin_of(*sums) : nullptr, ends ? begin_of(*ends) : nullptr);
}

nb::tuple wanted(PooledGrower& g) {
    const auto bins = interruptible(nb::none(), [&](Budget& budget) { return g.wanted(budget); });
    std::vector<u32> node, column, bin, rows;
    std::vector<u8> all;
    std::vector<double> center;
    for (const WantedBin& b : bins) {
        rows.push_back(b.rows);
        center.push_back(b.center);
        node.push_back(b.node);
        column.push_back(b.column);
        bin.push_back(b.bin);
        all.push_back(b.all ? 1 : 0);
    }
    return nb::make_tuple(to_numpy(std::move(node)), to_numpy(std::move(column)), to_numpy(std::move(bin)),
                          to_numpy(std::move(all)), to_numpy(std::move(center)), to_numpy(std::move(rows)));
}

void found(PooledGrower& g, const Numbers& numbers) {
    const auto& [node, column, number, cls, rows, weight, sum] = numbers;
    FoundNumbers f;
    f.node = copy_of(node);
    f.column = copy_of(column);
    f.number = copy_of(number);
    f.cls = copy_of(cls);
    f.rows = copy_of(rows);
    if (weight) f.weight = copy_of(*weight);
    if (sum) f.sum = copy_of(*sum);
    interruptible(nb::none(), [&](Budget& budget) { g.found(f, budget); });
}

std::vector<Step> settle(PooledGrower& g) {
    const auto found = interruptible(nb::none(), [&](Budget& budget) { return g.settle(budget); });
    std::vector<Step> steps;
    for (const FoundSplit& m : found) {
        const SplitView s = view_of(m.split, {});
        std::vector<double> centers;
        for (u32 c : m.split.term_columns) centers.push_back(g.moments().centered ? g.moments().centers[c] : 0.0);
        steps.emplace_back(m.node, m.first, m.n_children, static_cast<int>(s.kind), s.column, s.cut, s.without,
                           m.split.values, std::vector<u32>(m.split.goes_left.begin(), m.split.goes_left.end()),
                           Terms{m.split.term_columns, m.split.term_weights, centers});
    }
    return steps;
}

}  // namespace

void bind_pooled(nb::module_& m) {
    nb::class_<BoundPortion>(m, "Portion", "Rows of a table that lies on several machines, by node.")
        .def(nb::init<BoundData, const std::vector<u32>&, const std::vector<In<double>>&, std::pair<u32, u32>>(),
             "data"_a, "n_values"_a, "edges"_a, "along"_a = std::pair<u32, u32>(0, 0))
        .def(
            "drawn", [](const BoundPortion& whole, In<u32> rows) { return BoundPortion(whole, rows); }, "rows"_a,
            "The portion of some of its rows, in their order, which may repeat; bins are shared.")
        .def("n_rows", &BoundPortion::n_rows, "node"_a)
        .def("count", &BoundPortion::count, "nodes"_a, "centers"_a, "rows"_a.noconvert(), "sums"_a.noconvert().none(),
             "Adds the rows of nodes, by cell and class, and what else is summed up.")
        .def("column_sums", &BoundPortion::column_sums, "origins"_a, "What its rows add to the moments of columns.")
        .def("sums", &BoundPortion::add_sums, "nodes"_a, "means"_a, "centers"_a, "steps"_a,
             "Sums of the numbers of nodes for each class, their ends, and some rows of each.")
        .def("scatter", &BoundPortion::scatter, "nodes"_a, "means"_a, "centers"_a, "about"_a, "missing"_a, "each"_a,
             "Sums of products of the numbers of nodes.")
        .def("aim", &BoundPortion::aim, "nodes"_a, "directions"_a, "Gives nodes their directions.")
        .def("raise_ends", &BoundPortion::add_ends, "nodes"_a, "ends"_a.noconvert(),
             "Raises the ends of bins along them: −least and greatest position.")
        .def("measure", &BoundPortion::measure, "nodes"_a, "state"_a.noconvert(),
             "Goes on with the means of the numbers to be predicted at nodes, six numbers of state for each, or with "
             "their class weights.")
        .def("add_spreads", &BoundPortion::add_spreads, "nodes"_a, "state"_a.noconvert(), "spreads"_a.noconvert(),
             "Goes on with their squared distances from those means.")
        .def("find", &BoundPortion::find, "bins"_a,
             "The numbers in bins of nodes: node, column, number, class, rows, weight, sum.")
        .def("divide", &BoundPortion::divide, "steps"_a, "Sends the rows of nodes on to their children.")
        .def("take", &BoundPortion::take, "node"_a, "The rows of a node: numbers, codes, classes, weights.");
    nb::class_<PooledGrower>(m, "PooledGrower", "Grows the top of a tree from counts that were added up.")
        .def("__init__", &make_grower, "plan"_a, "n_values"_a, "edges"_a, "counts"_a, "weights"_a, "some"_a, "few"_a,
             "along"_a = std::pair<u32, u32>(0, 0), "moments"_a.none() = nb::none())
        .def_prop_ro("done", &PooledGrower::done)
        .def_prop_ro("open_rows", &PooledGrower::open_rows)
        .def_prop_ro("weight", &PooledGrower::weight)
        .def_prop_ro("n_sums", &PooledGrower::n_sums, "Sums of a node beside its counts.")
        .def("unmeasured", &PooledGrower::unmeasured,
             "The nodes whose numbers to be predicted, or class weights, are to be measured.")
        .def("measured", &measured, "state"_a, "spreads"_a.none(), "What came of that.")
        .def("asked", &PooledGrower::asked, "The nodes whose rows are to be counted.")
        .def("centers", &PooledGrower::centers, "What their sums are about.")
        .def_prop_ro("directed", &PooledGrower::directed, "Are splits along directions, that are made of sums first?")
        .def_prop_ro("n_products", &PooledGrower::n_products)
        .def_prop_ro("n_ends", &PooledGrower::n_ends)
        .def_prop_ro("of_each_group", &PooledGrower::of_each_group)
        .def("steps", &PooledGrower::steps, "Every so many rows of each node are asked for.")
        .def("summed", &summed, "sums"_a, "ends"_a, "some"_a, "What the sums of the nodes are.")
        .def("about", &about, "What products are about: points of all groups of each node; of missing numbers.")
        .def("scattered", &scattered, "products"_a.none(), "These: directions are made.")
        .def("along", &along, "The directions of the nodes asked for: terms and edges.")
        .def("counted", &counted, "rows"_a, "sums"_a.none(), "size"_a, "ends"_a.none() = nb::none(),
             "Their counts, `size` of them for each node.")
        .def("wanted", &wanted, "The bins whose numbers are to be found.")
        .def("found", &found, "numbers"_a, "What was found in them, of some nodes all.")
        .def("settle", &settle, "Finds the splits of the nodes that were counted, and makes what can be made.")
        .def(
            "take_moved",
            [](PooledGrower& g) {
                std::vector<std::tuple<u32, u32, u64, u32>> out;
                for (const MovedNode& n : g.take_moved()) out.emplace_back(n.id, n.depth, n.path, n.n_rows);
                return out;
            },
            "Nodes that are to be grown in one place: number, depth, path, rows.")
        .def("graft", &PooledGrower::graft, "node"_a, "subtree"_a)
        .def("finish", [](PooledGrower& g) {
            return interruptible(nb::none(), [&](Budget& budget) { return std::move(g).finish(budget); });
        });
    m.attr("PooledGrower").attr("weight_parts") = PooledGrower::kParts;
    m.def("moments_of_sums", &moments_of_sums, "origins"_a, "added"_a, "most"_a,
          "Means, spreads, magnitudes and centers of columns, and whether they are centered.");
    m.def("most_directions", &most_directions, "split"_a, "n_classes"_a, "n_columns"_a,
          "How many directions a split makes from sums, at most; 0: it needs rows.");
    m.def(
        "grow_below",
        [](const BoundData& data, nb::handle plan, u32 depth, u64 path, double weight,
           const std::optional<MomentsOf>& moments, const nb::object& progress) {
            const Moments own = moments_from(moments);
            return grow_subtree(data, plan, {depth, path, weight, moments ? &own : nullptr}, progress);
        },
        "data"_a, "plan"_a, "depth"_a, "path"_a, "weight"_a, "moments"_a.none() = nb::none(),
        "progress"_a.none() = nb::none(),
        "The subtree below a node, from the rows that came to it; `weight` and `moments` are those of all rows.");
}

}  // namespace bough
