"""Expressions as the formulas of a spreadsheet: `=SUMPRODUCT(B3:E3,B8:E8)+F3`, `=EXP(C4)/D4`.

What Excel and LibreOffice both work out alike. A minus before a power has parentheses, since both
take it first: there `-2^2` is 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from attncli.arithmetic import decimals
from attncli.arithmetic import expression as ex
from attncli.arithmetic.expression import Expression, Location, Number
from attncli.notation.sheet_cells import CellRange, CellRanges, PlaceOf, letters, quoted
from attncli.notation.sheet_functions import COMPARED, FUNCTIONS, NOISE, OF_ONE, entries, met

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
    """The formula of a cell of a sheet, rounded to so many decimals if any are said. Raises
    TypeError for a node that has none, TooLongError."""
    spreadsheet = _Spreadsheet(sheet, place_of)
    text = spreadsheet.of(node).text
    if decimals is not None:
        text = _rounded(text, node, decimals)
    if len(text) > LONGEST:
        raise TooLongError
    return f"={text}"


def _rounded(text: str, node: Expression, decimals: int) -> str:
    """Rounded half away from zero; of a sum, whose binary fractions may leave a half a hair below
    where decimal ones have it, first to as many decimals as are sure."""
    if decimals < NOISE and _may_be_half(node):
        text = f"ROUND({text},{NOISE})"
    return f"ROUND({text},{decimals})"


def _may_be_half(node: Expression) -> bool:
    """Whether it is worked from sums, and by nothing that never comes to a half exactly."""
    kinds = (ex.Root, ex.Power, ex.Apply)
    curved = any(
        not (isinstance(one, ex.Power) and one.base != ex.E)
        and not (isinstance(one, ex.Apply) and one.function in _STRAIGHT)
        for kind in kinds
        for one in ex.each(node, kind)
    )
    return not curved and next(ex.each(node, ex.Sum), None) is not None


_STRAIGHT = ("where", "max", "min", "finite", "step")


@dataclass(frozen=True)
class _Spreadsheet:
    """Formulas of the cells of one sheet."""

    sheet: str
    place_of: PlaceOf

    @property
    def ranges(self) -> CellRanges:
        return CellRanges(self.place_of)

    def of(self, node: Expression) -> _Text:
        rule = _RULES.get(type(node))
        if rule is None:
            raise TypeError(f"{type(node).__name__} has no spreadsheet notation")
        return rule(self, node)

    def held(self, node: Expression, least: int) -> str:
        text, binds = self.of(node)
        return text if binds >= least else f"({text})"

    def listed(self, nodes: Sequence[Expression]) -> str:
        return ",".join(self.of(node).text for node in nodes)

    def number(self, node: Number) -> _Text:
        if node.cell == ex.INNER and node.form is not None:
            return self.of(node.form)
        if node.cell is not None and node.cell.quantity:
            return _Text(self._address(node.cell), _ATOM)
        text = decimals.text(node.full) if node.full.is_finite() else MINUS_INFINITY
        return _Text(text, _SUM if text.startswith("-") else _ATOM)

    def range(self, node: CellRange) -> _Text:
        last = self.place_of(node.last)
        return _Text(f"{self._address(node.first)}:{letters(last.column)}{last.row + 1}", _ATOM)

    def _address(self, cell: Location) -> str:
        sheet, row, column = self.place_of(cell)
        before = "" if sheet == self.sheet else f"{quoted(sheet)}!"
        return f"{before}{letters(column)}{row + 1}"

    def symbol(self, node: ex.Symbol) -> _Text:
        if node not in _CONSTANTS:
            raise TypeError(f"{node.name} is a name, not a number of a spreadsheet")
        return _Text(_CONSTANTS[node], _ATOM)

    def sum(self, node: ex.Sum) -> _Text:
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

    def product(self, node: ex.Product) -> _Text:
        first, *others = node.factors
        texts = [self.held(first, _PRODUCT), *(self.held(one, _POWER) for one in others)]
        return _Text("*".join(texts), _PRODUCT)

    def quotient(self, node: ex.Quotient) -> _Text:
        text = f"{self.held(node.dividend, _PRODUCT)}/{self.held(node.divisor, _POWER)}"
        return _Text(text, _PRODUCT)

    def negative(self, node: ex.Negative) -> _Text:
        return _Text("-" + self.held(node.operand, _ATOM), _SUM)

    def power(self, node: ex.Power) -> _Text:
        if node.base == ex.E:
            return _Text(f"EXP({self.of(node.exponent).text})", _ATOM)
        return _Text(f"{self.held(node.base, _ATOM)}^{self.held(node.exponent, _ATOM)}", _POWER)

    def root(self, node: ex.Root) -> _Text:
        return _Text(f"SQRT({self.of(node.operand).text})", _ATOM)

    def dot(self, node: ex.Dot) -> _Text:
        pairs = zip(entries(node.left), entries(node.right), strict=True)
        return self.of(ex.Sum(tuple(ex.Product(pair) for pair in pairs)))

    def applied(self, node: ex.Apply) -> _Text:
        if node.function in COMPARED:
            return _Text(f"IF({met(self, node)},1,0)", _ATOM)
        if node.function not in FUNCTIONS:
            raise TypeError(f"{node.function} is not a function of a spreadsheet")
        binds = _SUM if node.function == "count_before" else _ATOM
        return _Text(FUNCTIONS[node.function](self, node.arguments), binds)

    def extreme(self, function: str, arguments: Sequence[Expression]) -> str:
        """The largest or the smallest of some numbers."""
        return f"{function}({self.cells(arguments)})"

    def cells(self, numbers: Sequence[Expression]) -> str:
        """Some numbers, as a range where that is what they are."""
        cells = self.ranges.template(numbers) if len(numbers) >= _LONG_LIST else None
        return self.of(cells).text if isinstance(cells, CellRange) else self.listed(numbers)

    def _ranged(self, terms: Sequence[Expression]) -> str | None:
        """Terms as a sum over ranges of cells; None where they are better written out."""
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
        ranges = {self.ranges.is_row(one) for one in ex.each(template, CellRange)}
        if len(ranges) != 1 or any(one.function in OF_ONE for one in ex.each(template, ex.Apply)):
            return None
        return f"SUMPRODUCT({self.of(template).text})"


_CONSTANTS: Mapping[ex.Symbol, str] = MappingProxyType({ex.E: "EXP(1)", ex.PI: "PI()"})

_RULES: Mapping[type, Callable[[_Spreadsheet, Any], _Text]] = MappingProxyType(
    {
        Number: _Spreadsheet.number,
        CellRange: _Spreadsheet.range,
        ex.Symbol: _Spreadsheet.symbol,
        ex.Sum: _Spreadsheet.sum,
        ex.Product: _Spreadsheet.product,
        ex.Quotient: _Spreadsheet.quotient,
        ex.Negative: _Spreadsheet.negative,
        ex.Power: _Spreadsheet.power,
        ex.Root: _Spreadsheet.root,
        ex.Dot: _Spreadsheet.dot,
        ex.Apply: _Spreadsheet.applied,
    }
)
