"""A marking scheme, as an exam or a file of its own says it: what a number earns by what is said of
it, which mistakes cost nothing, and the scale of grades."""

import os
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, NamedTuple

from attncli.building.exercise_file import NameKind
from attncli.file import reading
from attncli.file.keys import (
    COUNT,
    Flag,
    ListOf,
    MapOf,
    NumberKind,
    Record,
    keys_of_fields,
    typed,
    word_or,
)
from attncli.file.problems import Diagnostics, nearest
from attncli.option_values import Marks
from attncli.steps.schema import step_meant

_SHARE = NumberKind(least=0, most=1)
_PER_CENT = NumberKind(least=0, most=100)
ROUNDINGS = (
    *("truncated", "half_even", "rounded_early", "three_digits", "root_rounded"),
    *("products_rounded", "other_decimals", "too_few_decimals"),
)
"""Ways of rounding that are told from others by their names."""


def _mistakes() -> set[str]:
    """The names of mistakes, and of ways of rounding."""
    from attncli.steps.story import steps

    return {*ROUNDINGS, *(mistake.name for step in steps() for mistake in step.mistakes)}


_MISTAKE = NameKind(
    "mistake that is known",
    lambda text: text in _mistakes(),
    lambda text: nearest(text, sorted(_mistakes())),
    lambda: {"type": "string"},
)


class Scheme(NamedTuple):
    """How marks are given. A mistake that is made again in other cells costs in no more of them
    than `times`, where that isn't `all`. Where `carry`, what follows by the right working from a
    wrong number earns its points."""

    rounding: Annotated[
        Decimal,
        _SHARE,
        "the share of its points that a number earns that is only rounded otherwise",
    ] = Decimal(0)
    pen: Annotated[
        Decimal, _SHARE, "of one that is written down wrongly: its sign, its point, two digits"
    ] = Decimal(0)
    mistake: Annotated[Decimal, _SHARE, "of one that a known mistake gives"] = Decimal(0)
    slip: Annotated[Decimal, _SHARE, "of one that no working gives which is known"] = Decimal(0)
    otherwise: Annotated[
        Decimal, _SHARE, "of one that was worked in another right way, 1 by default"
    ] = Decimal(1)
    carry: Annotated[bool, Flag(), "`false`: what follows from a wrong number earns nothing"] = True
    times: Annotated[
        int | str,
        word_or(("all",), COUNT),
        "in how many of the numbers that it changes a mistake costs: 1 by default, or `all`",
    ] = 1
    free: Annotated[
        tuple[str, ...], ListOf(_MISTAKE), "mistakes that cost nothing: `[rounded_early]`"
    ] = ()
    unit: Annotated[
        Decimal | None,
        NumberKind(positive=True),
        "points of a part are rounded to this, half up, but to all of them only where nothing is"
        " wrong: `0.5`",
    ] = None
    grades: Annotated[
        Mapping[str, Decimal],
        MapOf(_PER_CENT, "grade"),
        "from how many per cent of the points on there is which grade: `{A: 90, B: 75, C: 50}`",
    ] = MappingProxyType({})

    @classmethod
    def of(cls, marks: Marks) -> "Scheme":
        """What `--marks` says: of method and accuracy marks, half each, a number that is only
        rounded otherwise or written down wrongly has the former."""
        half = Decimal("0.5") if marks == "method" else Decimal(0)
        return cls(rounding=half, pen=half)

    def in_units(self, points: Decimal, of: Decimal) -> Decimal:
        """Points as the scheme rounds them: to all that there are only where it is all of them."""
        if self.unit is None:
            return points
        made = (points / self.unit + Decimal("0.5")).to_integral_value("ROUND_FLOOR") * self.unit
        return made - self.unit if points < of <= made else made

    def grade(self, points: Decimal, of: Decimal) -> str:
        """The best grade that so many points bring; nothing where there is none."""
        share = 100 * points / of if of else Decimal(0)
        earned = [(least, name) for name, least in self.grades.items() if share >= least]
        return max(earned)[1] if earned else ""


SCHEME = Record.of(*keys_of_fields(Scheme))


def load_scheme(source: str | os.PathLike[str]) -> Scheme:
    """The scheme of a file. Raises ScenarioError, whose `problems` are all that is wrong."""
    problems = Diagnostics()
    tree = reading.read_file(Path(source), problems, step_meant)
    values = SCHEME.read(tree, problems) or {}
    problems.stop_if_any()
    return typed(Scheme, values)
