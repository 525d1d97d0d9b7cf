"""The way back of a scenario, where it asks for one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.file.problems import Problems
from attncli.name import Name
from attncli.scenario.scenario import Scenario
from attncli.steps.backward.plan import backward_story, steps_back
from attncli.steps.order import BACK_THROUGH, step_named
from attncli.trace import Definition, PlannedStep

_LOSS = Name("cross_entropy")


def way_back(
    scenario: Scenario, parts: Sequence[PlannedStep], problems: Problems | None = None
) -> Iterator[PlannedStep]:
    """The steps by which the gradients of the loss go back through others, where they are asked
    for; `problems` hear if there is no loss."""
    if not scenario.backward:
        return
    if not scenario.prediction.targets:
        if problems is not None:
            right = "give targets, the tokens that should follow, and an unembedding"
            problems.add(scenario.where("backward"), "gradients are those of a loss", right)
        return
    used = {name for part in parts for one in part.definitions for name in one.operands}
    learned = (used & {*scenario.given}).difference(_fixed(parts))
    backs = steps_back(parts, _whole, _LOSS, learned)
    yield from backward_story(backs, _LOSS, BACK_THROUGH)


def _fixed(parts: Sequence[PlannedStep]) -> Iterator[Name]:
    """What steps are made of that isn't learned, if it is given."""
    for part in parts:
        back = step_named(part.step).backward
        names = (name for one in part.definitions for name in one.operands)
        yield from (name for name in names if back is not None and name.local in back.fixed)


def _whole(part: PlannedStep) -> tuple[Definition, ...]:
    """The equations of a step as gradients go back through them."""
    back = step_named(part.step).backward
    return () if back is None else back.whole(part.place, part.definitions)
