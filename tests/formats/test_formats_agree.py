"""Every format of a page holds the same numbers, as often as the others do.

Where one differs from the terminal's page, it is said here how: pages on paper are numbered,
what is data (JSON, a workbook) has each quantity once, without what is only laid out, and products
that stand as on paper have their operands beside them.
"""

from __future__ import annotations

import io
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.blocks import Block, Document, as_on_paper, beside_products
from attncli.document.blocks import in_lines as in_lines_of
from attncli.document.tables import ProductBlock
from attncli.formats import RenderOptions, contents_of, render
from attncli.names import Word
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from tests.auditor.html import Element, main_of
from tests.conftest import THOROUGH, sampled
from tests.formats.test_latex import compiled, needs_exam, printed
from tests.helpers import readers
from tests.helpers.pages import shipped_trace
from tests.pages.test_complete import printed as numbers_printed

NAMES = ["i_love_ai", "unigram", *(["yassine_lstm", "wordpiece"] if THOROUGH else [])]
"""Without squares and tables in bands: on paper a small ² stands at its number's last digit, and a
wide table names its rows again."""
WIDE = 400
"""Columns of a terminal on which tables stand beside each other as far as they do elsewhere."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")

ONLY_LAID_OUT = {
    "i_love_ai": {"0.999"},
    "unigram": {"50", "20"},
    "yassine_lstm": set[str](),
    "wordpiece": set[str](),
}
"""What JSON has no text for: what rounded weights add up to; settings that it has as numbers."""


@cache
def document(name: str) -> Document:
    return walkthrough(shipped_trace(name), Selection(detail="full"))


@cache
def text_of(name: str) -> str:
    return render(document(name).in_lines, "terminal", RenderOptions(WIDE))


def numbers(text: str) -> Counter[str]:
    return Counter(NUMBER.findall(text))


def on_paper(pdf: bytes) -> str:
    command = ["pdftotext", "-layout", "-", "-"]
    return subprocess.run(command, input=pdf, capture_output=True, check=True).stdout.decode()


def _is_folded(element: Element) -> bool:
    """Whether it is what only HTML says, folded away."""
    return element.attributes.get("class") == "more"


def html_text(page: str) -> str:
    """The text of a page, elements apart from each other."""

    def told(one: Element | str) -> Iterator[str]:
        if isinstance(one, str):
            yield one
        elif one.name not in ("style", "script") and not _is_folded(one):
            yield " "
            for part in one.inside:
                yield from told(part)
            yield " "

    return "".join(told(main_of(page)))


def differences(found: Counter[str], wanted: Counter[str]) -> tuple[dict[str, int], dict[str, int]]:
    return dict(found - wanted), dict(wanted - found)


@pytest.mark.parametrize("name", NAMES)
def test_pages_to_read(name: str) -> None:
    """HTML has them in the order of Markdown; the terminal sets some tables side by side."""
    markdown = NUMBER.findall(render(document(name), "markdown", RenderOptions()))
    html = NUMBER.findall(html_text(render(document(name).in_lines, "html", RenderOptions())))
    assert html == markdown
    assert differences(Counter(markdown), numbers(text_of(name))) == ({}, {})


@pytest.mark.parametrize("name", NAMES)
def test_products_as_on_paper(name: str) -> None:
    """A product adds its operands, its result and what is beside it, and takes the place of the
    tables that have these."""
    page = document(name)
    in_lines, on_paper = (
        numbers(html_text(render(d, "html", RenderOptions()))) for d in (page.in_lines, page)
    )
    added, left_out = Counter[str](), Counter[str]()
    beside = beside_products(page.sections)
    for section in page.sections:
        kept = [*as_on_paper(section.blocks, beside)]
        left_out += _told([*in_lines_of(section.blocks)])
        added += _told([b for b in kept if not isinstance(b, ProductBlock)])
        for product in (b for b in kept if isinstance(b, ProductBlock)):
            added += _told([*product.working, *product.tables])
            added += numbers(product.result.name)  # which its fold is called by
            if product.added is not None:  # whose columns are named above
                added -= numbers(" ".join(name.raw for name in product.added.names.columns))
    assert differences(on_paper + left_out, in_lines + added) == ({}, {})
    assert (added == left_out) == (name != "i_love_ai")


def _told(blocks: list[Block]) -> Counter[str]:
    """The numbers of some blocks, as a page of their own has them."""
    page = Document(Word(""), (), opening=tuple(blocks))
    return numbers(html_text(render(page, "html", RenderOptions())))


@sampled(3, name=NAMES)
@pytest.mark.real("pdftotext")
def test_pages_on_paper(name: str) -> None:
    pdf = contents_of(document(name).in_lines, "pdf", RenderOptions())
    assert isinstance(pdf, bytes)
    check_numbered(on_paper(pdf), name, counted=True)


@needs_exam
@sampled(3, name=NAMES)
def test_pages_of_tex(name: str, tmp_path: Path) -> None:
    compiled(tmp_path, render(document(name).in_lines, "latex", RenderOptions()))
    check_numbered(printed(tmp_path), name)


def check_numbered(text: str, name: str, *, counted: bool = False) -> None:
    """The same numbers, and that of each page, perhaps with how many there are."""
    wanted = numbers(text_of(name)) + feet(text, counted=counted)
    assert differences(numbers(text), wanted) == ({}, {})


def feet(text: str, *, counted: bool) -> Counter[str]:
    """The numbers at the foot of pages: `Page 2 of 3`, or the first of them."""
    pages = text.count("\f")
    return Counter([*map(str, range(1, pages + 1)), *[str(pages)] * (pages * counted)])


@pytest.mark.parametrize("name", NAMES)
def test_data(name: str) -> None:
    """JSON has no number that isn't on the page; the page has numbers of sections, too, and the
    products that a sum in columns adds up."""
    page = text_of(name)
    data = readers.data(render(document(name), "json", RenderOptions()))
    numbers, laid_out = _values(data), _values("\n".join(ONLY_LAID_OUT[name]))
    sections = _values("\n".join(re.findall(r"^(\d+) · ", page, re.MULTILINE)))
    added = _values("\n".join(line for line in page.split("\n") if "→" in line))
    assert numbers <= _values(page)
    assert _values(page) - numbers - sections - added == laid_out


def _values(text: str) -> set[Decimal]:
    return set(map(Decimal, NUMBER.findall(text)))


@pytest.mark.parametrize("name", NAMES)
def test_workbooks(name: str) -> None:
    """What was worked out before it was saved is on the page; each number of a quantity is there."""
    data = contents_of(document(name), "xlsx", RenderOptions())
    assert isinstance(data, bytes)
    cells = [*_numbers_of_cells(data)]
    shown = {n.normalize() for n in _values(text_of(name))}
    assert len(cells) > 40
    assert {abs(cell) for cell in cells} <= shown
    for quantity in shipped_trace(name).quantities.values():
        wanted = {Decimal(text) for text in numbers_printed(quantity) if "∞" not in text}
        assert wanted <= {*cells}, quantity.name


def _numbers_of_cells(data: bytes) -> Iterator[Decimal]:
    """To twelve digits, of the sixteen that sums of floating-point numbers may be off in."""
    for sheet in openpyxl.load_workbook(io.BytesIO(data), data_only=True):
        for value in (cell.value for row in sheet.iter_rows() for cell in row):
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield Decimal(f"{value:.12g}").normalize()


COMMANDS = {
    "why": ["output[love, 2]", "i_love_ai", "--depth", "all"],
    "compare": ["three_tokens", "three_tokens_two_heads"],
    "explain": ["i_love_ai", "--step", "project"],
    "check": ["alice_met_bob"],
    "lint": ["i_love_ai", "--detail", "full"],
}


@sampled(4, command=COMMANDS)
@pytest.mark.real("pdftotext")
def test_pages_of_commands(command: str, tmp_path: Path) -> None:
    """Without pictures, which HTML and PDF have by themselves."""

    def page(form: str) -> bytes:
        path = tmp_path / f"page.{form}"
        typed = [command, *COMMANDS[command], "--format", form, "-o", str(path)]
        result = CliRunner(env={"COLUMNS": str(WIDE)}).invoke(app, typed)
        assert result.exit_code in (0, 1), result.output
        return path.read_bytes()

    wanted = numbers(page("terminal").decode())
    assert wanted.total() > 50
    assert differences(numbers(page("markdown").decode()), wanted) == ({}, {})
    assert differences(numbers(html_text(page("html").decode())), wanted) == ({}, {})
    text = on_paper(page("pdf"))
    assert differences(numbers(text), wanted + feet(text, counted=True)) == ({}, {})


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_number_that_is_left_out_is_found(form: str) -> None:
    page = render(document("i_love_ai").in_lines, form, RenderOptions())
    cut = page.replace("2.265", "", 1)
    told = numbers(html_text(cut) if form == "html" else cut)
    assert differences(told, numbers(text_of("i_love_ai"))) == ({}, {"2.265": 1})
