"""Pages of published methods as equations: each sign, and each formula for all cells."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from attncli.formats import format_names
from tests.auditor import audit, audit_formulas, audit_numbers, audit_sentences
from tests.conftest import sampled, share
from tests.helpers.pages import SHIPPED, page_of, tables_of, trace_of
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
