"""The way back of a scenario, where it asks for one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.file.problems import Problems
from attncli.name import Name
from attncli.scenario.scenario import Scenario
from attncli.steps.backward.plan import backward_story, steps_back, unknown
from attncli.steps.order import BACK_THROUGH, step_named
from attncli.trace import Definition, PlannedStep


def what_follows(
    scenario: Scenario, parts: Sequence[PlannedStep], problems: Problems | None = None
) -> Iterator[PlannedStep]:
    """What comes after the way forth: the way back, and training."""
    back = tuple(_way_back(scenario, parts, problems))
    yield from back
    if scenario.training is not None:
        from attncli.steps.training.story import training_story

        yield from training_story(scenario, scenario.training, (parts, back))


def _way_back(
    scenario: Scenario, parts: Sequence[PlannedStep], problems: Problems | None
) -> Iterator[PlannedStep]:
    """The steps by which the gradients of the loss go back through others, where they are asked
    for; `problems` hear if there is no loss."""
    if not scenario.goes_back:
        return
    asked = "train" if scenario.writes("train") else "backward"
    if not scenario.prediction.loss:
        if problems is not None:
            right = (
                "give targets: the tokens that should follow, and an unembedding; or the rows of"
                " numbers that should come out"
            )
            problems.add(scenario.where(asked), "gradients are those of a loss", right)
        return
    loss, learned = Name(scenario.prediction.loss), _starts(scenario, parts, problems)
    if problems is not None:
        for use in unknown(parts, _whole, learned):
            wrong = f"no derivative is known of {use.definition.name} with respect to {use.of}"
            problems.add(scenario.where(asked), wrong, f"leave {asked} out")
    backs = steps_back(parts, _whole, loss, learned)
    yield from backward_story(backs, loss, BACK_THROUGH)


def _starts(
    scenario: Scenario, parts: Sequence[PlannedStep], problems: Problems | None
) -> set[Name]:
    """The given quantities whose gradients are asked for: all that can be learned, or those that
    are trained."""
    used = {name for part in parts for one in part.definitions for name in one.operands}
    used = used.difference(_fixed(parts), _one_hot(scenario))
    given = [name for name in (*scenario.given, *scenario.random) if name in used]
    if scenario.training is None:
        return {*given}
    from attncli.steps.training.story import trained

    parameters = trained(scenario, scenario.training, given, problems)
    return {*given} if scenario.backward else {*parameters}


def _fixed(parts: Sequence[PlannedStep]) -> Iterator[Name]:
    """What steps are made of that isn't learned, if it is given."""
    for part in parts:
        back = step_named(part.step).backward
        names = (name for one in part.definitions for name in one.operands)
        yield from (name for name in names if back is not None and name.local in back.fixed)


def _one_hot(scenario: Scenario) -> Iterator[Name]:
    """Tables that only tell tokens apart."""
    return (stack.text.table for stack in scenario.stacks if stack.text.one_hot)


def _whole(part: PlannedStep) -> tuple[Definition, ...]:
    """The equations of a step as gradients go back through them."""
    back = step_named(part.step).backward
    return () if back is None else back.whole(part.place, part.definitions)
