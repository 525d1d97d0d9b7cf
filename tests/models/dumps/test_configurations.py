"""A layer of a trace in another configuration: each setting that it has, without being listed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import Trace, load, work
from attncli.steps.configurations import other_configurations, other_frames
from attncli.trace import LayerPlace

RNG = np.random.default_rng(4)
SETTINGS = {
    "block": "encoder", "norm": "pre", "norm1": {}, "norm2": {}, "heads": 2,
    "mask": ["causal", {"window": 3}], "softcap": 3, "qk_norm": {}, "activation": "swiglu",
    "positions": {"kind": "rope", "pairs": "half"}, "rounding": {"policy": "exact"},
}  # fmt: skip
SHAPES = {
    "X": (5, 4), "W_Q": (4, 4), "W_K": (4, 4), "W_V": (4, 4), "W_O": (4, 4), "W1": (4, 6),
    "W3": (4, 6), "W2": (6, 4),
}  # fmt: skip
WEIGHTS = {name: RNG.normal(size=shape) for name, shape in SHAPES.items()}


def traced(**changed: object) -> Trace:
    return work(load({**WEIGHTS, **SETTINGS, **changed}))


def test_nothing_differs_where_nothing_is_changed_and_each_setting_is() -> None:
    trace = traced()
    place = next(p.place for p in trace.story if isinstance(p.place, LayerPlace))
    found = [*other_configurations(trace, place)]
    assert all(configured.definitions for configured in found)
    settings = {configured.setting for configured in found if configured.left_out}
    assert {"mask.causal", "mask.window", "softcap", "qk_norm", "rope", "activation"} <= settings


@pytest.mark.parametrize(
    ("says", "changed"),
    [
        ("The window is 4 instead of 3 (mask.window).", {"mask": ["causal", {"window": 4}]}),
        ("The softcap is 6 instead of 3.", {"softcap": 6}),
        (
            "The softcap order is after_mask instead of before_bias.",
            {"softcap_order": "after_mask"},
        ),
        ("qk_norm.when is after, which isn't set.", {"qk_norm": {"when": "after"}}),
        ("qk_norm.heads is together, which isn't set.", {"qk_norm": {"heads": "together"}}),
    ],
)
def test_it_is_made_as_in_a_scenario_that_says_so(says: str, changed: dict[str, object]) -> None:
    trace, other = traced(), traced(**changed)
    place = next(p.place for p in trace.story if isinstance(p.place, LayerPlace))
    found = {configured.says: configured for configured in other_configurations(trace, place)}
    assert found[says].definitions
    for definition in found[says].definitions:
        made = other[definition.name].definition
        assert made is not None
        assert (definition.operation, definition.operands) == (made.operation, made.operands)


def test_what_is_around_the_layers_is_made_as_in_a_scenario_that_says_so() -> None:
    """And the scenario as it is makes nothing else than the trace does."""
    given = {
        "sentence": "a b c", "embeddings": {x: RNG.normal(size=4).tolist() for x in "abc"},
        "embedding_scale": 3, "positions": {"kind": "sinusoidal"}, "final_norm": {"kind": "rms"},
        "unembedding": "tied", "logit_scale": 0.5, "logit_softcap": 2, "predict_from": "every",
        "heads": 2, "rounding": {"policy": "exact"},
    }  # fmt: skip
    weights = {name: WEIGHTS[name] for name in ("W_Q", "W_K", "W_V", "W_O")}
    given = {**given, **weights}
    trace = work(load(given))
    found = {c.says: c.definitions for c in other_frames(trace)}
    assert len(found) > 10
    cases: dict[str, dict[str, Any]] = {
        "The embedding scale is 6 instead of 3.": {"embedding_scale": 6},
        "The final norm is layer instead of rms (final_norm.kind).": {"final_norm": {}},
        "The logit scale is 1 instead of 0.5.": {"logit_scale": 1},
        "The logit softcap is 4 instead of 2.": {"logit_softcap": 4},
    }
    for says, changed in cases.items():
        other = work(load({**given, **changed}))
        assert found[says]
        for definition in found[says]:
            made = other[definition.name].definition
            assert made is not None
            assert (definition.operation, definition.operands) == (made.operation, made.operands)
