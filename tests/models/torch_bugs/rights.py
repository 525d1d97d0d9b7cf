"""Modules in which nothing is wrong: of several kinds, hooked in several places, some with large
weights, some with a channel that is much louder than the others, some whose softmax is written out
or whose attention is PyTorch's own in one kernel."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from tests.models.torch_bugs.bugs import with_attention
from tests.models.torch_bugs.dumping import PRECISIONS, built, comparison, trace_of
from tests.models.torch_bugs.models import Bert, Decoding, Gpt, Llama, Lstm, Padded, Tied

KINDS = (Bert, Gpt, Llama, Decoding, Padded, Tied, Lstm)
LOOKS = ("all", "real", "last")
GAINS = (1, 1, 2, 4)
LOUD = (1, 1, 30, 300)


def by_hand(_: Any, scores: Any) -> Any:
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


def queries_scaled(self: Any, x: Any, start: int) -> Any:
    """What is scaled before the product, as many do."""
    own: Any = type(self).__mro__[1]
    turned = own.turn(self, x, start)
    return turned / self.width**0.25


def in_float32(_: Any, scores: Any) -> Any:
    return functional.softmax(scores, -1, dtype=torch.float32).to(scores.dtype)


STYLES: tuple[dict[str, Any], ...] = (
    {},
    {"softmax": by_hand},
    {"softmax": in_float32},
    {"turn": queries_scaled, "scale": lambda _, scores: scores},
)
SCALED_EARLY = 3


def right_module(seed: int, dtype: Any) -> tuple[Any, str]:
    """A module, and where it is hooked."""
    kind, looks = KINDS[seed % len(KINDS)], LOOKS[seed // 7 % len(LOOKS)]
    style = STYLES[seed // 21 % len(STYLES)]
    if style is STYLES[SCALED_EARLY]:
        looks = "real" if looks == "all" else looks
    if kind is Lstm:
        looks = "all"
    else:
        kind = with_attention(kind, kind, **style)
    model = built(kind, torch.float64, seed)
    gain, loud = GAINS[seed // 3 % len(GAINS)], LOUD[seed // 5 % len(LOUD)]
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith(("q_proj.weight", "k_proj.weight")):
                parameter.mul_(gain)
            if name.endswith(("embeddings.weight", "embed_tokens.weight")):
                parameter[:, 1].mul_(loud)
    return model.to(dtype), looks


def verdict_on_right(seed: int, precision: str) -> str:
    """`follows`, `departs` or `can't tell`."""
    model, looks = right_module(seed, PRECISIONS[precision])
    looked = comparison(model, traced(model, PRECISIONS[precision]), looks, precision)
    if looked.first is not None:
        causes = ", ".join(cause.name for cause in looked.first.causes)
        print(f"{seed} {type(model).__name__} {looks}: {looked.first.name} departs: {causes}")
        return "departs"
    return "follows" if looked.lost is None else "can't tell"


def traced(model: Any, dtype: Any) -> Any:
    trace = trace_of(model)
    model.to(dtype)
    return trace
