"""Hundreds of runs with scenarios that somebody spoiled; in the thorough profile, 20,000."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter

import pytest

from tests.conftest import THOROUGH
from tests.fuzzing.case import Case, case
from tests.fuzzing.commands import VALUES, commands
from tests.fuzzing.judging import faults
from tests.fuzzing.trial import verdicts
from tests.fuzzing.worker import Outcome

CASES = 20_000 if THOROUGH else 16
BATCHES = 2 if THOROUGH else 1
FINE = Outcome(0, 0.1, 50, b"a page\n", b"")
BAD = Outcome(2, 0.1, 50, b"", b"s.yaml:1:1: is wrong; do it right\n")
CASE = Case(0, b"title: x\n", ["run", "s.yaml"], 80, sound=True)
BEFORE = {"s.yaml": b"title: x\n"}
AFTER = {**BEFORE, "page.md": b"a page\n"}


@pytest.mark.parametrize("batch", range(BATCHES))
def test_nothing_hurts(batch: int) -> None:
    """Exit 0 or 2, no traceback, nothing half-written, within time and memory; see `judging`."""
    numbers = range(batch, CASES, BATCHES)
    wrong = [v.told() for v in verdicts(numbers) if v.faults]
    assert not wrong, "\n\n".join(wrong)


def test_cases_are_of_every_kind() -> None:
    drawn = [case(number) for number in range(1000)]
    assert drawn[:100] == [case(number) for number in range(100)]
    assert {entry.arguments[0] for entry in drawn} == {*commands()}
    formats = Counter((entry.arguments[0], entry.said("--format")) for entry in drawn)
    for command in ("run", "explain", "exercise", "lint"):
        assert {form for name, form in formats if name == command} > {"json", "latex", "markdown"}
    assert {form for name, form in formats if name == "exercise"} > {"moodle", "yaml", "csv"}
    assert 120 < sum(entry.sound for entry in drawn) < 400


def test_every_option_is_drawn() -> None:
    """A new option has to be told what it may be followed by."""
    parameters = {p.name for value in commands().values() for p in value.params}
    options = {
        p.name
        for value in commands().values()
        for p in value.params
        if p.param_type_name == "option" and not p.is_flag
    }
    assert options == {*VALUES} - {"exercise_form"} <= parameters


def found(outcome: Outcome, *arguments: str, after: dict[str, bytes] = BEFORE) -> list[str]:
    return faults(CASE._replace(arguments=["run", "s.yaml", *arguments]), outcome, BEFORE, after)


def test_good_runs_have_no_faults() -> None:
    assert found(FINE) == found(BAD) == found(FINE, "-o", "page.md", after=AFTER) == []
    assert found(FINE._replace(stdout=b"{}"), "--format", "json") == []


@pytest.mark.parametrize(
    "outcome",
    [
        FINE._replace(status=1),
        FINE._replace(status=-signal.SIGPROF),
        FINE._replace(status=-signal.SIGSEGV),
        FINE._replace(stderr=b"RuntimeWarning: overflow"),
        FINE._replace(stdout=b"\xff"),
        BAD._replace(stdout=b"half a page"),
        BAD._replace(stderr=b""),
        BAD._replace(stderr=b"s.yaml:1:1: is wrong\n"),
        BAD._replace(stderr=b"Traceback (most recent call last):\nKeyError: 'K'; x\n"),
        BAD._replace(stderr=b"x" * 10_000 + b"; y"),
        BAD._replace(stderr=b"x; y\n" * 1000),
    ],
)
def test_faults_are_found(outcome: Outcome) -> None:
    assert found(outcome)


@pytest.mark.parametrize(
    ("outcome", "after"),
    [
        (BAD, AFTER),
        (BAD, {}),
        (FINE, {**BEFORE, ".page.md.17": b"half"}),
        (FINE, {**BEFORE, "page.md": b""}),
        (FINE, {"s.yaml": b"another"}),
    ],
)
def test_what_is_left_behind_is_found(outcome: Outcome, after: dict[str, bytes]) -> None:
    assert found(outcome, after=after)


def test_what_readers_cannot_read_is_found() -> None:
    for form in ("json", "yaml", "csv", "moodle"):
        assert found(FINE._replace(stdout=b'"a" b: [1, <'), "--format", form)


@pytest.mark.parametrize(
    ("limits", "doing", "statuses"),
    [
        # where other work is done, ten times as long passes first
        ("seconds=0.2", "while True: pass", (-signal.SIGPROF, -signal.SIGALRM)),
        ("seconds=0.05", "import time; time.sleep(9)", (-signal.SIGALRM,)),
        ("memory=1 << 24", "bytes(1 << 26)", (1,)),
        ("", "bytes(1 << 26)", (0,)),
    ],
)
def test_limits_hold(limits: str, doing: str, statuses: tuple[int, ...]) -> None:
    line = f"from tests.fuzzing.worker import limit\nlimit({limits})\n{doing}"
    ended = subprocess.run([sys.executable, "-c", line], capture_output=True, check=False)
    assert ended.returncode in statuses
