"""From a document to one format. A format is a module of a folder, found by itself: of
`formats.pages`, of `formats.binary` where its files are no text, of `formats.pictures` where it has
nothing but a page's pictures, or of `formats.exercises` where it is only for exercises.

Each has `render(document, page) -> str`, `render_forms(documents, page) -> str` too where all forms
of an exercise go into one file, and the `SUFFIXES` of its files; `ABILITIES`, where it can more or
less than others; `in_pieces(document, page) -> Iterator[str]`, where its files may be too large to
be a whole text. A binary one has `bytes_of(documents, page) -> bytes` in place of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from attncli.document.blocks import Document, Spans
    from attncli.names import Word


class FormatInfo(NamedTuple):
    """`keys` are the places where the key of an exercise may go, the usual one first. A format has
    a `fragment` if its pages go without a preamble. One that is `self_keyed` writes sheet and key
    as one source, from the exercise itself; `share` is what a known mistake earns in it, in per
    cent, if nothing is said, None if mistakes aren't looked for. `hints` is where these go: on a
    sheet of their own (`separate`), into the exercise itself (`embedded`), or nowhere (`none`). One
    that is `gathered` writes all forms of an exercise as one file, by `render_forms`; one that can
    have sheets `together` writes many as one file to print, by `render_together`; one that is
    `packed` writes a package of several, by `files_of`. One that is `pictured` has all
    pictures of a page without being asked for them. `detail` is how closely a page is told in
    it if nothing is said, None if that is as it fits. In one that is `checking` sheets check
    themselves. `package` is the one that it takes besides those that are always there. One
    with `values_only` can leave all texts out, in one that is `changing` a reader can change
    numbers. A platform may round what is typed to some `decimals`."""

    keys: tuple[str, ...] = ("embedded", "none", "separate")
    fragment: bool = False
    self_keyed: bool = False
    share: int | None = None
    hints: str = "separate"
    gathered: bool = False
    together: bool = False
    packed: bool = False
    pictured: bool = False
    detail: str | None = None
    checking: bool = False
    package: str = ""
    values_only: bool = False
    changing: bool = False
    decimals: int | None = None


class RenderOptions(NamedTuple):
    """The width in terminal cells, whether colours are wanted, whether only a fragment is: what
    goes into a document of one's own; whether looks and scripts stand in files beside it, for pages
    that share them; whether values are wanted without texts; and whether the page is served, and
    worked again by whoever serves it."""

    width: int = 80
    colour: bool = False
    fragment: bool = False
    shared: bool = False
    values_only: bool = False
    served: bool = False


_FOLDERS = ("pages", "binary", "pictures", "exercises")
_WITHOUT_PAPERS = ("npz", "safetensors", "xlsx")
"""Formats of pages that nobody writes a sheet in; named here, so that help needs no module."""


def format_names() -> list[str]:
    """The names of the formats of all documents, the terminal's first."""
    found = _modules("pages")
    return ["terminal", *(name for name in found if name != "terminal")]


def picture_format_names() -> list[str]:
    """The names of the formats that have nothing but the pictures of a page."""
    return _modules("pictures")


def binary_format_names() -> list[str]:
    """The names of the formats of pages whose files are no text."""
    return _modules("binary")


def page_format_names() -> list[str]:
    """The names of the formats of pages, and of those of their pictures alone."""
    return [*format_names(), *binary_format_names(), *picture_format_names()]


def paper_format_names() -> list[str]:
    """The names of the formats of exercises: those of pages, then those that are only for them."""
    printed = [name for name in binary_format_names() if name not in _WITHOUT_PAPERS]
    return [*format_names(), *printed, *exercise_format_names()]


def exercise_format_names() -> list[str]:
    """The names of the formats that are only for exercises."""
    return _modules("exercises")


@cache
def _modules(folder: str) -> list[str]:
    """What a folder has; a name with an underscore before it is no format's."""
    files = (Path(__file__).parent / folder).iterdir()
    return sorted(file.stem for file in files if file.suffix == ".py" and file.stem[0] != "_")


def module_of(form: str) -> ModuleType:
    """The module of a format by its name."""
    folder = next((text for text in _FOLDERS if form in _modules(text)), "pages")
    return import_module(f"{__name__}.{folder}.{form}")


def info_of(form: str) -> FormatInfo:
    """What a format can do, by its name."""
    return getattr(module_of(form), "ABILITIES", FormatInfo())


def can_be_written(form: str) -> bool:
    """Whether the package is there that a format takes."""
    package = info_of(form).package
    return not package or find_spec(package) is not None


def render(document: Document, form: str, page: RenderOptions) -> str:
    """The document in a format by its name."""
    return str(module_of(form).render(document, page))


def contents_of(document: Document, form: str, page: RenderOptions) -> str | bytes:
    """What a file of the document has, in any format."""
    if form in binary_format_names():
        return _bytes_of([document], form, page)
    return str(module_of(form).render(document, page))


def stream_of(document: Document, form: str, page: RenderOptions) -> str | bytes | Iterable[str]:
    """The same; in pieces, once, in a format that has large files so."""
    in_pieces = getattr(module_of(form), "in_pieces", None)
    if in_pieces is None:
        return contents_of(document, form, page)
    pieces: Iterable[str] = in_pieces(document, page)
    return pieces


def _bytes_of(documents: Sequence[Document], form: str, page: RenderOptions) -> bytes:
    data: bytes = module_of(form).bytes_of(documents, page)
    return data


def render_forms(documents: Sequence[Document], form: str, page: RenderOptions) -> str:
    """All forms of an exercise as one file, in a format that has them so."""
    return str(module_of(form).render_forms(documents, page))


def render_together(documents: Sequence[Document], form: str, page: RenderOptions) -> str | bytes:
    """Sheets as one file to print, in a format that can have them so."""
    if form in binary_format_names():
        return _bytes_of(documents, form, page)
    return str(module_of(form).render_together(documents, page))


def files_of(documents: Sequence[Document], form: str, page: RenderOptions) -> Mapping[str, str]:
    """All forms of an exercise as the files of a package, in a format that has them so."""
    files: Mapping[str, str] = module_of(form).files_of(documents, page)
    return files


def summary_line(name: Word, spans: Spans) -> str:
    """One line of plain text about a file."""
    from attncli.document.blocks import text_of_spans

    return text_of_spans((name, ": ok: ", *spans))


def suffixes_of(form: str) -> tuple[str, ...]:
    """How the names of a format's files end, the usual one first."""
    suffixes: tuple[str, ...] = module_of(form).SUFFIXES
    return suffixes
