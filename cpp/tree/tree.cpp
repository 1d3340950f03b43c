#include "tree/tree.hpp"

#include <algorithm>

namespace bough {

void TreeParts::append(const Split& s, double gain) {
    kinds.push_back(static_cast<u8>(s.kind));
    gains.push_back(gain);
    if (s.kind != NodeKind::linear) columns.push_back(s.column);
    if (s.kind == NodeKind::axis || s.kind == NodeKind::linear) {
        cuts.push_back(s.cut);
        missing.push_back(static_cast<u8>((s.missing_left ? 1 : 0) | (s.saw_missing ? 2 : 0)));
    } else {
        value_counts.push_back(static_cast<u32>(s.values.size()));
        values.insert(values.end(), s.values.begin(), s.values.end());
        value_left.insert(value_left.end(), s.goes_left.begin(), s.goes_left.end());
        others.push_back(s.other);
    }
    if (s.kind == NodeKind::linear) {
        term_counts.push_back(static_cast<u32>(s.term_columns.size()));
        term_columns.insert(term_columns.end(), s.term_columns.begin(), s.term_columns.end());
        term_weights.insert(term_weights.end(), s.term_weights.begin(), s.term_weights.end());
    }
}

Tree::Tree(TreeParts parts, Budget& budget) : parts_(std::move(parts)) {
    const std::string wrong = fault(parts_, budget);
    if (!wrong.empty()) throw std::invalid_argument(wrong);
    derive(budget);
    make_steps();
    make_linear_steps();
}

// Everything that follows from the parts: children, parents, sums of inner nodes.
void Tree::derive(Budget& budget) {
    const u32 n = n_nodes(), k = parts_.n_outputs();
    parents_.assign(n, kNone);
    order_.resize(n);
    std::vector<u32> sizes(n);
    Place at{};
    u32 inner = 0, leaf = 0;
    for (u32 i = 0; i < n; ++i) {
        if (i % 65536 == 0) budget.poll();
        const NodeKind kd = kind(i);
        if (kd == NodeKind::leaf) {
            order_[i] = leaf++;
            continue;
        }
        order_[i] = inner++;
        places_.push_back(at);
        sizes[i] = 2;
        if (kd != NodeKind::linear) ++at.column;
        if (kd == NodeKind::axis || kd == NodeKind::linear) {
            ++at.cut;
        } else {
            const u32 n_vals = parts_.value_counts[at.value++];
            at.value_pool += n_vals;
            if (kd == NodeKind::subset)
                at.side_pool += n_vals;
            else
                sizes[i] = n_vals;
        }
        if (kd == NodeKind::linear) at.term_pool += parts_.term_counts[at.term++];
        if (kd != NodeKind::axis) axis_only_ = false;
    }
    // Preorder: a node is the next child of the innermost ancestor that still waits for one.
    child_begin_.resize(n + 1);
    u32 sum = 0;
    for (u32 i = 0; i < n; ++i) child_begin_[i] = sum, sum += sizes[i];
    child_begin_[n] = sum;
    children_.resize(sum);
    std::vector<u32> filled(n, 0), open;
    for (u32 i = 0; i < n; ++i) {
        if (i % 65536 == 0) budget.poll();
        if (i > 0) {
            while (filled[open.back()] == sizes[open.back()]) open.pop_back();
            const u32 p = open.back();
            parents_[i] = p;
            children_[child_begin_[p] + filled[p]++] = i;
        }
        if (sizes[i]) open.push_back(i);
    }
    rows_.assign(n, 0);
    weights_.assign(std::size_t{n} * k, 0.0);
    const bool regression = parts_.n_classes == 0;
    if (regression) means_.assign(n, 0.0), spreads_.assign(n, 0.0);
    for (u32 i = n; i-- > 0;) {  // children stand behind their parent
        if (i % 65536 == 0) budget.poll();
        double* w = weights_.data() + std::size_t{i} * k;
        if (kind(i) == NodeKind::leaf) {
            const u32 l = order_[i];
            rows_[i] = parts_.leaf_rows[l];
            std::copy_n(parts_.leaf_weights.data() + std::size_t{l} * k, k, w);
            if (regression) means_[i] = parts_.leaf_means[l], spreads_[i] = parts_.leaf_spreads[l];
            continue;
        }
        for (u32 c : children(i)) {
            rows_[i] += rows_[c];
            for (u32 j = 0; j < k; ++j) w[j] += weights_[std::size_t{c} * k + j];
        }
        if (!regression) continue;
        const double origin = means_[children(i)[0]];
        double shift = 0;
        for (u32 c : children(i)) shift += weights_[c] / w[0] * (means_[c] - origin);
        means_[i] = origin + shift;
        if (!std::isfinite(means_[i])) {  // the children are too far apart for a difference
            means_[i] = 0;
            for (u32 c : children(i)) means_[i] += weights_[c] / w[0] * means_[c];
        }
        for (u32 c : children(i)) {
            const double d = means_[c] - means_[i];
            spreads_[i] = std::min(spreads_[i] + spreads_[c] + weights_[c] * d * d, 1.7e308);
        }
    }
}

u32 Tree::max_depth() const {
    std::vector<u32> depth(n_nodes(), 0);
    u32 most = 0;
    for (u32 i = 1; i < n_nodes(); ++i) {
        depth[i] = depth[parents_[i]] + 1;
        most = std::max(most, depth[i]);
    }
    return most;
}

Split Tree::split(u32 node) const {
    Split s;
    s.kind = kind(node);
    if (s.kind == NodeKind::leaf) return s;
    const Place& at = places_[order_[node]];
    if (s.kind != NodeKind::linear) s.column = parts_.columns[at.column];
    if (s.kind == NodeKind::axis || s.kind == NodeKind::linear) {
        s.cut = parts_.cuts[at.cut];
        s.missing_left = parts_.missing[at.cut] & 1;
        s.saw_missing = parts_.missing[at.cut] & 2;
    }
    if (s.kind == NodeKind::linear) {
        const u32 n = parts_.term_counts[at.term];
        s.term_columns.assign(parts_.term_columns.begin() + at.term_pool,
                              parts_.term_columns.begin() + at.term_pool + n);
        s.term_weights.assign(parts_.term_weights.begin() + at.term_pool,
                              parts_.term_weights.begin() + at.term_pool + n);
    }
    if (s.kind == NodeKind::subset || s.kind == NodeKind::multiway) {
        const u32 n = parts_.value_counts[at.value];
        s.values.assign(parts_.values.begin() + at.value_pool, parts_.values.begin() + at.value_pool + n);
        s.other = parts_.others[at.value];
        if (s.kind == NodeKind::subset)
            s.goes_left.assign(parts_.value_left.begin() + at.side_pool, parts_.value_left.begin() + at.side_pool + n);
    }
    return s;
}

}  // namespace bough
