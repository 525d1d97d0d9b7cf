"""A short hash that tells what an exercise was made from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from attncli.document import Section
from attncli.trace import Trace

_LETTERS = "ghijklmnopqrstuv"
"""A hash begins with one of these, so that no spreadsheet takes it for a number."""


def _said(value: object) -> object:
    """What a record says that isn't said by default: a default that is new changes no hash."""
    if not isinstance(value, tuple):
        return value
    fields = getattr(value, "_fields", None)
    if fields is None:
        return tuple(map(_said, value))
    usual = getattr(value, "_field_defaults", {})
    pairs = zip(fields, value, strict=True)
    return [(name, _said(one)) for name, one in pairs if name not in usual or one != usual[name]]


def fingerprint(trace: Trace, sections: Sequence[Section]) -> str:
    """A short hash of what an exercise is made from: the scenario and what is asked for."""
    scenario = trace.scenario
    model = (scenario.stack, scenario.encoder, scenario.prediction)
    made_from: list[object] = [scenario.title, *map(_said, model), scenario.rounding]
    made_from += [(q.id, q.points) for section in sections for q in section.questions]
    digest = hashlib.sha256("\n".join(map(repr, made_from)).encode())
    for name, matrix in sorted(scenario.given.items()):
        digest.update(f"\n{name} {matrix.shape} {matrix.decimals} ".encode())
        digest.update(matrix.values.tobytes())
    mark = digest.hexdigest()[:8]
    return _LETTERS[int(mark[0], 16)] + mark[1:]
