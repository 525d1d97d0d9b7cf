"""What a Python program has of a trace: a mapping, text, arrays of any package, pickles."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from attncli import Trace, load, work
from attncli.formats import RenderOptions, render
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import as_it_fits
from tests.conftest import sampled
from tests.helpers.pages import trace_of


@pytest.fixture(scope="module")
def trace() -> Trace:
    return work(load("i_love_ai"))


@pytest.fixture(scope="module")
def deep() -> Trace:
    """Two layers of two heads each."""
    names = ("W_Q", "W_K", "W_V", "W_O", "W1", "W2")
    layer = {"heads": 2, "b1": [0, 1], **{name: [[1, 0], [0, 1]] for name in names}}
    X = [[1, 0], [0.5, 1], [0, 2]]
    return work(load({"X": X, "layers": [layer, layer], "scale": "none", "norm": "none"}))


def test_a_trace_is_a_mapping(trace: Trace) -> None:
    assert len(trace) == len([*trace]) == len(trace.items()) == 20
    assert dict(trace)["weights"] is trace["weights"]
    assert [*trace.keys()][:3] == ["W_Q", "W_K", "W_V"]
    assert all(quantity.name == name for name, quantity in trace.items())
    assert trace.get("nothing") is None
    assert "Q" in trace
    assert "nothing" not in trace
    assert {trace: 1}[trace] == 1
    match trace:
        case {"weights": weights}:
            assert weights is trace["weights"]
        case _:
            raise AssertionError


def test_names_may_be_short_where_only_one_can_be_meant(trace: Trace, deep: Trace) -> None:
    for name in ("Q", "layers[1].Q", "heads[1].Q", "layers[1].heads[1].Q"):
        assert trace[name] is trace["Q"]
        assert name in trace
    assert deep["layers[2].attention"].name == "layers[2].attention"
    assert "heads[2].Q" not in deep
    with pytest.raises(KeyError) as refused:
        deep["layers[2].weights"]
    assert str(refused.value).startswith(
        "layers[2].weights may be layers[2].heads[1].weights or layers[2].heads[2].weights: say "
    )
    with pytest.raises(KeyError, match="no quantity weihts; did you mean weights"):
        trace["weihts"]
    with pytest.raises(
        KeyError, match=r"no quantity layers\[2\].weihgts; did you mean layers\[2\]"
    ):
        deep["layers[2].weihgts"]
    with pytest.raises(KeyError, match="did you mean"):
        trace.replay({"score": [[1]]})
    eye = [[1, 0], [0, 1]]
    with pytest.raises(KeyError, match="output wasn't made: the scenario gives no W_V"):
        work(load({"X": eye, "W_Q": eye, "W_K": eye}))["output"]


def test_layers_and_heads_are_stacked(deep: Trace) -> None:
    stacked = deep.stacked("weights")
    assert stacked.shape == (2, 2, 3, 3)
    assert np.array_equal(stacked[1, 0], deep["layers[2].heads[1].weights"])
    assert np.array_equal(deep.stacked("layers[2].weights"), stacked[1])
    assert np.array_equal(deep.stacked("layers[*].heads[2].weights"), stacked[:, 1])
    assert np.array_equal(deep.stacked("X"), deep["X"])
    with pytest.raises(KeyError, match="did you mean"):
        deep.stacked("weihts")
    times = work(load("yassine_rnn_sentence"))
    count = sum(name.startswith("a[") for name in times)
    assert times.stacked("a").shape == (count, *times["a[1]"].shape)
    with pytest.raises(KeyError, match=r"norm1.normed or norm2.normed or norm3.normed: say more"):
        work(load("decoder_block")).stacked("normed")


def test_working_and_pages_are_text(trace: Trace) -> None:
    line = "weights[love, AI] = 7.389 / 12.825 = 0.576"
    assert trace.working("weights[love, AI]") == line
    assert trace.working("layers[1].heads[1].weights[2, 3]") == line
    assert trace["weights"].working("love", "AI") == line
    assert trace.working("weights[love]").splitlines()[-1].split() == line.split()
    assert len(trace["weights"].working().splitlines()) == 9
    assert trace.working("exp_sum[love]").endswith("= 12.825")
    assert trace.working("tokens[2]") == "tokens[love] = love"
    page = as_it_fits(trace, Selection())
    assert trace.page("markdown") == render(page, "markdown", RenderOptions(80))
    assert "\n## 5 · Softmax" in trace.page("markdown", steps=["softmax"])
    assert "Weighted sum" not in trace.page("markdown", steps="softmax")
    assert "[I, AI]" not in trace.page(steps="softmax", token="love")
    assert trace.page("pdf").startswith(b"%PDF")
    assert max(map(len, trace.page(width=50).splitlines())) <= 50


def test_what_isnt_there_is_refused_in_words_of_python(trace: Trace) -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"form": "mardown"}, "did you mean markdown"),
        ({"steps": "softmx"}, "^step softmx: no such step; did you mean softmax"),
        ({"layer": 3}, "^layer 3: no such layer"),
        ({"detail": "ful"}, "^detail ful: .* did you mean full"),
    ]
    for wrong, message in refused:
        with pytest.raises(ValueError, match=message):
            trace.page(**wrong)
    with pytest.raises(ValueError, match="it has I, love, AI"):
        trace.working("weights[lov, AI]")


def test_steps_can_be_walked(trace: Trace, deep: Trace) -> None:
    softmax = trace.steps[4]
    assert (softmax.name, softmax.number, softmax.title) == ("softmax", 5, "Softmax")
    assert [q.name for q in softmax.quantities] == ["exp", "exp_sum", "weights"]
    assert softmax.formulas[-1] == "weights[i, j] = exp[i, j] / exp_sum[i]"
    assert "weights[love, AI]   = 7.389 / 12.825  = 0.576" in softmax.working()
    assert softmax.page("markdown") == trace.page("markdown", steps="softmax")
    made = [q.name for step in deep.steps for q in step.quantities]
    assert made == [name for name, q in deep.items() if not q.given]
    assert deep.steps[-1].place.startswith("Layer 2")
    assert {step.title for step in deep.steps if not step.working()} == {"The heads' columns"}


def test_labels_and_positions_take_numbers_of_a_quantity(trace: Trace) -> None:
    weights = trace["weights"]
    assert weights["love", "AI"] == weights[1, 2] == 0.576
    assert np.array_equal(weights["love"], weights.values[1])
    assert np.array_equal(weights[:, "AI"], weights.values[:, 2])
    assert trace["exp_sum"]["love"] == 12.825
    assert np.array_equal(weights @ trace["V"], weights.values @ trace["V"].values)
    assert ((1 - weights) < 1).all()
    assert [len(row) for row in weights] == [3, 3, 3]
    with pytest.raises(ValueError, match="it has I, love, AI"):
        weights["you"]
    with pytest.raises(IndexError):
        weights[3]


def test_quantities_become_dictionaries_and_frames(trace: Trace) -> None:
    assert trace["weights"].to_dict()["love"] == {"I": 0.212, "love": 0.212, "AI": 0.576}
    assert trace["exp_sum"].to_dict() == {"I": 6.436, "love": 12.825, "AI": 30.193}
    assert trace["b1"].to_dict() == {1: 0, 2: 0}
    pytest.importorskip("pandas", reason="no pandas here")
    frame = trace["weights"].to_frame()
    assert frame.loc["love", "AI"] == 0.576
    assert (frame.index.name, frame.columns.name) == ("query", "key")
    assert trace["exp_sum"].to_frame()["exp_sum"]["AI"] == 30.193
    assert trace["b1"].to_frame().loc["b1", 2] == 0


def test_without_pandas_a_line_says_what_to_install(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match=r"^to_frame needs pandas: pip install pandas$"):
        trace["weights"].to_frame()


PICKLED = ("word_order", "yassine_lstm", "unigram", "bpe")


@sampled(2, name=PICKLED)
def test_traces_come_back_from_a_pickle(name: str) -> None:
    trace = work(load(name))
    again: Trace = pickle.loads(pickle.dumps(trace))
    assert again.page(detail="rows") == trace.page(detail="rows")
    assert [*again.variants] == [*trace.variants]
    last = [*trace][-1]
    assert pickle.loads(pickle.dumps(trace[last])).page() == trace[last].page()
    scenario = pickle.loads(pickle.dumps(load(name)))
    assert work(scenario).page(detail="rows") == trace.page(detail="rows")


def test_a_deep_trace_fits_in_a_pickle() -> None:
    weights = {name: np.eye(2) / 2 for name in ("W_Q", "W_K", "W_V", "W1", "W2")}
    text = {"X": [[1, 0], [0, 1]], "layers": [weights] * 24, "rounding": {"policy": "exact"}}
    trace = work(load({**text, "norm": "pre"}))
    again = pickle.loads(pickle.dumps(trace[[*trace][-1]]))
    assert np.array_equal(again, trace[again.name])
    assert pickle.loads(pickle.dumps(trace)).steps[-1].working() == trace.steps[-1].working()


def test_what_numpy_and_attributes_would_say_is_told(trace: Trace) -> None:
    with pytest.raises(AttributeError, match=r"^a quantity has no sum; .*quantity.values.sum$"):
        trace["weights"].sum()  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"did you mean trace\['weights'\]"):
        trace.weights  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(TypeError, match="worked already"):
        work(trace)
    with pytest.raises(TypeError, match=r"page\(\) takes no step; did you mean steps"):
        trace.page(step="softmax")  # type: ignore[call-overload]
    assert not hasattr(trace, "weihts")
    assert trace.page("md") == trace.page(".md") == trace.page("markdown")
    eye = [[1, 0], [0, 1]]
    assert str(work({"X": eye, "W_Q": eye})).endswith("\n  <Unfinished: K needs W_K>")


def test_representations_are_short(deep: Trace) -> None:
    shown = (
        deep,
        deep["X"],
        deep.steps[1],
        deep.step("softmax"),
        deep.cell("layers[1].X[1, 1]"),
    )
    assert all(len(repr(entry)) < 160 for entry in shown)
    assert repr(deep["X"]) == "<Quantity X [3, 2]>"
    assert "Step 1 ·" in str(deep)
    assert "│" in str(deep["X"])


def test_variants_and_generated_tokens_are_traces_too() -> None:
    other = work(load("word_order")).variants["reversed"]
    assert other.working("weights[1, 1]")
    later = work(load("next_token")).generated[0]
    assert later.steps[0].title
    assert trace_of.cache_info() is not None
