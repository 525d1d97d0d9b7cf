"""Tables that somebody opens in a spreadsheet: no cell with somebody's words is obeyed there or
changed, and the tables are read back as they were written."""

from __future__ import annotations

import csv
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
import yaml
from typer.testing import CliRunner

from attncli.classroom.marking.answers import read_answers
from attncli.classroom.marking.class_list import Student, read_students
from attncli.cli import app
from attncli.maths.notation.escaping import unguarded
from tests.classroom.exercises.test_results import moodle_import
from tests.helpers.spreadsheets import SOFFICE, needs_libreoffice

FORMULAS = (
    '=HYPERLINK("http://x")', "@SUM(1)", "-2+3+cmd|' /C calc'!A0", "+1+1", "＝1+1", "Anna;=1+1",
    'x;=1+1;"y', "Anna; =1+1", 'x;"=1+1"', "a\r=1+1", "a\n=1+1", "\t=1+1", "'=1+1", "''", "'t Hart",
    "a,=1+1", '",=1+1,"',
)  # fmt: skip
LIKE_NUMBERS = ("0012", "12e45", "2/1", "2024-01-05", "1:30", "5%", "TRUE", "1,5", "１２", "-5")
WORDS = (*FORMULAS, *LIKE_NUMBERS)

EXAM = {
    "exam": "=1+1",
    "forms": 1,
    "scheme": {"grades": {"=1+1": 90, "-2+3": 0}},
    "parts": [
        {"title": "@SUM(1)", "scenario": "s.yaml", "ask": ["softmax"]},
        {
            "title": "-2+3",
            "questions": [
                {"ask": "=1+1", "options": ["=2+3", "-x;=1", "b"], "right": "=2+3"},
                {"ask": "@why", "answer": "-because"},
            ],
        },
    ],
}
SCENARIO = {
    "title": "=1+1", "tokens": ["=1+1", "a;=1", "0012"], "scale": "none", "rounding": {"decimals": 2},
    "X": [[1, 0], [0, 1], [1, 1]], "W_Q": [[1, 0], [0, -1]], "W_K": [[1, 0], [0, 1]],
    "W_V": [[1, 0], [0, 1]],
}  # fmt: skip


class Played(NamedTuple):
    """The folder of an exam, and what marking wrote."""

    exam: Path
    marked: Path


def attn(*words: object) -> str:
    result = CliRunner().invoke(app, [*map(str, words)])
    assert result.exit_code in (0, 1), (words, result.output, result.exception)
    return result.stdout


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """An exam whose words would all be formulas or numbers, and a class of such names: those of the
    list, and those that papers say of themselves."""
    place = tmp_path_factory.mktemp("tables")
    (place / "s.yaml").write_text(yaml.safe_dump(SCENARIO), "utf-8")
    (place / "e.yaml").write_text(yaml.safe_dump(EXAM, allow_unicode=True), "utf-8")
    with (place / "list.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("name", "ID"), *((f"'{w}", f"'{w}") for w in LIKE_NUMBERS)])
    listed = ("--students", place / "list.csv", "--format", "markdown")
    attn("exam", place / "e.yaml", "-o", f"{place}/e/", *listed)
    manifest = yaml.safe_load((place / "e" / "manifest.json").read_text("utf-8"))
    ((_, form),) = manifest["forms"].items()
    (place / "in").mkdir()
    for k, word in enumerate(WORDS):
        answers = {"2/1": ["=2+3", "-x;=1", word][k % 3], "1/exp_sum[1]": word}
        own = {"student": word, "id": word, "form": word, "hash": form["hash"], "answers": answers}
        (place / "in" / f"=1+1;=1+1 {k}.yaml").write_text(yaml.safe_dump(own), "utf-8")
    (place / "over.csv").write_text("student,cell,points,reason\n0012,2/2,1,=1+1;=1+1\n", "utf-8")
    more = ("--overrides", place / "over.csv", "-o", f"{place}/marked/", "--format", "markdown")
    attn("grade", place / "e", place / "in", *more)
    attn("grade", place / "e", place / "in", "--anonymous", *more[:2], "-o", f"{place}/by_number/")
    return Played(place / "e", place / "marked")


def tables(played: Played) -> Mapping[str, Path]:
    """All tables that were written, by what a file may be called."""
    folders = (played.exam, played.marked, played.marked.parent / "by_number")
    found = [path for folder in folders for path in sorted(folder.rglob("*.csv"))]
    return {f"t{k}_{path.stem}": path for k, path in enumerate(found)}


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.reader(file, strict=True)]


def test_no_cell_is_a_formula(played: Played) -> None:
    assert {re.sub(r"t\d+_", "", name) for name in tables(played)} == {
        *("e_class", "class", "grades", "moodle", "canvas", "names"),
    }
    for path in tables(played).values():
        for cell in (cell for row in rows_of(path) for cell in row):
            for piece in cell.split(";"):
                assert re.fullmatch(r"-?\d+", piece) or not re.match(r'[\s"]*[=+@＝-]', piece), cell
            assert cell.isprintable(), cell


def test_the_class_is_read_back(played: Played, tmp_path: Path) -> None:
    """What `class.csv` says of whose the papers are is a list of the same students again."""
    headings, *rows = rows_of(played.marked / "class.csv")
    places = [headings.index(name) for name in ("student", "id")]
    assert {unguarded(row[places[1]]) for row in rows} >= {*WORDS}
    whose = [[row[k] for k in places] for row in rows if row[0]]
    unique = {unguarded(id_): (name, id_) for name, id_ in whose}
    with (tmp_path / "list.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("name", "ID"), *unique.values()])
    again = read_students(str(tmp_path / "list.csv"), ())
    assert {*again} >= {Student(word, word) for word in WORDS if word.strip()}
    grades = {unguarded(row[headings.index("grade")]) for row in rows}
    assert grades - {""} <= {"=1+1", "-2+3"}


def test_answers_in_words_are_read_back(played: Played, tmp_path: Path) -> None:
    """An option that a spreadsheet would obey is the right one, typed into the class's table."""
    headings, row, *_ = rows_of(played.exam / "e_class.csv")
    assert row[:2] == ["'0012", "'0012"]
    assert "2/q1" in headings
    filled = [*row, *[""] * (len(headings) - len(row))]
    filled[headings.index("2/q1")] = "'=2+3"
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([headings, filled])
    (sheet,) = read_answers(tmp_path / "t.csv")
    assert (sheet.student, sheet.id, sheet.answers["2/q1"].text) == ("0012", "0012", "=2+3")
    data = attn("grade", played.exam, tmp_path / "t.csv", "--format", "json")
    assert '"points": 1' in data


def test_a_platform_knows_its_ids(played: Played) -> None:
    """In a gradebook an ID is as the platform has it, unless it would be a formula there."""
    users = {word: k for k, word in enumerate(LIKE_NUMBERS)}
    rows = rows_of(played.marked / "moodle.csv")
    theirs = [row for row in rows[1:] if row[0] in users]
    assert {row[0] for row in theirs} == {*users}
    path = played.marked.parent / "known.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([rows[0], *theirs])
    assert {*next(iter(moodle_import(path, users).values()))} == {*users.values()}
    assert {row[2] for row in rows_of(played.marked / "canvas.csv")} >= {*users}


_CELL = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}table-cell"
_FORMULA = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}formula"
_TYPE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}value-type"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}p"
_SEPARATORS = {"commas": "44", "semicolons": "59", "all": "44/59/9"}


def opened(
    played: Played, separators: str, folder: Path
) -> Mapping[str, list[ElementTree.Element]]:
    """The cells of each table as LibreOffice takes them when somebody opens it, by what it is
    told of separators."""
    assert SOFFICE is not None
    paths = []
    for name, path in tables(played).items():
        paths.append(folder / f"{name}.csv")
        paths[-1].write_bytes(path.read_bytes())
    subprocess.run(
        [
            *(SOFFICE, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless"),
            *("--convert-to", "fods:OpenDocument Spreadsheet Flat XML"),
            f"--infilter=CSV:{_SEPARATORS[separators]},34,76,1,,1033,false,true",
            *("--outdir", str(folder / "out"), *map(str, paths)),
        ],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    made = ((path.stem, folder / "out" / f"{path.stem}.fods") for path in paths)
    return {name: [*ElementTree.parse(file).iter(_CELL)] for name, file in made}


@needs_libreoffice
@pytest.mark.parametrize("separators", _SEPARATORS)
def test_libreoffice_obeys_no_cell(separators: str, played: Played, tmp_path: Path) -> None:
    found = opened(played, separators, tmp_path)
    assert found.keys() == tables(played).keys()
    for name, cells in found.items():
        assert [cell.get(_FORMULA) for cell in cells if cell.get(_FORMULA)] == [], name
        assert any(cell.get(_TYPE) == "string" for cell in cells)


@needs_libreoffice
def test_libreoffice_leaves_words_as_they_are(played: Played, tmp_path: Path) -> None:
    """IDs keep their zeros, points are numbers."""
    for name, cells in opened(played, "commas", tmp_path).items():
        if name.endswith(("_moodle", "_canvas")):
            continue  # what a platform imports, where an ID is the platform's
        types = {"".join(p.text or "" for p in cell.iter(_TEXT)): cell.get(_TYPE) for cell in cells}
        assert {*types.values()} <= {None, "string", "float"}
        if name == "t2_class":
            assert {types[f"'{word}"] for word in LIKE_NUMBERS} == {"string"}
            assert types["of"] == "string"
            assert types["0"] == "float"
