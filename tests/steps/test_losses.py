"""Losses and the gradients that go back from them, by sums done by hand."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from attncli import Trace, load, work
from attncli.maths.equations import deciding
from attncli.names import Name
from attncli.scenario.file.problems import ScenarioError
from attncli.steps import step_named
from tests.conftest import sampled
from tests.helpers.marking_cases import run

EXACT = {"rounding": {"policy": "exact"}, "backward": True}
PLANE: dict[str, Any] = {
    "title": "Two dimensions",
    "X": [[1, 0], [0, 1], [1, 1]],
    "W_Q": [[1, 0], [0, 1]],
    "W_K": [[0, 1], [1, 0]],
    "W_V": [[1, 0], [-1, 1]],
    "targets": [[1, 0], [0, 1], ["0.5", "0.5"]],
    "backward": True,
}
READ = {
    "title": "Reading out",
    "sentence": "a b c",
    "embeddings": {"a": [1, 0], "b": [0, 1], "c": [1, 1]},
    "cell": "rnn",
    "W_ax": [["0.1", "0.2"], ["0.4", "0.5"]],
    "W_aa": [["0.3", "-0.2"], ["-0.4", "0.1"]],
    "W_ya": [["0.5", "-0.1"], ["1", "0.3"], ["-0.2", "0.4"]],
    "backward": True,
}
WORDS = {**READ, "readout": "softmax", "targets": ["b", "c", "a"]}
YES_NO = {
    **READ,
    "loss": "binary_cross_entropy",
    "targets": [[1, 0, 1], [0, 0, "0.25"], [1, 1, 0]],
}


NAMES_OF_SUMS = {"mean": "mse", "mean_of_rows": "mse", "sum": "sse", "half_sum": "half_sse"}


@pytest.mark.parametrize(
    ("reduction", "divided_by"), [("mean", 6), ("mean_of_rows", 3), ("sum", 1), ("half_sum", 2)]
)
def test_the_gradient_of_squared_errors_by_hand(reduction: str, divided_by: int) -> None:
    """2 (x − y), divided by whatever the sum is; and an update by just that."""
    trained = {**PLANE, **EXACT, "train": {"learning_rate": 1, "reduction": reduction}}
    trace = work(load(trained))
    x, y = trace["output"].values, np.array([[1, 0], [0, 1], [0.5, 0.5]])
    name = NAMES_OF_SUMS[reduction]
    assert trace[name].values[0, 0] == pytest.approx(((x - y) ** 2).sum() / divided_by)
    np.testing.assert_allclose(trace["grad.output"].values, 2 * (x - y) / divided_by, atol=1e-12)
    back = trace["weights"].values.T @ (2 * (x - y) / divided_by)
    grad = np.array([[1, 0], [0, 1], [1, 1]]).T @ back
    np.testing.assert_allclose(trace["update.W_V"].values, [[1, 0], [-1, 1]] - grad, atol=1e-12)


READ_OUTS: list[dict[str, Any]] = [
    WORDS,
    {**WORDS, "label_smoothing": "0.1"},
    {**WORDS, "targets": ["b", "_", "a"], "ignored_target": "_", "label_smoothing": "0.2"},
    {**WORDS, "targets": ["c"], "readout_from": "last"},
    {
        **WORDS,
        "loss": "cross_entropy",
        "targets": [["0.2", "0.3", "0.5"], [1, 0, 0], [0, 0, 1]],
    },
    {
        **WORDS,
        "loss": "cross_entropy",
        "label_smoothing": "0.1",
        "targets": [["0.2", "0.3", "0.5"], [1, 0, 0], [0, 0, 1]],
    },
    {**WORDS, "targets": [[1, 0, 0]] * 3},
    YES_NO,
    {**READ, "targets": [[1, 0, 1]] * 3},
    {**READ, "readout": "none", "readout_from": "last", "targets": [[1, "0.5", "-2"]]},
]


WRONG = {
    "loss=mse": (WORDS, "mse is of numbers, and the targets are tokens"),
    "reduction=sum": (WORDS, "a reduction is of squared errors, and cross_entropy is a mean"),
    "reduction=half": (PLANE, "did you mean half_sum?"),
    "label_smoothing=0.1": (PLANE, "label smoothing is for a cross-entropy, not for mse"),
    "loss=cross_entropy": (PLANE, "cross_entropy needs logits, and there is no unembedding"),
    "loss=binary_cross_entropy": (WORDS, "binary_cross_entropy is of what a sigmoid reads out"),
    "readout=sigmoid": (WORDS, "a cross-entropy needs probabilities of classes"),
    "targets=[b, b, d]": (WORDS, 'the target "d" is not among'),
    "targets=[b]": (WORDS, "the targets are 1, the positions with logits 3"),
    "targets=[[1, 0]]": (
        PLANE,
        "the targets are 1 × 2, and what they are compared with, output, is 3 × 2; give targets"
        " that are 3 × 2",
    ),
    "targets=[[1], [0]]": (
        PLANE,
        "the targets are 2 × 1, and what they are compared with, output, is 3 × 2; give targets"
        " that are 3 × 2",
    ),
    "targets=[[1, 0], [0, 1]]": (
        YES_NO,
        "the targets are 2 × 2, and what they are compared with, readouts, is 3 × 3; give"
        " targets that are 3 × 3",
    ),
    "ignored_target=a": (PLANE, "an ignored target, and targets in numbers"),
}


@pytest.mark.parametrize("change", WRONG)
def test_what_does_not_go_together_is_told(change: str) -> None:
    scenario, wrong = WRONG[change]
    with pytest.raises(ScenarioError) as refused:
        load(scenario, [change])
    assert wrong in str(refused.value)


def test_targets_that_are_no_shares() -> None:
    with pytest.raises(ScenarioError, match="the targets of this row don't add up to 1"):
        work(load({**WORDS, "loss": "cross_entropy", "targets": [[1, 0, 0], [1, 1, 0], [0, 0, 1]]}))
    with pytest.raises(ScenarioError, match="loss, and no targets; give targets"):
        load({key: value for key, value in YES_NO.items() if key != "targets"})


def written(tree: dict[str, Any], folder: Path) -> Path:
    from tests.drawing import written as yaml

    path = folder / "loss.yaml"
    path.write_text("\n".join(f"{key}: {yaml(value)}" for key, value in tree.items()), "utf-8")
    return path


def test_a_page_has_the_working_of_a_squared_error(tmp_path: Path) -> None:
    page = run("run", written(PLANE, tmp_path), "--step", "mse", "--step", "backward_mse").stdout
    text = " ".join(page.split())
    assert "squared_error[i, j] = (output[i, j] − targets[i, j])^2" in text
    assert "mse = (Σ_ij squared_error[i, j]) / (n × m)" in text
    assert "2 × grad.mse × (output[i, j] − targets[i, j]) / (n × m)" in text


def test_a_page_of_half_the_sum_says_so(tmp_path: Path) -> None:
    steps = ("--step", "mse", "--step", "backward_mse")
    page = run("run", written({**PLANE, "reduction": "half_sum"}, tmp_path), *steps).stdout
    text = " ".join(page.split())
    assert "Half the sum of squared errors" in text
    assert "half_sse = (Σ_ij squared_error[i, j]) / 2" in text
    assert "grad.output[i, j] = grad.half_sse × (output[i, j] − targets[i, j])" in text
    assert "The gradient of a number is its difference from its target." in text
    assert "mean" not in text.lower().replace("means", "")


def test_a_loss_that_is_said_is_used() -> None:
    assert work(load({**PLANE, "reduction": "sum"})).unused == ()
    for scenario in (YES_NO, {**PLANE, "loss": "mse"}, {**WORDS, "loss": "cross_entropy"}):
        assert work(load(scenario)).unused == ()


def test_a_page_has_smoothed_labels(tmp_path: Path) -> None:
    path = written({**WORDS, "label_smoothing": "0.1"}, tmp_path)
    text = " ".join(run("run", path, "--step", "loss").stdout.split())
    assert (
        "smoothed[a, b] = (1 − 0.1) × 1 + 0.1 / 3 = 0.9 × 1 + 0.1 / 3 = 0.9 + 0.1 / 3 = 0.933"
        in text
    )


STEPS = {
    "mse": PLANE,
    "backward_mse": PLANE,
    "loss": {**WORDS, "label_smoothing": "0.1"},
    "backward_loss": WORDS,
    "readouts": WORDS,
    "backward_readouts": WORDS,
    "binary_loss": YES_NO,
    "backward_binary_loss": YES_NO,
}


@pytest.mark.wing("classroom")
@sampled(3, step=STEPS)
def test_the_steps_are_explained_asked_and_marked(step: str, tmp_path: Path) -> None:
    path, folder = written(STEPS[step], tmp_path), tmp_path / "made"
    assert run("explain", path, "--step", step).exit_code == 0
    asked = ("--step", step, "--format", "yaml", "-o", f"{folder}/")
    made = run("exercise", path, *asked)
    if step.endswith("readouts"):
        return  # which only puts numbers elsewhere
    assert made.exit_code == 0, made.output
    (key,) = folder.glob("*_key.yaml")
    report = run("grade", path, key)
    assert report.exit_code == 0, report.output


def _sum_of(x: Any, y: Any) -> Any:
    return ((x - y) ** 2).sum()


MISTAKES: list[tuple[str, str, str, Any]] = [
    ("mean", "squared_error", "not_squared", lambda x, y: np.abs(x - y)),
    ("mean", "mse", "divided_by_rows", lambda x, y: _sum_of(x, y) / 3),
    ("mean_of_rows", "mse", "divided_by_entries", lambda x, y: _sum_of(x, y) / 6),
    ("sum", "sse", "averaged", lambda x, y: _sum_of(x, y) / 6),
    ("half_sum", "half_sse", "averaged", lambda x, y: _sum_of(x, y) / 6),
    ("half_sum", "half_sse", "half_left_out", _sum_of),
    ("mean", "grad.output", "sum_for_mean", lambda x, y: 2 * (x - y)),
    ("mean_of_rows", "grad.output", "sum_for_mean", lambda x, y: 2 * (x - y)),
    ("half_sum", "grad.output", "half_left_out_on_the_way_back", lambda x, y: 2 * (x - y)),
]


def ways_of(reduction: str, name: str, mistake: str) -> tuple[Trace, list[Any]]:
    trace = work(load({**PLANE, **EXACT, "reduction": reduction}))
    step = "backward_mse" if name.startswith("grad") else "mse"
    part = next(entry for entry in trace.story if entry.step == step)
    made = next(m for m in step_named(step).mistakes if m.name == mistake)
    return trace, [*made.ways(part.place, part.definitions)]


@pytest.mark.parametrize(("reduction", "name", "mistake", "expected"), MISTAKES)
def test_mistakes_come_to_what_their_names_say(
    reduction: str, name: str, mistake: str, expected: Any
) -> None:
    trace, ways = ways_of(reduction, name, mistake)
    definition = ways[0][0]
    assert definition is not None
    changed = trace.remake(definition)
    wanted = expected(trace["output"].values, trace["targets"].values)
    np.testing.assert_allclose(changed[name].values, wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("reduction", "name", "mistake"),
    [
        ("sum", "sse", "half_left_out"),
        ("sum", "mse", "divided_by_rows"),
        ("sum", "grad.output", "sum_for_mean"),
        ("mean_of_rows", "mse", "divided_by_rows"),
        ("mean", "mse", "divided_by_entries"),
        ("mean", "mse", "averaged"),
        ("mean", "grad.output", "half_left_out_on_the_way_back"),
    ],
)
def test_what_is_right_here_is_no_mistake(reduction: str, name: str, mistake: str) -> None:
    assert ways_of(reduction, name, mistake)[1] == []


def test_random_losses_round_as_their_working() -> None:
    """Under carry every printed digit is that of its working."""
    random = Random(3)
    for scenario in (PLANE, YES_NO, {**WORDS, "label_smoothing": "0.1"}):
        trace = work(load(scenario, [f"X[1,1]={random.randint(1, 9)}"] if "X" in scenario else ()))
        for definition in trace.plan:
            if "loss" in definition.step or "mse" in definition.step:
                matrix = trace[definition.name].matrix
                for i, j in np.ndindex(*matrix.shape):
                    form = definition.operation.cell(i, j, *trace.operands(definition))[-1]
                    assert deciding.relation(form, matrix.number(i, j)) == "="


def test_targets_that_do_not_fit_are_told_where_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("logits: [[1, 0, 1], [0, 1, 2], [1, 1, 1]]\ntargets: [[1, 0], [0, 1]]\n")
    text = run("run", path).stderr
    assert text.replace(str(path), "wrong.yaml") == (
        "wrong.yaml:2:10: the targets are 2 × 2, and what they are compared with, logits, is"
        " 3 × 3; give targets that are 3 × 3\n"
    )


def test_targets_say_how_large_what_is_random_is() -> None:
    scenario = {**PLANE, "W_V": {"random": "normal", "seed": 1}, "targets": [[1, 0, 0]] * 3}
    assert work(load(scenario)).scenario.given.matrices[Name("W_V")].shape == (2, 3)


TOKENS = PLANE | {"X": {"a": [1, 0], "b": [0, 1], "c": [1, 1]}}
NAMES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "every": (READ | {"targets": [[1, 0, 0]] * 3}, ("a", "b", "c")),
    "last": (READ | {"targets": [[1, 0, 0]], "readout_from": "last"}, ("c",)),
    "last of the way back": (
        READ | {"targets": [[1, 0, 0]], "readout_from": "last", "direction": "backward"},
        ("a",),
    ),
    "output of one": (TOKENS | {"targets": [[1, 0]], "predict_from": "last"}, ("c",)),
    "output of the first": (TOKENS | {"targets": [[1, 0]], "predict_from": "first"}, ("a",)),
    "without names": (
        PLANE | {"X": [[1, 0], [0, 1]], "targets": [[1, 0]], "predict_from": "last"},
        ("2",),
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_targets_are_called_as_what_they_are_compared_with(name: str) -> None:
    scenario, names = NAMES[name]
    trace = work(load(scenario))
    assert trace["targets"].rows.names == trace["squared_error"].rows.names == names


TWO = {"title": "Two", "vocabulary": {"a": 0, "b": 1}, "loss": "cross_entropy"}


def given_logits(logits: str, targets: str, *texts: str) -> Trace:
    """A trace of logits of two classes alone, and of targets in numbers or in words."""
    return work(load(TWO, [f"logits={logits}", f"targets={targets}", *texts]))


def test_a_hint_of_a_probability_of_0_is_one_that_helps() -> None:
    """More decimals, or the policy exact, where these do, and else what always would."""
    nothing = "a target with a larger probability would do"
    for logits, hint in (
        ("[[10, 0]]", "5 decimals or the policy exact would do"),
        ("[[20, 0]]", "; the policy exact would do"),  # the perplexity is too long to be carried
        ("[[800, 0]]", nothing),
    ):
        for targets in ("[b]", "[[0, 1]]"):
            with pytest.raises(ScenarioError, match="has no logarithm") as wrong:
                given_logits(logits, targets)
            assert str(wrong.value).endswith(hint)
    assert given_logits("[[10, 0]]", "[b]", "rounding.decimals=5")["perplexity"]
    assert given_logits("[[20, 0]]", "[b]", "rounding.policy=exact")["perplexity"]
    with pytest.raises(ScenarioError, match=nothing):
        given_logits("[[800, 0]]", "[b]", "rounding.policy=exact")
    with pytest.raises(ScenarioError, match=nothing):  # given as 0, which no rounding made
        work(load(TWO, ["probabilities=[[1, 0]]", "targets=[b]"]))
