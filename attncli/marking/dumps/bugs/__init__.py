"""The bugs that a part of a trace may have: the mistakes declared beside the steps, and what only
programs do.

settings  another ε, activation, start of the positions, base of their waves; a mask the other way
shapes    heads taken out of a tensor, and put together again, without the transpose that belongs
operands  other weights, another head's, another layer's; another input; what is left out
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attncli.marking.dumps.bugs.operands import (
    other_heads,
    other_inputs,
    other_parameters,
    other_tensors,
)
from attncli.marking.dumps.bugs.settings import other_settings
from attncli.marking.dumps.bugs.shapes import without_transpose
from attncli.marking.hypotheses import WrongWay, declared_ways
from attncli.trace import PlannedStep, Trace


def bugs(trace: Trace, part: PlannedStep, kind: int) -> tuple[WrongWay, ...]:
    """Those of a part that are as likely as those of a kind."""
    return tuple(way for find in KINDS[kind] for way in find(trace, part))


_Find = Callable[[Trace, PlannedStep], Iterator[WrongWay]]
KINDS: tuple[tuple[_Find, ...], ...] = (
    (declared_ways, other_settings, without_transpose),
    (other_parameters, other_heads, other_inputs),
    (other_tensors,),
)
"""By how likely they are: those that are known by a name of their own, then other operands, then
just another tensor. The latter say anew what the former give."""
