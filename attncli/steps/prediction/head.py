"""A head: what a model does with its last vectors, before any logits.

BERT's for masked words, dense, activation, norm, and its pooler, the first token's vector through
a dense layer and tanh: Devlin et al. 2018, arXiv:1810.04805.
"""

from __future__ import annotations

from attncli.arithmetic.operations import ACTIVATIONS, Activate, Same
from attncli.file.keys import Key, Record
from attncli.file.kinds import Choice
from attncli.file.matrices import MATRIX, VECTOR
from attncli.steps.block.norm_keys import NORM
from attncli.steps.linear import linear
from attncli.steps.prediction.chosen import chosen, whose
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, Place

_ACTIVATION = Key(
    "activation",
    Choice((*ACTIVATIONS, "none")),
    "one of those of a feed-forward network, `none` by default",
    "none",
)
_HEAD = Record.of(
    Key("W", MATRIX, "what vectors are multiplied by, [d_model, d]"),
    Key("b", VECTOR, "its bias, [d]"),
    _ACTIVATION,
    Key("norm", NORM, "a norm after the activation"),
)


def _plan(place: Place) -> tuple[Definition, ...]:
    one = chosen(place)
    dense = linear(place, "hidden", place.x if one is None else one.name, "",
                   out_in=place.stack.said.linear)  # fmt: skip
    kind = _kind(place)
    made = [*filter(None, [one]), dense]
    if kind != "none":
        made.append(Definition(place.name("activated"), Activate(kind), (dense.name,)))
    return tuple(made)


def _kind(place: Place) -> str:
    head = place.scenario.prediction.head
    return "none" if head is None else head.activation


def _sized(place: Place, planned: Definition) -> Definition:
    """The last of as many rows as there are."""
    one = chosen(place)
    return one if one is not None and one.name == planned.name else planned


def _without_activation(place: Place) -> Definition | None:
    if _kind(place) == "none":
        return None
    return Definition(place.name("activated"), Same(), (place.name("hidden"),))


def _by_relu(place: Place) -> Definition | None:
    if _kind(place) in ("none", "relu"):
        return None
    return Definition(place.name("activated"), Activate("relu"), (place.name("hidden"),))


def _from_last(place: Place) -> Definition | None:
    return chosen(place, -1) if place.scenario.prediction.which == "first" else None


def _happens(place: Place) -> str:
    kind = _kind(place)
    activated = "" if kind == "none" else f" and the activation {kind}"
    return f"{whose(place)} goes through a layer of the head's own{activated}."


STEP = Step(
    name="head",
    at=Place,
    keys=(
        Key(
            "head",
            _HEAD,
            "a layer between the last layer and the logits, such as BERT's for masked words"
            " (`{W: …, b: …, activation: gelu, norm: {…}}`, with `predict_from: every`) and its"
            " pooler (`tanh`, with `predict_from: first`)",
        ),
    ),
    title="Head",
    does="makes the last vectors ready for what is asked of them",
    makes=("last", "first", "hidden", "activated"),
    shapes="x [n, d_model], W [d_model, d] → hidden [n, d] → activated [n, d]",
    happens=_happens,
    why=(
        "What a model has found out about a sentence can be asked in many ways; a head makes its"
        " last vectors ready for one of them."
    ),
    more=(
        "It is small, and learned with the question: which word belongs in a place, or of which"
        " kind a sentence or a picture is."
    ),
    example="masked_word",
    plan=_plan,
    sized=_sized,
    general=General(x="x", gives=("b",)),
    mistakes=(
        Mistake("activation_forgotten", "Leaving the activation out.", _without_activation),
        Mistake(
            "relu_for_another", "Taking ReLU instead of the activation that is asked for.", _by_relu
        ),
        Mistake(
            "from_the_last", "Taking the last token's vector instead of the first.", _from_last
        ),
    ),
    backward=Backward(
        "the head",
        (
            "A weight is pushed by what came in times the gradient of what went out, and only the"
            " vectors that were taken get any."
        ),
        example="masked_word",
        shown_with=("targets=[I, love, AI]",),
    ),
)
