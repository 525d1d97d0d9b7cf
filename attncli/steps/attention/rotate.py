"""Rotary positions (Su et al. 2021, arXiv:2104.09864)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Operation, RotaryTable, Rotate, TurnsTable
from attncli.file.problems import Problems
from attncli.name import Name
from attncli.scenario.model import Positions
from attncli.scenario.scenario import Scenario
from attncli.steps.attention import given_turns, rope_scaling
from attncli.steps.input.position_keys import BASE, DIMENSIONS, PAIRS, ROPE, START
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, HeadPlace
from attncli.trace.extents import sized

_FUNCTIONS: dict[str, Literal["cos", "sin"]] = {"cosine": "cos", "sine": "sin"}


def _start(place: HeadPlace, positions: Positions, name: str) -> int:
    """The position of the first row: queries come after the keys that are cached."""
    return positions.said.get(START) + (len(place.attention.cached or ()) if name == "Q" else 0)


def _dimensions(positions: Positions) -> int | None:
    """How many dimensions turn, in pairs."""
    dimensions = positions.said.get(DIMENSIONS)
    return dimensions and dimensions // 2 * 2


def _check(place: HeadPlace, problems: Problems) -> None:
    positions, said = place.attention.rotated, place.attention.said
    if place.attention.sees_memory and said.says(ROPE):
        wrong = "the positions of a memory are nobody's, and queries can't be turned against them"
        problems.add(place.scenario.where(said.at(ROPE)), wrong, "leave rope out")
    if positions is not None and positions.turned_by is not None:
        given_turns.check(place, positions, problems)
    elif positions is not None and rope_scaling.is_scaled(positions):
        rope_scaling.check(place, positions, problems)


def _fits(definition: Definition, scenario: Scenario, problems: Problems) -> None:
    """No more dimensions turn than there are."""
    rope_scaling.fits(definition, scenario, problems)
    given_turns.fits(definition, scenario, problems)
    turned, rotate = definition.operands[0], definition.operation
    width = scenario.shapes[turned][1]
    if width is not None and isinstance(rotate, Rotate) and (rotate.dimensions or 0) > width:
        wrong = f"{rotate.dimensions} dimensions are to turn, and {turned} has {sized(width, 1)}"
        problems.add(scenario.where(definition.blame), wrong, f"give {width} or less")


def _by_halves(positions: Positions) -> bool:
    return positions.said.get(PAIRS) == "half"


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    positions = place.attention.rotated
    if positions is None:
        return ()
    scaled = positions.turned_by is None and rope_scaling.is_scaled(positions)
    return (
        *(rope_scaling.frequencies(place, positions, _dimensions(positions)) if scaled else ()),
        *_rotated(place, positions, "Q"),
        *_rotated(place, positions, "K"),
    )


def _table(
    place: HeadPlace, positions: Positions, name: str, function: Literal["cos", "sin"]
) -> tuple[Operation, tuple[Name, ...]]:
    """How the cosines or sines of queries or keys are made, and of what."""
    x, start = place.latest(name), _start(place, positions, name)
    if rope_scaling.is_scaled(positions):
        operation = TurnsTable(function, start, rope_scaling.attention_factor(positions))
        return operation, (x, place.name("scaled_frequencies"))
    base = Number.written(positions.said.get(BASE))
    return RotaryTable(function, _dimensions(positions), base, start), (x,)


def _tables(place: HeadPlace, positions: Positions, name: str) -> Sequence[Definition]:
    """The cosines and sines of queries or keys, looked up where these are given."""
    names = [place.name(f"{name}_{table}") for table in _FUNCTIONS]
    if positions.turned_by is not None:
        return given_turns.rows(names, positions.turned_by, _start(place, positions, name))
    return [
        Definition(one, *_table(place, positions, name, function), blame=Name("positions"))
        for one, function in zip(names, _FUNCTIONS.values(), strict=True)
    ]


def _rotated(place: HeadPlace, positions: Positions, name: str) -> tuple[Definition, ...]:
    dimensions = _dimensions(positions)
    tables = _tables(place, positions, name)
    operands = (place.latest(name), *(table.name for table in tables))
    rotate = Rotate("half" if _by_halves(positions) else "interleaved", dimensions)
    turned = Definition(place.name(f"rotated_{name}"), rotate, operands, wire=name)
    return (*tables, turned._replace(blame=Name("positions")))


def _turned_wrongly(place: HeadPlace, name: str, *, pairs: bool) -> Definition | None:
    """Other pairs turned, or the same ones the other way round."""
    positions = place.attention.rotated
    if positions is None:
        return None
    half = _by_halves(positions) != pairs
    other = Rotate("half" if half else "interleaved", _dimensions(positions), not pairs)
    return _rotated(place, positions, name)[-1]._replace(operation=other)


def _keys_too(place: HeadPlace, *, pairs: bool) -> tuple[Definition, ...]:
    made = _turned_wrongly(place, "K", pairs=pairs)
    return () if made is None else (made,)


def _happens(place: HeadPlace) -> str:
    positions = place.attention.rotated
    half = positions is not None and _by_halves(positions)
    pairs = "a column of the first half and one of the second" if half else "two columns"
    if positions is not None and positions.turned_by is not None:
        return (
            f"In each query and key {pairs} at a time are turned by an angle, of which the cosine"
            " and the sine are given: each position, counted from 0, has its row."
        )
    scaled = (
        ""
        if positions is None or not rope_scaling.is_scaled(positions)
        else f" {rope_scaling.told(positions)}."
    )
    return (
        f"In each query and key {pairs} at a time are turned by an angle that grows with the"
        f" position, which counts from 0.{scaled}"
    )


STEP = Step(
    name="rotate",
    at=HeadPlace,
    keys=(ROPE,),
    title="Rotary positions",
    does="turns queries and keys by their positions",
    makes=(
        *rope_scaling.MAKES,
        "Q_cosine",
        "Q_sine",
        "rotated_Q",
        "K_cosine",
        "K_sine",
        "rotated_K",
    ),
    shapes="Q [n, d_k], K [m, d_k] → rotated_Q [n, d_k], rotated_K [m, d_k]",
    happens=_happens,
    why=(
        "Instead of adding something to the embeddings, queries and keys are turned, each pair of"
        " their columns at a speed of its own."
    ),
    more=(
        "The dot product of two turned vectors depends only on how much further one was turned"
        " than the other: so a score knows how far apart two tokens stand, wherever they are."
    ),
    check=_check,
    plan=_plan,
    fits=_fits,
    sized=given_turns.sized,
    general=General(positions=(Positions("rope"),)),
    shown_with=("positions=rope",),
    on_the_way=True,
    mistakes=(
        Mistake(
            "other_pairs",
            "Taking other columns for pairs: neighbours where one of each half belong together,"
            " or the other way round.",
            partial(_turned_wrongly, name="Q", pairs=True),
            partial(_keys_too, pairs=True),
        ),
        Mistake(
            "turned_back",
            "Turning the other way round: the sines have the other sign.",
            partial(_turned_wrongly, name="Q", pairs=False),
            partial(_keys_too, pairs=False),
        ),
    ),
    backward=Backward(
        "the rotation",
        "What was turned on the way forward is turned back, by the same angle the other way.",
        fixed=("cos", "sin"),
    ),
)
