"""Column additions as they are done on paper: the addends, a rule, the total."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from attncli.arithmetic.expression import Expression
from attncli.document import Addition
from attncli.notation.latex import latex
from attncli.notation.plain import MINUS
from attncli.render.numbers import FilledAddend, filled_addends, filled_vectors
from attncli.render.tex.alignment import aligned
from attncli.render.tex.measure import math_width
from attncli.render.tex.setting import Setting
from attncli.render.tex.tables import STRETCHED
from attncli.render.tex.text import JOINT, on_one_line
from attncli.render.tex.working import INDENT, RELATIONS, pieces

_SIGN, _ARROW = 1.3, 1.6
_TO = r"{}\rightarrow{} "


def addition(block: Addition, setting: Setting) -> str:
    """The addition; where it is too wide, each value on a row of its own."""
    style = setting.working
    column = partial(style.column, filled=_filled)
    told, total = filled_addends(
        block,
        column,
        partial(filled_vectors, column=column, between=f",{JOINT}"),
        r" \times ",
        r"\dots",
    )
    addends = [one._replace(sign=one.sign.strip().replace(MINUS, "-")) for one in told]
    products = max(math_width(addend.product) for addend in addends)
    widest = max(map(math_width, [total, *(one.value for one in addends if one.value)]))
    fits = _SIGN + products + _ARROW + widest <= setting.room
    rows = _beside(addends) if fits else _below(addends, setting)
    sign = RELATIONS[block.relation]
    space = r"\phantom{" + _TO.strip() + "}"
    end = [f"{sign} & & {space} {on_one_line(total)}"] if fits else _rows(sign, total, setting)
    return _array(on_one_line(latex(block.label, style)), [rows, end], 3 if fits else 2)


def _filled(numbers: Sequence[Expression]) -> list[str]:
    """Numbers with their points below each other."""
    return aligned([latex(number) for number in numbers])


def _beside(addends: Sequence[FilledAddend]) -> list[str]:
    """Each product with its value behind it."""
    return [
        f"{sign} & {on_one_line(product)} & {_TO + on_one_line(value) if value else ''}".rstrip(
            " &"
        )
        for sign, product, value in addends
    ]


def _below(addends: Sequence[FilledAddend], setting: Setting) -> list[str]:
    """Each product with its value below it, both broken where they are long."""
    rows: list[str] = []
    for sign, product, value in addends:
        rows += _rows(sign, product, setting)
        rows += _rows("", rf"\rightarrow {value}", setting) if value else []
    return rows


def _rows(sign: str, text: str, setting: Setting) -> list[str]:
    first, *others = pieces(text, setting.room - _SIGN - INDENT)
    return [f"{sign} & {first}", *(rf"& \qquad {piece}" for piece in others)]


def _array(label: str, parts: Sequence[Sequence[str]], columns: int) -> str:
    """The rows below a label, with a rule before the last part."""
    above, below = (" \\\\\n".join(rows) + r" \\" for rows in parts)
    stretch = STRETCHED if r"\fillin" in above + below else ""
    kinds = r"@{}r@{\ }" + "l@{}" * (columns - 1)
    return (
        f"\\[{stretch}\n\\begin{{array}}[b]{{{kinds}}}\n"
        f"\\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{{{label}}} \\\\\n"
        f"{above}\n\\midrule\n{below}\n\\end{{array}}\n\\]"
    )
