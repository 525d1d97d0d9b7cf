"""Step 6: from scores to weights."""

from attncli.arithmetic.expression import Equation, Quotient, Total, e_to
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.operations import (
    DivideByColumnSum,
    DivideByRow,
    DivideByRowSum,
    Exponential,
    RowSum,
)
from attncli.scenario import Scenario
from attncli.steps.step import Mistake, Step
from attncli.trace.quantity import Making


def _source(scenario: Scenario) -> str:
    """What the softmax is taken of."""
    return "scaled" if scenario.scales or "scaled" in scenario.given else "scores"


def _plan(scenario: Scenario) -> tuple[Making, ...]:
    exponential = Exponential.under(scenario.rounding, "softmax")
    return (
        Making("exp", exponential, (_source(scenario),), "softmax"),
        Making("exp_sum", RowSum(), ("exp",), "softmax"),
        Making("weights", DivideByRow(), ("exp", "exp_sum"), "softmax"),
    )


def _formulas(scenario: Scenario) -> tuple[Equation, ...]:
    exp = at("exp", "i", "j")
    return (
        define(exp, e_to(at(_source(scenario), "i", "j"))),
        define(at("exp_sum", "i"), Total("j", exp)),
        define(at("weights", "i", "j"), Quotient(exp, at("exp_sum", "i"))),
    )


STEP = Step(
    name="softmax",
    title="Softmax",
    makes=("exp", "exp_sum", "weights"),
    formulas=_formulas,
    shapes="scores [n, n] → weights [n, n], each row adding up to 1",
    happens=lambda _: (
        "In each row, e is raised to each score, and each result is divided by the row's sum."
    ),
    purpose=(
        "The softmax turns a row of scores, which may be any numbers, into weights between 0"
        " and 1 that add up to 1: the share of its attention that the row's query gives to"
        " each key. A score that is larger by 1 gets e ≈ 2.718 times the weight."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "down_the_columns",
            "Dividing by the sum of the column in place of the row, so that the columns add up"
            " to 1 and the rows don't.",
            lambda _: Making("weights", DivideByColumnSum(), ("exp",), "softmax"),
        ),
        Mistake(
            "without_exponentials",
            "Dividing the scores themselves by their sum, without raising e to them.",
            lambda scenario: Making("weights", DivideByRowSum(), (_source(scenario),), "softmax"),
        ),
    ),
    adds_up_to_one="weights",
)
