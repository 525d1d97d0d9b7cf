"""All equations of a step as definitions: once, or for each time of a step `over: t`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeVar

from attncli.maths.equations import language as said
from attncli.maths.equations.language import (
    Bound,
    Cell,
    EquationError,
    FunctionTarget,
    Target,
    walk,
)
from attncli.maths.operations.rearranging import JoinRows
from attncli.names import Name
from attncli.scenario.file.nodes import TextPlace
from attncli.scenario.file.problems import Diagnostics, nearest
from attncli.scenario.written import EquationLine, Times, WrittenMistake, WrittenStep
from attncli.steps.written.arrays import (
    MOST_SIDES,
    ArraySide,
    Environment,
    KnownArray,
    Moment,
    in_words,
)
from attncli.steps.written.functions import ALONG, FUNCTIONS, REDUCED, own_function, standing_at
from attncli.steps.written.indices import through_times
from attncli.steps.written.lowering import Planner, check_sides, lowered, sides_of_target
from attncli.trace.quantity import Definition

_T = TypeVar("_T")


class MadeWrongly(NamedTuple):
    """A mistake of a step's author, at a time or once."""

    mistake: WrittenMistake
    definitions: tuple[Definition, ...]
    """All that is made otherwise, first what the mistake is in."""


class PlannedPart(NamedTuple):
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
) -> tuple[PlannedPart, ...]:
    """Plans a step, and adds what it makes to what is known.

    What is wrong with its equations goes to `problems`, with the place of each.
    """
    return _Planning(step, known, planner, problems).parts()


class _Planning:
    def __init__(
        self, step: WrittenStep, known: Environment, planner: Planner, problems: Diagnostics
    ) -> None:
        self.step, self.known, self.planner, self.problems = step, known, planner, problems

    def parts(self) -> tuple[PlannedPart, ...]:
        self.known.broken |= {x.equation.target.name for x in self.step.lines if x.is_broken}
        whole = [line for line in self.step.lines if not line.is_broken]
        lines: list[EquationLine] = []
        for line in whole:
            if self._is_new(line, {other.equation.target.name for other in lines}):
                lines.append(line)
        if self.step.over is None:
            made: list[Definition] = []
            for line in lines:
                made += self._once(line)
            wrongly = self._wrongly(lines, made, None)
            return (PlannedPart(None, tuple(made), tuple(wrongly)),) if made else ()
        side = self._hearing(self.step.over.place, partial(self._side, self._times, lines))
        if side is None:
            self.known.broken |= {line.equation.target.name for line in lines}
            return ()
        return tuple(self._over(lines, side))

    @property
    def _times(self) -> Times:
        assert self.step.over is not None
        return self.step.over

    def _hearing(self, place: TextPlace, work: Callable[[], _T]) -> _T | None:
        """Does some work; an EquationError becomes a problem at its place, and None is returned."""
        try:
            return work()
        except EquationError as wrong:
            if wrong.wrong:  # what follows from another problem says nothing
                self.problems.add(place.at(wrong.start), wrong.wrong, wrong.right)
            return None

    def _is_new(self, line: EquationLine, above: Collection[str]) -> bool:
        """Tells whether an equation makes what isn't there yet, and complains if it doesn't."""
        target, known = line.equation.target, self.known
        name = target.name
        is_function = isinstance(target, FunctionTarget)
        if is_function and name in (*FUNCTIONS, *REDUCED, *ALONG):
            wrong, right = (
                f"{name} is a function of this language",
                f"call yours otherwise, like {name}2",
            )
        elif name in (*known.arrays, *known.functions, *known.sides, *above):
            what = "a side" if name in known.sides else "there above already"
            wrong, right = f"{name} is {what}", f"call what this makes otherwise, like {name}2"
        elif name in (*said.WORDS, "pi"):
            wrong, right = f"{name} has a meaning of its own", "call what this makes otherwise"
        else:
            return True
        self.problems.add(line.place.at(target.start), wrong, right)
        self.known.broken.add(name)
        return False

    def _once(self, line: EquationLine) -> tuple[Definition, ...]:
        target = line.equation.target
        if isinstance(target, FunctionTarget):
            defined = partial(own_function, target, line.equation.value, self.known)
            function = self._hearing(line.place, defined)
            if function is None:
                self.known.broken.add(target.name)
            else:
                self.known.functions[target.name] = function
            return ()
        bounds = target.bounds[:1]
        through = through_times(bounds, line.equation.value, self.known)
        if through is not None:
            return self._at_each(line, target, through[1])
        work = partial(lowered, line.equation, self.known, self.planner)
        made = self._hearing(line.place, work)
        if made is None:
            self.known.broken.add(target.name)
            return ()
        self.known.arrays[target.name] = made.made
        return _standing(made.definitions, line)

    def _at_each(
        self, line: EquationLine, target: Target, through: KnownArray
    ) -> tuple[Definition, ...]:
        """Works an equation for each place of its first index."""
        order = tuple(sorted(through.times))
        moments = [Moment(target.bounds[0].name, now, order, {}) for now in order]
        self._declare([line], moments[0], through.sides[0])
        made = [d for moment in moments for d in self._at(moment, [line])]
        known = self.known.arrays.get(target.name)
        if known is not None and len(known.sides) <= MOST_SIDES:
            self.known.arrays[target.name] = KnownArray(known.name, known.sides)
            made.append(_together(known))
        return tuple(made)

    # -- over times --------------------------------------------------------------------------------

    def _side(self, times: Times, lines: Sequence[EquationLine]) -> ArraySide:
        """Returns the side that the times go along. Raises EquationError where nothing says it."""
        bound = times.bound
        if bound.side:
            if bound.side not in self.known.sides:
                raise self.known.no_side(bound)
            return self.known.sides[bound.side]
        pieces = (part for line in lines for part in walk(line.equation.value))
        cells = [part for part in pieces if isinstance(part, Cell)]
        for cell in cells:
            sides = self.known.arrays[cell.name].sides if cell.name in self.known.arrays else ()
            for place, side in zip(cell.places, sides, strict=False):
                if place.name == bound.name and not place.shift:
                    return side
        self._check_whole(bound, lines)
        if not any(_is_at(line, bound.name) for line in lines):
            wrong = f"no equation makes something at {bound.name}"
            right = f"write {bound.name} as the first index on the left, such as S[{bound.name}]"
            raise EquationError(wrong, right, bound.start)
        wrong = f"nothing says how far {bound.name} goes"
        raise EquationError(wrong, self.known.bounded(bound.name), bound.start)

    def _check_whole(self, bound: Bound, lines: Sequence[EquationLine]) -> None:
        """Raises an error that says nothing where equations read what is broken, or are it."""
        parts = [part for line in lines for part in walk(line.equation.value)]
        reads_broken = self.known.broken & {part.name for part in parts if isinstance(part, Cell)}
        if reads_broken or len(lines) < len(self.step.lines):
            raise EquationError("", "", bound.start)

    def _over(self, lines: Sequence[EquationLine], side: ArraySide) -> Iterator[PlannedPart]:
        times = self._times
        order = tuple(range(1, side.length + 1))
        order = order[::-1] if times.backward else order
        moments = [Moment(times.bound.name, now, order, times.starts) for now in order]
        arrays = [line for line in lines if isinstance(line.equation.target, Target)]
        self._check_starts(arrays, moments[0])
        for line in lines:
            if line not in arrays:
                self._once(line)
        self._declare(arrays, moments[0], side)
        for moment in moments:
            definitions = tuple(self._at(moment, arrays))
            wrongly = tuple(self._wrongly(arrays, definitions, moment))
            yield PlannedPart(moment.now, definitions, wrongly, order)
        made = [self.known.arrays.get(line.equation.target.name) for line in arrays]
        flat = [known for known in made if known and len(known.sides) <= MOST_SIDES]
        for known in flat:
            self.known.arrays[known.name.local] = KnownArray(known.name, known.sides)
        if flat:
            yield PlannedPart(0, tuple(map(_together, flat)), times=order)

    def _check_starts(self, lines: Sequence[EquationLine], moment: Moment) -> None:
        """Complains of what stands before the first time where nothing reads it, where it is of
        nothing that is there, or has another shape."""
        starts, arrays, broken = moment.starts, self.known.arrays, self.known.broken
        made = {line.equation.target.name: line for line in lines}
        read = set(self._read_before(moment))
        for name, start in starts.items():
            is_elsewhere = name in made and not _is_at(made[name], moment.index)
            if start.is_broken or is_elsewhere or self.known.is_partly_read:
                continue
            names = {**made, **arrays}.keys() - {other.array for other in starts.values()}
            if name not in (*made, *arrays, *broken):
                wrong, right = f"nothing is called {name}", nearest(name, sorted(names))
            elif start.array and start.array not in (*arrays, *broken):
                wrong, right = f"nothing is called {start.array}", nearest(start.array, arrays)
            elif name not in read:
                before = f"{moment.index} {'-' if moment.order[0] == 1 else '+'} 1"
                wrong = f"{name} isn't read at {before}"
                right = f"leave its start out, or read {name}[{before}]"
            elif start.array in arrays:
                wanted, here = self._sides_before(name, made, moment), arrays[start.array].sides
                pairs = zip(wanted, here, strict=False)
                if len(wanted) == len(here) and all(a[0] in (0, b[0]) for a, b in pairs):
                    continue
                has = f"{name} is {in_words(wanted)} for each {moment.index}"
                wrong = f"{has}, and starts as {in_words(here)}"
                right = f"give it {in_words(wanted)}{', or a number for all' if wanted else ''}"
            else:
                broken |= {name} if start.array in broken else set()
                continue
            self.problems.add(start.where, wrong, right)
            broken.add(name)

    def _read_before(self, moment: Moment) -> Iterator[str]:
        """Yields the names of all that is read before the time that it is."""
        values = [line.equation.value for line in self.step.lines]
        values += [other.value for m in self.step.mistakes for other in m.instead.values()]
        for cell in (part for value in values for part in walk(value) if isinstance(part, Cell)):
            if cell.places and cell.places[0].name == moment.index and cell.places[0].shift:
                yield cell.name

    def _sides_before(
        self, name: str, made: Mapping[str, EquationLine], moment: Moment
    ) -> tuple[ArraySide, ...]:
        """Returns the sides that something has for each time by all but what it starts with; the
        length of one that nothing else tells is 0."""
        if name not in made:
            return self.known.arrays[name].sides[1:]
        equation = made[name].equation
        sides = sides_of_target(equation, self.known, replace(moment, starts={}), made)
        assert isinstance(equation.target, Target)
        return (ArraySide(0),) * (len(equation.target.bounds) - 1) if sides is None else sides

    def _at(self, moment: Moment, lines: Sequence[EquationLine]) -> Iterator[Definition]:
        """Yields the definitions of what is made at a time."""

        own = self._planner_at(moment)
        names = [line.equation.target.name for line in lines]
        for k, line in enumerate(lines):
            target = line.equation.target.name
            self.known.pending = frozenset(names[k:])
            if target in self.known.broken:
                continue
            work = partial(lowered, line.equation, self.known, own, moment)
            made = self._hearing(line.place, work)
            if made is None:
                self.known.broken.add(target)
            else:
                yield from _standing(made.definitions, line)
        self.known.pending = frozenset()

    def _planner_at(self, moment: Moment | None) -> Planner:
        def name(local: str) -> Name:
            return self.planner.name(local).at(moment.now if moment else None)

        return self.planner._replace(name=name) if moment else self.planner

    def _wrongly(
        self, lines: Sequence[EquationLine], right: Sequence[Definition], moment: Moment | None
    ) -> Iterator[MadeWrongly]:
        """Yields the mistakes of a step, each with what is made otherwise by it."""
        targets = {line.equation.target.name: line for line in lines}
        for mistake in self.step.mistakes:
            made: list[Definition] = []
            self._check_changes(mistake, targets)
            for name, instead in mistake.instead.items():
                if name not in targets:
                    wrong = f"no equation of this step makes {name}"
                    right_names = nearest(name, targets)
                    self.problems.add(instead.place.where, wrong, right_names)
                    continue
                equation = targets[name].equation._replace(value=instead.value)
                work = partial(lowered, equation, self.known, self._planner_at(moment), moment)
                got = self._hearing(instead.place, work)
                made += () if got is None else _standing(got.definitions, targets[name])
            others = tuple(d for d in made if d not in right)
            if others:
                yield MadeWrongly(mistake, others)

    def _check_changes(self, mistake: WrittenMistake, targets: Mapping[str, EquationLine]) -> None:
        """Complains of a mistake that leaves everything as it is."""
        pairs = [
            (standing_at(targets[name].equation.value, 0), standing_at(instead.value, 0))
            for name, instead in mistake.instead.items()
            if name in targets
        ]
        if pairs and len(pairs) == len(mistake.instead) and all(a == b for a, b in pairs):
            name, instead = next(iter(mistake.instead.items()))
            wrong = f"{mistake.name} leaves {name} as it is"
            self.problems.add(instead.place.where, wrong, "write what it is by mistake")

    def _declare(self, lines: Sequence[EquationLine], moment: Moment, side: ArraySide) -> None:
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
                self.known.arrays[name] = KnownArray(
                    full, (side, *sides), moment.order, len(sides) == 1
                )
            if len(waiting) == before:
                for line in waiting:
                    work = partial(check_sides, line.equation, self.known, moment, names)
                    if self._hearing(line.place, work) is None:
                        self.known.broken.add(line.equation.target.name)
                return  # lowering says what else is missing


def _is_at(line: EquationLine, index: str) -> bool:
    """Tells whether an equation makes something at a time."""
    target = line.equation.target
    return isinstance(target, Target) and bool(target.bounds) and target.bounds[0].name == index


def _standing(definitions: Sequence[Definition], line: EquationLine) -> tuple[Definition, ...]:
    """Returns definitions that know where their equation stands."""
    where = line.place.at(line.equation.target.start)
    return tuple(definition._replace(where=where) for definition in definitions)


def _together(known: KnownArray) -> Definition:
    """Puts the rows or numbers that are made for each time together to one matrix or list."""
    times = sorted(known.times)
    names = tuple(known.name.at(time) for time in times)
    return Definition(known.name, JoinRows(len(times)), names, rows=known.sides[0].axis)
