"""A class whose students have numbers instead of names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from attncli.marking.answers import AnswerSheet, Student
from attncli.marking.classes import GradedClass
from attncli.names import Phrase, Word


class Numbered(NamedTuple):
    """A class without names, and what each number stands for: rows of texts with headings."""

    graded: GradedClass
    names: tuple[tuple[str, ...], ...]


def without_places(sheet: AnswerSheet) -> AnswerSheet:
    """A sheet that doesn't say where its answers are read, as files have names of students."""
    answers = {id_: given._replace(where="") for id_, given in sheet.answers.items()}
    return sheet._replace(answers=answers)


def numbered(graded: GradedClass, students: Sequence[Student]) -> Numbered:
    """A class by numbers. Their order tells nothing of that of the list or of the names, and the
    same students have the same numbers again."""
    sheets = graded.sheets
    keys = sorted(
        {_key(sheet) for sheet in sheets}, key=lambda text: sha256(text.encode()).digest()
    )
    numbers = {key: str(k) for k, key in enumerate(keys, start=1)}
    known = dict(_known(sheets, students, numbers))
    longest = sorted((text for text in known if len(text) >= _TOLD), key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest)) or '(?!)'})(?!\w)")

    def hidden(phrase: Phrase) -> Phrase:
        return tuple(
            Word(known.get(part.raw) or pattern.sub(lambda found: known[found[0]], part.raw))
            if isinstance(part, Word)
            else part
            for part in phrase
        )

    def own(sheet: AnswerSheet) -> AnswerSheet:
        return sheet._replace(student=numbers[_key(sheet)], id="", source="")

    papers = (p._replace(sheet=own(p.sheet), remarks=tuple(map(hidden, p.remarks)),
                         parts=tuple(part._replace(remarks=tuple(map(hidden, part.remarks)))
                                     for part in p.parts)) for p in graded.papers)  # fmt: skip
    unmarked = (u._replace(sheet=own(u.sheet), why=hidden(u.why)) for u in graded.unmarked)
    others = (tuple("…" if isinstance(w, Word) else w for w in r) for r in graded.remarks)
    made = graded._replace(
        papers=tuple(sorted(papers, key=lambda p: int(p.sheet.student))),
        unmarked=tuple(sorted(unmarked, key=lambda u: int(u.sheet.student))),
        remarks=tuple(others),
    )
    rows = sorted(
        ((numbers[_key(s)], s.student, s.id, s.source) for s in sheets), key=lambda r: int(r[0])
    )
    return Numbered(made, (("number", "student", "id", "file"), *rows))


_TOLD = 3
"""Characters of a name or an ID that is told from others inside of a text."""


def _key(sheet: AnswerSheet) -> str:
    return sheet.id or sheet.student


def _known(
    sheets: Sequence[AnswerSheet], students: Sequence[Student], numbers: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Texts that tell who somebody is, and the number instead; a file of several tells nothing."""
    files = Counter(sheet.source for sheet in sheets)
    for student in students:
        number = numbers.get(student.id, "…")
        yield from ((student.name, number), (student.id, number))
    for sheet in sheets:
        number = numbers[_key(sheet)]
        texts = (sheet.student, sheet.id, sheet.source if files[sheet.source] == 1 else "")
        yield from ((text, number) for text in texts if text)
