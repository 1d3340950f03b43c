#include "tree/mean.hpp"

#include <algorithm>
#include <optional>

namespace bough {

void add_tree(const Tree& tree, std::span<const Column> columns, u64 begin, u64 end, bool missing, double rate,
              double* to, u64 stride, std::vector<u32>& nodes) {
    if (tree.missing() == Missing::shared) {
        std::vector<Reached> found;
        for (u64 row = begin; row < end; ++row, to += stride) {
            tree.reach(columns, row, found);
            double sum = 0;
            for (const Reached& r : found) sum += r.ends ? r.share * tree.mean(r.node) : 0.0;
            *to += rate * sum;
        }
        return;
    }
    nodes.resize(end - begin);
    tree.apply(columns, begin, end, nodes.data(), missing);
    for (u32 node : nodes) *to += rate * tree.mean(node), to += stride;
}

MeanOfTrees::MeanOfTrees(std::vector<const Tree*> trees, std::vector<std::vector<double>> values, Stages stages)
    : trees_(!trees.empty() ? std::move(trees) : throw std::invalid_argument("a mean needs at least one tree")),
      values_(std::move(values)),
      packed_(trees_),
      stages_(std::move(stages)) {
    n_outputs_ = stages_.start.empty() ? parts().n_outputs() : static_cast<u32>(stages_.start.size());
    for (const Tree* t : trees_)
        if (t->parts().n_classes != parts().n_classes || t->parts().n_values != parts().n_values)
            throw std::invalid_argument("the trees are not of one table");
    if (!values_.empty() && values_.size() != trees_.size()) throw std::invalid_argument("values are not of all trees");
    for (std::size_t t = 0; t < values_.size(); ++t)
        if (values_[t].size() != std::size_t{trees_[t]->n_nodes()} * n_outputs_)
            throw std::invalid_argument("values are not one for each output of each node");
    if (!stages_.start.empty() && (parts().n_classes != 0 || trees_.size() % n_outputs_ != 0))
        throw std::invalid_argument("boosted trees predict numbers, one for each output in every round");
    if (!values_.empty() || parts().n_classes == 0) return;
    for (const Tree* t : trees_) add_shares(*t);
}

void MeanOfTrees::add_shares(const Tree& tree) {
    Stakes& a = stakes_.emplace_back();
    a.by_node.assign(tree.n_nodes(), kNone);
    for (u32 node = 0; node < tree.n_nodes(); ++node) {
        if (tree.kind(node) == NodeKind::axis && tree.missing() == Missing::either) continue;  // no row ends there
        u32 from = node;  // where no training row came, the nearest node above speaks that has some; the root has
        while (tree.weights(from).sum() == 0) from = tree.parent(from);
        if (a.by_node[from] == kNone) a.by_node[from] = shares_at(tree, from, a);
        a.by_node[node] = a.by_node[from];
    }
}

// Where the shares of a node with rows are, or its only class.
u32 MeanOfTrees::shares_at(const Tree& tree, u32 node, Stakes& to) const {
    const ClassWeights weights = tree.weights(node);
    u32 present = 0, last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] > 0) ++present, last = weights.id(i);
    if (present == 1) return last;
    const u32 place = n_outputs_ + static_cast<u32>(to.begin.size() - 1);
    const double total = weights.sum();
    for (double w : weights) to.pool.push_back(w / total);
    to.classes.insert(to.classes.end(), weights.classes().begin(), weights.classes().end());
    to.begin.push_back(to.pool.size());
    return place;
}

u64 MeanOfTrees::rows_at_once() const {
    const u64 d = std::max<u32>(1, parts().n_columns);
    // A tree looks at little of a wide row: few of them are to stay in a cache. Narrow ones are read one after the
    // other from wherever they are, and the more there are, the less often trees come into the cache.
    constexpr u64 kWide = 256, kFew = 1u << 17, kMany = 1u << 20;  // columns; numbers
    return std::clamp<u64>((d > kWide ? kFew : kMany) / d, 64, 1 << 14);
}

void MeanOfTrees::predict(std::span<const Column> columns, u64 begin, u64 end, double* out, bool missing) const {
    const u32 k = n_outputs_;
    const u64 n = end - begin;
    const bool boosted = !stages_.start.empty();
    std::vector<u32> nodes(n);
    std::fill(out, out + n * k, 0.0);
    for (u64 i = 0; boosted && i < n; ++i) std::copy_n(stages_.start.data(), k, out + i * k);
    std::optional<PackedForest::Rows> packed;
    if (!packed_.empty() && !missing) packed = packed_.rows(columns, begin, end);
    for (std::size_t t = 0; t < trees_.size(); ++t) {
        const Tree& tree = *trees_[t];
        if (boosted && !packed) {
            add_tree(tree, columns, begin, end, missing, stages_.rate, out + t % k, k, nodes);
            continue;
        }
        if (packed)
            packed_.apply(t, tree, *packed, nodes.data());
        else
            tree.apply(columns, begin, end, nodes.data(), missing);
        double* to = out;
        if (boosted) {
            to += t % k;
            for (const double rate = stages_.rate; u32 node : nodes) *to += rate * tree.mean(node), to += k;
        } else if (!values_.empty()) {
            for (u32 node : nodes) {
                const double* from = values_[t].data() + std::size_t{node} * k;
                for (u32 c = 0; c < k; ++c) to[c] += from[c];
                to += k;
            }
        } else if (stakes_.empty()) {
            for (u32 node : nodes) *to++ += tree.mean(node);
        } else {
            const Stakes& a = stakes_[t];
            for (u32 node : nodes) {
                const u32 place = a.by_node[node];
                if (place < k) {
                    to[place] += 1;
                } else {
                    const u64 begin = a.begin[place - k], n = a.begin[place - k + 1] - begin;
                    const double* from = a.pool.data() + begin;
                    if (a.classes.empty())
                        for (u32 c = 0; c < k; ++c) to[c] += from[c];
                    else
                        for (u64 i = 0; i < n; ++i) to[a.classes[begin + i]] += from[i];
                }
                to += k;
            }
        }
    }
    if (!boosted && trees_.size() > 1)
        for (u64 i = 0; i < n * k; ++i) out[i] /= static_cast<double>(trees_.size());
}

}  // namespace bough
