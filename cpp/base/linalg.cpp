#include "base/linalg.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <numeric>

#ifdef __unix__
#include <sys/mman.h>
#include <sys/resource.h>
#endif

#include "base/aside.hpp"
#include "base/slack.hpp"

namespace bough::linalg {

namespace {

Routines routines;

constexpr u32 kJacobi = 12;            // up to this size rotations beat a call of LAPACK
constexpr u32 kQuick = 300;            // up to this size a call of LAPACK takes some 0.02 s
constexpr u64 kWorthACall = 1u << 15;  // multiplications below which plain loops beat a call of BLAS

// Stands around each call of BLAS, which takes a buffer of its library's. OpenBLAS asks again for ever where there is
// no memory for another one. So where the address space is limited, calls go one at a time: one buffer is enough, the
// library keeps it, and whether there is room for it is asked before the first of them.
class Call {
   public:
    explicit Call(bool takes_a_buffer) {
#ifdef __unix__
        rlimit limit{};
        if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
        lock_ = std::unique_lock(one_at_a_time);
        if (has_buffer) return;
        void* at = mmap(nullptr, kBuffer, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) throw std::bad_alloc();
        munmap(at, kBuffer);
        has_buffer = takes_a_buffer;
#else
        (void)takes_a_buffer;
#endif
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    static constexpr std::size_t kBuffer = 48u << 20;  // 32 MB in SciPy's wheels; what other threads take meanwhile
    inline static std::mutex one_at_a_time;
    inline static bool has_buffer = false;
    std::unique_lock<std::mutex> lock_;
};

double dot(const double* x, const double* y, u32 d) {
    double lanes[4] = {};
    u32 c = 0;
    for (; c + 4 <= d; c += 4)
        for (u32 l = 0; l < 4; ++l) lanes[l] += x[c + l] * y[c + l];
    for (; c < d; ++c) lanes[0] += x[c] * y[c];
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

// Adds to `old` times the lower half by columns, which is the upper one by rows, the products of `size` columns, or
// with `by_rows` rows, over `inner` of the others.
void add_products(bool by_rows, const double* a, std::size_t stride, u32 size, u32 inner, double old, double* out) {
    char lower = 'L', which = by_rows ? 'T' : 'N';
    int n = static_cast<int>(size), k = static_cast<int>(inner), lda = static_cast<int>(stride);
    double one = 1;
    const Call call(true);
    routines.dsyrk(&lower, &which, &n, &k, &one, const_cast<double*>(a), &lda, &old, out, &n);
}

void mirror(double* a, u32 n) {
    for (u32 i = 0; i < n; ++i)
        for (u32 j = 0; j < i; ++j) a[std::size_t{i} * n + j] = a[std::size_t{j} * n + i];
}

}  // namespace

u32 rows_at_once(u64 products) {
    return static_cast<u32>(std::clamp<u64>((u64{1} << 28) / std::max<u64>(1, products), 64, 1u << 20));
}

void use(const Routines& r) { routines = r; }
bool ready() { return routines.dgemm && routines.dsyrk && routines.dsyevd; }

void products(const double* a, std::size_t a_stride, u32 n, const double* b, std::size_t b_stride, u32 p, u32 d,
              double* out, std::size_t out_stride) {
    if (n == 0 || p == 0) return;
    if (d == 0 || !ready() || u64{n} * p * d < kWorthACall) {
        for (u32 j = 0; j < p; ++j)
            for (u32 i = 0; i < n; ++i) out[j * out_stride + i] = dot(a + i * a_stride, b + j * b_stride, d);
        return;
    }
    char t = 'T', no = 'N';
    int m = static_cast<int>(n), k = static_cast<int>(p), inner = static_cast<int>(d);
    int lda = static_cast<int>(a_stride), ldb = static_cast<int>(b_stride), ldc = static_cast<int>(out_stride);
    double one = 1, zero = 0;
    const Call call(false);  // small products need none
    routines.dgemm(&t, &no, &m, &k, &inner, &one, const_cast<double*>(a), &lda, const_cast<double*>(b), &ldb, &zero,
                   out, &ldc);
}

void gram_of_columns(const double* a, std::size_t a_stride, u32 n, u32 d, double* out, Budget& budget, bool add) {
    if (!add) std::fill(out, out + std::size_t{d} * d, 0.0);
    const u32 most = rows_at_once(u64{d} * d);
    for (u32 begin = 0, some; begin < n; begin += some, a += some * a_stride) {
        some = std::min(most, n - begin);
        budget.poll();
        if (ready() && u64{some} * d * d >= kWorthACall) {
            add_products(false, a, a_stride, d, some, add || begin > 0 ? 1 : 0, out);
        } else {
            for (u32 r = 0; r < some; ++r) {
                const double* x = a + r * a_stride;
                for (u32 i = 0; i < d; ++i)
                    for (u32 j = i; j < d; ++j) out[std::size_t{i} * d + j] += x[i] * x[j];
            }
        }
    }
    mirror(out, d);
}

void gram_of_rows(const double* a, std::size_t a_stride, u32 n, u32 d, double* out, Budget& budget) {
    if (ready() && d > 0 && u64{n} * n * d >= kWorthACall) {
        const u32 most = rows_at_once(u64{n} * n);
        for (u32 begin = 0, some; begin < d; begin += some) {
            some = std::min(most, d - begin);
            budget.poll();
            add_products(true, a + begin, a_stride, n, some, begin > 0 ? 1 : 0, out);
        }
    } else {
        for (u32 i = 0; i < n; ++i)
            for (u32 j = i; j < n; ++j) out[std::size_t{i} * n + j] = dot(a + i * a_stride, a + j * a_stride, d);
    }
    mirror(out, n);
}

void rotate(double* a, double* v, u32 n) {
    std::fill(v, v + std::size_t{n} * n, 0.0);
    for (u32 i = 0; i < n; ++i) v[std::size_t{i} * n + i] = 1;
    auto at = [&](u32 i, u32 j) -> double& { return a[std::size_t{i} * n + j]; };
    for (int sweep = 0; sweep < 60; ++sweep) {
        double off = 0, diagonal = 0;
        for (u32 i = 0; i < n; ++i) {
            diagonal += at(i, i) * at(i, i);
            for (u32 j = i + 1; j < n; ++j) off += at(i, j) * at(i, j);
        }
        if (off == 0 || off <= kDiagonal * diagonal) return;
        for (u32 p = 0; p < n; ++p)
            for (u32 q = p + 1; q < n; ++q) {
                if (at(p, q) == 0) continue;
                const double theta = (at(q, q) - at(p, p)) / (2 * at(p, q));
                const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
                if (t == 0) {  // too small against the diagonal to turn anything
                    at(p, q) = at(q, p) = 0;
                    continue;
                }
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (u32 i = 0; i < n; ++i) {
                    const double x = at(i, p), y = at(i, q);
                    at(i, p) = c * x - s * y;
                    at(i, q) = s * x + c * y;
                }
                for (u32 i = 0; i < n; ++i) {
                    const double x = at(p, i), y = at(q, i);
                    at(p, i) = c * x - s * y;
                    at(q, i) = s * x + c * y;
                }
                double *vp = v + std::size_t{p} * n, *vq = v + std::size_t{q} * n;
                for (u32 i = 0; i < n; ++i) {
                    const double x = vp[i], y = vq[i];
                    vp[i] = c * x - s * y;
                    vq[i] = s * x + c * y;
                }
            }
    }
}

namespace {

// By LAPACK, which gives the smallest first.
Eigen by_lapack(std::vector<double> a, u32 n) {
    char v = 'V', lower = 'L';
    int size = static_cast<int>(n), info = 0;
    int lwork = 1 + 6 * size + 2 * size * size, liwork = 3 + 5 * size;
    RawBuffer<double> work(static_cast<std::size_t>(lwork));
    RawBuffer<int> iwork(static_cast<std::size_t>(liwork));
    std::vector<double> values(n);
    const Call call(true);
    routines.dsyevd(&v, &lower, &size, a.data(), &size, values.data(), work.data(), &lwork, iwork.data(), &liwork,
                    &info);
    if (info != 0) throw std::runtime_error("an eigenproblem did not converge");
    std::reverse(values.begin(), values.end());
    for (u32 i = 0; i < n / 2; ++i)
        std::swap_ranges(a.data() + std::size_t{i} * n, a.data() + std::size_t{i + 1} * n,
                         a.data() + std::size_t{n - 1 - i} * n);
    return {std::move(values), std::move(a)};
}

}  // namespace

Eigen eigen(std::vector<double> a, u32 n, Budget& budget) {
    if (n > 30000) throw std::invalid_argument("an eigenproblem of more than 30,000 columns and rows is too large");
    budget.poll();
    if (n > kQuick && ready())
        return aside(budget, [a = std::move(a), n]() mutable { return by_lapack(std::move(a), n); });
    if (n > kJacobi && ready()) return by_lapack(std::move(a), n);
    std::vector<double> turned(std::size_t{n} * n), values(n), vectors(std::size_t{n} * n);
    rotate(a.data(), turned.data(), n);
    std::vector<u32> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](u32 i, u32 j) { return a[std::size_t{i} * n + i] > a[std::size_t{j} * n + j]; });
    for (u32 i = 0; i < n; ++i) values[i] = a[std::size_t{order[i]} * n + order[i]];
    for (u32 i = 0; i < n; ++i)
        std::copy_n(turned.data() + std::size_t{order[i]} * n, n, vectors.data() + std::size_t{i} * n);
    return {std::move(values), std::move(vectors)};
}

std::vector<double> first_component(std::vector<double> a, u32 n, Budget& budget) {
    for (u32 i = 0; i < n; ++i)
        for (u32 j = 0; j < i; ++j) a[std::size_t{j} * n + i] = a[std::size_t{i} * n + j];
    a = eigen(std::move(a), n, budget).vectors;
    a.resize(n);
    const auto first = std::find_if(a.begin(), a.end(), [](double x) { return std::fabs(x) > kTie; });
    if (first != a.end() && *first < 0)
        for (double& x : a) x = -x;
    return a;
}

}  // namespace bough::linalg
