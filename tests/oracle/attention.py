"""Attention: projections, heads, scores, softmax (Vaswani et al. 2017, arXiv:1706.03762, 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tests.oracle import masks, qk_norm, slopes
from tests.oracle.book import Book, Record
from tests.oracle.matrices import linear, matrix
from tests.oracle.numerals import Number, Numbers, apply, where
from tests.oracle.positions import alibi, frequencies, relative, rotated
from tests.oracle.softmax import softmax
from tests.oracle.tape import Backs
from tests.oracle.text import names_of


@dataclass(frozen=True)
class Inputs:
    """What attention works on: the rows [n, d] that Q, K and V are made of, the keys' names, the
    positions' kinds."""

    rows: Mapping[str, Numbers | None]
    key_names: list[str]
    rope: Record | None = None
    alibi: Record | None = None
    relative: Record | None = None
    causal: bool = False

    def of(self, x: Numbers | None, fixed: Mapping[str, Numbers]) -> Inputs:
        """The same for what flows in, but for the rows that come from elsewhere."""
        return replace(self, rows={name: fixed.get(name, x) for name in "QKV"})


@dataclass(frozen=True)
class _Head:
    """One head's queries, keys and values, and which of how many it is."""

    Q: Numbers | None
    K: Numbers | None
    V: Numbers | None
    place: tuple[int, int] = (0, 1)


def attention(book: Book, record: Record, inputs: Inputs) -> Numbers | None:
    """[n, d_model], or None where the scenario gives too little to get so far."""
    cached = [str(token) for token in record.get("cache", {}).get("tokens", [])]
    named = (names_of(data.get("K")) for data in (record, *_heads(record)))
    own = next(filter(None, named), None)
    inputs = replace(inputs, key_names=own or cached + inputs.key_names)
    found = (_own if _are_own(record) else _split)(book, record, inputs)
    outputs = [output for output in found if output is not None]
    if str(record.get("average_heads")).lower() == "true" and outputs:
        _average(book, record, len(found))
    if len(outputs) < len(found):
        return None
    merged = outputs[0]
    if len(outputs) > 1:
        merged = book.copy("concat", np.hstack(outputs), slopes.side_by_side(outputs))
    if "W_O" not in record:
        return merged
    d_model = _width(inputs.rows["Q"])
    return book.keep("attention", *linear(book, record, ("W_O", "b_O"), merged, d_model))


def _average(book: Book, record: Record, count: int) -> None:
    """The mean of the weights that values are multiplied by."""
    name = "dropped" if "dropout" in record else "key_weights" if "sinks" in record else "weights"
    heads = [f"heads[{j + 1}]." for j in range(count)] if count > 1 else [""]
    pages = [book.pages[f"{book.path}{head}{name}"] for head in heads]
    book.keep("mean_weights", sum(pages[1:], pages[0]) / count)


def _heads(record: Record) -> list[Record]:
    """What each head says of itself."""
    value = record.get("heads", 1)
    return value if isinstance(value, list) else [{}] * int(value)


def _are_own(record: Record) -> bool:
    """Whether heads have matrices of their own, rather than runs of the layer's columns."""
    heads = _heads(record)
    return len(heads) == 1 or any(set(head) - {"bias"} for head in heads)


def _own(book: Book, record: Record, inputs: Inputs) -> list[Numbers | None]:
    """Heads with matrices of their own; a single one has those of the layer."""
    outputs, heads = [], _heads(record)
    for j, head in enumerate(heads):
        place = book.at(f"heads[{j + 1}]") if len(heads) > 1 else book
        merged = {**record, **head}
        widths = _widths(record, inputs, len(heads), (1, 1))
        Q, K, V = (_projected(place, merged, name, inputs, widths[name]) for name in "QKV")
        outputs.append(_head(place, merged, _Head(Q, K, V, (j, len(heads))), inputs))
    return outputs


def _split(book: Book, record: Record, inputs: Inputs) -> list[Numbers | None]:
    """Heads that are runs of the columns of Q, K and V, a run of K and V for each group
    (Ainslie et al. 2023, arXiv:2305.13245)."""
    outputs, heads = [], _heads(record)
    count = len(heads)
    groups = int(record.get("kv_heads", count))
    widths = _widths(record, inputs, count, (count, groups))
    Q, K, V = (_projected(book, record, name, inputs, widths[name]) for name in "QKV")
    if qk_norm.is_together(record) and Q is not None and K is not None:
        Q, K = qk_norm.normed_pair(book, record, Q, K)
    for j, head in enumerate(heads):
        place, g = book.at(f"heads[{j + 1}]"), j * groups // count
        runs = (
            _run(place, "Q", Q, (j, count)),
            _run(place, "K", K, (g, groups)),
            _run(place, "V", V, (g, groups)),
        )
        outputs.append(_head(place, {**record, **head}, _Head(*runs, (j, count)), inputs))
    return outputs


def _run(book: Book, name: str, whole: Numbers | None, part: tuple[int, int]) -> Numbers | None:
    """One of so many equal runs of columns."""
    if whole is None:
        return None
    width = whole.shape[1] // part[1]
    start, end = part[0] * width, (part[0] + 1) * width
    back = slopes.taken_columns(whole, start, end)
    return book.copy(name, whole[:, start:end], [(whole, back)], step="split")


def _widths(record: Record, inputs: Inputs, heads: int, shares: tuple[int, int]) -> dict[str, int]:
    """The columns of Q, K and V, where only sizes tell them: d_k = d_v = d_model / heads."""
    usual = _width(inputs.rows["Q"]) // heads
    d_k, d_v = int(record.get("d_k", usual)), int(record.get("d_v", usual))
    return {"Q": d_k * shares[0], "K": d_k * shares[1], "V": d_v * shares[1]}


def _width(x: Numbers | None) -> int:
    return 0 if x is None else x.shape[1]


def _projected(book: Book, record: Record, name: str, inputs: Inputs, width: int) -> Numbers | None:
    """Q, K or V, the rows of a cache above the new ones; None where nothing gives them."""
    x = inputs.rows[name]
    if name in record:
        return book.copy(name, matrix(book, record[name]))
    if name != "V" and "weights" in record:  # nothing needs them
        return None
    cached = "cache" in record and name != "Q"
    made = f"{name}_new" if cached else name
    if x is not None and record.get("projection") == "none":
        new = book.copy(made, x, slopes.added(x))
    elif x is not None and f"W_{name}" in record:
        new = book.keep(made, *linear(book, record, (f"W_{name}", f"b_{name}"), x, width))
    else:
        return None
    if not cached:
        return new
    rows = [matrix(book, record["cache"][name]), new]
    return book.copy(name, np.vstack(rows), slopes.one_above_the_other(rows))


def _head(book: Book, record: Record, head: _Head, inputs: Inputs) -> Numbers | None:
    """One head's output: softmax(Q Kᵀ / √d_k + …) V."""
    if "output" in record:
        return book.copy("output", matrix(book, record["output"]))
    if "weights" in record:
        scores, weights = None, book.copy("weights", matrix(book, record["weights"]))
    else:
        scores = _masked(book, record, head, inputs)
        if scores is None:
            return None
        weights = _weights(book, record, head, inputs, scores)
    if "dropout" in record:  # Srivastava et al. 2014
        dropout = record["dropout"]
        kept = book.numbers(masks.truths(dropout["mask"]).astype(int))
        factor = kept / (1 - book.number(dropout.get("p", 0)))
        backs = [(weights, slopes.multiplied(factor))]
        weights = book.keep("dropped", weights * factor, backs)
    if head.V is None:
        return None
    output = book.keep("output", weights @ head.V, slopes.product(weights, head.V))
    if "online_softmax" in record and scores is not None:
        _in_blocks(book, int(record["online_softmax"]), scores, head.V, output)
    return output


def _weights(book: Book, record: Record, head: _Head, inputs: Inputs, scores: Numbers) -> Numbers:
    """What values are multiplied by: shares of 1, or the scores as they are."""
    if record.get("softmax") == "none":
        return _unbent(book, record, inputs, scores)
    weights = softmax(book, _with_sink(book, record, head, scores))
    if "sinks" not in record:
        return weights
    back = slopes.taken_columns(weights, 0, weights.shape[1] - 1)
    return book.copy("key_weights", weights[:, :-1], [(weights, back)])


def _unbent(book: Book, record: Record, inputs: Inputs, scores: Numbers) -> Numbers:
    """The scores as weights, and 0 where one is hidden (Schlag et al. 2021, arXiv:2102.11174)."""
    entries = masks.rules(record, causal=inputs.causal)
    seen = masks.seen(book, entries, inputs.key_names, scores.shape)
    back = slopes.multiplied(book.numbers(seen.astype(int)))
    return book.copy("weights", where(seen, scores, book.number(0)), [(scores, back)])


def _in_blocks(book: Book, size: int, scores: Numbers, V: Numbers, output: Numbers) -> None:
    """FlashAttention's loop over blocks of keys (Dao 2023, arXiv:2307.08691, algorithm 1)."""

    zero = book.number(0)

    def power(x: Numbers, m: Numbers) -> Numbers:
        seen = x > book.number("-inf")
        below = where(seen, np.broadcast_to(m, x.shape), zero)
        return where(seen, apply("exp", where(seen, x, zero) - below), zero)

    m = total = o = scores[:, :0]
    for k, start in enumerate(range(0, scores.shape[1], size), start=1):
        block = book.at(f"blocks[{k}]")
        x = block.copy("S", scores[:, start : start + size])
        v = block.copy("V", V[start : start + size])
        old, m = m, block.copy("m", np.hstack([m, x]).max(axis=1, keepdims=True))
        if not old.size:
            p = block.keep("exp", power(x, m))
            total, o = block.keep("l", p.sum(axis=1, keepdims=True)), block.keep("o", p @ v)
            continue
        f = block.keep("factor", power(old, m))
        p = block.keep("exp", power(x, m))
        total = block.keep("l", f * total + p.sum(axis=1, keepdims=True))
        o = block.keep("o", f * o + p @ v)
    book.keep("difference", book.keep("online_output", o / total) - output)


def _with_sink(book: Book, record: Record, head: _Head, scores: Numbers) -> Numbers:
    """The scores and a learned one that has no value (gpt-oss, arXiv:2508.10925)."""
    if "sinks" not in record:
        return scores
    sinks, h = matrix(book, record["sinks"]), head.place[0]

    def back(G: Numbers) -> Numbers:
        return slopes.taken_columns(sinks, h, h + 1)(slopes.over_tokens(G))

    column = sinks[:, h : h + 1].repeat(len(scores), axis=0)
    sink = book.copy("sink", column, [(sinks, back)])
    both = [scores, sink]
    return book.copy("with_sink", np.hstack(both), slopes.side_by_side(both))


def _masked(book: Book, record: Record, head: _Head, inputs: Inputs) -> Numbers | None:
    """The scores as the softmax gets them: scaled, capped, biased, tempered, masked."""
    x = _scaled(book, record, head, inputs)
    if x is None:
        return None
    x = _capped(book, record, "before_bias", x)
    if inputs.relative is not None:
        added = relative(book, inputs.relative, head.place, x.shape, causal=inputs.causal)
        x = book.keep("positioned", x + added, slopes.added(x, added))
    x = _biased(book, record, head, inputs, x)
    x = _capped(book, record, "after_bias", x)
    if "temperature" in record:
        t = book.number(record["temperature"])
        x = book.keep("tempered", x / t, [(x, slopes.divided(t))])
    entries = masks.rules(record, causal=inputs.causal)
    if entries:
        seen = masks.seen(book, entries, inputs.key_names, x.shape)
        mask = book.copy("mask", book.numbers(seen.astype(int)))
        instead = book.number(record.get("mask_value", "-inf"))
        x = book.copy("masked", where(seen, x, instead), [(x, slopes.multiplied(mask))])
    return _capped(book, record, "after_mask", x)


def _capped(book: Book, record: Record, now: str, x: Numbers) -> Numbers:
    """c tanh(x / c), if this is the moment; what is hidden comes to −c."""
    if "softcap" not in record or record.get("softcap_order", "before_bias") != now:
        return x
    cap = book.number(record["softcap"])
    hidden, zero = x == book.number("-inf"), book.number(0)
    bent = cap * apply("tanh", where(~hidden, x, zero) / cap)
    backs = [(x, slopes.capped(x, cap))]
    return book.keep("capped", where(~hidden, bent, -cap), backs)


def _scaled(book: Book, record: Record, head: _Head, inputs: Inputs) -> Numbers | None:
    if "scaled" in record:
        return book.copy("scaled", matrix(book, record["scaled"]))
    scores = _scores(book, record, head, inputs)
    scale = record.get("scale", "sqrt_d_k")
    if scores is None or scale == "none":
        return scores
    if scale != "sqrt_d_k":
        return _divided(book, scores, book.number(scale))
    d_k = _width(head.Q if head.K is None else head.K)
    return _divided(book, scores, book.printed_root(d_k)) if d_k else None


def _divided(book: Book, scores: Numbers, by: Number) -> Numbers:
    return book.keep("scaled", scores / by, [(scores, slopes.divided(by))])


def _scores(book: Book, record: Record, head: _Head, inputs: Inputs) -> Numbers | None:
    if "scores" in record:
        return book.copy("scores", matrix(book, record["scores"]))
    Q, K = head.Q, head.K
    if Q is None or K is None:
        return None
    if qk_norm.is_due(record, head.place[1], "before"):
        Q, K = qk_norm.normed_pair(book, record, Q, K)
    rope = _rope(record, inputs)
    if rope is not None:
        theta = frequencies(book, rope, K)
        cached = len(record.get("cache", {}).get("tokens", ()))  # queries come after these
        Q, K = (
            rotated(book, rope, "Q", Q, cached, theta),
            rotated(book, rope, "K", K, 0, theta),
        )
    if qk_norm.is_due(record, head.place[1], "after"):
        Q, K = qk_norm.normed_pair(book, record, Q, K)
    backs: Backs = [(Q, lambda G: G @ K), (K, lambda G: G.T @ Q)]
    return book.keep("scores", Q @ K.T, backs)


def _rope(record: Record, inputs: Inputs) -> Record | None:
    """How queries and keys are turned, as positions say, but for what is said here."""
    own = record.get("rope", {})
    if own == "none":
        return None
    left = dict(inputs.rope or {})
    other = {"cos": ("base", "scaling"), "base": ("cos", "sin"), "scaling": ("cos", "sin")}
    for key in (key for value in own for key in other.get(value, ())):
        left.pop(key, None)  # angles are made in one way
    return {**left, **own} or None


def _biased(book: Book, record: Record, head: _Head, inputs: Inputs, x: Numbers) -> Numbers:
    """The scores with biases and distances added, then each mask of numbers; −∞ hides later."""
    terms = []
    if inputs.alibi is not None:
        terms.append(book.keep("alibi", alibi(book, inputs.alibi, head.place, x.shape)))
    if "bias" in record:
        terms.append(matrix(book, record["bias"]))
    if terms:
        x = book.keep("biased", sum(terms, x), slopes.added(x, *terms))
    tables = masks.tables_added(book, masks.rules(record, causal=inputs.causal))
    for count, table in enumerate(tables, 1):
        x = book.keep("added" if count == 1 else f"added{count}", x + table, slopes.added(x))
    return x
