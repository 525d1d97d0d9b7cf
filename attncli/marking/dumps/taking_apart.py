"""Tensors of a dump as the quantities that they are: batches and heads are taken apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from attncli.arithmetic.rounding import Array
from attncli.file.array_files import ROUNDOFFS, Tensor
from attncli.file.problems import nearest
from attncli.marking.dumps.floats import Grain, tells_apart
from attncli.marking.dumps.names import Meant, meant_by
from attncli.marking.paths import Flags
from attncli.name import Name
from attncli.refusals import Problem, Refusal, listed, quote
from attncli.trace import Trace

_EXACT_DIGITS = 12
"""Decimals from which on a written number is taken to be in full."""


_NEAR = 0.1
"""The share of what tells numbers apart by which near ones may differ, and of those that may."""


class Theirs(NamedTuple):
    """A tensor, or the part of it, that is a quantity; what they call it."""

    called: str
    values: Array


class Misshapen(NamedTuple):
    """A tensor that hasn't the shape of the quantity that its name says."""

    name: Name
    called: str
    shape: tuple[int, ...]
    right: tuple[int, ...]


class Dump(NamedTuple):
    """What of a dump is which quantity; the names of what is none; what has another shape; of
    what is a quantity that another tensor is already, with other numbers, that tensor's name; how
    finely all was worked, whether that was said, and in which types of floats it is kept."""

    tensors: Mapping[str, Theirs]
    unknown: tuple[str, ...]
    repeated: Mapping[str, str]
    misshapen: tuple[Misshapen, ...]
    grain: Grain
    is_said: bool
    kept: tuple[str, ...]


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
    repeated: dict[str, str] = {}
    misshapen: list[Misshapen] = []
    known = {called: _Called.of(called, dump[called], trace, mapped.get(called)) for called in dump}
    habits = {one.habit: near for one in known.values() if (near := one.nearest(trace))}
    for called, one in known.items():
        if not one.meant:
            unknown.append(called)
        elif not one.fitting:
            misshapen.append(_misshapen(called, dump[called], one.meant[0], trace))
        for name, values in one.pieces(habits.get(one.habit)).items():
            first = found.setdefault(name, Theirs(called, values))
            if not np.array_equal(first.values, values, equal_nan=True):
                repeated[called] = first.called
    misshapen = [one for one in misshapen if one.name not in found]
    if not found and not misshapen:
        wrong = f"no tensor has a name that is known here: {listed(dump)}"
        raise Refusal.of(source, wrong, "say which is which, like --map attn.q=Q")
    order = [name for name in trace if name in found]
    used = [dump[called] for called in dict.fromkeys(found[name].called for name in order)]
    return Dump(
        {name: found[name] for name in order},
        tuple(unknown),
        repeated,
        tuple(misshapen),
        _grain(used, kind),
        kind is not None,
        tuple(dict.fromkeys(one.type for one in used if one.type in ROUNDOFFS)),
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


class _Called(NamedTuple):
    """A tensor, what it may be by its name, and those of these whose shape it has, taken apart."""

    called: str
    meant: tuple[Meant, ...]
    fitting: tuple[Mapping[Name, Array], ...]

    @classmethod
    def of(cls, called: str, tensor: Tensor, trace: Trace, ours: str | None) -> _Called:
        meant = [*meant_by(called, trace)] if ours is None else [_said(ours, trace)] if ours else []
        each = [(one.names, _fitting(tensor.values, one, trace)) for one in meant]
        fitting = [dict(zip(x, pieces, strict=True)) for x, pieces in each if pieces is not None]
        return cls(called, tuple(meant), tuple(fitting))

    @property
    def habit(self) -> str:
        """Its name in any layer."""
        return re.sub(r"\d+", "*", self.called)

    def nearest(self, trace: Trace) -> str | None:
        """What modules of its name give, where several things are called so: the first that it is
        near to."""
        if len(self.fitting) == 1:
            return None
        return next((_kind(one) for one in self.fitting if _is_near(one, trace)), None)

    def pieces(self, habit: str | None) -> Mapping[Name, Array]:
        """The quantities that it is; where several fit, what others of its name are."""
        likely = (one for one in self.fitting if _kind(one) == habit)
        return next(likely, self.fitting[0] if self.fitting else {})


def _kind(pieces: Mapping[Name, Array]) -> str:
    """What quantities are, in whichever layer: `norm1.normed`"""
    return re.sub(r"\w+\[\d+\]\.", "", next(iter(pieces)))


def _is_near(pieces: Mapping[Name, Array], trace: Trace) -> bool:
    """Whether nearly all numbers are the trace's own, rather than others."""
    near: list[Flags] = []
    for name, values in pieces.items():
        right = trace[name].values
        with np.errstate(invalid="ignore"):
            apart = np.abs(values - right) <= _NEAR * tells_apart(right)
        near.append(apart | (values == right))
    return bool(np.concatenate(near).mean() >= 1 - _NEAR)


def _misshapen(called: str, tensor: Tensor, meant: Meant, trace: Trace) -> Misshapen:
    """A tensor beside the shape that it should have, that of all heads together where it is of
    them."""
    right: tuple[int, ...] = trace[meant.names[0]].matrix.shape
    if meant.heads:
        right = (len(meant.names), *right)
    return Misshapen(meant.names[0], called, tensor.values.shape, right)


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
    if all(trace[name].is_list for name in meant.names):
        whole = _as_matrix(values, (len(shapes), shapes[0][0]))
        return None if whole is None else [row[:, np.newaxis] for row in whole]
    each = _heads(values, shapes)
    if each is None or (meant.groups not in (None, len(each)) and len(each) != len(shapes)):
        return None
    return [each[head * len(each) // len(shapes)] for head in range(len(shapes))]


def _as_matrix(values: Array, shape: tuple[int, int]) -> Array | None:
    """A tensor as a matrix, without a batch of one; a list as a row or a column."""
    while values.ndim > 2 and values.shape[0] == 1:  # noqa: PLR2004
        values = values[0]
    if values.shape == shape:
        return values
    long = sorted(extent for extent in values.shape if extent != 1)
    is_list = 1 in shape and long == sorted(extent for extent in shape if extent != 1)
    return values.reshape(shape) if is_list else None


def _heads(values: Array, shapes: list[tuple[int, int]]) -> Array | None:
    """[h, n, d], [n, h, d] or [n, h·d] as a matrix for each head, or for each group of heads."""
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
    return values


def _grain(tensors: list[Tensor], kind: str | None) -> Grain:
    """How finely tensors are kept: the coarsest of their types of floats; a finer type whose
    numbers are all such as a coarser one has was worked in that."""
    floats = [one for one in tensors if one.type in ROUNDOFFS]
    kinds = {one.type for one in floats}
    coarsest = kind or max(kinds, key=lambda one: ROUNDOFFS[one], default="float64")
    if kind is None and floats:
        every = np.concatenate([one.values.ravel() for one in floats])
        fits = (k for k in reversed([*ROUNDOFFS]) if ROUNDOFFS[k] >= ROUNDOFFS[coarsest])
        coarsest = next((k for k in fits if fills(k, every)), coarsest)
    digits = [one.digits for one in floats if one.digits is not None]
    most = max(digits, default=_EXACT_DIGITS)
    half = 0.5 * 10.0**-most if 0 < most < _EXACT_DIGITS else 0.0
    return Grain(coarsest, half)


def fills(kind: str, values: Array) -> bool:
    """Whether a type of floats keeps numbers as they are, and they need all of its digits, as what
    is worked in it does: a fourth of those that aren't 0 has an odd last digit."""
    known = values[np.isfinite(values) & (values != 0)]
    mantissa, _ = np.frexp(known)
    scaled = mantissa / ROUNDOFFS[kind]
    whole = np.rint(scaled)
    return bool((scaled == whole).all() and 4 * np.count_nonzero(whole % 2) >= max(known.size, 1))
