"""What must fit besides the extents: turned dimensions, padded keys, the rows of tables."""

from __future__ import annotations

from attncli.file.problems import Problems
from attncli.name import TOP, below
from attncli.scenario.scenario import Scenario
from attncli.trace.extents import Extents
from attncli.trace.quantity import Definition

SIDES = ("rows", "columns")


def sized(size: int, side: int) -> str:
    """`2 rows`, `1 column`."""
    noun = SIDES[side]
    return f"{size} {noun if size != 1 else noun.removesuffix('s')}"


def _check_turning(
    scenario: Scenario, extents: Extents, definition: Definition, problems: Problems
) -> None:
    """No more dimensions turn than there are."""
    from attncli.arithmetic.operations import Rotate

    rotate = definition.operation
    if not isinstance(rotate, Rotate):
        return
    width = extents.of((definition.operands[0], 1))
    if width is not None and rotate.dimensions is not None and rotate.dimensions > width.size:
        problems.add(
            scenario.where(definition.blame),
            f"{rotate.dimensions} dimensions are to turn, and {definition.operands[0]} has"
            f" {sized(width.size, 1)}",
            f"give {width.size} or less",
        )


def _check_padding(
    scenario: Scenario, extents: Extents, definition: Definition, problems: Problems
) -> None:
    """No key is padded that isn't there."""
    from attncli.arithmetic.operations import Padding, Seen

    if not isinstance(definition.operation, Seen):
        return
    keys = extents.of((definition.operands[0], 1))
    padded = [k for r in definition.operation.rules if isinstance(r, Padding) for k in r.keys]
    last = max(padded, default=-1) + 1
    if keys is not None and last > keys.size:
        wrong = f"there is no key {last}"
        where = scenario.where(below(definition.blame, "padding"))
        problems.add(where, wrong, f"count the keys from 1 to {keys.size}")


def _check_rows(
    scenario: Scenario, extents: Extents, definition: Definition, problems: Problems
) -> None:
    """A table of positions or segments has all the rows that are taken from it."""
    from attncli.arithmetic.operations import TakeRows

    table = definition.operands[0] if definition.operands else TOP
    height = extents.of((table, 0))
    if not isinstance(definition.operation, TakeRows) or height is None:
        return
    wanted = max(definition.operation.indices, default=-1) + 1
    if wanted > height.size:
        problems.add(
            scenario.where(table),
            f"{table} has {sized(height.size, 0)}, and row {wanted} is needed",
            f"give it {wanted} rows",
        )


CHECKS = {"rotate": _check_turning, "mask": _check_padding, "positions": _check_rows}
"""What else must fit, by the steps."""
