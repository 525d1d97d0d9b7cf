"""A format: the terminal's page in capitals."""

from attncli.document.blocks import Document
from attncli.formats import RenderOptions
from attncli.formats.pages import terminal

SUFFIXES = (".loud",)


def render(document: Document, page: RenderOptions) -> str:
    """Writes a page in capitals."""
    return terminal.render(document, page._replace(colour=False)).upper()
