"""The data of a form to type papers into, which judges as marking does, by numbers before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from attncli.classroom.exercises.exam_papers import ExamForm
from attncli.classroom.exercises.fingerprint import joint_mark
from attncli.classroom.files.ids import id_meant
from attncli.classroom.files.mathematics import in_a_line
from attncli.classroom.marking.class_list import Student
from attncli.document.blocks import Section, text_of_spans
from attncli.document.questions import Item, plain_points
from attncli.maths.notation.escaping import guarded, visible
from attncli.names import Word, raw, words

FormData = dict[str, object]


class EntryForm(NamedTuple):
    """A form to type papers into: the title of its page, what it goes by, as data, and the language
    that it is in."""

    title: str
    data: FormData
    language: str


def entry_form(
    forms: Sequence[ExamForm], headings: Sequence[str], students: Iterable[Student], file: str
) -> EntryForm:
    """Makes the forms of an exam to type papers into. `headings` are those of the class's table,
    where what is asked stands behind the first three. What is typed is saved as a `file` of that
    name."""
    marks = [form.whole.paper.hash for form in forms if form.whole.paper is not None]
    data: FormData = {
        "hash": joint_mark(marks),
        "file": file,
        "headings": [*map(guarded, words(tuple(headings)))],
        "ids": [visible(Word(id_meant(heading))) for heading in headings[3:]],
        "students": [[visible(Word(text)) for text in student] for student in students],
        "forms": {form.name: _form(form) for form in forms},
    }
    return EntryForm(visible(forms[0].whole.title), data, forms[0].exam.frame.language)


def _form(form: ExamForm) -> FormData:
    """Returns a form of an exam as data. Its parts are worked by themselves."""
    parts: list[Mapping[str, object]] = []
    places: dict[str, list[int]] = {}
    for k, own in enumerate(form.whole.answers.own_numbers):
        working = own.worked(True)
        parts.append(working.data)
        places |= {f"{own.prefix}{id_}": [k, *place] for id_, place in working.places.items()}
    before = 0
    items: list[FormData] = []
    for whole, trace in zip(form.wholes, form.traces, strict=True):
        for item in form.whole.items[before : before + len(whole.items)]:
            data = _item(item)
            if item.id in places:
                data["at"] = places[item.id]
            elif item.key is not None and trace is None:
                data["whole"] = 1
            items.append(data)
        before += len(whole.items)
    return {"sections": [*map(_section, form.whole.sections)], "items": items, "parts": parts}


def _section(section: Section) -> FormData:
    """Returns what stands over blanks, and how many of them stand side by side, again and again:
    those of a row, or all of a list."""
    counts: list[int] = []
    for _, items in groupby(section.questions, lambda item: item.cell and item.cell.quantity):
        rows = [len([*row]) for _, row in groupby(items, lambda item: item.cell and item.cell.row)]
        counts += rows if max(rows) > 1 else [len(rows)]
    heading = text_of_spans(section.heading, visible)
    asks = (visible(in_a_line(item.asks)) for item in section.questions if item.asks)
    return {"heading": " · ".join((heading, *asks)), "rows": counts}


def _item(item: Item) -> FormData:
    """Returns a blank as data: its number by the key, or its options, or the points that a person
    gives."""
    id_ = visible(Word(item.id))
    if item.words is not None:
        options = [visible(Word(raw(option))) for option in item.words.options]
        return {"id": id_, "options": options, "labels": item.words.labels}
    if item.key is None:
        return {"id": id_, "most": plain_points(item.points)}
    slips = [(*map(float, slip.accepted), slip.says) for slip in item.key.slips]
    return {"id": id_, "accepted": [*map(float, item.key.accepted)], "slips": slips}
