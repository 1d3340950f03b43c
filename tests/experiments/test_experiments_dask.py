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
    page = path.with_suffix(".md").read_text()
    assert dask.page(result).rstrip() + "\n" == page
    assert "**What is not there**" in page
    assert all(f["same_file"] for rows in result["series"].values() for f in rows)


def test_numbers_inside_bins_rise_with_rows_and_fall_with_columns_as_the_page_says():
    series = json.loads((RESULTS / "dask.json").read_text())["series"]
    large = json.loads((RESULTS / "large.json").read_text())["series"]["10M × 20"][0]
    by_rows = [f["numbers"] for f in [*series["rows"], large]]
    assert by_rows == sorted(by_rows)
    each = [f["numbers"] * f["columns"] for f in series["columns"]]
    assert max(each) < 1.15 * min(each)


@pytest.mark.slow
def test_a_small_case_is_measured():
    pytest.importorskip("distributed", reason="bough-trees[dask] is not installed")
    found = measured(Case(rows=60_000, columns=3, partitions=4, workers=2, depth=3), "1GB")
    assert found["same_file"]
    assert found["levels"] == 3
    assert 0 < found["counts"] < 1


@pytest.mark.slow
def test_a_worker_holds_less_than_three_times_its_part_and_the_driver_no_rows():
    pytest.importorskip("distributed", reason="bough-trees[dask] is not installed")
    case = Case(rows=600_000, columns=20, partitions=6, workers=2, depth=4)
    found = measured(case, "1GB", local=False)
    assert 1 < dask.parts_held({**asdict(case), **found}) < 3
    assert found["driver_bytes_more"] < 600_000 * 20 * 8 / 2
