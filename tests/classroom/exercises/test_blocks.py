"""A block of a kind that nobody knows stops the program, wherever blocks are walked."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple, get_args

import pytest

from attncli.classroom.exercises.answer_keys import _Wanted
from attncli.classroom.exercises.gate_by_gate import gate_by_gate
from attncli.classroom.exercises.line_blanks import numbers_shown
from attncli.classroom.exercises.papers import sheet_for, sheet_of, translated
from attncli.classroom.exercises.requests import ExerciseRequest, by_names
from attncli.classroom.exercises.tasks import _first_lines, room
from attncli.classroom.exercises.workable_sections import (
    StepSection,
    _separate,
    _without,
)
from attncli.classroom.formats._self_marking import printed_blocks
from attncli.document.blocks import (
    ONLY_DATA,
    Block,
    Derivation,
    Document,
    Line,
    Section,
    Spans,
    each,
    parts_of,
    rule_for,
)
from attncli.document.questions import Interval, Item, Paper, RightAnswer
from attncli.document.tables import MatrixBlock, ProductBlock
from attncli.formats import (
    RenderOptions,
    binary_format_names,
    contents_of,
    exercise_format_names,
    format_names,
    info_of,
    paper_format_names,
    picture_format_names,
)
from attncli.formats.bare_quantities import mathematics_of, tables_in
from attncli.formats.html import blocks as html
from attncli.formats.pages import markdown, terminal
from attncli.formats.pages.json import TOLD_AS, as_printed, pictures_as_data
from attncli.formats.svg.drawing import drawn
from attncli.formats.tex import documents as tex
from attncli.formats.typst import blocks as typst
from attncli.formats.workbook import layout
from attncli.formats.writers import Products, Tables
from attncli.maths.equations.tree import Blank, Number, Sum, Symbol
from attncli.names import Word
from attncli.pages.parts.blocks import by_gates
from attncli.pages.parts.lengths import length_of
from attncli.pages.parts.sections import _working_first
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from tests.conftest import sampled
from tests.helpers.pages import shipped_trace


class Unheard(NamedTuple):
    """A block that is in no list."""

    text: Spans = ("Something new.",)


UNHEARD: Any = Unheard()
SECTION = Section("softmax", 1, ("Softmax",), (), (UNHEARD,), solution=(UNHEARD,))
PAPER = Paper("exercise", "A", "12e45678", Word(""), 1)
BLOCKS: tuple[Document, ...] = (
    Document(Word("New"), (SECTION,)),
    Document(Word("New"), (), opening=(UNHEARD,)),
    Document(Word("New"), (), closing=(UNHEARD,)),
)
NUMBERS = ["npz", "safetensors"]
"""Formats that have no word of what stands before and behind the sections."""
TRACE = shipped_trace("i_love_ai")
PART = TRACE.story[-1]
PASSES: dict[str, Callable[[], object]] = {
    "data": lambda: [*pictures_as_data([UNHEARD])],
    "drawing": lambda: drawn(UNHEARD),
    "gates": lambda: by_gates(PART, [UNHEARD]),
    "hints": lambda: [*_first_lines([UNHEARD])],
    "length": lambda: length_of(BLOCKS[0]),
    "lines first": lambda: _working_first([UNHEARD]),
    "mathematics": lambda: [mathematics_of(page) for page in BLOCKS],
    "names": lambda: by_names(SECTION),
    "numbers": lambda: numbers_shown([UNHEARD]),
    "own sheet": lambda: sheet_for(BLOCKS[1]._replace(paper=PAPER), "Ada", "1"),
    "printed": lambda: as_printed(BLOCKS[0]),
    "quantities": lambda: [*tables_in([UNHEARD])],
    "room": lambda: room(TRACE, SECTION, [], ExerciseRequest(())),
    "rows": lambda: gate_by_gate([UNHEARD], ()),
    "screen": lambda: [*printed_blocks([UNHEARD])],
    "separate": lambda: _separate([UNHEARD], PART),
    "sheet": lambda: sheet_of(BLOCKS[0]._replace(paper=PAPER)),
    "solution": lambda: [*_Wanted([]).of(UNHEARD)],
    "translated": lambda: translated(SECTION, "de"),
    "without": lambda: _without(StepSection(PART, SECTION, PART.definitions), {"Q"}),
    "workbook": lambda: [*layout.items_of([UNHEARD], {})],
}


@pytest.mark.parametrize("told", PASSES)
def test_no_pass_goes_over_an_unknown_block(told: str) -> None:
    with pytest.raises(TypeError, match=r"^Unheard "):
        PASSES[told]()


def _contents(page: Document, form: str) -> object:
    contents = contents_of(page, form, RenderOptions(80))
    return contents if isinstance(contents, str | bytes) else [*contents]


@pytest.mark.parametrize("page", BLOCKS, ids=["section", "opening", "closing"])
@pytest.mark.parametrize("form", [*format_names(), *picture_format_names(), *binary_format_names()])
def test_no_format_goes_over_an_unknown_block(form: str, page: Document) -> None:
    if form in NUMBERS and not page.sections:
        pytest.skip("only the sections have what it keeps")
    with pytest.raises(TypeError, match=r"^Unheard "):
        _contents(page, form)


@pytest.mark.parametrize(
    "form", sorted({*paper_format_names(), *exercise_format_names()} - {"csv", "yaml"})
)
def test_no_format_of_papers_goes_over_an_unknown_block(form: str) -> None:
    """But for tables to write answers into, which have the ids of questions only."""
    number = Decimal(1)
    key = RightAnswer(Number.written(number), Interval(number, number), None, None)
    asked = SECTION._replace(questions=(Item("a", number, key),))
    with pytest.raises(TypeError, match=r"^Unheard "):
        _contents(BLOCKS[0]._replace(sections=(asked,), paper=PAPER), form)


@pytest.mark.parametrize("rules", [html, tex, typst, markdown, terminal, layout])
def test_every_format_has_a_rule_for_every_block(rules: Any) -> None:
    """But for tables and products, which some tell several at a time, what only data have, and
    products of which formats that don't lay them out are given the lines."""
    known: Any = getattr(rules, "WRITERS", None) or rules._WRITERS
    assert {*get_args(Block)} - {*ONLY_DATA, MatrixBlock, ProductBlock} <= {*known}
    lays_out = rules in (html, tex, typst, terminal)
    assert bool({*known} & {Products, ProductBlock}) == lays_out
    assert {*known} & {Tables, MatrixBlock}


def test_json_says_where_each_block_is_told() -> None:
    assert {*get_args(Block)} - {ProductBlock} == {*TOLD_AS}


@sampled(4, form=[*format_names(), *binary_format_names(), *picture_format_names()])
def test_no_format_without_a_way_to_lay_products_out_gets_one(form: str) -> None:
    page = walkthrough(TRACE, Selection())
    assert any(isinstance(b, ProductBlock) for s in page.sections for b in s.blocks)
    told = page if info_of(form).products else page.in_lines
    assert _contents(page, form) == _contents(told, form)


def test_blocks_are_a_closed_set() -> None:
    known = get_args(Block)
    assert Derivation in known
    assert [*each([Derivation(())])] == [Derivation(())]
    assert rule_for(Derivation(()), {Derivation: 1}, "a test") == 1
    with pytest.raises(TypeError, match=r"^Derivation has no place in a test$"):
        rule_for(Derivation(()), {}, "a test")


def test_parts_are_found_at_any_depth_but_behind_blanks() -> None:
    number, two, three = map(Number.written, (1, 2, 3))
    line = Line(Symbol("x"), (("=", number), ("=", Sum((two, Blank("a", three))))))
    assert [*parts_of(Derivation((line,)), Line)] == [line]
    assert [*parts_of(Derivation((line,)), Number)] == [number, two]
