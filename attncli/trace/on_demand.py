"""Quantities that are worked when somebody asks for them.

Of a large model only what leads to the cells that a page is about is worked.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from attncli.maths.equations.matrix import Matrix
from attncli.names import Name, below
from attncli.scenario.scenario import ALL_OURS, Scenario
from attncli.trace.axes import given_axes, made_axes
from attncli.trace.quantity import AwaitedQuantity, Definition, Quantity
from attncli.trace.trace import make

if TYPE_CHECKING:
    pass


def given_quantity(scenario: Scenario, name: Name, matrix: Matrix) -> Quantity:
    """Returns a given matrix of a scenario as a quantity, with the names of its rows and
    columns."""
    axes = given_axes(name, scenario, matrix.shape)
    return Quantity(name, matrix, *axes, origin=_origin(scenario, name))


def _origin(scenario: Scenario, name: Name) -> str:
    """Says where the numbers of a given quantity come from: `given`, `chosen` for an example
    whose source doesn't have them, `partly chosen`, `counted` or `learned`."""
    for stack in scenario.stacks:
        tokenizing = stack.text.tokenizing
        if tokenizing is None:
            continue
        if name == below(stack.path, "word_counts") and not tokenizing.counts_given:
            return "counted"
        if name == below(stack.path, "log_p") and tokenizing.learned is not None:
            return "learned"
    ours = scenario.source.ours
    if name in ours or ours == ALL_OURS:
        return "chosen"
    return "partly chosen" if any(text.startswith(f"{name}[") for text in ours) else "given"


class OnDemand(Mapping[str, Quantity]):
    """The given quantities of a scenario and those that can be made of them, in the order of the
    story.

    Definitions tell which there are and how large, so that looking one up works nothing. Asking for
    its numbers works it, and first whatever it is made of. That raises ScenarioError where the
    numbers can't be worked.
    """

    def __init__(
        self, scenario: Scenario, given: Mapping[str, Quantity], made: Iterable[Definition]
    ) -> None:
        self._scenario = scenario
        self._known = dict(given)
        self._worked: set[str] = set()
        self._definitions: dict[str, Definition] = {d.name: d for d in made}
        names = (*given, *(d.name for d in self._definitions.values()))
        self._order = {name: place for place, name in enumerate(names)}

    def __getitem__(self, name: str) -> Quantity:
        if name not in self._known:
            for text in self._before(name, self._known):
                self._known[text] = self._awaited(self._definitions[text])
        return self._known[name]

    def _awaited(self, definition: Definition) -> Quantity:
        """Returns a quantity whose operands are known; it is only worked at once where its shape
        isn't known."""
        rows, columns = self._scenario.plan.shapes.get(definition.name, (None, None))
        if rows is None or columns is None:
            made = make(self._scenario, self._known, definition)
            self._worked.add(definition.name)
            return made
        operands = [self._known[name] for name in definition.operands]
        axes = made_axes(definition, operands, (rows, columns))
        return AwaitedQuantity(definition, axes, (rows, columns), partial(self._work, definition))

    def _work(self, definition: Definition) -> Matrix:
        """Works the numbers of a quantity, after those that it is made of."""
        *before, _ = self._before(definition.name, self._worked)
        self._worked.update(before, [definition.name])
        for name in before:
            _ = self._known[name].matrix
        return make(self._scenario, self._known, definition).matrix

    def _before(self, name: str, done: Container[str]) -> list[str]:
        """Lists, in order, a quantity and all it is made of that isn't done. Raises KeyError for
        one that can't be made."""
        waiting = [self._definitions[name]]
        found: set[str] = {waiting[0].name}
        while waiting:
            for operand in waiting.pop().operands:
                if operand in self._definitions and operand not in done and operand not in found:
                    found.add(operand)
                    waiting.append(self._definitions[operand])
        return sorted(found, key=self._order.__getitem__)

    def __contains__(self, name: object) -> bool:
        return name in self._order

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)
