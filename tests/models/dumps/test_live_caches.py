"""`attncli.torch.compare` on a decode step, with the library's own cache of earlier tokens."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
import torch
import transformers

from attncli.errors import UserError
from attncli.models.dumps.suspects import Suspects
from attncli.models.live.comparing import compare
from tests.conftest import sampled

pytestmark = pytest.mark.real("torch", "transformers")

_SIZES = {
    "hidden_size": 16, "intermediate_size": 24, "vocab_size": 30, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4, "sliding_window": 16,
    "max_position_embeddings": 32, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
_GPT2 = {
    "n_embd": 16, "n_layer": 2, "n_head": 4, "vocab_size": 30, "n_positions": 32,
    "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
IDS = torch.tensor([[5, 17, 2, 29, 8, 3, 7]])


def model_of(kind: str, **more: Any) -> Any:
    sizes = _GPT2 if kind == "gpt2" else _SIZES
    config = transformers.AutoConfig.for_model(kind, **{**sizes, **more})
    auto: Any = transformers.AutoModelForCausalLM
    torch.manual_seed(3)
    model = auto.from_config(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model.eval()


def filled(model: Any, ids: Any) -> Any:
    """The library's cache after a prefill, gradients and all."""
    library: Any = transformers
    cache = library.DynamicCache(config=model.config)
    model(ids, past_key_values=cache, use_cache=True)
    return cache


_SCALED = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8}


@sampled(
    5,
    of=[
        ("gpt2", {}),
        ("llama", {}),
        ("llama", {"rope_parameters": {"rope_theta": 10000.0, **_SCALED}}),
        ("mistral", {}),
        ("qwen3", {}),
        ("olmo2", {}),
        ("bloom", {}),
        ("gpt_neox", {}),
        ("smollm3", {"no_rope_layers": [1, 0]}),
    ],
    new=[1, 3],
)
def test_a_decode_step_follows(of: tuple[str, dict[str, Any]], new: int) -> None:
    kind, more = of
    model = model_of(kind, **more)
    cache = filled(model, IDS[:, :-new])
    for _ in range(2):  # the cache is left as it was
        found = compare(model, IDS[:, -new:], past_key_values=cache, use_cache=True)
        assert found.follows, str(found)
        assert found.names["output"] == "logits"
        assert cache.get_seq_length() == IDS.shape[1] - new
    both = filled(model, torch.cat([IDS, IDS.flip(1)])[:, :-new])
    ids = torch.cat([IDS, IDS.flip(1)])[:, -new:]
    assert compare(model, ids, past_key_values=both, batch=1).follows


def test_an_empty_cache_changes_nothing() -> None:
    model, library = model_of("llama"), transformers
    empty: Any = library.DynamicCache()
    assert compare(model, IDS, past_key_values=empty, use_cache=True).follows


def test_a_bug_behind_a_cache_departs_at_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Suspects, "causes", lambda *_: ())  # only the place is looked at
    model = model_of("llama")
    cache = filled(model, IDS[:, :-1])
    places = torch.tensor([[5]])  # where 6 tokens come before
    with pytest.raises(UserError, match="argument position_ids"):
        compare(model, IDS[:, -1:], past_key_values=cache, position_ids=places)
    right = model.model.layers[1].self_attn.v_proj
    right.register_forward_hook(lambda _m, _i, out: out * 1.5)
    found = compare(model, IDS[:, -1:], past_key_values=cache)
    assert found.first == "layers[2].V_new"


class Earlier(torch.nn.Module):
    """Turns new tokens as if one fewer came before them."""

    def __init__(self, rotary: Any) -> None:
        super().__init__()
        self.rotary = rotary

    def forward(self, x: Any, position_ids: Any) -> Any:
        return self.rotary(x, position_ids - 1)


def test_positions_that_begin_too_early_behind_a_cache_depart() -> None:
    model = model_of("llama")
    cache = filled(model, IDS[:, :-1])
    model.model.rotary_emb = Earlier(model.model.rotary_emb)
    found = compare(model, IDS[:, -1:], past_key_values=cache, seek=0)
    assert found.first == "layers[1].attention"


def test_caches_that_are_not_worked_are_refused() -> None:
    model = model_of("mistral", sliding_window=3)
    with pytest.raises(UserError, match="has dropped its first tokens"):
        compare(model, IDS[:, -1:], past_key_values=filled(model, IDS[:, :-1]))
