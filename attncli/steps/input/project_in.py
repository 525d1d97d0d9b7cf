"""From the width of the embeddings to that of the model.

Before positions are added: OPT of 350 million parameters (Zhang et al. 2022, arXiv:2205.01068).
After the norm: ALBERT's factorized embeddings (Lan et al. 2019, arXiv:1909.11942, 3.1), ELECTRA
(Clark et al. 2020, arXiv:2003.10555, 3.2).
"""

from __future__ import annotations

from attncli.arithmetic.operations import Linear, MatMul
from attncli.file.keys import Key, Record
from attncli.file.kinds import Choice
from attncli.file.matrices import MATRIX, VECTOR
from attncli.name import Name, below
from attncli.scenario.input_steps import PROJECT, makes_X
from attncli.steps.linear import MISTAKES_BACK, linear, without_bias
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, Place

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
    return below(place.stack.path, "X") if makes_X(PROJECT, place.stack) else (
        place.name("projected")
    )  # fmt: skip


def _projected(place: Place, *, transposed: bool = False) -> Definition:
    out_in = place.stack.said.linear != transposed
    return linear(place, "projected", place.x, "", out_in=out_in)._replace(name=_made(place))


def _by_other(place: Place) -> Definition | None:
    """By the matrix that projects back, the other way round."""
    other = below(below(place.stack.path, "project_out"), "W")
    if not place.scenario.gives(other):
        return None
    operation = MatMul() if place.stack.said.linear else Linear()
    return Definition(_made(place), operation, (place.x, other))


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
    plan=lambda place: (_projected(place),),
    general=General(x="E", gives=("b",)),
    shown_with=(
        "embeddings={I: [1], love: [-1], AI: [2]}",
        "project_in={W: [[1, 0.5]], b: [0, 1]}",
    ),
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
            "by_the_matrix_back",
            "Taking the matrix that projects back, transposed, instead of a matrix of its own.",
            _by_other,
        ),
    ),
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
