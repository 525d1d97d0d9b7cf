"""Every gradient of random models beside PyTorch's autograd, in float64.

A model is drawn of all that a scenario can say, worked by the package, and worked in PyTorch by
tests/torch_models; then each `grad.NAME` is the `.grad` of that tensor: of parameters, of all
between them and the loss, and of each use of what is used several times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from attncli.steps.order import BACKWARD
from attncli.steps.story import story
from attncli.trace import GRADIENTS
from tests.conftest import THOROUGH, share
from tests.drawing import RandomPen, Tree, transformer
from tests.drawing.learning import End, learning
from tests.helpers.sayable import said, sayable

pytest.importorskip("torch")
from tests.models import torch_models

pytestmark = pytest.mark.real("torch")

SEEDS = range(800)
RUNS = 2
"""In so many tests all of them are compared, which run side by side."""
CLOSE = 1e-10

WITHOUT_NUMBERS = {
    *("sentence", "tokenizer", "corpus", "vocabulary_size", "merges", "pieces", "ids"),
    *("features", "end_token", "generate"),
}
"""Keys that say which tokens there are, and what things are called."""
EQUATIONS = "a scenario's own equations; see tests/steps/written"
OF_OTHER_TESTS = {
    "train": "after the gradients; see test_training",
    "file": "matrices from files; see test_sources",
    **dict.fromkeys(("key", "columns", "rows", "entry", "flat", "split", "transposed"), "the same"),
    "d_k": "sizes of random matrices, which say theirs here",
    "d_v": "the same",
    "d_ff": "the same",
    "d_model": "the same",
    "buckets": "the same",
    "backward": "what is asked for here",
    **dict.fromkeys(("repetition_penalty", "min_p", "draw", "draw_order"), "see test_sampling"),
    **dict.fromkeys(
        ("beams", "tokens", "draft", "q", "r"), "see test_generation, test_speculative"
    ),
    "online_softmax": "nothing is made of it; see test_online_softmax",
    "bytes": "the same; see test_kv_cache",
    **dict.fromkeys(("frames", "convolution1", "convolution2"), "see test_convolutions"),
    **dict.fromkeys(("W_Qr", "b_Qr", "W_Kr", "b_Kr", "terms"), "see test_relative_positions"),
    "lora": "see test_lora",
    "momentum": "of batch norms in training; see test_batch_norm",
    **dict.fromkeys(
        ("latent", "W_DKV", "b_DKV", "gamma_KV", "W_DQ", "b_DQ", "gamma_Q", "W_QR", "W_KR", "b_KR"),
        "see test_latent",
    ),
    **dict.fromkeys(
        ("sigmoid", "choice_bias", "groups", "top_groups", "best_of_group", "scaling"), "the same"
    ),
    "quantized": "whole numbers have no gradients; see test_quantizing",
    **dict.fromkeys(("given", "names", "sizes", "vary", "steps", "equations"), EQUATIONS),
    **dict.fromkeys(("before", "after", "instead_of", "title", "why"), EQUATIONS),
    **dict.fromkeys(("mistakes", "says", "instead"), EQUATIONS),
}
OF_TENSORS = {"layers: odd", "layers: even", "kind: disentangled"}
"""Of which layers a tensor in a file is; see test_experts, and test_relative_positions."""
NEVER = {
    "backward_average": "nothing is made of the mean of all heads' weights",
    "backward_lora": "see test_lora",
    "backward_compress": "see test_latent",
    "backward_convolve": "see test_convolutions",
    "backward_disentangle": "see test_relative_positions",
    "backward_equations": EQUATIONS,
}
"""Steps back that no loss leads through."""


def end_of(tree: Tree) -> End:
    end = torch_models.end_of(tree)
    return End(end.rows.shape, end.classes)


def drawn(seed: int) -> Tree:
    tree = learning(RandomPen(Random(seed)), transformer, end_of)
    return {**tree, "backward": "true", "rounding": {"policy": "exact"}}


@cache
def models() -> Mapping[int, Tree]:
    """All in the thorough profile; else those that say something that none before them says, up to
    where all is said."""
    left, kept = expected(), dict[int, Tree]()
    for seed in SEEDS:
        if not left and not THOROUGH:
            break
        tree = drawn(seed)
        new = left.intersection(said(tree))
        if new or THOROUGH:
            kept[seed] = tree
        left -= new
    return kept


def expected() -> set[str]:
    """All that models are to say, some of them each."""
    return sayable((*WITHOUT_NUMBERS, *OF_OTHER_TESTS)) - OF_TENSORS


@contextmanager
def unless_too_large(refused: list[int], seed: int) -> Iterator[None]:
    """Notes a model whose numbers become too large to work with."""
    try:
        yield
    except (ScenarioError, ArithmeticError) as error:
        if "too large" not in str(error):
            raise
        refused.append(seed)


def gradients(tree: Tree) -> dict[str, Any]:
    """The package's, by what they are of."""
    trace = work(load(tree))
    made = (q for q in trace.quantities.values() if q.name.inside(GRADIENTS))
    return {q.name.removeprefix("grad."): q.values for q in made}


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
    """What only one of them has, and where they are apart by more than 1e-10, beside 1 or the
    largest number of a gradient."""
    yield from (f"no gradient of {name}" for name in theirs.keys() - ours.keys())
    yield from (f"no tensor {name}" for name in ours.keys() - theirs.keys())
    for name in ours.keys() & theirs.keys():
        values = theirs[name].numpy()
        if ours[name].shape != values.shape:
            yield f"{name} is {ours[name].shape}, and in PyTorch {values.shape}"
        elif not np.abs(ours[name] - values).max() <= CLOSE * max(1, np.abs(values).max()):
            yield f"{name} is off by {np.abs(ours[name] - values).max()}"


@pytest.mark.parametrize("run", range(RUNS))
def test_every_gradient_is_that_of_autograd(run: int) -> None:
    compared, refused, found = 0, list[int](), list[str]()
    mine = share(4, [*models().items()][run::RUNS], "autograd")
    for seed, tree in mine:
        with unless_too_large(refused, seed):
            ours = gradients(tree)
            page, loss = torch_models.work(tree)
            loss.tensor.sum().backward()
            found += [f"seed {seed}: {d}" for d in differences(ours, dict(page.gradients()))]
            compared += len(ours)
    assert not found, "\n".join(found)
    assert compared > 40 * len(mine)
    assert len(refused) <= len(mine) / 50 + 1


def test_what_is_drawn_says_all_that_can_be_said() -> None:
    texts = {text for tree in models().values() for text in said(tree)}
    assert not expected() - texts


def test_gradients_go_back_through_every_step() -> None:
    taken = set[str]()
    for seed, tree in models().items():
        with unless_too_large([], seed):
            taken |= {part.step for part in story(load(tree))}
    assert {line.step for line in BACKWARD} - taken == NEVER.keys()
