"""What verdicts are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

from attncli.arithmetic import decimals
from attncli.marked import SIGNS
from attncli.marking.verdicts import Accepted
from attncli.notation.plain import MINUS
from attncli.telling.sentences import counted

MEANING: Mapping[str, str] = MappingProxyType(
    {
        "correct": "it follows from the given numbers",
        "worked otherwise": "another right way gives it",
        "carried forward": "it follows from an earlier wrong number",
        "not worked": "it follows from wrong numbers that show no working, and earns nothing",
        "rounding": "rightly worked, but rounded otherwise",
        "known mistake": "a common mistake gives it",
        "slip": "no working that is known gives it",
        "blank": "nothing is there",
        "unreadable": "no number can be read",
    }
)
"""What verdicts mean."""


def in_short(told: Sequence[str], what: str = "number") -> str:
    """`21 numbers: 12 correct, 8 carried forward, 2 slips`"""
    return f"{counted(len(told), what)}: {by_verdict(told) or 'none'}"


def by_verdict(told: Sequence[str]) -> str:
    """`12 correct, 8 carried forward, 2 slips`"""
    return ", ".join(_counted(told.count(name), name) for name in SIGNS if name in told)


def _counted(count: int, name: str) -> str:
    """`1 slip`, `2 slips`; the other verdicts say what numbers are."""
    return counted(count, name) if name in ("slip", "known mistake") else f"{count} {name}"


def number_text(number: float, places: int) -> str:
    """A bound of what is accepted, to half a unit of the last place and a digit more."""
    if number in (float("inf"), float("-inf")):
        return "∞" if number > 0 else f"{MINUS}∞"
    told = decimals.text(decimals.shown(number, places).normalize() + Decimal(0))
    return told.replace("-", MINUS)


def accepted_text(accepted: Accepted, places: int) -> str:
    """`0.4215 to 0.4225`"""
    low, high = (number_text(one, places + 1) for one in accepted)
    return low if low == high else f"{low} to {high}"
