"""Forms are of one kind: what makes them so, looked for again by plain arithmetic over seeds."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from numpy.random import RandomState

from attncli import load, work
from attncli.classroom.forms.candidate_quantity import shown_rows
from attncli.classroom.forms.new_scenario import Sizes, sketch
from attncli.classroom.forms.rules import singular, unvaried
from attncli.classroom.forms.search import UnsatisfiedError, forms
from attncli.pipeline.exporting import exported
from attncli.pipeline.plain_data import plain_data
from attncli.trace import Quantity, Trace
from tests.classroom.test_lint import found
from tests.conftest import THOROUGH, sampled
from tests.helpers.marking_cases import run
from tests.helpers.pages import trace_of

FROM_WEIGHTS = ["i_love_ai", "word_order", "decoder_block", "three_tokens", "i_love_tennis_causal"]
SIZES = [((3, 2, 1), 4), ((4, 4, 2), 1), ((5, 3, 1), 1)]


def rows_of(trace: Trace, quantity: Quantity) -> list[list[float]]:
    """The numbers of the rows that a page shows; masked ones aside."""
    rows = shown_rows(trace)(quantity) or range(quantity.values.shape[0])
    return [[x for x in quantity.values[i].tolist() if math.isfinite(x)] for i in rows]


def winners_that_come_again(trace: Trace, quantity: Quantity) -> int:
    rows = shown_rows(trace)(quantity) or range(quantity.values.shape[0])
    several = [row for row in quantity.values[list(rows)] if np.count_nonzero(row) > 1]
    return len(several) - len({int(np.argmax(row)) for row in several})


def faults(trace: Trace) -> dict[tuple[str, str], int]:
    """How often each quantity has what is weak."""
    count: dict[tuple[str, str], int] = {}
    for quantity in trace.quantities.values():
        rows = rows_of(trace, quantity)
        if quantity.local == "exp":
            scores = trace[quantity.definition.operands[0]]  # type: ignore[union-attr]
            tops = [max(row) for row in rows_of(trace, scores)]
            count[quantity.name, "long"] = sum(top >= math.log(100) for top in tops)
        if quantity.local == "weights":
            several = [[x for x in row if x] for row in rows if sum(map(bool, row)) > 1]
            count[quantity.name, "extreme"] = sum(max(row) > 0.95 for row in several)
            count[quantity.name, "flat"] = sum(max(row) < 1.25 * min(row) for row in several)
            count[quantity.name, "again"] = winners_that_come_again(trace, quantity)
        if quantity.given and min(quantity.values.shape) > 1:
            rank = np.linalg.matrix_rank(quantity.values)
            count[quantity.name, "singular"] = int(rank < min(quantity.values.shape))
    return {key: number for key, number in count.items() if number}


@sampled(3, name=FROM_WEIGHTS, seed=[3, 11])
def test_forms_have_no_weakness_that_the_scenario_has_not(name: str, seed: int) -> None:
    own = faults(work(load(name)))
    for form in forms(load(name), 4, seed):
        weak = faults(work(form))
        assert weak.keys() <= own.keys()
        again = {key for key in weak if key[1] == "again"}
        assert all(weak[key] <= own[key] for key in again)


@pytest.mark.parametrize(("sizes", "count"), SIZES)
def test_designed_scenarios_have_none(sizes: tuple[int, int, int], count: int) -> None:
    for seed in RandomState(5).randint(1000, size=count).tolist():
        _, scenario = sketch(Sizes(*sizes), seed)
        assert faults(work(scenario)) == {}


def test_forms_subtract_the_maximum_where_the_scenario_does() -> None:
    text = "Q: [[9, 7], [8, 3]]\nK: [[8, 3], [3, 9]]\nscale: none"
    own = trace_of(text)
    assert found(text)["method"] == ["exp[1]", "exp[2]"]
    allow = ["ties", "extreme", "sums", "edges", "mistakes", "difficulty"]
    for form in forms(own.scenario, 3, 1, allow=allow):
        assert work(form)["exp"].values.max() == 1  # not every row need be so long


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (2, 2), (3, 3), (4, 2), (2, 5), (4, 4)])
def test_many_matrices_are_looked_at_as_one_is(shape: tuple[int, int]) -> None:
    random = RandomState(1)
    many = random.randint(-1, 2, size=(*shape, 99)) / 10
    many[:, :, ::9] = many[:1, :, ::9]
    for k in range(99):
        entry = many[:, :, k]
        rank = 1 if min(shape) == 1 else np.linalg.matrix_rank(entry)
        assert singular(many)[0, 0, k] == singular(entry)[0, 0] == (rank < min(shape))
        commonest = max(np.count_nonzero(entry == x) for x in entry.ravel())
        expected = entry.size > 1 and commonest > entry.size / 2
        assert unvaried(many)[0, 0, k] == unvaried(entry)[0, 0] == expected


def test_lint_tells_each_weakness() -> None:
    weak = found("scores: [[1, 1.1, 1.2], [1, 2, 3], [0, 1, 2]]\nscale: none")
    assert weak["uniform"] == ["weights[1]"]
    assert weak["winners"] == [
        f"weights[{i}] is largest at 3, as an earlier row is" for i in (2, 3)
    ]
    assert "uniform" not in found("scores: [[1, 1.1, 1.3], [1, 2, 3]]\nscale: none")
    assert found("scores: [[4.6, 4], [4, 4.61]]\nscale: none")["exponentials"] == [
        "exp[2, 2] is 100.484"
    ]
    assert found("scores: [[1, 4], [1, 3.9]]\nscale: none")["extreme"] == ["weights[1, 2] is 0.953"]
    weak = found("X: [[1, 2], [3, 4]]\nW_Q: [[1, 2], [2, 4]]\nW_K: [[1, 1], [1, 2]]")
    assert weak["singular"] == ["W_Q"]
    assert weak["unvaried"] == ["W_K"]
    assert "singular" not in found("X: [[1, 2], [3, 4]]\nW_Q: [[1, 2], [2, 5]]")


@sampled(2, name=["yassine_rnn", "yassine_rnn_sentence", "yassine_gru", "yassine_lstm"])
def test_recurrent_cells_get_other_weights(name: str) -> None:
    own = load(name)
    weights = [key for key in own.given.matrices if key.local.startswith("W_")]
    seen = set()
    for form in forms(own, 5, 2):
        assert all(
            form.given.matrices[key].written != own.given.matrices[key].written for key in weights
        )
        assert all(abs(form.given.matrices[key].values).max() <= 0.5 for key in weights)
        assert not any(singular(form.given.matrices[key].values).any() for key in weights)
        seen.add(str([form.given.matrices[key].written for key in weights]))
    assert len(seen) == 5


def merges_with_rivals(trace: Trace, local: str) -> int:
    """The rounds in which the best pair isn't the only one."""
    tables = [q.values[:, 0].tolist() for q in trace.quantities.values() if q.local == local]
    return sum(table.count(max(table)) > 1 for table in tables)


@pytest.mark.parametrize(("name", "local"), [("bpe", "counts"), ("wordpiece", "scores")])
def test_tokenizers_learn_from_other_counts(name: str, local: str) -> None:
    own = work(load(name))
    seen = {tuple(own["word_counts"].values[:, 0])}
    for form in forms(own.scenario, 3, 3):
        trace = work(form)
        counts = trace["word_counts"].values[:, 0]
        assert ((counts >= 1) & (counts <= own["word_counts"].values.max())).all()
        seen.add(tuple(counts))
        words = dict(zip(trace["word_counts"].rows.names, counts, strict=True))
        first = trace[next(key for key in trace if key.endswith(".counts"))]
        assert first.values.sum() == sum((len(word) - 1) * count for word, count in words.items())
        assert list(trace) == list(own)
        assert merges_with_rivals(trace, local) <= merges_with_rivals(own, local)
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("name", "local"), [("sentencepiece", "log_p"), ("dictionary", "coverage")]
)
def test_tokenizers_learn_from_texts_that_come_as_often_as_said(name: str, local: str) -> None:
    """Also where a text is several words, and where the scenario says each once; what is told of
    words counts them in all texts, and a form that is written down is the same form again."""
    own = work(load(name))
    seen = {own.scenario.file.text_counts}
    for form in forms(own.scenario, 2, 3):
        trace, again = work(form), work(load(yaml.safe_load(exported(name, (), form))))
        texts = again.scenario.file.text_counts
        assert texts == form.file.text_counts
        words = zip(plain_data(name)["corpus"], texts, strict=True)
        total = sum(len(re.findall(r"\w+|[^\w\s]", text)) * count for text, count in words)
        assert trace["word_counts"].values.sum() == total
        last = [key for key in trace if key.split(".")[-1] == local][-1]
        assert np.array_equal(trace[last].values, again[last].values)
        assert list(trace) == list(own)
        tokens = [w.scenario.text.tokens for w in (own, trace)]
        assert len({sum(token in ("<unk>", "[UNK]") for token in entry) for entry in tokens}) == 1
        seen.add(texts)
    assert len(seen) == 3


def test_a_corpus_of_running_text_has_no_other_counts() -> None:
    text = "tokenizer: bpe\ncorpus: low lower lowest low\nmerges: 2\nsentence: low"
    with pytest.raises(UnsatisfiedError, match="no other form"):
        list(forms(trace_of(text).scenario, 1, 1))


@sampled(2, name=["bpe", "unigram", "mixture_of_experts"])
def test_all_forms_are_worth_as_much(name: str, tmp_path: Path) -> None:
    """However many pairs there are to count, and whichever experts are chosen."""
    count = 4 if THOROUGH else 2
    words = ("--forms", count, "--format", "json", "--key", "none", "-o", f"{tmp_path}/")
    assert run("exercise", name, *words).exit_code == 0
    points = [json.loads(path.read_text("utf-8"))["points"] for path in tmp_path.iterdir()]
    assert len(points) == count
    assert len({*points}) == 1
