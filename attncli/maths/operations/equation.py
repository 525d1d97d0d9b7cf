"""An operation that is one indexed equation, from which all else follows.

Equations as text, in Python's own expression grammar, read by `ast` when they are first used.

    weights = equation("exp[i, j] / exp_sum[i]", exp="n m", exp_sum="n 1")
    step = equation("x[i, j] - rate * g[i, j]", whole=True, x="n m", g="n m")
    weights()    # the operation, whose equation has the shapes n m, n 1 -> n m
    step(rate)   # the operation with a number for the name that is no operand

An operand has an index for each of its sides but `1`: `i` goes down the rows of the result, `j`
along its columns, any other over a sum, `sum(x[i, k] * W[k, j] for k in d)`. A side's letter
alone is how long it is. What else may stand there: numbers, + - * / **, pi, the functions below,
and `a if c else b` for what is chosen, by `x > 0`, `1 <= x < y` or a table of ones and zeros.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import pairwise
from typing import ClassVar, NamedTuple, NoReturn, TypeGuard

import numpy as np

from attncli.maths.equations import formulas
from attncli.maths.equations import tree as ex
from attncli.maths.equations.bounds import bound
from attncli.maths.equations.choices import RELATIONS
from attncli.maths.equations.compiled import CompiledEquation, following
from attncli.maths.equations.enclosures import Enclosure, Roundoffs, enclosed
from attncli.maths.equations.functions import OF_ONE
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.signatures import parse
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Expression,
    MatrixProduct,
    Operand,
    Product,
    Sum,
    Symbol,
    Total,
    Vector,
    each,
)
from attncli.maths.equations.working import simplification_steps
from attncli.maths.numbers.rounding import Array, Doubtful, Error
from attncli.maths.operations.operation import ByFirstForm, Working, cells_of_row


@dataclass(frozen=True)
class Indexed(ByFirstForm):
    """An operation that is one indexed equation: result[i, j] = `tree`.

    The `Operand`s of the tree are cells of the operands, by their places; for instance `0[i, j] /
    1[i]` with the shapes `n m, n 1 -> n m`. The index of a sum has one meaning in the whole tree.
    """

    is_enclosed = True
    lost: ClassVar[Expression | None] = None
    """What isn't 0 where digits that a cell would need were rounded away before it: those that are
    left don't tell it."""
    shapes: str  # type: ignore[misc]  # here a field
    tree: Expression
    shown: Expression | None = None
    """The formula, where that isn't the tree with names for places."""
    equation: EquationText | None = None
    """The text that it was read from, by which one knows what it is."""
    numbers: tuple[Expression, ...] = ()
    """The numbers for the names in that text that are no operands."""
    told: Equation | None = None
    """The formula in the names and the indices of its author, where it is a scenario's own."""

    def formula(self, name: str, *operands: str) -> Equation:
        if self.told is not None:
            return self.told
        known, called = self._known_formulas, (name, *operands)
        if called not in known:
            known[called] = formulas.formula(self.shown or self.tree, self.sides, name, operands)
        return known[called]

    @property
    def repeats(self) -> bool:
        return isinstance(self.tree, Operand)

    @property
    def is_told_by_its_tree(self) -> bool:
        """Tells whether each of its cells is worked from just what the tree says."""
        kind = type(self)
        return kind.whole_form is Indexed.whole_form and kind.first_form is Indexed.first_form

    def values(self, *operands: Matrix) -> Array:
        self.refuse(*operands)
        return self.arrays([operand.values for operand in operands])

    def enclosed(self, operands: Sequence[Enclosure], rounded: Roundoffs) -> Enclosure:
        return enclosed(self.tree, self.sides, operands, rounded)

    def refuse(self, *operands: Matrix) -> None:
        """Raises Unworkable for numbers that the equation can't be worked with."""

    def arrays(self, operands: Sequence[Array]) -> Array:
        """Computes the result of plain arrays [n, m], or of those of many candidates [n, m, b]."""
        return self._follows.values(operands)

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        return self._follows.filled({"i": i, "j": j, "": 0}, operands)

    def brief(self, i: int, j: int, *operands: Matrix) -> Working:
        if not self._is_brief:
            return self.cell(i, j, *operands)
        return simplification_steps(
            self._follows.filled_in_brief({"i": i, "j": j, "": 0}, operands)
        )

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        if all(apply.function != "where" for apply in each(self.tree, Apply)):
            return self.first_form(i, j, *operands)
        return self._follows.filled_whole({"i": i, "j": j, "": 0}, operands)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:
        if "j" not in self.sides.indices:
            return ()
        if self.shown and _has_product(self.shown):
            return (formulas.row_of_product(self.shown, i, names, operands),)
        if formulas.is_linear_in_rows(self.tree):
            return (formulas.row_as_vector(self.tree, i, operands),)
        extents = self.sides.extents([operand.shape for operand in operands])
        cells = cells_of_row(self, i, extents[self.sides.result[1]], *operands)
        return (cells, *_cells_worked_inside(cells))

    def terms(self, *operands: Matrix) -> int:
        return self._follows.terms(operands)

    def factors_summed(self, *operands: Matrix) -> Mapping[int, int]:
        found: dict[int, int] = {}
        sizes = self._follows.sizes(operands) if self._contractions else {}
        for total in self._contractions:
            count = math.prod(sizes[index] for index in total.over)
            for operand in each(total.operand, Operand):
                found[operand.place] = max(count, found.get(operand.place, 1))
        return found

    def leaves(self, *operands: Matrix) -> int:
        return self._follows.leaves(operands)

    def places(self, *operands: Matrix) -> int | None:
        return self._follows.places(operands)

    def error(self, *operands: Matrix) -> Error:
        return bound(self._follows.careful, self.sides, operands)

    def largest_error(self, *operands: Matrix) -> float:
        rough = bound(self._follows.careful, self.sides, operands, rough=True)
        return float(np.max(rough.absolute))

    def units(self, doubtful: Doubtful, *operands: Matrix) -> Array | None:
        from attncli.maths.equations.integers import units  # which few pages need

        return units(self.tree, self.sides, operands, doubtful)

    def __getstate__(self) -> dict[str, object]:
        """Returns the fields for pickling, without what is computed from them, which may be
        functions."""
        known = vars(self).items()
        kind = type(self)
        return {k: x for k, x in known if not isinstance(getattr(kind, k, None), cached_property)}

    @cached_property
    def _follows(self) -> CompiledEquation:
        return following(self.tree, self.sides)

    @cached_property
    def _contractions(self) -> tuple[Total, ...]:
        """Finds the sums of products of several operands."""
        totals = each(self.tree, Total)
        products = (total for total in totals if isinstance(total.operand, Product))
        return tuple(t for t in products if len({o.place for o in each(t.operand, Operand)}) > 1)

    @cached_property
    def _is_brief(self) -> bool:
        """Tells whether its cells are worked from the equation, and this has sums that are shown in
        brief."""
        own = type(self).cell is ByFirstForm.cell and type(self).first_form is Indexed.first_form
        return own and bool(self._follows.in_brief)

    @cached_property
    def _known_formulas(self) -> dict[tuple[str, ...], Equation]:
        """Caches formulas by the names of the result and the operands, which forms of an exercise
        repeat."""
        return {}


def _cells_worked_inside(cells: Vector) -> Working:
    """Works the sums inside the factors of a row's cells, where all cells have some; returns
    nothing otherwise."""
    forms = [simplification_steps(c) if isinstance(c, Product) else () for c in cells.entries]
    if not all(form[1:] for form in forms):
        return ()
    return (Vector(tuple(form[1] for form in forms)),)


def _has_product(shown: Expression) -> bool:
    return isinstance(shown, MatrixProduct) or (
        isinstance(shown, Sum) and isinstance(shown.terms[0], MatrixProduct)
    )


_NODES = {name: OF_ONE[name] for name in ("exp", "sqrt")}
_FUNCTIONS = {*OF_ONE, "finite", "max", "min"}
_RELATIONS: Mapping[type, str] = {
    ast.Gt: ">",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_SIGNS: Mapping[type, type[ex.Node]] = {
    ast.Add: ex.Sum,
    ast.Sub: ex.Sum,
    ast.Mult: ex.Product,
    ast.MatMult: ex.MatrixProduct,
    ast.Div: ex.Quotient,
    ast.Pow: ex.Power,
}
_SUMMED = "klmpqr"
"""Indices for sums whose own are those of the result, too: in the tree an index has one meaning."""

_Along = Mapping[str, str]
"""The side that each index goes along."""
_Numbers = Mapping[str, Expression]
"""What names of an equation stand for that are no operands."""
Read = tuple[str, Expression, Expression | None]
"""The shapes, the tree, and the formula where that isn't the tree."""


class EquationText(NamedTuple):
    """An equation as it is written; called with the numbers that it names, in their order, it
    returns the operation."""

    text: str
    operands: tuple[tuple[str, str], ...]
    """The names of the operands, each with its sides."""
    kind: Callable[..., Indexed]
    """The class of the operation."""
    shown: str
    """The text of the formula, where it is another one."""
    whole: bool
    """Whether the formula is the text without its indices."""
    result: str
    """The sides of the result, where no index says so."""
    where: tuple[str, int]
    """The file and the line where it is written."""

    def __call__(self, *numbers: Expression | int) -> Indexed:
        if not numbers:
            return _made(self)
        given = tuple(ex.constant(x) if isinstance(x, int) else x for x in numbers)
        known = dict(zip(self.names, given, strict=True))
        return self.kind(*read(self, known), equation=self, numbers=given)

    def swap(self, part: str, other: str, shown: str = "") -> EquationText:
        """Replaces a part of the equation by another one, as in a common mistake, and drops
        operands that are no longer used.

        Raises SyntaxError where there is no such part.
        """
        return _swapped(self, part, other, shown)

    @property
    def names(self) -> tuple[str, ...]:
        """Lists the names in the equation that stand for numbers, in their order."""
        return _names(self)


Kind = type[Indexed] | EquationText
"""What an operation may be: one of a class, or one that was read from a text."""


def equation(
    text: str,
    kind: Callable[..., Indexed] = Indexed,
    *,
    shown: str = "",
    whole: bool = False,
    result: str = "",
    **operands: str,
) -> EquationText:
    """Writes an equation of operands with these sides.

    Its formula is another text where that is `shown`, or with `whole` the text without its indices;
    `result` are its sides where no index says so.
    """
    caller = sys._getframe(1)
    where = caller.f_code.co_filename, caller.f_lineno
    return EquationText(text, tuple(operands.items()), kind, shown, whole, result, where)


def read_equation(
    text: str,
    sides: Mapping[str, str],
    *,
    shown: str = "",
    whole: bool = False,
    numbers: _Numbers | None = None,
) -> Read:
    """Reads an equation whose text is put together by a class, with those of the operands that
    occur in it.

    Returns its shapes, its tree and its formula, as `read` does.
    """
    caller = sys._getframe(1)
    where = caller.f_code.co_filename, caller.f_lineno
    used = _names_in(text)
    operands = tuple(pairs for pairs in sides.items() if pairs[0] in used)
    written = EquationText(text, operands, Indexed, shown, whole, "", where)
    return read(written, numbers or {})


def of_one_row(operation: Indexed) -> Indexed:
    """Makes the equation of lists that an equation of matrices is where these have one row: without
    the index that goes along the rows of its result."""
    rows = operation.sides.result[0]

    def change(node: Operand) -> Expression:
        sides = operation.sides.operands[node.place]
        pairs = zip(sides, operation.sides.along(node), strict=True)
        return Operand(node.place, tuple(index for side, index in pairs if side not in ("1", rows)))

    *operands, result = (
        " ".join("1" if side == rows else side for side in sides)
        for sides in (*operation.sides.operands, operation.sides.result)
    )
    tree = ex.with_each(operation.tree, Operand, change)
    return Indexed(f"{', '.join(operands)} -> {result}", tree)


def is_a(operation: object, *kinds: Kind) -> TypeGuard[Indexed]:
    """Tells whether an operation is of one of these kinds, with any numbers."""
    equation_text = operation.equation if isinstance(operation, Indexed) else None
    return any(
        kind == equation_text if isinstance(kind, EquationText) else isinstance(operation, kind)
        for kind in kinds
    )


@cache
def _made(written: EquationText) -> Indexed:
    return written.kind(*read(written, {}), equation=written)


def read(written: EquationText, numbers: _Numbers) -> Read:
    """Reads an equation with these numbers for its names.

    Returns its shapes, its tree, and the formula where that isn't the tree. Raises SyntaxError for
    what is no equation.
    """
    shapes, tree, shown = _read(written, frozenset(numbers))
    if not numbers:
        return shapes, tree, shown
    node = shown and ex.with_each(shown, Symbol, lambda s: numbers.get(s.name))
    return shapes, ex.with_each(tree, Symbol, lambda s: numbers.get(s.name)), node


@cache
def _read(written: EquationText, names: frozenset[str]) -> Read:
    """Reads an equation with the names left in it, since equal numbers may be written in different
    ways."""
    reader = _Reader(written, written.text, names)
    shown = _Reader(written, written.shown or written.text, names, is_shown=True).tree()
    if written.whole:
        shown = ex.with_each(shown, Operand, lambda o: Operand(o.place))
    tree = reader.tree()
    return reader.shapes, tree, None if shown == tree else shown


@cache
def _swapped(written: EquationText, part: str, other: str, shown: str) -> EquationText:
    reader, old = _Reader(written, written.text, frozenset()), ast.dump(_parsed(part))
    found = [entry for entry in ast.walk(reader.body) if ast.dump(entry) == old]
    if not found:
        reader.refuse(reader.body, f"there is no {part} to swap", "a part of it")
    is_one = isinstance(_parsed(other), ast.Call | ast.Constant | ast.Name | ast.Subscript)
    text = written.text
    for node in sorted(found, key=lambda entry: entry.col_offset, reverse=True):  # type: ignore[attr-defined]
        whole = is_one or node is reader.body
        start, end = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
        text = text[:start] + (other if whole else f"({other})") + text[end:]
    kept = tuple(o for o in written.operands if o[0] in _names_in(text))
    return written._replace(text=text, shown=shown, operands=kept)


@cache
def _names(written: EquationText) -> tuple[str, ...]:
    return tuple(_Reader(written, written.text, frozenset()).names)


@cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@cache
def _names_in(text: str) -> frozenset[str]:
    """Collects all names in an equation: of operands, of indices, of numbers and of functions."""
    return frozenset(node.id for node in ast.walk(_parsed(text)) if isinstance(node, ast.Name))


class _Reader:
    """A reader of one text; where that is only shown, any names and functions may occur."""

    def __init__(
        self, of: EquationText, text: str, known: frozenset[str], *, is_shown: bool = False
    ) -> None:
        self.of, self.text, self.known, self.is_shown = of, text, known, is_shown
        self.operands = dict(of.operands)
        self.places = {name: place for place, name in enumerate(self.operands)}
        self.lengths = {side for name in self.operands for side in self._sides(name)}
        self.free: dict[str, str] = {}
        """The indices that no sum has, and the sides that they go along."""
        self.indices: set[str] = set()
        self.names: dict[str, None] = {}
        """Those of numbers, in their order."""
        try:
            self.body = _parsed(text)
        except SyntaxError as wrong:
            at = (*of.where, wrong.offset or len(text) + 1, text)
            raise SyntaxError(f"{wrong.msg}; write it as Python does, x + y", at) from None
        self._survey(self.body, frozenset())
        result = of.result or f"{self.free.get('i', '1')} {self.free.get('j', '1')}"
        self.shapes = f"{', '.join(self.operands.values())} -> {result}"
        self.along = dict(zip("ij", result.split(), strict=True))

    def _survey(self, node: ast.AST, bound: frozenset[str]) -> None:
        """Collects the indices and the names of numbers in a part."""
        match node:
            case ast.GeneratorExp(part):
                self.indices |= _loops(node).keys()
                self._survey(part, bound | _loops(node).keys())
            case ast.Subscript(ast.Name(name)) if name in self.operands:
                for index, side in zip(_indices_of(node), self._sides(name), strict=False):
                    if index not in bound:
                        self.free.setdefault(index, side)
            case ast.Name(name) if name not in {*self.operands, *self.lengths, "pi"}:
                self.names[name] = None
            case _:
                called = node.func if isinstance(node, ast.Call) else None
                for inner in (entry for entry in ast.iter_child_nodes(node) if entry is not called):
                    self._survey(inner, bound)

    def _sides(self, name: str) -> list[str]:
        return [side for side in self.operands[name].split() if side != "1"]

    def tree(self) -> Expression:
        return self._read(self.body, self.along, {})

    def _read(self, node: ast.expr, along: _Along, called: Mapping[str, str]) -> Expression:
        """Reads a part; `along` has the sides that indices run along, `called` the names that they
        get in the tree."""
        match node:
            case ast.Constant():
                return ex.constant(ast.get_source_segment(self.text, node) or "")
            case ast.Name(name):
                return self._name(node, name)
            case ast.Subscript(ast.Name(name)) if name in self.operands:
                return self._cell(node, name, along, called)
            case ast.Call(ast.Name("sum"), [ast.GeneratorExp() as every]):
                return self._sum(every, along, called)
        return self._arithmetic(node, lambda part: self._read(part, along, called))

    def _arithmetic(self, node: ast.expr, read: Callable[[ast.expr], Expression]) -> Expression:
        made: Expression | None = None
        match node:
            case ast.UnaryOp(ast.USub(), x):
                made = ex.Negative(read(x))
            case ast.BinOp(x, op, y) if type(op) in _SIGNS:
                made = self._of_two(node, _SIGNS[type(op)], read(x), read(y))
            case ast.IfExp(condition, x, y):
                made = Apply("where", (read(condition), read(x), read(y)))
            case ast.Compare() | ast.BoolOp():
                made = self._condition(node, read)
            case ast.Attribute(x, "T"):
                made = ex.Transposed(read(x))
            case ast.Call(ast.Name(name), arguments) if name in _FUNCTIONS or self.is_shown:
                parts = tuple(map(read, arguments))
                of_one = _NODES if self.is_shown else OF_ONE  # formulas tell functions by name
                made = of_one[name](*parts) if name in of_one else Apply(name, parts)
        if made is None:
            known = "+ - * / **", "sum(… for k in d)", *sorted(_FUNCTIONS)
            self.refuse(node, "no part of an equation", *known)
        return made

    @staticmethod
    def _condition(
        node: ast.Compare | ast.BoolOp, read: Callable[[ast.expr], Expression]
    ) -> Expression | None:
        """Returns what is 1 where a condition holds, and 0 elsewhere; None for another sign than
        those that compare numbers."""
        if isinstance(node, ast.BoolOp):
            parts = tuple(map(read, node.values))
            is_all = isinstance(node.op, ast.And)
            return ex.Product(parts) if is_all else reduce(_larger, parts)
        signs = [_RELATIONS.get(type(sign)) for sign in node.ops]
        pairs = pairwise(map(read, (node.left, *node.comparators)))
        met = [RELATIONS[sign](a, b) for sign, (a, b) in zip(signs, pairs, strict=True) if sign]
        if len(met) < len(signs):
            return None
        return ex.Product(tuple(met)) if met[1:] else met[0]

    @staticmethod
    def _of_two(node: ast.BinOp, kind: type[ex.Node], a: Expression, b: Expression) -> Expression:
        """Joins two operands: a + b − c becomes one sum of three, while what stands in parentheses
        stays a sum of its own."""
        if kind in (ex.Quotient, ex.Power):
            return kind(a, b)
        left = node.left
        goes_on = isinstance(left, ast.BinOp) and left.col_offset == node.col_offset
        many = a.parts[0] if isinstance(a, kind) and goes_on else (a,)
        return kind((*many, ex.Negative(b) if isinstance(node.op, ast.Sub) else b))

    def _name(self, node: ast.expr, name: str) -> Expression:
        if name in self.operands and (self.is_shown or not self._sides(name)):
            return Operand(self.places[name])
        if name == "pi":
            return ex.PI
        if name in self.known or self.is_shown:
            return Symbol(name)
        source = parse(self.shapes).source_of(name)
        if source is None:
            right = *self.operands, *sorted(self.known | self.lengths), "pi"
            self.refuse(node, f"nothing is called {name}", *right)
        return ex.Length(*source)

    def _sum(self, every: ast.GeneratorExp, along: _Along, called: Mapping[str, str]) -> Expression:
        over, own = _loops(every), dict[str, str]()
        unused = (index for index in _SUMMED if index not in self.indices)
        for index in over:
            is_taken = not self.is_shown and along.get(index, "1") != "1"
            own[index] = next(unused) if is_taken else index
        part = self._read(every.elt, {**along, **over}, {**called, **own})
        return ex.Total("".join(own.values()), part)

    def _cell(
        self, node: ast.Subscript, name: str, along: _Along, called: Mapping[str, str]
    ) -> Operand:
        indices, sides = _indices_of(node), self._sides(name)
        if len(indices) != len(sides):
            has = f"{name} has {len(sides)} indices, for {self.operands[name]}"
            self.refuse(node, has, f"{name}[{', '.join('ij'[: len(sides)])}]")
        for index, side in zip(indices, sides, strict=True):
            if along.get(index) != side:
                what = f"{index} goes along {along.get(index, 'nothing')}, not along {side}"
                self.refuse(node, what, f"another index, or sum(… for {index} in {side})")
        return Operand(self.places[name], tuple(called.get(index, index) for index in indices))

    def refuse(self, node: ast.expr, what: str, *right: str) -> NoReturn:
        file, line = self.of.where
        at = file, line, node.col_offset + 1, self.text, line, (node.end_col_offset or 0) + 1
        raise SyntaxError(f"{what}; write {', '.join(right)}", at)


def _larger(a: Expression, b: Expression) -> Expression:
    return Apply("max", (a, b))


def _indices_of(node: ast.Subscript) -> list[str]:
    each = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [ast.unparse(index) for index in each]


def _loops(node: ast.GeneratorExp) -> dict[str, str]:
    """Returns the indices of a sum, and the sides that they run along."""
    return {ast.unparse(g.target): ast.unparse(g.iter) for g in node.generators}
