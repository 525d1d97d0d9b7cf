"""Runs cases one after the other, and gathers what is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.auditor import Tables, audit
from tests.fuzzing.case import Case, case
from tests.fuzzing.judging import faults, files_of
from tests.fuzzing.worker import Outcome, Worker

AUDITED = ("terminal", "markdown", "latex", "json")
_KEPT = ("--set", "--decimals", "--rounding")
"""Options that change numbers."""


class Verdict(NamedTuple):
    """A case that has been run, and all that is wrong with it."""

    case: Case
    outcome: Outcome
    faults: list[str]

    def told(self) -> str:
        return "\n".join([*(f"* {fault}" for fault in self.faults), self.case.told()])


def verdicts(numbers: Iterable[int]) -> Iterator[Verdict]:
    """Each case in turn."""
    with Worker() as worker:
        for number in numbers:
            yield verdict(worker, case(number))


def verdict(worker: Worker, case: Case) -> Verdict:
    with TemporaryDirectory() as place:
        folder = Path(place) / "folder"
        folder.mkdir()
        case.furnish(folder)
        before = files_of(folder)
        outcome = worker.run(folder, case.columns, case.arguments)
        found = faults(case, outcome, before, files_of(folder))
        if not found and _can_be_audited(case, outcome):
            found = _audited(worker, folder, case, outcome)
    return Verdict(case, outcome, found)


def _can_be_audited(case: Case, outcome: Outcome) -> bool:
    """Whether a page is one of numbers that nobody has spoiled, wide enough for lines to be read.

    The auditor knows tables with all of their rows, and no names that are spaces.
    """
    whole = "--token" not in case.arguments and b"tokenizer: character" not in case.scenario
    ran = outcome.status == 0 and case.arguments[0] == "run"
    return case.sound and ran and whole and case.columns >= 80


def _audited(worker: Worker, folder: Path, case: Case, outcome: Outcome) -> list[str]:
    """The false signs of a page, if it is in a format that the auditor reads."""
    typed = case.arguments
    form = case.said("--format") or "terminal"
    kept = [word for pair in pairwise(typed) if pair[0] in _KEPT for word in pair]
    if form not in AUDITED or not outcome.stdout or outcome.stdout.count(b"\n") > MOST_LINES:
        return []
    numbers = worker.run(
        folder, 80, ["run", typed[1], *kept, "--format", "json", "--detail", "rows"]
    )
    if numbers.status != 0:
        return [f"has a page, but no numbers: {numbers.stderr.decode(errors='replace')}"]
    report = audit(outcome.stdout.decode(), form, Tables(json.loads(numbers.stdout)))
    return [f"is false: {text}" for text in report.false]


MOST_LINES = 2000
"""Of a page, beyond which its audit takes too long."""
