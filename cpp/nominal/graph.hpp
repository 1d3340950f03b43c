// The graph of the values of a table, whose cuts are what a criterion scores, and the search for a
// large cut: GreedyCut, then single moves and swaps while they gain.
#pragma once

#include "nominal/family.hpp"

namespace bough {

class Graph {
   public:
    Graph(const Contingency& t, const PartitionSink& sink);

    u32 size() const { return t_.n_values; }
    // Edges of a value to all values; valid until the next call.
    const double* row(u32 value);
    double edge(u32 a, u32 b);
    // What makes a gain of the weight of a cut.
    double scale() const { return scale_; }
    double total() const { return total_; }  // of all edges

    double cut(std::span<const u8> left);
    double gain_of_move(std::span<const u8> left, u32 value);

    // Values in their order, each to the side to which it has less weight; ties go left.
    std::vector<u8> greedy_cut();
    // Moves and, up to `most_swapped` values, swaps, the first that gains each time.
    void improve(std::vector<u8>& left, u32 most_swapped);

   private:
    static constexpr u32 kKept = 2048;  // values whose edges are kept: 32 MiB

    std::vector<double> gains_of_moves(std::span<const u8> left);
    bool swap_once(std::vector<u8>& left, std::vector<double>& moves, double least);
    void move(std::vector<u8>& left, std::vector<double>& moves, u32 value);

    const Contingency& t_;
    const PartitionSink& sink_;
    bool additive_;  // the edges between two groups are a function of their class weights
    double scale_, total_ = 0;
    std::vector<double> edges_, row_;
};

}  // namespace bough
