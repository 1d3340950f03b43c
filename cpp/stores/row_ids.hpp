// Rows by their numbers: a node is a range of them.
#pragma once

#include "data/division.hpp"
#include "data/target.hpp"
#include "score/node.hpp"

namespace bough {

// Rows of the data, what each of them weighs and what classes they have.
struct RowSubset {
    std::vector<u32> rows;
    std::vector<double> weights;  // empty: as in the data
    std::vector<u32> classes;     // those of the data that are here, by their number here; empty: as in the data
};

class RowIds {
   public:
    // Rows 0 … n − 1, or those given; and, if the order of the target counts, the same in it.
    void begin(u32 n, std::span<const u32> rows, const Target& target = {}) {
        rows_.assign(rows.begin(), rows.end());
        for (u32 i = 0; rows.empty() && i < n; ++i) rows_.push_back(i);
        ordered_.clear();
        if (!target.leaf.ordered()) return;
        ordered_ = rows_;
        const auto y = target.numbers;
        std::stable_sort(ordered_.begin(), ordered_.end(), [y](u32 a, u32 b) { return y[a] < y[b]; });
    }
    std::span<const u32> of(u32 begin, u32 n) const { return {rows_.data() + begin, n}; }
    std::span<const u32> ordered(u32 begin, u32 n) const {
        return ordered_.empty() ? std::span<const u32>() : std::span(ordered_).subspan(begin, n);
    }
    // Moves the rows of each child together; tells where they begin.
    void divide(u32 begin, u32 n, const Division& division, RawBuffer<u32>& spare, std::span<Piece> pieces) {
        spare.grow_to(n);
        division.part(rows_.data() + begin, n, kNone, pieces.data(), spare.data());
        if (!ordered_.empty()) division.part(ordered_.data() + begin, n, kNone, pieces.data(), spare.data());
    }

   private:
    std::vector<u32> rows_, ordered_;
};

// The sums of the children of a divided node; `stayed`: of the rows that go to none of them.
void measure_children(const Node& node, const Target& target, const Division& division, std::vector<Node>& children,
                      Node& stayed);

}  // namespace bough
