"""What the cells of a text file are: numbers, flags, dates or text."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from ..errors import DataError
from .moments import from_text
from .values import is_missing

MOST_LOOKED_AT = 2000  # lines that are looked at for what a number was in the file


class Marks(NamedTuple):
    """How numbers are written in a file."""

    decimal: str = "."
    thousands: str = ""

    @property
    def plain(self) -> bool:
        return self == Marks()

    @property
    def pattern(self) -> re.Pattern[str]:
        decimal, group = re.escape(self.decimal), re.escape(self.thousands)
        whole = rf"(\d{{1,3}}({group}\d{{3}})+|\d*)" if self.thousands else r"\d*"
        return re.compile(rf"[+-]?(?=[\d{decimal}]){whole}({decimal}\d*)?([eE][+-]?\d+)?")

    def plainer(self, text: str) -> str:
        """A number as Python reads it."""
        return (text.replace(self.thousands, "") if self.thousands else text).replace(self.decimal, ".")


PLAIN = Marks()


def typed(column: Any, as_text: bool, marks: Marks = PLAIN) -> Any:
    """A column with the type that its cells suggest; readers disagree about blanks around them."""
    import narwhals as nw

    def series(cells: list[Any], dtype: Any) -> Any:
        return nw.new_series(column.name, cells, dtype, backend=column.implementation)

    if column.null_count() == len(column):
        return series([None] * len(column), nw.Float64)
    if column.dtype != nw.String:
        return column
    column = column.str.strip_chars()
    if as_text:
        return column
    different = column.unique().drop_nulls().to_list()
    if {v.lower() for v in different} <= {"true", "false"}:
        return series([None if is_missing(v) else v.lower() == "true" for v in column.to_list()], nw.Boolean)
    if (times := times_of(different)) is not None:
        if max(map(len, different)) == 10:
            return series([None if is_missing(v) else times[v].date() for v in column.to_list()], nw.Date)
        kind = nw.Datetime("us", "UTC") if next(iter(times.values())).tzinfo else nw.Datetime("us")
        return series([None if is_missing(v) else times[v] for v in column.to_list()], kind)
    if not marks.plain:
        if not all(map(marks.pattern.fullmatch, different)):
            return column
        plain = {v: marks.plainer(v) for v in different}
        column = series([None if is_missing(v) else plain[v] for v in column.to_list()], nw.String)
    for dtype in (nw.Int64, nw.Float64):
        try:
            return column.cast(dtype)
        except Exception:  # each library has its own for text that is no number
            continue
    return column


def times_of(texts: Sequence[str]) -> dict[str, datetime] | None:
    """Texts that are all dates or times in ISO 8601, all with a time zone or none."""
    found: dict[str, datetime] = {}
    for text in texts:
        time = from_text(text)
        if time is None:
            return None
        found[text] = time
    zoned = {t.tzinfo is not None for t in found.values()}
    return found if len(zoned) == 1 else None


# ---- what a person may have meant otherwise -----------------------------------------------------------

ZEROS = re.compile(r"0\d+")
DECIMAL_COMMA, THOUSANDS = re.compile(r"[+-]?\d+,\d+"), re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")


def leading_zeros(lines: Sequence[str], names: Sequence[str], separator: str) -> dict[str, str]:
    """Columns with cells such as 01234, and one of these."""
    found: dict[str, str] = {}
    for cells in csv.reader(lines, delimiter=separator):
        for name, cell in zip(names, cells, strict=False):
            if ZEROS.fullmatch(cell.strip()):
                found.setdefault(name, cell.strip())
    return found


def meant_as_numbers(texts: Sequence[str]) -> str | None:
    """The option with which a column of text is one of numbers, if there is one."""
    some = list(itertools.islice(texts, MOST_LOOKED_AT))
    if not some or not any("," in t for t in some):
        return None
    plain = re.compile(r"[+-]?\d+(\.\d*)?")
    if all(THOUSANDS.fullmatch(t) or plain.fullmatch(t) for t in some):
        return "--thousands ,"
    if all(DECIMAL_COMMA.fullmatch(t) or plain.fullmatch(t) for t in some):
        return "--decimal ,"
    return None


def uneven_line(text: str, width: int, separator: str) -> DataError | None:
    """What is wrong with the first line of a table that has more or fewer cells than its header."""
    rows = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    try:
        for cells in rows:
            if cells and len(cells) != width:
                return DataError(
                    f"line {rows.line_num} has {len(cells)} cell{'' if len(cells) == 1 else 's'}, but the header names "
                    f"{width} columns: {separator.join(cells)[:60]!r}. Quote cells that hold the separator"
                )
    except csv.Error:
        return None
    return None
