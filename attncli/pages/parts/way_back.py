"""The way back on a page: gradients beside their quantities, layers that go alike, differences.

The layer that the way back comes to first, which is the last, stands for those that go alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from attncli.document.blocks import (
    Block,
    Callout,
    Paragraph,
    Section,
    Spans,
    Subheading,
    Table,
    Term,
    each,
)
from attncli.document.tables import DataTable, MatrixBlock, TableDisplay
from attncli.names import Name, below
from attncli.pages.parts.blocks import given_block, matrix_block
from attncli.pages.parts.sections import only_data, section_of
from attncli.pages.parts.selection import (
    Selection,
    made_by,
    place_in_words,
    shown_parts,
)
from attncli.scenario.file.problems import ScenarioError
from attncli.trace import (
    GRADIENTS,
    BackwardPlace,
    LayerPlace,
    PlannedStep,
    Quantity,
    Trace,
)
from attncli.trace.slopes import STEP, Checked, checked


def with_forward(trace: Trace, part: PlannedStep, blocks: Sequence[Block]) -> list[Block]:
    """Returns the blocks of a step back, with the table of each gradient behind that of what it
    belongs to, unless the blocks have that already. What a page comes to is a table in any case."""
    if not isinstance(part.place, BackwardPlace):
        return [*blocks]
    shown = _with_result(blocks) if part is shown_parts(trace)[-1] else blocks
    there = {entry.quantity for entry in each(blocks) if isinstance(entry, MatrixBlock)}
    return [b for block in shown for b in _gradient_tables(trace, part, block, there)]


def _with_result(blocks: Sequence[Block]) -> Sequence[Block]:
    """Returns blocks of which the last one is a table: where lines alone told it, it is told
    again."""
    if any(isinstance(block, MatrixBlock) for block in blocks):
        return blocks
    tables = [block.table for block in blocks if isinstance(block, DataTable)]
    return (
        [
            *(block for block in blocks if getattr(block, "table", None) is not tables[-1]),
            tables[-1],
        ]
        if tables
        else blocks
    )


def _gradient_tables(
    trace: Trace, part: PlannedStep, block: Block, there: Collection[Name]
) -> Iterator[Block]:
    if not isinstance(block, MatrixBlock):
        yield block
    elif block.is_list:
        yield _lists(trace, part, block, there)
    else:
        before = _forward(trace, part, block)
        if before is not None and before.quantity not in there:
            yield before._replace(display=before.display._replace(paired=True))
        yield _called(part, block)


def _called(part: PlannedStep, table: MatrixBlock) -> MatrixBlock:
    """Returns a table called as the lines and formulas of its section call it: `grad.W_Q`."""
    return table._replace(name=part.place.here(table.quantity))


def _lists(
    trace: Trace, part: PlannedStep, block: MatrixBlock, there: Collection[Name]
) -> MatrixBlock:
    """Puts lists as columns into one table, that of each gradient behind that of what it belongs
    to."""
    columns: list[MatrixBlock] = []
    for entry in (block._replace(lists=()), *block.lists):
        before = _forward(trace, part, entry)
        if before is not None and before.quantity not in there:
            columns += [before] if before.names.rows == entry.names.rows else []
        columns.append(_called(part, entry))
    first, *others = columns
    return first._replace(lists=tuple(others))


def _forward(trace: Trace, part: PlannedStep, table: MatrixBlock) -> MatrixBlock | None:
    """Returns the table of what a gradient is of, the same rows of it; None for what is no
    gradient, or one by one use of several."""
    quantity = _found(trace, part, table.quantity)
    if quantity is None or quantity.matrix.shape != table.matrix.shape:
        return None
    block = given_block(trace, quantity, Selection(), part.path)
    plainly = TableDisplay(turned=table.display.turned)  # which a glance at it is enough for
    return block._replace(rows=table.rows, origin="", display=plainly)


def _found(trace: Trace, part: PlannedStep, gradient: Name) -> Quantity | None:
    """Finds what a gradient is of. A parameter that was updated stands in the update before. None
    for what is no gradient."""
    place = part.place
    assert isinstance(place, BackwardPlace)
    if not gradient.inside(place.gradients):
        return None
    of = gradient.seen_from(place.gradients).under(place.update)
    return trace.quantities.get(of)


class Alike(NamedTuple):
    """A part that goes back through a layer as another one that is shown does."""

    part: PlannedStep
    """The part itself."""
    place: LayerPlace
    """What it goes back through."""
    name: Name
    """The layer whose way back is shown."""
    is_last: bool
    """Whether it is the last part of its layer, which tells what is handed on."""


def going_back_alike(shown: Sequence[PlannedStep], selection: Selection) -> Mapping[int, Alike]:
    """Finds the parts of a page, by their places in it, that go back through a layer as those
    before do through another one of the same stack; none where all is asked for."""
    if selection.whole or selection.detail != "rows":
        return {}
    places = {k: place for k, part in enumerate(shown) if (place := _layer_of(part)) is not None}
    last = {place.layer.path: k for k, place in places.items()}
    by_name = _names_instead(shown, places)
    return {
        k: Alike(shown[k], place, by_name[place.layer.path], last[place.layer.path] == k)
        for k, place in places.items()
        if by_name[place.layer.path] != place.layer.path
    }


def _names_instead(
    shown: Sequence[PlannedStep], places: Mapping[int, LayerPlace]
) -> dict[Name, Name]:
    """Finds for each layer the first one of its stack that goes back by all steps that it does,
    which is itself where, say, its cell is of another kind."""
    steps: dict[Name, set[str]] = {}
    for k, place in places.items():
        steps.setdefault(place.layer.path, set()).add(shown[k].step)
    instead: dict[Name, Name] = {}
    for place in places.values():
        own = place.layer.path
        before = [name for name in instead.values() if name.path == own.path]
        wider = (name for name in before if steps[name] >= steps[own])
        instead.setdefault(own, next(wider, own))
    return instead


def _layer_of(part: PlannedStep) -> LayerPlace | None:
    """Returns the place of what a step goes back through, if that is in a layer; else None."""
    place = part.place
    forward = place.forward if isinstance(place, BackwardPlace) else None
    return forward if isinstance(forward, LayerPlace) else None


def in_a_word(trace: Trace, alike: Alike, number: int, selection: Selection) -> Section:
    """Returns the section of a part that goes back like another: data, and of the last one of its
    layer how to read it and what it hands on."""
    if not alike.is_last:
        return section_of(trace, alike.part, number, only_data(trace, alike.part, selection))
    layer = alike.place.layer.path
    tables = [matrix_block(made, selection, alike.part.path) for made in made_by(trace, alike.part)]
    entries = [table if _goes_in(trace, table, layer) else DataTable(table) for table in tables]
    blocks = [Paragraph(_says(alike)), *with_forward(trace, alike.part, entries)]
    return section_of(trace, alike.part, number, blocks)._replace(formulas=())


def _says(alike: Alike) -> Spans:
    """Says what a layer goes back like: `Layer 1 goes back as layer 2 does, with its own numbers:
    see --layer 1.`"""
    layer = alike.place.layer.path.alone
    option = f"--layer {below(alike.place.stack.path, str(layer.number))}"
    says = f"{place_in_words(layer)} goes back as {place_in_words(alike.name.alone).lower()} does"
    return (f"{says}, with its own numbers: see ", Term(option), ".")


def _goes_in(trace: Trace, table: MatrixBlock, layer: Name) -> bool:
    """Tells whether a table is the gradient of what goes into a layer: of what is made before
    it."""
    of = table.quantity.seen_from(GRADIENTS)
    return of in trace.quantities and not of.inside(layer) and not trace[of].given


_HEADINGS = ("Gradient", "Cells", "Cell", "By the way back", "By the difference", "Digits")
_FEW = 4
"""Fewer digits than these in common are pointed out."""


def gradient_check(trace: Trace) -> list[Block]:
    """Returns a row for each gradient, with its cell that agrees least; a line where there is no
    way back, or it can't be checked."""
    if not trace.scenario.goes_back or not trace.scenario.prediction.loss.name:
        return [Callout(("No gradients to check: this scenario has no way back. It goes back with ",
                      Term("backward: true"), " and targets."))]  # fmt: skip
    try:
        found = [*checked(trace)]
    except ScenarioError as error:
        return [Callout((f"The gradients can't be checked: {error}.",))]
    if not found:
        return [Callout(("No gradients to check: the way back isn't worked to its end.",))]
    return [Subheading(("Gradient check",)), Paragraph((_SAYS,)), _table(found), *_verdict(found)]


_SAYS = (
    f"Each number is moved by ±h, h = {Decimal(str(STEP))}, and the loss is worked again in full"
    " precision. The gradient has to be (L(x + h) − L(x − h)) / 2h. For each gradient the table"
    " shows the number that agrees least, and on how many digits it does."
)


def _table(found: list[Checked]) -> Table:
    return Table(_HEADINGS, tuple(_checked_row(c) for c in found))


def _checked_row(checked: Checked) -> tuple[str, ...]:
    worst = checked.worst
    cells = (
        str(checked.cells)
        if len(checked.slopes) == checked.cells
        else f"{len(checked.slopes)} of {checked.cells}"
    )
    i, j = (k + 1 for k in worst.cell)
    numbers = (_twelve_digits(number) for number in (worst.gradient, worst.difference))
    return (str(checked.gradient), cells, f"[{i}, {j}]", *numbers, str(worst.digits))


def _twelve_digits(number: float) -> str:
    """Writes a number with twelve digits."""
    return f"{number:.12g}".replace("-", "−")


def _verdict(found: list[Checked]) -> Iterator[Block]:
    least = min(c.worst.digits for c in found)
    wrong = [str(c.gradient) for c in found if c.worst.digits < _FEW]
    if wrong:
        yield Callout(((
            f"These don't agree: {', '.join(wrong)}. At a kink, such as that of relu at 0, a"
            " difference spans both sides."
        ),))  # fmt: skip
    else:
        yield Callout((f"All {len(found)} gradients agree, on {least} digits or more.",))
