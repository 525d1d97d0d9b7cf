"""The grid to mark by eye: what stands there is all that is right, for each blank and form."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import product
from math import ceil, floor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from attncli.classroom.exercises.answer_grid import ends_by_eye
from attncli.cli import app
from attncli.document.questions import Interval, RightAnswer
from attncli.formats import format_names
from attncli.maths.equations.tree import Number
from tests.conftest import sampled

FORMS = ("--step", "scores", "--step", "softmax", "--forms", "3", "--grid")


def run(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["exercise", "i_love_ai", *words, "-o", f"{folder}/"])


def grid(folder: Path, *words: str) -> dict[str, list[str]]:
    """The cells of each blank's row, by its id."""
    result = run(folder, *words, "--grid", "--format", "json")
    assert result.exit_code == 0, result.output
    (path,) = folder.glob("*_grid.json")
    data = json.loads(path.read_text("utf-8"))
    assert data["kind"] == "grid"
    (table,) = data["tables"]
    *rows, points, last = [[str(cell) for cell in row] for row in table["rows"]]
    sheets = sorted(folder.glob("*_sheet.json"))
    papers = [json.loads(path.read_text("utf-8")) for path in sheets]
    assert last == ["Paper code", *(paper["hash"] for paper in papers), ""]
    assert [points[0], points[-1]] == ["Points", str(papers[0]["points"])]
    assert [row[0].split(" · ")[0] for row in rows] == [str(k + 1) for k in range(len(rows))]
    return {row[0].split(" · ")[1]: row[1:] for row in rows}


def ends(cell: str) -> tuple[Decimal, Decimal]:
    """What is right by how a grid is read: a unit of the last place around, or what stands behind
    an equals sign."""
    low, _, high = cell.removeprefix("= ").replace("−", "-").partition(" to ")
    unit = Decimal(0) if cell.startswith("=") else Decimal("0.001")
    return Decimal(low) - unit, Decimal(high or low) + unit


def rounded(number: Decimal) -> Decimal:
    return number.quantize(Decimal("0.001"), ROUND_HALF_UP)


def test_each_honest_way_to_the_numbers_of_a_softmax(tmp_path: Path) -> None:
    """Rounding as stated, or keeping all digits, in each step: worked by `decimal` alone."""
    cells = grid(tmp_path, "--step", "softmax")
    names = ("I", "love", "AI")
    for name, scores in zip(names, ((1, 0, 1), (1, 1, 2), (2, 1, 3)), strict=True):
        found: dict[str, set[Decimal]] = {}
        for keep_exp, keep_sum in product((False, True), repeat=2):
            exp = [Decimal(score).exp() for score in scores]
            exp = exp if keep_exp else [*map(rounded, exp)]
            total = sum(exp) if keep_sum else rounded(sum(exp, Decimal(0)))
            found.setdefault(f"exp_sum[{name}]", set()).add(rounded(Decimal(total)))
            for key, one in zip(names, exp, strict=True):
                found.setdefault(f"exp[{name}, {key}]", set()).add(rounded(one))
                found.setdefault(f"weights[{name}, {key}]", set()).add(rounded(one / total))
        for id_, numbers in found.items():
            low, high = ends(cells[id_][0])
            assert low <= min(numbers), id_
            assert max(numbers) <= high, id_
            assert high - low <= max(numbers) - min(numbers) + Decimal("0.002"), id_
    assert cells["exp_sum[I]"][0] == "6.436 to 6.437"
    assert cells["exp[I, love]"][0] == "= 1.000"


def test_it_agrees_with_the_limits_on_the_keys(tmp_path: Path) -> None:
    cells = grid(tmp_path, *FORMS)
    for k, form in enumerate("ABC"):
        key = json.loads((tmp_path / f"i_love_ai_{form}_key.json").read_text("utf-8"))
        asked = [question for step in key["steps"] for question in step["questions"]]
        assert [question["id"] for question in asked] == [*cells]
        for question in asked:
            low, high = (Fraction(question[end]) * 1000 for end in ("low", "high"))
            right = [n for n in range(floor(low) - 1, ceil(high) + 2) if low <= n <= high]
            shown = [int(end * 1000) for end in ends(cells[question["id"]][k])]
            assert shown == [right[0], right[-1]], question


ENDS = st.decimals(-50, 50, places=5)


@given(ENDS, ENDS, ENDS, st.integers(0, 4))
def test_the_ends_are_the_first_and_the_last_rounded_number_that_is_accepted(
    a: Decimal, b: Decimal, c: Decimal, places: int
) -> None:
    unit = Decimal(1).scaleb(-places)
    answer = sorted((a, b, c))[1].quantize(unit, ROUND_HALF_UP)
    low, high = min(a, b, c, answer), max(a, b, c, answer)
    key = RightAnswer(Number(answer, answer), Interval(low, high), None, None, half=unit / 2)
    found = [end.shown for end in ends_by_eye(key)]
    units = [Fraction(end) / Fraction(unit) for end in (low, high)]
    if low == high:
        assert found == [answer, answer]
    else:
        assert [Fraction(end) / Fraction(unit) for end in found] == [
            ceil(units[0]),
            floor(units[1]),
        ]


def test_answers_in_words_and_what_a_form_does_not_ask(tmp_path: Path) -> None:
    words = ("--step", "softmax", "--ask", "attends_most", "--blank", "random:0.4", "--forms", "3")
    cells = grid(tmp_path, *words)
    assert any("–" in row for row in cells.values())
    assert all(any(cell != "–" for cell in row[:-1]) for row in cells.values())
    for form in range(3):
        key = json.loads((tmp_path / f"i_love_ai_{'ABC'[form]}_key.json").read_text("utf-8"))
        asked = [question["id"] for step in key["steps"] for question in step["questions"]]
        assert {id_ for id_, row in cells.items() if row[form] != "–"} == {*asked}
    assert set(cells["attends_most[love]"][:3]) <= {"A", "B", "C"}


@sampled(2, form=format_names())
def test_all_page_formats_have_it(form: str, tmp_path: Path) -> None:
    suffix = {"terminal": "txt", "markdown": "md", "latex": "tex"}.get(form, form)
    assert run(tmp_path, *FORMS, "--format", form, "--language", "de").exit_code == 0
    (path,) = tmp_path.glob(f"*_grid.{suffix}")
    text = path.read_text("utf-8")
    (tmp_path / "yaml").mkdir()
    assert (
        run(tmp_path / "yaml", *FORMS[:-1], "--format", "yaml", "--key", "separate").exit_code == 0
    )
    (key,) = (tmp_path / "yaml").glob("*_B_key.yaml")
    last = key.read_text("utf-8").split()[-1]
    assert last in text
    assert form == "json" or "Lösungsraster" in text
    assert not any("Lösungsraster" in p.read_text("utf-8") for p in tmp_path.glob("*sheet*"))


def test_the_folder_of_an_exercise_file_has_it(tmp_path: Path) -> None:
    exam = tmp_path / "exam.yaml"
    exam.write_text("exercise: By hand\nscenario: i_love_ai\nask: [scores]\nforms: 2\n", "utf-8")
    words = ["exercise", str(exam), "--grid", "--format", "markdown", "-o", f"{tmp_path}/out/"]
    assert CliRunner().invoke(app, words).exit_code == 0
    made = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert "exam_grid.md" in made["files"]
    assert "By hand" in (tmp_path / "out" / "exam_grid.md").read_text("utf-8")


def test_an_exam_has_it_with_own_questions(tmp_path: Path) -> None:
    exam = tmp_path / "exam.yaml"
    exam.write_text(
        "exam: Midterm\nforms: 2\nparts:\n- {scenario: i_love_ai, ask: [scores]}\n- questions:\n"
        "  - {ask: How many?, number: 1234.5, tolerance: 0.25}\n"
        "  - {ask: Which?, options: [one, two], right: two}\n  - {ask: Why?, answer: So., points: 3}\n",
        "utf-8",
    )
    words = ["exam", str(exam), "--format", "json", "-o", f"{tmp_path}/out/"]
    assert CliRunner().invoke(app, words).exit_code == 0
    (table,) = json.loads((tmp_path / "out" / "exam_grid.json").read_text("utf-8"))["tables"]
    rows = {row[0].split(" · ")[1]: [str(cell) for cell in row[1:]] for row in table["rows"][:-2]}
    assert len(rows) == 12
    assert rows["2/q1"][:2] == ["1234.25 to 1234.75"] * 2
    assert set(rows["2/q2"][:2]) <= {"A", "B"}
    assert rows["2/q3"] == ["", "", "3"]
    assert "1/scores[love, AI]" in rows


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--grid", "--format", "moodle"), "the format moodle has no pages"),
        (("--room", "many"), "--room many: is no whole number"),
        (("--room", "101"), "give one from 0 to 100"),
        (("--paper", "a5"), "--paper a5: no such choice"),
    ],
)
def test_wrong_orders(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    result = run(tmp_path / "out", "--step", "softmax", *words)
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())
    assert result.stderr.count("\n") == 1
