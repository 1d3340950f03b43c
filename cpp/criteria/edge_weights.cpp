// edge_weights: the weight of a cut in the graph of categories whose edges the user's own function weighs. The two
// sides of a numeric cut are two categories; all cuts of a list are weighed in one call.
#include "criteria/impurity.hpp"
#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

class OwnEdges : public FromGini {
   public:
    static constexpr Traits traits{.multiway = false, .graph = true, .sums = false};
    static Info info() {
        return {"edge_weights",
                "Σ over categories i left, j right of what your own function says: criterion=bough.edge_weights(fn)",
                "Mello Pereira 2018, §3.2"};
    }
    explicit OwnEdges(const Target& target) : edges_(target.edges), exponent_(target.exponent) {}

    template <class R>
    R gain(const SideOf<R>& l, const SideOf<R>& r) const {
        std::vector<double> left, right;
        append(left, l.w);
        append(right, r.w);
        return static_cast<R>(weighed(left, right, static_cast<u32>(l.size()), 2)[0]);
    }
    static Gain unit(const Node&) { return 0; }  // ties are relative to the gain itself

    // Of many cuts in two: class weights of the left and of the right sides, one cut after the other.
    std::vector<double> gains_of(std::vector<double> left, std::vector<double> right, u32 n_classes) const {
        for (auto* side : {&left, &right})
            for (double& w : *side) w = std::ldexp(w, exponent_);
        return weighed(left, right, n_classes, 2);
    }
    void edges(const ValueRows& rows, u32 value, u32 upto, double* out) const {
        if (upto == 0) return;
        std::vector<double> left, right;
        for (u32 v = 0; v < upto; ++v) {
            append(left, rows.side(value).w);
            append(right, rows.side(v).w);
        }
        const std::vector<double> found = weighed(left, right, rows.n_classes, rows.n_values);
        std::copy(found.begin(), found.end(), out);
        if (value < upto) out[value] = 0;
    }
    double edge(const Side& a, const Side& b) const { return gain(a, b); }
    static double edge_scale(const ValueRows&) { return 1; }

   private:
    // In the user's own weights.
    template <class R>
    void append(std::vector<double>& to, std::span<const R> weights) const {
        for (R w : weights) to.push_back(static_cast<double>(std::ldexp(w, exponent_)));
    }
    std::vector<double> weighed(const std::vector<double>& left, const std::vector<double>& right, u32 n_classes,
                                u32 n_values) const {
        if (!edges_)
            throw std::invalid_argument("criterion='edge_weights' needs a function: criterion=bough.edge_weights(fn)");
        return (*edges_)(left, right, static_cast<u32>(left.size() / n_classes), n_classes, n_values);
    }
    const EdgeWeights* edges_;
    int exponent_;
};

void register_edge_weights(Registry& r) {
    CriterionPlugin plugin = criterion_plugin<OwnEdges>();
    plugin.function = true;
    r.criteria.push_back(std::move(plugin));
}

}  // namespace bough
