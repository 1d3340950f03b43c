"""Trees and forests of tables that lie on a Dask cluster: the same estimators, the same models.

Examples
--------
>>> import dask.array as da
>>> import numpy as np
>>> from dask.distributed import Client
>>> from bough.dask import TreeClassifier
>>> client = Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None)
>>> X = da.from_array(np.random.default_rng(0).normal(size=(1000, 3)), chunks=(250, 3))
>>> tree = TreeClassifier(max_depth=2, client=client).fit(X, X[:, 0] > 0.5)
>>> tree.predict(X).compute().sum() == (X[:, 0] > 0.5).sum().compute()
True
>>> client.close()
"""

from .estimators import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor

__all__ = ["ForestClassifier", "ForestRegressor", "TreeClassifier", "TreeRegressor"]
