"""The formulas of functions that a pocket calculator has no key for, where a sheet first asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from attncli.document.blocks import Paragraph, Section, parts_of
from attncli.document.languages import Words
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Omitted,
    Operand,
    Sum,
    Symbol,
    each,
    with_each,
)
from attncli.maths.operations.activations import ACTIVATIONS
from attncli.maths.operations.equation import equation, read
from attncli.names import Name

_FORMULAS: Mapping[str, str] = {
    **ACTIVATIONS,
    "tanh": "(exp(x) - exp(-x)) / (exp(x) + exp(-x))",
    "softplus": "ln(1 + exp(x))",
    "erf": "(x - x**3 / 3 + x**5 / (2 * 5) - x**7 / (2 * 3 * 7) + x**9 / (2 * 3 * 4 * 9))"
    " * 2 / sqrt(pi)",
}
"""Each for a number x; the error function by the beginning of its series, written so that one sees
how it goes on."""
_SERIES = ("erf",)
_X = Symbol(Name("x"))


def with_functions_told(sections: Iterable[Section], words: Words) -> Iterator[Section]:
    """Yields sections with the formula of each function, behind those in which it is met first;
    below a series, how far to go on with it."""
    known = set[str]()
    for section in sections:
        told = list[Equation]()
        waiting = [*section.formulas, *_in_blocks(section)]
        while waiting:
            for apply in each(waiting.pop(0).right, Apply):
                name = apply.function
                if name in _FORMULAS and name not in known:
                    known.add(name)
                    told.append(_formula(name))
                    waiting.append(told[-1])
        series = [Paragraph((words.series,))] if any(map(_is_series, told)) else []
        yield section._replace(
            formulas=(*section.formulas, *told), blocks=(*series, *section.blocks)
        )


def _is_series(told: Equation) -> bool:
    return any(each(told.right, Omitted))


def _in_blocks(section: Section) -> Iterator[Equation]:
    """Yields the formulas that stand among the blocks of a section."""
    texts = (p.text for block in section.blocks for p in parts_of(block, Paragraph))
    yield from (span for text in texts for span in text if isinstance(span, Equation))


@cache
def _formula(name: str) -> Equation:
    text = equation(_FORMULAS[name], x="n m").swap("x", "x[i, j]", f"{name}(x)")
    _, cell, *_ = read(text, {})
    tree = with_each(cell, Operand, lambda _: _X)
    if name in _SERIES:
        tree = with_each(tree, Sum, lambda terms: Sum((*terms.terms, Omitted())))
    return Equation(Apply(name, (_X,)), tree)
