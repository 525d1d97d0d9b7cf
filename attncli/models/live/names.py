"""The quantities that parts of a module make, by their parameters, their place, their run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from attncli.maths.numbers.foreign_arrays import as_array
from attncli.maths.numbers.rounding import Array
from attncli.models.dumps.meanings import (
    OUTPUT,
    Meant,
    each_head,
    made_by,
    made_with,
    meant_by,
    meant_by_any_layer,
)
from attncli.models.dumps.tensors import Mapped, Ours, as_said, fits, heads_in
from attncli.names import Name
from attncli.scenario.file.dump_files import Tensor
from attncli.trace import Quantity, Trace

Tensors = Mapping[str, Tensor]
Keys = Mapping[str, Sequence[tuple[str, int | None]]]
"""By which keys a scenario knows parts, each in a layer from 0 where its name says which."""


def of_each_run(names: Mapping[str, Ours], tensors: Tensors, trace: Trace) -> dict[str, Ours]:
    """Spreads what is said of a part that runs several times, `gates[*].z` or one name for each
    run, over its runs."""
    found: dict[str, Ours] = {}
    for called, ours in names.items():
        runs = [name for name in tensors if _RUN.sub("", name) == called and name != called]
        each = [*each_head(ours, trace)] if isinstance(ours, str) else [*ours]
        is_of_runs = called not in tensors and runs and len(each) == len(runs)
        found |= dict(zip(runs, each, strict=True)) if is_of_runs else {called: ours}
    return found


def called_in(name: str) -> str:
    """Returns the name of a part's tensor: `output` is the whole module's."""
    return f"module.{name}" if name == OUTPUT else name


_RUN = re.compile(r" \(run \d+\)$")


class PartsTold(NamedTuple):
    """A set of what parts make: what is `sure` by their parameters, and what is `likely` by their
    names."""

    sure: Mapping[str, Ours]
    likely: Mapping[str, Ours]


def parts_told(module: object, tensors: Tensors, trace: Trace, keys: Keys) -> PartsTold:
    """Tells what the parts of a module make: a part makes what is made with its parameter, and runs
    are in the order of the working, also where only their name says what they may be."""
    parts = _other_names(module)
    runs: dict[str, list[str]] = {}
    for called in tensors:
        runs.setdefault(_RUN.sub("", called), []).append(called)
    by_weights = {} if keys else _made_by_weights(module, trace)
    sure: dict[str, Ours] = {
        **dict(_by_turns(module, tensors, trace)),
        **dict(_tables(tensors, trace)),
    }
    likely: dict[str, Ours] = {}
    for name, each in runs.items():
        names = parts.get(name, ())
        known = [found for alias in names for found in keys.get(alias, ())]
        made = [meant for key, layer in known for meant in made_with(key, layer, trace)]
        made = made or by_weights.get(name, [])
        if made:
            sure |= _in_order(each, made, tensors, trace)
        elif len(each) > 1:
            made = [meant for alias in names for meant in meant_by_any_layer(alias, trace)]
            likely |= _in_order(each, made, tensors, trace) if made else ()
    return PartsTold(sure, likely)


def _other_names(module: object) -> Mapping[str, Sequence[str]]:
    """Returns all names of each part, by what its tensor is called; a function has no parts."""
    if not hasattr(module, "named_modules"):
        return {}
    names: dict[int, list[str]] = {}
    for name, part in module.named_modules(remove_duplicate=False):
        names.setdefault(id(part), []).append(name)
    return {called_in(each[0]): each for each in names.values() if each[0]}


def _tables(tensors: Tensors, trace: Trace) -> Iterator[tuple[str, Ours]]:
    """Yields what is no table: a module that is called as one, and makes something else."""
    nothing = Mapped({}, OUTPUT)
    for name, tensor in tensors.items():
        if name in trace and trace[name].given and heads_in(name, tensor, trace, nothing) is None:
            yield name, ""


def _made_by_weights(module: object, trace: Trace) -> Mapping[str, list[Meant]]:
    """Finds what each part may make whose weight is a given matrix, in as many places as have
    it."""
    matrices = [trace[name] for name in trace if trace[name].given]
    matrices = [quantity for quantity in matrices if quantity.matrix.values.size > 1]
    given: dict[object, list[Quantity]] = {}
    for quantity in matrices:
        given.setdefault(_likeness(quantity.matrix.values), []).append(quantity)
    found: dict[str, list[Meant]] = {}
    for name, part in getattr(module, "named_modules", dict[str, object]().items)():
        weight = as_array(getattr(part, "weight", None))
        if name and weight is not None and weight.ndim in (1, _MATRIX):
            same = (q for q in given.get(_likeness(weight), ()) if _is_one(weight, q.values))
            made = [meant for quantity in same for meant in made_by(quantity.name, trace)]
            made = made or [*_side_by_side(weight, matrices, trace)]
            found |= {called_in(name): made} if made else {}
    return found


def _side_by_side(weight: Array, matrices: Sequence[Quantity], trace: Trace) -> Iterator[Meant]:
    """Finds what is made with several given matrices that stand below each other in one weight, out
    × in, as queries, keys and values often do."""
    names: list[Name] = []
    begin = 0
    while weight.ndim == _MATRIX and begin < len(weight):
        rest = weight[begin:]
        ends = ((q, q.values.size // weight.shape[1]) for q in matrices)
        found = next(((q, k) for q, k in ends if k and _is_one(rest[:k], q.values)), None)
        if found is None:
            return
        quantity, size = found
        made = next(made_by(quantity.name, trace), None)
        if made is None:
            return
        names += made.names
        begin += size
    if len(names) > 1:
        yield Meant(tuple(names), blocks=tuple(range(len(names))))


_MATRIX = 2


def _likeness(weight: Array) -> object:
    """Returns what matrices share that have the same numbers, whichever way round."""
    low, high = float(weight.min()), float(weight.max())
    return weight.size, np.float32(low), np.float32(high)


def _is_one(weight: Array, given: Array) -> bool:
    """Tells whether a weight is a given matrix, whichever way round it is kept."""
    rows = np.atleast_2d(weight)
    return any(
        each.shape == given.shape and np.array_equal(each, given.astype(weight.dtype))
        for each in (rows, rows.T)
    )


def _by_turns(module: object, tensors: Tensors, trace: Trace) -> Iterator[tuple[str, Ours]]:
    """Yields what parts are by their place where layers of two kinds take turns."""
    from attncli.models.checkpoints.modules import parts_by_turns

    named = getattr(module, "named_parameters", dict[str, object]().items)  # a function has none
    parameters = [name for name, _ in named()]
    for called, name in parts_by_turns([*tensors], parameters):
        meant = meant_by(name, trace) if name else ()
        quantities = (entry.names[0] for entry in meant if len(entry.names) == 1)
        fitting = (q for q in quantities if trace[q].shape == tensors[called].values.shape)
        yield called, str(next(fitting, ""))


def _in_order(
    runs: Sequence[str], may_be: Sequence[Meant], tensors: Tensors, trace: Trace
) -> Iterator[tuple[str, Ours]]:
    """Yields which quantity each run makes: of those of its shape, in the order of the working.

    Where there are more or fewer of these than runs, nothing is said of a single run, and several
    runs are left out.
    """
    place = {name: k for k, name in enumerate(trace)}
    ordered = sorted(
        {meant.names: meant for meant in may_be}.values(), key=lambda m: place[m.names[0]]
    )
    shapes = dict.fromkeys(tensors[called].values.shape for called in runs)
    for shape in shapes:
        those = [called for called in runs if tensors[called].values.shape == shape]
        fitting = [meant for meant in ordered if fits(shape, meant, trace)]
        fitting = [meant for meant in fitting if not _is_whole_too(meant, fitting)]
        if len(fitting) == len(those):
            yield from zip(those, (as_said(meant, trace) for meant in fitting), strict=True)
        elif len(runs) > 1:
            yield from ((called, "") for called in those)


def _is_whole_too(meant: Meant, others: Sequence[Meant]) -> bool:
    """Tells whether what all heads have is one quantity beside theirs, as Q is before it is
    split."""
    whole = re.sub(r"heads\[1\]\.", "", meant.names[0])
    return meant.heads and any(other.names == (whole,) for other in others)
