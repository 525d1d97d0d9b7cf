"""Settings that stand as numbers in a page's equations, so that a reader can change them there: the
temperature of the next token."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from attncli.document.blocks import (
    Block,
    Derivation,
    Document,
    Interactive,
    Line,
    Paragraph,
    Span,
)
from attncli.document.pictures import Bars
from attncli.document.tables import MatrixBlock, TableNames, WorkedTable
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Equation, Expression, Location, Number, Symbol, with_each
from attncli.maths.notation import plain
from attncli.names import Name, Word
from attncli.steps.prediction.logits import TEMPERATURE
from attncli.trace import Trace

_NEXT = Name("next")
_TEMPERED = Name("tempered", _NEXT)


def constants_in(trace: Trace) -> Iterator[tuple[Location, str]]:
    """Yields where each such setting stands, in a quantity of its own, and its key."""
    if trace.scenario.prediction.config.get(TEMPERATURE) is not None and _TEMPERED in trace:
        name = Name(TEMPERATURE.name, _NEXT)
        yield Location(name, 0, 0), str(name)


def told_with_constants(page: Document, trace: Trace) -> Document:
    """Returns a page whose lines of working know where such settings stand."""
    if not any(constants_in(trace)):
        return page
    sections = tuple(
        section._replace(
            formulas=tuple(_formula(trace, formula) for formula in section.formulas),
            blocks=tuple(_block(trace, block) for block in section.blocks),
        )
        for section in page.sections
    )
    return page._replace(sections=sections, interactive=with_constants(page.interactive, trace))


def with_constants(interactive: Interactive, trace: Trace) -> Interactive:
    """Adds such settings to a page's quantities, as numbers that are given."""
    if not any(constants_in(trace)):
        return interactive
    origins, workings = interactive.origins, interactive.workings
    return interactive._replace(
        origins=_Origins(origins, trace), workings=_Workings(workings, trace)
    )


def _number(trace: Trace) -> Number:
    ((cell, _),) = constants_in(trace)
    value = trace.scenario.prediction.config.get(TEMPERATURE)
    assert value is not None
    return Number(value, value, cell)


def _in(trace: Trace, form: Expression) -> Expression:
    """Puts the number that knows its place where it stands in a form."""
    own = _number(trace)
    return with_each(form, Number, lambda n: own if n.cell is None and own.is_same(n) else None)


def _line(trace: Trace, line: Line) -> Line:
    if line.quantity != _TEMPERED:
        return line
    return line._replace(parts=tuple((sign, _in(trace, form)) for sign, form in line.parts))


def _formula(trace: Trace, formula: Equation) -> Equation:
    """Writes the formula with the setting's name, which is true of any number."""
    own, name = _number(trace), Symbol(TEMPERATURE.name)
    is_own = formula.left == Symbol(_TEMPERED.local)
    right = with_each(formula.right, Number, lambda n: name if own.is_same(n) else None)
    return formula._replace(right=right) if is_own else formula


def _block(trace: Trace, block: Block) -> Block:
    match block:
        case Derivation():
            lines = (_line(trace, line) if isinstance(line, Line) else line for line in block.lines)
            return block._replace(lines=tuple(lines))
        case Paragraph():
            spans = (part for span in block.text for part in _said(trace, span))
            return block._replace(text=tuple(spans))
        case Bars() if any(its.name == f"T = {_number(trace).shown:f}" for its in block.series):
            return block._replace(said_of=(_number(trace),))
        case _:
            return block


def _said(trace: Trace, span: Span) -> Iterator[Span]:
    """Yields what a sentence says, with the number apart where it names the setting."""
    number = _number(trace)
    before, name, after = f"{span}".partition(f"{TEMPERATURE.name} {plain(number)}")
    if not isinstance(span, str) or not name:
        yield span
        return
    yield f"{before}{TEMPERATURE.name} "
    yield number
    yield after


class _Origins(Mapping[Location, Line]):
    """A mapping of where numbers come from, with those of settings, which are given."""

    def __init__(self, origins: Mapping[Location, Line], trace: Trace) -> None:
        self._origins, self._trace = origins, trace
        self._own = dict(constants_in(trace))

    def __getitem__(self, cell: Location) -> Line:
        if cell in self._own:
            return Line(Symbol(self._own[cell]), (("=", _number(self._trace)),), self._own[cell])
        return _line(self._trace, self._origins[cell])

    def __contains__(self, cell: object) -> bool:
        return cell in self._own or cell in self._origins

    def __iter__(self) -> Iterator[Location]:
        yield from (*self._own, *self._origins)

    def __len__(self) -> int:
        return len(self._own) + len(self._origins)


class _Workings(Mapping[str, WorkedTable]):
    """A mapping of quantities as they are worked again, after the settings, which are given."""

    def __init__(self, workings: Mapping[str, WorkedTable], trace: Trace) -> None:
        self._workings, self._trace = workings, trace
        self._own = {str(cell.quantity): cell for cell, _ in constants_in(trace)}

    def __getitem__(self, name: str) -> WorkedTable:
        if name in self._own:
            return _table(name, _number(self._trace))
        found = self._workings[name]
        if name != _TEMPERED:
            return found
        form, told = (partial(self._in, of) for of in (found.form, found.told))
        return found._replace(equation=None, form=form, told=told)

    def _in(self, of: Callable[[int, int], Expression | None], i: int, j: int) -> Expression | None:
        form = of(i, j)
        return None if form is None else _in(self._trace, form)

    def __iter__(self) -> Iterator[str]:
        yield from (*self._own, *self._workings)

    def __len__(self) -> int:
        return len(self._own) + len(self._workings)


def _table(name: str, number: Number) -> WorkedTable:
    matrix = Matrix.of_written([[number.full]])
    block = MatrixBlock(
        name, matrix, TableNames((Word(""),), ()), (0,), quantity=Name(TEMPERATURE.name, _NEXT)
    )
    return WorkedTable(block, (), None, lambda *_: None, constant=True)
