#include <algorithm>

#include "explain/game.hpp"

namespace bough {

namespace {

// Points and weights between 0 and 1 that integrate polynomials of degree 2n − 1 (Gauss, Legendre), by Newton's method.
void quadrature(u32 n, double* at, double* weight) {
    constexpr double kPi = 3.14159265358979323846;
    for (u32 i = 0; i < n; ++i) {
        double x = std::cos(kPi * (i + 0.75) / (n + 0.5)), slope = 1;
        for (double step = 1; std::abs(step) > 0x1p-51; x -= step) {
            double p = 1, before = 0;
            for (u32 j = 0; j < n; ++j) p = ((2.0 * j + 1) * x * p - j * std::exchange(before, p)) / (j + 1);
            slope = n * (x * p - before) / (x * x - 1);
            step = p / slope;
        }
        at[i] = (1 + x) / 2;
        weight[i] = 1 / ((1 - x * x) * slope * slope);
    }
}

double dot_of(u32 n, const double* a, const double* b) {  // n is even
    double even = 0, odd = 0;
    for (u32 q = 0; q < n; q += 2) {
        even += a[q] * b[q];
        odd += a[q + 1] * b[q + 1];
    }
    return even + odd;
}

}  // namespace

Weighted::Weighted(const Game& game) : game_(game), levels_(game.depth() + 1) {
    const u32 points = std::max(1u, (game.most_columns() + 1) / 2), n = (points + 1) / 2 * 2;
    at_.assign(n, 0.5);
    weight_.assign(n, 0.0);
    quadrature(points, at_.data(), weight_.data());
    room_.assign(levels_.size() * n * (kSums + game.n_outputs()), 1.0);
}

// Down the tree products are made, on the way up sums over leaves. A column that is asked again takes back what it was
// credited above.
void Weighted::add(const double* shares, const double* against, double scale, double* out) {
    const std::span<const Arm> arms = game_.arms();
    const u32 n = static_cast<u32>(at_.size()), k = game_.n_outputs();
    top_ = 0;
    for (u32 a = 1; a < arms.size();) {
        const Arm& arm = arms[a];
        close(arm.depth, scale, out);
        const Level* before = arm.before == kNone ? nullptr : &levels_[arms[arm.before].depth];
        const double o = shares[a] * (before ? before->known : 1);
        const double z = against ? against[a] * (before ? before->unknown : 1) : arm.unknown;
        if (o == 0 && z == 0) {  // nobody comes here
            a = arm.behind;
            continue;
        }
        Level& level = levels_[arm.depth];
        level.arm = a;
        level.known = o;
        level.unknown = z;
        const double *above = part(arm.depth - 1, kProduct), *t = at_.data(), *w = weight_.data();
        double *product = part(arm.depth, kProduct), *inverse = part(arm.depth, kInverse),
               *credit = part(arm.depth, kCredit);
        for (u32 q = 0; q < n; ++q) {
            const double factor = z + t[q] * (o - z);
            inverse[q] = 1 / factor;
            product[q] = above[q] * factor;
            credit[q] = (o - z) * inverse[q] * w[q];
        }
        if (before) {
            const double *divide = part(arms[arm.before].depth, kInverse), difference = before->known - before->unknown;
            for (u32 q = 0; q < n; ++q) {
                product[q] *= divide[q];
                credit[q] -= difference * divide[q] * w[q];
            }
        }
        if (arm.ends) {
            const double gained = scale * dot_of(n, credit, product), *value = game_.value(arm);
            double *to = out + std::size_t{game_.column(arm)} * k, *over = part(arm.depth - 1, kSums);
            for (u32 j = 0; j < k; ++j, over += n) {
                to[j] += gained * value[j];
                for (u32 q = 0; q < n; ++q) over[q] += value[j] * product[q];
            }
        } else {
            std::fill_n(part(arm.depth, kSums), std::size_t{n} * k, 0.0);
            top_ = arm.depth;
        }
        ++a;
    }
    close(1, scale, out);
}

// Leaves the levels from a depth on.
void Weighted::close(u32 depth, double scale, double* out) {
    const u32 n = static_cast<u32>(at_.size()), k = game_.n_outputs();
    for (; top_ >= depth && top_ > 0; --top_) {
        double* to = out + std::size_t{game_.column(game_.arms()[levels_[top_].arm])} * k;
        const double* sums = part(top_, kSums);
        double* above = part(top_ - 1, kSums);
        for (u32 j = 0; j < k; ++j) to[j] += scale * dot_of(n, part(top_, kCredit), sums + std::size_t{j} * n);
        for (std::size_t q = 0; q < std::size_t{n} * k; ++q) above[q] += sums[q];
    }
}

}  // namespace bough
