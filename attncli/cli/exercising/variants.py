"""The forms of an exercise, worked one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attncli.telling.exercise.requests import ExerciseRequest
    from attncli.trace import Trace


def variants(
    trace: Trace, wish: ExerciseRequest, count: int | None, seed: int, allow: Sequence[str]
) -> Iterator[tuple[str, Trace]]:
    """The name and the trace of each form; of the one with the scenario's own numbers without a
    count. Raises Unsatisfied where no numbers will do."""
    from attncli.questions import OWN_FORM, form_name

    if count is None:
        yield OWN_FORM, trace
        return
    from attncli.design.search import SearchRequest, search

    points = wish.all_points if _may_be_longer(trace) else None
    request = SearchRequest(count, seed, wish.quantities(trace), allow, points=points)
    for k, form in enumerate(search(trace.scenario, request)):
        yield form_name(k), form


def _may_be_longer(trace: Trace) -> bool:
    """Whether pages of other numbers may have more to ask for: other pairs are counted, or other
    experts chosen. What is asked for is looked up only then, since it takes as long as a page."""
    return trace.scenario.recount is not None or any(one.step == "route" for one in trace.story)
