// oc1: Oblique Classifier 1. Climbs from the best axis cut and from random planes; when no coefficient can
// be improved any more it tries a few random directions before it gives up.
#include "directions/hill.hpp"

namespace bough {

namespace {

// Changes every coefficient in turn to its best value until none improves the plane. Moves to a plane that
// is as good are made with a probability that sinks with every one of them.
void climb(const Hill& hill, Climber& climber, Plane& plane, Rng& rng) {
    std::vector<double> unit(hill.n_columns(), 0.0);
    double chance = 1;
    auto level = [&] {
        const bool go = rng.uniform() < chance;
        chance -= 0.1;
        return go;
    };
    for (bool better = true; better;) {
        better = false;
        for (u32 c = 0; c <= hill.n_columns(); ++c) {
            const bool last = c == hill.n_columns();
            if (!last) unit[c] = 1;
            const auto move = last ? climber.move(plane, nullptr, -1, climber.ones(), level)
                                   : climber.move(plane, unit.data(), 0, hill.column(c), level);
            if (!last) unit[c] = 0;
            if (move == Climber::Move::better) better = true, chance = 1;
        }
        Plane settled = plane;
        climber.settle(settled);
        if (settled.gain >= plane.gain) plane = std::move(settled);
    }
}

// One random line through the plane.
bool jump(const Hill& hill, Climber& climber, Plane& plane, Rng& rng) {
    std::vector<double> da(hill.n_columns()), p(hill.n_rows());
    for (double& a : da) a = 2 * rng.uniform() - 1;
    const double dt = 2 * rng.uniform() - 1;
    std::fill(p.begin(), p.end(), -dt);
    for (u32 c = 0; c < hill.n_columns(); ++c)
        for (u32 i = 0; i < hill.n_rows(); ++i) p[i] += da[c] * hill.column(c)[i];
    return climber.move(plane, da.data(), dt, p.data()) == Climber::Move::better;
}

void find(DirectionNode& node, u32 restarts, u32 jumps) {
    // Too few rows to tell a plane from chance: the axis cuts are all there is.
    if (node.n_rows() < 2 * node.n_columns()) return;
    const Hill hill(node, mean_and_deviation);
    if (hill.n_columns() < 2) return;
    std::vector<Plane> planes(restarts);
    node.each(restarts, [&](std::size_t r, int) {
        Climber climber(hill);
        Rng rng = Rng::at(node.problem.seed, child_path(node.node.path, static_cast<u32>(r)));
        Plane& plane = planes[r];
        if (r == 0) {
            plane = climber.best_axis();
            if (plane.gain == -kInf) return;
        } else {
            plane.a.resize(hill.n_columns());
            for (double& a : plane.a) a = 2 * rng.uniform() - 1;
            plane.t = 2 * rng.uniform() - 1;
            climber.settle(plane);
        }
        climb(hill, climber, plane, rng);
        for (u32 tried = 0; tried < jumps;) {
            if (jump(hill, climber, plane, rng)) {
                climb(hill, climber, plane, rng);
                tried = 0;
            } else {
                ++tried;
            }
        }
        plane.v.clear();
    });
    std::vector<double> directions;
    for (const Plane& plane : planes) {
        if (plane.gain == -kInf) continue;
        const std::vector<double> w = hill.direction(plane.a);
        directions.insert(directions.end(), w.begin(), w.end());
    }
    node.offer(directions);
}

}  // namespace

void register_oc1(Registry& r) {
    FamilyPlugin plugin = direction_plugin(
        {"oc1",
         "hill climbing from the best axis cut and from random planes, with random jumps out of local optima",
         "Murthy, Kasif, Salzberg 1994",
         {{"restarts", "climbs per node; the first starts from the best axis cut", Param::Type::integer, 20, 1, 1e6},
          {"jumps", "random directions tried when no coefficient can be improved", Param::Type::integer, 5, 0, 1e6}}},
        [](const Problem& problem, const Params& params) -> DirectionFinder {
            needs_class_weights_only(problem, "oc1");
            return [restarts = params.count("restarts"), jumps = params.count("jumps")](DirectionNode& node) {
                find(node, restarts, jumps);
            };
        });
    plugin.joined_by = "axis";
    plugin.weights_only = true;
    r.splits.push_back(std::move(plugin));
}

}  // namespace bough
