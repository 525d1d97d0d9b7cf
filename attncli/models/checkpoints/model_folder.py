"""A checkpoint: `config.json` and the tensors of a model, as `transformers` saves it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from attncli.errors import Problem, UserError, listed
from attncli.maths.operations.positions import alibi_slopes
from attncli.models.checkpoints.model_settings import (
    DEFAULTS,
    PLACES,
    dense_layers,
    family_folders,
    local_rope,
    mscale,
    places,
    refusal,
    rope_scaling,
    router_of_groups,
    settled,
    some_layers,
    sparse_layers,
    usual_settings,
    written,
)
from attncli.scenario.file import reading
from attncli.scenario.file.named_files import JsonObject, RefusedFileError, parsed_json, text_in
from attncli.scenario.file.nodes import data_of
from attncli.scenario.file.problems import Diagnostics, knows_nothing
from attncli.scenario.file.safetensors_files import INDEX, names_in_index, size_of, tensors_in

_SETTINGS = "config.json"
_ONE_FILE = "model.safetensors"
_PICKLED = "pytorch_model*.bin"
_ACTIVATIONS = {
    "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "gelu_fast": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh", "gelu_accurate": "gelu_tanh", "gelu_python": "gelu",
    "swish": "silu",
}  # fmt: skip
"""What others call an activation, and its name here."""
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {"√": math.sqrt, "1/": lambda x: 1 / x}


class Checkpoint(NamedTuple):
    """A checkpoint: the settings of a model, and the file of its tensors."""

    config: JsonObject
    """The settings of `config.json`."""
    file: Path
    tensors: frozenset[str]
    """The names of the tensors."""
    size: int = 0
    """How many numbers the tensors have."""
    family: JsonObject | None = None
    """The table of its family, where that isn't one of Transformers'."""

    @classmethod
    def of(cls, source: str) -> Checkpoint:
        """Reads the checkpoint of a folder, or of a file of tensors or settings in it. Raises
        UserError."""
        path = Path(source)
        folder = path if path.is_dir() else path.parent
        path = folder if path.name == _SETTINGS else path
        try:
            text = text_in(folder / _SETTINGS)
            config = {**parsed_json(text), PLACES: places(text)}
            file = _tensor_file(path)
            names = names_in_index(file) if file.name.endswith(INDEX) else tensors_in(file)
            size = size_of(file)
        except RefusedFileError as refused:
            raise UserError.of(source, refused.wrong, refused.right) from None
        except OSError as error:
            wrong = f"{Path(error.filename or source).name}: {error.strerror}"
            right = "name a folder with config.json and model.safetensors"
            raise UserError.of(source, wrong, right) from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError.of(source, "it can't be read", "save the model anew") from error
        return cls(settled(config), file, frozenset(names), size)

    def without(self, prefix: re.Pattern[str]) -> Checkpoint:
        """Returns the checkpoint without the tensors whose names begin with a pattern."""
        left = (name for name in self.tensors if not prefix.match(name))
        return self._replace(tensors=frozenset(left))

    def tower(self, *, sees: bool) -> Checkpoint:
        """Returns the tower of pictures or that of texts of a CLIP model, which has both, and any
        other checkpoint as it is."""
        if self.config.get(_KIND) != "clip":
            return self
        other, own = ("text", "vision") if sees else ("vision", "text")
        said = self.config.get(f"{own}_config")
        config = {**(said if isinstance(said, Mapping) else {}), _KIND: f"clip_{own}_model"}
        config |= {name: self.config[name] for name in (PLACES,) if name in self.config}
        left = self.without(re.compile(f"logit_scale|{other}_model|{_PROJECTION[other]}"))
        return left._replace(config=settled(config))

    def setting(self, names: str) -> object:
        """Returns the first setting of some that is said, `rope_theta|rope_parameters.rope_theta`,
        or its root, `√name`, or its reciprocal, `1/name`, or what follows from several, `=name`.
        Returns None where none is said."""
        if names.startswith("="):
            return _WORKED_OUT[names[1:]](self)
        for sign, function in _FUNCTIONS.items():
            if names.startswith(sign):
                data = self.setting(names.removeprefix(sign))
                return None if data is None else function(float(str(data)))
        for name in names.split("|"):
            value: object = self.config
            for key in name.split("."):
                value = value.get(key) if isinstance(value, Mapping) else None
            if value is not None:
                return _ACTIVATIONS.get(value, value) if isinstance(value, str) else value
        return None


def _share_that_turns(checkpoint: Checkpoint) -> int:
    """Returns how many dimensions of a head are said to rotate, which may be odd."""
    share = checkpoint.setting("rope_parameters.partial_rotary_factor")
    return int(_head_size(checkpoint) * float(str(share or 1)))


def _rotary_dimensions(checkpoint: Checkpoint) -> int:
    """Returns how many dimensions of a head rotate: pairs, and so one more than an odd number.
    Raises UserError where an odd number would have scaled frequencies."""
    share = _share_that_turns(checkpoint)
    scaling = rope_scaling(checkpoint.config) or {"kind": "linear"}
    if share % 2 and scaling["kind"] != "linear":
        wrong = f"rope_type {scaling['kind']} of {share} dimensions isn't known"
        right = "known: an even number of dimensions"
        raise refusal(checkpoint.config, "partial_rotary_factor", wrong, right)
    return share + share % 2


def _rotary_base(checkpoint: Checkpoint) -> float:
    """Returns the base that gives an even number of dimensions the powers of an odd one:
    base^(2k/3) is that of 4 dimensions with base^(4/3)."""
    share, base = (
        _share_that_turns(checkpoint),
        float(checkpoint.config["rope_parameters"]["rope_theta"]),
    )
    return base ** ((share + 1) / share) if share % 2 else base


def _head_size(checkpoint: Checkpoint) -> int:
    config = checkpoint.config
    shared = int(config["hidden_size"]) // int(config["num_attention_heads"])
    return int(config.get("head_dim") or shared)


def _rows_of(number: int) -> Callable[[Checkpoint], str]:
    """Makes what finds the range of rows of queries, keys or values, for 0, 1 or 2, in a tensor
    that has them all."""

    def rows(checkpoint: Checkpoint) -> str:
        heads = int(checkpoint.config["num_attention_heads"])
        pairs = int(checkpoint.config["num_key_value_heads"])
        size = _head_size(checkpoint)
        ends = [0, heads * size, (heads + pairs) * size, (heads + 2 * pairs) * size]
        return f"{ends[number]}:{ends[number + 1]}"

    return rows


def _group(more: int) -> Callable[[Checkpoint], int]:
    """Makes what counts the heads that share a key and a value, plus `more`."""
    return lambda it: (
        int(it.config["num_attention_heads"]) // int(it.config["num_key_value_heads"]) + more
    )


def _of_each_head(first: str, second: str, which: int) -> Callable[[Checkpoint], list[str]]:
    """Makes what finds the share of each head's rows, as equal parts, that belongs to the first or
    the second of two settings, which are the sizes of what lies in a row."""

    def split(checkpoint: Checkpoint) -> list[str]:
        sizes = int(checkpoint.config[first]), int(checkpoint.config[second])
        a, b = (size // math.gcd(*sizes) for size in sizes)
        return [str(number) for number in ((a + b, 1, a), (a + b, a + 1, a + b))[which]]

    return split


def _latent_scale(checkpoint: Checkpoint) -> float | None:
    """Returns what scores are divided by where YaRN changes that, and None where it is √d_k."""
    config, rope = checkpoint.config, checkpoint.config["rope_parameters"]
    if rope_scaling(config) is None or not rope.get("mscale_all_dim"):
        return None
    d_k = int(config["qk_nope_head_dim"]) + int(config["qk_rope_head_dim"])
    return math.sqrt(d_k) / mscale(rope, "mscale_all_dim") ** 2


def _slopes_with_scale(checkpoint: Checkpoint) -> list[str]:
    """Returns the slopes of ALiBi where it is added before scores are scaled, and so scaled with
    them."""
    scale = math.sqrt(_head_size(checkpoint))
    slopes = alibi_slopes(int(checkpoint.config["num_attention_heads"]))
    return [written(float(slope.full) / scale) for slope in slopes]


def _terms(checkpoint: Checkpoint) -> list[str]:
    """Returns the terms that DeBERTa adds to scores of contents. Raises UserError where there are
    none."""
    said = checkpoint.config.get("pos_att_type")
    texts = said.lower().split("|") if isinstance(said, str) else list(map(str, said or ()))
    terms = [term for term in ("c2p", "p2c") if term in map(str.strip, texts)]
    if not terms:
        wrong = f"pos_att_type: {written(said)} isn't known"
        raise refusal(checkpoint.config, "pos_att_type", wrong, "known: c2p, p2c, or both")
    return terms


def _shared_from(checkpoint: Checkpoint) -> int | None:
    """Returns the distance from which on DeBERTa has all in its last bucket, where far ones share
    some, and None otherwise."""
    config = checkpoint.config
    if not config.get("position_buckets"):
        return None
    most = int(config["max_relative_positions"])
    return most if most > 0 else int(config["max_position_embeddings"])


def _labels(checkpoint: Checkpoint) -> list[str]:
    """Returns the names of the classes, in their order, or `LABEL_0`, `LABEL_1`, … where they have
    none."""
    named = checkpoint.config.get("id2label")
    if named is None:
        return [f"LABEL_{k}" for k in range(int(checkpoint.config.get("num_labels") or 2))]
    return [str(named[number]) for number in sorted(named, key=lambda value: (len(value), value))]


_WORKED_OUT: Mapping[str, Callable[[Checkpoint], object]] = {
    "classifier_activation": lambda checkpoint: (
        "gelu" if checkpoint.config.get("model_type") == "electra" else "tanh"
    ),
    "embedding_scale": lambda it: "sqrt_d_model" if it.config.get("scale_embedding") else None,
    "gated": lambda checkpoint: checkpoint.config["is_gated_act"] or None,
    "labels": _labels,
    "logit_scale_of_t5": lambda it: (  # unless the unembedding was learned by itself
        it.setting("1/√d_model") if it.config.get("scale_decoder_outputs") else None
    ),
    "rotary_base": _rotary_base,
    "rotary_dimensions": _rotary_dimensions,
    "local_rope": lambda checkpoint: local_rope(checkpoint.config),
    "sparse_layers": lambda it: some_layers(sparse_layers(it.config), it.config),
    "dense_layers": lambda it: some_layers(dense_layers(it.config), it.config),
    "rope_scaling": lambda checkpoint: rope_scaling(checkpoint.config),
    "query_rows": _rows_of(0),
    "key_rows": _rows_of(1),
    "value_rows": _rows_of(2),
    "group_queries": _group(0),
    "group_key": _group(1),
    "group_parts": _group(2),
    "shared_from": _shared_from,
    "slopes_with_scale": _slopes_with_scale,
    "latent_scale": _latent_scale,
    "latent_rows": lambda it: f"0:{it.config['kv_lora_rank']}",
    "turned_rows": lambda it: f"{it.config['kv_lora_rank']}:",
    "query_content": _of_each_head("qk_nope_head_dim", "qk_rope_head_dim", 0),
    "query_turned": _of_each_head("qk_nope_head_dim", "qk_rope_head_dim", 1),
    "key_content": _of_each_head("qk_nope_head_dim", "v_head_dim", 0),
    "value_content": _of_each_head("qk_nope_head_dim", "v_head_dim", 1),
    "router_of_groups": lambda it: (
        router_of_groups(it.config) if it.config["num_experts"] else None
    ),
    "terms": _terms,
}
"""What follows from several settings, by the name that families have for it."""


def _tensor_file(path: Path) -> Path:
    if not path.is_dir():
        return path
    entry, index = path / _ONE_FILE, path / f"model{INDEX}"
    pickled = next(path.glob(_PICKLED), None)
    if pickled is not None and not entry.exists() and not index.exists():
        wrong = f"{pickled.name} is a pickle, which could run anything, and {_ONE_FILE} isn't there"
        raise RefusedFileError(wrong, "save the model anew with transformers, as safetensors")
    return index if index.exists() and not entry.exists() else entry


NOT_WORKED = Path(__file__).parent / "not_worked.yaml"
_KIND = "model_type"
_PROJECTION = {"text": "text_projection", "vision": "visual_projection"}


def family_files() -> list[Path]:
    """Lists the files of families: those beside this module, then those that packages add."""
    return [path for folder in family_folders() for path in sorted(folder.glob("*.yaml"))]


def families() -> Mapping[str, JsonObject]:
    """Reads the tables of families, by the types of models."""
    tables = map(table_of, family_files())
    return {name: table for table in tables for name in table["names"]}


@cache
def table_of(path: Path) -> JsonObject:
    """Reads the table of a family, once. Raises ScenarioError for one that is no YAML."""
    problems = Diagnostics()
    tree = reading.read_file(path, problems, knows_nothing)
    problems.stop_if_any()
    table = data_of(tree)
    assert isinstance(table, Mapping)
    return table


def family_of(checkpoint: Checkpoint) -> JsonObject:
    """Returns the table of a checkpoint's family. Raises UserError for a type of models that isn't
    known, with all tensors as they have no place, or whose usual settings aren't known."""
    if checkpoint.family is not None:
        return checkpoint.family
    known, kind = families(), str(checkpoint.config.get("model_type"))
    if kind in known and usual_settings(kind) is None:
        wrong = f"the usual settings of models of the type {kind} aren't known"
        right = f"add them to {DEFAULTS.name}, beside the families"
        raise refusal(checkpoint.config, _KIND, wrong, right)
    if kind in known:
        return known[kind]
    right = f"known: {listed(sorted(known))}"
    for entry in table_of(NOT_WORKED).values():
        if kind in entry["names"]:
            name = entry.get("setting", _KIND)
            name = name if name in checkpoint.config else _KIND
            what = f"{name} of {kind}" if name != _KIND else f"{name} {kind}"
            wrong = f"{what}: {entry['needs']} aren't worked here"
            raise refusal(checkpoint.config, name, wrong, right)
    unknown = refusal(checkpoint.config, _KIND, f"models of the type {kind} aren't known", right)
    forms = sorted(set(map(form_of, checkpoint.tensors)))
    raise UserError([*unknown.problems, *map(_no_place, forms)])


def form_of(tensor: str) -> str:
    """Returns a tensor's name with `{i}` for the number of its layer."""
    return re.sub(r"(?<=\.)\d+(?=\.)", "{i}", tensor, count=1)


def _no_place(form: str) -> Problem:
    right = "write a scenario with it under weights.keys, where you know what it is"
    return Problem.of(form, "it isn't known what this tensor is for", right)
