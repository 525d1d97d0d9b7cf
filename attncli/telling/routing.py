"""Which tokens go to which experts: the others' rows of what an expert makes aren't told."""

from __future__ import annotations

from collections.abc import Mapping

from attncli.document import Spans
from attncli.name import Name, below
from attncli.telling.attending import called_as, tied
from attncli.trace import LayerPlace, PlannedStep, Trace


def routed_rows(trace: Trace) -> Mapping[Name, tuple[int, ...]]:
    """The rows, from 0, of the tokens that go to each expert, by its place."""
    places = (part.place for part in trace.story if part.step == "route")
    paths = (
        p for place in places if isinstance(place, LayerPlace) for p in place.layer.expert_paths
    )
    return {path: _rows(trace, path) for path in paths if below(path, "share") in trace}


def _rows(trace: Trace, path: Name) -> tuple[int, ...]:
    share = trace[below(path, "share")].values[:, 0]
    return tuple(int(i) for i in share.nonzero()[0])


def is_idle(trace: Trace, part: PlannedStep) -> bool:
    """Whether a part is of an expert that no token goes to."""
    if part.path.local != "experts" or below(part.path, "share") not in trace:
        return False
    return not _rows(trace, part.path)


def idle_before(trace: Trace, part: PlannedStep) -> list[PlannedStep]:
    """The parts of experts that no token goes to, before the step that puts experts together."""
    if part.step != "mix" or not isinstance(part.place, LayerPlace):
        return []
    paths = part.place.layer.expert_paths
    return [one for one in trace.story if one.path in paths and is_idle(trace, one)]


def who_goes_there(trace: Trace, part: PlannedStep) -> Spans:
    """Which tokens go to the expert that a part is of; nothing of any other part."""
    if part.path.local != "experts" or below(part.path, "share") not in trace:
        return ()
    share = trace[below(part.path, "share")]
    rows = _rows(trace, part.path)
    if len(rows) == len(share.rows.names):
        return ("All tokens go to this expert.",)
    named = tied([called_as(share.rows.names, i) for i in rows])
    return ("Only ", *named, f" go{'es' * (len(rows) == 1)} to this expert.")
