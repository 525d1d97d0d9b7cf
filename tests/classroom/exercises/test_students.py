"""Exercises for the students of a list."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tests.helpers.marking_cases import run

EXAM = "exercise: By hand\nscenario: i_love_ai\nask: [softmax]\nforms: 3\n"
LIST = 'name,ID,form\n"Müller, Änne",s-001,\nBob & Co_%,s_001,C\nCy,17,\nDi,18,\nEd,19,\n'


def make(folder: Path, students: str, *more: str) -> Result:
    (folder / "exam.yaml").write_text(EXAM, "utf-8")
    (folder / "list.csv").write_text(students, "utf-8")
    words = ("exercise", folder / "exam.yaml", "-o", folder / "exam")
    return run(*words, "--students", folder / "list.csv", *more)


def listed_in(folder: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((folder / "exam/manifest.json").read_text("utf-8"))[
        "students"
    ]
    return entries


@pytest.mark.parametrize(("form", "suffix"), [("terminal", "txt"), ("markdown", "md")])
def test_each_student_has_a_sheet_and_all_are_in_one_file(
    tmp_path: Path, form: str, suffix: str
) -> None:
    assert make(tmp_path, LIST, "--format", form).exit_code == 0
    students = listed_in(tmp_path)
    assert [(s["name"], s["id"], s["form"]) for s in students] == [
        ("Müller, Änne", "s-001", "A"), ("Bob & Co_%", "s_001", "C"), ("Cy", "17", "B"),
        ("Di", "18", "C"), ("Ed", "19", "A"),
    ]  # fmt: skip
    sheets = [(tmp_path / "exam" / s["sheet"]).read_text("utf-8") for s in students]
    assert len({s["sheet"].lower() for s in students}) == 5
    for data, sheet in zip(students, sheets, strict=True):
        form_sheet = tmp_path / "exam" / f"exam_{data['form']}_sheet.{suffix}"
        own, of_form = sheet.splitlines(), form_sheet.read_text("utf-8").splitlines()
        assert any("Name" in line and line.replace("\\", "").endswith(data["id"]) for line in own)
        assert len([line for line in own if line not in of_form]) == 2  # name and ID, fields
        assert "Name ___" not in sheet
        assert f"form {data['form']}" in own[0]
    together = (tmp_path / f"exam/exam_print.{suffix}").read_text("utf-8")
    places = [together.find(sheet.strip()) for sheet in sheets]
    assert -1 not in places
    assert places == sorted(places)
    assert len(together) < sum(map(len, sheets)) + 300


@pytest.mark.parametrize(("form", "suffix"), [("yaml", "yaml"), ("csv", "csv"), ("json", "json")])
def test_answers_are_graded_by_name_and_id(tmp_path: Path, form: str, suffix: str) -> None:
    assert make(tmp_path, LIST, "--format", form).exit_code == 0
    exam, filled = tmp_path / "exam", tmp_path / "filled"
    filled.mkdir()
    students = listed_in(tmp_path)
    for student in students:
        sheet = (exam / student["sheet"]).read_text("utf-8")
        assert student["sheet"].endswith(suffix)
        for value in (student["name"], student["id"]):
            assert value in sheet.replace('""', '"')
        source = student["sheet"] if form == "csv" else student["answers"]
        empty = (exam / source).read_text("utf-8")
        (filled / f"x{Path(source).name}").write_text(empty, "utf-8")
    result = run("grade", exam, filled, "-o", f"{tmp_path}/marked/")
    assert result.exit_code == 1
    (table,) = (tmp_path / "marked").glob("class.csv")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["student"], row["id"], row["form"]) for row in rows} == {
        (s["name"], s["id"], s["form"]) for s in students
    }


def test_made_again_students_keep_their_forms(tmp_path: Path) -> None:
    assert make(tmp_path, LIST).exit_code == 0
    before = {data["id"]: data["form"] for data in listed_in(tmp_path)}
    assert make(tmp_path, "id;name\n20;New\n19;Ed\n17;Cy\ns_001;Bob\n").exit_code == 0
    again = {data["id"]: data["form"] for data in listed_in(tmp_path)}
    assert again == {"20": "A", **{entry: before[entry] for entry in ("19", "17", "s_001")}}


def test_what_is_wrong_with_a_list_is_told_by_line(tmp_path: Path) -> None:
    wrong = "name,id,form\nAnn,1,A\n,2,\nBob,1,\nCy,,D\nMüller, Jo,4,B\n"
    result = make(tmp_path, wrong)
    assert result.exit_code == 2
    source = tmp_path / "list.csv"
    for line in (
        "3:1: there is no name", '4:1: the ID "1" is that of line 2, too', "5:1: there is no ID",
        '5:1: there is no form "D"; the exercise has A, B, C', "6:1: there are more cells than",
    ):  # fmt: skip
        assert f"{source}:{line}" in result.stderr
    assert not (tmp_path / "exam").exists()
    for text, line in (
        ("name,ID,from\n", "from"), ("name\nx\n", "no column says the id"),
        ("name,id\n", "there are no students"), ("", "there are no students"),
    ):  # fmt: skip
        refused = make(tmp_path, text)
        assert refused.exit_code == 2
        assert line in refused.stderr
        assert str(source) in refused.stderr


def test_students_belong_to_a_folder_of_an_exercise_file(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(LIST, "utf-8")
    alone = run("exercise", "i_love_ai", "--students", tmp_path / "list.csv")
    assert alone.exit_code == 2
    assert "--students: it is for an exercise file" in alone.stderr
    refused = make(tmp_path, LIST, "--format", "moodle")
    assert refused.exit_code == 2
    assert "the format moodle has no sheets" in refused.stderr


@pytest.mark.real("pdflatex")
def test_the_sheets_are_one_latex_file(tmp_path: Path) -> None:
    assert make(tmp_path, LIST.rpartition("Di")[0], "--format", "latex").exit_code == 0
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "exam_print.tex"]
    for _ in range(2):
        done = subprocess.run(
            words, cwd=tmp_path / "exam", capture_output=True, check=False, timeout=60
        )
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, text
    assert "multiply" not in text
    assert "Overfull" not in text
    assert "(3 pages" in text
