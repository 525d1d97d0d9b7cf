"""Where marked papers and the table of a class go, and in which format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attncli.cli.arguments import PageOptions
from attncli.cli.output import check_binary, check_form, check_target, chosen_format, page_for
from attncli.writing import Contents, write_out

if TYPE_CHECKING:
    from attncli.cli.grade import GradeArguments
    from attncli.marking.grading.classes import GradedClass
    from attncli.marking.grading.papers import MarkedPaper

_CSV = "csv"
_TABLE = "class"
_MARKED = "markdown"
"""The format of marked papers in a folder, where none is said."""


class GradeOutput(NamedTuple):
    """Where it goes: a folder for the papers, a file, or the terminal."""

    page: PageOptions
    folder: bool


def output_of(order: GradeArguments) -> GradeOutput:
    """Where and how it is written. Raises OutputError."""
    from attncli.render import page_format_names

    said = order.output
    folder = said is not None and (said.endswith(("/", os.sep)) or Path(said).is_dir())
    known = [*(name for name in page_format_names() if name != "svg"), _CSV]
    is_csv = order.form == _CSV or (said or "").endswith(".csv")
    form = _CSV if is_csv else chosen_format(order.form, None if folder else said, known[:-1])
    check_form(form, fragment=False, values_only=order.values_only)
    if not is_csv:
        check_binary(form, said)
    if not folder:
        check_target(said, force=order.force)
    page = PageOptions(order.form, values_only=order.values_only, output=said, force=order.force)
    return GradeOutput(page, folder)


def write_graded(output: GradeOutput, graded: GradedClass, *, alone: bool) -> None:
    """Writes the report on a paper that is `alone`, or the table of a class and, into a folder, a
    marked paper for each. Raises OutputError."""
    from attncli.telling.marked.classes import marked_paper

    if output.folder:
        _write_folder(output, graded)
    elif not alone or _is_csv(output):
        _write_table(output, graded)
    else:
        output.page.deliver(marked_paper(graded.papers[0]))


def _is_csv(output: GradeOutput) -> bool:
    said = output.page.output or ""
    return output.page.form == _CSV or (output.page.form is None and said.lower().endswith(".csv"))


def _write_table(output: GradeOutput, graded: GradedClass) -> None:
    from attncli.telling.marked.classes import class_page, class_rows

    if _is_csv(output):
        from attncli.render.exercises.csv import csv_text

        write_out(csv_text(class_rows(graded)), output.page.output, force=output.page.force)
    else:
        output.page.deliver(class_page(graded))


def _write_folder(output: GradeOutput, graded: GradedClass) -> None:
    """A marked paper for each student and the table beside them; the table is told as well."""
    from attncli.render import contents_of, suffixes_of
    from attncli.render.exercises.csv import csv_text
    from attncli.telling.marked.classes import class_page, class_rows, marked_paper
    from attncli.writing.folder import write_files

    assert output.page.output is not None
    papers = graded.papers
    form = output.page.form if output.page.form not in (None, _CSV) else _MARKED
    assert form is not None
    page = page_for(output.page.output)._replace(values_only=output.page.values_only)
    names = _names(papers, suffixes_of(form)[0])
    texts: dict[str, Contents] = {
        name: contents_of(marked_paper(paper), form, page)
        for name, paper in zip(names, papers, strict=True)
    }
    texts[f"{_TABLE}.csv"] = csv_text(class_rows(graded))
    write_files(output.page.output, texts, force=output.page.force)
    PageOptions().deliver(class_page(graded))


def _names(papers: Sequence[MarkedPaper], suffix: str) -> list[str]:
    """A file for each student."""
    from attncli.cli.exercising.papers import distinct_names

    names = distinct_names([paper.sheet.student for paper in papers], {_TABLE})
    return [f"{name}{suffix}" for name in names]
