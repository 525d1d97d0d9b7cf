"""Whether a scenario of a checkpoint says all that its settings and its tensors do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from attncli.building.checkpoint import Checkpoint
from attncli.building.expert_layers import dense_layers, sparse_layers
from attncli.building.family_tables import form_of
from attncli.building.model_settings import written
from attncli.refusals import Refusal, listed
from attncli.scenario.template_tensors import layers_with

Data = Mapping[str, Any]

_NO_WEIGHTS = re.compile(
    r"rotary_emb\.inv_freq|position_ids|attn\.(masked_)?bias|attention\.(masked_)?bias"
)
"""Tensors of old checkpoints that hold no weights: masks, angles."""

_MAY_BE_LACKING = re.compile(r"(^|\.)(b_\w+|b\d?|beta(_\w)?|head\..+)$")
"""Keys of tensors that a model may do without: biases, and what a head behind the layers has."""
_SOME: Mapping[str, Callable[[Data], Sequence[int]]] = {
    "dense_layers": dense_layers,
    "sparse_layers": sparse_layers,
}


def check_known(checkpoint: Checkpoint, family: Data) -> None:
    """Raises Refusal for settings that make another model of it than a scenario can say."""
    decodes = {"is_causal": "true"} if family["says"]["block"] == "decoder" else {}
    for name, known in {**decodes, **family.get("known_only", {})}.items():
        value = checkpoint.setting(name)
        only = written(checkpoint.setting(known[1:])) if known.startswith("$") else known
        if value is not None and written(value) != only:
            right = f"known: {name}: {only}"
            raise Refusal.of("config.json", f"{name}: {written(value)} isn't known", right)


def of_settings(checkpoint: Checkpoint, cases: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What is said of the values that some settings have."""
    said = (cases[name].get(written(checkpoint.config.get(name)), ()) for name in cases)
    return [one for some in said for one in some]


def check_looked_for(checkpoint: Checkpoint, prefix: str, told: tuple[Data, Data, Data]) -> None:
    """Raises Refusal where a model of a family, of which so much is said and these keys are there,
    lacks a tensor."""
    family, said, keys = told
    parts = [one for one in ("qk_norm", "encoder") if one not in said]
    gates = [] if said.get("gated") else ["W3", "encoder.W3"]
    untied = ["unembedding"] if not _is_missed(checkpoint, said) else []
    left_out = [
        *family.get("optional", ()),
        *of_settings(checkpoint, family.get("optional_when", {})),
        *of_settings(checkpoint, family.get("unused_when", {})),
        *parts, *gates, *untied,
    ]  # fmt: skip
    lacking = [
        prefix + next(_forms(named if isinstance(named, list) else [named]))
        for key, named in family["keys"].items()
        if key not in keys
        and not _MAY_BE_LACKING.search(key)
        and not any(f"{key}.".startswith(f"{one}.") for one in left_out)
        and _has_layers(checkpoint, named)
    ]
    if lacking:
        there = {*map(form_of, _left(checkpoint, family, keys) or checkpoint.tensors)}
        like = get_close_matches(form_of(lacking[0]), sorted(there), len(there), 0)
        wrong = f"no tensor is called {listed(dict.fromkeys(lacking))}"
        right = f"it has {listed(like)}"
        raise Refusal.of(checkpoint.file.name, wrong, right)


def _is_missed(checkpoint: Checkpoint, said: Data) -> bool:
    """Whether an unembedding is missed where none is there: the embeddings don't do."""
    return "unembedding" in said and checkpoint.config.get("tie_word_embeddings") is False


def _has_layers(checkpoint: Checkpoint, named: object) -> bool:
    """Whether a tensor's layers, where only some have one, are any."""
    of = str(named.get("layers", "")) if isinstance(named, Mapping) else ""
    return not of or bool(_SOME[of.removeprefix("$=")](checkpoint.config))


def check_all_placed(checkpoint: Checkpoint, family: Data, keys: Data) -> None:
    """Raises Refusal where tensors are left over: a scenario without them would be another
    model."""
    left = _left(checkpoint, family, keys)
    if left:
        wrong = f"{listed(left)}: these tensors have no place in a scenario"
        raise Refusal.of(checkpoint.file.name, wrong, "save a model without them")


def _left(checkpoint: Checkpoint, family: Data, keys: Data) -> list[str]:
    """The names of the tensors that no key says, but for those that are unused beside another."""
    used = [f".{form}" for form in _forms(keys.values())]
    beside: Mapping[str, str] = family.get("unused_beside", {})
    unused = tuple(
        f".{name}"
        for name, other in beside.items()
        if any(one.endswith(f".{other}") for one in used)
    )
    forms = (re.sub(r"\\\{[ie]\\\}", r"\\d+", re.escape(form)) for form in _forms(keys.values()))
    placed = re.compile("|".join(forms))
    return [
        name
        for name in sorted(checkpoint.tensors)
        if not placed.fullmatch(name)
        and not _NO_WEIGHTS.search(name)
        and not f".{name}".endswith(unused)
    ]


def check_all_there(checkpoint: Checkpoint, keys: Data, layers: Mapping[bool, int]) -> None:
    """Raises Refusal where a layer or an expert lacks a tensor that the first one has. `layers` are
    those of the encoder, and the others."""
    experts = checkpoint.config.get("num_experts", checkpoint.config.get("num_local_experts"))
    lacking: dict[str, int] = {}
    for key, one in keys.items():
        count = layers[key.startswith("encoder.")]
        some = layers_with(one.get("layers") if isinstance(one, Mapping) else None, count)
        forms = (form.replace("{i}", str(k)) for form in _forms([one]) for k in some)
        each = (form.replace("{e}", str(e)) for form in forms for e in range(int(experts or 1)))
        lacking |= dict.fromkeys((name for name in each if name not in checkpoint.tensors), count)
    if lacking:
        count = max(lacking.values())
        wrong = f"{listed(lacking)}: no such tensor, and {count} layers have one"
        raise Refusal.of(checkpoint.file.name, wrong, "save the model anew, with all its tensors")


def _forms(named: Iterable[object]) -> Iterator[str]:
    """The names of tensors, with `{i}` for a layer, in what is said of keys."""
    for one in named:
        yield str(one["key"] if isinstance(one, Mapping) else one)
