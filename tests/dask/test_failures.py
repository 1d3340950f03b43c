"""Workers that are killed, a scheduler that goes away, Ctrl-C; the same with processes; joblib's Dask backend."""

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

from support.dask import bytes_of, few_bins, frame_of, piece, pieces
from support.interrupt import hearing_ctrl_c

pytest.importorskip("distributed", reason="bough-trees[dask] is not installed")
import bough
import bough.dask
import distributed
from bough.dask.extra import ClusterError
from bough.distributed import portions

pytestmark = pytest.mark.slow


@pytest.fixture
def processes():
    with (
        distributed.LocalCluster(
            processes=True, n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="1GiB"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def fit_often(tree):
    """Until something happens."""
    for _ in range(100):
        tree.fit(pieces(5), "y")
        del tree.model_


@pytest.fixture(scope="module")
def expected():
    table = pd.concat([piece(i) for i in range(5)], ignore_index=True)
    return bytes_of(bough.TreeClassifier(max_depth=9).fit(table.drop(columns="y"), table["y"]))


@pytest.mark.parametrize("moment", range(3))
def test_a_worker_that_is_killed_costs_time_and_not_the_result(processes, expected, moment, monkeypatch):
    few_bins(monkeypatch)
    pids = list(processes.run(os.getpid).values())
    rng = np.random.default_rng(moment)
    killed = []

    def kill():
        victim = pids[int(rng.integers(len(pids)))]
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)

    timer = threading.Timer(0.1 + 1.5 * rng.random(), kill)
    timer.start()
    tree = bough.dask.TreeClassifier(max_depth=9, client=processes, move_rows=1000 * moment).fit(pieces(5), "y")
    timer.join()
    assert killed
    assert bytes_of(tree) == expected


@pytest.mark.parametrize("name", ["TreeRegressor", "ForestClassifier"])
def test_a_killed_worker_is_no_matter_for_numbers_and_forests_either(processes, name, monkeypatch):
    few_bins(monkeypatch)
    params = {"max_depth": 9, "random_state": 1, **({"n_estimators": 3} if name == "ForestClassifier" else {})}
    y = "a" if name == "TreeRegressor" else "y"
    table = pd.concat([piece(i) for i in range(5)], ignore_index=True)
    expected = bytes_of(getattr(bough, name)(**params).fit(table.drop(columns=y), table[y]))
    victim = next(iter(processes.run(os.getpid).values()))
    timer = threading.Timer(0.8, os.kill, (victim, signal.SIGKILL))
    timer.start()
    model = getattr(bough.dask, name)(**params, client=processes, move_rows=500).fit(pieces(5), y)
    timer.join()
    assert bytes_of(model) == expected


@pytest.mark.parametrize("name", ["TreeClassifier", "ForestClassifier"])
def test_ctrl_c_ends_the_work_and_leaves_the_estimator(processes, name):
    tree = getattr(bough.dask, name)(max_depth=9, client=processes, move_rows=0)
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with hearing_ctrl_c(), pytest.raises(KeyboardInterrupt):
        fit_often(tree)
    assert not hasattr(tree, "model_")
    deadline = time.monotonic() + 20
    while any(processes.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(processes.processing().values())
    assert all(n == 0 for n in processes.run(portions.n_held).values())


def test_a_lost_scheduler_is_one_sentence():
    cluster = distributed.LocalCluster(
        processes=True,
        n_workers=1,
        threads_per_worker=1,
        dashboard_address=":0",
        scheduler_kwargs={"idle_timeout": None},
    )
    with distributed.Client(cluster, timeout=3) as client:
        threading.Timer(0.8, cluster.close).start()
        with pytest.raises(ClusterError) as e:
            fit_often(bough.dask.TreeClassifier(max_depth=9, client=client, move_rows=0))
        assert "\n" not in str(e.value)
    with pytest.raises(ClusterError, match="make a new one"):
        bough.dask.TreeClassifier(client=client).fit(pieces(1), "y")


def test_joblibs_dask_backend_fits_local_estimators(processes):
    import joblib
    from sklearn.model_selection import GridSearchCV

    table = frame_of(np.random.default_rng(0), 200).drop(columns="c")
    X, y = table.drop(columns="y"), table["y"]
    search = GridSearchCV(bough.TreeClassifier(), {"max_depth": [1, 3], "criterion": ["gini", "entropy"]}, cv=3)
    search.set_params(n_jobs=-1)
    with joblib.parallel_config(backend="dask", client=processes):
        there = search.fit(X, y).cv_results_["mean_test_score"]
    assert np.array_equal(there, search.set_params(n_jobs=1).fit(X, y).cv_results_["mean_test_score"])
