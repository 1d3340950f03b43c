#include "stores/ranks.hpp"

#include <algorithm>

#include "base/memory.hpp"
#include "base/rng.hpp"
#include "base/threshold.hpp"

namespace bough {

namespace {

constexpr u64 kShareOut = 30000;  // entries above which a node is worth waking helpers

}  // namespace

RankStore::RankStore(const Problem& problem, RankedRows& rows, RankSearch& search)
    : problem_(problem),
      rows_(rows),
      search_(search),
      numbers_(problem.target->numbers.data()),
      k_(std::max(1u, problem.target->n_classes)),
      d_(problem.table->n_columns()),
      words_((d_ + 63) / 64),
      scratch_(static_cast<std::size_t>(problem.team->size())),
      numeric_(problem.table->of(ColumnKind::numeric)),
      left_(2 * k_) {
    counts_.begin(k_);
    constant_.begin(words_);
    measured_.begin(problem.target->regression() ? 1 : 0);
    for (RankScratch& s : scratch_) s.constant.assign(words_, 0);
    node_.counts.resize(k_);
    node_.weights.resize(k_);
}

RankStore::Handle RankStore::root(const Node& node) {
    const u32 slot = counts_.take();
    constant_.take();
    std::copy_n(node.counts.data(), k_, counts_.at(slot));
    std::fill_n(constant_.at(slot), words_, u64{0});
    measured_.take();
    if (problem_.target->regression()) *measured_.at(slot) = node.measured();
    return {0, rows_.size(), node.n_rows, node.depth, slot, true, node.pure, node.path};
}

RankStore::Handle RankStore::adopt(const Handle& at, RankStore& from) {
    Handle own = at;
    own.slot = counts_.take();
    constant_.take();
    std::copy_n(from.counts_.at(at.slot), k_, counts_.at(own.slot));
    std::copy_n(from.constant_.at(at.slot), words_, constant_.at(own.slot));
    measured_.take();
    if (problem_.target->regression()) *measured_.at(own.slot) = *from.measured_.at(at.slot);
    return own;
}

const Node& RankStore::enter(Handle& at) {
    node_.n_rows = at.n_rows;
    node_.total = at.n_rows;
    node_.depth = at.depth;
    node_.path = at.path;
    node_.pure = at.pure;
    if (problem_.target->regression()) node_.take(*measured_.at(at.slot));
    const double* counts = counts_.at(at.slot);
    std::copy_n(counts, k_, node_.counts.data());
    std::copy_n(counts, k_, node_.weights.data());
    if (!at.open) return node_;
    list_present(node_, *problem_.target);
    RankScratch& s = scratch_[0];
    std::copy_n(constant_.at(at.slot), words_, s.constant.data());
    if (problem_.target->regression()) rows_.list_numbers(rows_.from(at.begin), at.size, numbers_, s.numbers, s.times);
    return node_;
}

bool RankStore::search(Handle& at, std::span<const u32> columns, bool, Pace& pace, Best& best) {
    columns_.assign(columns.begin(), columns.end());
    if (columns.empty()) columns_ = numeric_;
    // What is drawn at random for one column after the other goes by the table.
    sort_by_place(columns_, search_.between() ? problem_.tie_places : std::span<const u32>());
    if (scratch_.size() > 1 && at.size > kShareOut && search_.by_column()) {
        search_side_by_side(at, best);
    } else {
        RankGroup group(problem_, rows_, rows_.from(at.begin), at.size, columns_, scratch_[0], &pace);
        search_.search(node_, group, best);
    }
    return true;
}

void RankStore::search_side_by_side(const Handle& at, Best& best) {
    std::vector<Best> found(scratch_.size(), best);
    for (std::size_t h = 1; h < scratch_.size(); ++h) {
        scratch_[h].constant = scratch_[0].constant;
        scratch_[h].numbers = scratch_[0].numbers;
        scratch_[h].times = scratch_[0].times;
    }
    const std::span<const u32> columns = columns_;
    problem_.team->each(columns.size(), [&](std::size_t i, int helper) {
        RankGroup group(problem_, rows_, rows_.from(at.begin), at.size, columns.subspan(i, 1), scratch_[helper],
                        nullptr);
        search_.search(node_, group, found[helper]);
    });
    for (std::size_t h = 0; h < scratch_.size(); ++h) {
        best.merge(found[h]);
        for (std::size_t w = 0; w < words_; ++w) scratch_[0].constant[w] |= scratch_[h].constant[w];
    }
}

void RankStore::resolve(Handle& at, Decision& d) {
    const u32 column = d.candidate.key.column, most = d.candidate.payload.a;
    u32 *entries = rows_.from(at.begin), *spare = scratch_[0].keys.data();
    const RankedRows::Parted parted = search_.between()
                                          ? rows_.part<true>(column, most, entries, at.size, spare, left_)
                                          : rows_.part<false>(column, most, entries, at.size, spare, left_);
    const double* values = rows_.ranks().values(column).data();
    if (search_.between()) {
        fetch_soon(values + parted.low);
        fetch_soon(values + parted.high);
    }
    d.candidate.payload.b = parted.size;
    u32 rows_left = 0;
    for (u32 c = 0; c < k_; ++c) rows_left += left_[c];
    const u32 rows[2] = {rows_left, node_.n_rows - rows_left};
    d.children.resize(2);
    for (u32 c : {0u, 1u}) {
        Node& child = d.children[c];
        child.n_rows = rows[c];
        child.total = rows[c];
        child.depth = at.depth + 1;
        child.path = child_path(at.path, c);
        child.weights.resize(k_);
        u32 classes = 0;
        for (u32 q = 0; q < k_; ++q) {
            const double w = c == 0 ? left_[q] : node_.counts[q] - left_[q];
            child.weights[q] = w;
            classes += w > 0;
        }
        child.pure = classes <= 1;
    }
    if (problem_.target->regression()) {
        d.children[0].take(measure_entries(entries, parted.size));
        d.children[1].take(measure_entries(entries + parted.size, at.size - parted.size));
    }
    d.split.kind = NodeKind::axis;
    d.split.column = column;
    d.split.cut = search_.between() ? between(values[parted.low], values[parted.high]) : d.candidate.payload.x;
    d.split.missing_left = left_is_heavier(rows[0], rows[1]);
}

void RankStore::divide(Handle& at, Decision& d, std::vector<Handle>& children) {
    const u32 front = d.candidate.payload.b;
    const u32 slots[2] = {at.slot, counts_.take()}, begins[2] = {at.begin, at.begin + front},
              sizes[2] = {front, at.size - front};
    constant_.take();
    measured_.take();
    children.resize(2);
    for (u32 c : {0u, 1u}) {
        const Node& child = d.children[c];
        std::copy_n(child.weights.data(), k_, counts_.at(slots[c]));
        std::copy_n(scratch_[0].constant.data(), words_, constant_.at(slots[c]));
        if (problem_.target->regression()) *measured_.at(slots[c]) = child.measured();
        children[c] = {begins[c], sizes[c],       child.n_rows, child.depth,
                       slots[c],  d.open[c] != 0, child.pure,   child.path};
    }
}

// Of a numeric target.
NumberMeasure RankStore::measure_entries(const u32* entries, u32 size) {
    measuring_.grow_to(size);
    double* const numbers = measuring_.data();
    for (u32 i = 0; i < size; ++i) numbers[i] = numbers_[rows_.row(entries[i])];
    return measure_numbers(problem_.target->leaf, false, [=, this](auto visit) {
        for (u32 i = 0; i < size; ++i) visit(numbers[i], rows_.times(entries[i]));
    });
}

}  // namespace bough
