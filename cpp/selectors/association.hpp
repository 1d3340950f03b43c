// How strongly a column and the target go together at a node. Hothorn, Hornik and Zeileis (2006) test it by
// c_quad = (t − μ)·Σ⁺·(t − μ)ᵀ; for one nominal or numeric column Σ is a Kronecker product of two matrices
// whose inverses are known, and c_quad is (N − 1) times a share between 0 and the degrees of freedom:
//
//   nominal column, classes    Pearson's χ² / N                                       (n−1)(k−1)
//   numeric column, classes    Σ_c (Σ_{i in c} w_i·(x_i − x̄))² / w_c / Σ w_i·(x_i − x̄)²    k−1
//   nominal column, numbers    Σ_v (Σ_{i in v} w_i·(y_i − ȳ))² / w_v / Σ w_i·(y_i − ȳ)²    n−1
//   numeric column, numbers    squared correlation                                     1
//
// A numeric column with gaps is two columns in one: whether it is missing, and how large it is where it is
// known. Those are uncorrelated, so shares and degrees of freedom add.
#pragma once

#include "nominal/contingency.hpp"
#include "score/problem.hpp"

namespace bough {

struct Association {
    double share = 0;
    double df = 0;  // 0: the column is constant here, and there is nothing to test
};

Association association(const Node& node, const Contingency& t);
Association association(const Node& node, const Column& column, const Target& target);

// The number of cases N of a node. Weights that are all integers below 2^32 count rows; others tell how much rows
// matter, and N is the number of equal rows that would know as much, (Σw)²/Σw² (Kish).
class Cases {
   public:
    explicit Cases(const Problem& problem);
    double of(const Node& node) const;
    // The share of the target's spread that the values of a column explain on average if rows and target are shuffled:
    // (V − 1)/(N − 1). Rows that were drawn more than once are one case that counts as often.
    double by_chance(const Node& node, const Column& column, const Contingency& t) const;

   private:
    const Target* target_;
    std::span<const u32> origins_;  // of the table
    bool integral_;
};

}  // namespace bough
