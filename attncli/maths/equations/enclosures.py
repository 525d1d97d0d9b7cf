"""The ends between which cells lie, given those of operands: interval arithmetic (Moore 1966)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.maths.equations import deciding
from attncli.maths.equations import tree as ex
from attncli.maths.equations.arrays import FUNCTIONS, raised
from attncli.maths.equations.signatures import Signature
from attncli.maths.equations.tree import Expression, operands_in
from attncli.maths.numbers.rounding import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Enclosure(NamedTuple):
    """The least and the greatest number that each cell of a matrix may be."""

    low: Array
    """The least ones: [n, m], or [n, m, b] for b candidates."""
    high: Array
    """The greatest ones, of the same shape."""

    @classmethod
    def of(cls, values: Array) -> Enclosure:
        """Encloses numbers that are known exactly."""
        return cls(values, values)

    @property
    def middle(self) -> Array:
        """Returns the number in the middle of each pair of ends."""
        if self.low is self.high:
            return self.low
        with np.errstate(invalid="ignore"):
            return np.where(self.low == self.high, self.low, (self.low + self.high) / 2)

    def with_(self, other: Enclosure) -> Enclosure:
        """Returns the smallest enclosure that holds both."""
        return Enclosure(np.minimum(self.low, other.low), np.maximum(self.high, other.high))

    def rows(self, some: slice) -> Enclosure:
        """Returns some rows of it."""
        low = self.low[some]
        return Enclosure(low, low if self.low is self.high else self.high[some])

    def where(self, condition: NDArray[np.bool_], other: Enclosure) -> Enclosure:
        """Picks its own cells where a condition holds, and those of the other elsewhere."""
        pairs = zip(self, other, strict=True)
        return Enclosure(*(np.where(condition, own, two) for own, two in pairs))

    def within(self, other: Enclosure) -> Enclosure:
        """Returns what lies in both, which overlap."""
        return Enclosure(np.maximum(self.low, other.low), np.minimum(self.high, other.high))


LeafOf = Callable[[Expression], Enclosure | None]
"""What is known of a number or an operand; None of what is a constant."""


class Roundoffs(NamedTuple):
    """The shares by which floats are rounded when they are worked with."""

    each: float
    """The share of its size by which the result of each operation is rounded."""
    inside: float
    """The share for what a sum or a function makes on its way, which is less where longer floats
    are used for that."""
    least: float = 0.0
    """The absolute amount by which any number but 0 is rounded, however small it is."""

    @property
    def function(self) -> float:
        """Returns the share by which the result of a library's function may be off."""
        return self.each + _FUNCTION * self.inside

    def by_size(self, values: Array) -> Array:
        """Bounds by how much each number is rounded."""
        return np.asarray(self.each * np.abs(values) + self.least * (values != 0))

    @np.errstate(invalid="ignore")
    def around(self, bounds: Enclosure, *off: Array | float) -> Enclosure:
        """Widens an enclosure by `off`, one amount for both ends or one for each; an end that isn't
        finite stays."""
        low, high = bounds
        return Enclosure(
            np.where(np.isfinite(low), low - off[0], low),
            np.where(np.isfinite(high), high + off[-1], high),
        )

    def by(self, bounds: Enclosure, share: float) -> Enclosure:
        """Widens an enclosure by a share of the size of its ends; rounding keeps the order of
        numbers, so that each end goes by its own size."""
        is_small = self.least and any(_has_less(end, self.least * _ALL) for end in bounds)
        if not share and not is_small:
            return bounds
        low, high = bounds
        less, more = math.nextafter(1 - share, 0.0), math.nextafter(1 + share, math.inf)
        made = Enclosure(
            np.minimum(low * less, low * more), np.maximum(high * less, high * more)
        )  # which is infinite where that is
        if not is_small:
            return made
        return Enclosure(made.low - self.least * (low != 0), made.high + self.least * (high != 0))


def _has_less(array: Array, size: float) -> bool:
    """Tells whether any number but 0 is smaller than `size`."""
    small = np.abs(array) < size
    return bool(small.any() and array[small].any())


_ALL = 2.0**54
"""Times a number is what doesn't change where it is added."""
_FUNCTION = 8
"""So many units of the last place are the functions of libraries off by."""
EXACT = Roundoffs(0.0, 0.0)


def size_of(bounds: Enclosure) -> Array:
    """Returns the largest absolute value that each number may have."""
    if bounds.low is bounds.high:
        return np.abs(bounds.low)
    return np.asarray(np.maximum(np.abs(bounds.low), np.abs(bounds.high)))


@np.errstate(all="ignore")
def enclosed(
    tree: Expression, shapes: Signature, operands: Sequence[Enclosure], rounded: Roundoffs = EXACT
) -> Enclosure:
    """Encloses the result of an equation, [n, m], or [n, m, b] for operands of b candidates; each
    number on the way is `rounded`.

    A large result is made some rows at a time: what is made on the way stays in the cache then,
    which takes half the time.
    """
    cut = _cut_by_rows(tree, shapes)
    whole = (x.low.size for x, is_cut in zip(operands, cut, strict=True) if not is_cut)
    is_large = any(x.low.size > _PART for x in operands) and max(whole, default=0) <= _PART
    if not is_large or any(x.low.ndim > 2 for x in operands):  # noqa: PLR2004  # of candidates
        return _enclosed(tree, shapes, operands, rounded)
    extents = shapes.extents([operand.low.shape for operand in operands])
    rows, columns = (extents[side] for side in shapes.result)
    made = Enclosure(np.empty((rows, columns)), np.empty((rows, columns)))
    for some in some_rows(rows, max(operand.low.shape[1] for operand in operands)):
        parts = [x.rows(some) if is_cut else x for x, is_cut in zip(operands, cut, strict=True)]
        made.low[some], made.high[some] = _enclosed(tree, shapes, parts, rounded)
    return made


_PART = 2**14
"""Numbers of which all that is made on the way stays in the cache."""


def some_rows(rows: int, columns: int) -> Iterator[slice]:
    """Yields slices of rows, so many at a time that they stay in the cache."""
    count = max(1, _PART // max(1, columns))
    return (slice(start, start + count) for start in range(0, rows, count))


@lru_cache(maxsize=1024)
def _cut_by_rows(tree: Expression, shapes: Signature) -> Sequence[bool]:
    """Tells for each operand whether a row of the result depends on the same row of it alone; for
    none, where a row depends on another row, or on how many rows there are."""
    rows = shapes.result[0]
    cut = [sides[0] == rows for sides in shapes.operands]
    others = [side for sides in shapes.operands for side in sides[1:]] + [shapes.result[1]]
    others += [sides[0] for sides, is_cut in zip(shapes.operands, cut, strict=True) if not is_cut]
    uses = {(o.place, shapes.along(o)) for o in operands_in(tree)}
    is_alone = (
        rows != "1"
        and not any(rows in side for side in others)
        and all((along[0] == "i") == cut[place] and along[1] != "i" for place, along in uses)
        and not any(cut[x.place] and x.axis == 0 for x in ex.each(tree, ex.Length))
    )
    return cut if is_alone else [False] * len(cut)


def _enclosed(
    tree: Expression, shapes: Signature, operands: Sequence[Enclosure], rounded: Roundoffs
) -> Enclosure:
    letters = "".join(sorted({x for o in operands_in(tree) for x in o.indices} | {"i", "j"}))

    def leaf(node: Expression) -> Enclosure | None:
        if isinstance(node, ex.Length):
            count = operands[node.place].low.shape[node.axis]
            return Enclosure.of(np.array(float(count)))
        if not isinstance(node, ex.Operand):
            return None
        sides = shapes.along(node)
        low, high = operands[node.place]
        if low is high:
            return Enclosure.of(_laid(low, sides, letters))
        return Enclosure(_laid(low, sides, letters), _laid(high, sides, letters))

    extents = shapes.extents([operand.low.shape for operand in operands])
    shape = tuple(extents[side] for side in shapes.result)
    made = _Enclosures(letters, leaf, rounded).of(tree)
    return Enclosure(*(_result(array, letters, shape) for array in made))


@np.errstate(all="ignore")
def enclosed_number(form: Expression, leaf: LeafOf, rounded: Roundoffs = EXACT) -> Enclosure:
    """Encloses the value of a form of a cell's working, whose numbers lie in the enclosures that
    `leaf` gives."""
    return _Enclosures("", leaf, rounded).of(form)


def _laid(array: Array, sides: tuple[str, str], letters: str) -> Array:
    """Gives a matrix an axis for each letter, of length one for those that it doesn't have, before
    the axis of candidates."""
    if sides[0] and sides[0] == sides[1]:  # a diagonal
        each = np.arange(array.shape[0])
        array, sides = array[each, each], (sides[0], "")
    else:
        array = array[tuple(slice(None) if side else 0 for side in sides)]
    known = [side for side in sides if side]
    order = sorted(range(len(known)), key=lambda k: letters.index(known[k]))
    at = tuple(slice(None) if letter in known else np.newaxis for letter in letters)
    return np.asarray(array.transpose(*order, *range(len(known), array.ndim))[at])


def _result(array: Array, letters: str, shape: tuple[int, ...]) -> Array:
    """Turns an array with an axis for each letter, of which only i and j are long, into a matrix of
    this shape."""
    kept = tuple(slice(None) if letter in "ij" else 0 for letter in letters)
    entry = array[kept] if array.ndim else array
    if entry.shape[:2] == shape:
        return entry.copy()
    return np.array(np.broadcast_to(entry, (*shape, *array.shape[len(letters) :])))


@dataclass(frozen=True)
class _Enclosures(ex.Fold[Enclosure]):
    """An evaluator of the parts of an equation to enclosures with an axis for each letter."""

    letters: str
    leaf: LeafOf
    rounded: Roundoffs

    gives = "value between numbers"

    def of(self, node: Expression) -> Enclosure:
        known = self.leaf(node)
        if known is not None:
            return known
        made = super().of(node)
        is_exact = not self.rounded.each or _is_small_whole(node)
        share = None if is_exact else _share(node, self.rounded)
        return made if share is None else self.rounded.by(made, share)

    def of_number(self, node: Expression) -> Enclosure:
        return Enclosure.of(np.array(float(deciding.full(node))))

    of_symbol = of_number

    def of_sum(self, node: ex.Sum) -> Enclosure:
        terms = [*map(self.of, node.terms)]
        total = terms[0]
        for bounds in terms[1:]:
            total = Enclosure(total.low + bounds.low, total.high + bounds.high)
        if self.rounded.each and len(terms) > 2:  # noqa: PLR2004  # in any order
            off = self.rounded.each + len(terms) * self.rounded.inside
            return self.rounded.around(total, off * sum(map(size_of, terms)))
        return total

    def of_product(self, node: ex.Product) -> Enclosure:
        made = self.of(node.factors[0])
        for factor in node.factors[1:]:
            made = times(made, self.of(factor))
        return made

    def of_total(self, node: ex.Total) -> Enclosure:
        axes = tuple(self.letters.index(letter) for letter in node.over)
        match node.operand:
            case ex.Product((a, b)):
                return self._sum_of_products(self.of(a), self.of(b), axes)
        return self._sum(self.of(node.operand), axes)

    def _sum(self, bounds: Enclosure, axes: tuple[int, ...]) -> Enclosure:
        total = Enclosure(*(np.asarray(x.sum(axis=axes, keepdims=True)) for x in bounds))
        if not self.rounded.each:
            return total
        sizes = size_of(bounds)  # what isn't finite makes the sum so, or is left out of it
        known = np.where(np.isfinite(sizes), sizes, 0.0).sum(axis=axes, keepdims=True)
        count = math.prod(bounds.low.shape[axis] for axis in axes)
        return self.rounded.around(total, count * self.rounded.inside * known)

    def _sum_of_products(self, a: Enclosure, b: Enclosure, axes: tuple[int, ...]) -> Enclosure:
        """Sums products by middles and radii (Rump 1999, BIT 39), which are products of matrices;
        where something isn't finite, each product by itself."""
        if not all(np.isfinite(x).all() for x in (*a, *b)):
            return self._sum(self.rounded.by(times(a, b), self.rounded.each), axes)
        (a_mid, a_rad), (b_mid, b_rad) = map(_middle_and_radius, (a, b))
        middle, radius = self._contracted(a_mid, b_mid, axes), np.array(0.0)
        if b_rad is not None:
            radius = self._contracted(np.abs(a_mid), b_rad, axes)
        if a_rad is not None:
            most = np.abs(b_mid) if b_rad is None else np.abs(b_mid) + b_rad
            radius = radius + self._contracted(a_rad, most, axes)
        if self.rounded.each:
            extents = np.broadcast_shapes(a_mid.shape, b_mid.shape)
            count = math.prod(extents[axis] for axis in axes)
            off = self.rounded.each + count * self.rounded.inside
            radius = radius + off * self._contracted(size_of(a), size_of(b), axes)
        return Enclosure(middle - radius, middle + radius)

    def _contracted(self, a: Array, b: Array, axes: tuple[int, ...]) -> Array:
        """Sums products over some axes; an axis of length 1 goes with any."""
        letters, over = self.letters, "".join(self.letters[axis] for axis in axes)
        ones = (1,) * len(letters)
        a, b = (x if x.ndim else x.reshape(ones) for x in (a, b))  # a number that stands there
        if max(a.ndim, b.ndim) > len(letters):  # of many candidates
            left = "".join(letter for letter in letters if letter not in over)
            made = np.einsum(f"{letters}...,{letters}...->{left}...", a, b)
            return np.asarray(np.expand_dims(made, axes))
        # without these axes it is a product of matrices, at which BLAS is ten times as quick
        long_a, long_b = (
            "".join(x for x, extent in zip(letters, array.shape, strict=True) if extent != 1)
            for array in (a, b)
        )
        left = "".join(x for x in letters if x in long_a + long_b and x not in over)
        shape = [
            1 if k in axes else extent
            for k, extent in enumerate(np.broadcast_shapes(a.shape, b.shape))
        ]
        made = np.einsum(f"{long_a},{long_b}->{left}", a.squeeze(), b.squeeze(), optimize=True)
        return np.asarray(made).reshape(shape)

    def of_reduced(self, node: ex.Reduced) -> Enclosure:
        bounds, axes = self.of(node.operand), [self.letters.index(x) for x in node.over]
        if node.function != "prod":
            pick = np.max if node.function == "max" else np.min
            low, high = (np.asarray(pick(x, axis=tuple(axes), keepdims=True)) for x in bounds)
            return Enclosure(low, high)
        for axis in axes:
            some = [
                Enclosure(bounds.low.take([k], axis), bounds.high.take([k], axis))
                for k in range(bounds.low.shape[axis])
            ]
            bounds = reduce(lambda a, b: self.rounded.by(times(a, b), self.rounded.each), some)
        return bounds

    def of_quotient(self, node: ex.Quotient) -> Enclosure:
        divisor = self.of(node.divisor)
        zero = (divisor.low <= 0) & (divisor.high >= 0)
        low, high = 1 / divisor.high, 1 / divisor.low
        inverse = Enclosure(np.where(zero, -math.inf, low), np.where(zero, math.inf, high))
        made, nothing = times(self.of(node.dividend), inverse), divisor.low == divisor.high
        nothing = nothing & zero  # by which nothing can be divided, not even 0
        return Enclosure(*(np.where(nothing, math.nan, end) for end in made))

    def of_negative(self, node: ex.Negative) -> Enclosure:
        bounds = self.of(node.operand)
        return Enclosure(-bounds.high, -bounds.low)

    def of_power(self, node: ex.Power) -> Enclosure:
        if node.base == ex.E:
            return Enclosure(*map(np.exp, self.of(node.exponent)))
        if node.exponent == ex.TWO:
            return _square(self.of(node.base))
        if any(operands_in(node.exponent)):
            return _power(self.of(node.base), self.of(node.exponent))
        base, exponent = self.of(node.base), float(deciding.full(node.exponent))
        ends = [raised(x, exponent) for x in base]  # an odd power, or of numbers above 0
        return Enclosure(np.minimum(*ends), np.maximum(*ends))

    def of_root(self, node: ex.Root) -> Enclosure:
        return Enclosure(*(np.sqrt(np.maximum(x, 0.0)) for x in self.of(node.operand)))

    def of_apply(self, node: ex.Apply) -> Enclosure:
        if node.function == "step":
            difference = self._difference(node.arguments[0])
            return Enclosure(*(np.asarray(FUNCTIONS["step"](end)) for end in difference))
        arguments = [self.of(a) for a in node.arguments]
        special = _FUNCTIONS.get(node.function)
        if special is not None:
            return special(*arguments)
        function = FUNCTIONS[node.function]  # one that never falls
        ends = zip(*arguments, strict=True)
        if len(arguments) > 1:  # max, min
            return Enclosure(*(np.asarray(reduce(function, end)) for end in ends))
        return Enclosure(*(np.asarray(function(*end)) for end in ends))

    def _difference(self, node: Expression) -> Enclosure:
        """Encloses what a step looks at: of two numbers floats say rightly which is larger."""
        if self.leaf(node) is None and isinstance(node, ex.Sum) and len(node.terms) == 2:  # noqa: PLR2004
            return self.of_sum(node)
        return self.of(node)


def _middle_and_radius(bounds: Enclosure) -> tuple[Array, Array | None]:
    """Returns the middles and radii of finite numbers; None for the radii of numbers that are known
    exactly."""
    low, high = bounds
    if low is high:
        return low, None
    alike = low == high
    return np.where(alike, low, (low + high) / 2), np.where(alike, 0.0, (high - low) / 2)


def times(a: Enclosure, b: Enclosure) -> Enclosure:
    """Multiplies two enclosures cell by cell."""
    ends = np.array([x * y for x in a for y in b])
    ends[np.isnan(ends)] = 0.0  # nothing times anything
    return Enclosure(*(np.asarray(pick.reduce(ends)) for pick in (np.minimum, np.maximum)))


def _square(x: Enclosure) -> Enclosure:
    ends = np.square(x.low), np.square(x.high)
    least = np.where((x.low <= 0) & (x.high >= 0), 0.0, np.minimum(*ends))
    return Enclosure(least, np.maximum(*ends))


def _power(base: Enclosure, exponent: Enclosure) -> Enclosure:
    """Raises numbers above 0 to any power, or any numbers to known powers: at its ends b^x is
    largest and smallest, since it rises or falls in each of the two."""
    ends = [np.asarray(np.power(b, x), dtype=np.float64) for b in base for x in exponent]
    zero = (base.low <= 0) & (base.high > 0)
    low, high = reduce(np.minimum, ends), reduce(np.maximum, ends)
    low = np.where(zero, np.minimum(low, 0.0), low)
    return Enclosure(low, np.where(zero & (exponent.low < 0), math.inf, high))


def _erfc(x: Enclosure) -> Enclosure:
    return Enclosure(FUNCTIONS["erfc"](x.high), FUNCTIONS["erfc"](x.low))


def _abs(x: Enclosure) -> Enclosure:
    squared = _square(x)
    return Enclosure(np.sqrt(squared.low), np.sqrt(squared.high))


def _logarithm(x: Enclosure) -> Enclosure:
    """Encloses the logarithms of numbers some of which may be above 0, or none."""
    low = np.where(x.high >= 0, np.maximum(x.low, 0.0), x.low)
    return Enclosure(*(np.asarray(FUNCTIONS["ln"](end)) for end in (low, x.high)))


def _wave(name: str, top: float) -> Callable[[Enclosure], Enclosure]:
    """Makes the rule of a wave that is 1 at `top`, and at each whole turn from it."""

    def turns(x: Enclosure, at: float) -> Array:
        return np.asarray(np.floor((x.high - at) / math.tau) >= np.ceil((x.low - at) / math.tau))

    def of(x: Enclosure) -> Enclosure:
        ends = [FUNCTIONS[name](end) for end in x]
        low = np.where(turns(x, top + math.pi), -1.0, np.minimum(*ends))
        return Enclosure(low, np.where(turns(x, top), 1.0, np.maximum(*ends)))

    return of


def _where(condition: Enclosure, bounds: Enclosure, other: Enclosure) -> Enclosure:
    sure_one = (condition.low != 0) & (condition.low == condition.high)
    sure_other = (condition.low == 0) & (condition.high == 0)
    both = bounds.with_(other)
    pairs = zip(bounds, other, both, strict=True)
    return Enclosure(*(np.where(sure_one, a, np.where(sure_other, b, c)) for a, b, c in pairs))


@np.errstate(invalid="ignore")
def _rounded(x: Enclosure, places: Enclosure) -> Enclosure:
    """Rounds to so many decimals, half away from zero."""
    scale = 10.0**places.low
    wholes = (np.copysign(np.floor(np.abs(end) * scale + 0.5 + 1e-9), end) for end in x)
    return Enclosure(*(np.asarray(whole / scale) for whole in wholes))


def _carried(x: Enclosure, places: Enclosure) -> Enclosure:
    """Encloses numbers in full, and rounded to so many decimals."""
    return x.with_(_rounded(x, places))


_FUNCTIONS: Mapping[str, Callable[..., Enclosure]] = MappingProxyType(
    {
        "rounded": _rounded,
        "carried": _carried,
        "erfc": _erfc,
        "abs": _abs,
        "ln": _logarithm,
        "sin": _wave("sin", math.pi / 2),
        "cos": _wave("cos", 0.0),
        "where": _where,
    }
)

_CHOICES = frozenset({"max", "min", "where", "abs"})


def _share(node: Expression, rounded: Roundoffs) -> float | None:
    """Returns by what share of its size the result of a node is rounded; None where it isn't."""
    match node:
        case ex.Sum() | ex.Total():
            return rounded.each
        case ex.Product(factors):
            return (len(factors) - 1) * rounded.each
        case ex.Quotient():
            return 2 * rounded.each  # or times the inverse
        case ex.Apply(function) if function in _CHOICES:
            return 0.0
        case ex.Power() | ex.Root() | ex.Apply():
            return rounded.function
        case _:
            return None


def _is_small_whole(node: Expression) -> bool:
    """Tells whether a node is made of 0, 1 and what steps give, as conditions are: floats of any
    type keep such numbers as they are."""
    match node:
        case ex.Number(full):
            return full in (0, 1)
        case ex.Apply("step"):
            return True
        case ex.Negative(operand):
            return _is_small_whole(operand)
        case ex.Sum(parts) | ex.Product(parts):
            return all(map(_is_small_whole, parts))
        case _:
            return False
