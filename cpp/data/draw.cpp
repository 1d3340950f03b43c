#include "data/draw.hpp"

#include "base/rng.hpp"

namespace bough {

namespace {

constexpr u64 kStream = 0x626f6f7473747261ull;  // apart from what a tree draws at its nodes

double weight(const Data& data, const Sample& sample, std::size_t i, u32 row) {
    return sample.weights.empty() ? data.target.weight(row) : sample.weights[i];
}

}  // namespace

std::vector<u32> times_drawn(u32 n, u32 size, u64 seed) {
    std::vector<u32> times(n, 0);
    Rng rng = Rng::at(seed ^ kStream, kRootPath);
    for (u32 i = 0; i < size; ++i) ++times[rng.below(n)];
    return times;
}

Bootstrap::Bootstrap(const Data& data, const Sample& from, const Draw& draw, u64 seed) : sample_(from) {
    if (draw.size > 0) {
        const u32 n = from.all_rows ? data.table.n_rows : static_cast<u32>(from.rows.size());
        const std::vector<u32> times = times_drawn(n, draw.size, seed);
        rows_.reserve(draw.size);
        for (u32 i = 0; i < n; ++i) {
            rows_.insert(rows_.end(), times[i], from.all_rows ? i : from.rows[i]);
            if (!from.weights.empty()) weights_.insert(weights_.end(), times[i], from.weights[i]);
        }
        sample_ = {false, rows_, weights_};
    }
    if (draw.balanced) balance(data);
}

// Rows of a class weigh n / (classes present · rows of the class) times as much.
void Bootstrap::balance(const Data& data) {
    if (sample_.all_rows) {
        rows_.resize(data.table.n_rows);
        for (u32 i = 0; i < data.table.n_rows; ++i) rows_[i] = i;
        sample_ = {false, rows_, {}};
    }
    std::vector<double> counts(data.target.n_classes, 0.0), balanced(sample_.rows.size());
    for (u32 row : sample_.rows) counts[data.target.classes[row]] += 1;
    double present = 0;
    for (double c : counts) present += c > 0 ? 1 : 0;
    for (std::size_t i = 0; i < balanced.size(); ++i) {
        const u32 row = sample_.rows[i];
        balanced[i] = weight(data, sample_, i, row) *
                      (static_cast<double>(balanced.size()) / (present * counts[data.target.classes[row]]));
    }
    weights_ = std::move(balanced);
    sample_.weights = weights_;
}

double weight_of(const Data& data, const Sample& sample) {
    double sum = 0;
    if (sample.all_rows)
        for (u32 i = 0; i < data.table.n_rows; ++i) sum += data.target.weight(i);
    else
        for (std::size_t i = 0; i < sample.rows.size(); ++i) sum += weight(data, sample, i, sample.rows[i]);
    return sum;
}

}  // namespace bough
