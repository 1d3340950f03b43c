// Splits that are found and not made yet: the one that improves the tree most is made first, of equals the one that was
// found first, as long as there is room for more leaves.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/integers.hpp"

namespace bough {

template <class Found>
class BestFirst {
   public:
    explicit BestFirst(u32 most_leaves) : room_(most_leaves - 1) {}  // a tree that is not split has one
    bool empty() const { return heap_.empty(); }
    void push(std::unique_ptr<Found> found, double improvement) {
        heap_.push_back({improvement, number_++, std::move(found)});
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    std::unique_ptr<Found> pop() {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        auto found = std::move(heap_.back().found);
        heap_.pop_back();
        return found;
    }
    // Room for so many more leaves, if it is there.
    bool take(u32 leaves) {
        if (leaves > room_) return false;
        room_ -= leaves;
        return true;
    }
    template <class Visit>
    void each(Visit visit) const {
        for (const One& one : heap_) visit(*one.found);
    }

   private:
    struct One {
        double improvement;
        u64 number;
        std::unique_ptr<Found> found;
    };
    static bool later(const One& a, const One& b) {
        return a.improvement != b.improvement ? a.improvement < b.improvement : a.number > b.number;
    }

    std::vector<One> heap_;
    u64 number_ = 0;
    u32 room_;
};

}  // namespace bough
