"""What each column contributes to predictions, as a value with a frame and pictures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError, module_of, printable, shown

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Contributions:
    """Contributions of columns to predictions, as `Model.contributions` returns them. The names are those of
    `shap.Explanation`, which `to_shap` makes of them.

    Attributes
    ----------
    values : ndarray of shape (rows, columns) or (rows, columns, classes)
        How much each column moves the prediction of each row; of classes, the share of each class.
    base_values : ndarray of shape (rows,) or (rows, classes)
        What is predicted when no column is known. With the sum of a row's values it is the row's prediction.
    data : ndarray of shape (rows, columns)
        The rows that are explained.
    feature_names : list of str
    output_names : list or None
        The classes; None for regression, or once one class was chosen with `of`.
    standard_errors : ndarray or None
        Standard errors of values that were drawn; 0 where a value is exact, None if all are.
    kind : {"path-dependent", "interventional"}
        What stands for a column that is not known: the training rows of each branch, or background rows.
    """

    values: Floats
    base_values: Floats
    data: npt.NDArray[Any]
    feature_names: list[str]
    output_names: list[Any] | None = None
    standard_errors: Floats | None = None
    kind: str = "path-dependent"
    chosen: Any = None

    @property
    def exact(self) -> bool:
        """Whether all values are exact; otherwise ``standard_errors`` says how sure they are."""
        return self.standard_errors is None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Contributions:
        """Some of the rows: a number, a slice, a mask or numbers."""
        if isinstance(rows, (int, np.integer)):
            n = len(self)
            if not -n <= rows < n:
                raise IndexError(f"row {rows} does not exist; there are rows 0 to {n - 1}.")
            rows = [int(rows) % n]
        errors = None if self.standard_errors is None else self.standard_errors[rows]
        return replace(
            self,
            values=self.values[rows],
            base_values=self.base_values[rows],
            data=self.data[rows],
            standard_errors=errors,
        )

    def of(self, output: Any) -> Contributions:
        """Those to the share of one class.

        Parameters
        ----------
        output : class
            One of ``output_names``.

        Examples
        --------
        >>> import bough
        >>> tree = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
        >>> tree.contributions([[0.0]]).of("a").values
        array([[0.5]])
        """
        if self.output_names is None:
            raise ParameterError("there is only one output, so none can be chosen; leave it out.")
        if output not in self.output_names:
            known = ", ".join(map(shown, self.output_names[:10]))
            raise ParameterError(f"{shown(output)} is not a class of the model; its classes are {known}.")
        k = self.output_names.index(output)
        return replace(
            self,
            values=self.values[:, :, k],
            base_values=self.base_values[:, k],
            output_names=None,
            standard_errors=None if self.standard_errors is None else self.standard_errors[:, :, k],
            chosen=output,
        )

    @property
    def predictions(self) -> Floats:
        """The predictions that the values add up to."""
        found: Floats = self.base_values + self.values.sum(axis=1)
        return found

    @property
    def importances(self) -> Floats:
        """The mean size of the contributions of each column; of several classes, their mean."""
        sizes = np.abs(self.values).mean(axis=0)
        found: Floats = sizes if sizes.ndim == 1 else sizes.mean(axis=1)
        return found

    def to_frame(self) -> Any:
        """A data frame of pandas with a column of contributions for each column of the table, rows as they were given.
        Of several classes the columns have two levels, class and column.

        Examples
        --------
        >>> import bough
        >>> tree = bough.TreeRegressor().fit([[0.0, 5.0], [1.0, 5.0]], [10.0, 20.0])
        >>> tree.contributions([[0.0, 5.0]]).to_frame()
            x0   x1
        0 -5.0  0.0
        """
        pd = module_of("pandas", "to_frame", "frames")
        if self.output_names is None:
            return pd.DataFrame(self.values, columns=self.feature_names)
        parts = {
            name: pd.DataFrame(self.values[:, :, k], columns=self.feature_names)
            for k, name in enumerate(self.output_names)
        }
        return pd.concat(parts, axis=1, names=["class", "column"])

    def to_shap(self) -> Any:
        """The same as a `shap.Explanation`, which `shap.plots` draws. Needs the library shap.

        Texts among the data are given as they are, so that pictures name the categories.
        """
        try:
            import shap
        except ImportError:
            raise ParameterError("to_shap needs the library shap: pip install shap") from None
        return shap.Explanation(
            values=self.values,
            base_values=self.base_values,
            data=self.data,
            display_data=self.data,
            feature_names=list(self.feature_names),
            output_names=None if self.output_names is None else [str(c) for c in self.output_names],
        )

    def one_output(self, of: Any, row: int | None = None) -> Contributions:
        """Those that a picture draws: of the class that was asked for, the second of two, or a row's likeliest one."""
        if self.output_names is None:
            return self if of is None else self.of(of)
        if of is None and row is not None:
            of = self.output_names[int(np.argmax(self[row].predictions[0]))]
        elif of is None and len(self.output_names) == 2:
            of = self.output_names[1]
        if of is None:
            names = ", ".join(shown(c) for c in self.output_names[:10])
            raise ParameterError(f"there are {len(self.output_names)} classes; choose one with of=: {names}.")
        return self.of(of)

    def bar(self, *, of: Any = None, most: int = 12, ax: Any = None) -> Any:
        """A bar for each column: how far it moves predictions, on average.

        Parameters
        ----------
        of : class, optional
            The share of which class; without it all classes are counted.
        most : int
            Bars that are drawn; the last one stands for all other columns.
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
        """
        from .plots import bar

        return bar(self if of is None else self.one_output(of), most, ax)

    def waterfall(self, row: int = 0, *, of: Any = None, most: int = 10, ax: Any = None) -> Any:
        """The way from the mean prediction to that of one row, column by column.

        Parameters
        ----------
        row : int
            Which of the rows.
        of : class, optional
            The share of which class; that which is likeliest for the row unless given.
        most : int
            Columns that are drawn; the others are one step.
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
        """
        from .plots import waterfall

        return waterfall(self.one_output(of, row)[row], most, ax)

    def beeswarm(self, *, of: Any = None, most: int = 10, ax: Any = None) -> Any:
        """A dot for each row and column: how far the column moves the prediction, coloured by its value.

        Parameters
        ----------
        of : class, optional
            The share of which class; of two, the second unless given.
        most : int
            Columns that are drawn.
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
        """
        from .plots import beeswarm

        return beeswarm(self.one_output(of), most, ax)

    def __repr__(self) -> str:
        sure = "exact" if self.exact else "some of them drawn, see standard_errors"
        of = "" if self.output_names is None else f" × {len(self.output_names)} classes"
        about = "" if self.chosen is None else f" of {printable(str(self.chosen))}"
        size = f"{len(self):,} rows × {len(self.feature_names):,} columns{of}"
        return f"<bough.Contributions{about}: {size}, {self.kind}, {sure}>"
