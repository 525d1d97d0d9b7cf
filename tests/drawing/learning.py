"""Draws models that have a loss to learn by: every part that gradients go back through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from attncli.maths.operations.activations import ACTIVATIONS
from tests.drawing.pen import Pen, Tree
from tests.drawing.recurrent import recurrent
from tests.drawing.started import started

IGNORED = "_"
_DEFAULTS = {"scale": "sqrt_d_k", "mask_value": "-inf", "parallel": "none"}
_GATES = {
    "lstm": ["output", "forget", "update", "candidate"],
    "gru": ["update", "candidate", "reset"],
}


class End(NamedTuple):
    """What a model comes to without a loss: so many rows and columns, and the names of these."""

    shape: tuple[int, int]
    classes: Sequence[str]


EndOf = Callable[[Tree], End]


def learning(pen: Pen, transformer: Callable[[Pen], Tree], end_of: EndOf) -> Tree:
    """A scenario of a Transformer, of recurrent layers, or of a part of a model, with targets."""
    kinds = (*[_with_more(transformer)] * 4, _cells, _cells, *_PARTS)
    tree: Tree = pen.choice(*kinds)(pen)
    if pen.coin(4) and "X" not in tree and "layers" in tree:
        tree.setdefault("final_norm", pen.choice({}, {}, "none"))
    for key in ("targets", "generate"):
        tree.pop(key, None)
    tree.get("next", {}).pop("top_k", None)
    return {**tree, **_targets(pen, tree, end_of(tree))}


def _targets(pen: Pen, tree: Tree, end: End) -> Tree:
    """Tokens, or numbers of the shape of what comes out."""
    n, width = end.shape
    kind = _loss(pen, tree)
    said: Tree = {"loss": kind} if kind != "mse" or pen.coin() else {}
    if kind == "binary_cross_entropy":
        return said | {"targets": pen.matrix(n, width, "0", "1", "0.25")}
    if kind == "mse" and pen.coin():
        said["reduction"] = pen.choice("mean", "mean_of_rows", "sum", "half_sum")
    if kind == "mse":
        return said | {"targets": pen.matrix(n, width)}
    if pen.coin(3) and "probabilities" not in tree:
        said["label_smoothing"] = pen.choice("0.1", "0.25")
    if "probabilities" not in tree and pen.coin(5):
        shares = [f"{1 / 2 ** min(j + 1, width - 1)}" for j in range(width)]
        return said | {"targets": [shares if width > 1 else ["1"] for _ in range(n)]}
    said["targets"] = [pen.choice(*end.classes) for _ in range(n)]
    if n > 1 and IGNORED not in end.classes and pen.coin(3):
        said |= {"ignored_target": IGNORED}
        said["targets"][pen.size(0, n - 1)] = IGNORED
    return said


def _loss(pen: Pen, tree: Tree) -> str:
    """What the end of a model can be compared by."""
    last = tree.get("layers", [tree])[-1]
    if "unembedding" in tree or "probabilities" in tree or "logits" in tree:
        return "cross_entropy"
    if "W_ya" not in last or pen.coin(4):
        return "mse"
    ends = {"sigmoid": "binary_cross_entropy", "softmax": "cross_entropy", "none": "mse"}
    return ends[last.get("readout", "sigmoid")]


def _with_more(transformer: Callable[[Pen], Tree]) -> Callable[[Pen], Tree]:
    """A Transformer with what is rare among them: sinks, a multiplier for each sublayer."""

    def draw(pen: Pen) -> Tree:
        tree = transformer(pen)
        for record in tree.get("layers", [tree]):
            heads = record.get("heads", tree.get("heads", 1))
            count = len(heads) if isinstance(heads, list) else int(heads)
            if pen.coin(6):
                record["sinks"] = pen.cells(count)
            if "block" in {**tree, **record} and "encoder" not in tree and pen.coin(6):
                count = 1 + ("cross" in record) + bool({"W1", "experts"} & record.keys())
                record["residual_scale"] = pen.cells(count, "0.5", "2", "0.22")
        return _with_defaults(pen, tree)

    return draw


def _with_defaults(pen: Pen, tree: Tree) -> Tree:
    """What would hold if nothing were said, said now and then."""
    if pen.coin():
        return tree
    record = pen.choice(tree, *tree.get("layers", []))
    for key, word in _DEFAULTS.items():
        if key not in tree and key not in record:
            record[key] = word
    record.get("qk_norm", {}).setdefault("when", "before")
    record.get("qk_norm", {}).setdefault("heads", "each")
    return tree if "embeddings" not in tree else {"embedding_scale": "none"} | tree


def _cells(pen: Pen) -> Tree:
    """Recurrent layers, perhaps with logits, a norm or a layer of attention after them."""
    tree = recurrent(pen)
    last = tree["layers"][-1]
    for layer in tree["layers"]:
        gates = _GATES.get(layer["cell"], ())
        if gates and layer["weights_layout"] == "torch" and pen.coin():
            layer["gate_order"] = pen.choice(gates, gates[::-1])
    if "W_ya" in last or pen.coin():
        return tree
    width = _states_of(last)
    if pen.coin():
        tree["layers"].append(_encoder_layer(pen, width))
    words = list(tree["embeddings"])
    return tree | {"unembedding": pen.matrix(width, len(words)), "final_norm": {}}


def _states_of(layer: Tree) -> int:
    """How wide the states of a layer are."""
    if layer["weights_layout"] == "torch":
        h = len(layer["W_hh"][0])
    else:
        h = len(next(rows for key, rows in layer.items() if key in ("W_aa", "W_ua")))
    return 2 * h if layer["direction"] == "both" else h


def _encoder_layer(pen: Pen, d: int) -> Tree:
    record: Tree = {f"W_{name}": pen.matrix(d, d) for name in "QKVO"}
    record |= {"W1": pen.matrix(d, 2), "W2": pen.matrix(2, d), "b2": pen.cells(d)}
    return record | {"block": "encoder", "activation": pen.choice(*ACTIVATIONS)}


def _head(pen: Pen) -> Tree:
    """A head that starts in its middle."""
    tree = started(pen)
    while "V" not in tree and not {"X", "output"} & tree.keys():
        tree = started(pen)
    return {"scale": "none"} | tree if {"scores", "scaled"} & tree.keys() else tree


def _turned(pen: Pen) -> Tree:
    """Rotary positions of every sort, of rows that Q, K and V are made of each."""
    n, m, d, pairs = pen.size(1, 3), pen.size(1, 4), pen.size(1, 3), pen.size(1, 2)
    rows = {"queries": n, "keys": m, "values": m} if pen.coin() else {"X": n}
    tree: Tree = {name: pen.matrix(count, d) for name, count in rows.items()}
    d_k = 4
    tree |= {f"W_{name}": pen.matrix(d, d_k) for name in "QK"} | {"W_V": pen.matrix(d, 2)}
    rope: Tree = {"kind": "rope"} | pen.some(
        2, pairs=("half", "interleaved"), start=("1", "2"), dimensions=("2", "4")
    )
    if pen.coin():
        tree["rope"] = pen.choice("none", {"base": "50"}, {"dimensions": "2"})
    elif pen.coin(3):
        pairs = int(rope.get("dimensions", d_k)) // 2
        rope |= {key: pen.matrix(max(n, m) + 2, pairs) for key in ("cos", "sin")}
    else:
        rope["scaling"] = _scaling(pen, rope)
    return {"block": "attention", **tree, "positions": rope}


def _scaling(pen: Pen, rope: Tree) -> Tree:
    kinds = ["linear", "llama3", "llama3", "yarn"] + (
        [] if rope.get("dimensions") == "2" else ["ntk", "dynamic"]
    )
    tree: Tree = {"kind": pen.choice(*kinds), "factor": pen.choice("2", "4")}
    if tree["kind"] in ("dynamic", "llama3", "yarn"):
        tree["original_length"] = pen.choice("2", "64")
    if tree["kind"] == "yarn":
        tree |= pen.some(2, truncate=("true", "false"), attention_factor=("1.5",), beta_fast=("8",))
        tree |= pen.some(2, beta_slow=("0.5",))
    if tree["kind"] == "llama3":
        tree |= pen.some(2, low_freq_factor=("0.5",), high_freq_factor=("2", "8"))
    return tree


def _picture(pen: Pen) -> Tree:
    """Patches, a layer, and the class of the first row."""
    n, pixels, d = pen.size(1, 4), pen.size(1, 4), pen.choice(2, 3)
    labels = ["cat", "dog", "owl"][: pen.size(2, 3)]
    tree: Tree = {"patches": pen.matrix(n, pixels), "W_patch": pen.matrix(pixels, d)}
    if pen.coin():
        tree["b_patch"] = pen.cells(d)
    if pen.coin():
        tree["class_token"] = pen.cells(d)
        n += 1
    if pen.coin():
        tree["positions"] = pen.matrix(n, d)
    if pen.coin(3):
        tree["embedding_norm"] = {"gamma": pen.cells(d)}
    tree |= {"layers": [_encoder_layer(pen, d)], "labels": labels}
    tree |= {"unembedding": pen.matrix(d, len(labels))}
    tree |= pen.some(2, predict_from=("first", "last", "every"))
    if pen.coin():
        tree["head"] = {"W": pen.matrix(d, d), "activation": pen.choice("tanh", "gelu")}
    return tree


def _one_hot(pen: Pen) -> Tree:
    """A head over tokens without vectors of their own."""
    words = ["a", "b", "c"][: pen.size(1, 3)]
    tokens = pen.tokens(1, 4, known=tuple(words))
    d = len(set(tokens))
    projections: Tree = {f"W_{name}": pen.matrix(d, 2) for name in "QKV"}
    return {"tokens": tokens, "embeddings": "one_hot", **projections}


def _network(pen: Pen) -> Tree:
    """A feed-forward network, a norm or an activation by itself."""
    X, d = pen.matrix(pen.size(1, 3), 3), 3
    kind = pen.choice(*ACTIVATIONS)
    norm: Tree = {"kind": pen.choice("rms", "layer"), "gamma": pen.cells(d), "beta": pen.cells(d)}
    parts: tuple[Tree, ...] = (
        {"W1": pen.matrix(d, 2), "W2": pen.matrix(2, 2), "activation": kind},
        {"activation": kind},
        {"norm1": norm},
    )
    return {"X": X, **pen.choice(*parts)}


def _given(pen: Pen) -> Tree:
    """Logits, or probabilities."""
    n, v = pen.size(1, 4), pen.size(2, 4)
    if pen.coin():
        return {"logits": pen.matrix(n, v)}
    return {"probabilities": [["0.5", *[f"{0.5 / (v - 1)}"] * (v - 1)] for _ in range(n)]}


def _hiding(pen: Pen) -> Tree:
    """A head with masks and dropout as true and false, or with learned numbers for distances."""
    n, d = pen.size(1, 4), pen.size(1, 3)
    tree: Tree = {"X": pen.matrix(n, d)} | {f"W_{name}": pen.matrix(d, 2) for name in "QKV"}
    hidden = pen.choice("true", "1")
    table = pen.table(n, n, seen=("false",), hidden=hidden)
    opposite = pen.table(n, n, seen=("true",), hidden="false")
    tree["mask"] = pen.choice(
        "none", {"causal": "bottom-right"}, {"blocked": table}, {"allowed": opposite}
    )
    kept = pen.matrix(n, n, "true", "false")
    if pen.coin(3):
        tree["dropout"] = {"p": "0.25", "mask": kept}
    if pen.coin():
        relative: Tree = {"kind": "relative", "table": pen.matrix(4, 1)}
        relative |= pen.some(2, max_distance=("4",), bidirectional=("true", "false"))
        tree |= {"heads": 1, "positions": relative}
    return tree


_PARTS: tuple[Callable[[Pen], Tree], ...] = (
    _head, _head, _turned, _turned, _picture, _one_hot, _network, _given, _hiding,
)  # fmt: skip
