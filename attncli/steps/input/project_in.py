"""From the width of the embeddings to that of the model.

Before positions are added: OPT of 350 million parameters (Zhang et al. 2022, arXiv:2205.01068).
After the norm: ALBERT's factorized embeddings (Lan et al. 2019, arXiv:1909.11942, 3.1), ELECTRA
(Clark et al. 2020, arXiv:2003.10555, 3.2).
"""

from __future__ import annotations

from attncli.file.keys import Key, Record
from attncli.file.kinds import Choice
from attncli.file.matrices import MATRIX, VECTOR
from attncli.name import Name, below
from attncli.scenario.input_steps import PROJECT, makes_X
from attncli.steps.linear import MISTAKES_BACK
from attncli.steps.projections import mistakes, projected
from attncli.steps.step import Backward, General, Step
from attncli.trace import Place

_PROJECT_IN = Record.of(
    Key("W", MATRIX, "what embeddings are multiplied by, [d_embed, d_model]"),
    Key("b", VECTOR, "its bias, [d_model]"),
    Key(
        "when",
        Choice(("before", "after")),
        "`before` positions are added (the default, as in OPT), or `after` all that is added, and"
        " the norm (ALBERT, ELECTRA)",
        "before",
    ),
)


def _made(place: Place) -> Name:
    if makes_X(PROJECT, place.stack):
        return below(place.stack.path, "X")
    return place.name("projected")


def _happens(place: Place) -> str:
    told = "Each embedding is multiplied by a matrix that makes it as wide as the model"
    return f"{told}." if _made(place).local != "X" else f"{told}: the token's input embedding."


STEP = Step(
    name="project_in",
    at=Place,
    keys=(
        Key(
            "project_in",
            _PROJECT_IN,
            "embeddings that are narrower than the model, or wider, are multiplied by a matrix:"
            " `{W: …}`, with a bias `b` or without",
        ),
    ),
    title="Projection in",
    does="makes the embeddings as wide as the model",
    makes=("projected", "X"),
    shapes="E [n, d_embed], W [d_embed, d_model] → projected [n, d_model]",
    happens=_happens,
    why=(
        "The table of embeddings has a row for each token of the vocabulary; with short rows it is"
        " small, however wide the model is."
    ),
    more=(
        "50,000 tokens of 1,024 numbers are 51 million numbers; of 512, with a matrix of"
        " 512 × 1,024 for all of them, they are 26 million. What a token means by itself takes less"
        " room than what it means in a sentence."
    ),
    plan=lambda place: (projected(place, _made),),
    general=General(x="E", gives=("b",)),
    shown_with=(
        "embeddings={I: [1], love: [-1], AI: [2]}",
        "project_in={W: [[1, 0.5]], b: [0, 1]}",
    ),
    mistakes=mistakes(_made, "project_out", "by_the_matrix_back", "that projects back"),
    backward=Backward(
        "the projection in",
        (
            "Every token's embedding goes through the same matrix, which is pushed by all of them,"
            " the embeddings by what comes back through it."
        ),
        usual_mistakes=MISTAKES_BACK,
        example="i_love_ai",
    ),
)
