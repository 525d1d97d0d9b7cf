"""How many bugs are found where they are, and named, and how many right modules are blamed:
`python -m tests.models.torch_bugs --seeds 3 --precision bfloat16 --right 200`."""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter

from attncli.models.dumps.departures import Comparison
from tests.models.torch_bugs.bugs import BUGS, UNNAMED, Bug
from tests.models.torch_bugs.dumping import PRECISIONS, compared
from tests.models.torch_bugs.rights import verdict_on_right

COLUMNS = ("right twin follows", "departs", "at its place", "named", "can't tell", "missed")


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--precision", choices=PRECISIONS, default="", help="by default each bug's")
    parser.add_argument("--right", type=int, default=0, help="how many right modules")
    parser.add_argument("--only-right", action="store_true")
    said = parser.parse_args()
    if not said.only_right:
        count_bugs(range(said.first, said.first + said.seeds), said.precision)
    if said.right:
        count_right(range(said.first, said.first + said.right), said.precision or "float32")


def count_bugs(seeds: range, precision: str) -> None:
    print(f"{len(BUGS)} bugs, {len(seeds)} seeds each, {precision or 'floats as each says'}:")
    print(", ".join(COLUMNS))
    totals: Counter[str] = Counter()
    for name, bug in BUGS.items():
        counts: Counter[str] = Counter()
        others: list[str] = []
        for seed in seeds:
            try:
                right, wrong = compared(bug, seed, precision)
            except RuntimeError:  # of PyTorch: types of floats that don't go together
                others += ["doesn't run"]
                continue
            counts.update(outcomes(right, wrong, bug))
            called = name_of(wrong)
            others += [called] if called != bug.called else []
        totals += counts
        figures = [counts[column] for column in COLUMNS]
        print(f"{name:26} {bug.called:28} {figures} {', '.join(others)}", flush=True)
    print(f"{'all':26} {len(BUGS) * len(seeds):<28} {[totals[column] for column in COLUMNS]}")


def name_of(wrong: Comparison) -> str:
    first = wrong.first
    return first.causes[0].name if first is not None and first.causes else UNNAMED


def outcomes(right: Comparison, wrong: Comparison, bug: Bug) -> list[str]:
    """What of the columns is so."""
    first = wrong.first
    is_so = (
        right.first is None and right.lost is None,
        first is not None,
        first is not None and first.name == bug.shows,
        first is not None and name_of(wrong) == bug.called != UNNAMED,
        first is None and wrong.lost is not None,
        first is None and wrong.lost is None,
    )
    return [column for column, holds in zip(COLUMNS, is_so, strict=True) if holds]


def count_right(seeds: range, precision: str) -> None:
    found = Counter(verdict_on_right(seed, precision) for seed in seeds)
    print(f"{len(seeds)} right modules, {precision}: {dict(found)}")


if __name__ == "__main__":
    main()
