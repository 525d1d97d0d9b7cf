"""From the width of the model back to that of the embeddings, which the logits are made with.

OPT of 350 million parameters: Zhang et al. 2022, arXiv:2205.01068.
"""

from __future__ import annotations

from attncli.file.keys import Key, Record
from attncli.file.matrices import MATRIX, VECTOR
from attncli.name import Name
from attncli.steps.linear import MISTAKES_BACK
from attncli.steps.projections import mistakes, projected
from attncli.steps.step import Backward, General, Step
from attncli.trace import Place

_PROJECT_OUT = Record.of(
    Key("W", MATRIX, "what the last states are multiplied by, [d_model, d_embed]"),
    Key("b", VECTOR, "its bias, [d_embed]"),
)


def _made(place: Place) -> Name:
    return place.name("projected")


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
    plan=lambda place: (projected(place, _made),),
    general=General(x="x", gives=("b",)),
    shown_with=_NARROW,
    mistakes=mistakes(_made, "project_in", "by_the_matrix_in", "that embeddings are projected by"),
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
