"""The steps that a scenario writes itself for its model: where they stand, what they find there,
and what flows on from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from attncli.errors import Problem, Where, listed
from attncli.maths.equations import language as said
from attncli.maths.equations.language import FunctionTarget, Target, walk
from attncli.maths.operations.operation import Operation
from attncli.names import Name, below
from attncli.scenario.file.problems import Diagnostics, nearest
from attncli.scenario.scenario import Scenario, Shape
from attncli.scenario.written import EquationLine, Output, Standing, WrittenModel, WrittenStep
from attncli.steps.order import FLOWS, STANDING, goes_to
from attncli.steps.written.arrays import ArraySide, KnownArray, OwnFunction, in_words
from attncli.steps.written.step import check_sides, environment_of, planned_at, where_given
from attncli.trace import AttentionPlace, HeadPlace, Place, PlannedStep, ResidualPlace
from attncli.trace.axes import DIMENSIONS, NONE, TOKENS, Labelled, given_axes, made_axes
from attncli.trace.quantity import Axis, Definition, distinct_tokens
from attncli.trace.shapes import shapes_of

Site = tuple[Name, int]
"""A place as far as it matters where a step is told: its path, and the number of its head, from 1,
or of its residual connection."""


class StandingGroup(NamedTuple):
    """Steps that follow each other at one place."""

    number: int
    standing: Standing
    steps: tuple[WrittenStep, ...]

    @property
    def targets(self) -> frozenset[str]:
        """Returns the names of all that they make."""
        return frozenset(line.equation.target.name for s in self.steps for line in s.lines)


class Outflow(NamedTuple):
    """What flows on from steps of a scenario's own, in the place of something of its model."""

    array: KnownArray
    where: Where
    """Where it is said that it does."""


class Told(NamedTuple):
    """A group of steps as it is told at a place."""

    parts: tuple[PlannedStep, ...]
    x: Name
    """What flows on."""


def groups_of(written: WrittenModel) -> tuple[StandingGroup, ...]:
    """Returns the steps of a scenario's own by their places; one without a place stands behind the
    step above it, or nowhere if there is none."""
    groups: list[StandingGroup] = []
    for step in written.steps:
        if step.standing is not None:
            groups.append(StandingGroup(len(groups), step.standing, (step,)))
        elif groups:
            groups[-1] = groups[-1]._replace(steps=(*groups[-1].steps, step))
    return tuple(groups)


class StandingSteps:
    """The steps of a scenario's own while the story of its model is told."""

    def __init__(self, scenario: Scenario, problems: Diagnostics) -> None:
        self.groups = groups_of(scenario.plan.written)
        self.scenario, self.problems = scenario, problems
        self.around = _Surroundings(scenario)
        self.known: dict[Name, KnownArray] = {}
        """What equations made, by full names."""
        self.counted: set[int] = set()
        self.told: dict[tuple[int, Site], Name] = {}
        """What flows on from each group, by where it was told."""
        self.there: dict[str, None] = {}
        """The steps of the model that any of them stands at, as far as they are taken."""
        self.lacking: dict[str, Name] = {}
        """What those lack that can't be taken."""
        self.outflows: dict[tuple[str, str, str, Site], Outflow] = {}
        """What flows on from where they stand, by how and at which steps that is, and the place."""

    def at(self, how: str, step: str) -> Iterator[StandingGroup]:
        """Yields the groups that stand before a step, after it, or in its place."""
        for group in self.groups:
            standing = group.standing
            if standing.how == how and step in _steps_between(standing.first, standing.last):
                yield group

    def stands_at(self, step: str) -> bool:
        """Tells whether any of them stands at a step."""
        return any(any(self.at(how, step)) for how in ("before", "instead_of", "after"))

    def tell(self, group: StandingGroup, place: Place, parts: Sequence[PlannedStep]) -> Told:
        """Tells a group at a place, behind these parts; where it has been told, just what flows
        on."""
        before = self._before(group, place)
        if before is not None:
            return Told((), before if group.standing.how == "instead_of" else place.x)
        self.around.hear(parts)
        problems = Diagnostics()
        telling = _GroupTelling(self, group, place, problems)
        told = telling.told()
        known = {(problem.where, problem.wrong) for problem in self.problems.found}
        self.problems.found += [p for p in problems.found if (p.where, p.wrong) not in known]
        site = site_of(place)
        self.told[group.number, site] = told.x
        if telling.outflow is not None:
            self.outflows[(*group.standing[:3], site)] = telling.outflow
        return told

    def outputs_at_fault(
        self, flows: Mapping[tuple[str, Site], tuple[Name, Name]], shapes: Mapping[str, Shape]
    ) -> list[Problem]:
        """Returns the problem of the first output that has another shape than what flows there in
        the model alone, by what flows into and from its steps, and its shapes; what else doesn't
        fit may follow from that."""
        for (how, first, last, site), (array, where) in self.outflows.items():
            found = (flows.get((step, site)) for step in reversed(_steps_between(first, last)))
            flow = next((flow for flow in found if flow is not None), None)
            if flow is None:
                continue
            x = flow[how != "before"]
            rows, columns = shapes.get(x, (None, None))
            if rows and columns and array.shape != (rows, columns):
                wanted, name = f"{rows} × {columns}", array.name.local
                wrong = f"{name} is {in_words(array.sides)}, where {wanted} flows on"
                return [Problem(where, wrong, f"make it {wanted}, as {x} is")]
        return []

    def _before(self, group: StandingGroup, place: Place) -> Name | None:
        """Returns what flows on from a group that was told here already; None where it wasn't.

        Complains of one that is told for each head, and goes on behind them, or the other way
        round.
        """
        found = [self.told.get((group.number, site)) for site in _sites(place)]
        self._check_heads(group, place)
        return next((x for x in found if x is not None), None)

    def _check_heads(self, group: StandingGroup, place: Place) -> None:
        if not isinstance(place, AttentionPlace) or place.attention.heads == 1:
            return
        path, each = place.attention.path, isinstance(place, HeadPlace)
        others = {k > 0 for number, (at, k) in self.told if number == group.number and at == path}
        if others and others != {each}:
            first, last, where = group.standing[1:]
            wrong = f"of {first} and {last}, one is in each head, and one of all heads together"
            if all(problem.wrong != wrong for problem in self.problems.found):
                self.problems.add(where, wrong, "name steps that are both in each head")

    def lacks(self, definitions: Sequence[Definition], parts: Sequence[PlannedStep]) -> Name | None:
        """Returns what a step lacks that can make nothing in a story with these parts; None for any
        other."""
        gives, own = self.scenario.gives, {d.name for d in definitions}
        lacking: dict[Name, Name] = {}
        known: set[Name] = set()
        for definition in (*(d for part in parts for d in part.definitions), *definitions):
            name = definition.name
            lacks = [x for x in definition.operands if x not in known and not gives(x)]
            if not lacks or gives(name):
                known.add(name)
            else:
                lacking.setdefault(name, lacking.get(lacks[0], lacks[0]))
        return next((lacking[name] for name in lacking if name in own and not own & known), None)

    def check_told(self, parts: Sequence[PlannedStep]) -> None:
        """Complains of steps of one's own that stand nowhere in the story."""
        check_sides(self.scenario, self.problems)
        if self.problems.found:  # of a place that can't be read
            return
        self._check_names(parts)
        self._check_inside()
        for step in self.scenario.plan.written.steps:
            if step.standing is not None:
                break
            right = "say before, after or instead_of, and a step of the model: `before: softmax`"
            right += "; without a model, give its arrays in given"
            self.problems.add(step.where, f"nothing says where {step.name} stands", right)
        numbers = {number for number, _ in self.told}
        taken = {p.step for p in parts if self.lacks(p.definitions, parts) is None}
        there = self.there.keys() | taken
        places = listed([step for step in STANDING if step in there])
        right = f"name one of {places}" if places else "give all in given, and leave this out"
        for group in self.groups:
            if group.number in numbers:
                continue
            _, first, last, where = group.standing
            wrong = f"{first} isn't" if first == last else f"nothing from {first} to {last} is"
            lacks = self.lacking.get(first)
            if lacks is None:
                self.problems.add(where, f"{wrong} taken here", right)
            else:
                wrong = f"{wrong} taken here without {lacks}"
                self.problems.add(where, wrong, f"give {lacks}, or {right}")
        if not self.problems.found:
            self._check_read(parts)

    def _check_inside(self) -> None:
        """Complains of steps at one that others stand in the place of, inside of several."""
        for group in self.groups:
            how, step, _, where = group.standing
            for other in self.at("instead_of", step):
                replaced = [x for x in _steps_between(*other.standing[1:3]) if x in self.there]
                edges = {"before": replaced[:1], "after": replaced[-1:]}
                is_same = other.standing[:3] == group.standing[:3]
                if step in replaced and not is_same and step not in edges.get(how, ()):
                    wrong = f"{step} isn't taken here, where {other.steps[0].name} stands instead"
                    right = f"say before {replaced[0]}, or after {replaced[-1]}"
                    self.problems.add(where, wrong, right)

    def _check_read(self, parts: Sequence[PlannedStep]) -> None:
        """Complains of what flows on to steps that don't work on it."""
        read = {name for part in parts for d in part.definitions for name in d.operands}
        if parts and parts[-1].place.called:
            read |= {d.name for d in parts[-1].definitions}
        for array, where in self.outflows.values():
            if array.name not in read:
                wrong = f"nothing that follows works on {array.name.local}"
                right = "leave output out, or let the step stand where x is worked on"
                self.problems.add(where, wrong, right)

    def _check_names(self, parts: Sequence[PlannedStep]) -> None:
        """Complains of what a step of one's own makes, and a step of the model too."""
        makers = {d.name: p.step for p in parts if not p.place.called for d in p.definitions}
        makers = {name: makers[name] for name in self.known if name in makers}
        lines = [line for step in self.scenario.plan.written.steps for line in step.lines]
        for local, step in {name.local: step for name, step in makers.items()}.items():
            line = next(line for line in lines if line.equation.target.name == local)
            at = line.place.at(line.equation.target.start)
            wrong, right = f"{step} makes {local}", f"call what this makes otherwise, like {local}2"
            self.problems.add(at, wrong, right)


def _makes_array(line: EquationLine) -> bool:
    """Tells whether an equation makes an array, and no function."""
    return isinstance(line.equation.target, Target)


def _steps_between(first: str, last: str) -> list[str]:
    """Lists the steps from one to another on the way that goes through both."""
    flow = next(flow for flow in FLOWS if goes_to(first, last, flow))
    return [*flow[flow.index(first) : flow.index(last) + 1]]


def site_of(place: Place) -> Site:
    """Returns where a place is."""
    return _sites(place)[0]


def _sites(place: Place) -> tuple[Site, ...]:
    """Returns where a place is, and what it belongs to as well: a head to all heads of its
    attention."""
    if isinstance(place, HeadPlace):
        path = place.attention.path
        return (path, place.head + 1), (path, 0)
    if isinstance(place, AttentionPlace):
        path = place.attention.path
        return ((path, 0), (path, 1)) if place.attention.heads == 1 else ((path, 0),)
    if isinstance(place, ResidualPlace):
        return ((place.path, -place.number),)
    return ((below(place.path, type(place).__name__), 0),)


class _GroupTelling:
    """The telling of one group at one place."""

    def __init__(
        self, own: StandingSteps, group: StandingGroup, place: Place, problems: Diagnostics
    ) -> None:
        self.own, self.group, self.place, self.problems = own, group, place, problems
        self.path = place.path
        if isinstance(place, ResidualPlace):  # of which a layer has several
            self.path = place.name(f"residual{place.number}")
        self.known = environment_of(own.scenario)
        self.known.counted = own.counted
        self._name_sides()
        self._find_functions()
        self._find_arrays()
        self.outflow: Outflow | None = None
        """What flows on, where it isn't what flowed in."""

    def told(self) -> Told:
        parts: list[PlannedStep] = []
        x = self.place.x
        for step in self.group.steps:
            here = (array for array in self.known.arrays.values() if array.name == x)
            x_here = self._array(x) or next(here, None)
            if x_here is not None:
                self.known.arrays["x"] = x_here
            at = self.place.to(Place, path=self.path, x=x)
            parts += planned_at(at, step, self.known, self.problems)
            output = self._output_of(step)
            if output is not None:
                x = self._flowing(output, step, x)
        for name in self.group.targets & {*self.known.arrays}:
            known = self.known.arrays[name]
            self.own.known[known.name] = known
        return Told(tuple(parts), x)

    def _output_of(self, step: WrittenStep) -> Output | None:
        """Returns what flows on from a step; None where that is what flowed in. In the place of
        other steps it is what the last equation makes, where none says it."""
        steps = self.group.steps
        if self.group.standing.how != "instead_of" or any(s.output for s in steps):
            return step.output
        lines = [line for s in steps for line in s.lines if _makes_array(line)]
        if not lines:
            wrong = f"{step.name} makes nothing that could flow on"
            right = "write an equation that does, like y[i, j] = 2 * x[i, j]"
            self.problems.add(step.where, wrong, right)
        if not lines or lines[-1] not in step.lines:
            return None
        target = lines[-1].equation.target
        return Output(target.name, lines[-1].place.at(target.start))

    def _flowing(self, output: Output, step: WrittenStep, x: Name) -> Name:
        """Returns the full name of what flows on from a step into which `x` flows."""
        name, where = output
        made = self.known.arrays.get(name) if name in self.group.targets else None
        if made is not None and not made.times:
            self.outflow = Outflow(made, where)
            return made.name
        if made is not None:
            wrong = f"{name} is a matrix for each step"
            self.problems.add(where, wrong, "name something with two sides")
        elif name not in self.known.broken and not self.known.is_partly_read:
            names = [line.equation.target.name for line in step.lines]
            self.problems.add(where, f"no equation makes {name}", nearest(name, names))
        return x

    # -- what is known there -----------------------------------------------------------------------

    def _name_sides(self) -> None:
        """Names the sides that a model has: token, d_model, d_k and d_v."""
        place, sides, around = self.place, self.known.sides, self.own.around
        tokens = distinct_tokens(place.text.tokens)
        rows, d_model = around.shape(below(place.stack.path, "X"))
        if tokens or rows:
            token = ArraySide(len(tokens) or rows or 0, "token", tokens, TOKENS)
            self._check_side("token", token.length)
            sides["token"] = token
        lengths = {"d_model": d_model}
        if isinstance(place, AttentionPlace):
            widths = {x: around.shape(place.latest(x))[1] for x in ("Q", "K", "V")}
            lengths |= {"d_k": widths["K"] or widths["Q"], "d_v": widths["V"]}
        for name, length in lengths.items():
            if length:
                self._check_side(name, length)
                sides.setdefault(name, ArraySide(length, name))

    def _check_side(self, name: str, length: int) -> None:
        """Complains of given arrays that have a side of the model, and another length there."""
        known, written = self.known, self.own.scenario.plan.written
        for local, sides in written.sides.items():
            array = known.arrays.get(local)
            lengths = [side.length for side in array.sides] if array is not None else []
            has = dict(zip(sides, lengths, strict=False)).get(name, length)
            if has != length:
                wrong = f"{name} is {has} long in {local}, and {length} in the model"
                right = "make them equally long, or name another side"
                self.problems.add(where_given(self.own.scenario, local), wrong, right)
                del known.arrays[local]
                known.broken.add(local)

    def _find_functions(self) -> None:
        """Finds the functions that steps above define."""
        for step in self.own.scenario.plan.written.steps:
            if step is self.group.steps[0]:
                return
            for line in step.lines:
                target = line.equation.target
                if isinstance(target, FunctionTarget):
                    names = tuple(parameter.name for parameter in target.parameters)
                    function = OwnFunction(names, line.equation.value)
                    self.known.functions[target.name] = function

    def _find_arrays(self) -> None:
        """Finds what the equations read, as it is called here."""
        targets = self.group.targets
        for name in dict.fromkeys(_names_read(self.group.steps)):
            if name in self.known.arrays or name in self.known.broken:
                continue
            full = self._found(name) if name not in targets else None
            array = None if full is None else self._array(full)
            if array is not None:
                self.known.arrays[name] = array
            elif full is not None:
                self.known.broken.add(name)
                if self.own.problems.found:  # of what it is made of
                    continue
                wrong = f"nothing tells how large {name} is before it is worked"
                right = "give what it is computed from, or say how large that is"
                self.problems.add(self.group.standing.where, wrong, right)
        for name in targets:
            here = below(self.path, name)
            given = self.own.scenario.gives(here)
            if given or here in self.own.around or here in self.own.known:
                array = self._array(here)
                self.known.arrays[name] = array or KnownArray(here)

    def _found(self, name: str) -> Name | None:
        """Returns the full name of what is called so at the place, or around it."""
        place, given = self.place, self.own.scenario.gives
        around, known = self.own.around, self.own.known
        if name == "x":
            return place.x or None
        path = self.path
        names = [place.latest(name), below(path, name)]
        while path:
            path = path.path
            names.append(below(path, name))
        found = (full for full in names if full in around or full in known or given(full))
        full = next(found, None)
        return place.find(name) if full is None and place.gives(name) else full

    def _array(self, full: Name) -> KnownArray | None:
        """Returns what is known of a quantity; None where its size isn't."""
        return self.own.known.get(full) or self.own.around.array(full)


def _names_read(steps: Sequence[WrittenStep]) -> Iterator[str]:
    """Yields the names in equations, those of indices, too."""
    for step in steps:
        starts = () if step.over is None else step.over.starts.values()
        yield from (start.array for start in starts if start.array)
        values = [line.equation.value for line in step.lines]
        values += [w.value for mistake in step.mistakes for w in mistake.instead.values()]
        for value in values:
            for part in walk(value):
                if isinstance(part, said.Cell | said.Reference):
                    yield part.name


class _Surroundings:
    """What a story has made so far, with the shapes and the names of its rows and columns."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.made: dict[Name, Definition] = {}
        self._axes: dict[Name, Labelled] = {}
        self._shapes: Mapping[str, Shape] = {}
        self._heard = -1

    def __contains__(self, name: Name) -> bool:
        return name in self.made

    def hear(self, parts: Sequence[PlannedStep]) -> None:
        """Takes in what the story has so far."""
        if len(parts) == self._heard:
            return
        self._heard = len(parts)
        shapes = shapes_of(self.scenario, parts, Diagnostics())
        self._shapes = {**shapes, **self.scenario.plan.shapes}
        for definition in (d for part in parts for d in part.definitions):
            self.made.setdefault(definition.name, definition)

    def shape(self, name: Name) -> Shape:
        """Returns the shape of a quantity, with None for what isn't known."""
        return self._shapes.get(name, (None, None))

    def array(self, name: Name) -> KnownArray | None:
        """Returns what equations know of a quantity; None where its size isn't known."""
        rows, columns = self.shape(name)
        if rows is None or columns is None:
            return None
        axes, definition = self._labelled(name), self.made.get(name)
        sides = _side(rows, axes.rows), _side(columns, axes.columns)
        if name in self.scenario.given.matrices or definition is None:
            return KnownArray(
                name, sides[1:] if self._is_list(name) else sides, (), self._is_list(name)
            )
        is_row, is_column = _is_single(definition.operation)
        if is_row:
            return KnownArray(name, () if is_column else sides[1:], (), not is_column)
        return KnownArray(name, sides[:1] if is_column else sides)

    def _is_list(self, name: Name) -> bool:
        return name in self.scenario.given.vectors

    def _labelled(self, name: Name) -> Labelled:
        """Returns a quantity's names along its rows and columns."""
        waiting = [name]
        while waiting:
            now = waiting[-1]
            definition = None if now in self.scenario.given.matrices else self.made.get(now)
            operands = () if definition is None else definition.operands
            before = [operand for operand in operands if operand not in self._axes]
            if before:
                waiting += before
                continue
            waiting.pop()
            rows, columns = self.shape(now)
            shape = rows or 0, columns or 0
            axes = (
                given_axes(now, self.scenario, shape)
                if definition is None
                else made_axes(definition, [self._axes[o] for o in operands], shape)
            )
            self._axes[now] = Labelled(*axes)
        return self._axes[name]


def _side(length: int, axis: Axis) -> ArraySide:
    named = axis.role not in (DIMENSIONS, NONE) and len(axis.names) == length
    return ArraySide(length, "", axis.names, axis.role) if named else ArraySide(length)


def _is_single(operation: Operation) -> tuple[bool, bool]:
    """Tells whether all that an operation makes has one row, and whether one column."""
    rows, columns = operation.sides.result
    return rows == "1", columns == "1"
