"""`attn explain`: a step as a lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncli.cli import options
from attncli.cli.request import Excerpt, Request, changes_of

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.steps import Step
    from attncli.trace import Trace


def command(
    scenario: options.ScenarioOrUsual = "i_love_ai",
    step: options.Steps = None,
    layer: options.LayerOption = None,
    head: options.HeadOption = None,
    token: options.Token = None,
    decimals: options.Decimals = None,
    rounding: options.RoundingOption = None,
    set_: options.Sets = None,
    detail: options.DetailOption = "full",
    form: options.FormatOption = None,
    fragment: options.Fragment = False,
    output: options.Output = None,
    files_outside: options.FilesOutside = False,
    large: options.Large = False,
    force: options.Force = False,
) -> None:
    """Explain a step: its purpose, working and common mistakes.

    Without --step, each of them.

    Examples:

      attn explain --step softmax

      attn explain my.yaml --step scores --token love

      attn explain --format markdown -o lesson.md
    """
    changes = changes_of(set_, decimals, rounding)
    request = Request(
        scenario, changes, step or [], detail, form, output, force, files_outside, fragment, large
    )
    trace = request.work()
    part = Excerpt(token, layer, head)
    request.deliver(lambda: _document(trace, request, part))


def _document(trace: Trace, request: Request, part: Excerpt) -> Document:
    from attncli.steps import step_named
    from attncli.steps.order import STORY
    from attncli.telling.lesson import lessons
    from attncli.telling.parts import told_parts
    from attncli.telling.selection import select
    from attncli.telling.walkthrough import check_lines

    chosen = select(trace, (), part.token, request.detail, layer=part.layer, head=part.head)
    parts = [one for one in told_parts(trace) if not request.steps or one.step in request.steps]
    check_lines(trace, [one for one in parts if chosen.includes(one)])
    wanted = [step_named(name) for name in STORY if not request.steps or name in request.steps]
    told = [(step, _trace_through(step, trace, request)) for step in wanted]
    return lessons(trace, told, chosen)


def _trace_through(step: Step, trace: Trace, request: Request) -> Trace:
    """A trace that goes through a step, if the scenario or a change to it makes one."""
    from attncli.scenario import ScenarioError
    from attncli.telling.parts import told_parts

    if (
        any(part.step == step.name for part in told_parts(trace))
        or not step.shown_with
        or trace.unfinished
    ):
        return trace
    try:
        return request.worked_with(step.shown_with)
    except ScenarioError:  # its numbers don't go with the step
        return trace
