"""What a step is: its part of the story, and the operations that make its quantities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from attncli.arithmetic.expression import Equation
from attncli.file.keys import Key
from attncli.file.problems import Problems
from attncli.name import TOP, Name
from attncli.records import NamedTuple
from attncli.scenario.model import Positions, Recurrent
from attncli.trace import Definition, Place
from attncli.word import Phrase, phrase


class Mistake(NamedTuple):
    """A common mistake: a quantity made in another way than it should be.

    Marking replays it; the lesson shows what it would give. `definition` gives None where the
    mistake can't be made at a place.
    """

    name: str
    says: str
    definition: Callable[[Place], Definition | None]


def _nothing_to_check(_: Place, __: Problems) -> None:
    return None


def _formulas_of_definitions(_: Place) -> None:
    return None


class General(NamedTuple):
    """What a step is shown with where it has all that it can have, for its formulas in general:
    what flows in, from the side and out, what is said and given, its positions or its cell."""

    x: str = "X"
    beside: str = ""
    out: str = ""
    path: Name = TOP
    said: Mapping[str, Any] = MappingProxyType({})
    gives: tuple[str, ...] = ()
    heads: int = 1
    positions: tuple[Positions, ...] = ()
    cell: Recurrent | None = None


class Step(NamedTuple):
    """One step of the story, in the words and formulas of the literature.

    `keys` are what a scenario may say of it, `check` complains of what is wrong at a place beyond
    the kinds of their values. `plan` says what it makes at a place; its formulas are those of the
    operations, unless `formulas` has others. `makes` are the names of all that it can make;
    `shapes` says what goes in and comes out, `happens` is the sentence that opens the working,
    `purpose` what the step is for. `together` names quantities whose rows are set side by side at
    the end, under the headings given. `shown_with` are changes that give the step to a scenario
    which goes without it. `per_head` says that each head takes the step by itself; `titled` gives
    it another title where it is taken more than once.
    """

    name: str
    title: str
    makes: tuple[str, ...]
    shapes: str
    happens: Callable[[Place], str | Phrase]
    purpose: str
    plan: Callable[[Place], tuple[Definition, ...]]
    keys: tuple[Key[Any], ...] = ()
    check: Callable[[Place, Problems], None] = _nothing_to_check
    formulas: Callable[[Place], tuple[Equation, ...] | None] = _formulas_of_definitions
    general: General = General()
    mistakes: tuple[Mistake, ...] = ()
    together: tuple[tuple[str, str], ...] = ()
    adds_up_to_one: tuple[str, ...] = ()
    shown_with: tuple[str, ...] = ()
    per_head: bool = False
    titled: Callable[[Place], str | Phrase] | None = None

    def title_at(self, place: Place) -> Phrase:
        """What the step is called at a place: `Norm 1`."""
        return phrase(self.title if self.titled is None else self.titled(place))

    def happens_at(self, place: Place) -> Phrase:
        """The sentence that opens the working at a place."""
        return phrase(self.happens(place))


def formulas_of(
    step: Step, place: Place, definitions: tuple[Definition, ...]
) -> tuple[Equation, ...]:
    """The formulas of a step at a place, each once, in the names of that place."""
    own = step.formulas(place)
    if own is not None:
        return own
    formulas = (
        definition.operation.formula(
            place.here(definition.name), *map(place.here, definition.operands)
        )
        for definition in definitions
    )
    return tuple(dict.fromkeys(formulas))
