"""`attn diff` on small PyTorch models, right ones and ones with a bug, dumped by hooks."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.conftest import sampled

pytest.importorskip("torch")
import torch

from tests.models.torch_bugs.bugs import BUGS, UNNAMED
from tests.models.torch_bugs.dumping import built, compared, comparison, trace_of
from tests.models.torch_bugs.models import Bert, Decoding, Gpt, Llama, Lstm, Padded, Tied
from tests.models.torch_bugs.modern import Alibi, Alone, Bucketed, Mixture, Modern, Scaled
from tests.models.torch_bugs.rights import verdict_on_right

pytestmark = pytest.mark.real("torch")

MODELS = {"bert": Bert, "gpt": Gpt, "llama": Llama}
OTHERS: dict[str, Any] = {"decoding": Decoding, "padded": Padded, "tied": Tied, "lstm": Lstm}
ALONE = [
    type(kind.__name__, (Alone,), {"attention": kind}) for kind in (Modern, Alibi, Bucketed, Scaled)
]
NEWER: dict[str, Any] = {kind.__name__: kind for kind in (*ALONE, Mixture)}
HALVES = ("bfloat16", "float16")


@sampled(11, name=BUGS)
def test_the_bug_of_a_small_model_is_found_where_it_is_and_named(name: str) -> None:
    bug = BUGS[name]
    right, wrong = compared(bug)
    assert right.first is None
    assert wrong.first is not None
    assert wrong.first.name == bug.shows
    assert (wrong.first.causes[0].name if wrong.first.causes else UNNAMED) == bug.called


def test_nearly_all_bugs_have_a_name() -> None:
    """But for a few, of which each is looked at in turn above."""
    assert len(BUGS) >= 132
    named = sum(bug.called != UNNAMED for bug in BUGS.values())
    assert named >= 124


def standings(model: Any, right: Any, dtype: str, looks: str) -> Counter[str]:
    """The verdicts on a model's tensors, beside the scenario of the right one."""
    trace = trace_of(right)
    compared = comparison(model.to(getattr(torch, dtype)), trace, looks).compared
    return Counter(c.standing for c in compared)


@sampled(5, kind=[*MODELS, *OTHERS], dtype=[*HALVES, "float32", "float64"])
def test_no_right_model_is_blamed_in_whatever_floats_it_works(kind: str, dtype: str) -> None:
    right, model = (built({**MODELS, **OTHERS}[kind], torch.float64, 1) for _ in range(2))
    found = standings(model, right, dtype, "all")
    assert found.keys() <= {"agrees", "can't tell"}
    assert found["agrees"] >= 0.75 * found.total()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", NEWER)
def test_neither_is_a_right_one_of_newer_models(kind: str, dtype: str) -> None:
    right, model = (built(NEWER[kind], torch.float64, 1) for _ in range(2))
    assert standings(model, right, dtype, "all").keys() == {"agrees"}


@pytest.mark.parametrize(
    ("seed", "precision"),
    [
        *((1113, "bfloat16"), (5040, "bfloat16"), (3057, "float16"), (3002, "mixed")),
        *((5040, "float32"), (4005, "float32"), (4001, "float64"), (4079, "float64")),
    ],
)
def test_right_modules_that_were_blamed_follow(seed: int, precision: str) -> None:
    """A softmax by hand, what cancels in GELU, scores far below 0, an LSTM under autocast; bounds
    of two layers at once, a mask as a matrix, shares that float32 takes for 0."""
    assert verdict_on_right(seed, precision) == "follows"


@sampled(11, kind=MODELS, dtype=[*HALVES, "float32"], looks=["all", "real", "last"])
def test_of_a_wholly_broken_model_it_is_never_said_that_all_follow(
    kind: str, dtype: str, looks: str
) -> None:
    right, wrong = (built(MODELS[kind], torch.float64, seed) for seed in (1, 2))
    found = standings(wrong, right, dtype, looks)
    assert found["departs"] or found["can't tell"]
    if looks == "all":
        assert found["departs"] > found["can't tell"]
