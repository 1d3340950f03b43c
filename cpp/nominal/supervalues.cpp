#include "nominal/supervalues.hpp"

#include <unordered_map>

namespace bough {

namespace {

u64 place(double share) { return static_cast<u64>(share / kShares + 0.5); }

}  // namespace

Supervalues::Supervalues(const Contingency& t) : group(t.n_values) {
    const u32 k = t.n_classes;
    table.n_classes = k;
    table.integral = t.integral;
    table.classes = t.classes;
    std::unordered_map<u64, u32> found;  // hash of the shares → supervalue
    found.reserve(t.n_values);
    for (u32 v = 0; v < t.n_values; ++v) {
        u64 hash = 0;
        for (u32 c = 0; c < k; ++c) hash = mix(hash + place(t.of(v)[c] / t.totals[v]));
        const auto [known, fresh] = found.emplace(hash, static_cast<u32>(found.size()));
        const u32 at = known->second;
        if (fresh) {
            table.codes.push_back(t.codes[v]);
            table.rows.push_back(0);
            table.w.resize(table.w.size() + k, 0.0);
        }
        group[v] = at;
        table.rows[at] += t.rows[v];
        for (u32 c = 0; c < k; ++c) table.w[std::size_t{at} * k + c] += t.of(v)[c];
    }
    table.n_values = static_cast<u32>(found.size());
    table.add_up();
}

}  // namespace bough
