#include <algorithm>
#include <bit>

#include "explain/game.hpp"

namespace bough {

namespace {

constexpr u32 kBits = 64;                                // columns of a path that a pattern tells
constexpr std::size_t kMostKept = std::size_t{1} << 22;  // numbers that are found and kept

// Points and weights between 0 and 1 that integrate polynomials of degree 2n − 1 (Gauss, Legendre), by Newton's method.
void quadrature(u32 n, std::vector<double>& at, std::vector<double>& weight) {
    constexpr double kPi = 3.14159265358979323846;
    for (u32 i = 0; i < n; ++i) {
        double x = std::cos(kPi * (i + 0.75) / (n + 0.5)), slope = 1;
        for (double step = 1; std::abs(step) > 0x1p-51; x -= step) {
            double p = 1, before = 0;
            for (u32 j = 0; j < n; ++j) p = ((2.0 * j + 1) * x * p - j * std::exchange(before, p)) / (j + 1);
            slope = n * (x * p - before) / (x * x - 1);
            step = p / slope;
        }
        at.push_back((1 + x) / 2);
        weight.push_back(1 / ((1 - x * x) * slope * slope));
    }
}

// (u − 1)!·v!/(u + v)!: the share of all orders in which one of u columns comes first of them, and behind no other of
// v.
double orders(u32 u, u32 v) {
    double found = 1.0 / u;
    for (u32 i = 1; i <= v; ++i) found *= static_cast<double>(i) / (u + i);
    return found;
}

}  // namespace

Products::Products(const Game& game, std::span<const double> background)
    : game_(game),
      n_background_(static_cast<double>(background.size() / game.arms().size())),
      leaf_of_(game.arms().size()),
      patterns_(game.depth() + 1) {
    std::size_t most = 1;
    const std::span<const Arm> arms = game.arms();
    for (u32 a = 0; a < arms.size(); ++a) {
        if (!arms[a].ends) continue;
        leaf_of_[a] = static_cast<u32>(leaves_.size());
        Leaf& leaf = leaves_.emplace_back();
        leaf.arm = a;
        Shares weights;
        for (u32 b = a; arms[b].depth > 0; b = arms[b].above) {
            const std::size_t n = arms[b].player + std::size_t{1};
            if (n > weights.size()) weights.resize(n), leaf.columns.resize(n, kNone);
            u32& column = leaf.columns[arms[b].player];
            if (column == kNone) weights[n - 1] = arms[b].unknown;  // the last arm that asks it
            column = game.split(arms[arms[b].above]).column;
        }
        most = std::max(most, leaf.columns.size());
        if (background.empty()) leaf.unknown.push_back(weights);
    }
    quadrature(static_cast<u32>(most + 1) / 2, at_, weight_);
    for (std::size_t b = 0; b < background.size(); b += arms.size())
        each_leaf(
            background.subspan(b, arms.size()), [](Leaf& leaf, u64 pattern) { ++leaf.patterns[pattern]; },
            [](Leaf& leaf, const Shares& shares) { leaf.unknown.push_back(shares); });
}

// Calls whole(leaf, pattern) where a row takes or leaves every arm of the path, part(leaf, shares) where it takes a
// part.
template <class Whole, class Part>
void Products::each_leaf(std::span<const double> shares, const Whole& whole, const Part& part) {
    const std::span<const Arm> arms = game_.arms();
    u32 unclear = 0;  // arms below one of which a part is taken: up to this one
    patterns_[0] = ~u64{0};
    for (u32 a = 0; a < arms.size(); ++a) {
        const Arm& arm = arms[a];
        if (arm.depth > 0) {
            const bool plain = (shares[a] == 0 || shares[a] == 1) && arm.player < kBits;
            if (!plain) unclear = std::max(unclear, arm.behind);
            const u64 bit = shares[a] == 0 && plain ? u64{1} << arm.player : 0;
            patterns_[arm.depth] = patterns_[arm.depth - 1] & ~bit;
        }
        if (!arm.ends) continue;
        Leaf& leaf = leaves_[leaf_of_[a]];
        const std::size_t n = leaf.columns.size();
        if (a >= unclear) {
            whole(leaf, n == kBits ? patterns_[arm.depth] : patterns_[arm.depth] & ((u64{1} << n) - 1));
            continue;
        }
        Shares o(n, 1.0);
        for (u32 b = a; arms[b].depth > 0; b = arms[b].above) o[arms[b].player] *= shares[b];
        part(leaf, o);
    }
}

void Products::add(std::span<const double> shares, double scale, double* out) {
    const u32 k = game_.n_outputs();
    auto credit = [&](const Leaf& leaf, const Shares& found) {
        const double* value = game_.value(game_.arms()[leaf.arm]);
        for (std::size_t i = 0; i < found.size(); ++i)
            for (u32 j = 0; j < k; ++j) out[std::size_t{leaf.columns[i]} * k + j] += scale * found[i] * value[j];
    };
    if (kept_ > kMostKept) {
        for (Leaf& leaf : leaves_) leaf.found.clear();
        kept_ = 0;
    }
    each_leaf(
        shares,
        [&](Leaf& leaf, u64 pattern) {
            const auto [at, is_new] = leaf.found.try_emplace(pattern);
            if (is_new) {
                Shares known(leaf.columns.size());
                for (std::size_t i = 0; i < known.size(); ++i) known[i] = static_cast<double>(pattern >> i & 1);
                at->second = solve(leaf, known, &pattern);
                kept_ += 8 + known.size();
            }
            credit(leaf, at->second);
        },
        [&](const Leaf& leaf, const Shares& known) { credit(leaf, solve(leaf, known, nullptr)); });
}

// What each column of the path gets of what the leaf says; `pattern`: of the row, where it has one.
Products::Shares Products::solve(const Leaf& leaf, const Shares& known, const u64* pattern) const {
    Shares found(known.size()), unknown(known.size());
    const double times = 1 / std::max(1.0, n_background_);
    for (const Shares& z : leaf.unknown) integrate(known, z, times, found);
    for (const auto& [other, n] : leaf.patterns) {
        for (std::size_t i = 0; i < known.size() && !pattern; ++i) unknown[i] = static_cast<double>(other >> i & 1);
        if (!pattern) integrate(known, unknown, times * n, found);
        if (!pattern) continue;
        // Of u columns that only the row's own value allows each gets a share, of v that only the other's does each
        // loses one; some that neither allows: nobody comes here.
        const u64 all = known.size() == kBits ? ~u64{0} : (u64{1} << known.size()) - 1;
        u64 own = *pattern & ~other, others = other & ~*pattern;
        if ((*pattern | other) != all || own + others == 0) continue;
        const u32 u = static_cast<u32>(std::popcount(own)), v = static_cast<u32>(std::popcount(others));
        const double plus = u ? times * n * orders(u, v) : 0, minus = v ? times * n * orders(v, u) : 0;
        for (; own; own &= own - 1) found[std::countr_zero(own)] += plus;
        for (; others; others &= others - 1) found[std::countr_zero(others)] -= minus;
    }
    if (std::all_of(found.begin(), found.end(), [](double f) { return f == 0; })) found.clear();
    return found;
}

// ∫ (o − z)·Π over the other columns of (1 − t)·z + t·o from 0 to 1: a polynomial, which the rule integrates exactly.
void Products::integrate(const Shares& o, const Shares& z, double times, Shares& found) const {
    for (std::size_t i = 0; i < o.size(); ++i)
        if (o[i] == 0 && z[i] == 0) return;  // nobody comes here
    for (std::size_t q = 0; q < at_.size(); ++q) {
        double product = times * weight_[q];
        for (std::size_t i = 0; i < o.size(); ++i) product *= z[i] + at_[q] * (o[i] - z[i]);
        for (std::size_t i = 0; i < o.size(); ++i)
            found[i] += product * (o[i] - z[i]) / (z[i] + at_[q] * (o[i] - z[i]));
    }
}

}  // namespace bough
