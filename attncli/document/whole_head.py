"""A head of attention as it stands on one sheet: products one after the other, as on paper."""

from __future__ import annotations

from typing import NamedTuple

from attncli.maths.equations.tree import Equation
from attncli.names import Name


class HeadOperand(NamedTuple):
    """A quantity that is multiplied."""

    quantity: Name
    """Its full name."""
    called: Name
    """What it is called in its head."""
    turned: bool = False
    """Whether its rows are written as columns."""


class Made(NamedTuple):
    """A quantity that a head makes."""

    quantity: Name
    """Its full name."""
    called: Name
    """What it is called in its head."""
    formula: Equation
    """How it is made, by names inside the head."""


class Crossing(NamedTuple):
    """A product by Falk's scheme: below its right operand, beside its left one."""

    above: tuple[HeadOperand, ...]
    """What stands above it: its right operand, and below that a bias where it has one."""
    result: Made
    """What it comes to."""
    after: tuple[Made, ...] = ()
    """What is made of each of its rows, in order: its softmax."""


class Band(NamedTuple):
    """Products whose results stand beside each other, in the rows of what is at their left."""

    left: HeadOperand
    """The left operand of the first of them."""
    crossings: tuple[Crossing, ...]
    """The products. Each one's left operand is that of the first, or what stands before it."""


class WholeHead(NamedTuple):
    """A head from what goes into it to what comes out."""

    place: str
    """Where it is, in words; nothing where there is no other."""
    bands: tuple[Band, ...]
    """What stands below each other."""
    weights: Name
    """The full name of its weights."""
