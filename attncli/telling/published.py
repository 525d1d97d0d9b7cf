"""Where the source prints other numbers than are worked here: beside the working, and at the end of
the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Equation, Number, Sum
from attncli.document import Block, Note, Spans, Subheading, Term
from attncli.notation import plain
from attncli.telling.parts import step_of
from attncli.telling.selection import Selection
from attncli.telling.sentences import counted
from attncli.telling.tables import table
from attncli.telling.working import last_form
from attncli.trace import PlannedStep, Quantity, Trace
from attncli.trace.published import PublishedNumber, published_numbers
from attncli.word import Word

_MOST_NOTES = 5
"""Differing numbers of a quantity that get a note each."""
_MOST_ROWS = 200
"""Differences that are listed before some are left out."""

Published = Sequence[PublishedNumber]


def differences_in(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """Notes on what the source prints otherwise of what a part makes, in the rows that are told."""
    if not trace.scenario.published or selection.detail == "summary":
        return []
    made = {part.place.name("ids"), *(definition.name for definition in part.definitions)}
    printed = [
        one
        for one in published_numbers(trace)
        if one.quantity.name in made and one.row in selection.rows(one.quantity)
    ]
    return [*_differences(trace, part, printed), *_sums(part, printed)]


def _differences(trace: Trace, part: PlannedStep, printed: Published) -> Iterator[Block]:
    order = [definition.name for definition in part.definitions]
    differing = sorted(
        {(one.cell, one.theirs): one for one in printed if not one.follows}.values(),
        key=lambda one: order.index(one.quantity.name),
    )
    for _, group in groupby(differing, key=lambda one: one.quantity.name):
        told, more = _split(list(group))
        yield from (Note(_difference(trace, part, one)) for one in told)
        if more:
            yield Note(_more(part, more))


def _split(differing: Published) -> tuple[Published, Published]:
    few = len(differing) <= _MOST_NOTES
    return (differing, ()) if few else (differing[: _MOST_NOTES - 1], differing[_MOST_NOTES - 1 :])


def _difference(trace: Trace, part: PlannedStep, one: PublishedNumber) -> Spans:
    """`The source prints 0.53 for scores[met, Bob]; 0.07 + 0.40 + 0.03 = 0.50.`"""
    name = part.place.here(one.quantity.name)
    cell = Term(one.quantity.symbol(one.row, one.column, name))
    said: Spans = ("The source prints ", Number.written(one.theirs), " for ", cell, "; ")
    worked = last_form(trace, one.quantity, (one.row, one.column), one.ours)
    if worked is None:
        return (*said, "here it is ", one.ours, ".")
    form, relation = worked
    if relation == "=":
        return (*said, Equation(form, one.ours), ".")
    return (*said, form, f" {relation} ", one.ours, ".")


def _more(part: PlannedStep, more: Published) -> Spans:
    name = Term(part.place.here(more[0].quantity.name))
    return (
        f"It prints {len(more)} more numbers of ",
        name,
        " that differ; the end of the whole page lists them.",
    )


def _sums(part: PlannedStep, printed: Published) -> Iterator[Block]:
    """A word on rows of the source's numbers that should add up to 1 and don't."""
    rows = groupby(printed, key=lambda one: (one.quantity, one.row, one.at))
    for (quantity, i, _), group in rows:
        numbers = [Number.written(one.theirs) for one in group]
        total = decimals.total(number.full for number in numbers)
        whole = len(numbers) == quantity.matrix.shape[1]
        if quantity.local in step_of(part).adds_up_to_one and whole and total != 1:
            yield Note(_sum(quantity, i, Equation(Sum(tuple(numbers)), Number.written(total))))


def _sum(quantity: Quantity, i: int, sum_: Equation) -> Spans:
    row = Term(quantity.symbol(i, name=quantity.name.alone))
    return ("The numbers that the source prints for ", row, " don't add up to 1: ", sum_, ".")


def closing_on_published(trace: Trace) -> list[Block]:
    """How many of the source's numbers follow, and a table of those that don't."""
    if not trace.scenario.published:
        return []
    printed = published_numbers(trace)
    differing = [one for one in printed if not one.follows]
    said = Note((_counted(len(printed), len(differing)),))
    return [Subheading(("What the source prints",)), said, *_listed(differing)]


def _counted(count: int, differing: int) -> str:
    if not differing:
        which = f"All {count} numbers" if count > 1 else "The number"
        return f"{which} that the source prints follow{'' if count > 1 else 's'}."
    if count == 1:
        return "The number that the source prints doesn't follow."
    verb = "don't" if differing > 1 else "doesn't"
    return f"{differing} of the {count} numbers that the source prints {verb} follow."


def _listed(differing: Published) -> list[Block]:
    if not differing:
        return []
    placed = any(one.at for one in differing)
    headings = ("Number", "The source", "Here", *(("Place in the source",) if placed else ()))
    rows = (
        (
            Word(one.quantity.address(one.row, one.column)),
            plain(Number.written(one.theirs)),
            plain(one.ours),
            *((Word(one.at),) if placed else ()),
        )
        for one in differing
    )
    return [table(headings, rows, _MOST_ROWS)]


def published_in_short(trace: Trace) -> str:
    """`; 8 of 62 published numbers differ`; nothing where it prints none."""
    printed = published_numbers(trace) if trace.scenario.published else ()
    differing = sum(not one.follows for one in printed)
    if not printed:
        return ""
    verb = "differs" if differing == 1 else "differ"
    return f"; {differing or 'none'} of {counted(len(printed), 'published number')} {verb}"
