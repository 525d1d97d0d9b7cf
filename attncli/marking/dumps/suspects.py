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
from attncli.marking.dumps.deciding import is_decided
from attncli.marking.dumps.floats import Floats
from attncli.marking.hypotheses import WrongWay
from attncli.marking.tolerance import Flags
from attncli.marking.verdicts import Cause
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
