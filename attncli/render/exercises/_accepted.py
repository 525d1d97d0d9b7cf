"""What formats that mark by themselves accept for a blank, as ranges apart from each other."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from attncli.arithmetic import decimals
from attncli.questions import MistakenAnswer, RightAnswer

_HALF = Decimal("0.5")
_SLACK = Decimal("1e-13")
"""Moodle widens an interval by 10^-14 at either end, times the number where that is above 1."""
_LONGEST = 30


class AcceptedRange(NamedTuple):
    """What is accepted: from `low` to `high`, both included."""

    low: Decimal
    high: Decimal

    @property
    def centre(self) -> Decimal:
        return decimals.product(decimals.total((self.low, self.high)), _HALF)

    @property
    def tolerance(self) -> Decimal:
        return decimals.product(decimals.difference(self.high, self.low), _HALF)

    @property
    def text(self) -> str:
        """The interval as an answer of a field."""
        return f"{number_text(self.centre)}:{number_text(self.tolerance)}"

    def is_apart(self, other: AcceptedRange) -> bool:
        """Whether no number belongs to both, not even one at an end as Moodle takes it."""
        first, second = sorted((self, other))
        largest = max(Decimal(1), *map(abs, (*first, *second)))
        gap = decimals.difference(second.low, first.high)
        return gap > decimals.product(_SLACK, largest)


class TakenWrong(NamedTuple):
    """What is accepted as a common mistake, and what it earns, in per cent."""

    mistake: MistakenAnswer
    accepted: AcceptedRange
    share: int

    @property
    def name(self) -> str:
        return self.mistake.name.replace("_", " ")


class Alternatives(NamedTuple):
    """What is right for a blank, the answer itself and all that is accepted, and the mistakes that
    are apart from it and each other."""

    answer: Decimal
    right: AcceptedRange
    slips: tuple[TakenWrong, ...]

    @classmethod
    def of(cls, key: RightAnswer, share: int) -> Alternatives:
        """A mistake earns a `share` of the points, in per cent; nothing where it gives 0, which
        anybody can type."""
        right = AcceptedRange(key.low, key.high)
        kept: list[TakenWrong] = []
        for slip in key.slips:
            found = AcceptedRange(slip.low, slip.high)
            if all(found.is_apart(other) for other in (right, *(one.accepted for one in kept))):
                earned = 0 if found.low <= 0 <= found.high else share
                kept.append(TakenWrong(slip, found, earned))
        return cls(key.number.shown, right, tuple(kept))

    @property
    def intervals(self) -> tuple[AcceptedRange, ...]:
        return (self.right, *(one.accepted for one in self.slips))

    @property
    def numbers(self) -> tuple[Decimal, ...]:
        """The numbers by which its answers are written."""
        return (self.answer, *(interval.centre for interval in self.intervals))


def number_text(number: Decimal) -> str:
    """A number in full, with an ASCII minus and without zeros at its end; a very long one with an
    exponent, `1.0E-300`, as Moodle itself writes it."""
    if not number.is_finite():
        raise ValueError(f"{number} can't be asked for")
    text = _without_zeros(format(decimals.unsigned_zero(number), "f"))
    if len(text) <= _LONGEST:
        return text
    mantissa, _, exponent = format(number, "E").partition("E")
    mantissa = _without_zeros(mantissa)
    return f"{mantissa if '.' in mantissa else f'{mantissa}.0'}E{exponent}"


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
