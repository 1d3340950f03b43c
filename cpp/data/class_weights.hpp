// What the rows of each class weigh together: a number for every class where they are few, a list of those that are
// there where they are many, so that a tree of many classes takes room by its rows and not by nodes times classes.
#pragma once

#include <algorithm>
#include <utility>

#include "base/integers.hpp"

namespace bough {

constexpr u32 kManyClasses = 256;  // of more than these, those that are there are listed

class ClassWeights {
   public:
    ClassWeights() = default;
    // `classes`: whose weights these are, ascending; empty: those of all classes in order.
    ClassWeights(std::span<const double> weights, std::span<const u32> classes = {})
        : weights_(weights), classes_(classes) {}
    ClassWeights(std::vector<double> weights, std::vector<u32> classes)
        : own_(std::move(weights)), own_classes_(std::move(classes)), weights_(own_), classes_(own_classes_) {}
    ClassWeights(ClassWeights&&) noexcept = default;  // what a vector holds stays where it is
    ClassWeights& operator=(ClassWeights&&) noexcept = default;

    std::size_t size() const { return weights_.size(); }
    bool empty() const { return weights_.empty(); }
    double operator[](std::size_t i) const { return weights_[i]; }
    u32 id(std::size_t i) const { return classes_.empty() ? static_cast<u32>(i) : classes_[i]; }
    auto begin() const { return weights_.begin(); }
    auto end() const { return weights_.end(); }
    std::span<const double> weights() const { return weights_; }
    std::span<const u32> classes() const { return classes_; }
    double sum() const {
        double sum = 0;
        for (double w : weights_) sum += w;
        return sum;
    }
    double most() const { return empty() ? 0.0 : *std::max_element(begin(), end()); }

   private:
    std::vector<double> own_;
    std::vector<u32> own_classes_;
    std::span<const double> weights_;
    std::span<const u32> classes_;
};

// Adds up weights of classes that come in any order.
class ClassTally {
   public:
    explicit ClassTally(u32 n_classes) : sums_(n_classes, 0.0), seen_(n_classes, 0) {}

    std::size_t n_classes() const { return sums_.size(); }
    void add(u32 c, double weight) {
        if (!seen_[c]) found_.push_back(c);
        seen_[c] = 1;
        sums_[c] += weight;
    }
    // The sums so far; those that follow begin anew.
    ClassWeights take() {
        std::vector<double> weights;
        if (sums_.size() <= kManyClasses) {
            weights = sums_;
            found_.clear();
            std::fill(sums_.begin(), sums_.end(), 0.0);
            std::fill(seen_.begin(), seen_.end(), 0);
        } else {
            std::sort(found_.begin(), found_.end());
            weights.reserve(found_.size());
            for (u32 c : found_) {
                weights.push_back(sums_[c]);
                sums_[c] = 0;
                seen_[c] = 0;
            }
        }
        return {std::move(weights), std::exchange(found_, {})};
    }

   private:
    std::vector<double> sums_;
    std::vector<u8> seen_;
    std::vector<u32> found_;
};

}  // namespace bough
