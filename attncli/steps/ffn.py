"""Step 8: the position-wise feed-forward network (Vaswani et al. 2017, 3.3)."""

from attncli.arithmetic.expression import Apply, Equation, Expression, Symbol
from attncli.arithmetic.formula import define, plus, times
from attncli.arithmetic.operations import Activate, Affine, MatMul, MatMulTransposed
from attncli.scenario import Scenario
from attncli.scenario.declaration import NO_ACTIVATION
from attncli.steps.step import Mistake, Step
from attncli.trace.quantity import Making


def _activates(scenario: Scenario) -> bool:
    return scenario.activation != NO_ACTIVATION


def _last(scenario: Scenario) -> str:
    """What the second layer is applied to."""
    return "activated" if _activates(scenario) else "hidden"


def _linear(scenario: Scenario, made: str, x: str, layer: str) -> Making:
    if f"b{layer}" in scenario.given:
        return Making(made, Affine(), (x, f"W{layer}", f"b{layer}"), "ffn")
    return Making(made, MatMul(), (x, f"W{layer}"), "ffn")


def _plan(scenario: Scenario) -> tuple[Making, ...]:
    hidden = _linear(scenario, "hidden", "output", "1")
    ffn = _linear(scenario, "ffn", _last(scenario), "2")
    if not _activates(scenario):
        return hidden, ffn
    activated = Making("activated", Activate(scenario.activation), ("hidden",), "ffn")
    return hidden, activated, ffn


def _formulas(scenario: Scenario) -> tuple[Equation, ...]:
    def linear(x: str, layer: str) -> Expression:
        product = times(x, f"W{layer}")
        with_bias = f"b{layer}" in scenario.given or not scenario.given
        return plus(product, Symbol(f"b{layer}")) if with_bias else product

    hidden = define("hidden", linear("output", "1"))
    ffn = define("ffn", linear(_last(scenario), "2"))
    if not _activates(scenario):
        return hidden, ffn
    activated = define("activated", Apply(scenario.activation, (Symbol("hidden"),)))
    return hidden, activated, ffn


def _happens(scenario: Scenario) -> str:
    middle = f", the activation {scenario.activation}" if _activates(scenario) else ""
    return f"Each token's vector goes by itself through a first layer{middle} and a second layer."


def _without_activation(scenario: Scenario) -> Making | None:
    return _linear(scenario, "ffn", "hidden", "2") if _activates(scenario) else None


def _without_bias(scenario: Scenario) -> Making | None:
    if "b1" not in scenario.given or not scenario.given["b1"].values.any():
        return None
    return Making("hidden", MatMul(), ("output", "W1"), "ffn")


STEP = Step(
    name="ffn",
    title="Feed-forward network",
    makes=("hidden", "activated", "ffn"),
    formulas=_formulas,
    shapes="output [n, d_v] → hidden [n, d_ff] → activated [n, d_ff] → ffn [n, d_out]",
    happens=_happens,
    purpose=(
        "Attention mixes the tokens; the feed-forward network then works on each of them"
        " alone, with the same weights for all. Its activation is what keeps the two layers"
        " from being one: relu lets positive figures pass and turns negative ones into 0."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "activation_forgotten",
            "Leaving the activation out, and taking the hidden figures into the second layer.",
            _without_activation,
        ),
        Mistake(
            "W1_transposed",
            "Multiplying by the rows of W1 in place of its columns, and adding no bias.",
            lambda _: Making("hidden", MatMulTransposed(), ("output", "W1"), "ffn"),
        ),
        Mistake("bias_forgotten", "Leaving out the bias b1.", _without_bias),
    ),
    together=(("output", "Attention output"), ("ffn", "FFN output")),
)
