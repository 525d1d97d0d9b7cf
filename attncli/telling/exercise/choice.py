"""Which numbers are asked for, and how many points each is worth."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

from attncli.arithmetic import decimals
from attncli.choices import BLANKS
from attncli.records import NamedTuple
from attncli.refusals import Problem, quote
from attncli.steps.order import STORY
from attncli.steps.terms import nearest_step
from attncli.telling.exercise.lines import Blankable, Terms
from attncli.telling.selection import SelectionError

_MOST_POINTS = 100


class Blanking(NamedTuple):
    """What is taken out: `results`, `working`, `all`, or a seeded `random` share of all."""

    kind: str = "results"
    share: Decimal = Decimal(1)

    @property
    def results(self) -> bool:
        return self.kind != "working"

    @property
    def terms(self) -> Terms:
        """Which numbers inside lines: where results are asked for, too, only those that nothing
        else on the sheet tells."""
        working = self.kind == "working"
        return Terms(self.kind != "results", copied=working, ruled=self.kind == "all")


class Points(NamedTuple):
    """The points of a blank, for all steps and for single ones."""

    each: int = 1
    steps: Mapping[str, int] = MappingProxyType({})

    def of(self, step: str) -> int:
        return self.steps.get(step, self.each)


def parse_blanking(text: str) -> Blanking:
    """What `--blank` says. Raises SelectionError."""
    kind, colon, share = text.partition(":")
    if kind not in BLANKS or (colon and kind != "random"):
        right = f"say {', '.join(BLANKS)}, or random:0.4"
        raise SelectionError.of(f"--blank {text}", "no such choice", right)
    if kind != "random":
        return Blanking(kind)
    try:
        part = decimals.parse(share or "0.5")
    except ValueError:
        part = Decimal(0)
    if not 0 < part <= 1:
        right = "give one above 0 and at most 1, like random:0.4"
        raise SelectionError.of(f"--blank {text}", f"{quote(share)} is no share", right)
    return Blanking(kind, part)


def parse_points(texts: Sequence[str]) -> Points:
    """What `--points` says: `2` for each blank, `softmax=2` for those of a step. Raises
    SelectionError, naming all that is wrong."""
    each, steps = 1, {}
    wrong: list[Problem] = []
    for text in texts:
        step, equals, count = text.rpartition("=")
        option = f"--points {text}"
        if equals and step not in STORY:
            wrong.append(Problem.of(option, "no such step", nearest_step(step)))
        elif not _is_count(count):
            right = f"give a whole number from 1 to {_MOST_POINTS}"
            wrong.append(Problem.of(option, f"{quote(count)} is no number of points", right))
        elif equals:
            steps[step] = int(count)
        else:
            each = int(count)
    if wrong:
        raise SelectionError(wrong)
    return Points(each, steps)


def _is_count(text: str) -> bool:
    """Whether a text is a number of points."""
    short = len(text) <= len(str(_MOST_POINTS))
    return short and text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST_POINTS


def chosen(
    places: Sequence[Blankable],
    blanking: Blanking,
    seed: str,
    told: Callable[[Sequence[Blankable]], Collection[Blankable]],
) -> list[Blankable]:
    """The places that are asked for, in their order. At least one of them is, if there are any.

    Of a share, those whose number is `told` elsewhere when they are asked for make room for
    others; where all are, they stay.
    """
    kept = [p for p in places if (blanking.results if p.cell else blanking.terms.inner)]
    if blanking.kind != "random" or not kept:
        return kept
    count = max(1, round(len(kept) * blanking.share))
    waiting = random.Random(seed).sample(range(len(kept)), len(kept))
    while True:
        drawn = sorted(waiting[:count])
        bad = told([kept[k] for k in drawn])
        left = [k for k in waiting if kept[k] not in bad]
        if not bad or not left:
            return [kept[k] for k in drawn]
        waiting = left
