"""The step that a scenario writes itself: it works equations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from attncli.errors import Where
from attncli.maths.equations.language import (
    FunctionTarget,
    OverIndices,
    Reference,
    Target,
    walk,
)
from attncli.maths.equations.tree import Equation
from attncli.maths.operations.equation import Indexed, of_one_row
from attncli.names import Name, Word, WordedText, below
from attncli.scenario.file.problems import Diagnostics, nearest
from attncli.scenario.scenario import Scenario
from attncli.scenario.written import WrittenStep
from attncli.steps.step import (
    Backward,
    Example,
    Formulas,
    Mistake,
    Planned,
    Results,
    Step,
    Wording,
)
from attncli.steps.written.arrays import MOST_SIDES, ArraySide, Environment, KnownArray
from attncli.steps.written.files import STEPS
from attncli.steps.written.formulas import formula_of
from attncli.steps.written.keys import EQUATIONS, GIVEN, NAMES, SIZES, VARY
from attncli.trace import Place, PlannedStep
from attncli.trace.axes import ONE_ROW

if TYPE_CHECKING:
    from attncli.steps.written.planning import PlannedPart

_STEP = "equations"
_MOST_TIMES = 1001
_NAMES = re.compile(r"[^\W\d]\w*")


@dataclass(eq=False, repr=False)
class WrittenPlace(Place):
    """A place at which a step of a scenario's own is taken."""

    own: WrittenStep
    part: PlannedPart
    """What is made here."""

    @property
    def own_step(self) -> Step[WrittenPlace]:
        """Returns the step as its author declares it."""
        words = EQUATIONS_STEP.words._replace(title=self._title, why=self.own.why)
        mistakes = tuple(
            Mistake(made.mistake.name, made.mistake.says, partial(_ways, made.definitions))
            for made in self.part.wrongly
        )
        return EQUATIONS_STEP._replace(words=words, mistakes=mistakes)

    @property
    def called(self) -> str:
        return self.own.name

    @property
    def _title(self) -> str:
        """Returns what the step is called at all times."""
        return self.own.title or self.own.name.replace("_", " ").capitalize()

    def titled(self, title: str) -> str:  # noqa: ARG002  (each has its own)
        name = self._title
        if self.part.time is None or self.own.over is None:
            return name
        index, times = self.own.over.bound.name, self.part.times
        which = f"{self.part.time}" if self.part.time else f"{times[0]} to {times[-1]}"
        return f"{name}, {index} = {which}"


def environment_of(scenario: Scenario) -> Environment:
    """Returns what the equations of a scenario know before any of them."""
    written, known = scenario.plan.written, Environment()
    for name, labels in written.labels.items():
        known.sides[name] = ArraySide(len(labels), name, labels)
    for name, length in written.sizes.items():
        known.sides[name] = ArraySide(length, name)
    for name, sides in written.sides.items():
        found = _lengths(name, sides, scenario)
        times, lengths = found or ((), ())
        own = tuple(
            known.sides.setdefault(side, ArraySide(length, side)) if side else ArraySide(length)
            for side, length in zip(sides, lengths, strict=False)
        )
        if found and [side.length for side in own] == [*lengths]:
            known.arrays[name] = KnownArray(name, own, times, lies=len(own) == 1)
        else:  # its numbers can't be read, or it is longer than others
            known.broken |= {name, *sides} - {""}
    keys = (place.partition(".") for place in scenario.file.places)
    told = (name for key, _, name in keys if key.startswith(("given", "sizes", "names")))
    names = {name for text in told for name in _NAMES.findall(text.partition(".")[0])}
    known.broken |= names  # which can't be read
    known.broken -= known.arrays.keys() | known.sides.keys()
    lines = [line for step in written.steps for line in step.lines]
    known.later = frozenset(line.equation.target.name for line in lines)
    known.is_partly_read = "" in known.later
    return known


def _lengths(
    name: Name, names: tuple[str, ...], scenario: Scenario
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Returns the times of a given array that is one matrix after the other, and how long its sides
    are; None where its numbers can't be read."""
    matrices = scenario.given.matrices
    some = range(1, _MOST_TIMES) if len(names) > MOST_SIDES else ()
    times = tuple(k for k in some if name.at(k) in matrices)
    first = name.at(1) if times else name
    drawn = scenario.given.random.get(first)
    shape = matrices[first].shape if first in matrices else (drawn.shape if drawn else None)
    if shape is None:
        return None
    return times, ((len(times),) if times else ()) + shape[len(shape) - len(names) + bool(times) :]


def written_steps(place: Place, problems: Diagnostics) -> Iterator[PlannedStep]:
    """Plans the steps of a scenario of equations alone; what is wrong with them goes to
    `problems`."""
    known = environment_of(place.scenario)
    check_sides(place.scenario, problems)
    for own in place.scenario.plan.written.steps:
        yield from planned_at(place, own, known, problems)
        _check_output(own, known, problems)


def _check_output(step: WrittenStep, known: Environment, problems: Diagnostics) -> None:
    """Complains of an output that no equation of its step makes."""
    names = [line.equation.target.name for line in step.lines if line.equation.target.name]
    if step.output is None or step.output.name in names or known.is_partly_read:
        return
    name, where = step.output
    problems.add(where, f"no equation of this step makes {name}", nearest(name, names))


def planned_at(
    place: Place, own: WrittenStep, known: Environment, problems: Diagnostics
) -> Iterator[PlannedStep]:
    """Plans a step at a place, and adds what it makes to what is known there; what is wrong with it
    goes to `problems`."""
    from attncli.steps.written.lowering import Planner
    from attncli.steps.written.planning import planned

    rounding = place.scenario.rounding
    step = own.name if own.name in rounding.steps else _STEP
    planner = Planner(place.name, rounding, step, place.scenario.goes_back)
    for part in planned(own, known, planner, problems):
        made = tuple(d._replace(step=_STEP) for d in part.definitions)
        at = place.to(WrittenPlace, own=own, part=part._replace(definitions=made))
        yield PlannedStep(_STEP, at, made)


def check_sides(scenario: Scenario, problems: Diagnostics) -> None:
    """Complains of sides of one name that aren't equally long."""
    written = scenario.plan.written
    lengths: dict[str, tuple[int, str]] = {
        side: (length, "sizes") for side, length in written.sizes.items()
    }
    for side, labels in written.labels.items():
        lengths.setdefault(side, (len(labels), "names" if side != "token" else "tokens"))
        if lengths[side][0] != len(labels):
            wrong = f"{side} has {len(labels)} names, and is {lengths[side][0]} long"
            problems.add(scenario.where(f"names.{side}"), wrong, "give each place a name")
    for name, sides in written.sides.items():
        _, own = _lengths(name, sides, scenario) or ((), ())
        for side, length in zip(sides, own, strict=False):
            if side and lengths.setdefault(side, (length, name))[0] != length:
                other, of = lengths[side]
                wrong = f"{side} is {length} long in {name}, and {other} in {of}"
                right = "make them equally long, or name another side"
                problems.add(where_given(scenario, name), wrong, right)
    for side in lengths.keys() & {str(name) for name in written.sides}:
        wrong, right = f"{side} is an array, and a side", "call one of them otherwise"
        problems.add(where_given(scenario, Name(side)), wrong, right)


def unused_sides(scenario: Scenario) -> Iterator[Name]:
    """Yields the full names of what is said of sides that nothing has."""
    written = scenario.plan.written
    used = {"token", *(side for sides in written.sides.values() for side in sides)}
    used |= {name for step in written.steps for name in _names_in_step(step)}
    for key, sides in (("names", written.labels), ("sizes", written.sizes)):
        yield from (below(Name(key), side) for side in sides if side not in used)


def _names_in_step(step: WrittenStep) -> Iterator[str]:
    """Yields the names in a step that may be those of sides."""
    if step.over is not None:
        yield step.over.bound.side
    for line in step.lines:
        if isinstance(line.equation.target, Target):
            yield from (bound.side for bound in line.equation.target.bounds)
    values = [line.equation.value for line in step.lines]
    values += [instead.value for m in step.mistakes for instead in m.instead.values()]
    for part in (part for value in values for part in walk(value)):
        if isinstance(part, Reference):
            yield part.name
        elif isinstance(part, OverIndices):
            yield from (bound.side for bound in part.bounds)


def where_given(scenario: Scenario, name: str) -> Where:
    """Returns where an array is given, whose sides may be named beside it."""
    for place, where in scenario.file.places.items():
        key, _, text = place.partition(".")
        if key == "given" and _NAMES.findall(text)[:1] == [name]:
            return where
    return scenario.where("given")


def _ways(made: Planned, _: WrittenPlace, __: Planned) -> Iterator[Planned]:
    yield tuple(d._replace(step=_STEP) for d in made)


def _happens(place: WrittenPlace) -> WordedText | str:
    part, over = place.part, place.own.over
    if over is None or part.time is None:
        return ""
    if part.time == 0:
        return f"Each {over.bound.name} has a row."
    if part.time != part.times[0] or not over.starts:
        return ""
    spans: list[str | Word] = []
    for name, start in over.starts.items():
        number = start.number.replace("-Infinity", "−∞").replace("-", "−")
        spans += (", " if spans else "", Word(name), " = ", Word(start.array or number))
    return (f"Before the {'last' if over.backward else 'first'} {over.bound.name}, ", *spans, ".")


def _whole(_: WrittenPlace, made: Planned) -> Planned:
    """Puts the three equations of each softmax together; what is of matrices is of lists where it
    works one."""
    from attncli.steps.attention.weights import in_one

    return tuple(
        d._replace(operation=of_one_row(d.operation))
        if d.rows == ONE_ROW and isinstance(d.operation, Indexed)
        else d
        for d in in_one(made)
    )


def _functions(place: WrittenPlace) -> tuple[Equation, ...]:
    """Returns the functions that a step defines; its other formulas stand with what they make."""
    if place.part.time not in (None, *place.part.times[:1]):
        return ()
    return tuple(
        formula_of(line.equation.target, line.equation.value)
        for line in place.own.lines
        if isinstance(line.equation.target, FunctionTarget)
    )


EQUATIONS_STEP = Step(
    name=_STEP,
    at=WrittenPlace,
    keys=(GIVEN, NAMES, SIZES, VARY, STEPS, EQUATIONS),
    words=Wording(
        title="Equations",
        does="works equations of the scenario's own",
        shapes="as the equations say",
        happens=_happens,
        why="What no step does, a scenario may say itself, in equations.",
    ),
    formulas=Formulas(own=_functions),
    results=Results(names=(), plan=lambda place: place.part.definitions, pictures=("shares",)),
    example=Example("linear_attention"),
    backward=Backward(
        "the equations",
        "The derivatives of the equations, multiplied along the way from the loss, say how each"
        " number moves it.",
        whole=_whole,
        example=Example("contrastive_loss"),
    ),
)
