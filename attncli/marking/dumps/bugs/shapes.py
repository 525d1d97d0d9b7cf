"""Heads that are taken out of a tensor by a reshape alone, or put together by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attncli.arithmetic.expression import Equation, Symbol
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.operations.moved import JoinColumns, Moved, Numbers, TakeColumns
from attncli.marking.hypotheses import WrongWay
from attncli.trace import PlannedStep, Trace


@dataclass(frozen=True)
class ViewOfHead(Moved):
    """A head's share of x.view(h, n, d), where x.view(n, h, d).transpose(0, 1) belongs.
    [n, h·d] -> [n, d]"""

    part: int
    of: int

    def signature(self) -> str:
        return f"n {self.of}*b -> n b"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], f"view: part {self.part + 1} of {self.of}"))

    def arranged(self, *arrays: Numbers) -> Numbers:
        viewed = arrays[0].reshape(self.of, len(arrays[0]), -1)
        return np.asarray(viewed[self.part])


@dataclass(frozen=True)
class ViewOfAll(Moved):
    """z.reshape(n, h·d) of heads z [h, n, d], where a transpose belongs before.
    [n, d], [n, d], … -> [n, h·d]"""

    count: int

    def signature(self) -> str:
        widths = [f"a{k}" for k in range(1, self.count + 1)]
        return ", ".join(f"n {width}" for width in widths) + f" -> n {'+'.join(widths)}"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Symbol(operands[0]))

    def arranged(self, *arrays: Numbers) -> Numbers:
        return np.stack(arrays).reshape(len(arrays[0]), -1)


_SPLIT = (
    "The heads are taken by x.view(heads, n, d) alone, which mixes tokens; x.view(n, heads, d)"
    " .transpose(0, 1) takes columns."
)
_MERGED = (
    "The heads are put together by a reshape alone, without the transpose that belongs before."
)


def without_transpose(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """What a part gives where a tensor is only reshaped."""
    for one in part.definitions:
        if one.name not in trace:
            continue
        match one.operation:
            case TakeColumns(which, of):
                made = one._replace(operation=ViewOfHead(which, of))
                yield WrongWay("split_without_transpose", _SPLIT, (made,))
            case JoinColumns(count):
                made = one._replace(operation=ViewOfAll(count))
                yield WrongWay("merged_without_transpose", _MERGED, (made,))
