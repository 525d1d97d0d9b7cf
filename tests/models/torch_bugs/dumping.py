"""Models dumped by hooks, and compared with the scenario that says what they should be."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from attncli import load, work
from attncli.models.dumps.departures import Comparison
from attncli.models.dumps.tensors import taken_apart
from attncli.scenario.file.dump_files import Tensor
from attncli.trace import Trace
from tests.models.torch_bugs.bugs import Bug

REAL = (nn.Linear, nn.Embedding, nn.LayerNorm, nn.RMSNorm, nn.GELU, nn.SiLU)


def built(kind: type[Any], dtype: Any, seed: int) -> Any:
    torch.manual_seed(seed)
    model = kind()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.5)
    return model.to(dtype).eval()


PRECISIONS = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "mixed": torch.float32,
}
"""In which floats models work; `mixed` is float32 whose products autocast works in bfloat16."""


def dumped(model: Any, looks: str, precision: str = "") -> dict[str, Tensor]:
    """What forward hooks collect: those of `all` modules, of those that models have anyway
    (`real`), or of the `last` that is a Linear or a norm."""
    made: dict[str, Tensor] = {}

    def keep(name: str) -> Any:
        def hook(_module: Any, _inputs: Any, output: Any) -> None:
            values = output.double().numpy()
            made[name] = Tensor(values, str(output.dtype).removeprefix("torch."))

        return hook

    seen = (*REAL, nn.Identity) if looks == "all" else REAL
    named = [(name, module) for name, module in model.named_modules() if isinstance(module, seen)]
    for name, module in named[-1:] if looks == "last" else named:
        module.register_forward_hook(keep(name))
    mixed = torch.autocast("cpu", torch.bfloat16, enabled=precision == "mixed")
    with torch.no_grad(), mixed:
        model()
    return made


def comparison(model: Any, trace: Trace, looks: str, precision: str = "") -> Comparison:
    """What a model makes beside the scenario that says what it should be."""
    kind = "bfloat16" if precision == "mixed" else None
    return Comparison(trace, taken_apart(dumped(model, looks, precision), trace, {}, "dump", kind))


def trace_of(model: Any) -> Trace:
    """What the model should make, in full precision; its parameters are put into float64."""
    return work(load({**model.double().scenario(), "rounding": {"policy": "exact"}}))


def compared(bug: Bug, seed: int = 1, precision: str = "") -> tuple[Comparison, Comparison]:
    """The right model and the one with the bug, beside the scenario of the right one."""
    dtype = PRECISIONS.get(precision, bug.dtype)
    right, wrong = (built(kind, dtype, seed) for kind in (bug.right, bug.wrong))
    wrong.load_state_dict(right.state_dict())
    trace = trace_of(right)
    right.to(dtype)
    bug.done(wrong)
    both = (comparison(model, trace, bug.looks, precision) for model in (right, wrong))
    first, second = both
    return first, second
