"""Words, pictures and pages of estimators of several trees, which are about one of them at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from ..model.spoken import Text

if TYPE_CHECKING:
    from ..model.model import Model
    from ..output.html import Report
    from ..output.text import Rule


class SeveralTrees:
    """What forests and boosted trees show of one of their trees."""

    model_: Model
    _others: Any = None  # what finds other splits of a node for the report

    def show(
        self,
        max_depth: int | None = None,
        digits: int | None = None,
        max_values: int = 8,
        p_values: bool = False,
        max_nodes: int | None = 60,
        surrogates: bool = False,
        *,
        tree: int = 0,
    ) -> Text:
        """One of the trees as text; see `Model.show`."""
        check_is_fitted(self, "model_")
        return self.model_.show(max_depth, digits, max_values, p_values, max_nodes, tree, surrogates)

    def rules(self, digits: int | None = None, max_values: int = 8, *, tree: int = 0) -> Iterator[Rule]:
        """One rule for each leaf of one of the trees."""
        check_is_fitted(self, "model_")
        return self.model_.rules(digits, max_values, tree)

    def plot(self, ax: Any = None, max_depth: int | None = None, digits: int = 3, *, tree: int = 0) -> Any:
        """One of the trees as a matplotlib figure; see `Model.plot`."""
        check_is_fitted(self, "model_")
        return self.model_.plot(ax, max_depth, tree=tree, digits=digits)

    def report(
        self,
        X: Any = None,
        y: Any = None,
        *,
        tree: int = 0,
        target: str | None = None,
        include_rows: bool = False,
        groups: Any = None,
    ) -> Report:
        """A page about all trees and one of them; see `Model.report`."""
        check_is_fitted(self, "model_")
        given = {"target": target, "include_rows": include_rows, "groups": groups}
        return self.model_.report(X, y, tree=tree, others=self._others, **given)

    def __len__(self) -> int:
        """The number of trees."""
        check_is_fitted(self, "model_")
        return len(self.model_.trees)

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in self.__dict__
