"""A worked scenario: its quantities by name, how each was made, and replaying them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, partial
from graphlib import CycleError, TopologicalSorter
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias, overload

import numpy as np

from attncli.equations.matrix import Matrix
from attncli.errors import Problem
from attncli.file.problems import ScenarioError
from attncli.names import GRADIENTS, TOP, Name, below
from attncli.numbers.rounding import Rounding, Unworkable
from attncli.option_values import Policy
from attncli.scenario.model import pass_of, updates_before
from attncli.scenario.scenario import ALL_OURS, Scenario, Shape
from attncli.trace.axes import given_axes, made_axes
from attncli.trace.place import CellPlace, Place, UpdatePlace
from attncli.trace.quantity import AwaitedQuantity, Definition, Quantity

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from attncli.numbers.foreign_arrays import SupportsDLPack


@dataclass(frozen=True, eq=False)
class TokenList:
    """The tokens of a text, or their IDs, which aren't worked: `values` is a NumPy array [n] of
    texts or of whole numbers, one of which is `tokens[0]`."""

    name: Name
    values: NDArray[np.str_] | NDArray[np.int_]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: ANN401
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[str | int]:
        return iter(self.values.tolist())

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401
        return self.values[key]


def token_lists(scenario: Scenario) -> Mapping[str, TokenList]:
    """The tokens and their IDs, of an encoder too: `encoder.tokens`."""
    lists = (
        TokenList(below(stack.path, name), np.array(values))
        for stack in scenario.stacks
        for name, values in (("tokens", stack.text.tokens), ("ids", stack.text.ids))
        if values
    )
    return {t.name: t for t in lists}


_NOTHING: Mapping[str, Any] = MappingProxyType({})

AFTER_OUTPUT = frozenset(
    {"predict", "verify", "classify", "loss", "binary_loss", "mse"}
    | {"update", "progress", "online", "gradient"}
)
"""The steps that are taken with what comes out of a model, or beside it; so are all that lead
back."""

Numbers: TypeAlias = "ArrayLike | SupportsDLPack | Sequence[Sequence[Decimal]]"


class Unfinished(NamedTuple):
    """Where a trace ends: what would be made next, and what is missing for it."""

    definition: Definition
    missing: tuple[Name, ...]

    def __repr__(self) -> str:
        return f"<Unfinished: {self.definition.name} needs {', '.join(self.missing)}>"


class PlannedStep(NamedTuple):
    """One step at one place of the model, and what it makes there."""

    step: str
    place: Place
    definitions: tuple[Definition, ...]

    @property
    def path(self) -> Name:
        return self.place.path

    def only(self, names: Container[str]) -> PlannedStep:
        """The step with the definitions of some quantities."""
        kept = tuple([d for d in self.definitions if d.name in names])
        return self if len(kept) == len(self.definitions) else self._replace(definitions=kept)

    @property
    def updates(self) -> int:
        """After how many updates of the parameters it is taken."""
        return (
            self.place.after if isinstance(self.place, UpdatePlace) else updates_before(self.path)
        )

    @property
    def is_again(self) -> bool:
        """Whether it is taken after an update, or of another micro-batch than the first."""
        return bool(self.updates or pass_of(self.path))

    @property
    def time(self) -> int | None:
        """The time of a recurrent cell at which it is taken."""
        return self.place.time if isinstance(self.place, CellPlace) else None


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The quantities of a scenario, in the order in which they were made.

    `trace["weights"].values` is a NumPy array [n, n]; `trace["weights"].definition` says of what
    and how it was made; `trace["tokens"].values` and `trace["ids"].values` are arrays of what the
    text was cut into. `story` is every step at its place, in order; `unfinished` says what
    is missing for going on, if anything is, `unused` what was given or said and isn't used, by
    full names. `generated` are the traces of the tokens that were generated, `variants` those that
    the scenario is compared with.
    """

    scenario: Scenario
    quantities: Mapping[str, Quantity]
    story: tuple[PlannedStep, ...]
    unfinished: Unfinished | None = None
    generated: tuple[Trace, ...] = ()
    variants: Mapping[str, Trace] = field(default_factory=dict)
    unused: tuple[Name, ...] = ()

    @overload
    def __getitem__(self, name: Literal["tokens", "ids"]) -> TokenList: ...  # type: ignore[overload-overlap]

    @overload
    def __getitem__(self, name: str) -> Quantity: ...

    def __getitem__(self, name: str) -> Any:
        if name in self.quantities:
            return self.quantities[name]
        return token_lists(self.scenario)[name]

    def __contains__(self, name: object) -> bool:
        return name in self.quantities

    def __iter__(self) -> Iterator[str]:
        return iter(self.quantities)

    @cached_property
    def plan(self) -> tuple[Definition, ...]:
        """How everything is made, in order."""
        return tuple(definition for part in self.story for definition in part.definitions)

    @property
    def given(self) -> Iterator[Quantity]:
        """What no step makes; nothing else is worked for it."""
        made = {definition.name for definition in self.plan}
        return (self.quantities[name] for name in self.quantities if name not in made)

    @property
    def output(self) -> Quantity:
        """What comes out of the model: logits, whatever scale and cap come after them, or what the
        last layer makes, of several heads the last one's. Raises ValueError where nothing is made.
        """
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
        """The probabilities of the next token, after top-k and top-p; [1 or n, vocabulary]"""
        return self.next_token_in(TOP)

    def next_token_in(self, place: Name) -> Quantity | None:
        """The same where the model is worked again, in a pass that has this place."""
        for name in (Name("renormalized", Name("next")), Name("probabilities")):
            known = name.under(place) if place else name
            if known in self.quantities:
                return self.quantities[known]
        return None

    def likeliest(self) -> str | None:
        """The likeliest token to come after the last one, if there are probabilities."""
        probabilities = self.next_token
        if probabilities is None:
            return None
        return probabilities.columns.names[int(probabilities.values[-1].argmax())]

    @property
    def drawn(self) -> Quantity | None:
        """Which token a given number draws, 1 for it in each row; None where none is drawn."""
        return self.quantities.get(Name("drawn", Name("next")))

    def next_word(self) -> str | None:
        """The token that comes after the last one: that which is drawn, or else the likeliest."""
        if self.drawn is None:
            return self.likeliest()
        return self.drawn.columns.names[int(self.drawn.values[-1].argmax())]

    @property
    def further(self) -> Mapping[str, Trace]:
        """The traces beside it by what they are called: `token 2`, or of several beams
        `token 2, beam 1`."""
        prediction, found = self.scenario.prediction, dict(self.variants)
        for length, step in groupby(self.generated, lambda t: t.scenario.prediction.generate):
            token = f"token {prediction.generate - length + 1}"
            for k, trace in enumerate(step, start=1):
                found[f"{token}, beam {k}" if prediction.beams else token] = trace
        return found

    def part_of(self, name: str) -> PlannedStep | None:
        """The part of the story that makes a quantity."""
        return self._parts.get(name)

    @cached_property
    def _parts(self) -> Mapping[str, PlannedStep]:
        """The part that makes each quantity; asked for each line of working."""
        return {definition.name: part for part in self.story for definition in part.definitions}

    def operands(self, definition: Definition) -> tuple[Matrix, ...]:
        """The matrices that an operation works on, which know whose numbers they hold."""
        known = self._operands.get(definition.operands)
        if known is None:
            known = tuple(self.quantities[name].numbers for name in definition.operands)
            self._operands[definition.operands] = known
        return known

    @cached_property
    def _operands(self) -> dict[tuple[str, ...], tuple[Matrix, ...]]:
        """Operands that were asked for, as they are for each line of working."""
        return {}

    def replay(self, replaced: Mapping[str, Numbers]) -> Self:
        """The trace with some quantities' numbers replaced, and all that follows worked again
        under the same rounding.

        `replaced` gives new numbers [n, m] by name ([n] for a list such as `exp_sum`): numbers,
        Decimals or an array. They are kept as they are, and stay through later replays.
        Raises KeyError for a name that isn't in the trace, ValueError for another shape, and
        ScenarioError where what follows can't be worked.
        """
        new = {name: self._with_numbers(name, numbers) for name, numbers in replaced.items()}
        story = self._with_story(lambda definition: None if definition.name in new else definition)
        return self._again({**self.quantities, **new}, story, set(new))

    def under(self, policy: Policy, replaced: Mapping[str, Numbers] = _NOTHING) -> Self:
        """The trace worked again from its given numbers, and some replaced ones, under a rounding
        policy. Raises as `replay` does."""
        rounding = self.rounding.under(policy)
        return self.rerun(replace(self.scenario, rounding=rounding), replaced)

    def rerun(self, scenario: Scenario, replaced: Mapping[str, Numbers] = _NOTHING) -> Self:
        """The story of this trace, worked from the given numbers of a scenario that differs in
        these, or in how it rounds, and in nothing else; without variants and generated tokens.

        `replaced` and what it raises are those of `replay`.
        """
        new = {name: self._with_numbers(name, numbers) for name, numbers in replaced.items()}
        given: dict[str, Quantity] = {
            name: self[name].holding(matrix) for name, matrix in scenario.given.items()
        }
        story = self.story
        if new:
            story = self._with_story(
                lambda definition: None if definition.name in new else definition
            )
        alone = replace(self, scenario=scenario, generated=(), variants=_NOTHING)
        return alone._again({**self.quantities, **given, **new}, story, set(self.quantities))

    def remake(self, *made: Definition, to: Collection[str] | None = None) -> Self:
        """The trace with some quantities made in other ways, and all that follows worked again, or
        only what leads `to` some quantities.

        Raises KeyError for a quantity that isn't made or whose operands aren't there, ValueError
        where their shapes don't fit, or where something would be made of itself, ScenarioError
        where they can't be worked.
        """
        instead: dict[str, Definition] = {definition.name: definition for definition in made}
        for name in instead.keys() - {planned.name for planned in self.plan}:
            raise KeyError(f"{name} is not made in this trace")

        def otherwise(old: Definition) -> Definition:
            """The same step rounds it, whichever the mistake is of."""
            return instead[old.name]._replace(step=old.step) if old.name in instead else old

        whole = replace(self, story=self._with_story(otherwise))
        told = whole if to is None else whole.leading_to(to)
        return told._again(dict(self.quantities), whole.story, {*instead}, told.plan)

    def within(self, part: PlannedStep) -> Self:
        """The trace told only as far as one part makes it: changes end there, and what follows
        is left as it was worked."""
        return replace(self, story=(part,))

    def leading_to(self, names: Iterable[str], known: Collection[str] = ()) -> Self:
        """The trace told only as far as it leads to some quantities, from given and known ones."""
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
        """The story with each definition changed, or left out."""
        return tuple(
            part._replace(
                definitions=tuple(m for old in part.definitions if (m := change(old)) is not None)
            )
            for part in self.story
        )

    def _with_numbers(self, name: str, numbers: Numbers) -> Quantity:
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
        """The story told again for all that depends on what is changed, or for that of a plan."""
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
    """Definitions, each behind those of what it is made of; as they are where they stand so. Raises
    ValueError where something would be made of itself."""
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
        raise ValueError(f"{error.args[1][0]} would be made of itself") from None
    return [known[name] for name in order if name in known]


def make(
    scenario: Scenario,
    quantities: Mapping[str, Quantity],
    definition: Definition,
    old: Quantity | None = None,
) -> Quantity:
    """One quantity, made of others, or made again as the `old` one was. Raises ScenarioError
    where its numbers can't be worked."""
    operands = [quantities[name] for name in definition.operands]
    rounding = scenario.rounding
    if rounding.steps or rounding.quantities:  # else one for all
        rounding = rounding.of_quantity(definition.step, definition.name)
    try:
        matrices = [operand.matrix for operand in operands]
        matrix = definition.operation.make(rounding, definition.step, *matrices)
    except Unworkable as trouble:
        from attncli.trace.missing import cause_of, remedy_of

        rows = operands[0].rows
        row = f", row {rows.index(trouble.row)}" if trouble.row < len(rows.names) else ""
        cause = cause_of(scenario, quantities, definition, trouble)
        made_of = "" if cause == definition.blame else f", made of {cause}"
        wrong, right = (
            f"{definition.name}{row}: {trouble.what}{made_of}",
            f"{remedy_of(rounding, quantities, definition, trouble)} would do",
        )
        raise ScenarioError([Problem(scenario.where(cause), wrong, right)]) from None
    if old is not None and old.definition is definition and old.matrix.shape == matrix.shape:
        return Quantity(definition.name, matrix, old.rows, old.columns, definition)
    return Quantity(
        definition.name, matrix, *made_axes(definition, operands, matrix.shape), definition
    )


class Outline(NamedTuple):
    """The parts that a scenario gets through, and the shapes of all that is given or made."""

    scenario: Scenario
    parts: tuple[PlannedStep, ...]
    shapes: Mapping[str, Shape]


def outline_of(trace: Trace) -> Outline:
    """The outline of what was worked, or what will be: shapes that are planned work nothing."""
    planned, quantities = trace.scenario.shapes, trace.quantities
    shapes = {n: planned[n] if n in planned else quantities[n].matrix.shape for n in quantities}
    return outlined(trace.scenario, trace.story, shapes)


def outlined(
    scenario: Scenario, story: Iterable[PlannedStep], shapes: Mapping[str, Shape]
) -> Outline:
    """The outline of a story of which so much is known."""
    return Outline(scenario, tuple(_got_through(scenario, story, shapes)), shapes)


def parts_of(trace: Trace) -> Iterator[PlannedStep]:
    """The parts that a trace gets through, for which nothing is worked."""
    return _got_through(trace.scenario, trace.story, trace.quantities)


def _got_through(
    scenario: Scenario, story: Iterable[PlannedStep], known: Iterable[str]
) -> Iterator[PlannedStep]:
    made = {name for name in known if name not in scenario.given and name not in scenario.random}
    for part in story:
        tells_tokens = part.step == "tokenize" and part.place.text.tokens
        if tells_tokens or not made.isdisjoint(d.name for d in part.definitions):
            yield part


# --------------------------------------------------------------------------------------------------
# Quantities that are worked when somebody asks for them: of a large model only what leads to the
# cells that a page is about.


def given_quantity(scenario: Scenario, name: Name, matrix: Matrix) -> Quantity:
    """A matrix of a scenario, with the names of its rows and columns."""
    axes = given_axes(name, scenario, matrix.shape)
    return Quantity(name, matrix, *axes, origin=_origin(scenario, name))


def _origin(scenario: Scenario, name: Name) -> str:
    """Where the numbers come from of what no step makes."""
    for stack in scenario.stacks:
        tokenizing = stack.text.tokenizing
        if tokenizing is None:
            continue
        if name == below(stack.path, "word_counts") and not tokenizing.counts_given:
            return "counted"
        if name == below(stack.path, "log_p") and tokenizing.learned is not None:
            return "learned"
    if name in scenario.ours or scenario.ours == ALL_OURS:
        return "ours"
    return "partly ours" if any(text.startswith(f"{name}[") for text in scenario.ours) else "given"


class OnDemand(Mapping[str, Quantity]):
    """The given quantities of a scenario, and those that can be made of them, in the order of the
    story.

    Their definitions tell which these are, and how large, so that looking one up works nothing.
    Asking for its numbers works it, and before it what it is made of that isn't worked yet; it
    raises ScenarioError where the numbers can't be worked.
    """

    def __init__(
        self, scenario: Scenario, given: Mapping[str, Quantity], made: Iterable[Definition]
    ) -> None:
        self._scenario = scenario
        self._known = dict(given)
        self._worked: set[str] = set()
        self._definitions: dict[str, Definition] = {d.name: d for d in made}
        names = (*given, *(d.name for d in self._definitions.values()))
        self._order = {name: place for place, name in enumerate(names)}

    def __getitem__(self, name: str) -> Quantity:
        if name not in self._known:
            for text in self._before(name, self._known):
                self._known[text] = self._awaited(self._definitions[text])
        return self._known[name]

    def _awaited(self, definition: Definition) -> Quantity:
        """A quantity whose operands are known; it is worked where its shape isn't."""
        rows, columns = self._scenario.shapes.get(definition.name, (None, None))
        if rows is None or columns is None:
            made = make(self._scenario, self._known, definition)
            self._worked.add(definition.name)
            return made
        operands = [self._known[name] for name in definition.operands]
        axes = made_axes(definition, operands, (rows, columns))
        return AwaitedQuantity(definition, axes, (rows, columns), partial(self._work, definition))

    def _work(self, definition: Definition) -> Matrix:
        """The numbers of a quantity, those before it worked first, in order."""
        *before, _ = self._before(definition.name, self._worked)
        self._worked.update(before, [definition.name])
        for name in before:
            _ = self._known[name].matrix
        return make(self._scenario, self._known, definition).matrix

    def _before(self, name: str, done: Container[str]) -> list[str]:
        """A quantity, and all that it is made of that isn't done, in order. Raises KeyError for one
        that can't be made."""
        waiting = [self._definitions[name]]
        found: set[str] = {waiting[0].name}
        while waiting:
            for operand in waiting.pop().operands:
                if operand in self._definitions and operand not in done and operand not in found:
                    found.add(operand)
                    waiting.append(self._definitions[operand])
        return sorted(found, key=self._order.__getitem__)

    def __contains__(self, name: object) -> bool:
        return name in self._order

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)
