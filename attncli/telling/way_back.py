"""The way back through a stack on a page in brief: the layer that it comes to first, which is the
last, stands for those that go alike; and gradients beside what they are the gradients of, or beside
central differences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from attncli.document import Block, Note, Prose, Section, Spans, Subheading, Table, Term, each
from attncli.file.problems import ScenarioError
from attncli.name import GRADIENTS, Name, below
from attncli.tables import Data, MatrixBlock
from attncli.telling.blocks import given_block, matrix_block
from attncli.telling.parts import made_by, place_in_words, told_parts
from attncli.telling.sections import only_data, section_of
from attncli.telling.selection import Selection
from attncli.trace import BackwardPlace, LayerPlace, PlannedStep, Quantity, Trace
from attncli.trace.slopes import STEP, Checked, checked


def with_forward(trace: Trace, part: PlannedStep, blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a step back, the table of each gradient behind that of what it belongs to;
    unless the blocks have that already. What a page comes to is a table in any case."""
    if not isinstance(part.place, BackwardPlace):
        return [*blocks]
    shown = _with_result(blocks) if part is told_parts(trace)[-1] else blocks
    there = {one.quantity for one in each(blocks) if isinstance(one, MatrixBlock)}
    return [told for block in shown for told in _told(trace, part, block, there)]


def _with_result(blocks: Sequence[Block]) -> Sequence[Block]:
    """Blocks of which the last one is a table; of what its lines have told, told again."""
    if any(isinstance(one, MatrixBlock) for one in blocks):
        return blocks
    told = [one.table for one in blocks if isinstance(one, Data)]
    return (
        [*(one for one in blocks if getattr(one, "table", None) is not told[-1]), told[-1]]
        if told
        else blocks
    )


def _told(
    trace: Trace, part: PlannedStep, block: Block, there: Collection[Name]
) -> Iterator[Block]:
    if not isinstance(block, MatrixBlock):
        yield block
    elif block.is_list:
        yield _lists(trace, part, block, there)
    else:
        before = _forward(trace, part, block)
        if before is not None and before.quantity not in there:
            yield before._replace(paired=True)
        yield _called(part, block)


def _called(part: PlannedStep, table: MatrixBlock) -> MatrixBlock:
    """A table called as the lines and formulas of its section call it: `grad.W_Q`."""
    return table._replace(name=part.place.here(table.quantity))


def _lists(
    trace: Trace, part: PlannedStep, block: MatrixBlock, there: Collection[Name]
) -> MatrixBlock:
    """Lists as columns of one table, that of each gradient behind that of what it belongs to."""
    columns: list[MatrixBlock] = []
    for one in (block._replace(beside=()), *block.beside):
        before = _forward(trace, part, one)
        if before is not None and before.quantity not in there:
            columns += [before] if before.row_names == one.row_names else []
        columns.append(_called(part, one))
    first, *others = columns
    return first._replace(beside=tuple(others))


def _forward(trace: Trace, part: PlannedStep, table: MatrixBlock) -> MatrixBlock | None:
    """The table of what a gradient is of, the same rows of it; none of what is no gradient, or one
    by one use of several."""
    quantity = _found(trace, part, table.quantity)
    if quantity is None or quantity.matrix.shape != table.matrix.shape:
        return None
    block = given_block(trace, quantity, Selection(), part.path)
    plainly = block._replace(with_sums=False, shares=False)  # which a glance at it is enough for
    return plainly._replace(rows=table.rows, origin="", turned=table.turned)


def _found(trace: Trace, part: PlannedStep, gradient: Name) -> Quantity | None:
    """What a gradient is of; a parameter that was updated stands in the update before."""
    place = part.place
    assert isinstance(place, BackwardPlace)
    if not gradient.inside(place.gradients):
        return None
    of = gradient.seen_from(place.gradients).under(place.update)
    return trace.quantities.get(of)


class Alike(NamedTuple):
    """A part that goes back through a layer as a `told` one does; the last one of it tells what is
    handed on."""

    part: PlannedStep
    place: LayerPlace
    told: Name
    is_last: bool


def going_back_alike(shown: Sequence[PlannedStep], selection: Selection) -> Mapping[int, Alike]:
    """The parts of a page, by their places in it, that go back through a layer as those before do
    through another one of the same stack; none where all is asked for."""
    if selection.whole or selection.detail != "rows":
        return {}
    places = {k: place for k, part in enumerate(shown) if (place := _layer_of(part)) is not None}
    last = {place.layer.path: k for k, place in places.items()}
    told = _told_instead(shown, places)
    return {
        k: Alike(shown[k], place, told[place.layer.path], last[place.layer.path] == k)
        for k, place in places.items()
        if told[place.layer.path] != place.layer.path
    }


def _told_instead(
    shown: Sequence[PlannedStep], places: Mapping[int, LayerPlace]
) -> dict[Name, Name]:
    """For each layer the first one of its stack that goes back by all steps that it does, which is
    itself where its cell, say, is of another kind."""
    steps: dict[Name, set[str]] = {}
    for k, place in places.items():
        steps.setdefault(place.layer.path, set()).add(shown[k].step)
    instead: dict[Name, Name] = {}
    for place in places.values():
        own = place.layer.path
        before = [told for told in instead.values() if told.path == own.path]
        wider = (told for told in before if steps[told] >= steps[own])
        instead.setdefault(own, next(wider, own))
    return instead


def _layer_of(part: PlannedStep) -> LayerPlace | None:
    """The place of what a step goes back through, if that is in a layer."""
    place = part.place
    forward = place.forward if isinstance(place, BackwardPlace) else None
    return forward if isinstance(forward, LayerPlace) else None


def in_a_word(trace: Trace, one: Alike, number: int, selection: Selection) -> Section:
    """The section of such a part: data, and of the last one of its layer how to read it and what it
    hands on."""
    if not one.is_last:
        return section_of(trace, one.part, number, only_data(trace, one.part, selection))
    layer = one.place.layer.path
    tables = [matrix_block(made, selection, one.part.path) for made in made_by(trace, one.part)]
    told = [table if _goes_in(trace, table, layer) else Data(table) for table in tables]
    blocks = [Prose(_says(one)), *with_forward(trace, one.part, told)]
    return section_of(trace, one.part, number, blocks)._replace(formulas=())


def _says(one: Alike) -> Spans:
    """`Layer 1 goes back as layer 2 does, with its own numbers: see --layer 1.`"""
    layer = one.place.layer.path.alone
    option = f"--layer {below(one.place.stack.path, str(layer.number))}"
    says = f"{place_in_words(layer)} goes back as {place_in_words(one.told.alone).lower()} does"
    return (f"{says}, with its own numbers: see ", Term(option), ".")


def _goes_in(trace: Trace, table: MatrixBlock, layer: Name) -> bool:
    """Whether a table is the gradient of what goes into a layer: of what is made before it."""
    of = table.quantity.seen_from(GRADIENTS)
    return of in trace.quantities and not of.inside(layer) and not trace[of].given


_HEADINGS = ("Gradient", "Cells", "Cell", "By the way back", "By the difference", "Digits")
_FEW = 4
"""Fewer digits than these in common are pointed out."""


def gradient_check(trace: Trace) -> list[Block]:
    """A row for each gradient, with its cell that agrees least; a line where there is no way
    back."""
    if not trace.scenario.goes_back or not trace.scenario.prediction.loss:
        return [Note(("No gradients to check: this scenario has no way back. It goes back with ",
                      Term("backward: true"), " and targets."))]  # fmt: skip
    try:
        found = [*checked(trace)]
    except ScenarioError as error:
        return [Note((f"The gradients can't be checked: {error}.",))]
    if not found:
        return [Note(("No gradients to check: the way back isn't worked to its end.",))]
    return [Subheading(("Gradient check",)), Prose((_SAYS,)), _table(found), *_verdict(found)]


_SAYS = (
    f"Each number is moved by ±h, h = {Decimal(str(STEP)):f}, and the loss worked again, all in"
    " full precision: (L(x + h) − L(x − h)) / 2h is what the gradient has to be. Of each gradient"
    " the number is told that agrees least, and on how many digits it does."
)


def _table(found: list[Checked]) -> Table:
    return Table(_HEADINGS, tuple(_row(one) for one in found))


def _row(one: Checked) -> tuple[str, ...]:
    worst = one.worst
    cells = str(one.cells) if len(one.slopes) == one.cells else f"{len(one.slopes)} of {one.cells}"
    i, j = (k + 1 for k in worst.cell)
    numbers = (_written(number) for number in (worst.gradient, worst.difference))
    return (str(one.gradient), cells, f"[{i}, {j}]", *numbers, str(worst.digits))


def _written(number: float) -> str:
    """To twelve digits."""
    return f"{number:.12g}".replace("-", "−")


def _verdict(found: list[Checked]) -> Iterator[Block]:
    least = min(one.worst.digits for one in found)
    wrong = [str(one.gradient) for one in found if one.worst.digits < _FEW]
    if wrong:
        yield Note((f"These don't agree: {', '.join(wrong)}. At a kink, as relu has one at 0,"
                    " a difference goes over both sides.",))  # fmt: skip
    else:
        yield Note((f"All {len(found)} gradients agree, on {least} digits or more.",))
