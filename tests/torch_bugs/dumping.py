"""Models dumped by hooks, and compared with the scenario that says what they should be."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from attncli import load, work
from attncli.file.dump_files import Tensor
from attncli.marking.dumps.departures import Comparison
from attncli.marking.dumps.taking_apart import taken_apart
from tests.torch_bugs.bugs import Bug

REAL = (nn.Linear, nn.Embedding, nn.LayerNorm, nn.RMSNorm, nn.GELU, nn.SiLU)


def built(kind: type[Any], dtype: Any, seed: int) -> Any:
    torch.manual_seed(seed)
    model = kind()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.5)
    return model.to(dtype).eval()


def dumped(model: Any, looks: str) -> dict[str, Tensor]:
    """What forward hooks collect."""
    made: dict[str, Tensor] = {}

    def keep(name: str) -> Any:
        def hook(_module: Any, _inputs: Any, output: Any) -> None:
            array = output.numpy()
            made[name] = Tensor(array.astype(np.float64), array.dtype.name)

        return hook

    for name, module in model.named_modules():
        if isinstance(module, REAL) or (looks == "all" and isinstance(module, nn.Identity)):
            module.register_forward_hook(keep(name))
    with torch.no_grad():
        model()
    return made


def compared(bug: Bug, seed: int = 1) -> tuple[Comparison, Comparison]:
    """The right model and the one with the bug, beside the scenario of the right one."""
    right, wrong = (built(kind, bug.dtype, seed) for kind in (bug.right, bug.wrong))
    wrong.load_state_dict(right.state_dict())
    scenario = {**right.scenario(), "rounding": {"policy": "exact"}}
    bug.done(wrong)
    trace = work(load(scenario))
    both = (taken_apart(dumped(model, bug.looks), trace, {}, "dump") for model in (right, wrong))
    one, other = (Comparison(trace, dump) for dump in both)
    return one, other
