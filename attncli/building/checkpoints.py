"""A scenario of a checkpoint: a folder with `config.json` and the tensors of a model, as
`transformers` saves it. What a family of models calls its tensors is a table in `families`."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attncli.building.checkpoint_inputs import Reading
from attncli.building.family_tables import family_of
from attncli.building.model_settings import local_rope, rope_scaling, written
from attncli.file.files import RefusedFileError
from attncli.file.safetensors_files import INDEX, names_in_index, tensors_in
from attncli.records import NamedTuple
from attncli.refusals import Refusal, listed

Data = Mapping[str, Any]

_ONE_FILE = "model.safetensors"
_ACTIVATIONS = {
    "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "gelu_fast": "gelu_tanh",
    "swish": "silu", "relu": "relu", "gelu": "gelu", "silu": "silu", "quick_gelu": "quick_gelu",
    "relu2": "relu2",
}  # fmt: skip
"""What others call an activation, and its name here."""
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {"√": math.sqrt, "1/": lambda x: 1 / x}
_NO_WEIGHTS = re.compile(
    r"rotary_emb\.inv_freq|position_ids|attn\.(masked_)?bias|attention\.(masked_)?bias"
)
"""Tensors of old checkpoints that hold no weights: masks, angles."""


class Checkpoint(NamedTuple):
    """What a folder holds: the settings of `config.json`, the file of the tensors, their names."""

    config: Data
    file: Path
    tensors: frozenset[str]

    @classmethod
    def of(cls, source: str) -> Checkpoint:
        """That of a folder, or of a file of tensors in one. Raises Refusal."""
        path = Path(source)
        folder = path if path.is_dir() else path.parent
        try:
            config = json.loads((folder / "config.json").read_text("utf-8"))
            file = _tensor_file(path)
            names = names_in_index(file) if file.name.endswith(INDEX) else tensors_in(file)
        except RefusedFileError as refused:
            raise Refusal.of(source, refused.wrong, refused.right) from None
        except OSError as error:
            wrong = f"{Path(error.filename or source).name}: {error.strerror}"
            right = "name a folder with config.json and model.safetensors"
            raise Refusal.of(source, wrong, right) from None
        except (ValueError, KeyError, TypeError) as error:
            raise Refusal.of(source, "it can't be read", "save the model anew") from error
        return cls(config, file, frozenset(names))

    def setting(self, names: str) -> object:
        """The first setting of some that is said, `rope_theta|rope_parameters.rope_theta`, or its
        root, `√name`, or 1 by it, `1/name`; None where none is."""
        if names.startswith("="):
            return _WORKED_OUT[names[1:]](self)
        for sign, function in _FUNCTIONS.items():
            if names.startswith(sign):
                said = self.setting(names.removeprefix(sign))
                return None if said is None else function(float(str(said)))
        for name in names.split("|"):
            value: Any = self.config
            for key in name.split("."):
                value = value.get(key) if isinstance(value, Mapping) else None
            if value is not None:
                return _ACTIVATIONS.get(value, value) if isinstance(value, str) else value
        return None


def _rotary_dimensions(checkpoint: Checkpoint) -> int:
    """How many dimensions of a head turn, of which a share is said."""
    share = checkpoint.setting(
        "rotary_pct|partial_rotary_factor|rope_parameters.partial_rotary_factor"
    )
    return int(_head_size(checkpoint) * float(str(share or 1)))


def _head_size(checkpoint: Checkpoint) -> int:
    config = checkpoint.config
    shared = int(config["hidden_size"]) // int(config["num_attention_heads"])
    return int(config.get("head_dim") or shared)


def _rows_of(number: int) -> Callable[[Checkpoint], str]:
    """Where queries, keys or values, which is the number, are among rows that have them all."""

    def rows(checkpoint: Checkpoint) -> str:
        heads = int(checkpoint.config["num_attention_heads"])
        pairs = int(checkpoint.config.get("num_key_value_heads") or heads)
        size = _head_size(checkpoint)
        ends = [0, heads * size, (heads + pairs) * size, (heads + 2 * pairs) * size]
        return f"{ends[number]}:{ends[number + 1]}"

    return rows


def _activation_of_t5(checkpoint: Checkpoint) -> object:
    """`gated-gelu` means GELU by its tanh, as the first of these models had it."""
    said = str(checkpoint.config.get("feed_forward_proj", "relu"))
    return (
        checkpoint.setting("dense_act_fn")
        or _ACTIVATIONS["gelu_new" if said == "gated-gelu" else said.removeprefix("gated-")]
    )


def _logit_scale_of_t5(checkpoint: Checkpoint) -> object:
    """1/√d_model, unless the unembedding was learned by itself."""
    scaled = checkpoint.setting("scale_decoder_outputs|tie_word_embeddings")
    return None if scaled is False else checkpoint.setting("1/√d_model")


def _embedding_scale(checkpoint: Checkpoint) -> str | None:
    return "sqrt_d_model" if checkpoint.config.get("scale_embedding") else None


def _labels(checkpoint: Checkpoint) -> list[str]:
    """What the classes are called, in their order; two that have no names aren't in the file."""
    named = checkpoint.config.get("id2label") or {"0": "LABEL_0", "1": "LABEL_1"}
    return [str(named[number]) for number in sorted(named, key=int)]


_WORKED_OUT: Mapping[str, Callable[[Checkpoint], object]] = {
    "after_padding": lambda checkpoint: int(checkpoint.config["pad_token_id"]) + 1,
    "activation_of_t5": _activation_of_t5,
    "embedding_scale": _embedding_scale,
    "gated": lambda checkpoint: True if "wi_1" in "".join(checkpoint.tensors) else None,
    "labels": _labels,
    "logit_scale_of_t5": _logit_scale_of_t5,
    "rotary_dimensions": _rotary_dimensions,
    "local_rope": lambda checkpoint: local_rope(checkpoint.config),
    "rope_scaling": lambda checkpoint: rope_scaling(checkpoint.config),
    "query_rows": _rows_of(0),
    "key_rows": _rows_of(1),
    "value_rows": _rows_of(2),
}
"""What follows from several settings, by the name that families have for it."""


def _tensor_file(path: Path) -> Path:
    if not path.is_dir():
        return path
    one = path / _ONE_FILE
    return one if one.exists() else path / f"model{INDEX}"


def scenario_of(
    checkpoint: Checkpoint,
    place: Path,
    tokens: Reading,
    encoder_tokens: Reading | None = None,
    picture: str | None = None,
) -> dict[str, Any]:
    """What a scenario in the folder `place` says of a checkpoint, for what it reads, and for what
    its encoder reads, by default the same; or for the `picture` in a file. Raises Refusal."""
    kind = str(checkpoint.config.get("model_type"))
    family = family_of(kind)
    says = {**family["says"], **family.get("says_of", {}).get(kind, {})}
    for tensor, more in family.get("says_with", {}).items():
        says |= more if _has(checkpoint, tensor) else {}
    prefix = _prefix(checkpoint, str(next(iter(family["keys"].values()))))
    keys = dict(_known(checkpoint, prefix, family["keys"]))
    file = os.path.relpath(checkpoint.file, place)
    _check_all_placed(checkpoint, keys)
    said = {key: value for key, value in _said(checkpoint, says).items() if key not in keys}
    if "encoder" in said:
        said["encoder"] = {**(encoder_tokens or tokens).says, **said["encoder"]}
    elif encoder_tokens:
        wrong = f"a model of the type {kind} has no encoder beside what it writes"
        raise Refusal.of("--encoder-tokens", wrong, "give only --tokens")
    return {
        "title": str(checkpoint.config.get("_name_or_path") or kind),
        **_what_goes_in(checkpoint, family, place, tokens, picture),
        "layers": _layers(checkpoint, family),
        **said,
        "rounding": {"policy": "exact", "decimals": "4"},
        "weights": {"file": file, "keys": keys},
    }


def _layers(checkpoint: Checkpoint, family: Data) -> object:
    """How many layers there are, and what those of a type say that others don't."""
    count = int(str(checkpoint.setting(family["layers"].removeprefix("$"))))
    types = checkpoint.config.get("layer_types") or [""] * count
    said = [_said(checkpoint, family.get("says_of_layers", {}).get(one, {})) for one in types]
    if not any(said):
        return str(count)
    odd, even = said[::2], said[1::2]
    if all(one == odd[0] for one in odd) and all(one == even[0] for one in even):
        parts = {"odd": odd[0], "even": even[0]} if even[:1] != odd[:1] else {"each": odd[0]}
    else:
        parts = {str(k): one for k, one in enumerate(said, start=1)}
    return {"count": str(count), **{part: one for part, one in parts.items() if one}}


def _what_goes_in(
    checkpoint: Checkpoint, family: Data, place: Path, tokens: Reading, picture: str | None
) -> dict[str, Any]:
    """Tokens, and what is said of each; or the patches of a picture. Raises Refusal."""
    sees = "class_token" in family["keys"]
    if sees != (picture is not None):
        wrong = "this model sees pictures" if sees else "this model reads texts, and no pictures"
        right = "name one, like --picture pixels.npy" if sees else "leave --picture out"
        raise Refusal.of(checkpoint.file.name, wrong, right)
    if picture is not None:
        file, side = os.path.relpath(picture, place), checkpoint.config["patch_size"]
        return {"patches": {"file": file, "patches": str(side)}}
    each = {key: [value] * tokens.length for key, value in family.get("each_token", {}).items()}
    return {**tokens.says, **each}


def _prefix(checkpoint: Checkpoint, embeddings: str) -> str:
    """What stands before the names of a checkpoint's tensors: `transformer.`, or nothing."""
    found = [name for name in checkpoint.tensors if f".{name}".endswith(f".{embeddings}")]
    if not found:
        wrong = f"no tensor is called {embeddings}"
        raise Refusal.of(
            checkpoint.file.name, wrong, f"it has {listed(sorted(checkpoint.tensors))}"
        )
    return min(found, key=len).removesuffix(embeddings)


def _known(checkpoint: Checkpoint, prefix: str, keys: Data) -> Iterator[tuple[str, object]]:
    """The keys of those tensors that a checkpoint has."""
    for key, named in keys.items():
        either = named if isinstance(named, list) else [named]
        found = (_tensor(checkpoint, where, one) for one in either for where in (prefix, ""))
        tensor = next(filter(None, found), None)  # of the stack, or of the model itself
        if tensor is not None:
            yield key, tensor


def _has(checkpoint: Checkpoint, tensor: str) -> bool:
    """Whether a checkpoint has a tensor, by itself or in a part of it."""
    return any(f".{name}".endswith(f".{tensor}") for name in checkpoint.tensors)


def _tensor(checkpoint: Checkpoint, prefix: str, named: object) -> object:
    """A tensor's name, or the part of it that is meant; None if there isn't one."""
    said = named if isinstance(named, Mapping) else {"key": named}
    key = f"{prefix}{said['key']}"
    if key.replace("{i}", "0").replace("{e}", "0") not in checkpoint.tensors:
        return None
    rest = {name: value for name, value in said.items() if name != "key"}
    return {"key": key, **_said(checkpoint, rest)} if rest else key


def _said(checkpoint: Checkpoint, said: Data) -> dict[str, Any]:
    """What a family says, with the settings of a checkpoint; without those that it hasn't got."""
    told = {key: _value(checkpoint, value) for key, value in said.items()}
    return {key: value for key, value in told.items() if value not in (None, {})}


def _value(checkpoint: Checkpoint, value: object) -> object:
    if isinstance(value, Mapping):
        return _said(checkpoint, value)
    if isinstance(value, list):
        return [one for one in (_value(checkpoint, one) for one in value) if one not in (None, {})]
    if isinstance(value, str) and value.startswith("$"):
        setting = checkpoint.setting(value[1:])
        return (
            setting if setting is None or isinstance(setting, Mapping | list) else written(setting)
        )
    return value


def _check_all_placed(checkpoint: Checkpoint, keys: Data) -> None:
    """Raises Refusal where tensors are left over: a scenario without them would be another
    model."""
    named = (one["key"] if isinstance(one, Mapping) else one for one in keys.values())
    forms = (re.sub(r"\\\{[ie]\\\}", r"\\d+", re.escape(str(name))) for name in named)
    placed = re.compile("|".join(forms))
    left = [
        name
        for name in sorted(checkpoint.tensors)
        if not placed.fullmatch(name) and not _NO_WEIGHTS.search(name)
    ]
    if left:
        wrong = f"{listed(left)}: these tensors have no place in a scenario"
        raise Refusal.of(checkpoint.file.name, wrong, "save a model without them")
