"""Scenarios that grow in one dimension: tokens, layers, times, letters and the like."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

_UNIT = "[[1, 0], [0, 1]]"
_WEIGHTS = f"W_Q: {_UNIT}\nW_K: {_UNIT}\nW_V: {_UNIT}\n"
_TABLE = "embeddings: {a: [1, 0], b: [0, 1]}\n"
_LAYER = "{" + _WEIGHTS.strip().replace("\n", ", ") + "}"


def _listed(names: list[str]) -> str:
    return f"tokens: [{', '.join(names)}]\n"


def _tokens(n: int) -> str:
    rows = ", ".join(f"t{i}: [1, {i % 7}]" for i in range(n))
    return _listed([f"t{i}" for i in range(n)]) + f"embeddings: {{{rows}}}\n{_WEIGHTS}"


def _equal(n: int) -> str:
    return _listed(["a"] * n) + _TABLE + _WEIGHTS


def _layers(n: int) -> str:
    return f"sentence: a b\n{_TABLE}layers:\n- &l {_LAYER}\n" + "- *l\n" * (n - 1)


def _blocks(n: int) -> str:
    layer = f"{_LAYER[:-1]}, W1: {_UNIT}, W2: {_UNIT}}}"
    table = "vocabulary: {a: 0, b: 1}\nembeddings: [[1, 0], [0, 1]]\n"
    stack = f"block: decoder\nlayers:\n- &l {layer}\n" + "- *l\n" * 20
    return f"sentence: a b\n{table}{stack}unembedding: tied\ngenerate: {n}\n"


def _times(n: int) -> str:
    cell = f"cell: rnn\nW_ax: {_UNIT}\nW_aa: [[0.1, 0.2], [0.3, 0.1]]\n"
    return _listed(["a", "b"] * (n // 2)) + _TABLE + cell


def _gates(n: int) -> str:
    gates = [f"W_{gate}{of}: {_UNIT}" for gate in "ufco" for of in "xa"]
    backward = "backward: {" + ", ".join(gates) + "}\n"
    cell = "cell: lstm\ndirection: both\n" + "\n".join(gates) + "\n"
    return _listed(["a", "b"] * (n // 2)) + _TABLE + cell + backward


def _variants(n: int) -> str:
    text = "".join(f"  v{i}: {{scale: none}}\n" for i in range(n))
    return f"sentence: a b\n{_TABLE}{_WEIGHTS}variants:\n{text}"


def _vocabulary(n: int) -> str:
    ids = ", ".join(f"t{i}: {i}" for i in range(n))
    random_table = "embeddings: {random: normal, seed: 1}\nd_model: 2\n"
    return f"sentence: t0 t1\nvocabulary: {{{ids}}}\n{random_table}{_WEIGHTS}"


def _letters(n: int, seed: int = 1) -> str:
    chance = random.Random(seed)
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(n))


def _learned(kind: str) -> Callable[[int], str]:
    def scenario(n: int) -> str:
        word = _letters(n)
        size = f"tokenizer: {kind}\nvocabulary_size: 60\n"
        return f"sentence: {word}\ncorpus: {word}\n{size}"

    return scenario


def _pieces(n: int) -> str:
    pieces = f"{{<unk>: 0, {'a' * min(n, 1000)}: -1, a: -2, b: -3}}"
    return f"sentence: {'a' * n} b\ntokenizer: unigram\npieces: {pieces}\n"


def _nested_pieces(n: int) -> str:
    pieces = ", ".join(f"{'a' * k}: -{k}" for k in range(1, 250))
    return f"sentence: {'a' * n}\ntokenizer: unigram\npieces: {{<unk>: 0, {pieces}}}\n"


def _characters(n: int) -> str:
    return f"sentence: {_letters(n)}\ntokenizer: character\n"


GROWING: Mapping[str, Callable[[int], str]] = {
    "tokens": _tokens,
    "equal tokens": _equal,
    "layers": _layers,
    "generated tokens": _blocks,
    "times": _times,
    "gates": _gates,
    "variants": _variants,
    "vocabulary": _vocabulary,
    "characters": _characters,
    "letters of a piece": _pieces,
    "ways to cut a word": _nested_pieces,
    "letters, bpe": _learned("bpe"),
    "letters, wordpiece": _learned("wordpiece"),
    "letters, unigram": _learned("unigram"),
}
"""The text of a scenario that is so long in one dimension."""
