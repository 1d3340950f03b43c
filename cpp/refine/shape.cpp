#include "refine/shape.hpp"

#include "refine/positions.hpp"

namespace bough {

namespace {
constexpr u32 kKnownLevels = 6;  // whose rows are routed once for each split
}

void Shape::take(const Shape& other) {
    branches_ = other.branches_;
    views_.resize(size());
    for (u32 i = 0; i < size(); ++i) look(i);
}

void Shape::set(u32 i, Split split, double terms) {
    Branch& b = branches_[i];
    b.split = std::move(split);
    b.terms = terms;
    b.only = 2;
    look(i);
}

// At a split that has changed.
void Shape::look(u32 i) {
    Branch& b = branches_[i];
    views_[i] = view_of(b.split, moments_->centers);
    b.known.clear();
    if (b.split.kind == NodeKind::leaf || b.depth >= kKnownLevels) return;
    const u32 n = table_->n_rows;
    b.known.resize(n);
    if (b.split.kind == NodeKind::subset) {
        for (u32 row = 0; row < n; ++row) b.known[row] = routed_left(i, row);
        return;
    }
    const bool without_left = views_[i].without == 0;
    Positions(views_[i], table_->columns)
        .each(
            n, [](u32 row) { return row; },
            [&](u32 row, double z) { b.known[row] = z <= b.split.cut || (without_left && is_missing(z)); });
}

void Shape::divide(u32 i, Split split, double terms) {
    for (u32 c : {0u, 1u}) {
        Branch child;
        child.parent = i;
        child.depth = branches_[i].depth + 1;
        child.value = branches_[i].value;
        branches_.push_back(std::move(child));
        views_.emplace_back();
        (c == 0 ? branches_[i].left : branches_[i].right) = size() - 1;
    }
    set(i, std::move(split), terms);
}

void Shape::grow(u32 leaf, std::span<const Split> splits, u64 clock) {
    std::vector<u32> stack{leaf};
    for (const Split& split : splits) {
        const u32 at = stack.back();
        stack.pop_back();
        if (split.kind == NodeKind::leaf) continue;
        divide(at, split, split.kind == NodeKind::linear ? static_cast<double>(split.term_columns.size()) : 1.0);
        branches_[at].split_at = clock;
        stack.push_back(branches_[at].right);
        stack.push_back(branches_[at].left);
    }
}

void Shape::reach(Budget& budget, Rows& to) const {
    to.resize(size());
    to[0].resize(table_->n_rows);
    for (u32 row = 0; row < table_->n_rows; ++row) to[0][row] = row;
    for (u32 i = 0; i < size(); ++i) {
        const Branch& b = branches_[i];
        if (b.leaf()) continue;
        budget.poll();
        std::vector<u32>&left = to[b.left], &right = to[b.right];
        left.resize(to[i].size());
        right.resize(to[i].size());
        u32 n = 0, m = 0;  // no branch that depends on the row
        for (u32 row : to[i]) {
            const bool goes_left = child(i, row) == b.left;
            left[n] = right[m] = row;
            n += goes_left;
            m += !goes_left;
        }
        left.resize(n);
        right.resize(m);
    }
}

double Shape::refit(const Losses& losses, const Rows& rows, u64& clock) {
    double sum = 0;
    for (u32 i = 0; i < size(); ++i) {
        Branch& b = branches_[i];
        if (!b.leaf()) continue;
        const LeafValue before = b.value;
        sum += losses.fit(b.value, rows[i]);
        if (!(before == b.value)) b.value_at = ++clock;
    }
    return sum;
}

bool Shape::keep_limits(const LeafLimits& limits, const Target& target, Budget& budget) {
    auto small = [&](std::span<const u32> rows) {
        double weight = 0;
        for (u32 row : rows) weight += target.weight(row);
        return rows.size() < limits.min_rows || weight < limits.min_weight * (1 - kSum);
    };
    bool any = false;
    for (bool again = true; again; any |= again) {
        again = false;
        Rows rows;
        reach(budget, rows);
        for (u32 i = size(); i-- > 0 && !again;) {
            Branch& b = branches_[i];
            if (b.leaf() || !(small(rows[b.left]) || small(rows[b.right]))) continue;
            b.only = small(rows[b.left]) ? 1 : 0;
            again = true;
        }
        if (again) compact();
    }
    return any;
}

std::vector<double> Shape::terms() const {
    std::vector<double> found(size(), 0.0);
    for (u32 i = size(); i-- > 0;) {
        const Branch& b = branches_[i];
        if (b.leaf()) continue;
        if (b.only < 2)
            found[i] = found[b.only == 0 ? b.left : b.right];
        else
            found[i] = b.terms + found[b.left] + found[b.right];
    }
    return found;
}

void Shape::compact() {
    Shape out(*table_, *moments_);
    std::vector<std::pair<u32, u32>> stack{{0, 0}};  // a node, and its place
    while (!stack.empty()) {
        auto [at, to] = stack.back();
        stack.pop_back();
        while (!branches_[at].leaf() && branches_[at].only < 2)
            at = branches_[at].only == 0 ? branches_[at].left : branches_[at].right;
        Branch& from = branches_[at];
        const u32 parent = out[to].parent, depth = out[to].depth, left = from.left, right = from.right;
        out[to] = std::move(from);
        out[to].parent = parent;
        out[to].depth = depth;
        if (left == kNone) continue;
        Split split = std::move(out[to].split);
        const double terms = out[to].terms;
        out.divide(to, std::move(split), terms);
        stack.emplace_back(right, out[to].right);
        stack.emplace_back(left, out[to].left);
    }
    *this = std::move(out);
}

std::vector<Split> Shape::preorder() const {
    std::vector<Split> found;
    std::vector<u32> stack{0};
    while (!stack.empty()) {
        const Branch& b = branches_[stack.back()];
        stack.pop_back();
        if (b.leaf()) {
            found.emplace_back();
            continue;
        }
        if (b.only < 2) {
            stack.push_back(b.only == 0 ? b.left : b.right);
            continue;
        }
        found.push_back(b.split);
        stack.push_back(b.right);
        stack.push_back(b.left);
    }
    return found;
}

Split Shape::full(Split split) const {
    if (split.kind != NodeKind::subset) return split;
    const u32 n = table_->columns[split.column].n_values;
    std::vector<u8> side(n, split.other == 0);
    for (std::size_t i = 0; i < split.values.size(); ++i) side[split.values[i]] = split.goes_left[i];
    split.values.resize(n);
    for (u32 v = 0; v < n; ++v) split.values[v] = v;
    split.goes_left = std::move(side);
    split.other = 0;
    return split;
}

}  // namespace bough
