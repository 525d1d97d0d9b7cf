"""Dropout of attention weights (Srivastava et al. 2014, JMLR 15; Vaswani et al. 2017, 5.4)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Dropout, Multiply
from attncli.file.keys import Key, Needs, Record
from attncli.file.kinds import NumberKind
from attncli.file.matrices import TRUTH_TABLE
from attncli.name import Name, below
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, HeadPlace

_DROPOUT: Key[dict[str, Any]] = Key(
    "dropout",
    Record.of(
        Key("p", NumberKind(least=0, below=1), "the share that is dropped, 0 by default"),
        Key("mask", TRUTH_TABLE, "[n, m], 1 where a weight is kept"),
        needs=Needs("dropout", ("mask",), "{p: 0.1, mask: [[1, 0], [1, 1]]}"),
    ),
    "weights that are dropped, and the others scaled by 1 / (1 − p)",
)


def _p(place: HeadPlace) -> Decimal:
    """The share that is dropped."""
    p: Decimal = place.attention.said.get(_DROPOUT).get("p", Decimal(0))
    return p


def _operands(place: HeadPlace) -> tuple[Name, Name]:
    return place.x, below(place.attention.said.at(_DROPOUT), "mask")


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    if not place.attention.said.says(_DROPOUT):
        return ()
    operation = Dropout(Number.written(_p(place)))
    return (Definition(place.name("dropped"), operation, _operands(place)),)


def _not_scaled(place: HeadPlace) -> Definition:
    return Definition(place.name("dropped"), Multiply(), _operands(place))


STEP = Step(
    name="dropout",
    at=HeadPlace,
    keys=(_DROPOUT,),
    title="Dropout",
    does="drops some weights, as is done in training",
    makes=("dropped",),
    shapes="weights [n, m], dropout.mask [n, m] → dropped [n, m]",
    happens=lambda place: (
        "Weights whose place in the given mask is 0 are dropped; the others are"
        f" divided by 1 − p, here with p = {_p(place)}."
    ),
    why=(
        "In training some weights are dropped at random, so that no token comes to rely on a"
        " single other one."
    ),
    more=(
        "Dividing the rest by 1 − p keeps their sum the same on average. When the model is used,"
        " nothing is dropped."
    ),
    plan=_plan,
    general=General(x="weights", said={"dropout": {"p": Decimal("0.1")}}),
    mistakes=(Mistake("not_scaled", "Forgetting to divide by 1 − p.", _not_scaled),),
    backward=Backward(
        "the dropout",
        (
            "Weights that were dropped get no gradient; the others get theirs as much larger as "
            "they were made."
        ),
        fixed=("mask",),
        shown_with=("dropout={p: 0.5, mask: [[1, 1, 0], [0, 1, 1], [1, 1, 0]]}",),
    ),
)
