"""What a page tells with the digits that it prints, and no others."""

from __future__ import annotations

from typing import Any

from attncli.arithmetic.expression import Node, Number, with_each
from attncli.document import Document, each
from attncli.tables import MatrixBlock


def as_printed(document: Document) -> Document:
    """The document without the digits behind those of its made numbers: in full, a sum could tell
    a term that is asked for. Raises TypeError for what is no block."""
    known = (one._replace(blocks=tuple(each(one.blocks))) for one in document.sections)
    opening = tuple(each(document.opening))
    return document._replace(sections=_printed(tuple(known)), opening=_printed(opening))


def _shown(number: Number) -> Number:
    return Number(number.shown, number.shown, number.cell, number.form)


def _printed(part: Any) -> Any:  # noqa: ANN401
    match part:
        case Node():
            return with_each(part, Number, _shown)
        case MatrixBlock():
            return part._replace(matrix=part.matrix.as_shown())
        case tuple():
            parts = map(_printed, part)
            return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
        case _:
            return part
