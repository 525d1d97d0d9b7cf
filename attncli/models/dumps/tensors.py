"""Tensors of a dump as the quantities that they are: batches and heads are taken apart."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.errors import Problem, UserError, listed, quote
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.numbers.rounding import Array, Flags
from attncli.models.dumps.floats import Floats, Grain, fills, tells_apart
from attncli.models.dumps.meanings import (
    Meant,
    each_head,
    is_parameter_called,
    meant_by,
    named,
    of_heads,
    outputs_of,
    together,
)
from attncli.models.dumps.shapes import as_matrix, distance, heads_apart, of_each, side_by_side
from attncli.names import GRADIENTS, Name
from attncli.scenario.file.dump_files import ROUNDOFFS, Dumped, Tensor
from attncli.scenario.file.problems import nearest
from attncli.steps.order import OWN
from attncli.trace import Trace

_EXACT_DIGITS = 12
"""Decimals from which on a written number is taken to be in full."""


_NEAR = 0.1
"""The share of what tells numbers apart by which near ones may differ, and of those that may."""


Ours = str | Sequence[str | Sequence[str]]
"""Which quantity a tensor is: its name, `heads[*].Q` of those of all heads, nothing where it is to
be left out; or the names of what stands side by side in it, of several that share a part together.
"""


class Mapped(NamedTuple):
    """A map of a dump's tensors, as users give it."""

    names: Mapping[str, Ours]
    """Which quantity some tensors are."""
    whole: str | None = None
    """The tensor that the module itself returned."""
    lead: str = ""
    """What stands before the names of tensors in the model that the module is a part of."""

    def meant(self, called: str, trace: Trace) -> tuple[Meant, ...]:
        """Returns what a tensor may be, the likeliest first."""
        ours = self.names.get(called)
        if ours is not None:
            return tuple(_said(ours, called, trace)) if ours else ()
        if called == self.whole:
            return tuple(outputs_of(trace))
        own = called.removeprefix("module.") if self.lead else called
        return tuple(meant_by(f"{self.lead}{own}", trace))


class Theirs(NamedTuple):
    """A tensor of a dump, or the part of it that is a quantity."""

    called: str
    """What the dump calls the tensor."""
    values: Array


class Misshapen(NamedTuple):
    """A tensor that hasn't the shape of the quantity that its name says."""

    name: Name
    called: str
    shape: tuple[int, ...]
    right: tuple[int, ...]
    """The shape that the quantity has."""


class Unjudged(NamedTuple):
    """A tensor that a module itself returned, and that can't be compared with the output of the
    scenario."""

    called: str
    shape: tuple[int, ...] | None
    """The shape of the tensor, and None where it is no array of floats."""
    right: tuple[int, ...]
    """The shape of the scenario's output."""
    likely: tuple[str, ...] = ()
    """The names of quantities that it may be: those of tensors with the same numbers, then those of
    the same shape, the last ones first."""


class Entry(NamedTuple):
    """An entry of a batch, from 0, and how many there are."""

    number: int
    size: int


class LeftOut(NamedTuple):
    """The tensors of a dump that aren't compared."""

    unknown: tuple[str, ...]
    """The names of those that are no quantity."""
    repeated: Mapping[str, str]
    """Those whose quantity another tensor is already, with other numbers, each with the name of
    that tensor."""
    misshapen: tuple[Misshapen, ...]
    """Those that haven't the shape of what they are called."""
    unjudged: Unjudged | None
    """What a module returned that can't be compared."""


class ModuleCall(NamedTuple):
    """What is known of the call of a module that made a dump."""

    sides: Mapping[str, Sequence[str]] = MappingProxyType({})
    """What the first side of tensors was taken for, each with their names."""
    entry: Entry | None = None
    """The entry of a batch that was looked at."""
    given: tuple[str, ...] = ()
    """The arguments that the config gave to a part of a model."""
    other_input: str = ""
    """The argument that isn't X."""


class Dump(NamedTuple):
    """A dump whose tensors are taken apart into quantities."""

    tensors: Mapping[str, Theirs]
    """The tensors by the names of their quantities, in the order of the working."""
    left_out: LeftOut
    """The tensors that aren't compared."""
    grain: Grain
    """How finely all was computed."""
    is_stated: bool
    """Whether the type of floats was stated."""
    kept: tuple[str, ...]
    """In which types of floats the tensors are kept."""
    taken: Mapping[str, Ours] = MappingProxyType({})
    """Which quantity each tensor was taken for, as `--map` has it."""
    by_numbers: Mapping[str, Ours] = MappingProxyType({})
    """The tensors whose numbers are another quantity than their names say, each with that, or with
    nothing where it is no quantity."""
    call: ModuleCall = ModuleCall()
    """The call of a module that made it, if one did."""


def _at_each_time(
    called: str, tensor: Dumped, trace: Trace, mapped: Container[str]
) -> Iterator[tuple[str, Dumped]]:
    """Yields a tensor; one that has what a step of a scenario's own made at each of its times, the
    first time first, as one for each."""
    count = tensor.shape[0] if len(tensor.shape) > 1 else 0
    names = (f"{called}[{time}]" for time in range(1, 1 + count))
    is_own = all(name in trace and _is_own(trace, name) for name in names)
    if called in mapped or called in trace or not count or not is_own:
        yield called, tensor
        return
    for time, values in enumerate(tensor.values, 1):
        yield f"{called}[{time}]", Tensor(values, tensor.type, tensor.digits)


def _is_own(trace: Trace, name: str) -> bool:
    definition = trace[name].definition
    return definition is not None and definition.step == OWN


def taken_apart(
    dump: Mapping[str, Dumped],
    trace: Trace,
    said: Mapped | Mapping[str, Ours],
    source: str,
    kind: str | None = None,
) -> Dump:
    """Finds the quantities in a dump. `said` is what some tensors are, `kind` the type of floats in
    which all was computed. What the module itself returned is compared even where another tensor is
    the same quantity. Raises UserError where nothing is known by its name, or what is said isn't
    there or doesn't fit."""
    said = said if isinstance(said, Mapped) else Mapped(said)
    mapped, whole = said.names, said.whole
    dump = {c: t for each in dump.items() for c, t in _at_each_time(*each, trace, mapped)}
    _check_map(dump, trace, mapped, source)
    known = {called: _Called.of(called, dump[called], trace, said) for called in dump}
    right = _follows_from(known.values(), trace)
    habits: dict[str, tuple[str, tuple[int, ...]]] = {}
    for entry in known.values():
        if entry.habit not in habits and (near := entry.nearest(right)):
            habits[entry.habit] = near
    chosen = {c: pieces for c, e in known.items() if (pieces := e.pieces(habits.get(e.habit)))}
    found, repeated = _found(chosen, whole)
    unjudged = None if whole in mapped else _unjudged(dump, chosen, whole, trace)
    misshapen = [
        _misshapen(called, dump[called], entry.meant[0], trace)
        for called, entry in known.items()
        if entry.meant and not entry.fitting and (unjudged is None or called != whole)
    ]
    misshapen = [m for m in misshapen if m.name not in found]
    if not found and not misshapen and unjudged is None:
        wrong = f"no tensor has a name that is known here: {listed(dump)}"
        raise UserError.of(source, wrong, "say which is which, like --map attn.q=Q")
    order = [name for name in trace if name in found]
    used = [dump[called] for called in dict.fromkeys(found[name].called for name in order)]
    return Dump(
        {name: found[name] for name in order},
        LeftOut(
            tuple(called for called, entry in known.items() if not entry.meant),
            repeated,
            tuple(misshapen),
            unjudged,
        ),
        _grain(used, kind),
        kind is not None,
        tuple(dict.fromkeys(t.type for t in used if t.type in ROUNDOFFS)),
        {called: as_said(pieces.meant, trace) for called, pieces in chosen.items()},
    )


def _found(
    chosen: Mapping[str, _Pieces], whole: str | None
) -> tuple[dict[str, Theirs], dict[str, str]]:
    """Returns which tensor is compared as each quantity, the first that is one or that which the
    module itself returned, and which others are one with other numbers, each with the name of that
    tensor."""
    found: dict[str, Theirs] = {}
    repeated: dict[str, str] = {}
    for called, pieces in chosen.items():
        for name, values in pieces.values.items():
            first = found.setdefault(name, Theirs(called, values))
            if np.array_equal(first.values, values, equal_nan=True):
                continue
            if called == whole:
                found[name] = Theirs(called, values)
                repeated[first.called] = called
            else:
                repeated[called] = first.called
    return found, repeated


_MOST_LIKELY = 3


def _unjudged(
    dump: Mapping[str, Dumped], chosen: Mapping[str, _Pieces], whole: str | None, trace: Trace
) -> Unjudged | None:
    """Returns what the module itself returned, if that can't be compared."""
    if whole is None or whole in chosen:
        return None
    ends = [*outputs_of(trace)]
    right = _shape_of(ends[0], trace) if ends else ()
    if whole not in dump:
        return Unjudged(whole, None, right)
    tensor = dump[whole]
    same = [called for called in chosen if np.array_equal(dump[called].values, tensor.values)]
    likely = [as_said(chosen[called].meant, trace) for called in same]
    for definition in reversed(trace.plan):
        if definition.name in trace and not definition.name.inside(GRADIENTS):
            meant = together(definition.name, trace)
            likely += [as_said(meant, trace)] if fits(tensor.shape, meant, trace) else []
    names = dict.fromkeys(name for name in likely if isinstance(name, str))
    return Unjudged(whole, tensor.shape, right, tuple(names)[:_MOST_LIKELY])


def heads_in(called: str, tensor: Dumped, trace: Trace, said: Mapped) -> int | None:
    """Returns how many quantities a tensor is by its name, or by what is said of it: as many as
    there are heads for one that holds all. Returns None where its shape fits nothing that it may
    be."""
    if any(not _is_there(name, trace) for name in each_of(said.names.get(called) or ())):
        return None
    fitting = _Called.of(called, tensor, trace, said).fitting
    return len(fitting[0].values) if fitting else None


def _check_map(
    dump: Mapping[str, Dumped], trace: Trace, mapped: Mapping[str, Ours], source: str
) -> None:
    wrong: list[Problem] = []
    for theirs, ours in mapped.items():
        option = f"--map {theirs}={','.join(each_of(ours))}"
        if theirs not in dump:
            text, first = f"{source} has no {quote(theirs)}", run_called(theirs, 1)
            several = f"it ran several times, of which {quote(first)} is the first"
            right = several if first in dump else nearest(theirs, sorted(dump))
            wrong.append(Problem.of(option, text, right))
        for name in each_of(ours):
            if not _is_there(name, trace):
                text = f"the scenario has no {quote(name)}"
                wrong.append(Problem.of(option, text, nearest(name, list(trace))))
    if wrong:
        raise UserError(wrong)


def run_called(name: str, run: int) -> str:
    """Names the tensor of a part that runs several times, by the number of the run from 1."""
    return f"{name} (run {run})"


def each_of(ours: Ours) -> list[str]:
    """Returns the names that are said of a tensor, in one list."""
    if isinstance(ours, str):
        return [ours] if ours else []
    return [name for part in ours for name in each_of(part)]


def _is_there(ours: str, trace: Trace) -> bool:
    return ours in trace or bool(each_head(ours, trace))


class _Called(NamedTuple):
    """A tensor with what it may be by its name."""

    called: str
    meant: tuple[Meant, ...]
    """What the name may mean, the likeliest first."""
    fitting: tuple[_Pieces, ...]
    """What of that has the tensor's shape, taken apart."""

    @classmethod
    def of(cls, called: str, tensor: Dumped, trace: Trace, said: Mapped) -> _Called:
        meant = said.meant(called, trace)
        each = ((entry, apart(tensor.values, entry, trace))
                for entry in meant if fits(tensor.shape, entry, trace))  # fmt: skip
        fitting = tuple(_pieces(entry, found) for entry, found in each if found is not None)
        if fitting and called in fitting[0].values:
            fitting = fitting[:1]
        return cls(called, meant, fitting)

    @property
    def habit(self) -> str:
        """Returns the name with `*` for each number, the same in any layer."""
        return re.sub(r"\d+", "*", self.called)

    def nearest(self, right: Floats) -> tuple[str, tuple[int, ...]] | None:
        """Returns the kind of quantities that the tensor is near to, of several that its name may
        mean. Returns None where it may be only one, or is near to none."""
        if len(self.fitting) == 1:
            return None
        return next((a.kind for a in self.fitting if is_near(a.values, right)), None)

    def pieces(self, habit: tuple[str, tuple[int, ...]] | None) -> _Pieces | None:
        """Returns the quantities that the tensor is. Where several fit, they are of the kind that
        others of its name are. Returns None where none fits."""
        likely = (a for a in self.fitting if a.kind == habit)
        return next(likely, self.fitting[0] if self.fitting else None)


class _Pieces(NamedTuple):
    """The quantities that a tensor holds, taken apart."""

    values: Mapping[Name, Array]
    meant: Meant
    """What the tensor is meant by then."""
    kind: tuple[str, tuple[int, ...]]
    """What it is in any layer, `norm1.normed`, with the order in which its parts stand."""


def _pieces(meant: Meant, each: Sequence[Array]) -> _Pieces:
    local = re.sub(r"\b\w+\[\d+\]\.", "", meant.names[0])
    return _Pieces(dict(zip(meant.names, each, strict=True)), meant, (local, meant.blocks))


def _follows_from(known: Iterable[_Called], trace: Trace) -> Floats:
    """Returns the working from those tensors that can be one thing only, so that a bug before them
    doesn't change what another is taken for."""
    sure: dict[str, Enclosure] = {
        name: Enclosure.of(values)
        for entry in known
        if len(entry.fitting) == 1
        for name, values in entry.fitting[0].values.items()
    }
    return Floats(trace, Grain("float64"), sure)


_SOME_ROWS = 16
"""Rows of a tensor that tell what it is."""


def is_near(pieces: Mapping[Name, Array], right: Floats) -> bool:
    """Tells whether nearly all numbers are near to the right ones, as some rows of them show."""
    near: list[Flags] = []
    for name, values in pieces.items():
        rows = np.unique(np.linspace(0, len(values) - 1, _SOME_ROWS).astype(int)).tolist()
        some, follows = values[rows], right.rows(name, rows)
        with np.errstate(invalid="ignore"):
            is_close = np.abs(some - follows) <= _NEAR * tells_apart(follows)
        near.append(is_close | (some == follows))
    return bool(np.concatenate(near).mean() >= 1 - _NEAR)


def _misshapen(called: str, tensor: Dumped, meant: Meant, trace: Trace) -> Misshapen:
    """Returns a tensor with the shape that it should have."""
    return Misshapen(meant.names[0], called, tensor.shape, _shape_of(meant, trace))


def _shape_of(meant: Meant, trace: Trace) -> tuple[int, ...]:
    """Returns the shape of a quantity: of all heads together, or of all that stands side by side,
    where it is of these."""
    rows, columns = trace[meant.names[0]].shape
    if meant.heads:
        return (len(meant.names), rows, columns)
    if not meant.blocks:
        return (rows, columns)
    shapes = [trace[name].shape for name in meant.names]
    return (rows, sum(dict(zip(meant.blocks, (m for _, m in shapes), strict=True)).values()))


def _said(ours: Ours, called: str, trace: Trace) -> Iterator[Meant]:
    """Yields what a tensor may be that is said to be something."""
    if not isinstance(ours, str):
        parts = [[*_names_of(part, trace)] for part in _side_by_side(ours, trace)]
        names = tuple(name for part in parts for name in part)
        yield Meant(names, blocks=tuple(k for k, part in enumerate(parts) for _ in part))
    elif each := each_head(ours, trace):
        yield of_heads(each, trace)
    else:
        is_parameter = is_parameter_called(called)
        yield from (m._replace(is_parameter=is_parameter) for m in named(trace[ours].name, trace))


def _side_by_side(ours: Sequence[str | Sequence[str]], trace: Trace) -> Iterator[Sequence[str]]:
    """Yields the parts of a tensor, each with the names that share it: `heads[*].Q` is a part for
    each head."""
    for part in ours:
        if isinstance(part, str):
            yield from ([name] for name in _names_of([part], trace))
        else:
            yield part


def _names_of(texts: Sequence[str], trace: Trace) -> Iterator[Name]:
    for text in texts:
        yield from each_head(text, trace) or (trace[text].name,)


def as_said(meant: Meant, trace: Trace) -> Ours:
    """Returns what a tensor was taken for, as `--map` has it."""
    if meant.blocks:
        parts: dict[int, list[str]] = {}
        for block, name in sorted(zip(meant.blocks, meant.names, strict=True)):
            parts.setdefault(block, []).append(str(name))
        return [part[0] if len(part) == 1 else part for part in parts.values()]
    first = str(meant.names[0])
    if not meant.heads:
        return first
    starts = (found.start() for found in re.finditer(r"\[1\]", first))
    texts = (f"{first[:start]}[*]{first[start + 3 :]}" for start in starts)
    return next((text for text in texts if each_head(text, trace) == meant.names), first)


def fits(shape: tuple[int, ...], meant: Meant, trace: Trace) -> bool:
    """Tells whether a tensor of some shape can be taken apart, whatever its numbers are, so that
    those of other shapes needn't be read."""
    return apart(np.broadcast_to(np.float64(0), shape), meant, trace) is not None


def apart(values: Array, meant: Meant, trace: Trace) -> list[Array] | None:
    """Takes a tensor apart into matrices of the shapes of its quantities. Returns None where it
    doesn't fit."""
    shapes = [trace[name].shape for name in meant.names]
    if meant.blocks:
        return side_by_side(values, shapes, meant.blocks)
    if not meant.heads:
        whole = as_matrix(values, shapes[0])
        if whole is None and meant.is_parameter:
            whole = as_matrix(values.T, shapes[0])
        if whole is not None and meant.is_parameter and shapes[0][0] == shapes[0][1]:
            ours = trace[meant.names[0]].values
            far = [np.abs(array - ours).sum() for array in (whole, whole.T)]
            whole = whole.T if far[1] < far[0] else whole
        return None if whole is None else [whole]
    if all(trace[name].is_list for name in meant.names):
        whole = as_matrix(values, (len(shapes), shapes[0][0]))
        return None if whole is None else [row[:, np.newaxis] for row in whole]
    each = heads_apart(values, shapes)
    if each is None or (meant.groups not in (None, len(each)) and len(each) != len(shapes)):
        return None
    parts = of_each(each, len(shapes))
    if each.shape[0] != each.shape[1]:
        return parts
    right = [trace[name].values for name in meant.names]
    turned = of_each(each.transpose(1, 0, 2), len(shapes))
    return min(parts, turned, key=lambda some: distance(some, right))  # as many heads as rows


def _grain(tensors: list[Dumped], kind: str | None) -> Grain:
    """Returns how finely tensors are kept: by the coarsest of their types of floats, or by a
    coarser one yet that can hold all numbers and that these fill."""
    floats = [t for t in tensors if t.type in ROUNDOFFS]
    kinds = {t.type for t in floats}
    coarsest = kind or max(kinds, key=lambda text: ROUNDOFFS[text], default="float64")
    if kind is None and floats:
        fits = (k for k in reversed([*ROUNDOFFS]) if ROUNDOFFS[k] >= ROUNDOFFS[coarsest])
        coarsest = next((k for k in fits if fills(k, *(t.values for t in floats))), coarsest)
    digits = [t.digits for t in floats if t.digits is not None]
    most = max(digits, default=_EXACT_DIGITS)
    half = 0.5 * 10.0**-most if 0 < most < _EXACT_DIGITS else 0.0
    return Grain.of(coarsest, half)
