"""PDF: pages, sheets, keys and marked papers, laid out by Typst."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from attncli.document.blocks import Document
from attncli.errors import UserError
from attncli.formats import FormatInfo, PaperAbilities, RenderOptions
from attncli.option_values import Pictures

if TYPE_CHECKING:
    from typst import Compiler

SUFFIXES = (".pdf",)
ABILITIES = FormatInfo(
    PaperAbilities(together=True),
    pictures=Pictures.ONE,
    printed=True,
    slides=True,
    products=True,
    package="typst",
)

_GET = "pip install 'attncli[pdf]'"
_SUSPECTS = b"/Suspects false"
"""What a PDF need not say, and poppler's tools complain of (they take any `false` there for an
error); blanks in its place keep all else where it is."""
_PAGES = re.compile(rb"/Type/Pages/Count (\d+)")


class NoTypstError(UserError):
    """A fault: the package that lays out pages isn't there, or is too old."""


def bytes_of(documents: Sequence[Document], page: RenderOptions) -> bytes:
    """Lays out a document; the page's width plays no part. The same document is the same bytes:
    there is no date in it, and nothing of this machine.

    Raises NoTypstError.
    """
    from attncli.formats.typst.blocks import file

    (document,) = documents
    return _setter().pages(file(document, slides=page.slides))


def together(papers: Sequence[bytes], first: Document) -> bytes:
    """Puts papers, the first of which is made of a document, into one PDF, each from a right-hand
    page on for those who print on both sides. They stay as they are: laid out again, all of them
    would take as long as each by itself."""
    return _setter().together(papers, first)


class _Setter:
    """A compiler of Typst's in an empty folder, the only one that it may read from.

    It keeps what it has laid out: a paper that differs from one before in a name takes a tenth of
    the time.
    """

    def __init__(self, kind: Callable[..., Compiler]) -> None:
        self._kind, self._folder = kind, TemporaryDirectory()
        self._compiler = self._in_folder()

    def _in_folder(self) -> Compiler:
        empty = self._folder.name
        return self._kind(
            b"",
            root=empty,
            package_path=empty,
            package_cache_path=empty,
            ignore_system_fonts=True,
        )

    def pages(self, source: str) -> bytes:
        """Lays out a source as a PDF."""
        return self._laid_out(self._compiler, source)

    def together(self, papers: Sequence[bytes], first: Document) -> bytes:
        """Puts papers into one PDF, page by page."""
        from attncli.formats.typst.blocks import printed

        names = [f"{k}.pdf" for k in range(len(papers))]
        for name, paper in zip(names, papers, strict=True):
            (Path(self._folder.name) / name).write_bytes(paper)
        counts = [int(found[1]) for paper in papers if (found := _PAGES.search(paper))]
        try:
            return self._laid_out(self._in_folder(), printed(names, counts, first))
        finally:
            for name in names:
                (Path(self._folder.name) / name).unlink()

    @staticmethod
    def _laid_out(compiler: Compiler, source: str) -> bytes:
        with _new_enough():  # the time isn't asked for, which must not be before 1970
            data = compiler.compile(source.encode(), format="pdf", timestamp=0)
        assert isinstance(data, bytes)
        return data.replace(_SUSPECTS, b" " * len(_SUSPECTS))


@contextmanager
def _new_enough() -> Iterator[None]:
    """Turns the fault of an argument that Typst doesn't know into NoTypstError."""
    try:
        yield
    except TypeError:
        raise NoTypstError.of("--format pdf", "the package typst is too old", _GET) from None


def _setter() -> _Setter:
    """Returns what lays pages out. Raises NoTypstError."""
    try:
        from typst import Compiler
    except ImportError:
        wrong = "it needs the package typst, which is not installed"
        raise NoTypstError.of("--format pdf", wrong, _GET) from None
    with _new_enough():
        return _setter_of(Compiler)


_setter_of = cache(_Setter)
"""The one of this process."""
