"""Pages of training by each loss, every figure of which is audited."""

from __future__ import annotations

import json
from typing import Any

from attncli import load, work
from tests.auditor import audit_numbers
from tests.conftest import sampled
from tests.helpers.pages import page_of
from tests.pages.test_audit import check_all, check_working
from tests.steps.test_losses import PLANE, WORDS, YES_NO

TRAINED: dict[str, dict[str, Any]] = {
    "mse": {**PLANE, "train": {"learning_rate": "0.5", "of": ["W_V"], "optimizer": "momentum"}},
    "read-outs": {
        **WORDS,
        "b_y": ["0.2", "-0.1", "0.3"],
        "label_smoothing": "0.1",
        "train": {"learning_rate": "0.5", "of": ["W_ya", "b_y"], "clip": "0.1"},
    },
    **{
        optimizer: {
            **PLANE,
            "train": {"learning_rate": "0.5", "of": ["W_V"], "optimizer": optimizer, "steps": 3},
        }
        for optimizer in ("nesterov", "rmsprop", "amsgrad")
    },
    "schedule": {
        **PLANE,
        "train": {
            "learning_rate": "0.5",
            "of": ["W_V"],
            "optimizer": "adamw",
            "steps": 3,
            "warmup": 1,
            "schedule": "cosine",
            "least_rate": "0.1",
        },
    },
    "binary": {**YES_NO, "train": {"learning_rate": "0.5", "of": ["W_aa"], "optimizer": "adamw"}},
}


@sampled(7, name=TRAINED, policy=["carry", "exact"])
def test_every_figure_is_true(name: str, policy: str) -> None:
    trace = work(load({**TRAINED[name], "rounding": {"policy": policy, "decimals": 8}}))
    check_all(trace, 80)
    assert [*audit_numbers(json.loads(page_of(trace, "json")))] == []
    check_working(trace)
