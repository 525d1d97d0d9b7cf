"""Exercises of equations that a scenario brings: sheets, keys, forms, marking, practice, exams."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from attncli import load, work
from attncli.classroom.exercises.papers import exercise
from attncli.classroom.exercises.worked_in_browser import worked_in_browser
from attncli.classroom.files.exam_file import load_exam
from attncli.classroom.forms.search import SearchRequest, search
from attncli.judging.judging import Judge
from attncli.judging.wrong_ways import declared_ways
from attncli.trace import Trace
from tests.classroom.made import questions, request_for
from tests.helpers.marking_cases import run

OPEN = """\
title: Shares
given: {"x[n]": [1, 2, 3]}
names: {n: [a, b, c]}
steps:
  thirds:
    title: Thirds
    equations: ["share[i] = x[i] / 3", "again[i] = 3 * share[i]"]
  choice:
    title: What is kept
    why: Only what is small is kept.
    equations:
      - "kept[i] = 1 if again[i] < 1 else 0"
      - "late[i in n] = share[i] * (4 - i)"
    mistakes:
      turned: {says: Keeping what is large., instead: {kept: "0 if again[i] < 1 else 1"}}
  decay:
    title: Fading
    over: i
    start: {S: 0}
    equations: ["S[i] = 0.5 * S[i - 1] + x[i]"]
    mistakes:
      kept_all: {says: Letting nothing fade., instead: {S: "S[i - 1] + x[i]"}}
"""
FOREIGN = re.compile(r"Equations|\bcount\.\d|\b(?:layer|head|query|queries|token|tokens)\b")
"""What no paper of a scenario without a model and without texts may say."""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "shares.yaml"
    path.write_text(OPEN, "utf-8")
    return path


def answered(path: Path, numbers: dict[str, str]) -> Path:
    path.write_text(yaml.safe_dump({"answers": numbers}), "utf-8")
    return path


def right_numbers(trace: Trace) -> dict[str, str]:
    """The key's numbers of all that is worked, cell by cell."""
    return {
        quantity.address(i, j): str(quantity.number(i, j).shown)
        for name in trace
        if not (quantity := trace[name]).given
        for i in range(quantity.shape[0])
        for j in range(quantity.shape[1])
        if name != "S"  # which only puts together
    }


def ids_of(text: str) -> list[str]:
    """What an answers file asks for."""
    asked: dict[str, object] = yaml.safe_load(text)["answers"]
    return [*asked]


@pytest.mark.parametrize("name", ["graph_attention", "retention", "hopfield_retrieval"])
def test_a_sheet_has_titles_formulas_and_blanks(name: str) -> None:
    sheet = run("exercise", name, "--key", "none").stdout
    trace = work(load(name))
    for step in trace.scenario.plan.written.steps:
        assert step.title in sheet
        for line in step.lines:
            target = line.equation.target.name
            assert re.search(rf"(?m)^ *{target}(\[[^]]*\])?(\([^)]*\))? = ", sheet) or (
                f"{target}(" in sheet
            )
    assert "count." not in sheet
    assert "Equations" not in sheet
    assert "\n\n\n\n" not in sheet.partition("1 ·")[2]


def test_what_stands_before_the_first_time_is_told_once(scenario: Path) -> None:
    sheet = run("exercise", scenario, "--step", "decay", "--key", "none").stdout
    assert sheet.count("Before the first i, S = 0.") == 1


def test_a_sheet_says_nothing_of_models(scenario: Path) -> None:
    sheet = run("exercise", scenario).stdout
    assert not FOREIGN.findall(sheet)
    assert "n = 3" in sheet


def test_places_along_a_side_are_no_blanks_and_no_names(scenario: Path, tmp_path: Path) -> None:
    every = run("exercise", scenario, "--blank", "all", "--key", "none", "--format", "yaml").stdout
    assert "count." not in every
    run("exercise", scenario, "--hints", "-o", tmp_path / "out")
    (hints,) = (tmp_path / "out").glob("*hints*")
    text = hints.read_text("utf-8")
    assert "late[a]  = share[a] × (4 − 1)" in text or "late[a] = share[a] × (4 − 1)" in text
    assert "Keeping what is large." in text
    assert "Only what is small is kept." in text
    assert not FOREIGN.findall(text)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("--step", "thirds"), {"share", "again"}),
        (("--step", "decay"), {"S[1]", "S[2]", "S[3]"}),
        (("--cell", "kept[b]"), {"kept"}),
    ],
)
def test_steps_and_cells_are_asked_by_name(
    scenario: Path, words: tuple[str, ...], asked: set[str]
) -> None:
    text = run("exercise", scenario, *words, "--key", "none", "--format", "yaml").stdout
    names = {re.sub(r"\[[a-c]\]$", "", id_) for id_ in ids_of(text)}
    assert names == asked


def test_a_sheet_of_one_cell_has_its_formula(scenario: Path) -> None:
    sheet = run("exercise", scenario, "--cell", "kept[b]", "--key", "none").stdout
    assert "kept[i] = 1 where again[i] < 1, otherwise 0" in sheet


def test_a_wrong_name_suggests_one(scenario: Path) -> None:
    result = run("exercise", scenario, "--step", "decy")
    assert result.exit_code == 2
    assert "did you mean decay?" in result.stderr


def test_points_of_steps_by_name(scenario: Path) -> None:
    points = run("exercise", scenario, "--points", "decay=3", "--points", "kept=2").stdout
    assert "Points of 24" in points  # 6 of thirds, 6 of kept, 3 of late, 9 of decay
    wrong = run("exercise", scenario, "--points", "nothing=3")
    assert "no such step or quantity" in wrong.stderr


def test_an_open_condition_accepts_both(scenario: Path, tmp_path: Path) -> None:
    """A third three times is 0.999 where results are rounded, and else 1: either way is right."""
    trace = work(load(scenario))
    key = run("exercise", scenario).stdout
    assert trace["kept"].values.T.tolist() == [[1, 0, 0]]
    assert re.search(r"kept\[a\] +│ +1 +1 +0 +−0.0005 to 1.0005", key)
    assert re.search(r"kept\[b\] +│ +0 +0 +0 +−0.0005 to 0.0005", key)
    for own, kept, status in (("1.000", "0", 0), ("1.000", "1", 0), ("0.999", "0", 1)):
        answers = answered(tmp_path / "a.yaml", {"again[a]": own, "kept[a]": kept})
        assert run("grade", scenario, answers).exit_code == status


def test_what_follows_from_a_slip_keeps_its_points(scenario: Path, tmp_path: Path) -> None:
    numbers = right_numbers(work(load(scenario)))
    wrong = {**numbers, "share[b]": "0.5", "again[b]": "1.5", "late[b]": "1"}
    result = run("grade", scenario, answered(tmp_path / "a.yaml", wrong), "--format", "json")
    counts = json.loads(result.stdout)["counts"]
    assert counts["carried forward"] == 2
    assert counts["slip"] + counts.get("doesn't follow", 0) == 1


def test_a_mistake_at_all_times_is_named(scenario: Path, tmp_path: Path) -> None:
    numbers = right_numbers(work(load(scenario)))
    assert run("grade", scenario, answered(tmp_path / "r.yaml", numbers)).exit_code == 0
    wrong = {**numbers, "S[2]": "3.00", "S[3]": "6.000"}
    told = run("grade", scenario, answered(tmp_path / "a.yaml", wrong)).stdout
    assert told.count("Letting nothing fade.") >= 1
    assert "2 known mistakes" in told


def test_a_mistake_at_one_time_is_named(scenario: Path, tmp_path: Path) -> None:
    numbers = right_numbers(work(load(scenario)))
    wrong = {**numbers, "S[3]": "5.5"}
    told = run("grade", scenario, answered(tmp_path / "a.yaml", wrong)).stdout
    assert "1 known mistake" in told
    assert "Letting nothing fade." in told


@pytest.mark.parametrize("name", ["delta_rule", "graph_attention", "sparsemax_attention"])
def test_each_mistake_of_a_shipped_one_is_found(name: str, tmp_path: Path) -> None:
    trace = work(load(name))
    ways = {way.name: way for part in trace.story for way in declared_ways(trace, part)}
    assert ways
    for way in ways.values():  # of a step over times, at the last one
        made = way.definitions[0]
        matrix = made.operation.make(trace.rounding, made.step, *trace.operands(made))
        quantity = trace[made.name]
        numbers = {
            quantity.address(i, j): str(matrix.number(i, j).shown)
            for i in range(quantity.shape[0])
            for j in range(quantity.shape[1])
        }
        told = run("grade", name, answered(tmp_path / "a.yaml", numbers)).stdout
        assert way.says in re.sub(r"\s+", " ", told)


@pytest.mark.parametrize("name", ["retention", "delta_rule", "graph_attention"])
def test_forms_have_other_numbers(name: str) -> None:
    trace = work(load(name))
    forms = [*search(trace.scenario, SearchRequest(2, 1))]
    assert len(forms) == 2
    given = list(trace.scenario.plan.written.sides)
    fixed = [n for n in given if set(trace[n].values.ravel().tolist()) <= {0.0, 1.0}]
    drawn = [n for n in given if n not in fixed]
    for form in forms:
        assert all((form[n].values == trace[n].values).all() for n in fixed)
        assert any((form[n].values != trace[n].values).any() for n in drawn)
    assert any((forms[0][n].values != forms[1][n].values).any() for n in drawn)


def test_conditions_stay_open_in_forms() -> None:
    for form in search(load("sparsemax_attention"), SearchRequest(4, 2)):
        assert set(form["kept"].values.ravel().tolist()) == {0.0, 1.0}


def test_vary_names_what_is_drawn(scenario: Path) -> None:
    own = work(load("retention"))
    (form,) = search(load("retention", {"vary": ["X", "W_Q"]}), SearchRequest(1, 1))
    same = {name: (form[name].values == own[name].values).all() for name in ("X", "W_Q", "W_V")}
    assert same == {"X": False, "W_Q": False, "W_V": True}
    wrong = run("run", scenario, "--set", "vary=[y]")
    assert "no array of given is called" in wrong.stderr


def test_an_exam_has_a_part_of_ones_own(tmp_path: Path) -> None:
    exam = tmp_path / "exam.yaml"
    exam.write_text(
        "exam: Test\nforms: 1\nparts:\n  - {title: Weights, scenario: sparsemax_attention,"
        " ask: [sparsemax], points: {sparsemax: 2}}\n",
        "utf-8",
    )
    folder = tmp_path / "made"
    result = run("exam", exam, "-o", folder, "--format", "html")
    assert result.exit_code == 0, result.output
    form = load(folder / "forms" / "A.yaml")
    assert form.plan.written.steps[1].name == "sparsemax"
    asked = ids_of((folder / "exam_A_answers.yaml").read_text("utf-8"))
    assert {id_.partition("[")[0] for id_ in asked} == {"above", "kept", "tau", "weights"}
    numbers = right_numbers(work(form))
    text = (folder / "exam_A_answers.yaml").read_text("utf-8")
    for id_ in asked:
        text = text.replace(f'"{id_}":', f'"{id_}": {numbers[id_]}')
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    assert run("grade", exam, tmp_path / "a.yaml").exit_code == 0


@pytest.mark.usefixtures("scenario")
def test_what_is_asked_of_a_file_is_checked(tmp_path: Path) -> None:
    exam = tmp_path / "e.yaml"
    exam.write_text("scenario: shares.yaml\nask: [decy]\n", "utf-8")
    result = run("exercise", exam)
    assert "e.yaml:2:7: step decy: no such step; did you mean decay?" in result.stderr
    assert load_exam(str(exam)).exercises[0].ask[0].step == "decy"


@pytest.mark.parametrize("form", ["moodle", "qti", "canvas", "html", "latex"])
def test_formats_say_nothing_of_models(scenario: Path, form: str, tmp_path: Path) -> None:
    path = tmp_path / f"it.{form}"
    result = run("exercise", scenario, "--format", form, "-o", path)
    assert result.exit_code == 0, result.output
    if form != "canvas":
        text = path.read_bytes().decode("utf-8", "ignore")
        assert "count.3" not in text
        assert "Equations" not in text


@pytest.mark.parametrize("name", ["hopfield_retrieval", "sparsemax_attention", "retention"])
def test_a_page_works_all_that_is_asked(name: str) -> None:
    trace = work(load(name))
    items = questions(exercise(trace, request_for(trace), "A", ""))
    found = worked_in_browser(Judge(trace), items, keyed=False)
    assert set(found.places) == {item.id for item in items}


def test_lint_tells_of_conditions(tmp_path: Path, scenario: Path) -> None:
    assert "decides nothing" not in run("lint", scenario).stdout
    path = tmp_path / "s.yaml"
    path.write_text(OPEN.replace("again[i] < 1", "again[i] < 9"), "utf-8")
    told = run("lint", path, "--detail", "full").stdout
    assert "Conditions that decide nothing" in told
    assert "• kept" in told


def test_practice_hints_by_formula_and_names_the_step(scenario: Path) -> None:
    from typer.testing import CliRunner

    from attncli.cli import app

    typed = "?\n?\n1\n0\n0\nquit\n"
    told = CliRunner().invoke(app, ["practice", str(scenario), "--step", "choice"], input=typed)
    assert "Only what is small is kept." in told.output
    assert "kept[i] = 1 where again[i] < 1, otherwise 0" in told.output
    assert "kept[a]: right." in told.output
    assert "choice" in told.output.partition("Right at once")[2]
    assert "equations" not in told.output


def test_published_numbers_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(f"{OPEN}published: {{share: [0.333, 0.667, 1], 'S[2]': 3.0}}\n", "utf-8")
    result = run("check", path)
    assert result.exit_code == 1
    assert "Letting nothing fade." in result.stdout
    assert "3 correct" in result.stdout
