"""Training: beside `torch.optim`, and sums done by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Number
from attncli.maths.numbers.rounding import Unworkable
from attncli.maths.operations.optimizers import OverRoot
from attncli.names import Name
from attncli.scenario.file.problems import ScenarioError
from attncli.scenario.model import after_updates
from attncli.trace import Trace
from tests import oracle
from tests.conftest import share
from tests.helpers.marking_cases import run
from tests.helpers.pages import trace_of
from tests.helpers.plain import read
from tests.steps.test_oracle import agree, changed

SALT = """\
title: Learning to attend
sentence: salt and pepper
vocabulary: {salt: 0, and: 1, pepper: 2}
embeddings: {salt: [1, 0], and: [0, 1], pepper: [1, 1]}
W_Q: [[1, 0], [0, 1]]
W_K: [[0, 1], [1, 0]]
W_V: [[1, 0], [-1, 1]]
scale: none
unembedding: [[1, 0, -1], [0, 1, 1]]
targets: [salt]
predict_from: last
train: {of: [W_Q, W_K, W_V], learning_rate: 0.1}
"""
STEPS = 10
NAMES = ("embeddings", "W_Q", "W_K", "W_V", "W_O", "unembedding")
OPTIMIZERS: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "sgd": ({}, "SGD", {}),
    "sgd_decay": ({"weight_decay": 0.05}, "SGD", {"weight_decay": 0.05}),
    "momentum": ({}, "SGD", {"momentum": 0.9}),
    "momentum_decay": (
        {"momentum": 0.5, "weight_decay": 0.05}, "SGD", {"momentum": 0.5, "weight_decay": 0.05},
    ),
    "adam": ({}, "Adam", {}),
    "adam_all": (
        {"beta1": 0.8, "beta2": 0.9, "epsilon": 0.01, "weight_decay": 0.1}, "Adam",
        {"betas": (0.8, 0.9), "eps": 0.01, "weight_decay": 0.1},
    ),
    "nesterov": ({}, "SGD", {"momentum": 0.9, "nesterov": True}),
    "nesterov_decay": (
        {"momentum": 0.5, "weight_decay": 0.05}, "SGD",
        {"momentum": 0.5, "weight_decay": 0.05, "nesterov": True},
    ),
    "rmsprop": ({}, "RMSprop", {}),
    "rmsprop_all": (
        {"alpha": 0.8, "epsilon": 0.01, "weight_decay": 0.1}, "RMSprop",
        {"alpha": 0.8, "eps": 0.01, "weight_decay": 0.1},
    ),
    "amsgrad": ({}, "Adam", {"amsgrad": True}),
    "amsgrad_all": (
        {"beta1": 0.8, "beta2": 0.5, "epsilon": 0.01, "weight_decay": 0.1}, "Adam",
        {"betas": (0.8, 0.5), "eps": 0.01, "weight_decay": 0.1, "amsgrad": True},
    ),
    "adafactor": ({}, "Adafactor", {"eps": (1e-8, 1e-3)}),
    "adafactor_all": (
        {"beta2_decay": -0.5, "epsilon": 0.01, "epsilon2": 0.5, "clip_threshold": 1.2,
         "weight_decay": 0.1, "learning_rate": 0.5},
        "Adafactor",
        {"beta2_decay": -0.5, "eps": (0.01, 0.5), "d": 1.2, "weight_decay": 0.1, "lr": 0.5},
    ),
    "adamw": ({}, "AdamW", {}),
    "adamw_all": ({"weight_decay": 0.2}, "AdamW", {"weight_decay": 0.2}),
}  # fmt: skip
"""What is said of an optimizer here, what it is called in PyTorch, and what is said of it there."""


def salt(folder: Path, train: str = "") -> Path:
    path = folder / "salt.yaml"
    before, _, _ = SALT.partition("train:")
    path.write_text(f"{before}train: {train}\n" if train else SALT, "utf-8")
    return path


def model(seed: int, d: int) -> dict[str, Any]:
    """A random causal attention with heads of two dimensions, and logits behind it."""
    rng = np.random.default_rng(seed)
    shapes = dict.fromkeys(NAMES[1:5], (d, d)) | {"embeddings": (5, d), "unembedding": (d, 5)}
    drawn = {name: rng.normal(size=shape).round(2).tolist() for name, shape in shapes.items()}
    words = {word: k for k, word in enumerate("abcde")}
    return {
        "sentence": "c a d c", "vocabulary": words, "targets": ["a", "d", "c", "b"],
        "heads": d // 2, "mask": "causal", "rounding": {"policy": "exact", "decimals": "4"}, **drawn,
    }  # fmt: skip


def loss_of(p: dict[str, Any]) -> Any:
    import torch

    x = p["embeddings"][[2, 0, 3, 2]]
    hidden = torch.ones(4, 4, dtype=torch.bool).triu(1)
    heads = []
    for k in range(0, x.shape[1], 2):
        columns = slice(k, k + 2)
        Q, K, V = ((x @ p[f"W_{text}"])[:, columns] for text in "QKV")
        heads.append((Q @ K.T / 2**0.5).masked_fill(hidden, -torch.inf).softmax(1) @ V)
    logits = torch.cat(heads, 1) @ p["W_O"] @ p["unembedding"]
    return torch.nn.functional.cross_entropy(logits, torch.tensor([0, 3, 2, 1]))


@pytest.mark.real("torch")
@pytest.mark.parametrize(
    ("named", "clip", "d"),
    [
        *share(5, ((one, clip, 2) for one in OPTIMIZERS for clip in (None, 0.5)), "ten updates"),
        ("sgd", 50.0, 2),
        ("adam", 0.5, 4),
    ],
)
def test_ten_updates_are_those_of_pytorch(named: str, clip: float | None, d: int) -> None:
    torch = pytest.importorskip("torch")
    data, theirs, options = OPTIMIZERS[named]
    tree = model(len(named) + int(clip or 0), d)
    train = {
        "optimizer": named.split("_", maxsplit=1)[0],
        "learning_rate": 0.05,
        "steps": STEPS,
        **data,
    }
    trace = work(load(tree | {"train": train | ({} if clip is None else {"clip": clip})}))
    p = {name: torch.tensor(tree[name], dtype=torch.float64, requires_grad=True) for name in NAMES}
    optimizer = getattr(torch.optim, theirs)(p.values(), **{"lr": 0.05, **options})
    for count in range(STEPS + 1):
        loss = loss_of(p)
        assert of(trace, "cross_entropy", count) == pytest.approx(loss.item(), abs=1e-10)
        if count == STEPS:
            break
        optimizer.zero_grad()
        loss.backward()
        if clip is not None:
            norm = torch.nn.utils.clip_grad_norm_(p.values(), clip)
            assert of(trace, "grad_norm", count) == pytest.approx(norm.item(), abs=1e-10)
        optimizer.step()
        place = after_updates(count)
        for name in NAMES:
            ours = trace[Name(name).under(Name("update", place))].values
            np.testing.assert_allclose(ours, p[name].detach(), atol=1e-10, rtol=0, err_msg=name)


@pytest.mark.parametrize(
    "optimizer",
    ["sgd", "momentum", "nesterov", "rmsprop", "adam", "adamw", "amsgrad", "adafactor"],
)
def test_every_number_is_that_of_the_oracle(optimizer: str, tmp_path: Path) -> None:
    text = salt(tmp_path).read_text("utf-8")
    falling = ("schedule=cosine", "warmup=1", "weight_decay=0.1", "least_rate=0.001")
    several = product(
        ((), ("clip=0.5", "weight_decay=0.1"), falling), ("decimals=9", "policy=exact")
    )
    for more, rounding in share(5, several, optimizer):
        values = [f"optimizer={optimizer}", "steps=3", *more]
        asked = (*(f"train.{value}" for value in values), f"rounding.{rounding}")
        expected = oracle.work(changed(read(text), asked))
        agree(expected, text, *asked)
        trace = trace_of(text, *asked)
        made = {name for name in trace if not trace[name].given}
        assert made <= {*expected}


SCHEDULES: dict[str, tuple[dict[str, Any], Any]] = {
    "warmup": ({"warmup": 3}, lambda k: min(1, (k + 1) / 3)),
    "linear": ({"schedule": "linear"}, lambda k: 1 - k / STEPS),
    "linear_least": (
        {"schedule": "linear", "least_rate": "0.01", "warmup": 2},
        lambda k: (k + 1) / 2 if k < 2 else 0.2 + 0.8 * (1 - (k - 2) / (STEPS - 2)),
    ),
    "cosine_warm": (
        {"schedule": "cosine", "warmup": 4},
        lambda k: (k + 1) / 4 if k < 4 else (1 + math.cos(math.pi * (k - 4) / (STEPS - 4))) / 2,
    ),
    "cosine": ({"schedule": "cosine"}, {}),
    "cosine_least": ({"schedule": "cosine", "least_rate": "0.01"}, {"eta_min": 0.01}),
}
"""What is said of a schedule here, and the share of the learning rate that each update, from 0, has
of `LambdaLR`, or what is said to `CosineAnnealingLR`."""


@pytest.mark.real("torch")
@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
@pytest.mark.parametrize("named", SCHEDULES)
def test_a_schedule_is_that_of_pytorch(named: str, optimizer: str) -> None:
    torch = pytest.importorskip("torch")
    data, share = SCHEDULES[named]
    tree = model(len(named), 2)
    train = {"optimizer": optimizer, "learning_rate": "0.05", "steps": STEPS, **data}
    trace = work(load(tree | {"train": train}))
    p = {name: torch.tensor(tree[name], dtype=torch.float64, requires_grad=True) for name in NAMES}
    theirs = {"sgd": torch.optim.SGD, "adamw": torch.optim.AdamW}[optimizer](p.values(), lr=0.05)
    schedulers = torch.optim.lr_scheduler
    scheduler = (
        schedulers.LambdaLR(theirs, share)
        if callable(share)
        else schedulers.CosineAnnealingLR(theirs, STEPS, **share)
    )
    for count in range(STEPS):
        theirs.zero_grad()
        loss_of(p).backward()
        rate = theirs.param_groups[0]["lr"]
        assert of(trace, "learning_rate", count) == pytest.approx(rate, abs=1e-12)
        theirs.step()
        scheduler.step()
        for name in NAMES:
            ours = trace[Name(name).under(Name("update", after_updates(count)))].values
            np.testing.assert_allclose(ours, p[name].detach(), atol=1e-10, rtol=0, err_msg=name)


def of(trace: Trace, name: str, count: int) -> float:
    """A single number after so many updates."""
    place = after_updates(count)
    return float(trace[Name(name, place or None)].values[0, 0])


def numbers(trace: Trace, name: str) -> list[list[Decimal]]:
    return [[Decimal(str(number)) for number in row] for row in trace[name].values]


def rounded(number: Decimal) -> Decimal:
    return number.quantize(Decimal("0.001"), ROUND_HALF_UP)


def test_under_carry_an_update_goes_on_with_the_printed_digits(tmp_path: Path) -> None:
    trace = work(load(salt(tmp_path)))
    rate, predicted = Decimal("0.1"), []
    for name in ("W_Q", "W_K", "W_V"):
        W, slopes = numbers(trace, name), numbers(trace, f"grad.{name}")
        pairs = [list(zip(*rows, strict=True)) for rows in zip(W, slopes, strict=True)]
        right = [[rounded(w - rate * g) for w, g in row] for row in pairs]
        assert numbers(trace, f"update.{name}") == right
        predicted.append(rounded(-rate * sum(g * g for row in slopes for g in row)))
        assert numbers(trace, f"train[1].predicted.{name}") == [[predicted[-1]]]
    assert numbers(trace, "train[1].predicted") == [[sum(predicted)]]
    ((before,),), ((after,),) = (
        numbers(trace, name) for name in ("cross_entropy", "train[1].cross_entropy")
    )
    assert numbers(trace, "train[1].change") == [[after - before]]
    assert after < before


def test_adam_by_hand(tmp_path: Path) -> None:
    """m = 0.1 g, v = 0.001 g², and with the corrections a step of nearly the learning rate."""
    text = "{of: [W_Q], optimizer: adam, learning_rate: 0.1, steps: 2}"
    trace = work(load(salt(tmp_path, text), ["rounding.steps.update=7"]))
    g, h = (numbers(trace, f"{place}grad.W_Q")[0][0] for place in ("", "train[1]."))
    m = Decimal("0.1") * g
    v = Decimal("0.001") * g * g
    assert numbers(trace, "m.W_Q")[0][0] == m
    assert abs(numbers(trace, "v.W_Q")[0][0] - v) <= Decimal("0.00000005")
    assert numbers(trace, "m_hat.W_Q")[0][0] == g
    moved = Decimal(1) - numbers(trace, "update.W_Q")[0][0]
    assert abs(moved - Decimal("0.1")) < Decimal("0.0001")
    m = Decimal("0.9") * m + Decimal("0.1") * h
    assert numbers(trace, "train[1].m.W_Q")[0][0] == m
    corrected = m / (1 - Decimal("0.9") ** 2)
    assert abs(numbers(trace, "train[1].m_hat.W_Q")[0][0] - corrected) <= Decimal("0.00000005")


def test_only_what_is_trained_is_worked_again(tmp_path: Path) -> None:
    trace = work(load(salt(tmp_path)))
    again = {str(name) for name in trace if name.startswith("train[1]")}
    assert {"train[1].Q", "train[1].weights", "train[1].cross_entropy"} <= again
    assert "train[1].X" not in again
    assert not any("grad" in name for name in again)  # nothing is updated by them any more
    assert "grad.unembedding" not in trace
    every = work(load(salt(tmp_path, "{learning_rate: 0.1, steps: 2}")))
    assert {"train[1].X", "train[1].grad.unembedding", "train[1].update.embeddings"} <= {*every}
    of_data = salt(tmp_path, "{learning_rate: 0.1}").read_text("utf-8")
    _, _, rest = of_data.partition("W_Q:")
    before = "X: [[1, 0], [0, 1], [1, 1]]\nsentence: salt and pepper\nlabels: [a, b, c]\n"
    (tmp_path / "data.yaml").write_text(f"{before}W_Q:{rest.replace('[salt]', '[a]')}", "utf-8")
    data = work(load(tmp_path / "data.yaml"))
    assert "update.W_Q" in data
    assert "update.X" not in data
    assert "update.X" in work(load(tmp_path / "data.yaml", ["train.of=[X]"]))


def test_one_step_is_a_lesson_with_the_loss_before_and_after(tmp_path: Path) -> None:
    page = run("run", salt(tmp_path)).stdout
    text = " ".join(page.split())
    assert "update.W_Q[2] = [0 − 0.1×0.395, 1 − 0.1×(−0.296)] = [−0.040, 1.030]" in text
    assert "train[1].change = 1.343 − 1.687 = −0.344" in text
    assert "After update 1 the loss is 1.343: it fell by 0.344." in text
    assert "train[1].scores" not in page
    assert "After update 1 · Softmax" not in page
    closely = run("run", salt(tmp_path), "--detail", "full").stdout
    assert "After update 1 · Softmax" in closely
    assert "Q = X update.W_Q" in closely


def test_the_page_ends_with_each_loss_and_the_embeddings(tmp_path: Path) -> None:
    path = salt(tmp_path, "{of: [embeddings], learning_rate: 0.1, steps: 2}")
    text = run("run", path).stdout
    assert "Updates │  Loss  Change  Predicted  p(salt)" in text
    assert "The embeddings before, during and after" in text


def test_learning_to_attend_learns_to_attend() -> None:
    page = run("run", "learning_to_attend").stdout
    assert len(page.splitlines()) <= 365
    trace = work(load("learning_to_attend"))
    before, after = (trace[name].values[2] for name in ("weights", "train[2].weights"))
    assert [before.argmax(), after.argmax()] == [0, 1], "it looks at the, then at cat"
    assert after[1] > 2 * before[1]
    assert (trace["W_Q"].values != trace["W_K"].values).any()
    fall, attended, others = falls(trace)
    assert attended > 0.85 * fall, "most of it without W_V"
    assert others < fall / 2
    said = " ".join(page.split())
    with_V = f"With W_V put back to the start, the loss falls by {attended:.2f} of the {fall:.2f}"
    assert f"{with_V}, with W_Q and W_K by {others:.2f}." in said


def falls(trace: Mapping[str, Any]) -> tuple[float, float, float]:
    """By how much the loss falls by all updates, by those of W_Q and W_K, and by that of W_V."""
    was, now = (
        {name: trace[f"{place}{name}"].values for name in ("W_Q", "W_K", "W_V")}
        for place in ("", "train[1].update.")
    )
    X, unembedding = trace["X"].values, trace["unembedding"].values

    def loss(W_Q: Any, W_K: Any, W_V: Any) -> float:
        Q, K, V = ((X @ W).round(2) for W in (W_Q, W_K, W_V))
        exp = np.exp((Q @ K.T).round(2)[-1]).round(2)
        weights = (exp / exp.sum()).round(2)
        exp = np.exp(((weights @ V).round(2) @ unembedding).round(2)).round(2)
        return round(-math.log(round(exp[1] / exp.sum().round(2), 2)), 2)

    before = loss(**was)
    fallen = [loss(**now), loss(**{**now, "W_V": was["W_V"]}), loss(**{**was, "W_V": now["W_V"]})]
    all_of_it, attended, others = (round(before - after, 2) for after in fallen)
    return all_of_it, attended, others


WRONG = {
    "{of: [W_Q]}": "salt.yaml:12:8: train without learning_rate",
    "{learning_rate: -1}": "salt.yaml:12:24: -1 is not above zero; give a number above zero",
    "{learning_rate: 0.1, optimizer: adamx}": "did you mean adam?",
    "{learning_rate: 0.1, momentum: 0.9}": "momentum is no setting of sgd, but of momentum",
    "{learning_rate: 0.1, optimizer: adam, beta1: 1}": "1 is not below 1",
    "{learning_rate: 0.1, of: [W_q]}": "of: no parameter W_q is used here; did you mean W_Q?",
    "{learning_rate: 0.1, steps: -1}": '"-1" is not a whole number from 0 to 1000',
    "{steps: 1}": "salt.yaml:12:8: train without learning_rate",
    "{learning_rate: 0.1, clip: 0}": "0 is not above zero",
    "{learning_rate: 0.1, schedule: cosine, warmup: 3, steps: 3}": "give a number below 3",
    "{learning_rate: 0.1, schedule: step}": "known: constant, linear, cosine",
    "{learning_rate: 0.1, loss: hinge}": "is not a choice here",
    "{learning_rate: 0.1, rate: 2}": 'unknown key "rate"',
}


@pytest.mark.parametrize("said", WRONG)
def test_what_is_wrong_is_said_where_it_stands(tmp_path: Path, said: str) -> None:
    refused = run("validate", salt(tmp_path, said))
    assert refused.exit_code == 2
    assert WRONG[said] in refused.output
    assert "salt.yaml:12:" in refused.output


def test_training_needs_a_loss_and_does_not_generate(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="gradients are those of a loss; give targets"):
        load("i_love_ai", ["train={learning_rate: 0.1}"])
    with pytest.raises(ScenarioError, match="generate beside train"):
        load(salt(tmp_path), ["generate=1"])


def test_a_mean_of_squares_that_rounds_to_0_is_nothing_to_divide_by(tmp_path: Path) -> None:
    path = salt(tmp_path, "{optimizer: adam, learning_rate: 0.1}")
    with pytest.raises(
        ScenarioError, match=r"rounds to 0 with 3 decimals.*7 decimals, or the policy exact"
    ):
        work(load(path))


@pytest.mark.parametrize(
    ("mean", "advice"),
    [
        ("0.001", "11 decimals, or the policy exact,"),
        ("0.00001", "the policy exact"),
        ("0.000001", "the policy exact"),
    ],
)
@pytest.mark.parametrize("places", [8, 12])
def test_only_decimals_that_would_do_are_advised(mean: str, advice: str, places: int) -> None:
    average = Matrix.of_written([[Decimal(mean)]])
    squares = Matrix(np.zeros((1, 1)), places, places)
    with pytest.raises(Unworkable) as error:
        OverRoot(Number.written(Decimal("0.00000001"))).values(average, squares)
    assert error.value.what == f"the mean of the squares rounds to 0 with {places} decimals"
    assert error.value.instead == ("the policy exact" if places == 12 else advice)


@pytest.mark.parametrize(
    ("said", "mistakes"),
    [
        ("{learning_rate: 0.1}", ("Adding the gradient", "without the learning rate")),
        ("{optimizer: adam, learning_rate: 0.1}", ("which begin at 0", "Adding ε inside")),
        ("{optimizer: adamw, learning_rate: 0.1}", ("without its weight decay",)),
        ("{optimizer: nesterov, learning_rate: 0.1}", ("without looking ahead",)),
        ("{optimizer: rmsprop, learning_rate: 0.1}", ("Adding ε inside",)),
        ("{warmup: 2, learning_rate: 0.1}", ("without its schedule",)),
        ("{clip: 9, learning_rate: 0.1}", ("even where theirs is smaller",)),
    ],
)
def test_a_lesson_makes_the_mistakes_of_its_optimizer(
    tmp_path: Path, said: str, mistakes: tuple[str, ...]
) -> None:
    path = salt(tmp_path, said)
    asked = ("--step", "update", "--set", "rounding.decimals=8")
    text = " ".join(run("explain", path, *asked).stdout.split())
    for mistake in mistakes:
        _, _, after = text.partition(mistake)
        assert after, mistake
        assert "The mistake gives" in after


@pytest.mark.wing("classroom")
@pytest.mark.parametrize("step", ["update", "progress"])
def test_a_step_of_training_is_asked_and_marked(tmp_path: Path, step: str) -> None:
    path, folder = salt(tmp_path), tmp_path / "made"
    asked = ("--step", step, "--format", "yaml", "-o", f"{folder}/")
    assert run("exercise", path, *asked).exit_code == 0
    (key,) = folder.glob("*_key.yaml")
    report = run("grade", path, key)
    assert report.exit_code == 0, report.output


def test_formulas_of_an_update_are_those_of_one_parameter() -> None:
    """Each once: where both decay alike, that of v̂ is still another than that of m̂."""
    page = run("run", "adam_by_hand").stdout
    assert page.count("  m_hat.X = m.X / (1 − 0.9)\n") == 1
    assert page.count("  v_hat.X = v.X / (1 − 0.9)\n") == 1


def test_an_update_is_a_quantity_like_others(tmp_path: Path) -> None:
    path = salt(tmp_path)
    text = run("run", path, "--cell", "train[1].weights[pepper, salt]").stdout
    assert "0.245" in text
    why = run("why", "update.W_Q[1, 1]", path).stdout
    assert "1 − 0.1 × 0.395" in why.replace("\u00a0", " ")
    trace = work(load(path))
    moved = trace.replay({"update.W_V": trace["W_V"].values})
    assert of(moved, "cross_entropy", 1) != of(trace, "cross_entropy", 1)
    until = work(load(path, ["until=update"]))
    assert "update.W_Q" in until
    assert "train[1].Q" not in until


def test_one_parameter_needs_no_list() -> None:
    several, worked_trace = (
        work(load("learning_to_attend", [f"train={{learning_rate: 1, of: {of}}}"]))
        for of in ("[W_V]", "W_V")
    )
    assert worked_trace["update.W_V"].values.tolist() == several["update.W_V"].values.tolist()
    assert "update.W_Q" not in worked_trace
