"""The formulas of a paper's numbers, as data for a page that judges each by those before it.

Of each quantity it has a formula, or its numbers where the working starts from these. The page is
`formats/html/judging.js`.

The sheet of a student starts from what is printed on it: the key's numbers are worked by the page
and stand nowhere in it. What no formula for a browser leads to, or what is worked from that, is
judged by what the sheet has of the key. The form that a teacher types papers into holds the key,
and starts from whatever nobody is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np

from attncli.classroom.exercises.tasks import line_by_names
from attncli.document.questions import Hint, Item, WorkedInBrowser
from attncli.judging.judging import Judge
from attncli.judging.wrong_ways import declared_ways
from attncli.maths.equations.signatures import axes_of
from attncli.maths.equations.tree import Location, Number, Quotient, Reduced, Root, each
from attncli.maths.notation import plain
from attncli.maths.notation.escaping import shown
from attncli.maths.notation.plain import PlainNotation
from attncli.maths.notation.trees import PlaceOf, Tree, tree_of
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.activations import DivideBy
from attncli.maths.operations.equation import Indexed
from attncli.maths.operations.operation import ZeroOne
from attncli.maths.operations.rearranging import Moved
from attncli.maths.operations.softmax import Exponential
from attncli.maths.operations.written import WrittenOperation
from attncli.names import TOP
from attncli.pages.parts.working import cell_line
from attncli.trace import Definition

_MOST_NUMBERS = 20_000
"""Numbers of all quantities beyond which no page works them at every key that is typed."""
_SIGNS = frozenset(
    {
        "+", "*", "/", "-", "^", "e", "π", "of", "length", "list", "sqrt", "abs", "tanh", "ln",
        "max", "min", "sin", "cos", "erf", "erfc", "step", "finite", "less", "at_most", "and",
        "where", "count_before",
    }
)  # fmt: skip
"""What `formats/html/enclosures.js` knows."""


def worked_in_browser(judge: Judge, items: Sequence[Item], *, keyed: bool) -> WorkedInBrowser:
    """Returns how the numbers of some items are worked, and the place of each by its id: of its
    quantity in the data, and of its cell there. A page that is `keyed` may hold the key's
    numbers."""
    cells = {item.id: item.cell for item in items if item.key and item.cell is not None}
    working = _Working(judge, frozenset(cell.quantity for cell in cells.values()), keyed)
    names = {name: k for k, name in enumerate(working.data)}
    places = {
        id_: (names[cell.quantity], working.place(cell))
        for id_, cell in cells.items()
        if cell.quantity in names
    }
    wrong = {} if keyed else {name: [*_wrongly(working, name)] for name in working.data}
    tolerance = judge.tolerance
    data = {
        "carry": judge.trace.rounding.carries,
        "tolerance": {
            "units": float(tolerance.units),
            "absolute": float(tolerance.absolute),
            "relative": float(tolerance.relative),
            "digits": tolerance.digits,
        },
        "quantities": [
            {
                **_placed(entry, names),
                **({"wrong": ways} if (ways := wrong.get(name)) else {}),
            }
            for name, entry in working.data.items()
        ],
    }
    for ways in wrong.values():
        for way in ways:
            way[1] = _placed(way[1], names)
    hints = {} if keyed else {id_: _hint(judge, names, cells[id_], working) for id_ in places}
    return WorkedInBrowser(data if places else {}, places, hints)


def _placed(entry: Mapping[str, Any], names: Mapping[str, int]) -> dict[str, object]:
    """Returns a quantity as data with the places of its operands for their names."""
    return {**entry, "of": [names[o] for o in entry["of"]]} if "of" in entry else {**entry}


def _wrongly(working: _Working, name: str) -> Iterator[list[Any]]:
    """Yields what known mistakes in working a quantity are called, each with how it is worked so,
    where a browser can."""
    trace = working.judge.trace
    part = trace.part_of(name) if name in working.asked else None
    ways = () if part is None else declared_ways(trace, part)
    before = {*takewhile(lambda known: known != name, working.data)}
    for way in ways:
        for made in (definition for definition in way.definitions if definition.name == name):
            if before >= {*made.operands}:
                with suppress(TypeError, KeyError):
                    yield [shown(way.says), {"of": made.operands, **working.wrongly(made)}]


def _hint(judge: Judge, names: Mapping[str, int], cell: Location, working: _Working) -> Hint:
    """Returns how a number is worked, without it."""
    trace = judge.trace
    quantity, part = trace[cell.quantity], trace.part_of(cell.quantity)
    line = cell_line(trace, quantity, cell.row, cell.column)
    path = TOP if part is None else part.path
    by_names = [plain(form) for _, form in line_by_names(line, trace, path).parts]
    notation = _WithPlaces(names, working)
    texts = [notation.write(form) for _, form in line.parts[:-1][:1]]  # no number on the way
    parts = tuple(_reference(text) for text in _PLACE.split("".join(texts)) if text)
    return Hint("".join(by_names[:1]), parts)


_PLACE = re.compile("(\0[0-9]+,[0-9]+\0)")
"""A number's place within a text of working."""


def _reference(text: str) -> str | tuple[int, int]:
    """Reads a place in a text of working, or returns the text itself."""
    if not text.startswith("\0"):
        return text
    quantity, cell = text.strip("\0").split(",")
    return int(quantity), int(cell)


class _WithPlaces(PlainNotation):
    """A plain notation in which numbers that a sheet works are their places."""

    def __init__(self, names: Mapping[str, int], working: _Working) -> None:
        super().__init__()
        self._names, self._working = names, working

    def of_number(self, node: Number) -> str:
        if node.cell is None or node.cell.quantity not in self._names:
            return super().of_number(node)
        return f"\0{self._names[node.cell.quantity]},{self._working.place(node.cell)}\0"


@dataclass(frozen=True)
class _Working:
    """A working as data: the quantities that lead to those that are asked for."""

    judge: Judge
    asked: frozenset[str]
    """The quantities that are asked for."""
    keyed: bool
    """Whether the page may hold the key's numbers."""

    @cached_property
    def data(self) -> Mapping[str, dict[str, Any]]:
        """Returns the quantities that can be worked in a browser, each behind its operands, which
        are still named there."""
        found: dict[str, dict[str, Any]] = {}
        left = _MOST_NUMBERS
        for name in self.judge.trace.quantities:
            size = self.judge.trace[name].matrix.size
            if name not in self._needed or size > left:
                continue
            entry = self._entry(name)
            if not found.keys() >= {*entry.get("of", ())}:
                entry = self._given_quantity(name)
            if entry:
                found[name] = entry
                left -= size
        return found

    @cached_property
    def _needed(self) -> set[str]:
        waiting, found = [*self.asked], set(self.asked)
        while waiting:
            for operand in self._operands(waiting.pop()):
                if operand not in found:
                    found.add(operand)
                    waiting.append(operand)
        return found

    @cached_property
    def _after(self) -> set[str]:
        """Returns what is asked for, and what is worked from that."""
        found = set(self.asked)
        for definition in self.judge.trace.plan:
            if not found.isdisjoint(definition.operands):
                found.add(definition.name)
        return found

    def _operands(self, name: str) -> Sequence[str]:
        definition = self.judge.trace[name].definition
        return () if definition is None or self._is_start(name) else definition.operands

    def _is_start(self, name: str) -> bool:
        """Tells whether the working starts from the numbers of a quantity: from given ones, from
        what the sheet prints in full, and, where the key may be told, from whatever isn't worked
        from what is asked for."""
        trace = self.judge.trace
        if trace[name].definition is None:
            return True
        if self.keyed:
            return name not in self._after
        places, shown = trace[name].matrix.places, trace[name].matrix.decimals
        return name in self.judge.shown and places is not None and places <= shown

    def _entry(self, name: str) -> dict[str, Any]:
        """Returns a quantity as data, and nothing for one that a browser can't work, or that would
        tell what is asked for."""
        definition = self.judge.trace[name].definition
        if self._is_start(name) or definition is None:
            is_secret = name in self.asked and not self.keyed
            return {} if is_secret else {**self._about(name), **self._numbers(name)}
        try:
            formula = self._formula(definition)
        except (TypeError, KeyError):
            return self._given_quantity(name)
        flags = {
            "rounds": self.judge.unwritten.rounds(name), "shown": name in self.judge.shown,
        }  # fmt: skip
        data = {**self._about(name), "of": definition.operands, **formula}
        return {**data, **{flag: 1 for flag, is_so in flags.items() if is_so}}

    def _about(self, name: str) -> dict[str, object]:
        rows, columns = self._shape(name)
        data: dict[str, object] = {
            "rows": rows, "columns": columns, "decimals": self.judge.unwritten.decimals(name),
        }  # fmt: skip
        return {**data, "asked": 1} if name in self.asked else data

    def _given_quantity(self, name: str) -> dict[str, object]:
        """Returns a quantity that no formula leads to, by the key, and nothing where that may not
        be told."""
        numbers = {"numbers": _listed(self.judge.trace[name].values), "key": 1}
        return {**self._about(name), **numbers} if self.keyed else {}

    def _numbers(self, name: str) -> dict[str, object]:
        """Returns numbers to start from, and the ends of what is used next where that is more."""
        values, used = self.judge.trace[name].values, self.judge.unwritten.used(name)
        data: dict[str, object] = {"numbers": _listed(values)}
        if not (np.array_equal(used.low, values) and np.array_equal(used.high, values)):
            data |= {"low": _listed(used.low), "high": _listed(used.high)}
        return data

    def _formula(self, definition: Definition) -> dict[str, object]:
        """Returns how a quantity is worked. Raises TypeError where a browser can't."""
        operation, operands = definition.operation, self.judge.trace.operands(definition)
        match operation:
            case Exponential():
                own = {"decimals": operation.decimals, "carry": operation.carry}
                return {"power": {**own, "axis": operation.axis}}
            case WrittenOperation() if _reduces(operation):
                pass  # cell by cell
            case Indexed():
                tree = tree_of(operation.tree, self.place, operation.sides)
                axes = axes_of(operation.tree, operation.sides)
                return {"tree": _known(tree), "axes": axes, **self._printed(definition)}
            case Moved():
                return {"moved": operation.sources(operands).ravel().tolist()}
        place_of, (rows, columns) = self._places(definition), self._shape(definition.name)
        forms = (operation.whole_form(i, j, *operands) for i in range(rows) for j in range(columns))
        decided = {"decided": 1} if isinstance(operation, ZeroOne) else {}
        return {"forms": [_known(tree_of(form, place_of)) for form in forms], **decided}

    def wrongly(self, made: Definition) -> dict[str, object]:
        """Returns how a quantity is worked by a definition that isn't its own. Raises TypeError or
        KeyError where a browser can't."""
        rows, columns = self._shape(made.name)
        return {"rows": rows, "columns": columns, **self._formula(made)}

    def _printed(self, definition: Definition) -> dict[str, float]:
        """Returns by how much a quotient is larger for whoever divides by a root as the sheet
        prints it."""
        match definition.operation:
            case DivideBy(tree=Quotient(divisor=Root(Number() as square))):
                about = self.judge.printed.get(square.full)
                return (
                    {} if about is None else {"printed": float(square.full) ** 0.5 / float(about)}
                )
        return {}

    def _places(self, definition: Definition) -> PlaceOf:
        """Makes what finds the place of a number among those of all operands, one operand behind
        another."""
        starts: dict[str, int] = {}
        count = 0
        for operand in definition.operands:
            starts.setdefault(operand, count)
            count += self.judge.trace[operand].matrix.size
        return lambda cell: starts[cell.quantity] + self.place(cell)

    def place(self, cell: Location) -> int:
        """Returns the place of a cell among those of its quantity, row by row."""
        return cell.row * self._shape(cell.quantity)[1] + cell.column

    def _shape(self, name: str) -> tuple[int, int]:
        return self.judge.trace[name].matrix.shape


def _reduces(operation: WrittenOperation) -> bool:
    """Tells whether an equation takes a mean, a maximum or the like over an index."""
    return any(each(operation.tree, Reduced))


def _listed(values: Array) -> list[float | int | None]:
    """Returns numbers as JSON has them, whole ones without a point, and None for −∞."""
    numbers = (float(x) for x in values.ravel())
    return [None if x == -np.inf else int(x) if x.is_integer() else x for x in numbers]


def _known(tree: Tree) -> Tree:
    """Returns a tree as it is. Raises TypeError where a sign of it has no meaning between
    numbers."""
    if isinstance(tree, list):
        sign, *parts = tree
        if not (sign in _SIGNS or str(sign).startswith("sum ")):
            raise TypeError(f"{sign} has no form in a browser")
        names = sign in ("of", "length")  # of which the rest are places and indices
        for part in () if names else parts:
            _known(part)
    return tree
