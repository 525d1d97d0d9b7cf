"""Pre-norm where post-norm belongs, and the other way round: the same quantities, each made of what
the other order makes it of."""

from __future__ import annotations

from dataclasses import replace

from attncli.scenario.model import Layer, Stack
from attncli.scenario.scenario import Scenario
from attncli.steps.step import Mistake
from attncli.trace import Definition, NormPlace

_INSTEAD_OF = {"pre": "post", "post": "pre"}
_SAYS = {
    "pre": "Norming what goes into each sublayer (pre-norm) where the sum of its input and its"
    " output is to be normed (post-norm).",
    "post": "Norming the sum of each sublayer's input and output (post-norm) where what goes into"
    " it is to be normed (pre-norm).",
}


def norm_order(order: str) -> Mistake[NormPlace]:
    """Norms that stand in this order, in all layers that have them in the other one."""

    def definitions(place: NormPlace) -> tuple[Definition, ...]:
        return tuple(_made_otherwise(place.scenario, order)) if _is_first(place, order) else ()

    return Mistake(
        f"{order}_norm",
        _SAYS[order],
        lambda place: next(iter(definitions(place)), None),
        lambda place: definitions(place)[1:],
    )


def _is_first(place: NormPlace, order: str) -> bool:
    """Whether a norm is the first of those that the other order concerns."""
    layers = (layer for stack in place.scenario.stacks for layer in stack.layers)
    return place.path == next(
        (layer.norms[0].path for layer in layers if layer.norm == _INSTEAD_OF[order]), None
    )


def _made_otherwise(scenario: Scenario, order: str) -> list[Definition]:
    """What is made of something else in this order, in the order in which that can be made."""
    from attncli.steps.planning import sized
    from attncli.steps.story import story

    encoder = scenario.encoder
    other = replace(
        scenario,
        stack=_ordered(scenario.stack, order),
        encoder=None if encoder is None else _ordered(encoder, order),
    )
    told = sized(replace(other, story=story(other)))
    planned = {one.name: one.operands for part in scenario.story for one in part.definitions}
    return [
        one
        for part in told
        for one in part.definitions
        if one.name not in scenario.given and planned.get(one.name, one.operands) != one.operands
    ]


def _ordered(stack: Stack, order: str) -> Stack:
    return stack._replace(layers=tuple(_of_layer(layer, order) for layer in stack.layers))


def _of_layer(layer: Layer, order: str) -> Layer:
    return layer._replace(norm=order) if layer.norm == _INSTEAD_OF[order] else layer
