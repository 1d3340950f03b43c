// The graph of the values of a table, whose cuts are what a criterion scores, and the search for a
// large cut: GreedyCut, then single moves and swaps while they gain.
#pragma once

#include "nominal/family.hpp"

namespace bough {

// How far a cut is improved.
struct LocalSearch {
    u32 most_swapped = 2000;  // values up to which swaps are tried; beyond, single moves only
    u64 most_steps = 0;       // moves and swaps; 0: no limit
    double least_gain = 0;    // of each of them, as a share of all edges
    bool any = true;
};
// The parameters of a local search, and what they say.
std::vector<Param> local_params();
LocalSearch local_of(const Params& params, u32 most_swapped);

class Graph {
   public:
    Graph(const Contingency& t, const PartitionSink& sink);

    u32 size() const { return t_.n_values; }
    // Edges of a value to all values; valid until the next call.
    const double* row(u32 value);
    // What makes a gain of the weight of a cut.
    double scale() const { return graph_.scale(rows_); }
    double total() const { return total_; }  // of all edges; where they are not kept, once a cut was made

    double cut(std::span<const u8> left);
    double gain_of_move(std::span<const u8> left, u32 value);

    // A cut, and what it gains by each value's change of sides.
    struct Cut {
        std::vector<u8> left;
        std::vector<double> moves;
    };
    // Values in their order, each to the side to which it has less weight; ties go left.
    Cut greedy_cut();
    Cut cut_of(std::vector<u8> left);
    // Every pair is in two moves, against it where it is cut.
    double weight(const Cut& cut) const;
    // Moves and, of not too many values, swaps, the first that gains each time.
    void improve(Cut& cut, const LocalSearch& local);

   private:
    static constexpr u32 kKept = 2048;  // values whose edges are kept: 32 MiB

    std::vector<double> gains_of_moves(std::span<const u8> left);
    bool swap_once(Cut& cut, double least);
    void move(Cut& cut, u32 value);
    Side side(std::span<const double> w) const { return Side(w).of(t_.classes); }

    const Contingency& t_;
    const PartitionSink& sink_;
    const ValueGraph& graph_;
    ValueRows rows_;
    bool by_class_;  // edges are not kept, and those between two groups are a function of their class weights
    double total_ = 0;
    std::vector<double> edges_, row_;
};

}  // namespace bough
