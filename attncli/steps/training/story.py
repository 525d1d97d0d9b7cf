"""Training, after the first way forth and back: each update, and the model worked again with it.

What is worked again has the names of the first time in a place of its own, `train[1].scores` after
one update; only what depends on something that is trained is made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import (
    Add,
    ClipFactor,
    DifferenceOf,
    FrobeniusNorm,
    NormOfNorms,
    SlopeTimesStep,
    SquaresTimes,
    TimesNumber,
)
from attncli.file.problems import Problems, nearest
from attncli.name import TOP, Name, below
from attncli.scenario.scenario import Scenario
from attncli.scenario.training import UPDATES, Training, after_updates
from attncli.steps.training.optimizer import Parameter
from attncli.steps.training.optimizers import optimizer_named
from attncli.trace import GRADIENTS, BackwardPlace, Definition, Place, PlannedStep, UpdatePlace

_DATA = frozenset(
    {
        *("X", "queries", "keys", "values", "memory", "patches", "Q", "K", "V", "output"),
        *("scores", "scaled", "bias", "mask", "allowed", "blocked", "add", "weights", "dropout"),
        *("logits", "probabilities", "initial_state", "initial_cell", "cache"),
    }
)
"""What is given in place of something that is worked, or comes from outside, and is trained only
where `of` names it."""

Story = tuple[Sequence[PlannedStep], Sequence[PlannedStep]]
"""The way forth, and the way back."""
Names = Mapping[Name, Name]


def trained(
    scenario: Scenario, training: Training, given: Sequence[Name], problems: Problems | None
) -> tuple[Name, ...]:
    """The parameters that are trained, of those given quantities that are used."""
    if not training.of:
        return tuple(name for name in given if not _is_data(name))
    found: dict[Name, None] = {}
    for text in training.of:
        meant = [name for name in given if text in (name, name.local)]
        if not meant and problems is not None:
            known = dict.fromkeys(str(name) for name in given)
            wrong = f"of: no parameter {text} is used here"
            problems.add(scenario.where("train.of"), wrong, nearest(text, known))
        found |= dict.fromkeys(meant)
    return tuple(found)


def _is_data(name: Name) -> bool:
    return any(place.local in _DATA for place in name.places)


class _Trainer(NamedTuple):
    """What all updates of a scenario have in common."""

    scenario: Scenario
    training: Training
    loss: Name
    parameters: tuple[Name, ...]

    def update(self, count: int, names: Names) -> PlannedStep:
        """An update, from 1, of parameters by their latest names."""
        place = after_updates(count - 1)
        gradients = [name.under(GRADIENTS) for name in self.parameters]
        gradients = [names.get(gradient, gradient) for gradient in gradients]
        clipping = tuple(self._clipping(place, gradients))
        if clipping:
            gradients = [one.name for one in clipping[-len(gradients) :]]
        made = [*clipping]
        optimizer = optimizer_named(self.training.optimizer)
        said = optimizer.settings_of(self.training)
        for name, gradient in zip(self.parameters, gradients, strict=True):
            one = Parameter(name, names.get(name, name), gradient, count)
            made += optimizer.plan(one, said)
        return self._part("update", count, count - 1, made)

    def _clipping(self, place: Name, gradients: Sequence[Name]) -> Iterator[Definition]:
        """The norm of all gradients together, the factor that it leads to, and the gradients times
        that."""
        if self.training.clip is None:
            return
        norm, factor = below(place, "grad_norm"), below(place, "clip_factor")
        norms = [name.under(norm) for name in self.parameters]
        for one, gradient in zip(norms, gradients, strict=True):
            yield Definition(one, FrobeniusNorm(), (gradient,))
        yield Definition(norm, NormOfNorms(len(norms)), tuple(norms))
        yield Definition(factor, ClipFactor(Number.written(self.training.clip)), (norm,))
        for name, gradient in zip(self.parameters, gradients, strict=True):
            clipped = name.under(below(place, "clipped"))
            yield Definition(clipped, TimesNumber(), (factor, gradient))

    def progress(self, count: int, before: Names, after: Names) -> PlannedStep:
        """What an update, from 1, did to the loss."""
        place = after_updates(count)
        promised = below(place, "promised")
        made = [self._promised(name, promised, before, after) for name in self.parameters]
        parts = tuple(one.name for one in made)
        losses = (after[self.loss], before.get(self.loss, self.loss))
        return self._part(
            "progress",
            count,
            count,
            [
                *made,
                Definition(promised, Add(len(parts)), parts),
                Definition(below(place, "change"), DifferenceOf(), losses),
            ],
        )

    def _promised(self, name: Name, promised: Name, before: Names, after: Names) -> Definition:
        """By how much a gradient says that the update of its parameter changes the loss: −η ‖∂‖²
        where the step is −η ∂, else the sum of each number's gradient times its step."""
        gradient = name.under(GRADIENTS)
        gradient = before.get(gradient, gradient)
        training = self.training
        if optimizer_named(training.optimizer).is_plain(training):
            rate = Number.written(training.learning_rate)
            return Definition(name.under(promised), SquaresTimes(rate), (gradient,))
        operands = (gradient, after[name], before.get(name, name))
        return Definition(name.under(promised), SlopeTimesStep(), operands)

    def _part(self, step: str, count: int, after: int, made: Iterable[Definition]) -> PlannedStep:
        planned = tuple(one._replace(step=step) for one in made)
        place = UpdatePlace(self.scenario, self.scenario.stack, TOP, TOP, count, after, planned)
        return PlannedStep(step, place, planned)


def training_story(scenario: Scenario, training: Training, story: Story) -> Iterator[PlannedStep]:
    """Each update with what comes after it: the model worked again, what that did to the loss, and
    unless it was the last one, the gradients again."""
    (forth, back), loss = story, Name(scenario.prediction.loss)
    made = {one.name for part in back for one in part.definitions}
    known = [*scenario.given, *scenario.random]
    parameters = trained(scenario, training, known, None)
    parameters = tuple(name for name in parameters if name.under(GRADIENTS) in made)
    if not parameters:
        return
    trainer = _Trainer(scenario, training, loss, parameters)
    gradients = {name.under(GRADIENTS) for name in parameters}
    needed = _leading_to({loss, *gradients}, (*forth, *back))
    to_the_loss = _leading_to({loss}, forth)
    names: dict[Name, Name] = {}
    for count in range(1, training.steps + 1):
        yield trainer.update(count, names)
        place = after_updates(count)
        updated = {name: name.under(Name(UPDATES, after_updates(count - 1))) for name in parameters}
        is_last = count == training.steps
        after: dict[Name, Name] = dict(updated)
        yield from _again(forth, to_the_loss if is_last else needed, after, place)
        yield trainer.progress(count, names, after)
        if not is_last:
            yield from _again(back, needed, after, place)
        names = after


def in_general(
    scenario: Scenario, training: Training, parameter: Name, loss: Name
) -> Mapping[str, UpdatePlace]:
    """The places of the first update of one parameter, and of what came of it, by their steps."""
    trainer = _Trainer(scenario, training, loss, (parameter,))
    updated = {parameter: parameter.under(Name(UPDATES)), loss: loss.under(after_updates(1))}
    parts = (trainer.update(1, {}), trainer.progress(1, {}, updated))
    return {part.step: part.place for part in parts if isinstance(part.place, UpdatePlace)}


def _leading_to(names: set[Name], parts: Sequence[PlannedStep]) -> set[Name]:
    """All that some quantities are made of, and themselves."""
    wanted = set(names)
    for part in reversed(parts):
        for one in reversed(part.definitions):
            if one.name in wanted:
                wanted.update(one.operands)
    return wanted


def _again(
    parts: Sequence[PlannedStep], needed: set[Name], names: dict[Name, Name], place: Name
) -> Iterator[PlannedStep]:
    """Parts worked again in a place, as far as they are needed and depend on what has another name
    there; what they make is put to these names."""
    for part in parts:
        made = []
        for one in part.definitions:
            if one.name in needed and _depends(one, names):
                names[one.name] = one.name.under(place)
                operands = tuple(names.get(name, name) for name in one.operands)
                made.append(one._replace(name=names[one.name], operands=operands))
        if made:
            yield PlannedStep(part.step, _moved(part.place, names, place, made), tuple(made))


def _depends(one: Definition, names: Names) -> bool:
    """Whether what is made changes with what has another name now: a mask knows only its size."""
    if one.operation.takes_only_sizes:
        return False
    return any(name in names for name in one.operands[one.operation.first_for_size :])


def _moved(place: Place, names: Names, to: Name, made: Sequence[Definition] = ()) -> Place:
    """A place where a step is taken again, which finds what it works on by its latest names."""
    changes: dict[str, Any] = {}
    for field in place.__match_args__:
        value = getattr(place, field)
        if isinstance(value, Name):
            changes[field] = names.get(value, value)
    changes["path"] = place.path.under(to) if place.path else to
    if isinstance(place, BackwardPlace):
        changes["update"] = to
        changes["planned"] = tuple(made)
        changes["forward"] = _moved(place.forward, names, to)
    elif hasattr(place, "wires"):
        changes["wires"] = {key: names.get(name, name) for key, name in place.wires.items()}
    return replace(place, **changes)
