"""The forms in which a fitted tree leaves, as on its model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..model.model import Model


class Exported:
    """Every export of `Model` on the fitted estimator."""

    def to_sql(
        self,
        table: str = "data",
        dialect: str = "ansi",
        proba: bool = False,
        key: str | Sequence[str] | None = None,
    ) -> str:
        """One SELECT over a table with the columns of training; see `Model.to_sql`."""
        return self._exported().to_sql(table, dialect, proba, key)

    def to_onnx(self) -> Any:
        """An ONNX graph in float64; see `Model.to_onnx`."""
        return self._exported().to_onnx()

    def to_json(self, indent: int | None = None) -> str:
        """JSON with plain steps, for programs of any language; see `Model.to_json`."""
        return self._exported().to_json(indent)

    def to_python(self) -> str:
        """Python source without any import; see `Model.to_python`."""
        return self._exported().to_python()

    def to_javascript(self) -> str:
        """JavaScript without any import; see `Model.to_javascript`."""
        return self._exported().to_javascript()

    def to_c(self, prefix: str = "bough") -> str:
        """C99 without any library; see `Model.to_c`."""
        return self._exported().to_c(prefix)

    def to_dot(self, max_depth: int | None = None, digits: int | None = None, max_values: int = 8) -> str:
        """The tree in DOT, for graphviz; see `Model.to_dot`."""
        return self._exported().to_dot(0, max_depth, digits, max_values)

    def _exported(self) -> Model:
        check_is_fitted(self, "model_")
        model: Model = self.__dict__["model_"]
        return model
