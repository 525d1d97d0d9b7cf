"""What is accepted for a blank, and why: what the two rounding policies give, half a unit of the
last place around either, and what the known mistakes would give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Number
from attncli.document import Key, Slip
from attncli.steps import Mistake
from attncli.telling.exercise.lines import Place
from attncli.telling.lesson import remade
from attncli.telling.parts import step_of
from attncli.trace import Part, Trace


def places_after_point(trace: Trace, name: str) -> int:
    """The decimals that a quantity is rounded to."""
    making = trace[name].making
    step = "" if making is None else making.step
    return trace.rounding.of_quantity(step, name).decimals


def key_of(trace: Trace, place: Place, others: Mapping[str, Number]) -> Key:
    """What is accepted for a blank; `others` are the figures of the other policy by id, none
    where that can't be worked."""
    places = places_after_point(trace, place.quantity)
    own, other = settled(place.number, places), others.get(place.id)
    second = settled(other, places) if other is not None and other.shown.is_finite() else None
    both = [number.shown for number in (own, second) if number is not None]
    low, high = around(both, places)
    carry, exact = (own, second) if trace.rounding.carries else (second, own)
    return Key(own, low, high, carry, exact, half=half_a_unit(places))


def settled(number: Number, places: int) -> Number:
    """A figure as it is compared: rounded, unless all of its digits are known and shown."""
    if number.full == number.shown:
        return number
    return Number.written(decimals.round_to(number.full, places))


@cache
def half_a_unit(places: int) -> Decimal:
    """Half a unit of the last of so many decimals."""
    return Decimal((0, (5,), -(places + 1)))


def around(figures: Iterable[Decimal], places: int) -> tuple[Decimal, Decimal]:
    """Half a unit of the last place around either of some figures."""
    half = half_a_unit(places)
    known = list(figures)
    return decimals.difference(min(known), half), decimals.total((max(known), half))


def with_slips(
    trace: Trace, part: Part, keys: Sequence[tuple[Place, Key]]
) -> list[tuple[Place, Key]]:
    """The keys of a part's blanks, with what the common mistakes of its step would give. What
    can't be told from the right answer, or from another mistake, is left out."""
    tried = ((mistake, _mistaken(trace, part, mistake)) for mistake in step_of(part).mistakes)
    wrong = [(mistake, mistaken) for mistake, mistaken in tried if mistaken is not None]
    return [(place, _with_slips(trace, place, key, wrong)) for place, key in keys]


def _mistaken(trace: Trace, part: Part, mistake: Mistake) -> Trace | None:
    making = mistake.making(part.scope)
    if making is None or making.name not in trace or trace[making.name].given:
        return None
    return remade(trace.within(part), making)


def _with_slips(
    trace: Trace, place: Place, key: Key, wrong: Sequence[tuple[Mistake, Trace]]
) -> Key:
    if place.cell is None:
        return key
    name, i, j = place.cell
    slips: list[Slip] = []
    for mistake, mistaken in wrong:
        if mistaken[name] is trace[name]:  # the mistake leaves it as it is
            continue
        figure = settled(mistaken[name].number(i, j), key.places)
        if figure.shown == key.figure.shown or not figure.shown.is_finite():
            continue
        low, high = around((figure.shown,), key.places)
        taken = ((key.low, key.high), *((slip.low, slip.high) for slip in slips))
        if all(high < a or b < low for a, b in taken):
            slips.append(Slip(mistake.name, mistake.says, figure, low, high))
    return key._replace(slips=tuple(slips))
