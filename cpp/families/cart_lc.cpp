// cart_lc: the linear combinations of CART. From the best axis cut it changes one coefficient after the
// other to its best value, turning the plane about three pivots, until a round gains little; then columns
// that matter little are left out.
#include "directions/hill.hpp"

namespace bough {

namespace {

struct Options {
    double tolerance, deletion;
};

// One round over all columns, then over the threshold.
void round(const Hill& hill, Climber& climber, Plane& plane) {
    static constexpr double kPivots[] = {-0.25, 0, 0.25};
    std::vector<double> unit(hill.n_columns(), 0.0), p(hill.n_rows());
    for (u32 c = 0; c < hill.n_columns(); ++c) {
        unit[c] = 1;
        // The best of the three lines v − δ·(x + pivot); each is tried from the same plane.
        Plane best = plane;
        for (const double pivot : kPivots) {
            for (u32 i = 0; i < hill.n_rows(); ++i) p[i] = hill.column(c)[i] + pivot;
            Plane turned = plane;
            if (climber.move(turned, unit.data(), -pivot, p.data()) == Climber::Move::better &&
                turned.gain > best.gain + hill.tie())
                best = std::move(turned);
        }
        plane = std::move(best);
        unit[c] = 0;
    }
    climber.move_threshold(plane);
}

// Leaves out the column whose loss costs least, while that is little beside the most costly one.
void delete_columns(const Hill& hill, Climber& climber, Plane& plane, double share) {
    for (;;) {
        Plane least;
        double low = kInf, high = -kInf;
        u32 used = 0;
        for (u32 c = 0; c < hill.n_columns(); ++c) {
            if (plane.a[c] == 0) continue;
            ++used;
            Plane without = plane;
            without.a[c] = 0;
            climber.settle(without);
            // its threshold is chosen anew, from nothing
            const Climber::Step step = climber.best_step(without.v, climber.ones());
            const double cost = static_cast<double>(plane.gain - step.gain);
            high = std::max(high, cost);
            if (!(cost < low)) continue;
            low = cost;
            without.t += step.delta;
            least = std::move(without);
        }
        if (used < 2 || !(low < share * high)) return;
        climber.settle(least);
        if (least.gain == -kInf) return;
        plane = std::move(least);
    }
}

void find(DirectionNode& node, const Options& options) {
    const Hill hill(node, median_and_quartiles);
    if (hill.n_columns() < 2) return;  // the axis cuts are all there is
    Climber climber(hill);
    Plane plane = climber.best_axis();
    if (plane.gain == -kInf) return;
    const Gain enough = std::max<Gain>(hill.tie(), options.tolerance * node.problem.scorer->unit(node.node));
    for (;;) {
        const Plane before = plane;
        round(hill, climber, plane);
        climber.settle(plane);
        if (plane.gain < before.gain) plane = before;  // lost to rounding
        if (!(plane.gain > before.gain + enough)) break;
    }
    if (options.deletion > 0) delete_columns(hill, climber, plane, options.deletion);
    node.offer(hill.direction(plane.a));
}

}  // namespace

void register_cart_lc(Registry& r) {
    FamilyPlugin plugin = direction_plugin(
        {"cart_lc",
         "starts from the best axis cut and sets one coefficient after another to its best value; then drops columns "
         "that matter little",
         "Breiman et al. 1984",
         {{"tolerance", "stop after a round over all columns that gains less than this share of the node's impurity",
           Param::Type::real, 0.001, 0, 1},
          {"deletion", "drop a column while that costs less than this share of what dropping the costliest would",
           Param::Type::real, 0.2, 0, 1}}},
        [](const Problem& problem, const Params& params) -> DirectionFinder {
            needs_class_weights_only(problem, "cart_lc");
            return [options = Options{params.get("tolerance"), params.get("deletion")}](DirectionNode& node) {
                find(node, options);
            };
        });
    plugin.joined_by = "axis";
    plugin.weights_only = true;
    r.splits.push_back(std::move(plugin));
}

}  // namespace bough
