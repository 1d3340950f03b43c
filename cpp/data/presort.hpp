// Presorted lists of all numeric columns: every column is sorted once, before the first node.
#pragma once

#include <mutex>
#include <optional>

#include "base/budget.hpp"
#include "base/parallel.hpp"
#include "data/packed.hpp"
#include "data/table.hpp"
#include "data/target.hpp"

namespace bough {

// Is a value that this many of n rows have left out of the lists?
inline bool is_left_out(u64 times, u32 n) {
    constexpr double kShare = 0.3;
    return static_cast<double>(times) > kShare * n;
}
// Are n whole numbers of this range counted instead of sorted? With few rows, a wide range is quicker sorted.
inline bool is_counted(double range, u32 n) { return range < (1u << 16) && (range < 512 || range < 4.0 * n); }

enum class ListRole : u8 { low, high, missing };

struct ListInfo {
    u32 column;
    ListRole role;
    bool ambiguous, heavy, counted;
    u32 size;
    u64 offset;       // in Presorted::entries
    u32 longest = 0;  // run of one value in the column, as it was sorted
};

struct Presorted {
    Packing packing;
    RawBuffer<u32> entries;
    std::vector<ListInfo> lists;  // by column; low, high, missing
    std::vector<double> modes;    // per column: the value that its lists leave out
    std::vector<Column> columns;  // as in the table, or copies of them
    RawBuffer<double> copies;

    struct Options {
        bool elide = true;                   // leave the most frequent value out where that pays
        bool copies = false;                 // keep every column in one piece, for sweeps that look values up
        std::span<const double> blurs = {};  // per column: neighbours this close have one rank; none: equal ones have
        double doubt = 0;                    // ... or neighbours this close, and their list is ambiguous if they differ
    };
    Presorted(const Table& table, const Target& target, Options options, Team& team, Budget& budget);
    // The lists of a part of a table, or of all of it, taken from those of the whole.
    Presorted(const Presorted& all, const Table& part, const Target& target, Options options, Team& team,
              Budget& budget);
};

// The lists of a whole table, kept as they were sorted while trees that grow from it cut up copies of them.
class SortedLists {
   public:
    SortedLists() = default;  // of the first table that asks and is no part of another
    SortedLists(const Table& table, const Target& target) : table_(&table), target_(&target) {}
    // The lists of a table or of a part of it; sorted anew only if there are none yet.
    Presorted of(const Table& table, const Target& target, Presorted::Options options, Team& team, Budget& budget);

   private:
    const Table* table_ = nullptr;
    const Target* target_ = nullptr;
    std::mutex mutex_;  // trees may grow side by side
    std::optional<Presorted> all_;
};

}  // namespace bough
