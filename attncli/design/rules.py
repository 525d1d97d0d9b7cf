"""What makes the numbers of an exercise weak: one small function a rule.

Each takes a quantity as it was made, alone [n, m] or in many candidates at once [n, m, b],
and tells which of its cells (or rows, as [n, 1]) break the rule. The search for forms and
`attn lint` use the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attncli.arithmetic.operations import (
    Activate,
    DivideByRow,
    Dropout,
    KeptShare,
    MatMul,
    Operation,
)
from attncli.arithmetic.operations.base import ZeroOne
from attncli.arithmetic.rounding import Array
from attncli.file.problems import nearest
from attncli.records import dataclass
from attncli.refusals import Problem

Flags = NDArray[np.bool_]

RULES: Mapping[str, str] = MappingProxyType(
    {
        "ties": "no two weights of a softmax row are shown alike",
        "extreme": "no weight of a softmax row is shown as 0 or as 1",
        "sums": "the weights of a softmax row add up to exactly 1 as shown",
        "edges": "no number is within a hundredth of a unit of the last place of a rounding edge",
        "zeros": "no row consists of zeros",
        "repeats": "no two rows or columns of a matrix are shown alike",
        "trivial": "in no sum of products fewer than two of the products are other than 0",
        "large": "no number has more than four digits before its decimal point",
        "mistakes": "each declared common mistake changes a number",
        "difficulty": "each form is within 15 % of the same difficulty",
        "alike": "no two forms have the same numbers",
    }
)
"""What is asked of the numbers of an exercise, by the names that `--allow` takes. Masked weights,
and rows that see one key only, are exempt from what they can't help."""

NEAR = 0.010001
"""A hundredth of a unit of the last place, inclusive, with a little for the noise of floats."""

_LARGE = 10_000.0
_HALF = 0.5 + 1e-9
"""A half, and what floats may have lost of one."""


@dataclass(frozen=True, eq=False)
class CandidateQuantity:
    """A quantity and what it was made of, in one scenario [n, m] or in many [n, m, b].

    `values` are its numbers as they are gone on with, `full` before they were rounded; `places`
    hold those in full, `decimals` are shown, of which the numbers have no more than `own`.
    `hides` says whether they have more than are shown. `operands` are the numbers that it was
    made of, `digits` the decimals that each of these is shown with, `left` the operation that
    made the first of them. `seen` tells which weights aren't masked, None where the quantity
    isn't one that adds up to 1; `rows` are those that a page shows.
    """

    operation: Operation | None
    values: Array
    full: Array
    places: int | None
    decimals: int
    own: int
    hides: bool
    operands: tuple[Array, ...] = ()
    digits: tuple[int, ...] = ()
    left: Operation | None = None
    seen: Flags | None = None
    is_list: bool = False
    rows: tuple[int, ...] | None = None

    @cached_property
    def units(self) -> Array:
        """The numbers as they are shown, in units of their last place."""
        return units(self.values, self.decimals)

    @property
    def shown(self) -> Array:
        """The numbers as they are shown, if only to compare them."""
        return self.units if self.hides else self.values


Check = Callable[[CandidateQuantity], Flags | None]
"""Where a rule is broken: cells [n, m], rows [n, 1]; None where it has nothing to say."""


def units(values: Array, decimals: int) -> Array:
    """Numbers in units of the last of so many decimals, half away from zero."""
    grid = np.asarray(values * 10.0**decimals)
    grid += np.copysign(_HALF, grid)
    return np.asarray(np.trunc(grid, out=grid))


def _along(function: np.ufunc, values: NDArray[Any]) -> NDArray[Any]:
    """What the numbers of each row come to together. [n, m] -> [n, 1]"""
    return np.asarray(function.reduce(values, axis=1, keepdims=True))


def _many_seen(seen: Flags) -> Flags:
    """The rows that see two keys or more. [n, m] -> [n, 1]"""
    return np.asarray(_along(np.add, seen.astype(np.int64)) > 1)


def ties(made: CandidateQuantity) -> Flags | None:
    """Weights that are shown like another one of their row; masked ones aside."""
    if made.seen is None:
        return None
    shown = np.where(made.seen, made.shown, np.nan)
    broken = np.zeros(shown.shape, dtype=np.bool_)
    for apart in range(1, shown.shape[1]):
        same = shown[:, apart:] == shown[:, :-apart]
        broken[:, apart:] |= same
        broken[:, :-apart] |= same
    return broken


def extreme(made: CandidateQuantity) -> Flags | None:
    """Weights that are shown as 0 or as 1, where there are others that aren't masked."""
    if made.seen is None:
        return None
    shown = made.units
    ends = (shown == 0) | (shown == 10.0**made.decimals)
    return np.asarray(ends & made.seen & _many_seen(made.seen))


def sums(made: CandidateQuantity) -> Flags | None:
    """Rows of weights that don't add up to exactly 1 as shown. -> [n, 1]"""
    if made.seen is None:
        return None
    shown = made.units
    hidden = (shown == 0) & (made.values > 0)  # shown with more decimals than the others
    off = (_along(np.add, shown) != 10.0**made.decimals) | _along(np.logical_or, hidden)
    return np.asarray(off & _along(np.logical_or, made.seen))


def edges(made: CandidateQuantity) -> Flags | None:
    """Numbers whose rounding hangs by a hair: within a hundredth of a unit of a half."""
    if not is_rounded(made):
        return None
    with np.errstate(invalid="ignore", over="ignore"):  # what is infinite has no half to be near to
        size = np.abs(made.full) * 10.0**made.decimals
        return np.asarray(np.abs(size - np.floor(size) - 0.5) <= NEAR)


def is_rounded(made: CandidateQuantity) -> bool:
    """Whether its numbers have more places than are kept or shown."""
    if made.operation is None or made.operation.copies:
        return False
    return made.places is None or made.places > made.decimals


def zeros(made: CandidateQuantity) -> Flags | None:
    """Rows of nothing but zeros; masks, and lists of one number a row, aside. -> [n, 1]

    A single number that an activation makes may be 0: that is what it is for."""
    single = made.values.shape[1] == 1 and isinstance(made.operation, Activate)
    if made.is_list or single or isinstance(made.operation, ZeroOne):
        return None
    return np.asarray(~_along(np.logical_or, made.values != 0))


def repeats(made: CandidateQuantity) -> Flags | None:
    """Rows and columns that are shown like another one; masks and lists aside, and columns that
    an activation made 0."""
    if made.is_list or isinstance(made.operation, ZeroOne):
        return None
    return np.asarray(alike_rows(made) | alike_columns(made))


def alike_rows(made: CandidateQuantity) -> Flags:
    """The rows that are shown like another one. [n, m] -> [n, 1]"""
    return _alike(made.shown)


def alike_columns(made: CandidateQuantity) -> Flags:
    """The columns that are shown like another one, but for what an activation made 0.
    [n, m] -> [1, m]"""
    columns = np.asarray(_alike(np.asarray(made.shown.swapaxes(0, 1))).swapaxes(0, 1))
    if isinstance(made.operation, Activate):
        columns = columns & made.shown.any(axis=0, keepdims=True)
    return columns


def _alike(shown: Array) -> Flags:
    """The rows that are like another one, unless they are single numbers. [n, m] -> [n, 1]"""
    broken = np.zeros((shown.shape[0], 1, *shown.shape[2:]), dtype=np.bool_)
    for apart in range(1, shown.shape[0]) if shown.shape[1] > 1 else ():
        same = _along(np.logical_and, shown[apart:] == shown[:-apart])
        broken[apart:] |= same
        broken[:-apart] |= same
    return broken


_SPARSE = (Activate, DivideByRow, Dropout, KeptShare)
"""What makes zeros for good reason: activations, masked weights, dropout."""


def trivial(made: CandidateQuantity) -> Flags | None:
    """Sums of two or more products of which fewer than two aren't 0.

    Where an activation, a mask or dropout made the factors 0, that isn't the numbers' fault.
    """
    factors = factors_of(made)
    few = factors is None or factors[0].shape[1] < 2  # noqa: PLR2004
    if factors is None or few or isinstance(made.left, _SPARSE):
        return None
    if factors[0].all() and factors[1].all():
        return None
    x, W = ((factor != 0).astype(np.float64) for factor in factors)
    return np.asarray(product(x, W) < 2)  # noqa: PLR2004


def large(made: CandidateQuantity) -> Flags | None:
    """Numbers of 10,000 and more."""
    if made.operation is None or made.operation.copies:
        return None
    return np.asarray(made.values >= _LARGE) | ((made.values <= -_LARGE) & (made.values > -np.inf))


def sparse(made: CandidateQuantity) -> Flags | None:
    """Rows with fewer than two numbers that aren't 0: as factors they make trivial products.
    -> [n, 1]"""
    if made.values.shape[1] < 2 or isinstance(made.operation, _SPARSE):  # noqa: PLR2004
        return None
    return np.asarray(_along(np.add, (made.values != 0).astype(np.float64)) < 2)  # noqa: PLR2004


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "large": large,
        "zeros": zeros,
        "repeats": repeats,
        "trivial": trivial,
        "ties": ties,
        "extreme": extreme,
        "sums": sums,
        "edges": edges,
    }
)
"""The rules that are about one quantity, in the order in which the cheap ones come first."""

ASKED_ONLY = frozenset({"edges"})
"""Rules for what is asked; the others hold for what that is made of, too."""


def factors_of(made: CandidateQuantity) -> tuple[Array, Array] | None:
    """The factors [n, k] and [k, m] of a product of matrices; None for anything else."""
    if not isinstance(made.operation, MatMul):
        return None
    x, W = made.operands[:2]
    return (
        x if made.operation.left == "ik" else np.asarray(x.swapaxes(0, 1)),
        W if made.operation.right == "kj" else np.asarray(W.swapaxes(0, 1)),
    )


def product(x: Array, W: Array) -> Array:
    """x W, of two matrices or of many at once. [n, k], [k, m] -> [n, m]

    Raises ValueError where they don't fit."""
    if x.shape[1] != W.shape[0]:
        raise ValueError(f"{x.shape[1]} columns by {W.shape[0]} rows")
    if x.ndim == W.ndim == 2:  # noqa: PLR2004
        return np.asarray(x @ W)
    total = x[:, 0, np.newaxis] * W[np.newaxis, 0]
    for k in range(1, x.shape[1]):
        total += x[:, k, np.newaxis] * W[np.newaxis, k]
    return np.asarray(total)


def check_names(names: Collection[str]) -> list[Problem]:
    """What is wrong with the names of rules, if anything."""
    return [
        Problem.of(f"--allow {name}", "no such rule", nearest(name, RULES))
        for name in names
        if name not in RULES
    ]
