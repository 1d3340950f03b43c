// Which cuts of a column keep the rules, by sums of their outer side. What a rule asks of the two sides is linear in
// these sums: no cut is divided for it, and many cuts are judged by the corners of the box that they lie in. Sums are
// off by rounding, so that cuts at the edge are left to the plain rule.
#pragma once

#include <array>

#include "base/slack.hpp"
#include "score/best.hpp"
#include "score/node.hpp"

namespace bough {

class AllowedCuts {
   public:
    // Of classes; x: what the class that rules are about weighs on the outer side, `high`: which is the right one.
    static AllowedCuts of_class(const Node& node, const Standing& standing, bool high) {
        const bool here = node.ruled < node.present.size();
        const double all = here ? node.weights[node.present[node.ruled]] : 0.0;
        if (!(all > 0)) return AllowedCuts(standing, standing.keeps(0, 0));
        return AllowedCuts(standing, high, all, node.total, kRunning * node.total);
    }
    // Of two classes; x: what the second one weighs.
    static AllowedCuts of_two(const Node& node, const Standing& standing, bool high) {
        AllowedCuts cuts = of_class(node, standing, high);
        if (node.ruled != 0) return cuts;
        for (Form& f : cuts.forms_) f = {-f.x, f.x + f.w, f.one};
        return cuts;
    }
    // Of numbers; x: the sum of the distances from the node's mean.
    static AllowedCuts of_numbers(const Node& node, Standing s, bool high, bool weighted = false) {
        if (s.sign == 0) return {};
        double size = std::fabs(node.mean);
        for (double* end : {&s.low, &s.high}) {
            *end -= node.mean;
            if (std::isfinite(*end)) size += std::fabs(*end);
        }
        return AllowedCuts(
            s, high, 0, node.total,
            kRunning * std::sqrt(node.total * node.spread) + (weighted ? kRunning : kSum) * node.total * size);
    }

    bool all() const { return all_; }
    // Below 0: not allowed.
    double operator()(double x, double w) const {
        const double a = forms_[0].at(x, w), b = forms_[1].at(x, w), c = forms_[2].at(x, w);
        const double ab = a < b ? a : b;
        return ab < c ? ab : c;
    }
    Verdict verdict(double x, double w) const {
        if (all_) return Verdict::yes;
        const double found = (*this)(x, w);
        return found < 0 ? Verdict::no : found > edge_ ? Verdict::yes : Verdict::maybe;
    }
    // Of all sums and weights between these.
    bool any(double x0, double x1, double w0, double w1) const {
        if (all_) return true;
        for (const Form& f : forms_)
            if (std::max(f.x * x0, f.x * x1) + std::max(f.w * w0, f.w * w1) + f.one < 0) return false;
        return true;
    }

   private:
    struct Form {
        double x = 0, w = 0, one = 0;
        double at(double x0, double w0) const { return x * x0 + w * w0 + one; }
    };

    AllowedCuts() = default;
    AllowedCuts(const Standing& standing, bool kept) : all_(standing.sign == 0 || kept) { forms_.fill({0, 0, -1}); }
    AllowedCuts(const Standing& s, bool high, double x, double w, double off) : all_(s.sign == 0), edge_(2 * off) {
        const bool rises = (s.sign > 0) != high;  // from the outer side to the inner one
        const double turn = rises ? 1 : -1, near = rises ? s.low : s.high, far = rises ? s.high : s.low;
        forms_[0] = {-turn, turn * (x / w), off};
        forms_[1] = std::isfinite(near) ? Form{turn, -turn * near, off} : Form{0, 0, kInf};
        forms_[2] = std::isfinite(far) ? Form{turn, -turn * far, turn * (far * w - x) + off} : Form{0, 0, kInf};
    }

    bool all_ = true;
    double edge_ = 0;  // from here on sure
    std::array<Form, 3> forms_;
};

}  // namespace bough
