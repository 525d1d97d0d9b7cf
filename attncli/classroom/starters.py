"""The files of a classroom that `attn new` writes and `attn schema` describes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from attncli.commands.file_kinds import FileKind
from attncli.errors import Complaints, counted

if TYPE_CHECKING:
    from attncli.commands.arguments import Allowed
    from attncli.scenario.file.keys import Schema


def _text(name: str) -> str:
    return (Path(__file__).parent / "files" / f"{name}_starter.yaml").read_text(encoding="utf-8")


def _schema_of_exam() -> Schema:
    from attncli.classroom.files.exam_file import EXAM

    return EXAM.schema()


def _schema_of_exercise() -> Schema:
    from attncli.classroom.files.exercise_file import EXERCISE

    return EXERCISE.schema()


def _checked(file: str, allowed: Allowed) -> str | None:
    """Checks an exercise or an exam with its scenarios and all that it asks of them. Returns None
    for any other file. Raises UserError."""
    from attncli.classroom.files.kinds import is_ordered

    if not is_ordered(file):
        return None
    from attncli.classroom.exercises.drawing import with_draws
    from attncli.classroom.exercises.exam_papers import requests_of
    from attncli.classroom.files.exam_file import load_exam
    from attncli.classroom.paper_files import form_names

    exam, complaints = load_exam(file), Complaints()
    traces = allowed.worked_each(exam.scenarios, (), complaints)
    complaints.stop_if_any()
    for part, trace in zip(exam.parts, traces, strict=True):
        complaints.hear(requests_of, exam._replace(parts=(part,)), (trace,))
    complaints.stop_if_any()
    with_draws(exam, traces, form_names(exam.forms))
    count = len(exam.parts)
    what = f"an exam of {counted(count, 'part')}" if count > 1 else "an exercise"
    return what if exam.forms is None else f"{what}, in {counted(exam.forms, 'form')}"


exercise = FileKind(
    "an exercise: what is asked of a scenario, with forms and keys",
    lambda: _text("exercise"),
    _schema_of_exercise,
    "`attn exercise {file} -o {stem}/` makes its sheets and keys",
    _checked,
)
exam = FileKind(
    "an exam: several parts, with forms, keys and marking",
    lambda: _text("exam"),
    _schema_of_exam,
    "`attn exam {file} -o {stem}/` makes all that it takes",
)
