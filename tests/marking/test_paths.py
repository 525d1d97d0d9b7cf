"""Where honest paths lead: none falls outside, and what holds them is hardly wider than it must be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attncli.marking.judging import Judge
from attncli.trace import Trace
from tests.conftest import THOROUGH
from tests.helpers.honest_paths import Honest
from tests.helpers.pages import SHIPPED, trace_of

SMALL = ("alice_met_bob", "i_love_ai", "word_order", "yassine_gru")
DEEP = ("encoder_block", "decoder_block")
PATHS = 10_000 if THOROUGH else 400
"""At random; then there are two for each of many numbers: as small, and as large, as it can be."""

CANCELLING = """
sentence: a b c
embeddings: {a: [0.7, 0.3], b: [-0.4, 1.1], c: [0.9, -0.6]}
W_Q: [[0.3, 0.8], [0.6, -0.7]]
W_K: [[0.9, 0.4], [-0.2, 0.7]]
W_V: [[1.1, 0.6], [0.3, -0.9]]
W_O: [[0.71, 0.33], [-0.6, 0.9]]
block: encoder
norm: none
W1: [[9, 9], [-9, -9]]
b1: [30, 30]
W2: [[9, 4], [-9, 8]]
b2: [0, 0]
rounding: {policy: carry, decimals: 3}
"""
"""The two columns of `hidden` are the same numbers, made of the same ones, and go out in `ffn`."""


def widths(trace: Trace) -> list[float]:
    """How many times as wide as what honest paths reach is what holds them; none may be outside."""
    paths = Judge(trace).right
    honest = Honest(trace, {name: paths.decimals(name) for name in trace})
    cells = [*honest.forms]
    sampled = cells if THOROUGH else cells[:: 1 + len(cells) // 100]
    towards = honest.towards(sampled)
    ratios: list[float] = []
    for cell, each in honest.at_random(PATHS, np.random.default_rng(1)).items():
        written = np.concatenate([each, towards[cell]])
        if not np.isfinite(written).all():
            continue
        name, i, j = cell
        unit = 10.0 ** -honest.places_of(cell)
        low, high = (float(end[i, j]) for end in paths.written(name))
        assert low - 1e-6 * unit <= written.min(), cell
        assert written.max() <= high + 1e-6 * unit, cell
        if cell in sampled:
            ratios.append((high - low + unit) / (float(np.ptp(written)) + unit))
    return ratios


@pytest.mark.parametrize("name", [*SMALL, *DEEP])
def test_no_honest_path_falls_outside(name: str) -> None:
    # not all roundings of a deep block can be at their worst at once
    assert np.mean(widths(trace_of(SHIPPED[name]))) < (1.1 if name in SMALL else 2)


def test_a_number_may_be_rounded_here_and_kept_in_full_there() -> None:
    assert np.mean(widths(trace_of(CANCELLING))) < 2


def test_what_cancels_is_known_beside_sines_and_cosines() -> None:
    """Which are made of no other numbers."""
    paths = Judge(trace_of(SHIPPED["encoder_block"])).right
    name = next(d.name for d in paths.trace.plan[::-1] if d.name.local == "centered")
    rough = replace(paths, roughly=True, _told={}).made(name)
    assert (np.ptp(paths.made(name), axis=0) < 0.9 * np.ptp(rough, axis=0)).all()
