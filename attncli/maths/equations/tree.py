"""Expression trees: the arithmetic of a page before it is written in some notation."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from inspect import get_annotations
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Self, TypeVar, dataclass_transform

from attncli.names import Word


class Location(NamedTuple):
    """Where a number stands: a quantity by its full name, a row and a column from 0."""

    quantity: str
    row: int
    column: int

    @property
    def indices(self) -> tuple[int, int]:
        """Returns the row and the column."""
        return self.row, self.column


class GivenLocation(Location):
    """The place of a number that is given; it equals the same place of whatever kind."""

    __slots__ = ()


@dataclass_transform(frozen_default=True)
class Node(tuple[Any, ...]):
    """A node of an expression tree: a named tuple whose last value is the name of its class, so
    that a sum never equals a product."""

    def __init_subclass__(cls) -> None:
        fields = (*get_annotations(cls), "kind")
        usual = [vars(cls)[name] for name in fields if name in vars(cls)] + [cls.__name__]
        made = namedtuple(cls.__name__, fields, defaults=usual)  # type: ignore[misc]
        for name in (*made._fields, "__new__", "__getnewargs__", "__match_args__", "__repr__"):
            setattr(cls, name, getattr(made, name))

    def of(self, parts: Iterable[object]) -> Self:
        """Makes a node of the same kind with other parts."""
        return tuple.__new__(type(self), (*parts, self[-1]))

    @property
    def parts(self) -> tuple[Any, ...]:
        """Returns the values of the fields, without the name of the class."""
        return self[:-1]


INNER = Location("", 0, 0)
"""The place of a number that was made inside a line of working, such as one of its products."""


class Leaf(Node):
    """A node that has no expressions for its parts."""


class Number(Leaf):
    """A number of an expression."""

    full: Decimal
    """Its value in full."""
    shown: Decimal
    """The value that its printed digits have."""
    cell: Location | None = None
    """The cell whose number it is; INNER for what a line of working came to on its way, None for a
    constant of a formula."""
    form: Expression | None = None
    """What a number on the way was worked from."""

    @classmethod
    def written(cls, number: Decimal | int) -> Number:
        """Makes a number that is shown just as it is."""
        value = Decimal(number)
        return cls(value, value)

    @classmethod
    def inner(cls, number: Decimal, form: Expression | None = None) -> Number:
        """Makes a number that a line of working arrives at on its way, from `form`."""
        return cls(number, number, INNER, form)

    def is_same(self, other: object) -> bool:
        """Tells whether another number has the same value and the same digits, wherever it
        stands."""
        return isinstance(other, Number) and self.parts[:2] == other.parts[:2]


class Blank(Leaf):
    """A number to be filled in."""

    id: str
    answer: Number | None = None
    """What is right; None where it isn't told."""


class Symbol(Leaf):
    """A name: `W_Q`, or with indices, which may be words, one of its cells, `scores[love, AI]`."""

    name: str
    indices: tuple[str | Word, ...] = ()


class Operand(Leaf):
    """A cell of an equation's operand, by its place from 0: `0[i, k]`."""

    place: int
    indices: tuple[str, ...] = ()


class Length(Leaf):
    """How many cells an equation's operand has along an axis."""

    place: int
    axis: int


class Shapes(Leaf):
    """How many rows and columns matrices have that are multiplied: `(3 × 2)(2 × 4)`."""

    sizes: tuple[tuple[int, int], ...]


class Omitted(Leaf):
    """Terms or entries that are left out, `…`."""

    total: Number | None = None
    """The sum of the terms, from the digits that a page would show of them."""
    places: int = 0
    """The most decimals of a product among them."""


class Sum(Node):
    """Terms added up; one that begins with a minus is taken away: `2 × 3 − 1`."""

    terms: tuple[Expression, ...]


class Product(Node):
    """Factors multiplied: `0.5 × 0.885`."""

    factors: tuple[Expression, ...]


class MatrixProduct(Node):
    """A product of matrices, written side by side: `X W_Q`."""

    factors: tuple[Expression, ...]


class Dot(Node):
    """The dot product of two vectors, `[1, 1] · [1, 2]`."""

    left: Expression
    right: Expression


class Quotient(Node):
    """A quotient: `7.389 / 12.825`."""

    dividend: Expression
    divisor: Expression


class Negative(Node):
    """A number with the other sign, or a term that is subtracted: `−x`."""

    operand: Expression


class Power(Node):
    """A power: `e^2`, `x^3`."""

    base: Expression
    exponent: Expression


class Root(Node):
    """A square root, `√2`."""

    operand: Expression


class Transposed(Node):
    """A transposed matrix: `Kᵀ`."""

    operand: Expression


class Apply(Node):
    """A function by its name: `max(0, 1.2)`, `tanh(0.5)`."""

    function: str
    arguments: tuple[Expression, ...]


class Total(Node):
    """A sum over an index, in a formula: `Σ_k exp[i, k]`."""

    over: str
    operand: Expression
    met: Expression | None = None
    """What must hold for a term to count, in a formula: `Σ_{i: ids[i] = v} G[i]`."""


class Reduced(Node):
    """The largest, the smallest or the product of numbers along indices: `max_k X[i, k]`."""

    function: str
    """`max`, `min` or `prod`; in a formula also what isn't worked as one, such as `mean`."""
    over: str
    operand: Expression
    met: Expression | None = None
    """What must hold for a number to take part, in a formula."""


class Relation(Node):
    """Two numbers that are compared, in a formula: `j ≤ i`."""

    sign: str
    """One of < ≤ > ≥ = ≠."""
    left: Expression
    right: Expression


class Vector(Node):
    """A vector: `[1, 2]`."""

    entries: tuple[Expression, ...]


Expression = Node | Word

_LEAVES = (Leaf, Word)
_EXPRESSIONS = (Node, Word)
_Kind = TypeVar("_Kind", bound=Node)

E = Symbol("e")
PI = Symbol("π")
ZERO, ONE, TWO = map(Number.written, range(3))
NEUTRAL = MappingProxyType(
    {
        "max": Number.written(Decimal("-Infinity")),
        "min": Number.written(Decimal("Infinity")),
        "prod": ONE,
    }
)
"""What a number would be that a reduction leaves out."""


class Equation(NamedTuple):
    """A formula: a quantity in terms of those before it."""

    left: Expression
    right: Expression


_Result = TypeVar("_Result")


class Fold(Generic[_Result]):
    """A walk over an expression that works something out of it, by a rule for each kind of node.

    As in `ast.NodeVisitor`, a rule is a method that is named after the node: `of_sum` for a `Sum`,
    `of_matrix_product` for a `MatrixProduct`. It calls `of` for the parts that it needs.
    """

    gives = "value"
    """What is worked out, for the error of a node that has none."""

    def of(self, node: Expression) -> _Result:
        """Applies the rule of a node. Raises TypeError where its kind has none."""
        rule: Callable[[Any], _Result] | None = getattr(self, _RULES[type(node)], None)
        if rule is None:
            raise TypeError(f"{type(node).__name__} has no {self.gives}")
        return rule(node)


class _Rules(dict[type, str]):
    """The name of the rule for each kind of node: `of_matrix_product`."""

    def __missing__(self, kind: type) -> str:
        return self.setdefault(kind, re.sub("(?=[A-Z])", "_", f"of{kind.__name__}").lower())


_RULES = _Rules()


def e_to(exponent: Expression) -> Power:
    """Raises e to an exponent: `e^x`."""
    return Power(E, exponent)


def minus(left: Expression, right: Expression) -> Sum:
    """Subtracts one expression from another: `left − right`."""
    return Sum((left, Negative(right)))


def constant(number: int | str) -> Number:
    """Makes a constant of a formula: the 2 of x / 2, the 0.044715 of GELU."""
    return Number.written(Decimal(number))


def rounded(result: Expression, decimals: int | None = None) -> Apply:
    """Marks a result as rounded, to its page's decimals or to its own."""
    own = () if decimals is None else (constant(decimals),)
    return Apply("rounded", (result, *own))


def children(node: Expression) -> list[Expression]:
    """Lists the expressions that a node is made of, from left to right; of a leaf, none."""
    if isinstance(node, _LEAVES):
        return []
    several = (part if type(part) is tuple else (part,) for part in node.parts)
    return [part for parts in several for part in parts if isinstance(part, _EXPRESSIONS)]


def rewritten(node: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """Replaces parts of an expression, from the outside in.

    `change` returns what stands in the place of a part, or None where the part's own parts are to
    be looked at.
    """
    if (changed := change(node)) is not None or isinstance(node, _LEAVES):
        return node if changed is None else changed
    parts: list[object] = [
        tuple(rewritten(value, change) for value in part)
        if type(part) is tuple
        else part
        if not isinstance(part, _EXPRESSIONS)
        else rewritten(part, change)
        for part in node.parts
    ]
    return node.of(parts)


def without_rounding(node: Expression) -> Expression:
    """Returns what `rounded` was applied to, or the expression itself where it wasn't."""
    return node.arguments[0] if isinstance(node, Apply) and node.function == "rounded" else node


def with_each(
    node: Expression, kind: type[_Kind], change: Callable[[_Kind], Expression | None]
) -> Expression:
    """Replaces each node of a kind in an expression by what `change` makes of it; None leaves it to
    its parts."""
    return rewritten(node, lambda part: change(part) if isinstance(part, kind) else None)


def each(node: Expression, kind: type[_Kind]) -> Iterator[_Kind]:
    """Yields the nodes of a kind in an expression, outer ones before those inside them."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, kind):
            yield part
        waiting += children(part)[::-1]


def numbers_in(node: Expression) -> Iterator[Number]:
    """Yields the numbers of an expression, from left to right."""
    return (leaf for leaf in leaves(node) if isinstance(leaf, Number))


def blanks_in(node: Expression | Equation) -> Iterator[Blank]:
    """Yields the blanks of an expression, from left to right."""
    return (leaf for leaf in leaves(node) if isinstance(leaf, Blank))


def leaves(node: Expression | Equation) -> Iterator[Expression]:
    """Yields the leaves of an expression, from left to right: numbers, blanks, names, marks of
    omission."""
    waiting: list[object] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _LEAVES):
            yield part
        elif isinstance(part, tuple):  # a node, or several
            waiting += part[::-1]


def define(left: str | Expression, right: Expression) -> Equation:
    """Writes an equation: left = right."""
    return Equation(Symbol(left) if isinstance(left, str) else left, right)


def at(name: str, *indices: str | Word) -> Symbol:
    """Writes a cell of a named quantity: name[i, j]."""
    return Symbol(name, indices)


def operands_in(tree: Expression) -> Iterator[Operand]:
    """Yields the cells of operands that an equation contains."""
    return (leaf for leaf in leaves(tree) if isinstance(leaf, Operand))
