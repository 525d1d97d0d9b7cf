"""Ways to make a trace's numbers wrongly, on purpose: tried on students' and on tensors'."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from attncli.judging.verdicts import Cause
from attncli.steps.mistakes import all_made_wrongly
from attncli.steps.order import step_of
from attncli.trace import Definition, PlannedStep, Trace


class WrongWay(NamedTuple):
    """A way to make a known mistake in a trace."""

    name: str
    says: str
    definitions: tuple[Definition, ...]
    """The definitions that it puts in the place of the right ones. The first is of the quantity
    that the mistake is named for."""
    all: tuple[WrongWay, ...] = ()
    """The same mistake in each place, where it can be made in several."""
    variant: int = 0
    """Which of the ways to make the mistake this is, from 0."""
    setting: str = ""
    """The setting of a scenario that differs, if the mistake is a setting."""

    def places_in(self, names: Collection[str]) -> int:
        """Counts the places in which it makes one of some quantities."""
        return sum(any(d.name in names for d in way.definitions) for way in self.all or (self,))

    def cause(self, quantity: str) -> Cause:
        """Returns the mistake as the cause of wrong numbers in a quantity."""
        names = [d.name for d in self.definitions]
        return Cause(self.name, self.says, "" if quantity in names else names[0])


def declared_ways(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields the ways of the mistakes that are declared beside the step of a part."""
    for mistake in step_of(part).mistakes:
        for k, definitions in enumerate(all_made_wrongly(trace, part, mistake)):
            says = mistake.says_of(definitions[0], part.definitions)
            yield WrongWay(mistake.name, says, definitions, variant=k)


def between(trace: Trace, name: str, known: Collection[str]) -> Iterator[str]:
    """Yields a quantity, and those that lie between it and known ones, the nearest first, each
    once: ways meet at residuals and heads."""
    waiting, seen = [name], {name}
    while waiting:
        made = waiting.pop(0)
        yield made
        definition = trace[made].definition
        for operand in () if definition is None else definition.operands:
            if operand not in seen and operand not in known:
                seen.add(operand)
                waiting.append(operand)
