// The nodes of a tree as prediction goes through them: breadth first, so that siblings are neighbours.
#pragma once

#include "tree/tree.hpp"

namespace bough {

// Calls put(step, node, child) for every node, `child` being the step of its first child or, for a leaf, its own;
// returns the nodes by step.
template <class Put>
std::vector<u32> in_steps(const Tree& tree, const Put& put) {
    std::vector<u32> nodes(tree.n_nodes(), 0);
    u32 next = 1;
    for (u32 s = 0; s < nodes.size(); ++s) {
        const auto below = tree.children(nodes[s]);
        put(s, nodes[s], below.empty() ? s : next);
        for (u32 child : below) nodes[next++] = child;
    }
    return nodes;
}

}  // namespace bough
