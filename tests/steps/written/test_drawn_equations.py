"""Random equations: their numbers are those of plain Python, and every = of their pages is true."""

from __future__ import annotations

import re

import numpy as np
import pytest

from attncli.errors import UserError
from attncli.maths.numbers.rounding import Array
from attncli.trace import Trace
from tests.auditor import audit
from tests.conftest import THOROUGH, sampled
from tests.helpers.pages import page_of, tables_of, trace_of
from tests.steps.written.drawn import drawn

_WIDE = 2_000
"""Columns in which no formula breaks a line."""
SEEDS = range(300 if THOROUGH else 20)


def numbers_of(trace: Trace, name: str, shape: tuple[int, ...]) -> Array:
    return np.reshape(trace.quantities[name].matrix.values, shape)


def worked(text: str) -> Trace | str:
    """The trace of a scenario, or what is wrong with it."""
    try:
        return trace_of(text)
    except UserError as error:
        return str(error)


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers(seed: int) -> None:
    case = drawn(seed, "exact")
    trace = trace_of(case.text)
    for name, truth in case.truth.items():
        size = max(1.0, float(np.abs(truth).max()))
        got = numbers_of(trace, name, truth.shape)
        assert np.allclose(got, truth, rtol=1e-9, atol=1e-9 * size), (name, case.text)


@sampled(3, seed=SEEDS, policy=["carry", "exact"])
def test_pages(seed: int, policy: str) -> None:
    case = drawn(seed, policy)
    trace = worked(case.text)
    if isinstance(trace, str):  # rounding may leave nothing to go on with
        assert policy == "carry", case.text
        assert re.search(r":\d+:\d+: .*(rounds to 0|has more than 15 digits)", trace)
        return
    report = audit(page_of(trace, width=_WIDE), "terminal", tables_of(trace))
    assert report.false == [], case.text
