"""The parts of a trace that were told, and what each made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from attncli.arithmetic.operations.moved import Same
from attncli.name import Name
from attncli.steps import Step, step_named
from attncli.trace import Definition, PlannedStep, Quantity, RoundPlace, Trace
from attncli.trace.trace import parts_of
from attncli.word import Phrase

_PLACES = {
    "encoder": "Encoder",
    "layers": "Layer",
    "heads": "Head",
    "cross": "Cross-attention",
    "experts": "Expert",
    "shared_expert": "Shared expert",
    "forward": "Forward",
    "backward": "Backward",
    "train": "After update",
}
NORMS = (
    "norm1", "norm2", "norm3", "norm1_after", "norm2_after", "norm3_after", "embedding_norm",
    "final_norm",
)  # fmt: skip
WITHIN_A_STEP = (
    *NORMS, "project_in", "project_out", "next", "head", "norm", "classes", "gates", "router",
    "rounds", "words",
)  # fmt: skip
"""Paths of single steps rather than of places."""


@lru_cache(maxsize=8)
def told_parts(trace: Trace) -> tuple[PlannedStep, ...]:
    """The parts that the page tells of those that the trace gets through, in order; found once for
    a trace. Of many rounds of learning some are left out, and experts that no token goes to."""
    return tuple(told_of(trace, parts_of(trace)))


def told_of(trace: Trace, parts: Iterable[PlannedStep]) -> Iterator[PlannedStep]:
    """Those of some parts that the page tells."""
    return (part for part in parts if _is_told(trace, part))


def _is_told(trace: Trace, part: PlannedStep) -> bool:
    if part.path.local == "experts":
        from attncli.telling.routing import is_idle

        return not is_idle(trace, part)
    return not isinstance(part.place, RoundPlace) or part.place.told


def made_by(trace: Trace, part: PlannedStep) -> list[Quantity]:
    """The quantities that a part made."""
    made = (trace.quantities.get(definition.name) for definition in part.definitions)
    return [quantity for quantity in made if quantity is not None and not quantity.given]


def definitions_of(trace: Trace, part: PlannedStep) -> tuple[Definition, ...]:
    """How a part made what it made."""
    return tuple(q.definition for q in made_by(trace, part) if q.definition is not None)


def operands_of(trace: Trace, part: PlannedStep) -> list[Quantity]:
    """The quantities that a part starts from."""
    definitions = definitions_of(trace, part)
    names = [name for definition in definitions for name in definition.operands]
    own = {definition.name for definition in definitions}
    return [trace[name] for name in dict.fromkeys(names) if name not in own]


def copied_in(trace: Trace, part: PlannedStep) -> Quantity | None:
    """The one matrix that all that a part made are other names of, if that is so."""
    made = definitions_of(trace, part)
    sources = {name for one in made for name in one.operands}
    only_names = all(isinstance(one.operation, Same) for one in made)
    return trace[sources.pop()] if only_names and len(sources) == 1 else None


def only_for_sizes(trace: Trace, part: PlannedStep) -> set[str]:
    """The quantities that a part needs for their shapes, and not for their numbers."""
    sized = (one for one in definitions_of(trace, part) if one.operation.takes_only_sizes)
    return {name for one in sized for name in one.operands}


def step_of(part: PlannedStep) -> Step[Any]:
    return step_named(part.step)


def title_of(part: PlannedStep) -> Phrase:
    """What a part is called: its step's title there."""
    return step_of(part).title_at(part.place)


def place_in_words(path: Name) -> str:
    """`Layer 1 · Head 2` of `layers[1].heads[2]`; nothing for the top."""
    places = (place for place in path.places if place.local not in WITHIN_A_STEP)
    return " · ".join(map(_in_words, places))


def _in_words(place: Name) -> str:
    word = _PLACES.get(place.local, place.local)
    return word if place.number is None else f"{word} {place.number}"


def is_structured(trace: Trace) -> bool:
    """Whether there is more to it than one attention with one head, or one time of a cell."""
    if any((part.time or 0) > 1 for part in trace.story):
        return True
    places = {place.local for part in trace.story for place in part.path.places}
    return not places.isdisjoint(("layers", "heads", "experts", *NORMS))
