"""Bugs that nobody wrote down: other settings, and operations, operands, positions swapped."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

import numpy as np

from attncli.judging.wrong_ways import WrongWay
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    Equation,
    Expression,
    Length,
    Number,
    Operand,
    Product,
    Quotient,
    Root,
    Sum,
    Symbol,
    Transposed,
    constant,
    define,
    each,
    rewritten,
)
from attncli.maths.notation.plain import plain
from attncli.maths.numbers.rounding import AnyArray, Array
from attncli.maths.operations.equation import Indexed
from attncli.maths.operations.operation import Operation, Working
from attncli.maths.operations.positions import Alibi, RotaryTable, Rotate, TurnsTable
from attncli.maths.operations.rearranging import Moved, TakeColumns
from attncli.names import Name, below
from attncli.steps.configurations import other_configurations, other_frames
from attncli.steps.mistakes import swapped
from attncli.trace import Definition, HeadPlace, LayerPlace, NormPlace, PlannedStep, Trace


def of_another_configuration(trace: Trace, place: LayerPlace | None) -> Iterator[WrongWay]:
    """Yields what a layer makes, or what is outside of all layers, with one setting left out or
    with another value."""
    others = other_configurations(trace, place) if place else other_frames(trace)
    for setting, says, is_left_out, definitions in others:
        name = setting.replace(".", "_")
        name = f"{name}_left_out" if is_left_out else f"other_{name}"
        yield WrongWay(name, says, definitions, setting=setting)


def with_its_own_ways(way: WrongWay, name: str, theirs: Collection[str]) -> WrongWay | None:
    """Restricts a bug to one quantity, with all that leads to it made anew under names of its own:
    where steps are in another order, a dumped tensor of the same name is something else. Returns
    None where no tensor of a dump is on the way."""
    made = {d.name: d for d in way.definitions}
    if not any(x in theirs for x in made if x != name):
        return None
    needed, waiting = [], [made[x] for x in made if x == name]
    while waiting:
        needed.append(waiting.pop())
        used = (made[x] for x in needed[-1].operands if x in made and x != name)
        waiting += [d for d in used if d not in needed]
    called = {d.name: Name(f"{d.name.local}_so", d.name.path) for d in needed[1:]}
    if not any(x in theirs for x in called):
        return None
    return way._replace(
        definitions=tuple(
            d._replace(
                name=called.get(d.name, d.name),
                operands=tuple(called.get(x, x) for x in d.operands),
            )
            for d in needed
        )
    )


def exchanged(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what two operations make in the other order."""
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
            says = f"{what} is made before {other}, where it belongs behind it."
            if after.step != before.step:
                says = f"The step {after.step} comes before {before.step}, which belongs first."
            yield WrongWay(f"{what}_before_{other}", says, (last, first))


def transposed(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what is made of a square table that is transposed."""
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


def operands_exchanged(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what a step makes where two of its quantities stand for each other."""
    made = [d.name for d in part.definitions if d.name in trace]
    for a, b in combinations(made, 2):
        if _shape(trace, a) != _shape(trace, b) or isinstance(part.place, NormPlace):
            continue
        other = {a: b, b: a}
        changed = tuple(
            d._replace(operands=tuple(other.get(x, x) for x in d.operands))
            for d in part.definitions
            if len({a, b} & {*d.operands}) == 1
        )
        if len(changed) > 1 and not {a, b} & {d.name for d in changed}:
            says = f"{a.local} and {b.local} are exchanged."
            yield WrongWay(f"{a.local}_and_{b.local}_exchanged", says, changed)


def parts_left_out(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what is made without a factor or a divisor, or with a sum in place of a product."""
    for definition in part.definitions:
        operation = definition.operation
        if not isinstance(operation, Indexed) or definition.name not in trace:
            continue
        products, quotients = (each(operation.tree, kind) for kind in (Product, Quotient))
        for node in dict.fromkeys([*products, *quotients]):
            for what, other in _without_parts(node):
                yield from _with_part(definition, node, other, what)


def _with_part(
    definition: Definition, node: Expression, other: Expression, what: tuple[str, str]
) -> Iterator[WrongWay]:
    """Yields a definition with another part in its equation, if it has that part."""
    changed = swapped(definition, lambda part: other if part == node else None)
    if changed is not None:
        name = f"{definition.name.local}_{what[0]}"
        yield WrongWay(name, f"{what[1]}: {equation_of(changed)}.", (changed,))


def equation_of(definition: Definition) -> str:
    """Writes how something is made, in local names: `capped[i, j] = tanh(scaled[i, j] / 2)`."""
    operation, names = definition.operation, (definition.name, *definition.operands)
    if isinstance(operation, Indexed):
        operation = Indexed(operation.signature(), operation.tree)
    return plain(operation.formula(*(name.local for name in names)))


def _without_parts(node: Expression) -> Iterator[tuple[tuple[str, str], Expression]]:
    if isinstance(node, Quotient):
        yield ("not_divided", "A divisor is left out"), node.dividend
        return
    assert isinstance(node, Product)
    if all(isinstance(factor, Operand) for factor in node.factors):
        yield ("added", "What is to be multiplied is added up"), Sum(node.factors)
    for k in range(len(node.factors)):
        rest = (*node.factors[:k], *node.factors[k + 1 :])
        factors = rest[0] if len(rest) == 1 else Product(rest)
        yield ("not_multiplied", "A factor is left out"), factors


def of_all_heads(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what a head computes as one number of each row, taken from the rows of all heads
    together."""
    for definition in part.definitions:
        split = trace[definition.operands[0]].definition if definition.operands else None
        if split is None or not isinstance(split.operation, TakeColumns):
            continue
        if (_shape(trace, definition.name) or (0, 0))[1] == 1:
            local = definition.name.local
            changed = definition._replace(operands=_with(definition.operands, 0, split.operands[0]))
            says = f"{local} is taken of all heads together."
            yield WrongWay(f"{local}_of_all_heads", says, (changed,))


def down_the_columns(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what a step makes whose sums go down the columns instead of along the rows."""
    sums: set[Name] = set()
    found: list[Definition] = []
    for definition in (d for d in part.definitions if d.name in trace):
        changed = _down_the_columns(definition, sums)
        if changed is not None:
            found.append(changed)
        is_sum = definition.operation.signature().endswith("-> n 1")
        if is_sum and (changed is not None or sums & {*definition.operands}):
            sums.add(definition.name)
    if found:
        says = f"{found[0].name.local} is taken down the columns, and not along the rows."
        yield WrongWay(f"{part.step}_down_the_columns", says, (*found,))


def _down_the_columns(definition: Definition, sums: Collection[Name]) -> Definition | None:
    """Turns a sum along rows into one down the columns, or what takes such a sum. Returns None for
    anything else."""
    operation = definition.operation
    if not isinstance(operation, Indexed):
        return None
    sides, _, result = operation.signature().partition(" -> ")
    each_side = sides.split(", ")
    places = {k for k, x in enumerate(definition.operands) if x in sums}
    if result == "n 1" and each_side[0] == "n m":
        result, places = "m 1", {k for k, side in enumerate(each_side) if side == "n m"}
        turned: dict[tuple[str, ...], tuple[str, ...]] = {("i", "j"): ("j", "i")}
    elif result == "n m" and places:
        each_side = ["m 1" if k in places else side for k, side in enumerate(each_side)]
        turned = {("i",): ("j",)}
    else:
        return None

    def change(node: Expression) -> Expression | None:
        if isinstance(node, Operand) and node.place in places:
            return Operand(node.place, turned.get(node.indices, node.indices))
        return Length(node.place, 0) if isinstance(node, Length) else None

    tree = rewritten(operation.tree, change)
    return definition._replace(operation=Indexed(f"{', '.join(each_side)} -> {result}", tree))


def scaled_by_others(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields scores that are divided by the root of another dimension than the right one."""
    place = part.place
    if part.step != "scale" or not isinstance(place, HeadPlace):
        return
    shapes = {
        name: trace[name].shape for name in (place.name("Q"), place.name("K")) if name in trace
    }
    known = {rows: "tokens" for rows, _ in shapes.values()} | {place.attention.heads: "heads"}
    for definition in part.definitions:
        for size, what in known.items():
            root = Root(constant(size))
            changed = swapped(
                definition,
                lambda x, root=root: (
                    root if isinstance(x, Root) and not [*each(x, Operand)] else None
                ),  # type: ignore[misc]
            )
            if changed is not None:
                says = f"The scores are divided by √{size}, the root of the number of {what}."
                yield WrongWay("other_dimension", says, (changed,))


def turned_before_split(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields queries or keys that are rotated before they are split into heads, by the angles of
    all columns together."""
    place = part.place
    if part.step != "rotate" or not isinstance(place, HeadPlace):
        return
    for definition in part.definitions:
        split = trace[definition.operands[0]].definition if definition.operands else None
        if split is None or not isinstance(split.operation, TakeColumns):
            continue
        whole, letter = split.operands[0], split.name.local
        tables = [
            d for d in part.definitions if d.name.local in (f"{letter}_cosine", f"{letter}_sine")
        ]
        if not isinstance(definition.operation, Rotate) or len(tables) != len(_WAVES):
            continue
        made = [
            _called(d, f"{d.name.local}_of_all")._replace(operands=(whole, *d.operands[1:]))
            for d in tables
        ]
        turned = _called(definition, f"{letter}_turned")._replace(
            operands=(whole, *(d.name for d in made))
        )
        last = split._replace(name=definition.name, operands=(turned.name,))
        says = f"{letter} is turned before it is split into heads."
        yield WrongWay("rotated_before_split", says, (last, turned, *made))


_WAVES = ("cosine", "sine")


def _called(definition: Definition, local: str) -> Definition:
    return definition._replace(name=Name(local, definition.name.path))


def taken_twice(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what a step makes that is done a second time, on its own result."""
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
    """Yields the output of a head whose values are rotated as its keys are."""
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


def sloped_otherwise(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields ALiBi's slopes with the other sign, those of another head, or one power off."""
    place = part.place
    if not isinstance(place, HeadPlace):
        return
    heads, own = place.attention.heads, place.head
    for definition in part.definitions:
        if not isinstance(definition.operation, Alibi):
            continue
        slope = definition.operation.slope.full
        power = Decimal(2) ** (Decimal(8) / heads)
        others = [(-slope, "have the other sign"), (slope * power, "begin one power too early")]
        others += [(slope / power, "begin one power too late")]
        for by in range(1, heads):
            other = trace[below(place.attention.head_path((own + by) % heads), "alibi")].definition
            assert other is not None
            assert isinstance(other.operation, Alibi)
            which = (own + by) % heads + 1
            others += [(other.operation.slope.full, f"of head {own + 1} are those of head {which}")]
        for number, what in others:
            changed = definition._replace(operation=Alibi(Number.written(number)))
            yield WrongWay("other_slopes", f"The slopes {what}.", (changed,))


def _chain_of_keys(trace: Trace, place: HeadPlace) -> Iterator[Definition]:
    """Yields how keys are rotated in a head, if they are."""
    rotated = place.name("rotated_K")
    for name in (rotated, Name(rotated.local, place.attention.path)):
        definition = trace[name].definition if name in trace else None
        if definition is not None:
            yield definition
            return


@dataclass(frozen=True)
class Turned(Moved):
    """A table that is transposed. [n, m] -> [m, n]"""

    shapes = "n m -> m n"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Transposed(Symbol(operands[0])))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return np.asarray(np.swapaxes(arrays[0], 0, 1))


@dataclass(frozen=True)
class Placed(Operation):
    """A table of angles whose rows stand at other positions."""

    table: RotaryTable | TurnsTable
    positions: tuple[int, ...]
    """The position of each row."""

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
    """Yields rows rotated by other positions: after a cache as if it were shorter or longer, for
    queries and keys or for one of them, or each row by the number of its head."""
    place = part.place
    if not isinstance(place, HeadPlace):
        return
    tables = [d for d in part.definitions if isinstance(d.operation, RotaryTable | TurnsTable)]
    cached = len(place.attention.cached or ())
    for begin in dict.fromkeys((0, cached - 1, cached + 1, 2 * cached)) if cached else ():
        counted = "0 again" if not begin else f"{begin} instead of {cached}"
        for letters, whose in _WHOSE.items():
            says = f"Behind the cache {whose} count from {counted}."
            some = [d for d in tables if d.name.local[0] in letters]
            changed = [_behind(trace, d, cached, begin) for d in some]
            if changed:
                yield WrongWay("position_offset", says, tuple(changed))
    if place.attention.heads > 1 and tables:
        heads = range(place.attention.heads)
        each_head = [
            (h, below(place.attention.head_path(h), d.name.local)) for h in heads for d in tables
        ]
        known = [(h, trace[name].definition) for h, name in each_head if name in trace]
        shared = place.attention.heads // place.attention.kv_heads
        changed = [
            _at(d, (h // shared if d.name.local[0] == "K" else h,) * _height(trace, d))
            for h, d in known
            if d is not None
        ]
        says = "The rotation goes along the heads, and not along the tokens."
        yield WrongWay("rotated_along_heads", says, tuple(changed))


_WHOSE = {
    "QK": "positions", "K": "the positions of keys alone", "Q": "the positions of queries alone"
}  # fmt: skip


def _behind(trace: Trace, table: Definition, cached: int, begin: int) -> Definition:
    operation, height = table.operation, _height(trace, table)
    assert isinstance(operation, RotaryTable | TurnsTable)
    usual = range(operation.start, operation.start + height)
    return _at(table, tuple(p - cached + begin if p >= cached else p for p in usual))


def _at(table: Definition, positions: tuple[int, ...]) -> Definition:
    assert isinstance(table.operation, RotaryTable | TurnsTable)
    return table._replace(operation=Placed(table.operation, positions))


def _height(trace: Trace, table: Definition) -> int:
    return trace[table.name].shape[0]


SWAPS = (
    operands_exchanged,
    exchanged,
    transposed,
    taken_twice,
    of_values_too,
    sloped_otherwise,
    scaled_by_others,
    turned_before_split,
    of_all_heads,
    down_the_columns,
    parts_left_out,
)
"""All that change places in the equations of a part."""


def _with(operands: tuple[Name, ...], k: int, other: Name) -> tuple[Name, ...]:
    """Returns operands with another one at one place."""
    return (*operands[:k], other, *operands[k + 1 :])


def _shape(trace: Trace, name: Name) -> tuple[int, int] | None:
    return trace[name].shape if name in trace else None
