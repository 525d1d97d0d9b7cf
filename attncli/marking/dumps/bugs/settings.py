"""Bugs that are another setting of the same operation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from attncli.arithmetic.expression import Apply, Number, Root, numbers_in
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.activations import ACTIVATIONS, Activate, Add
from attncli.arithmetic.operations.base import Operation, Working
from attncli.arithmetic.operations.masking import Masked
from attncli.arithmetic.operations.moved import TakeColumns, TakeRows
from attncli.arithmetic.operations.norms import RootOf
from attncli.arithmetic.operations.positions import RotaryTable, Sinusoids
from attncli.arithmetic.operations.texts import equation
from attncli.arithmetic.rounding import Array
from attncli.marking.hypotheses import WrongWay
from attncli.trace import Definition, HeadPlace, PlannedStep, Trace

_EPSILONS = ("0", "1e-12", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3")
_BASES = ("100", "500", "1000", "10000", "100000", "500000", "1000000")
_SHIFTS = (-2, -1, 1, 2)
_ZERO = "The first position counts as {}."


class _Other(NamedTuple):
    """Another setting of an operation."""

    name: str
    says: str
    operation: Operation


def other_settings(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What the definitions of a part give with other settings; those of the cosines and of the
    sines of positions go together."""
    made = [one for one in part.definitions if one.name in trace]
    for definition in made:
        for other in _others(trace, definition):
            yield WrongWay(
                other.name, other.says, (definition._replace(operation=other.operation),)
            )
    yield from _tiled(made)
    yield from _restarted(part, made)
    for letter in ("Q", "K"):
        tables = [one for one in made if one.name.local in (f"{letter}_cosine", f"{letter}_sine")]
        yield from _turned_otherwise(tables)


def _others(trace: Trace, definition: Definition) -> Iterator[_Other]:
    match definition.operation:
        case RootOf() as root:
            yield from _epsilons(root)
        case Activate(shown=Apply(kind)):
            for other in (one for one in ACTIVATIONS if one != kind):
                says = f"It is {other} instead of {kind}."
                yield _Other("other_activation", says, Activate(other))
        case Masked() as masked:
            yield _Other("mask_inverted", _INVERTED, _inverted(masked))
        case TakeColumns() as columns if definition.name.local in ("K", "V"):
            yield from _other_groups(columns)
        case _:
            yield from _others_of_inputs(trace, definition)


def _others_of_inputs(trace: Trace, definition: Definition) -> Iterator[_Other]:
    """Of positions, and of embeddings that they are added to."""
    match definition.operation:
        case Add() if definition.operands[0].local == "E":
            width = trace[definition.name].matrix.shape[1]
            yield _Other("embeddings_scaled", _SCALED, _scaled_first(width))
        case Sinusoids() as waves:
            yield from _waves(waves)
        case TakeRows() as rows if definition.step == "positions":
            yield from _shifted(trace, definition, rows)


def _scaled_first(width: int) -> Operation:
    """The first of two operands times the root of its width, and the second."""
    return equation("x[i, j] * sqrt(width) + y[i, j]", x="n m", y="n m")(width)


_SCALED = "The embeddings are multiplied by √d_model, which the scenario doesn't say."


def _other_groups(columns: TakeColumns) -> Iterator[_Other]:
    for other in (one for one in range(columns.of) if one != columns.part):
        says = _OTHER_KV.format(other + 1, columns.part + 1)
        yield _Other("other_kv_head", says, TakeColumns(other, columns.of))


def _tiled(made: list[Definition]) -> Iterator[WrongWay]:
    """All groups of keys and values repeated as a whole: head h has group h mod g."""
    changed: list[Definition] = []
    for local in ("K", "V"):
        each = [one for one in made if one.name.local == local]
        for head, one in enumerate(each):
            if isinstance(one.operation, TakeColumns) and one.operation.of < len(each):
                of = one.operation.of
                changed.append(one._replace(operation=TakeColumns(head % of, of)))
    if changed:
        yield WrongWay("other_kv_head", _TILED, tuple(changed))


_TILED = (
    "The groups of keys and values are repeated as a whole (repeat) where each of their heads is to"
    " be repeated by itself (repeat_interleave)."
)
_INVERTED = "The mask is the other way round: what should be seen is hidden."
_OTHER_KV = "The head takes the keys or values of group {} instead of {}, as repeat gives it."


def _epsilons(root: RootOf) -> Iterator[_Other]:
    own = next((one.full for one in numbers_in(root.tree)), Decimal(0))
    inside = isinstance(root.tree, Root)
    if not own:
        inside = True
    for epsilon in map(Decimal, _EPSILONS):
        if epsilon != own:
            says = f"ε is {epsilon.normalize():g} instead of {own.normalize():g}."
            yield _Other("other_epsilon", says, RootOf(Number.written(epsilon), inside))


def _inverted(masked: Masked) -> Operation:
    hidden = numbers_in(masked.tree)
    return equation("value if seen[i, j] else x[i, j]", x="n m", seen="n m")(*hidden)


def _waves(waves: Sinusoids) -> Iterator[_Other]:
    for start in (waves.start + shift for shift in _SHIFTS):
        if start >= 0:
            yield _Other("position_offset", _ZERO.format(start), replace(waves, start=start))
    for base in map(Decimal, _BASES):
        if base != waves.base.full:
            says = f"The base of the waves is {base} instead of {waves.base.full}."
            yield _Other("other_base", says, replace(waves, base=Number.written(base)))


def _shifted(trace: Trace, definition: Definition, rows: TakeRows) -> Iterator[_Other]:
    height = trace[definition.operands[0]].matrix.shape[0]
    for shift in _SHIFTS:
        indices = tuple(k + shift for k in rows.indices)
        if min(indices) >= 0 and max(indices) < height:
            taken = TakeRows(indices, tuple(map(str, indices)), rows.by)
            yield _Other("position_offset", _ZERO.format(indices[0]), taken)


@dataclass(frozen=True)
class Restarted(RotaryTable):
    """A table of which the rows behind those of a cache count from 0 again."""

    cached: int = 0

    def _row(self, i: int) -> int:
        return i - self.cached if i >= self.cached else i

    def values(self, *operands: Matrix) -> Array:
        table = super().values(*operands)
        return table[[self._row(i) for i in range(len(table))]]

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return super().cell(self._row(i), j, *operands)


def _restarted(part: PlannedStep, made: list[Definition]) -> Iterator[WrongWay]:
    """Positions behind a cache that count from 0 again, of queries and of keys."""
    place = part.place
    cached = len(place.attention.cached or ()) if isinstance(place, HeadPlace) else 0
    changed: list[Definition] = []
    for one in made:
        operation = one.operation
        if isinstance(operation, RotaryTable):
            behind = cached if one.name.local.startswith("K") else 0
            fields = (operation.function, operation.dimensions, operation.base)
            changed.append(one._replace(operation=Restarted(*fields, 0, behind)))
    if cached and changed:
        yield WrongWay("position_offset", _RESTARTED, tuple(changed))


_RESTARTED = "Behind the cache positions count from 0 again."


def _turned_otherwise(tables: list[Definition]) -> Iterator[WrongWay]:
    """Rotary positions that begin elsewhere, 0 after a cache too, or have another base."""
    known = [one.operation for one in tables if isinstance(one.operation, RotaryTable)]
    if not known:
        return
    start, base = known[0].start, known[0].base
    for other in dict.fromkeys((0, *(start + shift for shift in _SHIFTS))):
        if other >= 0 and other != start:
            changed = [replace(one, start=other) for one in known]
            yield _with(tables, changed, "position_offset", _ZERO.format(other))
    for number in map(Decimal, _BASES):
        if number != base.full:
            changed = [replace(one, base=Number.written(number)) for one in known]
            says = f"The base of the angles is {number} instead of {base.full}."
            yield _with(tables, changed, "other_base", says)


def _with(
    tables: list[Definition], operations: list[RotaryTable], name: str, says: str
) -> WrongWay:
    pairs = zip(tables, operations, strict=True)
    return WrongWay(name, says, tuple(one._replace(operation=other) for one, other in pairs))
