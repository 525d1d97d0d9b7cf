"""Pages of the way back through a stack: one layer and one head of it are told, the others alike."""

from __future__ import annotations

import json
import re

from attncli.formats import RenderOptions, render
from attncli.pages.parts.selection import select
from attncli.pages.walkthrough import as_it_fits, walkthrough
from attncli.trace import Trace
from tests.auditor import audit
from tests.conftest import sampled
from tests.helpers.pages import page_of, tables_of, trace_of
from tests.pages.test_audit import DETAILS, FORMS, check

LAYER = """\
  - W_Q: [[0.3, -0.2], [0.1, 0.4]]
    W_K: [[0.2, 0.5], [-0.3, 0.1]]
    W_V: [[0.4, -0.1], [0.2, 0.3]]
    W_O: [[0.5, 0.2], [-0.4, 0.3]]
    W1: [[0.2, -0.5, 0.4], [0.3, 0.1, -0.2]]
    W2: [[0.3, 0.2], [-0.1, 0.4], [0.5, -0.3]]
"""
STACK = f"""\
title: A stack
X: {{the: [1, 0.5], cat: [-0.5, 1], sat: [0.8, -1]}}
heads: 2
residuals: true
norms: {{kind: rms}}
layers:
{LAYER}{LAYER.replace("0.3", "0.6")}{LAYER.replace("0.2", "0.7")}
targets: [[1, 0], [0, 1], [0.5, 0.5]]
"""
BACK = {"backward": STACK + "backward: true\n", "train": STACK + "train: {learning_rate: 0.1}\n"}


def brief(trace: Trace) -> str:
    return render(as_it_fits(trace, select(trace)), "terminal", RenderOptions(80))


@sampled(2, name=BACK)
def test_only_the_last_layer_is_told_on_the_way_back(name: str) -> None:
    page = brief(trace_of(BACK[name]))
    values = re.findall(r"^[\d–]+ · (Layer \d.*Backward through the \w+)", page, re.MULTILINE)
    assert [value for value in values if not value.startswith("Layer 3")] == [
        "Layer 2 · Backward through the projections",
        # what goes into the first layer isn't learned: nothing is handed on
        "Layer 1 · Backward through the projections",
    ]
    heads = [value for value in values if "Head" in value]
    assert heads[0].startswith("Layer 3 · Head 2 · ")  # worked first
    assert [head for head in heads if "Head 1" in head] == [
        "Layer 3 · Head 1 · Backward through the softmax"
    ]
    assert "Layer 2 goes back as layer 3 does, with its own numbers: see --layer 2.\n" in page
    handed_on = page.partition("see --layer 2.")[2].partition("·")[0]
    assert "layers[1].norm2.normed │" in handed_on
    assert "grad.layers[1].norm2.normed │" in handed_on
    in_full = page_of(trace_of(BACK[name])).count("\n")
    assert page.count("\n") < 0.4 * in_full


def test_what_is_told_in_a_word_is_there_for_the_asking() -> None:
    trace = trace_of(BACK["backward"])
    every = json.loads(page_of(trace, "json"))
    some = json.loads(page_of(trace, "json", detail="rows"))
    values, there = (
        sorted(value["name"] for step in page["steps"] for value in step["quantities"])
        for page in (some, every)
    )
    assert values == there
    layer = render(as_it_fits(trace, select(trace, layer="2")), "terminal", RenderOptions(80))
    assert "Layer 2 · Head 2 · Backward through the scores" in layer
    assert "goes back as" not in layer


@sampled(7, name=[*BACK], detail=DETAILS[::-1], form=FORMS)
def test_every_figure_is_true(name: str, detail: str, form: str) -> None:
    trace = trace_of(BACK[name].replace(LAYER, ""))
    check(audit(page_of(trace, form, 80, detail), form, tables_of(trace)), trace, detail)


def test_a_table_is_called_as_its_lines_are() -> None:
    page = page_of(trace_of(BACK["backward"]), detail="rows")
    section = page.partition("Layer 3 · Head 2 · Backward through the softmax")[2]
    assert "  grad.scaled[" in section.partition(" · ")[0]
    assert "  grad.scaled │" in section.partition(" · ")[0]


def test_a_single_layer_is_told_whole() -> None:
    alone = STACK.replace(LAYER.replace("0.3", "0.6") + LAYER.replace("0.2", "0.7"), "")
    assert "goes back as" not in brief(trace_of(alone + "backward: true\n"))


def test_a_step_that_is_asked_for_is_told_everywhere() -> None:
    trace = trace_of(BACK["backward"])
    for step, title in (("scores", "Attention scores"), ("backward_scores", "the scores")):
        page = render(as_it_fits(trace, select(trace, [step])), "terminal", RenderOptions(80))
        assert (
            len(re.findall(rf"^[\d–]+ · Layer \d · Head \d · .*{title}", page, re.MULTILINE)) == 6
        )


def test_a_cell_of_another_kind_is_told_itself() -> None:
    trace = trace_of(
        "sentence: a b\nembeddings: {a: [1], b: [0.5]}\nlayers:\n"
        "  - {cell: rnn, W_ax: [[0.5]], W_aa: [[0.3]]}\n"
        "  - {cell: gru, W_rx: [[0.2]], W_ra: [[0.1]], W_ux: [[0.4]], W_ua: [[0.3]],"
        " W_cx: [[0.6]], W_ca: [[-0.2]]}\n"
        "  - {cell: rnn, W_ax: [[0.7]], W_aa: [[-0.4]]}\n"
        "targets: [[0], [1]]\ntrain: {learning_rate: 0.1}\n"
    )
    page = render(walkthrough(trace, select(trace, detail="rows")), "terminal", RenderOptions(80))
    assert "Layer 2 · Backward through the gates" in page
    assert "Layer 2 goes back" not in page
    assert "Layer 1 goes back as layer 3 does, with its own numbers: see --layer 1.\n" in page
