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
    nodes_.begin(*problem.target, d_);
    for (RankScratch& s : scratch_) s.constant.assign(words_, 0);
}

RankStore::Handle RankStore::root(const Node& node) {
    return {0, rows_.size(), node.n_rows, node.depth, nodes_.take(node, scratch_[0].constant.data()), true, node.path};
}

RankStore::Handle RankStore::adopt(const Handle& at, RankStore& from) {
    Handle own = at;
    own.slot = nodes_.take(from.nodes_, at.slot);
    return own;
}

const Node& RankStore::enter(Handle& at) {
    RankScratch& s = scratch_[0];
    nodes_.enter(at, node_, s.constant.data());
    if (at.open && problem_.target->regression())
        rows_.list_numbers(rows_.from(at.begin), at.size, numbers_, s.numbers, s.times);
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
    part_classes(node_, 0, left_.data(), d.children);
    if (problem_.target->regression()) {
        d.children[0].take(measure_entries(entries, parted.size));
        d.children[1].take(measure_entries(entries + parted.size, at.size - parted.size));
    }
    d.split.kind = NodeKind::axis;
    d.split.column = column;
    d.split.cut = search_.between() ? between(values[parted.low], values[parted.high]) : d.candidate.payload.x;
    d.split.missing_left = left_is_heavier(d.children[0].total, d.children[1].total);
}

void RankStore::divide(Handle& at, Decision& d, std::vector<Handle>& children) {
    const u32 front = d.candidate.payload.b;
    const u64* constant = scratch_[0].constant.data();
    nodes_.keep(at.slot, d.children[0], constant);
    const u32 slots[2] = {at.slot, nodes_.take(d.children[1], constant)}, begins[2] = {at.begin, at.begin + front},
              sizes[2] = {front, at.size - front};
    children.resize(2);
    for (u32 c : {0u, 1u}) {
        const Node& child = d.children[c];
        children[c] = {begins[c], sizes[c], child.n_rows, child.depth, slots[c], d.open[c] != 0, child.path};
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
