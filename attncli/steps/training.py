"""Training: the parameters are moved against their gradients, and the model is worked again.

What is worked again has the names of the first time in a place of its own, `train[1].scores` after
one update; only what depends on something that is trained is made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from attncli.maths.equations.tree import Number
from attncli.maths.operations.activations import Add, MeanOf
from attncli.maths.operations.optimizers import (
    ClipFactor,
    DifferenceOf,
    LearningRate,
    NormOfNorms,
    SlopeTimesStep,
    SquaresTimes,
    StepDown,
    StepDownBy,
    TimesNumber,
)
from attncli.maths.operations.rearranging import Same
from attncli.maths.operations.recurrent import FrobeniusNorm
from attncli.names import TOP, Name, below
from attncli.scenario.file.keys import (
    POSITIVE,
    SHARE,
    Choice,
    Key,
    ListOf,
    Needs,
    NumberKind,
    OneOrMany,
    Record,
    TextKind,
    WholeNumber,
)
from attncli.scenario.file.matrices import NAMED
from attncli.scenario.file.problems import NamedProblems, nearest
from attncli.scenario.model import (
    AVERAGED,
    LOSSES,
    REDUCTIONS,
    UPDATES,
    Training,
    after_updates,
    over_batch,
)
from attncli.scenario.scenario import Scenario
from attncli.steps.mistakes import all_wrong, as_a, by, swap, turned_round, wrong
from attncli.steps.optimizers import OPTIMIZERS, Parameter
from attncli.steps.order import step_of
from attncli.steps.step import Example, Mistake, Results, Step, Wording
from attncli.trace import GRADIENTS, BackwardPlace, Definition, Place, PlannedStep, UpdatePlace

_MOST_STEPS = 1000

_BATCH = Record.of(
    *(Key(name, NAMED, "in the place of that at the top") for name in ("X", "memory", "targets"))
)
TRAIN = Record.of(
    Key(
        "loss",
        Choice(tuple(LOSSES)),
        "what is made smaller, as `loss` says it at the top: `cross_entropy` (the default of"
        " targets that are tokens), `mse` (of rows of numbers) or `binary_cross_entropy`",
    ),
    Key(
        "label_smoothing",
        SHARE,
        "the share of each target that is spread over all classes alike, as at the top",
    ),
    Key("reduction", Choice(tuple(REDUCTIONS)), "what becomes of squared errors, as at the top"),
    Key(
        "of",
        OneOrMany(TextKind("a parameter")),
        "the parameters that are trained: `W_Q`, or `[W_Q, layers[1].W_K]`; a last name alone means"
        " all of that name. By default all matrices that the loss changes with, but for what comes"
        " in (`X`, a memory, an initial state) or stands for what is worked (`K`, `scores`)",
    ),
    Key(
        "optimizer",
        Choice(tuple(OPTIMIZERS)),
        "how they are updated, with the settings of PyTorch; `sgd` by default",
    ),
    Key("learning_rate", POSITIVE, "η, how far a step goes; it has to be there"),
    Key(
        "steps",
        WholeNumber(0, _MOST_STEPS),
        "how many updates there are, 1 by default; 0 stops at the gradients, as `backward: true`"
        " does",
    ),
    Key(
        "clip",
        POSITIVE,
        "the largest norm that all gradients may have together, `1.0` as a rule; where it is"
        " larger, all are made smaller alike, as `torch.nn.utils.clip_grad_norm_` does it",
    ),
    Key(
        "warmup",
        WholeNumber(0, _MOST_STEPS),
        "the updates in which the learning rate rises evenly to η",
    ),
    Key(
        "schedule",
        Choice(("constant", "linear", "cosine")),
        "how the learning rate falls after that; `constant` by default",
    ),
    Key("least_rate", NumberKind(least=0), "what it falls to in all `steps`, 0 by default"),
    Key(
        "batches",
        ListOf(_BATCH),
        "gradient accumulation: the micro-batches after the scenario's own, each with what it has"
        " in the place of the matrices at the top, `[{X: [[1, 0]], targets: [[0, 1]]}]`; an update"
        " goes by the mean of the gradients of all",
    ),
    *{key.name: key for o in OPTIMIZERS.values() for key in o.settings}.values(),
    needs=Needs("train", ("learning_rate",), "{learning_rate: 0.1}", unless=("steps", 0)),
)
"""A setting that several optimizers have stands here once."""


_FALLS = {"constant": "stays", "linear": "falls in a line", "cosine": "falls along a cosine"}


def _happens(place: UpdatePlace) -> str:
    training = place.scenario.training
    if training is None:  # in general
        return OPTIMIZERS["sgd"].happens
    text = OPTIMIZERS[training.optimizer].happens
    if training.is_scheduled:
        rises = f"rises until update {training.warmup} and then " * bool(training.warmup)
        text = f"The learning rate {rises}{_FALLS[training.schedule]}. {text}"
    if training.batches:
        text = f"Each gradient is the mean of those of all micro-batches. {text}"
    if training.clip is None:
        return text
    return (
        f"The gradients are clipped: if the norm of all together is more than {training.clip}, all"
        f" are made smaller by the same factor. {text}"
    )


_CLIPPED = "most / (norm + 0.000001)"
_SQUARES = "sum(g[i, j] ** 2 for i in n for j in m)"


UPDATE_STEP = Step(
    name="update",
    at=UpdatePlace,
    keys=(
        Key(
            "train",
            TRAIN,
            "how the parameters are trained: after the gradients each of them is updated, and the"
            " model is worked again, for so many steps",
        ),
    ),
    words=Wording(
        title="Update",
        does="moves each parameter against its gradient, as an optimizer does it",
        shapes="a parameter and its gradient → the updated parameter",
        happens=_happens,
        why=(
            "A small enough step against the gradient lowers the loss, while a larger one may"
            " overshoot and smaller ones take long."
        ),
        more=(
            "A gradient says which way the loss grows fastest, and how fast, if a parameter grows."
            " So each parameter goes the other way, in proportion, and all go at the same time. A"
            " gradient holds only where it was worked out, so training takes many short steps and"
            " works it out anew after each."
        ),
    ),
    results=Results(
        names=(
            UPDATES,
            AVERAGED,
            "grad_norm",
            "clip_factor",
            "clipped",
            "learning_rate",
            *dict.fromkeys(name for o in OPTIMIZERS.values() for name in o.makes),
        ),
        plan=lambda place: place.planned,
    ),
    example=Example("learning_to_attend"),
    mistakes=(
        Mistake(
            "gradient_added",
            "Adding the gradient instead of subtracting it, which makes the loss larger.",
            all_wrong(
                swap("x[i, j] - rate * g[i, j]", "x[i, j] + rate * g[i, j]"), StepDown, StepDownBy
            ),
        ),
        Mistake(
            "learning_rate_left_out",
            "Subtracting the whole gradient, without the learning rate.",
            all_wrong(swap("rate * g[i, j]", "g[i, j]"), StepDown, StepDownBy),
        ),
        Mistake(
            "not_scheduled",
            "Taking the whole learning rate, without its schedule.",
            wrong(as_a(lambda rate: LearningRate("constant", rate=rate.full)), LearningRate),
        ),
        Mistake(
            "gradients_summed",
            "Adding up the gradients of the micro-batches without dividing by how many there are.",
            all_wrong(lambda d, _: d._replace(operation=Add(len(d.operands))), MeanOf),
        ),
        Mistake(
            "only_the_last_batch",
            "Setting the gradients to zero before each micro-batch, so that the last alone counts.",
            all_wrong(by(Same(), -1), MeanOf),
        ),
        Mistake(
            "not_clipped",
            "Leaving the gradients as they are, although their norm is too large.",
            all_wrong(by(Same(), 1), TimesNumber),
        ),
        Mistake(
            "clipped_always",
            "Scaling the gradients to the largest norm even where theirs is smaller.",
            wrong(swap(f"min(1, {_CLIPPED})", _CLIPPED), ClipFactor),
        ),
        *{m.name: m for optimizer in OPTIMIZERS.values() for m in optimizer.mistakes}.values(),
    ),
)


PROGRESS_STEP = Step(
    name="progress",
    at=UpdatePlace,
    words=Wording(
        title="Progress",
        does="compares the new loss with what the gradient predicted",
        shapes="the loss before and after, the gradients and the updates → predicted, change",
        happens=lambda _: (
            "The prediction adds up each number's gradient, times how far that number is moved."
        ),
        why="The gradient predicts how a small step changes the loss.",
        more=(
            "It is the slope where the step begins. The loss is curved, so a long step"
            " changes it by another amount than the gradient predicted. The prediction may even be"
            " larger than the whole loss."
        ),
        titled=lambda place: f"Progress after update {place.update}",
    ),
    results=Results(
        names=("predicted", AVERAGED, "change"),
        nouns={
            "predicted": "change of the loss that the gradient predicts",
            "change": "change of the loss",
        },
        plan=lambda place: place.planned,
    ),
    example=Example("learning_to_attend"),
    mistakes=(
        Mistake(
            "turned_round",
            "Subtracting the loss now from the loss before, so that a loss that falls seems to"
            " grow.",
            wrong(turned_round, DifferenceOf),
        ),
        Mistake(
            "not_squared",
            "Multiplying the learning rate by the norm of the gradient, instead of by its square.",
            wrong(swap(_SQUARES, f"sqrt({_SQUARES})"), SquaresTimes),
        ),
    ),
)


_DATA = frozenset(
    {
        *("X", "queries", "keys", "values", "memory", "patches", "frames", "Q", "K", "V", "output"),
        *("scores", "scaled", "bias", "mask", "allowed", "blocked", "add", "weights", "dropout"),
        *("logits", "probabilities", "initial_state", "initial_cell", "cache"),
    }
)
"""The names of what is given in place of something that is worked, or comes from outside, and is
trained only where `of` names it."""

Story = tuple[Sequence[PlannedStep], Sequence[PlannedStep]]
"""The parts of the way forth, and those of the way back."""
Names = Mapping[Name, Name]


def trained(
    training: Training, given: Sequence[Name], complaints: NamedProblems | None
) -> tuple[Name, ...]:
    """Returns the parameters that are trained, of those given quantities that are used.

    Complains of a name in `of` that means none of these.
    """
    if not training.of:
        places = {name: {place.local for place in name.places} for name in given}
        adapters = tuple(name for name in given if "lora" in places[name])
        return adapters or tuple(name for name in given if _DATA.isdisjoint(places[name]))
    found: dict[Name, None] = {}
    for text in training.of:
        meant = [name for name in given if text in (name, name.local)]
        if not meant and complaints is not None:
            known = dict.fromkeys(str(name) for name in given)
            wrong = f"of: no parameter {text} is used here"
            complaints.add("train.of", wrong, nearest(text, known))
        found |= dict.fromkeys(meant)
    return tuple(found)


def _rate(training: Training, name: Name, count: int) -> Definition:
    """Defines the learning rate of an update; `count` is from 1."""
    warmup, total = training.warmup, training.steps - training.warmup
    kind = "warmup" if count <= warmup else training.schedule
    counts = {"count": count, "warmup": warmup, "done": count - 1 - warmup}
    numbers = {name: Decimal(number) for name, number in (counts | {"total": total}).items()}
    rates = {"rate": training.learning_rate, "least": training.least_rate}
    return Definition(name, LearningRate(kind, **rates, **numbers), ())


class _Trainer(NamedTuple):
    """A maker of updates, with what all updates of a scenario have in common."""

    scenario: Scenario
    training: Training
    loss: Name
    parameters: tuple[Name, ...]
    batches: Sequence[Names] = ({},)
    """For each micro-batch, the names that what is made of the first one has in it, before any
    update."""

    def _mean(self, of: Name, place: Name, names: Names) -> tuple[Name, tuple[Definition, ...]]:
        """Returns the latest name of a quantity of one micro-batch; of several the name of their
        mean, and how this is made in a place."""
        own = (batch.get(of, of) for batch in self.batches)
        latest = tuple(names.get(name, name) for name in own)
        if len(latest) == 1:
            return latest[0], ()
        mean = of.under(below(place, AVERAGED))
        return mean, (Definition(mean, MeanOf(len(latest)), latest),)

    def update(self, count: int, names: Names) -> PlannedStep:
        """Plans an update, from 1, of parameters by their latest names."""
        place = after_updates(count - 1)
        means = [self._mean(name.under(GRADIENTS), place, names) for name in self.parameters]
        gradients = [name for name, _ in means]
        clipping = tuple(self._clipping(place, gradients))
        if clipping:
            gradients = [d.name for d in clipping[-len(gradients) :]]
        made = [*(d for _, made in means for d in made), *clipping]
        optimizer = OPTIMIZERS[self.training.optimizer]
        by_name = optimizer.settings_of(self.training)
        rate = _rate(self.training, below(place, "learning_rate"), count)
        made += [rate] * self.training.is_scheduled
        rates = (rate.name,) * self.training.is_scheduled
        for name, gradient in zip(self.parameters, gradients, strict=True):
            parameter = Parameter(name, names.get(name, name), gradient, count)
            made += optimizer.planned(parameter, by_name, rates)
        return self._part("update", count, count - 1, made)

    def _clipping(self, place: Name, gradients: Sequence[Name]) -> Iterator[Definition]:
        """Yields the norm of all gradients together, the factor that it leads to, and last the
        gradients times that; nothing where they aren't clipped."""
        if self.training.clip is None:
            return
        norm, factor = below(place, "grad_norm"), below(place, "clip_factor")
        norms = [name.under(norm) for name in self.parameters]
        for entry, gradient in zip(norms, gradients, strict=True):
            yield Definition(entry, FrobeniusNorm(), (gradient,))
        yield Definition(norm, NormOfNorms(len(norms)), tuple(norms))
        yield Definition(factor, ClipFactor(Number.written(self.training.clip)), (norm,))
        for name, gradient in zip(self.parameters, gradients, strict=True):
            clipped = name.under(below(place, "clipped"))
            yield Definition(clipped, TimesNumber(), (factor, gradient))

    def progress(self, count: int, before: Names, after: Names) -> PlannedStep:
        """Plans the step that tells what an update, from 1, did to the loss."""
        was, place = after_updates(count - 1), after_updates(count)
        made = [self._predicted(name, count, before, after) for name in self.parameters]
        parts = tuple(d.name for d in made)
        (old, first), (new, latest) = (
            self._mean(self.loss, at, names) for at, names in ((was, before), (place, after))
        )
        made += (*(first if count == 1 else ()), *latest)
        return self._part(
            "progress",
            count,
            count,
            [
                *made,
                Definition(below(place, "predicted"), Add(len(parts)), parts),
                Definition(below(place, "change"), DifferenceOf(), (new, old)),
            ],
        )

    def _predicted(self, name: Name, count: int, before: Names, after: Names) -> Definition:
        """Defines by how much a gradient says that the update of its parameter changes the loss: −η
        ‖∂‖² where the step is −η ∂, else the sum of each number's gradient times its step."""
        gradient, _ = self._mean(name.under(GRADIENTS), after_updates(count - 1), before)
        predicted, training = below(after_updates(count), "predicted"), self.training
        if OPTIMIZERS[training.optimizer].is_plain(training):
            down = Number.written(-training.learning_rate)
            return Definition(name.under(predicted), SquaresTimes(down), (gradient,))
        operands = (gradient, after[name], before.get(name, name))
        return Definition(name.under(predicted), SlopeTimesStep(), operands)

    def _part(self, step: str, count: int, after: int, made: Iterable[Definition]) -> PlannedStep:
        planned = tuple(d._replace(step=step) for d in made)
        place = UpdatePlace(self.scenario, self.scenario.stack, TOP, TOP, count, after, planned)
        return PlannedStep(step, place, planned)


def training_story(scenario: Scenario, training: Training, story: Story) -> Iterator[PlannedStep]:
    """Yields each update with what comes after it: the model worked again, what that did to the
    loss, and unless it was the last one, the gradients again."""
    (forth, back), loss = story, Name(scenario.prediction.loss.name)
    made = {d.name for part in back for d in part.definitions}
    parameters = trained(training, scenario.given.names, None)
    parameters = tuple(name for name in parameters if name.under(GRADIENTS) in made)
    if not parameters:
        return
    gradients = {name.under(GRADIENTS) for name in parameters}
    running = {
        d.name: below(d.name.path, given)
        for part in forth
        for d in part.definitions
        if (given := step_of(part).results.running.get(d.name.local))
    }
    needed = _leading_to({loss, *gradients, *running}, (*forth, *back))
    batches: list[dict[Name, Name]] = [{}]
    for names, ways in _other_batches(training, story, needed, running):
        yield from (part for way in ways for part in way)
        forth, back = (*forth, *ways[0]), (*back, *ways[1])
        batches.append(names)
    trainer = _Trainer(scenario, training, loss, parameters, batches)
    running = {batches[-1].get(name, name): given for name, given in running.items()}
    losses = {names.get(loss, loss) for names in batches}
    slopes = {names.get(name, name) for names in batches for name in gradients}
    needed = _leading_to({*losses, *slopes, *running}, (*forth, *back))
    to_the_loss = _leading_to(losses, forth)
    names = {}
    for count in range(1, training.steps + 1):
        yield trainer.update(count, names)
        place = after_updates(count)
        updated = {name: name.under(Name(UPDATES, after_updates(count - 1))) for name in parameters}
        is_last = count == training.steps
        after = updated | {given: names.get(name, name) for name, given in running.items()}
        yield from _again(forth, to_the_loss if is_last else needed, after, place)
        yield trainer.progress(count, names, after)
        if not is_last:
            yield from _again(back, needed, after, place)
        names = after


def _other_batches(
    training: Training, story: Story, needed: set[Name], running: Names
) -> Iterator[tuple[dict[Name, Name], Story]]:
    """Yields, for each further micro-batch, the names that quantities have in it, and its story;
    running numbers go on from one to the next."""
    names: dict[Name, Name] = {}
    for batch, own in enumerate(training.batches, start=1):
        place = over_batch(batch)
        names = {given: names.get(name, name) for name, given in running.items()}
        names |= {Name(key): below(place, key) for key in own}
        forth, back = (tuple(_again(way, needed, names, place)) for way in story)
        yield names, (forth, back)


def in_general(
    scenario: Scenario, training: Training, parameter: Name, loss: Name
) -> Mapping[str, UpdatePlace]:
    """Returns the places of the first update of one parameter, and of what came of it, by their
    steps."""
    trainer = _Trainer(scenario, training, loss, (parameter,))
    updated = {parameter: parameter.under(Name(UPDATES)), loss: loss.under(after_updates(1))}
    parts = (trainer.update(1, {}), trainer.progress(1, {}, updated))
    return {part.step: part.place for part in parts if isinstance(part.place, UpdatePlace)}


def _leading_to(names: set[Name], parts: Sequence[PlannedStep]) -> set[Name]:
    """Returns the names of all that some quantities are made of, and these themselves."""
    wanted = set(names)
    for part in reversed(parts):
        for definition in reversed(part.definitions):
            if definition.name in wanted:
                wanted.update(definition.operands)
    return wanted


def _again(
    parts: Sequence[PlannedStep], needed: set[Name], names: dict[Name, Name], place: Name
) -> Iterator[PlannedStep]:
    """Yields parts worked again in a place, as far as they are needed and depend on what has
    another name there.

    The names of what they make are added to `names`.
    """
    for part in parts:
        made = []
        for definition in part.definitions:
            if definition.name in needed and _depends(definition, names):
                names[definition.name] = _again_in(place, definition.name)
                operands = tuple(names.get(name, name) for name in definition.operands)
                made.append(definition._replace(name=names[definition.name], operands=operands))
        if made:
            yield PlannedStep(part.step, _moved(part.place, names, place, made), tuple(made))


def _again_in(place: Name, name: Name) -> Name:
    """Returns what a name, or a place, becomes in that of an update or a micro-batch:
    `train[1].batches[1].scores` of `train.batches[1].scores`."""
    return name.seen_from(Name("train")).under(place) if name else place


def _depends(definition: Definition, names: Names) -> bool:
    """Tells whether what is made changes with what has another name now; a mask depends only on
    sizes."""
    if definition.operation.takes_only_sizes:
        return False
    return any(name in names for name in definition.operands[definition.operation.first_for_size :])


def _moved(place: Place, names: Names, to: Name, made: Sequence[Definition] = ()) -> Place:
    """Returns a place where a step is taken again, which finds what it works on by its latest
    names."""
    changes: dict[str, Any] = {}
    for field in place.__match_args__:
        value = getattr(place, field)
        if isinstance(value, Name):
            changes[field] = names.get(value, value)
    changes["path"] = _again_in(to, place.path)
    if isinstance(place, BackwardPlace):
        changes["update"] = _again_in(to, place.update)
        changes["planned"] = tuple(made)
        changes["forward"] = _moved(place.forward, names, to)
    elif hasattr(place, "wires"):
        changes["wires"] = {key: names.get(name, name) for key, name in place.wires.items()}
    return replace(place, **changes)
