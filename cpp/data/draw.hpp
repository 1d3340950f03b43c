// Which rows each tree of a forest is grown from: drawn by its seed alone, so that nothing else changes them.
#pragma once

#include "data/sample.hpp"

namespace bough {

struct Draw {
    u32 size = 0;           // rows that a tree draws, with replacement; 0: it takes every row once
    bool balanced = false;  // the classes among the rows of a tree weigh the same
};

// How often each of n rows is drawn.
std::vector<u32> times_drawn(u32 n, u32 size, u64 seed);

// What one tree has drawn from a sample.
class Bootstrap {
   public:
    Bootstrap(const Data& data, const Sample& from, const Draw& draw, u64 seed);
    const Sample& sample() const { return sample_; }

   private:
    void balance(const Data& data);

    Sample sample_;
    std::vector<u32> rows_;
    std::vector<double> weights_;
};

// What the rows of a sample weigh together.
double weight_of(const Data& data, const Sample& sample);

}  // namespace bough
