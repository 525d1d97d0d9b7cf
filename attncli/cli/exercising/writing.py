"""Fulfilling an order: everything about it is checked, then the exercise is worked and written."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from attncli import __version__
from attncli.cli.complaints import Complaints
from attncli.cli.exercising.checks import (
    Counts,
    PaperSettings,
    parse_counts,
    parse_language,
    parse_layout,
    parse_manner,
)
from attncli.cli.exercising.papers import check_targets, papers_of
from attncli.cli.exercising.variants import variants
from attncli.cli.output import check_target
from attncli.refusals import Problem

if TYPE_CHECKING:
    from attncli.cli.arguments import Made
    from attncli.cli.exercise import ExerciseArguments
    from attncli.marking.answers.students import Student
    from attncli.scenario.exercise import ExerciseFile
    from attncli.trace import Trace


_SAID_BY_A_FILE = (
    *("step", "layer", "head", "token", "cell", "ask", "blank", "points", "forms", "seed", "allow"),
    *("mistakes", "decimals", "rounding", "set_", "detail", "layout", "language"),
)
"""Options that an exercise file has keys for, or that belong into its scenario."""


class Ordered(NamedTuple):
    """An exercise, and the numbers that were said with it."""

    exercise: ExerciseFile
    counts: Counts


def _ordered(order: ExerciseArguments, complaints: Complaints) -> Ordered | None:
    """The exercise that is ordered; None having heard what is wrong."""
    from attncli.building.exercise_file import is_exercise

    by_file = complaints.hear(is_exercise, order.scenario)
    if by_file is None:
        return None
    said = (_by_file if by_file else _by_options)(order, complaints)
    if allow := order.allow or () if said is None else said.exercise.allow:
        from attncli.design.rules import check_names

        complaints.problems += check_names(allow)
    return said


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


class CheckedOrder(NamedTuple):
    """An order that nothing is wrong with: the exercise, how and where it is written, under stress
    how many variants are made, the worked scenario, what the forms are called, and whose sheets
    are made."""

    exercise: ExerciseFile
    manner: PaperSettings
    stress: int | None
    trace: Trace
    names: list[str]
    students: tuple[Student, ...] = ()


def fulfil(order: ExerciseArguments, command: str) -> Made:
    """What is ordered by a command. Raises Refusal of everything that is wrong."""
    from attncli.telling.exercise.papers import exercises
    from attncli.telling.exercise.requests import request_of

    job = _checked(order)
    command = _signed(command, job.exercise)
    wish, it = request_of(job.trace, job.exercise), job.exercise
    if job.stress is not None:
        from attncli.cli.exercising.variants import stress

        return stress(order, job, wish)
    if it.path is not None and job.manner.folder:
        from attncli.cli.exercising.folder import folder_of

        return folder_of(order, job, wish, command)
    made = variants(job.trace, wish, it.forms, it.seed, it.allow)
    tell = partial(exercises, wish=wish, command=command, frame=it.frame)
    return papers_of(order, job.manner, made, tell, it.forms or 1)


def _signed(command: str, exercise: ExerciseFile) -> str:
    """The command with what else made the papers of a key, as a comment of the shell's."""
    seed = "" if exercise.path is None else f", seed {exercise.seed}"
    return f"{command} # attncli {__version__}{seed}"


def _checked(order: ExerciseArguments) -> CheckedOrder:
    """The terms of the order and the worked scenario. Raises Refusal of all that is wrong."""
    complaints = Complaints()
    said = _ordered(order, complaints)
    manner = complaints.hear(_manner, order, said)
    scenario = order.scenario if said is None else said.exercise.scenario
    students = complaints.hear(_students, order, said, manner)
    trace = complaints.hear(order.allowed.worked_alone, scenario, order.changed.changes())
    complaints.stop_if_any()
    assert said is not None
    assert manner is not None
    assert trace is not None
    exercise = said.exercise._replace(mistakes=manner.share)
    counts = said.counts
    return CheckedOrder(exercise, manner, counts.stress, trace, counts.names, students or ())


def _students(
    order: ExerciseArguments, said: Ordered | None, manner: PaperSettings | None
) -> tuple[Student, ...]:
    """Those of the list that is named, if one is. Raises Refusal."""
    if order.students is None or said is None or manner is None:
        return ()
    from attncli.cli.exercising.folder import students_of

    by_file = said.exercise.path is not None
    return students_of(order, manner, said.counts.names, by_file=by_file)


def _manner(order: ExerciseArguments, said: Ordered | None) -> PaperSettings:
    """How and where it is to be written. Raises OutputError where it can't go there."""
    by_file = said is not None and said.exercise.path is not None
    manner = parse_manner(order, None if said is None else said.counts, by_file=by_file)
    if said is not None and said.counts.stress is not None:
        check_target(order.output, force=order.force)
    elif said is not None and not (manner.folder and by_file):
        check_targets(order, manner, said.counts.names)
    return manner
