"""Random small scenarios, as the YAML text that an author would write."""

from __future__ import annotations

from decimal import DecimalException
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from attncli import oracle
from tests.drawing import Tree, transformer, written
from tests.plain import read

TOKENS = ("the", "cat", "no", "1", "null", "~", "on", "1.0", "été", "猫")


@st.composite
def figures(draw: st.DrawFn, largest: int = 1) -> str:
    """A figure as people write it: 2, -0.5, 1.25, 1.0."""
    places = draw(st.integers(0, 2))
    count = draw(st.integers(-largest * 10**places, largest * 10**places))
    sign = "-" if count < 0 else ""
    digits = str(abs(count)).rjust(places + 1, "0")
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


@st.composite
def matrices(draw: st.DrawFn, rows: int, columns: int) -> str:
    """A matrix in YAML's flow style."""
    cells = draw(st.lists(figures(), min_size=rows * columns, max_size=rows * columns))
    lines = (cells[i * columns : (i + 1) * columns] for i in range(rows))
    return "[" + ", ".join(f"[{', '.join(line)}]" for line in lines) + "]"


@st.composite
def scenarios(draw: st.DrawFn, policy: str | None = None) -> str:
    """The YAML text of a scenario that can be worked to its end."""
    d_model, d_k, d_v = (draw(st.integers(1, 3)) for _ in range(3))
    tokens = draw(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=4))
    lines = [f"sentence: {' '.join(tokens)!r}", "embeddings:"]
    for token in dict.fromkeys(tokens):
        lines.append(f"  {token}: {draw(matrices(1, d_model))[1:-1]}")
    for name, width in (("W_Q", d_k), ("W_K", d_k), ("W_V", d_v)):
        lines.append(f"{name}: {draw(matrices(d_model, width))}")
    lines.append(f"scale: {draw(st.sampled_from(['sqrt_d_k', 'none', '2', '1.5']))}")
    if draw(st.booleans()):
        lines += draw(_feed_forward(d_v))
    chosen = policy or draw(st.sampled_from(["carry", "exact"]))
    decimals = draw(st.integers(2, 6))
    lines.append(f"rounding: {{policy: {chosen}, decimals: {decimals}}}")
    return "\n".join(lines) + "\n"


@st.composite
def _feed_forward(draw: st.DrawFn, d_v: int) -> list[str]:
    d_ff, d_out = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    kinds = ["relu", "gelu", "gelu_tanh", "tanh", "sigmoid", "none"]
    lines = [
        f"W1: {draw(matrices(d_v, d_ff))}",
        f"W2: {draw(matrices(d_ff, d_out))}",
        f"activation: {draw(st.sampled_from(kinds))}",
    ]
    for name, width in (("b1", d_ff), ("b2", d_out)):
        if draw(st.booleans()):
            lines.append(f"{name}: {draw(matrices(1, width))[1:-1]}")
    return lines


@st.composite
def transformers(draw: st.DrawFn, policy: str | None = None) -> str:
    """The YAML text of a small Transformer of any kind that can be worked to its end.

    Its softmaxes need no shift, which would have other figures in `exp`.
    """
    tree = transformer(draw)
    rounding: Tree = {
        "policy": policy or draw(st.sampled_from(["carry", "exact"])),
        "decimals": draw(st.integers(3, 6)),
    }
    if draw(st.integers(0, 3)) == 3:
        steps = st.sampled_from(["softmax", "norm", "ffn", "rotate", "predict", "project", "merge"])
        rounding["steps"] = {draw(steps): draw(st.integers(3, 6))}
    if draw(st.integers(0, 3)) == 3:
        names = st.sampled_from(["exp", "weights", "variance", "attention", "hidden", "logits"])
        rounding["quantities"] = {draw(names): draw(st.integers(3, 6))}
    text = "".join(f"{key}: {written(v)}\n" for key, v in {**tree, "rounding": rounding}.items())
    assume(is_tame(text))
    return text


_LETTERS = {"rnn": "a", "lstm": "ufco", "gru": "ruc"}


@st.composite
def recurrents(draw: st.DrawFn, policy: str | None = None) -> str:
    """The YAML text of one or two recurrent layers over a short sentence."""
    d, h, count = draw(st.integers(1, 3)), draw(st.integers(1, 2)), draw(st.integers(1, 2))
    tokens = draw(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3))
    lines = [f"sentence: {' '.join(tokens)!r}", "embeddings:"]
    for token in dict.fromkeys(tokens):
        lines.append(f"  {token}: {draw(matrices(1, d))[1:-1]}")
    layers = []
    for k in range(count):
        layer, d = draw(_recurrent(d, h, last=k == count - 1))
        layers.append(f"{{{', '.join(layer)}}}")
    lines += [f"layers: [{', '.join(layers)}]"]
    chosen = policy or draw(st.sampled_from(["carry", "exact"]))
    lines.append(f"rounding: {{policy: {chosen}, decimals: {draw(st.integers(2, 5))}}}")
    return "\n".join(lines) + "\n"


@st.composite
def _recurrent(draw: st.DrawFn, d: int, h: int, *, last: bool) -> tuple[list[str], int]:
    """What a layer says, and how wide its states are."""
    cell = draw(st.sampled_from(sorted(_LETTERS)))
    layout = draw(st.sampled_from(["linear", "row", "torch"]))
    direction = draw(st.sampled_from(["forward", "backward", "both"]))
    said = [f"cell: {cell}", f"weights_layout: {layout}", f"direction: {direction}"]
    if cell == "gru":
        said += [f"reset: {draw(st.sampled_from(['before', 'after']))}"]
        said += [f"update: {draw(st.sampled_from(['new', 'old']))}"]
    if cell == "rnn":
        said += [f"activation: {draw(st.sampled_from(['tanh', 'relu']))}"]
        said += ["gradient: true"] if direction != "both" and draw(st.booleans()) else []
    said += draw(_way(cell, layout, d, h))
    if direction == "both":
        said.append(f"backward: {{{', '.join(draw(_way(cell, layout, d, h)))}}}")
    width = 2 * h if direction == "both" else h
    if last and draw(st.booleans()):
        k = draw(st.integers(1, 2))
        said.append(f"W_ya: {draw(matrices(width, k) if layout == 'row' else matrices(k, width))}")
        said += [f"b_y: {draw(matrices(1, k))[1:-1]}"] if draw(st.booleans()) else []
        said.append(f"readout: {draw(st.sampled_from(['sigmoid', 'softmax', 'none']))}")
        said.append(f"readout_from: {draw(st.sampled_from(['every', 'last']))}")
    return said, width


@st.composite
def _way(draw: st.DrawFn, cell: str, layout: str, d: int, h: int) -> list[str]:
    """The matrices of one way, some of the biases, and where it begins."""
    letters, said = _LETTERS[cell], []
    for source, width in (("x", d), ("a", h)):
        if layout == "torch":
            name = {"x": "ih", "a": "hh"}[source]
            said.append(f"W_{name}: {draw(matrices(len(letters) * h, width))}")
            if draw(st.booleans()):
                said.append(f"b_{name}: {draw(matrices(1, len(letters) * h))[1:-1]}")
            continue
        for letter in letters:
            shape = (width, h) if layout == "row" else (h, width)
            said.append(f"W_{letter}{source}: {draw(matrices(*shape))}")
            if source == "a" and draw(st.booleans()):
                said.append(f"b_{letter}: {draw(matrices(1, h))[1:-1]}")
    for name in ("initial_state", *(["initial_cell"] if cell == "lstm" else [])):
        said += [f"{name}: {draw(matrices(1, h))[1:-1]}"] if draw(st.booleans()) else []
    return said


def is_tame(text: str) -> bool:
    """Whether the oracle can work it, with every figure of a size that people write."""
    try:
        made = oracle.work(read(text))
    except (ArithmeticError, DecimalException, ValueError):
        return False
    return all(
        _is_tame(name.rpartition(".")[2], np.array(values, dtype=float))
        for name, values in made.items()
    )


def _is_tame(local: str, figures: Any) -> bool:
    seen = figures[np.isfinite(figures) & (figures > -90)]
    if np.isnan(figures).any() or (np.abs(seen) > 10**5).any():
        return False
    if local == "logits":  # which of two tokens is first must not hang on the noise of floats
        gaps = np.diff(np.sort(figures, axis=1), axis=1)
        return not (gaps < 1e-9).any()
    return local != "exp" or bool((figures.max(axis=1) > 1e-3).all())
