"""A mixture of experts (Shazeer et al. 2017, arXiv:1701.06538): Σ_e G(x)_e E_e(x)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.oracle import slopes
from tests.oracle.activations import activated
from tests.oracle.book import Book, Record
from tests.oracle.matrices import linear, times
from tests.oracle.numerals import Numbers, where
from tests.oracle.softmax import softmax
from tests.oracle.tape import Back, Backs

Network = Callable[[Book, Record, Numbers], Numbers | None]
_OWN = ("W1", "W2", "W3", "b1", "b2", "b3")


def mixture(book: Book, record: Record, x: Numbers, network: Network) -> Numbers | None:
    """What the experts make of each row, by its weights for them, and the shared expert."""
    experts = record["experts"]
    G = _routing(book, {**record, **record["router"]}, x, len(experts))
    shared = {key: value for key, value in record.items() if key not in _OWN}
    made: list[tuple[Numbers | None, Numbers | None]] = []
    for e, expert in enumerate(experts):
        at = book.at(f"experts[{e + 1}]")
        back = slopes.taken_columns(G, e, e + 1)
        own = at.copy("share", G[:, e : e + 1], [(G, back)], step="route")
        made.append((own, network(at, {**shared, **expert}, x)))
    if "shared_expert" in record:
        expert = {**shared, **record["shared_expert"]}
        made.append(_shared(book.at("shared_expert"), expert, x, network))
    terms: list[Numbers] = []
    backs: list[tuple[Numbers, Back]] = []
    for share, y in made:
        if y is None:
            return None
        terms.append(y if share is None else share * y)
        backs += [(y, slopes.same)] if share is None else _shared_out(share, y)
    return book.keep("mixture", sum(terms[1:], terms[0]), backs)


def _shared_out(share: Numbers, y: Numbers) -> Backs:
    """share[i] y[i, j]: ∂y = G share, ∂share = Σ_j G y."""
    return [(y, slopes.multiplied(share)), (share, lambda G: slopes.over_columns(G * y))]


def _shared(
    book: Book, record: Record, x: Numbers, network: Network
) -> tuple[Numbers | None, Numbers | None]:
    """E(x), with σ(x W_G) if it has a gate (Qwen2-MoE, arXiv:2407.10671)."""
    y = network(book, record, x)
    if "W_G" not in record:
        return None, y
    logit = book.keep("gate_logit", *times(book, record, "W_G", x, 1))
    return activated(book, "gate", "sigmoid", logit), y


def _routing(book: Book, record: Record, x: Numbers, count: int) -> Numbers:
    """Each row's weights for the experts, 0 for those that it doesn't go to."""
    k = int(record.get("top_k", 2))
    logits = book.keep("router.affinity", *linear(book, record, ("W_R", "b_R"), x, count))
    if record.get("softmax", "chosen") == "chosen":
        chosen = _largest(book, logits, k)
        kept = where(chosen != 0, logits, book.number("-inf"))
        backs = [(logits, slopes.multiplied(chosen))]
        kept = book.copy("router.chosen_affinity", kept, backs)
        return softmax(book, kept, "router.", "routing")
    p = softmax(book, logits, "router.", "router.probabilities")
    chosen = _largest(book, p, k)
    if str(record.get("renormalize")).lower() != "true":
        return book.keep("routing", p * chosen, [(p, slopes.multiplied(chosen))])
    total = (p * chosen).sum(axis=1, keepdims=True)
    total = book.keep("router.chosen_sum", total, [(p, slopes.multiplied(chosen))])
    share = (p, lambda G: G * chosen / total)
    whole = (total, lambda G: -slopes.over_columns(G * chosen * p) / (total * total))
    return book.keep("routing", p * chosen / total, [share, whole])


def _largest(book: Book, rows: Numbers, k: int) -> Numbers:
    """1 for the k largest of each row, the first of equal ones, else 0."""
    order = [sorted(range(len(row)), key=lambda e, row=row: (-row[e], e))[:k] for row in rows]  # type: ignore[misc]
    chosen = np.array([[int(e in n) for e in range(rows.shape[1])] for n in order])
    return book.copy("router.chosen", book.numbers(chosen))
