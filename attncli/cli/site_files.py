"""A scenario told in all its ways: the files that a website has of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from attncli.cli.arguments import Allowed, Arguments, PageOptions
from attncli.word import Word
from attncli.writing import Contents

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.scenario.exercise import Ask
    from attncli.trace import Trace

PAGE = ".html"
"""How the name of a scenario's page ends."""
WORKBOOK = "xlsx"
_FORMAT = "html"
_MOST_ASKED = 120
"""Numbers of a sheet that somebody has the patience for; of longer ones the last token's rows are
asked, where there are tokens."""


class SiteSource(NamedTuple):
    """A scenario of the site: what it is read from, what its files are called, the heading it is
    under, and what it shows, if that is said."""

    scenario: str
    stem: str
    group: str
    says: str = ""


class SiteFile(NamedTuple):
    """A file of a scenario: what a link to it says, and what it holds."""

    text: str
    contents: Contents


class Published(NamedTuple):
    """A scenario as it is told: its title, what it shows, and its files by their names, its page
    the first."""

    source: SiteSource
    title: Word
    says: str
    files: Mapping[str, SiteFile]

    @property
    def page(self) -> str:
        """The name of its page."""
        return self.source.stem + PAGE


def told_in_all_ways(source: SiteSource, allowed: Allowed) -> Published:
    """A scenario's page, lessons, sheet and whatever else there is. Raises Refusal."""
    from attncli.pipeline import work

    scenario = allowed.load(source.scenario)
    trace = work(scenario)
    told = [*_pages(trace, source, allowed), *_workbook(trace), *_scenario(source, allowed)]
    files = {source.stem + end: file for end, file in told}
    return Published(source, Word(scenario.title), source.says or _summary(trace), files)


def _pages(trace: Trace, source: SiteSource, allowed: Allowed) -> Iterator[tuple[str, SiteFile]]:
    """A page, lessons, and a sheet to try where there is something to ask for."""
    from attncli.cli.exercising.papers import blank_sheet
    from attncli.pipeline import work
    from attncli.scenario.exercise import Ask

    alone = work(trace.scenario.alone())
    sheet = _exercise(alone, source, Ask())
    is_long = sheet is not None and _asked_in(sheet) > _MOST_ASKED
    pages = [
        (PAGE, "Page", _page(trace, _FORMAT)),
        ("-lessons.html", "Lessons", _lessons(trace, source, allowed, is_long=is_long)),
    ]
    tokens = len(alone.scenario.text.tokens)
    if is_long and tokens:
        sheet = _exercise(alone, source, Ask(token=str(tokens))) or sheet
    if sheet is not None:
        sheet = blank_sheet(sheet, _FORMAT)
        pages.append(("-sheet.html", "Sheet to try", sheet))
    for end, text, document in pages:
        yield end, SiteFile(text, _written(document, _FORMAT))


def _workbook(trace: Trace) -> Iterator[tuple[str, SiteFile]]:
    """A spreadsheet, where the numbers aren't too many for one."""
    from attncli.render import can_be_written
    from attncli.render.workbook.layout import TooLargeError

    if not can_be_written(WORKBOOK):
        return
    try:
        data = _written(_page(trace, WORKBOOK), WORKBOOK)
    except TooLargeError:
        return
    yield f".{WORKBOOK}", SiteFile(f"Spreadsheet ({_size(data)})", data)


def _scenario(source: SiteSource, allowed: Allowed) -> Iterator[tuple[str, SiteFile]]:
    """The scenario's file, packed with the files that it names, where these can be taken along."""
    from attncli.building.beside import NotTakenError, taken_along
    from attncli.writing.package import packed

    try:
        files = taken_along(source.scenario, outside=allowed.files_outside)
    except NotTakenError:
        return
    if len(files) == 1:
        yield ".yaml", SiteFile("Scenario file", next(iter(files.values())))
    else:
        data = packed(files)
        yield ".zip", SiteFile(f"Scenario with its files ({_size(data)})", data)


def _size(data: Contents) -> str:
    """`17 kB`."""
    return f"{max(1, round(len(data) / 1000))} kB"


def _written(document: Document, form: str) -> Contents:
    from attncli.render import Page, contents_of

    return contents_of(document, form, Page(shared=True))


def _page(trace: Trace, form: str) -> Document:
    from attncli.render import abilities_of
    from attncli.telling import selection, walkthrough

    can = abilities_of(form)
    chosen = selection.select(trace, detail=can.detail or "full").illustrated(can.pictured)
    selection.check_told(trace, chosen)
    if can.detail is None:
        return walkthrough.as_it_fits(trace, chosen)
    return walkthrough.walkthrough(trace, chosen)


def _lessons(trace: Trace, source: SiteSource, allowed: Allowed, *, is_long: bool) -> Document:
    """Lessons on a scenario's numbers; of many numbers a row of each step is worked."""
    from attncli.cli.explain import lessons_page

    detail, page = "rows" if is_long else None, PageOptions(_FORMAT, allowed=allowed)
    return lessons_page(trace, Arguments(source.scenario, detail=detail, page=page), every=False)


def _asked_in(document: Document) -> int:
    """How many questions there are."""
    return sum(len(section.questions) for section in document.sections)


def _exercise(trace: Trace, source: SiteSource, ask: Ask) -> Document | None:
    """An exercise on a scenario, where there is something to ask for."""
    from attncli.questions import OWN_FORM
    from attncli.scenario.exercise import ExerciseFile
    from attncli.telling.exercise.papers import exercise
    from attncli.telling.exercise.requests import request_of
    from attncli.telling.selection import SelectionError

    try:
        wish = request_of(trace, ExerciseFile(source.scenario, (ask,)))
        return exercise(trace, wish, OWN_FORM, "attn site")
    except SelectionError:
        return None


def _summary(trace: Trace) -> str:
    from attncli.render.sentences import text_of_spans
    from attncli.telling.sentences import summary
    from attncli.trace.outline import outline_of

    _, _, *told = summary(outline_of(trace))
    return text_of_spans(tuple(told))
