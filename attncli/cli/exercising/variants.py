"""The forms of an exercise, worked one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attncli.telling.exercise.request import ExerciseRequest
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

    request = SearchRequest(count, seed, wish.quantities(trace), allow)
    for k, form in enumerate(search(trace.scenario, request)):
        yield form_name(k), form
