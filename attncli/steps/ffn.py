"""The position-wise feed-forward network (Vaswani et al. 2017, 3.3).

Gated networks: Shazeer 2020, arXiv:2002.05202.
"""

from __future__ import annotations

from attncli.arithmetic.operations import ACTIVATIONS, Activate, MatMul, MatMulTransposed, Multiply
from attncli.file.keys import Key
from attncli.file.kinds import COUNT, Choice
from attncli.file.matrices import MATRIX, VECTOR
from attncli.name import Name
from attncli.steps.linear import linear
from attncli.steps.step import General, Mistake, Step
from attncli.trace import Definition, LayerPlace

_GATED = {"swiglu": "silu", "geglu": "gelu"}
"""Activations of gated networks (Shazeer 2020, arXiv:2002.05202), and what they gate with."""
ACTIVATION = Key(
    "activation",
    Choice((*ACTIVATIONS, *_GATED, "none")),
    "the activation of the feed-forward network, `relu` by default (`gelu` is the exact "
    "one; `swiglu` and `geglu` are gated); of an rnn `tanh` (the default) or `relu`",
    "relu",
    shared=True,
)
_KEYS = (
    ACTIVATION,
    Key(
        "d_ff",
        COUNT,
        "the columns of the feed-forward network, for random matrices; 4 d_model by default",
        shared=True,
    ),
    Key("W1", MATRIX, "first weights of the feed-forward network, [d_model, d_ff]"),
    Key("b1", VECTOR, "its bias, [d_ff]; may be left out, as all biases may"),
    Key("W2", MATRIX, "second weights of the feed-forward network, [d_ff, d_out]"),
    Key("b2", VECTOR, "its bias, [d_out]"),
    Key(
        "W3",
        MATRIX,
        "with `swiglu` or `geglu`: what a gate multiplies, [d_model, d_ff]: (act(x W1 + b1) × "
        "(x W3 + b3)) W2 + b2",
    ),
    Key("b3", VECTOR, "their bias, [d_ff]"),
)


def _gated(place: LayerPlace) -> bool:
    return place.layer.said.get(ACTIVATION) in _GATED


def _last(place: LayerPlace) -> Name:
    """What the second layer is applied to."""
    if _gated(place):
        return place.name("gated")
    return place.name("hidden" if place.layer.said.get(ACTIVATION) == "none" else "activated")


def _linear(place: LayerPlace, made: str, x: Name, layer: str) -> Definition:
    return linear(place, made, x, layer, "ffn", out_in=place.layer.linear)


def _plan(place: LayerPlace) -> tuple[Definition, ...]:
    definitions = [_linear(place, "hidden", place.x, "1")]
    if place.layer.said.get(ACTIVATION) != "none":
        kind = _GATED.get(place.layer.said.get(ACTIVATION), place.layer.said.get(ACTIVATION))
        activated = place.name("activated")
        definitions.append(Definition(activated, Activate(kind), (place.name("hidden"),), "ffn"))
    if _gated(place):
        up = _linear(place, "up", place.x, "3")
        operands = (place.name("activated"), up.name)
        definitions += [up, Definition(place.name("gated"), Multiply(), operands, "ffn")]
    return (*definitions, _linear(place, "ffn", _last(place), "2"))


def _happens(place: LayerPlace) -> str:
    kind = place.layer.said.get(ACTIVATION)
    relu = ", which turns negative numbers into 0," if kind == "relu" else ""
    middle = f", the activation {kind}{relu}" if kind != "none" else ""
    if _gated(place):
        middle = f" and the activation {_GATED[kind]}, is multiplied by a gate"
    return (
        f"Each token's vector goes on its own through a first layer{middle} and a second layer."
        if not _gated(place)
        else f"Each token's vector goes on its own through a first layer{middle}, and goes through"
        " a second layer."
    )


def _without_activation(place: LayerPlace) -> Definition | None:
    if place.layer.said.get(ACTIVATION) == "none":
        return None
    return _linear(place, "ffn", place.name("hidden"), "2")


def _without_bias(place: LayerPlace) -> Definition | None:
    bias = place.scenario.given.get(place.name("b1"))
    if bias is None or not bias.values.any():
        return None
    return _by_W1(place, transposed=False)


def _by_W1(place: LayerPlace, *, transposed: bool) -> Definition:  # noqa: N802
    operation = MatMulTransposed() if transposed != place.layer.linear else MatMul()
    return Definition(place.name("hidden"), operation, (place.x, place.name("W1")), "ffn")


STEP = Step(
    name="ffn",
    at=LayerPlace,
    keys=(*_KEYS,),
    title="Feed-forward network",
    does="works on each token alone, in a wider space",
    makes=("hidden", "activated", "up", "gated", "ffn"),
    shapes="output [n, d_v] → hidden [n, d_ff] → activated [n, d_ff] → ffn [n, d_out]",
    happens=_happens,
    why=(
        "Attention mixes the tokens; the feed-forward network then works on each of them alone,"
        " with the same weights for all."
    ),
    more=(
        "Its activation is what keeps the two layers from being one: without it, they would do no"
        " more than a single matrix."
    ),
    plan=_plan,
    general=General(x="output", gives=("b1", "b2")),
    mistakes=(
        Mistake(
            "activation_forgotten",
            "Leaving the activation out, and taking the hidden numbers into the second layer.",
            _without_activation,
        ),
        Mistake(
            "W1_transposed",
            "Multiplying by the rows of W1 instead of its columns, and adding no bias.",
            lambda place: _by_W1(place, transposed=True),
        ),
        Mistake("bias_forgotten", "Leaving out the bias b1.", _without_bias),
    ),
    together=(("output", "output"), ("ffn", "ffn")),
)
