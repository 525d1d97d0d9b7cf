"""From plain data to the text of a file that reads as the same: maps, lists, texts.

Every value is a text here, as it is to the reader, so that nothing is lost: what YAML might take
for something else is a double-quoted scalar, in which any character can stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from attncli.maths.notation.escaping import key_of, quoted

_PLAIN = re.compile(r"[\w.+-](?:[\w .+−/()'-]*[\w.+/()'-])?", re.ASCII)
"""Texts that stand for themselves without quotes, wherever they stand."""
_MARKS = frozenset({"-", "--", "---", "..."})


def emitted(data: Mapping[str, object]) -> str:
    """Writes a map as the text of a file."""
    return "".join(f"{line}\n" for line in _map_lines(data))


def _map_lines(data: Mapping[str, object]) -> Iterator[str]:
    for key, value in data.items():
        yield from _behind(key_of(written(key)), value)


def _behind(start: str, value: object) -> Iterator[str]:
    """Yields the lines of a value after its key: on the same line, or below it."""
    if isinstance(value, Mapping) and value:
        yield start
        yield from (f"  {line}" for line in _map_lines(value))
    elif _is_list(value) and any(isinstance(data, Mapping) or _is_list(data) for data in value):
        yield start
        for data in value:
            yield from _item(data)
    else:
        yield f"{start} {on_one_line(value)}"


def _item(value: object) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        first, *others = _map_lines(value)
        yield f"  - {first}"
        yield from (f"    {line}" for line in others)
    else:
        yield f"  - {on_one_line(value)}"


def on_one_line(value: object) -> str:
    """Writes a value in YAML's flow style, which can stand wherever a value does."""
    if isinstance(value, Mapping):
        entries = (f"{written(key)}: {on_one_line(data)}" for key, data in value.items())
        return f"{{{', '.join(entries)}}}"
    if _is_list(value):
        return f"[{', '.join(map(on_one_line, value))}]"
    return written(str(value))


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def written(text: str) -> str:
    """Writes a text as a scalar, plain where that is read as the same text and quoted elsewhere."""
    plain = _PLAIN.fullmatch(text) and text not in _MARKS and not text.startswith(("- ", "--- "))
    return text if plain else quoted(text)
