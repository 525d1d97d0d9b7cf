"""What is accepted for a blank, and why: all that honest paths lead to from the numbers that the
sheet shows, half a unit of the last place around it, and what the known mistakes give; and the
worked solution of what a section asks for, its lines as `attn run` prints them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cache, reduce
from typing import Any, NamedTuple

import numpy as np

from attncli.document.blocks import Block, Callout, ColumnSum, Derivation, Line, Spans, Table, each
from attncli.document.questions import Interval, Item, MistakenAnswer, RightAnswer, points_text
from attncli.equations.enclosures import Enclosure, enclosed_number
from attncli.equations.matrix import Matrix
from attncli.equations.tree import INNER, Expression, Location, Number, Omitted, Root, numbers_in
from attncli.exercises.line_blanks import Blankable, inside_of
from attncli.exercises.tasks import is_counted
from attncli.languages import FrameWords, Words
from attncli.marking.honest_paths import Paths, on_the_way, rounded
from attncli.names import Name, Word
from attncli.notation import plain
from attncli.notation.plain import MINUS
from attncli.numbers import decimals
from attncli.pages.parts.selection import step_of
from attncli.pages.parts.sentences import joined, put_in
from attncli.steps import Mistake
from attncli.steps.mistakes import made_wrongly, mistaken
from attncli.trace import PlannedStep, Trace

_SURELY_ALIKE = 0.49
"""Units of the last place; a number that is no farther from a rounded one rounds to it."""

Numbers = Mapping[str, Number]
"""Numbers by the ids of blanks."""
_NOISE = 1e-12
"""What floats are off by beside a number."""
_FINER = 1
"""Decimals beyond its own to which what is told in full is known."""
Ends = tuple[list[list[float]], list[list[float]]]
"""The least and the greatest numbers of a table."""


def key_of(
    reach: Reach, place: Blankable, carry: Number | None, exact: Number | None
) -> RightAnswer:
    """What is accepted for a blank: all that is in `reach` of honest paths. `carry` and `exact` are
    what the policies give from what the sheet shows, nothing where one of them can't work it."""
    own, both = place.number, (carry, exact)
    source = reach.source(place)
    places = _places(reach, place, source, both[0] or own)
    half = half_a_unit(places)
    if not own.shown.is_finite() or _is_count(reach.trace, place.quantity):
        return RightAnswer(own, Interval(own.shown, own.shown), *both, half=half)
    others = [n for n in both if n is not None and n is not own and n.shown.is_finite()]
    reached = [value_at(number, places) for number in (own, *others)]
    accepted = around(reached + reach.of(place, source, places, reached[0]), places)
    return RightAnswer(own, accepted, *both, half=half)


def _is_count(trace: Trace, name: str) -> bool:
    """Whether the numbers of a quantity are counts, or what counts add up to."""
    quantity = trace[name]
    if quantity.definition is None or is_counted(quantity):
        return quantity.definition is not None
    operands = quantity.definition.operands
    whole = bool((quantity.values == quantity.values.round()).all())
    return whole and bool(operands) and all(_is_count(trace, o) for o in operands)


@dataclass(frozen=True)
class Reach:
    """What honest paths lead to from what a sheet shows."""

    paths: Paths
    _told: dict[tuple[str, int], Ends] = field(default_factory=dict)
    _decimals: dict[str, int] = field(default_factory=dict)
    _copies: dict[str, bool] = field(default_factory=dict)

    @property
    def trace(self) -> Trace:
        return self.paths.trace

    def source(self, place: Blankable) -> Location | None:
        """The cell that a place's number was rounded in, or given in, whatever copies it since."""
        cell = place.number.cell
        if cell is None or cell is INNER:
            return cell
        name, known = cell.quantity, self._copies
        if name not in known:
            known[name] = _copies(self.trace, name)
        return _source(self.trace, cell) if known[name] else cell

    def decimals(self, name: str) -> int:
        """The decimals that a quantity is rounded to."""
        if name not in self._decimals:
            self._decimals[name] = _decimals_of(self.trace, name)
        return self._decimals[name]

    def of(
        self, place: Blankable, source: Location | None, places: int, known: Decimal
    ) -> list[Decimal]:
        """The least and the greatest number that paths lead to, rounded, besides one that is known;
        nothing where they have no end, as where one divides by what may be rounded to 0."""
        cell = source or place.number.cell
        if cell is INNER:
            return self.on_the_way(place, places)
        if cell is None:
            return []
        name, i, j = cell
        if (name, places) not in self._told:
            self._told[name, places] = self._ends(name, places)
        low, high = self._told[name, places]
        ends = {low[i][j], high[i][j]}
        if not all(map(math.isfinite, ends)):
            return []
        ends.discard(float(known))
        return [decimals.round_to(Decimal(repr(end)), places) for end in ends]

    def on_the_way(self, place: Blankable, places: int) -> list[Decimal]:
        """The same of what a line comes to on its way; not rounded where that is told in full."""
        low, high = (end.item() for end in self._worked(place.number, place.quantity))
        if not (math.isfinite(low) and math.isfinite(high)) or high - low <= _NOISE * abs(high):
            return []
        if decimals.places(place.number.shown) <= places:
            ends = rounded(np.array([low, high]), places).tolist()
            return [decimals.round_to(Decimal(repr(end)), places) for end in ends]
        unit = decimals.unit(places + _FINER)
        ways = (low, ROUND_FLOOR), (high, ROUND_CEILING)
        return [Decimal(repr(end)).quantize(unit, way) for end, way in ways]

    def _worked(self, number: Number, quantity: str) -> Enclosure:
        """Between which numbers one on the way lies before it is rounded."""

        def known(node: Expression) -> Enclosure | None:
            if not isinstance(node, Number) or node.cell is None:
                return None
            if node.cell is INNER:
                inner = self._worked(node, quantity)
                places = _places_on_the_way(self.trace, quantity, node)
                return inner if node.form is None else on_the_way(inner, places)
            name, i, j = node.cell
            return Enclosure(*(end[i : i + 1, j : j + 1] for end in self.paths.carried(name)))

        if number.form is None:
            return Enclosure.of(np.array([[float(number.full)]]))
        return enclosed_number(number.form, known)

    def _ends(self, name: str, places: int) -> Ends:
        """A whole quantity's numbers; what the sheet shows is as it is shown."""
        held = self.paths.known.get(name)
        if held is None and places == self.paths.decimals(name):
            low, high = self.paths.written(name)
        else:
            low, high = (rounded(end, places) for end in held or self.paths.made(name))
        return low.tolist(), high.tolist()


def _places(reach: Reach, place: Blankable, source: Location | None, number: Number) -> int:
    """The decimals that a number is rounded to: those of its quantity, a copy's those of what it
    copies."""
    trace = reach.trace
    if source is INNER:
        return _places_on_the_way(trace, place.quantity, number)
    if source is not None and trace[source.quantity].given:
        written = trace[source.quantity].number(source.row, source.column)
        return max(trace.rounding.decimals, decimals.places(written.shown))
    name = place.quantity if source is None else source.quantity
    rounded = reach.decimals(name)
    if number.full != number.shown or name != place.quantity:
        return rounded
    fits = decimals.fits(number.shown, rounded)
    return rounded if fits else decimals.places(number.shown)


def _places_on_the_way(trace: Trace, quantity: str, number: Number) -> int:
    """The decimals of what a line comes to on its way: its own, where these are no more than those
    of what the line starts from (a score less the largest one, −z, 1 − u); of a product, which has
    more, theirs, or those of the line if these are more."""
    definition, line = trace[quantity].definition, _decimals_of(trace, quantity)
    operands = () if definition is None else definition.operands
    known = [_decimals_of(trace, name) for name in operands] or [line]
    own = decimals.places(number.shown)
    return max(own, min(known)) if own <= max(known) else max(*known, line)


def _source(trace: Trace, cell: Location) -> Location | None:
    """The cell that a number was rounded in, or given in, whatever copies it since; None where no
    quantity has it."""
    definition = trace[cell.quantity].definition
    if definition is None or not _copies(trace, cell.quantity):
        return cell
    source = definition.operation.cell(cell.row, cell.column, *trace.operands(definition))[0]
    copied = source.cell if isinstance(source, Number) else None
    return None if copied is None else _source(trace, copied)


def _copies(trace: Trace, name: str) -> bool:
    """Whether a quantity's numbers are those of another one."""
    definition = trace[name].definition
    return definition is not None and definition.operation.only_moves


def _decimals_of(trace: Trace, name: str) -> int:
    quantity = trace[name]
    step = "" if quantity.definition is None else quantity.definition.step
    return trace.rounding.decimals_of(step, quantity.name)


def number_of(matrix_of: Callable[[str], Matrix], place: Blankable) -> Number:
    """The number of a result among the matrices of quantities that were worked in another way; the
    place's own where both are shown alike, as most are."""
    assert place.cell is not None
    name, i, j = place.cell
    worked = matrix_of(name)
    own, places = place.number.shown, worked.decimals
    apart = abs(worked.values.item(i, j) - float(own))
    rounded = worked.written is None and decimals.fits(own, places)
    if own and rounded and apart < _SURELY_ALIKE * 0.1**places:
        return place.number
    return worked.number(i, j)


def value_at(number: Number, places: int) -> Decimal:
    """A number as it is compared: rounded, also where a page shows more of a tiny one; what a line
    comes to on its way is not, where it is told in full."""
    full, shown = number.full, number.shown
    if shown.same_quantum(decimals.unit(places)) or (number.cell is INNER and full == shown):
        return shown
    return decimals.round_to(full, places)


@cache
def half_a_unit(places: int) -> Decimal:
    """Half a unit of the last of so many decimals."""
    return Decimal((0, (5,), -(places + 1)))


def around(numbers: Iterable[Decimal], places: int) -> Interval:
    """Half a unit of the last place around either of some numbers."""
    half = half_a_unit(places)
    known = list(numbers)
    return Interval(decimals.difference(min(known), half), decimals.added(max(known), half))


def with_slips(
    trace: Trace, part: PlannedStep, keys: Sequence[tuple[Blankable, RightAnswer]]
) -> list[tuple[Blankable, RightAnswer]]:
    """The keys of a part's blanks, with what the common mistakes of its step would give. What
    can't be told from the right answer, or from another mistake, is left out."""
    made = part.place, part.definitions
    wrong = [
        (_Named(mistake.name, mistake.says_at(*made)), other)
        for mistake in step_of(part).mistakes
        if (other := _mistaken(trace, part, mistake)) is not None
    ]
    return [(place, _with_slips(trace, place, key, wrong)) for place, key in keys]


class _Named(NamedTuple):
    """What a mistake is called, in the direction in which it is made."""

    name: str
    says: str


def _mistaken(trace: Trace, part: PlannedStep, mistake: Mistake[Any]) -> Trace | None:
    definition = made_wrongly(trace, part, mistake)
    return None if definition is None else mistaken(trace, part, definition)


def _with_slips(
    trace: Trace, place: Blankable, key: RightAnswer, wrong: Sequence[tuple[_Named, Trace]]
) -> RightAnswer:
    if place.cell is None or not key.number.shown.is_finite():
        return key
    (name, i, j), (low, high) = place.cell, key.accepted
    slips: list[MistakenAnswer] = []
    hidden: list[str] = []
    alike: list[tuple[str, str]] = []
    for mistake, other in wrong:
        if other[name] is trace[name]:  # the mistake leaves it as it is
            continue
        number = other[name].number(i, j)
        if number.shown == key.number.shown or not number.shown.is_finite():
            continue
        value = value_at(number, key.places)
        found = MistakenAnswer(mistake.name, mistake.says, number, around((value,), key.places))
        taken = (key.accepted, *(slip.accepted for slip in slips))
        if all(map(found.accepted.is_apart, taken)):
            slips.append(found)
        elif low <= value <= high:
            hidden.append(mistake.says)
        else:
            near = (slip for slip in slips if not found.accepted.is_apart(slip.accepted))
            alike += [(slip.says, mistake.says) for slip in near]
    return key._replace(slips=tuple(slips), hidden=tuple(hidden), alike=tuple(alike))


_MOST_NAMED = 6


def solution_of(
    working: Sequence[Block],
    places: Sequence[Blankable],
    questions: Sequence[Item],
    path: Name,
    words: Words,
    *,
    whole: bool = False,
) -> tuple[Block, ...]:
    """The lines of full working that have something to do with what is asked, or the `whole` of
    it, then each answer with what is accepted."""
    lines = working
    if not whole:
        asked = _Wanted(places)
        lines = [block for entry in working for block in asked.of(entry)]
    names = [place.seen_from(path) for place in places]
    rows = (_row(item, name, words) for item, name in zip(questions, names, strict=True))
    headings = (words.blank, words.answer, words.carry, words.exact, words.accepted, words.points)
    return (*lines, Table(headings, tuple(rows)), *_doubts(questions, names, words))


def _doubts(questions: Sequence[Item], names: Sequence[str], words: Words) -> list[Block]:
    """What answers can't tell: those that may be far off, what mistakes give as well, and which of
    two mistakes it was."""
    keys = [(name, item.key) for item, name in zip(questions, names, strict=True) if item.key]
    lines: list[Spans] = []
    wide = [Word(name) for name, key in keys if key.is_wide]
    if wide:
        lines.append(put_in(words.wide, blanks=_listed(wide, words)))
    for says in dict.fromkeys(says for _, key in keys for says in key.hidden):
        blanks = [Word(name) for name, key in keys if says in key.hidden]
        lines.append(put_in(words.hidden, mistake=says, blanks=_listed(blanks, words)))
    for first, second in dict.fromkeys(pair for _, key in keys for pair in key.alike):
        blanks = [Word(name) for name, key in keys if (first, second) in key.alike]
        listed = _listed(blanks, words)
        lines.append(put_in(words.alike, first=first, second=second, blanks=listed))
    return [Callout(spans) for spans in lines]


def _listed(names: Sequence[Word], words: Words) -> Spans:
    spans = joined((name,) for name in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return put_in(words.more, names=spans, count=str(more)) if more > 0 else spans


def _row(question: Item, name: str, words: Words) -> tuple[Word | str, ...]:
    """A blank, as it is called, with its answer and what is accepted."""
    key = question.right
    answer = plain(key.number)

    def text(number: Number | None) -> str:
        if number is None:
            return "–"
        return answer if number is key.number else plain(number)

    return (
        Word(name),
        answer,
        text(key.carry),
        text(key.exact),
        _range(key.accepted, words),
        points_text(question.points),
    )


def _range(accepted: Interval, words: Words) -> str:
    """What is accepted; of a count, which is a whole number, that alone."""
    low, high = map(_number, accepted)
    return low if low == high else words.range.format(low=low, high=high)


def _number(number: Decimal) -> str:
    return decimals.text(number).replace("-", MINUS)


def what_is_accepted(
    keys: Iterable[RightAnswer], roots: Mapping[Decimal, Decimal], words: FrameWords
) -> tuple[Block, ...]:
    """How a key is to be read: what is accepted for numbers, and why; `roots` are printed on the
    sheet."""
    own = words.keys
    halves = [
        own.half.format(
            half=_number(x), decimals=words.facts.counted("decimals", decimals.places(x) - 1)
        )
        for x in dict.fromkeys(key.half for key in keys if key.accepted.low != key.accepted.high)
    ]
    if not halves:
        return ()
    text = reduce(lambda a, b: own.either.format(first=a, last=b), halves)
    printed = (
        put_in(own.root, root=(Root(Number.written(square)),), about=(Number.written(about),))
        for square, about in roots.items()
    )
    says = put_in(own.what_is_accepted, halves=text)
    return (Callout((*says, *(span for spans in printed for span in spans))),)


class _Wanted:
    """Which lines are wanted: those whose results, or whose terms, are asked for."""

    def __init__(self, places: Sequence[Blankable]) -> None:
        self.cells = {place.cell for place in places if place.cell is not None}
        self.lines = {place.line for place in places if place.cell is None}

    def of(self, block: Block) -> Iterator[Block]:
        (block,) = each([block])
        if isinstance(block, Derivation):
            lines = _without_loose_ends([line for line in block.lines if self.keeps(line)])
            if lines:
                yield Derivation(tuple(lines))
        elif isinstance(block, ColumnSum) and self.is_about(block, block.total):
            yield block

    def keeps(self, line: Line | Omitted) -> bool:
        return isinstance(line, Omitted) or self.is_about(line, line.parts[-1][1])

    def is_about(self, line: Line | ColumnSum, result: Expression) -> bool:
        if self.lines and f"{line.quantity}{inside_of(line)}" in self.lines:
            return True
        return any(number.cell in self.cells for number in numbers_in(result))


def _without_loose_ends(lines: Sequence[Line | Omitted]) -> list[Line | Omitted]:
    """The lines without marks for those left out at either end, or twice in a row."""
    kept: list[Line | Omitted] = []
    for line in lines:
        if isinstance(line, Line) or (kept and isinstance(kept[-1], Line)):
            kept.append(line)
    return kept[:-1] if kept and isinstance(kept[-1], Omitted) else kept
