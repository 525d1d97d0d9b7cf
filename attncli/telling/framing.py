"""What stands around the working of a step: what happens, what is needed for it, remarks on it, and
the table of what it made."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.document import Block, Note, Prose
from attncli.telling.blocks import (
    by_gates,
    given_blocks,
    matrix_block,
    together_block,
    token_blocks,
)
from attncli.telling.parts import definitions_of, made_by, step_of
from attncli.telling.selection import Selection
from attncli.telling.tokenizers import cuts_of
from attncli.trace import PlannedStep, Quantity, Trace


def opening_blocks(
    trace: Trace,
    part: PlannedStep,
    selection: Selection,
    givens: Sequence[Quantity],
    *,
    alone: bool = False,
) -> list[Block]:
    """What happens, the given matrices that the part needs, remarks on how it is done here; in a
    section that is read `alone`, also what one before it said."""
    step = step_of(part)
    blocks: list[Block] = [Prose(step.happens_at(part.place))]
    if part.step == "tokenize":
        return [*blocks, *cuts_of(part, alone=alone), *token_blocks(part.place)]
    given = given_blocks(trace, givens, selection, part.path)
    blocks += by_gates(part, given) if part.step == "gates" else given
    blocks += cuts_of(part, alone=alone)
    blocks += remarks_on(trace, part)
    if part.path.local == "experts":
        from attncli.telling.routing import who_goes_there

        blocks.append(Note(who_goes_there(trace, part)))
    return blocks


def remarks_on(trace: Trace, part: PlannedStep) -> list[Block]:
    """What has to be said of how a step was done on these numbers."""
    remarks = [
        definition.operation.remark(*trace.operands(definition))
        for definition in definitions_of(trace, part)
    ]
    return [Note((remark,)) for remark in remarks if remark is not None]


def table_together(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """The rows of what a step made and started from, side by side, or as tables."""
    together = step_of(part).together
    if not together:
        return []
    table = together_block(trace, part, together, selection)
    if table is not None:
        return [table]
    aside = {part.place.name(name) for name, _ in together}
    made = [quantity for quantity in made_by(trace, part) if quantity.name in aside]
    return [matrix_block(quantity, selection, part.path) for quantity in made]
