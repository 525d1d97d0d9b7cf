"""Where things that stand in columns go over to a next line, whatever the format measures by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from attncli.equations.tree import Expression, Vector
from attncli.notation.plain import plain

T = TypeVar("T")


class Room(NamedTuple):
    """How a format measures text: the room on a line, what a relation takes before its part, how
    far parts are indented below a label on a line of its own, and the width of a text."""

    whole: float
    relation: float
    indent: float
    width: Callable[[str], float]


class PartColumns(NamedTuple):
    """Where the parts of lines stand: whether labels have lines of their own, where parts start and
    what room is left for them; for lines of k parts the width of each, and before which of them a
    new line begins."""

    own_line: bool
    start: float
    room: float
    widths: dict[int, list[float]]
    breaks: dict[int, list[bool]]

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        texts: Sequence[Sequence[str]],
        room: Room,
        *,
        above: bool = False,
    ) -> PartColumns:
        """Labels stand above their parts where that is asked for, or where they are longer than a
        third of a line, and beside them would leave too little of it for some part."""
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
    """Before which part a new line begins: where the parts so far leave no room for it."""
    used, breaks = 0.0, []
    for size in widths:
        breaks.append(bool(used) and used + relation + size > room)
        used = (0 if breaks[-1] else used) + relation + size
    return _in_company(breaks, widths, room, relation)


def _in_company(
    breaks: list[bool], widths: Sequence[float], room: float, relation: float
) -> list[bool]:
    """The same, a result that would stand alone on a line together with the part before it."""
    if len(breaks) < 3 or not breaks[-1] or breaks[-2]:  # noqa: PLR2004
        return breaks
    fits = 2 * relation + widths[-2] + widths[-1] <= room
    return [*breaks[:-2], True, False] if fits else breaks


def bands(
    columns: Sequence[T], width: Callable[[T], float], room: float, gap: float
) -> list[list[T]]:
    """Columns in as many bands as they need, none wider than the room unless it has only one."""
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
    """Numbers as texts, their decimal points below each other."""
    return at_point([plain(number) for number in numbers])


def filled_vectors(
    vectors: Sequence[Vector],
    column: Callable[[Sequence[Expression]], list[str]] = filled,
    form: str = "[{}]",
    between: str = ", ",
) -> list[str]:
    """Vectors as texts, with the entries in each column as they stand below each other."""
    columns = map(column, zip(*(vector.entries for vector in vectors), strict=True))
    return [form.format(between.join(row)) for row in zip(*columns, strict=True)]


def at_point(texts: Sequence[str]) -> list[str]:
    """Numbers filled up so that their decimal points stand above each other; −∞, which has
    none, and `⋮` at the right."""
    heads = [text.partition(".")[0] if _has_digits(text) else "" for text in texts]
    tails = [text[len(head) :] if head else "" for text, head in zip(texts, heads, strict=True)]
    before, after = max(map(len, heads)), max(map(len, tails))
    return [
        head.rjust(before) + tail.ljust(after) if head else text.rjust(before + after)
        for text, head, tail in zip(texts, heads, tails, strict=True)
    ]


def _has_digits(text: str) -> bool:
    return any(character.isdigit() for character in text)
