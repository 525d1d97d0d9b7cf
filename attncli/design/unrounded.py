"""What many traces of one story, such as the forms of an exercise, come to without any rounding:
worked for all of them at once, in arrays [n, m, b].

These are plain floats, which settle nothing: where they may not tell how a number is shown, or
whether there is one, nothing is known of a trace, and who asks works it by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Number
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations import Operation
from attncli.arithmetic.rounding import Unworkable
from attncli.design import candidates
from attncli.design.candidates import CandidateValues
from attncli.design.quantity import Flags
from attncli.records import NamedTuple, dataclass
from attncli.trace import Definition, Trace

_LARGEST = 1e9
"""Units of the last decimal; the noise of larger floats may come near to what decides a digit."""


class Start(NamedTuple):
    """A trace, and the numbers that some of its quantities have on a page that starts from them."""

    trace: Trace
    shown: Mapping[str, Matrix]


@dataclass(frozen=True, eq=False)
class Unrounded:
    """What one of many traces comes to without rounding."""

    trace: Trace
    made: Mapping[str, CandidateValues]
    place: int

    @cached_property
    def _matrices(self) -> dict[str, Matrix]:
        """Those that were asked for."""
        return {}

    def matrix(self, name: str) -> Matrix:
        """A quantity's numbers, which know whose they are; those that an author wrote as they are
        written."""
        known = self._matrices.get(name)
        if known is None:
            own = self.trace[name].numbers
            known = own if own.written is not None else self.made[name].one(self.place).named(name)
            self._matrices[name] = known
        return known

    def is_certain(self, number: Number) -> bool:
        """Whether a number of these is shown as it is without doubt."""
        assert number.cell is not None
        name, i, j = number.cell
        matrix = self.matrix(name)
        return matrix.written is not None or not decimals.is_doubtful(
            matrix.values.item(i, j), matrix.decimals
        )


def unrounded(starts: Sequence[Start], names: Collection[str]) -> list[Unrounded | None]:
    """What leads to some quantities, in each of the traces; None of one where that isn't certain,
    and of all where they tell different stories."""
    first = starts[0]
    if len(starts) == 1 or not all(_are_alike(first, one) for one in starts[1:]):
        return [None] * len(starts)
    told = first.trace.leading_to(names, first.shown)
    plan = [one for one in told.plan if one.name not in first.shown]
    if first.shown and any(one.operation.only_moves for one in plan if one.name in names):
        return [None] * len(starts)  # a copy of what is shown has the digits that are shown
    made = _given(starts, {operand for one in plan for operand in one.operands})
    sure = np.ones(len(starts), dtype=np.bool_)
    for definition in plan:
        sure &= _make(first.trace, made, definition, len(starts))
    return [Unrounded(one.trace, made, k) if sure[k] else None for k, one in enumerate(starts)]


def _are_alike(one: Start, other: Start) -> bool:
    """Whether two traces differ in their numbers only."""
    known = [name for name, quantity in one.trace.quantities.items() if quantity.given]
    return (
        one.trace.story is other.trace.story
        and one.trace.rounding == other.trace.rounding
        and one.shown.keys() == other.shown.keys()
        and all(_like(one.trace[name].matrix, other.trace[name].matrix) for name in known)
        and all(_like(one.shown[name], other.shown[name]) for name in one.shown)
    )


def _like(one: Matrix, other: Matrix) -> bool:
    """Whether two matrices differ in their numbers only."""
    return (one.shape, one.places, one.decimals) == (other.shape, other.places, other.decimals)


def _given(starts: Sequence[Start], names: Iterable[str]) -> dict[str, CandidateValues]:
    """What the traces start from."""
    made = {}
    for name in names:
        each = [one.shown[name] if name in one.shown else one.trace[name].matrix for one in starts]
        if name in starts[0].shown or starts[0].trace[name].given:
            values = np.stack([matrix.values for matrix in each], axis=-1)
            made[name] = CandidateValues(values, each[0].places, each[0].decimals)
    return made


def _make(
    trace: Trace, made: dict[str, CandidateValues], definition: Definition, count: int
) -> Flags:
    """Makes a quantity of all traces, and says of which it is certain. -> [b]"""
    operation, operands = definition.operation, [made[name] for name in definition.operands]
    shape = trace[definition.name].matrix.shape
    rounding = trace.rounding.under("exact").of_quantity(definition.step, definition.name)
    full = candidates.full(operation, count, operands, shape)
    many = candidates.settled(operation, full, rounding, definition.step, operands)
    made[definition.name] = many
    sizes = np.where(np.isneginf(many.values), 0.0, np.abs(many.values))
    sure = np.asarray((sizes * 10.0**many.decimals < _LARGEST).all(axis=(0, 1)))
    if type(operation).check is not Operation.check:
        sure &= [
            _is_fine(operation, [one.one(k) for one in (many, *operands)]) for k in range(count)
        ]
    return sure


def _is_fine(operation: Operation, matrices: Sequence[Matrix]) -> bool:
    """Whether a result, the first of some matrices, can be gone on with."""
    try:
        operation.check(*matrices)
    except Unworkable:
        return False
    return True
