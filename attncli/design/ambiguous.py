"""Numbers that the two rounding policies show differently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from attncli.arithmetic.expression import Number
from attncli.choices import POLICIES
from attncli.design.quantity import units
from attncli.file.problems import ScenarioError
from attncli.trace import Quantity, Trace


class Ambiguous(NamedTuple):
    """A cell, from 0, and what `carry` and `exact` show in it."""

    quantity: Quantity
    row: int
    column: int
    carry: Number
    exact: Number


class Both(NamedTuple):
    """A scenario worked under each of the two policies."""

    carry: Trace
    exact: Trace


def under_both(trace: Trace) -> Both | None:
    """The trace's scenario under both policies; None where one of them can't work it."""
    try:
        carry, exact = (
            trace if trace.rounding.policy == policy else trace.under(policy) for policy in POLICIES
        )
    except ScenarioError:
        return None
    return Both(carry, exact)


def ambiguous(both: Both, name: str) -> Iterator[Ambiguous]:
    """The cells of a quantity, by its full name, that the policies show differently."""
    if name not in both.carry or name not in both.exact:
        return
    quantity, other = both.carry[name], both.exact[name]
    decimals = max(quantity.matrix.decimals, other.matrix.decimals)
    if quantity.matrix.shape != other.matrix.shape:
        return
    with np.errstate(invalid="ignore"):
        apart = units(quantity.values, decimals) != units(other.values, decimals)
    for i, j in np.argwhere(apart).tolist():
        carry, exact = quantity.matrix.number(i, j), other.matrix.number(i, j)
        if carry.shown != exact.shown:
            yield Ambiguous(quantity, i, j, carry, exact)
