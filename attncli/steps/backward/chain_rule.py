"""Plans which gradients are made, of what, and in which step: the chain rule over a story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from attncli.maths.operations.activations import Add
from attncli.maths.operations.gradients import gradient_of, has_derivative, is_flat
from attncli.maths.operations.operation import One
from attncli.names import Name, below
from attncli.scenario.file.problems import NamedProblems, Objections
from attncli.scenario.scenario import Scenario
from attncli.steps.order import BACK_THROUGH, step_of
from attncli.trace import GRADIENTS, BackwardPlace, Definition, PlannedStep


class Use(NamedTuple):
    """An operand of a definition, by its place, that the loss changes with."""

    definition: Definition
    place: int

    @property
    def of(self) -> Name:
        return self.definition.operands[self.place]


class StepBack(NamedTuple):
    """A step of the story with its equations, as far as gradients go back through them."""

    part: PlannedStep
    uses: tuple[Use, ...]


def gradient_of_name(name: Name) -> Name:
    """Returns the name of a gradient: `grad.layers[1].W_Q`."""
    return name.under(GRADIENTS)


class Way(NamedTuple):
    """A way forth: the steps of a scenario, with the definitions that gradients go back through.
    What is given depends on nothing, whatever else it could be made of."""

    scenario: Scenario
    parts: Sequence[PlannedStep]

    def worked(self) -> Iterator[tuple[PlannedStep, tuple[Definition, ...]]]:
        for part in self.parts:
            yield part, tuple([d for d in _whole(part) if not self.scenario.gives(d.name)])


def steps_back(way: Way, loss: Name, of: Collection[Name]) -> tuple[StepBack, ...]:
    """Returns the steps that lead from the loss back to some given quantities, the last one
    first."""
    depends = set(of)
    pairs: list[tuple[PlannedStep, list[Sequence[Use]]]] = []
    for part, definitions in way.worked():
        used: list[Sequence[Use]] = []
        for definition in definitions:
            if known := [use for use in _uses(definition) if use.of in depends]:
                depends.add(definition.name)
                used.append(known)
        pairs.append((part, used))
    reached, found = {loss}, []
    for part, used in reversed(pairs):
        back: list[Use] = []
        for uses in reversed(used):
            if uses[0].definition.name in reached:
                back += uses
                reached.update(use.of for use in uses)
        if back:
            found.append(StepBack(part, tuple(back)))
    return tuple(found)


def unknown(way: Way, of: Collection[Name]) -> Iterator[Use]:
    """Yields the uses of what depends on some given quantities whose derivative isn't known:
    gradients that are left out without them would be wrong."""
    depends = set(of)
    for _, definitions in way.worked():
        for definition in definitions:
            for place, name in enumerate(definition.operands):
                if name in depends and has_derivative(definition.operation, place):
                    depends.add(definition.name)
                elif name in depends and not is_flat(definition.operation, place):
                    yield Use(definition, place)


def in_general(definitions: Sequence[Definition], fixed: Collection[str]) -> tuple[Definition, ...]:
    """Returns the gradients that a step makes, where those of all that goes out of it are known;
    none for what has one of the `fixed` names and isn't made by it."""
    made = {d.name for d in definitions}
    uses = (use for d in reversed(definitions) for use in _uses(d))
    return next(
        _planned(([entry for entry in uses if entry.of in made or entry.of.local not in fixed],))
    )


def _uses(definition: Definition) -> Iterator[Use]:
    """Yields the operands that what is made changes with, little by little."""
    if definition.operation.takes_only_sizes:
        return
    for place in range(len(definition.operands)):
        if has_derivative(definition.operation, place):
            yield Use(definition, place)


def backward_story(backs: Sequence[StepBack], loss: Name) -> Iterator[PlannedStep]:
    """Yields each step back, with the gradients that it makes."""
    first: tuple[Definition, ...] = (Definition(gradient_of_name(loss), One(), (loss,)),)
    for (part, _), planned in zip(backs, _planned([uses for _, uses in backs]), strict=True):
        step = BACK_THROUGH[part.step]
        made = tuple([d._replace(step=step) for d in (*first, *planned)])
        yield PlannedStep(
            step, part.place.to(BackwardPlace, forward=part.place, planned=made), made
        )
        first = ()


def _planned(backs: Sequence[Sequence[Use]]) -> Iterator[tuple[Definition, ...]]:
    """Yields the gradients that each step back makes, and the sum of several parts with the last
    one."""
    counts = Counter(use.of for uses in backs for use in uses)
    whole_of = cache(gradient_of_name)
    parts: dict[Name, list[Name]] = {}
    for uses in backs:
        planned = []
        for use in uses:
            whole = whole_of(use.of)
            name = whole if counts[use.of] == 1 else _part_of(use, uses, whole)
            definition, place = use
            known = (*definition.operands, definition.name, whole_of(definition.name))
            operation, needed = gradient_of(definition.operation, place)
            operands = tuple(known[k] for k in needed)
            planned.append(Definition(name, operation, operands, where=definition.where))
            made = parts.setdefault(use.of, [])
            made.append(name)
            if len(made) == counts[use.of] > 1:
                planned.append(Definition(whole, _sum_of(len(made)), tuple(made)))
        yield tuple(planned)


@cache
def _sum_of(count: int) -> Add:
    """Returns the sum of so many parts, which is prepared once."""
    return Add(count)


def _part_of(use: Use, uses: Sequence[Use], whole: Name) -> Name:
    """Returns the name of the part of a whole gradient that comes by one use: `grad.X.Q`, that of X
    by Q."""
    made = use.definition.name
    twice = [entry for entry in uses if entry.definition == use.definition and entry.of == use.of]
    name, number = made.under(whole), 1 + twice.index(use)
    if len(twice) == 1:
        return name
    timed = name.alone.time is not None
    return below(name, "use", number) if timed else Name(name.local, name.path, number)


def what_follows(
    scenario: Scenario, parts: Sequence[PlannedStep], complaints: NamedProblems | None = None
) -> Iterator[PlannedStep]:
    """Yields what comes after the way forth: the way back, and training."""
    back = tuple(_way_back(scenario, parts, complaints))
    yield from back
    if scenario.training is not None:
        from attncli.steps.training import training_story

        yield from training_story(scenario, scenario.training, (parts, back))


def _way_back(
    scenario: Scenario, parts: Sequence[PlannedStep], complaints: NamedProblems | None
) -> Iterator[PlannedStep]:
    """Yields the steps by which the gradients of the loss go back through others, where they are
    asked for.

    `complaints` hear if there is no loss, or no derivative.
    """
    if not scenario.goes_back:
        return
    asked = "train" if scenario.writes("train") else "backward"
    loss = Name(scenario.prediction.loss.name)
    if not loss:
        if complaints is not None and not scenario.plan.written.is_broken:
            right = (
                "give targets: the tokens that should follow, and an unembedding; or the rows of"
                " numbers that should come out"
            )
            complaints.add(asked, "gradients are those of a loss", right)
        return
    wrong_loss = tuple(_check_loss(asked, scenario, parts))
    if wrong_loss:
        if complaints is not None and not complaints.problems.found:
            complaints.hear(wrong_loss)
        return
    learned = _starts(scenario, parts, complaints)
    way = Way(scenario, parts)
    if complaints is not None:
        for use in unknown(way, learned):
            wrong = f"no derivative is known of {use.definition.name} with respect to {use.of}"
            complaints.add(asked, wrong, f"leave {asked} out")
    yield from backward_story(steps_back(way, loss, learned), loss)


def _check_loss(asked: str, scenario: Scenario, parts: Sequence[PlannedStep]) -> Objections:
    """Complains of a loss of a scenario's own that is no single number."""
    loss = scenario.prediction.loss.written
    if not loss:
        return
    made = [d for part in parts for d in part.definitions if d.name == loss]
    if any(part.place.called for part in parts) and not made:
        right = "name what a step of your own makes for the whole model"
        yield asked, f"gradients are those of a loss, and nothing makes {loss}", right
    elif any(d.operation.sides.result != ("1", "1") for d in made):
        right = "add up, sum(… for i for j), or say the output of the last step"
        yield asked, f"gradients are those of one number, and {loss} is several", right


def _starts(
    scenario: Scenario, parts: Sequence[PlannedStep], complaints: NamedProblems | None
) -> set[Name]:
    """Returns the names of the given quantities whose gradients are asked for: all that can be
    learned, or those that are trained."""
    used = {name for part in parts for d in part.definitions for name in d.operands}
    one_hot = (stack.text.table.name for stack in scenario.stacks if stack.text.table.one_hot)
    used = used.difference(_fixed(parts), one_hot)  # tables that only tell tokens apart
    given = [name for name in scenario.given.names if name in used]
    if scenario.training is None:
        return {*given}
    from attncli.steps.training import trained

    parameters = trained(scenario.training, given, complaints)
    return {*given} if scenario.plan.backward else {*parameters}


def _fixed(parts: Sequence[PlannedStep]) -> Iterator[Name]:
    """Yields the names of what steps are made of that isn't learned, if it is given."""
    for part in parts:
        back = step_of(part).backward
        names = (name for d in part.definitions for name in d.operands)
        yield from (name for name in names if back is not None and name.local in back.fixed)


def _whole(part: PlannedStep) -> tuple[Definition, ...]:
    """Returns the equations of a step as gradients go back through them."""
    back = step_of(part).backward
    return () if back is None else back.whole(part.place, part.definitions)
