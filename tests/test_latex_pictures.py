"""Pictures in LaTeX: TeX draws them inside the margins, with every text of the drawing."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from attncli.document import Document, Section
from attncli.pictures import Box, Diagram, Link
from attncli.render import Page, render
from attncli.render.svg.drawing import drawn, inline
from attncli.render.svg.elements import light_rules
from attncli.render.tex.pictures import looks_of, of_path
from attncli.telling.selection import Selection
from attncli.telling.walkthrough import walkthrough
from attncli.word import Word
from tests.pages import page_of, shipped_trace
from tests.pictures_examples import EXAMPLES
from tests.test_latex import bare, compiled, is_installed, needs_tex, overfull, printed

ONE_OF_EACH = (
    "bars scores", "curves waves", "curves gaps", "heads two", "signed infinite", "plane", "lattice", "pipeline across"
)  # fmt: skip
needs_tikz = pytest.mark.skipif(not is_installed("pdftotext", "tikz.sty"), reason="no TikZ")


def page_of_pictures(*blocks: object) -> Document:
    return Document(Word("P"), (Section("s", 1, ("S",), (), blocks),))  # type: ignore[arg-type]


@pytest.mark.slow
@needs_tex
@needs_tikz
@pytest.mark.parametrize("fragment", [False, True])
def test_tex_draws_every_text(tmp_path: Path, fragment: bool) -> None:
    blocks = [EXAMPLES[name] for name in ONE_OF_EACH[fragment :: 1 + fragment]]
    source = render(page_of_pictures(*blocks), "latex", Page(fragment=fragment))
    assert source.count(r"\begin{tikzpicture}") == len(blocks)
    if fragment:
        assert "amsmath, tikz and booktabs" in source
        source = bare("article", source).replace("{booktabs}", "{booktabs}\\usepackage{tikz}")
    assert overfull(compiled(tmp_path, source)) == []
    told = _joined(printed(tmp_path))
    for block in blocks:
        for one in ElementTree.fromstring(inline(drawn(block))).iter("text"):
            text = _joined(one.text or "")
            assert not text.isascii() or text in told or _is_turned(one), text


def _joined(text: str) -> str:
    """Without spaces, and without `_`, which TeX's oldest fonts have as a rule."""
    return "".join(text.split()).replace("_", "")


def _is_turned(one: ElementTree.Element) -> bool:
    return "rotate" in one.get("transform", "")


def test_only_pages_with_pictures_need_more() -> None:
    trace = shipped_trace("i_love_tennis")
    assert "tikz" not in page_of(trace, "latex")
    with_pictures = render(walkthrough(trace, Selection(pictured=True)), "latex", Page())
    assert ("tikz" in with_pictures) == (r"\begin{tikzpicture}" in with_pictures)
    page = render(
        walkthrough(shipped_trace("i_love_ai"), Selection(pictured=True)), "latex", Page()
    )
    assert page.count(r"\begin{tikzpicture}") == 8
    preamble = page.partition(r"\begin{document}")[0]
    assert r"\usepackage{tikz}" in preamble


def test_every_colour_of_a_picture_is_named() -> None:
    page = render(page_of_pictures(EXAMPLES["heads two"]), "latex", Page())
    named = set(re.findall(r"\\definecolor\{attn(\w{6})\}\{HTML\}\{\1\}", page))
    assert named == set(re.findall(r"=attn([0-9A-F]{6})\b", page))
    assert len(named) > 4


def test_what_could_not_be_read_is_a_table() -> None:
    boxes = tuple(Box(f"b{k}", f"step {k}", "", 0, k) for k in range(40))
    links = tuple(Link(f"b{k}", f"b{k + 1}", f"{k}") for k in range(39))
    page = render(page_of_pictures(Diagram("Long", boxes, links, across=False)), "latex", Page())
    assert "tikz" not in page
    assert "step 39" in page


@pytest.mark.parametrize(
    ("kind", "classes", "options"),
    [
        ("line", "vector Q dash2", {"line width=1.00pt", "dash pattern=on 1.0pt off 1.5pt"}),
        ("path", "way chosen", {"line width=1.50pt"}),
        ("line", "grid", {"opacity=.25"}),
    ],
)
def test_looks_are_those_of_the_style_sheet(kind: str, classes: str, options: set[str]) -> None:
    found = set(of_path(looks_of(kind, {"class": classes}), 0.5))
    assert options <= found
    pens = {one.removeprefix("draw=attn") for one in found if one.startswith("draw=")}
    assert len(pens) == 1
    assert f"#{pens.pop()}".lower() in " ".join(looks for _, looks in light_rules()).lower()
