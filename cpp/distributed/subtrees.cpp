#include "distributed/subtrees.hpp"

#include "grow/grow.hpp"

namespace bough {

namespace {

// The rows of a node, put together.
class Together {
   public:
    Together(const Layout& layout, std::span<const Answer> taken, std::size_t node) {
        std::size_t n = 0, d = 0, weighted = 0;
        for (u32 c = 0; c < layout.n_table(); ++c) d += layout.numeric(c);
        const std::size_t nominal = layout.n_table() - d;
        for (const Answer& a : taken) {  // before there is room for as many rows as they claim
            const TakenRows& t = a.taken.at(node);
            const std::size_t m = t.n_rows;
            if (t.numbers.size() != m * d || t.codes.size() != m * nominal ||
                t.targets.size() != (layout.regression ? m : 0) || t.classes.size() != (layout.regression ? 0 : m) ||
                (!t.weights.empty() && t.weights.size() != m))
                throw std::invalid_argument("rows of a node are those of another table");
            n += m;
        }
        numbers_.resize(n * d);
        codes_.resize(n * nominal);
        std::size_t at = 0;
        for (const Answer& a : taken) {
            const TakenRows& t = a.taken[node];
            const std::size_t m = t.n_rows;
            auto columns = [&](const auto& from, auto& to, std::size_t many) {
                for (std::size_t c = 0; c < many; ++c) std::copy_n(from.data() + c * m, m, to.data() + c * n + at);
            };
            columns(t.numbers, numbers_, d);
            columns(t.codes, codes_, nominal);
            targets_.insert(targets_.end(), t.targets.begin(), t.targets.end());
            classes_.insert(classes_.end(), t.classes.begin(), t.classes.end());
            weights_.insert(weights_.end(), t.weights.begin(), t.weights.end());
            at += m;
        }
        weighted = weights_.size();
        if (n == 0 || n >= kNone || (weighted != 0 && weighted != n))
            throw std::invalid_argument("rows of a node were lost or changed");
        for (u32 c : classes_)
            if (c >= layout.n_classes) throw std::invalid_argument("a class number is out of range");
        Table& table = data.table;
        table.n_rows = static_cast<u32>(n);
        const double* number = numbers_.data();
        const i32* code = codes_.data();
        for (u32 c = 0; c < layout.n_table(); ++c) {
            Column column{layout.numeric(c) ? ColumnKind::numeric : ColumnKind::nominal};
            if (layout.numeric(c)) {
                column.values = number;
                number += n;
            } else {
                column.codes = code;
                column.n_values = layout.n_values[c];
                for (std::size_t row = 0; row < n; ++row)
                    if (code[row] < 0 || static_cast<u32>(code[row]) >= column.n_values)
                        throw std::invalid_argument("a nominal value has no number");
                code += n;
            }
            table.columns.push_back(column);
        }
        data.target.n_classes = layout.regression ? 0 : layout.n_classes;
        data.target.classes = classes_;
        data.target.numbers = targets_;
        data.target.weights = weights_;
    }
    Together(const Together&) = delete;  // its data borrow from it

    Data data;

   private:
    std::vector<double> numbers_, targets_, weights_;
    std::vector<i32> codes_;
    std::vector<u32> classes_;
};

}  // namespace

Answer grow_moved(const Request& request, const Layout& layout, Plan plan, std::span<const Answer> taken,
                  Budget& budget) {
    plan.refine.reset();
    plan.prune.clear();
    plan.threads = 1;
    plan.target_offset = 0;  // which is put back once, where the tree is put together
    plan.limits.min_weight = request.min_weight;
    const bool directed = !request.moments.means.empty();
    for (const auto* m :
         {&request.moments.means, &request.moments.spreads, &request.moments.magnitudes, &request.moments.centers})
        if (directed && m->size() != layout.n_table()) throw std::invalid_argument("moments of another table");
    for (const Answer& a : taken)
        if (a.taken.size() != request.moved.size()) throw std::invalid_argument("rows of other nodes than were asked");
    Answer grown;
    grown.ask = Ask::rows;
    for (std::size_t i = 0; i < request.moved.size(); ++i) {
        const MovedNode& node = request.moved[i];
        const Together rows(layout, taken, i);
        const Start start{node.depth, node.path, request.weight, directed ? &request.moments : nullptr};
        grown.counts.push_back(node.id);
        grown.grown.push_back({grow_subtree(rows.data, plan, start, budget).parts()});
    }
    return grown;
}

}  // namespace bough
