"""bough beside scikit-learn and other tree libraries, measured in one run: `python -m benchmarks`.

Importing this package, which every process of a benchmark does first, keeps numerical libraries to
one thread; they read these variables when they are loaded."""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ[variable] = "1"
