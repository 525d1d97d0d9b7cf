"""`attn explain`: a step as a lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attncli.cli import options
from attncli.cli.arguments import Arguments
from attncli.cli.command import taking

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.steps import Step
    from attncli.trace import Trace


@taking(Arguments, without=("cell",), scenario=(options.ScenarioOrUsual, "i_love_ai"))
def command(typed: Arguments) -> None:
    """Explain a step: its purpose, working and common mistakes.

    Without --step, each of them.

    Examples:

      attn explain --step softmax

      attn explain my.yaml --step scores --token love

      attn explain --format markdown -o lesson.md
    """
    trace = typed.work()
    typed.deliver(lambda: _document(trace, typed))


def _document(trace: Trace, typed: Arguments) -> Document:
    from attncli.steps import step_named
    from attncli.steps.order import STORY
    from attncli.telling.lesson import lessons
    from attncli.telling.parts import told_parts
    from attncli.telling.selection import select
    from attncli.telling.walkthrough import check_lines

    chosen = select(trace, detail=typed.detail, **typed.part._asdict())
    parts = [one for one in told_parts(trace) if typed.includes(one.step)]
    check_lines(trace, [one for one in parts if chosen.includes(one)])
    wanted = [step_named(name) for name in STORY if typed.includes(name)]
    told = [(step, _trace_through(step, trace, typed)) for step in wanted]
    return lessons(trace, told, chosen)


def _trace_through(step: Step[Any], trace: Trace, typed: Arguments) -> Trace:
    """A trace that goes through a step, if the scenario or a change to it makes one."""
    from attncli.file.problems import ScenarioError
    from attncli.telling.parts import told_parts

    if (
        any(part.step == step.name for part in told_parts(trace))
        or not step.shown_with
        or trace.unfinished
    ):
        return trace
    try:
        return typed.worked_with(step.shown_with)
    except ScenarioError:  # its numbers don't go with the step
        return trace
