// The lists of a column: small whole numbers are counted, anything else is sorted (order.cpp).
#include "data/presort.hpp"

#include <algorithm>

#include "base/order.hpp"
#include "data/gather.hpp"

namespace bough {

namespace {

// Scratch of one worker.
struct Sorter {
    RawBuffer<double> block;  // kColumnsAtOnce columns side by side
    OrderScratch order;
    RawBuffer<u32> codes, listed;
    std::vector<u32> counts, places;
};

struct Summary {
    double low = kInf, high = -kInf;
    u32 n_missing = 0;
    bool integral = false;  // all values are whole numbers
};

Summary summarize(const double* v, u32 n) {
    constexpr u32 kLanes = 8;  // independent chains that the compiler can put into vectors
    constexpr double kRound = 0x1.8p52;
    double low[kLanes], high[kLanes];
    u64 missing[kLanes] = {}, broken[kLanes] = {};
    std::fill_n(low, kLanes, kInf);
    std::fill_n(high, kLanes, -kInf);
    auto add = [&](u32 l, double x) {
        low[l] = x < low[l] ? x : low[l];
        high[l] = x > high[l] ? x : high[l];
        missing[l] += x != x;
        broken[l] += (x + kRound) - kRound != x;
    };
    u32 i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (u32 l = 0; l < kLanes; ++l) add(l, v[i + l]);
    for (; i < n; ++i) add(0, v[i]);
    Summary s;
    u64 bad = 0;
    for (u32 l = 0; l < kLanes; ++l) {
        s.low = std::min(s.low, low[l]);
        s.high = std::max(s.high, high[l]);
        s.n_missing += static_cast<u32>(missing[l]);
        bad += broken[l];
    }
    s.integral = bad == s.n_missing;
    return s;
}

}  // namespace

class ColumnBuilder {
   public:
    ColumnBuilder(Presorted& out, u32 n, const Presorted::Options& options, const u32* packed_rows, Sorter& sorter,
                  Budget& budget)
        : out_(out), n_(n), options_(options), rows_(packed_rows), s_(sorter), budget_(budget) {}

    // Makes the lists of a column from its n values, at `offset` of the entries.
    void build(u32 column, const double* v, u64 offset, std::vector<ListInfo>& lists) {
        column_ = column;
        offset_ = offset;
        to_ = out_.entries.data() + offset;
        const Summary s = summarize(v, n_);
        n_missing_ = s.n_missing;
        known_ = n_ - n_missing_;
        if (known_ == 0 || (!(s.low < s.high) && n_missing_ == 0)) return;  // one value only
        if (s.integral && options_.blurs.empty() && is_counted(s.high - s.low, n_))
            count(v, s.low, s.high, lists);
        else
            sort(v, s.low, s.high, lists);
        if (n_missing_) {
            u32* p = to_ + (n_ - n_missing_);
            for (u32 i = 0; i < n_; ++i)
                if (v[i] != v[i]) *p++ = rows_[i];
            lists.push_back({column_, ListRole::missing, false, false, false, n_missing_, offset_ + n_ - n_missing_});
        }
    }

   private:
    bool leave_out(u32 most) const { return options_.elide && is_left_out(most, n_); }

    // Do the packed bits tell this many ranks apart?
    bool ranks_fit(u64 ranks) const {
        const int bits = out_.packing.rank_bits;
        return bits >= 32 || (bits > 0 && ranks <= u64{1} << bits);
    }

    void count(const double* v, double low, double high, std::vector<ListInfo>& lists) {
        const u32 range = static_cast<u32>(high - low) + 1, none = range;  // a code for missing values
        s_.codes.grow_to(n_);
        u32* codes = s_.codes.data();
        if (n_missing_ == 0)
            for (u32 i = 0; i < n_; ++i) codes[i] = static_cast<u32>(static_cast<i32>(v[i] - low));
        else
            for (u32 i = 0; i < n_; ++i)
                codes[i] = v[i] == v[i] ? static_cast<u32>(static_cast<i32>(v[i] - low)) : none;
        auto& counts = s_.counts;
        constexpr u32 kLanes = 4;  // so that equal neighbours do not wait for each other
        const u32 width = range + 1, lanes = range < 4096 && n_ > 4096 ? kLanes : 1;
        counts.assign(std::size_t{width} * lanes, 0);
        if (lanes == 1) {
            for (u32 i = 0; i < n_; ++i) ++counts[codes[i]];
        } else {
            u32* c = counts.data();
            u32 i = 0;
            for (; i + kLanes <= n_; i += kLanes)
                for (u32 l = 0; l < kLanes; ++l) ++c[l * width + codes[i + l]];
            for (; i < n_; ++i) ++c[codes[i]];
            for (u32 k = 0; k < width; ++k) c[k] += c[width + k] + c[2 * width + k] + c[3 * width + k];
        }
        u32 mode = 0, distinct = 0;
        for (u32 k = 0; k < range; ++k) {
            if (counts[k] > counts[mode]) mode = k;
            distinct += counts[k] > 0;
        }
        const bool elided = leave_out(counts[mode]);
        const bool heavy = u64{distinct} * 4 < known_;
        longest_ = counts[mode];
        auto& place = s_.places;
        place.resize(range);
        u32 n_low = 0, n_high = 0;
        for (u32 k = 0; k < (elided ? mode : range); ++k) place[k] = n_low, n_low += counts[k];
        if (elided) {
            for (u32 k = range; --k > mode;) place[k] = n_low + n_high, n_high += counts[k];
            out_.modes[column_] = low + static_cast<double>(mode);
        }
        auto put = [&](u32 i) {
            const u32 k = codes[i];
            to_[place[k]++] = rows_[i] | out_.packing.rank(k);
        };
        if (!elided && n_missing_ == 0) {
            for (u32 i = 0; i < n_; ++i) put(i);
        } else {  // first the rows that are listed, without a branch
            s_.listed.grow_to(n_ + 1);
            u32* listed = s_.listed.data();
            const u32 out = elided ? mode : none;
            u32 m = 0;
            for (u32 i = 0; i < n_; ++i) {
                listed[m] = i;
                m += static_cast<u32>(codes[i] != out) & static_cast<u32>(codes[i] != none);
            }
            for (u32 j = 0; j < m; ++j) put(listed[j]);
        }
        push(lists, n_low, n_high, !ranks_fit(range), heavy, true);
    }

    void sort(const double* v, double low, double high, std::vector<ListInfo>& lists) {
        u32 m;
        const u64* words = order_rows(v, n_, low, high, s_.order, budget_, m);
        const Packing packing = out_.packing;  // what is written may not be in these
        const u32* const rows = rows_;
        u32* const to = to_;
        u32 rank = 0, run = 0, longest = 0, longest_end = 0;
        bool doubt = false;
        const double blur = options_.blurs.empty() ? options_.doubt : options_.blurs[column_];
        auto apart = [&](u64 a, u64 b) {
            if (blur > 0) return v[static_cast<u32>(b)] - v[static_cast<u32>(a)] > blur;
            // Keys that differ prove that values do; only where they agree are the values read.
            return a >> 32 != b >> 32 || v[static_cast<u32>(a)] != v[static_cast<u32>(b)];
        };
        for (u32 i = 0; i < m; ++i) {
            const u32 row = static_cast<u32>(words[i]);
            if (i > 0 && apart(words[i - 1], words[i])) {
                ++rank;
                if (run > longest) longest = run, longest_end = i;
                run = 0;
            } else if (i > 0 && options_.doubt > 0) {
                doubt |= v[static_cast<u32>(words[i - 1])] != v[row];
            }
            ++run;
            to[i] = rows[row] | packing.rank(rank);
        }
        if (run > longest) longest = run, longest_end = m;
        longest_ = longest;
        const bool heavy = (u64{rank} + 1) * 4 < m;
        const bool ambiguous = doubt || !ranks_fit(u64{rank} + 1);
        if (!leave_out(longest)) {
            push(lists, m, 0, ambiguous, heavy, false);
            return;
        }
        const u32 n_low = longest_end - longest, n_high = m - longest_end;
        out_.modes[column_] = v[static_cast<u32>(words[longest_end - 1])];
        std::reverse(to_ + longest_end, to_ + m);
        std::copy(to_ + longest_end, to_ + m, to_ + n_low);
        push(lists, n_low, n_high, ambiguous, heavy, false);
    }

    void push(std::vector<ListInfo>& lists, u32 n_low, u32 n_high, bool ambiguous, bool heavy, bool counted) {
        if (n_low) lists.push_back({column_, ListRole::low, ambiguous, heavy, counted, n_low, offset_, longest_});
        if (n_high)
            lists.push_back({column_, ListRole::high, ambiguous, heavy, counted, n_high, offset_ + n_low, longest_});
    }

    Presorted& out_;
    u32 n_;
    Presorted::Options options_;
    const u32* rows_;
    Sorter& s_;
    Budget& budget_;
    u32 column_ = 0, n_missing_ = 0, known_ = 0, longest_ = 0;
    u64 offset_ = 0;
    u32* to_ = nullptr;
};

Presorted::Presorted(const Table& table, const Target& target, Options options, Team& team, Budget& budget)
    : packing(table.n_rows, std::max(1u, target.n_classes)), columns(table.columns) {
    const u32 n = table.n_rows;
    const std::vector<u32> numeric = table.of(ColumnKind::numeric);
    modes.assign(table.n_columns(), kNaN);
    entries = RawBuffer<u32>(u64{n} * numeric.size() + 1);
    if (options.copies) copies = RawBuffer<double>(std::size_t{n} * numeric.size());
    RawBuffer<u32> rows(n);
    for (u32 i = 0; i < n; ++i) rows[i] = packing.pack(i, target.regression() ? 0 : target.classes[i]);

    // A whole cache line of columns at once, unless that would leave threads without work.
    const u32 share = static_cast<u32>((numeric.size() + 2 * team.size() - 1) / (2 * team.size()));
    const u32 width = team.size() == 1 ? kColumnsAtOnce : std::clamp(share, 1u, kColumnsAtOnce);
    const std::size_t n_blocks = (numeric.size() + width - 1) / width;
    std::vector<std::vector<ListInfo>> found(n_blocks);
    std::vector<Sorter> sorters(team.size());
    team.each(n_blocks, [&](std::size_t b, int worker) {
        Sorter& s = sorters[worker];
        const u32 begin = static_cast<u32>(b) * width;
        const u32 end = std::min<u32>(begin + width, static_cast<u32>(numeric.size()));
        ColumnBuilder builder(*this, n, options, rows.data(), s, budget);
        bool scattered = false;
        for (u32 j = begin; j < end; ++j) scattered |= table.columns[numeric[j]].stride != 1;
        double* block = nullptr;
        if (scattered && options.copies) {
            block = copies.data() + std::size_t{n} * begin;
            for (u32 j = begin; j < end; ++j) {
                columns[numeric[j]].values = block + std::size_t{n} * (j - begin);
                columns[numeric[j]].stride = 1;
            }
        } else if (scattered) {
            s.block.grow_to(std::size_t{n} * (end - begin));
            block = s.block.data();
        }
        if (scattered) gather(table, {numeric.data() + begin, end - begin}, block, budget);
        for (u32 j = begin; j < end; ++j) {
            budget.poll();
            const double* v = scattered ? block + std::size_t{n} * (j - begin) : table.columns[numeric[j]].values;
            builder.build(numeric[j], v, u64{n} * j, found[b]);
        }
    });
    for (const auto& f : found) lists.insert(lists.end(), f.begin(), f.end());
}

namespace {

// The entries of a list whose rows are here, each as often as it is.
u32 entries_of(const u32* from, u32 size, u32 row_mask, const u32* places, u32* to, u32 room) {
    constexpr u32 kAhead = 4;  // that are written before it is known how many there are
    u32 kept = 0;
    for (u32 i = 0; i < size; ++i) {
        const u32 row = static_cast<u32>(from[i] & row_mask), place = places[row], times = places[row + 1] - place;
        const u32 entry = from[i] & ~row_mask;
        if (kept + kAhead <= room)
            for (u32 t = 0; t < kAhead; ++t) to[kept + t] = entry | (place + t);
        for (u32 t = kept + kAhead <= room ? kAhead : 0; t < times; ++t) to[kept + t] = entry | (place + t);
        kept += times;
    }
    return kept;
}

}  // namespace

Presorted::Presorted(const Presorted& all, const Table& part, const Target& target, Options options, Team& team,
                     Budget& budget)
    : packing(all.packing), modes(all.modes), columns(part.columns) {
    const u32 n = part.n_rows;
    const std::vector<u32> numeric = part.of(ColumnKind::numeric);
    entries = RawBuffer<u32>(u64{n} * numeric.size() + 1);
    if (options.copies && !numeric.empty()) {
        copies = RawBuffer<double>(std::size_t{n} * numeric.size());
        gather(part, numeric, copies.data(), budget);
        for (std::size_t j = 0; j < numeric.size(); ++j) {
            columns[numeric[j]].values = copies.data() + std::size_t{n} * j;
            columns[numeric[j]].stride = 1;
        }
    }
    u32 most = 0;  // times that a row is here
    for (std::size_t row = 0; row + 1 < part.places.size(); ++row)
        most = std::max(most, part.places[row + 1] - part.places[row]);
    RawBuffer<u32> rows(most > 1 ? n : 0);
    for (u32 i = 0; i < rows.size(); ++i) rows[i] = packing.pack(i, target.regression() ? 0 : target.classes[i]);
    std::vector<Sorter> sorters(team.size());
    std::vector<std::vector<ListInfo>> found(numeric.size());
    std::vector<std::size_t> ends(numeric.size());  // of the lists of each column, which stand side by side
    for (std::size_t j = 0, end = 0; j < numeric.size(); ends[j++] = end)
        while (end < all.lists.size() && all.lists[end].column == numeric[j]) ++end;
    team.each(numeric.size(), [&](std::size_t j, int worker) {
        budget.poll();
        const std::span<const ListInfo> own(all.lists.begin() + (j > 0 ? ends[j - 1] : 0), all.lists.begin() + ends[j]);
        // Where a row that is here twice could make a value frequent, which value is left out is found anew.
        const bool plain = own.size() == 1 && own[0].role == ListRole::low && own[0].size + 1 == part.places.size();
        if (most > 1 && !own.empty() && !(plain && !is_left_out(u64{own[0].longest} * most, n))) {
            Sorter& s = sorters[worker];
            s.block.grow_to(n);
            gather(part, {&numeric[j], 1}, s.block.data(), budget);
            modes[numeric[j]] = kNaN;
            ColumnBuilder(*this, n, options, rows.data(), s, budget)
                .build(numeric[j], s.block.data(), u64{n} * j, found[j]);
            return;
        }
        u64 offset = u64{n} * j;
        for (ListInfo list : own) {
            const u32* from = all.entries.data() + list.offset;
            u32* to = entries.data() + offset;
            if (part.places.empty())
                std::copy_n(from, list.size, to);
            else
                list.size = entries_of(from, list.size, packing.row_mask, part.places.data(), to,
                                       n - static_cast<u32>(offset - u64{n} * j));
            list.offset = offset;
            offset += list.size;
            if (list.size > 0) found[j].push_back(list);
        }
    });
    for (const auto& f : found) lists.insert(lists.end(), f.begin(), f.end());
}

Presorted SortedLists::of(const Table& table, const Target& target, Presorted::Options options, Team& team,
                          Budget& budget) {
    {
        std::lock_guard lock(mutex_);
        const Table* from = table_ ? table_ : table.places.empty() ? &table : nullptr;
        if (!all_ && from) all_.emplace(*from, table_ ? *target_ : target, options, team, budget);
    }
    return all_ ? Presorted(*all_, table, target, options, team, budget)
                : Presorted(table, target, options, team, budget);
}

}  // namespace bough
