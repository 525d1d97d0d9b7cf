"""Numbers that a source prints otherwise, beside the working and at a page's end."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import compress, groupby
from types import MappingProxyType

from attncli.document.blocks import Block, Callout, Spans, Subheading, Term
from attncli.document.tables import SIGNS
from attncli.errors import agreed, counted, every
from attncli.judging.verdicts import RIGHT, Accepted
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import Equation, Number, Omitted, Sum, Vector
from attncli.maths.notation import plain
from attncli.maths.notation.plain import MINUS
from attncli.maths.numbers import decimals
from attncli.names import Name, Word
from attncli.pages.parts.blocks import Row, table
from attncli.pages.parts.selection import Selection
from attncli.pages.parts.working import last_form
from attncli.steps.order import step_of
from attncli.trace import PlannedStep, Trace
from attncli.trace.published import PublishedNumber, published_numbers

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
Judgements = Mapping[tuple[object, ...], str]
"""What is said of numbers, by their keys."""


def differences_in(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """Says what the source prints otherwise of what a part makes, in the rows that are told."""
    if not trace.scenario.source.published or selection.detail == "summary":
        return []
    figures = _of_part(trace, part)
    printed = [f for f in figures if f.row in selection.rows(f.quantity)]
    return [*_differences(trace, part, printed), *_rows(part, printed)]


def differences_at(
    trace: Trace, part: PlannedStep, cells: Collection[tuple[Name, int, int]]
) -> list[Block]:
    """Says what the source prints otherwise in some cells of what a part makes."""
    if not trace.scenario.source.published:
        return []
    printed = [f for f in _of_part(trace, part) if f.cell in cells]
    return [*_differences(trace, part, printed)]


def _of_part(trace: Trace, part: PlannedStep) -> Iterator[PublishedNumber]:
    """Yields what the source prints of what a part makes."""
    made = {part.place.name("ids"), *(definition.name for definition in part.definitions)}
    return (f for f in published_numbers(trace) if f.quantity.name in made)


def _differences(trace: Trace, part: PlannedStep, printed: Published) -> Iterator[Block]:
    order = [definition.name for definition in part.definitions]
    differing = sorted(
        {(f.cell, f.theirs): f for f in _differing(printed)}.values(),
        key=lambda f: order.index(f.quantity.name),
    )
    listed = " that differ. They are listed at the end of the whole page."
    for _, group in groupby(differing, key=lambda f: f.quantity.name):
        published, more = _split(list(group))
        yield from (Callout(_difference(trace, part, f)) for f in published)
        if more:
            name = Term(part.place.here(more[0].quantity.name))
            yield Callout((f"It prints {len(more)} more numbers of ", name, listed))
            listed = " that differ."


def _split(differing: Published) -> tuple[Published, Published]:
    few = len(differing) <= _MOST_NOTES
    return (differing, ()) if few else (differing[: _MOST_NOTES - 1], differing[_MOST_NOTES - 1 :])


def _difference(trace: Trace, part: PlannedStep, figure: PublishedNumber) -> Spans:
    """Says where the source differs: `The source prints 0.53 for scores[met, Bob], but 0.07 + 0.40
    + 0.03 = 0.50.`"""
    name = part.place.here(figure.quantity.name)
    cell = Term(figure.quantity.symbol(figure.row, figure.column, name))
    spans: Spans = ("The source prints ", Number.written(figure.theirs), " for ", cell, ", but ")
    worked = last_form(trace, figure.quantity, (figure.row, figure.column), figure.ours)
    if worked is None:
        return (*spans, "here it is ", figure.ours, ".")
    form, relation = worked
    if relation == "=":
        return (*spans, Equation(form, figure.ours), ".")
    return (*spans, form, f" {relation} ", figure.ours, ".")


def _rows(part: PlannedStep, printed: Published) -> Iterator[Block]:
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
    return ("The source assumes ", theirs, " for ", address, ". Worked out, it is ", ours, ".")


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


def _sum(part: PlannedStep, row: Published) -> Iterator[Block]:
    numbers = tuple(Number.written(f.theirs) for f in row)
    total = decimals.total(number.full for number in numbers)
    if len(row) == row[0].quantity.matrix.shape[1] and total != 1:
        sum_ = Equation(Sum(numbers), Number.written(total))
        address = _address(part, row)
        words = ("The numbers that the source prints for ", address, " don't add up to 1: ")
        yield Callout((*words, sum_, "."))


def _differing(printed: Published) -> Published:
    """Lists what the source works out to other numbers than are worked here."""
    return [f for f in printed if f.differs]


def printed_otherwise(trace: Trace) -> int:
    """Counts the numbers that the source prints otherwise than they are worked here, variants and
    all."""
    traces = (trace, *trace.variants.values())
    each = (published_numbers(entry) for entry in traces if entry.scenario.source.published)
    return sum(len(_differing(printed)) for printed in each)


def closing_on_published(trace: Trace, selection: Selection) -> list[Block]:
    """Says how many of the numbers follow that the source prints for a scenario and its variants,
    with a table of those that don't."""
    pairs = [((), trace), *(((Word(name), ": "), entry) for name, entry in trace.variants.items())]
    blocks = [
        block
        for name, entry in pairs
        if entry.scenario.source.published
        for block in _closing(entry, name, selection)
    ]
    return [Subheading(("What the source prints",)), *blocks] if blocks else []


def _closing(trace: Trace, name: Spans, selection: Selection) -> list[Block]:
    printed = published_numbers(trace)
    judged = _judged(trace)
    differing = [f for f in printed if f.differs or judged.get(f.key, RIGHT[0]) not in RIGHT]
    assumed = sum(f.assumed for f in printed)
    wrong = [judgement for judgement in judged.values() if judgement not in RIGHT]
    texts = [_counted(len(printed) - assumed, wrong)] if assumed < len(printed) else []
    if assumed:
        texts.append(f"It assumes {counted(assumed, 'more number' if texts else 'number')}.")
    said_of_all = Callout((*name, " ".join(texts)))
    if selection.detail == "summary":
        return [said_of_all]
    told = (f for f in differing if f.row in selection.rows(f.quantity))
    right = [Callout((_ROUNDED_LESS,))] if any(judged[f.key] in RIGHT for f in told) else []
    return [said_of_all, *_listed(differing, judged, selection), *right]


_ROUNDED_LESS = (
    "A number that differs and is correct was rounded to more decimals, or at another place, on the"
    " way."
)


def _counted(count: int, wrong: Sequence[str]) -> str:
    """Says that all of the numbers follow, or what is said of how many."""
    if wrong:
        return f"The source prints {in_short(['correct'] * (count - len(wrong)) + [*wrong])}."
    follow = agreed(count, "follows", "follow")
    which = agreed(count, "The number", every(count, "number").capitalize())
    return f"{which} that the source prints {follow} from the given ones."


def _judged(trace: Trace) -> Judgements:
    """Returns what is said of the numbers, by who judges all of them."""
    from attncli.judging.publications import published_verdicts

    _, verdicts = published_verdicts(trace)
    return {v.key: v.judgement for v in verdicts}


def _listed(differing: Published, judged: Judgements, selection: Selection) -> list[Block]:
    """Returns a table of the differences in the rows that are told, and says how many others there
    are."""
    figures = [f for f in differing if f.row in selection.rows(f.quantity)]
    others = len(differing) - len(figures)
    return [
        *_table_of(figures, judged),
        *([Callout(_of_others(others, len(figures)))] if others else []),
    ]


def _of_others(others: int, index: int) -> Spans:
    if index:
        verb = agreed(others, "differs", "differ")
        return (f"{others} more {verb}, in rows that aren't shown here.",)
    which = agreed(others, "It is in a row that isn't", "All of these are in rows that aren't")
    return (f"{which} shown here.",)


def _table_of(published: Published, judged: Judgements) -> list[Block]:
    if not published:
        return []
    kept = (True, True, True, True, any(f.at for f in published))
    rows = (compress(_figure_row(f, judged[f.key]), kept) for f in published)
    return [table(tuple(compress(_HEADINGS, kept)), map(tuple, rows), _MOST_ROWS)]


def _figure_row(figure: PublishedNumber, judgement: str) -> Row:
    cell = Word(figure.quantity.address(figure.row, figure.column))
    numbers = map(plain, (Number.written(figure.theirs), figure.ours))
    return (cell, *numbers, judgement, Word(figure.at))


_HEADINGS = ("Number", "Source", "Here", "Verdict", "Place")
