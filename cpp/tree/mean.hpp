// What many trees say together: the mean of what the nodes say in which a row ends, or, of boosted trees, a weighted
// sum; tree by tree in their order.
#pragma once

#include "tree/packed_forest.hpp"

namespace bough {

// Adds what a tree says, times `rate`, to every `stride`-th number, for rows begin … end−1; `nodes` is scratch memory.
void add_tree(const Tree& tree, std::span<const Column> columns, u64 begin, u64 end, bool missing, double rate,
              double* to, u64 stride, std::vector<u32>& nodes);

// How boosted trees are added up: round by round one tree for each output, in steps shortened by `rate`.
struct Stages {
    std::vector<double> start;  // for each output; empty: a mean
    double rate = 1;
};

class MeanOfTrees {
   public:
    // The trees stay where they are. `values`: what every node of every tree says, a number for each output; empty: the
    // class shares of its rows, or their mean.
    MeanOfTrees(std::vector<const Tree*> trees, std::vector<std::vector<double>> values, Stages stages = {});

    u32 n_outputs() const { return n_outputs_; }
    const TreeParts& parts() const { return trees_[0]->parts(); }
    // Rows that are best asked at once: what is read of them again and again by tree after tree stays in a cache.
    u64 rows_at_once() const;
    // For rows begin … end−1, row by row; `missing` tells whether values may be missing.
    void predict(std::span<const Column> columns, u64 begin, u64 end, double* out, bool missing) const;

   private:
    // Most leaves are pure: they say 1 for the class of their answer. Any other answer, less the number of classes, is
    // the place of its shares in the pool: from begin[place] to begin[place + 1].
    struct Stakes {
        std::vector<u32> by_node;
        std::vector<u64> begin{0};
        std::vector<double> pool;
        std::vector<u32> classes;  // of the shares, where they are listed
    };
    void add_shares(const Tree& tree);
    u32 shares_at(const Tree& tree, u32 node, Stakes& to) const;

    std::vector<const Tree*> trees_;
    std::vector<std::vector<double>> values_;
    std::vector<Stakes> stakes_;
    PackedForest packed_;
    Stages stages_;
    u32 n_outputs_;
};

}  // namespace bough
