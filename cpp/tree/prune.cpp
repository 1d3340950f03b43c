#include "tree/prune.hpp"

#include <algorithm>
#include <queue>

#include "tree/writer.hpp"

namespace bough {

Tree pruned(const Tree& tree, std::span<const u8> leaves, Budget& budget) {
    TreeWriter writer(tree);
    std::vector<u32> stack{0};
    while (!stack.empty()) {
        const u32 i = stack.back();
        stack.pop_back();
        if (i % 65536 == 0) budget.poll();
        if (tree.kind(i) == NodeKind::leaf || leaves[i]) {
            writer.leaf(tree, i);
            continue;
        }
        writer.inner(tree, i);
        const auto kids = tree.children(i);
        for (std::size_t c = kids.size(); c-- > 0;) stack.push_back(kids[c]);
    }
    return Tree(std::move(writer).finish(), budget);
}

// The least cost of a subtree, as a function of the penalty α for each leaf, is concave and piecewise
// linear; its slope is the number of leaves. A node's function is the sum of its children's, until
// the line risk + α of the node as a leaf crosses it: from that α on the node is a leaf. The
// breakpoints of a subtree are kept in a heap, largest first, with the leaves that go at each; the
// smaller heap is poured into the larger one, so even a chain takes n·log² n.
WeakestLinks weakest_links(const Tree& tree, std::span<const double> risks, Budget& budget) {
    struct Break {
        double alpha;
        double leaves;  // by how many the slope drops there
        bool operator<(const Break& o) const { return alpha < o.alpha; }
    };
    struct Function {
        std::priority_queue<Break> breaks;
        double leaves = 1;  // slope beyond the last breakpoint
        double risk = 0;    // value of that last piece at α = 0
    };
    WeakestLinks links{std::vector<double>(tree.n_nodes(), kInf), std::vector<double>(tree.n_nodes(), 0.0)};
    std::vector<std::unique_ptr<Function>> at(tree.n_nodes());
    for (u32 i = tree.n_nodes(); i-- > 0;) {
        if (i % 4096 == 0) budget.poll();
        if (tree.kind(i) == NodeKind::leaf) {
            at[i] = std::make_unique<Function>();
            at[i]->risk = risks[i];
            continue;
        }
        std::unique_ptr<Function> sum;
        for (u32 c : tree.children(i)) {
            std::unique_ptr<Function> f = std::move(at[c]);
            if (sum && sum->breaks.size() < f->breaks.size()) std::swap(sum, f);
            if (!sum) {
                sum = std::move(f);
                continue;
            }
            sum->leaves += f->leaves;
            sum->risk += f->risk;
            for (; !f->breaks.empty(); f->breaks.pop()) sum->breaks.push(f->breaks.top());
        }
        // Walk from the last piece towards smaller α until the node's own line is not below.
        double alpha = (risks[i] - sum->risk) / (sum->leaves - 1);
        while (!sum->breaks.empty() && alpha < sum->breaks.top().alpha) {
            const Break b = sum->breaks.top();
            sum->breaks.pop();
            sum->leaves += b.leaves;
            sum->risk -= b.leaves * b.alpha;
            alpha = (risks[i] - sum->risk) / (sum->leaves - 1);
        }
        alpha = std::max(alpha, 0.0);
        links.alphas[i] = alpha;
        links.risk_below[i] = sum->risk;
        sum->breaks.push({alpha, sum->leaves - 1});
        sum->leaves = 1;
        sum->risk = risks[i];
        at[i] = std::move(sum);
    }
    return links;
}

PruningPath pruning_path(const Tree& tree, std::span<const double> risks, Budget& budget) {
    const WeakestLinks links = weakest_links(tree, risks, budget);
    std::vector<double> above(tree.n_nodes(), kInf);  // the least penalty at which an ancestor is cut
    std::vector<u32> cut;
    PruningPath path{{0.0}, {0.0}};
    for (u32 i = 0; i < tree.n_nodes(); ++i) {
        if (i > 0) above[i] = std::min(above[tree.parent(i)], links.alphas[tree.parent(i)]);
        if (tree.kind(i) == NodeKind::leaf)
            path.risks[0] += risks[i];
        else if (links.alphas[i] <= above[i])
            cut.push_back(i);
    }
    // Descendants stand behind their ancestors in preorder: of equal penalties they come first.
    std::stable_sort(cut.begin(), cut.end(), [&](u32 a, u32 b) {
        return links.alphas[a] != links.alphas[b] ? links.alphas[a] < links.alphas[b] : a > b;
    });
    for (u32 i : cut) {
        path.alphas.push_back(links.alphas[i]);
        path.risks.push_back(path.risks.back() + risks[i] - links.risk_below[i]);
    }
    return path;
}

}  // namespace bough
