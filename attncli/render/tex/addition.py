"""Column additions as they are done on paper: the addends, a rule, the total."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import Expression, Number, Omitted, Product, Vector
from attncli.document import Addition
from attncli.notation.latex import LatexStyle, latex
from attncli.notation.plain import MINUS
from attncli.notation.signs import signed
from attncli.render.numbers import addend_sign
from attncli.render.tex.alignment import aligned
from attncli.render.tex.measure import math_width
from attncli.render.tex.setting import Setting
from attncli.render.tex.tables import STRETCHED
from attncli.render.tex.text import JOINT
from attncli.render.tex.working import INDENT, RELATIONS, pieces

_SIGN, _ARROW = 1.3, 1.6
_TO = r"{}\rightarrow{} "


class _TexAddend(NamedTuple):
    """A sign, the product behind it and its value; dots and no value for those left out."""

    sign: str
    product: str
    value: str


def addition(block: Addition, setting: Setting) -> str:
    """The addition; where it is too wide, each value on a row of its own."""
    known = [addend for addend in block.addends if not isinstance(addend, Omitted)]
    *values, total = _vectors([*(value for _, value in known), block.total], setting.working)
    addends = _addends(block, _products([product for product, _ in known], setting), values)
    products = max(math_width(addend.product) for addend in addends)
    widest = max(map(math_width, [total, *values]))
    label = latex(block.label, setting.working).replace(JOINT, " ")
    fits = _SIGN + products + _ARROW + widest <= setting.room
    rows = _beside(addends) if fits else _below(addends, setting)
    sign = RELATIONS[block.relation]
    space = r"\phantom{" + _TO.strip() + "}"
    end = [f"{sign} & & {space} {_line(total)}"] if fits else _rows(sign, total, setting)
    return _array(label, [rows, end], 3 if fits else 2)


def _vectors(vectors: Sequence[Vector], style: LatexStyle) -> list[str]:
    """Vectors with their entries' points below each other."""
    columns = zip(*(vector.entries for vector in vectors), strict=True)
    texts = [_column(column, style) for column in columns]
    return [f"[{f',{JOINT}'.join(row)}]" for row in zip(*texts, strict=True)]


def _column(entries: Sequence[Expression], style: LatexStyle) -> list[str]:
    texts = [latex(entry, style) for entry in entries]
    return aligned(texts) if all(isinstance(entry, Number) for entry in entries) else texts


def _products(products: Sequence[Product], setting: Setting) -> list[str]:
    """Weights times vectors, without the minus before them."""
    factors = [_factors(signed(product)[1]) for product in products]
    weights = _column([weight for weight, _ in factors], setting.working)
    vectors = _vectors([vector for _, vector in factors], setting.working)
    return [rf"{a} \times {b}" for a, b in zip(weights, vectors, strict=True)]


def _factors(product: Expression) -> tuple[Expression, Vector]:
    match product:
        case Product((weight, Vector() as vector)):
            return weight, vector
        case _:
            raise TypeError(f"{type(product).__name__} is no weight times a vector")


def _addends(block: Addition, products: Sequence[str], values: Sequence[str]) -> list[_TexAddend]:
    told = iter(zip(products, values, strict=True))
    addends = []
    for k, addend in enumerate(block.addends):
        sign = addend_sign(addend, k).strip().replace(MINUS, "-")
        product, value = (r"\dots", "") if isinstance(addend, Omitted) else next(told)
        addends.append(_TexAddend(sign, product, value))
    return addends


def _line(text: str) -> str:
    return text.replace(JOINT, " ")


def _beside(addends: Sequence[_TexAddend]) -> list[str]:
    """Each product with its value behind it."""
    return [
        f"{sign} & {_line(product)} & {_TO + _line(value) if value else ''}".rstrip(" &")
        for sign, product, value in addends
    ]


def _below(addends: Sequence[_TexAddend], setting: Setting) -> list[str]:
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
