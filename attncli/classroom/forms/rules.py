"""The rules that weak numbers of an exercise break, one small function each.

Each takes a quantity as it was made, alone [n, m] or in many candidates at once [n, m, b],
and tells which of its cells (or rows, as [n, 1]) break the rule. The search for forms and
`attn lint` use the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

import numpy as np

from attncli.classroom.forms.candidate_quantity import (
    CandidateQuantity,
    Check,
    along,
)
from attncli.classroom.forms.costs import WITHIN
from attncli.errors import Problem
from attncli.maths.equations.arrays import laid
from attncli.maths.equations.tree import Apply, Expression, each
from attncli.maths.numbers.rounding import Array, Flags
from attncli.maths.operations.activations import Activate, Dropout
from attncli.maths.operations.attention import ProductOfMatrices
from attncli.maths.operations.equation import is_a
from attncli.maths.operations.norms import MeanOfSquares, RowMean
from attncli.maths.operations.operation import ZeroOne
from attncli.maths.operations.prediction import KeptShare
from attncli.maths.operations.softmax import DivideByRow, Exponential
from attncli.maths.operations.written import WrittenOperation
from attncli.scenario.file.problems import nearest

_NO_PIVOT = 1e-9


def singular(matrix: Array) -> Flags:
    """Tells whether one of the rows (of the columns, where these are fewer) follows from the
    others, by Gaussian elimination. -> [1, 1] or [1, 1, b]"""
    rows = np.array(matrix if matrix.shape[0] <= matrix.shape[1] else matrix.swapaxes(0, 1))
    broken = np.zeros((1, 1, *matrix.shape[2:]), dtype=np.bool_)
    if len(rows) < 2:  # noqa: PLR2004
        return broken
    least = _NO_PIVOT * np.abs(rows).max(axis=(0, 1))
    for k, row in enumerate(rows):
        column = np.abs(row).argmax(axis=0)[np.newaxis]
        pivot = np.take_along_axis(row, column, axis=0)
        lost = np.abs(pivot) <= least
        broken |= lost
        shares = np.take_along_axis(rows[k + 1 :], column[np.newaxis], axis=1)
        rows[k + 1 :] -= shares / np.where(lost, 1.0, pivot) * row
    return broken


def unvaried(matrix: Array) -> Flags:
    """Tells whether more than half of the numbers are the same one. -> [1, 1] or [1, 1, b]"""
    numbers = np.sort(matrix.reshape(-1, *matrix.shape[2:]), axis=0)
    half = len(numbers) // 2
    if not half:
        return np.zeros((1, 1, *matrix.shape[2:]), dtype=np.bool_)
    return np.asarray((numbers[half:] == numbers[:-half]).any(axis=0)[np.newaxis, np.newaxis])


_MOST_WEIGHT = 0.95
_LEAST_RATIO = 1.25
_ONE_DIGIT, _TWO_DIGITS = 10.0, 100.0


def _many_seen(seen: Flags) -> Flags:
    """Finds the rows that see two keys or more. [n, m] -> [n, 1]"""
    return np.asarray(along(np.add, seen.astype(np.int64)) > 1)


def _ties(made: CandidateQuantity) -> Flags | None:
    """Finds weights that are shown like another one of their row; masked ones aside. -> [n, m]"""
    if made.seen is None:
        return None
    shown = np.where(made.seen, made.shown, np.nan)
    if shown.ndim == 2:  # noqa: PLR2004
        return _again_in_row(shown)
    broken = np.zeros(shown.shape, dtype=np.bool_)
    for apart in range(1, shown.shape[1]):
        same = shown[:, apart:] == shown[:, :-apart]
        broken[:, apart:] |= same
        broken[:, :-apart] |= same
    return broken


def _again_in_row(values: Array) -> Flags:
    """Finds the numbers that are like another one of their row, which stands next to them in order.
    [n, m] -> [n, m]

    Many candidates, of few numbers each, are faster compared one with the other.
    """
    order = values.argsort(axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    same, again = ordered[:, 1:] == ordered[:, :-1], np.zeros(values.shape, dtype=np.bool_)
    again[:, 1:] |= same
    again[:, :-1] |= same
    broken = np.empty_like(again)
    np.put_along_axis(broken, order, again, axis=1)
    return broken


def _extreme(made: CandidateQuantity) -> Flags | None:
    """Finds weights that are shown as 0 or above 0.95, where there are others that aren't masked.
    -> [n, m]"""
    if made.seen is None:
        return None
    shown = made.units
    ends = (shown == 0) | (shown > _MOST_WEIGHT * 10.0**made.decimals)
    return np.asarray(ends & made.seen & _many_seen(made.seen))


def uniform(made: CandidateQuantity) -> Flags | None:
    """Finds rows of weights that are nearly all the same. -> [n, 1]"""
    if made.seen is None:
        return None
    top = along(np.maximum, np.where(made.seen, made.values, 0.0))
    low = along(np.minimum, np.where(made.seen, made.values, np.inf))
    return np.asarray((top < _LEAST_RATIO * low) & _many_seen(made.seen))


def _winners(made: CandidateQuantity) -> Flags | None:
    """Finds rows that have their largest weight where an earlier one has it; of those that a page
    shows, and that see two keys or more. -> [n, 1]"""
    if made.seen is None:
        return None
    weights = np.where(made.seen, made.values, -1.0)
    winner = weights.argmax(axis=1)[:, np.newaxis]
    counts = np.broadcast_to(_many_seen(made.seen), winner.shape).copy()
    if made.rows is not None:
        counts &= np.isin(np.arange(len(winner)), made.rows).reshape(-1, *[1] * (winner.ndim - 1))
    broken = np.zeros(winner.shape, dtype=np.bool_)
    for apart in range(1, len(winner)):
        broken[apart:] |= (winner[apart:] == winner[:-apart]) & counts[apart:] & counts[:-apart]
    return broken


def _exponentials(made: CandidateQuantity) -> Flags | None:
    """Finds powers of e with three digits or more before the decimal point. -> [n, m]"""
    return made.values >= _TWO_DIGITS if isinstance(made.operation, Exponential) else None


def _method(made: CandidateQuantity) -> Flags | None:
    """Finds rows whose maximum is subtracted before e is raised to them. -> [n, 1]"""
    if not isinstance(made.operation, Exponential):
        return None
    return made.operation.shifted(made.operands.values[0])


def _sums(made: CandidateQuantity) -> Flags | None:
    """Finds rows of weights that don't add up to exactly 1 as shown. -> [n, 1]"""
    if made.seen is None:
        return None
    shown = made.units
    hidden = (shown == 0) & (made.values > 0)  # shown with more decimals than the others
    off = (along(np.add, shown) != 10.0**made.decimals) | along(np.logical_or, hidden)
    return np.asarray(off & along(np.logical_or, made.seen))


RULES: Mapping[str, str] = MappingProxyType(
    {
        "ties": "no two weights of a softmax row are shown alike",
        "extreme": "no weight of a softmax row is shown as 0 or is above 0.95",
        "uniform": "the largest weight of a softmax row is at least a quarter above the smallest",
        "winners": "no two rows of a softmax have their largest weight in the same column",
        "sums": "the weights of a softmax row add up to exactly 1 as shown",
        "edges": "no number is within a hundredth of a unit of the last place of a rounding edge",
        "zeros": "no row consists of zeros",
        "repeats": "no two rows or columns of a matrix are shown alike",
        "trivial": "in no sum of products fewer than two of the products are other than 0",
        "exponentials": "no e^x of a softmax has more than two digits before its decimal point",
        "method": "the maximum of a softmax row is subtracted in all forms or in none",
        "singular": "no matrix of new numbers is singular (of less than full rank)",
        "unvaried": "in no matrix of new numbers more than half are the same",
        "conditions": "each condition of an equation holds in some cells and fails in others",
        "large": "no number has more than four digits before its decimal point",
        "small": "no number of `attn design`, of up to five dimensions, has three digits there,"
        " and none that comes into a norm two",
        "mistakes": "each declared common mistake changes a blank by more than rounding",
        "difficulty": f"forms are worth as many points, and cost what is aimed for: {WITHIN}",
        "alike": "no two forms have the same numbers",
    }
)
"""What is asked of the numbers of an exercise, by the names that `--allow` takes. Masked weights,
rows that see one key only, and many halves of a unit are exempt from what they can't help."""

NEAR = 0.010001
"""A hundredth of a unit of the last place, inclusive, with a little for the noise of floats."""

_NOISE = 1e-6
_LARGE = 10_000.0


def edges(made: CandidateQuantity) -> Flags | None:
    """Finds numbers whose rounding hangs by a hair: within a hundredth of a unit of a half. -> [n,
    m]"""
    if not is_rounded(made):
        return None
    with np.errstate(invalid="ignore", over="ignore"):  # what is infinite has no half to be near to
        size = np.abs(made.full) * 10.0**made.decimals
        return np.asarray(np.abs(size - np.floor(size) - 0.5) <= NEAR)


def halves(made: CandidateQuantity) -> Flags | None:
    """Finds the cells that are whole or half units in every candidate, and halves in some, as half
    of what was rounded is: every other one is at an edge, in full view. [n, m, b] -> [n, m, 1]"""
    if not is_rounded(made):
        return None
    with np.errstate(invalid="ignore", over="ignore"):
        twice = np.abs(made.full) * 2 * 10.0**made.decimals
        whole = np.rint(twice)
        near = (np.abs(twice - whole) <= _NOISE).all(axis=2, keepdims=True)
        return np.asarray(near & (whole % 2 == 1).any(axis=2, keepdims=True))


def is_rounded(made: CandidateQuantity) -> bool:
    """Tells whether its numbers have more places than are kept or shown."""
    if made.operation is None or made.operation.copies:
        return False
    return made.places is None or made.places > made.decimals


def zeros(made: CandidateQuantity) -> Flags | None:
    """Finds rows of nothing but zeros; masks, and lists of one number a row, aside. -> [n, 1]

    A single number that an activation makes may be 0: that is what it is for.
    """
    single = made.values.shape[1] == 1 and isinstance(made.operation, Activate)
    if made.is_list or single or isinstance(made.operation, ZeroOne) or _chooses(made):
        return None
    return np.asarray(~along(np.logical_or, made.values != 0))


def repeats(made: CandidateQuantity) -> Flags | None:
    """Finds rows and columns that are shown like another one. -> [n, m]

    Masks and lists are left aside, columns that an activation made 0, and products of a column and
    a row, where two equal numbers make two equal rows or columns.
    """
    if made.is_list or isinstance(made.operation, ZeroOne) or _is_outer(made) or _chooses(made):
        return None
    return np.asarray(alike_rows(made) | alike_columns(made))


_CHOOSING = ("where", "max", "min", "relu", "abs")
"""Functions by which different numbers may give the same."""


def _chooses(made: CandidateQuantity) -> bool:
    """Tells whether an equation of a scenario's own takes one of several, so that zeros and equal
    rows may come of it as a mask's or a relu's do."""
    written = made.operation if isinstance(made.operation, WrittenOperation) else None
    return written is not None and any(x.function in _CHOOSING for x in each(written.tree, Apply))


def conditions(made: CandidateQuantity) -> Flags | None:
    """Finds equations with a condition that holds in all cells, or in none. -> [1, 1]"""
    if not isinstance(made.operation, WrittenOperation):
        return None
    choices = (node for node in each(made.operation.tree, Apply) if node.function == "where")
    found = None
    for condition in dict.fromkeys(choice.arguments[0] for choice in choices):
        holds = _holding(made, made.operation, condition)
        one_sided = np.asarray(holds.all(axis=0) | ~holds.any(axis=0))[np.newaxis, np.newaxis]
        found = one_sided if found is None else found | one_sided
    return found


def _holding(made: CandidateQuantity, operation: WrittenOperation, condition: Expression) -> Flags:
    """Tells where a condition holds. -> [cells] or [cells, b]"""
    part = laid(condition, operation.sides)
    values = np.asarray(part.work(made.operands.values)) != 0
    many = made.values.shape[2:]
    if many:  # which may have it in common
        values = values[..., np.newaxis] if values.ndim == len(part.indices) else values
        values = np.broadcast_to(values, (*values.shape[:-1], *many))
    return np.asarray(values.reshape(-1, *many))


def _is_outer(made: CandidateQuantity) -> bool:
    """Tells whether a matrix is made of columns alone, as ∂W = ∂z xᵀ is."""
    return bool(made.operands.values) and all(x.shape[1] == 1 for x in made.operands.values)


def alike_rows(made: CandidateQuantity) -> Flags:
    """Finds the rows that are shown like another one. [n, m] -> [n, 1]"""
    return _alike(made.shown)


def alike_columns(made: CandidateQuantity) -> Flags:
    """Finds the columns that are shown like another one, but for what an activation made 0. [n, m]
    -> [1, m]"""
    columns = np.asarray(_alike(np.asarray(made.shown.swapaxes(0, 1))).swapaxes(0, 1))
    if isinstance(made.operation, Activate):
        columns = columns & made.shown.any(axis=0, keepdims=True)
    return columns


def _alike(shown: Array) -> Flags:
    """Finds the rows that are like another one, unless they are single numbers. [n, m] -> [n, 1]"""
    if shown.ndim == 2 and shown.shape[1] > 1:  # noqa: PLR2004
        _, which, counts = np.unique(shown, axis=0, return_inverse=True, return_counts=True)
        return np.asarray(counts[which].reshape(-1, 1) > 1)
    broken = np.zeros((shown.shape[0], 1, *shown.shape[2:]), dtype=np.bool_)
    for apart in range(1, shown.shape[0]) if shown.shape[1] > 1 else ():
        same = along(np.logical_and, shown[apart:] == shown[:-apart])
        broken[apart:] |= same
        broken[:-apart] |= same
    return broken


_SPARSE = (Activate, DivideByRow, Dropout, KeptShare)
"""Operations that make zeros for good reason: activations, masked weights, dropout."""


def trivial(made: CandidateQuantity) -> Flags | None:
    """Finds sums of two or more products of which fewer than two aren't 0. -> [n, m]

    Where an activation, a mask or dropout made the factors 0, that isn't the numbers' fault.
    """
    factors = factors_of(made)
    few = factors is None or factors[0].shape[1] < 2  # noqa: PLR2004
    if factors is None or few or is_a(made.operands.left, *_SPARSE):
        return None
    if factors[0].all() and factors[1].all():
        return None
    x, W = ((factor != 0).astype(np.float64) for factor in factors)
    return np.asarray(product(x, W) < 2)  # noqa: PLR2004


def large(made: CandidateQuantity) -> Flags | None:
    """Finds numbers of 10,000 and more. -> [n, m]"""
    if made.operation is None or made.operation.copies:
        return None
    return np.asarray(made.values >= _LARGE) | ((made.values <= -_LARGE) & (made.values > -np.inf))


def _small(made: CandidateQuantity) -> Flags | None:
    """Finds results of more than two digits before the decimal point, and what is made of rows
    that come into a norm with more than one. -> [n, m] or [n, 1]"""
    if made.operation is None or made.operation.copies:
        return None
    if is_a(made.operation, RowMean, MeanOfSquares):
        return along(np.logical_or, np.abs(made.operands.values[0]) >= _ONE_DIGIT)
    values = made.values
    return np.asarray(values >= _TWO_DIGITS) | ((values <= -_TWO_DIGITS) & (values > -np.inf))


def sparse(made: CandidateQuantity) -> Flags | None:
    """Finds rows with fewer than two numbers that aren't 0: as factors they make trivial products.
    -> [n, 1]"""
    if made.values.shape[1] < 2 or is_a(made.operation, *_SPARSE):  # noqa: PLR2004
        return None
    return np.asarray(along(np.add, (made.values != 0).astype(np.float64)) < 2)  # noqa: PLR2004


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "method": _method,
        "exponentials": _exponentials,
        "large": large,
        "zeros": zeros,
        "repeats": repeats,
        "trivial": trivial,
        "conditions": conditions,
        "ties": _ties,
        "extreme": _extreme,
        "uniform": uniform,
        "winners": _winners,
        "sums": _sums,
        "edges": edges,
    }
)
"""The rules that are about one quantity, in the order in which the cheap ones come first."""
NEW_CHECKS: Mapping[str, Check] = MappingProxyType({"small": _small, **CHECKS})
"""These, and the one that new scenarios alone have to keep."""

ASKED_ONLY = frozenset({"edges"})
"""Rules for what is asked; the others hold for what that is made of, too."""


GIVEN_CHECKS: Mapping[str, Callable[[Array], Flags]] = MappingProxyType(
    {"singular": singular, "unvaried": unvaried}
)
"""The rules that are about a matrix whose numbers are drawn, not made. [n, m] -> [1, 1]"""

OF_ONE_KIND = frozenset(
    {"extreme", "uniform", "winners", "exponentials", "method", "conditions", *GIVEN_CHECKS}
)
"""Rules that forms may break in as many places as the scenario's own numbers do."""


def factors_of(made: CandidateQuantity) -> tuple[Array, Array] | None:
    """Returns the factors [n, k] and [k, m] of a product of matrices; None for anything else."""
    if not isinstance(made.operation, ProductOfMatrices):
        return None
    x, W = made.operands.values[:2]
    return (
        x if made.operation.left == "ik" else np.asarray(x.swapaxes(0, 1)),
        W if made.operation.right == "kj" else np.asarray(W.swapaxes(0, 1)),
    )


def product(x: Array, W: Array) -> Array:
    """Multiplies two matrices, or many at once. [n, k], [k, m] -> [n, m]

    Raises ValueError where they don't fit.
    """
    if x.shape[1] != W.shape[0]:
        raise ValueError(f"{x.shape[1]} columns by {W.shape[0]} rows")
    if x.ndim == W.ndim == 2:  # noqa: PLR2004
        return np.asarray(x @ W)
    total = x[:, 0, np.newaxis] * W[np.newaxis, 0]
    for k in range(1, x.shape[1]):
        total += x[:, k, np.newaxis] * W[np.newaxis, k]
    return np.asarray(total)


def check_names(names: Collection[str]) -> list[Problem]:
    """Returns what is wrong with the names of rules, if anything."""
    return [
        Problem.of(f"--allow {name}", "no such rule", nearest(name, RULES))
        for name in names
        if name not in RULES
    ]
