"""Draws tokenizers of every kind, learned and given, sometimes with a head behind them."""

from __future__ import annotations

from typing import Any

from tests.drawing.pen import Pen, Tree

_LETTERS = ("a", "b", "c", "d", "e", "é", "猫", "-", ".")
_SETTINGS: dict[str, dict[str, tuple[Any, ...]]] = {
    "word": {"min_count": ("1", "2"), "special": (["[PAD]"],)},
    "bpe": {
        "marks": ("none", "</w>", "##", "▁", "Ġ"),
        "min_count": ("1", "2"),
        "ties": ("ids", "first"),
        "cut": ("whitespace", "bert", "bert_cased"),
        "special": (["<s>"],),
    },
    "wordpiece": {
        "score": ("likelihood", "count"),
        "min_count": ("1", "2"),
        "ties": ("ids", "first"),
        "cut": ("whitespace", "bert", "bert_cased"),
        "special": (["x"], []),
    },
    "unigram": {
        "min_count": ("1", "2", "3"),
        "share": ("0.1", "0.5", "1"),
        "longest": ("1", "3", "16"),
        "whole": ("true", "false"),
        "byte_fallback": ("true",),
        "unknown": ("?",),
    },
    "sentencepiece": {
        "min_count": ("1", "2"),
        "share": ("0.25", "0.5"),
        "normalize": ("none", "nfkc", "nmt_nfkc"),
        "extra_spaces": ("removed", "kept"),
        "model": ("unigram", "bpe"),
    },
}


def tokenizing(pen: Pen) -> Tree:
    """A scenario of a tokenizer without its rounding."""
    kind = pen.choice("whitespace", "character", *_SETTINGS)
    letters = _LETTERS[: pen.size(2, len(_LETTERS))]
    tree: Tree = {"tokenizer": kind}
    if kind in _SETTINGS:
        tree["tokenizer"] = {"kind": kind, **_settings(pen, kind)}
        tree |= _known(pen, kind, letters)
    tree["sentence"] = _text(pen, letters)
    if pen.coin(4):
        tree |= {"embeddings": "one_hot", "projection": "none", "block": "attention"}
    return tree


def _settings(pen: Pen, kind: str) -> Tree:
    data = {key: pen.choice(*values) for key, values in _SETTINGS[kind].items() if pen.coin(3)}
    if data.get("marks") in {"▁", "Ġ"}:  # words begin with their spaces
        data.pop("cut", None)
    return data | ({"unknown": "?"} if kind in {"word", "bpe"} else {})


def _known(pen: Pen, kind: str, letters: tuple[str, ...]) -> Tree:
    """What the tokenizer is learned from, or what it has."""
    if kind == "unigram" and pen.coin(4):
        pieces = [*letters, *(_word(pen, letters) for _ in range(4))]
        return {"pieces": {piece: f"-{pen.size(1, 9)}.{pen.size(0, 99):02}" for piece in pieces}}
    if kind == "bpe" and pen.coin(4):
        return {"merges": [pen.several(2, 2, letters) for _ in range(pen.size(1, 3))]}
    if kind == "wordpiece" and pen.coin(4):
        words = ["[UNK]", *letters, *(f"##{letter}" for letter in letters), _word(pen, letters)]
        return {"vocabulary": {word: i for i, word in enumerate(dict.fromkeys(words))}}
    texts = [_text(pen, letters) for _ in range(pen.size(1, 3))]
    counted = {text: pen.size(1, 9) for text in texts}
    corpus = pen.choice(texts, texts[0], counted)
    return {"corpus": corpus, "vocabulary_size": pen.size(20, 50) + pen.choice(0, 0, 0, 259)}


def _text(pen: Pen, letters: tuple[str, ...]) -> str:
    words = [_word(pen, letters) for _ in range(pen.size(1, 4))]
    return " ".join(pen.several(1, 8, words))


def _word(pen: Pen, letters: tuple[str, ...]) -> str:
    return "".join(pen.several(1, 5, letters))
