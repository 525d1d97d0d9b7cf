"""Exams of several parts: one paper, one folder, marked part by part; and what a file may say."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from attncli.classroom import making_exams
from attncli.classroom.files.ids import id_meant
from attncli.classroom.files.scheme import ROUNDINGS
from attncli.classroom.marking import answers
from attncli.classroom.marking.exam import cell_of
from attncli.cli import app
from attncli.judging import causes
from attncli.maths.notation.escaping import unguarded
from attncli.names import Name
from attncli.pipeline import load, work
from attncli.scenario.file.shipped import find
from tests.classroom import qti

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
HAND = "4/q3"


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
    return {**found, "4/q1": "what it looks for", "4/q2": "23040000", HAND: "3"}


def columns(folder: Path) -> list[str]:
    with (folder / "midterm_class.csv").open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def table(folder: Path, path: Path, class_: Mapping[str, tuple[str, Mapping[str, str]]]) -> Path:
    """A class typed into the table of the exam: of each student the form and the answers."""
    headings = columns(folder)
    ids = [*map(id_meant, headings[3:])]
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(headings)
        for name, (form, answers) in class_.items():
            rows.writerow([name, f"id-{name}", form, *(answers.get(i, "") for i in ids)])
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
        ({"4/q1": "what it offers"}, 2),
        ({"4/q1": ""}, 2),
        ({"4/q2": "23070000"}, 0),  # within the tolerance
        ({"4/q2": "23190000"}, 1),
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
    orders = {tuple(form["parts"][3]["choices"]["q1"]["options"]) for form in forms}
    assert {*map(frozenset, orders)} == {frozenset({"what it looks for", "what it offers"})}
    labels = [order.index("what it looks for") for order in orders]
    assert sorted(labels) == [0, 1]
    each = [tuple(form["parts"][3]["choices"]["q1"]["options"]) for form in forms]
    assert each[0] != each[1] != each[2]


def test_a_letter_is_an_answer(folder: Path, tmp_path: Path) -> None:
    options = manifest(folder)["forms"]["A"]["parts"][3]["choices"]["q1"]["options"]
    letter = "AB"[options.index("what it looks for")]
    answers = {**key_of(folder, "A"), "4/q1": letter}
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


def test_what_a_person_marks_is_an_essay_in_an_lms(folder: Path) -> None:
    """It stands there once for all forms: in Moodle in the category of its part, in a package as an
    item that no rule marks; each quiz of Canvas has it."""
    root = ElementTree.fromstring((folder / "midterm_moodle.xml").read_text("utf-8"))
    kinds = [question.attrib["type"] for question in root.iter("question")]
    assert kinds == ["category", *["cloze"] * 3, "category", "essay"]
    assert [e.text for e in root.findall("question/category/text")] == [
        "$course$/top/Midterm", "$course$/top/Midterm/4. In your own words",
    ]  # fmt: skip
    essay = root.findall("question")[-1]
    texts = {child.tag: "".join(child.itertext()) for child in essay}
    assert "Why are scores scaled?" in texts["questiontext"]
    assert "Or the softmax is saturated." not in texts["questiontext"]
    assert "Or the softmax is saturated." in texts["graderinfo"]
    assert (texts["defaultgrade"], texts["responseformat"]) == ("3", "editor")
    for name, count in (("qti.zip", 1), ("canvas.canvas.zip", 3)):
        with ZipFile(folder / f"midterm_{name}") as package:
            (item,) = (text for text in package.namelist() if "essay" in text)
            asked = package.read(item).decode()
            tests = [package.read(text).decode() for text in package.namelist() if "/" not in text]
        assert "<extendedTextInteraction" in asked
        assert "responseProcessing" not in asked
        assert sum(f'href="{item}"' in text and "weight" in text for text in tests) == count


def test_the_feedback_of_a_right_answer_is_its_line(folder: Path) -> None:
    key = key_of(folder, "A")
    xml = (folder / "midterm_moodle.xml").read_text("utf-8")
    line = rf"Right: exp\[I, I\] = e\^[0-9.()−]+ = {re.escape(key['1/exp[I, I]'])}\."
    assert re.search(line, xml.replace("\u00a0", " "))


def test_the_help_says_what_an_lms_cannot_mark() -> None:
    text = " ".join(run("help", "exam").stdout.split())
    assert "What only follows from a wrong number earns nothing there: mark the exported" in text


def test_files_for_an_lms_are_read_by_a_reader_and_a_schema_that_are_not_ours(folder: Path) -> None:
    reader = pytest.importorskip("moodle_xml_parser.parser")
    forms = manifest(folder)["forms"].values()
    read = reader.parse_string((folder / "midterm_moodle.xml").read_text("utf-8"))["cloze"]
    assert (
        len(read)
        == len(forms)
        == len(qti.opened((folder / "midterm_qti.zip").read_bytes()).items) - 1  # the essay
    )
    for question, form in zip(read, forms, strict=True):
        asked = [(k, id_, worth) for k, part in enumerate(form["parts"], start=1)
                 for id_, worth in part["asked"].items() if f"{k}/{id_}" != HAND]  # fmt: skip
        fields = [gap for gap in question.gaps if gap.sub_type in ("NUMERICAL", "MULTICHOICE")]
        assert [gap.sub_grade for gap in fields] == [2 * worth for *_, worth in asked]


def test_a_quiz_of_random_forms_is_marked_from_its_responses(folder: Path, tmp_path: Path) -> None:
    """Each student had another form, which the hash in the question's text tells."""
    data, rows = (
        manifest(folder),
        [["Last name", "First name", "ID number", "Question 1", "Response 1"]],
    )
    for name, form in (("Ada", "A"), ("Ben", "C")):
        key = key_of(folder, form)
        parts = [text for id_, text in key.items() if id_ != HAND]
        if name == "Ben":
            parts[0] = "99"
        said = "; ".join(f"part {k}: {text}" for k, text in enumerate(parts, start=1))
        rows.append(["X", name, f"id-{name}", f"… Paper {data['forms'][form]['hash']} …", said])
    path = tmp_path / "responses.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    papers = graded(folder, path)
    assert {name: paper["points"] for name, paper in papers.items()} == {
        "Ada X": 28.5, "Ben X": 28.0,
    }  # fmt: skip


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
    assert "A, B, C unchanged" in again.stdout
    after = {p.name: p.read_bytes() for p in (tmp_path / "e").iterdir() if p.is_file()}
    assert {n for n in after if before[n] != after[n]} <= {"manifest.json"}


def test_a_list_of_students_fills_the_table(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(EXAM, "utf-8")
    (tmp_path / "list.csv").write_text("name,ID,form\n=Ada,1,C\nBen,2,\n", "utf-8")
    words = ("--students", tmp_path / "list.csv", "--format", "terminal", "-o", tmp_path / "e")
    assert run("exam", tmp_path / "e.yaml", *words).exit_code == 0
    rows = [*csv.reader((tmp_path / "e" / "e_class.csv").read_text("utf-8").splitlines())]
    assert [row[:3] for row in rows[1:]] == [["'=Ada", "1", "C"], ["Ben", "2", "A"]]


def test_a_table_that_was_filled_in_is_kept_and_marking_by_a_list_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "exam: x\nparts: [questions: [{ask: a, number: 1}]]\n"
    (tmp_path / "e.yaml").write_text(text, "utf-8")
    (tmp_path / "list.csv").write_text("name,ID\nAda,1\n", "utf-8")
    words = ("exam", "e.yaml", "-o", "e", "--format", "terminal")
    assert run(*words).exit_code == 0
    filled = tmp_path / "e" / "e_class.csv"
    filled.write_text("student,id,form,1\nAda,1,own,1\n", "utf-8")
    refused = run(*words, "--students", "list.csv")
    assert refused.exit_code == 2
    marking = "grade e e/e_class.csv --students list.csv"
    assert refused.stderr == (
        "e/e_class.csv: isn't as it was made; to mark by this list alone:"
        f" `attn {marking}`; to make it anew, move it away, or write over it with --force\n"
    )
    assert run(*marking.split()).exit_code == 0


def test_without_typst_sheets_are_html_and_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "exam: x\nparts: [questions: [{ask: a, number: 1}]]\n"
    (tmp_path / "e.yaml").write_text(text, "utf-8")
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "mine.txt").write_text("", "utf-8")
    monkeypatch.setattr(making_exams, "find_spec", lambda _: None)
    words = ("exam", tmp_path / "e.yaml", "-o", tmp_path / "e")
    made = run(*words)
    assert "sheets and keys are HTML; for PDF: pip install 'attncli[pdf]'\n" in made.stdout
    written = [file for file in (tmp_path / "e").rglob("*") if file.is_file()]
    assert f"e: {len(written) - 1} files are written, 1 form and manifest.json\n" in made.stdout
    assert "attncli[pdf]" not in run(*words, "--format", "html").stdout


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("", "question 3 is still to be marked."),
        ("-", None),
        (" –", None),
        ("4", "question 3 is still to be marked. “4” isn't a number of points from 0 to 3."),
        ("1/3", "question 3 is still to be marked. “1/3” isn't a number of points from 0 to 3."),
        ("0", None),
    ],
)
def test_points_that_a_person_still_has_to_give_are_told(
    given: str, says: str | None, folder: Path, tmp_path: Path
) -> None:
    class_ = {"Ben": ("B", {**key_of(folder, "B"), HAND: given})}
    path = table(folder, tmp_path / "c.csv", class_)
    (paper,) = graded(folder, path).values()
    remarks = [r for r in paper.get("remarks", []) if "still to be marked" in r]
    assert remarks == ([] if says is None else [f"Part 4: {says}"])
    page = run("grade", folder, path).stdout
    assert "left empty" not in page
    assert "No number can be read" not in page
    said = overrides(tmp_path, f"Ben,{HAND},2,by word of mouth")
    told = run("grade", folder, path, "--overrides", said).stdout
    assert "still to be marked" not in told
    assert "set by the teacher" in told
    assert re.search(r"\b2 #.* 2 of 3\b", told)


def test_own_numbers_are_read_as_people_write_them(tmp_path: Path) -> None:
    """More decimals of what is rounded, thousands apart; slips of the pen as the scheme has it."""
    text = (
        "exam: Numbers\nscheme: {costs: {rounding: 0.75}}\nparts:\n- questions:\n"
        "  - {ask: Two thirds?, number: 0.667}\n  - {ask: 768 squared?, number: 589824, points: 2}\n"
    )
    (tmp_path / "n.yaml").write_text(text, "utf-8")
    rows = [
        ("0.6667", "589,824", 3), ("2/3", "589.824", 3), ("66.7 %", "589 824", 3),
        ("0.67", "589842", 0.25 + 1), ("0.66", "589825", 0), ("0.712", "589,825", 0),
    ]  # fmt: skip
    for k, (first, second, points) in enumerate(rows):
        path = tmp_path / f"{k}.yaml"
        path.write_text(json.dumps({"answers": {"1": first, "2": second}}), "utf-8")
        data = json.loads(run("grade", tmp_path / "n.yaml", path, "--format", "json").stdout)
        assert data["points"] == points, (first, second)


def test_a_paper_of_another_form_than_it_says_is_told(folder: Path, tmp_path: Path) -> None:
    answers = {**key_of(folder, "A"), "2/z[1][1]": "a lot"}
    class_ = {"Ben": ("B", answers)}
    (paper,) = graded(folder, table(folder, tmp_path / "c.csv", class_)).values()
    assert "Its numbers fit form A, by which it would earn 31.5." in paper["remarks"]
    assert "No answer can be read in 2/z[1][1] (“a lot”)." in paper["remarks"]


POOL = """\
exam: x
forms: 2
seed: SEED
parts:
  - {scenario: i_love_ai, ask: [scores]}
  - {scenario: i_love_ai, pool: [{cell: 'weights[I, I]'}, {cell: 'weights[love, love]'}], take: 1}
"""


def test_what_was_drawn_is_read_in_its_order_as_of_another_form(tmp_path: Path) -> None:
    """What form A drew from the pool stands where form B drew something else; or nothing does."""
    drawn: list[str] = []
    for seed in "123456":
        (tmp_path / "e.yaml").write_text(POOL.replace("SEED", seed), "utf-8")
        words = ("exam", tmp_path / "e.yaml", "-o", tmp_path / seed, "--format", "terminal")
        assert run(*words).exit_code == 0
        forms = manifest(tmp_path / seed)["forms"]
        drawn = [next(iter(forms[form]["parts"][1]["asked"])) for form in "AB"]
        if drawn[0] != drawn[1]:
            break
    answers, (of_a, of_b) = key_of(tmp_path / seed, "A"), (f"2/{id_}" for id_ in drawn)
    (tmp_path / seed / "midterm_class.csv").write_bytes(
        (tmp_path / seed / "e_class.csv").read_bytes()
    )
    papers = {
        "in B's place": ("B", {**answers, of_a: "", of_b: answers[of_a]}),
        "in A's place": ("B", answers),
        "nowhere": ("B", {**answers, of_a: ""}),
    }
    path = table(tmp_path / seed, tmp_path / "c.csv", papers)
    told = {name: p["remarks"][0] for name, p in graded(tmp_path / seed, path).items()}
    fits = "Its numbers fit form A, by which it would earn"
    assert told == {
        "in B's place": f"{fits} 10.", "in A's place": f"{fits} 10.", "nowhere": f"{fits} at least 9.",
    }  # fmt: skip


def test_a_dash_is_no_answer(folder: Path, tmp_path: Path) -> None:
    class_ = {"Ben": ("B", {**key_of(folder, "B"), "2/z[1][1]": "–"})}
    (paper,) = graded(folder, table(folder, tmp_path / "c.csv", class_)).values()
    marks = {v["cell"]: v["verdict"] for v in paper["parts"][1]["verdicts"]}
    assert marks["z[1][1]"] == "blank"


def test_questions_alone_are_a_paper_with_its_title_and_a_name(tmp_path: Path) -> None:
    text = "exam: A quiz\nparts: [{questions: [{ask: Why?, answer: So., points: 3}]}]\n"
    (tmp_path / "q.yaml").write_text(text, "utf-8")
    words = ("exam", tmp_path / "q.yaml", "-o", tmp_path / "q", "--format", "markdown")
    assert run(*words).exit_code == 0
    paper = (tmp_path / "q" / "q_sheet.md").read_text("utf-8")
    assert paper.startswith("# A quiz")
    for says in ("Name", "Points of 3", "Part 1\n", "(3 points)", "Why?"):
        assert says in paper


def test_an_exam_of_one_part_is_called_one_and_has_a_line_for_name_and_id(tmp_path: Path) -> None:
    text = "exam: Short\nparts: [{scenario: i_love_ai, ask: [scores]}]\n"
    (tmp_path / "s.yaml").write_text(text, "utf-8")
    words = ("exam", tmp_path / "s.yaml", "-o", tmp_path / "s", "--format", "markdown")
    assert run(*words).exit_code == 0
    paper = (tmp_path / "s" / "s_sheet.md").read_text("utf-8")
    assert paper.startswith("# Short · Exam")
    (line,) = (line for line in paper.splitlines() if line.startswith("Name"))
    assert "ID" in line


def test_own_questions_have_a_title_or_say_how_they_are_answered(tmp_path: Path) -> None:
    text = (
        "exam: A quiz\nparts:\n- questions:\n"
        "  - {ask: Why are scores scaled?, answer: So., title: Scaling}\n"
        "  - {ask: 'What is $\\sqrt{d_k} + d_k$ here?', number: 6}\n"
    )
    (tmp_path / "q.yaml").write_text(text, "utf-8")
    words = ("exam", tmp_path / "q.yaml", "-o", tmp_path / "q", "--format", "markdown")
    assert run(*words).exit_code == 0
    paper = (tmp_path / "q" / "q_sheet.md").read_text("utf-8")
    assert "1 · Scaling (1 point)" in paper
    assert "2 · Give a number (1 point)" in paper


def test_a_model_answer_is_on_the_key_alone_and_a_missing_one_is_told(tmp_path: Path) -> None:
    text = (
        "exam: A quiz\nparts:\n- questions:\n"
        "  - {ask: Why?, answer: Two points for the softmax.}\n  - {ask: What for?}\n"
    )
    (tmp_path / "q.yaml").write_text(text, "utf-8")
    words = ("exam", tmp_path / "q.yaml", "-o", tmp_path / "q", "--format", "markdown")
    made = run(*words)
    assert "question 2 has no model answer" in made.output
    sheet, key = ((tmp_path / "q" / f"q_{kind}.md").read_text("utf-8") for kind in ("sheet", "key"))
    assert "for the softmax" in key
    assert "for the softmax" not in sheet
    assert key.count("It is marked by:") == 1


def test_made_again_a_table_has_the_forms_that_were_printed(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(EXAM, "utf-8")
    path, table = tmp_path / "list.csv", tmp_path / "e" / "e_class.csv"
    words = ("exam", tmp_path / "e.yaml", "--students", path, "-o", tmp_path / "e")
    found = []
    for text in ("name,ID\nAda,a\nBen,b\n", "name,ID\nCid,c\nDee,d\nAda,a\nBen,b\n"):
        path.write_text(text, "utf-8")
        assert run(*words, "--format", "terminal", "--force").exit_code == 0
        rows = [*csv.reader(table.read_text("utf-8").splitlines())][1:]
        found.append({name: form for name, _, form, *_ in rows})
        data = json.loads((tmp_path / "e" / "manifest.json").read_text("utf-8"))
        assert {s["name"]: s["form"] for s in data["students"]} == found[-1]
    assert found[0].items() <= found[1].items()
    again = ("exam", tmp_path / "e.yaml", "-o", tmp_path / "e", "--format", "terminal", "--force")
    assert run(*again).exit_code == 0  # without the list
    rows = [*csv.reader(table.read_text("utf-8").splitlines())][1:]
    assert {name: form for name, _, form, *_ in rows} == found[1]


WRONG = [
    ("parts: []", "an empty list where entries belong"),
    ("forms: 2", "no parts to ask"),
    ("parts: [{title: x}]", "a part has a scenario that is asked about, or questions"),
    ("parts: [{scenario: i_love_ai, questions: [{ask: a, number: 1}]}]", "or questions"),
    ("parts: [{questions: [{ask: Why?, tolerance: 1}]}]", "a question with no answer"),
    ("parts: [{questions: [{number: 1}]}]", "a question without its text"),
    ("parts: [{questions: [{ask: a, number: 1, answer: b}]}]", "with number and answer"),
    ("parts: [{questions: [{ask: a, options: [b, c], right: d}]}]", "none of the options is the"),
    ("parts: [{questions: [{ask: a, number: 1}], points: 2}]", "points beside questions"),
    ("parts: [{scenario: i_love_ai, ask: [nope]}]", ":2:37: step nope: no such step"),
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


@pytest.mark.parametrize("command", ["run", "practice", "lint"])
def test_an_exam_is_no_scenario(command: str, tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(EXAM, "utf-8")
    result = run(command, tmp_path / "e.yaml")
    assert result.exit_code == 2
    assert "e.yaml:1:1: this is an exam, not a scenario; " in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_no_heading_of_a_table_needs_an_apostrophe(folder: Path, tmp_path: Path) -> None:
    """A spreadsheet makes a date of 4/1. Tables that say so, guarded or not, are read as well."""
    assert columns(folder)[-3:] == ["4/q1", "4/q2", "4/q3"]
    path = table(folder, tmp_path / "c.csv", {"Ada": ("A", key_of(folder, "A"))})
    text = path.read_text("utf-8")
    for heading in ("'4/{}", "4/{}", "4/Q{}"):
        olds = ",".join(heading.format(k) for k in (1, 2, 3))
        path.write_text(text.replace("4/q1,4/q2,4/q3", olds), "utf-8")
        assert graded(folder, path)["Ada"]["points"] == 31.5


def test_a_question_has_one_name_wherever_it_stands(folder: Path, tmp_path: Path) -> None:
    """It is 4/q1 in answers files, tables, grids and the manifest; where it is called 4/1, as it was
    before, that is read as well, in folders that were made so, too."""
    for name in ("midterm_A_answers.yaml", "midterm_class.csv", "manifest.json"):
        text = (folder / name).read_text("utf-8")
        assert "q1" in text
        assert "4/1" not in text
    assert {*manifest(folder)["forms"]["A"]["parts"][3]["asked"]} == {"q1", "q2", "q3"}
    shutil.copytree(folder, old := tmp_path / "old")
    made = (old / "manifest.json").read_text("utf-8")
    (old / "manifest.json").write_text(re.sub(r'"q([123])": ', r'"\1": ', made), "utf-8")
    assert '"q1"' not in (old / "manifest.json").read_text("utf-8")
    answers = (folder / "midterm_A_answers.yaml").read_text("utf-8")
    for id_, text in key_of(folder, "A").items():
        answers = answers.replace(f'"{id_}":', f'"{id_}": "{text}"')
    for place in (folder, old):
        for k, called in enumerate(("4/q", "4/")):
            path = tmp_path / f"Ada_{k}.yaml"
            path.write_text(answers.replace("4/q", called), "utf-8")
            result = run("grade", place, path, "--format", "json")
            assert json.loads(result.stdout)["points"] == 31.5, result.stderr
    twice = tmp_path / "Ada.yaml"
    twice.write_text(answers + '  "4/1": "x"\n', "utf-8")
    assert "4/q1 is answered twice; keep one of the two" in run("grade", folder, twice).stderr


def test_files_that_are_not_there_are_no_scenarios(folder: Path, tmp_path: Path) -> None:
    path = table(folder, tmp_path / "c.csv", {"Ada": ("A", key_of(folder, "A"))})
    for words in (
        ("grade", folder, path, "--scheme", tmp_path / "no.yaml"),
        ("exam", tmp_path / "no.yaml", "-o", f"{tmp_path}/e/"),
    ):
        result = run(*words)
        assert result.exit_code == 2
        assert "no.yaml: no such file" in result.stderr.replace("\n", "")
        assert "scenario" not in result.stderr


def test_an_exam_is_validated_with_its_parts(tmp_path: Path) -> None:
    """As are exercises; and what is wrong is told where it stands, in each part."""
    (tmp_path / "e.yaml").write_text(EXAM, "utf-8")
    (tmp_path / "x.yaml").write_text("scenario: i_love_ai\nask: [softmax]\n", "utf-8")
    found = run("validate", tmp_path / "e.yaml", tmp_path / "x.yaml", "i_love_ai")
    assert found.exit_code == 0, found.output
    exam, exercise, _ = found.stdout.splitlines()
    assert exam.endswith("e.yaml: ok: an exam of 4 parts, in 3 forms")
    assert exercise.endswith("x.yaml: ok: an exercise")
    wrong = EXAM.replace("token: love", "token: hate").replace("ask: [state]", "ask: [softmax]")
    (tmp_path / "e.yaml").write_text(wrong, "utf-8")
    found = run("validate", tmp_path / "e.yaml")
    assert found.exit_code == 2
    first, second = found.stderr.splitlines()
    assert 'e.yaml:10:20: token hate: the sentence has no "hate"' in first
    assert "e.yaml:12:" in second


def test_an_exam_says_things_once(folder: Path) -> None:
    """The facts of a scenario, how a key is to be read; and there is a place for the ID."""
    sheet = (folder / "midterm_A_sheet.md").read_text("utf-8")
    key = (folder / "midterm_A_key.md").read_text("utf-8")
    assert sheet.count("**Products:** each token is a row") == 1
    assert key.count("A key knows nobody") == 1
    assert key.index("A key knows nobody") < key.index("## Part 1")
    assert re.search("Name [^A-Za-z]* ID ", sheet)


def test_an_exam_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(EXAM, "utf-8")
    assert "an exam is a folder" in run("exam", tmp_path / "e.yaml").stderr
    assert run("exam", tmp_path / "e.yaml", "-o", tmp_path / "e.pdf").exit_code == 2
    assert "is no exam file" in run("exam", "i_love_ai", "-o", tmp_path / "e").stderr


# --------------------------------------------------------------------------------------------------
# How marks are given: the file of the exam, another one, and what a teacher says.


def points_by(folder: Path, tmp_path: Path, scheme: str, changed: Mapping[str, str]) -> float:
    """The points of a paper of form B by a scheme."""
    (tmp_path / "scheme.yaml").write_text(scheme, "utf-8")
    answers = {**key_of(folder, "B"), **changed}
    path = table(folder, tmp_path / "c.csv", {"Ben": ("B", answers)})
    result = run("grade", folder, path, "--scheme", tmp_path / "scheme.yaml", "--format", "json")
    assert result.exit_code in (0, 1), result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return float(data["points"])


@pytest.mark.parametrize(
    ("scheme", "lost"),
    [
        ("{}", 2),
        ("costs: {slip: 0.5}", 1),
        ("costs: {slip: 0}", 0),
        ("{costs: {slip: 0.5}, unit: 1}", 1),
        ("{costs: {slip: 0.25}, unit: 1}", 1),  # half a point from full, which is rounded down
    ],
)
def test_what_a_slip_costs_is_said_by_a_scheme(
    scheme: str, lost: float, folder: Path, tmp_path: Path
) -> None:
    changed = {"3/scores[AI, AI]": "99", "3/scores[I, I]": "98"}
    assert points_by(folder, tmp_path, scheme, changed) == 31.5 - lost


def test_a_number_written_down_wrongly_and_one_rounded_otherwise(
    folder: Path, tmp_path: Path
) -> None:
    right = key_of(folder, "B")
    turned = {"1/output[love, 1]": f"-{right['1/output[love, 1]']}"}
    assert points_by(folder, tmp_path, "costs: {pen: 1}", turned) == 30.5
    assert points_by(folder, tmp_path, "{}", turned) == 31.0
    cell = next(k for k, text in right.items() if "weights" in k and not text.endswith("0"))
    coarse = {cell: f"{float(right[cell]):.2f}"}
    assert points_by(folder, tmp_path, "costs: {rounding: 1}", coarse) == 31.0
    assert points_by(folder, tmp_path, "{}", coarse) == 31.25
    assert points_by(folder, tmp_path, "free: [other_decimals]", coarse) == 31.5


def test_what_follows_and_what_is_made_again(folder: Path, tmp_path: Path) -> None:
    """e^(−x) throughout: nine numbers of exp, three sums and nine weights, half a point each."""
    (part, *_) = manifest(folder)["forms"]["B"]["parts"]
    trace = work(load(folder / part["file"]))
    wrong = np.exp(-trace["scores"].values).round(3)
    sums = wrong.sum(axis=1, keepdims=True).round(3)
    rows, columns = trace["exp"].rows.names, trace["exp"].columns.names
    changed = {f"1/exp[{a}, {b}]": f"{wrong[i, j]:.3f}" for i, a in enumerate(rows)
               for j, b in enumerate(columns)}  # fmt: skip
    changed |= {f"1/exp_sum[{a}]": f"{sums[i, 0]:.3f}" for i, a in enumerate(rows)}
    changed |= {f"1/weights[{a}, {b}]": f"{wrong[i, j] / sums[i, 0]:.3f}"
                for i, a in enumerate(rows) for j, b in enumerate(columns)}  # fmt: skip
    right = key_of(folder, "B")
    differ = [id_ for id_, text in changed.items() if float(text) != float(right[id_])]
    made = sum(id_.startswith("1/exp[") for id_ in differ)
    assert made / 2 < 10.5 / 2
    for share in (0, 0.1, 0.25, 0.5, 1):  # of 10.5 points, but not more than all that it changes
        lost = min(len(differ) / 2, 10.5 * share)
        assert points_by(folder, tmp_path, f"costs: {{mistake: {share}}}", changed) == 31.5 - lost
    assert points_by(folder, tmp_path, "{}", changed) == 31.5 - 5.25
    by_itself = points_by(folder, tmp_path, "carry: false", changed)
    assert by_itself == 31.5 - made / 4 - (len(differ) - made) / 2


def test_grades_and_units(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("grades: {top: 95, good: 60, none: 0}", "utf-8")
    full = key_of(folder, "A")
    empty = {"1/exp[I, I]": full["1/exp[I, I]"], HAND: "-"}
    partly = {**full, "4/q1": "what it offers", HAND: "0"}
    class_ = {"Ada": ("A", full), "Ben": ("A", partly), "Cid": ("A", empty)}
    path = table(folder, tmp_path / "c.csv", class_)
    words = ("grade", folder, path, "--scheme", tmp_path / "s.yaml")
    papers = json.loads(run(*words, "--format", "json").stdout)["papers"]
    assert [paper["grade"] for paper in papers] == ["top", "good", "none"]
    rows = [*csv.DictReader(run(*words, "--format", "csv").stdout.splitlines())]
    assert [row["grade"] for row in rows] == ["top", "good", "none"]


def test_marked_papers_say_by_which_scheme(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "strict.yaml").write_text("carry: false", "utf-8")
    class_ = {name: ("A", key_of(folder, "A")) for name in ("Ada", "Ben")}
    path = table(folder, tmp_path / "c.csv", class_)
    for k, words in enumerate(([], ["--scheme", tmp_path / "strict.yaml"])):
        place = tmp_path / f"marked{k}"
        run("grade", folder, path, *words, "-o", f"{place}/", "--format", "markdown")
        for name in ("Ada", "class"):
            page = (place / f"{name}.md").read_text("utf-8")
            assert ("- **Marked by:** strict.yaml" in page) == bool(words)


def test_the_key_says_how_marks_are_given(tmp_path: Path) -> None:
    scheme = "scheme: {costs: {slip: 0.25}, free: [rounded_early], unit: 0.5, grades: {A: 90}}\n"
    (tmp_path / "e.yaml").write_text(EXAM + scheme, "utf-8")
    words = ("exam", tmp_path / "e.yaml", "-o", tmp_path / "e", "--format", "terminal")
    assert run(*words).exit_code == 0
    key = (tmp_path / "e" / "e_A_key.txt").read_text("utf-8")
    for says in (
        "costs 50 % of the points of the step in which it was made",
        "costs 25 % of its points",
        "cost nothing: rounded_early",
        "A 90",
    ):
        assert says in key
        assert says not in (tmp_path / "e" / "e_A_sheet.txt").read_text("utf-8")
    answers = {**key_of(tmp_path / "e", "B"), "3/scores[AI, AI]": "99"}
    (tmp_path / "e" / "midterm_class.csv").write_bytes(
        (tmp_path / "e" / "e_class.csv").read_bytes()
    )
    path = table(tmp_path / "e", tmp_path / "c.csv", {"Ben": ("B", answers)})
    data = json.loads(run("grade", tmp_path / "e", path, "--format", "json").stdout)
    assert (data["points"], data["grade"]) == (31.0, "A")  # 0.75 for the slip, in halves


def test_the_key_tells_mistakes_that_give_the_same(folder: Path) -> None:
    """On the diagonal a row's sum that is a column's and shares of a column are one number."""
    key = (folder / "midterm_A_key.md").read_text("utf-8")
    _, told = key.split("Known mistakes that can’t be told apart", 1)
    diagonal = ", ".join(rf"weights\[{word}, {word}\]" for word in ("I", "love", "AI"))
    (line,) = (text for text in told.splitlines() if f"In {diagonal}." in text)
    mistakes = "Dividing by the sum of the column", "Adding up the columns instead of the rows."
    assert all(mistake in line for mistake in mistakes)


def test_a_mistake_that_an_asked_cell_shows_is_not_called_uncaught(tmp_path: Path) -> None:
    """Who forgets a mask has the right numbers where nothing is hidden, and a wrong one beside."""
    key = mask_exam(tmp_path, "key.md")
    assert "aren’t caught" not in key
    _, told = key.split("Known mistakes, by what they give", 1)
    (line,) = (text for text in told.splitlines() if "Forgetting the mask." in text)
    assert re.search(r"It gives \S+ for masked\\\[love, Tennis\\\]", line)


def test_a_part_of_one_question_says_its_points_once(tmp_path: Path) -> None:
    sheet = mask_exam(tmp_path, "sheet.md")
    assert "## Part 1 · Under a mask\n" in sheet
    assert sheet.count("points)") == 2  # of the two questions


def test_an_exam_in_moodle_has_no_room_for_points(tmp_path: Path) -> None:
    quiz = mask_exam(tmp_path, "moodle.xml")
    assert ">Points<" in quiz
    assert "Earned" not in quiz
    assert r"\(-\infty\)" in quiz


def mask_exam(folder: Path, name: str) -> str:
    path = folder / "m.yaml"
    path.write_text(
        "exam: Masks\nparts:\n"
        "  - {title: Under a mask, scenario: i_love_tennis_causal, token: love, ask: [mask]}\n"
        "  - {title: Why, questions: [{ask: 'Why $-\\infty$?', points: 3}]}\n",
        encoding="utf-8",
    )
    made = run("exam", path, "-o", folder / "made", "--format", "markdown")
    assert made.exit_code == 0, made.output
    return (folder / "made" / f"m_{name}").read_text("utf-8")


def test_a_key_names_blanks_as_their_part_does(folder: Path) -> None:
    """Where a file of answers says `1/exp[I, I]`, which on paper would be a quotient."""
    key = (folder / "midterm_A_key.md").read_text("utf-8")
    assert "2 instead of e" in key
    assert " 1/" not in key


def overrides(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "overrides.csv"
    path.write_text("\n".join(("student,cell,points,reason", *rows)) + "\n", "utf-8")
    return path


def test_a_teacher_has_the_last_word(folder: Path, tmp_path: Path) -> None:
    answers = {**key_of(folder, "B"), "1/exp[I, AI]": "99", HAND: ""}
    path = table(folder, tmp_path / "c.csv", {"Ben": ("B", answers)})
    said = overrides(tmp_path, '"Ben","1/exp[I, AI]",0.25,smudged', f"id-Ben,{HAND},2.5,well put")
    words = ("grade", folder, path, "--overrides", said)
    before = json.loads(run("grade", folder, path, "--format", "json").stdout)["points"]
    data = json.loads(run(*words, "--format", "json").stdout)
    assert data["points"] == before + 2.75
    assert data["remarks"] == [
        "Part 1, exp[I, AI]: 0.25 points, set by the teacher instead of 0: smudged",
        "Part 4, question 3: 2.5 points, set by the teacher: well put",
    ]
    page = " ".join(run(*words).stdout.split())
    assert "Part 4, question 3: 2.5 points, set by the teacher: well put" in page


@pytest.mark.parametrize(
    ("cell", "points", "of"),
    [("1/exp", 4, 4.5), ("1/softmax", 10.5, 10.5), ("3", 8.5, 9), ("4/q3", 3, 3)],
)
def test_a_teacher_marks_a_quantity_a_step_or_a_part(
    cell: str, points: float, of: float, folder: Path, tmp_path: Path
) -> None:
    """An empty paper has just these points; what has them is told as marked by a person."""
    path = table(folder, tmp_path / "c.csv", {"Ben": ("B", {"4/q1": "what it offers"})})
    words = ("grade", folder, path, "--overrides")
    said = overrides(tmp_path, f"Ben,{cell},{points},seen on paper")
    data = json.loads(run(*words, said, "--format", "json").stdout)
    assert data["points"] == points
    by_hand = [v for part in data["parts"] for v in part["verdicts"] if v["verdict"] == "by hand"]
    assert sum(v["points"] for v in by_hand) == points
    both = overrides(tmp_path, f"Ben,{cell},{points},x", f"Ben,{cell},0,y")
    assert "twice; give its points once" in run(*words, both).stderr
    much = run(*words, overrides(tmp_path, f"Ben,{cell},{of + 1},x"))
    assert f"it has {of:g} at most" in much.stderr


def test_what_is_empty_and_marked_by_hand_is_not_gone_on_with(folder: Path, tmp_path: Path) -> None:
    """A number after it is wrong by itself."""
    path = table(folder, tmp_path / "c.csv", {"Ben": ("B", {"1/weights[love, I]": "7"})})
    said = overrides(tmp_path, "Ben,1/exp,4,seen on paper")
    told = run("grade", folder, path, "--overrides", said, "-o", f"{tmp_path}/marked/")
    assert told.exit_code == 1, told.exception
    (page,) = (p for p in (tmp_path / "marked").iterdir() if "Ben" in p.name)
    assert "Given is 7" in page.read_text("utf-8")


def test_a_scheme_of_its_own_has_the_grades_of_the_exam(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(f"{EXAM}scheme: {{grades: {{A: 90, B: 0}}}}\n", "utf-8")
    words = ("exam", tmp_path / "e.yaml", "-o", tmp_path / "e", "--format", "terminal")
    assert run(*words).exit_code == 0
    (tmp_path / "e" / "midterm_class.csv").write_bytes(
        (tmp_path / "e" / "e_class.csv").read_bytes()
    )
    path = table(tmp_path / "e", tmp_path / "c.csv", {"Ben": ("B", key_of(tmp_path / "e", "B"))})
    for scheme, grade in (("carry: false", "A"), ("grades: {pass: 50}", "pass")):
        (tmp_path / "s.yaml").write_text(scheme, "utf-8")
        marked = run(
            "grade", tmp_path / "e", path, "--scheme", tmp_path / "s.yaml", "--format", "json"
        )
        assert json.loads(marked.stdout)["grade"] == grade


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("Bob,4/1,1,x", ':2:1: there is no paper of "Bob"; known: Ben, id-Ben'),
        ("Ben,4/q9,1,x", ':2:5: "4/q9" isn\'t asked; did you mean 4/q3? Or name a blank'),
        (
            "Ben,zzz,1,x",
            ':2:5: "zzz" isn\'t asked; name a blank (1/exp[I, I]), a quantity (1/exp), a step'
            " (1/softmax) or a part (1)",
        ),
        ("Ben,4/q1,one,x", ':2:10: "one" are no points'),
        ('"Ben","4/q1",-1,x', ':2:14: "-1" are no points'),
        (
            "Ben,1/exp[I, AI],1,x",
            ":2:20: there are more cells than columns; put a cell with a comma in quotes, as"
            ' "0,5", or separate columns by semicolons',
        ),
        ("Ben,4/q1,1,", ":2:12: there is no reason"),
        ("Ben,4/q1,1", ":2:10: there is no reason"),
        ("Ben,4/q1,2.5,x", ":2:10: 2.5 points; it has 2 at most"),
    ],
)
def test_overrides_of_nobody_and_nothing(row: str, says: str, folder: Path, tmp_path: Path) -> None:
    path = table(folder, tmp_path / "c.csv", {"Ben": ("B", key_of(folder, "B"))})
    result = run("grade", folder, path, "--overrides", overrides(tmp_path, row))
    assert result.exit_code == 2
    assert f"overrides.csv{says}" in result.stderr


HEADS = """\
exam: x
parts:
  - {scenario: three_tokens_two_heads, ask: [{step: scores, head: 1, token: "2"}]}
  - {scenario: three_tokens_two_heads, ask: [{step: softmax, token: "2"}]}
"""


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("scores", "Part 1, scores"),
        ('"1/scores[2, 3]"', "Part 1, heads[1].scores[2, 3]"),
        ('"scores[2, 3]"', "Part 1, heads[1].scores[2, 3]"),
        ("softmax", "Part 2, softmax"),
        ("heads[2].exp", "Part 2, heads[2].exp"),
        ("2", "Part 2"),
    ],
)
def test_what_is_unique_needs_no_part_and_no_head(cell: str, says: str, tmp_path: Path) -> None:
    data = json.loads(run(*in_heads(tmp_path, cell), "--format", "json").stdout)
    assert f"{says}: 1 point, set by the teacher instead of 0: x" in data["remarks"]
    assert data["points"] == 1


def test_what_is_not_unique_is_said_in_full(tmp_path: Path) -> None:
    result = run(*in_heads(tmp_path, "exp"))
    says = '"exp" is in several places; say one of 2/heads[1].exp, 2/heads[2].exp'
    assert f"overrides.csv:2:5: {says}" in result.stderr


def in_heads(tmp_path: Path, cell: str) -> tuple[object, ...]:
    """What grades an exam about two heads, in which Ben is given a point."""
    (tmp_path / "e.yaml").write_text(HEADS, "utf-8")
    (tmp_path / "Ben.yaml").write_text("answers: {'1/heads[1].scores[2, 2]': 77}", "utf-8")
    said = overrides(tmp_path, f"Ben,{cell},1,x")
    return ("grade", tmp_path / "e.yaml", tmp_path / "Ben.yaml", "--overrides", said)


def test_what_is_given_back_has_nothing_for_the_teacher_alone(
    class_in: Path, tmp_path: Path
) -> None:
    """Whose key Cid may have is the teacher's affair; points that the teacher set are Cid's, and no
    reason of the program's stands beside them."""
    said = overrides(tmp_path, "Cid,1,0,please see me", "Ada,1/exp,2,seen on paper")
    words = ("grade", class_in / "e", class_in / "answers", "--overrides", said)
    told = run(*words, "-o", f"{tmp_path}/marked/", "--format", "markdown").stdout
    for name in ("Cid", "all"):
        page = (tmp_path / "marked" / f"{name}.md").read_text("utf-8")
        assert "- Part 1: 0 points, set by the teacher: please see me\n" in page
        assert "To look at" not in page
        assert "fit form" not in page
    ada = (tmp_path / "marked" / "Ada.md").read_text("utf-8")
    assert "- Part 1, exp: 2 points, set by the teacher: seen on paper\n" in ada
    assert "e^(−x)" not in ada.partition("Part 2")[0]
    together = (tmp_path / "marked" / "all.md").read_text("utf-8")
    assert all(f"**Student:** {name}" in together for name in ("Ada", "Ben", "Cid", "Dott", "Eve"))
    count = len([*(tmp_path / "marked").iterdir()])
    assert f"{count} files are written; all.md has all marked papers, to print\n" in told
    moodle = (tmp_path / "marked" / "moodle.csv").read_text("utf-8")
    assert "please see me" in moodle
    assert "fit form" not in moodle


@pytest.mark.parametrize(
    ("form", "suffix"), [("latex", "tex"), ("html", "html"), ("terminal", "txt")]
)
def test_all_marked_papers_are_in_one_file(
    form: str, suffix: str, class_in: Path, tmp_path: Path
) -> None:
    words = ("grade", class_in / "e", class_in / "answers", "--format", form)
    run(*words, "-o", f"{tmp_path}/marked/")
    text = (tmp_path / "marked" / f"all.{suffix}").read_text("utf-8")
    papers = ("Ada", "Ben", "Cid", "Dott", "Eve")
    assert all(len(re.findall(rf"\b{name}\b", text)) == 1 for name in papers)
    assert text.count("clearpage") == (4 if form == "latex" else 0)
    assert text.count("<h1") == (5 if form == "html" else 0)


def test_a_single_paper_in_a_file_is_as_it_is_given_back(class_in: Path, tmp_path: Path) -> None:
    words = ("grade", class_in / "e", class_in / "answers" / "Cid.yaml")
    assert "To look at first" in run(*words).stdout
    told = run(*words, "-o", tmp_path / "cid.md").stdout
    assert "Its numbers fit form B, by which it would earn 31.5.\n" in told
    assert "fit form" not in (tmp_path / "cid.md").read_text("utf-8")


def test_who_was_absent_may_have_points(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(EXAM, "utf-8")
    (tmp_path / "list.csv").write_text("name,ID\nAda,1\nBen,2\nCid,3\nDot,4\n", "utf-8")
    made = ("--students", tmp_path / "list.csv", "--format", "terminal", "-o", tmp_path / "e")
    assert run("exam", tmp_path / "e.yaml", *made).exit_code == 0
    table_, *rows = csv.reader((tmp_path / "e" / "e_class.csv").read_text("utf-8").splitlines())
    with (tmp_path / "c.csv").open("w", encoding="utf-8", newline="") as file:
        answers = key_of(tmp_path / "e", "A")
        right = [
            [*row[:3], *(answers[id_meant(unguarded(i))] for i in table_[3:])] for row in rows[:2]
        ]
        csv.writer(file).writerows([table_, *right, *rows[2:]])
    said = overrides(tmp_path, "Cid,2,3,by word of mouth", '3,"1/exp[I, I]",0.5,the same')
    words = ("grade", tmp_path / "e", tmp_path / "c.csv", "--overrides", said)
    data = json.loads(run(*words, "--format", "json").stdout)
    paper = next(entry for entry in data["papers"] if entry["student"] == "Cid")
    assert (paper["id"], paper["form"], paper["points"]) == ("3", rows[2][2], 3.5)
    assert "Nothing was handed in." in paper["remarks"]
    assert [entry["student"] for entry in data["not_marked"]] == ["Dot"]
    nobody = overrides(tmp_path, "Eve,2,3,by word of mouth")
    assert 'there is no paper of "Eve"; known: Ada, ' in run(*words[:-1], nobody).stderr


def test_an_override_is_said_once(folder: Path, tmp_path: Path) -> None:
    path = table(folder, tmp_path / "c.csv", {"Ben": ("B", key_of(folder, "B"))})
    twice = overrides(tmp_path, "Ben,4/q1,1,x", "id-Ben,4/q1,0,y")
    result = run("grade", folder, path, "--overrides", twice)
    assert result.exit_code == 2
    assert 'overrides.csv:3:8: "4/q1" twice; give its points once' in result.stderr


@pytest.mark.parametrize(
    ("scheme", "says"),
    [
        ("costs: {slip: 2}", "2 is not 1 or less"),
        ("costs: {slips: 1}", 'unknown key "slips"; did you mean slip?'),
        ("mistake: 0.5", 'unknown key "mistake"; say what it costs, like costs: {mistake: 0.5}'),
        ("free: [nope]", "is no mistake that is known"),
        ("grades: {A: 101}", "101 is not 100 or less"),
        ("slips: 1", 'unknown key "slips"'),
    ],
)
def test_what_is_wrong_with_a_scheme(scheme: str, says: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(scheme, "utf-8")
    path = table(folder, tmp_path / "c.csv", {"Ben": ("B", key_of(folder, "B"))})
    result = run("grade", folder, path, "--scheme", tmp_path / "s.yaml")
    assert result.exit_code == 2
    assert says in result.stderr


def test_the_names_of_ways_of_rounding_are_those_of_marking() -> None:
    texts = [Path(path).read_text("utf-8") for path in (causes.__file__, answers.__file__)]
    named = {name for text in texts for name in re.findall(r'Cause\(\s*"(\w+)"', text)}
    assert {*ROUNDINGS} == named


def test_an_exam_may_be_of_own_questions_only(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(
        "exam: x\nforms: 2\nparts: [questions: [{ask: a, number: 1}]]\n", "utf-8"
    )
    words = ("exam", tmp_path / "e.yaml", "-o", tmp_path / "e", "--format", "terminal")
    assert run(*words).exit_code == 0
    assert run(*words).exit_code == 0
    (tmp_path / "c.csv").write_text("student,form,1\nAda,A,1\nBen,B,2\n", "utf-8")
    papers = graded(tmp_path / "e", tmp_path / "c.csv")
    assert [paper["points"] for paper in papers.values()] == [1, 0]


# --------------------------------------------------------------------------------------------------
# The page of a class.


def section(page: str, heading: str) -> str:
    """What stands under a heading of a page in Markdown."""
    return page.partition(f"## {heading}\n")[2].partition("\n## ")[0]


@pytest.fixture(scope="module")
def class_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of five: two have e^(−x) for e^x, one in a row, the other in two; one has the key of
    another form, one isn't on the list, of one all is right."""
    place = tmp_path_factory.mktemp("class")
    (place / "e.yaml").write_text(EXAM, "utf-8")
    (place / "list.csv").write_text(
        "name,ID,form\nAda,1,A\nBen,2,A\nCid,3,A\nDot,4,A\nEve,5,A\n", "utf-8"
    )
    made = ("--students", place / "list.csv", "--format", "terminal", "-o", place / "e")
    assert run("exam", place / "e.yaml", *made).exit_code == 0
    right = key_of(place / "e", "A")
    (part, *_) = manifest(place / "e")["forms"]["A"]["parts"]
    trace = work(load(place / "e" / part["file"]))
    exps = [id_ for id_ in right if id_.startswith("1/exp[")]
    each = zip(exps, np.exp(-trace["scores"].values).ravel(), strict=True)
    negated = [(id_, f"{number:.3f}") for id_, number in each]
    papers = {
        "Ada": {**right, **dict(negated[:3]), "3/scores[I, I]": "-7.77"},
        "Ben": {**right, **dict(negated[:6]), HAND: "because"},
        "Cid": key_of(place / "e", "B"),
        "Dott": {**right, HAND: ""},
        "Eve": {**right, "4/q3": ""},
    }
    (place / "answers").mkdir()
    for name, given in papers.items():
        data = {"student": name, "form": "A", "answers": given}
        (place / "answers" / f"{name}.yaml").write_text(json.dumps(data), "utf-8")
    return place


def test_what_is_to_be_done_first_stands_above_all_else(class_in: Path) -> None:
    words = ("grade", class_in / "e", class_in / "answers", "--format", "markdown")
    page = run(*words).stdout
    above = page.partition("\n## ")[0]
    first = [line for line in above.splitlines() if line.startswith("- **")]
    assert first[1:4] == [
        "- **Possible copies:** Cid (3): Its numbers fit form B, by which it would earn 31.5.",
        "- **Not on the list:** Dott: The list of students has nobody of this name or ID; did you"
        " mean Dot?",
        "- **Still to be marked:** Part 4, question 3 (3 papers): enter points from 0 to 3 in"
        " column `4/q3`.",
    ]
    assert page.count("to be marked") == 1
    headings = re.findall("^## (.*)", page, re.MULTILINE)
    assert headings[:3] == ["Commonest mistakes", "Marks", "To look at"]
    rest = section(page, "To look at")
    assert "**Remark:** Papers in doubt are left out of the commonest mistakes: Cid (3)." in rest
    rest = rest.partition("Papers in doubt")[0]
    assert not re.search("Cid|Dot|Ben", rest)  # Dot's paper may be Dott's
    data = json.loads(run(*words[:-1], "json").stdout)
    assert data["to_be_marked"] == [{"cell": "4/q3", "papers": 3, "of": 3}]
    (cid,) = (paper for paper in data["papers"] if paper["student"] == "Cid")
    assert "Its numbers fit form B, by which it would earn 31.5." in cid["remarks"]


def test_who_is_not_on_the_list_is_not_named_in_an_anonymous_class(class_in: Path) -> None:
    words = ("grade", class_in / "e", class_in / "answers", "--format", "markdown", "--anonymous")
    page = run(*words).stdout
    assert "**Not on the list:** number " in page
    assert "Dot" not in page


def test_a_list_of_the_class_may_come_with_the_answers(folder: Path, tmp_path: Path) -> None:
    """The exam was made without one. Ito has another name and another ID there, Ben says no form,
    of Dot there is nothing."""
    right = key_of(folder, "A")
    papers = {"Ada": ("A", right), "Ito, Inez": ("A", right), "Ben": ("", key_of(folder, "B"))}
    path = table(folder, tmp_path / "c.csv", papers)
    rows = '"Ito, Ines",9,\nAda,id-Ada,C\nBen,id-Ben,B\nDot,4,\n'
    (tmp_path / "list.csv").write_text(f"name,ID,form\n{rows}", "utf-8")
    words = ("grade", folder, path, "--students", tmp_path / "list.csv", "--format", "json")
    data = json.loads(run(*words).stdout)
    remarks = {paper["student"]: paper["remarks"] for paper in data["papers"]}
    assert remarks == {
        "Ada": ["The list gives form C, the paper is of form A."],
        "Ito, Inez": [
            "The list of students has nobody of this name or ID; did you mean Ito, Ines?"
        ],
        "Ben": [],
    }
    assert [(of["student"], of["why"]) for of in data["not_marked"]] == [
        ("Ito, Ines", "Nothing was handed in."), ("Dot", "Nothing was handed in."),
    ]  # fmt: skip
    (tmp_path / "list.csv").write_text("name,ID,form\nAda,1,Z\n", "utf-8")
    refused = run(*words)
    assert refused.exit_code == 2
    assert 'list.csv:2:1: there is no form "Z"; the exercise has A, B, C' in refused.stderr


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.reader(file)]


@pytest.mark.parametrize(
    ("separator", "end", "encoding", "decimal"),
    [
        (";", "\r\n", "utf-8-sig", ","),
        (";", "\r\n", "cp1252", ","),
        ("\t", "\r\n", "utf-16", ","),
        (",", "\r\n", "utf-8-sig", "."),
        (",", "\r", "utf-8", ","),
    ],
)
def test_a_table_is_read_as_spreadsheets_save_it(
    separator: str, end: str, encoding: str, decimal: str, folder: Path, tmp_path: Path
) -> None:
    right = {k: text.replace(".", decimal) for k, text in key_of(folder, "A").items()}
    rows = rows_of(table(folder, tmp_path / "c.csv", {"Zoë, Ann": ("A", right)}))
    with (tmp_path / "t.csv").open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=separator, lineterminator=end).writerows(rows)
    assert graded(folder, tmp_path / "t.csv")["Zoë, Ann"]["points"] == 31.5


@pytest.mark.parametrize(
    ("without", "says"),
    [
        (0, "t.csv:1:1: no column says which cell; begin with"),
        (2, "t.csv:1:1: no column says whose the answers are; begin each row with the student's"),
        (3, "t.csv:1:1: no column says whose the answers are; begin each row with the student's"),
    ],
)
def test_a_table_of_nobody_is_refused(
    without: int, says: str, folder: Path, tmp_path: Path
) -> None:
    """Without its headings, without names and IDs, and without the form as well."""
    rows = rows_of(table(folder, tmp_path / "c.csv", {"Ben": ("B", key_of(folder, "B"))}))
    rows = [row[without:] for row in rows] if without else rows[1:]
    with (tmp_path / "t.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    result = run("grade", folder, tmp_path / "t.csv")
    assert result.exit_code == 2
    assert says in result.stderr


def test_a_table_of_another_exam_has_no_marks(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("student,form,1/foo,4/q9\nBen,B,7,3\nAnn,A,-,\n", "utf-8")
    result = run("grade", folder, tmp_path / "c.csv", "--format", "json")
    assert result.exit_code == 2
    says = 'c.csv:2:1: nothing of what is answered is asked in "Midterm"; give answers to what it'
    assert says in result.stderr
    data = json.loads(result.stdout)
    assert [paper["student"] for paper in data["papers"]] == ["Ann"]
    assert [entry["student"] for entry in data["not_marked"]] == ["Ben"]


def test_who_has_an_empty_row_handed_nothing_in(folder: Path, tmp_path: Path) -> None:
    """A dash says that a paper is there; a row of nobody says nothing."""
    class_ = {"Ada": ("A", key_of(folder, "A")), "Ben": ("B", {}), "Cid": ("C", {HAND: "-"})}
    path = table(folder, tmp_path / "c.csv", class_)
    path.write_text(f"{path.read_text('utf-8')},,A\n", "utf-8")
    data = json.loads(run("grade", folder, path, "--format", "json").stdout)
    assert [(of["student"], of["points"]) for of in data["papers"]] == [("Ada", 31.5), ("Cid", 0)]
    assert [(of["student"], of["why"]) for of in data["not_marked"]] == [
        ("Ben", "Nothing was handed in.")
    ]


FORMULAS = r"""
exam: E
forms: 2
parts:
  - questions:
      - ask: What does a row of $W_K$ stand for?
        options: [an entry, a token, $5]
        right: an entry
      - ask: What is $Q K^T / \sqrt{d_k}$?
        answer: scores
  - {scenario: i_love_ai, ask: [scores]}
"""


def test_mathematics_in_own_questions_is_written_as_such_everywhere(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(FORMULAS, "utf-8")
    made = run("exam", tmp_path / "e.yaml", "-o", tmp_path / "e", "--format", "html")
    assert made.exit_code == 0, made.output
    entry = (tmp_path / "e" / "e_entry.html").read_text("utf-8")
    assert "What does a row of W_K stand for?" in entry
    moodle = (tmp_path / "e" / "e_moodle.xml").read_text("utf-8")
    assert "<name><text>E · What is Q Kᵀ / √d_k?</text></name>" in moodle
    papers = "student,form,1/1,1/2\nAda,A,$5,1\nBen,A,an entry,0\n"
    (tmp_path / "c.csv").write_text(papers, "utf-8")
    told = run("grade", tmp_path / "e", tmp_path / "c.csv", "-o", f"{tmp_path}/m/").stdout
    texts = {file.name: file.read_text("utf-8") for file in (tmp_path / "m").iterdir()}
    for name, text in {**texts, "page": told, "entry": entry, "moodle": moodle}.items():
        assert "$W_K$" not in text, name
        assert "$Q K" not in text, name
    assert "“$5” was chosen for “What does a row of W_K stand for?”" in texts["moodle.csv"]


def test_papers_under_a_name_that_was_corrected_are_removed(folder: Path, tmp_path: Path) -> None:
    """A file of the teacher's own stays, and so does everything without --force."""
    right, marked_ = key_of(folder, "A"), tmp_path / "marked"
    words = ("-o", f"{marked_}/", "--format", "markdown")

    def names() -> list[str]:
        return sorted(file.stem for file in marked_.iterdir() if file.suffix == ".md")

    before = table(folder, tmp_path / "c.csv", {"Ada": ("A", right), "Bne": ("A", right)})
    run("grade", folder, before, *words)
    (marked_ / "mine.md").write_text("mine", "utf-8")
    assert names() == ["Ada", "Bne", "all", "class", "mine", "next_lesson"]
    after = table(folder, tmp_path / "c.csv", {"Ada": ("A", right), "Ben": ("A", right)})
    assert run("grade", folder, after, *words).exit_code == 2
    assert "Bne" in names()
    told = " ".join(run("grade", folder, after, *words, "--force").stdout.split())
    assert "an earlier grading wrote and this one doesn't were removed: Bne.md." in told
    assert names() == ["Ada", "Ben", "all", "class", "mine", "next_lesson"]
    again = run("grade", folder, after, *words, "--force", "--anonymous").stdout
    assert "removed: 2." in " ".join(again.split())
    assert names() == ["all", "class", "mine", "next_lesson", "number_1", "number_2"]


def test_grades_to_hand_in_are_a_plain_list(folder: Path, tmp_path: Path) -> None:
    scheme = tmp_path / "s.yaml"
    scheme.write_text("grades: {top: 95, good: 60}\n", "utf-8")
    right = key_of(folder, "A")
    papers = {"Ben": ("A", right), "Ada": ("A", {HAND: "3"})}
    path = table(folder, tmp_path / "c.csv", papers)
    for k, (more, grades) in enumerate(((["--scheme", scheme], True), ([], False))):
        run("grade", folder, path, *more, "-o", f"{tmp_path}/{k}/", "--format", "markdown")
        with (tmp_path / str(k) / "grades.csv").open(encoding="utf-8", newline="") as file:
            rows = [*csv.reader(file)]
        assert [row[:3] for row in rows] == [
            ["name", "ID", "points"], ["Ada", "id-Ada", "3"], ["Ben", "id-Ben", "31.5"],
        ]  # fmt: skip
        assert [row[3:] for row in rows] == (
            [["grade"], ["below good"], ["top"]] if grades else [[], [], []]
        )


def test_nobody_hands_in_a_grade_before_all_is_marked(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("grades: {pass: 50}\n", "utf-8")
    right = key_of(folder, "A")
    papers = {"Ada": ("A", {**right, HAND: ""}), "Ben": ("A", right)}
    path = table(folder, tmp_path / "c.csv", papers)
    words = ("--scheme", tmp_path / "s.yaml", "-o", f"{tmp_path}/marked/", "--format", "markdown")
    told = run("grade", folder, path, *words).stdout
    assert "Part 4, question 3 (1 paper): enter points from 0 to 3" in " ".join(told.split())
    assert re.search(r"Ada +│ id-Ada +28\.5 +90 +not yet ", told)

    def rows(name: str) -> list[list[str]]:
        with (tmp_path / "marked" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return [*csv.reader(file)]

    assert rows("grades") == [
        ["name", "ID", "points", "grade", "still to be marked"],
        ["Ada", "id-Ada", "", "", HAND], ["Ben", "id-Ben", "31.5", "pass", ""],
    ]  # fmt: skip
    assert [row[1:6] for row in rows("moodle")[1:]] == [
        ["12.5", "4", "9", "", ""], ["12.5", "4", "9", "6", "31.5"],
    ]  # fmt: skip
    assert [row[-1] for row in rows("canvas")[2:]] == ["", "31.5"]
    ada = (tmp_path / "marked" / "Ada.md").read_text("utf-8")
    assert "- **Grade:** not yet\n- **Still to be marked:** Part 4, question 3\n" in ada


def test_numbers_perhaps_typed_wrongly_and_shared_slips(folder: Path, tmp_path: Path) -> None:
    """What follows from Ada's sum is right although the sum isn't, and nobody works out Ben's
    output; Cid and Dot share three numbers that nothing gives; Eve has what nobody can read."""
    right = key_of(folder, "A")
    strange = {
        f"3/scores[I, {token}]": f"{k}.177" for k, token in enumerate(("I", "love", "AI"), 7)
    }
    total = f"{float(right['1/exp_sum[I]']) + 1:.3f}"
    papers = {
        "Ada": ("A", {**right, "1/exp_sum[I]": total}),
        "Ben": ("A", {**right, "1/output[love, 1]": "76543"}),
        "Cid": ("A", {**right, **strange}),
        "Dot": ("A", {**right, **strange}),
        "Eve": ("A", {**right, "1/exp[I, I]": "05. Mai"}),
    }
    path = table(folder, tmp_path / "c.csv", papers)
    page = run("grade", folder, path, "--format", "markdown").stdout
    above, below = page.partition("\n## ")[0], section(page, "To look at")
    assert (
        f"**Perhaps mistyped:** Ada (id-Ada): `1/exp_sum[I]` is “{total}”, not"
        f" {right['1/exp_sum[I]']} (row 2, column M of c.csv)." in below
    )
    assert "Ben (id-Ben): `1/output[love, 1]` is “76543”, not " in below
    assert below.count("mistyped") == 2
    assert "**Perhaps mistyped:** 2 numbers in 2 papers, below the marks" in above
    assert (
        "**Possible copies:** Cid (id-Cid) and Dot (id-Dot) share 3 wrong numbers that no known"
        " mistake gives: " in above
    )
    assert "(“05. Mai”, perhaps a number of which a spreadsheet made a date)" in below
    headings = next(line for line in page.splitlines() if line.startswith("| Student"))
    assert "?" not in headings
    assert "#" not in headings


@pytest.mark.parametrize(
    ("cell", "typed"),
    [
        ("1/exp_sum[I]", "3336"),  # 3.336: the point lost
        ("1/exp_sum[I]", "33.36"),
        ("1/exp_sum[I]", "3.363"),  # two digits exchanged
        ("1/exp_sum[I]", "3.3336"),  # a digit doubled
        ("1/exp_sum[I]", "3.36"),  # a digit dropped
        ("1/exp_sum[I]", "-3.336"),
        ("1/output[love, 1]", "7962"),  # 7.962, from which nothing is worked
        ("1/output[love, 1]", "796.2"),
        ("1/output[love, 1]", "796"),  # 7.96
        ("2/a[1][1]", "66"),  # 0.664
    ],
)
def test_a_number_typed_wrongly_is_told_with_its_place(
    cell: str, typed: str, folder: Path, tmp_path: Path
) -> None:
    right = key_of(folder, "A")
    papers = {"Ada": ("A", {**right, cell: typed}), "Ben": ("B", key_of(folder, "B"))}
    path = table(folder, tmp_path / "c.csv", papers)
    (told,) = json.loads(run("grade", folder, path, "--format", "json").stdout)[
        "perhaps_typed_wrongly"
    ]
    assert (told["cell"], told["given"], told["right"]) == (cell, typed, right[cell])
    assert told["where"] == f"{path}:2"
    letters = columns(folder).index(cell)
    assert told["column"] == (chr(ord("A") + letters) if letters < 26 else f"A{chr(39 + letters)}")


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("1/output[love, 1]", "79.62"),  # of the pen, and nothing is worked from it
        ("1/output[love, 1]", "7.692"),
        ("1/output[love, 1]", "7.96"),  # a habit of rounding
        ("1/output[love, 1]", "8.962"),
    ],
)
def test_a_number_that_its_author_may_have_written_is_no_typing_error(
    cell: str, written: str, folder: Path, tmp_path: Path
) -> None:
    papers = {"Ada": ("A", {**key_of(folder, "A"), cell: written}), "Ben": ("B", {HAND: "3"})}
    path = table(folder, tmp_path / "c.csv", papers)
    page = run("grade", folder, path, "--format", "markdown").stdout
    assert "mistyped" not in page


def test_a_number_mistyped_after_a_mistake_is_told(folder: Path, tmp_path: Path) -> None:
    """Base 2 for e in a row, whose sum is 0.758 + 1.117 + 1.320 = 3.195, and what follows."""
    theirs = {
        "1/exp[I, I]": "0.758", "1/exp[I, love]": "1.117", "1/exp[I, AI]": "1.320",
        "1/exp_sum[I]": "3195", "1/weights[I, I]": "0.237", "1/weights[I, love]": "0.350",
        "1/weights[I, AI]": "0.413",
    }  # fmt: skip
    papers = {"Ada": ("A", {**key_of(folder, "A"), **theirs}), "Ben": ("B", {HAND: "3"})}
    path = table(folder, tmp_path / "c.csv", papers)
    data = json.loads(run("grade", folder, path, "--format", "json").stdout)
    (told,) = data["perhaps_typed_wrongly"]
    assert (told["given"], told["right"]) == ("3195", "3.195")


def without_commas(answers: Mapping[str, str]) -> dict[str, str]:
    """Answers as a spreadsheet keeps them that takes a comma before three digits for a separator of
    thousands, and leaves others alone."""
    commas = {id_: text.replace(".", ",") for id_, text in answers.items()}
    lost = re.compile(r"(-?\d+),(\d{3})")
    return {
        id_: str(int("".join(match.groups()))) if (match := lost.fullmatch(text)) else text
        for id_, text in commas.items()
    }


def test_commas_that_a_spreadsheet_took_are_told_and_put_back(folder: Path, tmp_path: Path) -> None:
    ada, ben = (key_of(folder, form) for form in "AB")
    ben["1/exp_sum[I]"] = "9"  # a mistake of his own
    papers = {"Ada": ("A", without_commas(ada)), "Ben": ("B", ben)}
    path = table(folder, tmp_path / "c.csv", papers)
    words = ("grade", folder, path, "--format", "markdown")
    page = run(*words).stdout
    (told,) = re.findall(r"\*\*Lost commas:\*\* (.*)", page)
    assert told.startswith("Ada (id-Ada): 26 numbers look as if a spreadsheet took")
    assert "“670” for 0.670" in told
    assert told.endswith("add --restore-commas, by which the paper earns 31.5.")
    assert "decimal point" not in page  # no mistakes of hers
    mended = run(*words, "--restore-commas").stdout
    assert "| Ada | id-Ada | A | 31.5 | 100 |" in mended
    assert "Ada (id-Ada): Decimal commas or points were put back" in mended
    own = "| Ben | id-Ben | B | 31 | 98 | 39 |"  # he has lost none
    assert own in page
    assert own in mended


def test_grades_have_a_histogram_of_their_own(class_in: Path, tmp_path: Path) -> None:
    scheme = tmp_path / "s.yaml"
    scheme.write_text("grades: {A: 90, B: 75, C: 10}\n", "utf-8")
    words = ("grade", class_in / "e", class_in / "answers", "--scheme", scheme)
    grades = [
        paper["grade"] for paper in json.loads(run(*words, "--format", "json").stdout)["papers"]
    ]
    page = run(*words, "--format", "markdown").stdout.partition("\n## ")[0]
    assert re.findall(r"\| (\w+) \| (\d+) \|", page)[:3] == [
        (grade, str(grades.count(grade))) for grade in "ABC"
    ]


def marked_in(place: Path) -> dict[str, list[dict[str, Any]]]:
    """All verdicts on each paper of a class."""
    words = ("grade", place / "e", place / "answers", "--format", "json", "--force")
    run(*words, "-o", f"{place}/marked/")
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in place.glob("marked/*.json")}
    return {
        name: [verdict for part in data["parts"] for verdict in part["verdicts"]]
        for name, data in found.items()
        if "parts" in data
    }


def test_causes_stand_in_the_order_of_papers_and_numbers(class_in: Path) -> None:
    """As many of Ben's six numbers and Ada's three as differ; another form's key says nothing."""
    words = ("grade", class_in / "e", class_in / "answers")
    page = run(*words, "--format", "markdown").stdout
    data = json.loads(run(*words, "--format", "json").stdout)["commonest_mistakes"]
    papers = marked_in(class_in)
    made = [
        v["cell"]
        for name in ("Ada", "Ben")
        for v in papers[name]
        if v["verdict"] == "known mistake"
    ]
    assert (data[0]["papers"], data[0]["numbers"]) == (2, len(made))
    assert len(made) > 3
    order = [(-m["papers"], -m["numbers"]) for m in data]
    assert order == sorted(order)
    told = section(page, "Commonest mistakes")
    assert told.count("\n- ") == min(3, len(data))
    assert f"- 2 papers, {len(made)} numbers: {data[0]['says']} Example: Ada (1) has “" in told
    (class_in / "answers" / "Cid.yaml").rename(class_in / "Cid.yaml")
    try:
        alone = json.loads(run(*words, "--format", "json").stdout)
    finally:
        (class_in / "Cid.yaml").rename(class_in / "answers" / "Cid.yaml")
    assert alone["commonest_mistakes"] == data


@pytest.mark.parametrize(
    ("scenario", "ask", "cell", "meant"),
    [
        ("three_tokens_two_heads", "scores", "heads[1].score[1, 2]", "heads[1].scores[1, 2]"),
        ("three_tokens_two_heads", "scores", "head[1].scores[1, 2]", "heads[1].scores[1, 2]"),
        ("three_tokens_two_heads", "scores", "heads1.scores[2,1]", "heads[1].scores[2, 1]"),
        ("i_love_ai", "softmax", "weights[LOVE, ai]", "weights[love, AI]"),
        ("i_love_ai", "softmax", "weight[2, 3]", "weights[love, AI]"),
        ("yassine_lstm", "state", "c[2, 1]", "c[2][1]"),
        ("yassine_lstm", "gates", "gate[2].updates[1]", "gates[2].update[1]"),
    ],
)
def test_an_unknown_cell_has_a_known_one_that_is_meant(
    scenario: str, ask: str, cell: str, meant: str, tmp_path: Path
) -> None:
    """Also beside another one that is unknown, and where the answers alone say what is asked."""
    (tmp_path / "x.yaml").write_text(f"{{scenario: {scenario}, ask: [{ask}]}}", "utf-8")
    path = tmp_path / "a.yaml"
    path.write_text(json.dumps({"answers": {cell: "0.7", "nonsense": "1"}}), "utf-8")
    alone = run("grade", tmp_path / "x.yaml", path)
    assert "nothing of what is answered is asked in " in alone.stderr
    assert f"; {cell}: did you mean {meant}? Or give answers to what it asks" in alone.stderr
    answers = {meant: "1", cell: "0.7", "nonsense": "1"}
    path.write_text(json.dumps({"answers": answers}), "utf-8")
    data = json.loads(run("grade", tmp_path / "x.yaml", path, "--format", "json").stdout)
    assert f"{cell}: 0.7 (did you mean {meant}?), nonsense: 1" in data["remarks"][0]
    path.write_text(json.dumps({"answers": {cell: "0.7", "nonsense": "1"}}), "utf-8")
    refused = run("grade", scenario, path).stderr
    assert re.search(rf"{re.escape(cell)}: .*did you mean ", refused) or cell == "weights[LOVE, ai]"


def test_what_grade_is_given_in_the_wrong_place_is_told(folder: Path, tmp_path: Path) -> None:
    class_ = {"Ada": ("A", key_of(folder, "A"))}
    path = table(folder, tmp_path / "c.csv", class_)
    swapped = run("grade", path, folder)
    assert "this is a table, and what it answers stands first; name the exam" in swapped.stderr
    mistyped = run("grade", folder.parent / "midtrm", path)
    assert "midtrm: no such file or folder; did you mean midterm?" in mistyped.stderr
    assert {swapped.exit_code, mistyped.exit_code} == {2}


def test_an_exam_is_made_anew_by_its_own_command(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(find("i_love_ai").read_text("utf-8"), "utf-8")
    exam = "exam: x\nforms: 2\nparts: [{scenario: mine.yaml, ask: [scores]}]\n"
    (tmp_path / "e.yaml").write_text(exam, "utf-8")
    words = ("exam", tmp_path / "e.yaml", "-o", tmp_path / "e", "--format", "markdown")
    assert run(*words).exit_code == 0
    text = (tmp_path / "mine.yaml").read_text("utf-8")
    (tmp_path / "mine.yaml").write_text(text.replace("  love: [", "  love: [1"), "utf-8")
    told = run(*words).stderr
    assert f"`attn exam {tmp_path / 'e.yaml'} -o {tmp_path / 'e'}/ --force`" in told


def test_points_beside_questions_of_ones_own_are_told_where_they_stand(tmp_path: Path) -> None:
    exam = "exam: x\nparts:\n- title: Sizes\n  points: 2\n  pool: [{ask: a?, number: 8}]\n"
    (tmp_path / "e.yaml").write_text(exam, "utf-8")
    told = run("exam", tmp_path / "e.yaml", "-o", tmp_path / "e").stderr
    assert "e.yaml:4:11: points beside questions in your own words" in told
