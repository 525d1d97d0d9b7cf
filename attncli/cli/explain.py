"""`attn explain`: a step as a lesson."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attncli.cli import options
from attncli.cli.arguments import Arguments, Told, taking

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.steps import Step
    from attncli.trace import Trace


_USUAL = "i_love_ai"
"""The scenario on whose numbers steps are explained that have no example of their own."""


_TARGETS = "targets=[[1, 0], [0, 1], [1, 1]]"
"""What should come out of it, for the way back."""


@taking(Arguments, without=("cell",), scenario=(options.ScenarioOrUsual, ""))
def command(typed: Arguments) -> Told:
    """Explain a step: its purpose, working and common mistakes.

    Without --step, those that a scenario takes; without a scenario, each that there is.

    Examples:

      attn explain softmax

      attn explain i_love_ai

      attn explain my.yaml --step scores --token love

      attn explain --format markdown -o lesson.md
    """
    meant = _meant(typed)
    page = lessons_page(meant.work(), meant, every=not typed.scenario)
    return Told(page, meant.page)


def _meant(typed: Arguments) -> Arguments:
    """What is to be explained: a name that is a step's, and no scenario's, asks for the step."""
    if typed.scenario and not _is_step(typed.scenario):
        return typed
    steps = [*typed.part.steps]
    if typed.scenario:
        steps = [typed.scenario.casefold(), *steps]
    return typed._replace(scenario=_example(steps), part=typed.part._replace(step=steps or None))


def _example(steps: Sequence[str]) -> str:
    """The shipped scenario on whose numbers steps are explained: that of the first."""
    from attncli.steps import step_named
    from attncli.steps.order import STORY

    known = [step_named(name).example for name in steps[:1] if name in STORY]
    return next(filter(None, known), _USUAL)


def _is_step(name: str) -> bool:
    from attncli.file import shipped
    from attncli.steps.order import STORY

    return name.casefold() in STORY and not shipped.find(name).is_file()


def lessons_page(trace: Trace, typed: Arguments, *, every: bool) -> Document:
    """The steps of a trace as lessons, or `every` one that there is."""
    from attncli.steps import step_named
    from attncli.steps.order import STORY
    from attncli.telling.lesson import lessons
    from attncli.telling.parts import told_parts
    from attncli.telling.selection import check_lines, select

    chosen = select(trace, detail=typed.detail or "full", **typed.part.within)
    chosen = chosen.illustrated(typed.pictured)
    parts = [one for one in told_parts(trace) if typed.part.includes(one.step)]
    check_lines(trace, [one for one in parts if chosen.includes(one)])
    taken = typed.part.step or (STORY if every else [one.step for one in parts])
    wanted = [step_named(name) for name in STORY if name in taken]
    asked = trace.scenario.goes_back or bool(typed.part.step)
    changes = {one.name: _changes(one, trace) for one in wanted if asked or not _is_back(one)}
    told = [(one, _trace_through(one, trace, changes.get(one.name, ()), typed)) for one in wanted]
    return lessons(trace, told, chosen, changes)


def _is_back(step: Step[Any]) -> bool:
    """Whether a step is one of the way back, of which lessons on all that there is only tell."""
    from attncli.trace import BackwardPlace

    return step.at is BackwardPlace


def _changes(step: Step[Any], trace: Trace) -> tuple[str, ...]:
    """What gives a step to a scenario that goes without it: on the way back also a loss."""
    if not _is_back(step) or trace.scenario.goes_back:
        return step.shown_with
    known = trace.scenario.prediction.targets or any("targets=" in one for one in step.shown_with)
    return (*step.shown_with, *(() if known else (_TARGETS,)), "backward=true")


def _trace_through(
    step: Step[Any], trace: Trace, changes: tuple[str, ...], typed: Arguments
) -> Trace:
    """A trace that goes through a step, if the scenario or changes to it make one."""
    from attncli.file.problems import ScenarioError
    from attncli.telling.parts import told_parts

    taken = any(part.step == step.name for part in told_parts(trace))
    if taken or not changes or trace.unfinished:
        return trace
    try:
        return typed.worked_with(changes)
    except ScenarioError:  # its numbers don't go with the step
        return trace
