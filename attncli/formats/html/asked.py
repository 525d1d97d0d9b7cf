"""The numbers of a page that can be asked where they come from, with the lines that tell it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from html import escape
from itertools import count, groupby
from typing import NamedTuple

from attncli.document.blocks import Line, Spans
from attncli.document.retold import Cases, Mark, Pick, Value, Verb
from attncli.formats.colours import ink_of_number
from attncli.formats.html.blocks import attribute, embedded, empty, set_apart
from attncli.maths.equations import deciding
from attncli.maths.equations.elision import MOST_FOLLOWED
from attncli.maths.equations.tree import (
    INNER,
    Blank,
    Equation,
    Expression,
    Location,
    Number,
    Symbol,
    Vector,
    leaves,
    with_each,
    without_rounding,
)
from attncli.maths.notation import plain
from attncli.maths.notation.escaping import printed
from attncli.maths.notation.plain import MINUS, PlainNotation, unbreakable
from attncli.maths.notation.trees import tree_of
from attncli.names import Word

_MARK = "\ue000"
"""A character for private use, which no text of the program has; words are taken out before."""


class Slot(NamedTuple):
    """A place of a number, which may become another one."""

    number: Number
    """The number that stands there."""
    after: bool = False
    """Whether it stands after a sign that says also its own."""
    held: bool = False
    """Whether it stands in parentheses where it is below 0."""


Part = str | Slot | Blank | Word


class _Cutting(PlainNotation):
    """A plain notation that keeps numbers, blanks and words, and leaves their places."""

    def __init__(self) -> None:
        super().__init__(self.taken_out)
        self.found: list[Slot | Blank | Word] = []

    def taken_out(self, part: Number | Blank | Word) -> str:
        self.found.append(Slot(part) if isinstance(part, Number) else part)
        return f"{_MARK}{len(self.found) - 1}{_MARK}"

    of_number = of_blank = taken_out  # type: ignore[assignment]

    def of_word(self, node: Word) -> str:
        return self.taken_out(node)


def parts_of(node: Expression | Equation) -> Iterator[Part]:
    """Yields the parts of an expression from left to right. Raises TypeError for a node that has no
    notation."""
    cutting = _Cutting()
    for k, piece in enumerate(_pieces(cutting, node)):
        if k % 2:
            yield cutting.found[int(piece)]
        elif piece:
            yield piece


def _pieces(cutting: _Cutting, node: Expression | Equation) -> list[str]:
    return unbreakable(cutting.write(node)).split(_MARK)


_PLUS, _MINUS = "+ ", f"{MINUS} "
_PROBE = "\0"
"""The quantity of numbers that aren't there, by which one sees how signs are written."""


def slots_of(node: Expression | Equation, changes: Callable[[Number], bool]) -> Iterator[Part]:
    """Yields the parts of an expression, with how numbers stand that may change, which shows by
    writing them above and below 0; before one `after` a sign the text doesn't have it. Raises
    TypeError."""
    numbers = [n for n in leaves(node) if isinstance(n, Number) and changes(n)]
    above, below = _Cutting(), _Cutting()
    pieces = [_pieces(c, _probing(node, changes, s)) for c, s in ((above, 1), (below, -1))]
    if [*map(_probed, above.found)] != [*map(_probed, below.found)]:
        raise TypeError(f"{plain(node)} looks otherwise with other signs")
    ending = ""  # the parenthesis that the slot before it closes
    for k in range(0, len(pieces[0]), 2):
        before, other = pieces[0][k], pieces[1][k].removeprefix(ending)
        part = below.found[int(pieces[1][k + 1])] if k + 1 < len(pieces[1]) else None
        place = None if part is None else _probed(part)
        if place is None:
            ending = ""
            yield from (piece for piece in (before, part) if piece)
            continue
        assert isinstance(part, Slot)
        held = other == f"{before}("
        after = part.number.shown > 0 and other.endswith(_MINUS) and before.endswith(_PLUS)
        ending = ")" if held else ""
        yield from filter(None, (before.removesuffix(_PLUS) if after else before,))
        yield Slot(numbers[place], after, held)


def _probing(
    node: Expression | Equation, changes: Callable[[Number], bool], sign: int
) -> Expression | Equation:
    """Returns the expression with numbers of one sign for those that may change, which know their
    places."""
    places = count()

    def probe(number: Number) -> Number | None:
        if not changes(number):
            return None
        return Number(Decimal(sign), Decimal(sign), Location(_PROBE, next(places), 0))

    if isinstance(node, Equation):
        return Equation(*(with_each(side, Number, probe) for side in node))
    return with_each(node, Number, probe)


def _probed(part: Part) -> int | None:
    """Returns the place of a number that stands for one that may change; None of any other part."""
    cell = part.number.cell if isinstance(part, Slot) else None
    return cell.row if cell is not None and cell.quantity == _PROBE else None


_Entry = list[str | list[str | int]]
_UNNAMED = Symbol("")
_Asked = Location | Expression
"""A cell; or what a number was worked from that a line came to on its way."""


_IN_ONE_PIECE = 4
"""Numbers of a vector that stays on one line."""
_MOST_LED_TO = 2000
"""Numbers up to which a page also has those that its own lead to: of 512 × 512 it shows 550, and
5,000 would take a third of its time."""
_MOST_PICKED = 64
"""Numbers of a row that a sentence picks one of."""


class AskedNumbers:
    """A page's numbers, in the order in which they were met: those that the page shows, then those
    that these lead to, the nearest first. Of a very large trace not all are followed. Where they
    may be `changed`, by the keys of those that were given, a number tells how it is written when it
    is another one. What the numbers of a page `like` this one have, too, has its place there."""

    def __init__(
        self,
        origins: Mapping[Location, Line],
        *,
        of_sheet: bool,
        changed: Mapping[Location, str] | None = None,
        like: AskedNumbers | None = None,
    ) -> None:
        self._of_sheet = of_sheet
        self._origins = origins
        self._changed = changed
        self._places: dict[object, int] = {}
        self._met: list[tuple[int, Line]] = []
        self._results: dict[int, Expression] = {}
        self._most = MOST_FOLLOWED
        self._kept = {} if like is None else {_kind(a): n for n, a in like.cells.items()}
        self._free = count(0 if like is None else max(like.cells, default=-1) + 1)
        self.cells: dict[int, _Asked] = {}
        """What has each place, in the order in which they were met."""

    @property
    def changing(self) -> bool:
        """Tells whether the numbers may be changed."""
        return self._changed is not None

    def number(self, number: Number, ink: str = "", *, later: bool = False) -> str:
        """Writes a number on the page, in an ink; a cell of a table has that itself. Its text is
        left out where a script writes it `later`."""
        return self._number(Slot(number), ink, later=later)

    def _number(self, slot: Slot, ink: str, *, later: bool) -> str:
        text, place = plain(slot.number), self.place(slot.number)
        if later and place is not None:
            text = ""
        if slot.after:
            sign, text = (_MINUS, text[1:]) if text.startswith(MINUS) else (_PLUS, text)
        if slot.held and (text.startswith(MINUS) or "e" in text):
            text = f"({text})"
        if place is not None:
            kind = f' class="{ink}"' if ink else ""
            text = f'<span data-n="{place}"{kind}{self._key(slot)}>{text}</span>'
        return f"<i>{sign}</i>{text}" if slot.after else text

    def _key(self, slot: Slot) -> str:
        """Writes what a number can be changed by, and how it is written then, as attributes."""
        if self._changed is None:
            return ""
        looks = " data-held" * slot.held + " data-after" * slot.after
        cell = slot.number.cell
        if cell is None or cell not in self._changed:
            return looks
        return f'{looks} data-set="{attribute(self._changed[cell])}"'

    def relation(self, sign: str, result: Expression, *, later: bool = False) -> str:
        """Writes a sign before what it leads to, which knows the numbers that this is."""
        places = (self.place(x) for x in leaves(result) if isinstance(x, Number))
        told = " ".join(str(place) for place in places if place is not None)
        return f'<b data-from="{told}">{"" if later else sign}</b>' if told else sign

    def mark(self, mark: Mark, named: Callable[[Spans], str]) -> str:
        """Writes what stands before something that may be told otherwise, and behind it; names are
        written by `named`."""
        if mark.told is None:
            return "</span>"
        return f'<span data-told="{escape(embedded(self._retold(mark.told, named)))}">'

    def _retold(self, told: object, named: Callable[[Spans], str]) -> object:
        match told:
            case Pick(of=of) if of > _MOST_PICKED:
                return {}
            case Pick():
                names = [named(told.name(j)) for j in range(told.of)]
                more = {name: getattr(told, name) for name in ("ties", "again", "rank")}
                numbers = [self.place(number) for number in told.numbers()]
                return {"of": numbers, "names": names, **more} if None not in numbers else {}
            case Value():
                pick = None if told.pick is None else self._retold(told.pick, named)
                looks = {"looks": told.looks, "unit": told.unit}
                return {"value": 1, "each": told.each, "pick": pick, **looks}
            case Cases():
                return self._cases(told, named)
            case Verb():
                return {"verbs": told}
            case _:
                return {"follows": 1}

    def _cases(self, told: Cases, named: Callable[[Spans], str]) -> object:
        """Returns each condition over the places of its numbers, with what is said where it is met;
        nothing where a number has no place."""
        numbers = (n for c, _ in told.cases if c is not None for n in leaves(c))
        cells = [n for n in numbers if isinstance(n, Number) and n.cell is not None]
        places = {
            number.cell: place for number in cells if (place := self.place(number)) is not None
        }
        if not all(number.cell in places for number in cells):
            return {}
        trees = (None if c is None else tree_of(c, places.__getitem__) for c, _ in told.cases)
        return {"cases": [*zip(trees, [named(spans) for _, spans in told.cases], strict=True)]}

    def expression(
        self,
        node: Expression | Equation,
        blank: Callable[[Blank], str] = empty,
        *,
        later: bool = False,
    ) -> str:
        """Writes an expression whose numbers can be asked about."""
        parts = (self._part(part, blank, later=later) for part in self._parts(node))
        whole = " whole" * (isinstance(node, Vector) and len(node.entries) <= _IN_ONE_PIECE)
        return f'<span class="worked{whole}">{"".join(parts)}</span>'

    def _parts(self, node: Expression | Equation) -> Iterable[Part]:
        return parts_of(node) if self._changed is None else slots_of(node, self._is_asked)

    def _is_asked(self, number: Number) -> bool:
        return self._asked(number) is not None

    def _part(self, part: Part, blank: Callable[[Blank], str], *, later: bool) -> str:
        match part:
            case Slot():
                return self._number(part, ink_of_number(part.number), later=later)
            case Blank():
                answer = part.answer
                return blank(part) if answer is None else self.number(answer, later=later)
            case Word():
                return set_apart(printed(part))
            case _:
                return escape(part)

    def place(self, number: Number) -> int | None:
        """Returns the place of a number in the list; None of a constant, and of one that isn't what
        its cell has, such as what a mistake comes to; on a student's sheet of any."""
        if self._of_sheet:
            return None
        asked = self._asked(number)
        if asked is None:
            return None
        # where numbers change, two that look alike may not stay so
        key = asked if isinstance(asked, Location) or self._changed is not None else (
            plain(asked), plain(number),
        )  # fmt: skip
        if key not in self._places:
            if len(self._met) >= self._most:
                return None
            place, line = self._new_place(asked), self._line(asked, number)
            self._places[key], self.cells[place] = place, asked
            self._met.append((place, line))
            self._results[place] = line.parts[-1][1]
        place = self._places[key]
        return place if _is_same(self._results[place], number) else None

    def _new_place(self, asked: _Asked) -> int:
        kept = self._kept.pop(_kind(asked), None) if self._kept else None
        return next(self._free) if kept is None else kept

    def _asked(self, number: Number) -> _Asked | None:
        if number.cell == INNER:
            return number.form
        return number.cell if number.cell in self._origins else None

    def _line(self, asked: _Asked, number: Number) -> Line:
        if isinstance(asked, Location):
            return self._origins[asked]
        whole, result = without_rounding(asked), Number(number.full, number.shown)
        try:
            relation = deciding.relation(whole, result)
        except TypeError:  # what stands where a condition is met has no working of its own
            return Line(_UNNAMED, (("=", result),))
        return Line(_UNNAMED, (("", whole), (relation, result)))

    def script(self) -> str:
        """Writes the list for the page's script."""
        return embedded([*self.entries().values()])

    def entries(self) -> dict[int, _Entry]:
        """Returns an entry for each number that was met, and for those that it leads to, by their
        places: what it is called, then its working; a number in it is its text and its place."""
        if not self.changing:
            self._most = min(self._most, _MOST_LED_TO)
        return {
            n: [_text(parts_of(line.label)), *self._parts_of_line(n, line)]
            for n, line in self._met  # which gets longer on the way
        }

    def _parts_of_line(self, n: int, line: Line) -> Iterator[str | list[str | int]]:
        """Yields the parts of a line, texts beside each other as one."""
        for is_text, parts in groupby(self._told_parts(n, line), lambda part: type(part) is str):
            if is_text:
                yield "".join(map(str, parts))
            else:
                yield from parts

    def _told_parts(self, n: int, line: Line) -> Iterator[str | list[str | int]]:
        for k, (relation, expression) in enumerate(line.parts):
            if self._changed is not None and k and k == len(line.parts) - 1:
                yield " "
                yield [relation, n, "of"]
                yield " "
            elif relation:
                yield f" {relation} "
            if self._changed is not None and line.label is _UNNAMED:
                yield [plain(expression), n]  # what a line came to on its way
                continue
            for part in self._parts(expression):
                place = self.place(part.number) if isinstance(part, Slot) else None
                if not isinstance(part, Slot) or place is None:
                    yield _text([part])
                else:
                    yield [_text([part]), place, *["after"] * part.after, *["held"] * part.held]


def _kind(asked: _Asked) -> object:
    """Returns what two numbers of pages that are alike have in common where they have one place."""
    return asked if isinstance(asked, Location) else repr(tree_of(asked, repr))


def _is_same(result: Expression, number: Number) -> bool:
    """Tells whether a line's result is a number; a sum may have its sign before it."""
    return isinstance(result, Number) and abs(result.shown) == abs(number.shown)


def _text(parts: Iterable[Part]) -> str:
    """Joins parts as a text, without the isolates, which a page has elements for."""
    return "".join(map(_told_text, parts))


def _told_text(part: Part) -> str:
    match part:
        case str():
            return part
        case Word():
            return printed(part)
        case Slot(number):
            return plain(number)
        case _:
            return plain(part)
