"""Extents that a scenario states, such as `d_k: 64`, and those that the paper would have."""

from __future__ import annotations

from collections.abc import Iterable

from attncli.name import TOP, Name, below
from attncli.scenario.input_steps import projected_when
from attncli.scenario.model import Attention
from attncli.scenario.scenario import Scenario
from attncli.trace.extents import Extent, Extents


def know_stated(scenario: Scenario, extents: Extents) -> None:
    """The extents that are stated: d_model, d_k, d_v, d_ff."""
    for stack in scenario.stacks:
        stated = below(stack.path, "d_model")
        as_wide = () if projected_when(stack) == "after" else stack.added
        for local in ("X", *as_wide) if stated in scenario.sizes else ():
            name = below(stack.path, local)
            extents.know((name, 1), Extent(scenario.sizes[stated], stated, 1), stated)
    for path, local, name in _sized_quantities(scenario):
        stated = below(path, local)
        if stated not in scenario.sizes:
            stated = next((s for s in _above(path, local) if s in scenario.sizes), TOP)
        if stated:
            extents.know((name, 1), Extent(scenario.sizes[stated], stated, 1), stated)


def _above(path: Name, local: str) -> Iterable[Name]:
    while path:
        path = path.path
        yield below(path, local)


def _sized_quantities(scenario: Scenario) -> Iterable[tuple[Name, str, Name]]:
    """Which quantities' columns d_k, d_v and d_ff are, with the paths that they are said for."""
    for site in scenario.sites:
        for head in range(site.attention.heads):
            path = site.attention.head_path(head)
            yield from (
                (site.layer.path, size, below(path, name))
                for name, size in (("K", "d_k"), ("Q", "d_k"), ("V", "d_v"))
            )
    for stack in scenario.stacks:
        for layer in stack.layers:
            for path in layer.networks:
                yield layer.path, "d_ff", below(path, "hidden")


def know_papers(scenario: Scenario, extents: Extents) -> None:
    """The paper's proportions for random matrices of which nothing else tells the size:
    d_k = d_v = d_model / heads, d_ff = 4 d_model."""
    for site in scenario.sites:
        d_model = extents.of((below(site.stack.path, "X"), 1))
        if d_model is None:
            continue
        _paper_heads(extents, d_model, site.attention)
        for path in site.layer.networks:
            inner = d_model._replace(size=4 * d_model.size, derived=True)
            _know_if_unknown(extents, below(path, "hidden"), inner)
            _know_if_unknown(extents, below(path, "ffn"), d_model)


def _know_if_unknown(extents: Extents, name: Name, columns: Extent) -> None:
    if extents.of((name, 1)) is None:
        extents.know((name, 1), columns, name)
        extents.settle()


def _paper_heads(extents: Extents, d_model: Extent, attention: Attention) -> None:
    heads = attention.heads
    for local in ("K", "Q", "V"):
        for head in range(heads):
            name = below(attention.head_path(head), local)
            if extents.of((name, 1)) is None and d_model.size % heads:
                extents.uneven(d_model, heads, name)
                return
            part = d_model._replace(size=d_model.size // heads, derived=True)
            _know_if_unknown(extents, name, part)
    _know_if_unknown(extents, below(attention.path, "attention"), d_model)
