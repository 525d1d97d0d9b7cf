"""What is told of tokenizers, where a text has one with a vocabulary."""

from __future__ import annotations

from collections.abc import Callable

from attncli.document import Block
from attncli.tables import MatrixBlock
from attncli.telling.parts import definitions_of
from attncli.trace import PlannedStep, Trace


def cuts_of(part: PlannedStep, *, alone: bool) -> list[Block]:
    """How words are cut into pieces at a step, or before it, where that is told; of a section that
    is read `alone`, also what one before it said."""
    if part.place.text.tokenizing is None:
        return []
    from attncli.telling import learning

    return learning.cuts_of(part, alone=alone)


def as_met(part: PlannedStep, block: Block) -> Block:
    """A table of pairs in the order in which a reader meets them, which doesn't tell what is to be
    counted as that of a trace does, the largest first."""
    if part.step != "learn" or not isinstance(block, MatrixBlock):
        return block
    from attncli.telling.learning import pairs_as_met

    places = {pair: k for k, pair in enumerate(pairs_as_met(part))}
    names = [name.raw for name in block.row_names]
    if not places.keys() >= set(names):
        return block
    return block._replace(rows=tuple(sorted(block.rows, key=lambda i: places[names[i]])))


def ending_with(part: PlannedStep) -> Callable[[Trace, PlannedStep], list[Block]] | None:
    """What tells a part's ending."""
    if part.place.text.tokenizing is None:
        return None
    from attncli.telling.learning import ENDINGS

    return ENDINGS.get(part.step)


def example_of(trace: Trace, part: PlannedStep) -> list[Block]:
    """The working of what a part chooses, where its numbers stand in a table of its ending."""
    if part.place.text.tokenizing is None or part.step != "learn":
        return []
    from attncli.telling.learning import worked_pair

    return worked_pair(trace, part)


def learned_at(trace: Trace, part: PlannedStep) -> list[Block]:
    """What a training came to, at its last round."""
    if part.place.text.tokenizing is None:
        return []
    from attncli.telling import learning

    return learning.learned_at(trace, part)


def in_tables(trace: Trace, part: PlannedStep) -> set[str]:
    """The quantities of a part whose numbers stand in tables of its ending."""
    if part.place.text.tokenizing is None:
        return set()
    from attncli.telling.learning import IN_TABLES

    local = IN_TABLES.get(part.step, ())
    made = definitions_of(trace, part)
    return {one.name for one in made if one.name.local in local}


def listed_again(trace: Trace, part: PlannedStep) -> set[str]:
    """The quantities of a part that another one of it shows again, all in one table."""
    if part.place.text.tokenizing is None:
        return set()
    from attncli.arithmetic.operations.moved import Listed

    definitions = definitions_of(trace, part)
    return {name for m in definitions if isinstance(m.operation, Listed) for name in m.operands}
