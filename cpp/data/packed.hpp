// A presorted column in packed form. Each row is one integer of 32 bits: low bits of its value's rank, its class, its
// number. Where row and class leave no bit for the rank, the class is looked up by the row; and where the row needs all
// bits, values are compared instead of ranks. The most frequent value of a column may be left out: then one list comes
// from the low end, one from the high end, both with the outermost value first.
#pragma once

#include "base/integers.hpp"
#include "data/table.hpp"

namespace bough {

struct Packing {
    int row_bits = 0, rank_shift = 0, rank_bits = 0;
    u32 row_mask = 0, class_mask = 0;
    u32 rank_mask = 0;         // of the bits above row and class
    bool has_classes = false;  // in the entries

    Packing() = default;
    Packing(u32 n_rows, u32 n_classes) {
        row_bits = bits_for(n_rows);
        has_classes = row_bits + bits_for(n_classes) < 32;
        const int class_bits = has_classes ? bits_for(n_classes) : 0;
        row_mask = static_cast<u32>((u64{1} << row_bits) - 1);
        class_mask = (u32{1} << class_bits) - 1;
        rank_shift = row_bits + class_bits;
        rank_bits = 32 - rank_shift;
        rank_mask = rank_bits > 0 ? ~u32{0} << rank_shift : 0;
    }
    u32 row(u32 e) const { return e & row_mask; }
    u32 cls(u32 e) const { return e >> row_bits & class_mask; }
    u32 pack(u32 row, u32 cls) const { return row | static_cast<u32>(u64{cls & class_mask} << row_bits); }
    u32 rank(u64 rank) const { return static_cast<u32>(rank << rank_shift) & rank_mask; }

   private:
    static int bits_for(u32 n) {  // bits that hold 0 … n−1
        int bits = 0;
        while ((u64{1} << bits) < n) ++bits;
        return bits;
    }
};

// One run of packed rows, outermost value first.
struct PackedList {
    const u32* entries = nullptr;
    u32 size = 0;
    u32 id = 0;  // for the family that owns it
};

// The rows of a node along one numeric column.
struct PackedColumn {
    const Packing* packing = nullptr;
    const Column* column = nullptr;
    const u32* classes = nullptr;     // by row; null: the entries have them
    const double* weights = nullptr;  // by row; null: every row weighs 1
    const double* numbers = nullptr;  // by row, of a regression target
    double scale = 1;                 // of distances along the column
    double blur = 0;                  // values this close are one value
    PackedList low, high, missing;
    double mode = 0;         // the value that is left out of both lists, if any
    bool ambiguous = false;  // equal rank bits do not prove equal values
    bool heavy = false;      // most neighbours have equal values
    bool counted = false;    // ranks are differences of values

    double weight(u32 row) const { return weights ? weights[row] : 1.0; }
    u32 cls(u32 entry) const { return classes ? classes[packing->row(entry)] : packing->cls(entry); }
};

}  // namespace bough
