// Presorted lists of all numeric columns: every column is sorted once, before the first node.
#pragma once

#include "base/budget.hpp"
#include "base/parallel.hpp"
#include "data/packed.hpp"
#include "data/table.hpp"
#include "data/target.hpp"

namespace bough {

enum class ListRole : u8 { low, high, missing };

struct ListInfo {
    u32 column;
    ListRole role;
    bool ambiguous, heavy, counted;
    u32 size;
    u64 offset;  // in Presorted::entries
};

template <class E>
struct Presorted {
    Packing<E> packing;
    RawBuffer<E> entries;
    std::vector<ListInfo> lists;  // by column; low, high, missing
    std::vector<double> modes;    // per column: the value that its lists leave out
    std::vector<Column> columns;  // as in the table, or copies of them
    RawBuffer<double> copies;

    struct Options {
        bool elide = true;    // leave the most frequent value out where that pays
        bool copies = false;  // keep every column in one piece, for sweeps that look values up
    };
    Presorted(const Table& table, const Target& target, Options options, Team& team, Budget& budget);
};

extern template struct Presorted<u32>;
extern template struct Presorted<u64>;

}  // namespace bough
