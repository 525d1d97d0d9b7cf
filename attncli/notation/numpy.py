"""An equation as a line of NumPy: `weights = exp / exp_sum`, `Q = X @ W_Q + b_Q`.

Every array has two axes, a column [n, 1] and a row [1, m] too, so that NumPy's broadcasting says
what the indices of an equation say. `math` is wanted beside `np`, for erf.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from keyword import iskeyword
from types import MappingProxyType
from typing import Any

from attncli.arithmetic import decimals
from attncli.arithmetic import expression as ex
from attncli.arithmetic.equations.indices import free
from attncli.arithmetic.equations.matrices import Along, along
from attncli.arithmetic.equations.shapes import Shapes, operands_in, parsed
from attncli.arithmetic.expression import Expression
from attncli.arithmetic.operations.indexed import Indexed
from attncli.records import NamedTuple, dataclass


def numpy_line(equation: Indexed, name: str, *operands: str) -> str:
    """The line that makes `name` of its operands by their names, those of quantities in Python's
    spelling: `heads_1_Q`. Raises TypeError for what takes an array of three axes."""
    names = [identifier(operand) for operand in operands]
    if len({*names}) < len({*operands}):
        raise ValueError(f"{', '.join(operands)} are not told apart by the names of Python")
    return f"{identifier(name)} = {_Line(parsed(equation.shapes), names).whole(equation.tree)}"


def identifier(name: str) -> str:
    """A name that Python takes for a variable of its own."""
    plain = re.sub(r"\W+", "_", name).strip("_")
    is_taken = iskeyword(plain) or plain in {"np", "math"}
    return f"_{plain}" if is_taken or not plain.isidentifier() else plain


class Code(NamedTuple):
    """Python's code for a part, and how tightly that binds."""

    text: str
    binds: int = 5

    def held(self, least: int) -> str:
        """The code, in parentheses where it binds less tightly than `least`."""
        return self.text if self.binds >= least else f"({self.text})"


_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(1, 6)


@dataclass(frozen=True)
class _Line:
    """The code of the parts of an equation. `at` has the indices that go down the rows and along
    the columns of a part's array; of one axis where the part hasn't the index."""

    shapes: Shapes
    names: Sequence[str]

    def whole(self, tree: Expression) -> str:
        """The code of the result, as large as it is where the tree says one number for many."""
        indices = iter(self.shapes.indices)
        row, column = ("" if side == "1" else next(indices) for side in self.shapes.result)
        text = self.of(tree, (row, column)).text
        return text if free(tree) == {*self.shapes.indices} else self._repeated(text)

    def _repeated(self, text: str) -> str:
        like = [k for k, sides in enumerate(self.shapes.operands) if sides == self.shapes.result]
        if not like:
            raise TypeError("no operand is as large as the result")
        return f"np.broadcast_to({text}, {self.names[like[0]]}.shape)"

    def of(self, node: Expression, at: Along) -> Code:
        write = _WRITE.get(type(node))
        if write is None:
            raise TypeError(f"{type(node).__name__} is not written in NumPy")
        return write(self, node, at)

    def operand(self, node: ex.Operand, at: Along) -> Code:
        row, column = along(node, self.shapes)
        name = self.names[node.place]
        if row in {at[0], ""} and column in {at[1], ""}:
            return Code(name)
        if column in {at[0], ""} and row in {at[1], ""}:
            return Code(f"{name}.T")
        raise TypeError(f"{name} has not the axes that it takes here")

    def length(self, node: ex.Length, _: Along) -> Code:
        return Code(f"{self.names[node.place]}.shape[{node.axis}]")

    def number(self, node: ex.Number, _: Along) -> Code:
        return Code(decimals.text(node.full), _SIGN if node.full.is_signed() else _ATOM)

    def symbol(self, node: ex.Symbol, _: Along) -> Code:
        if node not in _CONSTANTS:
            raise TypeError(f"{node.name} is a name, not a number")
        return Code(_CONSTANTS[node])

    def added(self, node: ex.Sum, at: Along) -> Code:
        first, *others = node.terms
        text = self.of(first, at).held(_SUM)
        for term in others:
            sign, part = ("-", term.operand) if isinstance(term, ex.Negative) else ("+", term)
            text += f" {sign} {self.of(part, at).held(_PRODUCT)}"
        return Code(text, _SUM)

    def product(self, node: ex.Product, at: Along) -> Code:
        first, *others = (self.of(factor, at) for factor in node.factors)
        held = [first.held(_PRODUCT), *(factor.held(_SIGN) for factor in others)]
        return Code(" * ".join(held), _PRODUCT)

    def quotient(self, node: ex.Quotient, at: Along) -> Code:
        dividend, divisor = self.of(node.dividend, at), self.of(node.divisor, at)
        return Code(f"{dividend.held(_PRODUCT)} / {divisor.held(_SIGN)}", _PRODUCT)

    def negative(self, node: ex.Negative, at: Along) -> Code:
        return Code(f"-{self.of(node.operand, at).held(_SIGN)}", _SIGN)

    def power(self, node: ex.Power, at: Along) -> Code:
        exponent = self.of(node.exponent, at)
        if node.base == ex.E:
            return Code(f"np.exp({exponent.text})")
        return Code(f"{self.of(node.base, at).held(_ATOM)} ** {exponent.held(_ATOM)}", _POWER)

    def root(self, node: ex.Root, at: Along) -> Code:
        return Code(f"np.sqrt({self.of(node.operand, at).text})")

    def applied(self, node: ex.Apply, at: Along) -> Code:
        if node.function not in _FUNCTIONS:
            raise TypeError(f"{node.function} is not a function of NumPy")
        arguments = ", ".join(self.of(argument, at).text for argument in node.arguments)
        return Code(_FUNCTIONS[node.function].format(arguments))

    # -- sums over indices -----------------------------------------------------------------------

    def total(self, node: ex.Total, at: Along) -> Code:
        """`A @ B` for sums of products; else the numbers of an array added up along an axis."""
        match node.over:
            case k if len(k) == 1:
                return self._product_of_matrices(node, at) or self._sum_along(node.operand, k, at)
            case over if free(node.operand) == set(over):
                return self._sum_of_all(node.operand, (over[0], over[1:]))
            case over:
                inner = ex.Total(over[-1], node.operand)
                return self.total(ex.Total(over[:-1], inner), at)

    def _product_of_matrices(self, node: ex.Total, at: Along) -> Code | None:
        factors = node.operand.factors if isinstance(node.operand, ex.Product) else ()
        (row, column), k = at, node.over
        left = [x for x in factors if column not in free(x)] if _any(factors, column) else []
        left = left or [x for x in factors if row in free(x)]
        right = [x for x in factors if x not in left]
        if not (_any(left, k) and _any(right, k)) or _any(right, row) or _any(left, column):
            return None
        a, b = self._factors(left, (row, k)), self._factors(right, (k, column))
        return Code(f"{a.held(_SIGN)} @ {b.held(_SIGN)}", _PRODUCT)

    def _factors(self, factors: Sequence[Expression], at: Along) -> Code:
        return self.of(factors[0] if len(factors) == 1 else ex.Product(tuple(factors)), at)

    def _sum_along(self, node: Expression, k: str, at: Along) -> Code:
        row, column = at
        others = free(node) - {k}
        if not others:
            is_column = any(along(one, self.shapes)[0] == k for one in operands_in(node))
            return self._sum_of_all(node, (k, "") if is_column else ("", k))
        if others <= {row}:
            return Code(f"{self.of(node, (row, k)).held(_ATOM)}.sum(axis=1, keepdims=True)")
        if others <= {column}:
            return Code(f"{self.of(node, (k, column)).held(_ATOM)}.sum(axis=0, keepdims=True)")
        raise TypeError("a sum of what has three indices is not written in NumPy")

    def _sum_of_all(self, node: Expression, at: Along) -> Code:
        return Code(f"{self.of(node, at).held(_ATOM)}.sum(keepdims=True)")


def _any(factors: Sequence[Expression], index: str) -> bool:
    return any(index in free(factor) for factor in factors)


_CONSTANTS: Mapping[ex.Symbol, str] = MappingProxyType({ex.E: "np.e", ex.PI: "np.pi"})

_FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {
        "max": "np.maximum({})",
        "min": "np.minimum({})",
        "tanh": "np.tanh({})",
        "ln": "np.log({})",
        "sin": "np.sin({})",
        "cos": "np.cos({})",
        "erf": "np.vectorize(math.erf)({})",
        "step": "np.heaviside({}, 0)",
    }
)

_WRITE: Mapping[type, Callable[[_Line, Any, Along], Code]] = MappingProxyType(
    {
        ex.Operand: _Line.operand,
        ex.Length: _Line.length,
        ex.Number: _Line.number,
        ex.Symbol: _Line.symbol,
        ex.Sum: _Line.added,
        ex.Product: _Line.product,
        ex.Quotient: _Line.quotient,
        ex.Negative: _Line.negative,
        ex.Power: _Line.power,
        ex.Root: _Line.root,
        ex.Apply: _Line.applied,
        ex.Total: _Line.total,
    }
)
