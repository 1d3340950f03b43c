#include "grow/simplify.hpp"

#include <algorithm>

#include "base/dot.hpp"
#include "base/slack.hpp"
#include "base/threshold.hpp"

namespace bough {

namespace {

class Simplifier {
   public:
    Simplifier(const Split& split, const Table& table, const Moments& moments, std::span<const u32> rows,
               const std::function<bool(u32)>& left, Budget& budget)
        : split_(split), table_(table), moments_(moments), rows_(rows), budget_(budget) {
        for (u32 row : rows) left_.push_back(left(row));
        sums_.assign(rows.size(), 0.0);
        gaps_.assign(rows.size(), 0);
        for (std::size_t t = 0; t < split_.term_columns.size(); ++t) add(t, 1);
    }

    // Drops what can go; true if the sides have changed places.
    bool run(Split& out) {
        for (bool again = true; again && split_.term_columns.size() > 1;) {
            again = false;
            std::vector<u32> order = split_.term_columns;
            std::sort(order.begin(), order.end(), [&](u32 a, u32 b) {
                const double x = size(a), y = size(b);
                return x != y ? x < y : a < b;
            });
            for (u32 column : order)
                if (split_.term_columns.size() > 1) again |= drop(column);
        }
        bool flipped = false;
        if (split_.term_weights[0] < 0) {
            flipped = true;
            for (double& w : split_.term_weights) w = -w;
            for (auto&& side : left_) side = !side;
            split_.missing_left = !split_.missing_left;
            if (!place(split_)) return false;  // as it was given
        }
        if (split_.term_columns.size() == 1)
            to_axis(split_, table_, moments_, rows_, [&](std::size_t i) { return left_[i]; });
        out = split_;
        return flipped;
    }

   private:
    std::size_t place_of(u32 column) const {
        const auto& c = split_.term_columns;
        return static_cast<std::size_t>(std::find(c.begin(), c.end(), column) - c.begin());
    }
    double size(u32 column) const {
        const double spread = moments_.spreads.empty() ? 1.0 : moments_.spreads[column];
        return std::fabs(split_.term_weights[place_of(column)]) * spread;
    }
    // As prediction sees it: a tree of hyperplanes through rows has no centers.
    double value(u32 row, u32 column) const {
        const double center = moments_.centers.empty() ? 0.0 : moments_.centers[column];
        const double x = table_.columns[column].value(row) - center;
        return split_.gaps_at_center && is_missing(x) ? 0.0 : x;
    }

    // Adds a term to the sums of all rows, or takes it away.
    void add(std::size_t t, int sign) {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const double x = value(rows_[i], split_.term_columns[t]);
            if (is_missing(x))
                gaps_[i] += static_cast<u32>(sign);
            else
                sums_[i] += sign * split_.term_weights[t] * x;
        }
    }

    bool drop(u32 column) {
        budget_.poll();
        const std::size_t t = place_of(column);
        add(t, -1);
        Split fewer = split_;
        fewer.term_columns.erase(fewer.term_columns.begin() + static_cast<std::ptrdiff_t>(t));
        fewer.term_weights.erase(fewer.term_weights.begin() + static_cast<std::ptrdiff_t>(t));
        if (may_part() && place(fewer)) {
            split_ = std::move(fewer);
            return true;
        }
        add(t, 1);
        return false;
    }

    // Could the sums as they are now part the sides, up to rounding? A quick look before the true one.
    bool may_part() const {
        double low = -kInf, high = kInf, reach = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (gaps_[i]) {
                if (left_[i] != split_.missing_left) return false;
                continue;
            }
            reach = std::max(reach, std::fabs(sums_[i]));
            if (left_[i])
                low = std::max(low, sums_[i]);
            else
                high = std::min(high, sums_[i]);
        }
        return low < high + kSimpler * reach;
    }

    // Puts the cut of a split where it parts the sides as prediction will see them; false if there is no such.
    bool place(Split& s) const {
        double low = -kInf, high = kInf;
        s.saw_missing = false;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (i % 65536 == 65535) budget_.poll();
            const double z = dot(static_cast<u32>(s.term_columns.size()), s.term_weights.data(),
                                 [&](u32 t) { return value(rows_[i], s.term_columns[t]); });
            if (is_missing(z)) {
                s.saw_missing = true;
                if (left_[i] != s.missing_left) return false;
            } else if (left_[i]) {
                low = std::max(low, z);
            } else {
                high = std::min(high, z);
            }
        }
        if (!(low < high) || low == -kInf || high == kInf) return false;
        s.cut = between(low, high);
        return true;
    }

    Split split_;
    const Table& table_;
    const Moments& moments_;
    std::span<const u32> rows_;
    Budget& budget_;
    std::vector<bool> left_;
    std::vector<double> sums_;  // of each row over the terms that are left
    std::vector<u32> gaps_;     // how many of them it lacks
};

}  // namespace

bool simplify(Split& split, const Table& table, const Moments& moments, std::span<const u32> rows,
              const std::function<bool(u32)>& left, Budget& budget) {
    return Simplifier(split, table, moments, rows, left, budget).run(split);
}

}  // namespace bough
