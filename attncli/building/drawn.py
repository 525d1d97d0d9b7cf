"""Random matrices, which are drawn once their shapes follow from the rest."""

from __future__ import annotations

from dataclasses import replace

from attncli.arithmetic.matrix import Matrix
from attncli.building.given_matrices import of_array
from attncli.file.problems import Problems
from attncli.file.sources import MOST_NUMBERS
from attncli.name import Name
from attncli.scenario.scenario import Scenario


def with_drawn(scenario: Scenario, problems: Problems) -> Scenario:
    """The scenario with its random matrices drawn."""
    drawn = {name: _drawn(scenario, name, problems) for name in scenario.random}
    given = {name: matrix for name, matrix in drawn.items() if matrix is not None}
    return replace(scenario, given={**scenario.given, **given}, random={})


def _drawn(scenario: Scenario, name: Name, problems: Problems) -> Matrix | None:
    """A random matrix of the shape that follows from the rest."""
    source = scenario.random[name]
    rows, columns = source.shape or scenario.shapes[name]
    if rows is None or columns is None:
        if not problems.found:
            problems.add(
                source.where, f"the shape of {name} doesn't follow from the rest",
                "say it, like shape: [4, 4], or the sizes, like d_model: 4",
            )  # fmt: skip
        return None
    if rows * columns > MOST_NUMBERS:
        wrong = f"{name} would have {rows} × {columns} numbers"
        problems.add(source.where, wrong, f"at most {MOST_NUMBERS} can be drawn")
        return None
    drawn = source.draw((rows, columns))
    return of_array(drawn, scenario.rounding, source.where, problems)
