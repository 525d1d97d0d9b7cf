"""Tensors of a dump as the quantities that they are: batches and heads are taken apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from attncli.arithmetic.rounding import Array
from attncli.file.dump_files import ROUNDOFFS, Tensor
from attncli.file.problems import nearest
from attncli.marking.dumps.floats import Grain
from attncli.marking.dumps.names import Meant, meant_by
from attncli.name import Name
from attncli.records import NamedTuple
from attncli.refusals import Problem, Refusal, listed, quote
from attncli.trace import Trace

_EXACT_DIGITS = 12
"""Decimals from which on a written number is taken to be in full."""


class Theirs(NamedTuple):
    """A tensor, or the part of it, that is a quantity; what they call it."""

    called: str
    values: Array


class Dump(NamedTuple):
    """What of a dump is which quantity; the names of what is none; how finely it is kept."""

    tensors: Mapping[str, Theirs]
    unknown: tuple[str, ...]
    grain: Grain
    type: str


def taken_apart(
    dump: Mapping[str, Tensor],
    trace: Trace,
    mapped: Mapping[str, str],
    source: str,
    kind: str | None = None,
) -> Dump:
    """The quantities in a dump; `mapped` says of some tensors what they are, `kind` in which type
    of floats all were worked. Raises Refusal where nothing is told by its name, or what is mapped
    isn't there or doesn't fit."""
    _check_map(dump, trace, mapped, source)
    found: dict[str, Theirs] = {}
    unknown: list[str] = []
    for called, tensor in dump.items():
        pieces = [*_pieces(called, tensor, trace, mapped.get(called), source)]
        if not pieces:
            unknown.append(called)
        for name, values in pieces:
            found.setdefault(name, Theirs(called, values))
    if not found:
        wrong = f"no tensor has a name that is known here: {listed(dump)}"
        raise Refusal.of(source, wrong, "say which is which, like --map attn.q=Q")
    order = [name for name in trace if name in found]
    used = {found[name].called for name in order}
    return Dump(
        {name: found[name] for name in order},
        tuple(unknown),
        *_grain([dump[called] for called in used], kind),
    )


def _check_map(
    dump: Mapping[str, Tensor], trace: Trace, mapped: Mapping[str, str], source: str
) -> None:
    wrong: list[Problem] = []
    for theirs, ours in mapped.items():
        option = f"--map {theirs}={ours}"
        if theirs not in dump:
            said = f"{source} has no {quote(theirs)}"
            wrong.append(Problem.of(option, said, nearest(theirs, sorted(dump))))
        if ours and ours not in trace and not _each_head(ours, trace):
            said = f"the scenario has no {quote(ours)}"
            wrong.append(Problem.of(option, said, nearest(ours, list(trace))))
    if wrong:
        raise Refusal(wrong)


def _each_head(ours: str, trace: Trace) -> tuple[Name, ...]:
    """`heads[*].Q` means those of all heads."""
    if "[*]" not in ours:
        return ()
    names: list[Name] = []
    while ours.replace("[*]", f"[{len(names) + 1}]") in trace:
        names.append(trace[ours.replace("[*]", f"[{len(names) + 1}]")].name)
    return tuple(names)


def _pieces(
    called: str, tensor: Tensor, trace: Trace, ours: str | None, source: str
) -> Iterator[tuple[Name, Array]]:
    """The quantities that a tensor is; the first of what it may be whose shape it has."""
    if ours == "":
        return
    meant = [*meant_by(called, trace)] if ours is None else [_said(ours, trace)]
    for one in meant:
        pieces = _fitting(tensor.values, one, trace)
        if pieces is not None:
            yield from zip(one.names, pieces, strict=True)
            return
    if ours is not None:
        shape = trace[meant[0].names[0]].matrix.shape
        wrong = f"it has the shape {list(tensor.values.shape)}, {ours} {list(shape)}"
        raise Refusal.of(f"{source}: {called}", wrong, "dump one sequence, as x[0], or map another")


def _said(ours: str, trace: Trace) -> Meant:
    each = _each_head(ours, trace)
    return Meant(each, heads=True) if each else Meant((trace[ours].name,))


def _fitting(values: Array, meant: Meant, trace: Trace) -> list[Array] | None:
    """The parts of a tensor that have the shapes of the quantities; None where it hasn't them."""
    shapes = [trace[name].matrix.shape for name in meant.names]
    if not meant.heads:
        whole = _as_matrix(values, shapes[0])
        if whole is None and meant.is_parameter:
            whole = _as_matrix(values.T, shapes[0])
        if whole is not None and meant.is_parameter and shapes[0][0] == shapes[0][1]:
            ours = trace[meant.names[0]].values
            far = [np.abs(one - ours).sum() for one in (whole, whole.T)]
            whole = whole.T if far[1] < far[0] else whole
        return None if whole is None else [whole]
    return _heads(values, shapes)


def _as_matrix(values: Array, shape: tuple[int, int]) -> Array | None:
    """A tensor as a matrix, without a batch of one; a list as a row or a column."""
    while values.ndim > 2 and values.shape[0] == 1:  # noqa: PLR2004
        values = values[0]
    if values.shape == shape:
        return values
    long = sorted(extent for extent in values.shape if extent != 1)
    is_list = 1 in shape and long == sorted(extent for extent in shape if extent != 1)
    return values.reshape(shape) if is_list else None


def _heads(values: Array, shapes: list[tuple[int, int]]) -> list[Array] | None:
    """[h, n, d], [n, h, d] or [n, h·d] as a matrix for each head; of fewer heads of keys and values
    than of queries each is that of a group."""
    count, (n, d) = len(shapes), shapes[0]
    if any(shape != (n, d) for shape in shapes):
        return None
    while values.ndim > 3 and values.shape[0] == 1:  # noqa: PLR2004
        values = values[0]
    if values.ndim == 3 and values.shape[0] == 1 and count > 1:  # noqa: PLR2004
        values = values[0]
    if values.ndim == 2 and values.shape[0] == n and values.shape[1] % d == 0:  # noqa: PLR2004
        values = values.reshape(n, -1, d)
        if values.shape[1] not in (count, 1):
            return None
        values = values.transpose(1, 0, 2)
    elif values.ndim == 3 and values.shape[1:] != (n, d):  # noqa: PLR2004
        values = values.transpose(1, 0, 2)
    if values.ndim != 3 or values.shape[1:] != (n, d) or count % len(values):  # noqa: PLR2004
        return None
    return [values[head * len(values) // count] for head in range(count)]


def _grain(tensors: list[Tensor], kind: str | None) -> tuple[Grain, str]:
    """How finely tensors are kept: the coarsest of their types of floats; a finer type whose
    numbers all fit a coarser one was worked in that."""
    floats = [one for one in tensors if one.type in ROUNDOFFS]
    kinds = {one.type for one in floats}
    coarsest = kind or max(kinds, key=lambda one: ROUNDOFFS[one], default="float64")
    if kind is None:
        every = [one.values for one in floats]
        fits = (k for k in reversed([*ROUNDOFFS]) if ROUNDOFFS[k] >= ROUNDOFFS[coarsest])
        coarsest = next((k for k in fits if all(_keeps(k, one) for one in every)), coarsest)
    digits = [one.digits for one in floats if one.digits is not None]
    most = max(digits, default=_EXACT_DIGITS)
    half = 0.5 * 10.0**-most if 0 < most < _EXACT_DIGITS else 0.0
    return Grain(ROUNDOFFS[coarsest], half), coarsest


def _keeps(kind: str, values: Array) -> bool:
    """Whether a type of floats keeps numbers as they are."""
    known = values[np.isfinite(values)]
    mantissa, _ = np.frexp(known)
    scaled = mantissa / (2 * ROUNDOFFS[kind])
    return bool((scaled == np.rint(scaled)).all())
