"""Step 5: scaling (Vaswani et al. 2017, arXiv:1706.03762, 3.2.1)."""

from attncli.arithmetic.expression import Equation, Expression, Number, Quotient, Root, Symbol
from attncli.arithmetic.formula import define
from attncli.arithmetic.operations import DivideBy, MultiplyBy, Operation
from attncli.scenario import Scenario
from attncli.steps.step import Mistake, Step
from attncli.trace.quantity import Making


def _plan(scenario: Scenario) -> tuple[Making, ...]:
    if not scenario.scales and "scaled" not in scenario.given:
        return ()
    divisor = scenario.divisor
    operands = ("scores",) if divisor is not None else ("scores", "d_k")
    operation = DivideBy(divisor if divisor is not None else Symbol("d_k"))
    return (Making("scaled", operation, operands, "scale"),)


def _formulas(scenario: Scenario) -> tuple[Equation, ...]:
    divisor: Expression = Root(Symbol("d_k"))
    if isinstance(scenario.scale, Number):
        divisor = scenario.scale
    return (define("scaled", Quotient(Symbol("scores"), divisor)),)


def _happens(scenario: Scenario) -> str:
    if isinstance(scenario.scale, Number):
        return "Each score is divided by the number that the scenario gives."
    d_k = "" if scenario.d_k is None else f", here of d_k = {scenario.d_k}"
    return f"Each score is divided by the square root of the number of key dimensions{d_k}."


def _scaled_by(operation: Operation) -> Making:
    return Making("scaled", operation, ("scores",), "scale")


def _by_d_k(scenario: Scenario) -> Making | None:
    if isinstance(scenario.scale, Number) or scenario.d_k is None:
        return None
    return _scaled_by(DivideBy(Number.written(scenario.d_k)))


def _multiplied(scenario: Scenario) -> Making | None:
    return None if scenario.divisor is None else _scaled_by(MultiplyBy(scenario.divisor))


STEP = Step(
    name="scale",
    title="Scaling",
    makes=("scaled",),
    formulas=_formulas,
    shapes="scores [n, n] → scaled [n, n]",
    happens=_happens,
    purpose=(
        "A dot product adds up d_k terms, so it grows with d_k: its spread grows like √d_k."
        " Large scores would push the softmax to where one weight is nearly 1 and learning"
        " stalls. Dividing by √d_k keeps the spread the same for every d_k."
    ),
    plan=_plan,
    shown_with=("scale=sqrt_d_k",),
    mistakes=(
        Mistake(
            "divided_by_d_k",
            "Dividing by d_k itself in place of its square root.",
            _by_d_k,
        ),
        Mistake(
            "multiplied",
            "Multiplying in place of dividing.",
            _multiplied,
        ),
        Mistake(
            "not_scaled",
            "Forgetting to scale, and going on with the scores as they are.",
            lambda _: _scaled_by(DivideBy(Number.written(1))),
        ),
    ),
)
