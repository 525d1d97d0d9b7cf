"""PDF: pages, sheets, keys and marked papers, laid out by Typst."""

from __future__ import annotations

from collections.abc import Sequence
from tempfile import TemporaryDirectory

from attncli.document.blocks import Document
from attncli.errors import UserError
from attncli.formats import FormatInfo, PaperAbilities, RenderOptions
from attncli.option_values import Pictures

SUFFIXES = (".pdf",)
ABILITIES = FormatInfo(
    PaperAbilities(together=True), pictures=Pictures.ONE, products=True, package="typst"
)


_GET = "pip install 'attncli[pdf]'"


class NoTypstError(UserError):
    """A fault: the package that lays out pages isn't there, or is too old."""


def bytes_of(documents: Sequence[Document], page: RenderOptions) -> bytes:  # noqa: ARG001
    """Lays out the documents as one file; the page's width plays no part. The same documents are
    the same bytes: there is no date in it, and nothing of this machine.

    Raises NoTypstError.
    """
    from attncli.formats.typst.blocks import file

    try:
        import typst
    except ImportError:
        wrong = "it needs the package typst, which is not installed"
        raise NoTypstError.of("--format pdf", wrong, _GET) from None
    with TemporaryDirectory() as empty:  # the only folder that Typst may read from
        source = file(documents).encode()
        try:
            compiler = typst.Compiler(
                source,
                root=empty,
                package_path=empty,
                package_cache_path=empty,
                ignore_system_fonts=True,
            )
            # the time isn't asked for, which must not be before 1970
            data = compiler.compile(format="pdf", timestamp=0)
        except TypeError:  # of an argument that it doesn't know
            raise NoTypstError.of("--format pdf", "the package typst is too old", _GET) from None
    assert isinstance(data, bytes)
    return data
