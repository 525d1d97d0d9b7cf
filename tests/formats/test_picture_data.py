"""Pictures made of traces: their numbers against plain NumPy, and how they look in characters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise
from math import e
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.cells import cell_len
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.blocks import Block, Document, Graph, Section, Subheading, text_of_spans
from attncli.document.pictures import (
    PICTURES,
    Bars,
    Curves,
    Diagram,
    HeatMaps,
    Picture,
    Pixels,
    Plane,
    Series,
)
from attncli.formats import RenderOptions, format_names, render
from attncli.maths.equations import deciding
from attncli.maths.equations.tree import INNER, without_rounding
from attncli.names import Word, raw
from attncli.option_values import Pictures
from attncli.pages.parts.selection import Selection, select
from attncli.pages.walkthrough import walkthrough
from attncli.pipeline import load, work
from attncli.trace import Trace
from tests.conftest import sampled
from tests.helpers.pages import SHIPPED, shipped_trace, trace_of

P = TypeVar("P")
Array = NDArray[np.float64]


def illustrated(trace: Trace) -> Document:
    return walkthrough(trace, Selection(pictures=Pictures.ALL))


def blocks_of(trace: Trace) -> Iterator[Block]:
    page = illustrated(trace)
    yield from (*page.opening, *(block for section in page.sections for block in section.blocks))
    yield from page.closing


def pictures_of(trace: Trace, kind: type[P], title: str = "") -> list[P]:
    found = [block for block in blocks_of(trace) if isinstance(block, kind)]
    return [entry for entry in found if title in raw(getattr(entry, "title", ""))]


@cache
def shipped_pictures(name: str) -> tuple[Picture, ...]:
    return tuple(block for block in blocks_of(shipped_trace(name)) if isinstance(block, PICTURES))


def values_of(series: Sequence[Series]) -> Array:
    """A column for each series."""
    return np.array([[float(number.full) for number in s.numbers] for s in series]).T


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def test_waves_are_sines_and_cosines() -> None:
    (waves,) = pictures_of(shipped_trace("encoder_block"), Curves)
    positions, wide = len(waves.labels), len(waves.series)
    assert (positions, wide) == (4, 4)
    angles = [
        [position / 10000 ** (2 * (i // 2) / wide) for i in range(wide)]
        for position in range(positions)
    ]
    expected = np.where(np.arange(wide) % 2 == 0, np.sin(angles), np.cos(angles))
    assert np.abs(values_of(waves.series) - expected).max() <= 0.0005
    (table,) = (h for h in pictures_of(shipped_trace("encoder_block"), HeatMaps) if h.signed)
    assert np.abs(table.maps[0][1].matrix.values - expected).max() <= 0.0005


@pytest.mark.parametrize("change", [(), ("temperature=0.7",), ("mask=causal",)])
def test_temperatures_are_worked_by_the_same_equations(change: tuple[str, ...]) -> None:
    trace = trace_of(SHIPPED["i_love_ai"], "rounding.policy=exact", *change)
    (bars,) = pictures_of(trace, Bars, "several temperatures")
    scores = trace["Q"].values @ trace["K"].values.T
    if "mask=causal" in change:
        scores[1, 2] = -np.inf
    by_name = {raw(s.name): s for s in bars.series}
    own = {"T = 0.7"} if "temperature=0.7" in change else set()
    assert by_name.keys() == {"T = 0.5", "T = 1", "T = 2"} | own
    for name, series in by_name.items():
        expected = softmax(scores[1] / float(name.removeprefix("T = ")))
        assert values_of([series])[:, 0] == pytest.approx(expected)


def test_only_the_numbers_of_the_page_know_their_cells() -> None:
    """Those at another temperature know how they are made of these."""
    trace = shipped_trace("i_love_ai")
    (bars,) = pictures_of(trace, Bars, "several temperatures")
    for series in bars.series:
        for number in series.numbers:
            assert number.cell is not None
            assert (number.cell == INNER) == (raw(series.name) != "T = 1")
            made = number.form
            assert made is None or deciding.rounded(without_rounding(made), 3) == number.shown
            assert made or trace[number.cell.quantity].number(1, number.cell.column) == number


@pytest.mark.parametrize("changes", [(), ("W_Q=[[1, 0], [0, -1]]",)])
def test_bars_are_powers_of_e_and_their_shares(changes: tuple[str, ...]) -> None:
    """Of scores below 0, too: the smallest weight has the shortest bar."""
    trace = work(load("i_love_ai", changes))
    (bars,) = pictures_of(trace, Bars, "The softmax of")
    exp, weights = values_of(bars.series).T
    scores = (trace["Q"].values @ trace["K"].values.T)[1]
    assert (scores < 0).any() == bool(changes)
    assert exp == pytest.approx(np.exp(scores), abs=0.0005)
    assert weights == pytest.approx(softmax(scores), abs=0.002)
    assert (np.argsort(exp, kind="stable") == np.argsort(weights, kind="stable")).all()


def weights_pictured(page: Document) -> list[Any]:
    """The pictures of attention weights on a page, without the tables."""
    blocks = [block for section in page.sections for block in section.blocks]
    return [
        block
        for block in blocks
        if isinstance(block, Graph)
        or (isinstance(block, HeatMaps) and str(block.title).startswith("Weights of attention"))
        or (isinstance(block, Bars) and "weights" in {str(s.name) for s in block.series})
    ]


@pytest.mark.parametrize(
    "name", ["i_love_ai", "word_order", "three_tokens_two_heads", "encoder_block"]
)
def test_a_page_has_one_picture_of_the_weights(name: str) -> None:
    """Of several heads the maps of all; the others where all are asked for."""
    trace = shipped_trace(name)
    one = weights_pictured(walkthrough(trace, Selection(pictures=Pictures.ONE)))
    assert len(one) == 1
    assert len(weights_pictured(illustrated(trace))) > 1


@pytest.mark.parametrize("name", ["i_love_ai", "next_token"])
def test_graphs_have_all_edges_from_the_stated_threshold_on(name: str) -> None:
    trace = shipped_trace(name)
    blocks = [*blocks_of(trace)]
    graphs = [(before, block) for before, block in pairwise(blocks) if isinstance(block, Graph)]
    assert len(graphs) == sum(q.local == "weights" for q in trace.quantities.values())
    for heading, graph in graphs:
        assert isinstance(heading, Subheading)
        least = float(str(heading.text[0]).split("weights of ")[1].split(" or more")[0])
        weights = trace[graph.name]
        expected = {
            (weights.rows.names[i], weights.columns.names[j]): weights.values[i, j]
            for i, j in np.argwhere(weights.values >= least)
        }
        drawn = {(e.source.raw, e.target.raw): float(e.weight.full) for e in graph.edges}
        assert drawn == expected
        assert {source for source, _ in drawn} == {*weights.rows.names}


def test_gradients_are_products_through_time() -> None:
    trace = trace_of(SHIPPED["yassine_rnn_sentence"], "rounding.policy=exact")
    (curve,) = pictures_of(trace, Curves, "norm")
    assert curve.logarithmic
    states = trace["states"].values
    (curves,) = pictures_of(trace, Curves, "state after")
    assert values_of(curves.series) == pytest.approx(states)
    factor, norms = np.eye(states.shape[1]), list[float]()
    for a in states[::-1]:
        factor = trace["W_aa"].values.T @ np.diag(1 - a**2) @ factor
        norms.append(float(np.sqrt((factor**2).sum())))
    assert values_of(curve.series)[:, 0] == pytest.approx(norms[::-1])


def test_arrows_are_vectors_of_two_dimensions() -> None:
    trace = shipped_trace("i_love_ai")
    planes = pictures_of(trace, Plane)
    names = [[raw(group.name) for group in plane.groups] for plane in planes]
    assert names == [["X"], ["Q", "K"], ["V", "output"]]
    for group in (group for plane in planes for group in plane.groups):
        ends = [[float(number.full) for number in arrow.end] for arrow in group.arrows]
        assert ends == trace[raw(group.name)].values.tolist()


def test_heads_are_small_multiples() -> None:
    trace = shipped_trace("three_tokens_two_heads")
    (maps,) = pictures_of(trace, HeatMaps)
    assert [raw(label) for label, _ in maps.maps] == ["Head 1", "Head 2"]
    assert [table.quantity for _, table in maps.maps] == ["heads[1].weights", "heads[2].weights"]


def test_the_best_path_is_the_best_of_all() -> None:
    for lattice in (s for s in shipped_pictures("unigram") if isinstance(s, Diagram)):
        if not any(link.chosen for link in lattice.links):
            continue
        edges = {}
        for link in lattice.links:
            piece, _, score = raw(link.label).rpartition(" ")
            ends = int(link.source[1:]), int(link.target[1:])
            edges[ends] = piece, float(score.replace("−", "-"))
        length = max(end for _, end in edges)
        totals = {}
        for count in range(length):
            for inner in combinations(range(1, length), count):
                way = [*zip((0, *inner), (*inner, length), strict=True)]
                if all(pairs in edges for pairs in way):
                    totals[*way] = sum(edges[pairs][1] for pairs in way)
        assert totals
        chosen = [
            (int(entry.source[1:]), int(entry.target[1:]))
            for entry in lattice.links
            if entry.chosen
        ]
        assert totals[*sorted(chosen)] == pytest.approx(max(totals.values()))
        last = next(box for box in lattice.boxes if box.id == f"p{length}")
        assert float(raw(last.below).replace("−", "-")) == pytest.approx(max(totals.values()))


def test_trees_grow_by_the_merges_in_their_order() -> None:
    trees = [
        s for s in shipped_pictures("bpe") if isinstance(s, Diagram) and "merges of" in raw(s.title)
    ]
    assert trees
    merges = [tuple(pair.split(" ")) for pair in _merges_of_bpe()]
    for tree in trees:
        symbols = [raw(box.label) for box in tree.boxes if box.row == 0]
        made = []
        while ranks := [merges.index(p) for p in pairwise(symbols) if p in merges]:
            pair = merges[min(ranks)]
            k = next(k for k in range(len(symbols)) if (*symbols[k : k + 2],) == pair)
            symbols[k : k + 2] = ["".join(pair)]
            made.append(symbols[k])
        assert [raw(box.label) for box in tree.boxes if box.row] == made
        ends = [(box.column, raw(box.label)) for box in tree.boxes if box.chosen]
        assert [label for _, label in sorted(ends)] == symbols


def _merges_of_bpe() -> list[str]:
    return _learned_list("bpe", "merges")


def _learned_list(name: str, of: str) -> list[str]:
    data = json.loads(render(illustrated(shipped_trace(name)), "json", RenderOptions()))
    lists = (value for step in data["steps"] for value in step["quantities"])
    return next(value["values"] for value in lists if value["name"] == of)


def test_wordpieces_come_by_merges_that_were_learned_with_their_scores() -> None:
    pictures = [s for s in shipped_pictures("wordpiece") if isinstance(s, Diagram)]
    trees = [p for p in pictures if "were learned" in raw(p.title)]
    assert len(trees) == 3
    merges, pieces = (_learned_list("wordpiece", of) for of in ("merges", "merge_pieces"))
    trace = shipped_trace("wordpiece")
    scores = [q for q in trace.quantities.values() if q.local == "scores"]
    for tree in trees:
        boxes = {box.id: box for box in tree.boxes}
        rounds = []
        for made in (box for box in tree.boxes if box.row):
            parts = [boxes[link.source] for link in tree.links if link.target == made.id]
            pair = " ".join(raw(part.label) for part in parts)
            rounds.append(merges.index(pair))
            assert pieces[rounds[-1]] == raw(made.label)
            assert made.column == min(part.column for part in parts)
            best = scores[rounds[-1]]
            number = float(raw(made.below).removeprefix("score "))
            assert number == pytest.approx(best.values.max(), abs=1e-4)
        assert rounds == sorted(rounds)
        ends = sorted((box.column, raw(box.label)) for box in tree.boxes if box.chosen)
        word = raw(tree.title).split(" of ")[1].split(" ")[0]
        assert "".join(label.removeprefix("##") for _, label in ends) == word


def test_what_is_left_out_of_a_picture_is_said() -> None:
    rows = [[k, 1] for k in range(14)]
    trace = work(load({"Q": rows, "K": rows, "V": rows, "rounding": {"decimals": 4}}))
    blocks = [*blocks_of(trace)]
    texts = [raw(block.title) for block in blocks if isinstance(block, Plane | Bars)]
    texts += [text_of_spans(block.text) for block in blocks if isinstance(block, Subheading)]
    for said in ("the first 12 of 14 queries", "the largest 12 of 14 shares"):
        assert any(said in text for text in texts), said
    assert sum("the first 12 of 14 tokens" in text for text in texts) == 2
    titles = [raw(s.title) for s in shipped_pictures("i_can_go_alone") if isinstance(s, Curves)]
    assert [title.partition(", the ")[2] for title in titles] == ["first 12 of 512 dimensions"]
    for name in ("i_love_ai", "yassine_rnn_sentence"):
        assert not any("first" in raw(s.title) for s in shipped_pictures(name))


@pytest.mark.parametrize("name", ["i_love_ai", "next_token", "encoder_block"])
def test_pipelines_have_the_shapes_on_the_arrows(name: str) -> None:
    trace = shipped_trace(name)
    drawn = pictures_of(trace, Diagram, "The steps")[0]
    boxes = {box.id: box for box in drawn.boxes}
    places = [(box.column, box.row) for box in drawn.boxes]
    assert len({*places}) == len(places)
    sizes = [(q.local, *q.matrix.shape) for q in trace.quantities.values()]
    shapes = {f"{name} {rows}×{columns}" for name, rows, columns in sizes}
    for link in drawn.links:
        assert boxes[link.source].row < boxes[link.target].row
        text = raw(link.label)
        names, _, shape = text.rpartition(" ")
        assert all(f"{name} {shape}" in shapes for name in names.split(", ")), text


def test_only_gradients_flow_on_the_way_back() -> None:
    drawn = pictures_of(shipped_trace("learning_to_attend"), Diagram, "The steps")[0]
    titles = {box.id: raw(box.label) for box in drawn.boxes}
    assert len({*titles.values()}) == len(titles)  # nothing is worked again
    assert "Update 1" in titles.values()
    after_the_loss = ("Backward", "Update")
    for link in drawn.links:
        flows_back = titles[link.source].startswith(after_the_loss)
        assert raw(link.label).startswith("grad.") == flows_back
        assert titles[link.target].startswith(after_the_loss) or not flows_back


def test_layers_stand_once_and_many_heads_are_one_box() -> None:
    eye = np.eye(4).tolist()
    layer = {"W_Q": eye, "W_K": eye, "W_V": eye, "W1": eye, "W2": eye, "heads": 4}
    trace = trace_of(json.dumps({"tokens": ["a", "b"], "X": eye[:2], "layers": [layer] * 5}))
    drawn = pictures_of(trace, Diagram, "The steps")[0]
    pairs = [(raw(box.label), raw(box.below)) for box in drawn.boxes]
    assert ("Multi-head attention", "4 heads") in pairs
    assert len({label for label, _ in pairs}) == len(pairs)
    assert {box.frame for box in drawn.boxes if box.below != "given"} == {"5 layers"}
    two = pictures_of(shipped_trace("three_tokens_two_heads"), Diagram, "The steps")[0]
    pairs = [(raw(box.label), raw(box.below)) for box in two.boxes]
    assert {("Softmax", "Head 1"), ("Softmax", "Head 2")} <= {*pairs}


def test_an_attention_in_a_block_is_one_box() -> None:
    """What goes round it, and its shape, are on the arrows."""
    drawn = pictures_of(shipped_trace("next_token"), Diagram, "The steps")[0]
    (attention,) = (box for box in drawn.boxes if "attention" in raw(box.label))
    assert (attention.label, attention.below) == ("Masked multi-head attention", "2 heads")
    framed = {box.id: raw(box.label) for box in drawn.boxes if box.frame}
    assert [*framed.values()] == [
        "Norm 1", attention.label, "Residual 1", "Norm 2", "Feed-forward network", "Residual 2",
    ]  # fmt: skip
    labels = {box.id: raw(box.label) for box in drawn.boxes}
    ways = {(labels[link.source], labels[link.target]) for link in drawn.links}
    assert {("Positions", "Residual 1"), ("Residual 1", "Residual 2")} <= ways


@pytest.mark.parametrize("name", ["alice_met_bob", "meeting", "embedding_before_during_after"])
def test_a_few_steps_or_a_mere_sequence_have_no_diagram(name: str) -> None:
    assert pictures_of(shipped_trace(name), Diagram) == []


def test_a_picture_has_its_pixels_where_they_lie() -> None:
    (block,) = pictures_of(shipped_trace("picture"), Pixels)
    values = np.array([[float(n.full) for n in patch.numbers] for patch in block.patches])
    whole = values.reshape(2, 2, 2, 2).swapaxes(1, 2).reshape(4, 4)
    assert np.array_equal(whole, np.eye(4)), "the stroke that falls from left to right"
    assert [raw(patch.name) for patch in block.patches][1] == "upper right"
    eye = np.eye(3).tolist()
    uneven = {"patches": eye, "W_patch": eye, "W_Q": eye, "W_K": eye, "W_V": eye}
    assert pictures_of(trace_of(json.dumps(uneven)), Pixels) == []


def test_vectors_before_and_after_attention_have_one_scale() -> None:
    (block,) = pictures_of(shipped_trace("meeting"), HeatMaps, "before attention and after")
    assert [raw(name) for name, _ in block.maps] == ["Before", "After"]
    trace = shipped_trace("meeting")
    assert [table.quantity for _, table in block.maps] == [trace[n].name for n in ("X", "output")]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_pictures_fit_and_need_no_colour(width: int) -> None:
    """A bar is as long as its number is large, and series differ in their fill."""
    page = render(illustrated(shipped_trace("i_love_ai")), "terminal", RenderOptions(width))
    assert "\x1b" not in page
    assert all(cell_len(line) <= width for line in page.splitlines())
    lines = page.partition("The softmax of scores[love]")[2].splitlines()[2:10]
    scores, weights = (
        [line.count(fill) for line in lines if name in line]
        for name, fill in (("exp", "█"), ("weights", "▒"))
    )
    assert np.array(scores) / scores[0] == pytest.approx([1, 1, e], abs=0.15)
    assert weights[0] == weights[1] < weights[2]
    assert 0 < max(weights) < min(scores)


@sampled(
    17,
    name=["next_token", "bpe", "unigram", "yassine_rnn", "encoder_block"],
    form=format_names(),
)
def test_every_format_tells_every_picture(name: str, form: str) -> None:
    trace = shipped_trace(name)
    page = render(illustrated(trace), form, RenderOptions(80))
    if form == "json":
        data = json.loads(page)
        values = [
            *data.get("pictures", ()),
            *(p for s in data["steps"] for p in s.get("pictures", ())),
        ]
        assert len(values) == len(shipped_pictures(name))
    assert len(page) > len(render(walkthrough(trace, Selection()), form, RenderOptions(80)))


def test_text_has_pictures_only_where_they_are_asked_for() -> None:
    asked, plain = (
        CliRunner().invoke(app, ["run", "i_love_ai", *more]).stdout for more in (["--pictures"], [])
    )
    assert "The steps, and the shapes" in asked
    assert "The steps, and the shapes" not in plain
    text = f"{SHIPPED['i_love_ai']}\n"
    trace = trace_of(text, "show.pictures=true")
    assert select(trace).pictured
    assert not select(shipped_trace("i_love_ai")).pictured


@pytest.mark.parametrize("words", ["<script>a</script>", "a|b`c", "$x$ \\input{x}", '"] --> x["'])
def test_words_in_pictures_stay_data(words: str) -> None:
    eye = [[1, 0], [0, 1]]
    given = {"tokens": [words, words + "2"], "X": eye, "W_Q": eye, "W_K": eye, "W_V": eye}
    trace = trace_of(json.dumps({**given, "mask": "causal"}))
    blocks = tuple(block for block in blocks_of(trace) if isinstance(block, (*PICTURES, Graph)))
    document = Document(Word("t"), (Section("s", None, ("s",), (), blocks),))
    for form in ("markdown", "latex"):
        assert words not in render(document, form, RenderOptions(80)), form
    assert words in render(document, "terminal", RenderOptions(200))
