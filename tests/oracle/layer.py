"""A layer: sublayers with residuals and norms, and the feed-forward network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.oracle import slopes
from tests.oracle.activations import activated
from tests.oracle.attention import Inputs, attention
from tests.oracle.book import Book, Record
from tests.oracle.experts import mixture
from tests.oracle.matrices import linear
from tests.oracle.norms import norm
from tests.oracle.numerals import Numbers
from tests.oracle.recurrent import SETTINGS as RECURRENT
from tests.oracle.recurrent import recurrent

SETTINGS = (
    *RECURRENT,
    "block", "norm", "norms", "residuals", "activation", "heads", "kv_heads", "d_k", "d_v", "d_ff",
    "projection", "weights_layout", "scale", "softcap", "softcap_order", "qk_norm",
    "temperature", "mask", "mask_value", "gated", "clamp", "up_plus_one", "parallel", "rope", "residual_scale", "router",
    "average_heads", "softmax",
)  # fmt: skip
_CROSS = (
    "heads", "kv_heads", "d_k", "d_v", "projection", "weights_layout", "scale", "softcap",
    "softcap_order", "temperature", "mask_value", "softmax",
)  # fmt: skip
_OTHERS = {
    "W1", "W2", "W3", "b1", "b2", "b3", "norm", "norms", "norm1", "activation", "gated",
    "clamp", "up_plus_one", "final_norm", "head", "positions", "unembedding", "experts", "project_in", "project_out",
}  # fmt: skip
_ATTENTION = {
    "block", "heads", "kv_heads", "scale", "scaled", "scores", "mask", "mask_value", "bias",
    "softcap", "softcap_order", "temperature", "softmax", "weights", "dropout", "output", "cache",
    "projection", "qk_norm", "rope", "d_k", "d_v", "Q", "K", "V",
    *(f"{kind}_{name}" for kind in "Wb" for name in "QKVO"),
}  # fmt: skip
_GATES = {"swiglu": "silu", "geglu": "gelu"}

Sublayer = Callable[[Numbers | None], Numbers | None]


@dataclass(frozen=True)
class Memory:
    """What cross-attention looks at: rows [m, d_memory] and their names."""

    rows: Numbers
    names: list[str]

    @property
    def fixed(self) -> Mapping[str, Numbers]:
        """What keys and values are made of."""
        return {"K": self.rows, "V": self.rows}


@dataclass(frozen=True)
class Surroundings:
    """What a layer finds besides what flows in: inputs of its attention that come from
    elsewhere, and the memory of a decoder."""

    inputs: Inputs
    fixed: Mapping[str, Numbers]
    memory: Memory | None


def settings(record: Record, names: tuple[str, ...] = SETTINGS) -> dict[str, Any]:
    """What a record says that holds for what is inside it; matrices of heads stay there."""
    held = {name: record[name] for name in names if name in record}
    if isinstance(held.get("heads"), list):
        del held["heads"]
    return held


def layer(book: Book, record: Record, x: Numbers | None, around: Surroundings) -> Numbers | None:
    """A whole layer's output, [n, d_model]; None where the scenario doesn't get so far."""
    if "cell" in record:
        return recurrent(book, record, x)
    inputs, memory = around.inputs, around.memory
    attends = attends_to(record, around)
    sublayers: list[Sublayer] = []
    if attends:
        sublayers.append(lambda x: attention(book, record, inputs.of(x, around.fixed)))
    if record.get("block") == "decoder" and memory is not None:
        sublayers.append(lambda x: _cross(book, record, memory, x))
    if {"W1", "experts"} & record.keys() or (not attends and _is_activation(record)):
        sublayers.append(lambda x: _networks(book, record, x))
    if record.get("parallel", "none") != "none" and sublayers:
        return _side_by_side(book, record, sublayers, x)
    if not sublayers:
        return _norm_alone(book, record, x)
    for number, sublayer in enumerate(sublayers, 1):
        x = _sublayer(book, record, number, sublayer, x)
    return x


def attends_to(record: Record, around: Surroundings) -> bool:
    """Whether a layer has an attention: not where only a network, a norm or logits are said."""
    inputs = around.inputs
    if around.fixed or around.memory or inputs.rope is not None or inputs.alibi is not None:
        return True
    return not _OTHERS & record.keys() or bool(_ATTENTION & record.keys())


def _is_activation(record: Record) -> bool:
    """Whether an activation is said that needs no weights."""
    kind = record.get("activation", "none")
    return kind != "none" and kind not in _GATES and str(record.get("gated")).lower() != "true"


def _norm_alone(book: Book, record: Record, x: Numbers | None) -> Numbers | None:
    """The norm of a layer that has nothing else."""
    texts = {"norm", "norms", "norm1"} & record.keys()
    if x is None or not texts or record.get("norm") == "none":
        return x
    return norm(book.at("norm1"), {**record.get("norms", {}), **(record.get("norm1") or {})}, x)


def _cross(book: Book, record: Record, memory: Memory, x: Numbers | None) -> Numbers | None:
    """A decoder's attention to the memory."""
    place = {**settings(record, _CROSS), **record.get("cross", {})}
    return attention(book.at("cross"), place, Inputs({}, memory.names).of(x, memory.fixed))


def _sublayer(
    book: Book, record: Record, number: int, sublayer: Sublayer, x: Numbers | None
) -> Numbers | None:
    """Post: norm(x + sublayer(x)); pre: x + sublayer(norm(x)) (Xiong et al. 2020,
    arXiv:2002.04745)."""
    whole = record.get("block", "attention") != "attention"
    place = record.get("norm", "post" if whole else "none")
    at = book.at(f"norm{number}")
    own = {**record.get("norms", {}), **(record.get(f"norm{number}") or {})}
    y = sublayer(norm(at, own, x) if place in ("pre", "both") and x is not None else x)
    if place in ("after", "both") and y is not None:
        name = f"norm{number}" + "_after" * (place == "both")
        y = norm(book.at(name), {**record.get("norms", {}), **(record.get(name) or {})}, y)
    if y is not None and str(record.get("residuals", whole)).lower() == "true":
        if x is None:
            return None
        y = _times(book, record, y, number)
        y = book.keep(f"residual{number}", x + y, slopes.added(x, y))
    return norm(at, own, y) if place == "post" and y is not None else y


def _side_by_side(
    book: Book, record: Record, sublayers: list[Sublayer], x: Numbers | None
) -> Numbers | None:
    """x + attention(norm(x)) + ffn(norm(x)) (GPT-J; GPT-NeoX has a norm for each)."""
    made: list[Numbers | None] = []
    normed_x = x
    for number, sublayer in enumerate(sublayers, 1):
        first = number == 1 or record["parallel"] == "own_norms"
        if first and record.get("norm") == "pre" and x is not None:
            own = {**record.get("norms", {}), **(record.get(f"norm{number}") or {})}
            normed_x = norm(book.at(f"norm{number}"), own, x)
        made.append(sublayer(normed_x))
    whole = [n for n in made if n is not None]
    if x is None or len(whole) < len(made):
        return None
    scaled = [_times(book, record, array, k) for k, array in enumerate(whole, 1)]
    whole_sum = x + sum(scaled[1:], scaled[0])
    return book.keep("residual1", whole_sum, slopes.added(x, *scaled))


def _times(book: Book, record: Record, y: Numbers, number: int) -> Numbers:
    """A sublayer's output times the residual's multiplier, where there is one."""
    if "residual_scale" not in record:
        return y
    value = record["residual_scale"]
    each = isinstance(value, list | tuple | np.ndarray)
    by = book.number(value[number - 1] if each else value)
    backs = [(y, slopes.multiplied(by))]
    return book.keep(f"multiplied{number}", y * by, backs, step="residual")


def _networks(book: Book, record: Record, x: Numbers | None) -> Numbers | None:
    """A feed-forward network, or several experts."""
    if "experts" not in record:
        return _feed_forward(book, record, x)
    return None if x is None else mixture(book, record, x, _feed_forward)


def _gated(book: Book, a: Numbers, up: Numbers, most: Any, more: bool) -> Numbers:
    """What a gate makes of the numbers beside it, which may be cut off at a limit, and of 1 more."""
    if most is not None:
        inside = slopes.multiplied(1 * (abs(up) < most))
        cut = np.maximum(-most, np.minimum(most, up))
        up = book.keep("clamped_up", cut, [(up, inside)])
    times = up + 1 if more else up
    return book.keep(
        "gated", a * times, [(a, slopes.multiplied(times)), (up, slopes.multiplied(a))]
    )


def _feed_forward(book: Book, record: Record, x: Numbers | None) -> Numbers | None:
    """activation(x W1 + b1) W2 + b2; gated: (silu(x W1 + b1) × (x W3 + b3)) W2 + b2 (Shazeer
    2020, arXiv:2002.05202)."""
    if x is None:
        return None
    d_ff = int(record.get("d_ff", 4 * x.shape[1]))
    kind = str(record.get("activation", "relu"))
    if not any(f"W{k}" in record for k in (1, 2, 3)):
        return activated(book, "activated", kind, x)
    a = book.keep("hidden", *linear(book, record, ("W1", "b1"), x, d_ff))
    gated = kind in _GATES or str(record.get("gated")).lower() == "true"
    most: Any = book.number(record["clamp"]) if gated and "clamp" in record else None
    if most is not None:
        a = book.keep("clamped", np.minimum(most, a), [(a, slopes.multiplied(1 * (a < most)))])
    if kind != "none":
        a = activated(book, "activated", _GATES.get(kind, kind), a)
    if gated:
        if "W3" not in record:
            return None
        up = book.keep("up", *linear(book, record, ("W3", "b3"), x, d_ff))
        a = _gated(book, a, up, most, str(record.get("up_plus_one")).lower() == "true")
    if "W2" not in record:
        return None
    return book.keep("ffn", *linear(book, record, ("W2", "b2"), a, x.shape[1]))
