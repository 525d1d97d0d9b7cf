"""Packages of files as text, which is what is shown of them where they go to no file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attncli.document import Document
from attncli.render.page import Page


def told_by(
    files_of: Callable[[Sequence[Document], Page], Mapping[str, str]],
) -> tuple[Callable[[Document, Page], str], Callable[[Sequence[Document], Page], str]]:
    """What renders one form and all forms: the files of their package, one after the other, each
    under its name."""

    def render_forms(documents: Sequence[Document], page: Page) -> str:
        files = files_of(documents, page)
        return "".join(f"----- {name}\n{text}" for name, text in files.items())

    def render(document: Document, page: Page) -> str:
        return render_forms([document], page)

    return render, render_forms
