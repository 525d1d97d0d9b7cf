"""From scores to weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncli.arithmetic.operations import (
    DivideByColumnSum,
    DivideByRow,
    DivideByRowSum,
    Exponential,
    Operation,
    RaisedTo,
    RowSum,
    SumOfAll,
)
from attncli.file.keys import Key
from attncli.file.kinds import Either
from attncli.file.matrices import NAMED
from attncli.name import Name
from attncli.scenario.templates import TEMPLATE
from attncli.steps.step import Backward, General, Inquiry, Mistake, Step
from attncli.trace import Definition, HeadPlace, Place, Trace

if TYPE_CHECKING:
    from attncli.steps.inquiry import WordsAsked

_WEIGHTS = Key(
    "weights",
    Either(lambda _: NAMED, (NAMED, TEMPLATE)),
    "attention weights, [n, m]; or, once for the whole file, where matrices are that aren't given"
    " otherwise: `{file: model.safetensors, keys: {W_Q: 'h.{i}.q.weight'}}`",
    in_parts=True,
)


def softmax(place: Place, x: Name, result: Name, step: str) -> tuple[Definition, ...]:
    """The softmax of each row of `x`; `x` and `result` are full names."""
    exp, exp_sum = place.name("exp"), place.name("exp_sum")
    rounding = place.scenario.rounding.of_quantity(step, exp)
    return (
        Definition(exp, Exponential.under(rounding, step), (x,)),
        Definition(exp_sum, RowSum(), (exp,)),
        Definition(result, DivideByRow(), (exp, exp_sum)),
    )


def in_one(definitions: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Definitions with the three of a softmax as one, whose derivative people know."""
    from attncli.arithmetic.operations import Softmax

    starts = [k for k, one in enumerate(definitions) if isinstance(one.operation, Exponential)]
    for k in reversed(starts):
        exp, _, result = definitions[k : k + 3]
        whole = result._replace(operation=Softmax(), operands=exp.operands)
        definitions = (*definitions[:k], whole, *definitions[k + 3 :])
    return definitions


def _weights(place: HeadPlace, operation: Operation, operand: Name) -> Definition:
    return Definition(place.name("weights"), operation, (operand,))


def _raised(place: HeadPlace, base: int) -> Definition:
    return Definition(place.name("exp"), RaisedTo(base), (place.x,))


def _attends_most(place: HeadPlace, trace: Trace) -> tuple[WordsAsked, ...]:
    from attncli.steps.attention.most_attended import attends_most

    return attends_most(trace[place.name("weights")])


STEP = Step(
    name="softmax",
    at=HeadPlace,
    keys=(_WEIGHTS,),
    title="Softmax",
    does="turns each row of scores into weights that add up to 1",
    makes=("exp", "exp_sum", "weights"),
    shapes="scores [n, m] → weights [n, m], each row adding up to 1",
    happens=lambda _: (
        "For each query, e is raised to each of its scores, and each result is divided by their"
        " sum."
    ),
    why=(
        "The softmax turns the scores of a query, which may be any numbers, into weights between 0"
        " and 1 that add up to 1: the share of its attention that the query gives to each key."
    ),
    more="A score that is larger by 1 gets e times the weight.",
    plan=lambda place: softmax(place, place.x, place.name("weights"), "softmax"),
    general=General(x="scaled"),
    mistakes=(
        Mistake(
            "down_the_columns",
            "Dividing by the sum of the column instead of the row, so that the columns add up"
            " to 1 and the rows don't.",
            lambda place: _weights(place, DivideByColumnSum(), place.name("exp")),
        ),
        Mistake(
            "without_exponentials",
            "Dividing the scores themselves by their sum, without raising e to them.",
            lambda place: _weights(place, DivideByRowSum(), place.x),
        ),
        Mistake(
            "base_2",
            "Raising 2 instead of e to the scores.",
            lambda place: _raised(place, 2),
        ),
        Mistake(
            "base_10",
            "Raising 10 instead of e to the scores.",
            lambda place: _raised(place, 10),
        ),
        Mistake(
            "over_all_cells",
            "Dividing by the sum of the whole table, so that all weights together add up to 1.",
            lambda place: Definition(place.name("exp_sum"), SumOfAll(), (place.name("exp"),)),
        ),
    ),
    adds_up_to_one=("weights",),
    inquiries=(
        Inquiry(
            "attends_most",
            "which token each query attends to most",
            ("weights",),
            _attends_most,
            lambda _: ("Of tokens that share the largest weight, each is right.",),
        ),
    ),
    pictures=("heat_maps", "attended", "softmax_bars", "temperatures"),
    backward=Backward(
        "the softmax",
        (
            "A weight can only grow at the cost of the others: what counts is how much more it "
            "would help than the average of its row."
        ),
        whole=lambda _, made: in_one(made),
        usual_mistakes=("diagonal_only",),
    ),
)
