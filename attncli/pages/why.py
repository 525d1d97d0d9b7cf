"""The tree of a number's working, told down to some depth."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from attncli.document.blocks import (
    Block,
    Callout,
    DefinitionList,
    Document,
    Interactive,
    Line,
    PageData,
    Section,
    Span,
    Spans,
    Term,
    Tree,
    TreeRow,
)
from attncli.errors import agreed, counted, listed
from attncli.maths.equations.elision import MOST_FOLLOWED
from attncli.maths.equations.tree import (
    INNER,
    Expression,
    Location,
    Number,
    Omitted,
    Symbol,
    each,
    numbers_in,
)
from attncli.maths.notation import plain, unbreakable
from attncli.names import Name, Word
from attncli.pages.parts.selection import SelectionError
from attncli.pages.parts.sentences import joined, rounding_in_words
from attncli.pages.parts.working import Origins
from attncli.scenario.file.address import Address
from attncli.trace import Trace


class Ancestor(NamedTuple):
    """A number on the way back."""

    level: int
    """Its level, 1 for the number that was asked for."""
    met_in: Location | None
    """The number through which it was met first; None for the one that was asked for."""
    line: Line
    """The line that works it out."""
    made_of: tuple[Location, ...]
    """The cells whose numbers stand in the line, in their order."""

    @property
    def is_copy(self) -> bool:
        """Tells whether its line is nothing but another cell's number."""
        return len(self.line.parts) == 1 and len(self.made_of) == 1

    @property
    def is_elided(self) -> bool:
        """Tells whether its line leaves terms out."""
        return any(any(each(part, Omitted)) for _, part in self.line.parts)


class Ancestry(NamedTuple):
    """A cell and all that it comes from, each once, at the level nearest to it; of given cells
    only itself, since those that others are made of have no working. Of a very large trace only
    the nearest are followed."""

    trace: Trace
    cell: Location
    ancestors: Mapping[Location, Ancestor]

    @classmethod
    def of(cls, trace: Trace, cell: Location) -> Ancestry:
        return cls(trace, cell, dict(_met(trace, cell)))

    @property
    def is_whole(self) -> bool:
        """Tells whether all were followed."""
        return len(self.ancestors) < MOST_FOLLOWED

    @property
    def deepest(self) -> int:
        """Returns the level of the last working."""
        return max(a.level for a in self.ancestors.values())

    def is_given(self, cell: Location) -> bool:
        return self.trace[cell.quantity].given

    def number(self, cell: Location) -> Number:
        return self.trace[cell.quantity].number(cell.row, cell.column)

    def given(self) -> list[Location]:
        """Lists the given numbers that it comes from."""
        met = [self.cell, *(cell for a in self.ancestors.values() for cell in a.made_of)]
        return [cell for cell in dict.fromkeys(met) if self.is_given(cell)]


def _met(trace: Trace, cell: Location) -> Iterator[tuple[Location, Ancestor]]:
    """Yields the numbers level by level, so that each is met where it is nearest."""
    origins = Origins(trace)
    waiting: deque[tuple[Location, int, Location | None]] = deque([(cell, 1, None)])
    known = {cell}
    for _ in range(MOST_FOLLOWED):
        if not waiting:
            return
        entry, level, met_in = waiting.popleft()
        line = origins[entry]
        made_of = tuple(
            dict.fromkeys(
                other for _, part in line.parts for other in _cells_in(part) if other != entry
            )
        )
        yield entry, Ancestor(level, met_in, line, made_of)
        for other in made_of:
            if other not in known and not trace[other.quantity].given:
                known.add(other)
                waiting.append((other, level + 1, entry))


def _cells_in(node: Expression) -> Iterator[Location]:
    """Yields the cells whose numbers stand in an expression, or in what these were worked from
    there."""
    for number in numbers_in(node):
        if number.cell == INNER:
            yield from () if number.form is None else _cells_in(number.form)
        elif number.cell is not None:
            yield number.cell


ALL, DEEPEST = "all", 100
"""The depth that has no end, and the deepest that is told."""
_A_SCREEN = 24
"""Lines that a tree has whose depth nobody says, if two levels of it have no more."""
_LEAST = 2


def why_page(trace: Trace, cells: Iterable[Location], depth: int | None) -> Document:
    """Returns a page with a tree for each cell; without a depth as deep as fits on a screen."""
    trees = [_ShownTree.of(Ancestry.of(trace, cell), depth) for cell in dict.fromkeys(cells)]
    return Document(
        Word(trace.scenario.title),
        tuple(map(_section, trees)),
        DefinitionList((("Rounding", (rounding_in_words(trace.rounding),)),)),
        data=PageData(told={"cells": [_data(tree, tree.ancestry.cell) for tree in trees]}),
        interactive=Interactive(Origins(trace)),
    )


def locations(trace: Trace, cells: Iterable[tuple[Name, Address]]) -> list[Location]:
    """Finds where cells stand. Raises SelectionError for tokens and IDs, which aren't worked."""
    found = []
    for name, address in cells:
        if name not in trace:
            wrong = f"{name} are what the text was cut into, no number that is worked"
            raise SelectionError.of(str(name), wrong, f"name a cell of {listed(trace)}")
        found.append(Location(name, *trace[name].find(address)))
    return found


class _ShownTree(NamedTuple):
    """A tree of a number's ancestry as far as it is told."""

    ancestry: Ancestry
    """All that the number comes from."""
    depth: int
    """How many levels are told."""
    lines: Mapping[Location, int]
    """The numbers of its lines on the page."""

    @classmethod
    def of(cls, ancestry: Ancestry, depth: int | None) -> _ShownTree:
        if depth is not None:
            return cls._as_deep(ancestry, depth)
        tree = cls._as_deep(ancestry, 1)
        for level in range(_LEAST, ancestry.deepest + 1):
            deeper = cls._as_deep(ancestry, level)
            if level > _LEAST and len(deeper.rows()) > _A_SCREEN:
                break
            tree = deeper
        return tree

    @classmethod
    def _as_deep(cls, ancestry: Ancestry, depth: int) -> _ShownTree:
        order = _in_order(ancestry, ancestry.cell, depth)
        return cls(ancestry, depth, {cell: k for k, cell in enumerate(order, start=1)})

    def below(self, cell: Location) -> _Below:
        """Sorts what a cell's number was made of by how that is told."""
        worked = [c for c in self._ancestor(cell).made_of if not self.ancestry.is_given(c)]
        cells = [entry for entry in worked if entry in self.lines]
        own = [entry for entry in cells if self._ancestor(entry).met_in == cell]
        return _Below(
            tuple(own),
            tuple(c for c in self._ancestor(cell).made_of if self.ancestry.is_given(c)),
            tuple(entry for entry in cells if entry not in own),
            tuple(entry for entry in worked if entry not in self.lines),
        )

    def _ancestor(self, cell: Location) -> Ancestor:
        return self.ancestry.ancestors[cell]

    def rows(self) -> tuple[TreeRow, ...]:
        return tuple(self._rows(self.ancestry.cell))

    def _rows(self, cell: Location) -> Iterator[TreeRow]:
        ancestor = self._ancestor(cell)
        depth, below = ancestor.level - 1, self.below(cell)
        yield TreeRow(depth, str(self.lines[cell]), _line(self.ancestry, ancestor))
        for entry in below.own:
            yield from self._rows(entry)
        if below.given and not ancestor.is_copy:
            named = ((Term(_symbol(self.ancestry, c)), " = ", self._number(c)) for c in below.given)
            yield TreeRow(depth + 1, "", ("given",), joined(named))
        if below.elsewhere:
            seen = (
                (Term(_symbol(self.ancestry, c)), f" in {self.lines[c]}") for c in below.elsewhere
            )
            yield TreeRow(depth + 1, "", ("see",), joined(seen))

    def _number(self, cell: Location) -> Number:
        return self.ancestry.number(cell)


class _Below(NamedTuple):
    """A division of what a number was made of."""

    own: tuple[Location, ...]
    """The worked numbers whose lines stand below its own."""
    given: tuple[Location, ...]
    """The given numbers."""
    elsewhere: tuple[Location, ...]
    """The worked numbers whose lines stand elsewhere."""
    untold: tuple[Location, ...]
    """The worked numbers that aren't told."""


def _in_order(ancestry: Ancestry, cell: Location, depth: int) -> Iterator[Location]:
    """Yields the cells that have a line, in the order of the lines."""
    yield cell
    for other in ancestry.ancestors[cell].made_of:
        met = ancestry.ancestors.get(other)
        if met is not None and met.met_in == cell and met.level <= depth:
            yield from _in_order(ancestry, other, depth)


def _line(ancestry: Ancestry, ancestor: Ancestor) -> Spans:
    """Returns a line as text, `weights[love, AI] = 2.718 / 6.436 = 0.422`; of a copy also what it
    is copied from."""
    line = ancestor.line
    spans: list[Span] = [Term(line.label)]
    if ancestor.is_copy:
        spans += [" = ", Term(_symbol(ancestry, ancestor.made_of[0]))]
    for relation, part in line.parts:
        spans += [f" {relation} ", part]
    return tuple(spans)


def _symbol(ancestry: Ancestry, cell: Location) -> Symbol:
    quantity = ancestry.trace[cell.quantity]
    return quantity.symbol(cell.row, cell.column, quantity.name)


def _section(tree: _ShownTree) -> Section:
    ancestry = tree.ancestry
    number = ancestry.number(ancestry.cell)
    title: Spans = ("Why ", Term(_symbol(ancestry, ancestry.cell)), " is ", number)
    return Section("", None, title, (), (Tree(tree.rows()), *_notes(tree)))


def _notes(tree: _ShownTree) -> Iterator[Block]:
    """Yields what a reader of the tree has to know."""
    ancestry = tree.ancestry
    if ancestry.is_given(ancestry.cell):
        yield Callout(("It is given: nothing was worked for it.",))
    deeper = len(ancestry.ancestors) - len(tree.lines)
    if deeper:
        some = counted(deeper, "more number") if ancestry.is_whole else "Thousands of more numbers"
        verb = agreed(deeper, "lies", "lie")
        yield Callout(
            (
                f"{some} on the way back {verb} deeper than {_levels(tree.depth)} (of "
                f"{ancestry.deepest}). For one more write ", Term(f"--depth {tree.depth + 1}"),
                ", for all of them ", Term(f"--depth {ALL}"), ".",
            )
        )  # fmt: skip
    if any(ancestry.ancestors[cell].is_elided for cell in tree.lines):
        yield Callout(("Long sums are shortened: only the terms that are shown are followed.",))


def _levels(depth: int) -> str:
    return agreed(depth, "this level", f"these {depth} levels")


def _data(tree: _ShownTree, cell: Location) -> dict[str, object]:
    """Returns a number with what it was made of, nested."""
    ancestor, below = tree.ancestry.ancestors[cell], tree.below(cell)
    known: Mapping[Location, dict[str, object]] = {
        **{e: _data(tree, e) for e in below.own},
        **_noted(tree, below.given, {"given": True}),
        **_noted(tree, below.elsewhere, {"told": "elsewhere"}),
        **_noted(tree, below.untold, {"told": "deeper"}),
    }
    text = " ".join(f"{relation} {unbreakable(plain(part))}" for relation, part in
                    ancestor.line.parts)  # fmt: skip
    entry = _entry(tree, cell)
    data = {**entry, "text": f"{entry['cell']} {text}".replace("\u00a0", " ")}
    if tree.ancestry.is_given(cell):
        return {**data, "given": True}
    return {**data, "from": [known[e] for e in ancestor.made_of]}


def _noted(
    tree: _ShownTree, cells: Sequence[Location], note: Mapping[str, object]
) -> dict[Location, dict[str, object]]:
    return {cell: {**_entry(tree, cell), **note} for cell in cells}


def _entry(tree: _ShownTree, cell: Location) -> dict[str, object]:
    value = float(tree.ancestry.number(cell).full)
    address = tree.ancestry.trace[cell.quantity].address(cell.row, cell.column)
    return {"cell": address, "value": value if math.isfinite(value) else None}
