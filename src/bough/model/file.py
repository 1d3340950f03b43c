"""The model file: a safetensors file that is read strictly.

Layout: eight bytes with the length of a JSON header, the header, the arrays. The arrays are the parts
of the core's tree; the header's ``__metadata__`` holds what the model knows besides, as one JSON text.
No code, no pickle. Any bytes give a model or a `ModelFileError`; a checksum tells rot, and every array
passes ``Tree::fault`` before a tree exists.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import ModelFileError, ParameterError, shown
from .metadata import MOST_LISTED

VERSION = 1
MOST_HEADER = 100_000_000
MOST_IN_HEADER = 1000  # commas and brackets outside of texts: about seven for each array

DTYPES = {"U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "F32": np.float32, "F64": np.float64}
Buffer = bytes | bytearray | memoryview
NAMES = {np.dtype(t): n for n, t in DTYPES.items()}

# The arrays of a tree and the type that the core takes them in. An array that is empty is left out.
PARTS: dict[str, Any] = {
    "centers": np.float64,
    "spreads": np.float64,
    "kinds": np.uint8,
    "gains": np.float64,
    "columns": np.uint32,
    "cuts": np.float64,
    "missing": np.uint8,
    "term_counts": np.uint32,
    "term_columns": np.uint32,
    "term_weights": np.float64,
    "value_counts": np.uint32,
    "values": np.uint32,
    "value_left": np.uint8,
    "others": np.uint32,
    "leaf_rows": np.uint32,
    "leaf_weights": np.float64,
    "leaf_means": np.float64,
    "leaf_spreads": np.float64,
    "log_p": np.float64,
    "routing": np.uint8,
    "inner_rows": np.uint32,
    "surrogate_counts": np.uint8,
    "surrogate_columns": np.uint32,
    "surrogate_agreements": np.float64,
    "surrogate_adjusted": np.float64,
    "surrogate_cuts": np.float64,
    "surrogate_low_left": np.uint8,
    "surrogate_value_counts": np.uint32,
    "surrogate_values": np.uint32,
    "surrogate_value_left": np.uint8,
    "leaf_counts": np.uint32,
    "leaf_classes": np.uint32,
    "term_values": np.uint32,
    "inner_means": np.float64,
    "inner_spreads": np.float64,
    "line_counts": np.uint32,
    "line_columns": np.uint32,
    "line_slopes": np.float64,
    "line_gains": np.float64,
    "line_offsets": np.float64,
    "line_lows": np.float64,
    "line_highs": np.float64,
    "line_errors": np.float64,
}
NUMBER = 2**32 - 1  # among ``term_values``: the term is a number
# Beside those of one tree, how its numbers are printed (printed.py).
TEXTS: dict[str, Any] = {"digits": np.uint8, "margins": np.float64}
ONE = {**PARTS, **TEXTS}
# The arrays of a file of several trees (trees.py).
MANY: dict[str, Any] = {
    "tree_nodes": np.uint32,
    "tree_parts": np.uint8,
    **PARTS,
}
MANY_CLASSES = 256  # of more than these, the core and the file list those that a leaf has


def smallest(a: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same numbers in the smallest unsigned type that holds them, if they are integers."""
    if not a.size:
        return a
    if a.dtype == np.float64:
        if not (a >= 0).all() or not (a < 2**32).all() or not (a == np.floor(a)).all() or np.signbit(a).any():
            return a
    elif a.dtype == np.uint8:
        return a
    for t in (np.uint8, np.uint16, np.uint32):
        if a.max() <= np.iinfo(t).max:
            return a.astype(t)
    return a


def arrays_of(tree: _core.Tree) -> dict[str, npt.NDArray[Any]]:
    """The arrays of one tree in their smallest form."""
    parts = tree.parts()
    return {name: smallest(parts[name]) for name in PARTS}


def to_bytes(arrays: Mapping[str, npt.NDArray[Any]], metadata: dict[str, Any]) -> bytes:
    """A model as the bytes of its file; the same model gives the same bytes."""
    header: dict[str, Any] = {
        "__metadata__": {
            "format": "bough",
            "version": str(VERSION),
            "model": json.dumps(metadata, ensure_ascii=False, separators=(",", ":"), allow_nan=False),
            "crc32": "",
        }
    }
    chunks, at = [], 0
    for name in (n for n in (*MANY, *TEXTS) if n in arrays):
        a = arrays[name]
        if not a.size:
            continue
        data = np.ascontiguousarray(a).astype(a.dtype.newbyteorder("<"), copy=False).tobytes()
        header[name] = {"dtype": NAMES[np.dtype(a.dtype)], "shape": [int(a.size)], "data_offsets": [at, at + len(data)]}
        chunks.append(data)
        at += len(data)
    header["__metadata__"]["crc32"] = checksum(header["__metadata__"]["model"], *chunks)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *chunks])


def checksum(model: str, *chunks: bytes | memoryview) -> str:
    """Detects damage to a file; it does not keep anyone from making one."""
    crc = 0
    for at in range(0, len(model), 1 << 20):
        crc = zlib.crc32(model[at : at + (1 << 20)].encode(), crc)
    for c in chunks:
        crc = zlib.crc32(c, crc)
    return f"{crc:08x}"


def no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ModelFileError("a name stands twice in the header")
    return out


def no_constants(text: str) -> float:
    raise ModelFileError(f"{text} is not a number that a model has")


def check_size(text: str, most: int, what: str) -> None:
    """Refuses JSON that lists more than it should before anything is made of it; texts are stepped over."""
    listed = at = 0
    while at < len(text) and len(text) > most:
        quote = text.find('"', at)
        end = len(text) if quote < 0 else quote
        listed += sum(text.count(c, at, end) for c in ",[{")
        if listed > most:
            raise ModelFileError(f"the {what} lists more than {most:,} things")
        at = end if quote < 0 else scanstring(text, quote + 1, True)[1]


def check_raw(data: bytes, end: int) -> None:
    """Refuses metadata that lists more than it may while it is still a text within the header: nothing is made of it.

    What the metadata quotes stands there as ``\\"``; a quote behind 1, 5, 9 … backslashes begins or ends such a text.
    """
    most = MOST_LISTED + MOST_IN_HEADER

    def listed(begin: int, stop: int) -> int:
        return sum(data.count(c, begin, stop) for c in (b",", b"[", b"{"))

    if listed(8, end) <= most:
        return
    found, at, inside = 0, 8, False
    while at < end:
        quote = data.find(b'"', at, end)
        stop = end if quote < 0 else quote
        found += 0 if inside else listed(at, stop)
        if found > most:
            raise ModelFileError(f"the metadata lists more than {MOST_LISTED:,} things")
        before = stop
        while before > at and data[before - 1] == 0x5C:
            before -= 1
        inside = inside != ((stop - before) % 4 == 1)
        at = stop + 1


def parse(data: memoryview | str, most: int, what: str) -> dict[str, Any]:
    try:
        text = data if isinstance(data, str) else str(data, "utf-8")
        check_size(text, most, what)
        found = json.loads(text, object_pairs_hook=no_repeats, parse_constant=no_constants)
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as e:
        raise ModelFileError(f"the {what} is not JSON ({e})") from None
    if not isinstance(found, dict):
        raise ModelFileError(f"the {what} is not a JSON object")
    return found


def from_bytes(data: Buffer) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """The arrays and the metadata in the bytes of a file: of one tree those of `ONE`, of several those of `MANY`."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise ParameterError(f"from_bytes takes the bytes of a model file, not {shown(data)}; load(path) reads a file.")
    data = bytes(data)  # itself, if it is that already
    if len(data) < 8:
        raise ModelFileError("the file is shorter than eight bytes")
    length = int.from_bytes(data[:8], "little")
    if length > min(len(data) - 8, MOST_HEADER):
        raise ModelFileError("the header is longer than the file")
    check_raw(data, 8 + length)
    header = parse(memoryview(data)[8 : 8 + length], MOST_IN_HEADER, "header")
    body = memoryview(data)[8 + length :]
    metadata = metadata_of(header.pop("__metadata__", None), body)
    known = MANY if "tree_nodes" in header else ONE
    wrong = next((n for n in header if n not in known), None)
    if wrong is not None:
        raise ModelFileError(f"unknown array {shown(wrong)}")
    if list(header) != [n for n in known if n in header]:
        raise ModelFileError("arrays are out of order")
    parts, at = {}, 0
    for name, dtype in known.items():
        if name in header:
            parts[name], at = read_array(name, header[name], body, at, known is ONE)
        else:
            parts[name] = np.empty(0, dtype)
    if at != len(body):
        raise ModelFileError("bytes are left over behind the last array")
    return parts, metadata


def metadata_of(outer: Any, body: memoryview) -> dict[str, Any]:
    """The metadata, once format, version and checksum fit."""
    if not isinstance(outer, dict) or outer.get("format") != "bough":
        raise ModelFileError("this is not a bough model (no format mark)")
    if outer.get("version") != str(VERSION):
        raise ModelFileError(f"the file has version {shown(outer.get('version'))}; this bough reads version {VERSION}")
    if not isinstance(outer.get("model"), str) or set(outer) != {"format", "version", "model", "crc32"}:
        raise ModelFileError("the metadata is not that of a model")
    try:
        right = checksum(outer["model"], body)
    except UnicodeEncodeError:
        raise ModelFileError("a text is not valid Unicode") from None
    if outer["crc32"] != right:
        raise ModelFileError("the file is damaged (its checksum does not fit)")
    return parse(outer["model"], MOST_LISTED, "metadata")


def tree_of(parts: dict[str, npt.NDArray[Any]], n_classes: int, n_values: npt.NDArray[np.uint32]) -> _core.Tree:
    """The tree, if its arrays keep every rule; ``n_values``: nominal values of each column, 0 for numbers."""
    try:
        whole = {n: np.require(parts[n], t, "A") for n, t in PARTS.items()}
        return _core.Tree.from_parts(len(n_values), n_classes, {**whole, "n_values": n_values})
    except (ValueError, TypeError, RuntimeError) as e:
        raise ModelFileError(f"the tree is broken: {e}") from None


def whole_of(metadata: dict[str, Any], name: str) -> int:
    value = metadata.get(name)
    if type(value) is not int or not 0 <= value < 2**31:
        raise ModelFileError(f"{name} is not an integer in range")
    return value


def read_array(name: str, entry: Any, body: memoryview, at: int, one: bool) -> tuple[npt.NDArray[Any], int]:
    """An array as it lies in the file, and where it ends; ``one``: of a file of one tree."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"array {name} is not described as safetensors does")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES or (one and dtype == "F32"):
        raise ModelFileError(f"array {name} has type {shown(dtype)}")
    kind = np.dtype(DTYPES[dtype]).newbyteorder("<")
    whole = [*shape, *offsets] if isinstance(shape, list) and isinstance(offsets, list) else []
    if len(whole) != 3 or len(offsets) != 2 or any(type(v) is not int or v < 0 for v in whole):
        raise ModelFileError(f"array {name} has a shape or offsets that are no numbers")
    begin, end = offsets
    if begin != at or end < begin or end > len(body) or end - begin != shape[0] * kind.itemsize:
        raise ModelFileError(f"array {name} does not lie where its header says")
    wanted = np.dtype(MANY[name] if name in MANY else TEXTS[name])
    if kind.itemsize > wanted.itemsize or (wanted.kind == "u" and kind.kind != "u"):
        raise ModelFileError(f"array {name} has type {dtype!r}")
    return np.frombuffer(body[begin:end], dtype=kind), end
