// Sums of the children of a split that is given row by row.
#pragma once

#include "data/target.hpp"
#include "score/node.hpp"
#include "score/scorer.hpp"
#include "tree/split.hpp"

namespace bough {

class SideSums {
   public:
    SideSums(const Node& node, const Target& target, u32 n_children)
        : node_(node),
          target_(target),
          k_(node.present.size()),
          w_(n_children * k_, 0.0),
          z_(n_children * k_, 0.0),
          rows_(n_children, 0),
          place_(node.weights.size(), 0),
          exact_(target.regression() && !target.leaf.ordered() && node.image.keeps_rows() ? n_children : 0),
          listed_(target.leaf.ordered() ? n_children : 0) {
        for (u32 d = 0; d < k_; ++d) place_[node.present[d]] = d;
    }
    // `position` is read by criteria that look at projections.
    void add(u32 child, u32 row, double position) {
        ++rows_[child];
        if (!listed_.empty()) return listed_[child].push_back(row);
        if (!exact_.empty()) {
            const double y = target_.numbers[row];
            return target_.weighted() ? node_.image.add(y, exact_[child], target_.weights[row])
                                      : node_.image.add(y, exact_[child]);
        }
        const double w = target_.weight(row);
        const std::size_t at = child * k_ + (target_.regression() ? 0 : place_[target_.classes[row]]);
        w_[at] += w;
        z_[at] += w * (target_.regression() ? target_.numbers[row] - node_.mean : position);
    }
    Side side(u32 child, bool with_positions) {
        if (!listed_.empty()) {
            Node own;
            measure(own, target_, listed_[child]);
            w_[child] = own.total;
            return node_.view(Side({w_.data() + child, 1})).losing(own.value, own.loss, node_.loss);
        }
        if (!exact_.empty()) {
            w_[child] = node_.weight_of(exact_[child]);
            z_[child] = node_.distances_of(exact_[child]);
        }
        const std::span<const double> w(w_.data() + child * k_, k_), z(z_.data() + child * k_, k_);
        return node_.view(with_positions ? Side(w, z) : Side(w));
    }
    // Do both children have as many rows as they must?
    bool keep(const LeafLimits& limits) const {
        const u32 least = std::max(1u, limits.min_rows);
        return rows_[0] >= least && rows_[1] >= least;
    }
    // Scores the two children and offers `split` if they keep the limits.
    void offer(const Scorer& scorer, const LeafLimits& limits, const Split& split, const Key& key, u32 family,
               Best& best) {
        const bool z = scorer.traits().projection || scorer.traits().regression;
        const Side l = side(0, z), r = side(1, z);
        const double balance = std::min(l.total, r.total);
        if (!keep(limits) || balance < limits.min_weight) return;
        best.offer({scorer.gain(l, r),
                    balance,
                    key,
                    family,
                    {.split = std::make_shared<const Split>(split)},
                    {l, r, node_.ruled}});
    }

   private:
    const Node& node_;
    const Target& target_;
    std::size_t k_;
    std::vector<double> w_, z_;
    std::vector<u32> rows_, place_;
    std::vector<ExactSum> exact_;           // of a numeric target
    std::vector<std::vector<u32>> listed_;  // rows, where the order of the target counts
};

}  // namespace bough
