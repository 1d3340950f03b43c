// axis, linear: every node is solved again with the rest of the tree fixed, until nothing changes.
#include <algorithm>

#include "base/rng.hpp"
#include "grow/plan.hpp"
#include "grow/refiner.hpp"
#include "refine/alternation.hpp"
#include "refine/rebuild.hpp"

namespace bough {

namespace {

constexpr double kPrices[] = {0.5, 1, 2, 4, 8, 16, 32, 64};  // that cross-validation chooses from
constexpr u32 kFolds = 3;

enum Grow : u32 { kAuto, kLevels, kOnce };

class Alternate final : public Refiner {
   public:
    Alternate(const Params& params, bool linear) : grow_(params.count("grow")) {
        settings_.linear = linear;
        if (linear) settings_.terms = params.get("terms") < 0 ? kNone : params.count("terms");
        settings_.price = params.get("price");
        settings_.passes = params.count("passes");
        settings_.min_value_rows = params.count("min_value_rows");
    }
    u32 passes() const override { return 12; }

    TreeParts refine(const Refining& how) const override {
        AlternationSettings settings = settings_;
        settings.levels = grow_ == kLevels || (grow_ == kAuto && !how.data.target.regression());
        Team team(how.plan.threads, how.budget);
        const Moments moments = moments_of(how.data.table, how.data.target);
        Alternation work(how, moments, settings, team);
        if (settings.price < 0)
            follow(work, chosen(how, settings));
        else
            work.run(settings.price);
        work.keep_limits();
        return rebuild(how, work.shape().preorder(), moments);
    }

   private:
    // A tree at each price up to one, the next from the one before.
    static void follow(Alternation& work, std::size_t last) {
        work.run(kPrices[0]);
        for (std::size_t p = 1; p <= last; ++p) work.go_on(kPrices[p]);
    }

    // The place of the price whose trees cost least on rows that they have not seen; the highest of equals.
    static std::size_t chosen(const Refining& how, const AlternationSettings& settings) {
        const std::vector<u32> fold = folds_of(how);
        std::vector<double> cost(std::size(kPrices), 0.0);
        for (u32 f = 0; f < kFolds; ++f) {
            std::vector<u32> seen, held;
            for (u32 row = 0; row < fold.size(); ++row) (fold[row] == f ? held : seen).push_back(row);
            if (seen.empty()) continue;
            Sample sample;
            sample.whole = false;
            sample.rows = seen;
            Data data = how.data;
            std::vector<double> own;  // a sample has no weights but those in splits
            const Drawn drawn(data, sample, how.budget);
            data = drawn.data();
            for (u32 row : seen)
                if (!how.data.target.own.empty()) own.push_back(how.data.target.own[row]);
            data.target.own = own;
            Refinement unread;
            const Refining part{data, how.whole, how.plan, how.budget, unread};
            Team team(how.plan.threads, how.budget);
            const Moments moments = moments_of(data.table, data.target);
            Alternation work(part, moments, settings, team);
            Losses losses(how.data.target, how.data.table.n_rows);
            for (std::size_t p = 0; p < std::size(kPrices); ++p) {
                if (p == 0)
                    work.run(kPrices[0]);
                else
                    work.go_on(kPrices[p]);
                cost[p] += held_out(how, work, moments, held, losses);
            }
        }
        std::size_t best = 0;
        for (std::size_t p = 1; p < cost.size(); ++p)
            if (cost[p] <= cost[best] * (1 + kErrors)) best = p;
        return best;
    }

    static double held_out(const Refining& how, const Alternation& work, const Moments& moments,
                           std::span<const u32> held, Losses& losses) {
        Shape shape(how.data.table, moments);  // the same tree over all rows
        shape.take(work.shape());
        losses.use_sharp(work.losses().sharp());
        double sum = 0;
        for (u32 row : held) sum += losses.of(row, shape[shape.leaf_of(0, row)].value);
        return sum;
    }

    // The fold of each row, drawn; each class is spread over all of them.
    static std::vector<u32> folds_of(const Refining& how) {
        const u32 n = how.data.table.n_rows;
        std::vector<std::pair<u64, u32>> order(n);
        for (u32 row = 0; row < n; ++row) order[row] = {Rng::at(how.plan.seed, row).next(), row};
        std::sort(order.begin(), order.end());
        if (!how.data.target.regression())
            std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
                return how.data.target.classes[a.second] < how.data.target.classes[b.second];
            });
        std::vector<u32> fold(n);
        for (u32 i = 0; i < n; ++i) fold[order[i].second] = i % kFolds;
        return fold;
    }

    AlternationSettings settings_;
    u32 grow_;
};

RefinerPlugin plugin(const char* name, const char* doc, bool linear) {
    Info info{name, doc, "Carreira-Perpiñán & Tavallali 2018"};
    if (linear)
        info.params.push_back(
            {"terms", "columns of a linear split at most; None: no limit", Param::Type::integer, 3, 1, 1e6, {"None"}});
    info.params.insert(
        info.params.end(),
        {{"price",
          "rows that a term of a split must save; 'cv': chosen by cross-validation in three folds",
          Param::Type::real,
          2,
          0,
          kInf,
          {"cv"}},
         {"grow",
          "levels: each level is refined before the next grows; once: the whole tree grows first; auto: levels "
          "for classes, once for numbers",
          Param::Type::choice,
          0,
          -kInf,
          kInf,
          {"auto", "levels", "once"}},
         {"passes", "passes over the tree in one stage at most", Param::Type::integer, 20, 1, 1e6},
         {"min_value_rows", "rows of a nominal value that may go to a side of its own", Param::Type::integer, 5, 1,
          1e9}});
    return {info, [linear](const Params& p) { return std::make_unique<Alternate>(p, linear); }};
}

}  // namespace

void register_alternate(Registry& r) {
    r.refiners.push_back(
        plugin("axis", "each node is solved again with the rest of the tree fixed: cuts and subsets", false));
    r.refiners.push_back(plugin("linear", "the same with linear splits of few columns", true));
}

}  // namespace bough
