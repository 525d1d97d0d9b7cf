"""Whether keys can be trusted: each derived again by the oracle, which shares no code with us."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from attncli import oracle
from attncli.building.plain import all_numbers, with_numbers
from attncli.document.blocks import Bullets, Document, Facts, Spans, Subheading, Table
from attncli.document.questions import Interval
from attncli.equations.tree import INNER
from attncli.exercises.blanked import BlankedPage, shown_rows, taken
from attncli.exercises.keys import around
from attncli.exercises.lines import Blankable
from attncli.exercises.requests import ExerciseRequest
from attncli.names import Word
from attncli.nice_numbers.rules import difficulty
from attncli.numbers import decimals
from attncli.trace import Trace

_MOST_TOLD = 12
_PATHS = 3
"""Of each variant so many others than `carry` and `exact` are tried."""


class Disagreement(NamedTuple):
    """A blank for which the key doesn't accept all that the oracle does."""

    form: str
    id: str
    key: Interval
    oracle: Interval


class Trial(NamedTuple):
    """One variant: how difficult it is, how many keys were derived again, how many can't be,
    since they are what a line comes to on its way, and what came out differently."""

    difficulty: int
    derived: int
    left: int
    disagreements: tuple[Disagreement, ...]


def trial(
    data: Mapping[str, Any], folder: Path | None, trace: Trace, wish: ExerciseRequest, form: str
) -> Trial:
    """A variant's keys against the oracle. `data` is the scenario as plain data, whose numbers
    are replaced by the variant's; `folder` is where its files are."""
    what = taken(trace, wish, form)
    keys = what.keys()
    known = [p for p in what.places if p.number.cell is not None and p.number.cell is not INNER]
    ranges = _ranges(with_numbers(data, all_numbers(trace.scenario)), folder, what, known)
    wrong = (
        Disagreement(form, place.id, keys[place.id].accepted, ranges[place.id])
        for place in known
        if not _holds(keys[place.id].accepted, ranges[place.id])
    )
    names = {place.quantity for place in what.places}
    left = len(what.places) - len(known)
    return Trial(difficulty(trace, names), len(known), left, tuple(wrong))


def _holds(key: Interval, other: Interval) -> bool:
    return key.low <= other.low and other.high <= key.high


def _ranges(
    data: Mapping[str, Any],
    folder: Path | None,
    what: BlankedPage,
    places: Sequence[Blankable],
) -> dict[str, Interval]:
    """What the oracle accepts for each place: for a given number, half a unit around it. Where
    the sheet's own numbers are exact, and it starts from rounded ones, its own count, too."""
    trace = what.trace
    cells = {place.id: place.number.cell for place in places}
    made = [cell for cell in cells.values() if cell is not None and not trace[cell.quantity].given]
    start = {name: shown_rows(trace[name]) for name in what.context}
    own, roots = not trace.rounding.carries, [int(square) for square in what.roots]
    found = oracle.intervals(data, made, folder, start, own=own, paths=_PATHS, roots=roots)
    ranges: dict[str, Interval] = {}
    for place in places:
        interval = found.get(cells[place.id] or INNER)
        if interval is None:
            given = max(trace.rounding.decimals, decimals.places(place.number.shown))
            ranges[place.id] = around((place.number.shown,), given)
        else:
            ranges[place.id] = Interval(*interval[:2])
    return ranges


def report(title: Word, trials: Sequence[Trial]) -> Document:
    """What came of so many trials."""
    spread = [one.difficulty for one in trials]
    wrong = [one for trial_ in trials for one in trial_.disagreements]
    derived, left = sum(one.derived for one in trials), sum(one.left for one in trials)
    rows = (
        ("Variants", f"{len(trials):,}"),
        ("Keys derived again by the oracle", f"{derived:,}"),
        *((("Terms that follow from these", f"{left:,}"),) if left else ()),
        ("Difficulty, least", str(min(spread))),
        ("Difficulty, half of them below", f"{median(spread):g}"),
        ("Difficulty, most", str(max(spread))),
        ("Disagreements", f"{len(wrong):,}" if wrong else "none"),
    )
    table = Table(("What", "Count"), rows)
    told = (Subheading(("Disagreements",)), Bullets(tuple(map(_told, wrong[:_MOST_TOLD]))))
    facts = Facts((("Compared", ("each key must accept all that an independent oracle does",)),))
    return Document(title, (), facts, closing=(table, *(told if wrong else ())))


def _told(one: Disagreement) -> Spans:
    (a, b), (c, d) = one.key, one.oracle
    return (
        f"Form {one.form}, ", Word(one.id), f": the key accepts {a} to {b}, the oracle {c} to {d}.",
    )  # fmt: skip
