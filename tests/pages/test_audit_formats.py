"""Every sign of what is printed by Typst, and of the pages of other commands in every format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.formats import RenderOptions, render
from attncli.formats.typst import blocks as typst
from attncli.trace import Trace
from tests.auditor import audit
from tests.auditor.html import Element, main_of
from tests.auditor.reading import _unlatexed
from tests.auditor.typst import content, inside, parts
from tests.conftest import sampled
from tests.helpers.pages import LARGE, SHIPPED, document_of, tables_of, trace_of
from tests.pages.test_audit import check, signs_found


@sampled(
    23,
    name=[name for name in SHIPPED if name not in LARGE],
    detail=["full", "rows"],
    policy=["carry", "exact"],
)
def test_typst(name: str, detail: str, policy: str) -> None:
    trace = trace_of(SHIPPED[name], f"rounding.policy={policy}")
    source = typst.file(document_of(trace, detail))
    check(audit(source, "typst", tables_of(trace)), trace, detail)


DIGIT = re.compile(r"(?<=\d)\d(?=(?:unseen\(0+\))?\)?\$\}\), \)\))")
"""The last of the results of a line of working."""


@pytest.mark.parametrize("name", ["i_love_ai", "yassine_lstm"])
def test_a_wrong_digit_is_found(name: str) -> None:
    trace = trace_of(SHIPPED[name])
    source = typst.file(document_of(trace))
    places = [found.start() for found in DIGIT.finditer(source)][
        :: 9 if name == "i_love_ai" else 30
    ]
    assert len(places) > 1
    for place in places:
        wrong = f"{source[:place]}{(int(source[place]) + 5) % 10}{source[place + 1 :]}"
        assert signs_found(audit(wrong, "typst", tables_of(trace)))


FORMS = ("terminal", "markdown", "html", "latex", "pdf")
COMMANDS = {
    "compare": (["i_love_ai", "--set", "scale=sqrt_d_k"], 2),
    "explain": (["i_love_ai", "--step", "scores"], 9),
    "check": (["alice_met_bob"], 9),
    "grade": (
        ["i_love_ai", str(Path(__file__).parents[1] / "fixtures" / "marking" / "answers.yaml")],
        4,
    ),
}
"""Each with the signs that its page has at least."""


@pytest.fixture
def page_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What a command writes in a format; of a PDF what it is laid out from."""
    laid_out: list[str] = []
    file = typst.file

    def recorded(documents: list[object]) -> str:
        laid_out.append(file(documents))  # type: ignore[arg-type]
        return laid_out[-1]

    monkeypatch.setattr(typst, "file", recorded)

    def written(form: str, *typed: str) -> str:
        path = tmp_path / f"page.{form}"
        options = ["--format", form, "-o", str(path)]
        result = CliRunner(env={"COLUMNS": "2000"}).invoke(app, [*typed, *options])
        assert result.exit_code in (0, 1), result.output
        if path.is_dir():  # a marked paper for each student
            (path,) = (entry for entry in path.iterdir() if entry.suffix != ".csv")
        return laid_out[-1] if form == "pdf" else path.read_text("utf-8")

    return written


@pytest.mark.wing("classroom")
@pytest.mark.parametrize("command", COMMANDS)
def test_pages_of_commands(command: str, page_of: Callable[..., str]) -> None:
    typed, fewest = COMMANDS[command]
    for form in FORMS:
        page = page_of(form, command, *typed)
        report = audit(page, "typst" if form == "pdf" else form, None)
        assert report.false == [], form
        assert report.checked >= fewest, form


def test_the_tree_of_a_number(page_of: Callable[..., str]) -> None:
    """Each line of `why`, less the name of what a number is copied from."""
    typed = ("why", "output[love, 2]", "i_love_ai", "--depth", "all")
    counts = set()
    for form, lines in TREES.items():
        texts = [_COPIED.sub("", line) for line in lines(page_of(form, *typed)) if "=" in line]
        report = audit("\n\n".join(f"  {text}" for text in texts), "terminal", None)
        assert report.false == [], form
        counts.add(report.checked)
    (count,) = counts
    assert count > 30


_COPIED = re.compile(r"(?<==) [^=\s]+\[[^]]*\] =")
_NUMBERED = re.compile(r"\s*(?:- )?\d+ · ")


def _of_markdown(page: str) -> Iterator[str]:
    lines = (_NUMBERED.split(line, maxsplit=1) for line in page.split("\n"))
    yield from (_unlatexed(line[1]) for line in lines if len(line) == 2 and not line[0])


def _of_html(page: str) -> Iterator[str]:
    def items(element: Element) -> Iterator[str]:
        for entry in element.children:
            if entry.name == "li":
                inner = (
                    part for part in entry.inside if isinstance(part, str) or part.name != "ul"
                )
                text = "".join(part if isinstance(part, str) else part.text for part in inner)
                yield _NUMBERED.sub("", text, count=1).strip() if _NUMBERED.match(text) else ""
            yield from items(entry)

    yield from items(main_of(page))


def _of_typst(source: str) -> Iterator[str]:
    (tree,) = re.findall(r"^tree\(.*\)$", source, re.MULTILINE)
    for row in parts(inside(tree)):
        _, number, text = parts(inside(row))
        yield content(text) if number != '""' else ""


TREES = {"markdown": _of_markdown, "html": _of_html, "pdf": _of_typst}


ON_PAPER = ("terminal", "html", "latex", "typst")
"""Formats that lay products out, the terminal's on a wide page."""


def _on_paper(trace: Trace, form: str) -> str:
    if form == "typst":
        return typst.file(document_of(trace))
    return render(document_of(trace), form, RenderOptions(120))


@sampled(2, name=["i_love_ai", "i_love_tennis_causal", "three_tokens_two_heads"])
def test_products_are_laid_out_alike(name: str) -> None:
    """The same numbers of products stand where row and column cross, in each format."""
    trace = trace_of(SHIPPED[name])
    tables = tables_of(trace)
    counts = {form: audit(_on_paper(trace, form), form, tables).products for form in ON_PAPER}
    assert len({*counts.values()}) == 1, counts
    assert counts["latex"] >= sum(trace[name].values.size for name in trace if _is_scores(name))


def _is_scores(name: str) -> bool:
    return name.rpartition(".")[2] == "scores"


@pytest.mark.parametrize("form", ["latex", "typst"])
def test_a_wrong_number_of_a_product_is_found(form: str) -> None:
    trace = trace_of(SHIPPED["i_love_ai"])
    page = _on_paper(trace, form)
    start = page.index("products((" if form == "typst" else r"@{\hspace{1.6em}}")
    places = [start + found.start() for found in re.finditer(r"(?<=\$)\d(?=\$)", page[start:])][:20]
    for place in places:
        wrong = f"{page[:place]}{(int(page[place]) + 5) % 10}{page[place + 1 :]}"
        assert audit(wrong, form, tables_of(trace)).false
