"""The numbers that a picture is drawn by, as data for a script that shades it when they change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from attncli.document.blocks import Graph
from attncli.document.pictures import Diagram, HeatMaps, Picture, Pixels
from attncli.formats.svg.heat_maps import made_of
from attncli.maths.equations.tree import Blank, Number
from attncli.maths.notation.escaping import json_text, printed
from attncli.names import Word


def picture_data(block: Picture | Graph, place: Callable[[Number], int | None]) -> str | None:
    """Returns what is known of a picture as JSON, each number as its place; "" of one that stays as
    it is, None where one of its numbers has no place."""
    if isinstance(block, Diagram):
        return ""
    fields = _fields(block)
    if fields is None:
        return None
    try:
        data = _data({"kind": type(block).__name__, **fields}, place)
    except LookupError:
        return None
    text = json_text(data, separators=(",", ":"))
    return text.replace("'", "\\u0027")  # which attributes may stand in


def _fields(block: Picture | Graph) -> Mapping[str, object] | None:
    if isinstance(block, HeatMaps):
        return made_of(block)
    if isinstance(block, Pixels):
        return block._asdict()
    return {"numbers": [*_numbers_in(block)]}


def _numbers_in(value: object) -> Iterator[Number | Blank]:
    """Yields the numbers of a picture, in whatever part of it."""
    if isinstance(value, Number | Blank):
        yield value
    elif isinstance(value, tuple | list):
        for entry in value:
            yield from _numbers_in(entry)


def _data(value: object, place: Callable[[Number], int | None]) -> object:
    """Returns a value as data, each number as its place. Raises LookupError of a number that has no
    place."""
    match value:
        case Number() | Blank():
            n = place(value) if isinstance(value, Number) else None
            if n is None:
                raise LookupError
            return n
        case Word():
            return printed(value)
        case dict():
            return {key: _data(entry, place) for key, entry in value.items()}
        case tuple() if hasattr(value, "_asdict"):
            return _data(value._asdict(), place)
        case tuple() | list():
            return [_data(entry, place) for entry in value]
        case _:
            return value
