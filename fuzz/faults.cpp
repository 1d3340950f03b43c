// Deliberate faults, in sanitized builds only: they show that a real one would be seen. See fuzz/sanitize.py.

#include <thread>

#include "base/integers.hpp"

extern "C" __attribute__((visibility("default"))) int bough_fault(int kind) {
    if (kind == 0) {  // one number beyond the end
        const std::vector<int> v(10, 1);
        const volatile int* from = v.data();
        return from[10];
    }
    if (kind == 1) {  // more than an int holds
        volatile int x = std::numeric_limits<int>::max();
        x = x + 1;
        return x;
    }
    int shared = 0;  // two threads, one number, no lock
    std::thread other([&] {
        for (int i = 0; i < 100000; ++i) const_cast<volatile int&>(shared) = shared + 1;
    });
    for (int i = 0; i < 100000; ++i) const_cast<volatile int&>(shared) = shared + 1;
    other.join();
    return shared;
}
