"""The step that a scenario writes itself: it works equations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from attncli.maths.equations.language import FunctionTarget
from attncli.maths.equations.tree import Equation
from attncli.names import Name, Word, WordedText
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.scenario import Scenario
from attncli.scenario.written import WrittenStep
from attncli.steps.step import Example, Formulas, Mistake, Planned, Results, Step, Wording
from attncli.steps.written.arrays import MOST_SIDES, Environment, Known, Side
from attncli.steps.written.formulas import formula_of
from attncli.steps.written.keys import EQUATIONS, GIVEN, NAMES, SIZES, STEPS, VARY
from attncli.trace import Place, PlannedStep

if TYPE_CHECKING:
    from attncli.steps.written.planning import Part

_STEP = "equations"
_MOST_TIMES = 1001


@dataclass(eq=False, repr=False)
class WrittenPlace(Place):
    """A place at which a step of a scenario's own is taken."""

    own: WrittenStep
    part: Part
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
        known.sides[name] = Side(len(labels), name, labels)
    for name, length in written.sizes.items():
        known.sides[name] = Side(length, name)
    for name, sides in written.sides.items():
        array = _given(name, sides, scenario, known.sides)
        if len(array.sides) == len(sides):
            known.arrays[name] = array
        else:  # its numbers can't be read
            known.broken |= {name, *sides}
    known.later = frozenset(
        line.equation.target.name for step in written.steps for line in step.lines
    )
    return known


def _given(name: Name, names: tuple[str, ...], scenario: Scenario, sides: dict[str, Side]) -> Known:
    """Returns what is known of a given array; its named sides go to `sides`."""
    matrices = scenario.given.matrices
    some = range(1, _MOST_TIMES) if len(names) > MOST_SIDES else ()
    times = tuple(k for k in some if name.at(k) in matrices)
    first = name.at(1) if times else name
    drawn = scenario.given.random.get(first)
    shape = matrices[first].shape if first in matrices else (drawn.shape if drawn else None)
    if shape is None:
        return Known(name, (Side(0),) * (len(names) + 1))
    lengths = ((len(times),) if times else ()) + shape[len(shape) - len(names) + bool(times) :]
    own = tuple(
        sides.setdefault(side, Side(length, side)) if side else Side(length)
        for side, length in zip(names, lengths, strict=False)
    )
    return Known(name, own, times, lies=len(own) == 1)


def written_steps(place: Place, problems: Diagnostics) -> Iterator[PlannedStep]:
    """Plans the steps that a scenario writes itself; what is wrong with them goes to `problems`."""
    scenario = place.scenario
    if not scenario.plan.written.steps:
        return
    from attncli.steps.written.lowering import Planner
    from attncli.steps.written.planning import planned

    known = environment_of(scenario)
    for own in scenario.plan.written.steps:
        rounding = scenario.rounding
        step = own.name if own.name in rounding.steps else _STEP
        planner = Planner(place.name, rounding, step)
        for part in planned(own, known, planner, problems):
            made = tuple(d._replace(step=_STEP) for d in part.definitions)
            at = place.to(WrittenPlace, own=own, part=part._replace(definitions=made))
            yield PlannedStep(_STEP, at, made)


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
    results=Results(names=(), plan=lambda place: place.part.definitions),
    example=Example("linear_attention"),
)
