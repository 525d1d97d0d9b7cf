"""`attn explain`: a step as a lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from attncli.cli import options
from attncli.cli.changes import changes_of
from attncli.cli.output import Complaints, check_output, deliver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from attncli.scenario.settings import Change
    from attncli.steps import Step
    from attncli.trace import Trace


def explain(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="[SCENARIO]",
            help="A scenario file, or the name of a shipped one.",
            autocompletion=options.complete_scenario,
            show_default=True,
        ),
    ] = "i_love_ai",
    step: options.Steps = None,
    token: options.Token = None,
    decimals: options.Decimals = None,
    rounding: options.RoundingOption = None,
    set_: options.Sets = None,
    detail: options.DetailOption = "full",
    form: options.FormatOption = None,
    output: options.Output = None,
    force: options.Force = False,
) -> None:
    """Explain a step, or each: purpose, formula, shapes, working, common mistakes.

    Examples:

      attn explain --step softmax

      attn explain my.yaml --step scores --token love

      attn explain --format markdown -o lesson.md
    """
    from attncli.pipeline import work
    from attncli.scenario import load
    from attncli.telling.lesson import lessons
    from attncli.telling.selection import check_detail, check_steps, select

    complaints = Complaints()
    changes = changes_of(set_, decimals, rounding)
    with complaints.heard():
        check_steps(step or ())
    with complaints.heard():
        check_detail(detail)
    with complaints.heard():
        check_output(form, output, force=force)
    with complaints.heard():
        trace = work(load(scenario, changes))
    complaints.stop_if_any()
    with complaints.heard():
        told = _traces(scenario, changes, trace, step or [])
        document = lessons(told, select(trace, (), token, detail))
        deliver(document, form, output, force=force)
    complaints.stop_if_any()


def _traces(
    scenario: str, changes: Sequence[str | Change], trace: Trace, steps: Sequence[str]
) -> list[tuple[Step, Trace]]:
    """Each step to explain with a trace that goes through it, if a change can make one."""
    from attncli.pipeline import work
    from attncli.scenario import load
    from attncli.steps import STEPS
    from attncli.telling.walkthrough import told_steps

    told: list[tuple[Step, Trace]] = []
    for step in STEPS:
        if steps and step.name not in steps:
            continue
        if step in told_steps(trace) or not step.shown_with or trace.unfinished:
            told.append((step, trace))
        else:
            told.append((step, work(load(scenario, [*changes, *step.shown_with]))))
    return told
