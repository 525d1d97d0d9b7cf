"""The tokens of a stack, their rows of the table and their columns of the logits."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tests.oracle.book import Book, Record
from tests.oracle.dictionary import CountedWords, counted, known
from tests.oracle.matrices import is_source, matrix
from tests.oracle.merges import learned
from tests.oracle.numerals import Numbers
from tests.oracle.pieces import pieces
from tests.oracle.saved import saved
from tests.oracle.unigram import tokens_of, unigram

_JOINER = "\u200d"
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
_SKIN = re.compile("[\U0001f3fb-\U0001f3ff]")


def with_lines(data: Record, folder: Path) -> Record:
    """A scenario with the lines of a corpus that is in a file of its own."""
    said, corpus = data.get("tokenizer"), data.get("corpus")
    if isinstance(said, Mapping) and "file" in said:
        text = (folder / str(said["file"])).read_text("utf-8")
        return {**data, **saved(text, str(data.get("sentence", "")))}
    if isinstance(corpus, Mapping) and not str(corpus.get("file", "0")).isdigit():
        lines = (folder / str(corpus["file"])).read_text("utf-8").splitlines()
        return {**data, "corpus": lines}
    return data


def tokens(data: Record) -> list[str]:
    """The tokens, given or cut from the sentence; or the names of the rows of X."""
    if "tokens" in data:
        return [str(token) for token in data["tokens"]]
    if "sentence" in data:
        merged = learned(data)
        if merged is not None:
            return pieces(merged, str(data["sentence"]))
        model = unigram(data)
        if model is not None:
            return tokens_of(data, model)
        words = _cut(str(data["sentence"]), _kind(data))
        whole = dictionary_of(data)
        return _known(data, words) if whole is None else known(whole, words)
    return names_of(data.get("X"))


def dictionary_of(data: Record) -> CountedWords | None:
    """The dictionary that a corpus of whole words makes."""
    return counted(data, _cut)


def names_of(rows: object) -> list[str]:
    """The names of rows that have some."""
    named = isinstance(rows, Mapping) and not is_source(rows)
    return [str(name) for name in rows] if named and isinstance(rows, Mapping) else []


def vocabulary(data: Record) -> dict[str, int]:
    """The IDs that the scenario gives, or else those of its tokenizer; none without."""
    made = learned(data) or unigram(data) or dictionary_of(data)
    record: Record = data.get("vocabulary") or ({} if made is None else made.vocabulary)
    return {str(token): int(value) for token, value in record.items()}


def identities(data: Record) -> dict[str, int]:
    """Each token's row of the embeddings, from 0.

    A map of vectors counts in its own order, whatever IDs the vocabulary gives; one-hot rows are in
    the order of the IDs, or without any of the tokens as they first appear.
    """
    table = data.get("embeddings")
    if isinstance(table, Mapping) and not is_source(table):
        return {str(token): row for row, token in enumerate(table)}
    if isinstance(table, str):
        ids = vocabulary(data)
        order = sorted(ids, key=ids.__getitem__) or dict.fromkeys(tokens(data))
        return {token: row for row, token in enumerate(order)}
    return vocabulary(data)


def embeddings(book: Book, data: Record, d_model: int) -> Numbers:
    """The table of embeddings, [v, d_model]; `one_hot` is the identity."""
    v = 1 + max(identities(data).values(), default=0)
    if isinstance(data["embeddings"], str):
        return book.numbers(np.eye(v, dtype=int))
    return matrix(book, data["embeddings"], (v, d_model))


def columns(data: Record, width: int | None = None) -> dict[str, int]:
    """Each token's column of `width` logits, from 0; that of each label, where there are some.

    Columns are counted by ID, with an unembedding that is tied by the rows of the table; IDs with
    gaps between them that leave just one column a token only order the tokens. Labels name them
    in their order.
    """
    if "labels" in data:
        return {str(label): place for place, label in enumerate(data["labels"])}
    tied = isinstance(data.get("unembedding"), str)
    given = {} if tied else data.get("vocabulary") or {}
    ids = {str(token): int(value) for token, value in given.items()} or identities(data)
    if width is not None and len(ids) == width <= max(ids.values(), default=0):
        ids = {token: place for place, token in enumerate(sorted(ids, key=ids.__getitem__))}
    return ids


def _kind(data: Record) -> str:
    value = data.get("tokenizer", "whitespace")
    return str(value["kind"] if isinstance(value, Mapping) else value)


def _known(data: Record, words: list[str]) -> list[str]:
    """The words; those that a vocabulary hasn't are the unknown token, if one is named."""
    said = data.get("tokenizer")
    unknown = said.get("unknown") if isinstance(said, Mapping) else None
    if unknown is None or "vocabulary" not in data:
        return words
    return [word if word in data["vocabulary"] else str(unknown) for word in words]


def _cut(sentence: str, tokenizer: str) -> list[str]:
    if tokenizer == "whitespace":
        return sentence.split()
    clusters = _clusters(sentence)
    return clusters if tokenizer == "character" else _words(clusters)


def _clusters(sentence: str) -> list[str]:
    """Characters as a reader sees them, in short: marks, joiners, skin tones and flags stay with
    what they belong to (Unicode, UAX 29)."""
    found: list[str] = []
    for text in sentence:
        if found and _belongs(found[-1], text):
            found[-1] += text
        else:
            found.append(text)
    return found


def _belongs(before: str, text: str) -> bool:
    if text == _JOINER or before[-1] == _JOINER:
        return not before[0].isspace()
    flag = len(before) == 1 and _FLAG.match(before) and _FLAG.match(text)
    return bool(flag or _SKIN.match(text) or unicodedata.category(text)[0] == "M")


def _words(clusters: list[str]) -> list[str]:
    """Runs of letters, digits and _, with apostrophes inside; else single signs."""
    kinds = ("w" if c[0].isalnum() or c[0] == "_" else "'" if c in "'’" else c for c in clusters)
    shape = "".join(" " if c.isspace() else c if c in ("w", "'") else "." for c in kinds)
    found = re.finditer(r"w+(?:'w+)*|[.']", shape)
    return ["".join(clusters[match.start() : match.end()]) for match in found]
