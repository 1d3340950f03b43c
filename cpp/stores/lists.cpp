#include "stores/lists.hpp"

#include <algorithm>

#include "base/rng.hpp"
#include "base/threshold.hpp"
#include "data/kernels.hpp"

namespace bough {

bool Lists::fits(const Problem& p, u32 n_rows) {
    constexpr u64 kMostEntries = 1u << 17;  // of all columns: half a MiB
    constexpr u32 kMostClasses = 64;        // every node counts them all
    if (p.target->n_classes > kMostClasses || u64{n_rows} * p.table->n_columns() > kMostEntries) return false;
    const Packing packing(n_rows, std::max(1u, p.target->n_classes));
    return packing.has_classes && packing.rank_bits >= packing.row_bits;
}

void Lists::begin(const Source& source, std::span<const u32> rows) {
    source_ = source;
    problem_ = source.problem;
    few_ = problem_->scorer->few();
    d_ = problem_->table->n_columns();
    k_ = std::max(1u, problem_->target->n_classes);
    words_ = (d_ + 63) / 64;
    n_ = static_cast<u32>(rows.size());
    packing_ = Packing(n_, static_cast<u32>(k_));
    lists_.grow_to(std::size_t{n_} * d_ + 1);
    numbering_.grow_to(problem_->table->n_rows);
    for (auto* memory : {&ids_, &rows_, &classes_, &spare_}) memory->grow_to(n_);
    numbers_.grow_to(n_);
    distances_.grow_to(n_);
    marks_.assign(n_ / 32 + 2, 0);
    marked_ = {};
    modes_here_.assign(d_, kNone);
    here_.assign(words_, ~u64{0});
    nodes_.begin(*problem_->target, d_);
    all_.resize(d_);
    for (u32 c = 0; c < d_; ++c) all_[c] = c;
    if (!problem_->tie_places.empty()) sort_by_place(all_, problem_->tie_places);
    const Target& target = *problem_->target;
    for (u32 i = 0; i < n_; ++i) {
        numbering_[rows[i]] = ids_[i] = i;
        rows_[i] = rows[i];
    }
    if (target.regression())
        for (u32 i = 0; i < n_; ++i) numbers_[i] = target.numbers[rows[i]];
    else
        for (u32 i = 0; i < n_; ++i) classes_[i] = target.classes[rows[i]];
}

void Lists::toggle(std::span<const u32> entries) {
    for (u32 e : entries) marks_[packing_.row(e) >> 5] ^= 1u << (packing_.row(e) & 31);
}

// Marks the rows of some entries and no others.
void Lists::mark(std::span<const u32> entries) {
    toggle(marked_);
    toggle(entries);
    marked_ = entries;
}

void Lists::take(u32 column, std::span<const u32> low, std::span<const u32> high) {
    std::copy(low.begin(), low.end(), list(column));
    std::copy(high.begin(), high.end(), list(column) + n_ - high.size());
    const u64 mode = low.empty() ? 0 : (u64{low.back()} >> packing_.rank_shift) + 1;  // no rank is between
    taken(column, static_cast<u32>(low.size()), static_cast<u32>(high.size()), mode);
}

// Puts the rows that are in neither list of a column between them.
void Lists::taken(u32 column, u32 n_low, u32 n_high, u64 mode) {
    modes_here_[column] = n_low < n_ ? packing_.rank(mode) : kNone;
    here_[column / 64] &= ~(u64{1} << (column % 64));
    if (n_low + n_high == n_) return;
    u32 *low = list(column), *high = low + n_ - n_high, *to = low + n_low;
    auto toggle_listed = [&] {
        toggle({low, n_low});
        toggle({high, n_high});
    };
    toggle_listed();
    for (u32 id = 0; id < n_; ++id)
        if (!(marks_[id >> 5] >> (id & 31) & 1)) *to++ = entry(id, mode);
    toggle_listed();
}

double Lists::value(u32 column, u32 entry) const {
    return problem_->table->columns[column].value(rows_[packing_.row(entry)]);
}

Lists::Handle Lists::root(const Node& node, std::span<const u32> classes) {
    class_numbers_ = classes;
    node_ = node;
    node_.rows = {};
    return {0, n_, node.depth, nodes_.take(node, here_.data()), true, node.path};
}

const Node& Lists::enter(Handle& at) {
    nodes_.enter(at, node_, here_.data());
    if (at.open && few_ && at.n_rows <= FewCuts::kMost) list_distances(at);
    return node_;
}

// Of few rows with a numeric target.
void Lists::list_distances(const Handle& at) {
    const u32* ids = ids_.data() + at.begin;
    ExactSum one;
    node_.image.add(numbers_[ids[0]], one);
    // From the mean as it is, not as it is rounded.
    const double off = node_.distances_of(one) - (numbers_[ids[0]] - node_.mean);
    double most = 0, scale;
    for (u32 i = 0; i < at.n_rows; ++i) most = std::max(most, std::fabs(numbers_[ids[i]] - node_.mean + off));
    fit_bits(FewCuts::kBits, most, scale, distance_unit_);
    for (u32 i = 0; i < at.n_rows; ++i)
        distances_[ids[i]] = static_cast<i64>((numbers_[ids[i]] - node_.mean + off) * scale);
}

bool Lists::search(Handle& at, std::span<const u32> columns, bool only, Pace& pace, Best& best) {
    if (columns.empty()) {
        columns = all_;
    } else {
        some_.assign(columns.begin(), columns.end());
        sort_by_place(some_, problem_->tie_places);
        columns = some_;
    }
    pace.read(u64{at.n_rows} * columns.size());
    if (few_ && at.n_rows <= FewCuts::kMost)
        search_few(at, columns, only, best);
    else
        search_each(at, columns, best);
    return true;
}

// Calls visit(column, low, high) with the lists of columns that have more than one value at the node; false ends it.
template <class Visit>
void Lists::each_column(const Handle& at, std::span<const u32> columns, Visit visit) {
    for (u32 c : columns) {
        u64& word = here_[c / 64];
        const u64 bit = u64{1} << (c % 64);
        if (word & bit) continue;
        const u32* entries = list(c) + at.begin;
        if (((entries[0] ^ entries[at.n_rows - 1]) & packing_.rank_mask) == 0) {
            word |= bit;
            continue;
        }
        const Halves h = halves(c, entries, at.n_rows);
        const PackedList low{entries, h.low, 2 * c}, high{entries + at.n_rows - h.high, h.high, 2 * c + 1};
        if (!visit(c, low, high)) return;
    }
}

Lists::Halves Lists::halves(u32 column, const u32* entries, u32 size) const {
    const u32 mode = modes_here_[column], rank_mask = packing_.rank_mask;
    if (mode == kNone) return {size, 0};
    const u32 *end = entries + size,
              *low = std::partition_point(entries, end, [=](u32 e) { return (e & rank_mask) < mode; });
    const u32* high = std::partition_point(low, end, [=](u32 e) { return (e & rank_mask) == mode; });
    return {static_cast<u32>(low - entries), static_cast<u32>(end - high)};
}

void Lists::search_few(const Handle& at, std::span<const u32> columns, bool only, Best& best) {
    few_lists_.clear();
    each_column(at, columns, [&](u32 c, const PackedList& low, const PackedList& high) {
        if (low.size) few_lists_.push_back({low, c, false});
        if (high.size) few_lists_.push_back({high, c, true});
        return true;
    });
    few_->cuts(node_, {few_lists_, &packing_, numbers_.data(), distances_.data(), distance_unit_, only},
               problem_->limits, source_.family, best);
}

void Lists::search_each(const Handle& at, std::span<const u32> columns, Best& best) {
    const Gain limit = node_.present.size() == 2 ? problem_->scorer->limit(node_) : static_cast<Gain>(kInf);
    PackedColumn column;
    column.packing = &packing_;
    column.numbers = numbers_.data();
    each_column(at, columns, [&](u32 c, const PackedList& low, const PackedList& high) {
        column.low = low;
        column.high = high;
        problem_->scorer->cuts(node_, column, problem_->limits, {&best, c, source_.family});
        // Two pure children, or two rows, can be had in one way only: a tie goes to this column.
        return !best.reaches(limit) && !(at.n_rows == 2 && best.parts_two());
    });
}

std::span<u32> Lists::outside(const Handle& at, const Candidate& c) {
    const u32 outer = c.payload.b >> 1;
    u32* entries = list(c.key.column) + at.begin;
    return {c.payload.a & 1 ? entries + at.n_rows - halves(c.key.column, entries, at.n_rows).high : entries, outer};
}

void Lists::resolve(Handle& at, Decision& d) {
    const u32 column = d.candidate.key.column, outer = d.candidate.payload.b >> 1, m = at.n_rows;
    const bool from_high = d.candidate.payload.a & 1;
    const u32* entries = list(column) + at.begin;
    const Halves h = halves(column, entries, m);
    const u32* outside = from_high ? entries + m - h.high : entries;
    double inside = source_.modes[column];
    if (outer < (from_high ? h.high : h.low))
        inside = value(column, outside[outer]);
    else if (h.low + h.high == m)  // the value that is left out is not here: the other list
        inside = value(column, entries[from_high ? h.low - 1 : m - 1]);
    const double edge = value(column, outside[outer - 1]);
    const double cut = cut_between(std::min(edge, inside), std::max(edge, inside), source_.below);
    if (source_.split) {
        d.split = source_.split(column, cut);
    } else {
        d.split.kind = NodeKind::axis;
        d.split.column = column;
        d.split.cut = cut;
    }
    mark({outside, outer});
    outer_.assign(k_, 0);
    for (u32 i = 0; i < outer; ++i) ++outer_[packing_.cls(outside[i])];
    const u32 front = from_high ? 1 : 0;
    part_classes(node_, front, outer_.data(), d.children);
    if (problem_->target->regression()) {
        u32* ids = ids_.data() + at.begin;
        list_kernels().partition_both(ids, m, kNone, marks_.data(), spare_.data());
        for (u32 c : {0u, 1u}) {
            const u32* of = c == front ? ids : ids + outer;
            const double* numbers = numbers_.data();
            d.children[c].take(
                measure_numbers(problem_->target->leaf, false, [=, rows = d.children[c].n_rows](auto visit) {
                    for (u32 i = 0; i < rows; ++i) visit(numbers[of[i]]);
                }));
        }
    }
    d.split.missing_left = left_is_heavier(d.children[0].total, d.children[1].total);
}

void Lists::divide(Handle& at, Decision& d, std::vector<Handle>& children) {
    const u32 column = d.candidate.key.column;
    const u32 front = d.candidate.payload.a & 1;  // the child of the outer rows, which are in front from now on
    const std::span<u32> outer = outside(at, d.candidate);
    const u32 n = static_cast<u32>(outer.size());
    if (marked_.data() != outer.data() || marked_.size() != n) mark(outer);
    for (u32 c = 0; c < d_ && (d.open[0] || d.open[1]); ++c)
        if (c != column && !(here_[c / 64] >> (c % 64) & 1))
            list_kernels().partition_both(list(c) + at.begin, at.n_rows, packing_.row_mask, marks_.data(),
                                          spare_.data());
    mark({});
    // The list that was cut is last: it tells which rows are marked.
    std::rotate(list(column) + at.begin, outer.data(), outer.data() + n);
    children.resize(2);
    nodes_.keep(at.slot, d.children[0], here_.data());
    const u32 slots[2] = {at.slot, nodes_.take(d.children[1], here_.data())};
    for (u32 c : {0u, 1u}) {
        const Node& child = d.children[c];
        const u32 begin = c == front ? at.begin : at.begin + n;
        children[c] = {begin, child.n_rows, child.depth, slots[c], d.open[c] != 0, child.path};
    }
}

}  // namespace bough
