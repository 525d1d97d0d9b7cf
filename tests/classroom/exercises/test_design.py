"""Forms and new scenarios: every rule checked again by plain decimal arithmetic."""

from __future__ import annotations

import json
import shlex
import time
from contextlib import suppress
from decimal import Decimal, getcontext
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import RandomState
from typer.testing import CliRunner

from attncli import load, work
from attncli.classroom.forms import search
from attncli.classroom.forms.candidates import BatchMaker
from attncli.classroom.forms.costs import difficulty
from attncli.classroom.forms.plan import plan_of
from attncli.classroom.forms.pools import drawn_of
from attncli.classroom.forms.rules import RULES
from attncli.classroom.forms.search import UnsatisfiedError, forms
from attncli.classroom.forms.sieve import Survivor
from attncli.cli import app
from attncli.document.questions import form_name
from attncli.names import Name
from attncli.scenario.scenario import Scenario
from attncli.trace import Trace
from tests.conftest import FEWER, ROOT, THOROUGH, sampled
from tests.helpers.pages import SHIPPED, trace_of
from tests.helpers.strategies import recurrents, transformers

SMALL = [
    "alice_met_bob",
    "i_love_ai",
    "i_love_tennis_causal",
    "pasta_lookup",
    "three_tokens",
    "three_tokens_two_heads",
]
LARGE = ["decoder_block", "encoder_block", "next_token", "word_order"]

getcontext().prec = 50


def asked_in(trace: Trace, *steps: str) -> list[str]:
    return [
        definition.name
        for part in trace.story
        if part.step in steps
        for definition in part.definitions
    ]


def found(name: str, count: int = 3, seed: int = 7, *steps: str) -> list[Scenario]:
    scenario = load(name)
    asked = asked_in(work(scenario), *steps)
    return list(forms(scenario, count, seed, asked=asked))


some = cache(found)
"""Forms for the tests that look at them: the search is made once."""


@given(
    st.lists(st.tuples(st.integers(-99, 99), st.integers(-1, 290)), min_size=4, max_size=4),
    st.integers(0, 2**32 - 1),
)
def test_numbers_of_any_size_get_others_that_can_be_written(
    numbers: list[tuple[int, int]], seed: int
) -> None:
    written = np.array([Decimal(number).scaleb(size) for number, size in numbers]).reshape(2, 2)
    if not written.any():
        return
    given = load({"W_V": written.tolist(), "rounding": {"policy": "exact"}})
    (drawn,) = drawn_of(given, {"W_V"})
    numbers_drawn = drawn.draw(RandomState(seed), 50)
    assert all(drawn.matrix(numbers_drawn[:, :, k]).values.all() for k in range(50))
    assert abs(numbers_drawn).max() < 10**4
    assert (numbers_drawn == numbers_drawn.round(1)).all()


def shown(trace: Trace, name: str) -> list[list[Decimal]]:
    """The numbers of a quantity as a page has them; only the rows that it shows."""
    matrix = trace[name].matrix
    rows: Any = range(matrix.shape[0])
    if trace.scenario.page.show.queries and trace[name].rows.role == "Q":
        rows = [trace[name].rows.names.index(query) for query in trace.scenario.page.show.queries]
    return [[matrix.number(i, j).shown for j in range(matrix.shape[1])] for i in rows]


def written(scenario: Scenario) -> dict[str, Any]:
    return {name: matrix.written for name, matrix in scenario.given.matrices.items()}


def softmaxes(trace: Trace) -> list[str]:
    return [name for name in trace if name.rpartition(".")[2] in ("weights", "probabilities")]


@sampled(5, name=SMALL, seed=[1, 7])
def test_weights_are_nice(name: str, seed: int) -> None:
    for scenario in some(name, 3, seed):
        trace = work(scenario)
        for weights in softmaxes(trace):
            for row in shown(trace, weights):
                assert sum(row) == 1
                seen = [weight for weight in row if weight]
                assert len(set(seen)) == len(seen)
                assert len(seen) == 1 or all(0 < weight < 1 for weight in seen)
                if "mask" not in trace:
                    assert len(seen) == len(row)


def is_near(number: Decimal, decimals: int) -> bool:
    """Whether a number is within a hundredth of a unit of where rounding goes the other way."""
    return abs(abs(number).scaleb(decimals) % 1 - Decimal("0.5")) <= Decimal("0.01")


def test_what_is_near_a_rounding_edge() -> None:
    assert is_near(Decimal("-0.12349"), 3)
    assert is_near(Decimal("0.12351"), 3)
    assert not is_near(Decimal("0.12348"), 3)


@pytest.mark.parametrize("name", SMALL)
def test_no_number_of_a_softmax_is_at_a_rounding_edge(name: str) -> None:
    for scenario in some(name):
        trace = work(scenario)
        for weights in softmaxes(trace):
            exps, sums = trace[weights].definition.operands  # type: ignore[union-attr]
            scores = trace[exps].definition.operands[0]  # type: ignore[union-attr]
            places = trace[exps].matrix.decimals, trace[weights].matrix.decimals
            tables = [shown(trace, each) for each in (scores, exps, sums)]
            for x, e, total in zip(*tables, strict=True):
                for score, power in zip(x, e, strict=True):
                    if score.is_finite():
                        assert not is_near(score.exp(), places[0])
                    if power:
                        assert not is_near(power / total[0], places[1])


@pytest.mark.parametrize("name", SMALL)
def test_no_score_is_at_a_rounding_edge_or_trivial(name: str) -> None:
    for scenario in some(name):
        trace = work(scenario)
        for scores in (each for each in trace if each.rpartition(".")[2] == "scores"):
            queries, keys = trace[scores].definition.operands  # type: ignore[union-attr]
            for q in shown(trace, queries):
                for k in shown(trace, keys):
                    products = [a * b for a, b in zip(q, k, strict=True)]
                    assert sum(product != 0 for product in products) >= min(2, len(products))
                    places = trace[scores].matrix.decimals
                    score = sum(products, start=Decimal(0))
                    if score != score.quantize(Decimal(1).scaleb(-places)):
                        assert not is_near(score, places)


@sampled(3, name=[*SMALL, *LARGE])
def test_no_rows_of_zeros_and_no_two_rows_alike(name: str) -> None:
    for scenario in some(name):
        trace = work(scenario)
        for quantity in trace.quantities.values():
            if quantity.given or quantity.is_list or quantity.local in ("mask", "P", "kept"):
                continue
            rows = shown(trace, quantity.name)
            assert all(map(any, rows)), quantity.name
            if len(rows[0]) > 1:
                assert len(set(map(tuple, rows))) == len(rows), quantity.name


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_numbers_are_small_and_of_the_kind_they_were(name: str) -> None:
    own = load(name)
    for scenario in some(name):
        for key, matrix in scenario.given.matrices.items():
            before = own.given.matrices[key]
            if matrix.written == before.written:
                continue
            assert matrix.written is not None
            assert matrix.values.all()
            before_softmax = key.endswith(("W_Q", "W_K"))
            assert matrix.places == (1 if before_softmax else min(before.places or 0, 1))
            largest = max(3.0, float(np.abs(before.values).max()))
            assert np.abs(matrix.values).max() <= largest
            if not before_softmax and (before.values >= 0).all():
                assert (matrix.values > 0).all()


@sampled(3, name=LARGE)
def test_what_is_no_number_to_vary_stays(name: str) -> None:
    own = load(name)
    kept = ("gamma", "beta", "positions", "mask")
    for scenario in some(name):
        for key, matrix in own.given.matrices.items():
            if key.rpartition(".")[2] in kept or not matrix.values.any():
                assert scenario.given.matrices[key].written == matrix.written
        changed = [
            k
            for k in own.given.matrices
            if scenario.given.matrices[k].written != own.given.matrices[k].written
        ]
        assert {"embeddings"} <= set(changed)


def test_what_is_the_same_stays_the_same() -> None:
    for scenario in some("alice_met_bob"):
        assert (
            scenario.given.matrices[Name("Q")].written == scenario.given.matrices[Name("K")].written
        )
    (first, *_) = some("i_love_ai")
    assert first.given.matrices[Name("b1")].values.tolist() == [[0, 0]]


def test_variants_have_the_same_numbers() -> None:
    for scenario in some("word_order"):
        for variant in scenario.variants.values():
            assert written(variant)["W_Q"] == written(scenario)["W_Q"]
        trace = work(scenario)
        assert sorted(map(tuple, trace.variants["reversed"]["output"].values.round(9))) == sorted(
            map(tuple, trace["output"].values.round(9))
        )


@sampled(3, name=SMALL)
def test_no_two_forms_are_alike(name: str) -> None:
    made = [load(name), *some(name, 26)]
    numbers = [tuple(sorted((k, str(v)) for k, v in written(s).items())) for s in made]
    assert len(set(numbers)) == 27


@pytest.mark.parametrize("name", ["i_love_ai", "three_tokens_two_heads"])
def test_forms_are_of_one_difficulty(name: str) -> None:
    hard = [difficulty(work(scenario)) for scenario in some(name, 26)]
    assert max(hard) * 0.85 <= min(hard) * 1.15


def test_the_difficulty_of_a_product() -> None:
    # 2 × 1 is free, 3 × 4 costs 1 × 1, the sum 14 has two digits
    trace = trace_of("Q: [[2, 3]]\nK: [[1, 4]]\nscale: none")
    assert difficulty(trace, ["scores"]) == 1 + 2
    # 20 × 30 costs 2 × 2, −1 × 5 nothing, and the sum 595 has three digits
    trace = trace_of("Q: [[20, -1]]\nK: [[30, 5]]\nscale: none")
    assert difficulty(trace, ["scores"]) == 4 + 3


def test_the_difficulty_of_a_softmax() -> None:
    # e^0 = 1.0, e^1 = 2.7, e^2 = 7.4 have two digits each; 11.1 has three, for two additions and
    # a first term; 0.1, 0.2, 0.7 have one
    trace = trace_of("scores: [[0, 1, 2]]\nscale: none\nrounding: {decimals: 1}")
    assert trace["weights"].values.tolist() == [[0.1, 0.2, 0.7]]
    assert difficulty(trace, ["exp"]) == 6
    assert difficulty(trace, ["exp_sum"]) == 3 * 3
    assert difficulty(trace, ["weights"]) == 3
    assert difficulty(trace) == 6 + 9 + 3


@sampled(2, name=["i_love_ai", "encoder_block"])
def test_the_same_seed_gives_the_same_forms(name: str) -> None:
    first, again, other = (found(name, 3, seed) for seed in (7, 7, 8))
    assert list(map(written, first)) == list(map(written, again))
    assert list(map(written, first)) != list(map(written, other))


def test_the_first_forms_are_the_same_however_many_there_are() -> None:
    scenario = load("i_love_ai")
    many = list(map(written, forms(scenario, 30, 3)))
    assert many[:5] == list(map(written, forms(scenario, 5, 3)))
    assert many[:9] == list(map(written, islice(forms(scenario, 1000, 3), 9)))


def test_seeds_give_these_numbers_on_every_machine() -> None:
    (scenario,) = forms(load("i_love_ai"), 1, 7)
    assert scenario.given.matrices[Name("embeddings")].values.tolist() == [[2, 3], [1, 3], [2, 1]]


def test_only_what_is_asked_for_varies() -> None:
    own = written(load("i_love_ai"))
    for scenario in some("i_love_ai", 2, 7, "softmax"):
        changed = {name for name, numbers in written(scenario).items() if numbers != own[name]}
        assert changed == {"embeddings", "W_Q", "W_K"}


@sampled(3, name=LARGE)
def test_steps_of_large_scenarios_are_found_quickly(name: str) -> None:
    begun = time.process_time()
    assert len(some(name, 26, 7, "softmax", "scores")) == 26
    assert time.process_time() - begun < 20


def test_given_weights_add_up() -> None:
    text = "weights: [[0.7, 0.2, 0.1], [0, 0.5, 0.5], [0, 0, 1]]\nV: [[1, 2], [3, 4], [5, 7]]"
    trace = trace_of(text)
    for scenario in forms(trace.scenario, 10, 1):
        rows = scenario.given.matrices[Name("weights")].written
        assert rows is not None
        assert [sum(row) for row in rows] == [1, 1, 1]
        assert [[bool(x) for x in row] for row in rows] == [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
        assert len(set(rows[0])) == 3


def test_repeated_tokens_may_tie_with_each_other() -> None:
    text = SHIPPED["i_love_ai"].partition("ours:")[0].partition("claims:")[0]
    text = text.replace("sentence: I love AI", "sentence: I love I")
    for scenario in forms(trace_of(text).scenario, 3, 1):
        for row in work(scenario)["weights"].values:
            assert row[0] == row[2]
            assert row[0] != row[1]


TIGHT = """
tokens: [a, b, c, d, e, f, g, h, i, j, k, l]
X: [[1, 2], [2, 1], [3, 2], [1, 3], [2, 3], [3, 1], [3, 3], [2, 2], [1, 1], [2, 1], [1, 3], [3, 2]]
W_Q: [[1, 0], [0, 1]]
W_K: [[1, 0], [0, 1]]
W_V: [[1, 2], [2, 1]]
rounding: {decimals: 1}
"""


def test_the_search_is_bounded_and_says_what_failed() -> None:
    scenario = trace_of(TIGHT).scenario
    begun = time.process_time()
    with pytest.raises(UnsatisfiedError) as refusal:
        list(forms(scenario, 26, 7))
    assert time.process_time() - begun < 60
    text = str(refusal.value)
    assert text.startswith("form A: none of ")
    assert "--allow" in text
    named = [rule for rule in RULES if f"{rule} ({RULES[rule]}) took" in text]
    assert named


def test_rules_may_be_allowed_away() -> None:
    allow = ["repeats", "ties", "sums", "extreme", "edges", "mistakes"]
    assert len(list(forms(trace_of(TIGHT).scenario, 2, 7, allow=allow))) == 2
    with pytest.raises(ValueError, match="did you mean ties"):
        list(forms(load("i_love_ai"), 1, 7, allow=["tie"]))


def test_without_given_numbers_nothing_varies() -> None:
    with pytest.raises(UnsatisfiedError, match="W_Q, W_K, W_V is random, or comes from a file"):
        list(forms(load("i_can_go_alone"), 1, 7))
    with pytest.raises(ValueError, match="doesn't make nonsense"):
        list(forms(load("i_love_ai"), 1, 7, asked=["nonsense"]))


def test_the_names_of_forms() -> None:
    assert [form_name(k) for k in (0, 25, 26, 52)] == ["A", "Z", "A1", "A2"]


def worked_like_the_package(trace: Trace) -> None:
    """Candidates, worked all at once, have the numbers that the package gives each of them."""
    plan = plan_of(trace, ())
    workshop = BatchMaker(trace, plan)
    batch, random = workshop.batch(3), RandomState(5)
    for stage in plan.stages:
        batch.draw(stage, random)
        workshop.make(batch, stage.definition)
        operands = [batch.made[name] for name in stage.definition.operands]
        rounding = trace.rounding.of_quantity(stage.definition.step, stage.definition.name)
        for b in range(3):
            if not all(np.isfinite(np.nan_to_num(o.alone(b), neginf=0)).all() for o in operands):
                continue
            try:
                made = stage.definition.operation.make(
                    rounding, stage.definition.step, *(operand.matrix(b) for operand in operands)
                )
            except ArithmeticError:
                continue
            ours = batch.made[stage.definition.name]
            np.testing.assert_allclose(ours.alone(b), made.values, rtol=1e-9, atol=1e-9)
            assert (ours.places, ours.decimals) == (made.places, made.decimals)


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_candidates_are_worked_as_the_package_works_them(name: str) -> None:
    worked_like_the_package(work(load(name)))


@settings(max_examples=2 * FEWER)
@given(st.one_of(transformers(), recurrents()))
def test_candidates_of_any_model_are_worked_so(text: str) -> None:
    trace = trace_of(text)
    if plan_of(trace, ()).drawn:
        worked_like_the_package(trace)


@given(st.one_of(transformers(), recurrents()))
@settings(max_examples=FEWER)
def test_forms_of_any_model_can_be_worked(text: str) -> None:
    trace = trace_of(text)
    asked = asked_in(trace, "scores")[:1]
    with suppress(UnsatisfiedError):
        for scenario in forms(trace.scenario, 2, 1, asked=asked):
            again = work(scenario)
            assert list(again) == list(trace)
            assert difficulty(again, asked) >= 0


# ── attn design ──


def designed(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["design", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str) -> list[str]:
    result = CliRunner().invoke(app, ["design", *arguments])
    assert result.exit_code == 2
    assert result.stdout == ""
    return result.stderr.splitlines()


SIZES = [(3, 2, 1), (2, 1, 1), (4, 4, 2), (5, 3, 3), (3, 8, 4), (6, 2, 1)]


@sampled(4, sizes=[(7 + k % 2, *size) for k, size in enumerate(SIZES)])
def test_a_designed_scenario_is_not_weak(sizes: tuple[int, int, int, int], tmp_path: Path) -> None:
    seed, tokens, d_model, heads = sizes
    options = ["--tokens", tokens, "--d-model", d_model, "--heads", heads, "--seed", seed]
    text = designed(*map(str, options))
    trace = trace_of(text)
    assert trace.unfinished is None
    assert trace["embeddings"].matrix.shape == (tokens, d_model)
    assert len(softmaxes(trace)) == heads
    assert len(set(trace.scenario.text.tokens)) == tokens
    for weights in softmaxes(trace):
        for row in shown(trace, weights):
            assert sum(row) == 1
            assert len(set(row)) == tokens
            assert all(0 < weight < 1 for weight in row)
    (tmp_path / "mine.yaml").write_text(text, "utf-8")
    linted = CliRunner().invoke(app, ["lint", str(tmp_path / "mine.yaml"), "--format", "json"])
    assert linted.exit_code == 0
    found = json.loads(linted.stdout)["about"]
    each = found.removeprefix("Weak here: ").rstrip(".").split("; ")
    others = [what.partition(":")[0] for what in each]
    # six directions in a plane hardly ever have six winners
    helpless = ["ambiguous roundings", "ambiguous rounding", *(["repeated winner"] * (tokens > 5))]
    # how wide an answer is follows from the decimals, which a scenario chooses
    helpless += ["answers that tell little", "answer that tells little", "that rounding hides"]
    weak = [what for what in others if not what.endswith(tuple(helpless))]
    # without scaling or with one number a row some mistakes are right by nature
    assert found.startswith("Nothing is weak") or not weak or d_model // heads == 1, found


def test_a_designed_scenario_is_the_same_again() -> None:
    options = ["--tokens", "4", "--d-model", "4", "--heads", "2", "--seed", "9"]
    text = designed(*options)
    assert text == designed(*options)
    assert text != designed(*options[:-1], "10")
    command = text.partition("`attn design ")[2].partition("`")[0]
    assert text == designed(*command.split())


def test_a_designed_scenario_is_written_whole(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    assert designed("-o", str(file)) == f"{file} is written; `attn run {file}` works it out\n"
    text = file.read_text("utf-8")
    assert text == designed()
    assert CliRunner().invoke(app, ["run", str(file)]).exit_code == 0
    assert "exists already" in refused("-o", str(file))[0]
    assert file.read_text("utf-8") == text
    designed("--seed", "2", "-o", str(file), "--force")
    assert file.read_text("utf-8") == designed("--seed", "2")


@pytest.mark.parametrize("norm", ["layer", "rms"])
@pytest.mark.parametrize("decimals", ["2", "3"])
@pytest.mark.parametrize("sizes", [("4", "4", "2", "--residuals", "--no-ffn"), ("3", "2", "1")])
def test_what_comes_into_a_norm_is_small(sizes: tuple[str, ...], decimals: str, norm: str) -> None:
    """And no ε is added, which has more decimals than the numbers."""
    tokens, d_model, heads, *more = sizes
    options = ["--tokens", tokens, "--d-model", d_model, "--heads", heads, "--decimals", decimals]
    trace = trace_of(designed(*options, "--mask", "causal", "--norm", norm, *more))
    made = [q for q in trace.quantities.values() if q.local in ("mean", "mean_square")]
    assert len(made) == (1 if "--no-ffn" in more else 2)
    for quantity in made:
        assert quantity.definition is not None
        assert np.abs(trace[quantity.definition.operands[0]].values).max() < 10
    for quantity in trace.quantities.values():
        if quantity.local in ("deviation", "rms"):
            assert quantity.definition is not None
            squares = trace[quantity.definition.operands[0]].values
            np.testing.assert_allclose(
                quantity.values, np.sqrt(squares), atol=0.51 / 10 ** int(decimals)
            )


def test_the_layer_norm_of_one_number_is_refused() -> None:
    (text,) = refused("--d-model", "1", "--norm", "layer")
    assert text == (
        "--norm layer: a single number minus its mean is 0; give --d-model 2 or more, or --norm rms"
    )
    assert "kind: rms" in designed("--d-model", "1", "--norm", "rms", "--no-ffn")


def test_a_sentence_of_ones_own() -> None:
    text = designed("--sentence", " the  cats: eat #fish", "--d-model", "3")
    trace = trace_of(text)
    assert trace.scenario.text.tokens == ("the", "cats:", "eat", "#fish")
    assert trace.scenario.title == "the cats: eat #fish"
    assert trace["embeddings"].shape == (4, 3)
    command = text.partition("`attn ")[2].partition("`")[0]
    assert text == designed(*shlex.split(command)[1:])
    again = designed("--sentence", "no cat is no dog", "--tokens", "5")
    assert trace_of(again)["X"].shape == (5, 2)
    assert trace_of(again)["embeddings"].shape == (4, 2)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--sentence", "fish"], "--sentence: has 1 word; give it 2 to 8"),
        (["--sentence", " "], "--sentence: has 0 words; give it 2 to 8"),
        (["--sentence", "a b c d e f g h i"], "--sentence: has 9 words; give it 2 to 8"),
        (
            ["--sentence", "cats eat fish", "--tokens", "4"],
            "--tokens 4: the sentence has 3 words; leave it out",
        ),
        (
            ["i_love_ai", "--sentence", "cats eat fish"],
            "--sentence: a scenario has a sentence of its own;"
            " leave it out, or leave the scenario out for a new one",
        ),
    ],
)
def test_a_sentence_that_does_not_fit_is_refused(options: list[str], says: str) -> None:
    assert refused(*options) == [says]


def test_everything_that_is_wrong_is_said_at_once() -> None:
    texts = refused(
        "--tokens", "0", "--d-model", "x", "--heads", "99999999999", "--seed", "-1",
        "--decimals", "1.5", "--allow", "tie", "-o", "/",
    )  # fmt: skip
    assert [line.partition(":")[0] for line in texts] == [
        "--tokens 0",
        "--d-model x",
        "--heads 99999999999",
        "--decimals 1.5",
        "--seed -1",
        "--allow tie",
        "/",
    ]
    assert refused("--d-model", "2", "--heads", "3") == [
        "--heads 3: 2 dimensions are too few for 3 heads; give 2 or fewer"
    ]


def test_sizes_that_are_too_much_are_refused_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default after a tenth of the tries."""
    share = 1 if THOROUGH else 0.1
    monkeypatch.setattr(search, "_TRIED", search._TRIED * share)
    begun = time.process_time()
    (text,) = refused("--tokens", "8", "--d-model", "8", "--heads", "8")
    assert time.process_time() - begun < 60 * share
    assert text.startswith("a scenario of these sizes: none of ")
    assert "sums (" in text
    assert "--allow" in text


def test_every_rule_is_documented() -> None:
    reference = (ROOT / "scenarios" / "README.md").read_text("utf-8")
    for rule, says in RULES.items():
        assert f"| `{rule}` | {says} |" in reference


@pytest.mark.parametrize("layout", ["row", "linear"])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("heads", [1, 2, 3])
def test_the_sieve_sees_what_is_worked(
    heads: int, biased: bool, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the layout of the weights, what gets through the sieve has the numbers it had there."""
    rng = np.random.default_rng(heads)
    d = 6
    drawn = {f"W_{name}": rng.integers(-2, 3, (d, d)).tolist() for name in "QKV"}
    biases = {f"b_{name}": rng.integers(1, 3, d).tolist() for name in "QKV"} if biased else {}
    data = {"X": rng.integers(-1, 2, (2, d)).tolist(), "heads": heads, "weights_layout": layout}
    agrees = search._is_as_seen

    def seen(form: Trace, survivor: Survivor) -> bool:
        assert agrees(form, survivor)
        return True

    monkeypatch.setattr(search, "_is_as_seen", seen)
    trace = work(load({**data, **drawn, **biases, "block": "attention", "scale": 100}))
    wanted = [q.name for q in trace.quantities.values() if q.name.endswith("output")]
    assert next(search.search(trace.scenario, search.SearchRequest(1, 1, wanted, tuple(RULES))))
