// Nodes in the order in which they were made, and their way into preorder.
#pragma once

#include "node.hpp"
#include "table.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace bough {

struct Record {
    double gain = 0;
    u32 split = kNone;  // place in `splits`, kNone for a leaf
    u32 first_child = kNone;
    u32 leaf = kNone;  // place in the leaf pools
};

struct Records {
    std::vector<Record> nodes;
    std::vector<Split> splits;
    std::vector<u32> leaf_rows;
    std::vector<double> leaf_weights, leaf_means, leaf_spreads;

    u32 add() {
        nodes.emplace_back();
        return static_cast<u32>(nodes.size() - 1);
    }
    void make_leaf(u32 record, const Node& node, const Target& target);
    // Puts a subtree grown elsewhere in the place of one of these nodes.
    void graft(u32 record, Records&& subtree);
    TreeParts in_preorder(const Table& table, const Target& target, double offset) &&;
};

}  // namespace bough
