// Matrix products and symmetric eigenproblems: SciPy's BLAS and LAPACK where the problem is large enough
// to be worth a call, plain loops elsewhere and where SciPy has not been met. Matrices are by rows.
#pragma once

#include "base/budget.hpp"
#include "base/integers.hpp"

namespace bough::linalg {

// SciPy's own functions, as its modules cython_blas and cython_lapack hand them out.
struct Routines {
    void (*dgemm)(char*, char*, int*, int*, int*, double*, double*, int*, double*, int*, double*, double*,
                  int*) = nullptr;
    void (*dsyrk)(char*, char*, int*, int*, double*, double*, int*, double*, double*, int*) = nullptr;
    void (*dsyevd)(char*, char*, int*, double*, int*, double*, double*, int*, int*, int*, int*) = nullptr;
};

// Hands the routines over, once for the process; before that everything runs in plain loops.
void use(const Routines& routines);
bool ready();

// out[j·out_stride + i] = Σ_c a[i·a_stride + c]·b[j·b_stride + c] for i < n, j < p, c < d.
void products(const double* a, std::size_t a_stride, u32 n, const double* b, std::size_t b_stride, u32 p, u32 d,
              double* out, std::size_t out_stride);

// How many rows that need so many products each are summed by one call, some 0.01 s of work.
u32 rows_at_once(u64 products);
// The d × d matrix aᵀ·a of an n × d matrix, all of it, or that added to what is there.
void gram_of_columns(const double* a, std::size_t a_stride, u32 n, u32 d, double* out, Budget& budget,
                     bool add = false);
// The n × n matrix a·aᵀ of an n × d matrix, all of it.
void gram_of_rows(const double* a, std::size_t a_stride, u32 n, u32 d, double* out, Budget& budget);

// Turns a symmetric n × n matrix into the diagonal of its eigenvalues by cyclic Jacobi rotations, and makes the rows
// of `vectors` its eigenvectors: slow for large matrices, and right to the last digits where eigenvalues are close.
void rotate(double* a, double* vectors, u32 n);
struct Eigen {
    std::vector<double> values, vectors;  // the largest value first; vectors by rows
};
Eigen eigen(std::vector<double> a, u32 n, Budget& budget);
// The unit eigenvector of the largest eigenvalue of a matrix whose lower half is given; its first coefficient
// that is not 0 is positive.
std::vector<double> first_component(std::vector<double> a, u32 n, Budget& budget);

}  // namespace bough::linalg
