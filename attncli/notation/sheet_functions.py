"""Functions of expressions as a spreadsheet has them: `IF(C4<=D4,1,0)`, `RANK(C4,C4:F4)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from attncli.arithmetic import expression as ex
from attncli.arithmetic.expression import Expression
from attncli.notation.plain import plain

IS_FINITE = "-1E+100"
"""What is below this was −∞."""
NOISE = 12
"""Decimals that are sure in what binary fractions add up to."""


class SheetText(Protocol):
    """A part of a formula."""

    @property
    def text(self) -> str: ...


class FormulaWriter(Protocol):
    """What writes expressions as the formulas of a sheet."""

    def of(self, node: Expression) -> SheetText: ...

    def listed(self, nodes: Sequence[Expression]) -> str: ...

    def extreme(self, function: str, arguments: Sequence[Expression]) -> str: ...

    def cells(self, numbers: Sequence[Expression]) -> str: ...


def entries(vector: Expression) -> tuple[Expression, ...]:
    if not isinstance(vector, ex.Vector):
        raise TypeError(f"{plain(vector)} is no vector of numbers")
    return vector.entries


Function = Callable[[FormulaWriter, Sequence[Expression]], str]


def _called(name: str) -> Function:
    return lambda sheet, arguments: f"{name}({sheet.listed(arguments)})"


def _extreme(name: str) -> Function:
    return lambda sheet, arguments: sheet.extreme(name, arguments)


def _where(sheet: FormulaWriter, arguments: Sequence[Expression]) -> str:
    condition, one, other = arguments
    return f"IF({met(sheet, condition)},{sheet.listed([one, other])})"


def met(sheet: FormulaWriter, condition: Expression) -> str:
    """When a condition is met: what it compares, else whether it is another number than 0."""
    if isinstance(condition, ex.Apply) and condition.function in COMPARED:
        return COMPARED[condition.function](sheet, condition.arguments)
    return f"{sheet.of(condition).text}<>0"


def _compared(sign: str) -> Function:
    return lambda sheet, both: sign.join(sheet.of(one).text for one in both)


def _count_before(sheet: FormulaWriter, arguments: Sequence[Expression]) -> str:
    """How many numbers of a row are larger than one, or as large and before it."""
    number, row, before = _in_its_row(sheet, arguments)
    return f"RANK({number},{row})-1" + (f"+COUNTIF({before},{number})" if before else "")


def _sum_before(sheet: FormulaWriter, arguments: Sequence[Expression]) -> str:
    """What these numbers add up to."""
    number, row, before = _in_its_row(sheet, arguments)
    equal = f"+COUNTIF({before},{number})*{number}" if before else ""
    return f"ROUND(SUMPRODUCT(({row}>{number})*{row}){equal},{NOISE})"


def _in_its_row(sheet: FormulaWriter, arguments: Sequence[Expression]) -> Iterator[str]:
    """A number, the cells of its row, those of them before it."""
    number, row, before = arguments
    yield sheet.of(number).text
    for cells in (entries(row), entries(before)):
        yield sheet.cells(cells)


def _step(sheet: FormulaWriter, arguments: Sequence[Expression]) -> str:
    """1 above 0, else 0; what is left of a sum is no more than noise."""
    return f"IF(ROUND({sheet.listed(arguments)},{NOISE})>0,1,0)"


def _finite(sheet: FormulaWriter, arguments: Sequence[Expression]) -> str:
    return f"{sheet.of(arguments[0]).text}>{IS_FINITE}"


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
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
COMPARED: Mapping[str, Function] = MappingProxyType(
    {"less": _compared("<"), "at_most": _compared("<="), "finite": _finite}
)
"""Conditions; where a number is wanted, 1 if they are met, else 0."""
OF_ONE = ("max", "min", "where", "step", *COMPARED, "count_before", "sum_before")
"""Those that don't take a range number by number."""
