"""What got through the sieve of a search, as a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from attncli.arithmetic.matrix import Matrix
from attncli.design.pools import Drawn
from attncli.design.sieve import Survivor
from attncli.name import Name
from attncli.scenario.scenario import Scenario


@dataclass
class Candidate:
    """A survivor and its numbers."""

    survivor: Survivor

    @cached_property
    def numbers(self) -> Mapping[Drawn, Matrix]:
        """What was drawn, as an author would write it."""
        return {drawn: drawn.matrix(own) for drawn, own in self.survivor.drawn.items()}

    def scenario(self, of: Scenario) -> Scenario:
        """A scenario with these numbers."""
        drawn = self.numbers.items()
        return _with_numbers(of, {name: matrix for one, matrix in drawn for name in one.names})


def _with_numbers(scenario: Scenario, numbers: Mapping[Name, Matrix]) -> Scenario:
    """The scenario, and its variants, with other numbers where they had the same."""

    def other(name: Name, matrix: Matrix) -> Matrix:
        own = scenario.given.get(name)
        return numbers[name] if name in numbers and _is_same(own, matrix) else matrix

    def changed(one: Scenario) -> Scenario:
        given = {name: other(name, matrix) for name, matrix in one.given.items()}
        variants = {name: changed(variant) for name, variant in one.variants.items()}
        return replace(one, given=given, variants=variants)

    return changed(scenario)


def _is_same(own: Matrix | None, matrix: Matrix) -> bool:
    return own is matrix or (own is not None and own.written == matrix.written)
