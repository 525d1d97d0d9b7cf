"""Where somebody stopped, as a text to keep."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attncli.refusals import Refusal
from attncli.telling.exercise.fingerprint import fingerprint
from attncli.telling.practice.session import SettledCell
from attncli.trace import Trace


def mark_of(trace: Trace) -> str:
    """What tells the numbers of a scenario from those of others."""
    return fingerprint(trace, ())


def written(mark: str, told: Mapping[str, SettledCell]) -> str:
    """What was told, as JSON."""
    answers = {address: one._asdict() for address, one in told.items()}
    return json.dumps({"practice": mark, "answers": answers}, ensure_ascii=False, indent=1) + "\n"


def read(text: str, file: str, mark: str) -> dict[str, SettledCell]:
    """What was told before. Raises Refusal for what is no kept place, or one of other numbers."""
    try:
        kept = json.loads(text)
        answers = kept["answers"].items()
        told = {str(address): _told(one) for address, one in answers}
    except (ValueError, KeyError, TypeError, AttributeError):
        right = "name another file with --place, or begin anew with --fresh"
        raise Refusal.of(file, "is no place that a practice was left at", right) from None
    if kept.get("practice") != mark:
        right = "name another file with --place, or begin anew with --fresh"
        raise Refusal.of(file, "was kept for other numbers", right)
    return told


def _told(one: Mapping[str, Any]) -> SettledCell:
    return SettledCell(str(one["text"]), tuple(map(str, one["mistakes"])), bool(one["shown"]))
