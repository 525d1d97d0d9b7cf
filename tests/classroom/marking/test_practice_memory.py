"""Practising over several sittings: what is remembered, what comes again, hints that lead, lines
that are shown, and how long it goes on."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from decimal import Decimal
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from attncli.classroom.commands import PracticeArguments
from attncli.classroom.exercises.requests import ExerciseRequest, request_of
from attncli.classroom.files.exercise_file import Ask, ExerciseFile
from attncli.classroom.paper_files import variants
from attncli.classroom.practice import feedback
from attncli.classroom.practice.dialogue import practise
from attncli.classroom.practice.memory import Memory, Skill, memory_of
from attncli.classroom.practice.session import Course, Lesson, Review, Session, Task
from attncli.cli import app
from attncli.commands.arguments import Excerpt
from attncli.errors import UserError
from attncli.formats import RenderOptions, render
from attncli.trace import Trace
from tests.conftest import sampled, share
from tests.helpers.pages import LARGE, SHIPPED, WORDS_ONLY, trace_of
from tests.helpers.processes import COMMAND

SCORES = ("practice", "i_love_ai", "--step", "scores", "--token", "love")
"""1, 1 and 2: [0, 1] times [1, 1], [0, 1] and [1, 2]."""
WRONG = ["7", "1", "2"]
SLOW = {"unigram"}
"""A scenario whose other numbers take seconds to learn."""
COUNTED = {"bpe", "wordpiece", "unigram", "sentencepiece"}
"""Scenarios whose lines say how often a pair is in a word."""
CAN_VARY = sorted(
    SHIPPED.keys()
    - LARGE
    - {WORDS_ONLY, "i_love_tennis", "learning_to_attend", "embedding_before_during_after"}
    - {"mixture_of_experts"}
)


def practised(memory: Path, *answers: str, command: tuple[str, ...] = SCORES) -> str:
    typed = "\n".join(answers) + "\n"
    done = CliRunner().invoke(app, [*command, "--memory", str(memory)], input=typed)
    assert done.stderr == ""
    return done.stdout.replace("\u00a0", " ")


def skill(memory: Path, step: str = "scores", name: str = "scores") -> dict[str, Any]:
    kept = json.loads(memory.read_text("utf-8"))
    assert kept["practised"] == 1
    found: dict[str, Any] = kept["steps"][step][name]
    return found


# -- what is remembered, and what comes again ------------------------------------------------------


def test_what_became_of_each_answer_is_remembered(tmp_path: Path) -> None:
    memory = tmp_path / "folder" / "mine.json"
    command = ("practice", "i_love_ai", "--step", "softmax", "--token", "love")
    text = practised(memory, "2", "2", "?", "4", "?", "8", "skip", "0.2500", command=command)
    kept = skill(memory, "softmax", "exp")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", kept.pop("last"))
    assert kept.pop("mistakes") == {"base_2": 3}
    assert kept == {"right": 0, "hinted": 0, "wrong": 3, "shown": 0, "again": 2}
    assert skill(memory, "softmax", "exp_sum")["hinted"] == 1
    assert skill(memory, "softmax", "exp_sum")["again"] == 0
    assert skill(memory, "softmax", "weights")["shown"] == 1
    assert "softmax │     6              1            1      3      1" in text
    assert "After hints  softmax (exp_sum)" in text
    assert "To repeat    softmax (exp, weights)" in text
    assert "Next time    first, with other numbers: softmax (exp, weights)" in text


def tables(text: str) -> list[dict[str, list[Decimal]]]:
    """The tables of numbers that stand side by side, as somebody reads them off the screen."""
    found: list[dict[str, list[Decimal]]] = []
    for line in text.splitlines():
        rows = re.findall(r"(\w+) +│ +((?:−?\d+(?:\.\d+)?(?: +|$))+)", line)
        for k, (name, numbers) in enumerate(rows):
            if len(found) <= k:
                found.append({})
            found[k][name] = [Decimal(text.replace("−", "-")) for text in numbers.split()]
    return found


def answer_to_the_review(text: str) -> tuple[str, str]:
    """The numbers that are shown, and the dot product that is asked for."""
    shown, _, asked = text.rpartition("once more · scores[")
    shown = shown.rpartition("scores = Q Kᵀ")[2]
    row, column = re.match(r"(\w+), (\w+)\]", asked).groups()  # type: ignore[union-attr]
    queries, keys = tables(shown)
    pairs = zip(queries[row], keys[column], strict=True)
    return shown, str(sum((q * k for q, k in pairs), Decimal(0)))


def test_what_was_wrong_comes_again_until_it_is_right_twice(tmp_path: Path) -> None:
    """First, with other numbers; right with two of them, it leaves the list."""
    memory = tmp_path / "mine.json"
    practised(memory, *WRONG)
    seen = []
    for left in (1, 0):
        asked = practised(memory, "quit")
        assert "First, with other numbers, what was wrong before: scores." in asked
        assert asked.index("once more ·") > asked.index("First, with other numbers")
        assert "1 of 3" not in asked
        shown, right = answer_to_the_review(asked)
        seen.append(shown)
        text = practised(memory, right, "quit")
        assert ": right." in text
        assert skill(memory)["again"] == left
    assert seen[0] != seen[1]
    assert "once more" not in practised(memory, "quit")


def test_wrong_again_is_on_the_list_as_long_as_before(tmp_path: Path) -> None:
    memory = tmp_path / "mine.json"
    practised(memory, *WRONG)
    for answer in ("right", "wrong"):
        _, right = answer_to_the_review(practised(memory, "quit"))
        practised(memory, right if answer == "right" else "777", "quit")
    assert skill(memory)["again"] == 2
    assert skill(memory)["wrong"] == 2


def test_right_with_the_same_numbers_counts_once() -> None:
    memory = Memory({("scores", "scores"): Skill(again=2)})
    for first in (True, False, False):
        memory.note(("scores", "scores"), [("right", ())], "now", is_first=first)
    assert memory.skills["scores", "scores"].again == 1
    memory.note(("scores", "scores"), [("hinted", ())], "now", is_first=True)
    assert memory.skills["scores", "scores"].again == 1


def test_a_whole_session_that_is_right_counts_once(tmp_path: Path) -> None:
    memory = tmp_path / "mine.json"
    practised(memory, *WRONG)
    text = practised(memory, "skip", "1", "1", "2")
    assert text.count(": right.") == 3
    assert skill(memory)["again"] == 1


def test_questions_in_words_come_again_as_well(tmp_path: Path) -> None:
    memory = tmp_path / "mine.json"
    command = ("practice", "i_love_ai", "--ask", "attends_most[love]")
    text = practised(memory, "?", "?", "?", "A", command=command)
    assert "The answer is read from weights." in text
    assert skill(memory, "softmax", "attends_most")["again"] == 2
    assert "once more · attends_most[love]" in practised(memory, "quit", command=command)


def test_without_other_numbers_nothing_is_promised_and_its_own_are_asked_once() -> None:
    trace = trace_of(SHIPPED["i_love_ai"])
    own = Session(Lesson(trace, everything(trace)))
    due = [("scores", "scores")]
    assert Course(own, iter(()), lambda: due).due_here == []
    assert Course(own, iter([trace]), lambda: due).due_here == due
    assert Course(own, iter([trace]), lambda: [("scores", "other")]).due_here == []
    (only,) = Course(own, iter(()), lambda: due, minutes=3).sessions()
    assert only.lesson.trace is trace


# -- the file ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "isn't what attn practice remembers"),
        ("[" * 100_000, "isn't what attn practice remembers"),
        ('{"practised": 1}', "isn't what attn practice remembers"),
        ('{"practised": 1, "steps": {"a": {"b": {"right": -1}}}}', "isn't what attn practice"),
        ('{"practised": 2, "steps": {}}', "is of version 2, and this attncli knows version 1"),
    ],
)
def test_what_cannot_be_read_is_told_and_left_alone(text: str, says: str, tmp_path: Path) -> None:
    memory = tmp_path / "mine.json"
    memory.write_text(text, "utf-8")
    done = CliRunner().invoke(app, [*SCORES, "--memory", str(memory)], input="1\n")
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stdout == ""
    assert memory.read_text("utf-8") == text


def test_a_folder_is_no_memory(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, [*SCORES, "--memory", str(tmp_path)], input="1\n")
    assert done.exit_code == 2
    assert "is a folder; name another file" in done.stderr


COUNTS = st.integers(0, 10**9)
SKILLS = st.builds(
    Skill, COUNTS, COUNTS, COUNTS, COUNTS, st.dictionaries(st.text(), COUNTS), COUNTS, st.text()
)


@given(st.dictionaries(st.tuples(st.text(), st.text()), SKILLS, max_size=4), st.randoms())
def test_a_memory_is_read_as_it_was_written_and_no_part_of_it_is(
    skills: dict[tuple[str, str], Skill], random: Any
) -> None:
    text = Memory(skills).written()
    assert memory_of(text, "f").skills == skills
    with pytest.raises(UserError):
        memory_of(text[: random.randrange(len(text) - 1)], "f")


_MOST_SECONDS = 300


def in_a_terminal(words: tuple[str, ...], home: Path, *typed: bytes) -> str:
    """What a terminal shows of a practice, each thing typed after a prompt."""
    master, slave = pty.openpty()
    env = {**os.environ, "TERM": "dumb", "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    command = [*COMMAND, *words]
    with subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True,
        preexec_fn=_take_the_terminal,  # noqa: PLW1509
    ) as process:  # fmt: skip
        os.close(slave)
        said, prompts = b"", 0
        waiting, until = [*typed], time.monotonic() + _MOST_SECONDS
        try:
            while chunk := _read(master, typed[-1]):
                said += chunk
                if waiting and said.count(b"> ") > prompts:
                    prompts = said.count(b"> ")
                    os.write(master, waiting.pop(0))
                assert time.monotonic() < until, said
            process.wait(timeout=120)
        finally:
            process.kill()
    os.close(master)
    return said.decode()


def _take_the_terminal() -> None:
    """Has Ctrl-C come from the terminal, as for somebody who sits there, also where the tests are
    run in the background, which ignores it."""
    import fcntl
    import signal
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _read(master: int, last: bytes) -> bytes:
    """What comes next. Where nothing does, the last key is pressed again: an interrupt is lost that
    comes just before somebody listens."""
    for _ in range(6):
        if select.select([master], [], [], 5)[0]:
            try:
                return os.read(master, 4096)
            except OSError:  # the other end is closed
                return b""
        os.write(master, last)
    raise TimeoutError


def test_ctrl_c_leaves_the_memory_whole_and_keeps_what_was_wrong(tmp_path: Path) -> None:
    text = in_a_terminal(SCORES, tmp_path, b"1\n", b"nonsense\n", b"7\n", b"\x03")
    assert "“nonsense” is no number." in " ".join(text.split())
    assert "Nothing was answered" not in text
    assert "Try again" in text
    assert "Traceback" not in text
    assert "Next time" in text
    kept = skill(tmp_path / "state" / "attncli" / "practised.json")
    assert (kept["right"], kept["wrong"], kept["again"]) == (1, 1, 2)
    (place,) = (tmp_path / "state" / "attncli" / "practice").iterdir()
    assert [*json.loads(place.read_text("utf-8"))["answers"]] == ["scores[love, I]"]
    text = in_a_terminal(SCORES, tmp_path, b"\x04")
    assert "1 of 3 done" in text
    assert "once more" in text


# -- hints ------------------------------------------------------------------------------------------

_INDEXED = re.compile(r"[\w.@]+[′ᵀ]?\[[^\[\]]*\]")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def numbers_in(text: str) -> list[Decimal]:
    """The numbers of a text, without their signs and without those inside of names."""
    before = ""
    while before != text:
        before, text = text, _INDEXED.sub("@", text)
    return [Decimal(number) for number in _NUMBER.findall(text)]


def constants_of_equations(name: str) -> list[Decimal]:
    """The numbers in a scenario's own equations."""
    steps = yaml.safe_load(SHIPPED[name]).get("steps")
    if not isinstance(steps, dict):
        return []
    lines = [line for step in steps.values() for line in step.get("equations", ())]
    return numbers_in("\n".join(map(str, lines)))


def shown(page: Any) -> str:
    return str(render(page, "terminal", RenderOptions(200))).replace("\u00a0", " ")


def everything(trace: Trace) -> ExerciseRequest:
    return request_of(trace, ExerciseFile("", (Ask(),)))


def of_each_kind(lesson: Lesson, most: int, name: str) -> list[Task]:
    """Some tasks of each kind, in numbers."""
    kinds: dict[Any, list[Task]] = {}
    for task in lesson.tasks:
        if task.words is None:
            kinds.setdefault(lesson.kind_of(task), []).append(task)
    return [
        task for tasks in kinds.values() for task in share(max(1, len(tasks) // most), tasks, name)
    ]


@sampled(29, name=CAN_VARY, by_rows=(False, True))
def test_no_hint_has_a_number_that_rounds_to_the_answer(name: str, by_rows: bool) -> None:
    """But for constants, which are the same in the line of names: `max(0, x)`.

    Those of a scenario's own functions, `phi(x) = x + 1 if …`, stand in its equations only.
    """
    trace = trace_of(SHIPPED[name])
    written = constants_of_equations(name)
    lesson = Lesson(trace, everything(trace), by_rows)
    session = Session(lesson)
    for task in of_each_kind(lesson, 3, name):
        purpose, names, numbers = (feedback.hint(session, task, k) for k in range(3))
        assert purpose is not None
        assert names is not None
        assert feedback.hint(session, task, 3) is None
        if numbers is None:
            continue
        constants = numbers_in(shown(names)) + written
        decimals = trace.rounding.decimals_of(task.part.step, trace[task.cells[0].quantity].name)
        unit = Decimal(1).scaleb(-decimals)
        answers = [trace[c.quantity].number(c.row, c.column).shown for c in task.cells]
        rounded = {abs(answer).quantize(unit) for answer in answers if answer.is_finite()}
        for number in numbers_in(shown(numbers)):
            assert number in constants or number.quantize(unit) not in rounded, shown(numbers)


@sampled(15, name=[name for name in CAN_VARY if name not in COUNTED])
def test_hints_in_words_and_names_hang_on_no_number(name: str) -> None:
    """They are the same with other numbers, and so can't tell an answer; but for the constants of
    a scenario's own cases, `x + 1 if x > 0 else exp(x)`, of which the line shows the one that holds.
    """
    trace = trace_of(SHIPPED[name])
    written = constants_of_equations(name)
    request = everything(trace)
    (other,) = variants(trace, request, 1, 1, ())
    own, form = (Session(Lesson(t, request)) for t in (trace, other))
    alike = [
        (task, twin)
        for task, twin in zip(own.lesson.tasks, form.lesson.tasks, strict=False)
        if task.cells and task.cells == twin.cells
    ]
    assert alike
    for task, twin in share(max(1, len(alike) // 30), alike, name):
        for given_before in (0, 1):
            pages = feedback.hint(own, task, given_before), feedback.hint(form, twin, given_before)
            ours, theirs = (
                [number for number in numbers_in(shown(page)) if number not in written]
                for page in pages
            )
            assert ours == theirs


# -- another line -----------------------------------------------------------------------------------


@sampled(17, name=[name for name in CAN_VARY if name not in SLOW])
def test_another_line_is_of_another_cell_or_of_other_numbers(name: str) -> None:
    """And what it comes to isn't the answer that is asked for."""
    trace = trace_of(SHIPPED[name])
    request = everything(trace)
    own = Session(Lesson(trace, request))
    course = Course(own, variants(trace, request, 3, 1, ()), list)
    for task in of_each_kind(own.lesson, 1, name):
        found = course.another(own, task)
        if found is None:
            continue
        session, other = found
        assert session is not own  # of which nothing is answered yet
        assert session.lesson.kind_of(other) == own.lesson.kind_of(task)
        own_number, their_number = (
            s.lesson.trace[t.cells[0].quantity].number(*t.cells[0][1:]).shown
            for s, t in ((own, task), (session, other))
        )
        assert own_number != their_number


def test_show_works_a_line_and_counts_as_a_hint(tmp_path: Path) -> None:
    memory = tmp_path / "mine.json"
    text = practised(memory, "show", "1", "1", "show", "2")
    first, then = text.split("> show\n")[1:]
    assert first.startswith("With other numbers:")
    worked = " ".join(first.partition(">")[0].split())
    assert re.search(r"scores\[\w+, \w+\] = \[.*\] · \[.*\] = .* = −?[\d.]+$", worked)
    assert then.startswith("This is how another was worked:")
    assert "scores[love, AI]" not in then.partition(">")[0]
    assert (skill(memory)["hinted"], skill(memory)["right"]) == (2, 1)


# -- for some minutes -------------------------------------------------------------------------------


def for_minutes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seconds: int
) -> str:
    """What is said of three minutes of practice, where so many seconds go by between two looks at
    the clock: one before each question, one when it is remembered."""
    part = Excerpt(step=["scores"], token="love")
    looks = count(10**9, seconds)
    monkeypatch.setattr(sys, "stdin", StringIO("777\n" * 100))
    assert not practise(PracticeArguments("i_love_ai", part, minutes="3"), lambda: next(looks))
    return capsys.readouterr().out.replace("\u00a0", " ")


def test_new_numbers_go_on_until_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """180 seconds are 17 questions at two looks of 5, and the first look. What is wrong comes again
    between, with numbers of its own."""
    text = for_minutes(monkeypatch, capsys, 5)
    assert "3 minutes, each time 3 numbers to work out" in text
    assert text.count("> 777") == 18
    assert "The time is over." in text
    assert text.count("1 of 3 ·") == 5
    assert text.count("once more ·") == 4
    pages = text.split("scores = Q Kᵀ")[1:]
    assert len({str(tables(page)) for page in pages}) == len(pages) == 9
    assert "attn practice i_love_ai --step scores --minutes 3" in text


def test_a_question_that_takes_longer_is_the_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert for_minutes(monkeypatch, capsys, 100).count("> 777") == 1


@pytest.mark.parametrize("text", ["0", "601", "x", "-1"])
def test_minutes_are_a_whole_number(text: str) -> None:
    done = CliRunner().invoke(app, [*SCORES, "--minutes", text], input="1\n")
    assert done.exit_code == 2
    assert f"--minutes {text}: " in done.stderr
    done = CliRunner().invoke(app, [*SCORES, "--minutes", "3", "--place", "x.json"], input="1\n")
    assert "--place: where you stop isn't kept" in done.stderr


@sampled(17, name=[name for name in CAN_VARY if name not in SLOW])
def test_the_right_answer_to_what_comes_again_is_right(name: str) -> None:
    """Of each kind, from the tables that stand above it."""
    trace = trace_of(SHIPPED[name])
    request = everything(trace)
    (form,) = variants(trace, request, 1, 2, ())
    lesson = Lesson(trace, request)
    for kind in dict.fromkeys(map(lesson.kind_of, lesson.tasks)):
        session = Session(Review(form, request, kind=kind))
        (task,) = session.lesson.tasks
        assert shown(feedback.section_opening(session, task.section))
        answers = [str(form[c.quantity].number(c.row, c.column).shown) for c in task.cells]
        assert [marked.judgement for marked in session.marked(task, answers)] == ["correct"]
