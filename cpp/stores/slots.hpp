// Records of one width, one for each open node, in memory that is used again when a node closes.
#pragma once

#include "base/integers.hpp"

namespace bough {

template <class T>
class Slots {
   public:
    // Begins anew, with records of this width.
    void begin(std::size_t width) {
        width_ = width;
        free_.clear();
        all_.clear();
        taken_ = 0;
    }
    u32 take() {
        if (free_.empty()) {
            all_.resize(all_.size() + width_);
            return taken_++;
        }
        const u32 slot = free_.back();
        free_.pop_back();
        return slot;
    }
    void give_back(u32 slot) { free_.push_back(slot); }
    T* at(u32 slot) { return all_.data() + slot * width_; }  // as long as no other one is taken

   private:
    std::size_t width_ = 0;
    std::vector<T> all_;
    std::vector<u32> free_;
    u32 taken_ = 0;
};

}  // namespace bough
