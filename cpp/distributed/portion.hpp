// One portion of a table whose rows lie on several machines: its numbers as bins, and its rows sorted by the node that
// they have come to. It counts, sends the numbers inside a few bins, and sends rows on; it decides nothing.
#pragma once

#include <map>
#include <memory>

#include "base/budget.hpp"
#include "base/dot.hpp"
#include "data/sample.hpp"
#include "distributed/layout.hpp"
#include "distributed/messages.hpp"
#include "score/node.hpp"

namespace bough {

class Portion {
   public:
    // Rows that weigh nothing are left out; all others are at node 0.
    Portion(const Data& data, Layout layout, Budget& budget);
    // Rows of a portion, ascending, which may repeat: they share its bins.
    Portion(const Portion& all, std::span<const u32> rows);

    // What was asked, added to the answer of the portions before this one if there is one.
    Answer answer(const Request& request, const Answer* before, Budget& budget);

   private:
    struct Segment {
        u32 begin = 0, size = 0;
    };
    using Bin = std::uint16_t;

    bool weighted() const { return data_.target.weighted(); }
    std::span<const u32> rows_of(u32 node) const {
        return node < segments_.size()
                   ? std::span<const u32>(rows_).subspan(segments_[node].begin, segments_[node].size)
                   : std::span<const u32>();
    }
    void put_into_bins(u32 column, std::vector<Bin>& bins, Budget& budget) const;
    double position(const SentDirection& line, u32 row) const {
        return dot(static_cast<u32>(line.columns.size()), line.weights.data(),
                   [&](u32 t) { return data_.table.columns[line.columns[t]].value(row) - line.centers[t]; });
    }
    std::span<const SentDirection> lines(u32 node) const;

    void add_moments(const Request& request, Answer& to) const;
    void measure(const Request& request, std::size_t i, u32* rows, double* weights, i128* exact, double* ends) const;
    void aim(const Request& request, Budget& budget);
    void count(u32 node, double center, u32* rows, double* sums) const;
    void raise_ends(u32 node, double* ends) const;
    void add_sums(const Request& request, std::size_t i, double* sums, double* ends, std::vector<double>& some) const;
    void add_products(u32 node, std::span<const double> centers, const double* mean, double* products,
                      Budget& budget) const;
    void find(std::span<const WantedBin> wanted, Answer& to, Budget& budget) const;
    void divide(const SentSplit& sent, std::span<const double> centers);
    TakenRows take(u32 node) const;

    const Data data_;
    const std::shared_ptr<const Layout> layout_;
    std::vector<u32> numeric_;                                   // columns
    std::shared_ptr<const std::vector<std::vector<Bin>>> bins_;  // per column and row; nominal: none
    std::vector<u32> rows_;                                      // of one node after the other, ascending inside a node
    std::vector<Segment> segments_;                              // per node
    u32 aim_ = 0;                                                // the number of these directions
    std::map<u32, std::vector<SentDirection>> lines_;            // of nodes that have directions
    std::vector<std::vector<Bin>> line_bins_;                    // per direction and row
};

}  // namespace bough
