"""No bug is named that isn't there: what is off at random looks like none that is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.conftest import sampled

pytest.importorskip("torch")
import torch

from attncli.models.dumps.departures import Comparison
from attncli.models.dumps.tensors import taken_apart
from attncli.scenario.file.dump_files import Tensor
from tests.models.torch_bugs.dumping import built, comparison, dumped, trace_of
from tests.models.torch_bugs.models import Bert, Gpt, Llama
from tests.models.torch_bugs.modern import Alone, Mixture

pytestmark = pytest.mark.real("torch")

MODELS: dict[str, Any] = {k.__name__: k for k in (Bert, Gpt, Llama, Alone, Mixture)}
SIZES = (1.0, 1e-3)
Made = dict[str, Tensor]


def _noise(made: Made, rng: np.random.Generator) -> Iterator[tuple[str, Made]]:
    """One tensor with noise, or with a single number that is another one."""
    name = str(rng.choice(sorted(made)))
    values, kind = made[name].values, made[name].type
    for size in SIZES:
        drawn = rng.normal(size=values.shape) * size * np.std(values)
        for what, off in (("all", drawn), ("one", np.where(drawn == drawn.max(), drawn, 0.0))):
            moved = np.asarray((values + off).astype(kind), dtype=np.float64)
            yield f"{what} of {name}, {size}", {**made, name: Tensor(moved, kind)}


def _weights(model: Any, rng: np.random.Generator) -> Iterator[str]:
    """A weight of which a number is another one, a row, or each."""
    named = dict(model.named_parameters())
    name = str(rng.choice(sorted(x for x in named if "embedding" not in x and x != "x")))
    weight = named[name].data
    for places in (0, slice(None)):
        before = weight.clone()
        off = torch.tensor(rng.normal(size=weight.shape), dtype=weight.dtype) * weight.std()
        weight[places] += off[places]
        yield f"{name} at {places}"
        weight.copy_(before)
    weight.view(-1)[0] += 0.3
    yield f"{name}, one number"


def _named(found: Comparison) -> list[str]:
    return [f"{tensor.name}: {cause.says}" for tensor in found.compared for cause in tensor.causes]


@sampled(37, kind=[*MODELS], dtype=["float32", "float64"], seed=range(1, 4))
def test_what_is_off_at_random_has_no_name(kind: str, dtype: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = built(MODELS[kind], torch.float64, seed)
    trace = trace_of(model)
    model.to(getattr(torch, dtype))
    looks = "all" if kind == "Mixture" else ("all", "real")[seed % 2]
    made = dumped(model, looks)
    for what, other in _noise(made, rng):
        found = Comparison(trace, taken_apart(other, trace, {}, "dump"), seek=60)
        assert not _named(found), what
    for what in _weights(model, rng):
        assert not _named(comparison(model, trace, looks)), what
