"""Where the system grants little: threads that cannot start, memory that is not there."""

from __future__ import annotations

import sys

import pytest

from support.process import python

resource = pytest.importorskip("resource")


SCARCE = """
    import resource, threading
    import numpy as np
    from bough import TreeClassifier
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 4)), rng.integers(0, 3, 20_000)
    one = TreeClassifier(max_depth=6).fit(X, y)
    with open("/proc/self/statm") as f:
        used = int(f.read().split()[0]) * resource.getpagesize()
    # Room for the fit, but not for the stacks of 64 threads.
    resource.setrlimit(resource.RLIMIT_AS, (used + (120 << 20), resource.RLIM_INFINITY))
    many = TreeClassifier(max_depth=6, n_jobs=64).fit(X, y)
    print(many.model_.to_bytes() == one.model_.to_bytes())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits are set as Linux has them")
def test_a_fit_goes_on_with_the_threads_that_can_start():
    run = python(SCARCE)
    assert (run.returncode, run.stdout.strip()) == (0, "True"), run.stderr


LITTLE = """
    import resource
    import numpy as np
    from bough import TreeClassifier
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 20)), rng.integers(0, 3, 20_000)
    TreeClassifier(split="{split}", max_depth=1).fit(X[:30, :2], y[:30])  # what is loaded at first use
    with open("/proc/self/statm") as f:
        used = int(f.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ({megabytes} << 20), resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
    try:
        TreeClassifier(split="{split}", max_depth=3, n_jobs=2).fit(X, y)
        print("model")
    except MemoryError:
        print("MemoryError")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits are set as Linux has them")
@pytest.mark.parametrize("split", ["pca", "hhcart_a", "lda"])
@pytest.mark.parametrize("megabytes", [15, 30, 150])
def test_a_fit_that_blas_has_no_memory_for_is_a_memory_error_and_does_not_wait_for_ever(split, megabytes):
    run = python(LITTLE.format(split=split, megabytes=megabytes))
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() in (("MemoryError",) if megabytes < 30 else ("MemoryError", "model"))


FOREST = """
    import resource, warnings
    import numpy as np
    from bough import ForestClassifier
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 4)), rng.integers(0, 3, 20_000)
    def forest():
        return ForestClassifier(10, max_depth=8, oob_score=True, costs=1 - np.eye(3), random_state=0)
    forest().fit(X[:50], y[:50])
    with open("/proc/self/statm") as f:
        used = int(f.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ({megabytes} << 20), resource.RLIM_INFINITY))
    try:
        forest().fit(X, y).predict(X)
        print("model")
    except MemoryError:
        print("MemoryError")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits are set as Linux has them")
@pytest.mark.parametrize("megabytes", [5, 15, 25])
def test_a_forest_that_has_no_memory_for_its_unseen_rows_is_a_memory_error(megabytes):
    run = python(FOREST.format(megabytes=megabytes))
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() in ("MemoryError", "model")


def test_blas_has_one_thread_during_a_fit_and_its_own_afterwards():
    run = python(
        """
        import numpy as np
        from bough import TreeClassifier, directions
        from bough.estimators.blas import scipys_libraries
        libraries = scipys_libraries()
        for library in libraries:
            library.set_num_threads(2)
        seen = []
        def find(X, y, w):
            seen.extend(library.get_num_threads() for library in libraries)
            return np.eye(X.shape[1])
        rng = np.random.default_rng(0)
        TreeClassifier(split=directions(find), max_depth=2).fit(rng.normal(size=(50, 3)), rng.integers(0, 2, 50))
        print(set(seen), {library.get_num_threads() for library in libraries})
        """
    )
    assert run.stdout.strip() in ("{1} {2}", "set() set()"), run.stderr  # the second: a BLAS that has no switch
