// A linear split of few columns for rows of which each gains something by going to the left: columns are added one by
// one, the coefficients are those of a logistic model of the better side, weighted by the gains, and the cut along
// them is exact. A nominal column is a term with a score for each of its values: what the model so far lacks there.
#pragma once

#include "data/moments.hpp"
#include "refine/cuts.hpp"

namespace bough {

class Linear {
   public:
    Linear(const Table& table, std::span<const OrderedColumn> ordered, const Moments& moments, u32 most_terms,
           u32 min_value_rows, Budget& budget);
    // The best split of two terms and more of a slot, if one is worth more than `worth` with a price for each term.
    // Offers of no gain: there is none.
    Offer best(const RowGains& gains, u32 slot, double price, double worth, Team& team) const;

   private:
    class Search;

    const Table& table_;
    std::span<const OrderedColumn> ordered_;
    const Moments& moments_;
    u32 most_terms_, min_value_rows_;
    Budget& budget_;
    std::vector<u32> columns_;   // that can be terms
    std::vector<double> scale_;  // per column: what makes its spread 1
    bool gaps_ = false;          // some number is missing
};

}  // namespace bough
