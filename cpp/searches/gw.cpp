// gw: the semidefinite relaxation of the largest cut (Goemans & Williamson), solved in low rank (Burer &
// Monteiro) one vector at a time; then random hyperplanes, then moves and swaps. A dual solution
// limits the weight of every cut.
#include "base/slack.hpp"
#include "nominal/graph.hpp"
#include "searches/searches.hpp"

namespace bough {

namespace {

constexpr u32 kMostValues = 2000;  // n² edges and a factorisation in n³

// Maximises Σ w_ij·(1 − v_i·v_j)/2 over unit vectors of rank r.
class Relaxation {
   public:
    Relaxation(const Contingency& t, Graph& graph, const PartitionSink& sink, Rng& rng)
        : t_(t), graph_(graph), sink_(sink), n_(graph.size()), rng_(rng) {
        pull_.assign(n_, 0.0);
        start(std::min(kFirstRank, full_rank()));
        by_class_ = sink.scorer().traits().sums && n_ > t.n_classes;
        if (by_class_) set_classes();
    }
    u32 rank() const { return rank_; }
    const double* vector(u32 i) const { return v_.data() + std::size_t{i} * rank_; }
    double bound() const { return bound_; }

    // Turns vectors, one at a time, away from the sum of their neighbours, until value and bound are
    // within `tolerance`.
    void solve(double tolerance) {
        // Few dimensions are enough nearly always, and the bound tells when they are not.
        if (!settles(tolerance, rank_ < full_rank() ? 3000 : 20000) && rank_ < full_rank()) {
            start(full_rank());
            settles(tolerance, 20000);
        }
    }

   private:
    static constexpr u32 kFirstRank = 8;

    bool settles(double tolerance, u32 rounds) {
        u32 next = 16;
        for (u32 round = 1; round <= rounds; ++round) {
            const double change = turn_all();
            sink_.poll();
            const bool settled = change <= kSettled * graph_.total();
            if (round < next && !settled) continue;
            next = round + std::max(24u, round / 4);  // each look costs a factorisation
            const double value = set_pulls();
            const double spare = value * (1 + tolerance) - least_bound();
            if (spare > 0 && factors(4 * spare / n_)) {
                bound_ = least_bound() + spare;
                return true;
            }
            if (settled) break;
        }
        double most = kLeastPull;
        for (double p : pull_) most = std::max(most, p);
        double shift = kShift * most;  // rounding, or no convergence: the bound is what can be proven
        while (!factors(shift) && shift < 8 * most) shift *= 2;
        bound_ = std::min(bound_, least_bound() + n_ * shift / 4);
        return false;
    }
    // r(r+1)/2 > n: no local optimum is worse than the relaxation. Padded for the vector units.
    u32 full_rank() const {
        const u32 r = static_cast<u32>(std::ceil(std::sqrt(2.0 * n_))) + 1;
        return (r + 3) / 4 * 4;
    }
    // Random directions.
    void start(u32 rank) {
        rank_ = rank;
        g_.assign(rank, 0.0);
        v_.resize(std::size_t{n_} * rank);
        for (double& x : v_) x = rng_.normal();
        for (u32 i = 0; i < n_; ++i) {
            double* v = v_.data() + std::size_t{i} * rank;
            double norm = 0;
            for (u32 d = 0; d < rank; ++d) norm += v[d] * v[d];
            for (u32 d = 0; d < rank; ++d) v[d] /= std::sqrt(norm);
        }
    }

    // Edges that add up are a bilinear form of the class weights, w_ij = A_i·M·A_j: then the pull on a
    // vector comes from k sums instead of n vectors.
    void set_classes() {
        const u32 k = t_.n_classes;
        std::vector<double> m(std::size_t{k} * k), a(k, 0.0), b(k, 0.0);
        for (u32 c = 0; c < k; ++c)
            for (u32 d = 0; d < k; ++d) {
                a[c] = b[d] = 1;
                m[c * k + d] = sink_.scorer().graph()->edge(Side(a).of(t_.classes), Side(b).of(t_.classes));
                a[c] = b[d] = 0;
            }
        am_.assign(std::size_t{n_} * k, 0.0);
        own_.assign(n_, 0.0);
        for (u32 i = 0; i < n_; ++i)
            for (u32 d = 0; d < k; ++d) {
                for (u32 c = 0; c < k; ++c) am_[std::size_t{i} * k + d] += t_.of(i)[c] * m[c * k + d];
                own_[i] += am_[std::size_t{i} * k + d] * t_.of(i)[d];
            }
        sum_classes();
    }
    void sum_classes() {
        const u32 k = t_.n_classes;
        sums_.assign(std::size_t{k} * rank_, 0.0);
        for (u32 i = 0; i < n_; ++i)
            for (u32 c = 0; c < k; ++c) add(sums_.data() + std::size_t{c} * rank_, t_.of(i)[c], vector(i));
    }
    void add(double* to, double w, const double* v) const {
        for (u32 d = 0; d < rank_; d += 4)
            for (u32 l = 0; l < 4; ++l) to[d + l] += w * v[d + l];
    }
    // g_ = Σ_j weights[j]·rows[j], four dimensions at a time, which stay in registers
    void gather(const double* weights, const double* rows, u32 n) {
        for (u32 d = 0; d < rank_; d += 4) {
            double sum[4] = {0, 0, 0, 0};
            for (u32 j = 0; j < n; ++j)
                for (u32 l = 0; l < 4; ++l) sum[l] += weights[j] * rows[std::size_t{j} * rank_ + d + l];
            for (u32 l = 0; l < 4; ++l) g_[d + l] = sum[l];
        }
    }
    // g_ = Σ_j w_ij·v_j
    void pull(u32 i) {
        if (by_class_) {
            gather(am_.data() + std::size_t{i} * t_.n_classes, sums_.data(), t_.n_classes);
            add(g_.data(), -own_[i], vector(i));
        } else {
            gather(graph_.row(i), v_.data(), n_);
        }
        double norm = 0;
        for (double x : g_) norm += x * x;
        pull_[i] = std::sqrt(norm);
    }
    double turn_all() {
        double change = 0;
        if (by_class_) sum_classes();
        for (u32 i = 0; i < n_; ++i) {
            pull(i);
            if (!(pull_[i] > 0)) continue;
            double* v = v_.data() + std::size_t{i} * rank_;
            double product = 0;
            for (u32 d = 0; d < rank_; ++d) {
                product += g_[d] * v[d];
                g_[d] = -g_[d] / pull_[i] - v[d];  // the turn itself
                v[d] += g_[d];
            }
            for (u32 c = 0; by_class_ && c < t_.n_classes; ++c)
                add(sums_.data() + std::size_t{c} * rank_, t_.of(i)[c], g_.data());
            change += (pull_[i] + product) / 2;
        }
        return change;
    }
    // Pulls at the present vectors; gives the value of the relaxation there.
    double set_pulls() {
        double sum = 0;
        if (by_class_) sum_classes();
        for (u32 i = 0; i < n_; ++i) {
            pull(i);
            for (u32 d = 0; d < rank_; ++d) sum += g_[d] * vector(i)[d];
        }
        return graph_.total() / 2 - sum / 4;
    }
    // For any λ with W + diag(λ + ε) positive semidefinite no cut weighs more than
    // total/2 + (Σλ + n·ε)/4. The pulls are the best λ at the optimum.
    double least_bound() const {
        double sum = 0;
        for (double p : pull_) sum += p;
        return graph_.total() / 2 + sum / 4;
    }
    // Does W + diag(λ + shift) have a Cholesky factor?
    bool factors(double shift) {
        l_.resize(std::size_t{n_} * n_);
        for (u32 i = 0; i < n_; ++i) {
            const double* e = graph_.row(i);
            double* li = l_.data() + std::size_t{i} * n_;
            for (u32 j = 0; j <= i; ++j) {
                const double* lj = l_.data() + std::size_t{j} * n_;
                double s[4] = {0, 0, 0, 0};
                u32 d = 0;
                for (; d + 4 <= j; d += 4)
                    for (u32 l = 0; l < 4; ++l) s[l] += li[d + l] * lj[d + l];
                double dot = (s[0] + s[1]) + (s[2] + s[3]);
                for (; d < j; ++d) dot += li[d] * lj[d];
                if (j < i) {
                    li[j] = (e[j] - dot) / lj[j];
                } else {
                    const double rest = pull_[i] + shift - dot;
                    if (!(rest > 0)) return false;
                    li[i] = std::sqrt(rest);
                }
            }
            if (n_ > 500) sink_.poll();
        }
        return true;
    }

    const Contingency& t_;
    Graph& graph_;
    const PartitionSink& sink_;
    u32 n_, rank_ = 0;
    Rng& rng_;
    bool by_class_ = false;
    std::vector<double> v_, g_, pull_, l_, am_, own_, sums_;
    double bound_ = kInf;
};

struct Ways {
    u32 hyperplanes = 50;
    double tolerance = 1e-3;   // rough: nobody asks `auto` for the bound
    bool greedy_start = true;  // GreedyCut competes with the hyperplanes
    LocalSearch local{.most_swapped = kNone};
};

void search(const Contingency& t, const PartitionSink& sink, Rng& rng, const Ways& ways) {
    Graph graph(t, sink);
    const u32 n = graph.size();
    if (!(graph.total() > 0)) return offer_something(t, sink);
    Relaxation relaxation(t, graph, sink, rng);
    relaxation.solve(ways.tolerance);
    std::vector<u8> left(n), best(n);
    if (ways.greedy_start) best = graph.greedy_cut().left;
    double top = ways.greedy_start ? graph.cut(best) : -kInf;
    std::vector<double> normal(relaxation.rank());
    for (u32 i = 0; i < ways.hyperplanes; ++i) {
        for (double& x : normal) x = rng.normal();
        for (u32 v = 0; v < n; ++v) {
            double side = 0;
            for (u32 d = 0; d < normal.size(); ++d) side += normal[d] * relaxation.vector(v)[d];
            left[v] = side >= 0;
        }
        const double cut = graph.cut(left);
        if (cut > top) {
            top = cut;
            best = left;
        }
        sink.poll();
    }
    sink.offer(t, best);  // counts only where the better cut breaks a limit on leaves
    Graph::Cut cut = graph.cut_of(std::move(best));
    graph.improve(cut, ways.local);
    sink.offer(t, cut.left);
    sink.prove(std::min(relaxation.bound(), graph.total()) * graph.scale());
}

}  // namespace

void search_gw(const Contingency& t, const PartitionSink& sink, Rng& rng) { search(t, sink, rng, {}); }

void register_gw(Registry& r) {
    Info info{
        "gw",
        "semidefinite relaxation of the largest cut, random hyperplanes, then moves and swaps; proves a bound",
        "Goemans & Williamson 1995; Burer & Monteiro 2003",
        {{"hyperplanes", "random hyperplanes to try", Param::Type::integer, 50, 1, 1e6},
         {"tolerance", "how close the relaxation comes to its bound, as a share", Param::Type::real, 8e-6, 1e-9, 1},
         {"greedy_start", "whether the cut of GreedyCut competes with those of the hyperplanes", Param::Type::flag,
          1}}};
    for (Param& p : local_params())
        if (p.name != "most_swapped") info.params.push_back(std::move(p));
    FamilyPlugin plugin = nominal_plugin(std::move(info), Needs::graph, [](const Params& p) -> NominalSearch {
        const Ways ways{p.count("hyperplanes"), p.get("tolerance"), p.flag("greedy_start"), local_of(p, kNone)};
        return [=](const Contingency& t, const PartitionSink& sink, Rng& rng) { search(t, sink, rng, ways); };
    });
    r.nominal.push_back(checked(std::move(plugin), [](const Problem& p) {
        check_values(
            p, kMostValues,
            "nominal='gw' solves a semidefinite program for at most " + std::to_string(kMostValues) + " values",
            "'greedy' or 'auto'");
    }));
}

}  // namespace bough
