"""What follows in floats of some precision, from tensors that somebody's program made."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations import Activate, Operation
from attncli.arithmetic.operations.enclosing import enclosing
from attncli.arithmetic.operations.waves import Waves
from attncli.arithmetic.rounding import Array
from attncli.marking.tolerance import Flags
from attncli.records import NamedTuple, dataclass, field
from attncli.trace import Definition, Trace

_ORDERS = 2.0
"""Times the bound of our own sums that those of another order, or of other kernels, may be off."""
_MANY = 64
_DECIMALS = 17


class Grain(NamedTuple):
    """How finely numbers are kept: a share of their size that each is rounded by, and where they
    are written with so many decimals, half a unit of the last."""

    roundoff: float
    half: float = 0.0

    @np.errstate(invalid="ignore")
    def around(self, one: Enclosure) -> Enclosure:
        """What may have been before it was rounded to be kept."""
        low, high = one
        return Enclosure(
            np.where(np.isfinite(low), low - self.roundoff * np.abs(low) - self.half, low),
            np.where(np.isfinite(high), high + self.roundoff * np.abs(high) + self.half, high),
        )

    def worked(self, made: Enclosure, absolute: float, relative: float) -> Enclosure:
        """What it may come to in these floats, where a bound of the error in ours is known."""
        times = _ORDERS * self.roundoff / EPSILON
        return Grain(times * relative, times * absolute).around(made)


@dataclass(frozen=True)
class Floats:
    """What each quantity may come to in floats, from the given numbers and from `known` tensors,
    which are gone on with; `instead` are other ways in which some are made. What depends on none of
    these is known from the `base`."""

    trace: Trace
    grain: Grain
    known: Mapping[str, Enclosure] = MappingProxyType({})
    instead: Mapping[str, Definition] = MappingProxyType({})
    base: Floats | None = None
    _made: dict[str, Enclosure] = field(default_factory=dict)
    _values: dict[str, Array] = field(default_factory=dict)
    _changed: dict[str, bool] = field(default_factory=dict)

    def otherwise(self, definitions: tuple[Definition, ...]) -> Floats:
        """The same where some quantities are made in other ways."""
        instead: dict[str, Definition] = {one.name: one for one in definitions}
        return Floats(self.trace, self.grain, self.known, instead, self)

    def made(self, name: str) -> Enclosure:
        """What a quantity may come to, made of what its operands are. Raises what operations
        raise, and RecursionError for what would be made of itself."""
        if self.base is not None and not self.is_changed(name):
            return self.base.made(name)
        if name not in self._made:
            self._made[name] = self._worked(name)
        return self._made[name]

    def gone_on_with(self, name: str) -> Enclosure:
        """Their tensor, if there is one, else what follows from those that there are."""
        known = self.known.get(name)
        return self.made(name) if known is None else known

    @np.errstate(all="ignore")
    def value(self, name: str) -> Array:
        """What a quantity comes to in our own floats, made of what its operands are; quicker."""
        if self.base is not None and not self.is_changed(name):
            return self.base.value(name)
        if name not in self._values:
            definition = self.definition(name)
            if definition is None:
                return self.trace[name].values
            on = (
                self.known[x].middle if x in self.known else self.value(x)
                for x in definition.operands
            )
            operands = [Matrix.of_array(one, _DECIMALS, carry=False) for one in on]
            self._values[name] = definition.operation.values(*operands)
        return self._values[name]

    def definition(self, name: str) -> Definition | None:
        """How a quantity is made here."""
        return self.instead.get(name) or self.trace[name].definition

    def is_changed(self, name: str) -> bool:
        """Whether a quantity may come to something else than in the base."""
        if name not in self._changed:
            self._changed[name] = False  # of what would be made of itself
            self._changed[name] = self._is_made_otherwise(name)
        return self._changed[name]

    def _is_made_otherwise(self, name: str) -> bool:
        definition = self.definition(name)
        if definition is None or name in self.instead:
            return name in self.instead
        return any(self.is_changed(x) for x in definition.operands if x not in self.known)

    @np.errstate(all="ignore")
    def _worked(self, name: str) -> Enclosure:
        definition = self.definition(name)
        if definition is None:
            return self.grain.around(Enclosure.of(self.trace[name].values))
        operands = [self.gone_on_with(operand) for operand in definition.operands]
        numbers = [Matrix.of_array(one.middle, _DECIMALS, carry=False) for one in operands]
        made = self._enclosed(definition.operation, numbers, operands)
        if definition.operation.copies:
            return made
        absolute, relative = definition.operation.error(*numbers)
        if not np.isfinite(absolute):  # of a divisor that is near 0 in some row
            absolute, relative = 0.0, _MANY * EPSILON
        if isinstance(
            definition.operation, Waves
        ):  # of angles, whose errors grow with the position
            absolute += EPSILON * (definition.operation.start + len(made.low))
        return self.grain.worked(made, absolute, relative)

    def _enclosed(
        self, operation: Operation, numbers: list[Matrix], operands: list[Enclosure]
    ) -> Enclosure:
        if isinstance(operation, Waves):
            return Enclosure.of(operation.values(*numbers))
        made = enclosing(operation, numbers, operands)
        if not isinstance(operation, Activate):
            return made
        size = np.abs(numbers[0].values)  # of what may cancel on the way: x + x erf(x)
        more = self.grain.worked(Enclosure.of(size), 0.0, 4 * EPSILON).high - size
        return Enclosure(made.low - more, made.high + more)

    def takes(self, held: Enclosure, theirs: Array) -> Flags:
        """Which of their numbers are among those that may come out; nan is not."""
        low, high = self.grain.around(held)
        with np.errstate(invalid="ignore"):
            return np.asarray((low <= theirs) & (theirs <= high))
