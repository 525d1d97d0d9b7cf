"""Objects that show themselves as text, and as HTML in a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, overload

from attncli.commands.output import format_named
from attncli.errors import Problem, Where

if TYPE_CHECKING:
    from attncli.document.blocks import Document

Binary = Literal["npz", "pdf", "safetensors", "xlsx"]
"""The formats whose files are no text."""


class Showable:
    """A result that is shown by a page, where it is a cell's last expression."""

    def document(self) -> Document:
        """Makes the page, before it has a format. Raises SelectionError."""
        raise NotImplementedError

    @overload
    def page(self, form: Binary, *, width: int = 80) -> bytes: ...  # type: ignore[overload-overlap]

    @overload
    def page(self, form: str = "terminal", *, width: int = 80) -> str: ...

    def page(self, form: str = "terminal", *, width: int = 80) -> str | bytes:
        """Writes the page in a format: `markdown`, `html`, `latex`, `json`, …; bytes of those whose
        files are no text, such as `pdf`. Raises ValueError."""
        return rendered(self.document(), form, width)

    def _repr_html_(self) -> str:
        from attncli.formats.html.webpage import framed

        return framed(self._as_text("html"), whole=self._is_whole)

    _is_whole = False
    """Whether it is all that there is to show."""

    def _repr_markdown_(self) -> str:
        return self._as_text("markdown")

    def _as_text(self, form: str) -> str:
        return str(rendered(self.document(), form, 80))

    def _repr_latex_(self) -> str | None:
        from attncli.formats.bare_quantities import mathematics_of

        return mathematics_of(self.document())


class ShownPart(Showable):
    """A step or a cell; `print` prints it as `attn run` does."""

    def __init__(self, page: Document, status: int = 0) -> None:
        """Keeps a page. `status` is 0, or what a command ends with that makes the page."""
        self._page, self.status = page, status

    def document(self) -> Document:
        return self._page

    def __str__(self) -> str:
        return self.page()

    def __repr__(self) -> str:
        headings = [f"{section.heading[-1]}" for section in self._page.sections]
        return f"<{', '.join(headings) or 'Given'}: print it, or ask for its page(…)>"


def rendered(document: Document, form: str, width: int) -> str | bytes:
    """Writes a document in a format. Raises ValueError for one that there isn't."""
    from attncli.formats import RenderOptions, contents_of

    return contents_of(document, format_named(form), RenderOptions(width))


@contextmanager
def as_arguments() -> Iterator[None]:
    """Complaints name arguments here, which are options on the command line."""
    from attncli.pages.parts.selection import SelectionError

    try:
        yield
    except SelectionError as error:
        entries = (map(_as_argument, (p.where.source, p.wrong, p.right)) for p in error.problems)
        problems = [Problem(Where(where), wrong, right) for where, wrong, right in entries]
        raise SelectionError(problems) from None


def _as_argument(text: str) -> str:
    return re.sub(r"(^|\s)--(?=[a-z])", r"\1", text)
