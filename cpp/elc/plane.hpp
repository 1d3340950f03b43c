// The hyperplane through r entries, and the side of every other entry: by float64 where the rounding
// error cannot matter, exactly elsewhere.
#pragma once

#include "base/slack.hpp"
#include "elc/exact.hpp"

namespace bough::elc {

// A bound of the rounding error of a determinant of differences, in units of the sum of the absolute
// values of its terms: every term meets at most r subtractions, r products and r sums of at most r terms.
inline double rounding(u32 r) { return 4.0 * r * r * 0x1p-53; }

class Plane {
   public:
    // False if the entries do not span a hyperplane.
    bool through(const Coordinates& at, const u32* entries) {
        at_ = &at;
        r_ = at.r;
        error_ = at.narrow ? 0.0 : rounding(r_);
        std::copy(entries, entries + r_, basis);
        for (u32 i = 1; i < r_; ++i)
            for (u32 t = 0; t < r_; ++t) edges_[(i - 1) * kMostTerms + t] = at.x[t][entries[i]] - at.x[t][entries[0]];
        bool certain = false;
        for (u32 t = 0; t < r_; ++t) {
            set_coefficient(t);
            certain |= std::fabs(normal[t]) > error_ * size[t] + kTinyProduct;
        }
        if (certain) return true;
        for (u32 t = 0; t < r_; ++t)
            if (sign_of(t) != 0) return true;
        return false;
    }
    // The sign of a coefficient.
    int sign_of(u32 t) const {
        if (std::fabs(normal[t]) > error_ * size[t] + kTinyProduct) return normal[t] > 0 ? 1 : -1;
        if (error_ == 0) return 0;
        if (r_ == 1) return 1;
        const int s = at_->sign(basis[0], basis + 1, r_ - 1, ((1u << r_) - 1) & ~(1u << t));
        return (r_ - 1 + t) % 2 ? -s : s;
    }
    // 1 if the entry is on the side to which the normal points, 0 if it is on the hyperplane.
    int side(u32 entry) const {
        double sum = 0, most = 0;
        bool zero = true;
        for (u32 t = 0; t < r_; ++t) {
            const double d = at_->x[t][entry] - at_->x[t][basis[0]];
            sum += normal[t] * d;
            most += size[t] * std::fabs(d);
            zero &= d == 0 || (r_ <= 2 && size[t] == 0);
        }
        if (std::fabs(sum) > error_ * most + (error_ > 0 ? kTinyProduct : 0)) return sum > 0 ? 1 : -1;
        if (zero || error_ == 0) return 0;
        return exact_side(entry);
    }
    int exact_side(u32 entry) const {
        for (u32 i = 0; i < r_; ++i)
            if (basis[i] == entry) return 0;
        u32 p[kMostTerms];
        std::copy(basis + 1, basis + r_, p);
        p[r_ - 1] = entry;
        return at_->sign(basis[0], p, r_, (1u << r_) - 1);
    }
    // The normal to the last digit: where the basis is nearly degenerate, float64 has lost most of them.
    void exact_normal(double* out) const {
        int exponents[kMostTerms] = {}, most = -(1 << 30);
        const std::vector<BigInteger> m = at_->differences(basis[0], basis + 1, r_ - 1);
        for (u32 t = 0; t < r_; ++t) {
            const u32 mask = ((1u << r_) - 1) & ~(1u << t);
            const auto [x, exponent] = determinant(m.data(), r_ - 1, mask).close();
            out[t] = (r_ - 1 + t) % 2 ? -x : x;
            exponents[t] = exponent;
            for (u32 u = 0; u < r_; ++u)
                if (u != t) exponents[t] += at_->grain[u].unit;
            if (x != 0) most = std::max(most, exponents[t]);
        }
        for (u32 t = 0; t < r_; ++t) out[t] = std::ldexp(out[t], exponents[t] - most);
    }
    double error() const { return error_; }
    double doubt(u32 t) const { return error_ * size[t] + kTinyProduct; }

    u32 basis[kMostTerms] = {};
    double normal[kMostTerms] = {};
    double size[kMostTerms] = {};  // of the terms that make up each coefficient

   private:
    void set_coefficient(u32 t) {
        if (r_ == 1) {
            normal[0] = size[0] = 1;
            return;
        }
        const double s = (r_ - 1 + t) % 2 ? -1.0 : 1.0;
        if (r_ == 2) {
            normal[t] = s * edges_[1 - t];
            size[t] = std::fabs(edges_[1 - t]);
            return;
        }
        if (r_ == 3) {
            const u32 a = t == 0 ? 1 : 0, b = t == 2 ? 1 : 2;
            const double p = edges_[a] * edges_[kMostTerms + b], q = edges_[b] * edges_[kMostTerms + a];
            normal[t] = s * (p - q);
            size[t] = std::fabs(p) + std::fabs(q);
            return;
        }
        const u32 mask = ((1u << r_) - 1) & ~(1u << t);
        normal[t] = s * determinant(edges_, r_ - 1, mask);
        size[t] = permanent(0, mask);
    }
    double permanent(u32 row, u32 mask) const {
        if (row == r_ - 1) return 1;
        double sum = 0;
        for (u32 columns = mask; columns; columns &= columns - 1) {
            const u32 t = static_cast<u32>(std::countr_zero(columns));
            sum += std::fabs(edges_[row * kMostTerms + t]) * permanent(row + 1, mask & ~(1u << t));
        }
        return sum;
    }

    const Coordinates* at_ = nullptr;
    u32 r_ = 0;
    double error_ = 0;
    double edges_[kMostTerms * kMostTerms] = {};
};

}  // namespace bough::elc
