"""Which bug a tensor looks like: each known one is made on purpose, from the implementation's own
earlier tensors, and what gives just this tensor is what was done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.rounding import Array
from attncli.file.problems import ScenarioError
from attncli.marking.dumps.bugs import KINDS, bugs
from attncli.marking.dumps.floats import Floats, is_decided, tells_apart
from attncli.marking.hypotheses import WrongWay
from attncli.marking.paths import Flags
from attncli.marking.verdicts import NOISE, Cause
from attncli.trace import Definition, PlannedStep, Trace

_IMPOSSIBLE = (
    ValueError, ArithmeticError, ScenarioError, IndexError, KeyError, TypeError, RecursionError,
)  # fmt: skip
"""What a bug raises that can't be made with these numbers, or these shapes."""


_FAR = 20.0
"""Times what rounding may come to: what is further off is another number."""


@dataclass(frozen=True)
class Suspects:
    """The bugs that a trace may have, tried on tensors that depart."""

    trace: Trace
    floats: Floats
    theirs: Mapping[str, Array]
    _known: dict[tuple[int, int], tuple[WrongWay, ...]] = field(default_factory=dict)

    def causes(
        self, name: str, follows: Enclosure, off: Flags, kinds: int = len(KINDS)
    ) -> tuple[Cause, ...]:
        """What gives a tensor that departs, the likeliest first, of some kinds of bugs."""
        for ways in self._leading_to(name, kinds):
            found = [way for way in ways if self._gives(way, name, follows, off)]
            if found:
                found.sort(key=self._departing, reverse=True)
                causes = [way.cause(name) for way in found]
                return tuple({cause.name: cause for cause in reversed(causes)}.values())[::-1]
        return ()

    def _departing(self, way: WrongWay) -> int:
        """How many tensors a bug makes that wouldn't follow otherwise."""
        made = {one.name for one in way.definitions if one.name in self.theirs}
        return sum(not self._takes(self.floats.made(one), one) for one in made)

    def _leading_to(self, name: str, kinds: int) -> Iterator[list[WrongWay]]:
        """The bugs in making a quantity, or what is between it and other tensors of theirs, the
        nearest first; by how likely they are."""
        parts = {id(part): part for one in self.between(name) if (part := self.trace.part_of(one))}
        for kind in range(kinds):
            ways = [way for part in parts.items() for way in self._of_part(*part, kind)]
            yield [*ways, *_everywhere(ways)]

    def _of_part(self, key: int, part: PlannedStep, kind: int) -> tuple[WrongWay, ...]:
        if (key, kind) not in self._known:
            self._known[key, kind] = bugs(self.trace, part, kind)
        return self._known[key, kind]

    def between(self, name: str) -> Iterator[str]:
        """A quantity, and those that lie between it and other tensors of theirs."""
        waiting, seen = [name], {name}
        while waiting:
            made = waiting.pop(0)
            yield made
            definition = self.trace[made].definition
            for operand in () if definition is None else definition.operands:
                if operand not in seen and operand not in self.theirs:
                    seen.add(operand)
                    waiting.append(operand)

    def _gives(self, way: WrongWay, name: str, follows: Enclosure, off: Flags) -> bool:
        """Whether a bug gives all of a tensor, and of others that it makes, and isn't known to give
        just about anything."""
        theirs, paths = self.theirs[name], self.floats.otherwise(way.definitions)
        if not self._is_near(paths, name, follows):
            return False
        made = {one.name for one in way.definitions if one.name in self.theirs}
        try:
            held = paths.made(name)
            given = all(self._takes(paths.made(one), one) for one in {name, *made})
        except _IMPOSSIBLE:
            return False
        apart = np.where(off, _apart(theirs, follows), 0.0)
        furthest = np.unravel_index(int(apart.argmax()), apart.shape)
        with np.errstate(invalid="ignore"):
            wide = held.high[furthest] - held.low[furthest] > apart[furthest]
        return given and not wide and is_decided(paths.value(name), held)

    def _is_near(self, paths: Floats, name: str, follows: Enclosure) -> bool:
        """Whether a bug may give a tensor at all, which is known quickly."""
        theirs = self.theirs[name]
        try:
            value = paths.value(name)
        except _IMPOSSIBLE:
            return False
        if value.shape != theirs.shape:
            return False
        with np.errstate(invalid="ignore"):
            slack = np.nan_to_num(follows.high - follows.low) + self.floats.grain.half
            far = np.abs(value - theirs) > _FAR * (slack + slack.max() / _FAR)
        return not (far | (np.isinf(value) != np.isinf(theirs))).any()

    def _takes(self, held: Enclosure, name: str) -> bool:
        theirs = self.theirs[name]
        return held.low.shape == theirs.shape and bool(self.floats.takes(held, theirs).all())


def _apart(theirs: Array, follows: Enclosure) -> Array:
    """How far each number is from what follows."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.abs(theirs - follows.middle), nan=np.inf)


def _everywhere(ways: Iterable[WrongWay]) -> Iterator[WrongWay]:
    """The same bug made in all heads, and in all that it can be made in: of Q, K and V together,
    and of each of them."""
    alike: dict[tuple[str, str, int, str], dict[Definition, None]] = {}
    for way in ways:
        made = dict.fromkeys(way.definitions)
        for local in ("", way.definitions[0].name.local):
            alike.setdefault((way.name, way.says, way.variant, local), {}).update(made)
    seen: set[tuple[Definition, ...]] = set()
    for (name, says, variant, _), definitions in alike.items():
        together = tuple({one.name: one for one in definitions}.values())
        if len(together) == len(definitions) > 1 and together not in seen:
            seen.add(together)
            yield WrongWay(name, says, together, variant=variant)


_NARROW = 0.25
"""The share of what tells numbers apart that bounds may have where numbers are found again."""
_NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def likenesses(theirs: Array, right: Array, follows: Enclosure, off: Flags) -> Iterator[Cause]:
    """What can be said of a tensor beside what should follow, where that explains all of its
    numbers as nearly as its floats allow, and these tell its numbers apart."""
    if np.isnan(theirs).any():
        count = int(np.isnan(theirs).sum())
        yield Cause("nan", f"{count} of its numbers are nan.")
        return
    if not (np.isfinite(theirs) & np.isfinite(right)).all():
        return
    slack = follows.high - follows.low + NOISE * np.abs(right)
    if not (slack <= _NARROW * tells_apart(right)).all():
        return
    if _is_dropout(theirs, right, slack):
        yield Cause("dropout_on", "Some numbers are 0 and the others larger: dropout was left on.")
    times = _ratio(theirs, right, slack) if np.count_nonzero(off) > 1 else None
    if times is not None:
        yield Cause("other_factor", f"Each number is {times:.6g} times what it should be.")
    if _are_the_same(np.sort(theirs, axis=None), np.sort(right, axis=None), slack):
        how = next(_ways_moved(theirs, right, slack), "the numbers stand in other places")
        yield Cause("other_places", f"The numbers are right, but {how}.")
    else:
        yield from (Cause("other_places", says) for says in _shifted(theirs, right, slack))


def _are_the_same(theirs: Array, right: Array, slack: Array) -> bool:
    """Whether numbers are the same beside others."""
    return theirs.size > 1 and bool((np.abs(theirs - right) <= slack.max()).all())


def _ways_moved(theirs: Array, right: Array, slack: Array) -> Iterator[str]:
    """How numbers were moved, the simplest ways first."""
    for axis, what in ((0, "rows"), (1, "columns")):
        if _are_the_same(theirs, np.flip(right, axis), slack):
            yield f"the {what} stand in the opposite order"
        for by in sorted(range(1 - right.shape[axis], right.shape[axis]), key=abs):
            if by and _are_the_same(theirs, np.roll(right, by, axis), slack):
                yield f"the {what} are shifted by {_in_words(by)}, those past the end put first"
        if _rows_are_the_same(np.moveaxis(theirs, axis, 0), np.moveaxis(right, axis, 0), slack):
            yield f"the {what} stand in another order"
    if right.shape[0] == right.shape[1] and _are_the_same(theirs, right.T, slack):
        yield "rows and columns are exchanged"
    if _are_the_same(theirs, right.reshape(right.shape[::-1]).T, slack):
        yield "they were reshaped where they should be transposed"


def _rows_are_the_same(theirs: Array, right: Array, slack: Array) -> bool:
    """Whether rows are the same in another order."""
    one, other = (x[np.lexsort(x.T[::-1])] for x in (theirs, right))
    return _are_the_same(one, other, slack)


def _shifted(theirs: Array, right: Array, slack: Array) -> Iterator[str]:
    """How rows or columns were shifted, others taking the places that are left free."""
    for axis, what in ((0, "rows"), (1, "columns")):
        one, other = (np.moveaxis(x, axis, 0) for x in (theirs, right))
        for by in range(1, len(other) - 1):
            if _are_the_same(one[by:], other[:-by], slack):
                yield f"The {what} are shifted by {_in_words(by)}: the first are other numbers."
            if _are_the_same(one[:-by], other[by:], slack):
                yield f"The {what} are shifted by {_in_words(-by)}: the last are other numbers."


def _in_words(by: int) -> str:
    """`one`, `two back`"""
    number = _NUMBERS[abs(by)] if abs(by) < len(_NUMBERS) else str(abs(by))
    return number if by > 0 else f"{number} back"


def _ratio(theirs: Array, right: Array, slack: Array) -> float | None:
    """By what all numbers are multiplied, if by one; told by the largest."""
    largest = np.unravel_index(int(np.abs(right).argmax()), right.shape)
    if not right[largest]:
        return None
    times = float(theirs[largest] / right[largest])
    fits = np.abs(theirs - times * right) <= 2 * abs(times) * slack
    return times if times and fits.all() else None


def _is_dropout(theirs: Array, right: Array, slack: Array) -> bool:
    """Whether some numbers are 0, and the others all larger by one factor, as 1 / (1 − p) is."""
    dropped, kept = (theirs == 0) & (right != 0), theirs != 0
    if not dropped.any() or not kept.any():
        return False
    times = _ratio(theirs[kept][None], right[kept][None], slack[kept][None])
    return times is not None and times > 1
