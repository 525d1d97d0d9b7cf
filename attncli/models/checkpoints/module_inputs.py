"""The inputs of a module that runs, by the names that its arguments have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attncli.errors import UserError, listed
from attncli.maths.numbers.foreign_arrays import as_array
from attncli.maths.numbers.rounding import Array
from attncli.models.checkpoints.scenario_of_model import Inputs, Reading, reading_of
from attncli.scenario.file.named_files import JsonObject

_SECOND = "[1]"
"""What is behind the name of an argument that is two arrays, of the second one."""
_ROLES = {
    "ids": "input_ids idx tokens ids inputs_ids",
    "X": "x src input tgt query queries hidden_states inputs_embeds X",
    "keys": "key keys",
    "values": "value values",
    "memory": "memory encoder_hidden_states enc_outputs key_value_states",
    "mask": "attn_mask src_mask tgt_mask mask",
    "padding": "key_padding_mask src_key_padding_mask tgt_key_padding_mask",
    "attended": "attention_mask",
    "aside": "labels targets need_weights average_attn_weights use_cache return_dict"
    " output_attentions output_hidden_states",
    "spectrogram": "input_features",
    "decoder ids": "decoder_input_ids",
    "decoder X": "decoder_inputs_embeds",
    "decoder attended": "decoder_attention_mask",
    "state": "hx",
    "cell": f"hx{_SECOND}",
}
"""What goes into a module, by the names of its arguments; `aside` is what changes nothing of what
is compared: it asks for more to be returned, or for a loss."""
_ROLE = {name: role for role, names in _ROLES.items() for name in names.split()}
_OF_BOTH = {
    "tgt": "decoder X", "src_mask": "encoder mask", "src_key_padding_mask": "encoder padding",
}  # fmt: skip
"""What arguments are where a module reads a source and a target."""
_OF_ENCODER = ("ids", "X", "attended")
"""What an encoder has, where the decoder beside it is given its own."""


def inputs_of(folder: Path | None, tokens: object, encoder_tokens: object = None) -> Inputs:
    """Reads what goes into a model: a text, IDs or vectors. Raises UserError."""
    read = _reading(folder, tokens) or Reading({}, ())
    return Inputs(read, _reading(folder, encoder_tokens))


def _reading(folder: Path | None, tokens: object) -> Reading | None:
    if tokens is None or isinstance(tokens, str):
        return reading_of("tokens", tokens, folder or Path(), Path()) if tokens else None
    numbers = np.asarray(as_array(tokens) if as_array(tokens) is not None else tokens)
    numbers = numbers[0] if numbers.ndim > 1 and len(numbers) == 1 else numbers
    if numbers.dtype.kind == "f":
        return Reading({"X": numbers}, ())
    return Reading({"ids": [*map(str, numbers)]}, [*map(int, numbers)])


class ModuleInputs(NamedTuple):
    """The inputs of a module, of one entry of a batch."""

    by_role: Mapping[str, Array]
    """Arrays by their roles."""
    layers: int = 1
    """How many layers the module has, where it is recurrent."""

    def inputs(self) -> Inputs:
        """Returns the inputs in the words of a scenario. Raises UserError."""
        known, ids = self.by_role, self.by_role.get("ids")
        read = _reading(None, known["X"] if ids is None else ids)
        assert read is not None
        apart = {
            name: known[name]
            for name in ("keys", "values")
            if name in known and not np.array_equal(known[name], known["X"])
        }
        read = read._replace(says={**read.says, **apart})
        return Inputs(
            read,
            self._encoder(),
            spectrogram=known.get("spectrogram"),
            memory=known.get("memory"),
            masks=[*self._masks()],
            of_layers=self._states(),
        )

    def _states(self) -> list[dict[str, object]]:
        """Returns the first states of recurrent layers, forward and backward, where they are
        given."""
        state, cell = self.by_role.get("state"), self.by_role.get("cell")
        if state is None:
            return []
        given = {"initial_state": state, **({} if cell is None else {"initial_cell": cell})}
        ways = [{key: rows[k] for key, rows in given.items()} for k in range(len(state))]
        each = len(ways) // self.layers
        return [{**way, **({"backward": ways[k + 1]} if each > 1 else {})}
                for k, way in enumerate(ways) if k % each == 0]  # fmt: skip

    def _encoder(self) -> Reading | None:
        """Returns what an encoder reads beside the decoder, and None where nothing is given. Raises
        UserError where it doesn't see all."""
        known = self.by_role
        if not known.get("encoder attended", np.ones(1)).all():
            wrong = "the encoder's attention_mask hides tokens, which isn't worked here"
            raise UserError.of("attention_mask", wrong, "leave out what is hidden, and the mask")
        read = _reading(None, known.get("encoder ids", known.get("encoder X")))
        masks = [*self._masks("encoder ")]
        if read is None or not masks:
            return read
        return read._replace(says={**read.says, "mask": masks if masks[1:] else masks[0]})

    def has_encoder(self) -> bool:
        """Tells whether it is known what an encoder reads, or has made."""
        return not {"encoder ids", "encoder X", "spectrogram", "memory"}.isdisjoint(self.by_role)

    def _masks(self, of: str = "") -> Iterator[JsonObject]:
        """Yields masks as PyTorch has them: True for what isn't seen, or numbers that are added.
        They are an encoder's for `of`, where a decoder has its own."""
        mask, hidden = self.by_role.get(f"{of}mask"), self.by_role.get(f"{of}padding")
        if mask is not None:
            yield {"add": mask} if mask.dtype.kind == "f" else {"blocked": mask.astype(np.int64)}
        if hidden is None and not of and "attended" in self.by_role:
            hidden = self.by_role["attended"] == 0
        if hidden is not None and hidden.any():
            yield {"blocked": np.tile(hidden != 0, (len(hidden), 1)).astype(np.int64)}


class ModuleArguments(NamedTuple):
    """The arguments of a module: arrays by their roles, and the names of those that aren't
    known."""

    by_role: Mapping[str, Array]
    unknown: tuple[str, ...]


def by_role(arguments: Mapping[str, object]) -> ModuleArguments:
    """Finds the roles of a module's arguments by their names. Where none of these is known to be
    what the module reads, that is the only array of whole numbers, or else the only one."""
    each = dict(_each(arguments))
    known = {name: x for name, value in each.items() if (x := as_array(value)) is not None}
    roles = {name: _ROLE[name] for name in each if name in _ROLE}
    roles = {name: role for name, role in roles.items() if name in known or role == "aside"}
    if {"src", "tgt"} <= {*known}:
        roles |= {name: role for name, role in _OF_BOTH.items() if name in known}
    if not {"ids", "X", "decoder ids", "decoder X"} & {*roles.values()}:
        alone = _alone(known, roles)
        roles |= {alone: "X"} if alone is not None else {}
    found = {_of_kind(role, known[name]): known[name] for name, role in roles.items()
             if role != "aside"}  # fmt: skip
    return ModuleArguments(found, tuple(name for name in arguments if name not in roles))


def _each(arguments: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Yields arguments by their names, and two states that are given together one by one."""
    for name, value in arguments.items():
        both = isinstance(value, tuple | list) and _ROLE.get(name) == "state"
        yield name, value[0] if both else value
        if both:
            yield f"{name}{_SECOND}", value[1]


def _alone(known: Mapping[str, Array], roles: Mapping[str, str]) -> str | None:
    """Returns the name of the only array of whole numbers, or else of the only one that has no
    role. Returns None where there is no such array."""
    whole = [
        name
        for name, numbers in known.items()
        if numbers.ndim and numbers.dtype.kind in "iu" and roles.get(name) != "aside"
    ]
    left = [name for name, numbers in known.items() if numbers.ndim and name not in roles]
    return next((names[0] for names in (whole, left) if len(names) == 1), None)


def _of_kind(role: str, numbers: Array) -> str:
    """Returns the role of what a module reads: IDs where its numbers are whole, and vectors
    otherwise. Returns any other role as it is."""
    stack, own = ("decoder ", role[8:]) if role.startswith("decoder ") else ("", role)
    if own not in ("ids", "X"):
        return role
    return f"{stack}ids" if numbers.dtype.kind in "iu" else f"{stack}X"


def given_to(
    arguments: Mapping[str, object], batch: int, *, batch_first: bool, layers: int = 1
) -> ModuleInputs:
    """Takes the inputs of a module from its arguments, one entry of a batch. Raises UserError."""
    known = by_role(arguments).by_role
    found = _by_stack(
        {role: entry_of(x, role, batch, batch_first=batch_first) for role, x in known.items()}
    )
    if "ids" not in found and "X" not in found:
        wrong = f"none of its arguments {listed(arguments)} is known"
        raise UserError.of("inputs", wrong, "give a scenario, like=…")
    return ModuleInputs(found, layers)


def _by_stack(found: dict[str, Array]) -> dict[str, Array]:
    """Assigns inputs to the encoder where a decoder is given its own."""
    own = {role: role.removeprefix("decoder ") for role in found if role.startswith("decoder ")}
    if not own:
        return found
    apart = {role: f"encoder {role}" for role in _OF_ENCODER} | own
    return {apart.get(role, role): numbers for role, numbers in found.items()}


def has_batch(arguments: Mapping[str, object]) -> bool:
    """Tells whether what goes into a module is a batch."""
    known = by_role(arguments).by_role
    return any(x.ndim > _sides(role) for role, x in known.items() if not role.endswith("mask"))


def _sides(role: str) -> int:
    """Returns how many sides an array of a role has without a batch."""
    own = role.removeprefix("decoder ").removeprefix("encoder ")
    return 1 if own in ("ids", "padding", "attended") else 2


_OF_ALL = ("state", "cell")
"""What is of all layers and ways, and of the entries of a batch in each."""


def entry_of(values: Array, role: str, batch: int, *, batch_first: bool) -> Array:
    """Takes one entry of a batch. A matrix of vectors alone has no batch, and is returned as it is.
    Raises UserError where there are fewer entries."""
    sides = _sides(role)
    if values.ndim <= sides or role.endswith("mask"):
        return values
    first = (batch_first or sides == 1) and role not in _OF_ALL
    return entry_along(values, batch, 0 if first else 1)


def entry_along(values: Array, batch: int, axis: int) -> Array:
    """Takes one entry of a batch, from 0, along an axis, as a view. Raises UserError where there
    are fewer."""
    size = values.shape[axis]
    if not 0 <= batch < size:
        wrong = f"there {'is 1 entry' if size == 1 else f'are {size} entries'} in this batch"
        right = "give 0" if size == 1 else f"give one from 0 to {size - 1}"
        raise UserError.of(f"batch={batch}", wrong, right)
    taken: Array = np.moveaxis(values, axis, 0)[batch]
    return taken
