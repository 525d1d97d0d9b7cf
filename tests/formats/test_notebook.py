"""What a notebook shows of a trace: pages in frames of their own, mathematics, Markdown."""

from __future__ import annotations

import html
import json
import pickle
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from attncli import Quantity, Scenario, Trace, load, work
from attncli.formats import RenderOptions, render
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import as_it_fits
from tests.auditor import Tables, audit
from tests.auditor.html import main_of
from tests.formats.test_latex import bare, compiled, needs_tex
from tests.helpers import hostile, readers
from tests.helpers.pages import page_of

TEXT = re.compile(r"\\text\{(?:[^{}\\]|\\.|\{[^{}]*\})*\}")
CELLS = ("trace", 'trace.step("softmax", token="love")', 'trace["weights"].cell("love", "AI")')


@pytest.fixture(scope="module")
def trace() -> Any:
    return work(load("i_love_ai"))


def page_in(frame: str) -> str:
    """The page in a frame."""
    return html.unescape(frame.partition('srcdoc="')[2].partition('"')[0])


def test_a_trace_is_what_it_was(trace: Any) -> None:
    assert issubclass(type(trace), Trace)
    assert issubclass(type(trace["weights"]), Quantity)
    assert trace["weights"] is trace["weights"]
    assert np.allclose(np.asarray(trace["weights"]).sum(axis=1), 1, atol=0.002)
    again = trace.replay({"scores": [[1, 1, 1]] * 3})
    assert "0.333" in again["weights"].cell("love", 3)._repr_markdown_()
    assert trace["tokens"].values.tolist() == ["I", "love", "AI"]
    assert isinstance(trace._repr_html_(), str)
    assert str(trace["weights"].values) == str(work(load("i_love_ai"))["weights"].values)


def test_a_trace_is_shown_as_its_page(trace: Any) -> None:
    page = as_it_fits(work(load("i_love_ai")), Selection())
    assert trace._repr_markdown_() == render(page, "markdown", RenderOptions(80))
    shown = page_in(trace._repr_html_())
    assert readers.web(shown) == readers.web(render(page, "html", RenderOptions(80)))
    assert "</iframe>" not in shown


def test_a_scenario_shows_what_it_gives() -> None:
    scenario = load("i_love_ai")
    assert isinstance(scenario, Scenario)
    assert isinstance(replace(scenario, title="Another"), type(scenario))
    assert pickle.loads(pickle.dumps(scenario)).title == scenario.title
    shown = page_in(scenario._repr_html_())
    tables = main_of(shown).each("table")
    named = [t.text.split()[0] for t in tables if t.attributes["class"] == "quantity"]
    assert {*named} == {*scenario.given.matrices}
    assert scenario.page.about.split()[0] in shown


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_parts_are_shown_with_true_signs(trace: Any, form: str) -> None:
    tables = Tables(json.loads(page_of(trace, "json")))
    parts = (
        trace.step("softmax"),
        trace["weights"],
        trace["W_Q"],
        trace["Q"].cell("AI", 1),
        trace.cell("output[2, 1]"),
    )
    for part in parts:
        told = part._repr_markdown_() if form == "markdown" else page_in(part._repr_html_())
        report = audit(told, form, tables)
        assert report.false == []
        assert report.checked or part is trace["W_Q"]


def test_mathematics_is_the_working(trace: Any) -> None:
    value = trace["weights"].cell("love", "AI")._repr_latex_()
    assert value.startswith("$$\\begin{aligned}\n")
    assert value.endswith("\\end{aligned}$$")
    assert r"\dfrac{7.389}{12.825} = 0.576" in value
    assert r"W _{Q} &= \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}" in trace["W_Q"]._repr_latex_()


BRACKETED = re.compile(
    r"^(.+?) &(?:=|\\approx) \\begin\{bmatrix\} (.*) \\end\{bmatrix\}", re.MULTILINE
)


def matrices_in(text: str | None) -> dict[str, list[list[str]]]:
    """The matrices of a page in LaTeX, by what stands before them."""
    return {
        name: [row.split(" & ") for row in rows.split(r" \\ ")]
        for name, rows in BRACKETED.findall(text or "")
    }


def test_a_matrix_has_its_own_columns_in_mathematics(trace: Any) -> None:
    """Neither the sums of its rows nor a list beside it are any of them."""
    by_name = matrices_in(trace.step("softmax")._repr_latex_())
    weights = [
        ["0.422", "0.155", "0.422"],
        ["0.212", "0.212", "0.576"],
        ["0.245", "0.090", "0.665"],
    ]
    assert by_name[r"\mathrm{weights}"] == weights
    assert by_name[r"\mathrm{weights} \thinspace \mathbf{1}"] == [["0.999"], ["1.000"], ["1.000"]]
    assert [len(row) for row in by_name[r"\mathrm{exp}"]] == [3, 3, 3]
    assert by_name[r"\mathrm{exp} _{\mathrm{sum}}"] == [["6.436"], ["12.825"], ["30.193"]]


def test_vectors_side_by_side_are_matrices_in_mathematics(trace: Any) -> None:
    by_name = matrices_in(trace.step("project")._repr_latex_())
    assert {"X", "Q", "K", "V"} <= by_name.keys()
    assert by_name["V"] == [["1", "2"], ["2", "1"], ["3", "3"]]


def test_what_is_left_out_of_a_matrix_is_dots_of_its_kind() -> None:
    numbers = [[float(i * 40 + j) for j in range(40)] for i in range(60)]
    shown = work(load({"X": numbers, "projection": "none"}))["X"]._repr_latex_()
    ((first, *_, last),) = [matrices_in(shown)["X"]]
    assert len(first) == len(last) < 40
    dots = {entry for row in matrices_in(shown)["X"] for entry in row if "dots" in entry}
    assert dots == {r"\vdots", r"\cdots", r"\ddots"}


@needs_tex
def test_tex_takes_the_mathematics(tmp_path: Path) -> None:
    entries = [work(load(name))._repr_latex_() for name in ("i_love_ai", "yassine_lstm")]
    data = hostile.attention(Random(3), tmp_path)
    entries += [work(load(data))._repr_latex_() or ""]
    # TeX has none of somebody's scripts, which browsers have
    plain = "\n\n".join(TEXT.sub(r"\\text{x}", text or "") for text in entries)
    compiled(tmp_path, bare("article", rf"\allowdisplaybreaks {plain}"), draft=True)


def test_each_quantity_can_be_shown() -> None:
    for name in ("yassine_rnn_sentence", "decoder_block", "bpe"):
        trace = work(load(name))
        for quantity in [*trace][:: max(1, len([*trace]) // 8)]:
            shown = trace[quantity]
            assert "data-n" in shown._repr_html_() or "<table" in shown._repr_html_()
            first = shown.cell(*(1 for _ in shown.indices(0, 0)))
            assert first._repr_latex_()


def test_what_isnt_there_is_refused_with_what_would_be_right(trace: Any) -> None:
    with pytest.raises(ValueError, match="no such step; did you mean softmax"):
        trace.step("softmx")
    with pytest.raises(ValueError, match="it has I, love, AI"):
        trace["weights"].cell("you", "AI")
    with pytest.raises(ValueError, match="a row and a column"):
        trace["weights"].cell(1)


def pointed_at(page: Any, number: Any, how: Any) -> None:
    """The pointer on a number, again while frames above it still grow to the height of their
    pages and move it away from under the pointer."""
    for _ in range(20):
        page.mouse.move(0, 0)
        number.hover()
        page.wait_for_timeout(100)
        if how.is_visible():
            return
    raise AssertionError("a number that is pointed at tells nothing")


def test_cells_leave_each_other_alone(trace: Any, tmp_path: Path, chromium: Any) -> None:
    """Each has its looks and scripts to itself, and the page around them, too."""
    shown = (trace["weights"], load("i_love_ai"), trace["weights"].cell("love", "AI"))
    cells = "".join(f"<div>{part._repr_html_()}</div>" for part in shown)
    written = tmp_path / "cells.html"
    written.write_text(f"<!DOCTYPE html><title>Cells</title><h1>Mine</h1>{cells}", "utf-8")
    page = chromium.new_page(viewport={"width": 1000, "height": 2000})
    page.goto(written.as_uri())
    first, _, last = (frame.content_frame for frame in page.locator("iframe").all())
    pointed_at(page, last.locator("[data-n]", has_text="0.576").last, last.locator("#how"))
    assert "7.389 / 12.825 = 0.576" in last.locator("#how").inner_text()
    assert first.locator("#how").is_hidden()
    assert first.locator(".of1, .of2, .asked").count() == 0
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).marginTop") != "0px"
    page.close()


def test_a_notebook_in_a_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chromium: Any
) -> None:
    """Run by a kernel, written as HTML, opened; each number tells where it comes from in its own
    frame, which is as high as its page."""
    nbformat = pytest.importorskip("nbformat", reason="no Jupyter here")
    client = pytest.importorskip("nbclient", reason="no nbclient here")
    exporters = pytest.importorskip("nbconvert", reason="no nbconvert here")
    pytest.importorskip("ipykernel", reason="no kernel here")
    shared = Path(exporters.__file__).parents[4] / "share" / "jupyter"
    monkeypatch.setenv("JUPYTER_PATH", str(shared))  # where its templates are
    begin = 'from attncli import load, work\ntrace = work(load("i_love_ai"))'
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in (begin, *CELLS)]
    )
    client.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    kinds = notebook.cells[1].outputs[0].data.keys()
    assert {"text/html", "text/latex", "text/markdown", "text/plain"} <= kinds
    written = tmp_path / "notebook.html"
    written.write_text(exporters.HTMLExporter().from_notebook_node(notebook)[0], "utf-8")
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.route("http**", lambda route: route.abort())  # what the notebook's own page asks for
    page.goto(written.as_uri(), wait_until="domcontentloaded")
    heights = []
    for k in range(len(CELLS)):
        frame = page.locator("iframe.attncli").nth(k)
        frame.scroll_into_view_if_needed()
        number = frame.content_frame.locator(":is(main td, main .worked) [data-n]:visible").last
        how = frame.content_frame.locator("#how")
        pointed_at(page, number, how)
        assert number.inner_text() in how.inner_text()
        heights.append(frame.bounding_box()["height"])
    whole, step, cell = heights
    assert whole == 640
    assert cell < step <= 640
    page.close()
