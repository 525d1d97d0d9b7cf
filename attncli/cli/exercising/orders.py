"""An exercise as it is ordered: by options, or by a file that says the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attncli.cli.complaints import Complaints
from attncli.cli.exercising.checks import Counts, parse_counts, parse_language, parse_layout
from attncli.refusals import Problem

if TYPE_CHECKING:
    from attncli.cli.exercising.arguments import ExerciseArguments
    from attncli.scenario.exercise import ExerciseFile

_SAID_BY_A_FILE = (
    *("step", "layer", "head", "token", "cell", "ask", "blank", "points", "forms", "seed", "allow"),
    *("mistakes", "decimals", "rounding", "set_", "detail", "layout", "language"),
)
"""Options that an exercise file has keys for, or that belong into its scenario."""


class Ordered(NamedTuple):
    """An exercise, and the numbers that were said with it."""

    exercise: ExerciseFile
    counts: Counts


def ordered(order: ExerciseArguments, complaints: Complaints) -> Ordered | None:
    """The exercise that is ordered; None having heard what is wrong."""
    with complaints.heard():
        from attncli.building.exercise_file import is_exercise

        by_file = is_exercise(order.scenario)
        said = (_by_file if by_file else _by_options)(order, complaints)
        if allow := order.allow or () if said is None else said.exercise.allow:
            from attncli.design.rules import check_names

            complaints.problems += check_names(allow)
        return said
    return None


def _by_file(order: ExerciseArguments, complaints: Complaints) -> Ordered:
    from attncli.building.exercise_file import load_exercise
    from attncli.cli.command import said_options

    for name, option in said_options(order.context):
        if name in _SAID_BY_A_FILE:
            wrong, right = (
                "the exercise file says what is asked",
                "leave it out, or change the file",
            )
            complaints.problems.append(Problem.of(option, wrong, right))
    counts = complaints.hear(parse_counts, order)
    exercise = complaints.hear(load_exercise, order.scenario)
    complaints.stop_if_any()  # it says which scenario is to be read
    assert exercise is not None
    assert counts is not None
    counts = counts._replace(forms=exercise.forms, seed=exercise.seed, share=exercise.mistakes)
    return Ordered(exercise, counts)


def _by_options(order: ExerciseArguments, complaints: Complaints) -> Ordered | None:
    from attncli.scenario.exercise import Ask, ExerciseFile, Frame
    from attncli.telling.exercise.asking import parse_blanking, parse_points
    from attncli.telling.selection import check_detail, check_steps

    complaints.hear(check_steps, order.part.steps)
    complaints.hear(check_detail, order.detail or "full")
    blanking = complaints.hear(parse_blanking, order.blank)
    points = complaints.hear(parse_points, order.points or ())
    layout = complaints.hear(parse_layout, order)
    language = complaints.hear(parse_language, order)
    counts = complaints.hear(parse_counts, order)
    if blanking is None or points is None or counts is None or language is None:
        return None
    asked = Ask(**order.part.within)
    steps = [asked._replace(step=step) for step in order.part.steps]
    cells = [asked._replace(cell=cell) for cell in order.cell or ()]
    if steps and cells:  # which don't go together, as is told when they are looked for
        cells = [cell._replace(step=steps[0].step) for cell in cells]
        steps = []
    words = [asked.asking(text) for text in order.ask or ()]
    exercise = ExerciseFile(
        order.scenario,
        (*steps, *cells, *words) or (asked,),
        Frame(language=language),
        blank=blanking,
        points=points,
        layout=layout,
        detail=order.detail,
        forms=counts.forms,
        seed=counts.seed,
        allow=tuple(order.allow or ()),
        mistakes=counts.share,
    )
    return Ordered(exercise, counts)
