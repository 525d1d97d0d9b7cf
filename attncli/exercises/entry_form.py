"""What a form to type papers into goes by: of each blank what is right, what known mistakes give,
and the formula of its number over others, so that a number that follows from the paper's own
earlier ones can be told from one that doesn't."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from attncli.document.blocks import Section, text_of_spans
from attncli.document.questions import Item, plain_points
from attncli.equations.tree import Expression, Location
from attncli.exercises.exam_papers import ExamForm
from attncli.exercises.fingerprint import joint_mark
from attncli.marking.answers import Student
from attncli.names import Word, raw
from attncli.notation.escaping import guarded, visible
from attncli.notation.javascript import javascript
from attncli.trace import Trace

_MOST_NUMBERS = 5000
"""Numbers of a form beyond which no formula goes farther back."""

Data = dict[str, object]


class EntryForm(NamedTuple):
    """What the page of an exam goes by, as data, and the formulas of each form, by the places of
    the numbers that they work out."""

    title: str
    data: Data
    formulas: Mapping[str, Mapping[int, str]]


def entry_form(
    forms: Sequence[ExamForm], headings: Sequence[str], students: Iterable[Student], file: str
) -> EntryForm:
    """The forms of an exam to type papers into; `headings` are those of the class's table: what is
    asked stands behind the first three. It is saved as a `file` of that name."""
    cells = {form.name: NumbersOfForm() for form in forms}
    marks = [form.whole.paper.hash for form in forms if form.whole.paper is not None]
    data: Data = {
        "hash": joint_mark(marks),
        "file": file,
        "headings": [*map(guarded, headings)],
        "ids": headings[3:],
        "students": [[visible(Word(text)) for text in student] for student in students],
        "forms": {form.name: _form(form, cells[form.name]) for form in forms},
    }
    title = visible(forms[0].whole.title)
    return EntryForm(title, data, {name: known.formulas for name, known in cells.items()})


@dataclass
class NumbersOfForm:
    """The numbers that those of a form's blanks are worked from, in a list: of each the number, and
    half a unit of its last place; by their places, the formulas of those that are worked."""

    numbers: list[tuple[float, float]] = field(default_factory=list)
    formulas: dict[int, str] = field(default_factory=dict)

    def add(self, number: float, half: float) -> int:
        self.numbers.append((number, half))
        return len(self.numbers) - 1


def _form(form: ExamForm, cells: NumbersOfForm) -> Data:
    """Parts are worked by themselves."""
    places: list[int | None] = []
    for whole, trace in zip(form.wholes, form.traces, strict=True):
        part = None if trace is None else NumbersOfPart(cells, trace, whole.items)
        places += (None if part is None or i.key is None else part.of(i) for i in whole.items)
    items = [_item(item, place) for item, place in zip(form.whole.items, places, strict=True)]
    sections = [*map(_section, form.whole.sections)]
    return {"sections": sections, "items": items, "cells": cells.numbers}


def _section(section: Section) -> Data:
    """What stands over blanks, and how many of them stand beside each other, again and again: those
    of a row, or all of a list."""
    counts: list[int] = []
    for _, items in groupby(section.questions, lambda item: item.cell and item.cell.quantity):
        rows = [len([*row]) for _, row in groupby(items, lambda item: item.cell and item.cell.row)]
        counts += rows if max(rows) > 1 else [len(rows)]
    heading = text_of_spans(section.heading, visible)
    asks = (item.asks for item in section.questions if item.asks)
    return {"heading": " · ".join((heading, *asks)), "rows": counts}


def _item(item: Item, place: int | None) -> Data:
    """A blank: its number by the key, or its options, or the points that a person gives."""
    if item.words is not None:
        options = [*map(raw, item.words.options)]
        return {"id": item.id, "options": options, "labels": item.words.labels}
    if item.key is None:
        return {"id": item.id, "most": plain_points(item.points)}
    slips = [(*map(float, slip.accepted), slip.says) for slip in item.key.slips]
    accepted, half = [*map(float, item.key.accepted)], float(item.key.half)
    return {"id": item.id, "accepted": accepted, "half": half, "slips": slips, "at": place}


@dataclass(frozen=True)
class NumbersOfPart:
    """The numbers of one part, by their cells."""

    form: NumbersOfForm
    trace: Trace
    items: Sequence[Item]
    _places: dict[Location, int] = field(default_factory=dict)

    @cached_property
    def after(self) -> set[str]:
        """The quantities that are asked, and those that are worked from them."""
        names = {item.cell.quantity for item in self.items if item.cell is not None}
        for definition in self.trace.plan:
            if not names.isdisjoint(definition.operands):
                names.add(definition.name)
        return names

    def of(self, item: Item) -> int:
        """The place of a blank's number: of its cell, or one of its own inside a line."""
        if item.cell is not None:
            return self.place(item.cell)
        place = self.form.add(float(item.right.number.shown), float(item.right.half))
        self._work(place, item.right.number)
        return place

    def place(self, cell: Location) -> int:
        """The place of a cell's number, with its formula where it depends on what is asked."""
        if cell in self._places:
            return self._places[cell]
        (name, i, j), trace = cell, self.trace
        definition, half = trace[name].definition, 0.0
        if definition is not None:
            half = 0.5 * 10.0 ** -trace.rounding.decimals_of(definition.step, trace[name].name)
        place = self._places[cell] = self.form.add(float(trace[name].number(i, j).shown), half)
        if definition is not None and name in self.after and place < _MOST_NUMBERS:
            form = definition.operation.whole_form(i, j, *trace.operands(definition))
            self._work(place, form)
        return place

    def _work(self, place: int, form: Expression) -> None:
        """Writes down how a number is worked, where a browser can."""
        try:
            self.form.formulas[place] = javascript(form, self.place)
        except TypeError:
            return
