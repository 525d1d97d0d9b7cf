"""Lines of styled pieces, their width in terminal cells, and wrapping them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from rich.cells import cell_len

from attncli.notation.plain import GLUE, unbreakable
from attncli.notation.words import ISOLATE, POP
from attncli.records import NamedTuple

PLAIN = ""
BRACKETS = "[]()"
"""Those of mathematics."""
_DEEPEST = 8
"""So many brackets in each other are told apart; somebody's words may open any number."""
_BEFORE_SIGNS = re.compile(f"{GLUE}(?=[=×]{GLUE})")


class StyledText(NamedTuple):
    """A text in a style: the names of some of `STYLES`, with spaces between."""

    text: str
    style: str = PLAIN


Line = list[StyledText]
NEW_PAGE: Line = [StyledText("\f", "page")]
"""What makes a printer begin a page."""


def width(text: str) -> int:
    """The cells that a text takes: two for wide characters, none for combining ones."""
    return len(text) if text.isascii() else cell_len(text)


def line_width(line: Line) -> int:
    return sum(width(piece.text) for piece in line)


def left(text: str, cells: int) -> str:
    """The text, filled up with spaces on its right."""
    return text + " " * (cells - width(text))


def right(text: str, cells: int) -> str:
    """The text, filled up with spaces on its left."""
    return " " * (cells - width(text)) + text


def wrapped(
    pieces: Iterable[StyledText], cells: int, hanging: int = 0, brackets: str = "[]"
) -> list[Line]:
    """The pieces broken at their spaces into lines of at most `cells`.

    Lines after the first are indented by `hanging`. A word longer than a line stays whole; what
    stands in `brackets`, such as a vector, and a product do if they aren't longer than a line.
    """
    atoms = [*_atoms(pieces, cells - hanging)]
    whole = _together(atoms)
    if line_width(whole) <= cells:
        return [*_isolated_alone([whole])]
    lines: list[Line] = [[]]
    used = 0
    for atom in _whole(atoms, _levels(atoms, brackets), cells - hanging):
        room = cells - (hanging if len(lines) > 1 else 0)
        size = line_width(atom)
        if lines[-1] and used + 1 + size > room:
            lines.append([])
            used = 0
        blank = [StyledText(" ", _style_between(lines[-1], atom))] if lines[-1] else []
        lines[-1] += [*blank, *atom]
        used += len(blank) + size
    indent = [StyledText(" " * hanging)]
    first, *others = _isolated_alone(lines)
    return [first, *([*indent, *line] for line in others)]


def _levels(atoms: Sequence[Line], brackets: str) -> list[int]:
    """How bad it is to break a line before each atom: the deeper in brackets the worse, and there
    less so behind a comma; of others worst before a bracket, since a shape belongs to its name,
    before an arrow, and behind `else`."""
    depth, behind_comma, before = 0, False, ""
    levels = []
    for atom in atoms:
        text = "".join(piece.text for piece in atom)
        held = text[:1] in (*brackets[::2], "→") or before == "else"
        levels.append(2 * depth - behind_comma if depth else int(held))
        before = text
        depth += sum(map(text.count, brackets[::2])) - sum(map(text.count, brackets[1::2]))
        depth, behind_comma = min(max(0, depth), _DEEPEST), "," in text[-2:]
    return levels


def _whole(atoms: Sequence[Line], levels: Sequence[int], room: int) -> Iterator[Line]:
    """The atoms, those put together that stand between the best places for a break and fit on a
    line."""
    if not atoms:
        return
    if len(atoms) == 1:
        yield atoms[0]
        return
    together = _together(atoms)
    if line_width(together) <= room:
        yield together
        return
    best = min(levels[1:])
    starts = [0, *(k for k in range(1, len(atoms)) if levels[k] == best), len(atoms)]
    for start, end in pairwise(starts):
        yield from _whole(atoms[start:end], levels[start:end], room)


def _together(atoms: Sequence[Line]) -> Line:
    """Atoms with spaces between them."""
    line: Line = []
    for atom in atoms:
        line += [StyledText(" ", _style_between(line, atom)), *atom] if line else atom
    return line


def _style_between(line: Line, atom: Line) -> str:
    """The style of the space between two pieces: theirs, if they have one style."""
    return atom[0].style if line[-1].style == atom[0].style else PLAIN


def hanging(
    start: Line, pieces: Iterable[StyledText], cells: int, by: int = 0, brackets: str = "[]"
) -> list[Line]:
    """The pieces behind a start, wrapped; what goes on in further lines stands below them."""
    indent = line_width(start)
    first, *others = wrapped(pieces, cells - indent, by, brackets)
    return [[*start, *first], *([StyledText(" " * indent), *line] for line in others)]


# A terminal takes each line for a paragraph of its own (Unicode Standard Annex 9, rule P1): in it
# an isolate has to begin and to end.
def _isolated_alone(lines: list[Line]) -> Iterator[Line]:
    """The lines, each with an end to the isolate that is open there, which goes on in the next."""
    before: list[StyledText] = []
    for line in lines:
        whole = [*before, *line]
        text = "".join(piece.text for piece in whole)
        is_open = text.rfind(ISOLATE) > text.rfind(POP)
        before = [StyledText(ISOLATE)] if is_open else []
        yield [*whole, *([StyledText(POP)] if is_open else [])]


def _atoms(pieces: Iterable[StyledText], room: int) -> Iterator[Line]:
    """What stands between the spaces: runs of pieces that must stay together."""
    atom: Line = []
    for piece in pieces:
        first, *others = _words(piece.text, room)
        atom += [StyledText(unbreakable(first), piece.style)] if first else []
        for text in others:
            if atom:
                yield atom
            atom = [StyledText(unbreakable(text), piece.style)] if text else []
    if atom:
        yield atom


def _words(text: str, room: int) -> list[str]:
    """What stands between the spaces of a text; what is too long for a line is broken before each
    `=` and `×`, too."""
    words = text.split(" ")
    if all(len(word) <= room for word in words):
        return words
    parts = (_BEFORE_SIGNS.sub(" ", word) if width(word) > room else word for word in words)
    return " ".join(parts).split(" ")
