// axis, linear: every node is solved again with the rest of the tree fixed, until nothing changes.
#include "grow/plan.hpp"
#include "grow/refiner.hpp"
#include "refine/alternation.hpp"
#include "refine/price.hpp"
#include "refine/rebuild.hpp"

namespace bough {

namespace {

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
        Moments moments = moments_of(how.data.table, how.data.target);
        if (settings_.linear) spread_values(how.data, moments);
        Alternation work(how, moments, settings, team);
        if (settings.price < 0)
            follow(work,
                   price_by_folds(how, kPrices,
                                  [&](const Refining& part, const Judge& judge) {
                                      Team own(part.plan.threads, part.budget);
                                      const Moments of_part = moments_of(part.data.table, part.data.target);
                                      Alternation trial(part, of_part, settings, own);
                                      follow(trial, std::size(kPrices) - 1,
                                             [&] { judge(trial.shape(), trial.losses().sharp()); });
                                  }),
                   [] {});
        else
            work.run(settings.price);
        work.keep_limits();
        return rebuild(how, work.shape().preorder(), moments);
    }

   private:
    // A tree at each price up to one, the next from the one before.
    template <class Then>
    static void follow(Alternation& work, std::size_t last, Then then) {
        for (std::size_t p = 0; p <= last; ++p) {
            p == 0 ? work.run(kPrices[0]) : work.go_on(kPrices[p]);
            then();
        }
    }

    // A sum spreads by the scores of a nominal column as much as their root of squares times this, if they do not
    // depend on how many rows a value has.
    static void spread_values(const Data& data, Moments& moments) {
        std::vector<double> weight;
        for (u32 c = 0; c < data.table.n_columns(); ++c) {
            const Column& x = data.table.columns[c];
            if (x.kind != ColumnKind::nominal) continue;
            weight.assign(x.n_values, 0.0);
            double total = 0, squares = 0;
            for (u32 row = 0; row < data.table.n_rows; ++row) {
                weight[static_cast<u32>(x.codes[row])] += data.target.weight(row);
                total += data.target.weight(row);
            }
            for (double w : weight) squares += w / total * (w / total);
            moments.spreads[c] = std::sqrt(squares);
        }
    }

    AlternationSettings settings_;
    u32 grow_;
};

RefinerPlugin plugin(const char* name, const char* doc, bool linear) {
    Info info{name, doc, "Carreira-Perpiñán & Tavallali 2018"};
    if (linear)
        info.params.push_back(
            {"terms", "most columns in a linear split; None: no limit", Param::Type::integer, 3, 1, 1e6, {"None"}});
    info.params.insert(
        info.params.end(),
        {{"price",
          "rows that a term of a split must save; 'cv': chosen by three-fold cross-validation",
          Param::Type::real,
          2,
          0,
          kInf,
          {"cv"}},
         choice_param("grow",
                      "levels: each level is refined before the next grows; once: the whole tree grows first; auto: "
                      "levels for classification, once for regression",
                      {"auto", "levels", "once"}),
         {"passes", "most passes over the tree per stage", Param::Type::integer, 20, 1, 1e6},
         {"min_value_rows", "fewest rows of a category that may be sent to a side of its own", Param::Type::integer, 5,
          1, 1e9}});
    return {info, [linear](const Params& p) { return std::make_unique<Alternate>(p, linear); }};
}

}  // namespace

void register_alternate(Registry& r) {
    r.refiners.push_back(plugin(
        "axis", "re-solves each node with the rest of the tree fixed: axis cuts and subsets of categories", false));
    r.refiners.push_back(plugin(
        "linear", "re-solves each node with the rest of the tree fixed: linear splits over a few columns", true));
}

}  // namespace bough
