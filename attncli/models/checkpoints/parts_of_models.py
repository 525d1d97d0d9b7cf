"""A part of a model, such as a layer or a norm, by its config: the table of a kind of modules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from attncli.errors import UserError, listed
from attncli.models.checkpoints.model_folder import Checkpoint, family_of
from attncli.models.checkpoints.model_settings import settled
from attncli.models.checkpoints.scenario_of_model import forms_of, said_of_layer
from attncli.scenario.file.named_files import JsonObject
from attncli.scenario.templates import layers_with

_OF_THE_WHOLE = (
    "unembedding", "predict_from", "logit_scale", "logit_softcap", "embedding_scale", "head",
    "labels", "project_in", "encoder", "layers", "final_norm", "embedding_norm",
)  # fmt: skip
"""What a family says of what comes before all layers, or after them."""
_OF_ATTENTION = (
    "heads", "kv_heads", "scale", "softcap", "qk_norm", "latent", "clamp", "rope", "positions",
    "weights_layout",
)  # fmt: skip
_OF_NETWORK = (
    "activation", "gated", "experts", "router", "clamp", "up_plus_one", "weights_layout",
)  # fmt: skip
_IN_EACH_LAYER = ("rope", "alibi", "relative")
"""Kinds of positions that attentions use; others are added to the embeddings."""
_FIRST = re.compile(r"\.0\.")
Shapes = Mapping[str, tuple[int, ...]]


def _is_of_norm(key: str) -> bool:
    """Tells whether a key is that of a norm's γ or β: `norm1.gamma`, `qk_norm.gamma_Q`."""
    *_, norm, parameter = ("", *key.split("."))
    return "norm" in norm and parameter.startswith(("gamma", "beta"))


class PartOfModel(NamedTuple):
    """A part of a model, such as a layer or an attention."""

    table: JsonObject
    """What a family's table would say if the part were the whole of a model."""
    mask: object = "none"
    """What a layer of its kind hides by itself."""
    attends: bool = False
    """Whether it needs what an encoder made."""
    windowed: bool = False
    """Whether it is a layer with a window."""
    lead: str = ""
    """What stands before the names of its tensors in a model whose first layer it is of."""

    @property
    def turns(self) -> bool:
        """Tells whether queries and keys are rotated."""
        return positions_of(self.table["says"]) == "rope"


def part_of(
    config: JsonObject, shapes: Shapes, layer: int | None, called: str, *, decodes: bool = True
) -> PartOfModel:
    """Finds the part of a model that has tensors of such names and shapes, in a layer from 0 where
    that is known. `decodes` says of which stack it is, where a family has two. Raises UserError."""
    checkpoint = Checkpoint(settled(config), Path(called), frozenset(shapes))
    family, count = family_of(checkpoint), len(checkpoint.config["layer_types"])
    known = layer if layer is not None and layer < count else None
    found = _keys(checkpoint, family, shapes, known, decodes=decodes)
    if found is None:
        wrong = f"no part of a model of this config has the tensors {listed(shapes)}"
        right = "give a layer, an attention, a feed-forward network or a norm, or the whole model"
        raise UserError.of(called, wrong, right)
    lead, keys = found
    is_encoder = all(key.startswith("encoder.") for key in keys)
    keys = {key.removeprefix("encoder."): named for key, named in keys.items()}
    parts = []
    for number in range(count) if known is None else [known]:
        says = said_of_layer(checkpoint, family, number)
        parts.append(_as_table(_of_stack(says, is_encoder=is_encoder), keys, family, called))
    if any(part != parts[0] for part in parts):
        wrong = "the layers of this model differ, and it isn't known which one this is of"
        raise UserError.of(called, wrong, "say it by its attribute layer_idx, from 0")
    return parts[0]._replace(lead=lead.replace("{i}", "0"))


def _keys(
    checkpoint: Checkpoint, family: JsonObject, shapes: Shapes, layer: int | None, *, decodes: bool
) -> tuple[str, dict[str, object]] | None:
    """Returns what stands before the names of a part's tensors in the model, and the keys of these,
    each with the names that they have in the part. Returns None where no part has such tensors."""
    all_norms = all(len(shape) == 1 for shape in shapes.values())
    found: list[tuple[str, dict[str, object]]] = []
    for lead in _leads(family["keys"]):
        entries = {
            key: named
            for key, named in _under(lead, family["keys"], (checkpoint, layer))
            if {*forms_of(_each([named]))} & {*_forms(shapes)}
        }
        if _are_placed(shapes, entries) and all_norms == all(map(_is_of_norm, entries)):
            found.append((lead, entries))
    own = (
        (lead, keys)
        for lead, keys in found
        if decodes != all(key.startswith("encoder.") for key in keys)
    )
    return next(own, next(iter(found), None))


def _leads(keys: JsonObject) -> list[str]:
    """Returns what may stand before the names of a part's tensors, the longest parts first."""
    found: dict[str, None] = {}
    for form in forms_of(_each(keys.values())):
        ends = [k + 1 for k, letter in enumerate(form) if letter == "."]
        found |= {form[:end]: None for end in ends if "{e}" not in form[:end]}
    return sorted(found, key=lambda lead: lead.count("."))


def _each(named: Iterable[object]) -> Iterator[object]:
    for value in named:
        yield from value if isinstance(value, list) else [value]


def _under(
    lead: str, keys: JsonObject, of: tuple[Checkpoint, int | None]
) -> Iterator[tuple[str, object]]:
    """Yields the keys whose tensors' names begin with a lead, each with the rest of these names."""
    for key, named in keys.items():
        entries = [entry for value in _each([named]) if (entry := _short(value, lead, of))]
        if entries:
            yield key, entries


def _short(value: object, lead: str, of: tuple[Checkpoint, int | None]) -> object:
    """Returns what is said of a tensor, by the name that it has in a part, and None for one that
    isn't in it."""
    checkpoint, layer = of
    data: dict[str, Any] = dict(value) if isinstance(value, Mapping) else {"key": value}
    form = str(data["key"])
    if "{i}" in lead and "{i}" not in form and layer in (0, None):
        form = _FIRST.sub(".{i}.", form, count=1)  # what only the first layer has
    some = data.pop("layers", None)
    if some is not None and layer is not None:
        chosen = checkpoint.setting(some[1:]) if str(some).startswith("$") else some
        count = len(checkpoint.config["layer_types"])
        if layer not in layers_with(cast("str | list[object] | None", chosen), count):
            return None
    if not form.startswith(lead):
        return None
    data["key"] = form.removeprefix(lead)
    return data if len(data) > 1 else data["key"]


def _forms(names: Iterable[str]) -> Iterator[str]:
    """Yields the names of tensors, and each with `{e}` for the number of an expert."""
    for name in names:
        yield name
        yield re.sub(r"(experts\.)\d+(?=\.)", r"\1{e}", name)


def _are_placed(names: Iterable[str], keys: JsonObject) -> bool:
    placed = {*forms_of(_each(keys.values()))}
    return all(not placed.isdisjoint(_forms([name])) for name in names)


def _of_stack(says: JsonObject, *, is_encoder: bool) -> dict[str, object]:
    """Returns what is said of a layer, with what is said of the encoder's where it is in that."""
    own: Mapping[str, object] = says.get("encoder", {}) if is_encoder else {}
    return {**says, **own, **({"block": "encoder", "mask": "none"} if is_encoder else {})}


def positions_of(says: JsonObject) -> str:
    """Returns the kind of the positions that are said, and an empty text where there are none."""
    positions = says.get("positions", "")
    return str(positions.get("kind", "")) if isinstance(positions, Mapping) else str(positions)


def _as_table(
    says: dict[str, object], keys: JsonObject, family: JsonObject, called: str
) -> PartOfModel:
    """Makes the table by which a part is worked. Raises UserError for one that isn't worked
    alone."""
    says = {key: value for key, value in says.items() if key not in _OF_THE_WHOLE}
    kind = positions_of(says)
    if kind not in _IN_EACH_LAYER or (kind == "relative" and "positions.table" not in keys):
        says.pop("positions", None)
    mask = says.get("mask", "causal" if says["block"] == "decoder" else "none")
    kept = {key: value for key, value in family.items() if key not in (
        "says_of", "says_when", "says_of_layers", "says_with", "each_token")}  # fmt: skip
    table = {**kept, "keys": keys, "says": {**says, "mask": mask}}
    several = {key.removeprefix("cross.").partition(".")[0] for key in keys}
    if all(map(_is_of_norm, keys)):
        return PartOfModel(_of_norm(table, called))
    attends, works = "W_Q" in several, bool({"W1", "experts"} & several)
    normed = any(_is_of_norm(key) and not key.startswith("qk_norm") for key in keys)
    if normed and attends != works and (works or says.get("norm") != "post"):
        wrong = "this is a sublayer with its residual and its norm"
        raise UserError.of(called, wrong, "compare what is inside it, or the layer that it is in")
    if not attends and works:
        routed = any(key.startswith("experts.") for key in keys)
        said = [key for key in _OF_NETWORK if routed or key not in ("experts", "router")]
        return PartOfModel(_only(table, said))
    if attends and not works:
        return _of_attention(table, mask, normed=normed)
    is_cross = any(key.startswith("cross.") for key in keys)
    return PartOfModel(table, mask, is_cross, "window" in str(mask))


def _only(table: JsonObject, said: Sequence[str]) -> JsonObject:
    says = {key: value for key, value in table["says"].items() if key in said}
    return {**table, "says": says}


def _of_norm(table: JsonObject, called: str) -> JsonObject:
    """Makes the table of a norm alone, worked as one behind layers. Raises UserError where not all
    norms are alike."""
    says = table["says"]
    if "latent" in says:
        wrong = "not all norms of this model are alike"
        raise UserError.of(called, wrong, "compare the layer that it is in")
    keys = {f"final_norm.{key.rpartition('.')[2].partition('_')[0]}": named
            for key, named in table["keys"].items()}  # fmt: skip
    return {**table, "keys": keys, "says": {"final_norm": says["norms"]}}


def _of_attention(table: JsonObject, mask: object, *, normed: bool) -> PartOfModel:
    """Makes the table of an attention alone, or with its residual and its norm where that comes
    after it."""
    crossing = all(key.startswith("cross.") for key in table["keys"])
    keys = {key.removeprefix("cross."): named for key, named in table["keys"].items()}
    if normed:
        return PartOfModel({**table, "keys": keys}, mask, windowed="window" in str(mask))
    own = _only(table, [key for key in _OF_ATTENTION if key != "positions" or not crossing])
    mask = "none" if crossing else mask
    says = {**own["says"], "block": "attention", "mask": mask}
    return PartOfModel({**own, "keys": keys, "says": says}, mask, crossing, "window" in str(mask))


def is_part(config: JsonObject, names: Iterable[str]) -> bool:
    """Tells whether tensors are those of a part of a model: the embeddings aren't among them.
    Raises UserError for a family that isn't known."""
    checkpoint = Checkpoint(settled(config), Path(), frozenset(names))
    first = next(iter(family_of(checkpoint)["keys"].values()))
    forms = [f".{form}" for form in forms_of(_each([first]))]
    return not any(f".{name}".endswith(form) for name in names for form in forms)
