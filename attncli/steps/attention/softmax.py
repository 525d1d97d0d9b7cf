"""From scores to weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.expression import (
    Apply,
    Expression,
    Negative,
    Power,
    Quotient,
    Total,
    constant,
)
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
from attncli.arithmetic.operations.indexed import Indexed
from attncli.file.keys import Key
from attncli.file.kinds import Either
from attncli.file.matrices import NAMED
from attncli.name import Name
from attncli.scenario.templates import TEMPLATE
from attncli.steps.step import Backward, General, Inquiry, Mistake, Step
from attncli.steps.swaps import swapped
from attncli.trace import Definition, HeadPlace, Place, Trace
from attncli.trace.place import P

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


def mistakes_in(plan: Callable[[P], tuple[Definition, ...]]) -> tuple[Mistake[P], ...]:
    """Those that can be made in any softmax, such as the one of a step with this plan."""

    def powers(place: P) -> Iterator[Definition]:
        made = (one for one in plan(place) if isinstance(one.operation, Exponential))
        return filter(None, map(_negated, made))

    def sums(place: P) -> Iterator[tuple[Definition, ...]]:
        planned = plan(place)
        for k, one in enumerate(planned):
            if isinstance(one.operation, RowSum):
                added = one._replace(operation=_COLUMN_SUMS)
                yield (added,)
                yield added, planned[k + 1]._replace(operation=_BY_COLUMNS)

    return (
        Mistake(
            "exponent_negated",
            "Raising e to the numbers with the other sign, e^(−x), so that the largest one gets the"
            " smallest share.",
            lambda place: next(powers(place), None),
        ),
        Mistake(
            "columns_added_up",
            "Adding up the columns instead of the rows.",
            lambda place: next((one for one, *_ in sums(place)), None),
            variants=lambda place: [*sums(place)][1:],
        ),
    )


def _negated(exp: Definition) -> Definition | None:
    """e^(−x); what is hidden by −∞ stays 0."""

    def change(node: Expression) -> Expression | None:
        match node:
            case Power(base, exponent):
                seen = Apply("finite", (exponent,))
                return Apply("where", (seen, Power(base, Negative(exponent)), constant(0)))
        return None

    return swapped(exp, change)


_X = cell(0, "i", "j")
_COLUMN_SUMS = Indexed("n m -> m 1", Total("k", cell(0, "k", "i")))
_BY_COLUMNS = Indexed("n m, m 1 -> n m", Quotient(_X, cell(1, "j")))


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


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    return softmax(place, place.x, place.name("weights"), "softmax")


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
    plan=_plan,
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
        *mistakes_in(_plan),
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
            lambda _: ("If several tokens share the largest weight, each of them is right.",),
        ),
    ),
    pictures=("heat_maps", "attended", "softmax_bars", "temperatures"),
    backward=Backward(
        "the softmax",
        (
            "Weights only grow at each other's cost: a score's gradient has the sign of its "
            "weight's gradient minus the row's weighted average."
        ),
        whole=lambda _, made: in_one(made),
        usual_mistakes=("diagonal_only",),
    ),
)
