// Which columns a node looks at where it may look at few: drawn without repetition, by the seed and the node alone.
// Beyond the number asked for, columns are drawn only until one can be split at all; where columns that cannot be split
// do not count, each is asked by itself.
#pragma once

#include <utility>

#include "base/rng.hpp"
#include "grow/stop.hpp"
#include "score/best.hpp"

namespace bough {

// A place for each column among columns that tie, by the seed.
inline std::vector<u32> tie_places(u32 n_columns, u64 seed) {
    std::vector<u32> places(n_columns);
    Rng rng = Rng::at(seed, 0x74696573);
    for (u32 c = 0; c < n_columns; ++c) {
        const u32 other = rng.below(c + 1);
        places[c] = places[other];
        places[other] = c;
    }
    return places;
}

class ColumnDraw {
   public:
    // Calls look(columns, best) for one group of columns after the other; false ends it.
    template <class Look>
    void each_group(u32 n_columns, const StopRules& stop, u64 seed, u64 path, Best& best, Look look) {
        begin(n_columns);
        Rng rng = Rng::at(seed ^ 0x6d61785f66656174ull, path);
        const u32 most = stop.max_features;
        if (stop.count_constant) {
            draw(most, rng);
            if (!look(std::span<const u32>(columns_.data(), most), best)) return;
            while (best.empty() && tried() < n_columns) {
                draw(1, rng);
                if (!look(last(), best)) return;
            }
            return;
        }
        for (u32 counted = 0; tried() < n_columns && (best.empty() || counted < most);) {
            draw(1, rng);
            Best one = best.afresh();
            if (!look(last(), one)) return;
            counted += one.empty() ? 0 : 1;
            best.merge(one);
        }
    }

   private:
    u32 tried() const { return static_cast<u32>(swapped_.size()); }
    std::span<const u32> last() const { return {columns_.data() + tried() - 1, 1}; }
    void begin(u32 n_columns) {  // back to the order of the table: what was drawn before must not matter
        for (u32 i = tried(); i-- > 0;) std::swap(columns_[i], columns_[swapped_[i]]);
        swapped_.clear();
        for (u32 c = static_cast<u32>(columns_.size()); c < n_columns; ++c) columns_.push_back(c);
    }
    void draw(u32 n, Rng& rng) {
        const u32 d = static_cast<u32>(columns_.size());
        for (u32 i = tried(), end = i + n; i < end; ++i) {
            swapped_.push_back(i + rng.below(d - i));
            std::swap(columns_[i], columns_[swapped_[i]]);
        }
    }

    std::vector<u32> columns_, swapped_;
};

}  // namespace bough
