"""The parts of a trace that were told, and what each made."""

from __future__ import annotations

from attncli.name import Name
from attncli.steps import Step, step_named
from attncli.trace import Making, Part, Quantity, Trace
from attncli.word import Said

_PLACES = {
    "encoder": "Encoder",
    "layers": "Layer",
    "heads": "Head",
    "cross": "Cross-attention",
    "forward": "Forward",
    "backward": "Backward",
}
NORMS = ("norm1", "norm2", "norm3", "embedding_norm", "final_norm")
WITHIN_A_STEP = (*NORMS, "next", "gates", "rounds", "words")
"""Paths of single steps rather than of places."""


def told_parts(trace: Trace) -> list[Part]:
    """The parts that the trace gets through, in order."""
    return [
        part
        for part in trace.story
        if made_by(trace, part) or (part.step == "tokenize" and part.scope.text.tokens)
    ]


def made_by(trace: Trace, part: Part) -> list[Quantity]:
    """The quantities that a part made."""
    made = (trace.quantities.get(making.name) for making in part.makings)
    return [quantity for quantity in made if quantity is not None and not quantity.given]


def makings_of(trace: Trace, part: Part) -> tuple[Making, ...]:
    """How a part made what it made."""
    return tuple(q.making for q in made_by(trace, part) if q.making is not None)


def operands_of(trace: Trace, part: Part) -> list[Quantity]:
    """The quantities that a part starts from."""
    makings = makings_of(trace, part)
    names = [name for making in makings for name in making.operands]
    own = {making.name for making in makings}
    return [trace[name] for name in dict.fromkeys(names) if name not in own]


def step_of(part: Part) -> Step:
    return step_named(part.step)


def title_of(part: Part) -> Said:
    """What a part is called: its step's title there."""
    return step_of(part).title_at(part.scope)


def place_in_words(path: Name) -> str:
    """`Layer 1 · Head 2` of `layers[1].heads[2]`; nothing for the top."""
    places = (place for place in path.places if place.local not in WITHIN_A_STEP)
    return " · ".join(map(_in_words, places))


def _in_words(place: Name) -> str:
    word = _PLACES.get(place.local, place.local)
    return word if place.number is None else f"{word} {place.number}"


def is_structured(trace: Trace) -> bool:
    """Whether there is more to it than one attention with one head, or one time of a cell."""
    if any(part.scope.time > 1 for part in trace.story):
        return True
    places = {place.local for part in trace.story for place in part.path.places}
    return not places.isdisjoint(("layers", "heads", *NORMS))
