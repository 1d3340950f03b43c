"""The forms in which a model leaves: pages, pictures and programs. Each is one module of the room of outputs, which is
behind this one; the way there is opened when it is asked for."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .losses import Losses

if TYPE_CHECKING:
    from ..explain.changes import WhyNot
    from ..explain.contributions import Contributions
    from ..explain.dependence import Dependence
    from ..output.html import Report


NOTEBOOK_DEPTH = 4  # levels that a notebook shows


def output(name: str) -> Any:
    return import_module(f"bough.output.{name}")


def explain(name: str) -> Any:
    return import_module(f"bough.explain.{name}")


class Forms:
    """What every model can become, and how it is explained."""

    criterion: str
    criterion_params: Mapping[str, float]

    @property
    def losses(self) -> Losses:
        """What wrong predictions of numbers cost."""
        return Losses(self.criterion, self.criterion_params)

    def contributions(
        self, X: Any, background: Any = None, *, precision: float = 1e-3, threads: int = 1
    ) -> Contributions:
        """How much each column moves the prediction of each row: exact Shapley values, which add up to the prediction.

        Of classes, the prediction that is explained is the share of each class.

        Parameters
        ----------
        X : table
            The rows to explain.
        background : table, optional
            Rows that stand for what is not known of a row, such as 100 of the training table. Without it a row of which
            a column is not known follows both branches of a split, by the weight of their training rows.
        precision : float
            Values are exact but for linear splits over many columns: where more than 12 columns on a path differ
            between a row and a background row, orders of columns are sampled until the standard error is this share of
            the range of predictions.
        threads : int

        Returns
        -------
        Contributions

        Examples
        --------
        >>> import bough
        >>> X, y = [[0.0, 1.0], [0.0, 3.0], [1.0, 1.0], [1.0, 3.0]], [1.0, 2.0, 5.0, 6.0]
        >>> model = bough.TreeRegressor().fit(X, y).model_
        >>> found = model.contributions([[1.0, 3.0]])
        >>> found.base_values, found.values
        (array([3.5]), array([[2. , 0.5]]))
        """
        made: Contributions = explain("shapley").contributions(
            self, X, background, precision=precision, threads=threads
        )
        return made

    def why_not(
        self,
        row: Any,
        wanted: Any,
        *,
        fixed: Sequence[str | int] = (),
        direction: Mapping[Any, str] | None = None,
        costs: Mapping[Any, float] | None = None,
        n: int = 3,
        background: Any = None,
        unseen: bool = False,
    ) -> WhyNot:
        """The nearest changes of a row that give another prediction. Of one tree.

        The changes with the fewest columns come first, then those that move the row least, in standard
        deviations (a category is one away), then the heaviest leaf. Each is checked by `predict`.

        Parameters
        ----------
        row : sequence, dict, Series, or table of one row
        wanted : class, or pair of numbers
            What is to be predicted; of numbers a range, such as ``(100, 200)`` or ``(None, 50)``.
        fixed : list of columns
            Columns that may not change.
        direction : dict of column to "up" or "down"
            Columns that may only rise, or only fall.
        costs : dict of column to number
            What a standard deviation of a column costs, or another category; 1 unless given. It decides between changes
            with as many changed columns.
        n : int
            Most changes to return.
        background : table, optional
            Training rows, or other typical ones: they show how far columns spread, which numbers occur, and
            which columns hold integers only. Without them, all that is read off the tree.
        unseen : bool
            Whether numbers may lie beyond those of the background.

        Returns
        -------
        WhyNot
            Printed, it is sentences; ``to_frame()`` gives a table.

        Examples
        --------
        >>> import bough
        >>> X = [[24.5, 0.0], [11.0, 0.0], [30.0, 1.0], [9.0, 1.0]]
        >>> model = bough.TreeClassifier().fit(X, ["bad", "good", "bad", "good"]).model_
        >>> print(model.why_not([24.5, 0.0], "good", background=X))
        The prediction is bad.
        If x0 were at most 17.75 instead of 24.5, the prediction would be good (100 % of 2 rows).
        """
        options = {"fixed": fixed, "direction": direction, "costs": costs, "n": n}
        found: WhyNot = explain("why_not").why_not(self, row, wanted, **options, background=background, unseen=unseen)
        return found

    def dependence(
        self, X: Any, column: str | int, *, node: int | None = None, ice: int = 40, points: int = 60, threads: int = 1
    ) -> Dependence:
        """What is predicted on average when a column has one value after the other and the rest of each row stays as it
        is (partial dependence); `bough.plot_dependence` draws it.

        Parameters
        ----------
        X : table
            The rows that are averaged over.
        column : name or number
        node : int, optional
            Only the rows that come to this node, over the values that they have.
        ice : int
            Rows whose own predictions are returned, at most.
        points : int
            Values that are tried for a column of linear splits; others are tried between every two cuts.
        threads : int

        Returns
        -------
        Dependence

        Examples
        --------
        >>> import bough
        >>> model = bough.TreeRegressor().fit([[0.0], [1.0], [3.0]], [5.0, 5.0, 9.0]).model_
        >>> found = model.dependence([[0.0], [3.0]], 0)
        >>> found.edges, found.mean[:, 0]
        (array([0., 2., 3.]), array([5., 9.]))
        """
        made: Dependence = explain("dependence").dependence(
            self, X, column, node=node, ice=ice, points=points, threads=threads
        )
        return made

    def report(
        self,
        X: Any = None,
        y: Any = None,
        *,
        tree: int = 0,
        target: str | None = None,
        include_rows: bool = False,
        others: Any = None,
        near: Any = None,
        groups: Any = None,
    ) -> Report:
        """A page that shows the tree, node by node; nothing is fetched when it is looked at.

        Parameters
        ----------
        X, y : table and target, optional
            Rows for figures and scores. The page holds counts, and the rows themselves only with ``include_rows``.
        tree : int
            Which tree, of a model that has several.
        target : str, optional
            What is predicted; the name of ``y`` unless given.
        include_rows : bool
            Put some of the rows into the page, so that readers can follow them down the tree.
        others : class, optional
            What other columns would gain: `bough.estimators.stumps.Stumps`, which estimators pass.
        groups : str or array-like of shape (n_samples,), optional
            A column of X, which the tree need not use, or a value per row: the page shows scores for each value.
        near : Alternatives, optional
            Trees that are nearly as good, which the page mentions; estimators that know some pass them.

        Returns
        -------
        Report
            With ``save(path)`` and ``open()``; a notebook shows it in a frame.

        Examples
        --------
        >>> import bough
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> report = bough.TreeClassifier(max_depth=2).fit(X, y).model_.report(X, y)
        >>> report.page[:15]
        '<!DOCTYPE html>'
        """
        given = {"tree": tree, "target": target, "include_rows": include_rows, "near": near, "groups": groups}
        made: Report = output("html").report(self, X, y, others=others, **given)
        return made

    def plot(self, ax: Any = None, max_depth: int | None = None, *, tree: int = 0, digits: int = 3) -> Any:
        """The tree as a matplotlib figure, from left to right; branches are as wide as their rows.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; without it a figure is made that is large enough for every text.
        max_depth : int, optional
            Levels that are shown; a card tells how many nodes are below it.
        tree : int
            Which tree, of a model that has several.
        digits : int
            Significant digits of numbers.

        Returns
        -------
        matplotlib Axes
        """
        model: Any = self
        if model.boosting is not None:
            model, tree = model.stage(tree), 0
        return output("plot").plot(model, ax, max_depth, tree, digits)

    def to_onnx(self) -> Any:
        """The model as an ONNX graph in float64 (``pip install "bough-trees[onnx]"``).

        A table of numbers is one input ``X`` (rows × columns). A table with nominal columns has one input for each
        column (rows × 1): numbers as float64, texts as strings, a missing text as the empty string. The outputs are
        ``prediction`` and, for classes, ``probabilities``.

        Returns
        -------
        onnx.ModelProto
            ``SerializeToString()`` gives its bytes.

        Examples
        --------
        >>> import bough
        >>> model = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).model_
        >>> [o.name for o in model.to_onnx().graph.output]
        ['prediction', 'probabilities']
        """
        return output("onnx").to_onnx(self)

    def to_sql(
        self,
        table: str = "data",
        dialect: str = "ansi",
        proba: bool = False,
        key: str | Sequence[str] | None = None,
    ) -> str:
        """The model as one SELECT over a table with the columns of training.

        NULL is a missing value; a NaN, which DuckDB and PostgreSQL can store, is a large number to them. A database may
        return rows in any order: name a ``key`` to know which row a prediction is for.

        Parameters
        ----------
        table : str
            The name of the table.
        dialect : {"ansi", "duckdb", "postgresql", "sqlite"}
            How numbers and truth values are written.
        proba : bool
            Add the share of each class, as columns ``probability of …``.
        key : str or list of str, optional
            Columns of the table that stand before the prediction, such as its primary key.

        Examples
        --------
        >>> import bough
        >>> model = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).model_
        >>> print(model.to_sql())
        WITH "stage0" AS (
        SELECT
          CASE WHEN t."x0" > 0.5e0 THEN 2 ELSE 1 END AS "node0"
        FROM "data" t
        )
        SELECT
          CASE "node0" WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS "prediction"
        FROM "stage0"
        """
        text: str = output("sql").to_sql(self, table, dialect, proba, key)
        return text

    def to_dot(
        self, tree: int = 0, max_depth: int | None = None, digits: int | None = None, max_values: int = 8
    ) -> str:
        """A tree in DOT, for graphviz: ``dot -Tsvg tree.dot -o tree.svg``.

        Parameters
        ----------
        tree : int
            Which tree, of a model that has several.
        max_depth, digits, max_values
            As in `show`.

        Examples
        --------
        >>> import bough
        >>> model = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).model_
        >>> print(model.to_dot())
        digraph tree0 {
        ...
          0 [label="x0 <= 0.5\\n2 rows"];
        ...
        }
        """
        text: str = output("dot").to_dot(self, tree, max_depth, digits, max_values)
        return text

    def to_json(self, indent: int | None = None) -> str:
        """The model as JSON with plain steps, for programs of any language.

        Examples
        --------
        >>> import bough, json
        >>> model = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).model_
        >>> json.loads(model.to_json())["trees"][0][0]["cut"]
        0.5
        """
        text: str = output("as_json").to_json(self, indent)
        return text

    def to_python(self) -> str:
        """The model as Python source without any import, with ``predict(row)`` and ``predict_value(row)``.

        Examples
        --------
        >>> import bough
        >>> model = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).model_
        >>> space = {}
        >>> exec(model.to_python(), space)
        >>> space["predict"]({"x0": 0.9})
        'b'
        """
        text: str = output("source").to_python(self)
        return text

    def to_javascript(self) -> str:
        """The model as JavaScript without any import, for browsers and Node: ``bough.predict(row)`` and
        ``bough.predictValue(row)``, where a row is an object of column names and values.

        Examples
        --------
        >>> import bough
        >>> model = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).model_
        >>> model.to_javascript().splitlines()[3:5]
        ['"use strict";', 'const bough = (() => {']
        """
        text: str = output("javascript").to_javascript(self)
        return text

    def to_c(self, prefix: str = "bough") -> str:
        """The model as C99 without any library: ``bough_predict(row)`` and ``bough_predict_values(row, out)``.

        A row is an array of doubles, in which a category is the place that ``bough_place(column, "text")`` gives.

        Parameters
        ----------
        prefix : str
            What the names begin with, so that several models fit into one program.

        Examples
        --------
        >>> import bough
        >>> model = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).model_
        >>> [line for line in model.to_c().splitlines() if "int bough_predict(" in line]
        ['static inline int bough_predict(const double *row) {']
        """
        text: str = output("c_source").to_c(self, prefix)
        return text

    def _repr_html_(self) -> str:
        """The first levels of the tree, for notebooks."""
        trees: Any = self
        text = (
            output("text").show(self, max_depth=NOTEBOOK_DEPTH)
            if len(trees.trees) == 1 and not trees.boosting
            else repr(self)
        )
        return f'<pre style="line-height:1.25">{html.escape(text)}</pre>'
