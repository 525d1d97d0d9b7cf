"""The way of a stack's embeddings to its X: projected, added to, normed."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.name import below
from attncli.scenario.input_steps import ADD, NORM, PROJECT, makes_X, steps_to_X
from attncli.trace import NormPlace, Place


def ways_to_X(place: Place) -> Iterator[tuple[str, Place]]:  # noqa: N802
    """The steps that are taken at a stack's place, in order, each at a place of its own."""
    stack, taken = place.stack, steps_to_X(place.stack)
    if stack.positions and ADD not in taken:  # which are checked, wherever they are told
        yield ADD, place
    for step in taken:
        if step == NORM and stack.embedding_norm is not None:
            norm = stack.embedding_norm
            out = place.x if makes_X(step, stack) else below(norm.path, "normed")
            yield step, place.to(NormPlace, path=norm.path, norm=norm, out=out)
        else:
            yield step, place.at(place.name(step)) if step == PROJECT else place
