"""Expressions as the formulas of a spreadsheet: `=SUMPRODUCT(B3:E3,B8:E8)+F3`, `=EXP(C4)/D4`.

What Excel and LibreOffice both work out alike. A minus before a power has parentheses, since both
take it first: there `-2^2` is 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import Expression, Location, Node, Number
from attncli.maths.notation.plain import plain
from attncli.maths.numbers import decimals

IS_FINITE = "-1E+100"
"""What is below this was −∞."""
_NOISE = 12
"""Decimals that are sure in what binary fractions add up to."""


class SheetText(Protocol):
    """A part of a formula."""

    @property
    def text(self) -> str: ...


class FormulaWriter(Protocol):
    """A writer of expressions as the formulas of a sheet."""

    def of(self, node: Expression) -> SheetText: ...

    def listed(self, nodes: Sequence[Expression]) -> str: ...

    def extreme(self, function: str, arguments: Sequence[Expression]) -> str: ...

    def cells(self, numbers: Sequence[Expression]) -> str: ...


def entries(vector: Expression) -> tuple[Expression, ...]:
    """Returns the entries of a vector. Raises TypeError for any other expression."""
    if not isinstance(vector, ex.Vector):
        raise TypeError(f"{plain(vector)} is no vector of numbers")
    return vector.entries


Function = Callable[[FormulaWriter, Sequence[Expression]], str]


def _called(name: str) -> Function:
    return lambda sheet, arguments: f"{name}({sheet.listed(arguments)})"


def _extreme(name: str) -> Function:
    return lambda sheet, arguments: sheet.extreme(name, arguments)


def _where(sheet: FormulaWriter, arguments: Sequence[Expression]) -> str:
    condition, expression, other = arguments
    return f"IF({_met(sheet, condition)},{sheet.listed([expression, other])})"


def _met(sheet: FormulaWriter, condition: Expression) -> str:
    """Writes when a condition is met: the comparison that it is, or else that it isn't 0."""
    if isinstance(condition, ex.Apply) and condition.function in _COMPARED:
        return _COMPARED[condition.function](sheet, condition.arguments)
    return f"{sheet.of(condition).text}<>0"


def _compared(sign: str) -> Function:
    return lambda sheet, both: sign.join(sheet.of(e).text for e in both)


def _count_before(sheet: FormulaWriter, arguments: Sequence[Expression]) -> str:
    """Writes how many numbers of a row are larger than one, or as large and before it."""
    number, row, before = _in_its_row(sheet, arguments)
    return f"RANK({number},{row})-1" + (f"+COUNTIF({before},{number})" if before else "")


def _sum_before(sheet: FormulaWriter, arguments: Sequence[Expression]) -> str:
    """Writes the sum of the numbers of a row that are larger than one, or as large and before
    it."""
    number, row, before = _in_its_row(sheet, arguments)
    equal = f"+COUNTIF({before},{number})*{number}" if before else ""
    return f"ROUND(SUMPRODUCT(({row}>{number})*{row}){equal},{_NOISE})"


def _in_its_row(sheet: FormulaWriter, arguments: Sequence[Expression]) -> Iterator[str]:
    """Yields a number, the cells of its row, and those of them before it."""
    number, row, before = arguments
    yield sheet.of(number).text
    for cells in (entries(row), entries(before)):
        yield sheet.cells(cells)


def _step(sheet: FormulaWriter, arguments: Sequence[Expression]) -> str:
    """Writes 1 above 0, and 0 elsewhere; a sum is rounded first, since what is left of it may be
    noise."""
    return f"IF(ROUND({sheet.listed(arguments)},{_NOISE})>0,1,0)"


def _finite(sheet: FormulaWriter, arguments: Sequence[Expression]) -> str:
    return f"{sheet.of(arguments[0]).text}>{IS_FINITE}"


_FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        **{
            name: _called(called)
            for name, called in (
                ("abs", "ABS"), ("tanh", "TANH"), ("ln", "LN"), ("sin", "SIN"), ("cos", "COS"),
                ("erf", "ERF"), ("erfc", "ERFC"),
            )
        },
        "max": _extreme("MAX"),
        "min": _extreme("MIN"),
        "where": _where,
        "step": _step,
        "count_before": _count_before,
        "sum_before": _sum_before,
    }
)  # fmt: skip
_COMPARED: Mapping[str, Function] = MappingProxyType(
    {"less": _compared("<"), "at_most": _compared("<="), "finite": _finite}
)
"""Conditions; where a number is wanted, 1 if they are met, else 0."""
_OF_ONE = ("max", "min", "where", "step", *_COMPARED, "count_before", "sum_before")
"""Those that don't take a range number by number."""


class SheetCell(NamedTuple):
    """The place of a number: its sheet, its row and its column from 0."""

    sheet: str
    row: int
    column: int

    @property
    def indices(self) -> tuple[int, int]:
        """Returns the row and the column."""
        return self.row, self.column


PlaceOf = Callable[[Location], SheetCell]


class CellRange(ex.Leaf):
    """A range of cells next to each other, in the place of one of them in each term of a sum."""

    first: Location
    last: Location


def absolute(place: SheetCell) -> str:
    """Writes a cell's address that stays as it is where it is copied: `$B$3`."""
    return f"${_letters(place.column)}${place.row + 1}"


def cells_across(first: SheetCell, count: int, *, fixed: bool = False) -> str:
    """Writes the range of cells beside each other on one sheet: `B3:D3`, or where they are fixed
    `$B$3:$D$3`."""
    last = first._replace(column=first.column + count - 1)
    cells = f"{absolute(first)}:{absolute(last)}"
    return cells if fixed else cells.replace("$", "")


def quoted(sheet: str) -> str:
    """Writes a sheet's name as it stands in a formula."""
    return "'{}'".format(sheet.replace("'", "''"))


def _letters(column: int) -> str:
    """Writes the name of a column: A to Z, then AA."""
    text = ""
    while column >= 0:
        text, column = chr(ord("A") + column % 26) + text, column // 26 - 1
    return text


@dataclass(frozen=True)
class CellRanges:
    """A finder of expressions that are alike but for cells next to each other."""

    place_of: PlaceOf

    def runs(self, terms: Sequence[Expression]) -> Iterator[list[Expression]]:
        """Yields runs of terms that follow each other alike, each with cells next to the last
        one's."""
        run: list[Expression] = []
        for term in terms:
            if run and self.template([*run[-1:], term]) is None:
                yield run
                run = []
            run.append(term)
        yield run

    def template(self, nodes: Sequence[Any]) -> Any:  # noqa: ANN401
        """Finds what some nodes have in common, with a range where each has its own cell; returns
        None where they are not alike."""
        first = nodes[0]
        if isinstance(first, Number):
            return self._common_number(nodes)
        if any(type(node) is not type(first) for node in nodes):
            return None
        if type(first) is tuple:
            if len({len(node) for node in nodes}) > 1:
                return None
            parts = [self.template(each) for each in zip(*nodes, strict=True)]
            return None if None in parts else tuple(parts)
        if not isinstance(first, Node) or isinstance(first, ex.Leaf):
            return first if all(node == first for node in nodes) else None
        parts = [self.template(each) for each in zip(*(n.parts for n in nodes), strict=True)]
        return None if any(part is None for part in parts) else type(first)(*parts)

    def is_row(self, cells: CellRange) -> bool:
        """Tells whether cells stand beside each other, not below."""
        return self.place_of(cells.first).row == self.place_of(cells.last).row

    def _common_number(self, nodes: Sequence[object]) -> Expression | None:
        numbers = [node for node in nodes if isinstance(node, Number)]
        if len(numbers) < len(nodes):
            return None
        first = numbers[0]
        if all(node.cell == first.cell and node.full == first.full for node in numbers):
            return first if first.cell != ex.INNER else None
        cells = [cell for node in numbers if (cell := node.cell) is not None and cell.quantity]
        if len(cells) < len(numbers):
            return None
        places = [self.place_of(cell) for cell in cells]
        steps = {(b.row - a.row, b.column - a.column) for a, b in pairwise(places)}
        on_one_sheet = len({place.sheet for place in places}) == 1
        return CellRange(cells[0], cells[-1]) if on_one_sheet and steps in _STEPS else None


_STEPS = ({(0, 1)}, {(1, 0)})


MINUS_INFINITY = "-1E+200"
"""A spreadsheet has no −∞; to e this is as good, and it can be added to and divided."""
LONGEST = 8000
"""Characters of a formula; Excel takes 8,192."""
_LONG = 3
"""Terms from which on a sum is told by ranges of cells, rather than as on a page."""
_LONG_LIST = 2
"""Cells from which on they are told as a range where they are just added up."""

_SUM, _PRODUCT, _POWER, _ATOM = range(4)


class TooLongError(ValueError):
    """A formula that is longer than a spreadsheet takes."""


class _Text(NamedTuple):
    text: str
    binds: int


def formula(node: Expression, sheet: str, place_of: PlaceOf, decimals: int | None = None) -> str:
    """Writes the formula of a cell of a sheet, rounded to `decimals` decimals where they are given.

    Raises TypeError for a node that has none, and TooLongError.
    """
    spreadsheet = _Spreadsheet(sheet, place_of)
    text = spreadsheet.of(node).text
    if decimals is not None:
        text = _rounded(text, node, decimals)
    if len(text) > LONGEST:
        raise TooLongError
    return f"={text}"


def _rounded(text: str, node: Expression, decimals: int) -> str:
    """Rounds a formula half away from zero.

    A sum, whose binary fractions may be a hair below a half where decimal ones are on it, is first
    rounded to as many decimals as are sure.
    """
    if decimals < _NOISE and _may_be_half(node):
        text = f"ROUND({text},{_NOISE})"
    return f"ROUND({text},{decimals})"


def _may_be_half(node: Expression) -> bool:
    """Tells whether a number is worked from sums, and by nothing that never comes to a half
    exactly."""
    kinds = (ex.Root, ex.Power, ex.Apply)
    curved = any(
        not (isinstance(entry, ex.Power) and entry.base != ex.E)
        and not (isinstance(entry, ex.Apply) and entry.function in _STRAIGHT)
        for kind in kinds
        for entry in ex.each(node, kind)
    )
    return not curved and next(ex.each(node, ex.Sum), None) is not None


_STRAIGHT = ("where", "max", "min", "finite", "step")


@dataclass(frozen=True)
class _Spreadsheet(ex.Fold[_Text]):
    """A writer of the formulas of one sheet's cells."""

    sheet: str
    place_of: PlaceOf

    gives = "spreadsheet notation"

    @property
    def ranges(self) -> CellRanges:
        return CellRanges(self.place_of)

    def held(self, node: Expression, least: int) -> str:
        text, binds = self.of(node)
        return text if binds >= least else f"({text})"

    def listed(self, nodes: Sequence[Expression]) -> str:
        return ",".join(self.of(node).text for node in nodes)

    def of_number(self, node: Number) -> _Text:
        if node.cell == ex.INNER and node.form is not None:
            return self.of(node.form)
        if node.cell is not None and node.cell.quantity:
            return _Text(self._address(node.cell), _ATOM)
        text = decimals.text(node.full) if node.full.is_finite() else MINUS_INFINITY
        return _Text(text, _SUM if text.startswith("-") else _ATOM)

    def of_cell_range(self, node: CellRange) -> _Text:
        last = self.place_of(node.last)
        return _Text(f"{self._address(node.first)}:{_letters(last.column)}{last.row + 1}", _ATOM)

    def _address(self, cell: Location) -> str:
        sheet, row, column = self.place_of(cell)
        before = "" if sheet == self.sheet else f"{quoted(sheet)}!"
        return f"{before}{_letters(column)}{row + 1}"

    def of_symbol(self, node: ex.Symbol) -> _Text:
        if node not in _CONSTANTS:
            raise TypeError(f"{node.name} is a name, not a number of a spreadsheet")
        return _Text(_CONSTANTS[node], _ATOM)

    def of_sum(self, node: ex.Sum) -> _Text:
        text = ""
        for run in self.ranges.runs(node.terms):
            ranged = self._ranged(run)
            if ranged is not None:
                text += ("+" if text else "") + ranged
                continue
            for term in run:
                text += self._term(term, is_first=not text)
        return _Text(text, _SUM)

    def _term(self, term: Expression, *, is_first: bool) -> str:
        if isinstance(term, ex.Negative):
            return "-" + self.held(term.operand, _ATOM if is_first else _PRODUCT)
        return self.of(term).text if is_first else "+" + self.held(term, _PRODUCT)

    def of_product(self, node: ex.Product) -> _Text:
        first, *others = node.factors
        texts = [self.held(first, _PRODUCT), *(self.held(e, _POWER) for e in others)]
        return _Text("*".join(texts), _PRODUCT)

    def of_quotient(self, node: ex.Quotient) -> _Text:
        text = f"{self.held(node.dividend, _PRODUCT)}/{self.held(node.divisor, _POWER)}"
        return _Text(text, _PRODUCT)

    def of_negative(self, node: ex.Negative) -> _Text:
        return _Text("-" + self.held(node.operand, _ATOM), _SUM)

    def of_power(self, node: ex.Power) -> _Text:
        if node.base == ex.E:
            return _Text(f"EXP({self.of(node.exponent).text})", _ATOM)
        return _Text(f"{self.held(node.base, _ATOM)}^{self.held(node.exponent, _ATOM)}", _POWER)

    def of_root(self, node: ex.Root) -> _Text:
        return _Text(f"SQRT({self.of(node.operand).text})", _ATOM)

    def of_dot(self, node: ex.Dot) -> _Text:
        pairs = zip(entries(node.left), entries(node.right), strict=True)
        return self.of(ex.Sum(tuple(ex.Product(pair) for pair in pairs)))

    def of_apply(self, node: ex.Apply) -> _Text:
        if node.function in _COMPARED:
            return _Text(f"IF({_met(self, node)},1,0)", _ATOM)
        if node.function not in _FUNCTIONS:
            raise TypeError(f"{node.function} is not a function of a spreadsheet")
        binds = _SUM if node.function == "count_before" else _ATOM
        return _Text(_FUNCTIONS[node.function](self, node.arguments), binds)

    def extreme(self, function: str, arguments: Sequence[Expression]) -> str:
        """Writes the largest or the smallest of some numbers."""
        return f"{function}({self.cells(arguments)})"

    def cells(self, numbers: Sequence[Expression]) -> str:
        """Writes some numbers, as a range where they are one."""
        cells = self.ranges.template(numbers) if len(numbers) >= _LONG_LIST else None
        return self.of(cells).text if isinstance(cells, CellRange) else self.listed(numbers)

    def _ranged(self, terms: Sequence[Expression]) -> str | None:
        """Writes terms as a sum over ranges of cells; returns None where they are better written
        out."""
        if len(terms) < (_LONG_LIST if isinstance(terms[0], Number) else _LONG):
            return None
        template = self.ranges.template(terms)
        match template:
            case None:
                return None
            case CellRange():
                return f"SUM({self.of(template).text})"
            case ex.Power(CellRange() as base, ex.TWO):
                return f"SUMSQ({self.of(base).text})"
            case ex.Product((CellRange() as a, CellRange() as b)):
                return self._product_of_ranges(a, b)
            case _:
                return self._sum_of_template(template)

    def _product_of_ranges(self, a: CellRange, b: CellRange) -> str:
        if self.ranges.is_row(a) == self.ranges.is_row(b):
            return f"SUMPRODUCT({self.listed([a, b])})"
        row, column = (a, b) if self.ranges.is_row(a) else (b, a)
        return f"MMULT({self.listed([row, column])})"

    def _sum_of_template(self, template: Expression) -> str | None:
        ranges = {self.ranges.is_row(area) for area in ex.each(template, CellRange)}
        if len(ranges) != 1 or any(
            apply.function in _OF_ONE for apply in ex.each(template, ex.Apply)
        ):
            return None
        return f"SUMPRODUCT({self.of(template).text})"


_CONSTANTS: Mapping[ex.Symbol, str] = MappingProxyType({ex.E: "EXP(1)", ex.PI: "PI()"})
