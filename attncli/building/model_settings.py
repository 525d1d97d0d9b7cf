"""Settings of a model's `config.json` as a scenario says them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from attncli.building.model_defaults import WHOLE, WINDOWED
from attncli.refusals import Refusal, listed
from attncli.steps.input.positions import SCALINGS

Data = Mapping[str, Any]

_SCALED = {
    "factor": "factor",
    "original_length": "original_max_position_embeddings",
    "low_freq_factor": "low_freq_factor",
    "high_freq_factor": "high_freq_factor",
    "beta_fast": "beta_fast",
    "beta_slow": "beta_slow",
    "attention_factor": "attention_factor",
    "truncate": "truncate",
}
"""Keys of the scaling of rotary positions, and what they are called in config.json."""
_NEVER_SCALED = {"phi3": ["default"]}
"""What is known of models that `transformers` scales in no other way than one that isn't."""


def rope_scaling(config: Data) -> Data | None:
    """How the frequencies of rotary positions are scaled, if they are. Raises Refusal."""
    rope: Data = config.get("rope_parameters") or {}
    return _scaling(config, rope.get(WHOLE, rope))


def local_rope(config: Data) -> Data:
    """How layers with a window turn queries and keys, where they do it in a way of their own."""
    rope: Data = config.get("rope_parameters") or {}
    scaling = _scaling(config, rope.get(WINDOWED, rope))
    base = {"base": written(rope[WINDOWED]["rope_theta"])} if WINDOWED in rope else {}
    return base if scaling is None else {**base, "scaling": scaling}


def _scaling(config: Data, rope: Data) -> Data | None:
    kind = rope.get("rope_type", "default")
    if kind == "default":
        return None
    known = None if config.get("model_type") in _NEVER_SCALED else SCALINGS.get(kind)
    strange = {"mscale", "mscale_all_dim"} & {name for name, value in rope.items() if value}
    if known is None or strange:
        wrong = f"rope_type {kind}" if known is None else f"{listed(sorted(strange))} of {kind}"
        right = f"known: {listed(_NEVER_SCALED.get(str(config.get('model_type')), [*SCALINGS]))}"
        raise Refusal.of("config.json", f"{wrong} isn't known", right)
    length = config.get("max_position_embeddings")
    if kind == "dynamic" or rope.get("original_max_position_embeddings") is None:
        rope = {**rope, "original_max_position_embeddings": length}
    said = {ours: rope.get(theirs) for ours, theirs in _SCALED.items() if ours in known.known}
    given = {name: written(value) for name, value in said.items() if value is not None}
    return {"kind": kind, **given}


def written(value: object) -> str:
    """A setting as a scenario has it: `0.00001`, and not `1e-05`; `true`, and not `True`."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return format(Decimal(str(value)), "f") if isinstance(value, float) else str(value)
