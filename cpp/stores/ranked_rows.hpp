// The rows of a tree whose nodes look at few columns: each once, in one word with its class and how often it was drawn.
// A node is a run of them; the numbers of its columns come from ranks that all trees share.
#pragma once

#include "data/kernels.hpp"
#include "data/ranks.hpp"
#include "score/problem.hpp"
#include "score/ranked_classes.hpp"
#include "score/ranked_numbers.hpp"

namespace bough {

class RankedRows {
   public:
    explicit RankedRows(const Problem& problem);
    // Rows that weigh 1, and room for them in 32 bits?
    static bool fit(const Data& data);

    u32 size() const { return static_cast<u32>(entries_.size()); }
    u32* from(u32 begin) { return entries_.data() + begin; }
    const u32* from(u32 begin) const { return entries_.data() + begin; }
    u32 row_mask() const { return packing_.row_mask; }
    u32 row(u32 entry) const { return entry & packing_.row_mask; }
    u32 cls(u32 entry) const { return packing_.cls(entry); }
    u32 times(u32 entry) const { return entry >> packing_.rank_shift; }
    const Ranks& ranks() const { return *ranks_; }

    // Calls read(rank_of) with the ranks of a column by the rows of a node of this size.
    template <class Read>
    void read(u32 column, u32 size, Read read) const {
        ranks_->read(column, size <= by_row_, read);
    }

    // The keys of a column at a node, for as many as the node has entries; false if it has one value there.
    bool keys_of(u32 column, const u32* entries, u32 size, u32* keys, u32* kept, RankedClasses& to) const {
        const u32 row_mask = packing_.row_mask;
        const int payload_bits = class_bits_ + kTimesBits, row_bits = packing_.row_bits;
        u32 n = size;
        if (const u32* others = ranks_->others(column)) {  // only rows that have not the least number
            const bool two = ranks_->two(column);
            n = select(entries, size, others, two ? keys : kept);
            if (two) {
                for (u32 i = 0; i < n; ++i) keys[i] = 1u << payload_bits | keys[i] >> row_bits;
                to = {keys, n, payload_bits, class_bits_, 1, 1, true};
                return 0 < n && n < size;
            }
            entries = kept;
            if (n == 0) return false;
        }
        u32 low = kNone, high = 0;
        read(column, size, [&low, &high, entries, keys, n, row_mask, payload_bits, row_bits, far = far_](auto rank_of) {
            u32 least = kNone, most = 0;
            for (u32 i = 0; i < n; ++i) {
                if (far) rank_of.soon(entries[std::min(i + kAhead, n - 1)] & row_mask);
                const u32 key = rank_of(entries[i] & row_mask) << payload_bits | entries[i] >> row_bits;
                keys[i] = key;
                least = std::min(least, key);
                most = std::max(most, key);
            }
            low = least;
            high = most;
        });
        to = {keys, n, payload_bits, class_bits_, low >> payload_bits, high >> payload_bits, n < size};
        return to.rest || to.low < to.high;
    }

    // Of a numeric target: the numbers of entries, and how often each was drawn.
    void list_numbers(const u32* entries, u32 size, const double* numbers, std::vector<double>& to,
                      std::vector<u32>& times) const {
        to.resize(std::max<std::size_t>(to.size(), size));
        times.resize(std::max<std::size_t>(times.size(), size));
        double* y = to.data();
        u32* n = times.data();
        for (u32 i = 0; i < size; ++i) {
            y[i] = numbers[row(entries[i])];
            n[i] = this->times(entries[i]);
        }
    }
    // ... the ranks of a column at a node; false if there is one only.
    bool ranks_of(u32 column, const u32* entries, u32 size, u32* to, RankSource::Found& found) const {
        const u32 row_mask = packing_.row_mask;
        u32 low = kNone, high = 0;
        read(column, size, [&low, &high, entries, to, size, row_mask, far = far_](auto rank_of) {
            u32 least = kNone, most = 0;
            for (u32 i = 0; i < size; ++i) {
                if (far) rank_of.soon(entries[std::min(i + kAhead, size - 1)] & row_mask);
                const u32 rank = to[i] = rank_of(entries[i] & row_mask);
                least = std::min(least, rank);
                most = std::max(most, rank);
            }
            low = least;
            high = most;
        });
        found = {low, high};
        return low < high;
    }

    // Moves the entries of a node whose rank in a column is at most `most` to the front and the others behind them,
    // both in order. Counts the rows of each class in front, with room for twice as many, and tells the ranks beside
    // the cut if asked.
    struct Parted {
        u32 size = 0;  // entries in front
        u32 low = 0, high = kNone;
    };
    template <bool Beside = true>
    Parted part(u32 column, u32 most, u32* entries, u32 size, u32* spare, std::span<u32> counts) const {
        Parted parted;
        std::fill(counts.begin(), counts.end(), 0u);
        const u32 row_mask = packing_.row_mask, class_mask = packing_.class_mask;
        const int row_bits = packing_.row_bits, times_shift = packing_.rank_shift;
        const std::size_t k = counts.size() / 2;
        read(
            column, size,
            [&parted, counts, entries, size, spare, most, row_mask, class_mask, row_bits, times_shift, k,
             far = far_](auto rank_of) {
                u32 front = 0, back = 0, low = 0, high = kNone;
                u64 both = 0;  // of two classes: rows in front, and those of the second one
                auto move = [&](auto count) {
                    for (u32 i = 0; i < size; ++i) {
                        if (far) rank_of.soon(entries[std::min(i + kAhead, size - 1)] & row_mask);
                        const u32 e = entries[i], rank = rank_of(e & row_mask);
                        const u32 goes = rank <= most ? 1 : 0;
                        if constexpr (Beside) {
                            low = std::max(low, goes ? rank : 0u);
                            high = std::min(high, goes ? kNone : rank);
                        }
                        count(i, e, (e >> times_shift) & (0u - goes));
                        entries[front] = e;
                        spare[back] = e;
                        front += goes;
                        back += 1 - goes;
                    }
                };
                if (k == 1) {
                    move([&](u32, u32, u32 times) { both += times; });
                    counts[0] = static_cast<u32>(both);
                } else if (k == 2) {
                    move([&](u32, u32 e, u32 times) { both += times | u64{times & (0u - (e >> row_bits & 1))} << 32; });
                    counts[1] = static_cast<u32>(both >> 32);
                    counts[0] = static_cast<u32>(both) - counts[1];
                } else {  // two in turn, so that equal neighbours do not wait for each other
                    u32* const by_turns = counts.data();
                    move([&](u32 i, u32 e, u32 times) {
                        by_turns[(i & 1) * k + (e >> row_bits & class_mask)] += times;
                    });
                    for (std::size_t c = 0; c < k; ++c) counts[c] += counts[k + c];
                }
                std::copy_n(spare, back, entries + front);
                parted = {front, low, high};
            });
        return parted;
    }

    static constexpr int kTimesBits = 4;  // a row that was drawn more often has several entries
    static constexpr u32 kMostTimes = (1u << kTimesBits) - 1;

   private:
    u32 select(const u32* entries, u32 size, const u32* marks, u32* to) const {
        constexpr u32 kMany = 32;  // from which wide vectors are worth a call
        if (size < kMany) return select_marked(entries, size, packing_.row_mask, marks, to);
        return list_kernels().select(entries, size, packing_.row_mask, marks, to);
    }

    static constexpr u32 kAhead = 16;         // entries between the word that a rank will be read and its reading
    static constexpr u64 kCache = 1u << 18;   // bytes of ranks that stay in a cache from column to column
    static constexpr u64 kNearer = 1u << 20;  // ... that are near anyway

    const Ranks* ranks_;
    Packing packing_;
    int class_bits_;
    bool far_;                  // too many ranks for the nearer caches: say early which are read
    u32 by_row_;                // nodes of at most this many entries read ranks by row, if these are far
    std::vector<u32> entries_;  // times | class | row
};

}  // namespace bough
