"""Marks for a number, by what is said of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

from attncli.choices import Marks
from attncli.marking.verdicts import Judgement, Verdict
from attncli.records import NamedTuple

_NONE, _HALF, _ALL = Decimal(0), Decimal("0.5"), Decimal(1)
_SHARES: Mapping[Marks, Mapping[Judgement, Decimal]] = MappingProxyType(
    {
        "single": {"correct": _ALL, "carried forward": _ALL},
        "method": {"correct": _ALL, "carried forward": _ALL, "rounding": _HALF},
    }
)
"""The share of its points that a number earns. Of method and accuracy marks, half each, one that is
only rounded otherwise, or written down wrongly, has the former."""
_OF_THE_PEN = ("sign", "digits_transposed", "decimal_point")
"""Causes by which a right number was written down wrongly."""


class Scheme(NamedTuple):
    """How marks are given. Without `carry` only a number that is right earns some."""

    marks: Marks = "single"
    carry: bool = True

    def shares(self, verdicts: Sequence[Verdict]) -> Iterator[Decimal]:
        """The share of its points that each number of a paper earns. A mistake that is made again
        in other cells costs once."""
        made: set[tuple[str, str]] = set()
        for verdict in verdicts:
            again = _mistake(verdict)
            repeated = self.carry and again is not None and again in made
            if again is not None:
                made.add(again)
            yield _ALL if repeated else self._share(verdict)

    def _share(self, verdict: Verdict) -> Decimal:
        if not self.carry and verdict.judgement == "carried forward":
            return _NONE
        pen = verdict.cause is not None and verdict.cause.name in _OF_THE_PEN
        if pen and self.marks == "method":
            return _HALF
        return _SHARES[self.marks].get(verdict.judgement, _NONE)


def _mistake(verdict: Verdict) -> tuple[str, str] | None:
    """What would be the same mistake in another cell: a way of rounding anywhere, a wrong method
    in the same quantity; None of a slip."""
    cause = verdict.cause
    if cause is None or cause.name in _OF_THE_PEN:
        return None
    if verdict.judgement == "rounding":
        return cause.name, ""
    if verdict.judgement == "known mistake":
        return cause.name, cause.quantity or verdict.cell.quantity
    return None
