"""Whether keys can be trusted: each derived again by the oracle, which shares no code with the package.

`python -m tests.classroom.stress i_love_ai --step softmax --forms 1000` makes so many forms of a scenario;
without a scenario, of some that `attn design` draws. It tells how difficult they are, and any
disagreement, of which there must be none.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import attncli
from attncli.classroom.exercises.answer_keys import around
from attncli.classroom.exercises.blanked import BlankedPage, shown_rows, taken
from attncli.classroom.exercises.line_blanks import Blankable
from attncli.classroom.exercises.requests import ExerciseRequest, request_of
from attncli.classroom.files.exercise_file import Ask, ExerciseFile, FormNumbers
from attncli.classroom.forms.costs import difficulty
from attncli.classroom.paper_files import form_names, variants
from attncli.document.blocks import Bullets, DefinitionList, Document, Spans, Subheading, Table
from attncli.document.questions import Interval
from attncli.formats import RenderOptions, render
from attncli.maths.equations.tree import INNER
from attncli.maths.numbers import decimals
from attncli.names import Word
from attncli.pipeline import load, work
from attncli.pipeline.plain_data import all_numbers, plain_data, with_numbers
from attncli.scenario.file import shipped
from attncli.trace import Trace
from tests import oracle

_MOST_TOLD = 12


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
    data: Mapping[str, Any], folder: Path | None, trace: Trace, request: ExerciseRequest, form: str
) -> Trial:
    """A variant's keys against the oracle. `data` is the scenario as plain data, whose numbers
    are replaced by the variant's; `folder` is where its files are."""
    what = taken(trace, request, form)
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
    """Whether a key accepts a unit of the last place more than the oracle; of a number that nobody
    has to round what the oracle does, and of a count that number."""
    if key.low == key.high:
        return other.low <= key.low <= other.high
    unit = decimals.unit(-int(key.low.as_tuple().exponent) - 1)
    more = 0 if key.high - key.low == unit else unit
    return key.low <= other.low - more and other.high + more <= key.high


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
    own = not trace.rounding.carries
    found = oracle.intervals(data, made, folder, start, own=own)
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
    spread = [trial.difficulty for trial in trials]
    wrong = [d for trial_ in trials for d in trial_.disagreements]
    derived, left = sum(trial.derived for trial in trials), sum(trial.left for trial in trials)
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
    pairs = (Subheading(("Disagreements",)), Bullets(tuple(map(_told, wrong[:_MOST_TOLD]))))
    facts = DefinitionList(
        (("Compared", ("each key must accept all that an independent oracle does",)),)
    )
    return Document(title, (), facts, closing=(table, *(pairs if wrong else ())))


def _told(disagreement: Disagreement) -> Spans:
    (a, b), (c, d) = disagreement.key, disagreement.oracle
    return (
        f"Form {disagreement.form}, ", Word(disagreement.id), f": the key accepts {a} to {b}, the oracle {c} to {d}.",
    )  # fmt: skip


def stress(
    scenario: str,
    steps: Sequence[str] = (),
    forms: int = 10,
    changes: Sequence[str] = (),
    *,
    seed: int = 1,
    allow: Sequence[str] = (),
) -> list[Trial]:
    """Trials of so many forms of a scenario. Raises UnknownError for what the oracle hasn't."""
    trace = work(load(scenario, changes).alone())
    asks = tuple(Ask(step=step) for step in steps) or (Ask(),)
    order = ExerciseFile(scenario, asks, numbers=FormNumbers(seed=seed))
    request = request_of(trace, order)
    data, folder = plain_data(scenario, changes), shipped.find(scenario).parent
    made = zip(form_names(forms), variants(trace, request, forms, seed, allow), strict=True)
    return [trial(data, folder, form, request, name) for name, form in made]


def _drawn(count: int, folder: Path) -> list[str]:
    """Files of so many scenarios with nice numbers, of two to five tokens."""
    files = []
    for seed in range(1, count + 1):
        file = folder / f"drawn_{seed}.yaml"
        file.write_text(attncli.design(tokens=2 + seed % 4, d_model=2, seed=seed), "utf-8")
        files.append(str(file))
    return files


def main() -> int:
    reader = ArgumentParser(prog="python -m tests.classroom.stress")
    reader.add_argument("scenario", nargs="*")
    reader.add_argument("--step", action="append", default=[])
    reader.add_argument("--forms", type=int, default=10)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--drawn", type=int, default=10, help="so many scenarios, without one")
    asked = reader.parse_args()
    with TemporaryDirectory() as folder:
        files = asked.scenario or _drawn(asked.drawn, Path(folder))
        found = [stress(file, asked.step, asked.forms, seed=asked.seed) for file in files]
    trials = [trial for some in found for trial in some]
    print(render(report(Word("Stress"), trials), "terminal", RenderOptions(80)))
    return 1 if any(trial.disagreements for trial in trials) else 0


if __name__ == "__main__":
    sys.exit(main())
