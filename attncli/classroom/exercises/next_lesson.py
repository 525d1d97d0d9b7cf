"""The page for the next lesson: the mistakes of most papers, put right, and blanks to try again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from attncli.classroom.exercises.class_tables import why_failed
from attncli.classroom.exercises.report import blanks_called
from attncli.classroom.files.mathematics import as_read
from attncli.classroom.forms.search import SearchRequest, search
from attncli.classroom.marking.classes import (
    GradedClass,
    Wrong,
    hardest,
    without_doubtful,
    wrong_answers,
)
from attncli.classroom.marking.exam import Exam
from attncli.classroom.marking.exam_parts import MarkedExam
from attncli.document.blocks import (
    Block,
    DefinitionList,
    Derivation,
    Document,
    Line,
    PageData,
    Paragraph,
    Section,
    Spans,
    Subheading,
    Term,
    text_of_spans,
)
from attncli.errors import UserError
from attncli.judging.judging import Judge
from attncli.judging.slips import OF_TABLES, OF_THE_PEN
from attncli.judging.verdicts import UNEARNED, Verdict
from attncli.maths.equations.tree import Location
from attncli.names import TOP, Name, Word, WordedText, raw_text
from attncli.pages.check import made_wrongly_by, right_lines, workings_of
from attncli.pages.lesson import worst_cell
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.cell_words import called, in_place
from attncli.pages.parts.selection import select
from attncli.pages.parts.sentences import each_sentence, joined, without_stop
from attncli.pages.parts.working import cell_line
from attncli.trace import Trace

_MOST = 6
"""Mistakes that a lesson has room for."""
_SEED = 20_000
"""The seed of other numbers, far from those of an exam's forms."""
_MADE = ("rounding", "known mistake")
_FEWEST_DIGITS = 3
"""Characters of a number of which one may be typed wrongly; of fewer any other number is near."""


class ToTeach(NamedTuple):
    """A mistake to be taught."""

    says: WordedText
    papers: int
    """In how many papers it was made."""
    exam: Exam
    verdict: Verdict
    """The verdict on a number that it gave, in the first form."""


def to_teach(papers: Sequence[MarkedExam]) -> list[ToTeach]:
    """Finds the mistakes in numbers, those of most papers first."""
    found: dict[WordedText, ToTeach] = {}
    for paper in sorted(papers, key=lambda paper: paper.exam.form):
        made: dict[WordedText, ToTeach] = {}
        for wrong in (w for w in wrong_answers(paper) if w.judgement in _MADE):
            verdict, exam = wrong.verdict, paper.exam.parts[wrong.part].exam
            if verdict is None or not isinstance(exam, Exam) or _is_no_lesson(wrong):
                continue
            entry = ToTeach(wrong.why, 1, exam, verdict)
            made.setdefault(wrong.why, found.get(wrong.why, entry))
        for says, entry in made.items():
            found[says] = entry._replace(papers=entry.papers + (says in found))
    return sorted(found.values(), key=lambda entry: -entry.papers)[:_MOST]


def _is_no_lesson(wrong: Wrong) -> bool:
    """Tells whether a number is only written down wrongly, with another digit or in another row
    say, or only follows."""
    verdict, cause = wrong.verdict, wrong.cause
    if cause is not None:
        return cause == UNEARNED or cause.name in (*OF_THE_PEN, *OF_TABLES)
    if verdict is None or verdict.given.number is None:
        return False
    both = verdict.given.number, verdict.expected.shown
    theirs, right = (f"{number:.{verdict.given.places or 0}f}" for number in both)
    differ = sum(a != b for a, b in zip(theirs, right, strict=False))
    return len(theirs) == len(right) >= _FEWEST_DIGITS and differ == 1


def next_lesson(graded: GradedClass) -> Document:
    """Makes the page for the next lesson: what most papers had wrong, worked wrongly and rightly,
    and more of it to try."""
    papers = without_doubtful(graded.papers)
    taught, count = to_teach(papers), len(papers)
    pairs = [_section(k, entry, count) for k, entry in enumerate(taught, start=1)]
    answers = Derivation(tuple(line for _, lines in pairs for line in lines))
    last = Section("", None, ("Answers",), (), (answers,) if pairs else (Paragraph(("None.",)),))
    sections = (*(section for section, _ in pairs), *_others(graded, taught), last)
    told = ({"says": raw_text(e.says), "papers": e.papers, "of": count} for e in taught)
    data = PageData(told={"mistakes": [*told]})
    facts = DefinitionList((("Papers", (str(count),)),))
    return Document(Word(f"{graded.title}: the next lesson"), sections, facts, data=data)


def _others(graded: GradedClass, taught: Sequence[ToTeach]) -> Iterator[Section]:
    """Yields the hardest blanks that none of the taught mistakes explains: left empty, chosen or
    slipped."""
    if not graded.papers:
        return
    asked, said = graded.papers[0].exam.asked, {entry.says for entry in taught}
    every = (w for paper in graded.papers for w in wrong_answers(paper) if not _is_no_lesson(w))
    ids = asked.keys() & {w.id for w in every}
    found = [b for b in hardest(graded.papers) if b.reasons[0][0] not in said and b.id in ids]
    blocks: list[Block] = []
    for blank in found[:_MOST]:
        of, item = asked[blank.id]
        blocks.append(Subheading(blanks_called(graded.papers[0].exam, [blank.id])))
        blocks += [Paragraph(as_read(item.asks))] * bool(item.asks)
        blocks.append(Paragraph(("It is ", *why_failed(blank), ".")))
        if isinstance(of, Exam) and item.cell is not None:
            blocks += right_lines(of.trace, [item.cell])
        elif item.answer:
            blocks.append(Paragraph(("Right: ", Word(item.answer), ".")))
    if blocks:
        yield Section("", None, ("Besides",), (), tuple(blocks))


def _section(number: int, taught: ToTeach, count: int) -> tuple[Section, list[Line]]:
    """Makes the section of a mistake. Returns it with the answer to what is to be tried."""
    judge, verdict = taught.exam.judge, _where_it_was_made(taught)
    title, *more = each_sentence(taught.says)
    given = Paragraph(("As it was given: ", Word(verdict.given.shown), "."))
    task = to_try(_other_numbers(judge.trace, verdict.cell.quantity), verdict)
    blocks: tuple[Block, ...] = (
        Paragraph(joined(((f"In {taught.papers} of {count} papers.",), *more), " ")),
        *([*workings_of(judge, verdict, judge.trace)] or [given]),
        *right_lines(judge.trace, [verdict.cell]),
        Subheading(("To try",)),
        *task.tables,
        Paragraph(task.asked),
    )
    return Section("", number, without_stop(title), (), blocks), task.answer


def _where_it_was_made(taught: ToTeach) -> Verdict:
    """Returns the verdict on a number that the mistake gives, on right numbers. Where the mistake
    was made on the way, the number is in what was made wrongly first."""
    verdict, judge = taught.verdict._replace(follows=None), taught.exam.judge
    cause = verdict.cause
    assert cause is not None
    wrong = made_wrongly_by(judge, judge.trace, verdict)
    if not cause.quantity or wrong is None:
        return verdict
    cell = worst_cell(judge.trace[cause.quantity], wrong[cause.quantity])
    made = verdict._replace(cause=cause._replace(quantity=""))
    return verdict if cell is None else made._replace(cell=Location(cause.quantity, *cell))


def _other_numbers(trace: Trace, name: str) -> Trace:
    """Returns the scenario with other numbers that are as easy, and with its own where none are
    found."""
    try:
        return next(search(trace.scenario, SearchRequest(1, _SEED, {name})))
    except UserError:
        return trace


class ToTry(NamedTuple):
    """A task: a cell to be worked out on other numbers, or its whole row where a mistake begins
    before its quantity."""

    trace: Trace
    cell: Location
    made: Sequence[str]
    """The quantities that are made on the way."""
    given: Sequence[str]
    """The quantities that are given, which the mistake doesn't change."""

    @property
    def asked(self) -> Spans:
        """Says what is to be worked out: `In head 1, work out scores[I, love].`"""
        name, row, column = self.cell
        whole = len(self.made) > 1
        _, own = called(self.trace, name)
        where = text_of_spans(in_place(self.path))
        what = Term(self.trace[name].symbol(row, None if whole else column, own))
        return (f"{where[:1].upper()}{where[1:]}{'work' if where else 'Work'} out ", what, ".")

    @property
    def path(self) -> Name:
        """Returns the place of the task in the model."""
        part = self.trace.part_of(self.cell.quantity)
        return TOP if part is None else part.path

    @property
    def tables(self) -> Iterator[Block]:
        """Yields tables of all that is given, by their names in the place of the task."""
        for name in self.given:
            quantity = self.trace[name]
            rows = tuple(range(quantity.matrix.shape[0]))
            yield matrix_block(quantity, select(self.trace), self.path)._replace(
                rows=rows, data_rows=()
            )

    @property
    def answer(self) -> list[Line]:
        """Returns the working of the cell. For a row it is that of all of its cells, and of what is
        on the way."""
        trace, (name, row, column) = self.trace, self.cell
        if len(self.made) == 1:
            return [cell_line(trace, trace[name], row, column)]
        cells = (cell for made in self.made for cell in self._cells_of_row(made))
        return [cell_line(trace, trace[made], i, j) for made, i, j in cells]

    def _cells_of_row(self, made: str) -> Iterator[Location]:
        """Yields the cells of the row in a quantity with the same rows, and all cells of any
        other."""
        rows, columns = self.trace[made].matrix.shape
        same = rows == self.trace[self.cell.quantity].matrix.shape[0]
        for i in [self.cell.row] if same else range(rows):
            yield from (Location(made, i, j) for j in range(columns))


def to_try(fresh: Trace, verdict: Verdict) -> ToTry:
    """Finds what shows a mistake on other numbers: the cell in which it shows most, or the last one
    where that isn't known."""
    name = verdict.cell.quantity
    before = [*fresh][: [*fresh].index(name)]
    wrong = made_wrongly_by(Judge(fresh), fresh, verdict, before)
    found = None if wrong is None else worst_cell(fresh[name], wrong[name])
    rows, columns = fresh[name].matrix.shape
    cell = Location(name, *(found or (rows - 1, columns - 1)))
    made = {name}
    for entry in reversed([*fresh]):  # what it is made of, as far back as the mistake changes that
        for operand in _operands(fresh, entry) if entry in made else ():
            if wrong is not None and _differs(fresh, wrong, operand):
                made.add(operand)
    order = [entry for entry in fresh if entry in made]
    operands = (o for entry in order for o in _operands(fresh, entry) if o not in made)
    return ToTry(fresh, cell, order, [*dict.fromkeys(operands)])


def _differs(fresh: Trace, wrong: Trace, name: str) -> bool:
    return fresh[name].definition is not None and not np.array_equal(
        fresh[name].values, wrong[name].values, equal_nan=True
    )


def _operands(trace: Trace, name: str) -> Sequence[str]:
    definition = trace[name].definition
    return () if definition is None else definition.operands
