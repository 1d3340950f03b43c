// The few types and constants that every file of the core uses.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace bough {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr u32 kNone = 0xffffffffu;

inline bool is_missing(double x) { return x != x; }

// Storage that is not filled on allocation: pages that nobody touches are never committed.
template <class T>
class RawBuffer {
   public:
    RawBuffer() = default;
    explicit RawBuffer(std::size_t n) : data_(std::make_unique_for_overwrite<T[]>(n)), size_(n) {}
    void grow_to(std::size_t n) {
        if (n > size_) *this = RawBuffer(n);
    }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

   private:
    std::unique_ptr<T[]> data_;
    std::size_t size_ = 0;
};

}  // namespace bough
