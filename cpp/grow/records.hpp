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
    u32 leaf = kNone;                        // place in the leaf pools
    u32 rows = 0;                            // of an inner node
    u32 stayed = kNone;                      // place in the leaf pools of rows that ended at an inner node
    u32 test = kNone;                        // place in `tests`, kNone where no column was tested
    u32 subtree = kNone;                     // place in `subtrees` of one that was grown by itself, this node its root
    std::shared_ptr<const NodeLines> lines;  // of a linear leaf, and above one
};

class Records {
   public:
    Records(const Table& table, const Target& target, Missing missing)
        : table_(table), target_(target), missing_(missing) {}

    u32 add() {
        nodes_.emplace_back();
        return static_cast<u32>(nodes_.size() - 1);
    }
    // `classes`: those of the node by number, where they are not numbered as in the target.
    void make_leaf(u32 record, const Node& node, std::span<const u32> classes = {}) {
        nodes_[record].leaf = sums(node, classes);
        nodes_[record].lines = node.lines;
    }
    // Keeps what was found out about the columns of a node; nothing if `log_p` is empty.
    void tested(u32 record, std::span<const double> log_p) {
        if (log_p.empty()) return;
        nodes_[record].test = static_cast<u32>(tests_.size());
        tests_.emplace_back(log_p.begin(), log_p.end());
    }
    // An inner node, and as many nodes for its children; returns the first. `stayed`: rows that go to none of them.
    u32 make_inner(u32 record, Split split, double gain, const Node& node, const Node& stayed,
                   std::span<const u32> classes = {});
    void make_subtree(u32 record, TreeParts parts) {
        nodes_[record].subtree = static_cast<u32>(subtrees_.size());
        subtrees_.push_back(std::move(parts));
    }
    TreeParts in_preorder() &&;

   private:
    // Keeps what is known of rows that ended together; returns their place in the leaf pools.
    u32 sums(const Node& node, std::span<const u32> classes);

    const Table& table_;
    const Target& target_;
    const Missing missing_;
    std::vector<Record> nodes_;
    // A vector would need twice as much of these while it grows.
    std::deque<Split> splits_;
    std::deque<double> leaf_weights_;
    std::vector<u32> leaf_rows_;
    std::vector<u64> leaf_begin_;   // where the weights of a leaf begin
    std::deque<u32> leaf_classes_;  // of the weights, where there are many classes
    std::vector<double> leaf_means_, leaf_spreads_;
    std::vector<std::vector<double>> tests_;  // log p-values of the columns
    std::vector<TreeParts> subtrees_;
};

// A writer of trees over the columns of a table.
TreeWriter writer_for(const Table& table, const Target& target, Missing missing);
// The means of leaves in the user's numbers.
void restore_means(TreeParts& parts, const Target& target, double offset);

}  // namespace bough
