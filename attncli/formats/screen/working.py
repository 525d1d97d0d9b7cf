"""Lines of working on a screen: `=` signs below each other, long lines broken between terms.

The numbers and names of queries, keys and values have their inks, and so have given numbers. Where
an ink begins and ends is marked in the text by characters that take no room, so that lines are laid
out as if they weren't there. Nobody's words have them, since what is hidden is an escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attncli.document.blocks import ColumnSum, Derivation
from attncli.document.blocks import Line as WorkingLine
from attncli.document.grid import ink_of
from attncli.formats.colours import Inked, ink_of_number
from attncli.formats.numbers import FilledAddend, filled_addends
from attncli.formats.screen.lines import BRACKETS, Line, StyledText, hanging, left, width, wrapped
from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import Expression, Number, Omitted
from attncli.maths.notation import plain
from attncli.maths.notation.columns import PartColumns, Room, at_point, filled_vectors
from attncli.maths.notation.notation import Node
from attncli.maths.notation.plain import GLUE, PlainNotation, unbreakable

_BEGIN = {"Q": "\u2061", "K": "\u2062", "V": "\u2063", "given": "\u206a"}
_END = "\u2064"
"""Characters of category Cf, which take no room."""
_INK = {mark: ink for ink, mark in _BEGIN.items()}
_NO_MARKS = str.maketrans(dict.fromkeys([*_INK, _END]))
_MARKED = f"([{''.join(_INK)}])([^{''.join(_INK)}{_END}]*){_END}"


class _InkedNotation(Inked, PlainNotation):
    """A plain notation with marks for inks."""

    def in_ink(self, text: str, name: str) -> str:
        return _marked(text, name)

    def of_vector(self, node: ex.Vector) -> str:
        ink = _ink_of_vector(node)
        return _marked(_PLAIN.of_vector(node), ink) if ink else super().of_vector(node)


_PLAIN, _INKED = PlainNotation(), _InkedNotation()


def inked(node: Node) -> str:
    """Writes the expression in plain text, with marks."""
    return _INKED.write(node)


def inked_vectors(vectors: Sequence[ex.Vector]) -> list[str]:
    """Writes vectors as texts, their entries' decimal points below each other, with marks."""
    texts = zip(filled_vectors(vectors), vectors, strict=True)
    return [_marked(text, _ink_of_vector(vector)) for text, vector in texts]


def without_marks(text: str) -> str:
    """Returns a text without its marks."""
    return text.translate(_NO_MARKS)


def in_inks(piece: StyledText) -> Iterator[StyledText]:
    """Yields a piece in parts, each in its ink."""
    end = 0
    for found in re.finditer(_MARKED, piece.text):
        yield StyledText(piece.text[end : found.start()], piece.style)
        yield StyledText(found[2], f"{piece.style} {_INK[found[1]]}")
        end = found.end()
    yield StyledText(piece.text[end:], piece.style)


def _marked(text: str, ink: str) -> str:
    """Puts marks around each of a text's words, between which a line may be broken."""
    if not ink:
        return text
    return " ".join(f"{_BEGIN[ink]}{word}{_END}" if word else "" for word in text.split(" "))


def _ink_of_vector(node: ex.Vector) -> str:
    """Returns the ink that all entries have, but for those left out; none where they differ."""
    entries = [entry for entry in node.entries if not isinstance(entry, ex.Omitted)]
    inks = {ink_of_number(entry) for entry in entries}
    return inks.pop() if len(inks) == 1 else ""


_RELATION = 3
"""The cells of ` = `."""
_NUMBERS = r"\[(?:[\d.…]|−(?=\d)|,\s+)*\]"
"""A vector of numbers, on however many lines."""
_SIGN, _ARROW = 2, 3
"""The cells of `+ ` and of ` → `."""


def working_lines(block: Derivation, cells: int) -> list[Line]:
    """Sets the lines with their parts in columns. Where the page is too narrow, all of them go on
    to a next line at the same part; a part that is too long is broken between its terms."""
    lines = [line for line in block.lines if isinstance(line, WorkingLine)]
    labels, texts = [unbreakable(inked(line.label)) for line in lines], _part_texts(lines)
    columns = _columns(labels, texts, cells)
    most, start = max(map(width, labels), default=0), int(columns.start)
    rows = iter(zip(labels, texts, strict=True))
    out: list[Line] = []
    for line in block.lines:
        if isinstance(line, Omitted):
            out.append([StyledText("⋮".rjust(min(most, 4)), "rule")])
            continue
        label, row = next(rows)
        out += [[StyledText(label, "label")]] if columns.own_line else []
        own = StyledText(" " * start if columns.own_line else left(label, start), "label")
        out += _placed(line, row, columns, own)
    return out


def _columns(labels: Sequence[str], texts: Sequence[Sequence[str]], cells: int) -> PartColumns:
    """Finds where the parts stand: below their labels, if there fewer vectors are torn apart."""
    room = Room(cells, _RELATION, 2, width)
    beside = PartColumns.of(labels, texts, room)
    torn = _torn(texts, beside)
    if not torn or beside.own_line:
        return beside
    below = PartColumns.of(labels, texts, room, above=True)
    return below if _torn(texts, below) < torn else beside


def _torn(texts: Sequence[Sequence[str]], columns: PartColumns) -> int:
    """Counts how many vectors of numbers would stand on two lines."""
    room = int(columns.room) - _RELATION
    long = (text for row in texts for text in row if width(text) > room and "[" in text)
    broken = (_broken(without_marks(text), room) for text in long)
    return sum("\n" in vector for text in broken for vector in re.findall(_NUMBERS, text))


def _broken(text: str, room: int) -> str:
    lines = wrapped([StyledText(text)], room, 2, BRACKETS)
    return "\n".join("".join(piece.text for piece in line) for line in lines)


def _placed(
    line: WorkingLine, texts: Sequence[str], columns: PartColumns, start: StyledText
) -> list[Line]:
    """Sets the parts of one line, on as many lines of the page as its columns say."""
    indent = StyledText(" " * width(start.text))
    out: list[Line] = [[start]]
    widths, breaks = columns.widths[len(texts)], columns.breaks[len(texts)]
    for k, ((relation, _), text) in enumerate(zip(line.parts, texts, strict=True)):
        if breaks[k]:
            out.append([indent])
        style = f"total {ink_of(line.quantity)}" if k == len(texts) - 1 else ""
        last = k == len(texts) - 1 or breaks[k + 1]
        room = int(columns.room) - _RELATION
        whole = [[StyledText(unbreakable(text))]]
        first, *others = wrapped([StyledText(text, style)], room, 2, BRACKETS) if last else whole
        fill = "" if last else " " * (int(widths[k]) - width(text))
        out[-1] += [StyledText(f" {relation} ", "relation"), *first, StyledText(fill)]
        out += [[indent, StyledText(" " * _RELATION), *more] for more in others if more]
    return out


def _part_texts(lines: Sequence[WorkingLine]) -> list[list[str]]:
    """Writes the parts as texts that may be broken at spaces; results lined up at the point."""
    texts = [
        [*(inked(part) for _, part in line.parts[:-1]), plain(line.parts[-1][1])] for line in lines
    ]
    if lines and all(isinstance(line.parts[-1][1], Number) for line in lines):
        results = at_point([row[-1] for row in texts])
        filled = (result.replace(" ", GLUE) for result in results)
        texts = [[*row[:-1], result] for row, result in zip(texts, filled, strict=True)]
    return texts


def addition_lines(block: ColumnSum, cells: int) -> list[Line]:
    """Sets the column addition: addends with their products, a rule, the total."""
    addends, _ = filled_addends(block, _weights, inked_vectors, " × ", "…")
    product_width = max(width(addend.product) for addend in addends)
    total = unbreakable(plain(block.total))
    value_width = max(width(text) for text in (total, *(addend.value for addend in addends)))
    label = [StyledText(unbreakable(inked(block.label)), "label")]
    if _SIGN + product_width + _ARROW + value_width > cells:
        return [label, *_long_addition(block, addends, cells)]
    out: list[Line] = [label]
    for sign, product, value in addends:
        filled = f"{left(product, product_width)} → {value}" if value else product
        out.append([StyledText(f"{sign} "), StyledText(filled)])
    gap = " " * (product_width + _ARROW)
    out.append([StyledText("─" * (_SIGN + len(gap) + value_width), "rule")])
    out.append(
        [StyledText(f"{block.relation} ", "relation"), StyledText(gap), StyledText(total, "total")]
    )
    return out


def _weights(weights: Sequence[Expression]) -> list[str]:
    texts = [unbreakable(plain(weight)) for weight in weights]
    widest = max(map(width, texts))
    return [text.rjust(widest) for text in texts]


def _long_addition(block: ColumnSum, addends: Sequence[FilledAddend], cells: int) -> list[Line]:
    """Sets a column addition with each product's value on a line of its own, both broken where they
    are long."""
    out: list[Line] = []
    for sign, product, value in addends:
        out += hanging([StyledText(f"{sign} ")], [StyledText(product)], cells, 2, BRACKETS)
        out += (
            hanging([StyledText("    → ")], [StyledText(value)], cells, 2, BRACKETS)
            if value
            else []
        )
    out.append([StyledText("─" * min(cells, 40), "rule")])
    total = StyledText(plain(block.total), "total")
    start = StyledText(f"{block.relation} ", "relation")
    return [*out, *hanging([start], [total], cells, 2, BRACKETS)]
