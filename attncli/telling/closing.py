"""What closes a page: what was given and not used, why it ends where it does, what it found, and
where to read on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attncli.document import Block, Note, Subheading, Term
from attncli.file import shipped
from attncli.scenario.scenario import Scenario
from attncli.telling.afterwards import closing_notes
from attncli.telling.blocks import given_blocks
from attncli.telling.ending import looks_forgotten, unused_in
from attncli.telling.facts import unfinished_in_words
from attncli.telling.findings import last_finding, weights_of
from attncli.telling.parts import step_of, told_parts
from attncli.telling.published import closing_on_published, printed_otherwise
from attncli.telling.selection import Selection
from attncli.telling.sentences import joined
from attncli.trace import BackwardPlace, PlannedStep, Quantity, Trace


def closing_of(trace: Trace, selection: Selection) -> tuple[Block, ...]:
    """All that comes behind a page's sections."""
    unused = unused_in(trace)
    return (
        *_not_needed(trace, unused, selection),
        *_said_in_vain(trace),
        *(_ends_here(trace) if looks_forgotten(trace, unused) else ()),
        *_way_back(trace, selection),
        *closing_notes(trace, selection),
        *closing_on_published(trace, selection),
        *_judged(trace),
        *_why(trace, selection),
    )


def _way_back(trace: Trace, selection: Selection) -> list[Block]:
    """The way back at a glance, where there is one of several steps; a page of training by rows,
    which goes on from it, is long enough without."""
    back = sum(isinstance(part.place, BackwardPlace) for part in told_parts(trace))
    is_long = trace.scenario.training and selection.detail == "rows"
    if not back or ((is_long or back == 1) and not selection.whole):
        return []
    from attncli.telling.chain import chain_of

    return chain_of(trace, selection)


def _said_in_vain(trace: Trace) -> list[Block]:
    """What the scenario says of steps that aren't taken."""
    said = [name for name in trace.unused if name not in trace]
    so_far = " so far" if trace.unfinished is not None else ""
    told = joined((Term(name),) for name in said)
    return [Note((f"Said, and not used{so_far}: ", *told, "."))] if said else []


def _not_needed(trace: Trace, unused: Sequence[Quantity], selection: Selection) -> list[Block]:
    if not unused:
        return []
    used = any(definition.name in trace and definition.operands for definition in trace.plan)
    heading = "Given, and not needed" if used else "Given"
    heading += " so far" if used and trace.unfinished is not None else ""
    return [Subheading((heading,)), *given_blocks(trace, unused, selection)]


def _ends_here(trace: Trace) -> list[Block]:
    return [] if trace.unfinished is None else [unfinished_in_words(trace.unfinished)]


def _judged(trace: Trace) -> list[Block]:
    """Where it is told why the source prints other numbers than are worked here."""
    called = as_asked_for(trace.scenario)
    count = printed_otherwise(trace)
    if called is None or not count:
        return []
    said = f"Why {'is it another one' if count == 1 else 'are these others'}? "
    return [Note((said, Term(f"attn check {_typed(called)}{asking_for_large(trace.scenario)}")))]


def _why(trace: Trace, selection: Selection) -> list[Block]:
    """Where a step is explained: the one that found something, or else the last; where weights are
    given and not used, the one that would have made them."""
    told, called = told_parts(trace), as_asked_for(trace.scenario)
    if not told or called is None:
        return []
    part = last_finding(trace, selection)[0] or told[-1]
    step = _way_to_read_of(told) or part.step
    explained = f"{_typed(called)} --step {step}{asking_for_large(trace.scenario)}"
    if any(one is weights_of(trace) for one in unused_in(trace)):
        explained = "softmax"
    return [Note(("Why? ", Term(f"attn explain {explained}")))]


def _way_to_read_of(told: Sequence[PlannedStep]) -> str:
    """Of a page that ends with the way back, the step of it to begin with: one that says so, or
    else the first."""
    if not isinstance(told[-1].place, BackwardPlace):
        return ""
    back = [part for part in told if isinstance(part.place, BackwardPlace)]
    return next((part for part in back if step_of(part).read_first), back[0]).step


def _typed(called: str) -> str:
    """A name or a path as it is typed in a shell."""
    if called.isascii() and called.isidentifier():  # as those of shipped scenarios are
        return called
    from shlex import quote

    return quote(called)


def asking_for_large(scenario: Scenario) -> str:
    """What a further command has to say of a scenario that is only worked where this is said."""
    return " --large" if scenario.large else ""


def as_asked_for(scenario: Scenario) -> str | None:
    """What a command calls a scenario: a shipped one by its name, a file as it was asked for from
    here, or by its name alone, since a page is read elsewhere too."""
    path = Path(scenario.origin.source)
    if path == shipped.path_of(path.stem):
        return path.stem
    if path.suffix not in (".yaml", ".yml"):
        return None
    return path.name if path.is_absolute() else str(path)
