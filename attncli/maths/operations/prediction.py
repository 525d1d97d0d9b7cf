"""Losses: how far numbers are from what they should be; and the next token.

Cross-entropy of a distribution of targets, and label smoothing: Szegedy et al. 2016,
arXiv:1512.00567, 7; means over all numbers or rows as those of PyTorch's losses. Several equations
as one, for the way back: with −ln p of a target behind a softmax, the gradient is p − y (Bridle
1990, doi:10.1007/978-3-642-76153-9_28).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from attncli.maths.equations.bounds import EPSILON
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Expression,
    Negative,
    Number,
    Product,
    Quotient,
    Sum,
    Symbol,
    Total,
    Vector,
    at,
    constant,
    define,
    minus,
)
from attncli.maths.equations.working import sum_of
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array, Error, Unworkable, largest, no_logarithm
from attncli.maths.operations.equation import Indexed, ListOfEquations, equation, number_of
from attncli.maths.operations.operation import (
    ByFirstForm,
    Operation,
    WholeNumbers,
    Working,
    ZeroOne,
    cells_of_row,
    most_of,
    most_places,
)
from attncli.names import Word

if TYPE_CHECKING:
    from numpy.typing import NDArray


_ALL = "for i in n for j in m"

SquaredError = equation("(x[i, j] - y[i, j]) ** 2", x="n m", y="n m")
MeanOfAll = equation(f"sum(x[i, j] {_ALL}) / (n * m)", x="n m")
MeanOfRows = equation(f"sum(x[i, j] {_ALL}) / n", x="n m")
SumOfEntries = equation(f"sum(x[i, j] {_ALL})", x="n m")
HalfOfSum = equation(f"sum(x[i, j] {_ALL}) / 2", x="n m")
_SQUARES = f"sum((x[i, j] - y[i, j]) ** 2 {_ALL})"
MeanSquaredError = equation(f"{_SQUARES} / (n * m)", x="n m", y="n m")
"""All of it in one, whose gradient is 2 (x − y) / nm."""
MeanSquaredErrorOfRows = equation(f"{_SQUARES} / n", x="n m", y="n m")
SumOfSquaredErrors = equation(_SQUARES, x="n m", y="n m")
HalfSumOfSquaredErrors = equation(f"{_SQUARES} / 2", x="n m", y="n m")
"""All of it in one, whose gradient is x − y."""


class _OfItself(Indexed):
    takes_only_sizes = True


LossTimes = equation("factor", _OfItself, loss="1 1", result="1 1")
"""How a loss that is by a factor too large changes with the right one."""
Smooth = equation("(1 - epsilon) * y[i, j] + epsilon / v", y="n v")
"""A part of each target is spread over all v classes alike."""


class _OfOthers(Indexed):
    def refuse(self, *operands: Matrix) -> None:
        if operands[0].shape[1] == 1:
            raise Unworkable(0, "there are no other classes", "more than one class")


SmoothOthers = equation(
    "(1 - epsilon) * y[i, j] + (1 - y[i, j]) * epsilon / (v - 1)", _OfOthers, y="n v"
)
"""With nothing of ε for the target itself, which people take for it."""


@dataclass(frozen=True)
class OneHot(WholeNumbers):
    """A table with 1 in the column of each row's target, and 0 elsewhere; of the probabilities it
    takes only how many there are. [n, v] -> [n, v]"""

    targets: tuple[int, ...]

    shapes = "n v -> n v"
    takes_only_sizes = True

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, Symbol("one_hot", ("targets",)))

    def values(self, *operands: Matrix) -> Array:
        table = np.zeros(operands[0].shape)
        if len(self.targets) != len(table):
            raise ValueError(f"{len(self.targets)} targets for {len(table)} rows")
        table[np.arange(len(table)), list(self.targets)] = 1.0
        return table

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (constant(int(j == self.targets[i])),)


class _CrossEntropies(Indexed):
    """Cross-entropies without the products whose factor is 0."""

    def refuse(self, *operands: Matrix) -> None:
        p, y = (operand.values for operand in operands)
        _refuse_zeros((p <= 0) & (y != 0), "the probability of a target")
        rows = [_is_off_one(row) for row in operands[1].written or ()]
        if any(rows):
            what = "the targets of this row don't add up to 1"
            raise Unworkable(rows.index(True), what, "probabilities, or `loss: mse`,")


def _is_off_one(row: Sequence[Decimal]) -> bool:
    """Tells whether written numbers can't be shares that add up to 1, each rounded to its
    decimals."""
    rounded = [places for places in map(decimals.places, row) if places]
    halves = (decimals.counted(5, places + 1) for places in rounded)
    off = abs(decimals.difference(decimals.total(row), Decimal(1)))
    return off > decimals.total([Decimal(0), *halves])


class _BinaryCrossEntropies(Indexed):
    """Binary cross-entropies without the products whose factor is 0."""

    def refuse(self, *operands: Matrix) -> None:
        p, y = (operand.values for operand in operands)
        _refuse_zeros((p <= 0) & (y != 0), "the probability of what is so")
        _refuse_zeros((p >= 1) & (y != 1), "the probability of what isn't so")


CrossEntropies = equation(
    "-sum(y[i, j] * ln(p[i, j]) if y[i, j] else 0 for j in v)",
    _CrossEntropies,
    shown="-sum(y[i, j] * ln(p[i, j]) for j in v)",
    p="n v",
    y="n v",
)
"""How far the probabilities of each row are from a distribution y."""
BinaryCrossEntropies = equation(
    "-((y[i, j] * ln(p[i, j]) if y[i, j] else 0)"
    " + ((1 - y[i, j]) * ln(1 - p[i, j]) if 1 - y[i, j] else 0))",
    _BinaryCrossEntropies,
    shown="-(y[i, j] * ln(p[i, j]) + (1 - y[i, j]) * ln(1 - p[i, j]))",
    p="n m",
    y="n m",
)


def smooth(loss: Indexed) -> Indexed:
    """Returns a cross-entropy with all its products, which can be differentiated."""
    assert loss.shown is not None
    return Indexed(loss.shapes, loss.shown)


def _refuse_zeros(wrong: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], whose: str) -> None:
    if wrong.any():
        raise no_logarithm(int(wrong.any(axis=1).argmax()), whose)


class BinaryLossOfLogits(Operation):
    """The binary cross-entropy of a sigmoid straight from its logits: ln(1 + e^z) − y z. [n, m],
    [n, m], [n, m] -> [n, m]

    The probabilities are an operand, too, for the working.
    """

    shapes = "n m, n m, n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply("loss", tuple(Symbol(o) for o in operands)))

    def values(self, *operands: Matrix) -> Array:
        logits, _, y = (operand.values for operand in operands)
        return np.asarray(np.logaddexp(0.0, logits) - y * logits)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return BinaryCrossEntropies().cell(i, j, *operands[1:])

    slope: ClassVar = equation(
        "G[i, j] * (p[i, j] - y[i, j])", z="n m", p="n m", y="n m", loss="n m", G="n m"
    )
    """The gradient of a logit."""


# -- a softmax and the loss of its targets -----------------------------------------------------


Targets = tuple[int | None, ...]
"""The column of each row's target; None for a row that doesn't count."""


class _LossOfRows(Operation):
    """The cross-entropy of each row that counts, straight from the logits. -> [m, 1]

    The probabilities are an operand, too, for the working.
    """

    @property
    @abstractmethod
    def rows(self) -> list[int]:
        """Lists the rows that count, from 0."""

    @abstractmethod
    def shares(self, *operands: Matrix) -> Matrix:
        """Returns what the probabilities of these rows should be, y. [m, v]"""

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply("loss", tuple(Symbol(o) for o in operands)))

    def less_logits(self, operand: Matrix) -> Array:
        """Computes ln Σ e^z of each row that counts, minus each of its logits. -> [m, v]"""
        logits = operand.values[self.rows]
        most = logits.max(axis=1, keepdims=True)
        return np.asarray(np.log(np.exp(logits - most).sum(axis=1, keepdims=True)) + most - logits)


@dataclass(frozen=True)
class LossOfLogits(_LossOfRows):
    """The loss −ln p of a target. [n, v], [n, v] -> [m, 1]"""

    targets: Targets

    shapes = "n v, n v -> m 1"

    @property
    def rows(self) -> list[int]:
        return [row for row, target in enumerate(self.targets) if target is not None]

    @property
    def columns(self) -> list[int]:
        """Lists the columns of the targets of the rows that count."""
        return [target for target in self.targets if target is not None]

    def shares(self, *operands: Matrix) -> Matrix:
        y = np.zeros((len(self.columns), operands[0].shape[1]))
        y[np.arange(len(y)), self.columns] = 1
        return Matrix(y, 0, 0)

    def values(self, *operands: Matrix) -> Array:
        return self.less_logits(operands[0])[np.arange(len(self.rows)), self.columns, np.newaxis]

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (Negative(Apply("ln", (operands[1].number(self.rows[i], self.columns[i]),))),)


@dataclass(frozen=True)
class DistributionLoss(_LossOfRows):
    """The loss −Σ y ln p of a distribution of targets, the last operand. [n, v], [n, v], [m, v] ->
    [m, 1]"""

    counts: tuple[bool, ...]
    """Whether each row counts."""

    shapes = "n v, n v, m v -> m 1"

    @property
    def rows(self) -> list[int]:
        return [row for row, counts in enumerate(self.counts) if counts]

    def shares(self, *operands: Matrix) -> Matrix:
        return operands[2]

    def values(self, *operands: Matrix) -> Array:
        terms = operands[2].values * self.less_logits(operands[0])
        return np.asarray(terms.sum(axis=1, keepdims=True))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        p, y = operands[1].row(self.rows[i]).entries, operands[2].row(i).entries
        logs = (Apply("ln", (e,)) for e in p)
        return (Negative(Sum(tuple(map(Product, zip(y, logs, strict=True))))),)


@dataclass(frozen=True)
class TargetDifference(Operation):
    """The gradient (p − y) G of the logits: each probability minus what it should be, times the
    gradient of the row's loss; 0 in a row that doesn't count. -> [n, v]

    It takes the operands of the loss, the loss [m, 1], and its gradient [m, 1].
    """

    of: LossOfLogits | DistributionLoss
    exchanged: bool = False
    """Whether p and y are exchanged, which is a mistake."""

    def signature(self) -> str:
        return f"{self.of.shapes.partition(' -> ')[0]}, m 1, m 1 -> n v"

    def formula(self, name: str, *operands: str) -> Equation:
        _, p, *y, _, gradient = operands
        difference = self._minus(at(p, "i", "j"), at(y[0] if y else "y", "i", "j"))
        return define(at(name, "i", "j"), Product((at(gradient, "i"), difference)))

    def values(self, *operands: Matrix) -> Array:
        p, y, gradient = (m.values for m in self._of_difference(operands))
        slopes = np.zeros(p.shape)
        slopes[self.of.rows] = (p[self.of.rows] - y) * (-gradient if self.exchanged else gradient)
        return slopes

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        if i not in self.of.rows:
            return (constant(0),)
        row, (p, y, gradient) = self.of.rows.index(i), self._of_difference(operands)
        return (Product((gradient.number(row, 0), self._minus(p.number(i, j), y.number(row, j)))),)

    def _minus(self, p: Expression, y: Expression) -> Expression:
        return minus(y, p) if self.exchanged else minus(p, y)

    def _of_difference(self, operands: Sequence[Matrix]) -> tuple[Matrix, Matrix, Matrix]:
        return operands[1], self.of.shares(*operands), operands[-1]

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[1].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        p, y, gradient = self._of_difference(operands)
        if p.places is None or y.places is None or gradient.places is None:
            return None
        return max(p.places, y.places) + gradient.places

    def error(self, *operands: Matrix) -> Error:
        # where p is near y, their difference is off by the last digit of either
        p, y, gradient = (largest(m.values) for m in self._of_difference(operands))
        return Error(4 * EPSILON * gradient * (p + y))


# --------------------------------------------------------------------------------------------------
# The next token: which are left to choose from, their shares, and how well targets are told.


class _Kept(ZeroOne):
    """A table with 1 for the numbers of each row that are kept, the largest ones, and 0 elsewhere.
    [n, v] -> [n, v]"""

    shapes = "n v -> n v"

    def values(self, *operands: Matrix) -> Array:
        kept = np.zeros(operands[0].shape)
        order = _from_largest(operands[0].values)
        for i, count in enumerate(self.counts(operands[0], order)):
            kept[i, order[i, :count]] = 1.0
        return kept

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        whole = operands[0]
        row = Matrix(whole.values[i : i + 1], whole.places, whole.decimals)
        return (constant(int(self.values(row)[0, j])),)

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """Writes the condition for keeping a number: what comes before it, from the largest on, is
        less than what is to be kept."""
        row = operands[0].row(i)
        before = Apply(self.measure, (row.entries[j], row, Vector(row.entries[:j])))
        return Apply("where", (Apply("less", (before, self.enough)), constant(1), constant(0)))

    measure: ClassVar[str]
    """The name of what is measured of the numbers before one; equal ones are in their order."""

    @property
    @abstractmethod
    def enough(self) -> Number:
        """Returns the value of that measure from which on nothing more is kept."""

    @abstractmethod
    def counts(self, numbers: Matrix, order: NDArray[np.intp]) -> list[int]:
        """Counts the numbers of each row that are kept; `order` has their places from the largest
        on."""


def _from_largest(values: Array) -> NDArray[np.intp]:
    """Sorts the places of each row by their numbers, the largest first; of equal ones, the first
    comes first."""
    return np.argsort(-values, axis=1, kind="stable")


@dataclass(frozen=True)
class TopK(_Kept):
    """A table with 1 for the k largest numbers of each row; of equal ones, for the first. [n, v] ->
    [n, v]"""

    k: int

    measure = "count_before"

    @property
    def enough(self) -> Number:
        return constant(self.k)

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Symbol("largest", (f"{self.k} of {operands[0]}",)))

    def counts(self, numbers: Matrix, order: NDArray[np.intp]) -> list[int]:
        return [min(self.k, order.shape[1])] * len(numbers.values)


@dataclass(frozen=True)
class GroupScore(ByFirstForm):
    """The sum of the k largest numbers of each group of columns, of each row.
    [n, groups · b] -> [n, groups]"""

    groups: int
    k: int = 1

    def signature(self) -> str:
        return f"n {self.groups}*b -> n {self.groups}"

    def formula(self, name: str, *operands: str) -> Equation:
        largest = Symbol("largest", (f"{self.k} of {operands[0]} in group g",))
        return define(at(name, "i", "g"), Apply("sum", (largest,)) if self.k > 1 else largest)

    def values(self, *operands: Matrix) -> Array:
        in_groups = operands[0].values.reshape(len(operands[0].values), self.groups, -1)
        return np.asarray(np.sort(in_groups, axis=2)[:, :, -self.k :].sum(axis=2))

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        width = operands[0].shape[1] // self.groups
        group = [operands[0].number(i, j * width + k) for k in range(width)]
        if self.k == 1:
            return Apply("max", tuple(group)) if width > 1 else group[0]
        return sum_of(sorted(group, key=lambda number: -number.full)[: self.k])

    def places(self, *operands: Matrix) -> int | None:
        return most_places(*operands)


@dataclass(frozen=True)
class Nucleus(_Kept):
    """A table with 1 for the fewest of the largest probabilities that come to p together, of equal
    ones for the first (Holtzman et al. 2019, arXiv:1904.09751). [n, v] -> [n, v]"""

    p: Number

    measure = "sum_before"

    @property
    def enough(self) -> Number:
        return self.p

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Symbol("largest", (f"{operands[0]}, {self.p.shown:f} together",)))

    def counts(self, numbers: Matrix, order: NDArray[np.intp]) -> list[int]:
        ordered = np.take_along_axis(numbers.values, order, axis=1)
        if numbers.places is None:
            short = self._leave_too_much(ordered)
        else:  # in whole units of the last place: no float decides whether p is reached
            sums = np.cumsum(np.rint(ordered * 10.0**numbers.places), axis=1)
            units = decimals.product(self.p.full, Decimal((0, (1,), numbers.places)))
            short = sums[:, :-1] < float(units.to_integral_value(ROUND_CEILING))
        return [1 + int(count) for count in short.sum(axis=1)]

    def _leave_too_much(self, ordered: Array) -> NDArray[np.bool_]:
        """Tells whether the first, the first two, … of each row [n, v] leave more than 1 − p to the
        others. -> [n, v − 1]

        The rest is added up from its own small numbers, which floats would lose beside 1.
        """
        left = np.cumsum(ordered[:, :0:-1], axis=1)[:, ::-1]
        rest = float(decimals.difference(Decimal(1), self.p.full))
        return np.asarray(left > rest * (1 + (ordered.shape[1] + 2) * EPSILON))


class _KeptShares(Indexed):
    def refuse(self, *operands: Matrix) -> None:
        if not operands[2].values.all():
            row = int((operands[2].values == 0).any(axis=1).argmax())
            raise Unworkable(row, "a sum to divide by is 0", "other numbers")


class NewTokens(ZeroOne):
    """A table with 0 for each token of the vocabulary that occurs up to a row's own place, and 1
    elsewhere. [n, v] -> [n, v]

    There may be rows for all of the text's tokens, or for the last ones.
    """

    shapes = "n v -> n v"
    takes_only_sizes = True

    def __init__(self, tokens: tuple[int, ...]) -> None:
        self.tokens = tokens

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        occurs = Word("token j occurs up to row i")
        return define(at(name, "i", "j"), Apply("where", (occurs, constant(0), constant(1))))

    def values(self, *operands: Matrix) -> Array:
        table = np.ones(operands[0].shape)
        for i, row in enumerate(table):
            row[list(self.tokens[: max(0, len(self.tokens) - len(table) + i + 1)])] = 0.0
        return table

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (constant(int(self.values(*operands)[i, j])),)


Penalized = equation(
    "x[i, j] if new[i, j] else (x[i, j] / penalty if x[i, j] > 0 else x[i, j] * penalty)",
    shown="x[i, j] if new[i, j] else"
    " (x[i, j] / penalty if positive(x[i, j]) else x[i, j] * penalty)",
    x="n v",
    new="n v",
)
"""The logits of tokens that occurred already, each less likely than it was (Keskar et al. 2019,
arXiv:1909.05858)."""
DividedByPenalty = equation("x[i, j] if new[i, j] else x[i, j] / penalty", x="n v", new="n v")
"""What people take for it, which makes negative ones more likely."""


class _Flags(Indexed, ZeroOne):
    """An equation of ones and zeros."""


AtLeast = equation(
    "0 if threshold[i] - p[i, j] > 0 else 1",
    _Flags,
    shown="at_least(p[i, j], threshold[i])",
    p="n v",
    threshold="n 1",
)
"""1 for those of each row that reach its threshold."""
AtLeastOfKept = equation(
    "0 if threshold[i] - p[i, j] > 0 else kept[i, j]",
    _Flags,
    shown="at_least(p[i, j], threshold[i]) * kept[i, j]",
    p="n v",
    threshold="n 1",
    kept="n v",
)
"""The same of those that others have kept."""


class _Logarithms(Indexed):
    def refuse(self, *operands: Matrix) -> None:
        _refuse_zeros(operands[0].values <= 0, "the probability of a token")


LogProbability = equation("ln(p[i, j])", _Logarithms, p="n v")
ScoreSoFar = equation("so_far + log_p[i, j]", log_p="n v")
"""The log-probability of all tokens that a beam is continued by, the last of which is any."""


def _order(numbers: Array, *, ranked: bool) -> NDArray[np.intp]:
    """Returns the places of each row from the largest number on if `ranked`, and otherwise as they
    stand."""
    rows, columns = numbers.shape
    return _from_largest(numbers) if ranked else np.tile(np.arange(columns), (rows, 1))


@dataclass(frozen=True)
class Cumulative(Operation):
    """The sum of each probability and all that come before it, in the order of the vocabulary, or
    `ranked` from the most likely on. [n, v] -> [n, v]"""

    ranked: bool = False

    shapes = "n v -> n v"

    def formula(self, name: str, *operands: str) -> Equation:
        p = operands[0]
        ranked, standing = f"{p}[i, k] is at least {p}[i, j]", "k is at most j"
        before = Word(ranked if self.ranked else standing)
        added = Apply("where", (before, at(p, "i", "k"), constant(0)))
        return define(at(name, "i", "j"), Total("k", added))

    def values(self, *operands: Matrix) -> Array:
        p = operands[0].values
        order, sums = _order(p, ranked=self.ranked), np.empty(p.shape)
        added = np.cumsum(np.take_along_axis(p, order, axis=1), axis=1)
        np.put_along_axis(sums, order, added, axis=1)
        return sums

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        row = operands[0].row(i).entries
        order = _order(operands[0].values[i : i + 1], ranked=self.ranked)[0].tolist()
        return (sum_of([row[k] for k in order[: order.index(j) + 1]]),)

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        if not self.ranked:
            return self.first_form(i, j, *operands)
        row = operands[0].row(i)
        before = Apply("sum_before", (row.entries[j], row, Vector(row.entries[:j])))
        return Sum((before, row.entries[j]))

    def places(self, *operands: Matrix) -> int | None:
        return operands[0].places

    def error(self, *operands: Matrix) -> Error:
        return Error(operands[0].shape[1] ** 2 * EPSILON * largest(operands[0].values))


@dataclass(frozen=True)
class DrawnToken(ZeroOne):
    """A table with 1 for the token that a number `u` between 0 and 1 draws: the first whose
    cumulative probability exceeds it. [n, v], [n, v] -> [n, v]

    The operands are the probabilities and their cumulative sums.
    """

    u: Number
    ranked: bool = False

    shapes = "n v, n v -> n v"

    def formula(self, name: str, *operands: str) -> Equation:
        first = Word(f"j is the first with {operands[1]}[i, j] above {self.u.shown:f}")
        return define(at(name, "i", "j"), Apply("where", (first, constant(1), constant(0))))

    def values(self, *operands: Matrix) -> Array:
        p, sums = (operand.values for operand in operands)
        order, table = _order(p, ranked=self.ranked), np.zeros(p.shape)
        above = np.take_along_axis(sums, order, axis=1) > float(self.u.full)
        if not above.any(axis=1).all():
            row = int((~above.any(axis=1)).argmax())
            what = f"the probabilities add up to {sums[row].max():g}, not above {self.u.shown:f}"
            raise Unworkable(row, what, "a smaller number to draw by")
        rows = np.arange(len(p))
        table[rows, order[rows, above.argmax(axis=1)]] = 1.0
        return table

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        rows = (Matrix(m.values[i : i + 1], m.places, m.decimals) for m in operands)
        return (constant(int(self.values(*rows)[0, j])),)

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        p, total = (operand.number(i, j) for operand in operands)
        early = Apply("less", (self.u, minus(total, p)))
        drawn = Apply("where", (early, constant(0), constant(1)))
        return Apply("where", (Apply("less", (self.u, total)), drawn, constant(0)))


# -- a draft, verified (Leviathan et al. 2022, arXiv:2211.17192) ---------------------------------


@dataclass(frozen=True)
class Acceptance(ListOfEquations):
    """The probability of accepting each drafted token, min(1, p / q). [n, v], [m, v] -> [m, 1]"""

    tokens: tuple[int, ...]
    """The columns of the drafted tokens."""
    turned: bool = False
    """Whether it is q / p, which is a mistake."""

    shapes = "n v, m v -> m 1"

    def formula(self, name: str, *operands: str) -> Equation:
        p, q = (at(operand, "i", "token") for operand in operands)
        return define(at(name, "i"), self._share(p, q))

    @property
    def trees(self) -> Sequence[Expression]:
        drafted = enumerate(self.tokens)
        return [self._share(number_of(0, i, j), number_of(1, i, j)) for i, j in drafted]

    def _share(self, p: Expression, q: Expression) -> Expression:
        ratio = Quotient(q, p) if self.turned else Quotient(p, q)
        return Apply("min", (constant(1), ratio))

    def values(self, *operands: Matrix) -> Array:
        below = operands[0 if self.turned else 1].values
        drafted = below[np.arange(len(self.tokens)), list(self.tokens)]
        if (drafted <= 0).any():
            what = "a drafted token has the probability 0"
            raise Unworkable(int((drafted <= 0).argmax()), what, "another token, or more decimals")
        return super().values(*operands)


@dataclass(frozen=True)
class AcceptedDraft(ZeroOne):
    """A list with 1 for each drafted token whose number is below its acceptance, as those of all
    before it are. [m, 1] -> [m, 1]"""

    r: tuple[Number, ...]

    shapes = "m 1 -> m 1"

    def formula(self, name: str, *operands: str) -> Equation:
        below = Word(f"r is below {operands[0]} up to row i")
        return define(at(name, "i"), Apply("where", (below, constant(1), constant(0))))

    def values(self, *operands: Matrix) -> Array:
        r = np.array([[float(number.full)] for number in self.r])
        return np.cumprod(r < operands[0].values, axis=0).astype(float)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (constant(int(self.values(*operands)[i, j])),)

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        found: Expression = constant(1)
        for k in range(i, -1, -1):
            below = Apply("less", (self.r[k], operands[0].number(k, j)))
            found = Apply("where", (below, found, constant(0)))
        return found


@dataclass(frozen=True)
class Excess(ByFirstForm):
    """The excess max(0, p − q) in the row of the first token that isn't accepted; p itself in the
    row after all of them. [m, 1], [n, v], [m, v] -> [1, v]"""

    whole: bool = False
    """Whether it is p in any case, which is a mistake."""

    shapes = "m 1, n v, m v -> 1 v"

    def formula(self, name: str, *operands: str) -> Equation:
        p, q = (at(operand, "first not accepted", "j") for operand in operands[1:])
        excess = p if self.whole else Apply("max", (constant(0), minus(p, q)))
        return define(at(name, "j"), excess)

    def values(self, *operands: Matrix) -> Array:
        row, p, q = (
            self._first_not_accepted(*operands),
            *(operand.values for operand in operands[1:]),
        )
        return p[[row]] if self._is_p(row, q) else np.maximum(p[[row]] - q[[row]], 0)

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:  # noqa: ARG002
        row, (_, p, q) = self._first_not_accepted(*operands), operands
        if self._is_p(row, q.values):
            return p.number(row, j)
        return Apply("max", (constant(0), minus(p.number(row, j), q.number(row, j))))

    def _first_not_accepted(self, *operands: Matrix) -> int:
        return int(operands[0].values.sum())

    def _is_p(self, row: int, q: Array) -> bool:
        return self.whole or row == len(q)

    def places(self, *operands: Matrix) -> int | None:
        return most_of([operand.places for operand in operands[1:]])

    def error(self, *operands: Matrix) -> Error:
        return Error(2 * EPSILON * sum(largest(operand.values) for operand in operands[1:]))


KeptSum = equation(
    "sum(x[i, j] if kept[i, j] else 0 for j in v)",
    shown="sum(x[i, j] * kept[i, j] for j in v)",
    x="n v",
    kept="n v",
)
"""The sum of those of each row that are kept."""
KeptShare = equation(
    "x[i, j] / total[i] if kept[i, j] else 0",
    _KeptShares,
    shown="x[i, j] * kept[i, j] / total[i]",
    x="n v",
    kept="n v",
    total="n 1",
)


@dataclass(frozen=True)
class NegativeLog(ListOfEquations):
    """The loss −ln p of the target of each row, given by its column: the cross-entropy of one
    prediction. [n, v] -> [n, 1]"""

    targets: tuple[int, ...]

    shapes = "n v -> n 1"

    def formula(self, name: str, *operands: str) -> Equation:
        log = Apply("ln", (at(operands[0], "i", "target"),))
        return define(at(name, "i"), Negative(log))

    @property
    def trees(self) -> Sequence[Expression]:
        chosen = (number_of(0, i, target) for i, target in enumerate(self.targets))
        return [Negative(Apply("ln", (number,))) for number in chosen]

    def values(self, *operands: Matrix) -> Array:
        probabilities = operands[0].values
        if len(self.targets) != len(probabilities):
            raise ValueError(f"{len(self.targets)} targets for {len(probabilities)} rows")
        chosen = probabilities[np.arange(len(probabilities)), list(self.targets)]
        if (chosen <= 0).any():
            raise no_logarithm(int((chosen <= 0).argmax()), "the probability of its target")
        return super().values(*operands)
