"""Lines of working, their `=` below each other, and column additions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from attncli.arithmetic.expression import Expression, Number, Omitted
from attncli.document import Addition, Line, Working
from attncli.notation import plain
from attncli.render.colours import ink_of
from attncli.render.numbers import filled_addends, filled_vectors
from attncli.render.typst.mathematics import InkedTypst, filled, in_pieces, written
from attncli.render.typst.setting import TypstSetting
from attncli.render.typst.text import listed


def working(block: Working, setting: TypstSetting) -> str:
    """The lines, each with its label and the parts with their relations."""
    results = iter(_results(block, setting.notation))
    lines = [
        "none" if isinstance(line, Omitted) else _line(line, next(results), setting)
        for line in block.lines
    ]
    return f"working{listed(lines)}"


def _line(line: Line, result: str, setting: TypstSetting) -> str:
    texts = [written(part, setting.notation) for _, part in line.parts[:-1]]
    relations = (relation for relation, _ in line.parts)
    parts = zip(relations, [*texts, result], strict=True)
    told = listed(f"(${relation}$, {in_pieces(text)})" for relation, text in parts)
    return f"({in_pieces(setting.notation.write(line.label))}, {told})"


def _results(block: Working, notation: InkedTypst) -> list[str]:
    """The last part of each line; numbers with their points below each other, if all are."""
    lines = [line for line in block.lines if isinstance(line, Line)]
    results = [(line.parts[-1][1], ink_of(line.quantity)) for line in lines]
    if all(isinstance(result, Number) for result, _ in results):
        texts = _filled([result for result, _ in results])
        inks = (ink for _, ink in results)
        return [notation.inked(text, ink) for text, ink in zip(texts, inks, strict=True)]
    return [notation.but(result=ink).write(result) for result, ink in results]


def addition(block: Addition, setting: TypstSetting) -> str:
    """Vectors added up in columns: the addends, a rule, the total."""
    notation = setting.notation
    column = partial(notation.column, filled=_filled)
    addends, total = filled_addends(
        block,
        column,
        partial(filled_vectors, column=column, form=r"\[{}\]", between=notation.comma),
        notation.times,
        notation.omitted,
    )
    rows = listed(
        f"(${one.sign.strip()}$, {in_pieces(one.product)}, "
        f"{in_pieces(one.value) if one.value else 'none'})"
        for one in addends
    )
    label = in_pieces(notation.write(block.label))
    return f"addition({label}, {rows}, ${block.relation}$, {in_pieces(total)})"


def _filled(numbers: Sequence[Expression]) -> list[str]:
    """Numbers with their points below each other."""
    return filled([plain(number) for number in numbers], before=True)
