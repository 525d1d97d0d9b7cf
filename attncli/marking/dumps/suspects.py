"""Which bug a tensor looks like: each known one is made on purpose, from the implementation's own
earlier tensors, and what gives just this tensor is what was done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.rounding import Array
from attncli.file.problems import ScenarioError
from attncli.marking.dumps.bugs import bugs
from attncli.marking.dumps.floats import Floats
from attncli.marking.dumps.likeness import likenesses
from attncli.marking.hypotheses import WrongWay
from attncli.marking.tolerance import Flags
from attncli.marking.verdicts import Cause
from attncli.records import dataclass
from attncli.trace import Trace

_IMPOSSIBLE = (
    ValueError, ArithmeticError, ScenarioError, IndexError, KeyError, TypeError, RecursionError,
)  # fmt: skip
"""What a bug raises that can't be made with these numbers, or these shapes."""


@dataclass(frozen=True)
class Suspects:
    """The bugs that a trace may have, tried on tensors that depart."""

    trace: Trace
    floats: Floats
    theirs: Mapping[str, Array]

    def causes(self, name: str, follows: Enclosure, off: Flags) -> tuple[Cause, ...]:
        """What gives a tensor that departs, the likeliest first; where nothing gives it, what it is
        like."""
        ways = self._leading_to(name)
        found = [way.cause(name) for way in ways if self._gives(way, name, follows, off)]
        once = {cause.name: cause for cause in reversed(found)}
        known = tuple(cause for cause in once.values())[::-1]
        return known or tuple(likenesses(self.theirs[name], follows, off))

    @cached_property
    def _ways(self) -> Mapping[str, list[WrongWay]]:
        """All bugs, by what they make in other ways."""
        found: dict[str, list[WrongWay]] = {}
        for way in bugs(self.trace):
            for definition in way.definitions:
                found.setdefault(definition.name, []).append(way)
        return found

    def _leading_to(self, name: str) -> list[WrongWay]:
        """The bugs in making a quantity, or what is between it and other tensors of theirs; first
        those that are likelier by themselves."""
        ways = [way for one in self._between(name) for way in self._ways.get(one, ())]
        unlike = {id(way): way for way in ways}
        return sorted(unlike.values(), key=lambda way: len(way.definitions))

    def _between(self, name: str) -> Iterator[str]:
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
        made = {one.name for one in way.definitions if one.name in self.theirs}
        try:
            held = paths.made(name)
            given = all(self._takes(paths.made(one), one) for one in {name, *made})
        except _IMPOSSIBLE:
            return False
        with np.errstate(invalid="ignore"):
            return (
                given and not ((held.high - held.low > np.abs(theirs - follows.middle)) & off).any()
            )

    def _takes(self, held: Enclosure, name: str) -> bool:
        theirs = self.theirs[name]
        return held.low.shape == theirs.shape and bool(self.floats.takes(held, theirs).all())
