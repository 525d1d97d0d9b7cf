"""Plans in which order candidates are worked: each number is drawn just before it is needed.

So what is drawn late (W_V, which only the weighted sum needs) is drawn many times for a candidate
whose earlier numbers are good, rather than spoiling it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from attncli.classroom.forms.pools import Drawn, Pools, drawn_of
from attncli.maths.operations.attention import Linear, MatMulTransposed, ProductOfMatrices
from attncli.maths.operations.equation import is_a
from attncli.maths.operations.masking import Seen
from attncli.maths.operations.positions import Alibi, RotaryTable
from attncli.maths.operations.rearranging import TakeColumns
from attncli.maths.operations.relative_positions import Buckets
from attncli.names import Name
from attncli.trace import Definition, Trace

_SHAPE_ONLY = (Alibi, Buckets, RotaryTable, Seen)
"""Operations that go by the shapes of their operands, or by tables that stay."""


class Fresh(NamedTuple):
    """Matrices to draw numbers for: all of them, or only these columns."""

    drawn: Drawn
    columns: slice | None = None


class Stage(NamedTuple):
    """A stage of a plan: a quantity to make."""

    definition: Definition
    fresh: tuple[Fresh, ...] = ()
    """What is drawn before."""
    asked: bool = True
    """Whether the exercise asks for it."""
    factor: bool = False
    """Whether its rows are factors of a product that comes later."""


class Plan(NamedTuple):
    """A plan: what is drawn, and the stages in their order."""

    drawn: tuple[Drawn, ...]
    stages: tuple[Stage, ...]
    fixed: frozenset[str]
    """The names of the quantities that no number drawn has a part in."""


def plan_of(
    trace: Trace,
    asked: Collection[str],
    pools: Pools = MappingProxyType({}),
    *,
    narrow: bool = False,
) -> Plan:
    """Plans the stages that lead to the quantities asked for, by their full names, or to all that
    the trace makes without any.

    `pools` says for some matrices what they are drawn from; the weights of a `narrow` plan are
    small. Raises ValueError for names that the trace doesn't make.
    """
    made = {q.name: q.definition for q in trace.quantities.values() if q.definition is not None}
    unknown = [name for name in asked if name not in made]
    if unknown:
        raise ValueError(f"this scenario doesn't make {', '.join(unknown)}")
    wanted = [name for name in made if not asked or name in asked]
    used = {operand for name in wanted for operand in made[name].operands}
    order = tuple(_in_order([name for name in wanted if name not in used], made))
    used = {name for definition in order for name in definition.operands} - set(made)
    drawn = drawn_of(trace.scenario, used, pools, narrow=narrow)
    varied = {name for entry in drawn for name in entry.names}
    fixed = set(trace.quantities) - set(made) - varied
    for definition in order:
        if isinstance(definition.operation, _SHAPE_ONLY) or fixed.issuperset(definition.operands):
            fixed.add(definition.name)
    moving = [definition for definition in order if definition.name not in fixed]
    stages = tuple(_staged(moving, drawn, frozenset(wanted)))
    return Plan(drawn, stages, frozenset(fixed))


def _in_order(wanted: Sequence[Name], made: Mapping[Name, Definition]) -> Iterator[Definition]:
    """Yields definitions, each after those that it needs and as late as may be."""
    done: set[str] = set()
    waiting = list(reversed(wanted))
    while waiting:
        name = waiting[-1]
        before = [x for x in made[name].operands if x in made and x not in done]
        if name in done or not before:
            waiting.pop()
            if name not in done:
                done.add(name)
                yield made[name]
        else:
            waiting += reversed(before)


def _staged(
    definitions: Sequence[Definition], drawn: Sequence[Drawn], asked: frozenset[str]
) -> Iterator[Stage]:
    """Yields the stages; before a head takes its columns, those are drawn anew."""
    of_name = {name: entry for entry in drawn for name in entry.names}
    by_name = {definition.name: definition for definition in definitions}
    factors = {name for definition in definitions for name in _factors(definition)}
    there: set[str] = set()
    parts: set[tuple[str, int]] = set()
    for definition in definitions:
        again = _own_columns(definition, by_name, of_name, parts)
        if again is not None:
            source = by_name[definition.operands[0]]
            yield Stage(source, (again,), source.name in asked, source.name in factors)
        fresh = [of_name[name] for name in definition.operands if name in of_name]
        new = [entry for entry in dict.fromkeys(fresh) if there.isdisjoint(entry.names)]
        there.update(name for entry in new for name in entry.names)
        yield Stage(
            definition, tuple(map(Fresh, new)), definition.name in asked, definition.name in factors
        )


def _factors(definition: Definition) -> tuple[str, ...]:
    """Returns the operands whose rows are multiplied with something."""
    if not isinstance(definition.operation, ProductOfMatrices):
        return ()
    across = is_a(definition.operation, MatMulTransposed, Linear)
    return definition.operands[: 2 if across else 1]


def _own_columns(
    definition: Definition,
    by_name: Mapping[Name, Definition],
    of_name: Mapping[Name, Drawn],
    parts: set[tuple[str, int]],
) -> Fresh | None:
    """Returns the columns that only this head uses of a matrix that all heads share, if it is the
    first to take them, and None otherwise.

    The first head's own were drawn with the whole.
    """
    take = definition.operation
    if not isinstance(take, TakeColumns) or (definition.operands[0], take.part) in parts:
        return None
    parts.add((definition.operands[0], take.part))
    source = by_name.get(definition.operands[0])
    if source is None or not take.part or not isinstance(source.operation, ProductOfMatrices):
        return None
    weights = of_name.get(source.operands[1])
    if source.operation.right == "jk" or weights is None or len(weights.names) > 1:
        return None
    width = weights.shape[1] // take.of
    return Fresh(weights, slice(take.part * width, (take.part + 1) * width))
