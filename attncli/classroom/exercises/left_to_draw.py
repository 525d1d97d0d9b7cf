"""Pools whole, and forms without what they drew, for platforms that draw by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache

from attncli.classroom.exercises.exam_papers import ExamForm, renamed
from attncli.classroom.exercises.tasks import with_hints
from attncli.classroom.files.exam_file import ExamPart
from attncli.classroom.files.exercise_file import Frame
from attncli.classroom.marking.exam_parts import part_prefix
from attncli.document.blocks import Document, LeftToDraw, Pool
from attncli.document.blocks import each as each_block
from attncli.document.languages import words_of
from attncli.document.tables import MatrixBlock
from attncli.names import Word, raw
from attncli.pages.parts.selection import SelectionError
from attncli.trace import Trace

_CENT = Decimal("0.01")


def left_to_draw(form: ExamForm) -> LeftToDraw | None:
    """Returns what a platform can draw of a form by itself, with its numbers; None where its exam
    has no pools."""
    if not any(part.pool for part in form.exam.parts):
        return None
    return LeftToDraw(_rest(form), cache(lambda: tuple(_pools(form))))


def knowing_pools(document: Document, form: ExamForm) -> Document:
    """Returns a paper of a form that knows what a platform can draw of it by itself."""
    answers = document.answers._replace(left_to_draw=left_to_draw(form))
    return document._replace(answers=answers)


def _rest(form: ExamForm) -> Document | None:
    """Makes the form with what all students are asked; None where there is nothing."""
    rests = [part.rest for part in form.exam.parts]
    for k, rest in enumerate(rests):
        if rest is not None and form.exam.parts[k].pool:
            rests[k] = _shared(form, rest, form.traces[k], _points_of_rest(form, k))
    kept = [(part, t) for part, t in zip(rests, form.traces, strict=True) if part is not None]
    parts, traces = [part for part, _ in kept], [trace for _, trace in kept]
    return form.asking(parts, traces).hinted if kept else None


def _shared(form: ExamForm, part: ExamPart, trace: Trace | None, points: Decimal) -> ExamPart:
    """Returns a part with so many points in all, if it says how many and its blanks can share them;
    else with those of its blanks."""
    worth = part.worth(points)
    try:
        form.asking((worth,), (trace,))
    except SelectionError:
        return part.worth(None)
    return worth


def _points_of_rest(form: ExamForm, k: int) -> Decimal:
    """Adds up the points in a part, counted from 0, of what isn't drawn."""
    ids = {item.id for page in _rest_of(form, k) for item in page.items}
    return Decimal(sum(item.points for item in form.wholes[k].items if item.id in ids))


def _rest_of(form: ExamForm, k: int) -> tuple[Document, ...]:
    """Returns the page of what isn't drawn in a part, counted from 0, if there is something."""
    rest = form.exam.parts[k].rest
    return form.asking((rest.worth(None),), (form.traces[k],)).wholes if rest else ()


def _pools(form: ExamForm) -> Iterator[Pool]:
    words = words_of(form.exam.frame.language)
    for k, part in enumerate(form.exam.parts):
        if part.pool:
            title = Word(part.title) if part.title else form.wholes[k].title
            title = title if raw(title) else Word(words.paper.part.format(number=k + 1))
            pages = tuple(_questions(form, k, part))
            tells = len(pages) < len(part.pool) or _one_tells_another([*_rest_of(form, k), *pages])
            yield Pool(title, part.take, pages, tells)


def _one_tells_another(pages: Sequence[Document]) -> bool:
    """Tells whether a page shows a table of what another asks for."""
    each = [{item.cell.quantity for item in page.items if item.cell} for page in pages]
    asked = {name for names in each for name in names}
    shown = [
        block.quantity
        for page, own in zip(pages, each, strict=True)
        for _, blocks in page.parts
        for block in each_block(blocks)
        if isinstance(block, MatrixBlock) and block.quantity not in own
    ]
    return not asked.isdisjoint(shown)


def _questions(form: ExamForm, k: int, part: ExamPart) -> Iterator[Document]:
    """Yields each question of a pool as a page, but for one that a page alone would tell."""
    whole, trace = form.wholes[k], form.traces[k]
    points = Decimal(sum(item.points for item in whole.items)) - _points_of_rest(form, k)
    each = (points / part.take).quantize(_CENT)
    frame = Frame(language=form.exam.frame.language, paper=form.exam.frame.paper)
    prefix = part_prefix(k + 1, len(form.wholes))
    for place in range(len(part.pool)):
        with suppress(SelectionError):
            alone = _shared(form, part.alone(place), trace, each)
            (page,) = form.asking((alone,), (trace,), frame).wholes
            yield renamed(page if trace is None else with_hints(page, trace), prefix)
