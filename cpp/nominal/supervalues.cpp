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
    std::unordered_multimap<u64, u32> found;  // hash of the shares → supervalue
    std::vector<u32> first;                   // per supervalue
    found.reserve(t.n_values);
    auto same = [&](u32 a, u32 b) {
        for (u32 c = 0; c < k; ++c)
            if (place(t.of(a)[c] / t.totals[a]) != place(t.of(b)[c] / t.totals[b])) return false;
        return true;
    };
    for (u32 v = 0; v < t.n_values; ++v) {
        u64 hash = 0;
        for (u32 c = 0; c < k; ++c) hash = mix(hash + place(t.of(v)[c] / t.totals[v]));
        u32 at = kNone;
        const auto [begin, end] = found.equal_range(hash);
        for (auto i = begin; i != end && at == kNone; ++i)
            if (same(first[i->second], v)) at = i->second;
        if (at == kNone) {
            at = static_cast<u32>(first.size());
            first.push_back(v);
            found.emplace(hash, at);
            table.codes.push_back(t.codes[v]);
            table.rows.push_back(0);
            table.w.resize(table.w.size() + k, 0.0);
        }
        group[v] = at;
        table.rows[at] += t.rows[v];
        for (u32 c = 0; c < k; ++c) table.w[std::size_t{at} * k + c] += t.of(v)[c];
    }
    table.n_values = static_cast<u32>(first.size());
    table.add_up();
}

}  // namespace bough
