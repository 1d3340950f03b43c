// Partitions of packed lists by every kernel set, and Division: each beside the plain way.
#include <doctest/doctest.h>

#include "base/kernels.hpp"
#include "data/division.hpp"
#include "data/kernels.hpp"
#include "random.hpp"

using namespace bough;

namespace {

struct EveryKernelSet {
    template <class Check>
    explicit EveryKernelSet(Check check) {
        const std::string before = kernels_in_use();
        for (const std::string& name : kernel_names()) {
            CAPTURE(name);
            use_kernels(name);
            check();
        }
        use_kernels(before);
    }
};

constexpr u32 kRows = 512, kMask = kRows - 1;

// A list of rows in any order, with something in the bits above.
std::vector<u32> list_of(Dice& dice, u32 size) {
    std::vector<u32> rows(kRows);
    for (u32 i = 0; i < kRows; ++i) rows[i] = i;
    dice.shuffle(rows);
    rows.resize(size);
    for (u32& e : rows) e |= dice.below(1u << 20) << 9;
    return rows;
}

}  // namespace

TEST_CASE("marked entries go to the front, both sides in their order") {
    EveryKernelSet([] {
        for (u64 seed = 0; seed < 200; ++seed) {
            Dice dice(seed);
            const std::vector<u32> list = list_of(dice, dice.below(kRows + 1));
            std::vector<u32> marks(kRows / 32 + 2);
            for (u32& m : marks) m = seed % 5 == 0 ? 0 : seed % 5 == 1 ? ~0u : dice.below(~0u);
            std::vector<u32> front, back, spare(list.size() + 64), moved = list;
            for (u32 e : list) ((marks[(e & kMask) >> 5] >> (e & 31) & 1) ? front : back).push_back(e);
            const u32 size = static_cast<u32>(list.size());
            moved.resize(size + 64);
            CHECK(list_kernels().partition_both(moved.data(), size, kMask, marks.data(), spare.data()) == front.size());
            CHECK(std::equal(front.begin(), front.end(), moved.begin()));
            CHECK(std::equal(back.begin(), back.end(), moved.begin() + static_cast<i64>(front.size())));
            std::vector<u32> to(size + 64);
            CHECK(list_kernels().select(list.data(), size, kMask, marks.data(), to.data()) == front.size());
            CHECK(std::equal(front.begin(), front.end(), to.begin()));
        }
    });
}

TEST_CASE("blocks of entries are counted as one by one") {
    EveryKernelSet([] {
        for (u64 seed = 0; seed < 50; ++seed) {
            Dice dice(seed);
            std::vector<u32> entries(256);
            for (u32& e : entries) e = dice.below(~0u);
            const u32 shift = dice.below(20), value = dice.below(4) << shift;
            u32 equal = 0;
            for (u32 e : entries) equal += (e & (3u << shift)) == value;
            CHECK(list_kernels().count_block(entries.data(), 3u << shift, value) == equal);
        }
    });
}

TEST_CASE("a division tells the child of every row, and leaves its memory as it was") {
    DivisionMemory memory(100);
    for (u64 seed = 0; seed < 50; ++seed) {
        Dice dice(seed);
        std::vector<u32> child(100);
        for (u32& c : child) c = dice.below(2);
        const u32 front = dice.below(2);
        auto list = [&](std::vector<u32>& rows) {
            for (u32 row = 0; row < 100; ++row)
                if (child[row] == front) rows.push_back(row);
            return front;
        };
        const Division d = Division::in_two(memory, 100, list);
        CHECK(d.n_rows[0] + d.n_rows[1] == 100);
        for (u32 row = 0; row < 100; ++row) CHECK(d.child(row) == child[row]);
    }
    CHECK(memory.listed.empty());
    CHECK(std::all_of(memory.bits.begin(), memory.bits.end(), [](u32 bits) { return bits == 0; }));
}

TEST_CASE("a division in many sorts a list by child, stably") {
    DivisionMemory memory(kRows);
    Dice dice(1);
    std::vector<u32> rows(kRows), child(kRows), list = list_of(dice, kRows), spare(kRows);
    for (u32 row = 0; row < kRows; ++row) rows[row] = row, child[row] = dice.below(5);
    const Division d = Division::in_many(memory, rows, 5, [&](u32 row) { return child[row]; });
    std::vector<u32> sorted = list;
    std::stable_sort(sorted.begin(), sorted.end(), [&](u32 a, u32 b) { return child[a & kMask] < child[b & kMask]; });
    std::vector<Piece> pieces(5);
    d.part(list.data(), kRows, kMask, pieces.data(), spare.data());
    CHECK(list == sorted);
    for (u32 c = 0; c < 5; ++c) CHECK(pieces[c].size == d.n_rows[c]);
}
