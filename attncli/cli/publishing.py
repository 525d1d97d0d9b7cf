"""`attn site`: each scenario worked, told in all its ways, and linked with the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attncli.cli.arguments import Allowed, Arguments, PageOptions
from attncli.cli.complaints import Complaints, complaining
from attncli.cli.progress import watched
from attncli.records import NamedTuple
from attncli.word import Word
from attncli.writing import Contents, OutputError, write_out
from attncli.writing.folder import check_folder, write_files

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.render.html.site import SiteEntry, SiteGroup, SiteLink
    from attncli.trace import Trace

INDEX = "index.html"
_FORMAT = "html"
_BROKEN = 1
_TITLE = "Attention, worked out by hand"
_OPENING = (
    "Each page works one example out, step by step, as tables and as arithmetic that a pocket "
    "calculator confirms. Point at a number to see where it comes from."
)
_PAGE, _LESSONS, _SHEET = (
    ("Page", ".html"),
    ("Lessons", "-lessons.html"),
    ("Sheet to try", "-sheet.html"),
)
_SCENARIO = ("Scenario file", ".yaml")


class SiteSource(NamedTuple):
    """A scenario of the site: what it is read from, what its files are called, the heading it is
    under, and what it shows, if that is said."""

    scenario: str
    stem: str
    group: str
    says: str = ""


class Published(NamedTuple):
    """A scenario as it is told: its title, and each file with its name and what a link to it
    says."""

    source: SiteSource
    title: Word
    says: str
    files: Mapping[str, Contents]
    links: tuple[tuple[str, str], ...]

    @property
    def page(self) -> str:
        """The name of its page."""
        return self.source.stem + _PAGE[1]


def publish(folder: str, chosen: str | None, allowed: Allowed, *, force: bool) -> None:
    """Writes the site; a scenario that can't be worked is left out and named, with status 1."""
    complaints = Complaints()
    with complaining():
        sources = shipped_sources() if chosen is None else sources_of(chosen)
        stems = [source.stem for source in sources]
        check_folder(folder, [INDEX, *(stem + _PAGE[1] for stem in stems)], force=force)
        done = [*_published(sources, allowed, complaints)]
        if done:
            files = site_files(done)
            write_files(folder, files, force=force)
            write_out(_told(folder, len(done), files))
    complaints.say()
    if complaints.problems:
        raise typer.Exit(_BROKEN)


def shipped_sources() -> list[SiteSource]:
    """The shipped scenarios in the order of learning."""
    from attncli.telling.shipped import contents

    groups = contents().items()
    return [
        SiteSource(name, name, group, says) for group, one in groups for name, says in one.items()
    ]


def sources_of(folder: str) -> list[SiteSource]:
    """The scenario files of a folder, by their names. Raises OutputError where there is none."""
    from attncli.cli.exercising.papers import distinct_names

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
        found = complaints.hear(_told_in_all_ways, source, allowed)
        if found is not None:
            yield found


def _told_in_all_ways(source: SiteSource, allowed: Allowed) -> Published:
    """A scenario's page, lessons, sheet and whatever else there is. Raises Refusal."""
    from attncli.file import shipped
    from attncli.pipeline import work

    scenario = allowed.load(source.scenario)
    trace = work(scenario)
    pages = [(_PAGE, _page(trace)), (_LESSONS, _lessons(trace, source))]
    sheet = _sheet(work(scenario.alone()), source)
    if sheet is not None:
        pages.append((_SHEET, sheet))
    files: dict[str, Contents] = {f"{source.stem}{end}": _html(told) for (_, end), told in pages}
    files[source.stem + _SCENARIO[1]] = shipped.find(source.scenario).read_bytes()
    kinds = [*(kind for kind, _ in pages), _SCENARIO]
    links = tuple((text, source.stem + end) for text, end in kinds)
    return Published(source, Word(scenario.title), source.says or _summary(trace), files, links)


def _html(document: Document) -> str:
    from attncli.render import Page, render

    return render(document, _FORMAT, Page())


def _page(trace: Trace) -> Document:
    from attncli.render import abilities_of
    from attncli.telling import selection, walkthrough

    chosen = selection.select(trace).illustrated(abilities_of(_FORMAT).pictured)
    walkthrough.check_told(trace, chosen)
    return walkthrough.as_it_fits(trace, chosen)


def _lessons(trace: Trace, source: SiteSource) -> Document:
    from attncli.cli.explain import lessons_page

    return lessons_page(trace, Arguments(source.scenario, page=PageOptions(_FORMAT)), every=False)


def _sheet(trace: Trace, source: SiteSource) -> Document | None:
    """A sheet to try, where there is something to ask for."""
    from attncli.cli.exercising.papers import blank_sheet
    from attncli.questions import OWN_FORM
    from attncli.scenario.exercise import ExerciseFile
    from attncli.telling.exercise.papers import exercise
    from attncli.telling.exercise.requests import request_of
    from attncli.telling.selection import SelectionError

    try:
        wish = request_of(trace, ExerciseFile(source.scenario))
        return blank_sheet(exercise(trace, wish, OWN_FORM, "attn site"), _FORMAT)
    except SelectionError:
        return None


def _summary(trace: Trace) -> str:
    from attncli.render.sentences import text_of_spans
    from attncli.telling.summaries import summary
    from attncli.trace.outline import outline_of

    _, _, *told = summary(outline_of(trace))
    return text_of_spans(tuple(told))


def site_files(done: Sequence[Published]) -> dict[str, Contents]:
    """All files of the site by their names."""
    from attncli.render.html.site import first_page

    files: dict[str, Contents] = {INDEX: first_page(_TITLE, _OPENING, _groups(done))}
    for k, one in enumerate(done):
        around = [*_around(done[k - 1 : k], "prev"), *_around(done[k + 1 : k + 2], "next")]
        files |= {name: _linked(name, one, around) for name in one.files}
    return files


def _around(others: Sequence[Published], relation: str) -> list[SiteLink]:
    """A link to the page before, or to the one behind."""
    from attncli.render.html.site import SiteLink

    return [SiteLink(other.title, other.page, relation) for other in others]


def _linked(name: str, one: Published, around: Sequence[SiteLink]) -> Contents:
    """A file of a scenario; a page with links to the others."""
    from attncli.render.html.site import SiteLink, with_links

    contents = one.files[name]
    if isinstance(contents, bytes):
        return contents
    own = [SiteLink(text, file, here=file == name) for text, file in one.links]
    return with_links(contents, ([SiteLink("All scenarios", INDEX), *around], own))


def _groups(done: Sequence[Published]) -> Iterator[SiteGroup]:
    from attncli.render.html.site import SiteGroup

    for title, some in groupby(done, lambda one: one.source.group):
        yield SiteGroup(title, tuple(map(_listed, some)))


def _listed(one: Published) -> SiteEntry:
    from attncli.render.html.site import SiteEntry, SiteLink

    others = tuple(SiteLink(text, file) for text, file in one.links if file != one.page)
    return SiteEntry(SiteLink(one.title, one.page), one.says, others)


def _told(folder: str, count: int, files: Mapping[str, Contents]) -> str:
    """What was written, in a line."""
    from attncli.notation.words import printed
    from attncli.writing.contents import encoded

    size = sum(len(encoded(contents)) for contents in files.values()) / 1e6
    name = printed(Word(str(Path(folder) / INDEX)))
    scenarios = "1 scenario" if count == 1 else f"{count} scenarios"
    return f"{name} leads to {scenarios}; {len(files)} files, {size:.1f} MB\n"
