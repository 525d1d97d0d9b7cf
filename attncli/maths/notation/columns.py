"""Lines of columns that are broken where they get too wide, whatever the format measures by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from attncli.maths.equations.tree import Expression, Vector
from attncli.maths.notation.plain import plain

T = TypeVar("T")


class Room(NamedTuple):
    """The room on a line, as a format measures text."""

    whole: float
    """The width of a line."""
    relation: float
    """What a relation takes before its part."""
    indent: float
    """How far parts are indented below a label on a line of its own."""
    width: Callable[[str], float]
    """Measures a text."""


class PartColumns(NamedTuple):
    """The places of the parts of lines, in columns below each other."""

    own_line: bool
    """Whether labels have lines of their own."""
    start: float
    """Where parts begin."""
    room: float
    """What room is left for them."""
    widths: dict[int, list[float]]
    """For lines of k parts the width of each."""
    breaks: dict[int, list[bool]]
    """For lines of k parts, whether a new line begins before each."""

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        texts: Sequence[Sequence[str]],
        room: Room,
        *,
        above: bool = False,
    ) -> PartColumns:
        """Lays the parts of lines out.

        Labels stand above their parts if that is asked for, or if they are longer than a third of a
        line and beside them too little room would be left for some part.
        """
        label = max(map(room.width, labels), default=0)
        widest = max((room.width(text) for row in texts for text in row), default=0)
        long = label > room.whole / 3 and label + room.relation + widest > room.whole
        own_line = above or long
        start = room.indent if own_line else label
        left = room.whole - start
        rows = {len(row): [entry for entry in texts if len(entry) == len(row)] for row in texts}
        widths = {
            count: [max(map(room.width, column)) for column in zip(*alike, strict=True)]
            for count, alike in rows.items()
        }
        breaks = {count: _breaks(sizes, left, room.relation) for count, sizes in widths.items()}
        return cls(own_line, start, left, widths, breaks)


def _breaks(widths: Sequence[float], room: float, relation: float) -> list[bool]:
    """Tells before which parts a new line begins: where the parts so far leave no room for it."""
    used, breaks = 0.0, []
    for size in widths:
        breaks.append(bool(used) and used + relation + size > room)
        used = (0 if breaks[-1] else used) + relation + size
    return _in_company(breaks, widths, room, relation)


def _in_company(
    breaks: list[bool], widths: Sequence[float], room: float, relation: float
) -> list[bool]:
    """Moves the part before a result to the line of the result, where that would stand alone."""
    if len(breaks) < 3 or not breaks[-1] or breaks[-2]:  # noqa: PLR2004
        return breaks
    fits = 2 * relation + widths[-2] + widths[-1] <= room
    return [*breaks[:-2], True, False] if fits else breaks


def bands(
    columns: Sequence[T], width: Callable[[T], float], room: float, gap: float
) -> list[list[T]]:
    """Splits columns into as many bands as they need, none wider than the room unless it has only
    one column."""
    found: list[list[T]] = []
    used = 0.0
    for column in columns:
        needed = width(column)
        if not found or used + needed > room:
            found.append([])
            used = 0
        found[-1].append(column)
        used += needed + gap
    return found or [[]]


def filled(numbers: Sequence[Expression]) -> list[str]:
    """Writes numbers as texts, with their decimal points below each other."""
    return at_point([plain(number) for number in numbers])


def filled_vectors(
    vectors: Sequence[Vector],
    column: Callable[[Sequence[Expression]], list[str]] = filled,
    form: str = "[{}]",
    between: str = ", ",
) -> list[str]:
    """Writes vectors as texts, with the entries of each column below each other."""
    columns = map(column, zip(*(vector.entries for vector in vectors), strict=True))
    return [form.format(between.join(row)) for row in zip(*columns, strict=True)]


def at_point(texts: Sequence[str]) -> list[str]:
    """Pads numbers so that their decimal points stand below each other; −∞, which has none, and `⋮`
    stand at the right."""
    heads = [text.partition(".")[0] if _has_digits(text) else "" for text in texts]
    tails = [text[len(head) :] if head else "" for text, head in zip(texts, heads, strict=True)]
    before, after = max(map(len, heads)), max(map(len, tails))
    return [
        head.rjust(before) + tail.ljust(after) if head else text.rjust(before + after)
        for text, head, tail in zip(texts, heads, tails, strict=True)
    ]


def _has_digits(text: str) -> bool:
    return any(character.isdigit() for character in text)
