// What a tree is grown from: rows of the data, which may repeat, and what each of them weighs.
#pragma once

#include "base/budget.hpp"
#include "data/table.hpp"
#include "data/target.hpp"

namespace bough {

struct Data {
    Table table;
    Target target;
};

struct Sample {
    bool all_rows = true;             // every row of the data, once
    std::span<const u32> rows;        // otherwise: these, in this order
    std::span<const double> weights;  // one for each of the rows; empty: as in the data
};

// The rows of a sample as data of their own, as if nothing else had been read. Inside the core a row is a place
// in the sample, so a row that is drawn twice is two rows. The whole sample is the data itself; any other is
// copied: rows that lie in one piece stay in one piece.
class SampledData {
   public:
    SampledData(const Data& data, const Sample& sample, Budget& budget);
    const Data& data() const { return data_; }
    // Trees that grow from this data later need not sort it again.
    void keep_sorted(SortedLists& lists) {
        data_.table.sorted = &lists;
        data_.table.places = {};
    }

   private:
    Data data_;
    RawBuffer<double> values_;
    RawBuffer<i32> codes_;
    std::vector<u32> classes_, places_, origins_;
    std::vector<double> numbers_, weights_;
};

}  // namespace bough
