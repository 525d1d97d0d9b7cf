"""The ruled lines of exams on paper: as many as were asked for, behind what they belong to."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path
from statistics import mode

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from tests.formats.test_sheets_on_pages import rows_of

EXAM = """\
exam: Lines
course: Neural networks
date: 12 December
institution: Example University
duration: 60 minutes
instructions: Write your working down.
parts:
  - {{scenario: i_love_tennis_causal, token: love, ask: [scores], room: {first}}}
  - {{scenario: i_love_tennis_causal, token: love, ask: [mask, softmax], room: {second}}}
  - title: Your own words
    questions:
      - {{ask: Which?, options: [one, two], right: one}}
      - {{ask: Why?, lines: {essay}, points: 4}}
"""


def ruled(pdf: bytes) -> list[list[int]]:
    """The rows of pixels of each page with a line from margin to margin that is no side of a box."""
    return [
        [
            k
            for k, row in enumerate(rows)
            if is_line(row)
            and not any(is_side(r) for r in (*rows[k - 3 : k - 1], *rows[k + 2 : k + 4]))
        ]
        for rows in rows_of(pdf)
    ]


def is_line(row: bytes) -> bool:
    return sum(pixel < 250 for pixel in row) > 0.72 * len(row)


def is_side(row: bytes) -> bool:
    return min(row[: len(row) // 8]) < 250


def paper(folder: Path, **numbers: int) -> bytes:
    return made_of(EXAM.format(**numbers), folder)


def made_of(exam: str, folder: Path) -> bytes:
    source, made = folder / "lines.yaml", folder / "made"
    source.write_text(exam, encoding="utf-8")
    result = CliRunner().invoke(app, ["exam", str(source), "-o", str(made)])
    assert result.exit_code == 0, result.output
    return (made / "lines_sheet.pdf").read_bytes()


@pytest.mark.real("pdftoppm")
@pytest.mark.parametrize(
    ("first", "second", "essay"), [(2, 4, 7), (5, 4, 7), (9, 1, 7), (0, 12, 3), (3, 3, 40)]
)
def test_lines_are_as_many_as_were_asked_for(
    first: int, second: int, essay: int, tmp_path: Path
) -> None:
    pages = ruled(paper(tmp_path, first=first, second=second, essay=essay))
    assert sum(map(len, pages)) == first + 2 * second + essay


@pytest.mark.real("pdftoppm")
@pytest.mark.parametrize("first", [2, 5, 9])
def test_lines_of_a_question_are_at_one_distance(first: int, tmp_path: Path) -> None:
    pages = ruled(paper(tmp_path, first=first, second=4, essay=7))
    apart = {b - a for page in pages for a, b in pairwise(page)}
    assert {distance for distance in apart if distance < 2 * min(apart)} <= {9, 10}


BY_DEFAULT = """\
exam: Lines
parts:
  - {scenario: i_love_tennis_causal, token: love, ask: [scores]}
  - {scenario: i_love_tennis_causal, token: love, ask: [mask]}
  - questions:
      - {ask: "What is $W_K$ for?", options: [keys, values], right: keys}
"""


@pytest.mark.real("pdftoppm")
def test_lines_stand_behind_products_and_not_behind_what_is_copied_or_chosen(
    tmp_path: Path,
) -> None:
    """Four dot products take a line each; a mask, the parts of an exam and a choice take none."""
    (first, *others) = ruled(made_of(BY_DEFAULT, tmp_path))
    assert len(first) >= 4
    assert not any(others)


@pytest.mark.real("pdftoppm")
def test_an_exam_is_in_one_colour(tmp_path: Path) -> None:
    command = ["pdftoppm", "-r", "60", "-"]
    data = subprocess.run(
        command, input=made_of(BY_DEFAULT, tmp_path), capture_output=True, check=True
    ).stdout
    pixels = data.partition(b"255\n")[2]
    first = len(pixels) // 3 * 3 if data.count(b"P6\n") == 1 else pixels.index(b"P6\n")
    apart = zip(pixels[:first:3], pixels[1:first:3], pixels[2:first:3], strict=False)
    assert max(max(rgb) - min(rgb) for rgb in apart) < 40


@pytest.mark.real("pdftoppm")
def test_fractions_below_each_other_are_apart(tmp_path: Path) -> None:
    """The numbers below a stroke from those above the next: by a twentieth of an inch."""
    path = tmp_path / "page.pdf"
    typed = ["run", "three_tokens_two_heads", "--step", "scale", "--detail", "full"]
    result = CliRunner().invoke(app, [*typed, "--set", "scale=sqrt_d_k", "-o", str(path)])
    assert result.exit_code == 0, result.output
    command = ["pdftoppm", "-r", "150", "-gray", "-f", "1", "-l", "1", "-"]
    image = subprocess.run(command, input=path.read_bytes(), capture_output=True, check=True).stdout
    header, _, pixels = image.partition(b"255\n")
    width = int(header.split()[1])
    rows = [min(pixels[k : k + width]) < 200 for k in range(0, len(pixels), width)]
    gaps = [len(gap) for gap in "".join("x" if row else " " for row in rows).split("x") if gap]
    assert mode(gaps) >= 8  # of 150 an inch
