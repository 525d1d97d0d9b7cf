"""The position-wise feed-forward network (Vaswani et al. 2017, 3.3).

Gated networks: Shazeer 2020, arXiv:2002.05202.
"""

from __future__ import annotations

from attncli.arithmetic.operations import Activate, MatMul, MatMulTransposed, Multiply
from attncli.name import Name
from attncli.scenario.keys.layer import GATED, NONE
from attncli.steps.linear import linear
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _gated(scope: Scope) -> bool:
    return scope.layer.activation in GATED


def _last(scope: Scope) -> Name:
    """What the second layer is applied to."""
    if _gated(scope):
        return scope.name("gated")
    return scope.name("hidden" if scope.layer.activation == NONE else "activated")


def _linear(scope: Scope, made: str, x: Name, layer: str) -> Making:
    return linear(scope, made, x, layer, "ffn", out_in=scope.layer.linear)


def _plan(scope: Scope) -> tuple[Making, ...]:
    makings = [_linear(scope, "hidden", scope.x, "1")]
    if scope.layer.activation != NONE:
        kind = GATED.get(scope.layer.activation, scope.layer.activation)
        activated = scope.name("activated")
        makings.append(Making(activated, Activate(kind), (scope.name("hidden"),), "ffn"))
    if _gated(scope):
        up = _linear(scope, "up", scope.x, "3")
        operands = (scope.name("activated"), up.name)
        makings += [up, Making(scope.name("gated"), Multiply(), operands, "ffn")]
    return (*makings, _linear(scope, "ffn", _last(scope), "2"))


def _happens(scope: Scope) -> str:
    kind = scope.layer.activation
    middle = f", the activation {kind}" if kind != NONE else ""
    if _gated(scope):
        middle = f" and the activation {GATED[kind]}, is multiplied by a gate"
    return (
        f"Each token's vector goes by itself through a first layer{middle} and a second layer."
        if not _gated(scope)
        else f"Each token's vector goes by itself through a first layer{middle}, and goes through"
        " a second layer."
    )


def _without_activation(scope: Scope) -> Making | None:
    if scope.layer.activation == NONE:
        return None
    return _linear(scope, "ffn", scope.name("hidden"), "2")


def _without_bias(scope: Scope) -> Making | None:
    bias = scope.scenario.given.get(scope.name("b1"))
    if bias is None or not bias.values.any():
        return None
    return _by_W1(scope, transposed=False)


def _by_W1(scope: Scope, *, transposed: bool) -> Making:  # noqa: N802
    operation = MatMulTransposed() if transposed != scope.layer.linear else MatMul()
    return Making(scope.name("hidden"), operation, (scope.x, scope.name("W1")), "ffn")


STEP = Step(
    name="ffn",
    title="Feed-forward network",
    makes=("hidden", "activated", "up", "gated", "ffn"),
    shapes="output [n, d_v] → hidden [n, d_ff] → activated [n, d_ff] → ffn [n, d_out]",
    happens=_happens,
    purpose=(
        "Attention mixes the tokens; the feed-forward network then works on each of them"
        " alone, with the same weights for all. Its activation is what keeps the two layers"
        " from being one: relu lets positive numbers pass and turns negative ones into 0."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "activation_forgotten",
            "Leaving the activation out, and taking the hidden numbers into the second layer.",
            _without_activation,
        ),
        Mistake(
            "W1_transposed",
            "Multiplying by the rows of W1 instead of its columns, and adding no bias.",
            lambda scope: _by_W1(scope, transposed=True),
        ),
        Mistake("bias_forgotten", "Leaving out the bias b1.", _without_bias),
    ),
    together=(("output", "Attention output"), ("ffn", "FFN output")),
)
