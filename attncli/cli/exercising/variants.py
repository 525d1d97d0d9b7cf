"""The forms of an exercise, worked one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attncli.cli.arguments import PageOptions, Told
from attncli.cli.progress import watched

if TYPE_CHECKING:
    from attncli.cli.exercise import ExerciseArguments
    from attncli.cli.exercising.writing import CheckedOrder
    from attncli.telling.exercise.requests import ExerciseRequest
    from attncli.telling.exercise.trust import Trial
    from attncli.trace import Trace


def variants(
    trace: Trace, wish: ExerciseRequest, count: int | None, seed: int, allow: Sequence[str]
) -> Iterator[tuple[str, Trace]]:
    """The name and the trace of each form; of the one with the scenario's own numbers without a
    count. Raises Unsatisfied where no numbers will do."""
    from attncli.questions import OWN_FORM, form_name

    if count is None:
        yield OWN_FORM, trace
        return
    from attncli.design.search import SearchRequest, search

    points = wish.all_points if _may_be_longer(trace) else None
    request = SearchRequest(count, seed, wish.quantities(trace), allow, points=points)
    for k, form in enumerate(search(trace.scenario, request)):
        yield form_name(k), form


def _may_be_longer(trace: Trace) -> bool:
    """Whether pages of other numbers may have more to ask for: other pairs are counted, or other
    experts chosen. What is asked for is looked up only then, since it takes as long as a page."""
    return trace.scenario.recount is not None or any(one.step == "route" for one in trace.story)


_FAILED = 1


def stress(order: ExerciseArguments, job: CheckedOrder, wish: ExerciseRequest) -> Told:
    """Makes variants and tells how they came out; exit status 1 where a key disagrees."""
    from attncli.telling.exercise.trust import report
    from attncli.word import Word

    trials = _trials(order, job, wish)
    document = report(Word(f"{job.trace.scenario.title}: stress"), trials)
    values = order.values_only
    page = PageOptions(
        job.manner.format, values_only=values, output=order.output, force=order.force
    )
    return Told(document, page, _FAILED if any(one.disagreements for one in trials) else 0)


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
