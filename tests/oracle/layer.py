"""A layer: sublayers with residuals and norms, and the feed-forward network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.oracle.attention import Inputs, attention
from tests.oracle.figures import Book
from tests.oracle.matrices import Record, linear, matrix

SETTINGS = (
    "block", "norm", "norms", "residuals", "activation", "heads", "kv_heads", "d_k", "d_v", "d_ff",
    "projection", "weights_layout", "scale", "softcap", "temperature", "mask", "mask_value",
)  # fmt: skip
_CROSS = (
    "heads", "kv_heads", "d_k", "d_v", "projection", "weights_layout", "scale", "softcap",
    "temperature", "mask_value",
)  # fmt: skip


@dataclass(frozen=True)
class Memory:
    """What cross-attention looks at: rows [m, d_memory] and their names."""

    rows: Any
    names: list[str]


def settings(record: Record, names: tuple[str, ...]) -> dict[str, Any]:
    """What a record says that holds for what is inside it; matrices of heads stay where they are."""
    held = {name: record[name] for name in names if name in record}
    if isinstance(held.get("heads"), list):
        del held["heads"]
    return held


def layer(book: Book, record: Record, inputs: Inputs, memory: Memory | None) -> Any | None:
    """A whole layer's output, [n, d_model]."""
    block = record.get("block", "attention")
    if block == "attention":
        merged = attention(book, record, inputs)
        if merged is None or not {"W1", "W2"} & record.keys():
            return merged
        return feed_forward(book, record, merged)

    def attend(x: Any) -> Any:
        causal = block == "decoder"
        return attention(book, record, replace(inputs, queries=x, keys=x, values=x, causal=causal))

    def cross(x: Any) -> Any:
        assert memory is not None
        place = {**settings(record, _CROSS), **record["cross"]}
        return attention(book.at("cross"), place, Inputs(x, memory.rows, memory.rows, memory.names))

    sublayers: list[Callable[[Any], Any]] = [attend]
    if block == "decoder" and memory is not None:
        sublayers.append(cross)
    if "W1" in record:
        sublayers.append(lambda x: feed_forward(book, record, x))
    x = inputs.queries
    for number, sublayer in enumerate(sublayers, 1):
        x = _sublayer(book, record, number, sublayer, x)
    return x


def _sublayer(
    book: Book, record: Record, number: int, sublayer: Callable[[Any], Any], x: Any
) -> Any:
    """Post: norm(x + sublayer(x)); pre: x + sublayer(norm(x)) (Xiong et al., 2020)."""
    place = record.get("norm", "post")
    own = {**record.get("norms", {}), **(record.get(f"norm{number}") or {})}
    y = sublayer(norm(book.at(f"norm{number}"), own, x) if place == "pre" else x)
    if str(record.get("residuals", "true")).lower() == "true":
        y = book.keep(f"residual{number}", x + y)
    return norm(book.at(f"norm{number}"), own, y) if place == "post" else y


def norm(book: Book, record: Record, x: Any) -> Any:
    """The norm of each row, written down as `normed`."""
    return book.keep("normed", normed(book, record, x))


def normed(book: Book, record: Record, x: Any) -> Any:
    """Layer norm (Ba et al., 2016) or RMS norm (Zhang and Sennrich, 2019) of each row."""
    n = x.shape[1]
    epsilon = book.number(record.get("epsilon", "0.00001"))
    if record.get("kind", "layer") == "rms":
        mean_square = book.keep("mean_square", (x * x).sum(axis=1, keepdims=True) / n)
        divisor = book.keep("rms", book.apply("sqrt", mean_square + epsilon))
        centered = x
    else:
        mean = book.keep("mean", x.sum(axis=1, keepdims=True) / n)
        centered = book.keep("centered", x - mean)
        over = n - 1 if record.get("over", "n") == "n-1" else n
        squares = (centered * centered).sum(axis=1, keepdims=True)
        variance = book.keep("variance", squares / over)
        if record.get("epsilon_in", "root") == "root":
            deviation = book.apply("sqrt", variance + epsilon)
        else:
            deviation = book.apply("sqrt", variance) + epsilon
        divisor = book.keep("deviation", deviation)
    result = centered / divisor
    if "gamma" in record:
        result = result * matrix(book, record["gamma"], (1, n))
    if "beta" in record:
        result = result + matrix(book, record["beta"], (1, n))
    return result


def feed_forward(book: Book, record: Record, x: Any) -> Any:
    """activation(x W1 + b1) W2 + b2; gated: (silu(x W1 + b1) × (x W3 + b3)) W2 + b2 (Shazeer)."""
    d_model = x.shape[1]
    d_ff = int(record.get("d_ff", 4 * d_model))
    kind = str(record.get("activation", "relu"))
    gates = {"swiglu": "silu", "geglu": "gelu"}
    a = book.keep("hidden", linear(book, record, ("W1", "b1"), x, d_ff))
    if kind != "none":
        a = book.keep("activated", book.apply(gates.get(kind, kind), a))
    if kind in gates:
        up = book.keep("up", linear(book, record, ("W3", "b3"), x, d_ff))
        a = book.keep("gated", a * up)
    return book.keep("ffn", linear(book, record, ("W2", "b2"), a, d_model))
