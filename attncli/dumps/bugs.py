"""The bugs that a part of a trace may have: the mistakes declared beside the steps, and what only
programs do: another setting of an operation, another operand, heads that are only reshaped."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from time import monotonic
from typing import NamedTuple

import numpy as np

from attncli.dumps.floats import Floats, Spread, tells_apart
from attncli.dumps.swaps import (
    SWAPS,
    of_another_configuration,
    placed_otherwise,
    with_its_own_ways,
)
from attncli.equations.enclosures import Enclosure
from attncli.equations.tree import (
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
from attncli.errors import UserError
from attncli.file.problems import ScenarioError
from attncli.marking.causes import WrongWay, declared_ways
from attncli.marking.honest_paths import Flags
from attncli.marking.verdicts import NOISE, Cause
from attncli.names import Name, below
from attncli.numbers.rounding import Array
from attncli.operations.activations import ACTIVATIONS, Activate, Add
from attncli.operations.equation import Indexed, equation
from attncli.operations.masking import Masked
from attncli.operations.norms import Normalize, RootOf
from attncli.operations.operation import Operation
from attncli.operations.positions import RotaryTable, Sinusoids
from attncli.operations.rearranging import (
    JoinColumns,
    JoinRows,
    Moved,
    Numbers,
    Same,
    TakeColumns,
    TakeRows,
)
from attncli.trace import (
    AttentionPlace,
    Definition,
    HeadPlace,
    LayerPlace,
    NormPlace,
    PlannedStep,
    Trace,
)

_EPSILONS = ("0", "1e-12", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3")
_BASES = ("100", "500", "1000", "10000", "100000", "500000", "1000000")
_SHIFTS = (-2, -1, 1, 2)
_ZERO = "The first position counts as {}."
_COUNTED = "Positions are counted from the first token on, padding or not."


class _Other(NamedTuple):
    """Another setting of an operation."""

    name: str
    says: str
    operation: Operation


def _other_settings(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What the definitions of a part give with other settings; those of the cosines and of the
    sines of positions go together."""
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


def _others(trace: Trace, definition: Definition) -> Iterator[_Other]:
    match definition.operation:
        case RootOf() as root:
            yield from _epsilons(root)
        case Activate(shown=Apply(kind)):
            for other in (text for text in ACTIVATIONS if text != kind):
                says = f"It is {other} instead of {kind}."
                yield _Other("other_activation", says, Activate(other))
        case Masked() as masked:
            yield _Other("mask_inverted", _INVERTED, _inverted(masked))
        case Normalize() as normed if len(definition.operands) > _UNSCALED:
            yield _Other("gamma_plus_one", *_other_gamma(normed, len(definition.operands)))
        case JoinRows() as rows if definition.operands[0].places[0] == "cache":
            yield from _caches_of_others(trace, definition, rows)
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


_UNSCALED = 2
"""Operands of a norm without γ and β."""


def _other_gamma(normed: Normalize, count: int) -> tuple[str, Operation]:
    """A norm whose γ is multiplied as 1 + γ, or the reverse."""
    plus_one = not any(node.full == 1 for node in numbers_in(normed.tree))
    says = "γ is multiplied as 1 + γ." if plus_one else "γ is multiplied without the 1 added to it."
    return says, type(normed)(gamma=True, beta=count > _UNSCALED + 1, plus_one=plus_one)


@dataclass(frozen=True)
class CacheMoved(JoinRows):
    """A cache whose heads, `of` groups, are those of others, above the new rows."""

    order: tuple[int, ...] = ()

    def arranged(self, *arrays: Numbers) -> Numbers:
        cached, *new = arrays
        each = np.split(cached, len(self.order), axis=1)
        return super().arranged(np.concatenate([each[k] for k in self.order], axis=1), *new)


def _caches_of_others(trace: Trace, definition: Definition, rows: JoinRows) -> Iterator[_Other]:
    part = trace.part_of(definition.name)
    place = None if part is None else part.place
    groups = place.attention.kv_heads if isinstance(place, AttentionPlace) else 1
    orders = [*(range(-k, groups - k) for k in range(1, groups)), reversed(range(groups))]
    for order in dict.fromkeys(tuple(k % groups for k in some) for some in orders):
        if order != tuple(range(groups)):
            yield _Other("other_kv_head", _OTHER_CACHE, CacheMoved(rows.count, order))


_OTHER_CACHE = "The heads take what the cache holds of other ones."


def _scaled_first(width: int) -> Operation:
    """The first of two operands times the root of its width, and the second."""
    return equation("x[i, j] * sqrt(width) + y[i, j]", x="n m", y="n m")(width)


_SCALED = "The embeddings are multiplied by √d_model, which the scenario doesn't say."


def _other_groups(columns: TakeColumns) -> Iterator[_Other]:
    for other in (index for index in range(columns.of) if index != columns.part):
        says = _OTHER_KV.format(other + 1, columns.part + 1)
        yield _Other("other_kv_head", says, TakeColumns(other, columns.of))


def _tiled(made: list[Definition]) -> Iterator[WrongWay]:
    """All groups of keys and values repeated as a whole: head h has group h mod g."""
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


def _epsilons(root: RootOf) -> Iterator[_Other]:
    own = next((n.full for n in numbers_in(root.tree)), Decimal(0))
    inside = root.inside or not own
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
    height, count = trace[definition.operands[0]].matrix.shape[0], len(rows.indices)
    if rows.indices != (counted := tuple(range(count))) and count <= height:
        taken = TakeRows(counted, tuple(map(str, counted)), rows.by)
        yield _Other("position_offset", _COUNTED, taken)
    for shift in _SHIFTS:
        indices = tuple(k + shift for k in rows.indices)
        if min(indices) >= 0 and max(indices) < height:
            taken = TakeRows(indices, tuple(map(str, indices)), rows.by)
            yield _Other("position_offset", _ZERO.format(indices[0]), taken)


def _turned_otherwise(tables: list[Definition]) -> Iterator[WrongWay]:
    """Rotary positions that begin elsewhere, 0 after a cache too, or have another base."""
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
    """A head's share of x.view(h, n, d), where x.view(n, h, d).transpose(0, 1) belongs.
    [n, h·d] -> [n, d]"""

    part: int
    of: int

    def signature(self) -> str:
        return f"n {self.of}*b -> n b"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], f"view: part {self.part + 1} of {self.of}"))

    def arranged(self, *arrays: Numbers) -> Numbers:
        viewed = arrays[0].reshape(self.of, len(arrays[0]), -1)
        return np.asarray(viewed[self.part])


@dataclass(frozen=True)
class ViewOfAll(Moved):
    """z.reshape(n, h·d) of heads z [h, n, d], where a transpose belongs before.
    [n, d], [n, d], … -> [n, h·d]"""

    count: int

    def signature(self) -> str:
        widths = [f"a{k}" for k in range(1, self.count + 1)]
        return ", ".join(f"n {width}" for width in widths) + f" -> n {'+'.join(widths)}"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Symbol(operands[0]))

    def arranged(self, *arrays: Numbers) -> Numbers:
        return np.stack(arrays).reshape(len(arrays[0]), -1)


_SPLIT = (
    "The heads are taken by x.view(heads, n, d) alone, which mixes tokens; x.view(n, heads, d)"
    " .transpose(0, 1) takes columns."
)
_MERGED = (
    "The heads are put together by a reshape alone, without the transpose that belongs before."
)


def _without_transpose(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What a part gives where a tensor is only reshaped."""
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
    """What a part gives with other weights of the same shape."""
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
    """What is made with all weights and biases that another layer, or another head, has for it."""
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
    """Queries, keys and values made with each other's weights and biases."""
    for definition in made:
        letter = next((x for x in _LETTERS if f"W_{x}" in _locals(definition)), "")
        for other in (x for x in _LETTERS if letter and x != letter):
            taken = tuple(_lettered(x, letter, other) for x in definition.operands)
            if [_shape(trace, x) for x in taken] == [_shape(trace, x) for x in definition.operands]:
                pair = sorted((letter, other))
                says = f"{letter} is made with the weights of {other}."
                changed = definition._replace(operands=taken)
                yield WrongWay(f"{pair[0]}_and_{pair[1]}_swapped", says, (changed,))


def _locals(definition: Definition) -> list[str]:
    return [x.local for x in definition.operands]


def _lettered(x: Name, letter: str, other: str) -> Name:
    """`W_V` of `W_K`, `b_V` of `b_K`; anything else as it is."""
    if x.local not in (f"W_{letter}", f"b_{letter}"):
        return x
    return Name(x.local[:2] + other, x.path)


def _other_inputs(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What a part gives of another input: before a norm instead of behind it, behind another
    sublayer; all of it, or only one of what it makes."""
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
    """What it is called where one input stands for another."""
    says = f"{other} goes in where {own} belongs."
    if own in _inputs_of_norm(trace, other):
        what = "residual_of_the_normed" if part.step == "residual" else "normed_before"
        return what, f"{says} The norm is taken where it doesn't belong."
    if other in _inputs_of_norm(trace, own):
        return "not_normed", f"{says} The norm is left out."
    if other.local == "normed" or isinstance(part.place, NormPlace):
        return "norm_elsewhere", f"{says} Pre- and post-norm are exchanged."
    return f"{other.local}_for_{own.local}", says


def _inputs_of_norm(trace: Trace, normed: Name) -> tuple[Name, ...]:
    """What a norm is taken of."""
    part = trace.part_of(normed)
    if part is None or not isinstance(part.place, NormPlace):
        return ()
    return (part.place.x,)


def _other_heads(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What a head gives of queries, keys or values of another one."""
    if not isinstance(part.place, HeadPlace) or part.place.attention.heads == 1:
        return
    attention, made = part.place.attention, _made(trace, part)
    for own in dict.fromkeys(x for d in made for x in d.operands if x.path == part.path):
        for head in range(attention.heads):
            other = below(attention.head_path(head), own.local)
            if other != own and _shape(trace, other) == _shape(trace, own):
                shared = attention.kv_heads < attention.heads and own.local.endswith(("K", "V"))
                name = "other_kv_head" if shared else "another_head"
                yield WrongWay(
                    name, f"{other} goes in where {own} belongs.", _with(made, own, other)
                )


def _left_out(trace: Trace, part: PlannedStep, made: tuple[Definition, ...]) -> Iterator[WrongWay]:
    """A part without one of its operations, whose result would be what goes in."""
    for definition in (d for d in made if d.operands):
        first = definition.operands[0]
        if not definition.operation.copies and _shape(trace, first) == _shape(
            trace, definition.name
        ):
            says = f"{definition.name.local} is just {first.local}."
            yield WrongWay(f"{part.step}_left_out", says, (_same(definition, first),))


def _terms_left_out(made: tuple[Definition, ...]) -> Iterator[WrongWay]:
    """What a sum gives without one of its terms."""
    for definition in made:
        operation = definition.operation
        if not isinstance(operation, Indexed) or not isinstance(operation.tree, Sum):
            continue
        terms = operation.tree.terms
        for k, term in enumerate(terms):
            rest = (*terms[:k], *terms[k + 1 :])
            tree = rest[0] if len(rest) == 1 else Sum(rest)
            used = {definition.operands[node.place].local for node in each(term, Operand)}
            if not used or any(isinstance(node, Negative) for node in terms):
                continue
            says = f"{definition.name.local} is added up without {' and '.join(sorted(used))}."
            changed = definition._replace(operation=Indexed(operation.shapes, tree))
            yield WrongWay("term_left_out", says, (changed,))


def _other_tensors(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What a part makes is another tensor altogether."""
    for definition in _made(trace, part):
        for other in _alike(trace, definition.name):
            # what comes of it would only say its own number again
            if other not in definition.operands and not _comes_of(trace, other, definition.name):
                says = f"It is {other} instead."
                yield WrongWay("another_tensor", says, (_same(definition, other),))


def _comes_of(trace: Trace, name: Name, source: Name) -> bool:
    """Whether a quantity is made of another one, by whatever way."""
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
    """Whether a part makes something itself."""
    return any(d.name == x for d in part.definitions)


def _with(made: tuple[Definition, ...], own: Name, other: Name) -> tuple[Definition, ...]:
    """The definitions that take one operand, with another one in its place."""
    return tuple(
        d._replace(operands=tuple(other if x == own else x for x in d.operands))
        for d in made
        if own in d.operands
    )


def _shape(trace: Trace, name: Name) -> tuple[int, int] | None:
    return trace[name].matrix.shape if name in trace else None


def _alike(trace: Trace, own: Name) -> list[Name]:
    """The other quantities of the same shape."""
    shape = _shape(trace, own)
    return [q.name for q in trace.quantities.values() if q.matrix.shape == shape and q.name != own]


def bugs(trace: Trace, part: PlannedStep, kind: int) -> tuple[WrongWay, ...]:
    """Those of a part that are as likely as those of a kind."""
    return tuple(way for find in KINDS[kind] for way in find(trace, part))


_Find = Callable[[Trace, PlannedStep], Iterator[WrongWay]]
KINDS: tuple[tuple[_Find, ...], ...] = (
    (declared_ways, _other_settings, _without_transpose),
    SWAPS,
    (_other_parameters, _other_heads, _other_inputs),
    (_other_tensors,),
)
"""By how likely they are: those that are known by a name of their own, then what changes places in
equations, then other operands, then just another tensor. The latter say anew what the former give;
after the first, layers in another configuration are tried."""


# --------------------------------------------------------------------------------------------------
# Which bug a tensor looks like: each known one is made on purpose, from the implementation's own
# earlier tensors, and what gives just this tensor is what was done.

_IMPOSSIBLE = (
    ValueError, ArithmeticError, ScenarioError, IndexError, KeyError, TypeError, RecursionError,
)  # fmt: skip
"""What a bug raises that can't be made with these numbers, or these shapes."""


_FAR = 20.0
"""Times what rounding may come to: what is further off is another number."""


_BETTER = 2.0
"""How many times nearer than what is right a bug must come to a tensor to be given as its cause."""
_EXPLAINED = 2.5
"""How far a tensor may be from what a bug gives, in standard deviations of what rounding does."""
_SAME = 1.0
"""How far apart the tensors of two bugs are at least, in these, to tell which of them it is."""


class Explained(NamedTuple):
    """A bug that gives a tensor, how many other tensors it makes that don't follow otherwise, what
    it leaves unexplained, and what it gives of the tensor."""

    way: WrongWay
    departing: int
    remainder: float
    spread: Spread


class Hidden(NamedTuple):
    """A mistake that rounding hides, and how far it moves a tensor, times as far as rounding."""

    way: WrongWay
    effect: float


_PLACES = 4
"""In how many places at most a mistake is tried, to tell whether it can be seen."""


SEEK = 10.0
"""Seconds that bugs are sought for by default."""


def check_seek(called: str, seconds: float) -> None:
    """Raises UserError for what is no time to seek for; it is `called` so."""
    if not seconds >= 0:  # which nan isn't either
        raise UserError.of(f"{called}{seconds:g}", "no time", "give seconds, or 0 to seek nothing")


@dataclass
class Search:
    """How many seconds are spent on finding bugs, in all, and how many of them were left untried
    then, with the tensors for which they were."""

    seconds: float = SEEK
    clock: Callable[[], float] = monotonic
    spent: float = 0.0
    tried: int = 0
    untried: int = 0
    ended_at: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return self.spent >= self.seconds

    def each(self, ways: Sequence[WrongWay], name: str) -> Iterator[WrongWay]:
        """The ways to be tried on a tensor, as long as there is time."""
        for k, way in enumerate(ways):
            if self.is_over:
                self.untried += len(ways) - k
                self.ends_at(name)
                return
            self.tried += 1
            with self.counted():
                yield way

    @contextmanager
    def counted(self) -> Iterator[None]:
        """What is done is part of the search, which ends once its time is spent."""
        begun = self.clock()
        try:
            yield
        finally:
            self.spent += self.clock() - begun

    def ends_at(self, name: str) -> None:
        """Notes a tensor for which not all was tried."""
        if name not in self.ended_at:
            self.ended_at.append(name)


_FEW = 4
"""Rows of a tensor that a bug is tried on before all: it must give each."""


class _Rows(NamedTuple):
    """Some rows of a tensor that depart, their numbers, and how near to these a bug must come."""

    rows: tuple[int, ...]
    theirs: Array
    limit: Array

    @classmethod
    @np.errstate(invalid="ignore")
    def of(cls, theirs: Array, follows: Enclosure, half: float) -> _Rows:
        """The row that is furthest off, and others that depart."""
        limit = _limit(follows, half)
        off = np.nan_to_num(np.abs(theirs - follows.middle) / (limit + np.finfo(float).tiny))
        furthest = off.max(axis=1)
        some = np.argsort(-furthest, kind="stable")[: max(1, np.count_nonzero(furthest))]
        at = np.unique(np.linspace(0, len(some) - 1, _FEW).astype(int))
        rows = tuple(int(some[k]) for k in at)
        return cls(rows, theirs[list(rows)], limit[list(rows)])


@np.errstate(invalid="ignore")
def _limit(follows: Enclosure, half: float) -> Array:
    """How far from a tensor's numbers what gives it may be at most."""
    slack = np.nan_to_num(follows.high - follows.low) + half
    return np.asarray(_FAR * (slack + slack.max() / _FAR))


@np.errstate(invalid="ignore")
def _within(value: Array, theirs: Array, limit: Array) -> bool:
    """Whether all numbers are so near to others, and infinite where these are."""
    far = np.abs(value - theirs) > limit
    return not (far | (np.isinf(value) != np.isinf(theirs))).any()


@dataclass(frozen=True)
class Suspects:
    """The bugs that a trace may have, tried on tensors that depart, as long as there is time."""

    trace: Trace
    floats: Floats
    theirs: Mapping[str, Array]
    search: Search = field(default_factory=Search)
    _known: dict[tuple[int, int], tuple[WrongWay, ...]] = field(default_factory=dict)
    _layers: dict[Name, tuple[WrongWay, ...]] = field(default_factory=dict)
    _rows: dict[str, _Rows] = field(default_factory=dict)

    def in_floats(self, floats: Floats) -> Suspects:
        """The same bugs, made in other floats."""
        return replace(self, floats=floats, _rows={})

    def causes(
        self, name: str, follows: Enclosure, off: Flags, kinds: int = len(KINDS)
    ) -> tuple[Cause, ...]:
        """What gives a tensor that departs, of some kinds of bugs: the one that explains most of
        it, and those that give the same numbers as far as rounding lets these be told apart."""
        for ways in self.leading_to(name, kinds):
            each = (self._explained(way, name, follows, off) for way in ways)
            found = [entry for entry in each if entry is not None]
            if found:
                found.sort(key=lambda entry: entry.departing, reverse=True)
                best = min(found, key=lambda entry: (-entry.departing, entry.remainder))
                same = (e for e in found if best.spread.distance(e.spread.right) <= _SAME)
                causes = [entry.way.cause(name) for entry in same]
                return tuple({cause.name: cause for cause in reversed(causes)}.values())[::-1]
        return ()

    def _explained(
        self, way: WrongWay, name: str, follows: Enclosure, off: Flags
    ) -> Explained | None:
        """What a bug explains of a tensor; None where that is no more than rounding does."""
        theirs, paths = self.theirs[name], self.floats.otherwise(way.definitions)
        if not self._is_near(paths, name, follows):
            return None
        try:
            if not self._gives(way, paths, name, follows, off):
                return None
            spread = paths.spread(name)
            made = sum(not self.floats.takes_all(x, self.theirs[x]) for x in self._made(way))
        except _IMPOSSIBLE:
            return None
        remainder = spread.distance(theirs)
        if remainder > _EXPLAINED:
            return None
        return Explained(way, made, remainder, spread)

    def _made(self, way: WrongWay) -> set[Name]:
        """The tensors of theirs that a bug makes."""
        return {d.name for d in way.definitions if d.name in self.theirs}

    def leading_to(self, name: str, kinds: int) -> Iterator[Iterator[WrongWay]]:
        """The bugs in making a quantity, or what is between it and other tensors of theirs, the
        nearest first; by how likely they are."""
        parts = {
            id(part): part for text in self.between(name) if (part := self.trace.part_of(text))
        }
        for kind in range(kinds):
            if self.search.is_over:
                self.search.ends_at(name)
                return
            ways = [way for part in parts.items() for way in self._of_part(*part, kind)]
            yield self.search.each([*ways, *_everywhere(ways)], name)
            if not kind and not self.search.is_over:
                with self.search.counted():
                    ways = self._configured(name, parts.values())
                yield self.search.each(ways, name)

    def _configured(self, name: str, parts: Iterable[PlannedStep]) -> list[WrongWay]:
        """Another configuration of the layers of some parts, where it makes something between a
        tensor and others of theirs."""
        between = {*self.between(name)}
        layers = {p.place.layer.path: p.place for p in parts if isinstance(p.place, LayerPlace)}
        ways = [
            way
            for path, place in layers.items()
            for way in self._of_layer(path, place)
            if any(d.name in between for d in way.definitions)
        ]
        making = (way for way in ways if any(d.name == name for d in way.definitions))
        alone = (with_its_own_ways(way, name, self.theirs) for way in making)
        return [*ways, *filter(None, alone)]

    def _of_layer(self, path: Name, place: LayerPlace) -> tuple[WrongWay, ...]:
        if path not in self._layers:
            self._layers[path] = tuple(of_another_configuration(self.trace, place))
        return self._layers[path]

    def _of_part(self, key: int, part: PlannedStep, kind: int) -> tuple[WrongWay, ...]:
        if (key, kind) not in self._known:
            self._known[key, kind] = bugs(self.trace, part, kind)
        return self._known[key, kind]

    def between(self, name: str) -> Iterator[str]:
        """A quantity, and those that lie between it and other tensors of theirs."""
        waiting, seen = [name], {name}
        while waiting:
            made = waiting.pop(0)
            yield made
            definition = self.trace[made].definition
            for operand in () if definition is None else definition.operands:
                if operand not in seen and operand not in self.theirs:
                    seen.add(operand)
                    waiting.append(operand)

    def _gives(
        self, way: WrongWay, paths: Floats, name: str, follows: Enclosure, off: Flags
    ) -> bool:
        """Whether a bug gives all of a tensor, and of others that it makes, and isn't known to give
        just about anything."""
        theirs = self.theirs[name]
        if not all(paths.takes_all(x, self.theirs[x]) for x in self._shown(way, name, paths)):
            return False
        judged = paths.judged(name, theirs)
        if self.floats.grain.is_coarse:
            return judged.is_decided
        apart = np.where(off, _apart(theirs, follows), 0.0)
        furthest = np.unravel_index(int(apart.argmax()), apart.shape)
        with np.errstate(invalid="ignore"):
            wide = judged.follows.high[furthest] - judged.follows.low[furthest] > apart[furthest]
        return judged.is_decided and not wide

    def hidden(self) -> tuple[Hidden, ...]:
        """The mistakes with a name of their own that rounding hides: of each the most that it does
        to a tensor, in so many places at most."""
        most: dict[str, Hidden] = {}
        tried: Counter[str] = Counter()
        seen: set[str] = set()
        for name in self.theirs:
            for way in next(self.leading_to(name, 1), iter(())):
                if way.says in seen or tried[way.says] >= _PLACES:
                    continue
                effect = self._effect(way, name)
                if effect is None:
                    continue
                tried[way.says] += 1
                if effect > _EXPLAINED:
                    seen.add(way.says)
                elif effect >= most.get(way.says, Hidden(way, 0.0)).effect:
                    most[way.says] = Hidden(way, effect)
            self.floats.forget(self.between(name))
        return tuple(entry for says, entry in most.items() if says not in seen)

    def _effect(self, way: WrongWay, name: str) -> float | None:
        """How far a mistake moves a tensor, times as far as rounding; None where it can't be made,
        or changes nothing at all, as some make no difference here."""
        try:
            other, spread = (
                self.floats.otherwise(way.definitions).value(name),
                self.floats.spread(name),
            )
        except _IMPOSSIBLE:
            return None
        if other.shape != spread.right.shape or np.array_equal(other, spread.right, equal_nan=True):
            return None
        return spread.distance(other) if spread.hides(other) else np.inf

    def _shown(self, way: WrongWay, name: str, paths: Floats) -> set[str]:
        """The tensors that have to be what a bug gives: this one, what it makes itself, and where
        it is made in several heads what comes of it in each."""
        made = {str(d.name) for d in way.definitions if d.name in self.theirs}
        heads = {d.name.path for d in way.definitions if d.name.path.local == "heads"}
        if len(heads) > 1:
            made |= {text for text in self.theirs if paths.is_changed(text)}
        return {name, *made}

    def _is_near(self, paths: Floats, name: str, follows: Enclosure) -> bool:
        """Whether a bug may give a tensor at all, which is known quickly."""
        theirs, half = self.theirs[name], self.floats.grain.half
        if not self._gives_some_rows(paths, name, follows):
            return False
        try:
            value = paths.value(name)
        except _IMPOSSIBLE:
            return False
        if value.shape != theirs.shape:
            return False
        right = self.floats.spread(name)
        left = right._replace(right=value).distance(theirs)
        if not np.isfinite(left) or left * _BETTER > right.distance(theirs):
            return False
        return self.floats.grain.is_coarse or _within(value, theirs, _limit(follows, half))

    def _gives_some_rows(self, paths: Floats, name: str, follows: Enclosure) -> bool:
        """Whether a bug may give a few of the rows that depart, which is known more quickly."""
        theirs = self.theirs[name]
        if self.floats.grain.is_coarse or len(theirs) <= _FEW * _FEW:
            return True
        if name not in self._rows:
            self._rows[name] = _Rows.of(theirs, follows, self.floats.grain.half)
        rows = self._rows[name]
        try:
            value = paths.rows(name, rows.rows)
        except _IMPOSSIBLE:
            return True  # all of it is tried, which tells why
        return value.shape != rows.theirs.shape or _within(value, rows.theirs, rows.limit)


def _apart(theirs: Array, follows: Enclosure) -> Array:
    """How far each number is from what follows."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.abs(theirs - follows.middle), nan=np.inf)


def _everywhere(ways: Iterable[WrongWay]) -> Iterator[WrongWay]:
    """The same bug made in all heads, and in all that it can be made in: of Q, K and V together,
    and of each of them."""
    alike: dict[tuple[str, str, int, str], dict[Definition, None]] = {}
    for way in ways:
        made = dict.fromkeys(way.definitions)
        for local in ("", way.definitions[0].name.local):
            alike.setdefault((way.name, way.says, way.variant, local), {}).update(made)
    seen: set[tuple[Definition, ...]] = set()
    for (name, says, variant, _), definitions in alike.items():
        together = tuple({d.name: d for d in definitions}.values())
        if len(together) == len(definitions) > 1 and together not in seen:
            seen.add(together)
            heads = {d.name.path for d in together if d.name.path.local == "heads"}
            everywhere = " It is so in all heads." if len(heads) > 1 else ""
            yield WrongWay(name, says + everywhere, together, variant=variant)


_NARROW = 0.25
"""The share of what tells numbers apart that bounds may have where numbers are found again."""
_LARGE = 1e4
"""What no number is that overflows by mistake."""
_NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def likenesses(theirs: Array, right: Array, follows: Enclosure, off: Flags) -> Iterator[Cause]:
    """What can be said of a tensor beside what should follow, where that explains all of its
    numbers as nearly as its floats allow, and these tell its numbers apart."""
    if np.isnan(theirs).any():
        count = int(np.isnan(theirs).sum())
        yield Cause("nan", f"{count} of its numbers are nan.")
        return
    if _overflows(theirs, right):
        says = "Its largest numbers are infinite: its floats have none as large (float16: 65504)."
        yield Cause("overflow", says)
    if not (np.isfinite(theirs) & np.isfinite(right)).all():
        return
    slack = follows.high - follows.low + NOISE * np.abs(right)
    if not (slack <= _NARROW * tells_apart(right)).all():
        return
    if _is_dropout(theirs, right, slack):
        yield Cause("dropout_on", "Some numbers are 0 and the others larger: dropout was left on.")
    times = _ratio(theirs, right, slack) if np.count_nonzero(off) > 1 else None
    if times is not None:
        yield Cause("other_factor", f"Each number is {_factor(times)} times what it should be.")
    most = float(slack.max())
    if _are_the_same(np.sort(theirs, axis=None), np.sort(right, axis=None), most):
        how = next(_ways_moved(theirs, right, most), "the numbers stand in other places")
        yield Cause("other_places", f"The numbers are right, but {how}.")
    else:
        yield from (Cause("other_places", says) for says in _rows_shifted(theirs, right, most))


def _overflows(theirs: Array, right: Array) -> bool:
    """Whether numbers are infinite that should be finite, and larger than all others."""
    size, infinite = np.abs(right), np.isinf(theirs) & np.isfinite(right)
    finite = size[np.isfinite(theirs)]
    return bool(infinite.any() and size[infinite].min() > max(_LARGE, finite.max(initial=0)))


def _are_the_same(theirs: Array, right: Array, most: float) -> bool:
    """Whether numbers are the same beside others, but for so much; seen by the first of them where
    they aren't."""
    if theirs.size <= 1:
        return False
    first = np.abs(theirs[0] - right[0]) <= most
    return bool(np.all(first) and (np.abs(theirs - right) <= most).all())


def _ways_moved(theirs: Array, right: Array, most: float) -> Iterator[str]:
    """How numbers were moved, the simplest ways first."""
    for axis, what in ((0, "rows"), (1, "columns")):
        if _are_the_same(theirs, np.flip(right, axis), most):
            yield f"the {what} stand in the opposite order"
        for by in sorted(range(1 - right.shape[axis], right.shape[axis]), key=abs):
            first = np.abs(theirs.take(0, axis) - right.take(-by, axis)) <= most
            if by and first.all() and _are_the_same(theirs, np.roll(right, by, axis), most):
                yield f"the {what} are shifted by {in_words(by)}, those past the end put first"
        if _rows_are_the_same(np.moveaxis(theirs, axis, 0), np.moveaxis(right, axis, 0), most):
            yield f"the {what} stand in another order"
    if right.shape[0] == right.shape[1] and _are_the_same(theirs, right.T, most):
        yield "rows and columns are exchanged"
    if _are_the_same(theirs, right.reshape(right.shape[::-1]).T, most):
        yield "they were reshaped where they should be transposed"


def _rows_are_the_same(theirs: Array, right: Array, most: float) -> bool:
    """Whether rows are the same in another order."""
    array, other = (x[np.lexsort(x.T[::-1])] for x in (theirs, right))
    return _are_the_same(array, other, most)


def _rows_shifted(theirs: Array, right: Array, most: float) -> Iterator[str]:
    """How rows or columns were shifted, others taking the places that are left free."""
    for axis, what in ((0, "rows"), (1, "columns")):
        array, other = (np.moveaxis(x, axis, 0) for x in (theirs, right))
        for by in range(1, len(other) - 1):
            if _are_the_same(array[by:], other[:-by], most):
                yield f"The {what} are shifted by {in_words(by)}: the first are other numbers."
            if _are_the_same(array[:-by], other[by:], most):
                yield f"The {what} are shifted by {in_words(-by)}: the last are other numbers."


def in_words(by: int) -> str:
    """`one`, `two back`"""
    number = _NUMBERS[abs(by)] if abs(by) < len(_NUMBERS) else str(abs(by))
    return number if by > 0 else f"{number} back"


def _ratio(theirs: Array, right: Array, slack: Array) -> float | None:
    """By what all numbers are multiplied, if by one; told by the largest."""
    largest = np.unravel_index(int(np.abs(right).argmax()), right.shape)
    if not right[largest]:
        return None
    times = float(theirs[largest] / right[largest])
    left = np.abs(theirs - times * right)
    fits = left <= 2 * abs(times) * slack
    is_better = _BETTER * left.max() < np.abs(theirs - right).max()
    return times if times and fits.all() and is_better else None


def _factor(times: float) -> str:
    """A factor with six digits, or as many as tell it from 1."""
    apart = abs(times - 1)
    digits = 6 if not 0 < apart < _NEAR_ONE else 2 - math.floor(math.log10(apart))
    return f"{times:.{digits}g}"


_NEAR_ONE = 1e-4
"""From 1, where six digits say too little."""


def _is_dropout(theirs: Array, right: Array, slack: Array) -> bool:
    """Whether some numbers are 0, and the others all larger by one factor, as 1 / (1 − p) is."""
    dropped, kept = (theirs == 0) & (right != 0), theirs != 0
    if not dropped.any() or not kept.any():
        return False
    times = _ratio(theirs[kept][None], right[kept][None], slack[kept][None])
    return times is not None and times > 1
