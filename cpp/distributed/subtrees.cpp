#include "distributed/subtrees.hpp"

#include "grow/grow.hpp"

namespace bough {

namespace {

// The rows of a node, put together.
class Together {
   public:
    Together(const Layout& layout, std::span<const Answer> taken, std::size_t node) {
        std::size_t n = 0, d = 0, at = 0;
        for (const Answer& a : taken) n += a.taken.at(node).n_rows;
        for (u32 c = 0; c < layout.n_table(); ++c) d += layout.numeric(c);
        numbers_.resize(n * d);
        codes_.resize(n * (layout.n_table() - d));
        for (const Answer& a : taken) {
            const TakenRows& t = a.taken[node];
            auto columns = [&](const auto& from, auto& to) {
                for (std::size_t i = 0, m = t.n_rows; i < from.size(); i += m)
                    std::copy_n(from.data() + i, m, to.data() + i / m * n + at);
            };
            columns(t.numbers, numbers_);
            columns(t.codes, codes_);
            targets_.insert(targets_.end(), t.targets.begin(), t.targets.end());
            classes_.insert(classes_.end(), t.classes.begin(), t.classes.end());
            weights_.insert(weights_.end(), t.weights.begin(), t.weights.end());
            at += t.n_rows;
        }
        if (n == 0 || n >= kNone) throw std::invalid_argument("rows of a node were lost or changed");
        data.table.n_rows = static_cast<u32>(n);
        const double* number = numbers_.data();
        const i32* code = codes_.data();
        for (u32 values : layout.n_values) {
            data.table.columns.push_back({values == 0 ? ColumnKind::numeric : ColumnKind::nominal});
            Column& column = data.table.columns.back();
            column.n_values = values;
            if (values == 0)
                column.values = std::exchange(number, number + n);
            else
                column.codes = std::exchange(code, code + n);
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
