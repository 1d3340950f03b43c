"""Trees and forests of tables that lie on a Dask cluster: the same parameters and the same models as on one machine.

``bough.dask.TreeClassifier(client=client).fit(frame, "y")`` is fitted on Dask DataFrames and arrays; docs/dask.md has
an example that runs. Needs the extra ``bough-trees[dask]``.
"""

from .estimators import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor

__all__ = ["ForestClassifier", "ForestRegressor", "TreeClassifier", "TreeRegressor"]
