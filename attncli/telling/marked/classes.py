"""The table of a class: marks, commonest mistakes, hardest cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal

from attncli.document import Block, Bullets, Document, Facts, Note, Section, Table, TableCell, Term
from attncli.marked import SIGNS
from attncli.marking.grading.classes import average, commonest, hardest
from attncli.marking.grading.exam import Exam
from attncli.marking.grading.papers import MarkedPaper
from attncli.telling.facts import rounding_facts
from attncli.telling.marked.papers import points_text
from attncli.telling.marked.words import MEANING
from attncli.telling.sentences import counted
from attncli.word import Word

_MOST = 8
"""Mistakes, and cells, that are listed."""


def class_page(papers: Sequence[MarkedPaper]) -> Document:
    """The marks of a class, its commonest mistakes and its hardest cells."""
    exam = papers[0].exam
    title = Word(exam.title)
    mean = points_text(average(papers).quantize(Decimal("0.01"), ROUND_HALF_UP))
    facts = Facts(
        (
            ("Papers", (str(len(papers)),)),
            ("Average", (f"{mean} of {points_text(exam.points)} points",)),
        )
    )
    marks = Section("", None, ("Marks",), (), tuple(_marks(papers)))
    sections = [marks, *_sections(exam, papers)]
    return Document(title, tuple(sections), facts, rounding=rounding_facts(exam.trace))


def _marks(papers: Sequence[MarkedPaper]) -> Iterator[Block]:
    signs = [name for name in SIGNS if any(paper.counts[name] for paper in papers)]
    forms = len({paper.sheet.form for paper in papers}) > 1
    ids = _has_ids(papers)
    of_whom = ("Student", *(("ID",) * ids), *(("Form",) * forms))
    headings = (*of_whom, "Points", "%", *(SIGNS[one] for one in signs))
    rows = (_row(paper, signs, ids=ids, forms=forms) for paper in papers)
    yield Table(headings, tuple(rows))
    yield Facts(tuple((f"{SIGNS[name]} {name}", (MEANING[name],)) for name in signs))
    trivial = [paper for paper in papers if paper.trivial]
    if trivial:
        names = [Word(paper.sheet.student) for paper in trivial]
        told = [span for name in names for span in (", ", name)][1:]
        said = "Earlier answers make later work trivial; look at these papers yourself: "
        yield Note((said, *told, "."))


def _has_ids(papers: Sequence[MarkedPaper]) -> bool:
    return any(paper.sheet.id for paper in papers)


def _row(
    paper: MarkedPaper, signs: Sequence[str], *, ids: bool, forms: bool
) -> tuple[TableCell, ...]:
    sheet, counts = paper.sheet, (str(paper.counts[name]) for name in signs)
    whose = (Word(sheet.student), *((Word(sheet.id),) * ids), *((Word(sheet.form),) * forms))
    return (*whose, points_text(paper.points), percent(paper), *counts)


def percent(paper: MarkedPaper) -> str:
    """How much of all points a paper has earned, in per cent."""
    share = 100 * paper.points / paper.of if paper.of else Decimal(0)
    return str(share.quantize(Decimal(1), ROUND_HALF_UP))


def _sections(exam: Exam, papers: Sequence[MarkedPaper]) -> Iterator[Section]:
    mistakes = commonest(papers)[:_MOST]
    if mistakes:
        rows = tuple(((f"{counted(one.papers, 'paper')}: {one.says}"),) for one in mistakes)
        yield Section("", None, ("Commonest mistakes",), (), (Bullets(rows),))
    cells = hardest(papers)[:_MOST]
    if cells:
        symbols = ((exam.trace[c.quantity].symbol(c.row, c.column), n) for c, n in cells)
        told = tuple(
            (Term(symbol), f": not right in {counted(n, 'paper')}") for symbol, n in symbols
        )
        yield Section("", None, ("Hardest cells",), (), (Bullets(told),))


def class_rows(papers: Sequence[MarkedPaper]) -> Iterator[tuple[str, ...]]:
    """The table as rows of texts: its headings, then each student."""
    ids = _has_ids(papers)
    whose: tuple[str, ...] = ("student", *(("id",) * ids), "form")
    yield (*whose, "points", "of", "percent", *SIGNS, "trivial", "file")
    for paper in papers:
        sheet = paper.sheet
        trivial = " ".join(str(one.quantity) for one in paper.trivial)
        counts = (str(paper.counts[name]) for name in SIGNS)
        points = points_text(paper.points), points_text(paper.of), percent(paper)
        whose = (sheet.student, *((sheet.id,) * ids), sheet.form)
        yield (*whose, *points, *counts, trivial, sheet.source)
