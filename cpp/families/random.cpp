// random: a random column and a random threshold between its smallest and largest value.
#include "grow/family.hpp"
#include "score/sums.hpp"

namespace bough {

namespace {

class Random final : public Family {
   public:
    Random(const Problem& problem, const Params& params)
        : problem_(problem), tries_(params.count("candidates")), numeric_(problem.table->of(ColumnKind::numeric)) {}

    void propose(const Node& node, NodeState*, Worker&, Best& best) override {
        Rng rng = Rng::at(problem_.seed, node.path);
        std::vector<u32> columns;
        for (u32 c : numeric_)
            if (node.allows(c)) columns.push_back(c);
        // Columns are drawn without repetition; those with one value do not count.
        for (u32 drawn = 0; drawn < tries_ && !columns.empty();) {
            problem_.budget->poll();
            const u32 i = rng.below(static_cast<u32>(columns.size()));
            const u32 column = columns[i];
            columns[i] = columns.back();
            columns.pop_back();
            drawn += propose_column(node, column, rng, best);
        }
    }

   private:
    // False if the column does not vary here.
    bool propose_column(const Node& node, u32 column, Rng& rng, Best& best) const {
        const Column& x = problem_.table->columns[column];
        double low = kInf, high = -kInf;
        for (u32 row : node.rows) {
            const double v = x.value(row);
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        if (!(low < high)) return false;
        const double u = rng.uniform();
        double cut = low * (1 - u) + high * u;  // high − low may be too large for a number
        if (!(cut >= low && cut < high)) cut = low;
        for (const bool missing_left : {false, true}) {
            Split split;
            split.kind = NodeKind::axis;
            split.column = column;
            split.cut = cut;
            split.missing_left = missing_left;
            SideSums sums(node, *problem_.target, 2);
            const double center = problem_.scorer->traits().projection ? mean(node, x) : 0.0;
            for (u32 row : node.rows) {
                const double v = x.value(row);
                split.saw_missing |= is_missing(v);
                const bool left = is_missing(v) ? missing_left : v <= cut;
                sums.add(left ? 0 : 1, row, is_missing(v) ? 0.0 : v - center);
            }
            sums.offer(*problem_.scorer, problem_.limits, split, column, missing_left ? 0 : 1, index, best);
            if (!split.saw_missing) break;
        }
        return true;
    }
    double mean(const Node& node, const Column& x) const {
        double sum = 0, weight = 0;
        for (u32 row : node.rows) {
            const double v = x.value(row), w = problem_.target->weight(row);
            if (!is_missing(v)) sum += w * v, weight += w;
        }
        return sum / weight;
    }

    const Problem problem_;
    u32 tries_;
    std::vector<u32> numeric_;
};

}  // namespace

void register_random(Registry& r) {
    r.splits.push_back({{"random",
                         "a random column, a random threshold between its least and greatest value",
                         "Geurts et al. 2006; SCC.461 report 2020",
                         {{"candidates", "how many columns are drawn; the best of their thresholds wins",
                           Param::Type::integer, 1, 1, 1e6}}},
                        [](const Problem& p, const Params& params) { return std::make_unique<Random>(p, params); }});
}

}  // namespace bough
