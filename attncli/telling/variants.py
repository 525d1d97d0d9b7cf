"""What a scenario's variants come to: what each changed, how its result compares, what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from attncli.arithmetic.expression import Symbol
from attncli.arithmetic.rounding import Array
from attncli.document import Block, Note, Spans, Subheading
from attncli.tables import Data
from attncli.telling.blocks import given_blocks, variant_block
from attncli.telling.findings import findings_anew
from attncli.telling.selection import Selection
from attncli.telling.sentences import called_as
from attncli.trace import Quantity, Trace
from attncli.word import Word

_SAME = 1e-12
"""What floats may be off by where the same sums are done in another order."""


class _Told(NamedTuple):
    """A trace that others are compared with, and what it is called."""

    called: Spans
    trace: Trace


def variants_of(trace: Trace, selection: Selection) -> list[Block]:
    """The rows that are told of each variant, beside the one before it that is told its positions
    in the same way, or else beside the scenario's own."""
    if result_of(trace) is None:
        from attncli.telling.learning import side_by_side

        return side_by_side(trace)
    blocks: list[Block] = [Subheading(("Variants",))]
    whole = _Told(("in the scenario itself",), trace)
    told: dict[tuple[str, ...], _Told] = {_positions(trace): whole}
    rows = Selection(queries=selection.queries, axis=selection.axis)
    for name, other in trace.variants.items():
        before = told.setdefault(_positions(other), _Told(("in the variant ", Word(name)), other))
        blocks += _variant(name, other, whole if before.trace is other else before, trace, rows)
    return blocks


def _positions(trace: Trace) -> tuple[str, ...]:
    return tuple(one.kind for one in trace.scenario.stack.positions)


def _variant(name: str, other: Trace, before: _Told, trace: Trace, rows: Selection) -> list[Block]:
    """What a variant changed, what comes of it, and what it finds."""
    own, result = result_of(before.trace) or result_of(trace), result_of(other)
    if own is None or result is None:
        return []
    varied = Word("; ".join(other.scenario.varied))
    varied_as: Spans = (Word(name), " (", varied, "): ")
    changed = _changed(trace.quantities, other)
    if other.scenario.training is not None:
        from attncli.telling.training_tables import beside_another, numbers_of_training

        told = beside_another(other, before.trace, varied_as)
        data = [Data(variant_block(name, one, Selection())) for one in numbers_of_training(other)]
        if told:
            return [*told[:1], *given_blocks(other, changed, Selection()), *told[1:], *data]
    compared = _Compared.of(own, result)
    note = Note((*varied_as, *compared.told(own, result, before.called, rows)))
    tables = [*given_blocks(other, changed, Selection()), variant_block(name, result, rows)]
    found = [] if compared.same else findings_anew(other, before.trace, rows)
    return [note, *tables, *map(Note, found)]


def _changed(own: Mapping[str, Quantity], other: Trace) -> list[Quantity]:
    """The matrices that a variant gives, and the scenario doesn't give like that."""
    return [
        quantity
        for name, quantity in other.quantities.items()
        if quantity.given
        and not (name in own and np.array_equal(own[name].values, quantity.values))
    ]


def result_of(trace: Trace) -> Quantity | None:
    """What a trace comes to: the last quantity with a row for each token."""
    made = [q for q in trace.quantities.values() if not q.given and q.rows.role in ("Q", "token")]
    return made[-1] if made else None


class _Compared(NamedTuple):
    """How the rows of two results with the same tokens compare: the row of the second for each row
    of the first, and how far each number is off; nothing for results that can't be compared."""

    order: tuple[int, ...] = ()
    off: Array | None = None

    @classmethod
    def of(cls, own: Quantity, other: Quantity) -> _Compared:
        if own.matrix.shape != other.matrix.shape:
            return cls()
        if sorted(own.rows.names) != sorted(other.rows.names):
            return cls()
        order = [other.rows.names.index(name) for name in own.rows.names]
        return cls(tuple(order), np.abs(other.values[order] - own.values))

    @property
    def same(self) -> bool:
        return self.off is not None and not self.off.max() > _SAME

    @property
    def reordered(self) -> bool:
        return list(self.order) != sorted(self.order)

    def told(self, own: Quantity, other: Quantity, before: Spans, shown: Selection) -> Spans:
        """The comparison in a sentence or two; `before` names what it is compared with. The row
        that differs most is one of those that are shown."""
        symbol = Symbol(other.name)
        if self.off is None:
            return (symbol, " has other tokens or another shape than ", *before, ".")
        rows = shown.rows(own)
        told = self.off[[*rows]]
        k, j = (int(place) for place in np.unravel_index(int(told.argmax()), told.shape))
        i = rows[k]
        from attncli.telling.sentences import contrasted

        numbers = contrasted(other.matrix.number(self.order[i], j), own.matrix.number(i, j))
        differing = int((self.off.max(axis=1) > _SAME).sum())
        if self.same or (numbers is None and len(rows) == len(self.order)):
            return (symbol, *self._alike(before))
        verb = " differ from those " if differing > 1 else " differs from that "
        start = (f"{_of(differing, len(self.order))} of ", symbol, verb, *before)
        if numbers is None:
            return (*start, ", none of them shown here.")
        its, others = numbers
        of_those = "of those shown " if len(rows) < len(self.order) else ""
        most = f"{of_those}most " if differing > 1 else ""
        column: Spans = () if own.is_list else ("in column ", Word(own.columns.names[j]), " ")
        return (
            *start, f", {most}the row of ", *called_as(own.rows.names, i), ": ", *column, "it is ",
            its, " instead of ", others, ".", *self._order_counts(),
        )  # fmt: skip

    def _alike(self, before: Spans) -> Spans:
        if not self.reordered:
            return (" has the same rows as ", *before, ".")
        return (
            " has the same row for each token as ", *before, ", only in the order of these"
            " tokens: the order of the words makes no difference.",
        )  # fmt: skip

    def _order_counts(self) -> Spans:
        if not self.reordered:
            return ()
        return (" The tokens are the same in another order: now the order makes a difference.",)


def _of(rows: int, of: int) -> str:
    """`the only row`, `all 4 rows`, `3 of the 4 rows`."""
    if of == 1:
        return "the only row"
    return f"all {of} rows" if rows == of else f"{rows} of the {of} rows"
