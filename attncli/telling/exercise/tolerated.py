"""What is accepted beside what follows by itself, as the author of an exercise says."""

from __future__ import annotations

from decimal import Decimal

from attncli.document import Note
from attncli.languages.words import KeyWords
from attncli.marking.paths import Tolerance
from attncli.questions import RightAnswer

_NONE = Tolerance()


def let_pass(key: RightAnswer, tolerance: Tolerance) -> RightAnswer:
    """A key that lets more pass: units of the last place, an absolute and a relative difference;
    and what the answer is when it is given with so many significant digits."""
    if tolerance == _NONE or not key.number.shown.is_finite():
        return key
    shown = key.number.shown
    more = 2 * key.half * tolerance.units + tolerance.absolute + abs(shown) * tolerance.relative
    around = _rounded_off(shown, tolerance.digits)
    return key._replace(
        low=min(key.low - more, shown - around), high=max(key.high + more, shown + around)
    )


def what_passes(tolerance: Tolerance, words: KeyWords) -> tuple[Note, ...]:
    """What is said of it in a key."""
    units, absolute, relative, digits = tolerance
    told = (
        (units, words.units),
        (absolute, words.absolute),
        (relative, words.relative),
        (digits, words.digits),
    )
    said = ", ".join(says.format(number=much) for much, says in told if much)
    return (Note((words.lets_pass.format(what=said),)),) if said else ()


def _rounded_off(number: Decimal, digits: int | None) -> Decimal:
    """The most that a number changes when only so many digits of it are given."""
    if digits is None or not number:
        return Decimal(0)
    return Decimal(5).scaleb(number.adjusted() - digits)
