// average_gain: of the columns whose best split tells at least as much as the mean of all columns' best splits, the one
// of the best gain ratio. Columns of very many values do not count in the mean.
#include "base/slack.hpp"
#include "grow/selector.hpp"

namespace bough {

namespace {

constexpr double kMany = 0.3;  // values for each row of the table from which on a column does not count

class AverageGain final : public Selector {
   public:
    explicit AverageGain(const Problem& problem) : problem_(problem) {
        for (u32 c = 0; c < problem.table->n_columns(); ++c) all_many_ &= many(c);
    }
    bool select(const Node& node, Worker&, Selection&) override {
        double most = 0;
        for (double w : node.weights) most = std::max(most, w);
        return node.total - most > kEqual;  // not all the weight in one class
    }
    bool compares() const override { return true; }

    const Candidate* choose(const Node& node, std::span<const ColumnBest> found) const override {
        double sum = 0;
        u32 counted = 0;
        for (const ColumnBest& t : found)
            if (all_many_ || !many(t.best.key.column)) sum += information(node, t), ++counted;
        if (counted == 0) return nullptr;
        const Candidate* best = nullptr;
        double top = 0;
        for (const ColumnBest& t : found) {
            const double ratio = static_cast<double>(t.best.gain);
            if (information(node, t) < sum / counted - kBelow || !(ratio > top + kEqual)) continue;
            best = &t.best;
            top = ratio;
        }
        return best;
    }

   private:
    bool many(u32 column) const {
        const Column& c = problem_.table->columns[column];
        return c.kind == ColumnKind::nominal && c.n_values >= kMany * problem_.full->n_rows();
    }
    // Bits that a split tells: as its family says, or from its ratio and its two sides.
    static double information(const Node& node, const ColumnBest& t) {
        if (!is_missing(t.bits)) return t.bits;
        const double p = t.best.balance / node.total;
        return p > 0 ? static_cast<double>(t.best.gain) * -(p * std::log2(p) + (1 - p) * std::log2(1 - p)) : 0.0;
    }

    const Problem problem_;
    bool all_many_ = true;
};

}  // namespace

void register_average_gain(Registry& r) {
    r.selectors.push_back({{"average_gain",
                            "the best gain ratio among columns whose gain is not below the mean",
                            "Quinlan 1993 (C4.5), as J48 computes it",
                            {{"collapse", "whether subtrees that save no training errors become leaves before pruning",
                              Param::Type::flag, 1}}},
                           [](const Problem& p, const Params&) { return std::make_unique<AverageGain>(p); },
                           true});
}

}  // namespace bough
