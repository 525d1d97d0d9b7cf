"""Gradients beside central differences: (L(x + h) − L(x − h)) / 2h, worked in full precision.

What the difference leaves out is about h² (Nocedal & Wright 2006, "Numerical Optimization", 8.1);
the loss itself is known to some sixteen digits, of which a small h leaves few.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from attncli.maths.numbers.rounding import Array
from attncli.names import GRADIENTS, Name
from attncli.scenario.model import pass_of
from attncli.trace.trace import Trace

STEP = 1e-5
"""h: with it both what is left out and what is lost are some ten digits behind the first."""
_MOST_CELLS = 400
"""So many cells are checked in all, if there are more gradients than one each; of larger ones the
largest."""
_NOISE = 1e-9
"""What a difference may come to where nothing changes."""


class Slope(NamedTuple):
    """A cell of a quantity, its gradient, and the central difference there."""

    name: Name
    cell: tuple[int, int]
    gradient: float
    difference: float

    @property
    def digits(self) -> int:
        """Returns on how many leading digits, up to 16, the gradient and the difference agree."""
        size = max(abs(self.gradient), abs(self.difference))
        off = abs(self.gradient - self.difference)
        if size <= _NOISE or not off:
            return _ALL_DIGITS
        return max(0, min(_ALL_DIGITS, math.floor(-math.log10(off / size))))


_ALL_DIGITS = 16


class Checked(NamedTuple):
    """A gradient whose cells, or some of them, were checked."""

    gradient: Name
    slopes: tuple[Slope, ...]
    cells: int
    """How many cells the gradient has."""

    @property
    def worst(self) -> Slope:
        return min(self.slopes, key=lambda slope: slope.digits)


def gradients_of(trace: Trace) -> list[Name]:
    """Lists the quantities of the model before any update that have a gradient, in the order in
    which the gradients are made."""
    return list(_with_gradients(trace))


def _with_gradients(trace: Trace) -> Iterator[Name]:
    made = [*trace.scenario.given.matrices, *(d.name for d in trace.plan)]
    known = {name for name in made if not name.inside(GRADIENTS) and not pass_of(name)}
    of = {name.under(GRADIENTS): name for name in known}
    for definition in trace.plan:
        if definition.name in of and definition.name in trace.quantities:
            yield of[definition.name]


def checked(trace: Trace) -> Iterator[Checked]:
    """Yields each gradient of a trace, worked in full precision, beside central differences. Raises
    ScenarioError where numbers can't be worked."""
    exact = trace.under("exact")
    loss = Name(trace.scenario.prediction.loss.name)
    forth = exact.leading_to([loss])
    leading = {name for d in forth.plan for name in d.operands}
    names = [name for name in gradients_of(exact) if name in leading]
    most = max(1, _MOST_CELLS // max(1, len(names)))
    for name in names:
        gradient = exact.quantities[name.under(GRADIENTS)].values
        cells = _cells(gradient, exact.quantities[name].values, most)
        slopes = tuple(_slope(forth, loss, name, cell, gradient) for cell in cells)
        if slopes:
            yield Checked(name.under(GRADIENTS), slopes, gradient.size)


def _cells(gradient: Array, values: Array, most: int) -> Sequence[tuple[int, int]]:
    """Lists up to `most` cells (i, j) whose gradients are largest, without those that can't be
    moved, such as −∞."""
    order = np.argsort(-np.abs(gradient), axis=None, kind="stable")
    places = zip(*np.unravel_index(order, gradient.shape), strict=True)
    finite = [(int(i), int(j)) for i, j in places if np.isfinite(values[i, j])]
    return finite[:most]


def _slope(trace: Trace, loss: Name, name: Name, cell: tuple[int, int], gradient: Array) -> Slope:
    moved = []
    for by in (STEP, -STEP):
        values = trace.quantities[name].values.copy()
        values[cell] += by
        moved.append(float(trace.replay({name: values}).quantities[loss].values[0, 0]))
    difference = (moved[0] - moved[1]) / (2 * STEP)
    return Slope(name, cell, float(gradient[cell]), difference)
