// The rows of a node as a search sees them: grouped by class, or in the order of their numbers; each column scaled
// by a power of two to a spread of about 1, so that units do not matter and outliers squeeze nothing.
#pragma once

#include "elc/kernels.hpp"
#include "grow/family.hpp"

namespace bough::elc {

// x·2^exponent
inline double scaled(double x, int exponent) {
    return exponent > -1000 && exponent < 1000 ? x * std::bit_cast<double>(static_cast<u64>(1023 + exponent) << 52)
                                               : std::ldexp(x, exponent);
}

// The set of r of m numbers, ascending, that follows a set; false: it was the last one.
inline bool next_set(u32* set, u32 r, u32 m) {
    u32 i = r;
    while (i > 0 && set[i - 1] == m - r + i - 1) --i;
    if (i == 0) return false;
    for (++set[i - 1]; i < r; ++i) set[i] = set[i - 1] + 1;
    return true;
}

// The numeric columns of a node that vary there.
struct NodeColumns {
    struct Scaled {
        u32 column = 0;
        int exponent = 0;       // y = x·2^exponent, exactly
        std::vector<double> y;  // by place
        std::vector<double> z;  // y − origin
        double origin = 0;      // the median
        double typical = 1;     // the median of |z|
        u32 distinct = 0, n_missing = 0;
        Grain grain;            // of y
        std::vector<u32> code;  // dense rank; filled when values repeat
    };
    u32 n = 0, k = 0;            // k: sums of a side
    std::vector<u32> row;        // by place
    std::vector<u32> segment;    // place where each present class begins, and the end; of numbers there is one
    std::vector<double> w;       // by place; empty: all 1
    std::vector<double> number;  // by place, ascending: distances from the node's mean; empty: classes
    std::vector<double> all;     // weight of each present class; of numbers, weight and Σ weight·distance
    std::vector<Scaled> columns;

    NodeColumns(const Node& node, const Problem& problem, const std::vector<Grain>& grains);
    // Adds a place to the sums of a side.
    void add(double* to, u32 place, u32 cls) const {
        const double weight = w.empty() ? 1.0 : w[place];
        to[number.empty() ? cls : 0] += weight;
        if (!number.empty()) to[1] += weight * number[place];
    }

   private:
    void group(const Node& node, const Target& target, Budget& budget);
};

// The gain of a side with these sums; −inf if it has no rows, or all. Numbers: by distances from the mean of all.
inline double gain_of_sums(const Bounds* bounds, const double* side, const double* all, u32 k) {
    if (bounds) return bounds->gain(side, all, k);
    const double rest = all[0] - side[0];
    return side[0] > 0 && rest > 0 ? side[1] * side[1] / (side[0] * rest) : -kInf;
}

// The rows of a node in some of its columns; rows at one point may be one entry of each class, or one with their mean.
struct Points {
    u32 size = 0, k = 0, r = 0;
    Coordinates at;                  // y by entry
    const double* z[kMostTerms];     // by entry
    const double* w = nullptr;       // null: all 1
    const u32* rows = nullptr;       // rows of each entry; null: all 1
    const double* number = nullptr;  // null: classes
    std::vector<u32> segment;
    std::vector<u32> cls;
    const NodeColumns::Scaled* columns[kMostTerms];
    std::vector<double> all, missing;  // sums: of the node; of the rows with a missing value
    u32 n_rows = 0, n_missing = 0;

    void load(const NodeColumns& node, const u32* subset, u32 r);

    u32 rows_of(u32 entry) const { return rows ? rows[entry] : 1; }
    double weight_of(u32 entry) const { return w ? w[entry] : 1.0; }
    // Adds an entry to the sums of a side, or with −1 takes it off.
    void add(double* to, u32 entry, double sign = 1) const {
        const double weight = sign * weight_of(entry);
        to[number ? 0 : cls[entry]] += weight;
        if (number) to[1] += weight * number[entry];
    }
    // The number of an entry as the table has it.
    double raw(u32 t, u32 entry) const { return scaled(at.x[t][entry], -columns[t]->exponent); }

   private:
    // Rows at one point.
    struct Group {
        u32 place, rows;
        double w, number;
    };
    void gather(const NodeColumns& node, u32 cls, bool join);

    std::vector<double> own_y_[kMostTerms], own_z_[kMostTerms], own_w_, own_number_;
    std::vector<u32> own_rows_;
    std::vector<std::pair<u64, u32>> keys_;
    std::vector<Group> groups_;
};

}  // namespace bough::elc
