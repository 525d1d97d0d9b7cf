"""What follows in floats is what the trace has, by each operation of each shipped scenario and of
each step on the scenario that explains it; in `tests.models.checkpoints` by those of models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attncli import load, work
from attncli.models.dumps.departures import Comparison, Standing
from attncli.models.dumps.tensors import taken_apart
from attncli.scenario.file.dump_files import Tensor
from attncli.steps import steps
from attncli.steps.order import BACK_THROUGH
from tests.conftest import ROOT, sampled
from tests.models.float_sides import told_otherwise

EXACT = "rounding={policy: exact}"
TARGETS = "targets=[[1, 0], [0, 1], [1, 1]]"
SHIPPED = sorted(path.stem for path in Path(ROOT, "scenarios").glob("*.yaml"))
SHOWN = {step.name: step for step in steps() if step.example.changes}
STORED = {
    "X": [[1, 2], [0.5, -1]], "weights_layout": "linear",
    "W_Q": [[0.304, -1.27], [0.517, 0.902]], "rounding": {"policy": "exact"},
}  # fmt: skip
KINDS = ("int8", "int4", {"kind": "int4", "group": 2})


@sampled(5, name=SHIPPED)
def test_each_operation_of_a_shipped_scenario_has_one_value(name: str) -> None:
    assert [*told_otherwise(work(load(name, [EXACT])))] == []


@sampled(7, name=SHOWN)
def test_so_has_each_step_that_is_shown_by_changes(name: str) -> None:
    step = SHOWN[name]
    own, changes = step.example.scenario or "i_love_ai", step.example.changes
    if name in BACK_THROUGH.values() and not load(own).goes_back:
        known = any("targets=" in text for text in changes)
        changes = (*changes, *(() if known else (TARGETS,)), "backward=true")
    assert [*told_otherwise(work(load(own, (*changes, EXACT))))] == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_stored_in_few_bits_goes_on_as_what_comes_back_of_it(kind: object) -> None:
    trace = work(load({**STORED, "quantized": {"W_Q": kind}}))
    assert [*told_otherwise(trace)] == []

    def standing(Q: object) -> Standing:
        dump = {"q_proj": Tensor(np.asarray(Q, dtype=float), "float32")}
        return Comparison(trace, taken_apart(dump, trace, {}, "dump")).compared[0].standing

    assert standing(trace["Q"].values) == "agrees"
    assert standing(trace["X"].values @ trace["W_Q"].values.T) == "departs"
