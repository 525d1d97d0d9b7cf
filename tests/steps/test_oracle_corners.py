"""The oracle where scenarios are unlike those that are drawn at random; and what it may import."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from attncli import load, work
from tests import oracle
from tests.helpers.pages import trace_of
from tests.helpers.plain import read
from tests.steps.test_transformers import agree

W = "W_Q: [[1, 0.5], [0.2, 1]]\nW_K: [[0.3, 1], [1, -0.4]]\nW_V: [[1, 2], [0.7, 1]]\n"
W_CROSS = W.replace("\n", ", ")[:-2]
SPLIT = (
    "W_Q: [[1, 0.5, 0.1, 0.6], [0.2, 1, 0.4, -1]]\nW_K: [[0.3, 1, 0.5, 0.2], [1, -0.4, 0.3, 0.8]]\n"
    "W_V: [[1, 2, 0.3, 0.4], [0.7, 1, 0.6, -0.5]]\n"
)
X = "X: [[1, 0.5], [0.25, -1], [2, 0.125]]\n"
TABLE = "embeddings: {a: [1, 0.5], b: [0.3, -0.2], c: [0.1, 0.9]}\n"
FFN = "W1: [[1, -0.5], [0.4, 1]]\nW2: [[0.3, 1], [-1, 0.6]]\n"
ENDING = "unembedding: [[0.3, 1, -0.2], [0.8, -0.5, 0.1]]\n"

CORNERS = {
    "words": "sentence: \"it's a b, it's!\"\ntokenizer: word\nprojection: none\nblock: attention\n"
    'embeddings: {"it\'s": [1, 0], a: [0, 1], b: [1, 1], ",": [0.5, 1], "!": [0.1, 0.2]}\n',
    "characters": "sentence: 'e\u0301a 👩\u200d🚀🇫🇷🇩🇪'\ntokenizer: character\nprojection: none\n"
    "block: attention\nembeddings: {'e\u0301': [1, 0], a: [0, 1], ' ': [1, 1],"
    " '👩\u200d🚀': [0.5, 1], '🇫🇷': [0.1, 0.2], '🇩🇪': [0.3, 0.2]}\n",
    "heads with a bias only": f"block: attention\n{X}{SPLIT}"
    "heads: [{bias: [[1, 0, 0.5], [0, 0.2, 1], [0.3, 1, 0]]}, {bias: [[0, 1, 0], [1, 0, 1], [0, 0, 1]]}]\n",
    "a head with a bias of its own": f"block: attention\n{X}{SPLIT}"
    "bias: [[1, 0, 0.5], [0, 0.2, 1], [0.3, 1, 0]]\nheads: [{bias: [[0, 0, 1], [1, 0, 1], [0, 0, 1]]}, {}]\n",
    "fewer queries than keys, turned": f"block: attention\nqueries: [[1, 0.5]]\nkeys: [[1, 2], [0, 1]]\n"
    f"values: [[0.5, 1], [1, 0]]\npositions: {{kind: rope, start: 1}}\n{W}",
    "the first token's classes have no names": f"sentence: a c\n{TABLE}{W}{ENDING}"
    "predict_from: first\ntargets: ['2']\n",
    "a list of one head": f"block: attention\n{X}heads:\n  - {{{W_CROSS}}}\n",
    "an encoder with the same table": f"sentence: a c\n{TABLE}block: decoder\n{W}{FFN}"
    f"cross: {{{W_CROSS}}}\nencoder: {{sentence: b a a, {W_CROSS}, block: attention}}\n",
    "an encoder with the same IDs": "sentence: a c\nvocabulary: {a: 1, b: 0, c: 2}\nblock: decoder\n"
    f"embeddings: [[1, 0.5], [0.3, -0.2], [0.1, 0.9]]\n{W}{FFN}cross: {{{W_CROSS}}}\n"
    f"encoder: {{sentence: b a, embeddings: [[1, 1], [0, 1], [1, 0]], {W_CROSS}, block: attention}}\n",
    "inputs of their own": f"{X}queries: [[1, 1]]\nkeys: [[1, 0], [0.5, 1]]\nvalues: [[1, 0], [2, 1]]\n"
    f"block: attention\n{W}",
    "an encoder with keys of its own": f"{X}keys: [[1, 0], [0.5, 1]]\nvalues: [[1, 0], [2, 1]]\n"
    f"layers: [{{{W_CROSS}, {FFN[:-1]}}}, {{{W_CROSS}, {FFN[:-1]}}}]\n".replace("\nW2", ", W2"),
    "attention with a norm and residuals": f"{X}block: attention\n{W}residuals: true\nnorm: pre\n",
    "attention with a norm behind it": f"{X}block: attention\n{W}norm: post\nnorm1: {{gamma: [1, 2]}}\n",
    "long exponentials": "scores: [[40, 39.5, 2], [1, 2, 0], [33, 33, 33]]\nscale: none\nV: [[1], [2], [3]]\n",
    "tiny exponentials": "scores: [[-800, -801], [0, 1]]\nscale: none\nrounding: {policy: exact}\n",
    "the sum alone is too long": "scores: [[27.0, 27.0]]\nscale: none\nblock: attention\n",
    "a quantity by its full name": f"{X}block: attention\nheads: 2\n{SPLIT}rounding:"
    "\n  quantities: {'heads[2].weights': 5, weights: 2, 'heads[1].Q': 1}\n  steps: {merge: 1}\n",
    "a cache before a table": f"sentence: a c\n{TABLE}block: attention\n{W}"
    "positions: [[1, 0], [0.5, 0.1], [0.2, 0.3]]\ncache: {tokens: [b], K: [[1, 2]], V: [[0.5, 1]]}\n",
    "a cache without projections": f"{X}block: attention\nprojection: none\n"
    "cache: {tokens: [x], K: [[1, 2]], V: [[0.5, 1]]}\n",
    "a table and sines": f"sentence: a c\n{TABLE}block: attention\n{W}"
    "positions: [sinusoidal, [[1, 0], [0.5, 0.1]], rope]\n",
    "sines by their base": f"sentence: a c\n{TABLE}block: attention\n{W}positions: {{base: 100}}\n",
    "no positions": f"sentence: a c\n{TABLE}block: attention\n{W}positions: none\n",
    "two rules in one": f"{X}block: attention\n{W}mask: {{window: 2, padding: ['2']}}\n",
    "a token that is called 1": f"tokens: [a, '1', b]\n{X}block: attention\n{W}mask: {{padding: ['1']}}\n",
    "rules of tables": f"{X}block: attention\n{W}mask: [{{add: [[0, -inf, 1], [0.5, 0, 0], [0, 0, 0]]}}, causal,"
    " {blocked: [[false, true, true], [false, false, true], [true, false, 0]]}]\n",
    "dropout in words": f"{X}block: attention\n{W}dropout: {{p: 0.25, mask: [[true, 1, 0], [1, 0, true], [1, 1, 1]]}}\n",
    "dropout without p": f"{X}block: attention\n{W}dropout: {{mask: [[1, 1, 0], [1, 0, 1], [1, 1, 1]]}}\n",
    "columns by ID": f"sentence: a c\n{TABLE}vocabulary: {{c: 0, b: 1, a: 2}}\nblock: attention\nprojection: none\n"
    f"targets: [c, b]\n{ENDING}",
    "columns of IDs with gaps": f"sentence: a c\n{TABLE}vocabulary: {{c: 700, b: 10, a: 90}}\nblock: attention\n"
    f"projection: none\ntargets: [c, b]\n{ENDING}",
    "tied to a table by token": f"sentence: a c\n{TABLE}vocabulary: {{c: 0, b: 1, a: 2}}\nblock: attention\n"
    "projection: none\ntargets: [c, b]\nunembedding: tied\n",
    "all of the nucleus": f"sentence: a c\n{TABLE}block: attention\nprojection: none\n"
    f"next: {{top_p: 1, temperature: 0.7}}\n{ENDING}",
    "weights only": "block: attention\ntokens: [a, b]\nweights: [[0.75, 0.25], [0.1235, 0.8765]]\n",
    "scaled, and values": "block: attention\nscaled: [[1, 2], [0.5, 0.25]]\nV: {a: [1, 0], b: [0, 1]}\n",
    "an output, and what comes after": "block: attention\noutput: [[1, 2], [0.5, 0.25]]\nW_O: [[1, 0.5], [1, 1]]\n",
    "scores without keys": "block: attention\nQ: [[1, 2]]\nscores: [[1, 2, 0]]\n",
    "no values": f"block: attention\n{X}W_Q: [[1, 0.5], [0.2, 1]]\nW_K: [[0.3, 1], [1, -0.4]]\n",
    "half a network": f"{X}block: attention\n{W}W1: [[1, -0.5], [0.4, 1]]\n",
    "half a gated network": f"{X}block: attention\n{W}{FFN}activation: swiglu\n",
    "a random table": "sentence: a c\nvocabulary: {a: 0, b: 1, c: 2}\nd_model: 2\nblock: attention\n"
    "embeddings: {random: normal, seed: 3}\npositions: {random: uniform, seed: 4, low: -1, high: 1, shape: [2, 2]}\n"
    "W_Q: {random: normal, seed: 5, std: 1}\nW_K: {random: normal, seed: 6, std: 1}\n"
    "W_V: {random: normal, seed: 7, std: 1}\n",
}


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize("name", CORNERS)
def test_corners(name: str, policy: str) -> None:
    data = read(CORNERS[name])
    if name == "tiny exponentials":
        policy = "exact"  # under carry every one of them is 0
    data["rounding"] = {**data.get("rounding", {}), "policy": policy}
    agree(oracle.work(data), trace_of(CORNERS[name], f"rounding.policy={policy}"))


@pytest.mark.parametrize("policy", ["carry", "exact"])
def test_arrays_of_a_program(policy: str) -> None:
    """Numbers that nobody wrote are rounded as they come in, under carry."""
    rng = np.random.default_rng(1)
    data = {
        "X": np.array([[0.0005, 1.23456], [0.2845, -2.0]]),
        **{name: rng.normal(size=(2, 2)) for name in ("W_Q", "W_K", "W_V")},
        "b_V": np.array([0.00149, 1.0]),
        "block": "attention",
        "rounding": {"policy": policy},
    }
    agree(oracle.work(data), work(load(data)))


def test_arrays_of_every_kind_of_file(tmp_path: Path) -> None:
    save = pytest.importorskip("safetensors.numpy").save_file
    rng = np.random.default_rng(2)
    X, W_Q, W_K = (rng.normal(size=(2, 2)) for _ in range(3))
    np.save(tmp_path / "X.npy", X)
    np.savez(tmp_path / "one.npz", W_Q)
    save({"W_K": W_K, "W_V": W_Q.astype(np.float32)}, tmp_path / "two.safetensors")
    text = (
        "block: attention\nX: {file: X.npy}\nW_Q: {file: one.npz}\n"
        "W_K: {file: two.safetensors, key: W_K}\nW_V: {file: two.safetensors, key: W_V}\n"
    )
    (tmp_path / "scenario.yaml").write_text(text, encoding="utf-8")
    agree(oracle.work(read(text), tmp_path), work(load(tmp_path / "scenario.yaml")))


def test_the_oracle_shares_no_code() -> None:
    """Whatever modules there will be: it imports its own, and none of the package's."""
    folder = Path(__file__).parents[1] / "oracle"
    modules = list(folder.glob("*.py"))
    assert len(modules) > 8
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                imported = [str(node.module)]
                assert node.level == 0
            else:
                imported = (
                    [entry.name for entry in node.names] if isinstance(node, ast.Import) else []
                )
            own = [name for name in imported if name.partition(".")[0] in ("attncli", "tests")]
            assert all(name.startswith("tests.oracle") for name in own), module.name
            assert "yaml" not in imported
