#include "families/drawn_rows.hpp"

#include "data/presort.hpp"

namespace bough {

DrawnRows::DrawnRows(const Problem& problem)
    : ranks_(problem.ranks),
      packing_(problem.table->n_rows, problem.target->n_classes),
      class_bits_(packing_.rank_shift - packing_.row_bits),
      far_(problem.ranks->bytes() > kNearer),
      by_row_(far_ ? static_cast<u32>(kCache / std::max<u64>(1, problem.ranks->bytes_of_row())) : 0) {
    const std::span<const u32> rows = problem.rows;
    const std::size_t n = rows.empty() ? problem.table->n_rows : rows.size();
    const Target& target = *problem.target;
    problem.budget->poll();
    u32 most_times = 1;
    entries_.reserve(n);
    for (std::size_t i = 0; i < n;) {
        const u32 row = rows.empty() ? static_cast<u32>(i) : rows[i];
        u32 times = 1;
        while (times < kMostTimes && i + times < n && !rows.empty() && rows[i + times] == row) ++times;
        entries_.push_back(packing_.pack(row, target.regression() ? 0 : target.classes[row]) |
                           times << packing_.rank_shift);
        i += times;
        most_times = std::max(most_times, times);
    }
    if (target.regression()) find_orders(problem, n, most_times);
}

void DrawnRows::find_orders(const Problem& problem, u64 n_rows, u32 most_times) {
    const u32 n = static_cast<u32>(n_rows);
    orders_.resize(problem.table->n_columns());
    std::vector<u32> times;
    for (u32 column : problem.table->of(ColumnKind::numeric)) {
        if (most_times < kMostTimes && !is_left_out(u64{ranks_->most_frequent(column)} * most_times, n)) continue;
        problem.budget->poll();
        const std::vector<double>& values = ranks_->values(column);
        times.assign(values.size(), 0);
        ranks_->read(column, false, [&](auto rank_of) {
            for (u32 e : entries_) times[rank_of(row(e))] += this->times(e);
        });
        const auto most = std::max_element(times.begin(), times.end());
        if (!is_left_out(*most, n)) continue;
        bool whole = true;
        double low = kInf, high = -kInf;
        for (std::size_t rank = 0; rank < times.size(); ++rank) {
            if (times[rank] == 0) continue;
            whole &= std::rint(values[rank]) == values[rank];
            low = std::min(low, values[rank]);
            high = std::max(high, values[rank]);
        }
        orders_[column] = {static_cast<u32>(most - times.begin()), !(whole && is_counted(high - low, n))};
    }
}

void DrawnRows::divide(const Stretch& run, const Division& division, Worker& worker,
                       std::span<std::unique_ptr<NodeState>> children) {
    worker.spare.grow_to(run.size);
    std::vector<Piece> pieces(children.size());
    division.part(from(run.begin), run.size, packing_.row_mask, pieces.data(),
                  reinterpret_cast<u32*>(worker.spare.data()));
    for (std::size_t c = 0; c < children.size(); ++c)
        if (division.open[c]) children[c] = std::make_unique<Stretch>(run.begin + pieces[c].begin, pieces[c].size);
}

bool DrawnRows::fit(const Data& data) {
    const Target& target = data.target;
    if (target.weighted() || data.table.entry_bits > 32) return false;
    if (target.regression() && data.table.n_rows > NumberedCuts::kMostRanks) return false;
    return Packing<u32>(data.table.n_rows, target.n_classes).rank_bits >= kTimesBits;
}

}  // namespace bough
