// Shapley values of trees whose nodes ask several columns, through linear splits or surrogates: every coalition of the
// columns of a path is followed down the tree.
#pragma once

#include "explain/game.hpp"

namespace bough {

struct RowOf {
    std::span<const Column> columns;
    u64 row;
};

class Coalitions {
   public:
    static constexpr u32 kMostPlayers = 12;  // of a path

    explicit Coalitions(const Game& game) : game_(game) {}
    // Adds the Shapley values of a row: against another one or, if that has no columns, by weights. False, and
    // something half done, if a path asks more columns that make a difference than can be followed.
    bool add(const RowOf& own, const RowOf& other, double scale, double* out, Budget& budget);

   private:
    struct Open {
        u32 arm;
        std::vector<u32> players;
        std::vector<double> share;  // of each coalition that comes here
    };
    void set(u32 column, bool own) { mixture_[column] = (own_[column] = own) ? owns_[column] : others_[column]; }
    std::vector<u32> asked(const SplitView& split);
    u32 way(const SplitView& split) const;
    bool descend(Open& open, double scale, double* out);
    void credit(const Open& open, const Arm& arm, double scale, double* out) const;

    const Game& game_;
    bool by_weight_ = false;
    std::vector<Column> mixture_, owns_, others_;  // one row each: of both rows, the row, the other one
    std::vector<u8> own_, differs_;                // by column
    std::vector<Open> waiting_;
};

}  // namespace bough
