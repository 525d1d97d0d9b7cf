"""An equation as a line of NumPy: `weights = exp / exp_sum`, `Q = X @ W_Q + b_Q`.

Every array has two axes, a column [n, 1] and a row [1, m] too, so that NumPy's broadcasting says
what the indices of an equation say. `math` is wanted beside `np`, for erf.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from types import MappingProxyType

from attncli.arithmetic import decimals
from attncli.arithmetic import expression as ex
from attncli.arithmetic.equations.indices import free
from attncli.arithmetic.expression import Apply, Expression, Symbol, rewritten
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.signature import Along, Signature, indices_of, operands_in
from attncli.notation.notation import ATOM, Notation


def numpy_line(equation: Indexed, name: str, *operands: str) -> str:
    """The line that makes `name` of its operands by their names, those of quantities in Python's
    spelling: `heads_1_Q`. Raises TypeError for what takes an array of three axes, and ValueError
    for names that Python would not tell apart."""
    names = [identifier(operand) for operand in operands]
    if len({*names}) < len({*operands}):
        raise ValueError(f"{', '.join(operands)} are not told apart by the names of Python")
    made = _ArrayNotation(equation.sides, names).result(equation.tree)
    return f"{identifier(name)} = {_Numpy().write(made)}"


def identifier(name: str) -> str:
    """A name that Python takes for a variable of its own."""
    plain = re.sub(r"\W+", "_", name).strip("_")
    is_taken = iskeyword(plain) or plain in {"np", "math"}
    return f"_{plain}" if is_taken or not plain.isidentifier() else plain


# -- whole arrays in the place of cells ------------------------------------------------------------


@dataclass(frozen=True)
class _ArrayNotation:
    """The parts of an equation as expressions of whole arrays. `at` has the indices that go down
    the rows and along the columns of a part's array, which has one row or column for an index
    that the part hasn't."""

    shapes: Signature
    names: Sequence[str]

    def result(self, tree: Expression) -> Expression:
        """The result, as large as it is where the tree says one number for many."""
        made = self.of(tree, indices_of(self.shapes.result))
        if free(tree) == {*self.shapes.indices}:
            return made
        return Apply("repeat", (made, Symbol(self._shape)))

    @property
    def _shape(self) -> str:
        """The shape of the result, which is that of an operand or has sides of some."""
        result, operands = self.shapes.result, self.shapes.operands
        if result in operands:
            return f"{self.names[operands.index(result)]}.shape"
        known = {"1": "1"}
        for name, sides in zip(self.names, operands, strict=True):
            known |= {side: f"{name}.shape[{k}]" for k, side in enumerate(sides) if side != "1"}
        return f"({', '.join(known[side] for side in result)})"

    def of(self, tree: Expression, at: Along) -> Expression:
        def change(node: Expression) -> Expression | None:
            match node:
                case ex.Operand():
                    return self._operand(node, at)
                case ex.Length(place, axis):
                    return Symbol(f"{self.names[place]}.shape[{axis}]")
                case ex.Total(over, operand):
                    return self._total(over, operand, at)
                case ex.Power(ex.E, exponent):
                    return Apply("exp", (self.of(exponent, at),))
                case ex.Root(operand):
                    return Apply("sqrt", (self.of(operand, at),))
                case Symbol(name) if node not in _CONSTANTS:
                    raise TypeError(f"{name} is a name, not a number")
                case _:
                    return None

        return rewritten(tree, change)

    def _operand(self, node: ex.Operand, at: Along) -> Expression:
        row, column = self.shapes.along(node)
        array = Symbol(self.names[node.place])
        if row in {at[0], ""} and column in {at[1], ""}:
            return array
        if column in {at[0], ""} and row in {at[1], ""}:
            return ex.Transposed(array)
        raise TypeError(f"{array.name} has not the axes that it takes here")

    def _total(self, over: str, operand: Expression, at: Along) -> Expression:
        """`A @ B` for sums of products; else the numbers of an array added up along an axis."""
        if len(over) == 1:
            return self._matrix_product(over, operand, at) or self._sum_along(over, operand, at)
        if free(operand) == {*over}:
            return Apply("sum", (self.of(operand, (over[0], over[1:])),))
        return self._total(over[:-1], ex.Total(over[-1], operand), at)

    def _matrix_product(self, k: str, operand: Expression, at: Along) -> Expression | None:
        """The factors without the result's column times those with it, or where there is no such
        column, those with its row times the others."""
        factors = operand.factors if isinstance(operand, ex.Product) else ()
        row, column = at
        left = [x for x in factors if column not in free(x)] if _any(factors, column) else []
        left = left or [x for x in factors if row in free(x)]
        right = [x for x in factors if x not in left]
        if not (_any(left, k) and _any(right, k)) or _any(right, row) or _any(left, column):
            return None
        a, b = self.of(_times(left), (row, k)), self.of(_times(right), (k, column))
        return ex.MatrixProduct((a, b))

    def _sum_along(self, k: str, operand: Expression, at: Along) -> Expression:
        row, column = at
        others = free(operand) - {k}
        if not others:
            is_column = any(self.shapes.along(one)[0] == k for one in operands_in(operand))
            return Apply("sum", (self.of(operand, (k, "") if is_column else ("", k)),))
        if others <= {row}:
            return Apply("sum of rows", (self.of(operand, (row, k)),))
        if others <= {column}:
            return Apply("sum of columns", (self.of(operand, (k, column)),))
        raise TypeError("a sum of what has three indices is not written in NumPy")


def _any(factors: Sequence[Expression], index: str) -> bool:
    return any(index in free(factor) for factor in factors)


def _times(factors: Sequence[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else ex.Product(tuple(factors))


# -- Python's signs --------------------------------------------------------------------------------


class _Numpy(Notation):
    """Expressions of whole arrays as Python writes them."""

    called = "NumPy"
    times, matrices, transposed_mark = " * ", " @ ", ".T"
    word = str

    def number(self, node: ex.Number) -> str:
        return decimals.text(node.full) if node.full.is_finite() else "-np.inf"

    def symbol(self, node: Symbol) -> str:
        return _CONSTANTS.get(node, node.name)

    def power(self, node: ex.Power) -> str:
        return f"{self.held(node.base, ATOM)} ** {self.held(node.exponent, ATOM)}"

    def applied(self, node: Apply) -> str:
        if node.function in _SUMS:
            return f"{self.held(node.arguments[0], ATOM)}.sum({_SUMS[node.function]})"
        if node.function not in _FUNCTIONS:
            raise TypeError(f"{node.function} is not a function of NumPy")
        return _FUNCTIONS[node.function].format(self.listed(node.arguments))


_CONSTANTS: Mapping[Symbol, str] = MappingProxyType({ex.E: "np.e", ex.PI: "np.pi"})
_SUMS: Mapping[str, str] = MappingProxyType(
    {
        "sum": "keepdims=True",
        "sum of rows": "axis=1, keepdims=True",
        "sum of columns": "axis=0, keepdims=True",
    }
)
_FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {
        "repeat": "np.broadcast_to({})",
        "exp": "np.exp({})",
        "sqrt": "np.sqrt({})",
        "max": "np.maximum({})",
        "min": "np.minimum({})",
        "tanh": "np.tanh({})",
        "ln": "np.log({})",
        "sin": "np.sin({})",
        "cos": "np.cos({})",
        "erf": "np.vectorize(math.erf)({})",
        "step": "np.heaviside({}, 0)",
        "where": "np.where({})",
        "finite": "np.isfinite({})",
    }
)
