"""Whatever floats can't decide is settled: halves under `carry`, and under `exact` what is little
beside the terms that it is left of, next to a half, or past the digits of a float."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attncli import ScenarioError
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Number
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Rounding
from attncli.maths.operations.attention import Affine
from attncli.trace import Trace
from tests import oracle
from tests.conftest import FEWER
from tests.drawing import written
from tests.helpers.pages import page_of, trace_of
from tests.helpers.plain import read
from tests.helpers.strategies import transformers
from tests.helpers.truth import half_away

_NOTHING = Decimal("1e-40")
_CLOSE = Decimal("1e-9")
_SIGNIFICANT = 15


@st.composite
def norms(draw: st.DrawFn, policy: str, most: int) -> str:
    """A norm of a few plain numbers, which often comes to halves, or to numbers that cancel in
    projections of ones."""
    d = draw(st.integers(1, 4))
    tokens = [f"t{k}" for k in range(draw(st.integers(1, 3)))]
    tenths = st.integers(-99, 99).map(lambda count: str(Decimal(count).scaleb(-1)))
    row = st.lists(tenths, min_size=d, max_size=d)
    signs = st.sampled_from(["1", "-1", "0.5"])
    norm: dict[str, Any] = {"kind": draw(st.sampled_from(["layer", "rms"]))}
    norm |= {key: draw(row) for key in ("gamma", "beta") if draw(st.booleans())}
    if "beta" in norm and norm["kind"] == "rms":
        del norm["beta"]
    scenario: dict[str, Any] = {
        "tokens": tokens,
        "embeddings": {token: draw(row) for token in tokens},
        "embedding_norm": norm,
        **{name: [[draw(signs)] for _ in range(d)] for name in ("W_Q", "W_K", "W_V")},
        "rounding": {"policy": policy, "decimals": draw(st.integers(0, most))},
    }
    if draw(st.booleans()):
        scenario["embedding_scale"] = draw(st.sampled_from(["0.7", "3", "1.1"]))
    return "".join(f"{key}: {written(value)}\n" for key, value in scenario.items())


def worked(text: str, *changes: str) -> Trace:
    """The trace; numbers too long to carry, or a deviation of 0, are no examples."""
    try:
        return trace_of(text, *changes)
    except ScenarioError:
        assume(False)
        raise


def settled(number: Number, true: Decimal, places: int) -> bool:
    """Whether a number is shown as its true one is: to so many decimals, 15 digits, or the first
    one of what would be 0."""
    shown = Fraction(number.shown)
    if abs(true) < _NOTHING and shown == 0:
        return True
    most = min(places, _SIGNIFICANT - 1 - true.adjusted())
    if most < 0:
        return abs(shown / Fraction(true) - 1) < Fraction(1, 10**14)
    sure = Fraction(Context(prec=45).plus(true))
    first = half_away(sure, most) or half_away(sure, -true.adjusted())
    return shown == first


def check_in_full(trace: Trace, text: str) -> None:
    """Each number is the true one, and shown so."""
    expected = oracle.work(read(text), decimal=True)
    for name in set(expected) & set(trace.quantities):
        matrix = trace[name].matrix
        if matrix.written is not None:
            continue
        for (i, j), true in ((place, expected[name][place]) for place in _places(matrix.shape)):
            if not true.is_finite():
                continue
            value = Decimal(float(matrix.values[i, j]))
            where = f"{name}[{i}, {j}]: {value} for {true}"
            assert abs(value - true) <= max(_CLOSE * abs(true), _NOTHING), where
            assert settled(matrix.number(i, j), true, matrix.decimals), where


def _places(shape: tuple[int, int]) -> list[tuple[int, int]]:
    return [(i, j) for i in range(shape[0]) for j in range(shape[1])]


@settings(max_examples=5 * FEWER)
@given(norms("carry", 3))
def test_halves_of_norms(text: str) -> None:
    trace = worked(text)
    for name, numbers in oracle.work(read(text)).items():
        if name in trace:
            assert trace[name].values.tolist() == numbers.astype(float).tolist(), name


@settings(max_examples=5 * FEWER)
@given(norms("exact", 12))
def test_norms_in_full(text: str) -> None:
    check_in_full(worked(text), text)


@settings(max_examples=FEWER)
@given(transformers("exact"), st.integers(0, 12))
def test_transformers_in_full(text: str, places: int) -> None:
    text = _with(text, policy="exact", decimals=places)
    check_in_full(worked(text), text)


@settings(max_examples=FEWER)
@given(transformers("carry"), st.integers(9, 12))
def test_many_decimals_carried(text: str, places: int) -> None:
    text = _with(text, policy="carry", decimals=places)
    trace = worked(text)
    assert "≈" not in page_of(trace)
    for name, numbers in oracle.work(read(text)).items():
        if name in trace:
            assert trace[name].values.tolist() == numbers.astype(float).tolist(), name


def _with(text: str, **rounding: object) -> str:
    """The scenario with another rounding throughout."""
    lines = [line for line in text.splitlines() if not line.startswith("rounding:")]
    return "\n".join([*lines, f"rounding: {written(rounding)}"]) + "\n"


@pytest.mark.parametrize("weight", ["18", "19.5", "20", "-25"])
def test_slopes_that_floats_lose(weight: str) -> None:
    text = (
        "tokens: [a, b]\nembeddings: {a: [1], b: [1]}\ncell: rnn\n"
        f"W_ax: [[{weight}]]\nW_aa: [[0.5]]\ngradient: true\nrounding: {{policy: exact}}\n"
    )
    check_in_full(trace_of(text), text)
    slopes = [
        quantity for quantity in trace_of(text).quantities.values() if quantity.local == "slope"
    ]
    assert slopes
    assert all(0 < slope.values[0, 0] < 1e-15 for slope in slopes)


@pytest.mark.parametrize("places", [1, 2, 3])
def test_ties_of_tiny_numbers(places: int) -> None:
    tiny = Decimal(35).scaleb(-places - 2)
    assert decimals.shown(tiny, places) == Decimal(4).scaleb(-places - 1)
    assert str(decimals.shown(0.96 * 10.0 ** -(places + 1), places)) == str(
        Decimal(1).scaleb(-places - 1)
    )


@given(st.integers(-(10**15) - 5, 10**15 + 5), st.integers(0, 12))
def test_fifteen_digits_are_carried_and_no_more(count: int, places: int) -> None:
    number = Decimal(count).scaleb(-places)
    text = f"X: [[{number:f}]]\nW_Q: [[1.0]]\nW_K: [[0]]\nW_V: [[0]]\n"
    text += f"rounding: {{policy: carry, decimals: {places}}}\n"
    if abs(count) < 10**15:
        assert trace_of(text)["Q"].number(0, 0).shown == number
    else:
        with pytest.raises(ScenarioError, match="more than 15 digits"):
            trace_of(text)


@settings(max_examples=FEWER)
@given(st.lists(st.integers(-60, 30), min_size=2, max_size=6, unique=True))
def test_top_p_of_1_keeps_what_has_a_share(logits: list[int]) -> None:
    names = ", ".join(f"t{k}: {k + 1}" for k in range(len(logits)))
    text = (
        f"tokens: [t0]\nvocabulary: {{{names}}}\n"
        f"embeddings: {{{', '.join(f't{k}: [1]' for k in range(len(logits)))}}}\n"
        "W_Q: [[1]]\nW_K: [[1]]\nW_V: [[1]]\n"
        f"unembedding: [{written([str(x) for x in logits])}]\n"
        "next: {top_p: 1}\nrounding: {policy: exact}\n"
    )
    assert trace_of(text)["next.nucleus"].values.all()


def test_fractions_that_no_float_holds() -> None:
    """Denominators of 10^600, as tiny numbers have when they are multiplied."""
    tiny = Matrix.of_written([[Decimal("1e-300")]])
    half = Matrix.of_written([[Decimal("0.5")]])
    assert Affine().make(Rounding("carry", 0), "ffn", tiny, tiny, half).values.tolist() == [[1.0]]
