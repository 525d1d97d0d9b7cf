"""`attn exercise --stress`: a thousand variants, each key derived again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from attncli.cli.output import deliver
from attncli.cli.progress import watched
from attncli.cli.variants import variants

if TYPE_CHECKING:
    from attncli.cli.exercise_arguments import ExerciseArguments
    from attncli.cli.exercise_checks import CheckedArguments
    from attncli.telling.exercise.papers import ExerciseRequest
    from attncli.telling.exercise.trust import Trial
    from attncli.trace import Trace

_FAILED = 1


def stress(
    order: ExerciseArguments, terms: CheckedArguments, trace: Trace, wish: ExerciseRequest
) -> None:
    """Makes variants and tells how they came out; exit status 1 where a key disagrees."""
    from attncli.telling.exercise.trust import report
    from attncli.word import Word

    trials = _trials(order, terms, trace, wish)
    document = report(Word(f"{trace.scenario.title}: stress"), trials)
    deliver(document, terms.manner.format, order.output, force=order.force)
    if any(one.disagreements for one in trials):
        raise typer.Exit(_FAILED)


def _trials(
    order: ExerciseArguments, terms: CheckedArguments, trace: Trace, wish: ExerciseRequest
) -> list[Trial]:
    from attncli.building.plain import plain_data
    from attncli.file import shipped
    from attncli.oracle import UnknownError
    from attncli.telling.exercise.trust import trial
    from attncli.telling.selection import SelectionError

    data = plain_data(order.scenario, order.changes)
    folder = shipped.find(order.scenario).parent
    count = terms.counts.stress or 0
    made = variants(trace, wish, count, terms.counts.seed, order.allow or ())
    watching = watched(made, count, "Variants")
    try:
        return [trial(data, folder, variant, wish, name) for name, variant in watching]
    except UnknownError as unknown:
        wrong = f"the second derivation of the keys doesn't know {unknown}"
        raise SelectionError.of("--stress", wrong, "leave --stress out") from None
