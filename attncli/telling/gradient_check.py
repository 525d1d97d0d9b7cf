"""The gradients of a page beside central differences, and on how many digits they agree."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from attncli.document import Block, Note, Prose, Subheading, Table, Term
from attncli.file.problems import ScenarioError
from attncli.trace import Trace
from attncli.trace.slopes import STEP, Checked, checked

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
