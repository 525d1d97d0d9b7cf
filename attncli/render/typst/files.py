"""Whole files: what lays a page out, the colours, then the pieces of each document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files

from attncli.document import Document
from attncli.notation.typst import literal
from attncli.notation.words import visible
from attncli.questions import OWN_FORM
from attncli.render.colours import INKS, LIGHT
from attncli.render.typst.blocks import WRITERS, TypstSetting
from attncli.render.typst.text import characters, listed, text, word
from attncli.render.writers import lists_in_columns, pieces_of, with_tables_together, written

_SHEETS = ("exercise", "sheet")


def file(documents: Sequence[Document]) -> str:
    """Documents one after the other, each with pages of its own."""
    layout = (files("attncli.render.typst") / "page.typ").read_text(encoding="utf-8")
    title = literal(characters(visible(documents[0].title)))
    head = f"#set document(title: {title}, date: none)\n"
    leaves = (leaf for document in documents for leaf in _leaves(document))
    return "\n".join([_colours(), layout, head, *map(_leaf, leaves)]) + "\n"


def _leaves(document: Document) -> Iterator[Document]:
    """The document, and its key behind it."""
    yield document._replace(key=None)
    if document.key is not None:
        yield from _leaves(document.key)


def _leaf(document: Document) -> str:
    """The pages of a document, with what stands at the foot of each."""
    paper = document.paper
    is_sheet = paper is not None and paper.kind in _SHEETS
    dense = str(is_sheet and paper is not None and paper.layout == "compact").lower()
    setting = TypstSetting(not is_sheet)
    pieces = with_tables_together(lists_in_columns(pieces_of(document)))
    body = "\n".join(written(pieces, WRITERS, setting))
    language = literal("en" if paper is None else paper.language)
    told = f"{word(document.title)}, {_made_from(document)}, {language}, {dense}"
    return f"#leaf({told}, {{\n{body}\n}})"


def _made_from(document: Document) -> str:
    """Which form a paper is, and what it was made from."""
    paper = document.paper
    if paper is None:
        return "none"
    one_form = paper.words.paper.one_form.format(form=paper.form)
    form = "" if paper.form == OWN_FORM else f"{one_form} · "
    return text(f"{form}{paper.hash}")


def _colours() -> str:
    inks = "".join(f"{literal(name)}: rgb({literal(ink)}), " for name, ink in INKS.items())
    shades = listed(
        f"(rgb({literal(one.background)}), rgb({literal(one.text)}))" for one in LIGHT.shades
    )
    return f"#let inks = ({inks})\n#let shades = {shades}\n#let aside = rgb({literal(LIGHT.aside)})"
