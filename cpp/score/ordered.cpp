// The loss about a quantile on both sides of every cut of a list. A set of rows that only loses rows keeps its quantile
// within reach: of rows that weigh the same, the rest stand in a linked list by their numbers, where the quantile moves
// by one place when a row leaves; of others, a tree of sums (Fenwick 1994) finds it. The left sides are what is left
// when rows leave from the high end, the right sides when they leave from the low end. All sums are of integers.
#include "score/ordered.hpp"

#include <bit>

#include "base/per_thread.hpp"
#include "score/feed.hpp"

namespace bough {

namespace {

// As a function of the integer alone: its upper and its lower half.
double to_double(i128 x) {
    return static_cast<double>(static_cast<i64>(x >> 64)) * 0x1p64 + static_cast<double>(static_cast<u64>(x));
}

// What is known of a set: its loss and weight, and where its quantile is and, where any number between two would do,
// the next place.
struct State {
    double loss = 0, weight = 0;
    u32 at = 0, next = 0;
};

// The rows of a node, and in the order of the target their numbers.
struct Ranked {
    const Node* node;
    LeafRule rule;
    std::vector<double> numbers;
    std::vector<ExactSum> images;  // of weight and weight × number, where rows have weights
    std::vector<i64> integers;     // of numbers, where they have none
};

// Rows that weigh the same.
class Counted {
   public:
    explicit Counted(const Ranked& rows) : rows_(rows), y_(rows.integers.data()) {
        const u32 n = static_cast<u32>(rows.integers.size());
        links().resize(std::max<std::size_t>(links().size(), n + 2));
        link_ = links().data();
        for (u32 i = 0; i < n + 2; ++i) link_[i] = {i - 1, i + 1};
        for (i64 y : rows.integers) total_ += y;
        size_ = n;
        for (const u32 goal = rank(); rank_ < goal; ++rank_) below_ += y_[at_++];
    }
    void leave(u32 place) {
        const u32 i = place + 1;
        const Link l = link_[i];
        link_[l.before].after = l.after;
        link_[l.after].before = l.before;
        const i64 y = y_[place];
        total_ -= y;
        --size_;
        const bool inside = i <= at_;
        below_ -= inside ? y : 0;
        rank_ -= inside;
        at_ = i == at_ ? l.before : at_;
        const u32 goal = rank();
        if (rank_ < goal) {
            at_ = link_[at_].after;
            below_ += y_[at_ - 1];
            ++rank_;
        } else if (rank_ > goal) {
            below_ -= y_[at_ - 1];
            at_ = link_[at_].before;
            --rank_;
        }
    }
    State state() const {
        if (size_ == 0) return {};
        const i64 q = y_[at_ - 1];
        const i128 lower = i128{rank_} * q - below_, upper = total_ - below_ - i128{size_ - rank_} * q;
        const LeafRule& rule = rows_.rule;
        return {(to_double(lower) * rule.below + to_double(upper) * rule.above) * rows_.node->image.unit(),
                static_cast<double>(size_), at_ - 1,
                rule.middle && !rule.passes(rank_, size_) && rank_ < size_ ? link_[at_].after - 1 : at_ - 1};
    }

   private:
    struct Link {
        u32 before, after;
    };
    static std::vector<Link>& links() { return per_thread<std::vector<Link>, struct LinksHere>(); }
    // How many rows reach the quantile, of those that are left.
    u32 rank() const { return size_ == 0 ? 0 : std::max(1u, static_cast<u32>(std::ceil(level_ * size_))); }

    const Ranked& rows_;
    const i64* y_;
    const double level_ = rows_.rule.level() * (1 - kSum);
    Link* link_;  // place i is number i + 1; 0 and the last are the ends
    u32 size_ = 0, at_ = 0, rank_ = 0;
    i128 total_ = 0, below_ = 0;  // of all, and of those up to the quantile
};

// Rows that have weights.
class Weighed {
   public:
    explicit Weighed(const Ranked& rows) : rows_(rows), n_(static_cast<u32>(rows.images.size())) {
        sums().assign(n_ + 1, {});
        tree_ = sums().data();
        for (u32 i = 1; i <= n_; ++i) {
            total_ += rows.images[i - 1];
            tree_[i] += rows.images[i - 1];
            if (const u32 up = i + (i & -i); up <= n_) tree_[up] += tree_[i];
        }
        size_ = n_;
    }
    void leave(u32 place) {
        const ExactSum& one = rows_.images[place];
        for (u32 i = place + 1; i <= n_; i += i & -i) tree_[i] = tree_[i] - one;
        total_ = total_ - one;
        --size_;
    }
    State state() const {
        if (size_ == 0) return {};
        const LeafRule& rule = rows_.rule;
        const NumberImage& image = rows_.node->image;
        const long double all = static_cast<long double>(total_.weight), goal = rule.level() * all * (1 - kSum);
        ExactSum below;
        u32 at = find(std::max<i128>(1, static_cast<i128>(std::ceil(goal))), below);
        below += rows_.images[at];
        const long double lower = -image.about(rows_.numbers[at], below),
                          upper = image.about(rows_.numbers[at], total_ - below);
        u32 next = at;
        if (rule.middle && !rule.passes(below.weight, all) && below.weight < total_.weight) {
            ExactSum unused;
            next = find(below.weight + 1, unused);
        }
        return {static_cast<double>(std::max(0.0L, lower) * rule.below + std::max(0.0L, upper) * rule.above),
                image.weight(total_.weight), at, next};
    }

   private:
    static std::vector<ExactSum>& sums() { return per_thread<std::vector<ExactSum>, struct SumsHere>(); }
    // The first place up to which rows weigh so much; `before`: those before it.
    u32 find(i128 goal, ExactSum& before) const {
        u32 at = 0;
        for (u32 step = std::bit_floor(n_); step > 0; step /= 2)
            if (at + step <= n_ && before.weight + tree_[at + step].weight < goal) {
                at += step;
                before += tree_[at];
            }
        return std::min(at, n_ - 1);
    }

    const Ranked& rows_;
    const u32 n_;
    u32 size_ = 0;
    ExactSum* tree_;
    ExactSum total_;
};

class OrderedSweep {
   public:
    OrderedSweep(const LeafRule& rule, const Node& node, const PackedColumn& column, const LeafLimits& limits,
                 u32 least, const CutSink& sink)
        : node_(node), column_(column), limits_(limits), least_(least), sink_(sink), list_(column.low) {
        ranked_.node = &node;
        ranked_.rule = rule;
        rank();
    }

    template <class Rows>
    void run() {
        const u32 n = list_.size, m = column_.missing.size;
        if (n == 0) return;
        before_ = Rows(ranked_).state().loss;
        for (const bool with : {true, false}) {
            if (!with && m == 0) break;
            leave<Rows>(with, false, left_[with]);
            leave<Rows>(with, true, right_[with]);
        }
        const Feed feed{&column_, list_, column_.weights, nullptr};
        for (const bool missing_outer : {false, true}) {
            if (missing_outer && m == 0) break;
            const auto& left = left_[m == 0 || missing_outer];
            const auto& right = right_[m == 0 || !missing_outer];
            Run run;
            run.missing_outer = missing_outer;
            const u32 start = missing_outer ? m : 0;
            const u32 first = least_ > start + 1 ? least_ - start - 1 : 0, room = node_.n_rows - least_;
            const u32 last = std::min(room > start ? room - start : 0, n - 1);
            for (u32 i = first; node_.n_rows >= least_ && i < last; ++i)
                if (feed.separates(i))
                    offer(left[i], right[i], [&](Gain gain, double balance, const Side& l, const Side& r) {
                        offer_cut(feed, run, i, gain, balance, {l, r, 0}, sink_);
                    });
        }
        if (m == 0 || sink_.projected || m < least_ || node_.n_rows - m < least_) return;
        Rows missing(ranked_);
        for (u32 i = 0; i < n; ++i) missing.leave(places_[i]);
        offer(left_[false][n - 1], missing.state(), [&](Gain gain, double balance, const Side& l, const Side& r) {
            offer_missing_alone(gain, balance, {l, r, 0}, sink_);
        });
    }

   private:
    // Puts the rows of the list, and behind them those without a value, in the order of the target.
    void rank() {
        const Packing& packing = *column_.packing;
        const u32 n = list_.size, m = column_.missing.size;
        auto& order = per_thread<std::vector<u32>, struct OrderHere>();
        auto& places = per_thread<std::vector<u32>, struct PlacesHere>();
        order.clear();
        if (!sink_.projected)
            order.assign(node_.by_target.begin(), node_.by_target.end());  // else rows have other numbers
        const double* numbers = column_.numbers;
        u32 most = 0;
        places_.resize(n + m);
        for (u32 i = 0; i < n + m; ++i) {
            const u32 row = packing.row(i < n ? list_.entries[i] : column_.missing.entries[i - n]);
            places_[i] = row;
            most = std::max(most, row);
        }
        if (order.size() != n + m) {
            order = places_;
            std::sort(order.begin(), order.end(), [numbers](u32 a, u32 b) { return numbers[a] < numbers[b]; });
        }
        places.resize(std::max<std::size_t>(places.size(), most + 1));
        for (u32 i = 0; i < n + m; ++i) places[order[i]] = i;
        for (u32& p : places_) p = places[p];
        ranked_.numbers.resize(n + m);
        for (u32 i = 0; i < n + m; ++i) ranked_.numbers[i] = numbers[order[i]];
        ranked_.images.clear();
        ranked_.integers.clear();
        for (u32 i = 0; i < n + m; ++i) {
            if (!column_.weights) {
                ranked_.integers.push_back(node_.image.of(ranked_.numbers[i]));
                continue;
            }
            ranked_.images.emplace_back();
            node_.image.add(ranked_.numbers[i], ranked_.images.back(), column_.weights[order[i]]);
        }
    }

    // The states of one side of every cut: from the high end rows leave that are right of it, from the low end those
    // left; with or without the rows that have no value.
    template <class Rows>
    void leave(bool with_missing, bool low_end, std::vector<State>& to) {
        const u32 n = list_.size;
        to.resize(n);
        Rows rows(ranked_);
        if (!with_missing)
            for (u32 i = n; i < places_.size(); ++i) rows.leave(places_[i]);
        if (!low_end) to[n - 1] = rows.state();
        for (u32 j = 1; j < n; ++j) {
            const u32 i = low_end ? j - 1 : n - j;
            rows.leave(places_[i]);
            to[low_end ? i : i - 1] = rows.state();
            if (j % 65536 == 0 && sink_.budget) sink_.budget->poll();
        }
    }

    template <class Offer>
    void offer(const State& l, const State& r, Offer give) const {
        const double gain = (before_ - l.loss - r.loss) / node_.total, balance = std::min(l.weight, r.weight);
        if (!(gain >= sink_.best->floor()) || balance < limits_.min_weight) return;
        auto side = [&](const State& s) {
            const double at = ranked_.numbers[s.at], next = ranked_.numbers[s.next];
            return node_.view(Side({&s.weight, 1})).losing(at + (next - at) / 2, s.loss, before_);
        };
        give(gain, balance, side(l), side(r));
    }

    const Node& node_;
    const PackedColumn& column_;
    const LeafLimits& limits_;
    const u32 least_;
    const CutSink& sink_;
    const PackedList& list_;
    double before_ = 0;
    Ranked& ranked_ = per_thread<Ranked, struct RankedHere>();
    std::vector<u32>& places_ =
        per_thread<std::vector<u32>, struct PlacesOfRows>();  // of rows of the list, then others
    struct States {
        std::vector<State> of[2];
    };
    std::vector<State>*left_ = per_thread<States, struct LeftHere>().of,
    *right_ = per_thread<States, struct RightHere>().of;  // without missing values, and with them
};

}  // namespace

void ordered_cuts(const LeafRule& rule, const Node& node, const PackedColumn& column, const LeafLimits& limits,
                  u32 least, const CutSink& sink) {
    OrderedSweep sweep(rule, node, column, limits, least, sink);
    column.weights ? sweep.run<Weighed>() : sweep.run<Counted>();
}

}  // namespace bough
