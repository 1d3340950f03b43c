// The best split of a node, found but not yet made, and what its children would be.
#pragma once

#include "score/best.hpp"
#include "score/node.hpp"
#include "tree/split.hpp"

namespace bough {

struct Decision {
    Candidate candidate;
    const Split* given = nullptr;  // that is made whatever is better; null: the candidate's
    Split split;
    std::vector<Node> children;
    std::vector<u8> open;    // per child: may it be split further?
    Node stayed;             // rows that go to none of them
    double gain = 0;         // that is kept with the split
    double improvement = 0;  // weighted decrease of impurity, for growing best first
};

}  // namespace bough
