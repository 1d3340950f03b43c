#include "tree/tree.hpp"

#include <algorithm>

namespace bough {

Tree::Tree(TreeParts parts, Budget& budget) : parts_(std::move(parts)) {
    const std::string wrong = fault(parts_, budget);
    if (!wrong.empty()) throw std::invalid_argument(wrong);
    derive(budget);
    derive_missing();
    make_steps();
}

// Everything that follows from the parts: children, parents, sums of inner nodes.
void Tree::derive(Budget& budget) {
    const bool listed = parts_.lists_classes();
    const u32 n = n_nodes(), k = listed ? 0 : parts_.n_outputs();
    parents_.assign(n, kNone);
    order_.resize(n);
    std::vector<u32> sizes(n);
    Place at{};
    const bool by_surrogates = missing() == Missing::surrogate;
    n_inner_ = static_cast<u32>(parts_.gains.size());
    const bool only_cuts =
        parts_.term_counts.empty() && parts_.value_counts.empty() && parts_.leaf_rows.size() == n_leaves();
    if (!only_cuts) places_.reserve(n_inner_);
    u32 inner = 0, end = 0;
    u64 entries = 0;
    auto list = [&] { entries += listed ? parts_.leaf_counts[end] : 0, ++end; };
    for (u32 i = 0; i < n; ++i) {
        if (i % 65536 == 0) budget.poll();
        const NodeKind kd = kind(i);
        if (listed) listed_before_.push_back(entries);
        if (kd == NodeKind::leaf) {
            order_[i] = end;
            list();
            continue;
        }
        order_[i] = inner++;
        const bool by_cut = kd == NodeKind::axis || kd == NodeKind::linear;
        const bool ends = by_cut ? parts_.missing[at.cut] & 8 : by_surrogates && parts_.others[at.value] == kStopHere;
        at.end = ends ? end : kNone;
        if (ends) list();
        if (!only_cuts) places_.push_back(at);
        sizes[i] = 2;
        if (kd != NodeKind::linear) ++at.column;
        if (by_cut) {
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
    if (listed) {
        listed_before_.push_back(entries);
        behind_.resize(n);
        for (u32 i = n; i-- > 0;) behind_[i] = children(i).empty() ? i + 1 : behind_[children(i).back()];
    }
    if (!parts_.line_counts.empty()) {
        line_begin_.resize(n);
        for (u32 i = 1; i < n; ++i) line_begin_[i] = line_begin_[i - 1] + parts_.line_counts[i - 1];
    }
    rows_.assign(n, 0);
    weights_.assign(std::size_t{n_inner_} * k, 0.0);
    const bool regression = parts_.n_classes == 0;
    if (regression) means_.assign(n, 0.0), spreads_.assign(n, 0.0);
    std::vector<EndSums> parts;
    for (u32 i = n; i-- > 0;) {  // children stand behind their parent
        if (i % 65536 == 0) budget.poll();
        if (kind(i) == NodeKind::leaf) {
            const u32 l = order_[i];
            rows_[i] = parts_.leaf_rows[l];
            if (regression) means_[i] = parts_.leaf_means[l], spreads_[i] = parts_.leaf_spreads[l];
            continue;
        }
        if (!parts_.inner_rows.empty()) rows_[i] = parts_.inner_rows[order_[i]];
        double* w = weights_.data() + std::size_t{order_[i]} * k;
        parts.clear();
        for (u32 c : children(i)) {
            parts.push_back({rows_[c], {weights_of(c, k), k}});
            if (regression) parts.back().mean = means_[c], parts.back().spread = spreads_[c];
        }
        if (EndSums own = stayed(i); own.rows > 0) parts.push_back(own);
        for (const EndSums& p : parts) {
            if (parts_.inner_rows.empty()) rows_[i] += p.rows;
            for (u32 j = 0; j < k; ++j) w[j] += p.weights[j];
        }
        if (!regression) continue;
        if (!parts_.inner_means.empty()) {
            means_[i] = parts_.inner_means[order_[i]];
            spreads_[i] = parts_.inner_spreads[order_[i]];
            continue;
        }
        const double origin = parts[0].mean;
        double shift = 0;
        for (const EndSums& p : parts) shift += p.weights[0] / w[0] * (p.mean - origin);
        means_[i] = origin + shift;
        if (!std::isfinite(means_[i])) {  // the children are too far apart for a difference
            means_[i] = 0;
            for (const EndSums& p : parts) means_[i] += p.weights[0] / w[0] * p.mean;
        }
        for (const EndSums& p : parts) {
            const double d = p.mean - means_[i];
            spreads_[i] = std::min(spreads_[i] + p.spread + p.weights[0] * d * d, 1.7e308);
        }
    }
    if (!parts_.line_errors.empty()) spreads_ = parts_.line_errors;
}

std::optional<NodeLines> Tree::lines(u32 node) const {
    if (line_begin_.empty()) return {};
    const TreeParts& p = parts_;
    const auto of = [&](const auto& list) {
        const auto begin = list.begin() + line_begin_[node];
        return std::vector(begin, begin + p.line_counts[node]);
    };
    return NodeLines{p.line_offsets[node], of(p.line_columns), of(p.line_slopes),  of(p.line_gains),
                     p.line_lows[node],    p.line_highs[node], p.line_errors[node]};
}

double Tree::predicted(u32 node, std::span<const Column> columns, u64 row) const {
    if (line_begin_.empty()) return means_[node];
    const TreeParts& p = parts_;
    double sum = 0;
    for (u32 i = node; i != kNone; i = parents_[i]) {
        sum += p.line_offsets[i];
        for (u32 t = line_begin_[i]; t < line_begin_[i] + p.line_counts[i]; ++t) {
            const u32 c = p.line_columns[t];
            const double x = columns[c].value(row);
            if (!is_missing(x)) sum += p.line_slopes[t] * (x - (p.centers.empty() ? 0.0 : p.centers[c]));
        }
    }
    sum = sum < p.line_highs[node] ? sum : p.line_highs[node];  // NaN, of terms beyond float64, is not
    return sum > p.line_lows[node] ? sum : p.line_lows[node];
}

ClassWeights Tree::weights(u32 node) const {
    const std::size_t k = parts_.n_outputs();
    if (!parts_.lists_classes()) return std::span(weights_of(node, k), k);
    const u64 begin = listed_before_[node], n = listed_before_[behind_[node]] - begin;
    const auto classes = std::span(parts_.leaf_classes).subspan(begin, n);
    const auto weights = std::span(parts_.leaf_weights).subspan(begin, n);
    if (kind(node) == NodeKind::leaf) return {weights, classes};
    std::vector<std::pair<u32, double>> found;
    found.reserve(n);
    for (u64 i = 0; i < n; ++i) found.emplace_back(classes[i], weights[i]);
    std::stable_sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.first < b.first; });
    std::vector<u32> own;
    std::vector<double> sums;
    for (const auto& [c, w] : found) {
        if (own.empty() || own.back() != c) own.push_back(c), sums.push_back(0);
        sums.back() += w;
    }
    return {std::move(sums), std::move(own)};
}

EndSums Tree::stayed(u32 node) const {
    const u32 at = place(node).end;
    if (at == kNone) return {};
    const bool listed = parts_.lists_classes();
    const u64 k = listed ? parts_.leaf_counts[at] : parts_.n_outputs(), begin = listed ? listed_before_[node] : at * k;
    EndSums sums{parts_.leaf_rows[at], std::span(parts_.leaf_weights).subspan(begin, k)};
    if (listed) sums.classes = std::span(parts_.leaf_classes).subspan(begin, k);
    if (parts_.n_classes == 0) sums.mean = parts_.leaf_means[at], sums.spread = parts_.leaf_spreads[at];
    return sums;
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

SplitView Tree::view(u32 node) const {
    SplitView s;
    s.kind = kind(node);
    const Place at = place(node);
    if (!surrogate_begin_.empty()) {
        const u32 first = surrogate_begin_[order_[node]];
        s.surrogates = {surrogates_.data() + first, surrogate_begin_[order_[node] + 1] - first};
    }
    if (s.kind == NodeKind::axis || s.kind == NodeKind::linear) {
        s.cut = parts_.cuts[at.cut];
        s.without = at.end != kNone ? kStopHere : parts_.missing[at.cut] & 1 ? 0 : 1;
        if (s.kind == NodeKind::axis) {
            s.column = parts_.columns[at.column];
            return s;
        }
        const u32 n = parts_.term_counts[at.term];
        s.term_columns = {parts_.term_columns.data() + at.term_pool, n};
        s.term_weights = {parts_.term_weights.data() + at.term_pool, n};
        if (!parts_.term_values.empty()) s.term_values = {parts_.term_values.data() + at.term_pool, n};
        s.centers = parts_.centers;
        s.gaps_at_center = parts_.missing[at.cut] & 4;
        return s;
    }
    const u32 n = parts_.value_counts[at.value];
    s.column = parts_.columns[at.column];
    s.without = parts_.others[at.value];
    s.values = {parts_.values.data() + at.value_pool, n};
    if (s.kind == NodeKind::subset) s.goes_left = {parts_.value_left.data() + at.side_pool, n};
    return s;
}

Split Tree::split(u32 node) const {
    Split s;
    s.kind = kind(node);
    if (s.kind == NodeKind::leaf) return s;
    const SplitView v = view(node);
    s.column = v.column;
    s.cut = v.cut;
    if (s.kind == NodeKind::axis || s.kind == NodeKind::linear) {
        s.missing_left = parts_.missing[place(node).cut] & 1;
        s.stops = v.without == kStopHere;
        s.saw_missing = parts_.missing[place(node).cut] & 2;
        s.gaps_at_center = v.gaps_at_center;
    } else {
        s.other = v.without;
    }
    s.term_columns.assign(v.term_columns.begin(), v.term_columns.end());
    s.term_weights.assign(v.term_weights.begin(), v.term_weights.end());
    s.term_values.assign(v.term_values.begin(), v.term_values.end());
    s.values.assign(v.values.begin(), v.values.end());
    s.goes_left.assign(v.goes_left.begin(), v.goes_left.end());
    s.surrogates.assign(v.surrogates.begin(), v.surrogates.end());
    return s;
}

}  // namespace bough
