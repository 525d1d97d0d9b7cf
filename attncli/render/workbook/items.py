"""What the sheets of a workbook have on them, from top to bottom: rows of text, and tables of
numbers that are worked there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from textwrap import wrap
from types import MappingProxyType
from typing import Any, NamedTuple

from attncli import document as doc
from attncli.arithmetic.expression import Expression, Omitted, leaves
from attncli.notation import plain
from attncli.notation.words import printed
from attncli.pictures import PICTURES, Picture
from attncli.render.grid import label_of
from attncli.render.pictures_in_tables import in_tables
from attncli.render.sentences import text_of_spans
from attncli.tables import Data, MatrixBlock, SideBySide, WorkedTable
from attncli.word import Word

_LONGEST_LINE = 90
_MOST_TERMS = 200_000
"""Numbers in the formulas of one table."""

Forms = Mapping[tuple[int, int], Expression | None]


class TextRow(NamedTuple):
    """A row of texts; of somebody's words, nothing is ever read as a formula."""

    cells: tuple[Word | str | int, ...]
    look: str = "text"


class NumberTable(NamedTuple):
    """A quantity whose cells are numbers or formulas; `rows` are those that are written. `notes`
    say what is not as in other tables; one that is `linked` has the numbers of the scenario's own
    pages, where these can be changed."""

    worked: WorkedTable
    rows: tuple[int, ...]
    forms: Forms = MappingProxyType({})
    notes: tuple[str, ...] = ()
    linked: bool = False

    @property
    def quantity(self) -> str:
        return self.worked.table.quantity

    @property
    def is_made(self) -> bool:
        """Whether it is worked from others."""
        return bool(self.worked.formulas)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), self.worked.table.matrix.shape[1]


Item = TextRow | NumberTable
Workings = Mapping[str, WorkedTable]


def items_of(blocks: Iterable[doc.Block], workings: Workings) -> Iterator[Item]:
    """What blocks come to. Raises TypeError for one of a kind that has no place in a workbook."""
    for block in blocks:
        yield from doc.rule_for(block, _WRITERS, "a workbook")(block, workings)


def table_of(worked: WorkedTable) -> NumberTable:
    """A quantity with all its rows."""
    return NumberTable(worked, tuple(range(worked.table.matrix.shape[0])))


def with_forms(item: Item) -> Item:
    """A table with what each of its cells is worked from, where that is not too much."""
    if not isinstance(item, NumberTable) or not item.is_made:
        return item
    first = item.worked.form(0, 0)
    terms = sum(1 for _ in leaves(first)) if first else 0
    count = item.worked.table.matrix.size
    if count * terms > _MOST_TERMS:
        note = (
            f"Worked by the program: {count:,} sums of {terms:,} numbers are too many for a sheet."
        )
        return item._replace(notes=(note,))
    cells = ((i, j) for i in item.rows for j in range(item.shape[1]))
    return item._replace(forms={cell: item.worked.form(*cell) for cell in cells})


def _told(quantities: Iterable[str], workings: Workings) -> Iterator[Item]:
    """The quantities that are worked in the workbook."""
    return (table_of(workings[name]) for name in quantities if name in workings)


def _matrix(block: MatrixBlock, workings: Workings) -> Iterator[Item]:
    for table in (block, *block.beside):
        if table.quantity in workings:
            yield from _told([table.quantity], workings)
        else:
            whole = table._replace(beside=(), turned=False)
            yield NumberTable(WorkedTable(whole, (), None, lambda *_: None), table.rows)


def _data(block: Data, workings: Workings) -> Iterator[Item]:
    """What is told otherwise; that of a variant stands on sheets of its own."""
    return iter(()) if block.table.variant else _matrix(block.table, workings)


def _side_by_side(block: SideBySide, workings: Workings) -> Iterator[Item]:
    if block.caption:
        yield TextRow((block.caption,), "subheading")
    for _, table in block.columns:
        yield from _matrix(table, workings)


def _working(block: doc.Working, workings: Workings) -> Iterator[Item]:
    """What lines work out; as texts, where that is worked by nobody else."""
    for line in block.lines:
        if isinstance(line, Omitted):
            continue
        if line.quantity in workings and not block.mistake:
            yield from _told([line.quantity], workings)
        else:
            told = " ".join(f"{relation} {plain(part)}" for relation, part in line.parts)
            yield TextRow((f"{plain(line.label)} {told}",))


def _addition(block: doc.Addition, workings: Workings) -> Iterator[Item]:
    if block.quantity in workings:
        yield from _told([block.quantity], workings)
        return
    parts = (one if isinstance(one, Omitted) else one[0] for one in block.addends)
    told = " + ".join(map(plain, parts))
    yield TextRow((f"{plain(block.label)} = {told} {block.relation} {plain(block.total)}",))


def _text(look: str, block: Any, _: Workings) -> Iterator[Item]:  # noqa: ANN401
    return paragraph(text_of_spans(block.text), look)


def paragraph(text: str, look: str = "text") -> Iterator[Item]:
    """A text on as many rows as it takes."""
    return (TextRow((line,), look) for line in wrap(text, _LONGEST_LINE))


def _bullets(block: doc.Bullets, _: Workings) -> Iterator[Item]:
    for one in block.items:
        yield from paragraph(f"• {text_of_spans(one)}")


def facts(block: doc.Facts, _: Workings) -> Iterator[Item]:
    """The name of each, and what it stands for on as many rows as it takes."""
    for name, told in block.rows:
        for k, line in enumerate(wrap(text_of_spans(told), _LONGEST_LINE) or [""]):
            yield TextRow((name if k == 0 else "", line), "fact")


def _table(block: doc.Table, _: Workings) -> Iterator[Item]:
    yield TextRow(tuple(map(label_of, block.headings)), "heading")
    yield from (TextRow(tuple(map(label_of, row)), "fact") for row in block.rows)


def _list(block: doc.TextList, _: Workings) -> Iterator[Item]:
    yield TextRow((plain_name(block.name), *block.values), "list")


def plain_name(name: str) -> Word:
    """The name of a quantity, as it is written."""
    return Word(name)


def _tree(block: doc.Tree, _: Workings) -> Iterator[Item]:
    for row in block.rows:
        told = f"{row.numbers} {text_of_spans(row.title)}".strip()
        made = text_of_spans(row.made)
        yield TextRow(("   " * row.depth + told + (f": {made}" if made else ""),))


def _graph(block: doc.Graph, workings: Workings) -> Iterator[Item]:
    """Who attends to whom is in the weights."""
    if not workings:
        for edge in block.edges:
            yield TextRow((edge.source, edge.target, plain(edge.weight)), "fact")


def _picture(block: Picture, workings: Workings) -> Iterator[Item]:
    """The numbers of a picture, which in a live workbook stand on its sheets."""
    return iter(()) if workings else items_of(in_tables(block), workings)


def _fields(block: doc.Fields, _: Workings) -> Iterator[Item]:
    return (TextRow((name, ""), "fact") for name in block.names)


def _word_blank(block: doc.WordBlank, _: Workings) -> Iterator[Item]:
    yield from paragraph(text_of_spans(block.text))
    options = zip(block.labels or [""] * len(block.options), block.options, strict=True)
    yield from (TextRow((f"{label} {printed(one)}".strip(),)) for label, one in options)
    if block.answer is not None:
        yield TextRow((block.heading, block.answer), "fact")


_WRITERS: Mapping[type, Callable[[Any, Workings], Iterator[Item]]] = MappingProxyType(
    {
        doc.Facts: facts,
        doc.Prose: partial(_text, "text"),
        doc.Note: partial(_text, "note"),
        doc.Subheading: partial(_text, "subheading"),
        doc.Bullets: _bullets,
        doc.Working: _working,
        doc.Addition: _addition,
        doc.Table: _table,
        MatrixBlock: _matrix,
        Data: _data,
        SideBySide: _side_by_side,
        doc.TextList: _list,
        doc.Tree: _tree,
        doc.Graph: _graph,
        **dict.fromkeys(PICTURES, _picture),
        doc.Fields: _fields,
        doc.WordBlank: _word_blank,
        doc.AnswerSpace: lambda *_: iter(()),
    }
)
