"""Exams of several parts: one paper, one folder, marked part by part; and what a file may say."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from attncli.cli import app
from attncli.marking.exam import cell_of
from attncli.names import Name
from attncli.pipeline import load, work

EXAM = """\
exam: Midterm
course: Deep learning
duration: 90 minutes
tools: a pocket calculator
forms: 3
seed: 5
parts:
  - title: Attention
    scenario: i_love_ai
    ask: [softmax, {step: weighted_sum, token: love}]
    points: {softmax: 0.5}
  - {scenario: yassine_rnn, ask: [state], most: 4}
  - {scenario: i_love_ai, ask: [scores]}
  - title: In your own words
    questions:
      - {ask: What does a query say?, options: [what it looks for, what it offers], right: what it looks for, points: 2}
      - {ask: How many numbers has a table of 30000 rows of 768?, number: 23040000, tolerance: 40000}
      - {ask: Why are scores scaled?, answer: Or the softmax is saturated., points: 3}
"""
HAND = "4/3"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("exam")
    (place / "midterm.yaml").write_text(EXAM, "utf-8")
    made = run("exam", place / "midterm.yaml", "-o", place / "midterm", "--format", "markdown")
    assert made.exit_code == 0, made.output
    return place / "midterm"


def manifest(folder: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return data


def key_of(folder: Path, form: str) -> dict[str, str]:
    """What is right in a form, from the scenarios in the folder and the texts of the exam."""
    found: dict[str, str] = {}
    for k, part in enumerate(manifest(folder)["forms"][form]["parts"], start=1):
        if not part["file"]:
            continue
        trace = work(load(folder / part["file"]))
        for id_ in part["asked"]:
            name, i, j = cell_of(trace, id_)
            found[f"{k}/{id_}"] = str(trace[name].number(i, j).shown)
    return {**found, "4/1": "what it looks for", "4/2": "23040000", HAND: "3"}


def columns(folder: Path) -> list[str]:
    with (folder / "midterm_class.csv").open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def table(folder: Path, path: Path, class_: Mapping[str, tuple[str, Mapping[str, str]]]) -> Path:
    """A class typed into the table of the exam: of each student the form and the answers."""
    headings = columns(folder)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(headings)
        for name, (form, answers) in class_.items():
            rows.writerow([name, f"id-{name}", form, *(answers.get(i, "") for i in headings[3:])])
    return path


def graded(folder: Path, path: Path) -> dict[str, dict[str, Any]]:
    result = run("grade", folder, path, "--format", "json")
    assert result.exit_code in (0, 1), result.output
    data = json.loads(result.stdout)
    return {paper["student"]: paper for paper in data.get("papers", [data])}


def test_an_honest_class_has_all_points(folder: Path, tmp_path: Path) -> None:
    forms = dict(zip(("Ada", "Ben", "Cid"), "ABC", strict=True))
    path = table(folder, tmp_path / "c.csv", {n: (f, key_of(folder, f)) for n, f in forms.items()})
    papers = graded(folder, path)
    # 21 × 0.5 + 2, at most 4 of 6, 9, and 2 + 1 + 3
    assert {(p["points"], p["of"], p["form"]) for p in papers.values()} == {
        (31.5, 31.5, form) for form in "ABC"
    }
    assert run("grade", folder, path).exit_code == 0


@pytest.mark.parametrize(
    ("changed", "lost"),
    [
        ({"4/1": "what it offers"}, 2),
        ({"4/1": ""}, 2),
        ({"4/2": "23070000"}, 0),  # within the tolerance
        ({"4/2": "23090000"}, 1),
        ({HAND: "1.5"}, 1.5),
        ({HAND: "Or all weights are alike."}, 3),  # a person hasn't marked it
        ({HAND: "4"}, 3),  # more than there are
        ({"2/z[1][1]": "99"}, 0),  # five of six are left, and four count
        ({"3/scores[love, AI]": "99"}, 1),
        ({"1/scores[love, AI]": "99"}, 0),  # not asked there
    ],
)
def test_what_a_wrong_answer_costs(
    changed: dict[str, str], lost: float, folder: Path, tmp_path: Path
) -> None:
    answers = {**key_of(folder, "B"), **changed}
    (paper,) = graded(folder, table(folder, tmp_path / "c.csv", {"Ben": ("B", answers)})).values()
    assert paper["points"] == 31.5 - lost


def test_parts_are_marked_by_themselves(folder: Path, tmp_path: Path) -> None:
    """What is wrong in one part isn't carried into another of the same scenario."""
    answers = key_of(folder, "A")
    answers["3/scores[love, AI]"] = "99"
    path = table(folder, tmp_path / "c.csv", {"Ada": ("A", answers)})
    assert run("grade", folder, path, "-o", f"{tmp_path}/marked/").exit_code == 1
    page = (tmp_path / "marked" / "Ada.md").read_text("utf-8")
    assert "| 3 | I love AI | 8 | 9 |" in page
    assert "Part 1 · Attention: Numbers" in page
    assert page.count("Slip:") == 1


def test_parts_of_one_scenario_have_other_numbers(folder: Path) -> None:
    for form in manifest(folder)["forms"].values():
        first, _, third, _ = form["parts"]
        assert first["given"] != third["given"]


def test_options_stand_in_an_order_of_each_form(folder: Path) -> None:
    forms = manifest(folder)["forms"].values()
    orders = {tuple(form["parts"][3]["choices"]["1"]["options"]) for form in forms}
    assert {*map(frozenset, orders)} == {frozenset({"what it looks for", "what it offers"})}
    labels = [chr(65 + order.index("what it looks for")) for order in sorted(orders)]
    assert {*labels} <= {"A", "B"}


def test_a_letter_is_an_answer(folder: Path, tmp_path: Path) -> None:
    options = manifest(folder)["forms"]["A"]["parts"][3]["choices"]["1"]["options"]
    letter = "AB"[options.index("what it looks for")]
    answers = {**key_of(folder, "A"), "4/1": letter}
    (paper,) = graded(folder, table(folder, tmp_path / "c.csv", {"Ada": ("A", answers)})).values()
    assert paper["points"] == 31.5


def test_the_paper_is_numbered_through_and_tells_nothing(folder: Path) -> None:
    sheet = (folder / "midterm_A_sheet.md").read_text("utf-8")
    key = (folder / "midterm_A_key.md").read_text("utf-8")
    headings = [line for line in sheet.splitlines() if line.startswith("## ")]
    assert [h.split(" · ")[0].removeprefix("## ") for h in headings] == [
        *("Part 1", "1", "2", "Part 2", "3", "Part 3", "4", "Part 4", "5", "6", "7")
    ]
    for words in ("90 minutes", "a pocket calculator", "at most 4 points", "31.5"):
        assert words in sheet
    for secret in ("saturated", "23040000"):
        assert secret in key
        assert secret not in sheet
    answers = key_of(folder, "A")
    assert answers["1/output[love, 1]"] in key
    assert answers["1/output[love, 1]"] not in sheet


def test_files_for_an_lms_go_without_what_a_person_marks(folder: Path) -> None:
    xml = (folder / "midterm_moodle.xml").read_text("utf-8")
    assert xml.count('<question type="cloze">') == 3
    assert "What does a query say?" in xml
    assert "Why are scores scaled?" not in xml
    assert (folder / "midterm_qti.zip").stat().st_size > 1000


def test_made_again_an_exam_keeps_its_forms(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(EXAM, "utf-8")
    words = ("exam", tmp_path / "e.yaml", "-o", tmp_path / "e", "--format", "terminal")
    assert run(*words).exit_code == 0
    before = {p.name: p.read_bytes() for p in (tmp_path / "e").iterdir() if p.is_file()}
    form = tmp_path / "e" / "forms" / "B_2.yaml"
    scenario = load(form)
    assert scenario.gives(Name("b_a"))
    text = form.read_text("utf-8")
    form.write_text(text.replace("title:", "# mended\ntitle:", 1), "utf-8")
    again = run(*words)
    assert again.exit_code == 0
    assert "A, B, C as they were" in again.stdout
    after = {p.name: p.read_bytes() for p in (tmp_path / "e").iterdir() if p.is_file()}
    assert {n for n in after if before[n] != after[n]} <= {"manifest.json"}


def test_a_list_of_students_fills_the_table(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(EXAM, "utf-8")
    (tmp_path / "list.csv").write_text("name,ID,form\n=Ada,1,C\nBen,2,\n", "utf-8")
    words = ("--students", tmp_path / "list.csv", "--format", "terminal", "-o", tmp_path / "e")
    assert run("exam", tmp_path / "e.yaml", *words).exit_code == 0
    rows = [*csv.reader((tmp_path / "e" / "e_class.csv").read_text("utf-8").splitlines())]
    assert [row[:3] for row in rows[1:]] == [["'=Ada", "'1", "C"], ["Ben", "'2", "A"]]


WRONG = [
    ("parts: []", "an empty list where entries belong"),
    ("forms: 2", "no parts to ask"),
    ("parts: [{title: x}]", "a part has a scenario that is asked about, or questions"),
    ("parts: [{scenario: i_love_ai, questions: [{ask: a, number: 1}]}]", "or questions"),
    ("parts: [{questions: [{ask: Why?}]}]", "a question with no answer"),
    ("parts: [{questions: [{number: 1}]}]", "a question without its text"),
    ("parts: [{questions: [{ask: a, number: 1, answer: b}]}]", "with number and answer"),
    ("parts: [{questions: [{ask: a, options: [b, c], right: d}]}]", "none of the options is the"),
    ("parts: [{questions: [{ask: a, number: 1}], points: 2}]", "points beside questions"),
    ("parts: [{scenario: i_love_ai, ask: [nope]}]", "is no step"),
    ("parts: [{scenario: i_love_ai, forms: 2}]", 'unknown key "forms"'),
]


@pytest.mark.parametrize(("text", "says"), WRONG)
def test_what_is_wrong_with_a_file_is_told_at_its_place(
    text: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / "e.yaml").write_text(f"exam: x\n{text}\n", "utf-8")
    result = run("exam", tmp_path / "e.yaml", "-o", tmp_path / "e")
    assert result.exit_code == 2
    assert says in result.stderr
    assert "e.yaml:" in result.stderr
    assert not (tmp_path / "e").exists()


def test_an_exam_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(EXAM, "utf-8")
    assert "an exam is a folder" in run("exam", tmp_path / "e.yaml").stderr
    assert run("exam", tmp_path / "e.yaml", "-o", tmp_path / "e.pdf").exit_code == 2
    assert "is no exam file" in run("exam", "i_love_ai", "-o", tmp_path / "e").stderr
