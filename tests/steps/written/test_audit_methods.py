"""Pages of published methods as equations: each sign, and each formula for all cells."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest

from attncli import ScenarioError, load, work
from attncli.formats import format_names
from tests.auditor import audit, audit_formulas, audit_numbers, audit_sentences
from tests.conftest import sampled, share
from tests.helpers.pages import SHIPPED, false_on_pages, page_of, tables_of, trace_of
from tests.helpers.plain import read
from tests.pages.test_audit import check
from tests.steps.written.test_published_methods import METHODS

POLICIES = ("carry", "exact")


def sides_of(text: str) -> dict[str, int]:
    """How long the sides are that a scenario's file names."""
    scenario = read(text)
    sides = {name: len(labels) for name, labels in scenario.get("names", {}).items()}
    for key, numbers in scenario["given"].items():
        inner: Any = numbers
        for side in re.findall(r"\w+", key.partition("[")[2]):
            sides[side], inner = len(inner), inner[0]
    return sides


def page(method: str, policy: str = "carry") -> dict[str, Any]:
    """The JSON of a method's page."""
    trace = trace_of(SHIPPED[method], f"rounding.policy={policy}")
    found: dict[str, Any] = json.loads(page_of(trace, "json"))
    return found


@sampled(3, method=METHODS, policy=POLICIES)
def test_every_sign_is_true(method: str, policy: str) -> None:
    trace = trace_of(SHIPPED[method], f"rounding.policy={policy}")
    others = share(4, format_names(), of=f"{method} {policy}")
    for form in {"terminal", *others}:
        for detail in ("full", "rows"):
            check(audit(page_of(trace, form, 80, detail), form, tables_of(trace)), trace, detail)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("policy", POLICIES)
def test_every_number_and_sentence_is_true(method: str, policy: str) -> None:
    told = page(method, policy)
    assert [*audit_numbers(told)] == []
    assert [*audit_sentences(told)] == []


@pytest.mark.parametrize("method", METHODS)
def test_every_formula_gives_every_cell(method: str) -> None:
    told = page(method)
    false, worked = audit_formulas(told, sides_of(SHIPPED[method]))
    assert false == []
    assert worked >= sum(len(step["working"]) for step in told["steps"]) > 0


SPOILT = [
    ("linear_attention", "S_t[t − 1, k, j] + phi_K", "S_t[t − 1, k, j] − phi_K"),
    ("linear_attention", "x > 0, otherwise e^x", "x > 0, otherwise x"),
    ("retention", "where j ≤ i", "where j < i"),
    ("selective_state_space", "h[t − 1, c, n]", "h[t, c, n]"),
    ("rwkv_time_mixing", "Σ_{i: i < t} past", "Σ_i past"),
    ("delta_rule", "(v[t, i] − v_old[t, i])", "v[t, i]"),
    ("graph_attention", "where A[i, j] = 1", "where A[i, j] = 0"),
    ("graph_attention", "0.2 × x", "0.1 × x"),
    ("contrastive_loss", "p_image_sum[j] = Σ_i p_image_exp[j, i]", "p_image_sum[j] = Σ_i p_image_exp[i, j]"),
    ("additive_attention", "s = s_0", "s = 1"),
    ("hopfield_retrieval", "ln(pattern)", "ln(d)"),
    ("sparsemax_attention", "√d_k", "d_k"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "right", "wrong"), SPOILT)
def test_another_formula_is_found(method: str, right: str, wrong: str) -> None:
    text = json.dumps(page(method), ensure_ascii=False)
    assert right in text
    false, _ = audit_formulas(json.loads(text.replace(right, wrong)), sides_of(SHIPPED[method]))
    assert false != []


ROWS = [
    (
        "y[i, j] = (X[i, j] + 1) / (X[i, j] + Z[i, j])",
        "y = [(2 + 1) / (2 + 0.5), (4 + 1) / (4 + 3)] = [3 / 2.5, 5 / 7] = [1.200, 0.714]",
    ),
    (
        "y[i, j] = X[i, j] / (X[i, j] * sqrt(Z[i, j] + 1))",
        "y = [2 / (2×√(0.5 + 1)), 4 / (4×√(3 + 1))] = [2 / (2×√1.5), 4 / 8] = [0.816, 0.500]",
    ),
    (
        "y[i, j] = sigmoid(Z[i, j]) * X[i, j] + sqrt(2) * sqrt(3) - erf(Z[i, j])",
        "= [1.244919 + 2.449490 − 0.520500, 3.8102965 + 2.4494897 − 0.9999779] = [3.174, 5.260]",
    ),
    ("y[i, j] = sigmoid(Z[i, j])", "y = [1 / (1 + e^(−0.5)), 1 / (1 + e^(−3))] = [0.622, 0.953]"),
    ("y[i, j] = exp(Z[i, j]) * X[i, j] + 1", "y = [e^0.5×2 + 1, e^3×4 + 1] = [4.297, 81.342]"),
]
"""Equations of rows, and how the row is worked: what a calculator does at once is one line."""


@pytest.mark.parametrize(("equation", "worked"), ROWS)
def test_rows_are_worked_from_the_inside_out(equation: str, worked: str) -> None:
    trace = work(load({"given": {"X": [[2, 4]], "Z": [[0.5, 3]]}, "equations": [equation]}))
    text = page_of(trace, "terminal", 200, "rows")
    assert worked in re.sub(r"\s+", " ", text.replace("[1]", ""))
    assert false_on_pages(trace) == []


def test_a_minus_stands_once() -> None:
    trace = work(load({"given": {"x": [1.5, 2.25]}, "equations": ["y = -(x[1] + x[2])"]}))
    assert "y = −(1.5 + 2.25) = −3.75\n" in page_of(trace, "terminal", 200)


LONG = [
    (
        "sum(1 / (i + j + k) for i in r for j in r for k in r)",
        "= 1 / (1 + 1 + 1) + 1 / (1 + 1 + 2) + 1 / (1 + 1 + 3) + … + 1 / (46 + 46 + 46)",
    ),
    (
        "sum(c * i * k for i in r for k in r if i > k) / 2",
        "= (1.5 × 2 × 1 + 1.5 × 3 × 1 + 1.5 × 3 × 2 + … + 1.5 × 46 × 45) / 2",
    ),
    ("max(c * i - k for i in r for k in r)", "= max(1.5 × 1 − 1, 1.5 × 1 − 2, 1.5 × 1 − 3, …, 1.5"),
    ("prod(1 + c / (i + k) ** 4 for i in r for k in r) + 1", "= (1 + 1.5 / (1 + 1)^4) × (1 + 1.5"),
]
"""Long sums, products and maxima, and how they begin on a page."""


@pytest.mark.parametrize(("value", "begins"), LONG)
def test_long_sums_are_told_in_brief(value: str, begins: str) -> None:
    """As quick as NumPy, with the value that Python finds."""
    data = {"given": {"c": 1.5}, "sizes": {"r": 46}, "equations": [f"y = {value}"]}
    trace = work(load({**data, "rounding": {"policy": "exact"}}))
    text = re.sub(r"\s+", " ", page_of(trace, "terminal", 200))
    assert begins in text
    assert "≈" not in text
    of = re.sub(r"\bin r", "in range(1, 47)", value)
    own = re.sub(r"(sum|max|prod)\((.*)\)", r"\1([\2])", of)
    assert trace["y"].values.item() == pytest.approx(eval(own, {"prod": math.prod, "c": 1.5}))


def test_a_factor_of_the_others_is_counted() -> None:
    """A gradient of a product works the product of the others for each factor."""
    equations = ["x[i in r, j in r] = a + i / j", "y[i] = prod(x[i, j] for j)"]
    data = {
        "given": {"a": 1},
        "sizes": {"r": 400},
        "equations": [*equations, "l = sum(y[i] for i)"],
    }
    load(data)
    with pytest.raises(ScenarioError, match="y is worked from 64,000,000 numbers at once"):
        load({**data, "backward": True})
