"""Equations as text, in Python's own expression grammar, read by `ast` when they are first used.

    weights = equation("exp[i, j] / exp_sum[i]", exp="n m", exp_sum="n 1")
    step = equation("x[i, j] - rate * g[i, j]", whole=True, x="n m", g="n m")

    weights()       the operation, whose equation has the shapes n m, n 1 -> n m
    step(rate)      the operation with a number for the name that is no operand

An operand has an index for each of its sides but `1`: `i` goes down the rows of the result, `j`
along its columns, any other over a sum, `sum(x[i, k] * W[k, j] for k in d)`. A side's letter alone
is how long it is. What else may stand there: numbers, + - * / **, pi, the functions below, and
`a if c else b` for what is chosen.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple, NoReturn, TypeGuard

from attncli.arithmetic import expression as ex
from attncli.arithmetic.expression import Apply, Expression, Operand, Symbol
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.signature import parse

_NODES: Mapping[str, Callable[..., Expression]] = {"exp": ex.e_to, "sqrt": ex.Root}
_FUNCTIONS = {*_NODES, "cos", "erf", "finite", "ln", "max", "min", "sin", "tanh"}
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
    """An equation as it is written; called with the numbers that it names, in the order in which it
    does so, the operation. `kind` is the class of that, `where` the file and the line."""

    text: str
    operands: tuple[tuple[str, str], ...]
    kind: Callable[..., Indexed]
    shown: str
    whole: bool
    result: str
    where: tuple[str, int]

    def __call__(self, *numbers: Expression | int) -> Indexed:
        if not numbers:
            return _made(self)
        given = tuple(ex.constant(x) if isinstance(x, int) else x for x in numbers)
        known = dict(zip(self.names, given, strict=True))
        return self.kind(*read(self, known), equation=self, numbers=given)

    def swap(self, part: str, other: str, shown: str = "") -> EquationText:
        """The same with something else in the place of a part, as people get it wrong; without an
        operand that isn't left. Raises SyntaxError where there is no such part."""
        reader, old = _Reader(self, self.text, frozenset()), ast.dump(_parsed(part))
        found = [one for one in ast.walk(reader.body) if ast.dump(one) == old]
        if not found:
            reader.refuse(reader.body, f"there is no {part} to swap", "a part of it")
        is_one = isinstance(_parsed(other), ast.Call | ast.Constant | ast.Name | ast.Subscript)
        text = self.text
        for node in sorted(found, key=lambda one: one.col_offset, reverse=True):  # type: ignore[attr-defined]
            whole = is_one or node is reader.body
            start, end = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
            text = text[:start] + (other if whole else f"({other})") + text[end:]
        left = {node.id for node in ast.walk(_parsed(text)) if isinstance(node, ast.Name)}
        kept = tuple(one for one in self.operands if one[0] in left)
        return self._replace(text=text, shown=shown, operands=kept)

    @property
    def names(self) -> tuple[str, ...]:
        """Those of numbers, in the order in which they stand there."""
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
    """An equation of operands with these sides. Its formula is another text where that is `shown`,
    or with `whole` the text without its indices; `result` are its sides where no index says so."""
    caller = sys._getframe(1)
    where = caller.f_code.co_filename, caller.f_lineno
    return EquationText(text, tuple(operands.items()), kind, shown, whole, result, where)


def said(
    text: str,
    sides: Mapping[str, str],
    *,
    shown: str = "",
    whole: bool = False,
    numbers: _Numbers | None = None,
) -> Read:
    """What an equation says whose text a class puts together, of those operands that it has."""
    caller = sys._getframe(1)
    where = caller.f_code.co_filename, caller.f_lineno
    left = {node.id for node in ast.walk(_parsed(text)) if isinstance(node, ast.Name)}
    operands = tuple(one for one in sides.items() if one[0] in left)
    written = EquationText(text, operands, Indexed, shown, whole, "", where)
    return read(written, numbers or {})


def is_a(operation: object, *kinds: Kind) -> TypeGuard[Indexed]:
    """Whether an operation is one of these, with whatever numbers."""
    said = operation.equation if isinstance(operation, Indexed) else None
    return any(
        kind == said if isinstance(kind, EquationText) else isinstance(operation, kind)
        for kind in kinds
    )


@cache
def _made(written: EquationText) -> Indexed:
    return written.kind(*read(written, {}), equation=written)


def read(written: EquationText, numbers: _Numbers) -> Read:
    """What an equation says, with these numbers for their names."""
    shapes, tree, shown = _read(written, frozenset(numbers))
    if not numbers:
        return shapes, tree, shown
    told = shown and ex.with_each(shown, Symbol, lambda one: numbers.get(one.name))
    return shapes, ex.with_each(tree, Symbol, lambda one: numbers.get(one.name)), told


@cache
def _read(written: EquationText, names: frozenset[str]) -> Read:
    """The same with the names themselves, since numbers may be equal that look otherwise."""
    reader = _Reader(written, written.text, names)
    shown = _Reader(written, written.shown or written.text, names, is_shown=True).tree()
    if written.whole:
        shown = ex.with_each(shown, Operand, lambda one: Operand(one.place))
    tree = reader.tree()
    return reader.shapes, tree, None if shown == tree else shown


@cache
def _names(written: EquationText) -> tuple[str, ...]:
    return tuple(_Reader(written, written.text, frozenset()).names)


@cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class _Reader:
    """Reads one text; where that is only shown, names and functions are whatever they are."""

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
        """Takes note of indices and names."""
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
                for inner in (one for one in ast.iter_child_nodes(node) if one is not called):
                    self._survey(inner, bound)

    def _sides(self, name: str) -> list[str]:
        return [side for side in self.operands[name].split() if side != "1"]

    def tree(self) -> Expression:
        return self._read(self.body, self.along, {})

    def _read(self, node: ast.expr, along: _Along, called: Mapping[str, str]) -> Expression:
        """A part in which indices go along these sides, and are called otherwise in the tree."""
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
            case ast.Compare(x, [ast.Gt()], [ast.Constant(0)]):
                made = Apply("step", (read(x),))
            case ast.Attribute(x, "T"):
                made = ex.Transposed(read(x))
            case ast.Call(ast.Name(name), arguments) if name in _FUNCTIONS or self.is_shown:
                parts = tuple(map(read, arguments))
                made = _NODES[name](*parts) if name in _NODES else Apply(name, parts)
        if made is None:
            known = "+ - * / **", "sum(… for k in d)", *sorted(_FUNCTIONS)
            self.refuse(node, "no part of an equation", *known)
        return made

    @staticmethod
    def _of_two(node: ast.BinOp, kind: type[ex.Node], a: Expression, b: Expression) -> Expression:
        """a + b − c as one sum of three; what stands in parentheses is a sum of its own."""
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


def _indices_of(node: ast.Subscript) -> list[str]:
    each = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [ast.unparse(index) for index in each]


def _loops(node: ast.GeneratorExp) -> dict[str, str]:
    """The indices of a sum, and the sides that they go along."""
    return {ast.unparse(one.target): ast.unparse(one.iter) for one in node.generators}
