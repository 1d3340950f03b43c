#include "bind/functions.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <string_view>

#include "base/linalg.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

namespace {

template <class F>
void take(F& to, const nb::object& capsule) {
    const char* name = PyCapsule_GetName(capsule.ptr());  // SciPy puts the C signature there
    void* pointer = name ? PyCapsule_GetPointer(capsule.ptr(), name) : nullptr;
    if (!pointer) throw nb::python_error();
    if (!std::string_view(name).starts_with("void (char *"))
        throw std::invalid_argument("this is not a routine of SciPy");
    to = reinterpret_cast<F>(pointer);
}

void use_linalg(const nb::object& dgemm, const nb::object& dsyrk, const nb::object& dsyevd) {
    linalg::Routines r;
    take(r.dgemm, dgemm);
    take(r.dsyrk, dsyrk);
    take(r.dsyevd, dsyevd);
    linalg::use(r);
}

// An array of Python's own with the same numbers.
nb::object array_of(const std::vector<double>& v, std::initializer_list<std::size_t> shape) {
    return nb::cast(nb::ndarray<nb::numpy, const double>(v.data(), shape, nb::handle()), nb::rv_policy::copy);
}

// Takes Python's lock, calls, and hands back the numbers of the array that comes back.
template <class T, class Call>
std::vector<T> called(std::exception_ptr& raised, Call call) {
    nb::gil_scoped_acquire gil;
    try {
        const nb::object answer = call();
        const auto a = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(answer);
        return std::vector<T>(begin_of(a), begin_of(a) + a.size());
    } catch (...) {
        if (!raised) raised = std::current_exception();
        throw;
    }
}

}  // namespace

void bind_linalg(nb::module_& m) {
    m.def("use_linalg", &use_linalg, "dgemm"_a, "dsyrk"_a, "dsyevd"_a,
          "Hands over BLAS and LAPACK as SciPy's capsules; without them the core runs plain loops.");
}

Functions functions_of(const nb::dict& given, std::exception_ptr& raised) {
    Functions f;
    auto own = [&](const char* name) { return given.contains(name) ? nb::object(given[name]).ptr() : nullptr; };
    // The plan outlives the fit, so the functions are borrowed: no reference is counted without the lock.
    if (PyObject* fn = own("directions")) {
        f.directions = [fn, &raised](const std::vector<double>& x, u32 n, u32 d, const std::vector<double>& y,
                                     const std::vector<double>& w) {
            return called<double>(
                raised, [&] { return nb::handle(fn)(array_of(x, {n, d}), array_of(y, {n}), array_of(w, {n})); });
        };
    }
    if (PyObject* fn = own("partition")) {
        f.partition = [fn, &raised](const std::vector<double>& table, u32 n_values, u32 n_classes) {
            return called<u8>(raised, [&] { return nb::handle(fn)(array_of(table, {n_values, n_classes})); });
        };
    }
    if (PyObject* fn = own("edges")) {
        f.edges = [fn, &raised](const std::vector<double>& left, const std::vector<double>& right, u32 pairs,
                                u32 n_classes, u32 n_values) {
            return called<double>(raised, [&] {
                return nb::handle(fn)(array_of(left, {pairs, n_classes}), array_of(right, {pairs, n_classes}),
                                      n_values);
            });
        };
    }
    return f;
}

}  // namespace bough
