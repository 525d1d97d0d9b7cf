"""Which numbers are asked for, and how many points each is worth."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from decimal import Decimal

from attncli.arithmetic import decimals
from attncli.refusals import Problem, quote
from attncli.scenario.exercise import MOST_POINTS, Blanking, Points, UnreadableBlanking
from attncli.steps.order import STORY, inquiries, made
from attncli.steps.terms import nearest_step
from attncli.telling.exercise.lines import Blankable, Terms
from attncli.telling.selection import SelectionError


def parse_blanking(text: str) -> Blanking:
    """What `--blank` says. Raises SelectionError."""
    try:
        return Blanking.of(text)
    except UnreadableBlanking as error:
        raise SelectionError.of(f"--blank {text}", error.wrong, error.right) from None


def parse_points(texts: Sequence[str]) -> Points:
    """What `--points` says: `2` for each blank, `softmax=2` for those of a step, `exp=0.5` for
    those of a quantity. Raises SelectionError, naming all that is wrong."""
    each = Decimal(1)
    steps: dict[str, Decimal] = {}
    quantities: dict[str, Decimal] = {}
    wrong: list[Problem] = []
    for text in texts:
        name, equals, count = text.rpartition("=")
        option, worth = f"--points {text}", _worth(count)
        if equals and name not in (*STORY, *inquiries()) and name not in made():
            wrong.append(Problem.of(option, "no such step or quantity", nearest_step(name)))
        elif worth is None:
            right = f"give a number above 0 and at most {MOST_POINTS}"
            wrong.append(Problem.of(option, f"{quote(count)} is no number of points", right))
        elif equals:
            (steps if name in STORY else quantities)[name] = worth
        else:
            each = worth
    if wrong:
        raise SelectionError(wrong)
    return Points(each, steps, quantities)


def _worth(text: str) -> Decimal | None:
    """The points that a text says."""
    try:
        number = decimals.parse(text)
    except ValueError:
        return None
    return number if 0 < number <= MOST_POINTS else None


def terms_of(blankings: Sequence[Blanking]) -> Terms:
    """Which numbers inside lines: where results are asked for, too, only those that nothing else
    on the sheet tells."""
    return Terms(
        any(one.terms for one in blankings),
        copied=all(one.kind == "working" for one in blankings),
        ruled=any(one.kind == "all" for one in blankings),
    )


def takes(blanking: Blanking, place: Blankable) -> bool:
    """Whether numbers such as this one are taken out."""
    return blanking.terms if place.cell is None else blanking.results


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
    from random import Random

    kept = [place for place in places if takes(blanking, place)]
    if blanking.kind != "random" or not kept:
        return kept
    count = max(1, round(len(kept) * blanking.share))
    waiting = Random(seed).sample(range(len(kept)), len(kept))
    while True:
        drawn = sorted(waiting[:count])
        bad = told([kept[k] for k in drawn])
        left = [k for k in waiting if kept[k] not in bad]
        if not bad or not left:
            return [kept[k] for k in drawn]
        waiting = left
