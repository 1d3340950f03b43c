#include "distributed/layout.hpp"

#include "grow/registry.hpp"

namespace bough {

namespace {

constexpr u64 kMostAlong = 1 << 20;  // bins times classes, of all directions of a node

// The edges of bins: quantiles of some numbers, with a bin of its own for each that is frequent.
std::vector<double> edges_of(std::span<const double> numbers, std::size_t most) {
    std::vector<double> edges, alone;
    std::size_t distinct = 0;
    for (std::size_t a = 0, b; a < numbers.size(); a = b, ++distinct) {
        for (b = a; b < numbers.size() && numbers[b] == numbers[a];) ++b;
        if ((b - a) * most >= 2 * numbers.size()) alone.push_back(numbers[a]);
        edges.push_back(numbers[a]);
    }
    if (distinct <= most / 2) {
        alone = edges;
    } else {
        const std::size_t n = std::max<std::size_t>(2, most > 2 * alone.size() ? most - 2 * alone.size() : 0);
        edges = alone;
        for (std::size_t i = 0; i < n; ++i) edges.push_back(numbers[i * (numbers.size() - 1) / (n - 1)]);
    }
    for (double x : alone) edges.push_back(std::nextafter(x, -kInf));
    for (double& x : edges) x += 0.0;  // no negative zero
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    std::erase_if(edges, [](double x) { return !std::isfinite(x); });
    return edges;
}

}  // namespace

Layout::Layout(const Plan& plan, std::vector<u32> values, const std::vector<std::span<const double>>& numbers,
               u32 classes, u32 most)
    : n_values(std::move(values)), n_classes(std::max(1u, classes)), regression(classes == 0) {
    for (std::size_t c = 0; c < n_values.size(); ++c)
        edges.push_back(n_values[c] > 0 ? std::vector<double>{} : edges_of(numbers.at(c), most));
    const auto& criteria = Registry::get().criteria;
    while (criteria.at(criterion).info.name != plan.criterion) ++criterion;
    const u64 d = static_cast<u64>(std::count(n_values.begin(), n_values.end(), 0u));
    const ByMoments* how = d > 0 ? Registry::by_moments(plan.split.name) : nullptr;
    const u64 along = how ? how->most(n_groups(), d) : 0;
    if (along >= kNone) throw std::invalid_argument("more directions than there are numbers for");
    n_directions = static_cast<u32>(along);
    if (along > 0)
        n_direction_bins = static_cast<u32>(std::min<u64>(most, std::max<u64>(16, kMostAlong / (along * n_classes))));
    lay_out();
}

LeafRule Layout::leaf() const {
    const CriterionPlugin& plugin = Registry::get().criteria.at(criterion);
    return plugin.leaf ? plugin.leaf(Params(plugin.info, {})) : LeafRule{};
}

void Layout::lay_out() {
    begin = {0};
    for (u32 c = 0; c < n_table(); ++c)
        begin.push_back(begin.back() + (!numeric(c) ? n_values[c] : n_directions > 0 ? 0 : edges[c].size() + 2));
    const u64 cells = begin.back() + u64{n_directions} * (n_direction_bins + 1);
    if (cells >= kNone || cells * n_classes >= u64{1} << 40)
        throw std::invalid_argument("more cells than there are numbers for");
    for (u32 a = 0; a < n_directions; ++a) begin.push_back(begin.back() + n_direction_bins + 1);
}

Layout Layout::from(std::string_view bytes) {
    Layout sent = from_bytes<Layout>(bytes);
    sent.lay_out();
    return sent;
}

AnswerSize Layout::size_of(Ask ask, bool weighted) const {
    const u64 k = n_classes, d = static_cast<u64>(std::count(n_values.begin(), n_values.end(), 0u));
    switch (ask) {
        case Ask::measure:
            return regression ? AnswerSize{1, 0, 0, 4} : AnswerSize{k, k, 0, 0};
        case Ask::total:
            return {0, 0, 2, 0};
        case Ask::spread:
            return {0, 0, leaf().squares() ? 1u : 2u, 0};
        case Ask::sums:
            return {0, n_groups() * (2 * d + 1), 0, 2 * d};
        case Ask::products:
            return {0, d * d, 0, 0};
        case Ask::count:
            return {size(), n_sums(weighted), 0, n_ends()};
        default:
            return {};
    }
}

}  // namespace bough
