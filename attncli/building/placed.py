"""Whether a scenario of a checkpoint says all that its settings and its tensors do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attncli.building.checkpoint import Checkpoint
from attncli.building.model_settings import written
from attncli.refusals import Refusal, listed
from attncli.scenario.template_tensors import layers_with

Data = Mapping[str, Any]

_NO_WEIGHTS = re.compile(
    r"rotary_emb\.inv_freq|position_ids|attn\.(masked_)?bias|attention\.(masked_)?bias"
)
"""Tensors of old checkpoints that hold no weights: masks, angles."""


def check_known(checkpoint: Checkpoint, family: Data) -> None:
    """Raises Refusal for settings that make another model of it than a scenario can say."""
    for name, known in family.get("known_only", {}).items():
        value = checkpoint.config.get(name)
        only = written(checkpoint.setting(known[1:])) if known.startswith("$") else known
        if value is not None and written(value) != only:
            right = f"known: {name}: {only}"
            raise Refusal.of("config.json", f"{name}: {written(value)} isn't known", right)


def check_all_placed(checkpoint: Checkpoint, keys: Data) -> None:
    """Raises Refusal where tensors are left over: a scenario without them would be another
    model."""
    forms = (re.sub(r"\\\{[ie]\\\}", r"\\d+", re.escape(form)) for form in _forms(keys.values()))
    placed = re.compile("|".join(forms))
    left = [
        name
        for name in sorted(checkpoint.tensors)
        if not placed.fullmatch(name) and not _NO_WEIGHTS.search(name)
    ]
    if left:
        wrong = f"{listed(left)}: these tensors have no place in a scenario"
        raise Refusal.of(checkpoint.file.name, wrong, "save a model without them")


def check_all_there(checkpoint: Checkpoint, keys: Data, layers: int) -> None:
    """Raises Refusal where a layer lacks a tensor that the first one has."""
    own = (one for key, one in keys.items() if not key.startswith("encoder."))
    wanted = (
        form.replace("{i}", str(k))
        for one in own
        for form in _forms([one])
        for k in layers_with(one.get("layers") if isinstance(one, Mapping) else None, layers)
    )
    lacking = [name for name in dict.fromkeys(wanted) if not _is_there(checkpoint, name)]
    if lacking:
        wrong = f"{listed(lacking)}: no such tensor, and {layers} layers have one"
        raise Refusal.of(checkpoint.file.name, wrong, "save the model anew, with all its tensors")


def _is_there(checkpoint: Checkpoint, name: str) -> bool:
    return name.replace("{e}", "0") in checkpoint.tensors


def _forms(named: Iterable[object]) -> Iterator[str]:
    """The names of tensors, with `{i}` for a layer, in what is said of keys."""
    for one in named:
        yield str(one["key"] if isinstance(one, Mapping) else one)
