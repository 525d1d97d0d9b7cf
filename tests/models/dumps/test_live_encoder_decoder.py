"""`attncli.torch.compare` on models whose decoder attends to what an encoder has read or heard, and
`attn run --from` one of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("transformers")
import torch
import transformers

from attncli.cli import app
from attncli.errors import UserError
from attncli.models.dumps.suspects import Suspects
from attncli.models.live.comparing import compare

pytestmark = pytest.mark.real("torch", "transformers")

READ, WRITTEN = torch.tensor([[5, 17, 2, 29, 8]]), torch.tensor([[0, 7, 11]])
_BART = {
    "vocab_size": 32, "d_model": 16, "encoder_layers": 2, "decoder_layers": 3,
    "encoder_attention_heads": 4, "decoder_attention_heads": 2, "encoder_ffn_dim": 24,
    "decoder_ffn_dim": 20, "pad_token_id": 0,
}  # fmt: skip
_T5 = {
    "vocab_size": 32, "d_model": 16, "d_kv": 4, "d_ff": 24, "num_layers": 2,
    "num_decoder_layers": 3, "num_heads": 4,
}  # fmt: skip
_WHISPER = {**_BART, "num_mel_bins": 3, "max_source_positions": 5, "max_target_positions": 8}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "t5": ("t5", _T5),
    "t5, gated": ("t5", {**_T5, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}),
    "bart": ("bart", {**_BART, "scale_embedding": True, "pad_token_id": 1}),
    "mbart": ("mbart", {**_BART, "pad_token_id": 1}),
    "pegasus": ("pegasus", _BART),
    "blenderbot": ("blenderbot", _BART),
    "whisper": ("whisper", {**_WHISPER, "bos_token_id": 1, "eos_token_id": 2}),
}


def model_of(name: str) -> Any:
    """A small model with random numbers everywhere, also where norms and biases begin with ones and
    zeros."""
    kind, settings = MODELS[name]
    config = transformers.AutoConfig.for_model(kind, **settings)
    library: Any = transformers
    auto = library.AutoModelForSpeechSeq2Seq if kind == "whisper" else library.AutoModelForSeq2SeqLM
    torch.manual_seed(3)
    model = auto.from_config(config, attn_implementation="eager")
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    return model.eval()


def inputs_of(name: str) -> dict[str, Any]:
    if name == "whisper":
        heard = torch.randn(1, 3, 10, generator=torch.Generator().manual_seed(1))
        return {"input_features": heard, "decoder_input_ids": WRITTEN}
    return {"input_ids": READ, "decoder_input_ids": WRITTEN}


@pytest.mark.parametrize("name", MODELS)
def test_encoder_and_decoder_read_each_their_own(name: str) -> None:
    found = compare(model_of(name), **inputs_of(name))
    assert found.follows, str(found)
    names = set(found.names.values())
    assert {"encoder.layers[2].ffn", "layers[3].cross.attention", "layers[3].norm3.normed"} <= names
    assert "encoder.layers[3].ffn" not in names


@pytest.mark.parametrize(
    ("name", "part", "ours"),
    [
        ("t5", "decoder.block.1.layer.2.layer_norm", "layers[2].norm3.normed"),
        ("t5", "decoder.block.1.layer.1.EncDecAttention.q", "layers[2].cross.Q"),
        ("t5", "encoder.block.1.layer.1.DenseReluDense.wo", "encoder.layers[2].ffn"),
        ("bart", "model.decoder.layers.1.final_layer_norm", "layers[2].norm3.normed"),
        ("bart", "model.decoder.layers.1.encoder_attn.k_proj", "layers[2].cross.K"),
        ("mbart", "model.encoder.layer_norm", "encoder.final_norm.normed"),
    ],
)
def test_a_wrong_part_departs_by_its_own_name(
    name: str, part: str, ours: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Suspects, "causes", lambda *_: ())  # only the place is looked at
    model = model_of(name)
    model.get_submodule(part).register_forward_hook(lambda _m, _i, out: out * 1.5 + 0.1)
    found = compare(model, **inputs_of(name))
    assert found.first == ours
    assert found.names[part] == ours


def test_what_is_scaled_before_the_unembedding_is_no_other_thing() -> None:
    """T5 scales before it, as the scenario does after it: the same numbers come out."""
    found = compare(model_of("t5"), **inputs_of("t5"))
    assert found.names["lm_head"] == "scaled_logits"


def test_what_a_model_feeds_its_decoder_by_itself_is_asked_for() -> None:
    with pytest.raises(UserError, match="give decoder_input_ids beside input_ids"):
        compare(model_of("bart"), input_ids=READ)


def test_what_an_encoder_does_not_see_is_refused() -> None:
    hidden = torch.tensor([[1, 1, 1, 1, 0]])
    with pytest.raises(UserError, match="the encoder's attention_mask hides tokens"):
        compare(model_of("bart"), **inputs_of("bart"), attention_mask=hidden)
    seen = compare(model_of("bart"), **inputs_of("bart"), attention_mask=torch.ones_like(READ))
    assert seen.follows


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["run", *map(str, words)])


def test_a_saved_one_is_told_what_each_reads(tmp_path: Path) -> None:
    model = model_of("t5")
    model.save_pretrained(tmp_path)
    texts = ("--encoder-text", "5,17,2,29,8", "--text", "0,7,11")
    page = ("--step", "unembed", "--format", "json", "--values-only")
    data = json.loads(run("--from", tmp_path, *texts, *page).stdout)
    right = model(**inputs_of("t5")).logits[0].detach().numpy()
    each = {q["name"]: q["values"] for q in data["steps"][0]["quantities"]}
    assert np.allclose(each["scaled_logits"], right, atol=1e-4)
    both = run("--from", tmp_path, *texts, "--detail", "summary").stdout
    assert "The encoder reads 5, 17, 2, 29, 8. The decoder reads 0, 7, 11." in " ".join(
        both.split()
    )
    same = run("--from", tmp_path, "--text", "0,7", "--detail", "summary").stdout
    assert "Encoder and decoder both read 0, 7, since" in " ".join(same.split())


def test_one_without_an_encoder_is_given_nothing_for_it(tmp_path: Path) -> None:
    config = transformers.GPT2Config(n_embd=8, n_layer=1, n_head=2, vocab_size=9)
    transformers.GPT2LMHeadModel(config).save_pretrained(tmp_path)
    result = run("--from", tmp_path, "--text", "1", "--encoder-text", "2")
    assert result.exit_code == 2
    assert "--encoder-text: a model of the type gpt2 has no encoder" in result.stderr
    assert "give only --text" in result.stderr


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"tgt_mask": torch.ones(4, 4).triu(1).bool()},
        {
            "src_mask": torch.ones(5, 5).tril(-2).bool(),
            "tgt_mask": torch.nn.Transformer.generate_square_subsequent_mask(4),
        },
    ],
)
def test_a_transformer_of_pytorch_reads_a_source_and_a_target(
    first: bool, more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Suspects, "causes", lambda *_: ())  # only the place is looked at
    torch.manual_seed(3)
    module = torch.nn.Transformer(8, 2, 2, 3, 16, 0.0, batch_first=first, norm_first=first)
    source, target = torch.randn(2, 5, 8), torch.randn(2, 4, 8)
    if not first:
        source, target = source.transpose(0, 1), target.transpose(0, 1)
    found = compare(module, source, target, batch=1, **more)
    assert found.follows, str(found)
    assert found.names["output"] == "final_norm.normed"
    assert found.names["encoder.layers.1.linear2"] == "encoder.layers[2].ffn"
    module.decoder.layers[1].linear1.register_forward_hook(lambda _m, _i, out: out * 1.5)
    assert compare(module, source, target, **more).first == "layers[2].hidden"
    hidden = torch.ones(4, 5).triu(1).bool()
    with pytest.raises(UserError, match="argument memory_mask"):
        compare(module, source, target, memory_mask=hidden)
