"""Questions in the teacher's own words as a part of an exam: a choice, a number, a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from random import Random

from attncli.classroom.exercises.fingerprint import joint_mark
from attncli.classroom.files.exam_file import ExamPart, OwnQuestion
from attncli.classroom.files.exercise_file import Frame
from attncli.classroom.files.mathematics import as_read, in_words_and_formulas
from attncli.document.blocks import (
    AnswerSpace,
    Block,
    Document,
    Paragraph,
    Section,
    Table,
    WordBlank,
)
from attncli.document.languages import FrameWords, words_of
from attncli.document.questions import (
    Interval,
    Item,
    Paper,
    RightAnswer,
    RightWords,
    labels_of,
)
from attncli.maths.equations.tree import Number
from attncli.maths.numbers import decimals
from attncli.names import Word


def questions_page(part: ExamPart, form: str, frame: Frame, seed: int) -> Document:
    """Makes a page of the questions of a part with everything, as an exercise has them. Each form
    has its own order of options."""
    words, questions = words_of(frame.language), part.questions
    numbers = part.numbers or range(1, len(questions) + 1)
    items = [
        _item(f"q{k}", q, f"{seed}/{k}", form)._replace(asks=q.ask)
        for k, q in zip(numbers, questions, strict=True)
    ]
    # papers that were printed when questions were called by their numbers alone keep their marks
    called = [i._replace(id=str(k)) for k, i in zip(numbers, items, strict=True)]
    sections = tuple(
        _section(k, question, item, words)
        for k, (question, item) in enumerate(zip(questions, items, strict=True), start=1)
    )
    mark = joint_mark((_as_marked(questions), repr(called)))
    points = sum(item.points for item in items)
    paper = Paper("exercise", form, mark, Word(""), points, language=frame.language)
    return Document(Word(part.title), sections, paper=paper._replace(size=frame.paper))


def _as_marked(questions: Sequence[OwnQuestion]) -> str:
    """Writes questions as the mark of a paper goes by them: what came later counts where it is
    said, so that older papers keep their marks."""
    known = OwnQuestion._field_defaults
    kept = [
        [f"{name}={value!r}" for name, value in q._asdict().items()
         if name not in _LATER or value != known[name]]
        for q in questions
    ]  # fmt: skip
    each = [f"OwnQuestion({', '.join(fields)})" for fields in kept]
    return f"({', '.join(each)}{',' * (len(each) == 1)})"


_LATER = ("title", "table", "picture", "shown")


def _ordered(options: Sequence[str], seed: str, form: str) -> list[str]:
    """Orders options, for each form in another way as long as there is one: in the same order,
    begun elsewhere."""
    order = Random(seed).sample(options, len(options))
    start = (ord(form[0]) + int("0" + re.sub(r"\D", "", form))) % len(order)
    return order[start:] + order[:start]


def _item(id_: str, question: OwnQuestion, seed: str, form: str) -> Item:
    if question.options:
        order = _ordered(question.options, seed, form)
        options, right = tuple(map(Word, order)), (order.index(question.right),)
        return Item(id_, question.points, words=RightWords(options, right, labels_of(order)))
    if question.number is None:
        return Item(id_, question.points)
    # who writes more decimals of what is rounded is right, too
    number, half = question.number, decimals.unit(decimals.places(question.number) + 1) * 5
    tolerance = max(question.tolerance, half if decimals.places(question.number) else Decimal(0))
    low, high = decimals.difference(number, tolerance), decimals.added(number, tolerance)
    key = RightAnswer(Number.written(number), Interval(low, high), None, None)
    return Item(id_, question.points, key)


def _section(number: int, question: OwnQuestion, item: Item, words: FrameWords) -> Section:
    blocks = (
        *([Table(*_rows(question.table))] if question.table else []),
        *([question.shown] if question.shown is not None else []),
        _blank(question, item, words),
        *[AnswerSpace(question.lines, exact=True)] * question.by_hand,
    )
    answer, letter = question.answer or item.answer, ""
    if item.words is not None and item.words.labels:
        letter = f"{item.words.labels[item.words.right[0]]}) "
    asked = Paragraph(in_words_and_formulas(question.ask))
    says = in_words_and_formulas(answer) if question.by_hand else (Word(answer),)
    told = Paragraph((f"{words.keys.answer}: {letter}", *says))
    solution = (asked, told) if answer else (asked, *_to_mark_by(words))
    title = as_read(question.title) if question.title else (_to_do(question, words),)
    return Section("", number, title, (), blocks, questions=(item,), solution=solution)


_LINES_TO_MARK_BY = 3


def _to_do(question: OwnQuestion, words: FrameWords) -> str:
    """Returns what stands above a question without a title: how it is answered."""
    if question.options:
        return words.paper.choose
    return words.paper.in_words if question.by_hand else words.paper.give_number


def _to_mark_by(words: FrameWords) -> tuple[Block, ...]:
    """Returns room on the key for what a question is marked by that has no answer."""
    return Paragraph((words.keys.no_answer,)), AnswerSpace(_LINES_TO_MARK_BY)


def _rows(table: Sequence[Sequence[str]]) -> tuple[tuple[Word, ...], tuple[tuple[Word, ...], ...]]:
    """Returns the headings of a table, and its other rows."""
    headings, *rows = (tuple(map(Word, row)) for row in table)
    return headings, tuple(rows)


def _blank(question: OwnQuestion, item: Item, words: FrameWords) -> Block:
    says = in_words_and_formulas(question.ask)
    if question.by_hand:
        return Paragraph(says)
    key, heading = item.words, words.keys.answer
    if key is None:
        return WordBlank(item.id, says, heading=heading, answer=Word(item.answer))
    return WordBlank(item.id, says, key.options, key.labels, heading, key.answer)
