// Best: the tie rule, whatever the order of offers and whoever merges them.
#include "score/best.hpp"

#include <doctest/doctest.h>

#include "random.hpp"

using namespace bough;

namespace {

Candidate candidate(double gain, double balance, u32 column, u64 place = 0) {
    return {.gain = gain, .balance = balance, .key = {column, 0, place}};
}

// The rule as it is written: of those tied with the largest gain, of the most balanced, the lowest key.
Candidate by_the_rule(const std::vector<Candidate>& all, Gain unit, double weight) {
    Gain top = -kInf;
    for (const auto& c : all) top = std::max(top, c.gain);
    const Gain floor = top - kTie * std::max(unit, std::fabs(top));
    double balance = 0;
    for (const auto& c : all)
        if (c.gain >= floor) balance = std::max(balance, c.balance);
    const Candidate* win = nullptr;
    for (const auto& c : all)
        if (c.gain >= floor && c.balance >= balance - kTie * weight && (!win || c.key < win->key)) win = &c;
    return *win;
}

}  // namespace

TEST_CASE("a larger gain wins, then the more balanced, then the first column, then the lowest cut") {
    Best best(1, 10);
    CHECK(best.empty());
    best.offer(candidate(0.5, 1, 3));
    best.offer(candidate(0.25, 5, 0));
    CHECK(best.winner().key.column == 3);
    best.offer(candidate(0.5, 2, 7));
    CHECK(best.winner().key.column == 7);
    best.offer(candidate(0.5, 2, 5, 4));
    best.offer(candidate(0.5, 2, 5, 2));
    CHECK(best.winner().key.column == 5);
    CHECK(best.winner().key.place == 2);
}

TEST_CASE("gains that differ by less than the tolerance are tied, those that differ by more are not") {
    Best best(1, 10);
    best.offer(candidate(0.5, 1, 0));
    best.offer(candidate(0.5 - 0.5 * kTie, 2, 1));
    CHECK(best.winner().key.column == 1);
    best.offer(candidate(0.5 + 2 * kTie, 1, 2));
    CHECK(best.winner().key.column == 2);
}

TEST_CASE("the winner depends on the set of candidates and not on their order, nor on who merges them") {
    for (u64 seed = 0; seed < 300; ++seed) {
        Dice dice(seed);
        std::vector<Candidate> all;
        for (u32 i = 0; i < 1 + dice.below(12); ++i)  // chains of gains, each tied with the next
            all.push_back(candidate(0.5 + dice.below(6) * 0.4 * kTie, 1 + dice.below(3), dice.below(4), i));
        const Key wanted = by_the_rule(all, 1, 10).key;
        for (int turn = 0; turn < 5; ++turn) {
            dice.shuffle(all);
            Best one(1, 10), two = one.afresh();
            for (std::size_t i = 0; i < all.size(); ++i) (i % 2 ? one : two).offer(all[i]);
            one.merge(two);
            CHECK(one.winner().key == wanted);
        }
    }
}

TEST_CASE("what is not a number is never offered") {
    Best best(1, 10);
    best.offer(candidate(std::numeric_limits<double>::quiet_NaN(), 1, 0));
    CHECK(best.empty());
}
