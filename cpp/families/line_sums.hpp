// Lines by least squares, from sums over rows.
#pragma once

#include "base/integers.hpp"
#include "base/slack.hpp"

namespace bough {

// Σ weight × 1, u, v, u², u·v of some rows; u and v are a column and the residual about their means at the node.
struct LineSums {
    double w = 0, u = 0, v = 0, uu = 0, uv = 0;
    u32 rows = 0;

    void add(double weight, double x, double y) {
        const double wx = weight * x;
        w += weight, u += wx, v += weight * y, uu += wx * x, uv += wx * y;
        ++rows;
    }
    friend LineSums operator+(LineSums a, const LineSums& b) {
        a.w += b.w, a.u += b.u, a.v += b.v, a.uu += b.uu, a.uv += b.uv, a.rows += b.rows;
        return a;
    }
    friend LineSums operator-(LineSums a, const LineSums& b) {
        a.w -= b.w, a.u -= b.u, a.v -= b.v, a.uu -= b.uu, a.uv -= b.uv, a.rows -= b.rows;
        return a;
    }
    double spread() const { return uu - u * u / w; }
    double slope() const { return (uv - u * v / w) / spread(); }
    // How much of Σ weight·v² a constant explains, and a line beyond that.
    double by_constant() const { return v * v / w; }
    double by_line() const {
        const double together = uv - u * v / w;
        return together * together / spread();
    }
    // ... a line of another slope from `knot` on, where `right` are the sums of the rows there and these are of all;
    // NaN: they do not tell two slopes apart. `slopes`: of the left line, and how much steeper the right one is.
    double by_two_lines(const LineSums& right, double knot, double* slopes) const {
        const double h = right.u - knot * right.w, hh = right.uu - 2 * knot * right.u + knot * knot * right.w;
        const double uh = right.uu - knot * right.u - u * h / w, hv = right.uv - knot * right.v - h * v / w;
        const double own = spread(), bend = hh - h * h / w, together = uv - u * v / w;
        const double det = own * bend - uh * uh;
        if (!(bend > kNoBend * own) || !(det > kNoBend * own * bend)) return kNaN;
        slopes[0] = (bend * together - uh * hv) / det;
        slopes[1] = (own * hv - uh * together) / det;
        return slopes[0] * together + slopes[1] * hv;
    }
};

}  // namespace bough
