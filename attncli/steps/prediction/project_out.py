"""From the width of the model back to that of the embeddings, which the logits are made with.

OPT of 350 million parameters: Zhang et al. 2022, arXiv:2205.01068.
"""

from __future__ import annotations

from attncli.arithmetic.operations import Linear, MatMul
from attncli.file.keys import Key, Record
from attncli.file.matrices import MATRIX, VECTOR
from attncli.name import below
from attncli.steps.linear import MISTAKES_BACK, linear, without_bias
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, Place

_PROJECT_OUT = Record.of(
    Key("W", MATRIX, "what the last states are multiplied by, [d_model, d_embed]"),
    Key("b", VECTOR, "its bias, [d_embed]"),
)


def _projected(place: Place, *, transposed: bool = False) -> Definition:
    out_in = place.stack.said.linear != transposed
    return linear(place, "projected", place.x, "", out_in=out_in)


def _by_other(place: Place) -> Definition | None:
    """By the matrix that projected the embeddings, the other way round."""
    other = below(below(place.stack.path, "project_in"), "W")
    if not place.scenario.gives(other):
        return None
    operation = MatMul() if place.stack.said.linear else Linear()
    return Definition(place.name("projected"), operation, (place.x, other))


_NARROW = (
    "embeddings={I: [1], love: [-1], AI: [2]}",
    "project_in={W: [[1, 0.5]]}",
    "project_out={W: [[0.5], [-1]]}",
)

STEP = Step(
    name="project_out",
    at=Place,
    keys=(
        Key(
            "project_out",
            _PROJECT_OUT,
            "the last states, normed or not, are multiplied by a matrix before any logits: `{W:"
            " …}`, with a bias `b` or without, which makes them as wide as embeddings that are the"
            " unembedding too",
        ),
    ),
    title="Projection out",
    does="makes the last states as wide as the embeddings",
    makes=("projected",),
    shapes="x [n, d_model], W [d_model, d_embed] → projected [n, d_embed]",
    happens=lambda _: (
        "Each token's last state is multiplied by a matrix that makes it as wide as an embedding."
    ),
    why=(
        "A state can only be compared with the embeddings of the vocabulary where it has as many"
        " numbers as they have."
    ),
    more=(
        "It is the way back of the projection in, with a matrix of its own: the states have changed"
        " on their way through the layers."
    ),
    plan=lambda place: (_projected(place),),
    general=General(x="x", gives=("b",)),
    shown_with=_NARROW,
    mistakes=(
        Mistake(
            "transposed",
            "Multiplying by the rows of W instead of its columns.",
            lambda place: _projected(place, transposed=True),
        ),
        Mistake(
            "bias_forgotten",
            "Leaving out the bias b.",
            lambda place: without_bias(_projected(place)),
        ),
        Mistake(
            "by_the_matrix_in",
            "Taking the matrix that embeddings are projected by, transposed, instead of a matrix of"
            " its own.",
            _by_other,
        ),
    ),
    backward=Backward(
        "the projection out",
        (
            "The gradient of a vector as wide as an embedding becomes one as wide as the model,"
            " through the same matrix for each token."
        ),
        usual_mistakes=MISTAKES_BACK,
        example="i_love_ai",
        shown_with=(*_NARROW, "targets=[[1], [0], [1]]"),
    ),
)
