// Sorting a column: small whole numbers are counted; anything else gets an order-preserving key of at
// most 32 bits, is sorted by it in two or three radix passes, and runs that the key leaves tied are
// sorted by the values themselves.
#include "presort.hpp"

#include <algorithm>
#include <bit>

namespace bough {

namespace {

constexpr u32 kColumnsAtOnce = 8;       // one cache line of a row-major table
constexpr double kElideShare = 0.3;     // a value this frequent is left out of the lists
constexpr u32 kMostCounted = 1u << 16;  // range of whole numbers that are counted

// Order-preserving integer of a number; −0.0 and 0.0 are one value.
u64 key_of(double x) {
    const u64 bits = std::bit_cast<u64>(x + 0.0);
    return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}

// Runs a loop over n rows in pieces short enough for an interrupt to be answered in between.
template <class Loop>
void in_chunks(u32 n, Budget& budget, Loop loop) {
    constexpr u32 kChunk = 1u << 22;
    for (u32 begin = 0; begin < n; begin += std::min(kChunk, n - begin)) {
        if (n > kChunk) budget.poll();
        loop(begin, begin + std::min(kChunk, n - begin));
    }
}

// Sorts n words by the upper 32 bits, of which the lowest `bits` are in use; words that agree there
// keep their order.
void sort_upper(u64* a, u64* spare, u32 n, int bits, Budget& budget) {
    if (n < 200) {
        std::stable_sort(a, a + n, [](u64 x, u64 y) { return x >> 32 < y >> 32; });
        return;
    }
    const int passes = bits <= 24 ? 2 : 3, width = (bits + passes - 1) / passes;
    const u32 buckets = 1u << width, mask = buckets - 1;
    thread_local std::vector<u32> counts;
    counts.assign(std::size_t{3} * buckets, 0);
    u32 *c0 = counts.data(), *c1 = c0 + buckets, *c2 = c1 + buckets;
    in_chunks(n, budget, [&](u32 begin, u32 end) {
        for (u32 i = begin; i < end; ++i) {
            const u32 k = static_cast<u32>(a[i] >> 32);
            ++c0[k & mask];
            ++c1[(k >> width) & mask];
            if (passes == 3) ++c2[k >> (2 * width)];
        }
    });
    u64 *from = a, *to = spare;
    for (int pass = 0; pass < passes; ++pass) {
        u32* c = counts.data() + std::size_t{buckets} * pass;
        const int shift = 32 + width * pass;
        if (c[(from[0] >> shift) & mask] == n) continue;  // all alike
        u32 sum = 0;
        for (u32 d = 0; d < buckets; ++d) {
            const u32 size = c[d];
            c[d] = sum;
            sum += size;
        }
        in_chunks(n, budget, [&](u32 begin, u32 end) {
            for (u32 i = begin; i < end; ++i) to[c[(from[i] >> shift) & mask]++] = from[i];
        });
        std::swap(from, to);
    }
    if (from != a) std::copy(from, from + n, a);
}

// Scratch of one worker.
struct Sorter {
    RawBuffer<double> block;  // kColumnsAtOnce columns side by side
    RawBuffer<u64> words, spare;
    RawBuffer<u32> codes, listed;
    std::vector<u32> counts, places;
};

struct Summary {
    double low = kInf, high = -kInf;
    u32 n_missing = 0;
    bool whole = false;  // all values are whole numbers
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
    s.whole = bad == s.n_missing;
    return s;
}

// Copies columns, one after the other; row-major data is read line by line.
void gather(const Table& table, std::span<const u32> columns, double* out) {
    const std::size_t n = table.n_rows, width = columns.size();
    const Column& first = table.columns[columns[0]];
    bool neighbours = width == kColumnsAtOnce;
    for (std::size_t j = 0; j < width; ++j) {
        const Column& c = table.columns[columns[j]];
        neighbours &= c.values == first.values + j && c.stride == first.stride;
    }
    if (neighbours) {
        for (std::size_t i = 0; i < n; ++i) {
            const double* line = first.values + static_cast<i64>(i) * first.stride;
            for (std::size_t j = 0; j < kColumnsAtOnce; ++j) out[j * n + i] = line[j];
        }
        return;
    }
    for (std::size_t j = 0; j < width; ++j)
        for (u32 i = 0; i < n; ++i) out[j * n + i] = table.columns[columns[j]].value(i);
}

}  // namespace

template <class E>
class ColumnBuilder {
   public:
    ColumnBuilder(Presorted<E>& out, u32 n, bool elide, const E* packed_rows, Sorter& sorter, Budget& budget)
        : out_(out), n_(n), elide_(elide), rows_(packed_rows), s_(sorter), budget_(budget) {}

    // Makes the lists of a column from its n values, at `offset` of the entries.
    void build(u32 column, const double* v, u64 offset, std::vector<ListInfo>& lists) {
        column_ = column;
        offset_ = offset;
        to_ = out_.entries.data() + offset;
        const Summary s = summarize(v, n_);
        n_missing_ = s.n_missing;
        known_ = n_ - n_missing_;
        if (known_ == 0 || (!(s.low < s.high) && n_missing_ == 0)) return;  // one value only
        const double range = s.high - s.low;
        // With few rows, a wide range is quicker sorted than counted.
        if (s.whole && range < kMostCounted && (range < 512 || range < 4.0 * n_))
            count(v, s.low, s.high, lists);
        else
            sort(v, s.low, s.high, lists);
        if (n_missing_) {
            E* p = to_ + (n_ - n_missing_);
            for (u32 i = 0; i < n_; ++i)
                if (v[i] != v[i]) *p++ = rows_[i];
            lists.push_back({column_, ListRole::missing, false, false, false, n_missing_, offset_ + n_ - n_missing_});
        }
    }

   private:
    bool leave_out(u32 most) const { return elide_ && most > kElideShare * n_; }

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
            to_[place[k]++] = static_cast<E>(rows_[i] | out_.packing.rank(k));
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
        s_.words.grow_to(n_);
        s_.spare.grow_to(n_);
        u64* words = s_.words.data();
        u32 m = 0;
        int bits;
        if (evenly_spread(v, low, high)) {
            // A few more bits than rows: two passes are enough, ties are rare.
            bits = std::min(24, static_cast<int>(std::bit_width(n_)) + 4);
            const double scale = static_cast<double>((1u << bits) - 1) / (high - low);
            for (u32 i = 0; i < n_; ++i) {
                const bool known = v[i] == v[i];
                words[m] = static_cast<u64>(((known ? v[i] : low) - low) * scale) << 32 | i;
                m += known;
            }
        } else {
            const u64 first = key_of(low), width = key_of(high) - first;
            const int drop = std::max(0, static_cast<int>(std::bit_width(width)) - 32);
            bits = static_cast<int>(std::bit_width(width >> drop));
            for (u32 i = 0; i < n_; ++i) {
                words[m] = ((key_of(v[i]) - first) >> drop) << 32 | i;
                m += v[i] == v[i];
            }
        }
        sort_upper(words, s_.spare.data(), m, bits, budget_);

        u32 rank = 0, run = 0, longest = 0, longest_end = 0;
        for (u32 i = 0; i < m;) {
            u32 end = i + 1;
            while (end < m && words[end] >> 32 == words[i] >> 32) ++end;
            if (end - i > 1) sort_ties(v, words + i, end - i);
            for (u32 j = i; j < end; ++j) {
                const u32 row = static_cast<u32>(words[j]);
                if (j > 0 && (j == i || v[row] != v[static_cast<u32>(words[j - 1])])) {
                    ++rank;
                    if (run > longest) longest = run, longest_end = j;
                    run = 0;
                }
                ++run;
                to_[j] = static_cast<E>(rows_[row] | out_.packing.rank(rank));
            }
            i = end;
        }
        if (run > longest) longest = run, longest_end = m;
        const bool heavy = (u64{rank} + 1) * 4 < m;
        const bool ambiguous = !ranks_fit(u64{rank} + 1);
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

    // Do equal steps of the range hold comparable numbers of rows? Judged by a sample's quartiles.
    bool evenly_spread(const double* v, double low, double high) {
        if (!(high - low < 1e300) || !(high - low > 1e-290)) return false;
        constexpr u32 kSample = 63;
        double sample[kSample];
        u32 n = 0;
        for (u32 s = 0; s < kSample; ++s) {
            const double x = v[static_cast<u64>(s) * n_ / kSample];
            if (x == x) sample[n++] = x;
        }
        if (n < 8) return false;
        std::sort(sample, sample + n);
        return sample[3 * n / 4] - sample[n / 4] > (high - low) / 64;
    }

    // Sorts words whose upper halves agree by their values.
    void sort_ties(const double* v, u64* words, u32 n) const {
        auto less = [v](u64 a, u64 b) {
            const double x = v[static_cast<u32>(a)], y = v[static_cast<u32>(b)];
            return x != y ? x < y : a < b;
        };
        if (n > 16) {
            std::sort(words, words + n, less);
            return;
        }
        for (u32 i = 1; i < n; ++i) {
            const u64 w = words[i];
            u32 j = i;
            for (; j > 0 && less(w, words[j - 1]); --j) words[j] = words[j - 1];
            words[j] = w;
        }
    }

    void push(std::vector<ListInfo>& lists, u32 n_low, u32 n_high, bool ambiguous, bool heavy, bool counted) {
        if (n_low) lists.push_back({column_, ListRole::low, ambiguous, heavy, counted, n_low, offset_});
        if (n_high) lists.push_back({column_, ListRole::high, ambiguous, heavy, counted, n_high, offset_ + n_low});
    }

    Presorted<E>& out_;
    u32 n_;
    bool elide_;
    const E* rows_;
    Sorter& s_;
    Budget& budget_;
    u32 column_ = 0, n_missing_ = 0, known_ = 0;
    u64 offset_ = 0;
    E* to_ = nullptr;
};

template <class E>
Presorted<E>::Presorted(const Table& table, const Target& target, Options options, Team& team, Budget& budget)
    : packing(table.n_rows, std::max(1u, target.n_classes)), columns(table.columns) {
    const u32 n = table.n_rows;
    std::vector<u32> numeric;
    for (u32 c = 0; c < table.n_columns(); ++c)
        if (table.columns[c].kind == ColumnKind::numeric) numeric.push_back(c);
    modes.assign(table.n_columns(), kNaN);
    entries = RawBuffer<E>(u64{n} * numeric.size() + 1);
    if (options.copies) copies = RawBuffer<double>(std::size_t{n} * numeric.size());
    RawBuffer<E> rows(n);
    for (u32 i = 0; i < n; ++i) rows[i] = packing.pack(i, target.regression() ? 0 : target.classes[i]);

    const std::size_t n_blocks = (numeric.size() + kColumnsAtOnce - 1) / kColumnsAtOnce;
    std::vector<std::vector<ListInfo>> found(n_blocks);
    std::vector<Sorter> sorters(team.size());
    team.each(n_blocks, [&](std::size_t b, int worker) {
        Sorter& s = sorters[worker];
        const u32 begin = static_cast<u32>(b) * kColumnsAtOnce;
        const u32 end = std::min<u32>(begin + kColumnsAtOnce, static_cast<u32>(numeric.size()));
        ColumnBuilder<E> builder(*this, n, options.elide, rows.data(), s, budget);
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
        if (scattered) gather(table, {numeric.data() + begin, end - begin}, block);
        for (u32 j = begin; j < end; ++j) {
            budget.poll();
            const double* v = scattered ? block + std::size_t{n} * (j - begin) : table.columns[numeric[j]].values;
            builder.build(numeric[j], v, u64{n} * j, found[b]);
        }
    });
    for (const auto& f : found) lists.insert(lists.end(), f.begin(), f.end());
}

template struct Presorted<u32>;
template struct Presorted<u64>;

}  // namespace bough
