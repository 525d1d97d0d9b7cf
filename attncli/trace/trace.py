"""A worked scenario: its quantities by name, how each was made, and replaying them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Never, Self, TypeAlias, overload

import numpy as np

from attncli.errors import Problem
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.rounding import AnyArray, Rounding, Unworkable
from attncli.names import GRADIENTS, TOP, Name, below
from attncli.option_values import Policy
from attncli.scenario.file.problems import ScenarioError
from attncli.scenario.model import pass_of, updates_before
from attncli.scenario.scenario import Scenario, Shape
from attncli.trace.axes import made_axes
from attncli.trace.place import CellPlace, Place, UpdatePlace
from attncli.trace.quantity import Definition, Quantity

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from attncli.maths.numbers.foreign_arrays import SupportsDLPack


@dataclass(frozen=True, eq=False)
class TokenList:
    """The tokens of a text, or their IDs, which no step works."""

    name: Name
    values: NDArray[np.str_] | NDArray[np.int_]
    """A NumPy array [n] of texts or of whole numbers, of which `tokens[0]` is one."""

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> AnyArray:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[str | int]:
        return iter(self.values.tolist())

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401
        return self.values[key]


def token_lists(scenario: Scenario) -> Mapping[str, TokenList]:
    """Returns the tokens and the IDs of each stack by their full names, such as
    `encoder.tokens`."""
    lists = (
        TokenList(below(stack.path, name), np.array(values))
        for stack in scenario.stacks
        for name, values in (("tokens", stack.text.tokens), ("ids", stack.text.ids))
        if values
    )
    return {t.name: t for t in lists}


_NOTHING: Mapping[str, Never] = MappingProxyType({})

AFTER_OUTPUT = frozenset(
    {"predict", "verify", "classify", "loss", "binary_loss", "mse"}
    | {"update", "progress", "online", "gradient"}
)
"""The steps after a model's output or beside it. So are all steps of the backward pass."""

NumbersLike: TypeAlias = "ArrayLike | SupportsDLPack | Sequence[Sequence[Decimal]]"
"""Numbers that a Python program passes, which a matrix can be made of."""


class Unfinished(NamedTuple):
    """The point at which a trace ends: what would be made next, and what is missing for it."""

    definition: Definition
    missing: tuple[Name, ...]

    def __repr__(self) -> str:
        return f"<Unfinished: {self.definition.name} needs {', '.join(self.missing)}>"


class PlannedStep(NamedTuple):
    """A step at one place of the model, and what it makes there."""

    step: str
    place: Place
    definitions: tuple[Definition, ...]

    @property
    def path(self) -> Name:
        return self.place.path

    @property
    def kind(self) -> tuple[str, str]:
        """Returns its name, and that which a scenario gives a step of its own."""
        return self.step, self.place.called

    @property
    def called(self) -> str:
        """Returns what one asks for it by: the name that a scenario gives a step of its own, or
        else the step's."""
        return self.place.called or self.step

    def is_named(self, names: Container[str]) -> bool:
        """Tells whether some names of steps name it."""
        return self.step in names or (bool(self.place.called) and self.place.called in names)

    def only(self, names: Container[str]) -> PlannedStep:
        """Returns the step with only the definitions of some quantities."""
        kept = tuple([d for d in self.definitions if d.name in names])
        return self if len(kept) == len(self.definitions) else self._replace(definitions=kept)

    @property
    def updates(self) -> int:
        """Returns after how many updates of the parameters the step is taken."""
        return (
            self.place.after if isinstance(self.place, UpdatePlace) else updates_before(self.path)
        )

    @property
    def is_again(self) -> bool:
        """Tells whether the step repeats an earlier one: after an update, or for a later
        micro-batch."""
        return bool(self.updates or pass_of(self.path))

    @property
    def time(self) -> int | None:
        """Returns the time step of a recurrent cell at which it is taken, or None."""
        return self.place.time if isinstance(self.place, CellPlace) else None


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """A worked scenario: its quantities by full name, in the order in which they were made.

    `trace["weights"].values` is a NumPy array [n, n], and `trace["weights"].definition` says how
    and of what it was made. `trace["tokens"].values` and `trace["ids"].values` are the tokens of
    the text and their IDs.
    """

    scenario: Scenario
    quantities: Mapping[str, Quantity]
    story: tuple[PlannedStep, ...]
    """Every step at its place, in order."""
    unfinished: Unfinished | None = None
    """What is missing for going on, if anything is."""
    generated: tuple[Trace, ...] = ()
    """The traces of the passes over the tokens that were generated."""
    variants: Mapping[str, Trace] = field(default_factory=dict)
    """The traces that the scenario is compared with, by name."""
    unused: tuple[Name, ...] = ()
    """The full names of what was given or stated and isn't used."""

    @overload
    def __getitem__(self, name: Literal["tokens", "ids"]) -> TokenList: ...  # type: ignore[overload-overlap]

    @overload
    def __getitem__(self, name: str) -> Quantity: ...

    def __getitem__(self, name: str) -> Quantity | TokenList:
        if name in self.quantities:
            return self.quantities[name]
        return token_lists(self.scenario)[name]

    def __contains__(self, name: object) -> bool:
        return name in self.quantities

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.quantities if name not in self.untold)

    @cached_property
    def untold(self) -> frozenset[str]:
        """Returns the names of what no page tells, since everybody knows it: places along a
        side."""
        return frozenset(d.name for d in self.plan if d.operation.untold and d.name in self)

    @cached_property
    def plan(self) -> tuple[Definition, ...]:
        """Returns the definitions of everything that is made, in order."""
        return tuple(definition for part in self.story for definition in part.definitions)

    @property
    def given(self) -> Iterator[Quantity]:
        """Yields the quantities that no step makes, without working any other."""
        made = {definition.name for definition in self.plan}
        return (self.quantities[name] for name in self.quantities if name not in made)

    @property
    def output(self) -> Quantity:
        """Returns the output of the model: logits after any scale and cap, or else what the last
        layer makes; of several heads it is the last one's. Raises ValueError where nothing is
        made."""
        for part in reversed(self.story):
            if part.is_again or part.step in AFTER_OUTPUT:
                continue
            for made in reversed(part.definitions):
                if made.name in self.quantities and made.name.places[0] != GRADIENTS:
                    return self[made.name]
        raise ValueError("nothing is made here, so that nothing comes out")

    @property
    def rounding(self) -> Rounding:
        return self.scenario.rounding

    @property
    def next_token(self) -> Quantity | None:
        """Returns the probabilities of the next token, after top-k and top-p, [1 or n, vocabulary];
        None where there are none."""
        return self.next_token_in(TOP)

    def next_token_in(self, place: Name) -> Quantity | None:
        """Returns the probabilities of the next token in the pass under a place, or None."""
        for name in (Name("renormalized", Name("next")), Name("probabilities")):
            known = name.under(place) if place else name
            if known in self.quantities:
                return self.quantities[known]
        return None

    def likeliest(self) -> str | None:
        """Returns the most likely token to come after the last one, or None without
        probabilities."""
        probabilities = self.next_token
        if probabilities is None:
            return None
        return probabilities.columns.names[int(probabilities.values[-1].argmax())]

    @property
    def drawn(self) -> Quantity | None:
        """Returns which token a given number draws, as a 1 in each row; None where none is
        drawn."""
        return self.quantities.get(Name("drawn", Name("next")))

    def next_word(self) -> str | None:
        """Returns the token that comes after the last one: the one that is drawn, or else the most
        likely."""
        if self.drawn is None:
            return self.likeliest()
        return self.drawn.columns.names[int(self.drawn.values[-1].argmax())]

    @property
    def further(self) -> Mapping[str, Trace]:
        """Returns the traces beside this one by what they are called: variants by their names,
        generated ones as `token 2`, or `token 2, beam 1` where there are several beams."""
        generation, found = self.scenario.prediction.generation, dict(self.variants)
        left = groupby(self.generated, lambda t: t.scenario.prediction.generation.length)
        for length, step in left:
            token = f"token {generation.length - length + 1}"
            for k, trace in enumerate(step, start=1):
                found[f"{token}, beam {k}" if generation.beams else token] = trace
        return found

    def part_of(self, name: str) -> PlannedStep | None:
        """Returns the planned step that makes a quantity, or None."""
        return self._parts.get(name)

    @cached_property
    def _parts(self) -> Mapping[str, PlannedStep]:
        """Indexes the story by quantity, as each line of working looks its step up."""
        return {definition.name: part for part in self.story for definition in part.definitions}

    def operands(self, definition: Definition) -> tuple[Matrix, ...]:
        """Returns the matrices that an operation works on, whose numbers carry their names."""
        known = self._operands.get(definition.operands)
        if known is None:
            known = tuple(self.quantities[name].numbers for name in definition.operands)
            self._operands[definition.operands] = known
        return known

    @cached_property
    def _operands(self) -> dict[tuple[str, ...], tuple[Matrix, ...]]:
        """Keeps the operands that were looked up, since each line of working asks for them."""
        return {}

    def replay(self, replaced: Mapping[str, NumbersLike]) -> Self:
        """Replaces some quantities' numbers and works all that follows again, under the same
        rounding.

        `replaced` gives new numbers [n, m] by name ([n] for a list such as `exp_sum`): numbers,
        Decimals or an array. They are kept as they are, and stay through later replays. Raises
        KeyError for a name that isn't in the trace, ValueError for another shape, and ScenarioError
        where what follows can't be worked.
        """
        new = {name: self._with_numbers(name, numbers) for name, numbers in replaced.items()}
        story = self._with_story(lambda definition: None if definition.name in new else definition)
        return self._again({**self.quantities, **new}, story, set(new))

    def under(self, policy: Policy, replaced: Mapping[str, NumbersLike] = _NOTHING) -> Self:
        """Works the trace again under a rounding policy, from its given numbers and some replaced
        ones. Raises as `replay` does."""
        rounding = self.rounding.under(policy)
        return self.rerun(replace(self.scenario, rounding=rounding), replaced)

    def rerun(self, scenario: Scenario, replaced: Mapping[str, NumbersLike] = _NOTHING) -> Self:
        """Works the story of this trace again from the given numbers of another scenario, which may
        differ in these and in how it rounds, and in nothing else. Variants and generated tokens are
        left out.

        `replaced` is as in `replay`, which also says what is raised.
        """
        new = {name: self._with_numbers(name, numbers) for name, numbers in replaced.items()}
        given: dict[str, Quantity] = {
            name: self[name].holding(matrix) for name, matrix in scenario.given.matrices.items()
        }
        story = self.story
        if new:
            story = self._with_story(
                lambda definition: None if definition.name in new else definition
            )
        alone = replace(self, scenario=scenario, generated=(), variants=_NOTHING)
        return alone._again({**self.quantities, **given, **new}, story, set(self.quantities))

    def remake(self, *made: Definition, to: Collection[str] | None = None) -> Self:
        """Makes some quantities in other ways and works again all that follows, or only what leads
        `to` some quantities.

        Raises KeyError for a quantity that isn't made or whose operands aren't there, ValueError
        where shapes don't fit or something would be made of itself, and ScenarioError where numbers
        can't be worked.
        """
        instead: dict[str, Definition] = {definition.name: definition for definition in made}
        for name in instead.keys() - {planned.name for planned in self.plan}:
            raise KeyError(f"{name} is not made in this trace")

        def otherwise(old: Definition) -> Definition:
            """Returns the other definition of a quantity, if there is one, rounded by the old one's
            step."""
            return instead[old.name]._replace(step=old.step) if old.name in instead else old

        whole = replace(self, story=self._with_story(otherwise))
        told = whole if to is None else whole.leading_to(to)
        return told._again(dict(self.quantities), whole.story, {*instead}, told.plan)

    def within(self, part: PlannedStep) -> Self:
        """Returns the trace with the story of one step alone: changes end there, and what follows
        stays as it was worked."""
        return replace(self, story=(part,))

    def leading_to(self, names: Iterable[str], known: Collection[str] = ()) -> Self:
        """Returns the trace with only the part of its story that leads to some quantities, starting
        from given and known ones."""
        wanted = set(names)
        for definition in reversed(_in_order(self.plan)):
            if definition.name in wanted and definition.name not in known:
                wanted.update(definition.operands)
        if all(definition.name in wanted for definition in self.plan):
            return self
        return replace(self, story=self._with_story(lambda d: d if d.name in wanted else None))

    def _with_story(
        self, change: Callable[[Definition], Definition | None]
    ) -> tuple[PlannedStep, ...]:
        """Returns the story with each definition changed, or left out where `change` returns
        None."""
        return tuple(
            part._replace(
                definitions=tuple(m for old in part.definitions if (m := change(old)) is not None)
            )
            for part in self.story
        )

    def _with_numbers(self, name: str, numbers: NumbersLike) -> Quantity:
        if name not in self.quantities:
            raise KeyError(f"this trace has no {name}; it has {', '.join(self.quantities)}")
        quantity = self.quantities[name]
        array = np.array(numbers, dtype=object)
        if quantity.is_list and array.ndim == 1:
            array = array[:, np.newaxis]
        if array.shape != quantity.shape:
            raise ValueError(f"{name} has the shape {quantity.shape}, not {array.shape}")
        written = [[Decimal(str(number)) for number in row] for row in array.tolist()]
        own = quantity.name, Matrix.of_written(written), quantity.rows, quantity.columns
        return Quantity(*own, origin=quantity.origin)

    def _again(
        self,
        quantities: dict[str, Quantity],
        story: tuple[PlannedStep, ...],
        changed: set[str],
        plan: Sequence[Definition] | None = None,
    ) -> Self:
        """Works again all of the story, or of a plan, that depends on the changed quantities."""
        told = plan if plan is not None else [d for part in story for d in part.definitions]
        for definition in _in_order(told):
            stale = definition.name in changed or not changed.isdisjoint(definition.operands)
            if definition.name in quantities and stale:
                old = quantities[definition.name]
                quantities[definition.name] = make(self.scenario, quantities, definition, old)
                changed.add(definition.name)
        return replace(self, quantities=quantities, story=story)

    def __repr__(self) -> str:
        return f"<Trace of {self.scenario.title!r}: {', '.join(self.quantities)}>"


def _in_order(plan: Sequence[Definition]) -> Sequence[Definition]:
    """Sorts definitions so that each comes after those of its operands; a plan that is in order is
    returned as it is. Raises ValueError where something would be made of itself."""
    later: set[str] = {definition.name for definition in plan}
    for definition in plan:
        if not later.isdisjoint(definition.operands):
            break
        later.discard(definition.name)
    else:
        return plan
    known: dict[str, Definition] = {definition.name: definition for definition in plan}
    graph: dict[str, Sequence[str]] = {name: d.operands for name, d in known.items()}
    try:
        order = [*TopologicalSorter(graph).static_order()]
    except CycleError as error:
        raise ValueError(f"{error.args[1][0]} would be computed from itself") from None
    return [known[name] for name in order if name in known]


def make(
    scenario: Scenario,
    quantities: Mapping[str, Quantity],
    definition: Definition,
    old: Quantity | None = None,
) -> Quantity:
    """Makes one quantity of others, or makes it again with the axes of the `old` one. Raises
    ScenarioError where its numbers can't be worked."""
    operands = [quantities[name] for name in definition.operands]
    rounding = scenario.rounding
    if rounding.steps or rounding.quantities:  # else one for all
        rounding = rounding.of_quantity(definition.step, definition.name)
    try:
        matrices = [operand.matrix for operand in operands]
        matrix = definition.operation.make(rounding, definition.step, *matrices)
    except Unworkable as trouble:
        from attncli.trace.missing import cause_of, remedy_of

        failing = _failing(definition, operands, trouble)
        cause = cause_of(scenario, quantities, definition, trouble)
        made_of = "" if cause == definition.blame else f", computed from {cause}"
        wrong, right = (
            f"{failing}: {trouble.what}{made_of}",
            f"{remedy_of(rounding, quantities, definition, trouble)} would do",
        )
        where = definition.where or scenario.where(cause)
        raise ScenarioError([Problem(where, wrong, right)]) from None
    if old is not None and old.definition is definition and old.matrix.shape == matrix.shape:
        return Quantity(definition.name, matrix, old.rows, old.columns, definition)
    return Quantity(
        definition.name, matrix, *made_axes(definition, operands, matrix.shape), definition
    )


def _failing(definition: Definition, operands: Sequence[Quantity], trouble: Unworkable) -> str:
    """Names the quantity that can't be made, and the row or the cell of it where that is:
    `weights, row love`, `z[love, 2]`."""
    rows, columns = definition.rows, definition.columns
    of = operands[0].rows if operands else None
    of = None if of is None or trouble.row >= len(of.names) else of
    if definition.towards is not None:
        row, column = rows or of, trouble.column
        at = columns.index(column) if columns and column is not None else ""
        return definition.towards.cell(row.index(trouble.row) if row else "", at)
    if trouble.column is not None:
        places = [*([rows.index(trouble.row)] if rows else [])]
        places += [columns.index(trouble.column)] if columns else []
        return f"{definition.name}[{', '.join(places)}]" if places else definition.name
    row_name = f", row {of.index(trouble.row)}" if of and of.names[trouble.row] else ""
    return f"{definition.name}{row_name}"


class Outline(NamedTuple):
    """The planned steps that a scenario gets through, and the shapes of all that is given or
    made."""

    scenario: Scenario
    parts: tuple[PlannedStep, ...]
    shapes: Mapping[str, Shape]


def outline_of(trace: Trace) -> Outline:
    """Outlines a trace, worked or still to be worked. It works only quantities whose shapes weren't
    planned."""
    planned, quantities = trace.scenario.plan.shapes, trace.quantities
    shapes = {n: planned[n] if n in planned else quantities[n].matrix.shape for n in quantities}
    return outlined(trace.scenario, trace.story, shapes)


def outlined(
    scenario: Scenario, story: Iterable[PlannedStep], shapes: Mapping[str, Shape]
) -> Outline:
    """Outlines a story, of which the quantities with known shapes are made."""
    return Outline(scenario, tuple(_got_through(scenario, story, shapes)), shapes)


def parts_of(trace: Trace) -> Iterator[PlannedStep]:
    """Yields the planned steps that a trace gets through, without working anything."""
    return _got_through(trace.scenario, trace.story, trace.quantities)


def _got_through(
    scenario: Scenario, story: Iterable[PlannedStep], known: Iterable[str]
) -> Iterator[PlannedStep]:
    made = {*known}.difference(scenario.given.names)
    for part in story:
        tells_tokens = part.step == "tokenize" and part.place.text.tokens
        if tells_tokens or not made.isdisjoint(d.name for d in part.definitions):
            yield part
