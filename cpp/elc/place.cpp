#include "elc/place.hpp"

#include <algorithm>
#include <array>

#include "base/dot.hpp"
#include "base/scale.hpp"
#include "base/slack.hpp"
#include "base/threshold.hpp"

namespace bough::elc {

namespace {

using Vector = std::array<double, kMostTerms>;

// The entries of both sides as predict sees them.
struct Sides {
    u32 r;
    std::vector<Vector> left, right;
};

double dot(const Vector& a, const Vector& b, u32 r) { return bough::dot(r, a.data(), b.data()); }

// The cut between the sides along a direction.
struct Gap {
    double low = -kInf, high = kInf;  // largest projection of the left side, least of the right one
    bool open() const { return low < high && std::isfinite(low) && std::isfinite(high); }
};

Gap gap_along(const Sides& s, const Vector& w) {
    Gap g;
    for (const auto& x : s.left) {
        const double p = dot(w, x, s.r);
        if (!(p <= g.low)) g.low = is_missing(p) ? kInf : p;  // a sum that is no number closes the gap
    }
    for (const auto& x : s.right) {
        const double p = dot(w, x, s.r);
        if (!(p >= g.high)) g.high = is_missing(p) ? -kInf : p;
    }
    return g;
}

double margin_of(const Gap& g, const Vector& w, u32 r) {
    return g.open() ? (g.high - g.low) / std::sqrt(dot(w, w, r)) : -1.0;
}

// Scaled by a power of two, so that digits stay.
bool normalise(Vector& w, u32 r) {
    double most = 0;
    for (u32 t = 0; t < r; ++t) most = std::max(most, std::fabs(w[t]));
    if (!(most > 0) || !std::isfinite(most)) return false;
    const int exponent = -std::ilogb(most);
    for (u32 t = 0; t < r; ++t) w[t] = std::ldexp(w[t], exponent);
    return true;
}

// Solves the m × m system a·x = b in place; false if it is singular.
bool solve(double* a, double* b, u32 m, u32 stride) {
    for (u32 i = 0; i < m; ++i) {
        u32 best = i;
        for (u32 j = i + 1; j < m; ++j)
            if (std::fabs(a[j * stride + i]) > std::fabs(a[best * stride + i])) best = j;
        if (!(std::fabs(a[best * stride + i]) > 0)) return false;
        if (best != i) {
            for (u32 j = 0; j < m; ++j) std::swap(a[i * stride + j], a[best * stride + j]);
            std::swap(b[i], b[best]);
        }
        for (u32 j = i + 1; j < m; ++j) {
            const double f = a[j * stride + i] / a[i * stride + i];
            for (u32 l = i; l < m; ++l) a[j * stride + l] -= f * a[i * stride + l];
            b[j] -= f * b[i];
        }
    }
    for (u32 i = m; i-- > 0;) {
        for (u32 j = i + 1; j < m; ++j) b[i] -= a[i * stride + j] * b[j];
        b[i] /= a[i * stride + i];
    }
    return true;
}

// The shortest vector between the convex hulls of the two sides (Wolfe's nearest point): the normal of
// the widest gap. Starts from `start`, a direction that separates.
Vector widest(const Sides& s, const Vector& start, Budget* budget) {
    constexpr u32 kSteps = 200;
    const u32 r = s.r;
    double most = 0;
    for (const auto* side : {&s.left, &s.right})
        for (const auto& x : *side) most = std::max(most, largest_of({x.data(), r}));
    if (const int exponent = wild_exponent({&most, 1})) {  // squares would be no numbers: the same near 1
        Sides near = s;
        for (auto* side : {&near.left, &near.right})
            for (auto& x : *side)
                for (u32 t = 0; t < r; ++t) x[t] = std::ldexp(x[t], -exponent);
        return widest(near, start, budget);
    }
    auto farthest = [&](const Vector& d) {
        const Vector *low = nullptr, *high = nullptr;
        double least = kInf, most = -kInf;
        for (const auto& x : s.right)
            if (const double p = dot(d, x, r); p < least) least = p, low = &x;
        for (const auto& x : s.left)
            if (const double p = dot(d, x, r); p > most) most = p, high = &x;
        Vector v{};
        if (low && high)
            for (u32 t = 0; t < r; ++t) v[t] = (*low)[t] - (*high)[t];
        return v;
    };
    std::vector<Vector> corral{farthest(start)};
    std::vector<double> share{1.0};
    Vector at = corral[0], best = start;
    double widest_margin = margin_of(gap_along(s, start), start, r);
    for (u32 step = 0; step < kSteps; ++step) {
        budget->poll();
        Vector direction = at;
        if (!normalise(direction, r)) break;
        if (const double m = margin_of(gap_along(s, direction), direction, r); m > widest_margin) {
            widest_margin = m;
            best = direction;
        }
        const Vector p = farthest(at);
        const double length = dot(at, at, r);
        if (!(dot(at, p, r) < length * (1 - kNearest))) break;
        if (std::find(corral.begin(), corral.end(), p) != corral.end()) break;
        corral.push_back(p);
        share.push_back(0.0);
        for (;;) {  // the nearest point of the flat through the corral, stepping back to the hull
            const u32 m = static_cast<u32>(corral.size()), stride = kMostTerms + 4;
            if (m > r + 1) break;
            std::array<double, (kMostTerms + 4) * (kMostTerms + 4)> a{};
            std::array<double, kMostTerms + 4> b{};
            double scale = 0;
            for (u32 i = 0; i < m; ++i) scale = std::max(scale, dot(corral[i], corral[i], r));
            for (u32 i = 0; i < m; ++i) {
                for (u32 j = 0; j < m; ++j) a[i * stride + j] = dot(corral[i], corral[j], r) / scale;
                a[i * stride + m] = a[m * stride + i] = 1;
            }
            b[m] = 1;
            if (!solve(a.data(), b.data(), m + 1, stride)) break;
            double theta = 1;
            u32 out = m;
            for (u32 i = 0; i < m; ++i)
                if (b[i] <= kNoCorner && share[i] - b[i] > 0)
                    if (const double f = share[i] / (share[i] - b[i]); f < theta) theta = f, out = i;
            for (u32 i = 0; i < m; ++i) share[i] += theta * (b[i] - share[i]);
            if (out == m) break;
            corral.erase(corral.begin() + out);
            share.erase(share.begin() + out);
        }
        if (corral.size() > r + 1) {  // rounding: the farthest one is of least use
            corral.erase(corral.begin());
            share.erase(share.begin());
        }
        at = {};
        for (std::size_t i = 0; i < corral.size(); ++i)
            for (u32 t = 0; t < r; ++t) at[t] += share[i] * corral[i][t];
    }
    return best;
}

// One column only; `positive`: its larger numbers are on the right side of the division.
Split axis_split(const Parting& d, u32 t, bool positive, bool through) {
    Split split;
    split.kind = NodeKind::axis;
    split.column = d.points->columns[t]->column;
    double low = -kInf, high = kInf;
    for (u32 e = 0; e < d.points->size; ++e) {
        const double x = d.points->raw(t, e);
        if ((d.right[e] != 0) == positive)
            high = std::min(high, x);
        else
            low = std::max(low, x);
    }
    split.cut = !through ? between(low, high) : positive == d.touching_right ? std::nextafter(high, -kInf) : low;
    split.saw_missing = d.points->n_missing > 0;
    split.missing_left = d.missing_right != positive;
    return split;
}

// `through`: the cut stays at the touching entries.
std::optional<Split> linear_split(const Parting& d, Vector w, bool through, Sides s) {
    const Points& points = *d.points;
    Split split;
    split.kind = NodeKind::linear;
    split.saw_missing = points.n_missing > 0;
    split.missing_left = true;  // rows without a number are on the lower side
    bool turn = d.missing_right;
    if (points.n_missing == 0)  // there are none: the first weight is positive
        turn = *std::find_if(w.begin(), w.begin() + s.r, [](double x) { return x != 0; }) < 0;
    // Terms without weight are left out, unless that number of a row is missing.
    u32 kept = 0;
    for (u32 t = 0; t < s.r; ++t) {
        if (w[t] == 0 && points.columns[t]->n_missing == 0) continue;
        w[kept] = w[t] == 0 ? 0.0 : turn ? -w[t] : w[t];
        for (auto* side : {&s.left, &s.right})
            for (auto& x : *side) x[kept] = x[t];
        split.term_columns.push_back(points.columns[t]->column);
        split.term_weights.push_back(w[kept]);
        ++kept;
    }
    s.r = kept;
    if (turn) std::swap(s.left, s.right);
    const Gap gap = gap_along(s, w);
    if (!gap.open()) return {};
    const bool touching_right = d.touching_right != turn;
    split.cut = !through ? between(gap.low, gap.high) : touching_right ? std::nextafter(gap.high, -kInf) : gap.low;
    return split;
}

// Every row that has its numbers is on one side, the others are on the other one.
std::optional<Split> beside(const Parting& d, Vector w, const Sides& s) {
    const auto& known = s.left.empty() ? s.right : s.left;
    if (known.empty() || d.points->n_missing == 0 || d.missing_right == s.left.empty()) return {};
    Split split;
    split.kind = NodeKind::linear;
    split.missing_left = split.saw_missing = true;
    double least = kInf;
    for (const auto& x : known) least = std::min(least, dot(w, x, s.r));
    split.cut = std::nextafter(least, -kInf);  // all of them to the right
    if (!std::isfinite(split.cut)) return {};
    for (u32 t = 0; t < s.r; ++t) {
        if (w[t] == 0 && d.points->columns[t]->n_missing == 0) continue;
        split.term_columns.push_back(d.points->columns[t]->column);
        split.term_weights.push_back(w[t]);
    }
    return split;
}

}  // namespace

std::optional<Split> place(const Parting& d, Placing placing, bool check_only) {
    const Points& points = *d.points;
    Sides s{points.r, {}, {}};
    for (u32 e = 0; e < points.size; ++e) {
        if (e % kEntriesOfPoll == 0) d.budget->poll();
        Vector x{};
        for (u32 t = 0; t < points.r; ++t)
            x[t] = points.raw(t, e) - (d.centers ? d.centers[points.columns[t]->column] : 0.0);
        (d.right[e] ? s.right : s.left).push_back(x);
    }
    Vector w{};
    for (u32 t = 0; t < points.r; ++t) w[t] = std::ldexp(d.normal[t], points.columns[t]->exponent);
    if (!normalise(w, points.r)) return {};
    if (s.left.empty() || s.right.empty()) return beside(d, w, s);
    Gap gap = gap_along(s, w);
    const bool through = placing == Placing::through && d.along_normal && gap.open();
    if (!through && !(check_only && gap.open())) {
        w = widest(s, w, d.budget);
        gap = gap_along(s, w);
    }
    if (!gap.open()) return {};
    u32 terms = 0, term = 0;
    bool gaps_elsewhere = false;  // a missing number has weight 0
    for (u32 t = 0; t < points.r; ++t) {
        if (w[t] != 0) ++terms, term = t;
        gaps_elsewhere |= w[t] == 0 && points.columns[t]->n_missing > 0;
    }
    if (terms == 1 && !gaps_elsewhere) return axis_split(d, term, w[term] > 0, through);
    return linear_split(d, w, through, std::move(s));
}

}  // namespace bough::elc
