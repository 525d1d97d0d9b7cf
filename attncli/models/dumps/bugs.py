"""The bugs of a part of a trace: mistakes of steps, and settings and operands of programs.

Each known bug is made on purpose, from the implementation's own
earlier tensors, and what gives just this tensor is what was done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from attncli.judging.wrong_ways import WrongWay, declared_ways
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Negative,
    Number,
    Operand,
    Sum,
    Symbol,
    at,
    define,
    each,
    numbers_in,
)
from attncli.maths.numbers.rounding import AnyArray
from attncli.maths.operations.activations import ACTIVATIONS, Activate, Add
from attncli.maths.operations.equation import Indexed, equation
from attncli.maths.operations.masking import Masked
from attncli.maths.operations.norms import Normalize, RootOf
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.positions import RotaryTable, Sinusoids
from attncli.maths.operations.rearranging import (
    JoinColumns,
    JoinRows,
    Moved,
    Same,
    TakeColumns,
    TakeRows,
)
from attncli.models.dumps.swaps import SWAPS, equation_of, placed_otherwise
from attncli.names import Name, below
from attncli.scenario.model import Attention
from attncli.trace import (
    AttentionPlace,
    Definition,
    HeadPlace,
    NormPlace,
    PlannedStep,
    Trace,
)

_EPSILONS = ("1e-12", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2", "0")
_BASES = ("100", "500", "1000", "10000", "100000", "500000", "1000000")
_SHIFTS = (-2, -1, 1, 2)
_ZERO = "The first position counts as {}."
_COUNTED = "Positions are counted from the first token on, padding or not."


class _OtherMade(NamedTuple):
    """An operation with another setting, with a name and a sentence for the bug."""

    name: str
    says: str
    operation: Operation


def _other_settings(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what the definitions of a part give with other settings. Those of the cosines and of
    the sines of positions change together."""
    made = [d for d in part.definitions if d.name in trace]
    for definition in made:
        for other in _others(trace, definition):
            yield WrongWay(
                other.name, other.says, (definition._replace(operation=other.operation),)
            )
    yield from _tiled(made)
    yield from placed_otherwise(trace, part)
    for letter in ("Q", "K"):
        tables = [d for d in made if d.name.local in (f"{letter}_cosine", f"{letter}_sine")]
        yield from _turned_otherwise(tables)


def _others(trace: Trace, definition: Definition) -> Iterator[_OtherMade]:
    match definition.operation:
        case RootOf() as root:
            yield from _epsilons(root)
        case Activate(shown=Apply(kind)):
            for other in (text for text in ACTIVATIONS if text != kind):
                says = f"The activation is {other} instead of {kind}."
                yield _OtherMade("other_activation", says, Activate(other))
        case Masked() as masked:
            yield _OtherMade("mask_inverted", _INVERTED, _inverted(masked))
        case Normalize() as normed if len(definition.operands) > _UNSCALED:
            yield _OtherMade("gamma_plus_one", *_other_gamma(normed, len(definition.operands)))
        case JoinRows() as rows if definition.operands[0].places[0] == "cache":
            yield from _caches_of_others(trace, definition, rows)
        case TakeColumns() as columns if definition.name.local in ("K", "V"):
            yield from _other_groups(columns)
        case _:
            yield from _others_of_inputs(trace, definition)


def _others_of_inputs(trace: Trace, definition: Definition) -> Iterator[_OtherMade]:
    """Yields other scales of embeddings that positions are added to, and other positions."""
    match definition.operation:
        case Add() if definition.operands[0].local == "E":
            width = trace[definition.name].shape[1]
            yield _OtherMade("embeddings_scaled", _SCALED, _scaled_first(width))
        case Sinusoids() as waves:
            yield from _waves(waves)
        case TakeRows() as rows if definition.step == "positions":
            yield from _shifted(trace, definition, rows)


_UNSCALED = 2
"""Operands of a norm without γ and β."""


def _other_gamma(normed: Normalize, count: int) -> tuple[str, Operation]:
    """Makes a norm whose γ is multiplied as 1 + γ, or as γ alone where 1 + γ is right. Returns a
    sentence for the bug, and the norm."""
    plus_one = not any(node.full == 1 for node in numbers_in(normed.tree))
    says = "γ is multiplied as 1 + γ." if plus_one else "γ is multiplied without the 1 added to it."
    return says, type(normed)(gamma=True, beta=count > _UNSCALED + 1, plus_one=plus_one)


@dataclass(frozen=True)
class CacheMoved(JoinRows):
    """A concatenation of a cache and new rows in which the heads of the cache are in another
    order."""

    order: tuple[int, ...] = ()
    """The group of heads in the cache that stands at the place of each one, from 0."""

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        cached, *new = arrays
        each = np.split(cached, len(self.order), axis=1)
        return super().arranged(np.concatenate([each[k] for k in self.order], axis=1), *new)


def _caches_of_others(trace: Trace, definition: Definition, rows: JoinRows) -> Iterator[_OtherMade]:
    part = trace.part_of(definition.name)
    place = None if part is None else part.place
    groups = place.attention.kv_heads if isinstance(place, AttentionPlace) else 1
    orders = [*(range(-k, groups - k) for k in range(1, groups)), reversed(range(groups))]
    for order in dict.fromkeys(tuple(k % groups for k in some) for some in orders):
        if order != tuple(range(groups)):
            yield _OtherMade("other_kv_head", _OTHER_CACHE, CacheMoved(rows.count, order))


_OTHER_CACHE = "The heads take what the cache holds of other ones."


def _scaled_first(width: int) -> Operation:
    """Makes an operation that multiplies the first of two operands by the root of its width, and
    adds the second."""
    return equation("x[i, j] * sqrt(width) + y[i, j]", x="n m", y="n m")(width)


_SCALED = "The embeddings are multiplied by √d_model, which the scenario doesn't say."


def _other_groups(columns: TakeColumns) -> Iterator[_OtherMade]:
    for other in (index for index in range(columns.of) if index != columns.part):
        says = _OTHER_KV.format(other + 1, columns.part + 1)
        yield _OtherMade("other_kv_head", says, TakeColumns(other, columns.of))


def _tiled(made: list[Definition]) -> Iterator[WrongWay]:
    """Yields keys and values whose groups are repeated as a whole: head h has group h mod g."""
    changed: list[Definition] = []
    for local in ("K", "V"):
        each = [d for d in made if d.name.local == local]
        for head, definition in enumerate(each):
            if isinstance(definition.operation, TakeColumns) and definition.operation.of < len(
                each
            ):
                of = definition.operation.of
                changed.append(definition._replace(operation=TakeColumns(head % of, of)))
    if changed:
        yield WrongWay("other_kv_head", _TILED, tuple(changed))


_TILED = (
    "The groups of keys and values are repeated as a whole (repeat) where each of their heads is to"
    " be repeated by itself (repeat_interleave)."
)
_INVERTED = "The mask is the other way round: what should be seen is hidden."
_OTHER_KV = "The head takes the keys or values of group {} instead of {}, as repeat gives it."


def _epsilons(root: RootOf) -> Iterator[_OtherMade]:
    own = next((n.full for n in numbers_in(root.tree)), Decimal(0))
    inside = root.inside or not own
    for epsilon in map(Decimal, _EPSILONS):
        if epsilon != own:
            says = f"ε is {epsilon.normalize():g} instead of {own.normalize():g}."
            yield _OtherMade("other_epsilon", says, RootOf(Number.written(epsilon), inside))


def _inverted(masked: Masked) -> Operation:
    hidden = numbers_in(masked.tree)
    return equation("value if seen[i, j] else x[i, j]", x="n m", seen="n m")(*hidden)


def _waves(waves: Sinusoids) -> Iterator[_OtherMade]:
    for start in (waves.start + shift for shift in _SHIFTS):
        if start >= 0:
            yield _OtherMade("position_offset", _ZERO.format(start), replace(waves, start=start))
    for base in map(Decimal, _BASES):
        if base != waves.base.full:
            says = f"The base of the waves is {base} instead of {waves.base.full}."
            yield _OtherMade("other_base", says, replace(waves, base=Number.written(base)))


def _shifted(trace: Trace, definition: Definition, rows: TakeRows) -> Iterator[_OtherMade]:
    height, count = trace[definition.operands[0]].shape[0], len(rows.indices)
    if rows.indices != (counted := tuple(range(count))) and count <= height:
        taken = TakeRows(counted, tuple(map(str, counted)), rows.by)
        yield _OtherMade("position_offset", _COUNTED, taken)
    for shift in _SHIFTS:
        indices = tuple(k + shift for k in rows.indices)
        if min(indices) >= 0 and max(indices) < height:
            taken = TakeRows(indices, tuple(map(str, indices)), rows.by)
            yield _OtherMade("position_offset", _ZERO.format(indices[0]), taken)


def _turned_otherwise(tables: list[Definition]) -> Iterator[WrongWay]:
    """Yields rotary positions that begin elsewhere, at 0 after a cache too, or have another
    base."""
    known = [d.operation for d in tables if isinstance(d.operation, RotaryTable)]
    if not known:
        return
    start, base = known[0].start, known[0].base
    for other in dict.fromkeys((0, *(start + shift for shift in _SHIFTS))):
        if other >= 0 and other != start:
            changed = [replace(table, start=other) for table in known]
            yield _tables_with(tables, changed, "position_offset", _ZERO.format(other))
    for number in map(Decimal, _BASES):
        if number != base.full:
            changed = [replace(table, base=Number.written(number)) for table in known]
            says = f"The base of the angles is {number} instead of {base.full}."
            yield _tables_with(tables, changed, "other_base", says)


def _tables_with(
    tables: list[Definition], operations: list[RotaryTable], name: str, says: str
) -> WrongWay:
    pairs = zip(tables, operations, strict=True)
    return WrongWay(name, says, tuple(d._replace(operation=other) for d, other in pairs))


@dataclass(frozen=True)
class ViewOfHead(Moved):
    """A head's share of x.view(h, n, d), where x.view(n, h, d).transpose(0, 1) belongs. [n, h·d] ->
    [n, d]"""

    part: int
    of: int

    def signature(self) -> str:
        return f"n {self.of}*b -> n b"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], f"view: part {self.part + 1} of {self.of}"))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        viewed = arrays[0].reshape(self.of, len(arrays[0]), -1)
        return np.asarray(viewed[self.part])


@dataclass(frozen=True)
class ViewOfAll(Moved):
    """A join of heads z [h, n, d] by z.reshape(n, h·d), where a transpose belongs before. [n, d],
    [n, d], … -> [n, h·d]"""

    count: int

    def signature(self) -> str:
        widths = [f"a{k}" for k in range(1, self.count + 1)]
        return ", ".join(f"n {width}" for width in widths) + f" -> n {'+'.join(widths)}"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Symbol(operands[0]))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return np.stack(arrays).reshape(len(arrays[0]), -1)


_SPLIT = (
    "The heads are taken by x.view(heads, n, d) alone, which mixes tokens; x.view(n, heads, d)"
    " .transpose(0, 1) takes columns."
)
_MERGED = (
    "The heads are put together by a reshape alone, without the transpose that belongs before."
)


def _without_transpose(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what a part gives where heads are split or joined by a reshape alone."""
    for definition in part.definitions:
        if definition.name not in trace:
            continue
        match definition.operation:
            case TakeColumns(which, of):
                made = definition._replace(operation=ViewOfHead(which, of))
                yield WrongWay("split_without_transpose", _SPLIT, (made,))
            case JoinColumns(count):
                made = definition._replace(operation=ViewOfAll(count))
                yield WrongWay("merged_without_transpose", _MERGED, (made,))


_RESIDUALS = ("residual1", "residual2", "residual3", "normed", "attention", "ffn")
_INNER = ("hidden", "up", "activated", "gated")
_STREAMS = frozenset([*_RESIDUALS, "X", "E", "scaled_E", "summed", "concat", "output", *_INNER])
_LETTERS = ("Q", "K", "V")


def _other_parameters(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what a part gives with other weights of the same shape."""
    made = _made(trace, part)
    yield from _swapped_letters(trace, made)
    yield from _of_another_place(trace, made)
    for own in dict.fromkeys(x for d in made for x in d.operands if trace[x].given):
        if own.local in _STREAMS:
            continue
        for other in _alike(trace, own):
            if trace[other].given and other.local not in _STREAMS:
                name, says = _other_weights(own, other)
                yield WrongWay(name, says, _with(made, own, other))


def _other_weights(own: Name, other: Name) -> tuple[str, str]:
    if own.local != other.local:
        return f"{other.local}_for_{own.local}", f"{other} is taken where {own} belongs."
    beside = own.path.path == other.path.path
    what = "head" if beside and own.path.local == "heads" else "layer"
    what = "norm" if beside and own.path.local != other.path.local else what
    return f"weights_of_another_{what}", f"{other} is taken where {own} belongs."


def _of_another_place(trace: Trace, made: tuple[Definition, ...]) -> Iterator[WrongWay]:
    """Yields what is made with all the weights and biases that another layer, or another head, has
    for it."""
    for definition in made:
        own = [x for x in definition.operands if trace[x].given and x.local not in _STREAMS]
        for path in dict.fromkeys(x.path for x in _alike(trace, own[0])) if own else ():
            taken = {x: below(path, x.local) for x in own}
            fits = all(_shape(trace, x) == _shape(trace, other) for x, other in taken.items())
            if path != own[0].path and fits and len(own) > 1:
                changed = definition._replace(
                    operands=tuple(taken.get(x, x) for x in definition.operands)
                )
                yield WrongWay(*_other_weights(own[0], taken[own[0]]), (changed,))


def _swapped_letters(trace: Trace, made: tuple[Definition, ...]) -> Iterator[WrongWay]:
    """Yields queries, keys and values made with each other's weights and biases."""
    for definition in made:
        letter = next((x for x in _LETTERS if f"W_{x}" in _locals(definition)), "")
        for other in (x for x in _LETTERS if letter and x != letter):
            taken = tuple(_lettered(x, letter, other) for x in definition.operands)
            if [_shape(trace, x) for x in taken] == [_shape(trace, x) for x in definition.operands]:
                first, second = sorted((letter, other))
                says = f"{letter} is made with the weights of {other}."
                changed = definition._replace(operands=taken)
                yield WrongWay(f"{first}_and_{second}_swapped", says, (changed,))


def _locals(definition: Definition) -> list[str]:
    return [x.local for x in definition.operands]


def _lettered(x: Name, letter: str, other: str) -> Name:
    """Renames `W_K` to `W_V` and `b_K` to `b_V`, for the letters K and V. Returns any other name as
    it is."""
    if x.local not in (f"W_{letter}", f"b_{letter}"):
        return x
    return Name(x.local[:2] + other, x.path)


def _other_inputs(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what a part gives with another input, from before a norm instead of behind it or from
    another sublayer: for all that it makes, or for one of these only."""
    made = _made(trace, part)
    inputs = [x for d in made for x in d.operands if x.local in _STREAMS]
    for own in dict.fromkeys(inputs):
        for other in _alike(trace, own):
            if other.local in _STREAMS and _inner(own, part) == _inner(other, part):
                name, says = _other_input(trace, part, own, other)
                ways = [_with(made, own, other)]
                ways += [(d,) for d in ways[0]] if len(ways[0]) > 1 else []
                for way in ways:
                    # the other input is none that goes in anyway, or is made there itself
                    if all(x.name != other and x.operands.count(other) == 1 for x in way):
                        yield WrongWay(name, says, way)
    yield from _left_out(trace, part, made)
    yield from _terms_left_out(made)


def _other_input(trace: Trace, part: PlannedStep, own: Name, other: Name) -> tuple[str, str]:
    """Returns a name and a sentence for the bug in which one input stands for another."""
    says = f"{other} goes in where {own} belongs."
    if own in _inputs_of_norm(trace, other):
        what = "residual_of_the_normed" if part.step == "residual" else "normed_before"
        return what, f"{says} The norm is taken where it doesn't belong."
    if other in _inputs_of_norm(trace, own):
        return "not_normed", f"{says} The norm is left out."
    if isinstance(part.place, NormPlace) and other in _terms_of(trace, own):
        return "in_parallel", f"{says} The sublayers stand side by side."
    if own.local == other.local == "normed":
        return "another_norm", says
    if other.local == "normed" or isinstance(part.place, NormPlace):
        return "norm_elsewhere", f"{says} Pre- and post-norm are exchanged."
    return f"{other.local}_for_{own.local}", says


def _terms_of(trace: Trace, name: Name) -> tuple[Name, ...]:
    """Returns what a residual connection adds up, and nothing for any other quantity."""
    definition = trace[name].definition
    return definition.operands if definition and definition.step == "residual" else ()


def _inputs_of_norm(trace: Trace, normed: Name) -> tuple[Name, ...]:
    """Returns the input of the norm that makes a quantity, and nothing if no norm does."""
    part = trace.part_of(normed)
    if part is None or not isinstance(part.place, NormPlace):
        return ()
    return (part.place.x,)


def _other_heads(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what a head gives with queries, keys or values of another one."""
    if not isinstance(part.place, HeadPlace) or part.place.attention.heads == 1:
        return
    attention, made = part.place.attention, _made(trace, part)
    for own in dict.fromkeys(x for d in made for x in d.operands if x.path == part.path):
        for head in range(attention.heads):
            other = below(attention.head_path(head), own.local)
            if other != own and _shape(trace, other) == _shape(trace, own):
                if _are_the_same(trace, other, own):
                    continue
                shared = attention.kv_heads < attention.heads and own.local.endswith(("K", "V"))
                name = "other_kv_head" if shared else "another_head"
                changed = _with(made, own, other)
                yield WrongWay(name, f"{other} goes in where {own} belongs.", changed)
                is_used = any(d.name.local in _OF_ATTENTION for d in changed)  # and no more made of
                if shared and is_used and head == _tiled_head(attention, part.place.head):
                    yield WrongWay(name, _TILED, changed)


def _exchanged_when_used(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields what a head gives whose keys and values are exchanged once they are made."""
    if not isinstance(part.place, HeadPlace):
        return
    keys, values = (part.place.latest(letter) for letter in "KV")
    if _shape(trace, keys) != _shape(trace, values):
        return
    other = {keys: values, values: keys}
    for definition in _made(trace, part):
        taken = tuple(other.get(x, x) for x in definition.operands)
        if definition.name.local in _OF_ATTENTION and taken != definition.operands:
            changed = definition._replace(operands=taken)
            yield WrongWay("K_and_V_exchanged", "K and V are exchanged.", (changed,))


_OF_ATTENTION = ("scores", "output")
"""What is made of the keys and values of a head."""


def _tiled_head(attention: Attention, head: int) -> int:
    """Returns the first head that has the same keys and values as a given one, both from 0, where
    groups are repeated as a whole: head h has group h mod g."""
    return head % attention.kv_heads * (attention.heads // attention.kv_heads)


def _left_out(trace: Trace, part: PlannedStep, made: tuple[Definition, ...]) -> Iterator[WrongWay]:
    """Yields a part without one of its operations, whose result is one of its operands instead."""
    used = {x for d in made for x in d.operands}
    for definition in (d for d in made if d.operands and not d.operation.copies):
        local = definition.name.local
        for other in dict.fromkeys(definition.operands):
            if _shape(trace, other) != _shape(trace, definition.name):
                continue
            if definition.name in used or _inner(other, part):
                name = f"{local}_left_out"
                says = f"{local} is left out: {other.local} is taken in its place."
            else:
                name, says = (
                    f"{part.step}_left_out",
                    f"The step {part.step} is left out: {local} is {other.local}.",
                )
            yield WrongWay(name, says, (_same(definition, other),))


def _terms_left_out(made: tuple[Definition, ...]) -> Iterator[WrongWay]:
    """Yields what a sum gives without one of its terms."""
    for definition in made:
        operation = definition.operation
        if not isinstance(operation, Indexed) or not isinstance(operation.tree, Sum):
            continue
        terms = operation.tree.terms
        for k, term in enumerate(terms):
            rest = (*terms[:k], *terms[k + 1 :])
            tree = rest[0] if len(rest) == 1 else Sum(rest)
            if not [*each(term, Operand)] or any(isinstance(node, Negative) for node in terms):
                continue
            changed = definition._replace(operation=Indexed(operation.shapes, tree))
            says = f"A term is left out: {equation_of(changed)}."
            yield WrongWay("term_left_out", says, (changed,))


def _other_tensors(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """Yields a part in which a quantity is another tensor of the same shape, with the steps that
    are left out where some lead from that tensor to it."""
    for definition in _made(trace, part):
        for other in _alike(trace, definition.name):
            # what comes of it would only say its own number again, as what is the same anyway
            if other in definition.operands or _comes_of(trace, other, definition.name):
                continue
            if _are_the_same(trace, other, definition.name):
                continue
            name, says = "another_tensor", f"{definition.name.local} is {other} instead."
            steps = _steps_since(trace, definition, other)
            if len(steps) > 1:
                name = f"{'_and_'.join(steps)}_left_out"
                says = f"The steps {' and '.join(steps)} are left out: {says}"
            yield WrongWay(name, says, (_same(definition, other),))


def _steps_since(trace: Trace, definition: Definition, source: Name) -> list[str]:
    """Finds the steps that lead from a source to a quantity, each taking what the step before makes
    as its first operand. Returns none where they don't."""
    steps: dict[str, None] = {}
    at: Definition | None = definition
    while at is not None and at.operands:
        steps[at.step] = None
        if at.operands[0] == source:
            return [*reversed(steps)]
        at = trace[at.operands[0]].definition
    return []


def _are_the_same(trace: Trace, name: Name, other: Name) -> bool:
    """Tells whether two quantities have the same numbers, as the keys of heads that share them."""
    return np.array_equal(trace[name].values, trace[other].values, equal_nan=True)


def _comes_of(trace: Trace, name: Name, source: Name) -> bool:
    """Tells whether a quantity is computed from another one, in whatever way."""
    waiting, seen = [name], {name}
    while waiting:
        definition = trace[waiting.pop()].definition
        new = set() if definition is None else {*definition.operands} - seen
        waiting += new
        seen |= new
    return source in seen - {name}


def _same(definition: Definition, other: Name) -> Definition:
    return definition._replace(operation=Same(), operands=(other,))


def _made(trace: Trace, part: PlannedStep) -> tuple[Definition, ...]:
    return tuple(d for d in part.definitions if d.name in trace)


def _inner(x: Name, part: PlannedStep) -> bool:
    """Tells whether a part makes a quantity itself."""
    return any(d.name == x for d in part.definitions)


def _with(made: tuple[Definition, ...], own: Name, other: Name) -> tuple[Definition, ...]:
    """Returns the definitions that take one operand, with another one in its place."""
    return tuple(
        d._replace(operands=tuple(other if x == own else x for x in d.operands))
        for d in made
        if own in d.operands
    )


def _shape(trace: Trace, name: Name) -> tuple[int, int] | None:
    return trace[name].shape if name in trace else None


def _alike(trace: Trace, own: Name) -> list[Name]:
    """Returns the other quantities of the same shape."""
    shape = _shape(trace, own)
    return [q.name for q in trace.quantities.values() if q.shape == shape and q.name != own]


def bugs(trace: Trace, part: PlannedStep, kind: int) -> tuple[WrongWay, ...]:
    """Returns the bugs of a kind that a part may have."""
    return tuple(way for find in KINDS[kind] for way in find(trace, part))


_Find = Callable[[Trace, PlannedStep], Iterator[WrongWay]]
KINDS: tuple[tuple[_Find, ...], ...] = (
    (declared_ways, _other_settings, _without_transpose),
    SWAPS,
    (_exchanged_when_used, _other_parameters, _other_heads, _other_inputs),
    (_other_tensors,),
)
"""By how likely they are: those that are known by a name of their own, then what changes places in
equations, then other operands, then just another tensor. The latter say anew what the former give;
after the first, layers in another configuration are tried."""
