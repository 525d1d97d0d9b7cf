"""`attn exam`: a folder with all that an exam takes, made from its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from attncli.classroom.exercise_orders import checked
from attncli.classroom.making_exercises import FormWorked, folder_of
from attncli.classroom.paper_files import is_folder
from attncli.commands.arguments import FilesOutput
from attncli.commands.progress import watched
from attncli.output_files import Contents, OutputError, safe_name

if TYPE_CHECKING:
    from attncli.classroom.commands import ExerciseArguments
    from attncli.classroom.marking.class_list import Student

_LMS = ("moodle", "canvas", "qti")
_WHOSE = ("student", "id", "form")
_NOT_SAID = (
    "Moodle, Canvas, QTI: nothing for what follows from a wrong number; see `attn help exam`\n"
)
"""What the files for learning platforms can't say."""
_INSTEAD_OF_PDF = "sheets and keys are HTML; for PDF: pip install 'attncli[pdf]'\n"
_ROWS = 30
"""Rows of a table for a class without a list."""


def exam_of(order: ExerciseArguments) -> FilesOutput:
    """Makes an exam's papers, keys, their grid, answers files, a table and a page to type a class
    into, files for an LMS. Raises UserError."""
    from attncli.formats import exercise_format_names
    from attncli.scenario.file import shipped

    page = order.page
    if page.output is None or not is_folder(page.output, many=True):
        where = page.output or "attn exam"
        raise OutputError.of(where, "an exam is a folder", "name one with -o, like -o midterm/")
    if not shipped.find(order.scenario).exists():
        right = "give one with parts, as `attn help exam` shows it"
        raise OutputError.of(order.scenario, "no such file", right)
    form = page.form or ("pdf" if find_spec("typst") else "html")
    instead = "" if page.form or form == "pdf" else _INSTEAD_OF_PDF
    page = page._replace(form=form, output=f"{page.output.rstrip('/')}/")
    typed = order._replace(grid=form not in exercise_format_names(), page=page)
    job = checked(typed)
    if job.exam.path is None:
        wrong, right = "is no exam file", "give one with parts, as `attn help exam` shows it"
        raise OutputError.of(order.scenario, wrong, right)
    share = job.exam.scheme.earned_by_a_mistake if job.exam.share is None else job.exam.share
    job = job._replace(exam=job.exam.each(mistakes=share))
    made = folder_of(job, partial(_beside, typed), _LMS)
    return made._replace(says=f"{made.says}{instead}{_NOT_SAID}")


def _beside(
    order: ExerciseArguments, forms: Mapping[str, FormWorked], students: Sequence[Student]
) -> dict[str, Contents]:
    """Makes what an exam has besides its papers, by the names of its files."""
    from attncli.classroom.exercises.answer_grid import in_order
    from attncli.classroom.exercises.entry_form import entry_form
    from attncli.classroom.exercises.left_to_draw import knowing_pools
    from attncli.classroom.formats.csv import csv_text
    from attncli.formats import files_of, info_of, render_forms, suffixes_of
    from attncli.formats.html.entry import entry_page
    from attncli.names import words
    from attncli.output_files import packed

    stem, page = safe_name(Path(order.scenario).stem), order.page.rendering
    table, worked = f"{stem}_class.csv", [form.form for form in forms.values()]
    ids = in_order([item.id for item in form.whole.items] for form in worked)
    headings = (*_WHOSE, *ids)
    rows = [headings, *([(s.name, s.id, s.form) for s in students] or [("", "", "")] * _ROWS)]
    files: dict[str, Contents] = {
        table: csv_text(map(words, rows)),
        f"{stem}_entry.html": entry_page(*entry_form(worked, headings, students, table)),
    }
    wholes = [knowing_pools(form.hinted, form) for form in worked]
    for name in watched(_LMS, len(_LMS), "Files for learning platforms"):
        place = f"{stem}_{name}{suffixes_of(name)[0]}"
        if info_of(name).papers.packed:
            files[place] = packed(files_of(wholes, name, page))
        else:
            files[place] = render_forms(wholes, name, page)
    return files
