// sliq, sliq_ext: values leave the left side one by one, each time the one whose move gains most; sliq
// stops when no move gains, sliq_ext goes on to the last value. The best partition on the way counts.
#include "nominal/scan.hpp"
#include "searches/searches.hpp"

namespace bough {

namespace {

// Larger by more than rounding: what is equal goes to the first.
bool more(double a, double b) { return a > -kInf && (b == -kInf || a > b + kTie * std::fabs(b)); }

void search_sliq(const Contingency& t, const PartitionSink& sink, bool to_the_end) {
    Partition p(t);
    for (u32 v = 0; v < t.n_values; ++v) p.flip(v);
    Scan scan(t, sink);
    double now = 0, top = -kInf;
    std::vector<u8> best;
    for (u32 step = 0; step + 1 < t.n_values; ++step) {
        sink.poll();
        const auto gains = scan.moves(p);
        u32 move = kNone;
        for (u32 v = 0; v < t.n_values; ++v)
            if (p.left(v) && (move == kNone || more(gains[v], gains[move]))) move = v;
        if (move == kNone) break;
        const double gain = gains[move];
        if (!to_the_end && step > 0 && gain > -kInf && !more(gain, now)) break;
        p.flip(move);
        if (more(gain, top)) {
            top = gain;
            best.assign(p.mask().begin(), p.mask().end());
        }
        now = gain > -kInf ? gain : now;
    }
    if (!best.empty()) sink.offer(t, best);
}

}  // namespace

void search_sliq_ext(const Contingency& t, const PartitionSink& sink, Rng&) { search_sliq(t, sink, true); }

void register_sliq(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"sliq", "moves one category at a time, greedily, while that gains", "Mehta et al. 1996 (SLIQ)"},
        [](const Contingency& t, const PartitionSink& sink, Rng&) { search_sliq(t, sink, false); }, false,
        Needs::classes));
}

void register_sliq_ext(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"sliq_ext", "as sliq, but on to the last category; the best partition on the way", "Mehta et al. 1996 (SLIQ)"},
        search_sliq_ext, false, Needs::classes));
}

}  // namespace bough
