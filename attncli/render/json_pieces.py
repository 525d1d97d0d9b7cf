"""JSON as pieces of text, written one after the other, so that no large page is ever a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from attncli.notation.words import is_hidden


@dataclass(frozen=True)
class Rows:
    """Rows of numbers or of their texts, each as JSON, which are made when they are written."""

    begin: Callable[[], Iterator[str]]


def pieces(value: Any, indent: str = "") -> Iterator[str]:  # noqa: ANN401
    """JSON with a line for each key and each row of numbers."""
    deeper = indent + "  "
    match value:
        case Rows(begin):
            yield from _inside("[]", ([row] for row in begin()), indent)
        case {**entries}:
            items = (_entry(str(key), part, deeper) for key, part in entries.items())
            yield from _inside("{}", items, indent)
        case [*rows] if any(isinstance(row, list | dict) for row in rows):
            yield from _inside("[]", (pieces(row, deeper) for row in rows), indent)
        case _:
            yield _escaped(written(value))


def _entry(key: str, value: Any, indent: str) -> Iterator[str]:  # noqa: ANN401
    yield f"{json.dumps(key)}: "
    yield from pieces(value, indent)


def _inside(brackets: str, items: Iterable[Iterable[str]], indent: str) -> Iterator[str]:
    """Items a line each, in brackets; where there are none, these alone."""
    before = brackets[0]
    for item in items:
        yield f"{before}\n{indent}  "
        yield from item
        before = ","
    yield brackets if before == brackets[0] else f"\n{indent}{brackets[1]}"


def written(value: object) -> str:
    """Any value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def _escaped(text: str) -> str:
    """JSON with invisible characters as escapes; in it they can only stand inside strings."""
    return re.sub(r"[^\n -~]", lambda c: json.dumps(c[0])[1:-1] if is_hidden(c[0]) else c[0], text)
