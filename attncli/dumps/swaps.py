"""Bugs that nobody wrote down: a trace with another setting, and equations whose parts change
places: in the order of two operations, in an operand, in the positions of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from attncli.equations.matrix import Matrix
from attncli.equations.tree import Equation, Symbol, Transposed, define
from attncli.marking.causes import WrongWay
from attncli.names import Name
from attncli.numbers.rounding import Array
from attncli.operations.operation import Operation, Working
from attncli.operations.positions import RotaryTable, TurnsTable
from attncli.operations.rearranging import Moved, Numbers
from attncli.steps.configurations import other_configurations
from attncli.trace import Definition, HeadPlace, LayerPlace, NormPlace, PlannedStep, Trace


def of_another_configuration(trace: Trace, place: LayerPlace) -> Iterator[WrongWay]:
    """What a layer makes with one of its settings left out, or with another value."""
    for setting, says, is_left_out, definitions in other_configurations(trace, place):
        name = setting.replace(".", "_")
        name = f"{name}_left_out" if is_left_out else f"other_{name}"
        yield WrongWay(name, says, definitions)


def exchanged(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What two operations make in the other order."""
    if isinstance(part.place, NormPlace):
        return
    for after in part.definitions:
        for k, operand in enumerate(after.operands):
            before = trace[operand].definition if operand in trace else None
            if before is None or not before.operands or before.operation.takes_only_sizes:
                continue
            source = before.operands[0]
            shapes = {_shape(trace, x) for x in (source, operand, after.name)}
            if len(shapes) > 1 or (after.step == before.step and before.step != "ffn"):
                continue
            early = Name(f"{after.name.local}_first", after.name.path)
            first = after._replace(name=early, operands=_with(after.operands, k, source))
            last = before._replace(name=after.name, operands=_with(before.operands, 0, early))
            what, other = after.name.local, before.name.local
            says = f"What makes {what} comes before what makes {other}."
            yield WrongWay(f"{what}_before_{other}", says, (last, first))


def transposed(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What is made of a square table that is transposed."""
    for definition in part.definitions:
        for k, operand in enumerate(definition.operands):
            rows, columns = _shape(trace, operand) or (0, 1)
            if rows != columns or trace[operand].given or definition.operation.takes_only_sizes:
                continue
            turned = Name(f"{operand.local}_turned", operand.path)
            first = definition._replace(name=turned, operation=Turned(), operands=(operand,))
            last = definition._replace(operands=_with(definition.operands, k, turned))
            says = f"{operand.local} is transposed, rows and columns exchanged."
            yield WrongWay(f"{operand.local}_transposed", says, (last, first))


def taken_twice(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What a step makes that is taken a second time, of its own result."""
    made = [d for d in part.definitions if d.name in trace]
    if not made or not made[0].operands:
        return
    source, last = made[0].operands[0], made[-1].name
    if _shape(trace, source) != _shape(trace, last) or isinstance(part.place, NormPlace):
        return
    names = {d.name: Name(f"{d.name.local}_once", d.name.path) for d in made}
    once = tuple(
        d._replace(name=names[d.name], operands=tuple(names.get(x, x) for x in d.operands))
        for d in made
    )
    again = tuple(
        d._replace(operands=tuple(names[last] if x == source else x for x in d.operands))
        for d in made
    )
    yield WrongWay(f"{part.step}_twice", f"The step {part.step} is taken twice.", (*again, *once))


def of_values_too(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """The output of a head whose values are turned, or normalized, as its keys are."""
    place = part.place
    if part.step != "weighted_sum" or not isinstance(place, HeadPlace):
        return
    for definition in part.definitions:
        values = definition.operands[-1]
        chain = [*_chain_of_keys(trace, place)]
        if not chain or _shape(trace, values) != _shape(trace, chain[0].operands[0]):
            continue
        latest, made = values, []
        for step in chain:
            name = Name(f"{step.name.local}_of_V", step.name.path)
            made.append(step._replace(name=name, operands=_with(step.operands, 0, latest)))
            latest = name
        says = "What is done to the keys by their positions is done to the values, too."
        operands = _with(definition.operands, len(definition.operands) - 1, latest)
        yield WrongWay("values_rotated", says, (definition._replace(operands=operands), *made))


def _chain_of_keys(trace: Trace, place: HeadPlace) -> Iterator[Definition]:
    """How keys are turned in a head, if they are."""
    rotated = place.name("rotated_K")
    for name in (rotated, Name(rotated.local, place.attention.path)):
        definition = trace[name].definition if name in trace else None
        if definition is not None:
            yield definition
            return


@dataclass(frozen=True)
class Turned(Moved):
    """A table whose rows are the columns of another. [n, m] -> [m, n]"""

    shapes = "n m -> m n"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Transposed(Symbol(operands[0])))

    def arranged(self, *arrays: Numbers) -> Numbers:
        return np.asarray(np.swapaxes(arrays[0], 0, 1))


@dataclass(frozen=True)
class Placed(Operation):
    """A table of angles whose rows stand at other positions; `positions` holds one for each."""

    table: RotaryTable | TurnsTable
    positions: tuple[int, ...]

    def signature(self) -> str:
        return self.table.signature()

    def formula(self, name: str, *operands: str) -> Equation:
        return self.table.formula(name, *operands)

    def values(self, *operands: Matrix) -> Array:
        starts = [
            k for k, p in enumerate(self.positions) if not k or p != self.positions[k - 1] + 1
        ]
        ends = [*starts[1:], len(self.positions)]
        runs = (
            replace(self.table, start=self.positions[a]).values(*operands)[: b - a]
            for a, b in zip(starts, ends, strict=True)
        )
        return np.concatenate([*runs])

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return replace(self.table, start=self.positions[i]).cell(0, j, *operands)


def placed_otherwise(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Rows turned by other positions: behind a cache as if it were shorter or longer, of queries
    and of keys or of one of them; or each row by the number of its head."""
    place = part.place
    if not isinstance(place, HeadPlace):
        return
    tables = [d for d in part.definitions if isinstance(d.operation, RotaryTable | TurnsTable)]
    cached = len(place.attention.cached or ())
    for begin in dict.fromkeys((0, cached - 1, cached + 1, 2 * cached)) if cached else ():
        says = (
            "Behind the cache positions count from 0 again."
            if not begin
            else f"Behind the cache positions count from {begin} instead of {cached}."
        )
        for letters in ("QK", "K", "Q"):
            some = [d for d in tables if d.name.local[0] in letters]
            changed = [_behind(trace, d, cached, begin) for d in some]
            if changed:
                yield WrongWay("position_offset", says, tuple(changed))
    if place.attention.heads > 1 and tables:
        changed = [_at(d, (place.head,) * _height(trace, d)) for d in tables]
        says = "The rotation goes along the heads, and not along the tokens."
        yield WrongWay("rotated_along_heads", says, tuple(changed))


def _behind(trace: Trace, table: Definition, cached: int, begin: int) -> Definition:
    operation, height = table.operation, _height(trace, table)
    assert isinstance(operation, RotaryTable | TurnsTable)
    usual = range(operation.start, operation.start + height)
    return _at(table, tuple(p - cached + begin if p >= cached else p for p in usual))


def _at(table: Definition, positions: tuple[int, ...]) -> Definition:
    assert isinstance(table.operation, RotaryTable | TurnsTable)
    return table._replace(operation=Placed(table.operation, positions))


def _height(trace: Trace, table: Definition) -> int:
    return trace[table.name].matrix.shape[0]


def _with(operands: tuple[Name, ...], k: int, other: Name) -> tuple[Name, ...]:
    """Operands with another one in one place."""
    return (*operands[:k], other, *operands[k + 1 :])


def _shape(trace: Trace, name: Name) -> tuple[int, int] | None:
    return trace[name].matrix.shape if name in trace else None
