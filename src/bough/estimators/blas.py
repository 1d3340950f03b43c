"""SciPy's BLAS and LAPACK for the core, on one thread: the threads of a fit are its own (``n_jobs``).

Helper threads of a BLAS spin while they wait for each other. On a busy machine one small product may then take
seconds, in which Ctrl-C does nothing.
"""

from __future__ import annotations

import threading
from typing import Any

from scipy.linalg import cython_blas, cython_lapack

from .. import _core
from ..registry import find
from ..tables.schema import Schema
from .plan import Plan

_core.use_linalg(
    cython_blas.__pyx_capi__["dgemm"], cython_blas.__pyx_capi__["dsyrk"], cython_lapack.__pyx_capi__["dsyevd"]
)


class OneThread:
    """While any fit runs, SciPy's BLAS has one thread; after the last one it has those that it had before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._libraries: list[Any] | None = None
        self._before: list[int] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._libraries is None:
                self._libraries = scipys_libraries()
            if self._running == 0:
                self._before = [library.get_num_threads() for library in self._libraries]
                for library in self._libraries:
                    library.set_num_threads(1)
            self._running += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0:
                for library, threads in zip(self._libraries or [], self._before, strict=False):
                    library.set_num_threads(threads)


def scipys_libraries() -> list[Any]:
    """What threadpoolctl, which scikit-learn brings along, knows of the BLAS that SciPy has loaded."""
    from threadpoolctl import ThreadpoolController

    found = [c for c in ThreadpoolController().lib_controllers if c.user_api == "blas"]
    return [c for c in found if "scipy.libs" in c.filepath] or found


one_thread = OneThread()


def calls_blas(plan: Plan, schema: Schema) -> bool:
    """Directions and nominal searches may; to hold BLAS back costs as much as a fit of 150 rows by axis splits."""
    return schema.any_values or bool(find("split", plan.split.name).traits["needs_moments"])
