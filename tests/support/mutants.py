"""Damaged model files, made with knowledge of the format, most of them signed again so that the checks behind the
checksum are reached. The same number gives the same mutant."""

from __future__ import annotations

import copy
import json
import random
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

DTYPES = {"U8": "<u1", "U16": "<u2", "U32": "<u4", "F32": "<f4", "F64": "<f8"}

# Values for any place of the JSON; those that JSON itself cannot write are texts marked with RAW.
RAW = "\x00raw:"
NUMBERS: list[Any] = [-1, 0, 1, 2, 3, 7, 255, 256, 2**31 - 1, 2**31, 2**32, 2**53, 2**63, 10**20, 10**400, 0.5, 1e308]
RAWS = [f"{RAW}{text}" for text in ("NaN", "Infinity", "-Infinity", "1e999", "-0", "1E400", "01", "tru", "+1", "")]
DEEP = f"{RAW}{'[' * 300}{']' * 300}"
DEEPER = f"{RAW}{'[' * 5000}{']' * 5000}"
WORDS = [
    "", "x", "x0", "gini", "entropy", "squared_error", "max_cut", "numeric", "nominal", "boolean", "missing", "bough",
    "U8", "F64", "F32", "<i8", "<f8", "<f4", "<f16", "|b1", "|O", "<U1", "<U99999999", "<M8[s]", "|S3", "i4,i4", "\x00",
    "\x1b[2J", "a\nb", "\u202e", "\ud800", "ä" * 300, "</script>", "9" * 30,
]  # fmt: skip
STRANGE: list[Any] = [
    None, True, False, *NUMBERS, *RAWS, *WORDS, [], {}, [[]], [0, 0], [None], {"": 0}, ["a", "nominal", ["b", "c"]],
    ["a", "boolean"], ["a", "nominal", ["b", None, "c"]], ["a", "nominal", [1, True]], DEEP, DEEPER,
]  # fmt: skip
FLOATS = [
    float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0, 0.5, 5e-324, -5e-324, 2.2e-308, 1.7e308, -1.7e308,
    1e300, 1e-300, 1e154, 2.0**32, 2.0**53,
]  # fmt: skip
WHOLES = [0, 1, 2, 3, 4, 5, 7, 8, 127, 128, 254, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]


# ---- taking files apart -------------------------------------------------------------------------------------


def split(data: bytes) -> tuple[dict[str, Any], bytes]:
    n = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + n]), data[8 + n :]


def with_header(text: bytes, body: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text + body


def joined(header: dict[str, Any], body: bytes) -> bytes:
    return with_header(json.dumps(header).encode(), body)


def signed(data: bytes) -> bytes:
    """The same file with a checksum that fits, so that the checks behind it are reached."""
    try:
        header, body = split(data)
        model = header["__metadata__"]["model"]
        header["__metadata__"]["crc32"] = f"{zlib.crc32(body, zlib.crc32(model.encode())):08x}"
        return joined(header, body)
    except Exception:  # too broken to be signed
        return data


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place inside nested dicts and lists."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def written(value: Any) -> str:
    """JSON, with what JSON cannot say written as it stands."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return re.sub(r'"\\u0000raw:([^"]*)"', r"\1", text) if RAW[1:] in text else text


class Damage:
    """A file taken apart: the header, the metadata inside it, and the arrays; to be damaged and put together."""

    def __init__(self, data: bytes, rng: random.Random) -> None:
        self.rng = rng
        self.header, body = split(data)
        self.outer = self.header.pop("__metadata__")
        self.meta = json.loads(self.outer["model"])
        self.arrays = {
            n: np.frombuffer(body[slice(*e["data_offsets"])], DTYPES[e["dtype"]]).copy() for n, e in self.header.items()
        }
        self.entries: dict[str, dict[str, Any]] = {}  # descriptions that lie
        self.texts: list[Callable[[str], str]] = []  # what happens to the written metadata
        self.shuffled = False

    def data(self) -> bytes:
        chunks, here, header = [], 0, {}
        names = list(self.arrays)
        if self.shuffled:
            self.rng.shuffle(names)
        for name in names:
            a = self.arrays[name]
            code = next(c for c, t in DTYPES.items() if np.dtype(t) == a.dtype)
            end = here + a.nbytes
            header[name] = {"dtype": code, "shape": [a.size], "data_offsets": [here, end], **self.entries.get(name, {})}
            chunks.append(a.tobytes())
            here = end
        text = written(self.meta)
        for change in self.texts:
            text = change(text)
        body = b"".join(chunks)
        try:
            crc = zlib.crc32(body, zlib.crc32(text.encode()))
        except UnicodeEncodeError:
            crc = 0
        outer = {**self.outer, "model": text, "crc32": f"{crc:08x}"}
        return with_header(json.dumps({"__metadata__": outer, **header}).encode(), body)


# ---- kinds of damage ------------------------------------------------------------------------------------------


def fresh(value: Any) -> Any:
    """A copy of its own, so that damage to it stays in one file and nothing comes to lie inside itself."""
    try:
        return copy.deepcopy(value)
    except RecursionError:
        return value


def strange_place(value: Any, rng: random.Random) -> None:
    """A place somewhere in a JSON value is replaced, left out, doubled or exchanged with another."""
    found = list(places(value))
    if not found:
        return
    path = rng.choice(found)
    inside, key, how = at(value, path[:-1]), path[-1], rng.randrange(8)
    if how == 0:
        del inside[key]
    elif how == 1:
        other = rng.choice(found)
        inside[key] = fresh(at(value, other)) if other[: len(path)] != path and path[: len(other)] != other else None
    elif how == 2 and isinstance(inside, list):
        inside.insert(key, fresh(inside[key]))
    elif how == 3 and isinstance(inside[key], int):
        inside[key] += rng.choice([-1, 1, 2, 10, 1000])
    else:
        inside[key] = fresh(rng.choice(STRANGE))


def metadata_field(d: Damage) -> None:
    strange_place(d.meta, d.rng)


def metadata_claim(d: Damage) -> None:
    """Counts and kinds that the file does not bear out."""
    rng = d.rng
    field = rng.choice(
        ["columns", "n_classes", "named", "standardize", "criterion", "costs", "classes", "origin", "new"]
    )
    d.meta[field] = fresh(rng.choice([*STRANGE, 999_999, 1_000_001, [f"c{i}" for i in range(rng.randrange(20))]]))


def metadata_text(d: Damage) -> None:
    """The written metadata is damaged as text: a key twice, half a character, a bracket too many."""
    rng = d.rng

    def change(text: str) -> str:
        i = rng.randrange(len(text) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            return text[:-1] + rng.choice([',"columns":3}', ',"n_classes":2}', ',"classes":null}', ',"":0}', "}}", "]"])
        if kind == 1:
            return text[:i] + rng.choice(["\\ud800", "\\u0000", "\\", '"', "\x7f", "\u2028", "😀", ","]) + text[i:]
        if kind == 2:
            j = rng.randrange(i, min(len(text), i + 20) + 1)
            return text[:i] + text[j:]
        if kind == 3:
            return text[:i] + rng.choice('[]{},:0123456789eE.-tfn" ') + text[i + 1 :]
        return " " * rng.randrange(100) + text + rng.choice(["", " ", "x", "\n"])

    d.texts.append(change)


def array_values(d: Damage) -> None:
    """Entries of an array: ends of ranges, neighbours of what is right, all of them the same."""
    rng = d.rng
    name = rng.choice(list(d.arrays))
    a = d.arrays[name]
    if not a.size:
        return
    if rng.random() < 0.3 and a.dtype != np.float64:
        a = d.arrays[name] = a.astype("<f8" if rng.random() < 0.5 else "<u4")
    how = rng.randrange(6)
    some = [rng.randrange(a.size) for _ in range(rng.choice([1, 1, 1, 2, 5]))]
    whole = np.iinfo(a.dtype).max if a.dtype.kind == "u" else 0
    for i in some:
        if a.dtype.kind == "f":
            a[i] = rng.choice(FLOATS) if how else -a[i]
        else:
            value = rng.choice(WHOLES) if how > 1 else int(a[i]) + rng.choice([-1, 1])
            a[i] = value % (whole + 1)
    if how == 5:
        a[:] = a[some[0]]


def array_scale(d: Damage) -> None:
    """Numbers of another size: sums and products that leave the range of a double."""
    name = d.rng.choice([n for n in d.arrays if d.arrays[n].size])
    with np.errstate(all="ignore"):
        d.arrays[name] = d.arrays[name].astype("<f8") * d.rng.choice(
            [1e300, 1e-300, 1e154, -1.0, 0.0, 1e308, 2.0**-1074]
        )


def array_length(d: Damage) -> None:
    """An array one longer, shorter, doubled, reversed, empty, of another's content, or not there."""
    rng = d.rng
    name = rng.choice(list(d.arrays))
    a = d.arrays[name]
    other = d.arrays[rng.choice(list(d.arrays))]
    d.arrays[name] = rng.choice([a[:-1], a[1:], np.append(a, a[:1]), np.tile(a, 2), a[::-1].copy(), a[:0], other])
    if rng.random() < 0.1:
        del d.arrays[name]


def node_kinds(d: Damage) -> None:
    """Kinds of nodes: children that are not there, nodes without a parent, columns of the other kind."""
    rng = d.rng
    kinds = d.arrays.get("kinds")
    if kinds is None or not kinds.size:
        return
    for _ in range(rng.choice([1, 1, 2])):
        kinds[rng.randrange(kinds.size)] = rng.choice([0, 1, 2, 3, 4, 5, 255])


def trees(d: Damage) -> None:
    """Nodes that belong to another tree, trees that are not there, trees that have what they have not."""
    rng = d.rng
    nodes = d.arrays.get("tree_nodes")
    if nodes is None or not nodes.size or nodes.dtype.kind != "u":
        return
    i, j, how = rng.randrange(nodes.size), rng.randrange(nodes.size), rng.randrange(4)
    if how == 0:
        moved = rng.randrange(int(nodes[i]) + 1)
        nodes[i], nodes[j] = nodes[i] - moved, (int(nodes[j]) + moved) % (np.iinfo(nodes.dtype).max + 1)
    elif how == 1:
        d.arrays["tree_nodes"] = np.append(nodes, nodes.dtype.type(rng.choice([0, 1, 255])))
    elif how == 2:
        has = d.arrays.get("tree_parts", np.zeros(nodes.size, "<u1"))
        d.arrays = {"tree_nodes": nodes, "tree_parts": has.astype("<u1") ^ np.uint8(rng.randrange(1, 16)), **d.arrays}
    else:
        d.arrays["tree_nodes"] = nodes.astype("<u4")
        d.arrays["tree_nodes"][i] = rng.choice(WHOLES)


def array_type(d: Damage) -> None:
    name = d.rng.choice(list(d.arrays))
    with np.errstate(all="ignore"):
        d.arrays[name] = d.arrays[name].astype(d.rng.choice(list(DTYPES.values())))


def entry_field(d: Damage) -> None:
    """What the header says of an array: type, shape and place."""
    rng = d.rng
    name = rng.choice(list(d.arrays))
    size, bytes_ = d.arrays[name].size, d.arrays[name].nbytes
    numbers = [0, 1, -1, size, size + 1, bytes_, 2**31, 2**32, 2**63, 2**64, 10**30, None, True, 1.0, "1"]
    field = rng.choice(["dtype", "shape", "data_offsets", "new"])
    value = {
        "dtype": rng.choice([*DTYPES, "F32", "BF16", "I64", "u8", None, 8, ["U8"]]),
        "shape": [rng.choice(numbers) for _ in range(rng.choice([0, 1, 1, 1, 2]))],
        "data_offsets": [rng.choice(numbers) for _ in range(rng.choice([1, 2, 2, 2, 3]))],
        "new": 0,
    }[field]
    d.entries[name] = {field: value}


def outer_field(d: Damage) -> None:
    rng = d.rng
    how = rng.randrange(4)
    if how == 0:
        d.shuffled = True
    elif how == 1:
        d.arrays[rng.choice(["extra", "kinds ", "", "n_values", "__metadata__"])] = np.zeros(rng.randrange(4), "<u1")
    elif how == 2:
        d.outer[rng.choice(["format", "version", "new"])] = rng.choice([*STRANGE, "1", "2", "bough"])
    else:
        d.outer.pop(rng.choice(["format", "version"]), None)


DAMAGES = [
    metadata_field, metadata_field, metadata_claim, metadata_text, array_values, array_values, array_values,
    array_scale, array_length, node_kinds, array_type, entry_field, outer_field, trees,
]  # fmt: skip


def raw_damage(data: bytes, rng: random.Random) -> bytes:
    """Damage that knows nothing of the format: bytes, runs of bytes, the length of the header."""
    how = rng.randrange(6)
    if how == 0:
        out = bytearray(data)
        for _ in range(rng.randrange(1, 8)):
            out[rng.randrange(len(out))] = rng.randrange(256)
        return bytes(out)
    if how == 1:
        return data[: rng.randrange(len(data) + 1)]
    if how == 2:
        return struct.pack("<Q", rng.choice([0, 1, len(data), len(data) - 8, 2**31, 2**63, 2**64 - 1])) + data[8:]
    if how == 3:
        return data + bytes(rng.randrange(20))
    a = rng.randrange(len(data) + 1)
    b = min(len(data), a + rng.randrange(64))
    return rng.choice([data[:a] + data[b:], data[:b] + data[a:], data[:a] + bytes(b - a) + data[b:]])


def mutant(data: bytes, rng: random.Random) -> bytes:
    """One damaged copy of a file."""
    if rng.random() < 0.15:
        damaged = raw_damage(data, rng)
        return signed(damaged) if rng.random() < 0.5 else damaged
    d = Damage(data, rng)
    for _ in range(rng.choice([1, 1, 1, 1, 2, 3])):
        if not d.arrays:
            break
        rng.choice(DAMAGES)(d)
    out = d.data()
    return out if rng.random() < 0.98 else raw_damage(out, rng)
