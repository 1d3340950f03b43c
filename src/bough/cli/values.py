"""Values of options: what a text on the command line stands for, or a sentence that says what it must be."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any


def integer(least: int, most: float = float("inf")) -> Callable[[str], int]:
    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not an integer") from None
        if not least <= value <= most:
            bounds = f"at least {least}" if most == float("inf") else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"{text} is out of range: it must be {bounds}")
        return value

    return parse


def number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def separator(text: str) -> str:
    found = "\t" if text in ("tab", "\\t") else text
    if len(found) != 1 or found in '"\r\n' or not found.isascii():
        raise argparse.ArgumentTypeError(f"{text!r} is not one character, such as ';', or tab")
    return found


def share(text: str) -> float:
    value = float(number(text))
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a share: it must be at least 0 and less than 1")
    return value


def assignment(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value
