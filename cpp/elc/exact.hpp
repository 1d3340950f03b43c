// The sign of a determinant of differences of float64 numbers, exactly: in 128-bit integers where the
// columns are narrow enough, in integers of any length elsewhere. Asked only where rounding leaves doubt.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "base/integers.hpp"

namespace bough::elc {

inline constexpr u32 kMostTerms = 8;  // columns of one hyperplane

// Every number of a column is a whole multiple of 2^unit, and at most 2^bits of them.
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

// A whole number of any length.
class BigInteger {
   public:
    BigInteger() = default;
    // x · 2^−unit, which must be whole
    BigInteger(double x, int unit) {
        if (x == 0) return;
        int exponent;
        const u64 m = static_cast<u64>(std::ldexp(std::frexp(std::fabs(x), &exponent), 53));
        negative_ = x < 0;
        int shift = exponent - 53 - unit;
        u64 mantissa = m;
        if (shift < 0) {
            mantissa >>= -shift;
            shift = 0;
        }
        parts_.assign(static_cast<std::size_t>(shift / 32), 0);
        const unsigned rest = static_cast<unsigned>(shift % 32);
        const u64 low = mantissa << rest, high = rest ? mantissa >> (64 - rest) : 0;
        for (u64 p : {low & 0xffffffffu, low >> 32, high}) parts_.push_back(static_cast<u32>(p));
        trim();
    }
    int sign() const { return parts_.empty() ? 0 : negative_ ? -1 : 1; }

    // The number is close to first·2^second, with first from 0.5 to 1.
    std::pair<double, int> close() const {
        double sum = 0;
        for (std::size_t i = parts_.size(); i-- > 0 && i + 4 > parts_.size();)
            sum += std::ldexp(static_cast<double>(parts_[i]), 32 * static_cast<int>(i + 3 - parts_.size()));
        int exponent;
        sum = std::frexp(negative_ ? -sum : sum, &exponent);
        return {sum, exponent + 32 * (static_cast<int>(parts_.size()) - 3)};
    }

    friend BigInteger operator*(const BigInteger& a, const BigInteger& b) {
        BigInteger r;
        if (a.parts_.empty() || b.parts_.empty()) return r;
        r.parts_.assign(a.parts_.size() + b.parts_.size(), 0);
        for (std::size_t i = 0; i < a.parts_.size(); ++i) {
            u64 carry = 0;
            for (std::size_t j = 0; j < b.parts_.size(); ++j) {
                const u64 t = u64{a.parts_[i]} * b.parts_[j] + r.parts_[i + j] + carry;
                r.parts_[i + j] = static_cast<u32>(t);
                carry = t >> 32;
            }
            r.parts_[i + b.parts_.size()] = static_cast<u32>(carry);
        }
        r.negative_ = a.negative_ != b.negative_;
        r.trim();
        return r;
    }
    friend BigInteger operator+(const BigInteger& a, const BigInteger& b) {
        if (a.negative_ == b.negative_) {
            BigInteger r = add(a, b);
            r.negative_ = a.negative_;
            return r;
        }
        const int order = compare(a, b);
        if (order == 0) return {};
        BigInteger r = order > 0 ? take(a, b) : take(b, a);
        r.negative_ = order > 0 ? a.negative_ : b.negative_;
        return r;
    }
    friend BigInteger operator-(const BigInteger& a, BigInteger b) {
        b.negative_ = !b.negative_;
        return a + b;
    }

   private:
    void trim() {
        while (!parts_.empty() && parts_.back() == 0) parts_.pop_back();
        if (parts_.empty()) negative_ = false;
    }
    static int compare(const BigInteger& a, const BigInteger& b) {
        if (a.parts_.size() != b.parts_.size()) return a.parts_.size() < b.parts_.size() ? -1 : 1;
        for (std::size_t i = a.parts_.size(); i-- > 0;)
            if (a.parts_[i] != b.parts_[i]) return a.parts_[i] < b.parts_[i] ? -1 : 1;
        return 0;
    }
    static BigInteger add(const BigInteger& a, const BigInteger& b) {
        BigInteger r;
        u64 carry = 0;
        for (std::size_t i = 0; i < std::max(a.parts_.size(), b.parts_.size()) || carry; ++i) {
            carry += (i < a.parts_.size() ? a.parts_[i] : 0) + u64{i < b.parts_.size() ? b.parts_[i] : 0};
            r.parts_.push_back(static_cast<u32>(carry));
            carry >>= 32;
        }
        return r;
    }
    static BigInteger take(const BigInteger& a, const BigInteger& b) {  // |a| >= |b|
        BigInteger r;
        i64 borrow = 0;
        for (std::size_t i = 0; i < a.parts_.size(); ++i) {
            i64 t = i64{a.parts_[i]} - (i < b.parts_.size() ? i64{b.parts_[i]} : 0) - borrow;
            borrow = t < 0;
            r.parts_.push_back(static_cast<u32>(t + (borrow << 32)));
        }
        r.trim();
        return r;
    }

    bool negative_ = false;
    std::vector<u32> parts_;  // least first
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
        std::vector<BigInteger> m(kMostTerms * kMostTerms);
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
