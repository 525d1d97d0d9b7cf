"""Where a trace ends, and what was given to no purpose: as data, and in a line."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.refusals import listed
from attncli.telling.parts import made_by, told_parts
from attncli.trace import Quantity, Trace


def unused_in(trace: Trace) -> list[Quantity]:
    """Given quantities that no step came to use."""
    made = (definition for definition in trace.plan if definition.name in trace)
    used = {name for definition in made for name in definition.operands}
    return [one for one in trace.quantities.values() if one.given and one.name not in used]


def ending_in_short(trace: Trace) -> str:
    """`; not used: W3; ends before ffn, which needs W3`; nothing where neither is so."""
    unused = f"; not used: {listed(trace.unused)}" if trace.unused else ""
    ends = trace.unfinished
    if ends is None or not looks_forgotten(trace, unused_in(trace)):
        return unused
    return f"{unused}; ends before {ends.definition.step}, which needs {listed(ends.missing)}"


def ending_facts(trace: Trace) -> dict[str, object]:
    """What was given to no purpose and what is missing, as data."""
    unused = {"unused": [*trace.unused]} if trace.unused else {}
    ends = trace.unfinished
    if ends is None or not looks_forgotten(trace, unused_in(trace)):
        return {**unused}
    return {**unused, "unfinished": {"step": ends.definition.step, "needs": [*ends.missing]}}


def looks_forgotten(trace: Trace, unused: Sequence[Quantity]) -> bool:
    """Whether a trace ends where its scenario seems to want more.

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
    if not told_parts(trace) and not _found_something(trace):
        return True
    waiting = {name for name in ends.definition.operands if name in trace}
    return not waiting.union(quantity.name for quantity in unused) <= {part.place.x}


def _found_something(trace: Trace) -> bool:
    from attncli.telling.findings import last_finding
    from attncli.telling.selection import Selection

    return bool(last_finding(trace, Selection())[1])
