"""`attn site`: scenarios told in all their ways, as the lessons of a course, on a small website."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attncli.commands.arguments import Allowed, Arguments, FilesOutput, PageOptions, TextOutput
from attncli.commands.progress import watched
from attncli.errors import Complaints
from attncli.names import Word
from attncli.output_files import Contents, OutputError, check_folder, distinct_names, encoded
from attncli.plugins import has_wing
from attncli.web.cards import Card, card_of
from attncli.web.search import SearchPlace, new_words, places_of, prose, step_texts

if TYPE_CHECKING:
    from attncli.classroom.files.exercise_file import Ask
    from attncli.document.blocks import Block, Document
    from attncli.formats.html.webpage import FoldOut, SiteEntry, SiteGroup, SiteLink
    from attncli.trace import Trace
    from attncli.web.commands import SiteArguments


_PAGE = ".html"
"""How the name of a scenario's page ends."""
_SOURCE = ".yaml"
_WORKBOOK = "xlsx"
_FORMAT = "html"
_MOST_ASKED = 120
"""Numbers of a sheet that somebody has the patience for; of longer ones the last token's rows are
asked, where there are tokens."""


class SiteSource(NamedTuple):
    """A scenario of the site."""

    scenario: str
    """What it is read from."""
    stem: str
    """What its files are called."""
    group: str
    """The heading that it is under."""
    says: str = ""
    """What it shows, if that is said."""


class SiteFile(NamedTuple):
    """A file of a scenario: what a link to it says, and what it holds."""

    text: str
    contents: Contents


class Published(NamedTuple):
    """A scenario as the site tells it."""

    source: SiteSource
    title: Word
    says: Word
    """What it shows."""
    card: Card
    """Its page in small."""
    files: Mapping[str, SiteFile]
    """Its files by their names, its page the first."""
    words: str
    """The words around that page's sections."""
    places: tuple[SearchPlace, ...]
    """The sections of that page."""
    folded: tuple[FoldOut, ...]
    """What is folded away below the page."""

    @property
    def page(self) -> str:
        """Returns the name of its page."""
        return self.source.stem + _PAGE

    @property
    def numbers(self) -> str:
        """Returns the name of the file that has its page's numbers."""
        from attncli.formats.html.webpage import numbers_file

        return numbers_file(self.source.stem)


def _in_all_formats(source: SiteSource, allowed: Allowed) -> Published:
    """Makes a scenario's page, sheet and whatever else there is. Raises UserError."""
    from attncli.commands.pages import living_page, whole_page
    from attncli.pipeline import work

    scenario = allowed.load(source.scenario)
    typed = Arguments(source.scenario, page=PageOptions(_FORMAT, allowed=allowed))
    trace = work(scenario)
    page = living_page(trace, typed, partial(_lesson, typed))
    pages = _pages(trace, page, source)
    pairs = dict([*pages, *_workbook(trace), *_scenario(source, allowed)])
    says = scenario.page.about or source.says or _summary(trace)
    return Published(
        source,
        Word(scenario.title),
        Word(says),
        card_of(trace, page),
        {source.stem + end: file for end, file in pairs.items()},
        new_words(prose((*page.lead, *page.opening, *page.closing)), f"{scenario.title} {says}"),
        tuple(places_of(page)),
        tuple(_folded(trace, _commands(whole_page(trace, typed)), pairs.get(_SOURCE))),
    )


def _lesson(typed: Arguments, trace: Trace) -> Document:
    """Returns the page of `attn run` with what lessons say of its steps, and without what names a
    command or an option around its sections."""
    from attncli.commands.pages import whole_page
    from attncli.pages.lesson import with_lessons
    from attncli.pages.parts.selection import select

    page = with_lessons(trace, whole_page(trace, typed), select(trace))
    opening, closing = (
        tuple(block for block in blocks if not _typed(block))
        for blocks in (page.opening, page.closing)
    )
    return page._replace(opening=opening, closing=closing)


def _commands(page: Document) -> list[str]:
    """Returns the texts of what names commands and options around the sections of a page."""
    return [text for block in (*page.opening, *page.closing) if (text := _typed(block))]


def _typed(block: Block) -> str:
    """Returns the text of a remark that names what is typed on the command line; an empty one of
    any other."""
    from attncli.document.blocks import Callout, Term, text_of_spans

    if not isinstance(block, Callout):
        return ""
    terms = [str(span.name) for span in block.text if isinstance(span, Term)]
    return text_of_spans(block.text) if any(t.startswith(("attn ", "--")) for t in terms) else ""


def _folded(trace: Trace, commands: Sequence[str], file: SiteFile | None) -> Iterator[FoldOut]:
    """Yields the scenario to copy, and what tells it on the command line."""
    from shlex import quote

    from attncli.formats.html.webpage import FoldOut
    from attncli.pages.parts.next_commands import as_asked_for

    if file is not None:
        yield FoldOut("Source of this lesson", encoded(file.contents).decode())
    called = as_asked_for(trace.scenario)
    if called is not None:
        yield FoldOut("On the command line", "\n".join([f"attn run {quote(called)}", *commands]))


def _pages(trace: Trace, page: Document, source: SiteSource) -> Iterator[tuple[str, SiteFile]]:
    """Yields a page, and a sheet to try where there is something to ask for."""
    from attncli.pipeline import work

    yield _PAGE, SiteFile("Lesson", _contents(page, _FORMAT))
    sheet = _sheet(work(trace.scenario.alone()), source) if has_wing("classroom") else None
    if sheet is not None:
        yield "-sheet.html", SiteFile("Sheet to try", _contents(sheet, _FORMAT))


def _workbook(trace: Trace) -> Iterator[tuple[str, SiteFile]]:
    """Yields a spreadsheet, where the numbers aren't too many for one."""
    from attncli.formats import can_be_written
    from attncli.formats.workbook.layout import TooLargeError

    if not can_be_written(_WORKBOOK):
        return
    try:
        data = _contents(_page(trace, _WORKBOOK), _WORKBOOK)
    except TooLargeError:
        return
    yield f".{_WORKBOOK}", SiteFile(f"Spreadsheet ({_size(data)})", data)


def _scenario(source: SiteSource, allowed: Allowed) -> Iterator[tuple[str, SiteFile]]:
    """Yields the scenario's file, packed with the files that it names, where these can be taken
    along."""
    from attncli.output_files import packed
    from attncli.pipeline.exporting import NotTakenError, taken_along

    try:
        files = taken_along(source.scenario, outside=allowed.files_outside)
    except NotTakenError:
        return
    if len(files) == 1:
        yield _SOURCE, SiteFile("Scenario file", next(iter(files.values())))
    else:
        data = packed(files)
        yield ".zip", SiteFile(f"Scenario with its files ({_size(data)})", data)


def _size(data: Contents) -> str:
    """Writes a size in kilobytes: `17 kB`."""
    return f"{max(1, round(len(data) / 1000))} kB"


def _contents(document: Document, form: str) -> Contents:
    from attncli.formats import RenderOptions, contents_of

    return contents_of(document, form, RenderOptions(shared=True))


def _page(trace: Trace, form: str) -> Document:
    from attncli.formats import info_of
    from attncli.pages import walkthrough
    from attncli.pages.parts import selection

    can = info_of(form)
    chosen = selection.select(trace, detail=can.detail or "full").illustrated(can.pictures)
    selection.check_on_page(trace, chosen)
    if can.detail is None:
        return walkthrough.as_it_fits(trace, chosen)
    return walkthrough.walkthrough(trace, chosen)


def _sheet(trace: Trace, source: SiteSource) -> Document | None:
    """Makes a sheet to try, of the last token's rows alone where it would be long; None where there
    is nothing to ask for."""
    from attncli.classroom.files.exercise_file import Ask, Within
    from attncli.classroom.paper_files import blank_sheet
    from attncli.scenario.file.address import LAST

    sheet = _exercise(trace, source, Ask())
    if sheet is None:
        return None
    if len(sheet.items) > _MOST_ASKED and trace.scenario.text.tokens:
        sheet = _exercise(trace, source, Ask(within=Within(token=LAST))) or sheet
    return blank_sheet(sheet, _FORMAT)


def _exercise(trace: Trace, source: SiteSource, ask: Ask) -> Document | None:
    """Makes an exercise on a scenario; None where there is nothing to ask for."""
    from attncli.classroom.exercises.papers import exercise
    from attncli.classroom.exercises.requests import request_of
    from attncli.classroom.files.exercise_file import ExerciseFile
    from attncli.document.questions import OWN_FORM
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


INDEX, DOUBT = "index.html", "doubt.html"
_BROKEN = 1
_TITLE = "Attention, worked out by hand"
_NO_WORKBOOKS = "there are no spreadsheets: they take pip install 'attncli[xlsx]'"
_OPENING = (
    "Each lesson works one example out, step by step, as tables and as arithmetic that a pocket "
    "calculator confirms."
)
_OF_COURSE = (
    "How does a Transformer decide which word listens to which? All of it is arithmetic. This "
    "course does that arithmetic on examples that are small enough for paper.",
    "It is for students who meet attention for the first time and for teachers who need numbers "
    "that they can trust. Engineers see what a layer computes.",
)
_EXAMPLE = "A number to begin with"
_POINT = "Point at a number or tap it. Its working appears, down to the numbers that are given."
_DOUBTED = "Which number do you doubt?"
_DOUBT = (
    "Choose a lesson and type the name of a number as it stands there. Its working opens line by "
    "line, down to the numbers that are given."
)


def site_of(typed: SiteArguments) -> FilesOutput | TextOutput:
    """Makes the site; a scenario that can't be worked is left out and named. Raises UserError."""
    from attncli.formats.html.webpage import shared_files

    complaints = Complaints()
    sources = shipped_sources() if typed.from_ is None else sources_of(typed.from_)
    pages = [source.stem + _PAGE for source in sources]
    check_folder(typed.folder, [INDEX, DOUBT, *shared_files(), *pages], force=typed.force)
    done = [*_published(sources, typed.allowed, complaints)]
    status, wrong = (_BROKEN, (complaints.problems,)) if complaints.problems else (0, ())
    if not done:
        return TextOutput("", status=status, wrong=wrong)
    files = site_files(done, typed)
    says = _files_written(typed.folder, len(done), files)
    return FilesOutput(files, typed.folder, typed.force, says, status, wrong)


def shipped_sources() -> list[SiteSource]:
    """Returns the shipped scenarios in the order of learning."""
    from attncli.pages.catalogue import contents

    groups = contents().items()
    return [SiteSource(name, name, group, says) for group, b in groups for name, says in b.items()]


def sources_of(folder: str) -> list[SiteSource]:
    """Finds the scenario files of a folder, by their names. Raises OutputError where there is
    none."""
    place = Path(folder)
    if not place.is_dir():
        raise OutputError.of(f"--from {folder}", "there is no such folder", "name one that is")
    files = sorted(path for path in place.iterdir() if path.suffix in (".yaml", ".yml"))
    files = [path for path in files if not _asks(path)]
    if not files:
        raise OutputError.of(f"--from {folder}", "it has no scenario files", "name another folder")
    stems = distinct_names(
        [path.stem for path in files], [Path(page).stem for page in (INDEX, DOUBT)]
    )
    return [SiteSource(str(path), stem, "Lessons") for path, stem in zip(files, stems, strict=True)]


def _asks(path: Path) -> bool:
    """Tells whether a file is one of an exercise; one that can't be read is taken for a
    scenario."""
    if not has_wing("classroom"):
        return False
    from attncli.classroom.files.kinds import is_ordered

    return bool(Complaints().hear(is_ordered, path))


def _published(
    sources: Sequence[SiteSource], allowed: Allowed, complaints: Complaints
) -> Iterator[Published]:
    for source in watched(sources, len(sources), "Scenarios"):
        found = complaints.hear(_in_all_formats, source, allowed)
        if found is not None:
            yield found


def site_files(done: Sequence[Published], typed: SiteArguments) -> dict[str, Contents]:
    """Makes all files of the site by their names."""
    from attncli.formats.html.webpage import shared_files

    files: dict[str, Contents] = {INDEX: _first_page(done, typed), DOUBT: _page_of_doubt(done)}
    for k, published in enumerate(done):
        around = [*_around(done[k - 1 : k], "prev"), *_around(done[k + 1 : k + 2], "next")]
        for name in published.files:
            files |= _linked(name, published, around)
    return {**files, **shared_files()}


def _first_page(done: Sequence[Published], typed: SiteArguments) -> str:
    """Makes the first page: what the course is, a number to begin with, and the lessons."""
    from attncli.formats.html.webpage import first_page
    from attncli.maths.notation.escaping import shown

    texts = (*(() if typed.from_ else _OF_COURSE), _OPENING)
    page = _text_page(_TITLE, texts, _example(done[0].source, typed.allowed))
    met = {place.step for one in done for place in one.places}
    told = {step: text for step, text in step_texts().items() if step in met}
    lessons = [
        [one.page, shown(one.title), shown(one.says), one.words, one.places, one.numbers]
        for one in done
    ]
    return first_page(page, _links(DOUBT), _groups(done), {"steps": told, "lessons": lessons})


def _example(source: SiteSource, allowed: Allowed) -> Document:
    """Shows the number that a scenario's page is about, with the table in which it stands."""
    from attncli.document.blocks import Document, Interactive, Line, Paragraph, Section, parts_of
    from attncli.pages.parts.answer import first_number
    from attncli.pages.parts.blocks import matrix_block
    from attncli.pages.parts.selection import select
    from attncli.pages.parts.working import Origins

    trace = allowed.worked_alone(source.scenario)
    chosen = select(trace)
    worked = first_number(trace, chosen)
    lines = [line for block in worked for line in parts_of(block, Line)]
    tables = (matrix_block(trace[line.quantity], chosen) for line in lines)
    says = trace.scenario.page.about or source.says
    about = (Paragraph((Word(says),)),) if says else ()
    blocks = (*about, *worked, Paragraph((_POINT,)), *tables)
    sections = (Section("", None, (_EXAMPLE,), (), blocks),) if lines else ()
    return Document(Word(""), sections, interactive=Interactive(Origins(trace)))


def _page_of_doubt(done: Sequence[Published]) -> str:
    """Makes the page on which any number can be looked up."""
    from attncli.document.blocks import Document
    from attncli.formats.html.webpage import SiteLink, numbers_file, page_of_doubt

    lessons = [SiteLink(one.title, numbers_file(one.source.stem)) for one in done]
    page = _text_page(_DOUBTED, (_DOUBT,), Document(Word(""), ()))
    return page_of_doubt(page, _links(INDEX), lessons)


def _text_page(title: str, texts: Iterable[str], document: Document) -> str:
    """Makes a page of a document under a title of ours, with texts before it."""
    from attncli.document.blocks import Paragraph

    opening = tuple(Paragraph((text,)) for text in texts)
    page = _contents(document._replace(title=Word(title), opening=opening), _FORMAT)
    assert isinstance(page, str)
    return page


def _links(*files: str) -> list[SiteLink]:
    """Links to the pages that are no scenario's."""
    from attncli.formats.html.webpage import SiteLink

    texts = {INDEX: "All lessons", DOUBT: _DOUBTED}
    return [SiteLink(texts[file.partition("#")[0]], file) for file in files]


def _around(others: Sequence[Published], relation: str) -> list[SiteLink]:
    """Makes a link to the page before, or to the one behind."""
    from attncli.formats.html.webpage import SiteLink

    return [SiteLink(other.title, other.page, relation) for other in others]


def _linked(name: str, published: Published, around: Sequence[SiteLink]) -> dict[str, Contents]:
    """Returns a file of a scenario; a page with links to the others, the first with its numbers
    beside."""
    from attncli.formats.html.webpage import SiteLink, lesson_page, numbers_apart, numbers_file

    contents = published.files[name].contents
    if isinstance(contents, bytes):
        return {name: contents}
    stem, is_first = published.source.stem, name == published.page
    numbers = numbers_file(stem)
    own = [
        SiteLink(file.text, other, here=other == name) for other, file in published.files.items()
    ]
    links = _links(INDEX, f"{DOUBT}#{numbers}")
    page = lesson_page(contents, stem, links, own, around, published.folded if is_first else ())
    if not is_first:
        return {name: page}
    alone, its_numbers = numbers_apart(page, numbers)
    return {name: alone, numbers: its_numbers}


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
    link = SiteLink(published.title, published.page)
    return SiteEntry(published.source.stem, link, published.says, others, *published.card)


def _files_written(folder: str, count: int, files: Mapping[str, Contents]) -> str:
    """Tells what was written."""
    from attncli.formats import can_be_written
    from attncli.maths.notation.escaping import printed

    size = sum(len(encoded(contents)) for contents in files.values()) / 1e6
    name = printed(Word(str(Path(folder) / INDEX)))
    scenarios = "1 scenario" if count == 1 else f"{count} scenarios"
    text = f"{name} leads to {scenarios}; {len(files)} files, {size:.1f} MB\n"
    return text if can_be_written(_WORKBOOK) else f"{text}{_NO_WORKBOOKS}\n"
