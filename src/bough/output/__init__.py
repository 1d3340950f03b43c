"""What a model looks like elsewhere: one module for each form. Those that are a file are listed here; `bough export`,
`bough list output`, docs and contract tests take them from the list. CONTRIBUTING.md says how one is added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model.model import Model


@dataclass(frozen=True)
class Form:
    """A form that a model can be written in. Its module has ``write(model, **options)``, which gives the file."""

    name: str  # of the option of `bough export`
    title: str
    doc: str
    source: str
    module: str  # imported when it is used
    options: tuple[str, ...] = ()  # of the command that ``write`` takes

    def write(self, model: Model, **options: object) -> bytes:
        made: Callable[..., bytes] = import_module(f".{self.module}", __name__).write
        return made(model, **options)


FORMS = [
    Form("onnx", "ONNX", "a graph in float64 for any ONNX runtime", "ONNX", "onnx"),
    Form("sql", "SQL", "one SELECT over a table", "ISO 9075", "sql", ("table", "dialect", "proba", "key")),
    Form("as-json", "JSON", "plain steps for a program in any language", "RFC 8259", "as_json"),
    Form("dot", "DOT", "a drawing for graphviz", "graphviz", "dot"),
    Form("html", "HTML", "the report: a page to walk through the tree (`bough report` adds data)", "HTML", "html"),
    Form("python", "Python source", "a function without any import", "common", "source"),
    Form("javascript", "JavaScript", "functions for a page or Node, without any import", "ECMA-262", "javascript"),
    Form("c", "C source", "functions in C99 for one row, without any library", "ISO 9899", "c_source"),
]
OUTPUTS = {o.name: o for o in FORMS}
