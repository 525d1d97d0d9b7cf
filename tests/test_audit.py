"""Every sign on every page, read as a pocket calculator would."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from itertools import chain
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attncli import ScenarioError
from attncli.arithmetic import evaluation
from attncli.telling.working import cell_line
from attncli.trace import Quantity, Trace
from tests import oracle
from tests.auditor import Report, Tables, audit, audit_figures
from tests.pages import SHIPPED, page_of, page_of_cells, trace_of
from tests.strategies import scenarios, transformers

FORMS = ("terminal", "markdown", "json")
DETAILS = ("full", "rows")
WIDE = "i_can_go_alone"  # 512 columns: a page of its own
VARIANTS: tuple[tuple[str, ...], ...] = (
    ("scale=sqrt_d_k",),
    ("rounding.policy=exact", "scale=sqrt_d_k"),
    ("rounding.policy=exact", "rounding.decimals=1", "activation=gelu"),
    ("rounding.decimals=0",),
    ("activation=gelu_tanh", "rounding.steps={scores: 1, ffn: 6}", "W_K[1,2]=-0.285"),
    ("activation=sigmoid", "scale=0.02", "W_Q[1,1]=12.5"),
)
# Quantities of which some cells have nothing to show: a sum of one figure, a distance of 0, what
# is not turned, masked, kept.
BARE = {
    "exp_sum", "alibi", "rotated_Q", "rotated_K", "added", "filtered", "renormalized",
    "nucleus_sum",
}  # fmt: skip


def tables_of(trace: Trace) -> Tables:
    return Tables(json.loads(page_of(trace, "json", detail="rows")))


def lines_of(trace: Trace, detail: str) -> dict[str, int]:
    """How many lines each quantity is told in at least: one a row, or one a cell."""
    made = [q for q in trace.quantities.values() if q.making and not q.making.operation.copies]
    return {quantity.name: _lines(quantity, detail) for quantity in made}


def _lines(quantity: Quantity, detail: str) -> int:
    assert quantity.making is not None
    n, m = quantity.matrix.shape
    return n * m if detail == "full" and quantity.making.operation.layout == "cells" else n


def check(report: Report, trace: Trace, detail: str) -> None:
    """No false sign, and no line left unread."""
    assert report.false == []
    expected = lines_of(trace, detail)
    assert report.told.keys() == expected.keys()
    assert all(report.told[name] >= count for name, count in expected.items())
    assert report.results == sum(report.told.values())
    bare = {name for name in report.bare if name.rpartition(".")[2] not in BARE}
    assert bare == set()
    fewest = {name: count for name, count in expected.items() if name not in report.bare}
    assert report.checked >= sum(fewest.values())
    assert report.elided == 0
    assert not (trace.rounding.carries and report.approximate)


def check_all(trace: Trace, width: int) -> None:
    """Every format and detail of a trace's page."""
    tables = tables_of(trace)
    for form in FORMS:
        for detail in DETAILS:
            check(audit(page_of(trace, form, width, detail), form, tables), trace, detail)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("detail", ["summary", *DETAILS])
@pytest.mark.parametrize("name", [name for name in SHIPPED if name != WIDE])
def test_shipped_scenarios(name: str, detail: str, form: str) -> None:
    trace = trace_of(SHIPPED[name])
    tables = tables_of(trace)
    report = audit(page_of(trace, form, 80, detail), form, tables)
    if detail == "summary":
        assert report.false == []
        assert report.told == {}
    else:
        check(report, trace, detail)
    given_and_made = len(trace.quantities)
    if form == "markdown" and detail == "full":  # all but those that stand side by side, row by row
        assert report.grids >= given_and_made - 5 * len(trace.scenario.stack.layers)


@pytest.mark.parametrize("name", [name for name in SHIPPED if name != WIDE])
def test_figures_are_their_values_rounded(name: str) -> None:
    for policy in ("carry", "exact"):
        trace = trace_of(SHIPPED[name], f"rounding.policy={policy}")
        assert [*audit_figures(json.loads(page_of(trace, "json")))] == []


def test_given_figures_are_the_files() -> None:
    """The tables that names stand for are what PyYAML alone reads in the scenarios."""
    compared = 0
    for name in SHIPPED:
        if name == WIDE:
            continue
        tables = tables_of(trace_of(SHIPPED[name]))
        for path, rows in _matrices(oracle.read(SHIPPED[name]), ""):
            full = path if path in tables.given else path.replace("layers[1].", "")
            if full in tables.given:
                shown = [
                    [text.replace("−", "-").replace("∞", "inf") for text in row]
                    for row in tables[full].text
                ]
                written = [[str(x).removeprefix("+") for x in row] for row in rows]
                sort = sorted if path.endswith("embeddings") else list  # a map's rows go by ID
                assert sort(shown) == sort(written)
                compared += 1
    assert compared >= 60


def _matrices(data: Any, path: str) -> list[tuple[str, list[Any]]]:
    """The matrices of a YAML tree by their paths."""
    if isinstance(data, dict):
        if data and all(isinstance(value, list) for value in data.values()) and "W_Q" not in data:
            rows = [(path, [*data.values()])]
        else:
            rows = []
        parts = [(f"{path}.{key}" if path else str(key), value) for key, value in data.items()]
        return [*rows, *chain.from_iterable(_matrices(value, p) for p, value in parts)]
    if not isinstance(data, list) or not data:
        return []
    if all(isinstance(row, list) for row in data):
        return [(path, data)]
    if all(isinstance(row, dict) for row in data):
        return [
            *chain.from_iterable(_matrices(row, f"{path}[{k}]") for k, row in enumerate(data, 1))
        ]
    return [(path, [data])]


@pytest.mark.parametrize("changes", VARIANTS)
def test_variants_of_a_scenario(changes: tuple[str, ...]) -> None:
    check_all(trace_of(SHIPPED["i_love_ai"], *changes), 80)


@pytest.mark.parametrize(
    "changes",
    [
        ("rounding.policy=exact", "activation=gelu"),
        ("rounding.policy=exact", "rounding.decimals=1", "norm=pre"),
        ("rounding.decimals=5", "positions=rope", "activation=silu", "norms.epsilon_in=deviation"),
        ("positions=alibi", "norms.kind=rms", "mask=causal", "temperature=0.7", "softcap=5"),
    ],
)
def test_variants_of_an_encoder(changes: tuple[str, ...]) -> None:
    text = SHIPPED["encoder_block"]
    if any("kind=rms" in change for change in changes):
        text = re.sub(r", beta: \[[^]]*\]", "", text)
    check_all(trace_of(text, *changes), 80)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 400])
@pytest.mark.parametrize("name", ["i_love_ai", "encoder_block"])
def test_widths(name: str, width: int) -> None:
    trace = trace_of(SHIPPED[name])
    tables = tables_of(trace)
    for detail in DETAILS:
        check(audit(page_of(trace, "terminal", width, detail), "terminal", tables), trace, detail)


@pytest.mark.parametrize("form", ["terminal", "markdown"])
def test_a_wide_scenario(form: str) -> None:
    """512 columns: what is left out can't be checked, and is said to be; its JSON is too long."""
    trace = trace_of(SHIPPED[WIDE])
    report = audit(page_of(trace, form), form, None)
    assert report.false == []
    assert report.elided >= 60
    assert report.checked >= 40
    assert report.approximate == 0


def test_a_long_sum_in_full() -> None:
    """What the page leaves out `--cell` writes to its end."""
    trace = trace_of(SHIPPED[WIDE])
    page = page_of_cells(trace, ["Q[can, 7]", "scores[go, I]", "P[alone, 511]", "output[I, 512]"])
    report = audit(page, "terminal", None)
    assert report.false == []
    assert report.elided == 0
    assert report.checked >= 8


def worked(text: str) -> Trace:
    try:
        return trace_of(text)
    except ScenarioError as error:
        assume("rounds to 0" not in str(error))
        raise


@settings(max_examples=settings().max_examples // 2)
@given(scenarios(), st.sampled_from([40, 60, 80, 120]))
def test_random_attentions(text: str, width: int) -> None:
    check_all(worked(text), width)


@given(transformers(), st.sampled_from([40, 60, 80, 120]), st.data())
def test_random_transformers(text: str, width: int, data: st.DataObject) -> None:
    trace = worked(text)
    check_all(trace, width)
    assert [*audit_figures(json.loads(page_of(trace, "json")))] == []
    check_working(trace)
    check_cells(trace, data)


def check_working(trace: Trace) -> None:
    """A number on the page is the value of the working beside it, for every cell."""
    for quantity in trace.quantities.values():
        if quantity.making is None:
            continue
        operands = trace.operands(quantity.making)
        for i in range(quantity.matrix.shape[0]):
            for j in range(quantity.matrix.shape[1]):
                forms = quantity.making.operation.cell(i, j, *operands)
                # under `exact` only the first form has hidden digits: the others are of those shown
                for form in forms if trace.rounding.carries else forms[:1]:
                    value = evaluation.full(form)
                    assert is_value(value, quantity, i, j, carries=trace.rounding.carries)
                line = cell_line(trace, quantity, i, j)
                assert line.parts[-1][0] == "=" or not trace.rounding.carries


def is_value(value: Decimal, quantity: Quantity, i: int, j: int, *, carries: bool) -> bool:
    held = float(quantity.values[i, j])
    if not value.is_finite():
        return float(value) == held
    rounded = 0.5 * 10.0**-quantity.matrix.decimals if carries else 0
    return abs(float(value) - held) <= rounded + 1e-12 * (1 + abs(float(value)))


def check_cells(trace: Trace, data: st.DataObject) -> None:
    """Cells by their full names, in sections that leave paths out elsewhere."""
    drawn = st.lists(st.sampled_from([*trace.quantities.values()]), min_size=1, max_size=6)
    wanted = []
    for quantity in data.draw(drawn):
        i, j = (data.draw(st.integers(0, size - 1)) for size in quantity.matrix.shape)
        wanted.append(f"{quantity.name}[{', '.join(quantity.indices(i, j))}]")
    tables = tables_of(trace)
    for form in FORMS:
        report = audit(page_of_cells(trace, wanted, form), form, tables)
        assert report.false == []
        names = {cell.rpartition("[")[0] for cell in wanted}
        assert report.told.keys() == (names if form != "json" else names - tables.given)
        assert report.elided == 0
        assert report.results == sum(report.told.values())


LONG = """\
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
@pytest.mark.parametrize("text", [LONG, NEGATIVE], ids=["long", "negative"])
def test_long_and_negative_addends(text: str, policy: str) -> None:
    trace = trace_of(text, f"rounding.policy={policy}")
    for width in (40, 60, 80, 120, 300):
        check_all(trace, width)
    assert "+ −" not in page_of(trace)
    page = page_of(trace, "terminal", 60)
    assert max(map(len, page.split("\n"))) <= 60
