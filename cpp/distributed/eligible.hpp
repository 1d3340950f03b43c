// Which plans can be grown from counts that are added up.
#pragma once

#include "grow/plan.hpp"

namespace bough {

// What a plan is for.
struct Circumstances {
    bool numbers = true;             // is there a numeric column?
    bool regression = false;         // is a number predicted?
    bool forest = false;             // is it a tree of a forest?
    bool functions = false;          // does it call functions of the user's own?
    bool class_weights = false;      // do priors or costs weigh classes in splits?
    bool pair_costs = false;         // do splits look at costs of pairs of classes?
    double distance = 1;             // the greatest of the numbers to be predicted
    std::vector<double> some;        // the least and the greatest weight of a row; empty: all weigh 1
    std::vector<double> magnitudes;  // of columns that directions go along; empty: not known yet
};

// What in a plan needs the rows of every node in one place, in words; empty: nothing does.
std::string why_in_one_place(const Plan& plan, const Circumstances& c);

}  // namespace bough
