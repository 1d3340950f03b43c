"""`JoinColumns`: several nominal columns as one, so that a split can ask about combinations of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..errors import DataError, ParameterError, shown, whole_number
from ..registry import did_you_mean
from . import frame
from .aggregate import search, targets
from .arrays import as_matrix, no_infinity
from .schema import MOMENTS
from .sources import ArraySource, FrameSource, Source
from .values import Coded, check_value

MISSING = "missing"  # how a missing part of a joined value is written


class JoinColumns(TransformerMixin, BaseEstimator):
    r"""Joins nominal columns: ``[("a", "b")]`` adds a column ``a-b`` whose values are pairs such as ``x-y``.

    A tree splits one nominal column at a time; where two columns tell something only together, a joined
    column lets a single split say so (Mello Pereira 2018, section 5.1: attribute aggregation).

    Parameters
    ----------
    columns : sequence of sequences of str or int, or "auto"
        The groups of columns to join, by name or, for tables without names, by number. At least two in a group.
        ``"auto"`` finds them from ``y``: the pairs of nominal columns that tell most beyond what the two tell each for
        itself, as far as an F test that corrects for the number of values is sure of it.
    separator : str, default="-"
        What stands between the parts of a joined value, and of its column's name: one character, no letter or
        digit. Where a part itself contains it, it is written with a backslash before it, so that different
        combinations stay different.
    keep : bool, default=True
        Whether the columns that were joined stay in the table.
    max_joins : int, default=5
        Columns that ``"auto"`` adds at most.

    Attributes
    ----------
    joins_ : list of Join
        What ``"auto"`` found, the surest first: ``columns`` by number, ``f`` and its p-value ``p``.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X had column names.

    Notes
    -----
    Nothing is learned but which columns there are, so a combination that training never had is a value like
    any other; a tree treats it as unseen. A missing part is written as ``missing`` (a value that is called
    so as ``\missing``); if all parts are missing, the joined value is missing. Numbers are written as Python
    does, whole ones without a decimal point.

    A data frame (pandas, polars, arrow) gives one of the same library, unless ``set_output`` says otherwise; an
    array gives an array of objects.

    Examples
    --------
    >>> import pandas as pd
    >>> from bough import JoinColumns
    >>> X = pd.DataFrame({"size": ["s", "l"], "price": ["low", None]})
    >>> JoinColumns([("size", "price")], keep=False).fit_transform(X)["size-price"].tolist()
    ['s-low', 'l-missing']

    Two columns of which neither tells anything by itself:

    >>> from bough import TreeClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> X = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "u", "v", "v"] * 10, "c": ["s"] * 20 + ["t"] * 20})
    >>> y = (X["a"] == "x") == (X["b"] == "u")
    >>> tree = make_pipeline(JoinColumns("auto"), TreeClassifier(max_depth=1)).fit(X, y)
    >>> print(tree[-1].show())
    a-b in {x-u, y-v}
    ├─ yes: class True (20 rows)
    └─ no: class False (20 rows)
    """

    def __init__(
        self,
        columns: Sequence[Sequence[str | int]] | str,
        *,
        separator: str = "-",
        keep: bool = True,
        max_joins: int = 5,
    ) -> None:
        self.columns = columns
        self.separator = separator
        self.keep = keep
        self.max_joins = max_joins

    # ---- fit ------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> JoinColumns:
        """Find the columns.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Classes or numbers; looked at by ``columns="auto"`` only.

        Returns
        -------
        self : JoinColumns
        """
        source, names, named = columns_of(X)
        self.__dict__.pop("joins_", None)
        given = self._found(source, len(names), y) if self._auto() else self.columns
        groups = self._groups_of(names, given)
        for i in sorted({i for g in groups for i in g}):
            joinable(source(i))
        self.n_features_in_ = len(names)
        self.__dict__.pop("feature_names_in_", None)
        if named:
            self.feature_names_in_ = np.array(names, dtype=object)
        self._names, self._groups = names, groups
        return self

    def _auto(self) -> bool:
        return isinstance(self.columns, str) and self.columns == "auto"

    def _found(self, source: Callable[[int], Source], n: int, y: Any) -> list[tuple[int, int]]:
        """The groups that the target asks for."""
        most = whole_number("max_joins", self.max_joins, 1)
        columns = {}
        for i in range(n):
            column = source(i)
            if column.kind != "numeric":
                codes = joinable(column).codes.astype(np.int64) + 1
                if codes.min() < codes.max():
                    columns[i] = np.unique(codes, return_inverse=True)[1].reshape(-1)
        rows = len(next(iter(columns.values()))) if columns else None
        wanted = targets(y, len(y) if rows is None and y is not None else rows or 0)
        self.joins_ = search(columns, wanted, most)
        return [j.columns for j in self.joins_]

    def _groups_of(self, names: list[str], given: Any) -> list[list[int]]:
        mark = self.separator
        if not isinstance(mark, str) or len(mark) != 1 or mark.isalnum() or mark == "\\":
            raise ParameterError(
                f"separator is {shown(mark)}; it must be one character, no letter, digit or backslash."
            )
        if not isinstance(self.keep, (bool, np.bool_)):
            raise ParameterError(f"keep is {shown(self.keep)}; it must be True or False.")
        if not isinstance(given, (list, tuple)) or (not given and not self._auto()):
            raise ParameterError(
                f"columns is {shown(given)}; it must be a list of groups, such as [('a', 'b')], or 'auto'."
            )
        groups = []
        for group in given:
            if isinstance(group, str) or not isinstance(group, (list, tuple)) or len(group) < 2:
                raise ParameterError(
                    f"columns has the group {shown(group)}; it must be two or more columns, such as ('a', 'b')."
                )
            found = [place_of(c, names) for c in group]
            if len(set(found)) != len(found):
                raise ParameterError(f"columns: the group {shown(group)} names a column twice.")
            groups.append(found)
        kept = names if self.keep else [n for i, n in enumerate(names) if not any(i in g for g in groups)]
        new = [self._joined_name(names, g) for g in groups]
        for i, name in enumerate(new):
            if name in kept or name in new[:i]:
                raise ParameterError(
                    f"columns: the joined column {name!r} would stand twice; choose another separator."
                )
        return groups

    def _joined_name(self, names: list[str], group: list[int]) -> str:
        return self.separator.join(names[i] for i in group)

    # ---- transform ------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Join the columns of X.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            A table with the columns of the one given to fit.

        Returns
        -------
        table : ndarray or data frame of shape (n_samples, n_features_out)
        """
        check_is_fitted(self, "n_features_in_")
        source, _, _ = columns_of(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        joined = [joined_column([source(i) for i in g], self.separator) for g in self._groups]
        found = frame.frame_of(X)
        if found is None:
            matrix = as_matrix(X).astype(object)
            return np.column_stack([matrix[:, self._kept()], *(j.reshape(-1, 1) for j in joined)])
        return self._joined_frame(found[0], joined)

    def _kept(self) -> list[int]:
        gone = set() if self.keep else {i for g in self._groups for i in g}
        return [i for i in range(self.n_features_in_) if i not in gone]

    def _joined_frame(self, table: Any, joined: list[npt.NDArray[Any]]) -> Any:
        """A data frame of the table's library, or of the one that set_output names."""
        import narwhals as nw
        from sklearn.utils._set_output import _get_output_config

        series = [
            nw.new_series(self._joined_name(self._names, g), j.tolist(), nw.String, backend=table.implementation)
            for g, j in zip(self._groups, joined, strict=True)
        ]
        if table.implementation.is_pandas_like():  # rows keep their labels
            index = nw.maybe_get_index(table)
            series = [nw.maybe_set_index(s, index=index) for s in series]
        out = table.select(*(table[:, i] for i in self._kept()), *series)
        wanted = _get_output_config("transform", self)["dense"]
        if wanted == "pandas":
            return out.to_pandas()
        return out.to_polars() if wanted == "polars" else out.to_native()

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Names of the columns after `transform`.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns before; by default those that fit saw, or x0, x1, ….

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self, "n_features_in_")
        names = self._names
        if input_features is not None:
            names = [str(n) for n in input_features]
            if hasattr(self, "feature_names_in_") and names != self._names:
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(names) != self.n_features_in_:
                raise ValueError(
                    f"input_features should have length equal to number of features ({self.n_features_in_}), "
                    f"got {len(names)}"
                )
        new = [self._joined_name(names, g) for g in self._groups]
        return np.array([*(names[i] for i in self._kept()), *new], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._auto()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


# ---- helpers ------------------------------------------------------------------------------------------


def columns_of(X: Any) -> tuple[Callable[[int], Source], list[str], bool]:
    """A way to each column of any table, their names, and whether the table itself has names."""
    found = frame.frame_of(X)
    if found is not None:
        table, names, named = found
        return lambda i: FrameSource(names[i], table[:, i]), names, named
    a = as_matrix(X)
    if a.dtype.kind == "f" and np.isinf(a).any():
        no_infinity(a, lambda j: f"x{j}")
    if a.dtype.kind == "c":
        raise DataError("Complex data not supported: a column holds complex numbers; take a part, such as .real.")
    return lambda i: ArraySource(f"x{i}", a[:, i]), [f"x{i}" for i in range(a.shape[1])], False


def place_of(column: Any, names: list[str]) -> int:
    if isinstance(column, str):
        if column not in names:
            near = did_you_mean(column, names)
            raise ParameterError(
                f"columns: there is no column {column!r}{near} Columns: {', '.join(map(repr, names[:20]))}."
            )
        return names.index(column)
    if not isinstance(column, (int, np.integer)) or isinstance(column, bool):
        raise ParameterError(f"columns: {shown(column)} is neither the name nor the number of a column.")
    if not -len(names) <= column < len(names):
        raise ParameterError(
            f"columns: there is no column {column}; X has columns 0 to {len(names) - 1} (n_features = {len(names)})."
        )
    return int(column) % len(names)


def joinable(source: Source) -> Coded:
    """A column as codes; refused where its values cannot be those of a nominal column."""
    if source.kind in MOMENTS:
        raise DataError(
            f"Column {source.name!r} holds dates, times or durations; only nominal columns are joined. Make it text."
        )
    coded = source.coded()
    for value in coded.values:
        check_value(value, f"Column {source.name!r}")
    return coded


def joined_column(sources: list[Source], separator: str) -> npt.NDArray[Any]:
    """The joined values of every row; text is made once for each combination, not for each row."""
    combination: npt.NDArray[np.int64] | None = None
    parts: list[list[str | None]] = []  # of each combination, its values so far
    for source in sources:
        coded = joinable(source)
        texts = [None, *(value_text(v, separator) for v in coded.values)]
        codes = coded.codes.astype(np.int64) + 1
        wide = codes if combination is None else combination * len(texts) + codes
        seen, combination = np.unique(wide, return_inverse=True)
        parts = [[*(parts[s // len(texts)] if parts else []), texts[s % len(texts)]] for s in seen.tolist()]
    assert combination is not None
    values = np.empty(len(parts), dtype=object)
    for i, p in enumerate(parts):
        values[i] = None if all(t is None for t in p) else separator.join(MISSING if t is None else t for t in p)
    return values[combination.reshape(-1)]


def value_text(value: Any, separator: str) -> str:
    """A part of a joined value; no two parts, and no two lists of parts, are written alike."""
    if isinstance(value, float) and value == int(value):
        value = int(value)
    text = str(value).replace("\\", "\\\\").replace(separator, "\\" + separator)
    return "\\" + text if text == MISSING else text
