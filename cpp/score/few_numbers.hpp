// Few rows with a numeric target. Cheap gains are made from exact sums, too, of integers with fewer bits than those of
// the plain ones, so that both differ by the rounding of their last steps, and a tie is sure unless it is a tie by a
// hair.
#pragma once

#include "base/per_thread.hpp"
#include "score/few.hpp"
#include "score/sweep_numbers.hpp"

namespace bough {

template <class C>
class FewNumbers final : public FewCuts {
   public:
    void cuts(const Node& node, const FewLists& given, const LeafLimits& limits, u32 family,
              Best& best) const override {
        const u32 n = node.n_rows, first = limits.least_rows(false) - 1;
        double factors[kMost];
        for (u32 i = 0; i + 1 < n; ++i) factors[i] = C::Numbers::factor(i + 1.0, n);
        auto& gains = per_thread<std::vector<double>, struct GainsHere>();  // by list and cut; of each list
        auto& tops = per_thread<std::vector<double>, struct TopsHere>();
        const auto lists = given.lists;
        gains.resize(std::max(gains.size(), lists.size() * n));
        tops.resize(std::max(tops.size(), lists.size()));
        auto& unsure = per_thread<std::vector<u8>, struct UnsureHere>();  // of each list: may its best be forbidden?
        unsure.resize(tops.size());
        double top = -1;  // of those that are allowed for sure
        std::size_t swept = 0;
        bool doubt = !given.all, any = false, free = false;
        while (swept < lists.size()) {
            const FewLists::One& one = lists[swept];
            tops[swept] = sweep(one.list, given, first, n, factors, gains.data() + swept * n);
            const Standing standing = best.standing(one.column);
            unsure[swept] = 0;
            if (standing.sign != 0 || standing.price > 0)
                unsure[swept] =
                    judged(standing, one, given, first, n, node, gains.data() + swept * n, tops[swept], top);
            else
                top = std::max(top, tops[swept]);
            any |= tops[swept] >= 0;
            free |= tops[swept] >= 0 && standing.price == 0 && !unsure[swept];
            ++swept;
            // Two rows are parted in one way only: by the first column that can and costs nothing.
            if (n == 2 && free && (swept == lists.size() || lists[swept].column != one.column)) break;
        }
        if (!any) return;
        const double scale = std::max(top, static_cast<double>(C::unit(node)));
        // Below the least normal numbers there is no share of anything: all are scored.
        const bool clear = scale > kTinyProduct;
        const double near = clear ? std::max(0.0, top - (kTie + kLastSteps) * scale) : 0.0;
        const double sure = clear ? top - (kTie - kLastSteps) * scale : kInf;
        std::size_t won = 0;
        u32 cut = 0, balance = 0;
        for (std::size_t l = 0; l < swept; ++l) {
            if (tops[l] < near) continue;
            for (u32 i = first, end = last(lists[l].list, first, n); i < end; ++i) {
                const double gain = gains[l * n + i];
                if (gain < near) continue;
                doubt |= gain < sure || unsure[l];
                const u32 lighter = std::min(i + 1, n - i - 1);
                // The lowest threshold of the first column, and of a list from the high end that is the last.
                if (lighter > balance || (lighter == balance && lists[l].high && won == l)) {
                    balance = lighter;
                    won = l;
                    cut = i;
                }
            }
        }
        if (!doubt) return score(node, given, won, cut, family, best);
        for (std::size_t l = 0; l < swept; ++l)
            for (u32 i = first, end = last(lists[l].list, first, n); tops[l] >= near && i < end; ++i)
                if (gains[l * n + i] >= near) score(node, given, l, i, family, best);
    }

   private:
    static u32 last(const PackedList& list, u32 first, u32 n) {
        return n > 2 * first + 1 ? std::min(list.size, n - first - 1) : 0;
    }

    // The gains of the cuts of a list, −1 where there is no room for one, and the largest.
    static double sweep(const PackedList& list, const FewLists& given, u32 first, u32 n, const double* factors,
                        double* gains) {
        const u32 row_mask = given.packing->row_mask, rank_mask = given.packing->rank_mask;
        const u32 *e = list.entries, end = last(list, first, n), inner = std::min(end, list.size - 1);
        const i64* distances = given.distances;
        const double unit = given.unit;
        auto gain_of = [=](i64 sum, u32 i) {
            const double x = static_cast<double>(sum) * unit;
            return x * x * factors[i];
        };
        i64 sum = 0;
        double top = -1;
        for (u32 i = 0; i < std::min(first, end); ++i) sum += distances[e[i] & row_mask];
        for (u32 i = first; i < inner; ++i) {
            sum += distances[e[i] & row_mask];
            const double gain = (e[i] ^ e[i + 1]) & rank_mask ? gain_of(sum, i) : -1;
            gains[i] = gain;
            top = gain > top ? gain : top;
        }
        if (end > std::max(inner, first)) {  // between the last of the list and what is not in it
            sum += distances[e[inner] & row_mask];
            gains[inner] = gain_of(sum, inner);
            top = std::max(top, gains[inner]);
        }
        return top;
    }

    // Takes the price off the gains of a list, and those away that a rule forbids; `most` is the largest that is left,
    // `top` that of all lists that is allowed for sure. Is one left that may not be?
    static bool judged(const Standing& standing, const FewLists::One& one, const FewLists& given, u32 first, u32 n,
                       const Node& node, double* gains, double& most, double& top) {
        const AllowedCuts allowed = AllowedCuts::of_numbers(node, standing, one.high);
        const double slack = kLastSteps * static_cast<double>(C::unit(node));
        bool unsure = false;
        most = -1;
        i64 sum = 0;
        for (u32 i = 0, end = last(one.list, first, n); i < end; ++i) {
            sum += given.distances[one.list.entries[i] & given.packing->row_mask];
            if (i < first || gains[i] < 0) continue;
            const Verdict verdict = allowed.verdict(static_cast<double>(sum) * given.unit, i + 1);
            gains[i] = verdict == Verdict::no ? -1 : std::max(gains[i] - standing.price, -1.0);
            most = std::max(most, gains[i]);
            if (verdict == Verdict::yes && standing.pays(gains[i] - slack))
                top = std::max(top, gains[i]);
            else
                unsure |= gains[i] >= 0;
        }
        return unsure;
    }

    static void score(const Node& node, const FewLists& given, std::size_t l, u32 cut, u32 family, Best& best) {
        const FewLists::One& one = given.lists[l];
        ExactSum outer;
        for (u32 i = 0; i <= cut; ++i)
            node.image.add(given.numbers[one.list.entries[i] & given.packing->row_mask], outer);
        Run run;
        run.high = one.high;
        offer_numbers<C>(node, Feed{nullptr, one.list, nullptr, nullptr}, run, cut, outer, {&best, one.column, family});
    }
};

}  // namespace bough
