"""One cluster for the tests of this room: two workers of one thread in this process. Its client is not the default one,
so that nothing can depend on there being one."""

import pytest


@pytest.fixture(scope="session")
def client():
    distributed = pytest.importorskip("distributed", reason="bough-trees[dask] is not installed")
    options = {"processes": False, "n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.Client(**options, set_as_default=False) as client:
        yield client
