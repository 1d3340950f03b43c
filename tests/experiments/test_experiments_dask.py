"""Time, memory and traffic on a Dask cluster: the page is made from its JSON, and a small case is measured."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from experiments.dask import __main__ as dask
from experiments.dask.run import Case, measured

RESULTS = Path(dask.__file__).parent / "results"


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda p: p.stem)
def test_a_page_is_made_from_its_json(path):
    result = json.loads(path.read_text())
    assert dask.page(result).rstrip() + "\n" == path.with_suffix(".md").read_text()
    assert all(f["same_file"] for rows in result["series"].values() for f in rows)


@pytest.mark.slow
def test_a_small_case_is_measured():
    pytest.importorskip("distributed", reason="bough[dask] is not installed")
    found = measured(Case(rows=60_000, columns=3, partitions=4, workers=2, depth=3), "1GB")
    assert found["same_file"]
    assert found["levels"] == 3
    assert 0 < found["counts"] < 1


@pytest.mark.slow
def test_a_worker_holds_less_than_three_times_its_part_and_the_driver_no_rows():
    pytest.importorskip("distributed", reason="bough[dask] is not installed")
    case = Case(rows=600_000, columns=20, partitions=6, workers=2, depth=4)
    found = measured(case, "1GB", local=False)
    assert 1 < dask.parts_held({**asdict(case), **found}) < 3
    assert found["driver_bytes_more"] < 600_000 * 20 * 8 / 2
