"""From the last layer to logits, the next token and the loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.attention import softmax
from tests.oracle.figures import Book
from tests.oracle.matrices import Record, is_source, matrix, weight


def predict(book: Book, data: Record, x: Any) -> None:
    """Logits of the last row or of every one, probabilities, losses."""
    if "unembedding" not in data:
        return
    if data.get("predict_from", "every" if "targets" in data else "last") == "last":
        x = book.copy("last", x[-1:])
    logits = book.keep("logits", _logits(book, data, x))
    sampling = data.get("next") or {}
    probabilities = _next(book, sampling, logits)
    if "targets" in data:
        if "temperature" in sampling or "top_k" in sampling:
            # the loss is of what the model says, not of how it is sampled
            probabilities = softmax(book, logits, "plain.", "plain.probabilities")
        _loss(book, data, probabilities)


def _logits(book: Book, data: Record, x: Any) -> Any:
    d_model, v = x.shape[1], 1 + max(identities(data).values(), default=0)
    if isinstance(data["unembedding"], str):  # tied: Press and Wolf, 2017
        W_U = matrix(book, data["embeddings"], (v, d_model)).T
    else:
        W_U = weight(book, data, "unembedding", d_model, v)
    bias = matrix(book, data["b_U"], (1, v)) if "b_U" in data else 0
    return x @ W_U + bias


def _next(book: Book, record: Record, x: Any) -> Any:
    """Temperature, the k largest logits, softmax, the nucleus (Holtzman et al., 2020)."""
    if "temperature" in record:
        x = book.keep("next.tempered", x / book.number(record["temperature"]))
    if "top_k" in record:
        kept = np.array([_first(row, int(record["top_k"])) for row in x])
        book.copy("next.kept", book.numbers(kept.astype(int)))
        x = book.copy("next.filtered", np.where(kept, x, book.number("-inf")))
    probabilities = softmax(book, x, "next.", "probabilities")
    if "top_p" in record:
        p = book.number(record["top_p"])
        nucleus = np.array([_first(row, _size(row, p)) for row in probabilities])
        table = book.copy("next.nucleus", book.numbers(nucleus.astype(int)))
        total = (probabilities * table).sum(axis=1, keepdims=True)
        total = book.keep("next.nucleus_sum", total)
        book.keep("next.renormalized", probabilities * table / total)
    return probabilities


def _order(row: Any) -> list[int]:
    """Positions from the largest figure down; among equals the first comes first."""
    return sorted(range(len(row)), key=lambda j: -row[j])


def _first(row: Any, k: int) -> list[bool]:
    best = set(_order(row)[:k])
    return [j in best for j in range(len(row))]


def _size(row: Any, p: Any) -> int:
    """How many of the largest it takes to reach p."""
    total = row[0] * 0
    for count, j in enumerate(_order(row), 1):
        total += row[j]
        if total >= p:
            return count
    return len(row)


def _loss(book: Book, data: Record, probabilities: Any) -> None:
    """−ln p of each row's target, their mean, and e to it."""
    ids = identities(data)
    p = [[row[ids[str(t)]]] for row, t in zip(probabilities, data["targets"], strict=True)]
    loss = book.keep("loss", -book.apply("log", np.array(p)))
    mean = loss.sum(axis=0, keepdims=True) / len(loss)
    book.keep("perplexity", book.apply("exp", book.keep("cross_entropy", mean)))


def identities(data: Record) -> dict[str, int]:
    """Each token's row of the embeddings and column of the logits, from 0.

    A map of vectors counts in its own order, whatever IDs the vocabulary gives.
    """
    table = data.get("embeddings")
    if isinstance(table, dict) and not is_source(table):
        return {str(token): row for row, token in enumerate(table)}
    return {str(token): int(row) for token, row in data.get("vocabulary", {}).items()}
