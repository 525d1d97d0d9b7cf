"""Biases added to the scores: ALiBi (Press et al. 2021, arXiv:2108.12409), given tables."""

from __future__ import annotations

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Add, AddFinite, Alibi, Same, alibi_slopes
from attncli.name import Name
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _plan(scope: Scope) -> tuple[Making, ...]:
    tables = [rule.table for rule in scope.attention.mask if rule.kind == "add"]
    slope = _slope(scope)
    alibi = scope.name("alibi")
    makings: list[Making] = []
    if slope is not None:
        makings.append(Making(alibi, Alibi(slope), (scope.x,), "bias"))
    biases = [scope.find("bias")] if scope.gives("bias") else []
    terms = (scope.x, *biases, *([alibi] if makings else []))
    x = scope.x
    if len(terms) > 1:
        name = scope.name("biased")
        makings.append(Making(name, Add(len(terms)), terms, "bias", blame=Name("bias")))
        x = name
    for k, table in enumerate(tables):
        name = scope.name("added" if k == 0 else f"added{k + 1}")
        makings.append(Making(name, AddFinite(), (x, table), "bias", blame=Name("mask")))
        x = name
    return tuple(makings)


def _slope(scope: Scope) -> Number | None:
    positions = scope.attention.alibi
    if positions is None:
        return None
    if positions.slopes:
        return Number.written(positions.slopes[min(scope.head, len(positions.slopes) - 1)])
    return alibi_slopes(scope.attention.heads)[scope.head]


def _happens(scope: Scope) -> str:
    told = []
    if scope.attention.alibi is not None:
        told.append("The further a key is from the query, the more is taken off its score")
    if scope.gives("bias") or scope.attention.adds:
        told.append("A given table is added to the scores")
    if scope.attention.adds:
        told.append("Where it holds −∞ nothing is added: the mask hides that score")
    return ". ".join(told) + "."


def _left_out(scope: Scope) -> Making | None:
    makings = _plan(scope)
    return makings[-1]._replace(operation=Same(), operands=(scope.x,)) if makings else None


STEP = Step(
    name="bias",
    title="Biases",
    per_head=True,
    makes=("alibi", "biased", "added"),
    shapes="scores [n, m], bias [n, m] → biased [n, m]",
    happens=_happens,
    purpose=(
        "A number added to a score makes a key more or less likely to be attended to, whatever"
        " the vectors say. ALiBi takes off more the further the key is away, at another rate in"
        " each head, and so tells the model how far apart tokens are."
    ),
    plan=_plan,
    shown_with=("positions=alibi",),
    mistakes=(Mistake("left_out", "Leaving the bias out.", _left_out),),
)
