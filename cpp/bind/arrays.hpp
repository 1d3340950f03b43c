// NumPy arrays in and out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "base/integers.hpp"

namespace bough {

template <class T>
using In = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Strided = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::device::cpu>;
using Matrix = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::device::cpu>;
using MatrixByRows = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Out = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

// The numbers of an array. NumPy lets them begin at any byte; loads of the core's may not.
template <class Array>
auto begin_of(const Array& a) {
    const auto* data = a.data();
    if (a.size() > 0 && reinterpret_cast<std::uintptr_t>(data) % alignof(decltype(*data)) != 0)
        throw std::invalid_argument("the array is not aligned; pass a copy");
    return data;
}

template <class T>
std::span<const T> span_of(const In<T>& a) {
    return {begin_of(a), a.shape(0)};
}

template <class T>
std::vector<T> vector_of(nanobind::handle array) {
    const auto numbers = span_of(nanobind::cast<In<T>>(array));
    return {numbers.begin(), numbers.end()};
}

template <class T>
Out<T> to_numpy(std::vector<T> v) {
    auto* owned = new std::vector<T>(std::move(v));
    nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(owned->data(), {owned->size()}, owner);
}
template <class T>
Out<T> numpy_empty(std::size_t n) {
    T* data = new T[n];
    nanobind::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Out<T>(data, {n}, owner);
}

}  // namespace bough
