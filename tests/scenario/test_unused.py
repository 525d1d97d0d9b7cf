"""What a scenario gives or says and doesn't use is said: for each key of the schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli import ScenarioError, load, work
from attncli.cli import app
from attncli.scenario.file.matrices import VectorKind
from attncli.steps.schema import SCENARIO
from attncli.trace import Trace
from tests.conftest import sampled
from tests.helpers.pages import page_of

EYE = [[1, 0], [0, 1]]
X = [[1, 0.5], [0, 2]]
WEIGHTS = {f"W_{name}": EYE for name in "QKV"}
NETWORK = {"W1": EYE, "W2": EYE}
BASES: Mapping[str, dict[str, Any]] = {
    "attention": {"Q": X, "K": EYE, "V": EYE, "scale": "none"},
    "weights": {"weights": [[0.5, 0.5], [1, 0]], "V": EYE},
    "norm": {"X": X, "final_norm": {"kind": "rms"}},
    "block": {"X": X, "block": "encoder", **WEIGHTS, **NETWORK},
    "cell": {"X": X, "cell": "rnn", "W_ax": EYE, "W_aa": EYE},
    "logits": {
        "tokens": ["a", "b"],
        "embeddings": {"a": [1, 0.5], "b": [0, 2]},
        "unembedding": "tied",
    },
}
RMS = {"kind": "rms"}
NORMS = ("norms", "embedding_norm", *(f"norm{k}{m}" for k in "123" for m in ("", "_after")))
SAID: Mapping[str, Any] = {
    "tokenizer": "words", "corpus": "a b", "vocabulary_size": 5, "merges": [["a", "b"]],
    "pieces": {"a": -1}, "vocabulary": {"a": 0, "b": 1}, "embedding_scale": 2, "segments": [0, 1],
    "positions": "rope", "projection": "identity", "qk_norm": RMS, "heads": 2, "scale": 3,
    "cache": {"tokens": ["z"], "K": [[1, 1]], "V": [[1, 1]]}, "softcap": 5, "temperature": 2,
    "mask": "causal", "mask_value": -9, "softmax": "none", "dropout": {"p": 0.5, "mask": [[1, 0], [1, 1]]},
    "residuals": "true", "residual_scale": 2, "parallel": "shared_norm", "norm": "pre",
    "activation": "gelu", "gated": "true", "clamp": 1, "up_plus_one": "true",
    "gate_order": ["update"], "direction": "both",
    "reset": "after", "update": "old", "readout": "softmax", "readout_from": "last", "cell": "gru",
    "gradient": "true", "predict_from": "every", "logit_scale": 2, "logit_softcap": 9,
    "next": {"temperature": 2}, "targets": ["a", "b"], "block": "decoder", "cross": {"scale": 3},
    "backward": {"W_ax": EYE}, "encoder": {"X": X}, **dict.fromkeys(NORMS, RMS), "final_norm": RMS,
}  # fmt: skip
OTHERWISE = {
    "d_model", "d_k", "d_v", "d_ff", "features",  # held against what is given
    "sentence", "tokens", "ids", "kv_heads",  # give names; say what is so anyway
    "title", "source", "show", "published", "variants", "rounding", "until", "generate", "layers",
}  # fmt: skip
"""Keys that do something else than change a number."""
TAKEN = {
    "weights": ["output"], "block": ["weights_layout", "residuals"], "cell": ["weights_layout"],
    "logits": ["weights_layout", "vocabulary"],
}  # fmt: skip
"""What is taken there, and leaves the numbers as they are."""


def numbers(trace: Trace) -> dict[str, Any]:
    return {name: q.values.tolist() for name, q in trace.quantities.items()}


def is_said_or_used(base: dict[str, Any], key: str, value: Any) -> bool:
    """Whether a key is refused, named as unused, taken by a step, or changes a number."""
    before = work(load(base))
    assert not before.unused
    try:
        after = work(load({**base, key: value}))
    except ScenarioError:
        return True
    if any(name.split(".")[0] == key for name in after.unused):
        return True
    made = [d for d in after.plan if d.name in after]
    taken = {operand.split(".")[0] for d in made for operand in d.operands}
    worked = [name for name in numbers(before) if not before[name].given]
    own = {name: values for name, values in numbers(after).items() if not after[name].given}
    return key in taken or own != {name: numbers(before)[name] for name in worked}


@sampled(7, key=[key for key in SCENARIO.known if key not in OTHERWISE], base=BASES)
def test_no_key_is_silent(base: str, key: str) -> None:
    if key in BASES[base] or key in TAKEN.get(base, ()):
        return
    vector = isinstance(SCENARIO.known[key].kind, VectorKind)
    assert is_said_or_used(BASES[base], key, SAID.get(key, [1, 0] if vector else EYE))


@pytest.mark.parametrize(
    ("given", "unused"),
    [
        ({**BASES["block"], "W3": EYE, "b3": [1, 1], "activation": "relu"}, ["W3", "b3"]),
        ({**BASES["attention"], "cache": SAID["cache"]}, ["cache.K", "cache.V"]),
        ({**BASES["attention"], "b_V": [1, 1], "weights_layout": "linear"}, ["b_V", "weights_layout"]),
        ({**BASES["attention"], "mask_value": -9, "activation": "gelu"}, ["mask_value", "activation"]),
        ({**BASES["block"], "norm": "none", "norm1": {"gamma": [1, 2], "kind": "rms"}}, ["norm1.gamma"]),
        ({"X": X, **NETWORK, "norms": RMS}, ["norms"]),
        ({"X": X, "layers": [{**WEIGHTS, **NETWORK, "residual_scale": 2, "residuals": "false"}]}, ["residual_scale"]),
        ({**BASES["block"], "activation": "swiglu"}, ["W2"]),
        ({**BASES["block"], "clamp": 1, "up_plus_one": "true"}, ["clamp", "up_plus_one"]),
        ({**BASES["attention"], "until": "scores", "activation": "gelu"}, ["V"]),
        ({**BASES["block"], "norms": {"gamma_plus_one": "true"}}, ["norms.gamma_plus_one"]),
        ({**BASES["block"], "norm2": {"gamma_plus_one": "true"}}, ["norm2.gamma_plus_one"]),
        ({**BASES["attention"], "rounding": {"steps": {"softmax": 4, "ffn": 2}}}, ["rounding.steps.ffn"]),
        ({**BASES["attention"], "rounding": {"quantities": {"exp": 4, "ffn": 2}}}, ["rounding.quantities.ffn"]),
    ],
)  # fmt: skip
def test_what_is_said(given: dict[str, Any], unused: list[str], tmp_path: Path) -> None:
    trace = work(load(given))
    assert list(trace.unused) == unused
    assert json.loads(page_of(trace, "json"))["unused"] == unused
    page = page_of(trace, "terminal")
    assert all(name in page for name in unused)
    path = tmp_path / "s.yaml"
    path.write_text(json.dumps(given), "utf-8")
    result = CliRunner().invoke(app, ["validate", str(path)])
    assert result.exit_code == 0
    assert f"; not used: {', '.join(unused)}" in result.output


@pytest.mark.parametrize(
    "given",
    [
        {"qk_norm": RMS},
        {"positions": {"kind": "relative", "table": [[1], [2], [3], [4]], "max_distance": 3}},
        {"positions": {"kind": "alibi"}},
        {"qk_norm": RMS, "heads": 2, "rounding": {"quantities": {"heads[1].Q": 4, "scores": 2}}},
        {"norm1": {"gamma": [1, 2]}, "norms": {"gamma_plus_one": "true"}},
    ],
)
def test_what_is_used_is_not_said(given: dict[str, Any]) -> None:
    base = BASES["block" if "norms" in given else "attention"]
    assert work(load({**base, **given})).unused == ()


def test_the_row_that_a_head_takes_is_used() -> None:
    head = {"W": EYE, "activation": "tanh"}
    assert work(load({"X": X, "head": head, "predict_from": "first"})).unused == ()


def test_what_is_missing(tmp_path: Path) -> None:
    given = {**BASES["block"], "activation": "swiglu"}
    data = json.loads(page_of(work(load(given)), "json"))
    assert data["unfinished"] == {"step": "ffn", "needs": ["W3"]}
    (tmp_path / "s.yaml").write_text(json.dumps(given), "utf-8")
    text = CliRunner().invoke(app, ["validate", str(tmp_path / "s.yaml")]).output
    assert text.endswith("; not used: W2; ends before ffn, which needs W3\n")


def test_a_scenario_that_uses_all_says_nothing() -> None:
    trace = work(load("encoder_block"))
    assert trace.unused == ()
    assert "unused" not in json.loads(page_of(trace, "json"))
    assert np.array_equal(trace.replay({})["X"].values, trace["X"].values)
