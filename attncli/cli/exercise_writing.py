"""Fulfilling an order: everything about it is checked, then the exercise is worked and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncli.cli.complaints import Complaints, complaining
from attncli.cli.exercise_checks import CheckedArguments, parse_counts, parse_manner
from attncli.cli.output import check_target
from attncli.cli.papers import check_targets, write_papers
from attncli.cli.progress import watching
from attncli.cli.variants import variants
from attncli.name import Name
from attncli.refusals import Problem

if TYPE_CHECKING:
    from attncli.cli.exercise_arguments import ExerciseArguments
    from attncli.file.address import Address
    from attncli.file.changes import Change
    from attncli.telling.exercise.papers import ExerciseRequest
    from attncli.trace import Trace


def fulfil(order: ExerciseArguments, command: str) -> None:
    """Writes what is ordered by a command, or says everything that is wrong."""
    from attncli.telling.exercise.papers import exercise

    terms, trace = _checked(order)
    with complaining():
        wish = _wish(order, trace, terms)
        if terms.counts.stress is not None:
            from attncli.cli.stress import stress

            stress(order, terms, trace, wish)
            return
        counts = terms.counts
        made = variants(trace, wish, counts.forms, counts.seed, order.allow or ())
        exercises = ((form, one, exercise(one, wish, form, command)) for form, one in made)
        write_papers(order, terms.manner, exercises, len(counts.names))


def _checked(order: ExerciseArguments) -> tuple[CheckedArguments, Trace]:
    """The terms of the order and the worked scenario; or all that is wrong is said."""
    from attncli.design.rules import check_names
    from attncli.pipeline import load, work
    from attncli.telling.exercise.choice import parse_blanking, parse_points
    from attncli.telling.selection import check_detail, check_steps

    complaints = Complaints()
    complaints.hear(check_steps, order.step or ())
    complaints.hear(check_detail, order.detail or "full")
    blanking = complaints.hear(parse_blanking, order.blank)
    points = complaints.hear(parse_points, order.points or ())
    complaints.problems += check_names(order.allow or ())
    counts = complaints.hear(parse_counts, order)
    with complaints.heard():
        manner = parse_manner(order, counts)
        if counts is not None and counts.stress is not None:
            check_target(order.output, force=order.force)
        elif counts is not None:
            check_targets(order, manner, counts.names)
    with complaints.heard(), watching("Learning pieces") as tell:
        scenario = load(
            order.scenario,
            order.changes,
            outside=order.files_outside,
            large=order.large,
            progress=tell,
        )
        trace = work(scenario.alone())
    complaints.stop_if_any()
    assert blanking is not None
    assert points is not None
    assert counts is not None
    return CheckedArguments(blanking, points, counts, manner), trace


def _wish(order: ExerciseArguments, trace: Trace, terms: CheckedArguments) -> ExerciseRequest:
    """What the exercise asks of the scenario. Raises SelectionError."""
    from attncli.telling.exercise.papers import ExerciseRequest
    from attncli.telling.selection import select
    from attncli.telling.walkthrough import check_told

    cells = _cells(order, trace) if order.cell else []
    detail = order.detail or ("full" if terms.blanking.terms.inner else "summary")
    selection = select(trace, order.step or (), detail=detail, **order.part._asdict())
    check_told(trace, selection)
    counts, share = terms.counts, terms.manner.share
    wish = ExerciseRequest(selection, cells, terms.blanking, terms.points, str(counts.seed), share)
    wish.check_points(trace)
    return wish


def _cells(order: ExerciseArguments, trace: Trace) -> list[tuple[Name, Address]]:
    """The cells that are asked for, each once. Raises SelectionError."""
    from attncli.telling.cells import find_cells
    from attncli.telling.selection import SelectionError

    others = order.part.options(order.step)
    found: dict[tuple[Name, int, int], Address] = {}
    wrong: list[Problem] = []
    for name, address in find_cells(trace, order.cell or (), others):
        if name not in trace:
            wrong.append(Problem.of(f"--cell {name}", "holds no numbers", "ask for another cell"))
        elif trace[name].given and any(_sets(change, name) for change in order.changes):
            why = "--set tells it, and the sheet carries the command"
            wrong.append(Problem.of(f"--cell {name}", why, "change the file instead"))
        else:
            found.setdefault((name, *trace[name].find(address)), address)
    if wrong:
        raise SelectionError(wrong)
    return [(name, address) for (name, *_), address in found.items()]


def _sets(change: str | Change, name: str) -> bool:
    """Whether a change is one of a quantity."""
    text = change if isinstance(change, str) else change.key
    key = text.partition("=")[0].partition("[")[0].strip()
    return key == name or key.startswith(f"{name}.")
