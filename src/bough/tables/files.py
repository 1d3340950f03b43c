"""Tables for the command line: built-in data sets by name, and CSV, TSV and Parquet files by path.

A file is read with whichever of pyarrow, polars and pandas is installed; the same file gives the same
columns with each. Built-in data needs none of them.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
import sys
import warnings
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import BoughError, DataError, ParameterError, shown
from ..registry import did_you_mean
from . import frame
from .built_in import BUILT_IN, cells_of
from .cells import MOST_LOOKED_AT, PLAIN, Marks, leading_zeros, typed, uneven_line
from .schema import Schema

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": ""}  # "": whatever the header has most of
WORDS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars"}
ENDINGS = ".csv, .tsv, .txt, each also with .gz, or .parquet"
STDIN = "-"
MISSING = ["", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"]  # cells of a text file that stand for nothing
EXTRA = 'pip install "bough-trees[frames]"'
MOST_BLOCK = 2**31 - 1  # bytes from which pyarrow guesses the types


class Reading(NamedTuple):
    """How a text file is read; `reading_of` checks what a user passes."""

    separator: str = ""  # "": as the extension says, or whatever the header has most of
    marks: Marks = PLAIN  # how numbers are written
    encoding: str = "utf-8"
    text: tuple[str, ...] = ()  # columns that are text whatever they look like


AS_USUAL = Reading()


def reading_of(
    sep: str | None = None,
    decimal: str = ".",
    thousands: str | None = None,
    encoding: str = "utf-8",
    text: Iterable[str] = (),
) -> Reading:
    for name, mark in (("sep", sep), ("decimal", decimal), ("thousands", thousands)):
        if (mark is not None or name == "decimal") and (not isinstance(mark, str) or len(mark) != 1):
            raise ParameterError(f"{name} is {shown(mark)}; it must be one character.")
    if decimal == thousands:
        raise ParameterError(f"decimal and thousands are both {decimal!r}; they must differ.")
    try:
        codecs.lookup(encoding)
    except (LookupError, TypeError, ValueError):
        raise ParameterError(f"encoding is {shown(encoding)}; use a name such as 'utf-8' or 'latin-1'.") from None
    return Reading(sep or "", Marks(decimal, thousands or ""), encoding, tuple(text))


class LacksLibraryError(BoughError):
    """No library is installed that can read a file."""


@dataclass(frozen=True)
class Table:
    """A table with named columns.

    ``cells`` is a narwhals frame, or an array of objects if the data is built in; ``target`` is the
    column that built-in data is about; ``zeros`` are columns of a text file with cells such as 01234, each with one.
    """

    label: str
    names: list[str]
    cells: Any
    target: str | None = None
    zeros: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return int(self.cells.shape[0])

    @property
    def is_array(self) -> bool:
        return isinstance(self.cells, np.ndarray)

    @property
    def native(self) -> Any:
        """The table as estimators and models take it."""
        return self.cells if self.is_array else self.cells.to_native()

    def sources(self) -> list[frame.Source]:
        """The columns as the library sees them; one that a tree cannot use is refused here."""
        found = None if self.is_array else frame.sources_of(self.native)
        if found is None:
            return [frame.ArraySource(n, self.cells[:, i]) for i, n in enumerate(self.names)]
        return found[0]

    def without(self, names: Collection[str]) -> Table:
        keep = [i for i, n in enumerate(self.names) if n not in names]
        return replace(self, names=[self.names[i] for i in keep], cells=self.cells[:, keep])

    def rows(self, index: Sequence[int] | npt.NDArray[np.int64]) -> Table:
        return replace(self, cells=self.cells[np.asarray(index), :])

    def named(self, names: Iterable[str]) -> list[str]:
        """The same names, every one of which is a column of the table."""
        names = list(names)
        for name in names:
            if name not in self.names:
                shown = ", ".join(map(repr, self.names[:20])) + (" …" if len(self.names) > 20 else "")
                raise DataError(
                    f"{self.label!r} has no column {name!r}{did_you_mean(name, self.names)} Columns: {shown}."
                )
        return names

    def for_model(self, schema: Schema) -> Any:
        """What a model with this schema is given: it finds the columns of a frame itself, those of an array not."""
        if not self.is_array:
            return self.native
        if not schema.named:
            return self.without([self.target or ""]).native
        matched = frame.matched(self.sources(), schema)
        place = {name: i for i, name in enumerate(self.names)}
        return self.cells[:, [place[s.name] for s in matched]]


def read(given: str, how: Reading = AS_USUAL) -> Table:
    """The table that a user names: a built-in data set or a file.

    Parameters
    ----------
    given : str
        A name in ``BUILT_IN``, a path, or ``-`` for a text file from the standard input.
    how : Reading, optional
        How a text file is read.

    Examples
    --------
    >>> from bough.tables import files
    >>> files.read("iris").names[-2:]
    ['petal width (cm)', 'species']
    """
    if given in BUILT_IN:
        names, cells, target = cells_of(given)
        return Table(given, names, cells, target)
    if given == STDIN:
        cells, found = read_text(Path("stdin"), sys.stdin.buffer.read(), how)
        return not_empty(Table("stdin", list(cells.columns), cells, zeros=found))
    path = Path(given)
    ending = Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    if not path.exists():
        if ending:
            raise DataError(f"there is no file {given!r}.")
        near = did_you_mean(given, BUILT_IN)
        raise DataError(
            f"there is no file {given!r}, and no built-in data of that name{near} Built in: {', '.join(BUILT_IN)}."
        )
    if path.is_dir():
        raise DataError(f"{given!r} is a folder; a file with a table is needed.")
    zeros: Mapping[str, str] = {}
    if ending in SEPARATORS or (how.separator and path.suffix.lower() not in (".parquet", ".pq")):
        cells, zeros = read_text(path, path.read_bytes(), how._replace(separator=how.separator or SEPARATORS[ending]))
    elif path.suffix.lower() in (".parquet", ".pq"):
        cells = narwhals_frame(first_reader(PARQUET_READERS, path)(path), path)
    else:
        raise DataError(
            f"{given!r} has an unrecognised extension; use {ENDINGS}. To read a text file of another name, pass --sep."
        )
    return not_empty(Table(given, list(cells.columns), cells, zeros=zeros))


def not_empty(table: Table) -> Table:
    if table.n_rows == 0:
        raise DataError(f"{table.label!r} has a header but no rows.")
    return table


def stem(given: str) -> str:
    """A short name for data: that of the file without its endings."""
    if given == STDIN:
        return "model"
    path = Path(given)
    return (Path(path.stem).stem if path.suffix.lower() == ".gz" else path.stem) or "model"


# ---- text files ------------------------------------------------------------------------------------


def read_text(path: Path, data: bytes, how: Reading) -> tuple[Any, dict[str, str]]:
    """The cells of a text file, and its numbers that begin with 0; without a separator it is the one that the header
    has most of."""
    data = as_utf8(path, unpacked(path, data), how.encoding)
    separator = how.separator or guessed_separator(data)
    names, body = header_and_body(path, data, separator)
    line = io.StringIO()
    csv.writer(line, delimiter=separator, lineterminator="\n").writerow(names)
    data = line.getvalue().encode() + body
    reader = first_reader(TEXT_READERS, path)
    text = [n for n in names if n in how.text]
    as_text = text if how.marks.plain else names
    try:
        cells = narwhals_frame(reading(path, lambda: reader(data, separator, as_text)), path)
    except DataError:
        if uneven := uneven_line(data.decode(), len(names), separator):
            raise DataError(f"{str(path)!r} cannot be read: {uneven}.") from None
        raise
    strange = [n for n in names if not is_plain(cells[n].dtype)]
    if strange:  # dates and times, which only pyarrow looks for
        as_text = [*as_text, *strange]
        cells = narwhals_frame(reading(path, lambda: reader(data, separator, as_text)), path)
    lines = io.StringIO(body.decode(), newline="")
    zeros = leading_zeros(list(itertools.islice(lines, MOST_LOOKED_AT)), names, separator)
    return cells.with_columns(*(typed(cells[n], n in text, how.marks) for n in names)), zeros


def unpacked(path: Path, data: bytes) -> bytes:
    if not data.startswith(b"\x1f\x8b") and path.suffix.lower() != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as e:
        raise DataError(f"{str(path)!r} cannot be unpacked: {one_line(e)}.") from None


def as_utf8(path: Path, data: bytes, encoding: str) -> bytes:
    try:
        if codecs.lookup(encoding).name != "utf-8":
            return data.decode(encoding).encode()
        data.decode()
    except UnicodeError:
        raise DataError(
            f"{str(path)!r} is not {encoding.upper()} text; pass its encoding, such as --encoding latin-1."
        ) from None
    return data.removeprefix(codecs.BOM_UTF8)


def guessed_separator(data: bytes) -> str:
    head = data.partition(b"\n")[0].decode(errors="replace")
    return max(WORDS, key=lambda s: (head.count(s), s == ","))


def header_and_body(path: Path, data: bytes, separator: str) -> tuple[list[str], bytes]:
    """The column names of a text file, cleaned, and the bytes below them."""
    if b"\n" not in data:  # lines of old programs end in carriage returns alone
        data = data.replace(b"\r", b"\n")
    stream = io.BytesIO(data)
    try:
        raw = next(csv.reader((line.decode() for line in iter(stream.readline, b"")), delimiter=separator), [])
    except csv.Error as e:
        raise DataError(f"{str(path)!r} has a header that cannot be read: {one_line(e)}.") from None
    if not any(n.strip() for n in raw):
        raise DataError(f"{str(path)!r} is empty; its first line must hold the names of the columns.")
    names = [n.strip() or f"column {i}" for i, n in enumerate(raw, 1)]
    if len(set(names)) < len(names):
        raise DataError(f"{str(path)!r} has two columns called {frame.repeated_in(names)!r}; give each its own name.")
    check_separator(path, names, separator)
    return names, stream.read()


def check_separator(path: Path, names: list[str], separator: str) -> None:
    if len(names) > 1:
        return
    for other, word in WORDS.items():
        if other != separator and other in names[0]:
            way_out = "tab" if other == "\t" else f"'{other}'"
            raise DataError(
                f"{str(path)!r} has a single column, {names[0]!r}; it seems to be separated by {word}: "
                f"add --sep {way_out}, or save it with commas as .csv, or with tabs as .tsv."
            )


def is_plain(dtype: Any) -> bool:
    import narwhals as nw

    return bool(dtype.is_numeric() or dtype in (nw.String, nw.Boolean, nw.Unknown))


# ---- libraries --------------------------------------------------------------------------------------


def narwhals_frame(native: Any, path: Path) -> Any:
    import narwhals as nw

    return reading(path, lambda: nw.from_native(native, eager_only=True))


def reading(path: Path, read: Callable[[], Any]) -> Any:
    """What ``read`` gives; whatever a library says of a broken file becomes a `DataError`."""
    try:
        return read()
    except (OSError, MemoryError, BoughError):
        raise
    except Exception as e:
        raise DataError(f"{str(path)!r} cannot be read: {one_line(e)}.") from None


def one_line(error: BaseException) -> str:
    """The first line of an error's text, without its full stop."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(" .")


def pyarrow_text(data: bytes, separator: str, text: Collection[str]) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    return arrow_csv.read_csv(
        pa.BufferReader(data),
        read_options=arrow_csv.ReadOptions(block_size=min(len(data) + 1, MOST_BLOCK)),
        parse_options=arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            null_values=MISSING, strings_can_be_null=True, column_types={n: pa.string() for n in text}
        ),
    )


def polars_text(data: bytes, separator: str, text: Collection[str]) -> Any:
    import polars as pl

    cells = pl.read_csv(
        io.BytesIO(data),
        separator=separator,
        schema_overrides=dict.fromkeys(text, pl.String),
        null_values=MISSING,
        infer_schema_length=None,
    )
    return cells.filter(~pl.all_horizontal(pl.all().is_null()))  # polars takes an empty line for a row


def pandas_text(data: bytes, separator: str, text: Collection[str]) -> Any:
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # cells beyond the header would be dropped
        return pd.read_csv(
            io.BytesIO(data),
            sep=separator,
            dtype=dict.fromkeys(text, "string"),
            keep_default_na=False,
            na_values=MISSING,
            index_col=False,
            dtype_backend="numpy_nullable",
        )


def pyarrow_parquet(path: Path) -> Any:
    from pyarrow import parquet

    return reading(path, lambda: parquet.read_table(path))


def polars_parquet(path: Path) -> Any:
    import polars as pl

    return reading(path, lambda: pl.read_parquet(path))


TEXT_READERS: dict[str, Callable[..., Any]] = {"pyarrow": pyarrow_text, "polars": polars_text, "pandas": pandas_text}
PARQUET_READERS: dict[str, Callable[..., Any]] = {"pyarrow": pyarrow_parquet, "polars": polars_parquet}


def first_reader(readers: dict[str, Callable[..., Any]], path: Path) -> Callable[..., Any]:
    """The reader of the first library that is installed."""
    for library, reader in readers.items():
        if installed(library):
            return reader
    raise LacksLibraryError(f"reading {str(path)!r} needs one of {', '.join(readers)}: {EXTRA}")


def installed(library: str) -> bool:
    return find_spec(library) is not None
