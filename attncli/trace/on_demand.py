"""Quantities that are worked when somebody asks for them: of a large model only what leads to the
cells that a page is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from attncli.arithmetic.matrix import Matrix
from attncli.name import Name, below
from attncli.scenario.scenario import Scenario
from attncli.trace.axes import given_axes
from attncli.trace.quantity import Definition, Quantity
from attncli.trace.trace import make


def given_quantity(scenario: Scenario, name: Name, matrix: Matrix) -> Quantity:
    """A matrix of a scenario, with the names of its rows and columns."""
    axes = given_axes(name, scenario, matrix.shape)
    return Quantity(name, matrix, *axes, origin=_origin(scenario, name))


def _origin(scenario: Scenario, name: Name) -> str:
    """Where the numbers come from of what no step makes."""
    for stack in scenario.stacks:
        tokenizing = stack.text.tokenizing
        if tokenizing is None:
            continue
        if name == below(stack.path, "word_counts") and not tokenizing.counts_given:
            return "counted"
        if name == below(stack.path, "log_p") and tokenizing.learned is not None:
            return "learned"
    return "given"


class OnDemand(Mapping[str, Quantity]):
    """The given quantities of a scenario, and those that can be made of them, in the order of the
    story.

    Their definitions tell which these are, so that looking one up by its name works nothing. Asking
    for one works it, and before it what it is made of that isn't there yet; it raises ScenarioError
    where the numbers can't be worked.
    """

    def __init__(
        self, scenario: Scenario, given: Mapping[str, Quantity], made: Iterable[Definition]
    ) -> None:
        self._scenario = scenario
        self._known = dict(given)
        self._definitions: dict[str, Definition] = {one.name: one for one in made}
        names = (*given, *(one.name for one in self._definitions.values()))
        self._order = {name: place for place, name in enumerate(names)}

    def __getitem__(self, name: str) -> Quantity:
        if name not in self._known:
            for one in sorted(self._awaited_by(name), key=self._order.__getitem__):
                definition = self._definitions[one]
                self._known[one] = make(self._scenario, self._known, definition)
        return self._known[name]

    def _awaited_by(self, name: str) -> set[str]:
        """A quantity that isn't there, and all that it is made of that isn't there either. Raises
        KeyError for one that can't be made."""
        waiting = [self._definitions[name]]
        found: set[str] = {waiting[0].name}
        while waiting:
            for operand in waiting.pop().operands:
                if operand not in self._known and operand not in found:
                    found.add(operand)
                    waiting.append(self._definitions[operand])
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._order

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)
