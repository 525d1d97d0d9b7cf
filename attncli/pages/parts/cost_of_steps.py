"""The multiplications of steps (`--detail cost`), by equations and sizes of operands.

Two factors are one product for each place of the indices that they have, `x[i, k] * W[k, j]` one
for each i, k and j. What is known before a number is, a table of positions or a constant, is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from itertools import chain, pairwise
from math import prod
from typing import NamedTuple

from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import Expression, Operand, each, operands_in
from attncli.maths.operations.equation import Indexed
from attncli.names import Name, below
from attncli.scenario.model import Training
from attncli.steps.order import THROUGH, step_named, step_of
from attncli.steps.training import trained
from attncli.trace import Definition, PlannedStep, Trace

Sizes = tuple[tuple[str, ...], tuple[int, ...]]
"""The names of the sizes of products, `h`, `d_k`, and the sizes themselves."""


class StepCost(NamedTuple):
    """The cost of some steps: their products, their parameters and their numbers."""

    products: Mapping[Sizes, int]
    """How often they have products of some sizes."""
    of_matrices: int
    """How many products are of two matrices."""
    parameters: int
    """How many parameters they are the first to use."""
    made: int
    """How many numbers they make."""

    @property
    def multiplications(self) -> int:
        return sum(times * prod(sizes) for (_, sizes), times in self.products.items())

    def form(self, *, named: bool) -> Expression:
        """Returns the number of multiplications as a sum of products: `3 × n × d_model × d_k`, or
        the same in numbers, `3 × 4 × 2 × 2`."""
        terms: list[Expression] = []
        pairs = {pair for sizes in self.products for pair in zip(*sizes, strict=True)}
        times_named = Counter(name for name, _ in pairs)  # one name may be of several sizes
        for (names, sizes), count in self.products.items():
            factors: list[Expression] = [ex.Number.written(count)] * (count > 1 or not sizes)
            factors += [
                ex.Symbol(name)
                if named and name.isidentifier() and times_named[name] == 1
                else ex.Number.written(size)
                for name, size in zip(names, sizes, strict=True)
            ]
            terms.append(ex.Product(tuple(factors)) if factors[1:] else factors[0])
        return ex.Sum(tuple(terms)) if terms[1:] else terms[0]


def parameters_of(trace: Trace) -> set[Name]:
    """Returns the names of all that might be trained."""
    scenario = trace.scenario
    return {*trained(Training(Decimal(1)), scenario.given.names, None)}


def cost_of_steps(trace: Trace, parts: Iterable[PlannedStep], left: set[Name]) -> StepCost:
    """Returns what steps cost together; the parameters that they use are taken out of those
    `left`."""
    found = Counter[Sizes]()
    of_matrices = parameters = made = 0
    for part in parts:
        back = step_of(part).backward
        for d in part.definitions:
            if d.name not in trace.quantities or trace[d.name].given or d.operation.only_moves:
                continue
            for indices, times, is_sum in _products(trace, d):
                sizes = [*_named(trace, part, indices)]
                found[tuple(name for name, _ in sizes), tuple(size for _, size in sizes)] += times
                of_matrices += is_sum * times * prod(size for _, size in sizes)
            made += trace[d.name].matrix.size
        numbers = (d.operands for d in part.definitions if not d.operation.takes_only_sizes)
        used = left.intersection(chain(*numbers))
        left -= used
        if back is not None:  # else it counts words
            own = (name for name in used if name.local not in back.fixed)
            parameters += sum(trace[name].matrix.size for name in own)
    return StepCost(found, of_matrices, parameters, made)


Axes = list[tuple[Name, int]]
"""Quantities of which the rows, 0, or the columns, 1, are as many as an index goes along."""


def _products(trace: Trace, d: Definition) -> Iterator[tuple[list[Axes], int, bool]]:
    """Yields the indices of each kind of products of a quantity, how many there are for each place
    of these, and whether they are of two matrices."""
    if d.operation.takes_only_sizes:
        return
    if not isinstance(d.operation, Indexed):
        plain = [trace[name].matrix.without_source for name in d.operands]
        columns = range(trace[d.name].matrix.shape[1])
        forms = (d.operation.first_form(0, j, *plain) for j in columns)
        if times := sum(times for form in forms for _, times, _ in _multiplied(form)):
            yield [[(d.name, 0)]], times, False
        return
    sides, cells = d.operation.sides, [*operands_in(d.operation.tree)]
    for indices, times, of_matrices in _multiplied(d.operation.tree):
        axes = [
            [(d.operands[c.place], sides.along(c).index(i)) for c in cells if i in c.indices]
            + [(d.name, k) for k, index in enumerate("ij") if index == i and i in sides.indices]
            for i in indices
        ]
        yield axes, times, of_matrices


@lru_cache(maxsize=256)
def _multiplied(tree: Expression) -> list[tuple[tuple[str, ...], int, bool]]:
    """Returns the indices of each two factors of which one is no constant, how many products they
    are, and whether these are of two matrices: added up over an index of both, while others
    differ."""
    summed = {(total.over, p) for total in each(tree, ex.Total) for p in each(total, ex.Product)}
    found, is_filled = [], not any(each(tree, Operand))
    for product in each(tree, ex.Product):
        for a, b in pairwise(product.factors):
            left, right = _free(a), _free(b)
            over = any((index, product) in summed for index in {*left} & {*right})
            cells = isinstance(a, Operand) and isinstance(b, Operand)
            if is_filled or any(each(ex.Vector((a, b)), Operand)):
                indices = tuple(dict.fromkeys((*left, *right)))
                found.append((indices, 1, cells and over and {*left} != {*right}))
    for power in each(tree, ex.Power):
        if isinstance(power.exponent, ex.Number) and (is_filled or _free(power.base)):
            found.append((_free(power.base), max(int(power.exponent.full) - 1, 0), False))
    return found


def _free(part: Expression) -> tuple[str, ...]:
    """Returns the indices of a part but for those that it adds up over itself."""
    bound = {total.over for total in each(part, ex.Total)}
    indices = (index for operand in each(part, Operand) for index in operand.indices)
    return tuple(index for index in dict.fromkeys(indices) if index not in bound)


def _named(trace: Trace, part: PlannedStep, indices: list[Axes]) -> Iterator[tuple[str, int]]:
    """Yields how far indices go, by what steps call that, `d_model`, or else as a number."""
    attention, known = getattr(part.place, "attention", None), dict[str, int]()
    if attention is not None:
        K, V = (below(attention.head_path(0), name) for name in ("K", "V"))
        widths = (("d_k", K), ("d_v", V))
        known = {width: trace[name].matrix.shape[1] for width, name in widths if name in trace}
        known |= {"h": attention.heads, "kv_heads": attention.kv_heads}
    for axes in indices:
        name, side = axes[0]
        extent = trace[name].matrix.shape[side]
        texts = (_called(trace, part, *axis) for axis in axes)
        fitting = (_fitting(text, extent, known) for text in texts if text)
        yield from next(filter(None, fitting), [(str(extent), extent)] * (extent > 1))


def _fitting(text: str, extent: int, known: dict[str, int]) -> list[tuple[str, int]]:
    """Returns a size in its parts, `h · d_k`, where these come to it, or do with the heads;
    otherwise none.

    A name that isn't known yet is known from then on.
    """
    parts = text.split(" · ")
    if text.isidentifier():
        known.setdefault(text, extent)
    for more in ((), ("h",), ("kv_heads",)) if known.keys() >= {*parts} else ():
        named = [(name, known[name]) for name in (*more, *parts) if name in known]
        if prod(size for _, size in named) == extent:
            return named
    return []


def _called(trace: Trace, part: PlannedStep, name: Name, side: int) -> str:
    """Returns what the step that makes a quantity, or else one that uses it, calls its rows or
    columns."""
    maker = trace.part_of(name) or part
    alias = "x" if name == getattr(part.place, "x", None) else name.local
    for step, called in ((maker.step, name.local), (part.step, name.local), (part.step, alias)):
        sizes = _shapes(THROUGH.get(step, step)).get(called, ())
        if side < len(sizes):
            return sizes[side]
    return ""


@cache
def _shapes(step: str) -> Mapping[str, tuple[str, ...]]:
    """Returns what a step calls the rows and columns of quantities, where it says its shapes."""
    found = re.findall(
        r"(?<![\w.])([\w.]+)(?:\[[^][]*\])? \[([^][]*)\]", step_named(step).words.shapes
    )
    return {name: tuple(sizes.split(", ")) for name, sizes in reversed(found)}
