"""A live module, or its parameters, as a checkpoint, by the tables of names in `modules`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attncli.errors import UserError, listed
from attncli.maths.numbers.foreign_arrays import as_array
from attncli.maths.numbers.rounding import Array
from attncli.models.checkpoints.model_folder import Checkpoint, table_of
from attncli.models.checkpoints.model_settings import settled
from attncli.scenario.file.named_files import JsonObject, RefusedFileError, parsed_json, text_in

Tensors = dict[str, Array]

_TABLES = Path(__file__).parent / "modules"
_TYPES = {"f2": "F16", "f4": "F32", "f8": "F64"}


class Known(NamedTuple):
    """A kind of modules, known by the names of their tensors."""

    name: str
    """The name of its table."""
    table: JsonObject
    lead: str = ""
    """What stands before those names in a module that has several layers."""


def tables() -> Iterator[Known]:
    for path in sorted(_TABLES.glob("*.yaml")):
        yield Known(path.stem, table_of(path))


def known_by(names: Sequence[str]) -> Known | None:
    """Finds the kind of modules that has tensors of such names. Returns None where none is
    known."""
    for known in tables():
        for lead in ("", *_leads(known.table)):
            there = {lead + in_turn(known.table, name) for name in names}
            if all(_is_there(form, there) for form in known.table["found_by"]) and not (
                _is_there(known.table.get("not_by", "-"), there)
            ):
                return known._replace(lead=lead)
    return None


def _leads(table: JsonObject) -> list[str]:
    """Returns what stands before a layer's own names where it is one of several."""
    before, number, _ = table["found_by"][0].partition("{i}")
    return [f"{before}0."] if number else []


def _is_there(form: str, names: set[str]) -> bool:
    return any(either.replace("{i}", "0") in names for either in form.split("|"))


def in_turn(table: JsonObject, name: str) -> str:
    """Renames a tensor of a model whose attentions and feed-forward networks are layers by turns:
    layer 3 is the second part of layer 1. Returns any other name as it is."""
    stack = table.get("by_turns")
    if stack is None:
        return name
    found = re.match(rf"({re.escape(stack)}\.)(\d+)", name)
    if found is None:
        return name
    layer, part = divmod(int(found[2]), 2)
    return f"{found[1]}{layer}.{part}{name[found.end() :]}"


def parts_by_turns(names: Sequence[str], parameters: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields the parts of a module whose layers are attention and feed-forward by turns, each with
    the name that it would have otherwise, or with an empty one for what is inside another part."""
    known = known_by(parameters)
    if known is not None and "by_turns" in known.table:
        for name in names:
            inside = name.rpartition(".")[2] in known.table.get("inside", ())
            yield name, "" if inside else in_turn(known.table, name)


def flat(state: Mapping[str, object], before: str = "") -> Tensors:
    """Returns tensors by their names, also those of nested maps and lists:
    `blocks.0.attn.c_attn.w`."""
    found: Tensors = {}
    for name, value in state.items():
        numbers = as_array(value)
        if isinstance(value, Mapping):
            found |= flat(value, f"{before}{name}.")
        elif isinstance(value, list | tuple):
            found |= flat({str(k): entry for k, entry in enumerate(value)}, f"{before}{name}.")
        elif numbers is not None:
            found[f"{before}{name}"] = numbers
    return found


def checkpoint_of(
    state: Mapping[str, object],
    settings: object,
    folder: Path,
    table: JsonObject | None = None,
) -> Checkpoint:
    """Makes a checkpoint of tensors, and writes these into a folder. `settings` are a config, of
    whose model a `table` may be a part, or a module whose attributes say them. Raises UserError for
    a kind that isn't known."""
    tensors, config = flat(state), as_config(settings)
    known = None if "model_type" in config else known_by([*tensors])
    if known is None and "model_type" not in config:
        kinds = listed(kind.name for kind in tables())
        wrong = f"this isn't of a kind that is known by its parameters: {kinds}, or of transformers"
        right = "say its model's config or a scenario, like=…; config=… beside tensors alone"
        raise UserError.of(type(settings).__name__, wrong, right)
    file = folder / "model.safetensors"
    if known is None:
        written = _write_tensors(tensors, file)
        return Checkpoint(settled(config), file, frozenset(tensors), written, table)
    said = _settings(known, config or settings)
    tensors = {
        known.lead + in_turn(known.table, name): _scaled(values, known.table, name, said)
        for name, values in tensors.items()
    }
    count = _count(known.table, [*tensors])
    config = {
        "model_type": known.name, "num_hidden_layers": count,
        "layer_types": ["full_attention"] * count, "is_causal": None, **said,
    }  # fmt: skip
    return Checkpoint(config, file, frozenset(tensors), _write_tensors(tensors, file), known.table)


def as_config(settings: object) -> dict[str, object]:
    """Returns the settings of a config: a map, one of `transformers`, or the file of one. Returns
    none for a module that has no such config. Raises UserError for a file that can't be read."""
    if isinstance(settings, str | Path):
        path = Path(settings)
        file = path / "config.json" if path.is_dir() else path
        try:
            return dict(parsed_json(text_in(file)))
        except (OSError, ValueError, TypeError, RefusedFileError) as error:
            raise UserError.of(
                str(settings), "no config can be read there", "name config.json"
            ) from error
    if isinstance(settings, Mapping):
        return dict(settings)
    config: object = getattr(settings, "config", settings)
    if not hasattr(config, "to_json_string"):
        return {}
    return dict(json.loads(config.to_json_string(use_diff=False)))


def _settings(known: Known, of: object) -> dict[str, object]:
    """Returns what a module's attributes, or a map, say of the settings of its kind. Raises
    UserError for one that isn't said."""
    return {name: _setting(known, of, path) for name, path in known.table["settings"].items()}


def _setting(known: Known, of: object, paths: str) -> object:
    stack = known.table["found_by"][0].partition("{i}")[0] if not known.lead else ""
    for path in paths.split("|"):
        if path.startswith("="):  # what it is where nobody says so
            return path[1:]
        for start in (path, f"{stack}0.{path}", path.rpartition(".")[2]):
            value = _attribute(of, start)
            if value is not _NONE:
                return _plain(value)
    wrong = f"it isn't said what {paths} is"
    raise UserError.of(known.name, wrong, f"give config={{{paths.rpartition('.')[2]!r}: …}}")


_NONE = object()


def _attribute(of: object, path: str) -> object:
    for part in path.split("."):
        of = of.get(part, _NONE) if isinstance(of, Mapping) else getattr(of, part, _NONE)
        if of is _NONE:
            return _NONE
    return of


_ACTIVATIONS = {
    "SiLU": "silu",
    "GELU": "gelu",
    "ReLU": "relu",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
}


def _plain(value: object) -> object:
    """Returns a setting as config.json would have it, an activation by its name."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if getattr(value, "approximate", "none") == "tanh":
        return "gelu_tanh"
    name = getattr(value, "__name__", type(value).__name__)
    return _ACTIVATIONS.get(name, name)


def _scaled(values: Array, table: JsonObject, name: str, settings: JsonObject) -> Array:
    factor = table.get("scaled", {}).get(name)
    return values if factor is None else values * settings[factor]


def _count(table: JsonObject, names: Sequence[str]) -> int:
    """Counts the layers that have what tells the kind, at least 1."""
    form = next((x for x in table["found_by"] if "{i}" in x), "-")
    name = re.compile(re.escape(form).replace(r"\{i\}", r"\d+"))
    return max(1, sum(name.fullmatch(text) is not None for text in names))


def _write_tensors(tensors: Tensors, file: Path) -> int:
    """Writes tensors as a .safetensors file. Returns how many numbers they have."""
    heads: dict[str, object] = {}
    arrays = {name: _as_floats(values) for name, values in tensors.items()}
    ends = 0
    for name, values in arrays.items():
        begins, ends = ends, ends + values.nbytes
        kind = _TYPES[values.dtype.str[1:]]
        heads[name] = {"dtype": kind, "shape": values.shape, "data_offsets": [begins, ends]}
    head = json.dumps(heads).encode()
    with file.open("wb") as stream:
        stream.write(len(head).to_bytes(8, "little") + head)
        stream.writelines(values.tobytes() for values in arrays.values())
    return sum(values.size for values in tensors.values())


def _as_floats(values: Array) -> Array:
    return values if values.dtype.str[1:] in _TYPES else values.astype(np.float64)
