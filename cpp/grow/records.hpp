// Nodes in the order in which they were grown, and their way into preorder.
#pragma once

#include <deque>

#include "data/table.hpp"
#include "data/target.hpp"
#include "score/node.hpp"
#include "tree/writer.hpp"

namespace bough {

struct Record {
    double gain = 0;
    double mean = 0, spread = 0;  // of an inner node with a numeric target: what it would predict, and what that costs
    u32 split = kNone;            // place in `splits`, kNone for a leaf
    u32 first_child = kNone;
    u32 leaf = kNone;     // place in the leaf pools
    u32 rows = 0;         // of an inner node
    u32 stayed = kNone;   // place in the leaf pools of rows that ended at an inner node
    u32 test = kNone;     // place in `tests`, kNone where no column was tested
    u32 subtree = kNone;  // place in `wholes` of a subtree that was grown by itself, this node its root
    std::shared_ptr<const NodeLines> lines;  // of a linear leaf, and above one
};

struct Records {
    std::vector<Record> nodes;
    // A vector would need twice as much of these while it grows.
    std::deque<Split> splits;
    std::deque<double> leaf_weights;
    std::vector<u32> leaf_rows;
    std::vector<u64> leaf_begin;   // where the weights of a leaf begin
    std::deque<u32> leaf_classes;  // of the weights, where there are many classes
    std::vector<double> leaf_means, leaf_spreads;
    std::vector<std::vector<double>> tests;  // log p-values of the columns
    std::vector<TreeParts> subtrees;

    u32 add() {
        nodes.emplace_back();
        return static_cast<u32>(nodes.size() - 1);
    }
    // `classes`: those of the node by number, where they are not numbered as in the target.
    void make_leaf(u32 record, const Node& node, const Target& target, std::span<const u32> classes = {}) {
        nodes[record].leaf = sums(node, target, classes);
        nodes[record].lines = node.lines;
    }
    // Keeps what is known of rows that ended together; returns their place in the leaf pools.
    u32 sums(const Node& node, const Target& target, std::span<const u32> classes = {});
    // Keeps what was found out about the columns of a node; nothing if `log_p` is empty.
    void tested(u32 record, std::span<const double> log_p) {
        if (log_p.empty()) return;
        nodes[record].test = static_cast<u32>(tests.size());
        tests.emplace_back(log_p.begin(), log_p.end());
    }
    // An inner node, and as many nodes for its children; returns the first. `stayed`: rows that go to none of them.
    u32 make_inner(u32 record, Split split, double gain, const Node& node, const Node& stayed, const Target& target,
                   std::span<const u32> classes = {});
    void make_subtree(u32 record, TreeParts parts) {
        nodes[record].subtree = static_cast<u32>(subtrees.size());
        subtrees.push_back(std::move(parts));
    }
    TreeParts in_preorder(const Table& table, const Target& target, Missing missing) &&;
};

// A writer of trees over the columns of a table.
TreeWriter writer_for(const Table& table, const Target& target, Missing missing);
// The means of leaves in the user's numbers.
void restore_means(TreeParts& parts, const Target& target, double offset);

}  // namespace bough
