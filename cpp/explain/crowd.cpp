// A mixture of two rows reaches a leaf if every column of its path is taken from a row whose value allows it. With u
// columns that only the row's own value allows and v that only the other's does, each of the u gets
// (u − 1)!·v!/(u + v)! of what the leaf says, and each of the v loses u!·(v − 1)!/(u + v)! of it.
#include <algorithm>
#include <bit>

#include "explain/game.hpp"

namespace bough {

namespace {

constexpr u32 kTable = 32, kBits = 64;

// (u − 1)!·v!/(u + v)!
double orders(u32 u, u32 v) {
    double found = 1.0 / u;
    for (u32 i = 1; i <= v; ++i) found *= static_cast<double>(i) / (u + i);
    return found;
}

}  // namespace

Crowd::Crowd(const Game& game, std::span<const double> background)
    : game_(game),
      orders_(kTable * kTable),
      levels_(game.depth() + 1),
      last_(game.most_columns()),
      n_rows_(static_cast<double>(background.size() / game.arms().size())) {
    const std::size_t n = game.arms().size(), rows = background.size() / n;
    takes_.resize((rows + kBits - 1) / kBits * n);
    for (std::size_t b = 0; b < rows; ++b)
        for (std::size_t a = 0; a < n; ++a) takes_[b / kBits * n + a] |= u64{background[b * n + a] != 0} << b % kBits;
    for (u32 u = 1; u < kTable; ++u)
        for (u32 v = 0; v < kTable; ++v) orders_[u * kTable + v] = orders(u, v);
}

void Crowd::add(const double* shares, double scale, double* out) {
    const std::span<const Arm> arms = game_.arms();
    for (std::size_t word = 0; word * arms.size() < takes_.size(); ++word) {
        const u64* takes = takes_.data() + word * arms.size();
        levels_[0].alive = takes[0];
        for (u32 a = 1; a < arms.size();) {
            const Arm& arm = arms[a];
            const Level before = arm.before == kNone ? Level{} : levels_[arms[arm.before].depth];
            Level& level = levels_[arm.depth];
            level.arm = a;
            level.own = before.own && shares[a] != 0;
            level.other = before.other & takes[a];
            level.alive = levels_[arm.depth - 1].alive & (level.own ? ~u64{0} : level.other);
            if (level.alive != 0 && arm.ends) end(arm.depth, scale / n_rows_, out);
            a = level.alive == 0 ? arm.behind : a + 1;
        }
    }
}

// Credits a leaf: every background row by its own number of columns that only the row explained allows, u.
void Crowd::end(u32 depth, double scale, double* out) {
    const std::span<const Arm> arms = game_.arms();
    const u64 alive = levels_[depth].alive;
    u64 planes[32] = {};  // the numbers u of all background rows, bit by bit
    u32 most = 0, v = 0;
    ++leaf_;
    columns_.clear();
    at_.clear();
    for (u32 d = depth; d > 0; --d) {
        const Arm& arm = arms[levels_[d].arm];
        if (std::exchange(last_[arm.player], leaf_) == leaf_) continue;  // asked again below
        const u64 lacks = alive & ~levels_[d].other;
        if (levels_[d].own && lacks == 0) continue;  // it makes no difference
        columns_.push_back(game_.column(arm));
        at_.push_back(d);
        if (!levels_[d].own) {
            ++v;
            continue;
        }
        u64 carry = lacks;
        for (u32 p = 0; carry != 0; ++p) carry &= std::exchange(planes[p], planes[p] ^ carry);
        ++most;
    }
    gains_.assign(columns_.size(), 0.0);
    for (u32 u = 0; u <= most; ++u) {
        u64 here = alive;
        for (u32 p = 0; p < static_cast<u32>(std::bit_width(most)); ++p) here &= u >> p & 1 ? planes[p] : ~planes[p];
        if (here == 0 || u + v == 0) continue;
        const bool known = u < kTable && v < kTable;
        const double plus = u == 0 ? 0 : known ? orders_[u * kTable + v] : orders(u, v);
        const double minus = v == 0 ? 0 : known ? orders_[v * kTable + u] : orders(v, u);
        for (std::size_t i = 0; i < at_.size(); ++i) {
            const Level& level = levels_[at_[i]];
            gains_[i] += level.own ? plus * std::popcount(here & ~level.other) : -minus * std::popcount(here);
        }
    }
    const u32 k = game_.n_outputs();
    const double* value = game_.value(arms[levels_[depth].arm]);
    for (std::size_t i = 0; i < columns_.size(); ++i)
        for (u32 j = 0; j < k; ++j) out[std::size_t{columns_[i]} * k + j] += scale * gains_[i] * value[j];
}

}  // namespace bough
