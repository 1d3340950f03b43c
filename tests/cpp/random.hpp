// Random cases: a small generator whose numbers are the same everywhere.
#pragma once

#include <algorithm>

#include "base/integers.hpp"

namespace bough {

class Dice {
   public:
    explicit Dice(u64 seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
    u32 below(u32 n) {
        state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
        return static_cast<u32>((state_ >> 33) % n);
    }
    template <class T>
    void shuffle(std::vector<T>& v) {
        for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[below(static_cast<u32>(i))]);
    }

   private:
    u64 state_;
};

}  // namespace bough
