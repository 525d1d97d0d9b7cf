"""LaTeX with amsmath and booktabs: an article, an exam of the class `exam`, or a fragment."""

from __future__ import annotations

from attncli.document import Document
from attncli.render.page import Page

SUFFIXES = (".tex",)

HAS_FRAGMENT = True
"""Its pages can go without a preamble, into a document of one's own."""

SELF_KEYED = True
"""A sheet and its key are one file: whoever wants both renders the whole exercise, once."""


def render(document: Document, page: Page) -> str:
    """The document as a LaTeX file; the page's width plays no part."""
    from attncli.render.tex.files import file

    return file(document, fragment=page.fragment)
