"""Values that a scenario gives and no step uses, and traces that end before they seem to."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.document.blocks import Block, Callout, Subheading, Term
from attncli.errors import listed
from attncli.pages.parts.answer import last_finding
from attncli.pages.parts.blocks import given_blocks
from attncli.pages.parts.selection import Selection, made_by, shown_parts
from attncli.pages.parts.sentences import joined
from attncli.trace import Quantity, Trace


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


def unused_settings(trace: Trace) -> list[Block]:
    """Names what the scenario sets for steps that aren't taken."""
    names = [name for name in trace.unused if name not in trace]
    so_far = " so far" if trace.unfinished is not None else ""
    spans = joined((Term(name),) for name in names)
    return [Callout((f"Set, and not used{so_far}: ", *spans, "."))] if names else []


def not_needed(trace: Trace, unused: Sequence[Quantity], selection: Selection) -> list[Block]:
    if not unused:
        return []
    used = any(definition.name in trace and definition.operands for definition in trace.plan)
    heading = "Given, and not needed" if used else "Given"
    heading += " so far" if used and trace.unfinished is not None else ""
    return [Subheading((heading,)), *given_blocks(trace, unused, selection)]
