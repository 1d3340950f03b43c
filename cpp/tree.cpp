#include "tree.hpp"

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

Tree::Tree(TreeParts parts) : parts_(std::move(parts)) {
    const std::string wrong = fault(parts_);
    if (!wrong.empty()) throw std::invalid_argument(wrong);
    derive();
    make_steps();
}

// Everything that follows from the parts: children, parents, sums of inner nodes.
void Tree::derive() {
    const u32 n = n_nodes(), k = parts_.n_outputs();
    parents_.assign(n, kNone);
    order_.resize(n);
    std::vector<u32> sizes(n);
    Place at{};
    u32 inner = 0, leaf = 0;
    for (u32 i = 0; i < n; ++i) {
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
        for (u32 c : children(i)) {
            const double d = means_[c] - means_[i];
            spreads_[i] += spreads_[c] + weights_[c] * d * d;
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

// ---- prediction ----------------------------------------------------------------------------------

void Tree::make_steps() {
    if (!axis_only_ || n_leaves() == 1) return;
    // Breadth first, so that siblings are neighbours.
    const u32 n = n_nodes();
    steps_.resize(n);
    step_node_.resize(n);
    step_node_[0] = 0;
    u32 next = 1;
    for (u32 s = 0; s < n; ++s) {
        const u32 node = step_node_[s];
        if (kind(node) == NodeKind::leaf) {
            steps_[s] = {kInf, parts_.columns[0], s};  // a column that is there and numeric
            continue;
        }
        const Place& at = places_[order_[node]];
        const u32 right_if_missing = parts_.missing[at.cut] & 1 ? 0u : 0x80000000u;
        steps_[s] = {parts_.cuts[at.cut], parts_.columns[at.column] | right_if_missing, next};
        step_node_[next] = children(node)[0];
        step_node_[next + 1] = children(node)[1];
        next += 2;
    }
}

// Rows go down in groups: while one waits for memory the others move.
void Tree::apply_axis(std::span<const InputColumn> columns, u64 begin, u64 end, u32* out) const {
    constexpr u32 kGroup = 16;
    const Step* steps = steps_.data();
    auto step = [&](u32 at, u64 row) {
        const Step& s = steps[at];
        const InputColumn& c = columns[s.column & 0x7fffffffu];
        const double x = c.value(row);
        return s.child + static_cast<u32>((x > s.cut) | ((x != x) & (s.column >> 31)));
    };
    u64 row = begin;
    for (; row + kGroup <= end; row += kGroup) {
        u32 at[kGroup] = {};
        for (bool moved = true; moved;) {
            moved = false;
            for (u32 g = 0; g < kGroup; ++g) {
                const u32 to = step(at[g], row + g);
                moved |= to != at[g];
                at[g] = to;
            }
        }
        for (u32 g = 0; g < kGroup; ++g) out[row - begin + g] = step_node_[at[g]];
    }
    for (; row < end; ++row) {
        u32 at = 0;
        for (u32 to = step(at, row); to != at; to = step(at, row)) at = to;
        out[row - begin] = step_node_[at];
    }
}

// The child of a row, or the node itself where the row ends.
u32 Tree::next(u32 node, std::span<const InputColumn> columns, u64 row) const {
    const NodeKind kd = kind(node);
    if (kd == NodeKind::leaf) return node;
    const Place& at = places_[order_[node]];
    const auto kids = children(node);
    if (kd == NodeKind::axis) {
        const double x = columns[parts_.columns[at.column]].value(row);
        const bool left = is_missing(x) ? (parts_.missing[at.cut] & 1) != 0 : x <= parts_.cuts[at.cut];
        return kids[left ? 0 : 1];
    }
    if (kd == NodeKind::linear) {
        double sum = 0;
        const u32 first = at.term_pool, last = first + parts_.term_counts[at.term];
        for (u32 t = first; t < last; ++t) {
            const u32 c = parts_.term_columns[t];
            const double center = parts_.centers.empty() ? 0.0 : parts_.centers[c];
            sum += parts_.term_weights[t] * (columns[c].value(row) - center);
        }
        const bool left = is_missing(sum) ? (parts_.missing[at.cut] & 1) != 0 : sum <= parts_.cuts[at.cut];
        return kids[left ? 0 : 1];
    }
    const i32 code = columns[parts_.columns[at.column]].codes[row];
    const u32* values = parts_.values.data() + at.value_pool;
    const u32 n = parts_.value_counts[at.value];
    const u32* found = std::lower_bound(values, values + n, static_cast<u32>(code));
    if (code < 0 || found == values + n || *found != static_cast<u32>(code)) {
        const u32 other = parts_.others[at.value];
        return other == kStopHere ? node : kids[other];
    }
    const u32 place = static_cast<u32>(found - values);
    if (kd == NodeKind::multiway) return kids[place];
    return kids[parts_.value_left[at.side_pool + place] ? 0 : 1];
}

void Tree::apply(std::span<const InputColumn> columns, u64 begin, u64 end, u32* out) const {
    if (n_leaves() == 1) {
        std::fill(out, out + (end - begin), 0u);
    } else if (axis_only_) {
        apply_axis(columns, begin, end, out);
    } else {
        for (u64 row = begin; row < end; ++row) {
            u32 at = 0;
            for (u32 to = next(at, columns, row); to != at; to = next(at, columns, row)) at = to;
            out[row - begin] = at;
        }
    }
}

}  // namespace bough
