"""The formulas that a page prints of a scenario's own equations, worked for all cells of its tables.

A formula such as `S[t, k, j] = S[t − 1, k, j] + K[t, k] × V[t, j]` is read from its text and worked
from the numbers that the page shows. What it comes to is rounded to the digits of the table of what
it makes. Nothing is known of the scenario but how long its sides are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from itertools import product
from typing import Any

from tests.auditor.calculator import FUNCTIONS, number, rounds_to
from tests.auditor.tables import Table, Tables

Scope = Mapping[str, Any]
"""Indices by their name, from 1, and the parameters of a function."""
Worked = Callable[[Scope], Any]
Place = tuple[str, int]
"""An index and what is added to it; without an index a place that is a number."""

_TOKEN = re.compile(
    r"\s*(?:(?P<over>(?:Σ|mean|max|min|prod)_(?:\{|[^\W\d]\w*(?=[\s(])))"
    r"|(?P<number>∞|\d+(?:\.\d+)?)"
    r"|(?P<word>(?:where|otherwise|and|or)\b)"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<mark>[-+−×/^√()\[\],{}:<≤>≥=≠]))"
)
_EQUATION = re.compile(r"[^\W\d]\w*(?:[\[(][^\])]*[\])])? = ")
_TIME = re.compile(r", (?P<index>\w+) = (?P<now>\d+)$")
_START = re.compile(r"Before the (?:first|last) \w+, (?P<starts>.*)\.$")
_DIGITS = 50


@dataclass
class _Formula:
    """A formula as it is read: what it makes, and the cells in it."""

    name: str
    indices: list[str]
    work: Worked
    cells: list[tuple[str, list[Place]]]


@dataclass
class _Page:
    """What a page has said so far."""

    tables: Tables
    sides: Mapping[str, int]
    functions: dict[str, tuple[list[str], Worked]] = field(default_factory=dict)
    starts: dict[str, str] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    """How far the indices of the formula that is being worked go."""

    def table(self, name: str, count: int, now: int) -> Table | None:
        """The table of a quantity with so many sides, or of what it is at a time."""
        for called in (name, f"{name}[{now}]"):
            if called in self.tables and len(_extents(self.tables[called])) == count:
                return self.tables[called]
        return None

    def cell(self, name: str, places: list[int]) -> Any:
        table = self.table(name, len(places), 0)
        if table is None and places:
            table, rest = self.table(name, len(places) - 1, places[0]), places[1:]
        else:
            rest = places
        if (table is None or 0 in places[:1]) and name in self.starts:
            what = self.starts[name]
            is_number = re.fullmatch(r"−?(?:\d+(?:\.\d+)?|∞)", what)
            return number(what) if is_number else self.cell(what, places[1:])
        if table is None:
            raise ValueError(f"nothing is called {name} with {len(places)} sides")
        if min(rest, default=1) < 1:
            raise ValueError(f"{name} has no {rest}")
        return number(_text(table, rest))


def is_formula(text: str) -> bool:
    """Whether a text of a section is an equation of the scenario's."""
    return _EQUATION.match(text) is not None


def audit_formulas(page: Mapping[str, Any], sides: Mapping[str, int]) -> tuple[list[str], int]:
    """What is false of the formulas of a page's JSON, and how many cells they were worked for."""
    known, false, worked = _Page(Tables(page), sides), [], 0
    for step in page["steps"]:
        timed = _TIME.search(step["title"])
        time = {timed["index"]: int(timed["now"])} if timed else {}
        for text in filter(None, [*step["formula"].split(",   "), *step.get("text", ())]):
            start = _START.search(text)
            if start is not None:
                known.starts.update(_starts(start["starts"]))
            elif is_formula(text):
                for wrong in _false(text, known, time):
                    worked += not wrong
                    false += [wrong] if wrong else []
    return false, worked


def _starts(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split(", "):
        name, _, what = part.partition(" = ")
        yield name, what


def _false(text: str, page: _Page, time: Mapping[str, int]) -> Iterator[str]:
    """An empty text for each cell that comes of its formula; for others what is wrong."""
    with localcontext(Context(prec=_DIGITS)):
        formula = _Reader(text, page).formula()
        if formula is None:
            return
        page.lengths = dict(_lengths(formula, page, time))
        now = next(iter(time.values()), 0)
        indices = [index for index in formula.indices if index not in time]
        table = page.table(formula.name, len(indices), now) if now else None
        table = page.table(f"{formula.name}[{now}]", len(indices), 0) if now else table
        table = table or page.table(formula.name, len(indices), 0)
        if table is None:
            yield f"no table of {formula.name}: {text}"
            return
        for places in product(*(range(1, n + 1) for n in _extents(table))):
            value = formula.work({**time, **dict(zip(indices, places, strict=True))})
            shown = _text(table, list(places))
            yield "" if _is(value, shown) else f"{text} at {places}: {value}, not {shown}"


def _is(value: Decimal, shown: str) -> bool:
    return value == number(shown) if "∞" in shown else rounds_to(value, shown)


def _lengths(formula: _Formula, page: _Page, time: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    now = next(iter(time.values()), 0)
    made = (formula.name, [(index, 0) for index in formula.indices])
    for name, places in [*formula.cells, made]:
        table, rest = page.table(name, len(places), 0), places
        if table is None:
            table, rest = page.table(name, len(places) - 1, now or 1), places[1:]
        if table is not None:
            yield from (
                (index, length)
                for (index, shift), length in zip(rest, _extents(table), strict=True)
                if index and not shift and index not in time
            )


def _extents(table: Table) -> list[int]:
    """How long the sides of a table are; a number has none."""
    if not table.columns:
        return [len(table.text)] if table.rows != [""] else []
    if table.rows == [""]:
        return [len(table.columns)] if table.columns != [""] else []
    return [len(table.rows), len(table.columns)]


def _text(table: Table, places: list[int]) -> str:
    """The text of a cell, by its places from 1."""
    rows = table.text
    if not table.columns:
        return str(rows[places[0] - 1] if places else rows[0])
    if table.rows == [""]:
        return str(rows[0][places[0] - 1] if places else rows[0][0])
    return str(rows[places[0] - 1][places[1] - 1])


_RELATIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b, "≤": lambda a, b: a <= b, ">": lambda a, b: a > b,
    "≥": lambda a, b: a >= b, "=": lambda a, b: a == b, "≠": lambda a, b: a != b,
}  # fmt: skip
_OVER: Mapping[str, Callable[[list[Any]], Any]] = {
    "Σ": lambda x: sum(x, start=Decimal(0)),
    "mean": lambda x: sum(x, start=Decimal(0)) / len(x),
    "max": max,
    "min": min,
}
_OF_NUMBERS: Mapping[str, Callable[..., Any]] = {
    **FUNCTIONS,
    "sigmoid": lambda x: 1 / (1 + (-x).exp()),
    "softplus": lambda x: (1 + x.exp()).ln(),
    "relu": lambda x: max(x, Decimal(0)),
}


class _Reader:
    """Reads a formula, as something that works it where its indices are known."""

    def __init__(self, text: str, page: _Page) -> None:
        self.page, self.cells = page, list[tuple[str, list[Place]]]()
        self.rest = self._tokens(text)[::-1]

    @staticmethod
    def _tokens(text: str) -> list[tuple[str, str]]:
        found, position = [], 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None or match.lastgroup is None:
                raise ValueError(f"unreadable: {text[position:]!r}")
            found.append((match.lastgroup, match[match.lastgroup]))
            position = match.end()
        return found

    def next_is(self, *texts: str) -> bool:
        return bool(self.rest) and self.rest[-1][1] in texts

    def take(self, *texts: str) -> str:
        if not self.rest or (texts and not self.next_is(*texts)):
            raise ValueError(f"{texts} wanted before {self.rest[::-1]}")
        return self.rest.pop()[1]

    def formula(self) -> _Formula | None:
        """Reads all; a function is kept, and None returned."""
        name, indices = self.take(), list[str]()
        if self.next_is("(", "["):
            closing = ")" if self.take() == "(" else "]"
            while not self.next_is(closing):
                indices.append(self.take())
                if self.next_is(","):
                    self.take()
            is_function = self.take() == ")"
        else:
            is_function = False
        self.take("=")
        work = self.choice()
        if self.rest:
            raise ValueError(f"left over: {self.rest[::-1]}")
        if is_function:
            self.page.functions[name] = (indices, work)
            return None
        return _Formula(name, indices, work, self.cells)

    def choice(self) -> Worked:
        chosen = self.sum()
        if not self.next_is("where"):
            return chosen
        self.take()
        condition = self.condition()
        self.take(",")
        self.take("otherwise")
        other = self.choice()
        return lambda scope: chosen(scope) if condition(scope) else other(scope)

    def condition(self) -> Worked:
        parts = [self.both()]
        while self.next_is("or"):
            self.take()
            parts.append(self.both())
        return lambda scope: any(part(scope) for part in parts)

    def both(self) -> Worked:
        parts = [self.comparison()]
        while self.next_is("and"):
            self.take()
            parts.append(self.comparison())
        return lambda scope: all(part(scope) for part in parts)

    def comparison(self) -> Worked:
        left, relations = self.sum(), list[tuple[str, Worked]]()
        while self.next_is(*_RELATIONS):
            relations.append((self.take(), self.sum()))

        def holds(scope: Scope) -> bool:
            before = left(scope)
            for relation, part in relations:
                after = part(scope)
                if not _RELATIONS[relation](before, after):
                    return False
                before = after
            return True

        return holds

    def sum(self) -> Worked:
        terms = [self.signed()]
        while self.next_is("+", "−"):
            is_minus = self.take() == "−"
            term = self.product()
            terms.append(_negative(term) if is_minus else term)
        return lambda scope: sum((term(scope) for term in terms), start=Decimal(0))

    def signed(self) -> Worked:
        if self.next_is("−"):
            self.take()
            return _negative(self.product())
        return self.product()

    def product(self) -> Worked:
        result = self.power()
        while self.next_is("×", "/"):
            result = _joined(self.take(), result, self.power())
        return result

    def power(self) -> Worked:
        base = self.atom()
        if not self.next_is("^"):
            return base
        self.take()
        exponent = self.atom()
        return lambda scope: base(scope) ** exponent(scope)

    def atom(self) -> Worked:
        kind, text = self.rest.pop()
        if kind == "number":
            return lambda _: number(text)
        if kind == "over":
            return self.over(text)
        return self.named(text) if kind == "name" else self.marked(text)

    def marked(self, mark: str) -> Worked:
        if mark == "(":
            inner = self.choice()
            self.take(")")
            return inner
        operand = self.atom()
        if mark not in "√−":
            raise ValueError(f"{mark} begins nothing")
        return _negative(operand) if mark == "−" else lambda scope: operand(scope).sqrt()

    def named(self, name: str) -> Worked:
        if name == "e" and self.next_is("^"):
            self.take()
            exponent = self.atom()
            return lambda scope: exponent(scope).exp()
        return self.call(name) if self.next_is("(") else self.cell(name)

    def over(self, text: str) -> Worked:
        function, _, index = text.partition("_")
        condition: Worked = lambda _: True  # noqa: E731
        if index == "{":
            index = self.take()
            self.take(":")
            condition = self.condition()
            self.take("}")
        operand = self.product()

        def work(scope: Scope) -> Any:
            inside = ({**scope, index: place} for place in range(1, self.page.lengths[index] + 1))
            return _OVER[function]([operand(each) for each in inside if condition(each)])

        return work

    def call(self, name: str) -> Worked:
        self.take("(")
        arguments = [self.choice()]
        while self.next_is(","):
            self.take()
            arguments.append(self.choice())
        self.take(")")
        if name not in self.page.functions:
            function = _OF_NUMBERS[name]
            return lambda scope: function(*(argument(scope) for argument in arguments))
        parameters, work = self.page.functions[name]
        return lambda scope: work(
            dict(zip(parameters, (argument(scope) for argument in arguments), strict=True))
        )

    def cell(self, name: str) -> Worked:
        places = list[Place]()
        if self.next_is("["):
            self.take()
            while not self.next_is("]"):
                places.append(self.place())
                if self.next_is(","):
                    self.take()
            self.take()
            self.cells.append((name, places))

        def work(scope: Scope) -> Any:
            if not places and name in scope:
                return Decimal(scope[name])
            if not places and name in self.page.sides and self.page.table(name, 0, 0) is None:
                return Decimal(self.page.sides[name])
            return self.page.cell(name, [scope.get(i, 0) + shift for i, shift in places])

        return work

    def place(self) -> Place:
        kind, text = self.rest.pop()
        if kind == "number":
            return "", int(text)
        if self.next_is("+", "−"):
            sign = -1 if self.take() == "−" else 1
            return text, sign * int(self.take())
        return text, 0


def _negative(term: Worked) -> Worked:
    return lambda scope: -term(scope)


def _joined(sign: str, left: Worked, right: Worked) -> Worked:
    if sign == "/":
        return lambda scope: left(scope) / right(scope)
    return lambda scope: left(scope) * right(scope)
