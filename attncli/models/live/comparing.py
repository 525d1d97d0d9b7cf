"""A module that runs, beside what it should make: `attncli.torch.compare(module, x)`.

Hooks are set on all of its parts while it runs, and taken away again. What it should make is worked
from a scenario, or from the module's own parameters where its kind is known.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from attncli.errors import Problem, UserError, listed
from attncli.library.notebook import ShownPart
from attncli.maths.numbers.foreign_arrays import as_array
from attncli.models.diff_page import DEPARTS, PYTHON, report, status_of
from attncli.models.dumps.departures import Close, Compared, Comparison, Standing
from attncli.models.dumps.guesses import compared
from attncli.models.dumps.meanings import (
    OUTPUT,
)
from attncli.models.dumps.suspects import SEEK, check_seek
from attncli.models.dumps.tensors import (
    Dump,
    Entry,
    Mapped,
    ModuleCall,
    Ours,
    heads_in,
    run_called,
    taken_apart,
)
from attncli.models.live.caches import as_projected, cached_in, fresh, is_cache
from attncli.models.live.names import Keys, PartsTold, Tensors, called_in, of_each_run, parts_told
from attncli.models.reading import data_with
from attncli.names import below
from attncli.option_values import PRECISIONS
from attncli.pipeline import load, work, work_on_demand
from attncli.scenario.file.dump_files import Tensor
from attncli.scenario.file.problems import nearest
from attncli.scenario.model import WAYS
from attncli.scenario.scenario import Scenario
from attncli.trace import Trace

if TYPE_CHECKING:
    import torch

    from attncli.maths.numbers.rounding import AnyArray
    from attncli.models.checkpoints.scenario_of_model import Inputs
    from attncli.models.live.parts import Alone
    from attncli.models.live.protocols import Config, Module
    from attncli.scenario.file.named_files import JsonObject

_EXACT = {"rounding.policy": "exact"}


class JudgedTensor(NamedTuple):
    """A tensor that was compared."""

    name: str
    """Which quantity it is."""
    called: str
    """What it is called by who made it."""
    verdict: Standing
    """`agrees`, `departs`, `carried forward` or `can't tell`."""
    error: float
    """How far the number at `place` is from what follows, which is the furthest."""
    place: str
    bug: str | None
    """What it looks like, if anything that is known."""


class LiveComparison(ShownPart):
    """A comparison of what a module made with what it should have made, which prints and shows
    itself as a report.

    `first` is the name of what departs first, None where nothing does; `bug` what it looks like;
    `tensors` what was found of each in the order of the working; `names` which quantity each part
    was taken for.
    """

    def __init__(
        self,
        comparison: Comparison,
        called: str,
        what: str = "module",
        is_random: Callable[[], bool] = lambda: False,
    ) -> None:
        options = PYTHON._replace(what=what)
        departs = status_of(comparison) == DEPARTS
        told = report(comparison, called, options, is_random=departs and is_random())
        super().__init__(told, status_of(comparison))
        self.comparison = comparison

    @property
    def follows(self) -> bool:
        """Tells whether all tensors follow; False also where nothing can be told of some, or of
        what the module returns."""
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
    def tensors(self) -> tuple[JudgedTensor, ...]:
        return tuple(map(self._judged, self.comparison.compared))

    def _judged(self, compared: Compared) -> JudgedTensor:
        place = self.comparison.trace[compared.name].address(*compared.largest)
        error = float(compared.differences[compared.largest])
        bug = compared.causes[0].name if compared.causes else None
        return JudgedTensor(compared.name, compared.called, compared.standing, error, place, bug)

    @cached_property
    def names(self) -> dict[str, Ours]:
        """Returns the quantity of each part, `{"attn.q_proj": "Q"}`, which `names=` takes as well;
        of all heads `"heads[*].Q"`, and a list of what stands side by side in one tensor."""
        return dict(self.comparison.dump.taken)

    def __bool__(self) -> bool:
        return self.follows


def compare(  # noqa: PLR0913
    module: Callable[..., object] | Mapping[str, object],
    *inputs: object,
    like: Any = None,  # noqa: ANN401
    names: Mapping[str, Ours] | None = None,
    precision: object = None,
    batch: int | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    seek: float = SEEK,
    **more: object,
) -> LiveComparison:
    """Compares what a module makes of its inputs with what it should make.

    `module` is one of PyTorch or a function, called with `inputs` and `more`, or a map of arrays of
    any package by their names. `like` says what is right: a scenario (a file, a name, a map, loaded
    or worked), or the config of a model of `transformers`; by default what the module's own
    parameters should give, where its kind is known. `names` says what parts of it are,
    `{"my.attn.q": "Q", "kv": ["K", "V"]}`, where that isn't told by theirs; `output` is what it
    returns. `precision` is the floats in which it works, `"bfloat16"` or a dtype; `batch` which
    entry of a batch is looked at, from 0, by default the first. With `rtol` or `atol` each number
    need only be near the scenario's own, as for `numpy.allclose`. The bugs behind departures are
    sought for `seek` seconds, with 0 not at all. Without a module, a side is only taken for that of
    a batch where the shapes leave nothing else, or where `batch` is said. Raises UserError.
    """
    from attncli.models.checkpoints.module_inputs import has_batch

    check_seek("seek=", seek)
    if not isinstance(names or {}, Mapping):
        raise UserError.of(f"names={names}", "this is no map", 'give names={"attn.q": "Q"}')
    kind, close = _precision(precision), _close(rtol, atol)
    ran = _arrays(module) if isinstance(module, Mapping) else _run(module, inputs, more, like)
    trace, keys = _right(ran, like, batch or 0)
    sides = _Sides(
        trace,
        ran.mapped(names or {}),
        batch or 0,
        is_batch=batch is not None or has_batch(ran.arguments),
        is_first=bool(getattr(ran.module, "batch_first", True)),
    )
    last = dict(_last_states(ran, batch or 0))
    whole = {k: x for k, x in ran.returned.items() if not (last and k.startswith(_STATES))}
    made = {**ran.made, **sides.returned({**whole, **last})}
    tensors = {name: sides.one(name, tensor) for name, tensor in made.items()}
    sides.check(made, tensors)
    told = PartsTold({}, {}) if ran.whole is None else parts_told(ran.module, tensors, trace, keys)
    states = zip(last, _last_of_layers(trace) if last else (), strict=True)
    sure = {**told.sure, **dict(states), **of_each_run(names or {}, tensors, trace)}

    def taken_as(by_numbers: Mapping[str, Ours]) -> Dump:
        said = {**told.likely, **by_numbers, **sure}
        dump = taken_apart(tensors, trace, ran.mapped(said), ran.called, kind)
        call = ModuleCall(
            sides.told(made, tensors),
            sides.looked_at(made, tensors),
            ran.given,
            _other_input(ran, sides),
        )
        return dump._replace(call=call)

    try:
        comparison = compared(trace, tensors, taken_as, sure, close, seek)
    except UserError as error:
        raise UserError([*map(_in_python, error.problems)]) from None
    what = "dump" if ran.whole is None else "module"

    def is_random() -> bool:
        return ran.whole is not None and _is_random(ran)

    return LiveComparison(comparison, ran.called, what, is_random)


def _other_input(ran: Ran, sides: _Sides) -> str:
    """Finds the argument that has the shape of X and other numbers, if none has X's; returns its
    name."""
    if "X" not in sides.trace or not sides.trace["X"].given:
        return ""
    given = sides.trace["X"]
    others: list[str] = []
    for name, value in ran.arguments.items():
        numbers = as_array(value)
        if numbers is None or numbers.dtype.kind != "f":
            continue
        one = sides.one("X", _tensor(numbers, value)).values
        if one.shape[-2:] == given.shape and one.size == given.matrix.values.size:
            if np.allclose(one.reshape(given.shape), given.values, rtol=_SAME_INPUT):
                return ""
            others.append(name)
    return next(iter(others), "")


_SAME_INPUT = 1e-2
"""How near numbers are, as a share of them, that are the same in bfloat16."""


def _run(
    module: Any,  # noqa: ANN401
    inputs: tuple[object, ...],
    more: Mapping[str, object],
    like: object,
) -> Ran:
    """Runs a module, with all that a part of a model needs, and returns what it makes. Raises
    UserError."""
    from attncli.models.live.parts import part_alone, running

    if not (_is_config(like) and hasattr(module, "state_dict")):
        return run_with_hooks(module, inputs, more)
    bound = _bound(module, inputs, more)
    alone = part_alone(module, bound, like)
    if alone is None:
        return run_with_hooks(module, inputs, more)
    called, more = type(module).__name__, {**more, **alone.given}
    takes = [*bound.signature.parameters]
    ran = running(lambda: run_with_hooks(module, inputs, more), called, alone, takes)
    return ran._replace(alone=alone)


def _in_python(problem: Problem) -> Problem:
    """Words a problem of an option as that of the argument here."""
    where = problem.where.source.replace("--map ", "names: ")
    right = 'say which is which, like names={"attn.q": "Q"}'
    return Problem.of(where, problem.wrong, right if "--map" in problem.right else problem.right)


def _precision(said: object) -> str | None:
    """Reads the name of a type of floats, of a package's dtype too. Raises UserError."""
    name = None if said is None else str(getattr(said, "__name__", said)).rpartition(".")[2]
    if name is not None and name not in PRECISIONS:
        raise UserError.of(f"precision={said}", "no such type of floats", nearest(name, PRECISIONS))
    return name


def _close(rtol: float | None, atol: float | None) -> Close | None:
    """Makes the tolerance, or returns None where none is said. Raises UserError."""
    said = {name: x for name, x in (("rtol", rtol), ("atol", atol)) if x is not None}
    for name, value in said.items():
        if not 0 <= value < math.inf:
            raise UserError.of(f"{name}={value}", "no tolerance", "give 0 or more, as 1e-5")
    return Close(**said) if said else None


def assert_follows(
    module: Callable[..., object] | Mapping[str, object],
    *inputs: object,
    **more: Any,  # noqa: ANN401
) -> LiveComparison:
    """Compares as `compare` does, for a test. Raises AssertionError, with the report, where a
    tensor departs or nothing can be told, and UserError."""
    __tracebackhide__ = True  # pytest shows the report alone
    found = compare(module, *inputs, **more)
    if not found.follows:
        says = "doesn't follow" if found.status == DEPARTS else "can't be judged"
        raise AssertionError(f"{type(module).__name__} {says}\n\n{found}")
    return found


class Ran(NamedTuple):
    """A run of a module, and what was made in it."""

    called: str
    made: Mapping[str, Tensor]
    """What the parts made, by their names."""
    module: Any = None
    returned: Mapping[str, Tensor] = MappingProxyType({})
    """What the module returned, by names that say where in it."""
    arguments: Mapping[str, Any] = MappingProxyType({})
    """The arguments that the module was called with."""
    without: Callable[[str], Mapping[str, Tensor]] = lambda _: {}
    """The function that makes what is returned without the argument of a name."""
    whole: str | None = None
    """The name of what is returned; None of arrays without a module."""
    alone: Alone | None = None
    """Which part of a model it is, by the config of that."""

    def mapped(self, names: Mapping[str, Ours]) -> Mapped:
        """Returns what is said of its tensors, of which `names` says some."""
        return Mapped(names, self.whole, "" if self.alone is None else self.alone.part.lead)

    @property
    def given(self) -> tuple[str, ...]:
        """Returns the names of the arguments that the config gave."""
        return () if self.alone is None else tuple(self.alone.given)


def _arrays(arrays: Mapping[str, object]) -> Ran:
    pairs = ((name, value, as_array(value)) for name, value in arrays.items())
    made = {name: _tensor(x, value) for name, value, x in pairs if x is not None}
    return Ran(type(arrays).__name__, made)


def _tensor(numbers: AnyArray, value: object) -> Tensor:
    kind = str(getattr(value, "dtype", numbers.dtype)).rpartition(".")[2]
    return Tensor(np.asarray(numbers, dtype=np.float64), kind)


def run_with_hooks(
    module: Callable[..., object], inputs: tuple[object, ...], more: Mapping[str, object]
) -> Ran:
    """Runs a module, and returns what each of its parts makes and what it returns.

    One that is compiled runs as it is, and once more as it was before that, which its parts are
    seen in. Raises UserError for what can't be called.
    """
    import torch

    _check_callable(module)
    plain = getattr(module, "_orig_mod", module)
    bound = _bound(plain, inputs, more)

    def call(part: Callable[..., object]) -> object:
        return part(*map(fresh, inputs), **{name: fresh(value) for name, value in more.items()})

    runs: dict[str, list[Tensor]] = {}
    with torch.no_grad():
        returned = dict(_floats_in(call(module))) if plain is not module else None
        with _hooks(plain, runs):
            own = call(plain)
        returned = dict(_floats_in(own)) if returned is None else returned
        if getattr(plain, "training", False):
            _check_same(type(plain).__name__, dict(_floats_in(own)), dict(_floats_in(call(plain))))
    made = {called: each for name, some in runs.items() for called, each in _by_run(name, some)}

    def without(name: str) -> Mapping[str, Tensor]:
        left = inspect.BoundArguments(bound.signature, bound.arguments.copy())
        spread = _spread(left)
        if not name:
            pass  # once more, with all of them
        elif name in left.arguments:
            del left.arguments[name]
        else:
            left.arguments[spread] = {k: v for k, v in left.arguments[spread].items() if k != name}
        with torch.no_grad():
            named = {key: fresh(value) for key, value in left.kwargs.items()}
            return dict(_floats_in(plain(*map(fresh, left.args), **named)))

    called = getattr(plain, "original_name", None) or getattr(plain, "__name__", None)
    named = dict(_named(bound))
    return Ran(called or type(plain).__name__, made, plain, returned, named, without, OUTPUT)


def _check_callable(module: object) -> None:
    """Complains of what is no module and no function. Raises UserError."""
    if not callable(module):
        wrong = "this is no module, no function and no map of arrays"
        raise UserError.of(type(module).__name__, wrong, "give one, or {name: array}")
    if isinstance(module, type):
        wrong = "this is a class, and no module"
        raise UserError.of(module.__name__, wrong, f"give one that was made: {module.__name__}(…)")


def _check_same(called: str, returned: Tensors, again: Tensors) -> None:
    """Complains of a module that gives other numbers each time. Raises UserError."""
    if not all(np.array_equal(returned[x].values, again[x].values, equal_nan=True) for x in again):
        wrong = "it is in training mode, and gives other numbers each time it runs (dropout)"
        raise UserError.of(called, wrong, "call .eval() first")


def _by_run(name: str, made: Sequence[Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Yields what a part made; each time, by its number, where that ran several times."""
    for k, tensor in enumerate(made, start=1):
        yield run_called(name, k) if len(made) > 1 else name, tensor


def _bound(
    module: object, inputs: tuple[object, ...], more: Mapping[str, object]
) -> inspect.BoundArguments:
    """Binds the arguments to their names; TorchScript has them in a schema of its own. Raises
    UserError."""
    forward: Any = getattr(module, "forward", module)
    try:
        signature = inspect.signature(forward)
    except ValueError:
        names = [entry.name for entry in forward.schema.arguments if entry.name != "self"]
        either = inspect.Parameter.POSITIONAL_OR_KEYWORD
        signature = inspect.Signature([inspect.Parameter(name, either) for name in names])
    try:
        return signature.bind_partial(*inputs, **more)
    except TypeError as error:
        known = [*signature.parameters, *_own_names()]
        unknown = next((name for name in more if name not in signature.parameters), "")
        right = nearest(unknown, known) if unknown else f"it takes {signature}"
        raise UserError.of(type(module).__name__, str(error), right) from None


def _own_names() -> list[str]:
    """Returns the arguments of `compare` that a module doesn't get."""
    own = inspect.signature(compare).parameters.values()
    return [entry.name for entry in own if entry.kind is inspect.Parameter.KEYWORD_ONLY]


def _spread(bound: inspect.BoundArguments) -> str:
    """Returns the name of the parameter that takes all other ones by name."""
    kinds = bound.signature.parameters.values()
    return next((p.name for p in kinds if p.kind is inspect.Parameter.VAR_KEYWORD), "")


def _named(bound: inspect.BoundArguments) -> Iterator[tuple[str, object]]:
    """Yields the arguments, those among `*args` and `**kwargs` too, as far as they say anything."""
    for name, value in bound.arguments.items():
        parameter = bound.signature.parameters[name]
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            yield from ((key, x) for key, x in value.items() if x is not None)
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            yield from ((f"{name}[{k}]", x) for k, x in enumerate(value) if x is not None)
        elif value is not None and value is not parameter.default:
            yield name, value


def _floats_in(value: object, name: str = "returned") -> Iterator[tuple[str, Tensor]]:
    """Yields the arrays of floats in what is returned, by where they are in it."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _floats_in(entry, f"{name}.{key}")
    elif isinstance(value, list | tuple):
        for k, entry in enumerate(value):
            yield from _floats_in(entry, f"{name}[{k}]")
    else:
        numbers = as_array(value)
        if numbers is not None and numbers.dtype.kind == "f":
            yield name, _tensor(numbers, value)


@contextmanager
def _hooks(module: object, made: dict[str, list[Tensor]]) -> Iterator[None]:
    """Hooks that keep what each part makes whenever it runs, as long as they are needed. A function
    has no parts, and those of TorchScript take no hooks."""
    from torch.jit import ScriptModule

    def keeping(name: str) -> Callable[..., None]:
        def keep(_module: object, _inputs: object, output: object) -> None:
            while isinstance(output, list | tuple) and output:
                output = output[0]
            output = getattr(output, "last_hidden_state", getattr(output, "logits", output))
            numbers = as_array(output)
            if numbers is not None and numbers.dtype.kind == "f":
                made.setdefault(called_in(name), []).append(_tensor(numbers, output))

        return keep

    parts = module.named_modules() if hasattr(module, "named_modules") else ()
    handles = [
        part.register_forward_hook(keeping(name))
        for name, part in parts
        if name and not isinstance(part, ScriptModule)
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


_BATCHED = 3
"""Sides from which on one is that of a batch."""


class _Sides(NamedTuple):
    """A test of whether a side of a tensor is that of a batch, of which one `entry` is looked at:
    what goes in is a batch, or the tensor has the shape of nothing else that its name may mean."""

    trace: Trace
    said: Mapped
    entry: int
    is_batch: bool
    is_first: bool

    def one(self, called: str, tensor: Tensor) -> Tensor:
        """Returns a tensor, or what it has of one entry of a batch. Raises UserError."""
        if tensor.values.ndim < _BATCHED:
            return self._row_of_entry(called, tensor)
        first, second = (False, True)[:: -1 if self.is_batch else 1]
        is_taken = next((t for t in (first, second) if self._fits(called, tensor, t)), first)
        return self._taken(tensor, self.entry) if is_taken else tensor

    def _row_of_entry(self, called: str, tensor: Tensor) -> Tensor:
        """Returns the row of one entry, where each of a batch has one, as in what a classifier
        returns; or else the tensor."""
        rows = tensor.values
        if not self.is_batch or rows.ndim < _BATCHED - 1 or len(rows) == 1:
            return tensor
        row = tensor._replace(values=rows[min(self.entry, len(rows) - 1)])
        fits = self._heads(called, tensor) is None and self._heads(called, row) is not None
        return row if fits else tensor

    def _fits(self, called: str, tensor: Tensor, is_taken: bool) -> bool:
        one = self._taken(tensor, 0) if is_taken else tensor
        return self._heads(called, one) is not None

    def _heads(self, called: str, tensor: Tensor) -> int | None:
        return heads_in(called, tensor, self.trace, self.said)

    def _taken(self, tensor: Tensor, entry: int) -> Tensor:
        from attncli.models.checkpoints.module_inputs import entry_along

        axis = self._axis(tensor)
        entry = entry if tensor.values.shape[axis] > 1 else 0  # one for all, as positions are
        return tensor._replace(values=entry_along(tensor.values, entry, axis))

    def _axis(self, tensor: Tensor) -> int:
        return 0 if self.is_first or tensor.values.ndim != _BATCHED else 1

    def check(self, made: Tensors, tensors: Tensors) -> None:
        """Complains of an entry of a batch where there is none. Raises UserError."""
        looked_at = self.looked_at(made, tensors)
        if self.entry and self.entry >= (1 if looked_at is None else looked_at.size):
            wrong = "there is no batch with such an entry"
            raise UserError.of(f"batch={self.entry}", wrong, "give 0, or leave it out")

    def returned(self, leaves: Tensors) -> dict[str, Tensor]:
        """Gives names to what a module returned: the first tensor that has the shape of what comes
        out of the scenario is `output`, or else the first with more than one number."""
        fitting = (
            name for name, tensor in leaves.items()
            if self._heads(OUTPUT, self.one(OUTPUT, tensor)) is not None
        )  # fmt: skip
        several = (name for name, tensor in leaves.items() if tensor.values.size > 1)
        chosen = next(fitting, next(several, next(iter(leaves), None)))
        return {OUTPUT if name == chosen else name: tensor for name, tensor in leaves.items()}

    def looked_at(self, made: Tensors, tensors: Tensors) -> Entry | None:
        """Tells which entry of a batch is looked at; None where there are not several."""
        sizes = (
            tensor.values.shape[self._axis(tensor)]
            for called, tensor in made.items()
            if tensors[called] is not tensor
        )
        size = max(sizes, default=1)
        return Entry(self.entry, size) if size > 1 else None

    def told(self, made: Tensors, tensors: Tensors) -> dict[str, list[str]]:
        """Tells what sides of tensors with more of them than a matrix were taken for, each with the
        tensors' names."""
        found: dict[str, list[str]] = {}
        several = {name: x for name, x in made.items() if x.values.ndim >= _BATCHED}
        for called, tensor in several.items():
            one, size = tensors[called], tensor.values.shape[self._axis(tensor)]
            heads = self._heads(called, one)
            if size == 1:
                continue
            if one is not tensor:
                what = f"entry {self.entry} of a batch of {size}"
            elif one is tensor and tensor.values.ndim == _BATCHED and size == heads:
                what = f"{heads} heads"
            else:
                continue
            found.setdefault(what, []).append(called)
        return found


def _right(ran: Ran, like: Any, batch: int) -> tuple[Trace, Keys]:  # noqa: ANN401
    """Works in full precision what a module should make, and tells by which keys its scenario knows
    the module's parameters. Raises UserError."""
    if isinstance(like, Trace):
        return like, {}
    if isinstance(like, Scenario):
        return work(like), {}
    if like is not None and not _is_config(like):
        return work(load(like, _EXACT, outside=True)), {}
    if not hasattr(ran.module, "state_dict"):
        wrong = "there are no parameters here that say what is right"
        raise UserError.of(ran.called, wrong, "give a scenario, like=…")
    from attncli.models.checkpoints.module_inputs import by_role, given_to

    unknown = by_role(ran.arguments).unknown
    if ran.alone is not None:
        _check_used(ran, ran.alone.unused(unknown))
        part, inputs = ran.alone.inputs(batch)
        scenario, keys = scenario_of_module(ran.module, like, inputs, part.table)
        return work(scenario), keys
    batch_first = bool(getattr(ran.module, "batch_first", True))
    layers = int(getattr(ran.module, "num_layers", None) or 1)
    given = given_to(ran.arguments, batch, batch_first=batch_first, layers=layers)
    caches = [name for name, value in ran.arguments.items() if is_cache(value)]
    _check_used(ran, tuple(name for name in unknown if name not in caches))
    inputs = given.inputs()
    cached = cached_in(ran.arguments[caches[0]], batch) if caches else []
    if cached:
        inputs = inputs._replace(of_layers=[each.said() for each in cached])
        scenario, _ = scenario_of_module(ran.module, like, inputs)
        cached = as_projected(cached, work(scenario))
        inputs = inputs._replace(of_layers=[each.said() for each in cached])
    scenario, keys = scenario_of_module(ran.module, like, inputs)
    if scenario.encoder is not None and not given.has_encoder():
        read = listed(ran.arguments)
        wrong = f"it isn't known what the decoder reads beside the encoder: of {read}"
        raise UserError.of("inputs", wrong, "give decoder_input_ids beside input_ids")
    return work_on_demand(scenario), keys


def _check_used(ran: Ran, unknown: tuple[str, ...]) -> None:
    """Complains of arguments that aren't understood, unless without one the same is returned.
    Raises UserError."""
    wrong = "it changes what the module gives, and isn't understood here"
    right = "leave it out, or say what is right with it, like=…"
    needed = (name for name in unknown if not _is_same(ran, name, otherwise=False))
    problems = [Problem.of(f"argument {name}", wrong, right) for name in needed]
    if problems:
        raise UserError(problems)


def _is_random(ran: Ran) -> bool:
    """Tells whether a module returns something else when it runs once more, if it can."""
    return not _is_same(ran, "", otherwise=True)


def _is_same(ran: Ran, name: str, *, otherwise: bool) -> bool:
    """Tells whether a module returns the same without an argument, or once more where `name` is
    empty. Returns `otherwise` where it doesn't run, whatever it raises then."""
    try:
        other = ran.without(name)
    except Exception:
        return otherwise
    shared = [(tensor.values, other[key].values) for key, tensor in ran.returned.items()
              if key in other]  # fmt: skip
    return bool(shared) and all(
        a.shape == b.shape and np.array_equal(a, b, equal_nan=True) for a, b in shared
    )


_STATES = "returned[1]"
"""Where the last states of all layers are in what a recurrent module returns."""


def _last_of_layers(trace: Trace) -> list[str]:
    """Returns the names of the last states of recurrent layers, of each layer's ways in turn; then
    of their cell states."""
    found: list[str] = []
    for local in "ac":
        for layer in trace.scenario.stack.layers:
            if layer.recurrent is None:
                continue
            both = layer.recurrent.direction == "both"
            for way in WAYS if both else ("",):
                path = ".".join(filter(None, (str(layer.path), way)))
                rows = trace[below(layer.path, "states")].matrix.shape[0]
                found.append(f"{path}.{local}[{1 if way == WAYS[1] else rows}]".lstrip("."))
    return [name for name in found if name in trace]


def _last_states(ran: Ran, batch: int) -> Iterator[tuple[str, Tensor]]:
    """Yields what PyTorch's recurrent modules return beside the states of the last layer: the last
    ones of each layer and way, of an entry of a batch."""
    if ran.module is None:
        return
    from torch.nn import RNNBase

    if isinstance(ran.module, RNNBase):
        for name in [name for name in ran.returned if name.startswith(_STATES)]:
            for k, rows in enumerate(ran.returned[name].values):
                one = rows[batch] if rows.ndim > 1 else rows
                yield f"{name}[{k}]", ran.returned[name]._replace(values=one)


def _is_config(like: object) -> bool:
    return hasattr(like, "to_json_string") or (isinstance(like, Mapping) and "model_type" in like)


def scenario_of_module(
    module: Module,
    config: Config | JsonObject | None,
    inputs: Inputs,
    table: JsonObject | None = None,
) -> tuple[Scenario, Keys]:
    """Makes the scenario of a module with its parameters, in full precision, of a part of a model
    by the part's table; tells also by which keys it knows the parts that have them. Raises
    UserError."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # some systems keep what is read
        source: str | Mapping[str, object] = folder
        of: object = None
        is_saved = hasattr(module, "save_pretrained") and table is None
        if not is_saved or not (config is None or _is_config(config)):
            source, of = module.state_dict(), config or module
        else:
            _save(module, folder, _tensors_as_said(module, config))
            file = Path(folder, "config.json")
            if config is not None:
                file.write_text(_json_of(config), "utf-8")
            elif module.get_output_embeddings() is None:
                _without_logits(file)
        with data_with(source, of, inputs, table) as data:
            keys = _keys(data) if of is None or _is_config(of) else {}  # others scale some tensors
            return load(data, _EXACT, outside=True, large=True, in_place=True), keys


def _json_of(config: Config | JsonObject) -> str:
    """Writes a config as it stands in a file, the settings that are usual too."""
    if isinstance(config, Mapping):
        return json.dumps(dict(config))
    return str(config.to_json_string(use_diff=False))


def _tensors_as_said(
    module: Module, config: Config | JsonObject | None
) -> dict[str, torch.Tensor] | None:
    """Returns the parameters of a model as another config says: without the head's where that is
    tied to the embeddings, each by itself where it isn't; None for those that its own says."""
    if config is None:
        return None
    said = config if isinstance(config, Mapping) else vars(config)
    is_tied, head = said.get("tie_word_embeddings"), module.get_output_embeddings()
    parts = (name for name, part in module.named_modules() if part is head and is_tied)
    left = {f"{name}.weight" for name in parts}
    return {name: x.clone() for name, x in module.state_dict().items() if name not in left}


def _keys(data: JsonObject) -> Keys:
    """Tells by which keys parts of a module are known, each in a layer from 0 where its name says
    which; a part whose parameter is several beside each other has none."""
    found: dict[str, list[tuple[str, int | None]]] = {}
    for key, named in data["weights"]["keys"].items():
        if isinstance(named, str) and named.endswith(".weight"):
            part = named.removesuffix(".weight")
            count = _count(data, key) if "{i}" in part else 0
            for layer in range(count):
                found.setdefault(part.replace("{i}", str(layer)), []).append((key, layer))
            if not count:
                found.setdefault(part, []).append((key, None))
    return found


def _count(data: JsonObject, key: str) -> int:
    """Tells how many layers the stack has that a key is of."""
    layers = (data["encoder"] if key.startswith("encoder.") else data)["layers"]
    return int(layers["count"] if isinstance(layers, Mapping) else layers)


def _without_logits(file: Path) -> None:
    """Says in the config of a model that ends before any logits that it ties none to its
    embeddings."""
    config = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**config, "tie_word_embeddings": False}, indent=2), "utf-8")


def _save(module: Module, folder: str, tensors: dict[str, torch.Tensor] | None) -> None:
    """Saves a model of `transformers`, which names parameters as its family does, in silence."""
    from transformers.utils import logging as hf_logging

    logging: Any = hf_logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        module.save_pretrained(folder, state_dict=tensors)
    finally:
        if shown:
            logging.enable_progress_bar()
