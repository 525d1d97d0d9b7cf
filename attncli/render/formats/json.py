"""One JSON object: the quantities of each step, numbers in full and as printed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attncli.arithmetic.expression import (
    MOST_PARTS,
    Blank,
    Equation,
    Expression,
    Number,
    Omitted,
    Sum,
    Symbol,
)
from attncli.document import (
    Addition,
    Block,
    Bullets,
    Document,
    MatrixBlock,
    Note,
    Prose,
    Section,
    SideBySide,
    Spans,
    Table,
    TextList,
    Working,
)
from attncli.document import Line as WorkingLine
from attncli.notation import plain, unbreakable
from attncli.notation.words import is_hidden
from attncli.questions import MistakenAnswer, Paper, Question
from attncli.render.numbers import text_of
from attncli.render.page import Page
from attncli.render.sentences import text_of_spans
from attncli.word import Word

SUFFIXES = (".json",)

VERSION = 1


def render(document: Document, page: Page) -> str:  # noqa: ARG001
    """The document's numbers as JSON; the page's width plays no part."""
    return _escaped(_pretty(_document(document))) + "\n"


def _document(document: Document) -> dict[str, Any]:
    return {
        "attncli": VERSION,
        "title": document.title.raw,
        **_paper(document.paper),
        "rounding": dict(document.rounding),
        "given": [_given(block, document.sources) for block in document.given],
        "steps": [_section(section) for section in document.sections],
        "notes": [*_notes(document.closing)],
        **_after(document.closing),
        **({} if document.key is None else {"key": _document(document.key)}),
    }


def _paper(paper: Paper | None) -> dict[str, Any]:
    if paper is None:
        return {}
    data = {
        "kind": paper.kind,
        "form": paper.form,
        "hash": paper.hash,
        "command": paper.command.raw,
    }
    return {**data, "points": paper.points}


def _pretty(value: Any, indent: str = "") -> str:  # noqa: ANN401
    """JSON with a line for each key and each row of numbers."""
    deeper = indent + "  "
    match value:
        case {**entries} if entries:
            items = [f"{json.dumps(key)}: {_pretty(v, deeper)}" for key, v in entries.items()]
            brackets = "{}"
        case [*rows] if any(isinstance(row, list | dict) for row in rows):
            items = [_pretty(row, deeper) for row in rows]
            brackets = "[]"
        case _:
            return json.dumps(value, ensure_ascii=False)
    inside = f",\n{deeper}".join(items)
    return f"{brackets[0]}\n{deeper}{inside}\n{indent}{brackets[1]}"


def _raw(word: Word) -> str:
    return word.raw


def _text_of(spans: Spans) -> str:
    return text_of_spans(spans, _raw)


def _plain(node: Expression | Equation) -> str:
    return unbreakable(plain(node, _raw))


def _escaped(text: str) -> str:
    """JSON with invisible characters as escapes; in it they can only stand inside strings."""
    return "".join(json.dumps(c)[1:-1] if c != "\n" and is_hidden(c) else c for c in text)


def _section(section: Section) -> dict[str, Any]:
    quantities = [_quantity(block) for block in _quantity_blocks(section)]
    data: dict[str, Any] = {
        "step": section.step,
        **({"path": section.path} if section.path else {}),
        "title": _text_of(section.title),
        "formula": ", ".join(map(_plain, section.formulas)),
        "quantities": quantities,
        "working": [*_working(section.blocks)],
    }
    if section.questions:
        data["starts_from"] = [_matrix(block) for block in _context(section)]
        data["questions"] = [_question(question) for question in section.questions]
    wrong = [*_mistakes(section.blocks)]
    told = [*_sentences(section.blocks)]
    return {**data, **({"mistakes": wrong} if wrong else {}), **({"text": told} if told else {})}


def _context(section: Section) -> Iterator[MatrixBlock]:
    """The tables that an exercise shows for its working to start from."""
    tables = (matrix for block in section.blocks for matrix in _matrices(block))
    return (table for table in tables if table.made_in != section.step)


def _question(question: Question) -> dict[str, Any]:
    data: dict[str, Any] = {"id": question.id, "points": question.points}
    key = question.key
    if key is None:
        return data
    policies = {"carry": key.carry, "exact": key.exact}
    return {
        **data,
        "answer": text_of(key.number),
        "low": str(key.low),
        "high": str(key.high),
        **{name: None if x is None else text_of(x) for name, x in policies.items()},
        "mistakes": [_slip(slip) for slip in key.slips],
    }


def _slip(slip: MistakenAnswer) -> dict[str, Any]:
    return {"name": slip.name, "says": slip.says, "figure": text_of(slip.number)}


def _quantity_blocks(section: Section) -> Iterator[MatrixBlock | TextList]:
    """The quantities that the section's own step made."""
    for block in section.blocks:
        if isinstance(block, TextList):
            yield block
            continue
        for matrix in _matrices(block):
            if matrix.made_in == section.step:
                yield matrix


def _matrices(block: Block) -> tuple[MatrixBlock, ...]:
    if isinstance(block, SideBySide):
        return tuple(matrix for _, matrix in block.columns)
    return (block,) if isinstance(block, MatrixBlock) else ()


def _quantity(block: MatrixBlock | TextList) -> dict[str, Any]:
    if isinstance(block, TextList):
        rows = [name.raw for name in block.row_names]
        values = [value.raw if isinstance(value, Word) else value for value in block.values]
        text = [str(value) for value in values]
        return {"name": block.name, "rows": rows, "columns": [], "values": values, "text": text}
    return _matrix(block)


def _given(block: MatrixBlock, sources: Mapping[str, str]) -> dict[str, Any]:
    """A given matrix; of a large one that comes from elsewhere, what it is and how it begins."""
    source = sources.get(block.quantity)
    if source is None:
        return _matrix(block)
    shape = list(block.matrix.shape)
    if max(shape) <= MOST_PARTS:
        return {**_matrix(block), "source": source}
    first = [text_of(block.matrix.number(0, j)) for j in range(min(3, shape[1]))]
    return {"name": block.quantity, "shape": shape, "source": source, "first": first}


def _matrix(block: MatrixBlock) -> dict[str, Any]:
    values = _finite((block.matrix.values[list(block.rows)] + 0.0).tolist())  # no minus zero
    columns = range(block.matrix.shape[1])
    text = [[_text(block.entry(i, j)) for j in columns] for i in block.rows]
    return {
        "name": block.quantity or block.name,
        "rows": [block.row_names[i].raw for i in block.rows],
        "columns": [name.raw for name in block.column_names],
        "values": [row[0] for row in values] if block.is_list else values,
        "text": [row[0] for row in text] if block.is_list else text,
    }


def _text(entry: Number | Blank) -> str | None:
    """A number as it is printed; null for what is to be filled in."""
    return None if isinstance(entry, Blank) else text_of(entry)


def _finite(rows: list[list[float]]) -> list[list[float | None]]:
    """Numbers with null for −∞, which JSON has no number for, and for what is to be filled in."""
    return [[x if math.isfinite(x) else None for x in row] for row in rows]


def _working(blocks: Iterable[Block]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        if isinstance(block, Working) and not block.mistake:
            yield from (_line(line) for line in block.lines if isinstance(line, WorkingLine))
        elif isinstance(block, Addition):
            yield _addition(block)


def _mistakes(blocks: Iterable[Block]) -> Iterator[dict[str, Any]]:
    """What common mistakes come to, apart from the working."""
    for block in blocks:
        if isinstance(block, Working) and block.mistake:
            lines = (line for line in block.lines if isinstance(line, WorkingLine))
            yield from ({"name": block.mistake, **_line(line)} for line in lines)


def _line(line: WorkingLine) -> dict[str, Any]:
    cell = _cell(line.label, line.quantity)
    parts = (f"{relation} {_plain(part)}" for relation, part in line.parts)
    data: dict[str, Any] = {"cell": cell, "text": f"{cell} {' '.join(parts)}"}
    result = line.parts[-1][1]
    return {**data, "value": float(result.full)} if isinstance(result, Number) else data


def _cell(label: Symbol, quantity: str) -> str:
    """The address of what is worked out, by its full name."""
    return _plain(Symbol(quantity or label.name, label.indices))


def _addition(block: Addition) -> dict[str, Any]:
    cell = _cell(block.label, block.quantity)
    terms = (addend if isinstance(addend, Omitted) else addend[0] for addend in block.addends)
    products, total = _plain(Sum(tuple(terms))), _plain(block.total)
    return {"cell": cell, "text": f"{cell} = {products} {block.relation} {total}"}


def _sentences(blocks: Iterable[Block]) -> Iterator[str]:
    """What is said in words, where a section is a lesson."""
    for block in blocks:
        if isinstance(block, Bullets):
            yield from map(_text_of, block.items)
        elif isinstance(block, Prose | Note):
            yield _text_of(block.text)


def _after(blocks: Sequence[Block]) -> dict[str, Any]:
    """What comes after the steps: tables of words, and results to compare."""
    tables = [_table(block) for block in blocks if isinstance(block, Table)]
    results = [
        _matrix(block) for block in blocks if isinstance(block, MatrixBlock) and not block.given
    ]
    lines = [*_working(blocks)]
    return {
        **({"working": lines} if lines else {}),
        **({"tables": tables} if tables else {}),
        **({"variants": results} if results else {}),
    }


def _table(block: Table) -> dict[str, Any]:
    rows = [[*map(_cell_of_words, row)] for row in block.rows]
    return {"headings": [*map(_cell_of_words, block.headings)], "rows": rows}


def _cell_of_words(cell: Word | str | Omitted) -> str:
    return cell.raw if isinstance(cell, Word) else str(cell)


def _notes(blocks: Iterable[Block]) -> Iterator[str]:
    return (_text_of(block.text) for block in blocks if isinstance(block, Note))
