// The rows of a node as a search sees them: grouped by class, each column scaled by a power of two to a
// spread of about 1, so that units do not matter and outliers squeeze nothing.
#pragma once

#include "elc/kernels.hpp"
#include "grow/family.hpp"

namespace bough::elc {

// x·2^exponent
inline double scaled(double x, int exponent) {
    return exponent > -1000 && exponent < 1000 ? x * std::bit_cast<double>(static_cast<u64>(1023 + exponent) << 52)
                                               : std::ldexp(x, exponent);
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
    u32 n = 0, k = 0;
    std::vector<u32> row;      // by place
    std::vector<u32> segment;  // place where each present class begins, and the end
    std::vector<double> w;     // by place; empty: all 1
    std::vector<double> all;   // weight of each present class
    std::vector<Scaled> columns;

    NodeColumns(const Node& node, const Problem& problem, const std::vector<Grain>& grains);
};

// The rows of a node in some of its columns; rows with equal numbers and class may be one entry.
struct Points {
    u32 size = 0, k = 0, r = 0;
    Coordinates at;               // y by entry
    const double* z[kMostTerms];  // by entry
    const double* w = nullptr;    // null: all 1
    const u32* rows = nullptr;    // rows of each entry; null: all 1
    std::vector<u32> segment;
    std::vector<u32> cls;
    const NodeColumns::Scaled* columns[kMostTerms];
    std::vector<double> all, missing;  // per class: of the node; of the rows that lack one of the numbers
    u32 n_rows = 0, n_missing = 0;

    void load(const NodeColumns& node, const u32* subset, u32 r);

    u32 rows_of(u32 entry) const { return rows ? rows[entry] : 1; }
    double weight_of(u32 entry) const { return w ? w[entry] : 1.0; }
    // The number of an entry as the table has it.
    double raw(u32 t, u32 entry) const { return scaled(at.x[t][entry], -columns[t]->exponent); }

   private:
    std::vector<double> own_y_[kMostTerms], own_z_[kMostTerms], own_w_;
    std::vector<u32> own_rows_;
    std::vector<std::pair<u64, u32>> keys_;
};

}  // namespace bough::elc
