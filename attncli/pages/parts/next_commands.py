"""The commands to go on with behind a page: why its numbers are so, and what if they were not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from attncli.document.blocks import Block, Callout, Term
from attncli.document.retold import Followed, retold
from attncli.maths.notation.escaping import harmless
from attncli.names import Word
from attncli.pages.parts.answer import last_finding
from attncli.pages.parts.findings import weights_of
from attncli.pages.parts.selection import Selection, shown_parts
from attncli.pages.parts.unused import unused_in
from attncli.scenario.file import shipped
from attncli.scenario.scenario import Scenario
from attncli.steps.order import step_of
from attncli.trace import BackwardPlace, PlannedStep, Trace


def where_to_read(trace: Trace, selection: Selection) -> list[Block]:
    """Says where a step is explained: the one that found something, or else the last; where weights
    are given and not used, the one that would have made them."""
    steps, called = shown_parts(trace), as_asked_for(trace.scenario)
    if not steps or called is None:
        return []
    part = last_finding(trace, selection).part or steps[-1]
    step = _way_to_read_of(steps) or part.called
    explained = f"{typed(called)} --step {step}{asking_for_large(trace.scenario)}"
    if any(q is weights_of(trace) for q in unused_in(trace)):
        explained = "softmax"
    return [Callout(retold(Followed(), "Why? ", Term(f"attn explain {explained}")))]


def what_if(trace: Trace) -> list[Block]:
    """Returns what to try next: questions, and the commands that answer them."""
    called = as_asked_for(trace.scenario)
    if called is None:
        return []
    command = f"attn run {typed(called)}{asking_for_large(trace.scenario)}"
    blocks: list[Block] = []
    for question, changes in (
        trace.scenario.page.show.what_if or _without_one_number(trace)
    ).items():
        line = " ".join((command, *(f"--set {typed(change)}" for change in changes)))
        blocks.append(Callout(retold(Followed(), Word(question), " ", Term(harmless(line)))))
    return blocks


def _without_one_number(trace: Trace) -> Mapping[str, Sequence[str]]:
    """Returns the question for a scenario that asks none: without the largest number of the first
    matrix that something is computed from, if it is written in the file; with the change that
    answers it."""
    scenario = trace.scenario
    names = (name for d in trace.plan if d.name in trace for name in d.operands)
    written = (trace[name] for name in names if name in scenario.given.matrices)
    for quantity in written:
        if quantity.name in scenario.given.random or quantity.name in scenario.given.sources:
            continue
        i, j = divmod(int(np.abs(quantity.values).argmax()), quantity.values.shape[1])
        if np.isfinite(quantity.values[i, j]) and quantity.values[i, j]:
            address = quantity.address(i, j)
            if harmless(address) != address:  # nobody could type it
                continue
            return {f"What if {address} is 0?": (f"{address}=0",)}
    return {}


def _way_to_read_of(steps: Sequence[PlannedStep]) -> str:
    """Finds the step to begin with on a page that ends with the way back: one that says so, or else
    the first of it. Of another page it is empty."""
    if not isinstance(steps[-1].place, BackwardPlace):
        return ""
    back = [part for part in steps if isinstance(part.place, BackwardPlace)]
    return next((part for part in back if step_of(part).prominence.read_first), back[0]).called


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+=/")
"""What means nothing of its own to a shell."""


def typed(called: str) -> str:
    """Quotes a name or a path as it is typed in a shell."""
    if _PLAIN.issuperset(called):  # as those of shipped scenarios are
        return called
    from shlex import quote

    return quote(called)


def asking_for_large(scenario: Scenario) -> str:
    """Returns the option that a further command needs for a scenario that is only worked where this
    is said."""
    return " --large" if scenario.file.large else ""


def as_asked_for(scenario: Scenario) -> str | None:
    """Returns what a command calls a scenario: a shipped one by its name, a file as it was asked
    for from here; by its name alone if that is absolute, since a page is read elsewhere too. None
    for what is no such file."""
    path = Path(scenario.file.places[""].source)
    if path == shipped.path_of(path.stem):
        return path.stem
    if path.suffix not in (".yaml", ".yml"):
        return None
    return path.name if path.is_absolute() else str(path)
