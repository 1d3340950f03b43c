// The sign of a determinant of differences of float64 numbers, exactly: in 128-bit integers where the
// columns are narrow enough, in integers of any length elsewhere. Asked only where rounding leaves doubt.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "base/integers.hpp"

namespace bough::elc {

inline constexpr u32 kMostTerms = 8;  // columns of one hyperplane

// Every number of a column is a multiple of 2^unit, and at most 2^bits of them.
struct Grain {
    int unit = 0, bits = 0;
    bool any = false;  // a number that is not 0

    void add(double x) {
        if (x == 0) return;
        int exponent;
        const u64 mantissa = static_cast<u64>(std::ldexp(std::frexp(std::fabs(x), &exponent), 53));
        const int low = exponent - 53 + std::countr_zero(mantissa);
        if (!any || low < unit) {
            if (any) bits += unit - low;
            unit = low;
        }
        bits = any ? std::max(bits, exponent - unit) : exponent - unit;
        any = true;
    }
};

// An integer of any length: parts of 30 bits, least first, of which the last one has the sign.
class BigInteger {
   public:
    BigInteger() = default;
    // x · 2^−unit, which must be an integer
    BigInteger(double x, int unit) {
        if (x == 0) return;
        int exponent;
        i64 mantissa = static_cast<i64>(std::ldexp(std::frexp(x, &exponent), 53));
        int shift = exponent - 53 - unit;
        if (shift < 0) mantissa /= i64{1} << -shift, shift = 0;
        parts_.assign(static_cast<std::size_t>(shift / kBits), 0);
        for (const i64 low : {mantissa % kBase, mantissa / kBase}) parts_.push_back(low << shift % kBits);
        settle();
    }
    int sign() const { return parts_.empty() ? 0 : parts_.back() < 0 ? -1 : 1; }

    // The number is close to first·2^second, with first from 0.5 to 1.
    std::pair<double, int> close() const {
        double sum = 0;
        for (std::size_t i = parts_.size(); i-- > 0 && i + 4 > parts_.size();)
            sum += std::ldexp(static_cast<double>(parts_[i]), kBits * static_cast<int>(i + 3 - parts_.size()));
        int exponent;
        sum = std::frexp(sum, &exponent);
        return {sum, exponent + kBits * (static_cast<int>(parts_.size()) - 3)};
    }

    friend BigInteger operator*(const BigInteger& a, const BigInteger& b) {
        BigInteger r;
        for (std::size_t i = 0; i < a.parts_.size(); ++i) {
            r.parts_.resize(a.parts_.size() + b.parts_.size());
            for (std::size_t j = 0; j < b.parts_.size(); ++j) r.parts_[i + j] += a.parts_[i] * b.parts_[j];
            r.settle();
        }
        return r;
    }
    friend BigInteger operator+(BigInteger a, const BigInteger& b) {
        a.add(b, 1);
        return a;
    }
    friend BigInteger operator-(BigInteger a, const BigInteger& b) {
        a.add(b, -1);
        return a;
    }

   private:
    static constexpr int kBits = 30;
    static constexpr i64 kBase = i64{1} << kBits;

    void add(const BigInteger& b, i64 sign) {
        parts_.resize(std::max(parts_.size(), b.parts_.size()));
        for (std::size_t i = 0; i < b.parts_.size(); ++i) parts_[i] += sign * b.parts_[i];
        settle();
    }
    // Carries on what is more than a part holds.
    void settle() {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const i64 carry = parts_[i] >> kBits;
            if (i + 1 == parts_.size() && (carry == 0 || carry == -1)) break;
            parts_[i] -= carry * kBase;
            if (i + 1 == parts_.size()) parts_.push_back(0);
            parts_[i + 1] += carry;
        }
        while (!parts_.empty() && parts_.back() == 0) parts_.pop_back();
        while (parts_.size() > 1 && parts_.back() == -1) {
            parts_.pop_back();
            parts_.back() -= kBase;
        }
    }

    std::vector<i64> parts_;
};

// Determinant of the size × size matrix m (row i at m + i·kMostTerms) over the columns of `mask`, by its
// first row.
template <class T>
T determinant(const T* m, u32 size, u32 mask) {
    T sum{};
    bool minus = false;
    for (u32 columns = mask; columns; columns &= columns - 1) {
        const u32 t = static_cast<u32>(std::countr_zero(columns));
        if (size == 1) return m[t];
        const T term = m[t] * determinant(m + kMostTerms, size - 1, mask & ~(1u << t));
        sum = minus ? sum - term : sum + term;
        minus = !minus;
    }
    return sum;
}

#ifdef __SIZEOF_INT128__
// The sign of a·d − b·c, by products of 256 bits.
inline int sign_of_cross(__int128 a, __int128 b, __int128 c, __int128 d) {
    using u128 = unsigned __int128;
    struct Product {
        int sign;
        u128 high, low;
    };
    auto product = [](__int128 x, __int128 y) -> Product {
        if (x == 0 || y == 0) return {0, 0, 0};
        const u128 p = x < 0 ? -static_cast<u128>(x) : static_cast<u128>(x);
        const u128 q = y < 0 ? -static_cast<u128>(y) : static_cast<u128>(y);
        const u64 p0 = static_cast<u64>(p), p1 = static_cast<u64>(p >> 64);
        const u64 q0 = static_cast<u64>(q), q1 = static_cast<u64>(q >> 64);
        const u128 low = u128{p0} * q0, m1 = u128{p0} * q1, m2 = u128{p1} * q0;
        const u128 middle = (low >> 64) + static_cast<u64>(m1) + static_cast<u64>(m2);
        const u128 high = u128{p1} * q1 + (m1 >> 64) + (m2 >> 64) + (middle >> 64);
        return {(x < 0) != (y < 0) ? -1 : 1, high, (middle << 64) | static_cast<u64>(low)};
    };
    const Product p = product(a, d), q = product(b, c);
    if (p.sign != q.sign) return p.sign > q.sign ? 1 : -1;
    const int larger = p.high != q.high ? (p.high > q.high ? 1 : -1) : p.low != q.low ? (p.low > q.low ? 1 : -1) : 0;
    return p.sign * larger;
}
#endif

// Numbers of some rows in a few columns, as the caller keeps them.
struct Coordinates {
    u32 r = 0;
    const double* x[kMostTerms] = {};  // by entry
    Grain grain[kMostTerms];
    bool narrow = false;  // differences and their determinants fit in float64: arithmetic is exact
    bool medium = false;  // … in 128 bits
    bool single = false;  // differences fit in 128 bits

    void classify() {
        int bits = 0;
        for (u32 t = 0; t < r; ++t) bits += grain[t].bits + 1;
        constexpr int kOfFactorial[kMostTerms + 1] = {0, 0, 1, 3, 5, 7, 10, 13, 16};
        bits += kOfFactorial[r];
        narrow = bits <= 52;
#ifdef __SIZEOF_INT128__
        medium = bits <= 125;
        single = true;
        for (u32 t = 0; t < r; ++t) single &= grain[t].bits <= 125;
#endif
    }
    std::vector<BigInteger> differences(u32 from, const u32* p, u32 size) const {
        std::vector<BigInteger> m(size * kMostTerms);
        for (u32 i = 0; i < size; ++i)
            for (u32 t = 0; t < r; ++t)
                m[i * kMostTerms + t] = BigInteger(x[t][p[i]], grain[t].unit) - BigInteger(x[t][from], grain[t].unit);
        return m;
    }
    // Sign of det(x[p] − x[from]) over `size` entries p and the columns of `mask`, of which there are as many.
    int sign(u32 from, const u32* p, u32 size, u32 mask) const {
        if (narrow || size == 1) {
            double m[kMostTerms * kMostTerms];
            for (u32 i = 0; i < size; ++i)
                for (u32 t = 0; t < r; ++t) m[i * kMostTerms + t] = x[t][p[i]] - x[t][from];
            const double d = determinant(m, size, mask);
            return d > 0 ? 1 : d < 0 ? -1 : 0;
        }
#ifdef __SIZEOF_INT128__
        if (medium) {
            __int128 m[kMostTerms * kMostTerms];
            auto integral = [&](u32 t, u32 e) { return static_cast<__int128>(std::ldexp(x[t][e], -grain[t].unit)); };
            for (u32 i = 0; i < size; ++i)
                for (u32 t = 0; t < r; ++t) m[i * kMostTerms + t] = integral(t, p[i]) - integral(t, from);
            const __int128 d = determinant(m, size, mask);
            return d > 0 ? 1 : d < 0 ? -1 : 0;
        }
#endif
#ifdef __SIZEOF_INT128__
        if (single && size == 2) {
            const u32 t = static_cast<u32>(std::countr_zero(mask)), u = static_cast<u32>(std::bit_width(mask)) - 1;
            auto apart = [&](u32 c, u32 e) {
                return static_cast<__int128>(std::ldexp(x[c][e], -grain[c].unit)) -
                       static_cast<__int128>(std::ldexp(x[c][from], -grain[c].unit));
            };
            return sign_of_cross(apart(t, p[0]), apart(u, p[0]), apart(t, p[1]), apart(u, p[1]));
        }
#endif
        return determinant(differences(from, p, size).data(), size, mask).sign();
    }
};

}  // namespace bough::elc
