"""Every sign on every page, read as a pocket calculator would."""

from __future__ import annotations

import json
import re
from collections import Counter
from decimal import Decimal
from itertools import chain, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli.formats import format_names
from attncli.maths.equations import deciding
from attncli.maths.equations.elision import elided_rows
from attncli.maths.equations.tree import Apply
from attncli.maths.operations.losses import TargetDifference
from attncli.maths.operations.operation import One
from attncli.maths.operations.rearranging import Listed
from attncli.names import GRADIENTS
from attncli.pages.parts.working import cell_line
from attncli.trace import Definition, Quantity, Trace
from tests.auditor import Report, audit, audit_numbers, audit_sentences
from tests.auditor.latex import plain
from tests.auditor.published import audit_published
from tests.conftest import FEWER, THOROUGH, sampled, share
from tests.helpers.pages import (
    LARGE,
    LIGHT,
    SHIPPED,
    WORDS_ONLY,
    a_few_pages,
    lessons_of,
    page_of,
    page_of_cells,
    printed_otherwise,
    steps_of,
    tables_of,
    trace_of,
)
from tests.helpers.plain import read
from tests.helpers.strategies import recurrents, scenarios, transformers, workable

FORMS = format_names()
DETAILS = ("full", "rows")
FEW_LINES = ("i_love_tennis", "dictionary", "three_tokens_assumed", WORDS_ONLY)
"""Scenarios whose lessons work little out."""
WIDE = "i_can_go_alone"  # 512 columns: a page of its own
VARIANTS: tuple[tuple[str, ...], ...] = (
    ("scale=sqrt_d_k",),
    ("rounding.policy=exact", "scale=sqrt_d_k"),
    ("rounding.policy=exact", "rounding.decimals=1", "activation=gelu"),
    ("rounding.decimals=0",),
    ("activation=gelu_tanh", "rounding.steps={scores: 1, ffn: 6}", "W_K[1,2]=-0.285"),
    ("activation=sigmoid", "scale=0.02", "W_Q[1,1]=12.5"),
)
# Quantities of which some cells have nothing to show: a sum of one number, a distance of 0, what
# is not turned, masked, kept; a word of one piece, a place with one way to it.
TABLES_ONLY = {
    "learn": {"counts", "symbols", "scores"},
    "prune": {"cut_scores", "growth"},
    "viterbi": {"totals", "best"},
}
"""What stands in tables alone where the detail is rows."""
BARE = {
    "exp_sum", "y_sum", "alibi", "rotated_Q", "rotated_K", "added", "filtered", "renormalized",
    "nucleus_sum", "cut_scores", "totals", "best",
}  # fmt: skip


def lines_of(trace: Trace, detail: str) -> dict[str, int]:
    """How many lines each quantity is told in at least: one a row, or one a cell."""
    made = [
        q for q in trace.quantities.values() if q.definition and not q.definition.operation.copies
    ]
    lists = lists_of(trace)
    counts = Counter[str]()
    if detail == "rows":
        return Counter(_step(q) for q in made if not _in_tables_only(q))
    for quantity in made:
        counts[lists.get(quantity.name, quantity.name)] += _lines(trace, quantity)
    return counts


def _step(quantity: Quantity) -> str:
    return quantity.definition.step if quantity.definition else ""


def _in_tables_only(quantity: Quantity) -> bool:
    return quantity.local in TABLES_ONLY.get(_step(quantity), ())


def lists_of(trace: Trace) -> dict[str, str]:
    """The lists that quantities are shown in, with those of other places."""
    return {
        operand: definition.name
        for definition in trace.plan
        if isinstance(definition.operation, Listed)
        for operand in definition.operands
    }


def rows_of_their_own(trace: Trace) -> set[str]:
    """The vectors of a cell that are told as one row, which is no working."""
    return {
        q.name
        for q in trace.quantities.values()
        if q.definition and q.is_list and re.search(r"\[\d+\](\.\w+)?$", q.name)
    }


def _lines(trace: Trace, quantity: Quantity) -> int:
    assert quantity.definition is not None
    n, m = quantity.matrix.shape
    n = sum(place is not None for place in elided_rows(n, of_list=quantity.is_list))
    share = re.sub(r"^(.*experts\[\d+\])\.(hidden|activated|ffn)$", r"\1.share", quantity.name)
    if share != quantity.name and share in trace:  # what goes to no expert isn't told there
        n = int(np.count_nonzero(trace[share].values))
    return n * m if quantity.definition.operation.layout == "cells" else n


def gathered(trace: Trace) -> set[str]:
    """Gradients that are told by rows without a working: those that are another one as it is, or
    put back to where its numbers came from, the sum of a single row, and p − y."""
    return {
        d.name
        for d in trace.plan
        if d.operation.repeats
        or (d.name.inside(GRADIENTS) and _sums_one_row(trace, d))
        or isinstance(d.operation, TargetDifference)
    }


def chosen(trace: Trace) -> set[str]:
    """Quantities of a scenario's own equations that are a choice, of which a cell may be a number as
    it is: `0 where j > i`."""
    formulas = {d.name: getattr(d.operation, "told", None) for d in trace.plan}
    return {
        name
        for name, formula in formulas.items()
        if formula is not None
        and isinstance(formula.right, Apply)
        and formula.right.function == "where"
    }


def _sums_one_row(trace: Trace, definition: Definition) -> bool:
    """Whether a quantity adds up the rows of another one, which has just one."""
    operand = (
        trace.quantities.get(definition.operands[0]) if len(definition.operands) == 1 else None
    )
    return operand is not None and operand.values.shape[0] == 1 and trace[definition.name].is_vector


def check(report: Report, trace: Trace, detail: str) -> None:
    """No false sign, and no line left unread."""
    assert report.false == []
    expected = lines_of(trace, detail)
    starts = {d.name for d in trace.plan if isinstance(d.operation, One)}  # 1, which is said
    assert report.told.keys() <= lines_of(trace, "full").keys() | rows_of_their_own(trace) | starts
    if detail == "rows":  # each step is worked once at least
        texts = {_step(trace[name]) for name in report.told}
        assert expected.keys() <= texts
        expected = Counter(report.told)
    assert all(report.told[name] >= count for name, count in expected.items())
    assert report.results == sum(report.told.values())
    bare = {name for name in report.bare if _local(name) not in BARE} - starts
    bare -= gathered(trace) | chosen(trace)
    assert bare <= rows_of_their_own(trace)
    fewest = {name: count for name, count in expected.items() if name not in report.bare}
    assert report.checked >= sum(fewest.values())
    assert report.elided == 0
    assert not (trace.rounding.carries and report.approximate)


def _local(name: str) -> str:
    """The name without its path and its time."""
    return name.rpartition(".")[2].partition("[")[0]


def check_all(trace: Trace, width: int, *, every: int = 5) -> None:
    """Formats and details of a trace's page, for another width or other numbers others."""
    tables = tables_of(trace)
    for form, detail in a_few_pages(trace, every, of=str(width)):
        check(audit(page_of(trace, form, width, detail), form, tables), trace, detail)


@sampled(
    89,
    name=[name for name in SHIPPED if name not in LARGE],
    detail=["summary", *DETAILS],
    form=FORMS,
)
def test_shipped_scenarios(name: str, detail: str, form: str) -> None:
    trace = trace_of(SHIPPED[name])
    tables = tables_of(trace)
    report = audit(page_of(trace, form, 80, detail), form, tables)
    if detail == "summary":
        assert report.false == []
        assert report.told.keys() <= rows_of_their_own(trace)
    else:
        check(report, trace, detail)
    tables_made = sum(not quantity.is_list for quantity in trace.quantities.values())
    if form in ("markdown", "latex") and detail == "full":
        # all but the lists, and those that stand side by side, row by row
        assert report.grids >= tables_made - 5 * len(trace.scenario.stack.layers)


@sampled(19, name=[name for name in SHIPPED if name not in LARGE], policy=["carry", "exact"])
def test_numbers_are_their_values_rounded(name: str, policy: str) -> None:
    trace = trace_of(SHIPPED[name], f"rounding.policy={policy}")
    assert [*audit_numbers(json.loads(page_of(trace, "json")))] == []


def sentences_of(trace: Trace) -> list[str]:
    """What is false in the sentences of a trace's page."""
    variants = {name: json.loads(page_of(entry, "json")) for name, entry in trace.variants.items()}
    return [*audit_sentences(json.loads(page_of(trace, "json")), variants)]


@sampled(19, name=[name for name in LIGHT if name != WIDE], policy=["carry", "exact"])
def test_sentences_that_carry_numbers(name: str, policy: str) -> None:
    assert sentences_of(trace_of(SHIPPED[name], f"rounding.policy={policy}")) == []


FOUND = (" attends ", "is most like", "most likely next token", "the cell is", "the norm of the")


@pytest.mark.parametrize(
    "name", ["i_love_ai", "pasta_lookup", "next_token", "yassine_rnn_sentence", "word_order"]
)
def test_another_number_in_a_sentence_is_found(name: str) -> None:
    page = {**json.loads(page_of(trace_of(SHIPPED[name]), "json")), "notes": []}
    spoilt = 0
    for step in page["steps"]:
        for text in [
            text for text in step.get("text", ()) if any(entry in text for entry in FOUND)
        ]:
            for digit in re.finditer(r"\d(?=[ )])", text):
                wrong = f"{text[: digit.start()]}{(int(digit[0]) + 1) % 10}{text[digit.end() :]}"
                steps = [{**step, "text": [wrong]}, *page["steps"]]
                assert [*audit_sentences({**page, "steps": steps})] != []
                spoilt += 1
    assert spoilt


COUNTED = (
    " differ from those ",
    " differs from that ",
    " of the source's ",
    " more numbers otherwise",
)
NUMBER = re.compile(r"(?<!row of )(?<!token )\b\d+\b(?![^()]*\): )")
"""No name, and not what was changed."""


@pytest.mark.parametrize(
    "name", ["i_love_ai", "three_tokens", "three_tokens_assumed", "tennis_and_rafael", "word_order"]
)
def test_another_count_in_a_sentence_is_found(name: str) -> None:
    """Each number in turn of a sentence that counts what differs, or doesn't follow."""
    trace = trace_of(SHIPPED[name])
    variants = {name: json.loads(page_of(entry, "json")) for name, entry in trace.variants.items()}
    text, published = page_of(trace, "json"), read(SHIPPED[name]).get("published")

    def false(page: str) -> list[str]:
        own = json.loads(page)
        of_source = audit_published(own, published, printed_otherwise(trace)) if published else ()
        return [*audit_sentences(own, variants), *of_source]

    sentences = re.findall(r'(?<=")(?:[^"\\]|\\.)+(?=")', text)
    counts = {s for s in sentences if any(part in s for part in COUNTED)}
    assert counts
    assert false(text) == []
    for value, place in (
        (count, found.span()) for count in counts for found in NUMBER.finditer(count)
    ):
        wrong = f"{value[: place[0]]}{int(value[slice(*place)]) + 1}{value[place[1] :]}"
        assert false(text.replace(value, wrong)) != [], wrong


def test_given_numbers_are_the_files() -> None:
    """The tables that names stand for are what PyYAML alone reads in the scenarios."""
    compared = 0
    for name in share(2, [name for name in SHIPPED if name not in LARGE], of="given"):
        tables = tables_of(trace_of(SHIPPED[name]))
        for path, rows in _matrices(read(SHIPPED[name]), ""):
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
    assert compared >= (60 if THOROUGH else 30)


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


@sampled(
    2,
    changes=[
        ("rounding.policy=exact", "activation=gelu"),
        ("rounding.policy=exact", "rounding.decimals=1", "norm=pre"),
        ("rounding.decimals=5", "positions=rope", "activation=silu", "norms.epsilon_in=deviation"),
        (
            "positions={kind: relative, table: [[0.5, 1], [0.25, 2], [-1, 0], [0.125, 3]]}",
            "mask=causal",
        ),
        ("positions=alibi", "norms.kind=rms", "mask=causal", "temperature=0.7", "softcap=5"),
    ],
)
def test_variants_of_an_encoder(changes: tuple[str, ...]) -> None:
    text = SHIPPED["encoder_block"]
    if any("kind=rms" in change for change in changes):
        text = re.sub(r", beta: \[[^]]*\]", "", text)
    check_all(trace_of(text, *changes), 80)


@sampled(3, name=["i_love_ai", "encoder_block"], width=[40, 60, 80, 120, 400])
def test_widths(name: str, width: int) -> None:
    trace = trace_of(SHIPPED[name])
    tables = tables_of(trace)
    for detail in DETAILS:
        check(audit(page_of(trace, "terminal", width, detail), "terminal", tables), trace, detail)


@pytest.mark.parametrize("form", FORMS)
def test_a_wide_scenario(form: str) -> None:
    """512 columns: what is left out can't be checked, and is said to be."""
    trace = trace_of(SHIPPED[WIDE])
    report = audit(page_of(trace, form), form, tables_of(trace))
    assert report.false == []
    assert report.told.keys() == lines_of(trace, "full").keys()
    assert report.results == sum(report.told.values())
    assert report.checked >= 60
    assert report.elided >= 60
    assert report.approximate == 0


def test_a_long_sum_in_full() -> None:
    """What the page leaves out `--cell` writes to its end."""
    trace = trace_of(SHIPPED[WIDE])
    page = page_of_cells(trace, ["Q[can, 7]", "scores[go, I]", "P[alone, 511]", "output[I, 512]"])
    report = audit(page, "terminal", tables_of(trace))
    assert report.false == []
    assert report.elided == 0
    assert report.checked >= 8


@sampled(17, name=[name for name in SHIPPED if name not in LARGE], form=["markdown", "latex"])
def test_lessons(name: str, form: str) -> None:
    """Their mistakes give other numbers than the tables have, as they should."""
    trace = trace_of(SHIPPED[name])
    for detail in DETAILS:
        report = audit(lessons_of(trace, form, detail), form, tables_of(trace))
        assert [x for x in report.false if not x.startswith(("result: ", "place: "))] == []
        assert report.checked >= (10 if detail == "full" else 1) or name in FEW_LINES


@sampled(9, name=[name for name in SHIPPED if name not in LARGE])
def test_mistakes_of_lessons_are_apart_in_json(name: str) -> None:
    """What stands among the working is what the tables have, and a mistake never is."""
    trace = trace_of(SHIPPED[name])
    page = lessons_of(trace, "json")
    assert audit(page, "json", tables_of(trace)).false == []
    known = {step.name: step for step in steps_of(trace)}
    for step in json.loads(page)["steps"]:
        mistakes = {mistake.name for mistake in known[step["step"]].mistakes}
        right = {line["cell"]: line["text"] for line in step["working"]}
        for wrong in step.get("mistakes", ()):
            assert wrong["name"] in mistakes
            assert right.get(wrong["cell"]) != wrong["text"]


def worked(text: str) -> Trace:
    with workable():
        return trace_of(text)


@settings(max_examples=settings().max_examples // 2)
@given(scenarios(), st.sampled_from([40, 60, 80, 120]))
def test_random_attentions(text: str, width: int) -> None:
    check_all(worked(text), width)


@settings(max_examples=FEWER)
@given(st.one_of(transformers(), recurrents()), st.sampled_from([40, 60, 80, 120]), st.data())
def test_random_transformers(text: str, width: int, data: st.DataObject) -> None:
    trace = worked(text)
    check_all(trace, width)
    assert [*audit_numbers(json.loads(page_of(trace, "json")))] == []
    check_working(trace)
    check_cells(trace, data)


def check_working(trace: Trace) -> None:
    """A number on the page is the value of the working beside it, for every cell."""
    for quantity in trace.quantities.values():
        if quantity.definition is None:
            continue
        operands = trace.operands(quantity.definition)
        for i in range(quantity.matrix.shape[0]):
            for j in range(quantity.matrix.shape[1]):
                forms = quantity.definition.operation.cell(i, j, *operands)
                # under `exact` only the first form has hidden digits: the others are of those shown
                for form in forms if trace.rounding.carries else forms[:1]:
                    value = deciding.full(form)
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
    several = st.lists(st.sampled_from([*trace.quantities.values()]), min_size=1, max_size=6)
    drawn = data.draw(several)
    wanted = []
    for quantity in drawn:
        i, j = (data.draw(st.integers(0, size - 1)) for size in quantity.matrix.shape)
        wanted.append(quantity.address(i, j))
    tables = tables_of(trace)
    for form in FORMS:
        report = audit(page_of_cells(trace, wanted, form), form, tables)
        assert report.false == []
        names = {quantity.name for quantity in drawn}
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


def test_halves_behind_endless_quotients() -> None:
    """0.001 / 0.003 × 1.0005 is 0.3335, though 0.001 / 0.003 has no end."""
    eye = "[[1, 0], [0, 1]]"
    matrices = "".join(f"{name}: {eye}\n" for name in ("W_Q", "W_K", "W_V", "W_O", "W1", "W2"))
    trace = trace_of(
        f"X: [[0.001, 0.002]]\nblock: encoder\nnorm: pre\n{matrices}"
        "norms: {kind: rms, epsilon: 0.000009}\nnorm1: {gamma: [1.0005, 0.75075]}\n"
    )
    assert trace["norm1.normed"].values.tolist() == [[0.334, 0.501]]
    check_all(trace, 80)


# All kinds of lines between them, in three small models.
DECODER = """\
sentence: the cat sat
embeddings: {the: [0.5, -0.2], cat: [0.1, 0.9], sat: [0.3, 0.4]}
embedding_scale: sqrt_d_model
positions: [{kind: rope, base: 100}]
segments: [0, 1, 1]
segment_embeddings: [[0.1, 0.2], [0.3, -0.4]]
embedding_norm: {gamma: [1.5, 0.5], beta: [0.1, 0.2]}
layers:
  - block: decoder
    W_Q: [[0.5, 0.2], [0.1, 0.3]]
    W_K: [[0.5, 0.2], [0.1, -0.3]]
    W_V: [[0.5, 0.2], [0.1, 0.3]]
    W_O: [[0.5, 0.2], [0.1, 0.3]]
    cache: {tokens: [so], K: [[0.5, 0.7]], V: [[0.25, 0.75]]}
    dropout: {p: 0.1, mask: [[1, 1, 1, 0], [1, 0, 1, 1], [1, 1, 1, 1]]}
    softcap: 2
    temperature: 1.5
    mask: [causal, {add: [[0.5, 0.25, 0, 0], [0.5, 0.25, 0, -inf], [0.5, 0, -inf, 0]]}]
    norms: {kind: rms}
    W1: [[0.5, 0.2], [0.1, 0.3]]
    W3: [[0.5, 0.2], [0.1, 0.3]]
    W2: [[0.5, 0.2], [0.1, 0.3]]
    b1: [0.7, 0.3]
    activation: swiglu
unembedding: tied
next: {temperature: 0.8, top_p: 0.95, top_k: 2}
predict_from: every
"""
ENCODER = """\
sentence: the cat sat
embeddings: {the: [0.5, -0.2, 0.3, 0.1], cat: [0.1, 0.9, 0.7, 0.2], sat: [0.3, 0.4, -0.3, 0.6]}
positions: [sinusoidal, alibi]
heads: 2
d_ff: 3
layers:
  - {W_Q: &W {random: normal, seed: 1}, W_K: *W, W_V: *W, W_O: *W, W1: *W, W2: *W,
     norms: {over: n-1, epsilon: 0.1}, activation: gelu}
  - {W_Q: &U {random: uniform, seed: 2, low: -1, high: 1}, W_K: *U, W_V: *U, W_O: *U, W1: *U,
     W2: *U, norm: pre, norms: {epsilon_in: deviation}, activation: gelu_tanh}
final_norm: {kind: rms, gamma: [1.25, 0.75, 1, 1]}
unembedding: tied
targets: [cat, sat, the]
"""
CROSS = """\
X: [[0.5, -0.25], [0.75, 1.5]]
memory: [[0.3, 0.1, -0.7], [0.9, -0.2, 0.4]]
block: decoder
weights_layout: linear
norm: none
W_Q: [[0.5, 0.2], [0.1, 0.3], [-0.6, 0.2], [0.4, 0.7]]
W_K: [[0.5, 0.2], [0.1, -0.3]]
W_V: [[0.5, 0.2], [0.1, 0.3]]
W_O: [[0.5, 0.2, 0.7, 0.1], [0.1, 0.3, -0.5, 0.2]]
b_Q: [0.1, 0.2, 0.3, 0.4]
heads: 2
kv_heads: 1
cross: {heads: [{W_Q: [[1, 2]], W_K: [[3, 1, 2]], W_V: [[1, 0, 2]], bias: [[0.1, 0.2], [0.3, 0.4]]}],
        W_O: [[0.5], [1.5]]}
W1: [[0.25, 0.75]]
W2: [[0.5], [2]]
b2: [0.1, -0.3]
activation: sigmoid
"""
MODELS = {"decoder": DECODER, "encoder": ENCODER, "cross": CROSS}


@sampled(3, policy=["carry", "exact"], name=MODELS)
def test_small_models(policy: str, name: str) -> None:
    trace = trace_of(MODELS[name], f"rounding.policy={policy}")
    check_all(trace, 60, every=2)
    check_working(trace)


RESULT = re.compile(r"\d(?=\]?\$?(?:\",?| \\\\)?$)")
BEFORE = re.compile(r"(?<![\d.])\d(?=[\d.]*(?:\\right|[\])}])*\s*= [^=]*$)")
PLACES = {"result": RESULT, "before": BEFORE}
LABELS = {
    "terminal": re.compile(r"  (?:.*?  )?([^\s=≈](?: ?[^\s=≈])*)\s+= "),  # beside a product, too
    "markdown": re.compile(r"[-*] `(.*?\]|\w+)` \$= "),
    "json": re.compile(r'\s*"text": "(.*?) = '),
    "latex": re.compile(r"  (\S.*?) &= "),
}
ZERO = re.compile(r"(?<![\d.])0(?:\.0+)?(?![\d.])|∞|infty")
KINDS = {  # those with more than a copy to show, at least
    "activated", "added", "alibi", "attention", "biased", "capped", "centered", "cross_entropy",
    "deviation", "dropped", "exp", "exp_sum", "ffn", "gated", "hidden", "K_cosine", "K_new",
    "logits", "loss", "mean", "mean_square", "normed", "nucleus_sum", "output", "P", "perplexity",
    "probabilities", "Q", "Q_sine", "renormalized", "residual1", "residual3", "rms", "rotated_Q",
    "scaled", "scaled_E", "scores", "summed", "tempered", "up", "variance", "weights", "X",
}  # fmt: skip


def unrolled(page: str) -> str:
    """A TeX page with each line of working in one line, and without what only lays it out."""
    page = re.sub(r" \\\\\*(?:\[[\d.]+ex\])?\n +&(?:\\quad )?(?:\\qquad)?", " ", page)
    page = re.sub(r"\\phantom\{[-.0]+\}|(?<= \\\\)\[[\d.]+ex\]$", "", page, flags=re.MULTILINE)
    page = re.sub(r"\{\\attnink\{\w\}(-?[\d.]+)\}", r"\1", page)
    return re.sub(r"\\attnink\{\w\}", "", page).replace(" &&=", " =")


def planted(page: str, form: str, where: re.Pattern[str]) -> tuple[str, dict[str, str]]:
    """A page with one digit wrong in the first fit line of each kind, and these lines' labels.

    The digit is the last of the result, or the first of the number before the last `=`.
    """
    lines, wrong = page.split("\n"), dict[str, str]()
    for k, line in enumerate(lines):
        label, digit = LABELS[form].match(line), where.search(line)
        if label is None or digit is None or _hides_errors(line[label.end() :], where):
            continue
        told = plain(label[1]) if form == "latex" else label[1].replace('\\"', '"')
        kind = re.sub(r"\[[^]]*\]$", "", told).rpartition(".")[2]
        if kind not in wrong:
            other = str((int(digit[0]) + 5) % 10)
            lines[k] = line[: digit.start()] + other + line[digit.end() :]
            wrong[kind] = told
    return "\n".join(lines), wrong


def _hides_errors(working: str, where: re.Pattern[str]) -> bool:
    """Whether a line says only a number, or has a zero or a maximum that makes wrong digits right."""
    if where is RESULT:
        working = re.sub(r"\^\(0/|\^\{0/", "", working)
    return "=" not in working or re.search(ZERO, working) is not None


@sampled(7, place=PLACES, form=LABELS)  # HTML is read into the same lines
def test_the_auditor_finds_wrong_digits(place: str, form: str) -> None:
    """One wrong digit makes a sign false, in each kind of line and wherever it stands."""
    kinds, where = set[str](), PLACES[place]
    for text, detail in product(MODELS.values(), DETAILS):
        trace = trace_of(text, "rounding.decimals=4")
        page = page_of(trace, form, 1000, detail)
        page, wrong = planted(unrolled(page) if form == "latex" else page, form, where)
        assert signs_found(audit(page, form, tables_of(trace))) == {*wrong.values()}
        kinds |= wrong.keys()
    once = {"K_cosine", "Q_sine"} if where is BEFORE else set()  # (0/2) is (0/7)
    assert KINDS - kinds == once


def signs_found(report: Report) -> set[str]:
    """The labels of lines that have a false sign."""
    signs = [x.removeprefix("sign: ") for x in report.false if x.startswith("sign: ")]
    return {re.split(r": ", sign)[0] for sign in signs}


def test_the_auditor_divides_at_once() -> None:
    """A quotient that ends in a 5 is not rounded on the way."""
    for right, wrong in (
        ("0.270 / 0.288 = 0.938", "0.270 / 0.288 = 0.937"),
        ("[0.270, 2] / 0.288 = [0.938, 6.944]", "[0.270, 2] / 0.288 = [0.937, 6.944]"),
        ("1 / 3 × 1.0005 = 0.334", "1 / 3 × 1.0005 = 0.333"),
    ):
        assert audit(f"  a = {right}", "terminal", None).false == []
        assert audit(f"  a = {wrong}", "terminal", None).false != []


def test_the_auditor_finds_other_faults() -> None:
    """Signs that are too modest, zeros with a minus, wrong places, wrong tables."""
    trace = trace_of(SHIPPED["three_tokens_two_heads"])
    tables = tables_of(trace)
    for form, right, wrong, kind in (
        ("terminal", "] · [", "] ≈ [", "sign"),
        ("terminal", "× W_O = [", "× W_O ≈ [", "sign"),
        ("terminal", "× W_O = [", "× W_Q = [", "sign"),
        ("terminal", "Head 1 · Softmax", "Head 2 · Softmax", "heading"),
        ("terminal", "\n\n  exp[", "\n\n  output[", "place"),
        ("terminal", "\n\n  exp[", "\n\n  expo[", "result"),
        ("markdown", " | 1.00 |\n", " | 1.02 |\n", "sum"),
        ("markdown", "\n| `scores`", "\n| `weights`", "table"),
        ("json", " = 0.", " = −0.00 = 0.", "forbidden"),
        ("latex", "$1.00$ \\\\\n\\bottomrule", "$1.02$ \\\\\n\\bottomrule", "sum"),
        ("latex", "\n$\\mathrm{concat}$", "\n$\\mathrm{attention}$", "table"),
        ("latex", " & $\\mathrm{scores}$", " & $\\mathrm{weights}$", "table of a product"),
        ("latex", "{2}\n  \\mathrm{exp}[", "{2}\n  \\mathrm{output}[", "place"),
    ):
        page = page_of(trace, form, 1000, "full" if "·" in right else "rows")
        assert audit(page, form, tables).false == []
        assert right in page, right
        false = audit(page.replace(right, wrong, 1), form, tables).false
        assert any(x.startswith(kind) for x in false), (wrong, false)


NESTED = """\
X: [[1, 2], [0.5, 1]]
encoder:
  X: [[0.3, 0.4]]
  layers:
    - &L {W_Q: &W [[1, 0], [0, 1]], W_K: *W, W_V: *W, W_O: *W, W1: [[1], [1]], W2: [[1, 1]]}
    - *L
layers:
  - {block: decoder, W_Q: *W, W_K: *W, W_V: *W, W_O: *W, W1: *W, W2: *W, heads: 2,
     cross: {heads: 2, W_Q: *W, W_K: *W, W_V: *W, W_O: *W}}
"""


@pytest.mark.parametrize("text", [*MODELS.values(), NESTED], ids=[*MODELS, "nested"])
def test_each_quantity_has_cells_to_ask_for(text: str) -> None:
    """`--cell` reaches a cell of each quantity by its full name."""
    trace = trace_of(text)
    tables = tables_of(trace)
    for quantity in trace.quantities.values():
        page = page_of_cells(trace, [quantity.address(0, 0)])
        report = audit(page, "terminal", tables)
        assert report.false == []
        assert [*report.told] == [quantity.name]
