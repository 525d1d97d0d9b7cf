"""The end of a page: results, unused inputs, why it ends there, findings, where to read on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from attncli.document.blocks import Block, Callout, Subheading, Term, TextList
from attncli.document.retold import Followed, retold
from attncli.errors import listed
from attncli.maths.notation.escaping import harmless
from attncli.names import Word, words
from attncli.pages.parts.blocks import given_blocks
from attncli.pages.parts.claims import closing_on_claims
from attncli.pages.parts.findings import findings_of, last_finding, moved, weights_of
from attncli.pages.parts.published import closing_on_published, printed_otherwise
from attncli.pages.parts.remarks import remarks_on
from attncli.pages.parts.sections import told_at_the_end
from attncli.pages.parts.selection import Selection, made_by, shown_parts, step_of
from attncli.pages.parts.sentences import joined, unfinished_in_words
from attncli.scenario.file import shipped
from attncli.scenario.scenario import Scenario
from attncli.trace import BackwardPlace, PlannedStep, Quantity, Trace


def ending_of(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """Says what a part's numbers come to."""
    return [
        *told_at_the_end(trace, part),
        *map(Callout, findings_of(trace, part, selection)),
        *remarks_on(trace, part),
        *(_most_likely(trace) if part.step == "predict" else ()),
    ]


def _most_likely(trace: Trace) -> list[Block]:
    """Returns the most likely next tokens as data; nothing where none are predicted."""
    probabilities = trace.next_token
    if probabilities is None:
        return []
    tokens = tuple(probabilities.columns.names[j] for j in probabilities.values.argmax(axis=1))
    return [TextList("predicted", words(probabilities.rows.names), words(tokens))]


def closing_notes(trace: Trace, selection: Selection) -> list[Block]:
    """Returns the notes that close the page."""
    return [
        *_found(trace, selection),
        *_asked_for(trace, selection),
        *_generated(trace, selection),
        *_trained(trace, selection),
        *_varied(trace, selection),
    ]


def _found(trace: Trace, selection: Selection) -> list[Block]:
    """Says what the page found: of a block what it does to the tokens, or else its last finding. It
    says nothing where one of the last two sections, or a summary, has just said so (states that are
    set side by side say nothing new), nor where a page ends with the way back, as it is about
    that."""
    if whole := moved(trace, selection):
        return [Callout(whole)]
    parts = shown_parts(trace)
    back = bool(parts) and isinstance(parts[-1].place, BackwardPlace)
    if back or (selection.detail == "summary" and parts):
        return []
    part, spans = last_finding(trace, selection)
    steps = [step for step in parts if step is part or step.step != "states"]
    return [Callout(spans)] if spans and not any(part is step for step in steps[-2:]) else []


def _asked_for(trace: Trace, selection: Selection) -> list[Block]:
    """Returns graphs, and tokens before and after, where the scenario asks for these."""
    show = trace.scenario.show
    if not (show.before_after or show.graph or show.arrows):
        return []
    from attncli.pages.parts.outcomes import before_and_after, closing_graphs, result_of

    blocks = before_and_after(trace, result_of(trace), selection)
    return [*blocks, *closing_graphs(trace, selection)]


def _varied(trace: Trace, selection: Selection) -> list[Block]:
    if not trace.variants:
        return []
    from attncli.pages.parts.outcomes import variants_of

    return variants_of(trace, selection)


def _trained(trace: Trace, selection: Selection) -> list[Block]:
    if trace.scenario.training is None:
        return []
    from attncli.pages.parts.outcomes import training_table

    return training_table(trace, selection)


def _generated(trace: Trace, selection: Selection) -> list[Block]:
    if not trace.scenario.prediction.generate:
        return []
    from attncli.pages.parts.generation import generation_of

    return generation_of(trace, selection)


def unused_in(trace: Trace) -> list[Quantity]:
    """Lists the given quantities that no step came to use."""
    made = (definition for definition in trace.plan if definition.name in trace)
    used = {name for definition in made for name in definition.operands}
    return [q for q in trace.quantities.values() if q.given and q.name not in used]


def ending_in_short(trace: Trace) -> str:
    """Says in short what was not used and where it ends, `; not used: W3; ends before ffn, which
    needs W3`; nothing where neither is so."""
    unused = f"; not used: {listed(trace.unused)}" if trace.unused else ""
    ends = trace.unfinished
    if ends is None or not looks_forgotten(trace, unused_in(trace)):
        return unused
    return f"{unused}; ends before {ends.definition.step}, which needs {listed(ends.missing)}"


def ending_facts(trace: Trace) -> dict[str, object]:
    """Returns what was given to no purpose and what is missing, as data."""
    unused = {"unused": [*trace.unused]} if trace.unused else {}
    ends = trace.unfinished
    if ends is None or not looks_forgotten(trace, unused_in(trace)):
        return {**unused}
    return {**unused, "unfinished": {"step": ends.definition.step, "needs": [*ends.missing]}}


def looks_forgotten(trace: Trace, unused: Sequence[Quantity]) -> bool:
    """Tells whether a trace ends where its scenario seems to want more.

    It is meant to end where it does if it has told or found something, and the scenario gives
    nothing of what the step that comes next would need besides what flows into it: no weights, no
    values. Something looks forgotten if that step has made a part of what it makes, if anything
    else that is given, or that it needs and was made, waits to be used, or if only d_k is missing.
    """
    ends = trace.unfinished
    if ends is None:
        return False
    part = trace.part_of(ends.definition.name)
    if part is None or ends.definition.needs or made_by(trace, part):
        return True
    if not shown_parts(trace) and not last_finding(trace, Selection()).spans:
        return True
    waiting = {name for name in ends.definition.operands if name in trace}
    return not waiting.union(quantity.name for quantity in unused) <= {part.place.x}


def closing_of(trace: Trace, selection: Selection) -> tuple[Block, ...]:
    """Returns all that comes behind a page's sections."""
    unused, end = unused_in(trace), trace.unfinished
    return (
        *_not_needed(trace, unused, selection),
        *_unused_settings(trace),
        *([unfinished_in_words(end)] if end and looks_forgotten(trace, unused) else ()),
        *_way_back(trace, selection),
        *closing_notes(trace, selection),
        *closing_on_claims(trace),
        *closing_on_published(trace, selection),
        *_judged(trace),
        *_why(trace, selection),
        *_what_if(trace),
    )


def _way_back(trace: Trace, selection: Selection) -> list[Block]:
    """Returns the way back at a glance, where there is one of several steps. A page of training by
    rows, which goes on from it, is long enough without."""
    back = sum(isinstance(part.place, BackwardPlace) for part in shown_parts(trace))
    is_long = trace.scenario.training and selection.detail == "rows"
    if not back or ((is_long or back == 1) and not selection.whole):
        return []
    from attncli.pages.parts.gradients import chain_of

    return chain_of(trace, selection)


def _unused_settings(trace: Trace) -> list[Block]:
    """Names what the scenario sets for steps that aren't taken."""
    names = [name for name in trace.unused if name not in trace]
    so_far = " so far" if trace.unfinished is not None else ""
    spans = joined((Term(name),) for name in names)
    return [Callout((f"Set, and not used{so_far}: ", *spans, "."))] if names else []


def _not_needed(trace: Trace, unused: Sequence[Quantity], selection: Selection) -> list[Block]:
    if not unused:
        return []
    used = any(definition.name in trace and definition.operands for definition in trace.plan)
    heading = "Given, and not needed" if used else "Given"
    heading += " so far" if used and trace.unfinished is not None else ""
    return [Subheading((heading,)), *given_blocks(trace, unused, selection)]


def _judged(trace: Trace) -> list[Block]:
    """Says where it is told why the source prints other numbers than are worked here."""
    called = as_asked_for(trace.scenario)
    count = printed_otherwise(trace)
    if called is None or not count:
        return []
    text = f"Why {'does it' if count == 1 else 'do these'} differ? "
    return [Callout((text, Term(f"attn check {_typed(called)}{asking_for_large(trace.scenario)}")))]


def _why(trace: Trace, selection: Selection) -> list[Block]:
    """Says where a step is explained: the one that found something, or else the last; where weights
    are given and not used, the one that would have made them."""
    steps, called = shown_parts(trace), as_asked_for(trace.scenario)
    if not steps or called is None:
        return []
    part = last_finding(trace, selection).part or steps[-1]
    step = _way_to_read_of(steps) or part.step
    explained = f"{_typed(called)} --step {step}{asking_for_large(trace.scenario)}"
    if any(q is weights_of(trace) for q in unused_in(trace)):
        explained = "softmax"
    return [Callout(retold(Followed(), "Why? ", Term(f"attn explain {explained}")))]


def _what_if(trace: Trace) -> list[Block]:
    """Returns what to try next: questions, and the commands that answer them."""
    called = as_asked_for(trace.scenario)
    if called is None:
        return []
    command = f"attn run {_typed(called)}{asking_for_large(trace.scenario)}"
    blocks: list[Block] = []
    for question, changes in (trace.scenario.show.what_if or _without_one_number(trace)).items():
        typed = " ".join((command, *(f"--set {_typed(change)}" for change in changes)))
        blocks.append(Callout(retold(Followed(), Word(question), " ", Term(harmless(typed)))))
    return blocks


def _without_one_number(trace: Trace) -> Mapping[str, Sequence[str]]:
    """Returns the question for a scenario that asks none: without the largest number of the first
    matrix that something is computed from, if it is written in the file; with the change that
    answers it."""
    scenario = trace.scenario
    names = (name for d in trace.plan if d.name in trace for name in d.operands)
    written = (trace[name] for name in names if name in scenario.given)
    for quantity in written:
        if quantity.name in scenario.random or quantity.name in scenario.sources:
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
    return next((part for part in back if step_of(part).prominence.read_first), back[0]).step


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+=/")
"""What means nothing of its own to a shell."""


def _typed(called: str) -> str:
    """Quotes a name or a path as it is typed in a shell."""
    if _PLAIN.issuperset(called):  # as those of shipped scenarios are
        return called
    from shlex import quote

    return quote(called)


def asking_for_large(scenario: Scenario) -> str:
    """Returns the option that a further command needs for a scenario that is only worked where this
    is said."""
    return " --large" if scenario.large else ""


def as_asked_for(scenario: Scenario) -> str | None:
    """Returns what a command calls a scenario: a shipped one by its name, a file as it was asked
    for from here; by its name alone if that is absolute, since a page is read elsewhere too. None
    for what is no such file."""
    path = Path(scenario.places[""].source)
    if path == shipped.path_of(path.stem):
        return path.stem
    if path.suffix not in (".yaml", ".yml"):
        return None
    return path.name if path.is_absolute() else str(path)
