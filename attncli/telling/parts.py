"""The parts of a trace that were told, what each made, which numbers of it lead nowhere, and which
tokens go to which experts: the others' rows of what an expert makes aren't told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from attncli.arithmetic.expression import Symbol
from attncli.arithmetic.operations.moved import Same
from attncli.document import Section, Spans
from attncli.name import Name, below
from attncli.steps import Step, step_named
from attncli.telling.sentences import called_as, tied
from attncli.trace import (
    GRADIENTS,
    Definition,
    LayerPlace,
    PlannedStep,
    Quantity,
    RoundPlace,
    Trace,
    UpdatePlace,
)
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


def is_aside(trace: Trace, quantity: Quantity) -> bool:
    """Whether nothing is made of a number on a page that goes back from its loss."""
    if not trace.scenario.goes_back or not quantity.is_number or quantity.given:
        return False
    if quantity.name.inside(GRADIENTS) or quantity.local == trace.scenario.prediction.loss:
        return False
    part = trace.part_of(quantity.name)
    if part is None or isinstance(part.place, UpdatePlace):
        return False
    return all(quantity.name not in one.operands for one in trace.plan)


def without_asides(trace: Trace, part: PlannedStep, section: Section) -> Section:
    """A section without the formulas of such numbers."""
    asides = {part.place.here(one.name) for one in made_by(trace, part) if is_aside(trace, one)}
    if not asides:
        return section
    kept = (
        one
        for one in section.formulas
        if not (isinstance(one.left, Symbol) and one.left.name in asides)
    )
    return section._replace(formulas=tuple(kept))
