"""`attn site`: scenarios told in all their ways, linked with each other, on a small website."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attncli.errors import Complaints
from attncli.library.arguments import Allowed, Arguments, FilesOutput, PageOptions, TextOutput
from attncli.library.exercise_arguments import SiteArguments
from attncli.library.output import watched
from attncli.names import Word
from attncli.output_files import Contents, OutputError, check_folder

if TYPE_CHECKING:
    from attncli.building.exercise_file import Ask
    from attncli.document.blocks import Document
    from attncli.formats.html.webpage import SiteEntry, SiteGroup, SiteLink
    from attncli.trace import Trace


_PAGE = ".html"
"""How the name of a scenario's page ends."""
_WORKBOOK = "xlsx"
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
        return self.source.stem + _PAGE


def _in_all_formats(source: SiteSource, allowed: Allowed) -> Published:
    """A scenario's page, lessons, sheet and whatever else there is. Raises UserError."""
    from attncli.pipeline import work

    scenario = allowed.load(source.scenario)
    trace = work(scenario)
    pairs = [*_pages(trace, source, allowed), *_workbook(trace), *_scenario(source, allowed)]
    files = {source.stem + end: file for end, file in pairs}
    return Published(
        source, Word(scenario.title), scenario.about or source.says or _summary(trace), files
    )


def _pages(trace: Trace, source: SiteSource, allowed: Allowed) -> Iterator[tuple[str, SiteFile]]:
    """A page, lessons, and a sheet to try where there is something to ask for."""
    from attncli.building.exercise_file import Ask
    from attncli.library.paper_files import blank_sheet
    from attncli.pipeline import work

    alone = work(trace.scenario.alone())
    sheet = _exercise(alone, source, Ask())
    is_long = sheet is not None and len(sheet.items) > _MOST_ASKED
    pages = [
        (_PAGE, "Page", _page(trace, _FORMAT)),
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
    from attncli.formats import can_be_written
    from attncli.formats.workbook.layout import TooLargeError

    if not can_be_written(_WORKBOOK):
        return
    try:
        data = _written(_page(trace, _WORKBOOK), _WORKBOOK)
    except TooLargeError:
        return
    yield f".{_WORKBOOK}", SiteFile(f"Spreadsheet ({_size(data)})", data)


def _scenario(source: SiteSource, allowed: Allowed) -> Iterator[tuple[str, SiteFile]]:
    """The scenario's file, packed with the files that it names, where these can be taken along."""
    from attncli.building.plain_scenario import NotTakenError, taken_along
    from attncli.output_files import packed

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
    from attncli.formats import RenderOptions, contents_of

    return contents_of(document, form, RenderOptions(shared=True))


def _page(trace: Trace, form: str) -> Document:
    from attncli.formats import info_of
    from attncli.pages import walkthrough
    from attncli.pages.parts import selection

    can = info_of(form)
    chosen = selection.select(trace, detail=can.detail or "full").illustrated(can.pictured)
    selection.check_on_page(trace, chosen)
    if can.detail is None:
        return walkthrough.as_it_fits(trace, chosen)
    return walkthrough.walkthrough(trace, chosen)


def _lessons(trace: Trace, source: SiteSource, allowed: Allowed, *, is_long: bool) -> Document:
    """Lessons on a scenario's numbers; of many numbers a row of each step is worked."""
    from attncli.library.commands import lessons_page

    detail, page = "rows" if is_long else None, PageOptions(_FORMAT, allowed=allowed)
    return lessons_page(trace, Arguments(source.scenario, detail=detail, page=page), every=False)


def _exercise(trace: Trace, source: SiteSource, ask: Ask) -> Document | None:
    """An exercise on a scenario, where there is something to ask for."""
    from attncli.building.exercise_file import ExerciseFile
    from attncli.document.questions import OWN_FORM
    from attncli.exercises.papers import exercise
    from attncli.exercises.requests import request_of
    from attncli.pages.parts.selection import SelectionError

    try:
        request = request_of(trace, ExerciseFile(source.scenario, (ask,)))
        return exercise(trace, request, OWN_FORM, "attn site")
    except SelectionError:
        return None


def _summary(trace: Trace) -> str:
    from attncli.document.blocks import text_of_spans
    from attncli.pages.parts.sentences import summary
    from attncli.trace.trace import outline_of

    _, _, *spans = summary(outline_of(trace))
    return text_of_spans(tuple(spans))


INDEX = "index.html"
_BROKEN = 1
_TITLE = "Attention, worked out by hand"
_NO_WORKBOOKS = "there are no spreadsheets: they take pip install 'attncli[xlsx]'"
_OPENING = (
    "Each page works one example out, step by step, as tables and as arithmetic that a pocket "
    "calculator confirms. Point at a number to see where it comes from."
)


def site(typed: SiteArguments) -> FilesOutput | TextOutput:
    """The site; a scenario that can't be worked is left out and named. Raises UserError."""
    from attncli.formats.html.webpage import shared_files

    complaints = Complaints()
    sources = shipped_sources() if typed.from_ is None else sources_of(typed.from_)
    pages = [source.stem + _PAGE for source in sources]
    check_folder(typed.folder, [INDEX, *shared_files(), *pages], force=typed.force)
    done = [*_published(sources, typed.allowed, complaints)]
    status, wrong = (_BROKEN, (complaints.problems,)) if complaints.problems else (0, ())
    if not done:
        return TextOutput("", status=status, wrong=wrong)
    files = site_files(done)
    says = _told(typed.folder, len(done), files)
    return FilesOutput(files, typed.folder, typed.force, says, status, wrong)


def shipped_sources() -> list[SiteSource]:
    """The shipped scenarios in the order of learning."""
    from attncli.pages.catalogue import contents

    groups = contents().items()
    return [SiteSource(name, name, group, says) for group, b in groups for name, says in b.items()]


def sources_of(folder: str) -> list[SiteSource]:
    """The scenario files of a folder, by their names. Raises OutputError where there is none."""
    from attncli.library.paper_files import distinct_names

    place = Path(folder)
    if not place.is_dir():
        raise OutputError.of(f"--from {folder}", "there is no such folder", "name one that is")
    files = sorted(path for path in place.iterdir() if path.suffix in (".yaml", ".yml"))
    files = [path for path in files if not _asks(path)]
    if not files:
        raise OutputError.of(f"--from {folder}", "it has no scenario files", "name another folder")
    stems = distinct_names([path.stem for path in files], [Path(INDEX).stem])
    return [
        SiteSource(str(path), stem, "Scenarios") for path, stem in zip(files, stems, strict=True)
    ]


def _asks(path: Path) -> bool:
    """Whether a file is one of an exercise; one that can't be read is taken for a scenario."""
    from attncli.building.exercise_file import is_exercise

    heard = Complaints()
    return bool(heard.hear(is_exercise, path))


def _published(
    sources: Sequence[SiteSource], allowed: Allowed, complaints: Complaints
) -> Iterator[Published]:
    for source in watched(sources, len(sources), "Scenarios"):
        found = complaints.hear(_in_all_formats, source, allowed)
        if found is not None:
            yield found


def site_files(done: Sequence[Published]) -> dict[str, Contents]:
    """All files of the site by their names."""
    from attncli.formats.html.webpage import first_page, shared_files

    files: dict[str, Contents] = {INDEX: first_page(_TITLE, _OPENING, _groups(done))}
    for k, published in enumerate(done):
        around = [*_around(done[k - 1 : k], "prev"), *_around(done[k + 1 : k + 2], "next")]
        files |= {name: _linked(name, published, around) for name in published.files}
    return {**files, **shared_files()}


def _around(others: Sequence[Published], relation: str) -> list[SiteLink]:
    """A link to the page before, or to the one behind."""
    from attncli.formats.html.webpage import SiteLink

    return [SiteLink(other.title, other.page, relation) for other in others]


def _linked(name: str, published: Published, around: Sequence[SiteLink]) -> Contents:
    """A file of a scenario; a page with links to the others."""
    from attncli.formats.html.webpage import SiteLink, with_links

    contents = published.files[name].contents
    if isinstance(contents, bytes):
        return contents
    own = [
        SiteLink(file.text, other, here=other == name) for other, file in published.files.items()
    ]
    return with_links(contents, ([SiteLink("All scenarios", INDEX), *around], own))


def _groups(done: Sequence[Published]) -> Iterator[SiteGroup]:
    from attncli.formats.html.webpage import SiteGroup

    for title, some in groupby(done, lambda p: p.source.group):
        yield SiteGroup(title, tuple(map(_listed, some)))


def _listed(published: Published) -> SiteEntry:
    from attncli.formats.html.webpage import SiteEntry, SiteLink

    others = tuple(
        SiteLink(file.text, name)
        for name, file in published.files.items()
        if name != published.page
    )
    return SiteEntry(SiteLink(published.title, published.page), published.says, others)


def _told(folder: str, count: int, files: Mapping[str, Contents]) -> str:
    """What was written, in a line."""
    from attncli.formats import can_be_written
    from attncli.notation.escaping import printed
    from attncli.output_files import encoded

    size = sum(len(encoded(contents)) for contents in files.values()) / 1e6
    name = printed(Word(str(Path(folder) / INDEX)))
    scenarios = "1 scenario" if count == 1 else f"{count} scenarios"
    text = f"{name} leads to {scenarios}; {len(files)} files, {size:.1f} MB\n"
    return text if can_be_written(_WORKBOOK) else f"{text}{_NO_WORKBOOKS}\n"
