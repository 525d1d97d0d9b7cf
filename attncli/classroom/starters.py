"""The files of a classroom that `attn new` writes and `attn schema` describes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from attncli.commands.file_kinds import FileKind

if TYPE_CHECKING:
    from attncli.scenario.file.keys import Schema


def _text(name: str) -> str:
    return (Path(__file__).parent / "files" / f"{name}_starter.yaml").read_text(encoding="utf-8")


def _schema_of_exam() -> Schema:
    from attncli.classroom.files.exam_file import EXAM

    return EXAM.schema()


def _schema_of_exercise() -> Schema:
    from attncli.classroom.files.exercise_file import EXERCISE

    return EXERCISE.schema()


exercise = FileKind(
    "an exercise: what is asked of a scenario, with forms and keys",
    lambda: _text("exercise"),
    _schema_of_exercise,
    "`attn exercise {file} -o {stem}/` makes its sheets and keys",
)
exam = FileKind(
    "an exam: several parts, with forms, keys and marking",
    lambda: _text("exam"),
    _schema_of_exam,
    "`attn exam {file} -o {stem}/` makes all that it takes",
)
