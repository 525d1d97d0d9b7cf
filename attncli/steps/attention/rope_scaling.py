"""Frequencies of rotary positions that are scaled, so that a model reaches further than it was
trained: which operations that takes, and how it is told.

YaRN, and those before it: Peng et al. 2023, arXiv:2309.00071. Llama 3: arXiv:2407.21783, 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncli.arithmetic.expression import ONE, Apply, Expression, Number, Product, Sum, constant
from attncli.arithmetic.operations import (
    BlendFrequencies,
    DivideBy,
    Frequencies,
    Operation,
    RampOfPairs,
    RampOfTurns,
)
from attncli.file.problems import Problems
from attncli.name import Name
from attncli.scenario.model import Positions
from attncli.scenario.scenario import Scenario
from attncli.steps.input.position_keys import BASE, SCALING, SCALINGS, START
from attncli.trace import Definition, HeadPlace

_ONE_PAIR = 2
MAKES = ("frequencies", "ramp", "scaled_frequencies")
_DEFAULTS = {"low_freq_factor": 1, "high_freq_factor": 4, "beta_fast": 32, "beta_slow": 1}


def is_scaled(positions: Positions) -> bool:
    """Whether the frequencies are told by themselves, and scaled; not by what lacks something,
    which is complained of where it is read."""
    said = positions.said.get(SCALING) or {}
    needs = SCALINGS[said["kind"]].needs if "kind" in said else None
    return needs is not None and all(name in said for name in needs.parts)


def check(place: HeadPlace, positions: Positions, problems: Problems) -> None:
    """Complains of ramps that go nowhere."""
    said, where = positions.said.get(SCALING), place.scenario.where("positions")
    for low, high in (("low_freq_factor", "high_freq_factor"), ("beta_slow", "beta_fast")):
        few, many = (said.get(name, _DEFAULTS[name]) for name in (low, high))
        if few >= many:
            wrong = f"scaling with {low} {few} and {high} {many}"
            problems.add(where, wrong, f"give a {high} that is larger than {low}")
    base = positions.said.get(BASE)
    if said["kind"] == "yarn" and base <= 1:
        problems.add(where, f"scaling of the base {base}", "give one that is larger than 1")


def fits(definition: Definition, scenario: Scenario, problems: Problems) -> None:
    """Complains of a larger base where a single pair turns, as the exponent d/(d − 2) has none."""
    operation = definition.operation
    width = scenario.shapes[definition.operands[0]][1]
    if not isinstance(operation, Frequencies) or operation.stretch is None:
        return
    if (operation.dimensions or width) == _ONE_PAIR:
        wrong = "a larger base for 2 dimensions, of which the exponent d/(d − 2) has no value"
        problems.add(scenario.where(definition.blame), wrong, "say scaling: {kind: linear, …}")


def frequencies(
    place: HeadPlace, positions: Positions, dimensions: int | None
) -> tuple[Definition, ...]:
    """The frequencies before and after they are scaled."""
    said, base = positions.said.get(SCALING), Number.written(positions.said.get(BASE))
    there = (name for name in ("K", "Q") if place.gives(name) or place.gives(f"W_{name}"))
    turned = place.latest(next(there, "K"))  # only the width counts, which both have
    plain = _of(place, "frequencies", Frequencies(base, dimensions), turned)
    factor = _number(said, "factor")
    match said["kind"]:
        case "linear":
            return plain, _of(place, "scaled_frequencies", DivideBy(factor), plain.name)
        case "ntk" | "dynamic":
            start = positions.said.get(START)
            original = _number(said, "original_length") if "original_length" in said else None
            scaled = Frequencies(base, dimensions, factor, original, start)
            return plain, _of(place, "scaled_frequencies", scaled, turned)
        case _:
            ramp = _of(place, "ramp", _ramp(said, base), plain.name)
            blend = BlendFrequencies(factor)
            scaled_by_ramp = _of(place, "scaled_frequencies", blend, plain.name, ramp.name)
            return plain, ramp, scaled_by_ramp


def _of(place: HeadPlace, local: str, operation: Operation, *operands: Name) -> Definition:
    return Definition(place.name(local), operation, operands, blame=Name("positions"))


def _number(said: Mapping[str, Any], name: str) -> Number:
    return Number.written(said.get(name, _DEFAULTS.get(name)))


def _ramp(said: Mapping[str, Any], base: Number) -> Operation:
    original = _number(said, "original_length")
    if said["kind"] == "llama3":
        return RampOfTurns(
            original, _number(said, "low_freq_factor"), _number(said, "high_freq_factor")
        )
    fast, slow = _number(said, "beta_fast"), _number(said, "beta_slow")
    return RampOfPairs(base, original, fast, slow, said.get("truncate", True))


def attention_factor(positions: Positions) -> Expression | None:
    """What cosines and sines are multiplied by, if anything: of YaRN 0.1 ln factor + 1."""
    said = positions.said.get(SCALING)
    if said["kind"] != "yarn":
        return None
    if "attention_factor" in said:
        return _number(said, "attention_factor")
    factor = _number(said, "factor")
    if factor.full <= 1:
        return None
    return Sum((Product((constant("0.1"), Apply("ln", (factor,)))), ONE))


_IN_WORDS = {
    "linear": "The frequencies are divided by {factor}, so that the angles of {factor} times as"
    " many positions are those that the model was trained on",
    "ntk": "The frequencies are those of a larger base: the slowest pair turns {factor} times as"
    " slowly, the fastest as before",
    "dynamic": "Where the text is longer than {original_length}, the frequencies are those of a"
    " larger base",
    "llama3": "Pairs that turn {low_freq_factor} times or less within {original_length} positions"
    " turn {factor} times as slowly, those that turn {high_freq_factor} times or more as before,"
    " and between them is a ramp",
    "yarn": "Pairs that turn {beta_slow} times or less within {original_length} positions turn"
    " {factor} times as slowly, those that turn {beta_fast} times or more as before, and between"
    " them is a ramp",
}


def told(positions: Positions) -> str:
    """How frequencies are scaled, in words."""
    said = positions.said.get(SCALING)
    return _IN_WORDS[said["kind"]].format(**{**_DEFAULTS, **said})
