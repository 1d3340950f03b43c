#include "families/listed_subtree.hpp"

#include <algorithm>
#include <utility>

#include "base/threshold.hpp"
#include "data/kernels.hpp"
#include "grow/worth.hpp"

namespace bough {

// Kept from one subtree to the next.
struct ListedSubtree::Memory {
    RawBuffer<u32> lists, ids, spare, rows, classes;
    RawBuffer<double> numbers, distances;
    std::vector<u32> marks;  // one bit for each row, all 0
};

ListedSubtree::Memory& ListedSubtree::memory() {
    thread_local Memory m;
    return m;
}

ListedSubtree::ListedSubtree(const Problem& problem, u32 family, bool below, std::function<Split(u32, double)> split,
                             std::span<const double> modes, const StopRules& stop, Worker& worker, TreeWriter& out)
    : problem_(problem),
      family_(family),
      below_(below),
      split_(std::move(split)),
      modes_(modes),
      stop_(stop),
      worker_(worker),
      out_(out),
      few_(problem.scorer->few()),
      d_(problem.table->n_columns()),
      k_(std::max(1u, problem.target->n_classes)),
      words_((d_ + 63) / 64),
      m_(memory()),
      modes_here_(d_, kNone),
      constant_(words_, ~u64{0}),
      here_(words_) {}

bool ListedSubtree::fits(const Problem& p, u32 n_rows) {
    constexpr u64 kMostEntries = 1u << 17;  // of all columns: half a MiB
    constexpr u32 kMostClasses = 64;        // every node counts them all
    if (p.table->entry_bits > 32 || p.target->n_classes > kMostClasses ||
        u64{n_rows} * p.table->n_columns() > kMostEntries)
        return false;
    const Packing<u32> packing(n_rows, std::max(1u, p.target->n_classes));
    return packing.rank_bits >= packing.row_bits;
}

void ListedSubtree::take(std::span<const u32> rows) {
    n_ = static_cast<u32>(rows.size());
    packing_ = Packing<u32>(n_, static_cast<u32>(k_));
    m_.lists.grow_to(std::size_t{n_} * d_ + 1);
    for (auto* memory : {&m_.ids, &m_.spare, &m_.rows, &m_.classes}) memory->grow_to(n_);
    for (auto* memory : {&m_.numbers, &m_.distances}) memory->grow_to(n_);
    m_.marks.resize(std::max<std::size_t>(m_.marks.size(), n_ / 32 + 2));
    worker_.spare.grow_to(problem_.table->n_rows / 2 + 1);
    lists_ = m_.lists.data();
    numbering_ = reinterpret_cast<u32*>(worker_.spare.data());
    classes_ = m_.classes.data();
    const Target& target = *problem_.target;
    for (u32 i = 0; i < n_; ++i) {
        numbering_[rows[i]] = m_.ids[i] = i;
        m_.rows[i] = rows[i];
    }
    if (target.regression())
        for (u32 i = 0; i < n_; ++i) m_.numbers[i] = target.numbers[rows[i]];
    else
        for (u32 i = 0; i < n_; ++i) m_.classes[i] = target.classes[rows[i]];
}

// Changes the marks of some rows.
void ListedSubtree::toggle(const u32* entries, u32 size) {
    for (u32 i = 0; i < size; ++i) m_.marks[packing_.row(entries[i]) >> 5] ^= 1u << (packing_.row(entries[i]) & 31);
}

// Puts the rows that are in neither list of a column between them.
void ListedSubtree::take_others(u32 column, u32 n_low, u32 n_high, u64 rank) {
    u32 *low = list(column), *high = low + n_ - n_high, *to = low + n_low;
    auto toggle_listed = [&] {
        toggle(low, n_low);
        toggle(high, n_high);
    };
    toggle_listed();
    for (u32 id = 0; id < n_; ++id)
        if (!(m_.marks[id >> 5] >> (id & 31) & 1)) *to++ = entry(id, rank);
    toggle_listed();
}

double ListedSubtree::value(u32 column, u32 entry) const {
    return problem_.table->columns[column].value(m_.rows[packing_.row(entry)]);
}

void ListedSubtree::grow(const Node& root) {
    node_ = root;
    node_.rows = {};
    counts_.assign(root.counts.begin(), root.counts.end());
    const bool open = stop_.why_stop(root, problem_.limits) == nullptr;
    stack_.assign(1, {0, n_, root.depth, open, root.path, root.mean, root.spread});
    while (!stack_.empty()) {
        const Waiting at = stack_.back();
        stack_.pop_back();
        enter(at);
        if (at.open && split(at)) continue;
        out_.leaf({node_.n_rows, node_.weights, {}, node_.mean, node_.spread}, {});
        finished_ += node_.n_rows;
    }
    problem_.budget->done(finished_);
}

void ListedSubtree::enter(const Waiting& at) {
    const double* counts = counts_.data() + stack_.size() * k_;
    node_.n_rows = at.size;
    node_.total = at.size;
    node_.depth = at.depth;
    node_.path = at.path;
    node_.mean = at.mean;
    node_.spread = at.spread;
    std::copy_n(counts, k_, node_.counts.data());
    std::copy_n(counts, k_, node_.weights.data());
    if (at.open) list_present(node_, *problem_.target);
    if ((read_ += at.size) > kPoll) {
        read_ = 0;
        problem_.budget->poll();
        problem_.budget->done(std::exchange(finished_, 0.0));
    }
}

bool ListedSubtree::split(const Waiting& at) {
    std::copy_n(constant_.data() + stack_.size() * words_, words_, here_.data());
    best_.begin(problem_.scorer->unit(node_), node_.total);
    const bool few = few_ && at.size <= FewCuts::kMost;
    if (few)
        for (u32 i = 0; i < at.size; ++i) {
            const u32 id = m_.ids[at.begin + i];
            m_.distances[id] = m_.numbers[id] - node_.mean;
        }
    auto search = [&](bool all, Best& best) {
        read_ += u64{at.size} * columns_.size();
        few ? look_at_few(at, columns_, all, best) : look(at, columns_, best);
    };
    if (stop_.max_features == 0 || stop_.max_features >= d_) {
        for (u32 c = static_cast<u32>(columns_.size()); c < d_; ++c) columns_.push_back(c);
        search(true, best_);
    } else {
        worker_.columns.each_group(d_, stop_, problem_.seed, at.path, best_,
                                   [&](std::span<const u32> drawn, Best& best) {
                                       columns_.assign(drawn.begin(), drawn.end());
                                       std::sort(columns_.begin(), columns_.end());
                                       search(stop_.count_constant, best);
                                       return true;
                                   });
    }
    if (best_.empty()) return false;
    divide(at, best_.winner());
    return true;
}

// Calls visit(column, low, high) with the lists of columns that have more than one value at the node; false ends it.
template <class Visit>
void ListedSubtree::each_column(const Waiting& at, std::span<const u32> columns, Visit visit) {
    for (u32 c : columns) {
        u64& word = here_[c / 64];
        const u64 bit = u64{1} << (c % 64);
        if (word & bit) continue;
        const u32* entries = list(c) + at.begin;
        if (((entries[0] ^ entries[at.size - 1]) & packing_.rank_mask) == 0) {
            word |= bit;
            continue;
        }
        const Halves h = halves(c, entries, at.size);
        const PackedList<u32> low{entries, h.low, 2 * c}, high{entries + at.size - h.high, h.high, 2 * c + 1};
        if (!visit(c, low, high)) return;
    }
}

ListedSubtree::Halves ListedSubtree::halves(u32 column, const u32* entries, u32 size) const {
    const u32 mode = modes_here_[column], rank_mask = packing_.rank_mask;
    if (mode == kNone) return {size, 0};
    const u32 *end = entries + size,
              *low = std::partition_point(entries, end, [=](u32 e) { return (e & rank_mask) < mode; });
    const u32* high = std::partition_point(low, end, [=](u32 e) { return (e & rank_mask) == mode; });
    return {static_cast<u32>(low - entries), static_cast<u32>(end - high)};
}

void ListedSubtree::look_at_few(const Waiting& at, std::span<const u32> columns, bool all, Best& best) {
    few_lists_.clear();
    each_column(at, columns, [&](u32 c, const PackedList<u32>& low, const PackedList<u32>& high) {
        if (low.size) few_lists_.push_back({low, c, false});
        if (high.size) few_lists_.push_back({high, c, true});
        return true;
    });
    few_->cuts(node_, {few_lists_, &packing_, m_.distances.data(), all}, problem_.limits, family_, best);
}

void ListedSubtree::look(const Waiting& at, std::span<const u32> columns, Best& best) {
    const Gain limit = node_.present.size() == 2 ? problem_.scorer->limit(node_) : static_cast<Gain>(kInf);
    PackedColumn<u32> column;
    column.packing = &packing_;
    column.numbers = m_.numbers.data();
    each_column(at, columns, [&](u32 c, const PackedList<u32>& low, const PackedList<u32>& high) {
        column.low = low;
        column.high = high;
        problem_.scorer->cuts(node_, column, problem_.limits, {&best, c, family_});
        // Two pure children, or two rows, can be had in one way only: a tie goes to this column.
        return !best.reaches(limit) && !(at.size == 2 && !best.empty());
    });
}

void ListedSubtree::divide(const Waiting& at, const Candidate& made) {
    const u32 column = made.key.column, outer = made.payload.b >> 1, m = at.size;
    const bool from_high = made.payload.a & 1;
    u32* entries = list(column) + at.begin;
    const Halves h = halves(column, entries, m);
    u32* outside = from_high ? entries + m - h.high : entries;
    double inside = modes_[column];
    if (outer < (from_high ? h.high : h.low))
        inside = value(column, outside[outer]);
    else if (h.low + h.high == m)  // the value that is left out is not here: the other list
        inside = value(column, entries[from_high ? h.low - 1 : m - 1]);
    const double edge = value(column, outside[outer - 1]);

    toggle(outside, outer);
    const u32 front = from_high ? 1 : 0;  // the child of the outer rows, which are in front from now on
    measure_children(at, {outside, outer}, front);
    write(column, cut_between(std::min(edge, inside), std::max(edge, inside), below_),
          recorded_gain(*problem_.scorer, node_, child_, made.gain));
    bool open[2];
    for (u32 c : {0u, 1u}) open[c] = stop_.why_stop(child_[c], problem_.limits) == nullptr;
    if (open[0] || open[1]) part(at, column, open[front], open[1 - front]);
    toggle(outside, outer);
    if (open[front]) {  // the list that was cut is last: it tells which rows are marked
        std::rotate(entries, outside, outside + outer);
    } else if (open[1 - front]) {
        std::copy(outside + outer, entries + m, outside);
        std::copy_n(m_.ids.data() + at.begin + outer, m - outer, m_.ids.data() + at.begin);
    }
    const std::size_t level = stack_.size();
    constant_.resize((level + 2) * words_);
    for (std::size_t l : {level, level + 1}) std::copy_n(here_.data(), words_, constant_.data() + l * words_);
    for (u32 c : {1u, 0u}) {
        const Node& child = child_[c];
        const u32 begin = c == front || !open[front] ? at.begin : at.begin + outer;
        stack_.push_back({begin, child.n_rows, child.depth, open[c], child.path, child.mean, child.spread});
    }
}

void ListedSubtree::write(u32 column, double cut, double gain) {
    const bool missing_left = left_is_heavier(child_[0].total, child_[1].total);
    if (!split_) return out_.axis(column, cut, missing_left, gain);
    Split split = split_(column, cut);
    split.missing_left = missing_left;
    out_.inner(split, gain, node_.n_rows, {}, {});
}

// Sums of the children; their counts go where those that wait have theirs.
void ListedSubtree::measure_children(const Waiting& at, std::span<const u32> outer, u32 front) {
    const std::size_t level = stack_.size();  // of the right child; the left one is next
    counts_.resize((level + 2) * k_);
    double* counts[2] = {counts_.data() + (level + 1) * k_, counts_.data() + level * k_};
    std::fill_n(counts[front], k_, 0.0);
    for (u32 e : outer) counts[front][packing_.cls(e)] += 1;
    for (std::size_t c = 0; c < k_; ++c) counts[1 - front][c] = node_.counts[c] - counts[front][c];
    for (u32 c : {0u, 1u}) {
        Node& child = child_[c];
        child.n_rows = c == front ? static_cast<u32>(outer.size()) : at.size - static_cast<u32>(outer.size());
        child.total = child.n_rows;
        child.depth = at.depth + 1;
        child.path = child_path(at.path, c);
        child.weights.assign(counts[c], counts[c] + k_);
        child.pure = std::count(counts[c], counts[c] + k_, 0.0) + 1 >= static_cast<std::ptrdiff_t>(k_);
    }
    if (!problem_.target->regression()) return;
    u32* ids = m_.ids.data() + at.begin;
    list_kernels().partition_both(ids, at.size, kNone, m_.marks.data(), m_.spare.data());
    for (u32 c : {0u, 1u}) {
        const u32* own = c == front ? ids : ids + outer.size();
        const double* numbers = m_.numbers.data();
        measure_numbers(
            child_[c], child_[c].n_rows, child_[c].total, [=](std::size_t i) { return numbers[own[i]]; },
            [](std::size_t) { return 1.0; });
    }
}

// Moves the entries of marked rows to the front of every list but one, and those of the others behind them; what is not
// kept may be lost.
void ListedSubtree::part(const Waiting& at, u32 but, bool keep_marked, bool keep_others) {
    const ListKernels& kernels = list_kernels();
    const u32* marks = m_.marks.data();
    for (u32 c = 0; c < d_; ++c) {
        if (c == but || (here_[c / 64] >> (c % 64) & 1)) continue;
        u32* entries = list(c) + at.begin;
        if (keep_marked && keep_others)
            kernels.partition_both(entries, at.size, packing_.row_mask, marks, m_.spare.data());
        else
            kernels.select(entries, at.size, packing_.row_mask, marks, keep_marked ? 1 : 0, entries);
    }
}

}  // namespace bough
