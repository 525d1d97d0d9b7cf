"""Numbers that a reader can ask where they come from: each has a place in a list, whose entries are
the lines that work them out, down to what is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape

from attncli.document.blocks import Line
from attncli.equations.elision import MOST_FOLLOWED
from attncli.equations.tree import INNER, Blank, Equation, Expression, Location, Number, Symbol
from attncli.formats.colours import ink_of_number
from attncli.formats.html.blocks import embedded, empty, set_apart
from attncli.names import Word
from attncli.notation import plain
from attncli.notation.escaping import printed
from attncli.notation.plain import PlainNotation, unbreakable

_MARK = "\ue000"
"""A character for private use, which no text of the program has; words are taken out before."""

Part = str | Number | Blank | Word


class _Cutting(PlainNotation):
    """Plain notation that keeps numbers, blanks and words, and leaves their places."""

    def __init__(self) -> None:
        super().__init__(self.taken_out)
        self.found: list[Number | Blank | Word] = []

    def taken_out(self, part: Number | Blank | Word) -> str:
        self.found.append(part)
        return f"{_MARK}{len(self.found) - 1}{_MARK}"

    number = blank = taken_out  # type: ignore[assignment]

    def named(self, node: Word) -> str:
        return self.taken_out(node)


def parts_of(node: Expression | Equation) -> Iterator[Part]:
    """The expression from left to right. Raises TypeError for a node that has no notation."""
    cutting = _Cutting()
    for k, piece in enumerate(unbreakable(cutting.write(node)).split(_MARK)):
        if k % 2:
            yield cutting.found[int(piece)]
        elif piece:
            yield piece


_Entry = list[str | list[str | int]]
_UNNAMED = Symbol("")
_Asked = Location | tuple[str, str]
"""A cell; or of a number that a line came to on its way, what it was worked from, and itself."""


class AskedNumbers:
    """The numbers of one page, in the order in which they were met: those that the page shows, then
    those that these lead to, the nearest first. Of a very large trace not all are followed."""

    def __init__(self, origins: Mapping[Location, Line], *, of_sheet: bool) -> None:
        self._of_sheet = of_sheet
        self._origins = origins
        self._places: dict[_Asked, int] = {}
        self._met: list[Line] = []

    def number(self, number: Number, ink: str = "") -> str:
        """A number on the page, in an ink; a cell of a table has that itself."""
        text, place = plain(number), self._place(number)
        if place is None:
            return text
        kind = f' class="{ink}"' if ink else ""
        return f'<span data-n="{place}"{kind}>{text}</span>'

    def attributes(self, number: Number) -> Mapping[str, str]:
        """The attributes of what shows a number in a picture."""
        place = self._place(number)
        return {} if place is None else {"data_n": f"{place}"}

    def expression(self, node: Expression | Equation, blank: Callable[[Blank], str] = empty) -> str:
        """An expression whose numbers can be asked about."""
        parts = (self._part(part, blank) for part in parts_of(node))
        return f'<span class="worked">{"".join(parts)}</span>'

    def _part(self, part: Part, blank: Callable[[Blank], str]) -> str:
        match part:
            case Number():
                return self.number(part, ink_of_number(part))
            case Blank():
                return blank(part) if part.answer is None else self.number(part.answer)
            case Word():
                return set_apart(printed(part))
            case _:
                return escape(part)

    def _place(self, number: Number) -> int | None:
        """The place of a number in the list; None of a constant, and of one that isn't what its
        cell has, such as what a mistake comes to; on a student's sheet of any."""
        if self._of_sheet:
            return None
        asked = self._asked(number)
        if asked is None:
            return None
        if asked not in self._places:
            if len(self._met) == MOST_FOLLOWED:
                return None
            self._places[asked] = len(self._met)
            self._met.append(self._line(asked, number))
        place = self._places[asked]
        return place if _is_same(self._met[place].parts[-1][1], number) else None

    def _asked(self, number: Number) -> _Asked | None:
        if number.cell == INNER:
            return None if number.form is None else (plain(number.form), plain(number))
        return number.cell if number.cell in self._origins else None

    def _line(self, asked: _Asked, number: Number) -> Line:
        if isinstance(asked, Location):
            return self._origins[asked]
        assert number.form is not None
        return Line(_UNNAMED, (("", number.form), ("=", Number(number.full, number.shown))))

    def script(self) -> str:
        """The list for the page's script."""
        return embedded([*self._entries()])

    def _entries(self) -> Iterator[_Entry]:
        """An entry for each number that was met, and for those that it leads to: what it is called,
        then its working; a number in it is its text and its place."""
        for line in self._met:  # which gets longer on the way
            yield [_text(parts_of(line.label)), *self._told(line.parts)]

    def _told(self, parts: Iterable[tuple[str, Expression]]) -> Iterator[str | list[str | int]]:
        text = ""
        for relation, expression in parts:
            text += f" {relation} " if relation else ""
            for part in parts_of(expression):
                place = self._place(part) if isinstance(part, Number) else None
                if place is None:
                    text += _text([part])
                    continue
                if text:
                    yield text
                text = ""
                yield [_text([part]), place]
        if text:
            yield text


def _is_same(result: Expression, number: Number) -> bool:
    """Whether a line's result is a number; a sum may have its sign before it."""
    return isinstance(result, Number) and abs(result.shown) == abs(number.shown)


def _text(parts: Iterable[Part]) -> str:
    """Parts as a text, without the isolates, which a page has elements for."""
    texts = (
        part if isinstance(part, str) else printed(part) if isinstance(part, Word) else plain(part)
        for part in parts
    )
    return "".join(texts)
