// Work of the core that Python waits for.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>

#include "base/parallel.hpp"
#include "base/per_thread.hpp"

namespace bough {

// Runs work(budget) without the GIL; signals and `progress` are asked on the way. With `interrupted`, the first Ctrl-C
// only sets it.
template <class Work>
auto interruptible(const nanobind::object& progress, Work work, std::atomic<bool>* interrupted = nullptr) {
    bool failed = false;
    auto ask = [&](double share) {
        nanobind::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) {
            if (!interrupted || interrupted->exchange(true) || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
                return failed = true;
            PyErr_Clear();
        }
        if (progress.is_none()) return false;
        PyObject* answer = PyObject_CallFunction(progress.ptr(), "d", share);
        if (!answer) return failed = true;
        Py_DECREF(answer);
        return false;
    };
    try {
        nanobind::gil_scoped_release release;
        const ThreadScratch::Call call;
        Budget budget(ask);
        return work(budget);
    } catch (const Stopped&) {
        if (failed) throw nanobind::python_error();
        throw;
    }
}

// Calls some(begin, end, budget) for blocks of `size` of n rows, shared out among threads where there are more than
// `many`.
template <class Some>
void each_block(u64 n, u64 size, u64 many, int threads, const Some& some) {
    interruptible(nanobind::none(), [&](Budget& budget) {
        Team team(n > many ? threads : 1, budget);
        team.each((n + size - 1) / size, [&](std::size_t i, int) {
            budget.poll();
            some(i * size, std::min(n, (i + 1) * size), budget);
        });
    });
}

}  // namespace bough
