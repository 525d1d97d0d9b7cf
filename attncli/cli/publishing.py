"""`attn site`: scenarios told in all their ways, linked with each other, on a small website."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attncli.cli.arguments import Allowed
from attncli.cli.complaints import Complaints, complaining
from attncli.cli.progress import watched
from attncli.cli.site_files import PAGE, WORKBOOK, Published, SiteSource, told_in_all_ways
from attncli.word import Word
from attncli.writing import Contents, OutputError, write_out
from attncli.writing.folder import check_folder, write_files

if TYPE_CHECKING:
    from attncli.render.html.site import SiteEntry, SiteGroup, SiteLink

INDEX = "index.html"
_BROKEN = 1
_TITLE = "Attention, worked out by hand"
_NO_WORKBOOKS = "there are no spreadsheets: they take pip install 'attncli[xlsx]'"
_OPENING = (
    "Each page works one example out, step by step, as tables and as arithmetic that a pocket "
    "calculator confirms. Point at a number to see where it comes from."
)


def publish(folder: str, chosen: str | None, allowed: Allowed, *, force: bool) -> None:
    """Writes the site; a scenario that can't be worked is left out and named, with status 1."""
    from attncli.render.html.site import shared_files

    complaints = Complaints()
    with complaining():
        sources = shipped_sources() if chosen is None else sources_of(chosen)
        pages = [source.stem + PAGE for source in sources]
        check_folder(folder, [INDEX, *shared_files(), *pages], force=force)
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
        found = complaints.hear(told_in_all_ways, source, allowed)
        if found is not None:
            yield found


def site_files(done: Sequence[Published]) -> dict[str, Contents]:
    """All files of the site by their names."""
    from attncli.render.html.site import first_page, shared_files

    files: dict[str, Contents] = {INDEX: first_page(_TITLE, _OPENING, _groups(done))}
    for k, one in enumerate(done):
        around = [*_around(done[k - 1 : k], "prev"), *_around(done[k + 1 : k + 2], "next")]
        files |= {name: _linked(name, one, around) for name in one.files}
    return {**files, **shared_files()}


def _around(others: Sequence[Published], relation: str) -> list[SiteLink]:
    """A link to the page before, or to the one behind."""
    from attncli.render.html.site import SiteLink

    return [SiteLink(other.title, other.page, relation) for other in others]


def _linked(name: str, one: Published, around: Sequence[SiteLink]) -> Contents:
    """A file of a scenario; a page with links to the others."""
    from attncli.render.html.site import SiteLink, with_links

    contents = one.files[name].contents
    if isinstance(contents, bytes):
        return contents
    own = [SiteLink(file.text, other, here=other == name) for other, file in one.files.items()]
    return with_links(contents, ([SiteLink("All scenarios", INDEX), *around], own))


def _groups(done: Sequence[Published]) -> Iterator[SiteGroup]:
    from attncli.render.html.site import SiteGroup

    for title, some in groupby(done, lambda one: one.source.group):
        yield SiteGroup(title, tuple(map(_listed, some)))


def _listed(one: Published) -> SiteEntry:
    from attncli.render.html.site import SiteEntry, SiteLink

    others = tuple(
        SiteLink(file.text, name) for name, file in one.files.items() if name != one.page
    )
    return SiteEntry(SiteLink(one.title, one.page), one.says, others)


def _told(folder: str, count: int, files: Mapping[str, Contents]) -> str:
    """What was written, in a line."""
    from attncli.notation.words import printed
    from attncli.render import can_be_written
    from attncli.writing.contents import encoded

    size = sum(len(encoded(contents)) for contents in files.values()) / 1e6
    name = printed(Word(str(Path(folder) / INDEX)))
    scenarios = "1 scenario" if count == 1 else f"{count} scenarios"
    told = f"{name} leads to {scenarios}; {len(files)} files, {size:.1f} MB\n"
    return told if can_be_written(WORKBOOK) else f"{told}{_NO_WORKBOOKS}\n"
