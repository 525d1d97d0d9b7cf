"""A live workbook: each number that was worked is a formula, each that was given can be changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING

from attncli.document.blocks import Document
from attncli.errors import UserError
from attncli.formats import FormatInfo, RenderOptions
from attncli.formats.workbook.head import HeadWriter
from attncli.formats.workbook.head_layout import SHEET, HeadLayout, head_layout
from attncli.formats.workbook.layout import (
    Group,
    Item,
    SheetNames,
    TextRow,
    WorkbookLayout,
    items_of,
    layout_of,
    paragraph,
)
from attncli.formats.workbook.writing import Writer
from attncli.maths.notation.escaping import visible

if TYPE_CHECKING:
    from types import ModuleType

SUFFIXES = (".xlsx",)
ABILITIES = FormatInfo(detail="full", package="xlsxwriter")

_LONGEST_TITLE = 200
_CREATED = datetime(2000, 1, 1)
"""The same in every file, so that the same page is the same file."""


class MissingXlsxWriterError(UserError):
    """A fault: the package that writes workbooks isn't there."""


def bytes_of(documents: Sequence[Document], page: RenderOptions) -> bytes:  # noqa: ARG001
    """Writes the documents as a workbook; the page's width plays no part. Raises
    MissingXlsxWriterError, TooLargeError."""
    buffer = BytesIO()
    workbook = _xlsxwriter().Workbook(buffer, {"in_memory": True})
    title = visible(documents[0].title)[:_LONGEST_TITLE]
    workbook.set_properties({"title": title, "created": _CREATED})
    writer, names = Writer(workbook, title), SheetNames()
    for document in documents:
        own: WorkbookLayout | None = None
        for group in _groups(document):
            first = names.new("Read me", group.called)
            layout = layout_of(group, names, own)
            own = own or layout
            head = _head(group, layout, names)
            writer.group(group.called, layout)
            sheets = [*([head.name] if head else ()), *(sheet.name for sheet in layout.sheets)]
            writer.first_sheet(first, [*_front_matter(group, head)], sheets)
            if head is not None:
                HeadWriter(workbook, writer.formats, head).write(group.document)
            for sheet in layout.sheets:
                writer.sheet(sheet)
    workbook.close()
    return buffer.getvalue()


def _groups(document: Document) -> Iterator[Group]:
    """Yields the group of a document, then those of the further ones of its scenario."""
    yield Group(document, "", len(document.sections))
    sections = len(document.sections)
    for called, other in document.interactive.further.items():
        sections += len(other.sections)
        yield Group(other, called, sections)


def _head(group: Group, layout: WorkbookLayout, names: SheetNames) -> HeadLayout | None:
    """Lays out the head that a page is about, on a sheet of its own."""
    head = group.document.interactive.head()
    laid_out = None if head is None else head_layout(head, layout)
    return laid_out and laid_out._replace(name=names.new(SHEET, group.called))


def _xlsxwriter() -> ModuleType:
    try:
        import xlsxwriter
    except ImportError:
        right = "install it with: pip install 'attncli[xlsx]'"
        raise MissingXlsxWriterError.of("--format xlsx", "it takes XlsxWriter", right) from None
    module: ModuleType = xlsxwriter
    return module


def _front_matter(group: Group, head: HeadLayout | None) -> Iterator[Item]:
    """Yields the title, the answer, the facts, what stands before the first section, and then how
    to play."""
    document = group.document
    yield TextRow((document.title,), "title")
    yield from items_of((*document.lead, *document.opening), {})
    if document.interactive.workings:
        for text in (_LINKED,) if group.called else _HOW_TO:
            yield from paragraph(text)
        if head is not None:
            yield from paragraph(_ON_ONE_PAGE.format(sheet=head.name))


_LINKED = (
    "What is given here as in the scenario itself has its numbers from there: change them on its"
    " sheets, and these are worked again, too."
)
_ON_ONE_PAGE = (
    "Sheet {sheet} has a whole head as it is done on paper, on one page, with a chart of its"
    " weights."
)
_HOW_TO = (
    "Each step has a sheet. Every number that was worked out is a formula of the numbers before"
    " it: click on one to see its working.",
    "The numbers on a tinted ground were given. Type others in their place, and all that follows"
    " is worked again.",
    "Numbers in grey italics on such a ground, such as those of a mask, were put there by a rule"
    " that asks no other number. They can be changed, too, but don't change by themselves.",
    "Sentences (which tokens there are, who attends most to whom) are about the numbers that were"
    " given, and don't change. Beside weights, the column largest does.",
    "Formulas are protected, without a password. Each table is a range with a name, such as"
    " weights, that can be used in formulas of your own.",
    "Where numbers are rounded, ROUND does it, half away from zero. ROUND(…, 12) inside it takes"
    " away what a computer's binary fractions add to a sum: 0.1 + 0.2 is a hair above 0.3.",
)
