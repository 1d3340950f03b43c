#include "explain/coalitions.hpp"

#include <algorithm>
#include <bit>

namespace bough {

namespace {

constexpr double kNoNumber = kNaN;
constexpr i32 kNoCode = -1;

// The columns that a split itself asks.
std::span<const u32> columns_of(const SplitView& split) {
    return split.kind == NodeKind::linear ? split.term_columns : std::span(&split.column, 1);
}

// A column of one row; of no row its value is missing.
Column cell(Column column, const RowOf* from) {
    const bool nominal = column.kind == ColumnKind::nominal;
    column.values = nominal ? nullptr : from ? &column.values[static_cast<i64>(from->row) * column.stride] : &kNoNumber;
    column.codes = !nominal ? nullptr : from ? column.codes + from->row : &kNoCode;
    return column;
}

bool differ(const Column& a, const Column& b) {
    if (a.kind == ColumnKind::nominal) return *a.codes != *b.codes;
    return *a.values != *b.values && !(is_missing(*a.values) && is_missing(*b.values));
}

}  // namespace

bool Coalitions::add(const RowOf& own, const RowOf& other, double scale, double* out, Budget& budget) {
    const std::size_t n = own.columns.size();
    by_weight_ = other.columns.empty();
    for (auto* v : {&mixture_, &owns_, &others_}) v->resize(n);
    for (auto* v : {&own_, &differs_}) v->resize(n);
    for (u32 c = 0; c < n; ++c) {
        owns_[c] = cell(own.columns[c], &own);
        others_[c] = by_weight_ ? cell(own.columns[c], nullptr) : cell(other.columns[c], &other);
        differs_[c] = by_weight_ || differ(owns_[c], others_[c]);
        set(c, false);
    }
    waiting_.clear();
    if (!game_.arms()[0].ends) waiting_.push_back({0, {}, {1.0}});
    while (!waiting_.empty()) {
        budget.poll();
        Open open = std::move(waiting_.back());
        waiting_.pop_back();
        if (!descend(open, scale, out)) return false;
    }
    return true;
}

// The columns that decide where the mixture goes on and make a difference.
std::vector<u32> Coalitions::asked(const SplitView& split) {
    std::vector<u32> found;
    auto ask = [&](u32 c) {
        if (differs_[c] && std::find(found.begin(), found.end(), c) == found.end()) found.push_back(c);
    };
    bool lacks = false;
    for (bool own : {true, false}) {  // a sum is missing where a number is
        for (u32 c : columns_of(split)) set(c, own);
        lacks = lacks || ((own || !by_weight_) && answer(split, mixture_, 0) == kNone);
    }
    for (u32 c : columns_of(split)) ask(c);
    for (std::size_t i = 0; lacks && i < split.surrogates.size(); ++i) ask(split.surrogates[i].column);
    return found;
}

// By weights, a split is answered once all of its own columns are known.
u32 Coalitions::way(const SplitView& split) const {
    const auto columns = columns_of(split);
    const bool all = std::all_of(columns.begin(), columns.end(), [&](u32 c) { return own_[c]; });
    return by_weight_ && !all ? kByWeight : game_.way(split, mixture_, 0);
}

bool Coalitions::descend(Open& open, double scale, double* out) {
    const std::span<const Arm> arms = game_.arms();
    const SplitView& split = game_.split(arms[open.arm]);
    const std::vector<u32> wanted = asked(split);
    std::vector<u32> place;  // among the players
    for (u32 c : wanted) {
        place.push_back(
            static_cast<u32>(std::find(open.players.begin(), open.players.end(), c) - open.players.begin()));
        if (place.back() == open.players.size()) open.players.push_back(c);
    }
    if (open.players.size() > kMostPlayers) return false;
    while (open.share.size() < std::size_t{1} << open.players.size()) {  // above, a new column changed nothing
        const std::vector<double> same = open.share;
        open.share.insert(open.share.end(), same.begin(), same.end());
    }
    std::vector<u32> ways(std::size_t{1} << wanted.size());  // of each coalition of the columns asked here
    for (u32 c : wanted) set(c, false);
    for (u32 i = 0; i < ways.size(); ++i) {  // one column changes after the other, in the order of a Gray code
        const u32 coalition = i ^ (i >> 1), changed = static_cast<u32>(std::countr_zero(i | 1u << 31));
        if (i > 0) set(wanted[changed], coalition >> changed & 1);
        ways[coalition] = way(split);
    }
    std::vector<u32> to(open.share.size());
    for (u32 s = 0; s < to.size(); ++s) {
        u32 part = 0;
        for (u32 i = 0; i < place.size(); ++i) part |= (s >> place[i] & 1) << i;
        to[s] = ways[part];
    }
    std::vector<u32> below;
    for (u32 a = open.arm + 1; a < arms[open.arm].behind; a = arms[a].behind) below.push_back(a);
    // The largest branch waits longest, so that few wait at a time.
    std::stable_sort(below.begin(), below.end(), [&](u32 a, u32 b) { return arms[a].behind - a > arms[b].behind - b; });
    for (u32 a : below) {
        Open next{a, open.players, std::vector<double>(to.size())};
        for (u32 s = 0; s < to.size(); ++s) next.share[s] = open.share[s] * Game::share(arms[a], to[s]);
        if (std::all_of(next.share.begin(), next.share.end(), [](double share) { return share == 0; })) continue;
        if (arms[a].ends)
            credit(next, arms[a], scale, out);
        else
            waiting_.push_back(std::move(next));
    }
    return true;
}

// A coalition of s columns gives each of them (s − 1)!·(d − s)!/d! of what it says and takes s!·(d − s − 1)!/d! of it
// from each other one.
void Coalitions::credit(const Open& open, const Arm& arm, double scale, double* out) const {
    const u32 d = static_cast<u32>(open.players.size()), k = game_.n_outputs();
    double weight[kMostPlayers + 2] = {};  // [s + 1]: s!·(d − 1 − s)!/d!; 0 for s = −1 and s = d
    for (u32 s = 0; s < d; ++s) weight[s + 1] = s == 0 ? 1.0 / d : weight[s] * s / (d - s);
    double gained[kMostPlayers] = {}, lost = 0;
    for (u32 s = 0; s < open.share.size(); ++s) {
        const u32 size = static_cast<u32>(std::popcount(s));
        lost += open.share[s] * weight[size + 1];
        for (u32 left = s; left && open.share[s] != 0; left &= left - 1)
            gained[std::countr_zero(left)] += open.share[s] * (weight[size] + weight[size + 1]);
    }
    for (u32 i = 0; i < d; ++i)
        for (u32 j = 0; j < k; ++j)
            out[std::size_t{open.players[i]} * k + j] += scale * (gained[i] - lost) * game_.value(arm)[j];
}

}  // namespace bough
