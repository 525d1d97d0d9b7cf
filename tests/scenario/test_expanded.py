"""What is said once for many layers and matrices is what would be said of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from attncli.trace import Trace
from tests import oracle
from tests.helpers.plain import read

_NUMBERS = np.random.RandomState(3)
ARRAYS: dict[str, Any] = {
    **{f"h.{i}.attn": 0.5 * _NUMBERS.randn(4, 12) for i in range(3)},
    **{f"h.{i}.out": _NUMBERS.randn(4, 4) for i in range(3)},
    **{f"h.{i}.b": _NUMBERS.randn(12) for i in range(3)},
    **{f"h.{i}.gamma": _NUMBERS.rand(4) + 0.5 for i in range(3)},
    "table": 0.5 * _NUMBERS.randn(7, 4),
}
MODEL = """\
ids: [0, 3, 6, 3]
layers: {count: 3, odd: {mask: causal}, 2: {scale: none}}
block: attention
residuals: true
norm: post
heads: 2
rounding: {policy: exact}
weights:
  file: w.npz
  keys:
    embeddings: table
    W_Q: {key: 'h.{i}.attn', split: [3, 1]}
    W_K: {key: 'h.{i}.attn', columns: '4:8'}
    W_V: {key: 'h.{i}.attn', split: [3, 3]}
    b_Q: {key: 'h.{i}.b', split: [3, 1]}
    W_O: 'h.{i}.out'
    norm1.gamma: 'h.{i}.gamma'
unembedding: tied
"""


def model(folder: Path, text: str = MODEL) -> Trace:
    np.savez(folder / "w.npz", **ARRAYS)
    (folder / "m.yaml").write_text(text)
    return work(load(folder / "m.yaml"))


def by_hand() -> dict[str, Any]:
    """The same model, each matrix by itself."""
    layers = [
        {
            **{f"W_{x}": ARRAYS[f"h.{i}.attn"][:, 4 * k : 4 * k + 4] for k, x in enumerate("QKV")},
            "b_Q": ARRAYS[f"h.{i}.b"][:4],
            "W_O": ARRAYS[f"h.{i}.out"],
            "norm1": {"gamma": ARRAYS[f"h.{i}.gamma"]},
            "block": "attention",
            **({"scale": "none"} if i == 1 else {"mask": "causal"}),
        }
        for i in range(3)
    ]
    ids = {"0": 0, "3": 3, "6": 6}
    return {
        "tokens": ["0", "3", "6", "3"], "vocabulary": ids, "embeddings": ARRAYS["table"],
        "residuals": True, "norm": "post", "heads": 2, "rounding": {"policy": "exact"},
        "layers": layers, "unembedding": "tied",
    }  # fmt: skip


def test_templates_are_what_they_stand_for(tmp_path: Path) -> None:
    trace, expected = model(tmp_path), work(load(by_hand()))
    assert {*trace} == {*expected}
    for name in trace:
        np.testing.assert_array_equal(trace[name].values, expected[name].values, name)


@pytest.mark.parametrize("policy", ["exact", "carry"])
def test_templates_as_the_oracle(tmp_path: Path, policy: str) -> None:
    text = MODEL.replace("exact", policy)
    trace = model(tmp_path, text)
    for name, values in oracle.work(read(text), tmp_path).items():
        np.testing.assert_allclose(trace[name].values, values.astype(float), atol=1e-9)


def test_what_a_layer_says_itself_holds(tmp_path: Path) -> None:
    trace = model(tmp_path)
    np.savez(tmp_path / "w.npz", **ARRAYS)
    own = work(
        load(tmp_path / "m.yaml", ["layers[2].W_O=[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]"])
    )
    assert own["layers[2].W_O"].values.tolist() == np.eye(4).tolist()
    assert (own["layers[1].W_O"].values == trace["layers[1].W_O"].values).all()


def test_tokens_go_on_by_their_ids(tmp_path: Path) -> None:
    trace = model(tmp_path, MODEL + "generate: 3\n")
    logits = trace["logits"].values[-1]
    assert trace.generated[1].scenario.text.tokens[-1] == str(int(logits.argmax()))


ENCODER = {
    "tokens": ["a", "b"], "X": [[1, 0], [0, 1]], "block": "decoder", "norm": "none",
    "scale": "none", "heads": 2, "W_Q": [[1, 2], [0, 1]], "W_K": [[1, 0], [0, 1]],
    "W_V": [[1, 0], [1, 1]], "W_O": [[1, 0], [0, 1]], "rounding": {"policy": "exact"},
    "cross": {name: [[1, 0], [0, 1]] for name in ("W_Q", "W_K", "W_V", "W_O")},
    "W1": [[1, 0], [0, 1]], "W2": [[1, 0], [0, 1]],
}  # fmt: skip
INNER = {key: ENCODER[key] for key in ("tokens", "X", "W_Q", "W_K", "W_V", "W_O", "W1", "W2")}


def test_an_encoder_takes_over_what_the_top_says() -> None:
    inherited = work(load({**ENCODER, "encoder": {**INNER, "block": "encoder"}}))
    data = {"block": "encoder", "norm": "none", "scale": "none", "heads": 2}
    whole = work(load({**ENCODER, "encoder": {**INNER, **data}}))
    other = work(load({**ENCODER, "encoder": {**INNER, **data, "scale": 3}}))
    assert (inherited["ffn"].values == whole["ffn"].values).all()
    assert "encoder.heads[2].weights" in inherited
    assert (other["ffn"].values != whole["ffn"].values).any()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (MODEL.replace("count: 3, ", ""), "layers without their count"),
        (MODEL.replace("2: {scale", "4: {scale"), '"4" is none of 3 layers'),
        (MODEL.replace("'h.{i}.out'", "h.out"), "W_O belongs to a layer"),
        (MODEL.replace("'h.{i}.out'", "'g.{i}.out'"), 'holds no array "g.0.out"'),
        (MODEL.replace("[3, 3]", "[3, 4]"), "where parts belong"),
        (MODEL.replace("[3, 3]", "[5, 1]"), "don't come in 5 equal parts"),
        (MODEL.replace("'4:8'", "'4:80'"), "4:80 of 12"),
        (MODEL.replace("  file: w.npz\n", ""), "no file says where this is"),
        (MODEL.replace("[0, 3, 6, 3]", "[0, 7]"), 'the ID 7 of "7" has no row'),
        (MODEL + "sentence: a b\n", "ids beside sentence"),
        (MODEL.replace("layers: {count: 3, odd: {mask: causal}, 2: {scale: none}}", "layers: no"),
         'the text "no"'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ScenarioError) as error:
        model(tmp_path, text)
    assert told in str(error.value)
