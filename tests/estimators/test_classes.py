"""Class labels that are whole numbers are numbered as sorting would number them."""

from __future__ import annotations

import numpy as np
import pytest

from bough import TreeClassifier, _core
from bough.estimators.classifier import classes_of

LOWEST, HIGHEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
CASES = {
    "one row": [7],
    "one class": [-3] * 5,
    "gaps": [5, 2, 9, 2, 5],
    "below zero": [-1, -5, 0, 4, -5],
    "far apart": [LOWEST, 0, HIGHEST],
    "at the lower end": [LOWEST + 2, LOWEST, LOWEST + 2],
    "at the upper end": [HIGHEST, HIGHEST - 3, HIGHEST],
    "just too far apart to be counted": [0, 1024, 1],
    "just close enough": [0, 1023, 1],
}


@pytest.mark.parametrize("case", CASES)
def test_whole_numbers_are_numbered_in_order(case):
    y = np.array(CASES[case], dtype=np.int64)
    classes, codes = np.unique(y, return_inverse=True)
    found, places = classes_of(y)
    assert found.dtype == y.dtype
    np.testing.assert_array_equal(found, classes)
    np.testing.assert_array_equal(places, codes)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4"])
def test_every_kind_of_whole_number(dtype):
    rng = np.random.default_rng(3)
    for high in (1, 2, 100):
        y = rng.integers(0, high, 500).astype(dtype)
        for rows in (y, y[::3], y[::-1]):
            classes, codes = np.unique(rows, return_inverse=True)
            found, places = classes_of(rows)
            assert found.dtype == rows.dtype
            np.testing.assert_array_equal(found, classes)
            np.testing.assert_array_equal(places, codes)


def test_numbers_beyond_int64_are_classes():
    y = np.array([2**63, 2**63 + 1, 2**63], dtype=np.uint64)
    assert TreeClassifier().fit([[0.0], [1.0], [0.0]], y).classes_.tolist() == [2**63, 2**63 + 1]


def test_numbers_that_begin_at_any_byte_are_classes():
    y = np.frombuffer(b"\0" + np.array([3, 1, 3], dtype=np.int64).tobytes(), dtype=np.int64, offset=1)
    assert not y.flags.aligned
    np.testing.assert_array_equal(classes_of(y)[1], [1, 0, 1])


def test_the_core_wants_a_place_for_each_row():
    with pytest.raises(ValueError, match="one entry per row"):
        _core.number_classes(np.zeros(3, dtype=np.int64), np.zeros(2, dtype=np.uint32))
