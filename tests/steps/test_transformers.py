"""Every quantity of whole Transformers against the oracle, which shares no code with the package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attncli import load, work
from attncli.trace import Trace
from tests import oracle
from tests.conftest import FEWER, THOROUGH, share
from tests.helpers.pages import EQUATIONS, LARGE, LIGHT, SHIPPED, trace_of
from tests.helpers.plain import read
from tests.helpers.strategies import transformers, workable

# What a trace holds because the scenario gives it; the oracle lists only what is worked out.
GIVEN = re.compile(
    r"(^|\.)(W_[QKVORG]|b_[QKVOR]|sinks|[Wb][123]|(gamma|beta)(_[QK])?|(head|project_(in|out))\.[Wb]|bias|embeddings|segment_embeddings"
    r"|patches|[Wb]_patch|class_token|(positions|rope)(\[\d+\])?(\.(table|cos|sin))?"
    r"|memory|queries|keys|values|targets|unembedding|b_U|cache\.[KV]|dropout\.mask"
    r"|mask(\[\d+\])?\.(add|allowed|blocked)|[Wb]_[acfuroi][xa]?|[Wb]_ya?|word_counts)$"
)


def _trained(name: str) -> bool:
    """Whether it is a gradient, an update, or worked after one, and no matrix that is given."""
    return name.partition(".")[0] in ("grad", "update") or name.startswith("train[")


def agree(expected: oracle.Arrays, trace: Trace) -> None:
    """The same names, and the same numbers: all digits under `carry`, the most of them else."""
    ours = {
        name
        for name in trace
        if (_trained(name) or not GIVEN.search(name)) and not _found_in_training(trace, name)
    }
    assert set(expected) - ours == set(), "the trace lacks these"
    assert ours - set(expected) == set(), "the oracle lacks these"
    for name, values in expected.items():
        same(name, trace[name].values, values)


def _found_in_training(trace: Trace, name: str) -> bool:
    """Whether it's a batch norm's mean or variance, which others work out."""
    return name.endswith((".mean", ".variance")) and trace[name].given


def same(name: str, ours: Any, values: Any) -> None:
    if isinstance(values.flat[0], Decimal):
        assert ours.tolist() == values.astype(float).tolist(), name
    else:
        np.testing.assert_allclose(ours, values, rtol=1e-9, atol=1e-9, err_msg=name)


@given(transformers())
def test_random_transformers(text: str) -> None:
    with workable():
        trace = trace_of(text)
    agree(oracle.work(read(text)), trace)


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        (name, policy)
        for name, policy in share(
            3, product(sorted({*LIGHT} - EQUATIONS), ["carry", "exact"]), "shipped scenarios"
        )
        if THOROUGH or policy == "exact" or name not in LARGE  # seconds, minutes of decimals
    ],
)
def test_shipped_scenarios(name: str, policy: str) -> None:
    data = read(SHIPPED[name])
    data["rounding"] = {**data.get("rounding", {}), "policy": policy}
    trace = trace_of(SHIPPED[name], f"rounding.policy={policy}")
    expected = oracle.work(data)
    if "until" in data:  # the oracle goes on
        expected = {made: values for made, values in expected.items() if made in trace}
    agree(expected, trace)


@settings(max_examples=2 * FEWER)
@given(transformers(policy="exact"))
def test_the_oracle_in_decimals_is_the_oracle_in_floats(text: str) -> None:
    data = read(text)
    floats = oracle.work(data)
    decimals = oracle.work(data, decimal=True)
    assert set(floats) == set(decimals)
    for name, values in floats.items():
        others = decimals[name].astype(float)
        np.testing.assert_allclose(others, values, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_norms_over_less_one_with_epsilon_in_the_deviation(kind: str, policy: str) -> None:
    text = (
        "X: [[1, 2, 0, 1], [0, 1, 1, 2]]\nprojection: none\nblock: attention\nfinal_norm:"
        f" {{kind: {kind}, over: n-1, epsilon_in: deviation, epsilon: 0.1}}\n"
        f"rounding: {{policy: {policy}}}\n"
    )
    agree(oracle.work(read(text)), trace_of(text))


def test_steps_and_quantities_have_decimals_of_their_own() -> None:
    data: Mapping[str, Any] = {
        "scores": [["1"]],
        "scale": "3",
        "V": [["1"]],
        "rounding": {"decimals": "2", "steps": {"softmax": "4"}, "quantities": {"exp": "1"}},
    }
    made = oracle.work(data)
    assert made["scaled"].tolist() == [[Decimal("0.33")]]
    assert made["exp"].tolist() == [[Decimal("1.4")]]
    assert str(made["weights"][0, 0]) == "1.0000"


def test_the_oracle_knows_well_known_numbers() -> None:
    """Sinusoidal positions of width 4, and 1 2 3 4 normed by n and by n − 1."""
    data = read(
        "tokens: [a, a, a]\nembeddings: {a: [1, 2, 3, 4]}\npositions: sinusoidal\nprojection: none"
        "\nencoder: {X: [[1, 2, 3, 4]], projection: none, final_norm: {epsilon: 0}}"
        "\nfinal_norm: {over: n-1, epsilon_in: deviation}"
    )
    made = {name: values.astype(float).tolist() for name, values in oracle.work(data).items()}
    assert made["P"] == [[0, 1, 0, 1], [0.841, 0.54, 0.01, 1], [0.909, -0.416, 0.02, 1]]
    assert made["encoder.final_norm.normed"] == [[-1.342, -0.447, 0.447, 1.342]]
    assert made["encoder.final_norm.variance"] == [[1.25]]
    # the only key is the memory's, so each query's output is its value
    assert made["output"][2] == made["encoder.final_norm.normed"][0]
    assert made["final_norm.deviation"] == [[1.155]] * 3


@pytest.mark.parametrize("policy", ["carry", "exact"])
def test_numbers_of_files(tmp_path: Path, policy: str) -> None:
    rng = np.random.default_rng(0)
    numbers = {name: rng.normal(size=(2, 2)).round(3) for name in ("W_Q", "W_K", "W_V")}
    np.savez(tmp_path / "weights.npz", **numbers)  # type: ignore[arg-type]
    text = "X: [[1, 2], [0.5, -1]]\n" + "".join(
        f"{name}: {{file: weights.npz, key: {name}}}\n" for name in numbers
    )
    path = tmp_path / "scenario.yaml"
    path.write_text(f"{text}rounding: {{policy: {policy}}}\n", encoding="utf-8")
    expected = oracle.work(read(path.read_text("utf-8")), tmp_path)
    np.testing.assert_allclose(
        expected["Q"].astype(float)[1], [0.5, -1] @ numbers["W_Q"], atol=1e-3
    )
    agree(expected, work(load(path)))
