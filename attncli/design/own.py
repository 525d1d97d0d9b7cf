"""In how many places a scenario's own numbers break the rules, so that forms may too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from attncli.design.plan import Plan
from attncli.design.quantity import Flags
from attncli.design.rules import CHECKS, GIVEN_CHECKS, OF_ONE_KIND
from attncli.design.shares import shown_rows
from attncli.design.single import made_of
from attncli.trace import Trace

ANY = 2**62
Spare = Mapping[tuple[str, str], int]
"""In how many places a quantity may break a rule, by their names."""


def spared(trace: Trace, plan: Plan, said: Mapping[str, int] | None = None) -> Spare:
    """What numbers for a plan may break: so much in each quantity if that is said, else what the
    scenario's own do."""
    if said is not None:
        names = [stage.definition.name for stage in plan.stages]
        return {(name, rule): many for name in names for rule, many in said.items()}
    counts = {key: int(np.sum(broken)) for key, broken in _broken(trace, plan)}
    # how many queries share a winner is of the kind of an exercise; the rest is free once broken
    return {key: count if key[1] == "winners" else ANY for key, count in counts.items() if count}


def _broken(trace: Trace, plan: Plan) -> Iterator[tuple[tuple[str, str], Flags]]:
    rows = shown_rows(trace)
    for stage in plan.stages:
        name = stage.definition.name
        made = made_of(trace, trace[name], rows)
        for rule in CHECKS.keys() & OF_ONE_KIND:
            broken = CHECKS[rule](made)
            if broken is not None:
                yield (name, rule), broken if made.rows is None else broken[list(made.rows)]
    for drawn in plan.drawn:
        for rule, check in GIVEN_CHECKS.items():
            yield (drawn.names[0], rule), check(trace[drawn.names[0]].values)
