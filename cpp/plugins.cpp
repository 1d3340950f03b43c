// The list of plug-ins: one line each, in the order in which they are shown.
#include "plugins.hpp"

// clang-format off
#define BOUGH_PLUGINS(X) \
    /* criteria */       \
    X(gini)              \
    X(entropy)           \
    X(gain_ratio)        \
    X(twoing)            \
    X(max_cut)           \
    X(squared_gini)      \
    X(chi2_cut)          \
    X(gini_cut)          \
    X(entropy_cut)       \
    X(edge_weights)      \
    X(chi2)              \
    X(squared_error)     \
    X(absolute_error)    \
    X(quantile)          \
    X(poisson)           \
    /* numeric splits */ \
    X(axis)              \
    X(random)            \
    X(pca)               \
    X(node_pca)          \
    X(node_means_pca)    \
    X(directions)        \
    X(lda)               \
    X(ridge)             \
    X(hhcart_a)          \
    X(hhcart_d)          \
    X(cart_lc)           \
    X(oc1)               \
    X(elc)               \
    /* nominal splits */ \
    X(auto)              \
    X(exact)             \
    X(superclass)        \
    X(hypercube_cover)   \
    X(largest_class_alone) \
    X(list_scheduling)   \
    X(pc)                \
    X(pc_ext)            \
    X(sliq)              \
    X(sliq_ext)          \
    X(flip_flop)         \
    X(k_means)           \
    X(guide)             \
    X(greedy)            \
    X(gw)                \
    X(one_vs_rest)       \
    X(multiway)          \
    X(partitioner)       \
    /* selectors */      \
    X(score)             \
    X(conditional_inference) \
    X(average_gain)      \
    /* missing values */ \
    X(missing)           \
    /* leaves */         \
    X(linear_leaves)     \
    /* refiners */       \
    X(alternate)         \
    X(optimal)           \
    /* pruners */        \
    X(cost_complexity)   \
    X(cost_complexity_cv) \
    X(collapse)          \
    X(training_errors)   \
    X(error_based)       \
    X(reduced_error)     \
    X(pessimistic)       \
    X(minimum_error)
// clang-format on

namespace bough {

#define X(name) void register_##name(Registry& r);
BOUGH_PLUGINS(X)
#undef X

void register_plugins(Registry& r) {
#define X(name) register_##name(r);
    BOUGH_PLUGINS(X)
#undef X
}

}  // namespace bough
