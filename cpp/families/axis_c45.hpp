// axis with parameters, as C4.5 cuts: admissible sides, the first of the cuts that gain most, the price of having had a
// choice, and a cut that is a value of the table.
#pragma once

#include "base/slack.hpp"
#include "grow/family.hpp"

namespace bough {

// The parameters of axis; those that are not at their defaults make it cut as C4.5 does.
std::vector<Param> c45_params();
bool is_c45(const Params& params);

class C45Cuts {
   public:
    // Numbers further apart than this are parted for sure.
    static constexpr double kSurelyApart = 2 * kApart;

    C45Cuts(const Problem& problem, const Params& params);
    // Offers the best cut of a column, as a cut of its only list. Payload::x: bits for each unit of weight that it
    // tells, its price taken off.
    void offer(const Node& node, const PackedColumn& column, const CutSink& sink) const;
    // Where a cut between two values goes.
    double stored(double cut, u32 column) const;

   private:
    struct Scratch {
        std::vector<double> left, right;        // weight of each class
        std::vector<double> at_left, at_right;  // ... at the best cut
        std::vector<double> of_left, of_right;  // x·log2 x of them
        std::vector<u32> touched;               // classes of the rows since the last cut that was looked at
    };
    // The best cut of a list, of equals the first: before which entry, what it gains, among how many.
    struct Cut {
        u32 place = 0, candidates = 0;
        double gain = 0;
    };
    template <bool kWeighted>
    Cut best_cut(const Node& node, const PackedColumn& column, double known, double least, Scratch& scratch) const;

    const Problem& problem_;
    bool tenth_, price_, values_;
    std::vector<double> x_log_x_;  // of whole numbers, where rows weigh 1
};

}  // namespace bough
