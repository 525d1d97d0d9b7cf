"""The operations of recurrent cells: sums over input and memory, gates, gradients through time.

Elman 1990; Hochreiter & Schmidhuber 1997; Cho et al. 2014 (arXiv:1406.1078); Bengio et al. 1994;
Pascanu et al. 2013 (arXiv:1211.5063). Vectors are columns [h, 1], biases rows [1, h].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    Equation,
    Expression,
    Operand,
    Sum,
    Symbol,
    at,
    define,
    each,
)
from attncli.maths.equations.working import Filled, filled, sum_of
from attncli.maths.numbers.rounding import AnyArray
from attncli.maths.operations.equation import Indexed, equation, read_equation
from attncli.maths.operations.operation import Working, ZeroOne
from attncli.maths.operations.rearranging import Moved
from attncli.names import Word


@dataclass(frozen=True)
class OfMemory(Indexed):
    """An equation with a memory for an operand."""

    empty: int | None = None
    """The place of a memory that may be empty: where it is nothing but zeros, its terms are left
    out of the working."""

    @property
    def is_told_by_its_tree(self) -> bool:
        return True  # what is left out is 0

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        if self._is_empty(operands):
            return self._without({"i": i, "j": j, "": 0}, operands)
        return super().first_form(i, j, *operands)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        expressions = super().cell(i, j, *operands)
        return expressions[:1] if self.is_nothing(*operands) else expressions

    def is_nothing(self, *operands: Matrix) -> bool:
        """Tells whether nothing but an empty memory goes in."""
        return self._is_empty(operands) and not self._has_others

    def _is_empty(self, operands: Sequence[Matrix]) -> bool:
        return self.empty is not None and not operands[self.empty].values.any()

    @cached_property
    def _has_others(self) -> bool:
        """Tells whether anything is left without the memory; if not, its products are shown after
        all."""
        return isinstance(self.tree, Sum)

    @cached_property
    def _without(self) -> Filled:
        terms = self.tree.terms if isinstance(self.tree, Sum) else ()
        kept = [term for term in terms if all(x.place != self.empty for x in each(term, Operand))]
        return filled(sum_of(kept) if kept else self.tree, self.sides)


class AddUp(OfMemory):
    """A sum in one: W x + U a + … + columns + biases. [h, d], [d, 1], …, [h, 1], …, [1, h], … ->
    [h, 1]

    So many `products` of a matrix and a column come first, then so many columns, then so many
    biases. `in_out` has matrices that are kept in × out, `empty` is the place of a memory that may
    be empty.
    """

    def __init__(
        self,
        products: int,
        columns: int,
        biases: int,
        in_out: bool = False,
        empty: int | None = None,
    ) -> None:
        sides: dict[str, str] = {}
        terms: list[str] = []
        shown: list[str] = []
        for index, k in zip(range(1, products + 1), "kmo", strict=False):  # each has its own index
            sides |= {
                f"W{index}": f"d{index} h" if in_out else f"h d{index}",
                f"x{index}": f"d{index} 1",
            }
            weight = f"W{index}[{k}, i]" if in_out else f"W{index}[i, {k}]"
            terms.append(f"sum({weight} * x{index}[{k}] for {k} in d{index})")
            shown.append(f"W{index}.T @ x{index}" if in_out else f"W{index} @ x{index}")
        rest = {f"z{k}": "h 1" for k in range(columns)} | {f"b{k}": "1 h" for k in range(biases)}
        terms += [f"{name}[i]" for name in rest]
        text = " + ".join([*shown, *rest])
        super().__init__(*read_equation(" + ".join(terms), sides | rest, shown=text), empty=empty)


def _product_with_memory(of: str, biases: Sequence[str], in_out: bool) -> str:
    """Writes the text of U a + its biases, where `of` is an entry of a."""
    weight = "U[m, i]" if in_out else "U[i, m]"
    return " + ".join([f"sum({weight} * {of} for m in h)", *(f"{name}[i]" for name in biases)])


class GatedProduct(Indexed):
    """A memory that is let through behind the product with its weights: gate ⊙ (U a + biases). [h,
    h], [h, 1], [h, 1], [1, h], … -> [h, 1]"""

    def __init__(self, biases: int, in_out: bool = False) -> None:
        inside = [f"c{k}" for k in range(biases)]
        sides = {"U": "h h", "a": "h 1", "gate": "h 1"} | dict.fromkeys(inside, "1 h")
        product = _product_with_memory("a[m]", inside, in_out)
        super().__init__(*read_equation(f"gate[i] * ({product})", sides))


class SumWithGate(Indexed):
    """A sum with a gate in it: W x + U (gate ⊙ a) + biases, or W x + gate ⊙ (U a + biases of that)
    + biases, where the gate comes `after` the product. [h, d], [d, 1], [h, h], [h, 1], [h, 1], [1,
    h], … -> [h, 1]

    `in_out` has matrices that are kept in × out.
    """

    def __init__(self, after: bool, of_memory: int, biases: int, in_out: bool = False) -> None:
        inside, own = ([f"{b}{k}" for k in range(n)] for b, n in (("c", of_memory), ("b", biases)))
        product = _product_with_memory("a[m]" if after else "(gate[m] * a[m])", inside, in_out)
        weight = "W[k, i]" if in_out else "W[i, k]"
        terms = [f"sum({weight} * x[k] for k in d)", f"gate[i] * ({product})" if after else product]
        sides = {"W": "d h" if in_out else "h d", "x": "d 1", "U": "h h", "a": "h 1", "gate": "h 1"}
        sides |= dict.fromkeys((*inside, *own), "1 h")
        super().__init__(*read_equation(" + ".join([*terms, *(f"{b}[i]" for b in own)]), sides))


class Gated(OfMemory):
    """A memory's new state, what it takes over and what it keeps: update ⊙ candidate + forget ⊙
    before. [h, 1], [h, 1], [h, 1], [h, 1] -> [h, 1]"""

    def __init__(self, empty: int | None = None) -> None:
        gated = "update[i] * candidate[i] + forget[i] * before[i]"
        sides = dict.fromkeys(("update", "candidate", "forget", "before"), "h 1")
        super().__init__(*read_equation(gated, sides), empty=empty)


class GatedBlend(OfMemory):
    """A memory's new state by one gate: update ⊙ candidate + (1 − update) ⊙ before. [h, 1], [h, 1],
    [h, 1] -> [h, 1]

    It is the other way round where an update gate of 1 `keeps` what was before, as PyTorch has it.
    """

    def __init__(self, keeps: bool = False, empty: int | None = None) -> None:
        new, old = ("(1 - u[i])", "u[i]") if keeps else ("u[i]", "(1 - u[i])")
        blended = f"{new} * candidate[i] + {old} * before[i]"
        sides = dict.fromkeys(("u", "candidate", "before"), "h 1")
        super().__init__(*read_equation(blended, sides), empty=empty)


class _Empty(Indexed):
    layout = "rows"
    copies = True
    takes_only_sizes = True


Zeros = equation("0", _Empty, W="h k", result="h 1")
"""A column of zeros, as long as a matrix of weights is high: a memory that is empty."""
ZeroRow = equation("0", _Empty, x="n c", result="1 c")
"""A row of zeros, as wide as what it is put beside."""
GatedColumn = equation("gate[i] * x[i]", gate="h 1", x="h 1")
"""A column that a gate lets through, number by number."""


@dataclass(frozen=True)
class RowAsColumn(Moved):
    """A row of a matrix, from 0, as a column, as it is written; `key` looks it up.
    [n, d] -> [d, 1]"""

    row_number: int = 0
    key: str = ""

    shapes = "n d -> d 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], Word(self.key)) if self.key else Symbol(operands[0]))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return arrays[0][self.row_number, np.newaxis].swapaxes(0, 1)


class OnlyRow(RowAsColumn):
    """A vector, which is kept as the only row of a matrix, as a column. [1, d] -> [d, 1]"""

    shapes = "1 d -> d 1"


class _Slope(ZeroOne, Indexed):
    """A slope of ones and zeros."""


ReluSlope = equation("1 if z[i] > 0 else 0", _Slope, shown="z[i] > 0", z="h 1")
"""1 where z is above 0, else 0."""
TanhSlope = equation("1 - a[i] ** 2", a="h 1")
"""The slope of tanh where it comes to a."""
FrobeniusNorm = equation("sqrt(sum(W[i, j] ** 2 for i in h for j in k))", W="h k")
"""√ of the sum of all squares: how large a matrix is."""


class TimesDiagonal(Indexed):
    """The factor of a gradient at one step back: Wᵀ diag(slope). [h, h], [h, 1] -> [h, h]

    `in_out` has a W that is kept in × out.
    """

    def __init__(self, in_out: bool = False) -> None:
        weight, sides = ("W[i, j]", "h k") if in_out else ("W[j, i]", "k h")
        super().__init__(*read_equation(f"{weight} * slope[j]", {"W": sides, "slope": "k 1"}))
