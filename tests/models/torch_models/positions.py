"""Positions: sines that are added, rotations of queries and keys, biases by distance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from tests.models.torch_models.page import Page, Quantity, Tensor, Tree, is_true, numbers


def listed(value: Any) -> list[tuple[str, Tree]]:
    """What `positions` says: the name of each part of it, and its record."""
    several = isinstance(value, list) and not isinstance(value[0], list)
    parts = (
        [(f"positions[{k}]", data) for k, data in enumerate(value, 1)]
        if several
        else [("positions", value)]
    )
    return [(name, _record(data)) for name, data in parts]


def _record(value: Any) -> Tree:
    if isinstance(value, str):
        return {"kind": value}
    if isinstance(value, list) or "random" in value:
        return {"kind": "rows", "rows": value}
    return {"kind": "sinusoidal", **value}


def of_kind(pairs: Sequence[tuple[str, Tree]], kind: str) -> tuple[str, Tree] | None:
    return next(((name, tree) for name, tree in pairs if tree["kind"] == kind), None)


def added(
    page: Page, pairs: Sequence[tuple[str, Tree]], shape: tuple[int, int], first: int
) -> list[Quantity]:
    """What is added to the embeddings, whose first row stands at a position."""
    made: list[Quantity] = []
    for name, tree in pairs:
        local = f"P{len(made) + 1}" if made else "P"
        start = int(tree.get("start", 0)) + first
        rows = slice(start, start + shape[0])
        if tree["kind"] == "rows":
            table = page.given(tree, "rows", name)
            made.append(page.make(local, lambda x, rows=rows: x[rows], table))
        elif tree["kind"] == "table":
            table = page.at(name).given(tree, "table")
            made.append(page.make(local, lambda x, rows=rows: x[rows], table))
        elif tree["kind"] == "sinusoidal":
            waves = _sinusoidal(float(tree.get("base", 10000)), start, shape)
            made.append(page.make(local, lambda waves=waves: waves))
    return made


def _sinusoidal(base: float, start: int, shape: tuple[int, int]) -> Tensor:
    """sin and cos of pos / base^(2k/d) in turn (arXiv:1706.03762, 3.5)."""
    n, d = shape
    angles = _angles(_frequencies(base, d), start, n)
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


def _frequencies(base: float, width: int) -> Tensor:
    return base ** -(torch.arange(0, width, 2, dtype=torch.float64) / width)


def _angles(theta: Tensor, start: int, n: int) -> Tensor:
    return torch.outer(torch.arange(start, start + n, dtype=torch.float64), theta)


def rotated(page: Page, tree: Tree, name: str, x: Quantity, first: int, length: int) -> Quantity:
    """Pairs of columns turned by the angles of their positions (arXiv:2104.09864, 3.4), as the
    product of complex numbers that it is. `length` is that of the text."""
    n, width = x.shape[0], int(tree.get("dimensions", x.shape[1]))
    start = int(tree.get("start", 0))
    cosine, sine = _turns(tree, width, (start + first, n), start + length)
    half = tree.get("pairs") == "half"

    def formula(x: Tensor) -> Tensor:
        pairs = x[:, :width].reshape(n, 2, -1).mT if half else x[:, :width].reshape(n, -1, 2)
        turned = torch.view_as_complex(pairs.contiguous()) * torch.complex(cosine, sine)
        back = torch.view_as_real(turned)
        whole = (back.mT if half else back).reshape(n, width)
        return torch.hstack([whole, x[:, width:]])

    return page.make(f"rotated_{name}", formula, x)


def _turns(tree: Tree, width: int, rows: tuple[int, int], length: int) -> tuple[Tensor, Tensor]:
    """The cosines and sines of each position and pair, [n, width / 2]."""
    start, n = rows
    if "cos" in tree:
        cosine, sine = (numbers(tree[key])[start : start + n] for key in ("cos", "sin"))
        return cosine, sine
    base, scaling = float(tree.get("base", 10000)), tree.get("scaling")
    theta = _frequencies(base, width)
    factor = 1.0
    if scaling:
        theta, factor = _SCALED[scaling["kind"]](scaling, base, width, length)
    angles = _angles(theta, start, n)
    return factor * angles.cos(), factor * angles.sin()


Scaled = tuple[Tensor, float]


def _linear(tree: Tree, base: float, width: int, _: int) -> Scaled:
    return _frequencies(base, width) / float(tree["factor"]), 1.0


def _ntk(tree: Tree, base: float, width: int, _: int) -> Scaled:
    return _frequencies(base * float(tree["factor"]) ** (width / (width - 2)), width), 1.0


def _dynamic(tree: Tree, base: float, width: int, length: int) -> Scaled:
    """As transformers' "dynamic" has it: the base grows with what is past the first length."""
    original, factor = int(tree["original_length"]), float(tree["factor"])
    grown = factor * max(length, original) / original - (factor - 1)
    return _frequencies(base * grown ** (width / (width - 2)), width), 1.0


def _llama3(tree: Tree, base: float, width: int, _: int) -> Scaled:
    """arXiv:2407.21783 and its code: by how often a pair turns within the first length."""
    theta, low, high = (
        _frequencies(base, width),
        float(tree.get("low_freq_factor", 1)),
        float(tree.get("high_freq_factor", 4)),
    )
    turns = int(tree["original_length"]) * theta / (2 * math.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return kept * theta + (1 - kept) * theta / float(tree["factor"]), 1.0


def _yarn(tree: Tree, base: float, width: int, _: int) -> Scaled:
    """arXiv:2309.00071, 3.2 and 3.4, with a ramp over the pairs as its code has it."""
    factor, original = float(tree["factor"]), int(tree["original_length"])

    def pair(turns: float) -> float:
        return width * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))

    first, last = pair(float(tree.get("beta_fast", 32))), pair(float(tree.get("beta_slow", 1)))
    if is_true(tree.get("truncate", "true")):
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, width - 1)
    last += 0.001 if first == last else 0
    pairs = torch.arange(width // 2, dtype=torch.float64)
    kept = 1 - ((pairs - first) / (last - first)).clamp(0, 1)
    theta = _frequencies(base, width)
    usual = 0.1 * math.log(factor) + 1 if factor > 1 else 1.0
    turned = kept * theta + (1 - kept) * theta / factor
    return turned, float(tree.get("attention_factor", usual))


_SCALED: dict[str, Callable[[Tree, float, int, int], Scaled]] = {
    "linear": _linear,
    "ntk": _ntk,
    "dynamic": _dynamic,
    "llama3": _llama3,
    "yarn": _yarn,
}


def distances(n: int, m: int) -> Tensor:
    """How far each key is after the query, the last query standing at the last key."""
    return torch.arange(m)[None, :] - torch.arange(m - n, m)[:, None]


def alibi(tree: Tree, head: int, heads: int, shape: tuple[int, int]) -> Tensor:
    """−slope × distance (arXiv:2108.12409)."""
    slopes = [float(value) for value in tree.get("slopes", [])]
    slope = slopes[head] if slopes else 2 ** (-8 * (head + 1) / heads)
    return -slope * distances(*shape).abs().double()


def buckets(tree: Tree, count: int, shape: tuple[int, int], *, causal: bool) -> Tensor:
    """T5's relative_position_bucket (arXiv:1910.10683, 2.1), [n, m]."""
    ahead, both = distances(*shape), tree.get("bidirectional", "false" if causal else "true")
    offset = torch.zeros_like(ahead)
    if is_true(both):
        count //= 2
        offset, away = (ahead > 0) * count, ahead.abs()
    else:
        away = (-ahead).clamp(min=0)
    exact, most = count // 2, int(tree.get("max_distance", 128))
    share = (away.clamp(min=1).double() / exact).log() / math.log(most / exact)
    far = (exact + (share * (count - exact) + 1e-9).long()).clamp(max=count - 1)
    return offset + torch.where(away < exact, away, far)
