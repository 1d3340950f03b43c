"""Damaged copies of a model file: bytes, truncation, header fields, lengths; most of them signed again."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

STRANGE: list[Any] = [None, True, -1, 0, 1, 2**31, 2**63, 1e308, "", "x", [], {}, [[]], [0, 0], "U8", "F64", "\x00"]


def split(data: bytes) -> tuple[dict[str, Any], bytes]:
    n = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + n]), data[8 + n :]


def joined(header: dict[str, Any], body: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place inside nested dicts and lists."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


def mutant(data: bytes, rng: np.random.Generator) -> bytes:
    kind = rng.integers(7)
    if kind == 0:  # a few bytes anywhere
        out = bytearray(data)
        for _ in range(rng.integers(1, 8)):
            out[rng.integers(len(out))] = rng.integers(256)
        return bytes(out)
    if kind == 1:
        return data[: rng.integers(len(data) + 1)]
    if kind == 2:  # a run of bytes is lost, doubled or overwritten
        a, b = sorted(rng.integers(0, len(data) + 1, 2).tolist())
        b = min(b, a + 64)
        return [data[:a] + data[b:], data[:b] + data[a:], data[:a] + bytes(b - a) + data[b:]][rng.integers(3)]
    header, body = split(data)
    if kind == 3:  # a field of the header
        found = list(places(header))
        replaced(header, found[rng.integers(len(found))], STRANGE[rng.integers(len(STRANGE))])
        return joined(header, body)
    if kind == 4:  # a field of the metadata inside it
        meta = json.loads(header["__metadata__"]["model"])
        found = list(places(meta))
        replaced(meta, found[rng.integers(len(found))], STRANGE[rng.integers(len(STRANGE))])
        header["__metadata__"]["model"] = json.dumps(meta)
        return joined(header, body)
    if kind == 5:  # bytes of the arrays only: the header stays right
        out = bytearray(body)
        for _ in range(rng.integers(1, 6)):
            if out:
                out[rng.integers(len(out))] = rng.integers(256)
        return joined(header, bytes(out))
    # two arrays exchange their places, or lengths lie
    names = [n for n in header if n != "__metadata__"]
    a, b = rng.choice(names, 2)
    if rng.random() < 0.5:
        header[a], header[b] = header[b], header[a]
    else:
        header[a]["shape"] = [int(rng.integers(0, 2**40))]
    return joined(header, body)


def signed(data: bytes) -> bytes:
    """The same file with a checksum that fits, so that the checks behind it are reached."""
    try:
        header, body = split(data)
        model = header["__metadata__"]["model"]
        header["__metadata__"]["crc32"] = f"{zlib.crc32(body, zlib.crc32(model.encode())):08x}"
        return joined(header, body)
    except Exception:  # too broken to be signed
        return data


def mutants(data: bytes, rng: np.random.Generator, n: int) -> Iterator[bytes]:
    for _ in range(n):
        damaged = mutant(data, rng)
        yield damaged if rng.random() < 0.1 else signed(damaged)
