"""Extents that a scenario states, such as `d_k: 64`, and those that the paper would have."""

from __future__ import annotations

from collections.abc import Iterable

from attncli.scenario import Scenario
from attncli.scenario.model import Attention, below
from attncli.trace.extents import Extent, Extents


def know_stated(scenario: Scenario, extents: Extents) -> None:
    """The extents that are stated: d_model, d_k, d_v, d_ff."""
    for stack in scenario.stacks:
        stated = below(stack.path, "d_model")
        if stated in scenario.sizes:
            extents.know(
                (below(stack.path, "X"), 1), Extent(scenario.sizes[stated], stated, 1), stated
            )
    for path, local, name in _sized_quantities(scenario):
        stated = below(path, local)
        if stated not in scenario.sizes:
            stated = next((s for s in _above(path, local) if s in scenario.sizes), "")
        if stated:
            extents.know((name, 1), Extent(scenario.sizes[stated], stated, 1), name)


def _above(path: str, local: str) -> Iterable[str]:
    while path:
        path = path.rpartition(".")[0]
        yield below(path, local)


def _sized_quantities(scenario: Scenario) -> Iterable[tuple[str, str, str]]:
    """Which quantities' columns d_k, d_v and d_ff are, with the paths that they are said for."""
    for stack in scenario.stacks:
        for layer in stack.layers:
            for attention in (layer.attention, layer.cross):
                if attention is not None:
                    for head in range(attention.heads):
                        path = attention.head_path(head)
                        yield layer.path, "d_k", below(path, "K")
                        yield layer.path, "d_k", below(path, "Q")
                        yield layer.path, "d_v", below(path, "V")
            if layer.has_ffn:
                yield layer.path, "d_ff", below(layer.path, "hidden")


def know_papers(scenario: Scenario, extents: Extents) -> None:
    """The paper's proportions for random matrices of which nothing else tells the size:
    d_k = d_v = d_model / heads, d_ff = 4 d_model."""
    for stack in scenario.stacks:
        d_model = extents.of((below(stack.path, "X"), 1))
        if d_model is None:
            continue
        for layer in stack.layers:
            for attention in (layer.attention, layer.cross):
                if attention is not None:
                    _paper_heads(extents, d_model, attention)
            hidden = (below(layer.path, "hidden"), 1)
            if layer.has_ffn and extents.of(hidden) is None:
                extents.know(hidden, d_model._replace(size=4 * d_model.size, derived=True), "")
            ffn = (below(layer.path, "ffn"), 1)
            if layer.has_ffn and extents.of(ffn) is None:
                extents.know(ffn, d_model, "")
            extents.settle()


def _paper_heads(extents: Extents, d_model: Extent, attention: Attention) -> None:
    heads, path = attention.heads, attention.path
    for local in ("K", "Q", "V"):
        for head in range(heads):
            node = (below(attention.head_path(head), local), 1)
            if extents.of(node) is not None:
                continue
            if d_model.size % heads:
                extents.uneven(d_model, heads, below(attention.head_path(head), "Q"))
                return
            extents.know(node, d_model._replace(size=d_model.size // heads, derived=True), node[0])
            extents.settle()
    attended = (below(path, "attention"), 1)
    if extents.of(attended) is None:
        extents.know(attended, d_model, "")
    extents.settle()
