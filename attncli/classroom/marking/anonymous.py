"""A class whose students have numbers instead of names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from attncli.classroom.marking.answers import AnswerSheet
from attncli.classroom.marking.classes import GradedClass, Roll
from attncli.names import Word, WordedText, composed, words


def numbered(graded: GradedClass, roll: Roll) -> tuple[GradedClass, list[tuple[Word, ...]]]:
    """Replaces the students' names in a class by numbers. Returns the class, and rows that tell
    which number is whose. The order of the numbers tells nothing of the list or the names, and the
    same students get the same numbers again."""
    sheets = graded.sheets
    keys = sorted({*map(_key, sheets)}, key=lambda text: sha256(text.encode()).digest())
    places = {key: k for k, key in enumerate(keys)}
    numbers = {key: f"number {k + 1}" for key, k in places.items()}
    secrets = {*_secrets(sheets, roll)}

    def hidden(text: WordedText) -> WordedText:
        tells = (
            isinstance(part, Word) and any(s in composed(part.raw).casefold() for s in secrets)
            for part in text
        )
        return tuple("…" if t else part for t, part in zip(tells, text, strict=True))

    def own(sheet: AnswerSheet) -> AnswerSheet:
        return sheet._replace(student=numbers[_key(sheet)], id="", source="")

    papers = []
    for paper in sorted(graded.papers, key=lambda p: places[_key(p.sheet)]):
        parts = (p._replace(remarks=tuple(map(hidden, p.remarks))) for p in paper.parts)
        remarks = tuple(map(hidden, paper.remarks))
        stranger = tuple(map(hidden, paper.stranger))
        paper = paper._replace(remarks=remarks, stranger=stranger)  # noqa: PLW2901
        papers.append(paper._replace(sheet=own(paper.sheet), parts=tuple(parts)))
    others = sorted(graded.unmarked, key=lambda u: places[_key(u.sheet)])
    unmarked = [u._replace(sheet=own(u.sheet), why=hidden(u.why)) for u in others]
    rest = (tuple("…" if isinstance(w, Word) else w for w in r) for r in graded.remarks)
    made = GradedClass(graded.title, graded.traces, tuple(papers), tuple(unmarked), tuple(rest))
    rows = sorted(sheets, key=lambda sheet: places[_key(sheet)])
    names = ((numbers[_key(s)], s.student, s.id, s.source) for s in rows)
    return made, [words(row) for row in (("number", "student", "id", "file"), *names)]


_TELLS = 3
"""The shortest part of a name, in characters, that may tell whose it is."""


def _key(sheet: AnswerSheet) -> str:
    return sheet.id or sheet.student


def _secrets(sheets: list[AnswerSheet], roll: Roll) -> Iterator[str]:
    """Yields all that tells who somebody is: parts of names, IDs, and the names of files that hold
    one student's answers."""
    files = Counter(sheet.source for sheet in sheets)
    texts = [text for s in roll.students for text in (s.name, s.id)]
    texts += (text for s in sheets for text in (s.student, s.id))
    texts += (composed(Path(source).name) for source, count in files.items() if count == 1)
    for text in texts:
        parts = (text, *re.split(r"\W+", text))
        yield from (part.casefold() for part in parts if len(part) >= _TELLS)
