"""Every sign on every page, read as a pocket calculator would."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import assume, given

from attncli import ScenarioError
from attncli.arithmetic import evaluation
from attncli.scenario.address import parse_address
from attncli.telling.working import cell_line
from attncli.trace import Trace
from tests import oracle
from tests.auditor import Report, audit, names_of, plain_of_markdown
from tests.pages import SHIPPED, page_of, trace_of
from tests.strategies import scenarios

VARIANTS: tuple[tuple[str, ...], ...] = (
    (),
    ("scale=sqrt_d_k",),
    ("rounding.policy=exact", "scale=sqrt_d_k"),
    ("rounding.policy=exact", "rounding.decimals=1", "activation=gelu"),
    ("rounding.decimals=0",),
    ("activation=gelu_tanh", "rounding.steps={scores: 1, ffn: 6}", "W_K[1,2]=-0.285"),
    ("activation=sigmoid", "scale=0.02", "W_Q[1,1]=12.5"),
)


def audited(trace: Trace, text: str, form: str, width: int, detail: str) -> Report:
    page = page_of(trace, form, width, detail)
    if form == "markdown":
        page = plain_of_markdown(page)
    if form == "json":
        lines = [line for step in json.loads(page)["steps"] for line in step["working"]]
        page = "\n".join(line["text"] for line in lines)
    return audit(page, {**shown_matrices(trace), **names_of(oracle.read(text))})


def shown_matrices(trace: Trace) -> dict[str, list[list[Decimal]]]:
    """The tables of a page, as figures: a row of working may name one, `[1, 0] × Kᵀ`."""
    steps = json.loads(page_of(trace, "json"))["steps"]
    tables = [table for step in steps for table in step["quantities"] if table["columns"]]
    return {
        table["name"]: [[Decimal(x.replace("−", "-")) for x in row] for row in table["text"]]
        for table in tables
    }


def signs_of(trace: Trace, detail: str = "rows") -> int:
    """At least how many signs a page has: one for each row of what was made; a sum of one
    figure has nothing to show."""
    made = [q for q in trace.quantities.values() if not q.given and q.name != "exp_sum"]
    if detail == "rows":
        return sum(q.matrix.shape[0] for q in made)
    by_cell = [q for q in made if q.making and q.making.operation.layout == "cells"]
    return sum(q.matrix.values.size for q in by_cell)


@pytest.mark.parametrize("changes", VARIANTS)
@pytest.mark.parametrize("form", ["terminal", "markdown", "json"])
@pytest.mark.parametrize("detail", ["full", "rows"])
@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scenarios(name: str, detail: str, form: str, changes: tuple[str, ...]) -> None:
    trace = trace_of(SHIPPED[name], *changes)
    data = oracle.read(SHIPPED[name])
    for change in changes:
        if change.startswith("W_"):
            key, value = change.split("=")
            row, column = key[4:-1].split(",")
            data[key[:3]][int(row) - 1][int(column) - 1] = value
    text = yaml_of(data)
    for width in (40, 60, 80, 120, 400):
        report = audited(trace, text, form, width, detail)
        assert report.false == []
        assert report.checked >= signs_of(trace, detail)
        assert report.elided == 0
        if trace.rounding.carries:
            assert report.approximate == 0


def yaml_of(data: object) -> str:
    return json.dumps(data)


@given(scenarios())
def test_random_scenarios(text: str) -> None:
    try:
        trace = trace_of(text)
    except ScenarioError as error:
        assume("rounds to 0" not in str(error))
        raise
    for form in ("terminal", "markdown", "json"):
        for detail in ("full", "rows"):
            report = audited(trace, text, form, 80, detail)
            assert report.false == []
            assert report.checked >= signs_of(trace, detail)
            assert report.approximate == 0 or not trace.rounding.carries


@given(scenarios())
def test_working_is_value(text: str) -> None:
    """A number on the page is the value of the working beside it, for every cell."""
    try:
        trace = trace_of(text)
    except ScenarioError:
        assume(False)
        raise
    for quantity in trace.quantities.values():
        if quantity.making is None:
            continue
        operands = trace.operands(quantity.making)
        for i in range(quantity.matrix.shape[0]):
            for j in range(quantity.matrix.shape[1]):
                form = quantity.making.operation.cell(i, j, *operands)[0]
                value = float(evaluation.full(form))
                rounded = 0.5 * 10.0**-quantity.matrix.decimals if trace.rounding.carries else 0
                assert abs(value - quantity.values[i, j]) <= rounded + 1e-12 * (1 + abs(value))
                line = cell_line(trace, quantity, i, j)
                assert line.parts[-1][0] == "=" or not trace.rounding.carries


@given(scenarios())
def test_lines_end_in_the_figures_of_their_tables(text: str) -> None:
    """A number on the page is the value of the working beside it: line and table agree."""
    try:
        trace = trace_of(text)
    except ScenarioError:
        return
    steps = json.loads(page_of(trace, "json"))["steps"]
    tables = {table["name"]: table["text"] for step in steps for table in step["quantities"]}
    compared = 0
    for line in (line for step in steps for line in step["working"]):
        address = parse_address(line["cell"])
        quantity = trace[address.name]
        result = line["text"].rsplit(" = " if " = " in line["text"] else " ≈ ", 1)[-1]
        if len(address.indices) == 2 or quantity.is_list:
            i, j = quantity.find(address)
            cell = tables[address.name][i] if quantity.is_list else tables[address.name][i][j]
        else:
            i = quantity.rows.find(address.indices[0], address.name)
            cell = f"[{', '.join(tables[address.name][i])}]"
        assert result.rsplit(" ≈ ", 1)[-1] == cell
        compared += 1
    assert compared >= 7


WIDE = """\
scores: [[0, 1, -1], [1, 0, 0.5], [2, 2, 2]]
scale: none
V:
  - [-1.572, 0.265, -0.78, 0.624, 0.754, -2.607, -2.921, 2.025]
  - [-1.444, -1.594, 2.974, -0.178, 2.019, -0.142, 0.834, -2.096]
  - [0.5, -0.25, 100, 3, -7.125, 0, 1.0, 2]
W1: [[1, -1], [1, 1], [0.5, 2], [1, 1], [-2, 0], [3, 1], [1, 0.25], [1, 1]]
W2: [[1], [-1]]
"""
NEGATIVE = "weights: [[0.5, -0.5], [-1.0, -2.0]]\nV: [[1, -2], [3, 4]]\n"


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize("text", [WIDE, NEGATIVE], ids=["wide", "negative"])
def test_long_and_negative_addends(text: str, policy: str) -> None:
    trace = trace_of(text, f"rounding.policy={policy}")
    for width in (40, 60, 80, 120, 300):
        for detail in ("full", "rows"):
            for form in ("terminal", "markdown", "json"):
                report = audited(trace, text, form, width, detail)
                assert report.false == []
                assert report.checked >= signs_of(trace)
    assert "+ −" not in page_of(trace)
    page = page_of(trace, "terminal", 60)
    assert max(map(len, page.split("\n"))) <= 60


def test_the_auditor_finds_false_signs() -> None:
    """The auditor itself: a page with one wrong digit has one false sign."""
    page = page_of(trace_of(SHIPPED["i_love_ai"]))
    names = names_of(oracle.read(SHIPPED["i_love_ai"]))
    assert audit(page, names).false == []
    for right, wrong in (
        ("7.389 / 12.825  = 0.576", "7.389 / 12.825  = 0.577"),
        ("[1×1 + 1×0, 1×1 + 1×1] = [1, 2]", "[1×1 + 1×0, 1×1 + 1×1] = [1, 3]"),
        ("[0.422, 0.844]", "[0.422, 0.845]"),
        ("[1.998, 2.265]\n", "[2.000, 2.265]\n"),
        ("e^3 = 20.086", "e^3 ≈ 20.086"),
        ("+ 2.718 + 7.389  = 12.825", "+ 2.718 + 7.389  = −0.000"),
        ("× W_K = [1×1 + 1×0, 1×1", "× W_K = [1×1 + 1×1, 1×1"),
    ):
        assert right in page, right
        found = audit(page.replace(right, wrong, 1), names).false
        assert found, wrong
