"""From a document to one format, a module that is found by its entry point.

The groups are those of pages, `attncli.formats`, and `attncli.formats.binary` where their files are
no text; of data, `attncli.formats.data`, in which nobody writes a sheet; of pictures,
`attncli.formats.pictures`, which have nothing but those of a page; and of exercises,
`attncli.formats.exercises`.

Each has `render(document, page) -> str`, `render_forms(documents, page) -> str` too where all forms
of an exercise go into one file, and the `SUFFIXES` of its files; `ABILITIES`, where it can more or
less than others; `in_pieces(document, page) -> Iterator[str]`, where its files may be too large to
be a whole text. A binary one has `bytes_of(documents, page) -> bytes` in place of these, and
`together(made, document) -> bytes` where it puts sheets together to one file to print.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from attncli.option_values import Pictures
from attncli.plugins import FORMATS, plugins

if TYPE_CHECKING:
    from attncli.document.blocks import Document, Spans
    from attncli.names import Word


class PaperAbilities(NamedTuple):
    """A format's abilities with the papers of an exercise."""

    keys: tuple[str, ...] = ("embedded", "none", "separate")
    """The places where the key may go, the usual one first."""
    self_keyed: bool = False
    """Whether it writes sheet and key as one source, from the exercise itself."""
    hints: str = "separate"
    """Where hints go: on a sheet of their own (`separate`), into the exercise itself (`embedded`),
    or nowhere (`none`)."""
    share: int | None = None
    """What a known mistake earns if nothing is said, in per cent; None if none is looked for."""
    decimals: int | None = None
    """The decimals to which a platform may round what is typed; None if it doesn't."""
    checking: bool = False
    """Whether sheets check themselves in it."""
    gathered: bool = False
    """Whether it writes all forms of an exercise as one file, by `render_forms`."""
    together: bool = False
    """Whether it can write many sheets as one file to print, by `render_together`."""
    packed: bool = False
    """Whether it writes a package of several files, by `files_of`."""
    draws: str = ""
    """What a platform draws by itself: from categories of `questions` where a teacher says so, or
    `items`, or items of single `blanks`; empty if nothing."""


class FormatInfo(NamedTuple):
    """A format's abilities: what can be asked of it, and what it does if nothing is said."""

    papers: PaperAbilities = PaperAbilities()
    """What it can do with the papers of an exercise."""
    fragment: bool = False
    """Whether its pages go without a preamble."""
    pictures: Pictures = Pictures.NONE
    """Which pictures of a page it has without being asked for them."""
    detail: str | None = None
    """How closely a page is told if nothing is said; None if that is as it fits."""
    values_only: bool = False
    """Whether it can leave all texts out."""
    changing: bool = False
    """Whether a reader can change numbers in it."""
    printed: bool = False
    """Whether its pages are for paper or a wall, where nobody types a command."""
    slides: bool = False
    """Whether it can break a page a step, as wide as a projector's."""
    products: bool = False
    """Whether it lays products of matrices out as on paper; else it is given their lines."""
    package: str = ""
    """The package that it takes besides those that are always there."""


class RenderOptions(NamedTuple):
    """A writer's settings: how a page is to be written, whatever stands on it."""

    width: int = 80
    """The width in terminal cells."""
    colour: bool = False
    """Whether colours are wanted."""
    fragment: bool = False
    """Whether only a fragment is wanted, which goes into a document of one's own."""
    shared: bool = False
    """Whether looks and scripts stand in files beside it, for pages that share them."""
    values_only: bool = False
    """Whether values are wanted without texts."""
    served: bool = False
    """Whether the page is served, and worked again by whoever serves it."""
    slides: bool = False
    """Whether each section begins a page that is as wide as a projector's."""


def format_names() -> list[str]:
    """Lists the names of the formats of all documents, the terminal's first."""
    return [*plugins(FORMATS)]


def picture_format_names() -> list[str]:
    """Lists the names of the formats that have nothing but the pictures of a page."""
    return [*plugins(f"{FORMATS}.pictures")]


def binary_format_names() -> list[str]:
    """Lists the names of the formats of pages whose files are no text."""
    return sorted({**plugins(f"{FORMATS}.binary"), **plugins(f"{FORMATS}.data")})


def page_format_names() -> list[str]:
    """Lists the names of the formats of pages, and of those of their pictures alone."""
    return [*format_names(), *binary_format_names(), *picture_format_names()]


def paper_format_names() -> list[str]:
    """Lists the names of the formats of exercises: those of pages, then those that are only for
    exercises."""
    return [*format_names(), *plugins(f"{FORMATS}.binary"), *exercise_format_names()]


def exercise_format_names() -> list[str]:
    """Lists the names of the formats that are only for exercises."""
    return [*plugins(f"{FORMATS}.exercises")]


def module_of(form: str) -> ModuleType:
    """Imports the module of a format by its name. Raises ValueError where there is none."""
    known = (plugins(f"{FORMATS}{kind}") for kind in _KINDS)
    found = next((kind[form] for kind in known if form in kind), None)
    if found is None:
        raise ValueError(f"there is no format {form!r}")
    module: ModuleType = found.load()
    return module


_KINDS = ("", ".binary", ".data", ".pictures", ".exercises")
"""What the names of groups of formats end with."""


def info_of(form: str) -> FormatInfo:
    """Finds what a format can do, by its name."""
    return getattr(module_of(form), "ABILITIES", FormatInfo())


def can_be_written(form: str) -> bool:
    """Tells whether the package is there that a format takes."""
    package = info_of(form).package
    return not package or find_spec(package) is not None


def render(document: Document, form: str, page: RenderOptions) -> str:
    """Renders the document in a format by its name."""
    return str(module_of(form).render(_as_told_in(form, document), page))


def _as_told_in(form: str, document: Document) -> Document:
    """Returns the document as a format has it: with the lines of products that it doesn't lay
    out."""
    return document if info_of(form).products else document.in_lines


def contents_of(document: Document, form: str, page: RenderOptions) -> str | bytes:
    """Returns what a file of the document has, in any format."""
    if form in binary_format_names():
        return _bytes_of([document], form, page)
    return render(document, form, page)


def stream_of(document: Document, form: str, page: RenderOptions) -> str | bytes | Iterable[str]:
    """Returns what a file of the document has; in pieces, once, in a format that has large files
    so."""
    in_pieces = getattr(module_of(form), "in_pieces", None)
    if in_pieces is None:
        return contents_of(document, form, page)
    pieces: Iterable[str] = in_pieces(_as_told_in(form, document), page)
    return pieces


def _bytes_of(documents: Sequence[Document], form: str, page: RenderOptions) -> bytes:
    told = [_as_told_in(form, document) for document in documents]
    data: bytes = module_of(form).bytes_of(told, page)
    return data


def render_forms(documents: Sequence[Document], form: str, page: RenderOptions) -> str:
    """Renders all forms of an exercise as one file, in a format that has them so."""
    told = [_as_told_in(form, document) for document in documents]
    return str(module_of(form).render_forms(told, page))


def render_together(
    documents: Sequence[Document], made: Sequence[str | bytes], form: str, page: RenderOptions
) -> str | bytes:
    """Renders sheets as one file to print, in a format that can have them so. `made` is what
    `contents_of` makes of each: one of bytes puts these together."""
    module = module_of(form)
    if form in binary_format_names():
        return bytes(module.together(made, documents[0]))
    told = [_as_told_in(form, document) for document in documents]
    return str(module.render_together(told, page))


def files_of(documents: Sequence[Document], form: str, page: RenderOptions) -> Mapping[str, str]:
    """Returns all forms of an exercise as the files of a package, by their names, in a format that
    has them so."""
    told = [_as_told_in(form, document) for document in documents]
    files: Mapping[str, str] = module_of(form).files_of(told, page)
    return files


def summary_line(name: Word, spans: Spans) -> str:
    """Returns one line of plain text about a file."""
    from attncli.document.blocks import text_of_spans

    return text_of_spans((name, ": ok: ", *spans))


def suffixes_of(form: str) -> tuple[str, ...]:
    """Lists how the names of a format's files end, the usual one first."""
    suffixes: tuple[str, ...] = module_of(form).SUFFIXES
    return suffixes
