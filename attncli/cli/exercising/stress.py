"""`attn exercise --stress`: a thousand variants, each key derived again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from attncli.cli.arguments import PageOptions
from attncli.cli.exercising.variants import variants
from attncli.cli.progress import watched

if TYPE_CHECKING:
    from attncli.cli.exercising.arguments import ExerciseArguments
    from attncli.cli.exercising.writing import CheckedOrder
    from attncli.telling.exercise.requests import ExerciseRequest
    from attncli.telling.exercise.trust import Trial

_FAILED = 1


def stress(order: ExerciseArguments, job: CheckedOrder, wish: ExerciseRequest) -> None:
    """Makes variants and tells how they came out; exit status 1 where a key disagrees."""
    from attncli.telling.exercise.trust import report
    from attncli.word import Word

    trials = _trials(order, job, wish)
    document = report(Word(f"{job.trace.scenario.title}: stress"), trials)
    values = order.values_only
    page = PageOptions(
        job.manner.format, values_only=values, output=order.output, force=order.force
    )
    page.deliver(document)
    if any(one.disagreements for one in trials):
        raise typer.Exit(_FAILED)


def _trials(order: ExerciseArguments, job: CheckedOrder, wish: ExerciseRequest) -> list[Trial]:
    from attncli.building.plain import plain_data
    from attncli.file import shipped
    from attncli.oracle import UnknownError
    from attncli.telling.exercise.trust import trial
    from attncli.telling.selection import SelectionError

    scenario = job.exercise.scenario
    data = plain_data(scenario, order.changed.changes())
    folder = shipped.find(scenario).parent
    count = job.stress or 0
    made = variants(job.trace, wish, count, job.exercise.seed, job.exercise.allow)
    watching = watched(made, count, "Variants")
    try:
        return [trial(data, folder, variant, wish, name) for name, variant in watching]
    except UnknownError as unknown:
        wrong = f"the second derivation of the keys doesn't know {unknown}"
        raise SelectionError.of("--stress", wrong, "leave --stress out") from None
