"""The key of a blank that knows nobody's earlier numbers: accepted answers, mistakes, working."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, reduce

from attncli.classroom.exercises.line_blanks import Blankable, inside_of
from attncli.classroom.exercises.on_the_sheet import SheetCells
from attncli.classroom.exercises.tasks import is_counted
from attncli.document.blocks import (
    Block,
    Bullets,
    Callout,
    ColumnSum,
    Derivation,
    Line,
    Spans,
    Subheading,
    Table,
    TableCell,
    Term,
    each,
)
from attncli.document.languages import FrameWords, Words
from attncli.document.questions import Interval, Item, MistakenAnswer, RightAnswer, points_text
from attncli.judging.honest_paths import Paths
from attncli.judging.wrong_ways import WrongWay, declared_ways
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    INNER,
    Expression,
    Location,
    Number,
    Omitted,
    Quotient,
    Root,
    Symbol,
    numbers_in,
)
from attncli.maths.notation import plain
from attncli.maths.notation.plain import MINUS
from attncli.maths.numbers import decimals
from attncli.maths.operations.activations import DivideBy
from attncli.maths.operations.masking import Seen
from attncli.maths.operations.written import Condition
from attncli.names import Name, Word
from attncli.pages.parts.sentences import joined, put_in
from attncli.steps.mistakes import mistaken
from attncli.trace import PlannedStep, Trace

_SURELY_ALIKE = 0.49
"""Units of the last place; a number that is no farther from a rounded one rounds to it."""

_NOISE = 1e-13
"""How far a number that nobody has to round may be off in floats."""

_HALVES = 3
"""Half units of the last place that a key lets pass around what the two policies give: whoever
carries, or keeps in full, is never further off."""


def key_of(
    sources: Sources, place: Blankable, carry: Number | None, exact: Number | None
) -> RightAnswer:
    """Makes the key of a blank that knows nobody's earlier numbers. It accepts what lies between
    `carry` and `exact`, what carrying and full precision give (None where one of them can't work
    it), and a unit and a half of the last place around that, or half a unit where nobody rounds
    anything."""
    own, both = place.number, (carry, exact)
    source = sources.of(place)
    places = _places(sources, place, source, both[0] or own)
    half = half_a_unit(places)
    if not own.shown.is_finite() or _is_whole(sources.trace, place.quantity):
        return RightAnswer(own, Interval(own.shown, own.shown), *both, half=half)
    others = [n for n in both if n is not None and n is not own and n.shown.is_finite()]
    reached = [value_at(number, places) for number in (own, *others)]
    reached += sources.by_printed_root(place, places)
    halves = 1 if source is not None and sources.is_exact(source) else _HALVES
    return RightAnswer(own, around(reached, places, halves), *both, half=half)


def _is_whole(trace: Trace, name: str) -> bool:
    """Tells whether the numbers of a quantity are counts, or say yes or no by 1 and 0."""
    definition = trace[name].definition
    is_flag = definition is not None and isinstance(definition.operation, Seen | Condition)
    return is_flag or _is_count(trace, name)


def _is_count(trace: Trace, name: str) -> bool:
    """Tells whether the numbers of a quantity are counts, or sums of counts."""
    quantity = trace[name]
    if quantity.definition is None or is_counted(quantity):
        return quantity.definition is not None
    operands = quantity.definition.operands
    whole = bool((quantity.values == quantity.values.round()).all())
    return whole and bool(operands) and all(_is_count(trace, o) for o in operands)


@dataclass(frozen=True)
class Sources:
    """The cells of a trace in which the numbers of a sheet were rounded, or given."""

    trace: Trace
    roots: Mapping[Decimal, Decimal] = field(default_factory=dict)
    """Square roots as the sheet prints them, by what they are of."""
    key: Paths | None = None
    """Where the working leads from the key's numbers."""
    _decimals: dict[str, int] = field(default_factory=dict)
    _copies: dict[str, bool] = field(default_factory=dict)

    def of(self, place: Blankable) -> Location | None:
        """Finds the cell that a place's number was rounded in, or given in, whatever has copied it
        since. Returns None where no cell has it."""
        cell = place.number.cell
        if cell is None or cell is INNER:
            return cell
        name, known = cell.quantity, self._copies
        if name not in known:
            known[name] = _copies(self.trace, name)
        return _source(self.trace, cell) if known[name] else cell

    def decimals(self, name: str) -> int:
        """Returns the decimals that a quantity is rounded to."""
        if name not in self._decimals:
            self._decimals[name] = _decimals_of(self.trace, name)
        return self._decimals[name]

    def is_exact(self, cell: Location) -> bool:
        """Tells whether nobody has to round a number, nor any that it is computed from."""
        if cell is INNER or self.key is None:
            return False
        name, i, j = cell
        low, high = (end[i, j] for end in self.key.made(name))
        value = self.trace[name].number(i, j).full
        if not value.is_finite():
            return bool(low == high == float(value))
        off = _NOISE * max(1.0, abs(float(value)))  # of floats: 0.7 × 0.9 is 0.63 on paper
        alike = max(abs(low - float(value)), abs(high - float(value))) <= off
        return bool(alike) and decimals.fits(value, self.decimals(name))

    def by_printed_root(self, place: Blankable, places: int) -> list[Decimal]:
        """Returns the number that comes of dividing by a root as the sheet prints it, and nothing
        where no such root is printed."""
        definition = self.trace[place.quantity].definition
        match None if definition is None else definition.operation:
            case DivideBy(tree=Quotient(divisor=Root(Number() as square))):
                about = self.roots.get(square.full)
                if about is not None and place.number.shown.is_finite():
                    share = square.full.sqrt() / about
                    return [decimals.round_to(place.number.full * share, places)]
        return []


def _places(sources: Sources, place: Blankable, source: Location | None, number: Number) -> int:
    """Returns the decimals that a number is rounded to: those of its quantity, or of what it
    copies."""
    trace = sources.trace
    if source is INNER:
        return _places_on_the_way(trace, place.quantity, number)
    if source is not None and trace[source.quantity].given:
        written = trace[source.quantity].number(source.row, source.column)
        return max(trace.rounding.decimals, decimals.places(written.shown))
    name = place.quantity if source is None else source.quantity
    rounded = sources.decimals(name)
    if number.full != number.shown or name != place.quantity:
        return rounded
    fits = decimals.fits(number.shown, rounded)
    return rounded if fits else decimals.places(number.shown)


def _places_on_the_way(trace: Trace, quantity: str, number: Number) -> int:
    """Returns the decimals of a number inside a line: its own, where these are no more than those
    of what the line starts from (a score minus the largest one, −z, 1 − u). A product has more; it
    has those of its operands, or those of the line if these are more."""
    definition, line = trace[quantity].definition, _decimals_of(trace, quantity)
    operands = () if definition is None else definition.operands
    known = [_decimals_of(trace, name) for name in operands] or [line]
    own = decimals.places(number.shown)
    return max(own, min(known)) if own <= max(known) else max(*known, line)


def _source(trace: Trace, cell: Location) -> Location | None:
    """Finds the cell that a number was rounded in, or given in, whatever has copied it since.
    Returns None where no quantity has it."""
    definition = trace[cell.quantity].definition
    if definition is None or not _copies(trace, cell.quantity):
        return cell
    source = definition.operation.cell(cell.row, cell.column, *trace.operands(definition))[0]
    copied = source.cell if isinstance(source, Number) else None
    return None if copied is None else _source(trace, copied)


def _copies(trace: Trace, name: str) -> bool:
    """Tells whether a quantity's numbers are those of another one."""
    definition = trace[name].definition
    return definition is not None and definition.operation.only_moves


def _decimals_of(trace: Trace, name: str) -> int:
    quantity = trace[name]
    step = "" if quantity.definition is None else quantity.definition.step
    return trace.rounding.decimals_of(step, quantity.name)


def number_of(matrix_of: Callable[[str], Matrix], place: Blankable) -> Number:
    """Returns the number of a result among the matrices of quantities that were worked in another
    way. It is the place's own where both are shown alike, as most are."""
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
    """Returns a number as it is compared: rounded, also where a page shows more digits of a tiny
    one. A number inside a line isn't rounded where it is told in full."""
    full, shown = number.full, number.shown
    if shown.same_quantum(decimals.unit(places)) or (number.cell is INNER and full == shown):
        return shown
    return decimals.round_to(full, places)


@cache
def half_a_unit(places: int) -> Decimal:
    """Returns half a unit of the last of so many decimals."""
    return Decimal((0, (5,), -(places + 1)))


def around(numbers: Iterable[Decimal], places: int, halves: int = 1) -> Interval:
    """Returns the interval from the least to the greatest of some numbers, wider by so many half
    units of the last place on both sides."""
    off = half_a_unit(places) * halves
    known = list(numbers)
    return Interval(decimals.difference(min(known), off), decimals.added(max(known), off))


def with_slips(
    sheet: SheetCells, part: PlannedStep, keys: Sequence[tuple[Blankable, RightAnswer]]
) -> list[tuple[Blankable, RightAnswer]]:
    """Adds to the keys of a part's blanks what the common mistakes of its step would give. Leaves
    out what can't be told from the right answer or from another mistake, and what can't be worked
    from the numbers on the sheet."""
    trace = sheet.trace
    names = {place.cell.quantity for place, _ in keys if place.cell is not None}
    first: dict[str, WrongWay] = {}
    for way in declared_ways(trace, part):
        first.setdefault(way.name, way)
    tried = ((way, mistaken(trace, way.definitions, names)) for way in first.values())
    wrong = [(way, other) for way, other in tried if other is not None]

    def gives(place: Blankable) -> Iterator[tuple[WrongWay, Number]]:
        """Yields the mistakes that can be made in a place, with their numbers."""
        cell = place.cell
        for way, other in wrong if cell is not None else ():
            assert cell is not None
            left = other[cell.quantity] is trace[cell.quantity]  # the mistake leaves it as it is
            if not left and sheet.allows(other, part, cell):
                yield way, other[cell.quantity].number(cell.row, cell.column)

    return [(place, _with_slips(key, gives(place))) for place, key in keys]


def _with_slips(key: RightAnswer, wrong: Iterable[tuple[WrongWay, Number]]) -> RightAnswer:
    low, high = key.accepted
    slips: list[MistakenAnswer] = []
    hidden: list[str] = []
    alike: list[tuple[str, str]] = []
    for way, number in wrong:
        if not number.shown.is_finite():
            continue
        value = value_at(number, key.places)
        found = MistakenAnswer(way.name, way.says, number, around((value,), key.places))
        taken = (key.accepted, *(slip.accepted for slip in slips))
        if all(map(found.accepted.is_apart, taken)):
            slips.append(found)
        elif low <= value <= high:
            hidden.append(way.says)
        else:
            near = (slip for slip in slips if not found.accepted.is_apart(slip.accepted))
            alike += [(slip.says, way.says) for slip in near]
    return key._replace(slips=tuple(slips), hidden=tuple(hidden), alike=tuple(alike))


_MOST_NAMED = 6


def solution_of(
    trace: Trace,
    working: Sequence[Block],
    asked: Sequence[tuple[Blankable, Item]],
    path: Name,
    words: Words,
    *,
    whole: bool = False,
) -> tuple[Block, ...]:
    """Makes the solution of a section: the lines of full working that have something to do with
    what is asked, or the `whole` of it, then each answer with what is accepted."""
    lines = working
    places, questions = [place for place, _ in asked], [question for _, question in asked]
    if not whole:
        wanted = _Wanted(places)
        lines = [block for entry in working for block in wanted.of(entry)]
    names = [place.seen_from(path) for place in places]
    called = (_called(trace, place, path) for place in places)
    rows = (_answer_row(item, name, words) for item, name in zip(questions, called, strict=True))
    headings = (words.blank, words.answer, words.carry, words.exact, words.accepted, words.points)
    return (*lines, Table(headings, tuple(rows)), *_doubts(questions, names, words))


def _doubts(questions: Sequence[Item], names: Sequence[str], words: Words) -> list[Block]:
    """Returns what answers can't tell: which of them may be far off, which mistakes give the right
    answer as well in all that is asked, and which two mistakes can't be told apart."""
    keys = [(name, item.key) for item, name in zip(questions, names, strict=True) if item.key]
    wide = [Word(name) for name, key in keys if key.is_wide]
    blocks: list[Block] = [Callout(put_in(words.wide, blanks=_listed(wide, words)))] if wide else []
    caught = {slip.says for _, key in keys for slip in key.slips}
    caught |= {says for _, key in keys for pair in key.alike for says in pair}
    uncaught = {name: [(says,) for says in key.hidden if says not in caught] for name, key in keys}
    hidden = _where(uncaught, words)
    alike = _where({name: key.alike for name, key in keys}, words)
    for heading, found in ((words.hidden, hidden), (words.alike, alike)):
        blocks += [Subheading((heading,)), Bullets(found)] if found else []
    return blocks


def _where(by_blank: Mapping[str, Sequence[tuple[str, ...]]], words: Words) -> tuple[Spans, ...]:
    """Returns a line for each mistake, or pair of mistakes, with the blanks that it is about."""
    every = dict.fromkeys(mistakes for own in by_blank.values() for mistakes in own)
    told = {
        mistakes: [Word(name) for name, own in by_blank.items() if mistakes in own]
        for mistakes in every
    }
    return tuple(
        put_in(words.where, mistake=" ".join(mistakes), blanks=_listed(blanks, words))
        for mistakes, blanks in told.items()
    )


def _listed(names: Sequence[Word], words: Words) -> Spans:
    spans = joined((name,) for name in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return put_in(words.more, names=spans, count=str(more)) if more > 0 else spans


def _called(trace: Trace, place: Blankable, path: Name) -> Symbol | Word:
    """Returns what a blank is called at a path, as it is on the sheet."""
    if place.cell is None:
        return Word(place.seen_from(path))
    name = place.quantity.seen_from(path)
    return trace[place.quantity].symbol(place.cell.row, place.cell.column, name)


def _answer_row(question: Item, name: Symbol | Word, words: Words) -> tuple[TableCell, ...]:
    """Makes the row of a blank, as it is called, with its answer and what is accepted."""
    key = question.right
    answer = plain(key.number)

    def text(number: Number | None) -> str:
        if number is None:
            return "–"
        return answer if number is key.number else plain(number)

    return (
        name,
        answer,
        text(key.carry),
        text(key.exact),
        _range(key.accepted, words),
        points_text(question.points),
    )


def _range(accepted: Interval, words: Words) -> str:
    """Writes what is accepted. For a count, which is a whole number, that is the number alone."""
    low, high = map(_number, accepted)
    return low if low == high else words.range.format(low=low, high=high)


def _number(number: Decimal) -> str:
    return decimals.text(number).replace("-", MINUS)


def what_is_accepted(
    keys: Iterable[RightAnswer], roots: Mapping[Decimal, Decimal], words: FrameWords
) -> tuple[Block, ...]:
    """Returns how a key is to be read: what is accepted for numbers, and why. `roots` are printed
    on the sheet."""
    own = words.keys
    halves = [
        own.half.format(
            half=_number(x * _HALVES),
            decimals=words.facts.counted("decimals", decimals.places(x) - 1),
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
    says = put_in(own.what_is_accepted, halves=text, command=(Term("attn grade"),))
    return (Callout(says), *map(Callout, printed))


class _Wanted:
    """A choice of lines: those whose results, or whose terms, are asked for."""

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
    """Returns the lines without marks for those left out at either end, or twice in a row."""
    kept: list[Line | Omitted] = []
    for line in lines:
        if isinstance(line, Line) or (kept and isinstance(kept[-1], Line)):
            kept.append(line)
    return kept[:-1] if kept and isinstance(kept[-1], Omitted) else kept
