"""Marking schemes: what each mistake costs, mistakes that cost nothing, and the scale of grades."""

import os
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, NamedTuple

from attncli.classroom.files.exercise_file import NameKind
from attncli.scenario.file import reading
from attncli.scenario.file.keys import (
    Flag,
    ListOf,
    MapOf,
    NumberKind,
    Record,
    Schema,
    keys_of_fields,
    typed,
)
from attncli.scenario.file.nodes import Node
from attncli.scenario.file.problems import Diagnostics, ScenarioError, nearest
from attncli.steps.schema import step_meant

_SHARE = NumberKind(least=0, most=1)
_HALF, _ALL = Decimal("0.5"), Decimal(1)
_PER_CENT = NumberKind(least=0, most=100)
ROUNDINGS = (
    *("truncated", "half_even", "rounded_early", "three_digits", "root_rounded"),
    *("products_rounded", "other_decimals", "too_few_decimals"),
)
"""Ways of rounding that are told from others by their names."""


@lru_cache(maxsize=1)
def _mistakes() -> frozenset[str]:
    """Returns the names of mistakes, and of ways of rounding."""
    from attncli.steps.story import steps

    return frozenset((*ROUNDINGS, *(m.name for step in steps() for m in step.mistakes)))


_MISTAKE = NameKind(
    "mistake that is known",
    lambda text: text in _mistakes(),
    lambda text: nearest(text, sorted(_mistakes())),
    lambda: {"type": "string"},
)


class Costs(NamedTuple):
    """The costs of mistakes of each kind: a share of the points of a step for a mistake of
    understanding, of the points of a number for everything else.

    By default a mistake costs more than a slip, and a slip more than a habit of writing.
    """

    mistake: Annotated[
        Decimal,
        _SHARE,
        "the share of its step's points that a known mistake costs, in each head or layer once,"
        " and no less than a slip unless it is 0; 0.5 by default",
    ] = _HALF
    slip: Annotated[
        Decimal,
        _SHARE,
        "the share of its points that a number costs which no known working gives; 1 by default",
    ] = _ALL
    pen: Annotated[
        Decimal,
        _SHARE,
        "of one that is only written down wrongly: its sign, its point, two digits; once a table of"
        " rows or columns that stand in another's place; 0.5 by default",
    ] = _HALF
    rounding: Annotated[
        Decimal,
        _SHARE,
        "the share of one number's points that rounding otherwise costs, once a paper; 0.5 by"
        " default",
    ] = _HALF
    otherwise: Annotated[
        Decimal,
        _SHARE,
        "the share of its points that a number costs which was worked in another right way; 0 by"
        " default",
    ] = Decimal(0)


_EVERYTHING = Costs(*(_ALL for _ in Costs._fields))
COSTS = Record.of(*keys_of_fields(Costs))


class CostsKind:
    """A kind of value: a map of costs. The usual ones stand for those that it doesn't say."""

    def read(self, node: Node, problems: Diagnostics) -> Costs | None:
        values = COSTS.read(node, problems)
        return None if values is None else typed(Costs, values)

    def schema(self) -> Schema:
        return COSTS.schema()


class Scheme(NamedTuple):
    """A marking scheme: how marks are given.

    Where `carry`, what follows by the right working from a wrong number costs nothing, nor does a
    mistake that is made again; else each number is marked by itself.
    """

    costs: Annotated[Costs, CostsKind(), "what is wrong costs how much"] = Costs()
    carry: Annotated[
        bool,
        Flag(),
        "`false`: each wrong number costs by itself, whatever it follows from or repeats",
    ] = True
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
        "from how many per cent of the points on there is which grade: `{A: 90, B: 75, C: 50, "
        "F: 0}`; without one from 0 on there is `below C`",
    ] = MappingProxyType({})

    @property
    def strictest(self) -> "Scheme":
        """Returns the same scheme where nothing earns points but what is right."""
        return self._replace(
            costs=_EVERYTHING._replace(otherwise=self.costs.otherwise), carry=False
        )

    @property
    def earned_by_a_mistake(self) -> int:
        """Returns what a number earns that a known mistake gives, in per cent, where each is marked
        by itself."""
        return int(100 * (1 - self.costs.mistake))

    def in_units(self, points: Decimal, of: Decimal) -> Decimal:
        """Rounds points as the scheme does: to all that there are only where it is all of them."""
        if self.unit is None:
            return points
        made = (points / self.unit + Decimal("0.5")).to_integral_value("ROUND_FLOOR") * self.unit
        return made - self.unit if points < of <= made else made

    def grade(self, points: Decimal, of: Decimal) -> str:
        """Returns the best grade that so many points bring, or that they are below the lowest one:
        `below C`; empty where there is no scale."""
        share = 100 * points / of if of else Decimal(0)
        earned = {name: least for name, least in self.grades.items() if share >= least}
        below = f"below {min(self.grades, key=self.grades.__getitem__)}" if self.grades else ""
        return max(earned, key=lambda name: (earned[name], name), default=below)


def _of_costs(name: str) -> str | None:
    usual = Costs._field_defaults.get(name)
    return None if usual is None else f"say what it costs, like costs: {{{name}: {usual}}}"


SCHEME = Record.of(*keys_of_fields(Scheme))._replace(hint=_of_costs)


def load_scheme(source: str | os.PathLike[str]) -> Scheme:
    """Returns the scheme of a file. Raises ScenarioError, whose `problems` are all that is
    wrong."""
    problems = Diagnostics()
    if not Path(source).exists():
        right = "name a file with a scheme, such as {unit: 0.5, costs: {slip: 0.5}}"
        raise ScenarioError.of(os.fspath(source), "no such file", right)
    tree = reading.read_file(Path(source), problems, step_meant)
    values = SCHEME.read(tree, problems) or {}
    problems.stop_if_any()
    return typed(Scheme, values)
