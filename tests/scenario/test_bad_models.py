"""Models that don't work: one message each, with its place, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from attncli import ScenarioError, load, work

BASE = "sentence: a b\nembeddings: {a: [1, 0], b: [0, 1]}\n"
WEIGHTS = "W_Q: [[1, 0], [0, 1]]\nW_K: [[1, 0], [0, 1]]\nW_V: [[1, 0], [0, 1]]\n"

BAD = {
    "heads: 3": "6:8: W_K (2 × 2), W_Q (2 × 2), W_V (2 × 2): 2 columns each can't be cut into 3 equal parts (3 heads)",
    "heads: 2\nkv_heads: 3": "7:11: 3 heads of keys and values can't be shared by 2",
    "mask: {allowed: [[true, true, true], [true, true, true]]}":
        "6:17: mask.allowed (2 × 3) and the sentence of 2 tokens don't fit together",
    "mask: [causal, {blocked: [[true, false], [false, true]]}]":
        "6:7: mask, row a: every key is masked out",
    "mask: {allowed: [[maybe, true], [true, true]]}": '6:19: the text "maybe" is neither true',
    "mask: {padding: [c]}": '6:17: "c" is none of the keys; name one of a, b',
    "mask: causal\nmask_value: none": '7:13: the text "none" can\'t stand here',
    "memory: [[1, 0, 2]]": "6:9: memory (1 × 3) and W_K (2 × 2) don't fit together (K = memory W_K)",
    "cross: {W_Q: [[1]]}": "6:8: nothing to attend to here",
    "block: decoder\nencoder: {X: [[1]]}\nmemory: [[1]]": "8:9: a memory, and an encoder",
    "block: decoder\nmemory: [[1, 0]]\ncross: {weights_layout: torch}":
        "8:25: torch is how recurrent cells are stacked; say linear for attention",
    "positions: {kind: rope, dimensions: 3}": "6:12: 3 dimensions can't turn in pairs",
    "positions: {kind: rope, dimensions: 4}": "6:12: 4 dimensions are to turn, and K has 2 columns",
    "positions: {kind: ropes}": '6:19: the text "ropes" is not a choice here; did you mean rope?',
    "positions: [rope, rope]": "6:12: positions of the kind rope twice",
    "positions: {kind: alibi, slopes: [1, 2]}": "6:12: the slopes are 2, the heads 1",
    "positions: {kind: relative}": "6:12: relative positions, and no table; add it",
    "positions: {kind: relative, table: [[1], [2], [3]]}":
        "6:12: 3 buckets can't be shared out; give an even number of them, 4 or more",
    "positions: {kind: relative, max_distance: 2, bidirectional: false, table: [[1], [2], [3], [4]]}":
        "6:12: 2 distances have a bucket each, and max_distance is 2; give a larger one than 2",
    "positions: {kind: relative, table: [[1, 2], [2, 1], [1, 1], [2, 2]]}":
        "6:36: 2 columns for 1 head; give a column for each head",
    "positions: {kind: relative, buckets: 6, table: [[1], [2], [1], [2]]}":
        "6:48: 4 rows for 6 buckets; give a row for each bucket, or leave buckets out",
    "positions: [[1, 0]]": "6:12: positions has 1 row, and row 2 is needed",
    "positions: {kind: table, table: [[1, 0], [0, 1]], ids: [0]}":
        "6:12: the positions are 1, the tokens 2; give a position for each token",
    "positions: {kind: table, table: [[1, 0], [0, 1]], ids: [0, 1], start: 1}":
        "6:12: a start beside the position of each token; keep one of them",
    "positions: {kind: table, table: [[1, 0], [0, 1]], ids: [0, 2]}":
        "6:33: positions.table has 2 rows, and row 3 is needed",
    "segments: [0]\nsegment_embeddings: [[1, 1]]": "6:11: the segments are 1, the tokens 2",
    "norm1: {gama: [1, 1]}": '6:9: unknown key "gama"; did you mean gamma?',
    "block: encoder\nnorm1: {gamma: [1, 1, 1]}": "7:16: norm1.gamma (1 × 3) and embeddings (2 × 2)",
    "layers: [{heads: 1}, {block: decodr}]": '6:30: the text "decodr" is not a choice here',
    "layers: []": "6:9: an empty list where entries belong",
    "unembedding: tied\ntargets: [a]": "7:10: the targets are 1, the positions with logits 2",
    "unembedding: tied\ntargets: [a, c]": '7:10: the target "c" is not among the tokens',
    "targets: [a, b]": "6:10: targets needs logits, and there is no unembedding",
    "unembedding: tied\nnext: {top_p: 1.5}": "7:15: 1.5 is not 1 or less",
    "dropout: {p: 1, mask: [[1, 0], [0, 1]]}": "6:14: 1 is not below 1",
    "cache: {tokens: [x, y], K: [[1, 0]], V: [[1, 0], [0, 1]]}":
        "6:28: cache.K (1 × 2) and the cache of 2 tokens don't fit together",
    "show: {queries: [c]}": '6:17: "c" is none of the queries; name some of a, b',
    "variants: {other: 3}": '6:19: the text "3" where keys with other values belong',
    "variants: {other: {scal: none}}": '6:20: unknown key "scal"; did you mean scale?',
    "unembedding: tied\npredict_from: last\ntargets: [a, b]":
        "8:10: the targets are 2, the positions with logits 1",
    "unembedding: tied\ngenerate: 2\nmask: {allowed: [[1, 1], [1, 1]]}":
        "8:17: mask.allowed is for this sentence only",
    "unembedding: tied\npositions: [[1, 0], [0, 1]]\nvariants: {longer: {generate: 3}}":
        "7:12: positions has 2 rows, and 4 are needed",
    "layers: [{heads: 1}, {heads: 1}]\nheads: [{bias: [[0]]}, {bias: [[0]]}]":
        "7:8: a list of heads belongs to a layer",
    "heads: [{W_Q: [[1], [0]]}, {W_Q: [[1], [0]]}]\nkv_heads: 2":
        "7:11: kv_heads, and heads that have keys and values of their own",
    "X: [[1, 0], [0, 1]]\npositions: sinusoidal": "7:12: positions goes into X, and X itself",
    "X: {a: [1, 0], c: [0, 1]}": "6:4: the rows of X are a, c, the tokens a, b",
    "memory: [[1, 0]]\nblock: encoder": "6:9: nothing attends to the memory",
    "block: encoder\nnorm1: {epsilon: 0}\nW_O: [[0, 0], [0, 0]]\nresiduals: false":
        "7:8: norm1.deviation, row a: the number to divide by would be 0",
    "rounding: {quantities: {wights: 2}}": "6:33: no step makes wights; did you mean weights?",
    "mask: {}": "6:7: a mask without any rule",
    "d_k: 3": "6:6: d_k = 3 and W_Q (2 × 2) don't fit together",
    "W_O: {file: ../W.npy}": '6:6: "../W.npy" leads out of the scenario\'s folder',
    "W_O: {file: none.npy}": '6:6: there is no file "none.npy"',
    "W_O: {random: normal}": "6:6: random numbers without `seed`",
}  # fmt: skip


@pytest.mark.parametrize("more", BAD)
def test_bad_models(more: str, tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(f"{BASE}{WEIGHTS}{more}\n", encoding="utf-8")
    with pytest.raises(ScenarioError) as raised:
        work(load(path))
    messages = [str(problem).replace(f"{path}:", "") for problem in raised.value.problems]
    assert any(message.startswith(BAD[more]) for message in messages), messages
    assert all("; " in message for message in messages)


def test_odd_sinusoids_and_heads_that_do_not_divide(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(
        "sentence: a\nembeddings: {a: [1, 0, 1]}\npositions: sinusoidal\nheads: 2\n"
        "W_Q: {random: normal, seed: 1}\n"
    )
    with pytest.raises(ScenarioError) as raised:
        load(path)
    (problem,) = raised.value.problems
    assert (problem.where.line, problem.where.column) == (3, 12)
    assert "3 columns can't be cut into 2 equal parts" in problem.wrong
    path.write_text(path.read_text().replace("positions: sinusoidal\n", ""))
    with pytest.raises(ScenarioError) as raised:
        load(path)
    assert (raised.value.problems[0].where.line, "heads") == (3, "heads")


def test_everything_is_said_at_once(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    bad = "mask: {padding: [c]}\nnorm1: {gama: [1]}\nheads: two\nkv_heads: 0\n"
    path.write_text(f"{BASE}{WEIGHTS}{bad}")
    with pytest.raises(ScenarioError) as raised:
        load(path)
    assert [problem.where.line for problem in raised.value.problems] == [6, 7, 8, 9]
