// Sums of a numeric target that depend on the set of rows and not on their order: each number becomes an integer, its
// image, and sums of integers are exact. A node has an image of its own, made from its rows, so that small numbers are
// not lost below large ones of other nodes.
#pragma once

#include <algorithm>
#include <bit>

#include "base/integers.hpp"
#include "base/per_thread.hpp"
#include "data/target.hpp"

namespace bough {

using i128 = __int128;
using u128 = unsigned __int128;

// The whole part of a number below 2^110, as the cast gives it; inline, where the cast is a call.
inline i128 whole(double x) {
    const i64 high = static_cast<i64>(x * 0x1p-48);
    return (i128{high} << 48) + static_cast<i64>(x - static_cast<double>(high) * 0x1p48);
}

// What an image is made from.
struct NumberEnds {
    double low = kInf, high = -kInf;       // of the numbers
    double lightest = kInf, heaviest = 0;  // of the weights

    void add(double y) {
        low = y < low ? y : low;
        high = y > high ? y : high;
    }
    void add(double y, u32) { add(y); }
    void add(double y, double weight) {
        add(y);
        lightest = weight < lightest ? weight : lightest;
        heaviest = weight > heaviest ? weight : heaviest;
    }
};

// One side of a cut: what it weighs and the sum of weight × number, as integers.
struct ExactSum {
    i128 weight = 0, sum = 0;

    ExactSum& operator+=(const ExactSum& o) {
        weight += o.weight;
        sum += o.sum;
        return *this;
    }
    friend ExactSum operator-(const ExactSum& a, const ExactSum& b) { return {a.weight - b.weight, a.sum - b.sum}; }
};

inline double power_of_two(int e) { return std::bit_cast<double>(static_cast<u64>(e + 1023) << 52); }

// The powers of two that make integers of so many bits of numbers up to this size, and numbers of these.
inline void fit_bits(int bits, double most, double& scale, double& unit) {
    const int exponent = static_cast<int>(std::bit_cast<u64>(most) >> 52) - 1023;
    const int e = std::clamp(bits - 1 - exponent, -1000, 1000);
    scale = power_of_two(e);
    unit = power_of_two(-e);
}
inline constexpr int kNumberBits = 62, kWeightedBits = 94;

// The integers of the numbers of a node. Where every row weighs 1, the greatest number has 62 bits: a number that is
// at least half as large is exact, and so is the difference of two. Weighted numbers are taken from the middle of
// their range and have 94 bits, so that light rows are not lost beside heavy ones; if they are all the same, sums of
// this kind will not do.
class NumberImage {
   public:
    NumberImage() = default;
    NumberImage(const NumberEnds& ends, bool weighted) : weighted_(weighted) {
        keeps_rows_ = !weighted || ends.heaviest <= ends.lightest * 0x1p30;
        if (!weighted) {
            fit_bits(kNumberBits, std::max(std::fabs(ends.low), std::fabs(ends.high)), scale_, unit_);
            return;
        }
        center_ = ends.low + (ends.high - ends.low) / 2;
        const double range = std::max(ends.high - center_, center_ - ends.low);
        fit_bits(kWeightedBits, ends.heaviest, weight_scale_, weight_unit_);
        fit_bits(kWeightedBits, ends.heaviest * range, scale_, unit_);
    }

    bool weighted() const { return weighted_; }
    // Does every row count in sums?
    bool keeps_rows() const { return keeps_rows_; }
    i64 of(double y) const { return static_cast<i64>(y * scale_); }  // where every row weighs 1
    void add(double y, ExactSum& to) const {
        to.sum += of(y);
        ++to.weight;
    }
    void add(double y, ExactSum& to, u32 times) const {
        to.sum += i128{of(y)} * times;
        to.weight += times;
    }
    void add(double y, ExactSum& to, double weight) const {
        to.sum += whole(weight * (y - center_) * scale_);
        to.weight += whole(weight * weight_scale_);
    }

    double unit() const { return unit_; }  // of such an integer
    // Σ weight × (number − y), where rows have weights.
    long double about(double y, const ExactSum& some) const {
        return static_cast<long double>(some.sum) * unit_ -
               static_cast<long double>(y - center_) * static_cast<long double>(some.weight) * weight_unit_;
    }

    double weight(i128 weight) const { return static_cast<double>(weight) * weight_unit_; }
    double mean(const ExactSum& all) const {
        if (!weighted_) return static_cast<double>(all.sum) / static_cast<double>(all.weight) * unit_;
        return center_ + static_cast<double>(all.sum) * unit_ / weight(all.weight);
    }
    // Σ weight × (number − mean of all) over some of the rows.
    double about_mean(const ExactSum& some, const ExactSum& all) const {
        if (!weighted_)
            return static_cast<double>(some.sum * all.weight - some.weight * all.sum) /
                   static_cast<double>(all.weight) * unit_;
        const long double share = static_cast<long double>(some.weight) / static_cast<long double>(all.weight);
        return static_cast<double>(static_cast<long double>(some.sum) - share * static_cast<long double>(all.sum)) *
               unit_;
    }

   private:
    bool weighted_ = false, keeps_rows_ = true;
    double center_ = 0;
    double scale_ = 1, unit_ = 1, weight_scale_ = 1, weight_unit_ = 1;
};

struct SquaredDistance {
    double of(double number, double predicted) const { return (number - predicted) * (number - predicted); }
};

// The integers of weight × what a prediction costs, the mean's squares or another loss.
template <class Rule = SquaredDistance>
class LossImage {
   public:
    LossImage(const NumberEnds& ends, double predicted, bool weighted, const Rule& rule = {})
        : predicted_(predicted), rule_(rule) {
        const double most = std::max(rule.of(ends.low, predicted), rule.of(ends.high, predicted));
        fit_bits(weighted ? kWeightedBits : kNumberBits, (weighted ? ends.heaviest : 1.0) * most, scale_, unit_);
    }
    i128 of(double y) const { return static_cast<i64>(rule_.of(y, predicted_) * scale_); }
    i128 of(double y, u32 times) const { return of(y) * times; }
    i128 of(double y, double weight) const { return whole(weight * rule_.of(y, predicted_) * scale_); }
    double sum(i128 sum) const { return static_cast<double>(sum) * unit_; }

   private:
    double predicted_, scale_ = 1, unit_ = 1;
    Rule rule_;
};

// What is known of the numbers of a node.
struct NumberMeasure {
    NumberImage image;            // what makes exact sums of them
    ExactSum sums;                // of all rows
    double mean = 0, spread = 0;  // Σ weight × (number − mean)²
    double value = 0, loss = 0;   // what a leaf predicts, and what that costs in all
    bool pure = false;            // nothing is left to separate: of numbers, they are all one

    NumberMeasure() = default;
    NumberMeasure(const NumberEnds& ends, bool weighted, const ExactSum& all)
        : image(ends, weighted), sums(all), mean(image.mean(all)), value(mean), pure(ends.low == ends.high) {}
};

// The quantile that a leaf predicts; each(visit) as below.
template <class Each>
double quantile_of(const LeafRule& rule, const NumberMeasure& m, Each each) {
    auto& rows = per_thread<std::vector<std::pair<double, i128>>, struct QuantileRows>();
    rows.clear();
    each([&](double y, auto... how) {
        ExactSum one;
        m.image.add(y, one, how...);
        rows.emplace_back(y, one.weight);
    });
    const auto lower = [](auto& a, auto& b) { return a.first < b.first; };
    if (!std::is_sorted(rows.begin(), rows.end(), lower)) std::sort(rows.begin(), rows.end(), lower);
    const long double all = static_cast<long double>(m.sums.weight);
    i128 sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [y, weight] = rows[i];
        if (!rule.reaches(static_cast<long double>(sum += weight), all)) continue;
        if (!rule.middle || i + 1 == rows.size() || rule.passes(static_cast<long double>(sum), all)) return y;
        return y + (rows[i + 1].first - y) / 2;
    }
    return rows.back().first;
}

// each(visit) calls visit(number), visit(number, times) or visit(number, weight) for every row.
template <class Each>
NumberEnds ends_of(Each each) {
    NumberEnds ends;
    each([&](double y, auto... how) { ends.add(y, how...); });
    return ends;
}
template <class Each>
ExactSum sums_of(const NumberImage& image, Each each) {
    ExactSum all;
    each([&](double y, auto... how) { image.add(y, all, how...); });
    return all;
}
template <class Rule, class Each>
i128 sum_of(const LossImage<Rule>& losses, Each each) {
    i128 sum = 0;
    each([&](double y, auto... how) { sum += losses.of(y, how...); });
    return sum;
}
template <class Each>
NumberMeasure measure_numbers(const LeafRule& rule, bool weighted, Each each) {
    const NumberEnds ends = ends_of(each);
    NumberMeasure m(ends, weighted, sums_of(NumberImage(ends, weighted), each));
    if (m.pure && rule.ordered()) m.value = ends.low;
    if (m.pure) return m;
    auto loss_of = [&](double predicted, const auto& by) {
        const LossImage losses(ends, predicted, weighted, by);
        return losses.sum(sum_of(losses, each));
    };
    m.spread = m.loss = loss_of(m.mean, SquaredDistance{});
    if (rule.ordered()) m.value = quantile_of(rule, m, each);
    if (!rule.squares()) m.loss = loss_of(m.value, rule);
    return m;
}

}  // namespace bough
