"""A part of a model of `transformers` that runs alone, on what its config makes in its place."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from attncli.errors import UserError, listed
from attncli.maths.numbers.foreign_arrays import as_array
from attncli.maths.numbers.rounding import Array
from attncli.models.checkpoints.module_inputs import by_role, entry_along
from attncli.models.checkpoints.parts_of_models import PartOfModel, is_part, part_of, positions_of
from attncli.models.checkpoints.scenario_of_model import Inputs, Reading

if TYPE_CHECKING:
    import torch

    from attncli.models.live.protocols import Module

Arguments = Mapping[str, Any]
T = TypeVar("T")

_MASKS = ("attention_mask", "mask")
_POSITIONS, _TURNED, _BIAS = "position_ids", "position_embeddings", "position_bias"
_FROM_ENCODER = ("encoder_hidden_states", "key_value_states")
_SLOPES = "alibi"
_USED = (*_MASKS, _POSITIONS, _TURNED, _BIAS, *_FROM_ENCODER)
_HIDDEN = -1e9
"""What a mask adds at most to scores that nobody is to see: the least number of a type of floats,
or −∞."""
_SIDES = 4


class Alone(NamedTuple):
    """A part of a model that runs alone."""

    part: PartOfModel
    arguments: Arguments
    """Its arguments as they are, by name."""
    given: Arguments
    """Those of them that the config gave."""

    def unused(self, unknown: Sequence[str]) -> tuple[str, ...]:
        """Returns those arguments among some that aren't used here."""
        has_slopes = positions_of(self.part.table["says"]) == _SLOPES
        used = (*_USED, _SLOPES) if has_slopes else _USED
        flat = [name for name in _MASKS if name in self.arguments and self._is_flat(name)]
        return (*(name for name in unknown if name not in used), *flat)

    def _is_flat(self, name: str) -> bool:
        mask = as_array(self.arguments[name]) if name in _MASKS else None
        return mask is not None and mask.ndim < _SIDES

    def inputs(self, batch: int) -> tuple[PartOfModel, Inputs]:
        """Returns what the part is with one entry of a batch, and what goes in. Raises
        UserError."""
        known = by_role(self.arguments).by_role
        X = _entry(known["X"], batch, sides=2)
        table = {**self.part.table, "says": dict(self.part.table["says"])}
        says, masks = table["says"], [*self._masks(batch, len(X))]
        start = _start(self.arguments.get(_POSITIONS), batch)
        if start and self.part.turns:
            says["positions"] = {**says["positions"], "start": str(start)}
        bias = as_array(self.arguments.get(_BIAS))
        if bias is not None:
            says |= self._with_bias(_entry(bias, batch, sides=3), says, masks)
        if masks:
            says["mask"] = "none"
        memory = known.get("memory")
        memory = memory if memory is None else _entry(memory, batch, sides=2)
        read: dict[str, object] = {"X": X}
        if memory is not None and says.get("block") == "attention":
            read, memory = {**read, "keys": memory, "values": memory}, None
        part = self.part._replace(table=table)
        return part, Inputs(Reading(read, ()), memory=memory, masks=masks)

    def _masks(self, batch: int, n: int) -> Iterator[dict[str, object]]:
        """Yields the mask that was given, where it isn't what a layer of this kind hides by itself.
        Raises UserError."""
        for name in _MASKS:
            mask = as_array(self.arguments.get(name))
            if mask is None or mask.ndim < _SIDES:
                continue
            each = _entry(mask, batch, sides=3)
            one = np.broadcast_to(each[0], (n, each.shape[-1]))
            hides = ~one if one.dtype.kind == "b" else one <= _HIDDEN
            if (each != each[0]).any():
                wrong = "it isn't the same for all heads"
                raise UserError.of(f"argument {name}", wrong, "give a mask [batch, 1, n, n]")
            if one.dtype.kind != "b" and one[~hides].any():
                yield {"add": one}
            elif not np.array_equal(hides, hidden(self.part.mask, n)):
                yield {"blocked": hides.astype(np.int64)}

    def _with_bias(
        self, bias: Array, says: Mapping[str, object], masks: list[dict[str, object]]
    ) -> dict[str, object]:
        """Returns what is said of a position's numbers, one matrix a head; what these hide, as the
        mask was added to them, is added to `masks`. Raises UserError."""
        low = bias <= _HIDDEN
        hides = low[0]
        if (low != hides).any():
            wrong = "it hides other keys in each head"
            raise UserError.of(f"argument {_BIAS}", wrong, "give one that hides the same in all")
        own = hidden(self.part.mask, len(hides)) if not masks else None
        if hides.any() and (own is None or not np.array_equal(hides, own)):
            masks.append({"blocked": hides.astype(np.int64)})
        seen = np.where(hides, 0, bias)
        heads: dict[str, object] = {"heads": [{"bias": one.tolist()} for one in seen]}
        if self.part.attends:  # of what an encoder made no position tells anything
            heads["cross"] = {"heads": str(len(seen))}
        return {**heads, "positions": None} if "positions" in says else heads


def part_alone(
    module: Module,
    bound: inspect.BoundArguments,
    like: object,
) -> Alone | None:
    """Finds a part of a model, by the model's config, with all that it needs; None of the whole of
    one. Raises UserError."""
    from attncli.models.checkpoints.modules import as_config

    arguments = {name: value for name, value in _flat(bound) if value is not None}
    known, config = by_role(arguments).by_role, as_config(like)
    shapes = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    if "X" not in known or not is_part(config, shapes):
        return None
    called = type(module).__name__
    decodes = _attribute(module, "is_decoder") is not False
    part = part_of(config, shapes, _attribute(module, "layer_idx"), called, decodes=decodes)
    if part.attends and not {*_FROM_ENCODER} & {*arguments}:
        takes = next((name for name in _FROM_ENCODER if name in bound.signature.parameters), "")
        wrong = "it attends to what an encoder made, which isn't given"
        raise UserError.of(called, wrong, f"give {takes or _FROM_ENCODER[0]}=…, [batch, m, d]")
    part = _crossing(part) if {*_FROM_ENCODER} & {*arguments} else part
    if part.turns and _TURNED in arguments and _POSITIONS not in arguments:
        _check_turned(arguments, part, like)
    missing = _missing(bound, arguments, part, like)
    return Alone(part, {**arguments, **missing}, missing)


def _crossing(part: PartOfModel) -> PartOfModel:
    """Returns a part that is given what an encoder made; an attention alone sees nothing else
    then."""
    says = part.table["says"]
    if says.get("block") != "attention":
        return part
    own = {key: value for key, value in says.items() if key != "positions"}
    return part._replace(table={**part.table, "says": {**own, "mask": "none"}}, mask="none")


def _check_turned(arguments: Arguments, part: PartOfModel, like: object) -> None:
    """Complains of cosines and sines that aren't those of the first positions, where it isn't said
    of which they are. Raises UserError."""
    import torch

    x = next(value for value in arguments.values() if as_array(value) is not None)
    right = _turned(like, part, x, torch.arange(x.shape[-2])[None])
    pairs = zip(arguments[_TURNED], right, strict=True)
    if not all(a.shape == b.shape and torch.allclose(a, b, atol=1e-3) for a, b in pairs):
        wrong = f"by the config these aren't of the positions 0 to {x.shape[-2] - 1}"
        raise UserError.of(f"argument {_TURNED}", wrong, f"say of which, {_POSITIONS}=…")


def _flat(bound: inspect.BoundArguments) -> Iterator[tuple[str, object]]:
    for name, value in bound.arguments.items():
        if bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            yield from value.items()
        else:
            yield name, value


def _attribute(module: Module, name: str) -> Any:  # noqa: ANN401
    """Returns what a module, or a part of it, says of itself."""
    said = (getattr(part, name, None) for part in module.modules())
    return next((value for value in said if value is not None), None)


def _missing(
    bound: inspect.BoundArguments,
    arguments: Arguments,
    part: PartOfModel,
    like: object,
) -> dict[str, object]:
    """Makes those arguments that a model gives its parts and that weren't given. Raises
    UserError."""
    import torch

    x = next(value for value in arguments.values() if as_array(value) is not None)
    x = torch.as_tensor(x)
    takes = [name for name in bound.signature.parameters if name not in arguments]
    found: dict[str, object] = {}
    if part.turns:
        places = arguments.get(_POSITIONS)
        places = torch.arange(x.shape[-2])[None] if places is None else places
        found |= {_POSITIONS: places} if _POSITIONS in takes else {}
        found |= {_TURNED: _turned(like, part, x, places)} if _TURNED in takes else {}
    mask = next((name for name in _MASKS if name in takes), None)
    hides = hidden(part.mask, x.shape[-2])
    if mask is not None and not hides.any() and _is_needed(bound, mask):
        found[mask] = None
    if mask is not None and hides.any() and not {*_MASKS, _BIAS} & {*arguments}:
        added = torch.zeros(hides.shape, dtype=x.dtype)
        found[mask] = added.masked_fill(torch.tensor(hides), torch.finfo(x.dtype).min)[None, None]
    return found


def _is_needed(bound: inspect.BoundArguments, name: str) -> bool:
    return bound.signature.parameters[name].default is inspect.Parameter.empty


def _turned(
    like: object, part: PartOfModel, x: torch.Tensor, places: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Makes the cosines and sines by which queries and keys are turned, as the model's own class
    makes them. Raises UserError."""
    made = _rotary(like)
    if made is None:
        wrong = "it isn't known by which cosines and sines it turns queries and keys"
        raise UserError.of(_TURNED, wrong, "give what the model's rotary_emb(x, position_ids) does")
    x = x if x.ndim > 2 else x[None]  # noqa: PLR2004
    kinds = {True: "sliding_attention", False: "full_attention"}
    takes_kind = "layer_type" in inspect.signature(made.forward).parameters
    turned: tuple[torch.Tensor, torch.Tensor] = made(
        x, places, *([kinds[part.windowed]] if takes_kind else [])
    )
    return turned


def _rotary(config: object) -> torch.nn.Module | None:
    """Makes the module that makes cosines and sines for a config, found beside the class of that;
    None where it isn't known."""
    import transformers

    library: Any = transformers
    if isinstance(config, Mapping):
        rest = {key: value for key, value in config.items() if key != "model_type"}
        config = library.AutoConfig.for_model(config["model_type"], **rest)
    home = type(config).__module__.replace(".configuration_", ".modeling_")
    try:
        classes = vars(importlib.import_module(home))
    except ImportError:
        return None
    kinds = [kind for name, kind in classes.items() if name.endswith("RotaryEmbedding")]
    return kinds[0](config=config) if len(kinds) == 1 else None


def hidden(mask: object, n: int) -> Array:
    """Tells which keys which queries don't see, True of those, by what a family says of a mask. [n,
    n]"""
    after = np.subtract.outer(np.arange(n), np.arange(n))  # by how much a key comes before
    found = np.zeros((n, n), dtype=bool)
    for rule in mask if isinstance(mask, list) else [mask]:
        if rule == "causal":
            found |= after < 0
        elif isinstance(rule, Mapping):
            found |= np.abs(after) >= int(str(rule["window"]))
    return found


def _entry(values: Array, batch: int, *, sides: int) -> Array:
    """Takes one entry of a batch; one for all is each entry's. Raises UserError."""
    if values.ndim <= sides:
        return values
    return entry_along(values, batch if len(values) > 1 or sides == 2 else 0, 0)  # noqa: PLR2004


def _start(places: object, batch: int) -> int:
    """Reads the first position of some that follow each other. Raises UserError for others."""
    numbers = as_array(places)
    if numbers is None:
        return 0
    one = _entry(numbers, batch, sides=1)
    if (np.diff(one) != 1).any():
        wrong = "these positions don't follow each other"
        raise UserError.of(f"argument {_POSITIONS}", wrong, "give some like [3, 4, 5]")
    return int(one[0])


def running(call: Callable[[], T], called: str, alone: Alone, takes: Sequence[str]) -> T:
    """Runs a part, and returns what it gives. Raises UserError where it can't do with what it is
    given."""
    try:
        return call()
    except Exception as error:
        more = listed(name for name in takes if name not in alone.arguments) or "nothing"
        wrong = f"it can't run with {listed(alone.arguments)} alone: {error}"
        right = f"give what the model gives it beside these; it takes {more}"
        raise UserError.of(called, wrong, right) from error
