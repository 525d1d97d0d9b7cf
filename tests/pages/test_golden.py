"""Pages kept as files, to be read by a person when they change (`--rewrite-golden`)."""

from __future__ import annotations

import re
from functools import cache

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.blocks import Document
from attncli.formats import RenderOptions, format_names, render
from attncli.pages.lesson import lessons
from attncli.pages.parts.selection import Selection, select
from attncli.pages.walkthrough import walkthrough
from attncli.pipeline import load, work
from attncli.steps import steps
from tests.helpers.pages import GOLDEN, SHIPPED, shipped_trace

WIDTH = 80
SUFFIXES = {"terminal": "txt", "markdown": "md", "json": "json", "latex": "tex"}


def check(name: str, page: str, *, rewrite: bool) -> None:
    path = GOLDEN / name
    if name.endswith(".html"):  # the style and the script are files of their own
        page = re.sub(r"(<style>|<script>).*?(?=</)", r"\1", page, flags=re.DOTALL)
    if rewrite:
        path.write_bytes(page.encode())
    assert same_everywhere(path.read_bytes().decode()) == same_everywhere(page), (
        f"read the change, then run with --rewrite-golden: {name}"
    )


_LONG = re.compile(r"\d+\.\d{12,}(?:e-?\d+)?")


def same_everywhere(page: str) -> str:
    """A page whose numbers in full precision end before the digits that a processor's own order of
    adding up decides."""
    return _LONG.sub(lambda long: f"{float(long[0]):.12g}", page)


@cache
def page_document(name: str) -> Document:
    trace = shipped_trace(name)
    return walkthrough(trace, select(trace))


READ_IN_EACH_FORMAT = (
    *("i_love_ai", "i_love_tennis", "three_tokens_two_heads", "embedding_table", "tokenizers"),
    "i_can_go_alone",
)
"""Which have every kind of block between them; the others are read as a terminal shows them, since
the same writers tell them in Markdown and LaTeX."""
READ_IN = {"html": ("i_love_ai", "tokenizers"), "json": ("i_love_tennis", "tokenizers")}
"""Short ones; that of each page is parsed and held against a schema, its trace and the terminal's."""
PAGES = [
    (name, form)
    for name in SHIPPED
    for form in format_names()
    if form == "terminal" or name in READ_IN.get(form, READ_IN_EACH_FORMAT)
]


def _kinds(name: str) -> set[type]:
    return {type(block) for _, blocks in page_document(name).parts for block in blocks}


def test_every_block_is_read_in_each_format() -> None:
    kinds = {kind for name in SHIPPED for kind in _kinds(name)}
    assert kinds == {kind for name in READ_IN_EACH_FORMAT for kind in _kinds(name)}


@pytest.mark.parametrize(("name", "form"), PAGES)
def test_pages(name: str, form: str, rewrite: bool) -> None:
    page = render(page_document(name), form, RenderOptions(WIDTH))
    check(f"{name}.{SUFFIXES.get(form, form)}", page, rewrite=rewrite)


@pytest.mark.parametrize("width", [60, 120])
def test_other_widths(width: int, rewrite: bool) -> None:
    page = render(
        walkthrough(work(load("i_love_ai")), Selection()), "terminal", RenderOptions(width)
    )
    check(f"i_love_ai_{width}.txt", page, rewrite=rewrite)


def test_exact_page(rewrite: bool) -> None:
    trace = work(load("i_love_ai", ["rounding.policy=exact", "scale=sqrt_d_k"]))
    page = render(walkthrough(trace, Selection()), "terminal", RenderOptions(WIDTH))
    check("i_love_ai_exact.txt", page, rewrite=rewrite)


def test_lessons(rewrite: bool) -> None:
    trace = work(load("i_love_ai", ["scale=sqrt_d_k"]))
    document = lessons(trace, [(step, trace) for step in steps()], Selection())
    check("lessons.txt", render(document, "terminal", RenderOptions(WIDTH)), rewrite=rewrite)


@pytest.mark.wing("classroom", "models", "web")
@pytest.mark.parametrize("arguments", [(), ("list",), ("list", "steps")])
def test_lists(arguments: tuple[str, ...], rewrite: bool) -> None:
    page = CliRunner().invoke(app, [*arguments]).stdout
    check(f"{'_'.join(('attn', *arguments))}.txt", page, rewrite=rewrite)
