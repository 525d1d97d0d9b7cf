"""Exams as a teacher asks for them: what is meant, worth, drawn, and what needs no asking."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from attncli import load, work
from attncli.classroom.exercises.papers import exercise
from attncli.classroom.exercises.requests import request_of
from attncli.classroom.exercises.sharing import shared
from attncli.classroom.files.exam_file import load_exam
from attncli.classroom.files.exercise_file import Ask, ExerciseFile, Within
from attncli.classroom.files.mathematics import UnreadableFormulaError, formula
from attncli.classroom.marking.exam import cell_of
from attncli.cli import app
from attncli.maths.notation import plain
from attncli.pages.parts.selection import SelectionError
from attncli.scenario.file.problems import ScenarioError
from tests.classroom.made import questions
from tests.helpers.pages import SHIPPED, trace_of
from tests.helpers.plain import read

CAUSAL, LECTURE, HEADS, LSTM = (
    "i_love_tennis_causal",
    "i_love_ai",
    "three_tokens_two_heads",
    "yassine_lstm",
)
OWN_SCENARIO = Path(__file__).parents[2] / "fixtures" / "lecture.yaml"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def asked(folder: Path, scenario: str, text: str) -> dict[str, Decimal]:
    """What an exercise asks of a scenario, with points."""
    path = folder / "exercise.yaml"
    path.write_text(f"scenario: {scenario}\n{text}\n", "utf-8")
    trace, ordered = trace_of(SHIPPED[scenario]), load_exam(path)
    whole = exercise(trace, request_of(trace, ordered.exercises[0]), "A", "it", ordered.frame)
    return {question.id: Decimal(question.points) for question in questions(whole)}


@pytest.mark.parametrize(
    ("scenario", "text", "ids"),
    [
        (LSTM, "ask: [{step: gates, time: 1}]\npoints: {gates: 2}", 16),
        (LSTM, "ask: [{cell: 'gates[1]'}]", 16),
        (LSTM, "time: last\nask: [state]", 6),
        (LECTURE, "ask: [{step: softmax, columns: last}]", 6),
        (LECTURE, "columns: last\nask: [softmax, {step: scores, columns: [1, 2]}]", 12),
        (LECTURE, "ask: [{cell: 'weights[, AI]'}, {cell: 'weights[love]'}]", 5),
        (HEADS, "head: 2\nask: [scores, {cell: 'weights[*, last]'}]", 12),
        (HEADS, "head: 2\ntoken: 1\nask: [scores, {step: weighted_sum, head: 1, token: 3}]", 5),
        (HEADS, "head: 2\nask: [{step: merge, head: all}]", 12),
    ],
)
def test_what_one_means_is_asked(scenario: str, text: str, ids: int, tmp_path: Path) -> None:
    assert len(asked(tmp_path, scenario, text)) == ids


def test_what_is_said_of_an_entry_wins(tmp_path: Path) -> None:
    text = "head: 2\ntoken: 1\nask: [scores, {step: weighted_sum, head: 1, token: 3}]"
    assert {*asked(tmp_path, HEADS, text)} == {
        *(f"heads[2].scores[1, {k}]" for k in (1, 2, 3)),
        *(f"heads[1].output[3, {k}]" for k in (1, 2)),
    }


def test_options_ask_as_files_do() -> None:
    def ids(*words: str) -> list[str]:
        result = run("exercise", LSTM, *words, "--format", "yaml", "--key", "none")
        return re.findall(r"^  ([\w.]+\[.*\]):", result.stdout.replace('"', ""), re.MULTILINE)

    assert len(ids("--step", "gates", "--time", "1")) == 16
    assert len(ids("--cell", "gates[1]")) == 16
    assert len(ids("--step", "gates", "--time", "1", "--rows", "2")) == 8


def test_what_a_mask_settles_is_given(tmp_path: Path) -> None:
    """Of 92 blanks of a causal softmax: 6 × −∞ and 10 copies, 2 × 6 zeros, and a 1.000."""
    tokens = ("I", "love", "Tennis", ".")
    steps = ["scores", "scale", "softmax", "weighted_sum"]
    before = asked(tmp_path, CAUSAL, f"ask: [{', '.join([*steps, 'mask'])}]")
    found = asked(tmp_path, CAUSAL, f"ask: [{', '.join(steps)}]")
    assert (len(before), len(found)) == (92, 92 - 29)
    above = {f"[{q}, {k}]" for i, q in enumerate(tokens) for k in tokens[i + 1 :]}
    every = {f"[{q}, {k}]" for q in tokens for k in tokens}
    assert before.keys() - found.keys() == {
        *(f"masked{at}" for at in every),
        *(f"{name}{at}" for name in ("exp", "weights") for at in above),
        "weights[I, I]",
    }
    page = run("exercise", CAUSAL, "--step", "softmax", "--key", "none").stdout
    assert re.search(r"Q: I +│ +1\.000 +0\.000 +0\.000 +0\.000\n", page)
    assert re.search(r"Q: love +│ +______ +______ +0\.000 +0\.000\n", page)


def test_a_cell_that_is_named_is_asked_all_the_same(tmp_path: Path) -> None:
    assert [*asked(tmp_path, CAUSAL, "ask: [{cell: 'weights[I, 4]'}]")] == ["weights[I, .]"]
    column = asked(tmp_path, CAUSAL, "ask: [{cell: 'weights[, last]'}]")
    assert [*column] == ["weights[., .]"]
    assert len(asked(tmp_path, CAUSAL, "ask: [{cell: 'masked[*, *]'}]")) == 16
    with pytest.raises(SelectionError, match="a mask settles all of it"):
        asked(tmp_path, CAUSAL, "ask: [{cell: 'weights[I, *]'}]")


def test_what_is_only_looked_up_is_given(tmp_path: Path) -> None:
    assert not any(id_.startswith("X") for id_ in asked(tmp_path, LECTURE, "layout: lines"))
    assert len(asked(tmp_path, LECTURE, "ask: [embed]")) == 6


@pytest.mark.parametrize(
    ("total", "kinds", "each"),
    [
        ("30", "e" * 9 + "s" * 3 + "w" * 9, {"e": "1.5", "s": "1", "w": "1.5"}),
        ("12", "e" * 9 + "s" * 3 + "w" * 9, {"e": "0.5", "s": "1", "w": "0.5"}),
        ("10", "aaaa", {"a": "2.5"}),
        ("10", "eeeesw", {"e": "1.5", "s": "2", "w": "2"}),
    ],
)
def test_points_are_shared_out_in_units(total: str, kinds: str, each: dict[str, str]) -> None:
    shares = shared(Decimal(total), kinds)
    assert sum(shares) == Decimal(total)
    assert shares == [Decimal(each[kind]) for kind in kinds]


@pytest.mark.parametrize("total", ["22", "22.5", "9.7", "100", "7.3", "63.25"])
@pytest.mark.parametrize("kinds", ["abc", "aabbbcccc", "a" * 13 + "b"])
def test_shared_points_add_up(total: str, kinds: str) -> None:
    shares = shared(Decimal(total), kinds)
    assert sum(shares) == Decimal(total)
    assert max(shares) <= 2 * min(shares)


@pytest.mark.parametrize(
    ("total", "kinds"), [("14", "m" * 8 + "e" * 8 + "ss" + "w" * 8), ("7", "aab")]
)
def test_blanks_of_a_quantity_are_worth_the_same(total: str, kinds: str) -> None:
    shares = shared(Decimal(total), kinds)
    assert sum(shares) == Decimal(total)
    assert len({*zip(kinds, shares, strict=True)}) == len({*kinds})
    assert max(shares) <= 2 * min(shares)


@pytest.mark.parametrize(
    ("total", "kinds"),
    [
        ("12", "m" * 8 + "e" * 8 + "ss" + "w" * 8),
        ("12", "a" * 26),
        ("10", "ab" * 13),
        ("3", "aaaaaaaa"),
    ],
)
def test_points_are_in_units_that_are_easy_to_add_up(total: str, kinds: str) -> None:
    """Even where blanks of a quantity aren't worth the same then: not 0.4 each."""
    shares = shared(Decimal(total), kinds)
    assert sum(shares) == Decimal(total)
    assert {*shares} == {Decimal("0.25"), Decimal("0.5")}


def test_points_of_all_and_of_some(tmp_path: Path) -> None:
    text = "ask: [softmax, {step: scores, points: 0}]\npoints: {total: 20, exp: 0.5}"
    found = asked(tmp_path, LECTURE, text)
    assert sum(found.values()) == 20
    assert {w for id_, w in found.items() if id_.startswith("exp[")} == {Decimal("0.5")}
    assert {w for id_, w in found.items() if id_.startswith("scores")} == {Decimal(0)}
    with pytest.raises(SelectionError, match="21 blanks can't share 2 points sensibly"):
        asked(tmp_path, LECTURE, "ask: [softmax]\npoints: {total: 2}")


EXAM = """\
exam: Friday
forms: 3
seed: 2
parts:
  - title: Attention
    scenario: {scenario}
    head: 2
    points: 20
    ask: [{{step: scores, token: last}}, softmax, {{step: norm, head: all, token: last}}]
  - title: One of these
    scenario: {scenario}
    head: 1
    points: 5
    pool: [{{cell: 'weights[2, *]'}}, {{cell: 'weights[3]'}}, {{cell: 'weights[last]'}},
           {{step: weighted_sum, token: 2}}]
    take: 2
    most: 4
  - title: In your own words
    questions:
      - {{ask: 'What is $W_K$?', answer: A matrix., points: 3}}
      - {{ask: How many heads?, table: [[head, d_k], [1, 2]], number: 2, points: 2}}
"""


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A teacher's exam: 4 tokens, d_model 3, two heads, a causal mask, a norm."""
    folder = tmp_path_factory.mktemp("friday")
    path = folder / "friday.yaml"
    path.write_text(EXAM.format(scenario=OWN_SCENARIO), "utf-8")
    result = run("exam", path, "--format", "markdown", "-o", f"{folder}/out/")
    assert result.exit_code == 0, result.output
    assert "no form has the scenario's own numbers" in result.stdout
    return folder / "out"


def manifest(folder: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return data


def right(folder: Path, form: Mapping[str, Any]) -> dict[str, str]:
    """What is right in a form, from the scenarios in the folder."""
    found = {"3/q1": "3", "3/q2": "2"}
    for k, part in enumerate(form["parts"], start=1):
        if part["file"]:
            trace = work(load(folder / part["file"]))
            for id_ in part["asked"]:
                name, i, j = cell_of(trace, id_)
                found[f"{k}/{id_}"] = str(trace[name].number(i, j).shown)
    return found


def test_a_part_adds_up_to_its_points(friday: Path) -> None:
    forms = manifest(friday)["forms"]
    assert {form["points"] for form in forms.values()} == {20 + 4 + 5}
    for form in forms.values():
        assert [sum(part["asked"].values()) for part in form["parts"]] == [20, 5, 5]
    key = (friday / "friday_A_key.md").read_text("utf-8")
    assert "## Part 1 · Attention (20 points)" in key


def test_each_form_draws_other_questions(friday: Path) -> None:
    drawn = [frozenset(f["parts"][1]["asked"]) for f in manifest(friday)["forms"].values()]
    assert len({*drawn}) == 3
    kinds = [{re.sub(r"\[\w+, .*", "", id_) for id_ in ids} for ids in drawn]
    assert all("heads[1].weights" in "".join(kind) for kind in kinds)


def test_a_grid_adds_up(friday: Path) -> None:
    """Row by row in each form, and a part that can't bring all of them says so."""
    lines = (friday / "friday_grid.md").read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    part = next(row for row in rows if row[0].startswith("Part 2: at most 4 points"))
    assert part[1:] == ["5", "5", "5", "4"]
    assert next(row for row in rows if row[0] == "Points")[1:] == ["", "", "", "29"]


def test_whoever_is_right_has_all_points(friday: Path, tmp_path: Path) -> None:
    for name, form in manifest(friday)["forms"].items():
        lines = [f"form: {name}", f"hash: {form['hash']}", "answers:"]
        lines += [f"  {json.dumps(id_)}: '{text}'" for id_, text in right(friday, form).items()]
        (tmp_path / f"{name}.yaml").write_text("\n".join(lines) + "\n", "utf-8")
    result = run("grade", friday, tmp_path, "--format", "json")
    assert result.exit_code == 0, result.output
    assert [(p["points"], p["of"]) for p in json.loads(result.stdout)["papers"]] == [(29, 29)] * 3
    again = run("grade", friday.parent / "friday.yaml", tmp_path, "--format", "json")
    assert json.loads(again.stdout)["papers"] == json.loads(result.stdout)["papers"]


def test_mathematics_and_a_table_stand_in_own_questions(friday: Path) -> None:
    sheet = (friday / "friday_A_sheet.md").read_text("utf-8")
    assert "What is $W _{K}$?" in sheet
    assert "| head | d\\_k |" in sheet


WRONG = {
    "points: 2, ask: [softmax]": "blanks can't share 2 points sensibly; give each 0.25 at least",
    "pool: [softmax], take: 2": "take: 2 of a pool of 1; give pool more questions",
    "pool: [softmax, {ask: Why?, answer: So.}]": "a pool with questions in your own words and",
    "pool: [{cell: 'weights[1]'}, {cell: 'exp[1, 1]'}, {step: scores}], take: 2":
        "no two choices of 2 questions have the same points: 3, 1, 9",
    "time: 1": "no such time; only recurrent cells have times",
    "ask: [scores]}\n  - {questions: [{ask: Why?, table: [[a], [b]], answer: So.}]":
        "a table of other rows than its headings; give headings and rows",
}  # fmt: skip


@pytest.mark.parametrize("part", WRONG)
def test_what_is_wrong_with_a_part_is_told(part: str, tmp_path: Path) -> None:
    path = tmp_path / "exam.yaml"
    path.write_text(f"exam: T\nparts:\n  - {{scenario: i_love_ai, {part}}}\n", "utf-8")
    result = run("exam", path, "-o", f"{tmp_path}/out/", "--format", "markdown")
    assert result.exit_code == 2
    assert WRONG[part] in result.stderr
    assert result.stderr.startswith(("--", str(path)))


@pytest.mark.parametrize(
    ("forms", "own"), [("forms: 1", True), ("forms: 2", False), ("forms: 2\nown: true", True),
                       ("forms: 1\nown: false", False)]
)  # fmt: skip
def test_whose_numbers_the_first_form_has(forms: str, own: bool, tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text(f"scenario: i_love_ai\nask: [scores]\n{forms}\n", "utf-8")
    result = run("exercise", path, "-o", f"{tmp_path}/out/", "--format", "markdown")
    assert ("form A has the scenario's own numbers" in result.stdout) == own
    made = work(load(tmp_path / "out" / "forms" / "A.yaml"))
    same = made["scores"].values == trace_of(SHIPPED[LECTURE])["scores"].values
    assert bool(same.all()) == own


def test_what_is_not_nice_is_said_with_what_would_be(tmp_path: Path) -> None:
    (tmp_path / "halves.yaml").write_text(
        "sentence: Ada buys maps\nembeddings: {Ada: [0.5, 1], buys: [1.5, -1], maps: [1, 0.5]}\n"
        "W_Q: [[0.1, 0.3], [0.2, -0.4]]\nW_K: [[0.4, 0.1], [-0.3, 0.2]]\nW_V: [[1, 2], [3, -1]]\n"
        "scale: none\n",
        "utf-8",
    )
    (tmp_path / "e.yaml").write_text("scenario: halves.yaml\nforms: 1\n", "utf-8")
    result = run("exercise", tmp_path / "e.yaml", "-o", f"{tmp_path}/out/", "--format", "markdown")
    said = "embeddings has halves; with whole numbers Q, K have 1 decimal at most, not 2"
    assert said in result.stdout
    command = "attn design --sentence 'Ada buys maps' --d-model 2 --heads 1 --no-ffn"
    assert f"`{command}` makes" in result.stdout


def test_a_long_sheet_says_so() -> None:
    long = run("exercise", LECTURE, "--key", "none")
    assert long.stderr.startswith("the sheet: it asks for 72 points; --step, --token and --cell")
    assert not run("exercise", LECTURE, "--step", "softmax", "--key", "none").stderr
    assert not run("exercise", LECTURE, "--points", "total=60", "--key", "none").stderr


def test_an_exam_file_says_what_it_offers_for_less(tmp_path: Path) -> None:
    """And nothing where the points of its parts say how long it is meant to be."""
    part = f"{{scenario: {HEADS}, points: %s}}"
    for points, says in (("{each: 1}", "`ask` of a part asks for less"), ("60", "")):
        text = f"exam: e\nparts: [{part % points}, {part % points}]"
        (tmp_path / "e.yaml").write_text(text, "utf-8")
        told = run(
            "exam", tmp_path / "e.yaml", "-o", tmp_path / points[-2:], "--format", "terminal"
        )
        assert told.exit_code == 0, told.output
        assert says in told.stderr
        assert "--step" not in told.stderr
        assert bool(told.stderr) == bool(says)


def test_rows_are_asked_as_a_token_is() -> None:
    trace = trace_of(SHIPPED[CAUSAL])
    ask = Ask(step="softmax")
    by_token, by_rows = (
        exercise(trace, request_of(trace, ExerciseFile(CAUSAL, (ask._replace(within=w),))), "A", "")
        for w in (Within(token="love"), Within(rows=("love",)))
    )
    assert by_rows.sections == by_token.sections
    both = Within(rows=("love", "last"))
    whole = exercise(
        trace, request_of(trace, ExerciseFile(CAUSAL, (ask._replace(within=both),))), "A", ""
    )
    assert {item.cell.row for item in questions(whole) if item.cell} == {
        1,
        len(trace["X"].rows.names) - 1,
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("W_K", "W_K"),
        (r"Q K^T / \sqrt{d_k}", "Q Kᵀ / √d_k"),
        (r"\frac{Q K^T}{2}", "Q Kᵀ / 2"),
        (r"2 \cdot 3 = 6", "2 × 3 = 6"),
        (r"\alpha - x^2", "α − x^2"),
    ],
)
def test_mathematics_is_read(text: str, shown: str) -> None:
    assert plain(formula(text)).replace("\u00a0", " ") == shown


@pytest.mark.parametrize("text", ["W_", r"\sqrt", "(a", "a )", "%"])
def test_other_mathematics_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFormulaError):
        formula(text)
    path = tmp_path / "exam.yaml"
    said = json.dumps(f"Why ${text}$?")
    path.write_text(f"exam: T\nparts: [{{questions: [{{ask: {said}, answer: So.}}]}}]\n", "utf-8")
    with pytest.raises(ScenarioError, match="isn't read as mathematics"):
        load_exam(path)


def test_a_picture_is_a_file_beside(tmp_path: Path) -> None:
    path = tmp_path / "exam.yaml"
    question = "{ask: What is this?, picture: a.svg, answer: A line.}"
    path.write_text(f"exam: T\nparts: [{{questions: [{question}]}}]\n", "utf-8")
    with pytest.raises(ScenarioError, match=r"a\.svg can't be read"):
        load_exam(path)
    (tmp_path / "a.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", "utf-8")
    for form, says in (("markdown", "data:image/svg+xml;base64,"), ("html", "<img src="),
                       ("latex", "includegraphics"), ("terminal", "[a.svg]")):  # fmt: skip
        result = run("exercise", path, "--format", form)
        assert says in result.stdout, form


@pytest.mark.parametrize(("kind", "command"), [("exam", "exam"), ("exercise", "exercise")])
def test_what_is_new_runs(kind: str, command: str, tmp_path: Path) -> None:
    path = tmp_path / "friday.yaml"
    assert f"`attn {command} {path} -o friday/`" in run("new", kind, path).stdout
    result = run(command, path, "-o", f"{tmp_path}/out/", "--format", "markdown")
    assert result.exit_code == 0, result.output
    schema = json.loads((tmp_path / f"attncli.{kind}.schema.json").read_text("utf-8"))
    assert {"forms", "seed"} <= schema["properties"].keys()
    named = tmp_path / f"midterm_{kind}.yaml"
    run("new", named)
    assert named.read_text("utf-8") == path.read_text("utf-8")


def test_new_alone_offers_what_there_is_in_a_terminal_only() -> None:
    result = run("new")
    assert result.exit_code == 2
    assert "name one, like `attn new mine.yaml`, or `attn new exam midterm.yaml`" in result.stderr
    assert "say scenario or exercise or exam" in run("new", "exm", "a.yaml").stderr


def test_a_new_scenario_has_what_belongs_to_its_layer() -> None:
    """The teacher's, as `attn design` made it; no number of it has three digits before its point."""
    text = OWN_SCENARIO.read_text("utf-8")
    words = re.search(r"`attn (design .*)`", text)
    assert words is not None
    assert run(*words[1].split()).stdout == text
    trace = work(load(OWN_SCENARIO))
    assert trace["W_Q"].shape == (3, 4)
    assert {"heads[1].mask", "residual1", "norm1.normed"} <= {*trace}
    sizes = (abs(x) for q in trace.quantities.values() for x in q.values.ravel() if x > -1e9)
    assert max(sizes) < 100


def test_a_pattern_means_what_each_form_has(tmp_path: Path) -> None:
    """Forms of a corpus with other counts have other pairs."""
    words = ("--cell", "rounds[2].counts[*]", "--forms", "2", "--seed", "2", "--key", "none")
    result = run("exercise", "bpe", *words, "--format", "yaml", "-o", f"{tmp_path}/")
    assert result.exit_code == 0, result.output
    texts = [path.read_text("utf-8") for path in tmp_path.iterdir()]
    asked = [[*read(text)["answers"]] for text in texts]
    assert len(asked[0]) == len(asked[1]) > 1
    assert {*asked[0]} != {*asked[1]}
