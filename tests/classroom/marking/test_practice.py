"""Practising: from a pipe, in a terminal, and going on where one was."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from attncli.classroom.practice.expressions import given_by
from attncli.cli import app
from attncli.judging.verdicts import read_number
from tests.helpers.processes import COMMAND

WEIGHTS = ("practice", "i_love_ai", "--step", "softmax", "--token", "love")
RIGHT = ["2.718", "2.718", "7.389", "12.825", ".212", "0,212", "57.6%"]


def attn(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, words, input=typed)


def practised(*words: str, answers: list[str]) -> tuple[int, str]:
    done = attn(*WEIGHTS, *words, typed="\n".join(answers) + "\n")
    assert done.stderr == ""
    return done.exit_code, done.stdout


def test_all_right_as_people_write_numbers() -> None:
    code, text = practised(answers=RIGHT)
    assert code == 0
    assert text.count(": right.") == 7
    assert "All of it is right." in text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("e^2", "7.389"),
        ("e²", "7.389"),
        ("e^(−0.96)", "0.383"),
        ("7.389/12.825", "0.576"),
        ("7,389 : 12,825", "0.576"),
        ("1*2 + 3·4", "14.000"),
        ("-2^2", "-4.000"),
        ("(1+2)/√(2)", "2.121"),
        ("2^-1", "0.500"),
        ("0.0005+0", "0.001"),
        ("exp(1)+sqrt(4)", "4.718"),
    ],
)
def test_an_expression_counts_as_its_value(text: str, value: str) -> None:
    given = given_by(text, 3)
    assert str(given.number) == value
    assert (given.text, given.places) == (text, 3)


@pytest.mark.parametrize(
    "text",
    ["x^2", "2x", "1/0+1", "9^9^9^9", "(1", "1+", "e^", "()", "1 2 3+", "abc", "√(-1)", "(" * 90,
     "e^9999", "1..2+1", "--" * 60],
)  # fmt: skip
def test_what_is_no_expression_is_no_number(text: str) -> None:
    assert given_by(text, 3).number is None


def test_numbers_stay_as_they_are_read_elsewhere() -> None:
    for text in ("0,422", "2/3", "42.2%", "1e-3", "-inf", "", "-"):
        assert given_by(text, 3) == read_number(text)


def test_expressions_are_answers_and_what_is_refused_says_what_would_be_right() -> None:
    answers = ["e^1", "2.718", "e^2", "much", "7.389/12.825", "quit"]
    code, text = practised(answers=answers)
    assert code == 1
    said = " ".join(text.split())
    assert "✓ exp[love, AI]: right. It counts as 7.389." in said
    assert "“much” is no number. Numbers are 0.422, 0,422, 2/3, 42.2%, 1e-3 and −∞; sums," in said
    code, text = practised(answers=["e^1", "e^1", "e^2", "2.718+2.718+7.389", "quit"])
    assert code == 0
    assert text.count("✓") == 4


def test_what_is_counted_is_shown() -> None:
    """Pairs of neighbours can't be counted without the words that they stand in."""
    done = attn("practice", "bpe", "--step", "learn", typed="6\nquit\n")
    asked = done.stdout.partition("1 of ")
    assert "h a p p i n e s s (2)" in asked[0].replace("\u00a0", " ")
    assert "All that was answered is right. 170 questions to go." in asked[2]


def test_a_known_mistake_is_named_and_gone_on_with() -> None:
    """2^1, 2^1, 2^2: base 2 is a known mistake; what follows from these numbers counts."""
    code, text = practised(answers=["2", "2", "4", "8", "0.25", "0.25", "0.5"])
    assert code == 1
    assert "✗ exp[love, AI]: it doesn't follow. A mistake that gives it: " in text
    assert text.count("it follows from your earlier number") == 4
    assert "attn practice i_love_ai --step softmax --fresh" in text


def test_three_hints_lead_and_do_not_tell() -> None:
    code, text = practised(answers=["2.718", "2.718", "?", "?", "?", "?", "7.389", "quit"])
    assert code == 0
    told = text.partition("3 of 7")[2].partition("> 7.389")[0]
    purpose, names, numbers, no_more = told.replace("\u00a0", " ").split("> ?\n")[1:]
    assert purpose.startswith("For each query, e is raised to each of its scores")
    assert names.strip() == "exp[love, AI] = e^scores[love, AI]"
    assert numbers.strip() == "exp[love, AI] = e^2"
    assert no_more.startswith("There are no more hints")
    assert "7.389" not in told
    assert "After hints  softmax (exp)" in text


def test_what_was_skipped_is_shown_and_gone_on_with() -> None:
    code, text = practised(answers=["3", "3", "7", "skip", "0.231", "0.231", "0.538"])
    assert code == 1
    assert "exp_sum[love] = 3 + 3 + 7 = 13" in text
    assert "exp_sum[love] = 13" in text.partition("5 of 7")[2]
    asked, _, after = text.partition("5 of 7")
    assert asked.count("It is rounded to a whole number") == 3
    assert after.count(": right.") == 3


def test_questions_are_asked_in_words(tmp_path: Path) -> None:
    """A letter will do; what follows from one's own number counts; a hint has no answer."""
    exam = tmp_path / "exam.yaml"
    asked = "[{step: scores, token: love}, {question: attends_most, token: love}]"
    exam.write_text(f"scenario: i_love_ai\nask: {asked}\n", "utf-8")

    def said(*answers: str) -> str:
        command = ("practice", str(exam), "--fresh")
        return attn(*command, typed="\n".join(answers) + "\n").stdout

    right = said("1", "1", "2", "?", "c")
    assert "3 numbers and 1 question to work out" in right
    assert "A)\u00a0I, B)\u00a0love, C)\u00a0AI".replace("\u00a0", " ") in right
    assert "✓ attends_most[love]: right." in right
    assert "AI" not in right.partition("> ?")[2].partition("> c")[0]
    assert "✓ attends_most[love]: it follows" in said("5", "1", "2", "I")
    assert "✗ attends_most[love]: it doesn't follow." in said("1", "1", "2", "love")
    alone = attn("practice", "i_love_ai", "--ask", "attends_most", typed="c\nc\nB\n")
    assert alone.exit_code == 1
    assert alone.stdout.count(": right.") == 2
    assert "attends_most[love]: AI." in said("1", "1", "2", "skip")


def test_rows_at_once_and_the_end_of_the_input() -> None:
    code, text = practised("--by-row", answers=["2.718 2.718 7.389", "12.825 1"])
    assert code == 1
    assert "1 of 3 · exp[love] for I, love, AI" in text
    assert text.count(": right.") == 3


def test_the_place_is_kept(tmp_path: Path) -> None:
    place = tmp_path / "folder" / "mine.json"
    practised("--place", str(place), answers=RIGHT[:3])
    kept = json.loads(place.read_text("utf-8"))["answers"]
    assert [*kept] == ["exp[love, I]", "exp[love, love]", "exp[love, AI]"]
    code, text = practised("--place", str(place), answers=RIGHT[3:])
    assert code == 0
    assert "Continuing where you stopped: 3 of 7 done." in text
    assert "4 of 7 · exp_sum[love]" in text
    older = re.sub(r',\s*"hints": 0', "", place.read_text("utf-8"))  # before hints were counted
    assert "hints" not in older
    place.write_text(older, "utf-8")
    assert "7 of 7 done." in practised("--place", str(place), answers=[])[1]
    assert "1 of 7" in practised("--place", str(place), "--fresh", answers=[])[1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--place", "FILE"), "is no place that a practice was left at"),
        (("--seed", "x"), "is no whole number"),
        (("--step", "tokenize"), "there is nothing to ask"),
    ],
)
def test_bad_input(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    file.write_text("[]", encoding="utf-8")
    named = [str(file) if word == "FILE" else word for word in words]
    done = attn("practice", "i_love_ai", *named)
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stdout == ""


def test_an_exercise_file_says_what_is_asked(tmp_path: Path) -> None:
    exam = tmp_path / "exam.yaml"
    asked = "ask: [{step: softmax, token: love}, {cell: 'scores[love, AI]'}]"
    exam.write_text(
        f"exercise: E\nscenario: i_love_ai\n{asked}\ntolerance: {{units: 1}}\n", "utf-8"
    )
    done = attn("practice", str(exam), typed="2\n2.719\n")
    assert "8 numbers to work out" in done.stdout
    assert done.stdout.count(": right.") == 2
    more = attn("practice", str(exam), "--step", "scores")
    assert more.exit_code == 2
    assert "--step: an exercise file says itself what is asked" in more.stderr


def test_other_numbers_by_a_seed() -> None:
    own, other = (practised(*more, answers=[])[1] for more in ((), ("--seed", "3")))
    assert own != other
    assert "1 of 7 · exp[love, I]" in other


def typed(answers: list[str], home: Path) -> str:
    """What a terminal shows of a practice."""
    master, slave = pty.openpty()
    env = {**os.environ, "TERM": "dumb", "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    command = [*COMMAND, *WEIGHTS]
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env) as process:
        os.close(slave)
        said = b""
        for answer in answers:
            before = said.count(b"> ")
            while said.count(b"> ") == before:
                said += (chunk := _read(master))
                assert chunk, said
            os.write(master, answer.encode())
        while chunk := _read(master):
            said += chunk
        process.wait(timeout=120)
    os.close(master)
    return said.decode()


def test_two_wrong_answers_and_quit_are_told_with_each_mistake_that_was_named(
    tmp_path: Path,
) -> None:
    """2^2 is named, then 3 is tried, and the question is left open: it was answered."""
    text = typed(["2.718\n", "2.718\n", "4\n", "3\n", "quit\n"], tmp_path)
    said = " ".join(text.split())
    closing = said.partition("> quit")[2]
    assert "Nothing was answered" not in said
    assert "▸ Raising 2 instead of e to the scores." in closing
    assert "▸ A number that doesn't follow." in closing
    assert re.search(r"softmax │ 3 2 0 1 0 ", closing)


def _read(master: int) -> bytes:
    ready, _, _ = select.select([master], [], [], 20)
    try:
        return os.read(master, 4096) if ready else b""
    except OSError:  # the other end is closed
        return b""


def test_in_a_terminal_one_may_try_again_and_leave(tmp_path: Path) -> None:
    text = typed(["2.7\n", "2.718\n", "3\n", "\n", "\x04"], tmp_path)
    assert "Try again, or press Enter to keep the answer." in text
    assert "3 of 7" in text
    assert "Traceback" not in text
    (kept,) = (tmp_path / "state" / "attncli" / "practice").iterdir()
    answers = json.loads(kept.read_text("utf-8"))["answers"]
    assert answers["exp[love, I]"]["mistakes"]
    assert answers["exp[love, love]"]["text"] == "3"
