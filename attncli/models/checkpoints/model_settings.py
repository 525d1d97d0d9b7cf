"""Settings of a model's `config.json` as a scenario says them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from math import isfinite
from pathlib import Path
from types import MappingProxyType

from attncli.errors import Problem, UserError, Where, listed
from attncli.plugins import FAMILIES, plugins
from attncli.scenario.file.named_files import JsonObject
from attncli.scenario.templates import EVERY_OTHER, layers_with
from attncli.steps.input.positions import SCALINGS

SPARSE = "sparse"
"""The type of layers with experts."""


def sparse_layers(config: JsonObject) -> list[int]:
    """Returns the numbers, from 1, of the layers whose feed-forward network is experts: every so
    many, but for those that are said to have none."""
    dense, step = config.get("mlp_only_layers", ()), config.get("decoder_sparse_step", 1)
    experts = config.get("num_experts", config.get("num_local_experts"))
    last = int(config["num_hidden_layers"]) if experts else 0
    return [k for k in range(1, last + 1) if not k % step and k - 1 not in dense]


def dense_layers(config: JsonObject) -> list[int]:
    """Returns the numbers, from 1, of the layers without experts."""
    sparse = sparse_layers(config)
    return [k for k in range(1, int(config["num_hidden_layers"]) + 1) if k not in sparse]


UNTURNED = "unturned"
"""The type of layers whose queries and keys aren't turned."""


def unturned_layers(config: JsonObject) -> list[int]:
    """Returns the numbers, from 1, of the layers without rotary positions. In Cohere 2 these are
    the layers without a window."""
    turned = config.get("no_rope_layers", ())
    if config["model_type"] == "cohere2":
        turned = [kind == _WINDOWED for kind in config["layer_types"]]
    return [k for k, turns in enumerate(turned, start=1) if not turns]


def some_layers(numbers: Sequence[int], config: JsonObject) -> object:
    """Returns some of the layers as a scenario says them, and None where they are all or none."""
    count = int(config["num_hidden_layers"])
    if len(numbers) in (0, count):
        return None
    words = (word for word in EVERY_OTHER if layers_with(word, count) == [k - 1 for k in numbers])
    return next(words, [str(k) for k in numbers])


def family_folders() -> list[Path]:
    """Lists the folders that have tables of families, our own first."""
    return [Path(entry.load().__path__[0]) for entry in plugins(FAMILIES).values()]


DEFAULTS = Path(__file__).parent / "families" / "defaults.json"
"""By the type of a model: what its class of settings takes for one that isn't said, other names of
some, and how it turns queries and keys. A test writes it of the classes."""
_WINDOWED, _WHOLE = "sliding_attention", "full_attention"
"""The types of layers, by the names that `transformers` has for them."""
_UNDECLARED: JsonObject = {
    "model_type": "gpt2", "_name_or_path": "", "architectures": [], "num_labels": 2, "head_dim": 64,
    "is_causal": True, "position_embedding_type": "absolute", "hidden_activation": "gelu",
    "dense_act_fn": "relu", "is_gated_act": True, "scale_decoder_outputs": True,
    "sliding_window_pattern": 6, "position_buckets": 256, "conv_kernel_size": 3,
    "talking_head": False,
}  # fmt: skip
"""Settings that are read though the class of a model doesn't declare them, each with a value of it.
Others do nothing."""
_VALUES: JsonObject = {
    **_UNDECLARED, "num_key_value_heads": 8, "num_decoder_layers": 6, "num_kv_heads": 8,
    "layer_types": [_WHOLE], "num_ln_in_parallel_attn": 2, "no_rope_layers": [1],
    "mlp_only_layers": [0], "id2label": {"0": "LABEL_0"}, "pad_token_id": 0, "sliding_window": 4096,
    "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, "clip_qkv": 8.0,
    "use_bidirectional_attention": False, "tie_word_embeddings": True,
    "rope_parameters": {}, "rope_scaling": {}, "rope_theta": 10000.0, "partial_rotary_factor": 0.5,
    "rope_local_base_freq": 10000.0, "rotary_emb_base": 10000, "rotary_pct": 0.25,
    "rope_type": "linear", "type": "linear", "factor": 8.0, "attention_factor": 1.0,
    "original_max_position_embeddings": 8192, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "beta_fast": 32.0, "beta_slow": 1.0, "truncate": True, _WINDOWED: {}, _WHOLE: {},
    "mscale": 1.0, "mscale_all_dim": 1.0, "q_lora_rank": 1536, "n_group": 8, "topk_group": 4,
    "mlp_layer_types": ["dense"], "num_experts_per_tok": 8,
}  # fmt: skip
"""The same of those that are null by default, or older than the classes, and of parameters of a
rotation."""
_MAY_BE_ZERO = frozenset({
    "max_window_layers", "num_experts", "num_local_experts", "sliding_window", "rms_norm_eps",
    "layer_norm_eps", "layer_norm_epsilon", "residual_multiplier", "embedding_multiplier",
    "first_k_dense_replace", "conv_kernel_size", "type_vocab_size",
})  # fmt: skip
_MAY_BE_LESS = frozenset({"pad_token_id", "max_relative_positions", "position_buckets"})
_MAY_BE_NULL = frozenset({
    "attn_logit_softcapping", "final_logit_softcapping", "is_decoder", "num_key_value_heads",
    "pad_token_id", "q_lora_rank", "scale_embedding", "sliding_window",
    "use_bidirectional_attention",
})  # fmt: skip
"""Settings whose null says something, in some class with another default."""


PLACES = "config.json"
"""Where each setting stands in the file, a line and a column, is known of settings by this name."""


def places(text: str) -> dict[str, tuple[int, int]]:
    """Finds where each setting stands in a config.json, as a line and a column from 1, the first of
    a name."""
    found: dict[str, tuple[int, int]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        for match in re.finditer(r'"(\w+)"\s*:', line):
            found.setdefault(match[1], (number, match.start() + 1))
    return found


def refusal(config: JsonObject, name: str, wrong: str, right: str) -> UserError:
    """Makes the error of a setting, where it stands in a file, or in a config that isn't one."""
    file = PLACES if PLACES in config else "config"
    where = Where(file, *config.get(PLACES, {}).get(name, ()))
    return UserError([Problem(where, wrong, right)])


def usual_settings(kind: str) -> JsonObject | None:
    """Returns what is known of the settings of a type of models, and None where that is nothing."""
    own = DEFAULTS
    beside = [path for f in family_folders()[1:] if (path := f / own.name).is_file()]
    tables = map(_settings_in, (own, *beside))
    return next((table[kind] for table in tables if kind in table), None)


@cache
def _settings_in(path: Path) -> JsonObject:
    """Reads the settings of types of models from a file, once."""
    table: JsonObject = json.loads(path.read_text("utf-8"))
    return table


def settled(config: JsonObject) -> JsonObject:
    """Completes the settings of a config.json to all that a model has in `transformers`. Returns
    them as they are for a type of models that isn't known. Raises UserError for a setting without a
    value, or with one of the wrong kind."""
    known = usual_settings(str(config.get("model_type")))
    if known is None:
        return config
    names, defaults = known["names"], known["defaults"]
    data = {**config, **{names[name]: config[name] for name in names if name in config}}
    read = {key: value for key, value in data.items() if key in _UNDECLARED or key in defaults}
    _check_kinds(config, read, defaults)
    entries = {**defaults, **read, **({PLACES: config[PLACES]} if PLACES in config else {})}
    entries |= {"rope_parameters": _turning(data, known["rope"])} if "rope" in known else {}
    for follows in _FOLLOW:
        entries |= follows(entries, data)
    return entries


def _check_kinds(config: JsonObject, data: JsonObject, defaults: JsonObject) -> None:
    """Raises UserError for a value of another kind than a setting has by default, or may have."""
    for key, value in data.items():
        default = defaults.get(key)
        example = _VALUES.get(key) if default is None else default
        may_be_null = default is None or key in _MAY_BE_NULL
        if example is None or (value is None and may_be_null) or _is_like(key, value, example):
            continue
        wrong = f"{key}: {json.dumps(value)} is no value for it"
        right = f"give one like {json.dumps(example)}, or leave {key} out"
        right += "" if default is None else f": it is {json.dumps(default)} then"
        raise refusal(config, key, wrong, right)


_LARGEST = 2**53
"""The largest whole number of which floats have each up to it."""
_MOST_LAYERS = 1000
"""Several times those of the deepest model there is: some share their tensors, so that these don't
tell how many there are."""


_COUNTS = (
    *("num_hidden_layers", "n_layer", "n_layers", "decoder_layers", "num_decoder_layers"),
    *("num_layers", "encoder_layers"),
)
"""How many layers there are, by the names that it has."""


def _is_like(key: str, value: object, example: object) -> bool:
    """Tells whether a value is of the kind of an example. A number must be positive, unless its
    setting may be less."""
    if isinstance(example, bool | str | list | dict):
        return isinstance(value, type(example))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    most = _MOST_LAYERS if key in _COUNTS else _LARGEST
    if not (isfinite(value) if isinstance(value, float) else abs(value) <= most):
        return False
    whole = isinstance(value, int) or isinstance(example, float)
    return whole and (value > 0 or key in _MAY_BE_LESS or (value == 0 and key in _MAY_BE_ZERO))


def _turning(data: JsonObject, default: JsonObject) -> JsonObject:
    """Returns how queries and keys are rotated, for each type of layers where these differ. Raises
    UserError."""
    _check_kinds(data, {key: value for key, value in data.items() if key in _VALUES}, {})
    given, scaling = data.get("rope_parameters") or {}, data.get("rope_scaling") or {}
    _check_kinds(data, given, {})
    if _WHOLE not in default:
        base, share = _CALLED.get(str(data["model_type"]), ("rope_theta", "partial_rotary_factor"))
        older = {"rope_theta": data.get(base), "partial_rotary_factor": data.get(share)}
        return _with_kind(data, default, older, scaling or given)
    if scaling and "rope_type" not in scaling:
        wrong = "rope_scaling without rope_type is read otherwise by each version of transformers"
        raise refusal(data, "rope_scaling", wrong, "say rope_type instead of type")
    bases = {_WHOLE: ("rope_theta", scaling), _WINDOWED: ("rope_local_base_freq", {})}
    return {
        kind: _with_kind(
            data,
            default[kind],
            {"rope_theta": data.get(base)},
            {**(given.get(kind) or {}), **scaled},
        )
        for kind, (base, scaled) in bases.items()
    }


def _with_kind(
    config: JsonObject, default: JsonObject, older: JsonObject, data: JsonObject
) -> JsonObject:
    _check_kinds(config, data, {})
    spoken = {name: value for name, value in older.items() if value is not None}
    if not data:  # a class may scale by itself
        return {**default, **spoken}
    kind = data.get("rope_type", data.get("type", "default"))
    usual = {name: default[name] for name in older if name in default}
    return {**usual, **spoken, **data, "rope_type": kind}


_CALLED: Mapping[str, tuple[str, str]] = {"gpt_neox": ("rotary_emb_base", "rotary_pct")}
"""What the base and the share of dimensions that turn were called before rope_parameters, where not
as everywhere."""


def _numbers(data: JsonObject, _: JsonObject) -> JsonObject:
    """Returns how many heads keys and values have, how many layers a decoder has, and which layers
    have no experts, where that follows from other settings."""
    others = {
        "num_key_value_heads": "num_attention_heads", "num_kv_heads": "num_attention_heads",
        "num_decoder_layers": "num_layers",
    }  # fmt: skip
    follow = {
        name: data[other] for name, other in others.items() if name in data and data[name] is None
    }
    return follow | ({"mlp_only_layers": []} if data.get("mlp_only_layers", ()) is None else {})


def _parts(data: JsonObject, _: JsonObject) -> JsonObject:
    """Returns what BLOOM, Falcon, OPT, SmolLM 3 and models with latent attention derive from
    several settings."""
    if data["model_type"] == "bloom":
        return {"sums_slices": data["pretraining_tp"] > 1 and data["slow_but_exact"]}
    if data["model_type"] == "falcon":
        new, norms = data["new_decoder_architecture"], data["num_ln_in_parallel_attn"]
        own = "own_norms" if new and norms in (None, 2) else "shared_norm"
        groups = 1 if data["multi_query"] and not new else data["num_kv_heads"]
        parallel = own if data["parallel_attn"] else "none"
        return {"parallel": parallel, "num_key_value_heads": groups}
    if data["model_type"] == "smollm3" and data["no_rope_layers"] is None:
        step, count = data["no_rope_layer_interval"], data["num_hidden_layers"]
        return {"no_rope_layers": [int(k % step != 0) for k in range(1, count + 1)]}
    if "kv_lora_rank" in data:
        first, count = data.get("first_k_dense_replace", 1), data["num_hidden_layers"]
        types = data.get("mlp_layer_types") or ["dense"] * first + ["sparse"] * (count - first)
        dense = [k for k, kind in enumerate(types) if kind == "dense"]
        named = {"mlp_layer_types": types} if "mlp_layer_types" in data else {}
        return {"num_experts": data.get("n_routed_experts"), "mlp_only_layers": dense, **named}
    if data["model_type"] == "opt":
        removed = data["_remove_final_layer_norm"]
        return {"final_layer_norm": data["do_layer_norm_before"] and not removed}
    return {}


def _activation(data: JsonObject, entry: JsonObject) -> JsonObject:
    """Returns the activation of Gemma and T5, which had GELU by its tanh before that had a name."""
    if data["model_type"] == "gemma" and data["hidden_act"] == "gelu":
        return {"hidden_act": "gelu_pytorch_tanh"}
    if data["model_type"] not in ("t5", "mt5"):
        return {}
    *gated, function = data["feed_forward_proj"].split("-")
    as_was = "gelu_new" if data["feed_forward_proj"] == "gated-gelu" else function
    follow = {"dense_act_fn": as_was, "is_gated_act": gated == ["gated"]}
    if data["model_type"] == "t5":
        follow["scale_decoder_outputs"] = entry.get("tie_word_embeddings") is not False
    return {name: entry.get(name, value) for name, value in follow.items()}


def _windows(data: JsonObject, _: JsonObject) -> JsonObject:
    """Returns the width of the windows, and None for it in a model that has windows only where they
    are asked for."""
    asked = data.get("use_sliding_window", True)
    window = data.get("sliding_window") if asked else None
    return {"sliding_window": window} if "sliding_window" in data else {}


def _types(data: JsonObject, _: JsonObject) -> JsonObject:
    """Returns the types of the layers. Raises UserError where they aren't those of all layers."""
    count = int(next(data[name] for name in _COUNTS if name in data))
    if "layer_types" not in data:
        return {"layer_types": [_WHOLE] * count}
    types = data["layer_types"]
    if types is None:
        has_window = _HAS_WINDOW[data["model_type"]]
        types = [_WINDOWED if has_window(data, k) else _WHOLE for k in range(count)]
    if {*map(str, types)} - {_WINDOWED, _WHOLE} or len(types) != count:
        wrong = f"layer_types: {json.dumps(types)}"
        right = f"give a type, {_WINDOWED} or {_WHOLE}, for each of the {count} layers"
        raise refusal(data, "layer_types", wrong, right)
    if _WINDOWED in types and not data["sliding_window"]:
        asked = "" if data.get("use_sliding_window", True) else " that is asked for"
        wrong = f"layer_types: some are {_WINDOWED}, and there is no sliding_window{asked}"
        right = f"say how wide it is, or {_WHOLE} for all layers"
        raise refusal(data, "layer_types", wrong, right)
    return {"layer_types": types}


_HAS_WINDOW: Mapping[str, Callable[[JsonObject, int], bool]] = MappingProxyType({
    "gemma2": lambda _, k: not k % 2,
    "cohere2": lambda data, k: bool((k + 1) % (data.get("sliding_window_pattern") or 4)),
    "cwm": lambda _, k: bool(k % 4),
    "gpt_oss": lambda _, k: not k % 2,
    "ministral": lambda data, _: data["sliding_window"] is not None,
    "smollm3": lambda data, k: bool(data["sliding_window"]) and not data["no_rope_layers"][k],
    "gemma3_text": lambda data, k: bool((k + 1) % (data.get("sliding_window_pattern") or 6)),
    "qwen2": lambda data, k: data["sliding_window"] is not None and k >= data["max_window_layers"],
    "qwen3": lambda data, k: data["sliding_window"] is not None and k >= data["max_window_layers"],
    "qwen2_moe": lambda data, k: (
        data["use_sliding_window"] and k < data["max_window_layers"] and not k % 2
    ),
})  # fmt: skip
"""Whether layer k, from 0, of a model has a window, where its types of layers aren't said."""
_FOLLOW = (_numbers, _parts, _activation, _windows, _types)
"""What follows from other settings, in order."""


_SCALED = {"original_length": "original_max_position_embeddings"}
"""What keys of the scaling of rotary positions are called in config.json, where not as here."""
_NEVER_SCALED = {"phi3": ["default"]}
"""What is known of models that `transformers` scales in no other way than one that isn't."""


def rope_scaling(config: JsonObject) -> JsonObject | None:
    """Returns how the frequencies of rotary positions are scaled, and None where they aren't.
    Raises UserError."""
    rope: JsonObject = config.get("rope_parameters") or {}
    return _scaling(config, rope.get(_WHOLE, rope))


def local_rope(config: JsonObject) -> JsonObject:
    """Returns how layers with a window rotate queries and keys, where they have a way of their own.
    Raises UserError."""
    rope: JsonObject = config.get("rope_parameters") or {}
    scaling = _scaling(config, rope.get(_WINDOWED, rope))
    base = {"base": written(rope[_WINDOWED]["rope_theta"])} if _WINDOWED in rope else {}
    return base if scaling is None else {**base, "scaling": scaling}


def _scaling(config: JsonObject, rope: JsonObject) -> JsonObject | None:
    kind = rope.get("rope_type", "default")
    if kind == "default":
        return None
    known = None if config.get("model_type") in _NEVER_SCALED else SCALINGS.get(kind)
    strange = {"mscale", "mscale_all_dim"} & {name for name, value in rope.items() if value}
    by_both = kind == "yarn" and len(strange) > 1
    if known is None or (strange and not by_both):
        wrong = f"rope_type {kind}" if known is None else f"{listed(sorted(strange))} of {kind}"
        right = f"known: {listed(_NEVER_SCALED.get(str(config.get('model_type')), [*SCALINGS]))}"
        raise refusal(config, "rope_type", f"{wrong} isn't known", right)
    length = config.get("max_position_embeddings")
    if kind == "dynamic" or rope.get("original_max_position_embeddings") is None:
        rope = {**rope, "original_max_position_embeddings": length}
    if by_both and rope.get("attention_factor") is None:
        factor = mscale(rope, "mscale") / mscale(rope, "mscale_all_dim")
        rope = {**rope, "attention_factor": factor}
    data = {key: rope.get(_SCALED.get(key, key)) for key in known.known if key != "kind"}
    given = {name: written(value) for name, value in data.items() if value is not None}
    return {"kind": kind, **given}


def mscale(rope: JsonObject, name: str) -> float:
    """Returns the factor by which YaRN multiplies for longer texts, by a setting of some name
    (DeepSeek-V2's code): 0.1 · mscale · ln factor + 1."""
    return 0.1 * rope[name] * math.log(rope["factor"]) + 1 if rope["factor"] > 1 else 1.0


def router_of_groups(config: JsonObject) -> JsonObject:
    """Returns how DeepSeek's models choose experts: by a softmax in the second version, where
    groups are an option, and later by sigmoids. Raises UserError."""
    said = {"top_k": config["num_experts_per_tok"], "scaling": config["routed_scaling_factor"]}
    groups = {"groups": config["n_group"], "top_groups": config["topk_group"]}
    if config["model_type"] != "deepseek_v2":
        said |= {"sigmoid": True, "renormalize": config["norm_topk_prob"]}
        said |= {**groups, "best_of_group": 2} if config["n_group"] > 1 else {}
    elif config["topk_method"] in ("greedy", "group_limited_greedy"):
        said |= {"softmax": "all", **(groups if config["topk_method"] != "greedy" else {})}
    else:
        wrong = f"topk_method: {config['topk_method']} isn't known"
        raise refusal(config, "topk_method", wrong, "known: greedy, group_limited_greedy")
    return {name: written(value) for name, value in said.items()}


def written(value: object) -> str:
    """Writes a setting as a scenario has it: `0.00001`, and not `1e-05`; `true`, and not `True`."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return format(Decimal(str(value)), "f") if isinstance(value, float) else str(value)
