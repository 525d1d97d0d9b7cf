"""Random small scenarios, as the YAML text that an author would write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import DecimalException
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from attncli import ScenarioError
from attncli.pages.parts.selection import SelectionError
from tests import oracle
from tests.drawing import Pen, Tree, recurrent, training, transformer, written
from tests.helpers.plain import read

_UNWORKABLE = re.compile("rounds? to 0|has no logarithm|divided? by|nothing to blank")
"""What a few draws come to under `carry`: a 0 to divide by or to take the logarithm of; or a step
that nothing can be asked of."""
TOKENS = ("the", "cat", "no", "1", "null", "~", "on", "1.0", "été", "猫")


@st.composite
def numbers(draw: st.DrawFn, largest: int = 1) -> str:
    """A number as people write it: 2, -0.5, 1.25, 1.0."""
    places = draw(st.integers(0, 2))
    count = draw(st.integers(-largest * 10**places, largest * 10**places))
    sign = "-" if count < 0 else ""
    digits = str(abs(count)).rjust(places + 1, "0")
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


@st.composite
def matrices(draw: st.DrawFn, rows: int, columns: int) -> str:
    """A matrix in YAML's flow style."""
    cells = draw(st.lists(numbers(), min_size=rows * columns, max_size=rows * columns))
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

    Its softmaxes need no shift, which would have other numbers in `exp`.
    """
    tree = transformer(Pen(draw))
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
    text = _document({**tree, "rounding": rounding})
    assume(is_tame(text))
    return text


@st.composite
def recurrents(draw: st.DrawFn, policy: str | None = None) -> str:
    """The YAML text of one or two recurrent layers over a short sentence."""
    tree = recurrent(Pen(draw))
    chosen = policy or draw(st.sampled_from(["carry", "exact"]))
    tree["rounding"] = {"policy": chosen, "decimals": draw(st.integers(2, 5))}
    return _document(tree)


@st.composite
def trainings(draw: st.DrawFn, policy: str | None = None) -> str:
    """The YAML text of a small model that is trained, by any loss and any optimizer."""
    pen = Pen(draw)
    try:
        tree = training(pen, recurrent(pen) if pen.coin() else transformer(pen))
    except ArithmeticError:
        assume(False)
    chosen = policy or draw(st.sampled_from(["carry", "exact"]))
    tree["rounding"] = {"policy": chosen, "decimals": draw(st.integers(4, 8))}
    text = _document(tree)
    assume(is_tame(text))
    return text


def _document(tree: Tree) -> str:
    return "".join(f"{key}: {written(value)}\n" for key, value in tree.items())


def is_tame(text: str) -> bool:
    """Whether the oracle can work it, with every number of a size that people write."""
    try:
        made = oracle.work(read(text))
    except (ArithmeticError, DecimalException, ValueError):
        return False
    return all(
        _is_tame(name.rpartition(".")[2], np.array(values, dtype=float))
        for name, values in made.items()
    )


def _is_tame(local: str, numbers: Any) -> bool:
    seen = numbers[np.isfinite(numbers) & (numbers > -90)]
    if np.isnan(numbers).any() or (np.abs(seen) > 10**5).any():
        return False
    if local == "logits":  # which of two tokens is first must not hang on the noise of floats
        gaps = np.diff(np.sort(numbers, axis=1), axis=1)
        return not (gaps < 1e-9).any()
    return local != "exp" or bool((numbers.max(axis=1) > 1e-3).all())


@contextmanager
def workable() -> Iterator[None]:
    """Leaves out an example that can't be worked, or asked about."""
    try:
        yield
    except (ScenarioError, SelectionError) as error:
        assume(not _UNWORKABLE.search(str(error)))
        raise
