"""Lines of styled pieces, their width in terminal cells, and wrapping them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from attncli.maths.notation.escaping import ISOLATE, POP
from attncli.maths.notation.plain import GLUE, unbreakable

PLAIN = ""
BRACKETS = "[]()"
"""Those of mathematics."""
_DEEPEST = 8
"""So many brackets in each other are told apart; somebody's words may open any number."""
_HIDDEN = f"\u2061\u2062\u2063\u2064\u206a{ISOLATE}{POP}"
"""What takes no room: the marks of inks, and what words that run to the left stand between."""
_SIGNS = "·×²√∞≈≤≥−∂Σ∇ᵀαβγδεηθλσ→←▸▶•–…⋮✓│─┼═█▇▆▅▄▃▂▁“”"
CELLS = dict.fromkeys(map(chr, range(0x20, 0x7F)), 1) | dict.fromkeys(_HIDDEN, 0)
CELLS |= dict.fromkeys((GLUE, *_SIGNS), 1)
"""The cells of all that a page says by itself; only somebody's words may need rich's tables, which
take their time."""
_BEFORE_SIGNS = f"{GLUE}(?=[=×]{GLUE})"


class StyledText(NamedTuple):
    """A text in a style."""

    text: str
    """The text."""
    style: str = PLAIN
    """The names of some of `STYLES`, with spaces between."""


Line = list[StyledText]
NEW_PAGE: Line = [StyledText("\f", "page")]
"""What makes a printer begin a page."""


def width(text: str) -> int:
    """Counts the cells that a text takes: two for wide characters, none for combining ones."""
    return len(text) if text.isascii() else _cells(text)


@lru_cache(maxsize=4096)
def _cells(text: str) -> int:
    try:
        return sum(map(CELLS.__getitem__, text))
    except KeyError:
        from rich.cells import cell_len

        return cell_len(text)


def line_width(line: Line) -> int:
    return sum(width(piece.text) for piece in line)


def left(text: str, cells: int) -> str:
    """Fills up the text with spaces on its right."""
    return text + " " * (cells - width(text))


def right(text: str, cells: int) -> str:
    """Fills up the text with spaces on its left."""
    return " " * (cells - width(text)) + text


def wrapped(
    pieces: Iterable[StyledText], cells: int, hanging: int = 0, brackets: str = "[]"
) -> list[Line]:
    """Breaks the pieces at their spaces into lines of at most `cells`.

    Lines after the first are indented by `hanging`. A word longer than a line stays whole; what
    stands in `brackets`, such as a vector, and a product do if they aren't longer than a line.
    """
    atoms = [*_broken_behind_bars(_atoms(pieces, cells - hanging), cells - hanging)]
    sizes = [line_width(atom) - _goes_on(atom) for atom in atoms]
    cells -= any(map(_goes_on, atoms))  # as what begins a line has a cell more than its size
    if sum(sizes) + len(sizes) - 1 <= cells:
        return [*_isolated_alone([_together(atoms)])]
    lines: list[Line] = [[]]
    used = 0
    for part in _whole(sizes, _levels(atoms, brackets), range(len(atoms)), cells - hanging):
        room = cells - (hanging if len(lines) > 1 else 0)
        size = _width_of(part, sizes)
        if lines[-1] and used + 1 + size > room:
            lines.append([])
            used = 0
        used += size + bool(lines[-1])
        _add(atoms[part.start : part.stop], lines[-1])
    indent = [StyledText(" " * hanging)]
    first, *others = _isolated_alone(lines)
    return [first, *([*indent, *line] for line in others)]


def _levels(atoms: Sequence[Line], brackets: str) -> list[int]:
    """Tells how bad it is to break a line before each atom: the deeper in brackets the worse, and
    there less so behind a comma; of others worst before a bracket, since a shape belongs to its
    name, before an arrow, and behind `else`."""
    depth, behind_comma, before = 0, False, ""
    levels = []
    for atom in atoms:
        text = "".join(piece.text for piece in atom)
        held = text[:1] in (*brackets[::2], "→") or before == "else"
        levels.append(2 * depth - behind_comma if depth else int(held))
        before = text
        if not text.isalnum():  # as words are
            depth += sum(map(text.count, brackets[::2])) - sum(map(text.count, brackets[1::2]))
        depth, behind_comma = min(max(0, depth), _DEEPEST), "," in text[-2:]
    return levels


def _whole(sizes: Sequence[int], levels: Sequence[int], atoms: range, room: int) -> Iterator[range]:
    """Yields the places of the atoms, those put together that stand between the best places for a
    break and fit on a line."""
    if len(atoms) <= 1 or _width_of(atoms, sizes) <= room:
        yield from (atoms,) if atoms else ()
        return
    best = min(levels[atoms.start + 1 : atoms.stop])
    starts = [k for k in atoms[1:] if levels[k] == best]
    for start, end in pairwise([atoms.start, *starts, atoms.stop]):
        part = range(start, end)
        yield from (part,) if len(part) == 1 else _whole(sizes, levels, part, room)


def _width_of(atoms: range, sizes: Sequence[int]) -> int:
    """Counts the cells that atoms at some places take together."""
    return sum(sizes[atoms.start : atoms.stop]) + len(atoms) - 1


def _together(atoms: Sequence[Line]) -> Line:
    """Joins atoms with spaces between them."""
    line: Line = []
    _add(atoms, line)
    return line


def _add(atoms: Sequence[Line], line: Line) -> None:
    """Puts atoms behind a line, with spaces between them but before what goes on with a word."""
    for atom in atoms:
        if _goes_on(atom):
            line += atom[1:]
            continue
        line += [StyledText(" ", _style_between(line, atom)), *atom] if line else atom


def _style_between(line: Line, atom: Line) -> str:
    """Returns the style of the space between two pieces: theirs, if they have one style."""
    return atom[0].style if line[-1].style == atom[0].style else PLAIN


def hanging(
    start: Line, pieces: Iterable[StyledText], cells: int, by: int = 0, brackets: str = "[]"
) -> list[Line]:
    """Sets the pieces behind a start, wrapped; what goes on in further lines stands below them."""
    indent = line_width(start)
    first, *others = wrapped(pieces, cells - indent, by, brackets)
    return [[*start, *first], *([StyledText(" " * indent), *line] for line in others)]


# A terminal takes each line for a paragraph of its own (Unicode Standard Annex 9, rule P1): in it
# an isolate has to begin and to end.
def _isolated_alone(lines: list[Line]) -> Iterator[Line]:
    """Yields the lines, each with an end to the isolate that is open there, which goes on in the
    next."""
    before: list[StyledText] = []
    for line in lines:
        whole = [*before, *line]
        text = "".join(piece.text for piece in whole)
        is_open = text.rfind(ISOLATE) > text.rfind(POP)
        before = [StyledText(ISOLATE)] if is_open else []
        yield [*whole, *([StyledText(POP)] if is_open else [])]


def _atoms(pieces: Iterable[StyledText], room: int) -> Iterator[Line]:
    """Yields what stands between the spaces: runs of pieces that must stay together."""
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


_GOES_ON = StyledText("", "goes on")
"""The mark before an atom that goes on with the word before it."""


def _goes_on(atom: Line) -> bool:
    return atom[0] is _GOES_ON


def _broken_behind_bars(atoms: Iterable[Line], room: int) -> Iterator[Line]:
    """Yields the atoms, those that are too long for a line in parts, each up to a `|`."""
    for atom in atoms:
        if line_width(atom) <= room:
            yield atom
            continue
        part: Line = []
        for piece in atom:
            for text in filter(None, _BEHIND_BARS.split(piece.text)):
                part.append(StyledText(text, piece.style))
                if text.endswith("|"):
                    yield part
                    part = [_GOES_ON]
        if part and part != [_GOES_ON]:
            yield part


_BEHIND_BARS = re.compile(r"(?<=\|)")


def _words(text: str, room: int) -> list[str]:
    """Lists what stands between the spaces of a text; what is too long for a line is broken before
    each `=` and `×`, too."""
    words = text.split(" ")
    if all(len(word) <= room for word in words):
        return words
    parts = (re.sub(_BEFORE_SIGNS, " ", word) if width(word) > room else word for word in words)
    return " ".join(parts).split(" ")
