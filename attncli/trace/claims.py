"""The claims of a source about rows, judged row by row, and givens that it doesn't have."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from attncli.maths.numbers import decimals
from attncli.scenario.file.address import AddressError, parse_address
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.published import ITSELF, Claim
from attncli.scenario.scenario import ALL_OURS
from attncli.trace.published import quantity_at
from attncli.trace.quantity import Quantity
from attncli.trace.trace import Trace


class JudgedClaim(NamedTuple):
    """A sentence of the source about rows of a quantity, to be compared with what is worked
    here."""

    claim: Claim
    quantity: Quantity
    rows: tuple[int, ...]
    """The rows that the sentence is about, from 0."""
    one: bool
    """Whether the sentence is about a single row."""

    @property
    def failing(self) -> tuple[int, ...]:
        return tuple(i for i in self.rows if not self._holds(i))

    def _holds(self, i: int) -> bool:
        own = self.claim.largest == ITSELF
        meant = self.quantity.rows.names[i] if own else self.claim.largest
        return self.adds_up(i) and (not meant or self.largest(i) == (meant,))

    def adds_up(self, i: int) -> bool:
        """Tells whether a row adds up to the total that the source states, if it states one."""
        said = self.claim.total
        return said is None or decimals.round_to(self.total(i), decimals.places(said)) == said

    def largest(self, i: int) -> tuple[str, ...]:
        """Returns the names of the columns that hold the largest number of a row; more than one in
        a tie."""
        row = self.quantity.values[i]
        names = self.quantity.columns.names
        return tuple(name for name, x in zip(names, row, strict=True) if x == row.max())

    def total(self, i: int) -> Decimal:
        """Adds up the digits shown of a row."""
        return decimals.total(
            self.quantity.matrix.shown(i, j) for j in range(self.quantity.matrix.shape[1])
        )


@lru_cache(maxsize=8)
def judged_claims(trace: Trace) -> tuple[JudgedClaim, ...]:
    """Pairs each claim of a trace's source with its rows. Raises ScenarioError that names every
    address which isn't in the trace, and all under `ours` that isn't given."""
    problems = Diagnostics()
    found: list[JudgedClaim] = []
    for text, claim in trace.scenario.source.claims.items():
        try:
            found.append(JudgedClaim(claim, *_rows(trace, text)))
        except AddressError as error:
            problems.add(trace.scenario.where(f"claims.{text}"), error.wrong, error.right)
    for text in trace.scenario.source.ours if trace.scenario.source.ours != ALL_OURS else ():
        try:
            _check_given(trace, text)
        except AddressError as error:
            problems.add(trace.scenario.where("ours"), error.wrong, error.right)
    problems.stop_if_any()
    return tuple(found)


def _rows(trace: Trace, text: str) -> tuple[Quantity, tuple[int, ...], bool]:
    """Finds the quantity of an address, its rows (all, or the one that is named), and whether one
    is named. Raises AddressError."""
    quantity, indices = quantity_at(trace, {}, parse_address(text))
    if len(indices) > 1 or quantity.is_list:
        raise AddressError(f"{text} is no row of numbers", "name a quantity, or a row of it")
    places = [quantity.rows.find(index, quantity.name) for index in indices]
    return quantity, tuple(places or range(quantity.matrix.shape[0])), bool(indices)


def _check_given(trace: Trace, text: str) -> None:
    quantity, _ = quantity_at(trace, {}, parse_address(text))
    if not quantity.given:
        raise AddressError(f"{quantity.name} isn't given", "name what the scenario gives")
    _rows(trace, text) if "[" in text.removeprefix(quantity.name) else None
