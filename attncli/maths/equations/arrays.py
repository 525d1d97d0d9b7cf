"""The values of an equation, as arrays at NumPy's speed.

Some are written otherwise here than on a page, so that floats lose no digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.maths.equations import deciding
from attncli.maths.equations import tree as ex
from attncli.maths.equations.signatures import Signature
from attncli.maths.equations.tree import Apply, Expression, e_to, operands_in, rewritten
from attncli.maths.numbers.rounding import Array

Work = Callable[[Sequence[Array]], Array]
"""What makes an array of an equation's operands."""


class IndexedArray(NamedTuple):
    """A function that makes an array with an axis for each of its indices."""

    indices: str
    work: Work
    is_new: bool = True
    """Whether nobody else has the array, so that results may be written over it."""

    def along(self, wanted: str) -> Work:
        """Returns the function that makes the array with its axes in the order of `wanted`, and an
        axis of one for each index that it doesn't have."""
        if wanted == self.indices:
            return self.work
        turned, work = turning(self.indices, wanted), self.work
        return lambda operands: turned(work(operands))


def turning(indices: str, wanted: str) -> Callable[[Array], Array]:
    """Makes a function that puts the axes of an array in the order of `wanted`, with an axis of one
    for each index that is missing; an axis of candidates stays the last."""
    if wanted == indices:
        return np.asarray
    order = [indices.index(index) for index in wanted if index in indices]
    at = tuple(slice(None) if index in indices else np.newaxis for index in wanted)

    def turned(array: Array) -> Array:
        return np.asarray(array.transpose(*order, *range(len(order), array.ndim))[at])

    return turned


def together(function: Callable[..., Array], *parts: IndexedArray) -> IndexedArray:
    """Applies a function to arrays, cell by cell.

    The result is written over the first of them that nobody else has and that is as large, since
    memory that was just written is quicker than new memory.
    """
    indices = "".join(sorted(set("".join(part.indices for part in parts))))
    works = [part.along(indices) for part in parts]
    free = next((k for k, x in enumerate(parts) if x.is_new and x.indices == indices), None)

    def work(operands: Sequence[Array]) -> Array:
        arrays = [f(operands) for f in works]
        if free is None:
            return np.asarray(function(*arrays))
        place = arrays[free]
        # all are as long along an index; candidates may be many or, of what is fixed, one
        if all(array.shape[-1:] <= place.shape[-1:] for array in arrays):
            return np.asarray(function(*arrays, out=place))
        return np.asarray(function(*arrays))

    return IndexedArray(indices, work)


def summed(part: IndexedArray, over: str) -> IndexedArray:
    """Sums an array over some of its indices."""
    axes = tuple(part.indices.index(index) for index in over)
    left = "".join(index for index in part.indices if index not in over)
    return IndexedArray(left, lambda operands: np.asarray(part.work(operands).sum(axis=axes)))


def reduced(function: str, part: IndexedArray, over: str) -> IndexedArray:
    """Takes the largest, the smallest or the product of an array over some of its indices."""
    of, axes = _REDUCTIONS[function], tuple(part.indices.index(index) for index in over)
    left = "".join(index for index in part.indices if index not in over)
    return IndexedArray(left, lambda operands: np.asarray(of(part.work(operands), axis=axes)))


def contracted(a: IndexedArray, b: IndexedArray, over: str) -> IndexedArray:
    """Sums the products of two arrays over some indices."""
    left = "".join(sorted(set(a.indices + b.indices) - set(over)))
    multiplied = _multiplied(a.indices, b.indices, over, left)
    x_stacked, y_stacked = (turning(array.indices, over + left) for array in (a, b))

    def work(operands: Sequence[Array]) -> Array:
        x = a.work(operands)
        y = x if b is a else b.work(operands)
        if x.ndim > len(a.indices):
            return _stacked(x_stacked(x), y_stacked(y), len(over))
        return multiplied(x, y)

    return IndexedArray(left, work)


def _multiplied(a: str, b: str, over: str, left: str) -> Callable[[Array, Array], Array]:
    """Picks the quickest way for NumPy to sum products: a product of matrices, or else `einsum`."""
    rows, columns = (indices.replace(over, "") for indices in (a, b))
    if columns < rows:
        swapped = _multiplied(b, a, over, left)
        return lambda x, y: swapped(y, x)
    if len(over) == 1 and rows + columns == left and max(len(rows), len(columns)) <= 1:
        x_turned, y_turned = turning(a, rows + over), turning(b, over + columns)
        return lambda x, y: np.asarray(x_turned(x) @ y_turned(y))
    spelled = f"{a},{b}->{left}"
    return lambda x, y: np.asarray(np.einsum(spelled, x, y))


def _stacked(x: Array, y: Array, depth: int) -> Array:
    """Sums the products of two arrays of many candidates over their first `depth` axes, one product
    after the other, since the axis of candidates is the long one."""
    counts = np.broadcast_shapes(x.shape[:depth], y.shape[:depth])
    x, y = (np.broadcast_to(array, (*counts, *array.shape[depth:])) for array in (x, y))
    places = list(np.ndindex(*counts))
    total = x[places[0]] * y[places[0]]
    for place in places[1:]:
        total += x[place] * y[place]
    return np.asarray(total)


Function = Callable[..., Array]
_REDUCTIONS: Mapping[str, Function] = MappingProxyType(
    {"max": np.max, "min": np.min, "prod": np.prod}
)


@lru_cache(maxsize=256)
def program(tree: Expression, shapes: Signature) -> Work:
    """Compiles an equation to a function of operands of two axes each, with the result [n, m]; or
    [n, m, b] for those of b candidates.

    The function raises ValueError where the operands' shapes don't fit.
    """
    made = laid(tree, shapes)
    work = made.along(shapes.indices)
    sides = tuple(_ALONE if side == "1" else _WHOLE for side in shapes.result)
    rows, columns = shapes.result
    is_matrix = _ALONE not in sides

    @lru_cache(maxsize=64)
    def shape_of(*operands: tuple[int, ...]) -> tuple[int, int]:
        extents = shapes.extents(operands)
        return extents[rows], extents[columns]

    def result(operands: Sequence[Array]) -> Array:
        shape = shape_of(*[operand.shape for operand in operands])
        array = work(operands)
        if not is_matrix:
            array = array[sides]
        if operands and array.ndim < operands[0].ndim:  # what is the same for all candidates
            array = array[..., np.newaxis]
        if made.is_new and array.shape[:2] == shape:
            return array
        return np.array(np.broadcast_to(array, (*shape, *array.shape[2:])))

    return result


@lru_cache(maxsize=1024)
def laid(part: Expression, shapes: Signature) -> IndexedArray:
    """Compiles an equation, or a part of one, to a function that makes its array."""
    return Arrays(_Leaves(shapes).of).of(part)


class _Leaves(NamedTuple):
    """The leaves of an equation as arrays."""

    shapes: Signature

    def of(self, node: Expression) -> IndexedArray | None:
        match node:
            case ex.Operand():
                return self.operand(node)
            case ex.Length(place, axis):
                count: Work = lambda operands: np.array(float(operands[place].shape[axis]))  # noqa: E731
                return IndexedArray("", count, is_new=False)
            case ex.Number() | ex.Symbol():
                value = np.array(float(deciding.full(node)))
                return IndexedArray("", lambda _: value, is_new=False)
        return None

    def operand(self, node: ex.Operand) -> IndexedArray:
        place, sides = node.place, self.shapes.operands[node.place]
        if "1" not in sides:
            return IndexedArray("".join(node.indices), itemgetter(place), is_new=False)
        kept = tuple(0 if side == "1" else _WHOLE for side in sides)
        return IndexedArray(
            "".join(node.indices), lambda operands: operands[place][kept], is_new=False
        )


def raised(base: Array, exponent: Array | float, out: Array | None = None) -> Array:
    """Raises numbers to a power; cubes, as GELU has them, by products, in a twentieth of the
    time."""
    if np.ndim(exponent) or exponent != _CUBE:
        return np.asarray(np.power(base, exponent, out=out))
    return np.asarray(np.multiply(base * base, base, out=out))


_CUBE = 3.0


class Arrays(ex.Fold[IndexedArray]):
    """A compiler of the parts of an equation to arrays; `leaf` gives those that have no parts of
    their own."""

    def __init__(self, leaf: Callable[[Expression], IndexedArray | None]) -> None:
        self.leaf = leaf

    def of(self, node: Expression) -> IndexedArray:
        return self.leaf(node) or super().of(node)

    def of_sum(self, node: ex.Sum) -> IndexedArray:
        if len(node.terms) > _LONG_SUM:  # which would nest as deep as it is long
            half = len(node.terms) // 2
            halves = (ex.Sum(terms) for terms in (node.terms[:half], node.terms[half:]))
            return together(np.add, *map(self.of, halves))
        total = self.of(node.terms[0])
        for term in node.terms[1:]:
            if isinstance(term, ex.Negative):
                total = together(np.subtract, total, self.of(term.operand))
            else:
                total = together(np.add, total, self.of(term))
        return total

    def of_product(self, node: ex.Product) -> IndexedArray:
        made = self.of(node.factors[0])
        for factor in node.factors[1:]:
            made = together(np.multiply, made, self.of(factor))
        return made

    def of_total(self, node: ex.Total) -> IndexedArray:
        match node.operand:
            case ex.Product((*factors, last)) if _goes_over(last, node.over):
                first = factors[0] if len(factors) == 1 else ex.Product(tuple(factors))
                if _goes_over(first, node.over):
                    return contracted(self.of(first), self.of(last), node.over)
            case ex.Power(base, ex.TWO) if base != ex.E:
                x = self.of(base)
                return contracted(x, x, node.over)
        return summed(self.of(node.operand), node.over)

    def of_reduced(self, node: ex.Reduced) -> IndexedArray:
        return reduced(node.function, self.of(node.operand), node.over)

    def of_quotient(self, node: ex.Quotient) -> IndexedArray:
        return together(np.divide, self.of(node.dividend), self.of(node.divisor))

    def of_negative(self, node: ex.Negative) -> IndexedArray:
        return together(np.negative, self.of(node.operand))

    def of_power(self, node: ex.Power) -> IndexedArray:
        if node.base == ex.E:
            return together(np.exp, self.of(node.exponent))
        base = self.of(node.base)
        if node.exponent == ex.TWO:
            return together(np.square, base)
        return together(raised, base, self.of(node.exponent))

    def of_root(self, node: ex.Root) -> IndexedArray:
        return together(np.sqrt, self.of(node.operand))

    def of_apply(self, node: ex.Apply) -> IndexedArray:
        return together(FUNCTIONS[node.function], *map(self.of, node.arguments))


_WHOLE, _ALONE = slice(None), np.newaxis
_LONG_SUM = 16


def _goes_over(node: Expression, over: str) -> bool:
    """Tells whether a factor has all of the indices itself."""
    if isinstance(node, ex.Operand):  # as most are
        return all(index in node.indices for index in over)
    return set(over) <= {index for operand in operands_in(node) for index in operand.indices}


def _each(function: Callable[[float], float]) -> Function:
    """Makes a function of arrays from a function of one number that NumPy doesn't have; a call
    takes 60 ns a number instead of 5."""

    def of(x: Array, out: Array | None = None) -> Array:
        made = np.array([*map(function, np.ravel(x).tolist())]).reshape(np.shape(x))
        if out is None:
            return made
        out[...] = made
        return out

    return of


def _sigmoid(x: Array, out: Array | None = None) -> Array:
    """Computes 1 / (1 + e^−x), which is 0 where e^−x overflows."""
    with np.errstate(over="ignore"):
        small = np.exp(np.negative(x, out=out), out=out)
    return np.asarray(np.divide(1, np.add(1, small, out=out), out=out))


def _softplus(x: Array, out: Array | None = None) -> Array:
    """Computes ln(1 + e^x), which equals x + ln(1 + e^−x)."""
    return np.logaddexp(0.0, x, out=out)


def _step(x: Array, out: Array | None = None) -> Array:
    """Returns 1 above 0, and 0 elsewhere."""
    return np.greater(x, 0.0, out=np.empty_like(x) if out is None else out, casting="unsafe")


def _where(condition: Array, array: Array, other: Array, out: Array | None = None) -> Array:  # noqa: ARG001
    """Picks from one array where the condition isn't 0, and from the other elsewhere."""
    return np.where(condition != 0, array, other)


def _carried(x: Array, _: Array, out: Array | None = None) -> Array:
    """Returns numbers in full that may be rounded to so many decimals."""
    return np.positive(x, out=out)


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        "max": np.maximum,
        "min": np.minimum,
        "abs": np.abs,
        "tanh": np.tanh,
        "ln": np.log,
        "sin": np.sin,
        "cos": np.cos,
        "step": _step,
        "where": _where,
        "finite": np.isfinite,
        "erf": _each(math.erf),
        "erfc": _each(math.erfc),
        "expm1": np.expm1,
        "sigmoid": _sigmoid,
        "softplus": _softplus,
        "carried": _carried,
    }
)
"""The functions of equations, and those that `stable_form` puts in the place of sums."""


@lru_cache(maxsize=256)
def stable_form(tree: Expression) -> Expression:
    """Rewrites sums in which floats lose digits as functions that don't; the value is the same.

    1 + erf z is erfc(−z), 1 + tanh z is 2 sigmoid(2z), e^z − 1 is expm1 z, 1 − sigmoid z is
    sigmoid(−z); and ln(1 + e^z) and 1 / (1 + e^−z), the softplus and sigmoid of z, and e^z that
    only counts below 0, don't leave the range of floats.
    """
    return rewritten(tree, _rewritten)


def _rewritten(node: Expression) -> Expression | None:
    match node:
        case ex.Quotient(dividend, ex.Sum((ex.ONE, ex.Power(ex.E, ex.Negative(z))))):
            sigmoid = Apply("sigmoid", (stable_form(z),))
            return sigmoid if dividend == ex.ONE else ex.Product((stable_form(dividend), sigmoid))
        case Apply("ln", (ex.Sum((ex.ONE, ex.Power(ex.E, z))),)):
            return Apply("softplus", (stable_form(z),))
        case ex.Sum((ex.ONE, other)):
            return _one_and(other)
        case ex.Sum((ex.Power(ex.E, z), ex.Negative(ex.ONE))):
            return Apply("expm1", (stable_form(z),))
        case ex.Product(factors):
            return _below_steps(factors)
        case _:
            return None


def _one_and(other: Expression) -> Expression | None:
    """Rewrites 1 + erf z, 1 + tanh z and 1 − sigmoid z; returns None for other sums."""
    match other:
        case Apply("erf", (z,)):
            return Apply("erfc", (ex.Negative(stable_form(z)),))
        case Apply("tanh", (z,)):
            return ex.Product((ex.TWO, Apply("sigmoid", (ex.Product((ex.TWO, stable_form(z))),))))
        case ex.Negative(ex.Quotient() as logistic):
            match stable_form(logistic):
                case Apply("sigmoid", (z,)):
                    return Apply("sigmoid", (ex.Negative(z),))
    return None


def _below_steps(factors: Sequence[Expression]) -> Expression | None:
    """Rewrites e^z × (1 − step z), in which e^z counts only where z isn't above 0; returns None for
    other products."""
    for factor in factors:
        match factor:
            case ex.Sum((ex.ONE, ex.Negative(Apply("step", (z,))))) if e_to(z) in factors:
                low = e_to(Apply("min", (ex.ZERO, stable_form(z))))
                return ex.Product(tuple(low if x == e_to(z) else stable_form(x) for x in factors))
    return None
