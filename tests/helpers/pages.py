"""Pages of scenarios in any format, for the tests that read them, each worked and told once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attncli.document.blocks import Document, Table, text_of_spans
from attncli.formats import RenderOptions, format_names, render
from attncli.names import Word
from attncli.pages.catalogue import contents
from attncli.pages.check import checked
from attncli.pages.explain import cells_page, find_cells
from attncli.pages.lesson import lessons
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from attncli.pipeline import load, work
from attncli.scenario.file import shipped
from attncli.steps import steps
from attncli.steps.order import step_of
from attncli.steps.step import Step
from attncli.trace import Trace
from tests.auditor import Tables, audit
from tests.conftest import THOROUGH, share

GOLDEN = Path(__file__).parents[1] / "golden"
SHIPPED = {name: shipped.path_of(name).read_text("utf-8") for name in shipped.names()}
LARGE = frozenset({"i_can_go_alone", "embedding_table"})
"""Scenarios of 512 columns, and of 23 million numbers."""
LIGHT = [name for name in SHIPPED if THOROUGH or name != "embedding_table"]
"""Those whose tables are drawn in no time; some tests by name are of the other."""
EQUATIONS = frozenset(contents()["Other ways to mix"])
"""Scenarios of equations alone."""
WORDS_ONLY = "tokenizers"
"""A scenario without any numbers."""


@lru_cache(maxsize=64)
def trace_of(text: str, *changes: str) -> Trace:
    """The trace of a scenario's text."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "scenario.yaml"
        path.write_text(text, encoding="utf-8")
        return work(load(path, changes))


@lru_cache(maxsize=64)
def shipped_trace(name: str) -> Trace:
    """The trace of a shipped scenario as it is asked for by its name."""
    return work(load(name))


def printed_otherwise(trace: Trace) -> list[dict[str, str]]:
    """The rows that `attn check` lists of a trace's own numbers: printed otherwise than here."""
    sections = (
        s for s in checked(trace)[0].sections if text_of_spans(s.title) == "Printed otherwise"
    )
    tables = (block for s in sections for block in s.blocks if isinstance(block, Table))
    return [
        dict(zip(map(str, table.headings), map(raw_text_of, row), strict=True))
        for table in tables
        for row in table.rows
    ]


def raw_text_of(cell: object) -> str:
    """The text of a table's cell."""
    return cell.raw if isinstance(cell, Word) else str(cell)


@lru_cache(maxsize=64)
def document_of(trace: Trace, detail: str = "full") -> Document:
    """What is told of a trace."""
    return walkthrough(trace, Selection(detail=detail))


@lru_cache(maxsize=64)
def page_of(trace: Trace, form: str = "terminal", width: int = 80, detail: str = "full") -> str:
    """A trace's page in a format."""
    return render(document_of(trace, detail), form, RenderOptions(width))


@lru_cache(maxsize=64)
def tables_of(trace: Trace) -> Tables:
    """The tables that an auditor looks names up in."""
    return Tables(json.loads(page_of(trace, "json", detail="rows")))


def a_few_pages(trace: Trace, every: int, of: str = "") -> list[tuple[str, str]]:
    """Formats and details of a trace's page, for other numbers others; thoroughly all."""
    numbers = "".join(str(quantity.values) for quantity in trace.quantities.values())
    return share(every, product(format_names(), ("full", "rows")), of=f"{of} {numbers}")


def false_on_pages(trace: Trace) -> list[str]:
    """What an auditor finds false on a few of a trace's pages."""
    pages = ((form, page_of(trace, form, 80, detail)) for form, detail in a_few_pages(trace, 3))
    return [sign for form, page in pages for sign in audit(page, form, tables_of(trace)).false]


def steps_of(trace: Trace) -> list[Step[Any]]:
    """The steps that there are, or of a scenario of equations alone its own."""
    own = {part.called: step_of(part) for part in trace.story if part.place.called}
    return [step._replace(name=name) for name, step in own.items()] or [*steps()]


def lessons_of(trace: Trace, form: str = "terminal", detail: str = "full") -> str:
    """What `attn explain` says of each step with a trace's numbers."""
    pairs = [(step, trace) for step in steps_of(trace)]
    return render(lessons(trace, pairs, Selection(detail=detail)), form, RenderOptions(80))


def page_of_cells(trace: Trace, wanted: Sequence[str], form: str = "terminal") -> str:
    """The page of single cells, as `--cell` prints it."""
    return render(cells_page(trace, find_cells(trace, wanted, ())), form, RenderOptions(80))
