"""Generation with a cache of keys and values, and by beam search: against the same without a cache,
and against what transformers generates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli import ScenarioError, load, pipeline, work
from attncli.cli import app
from attncli.models.checkpoints.model_folder import Checkpoint
from attncli.models.checkpoints.scenario_of_model import Inputs, reading_of, scenario_of
from attncli.trace.generation import generation
from tests.auditor import audit
from tests.conftest import sampled
from tests.helpers.pages import page_of, tables_of, trace_of

_CACHE = "generate={tokens: 3, cache: {bytes: 2}}"


def _passes(*changes: str) -> list[Any]:
    trace = work(load("next_token", changes))
    return [trace, *trace.generated]


@sampled(
    3,
    more=[
        "next={temperature: 0.8, repetition_penalty: 1.5}",
        "positions=rope",
        "positions=alibi",
        "mask=[causal, {window: 2}]",
        "qk_norm={kind: rms}",
        "next={draw: [0.3, 0.6, 0.9]}",
    ],
    policy=["carry", "exact"],
)
def test_a_cache_changes_no_number(more: str, policy: str) -> None:
    changes = (more, f"rounding.policy={policy}")
    whole, kept = _passes(*changes, "generate=3"), _passes(*changes, _CACHE)
    for k, (one, other) in enumerate(zip(whole, kept, strict=True)):
        assert len(other["tokens"].values) == (3 if k == 0 else 1)
        assert other.scenario.tokens_so_far == one.scenario.tokens_so_far
        np.testing.assert_allclose(other["logits"].values, one["logits"].values, atol=1e-14)
        # 2 · layers · heads · d_head · tokens · bytes
        assert other["layers[1].cache_bytes"].values == 2 * 2 * 2 * 2 * (3 + k) * 2
        assert not other.unused


def _saved(folder: Path, end: int) -> tuple[Any, dict[str, Any]]:
    """A small GPT-2 with random weights, and its scenario."""
    torch = pytest.importorskip("torch", reason="there is nothing to compare with")
    transformers = pytest.importorskip("transformers", reason="there is nothing to compare with")
    torch.manual_seed(end)
    no_end = {"pad_token_id": end, "bos_token_id": None, "eos_token_id": end, "vocab_size": 12}
    sizes = {"n_embd": 8, "n_layer": 2, "n_head": 2, "n_positions": 16}
    config = transformers.AutoConfig.for_model("gpt2", **no_end, **sizes)
    model = transformers.AutoModelForCausalLM.from_config(config).double().eval()
    for weight in model.parameters():
        weight.data += 0.5 * torch.randn_like(weight)
    model.save_pretrained(folder)
    reading = reading_of("--text", "5,7,2", folder, Path())
    said = dict(scenario_of(Checkpoint.of(str(folder)), Path(), Inputs(reading)))
    said.pop("show", None)
    return model, {**said, "rounding": {"policy": "exact"}}


def _loaded(said: dict[str, Any], **generate: Any) -> Any:
    return pipeline.load({**said, "generate": {"tokens": 4, **generate}}, outside=True)


@pytest.mark.real("torch", "transformers")
def test_the_cache_is_that_of_transformers(tmp_path: Path) -> None:
    model, said = _saved(tmp_path, 0)
    import torch

    trace = work(_loaded(said, cache={"bytes": 8}))
    ids, cache = torch.tensor([[5, 7, 2]]), None
    for step in (trace, *trace.generated):
        with torch.no_grad():
            out = model(ids, past_key_values=cache, use_cache=True)
        ids, cache = out.logits[:, -1:].argmax(-1), out.past_key_values
        np.testing.assert_allclose(step["logits"].values[-1], out.logits[0, -1], atol=1e-12)
        held = sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
        assert step["layers[1].cache_bytes"].values == held
    assert len(trace.generated) == 3


@pytest.mark.real("torch", "transformers")
@sampled(5, end=range(12), cache=[{}, {"cache": {"bytes": 8}}])
def test_beams_are_those_of_transformers(end: int, cache: dict[str, Any], tmp_path: Path) -> None:
    model, said = _saved(tmp_path, end)
    import torch

    beams = 2 + end % 2
    steps = [
        *generation(work(_loaded({**said, "end_token": str(end)}, beams=beams, **cache)).plain)
    ]
    ends = [beam for kept in steps for beam in kept if beam.ends or kept is steps[-1]]
    ends.sort(key=lambda beam: -beam.sum.full)
    theirs = model.generate(
        torch.tensor([[5, 7, 2]]), num_beams=beams, num_return_sequences=beams, max_new_tokens=4,
        do_sample=False, length_penalty=0.0, return_dict_in_generate=True, output_scores=True,
    )  # fmt: skip
    for beam, ids, score in zip(ends, theirs.sequences, theirs.sequences_scores, strict=False):
        assert [*map(int, beam.text)] == ids[: len(beam.text)].tolist()
        # which works the logarithms in float32
        assert float(beam.sum.full) == pytest.approx(score.item(), abs=1e-5)


@pytest.mark.parametrize("more", ["beams: 2", "cache: {bytes: 2}"])
def test_every_page_is_true(more: str) -> None:
    policy = "exact" if more == "beams: 2" else "carry"
    changes = [f"generate={{tokens: 3, {more}}}", f"rounding.policy={policy}"]
    trace = work(load("next_token", changes)).plain
    for form in ("terminal", "json"):
        page = page_of(trace, form, 80, "rows")
        assert audit(page, form, tables_of(trace)).false == [], form
    last = trace.generated[-1]
    page = page_of(last, "terminal", 80, "summary")
    assert audit(page, "terminal", tables_of(last)).false == []


def test_the_tree_and_the_pass_are_shown() -> None:
    run = ["run", "next_token", "--set", "generate={tokens: 3, beams: 2, cache: {bytes: 2}}"]
    page = CliRunner().invoke(app, [*run, "--detail", "summary"]).output
    assert "  2  └ “.”: log-probability −0.350, sum −0.782\n" in page
    assert "     1 │ I can go alone . home                     −1.721\n" in page
    later = CliRunner().invoke(app, [*run, "--trace", "token 3, beam 1", "--step", "project"])
    assert "The next token: token 3, beam 1" in later.output
    assert "new_bytes = 2 × 2 × 2 × 2 × 1 × 2 = 32" in later.output
    none = CliRunner().invoke(app, [*run, "--trace", "token 9"])
    assert "no variant and no token generated has this name" in none.stderr


_LAYER = "{W_Q: [[1, 0], [0, 1]], W_K: [[1, 0], [0, 1]], W_V: [[1, 0], [0, 1]]}"
_MODEL = "tokens: [a, b]\nembeddings: {a: [1, 0], b: [0, 1], c: [1, 1]}\nunembedding: tied\n"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"layers: [{_LAYER}, {_LAYER}]\ngenerate: {{tokens: 2, cache: {{bytes: 2}}}}\n",
         "a cache, and tokens that see later ones"),
        ("cell: rnn\nW_ax: [[1, 0], [0, 1]]\nW_aa: [[1, 0], [0, 1]]\n"
         "generate: {tokens: 2, cache: {bytes: 2}}\n", "no attention that has some"),
        ("W_V: [[1, 0], [0, 1]]\nlatent: {W_DKV: [[1], [0]], W_UK: [[1, 0]], W_UV: [[1, 0]]}\n"
         "generate: {tokens: 2, cache: {bytes: 2}}\n", "latent attention caches c_KV"),
        ("generate: {tokens: 2, beams: 2}\nnext: {draw: [0.1, 0.2]}\n", "draw beside beams"),
        ("generate: {beams: 2}\n", "generate without tokens"),
        ("generate: {tokens: 2, cache: {}}\n", "cache without bytes"),
    ],
)  # fmt: skip
def test_what_is_wrong(text: str, wrong: str) -> None:
    with pytest.raises(ScenarioError, match=wrong):
        trace_of(_MODEL + text)
