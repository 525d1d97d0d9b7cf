"""The ruled lines of exams on paper: as many as were asked for, behind what they belong to."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

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
            if is_line(row) and not any(is_side(r) for r in (*rows[k - 3 : k - 1], *rows[k + 2 : k + 4]))
        ]
        for rows in rows_of(pdf)
    ]


def is_line(row: bytes) -> bool:
    return sum(pixel < 250 for pixel in row) > 0.72 * len(row)


def is_side(row: bytes) -> bool:
    return min(row[: len(row) // 8]) < 250


def paper(folder: Path, **numbers: int) -> bytes:
    source, made = folder / "lines.yaml", folder / "made"
    source.write_text(EXAM.format(**numbers), encoding="utf-8")
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
