"""What an optimizer is: its settings, and the equations by which it updates a parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import PlusTimes
from attncli.file.keys import Key
from attncli.file.kinds import NumberKind
from attncli.name import Name
from attncli.scenario.training import Training, after_updates
from attncli.steps.step import Mistake
from attncli.trace import Definition, UpdatePlace

_SHARE = NumberKind(least=0, below=1)


def share(name: str, default: str, says: str) -> Key[Any]:
    """A setting from 0 to below 1."""
    return Key(name, _SHARE, says, Decimal(default))


def weight_decay(default: str, says: str) -> Key[Any]:
    """How strongly parameters are drawn towards 0, which each optimizer does in its way."""
    return Key("weight_decay", NumberKind(least=0), says, Decimal(default))


class Parameter(NamedTuple):
    """A parameter at an update, from 1: what it is called, what it is before that update, and the
    gradient that moves it."""

    name: Name
    before: Name
    gradient: Name
    update: int

    def made(self, what: str) -> Name:
        """Something of it that this update makes: `m.W_Q`, `train[1].m.W_Q`."""
        return self._of(what, self.update)

    def made_before(self, what: str) -> Name:
        """The same of the update before."""
        return self._of(what, self.update - 1)

    def _of(self, what: str, update: int) -> Name:
        return self.name.under(Name(what, after_updates(update - 1)))


Plan = Callable[[Parameter, Mapping[str, Number]], Iterator[Definition]]


class Optimizer(NamedTuple):
    """A way to update parameters.

    `plan` makes the new value of a parameter, last; it gets the settings, the learning rate among
    them. `happens` says what is done, `makes` names the quantities besides the update, and
    `mistakes` are those that people make with it. One that `goes_down` takes a step of −η times the
    gradient where nothing is added to that.
    """

    name: str
    happens: str
    plan: Plan
    settings: tuple[Key[Any], ...] = ()
    makes: tuple[str, ...] = ()
    mistakes: tuple[Mistake[UpdatePlace], ...] = ()
    goes_down: bool = False

    def is_plain(self, training: Training) -> bool:
        """Whether each step is −η times the gradient, and nothing else."""
        decay = self.settings_of(training).get("weight_decay")
        return self.goes_down and training.clip is None and not (decay and decay.full)

    def settings_of(self, training: Training) -> dict[str, Number]:
        """The settings as they are said, or else as they are by default."""
        said = {key.name: training.settings.get(key.name, key.default) for key in self.settings}
        numbers = {name: Number.written(value) for name, value in said.items() if value is not None}
        return {"learning_rate": Number.written(training.learning_rate), **numbers}


def with_decay(one: Parameter, said: Mapping[str, Number]) -> Iterator[Definition]:
    """The gradient of a loss with λ/2 times the square of each parameter beside it, if there is a
    weight decay λ; and if there is none, nothing."""
    decay = said["weight_decay"]
    if decay.full:
        operands = (one.gradient, one.before)
        yield Definition(one.made("decayed"), PlusTimes(decay), operands)


def planned_as(
    place: UpdatePlace, kind: type[Any], change: Callable[[Definition], Definition | None]
) -> Definition | None:
    """The first definition of an update whose operation is of a kind, changed."""
    one = next(_of_kind(place, kind), None)
    return None if one is None else change(one)


def _of_kind(place: UpdatePlace, kind: type[Any]) -> Iterator[Definition]:
    return (one for one in place.planned if isinstance(one.operation, kind))


def mistake(
    name: str, says: str, kind: type[Any], change: Callable[[Definition], Definition]
) -> Mistake[UpdatePlace]:
    """One that is made alike with each parameter, in what an operation of a kind makes of it."""
    return Mistake(
        name,
        says,
        lambda place: planned_as(place, kind, change),
        also=lambda place: tuple(map(change, [*_of_kind(place, kind)][1:])),
    )
