"""The costs of a model: multiplications, parameters, bytes of each step, the size of its cache."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from attncli.document.blocks import (
    Block,
    Derivation,
    Document,
    Line,
    PageData,
    Paragraph,
    Section,
    Table,
)
from attncli.maths.equations.deciding import full
from attncli.maths.equations.tree import TWO, Expression, Number, Product, Sum, Symbol, define
from attncli.names import Word, below
from attncli.pages.parts.cost_of_steps import StepCost, cost_of_steps, parameters_of
from attncli.pages.parts.selection import Selection, place_in_words
from attncli.pages.parts.sentences import facts_of
from attncli.steps.order import step_of
from attncli.trace import PlannedStep, Trace
from attncli.trace.trace import parts_of

BYTES: Mapping[str, int] = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}
_number: Callable[[int], Number] = Number.written
Costs = Mapping[tuple[str, str], StepCost]
"""By what a step is called, and where it is."""


def costs_page(trace: Trace, selection: Selection, floats: str) -> Document:
    """Returns the page of `attn run --detail cost`."""
    size, costs = BYTES[floats], costs_of(trace, selection)
    counts = [
        (cost.multiplications, cost.parameters, size * (cost.parameters + cost.made))
        for cost in costs.values()
    ]
    total = [sum(column) for column in zip((0, 0, 0), *counts, strict=True)]
    called = (*costs, ("In all", ""))
    told = [(*at, *row) for at, row in zip(called, (*counts, total), strict=True)]
    shown = [k for k in range(len(_NAMES)) if any(row[k] != "" for row in told)]
    rows = (tuple(f"{row[k]:,}" if k > 1 else str(row[k]) for k in shown) for row in told)
    table = Table(tuple(_NAMES[k].capitalize() for k in shown), tuple(rows))
    forms = {"flops": Product((TWO, _number(sum(c.of_matrices for c in costs.values()))))}
    forms |= _cache(trace, size)
    values = {name: int(full(form)) for name, form in forms.items()}
    says = (
        "Divisions, roots, powers of e and sums are not counted. Bytes are those of a step's own"
        f" parameters and of what it makes: {size} for each number as {floats}.",
        "A profiler counts two flops for each multiplication of a product of matrices, since an"
        " addition goes with it.",
    )
    worked = {called: cost for called, cost in costs.items() if cost.products}
    working = (
        _line(title, cost.form(named=False), cost.multiplications)
        for (title, _), cost in worked.items()
    )
    lines = (_line(name, form, values[name]) for name, form in forms.items())
    formulas = dict.fromkeys(
        define(title, cost.form(named=True)) for (title, _), cost in worked.items()
    )
    told_in = (Paragraph((text,)) for text in (*says, *[_OF_CACHE] * (CACHE in forms)))
    blocks: tuple[Block, ...] = (
        *(table, Derivation(tuple(working))), *told_in, Derivation(tuple(lines)),
    )  # fmt: skip
    section = Section("cost", None, ("Cost",), (*formulas, *[_CACHE] * (len(forms) > 1)), blocks)
    data = {
        "floats": floats,
        "costs": [dict(zip(_NAMES, row, strict=True)) for row in told[:-1]],
        "total": {**dict(zip(_NAMES[2:], total, strict=True)), **values},
    }
    return Document(
        Word(trace.scenario.title), (section,), facts_of(trace), data=PageData(told=data)
    )


def _line(name: str, form: Expression, value: int) -> Line:
    return Line(Symbol(name), (("=", form), ("=", _number(value))))


_NAMES = ("step", "place", "multiplications", "parameters", "bytes")
_WIDTHS = Sum((Symbol("d_k"), Symbol("d_v")))
CACHE = "kv_cache"
"""The name of what all keys and values take that a decoder keeps."""
_CACHE = define(
    CACHE, Product((*map(Symbol, ("layers", "m", "kv_heads")), _WIDTHS, Symbol("bytes")))
)
_OF_CACHE = (
    "A decoder keeps the keys and values of all m tokens that it has read. For the next token"
    " only that token's are new. They take the bytes of kv_cache."
)


def cache_line(trace: Trace, floats: str = "float32") -> Line:
    """Returns the working of the bytes of all keys and values that a decoder keeps. Raises KeyError
    where there are none."""
    return _line(CACHE, _cache(trace, BYTES[floats])[CACHE], value_of_cache(trace, floats))


def value_of_cache(trace: Trace, floats: str = "float32") -> int:
    """Works these bytes. Raises KeyError where there are none."""
    return int(full(_cache(trace, BYTES[floats])[CACHE]))


def costs_of(trace: Trace, selection: Selection) -> Costs:
    """Counts the cost of each step: of all heads of a layer together, and of all times of a cell.
    Steps without multiplications and parameters are left out."""
    groups: dict[tuple[str, str], list[PlannedStep]] = {}
    for part in filter(selection.includes, parts_of(trace)):
        path = part.path.path if part.path.local == "heads" else part.path
        groups.setdefault((step_of(part).words.title, place_in_words(path)), []).append(part)
    left = parameters_of(trace)
    costs = {called: cost_of_steps(trace, parts, left) for called, parts in groups.items()}
    return {called: cost for called, cost in costs.items() if cost.products or cost.parameters}


def _cache(trace: Trace, size: int) -> dict[str, Product]:
    """Returns the bytes of all keys and values that a decoder keeps, as a product; nothing where
    there are none."""
    groups = Counter[tuple[int, ...]]()
    if trace.scenario.plan.written.alone:
        return {}
    for layer in trace.scenario.stack.layers:
        for attention in filter(None, (layer.attention, layer.cross)):
            names = (below(attention.head_path(0), name) for name in ("K", "V"))
            K, V = (trace.quantities.get(name) for name in names)
            if K is not None and V is not None:
                groups[*K.matrix.shape, V.matrix.shape[1], attention.kv_heads] += 1
    terms = tuple(
        Product((*map(_number, (count, m, heads)), Sum(tuple(map(_number, widths)))))
        for (m, *widths, heads), count in groups.items()
    )
    whole: tuple[Expression, ...] = terms[0].factors if len(terms) == 1 else (Sum(terms),)
    return {CACHE: Product((*whole, _number(size)))} if terms else {}
