// Scratch memory of a thread: kept from call to call inside one call from outside, and given back at its end.
#include "base/per_thread.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using bough::per_thread;
using bough::ThreadScratch;

namespace {
int alive = 0;
struct Counted {
    Counted() { ++alive; }
    ~Counted() { --alive; }
    int used = 0;
};
Counted& here() { return per_thread<Counted, struct Here>(); }
}  // namespace

TEST_CASE("scratch lives as long as the outermost call") {
    {
        ThreadScratch::Call outer;
        here().used = 1;
        {
            ThreadScratch::Call inner;
            CHECK(here().used == 1);
        }
        CHECK(here().used == 1);
        CHECK(alive == 1);
    }
    CHECK(alive == 0);
    ThreadScratch::Call again;
    CHECK(here().used == 0);
}

TEST_CASE("names part scratch of one type") {
    ThreadScratch::Call call;
    per_thread<std::vector<int>, struct One>().push_back(1);
    CHECK(per_thread<std::vector<int>, struct Two>().empty());
    CHECK(per_thread<std::vector<int>, struct One>().size() == 1);
}

TEST_CASE("a thread takes its scratch with it") {
    const int before = alive;
    std::thread([] { here().used = 1; }).join();
    CHECK(alive == before);
}
