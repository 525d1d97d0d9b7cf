"""Papers made before, under another Python too, can be marked: their hashes are known."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from attncli.classroom.exercises.fingerprint import (
    MadeFrom,
    compensated,
    has_numbers_mark,
    in_turn,
    numbers_mark,
)
from attncli.classroom.practice import dialogue as practice_dialogue
from attncli.classroom.practice.session import marks_of, read, written
from attncli.cli import app
from attncli.errors import UserError
from attncli.scenario.scenario import Scenario
from tests.conftest import sampled
from tests.helpers.pages import SHIPPED, trace_of

IN_3_11 = {"unigram": "i7aa48b9", "sentencepiece": "uaa09472"}
IN_3_12 = {"unigram": "v1426fb8", "sentencepiece": "v3f13bfd"}
NOW = {"unigram": "q524239a", "sentencepiece": "n614890f"}
"""The hashes of the numbers, as this version makes them and as the one before it did."""


@pytest.mark.parametrize("name", NOW)
def test_numbers_have_one_hash_in_every_python_and_are_known_by_those_of_before(name: str) -> None:
    trace = trace_of(SHIPPED[name])
    assert numbers_mark(trace) == NOW[name]
    assert all(has_numbers_mark(trace, mark[name]) for mark in (NOW, IN_3_11, IN_3_12))
    assert not has_numbers_mark(trace, numbers_mark(trace_of(SHIPPED["bpe"])))


def anew(scenario: Scenario, sum_: Callable[[Iterable[float]], float]) -> Scenario:
    """A scenario whose tokenizer adds up in another way."""
    text = scenario.stack.text
    assert text.tokenizing is not None
    assert text.tokenizing.anew is not None
    other = text._replace(tokenizing=text.tokenizing.anew(sum_))
    return replace(scenario, stack=scenario.stack._replace(text=other))


EXPECTED = """\
title: Expected
tokenizer: {kind: unigram, training: expected}
corpus: >-
  title love about does love come vector that fits sentence embedding table gets same vector every
  sentence attention each word takes something over from words around what word means depends them
  atch love which word does look most what does take over many dimensions scores would first
  divided root large ones would take nearly weight source lecture note self attention example with
  embeddings dimensions sentence love tokenizer whitespace vocabulary love embeddings love scale
  none activation relu rounding policy carry decimals claims weights love largest intuition
  weights largest itself intuition show token love what scores divided root scale sqrt published
  numbers step numbers step numbers step numbers step scores numbers step weights numbers step
  output numbers step output love numbers step output numbers step output numbers final output
  numbers step title encoder block about block encoder made heads attention then feed forward
  network fter heads again after network come residual connection norm block original ransformer
  small enough follow source aswani ttention figure ours sentence alone embeddings alone positions
  sinusoidal block encoder heads norm gamma beta norm gamma beta show what norms come first later
  models norm
vocabulary_size: 60
sentence: attention
rounding: {policy: exact}
"""
"""Words of some scenarios as they once were. No two pieces have log-probabilities that differ only by
how they were added up: these would change places, and the hash with them."""


@pytest.mark.parametrize("text", [SHIPPED["unigram"], EXPECTED])
def test_how_numbers_are_added_up_is_in_no_hash(text: str) -> None:
    """The last digit hangs on it, and is on no page."""
    scenario = trace_of(text).scenario
    stacks = {repr(anew(scenario, sum_).stack.text) for sum_ in (in_turn, compensated)}
    texts = {MadeFrom.of_scenario(anew(scenario, sum_)).text for sum_ in (in_turn, compensated)}
    assert len(texts) == 1
    assert len(stacks) > 1


def test_both_ways_in_which_python_adds_up_are_worked() -> None:
    random = Random(7)
    own = in_turn if sys.version_info < (3, 12) else compensated
    rows = [[random.uniform(-9, 9) for _ in range(count)] for count in range(200)]
    assert [own(row) for row in rows] == [sum(row) for row in rows]
    assert [in_turn(row) for row in rows] != [compensated(row) for row in rows]


class Made(NamedTuple):
    """What was made by a command from a text, the hash of its numbers then, and its own."""

    command: str
    name: str
    text: str
    numbers: str
    mark: str


EXAM = """\
exam: Pieces
parts:
  - {scenario: unigram, ask: [viterbi]}
  - questions: [{ask: How many?, number: 3}]
"""
EXERCISE = "scenario: unigram\nask: [viterbi]\n"
CASES = [
    Made("exercise", "own", EXERCISE, IN_3_11["unigram"], "tc6c9577"),
    Made("exercise", "own", EXERCISE, IN_3_12["unigram"], "n81493a1"),
    Made("exam", "pieces", EXAM, IN_3_11["unigram"], "k190ad6a"),
    Made("exam", "pieces", EXAM, IN_3_12["unigram"], "s646084a"),
]


def attn(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments])
    assert result.exit_code in (0, 1), result.output
    return result.output


def as_it_was(data: Any, changes: Mapping[str, str]) -> Any:
    """A manifest with the hashes of before, and without what it didn't have."""
    text = json.dumps(data)
    for now, before in changes.items():
        assert f'"{now}"' in text
        text = text.replace(f'"{now}"', f'"{before}"')
    then = json.loads(text)
    for part in (part for form in then["forms"].values() for part in form["parts"]):
        del part["hash"]
    return then


@sampled(6, then=CASES)
def test_papers_made_before_are_marked(
    then: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the file, by the folder as it was then, and by the folder made again."""
    monkeypatch.chdir(tmp_path)
    command, name, mark = then.command, then.name, then.mark
    Path(f"{name}.yaml").write_text(then.text, "utf-8")
    attn(command, f"{name}.yaml", "-o", name)
    place, answers = Path(name, "manifest.json"), Path(name, f"{name}_answers.yaml")
    made = json.loads(place.read_text("utf-8"))
    own = made["forms"]["own"]["hash"]
    changes = {own: mark, NOW["unigram"]: then.numbers}
    place.write_text(json.dumps(as_it_was(made, changes)), "utf-8")
    papers = answers.read_text("utf-8")
    given = re.sub(r'(?m)^( +".*"):$', r"\1: 0", papers.replace(own, mark))
    assert given.count(mark) == 1
    paper = Path("paper.yaml")
    paper.write_text(given, "utf-8")
    read = [attn("grade", known, str(paper)) for known in (f"{name}.yaml", name)]
    assert "own unchanged" in attn(command, f"{name}.yaml", "-o", name)
    assert json.loads(place.read_text("utf-8"))["forms"]["own"]["hash"] == own
    read.append(attn("grade", name, str(paper)))
    assert len(set(read)) == 1
    paper.write_text(given.replace(mark, "g0000000"), "utf-8")
    assert CliRunner().invoke(app, ["grade", name, str(paper)]).exit_code == 2


def test_answers_to_a_scenario_itself_are_marked(tmp_path: Path) -> None:
    sheet = tmp_path / "paper.yaml"
    attn("exercise", "unigram", "--step", "viterbi", "--format", "yaml", "-o", str(sheet))
    text = sheet.read_text("utf-8")
    for mark in ("tc6c9577", "n81493a1"):
        sheet.write_text(re.sub(r"(?m)^hash: .*", f"hash: {mark}", text), "utf-8")
        attn("grade", "unigram", str(sheet))


def test_a_practice_goes_on_that_was_left_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = [*marks_of(trace_of(SHIPPED["unigram"]))]
    assert len(marks) == 3
    for mark in marks:
        assert read(written(mark, {}), "place", iter(marks)) == {}
    with pytest.raises(UserError, match="was kept for other numbers"):
        read(written("g0000000", {}), "place", iter(marks))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(practice_dialogue, "_is_there", lambda: True)
    folder = tmp_path / "attncli" / "practice"
    folder.mkdir(parents=True)
    assert practice_dialogue._place(None, iter(marks)) == folder / f"{marks[0]}.json"
    (folder / f"{marks[2]}.json").write_text("{}", "utf-8")
    assert practice_dialogue._place(None, iter(marks)) == folder / f"{marks[2]}.json"
