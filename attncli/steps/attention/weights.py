"""From scores to weights: softmax, sinks; `dropout.yaml` and `no_softmax` are beside it.

* sinks: a learned score that takes a share of the softmax and has no value (OpenAI
  2025, gpt-oss, arXiv:2508.10925; Miller 2023, Attention Is Off By One, is the same with a score of
  0).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attncli.maths.equations.tree import Number
from attncli.maths.operations.equation import equation, is_a
from attncli.maths.operations.rearranging import JoinColumns, RepeatDown, WithoutColumn
from attncli.maths.operations.softmax import (
    DivideByColumnSum,
    DivideByRow,
    DivideByRowSum,
    Exponential,
    RaisedTo,
    RowSum,
    RowSumOfSeveral,
    ScaledPower,
    Softmax,
    SumOfAll,
)
from attncli.names import Name, Word, below
from attncli.scenario.file.keys import Either, Key
from attncli.scenario.file.matrices import NAMED, VECTOR
from attncli.scenario.file.problems import Objections
from attncli.scenario.templates import TEMPLATE
from attncli.steps.attention.scores import SCALE
from attncli.steps.mistakes import WENT_IN, by, of_next_head, wrong
from attncli.steps.step import (
    Backward,
    Example,
    Formulas,
    Inquiry,
    Misreading,
    Mistake,
    Planned,
    Prominence,
    Results,
    Step,
    Wording,
    WordsAsked,
    largest,
)
from attncli.trace import Axis, Definition, HeadPlace, Place, Quantity, Trace
from attncli.trace.quantity import counted, distinct_tokens

_DOWN = "The token that attends to this one most was taken: the column was read, not the row."
_LEAST = "The token with the smallest weight was taken."


def attends_most(place: HeadPlace, trace: Trace) -> tuple[WordsAsked, ...]:
    """Asks which token each query attends to most."""
    weights = trace[place.name("weights")]
    return tuple(_most_of(weights, i) for i in range(weights.matrix.shape[0]))


def _most_of(weights: Quantity, i: int) -> WordsAsked:
    says = ("Which token does the query “", Word(weights.rows.names[i]), "” attend to most?")
    options = weights.columns.names
    down = Misreading(
        "read_down_the_column", _DOWN, lambda low, high: largest(low[:, i], high[:, i])
    )
    least = Misreading("least_for_most", _LEAST, lambda low, high: largest(-high[i], -low[i]))
    misread = (down, least) if weights.rows.names == options else (least,)
    return WordsAsked(i, says, options, lambda low, high: largest(low[i], high[i]), misread=misread)


_WEIGHTS = Key(
    "weights",
    Either(lambda _: NAMED, (NAMED, TEMPLATE)),
    "attention weights, [n, m]; or, once for the whole file, where matrices are that aren't given"
    " otherwise: `{file: model.safetensors, keys: {W_Q: 'h.{i}.q.weight'}}`",
    in_parts=True,
)


def softmax(place: Place, x: Name, result: Name, step: str) -> tuple[Definition, ...]:
    """Defines the softmax of each row of `x`; `x` and `result` are full names."""
    exp, exp_sum = place.name("exp"), place.name("exp_sum")
    rounding = place.scenario.rounding.of_quantity(step, exp)
    return (
        Definition(exp, Exponential.under(rounding, step), (x,)),
        Definition(exp_sum, RowSum(), (exp,)),
        Definition(result, DivideByRow(), (exp, exp_sum)),
    )


_NEGATED = equation("exp(-x[i, j]) if finite(x[i, j]) else 0", x="n m")
"""What is hidden by −∞ stays 0."""
_COLUMN_SUMS = equation("sum(exp[k, i] for k in n)", exp="n m")
_BY_COLUMNS = equation("exp[i, j] / exp_sum[j]", exp="n m", exp_sum="m 1")


def _columns_added_up(_: Place, planned: Planned) -> Iterator[Planned]:
    """Yields the ways to add up the columns instead of the rows: in the sums alone, or so that
    these divide the columns, too."""
    for k, definition in enumerate(planned):
        if is_a(definition.operation, RowSum):
            added = definition._replace(operation=_COLUMN_SUMS())
            yield (added,)
            yield added, planned[k + 1]._replace(operation=_BY_COLUMNS())


IN_SOFTMAX: tuple[Mistake[Any], ...] = (
    Mistake(
        "exponent_negated",
        "Raising e to the negated numbers, e^(−x), so that the largest one gets the smallest"
        " share.",
        wrong(by(_NEGATED), Exponential),
    ),
    Mistake("columns_added_up", "Adding up the columns instead of the rows.", _columns_added_up),
)
"""The mistakes that can be made in any softmax."""


def _of_scaled(definition: Definition, place: HeadPlace) -> Definition | None:
    """Changes the powers to those of the scores divided by √d_k, where these aren't divided by
    anything; returns None where they are."""
    if place.d_k in (None, 1) or place.attention.config.get(SCALE) != "none":
        return None
    return definition._replace(operation=ScaledPower(Number.written(place.d_k)))


def in_one(definitions: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Returns definitions with the three of a softmax as one, whose derivative people know."""
    starts = [k for k, d in enumerate(definitions) if isinstance(d.operation, Exponential)]
    for k in reversed(starts):
        exp, _, result = definitions[k : k + 3]
        if not is_a(result.operation, DivideByRow):  # which turns its numbers, too
            continue
        whole = result._replace(operation=Softmax(), operands=exp.operands)
        definitions = (*definitions[:k], whole, *definitions[k + 3 :])
    return definitions


def _over_all_heads(definition: Definition, place: HeadPlace) -> Definition | None:
    """Changes the sums of a row's powers to those over all heads together; returns None for a
    single head."""
    attention = place.attention
    tables = [below(attention.head_path(head), "exp") for head in range(attention.heads)]
    if len(tables) == 1:
        return None
    return definition._replace(operation=RowSumOfSeveral(len(tables)), operands=tuple(tables))


SOFTMAX_STEP = Step(
    name="softmax",
    at=HeadPlace,
    keys=(_WEIGHTS,),
    words=Wording(
        title="Softmax",
        does="turns each row of scores into weights that add up to 1",
        shapes="scores [n, m] → weights [n, m], each row adding up to 1",
        happens=lambda _: (
            "For each query, e is raised to each of its scores, and each result is divided by their"
            " sum."
        ),
        why=(
            "The softmax turns a query's scores into weights between 0 and 1 that add up to 1: the"
            " shares of its attention."
        ),
        more=(
            "A score that is larger by 1 gets e times the weight, and e is 2.718…. The scores"
            " themselves can't be shares: some may be negative, and they don't add up to 1. A power"
            " of e is positive, and a larger score keeps the larger weight. Picking the largest"
            " score alone would leave nothing of the others, and no gradient to learn by. A"
            " temperature T divides the scores first: a low one makes the weights differ more, a"
            " high one makes them more alike."
        ),
    ),
    results=Results(
        names=("exp", "exp_sum", "weights"),
        nouns={"exp": "power of e", "exp_sum": "sum of the powers of e", "weights": "weight"},
        plan=lambda place: softmax(place, place.x, place.name("weights"), "softmax"),
        adds_up_to_one=("weights",),
        pictures=("attended",),
        further_pictures=("heat_maps", "softmax_bars", "temperatures"),
    ),
    formulas=Formulas(x="scaled"),
    inquiries=(
        Inquiry(
            "attends_most",
            "which token each query attends to most",
            ("weights",),
            attends_most,
            lambda _: ("If several tokens share the largest weight, each of them is right.",),
        ),
    ),
    mistakes=(
        Mistake(
            "down_the_columns",
            "Dividing by the sum of the column instead of the row, so that the columns add up"
            " to 1 and the rows don't.",
            wrong(by(DivideByColumnSum, 0), "weights"),
        ),
        Mistake(
            "without_exponentials",
            "Dividing the scores themselves by their sum, without raising e to them.",
            wrong(by(DivideByRowSum, WENT_IN), DivideByRow),
        ),
        Mistake(
            "base_2",
            "Raising 2 instead of e to the scores.",
            wrong(by(RaisedTo(2)), "exp"),
        ),
        Mistake(
            "base_10",
            "Raising 10 instead of e to the scores.",
            wrong(by(RaisedTo(10)), "exp"),
        ),
        Mistake(
            "scaled",
            "Dividing the scores by √d_k, where this attention leaves them as they are.",
            wrong(_of_scaled, "exp"),
        ),
        *IN_SOFTMAX,
        Mistake(
            "over_all_cells",
            "Dividing by the sum of the whole table, so that all weights together add up to 1.",
            wrong(by(SumOfAll), "exp_sum"),
        ),
        Mistake(
            "over_all_heads",
            "Dividing by the sum over all heads, so that the weights of a row in all heads together"
            " add up to 1.",
            wrong(_over_all_heads, "exp_sum"),
        ),
    ),
    backward=Backward(
        "the softmax",
        "A row's weights add up to 1, so one grows at the others' cost, and the gradients of the"
        " row's scores add up to 0.",
        more=(
            "Each weight's gradient is compared with the average of its row, in which each counts"
            " by its weight. Where it is below, the token's value helps more than the mixture does,"
            " and its score grows, even if another one helps still more. Where one weight is nearly"
            " 1, the softmax is saturated: all gradients of the row's scores are nearly 0, and"
            " learning stalls."
        ),
        whole=lambda _, made: in_one(made),
        usual_mistakes=("diagonal_only",),
    ),
)


def without_softmax(place: HeadPlace) -> bool:
    """Tells whether the scores of a head are its weights, as `no_softmax` makes them."""
    return bool(place.attention.config.values.get("softmax") == "none")


_SINKS = Key(
    "sinks",
    VECTOR,
    "a score of each head that joins those of the keys in the softmax, [heads], and takes its share"
    " without a value: the weights of the keys add up to less than 1 (gpt-oss)",
)
_NAME = "sink"


def _check_sinks(place: HeadPlace) -> Objections:
    if place.head or not place.attention.config.says(_SINKS):
        return
    where, heads = place.find("sinks"), place.attention.heads
    given = place.scenario.given.matrices.get(place.find("sinks"))
    if given is not None and given.shape[1] != heads:
        wrong = f"{given.shape[1]} sinks, and there {'is' if heads == 1 else 'are'} {heads} heads"
        yield where, wrong.replace("1 heads", "one head"), "give each head a number"
    if place.gives("weights"):
        yield where, "sinks, and weights that are given", "leave one of them out"
    if without_softmax(place):
        yield where, "sinks, and no softmax that they take a share of", "leave one of them out"


def _plan_sinks(place: HeadPlace) -> tuple[Definition, ...]:
    """Defines the sink beside the scores before the softmax; after it the weights without that of
    the sink."""
    if not place.attention.config.says(_SINKS):
        return ()
    if _is_over(place):
        return (Definition(place.name("key_weights"), WithoutColumn(last=True), (place.x,)),)
    once_each, operands = RepeatDown(place.head), (place.x, place.find("sinks"))
    column = Definition(place.name(_NAME), once_each, operands, columns=Axis((_NAME,), "K"))
    joined = Definition(place.name("with_sink"), JoinColumns(2), (place.x, column.name))
    return (column, joined)


def _sized(place: HeadPlace, definition: Definition) -> Definition:
    """Returns the weights that are left with the names of the keys."""
    width = place.width(definition.name)
    if definition.name.local != "key_weights" or width is None:
        return definition
    names = distinct_tokens(place.attention.keys)
    return definition._replace(columns=Axis(names if len(names) == width else counted(width), "K"))


def _is_over(place: HeadPlace) -> bool:
    """Tells whether the softmax is past, which the sink took part in."""
    return place.x == place.name("weights")


SINKS_STEP = Step(
    name="sinks",
    at=HeadPlace,
    keys=(_SINKS,),
    check=_check_sinks,
    words=Wording(
        title="Attention sink",
        does="lets a query attend to nothing",
        shapes=(
            "scores [n, m], sinks [heads] → with_sink [n, m + 1]; weights [n, m + 1] →"
            " key_weights [n, m]"
        ),
        happens=lambda place: (
            "The weight of the sink is left out: it has no value to blend in."
            if _is_over(place)
            else "The sink's score is put beside the scores of the keys, the same for each query."
        ),
        why=(
            "The weights of a softmax add up to 1, so a sink takes the attention of a query that"
            " finds nothing."
        ),
        more=(
            "Without a sink, models learn to use the first token for this. The sink's score is"
            " learned, one for each head."
        ),
        titled=lambda place: "Without the sink" if _is_over(place) else "Attention sink",
    ),
    results=Results(names=("sink", "with_sink", "key_weights"), plan=_plan_sinks, sized=_sized),
    formulas=Formulas(x="scaled", config={"sinks": ()}, gives=("sinks",)),
    example=Example(changes=("sinks=[0.5]",)),
    prominence=Prominence(on_the_way=True),
    mistakes=(
        Mistake(
            "other_head", "Taking the sink of another head.", wrong(of_next_head("column"), "sink")
        ),
        Mistake(
            "first_left_out",
            "Leaving out the first key instead of the sink.",
            wrong(by(WithoutColumn(last=False)), "key_weights"),
        ),
    ),
    backward=Backward(
        "the sinks",
        "A sink takes from all keys: its gradient is minus its weight, times the sum of the keys'"
        " weights times their gradients.",
    ),
)
