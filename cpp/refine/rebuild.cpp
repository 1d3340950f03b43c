#include "refine/rebuild.hpp"

#include <algorithm>

#include "grow/accept.hpp"
#include "grow/plan.hpp"
#include "grow/records.hpp"
#include "refine/positions.hpp"
#include "score/sums.hpp"

namespace bough {

namespace {

class Rebuild {
   public:
    Rebuild(const Refining& how, std::span<const Split> splits, const Moments& moments)
        : how_(how),
          table_(how.data.table),
          target_(how.data.target),
          splits_(splits),
          moments_(moments),
          scorer_(Registry::find(Registry::get().criteria, how.plan.criterion).make(target_)),
          monotone_(how.plan.monotonic, how.plan.ruled),
          behind_(splits.size()) {
        const auto& unseen = how.plan.nominal.params;
        stops_ = unseen.contains("unseen") && unseen.at("unseen") == 1;
        for (u32 i = static_cast<u32>(splits.size()); i-- > 0;)
            behind_[i] = splits[i].kind == NodeKind::leaf ? i + 1 : behind_[behind_[i + 1]];
    }

    TreeParts run() {
        TreeWriter out = writer_for(table_, target_, how_.plan.missing);
        rows_.resize(table_.n_rows);
        for (u32 row = 0; row < table_.n_rows; ++row) rows_[row] = row;
        struct Open {
            u32 at, begin, n;
            ValueRange range;
        };
        std::vector<Open> stack{{0, 0, table_.n_rows, {}}};
        while (!stack.empty()) {
            how_.budget.poll();
            const Open o = stack.back();
            stack.pop_back();
            const std::span<u32> rows(rows_.data() + o.begin, o.n);
            Node node;
            measure(node, target_, rows);
            list_present(node, target_);
            auto leaf = [&] {
                node.rows = rows;
                if (monotone_.any()) node = monotone_.clipped(node, o.range, target_);
                out.leaf({node.n_rows, node.weights, {}, node.value, node.loss}, {});
            };
            if (splits_[o.at].kind == NodeKind::leaf) {
                leaf();
                continue;
            }
            Split split = splits_[o.at];
            const u32 left = divide(split, rows), second = behind_[o.at + 1];
            if (left == 0 || left == o.n) {
                stack.push_back({left == 0 ? second : o.at + 1, o.begin, o.n, o.range});
                continue;
            }
            std::vector<Node> children(2);
            for (u32 c : {0u, 1u}) {
                measure(children[c], target_, c == 0 ? rows.first(left) : rows.subspan(left));
                list_present(children[c], target_);
            }
            ValueRange ranges[2] = {o.range, o.range};
            if (monotone_.any()) {
                if (!monotone_.keeps(o.range, split, children)) {
                    leaf();
                    continue;
                }
                for (u32 c : {0u, 1u}) ranges[c] = monotone_.below(o.range, split, children, c);
            }
            const double gain = complete(split, node, rows, children);
            out.inner(split, gain, {node.n_rows}, {}, {});
            stack.push_back({second, o.begin + left, o.n - left, ranges[1]});
            stack.push_back({o.at + 1, o.begin, left, ranges[0]});
        }
        TreeParts parts = std::move(out).finish();
        if (!parts.term_counts.empty()) {
            if (moments_.centered) parts.centers = moments_.centers;
            parts.spreads = moments_.spreads;
        }
        return parts;
    }

   private:
    // Moves the rows of the left side to the front, both sides in order; returns how many they are.
    u32 divide(Split& split, std::span<u32> rows) {
        if (split.kind == NodeKind::subset) list_values(split, rows);
        const SplitView view = view_of(split, moments_.centers);
        spare_.clear();
        u32 left = 0;
        along_.assign(rows.size(), 0.0);
        auto put = [&](u32 i, bool goes_left, double z) {
            along_[goes_left ? left : rows.size() - 1 - spare_.size()] = z;
            goes_left ? void(rows[left++] = rows[i]) : spare_.push_back(rows[i]);
        };
        if (split.kind == NodeKind::subset) {
            for (u32 i = 0; i < rows.size(); ++i) put(i, answer(view, table_.columns, rows[i]) == 0, 0.0);
        } else {
            Positions(view, table_.columns)
                .each(
                    static_cast<u32>(rows.size()), [&](u32 i) { return rows[i]; },
                    [&](u32 i, double z) {
                        split.saw_missing |= is_missing(z);
                        if (is_missing(z))
                            put(i, view.without == 0, 0.0);
                        else
                            put(i, z <= split.cut, z - split.cut);
                    });
        }
        std::copy(spare_.begin(), spare_.end(), rows.begin() + left);
        std::reverse(along_.begin() + left, along_.end());
        return left;
    }

    // The values that are at the node, each with its side.
    void list_values(Split& split, std::span<const u32> rows) {
        const Column& column = table_.columns[split.column];
        std::vector<u8> side(column.n_values, split.other == 0), here(column.n_values, 0);
        for (std::size_t i = 0; i < split.values.size(); ++i) side[split.values[i]] = split.goes_left[i];
        for (u32 row : rows) here[static_cast<u32>(column.codes[row])] = 1;
        split.values.clear();
        split.goes_left.clear();
        for (u32 v = 0; v < column.n_values; ++v)
            if (here[v]) {
                split.values.push_back(v);
                split.goes_left.push_back(side[v]);
            }
    }

    // Where rows go whose value was not there, and the gain.
    double complete(Split& split, const Node& node, std::span<const u32> rows, std::span<const Node> children) {
        const bool heavier = left_is_heavier(children[0].total, children[1].total);
        if (split.kind == NodeKind::subset)
            split.other = stops_ ? kStopHere : heavier ? 0u : 1u;
        else if (!split.saw_missing)
            split.missing_left = heavier;
        SideSums sums(node, target_, 2);
        for (u32 i = 0; i < rows.size(); ++i) sums.add(i < children[0].n_rows ? 0 : 1, rows[i], along_[i]);
        const bool positions = scorer_->traits().projection || scorer_->traits().regression;
        return recorded_gain(*scorer_, node, children, scorer_->gain(sums.side(0, positions), sums.side(1, positions)));
    }

    const Refining& how_;
    const Table& table_;
    const Target& target_;
    std::span<const Split> splits_;
    const Moments& moments_;
    std::unique_ptr<Scorer> scorer_;
    const Monotone monotone_;
    std::vector<u32> behind_;  // of each node, the first one that is not below it
    bool stops_ = false;       // do rows with a value that was not at a node end there?
    std::vector<u32> rows_, spare_;
    std::vector<double> along_;  // of the rows of a node, left side first: how far behind the cut they are
};

}  // namespace

TreeParts rebuild(const Refining& how, std::span<const Split> splits, const Moments& moments) {
    return Rebuild(how, splits, moments).run();
}

}  // namespace bough
