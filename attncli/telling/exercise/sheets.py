"""The student's sheet: the exercise without any answer."""

from __future__ import annotations

from attncli.arithmetic.expression import Blank, Expression, Omitted, Product, Vector, rewritten
from attncli.document import Addition, Block, Document, Line, MatrixBlock, Section, Working
from attncli.questions import Question


def sheet_of(whole: Document) -> Document:
    """The exercise without any answer, key or solution."""
    assert whole.paper is not None
    return whole._replace(
        sections=tuple(map(_unanswered_section, whole.sections)),
        given=tuple(map(_unanswered_table, whole.given)),
        opening=tuple(map(_unanswered, whole.opening)),
        paper=whole.paper._replace(kind="sheet"),
    )


def _unanswered_section(section: Section) -> Section:
    return section._replace(
        blocks=tuple(map(_unanswered, section.blocks)),
        questions=tuple(Question(id_, points) for id_, points, _ in section.questions),
        solution=(),
    )


def _unanswered(block: Block) -> Block:
    match block:
        case Working(lines):
            return Working(tuple(_unanswered_line(x) if isinstance(x, Line) else x for x in lines))
        case Addition():
            addends = tuple(map(_unanswered_addend, block.addends))
            return block._replace(addends=addends, total=_vector_without_answers(block.total))
        case MatrixBlock():
            return _unanswered_table(block)
        case _:
            return block


def _unanswered_line(line: Line) -> Line:
    return line._replace(parts=tuple((sign, _without_answers(part)) for sign, part in line.parts))


def _unanswered_addend(
    addend: tuple[Product, Vector] | Omitted,
) -> tuple[Product, Vector] | Omitted:
    if isinstance(addend, Omitted):
        return addend
    product, value = addend
    return Product(tuple(map(_without_answers, product.factors))), _vector_without_answers(value)


def _unanswered_table(block: MatrixBlock) -> MatrixBlock:
    return block._replace(matrix=block.matrix.without(block.blanks)) if block.blanks else block


def _vector_without_answers(vector: Vector) -> Vector:
    return Vector(tuple(map(_without_answers, vector.entries)))


def _without_answers(form: Expression) -> Expression:
    def change(node: Expression) -> Expression | None:
        return Blank(node.id) if isinstance(node, Blank) else None

    return rewritten(form, change)
