"""The next token: which are left to choose from, their shares, and a draft verified.

A draft: Leviathan et al. 2022, arXiv:2211.17192.
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
    Number,
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
from attncli.maths.numbers.rounding import Array, Error, Unworkable, largest
from attncli.maths.operations.equation import Indexed, equation
from attncli.maths.operations.list_of_equations import ListOfEquations, number_of
from attncli.maths.operations.losses import refuse_zeros
from attncli.maths.operations.operation import (
    ByFirstForm,
    Operation,
    Working,
    ZeroOne,
    most_of,
    most_places,
)
from attncli.names import Word

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        refuse_zeros(operands[0].values <= 0, "the probability of a token")


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
