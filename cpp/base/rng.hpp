// Randomness addressed by node: the same seed and path give the same numbers whatever ran before,
// so neither the number of threads nor the order of growing changes a tree.
#pragma once

#include "base/integers.hpp"

namespace bough {

inline u64 mix(u64 x) {  // the finaliser of splitmix64
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

inline constexpr u64 kRootPath = 0x9e3779b97f4a7c15ull;

inline u64 child_path(u64 path, u32 child) { return mix(path + (child + 1) * 0x9e3779b97f4a7c15ull); }

class Rng {
   public:
    static Rng at(u64 seed, u64 path) { return Rng(mix(seed ^ mix(path))); }

    u64 next() {
        state_ += 0x9e3779b97f4a7c15ull;
        return mix(state_);
    }
    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    // Uniform in {0, …, n−1}, without bias (Lemire's rejection).
    u32 below(u32 n) {
        u64 product = (next() >> 32) * n;
        if (static_cast<u32>(product) < n) {
            const u32 reject = static_cast<u32>(-n) % n;
            while (static_cast<u32>(product) < reject) product = (next() >> 32) * n;
        }
        return static_cast<u32>(product >> 32);
    }
    double normal() {  // Box–Muller; one of the pair is enough here
        const double u = 1.0 - uniform();
        return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * uniform());
    }

   private:
    explicit Rng(u64 state) : state_(state) {}
    u64 state_;
};

}  // namespace bough
