#include "stores/ranked_rows.hpp"

namespace bough {

RankedRows::RankedRows(const Problem& problem)
    : ranks_(problem.ranks),
      packing_(problem.table->n_rows, problem.target->n_classes),
      class_bits_(packing_.rank_shift - packing_.row_bits),
      far_(problem.ranks->bytes() > kNearer),
      by_row_(far_ ? static_cast<u32>(kCache / std::max<u64>(1, problem.ranks->bytes_of_row())) : 0) {
    const std::span<const u32> rows = problem.rows;
    const std::size_t n = rows.empty() ? problem.table->n_rows : rows.size();
    const Target& target = *problem.target;
    problem.budget->poll();
    entries_.reserve(n);
    for (std::size_t i = 0; i < n;) {
        const u32 row = rows.empty() ? static_cast<u32>(i) : rows[i];
        u32 times = 1;
        while (times < kMostTimes && i + times < n && !rows.empty() && rows[i + times] == row) ++times;
        entries_.push_back(packing_.pack(row, target.regression() ? 0 : target.classes[row]) |
                           times << packing_.rank_shift);
        i += times;
    }
}

bool RankedRows::fit(const Data& data) {
    const Target& target = data.target;
    if (target.weighted()) return false;
    if (target.regression() && data.table.n_rows > RankedNumberCuts::kMostRanks) return false;
    const Packing packing(data.table.n_rows, target.n_classes);
    return packing.has_classes && packing.rank_bits >= kTimesBits;
}

}  // namespace bough
