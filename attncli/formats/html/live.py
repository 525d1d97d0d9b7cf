"""The equations of a page, its numbers by these, and places of changes, as data for a browser."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product, zip_longest
from typing import Any, NamedTuple

from attncli.document.blocks import ONLY_DATA, Document, parts_of
from attncli.document.changing import Changeable, ScenarioChoice
from attncli.document.tables import MatrixBlock, WorkedTable, WrongWorking
from attncli.formats.colours import LIGHT
from attncli.formats.html.asked import AskedNumbers
from attncli.formats.html.blocks import escaped, packed
from attncli.formats.numbers import text_of
from attncli.maths.equations.signatures import axes_of
from attncli.maths.equations.tree import Expression, Location
from attncli.maths.notation.escaping import visible
from attncli.maths.notation.trees import Tree, tree_of
from attncli.names import Word, raw_text

_MUCH = 1.1
"""Units of the last place that a range is wider than."""


class _Cells:
    """A list of all numbers of a page's quantities, in which each has a place."""

    def __init__(self, workings: Mapping[str, WorkedTable]) -> None:
        self._tables = dict(workings)
        self._first: dict[str, tuple[int, int]] = {}
        count = 0
        for name, worked in self._tables.items():
            rows, columns = worked.table.matrix.shape
            self._first[name] = (count, columns)
            count += rows * columns

    def place(self, cell: Location) -> int:
        start, columns = self._first[cell.quantity]
        return start + cell.row * columns + cell.column

    def quantities(self) -> Iterator[Mapping[str, object]]:
        """Yields each quantity with its numbers, or with what these are worked from."""
        names = [*self._tables]
        for name, worked in self._tables.items():
            matrix = worked.table.matrix
            rows, columns = matrix.shape
            data: dict[str, object] = {"name": name, "rows": rows, "columns": columns}
            if worked.own:
                data["decimals"] = matrix.decimals
            if worked.moved:
                data["moved"] = 1
            if worked.constant:
                data["constant"] = 1
            if worked.formulas:
                data |= self.worked(worked, names)
            else:
                each = product(range(rows), range(columns))
                data["numbers"] = [text_of(matrix.number(*cell)) for cell in each]
            yield data

    def worked(self, worked: WorkedTable, names: Sequence[str]) -> Mapping[str, object]:
        """Returns what the numbers of a quantity are worked from: an equation of them all, whose
        operands are places among names, or one for each."""
        if worked.equation is not None:
            tree, shapes, operands, lost = worked.equation
            data = {"axes": axes_of(tree, shapes), "tree": tree_of(tree, self.place, shapes)}
            if lost is not None:
                data["lost"] = tree_of(lost, self.place, shapes)
            return data | {"operands": [names.index(operand) for operand in operands]}
        rows, columns = worked.table.matrix.shape
        each = product(range(rows), range(columns))
        return {"forms": [self._tree(worked.form(*cell)) for cell in each]}

    def mistakes(self, mistakes: Mapping[str, Sequence[WrongWorking]]) -> Mapping[str, object]:
        """Returns for quantities what each known mistake is called, and works them from."""
        names = [*self._tables]
        return {
            name: [
                [visible(Word(raw_text(way.says))), self.worked(way.worked, names)]
                for way in mistakes[name]
            ]
            for name in names
            if name in mistakes
        }

    def told(self, cell: Location) -> Tree | None:
        """Returns what the page works a number from, where that holds for these numbers only; None
        where no formulas do."""
        worked = self._tables[cell.quantity]
        return self._tree(worked.told(cell.row, cell.column)) if worked.formulas else None

    def _tree(self, form: Expression | None) -> Tree | None:
        return None if form is None else tree_of(form, self.place)


class LivePage(NamedTuple):
    """A page that is worked again, and what can be changed in it."""

    document: Document
    changeable: Changeable
    numbers: Mapping[Location, str]
    """The keys of the numbers that it gives."""

    @classmethod
    def of(cls, document: Document) -> LivePage | None:
        """Returns a document as such a page; None of one in which nothing can be changed."""
        changeable = document.interactive.changeable
        return None if changeable is None else cls(document, changeable, changeable.numbers)

    def others(self) -> Iterator[tuple[Sequence[str], LivePage]]:
        """Yields the pages with other choices, each after these."""
        for choices, (document, numbers) in self.changeable.otherwise.items():
            yield choices, LivePage(document, self.changeable, numbers)

    def version(self, asked: AskedNumbers) -> dict[str, object]:
        """Returns how the page is worked: its quantities; of each number that can be asked how it
        came about, and which it is."""
        cells = _Cells(self.document.interactive.workings)
        entries = {
            n: [part if isinstance(part, str) else _from(n, part) for part in entry]
            for n, entry in asked.entries().items()
        }
        told = {
            n: tree
            for n, cell in asked.cells.items()
            if isinstance(cell, Location) and (tree := cells.told(cell)) is not None
        }
        numbers = {
            n: cells.place(cell) if isinstance(cell, Location) else tree_of(cell, cells.place)
            for n, cell in asked.cells.items()
        }
        quantities = [*cells.quantities()]
        mistakes = cells.mistakes(self.document.interactive.mistakes)
        return {
            "quantities": quantities,
            "entries": _listed(entries),
            "numbers": _apart(_listed(numbers)),
            "told": told,
            "mistakes": mistakes,
            "given": _cells_by_key(self.numbers, self.changeable),
        }

    def _passes(self) -> Iterator[Mapping[str, object]]:
        """Yields the passes that tokens are generated by."""
        for its in self.changeable.passes:
            yield {
                "quantities": [*_Cells(its.workings).quantities()],
                "given": _cells_by_key(its.numbers, self.changeable) if its.workings else None,
                "from": its.chosen_by[:2],
                "words": its.words,
                "word": its.word,
            }

    def _varied(self) -> list[tuple[str, str]]:
        """Lists the tables of variants on the page, each by its variant and its quantity."""
        blocks = (b for b in self.document.closing if not isinstance(b, ONLY_DATA))
        tables = (table for block in blocks for table in parts_of(block, MatrixBlock))
        return [(t.variant, t.quantity) for t in tables if t.variant]

    def _accepted(self, asked: AskedNumbers) -> Mapping[int, Sequence[str]]:
        """Returns the ends of the ranges that are right for numbers, where these are wider than
        rounding makes them."""
        known = self.document.interactive.accepted
        decimals = int(str(self.document.data.rounding["decimals"]))
        found = {}
        for n, cell in asked.cells.items():
            if isinstance(cell, Location) and cell in known and cell not in self.numbers:
                low, high = known[cell]
                if _MUCH * 10.0**-decimals < high - low < math.inf:
                    found[n] = [f"{end:.{decimals + 2}f}" for end in (low, high)]
        return found

    def data(
        self,
        asked: AskedNumbers,
        versions: Sequence[Mapping[str, Any]],
        sections: Sequence[Sequence[str]],
    ) -> str:
        """Writes all of it, as the page's script reads it: the page's own version, whose numbers
        were `asked`, then others, and the sections of all."""
        alike: dict[str, Sequence[Any]] = {
            key: [version[key] for version in versions] for key in versions[0]
        }
        alike["entries"] = _beside(alike["entries"])
        rounding, changeable = self.document.data.rounding, self.changeable
        at = changeable.places
        data = {
            **{name: rounding[name] for name in ("policy", "decimals")},
            "shades": len(LIGHT.shades),
            "text": changeable.text,
            "file": changeable.file,
            "called": changeable.called,
            "places": {key: [*cell, *at.get(key, ())] for cell, key in changeable.numbers.items()},
            "choices": {c.key: [c.value, *at.get(c.key, ())] for c in changeable.choices},
            "passes": [*self._passes()],
            "varied": self._varied(),
            "others": [version["choices"] for version in versions[1:]],
            "contents": [version["contents"] for version in versions[1:]],
            **_others(sections),
            "accepted": self._accepted(asked),
            **alike,
        }
        return packed(data)

    def bar(self) -> str:
        """Writes what stands above the page: what can be chosen, what was changed, and places for
        what stands at its sides where there is room."""
        chosen = "".join(map(_choice, self.changeable.choices))
        own = self.document.interactive.workings
        for cell, key in self.changeable.numbers.items():
            if own[cell.quantity].constant:
                chosen += _constant(key, own[cell.quantity].table)
        return f"""\
<div id="changes" hidden>
<button type="button" class="settings" aria-expanded="false">Settings</button>
<div class="head"><div class="bar" role="group" aria-label="Settings">{chosen}</div>
<div class="done"><p class="made" role="status"></p>
<button type="button" data-do="undo" hidden>Undo</button>
<button type="button" data-do="again" hidden>Start again</button>
<button type="button" data-do="save" hidden>Save as a file (YAML)</button></div></div>
<section class="matrices" aria-label="Given numbers"></section>
</div>
<div id="sight"></div>
"""


def _from(n: int, part: Sequence[str | int]) -> Sequence[str | int]:
    """Returns how far from its own place n an entry has a number, and how that is written: many
    entries are alike so."""
    _, place, *looks = part
    return [int(place) - n, *looks]


def _apart(numbers: Sequence[object]) -> Sequence[object]:
    """Returns lists of places, in which each is how far it is from the one before it."""
    before = 0

    def apart(part: object) -> object:
        nonlocal before
        if isinstance(part, list):
            return [*map(apart, part)]
        if not isinstance(part, int):
            return part
        before, step = part, part - before
        return step

    return [*map(apart, numbers)]


_PLACES = re.compile(r'(?<= data-)(n|from)="([\d ]+)"')


def _places_apart(section: str) -> str:
    """Returns a section whose attributes have how far the places in them are from those before."""
    before = 0

    def apart(attribute: re.Match[str]) -> str:
        nonlocal before
        places = [*map(int, attribute[2].split())]
        steps = [b - a for a, b in pairwise((before, *places))]
        before = places[-1]
        return f'{attribute[1]}="{" ".join(map(str, steps))}"'

    return _PLACES.sub(apart, section)


def _listed(by_place: Mapping[int, object]) -> Sequence[object]:
    """Lists what has places; None where nothing has one."""
    return [by_place.get(n) for n in range(max(by_place, default=-1) + 1)]


def _beside(lists: Sequence[Sequence[object]]) -> Sequence[Sequence[object]]:
    """Lists what versions have at each place, which takes little room where it is alike: None in
    the place of what is as in the first of them, nothing where the rest are."""
    places = []
    for first, *others in zip_longest(*lists):
        kept = [first, *(None if other == first else other for other in others)]
        while kept and kept[-1] is None:
            kept.pop()
        places.append(kept)
    return places


def _others(sections: Sequence[Sequence[str]]) -> Mapping[str, object]:
    """Returns the sections of other versions, those of one place together: None where it is as in
    the first version, otherwise which lines it has, from where on and how many. Lines are counted
    over the first version, which stands on the page, and on over `lines` that are in none of it."""
    page = [line for own in sections[0] for line in _places_apart(own).split("\n")]
    places: dict[str, int] = {}
    for place, line in enumerate(page):
        places.setdefault(line, place)
    lines: list[str] = []

    def runs(section: str) -> Sequence[Sequence[int]]:
        found: list[list[int]] = []
        for line in _places_apart(section).split("\n"):
            if line not in places:
                places[line] = len(page) + len(lines)
                lines.append(line)
            if found and sum(found[-1]) == places[line]:
                found[-1][1] += 1
            else:
                found.append([places[line], 1])
        return found

    alike = [
        [None if other == own else runs(other) for other in others]
        for own, *others in zip_longest(*sections, fillvalue="")
    ]
    return {"sections": alike, "lines": "\n".join(lines)}


def _cells_by_key(
    numbers: Mapping[Location, str], changeable: Changeable
) -> Mapping[str, Location] | None:
    """Returns where the numbers are that are given, by their keys; None where that is as on the
    page itself."""
    return None if numbers == changeable.numbers else {key: cell for cell, key in numbers.items()}


_CALLED = {
    "sqrt_d_k": "√d_k",
    "carry": "carry: round each step",
    "exact": "exact: round at the end",
}
"""What a page calls values of settings, where mathematics has signs for them, or their names say
little."""


def _value(value: str) -> str:
    """Writes a value's name behind its key, where it has another one."""
    called = _CALLED.get(value)
    return f">{escaped(value)}" if called is None else f' value="{escaped(value)}">{called}'


def _choice(choice: ScenarioChoice) -> str:
    if not choice.values:
        return _field(choice.key, choice.name, choice.value, len(choice.value) + 4, " data-text")
    options = "".join(
        f"<option{' selected' if value == choice.value else ''}{_value(value)}</option>"
        for value in choice.values
    )
    key = escaped(choice.key)
    return f'<label>{escaped(choice.name)} <select data-key="{key}">{options}</select></label> '


def _constant(key: str, table: MatrixBlock) -> str:
    """Writes a field for a setting that is a number."""
    name, text = key.rpartition(".")[2].capitalize(), text_of(table.matrix.number(0, 0))
    return _field(key, name, text, 4)


def _field(key: str, name: str, value: str, size: int, kind: str = "") -> str:
    """Writes a field to type a value in."""
    text = f'data-key="{escaped(key)}"{kind} size="{size}" value="{escaped(value)}"'
    return f"<label>{escaped(name)} <input {text}></label> "
