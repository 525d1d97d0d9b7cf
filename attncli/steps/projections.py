"""What the projections of embeddings, in and out, have in common: a matrix and a bias of their own,
and what people do wrong with these."""

from __future__ import annotations

from collections.abc import Callable

from attncli.arithmetic.operations import Linear, MatMul
from attncli.name import Name, below
from attncli.steps.linear import linear, without_bias
from attncli.steps.step import Mistake
from attncli.trace import Definition, Place

Made = Callable[[Place], Name]
"""The full name of what a projection makes at a place."""


def projected(place: Place, made: Made, *, transposed: bool = False) -> Definition:
    """x W + b, or by the rows of W instead of its columns. [n, k], [k, m], [m] -> [n, m]"""
    out_in = place.stack.said.linear != transposed
    return linear(place, "projected", place.x, "", out_in=out_in)._replace(name=made(place))


def mistakes(made: Made, other: str, name: str, instead: str) -> tuple[Mistake[Place], ...]:
    """Those that are made here; the last, of a `name`, takes the matrix of the `other` projection,
    which goes the other way, `instead` of its own."""

    def by_other(place: Place) -> Definition | None:
        matrix = below(below(place.stack.path, other), "W")
        if not place.scenario.gives(matrix):
            return None
        operation = MatMul() if place.stack.said.linear else Linear()
        return Definition(made(place), operation, (place.x, matrix))

    return (
        Mistake(
            "transposed",
            "Multiplying by the rows of W instead of its columns.",
            lambda place: projected(place, made, transposed=True),
        ),
        Mistake(
            "bias_forgotten",
            "Leaving out the bias b.",
            lambda place: without_bias(projected(place, made)),
        ),
        Mistake(
            name,
            f"Taking the matrix {instead}, transposed, instead of a matrix of its own.",
            by_other,
        ),
    )
