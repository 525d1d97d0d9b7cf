"""A module that runs, beside what it should make: `attncli.torch.compare(module, x)`.

Hooks are set on all of its parts while it runs, and taken away again. What it should make is worked
from a scenario, or from the module's own parameters where its kind is known.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from attncli.dumps.bugs import SEEK, check_seek
from attncli.dumps.departures import Comparison
from attncli.dumps.tensors import heads_in, meant_by, taken_apart
from attncli.errors import Problem, UserError
from attncli.file.array_files import Tensor
from attncli.library.notebook import ShownPart
from attncli.numbers.foreign_arrays import as_array
from attncli.pages.diff import report, status_of
from attncli.pipeline import load, work
from attncli.scenario.scenario import Scenario
from attncli.trace import Trace

Tensors = Mapping[str, Tensor]

if TYPE_CHECKING:
    from attncli.checkpoints.scenario_of_model import Inputs

_EXACT = {"rounding.policy": "exact"}


class LiveComparison(ShownPart):
    """What a module made, beside what it should have: prints and shows itself as a report; `first`
    is the name of what departs first, None where nothing does, `bug` what it looks like, and
    `names` is which quantity each part was taken for."""

    def __init__(self, comparison: Comparison, called: str) -> None:
        super().__init__(report(comparison, called), status_of(comparison))
        self.comparison = comparison

    @property
    def follows(self) -> bool:
        """Whether all tensors follow; False also where of some nothing can be told."""
        return self.status == 0

    @cached_property
    def first(self) -> str | None:
        first = self.comparison.first or next(iter(self.comparison.misshapen), None)
        return None if first is None else first.name

    @cached_property
    def bug(self) -> str | None:
        first = self.comparison.first
        return first.causes[0].name if first is not None and first.causes else None

    @cached_property
    def names(self) -> dict[str, str]:
        """`{"attn.q_proj": "Q"}`, which `names=` takes as well."""
        tensors = self.comparison.dump.tensors
        return {theirs.called: name for name, theirs in tensors.items()}

    def __bool__(self) -> bool:
        return self.follows


def compare(
    module: Any,  # noqa: ANN401
    *inputs: Any,  # noqa: ANN401
    like: Any = None,  # noqa: ANN401
    names: Mapping[str, str] | None = None,
    precision: str | None = None,
    batch: int | None = None,
    seek: float = SEEK,
    **more: Any,  # noqa: ANN401
) -> LiveComparison:
    """What a module makes of its inputs, beside what it should make.

    `module` is one of PyTorch, called with `inputs` and `more`, or a map of arrays of any package
    by their names. `like` says what is right: a scenario (a file, a name, a map, loaded or worked),
    or the config of a model of `transformers`; by default what the module's own parameters should
    give, where its kind is known. `names` says what parts of it are, `{"my.attn.q": "Q"}`, where
    that isn't told by theirs; `precision` in which floats it works; `batch` which entry of a batch
    is looked at, from 0, by default the first; `seek` for how many seconds the bugs behind
    departures are sought, 0 not at all. Without a module, a side is only taken for that of a
    batch where the shapes leave nothing else, or where `batch` is said. Raises UserError.
    """
    from attncli.checkpoints.modules import has_batch

    check_seek("seek=", seek)
    arguments: dict[str, Any] = {}
    if isinstance(module, Mapping):
        made = _as_tensors(module)
    else:
        made, arguments = run_with_hooks(module, inputs, more)
    trace = _right(module, like, arguments, batch or 0)
    sides = _Sides(
        trace,
        names or {},
        batch or 0,
        is_batch=batch is not None or has_batch(arguments),
        is_first=bool(getattr(module, "batch_first", True)),
    )
    tensors = {name: sides.one(name, tensor) for name, tensor in made.items()}
    kind = type(module).__name__
    told = {} if isinstance(module, Mapping) else dict(_told(module, tensors, trace))
    try:
        dump = taken_apart(tensors, trace, {**told, **(names or {})}, kind, precision)
    except UserError as error:
        named = (p.where.source.replace("--map ", "names: ") for p in error.problems)
        pairs = zip(named, error.problems, strict=True)
        raise UserError([Problem.of(name, p.wrong, p.right) for name, p in pairs]) from None
    dump = dump._replace(sides=sides.told(made, tensors))
    return LiveComparison(Comparison(trace, dump, seek=seek), kind)


def assert_follows(module: Any, *inputs: Any, **more: Any) -> LiveComparison:  # noqa: ANN401
    """The same, as a test asks for it. Raises AssertionError, with the report, where a tensor
    departs, and UserError."""
    found = compare(module, *inputs, **more)
    if not found.follows:
        raise AssertionError(f"{type(module).__name__} doesn't follow\n\n{found}")
    return found


def _as_tensors(arrays: Mapping[str, Any]) -> dict[str, Tensor]:
    pairs = ((name, value, as_array(value)) for name, value in arrays.items())
    return {name: _tensor(numbers, value) for name, value, numbers in pairs if numbers is not None}


def _tensor(numbers: Any, value: Any) -> Tensor:  # noqa: ANN401
    kind = str(getattr(value, "dtype", numbers.dtype)).rpartition(".")[2]
    return Tensor(np.asarray(numbers, dtype=np.float64), kind)


def run_with_hooks(
    module: Any,  # noqa: ANN401
    inputs: tuple[Any, ...],
    more: Mapping[str, Any],
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What each part of a module makes while that runs, by their names, the whole as `output`; and
    the arguments by theirs."""
    import torch

    made: dict[str, Tensor] = {}
    with _hooks(module, made), torch.no_grad():
        module(*inputs, **more)
    bound = inspect.signature(module.forward).bind(*inputs, **more)
    named = {**bound.arguments, **bound.arguments.pop("kwargs", {})}
    return made, {name: value for name, value in named.items() if value is not None}


@contextmanager
def _hooks(module: Any, made: dict[str, Tensor]) -> Iterator[None]:  # noqa: ANN401
    """Hooks that keep what each part makes, as long as they are needed; of a part that runs several
    times what it made last."""

    def keeping(name: str) -> Callable[..., None]:
        def keep(_module: Any, _inputs: Any, output: Any) -> None:  # noqa: ANN401
            while isinstance(output, list | tuple) and output:
                output = output[0]
            output = getattr(output, "last_hidden_state", getattr(output, "logits", output))
            numbers = as_array(output)
            if numbers is not None and numbers.dtype.kind == "f":
                made[name or "output"] = _tensor(numbers, output)

        return keep

    handles = [part.register_forward_hook(keeping(name)) for name, part in module.named_modules()]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


_BATCHED = 3
"""Sides from which on one is that of a batch."""


class _Sides(NamedTuple):
    """What tells whether a side of a tensor is that of a batch, of which one `entry` is looked at:
    what goes in is a batch, or the tensor has the shape of nothing else that its name may mean."""

    trace: Trace
    names: Mapping[str, str]
    entry: int
    is_batch: bool
    is_first: bool

    def one(self, called: str, tensor: Tensor) -> Tensor:
        """A tensor, or what it has of one entry of a batch."""
        if tensor.values.ndim < _BATCHED:
            return tensor
        either = (tensor, self._taken(tensor))[:: -1 if self.is_batch else 1]
        return next((t for t in either if self._heads(called, t) is not None), either[0])

    def _heads(self, called: str, tensor: Tensor) -> int | None:
        return heads_in(called, tensor, self.trace, self.names.get(called))

    def _taken(self, tensor: Tensor) -> Tensor:
        axis = self._axis(tensor)
        entry = min(self.entry, tensor.values.shape[axis] - 1)
        return tensor._replace(values=np.moveaxis(tensor.values, axis, 0)[entry])

    def _axis(self, tensor: Tensor) -> int:
        return 0 if self.is_first or tensor.values.ndim > _BATCHED else 1

    def told(self, made: Tensors, tensors: Tensors) -> dict[str, list[str]]:
        """What sides of tensors with more of them than a matrix were taken for, with the tensors'
        names."""
        found: dict[str, list[str]] = {}
        for called, tensor in made.items():
            one, size = tensors[called], tensor.values.shape[self._axis(tensor)]
            heads = self._heads(called, one)
            if size == 1:
                continue
            if one is not tensor:
                what = f"entry {min(self.entry, size - 1)} of a batch of {size}"
            elif one is tensor and tensor.values.ndim == _BATCHED and size == heads:
                what = f"{heads} heads"
            else:
                continue
            found.setdefault(what, []).append(called)
        return found


def _right(module: Any, like: Any, arguments: Mapping[str, Any], batch: int) -> Trace:  # noqa: ANN401
    """What a module should make, worked in full precision. Raises UserError."""
    if isinstance(like, Trace):
        return like
    if isinstance(like, Scenario):
        return work(like)
    if like is not None and not _is_config(like):
        return work(load(like, _EXACT, outside=True))
    from attncli.checkpoints.modules import given_to

    given = given_to(arguments, batch, batch_first=bool(getattr(module, "batch_first", True)))
    return work(scenario_of_module(module, like, given.inputs()))


_LAST = (
    "logits",
    "projected",
    "normed",
    "states",
    "attention",
    "residual1",
    "residual2",
    "residual3",
)
"""What a module may give in the end."""


def _told(module: Any, tensors: Tensors, trace: Trace) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """What parts are by where they stand: what the whole gives is the last thing that is made."""
    if "output" in tensors:
        shape = tensors["output"].values.shape
        last = (d.name for d in reversed(trace.plan) if d.name.local in _LAST and d.name in trace)
        yield "output", str(next((x for x in last if trace[x].matrix.shape == shape), ""))
    yield from _by_turns(module, tensors, trace)


def _by_turns(module: Any, tensors: Tensors, trace: Trace) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """What parts are by their place where layers of two kinds take turns."""
    from attncli.checkpoints.modules import parts_by_turns

    parameters = [name for name, _ in module.named_parameters()]
    for called, name in parts_by_turns([*tensors], parameters):
        meant = meant_by(name, trace) if name else ()
        quantities = (entry.names[0] for entry in meant if len(entry.names) == 1)
        fitting = (q for q in quantities if trace[q].matrix.shape == tensors[called].values.shape)
        yield called, str(next(fitting, ""))


def _is_config(like: Any) -> bool:  # noqa: ANN401
    return hasattr(like, "to_json_string") or (isinstance(like, Mapping) and "model_type" in like)


def scenario_of_module(module: Any, config: Any, inputs: Inputs) -> Scenario:  # noqa: ANN401
    """The scenario of a module with its parameters, in full precision. Raises UserError."""
    from attncli.library.loaded import scenario_of

    if config is not None or not hasattr(module, "save_pretrained"):
        return scenario_of(module.state_dict(), config or module, inputs, _EXACT)
    with TemporaryDirectory() as folder:
        _save(module, folder)
        return scenario_of(folder, None, inputs, _EXACT)


def _save(module: Any, folder: str) -> None:  # noqa: ANN401
    """Saves a model of `transformers`, which names parameters as its family does, in silence."""
    from transformers.utils import logging as hf_logging

    logging: Any = hf_logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        module.save_pretrained(folder)
    finally:
        if shown:
            logging.enable_progress_bar()
