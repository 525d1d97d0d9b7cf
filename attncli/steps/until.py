"""Where a story ends that a scenario doesn't want to its end."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.file.problems import Problems
from attncli.refusals import listed
from attncli.scenario.scenario import Scenario
from attncli.trace import PlannedStep


def told_until(
    scenario: Scenario, parts: Sequence[PlannedStep], problems: Problems | None
) -> tuple[PlannedStep, ...]:
    """The parts up to the last one of the step that the scenario is to end with."""
    if not scenario.until:
        return tuple(parts)
    first = [part for part in parts if not part.updates]
    ends = [k for k, part in enumerate(first, start=1) if part.step == scenario.until]
    if not ends and problems is not None:
        steps_taken = listed(list(dict.fromkeys(part.step for part in parts)))
        wrong = f"this scenario doesn't go through {scenario.until}"
        problems.add(scenario.where("until"), wrong, f"name one of {steps_taken}")
    return tuple(parts[: ends[-1]] if ends else parts)
