"""How each piece of a page is written: a call of what `page.typ` defines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attncli import document as doc
from attncli.notation.typst import literal
from attncli.pictures import PICTURES, Picture
from attncli.render.pictures_in_tables import in_tables
from attncli.render.typst.tables import together, table, side_by_side, graph
from attncli.render.typst.mathematics import mathematics
from attncli.render.typst.pictures import picture
from attncli.render.typst.setting import TypstSetting
from attncli.render.typst.spans import spans
from attncli.render.typst.text import joined, listed, text, word
from attncli.render.typst.working import addition, working
from attncli.render.writers import (
    Heading,
    NewPage,
    Tables,
    Title,
    with_tables_together,
    written,
)
from attncli.tables import SideBySide
from attncli.word import Word


def _title(piece: Title, setting: TypstSetting) -> str:
    called = text(piece.called.removeprefix(" · ")) if piece.called else "none"
    head = f"title({word(piece.title)}, {called})"
    return f"{head}\n{_facts(piece.facts, setting)}" if piece.facts.rows else head


def _heading(piece: Heading, setting: TypstSetting) -> str:
    head = f"heading(level: 2, {spans(piece.title)})"
    told = listed(mathematics(one, setting.notation) for one in piece.formulas)
    return f"{head}\nformulas{told}" if piece.formulas else head


def _facts(block: doc.Facts, _: TypstSetting) -> str:
    return f"facts{listed(f'({text(name)}, {spans(told)})' for name, told in block.rows)}"


def _prose(block: doc.Prose, setting: TypstSetting) -> str:
    """A paragraph; on a sheet it is the task of what stands below."""
    return f"{'prose' if setting.coloured else 'task'}({spans(block.text)})"


def _points(block: doc.Bullets, _: TypstSetting) -> str:
    return f"list{listed(map(spans, block.items))}"


def _tree(block: doc.Tree, _: TypstSetting) -> str:
    return f"tree{listed(map(_tree_row, block.rows, block.has_parts))}"


def _tree_row(row: doc.TreeRow, has_parts: bool) -> str:
    made = [text(": "), spans(row.made)] if row.made else []
    told = joined([spans(row.title), *made])
    return f"({row.depth}, {text(row.numbers)}, {f'strong({told})' if has_parts else told})"


def _fields(block: doc.Fields, _: TypstSetting) -> str:
    return f"fields{listed(map(text, block.names))}"


def _word_blank(block: doc.WordBlank, _: TypstSetting) -> str:
    """A question, its options, and a place for the answer."""
    options = listed(
        joined([text(f"{label}) "), word(option)])
        for label, option in zip(block.labels, block.options, strict=False)
    )
    answer = _answer(block.answer)
    return f"question({spans(block.text)}, {options}, {text(block.heading)}, {answer})"


def _answer(answer: Word | None) -> str:
    return "none" if answer is None else word(answer)


def _answer_space(block: doc.AnswerSpace, _: TypstSetting) -> str:
    return f"answer-space({block.lines}, {str(block.to_end).lower()})"


def _picture(block: Picture, setting: TypstSetting) -> str:
    """A drawing, or the numbers of what is too large for one."""
    return picture(block) or "\n".join(
        written(with_tables_together(in_tables(block)), WRITERS, setting)
    )


WRITERS: Mapping[type, Callable[[Any, TypstSetting], str]] = {
    Title: _title,
    Heading: _heading,
    NewPage: lambda _, __: "pagebreak(weak: true)",
    Tables: lambda piece, setting: together(piece.matrices, setting),
    doc.Facts: _facts,
    doc.Prose: _prose,
    doc.Bullets: _points,
    doc.Subheading: lambda block, _: f"heading(level: 3, {spans(block.text)})",
    doc.Note: lambda block, _: f"note({spans(block.text)})",
    doc.Working: working,
    doc.Addition: addition,
    doc.Table: table,
    SideBySide: side_by_side,
    doc.Tree: _tree,
    doc.Graph: lambda block, setting: picture(block) or graph(block, setting),
    doc.Fields: _fields,
    doc.WordBlank: _word_blank,
    doc.AnswerSpace: _answer_space,
    **dict.fromkeys(PICTURES, _picture),
}
"""How each piece is written."""

__all__ = ["WRITERS", "literal"]
