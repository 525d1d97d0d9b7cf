"""The papers of an exercise as texts and files."""

from __future__ import annotations

import gc
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from attncli.cli.arguments import Files, Text
from attncli.cli.exercising.checks import PaperSettings
from attncli.cli.output import check_target, page_for
from attncli.cli.progress import watched
from attncli.writing import Contents, OutputError, check_folder

if TYPE_CHECKING:
    from attncli.cli.exercise import ExerciseArguments
    from attncli.document import Document
    from attncli.render import Page
    from attncli.trace import Trace

    Form = tuple[str, Trace]
    Tell = Callable[[Iterable[Form]], Iterable[tuple[str, Trace, Document]]]

_LONGEST = 60
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")


def check_targets(order: ExerciseArguments, manner: PaperSettings, forms: Sequence[str]) -> None:
    """Raises OutputError where results don't fit where they are to go, or files are in the way."""
    names = _file_names(order, manner, forms)
    if manner.folder:
        assert order.output is not None
        check_folder(order.output, names, force=order.force)
    elif len(names) > 1:
        where = order.output or "standard output"
        wrong = f"there are {len(names)} papers to write"
        raise OutputError.of(where, wrong, "name a folder with -o, like -o sheets/")
    else:
        check_target(order.output, force=order.force)


def _file_names(order: ExerciseArguments, manner: PaperSettings, forms: Sequence[str]) -> list[str]:
    """A name for each paper, from the scenario, the form and what it is; one where all forms are
    gathered in a file."""
    from attncli.questions import OWN_FORM
    from attncli.render import abilities_of, suffixes_of

    suffix = suffixes_of(manner.format)[0]
    stem = safe_name(Path(order.scenario).stem)
    if abilities_of(manner.format).gathered:
        forms = [OWN_FORM]
    return [
        "_".join((stem, *(() if form == OWN_FORM else (form,)), kind)) + suffix
        for form in forms
        for kind in manner.kinds
    ]


def safe_name(text: str) -> str:
    """A text as part of a file's name on every system: ASCII letters, digits and underscores."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _UNSAFE.sub("_", plain).strip("_")[:_LONGEST] or "exercise"


def distinct_names(texts: Iterable[str], taken: Iterable[str]) -> list[str]:
    """A file's name for each text that none has yet; who has that of another gets a number."""
    names, used = [], set(taken)
    for text in texts:
        name, count = safe_name(text), 1
        while name.lower() in used:
            count += 1
            name = f"{safe_name(text)}_{count}"
        used.add(name.lower())
        names.append(name)
    return names


def papers_of(
    order: ExerciseArguments, manner: PaperSettings, forms: Iterable[Form], tell: Tell, count: int
) -> Files | Text:
    """The papers of all forms, for a folder, or the one that there is."""
    files = paper_files(order, manner, watched(tell(forms), count, "Forms"))
    if manner.folder:
        assert order.output is not None
        return Files(files, order.output, order.force)
    return Text(next(iter(files.values())), order.output, order.force)


def paper_files(
    order: ExerciseArguments,
    manner: PaperSettings,
    exercises: Iterable[tuple[str, Trace, Document]],
) -> dict[str, Contents]:
    """The papers of forms by the names of their files."""
    forms: list[str] = []

    def papers() -> Iterator[Document]:
        for form, trace, whole in exercises:
            forms.append(form)
            yield from (_paper(kind, whole, trace, manner) for kind in manner.kinds)

    with _rarely_collecting():
        texts = _texts(papers(), order, manner)
    return dict(zip(_file_names(order, manner, forms), texts, strict=True))


def blank_sheet(whole: Document, form: str) -> Document:
    """The student's sheet of an exercise; one that checks itself where a format has these."""
    from attncli.render import abilities_of
    from attncli.telling.exercise.papers import sheet_of

    if not abilities_of(form).checking:
        return sheet_of(whole)
    from attncli.telling.exercise.papers import self_checking

    return self_checking(whole)


def answers_files(order: ExerciseArguments, exercises: Mapping[str, Document]) -> dict[str, str]:
    """A file to fill in for each form, by its name."""
    from attncli.render import render
    from attncli.telling.exercise.papers import sheet_of

    manner = PaperSettings("yaml", "none", folder=True, kinds=("answers",), share=None)
    names = _file_names(order, manner, [*exercises])
    sheets = map(sheet_of, exercises.values())
    page = page_for(order.output)
    return {name: render(sheet, "yaml", page) for name, sheet in zip(names, sheets, strict=True)}


@contextmanager
def _rarely_collecting() -> Iterator[None]:
    """Makes the garbage collector look seldom: pages are many small tuples, which go by
    themselves, and looking for rings among them takes a third of the time."""
    often = gc.get_threshold()
    gc.set_threshold(1_000_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*often)


def page_of(order: ExerciseArguments) -> Page:
    """What a format has to know of where papers go, and of what is left out of them."""
    page = page_for(order.output)
    return page._replace(fragment=order.fragment, values_only=order.values_only)


def _texts(
    papers: Iterable[Document], order: ExerciseArguments, manner: PaperSettings
) -> list[Contents]:
    """Papers in their format, gathered in one file where that has them so; a package only where
    it goes to a file, and otherwise the text of what is in it."""
    from attncli.render import abilities_of, contents_of, files_of, render_forms

    page, can = page_of(order), abilities_of(manner.format)
    if can.packed and order.output not in (None, "-"):
        from attncli.writing import packed

        return [packed(files_of([*papers], manner.format, page))]
    if can.gathered:
        return [render_forms([*papers], manner.format, page)]
    return [contents_of(paper, manner.format, page) for paper in papers]


def _paper(kind: str, whole: Document, trace: Trace, manner: PaperSettings) -> Document:
    from attncli.render import abilities_of
    from attncli.telling.exercise.papers import key_page, sheet_of

    match kind:
        case "key":
            return key_page(whole)
        case "hints":
            return _hints(whole, trace)
        case "sheet":
            return blank_sheet(whole, manner.format)
        case _ if abilities_of(manner.format).hints == "embedded":
            return _hints(whole, trace, embedded=True)
        case _ if abilities_of(manner.format).self_keyed:
            return whole
        case _:
            return sheet_of(whole)._replace(key=key_page(whole))


def _hints(whole: Document, trace: Trace, *, embedded: bool = False) -> Document:
    from attncli.telling.exercise.tasks import hints_page, with_hints

    return with_hints(whole, trace) if embedded else hints_page(whole, trace)
