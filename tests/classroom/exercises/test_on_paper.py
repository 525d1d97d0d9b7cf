"""Sheets as they come out of a printer: pages of PDF, of LaTeX and of HTML that a browser prints."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli.cli import app
from tests.conftest import THOROUGH, share
from tests.helpers.browser import CHROMIUM, opened

SUFFIXES = {"pdf": ".pdf", "latex": ".tex", "html": ".html"}
NEEDS = {"pdf": "pdftotext", "latex": "pdflatex", "html": "chromium"}
SEVENTEEN = """\
exercise: Seventeen numbers
scenario: i_love_ai
ask: [scores, {step: softmax, token: AI}, {cell: 'output[AI, 1]'}]
"""
A4, LETTER = (595, 842), (612, 792)

pytestmark = pytest.mark.real("pdftotext")
Printer = Callable[..., Path]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test in a half of the formats, others for another; in the thorough profile in all."""
    if "printed" in metafunc.fixturenames:
        formats = share(2, SUFFIXES, of=metafunc.function.__name__)
        metafunc.parametrize("printed", formats, indirect=True)


@pytest.fixture
def printed(request: pytest.FixtureRequest, tmp_path: Path) -> Printer:
    """What makes an exercise and prints it in a format: a PDF."""
    form = request.param
    if (CHROMIUM if form == "html" else shutil.which(NEEDS[form])) is None:
        pytest.skip(f"no {NEEDS[form]}")
    if form == "pdf":
        pytest.importorskip("typst", reason="the package typst isn't installed")
    browser = request.getfixturevalue("chromium") if form == "html" else None

    def show(*words: str) -> Path:
        folder = tmp_path / str(len([*tmp_path.iterdir()]))
        path = folder / f"sheet{SUFFIXES[form]}"
        folder.mkdir()
        typed = ["exercise", *words, "--key", "none", "-o", str(path)]
        if words[-1] == "--grid":
            typed = ["exercise", *words, "--format", form, "-o", f"{folder}/out/"]
        if words[0] == "exam":
            typed = [*words, "--format", form, "-o", f"{folder}/out/"]
        result = CliRunner().invoke(app, typed)
        assert result.exit_code == 0, result.output
        ending = "_grid" if words[-1] == "--grid" else "_sheet" if words[0] == "exam" else "sheet"
        (path,) = folder.rglob(f"*{ending}{SUFFIXES[form]}")
        return on_paper(path, browser)

    return show


def on_paper(path: Path, browser: Any) -> Path:
    made = path.with_suffix(".pdf")
    if path.suffix == ".tex":
        command = ["pdflatex", "-interaction=batchmode", path.name]
        subprocess.run(command, cwd=path.parent, check=True, capture_output=True)
        assert "Overfull" not in path.with_suffix(".log").read_text("latin-1")
    if path.suffix == ".html":
        with opened(browser, path) as page:
            page.pdf(path=str(made), prefer_css_page_size=True)
    return made


def read(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True).stdout.decode()


def pages_of(path: Path) -> list[str]:
    return read("pdftotext", "-layout", str(path), "-").split("\f")[:-1]


def pixels(path: Path) -> list[tuple[int, int, bytes]]:
    """Each page: its width, its height, three bytes a pixel."""
    command = ["pdftoppm", "-r", "50", str(path)]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    found = []
    while data:
        head = re.match(rb"P6\s(\d+) (\d+)\s255\s", data)
        assert head
        wide, high = map(int, head.groups())
        found.append((wide, high, data[head.end() : head.end() + 3 * wide * high]))
        data = data[head.end() + 3 * wide * high :]
    return found


def rules_in(path: Path) -> int:
    """How many lines go from margin to margin."""
    count = 0
    for wide, high, data in pixels(path):
        rows = [data[3 * wide * k : 3 * wide * (k + 1) : 3] for k in range(high)]
        dark = [sum(pixel < 225 for pixel in row) > 0.7 * wide for row in rows]
        count += sum(is_dark for is_dark, _ in groupby(dark))
    return count


DOTS_A_MM = 10


def boxes_in(path: Path) -> list[tuple[float, float]]:
    """The width and the height inside of all boxes that are 8 mm wide and high or more, in mm."""
    command = ["pdftoppm", "-r", str(DOTS_A_MM * 25.4), "-gray", str(path)]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    found: list[tuple[float, float]] = []
    while data:
        head = re.match(rb"P5\s(\d+) (\d+)\s255\s", data)
        assert head
        wide, high = map(int, head.groups())
        page = np.frombuffer(data[head.end() :][: wide * high], np.uint8).reshape(high, wide)
        found += _boxes(page > 200)
        data = data[head.end() + wide * high :]
    return found


def _boxes(white: Any) -> Iterator[tuple[float, float]]:
    """Boxes of a page: what is white from a dark line on, between the same two dark dots in row
    after row."""
    least, open_ones = 8 * DOTS_A_MM, dict[tuple[int, int], int]()
    for y, row in enumerate(white):
        changes = np.flatnonzero(np.diff(row.astype(np.int8)))  # between dark and white
        ends = changes[int(row[0]) :].tolist()
        runs = [run for run in zip(ends[::2], ends[1::2], strict=False) if run[1] - run[0] >= least]
        for (start, end), rows in open_ones.items():
            if (start, end) not in runs and rows >= least:
                yield (end - start) / DOTS_A_MM, rows / DOTS_A_MM
        below = (run for run in runs if run in open_ones or not white[y - 1, slice(*run)][1:].any())
        open_ones = {run: open_ones.get(run, 0) + 1 for run in below}


def test_products_are_written_into_boxes(printed: Printer) -> None:
    """Each number of theirs that is asked for, and of what is made of their rows; with 15 mm by 10
    for each."""
    boxes = boxes_in(printed("i_love_ai", "--step", "project", "--step", "scores", "--step", "ffn"))
    assert len(boxes) == 3 * 6 + 9 + 3 * 6
    assert all(wide >= 15 and high >= 10 for wide, high in boxes)


def test_seventeen_blanks_on_two_pages(printed: Printer, tmp_path: Path) -> None:
    exam = tmp_path / "exam.yaml"
    exam.write_text(SEVENTEEN, "utf-8")
    rows = CliRunner().invoke(app, ["exercise", str(exam), "--format", "csv"]).output
    assert rows.count("\nown,") == 17
    for paper in ("a4", "letter"):
        exam.write_text(f"{SEVENTEEN}paper: {paper}\n", "utf-8")
        made = printed(str(exam))
        assert len(pages_of(made)) <= 2
        assert rules_in(made) >= 8


@pytest.mark.parametrize("name", ["i_love_ai", "yassine_lstm"])
def test_no_heading_without_what_follows_it(printed: Printer, name: str) -> None:
    """A heading, a task and a table are followed by more of their question."""
    headings = 0
    for page in pages_of(printed(name)):
        lines = [line.strip() for line in page.splitlines() if line.strip()]
        heads = [k for k, line in enumerate(lines) if re.match(r"\d+ · ", line)]
        headings += len(heads)
        last = [k for k in range(len(lines)) if k >= len(lines) - 2]
        assert not set(heads) & set(last), lines[-3:]
        assert not any(re.match("Compute the", lines[k]) for k in last), lines[-3:]
    assert headings == {"i_love_ai": 5, "yassine_lstm": 9}[name]


LAST_ROW = re.compile(r"^ *(?:Q: )?AI\b", re.MULTILINE)
"""That of the last token: a product's stand as those of what is at its left are called."""


def test_a_question_and_its_answers_are_on_one_page(printed: Printer) -> None:
    steps = ("--step", "scores", "--step", "softmax", "--step", "weighted_sum")
    pages = pages_of(printed("i_love_ai", *steps))
    for begins, task, tables in (
        ("1 · Attention scores", "the nine scores", 1),
        ("2 · Softmax", "the nine exponentials", 2),
        ("3 · Weighted sum", "the six numbers", 1),
    ):
        (page,) = (text for text in pages if begins in text)
        own = page.partition(begins)[2].partition("3 · ")[0]
        assert task in own
        assert len(LAST_ROW.findall(own)) >= tables, (begins, own)


def test_a_part_of_an_exam_begins_on_the_page_of_its_first_question(
    printed: Printer, tmp_path: Path
) -> None:
    """Whatever stands before it; half points are told as they are."""
    path = tmp_path / "exam.yaml"
    for lines in range(3, 15, 3 if THOROUGH else 9):
        part = f"- {{scenario: i_love_ai, ask: [scores], points: {{each: 0.5}}, room: {lines}}}\n"
        path.write_text(f"exam: Parts\npaper: letter\nparts:\n{part * 3}", "utf-8")
        pages = pages_of(printed("exam", str(path)))
        for k in range(1, 4):
            (page,) = (text for text in pages if f"Part {k} ·" in text)
            own = page.partition(f"Part {k} ·")[2]
            assert f"{k} · Attention scores (4.5 points)" in own
            assert "Compute the nine scores." in own
            assert LAST_ROW.search(own)
        assert not any(".5.5" in page for page in pages)


def test_room_is_as_many_lines_in_each_format(printed: Printer) -> None:
    steps = ("--step", "scores", "--step", "weighted_sum")
    counts = [rules_in(printed("i_love_ai", *steps, "--room", str(n))) for n in (0, 2, 5)]
    assert [b - a for a, b in pairwise(counts)] == [2 * 2, 3 * 2]
    compact = printed("i_love_ai", *steps, "--room", "5", "--layout", "compact")
    assert rules_in(compact) == counts[2]


def test_each_page_says_which_of_how_many_it_is_and_its_code(printed: Printer) -> None:
    """What TeX has run through once doesn't know how many there are."""
    pages = pages_of(printed("i_love_ai", "--step", "softmax", "--step", "weighted_sum"))
    assert len(pages) > 1
    for k, page in enumerate(pages, start=1):
        assert re.search(rf"Page {k} of ({len(pages)}|\?\?)", page)
        assert re.search(r"Paper code [g-v][0-9a-f]{7}", page)


def test_sizes_of_paper(printed: Printer) -> None:
    for words, size in (((), A4), (("--paper", "letter"), LETTER)):
        told = read("pdfinfo", str(printed("i_love_ai", "--step", "scores", *words)))
        found = re.search(r"Page size: +([\d.]+) x ([\d.]+)", told)
        assert found
        assert tuple(round(float(side)) for side in found.groups()) == size


def test_it_is_read_at_arms_length_and_without_colours(printed: Printer) -> None:
    for layout in ("lines", "compact"):
        made = printed("i_love_ai", "--step", "softmax", "--layout", layout)
        text = read("pdftohtml", "-xml", "-zoom", "3", "-stdout", "-i", str(made))
        sizes = {k: int(n) / 3 for k, n in re.findall(r'<fontspec id="(\d+)" size="(\d+)"', text)}
        told = [k for k, line in re.findall(r'font="(\d+)">(.*?)</text>', text) if "nine" in line]
        assert told
        assert all(sizes[k] > 10.3 for k in told)
        for _, _, data in pixels(made):
            most = max(abs(a - b) for a, b in zip(data[::3], data[2::3], strict=True))
            assert most < 40  # the foot's grey has a hint of blue


def test_a_grid_of_four_forms_and_thirty_blanks_on_a_page(printed: Printer) -> None:
    steps = ("--step", "scores", "--step", "softmax")
    for paper in ("a4", "letter") if THOROUGH else ("letter",):
        words = ("i_love_ai", *steps, "--forms", "4", "--paper", paper, "--grid")
        (page,) = pages_of(printed(*words))
        lines = [line for line in page.splitlines() if re.match(r"\s*\d+ +· ", line)]
        assert [int(line.split()[0]) for line in lines] == [*range(1, 31)]
        for line in lines:
            assert len(re.findall(r"[−-]?\d+\.\d{3}", line)) >= 4
