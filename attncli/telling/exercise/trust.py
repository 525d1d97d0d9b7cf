"""Whether keys can be trusted: each derived again by the oracle, which shares no code with us."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from attncli import oracle
from attncli.arithmetic.expression import INNER
from attncli.design.difficulty import difficulty
from attncli.document import Document, Facts, Key, Points, Spans, Subheading, Word
from attncli.scenario.plain import with_figures
from attncli.telling.exercise.keys import around
from attncli.telling.exercise.lines import Place
from attncli.telling.exercise.papers import Wish, keys_of, taken
from attncli.trace import Trace

_MOST_TOLD = 12

Range = tuple[Decimal, Decimal]


class Disagreement(NamedTuple):
    """A blank for which the key and the oracle accept different figures."""

    form: str
    id: str
    key: Range
    oracle: Range


class Trial(NamedTuple):
    """One variant: how difficult it is, how many keys were derived again, how many can't be,
    since they are what a line comes to on its way, and what came out differently."""

    difficulty: int
    derived: int
    left: int
    disagreements: tuple[Disagreement, ...]


def trial(
    data: Mapping[str, Any], folder: Path | None, trace: Trace, wish: Wish, form: str
) -> Trial:
    """A variant's keys against the oracle. `data` is the scenario as plain data, whose figures
    are replaced by the variant's; `folder` is where its files are."""
    places = taken(trace, wish, form).places
    keys = keys_of(trace, wish, places)
    given = {
        name: [
            [matrix.number(i, j).full for j in range(matrix.shape[1])]
            for i in range(matrix.shape[0])
        ]
        for name, matrix in trace.scenario.given.items()
    }
    known = [p for p in places if p.number.cell is not None and p.number.cell is not INNER]
    ranges = _ranges(with_figures(data, given), folder, trace, known, keys)
    wrong = (
        Disagreement(form, place.id, _range(keys[place.id]), ranges[place.id])
        for place in known
        if ranges[place.id] != _range(keys[place.id])
    )
    names = {place.quantity for place in places}
    return Trial(difficulty(trace, names), len(known), len(places) - len(known), tuple(wrong))


def _range(key: Key) -> Range:
    return key.low, key.high


def _ranges(
    data: Mapping[str, Any],
    folder: Path | None,
    trace: Trace,
    places: Sequence[Place],
    keys: Mapping[str, Key],
) -> dict[str, Range]:
    """What the oracle accepts for each place: for a given figure, half a unit around it; for a
    term, half a unit of its line around what the oracle has for its cell."""
    cells = {place.id: place.number.cell for place in places}
    made = [cell for cell in cells.values() if cell is not None and not trace[cell.quantity].given]
    found = oracle.intervals(data, made, folder)
    ranges: dict[str, Range] = {}
    for place in places:
        interval = found.get(cells[place.id] or INNER)
        if interval is None:
            ranges[place.id] = around((place.number.shown,), keys[place.id].places)
        elif place.cell is None:
            both = (interval.carry, interval.exact)
            ranges[place.id] = around(both, keys[place.id].places)
        else:
            ranges[place.id] = interval.low, interval.high
    return ranges


def report(title: Word, trials: Sequence[Trial]) -> Document:
    """What came of so many trials."""
    spread = [one.difficulty for one in trials]
    wrong = [one for trial_ in trials for one in trial_.disagreements]
    derived, left = sum(one.derived for one in trials), sum(one.left for one in trials)
    rows: list[tuple[str, Spans]] = [
        ("Variants", (f"{len(trials):,}",)),
        ("Keys", (f"{derived:,} derived again by the oracle{_left(left)}",)),
        (
            "Difficulty",
            (f"{min(spread)} to {max(spread)}, half of them below {median(spread):g}",),
        ),
        ("Disagreements", (f"{len(wrong):,}" if wrong else "none",)),
    ]
    told = (Subheading("Disagreements"), Points(tuple(map(_told, wrong[:_MOST_TOLD]))))
    return Document(title, (), Facts(tuple(rows)), closing=told if wrong else ())


def _left(left: int) -> str:
    return f"; {left:,} that lines come to on their way follow from them" if left else ""


def _told(one: Disagreement) -> Spans:
    (a, b), (c, d) = one.key, one.oracle
    return (
        f"Form {one.form}, ", Word(one.id), f": the key accepts {a} to {b}, the oracle {c} to {d}.",
    )  # fmt: skip
