"""The student's sheet: the exercise without any answer."""

from __future__ import annotations

from typing import Any

from attncli.arithmetic.expression import Blank, Node, with_each
from attncli.document import Document, Section, WordBlank, each
from attncli.questions import Question
from attncli.tables import MatrixBlock
from attncli.word import Word


def sheet_of(whole: Document) -> Document:
    """The exercise without any answer, key or solution."""
    assert whole.paper is not None
    return whole._replace(
        sections=tuple(map(_unanswered_section, whole.sections)),
        given=_unanswered(whole.given),
        opening=_unanswered(tuple(each(whole.opening))),
        paper=whole.paper._replace(kind="sheet", command=Word("")),
    )


def _unanswered_section(section: Section) -> Section:
    return section._replace(
        blocks=_unanswered(tuple(each(section.blocks))),
        questions=tuple(Question(one.id, one.points) for one in section.questions),
        solution=(),
    )


def _unanswered(part: Any) -> Any:  # noqa: ANN401
    """Blocks, or whatever they are made of, with nothing behind their blanks."""
    match part:
        case str():
            return part
        case Node():
            return with_each(part, Blank, lambda blank: Blank(blank.id))
        case WordBlank():
            return part._replace(answer=None)
        case MatrixBlock():
            matrix = part.matrix.without(part.blanks) if part.blanks else part.matrix
            return part._replace(matrix=matrix)
        case tuple():
            parts = map(_unanswered, part)
            return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
        case _:
            return part
