// The sweep for any number of classes, weights and positions.
#pragma once

#include <functional>

#include "base/per_thread.hpp"
#include "score/feed.hpp"

namespace bough {

template <class C, bool kWeighted>
class ManySweep {
    static constexpr bool kZ = C::traits.projection;
    static constexpr bool kCounts = !kWeighted && !kZ;
    static constexpr bool kWindow = kHasWindow<C>;
    using Num = std::conditional_t<kCounts, i64, double>;
    using Many = ManyClasses<C, Num>;
    using Word = typename Many::Word;
    // Whole blocks can be passed over by their class counts.
    static constexpr bool kPasses =
        kCounts && requires(const Many& many, const Node& node, u32* moves) { many.bound(node, moves, 0.0, 0u); };
    static constexpr u32 kShort = 32;

   public:
    ManySweep(const C& criterion, const Node& node, const Feed& feed, const Run& run, const Sums& sums,
              const LeafLimits& limits, const CutSink& sink)
        : criterion_(criterion),
          node_(node),
          feed_(feed),
          run_(run),
          sums_(sums),
          sink_(sink),
          ws_(workspace()),
          standing_(sink.best->standing(sink.column)),
          allowed_(AllowedCuts::of_class(node, standing_, run.high)),
          ruled_(node.present[std::min<std::size_t>(node.ruled, node.present.size() - 1)]),
          min_weight_(kWeighted ? limits.min_weight : 0.0),
          many_(make_many<C, Num>(criterion, node, sums, run.high)),
          total_(sums.start_total) {
        ws_.outer = sums.start_w;
        if constexpr (kZ) ws_.outer_z = sums.start_z;
    }

    void run() {
        u32 begin = 0, end = run_.last;
        if constexpr (kWindow)
            if (!run_.inside && min_weight_ <= 0) find_window(begin, end);  // the best allowed cut may be beyond it
        for (u32 base = begin, size; base < end; base += size) {
            size = block_size(end - base);
            sweep_block(base, size);
        }
    }

   private:
    struct Workspace {
        std::vector<double> outer, outer_z, lanes;
        SidePair pair;
    };
    static Workspace& workspace() { return per_thread<Workspace, struct WorkspaceHere>(); }

    // Where one side is small a few rows more change much, and a long block could not be passed over: a block is no
    // longer than the smaller side.
    u32 block_size(u32 left) const {
        if constexpr (kPasses)
            if (node_.n_rows >= 4 * kShort) {
                const u32 outer = static_cast<u32>(total_), inner = node_.n_rows - outer;
                return std::min(std::clamp(std::min(outer, inner / 2), kShort, kBlock), left);
            }
        return std::min(kBlock, left);
    }

    Num weight_at(u32 i) const {
        if constexpr (kWindow)
            if (i < run_.counted) return 0;
        if constexpr (kWeighted)
            return feed_.weights[feed_.row(i)];
        else
            return Num{1};
    }

    // Keeps the entries that a cut inside the window ends with; what comes before them is summed up.
    void find_window(u32& begin, u32& end) {
        auto [low, high] = many_.window();
        const double blur = kPosition * (std::fabs(low) + std::fabs(high) + (high - low));
        low -= blur;
        high += blur;
        auto place = [&](double value) {  // entries on the outer side of `value`
            const double* from = feed_.z;
            const double* to = from + feed_.list.size;
            return static_cast<u32>(
                (run_.high ? std::lower_bound(from, to, value, std::greater<>()) : std::lower_bound(from, to, value)) -
                from);
        };
        u32 first = place(run_.high ? high : low), last = place(run_.high ? low : high);
        first = std::clamp(first > 0 ? first - 1 : 0, run_.first, run_.last - 1);
        last = std::clamp(last, run_.first, run_.last - 1);
        while (first > run_.first && !feed_.separates(first)) --first;
        while (last + 1 < run_.last && !feed_.separates(last)) ++last;
        add_first(first);
        many_.start(ws_.outer, ws_.outer_z);
        total_ = 0;
        for (u32 c : node_.present) total_ += ws_.outer[c];
        begin = first;
        end = last + 1;
    }

    // Adds the first n entries; many of them in four lanes that do not wait for each other.
    void add_first(u32 n) {
        constexpr u32 kLanes = 4, kMany = 256;
        if (n < kMany) {
            for (u32 i = 0; i < n; ++i) add(i);
            return;
        }
        const std::size_t k = node_.weights.size();
        ws_.lanes.assign(k * kLanes * 2, 0.0);
        double* l = ws_.lanes.data();
        for (u32 i = 0; i < n; ++i) {
            double* at = l + ((i & (kLanes - 1)) * k + feed_.cls(i)) * 2;
            const double w = static_cast<double>(weight_at(i));
            at[0] += w;
            at[1] += w * feed_.z[i];
        }
        for (std::size_t c = 0; c < k; ++c)
            for (u32 lane = 0; lane < kLanes; ++lane) {
                ws_.outer[c] += l[(lane * k + c) * 2];
                ws_.outer_z[c] += l[(lane * k + c) * 2 + 1];
            }
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
        slack_ = Many::slack(sink_.best->scale());
        const double floor = sink_.best->floor(standing_) - slack_;
        if constexpr (kPasses)
            if (size >= kShort && floor > 0 && skip_block(base, size, floor)) return;
        if constexpr (!kZ)
            for (u32 c : node_.present) ws_.outer[c] = many_.outer(c);
        const double before = total_;
        Block block;
        block.thinned = kCounts && feed_.from->heavy && fill_thinned(base, size, block);
        if (!block.thinned) fill(base, size, block);

        double shares[kBlock];  // what the class that rules are about weighs on the outer side, by entry
        if (!allowed_.all()) follow(base, size, shares);
        u32 done = 0;
        if (may_win(block, before, floor, shares)) {
            double exact = before;
            auto entry = [&](u32 j) { return block.thinned ? block.at[j] : j; };
            auto outer_weight = [&](u32 j) {
                if constexpr (kWeighted)
                    return block.wl[j];
                else
                    return before + 1 + entry(j);
            };
            pick<kBlock>(
                block.cuts, floor, slack_, [&](u32 j) { return many_.value(block.a[j], block.b[j], outer_weight(j)); },
                [&](u32 j) {
                    const double w = outer_weight(j);
                    if (min_weight_ > 0 && std::min(w, node_.total - w) < min_weight_) return Verdict::no;
                    if (base + entry(j) < run_.first || !feed_.separates(base + entry(j))) return Verdict::no;
                    return allowed_.all() ? Verdict::yes : allowed_.verdict(shares[entry(j)], w);
                },
                [&](u32 j) { score(base, entry(j), done, exact); });
        }
        if constexpr (kZ)
            for (; done < size; ++done) add(base + done);
    }

    // True if the class counts of the block alone show that none of its cuts can win.
    bool skip_block(u32 base, u32 size, double floor) {
        if (node_.weights.size() > kCountedClasses || std::min(total_, node_.total - total_ - size) < kShort / 2)
            return false;
        u32 counts[kCountedClasses], looked_up[kBlock];
        count_classes(feed_.classes(base, size, looked_up), size, node_.weights.size(), counts);
        if (many_.bound(node_, counts, total_, size) >= floor) return false;
        many_.skip(node_, counts);
        total_ += size;
        return true;
    }

    void fill(u32 base, u32 size, Block& block) {
        Many m = many_;  // a local copy can live in registers
        double total = total_;
        u32 looked_up[kBlock];
        const BlockClasses classes = feed_.classes(base, size, looked_up);
        for (u32 j = 0; j < size; ++j) {
            const u32 i = base + j, c = classes(j);
            const Num w = weight_at(i);
            if constexpr (kZ)
                m.move(c, w, feed_.z[i]);
            else
                m.move(c, w);
            if constexpr (kWeighted) block.wl[j] = total += w;
            m.put(block.a[j], block.b[j]);
        }
        many_ = m;
        total_ = kWeighted ? total : total_ + size;
        block.cuts = size;
    }

    // Can any cut of the block reach the floor? Without branches, and without division where the
    // criterion has a way.
    bool may_win(const Block& block, double before, double floor, const double* shares) const {
        const Many& m = many_;
        auto outer_weight = [&](u32 j) {
            if constexpr (kWeighted)
                return block.wl[j];
            else
                return before + 1 + j;
        };
        if constexpr (requires { m.level(floor); }) {
            const double level = m.level(floor);
            if (block.thinned)
                return any_allowed(
                    block.cuts,
                    [&, level](u32 j) { return m.excess(block.a[j], block.b[j], before + 1 + block.at[j], level); },
                    [&](u32 j) { return shares[block.at[j]]; }, [&](u32 j) { return before + 1 + block.at[j]; },
                    allowed_);
            return any_allowed(
                block.cuts, [&, level](u32 j) { return m.excess(block.a[j], block.b[j], outer_weight(j), level); },
                [=](u32 j) { return shares[j]; }, outer_weight, allowed_);
        } else {
            bool any = false;
            for (u32 j = 0; j < block.cuts; ++j)
                any |= m.value(block.a[j], block.b[j], block.thinned ? before + 1 + block.at[j] : outer_weight(j)) >=
                       floor;
            return any;
        }
    }

    // Mostly ties: only the places where a cut fits are kept. False if the rank bits do not show them.
    bool fill_thinned(u32 base, u32 size, Block& block) {
        const PackedColumn& column = *feed_.from;
        if (column.ambiguous && !(column.counted && column.packing->rank_bits >= 8)) return false;
        const u32* e = feed_.list.entries + base;
        const u32 rank = column.packing->rank_mask;
        const u32 inside = base + size < feed_.list.size ? size : size - 1;
        if (column.ambiguous) {
            // A step of a whole turn of the rank bits looks like none; then the sum of steps falls short.
            u64 steps = 0;
            const int shift = column.packing->rank_shift;
            for (u32 j = 0; j < inside; ++j) {
                const u32 from = run_.high ? e[j + 1] : e[j], to = run_.high ? e[j] : e[j + 1];
                steps += ((to & rank) - (from & rank)) >> shift;
            }
            auto value = [&](u32 i) { return column.column->value(feed_.row(i)); };
            if (static_cast<double>(steps) != std::fabs(value(base + inside) - value(base))) return false;
        }
        Many m = many_;
        u32 cuts = 0, looked_up[kBlock];
        const BlockClasses classes = feed_.classes(base, size, looked_up);
        auto keep = [&](u32 j, bool fits) {
            if constexpr (kCounts) m.move(classes(j), 1);
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

    // What the class that rules are about weighs after each entry of a block.
    void follow(u32 base, u32 size, double* to) const {
        double sum = ws_.outer[ruled_];
        for (u32 j = 0; j < size; ++j)
            to[j] = sum += feed_.cls(base + j) == ruled_ ? static_cast<double>(weight_at(base + j)) : 0.0;
    }

    void add(u32 i) {
        const u32 c = feed_.cls(i);
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
        const Gain gain = ws_.pair.gain(criterion_, node_, sums_, ws_.outer, ws_.outer_z, run_.high);
        offer_cut(feed_, run_, base + j, gain, std::min(outer_weight, node_.total - outer_weight), ws_.pair.values,
                  sink_);
    }

    const C& criterion_;
    const Node& node_;
    const Feed& feed_;
    const Run& run_;
    const Sums& sums_;
    const CutSink& sink_;
    Workspace& ws_;
    const Standing standing_;
    const AllowedCuts allowed_;
    const u32 ruled_;  // the class that rules are about, if it is here
    double min_weight_;
    Many many_;
    double total_, slack_ = 0;
};

}  // namespace bough
