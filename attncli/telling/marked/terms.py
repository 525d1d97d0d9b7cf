"""What is accepted for numbers inside lines of working."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attncli.marking.verdicts import Accepted
from attncli.questions import RightAnswer
from attncli.scenario.exercise import Blanking
from attncli.telling.exercise.blanked import taken
from attncli.telling.exercise.request import ExerciseRequest, PartAsked
from attncli.telling.selection import select
from attncli.trace import Trace


def keys_of_terms(
    trace: Trace, steps: Sequence[str], ids: Sequence[str]
) -> Mapping[str, RightAnswer]:
    """The keys of numbers inside lines of some steps, by their ids: of those that a sheet asks for
    beside results, else of those that it does alone."""
    found: dict[str, RightAnswer] = {}
    for kind in ("all", "working"):
        if not found.keys() >= set(ids):
            wish = ExerciseRequest((PartAsked(select(trace, steps), blanking=Blanking(kind)),))
            found = {**taken(trace, wish, "").keys(), **found}
    return found


def accepted_by(key: RightAnswer) -> Accepted:
    return Accepted(float(key.low), float(key.high))
