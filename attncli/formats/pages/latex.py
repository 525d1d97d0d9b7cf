"""LaTeX with amsmath and booktabs: an article, an exam of the class `exam`, or a fragment."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.document.blocks import Document
from attncli.formats import FormatInfo, PaperAbilities, RenderOptions

SUFFIXES = (".tex",)

ABILITIES = FormatInfo(
    PaperAbilities(self_keyed=True, together=True), fragment=True, printed=True, products=True
)


def render(document: Document, page: RenderOptions) -> str:
    """Writes the document as a LaTeX file; the page's width plays no part."""
    from attncli.formats.tex.documents import file

    return file(document, fragment=page.fragment)


def render_together(documents: Sequence[Document], page: RenderOptions) -> str:  # noqa: ARG001
    """Writes sheets as one LaTeX file."""
    from attncli.formats.tex.documents import together

    return together(documents)
