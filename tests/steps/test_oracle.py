"""Every quantity against an oracle that shares no code with the package."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import assume, given

from tests import oracle
from tests.conftest import sampled
from tests.helpers.pages import EQUATIONS, LARGE, SHIPPED, WORDS_ONLY, trace_of
from tests.helpers.plain import read
from tests.helpers.strategies import scenarios

VARIANTS = (
    (),
    ("scale=sqrt_d_k",),
    ("scale=1.5", "rounding.decimals=1"),
    ("rounding.policy=exact",),
    ("rounding.policy=exact", "scale=sqrt_d_k", "activation=gelu"),
    ("rounding.steps={softmax: 5, ffn: 1}", "activation=sigmoid"),
)

SMALL = sorted(set(SHIPPED) - LARGE)  # 512 dimensions take decimals seconds
RECURRENT = {name for name in SMALL if "\ncell: " in SHIPPED[name]}
"""Those without a scale and an activation to change."""


def changed(data: dict[str, Any], changes: tuple[str, ...]) -> dict[str, Any]:
    """The same changes as `--set` makes, made to the oracle's own reading."""
    for change in changes:
        key, _, value = change.partition("=")
        target = data
        *path, last = key.split(".")
        for part in path:
            target = target.setdefault(part, {})
        target[last] = read(f"v: {value}")["v"]
    return data


def agree(expected: oracle.Arrays, text: str, *changes: str) -> None:
    trace = trace_of(text, *changes)
    compared = 0
    weighed = "weights" in trace and trace["weights"].given
    for name, values in expected.items():
        if name not in trace:  # those that a scenario goes without, or needs no longer
            assert name in ({"Q", "K"} if weighed else {"scaled", "activated"}), name
            continue
        compared += 1
        ours = trace[name].values
        if isinstance(values.flat[0], Decimal):
            assert ours.tolist() == values.astype(float).tolist(), name
        else:
            np.testing.assert_allclose(ours, values, rtol=1e-12, atol=1e-13, err_msg=name)
    assert compared >= max(len(expected) - 2, 1)


@sampled(11, name=sorted(set(SMALL) - RECURRENT - EQUATIONS - {WORDS_ONLY}), changes=VARIANTS)
def test_shipped_scenarios(name: str, changes: tuple[str, ...]) -> None:
    agree(oracle.work(changed(read(SHIPPED[name]), changes)), SHIPPED[name], *changes)


@given(scenarios())
def test_random_scenarios(text: str) -> None:
    expected = oracle.work(read(text))
    sums = [float(x) for x in expected["exp_sum"].flat]
    assume(min(sums) > 0)
    agree(expected, text)


def test_shifted_softmax_is_the_same_softmax() -> None:
    data = "scores: [[800, 799.5], [-900, -900]]\nscale: none\nrounding: {policy: exact}\n"
    weights = trace_of(data)["weights"].values
    e = np.exp(-0.5)
    np.testing.assert_allclose(weights, [[1 / (1 + e), e / (1 + e)], [0.5, 0.5]], rtol=1e-14)


def test_the_documents_numbers() -> None:
    trace = trace_of(SHIPPED["i_love_ai"])
    assert trace["scores"].values.tolist() == [[1, 0, 1], [1, 1, 2], [2, 1, 3]]
    assert trace["weights"].values.tolist() == [
        [0.422, 0.155, 0.422],
        [0.212, 0.212, 0.576],
        [0.245, 0.090, 0.665],
    ]
    # the note writes 2.0 where its own numbers give 1.998, and slips to 5.000 in the last row
    assert trace["output"].values.tolist() == [[1.998, 2.265], [2.364, 2.364], [2.42, 2.575]]
    assert trace["ffn"].values[2].tolist() == [4.995, 0.155]
