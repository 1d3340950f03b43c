// A presorted column in packed form. Each row is one integer: low bits of its value's rank, its
// class, its number. The most frequent value of a column may be left out: then one list comes
// from the low end, one from the high end, both with the outermost value first.
#pragma once

#include "base/integers.hpp"
#include "data/table.hpp"

namespace bough {

template <class E>
struct Packing {
    int row_bits = 0;
    E row_mask = 0;
    E class_mask = 0;
    E rank_mask = 0;  // of the bits above row and class
    int rank_shift = 0;
    int rank_bits = 0;

    Packing() = default;
    Packing(u32 n_rows, u32 n_classes) {
        row_bits = bits_for(n_rows);
        const int class_bits = bits_for(n_classes);
        constexpr int all = static_cast<int>(sizeof(E)) * 8;
        row_mask = static_cast<E>((E{1} << row_bits) - 1);
        class_mask = static_cast<E>((E{1} << class_bits) - 1);
        rank_shift = row_bits + class_bits;
        rank_bits = all - rank_shift;
        rank_mask = rank_bits > 0 ? static_cast<E>(~E{0} << rank_shift) : E{0};
    }
    // Can `n_rows` rows of `n_classes` classes be packed at all?
    static bool fits(u32 n_rows, u32 n_classes) {
        return bits_for(n_rows) + bits_for(n_classes) < static_cast<int>(sizeof(E)) * 8;
    }
    u32 row(E e) const { return static_cast<u32>(e & row_mask); }
    u32 cls(E e) const { return static_cast<u32>((e >> row_bits) & class_mask); }
    E pack(u32 row, u32 cls) const { return static_cast<E>(E{row} | (E{cls} << row_bits)); }
    E rank(u64 rank) const {
        return rank_bits > 0 ? static_cast<E>((static_cast<E>(rank) << rank_shift) & rank_mask) : E{0};
    }

   private:
    static int bits_for(u32 n) {  // bits that hold 0 … n−1
        int bits = 0;
        while ((u64{1} << bits) < n) ++bits;
        return bits;
    }
};

// One run of packed rows, outermost value first.
template <class E>
struct PackedList {
    const E* entries = nullptr;
    u32 size = 0;
    u32 id = 0;  // for the family that owns it
};

// The rows of a node along one numeric column.
template <class E>
struct PackedColumn {
    const Packing<E>* packing = nullptr;
    const Column* column = nullptr;
    const double* weights = nullptr;  // by row; null: every row weighs 1
    const double* numbers = nullptr;  // by row, of a regression target
    double scale = 1;                 // of distances along the column
    double blur = 0;                  // values this close are one value
    PackedList<E> low, high, missing;
    double mode = 0;         // the value that is left out of both lists, if any
    bool ambiguous = false;  // equal rank bits do not prove equal values
    bool heavy = false;      // most neighbours have equal values
    bool counted = false;    // ranks are differences of values

    double weight(u32 row) const { return weights ? weights[row] : 1.0; }
};

}  // namespace bough
