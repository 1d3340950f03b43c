#include "distributed/portion.hpp"

#include <bit>

#include "data/column_sums.hpp"
#include "tree/route.hpp"

namespace bough {

namespace {

constexpr u32 kPollRows = 1u << 16;  // rows between two looks at the budget

}  // namespace

Portion::Portion(const Data& data, Layout layout, Budget& budget)
    : data_(data), layout_(std::make_shared<const Layout>(std::move(layout))) {
    std::vector<std::vector<Bin>> bins(layout_->n_columns());
    const Table& table = data_.table;
    if (table.n_columns() != layout_->n_table() || data_.target.regression() != layout_->regression ||
        std::max(1u, data_.target.n_classes) != layout_->n_classes)
        throw std::invalid_argument("the layout is that of another table");
    if (table.n_rows == 0) throw std::invalid_argument("a portion has at least one row");
    for (u32 c = 0; c < table.n_columns(); ++c) {
        const Column& column = table.columns[c];
        if ((column.kind == ColumnKind::numeric) != layout_->numeric(c) ||
            (!layout_->numeric(c) && column.n_values != layout_->n_values[c]))
            throw std::invalid_argument("the layout is that of another table");
        if (layout_->numeric(c)) {
            if (layout_->has_cells(c)) put_into_bins(c, bins[c], budget);
            continue;
        }
        for (u32 row = 0; row < table.n_rows; ++row)
            if (column.codes[row] < 0 || static_cast<u32>(column.codes[row]) >= column.n_values)
                throw std::invalid_argument("a nominal value has no number");
    }
    numeric_ = table.of(ColumnKind::numeric);
    bins_ = std::make_shared<const std::vector<std::vector<Bin>>>(std::move(bins));
    rows_.reserve(table.n_rows);
    for (u32 row = 0; row < table.n_rows; ++row)
        if (data_.target.weight(row) > 0) rows_.push_back(row);
    segments_.push_back({0, static_cast<u32>(rows_.size())});
}

Portion::Portion(const Portion& all, std::span<const u32> rows)
    : data_(all.data_), layout_(all.layout_), numeric_(all.numeric_), bins_(all.bins_) {
    rows_.reserve(rows.size());
    for (u32 row : rows) {
        if (row >= data_.table.n_rows || (!rows_.empty() && row < rows_.back()))
            throw std::invalid_argument("rows of a portion are drawn in their order");
        if (data_.target.weight(row) > 0) rows_.push_back(row);
    }
    segments_.push_back({0, static_cast<u32>(rows_.size())});
}

// The first edge that is not below a number, found for several rows at a time by masks: a compiler makes branches of a
// choice between two numbers, and a branch that nobody can foretell costs seven times as much as a mask.
void Portion::put_into_bins(u32 column, std::vector<Bin>& bins, Budget& budget) const {
    constexpr u32 kLanes = 16;
    const Column& x = data_.table.columns[column];
    const auto& edges = layout_->edges[column];
    const u32 n = data_.table.n_rows, missing = layout_->n_bins(column);
    const std::size_t size = std::bit_ceil(edges.size() + 1);
    std::vector<double> padded(edges);
    padded.resize(size, kInf);
    bins.resize(n);
    for (u32 base = 0; base < n; base += kLanes) {
        if (base % kPollRows == 0) budget.poll();
        const u32 lanes = std::min(kLanes, n - base);
        double value[kLanes];
        u32 at[kLanes] = {};
        for (u32 j = 0; j < kLanes; ++j) value[j] = x.value(base + std::min(j, lanes - 1));
        for (std::size_t half = size / 2; half > 0; half /= 2)
            for (u32 j = 0; j < kLanes; ++j)
                at[j] += static_cast<u32>(half) & (0u - static_cast<u32>(padded[at[j] + half - 1] < value[j]));
        for (u32 j = 0; j < lanes; ++j) bins[base + j] = static_cast<Bin>(is_missing(value[j]) ? missing : at[j]);
    }
}

void Portion::count(u32 node, double center, u32* rows, double* sums) const {
    const auto here = rows_of(node);
    const std::size_t k = layout_->n_classes, fields = layout_->fields(weighted());
    const Target& target = data_.target;
    std::vector<u32> classes(here.size(), 0);
    for (std::size_t i = 0; i < here.size() && !layout_->regression; ++i) classes[i] = target.classes[here[i]];
    for (u32 c = 0; c < layout_->n_columns(); ++c) {
        u32* to = rows + layout_->begin[c] * k;
        double* more = sums + layout_->begin[c] * k * fields;
        auto each = [&](const auto* codes) {
            auto cell = [&](std::size_t i) { return static_cast<std::size_t>(codes[here[i]]) * k + classes[i]; };
            for (std::size_t i = 0; i < here.size(); ++i) ++to[cell(i)];
            for (std::size_t i = 0; i < here.size() && fields > 0; ++i) {
                double* own = more + cell(i) * fields;
                const double w = target.weight(here[i]);
                if (layout_->regression) {
                    const double distance = target.numbers[here[i]] - center, sum = w * distance;
                    own[0] += sum;
                    own[1] += sum * distance;
                }
                if (weighted()) own[fields - 1] += w;
            }
        };
        if (c >= layout_->n_table()) {
            if (c - layout_->n_table() < lines(node).size()) each(line_bins_[c - layout_->n_table()].data());
        } else if (layout_->numeric(c)) {
            if (layout_->has_cells(c)) each((*bins_)[c].data());
        } else {
            each(data_.table.columns[c].codes);
        }
    }
    for (std::size_t i = 0; i < here.size() && weighted(); ++i)
        sums[layout_->size() * fields] += target.weight(here[i]) * target.weight(here[i]);
}

// Goes on with what is known of nodes: rows and weights of the classes, row by row, as one machine adds them; or, of
// numbers to be predicted, their ends, as −least and greatest of numbers and weights; then their exact sums; then those
// of squared distances from the mean, and of its losses.
void Portion::measure(const Request& r, std::size_t i, u32* rows, double* weights, i128* exact, double* ends) const {
    const auto here = rows_of(r.nodes[i]);
    const Target& target = data_.target;
    if (!layout_->regression) {
        for (u32 row : here) {
            ++rows[target.classes[row]];
            weights[target.classes[row]] += target.weight(row);
        }
        return;
    }
    auto each = [&](auto visit) {
        if (weighted())
            for (u32 row : here) visit(target.numbers[row], target.weights[row]);
        else
            for (u32 row : here) visit(target.numbers[row]);
    };
    if (r.ask == Ask::measure) {
        const NumberEnds own = ends_of(each);
        *rows += static_cast<u32>(here.size());
        const double found[] = {-own.low, own.high, -own.lightest, own.heaviest};
        for (std::size_t e = 0; e < std::size(found); ++e) ends[e] = std::max(ends[e], found[e]);
    } else if (r.ask == Ask::total) {
        const ExactSum all = sums_of(NumberImage(r.ends[i], weighted()), each);
        exact[0] += all.weight;
        exact[1] += all.sum;
    } else {
        const LeafRule rule = layout_->leaf();
        exact[0] += sum_of(LossImage(r.ends[i], r.means[i], weighted()), each);
        if (!rule.squares()) exact[1] += sum_of(LossImage(r.ends[i], r.means[i], weighted(), rule), each);
    }
}

void Portion::find(std::span<const WantedBin> wanted, Answer& to, Budget& budget) const {
    struct One {
        double x;
        u32 cls, row;
    };
    std::vector<One> ones;
    std::vector<u8> asked;
    std::vector<double> low, high;  // per bin
    for (std::size_t i = 0, end; i < wanted.size(); i = end) {
        budget.poll();
        const u32 node = wanted[i].node, column = wanted[i].column, n_bins = layout_->n_bins(column);
        const bool along = column >= layout_->n_table();
        const u32 direction = along ? column - layout_->n_table() : 0;
        const SentDirection* line = along ? &lines(node)[direction] : nullptr;
        asked.assign(n_bins + 1, 0);
        low.assign(n_bins, kInf);
        high.assign(n_bins, -kInf);
        for (end = i; end < wanted.size() && wanted[end].node == node && wanted[end].column == column; ++end)
            asked[wanted[end].bin] = wanted[end].all ? 2 : 1;
        ones.clear();
        const Bin* bins = line ? line_bins_[direction].data() : (*bins_)[column].data();
        for (u32 row : rows_of(node)) {
            const Bin bin = bins[row];
            if (!asked[bin]) continue;
            const double value = line ? position(*line, row) : data_.table.columns[column].value(row);
            if (asked[bin] == 2) {
                ones.push_back({value, layout_->regression ? 0 : data_.target.classes[row], row});
            } else {
                low[bin] = std::min(low[bin], value);
                high[bin] = std::max(high[bin], value);
            }
        }
        auto add = [&](double x, u32 cls, std::size_t rows, double weight, double sum) {
            to.found.push_back({node, column, cls, static_cast<u32>(rows), x});
            if (layout_->regression) to.found_sums.push_back(sum);
            if (weighted()) to.found_sums.push_back(weight);
        };
        std::stable_sort(ones.begin(), ones.end(),
                         [](const One& a, const One& b) { return a.x != b.x ? a.x < b.x : a.cls < b.cls; });
        for (std::size_t a = 0, b; a < ones.size(); a = b) {
            double weight = 0, sum = 0;
            for (b = a; b < ones.size() && ones[b].x == ones[a].x && ones[b].cls == ones[a].cls; ++b) {
                const double w = data_.target.weight(ones[b].row);
                weight += w;
                if (layout_->regression) sum += w * (data_.target.numbers[ones[b].row] - wanted[i].center);
            }
            add(ones[a].x, ones[a].cls, b - a, weight, sum);
        }
        for (std::size_t w = i; w < end; ++w) {
            const u32 bin = wanted[w].bin;
            if (asked[bin] != 1 || low[bin] > high[bin]) continue;
            add(low[bin], 0, 0, 0, 0);
            if (high[bin] > low[bin]) add(high[bin], 0, 0, 0, 0);
        }
    }
}

// Sends the rows of a node on to its children.
void Portion::divide(const SentSplit& sent, std::span<const double> centers) {
    const SplitView split = view_of(sent.split, centers);
    const u32 n_children = sent.split.n_children(), node = sent.node, first = sent.first;
    const auto here = rows_of(node);
    std::vector<u32> child(here.size()), ends(n_children + 1, 0);
    for (std::size_t i = 0; i < here.size(); ++i) {
        child[i] = route(split, data_.table.columns, here[i]);
        if (child[i] >= n_children) throw std::invalid_argument("a row goes to none of the children");
        ++ends[child[i] + 1];
    }
    for (u32 c = 0; c < n_children; ++c) ends[c + 1] += ends[c];
    if (segments_.size() < std::size_t{first} + n_children) segments_.resize(std::size_t{first} + n_children);
    const u32 begin = node < segments_.size() ? segments_[node].begin : 0;
    std::vector<u32> moved(here.size()), at(ends.begin(), ends.end() - 1);
    for (std::size_t i = 0; i < here.size(); ++i) moved[at[child[i]]++] = here[i];
    std::copy(moved.begin(), moved.end(), rows_.begin() + begin);
    for (u32 c = 0; c < n_children; ++c) segments_[first + c] = {begin + ends[c], ends[c + 1] - ends[c]};
}

void Portion::add_moments(const Request& request, Answer& to) const {
    ColumnSums s(request.centers);
    s.add(data_.table, data_.target);
    for (const auto* part : {&s.weight, &s.sum, &s.squares}) to.sums.insert(to.sums.end(), part->begin(), part->end());
    to.sums.push_back(s.total);
    to.ends = std::move(s.most);
}

Answer Portion::answer(const Request& r, const Answer* before, Budget& budget) {
    const std::size_t n = r.nodes.size(), d = numeric_.size();
    const AnswerSize size = layout_->size_of(r.ask, weighted());
    if (r.aim != aim_ && !r.directions.empty()) aim(r, budget);
    Answer to;
    to.begin(r.ask, n, size);
    if (r.ask == Ask::moments) add_moments(r, to);
    if (before) to.add(*before);
    if (r.ask == Ask::find) find(r.bins, to, budget);
    if (r.ask == Ask::splits)
        for (const SentSplit& split : r.splits) divide(split, r.centers);
    if (r.ask == Ask::rows)
        for (const MovedNode& node : r.moved) to.taken.push_back(take(node.id));
    for (std::size_t i = 0; i < n; ++i) {
        budget.poll();
        u32* c = to.counts.data() + i * size.counts;
        double *s = to.sums.data() + i * size.sums, *e = to.ends.data() + i * size.ends;
        if (r.ask >= Ask::measure && r.ask <= Ask::spread) measure(r, i, c, s, to.exact.data() + i * size.exact, e);
        if (r.ask == Ask::count) count(r.nodes[i], r.means[i], c, s), raise_ends(r.nodes[i], e);
        if (r.ask == Ask::sums) add_sums(r, i, s, e, to.some[i]);
        if (r.ask == Ask::products) add_products(r.nodes[i], r.centers, r.points.data() + i * d, s, budget);
    }
    return to;
}

TakenRows Portion::take(u32 node) const {
    const auto here = rows_of(node);
    TakenRows t;
    t.n_rows = here.size();
    const std::size_t n = here.size(), numeric = numeric_.size();
    t.numbers.resize(n * numeric);
    t.codes.resize(n * (data_.table.n_columns() - numeric));
    double* number = t.numbers.data();
    i32* code = t.codes.data();
    for (const Column& column : data_.table.columns) {
        if (column.kind == ColumnKind::numeric)
            for (u32 row : here) *number++ = column.value(row);
        else
            for (u32 row : here) *code++ = column.codes[row];
    }
    if (layout_->regression)
        for (u32 row : here) t.targets.push_back(data_.target.numbers[row]);
    else
        for (u32 row : here) t.classes.push_back(data_.target.classes[row]);
    if (weighted())
        for (u32 row : here) t.weights.push_back(data_.target.weight(row));
    return t;
}

}  // namespace bough
