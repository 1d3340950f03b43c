// Work of the core that Python waits for.
#pragma once

#include <nanobind/nanobind.h>

#include "base/budget.hpp"

namespace bough {

// Runs work(budget) without the GIL; signals and `progress` are asked on the way.
template <class Work>
auto interruptible(const nanobind::object& progress, Work work) {
    bool failed = false;
    auto ask = [&](double share) {
        nanobind::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) return failed = true;
        if (progress.is_none()) return false;
        PyObject* answer = PyObject_CallFunction(progress.ptr(), "d", share);
        if (!answer) return failed = true;
        Py_DECREF(answer);
        return false;
    };
    try {
        nanobind::gil_scoped_release release;
        Budget budget(ask);
        return work(budget);
    } catch (const Stopped&) {
        if (failed) throw nanobind::python_error();
        throw;
    }
}

}  // namespace bough
