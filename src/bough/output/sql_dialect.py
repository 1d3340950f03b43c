"""How a database writes names, numbers and values, and what it takes of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..errors import DataError

if TYPE_CHECKING:
    from ..tables.schema import Column

DIALECTS = ("ansi", "duckdb", "postgresql", "sqlite")
DOUBLE_BITS, EXACT_TENS = 53, 22  # powers of ten up to 10^22 are doubles
EXTENDED_BITS = 64  # SQLite before 3.43 reads literals in the extended precision of x86
LONGEST = 63  # bytes of a name, after which PostgreSQL cuts it off
SYSTEM_COLUMNS = ("cmax", "cmin", "ctid", "tableoid", "xmax", "xmin")
CHUNK = 60  # bits: 2^60 is a whole number that every database reads as it is


class Dialect:
    """What the databases write differently."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.least, self.greatest = ("MIN", "MAX") if name == "sqlite" else ("LEAST", "GREATEST")
        # a stage is computed once, not repeated in every stage that reads it
        self.once = "" if name == "ansi" else " MATERIALIZED"

    def number(self, x: float) -> str:
        """A float64 literal that is read as that number and no other.

        PostgreSQL takes 0.1e0 for a decimal, and SQLite reads some literals one bit off; there a number whose decimal
        is not certain is a whole number times or by powers of two.
        """
        if self.name == "postgresql":
            return f"float8 '{'-' * (x < 0)}Infinity'" if math.isinf(x) else f"float8 '{x!r}'"
        if math.isinf(x):
            sign = "-" * (x < 0)
            return f"{sign}9e999" if self.name == "sqlite" else f"CAST('{sign}Infinity' AS DOUBLE PRECISION)"
        if self.name == "sqlite" and not is_certain(x):
            return by_powers_of_two(x)
        text = repr(x)  # without an exponent some databases read a decimal and round it
        return text if "e" in text else f"{text}e0"

    def literal(self, value: Any) -> str:
        if isinstance(value, bool):
            return str(int(value)) if self.name == "sqlite" else str(value).upper()
        if isinstance(value, int):
            if self.name == "sqlite" and abs(value) >= 2**63:
                raise DataError(f"{value} is beyond 64 bits, which sqlite makes a rounded number; make it text.")
            return str(value)
        if isinstance(value, float):
            return self.number(value)
        text = str(value)
        if "\0" in text:
            raise DataError(f"the value {text!r} holds a zero character, which no database takes; replace it.")
        return "'" + text.replace("'", "''") + "'"

    def flag(self, column: str) -> str:
        """A truth value as 0 or 1."""
        if self.name == "ansi":  # the standard has no cast of these
            return f"CASE WHEN {column} THEN 1 WHEN NOT {column} THEN 0 END"
        return f"CAST({column} AS {'INTEGER' if self.name == 'postgresql' else 'DOUBLE PRECISION'})"

    def days(self, name: str, column: Column) -> str:
        """A date, time or duration as its number of days."""
        if self.name == "duckdb":
            time = f"CAST({name} AS TIMESTAMP)" if column.kind == "date" else name
            return f"(CAST(EPOCH_US({time}) AS DOUBLE PRECISION) / 86400000000e0)"
        if self.name == "postgresql":
            return f"(CAST(EXTRACT(EPOCH FROM {name}) * 1000000 AS DOUBLE PRECISION) / 86400000000)"
        if self.name == "sqlite" and column.kind == "date":
            return f"(JULIANDAY(DATE({name})) - 2440587.5e0)"
        what = "SQLite has no type for them" if self.name == "sqlite" else "databases count them differently"
        raise DataError(
            f"Column {column.name!r} holds dates or times, and {what}; use dialect='duckdb' or 'postgresql', or make "
            "it a number."
        )

    def known(self, total: str) -> str:
        """A sum, NULL where it overflowed to what is not a number; DuckDB takes that for the largest of numbers. In
        SQLite it is NULL, in PostgreSQL an error."""
        return f"NULLIF({total}, CAST('NaN' AS DOUBLE PRECISION))" if self.name == "duckdb" else total

    def rounded(self, number: str, digits: int) -> str:
        exact = f"CAST({number} AS NUMERIC)" if self.name == "postgresql" else number
        return f"ROUND({exact}, {digits})"

    def check_columns(self, columns: Iterable[Column], used: set[int]) -> None:
        """Refuses names and values that the database cannot tell apart."""
        seen: dict[Any, str] = {}
        postgresql = self.name == "postgresql"
        for i, c in enumerate(columns):
            if i in used:
                self.check_used(c)
            if self.name == "ansi":
                continue
            twin = seen.setdefault(cut_off(c.name) if postgresql else folded(c.name), c.name)
            if twin != c.name:
                how = f"after {LONGEST} bytes" if postgresql else "in upper and lower case"
                raise DataError(
                    f"columns {twin!r} and {c.name!r} differ {how} only, and {self.name} takes them for one; rename "
                    "one of them and fit the model again."
                )

    def check_used(self, column: Column) -> None:
        if column.name == "" and self.name != "sqlite":
            raise DataError("a column has an empty name, which databases refuse; rename it and fit the model again.")
        if self.name == "postgresql" and column.name in SYSTEM_COLUMNS:
            raise DataError(
                f"a column is called {column.name!r}, as one that PostgreSQL keeps for itself; rename it "
                "and fit the model again."
            )
        kinds = {"text" if isinstance(v, str) else "truth values" if isinstance(v, bool) else "numbers"
                 for v in column.values if v is not None}  # fmt: skip
        mixed = kinds - {"text"} if self.name == "sqlite" else kinds  # there each cell has a type of its own
        if len(mixed) > 1:
            raise DataError(
                f"column {column.name!r} has {' beside '.join(sorted(mixed, reverse=True))} as values, and a column of "
                "a database has one type; make them all text and fit the model again."
            )


def quoted(name: str) -> str:
    if "\0" in name:
        raise DataError(f"the name {name!r} holds a zero character, which no database takes; rename it.")
    return '"' + name.replace('"', '""') + '"'


def folded(name: str) -> str:
    """A name as SQLite and DuckDB compare it: ASCII letters are the same in either case."""
    return name.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def cut_off(name: str) -> bytes:
    """A name as PostgreSQL keeps it."""
    return name.encode("utf-8", "surrogatepass")[:LONGEST]


# ---- numbers in SQLite ------------------------------------------------------------------------------


@lru_cache(maxsize=65536)
def is_certain(x: float) -> bool:
    """Is the shortest decimal of a number read as that number by double and by extended arithmetic alike?"""
    if x == int(x):
        return abs(x) < 2.0**DOUBLE_BITS
    _, digits, exponent = Decimal(repr(x)).as_tuple()
    assert isinstance(exponent, int)
    whole = int("".join(map(str, digits)))
    if whole >= 2**DOUBLE_BITS or -exponent > EXACT_TENS:
        return False
    return float(rounded(Fraction(whole, 10**-exponent), EXTENDED_BITS)) == abs(x)


def rounded(q: Fraction, bits: int) -> Fraction:
    """The nearest number of so many bits; of two the even one."""
    shift = bits - q.numerator.bit_length() + q.denominator.bit_length()
    if q * Fraction(2) ** shift >= 2**bits:
        shift -= 1
    return round(q * Fraction(2) ** shift) / Fraction(2) ** shift


def by_powers_of_two(x: float) -> str:
    """A number as a whole number of at most 53 bits, times or by powers of two: every step is exact."""
    part, power = math.frexp(x)
    whole, power = int(math.ldexp(part, DOUBLE_BITS)), power - DOUBLE_BITS
    while whole % 2 == 0:
        whole, power = whole // 2, power + 1
    sign, steps = ("*", power) if power > 0 else ("/", -power)
    chunks = [CHUNK] * (steps // CHUNK) + [steps % CHUNK] * (steps % CHUNK > 0)
    return f"({whole}.0{''.join(f' {sign} {2**c}.0' for c in chunks)})"
