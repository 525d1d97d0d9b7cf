"""What of a page can't be told: steps that aren't taken, and more lines than anybody reads."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attncli.arithmetic.elision import MOST_PARTS
from attncli.file.problems import ALL_THE_SAME
from attncli.refusals import Problem, listed
from attncli.scenario.budget import MOST_LINES
from attncli.telling.parts import made_by, told_parts
from attncli.telling.selection import Selection, SelectionError
from attncli.trace import PlannedStep, Trace


def check_told(trace: Trace, selection: Selection) -> None:
    """Raises SelectionError for steps asked for that the trace doesn't go through."""
    parts = told_parts(trace)
    told = list(dict.fromkeys(part.step for part in parts))
    missing = [step for step in selection.steps if step not in told]
    if missing:
        through = f"it goes through {listed(told)}" if told else "it goes through none"
        wrong = "this scenario has no such step"
        raise SelectionError(Problem.of(f"--step {step}", wrong, through) for step in missing)
    if parts and not any(selection.includes(part) for part in parts):
        options = "--step, --layer, --head, --token"
        raise SelectionError.of(options, "together they leave nothing of the page", "drop one")
    check_lines(trace, [part for part in parts if selection.includes(part)])


def check_lines(trace: Trace, parts: Sequence[PlannedStep]) -> None:
    """Raises SelectionError for more lines of working than are told without being asked for."""
    made = (quantity for part in parts for quantity in made_by(trace, part))
    lines = sum(math.prod(min(extent, MOST_PARTS) for extent in q.matrix.shape) for q in made)
    if lines > MOST_LINES and not trace.scenario.large:
        less = f"ask for less, by --step, --layer or --token, or give {ALL_THE_SAME}"
        raise SelectionError.of("the page", f"{lines:,} lines of working are too many", less)
