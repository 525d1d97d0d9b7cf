"""All equations of a step as definitions: once, or for each time of a step `over: t`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from attncli.errors import Where
from attncli.maths.equations import language as said
from attncli.maths.equations.language import Cell, EquationError, FunctionTarget, Target, walk
from attncli.maths.operations.rearranging import JoinRows
from attncli.names import Name
from attncli.scenario.file.problems import Diagnostics, nearest
from attncli.scenario.written import Line, Times, WrittenMistake, WrittenStep
from attncli.steps.written.arrays import MOST_SIDES, Environment, Known, Moment, OwnFunction, Side
from attncli.steps.written.indices import through_times
from attncli.steps.written.lowering import Planner, lowered, sides_of_target
from attncli.trace.quantity import Definition

_T = TypeVar("_T")


class MadeWrongly(NamedTuple):
    """A mistake of a step's author, at a time or once."""

    mistake: WrittenMistake
    definitions: tuple[Definition, ...]
    """All that is made otherwise, first what the mistake is in."""


class Part(NamedTuple):
    """What a step makes at a time, or once."""

    time: int | None
    """The time; None where there is none, 0 where all times are put together."""
    definitions: tuple[Definition, ...]
    wrongly: tuple[MadeWrongly, ...] = ()
    """The mistakes that can be made."""
    times: tuple[int, ...] = ()
    """All times of the step, in their order."""


def planned(
    step: WrittenStep, known: Environment, planner: Planner, problems: Diagnostics
) -> tuple[Part, ...]:
    """Plans a step, and adds what it makes to what is known.

    What is wrong with its equations goes to `problems`, with the place of each.
    """
    return _Planning(step, known, planner, problems).parts()


class _Planning:
    def __init__(
        self, step: WrittenStep, known: Environment, planner: Planner, problems: Diagnostics
    ) -> None:
        self.step, self.known, self.planner, self.problems = step, known, planner, problems

    def parts(self) -> tuple[Part, ...]:
        lines = [line for line in self.step.lines if self._is_new(line)]
        if self.step.over is None:
            made: list[Definition] = []
            for line in lines:
                made += self._once(line)
            wrongly = self._wrongly(lines, made, None)
            return (Part(None, tuple(made), tuple(wrongly)),) if made else ()
        side = self._hearing(self.step.over.where, partial(self._side, self._times, lines))
        if side is None:
            self.known.broken |= {line.equation.target.name for line in lines}
            return ()
        return tuple(self._over(lines, side))

    @property
    def _times(self) -> Times:
        assert self.step.over is not None
        return self.step.over

    def _hearing(self, where: Where, work: Callable[[], _T]) -> _T | None:
        """Does some work; an EquationError becomes a problem at its place, and None is returned."""
        try:
            return work()
        except EquationError as wrong:
            if wrong.wrong:  # what follows from another problem says nothing
                at = where._replace(column=where.column + wrong.start) if where.column else where
                self.problems.add(at, wrong.wrong, wrong.right)
            return None

    def _is_new(self, line: Line) -> bool:
        """Tells whether an equation makes what isn't there yet, and complains if it doesn't."""
        target, known = line.equation.target, self.known
        name = target.name
        if name in known.arrays or name in known.functions or name in known.sides:
            what = "a side" if name in known.sides else "there above already"
            wrong, right = f"{name} is {what}", f"call what this makes otherwise, like {name}2"
        elif name in (*said.WORDS, "pi"):
            wrong, right = f"{name} has a meaning of its own", "call what this makes otherwise"
        else:
            return True
        where = line.where
        at = where._replace(column=where.column + target.start) if where.column else where
        self.problems.add(at, wrong, right)
        return False

    def _once(self, line: Line) -> tuple[Definition, ...]:
        target = line.equation.target
        if isinstance(target, FunctionTarget):
            parameters = tuple(parameter.name for parameter in target.parameters)
            self.known.functions[target.name] = OwnFunction(parameters, line.equation.value)
            return ()
        bounds = target.bounds[:1]
        through = through_times(bounds, line.equation.value, self.known)
        if through is not None:
            return self._at_each(line, target, through[1])
        work = partial(lowered, line.equation, self.known, self.planner)
        made = self._hearing(line.where, work)
        if made is None:
            self.known.broken.add(target.name)
            return ()
        self.known.arrays[target.name] = made.made
        return made.definitions

    def _at_each(self, line: Line, target: Target, through: Known) -> tuple[Definition, ...]:
        """Works an equation for each place of its first index."""
        order = tuple(sorted(through.times))
        moments = [Moment(target.bounds[0].name, now, order, {}) for now in order]
        self._declare([line], moments[0], through.sides[0])
        made = [d for moment in moments for d in self._at(moment, [line])]
        known = self.known.arrays.get(target.name)
        if known is not None and len(known.sides) <= MOST_SIDES:
            self.known.arrays[target.name] = Known(known.name, known.sides)
            made.append(_together(known))
        return tuple(made)

    # -- over times --------------------------------------------------------------------------------

    def _side(self, times: Times, lines: Sequence[Line]) -> Side:
        """Returns the side that the times go along. Raises EquationError where nothing says it."""
        bound = times.bound
        if bound.side:
            if bound.side not in self.known.sides:
                wrong = f"no side is called {bound.side}"
                raise EquationError(wrong, "name it in sizes or in names", bound.start)
            return self.known.sides[bound.side]
        for line in lines:
            for part in walk(line.equation.value):
                array = self.known.arrays.get(part.name) if isinstance(part, Cell) else None
                if not isinstance(part, Cell) or array is None:
                    continue
                for place, side in zip(part.places, array.sides, strict=False):
                    if place.name == bound.name and not place.shift:
                        return side
        names = {p.name for line in lines for p in walk(line.equation.value) if isinstance(p, Cell)}
        if names & self.known.broken:
            raise EquationError("", "", bound.start)
        wrong = f"nothing says how far {bound.name} goes"
        named = next(iter(self.known.sides), "token")
        raise EquationError(wrong, f"write over: {bound.name} in {named}", bound.start)

    def _over(self, lines: Sequence[Line], side: Side) -> Iterator[Part]:
        times = self._times
        order = tuple(range(1, side.length + 1))
        order = order[::-1] if times.backward else order
        moments = [Moment(times.bound.name, now, order, times.starts) for now in order]
        arrays = [line for line in lines if isinstance(line.equation.target, Target)]
        for line in lines:
            if line not in arrays:
                self._once(line)
        self._declare(arrays, moments[0], side)
        for moment in moments:
            definitions = tuple(self._at(moment, arrays))
            wrongly = tuple(self._wrongly(arrays, definitions, moment))
            yield Part(moment.now, definitions, wrongly, order)
        made = [self.known.arrays.get(line.equation.target.name) for line in arrays]
        flat = [known for known in made if known and len(known.sides) <= MOST_SIDES]
        for known in flat:
            self.known.arrays[known.name.local] = Known(known.name, known.sides)
        if flat:
            yield Part(0, tuple(map(_together, flat)), times=order)

    def _at(self, moment: Moment, lines: Sequence[Line]) -> Iterator[Definition]:
        """Yields the definitions of what is made at a time."""

        own = self._planner_at(moment)
        for line in lines:
            target = line.equation.target.name
            if target in self.known.broken:
                continue
            work = partial(lowered, line.equation, self.known, own, moment)
            made = self._hearing(line.where, work)
            if made is None:
                self.known.broken.add(target)
            else:
                yield from made.definitions

    def _planner_at(self, moment: Moment | None) -> Planner:
        def name(local: str) -> Name:
            return self.planner.name(local).at(moment.now if moment else None)

        return self.planner._replace(name=name) if moment else self.planner

    def _wrongly(
        self, lines: Sequence[Line], right: Sequence[Definition], moment: Moment | None
    ) -> Iterator[MadeWrongly]:
        """Yields the mistakes of a step, each with what is made otherwise by it."""
        targets = {line.equation.target.name: line for line in lines}
        for mistake in self.step.mistakes:
            made: list[Definition] = []
            for name, instead in mistake.instead.items():
                if name not in targets:
                    wrong = f"no equation of this step makes {name}"
                    right_names = nearest(name, targets)
                    self.problems.add(instead.where, wrong, right_names)
                    continue
                equation = targets[name].equation._replace(value=instead.value)
                work = partial(lowered, equation, self.known, self._planner_at(moment), moment)
                got = self._hearing(instead.where, work)
                made += () if got is None else got.definitions
            others = tuple(d for d in made if d not in right)
            if others:
                yield MadeWrongly(mistake, others)

    def _declare(self, lines: Sequence[Line], moment: Moment, side: Side) -> None:
        """Finds the sides of all that a step over times makes, which may read each other."""
        waiting = [line for line in lines if line.equation.target.name not in self.known.broken]
        names = {line.equation.target.name for line in waiting}
        while waiting:
            before = len(waiting)
            for line in [*waiting]:
                sides = sides_of_target(line.equation, self.known, moment, names)
                if sides is None:
                    continue
                waiting.remove(line)
                name = line.equation.target.name
                names.discard(name)
                full = self.planner.name(name)
                self.known.arrays[name] = Known(full, (side, *sides), moment.order, len(sides) == 1)
            if len(waiting) == before:
                return  # lowering says what is missing


def _together(known: Known) -> Definition:
    """Puts the rows or numbers that are made for each time together to one matrix or list."""
    times = sorted(known.times)
    names = tuple(known.name.at(time) for time in times)
    return Definition(known.name, JoinRows(len(times)), names, rows=known.sides[0].axis)
