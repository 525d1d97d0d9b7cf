"""What is asked of exercises, of answers and of a site, as people type it; and what they typed."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any, NamedTuple

from attncli.commands.arguments import Allowed, Excerpt, ForThisRun, PageOptions
from attncli.errors import Problem
from attncli.option_values import BLANKS, LANGUAGES, LAYOUTS, PAPER_SIZES


class ExerciseArguments(NamedTuple):
    """A request for an exercise: what it asks, how, and where it goes."""

    scenario: str
    part: Excerpt = Excerpt()
    cell: Sequence[str] | None = None
    ask: Sequence[str] | None = None
    blank: str = BLANKS[0]
    points: Sequence[str] | None = None
    key: str | None = None
    hints: bool = False
    grid: bool = False
    forms: str | None = None
    students: str | None = None
    seed: str = "1"
    allow: Sequence[str] | None = None
    mistakes: str | None = None
    changed: ForThisRun = ForThisRun()
    detail: str | None = None
    layout: str = LAYOUTS[1]
    room: str | None = None
    paper: str = PAPER_SIZES[0]
    language: str = LANGUAGES[0]
    page: PageOptions = PageOptions()
    context: Any = None


class ExamArguments(NamedTuple):
    """A request for an exam: its file, for whom it is made, and where it goes."""

    exam: str
    students: str | None = None
    page: PageOptions = PageOptions()
    context: Any = None


class GradeArguments(NamedTuple):
    """A request to grade what was handed in for an exercise."""

    scenario: str
    answers: Sequence[str]
    asked: str | None = None
    points: Sequence[str] | None = None
    scheme: str | None = None
    overrides: str | None = None
    no_carry: bool = False
    anonymous: bool = False
    changed: ForThisRun = ForThisRun()
    page: PageOptions = PageOptions()


class PracticeArguments(NamedTuple):
    """A request to practise: what, for how long, and where it is kept."""

    scenario: str
    part: Excerpt = Excerpt()
    cell: Sequence[str] | None = None
    ask: Sequence[str] | None = None
    rows: bool = False
    seed: str | None = None
    minutes: str | None = None
    place: str | None = None
    memory: str | None = None
    fresh: bool = False
    changed: ForThisRun = ForThisRun()
    allowed: Allowed = Allowed()


class SiteArguments(NamedTuple):
    """A request for a site: its folder, and whose scenarios it has."""

    folder: str
    from_: str | None = None
    allowed: Allowed = Allowed()
    force: bool = False


def command_line(context: Any, leave_out: Container[str] = ()) -> str:  # noqa: ANN401
    """Writes the command that was typed, with all that was said but for some of its options."""
    import shlex

    if context is None:
        return "attncli.exercise"
    words = context.command_path.split()
    for parameter in _typed(context):
        if parameter.name not in leave_out:
            words += _said(parameter, context.params[parameter.name])
    return " ".join(map(shlex.quote, words))


def set_by_file(option: str) -> Problem:
    """Makes the problem of an option for what an exercise file says."""
    right = "leave it out, or change the file"
    return Problem.of(option, "the exercise file says what is asked", right)


def typed_options(context: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Yields the options that were typed, each by the name of its value and as it is written."""
    return ((parameter.name, parameter.opts[0]) for parameter in _typed(context))


def _typed(context: Any) -> Iterator[Any]:  # noqa: ANN401
    for parameter in () if context is None else context.command.params:
        source = context.get_parameter_source(parameter.name)
        if source is not None and source.name == "COMMANDLINE":
            yield parameter


def _said(parameter: Any, value: Any) -> Iterator[str]:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        yield value
    elif parameter.is_flag:
        yield parameter.opts[0]
    else:
        for data in value if parameter.multiple else (value,):
            yield from (parameter.opts[0], data)
