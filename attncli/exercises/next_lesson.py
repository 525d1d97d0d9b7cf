"""The page for the next lesson: the mistakes of most papers, each as it was made and as it is
right, and one more blank of its kind to try on other numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncli.document.blocks import (
    Block,
    DefinitionList,
    Derivation,
    Document,
    Line,
    Paragraph,
    Section,
    Spans,
    Subheading,
    Term,
)
from attncli.equations.tree import Location
from attncli.errors import UserError
from attncli.exercises.report import made_wrongly_by, right_lines, workings_of
from attncli.marking.classes import GradedClass, Wrong, wrong_answers
from attncli.marking.exam import Exam
from attncli.marking.exam_parts import MarkedExam
from attncli.marking.judging import Judge
from attncli.marking.verdicts import Verdict
from attncli.names import Word
from attncli.nice_numbers.search import SearchRequest, search
from attncli.pages.lesson import worst_cell
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.selection import select
from attncli.pages.parts.sentences import counted, joined
from attncli.pages.parts.working import cell_line
from attncli.trace import Trace

_MOST = 6
"""Mistakes that a lesson has room for."""
_MOST_BLANKS = 6
_SEED = 20_000
"""The seed of other numbers, far from those of an exam's forms."""
_MADE = ("rounding", "known mistake")


class ToTeach(NamedTuple):
    """A mistake, in how many papers it was made, in which blanks of the exam, and one of these, of
    the first form that it was made in."""

    says: str
    papers: int
    blanks: tuple[str, ...]
    exam: Exam
    verdict: Verdict


def to_teach(papers: Sequence[MarkedExam]) -> list[ToTeach]:
    """The mistakes in numbers, those of most papers first."""
    found: dict[str, list[tuple[int, Wrong]]] = {}
    ordered = sorted(range(len(papers)), key=lambda k: papers[k].exam.form)
    for k in ordered:
        for wrong in wrong_answers(papers[k]):
            if wrong.cause is not None and wrong.verdict and wrong.judgement in _MADE:
                found.setdefault(wrong.cause.says, []).append((k, wrong))
    taught = []
    for says, made in found.items():
        alone = [pair for pair in made if pair[1].verdict and pair[1].verdict.follows is None]
        k, wrong = (alone or made)[0]
        exam = papers[k].exam.parts[wrong.part].exam
        assert isinstance(exam, Exam)
        assert wrong.verdict is not None
        blanks = tuple(dict.fromkeys(entry.id for _, entry in made))
        taught.append(ToTeach(says, len({n for n, _ in made}), blanks, exam, wrong.verdict))
    return sorted(taught, key=lambda entry: -entry.papers)[:_MOST]


def next_lesson(graded: GradedClass) -> Document:
    """What most papers had wrong, worked wrongly and rightly, and more of it to try."""
    taught, count = to_teach(graded.papers), len(graded.papers)
    pairs = [_section(k, entry, count) for k, entry in enumerate(taught, start=1)]
    sections = [section for section, _ in pairs]
    if pairs:
        answers = Derivation(tuple(answer for _, answer in pairs))
        sections.append(Section("", None, ("Answers",), (), (answers,)))
    about = "No mistake that is known was made." if not taught else (
        "The mistakes of most papers, each as it may have been made and as it is right."
    )  # fmt: skip
    data = {"mistakes": [{"says": e.says, "papers": e.papers, "of": count} for e in taught]}
    title = Word(f"{graded.title}: the next lesson")
    facts = DefinitionList((("Papers", (str(count),)),))
    opening = (Paragraph((about,)),)
    return Document(title, tuple(sections), facts, opening=opening, data=data)


def _section(number: int, taught: ToTeach, count: int) -> tuple[Section, Line]:
    """A mistake, and the answer to what is to be tried."""
    judge, verdict = taught.exam.judge, _where_it_was_made(taught)
    name, says = verdict.cell.quantity, taught.says.partition(". ")
    given = [Paragraph(("As it was given: ", Word(verdict.given.shown), "."))]
    wrong = [*workings_of(judge, verdict, ())] or given * (taught.verdict.follows is None)
    fresh = _other_numbers(judge.trace, name)
    cell = _cell_to_try(fresh, verdict)
    blocks: list[Block] = [
        *([Paragraph((says[2],))] if says[2] else []),
        Paragraph(_made_in(taught, count)),
        *wrong,
        *right_lines(judge.trace, [verdict.cell]),
        Subheading(("To try",)),
        *_operands(fresh, name),
        Paragraph(("Work out ", Term(fresh[name].symbol(cell.row, cell.column)), ".")),
    ]
    answer = cell_line(fresh, fresh[name], cell.row, cell.column)
    title = says[0].removesuffix(".")
    return Section("", number, (title,), (), tuple(blocks)), answer


def _made_in(taught: ToTeach, count: int) -> Spans:
    """`9 of 31 papers, in exp_sum[I], exp_sum[love] and 1 more.`"""
    shown = joined((Term(id_),) for id_ in taught.blanks[:_MOST_BLANKS])
    more = len(taught.blanks) - _MOST_BLANKS
    end = f" and {counted(more, 'more blank')}." if more > 0 else "."
    return (f"In {taught.papers} of {count} papers: ", *shown, end)


def _where_it_was_made(taught: ToTeach) -> Verdict:
    """The verdict on a number that the mistake gives, on right numbers; where it was made on the
    way, in what was made wrongly first."""
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
    """The scenario with other numbers that are as easy; with its own where none are found."""
    try:
        return next(search(trace.scenario, SearchRequest(1, _SEED, {name})))
    except UserError:
        return trace


def _cell_to_try(fresh: Trace, verdict: Verdict) -> Location:
    """The cell in which the mistake shows most; where that isn't known, the last one."""
    name = verdict.cell.quantity
    wrong = made_wrongly_by(Judge(fresh), fresh, verdict)
    found = None if wrong is None else worst_cell(fresh[name], wrong[name])
    rows, columns = fresh[name].matrix.shape
    return Location(name, *(found or (rows - 1, columns - 1)))


def _operands(trace: Trace, name: str) -> Iterator[Block]:
    """All that a quantity is made of."""
    definition = trace[name].definition
    for operand in () if definition is None else dict.fromkeys(definition.operands):
        rows = tuple(range(trace[operand].matrix.shape[0]))
        yield matrix_block(trace[operand], select(trace))._replace(rows=rows, data_rows=())
