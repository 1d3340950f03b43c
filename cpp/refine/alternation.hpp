// A tree is improved by solving each node again with the rest of it fixed, level by level, until nothing changes
// (Carreira-Perpiñán & Tavallali 2018).
#pragma once

#include "refine/linear.hpp"

namespace bough {

struct Refining;
struct Refinement;

struct AlternationSettings {
    bool linear = false;
    u32 terms = 1;           // of a linear split at most
    double price = 2;        // rows that a term must save
    bool levels = true;      // each level is refined before the next one grows
    u32 passes = 20;         // of one stage at most
    u32 min_value_rows = 5;  // of a nominal value that is to have a side of its own
};

class Alternation {
   public:
    Alternation(const Refining& how, const Moments& moments, const AlternationSettings& settings, Team& team);

    // Grows and refines a tree, a term costing so many rows.
    void run(double price);
    // Refines it further at another price.
    void go_on(double price);
    // Takes away what is below the plan's limits on leaves.
    void keep_limits();

    const Shape& shape() const { return shape_; }
    const Losses& losses() const { return losses_; }

   private:
    bool grow(u32 levels);
    bool grow_leaf(u32 leaf, std::span<const u32> rows, u32 levels, int threads, std::vector<Split>& to) const;
    void begin(std::string stage);
    double refit();
    void note();
    void passes(bool to_the_end);
    bool pass();
    void finish(double price, const std::string& stage);
    std::vector<u8> changed() const;
    Pull pull_of(u32 node) const;
    RowGains gains_at(std::span<const u32> nodes);
    bool update(u32 node, const RowGains& gains, u32 slot, const Offer& cut, std::span<const double> terms, Team& team,
                Offer& to) const;
    void collapse();
    void make_leaf(u32 node, LeafValue value);

    const Refining& how_;
    const AlternationSettings& settings_;
    Team& team_;
    const Moments& moments_;
    Losses losses_;
    const std::vector<OrderedColumn> columns_;
    Cuts cuts_;
    Linear linear_;
    Shape shape_;
    Shape::Rows rows_;                   // of each node, since the last look at the leaves
    std::vector<std::vector<u8>> ends_;  // gains_at
    double price_ = 0;                   // of a term, in units of the loss
    u64 clock_ = 1;
};

}  // namespace bough
