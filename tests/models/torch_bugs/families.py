"""How small models of `transformers` with weights at random stand beside their own config, and
beside one with a setting changed: `python -m tests.models.torch_bugs.families`."""

from __future__ import annotations

import copy
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from typing import Any, NamedTuple

import torch
import transformers

from attncli.errors import UserError
from attncli.models.live.comparing import LiveComparison, compare
from tests.models.checkpoints.test_checkpoints import CONFIGS, OTHERS, SAID, SCALED, WITH_ENCODERS

IDS = torch.tensor([[5, 17, 2, 29, 8, 11]])
DECODED = torch.tensor([[0, 7, 21, 3]])


class Change(NamedTuple):
    """A setting of a config with another value than the model's, and what its absence is called:
    a pattern of names."""

    setting: str
    value: Any
    called: str


EPSILON, BASE, ACTIVATION = "other_epsilon", "other_base", "other_activation"
WINDOW = "other_mask_window"
_THETA = "rope_parameters.rope_theta"
_ACT, _EPS = Change("hidden_act", "gelu_new", ACTIVATION), Change("rms_norm_eps", 0.1, EPSILON)
_LN_EPS = Change("layer_norm_eps", 0.1, EPSILON)
_ROPE, _WIDER = Change(_THETA, 500.0, BASE), Change("sliding_window", 4, WINDOW)
_GATED = Change("hidden_act", "relu", ACTIVATION)
_ONE, _WHOLE = "sliding_attention", "full_attention"
_LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 10000.0, "factor": 4.0, "low_freq_factor": 1.0,
    "high_freq_factor": 4.0, "original_max_position_embeddings": 1500,
}  # fmt: skip

FAMILIES: dict[str, tuple[Change, ...]] = {
    "gpt2": (
        Change("activation_function", "relu", ACTIVATION),
        Change("layer_norm_epsilon", 0.1, EPSILON),
        Change("scale_attn_weights", False, "*scale*"),
    ),
    "gptj": (
        Change("activation_function", "relu", ACTIVATION),
        Change("layer_norm_epsilon", 0.1, EPSILON),
    ),
    "gpt_neox": (_LN_EPS, Change("hidden_act", "relu", ACTIVATION), Change("use_parallel_residual", False, "*parallel*")),
    "bloom": (
        Change("layer_norm_epsilon", 0.1, EPSILON),
    ),
    "opt": (
        Change("activation_function", "gelu", "relu_for_another"),
        Change("do_layer_norm_before", False, "*norm*"),
    ),
    "llama": (_GATED, _EPS, _ROPE, Change("tie_word_embeddings", True, "*unembedding*")),
    "llama, llama3": (
        Change("rope_parameters.factor", 4.0, "other_positions_scaling_factor"),
        Change("rope_parameters.low_freq_factor", 2.0, "*_low_freq_factor*"),
    ),
    "llama, linear": (Change("rope_parameters", _LLAMA3, "other_positions_scaling_kind"),),
    "mistral": (_GATED, _EPS, _ROPE, _WIDER),
    "mistral, no window": (Change("sliding_window", 3, "*window_left_out"),),
    "qwen2": (_GATED, _EPS, _ROPE),
    "qwen2, late windows": (_WIDER, Change("layer_types", [_WHOLE, _WHOLE, _ONE], "*mask*")),
    "qwen3": (_GATED, _EPS, _ROPE),
    "gemma": (Change("hidden_act", "relu", ACTIVATION), _EPS, _ROPE),
    "granite": (
        Change("embedding_multiplier", 6.0, "*embedding*"),
        Change("attention_multiplier", 0.6, "*scale*"),
        Change("residual_multiplier", 0.44, "*residual*"),
        Change("logits_scaling", 3.5, "*logit*"),
    ),
    "phi3": (_GATED, _EPS),
    "phi": (_ACT._replace(value="relu"), _LN_EPS),
    "gemma2": (
        Change("attn_logit_softcapping", 4.0, "other_softcap"),
        Change("final_logit_softcapping", 6.0, "*logit_softcap*"),
        Change("query_pre_attn_scalar", 40, "*scale*"),
        _WIDER,
    ),
    "gemma3_text": (
        _WIDER, Change("query_pre_attn_scalar", 40, "*scale*"),
        Change("final_logit_softcapping", 6.0, "logits_not_changed"),
    ),
    "olmo2": (_GATED, _EPS, _ROPE),
    "ministral": (_WIDER, _EPS),
    "falcon": (Change("layer_norm_epsilon", 0.1, EPSILON), Change("alibi", True, "*positions*")),
    "starcoder2": (_WIDER, Change("norm_epsilon", 0.1, EPSILON), _ACT._replace(value="relu")),
    "stablelm": (_GATED, _LN_EPS),
    "cohere": (Change("logit_scale", 0.125, "other_logit_scale"), _LN_EPS, _ROPE),
    "cohere2": (_WIDER, Change("logit_scale", 0.125, "other_logit_scale")),
    "smollm3": (_EPS, Change("no_rope_layers", [1, 1, 1, 1, 1], "rope_left_out")),
    "olmo": (_GATED, _ROPE),
    "helium": (_EPS, _ROPE),
    "bert": (Change("hidden_act", "relu", ACTIVATION), _LN_EPS),
    "roberta, masked": (Change("hidden_act", "relu", ACTIVATION), _LN_EPS),
    "electra": (Change("hidden_act", "relu", ACTIVATION), _LN_EPS),
    "distilbert, masked": (Change("activation", "relu", ACTIVATION),),
    "deberta-v2, masked": (_LN_EPS,),
    "mixtral": (
        Change("num_experts_per_tok", 1, "*expert*"), _GATED, _WIDER, _EPS,
    ),
    "qwen3_moe": (Change("norm_topk_prob", False, "*renormalize*"), _EPS),
    "olmoe": (Change("norm_topk_prob", True, "*renormalize*"), _ROPE),
    "gpt_oss": (_WIDER, Change("num_experts_per_tok", 1, "*expert*"), _EPS),
    "deepseek_v3": (Change("routed_scaling_factor", 5.0, "*router_scaling*"), _EPS),
    "bart": (Change("activation_function", "relu", ACTIVATION), Change("scale_embedding", False, "other_factor")),
    "t5": (
        Change("layer_norm_epsilon", 0.1, EPSILON),
        Change("relative_attention_max_distance", 12, "*max_distance*"),
        Change("scale_decoder_outputs", False, "*scale*"),
    ),
}  # fmt: skip


def model_of(name: str, seed: int) -> Any:
    """A model of a family with weights drawn at random."""
    said = {**OTHERS, **SAID, **SCALED, **WITH_ENCODERS}
    kind, made_by, settings = said.get(name) or (name, "AutoModelForCausalLM", CONFIGS[name])
    torch.manual_seed(seed)
    no_end = {"pad_token_id": None, "bos_token_id": 0, "eos_token_id": 0}
    config = transformers.AutoConfig.for_model(kind, **no_end | settings)
    config._attn_implementation = config._experts_implementation = "eager"
    make = getattr(transformers, made_by)
    model = getattr(make, "from_config", make)(config).eval()
    biases = (b for text, b in model.named_buffers() if text.endswith("correction_bias"))
    for weight in (*model.parameters(), *biases):
        weight.data += 0.3 * torch.randn_like(weight)
    return model


def with_another(config: Any, setting: str, value: Any) -> Any:
    """The config with another value for a setting; `rope_parameters.rope_theta` is one in a map."""
    changed = copy.deepcopy(config)
    outer, _, inner = setting.rpartition(".")
    if outer:
        setattr(changed, outer, {**getattr(config, outer), inner: value})
    else:
        setattr(changed, setting, value)
    return changed


def judged(model: Any, config: Any, seek: float) -> LiveComparison:
    inputs: Mapping[str, Any] = {"input_ids": IDS}
    if model.config.is_encoder_decoder:
        inputs = {**inputs, "decoder_input_ids": DECODED}
    return compare(model, **inputs, like=config, seek=seek)


def outcomes(name: str, seed: int, seek: float, told: bool) -> Iterator[str]:
    """`right: follows`, `changed: departs, named`, …, one for each comparison."""
    model = model_of(name, seed)
    try:
        right = judged(model, model.config, seek)
    except UserError as error:
        yield "right refused"
        print(f"{name}: {error}")
        return
    verdict = "follows" if right.follows else "departs" if right.first else "can't tell"
    yield f"right {verdict}"
    rows = [f"right {verdict}{f' at {right.first}: {right.bug}' if right.first else ''}"]
    for change in FAMILIES[name]:
        config = with_another(model.config, change.setting, change.value)
        try:
            found = judged(model, config, seek)
        except UserError as error:
            yield "changed refused"
            rows.append(f"{change.setting} = {change.value}: {error}"[:200])
            continue
        first = found.comparison.first
        causes = first.causes if first is not None else ()
        is_named = any(fnmatch(cause.name, change.called) for cause in causes)
        verdict = "follows" if found.follows else "departs" if found.first else "can't tell"
        yield f"changed {verdict}{', named' if is_named else ''}"
        rows.append(f"{change.setting} = {change.value}: {verdict} at {found.first}:"
                    f" {' or '.join(cause.name for cause in causes)}"
                    f"{'' if is_named else f', not {change.called}'}")  # fmt: skip
        rows += [f"    {cause.says}" for cause in causes if told]
    print(f"{name}: " + "\n    ".join(rows), flush=True)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", help="by default all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seek", type=float, default=30.0, help="seconds for each comparison")
    parser.add_argument("--told", action="store_true", help="tell the sentences")
    said = parser.parse_args()
    totals: Counter[str] = Counter()
    for name in said.families or FAMILIES:
        totals.update(outcomes(name, said.seed, said.seek, said.told))
    print(f"{len(said.families or FAMILIES)} families: {dict(totals)}")


if __name__ == "__main__":
    main()
