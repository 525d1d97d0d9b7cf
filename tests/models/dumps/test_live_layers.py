"""`attncli.torch.compare` on one layer, one attention, one network or one norm of a model of
`transformers`, by the model's config."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
import torch
import transformers

from attncli.errors import UserError
from attncli.models.dumps.suspects import Suspects
from attncli.models.live.comparing import compare

pytestmark = pytest.mark.real("torch", "transformers")

_SIZES = {
    "hidden_size": 16, "intermediate_size": 24, "vocab_size": 30, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4, "sliding_window": 3,
    "max_position_embeddings": 32, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
_KINDS = ["sliding_attention", "full_attention", "sliding_attention"]
_STACKS = {
    "decoder_layers": 2, "encoder_layers": 2, "encoder_attention_heads": 4, "pad_token_id": 0,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24,
}  # fmt: skip
CONFIGS: Mapping[str, Mapping[str, Any]] = {
    "gpt2": {
        "n_embd": 16, "n_layer": 3, "n_head": 4, "vocab_size": 30, "n_positions": 32,
        "bos_token_id": 1, "eos_token_id": 2,
    },
    "gemma3_text": {**_SIZES, "query_pre_attn_scalar": 4, "layer_types": _KINDS},
    "smollm3": {**_SIZES, "no_rope_layers": [1, 1, 0], "use_sliding_window": False},
    "t5": {"vocab_size": 30, "d_model": 16, "d_kv": 4, "d_ff": 24, "num_layers": 3, "num_heads": 4},
    "bart": {"vocab_size": 30, "d_model": 16, **_STACKS},
    "opt": {**_SIZES, "ffn_dim": 24, "word_embed_proj_dim": 16},
}  # fmt: skip
IDS = torch.tensor([[5, 17, 2, 29, 8, 3]])
X = torch.randn(1, 6, 16, generator=torch.Generator().manual_seed(1))
MEMORY = torch.randn(1, 4, 16, generator=torch.Generator().manual_seed(2))


def model_of(kind: str) -> tuple[Any, Any]:
    """A small model with random numbers everywhere, and its config."""
    config = transformers.AutoConfig.for_model(kind, **CONFIGS.get(kind, _SIZES))
    torch.manual_seed(3)
    auto: Any = transformers.AutoModel
    model = auto.from_config(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model.eval(), config


LAYERS = [
    ("gpt2", "h.2", "residual2"),
    ("gpt2", "h.2.attn", "attention"),
    ("gpt2", "h.2.mlp", "ffn"),
    ("gpt2", "h.2.ln_1", "final_norm.normed"),
    ("llama", "layers.2", "residual2"),
    ("llama", "layers.2.self_attn", "attention"),
    ("llama", "layers.2.mlp", "ffn"),
    ("llama", "layers.2.post_attention_layernorm", "final_norm.normed"),
    ("mistral", "layers.1", "residual2"),
    ("gemma", "layers.0.self_attn", "attention"),
    ("gemma2", "layers.1", "residual2"),
    ("gemma2", "layers.1.mlp", "ffn"),
    ("gemma3_text", "layers.1", "residual2"),
    ("gemma3_text", "layers.2", "residual2"),
    ("gemma3_text", "layers.2.self_attn", "attention"),
    ("smollm3", "layers.1", "residual2"),
    ("smollm3", "layers.2", "residual2"),
    ("qwen2", "layers.2", "residual2"),
    ("qwen3", "layers.2", "residual2"),
    ("qwen3", "layers.2.self_attn", "attention"),
    ("bert", "encoder.layer.2", "norm2.normed"),
    ("bert", "encoder.layer.2.attention", "norm1.normed"),
    ("bert", "encoder.layer.2.attention.self", "concat"),
    ("opt", "decoder.layers.1", "residual2"),
    ("t5", "encoder.block.0", "residual2"),
    ("t5", "encoder.block.1", "residual2"),
    ("t5", "decoder.block.2.layer.0.SelfAttention", "attention"),
    ("t5", "decoder.block.2.layer.2.DenseReluDense", "ffn"),
    ("bart", "encoder.layers.1", "norm2.normed"),
]


@pytest.mark.parametrize(("kind", "part", "end"), LAYERS)
def test_a_part_of_a_model_follows_by_its_config(kind: str, part: str, end: str) -> None:
    model, config = model_of(kind)
    found = compare(model.get_submodule(part), X, like=config)
    assert found.follows, str(found)
    assert found.names["output"] == end


def as_in(model: Any, part: str, **inputs: Any) -> tuple[Any, dict[str, Any]]:
    """What goes into a part of a model while that runs, by name, but for a cache."""
    module = model.get_submodule(part)
    seen: dict[str, Any] = {}

    def keep(_module: Any, arguments: Any, named: Any) -> None:
        names = inspect.signature(module.forward).parameters
        seen.update(zip(names, arguments, strict=False))
        seen.update(named)

    handle = module.register_forward_pre_hook(keep, with_kwargs=True)
    with torch.no_grad():
        model(**inputs)
    handle.remove()
    left_out = ("use_cache", "cache", "past_key_values", "layer_past")
    given = {k: v for k, v in seen.items() if v is not None and k not in left_out}
    return given.pop("hidden_states"), given


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("gpt2", "h.1"), ("llama", "layers.1"), ("llama", "layers.1.self_attn"),
        ("gemma3_text", "layers.2"), ("bert", "encoder.layer.1"), ("bloom", "h.1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("entry", [0, 1])
def test_what_the_model_passes_is_used(kind: str, part: str, entry: int) -> None:
    """Padding on the right, in the second of two entries."""
    model, config = model_of(kind)
    padded = torch.tensor([[1] * 6, [1] * 4 + [0] * 2])
    x, more = as_in(model, part, input_ids=torch.cat([IDS, IDS + 1]) % 30, attention_mask=padded)
    found = compare(model.get_submodule(part), x, like=config, batch=entry, **more)
    assert found.follows, str(found)
    assert "Given" not in str(found)


def test_a_decoder_attends_to_what_it_is_given() -> None:
    for kind, part in (("t5", "decoder.block.0"), ("t5", "decoder.block.1"),
                       ("bart", "decoder.layers.1")):  # fmt: skip
        model, config = model_of(kind)
        layer = model.get_submodule(part)
        found = compare(layer, X, encoder_hidden_states=MEMORY, like=config)
        assert found.follows, str(found)
        assert "cross.Q" in {str(n).replace("heads[*].", "") for n in found.names.values()}
        with pytest.raises(UserError, match=r"give encoder_hidden_states=…, \[batch, m, d\]"):
            compare(layer, X, like=config)
    cross = model.decoder.layers[1].encoder_attn
    assert compare(cross, X, key_value_states=MEMORY, like=config).follows


def test_positions_that_are_added_to_scores_are_used() -> None:
    """T5 makes them in its first layer, and hands them on with the mask among them."""
    model, config = model_of("t5")
    x, more = as_in(model, "decoder.block.1", input_ids=IDS, decoder_input_ids=IDS[:, :4])
    found = compare(model.decoder.block[1], x, like=config, **more)
    assert found.follows, str(found)
    more["position_bias"] = more["position_bias"].clone()
    more["position_bias"][:, 1, 2, 1] = -1e30  # which one head alone doesn't see
    with pytest.raises(UserError, match="give one that hides the same in all"):
        compare(model.decoder.block[1], x, like=config, **more)


@pytest.mark.parametrize("start", [0, 5])
def test_positions_are_those_that_are_passed(start: int) -> None:
    model, config = model_of("llama")
    places = torch.arange(6)[None] + start
    turned = model.rotary_emb(X, places)
    layer = model.layers[1]
    assert compare(layer, X, like=config, position_ids=places).follows
    both = {"position_ids": places, "position_embeddings": turned}
    assert compare(layer, X, like=config, **both).follows
    if start:
        with pytest.raises(UserError, match="say of which, position_ids="):
            compare(layer, X, like=config, position_embeddings=turned)
        wrong = {**both, "position_embeddings": model.rotary_emb(X, 2 * places)}
        assert compare(layer, X, like=config, **wrong).first == "attention"


def test_what_the_config_gave_is_told() -> None:
    model, config = model_of("llama")
    text = " ".join(str(compare(model.layers[1], X, like=config)).split())
    assert "Given position_ids, position_embeddings, attention_mask" in text.replace(" and", ",")
    twice = X.repeat(2, 1, 1)
    assert compare(model.layers[1], twice, like=config, batch=1).follows


@pytest.mark.parametrize(
    ("kind", "part", "inside", "first"),
    [
        ("gpt2", "h.2", "mlp.act", "activated"),
        ("llama", "layers.2", "self_attn.o_proj", "attention"),
        ("gemma3_text", "layers.2", "post_attention_layernorm", "norm1_after.normed"),
        ("qwen3", "layers.2.self_attn", "k_norm", "heads[1].normed_K"),
        ("bert", "encoder.layer.2", "attention.output.LayerNorm", "norm1.normed"),
        ("bert", "encoder.layer.2.attention", "output.LayerNorm", "norm1.normed"),
        ("t5", "encoder.block.1", "layer.1.layer_norm", "norm2.normed"),
        ("llama", "layers.2.mlp", "up_proj", "up"),
    ],
)
def test_a_wrong_part_departs_at_its_place(
    kind: str, part: str, inside: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Suspects, "causes", lambda *_: ())  # only the place is looked at
    model, config = model_of(kind)
    module = model.get_submodule(part)
    wrong = module.get_submodule(inside)
    wrong.register_forward_hook(lambda _m, _i, out: out * 1.2 + 0.1)
    assert compare(module, X, like=config).first == first


def test_a_setting_of_another_layer_is_told() -> None:
    """A layer with a window that has the mask and the rotation of one without; a layer that turns
    what isn't to be turned."""
    model, config = model_of("gemma3_text")
    x, more = as_in(model, "layers.1", input_ids=IDS)
    found = compare(model.layers[2], x, like=config, **more)
    assert found.first == "attention"
    model, config = model_of("smollm3")
    model.layers[2].self_attn.use_rope = 1
    assert compare(model.layers[2].self_attn, X, like=config).first == "attention"


def test_what_cannot_be_worked_alone_is_refused() -> None:
    model, config = model_of("t5")
    with pytest.raises(UserError, match="compare what is inside it, or the layer that it is in"):
        compare(model.encoder.block[1].layer[0], X, like=config)
    model, config = model_of("bloom")
    with pytest.raises(
        UserError, match="give what the model gives it beside these; it takes alibi"
    ):
        compare(model.h[1], X, like=config)
    model, config = model_of("llama")
    with pytest.raises(UserError, match="argument attention_mask: it changes"):
        compare(model.layers[1], X, like=config, attention_mask=torch.tensor([[0.0] * 5 + [1.0]]))
    other: Any = transformers.GPT2Config()
    with pytest.raises(UserError, match="no part of a model of this config has the tensors"):
        compare(model.layers[1], X, like=other)
    model, config = model_of("gemma3_text")
    for layer in model.layers:
        layer.self_attn.layer_idx = None
    with pytest.raises(UserError, match="say it by its attribute layer_idx, from 0"):
        compare(model.layers[1].self_attn, X, like=config)
