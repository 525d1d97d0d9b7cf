"""Parts of an exam about the same scenario have the same numbers in a form, and other forms cost
what the scenario's own numbers do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from attncli.cli import app

PARTS = """\
parts:
  - {scenario: i_love_tennis_causal, ask: [{step: scores, token: love}]}
  - {scenario: i_love_tennis_causal, ask: [{step: softmax, token: last}]%s}
"""
EASY = """\
tokens: [a, b, c]
X: [[1, 0.5, 1], [-1, 0.5, 0.5], [0.5, 1, -1]]
W_Q: [[0.5, 1], [1, -0.5], [0.5, 0.5]]
W_K: [[1, 0.5], [-0.5, 1], [1, 0.5]]
W_V: [[1, 0.5, 1], [0.5, 1, -1], [-1, 0.5, 0.5]]
residuals: true
norm: post
"""
SAME = """\
tokens: [a, b, c]
X: [[1, 2], [2, 1], [1, 3]]
W_Q: [[1, 0], [0, 1]]
W_K: [[1, 0], [0, 1]]
W_V: [[1, 0], [0, 1]]
"""


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def made(place: Path, says: str, *more: str) -> Result:
    (place / "e.yaml").write_text(says, "utf-8")
    found = run("exam", place / "e.yaml", "-o", place / "e", "--format", "markdown", *more)
    assert found.exit_code == 0, found.output
    return found


def numbers(place: Path) -> list[str]:
    """The scenarios of two forms of two parts each."""
    names = ("A_1", "A_2", "B_1", "B_2")
    return [(place / "e" / "forms" / f"{name}.yaml").read_text("utf-8") for name in names]


def test_parts_about_a_scenario_have_the_same_numbers(tmp_path: Path) -> None:
    said = made(tmp_path, f"exam: e\nforms: 2\nown: true\n{PARTS % ''}").output
    a, also_a, b, also_b = numbers(tmp_path)
    assert a == also_a
    assert b == also_b
    assert a != b
    assert "form A has the scenario's own numbers; own: false gives it others\n" in said
    assert "numbers of its own" not in said


def test_a_part_with_a_seed_has_numbers_of_its_own(tmp_path: Path) -> None:
    said = made(tmp_path, f"exam: e\nforms: 2\nown: true\n{PARTS % ', seed: 7'}").output
    assert len({*numbers(tmp_path)}) == 4
    assert "part 2 has other numbers than the scenario: its own seed\n" in said


def test_a_part_that_tells_an_answer_has_numbers_of_its_own(tmp_path: Path) -> None:
    parts = (PARTS % "").replace("token: last", "token: love")
    said = made(tmp_path, f"exam: e\nforms: 2\n{parts}").output
    a, other_a, b, other_b = numbers(tmp_path)
    assert a != other_a
    assert b != other_b
    assert "part 2 has numbers of its own in each form: part 2 gives masked[love, I], from " in said


def test_forms_that_keep_other_numbers_are_told(tmp_path: Path) -> None:
    """As they were made with parts of numbers of their own."""
    made(tmp_path, f"exam: e\nforms: 2\nown: true\n{PARTS % ', seed: 7'}")
    before = numbers(tmp_path)
    said = made(tmp_path, f"exam: e\nforms: 2\nown: true\n{PARTS % ''}").output
    assert "form A keeps different numbers in parts 1 and 2, which have the same now" in said
    assert numbers(tmp_path) == before
    assert (
        "keeps"
        not in made(tmp_path, f"exam: e\nforms: 2\nown: true\n{PARTS % ''}", "--force").output
    )
    assert len({*numbers(tmp_path)}) == 2


def test_a_form_that_keeps_other_numbers_than_its_scenario_is_told(tmp_path: Path) -> None:
    made(tmp_path, f"exam: e\nforms: 2\n{PARTS % ''}")
    said = made(tmp_path, f"exam: e\nforms: 2\nown: true\n{PARTS % ''}").output
    assert "form A keeps other numbers than the scenario's own; --force gives it new ones\n" in said


def test_forms_beside_own_numbers_cost_what_these_do(tmp_path: Path) -> None:
    """They are drawn from these; forms alone have tenths."""
    (tmp_path / "s.yaml").write_text(EASY, "utf-8")
    (tmp_path / "x.yaml").write_text(
        "scenario: s.yaml\nforms: 4\nown: true\nask: [norm]\n", "utf-8"
    )
    page = run("design", tmp_path / "x.yaml", "--format", "json")
    own, *others = json.loads(page.stdout)["forms"]
    assert all(
        abs(form["digits"] - own["digits"]) <= max(0.2 * own["digits"], 3) for form in others
    )
    assert "These forms cost about the same: " in " ".join(
        run("design", tmp_path / "x.yaml").stdout.split()
    )


@pytest.mark.parametrize(
    ("scenario", "asked"),
    [("i_love_ai", "[scores]"), ("s.yaml", "[softmax]")],
)
def test_forms_beside_easy_numbers_are_as_easy(tmp_path: Path, scenario: str, asked: str) -> None:
    """Own numbers that are easy since they break rules, with zeros and the same weights twice, have
    forms beside them that break these, too."""
    (tmp_path / "s.yaml").write_text(SAME, "utf-8")
    text = f"exercise: x\nscenario: {scenario}\nforms: 3\nown: true\nask: {asked}\n"
    (tmp_path / "x.yaml").write_text(text, "utf-8")
    page = run("design", tmp_path / "x.yaml", "--format", "json")
    own, *others = json.loads(page.stdout)["forms"]
    assert len(others) == 2
    for form in others:
        assert abs(form["digits"] - own["digits"]) <= max(0.2 * own["digits"], 3)
        assert abs(form["negative"] - own["negative"]) <= max(own["negative"] / 3, 2)


def test_mistakes_that_forms_beside_own_numbers_hide_are_told(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(SAME, "utf-8")
    (tmp_path / "x.yaml").write_text("scenario: s.yaml\nforms: 2\nown: true\n", "utf-8")
    said = run("exercise", tmp_path / "x.yaml", "-o", tmp_path / "x", "--format", "markdown").output
    assert "mistakes that may not be visible in every form: Q: W_Q_transposed, " in said
    assert f"; `attn design {tmp_path / 'x.yaml'}` tells in which\n" in said


def test_own_numbers_that_cost_less_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no others are found that cost as little."""
    monkeypatch.setattr("attncli.classroom.paper_files._beside_own", lambda *_: None)
    text = "exercise: x\nscenario: i_love_ai\nforms: 3\nown: true\nask: [scores]\n"
    (tmp_path / "x.yaml").write_text(text, "utf-8")
    page = " ".join(run("design", tmp_path / "x.yaml", "--format", "markdown").stdout.split())
    assert "Forms B and C cost about the same: " in page
    assert "Form A is easier than the others: " in page
    said = run("exercise", tmp_path / "x.yaml", "-o", tmp_path / "x", "--format", "markdown").output
    assert "form A is easier than the others: " in said
    assert "own: false gives it numbers like theirs, and a scenario with numbers like those" in said
    assert f"; `attn design {tmp_path / 'x.yaml'}` has a table of costs\n" in said
