"""Suggestions for cells that answers name and an exam doesn't ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from attncli.classroom.marking.exam import cell_of
from attncli.errors import shortened
from attncli.scenario.file.address import AddressError
from attncli.trace import Trace

_PARTS = re.compile(r"\d+|[^\[\],.\s\"“”\d]+")
_LIKE = 0.6
"""How alike, from 0 to 1, each part of two addresses has to be for one to be meant by the other."""
_LEFT_OUT = 0.1
"""The likeness that is lost for each part that only one of them has."""
_MOST_LEFT_OUT = 2


def hint_on(text: str, ids: Sequence[str], trace: Trace | None) -> str:
    """Suggests the known id that is most like an unknown one, such as `c[2][1]` for `c[2, 1]`.
    Where none is, it says what is wrong with the address; empty for a cell that just isn't asked
    for."""
    own = _parts(text)
    likeness = {id_: max(_likeness(own, _parts(way)) for way in _ways(id_, trace)) for id_ in ids}
    best = max(likeness, key=lambda id_: likeness[id_], default="")
    if best and likeness[best] > 0:
        return f"did you mean {shortened(best)}?"
    try:
        if trace is not None:
            cell_of(trace, text)
    except AddressError as error:
        return error.right if error.right.startswith("did you mean") else str(error)
    return ""


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[str, ...]:
    return tuple(_PARTS.findall(text.casefold()))


def _ways(id_: str, trace: Trace | None) -> Iterable[str]:
    """Yields an id as it is, and with the positions of its cell."""
    yield id_
    if trace is not None:
        try:
            name, i, j = cell_of(trace, id_)
        except AddressError:
            return
        yield f"{name}[{i + 1}]" if trace[name].is_list else f"{name}[{i + 1}, {j + 1}]"


def _likeness(own: Sequence[str], other: Sequence[str]) -> float:
    """Measures from 0 to 1 how alike two addresses are, compared from their ends, since a missing
    part is mostly that of a head."""
    left_out = abs(len(own) - len(other))
    if not own or left_out > _MOST_LEFT_OUT:
        return 0.0
    each = [_ratio(a, b) for a, b in zip(reversed(own), reversed(other), strict=False)]
    return 0.0 if min(each) < _LIKE else sum(each) / len(each) - _LEFT_OUT * left_out


@lru_cache(maxsize=1 << 14)
def _ratio(a: str, b: str) -> float:
    return 1.0 if a == b else SequenceMatcher(None, a, b).ratio()
