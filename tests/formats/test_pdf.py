"""PDF: every number is on the page, nothing is over its margins, the same page is the same bytes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import unicodedata
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.blocks import Document, Section, Tree, TreeRow
from attncli.document.pictures import Box as DiagramBox
from attncli.document.pictures import Diagram, Link, Picture
from attncli.formats import RenderOptions, contents_of, render, render_together
from attncli.formats.svg.drawing import alone, drawn, fit
from attncli.formats.typst.blocks import file as typst_file
from attncli.formats.typst.text import characters
from attncli.maths.notation.escaping import visible
from attncli.maths.notation.typst import literal
from attncli.names import Word
from attncli.option_values import Pictures
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from attncli.trace import Trace
from tests.conftest import THOROUGH, sampled
from tests.helpers.hostile import WORDS, attention
from tests.helpers.pages import SHIPPED, document_of, trace_of
from tests.helpers.pictures_examples import EXAMPLES
from tests.helpers.processes import attn
from tests.pages.test_complete import numbers_in, printed

typst: ModuleType = pytest.importorskip("typst", reason="the package typst isn't installed")
pytestmark = pytest.mark.real("pdftotext")

MOST_COVERED = 0.1
SCENARIOS = ["three_tokens_two_heads", "unigram", "yassine_lstm"]


@cache
def pdf_of(name: str) -> bytes:
    return bytes_of(walkthrough(trace_of(SHIPPED[name]), Selection(pictures=Pictures.ALL)))


def bytes_of(document: Document) -> bytes:
    data = contents_of(document, "pdf", RenderOptions())
    assert isinstance(data, bytes)
    return data


def text_of(pdf: bytes, *options: str) -> str:
    command = ["pdftotext", *options, "-", "-"]
    return subprocess.run(command, input=pdf, capture_output=True, check=True).stdout.decode()


@sampled(4, name=SCENARIOS)
def test_a_page_has_every_number(name: str) -> None:
    trace: Trace = trace_of(SHIPPED[name])
    texts = numbers_in(text_of(pdf_of(name), "-layout"))
    for quantity in trace.quantities.values():
        assert set(printed(quantity)) <= texts, quantity.name


@sampled(4, name=SCENARIOS)
def test_nothing_is_over_the_margins(name: str) -> None:
    boxes = text_of(pdf_of(name), "-bbox")
    right = [float(value) for value in re.findall(r'xMax="([\d.]+)"', boxes)]
    left = [float(value) for value in re.findall(r'xMin="([\d.]+)"', boxes)]
    margin = 22 / 25.4 * 72
    assert len(right) > 100
    assert max(right) <= 595.3 - margin + 1
    assert min(left) >= margin - 1


Box = tuple[float, ...]


def covered(one: Box, other: Box) -> float:
    """The part of the smaller of two boxes that both of them cover."""
    across, down = (min(one[k + 2], other[k + 2]) - max(one[k], other[k]) for k in (0, 1))
    areas = ((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return max(0.0, across) * max(0.0, down) / min(areas)


@sampled(4, name=SCENARIOS)
def test_no_number_is_printed_upon_another(name: str) -> None:
    numbers = re.compile(
        r'xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">[^<]*\d[^<]*</word'
    )
    for page in text_of(pdf_of(name), "-bbox").split("<page")[1:]:
        boxes = [tuple(map(float, found)) for found in numbers.findall(page)]
        assert all(covered(e, other) < MOST_COVERED for e, other in combinations(boxes, 2))


def page_of_pictures(*blocks: Picture) -> bytes:
    return bytes_of(Document(Word("P"), (Section("s", 1, ("S",), (), blocks),)))


def test_pictures_are_drawn() -> None:
    """Each text of a drawing is on the page; what it says in words goes with it."""
    pdf = page_of_pictures(*EXAMPLES.values())
    text = "".join(text_of(pdf, "-raw").split())
    for block in EXAMPLES.values():
        texts = ["".join((e.text or "").split()) for e in drawing_of(block).iter("text")]
        assert all(entry in text for entry in texts if entry.isascii())
    assert pdf.count(b"/Alt") == len(EXAMPLES)


def drawing_of(block: Picture) -> ElementTree.Element:
    """As one drawing, without the name space that a file has."""
    text = alone(drawn(block)).replace(' xmlns="http://www.w3.org/2000/svg"', "", 1)
    return ElementTree.fromstring(text)


@pytest.mark.parametrize(
    ("size", "scale", "turned"),
    [((300, 200), 0.62, False), ((900, 200), 0.522, False), ((1400, 400), 0.457, True)],
)
def test_a_picture_is_as_large_as_it_fits(
    size: tuple[float, float], scale: float, turned: bool
) -> None:
    fitted = fit(size, (470, 640))
    assert fitted is not None
    assert fitted.turned == turned
    assert fitted.scale == pytest.approx(scale, abs=0.001)


def test_a_picture_shrinks_to_the_room_that_is_left() -> None:
    first, last, _ = text_of(pdf_of("i_love_tennis")).split("\f")
    assert "Who attends to whom" in first
    assert last.startswith("Why?")


def test_what_could_not_be_read_is_a_table() -> None:
    boxes = tuple(DiagramBox(f"b{k}", f"step {k}", "", 0, k) for k in range(40))
    links = tuple(Link(f"b{k}", f"b{k + 1}", f"{k}") for k in range(39))
    pdf = page_of_pictures(Diagram("Long", boxes, links, across=False))
    assert b"/Alt" not in pdf
    assert "step 39" in text_of(pdf)


def test_the_same_page_is_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    outputs = [tmp_path / "a.pdf", tmp_path / "b.pdf"]
    for seed, output in enumerate(outputs):
        words = ["run", "pasta_lookup", "-o", str(output)]
        command = [sys.executable, "-m", "attncli", *words]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": str(seed)}, capture_output=True)
    first, second = (output.read_bytes() for output in outputs)
    assert first == second
    assert b"/CreationDate" not in first


def compiler_of_0_14(source: bytes, root: str, ignore_system_fonts: bool) -> None:
    """What `typst.Compiler` took before 0.15."""


CLOCK = """
#include <time.h>
#include <sys/time.h>
int clock_gettime(clockid_t id, struct timespec *now) { now->tv_sec = -300000000; now->tv_nsec = 0; return 0; }
int gettimeofday(struct timeval *now, void *zone) { now->tv_sec = -300000000; now->tv_usec = 0; return 0; }
time_t time(time_t *now) { if (now) *now = -300000000; return -300000000; }
"""
"""One that stands in 1960, as that of a board without a battery may."""


@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs a C compiler on Linux"
)
def test_a_clock_before_1970_is_not_asked(tmp_path: Path) -> None:
    source, library = tmp_path / "clock.c", tmp_path / "clock.so"
    source.write_text(CLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    found = []
    for early in ({"LD_PRELOAD": str(library)}, {}):
        result = attn(
            "run", "i_love_ai", "-o", str(tmp_path / "page.pdf"), "--force", environment=early
        )
        assert (result.returncode, result.stderr) == (0, b"")
        found.append((tmp_path / "page.pdf").read_bytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("package", [None, SimpleNamespace(Compiler=compiler_of_0_14)])
def test_without_the_package_a_line_says_what_to_install(
    package: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "typst", package)
    result = CliRunner().invoke(app, ["run", "i_love_ai", "--format", "pdf", "-o", "-"])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "pip install 'attncli[pdf]'" in result.stderr


def test_papers_that_differ_in_a_name_are_those_of_a_new_process() -> None:
    """Typst keeps what it has laid out, and lays out again what another name moves."""
    names = ["Ada", "B" * 90, "Ada"]
    papers = [paper_for(name) for name in names]
    first, other, again = (contents_of(paper, "pdf", RenderOptions()) for paper in papers)
    assert first == again != other
    alone = "import sys; from tests.formats.test_pdf import *; sys.stdout.buffer.write(bytes_of(paper_for(sys.argv[1])))"
    told = [sys.executable, "-c", alone, names[1]]
    assert subprocess.run(told, capture_output=True, check=True).stdout == other


def paper_for(name: str) -> Document:
    """A paper of some pages with a name at its head."""
    whole = document_of(trace_of(SHIPPED["two_heads"]))
    return whole._replace(title=Word(name))


def test_each_of_several_papers_begins_on_a_right_hand_page() -> None:
    """Who prints on both sides has no page on the back of another's."""
    short = Section("", None, ("Short",), (), ())
    papers = [Document(Word(name), (short,)) for name in "ABC"]  # of one page each
    made = [contents_of(paper, "pdf", RenderOptions()) for paper in papers]
    together = render_together(papers, made, "pdf", RenderOptions())
    assert isinstance(together, bytes)
    pages = text_of(together).split("\f")[:5]
    assert [bool(page.strip()) for page in pages] == [True, False, True, False, True]


@pytest.mark.real("pdfinfo")
def test_poppler_finds_nothing_wrong() -> None:
    command, pdf = ["pdfinfo", "-"], pdf_of("i_love_ai")
    done = subprocess.run(command, input=pdf, capture_output=True, check=True)
    assert done.stderr == b""


def test_a_folder_of_sheets_and_keys(tmp_path: Path) -> None:
    words = ["exercise", "i_love_ai", "--step", "softmax", "--forms", "2", "--format", "pdf"]
    result = CliRunner().invoke(app, [*words, "--layout", "pages", "-o", f"{tmp_path}/forms/"])
    assert result.exit_code == 0, result.output
    by_name = {path.stem: text_of(path.read_bytes()) for path in (tmp_path / "forms").iterdir()}
    assert sorted(by_name) == [
        f"i_love_ai_{form}_{kind}" for form in "AB" for kind in ("key", "sheet")
    ]
    sheet, key = by_name["i_love_ai_A_sheet"], by_name["i_love_ai_A_key"]
    assert "Worksheet, form A" in sheet
    assert "Answer key, form A" in key
    answers = set(re.findall(r"\d+\.\d{3}", key)) - set(re.findall(r"\d+\.\d{3}", sheet))
    assert len(answers) > 5


def test_a_task_stands_with_what_it_asks_for(tmp_path: Path) -> None:
    words = ["exercise", "i_love_ai", "--step", "softmax", "--step", "weighted_sum"]
    path = tmp_path / "sheet.pdf"
    result = CliRunner().invoke(app, [*words, "--key", "none", "--format", "pdf", "-o", str(path)])
    assert result.exit_code == 0, result.output
    pages = text_of(path.read_bytes()).split("\f")
    for told in ("2 · Weighted sum", "Compute the six numbers of output"):
        assert told in pages[1]
        assert told not in pages[0]


def sheet_in(layout: str, name: str, folder: Path) -> bytes:
    path = folder / f"{name}_{layout}.pdf"
    typed = ["exercise", name, "--key", "none", "--layout", layout, "-o", str(path)]
    assert CliRunner().invoke(app, typed).exit_code == 0
    return path.read_bytes()


def pages_in(pdf: bytes) -> int:
    return len(text_of(pdf).split("\f")) - 1


@sampled(3, name=["i_love_ai", "three_tokens", "bpe"])
def test_a_compact_sheet_has_fewer_pages(name: str, tmp_path: Path) -> None:
    compact, usual = (pages_in(sheet_in(entry, name, tmp_path)) for entry in ("compact", "lines"))
    assert compact < usual


def test_a_last_page_is_ruled_to_its_end(tmp_path: Path) -> None:
    """But for the margin and the foot: of 100 rows of the page the last dark one above the foot."""
    pdf = sheet_in("lines", "i_love_ai", tmp_path)
    last = pages_in(pdf)
    assert last == 5
    command = ["pdftoppm", "-gray", "-scale-to-x", "70", "-scale-to-y", "100", "-f", f"{last}", "-"]
    image = subprocess.run(command, input=pdf, capture_output=True, check=True).stdout
    header, _, pixels = image.partition(b"255\n")
    assert header.split() == [b"P5", b"70", b"100"]
    rows = [pixels[70 * k : 70 * (k + 1)] for k in range(90)]
    ruled = [k for k, row in enumerate(rows) if sum(pixel < 250 for pixel in row) > 40]
    assert ruled[-1] >= 87
    assert max(b - a for a, b in pairwise(k for k in ruled if k > 45)) <= 4


def test_only_headings_of_a_tree_are_bold() -> None:
    rows = (
        TreeRow(0, "", ("Layer 1",)),
        TreeRow(1, "1-2", ("steps",)),
        TreeRow(1, "", ("given: 1",)),
    )
    page = Document(Word("T"), (Section("s", 1, ("S",), (), (Tree(rows),)),))
    assert re.findall(r"strong\(\{(.*?)\}\)", typst_file(page)) == ['{"Layer 1"}']
    assert re.findall(r"\\textbf\{(.*?)\}", render(page, "latex", RenderOptions())) == ["Layer 1"]


def test_sheets_of_students_are_one_file_to_print(tmp_path: Path) -> None:
    exam = tmp_path / "exam.yaml"
    exam.write_text("exercise: By hand\nscenario: i_love_ai\nask: [softmax]\n", "utf-8")
    (tmp_path / "list.csv").write_text("name,ID\nAnn,s1\nŁukasz 猫,s2\n", "utf-8")
    options = ["--students", str(tmp_path / "list.csv"), "--format", "pdf"]
    result = CliRunner().invoke(app, ["exercise", str(exam), "-o", f"{tmp_path}/out/", *options])
    assert result.exit_code == 0, result.output
    text = text_of((tmp_path / "out" / "exam_print.pdf").read_bytes())
    assert "Ann" in text
    assert "Łukasz U+732B" in text


def test_a_marked_paper(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text('student: "<Ann>"\nanswers:\n  "exp[I, I]": 3\n', "utf-8")
    options = ["--format", "pdf", "-o", f"{tmp_path}/marked/"]
    CliRunner().invoke(app, ["grade", "i_love_ai", str(tmp_path / "a.yaml"), *options])
    papers = {path.stem: path for path in (tmp_path / "marked").glob("*.pdf")}
    assert len(papers) == 4  # with all of them in one
    for name, path in papers.items():
        said = "the next lesson" if name == "next_lesson" else "exp[I, I]"
        assert said in text_of(path.read_bytes())


@pytest.mark.parametrize("seed", range(60 if THOROUGH else 1))
def test_words_stay_words(seed: int, tmp_path: Path) -> None:
    data = attention(Random(seed), tmp_path)
    pdf = bytes_of(document_of(trace_of(yaml.safe_dump(data))))
    text = "".join(text_of(pdf, "-raw").split())
    for token in data["tokens"]:
        shown = "".join(characters(visible(Word(token))).split())
        assert set(shown) <= set(text)
        if shown.isascii():
            assert shown in text


def test_a_literal_is_the_string_that_it_says() -> None:
    words = [word for word in WORDS if "\x00" not in word]
    code = f"({', '.join(map(literal, words))},)"
    assert json.loads(typst.query(f"#metadata({code}) <it>".encode(), "<it>", field="value")) == [
        words
    ]


def test_the_fonts_have_what_is_printed() -> None:
    every = (chr(code) for code in range(0x20, 0x10000))
    unseen = ("C", "Z")  # neither spaces nor signs without ink
    known = [
        text
        for text in every
        if unicodedata.category(text)[0] not in unseen and characters(text) == text
    ]
    assert len(known) > 3000
    fonts = '#set text(font: ("New Computer Modern", "Libertinus Serif", "DejaVu Sans Mono"))'
    line = f"#for one in ({', '.join(map(literal, known))}) [#one ]"
    source = f'{fonts}\n#set document(title: "x")\n{line}'
    typst.compile(source.encode(), format="pdf", ignore_system_fonts=True, pdf_standards="a-2u")
