"""Numbers that a source prints otherwise: marks beside the working, a line at a page's end, and the
table of `attn check`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import compress, groupby, takewhile
from types import MappingProxyType

from attncli.document.blocks import Block, Callout, Spans, Term
from attncli.document.tables import SIGNS
from attncli.errors import agreed, counted
from attncli.judging.verdicts import FOLLOW, RIGHT, Accepted
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import Equation, Number, Omitted, Sum, Symbol, Vector
from attncli.maths.notation import plain
from attncli.maths.notation.plain import MINUS
from attncli.maths.numbers import decimals
from attncli.names import Name, Word
from attncli.pages.parts.blocks import Row, table
from attncli.pages.parts.selection import Selection
from attncli.pages.parts.sentences import spans_enumerated
from attncli.pages.parts.working import last_form
from attncli.steps.order import step_of
from attncli.trace import PlannedStep, Trace
from attncli.trace.published import PublishedNumber, published_numbers
from attncli.trace.trace import parts_of

MEANING: Mapping[str, str] = MappingProxyType(
    {
        "correct": "it follows from the given numbers",
        "worked otherwise": "another right way gives it",
        "carried forward": "it follows from an earlier wrong number",
        "not worked": "it follows from wrong numbers that show no working, and earns nothing",
        "rounding": "right working, other rounding",
        "known mistake": "a common mistake gives it",
        "slip": "no working that is known gives it",
        "by hand": "the points that a person gives",
        "blank": "nothing is there",
        "unreadable": "no number can be read",
    }
)
"""What verdicts mean."""


def in_short(texts: Sequence[str], what: str = "number") -> str:
    """Sums verdicts up: `21 numbers: 12 correct, 8 carried forward, 2 slips`"""
    return f"{counted(len(texts), what)}: {by_verdict(texts) or 'none'}"


def by_verdict(texts: Sequence[str]) -> str:
    """Counts each verdict: `12 correct, 8 carried forward, 2 slips`"""
    return ", ".join(_counted_verdicts(texts.count(name), name) for name in SIGNS if name in texts)


def _counted_verdicts(count: int, name: str) -> str:
    """Writes how often a verdict is given: `1 slip`, `2 slips`. The other verdicts say what numbers
    are, and have no plural."""
    return counted(count, name) if name in ("slip", "known mistake") else f"{count} {name}"


def number_text(number: float, places: int) -> str:
    """Writes a bound of what is accepted, to half a unit of the last place and a digit more."""
    if number in (float("inf"), float("-inf")):
        return "∞" if number > 0 else f"{MINUS}∞"
    text = decimals.text(decimals.shown(number, places).normalize() + Decimal(0))
    return text.replace("-", MINUS)


def accepted_text(accepted: Accepted, places: int) -> str:
    """Writes the bounds of what is accepted: `0.4215 to 0.4225`"""
    low, high = (number_text(n, places + 1) for n in accepted)
    return low if low == high else f"{low} to {high}"


_MOST_NOTES = 5
"""Differing numbers of a quantity that get a note each."""
_MOST_ROWS = 200
"""Differences that are listed before some are left out."""

Published = Sequence[PublishedNumber]
_Cell = tuple[Name, int, int]
Judgements = Mapping[tuple[object, ...], str]
"""What is said of numbers, by their keys."""


def differences_in(trace: Trace, part: PlannedStep, selection: Selection) -> list[Callout]:
    """Marks what the source prints otherwise of what a part makes, in the rows that are told."""
    if not trace.scenario.source.published or selection.detail == "summary":
        return []
    blocks = [*_said_of(trace, part, selection)]
    parts = () if selection.partial else _before(trace, part)
    is_first = not any(any(_said_of(trace, entry, selection)) for entry in parts)
    return _naming_the_source(trace, blocks) if is_first else blocks


def _before(trace: Trace, part: PlannedStep) -> Iterator[PlannedStep]:
    return takewhile(lambda entry: entry is not part, parts_of(trace))


def _said_of(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Callout]:
    printed = [f for f in _of_part(trace, part) if f.row in selection.rows(f.quantity)]
    yield from _marks(trace, part, _in_order(part, printed))
    yield from _rows(part, printed)


def _naming_the_source(trace: Trace, blocks: Sequence[Callout]) -> list[Callout]:
    """Says in the first block which source it is: what its name begins with, up to a comma."""
    name = trace.scenario.source.name
    if name is None or not blocks or blocks[0].text[0] != _SOURCE:
        return [*blocks]
    called = Word(name.partition(",")[0])
    return [Callout((_SOURCE, ", ", called, ",", *blocks[0].text[1:])), *blocks[1:]]


_SOURCE = "The source"


def _marks(trace: Trace, part: PlannedStep, differing: Published) -> Iterator[Callout]:
    """Yields marks, one for each verdict: `The source prints 4.265 for ffn[I, 1]: it follows with
    other rounding. The source prints 5.000 for ffn[AI, 1]: only its
    rounding is wrong.`"""
    judged = _judged(trace) if differing else {}
    verdicts = {f.key: _verdict(judged.get(f.key, "")) for f in differing}
    for one, several in dict.fromkeys(verdicts.values()):
        some = [f for f in differing if verdicts[f.key] == (one, several)]
        told, more = _split(some)
        parts: list[Spans] = [
            (Number.written(f.theirs), " for ", Term(_cell(part, f))) for f in told
        ]
        parts += [(f"{len(more)} more numbers otherwise",)] if more else []
        yield Callout(
            (_SOURCE, " prints ", *spans_enumerated(parts), f"{agreed(len(some), one, several)}.")
        )


def _verdict(judgement: str) -> tuple[str, str]:
    """Says what a judgement means of a number that differs, and of several; nothing of those that
    the source assumes, which aren't judged."""
    if not judgement:
        return "", ""
    if judgement in RIGHT:
        return ": it follows with other rounding", ": they follow with other rounding"
    if judgement == "rounding":
        return ": only its rounding is wrong", ": only their rounding is wrong"
    if judgement in FOLLOW:
        come = "from earlier wrong numbers"
        return f": it comes {come}", f": they come {come}"
    return ": it doesn't follow", ": they don't follow"


def differences_at(trace: Trace, part: PlannedStep, cells: Collection[_Cell]) -> list[Block]:
    """Says what the source prints otherwise in some cells of what a part makes."""
    if not trace.scenario.source.published:
        return []
    told, more = _split(_asked(trace, part, cells))
    is_first = not any(_asked(trace, entry, cells) for entry in _before(trace, part))
    others = f"It prints {len(more)} more numbers that differ."
    blocks = [Callout(_difference(trace, part, f)) for f in told]
    return [
        *(_naming_the_source(trace, blocks) if is_first else blocks),
        *([Callout((others,))] if more else []),
    ]


def _asked(trace: Trace, part: PlannedStep, cells: Collection[_Cell]) -> Published:
    """Lists those that differ, of some cells of what a part makes."""
    return _in_order(part, (f for f in _of_part(trace, part) if f.cell in cells))


def _of_part(trace: Trace, part: PlannedStep) -> Iterator[PublishedNumber]:
    """Yields what the source prints of what a part makes."""
    made = {part.place.name("ids"), *(definition.name for definition in part.definitions)}
    return (f for f in published_numbers(trace) if f.quantity.name in made)


def _in_order(part: PlannedStep, printed: Iterable[PublishedNumber]) -> Published:
    """Lists those that differ, each once, in the order in which a part makes their quantities."""
    order = [definition.name for definition in part.definitions]
    differing = {(f.cell, f.theirs): f for f in printed if f.differs}.values()
    return sorted(differing, key=lambda f: order.index(f.quantity.name))


def _split(differing: Published) -> tuple[Published, Published]:
    few = len(differing) <= _MOST_NOTES
    return (differing, ()) if few else (differing[: _MOST_NOTES - 1], differing[_MOST_NOTES - 1 :])


def _cell(part: PlannedStep, figure: PublishedNumber) -> Symbol:
    """Returns what a cell is called where it was made."""
    name = part.place.here(figure.quantity.name)
    return figure.quantity.symbol(figure.row, figure.column, name)


def _difference(trace: Trace, part: PlannedStep, figure: PublishedNumber) -> Spans:
    """Says where the source differs: `The source prints 0.53 for scores[met, Bob], but 0.07 + 0.40
    + 0.03 = 0.50.`"""
    cell = Term(_cell(part, figure))
    theirs = Number.written(figure.theirs)
    spans: Spans = (_SOURCE, " prints ", theirs, " for ", cell, ", but ")
    is_right = _judged(trace).get(figure.key) in RIGHT
    end = ". The source's number follows with other rounding." if is_right else "."
    worked = last_form(trace, figure.quantity, (figure.row, figure.column), figure.ours)
    if worked is None:
        return (*spans, "here it is ", figure.ours, end)
    form, relation = worked
    if relation == "=":
        return (*spans, Equation(form, figure.ours), end)
    return (*spans, form, f" {relation} ", figure.ours, end)


def _rows(part: PlannedStep, printed: Published) -> Iterator[Callout]:
    """Remarks on rows that the source assumes, and on those of other numbers than ours that should
    add up to 1 and don't."""
    adding_up = step_of(part).results.adds_up_to_one
    for _, group in groupby(printed, key=lambda f: (f.cell[:2], f.at, f.assumed)):
        row = list(group)
        if row[0].assumed:
            yield Callout(_assumption(part, row))
        if row[0].quantity.local in adding_up and not all(f.follows for f in row):
            yield from _sum(part, row)


def _assumption(part: PlannedStep, row: Published) -> Spans:
    """Says what the source assumes: `The source assumes [0.2, 0.8] for weights[1]. Worked out, it
    is [0.49, 0.51].`"""
    theirs = _vector([Number.written(f.theirs) for f in row])
    ours = _vector([f.ours for f in row])
    address = _address(part, row)
    return (_SOURCE, " assumes ", theirs, " for ", address, ". Worked out, it is ", ours, ".")


def _vector(numbers: Sequence[Number]) -> Number | Vector:
    """Returns the numbers of a row as a vector, and a single one by itself."""
    places = elided(len(numbers), MOST_PARTS)
    entries = tuple(Omitted() if k is None else numbers[k] for k in places)
    return numbers[0] if len(numbers) == 1 else Vector(entries)


def _address(part: PlannedStep, row: Published) -> Term:
    """Returns what the numbers are printed for: a cell, or a whole row."""
    quantity, i, j, *_ = row[0]
    name = part.place.here(quantity.name)
    return Term(quantity.symbol(i, j if len(row) == 1 else None, name))


def _sum(part: PlannedStep, row: Published) -> Iterator[Callout]:
    numbers = tuple(Number.written(f.theirs) for f in row)
    total = decimals.total(number.full for number in numbers)
    if len(row) == row[0].quantity.matrix.shape[1] and total != 1:
        sum_ = Equation(Sum(numbers), Number.written(total))
        address = _address(part, row)
        words = ("The numbers that the source prints for ", address, " don't add up to 1: ")
        yield Callout((*words, sum_, "."))


def otherwise_printed(trace: Trace) -> list[Block]:
    """Returns a table of the numbers that the source prints otherwise than they are worked here, or
    that don't follow, with what is said of each."""
    judged = _judged(trace)
    printed = published_numbers(trace)
    differing = [f for f in printed if f.differs or judged.get(f.key, RIGHT[0]) not in RIGHT]
    kept = (True, True, True, True, any(f.at for f in differing))
    rows = (compress(_figure_row(f, judged[f.key]), kept) for f in differing)
    if not differing:
        return []
    right = [Callout((_ROUNDED_LESS,))] if any(judged[f.key] in RIGHT for f in differing) else []
    return [table(tuple(compress(_HEADINGS, kept)), map(tuple, rows), _MOST_ROWS), *right]


_ROUNDED_LESS = (
    "A number that differs and is correct was rounded to more decimals, or at another place, on the"
    " way."
)


def _judged(trace: Trace) -> Judgements:
    """Returns what is said of the numbers, by who judges all of them."""
    from attncli.judging.publications import published_verdicts

    _, verdicts = published_verdicts(trace)
    return {v.key: v.judgement for v in verdicts}


def _figure_row(figure: PublishedNumber, judgement: str) -> Row:
    cell = Word(figure.quantity.address(figure.row, figure.column))
    numbers = map(plain, (Number.written(figure.theirs), figure.ours))
    return (cell, *numbers, judgement, Word(figure.at))


_HEADINGS = ("Number", "Source", "Here", "Verdict", "Place")
