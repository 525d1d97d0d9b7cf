"""Biases added to the scores: ALiBi (Press et al. 2021, arXiv:2108.12409), given tables."""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Add, AddFinite, Alibi, Same, alibi_slopes
from attncli.file.keys import Key
from attncli.file.matrices import MATRIX
from attncli.file.problems import Problems
from attncli.name import Name
from attncli.scenario.model import Positions, Settings
from attncli.steps.attention.mask_rules import mask_rules
from attncli.steps.input.position_keys import SLOPES
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, HeadPlace


def _slopes(alibi: Positions) -> tuple[Decimal, ...]:
    return alibi.said.get(SLOPES)


def _check(place: HeadPlace, problems: Problems) -> None:
    alibi, heads = place.attention.alibi, place.attention.heads
    slopes = _slopes(alibi) if alibi is not None else ()
    if slopes and len(slopes) != heads:
        wrong = f"the slopes are {len(slopes)}, the heads {heads}"
        where = place.scenario.where("positions")
        problems.add(where, wrong, "give a slope for each head")


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    tables = _added_tables(place)
    slope = _slope(place)
    alibi = place.name("alibi")
    definitions: list[Definition] = []
    if slope is not None:
        definitions.append(Definition(alibi, Alibi(slope), (place.x,)))
    biases = [place.find("bias")] if place.gives("bias") else []
    terms = (place.x, *biases, *([alibi] if definitions else []))
    x = place.x
    if len(terms) > 1:
        name = place.name("biased")
        definitions.append(Definition(name, Add(len(terms)), terms, blame=Name("bias")))
        x = name
    for k, table in enumerate(tables):
        name = place.name("added" if k == 0 else f"added{k + 1}")
        definitions.append(Definition(name, AddFinite(), (x, table), blame=Name("mask")))
        x = name
    return tuple(definitions)


def _added_tables(place: HeadPlace) -> list[Name]:
    """The tables of the mask that hold numbers to add."""
    return [rule.table for rule in mask_rules(place.attention) if rule.kind == "add"]


def _slope(place: HeadPlace) -> Number | None:
    positions = place.attention.alibi
    if positions is None:
        return None
    slopes = _slopes(positions)
    if slopes:
        return Number.written(slopes[min(place.head, len(slopes) - 1)])
    return alibi_slopes(place.attention.heads)[place.head]


def _happens(place: HeadPlace) -> str:
    told = []
    if place.attention.alibi is not None:
        told.append("The further a key is from the query, the more is subtracted from its score")
    if place.gives("bias") or _added_tables(place):
        told.append("A given table is added to the scores")
    if _added_tables(place):
        told.append("Where it holds −∞ nothing is added: the mask hides that score")
    return ". ".join(told) + "."


def _left_out(place: HeadPlace) -> Definition | None:
    definitions = _plan(place)
    return definitions[-1]._replace(operation=Same(), operands=(place.x,)) if definitions else None


STEP = Step(
    name="bias",
    at=HeadPlace,
    keys=(Key("bias", MATRIX, "numbers added to the scores, [n, m]", in_parts=True),),
    title="Biases",
    does="adds biases to the scores, such as ALiBi's",
    makes=("alibi", "biased", "added"),
    shapes="scores [n, m], bias [n, m] → biased [n, m]",
    happens=_happens,
    why=(
        "A number added to a score makes a key more or less likely to be attended to, whatever"
        " the vectors say."
    ),
    more=(
        "ALiBi subtracts more the further away the key is, at a different rate in each head, and"
        " so tells the model how far apart tokens are."
    ),
    check=_check,
    plan=_plan,
    general=General(
        x="scores",
        gives=("bias",),
        positions=(Positions("alibi", Settings(values={"slopes": (Decimal("0.5"),)})),),
    ),
    shown_with=("positions=alibi",),
    on_the_way=True,
    mistakes=(Mistake("left_out", "Leaving the bias out.", _left_out),),
    backward=Backward(
        "the bias",
        "A sum hands its gradient on to all of its terms as it is.",
        fixed=("add",),
    ),
)
