"""The reader of model files under a fuzzer that is guided by coverage (Atheris, libFuzzer for Python).

    pip install atheris
    python -m fuzz.guided -runs=100000

Options are libFuzzer's. Mutants are signed again, so that what is behind the checksum is reached; half of them are
made by the mutator that knows the format.
"""

from __future__ import annotations

import contextlib
import random
import sys
import tempfile
import types
import warnings
from pathlib import Path

import atheris  # type: ignore[import-not-found]

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from bough import Model, ModelFileError
from bough.model import conditions, file, metadata, model, nodes, splits
from bough.output import text, words
from bough.tables import schema
from fuzz.originals import originals
from support.mutants import mutant, signed
from support.use import use

WATCHED = (conditions, file, metadata, model, nodes, schema, splits, text, words)


def one(data: bytes) -> None:
    with contextlib.suppress(ModelFileError):
        use(Model.from_bytes(data))


def change(data: bytes, most: int, seed: int) -> bytes:
    draw = random.Random(seed)
    try:
        changed = mutant(data, draw) if draw.random() < 0.5 else signed(atheris.Mutate(data, most))
    except Exception:  # too broken to be taken apart
        changed = bytes(atheris.Mutate(data, most))
    return changed[:most]


def instrument() -> None:
    """Makes every function of the reader, and of what a model can do, tell which branches it takes."""
    for module in WATCHED:
        for found in list(vars(module).values()):
            if isinstance(found, types.FunctionType) and found.__module__ == module.__name__:
                found.__code__ = atheris.instrument_func(found).__code__
            elif isinstance(found, type) and found.__module__ == module.__name__:
                for method in vars(found).values():
                    if isinstance(method, types.FunctionType):
                        method.__code__ = atheris.instrument_func(method).__code__


def main() -> None:
    instrument()
    warnings.simplefilter("ignore")
    corpus = Path(tempfile.mkdtemp(prefix="bough-corpus-"))
    for i, data in enumerate(originals()):
        (corpus / f"{i}.bough").write_bytes(data)
    atheris.Setup([*sys.argv, "-max_len=8192", str(corpus)], one, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
