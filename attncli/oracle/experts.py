"""A mixture of experts (Shazeer et al. 2017, arXiv:1701.06538): Σ_e G(x)_e E_e(x)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attncli.oracle.attention import softmax
from attncli.oracle.book import Book, Record
from attncli.oracle.matrices import linear, weight
from attncli.oracle.numerals import Numbers, apply, where

Network = Callable[[Book, Record, Numbers], Numbers | None]
_OWN = ("W1", "W2", "W3", "b1", "b2", "b3")


def mixture(book: Book, record: Record, x: Numbers, network: Network) -> Numbers | None:
    """What the experts make of each row, by its weights for them, and the shared expert."""
    experts = record["experts"]
    G = _routing(book, {**record, **record["router"]}, x, len(experts))
    shared = {key: value for key, value in record.items() if key not in _OWN}
    made: list[Numbers | None] = []
    for e, expert in enumerate(experts):
        at = book.at(f"experts[{e + 1}]")
        own = at.copy("share", G[:, e : e + 1], step="route")
        y = network(at, {**shared, **expert}, x)
        made.append(None if y is None else own * y)
    if "shared_expert" in record:
        expert = {**shared, **record["shared_expert"]}
        made.append(_shared(book.at("shared_expert"), expert, x, network))
    whole = [one for one in made if one is not None]
    if len(whole) < len(made):
        return None
    return book.keep("mixture", sum(whole[1:], whole[0]))


def _shared(book: Book, record: Record, x: Numbers, network: Network) -> Numbers | None:
    """E(x), or σ(x W_G) E(x) (Qwen2-MoE, arXiv:2407.10671)."""
    y = network(book, record, x)
    if "W_G" not in record:
        return y
    logit = book.keep("gate_logit", x @ weight(book, record, "W_G", x.shape[1], 1))
    gate = book.keep("gate", apply("sigmoid", logit))
    return None if y is None else gate * y


def _routing(book: Book, record: Record, x: Numbers, count: int) -> Numbers:
    """Each row's weights for the experts, 0 for those that it doesn't go to."""
    k = int(record.get("top_k", 2))
    logits = book.keep("router.affinity", linear(book, record, ("W_R", "b_R"), x, count))
    if record.get("softmax", "chosen") == "chosen":
        chosen = _largest(book, logits, k)
        kept = where(chosen != 0, logits, book.number("-inf"))
        kept = book.copy("router.chosen_affinity", kept)
        return softmax(book, kept, "router.", "routing")
    p = softmax(book, logits, "router.", "router.probabilities")
    chosen = _largest(book, p, k)
    if str(record.get("renormalize")).lower() != "true":
        return book.keep("routing", p * chosen)
    total = book.keep("router.chosen_sum", (p * chosen).sum(axis=1, keepdims=True))
    return book.keep("routing", p * chosen / total)


def _largest(book: Book, rows: Numbers, k: int) -> Numbers:
    """1 for the k largest of each row, the first of equal ones, else 0."""
    order = [sorted(range(len(row)), key=lambda e, row=row: (-row[e], e))[:k] for row in rows]  # type: ignore[misc]
    chosen = np.array([[int(e in one) for e in range(rows.shape[1])] for one in order])
    return book.copy("router.chosen", book.numbers(chosen))
