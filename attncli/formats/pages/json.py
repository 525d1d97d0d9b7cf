"""One JSON object, in pieces: the quantities of each step, numbers in full and as printed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from attncli.document import blocks as doc
from attncli.document.blocks import Block, Document, each, rule_for, text_of_spans
from attncli.document.grid import called
from attncli.document.pictures import (
    PICTURES,
    Arrow,
    Bars,
    Box,
    Curves,
    Diagram,
    HeatMaps,
    Link,
    Pixels,
    Plane,
)
from attncli.document.questions import Item, Paper, plain_points
from attncli.document.tables import Branch, DataTable, MarkedNumber, MatrixBlock, SideBySide
from attncli.formats import FormatInfo, RenderOptions
from attncli.formats.bare_quantities import made_in, tables_in
from attncli.formats.numbers import text_of
from attncli.maths.equations.elision import MOST_PARTS
from attncli.maths.equations.tree import (
    Blank,
    Equation,
    Expression,
    Node,
    Number,
    Omitted,
    Sum,
    Symbol,
    with_each,
)
from attncli.maths.notation import plain, unbreakable
from attncli.maths.notation.escaping import harmless_json
from attncli.maths.notation.rows import plain_rows
from attncli.names import Word, raw
from attncli.option_values import LANGUAGES

SUFFIXES = (".json",)
ABILITIES = FormatInfo(detail="full", values_only=True)


@dataclass(frozen=True)
class LazyRows:
    """A list of rows of numbers or of their texts, each as JSON, which are made when they are
    written."""

    begin: Callable[[], Iterator[str]]


def pieces(value: object, indent: str = "") -> Iterator[str]:
    """Yields JSON with a line for each key and each row of numbers."""
    deeper = indent + "  "
    match value:
        case LazyRows(begin):
            yield from _inside("[]", ([row] for row in begin()), indent)
        case {**entries}:
            items = (_entry(str(key), part, deeper) for key, part in entries.items())
            yield from _inside("{}", items, indent)
        case [*rows] if any(isinstance(row, list | dict) for row in rows):
            yield from _inside("[]", (pieces(row, deeper) for row in rows), indent)
        case _:
            yield harmless_json(written(value))


def _entry(key: str, value: object, indent: str) -> Iterator[str]:
    yield f"{json.dumps(key)}: "
    yield from pieces(value, indent)


def _inside(brackets: str, items: Iterable[Iterable[str]], indent: str) -> Iterator[str]:
    """Yields items a line each, in brackets; where there are none, these alone."""
    before = brackets[0]
    for item in items:
        yield f"{before}\n{indent}  "
        yield from item
        before = ","
    yield brackets if before == brackets[0] else f"\n{indent}{brackets[1]}"


def written(value: object) -> str:
    """Writes any value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


SENTENCES = frozenset({"about", "text", "says", "title", "formula", "notes", "command"})
"""What is said for people."""
OF_QUANTITIES = ("variant", "rows", "columns", "tokens", "values", "source")


def values_alone(page: Mapping[str, object]) -> dict[str, object]:
    """Returns what is left of a page where only values are wanted; it keeps its title."""
    return {key: page[key] if key == "title" else _alone(page[key]) for key in _kept(page, "title")}


def _alone(value: object) -> object:
    if isinstance(value, list):
        return [*map(_alone, value)]
    if not isinstance(value, Mapping):
        return value
    if "attncli" in value:  # the key behind a sheet
        return values_alone(value)
    if "name" in value and ("rows" in value or "shape" in value):
        return _quantity(value)
    kept = {key: _alone(value[key]) for key in _kept(value)}
    if kept.get("quantities"):  # whose numbers are what their working comes to
        kept.pop("working", None)
    return kept


def _kept(data: Mapping[str, object], *also: str) -> list[str]:
    return [key for key in data if key not in SENTENCES or key in also]


def _quantity(quantity: Mapping[str, object]) -> dict[str, object]:
    shape = quantity["shape"] if "shape" in quantity else _shape(quantity)
    kept = {key: quantity[key] for key in OF_QUANTITIES if key in quantity}
    return {"name": quantity["name"], "shape": shape, **kept}


def _shape(quantity: Mapping[str, Any]) -> list[int]:
    counts = [len(quantity["rows"]), len(quantity["columns"])]
    return counts if isinstance(quantity["values"], LazyRows) else counts[:1]


_Data = dict[str, object]


def pictures_as_data(blocks: Iterable[Block]) -> Iterator[_Data]:
    """Yields the pictures among blocks. Heat maps name their quantities, whose numbers the page
    has."""
    for block in each(blocks):
        if isinstance(block, PICTURES):
            yield rule_for(block, _WRITERS, "data")(block)


def _maps(picture: HeatMaps) -> _Data:
    names = [str(table.quantity or table.name) for _, table in picture.maps]
    return {"kind": "heat maps", "title": raw(picture.title), "quantities": names}


def _bars(picture: Bars) -> _Data:
    return {"kind": "bars", **_series_of(picture)}


def _curves(picture: Curves) -> _Data:
    more = {"axis": picture.axis, "logarithmic": picture.logarithmic}
    return {"kind": "curves", **_series_of(picture), **more}


def _series_of(picture: Bars | Curves) -> _Data:
    return {
        "title": raw(picture.title),
        "labels": [raw(label) for label in picture.labels],
        "series": [{"name": raw(s.name), **_numbers(s.numbers)} for s in picture.series],
    }


def _numbers(numbers: Iterable[Number]) -> _Data:
    """Returns numbers as data, with null for −∞, which JSON has no number for."""
    row = [*numbers]
    values = [float(n.full) for n in row]
    finite = [value + 0.0 if math.isfinite(value) else None for value in values]
    return {"values": finite, "text": [plain(n) for n in row]}


def _plane(picture: Plane) -> _Data:
    groups = [
        {"name": raw(group.name), "arrows": [_arrow(arrow) for arrow in group.arrows]}
        for group in picture.groups
    ]
    return {"kind": "plane", "title": raw(picture.title), "groups": groups}


def _arrow(arrow: Arrow) -> _Data:
    start = {} if arrow.start is None else {"start": _numbers(arrow.start)}
    return {"label": raw(arrow.label), **start, **_numbers(arrow.end)}


def _pixels(picture: Pixels) -> _Data:
    patches = [{"name": raw(patch.name), **_numbers(patch.numbers)} for patch in picture.patches]
    return {"kind": "pixels", "title": raw(picture.title), "patches": patches}


def _diagram(picture: Diagram) -> _Data:
    return {
        "kind": "diagram",
        "title": raw(picture.title),
        "boxes": [_box(box) for box in picture.boxes],
        "links": [_link(link) for link in picture.links],
    }


def _box(box: Box) -> _Data:
    data = {"id": box.id, "label": raw(box.label), "below": raw(box.below)}
    frame = {"frame": box.frame} if box.frame else {}
    return {**data, "column": box.column, "row": box.row, "chosen": box.chosen, **frame}


def _link(link: Link) -> _Data:
    ends = {"from": link.source, "to": link.target}
    return {**ends, "label": raw(link.label), "chosen": link.chosen}


_WRITERS: Mapping[type, Callable[[Any], _Data]] = {
    HeatMaps: _maps,
    Bars: _bars,
    Curves: _curves,
    Plane: _plane,
    Pixels: _pixels,
    Diagram: _diagram,
}


def as_printed(document: Document) -> Document:
    """Returns the document without the digits behind those of its made numbers: in full, a sum
    could tell a term that is asked for. Raises TypeError for what is no block."""
    known = (s._replace(blocks=tuple(each(s.blocks))) for s in document.sections)
    opening = tuple(each(document.opening))
    return document._replace(sections=_printed(tuple(known)), opening=_printed(opening))


def _shown(number: Number) -> Number:
    return Number(number.shown, number.shown, number.cell, number.form)


def _printed(part: object) -> Any:  # noqa: ANN401
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


VERSION = 1


def render(document: doc.Document, page: RenderOptions) -> str:
    """Writes the document's numbers as JSON; the page's width plays no part."""
    return "".join(in_pieces(document, page))


def in_pieces(document: doc.Document, page: RenderOptions) -> Iterator[str]:
    """Yields the document's numbers as JSON in pieces, each made when it is asked for."""
    is_sheet = document.paper is not None and document.paper.kind == "sheet"
    shown = as_printed(document) if is_sheet else document
    data = _document(shown)
    yield from pieces(values_alone(data) if page.values_only else data)
    yield "\n"


TOLD_AS: Mapping[type, str] = {
    doc.DefinitionList: "rounding, paper",
    **dict.fromkeys((doc.Paragraph, doc.Bullets, doc.Callout), "text, findings, notes"),
    **dict.fromkeys((doc.Derivation, doc.ColumnSum), "working, mistakes"),
    **dict.fromkeys(
        (MatrixBlock, DataTable, SideBySide, doc.TextList), "given, quantities, variants"
    ),
    doc.Table: "tables",
    **dict.fromkeys(PICTURES, "pictures"),
    doc.WordBlank: "questions",
    **dict.fromkeys(
        (doc.Subheading, doc.Tree, doc.Graph, doc.Fields, doc.Figure, doc.AnswerSpace),
        "other blocks' data",
    ),
}
"""Where the data have what a block of a kind says. A block of any other kind is an error."""


def _document(document: doc.Document) -> dict[str, object]:
    closing = document.closing
    for _, blocks in document.parts:
        for block in doc.each(blocks):
            doc.rule_for(block, TOLD_AS, "JSON")
    data, key = document.data, document.answers.key
    if data.told:
        return {"attncli": VERSION, "title": document.title.raw, **data.told}
    return {
        "attncli": VERSION,
        "title": document.title.raw,
        **_paper(document.paper),
        **_unless_empty(answer=_answer(document.answer), about=_about(document)),
        "rounding": dict(data.rounding),
        "given": [_given(block, data.sources) for block in data.given],
        "steps": [_section(section) for section in document.sections],
        **data.ending,
        "notes": [_text_of(block.text) for block in closing if isinstance(block, doc.Callout)],
        **_unless_empty(
            pictures=[*pictures_as_data((*document.opening, *closing))],
            working=[*_working(closing)],
            tables=[_table(block) for block in closing if isinstance(block, doc.Table)],
            variants=[*map(_matrix, _of_variants(closing))],
            key={} if key is None else _document(key),
        ),
    }


def _answer(answer: doc.Answer | None) -> dict[str, object]:
    if answer is None:
        return {}
    cell, step = _unless_empty(cell=answer.address), _unless_empty(step=answer.step)
    return {"says": _text_of(answer.says), **cell, **step}


def _about(document: doc.Document) -> str:
    texts = [
        _text_of(block.text) if isinstance(block, doc.Paragraph)
        else f"{'; '.join(map(_text_of, block.items))}."
        for block in document.about if isinstance(block, doc.Paragraph | doc.Bullets)
    ]  # fmt: skip
    return " ".join(texts)


def _of_variants(closing: Iterable[doc.Block]) -> Iterator[MatrixBlock]:
    """Yields what is told of variants: their results as tables, other numbers in words."""
    for block in doc.each(closing):
        if isinstance(block, DataTable) and block.table.variant:
            yield block.table
        elif isinstance(block, MatrixBlock) and not block.given:
            yield block


def _unless_empty(**data: object) -> dict[str, object]:
    """Returns the entries that hold something."""
    return {key: value for key, value in data.items() if value}


def _paper(paper: Paper | None) -> dict[str, object]:
    if paper is None:
        return {}
    return {
        "kind": paper.kind,
        "form": paper.form,
        "hash": paper.hash,
        **_unless_empty(command=paper.command.raw),
        **({} if paper.language == LANGUAGES[0] else {"language": paper.language}),
        **(
            {}
            if paper.owner is None
            else {"student": {"name": raw(paper.owner.name), "id": raw(paper.owner.id)}}
        ),
        "points": plain_points(paper.points),
    }


def _text_of(spans: doc.Spans) -> str:
    return text_of_spans(spans, raw)


def _plain(node: Expression | Equation) -> str:
    return unbreakable(plain(node, raw))


def _section(section: doc.Section) -> dict[str, object]:
    data: dict[str, object] = {
        "step": section.own or section.step,
        **_unless_empty(path=section.path),
        "title": _text_of(section.title),
        "formula": ", ".join(map(_plain, section.formulas)),
        "quantities": [
            _list(t) if isinstance(t, doc.TextList) else _matrix(t) for t in made_in(section)
        ],
        "working": [*_working(section.blocks)],
    }
    if section.questions:
        data["starts_from"] = [
            _matrix(t)
            for t in tables_in(section.blocks)
            if isinstance(t, MatrixBlock) and t.made_in != section.step
        ]
        data["questions"] = [_question(question, section) for question in section.questions]
    wrong, texts = [*_mistakes(section.blocks)], [*_sentences(section.blocks)]
    pictures = [*pictures_as_data(section.blocks)]
    found = [] if section.formulas else [*_findings(section.blocks)]
    return {**data, **_unless_empty(mistakes=wrong, text=texts, findings=found, pictures=pictures)}


def _question(question: Item, section: doc.Section) -> dict[str, object]:
    data: dict[str, object] = {"id": question.id, "points": plain_points(question.points)}
    key, words = (
        question.key,
        (block for block in section.blocks if isinstance(block, doc.WordBlank)),
    )
    data |= next((_asked(blank) for blank in words if blank.id == question.id), {})
    if question.words is not None:
        right = [answer.raw for answer in question.words.answers]
        return {**data, "answer": question.words.answer.raw, "right": right}
    if key is None:
        return data
    policies = {"carry": key.carry, "exact": key.exact}
    return {
        **data,
        "answer": text_of(key.number),
        **{end: str(number) for end, number in key.accepted._asdict().items()},
        **{name: None if x is None else text_of(x) for name, x in policies.items()},
        "mistakes": [
            {"name": slip.name, "says": slip.says, "figure": text_of(slip.number)}
            for slip in key.slips
        ],
    }


def _asked(block: doc.WordBlank) -> dict[str, object]:
    """Returns how something is asked in words."""
    options = [option.raw for option in block.options]
    return {"text": _text_of(block.text), **_unless_empty(options=options)}


def _list(block: doc.TextList) -> dict[str, object]:
    rows = [name.raw for name in block.row_names]
    values = [value.raw if isinstance(value, Word) else value for value in block.values]
    text = [str(value) for value in values]
    return {"name": block.name, "rows": rows, "columns": [], "values": values, "text": text}


def _given(block: MatrixBlock, sources: Mapping[str, str]) -> dict[str, object]:
    """Returns a given matrix; of a large one that comes from elsewhere, what it is and how it
    begins."""
    source = sources.get(block.quantity)
    whose = {} if block.origin == "given" else {"origin": block.origin}
    if source is None:
        return {**_matrix(block), **whose}
    shape = list(block.matrix.shape)
    if max(shape) <= MOST_PARTS:
        return {**_matrix(block), "source": source, **whose}
    first = [text_of(block.matrix.number(0, j)) for j in range(min(3, shape[1]))]
    return {"name": block.quantity, "shape": shape, "source": source, "first": first, **whose}


def _matrix(block: MatrixBlock) -> dict[str, object]:
    block = block.as_data
    values, texts = (lambda: map(written, _values(block))), partial(_texts, block)
    return {
        "name": block.quantity or block.name,
        **_unless_empty(variant=block.variant),
        "rows": [block.names.rows[i].raw for i in block.rows],
        "columns": [name.raw for name in block.names.columns],
        **_unless_empty(tokens=[token.raw for token in block.names.tokens]),
        "values": [row[0] for row in _values(block)] if block.is_list else LazyRows(values),
        "text": [_text(block.entry(i, 0)) for i in block.rows]
        if block.is_list
        else LazyRows(texts),
    }


def _values(block: MatrixBlock) -> Iterator[list[float | None]]:
    """Yields the rows of numbers, with null for −∞, which JSON has no number for, and for what is
    to be filled in."""
    for i in block.rows:
        row = block.matrix.values[i] + 0.0  # no minus zero
        finite = row.tolist()
        if not np.isfinite(row).all():
            finite = [x if math.isfinite(x) else None for x in finite]
        yield finite


def _texts(block: MatrixBlock) -> Iterator[str]:
    """Yields the rows of numbers as they are printed, each as JSON; null for what is to be filled
    in."""
    columns = range(block.matrix.shape[1])
    if columns and not block.blanks and not np.isnan(block.matrix.values).any():
        return (f'["{row}"]' for row in plain_rows(block.matrix, block.rows, '", "'))
    return (written([_text(block.entry(i, j)) for j in columns]) for i in block.rows)


def _text(entry: Number | Blank) -> str | None:
    return None if isinstance(entry, Blank) else text_of(entry)


def _working(blocks: Iterable[doc.Block]) -> Iterator[dict[str, object]]:
    for block in doc.each(blocks):
        if isinstance(block, doc.Derivation) and not block.mistake:
            yield from _lines(block)
        elif isinstance(block, doc.ColumnSum):
            yield _addition(block)


def _mistakes(blocks: Iterable[doc.Block]) -> Iterator[dict[str, object]]:
    """Yields what common mistakes come to, apart from the working."""
    for block in doc.each(blocks):
        if isinstance(block, doc.Derivation) and block.mistake:
            yield from ({"name": block.mistake, **line} for line in _lines(block))


def _lines(block: doc.Derivation) -> Iterator[dict[str, object]]:
    return (_line(line) for line in block.lines if isinstance(line, doc.Line))


def _line(line: doc.Line) -> dict[str, object]:
    cell = _cell(line.label, line.quantity)
    parts = (f"{relation} {_plain(part)}" for relation, part in line.parts)
    data: dict[str, object] = {"cell": cell, "text": f"{cell} {' '.join(parts)}"}
    result = line.parts[-1][1]
    return {**data, "value": float(result.full)} if isinstance(result, Number) else data


def _cell(label: Symbol, quantity: str) -> str:
    """Writes the address of what is worked out, by its full name."""
    return _plain(Symbol(quantity or label.name, label.indices))


def _addition(block: doc.ColumnSum) -> dict[str, object]:
    cell = _cell(block.label, block.quantity)
    terms = (addend if isinstance(addend, Omitted) else addend[0] for addend in block.addends)
    products, total = _plain(Sum(tuple(terms))), _plain(block.total)
    return {"cell": cell, "text": f"{cell} = {products} {block.relation} {total}"}


def _sentences(blocks: Iterable[doc.Block]) -> Iterator[str]:
    """Yields what is said in words, where a section is a lesson."""
    for block in doc.each(blocks):
        if isinstance(block, doc.Bullets):
            yield from map(_text_of, block.items)
        elif not isinstance(block, doc.Subheading | doc.WordBlank):
            yield from (_text_of(text) for text in [getattr(block, "text", ())] if text)


def _findings(blocks: Iterable[doc.Block]) -> Iterator[dict[str, object]]:
    """Yields the names and numbers of what is listed in words, where these are no lesson's."""
    for item in (
        item for block in blocks if isinstance(block, doc.Bullets) for item in block.items
    ):
        names = [_text_of((span,)) for span in item if isinstance(span, doc.Term)]
        values = [float(span.full) for span in item if isinstance(span, Number)]
        if names or values:
            yield {"names": names, "values": values}


def _table(block: doc.Table) -> dict[str, object]:
    rows = [[*map(_cell_of_words, row)] for row in block.rows]
    table = {"headings": [*map(_cell_of_words, block.headings)], "rows": rows}
    first = [row[0] for row in block.rows]
    if not any(isinstance(entry, Branch) for entry in first):
        return table
    under = [(entry.above or None) if isinstance(entry, Branch) else None for entry in first]
    return {**table, "under": under}


def _cell_of_words(cell: doc.TableCell) -> str:
    if isinstance(cell, MarkedNumber):
        return cell.number.raw
    if isinstance(cell, Branch):
        return cell.name
    if isinstance(cell, Symbol):
        return raw(called(cell.name, cell.indices))
    return raw(cell) if isinstance(cell, Word | str) else str(cell)
