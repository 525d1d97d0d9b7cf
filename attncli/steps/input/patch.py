"""From the patches of a picture to vectors, with a class token in front.

Dosovitskiy et al. 2020, arXiv:2010.11929, 3.1.
"""

from __future__ import annotations

from attncli.arithmetic.operations import JoinRows, Same
from attncli.file.keys import Key
from attncli.file.matrices import MATRIX, NAMED, VECTOR
from attncli.file.problems import Problems
from attncli.name import Name, below
from attncli.scenario.input_steps import steps_to_X
from attncli.steps.linear import linear
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Axis, Definition, Place
from attncli.trace.quantity import told_apart

PATCHES = Key(
    "patches",
    NAMED,
    "instead of a sentence: the patches of a picture, a row each, [n, pixels]; without W_patch"
    " their embeddings, [n, d_model]",
)
_KEYS = (
    PATCHES,
    Key("W_patch", MATRIX, "what patches are multiplied by, [pixels, d_model]"),
    Key("b_patch", VECTOR, "its bias, [d_model]"),
    Key("class_token", VECTOR, "a row that is put before those of the patches, [d_model]"),
)
_INSTEAD = ("sentence", "tokens", "ids", "embeddings", "X")


def _check(place: Place, problems: Problems) -> None:
    said = place.stack.said.values
    for key in (key for key in _INSTEAD if key in said):
        where = place.scenario.where(below(place.stack.path, key))
        problems.add(where, f"{key} beside patches, which go in instead", "keep one of them")
    if "embedding_scale" in said:
        where = place.scenario.where(below(place.stack.path, "embedding_scale"))
        wrong = "embedding_scale is for embeddings of tokens, and patches go in"
        problems.add(where, wrong, "leave it out")


def _plan(place: Place) -> tuple[Definition, ...]:
    x = "E" if steps_to_X(place.stack) else "X"
    first = place.gives("class_token")
    made = "patch_embeddings" if first else x
    patches = place.name("patches")
    if place.gives("W_patch"):
        out_in = place.stack.said.linear
        vectors = [linear(place, made, patches, "_patch", out_in=out_in)]
    else:
        vectors = [] if first else [Definition(place.name(x), Same(), (patches,))]
    if not first:
        return tuple(one._replace(rows=_tokens(place)) for one in vectors)
    below_it = vectors[0].name if vectors else patches
    return (*vectors, _in_front(place, place.name(x), below_it))


def _in_front(place: Place, made: Name, vectors: Name) -> Definition:
    rows = (place.name("class_token"), vectors)
    return Definition(made, JoinRows(), rows, rows=_tokens(place))


def _tokens(place: Place) -> Axis | None:
    names = place.text.tokens
    return Axis(told_apart(names), "token") if names else None


def _behind(place: Place) -> Definition | None:
    """The class token behind the patches."""
    if not place.gives("class_token"):
        return None
    right = _plan(place)[-1]
    return right._replace(operands=right.operands[::-1])


def _happens(place: Place) -> str:
    told = []
    if place.gives("W_patch"):
        told.append("Each patch, whose pixels stand in a row, is multiplied by the same matrix")
    if place.gives("class_token"):
        told.append("A class token, which is learned, comes before the patches")
    return ". ".join(told or ["The vectors of the patches are given"]) + "."


STEP = Step(
    name="patch",
    at=Place,
    keys=_KEYS,
    title="Patches",
    does="makes a vector of each patch of a picture",
    makes=("patch_embeddings", "E", "X"),
    shapes="patches [n, pixels], W_patch [pixels, d_model] → X [n, d_model], or [n + 1, d_model]",
    happens=_happens,
    why=(
        "A picture is cut into square patches, which are to a Transformer what tokens are: each"
        " becomes a vector."
    ),
    more=(
        "A class token gathers what the patches say of the whole picture. Where a patch lies in it"
        " nothing tells but the positions that are added."
    ),
    check=_check,
    plan=_plan,
    general=General(x="patches", gives=("W_patch", "b_patch", "class_token")),
    example="picture",
    mistakes=(Mistake("class_token_behind", "Putting the class token last.", _behind),),
    backward=Backward(
        "the patches",
        "The patches' weights are pushed by the pixels times the gradient of what went out.",
        example="picture",
        shown_with=("targets=[rising]",),
    ),
)
