#include "directions/positions.hpp"
#include "base/per_thread.hpp"

#include "base/dot.hpp"
#include "base/linalg.hpp"

namespace bough {

Bench& bench() {
    auto& b = per_thread<Bench, struct BHere>();
    return b;
}

u32 blank_missing(const DenseRows& dense, u32 begin, u32 n, const double* w, double* z) {
    if (!dense.has_missing()) return 0;
    auto& mask = bench().mask;
    mask.assign(dense.n_words(), 0);
    for (u32 j = 0; j < dense.n_columns(); ++j)
        if (w[j] != 0) mask[j / 64] |= u64{1} << (j % 64);
    u32 blank = 0;
    for (u32 i = 0; i < n; ++i)
        if (dense.any_missing(begin + i, mask.data())) z[i] = kNaN, ++blank;
    return blank;
}

namespace {

// Rows of one product: up to 1,100 positions OpenBLAS copies nothing.
u32 rows_together(u32 d, u32 p) { return d < 32 ? 1024 : std::max(16u, 1100 / p); }

}  // namespace

void project(const double* x, u32 n, u32 d, const double* w, u32 p, double* z, std::size_t apart) {
    const u32 rows = rows_together(d, p);
    for (u32 at = 0; at < n; at += std::min(rows, n - at))
        linalg::products(x + std::size_t{at} * d, d, std::min(rows, n - at), w, d, p, d, z + at, apart);
}

void project(const DenseRows& dense, u32 begin, u32 n, const double* w, u32 p, double* z) {
    const u32 d = dense.n_columns();
    if (p <= 2) {
        for (u32 j = 0; j < p; ++j)
            for (u32 i = 0; i < n; ++i) z[std::size_t{j} * n + i] = dot(d, w + j * d, dense.row(begin + i));
        return;
    }
    u32 rows = rows_together(d, p);
    if (!dense.in_one_piece()) rows = std::min(rows, 40u);  // the copy stays near
    auto& block = per_thread<std::vector<double>, struct BlockHere>();
    for (u32 at = 0; at < n; at += std::min(rows, n - at)) {
        const u32 size = std::min(rows, n - at);
        const double* x = dense.row(begin + at);
        std::size_t stride = dense.stride_of(begin + at, size);
        if (stride == 0) {
            stride = d;
            block.resize(std::max(block.size(), std::size_t{rows} * d));
            for (u32 i = 0; i < size; ++i) std::copy_n(dense.row(begin + at + i), d, block.data() + std::size_t{i} * d);
            x = block.data();
        }
        linalg::products(x, stride, size, w, d, p, d, z + at, n);
    }
}

}  // namespace bough
