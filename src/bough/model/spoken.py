"""A model in words: its tree, its rules, and why a row was predicted as it was."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ParameterError, module_of
from ..tables.row import one_row, row_values
from .forms import output

if TYPE_CHECKING:
    from ..output.text import Rule


class Text(str):
    """A text of several lines: a string that a notebook and a Python prompt show as it is printed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<pre style="line-height:1.25">{html.escape(self)}</pre>'


def n_rows(given: Any) -> int:
    """How many rows somebody asks about: 1 for a dict, a Series and a plain list."""
    if isinstance(given, dict) or getattr(given, "ndim", 2) == 1:
        return 1
    shape = getattr(given, "shape", None)
    if shape is not None:
        return int(shape[0])
    nested = isinstance(given, (list, tuple)) and len(given) > 0
    return len(given) if nested and all(isinstance(r, (list, tuple, np.ndarray)) for r in given) else 1


class Spoken:
    """How every model describes itself in text."""

    def show(
        self,
        max_depth: int | None = None,
        digits: int | None = None,
        max_values: int = 8,
        p_values: bool = False,
        max_nodes: int | None = 60,
        tree: int = 0,
        surrogates: bool = False,
    ) -> Text:
        """The tree as text, which a notebook shows as it is.

        Parameters
        ----------
        max_depth : int, optional
            Levels that are shown; what is below is summed up. Unless it is given, ``max_nodes`` decides.
        digits : int, optional
            Significant digits of numbers; by default 6, and 3 for the terms of a sum.
        max_values : int
            Values or terms of one split that are written out; the others are counted.
        p_values : bool
            Whether the adjusted p-values of the columns are written behind each node, the surest column first. Only a
            tree grown with ``selector="conditional_inference"`` has any.
        max_nodes : int or None
            A tree of more nodes is shown to the depth that has no more of them; None: all of it.
        tree : int
            Which tree, of a model that has several.
        surrogates : bool
            Whether the surrogate splits of each node are written below it, with their agreement. Only a tree grown
            with ``missing="surrogate"`` has any.
        """
        shown = output("text").show(self, max_depth, digits, max_values, p_values, max_nodes, tree, surrogates)
        return Text(shown)

    def rules(self, digits: int | None = None, max_values: int = 8, tree: int = 0) -> Iterator[Rule]:
        """One rule for each leaf of a tree."""
        found: Iterator[Rule] = output("text").rules(self, digits, max_values, tree)
        return found

    def why(self, row: Any, digits: int | None = None) -> Any:
        """The path of one row in words; of several rows, a data frame with the reason of each prediction.

        Parameters
        ----------
        row : sequence, dict, Series, or table
            The row, or the rows, to explain.
        digits : int, optional
            Significant digits of numbers.

        Returns
        -------
        reasons : str or data frame
            For one row its path down the tree; for a model of many trees, what each of them predicts. Of several rows a
            frame of polars if they came in one, else of pandas, with the columns ``row`` (the label of a row in
            pandas, else its number from 0), ``prediction`` and ``reason``, the conditions that the row meets.

        Examples
        --------
        >>> import bough
        >>> tree = bough.TreeClassifier().fit([[0.0], [1.5]], ["a", "b"])
        >>> print(tree.why([1.0]))
        x0 = 1, so x0 > 0.75
        → b (1 row)
        >>> tree.why([[0.0], [1.0]])
           row prediction      reason
        0    0          a  x0 <= 0.75
        1    1          b   x0 > 0.75
        """
        model: Any = self
        if n_rows(row) > 1:
            return self._reasons_frame(row, digits)
        table = one_row(row, model.schema)
        outputs = model.outputs(model.columns_of(table))
        if model.boosting is not None:
            return Text(output("text").steps(outputs, digits))
        if len(model.trees) > 1:
            return Text(output("text").votes(outputs, digits))
        values = row_values(table, model.schema)
        return Text(output("text").why(self, int(outputs.nodes()[0]), values, digits, outputs))

    def reasons(self, X: Any, digits: int | None = None) -> list[str]:
        """Of each row of a table the conditions that lead to its prediction, in one line."""
        model: Any = self
        if len(model.trees) > 1 or model.boosting is not None:
            raise ParameterError(
                f"the model has {len(model.trees):,} trees, so no row has one reason; ask for the rows one by one, "
                "why(X[:1]), or for contributions(X)."
            )
        ends = model.outputs(model.columns_of(X)).nodes()
        reasons: dict[int, str] = output("text").reasons(model.nodes(), np.unique(ends).tolist(), digits)
        return [reasons[end] for end in ends.tolist()]

    def _reasons_frame(self, X: Any, digits: int | None) -> Any:
        model: Any = self
        reasons = self.reasons(X, digits)
        library = "polars" if type(X).__module__.startswith("polars") else "pandas"
        rows = X.index if hasattr(X, "iloc") else np.arange(len(reasons))
        columns = {"row": rows, "prediction": model.predict(X), "reason": reasons}
        return module_of(library, "why() of several rows", "frames").DataFrame(columns)
