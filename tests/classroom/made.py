"""Exercises for the tests that read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from attncli.classroom.exercises.asking import parse_blanking
from attncli.classroom.exercises.papers import exercise, key_page, sheet_of
from attncli.classroom.exercises.requests import ExerciseRequest, PartAsked
from attncli.classroom.exercises.tasks import hints_page
from attncli.document.blocks import Block, ColumnSum, Derivation, Document, Line, in_lines
from attncli.document.questions import Item
from attncli.document.tables import MatrixBlock, ProductBlock
from attncli.formats import exercise_format_names, format_names
from attncli.maths.equations.tree import Blank, Expression, Number, Omitted, leaves
from attncli.pages.explain import find_cells
from attncli.pages.parts.selection import select
from attncli.trace import Trace

BLANKINGS = ("results", "working", "all", "random:0.4")
SELF_MARKING = ("canvas", "moodle", "qti")
SHEET_FORMATS = [
    name for name in [*format_names(), *exercise_format_names()] if name not in SELF_MARKING
]
"""What a student may get; what marks by itself keeps the answers to itself."""


class Papers(NamedTuple):
    """All papers of one form."""

    whole: Document
    sheet: Document
    key: Document
    hints: Document


def request_for(  # noqa: PLR0913
    trace: Trace,
    blank: str = "results",
    *,
    steps: Sequence[str] = (),
    cells: Sequence[str] = (),
    detail: str | None = None,
    seed: str = "7",
    token: str | None = None,
) -> ExerciseRequest:
    blanking = parse_blanking(blank)
    chosen = detail or ("full" if blanking.terms else "summary")
    part = PartAsked(select(trace, steps, token, chosen), find_cells(trace, cells, ()), blanking)
    return ExerciseRequest((part,), seed=seed, share=50)


def papers(trace: Trace, wanted: ExerciseRequest, form: str = "A") -> Papers:
    whole = exercise(trace, wanted, form, "attn exercise it")
    return Papers(whole, sheet_of(whole), key_page(whole), hints_page(whole, trace))


def questions(document: Document) -> list[Item]:
    return [question for section in document.sections for question in section.questions]


def expressions(document: Document) -> Iterator[Expression]:
    """Every number, blank and name of the tables and lines of a document; of its products those of
    their lines and tables."""
    blocks = (*document.opening, *(b for s in document.sections for b in s.blocks))
    yield from _expressions(in_lines(blocks))


def laid_out(document: Document) -> list[Expression]:
    """Every number and blank of products as they stand on paper."""
    products = (b for s in document.sections for b in s.blocks if isinstance(b, ProductBlock))
    return [*_expressions(table for product in products for table in product.tables)]


def _expressions(blocks: Iterable[Block]) -> Iterator[Expression]:
    for block in blocks:
        if isinstance(block, Derivation):
            for line in block.lines:
                for _, part in line.parts if isinstance(line, Line) else ():
                    yield from leaves(part)
        elif isinstance(block, ColumnSum):
            known = (addend for addend in block.addends if not isinstance(addend, Omitted))
            for part in (*(x for addend in known for x in addend), block.total):
                yield from leaves(part)
        elif isinstance(block, MatrixBlock):
            rows, columns = block.matrix.shape
            yield from (block.entry(i, j) for i in range(rows) for j in range(columns))


def blanks(document: Document) -> list[Blank]:
    """The blanks of a document that are asked for, in the order of the page."""
    return [x for x in expressions(document) if isinstance(x, Blank) and x.id]


def numbers(document: Document) -> list[Number]:
    return [x for x in expressions(document) if isinstance(x, Number)]
