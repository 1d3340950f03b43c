// Sweeps along a sorted list: every cut gets a cheap value, block by block; the few that can still
// win are scored by the criterion's plain gain and offered. What is cheap only filters, what is
// plain decides.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "criterion.hpp"
#include "kernels.hpp"
#include "scorer.hpp"

namespace bough {

inline constexpr u32 kBlock = 256;

// One list of a column, with what its rows carry.
template <class E>
struct Feed {
    const PackedColumn<E>* from;
    PackedList<E> list;
    const double* weights;  // per row of the table, or null
    const double* z;        // per entry of the list, or null

    u32 row(u32 i) const { return from->packing->row(list.entries[i]); }
    u32 cls(u32 i) const { return from->packing->cls(list.entries[i]); }
    // Is there room for a cut between entries i and i+1?
    bool separates(u32 i) const {
        if (i + 1 == list.size) return true;
        if ((list.entries[i] ^ list.entries[i + 1]) & from->packing->rank_mask) return true;
        return from->ambiguous && from->column->value(row(i)) != from->column->value(row(i + 1));
    }
};

// The cuts of one list: cut i puts its entries 0 … i, and what is there from the start, on the
// outer side.
struct Run {
    u32 first = 0, last = 0;  // first <= i < last keep the limits on rows
    u32 start_rows = 0;       // rows on the outer side from the start: the missing ones, or none
    bool high = false;        // the outer side is the right one
    bool missing_outer = false;
};

// Per class of the table: what the outer side starts with, and projection sums of the node.
struct Sums {
    std::vector<double> start_w, start_z, total_z;
    double start_total = 0;
};

// Completes a cut with its address and offers it.
template <class E>
void offer_cut(const Feed<E>& feed, const Run& run, u32 i, Gain gain, double balance, const CutSink& sink) {
    Candidate c;
    c.gain = gain;
    c.balance = balance;
    c.column = sink.column;
    const u64 place = run.high ? (u64{1} << 40) - (i + 1) : u64{i} + 1;
    const bool missing_left = run.missing_outer != run.high;
    c.order = place << 1 | (missing_left ? 0 : 1);
    c.family = sink.family;
    c.a = feed.list.id;
    c.b = (i + 1) << 1 | (run.missing_outer ? 1 : 0);
    sink.best->offer(c);
}

// Calls score(j) for the cuts of a block that may win: those within the slack of the block's best.
template <class Value, class Allowed, class Score>
void pick(u32 size, double floor, double slack, Value value, Allowed allowed, Score score) {
    double gains[kBlock];
    u32 high[kBlock];  // the cuts that reach the floor
    u32 n = 0;
    for (u32 j = 0; j < size; ++j) gains[j] = value(j);
    for (u32 j = 0; j < size; ++j) {
        high[n] = j;
        n += gains[j] >= floor;
    }
    double top = -kInf;
    for (u32 i = 0; i < n; ++i)
        if (gains[high[i]] > top && allowed(high[i])) top = gains[high[i]];
    const double near = std::max(floor, top - 2 * slack - 1e-10 * std::fabs(top));
    for (u32 i = 0; i < n; ++i)
        if (gains[high[i]] >= near && allowed(high[i])) score(high[i]);
}

// How many entries of a whole block have (e & mask) == value.
inline u32 count_block(const u32* e, u32 mask, u32 value) { return kernels().count_block(e, mask, value); }
inline u32 count_block(const u64* e, u64 mask, u64 value) {
    u32 n = 0;
    for (u32 j = 0; j < kBlock; ++j) n += (e[j] & mask) == value;
    return n;
}

// Does the gain of any cut of a block reach the floor? Without branches, and without division where
// the criterion has a way.
template <class Two, class Ones, class Outer>
bool any_reaches(const Two& value, u32 size, double floor, Ones ones, Outer outer) {
    if constexpr (requires { value.level(floor); }) {
        const double level = value.level(floor);
        u64 signs = ~u64{0};  // the sign bit stays set while every excess is negative
        for (u32 j = 0; j < size; ++j) signs &= std::bit_cast<u64>(value.excess(ones(j), outer(j), level));
        return signs >> 63 == 0;
    } else {
        bool any = false;
        for (u32 j = 0; j < size; ++j) any |= value(ones(j), outer(j)) >= floor;
        return any;
    }
}

// Two classes, every row weighs 1.
template <class C, class E>
void sweep_two(const Node& node, const Feed<E>& feed, const Run& run, u32 start_one, const CutSink& sink) {
    using Two = TwoClasses<C, true>;
    const Packing<E>& p = *feed.from->packing;
    const E mask = static_cast<E>(p.class_mask << p.row_bits);
    const E one = static_cast<E>(E{node.present[1]} << p.row_bits);
    const double n = node.n_rows, n1 = node.counts[node.present[1]], n0 = n - n1;
    const Two value(n0, n1);
    const double slack = Two::slack(sink.best->scale());
    u32 l1 = start_one, rows = run.start_rows;
    u32 ones[kBlock];

    for (u32 base = 0; base < run.last; base += kBlock) {
        const u32 size = std::min(kBlock, run.last - base);
        const E* e = feed.list.entries + base;
        const double floor = sink.best->floor() - slack;
        if (C::traits.box_corners && size == kBlock && floor > 0) {
            // The class counts inside the block stay in a box: if no corner can win, no cut can.
            const u32 in_block = count_block(e, mask, one);
            const double a1 = l1, a0 = rows - l1, b1 = a1 + in_block, b0 = a0 + kBlock - in_block;
            const double top = std::max(std::max(value(b1, b0 + b1), value(a1, a0 + a1)),
                                        std::max(value(b1, a0 + b1), value(a1, b0 + a1)));
            if (top < floor) {
                l1 += in_block;
                rows += kBlock;
                continue;
            }
        }
        u32 sum = l1;
        for (u32 j = 0; j < size; ++j) {
            sum += (e[j] & mask) == one;
            ones[j] = sum;
        }
        const double start = rows + 1;
        if (any_reaches(value, size, floor, [&](u32 j) { return static_cast<i32>(ones[j]); }, [&](u32 j) { return start + static_cast<i32>(j); }))
            pick(
                size, floor, slack, [&](u32 j) { return value(ones[j], start + j); },
                [&](u32 j) { return base + j >= run.first && feed.separates(base + j); },
                [&](u32 j) {
                    const double nl = start + j, k1 = ones[j];
                    const double left[2] = {nl - k1, k1}, right[2] = {n0 - left[0], n1 - k1};
                    offer_cut(feed, run, base + j, C::gain(Side(left), Side(right)), std::min(nl, n - nl), sink);
                });
        l1 = sum;
        rows += size;
    }
}

// Two classes, rows of any weight.
template <class C, class E>
void sweep_two_weighted(const Node& node, const Feed<E>& feed, const Run& run, const Sums& sums,
                        const LeafLimits& limits, const CutSink& sink) {
    using Two = TwoClasses<C, false>;
    const u32 zero = node.present[0], one = node.present[1];
    const double n0 = node.weights[zero], n1 = node.weights[one];
    const Two value(n0, n1);
    const double slack = Two::slack(sink.best->scale()) + 1e-12 * sink.best->scale();
    double l0 = sums.start_w[zero], l1 = sums.start_w[one];
    double zeros[kBlock], ones[kBlock];

    for (u32 base = 0; base < run.last; base += kBlock) {
        const u32 size = std::min(kBlock, run.last - base);
        const double floor = sink.best->floor() - slack;
        auto weight = [&](u32 j) { return feed.weights[feed.row(base + j)]; };
        if (C::traits.box_corners && size == kBlock && floor > 0) {
            double all[4] = {}, of_one[4] = {};  // independent chains
            for (u32 j = 0; j < kBlock; j += 4)
                for (u32 l = 0; l < 4; ++l) {
                    const double w = weight(j + l);
                    all[l] += w;
                    of_one[l] += feed.cls(base + j + l) == one ? w : 0.0;
                }
            const double b1 = l1 + of_one[0] + of_one[1] + of_one[2] + of_one[3];
            const double b0 = l0 + (all[0] + all[1] + all[2] + all[3]) - (b1 - l1);
            const double top = std::max(std::max(value(b1, b0 + b1), value(l1, l0 + l1)),
                                        std::max(value(b1, l0 + b1), value(l1, b0 + l1)));
            if (top < floor) {
                l0 = b0;
                l1 = b1;
                continue;
            }
        }
        for (u32 j = 0; j < size; ++j) {
            const double w = weight(j);
            const bool is_one = feed.cls(base + j) == one;
            l1 += is_one ? w : 0.0;
            l0 += is_one ? 0.0 : w;
            zeros[j] = l0;
            ones[j] = l1;
        }
        if (any_reaches(value, size, floor, [&](u32 j) { return ones[j]; }, [&](u32 j) { return zeros[j] + ones[j]; }))
            pick(
                size, floor, slack, [&](u32 j) { return value(ones[j], zeros[j] + ones[j]); },
                [&](u32 j) {
                    const double wl = zeros[j] + ones[j];
                    if (limits.min_weight > 0 && std::min(wl, node.total - wl) < limits.min_weight) return false;
                    return base + j >= run.first && feed.separates(base + j);
                },
                [&](u32 j) {
                    const double left[2] = {zeros[j], ones[j]};
                    const double right[2] = {std::max(0.0, n0 - zeros[j]), std::max(0.0, n1 - ones[j])};
                    const double wl = zeros[j] + ones[j];
                    offer_cut(feed, run, base + j, C::gain(Side(left), Side(right)), std::min(wl, node.total - wl), sink);
                });
    }
}

// Any number of classes, weights, positions.
template <class C, class E, bool kWeighted>
class ManySweep {
    static constexpr bool kZ = C::traits.projection || C::traits.regression;
    static constexpr bool kCounts = !kWeighted && !kZ;
    using Num = std::conditional_t<kCounts, i64, double>;
    using Many = ManyClasses<C, Num>;
    using Word = typename Many::Word;

   public:
    ManySweep(const Node& node, const Feed<E>& feed, const Run& run, const Sums& sums, const LeafLimits& limits,
              const CutSink& sink)
        : node_(node), feed_(feed), run_(run), sums_(sums), sink_(sink), ws_(workspace()),
          min_weight_(kWeighted ? limits.min_weight : 0.0), many_(node, sums, run.high), total_(sums.start_total) {
        for (auto* v : {&ws_.left_w, &ws_.right_w}) v->resize(node.present.size());
        ws_.outer.resize(node.weights.size());
        if constexpr (kZ) {
            for (auto* v : {&ws_.left_z, &ws_.right_z}) v->resize(node.present.size());
            ws_.outer_z = sums.start_z;
        }
        slack_ = Many::slack(sink.best->scale());
    }

    void run() {
        for (u32 base = 0; base < run_.last; base += kBlock) sweep_block(base, std::min(kBlock, run_.last - base));
    }

   private:
    struct Workspace {
        std::vector<double> outer, outer_z, left_w, left_z, right_w, right_z;
    };
    static Workspace& workspace() {
        thread_local Workspace ws;
        return ws;
    }

    u32 class_at(u32 i) const { return C::traits.regression ? 0 : feed_.cls(i); }
    Num weight_at(u32 i) const {
        if constexpr (kWeighted) return feed_.weights[feed_.row(i)];
        else return Num{1};
    }

    // The cuts of one block, with the numbers from which their gains are made.
    struct Block {
        Word a[kBlock], b[kBlock];
        double wl[kWeighted ? kBlock : 1];  // weight of the outer side
        u32 at[kBlock];                     // entry of each cut, where entries were left out
        u32 cuts;
        bool thinned = false;
    };

    void sweep_block(u32 base, u32 size) {
        if constexpr (kCounts && requires(u32* moves) { many_.bound(node_, moves, 0.0, 0u); })
            if (size == kBlock && sink_.best->floor() > 0 && skip_block(base)) return;
        for (u32 c : node_.present) ws_.outer[c] = many_.outer(c);
        const double before = total_;
        Block block;
        block.thinned = kCounts && feed_.from->heavy && fill_thinned(base, size, block);
        if (!block.thinned) fill(base, size, block);

        const double floor = sink_.best->floor() - slack_;
        u32 done = 0;
        if (may_win(block, before, floor)) {
            double exact = before;
            auto entry = [&](u32 j) { return block.thinned ? block.at[j] : j; };
            auto outer_weight = [&](u32 j) {
                if constexpr (kWeighted) return block.wl[j];
                else return before + 1 + entry(j);
            };
            pick(
                block.cuts, floor, slack_,
                [&](u32 j) { return many_.value(block.a[j], block.b[j], outer_weight(j)); },
                [&](u32 j) {
                    const double w = outer_weight(j);
                    if (min_weight_ > 0 && std::min(w, node_.total - w) < min_weight_) return false;
                    return base + entry(j) >= run_.first && feed_.separates(base + entry(j));
                },
                [&](u32 j) { score(base, entry(j), done, exact); });
        }
        if constexpr (kZ)
            for (; done < size; ++done) add(base + done);
    }

    // True if the class counts of the block alone show that none of its cuts can win.
    bool skip_block(u32 base) {
        constexpr u32 kMost = 64, kLanes = 4;  // lanes, so that equal neighbours do not wait for each other
        if (node_.weights.size() > kMost || total_ + kBlock >= node_.total) return false;
        u32 lanes[kLanes][kMost];
        for (u32 l = 0; l < kLanes; ++l) std::fill_n(lanes[l], node_.weights.size(), 0u);
        for (u32 j = 0; j < kBlock; j += kLanes)
            for (u32 l = 0; l < kLanes; ++l) ++lanes[l][class_at(base + j + l)];
        for (u32 c : node_.present) lanes[0][c] += lanes[1][c] + lanes[2][c] + lanes[3][c];
        if (many_.bound(node_, lanes[0], total_, kBlock) >= sink_.best->floor() - slack_) return false;
        many_.skip(node_, lanes[0]);
        total_ += kBlock;
        return true;
    }

    void fill(u32 base, u32 size, Block& block) {
        Many m = many_;  // a local copy can live in registers
        double total = total_;
        for (u32 j = 0; j < size; ++j) {
            const u32 i = base + j, c = class_at(i);
            const Num w = weight_at(i);
            if constexpr (kZ) m.move(c, w, feed_.z[i]);
            else m.move(c, w);
            if constexpr (kWeighted) block.wl[j] = total += w;
            if constexpr (Many::costly && C::traits.box_corners)
                if (inside_run(i, c)) {
                    block.a[j] = block.b[j] = kNaN;
                    continue;
                }
            m.put(block.a[j], block.b[j]);
        }
        many_ = m;
        total_ = kWeighted ? total : total_ + size;
        block.cuts = size;
    }

    // Can any cut of the block reach the floor? Without branches, and without division where the
    // criterion has a way.
    bool may_win(const Block& block, double before, double floor) const {
        const Many& m = many_;
        auto outer_weight = [&](u32 j) {
            if constexpr (kWeighted) return block.wl[j];
            else return before + 1 + j;
        };
        if constexpr (requires { m.level(floor); }) {
            const double level = m.level(floor);
            u64 signs = ~u64{0};  // the sign bit stays set while every excess is negative
            if (block.thinned)
                for (u32 j = 0; j < block.cuts; ++j)
                    signs &= std::bit_cast<u64>(m.excess(block.a[j], block.b[j], before + 1 + block.at[j], level));
            else
                for (u32 j = 0; j < block.cuts; ++j)
                    signs &= std::bit_cast<u64>(m.excess(block.a[j], block.b[j], outer_weight(j), level));
            return signs >> 63 == 0;
        } else {
            bool any = false;
            for (u32 j = 0; j < block.cuts; ++j)
                any |= m.value(block.a[j], block.b[j], block.thinned ? before + 1 + block.at[j] : outer_weight(j)) >= floor;
            return any;
        }
    }

    // Mostly ties: only the places where a cut fits are kept. False if the rank bits do not show them.
    bool fill_thinned(u32 base, u32 size, Block& block) {
        const PackedColumn<E>& column = *feed_.from;
        if (column.ambiguous && !(column.counted && column.packing->rank_bits >= 8)) return false;
        const E* e = feed_.list.entries + base;
        const E rank = column.packing->rank_mask;
        const u32 inside = base + size < feed_.list.size ? size : size - 1;
        if (column.ambiguous) {
            // A step of a whole turn of the rank bits looks like none; then the sum of steps falls short.
            u64 steps = 0;
            const int shift = column.packing->rank_shift;
            for (u32 j = 0; j < inside; ++j) {
                const E from = run_.high ? e[j + 1] : e[j], to = run_.high ? e[j] : e[j + 1];
                steps += static_cast<E>((to & rank) - (from & rank)) >> shift;
            }
            auto value = [&](u32 i) { return column.column->value(feed_.row(i)); };
            if (static_cast<double>(steps) != std::fabs(value(base + inside) - value(base))) return false;
        }
        Many m = many_;
        u32 cuts = 0;
        auto keep = [&](u32 j, bool fits) {
            if constexpr (kCounts) m.move(class_at(base + j), 1);
            if (!Many::costly || fits) m.put(block.a[cuts], block.b[cuts]);
            block.at[cuts] = j;
            cuts += fits;
        };
        for (u32 j = 0; j < inside; ++j) keep(j, ((e[j] ^ e[j + 1]) & rank) != 0);
        if (inside < size) keep(inside, true);
        many_ = m;
        total_ += size;
        block.cuts = cuts;
        return true;
    }

    // Boundary points: a cut inside a run of single rows of one class never wins.
    bool inside_run(u32 i, u32 c) const {
        return i > run_.first && i + 1 < run_.last && !(min_weight_ > 0) && feed_.cls(i + 1) == c &&
               feed_.separates(i) && feed_.separates(i - 1) && feed_.separates(i + 1);
    }

    void add(u32 i) {
        const u32 c = class_at(i);
        const double w = static_cast<double>(weight_at(i));
        ws_.outer[c] += w;
        if constexpr (kZ) ws_.outer_z[c] += w * feed_.z[i];
    }

    // Counts a block once more, up to a cut that may win, and scores that cut plainly.
    void score(u32 base, u32 j, u32& done, double& outer_weight) {
        for (; done <= j; ++done) {
            add(base + done);
            outer_weight += static_cast<double>(weight_at(base + done));
        }
        for (std::size_t d = 0; d < node_.present.size(); ++d) {
            const u32 c = node_.present[d];
            ws_.left_w[d] = ws_.outer[c];
            ws_.right_w[d] = std::max(0.0, node_.weights[c] - ws_.outer[c]);
            if constexpr (kZ) {
                ws_.left_z[d] = ws_.outer_z[c];
                ws_.right_z[d] = sums_.total_z[c] - ws_.outer_z[c];
            }
        }
        const Side outer = kZ ? Side(ws_.left_w, ws_.left_z) : Side(ws_.left_w);
        const Side inner = kZ ? Side(ws_.right_w, ws_.right_z) : Side(ws_.right_w);
        const Gain gain = run_.high ? C::gain(inner, outer) : C::gain(outer, inner);
        offer_cut(feed_, run_, base + j, gain, std::min(outer_weight, node_.total - outer_weight), sink_);
    }

    const Node& node_;
    const Feed<E>& feed_;
    const Run& run_;
    const Sums& sums_;
    const CutSink& sink_;
    Workspace& ws_;
    double min_weight_;
    Many many_;
    double total_, slack_;
};

template <class C, class Num>
PlainMany<C, Num>::PlainMany(const Node& n, const Sums& s, bool h)
    : state(&workspace()), node(&n), sums(&s), high(h) {
    const std::size_t k = n.weights.size(), p = n.present.size();
    state->outer.resize(k);
    state->outer_z.resize(k);
    for (u32 c : n.present) {
        state->outer[c] = static_cast<Num>(s.start_w[c]);
        state->outer_z[c] = s.start_z.empty() ? 0.0 : s.start_z[c];
    }
    for (auto* v : {&state->left, &state->right, &state->left_z, &state->right_z}) v->resize(p);
}

template <class C, class Num>
void PlainMany<C, Num>::put(double& a, double& b) const {
    constexpr bool kZ = C::traits.projection || C::traits.regression;
    State& s = *state;
    for (std::size_t d = 0; d < node->present.size(); ++d) {
        const u32 c = node->present[d];
        s.left[d] = static_cast<double>(s.outer[c]);
        s.right[d] = std::max(0.0, node->weights[c] - s.left[d]);
        if constexpr (kZ) {
            s.left_z[d] = s.outer_z[c];
            s.right_z[d] = sums->total_z[c] - s.outer_z[c];
        }
    }
    const Side left = kZ ? Side(s.left, s.left_z) : Side(s.left);
    const Side right = kZ ? Side(s.right, s.right_z) : Side(s.right);
    a = high ? C::gain(right, left) : C::gain(left, right);
    b = 0;
}

}  // namespace bough
