// x·log2 x, fast: from a table for whole numbers, from a short series for others.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <mutex>

#include "base/integers.hpp"
#include "base/slack.hpp"

namespace bough {

// log2 of a positive normal number with an absolute error below 1e-15.
inline double fast_log2(double x) {
    constexpr int kBits = 10;
    struct Entry {
        double log, inverse;
    };
    static const auto table = [] {
        std::array<Entry, 1 << kBits> t{};
        for (int i = 0; i < 1 << kBits; ++i) {
            const double middle = 1.0 + (i + 0.5) / (1 << kBits);
            t[i] = {std::log2(middle), 1.0 / middle};
        }
        return t;
    }();
    const u64 bits = std::bit_cast<u64>(x);
    const int exponent = static_cast<int>(bits >> 52) - 1023;
    const double mantissa = std::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
    const Entry& e = table[(bits >> (52 - kBits)) & ((1 << kBits) - 1)];
    const double d = mantissa * e.inverse - 1.0;  // |d| < 2^-11
    constexpr double kInvLn2 = 1.4426950408889634;
    return exponent + (e.log + kInvLn2 * d * (1.0 - d * (0.5 - d * (1.0 / 3 - d * 0.25))));
}

// x·log2 x of whole numbers; grows on demand and is never taken back while the process runs.
class IntegerXLogX {
   public:
    static constexpr u32 kMost = 1u << 21;

    // The table reaches `n`, or kMost.
    explicit IntegerXLogX(double n) {
        if (!(n < size_.load()) && size_.load() < kMost) reach(static_cast<u32>(std::min<double>(n, kMost - 1)));
        size = size_.load();
        table = current_.load();
    }
    bool covers(double n) const { return n < size; }
    double at(u32 i) const { return table[i]; }  // of a number that it covers
    double operator()(u32 i) const {
        if (i < size) [[likely]]
            return table[i];
        return i * std::log2(static_cast<double>(i));
    }

   private:
    static void reach(u32 n) {
        std::lock_guard lock(mutex());
        auto& tables = all();
        if (!tables.empty() && tables.back().size() > n) return;
        const std::size_t twice = tables.empty() ? 1024 : 2 * tables.back().size();
        std::vector<double> t(std::min<std::size_t>(kMost, std::max<std::size_t>(n + 1, twice)));
        t[0] = 0;
        for (std::size_t i = 1; i < t.size(); ++i) t[i] = static_cast<double>(i) * std::log2(static_cast<double>(i));
        tables.push_back(std::move(t));
        current_.store(tables.back().data());
        size_.store(static_cast<u32>(tables.back().size()));
    }
    static std::mutex& mutex() {
        static std::mutex m;
        return m;
    }
    static std::vector<std::vector<double>>& all() {
        static std::vector<std::vector<double>> t;
        return t;
    }
    static inline std::atomic<const double*> current_{nullptr};
    static inline std::atomic<u32> size_{0};
    u32 size;
    const double* table;
};

inline double xlogx(double x) { return x > kTinyNumber ? x * fast_log2(x) : 0.0; }

// As C4.5 has it: a weight that is nothing but rounding counts as none.
inline double x_log_x(double x) { return x < kEqual ? 0.0 : x * fast_log2(x); }

}  // namespace bough
