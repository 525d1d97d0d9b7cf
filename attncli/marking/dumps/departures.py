"""Where an implementation departs: each of its tensors is compared with what follows from its own
earlier ones, so that what merely follows from a departure is no other one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Literal

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.rounding import Array
from attncli.marking.dumps.floats import Floats
from attncli.marking.dumps.suspects import Suspects
from attncli.marking.dumps.taking_apart import Dump
from attncli.marking.tolerance import Flags
from attncli.marking.verdicts import NOISE, Cause
from attncli.records import NamedTuple, dataclass
from attncli.trace import Trace

Standing = Literal["agrees", "departs", "carried forward"]

_MASKED = -9_999.0
"""What implementations write for −∞ is this or less."""


class Compared(NamedTuple):
    """A tensor beside the quantity that it is.

    `right` is what that should be, `follows` between which numbers it would lie by the right
    working of the implementation's own earlier tensors, `off` which of its cells don't. `causes`
    are the bugs that give just this tensor, the likeliest first; `follows_from` are earlier tensors
    that depart.
    """

    name: str
    called: str
    theirs: Array
    right: Array
    follows: Enclosure
    off: Flags
    standing: Standing
    causes: tuple[Cause, ...] = ()
    follows_from: tuple[str, ...] = ()

    @property
    def differences(self) -> Array:
        """How far each number is from what follows, [n, m]; one that is right isn't."""
        with np.errstate(invalid="ignore"):
            apart = np.abs(self.theirs - self.follows.middle)
            is_right = np.abs(self.theirs - self.right) <= NOISE * np.abs(self.right)
        same = (self.theirs == self.follows.middle) | (is_right & ~self.off)
        return np.where(same, 0.0, np.nan_to_num(apart, nan=np.inf))

    @property
    def largest(self) -> tuple[int, int]:
        """The cell that is furthest from what follows, of those that depart if some do."""
        among = np.where(self.off, self.differences, -1.0) if self.off.any() else self.differences
        i, j = np.unravel_index(int(among.argmax()), among.shape)
        return int(i), int(j)


@dataclass(frozen=True)
class Comparison:
    """An implementation's tensors, compared in the order of the working; the trace is one in full
    precision."""

    trace: Trace
    dump: Dump

    @cached_property
    def floats(self) -> Floats:
        """What follows from their tensors."""
        around = self.dump.grain.around
        known = {name: around(Enclosure.of(one)) for name, one in self.theirs.items()}
        return Floats(self.trace, self.dump.grain, known)

    @cached_property
    def theirs(self) -> Mapping[str, Array]:
        """Their tensors, −∞ where they have a large negative number for what is masked."""
        return {name: self._with_infinities(name) for name in self.dump.tensors}

    def _with_infinities(self, name: str) -> Array:
        values = self.dump.tensors[name].values
        definition = self.trace[name].definition
        if definition is None or definition.step != "mask":
            return values
        return np.where(values <= _MASKED, -np.inf, values)

    @cached_property
    def compared(self) -> tuple[Compared, ...]:
        """Each tensor, in the order of the working."""
        return tuple(self._each())

    @property
    def first(self) -> Compared | None:
        """The first that departs."""
        return next((one for one in self.compared if one.standing == "departs"), None)

    def _each(self) -> Iterator[Compared]:
        wrong: set[str] = set()
        suspects = Suspects(self.trace, self.floats, self.theirs)
        for name, theirs in self.theirs.items():
            follows = self.floats.made(name)
            off = ~self.floats.takes(follows, theirs)
            sources = tuple(one for one in self.sources(name) if one in wrong)
            standing = self._standing(name, follows, off, bool(sources))
            if standing != "agrees":
                wrong.add(name)
            yield Compared(
                name, self.dump.tensors[name].called, theirs, self.trace[name].values, follows,
                off, standing,
                causes=suspects.causes(name, follows, off) if standing == "departs" else (),
                follows_from=sources if standing == "carried forward" else (),
            )  # fmt: skip

    def _standing(self, name: str, follows: Enclosure, off: Flags, after_wrong: bool) -> Standing:
        if off.any():
            return "departs"
        if not after_wrong:
            return "agrees"
        right = self.trace[name].values
        with np.errstate(invalid="ignore"):
            slack = np.nan_to_num(follows.high - follows.low)
            is_right = np.abs(self.theirs[name] - right) <= slack
        is_right |= self.theirs[name] == right
        return "agrees" if is_right.all() else "carried forward"

    def sources(self, name: str) -> list[str]:
        """The tensors of theirs that one is worked from, in the order of the working."""
        found: set[str] = set()  # ways meet at residuals and heads: each is gone back once
        waiting = [name]
        while waiting:
            definition = self.trace[waiting.pop()].definition
            new = set(() if definition is None else definition.operands) - found
            found |= new
            waiting.extend(new - self.theirs.keys())
        return [one for one in self.theirs if one in found]
