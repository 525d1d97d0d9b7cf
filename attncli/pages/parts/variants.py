"""The variants of a scenario: what each changes, and how its result compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import Block, Bullets, Callout, Paragraph, Spans, Subheading
from attncli.document.retold import as_it_was
from attncli.document.tables import DataTable, MatrixBlock
from attncli.errors import agreed, every
from attncli.maths.equations.tree import Symbol
from attncli.maths.numbers.rounding import Array
from attncli.names import Word
from attncli.pages.parts.answer import finding_anew, result_of
from attncli.pages.parts.blocks import given_blocks, variant_block
from attncli.pages.parts.findings import remarks_on
from attncli.pages.parts.nearness import nearness
from attncli.pages.parts.pictures import pictures_of
from attncli.pages.parts.sections import arranged, formulas_at, opening_of
from attncli.pages.parts.selection import Selection, shown_parts
from attncli.pages.parts.sentences import called_as, contrasted, quoted
from attncli.pages.parts.training import beside_another, numbers_of_training
from attncli.trace import BackwardPlace, Quantity, Trace, UpdatePlace

_SAME = 1e-12
"""What floats may be off by where the same sums are done in another order."""


class _NamedTrace(NamedTuple):
    """A trace that others are compared with, and what it is called."""

    called: Spans
    trace: Trace


def variants_of(trace: Trace, selection: Selection) -> list[Block]:
    """Returns the rows that are told of each variant, beside the one before it that is told its
    positions in the same way, or else beside the scenario's own."""
    if result_of(trace) is None:
        from attncli.pages.parts.tokenizing import side_by_side

        return side_by_side(trace)
    blocks: list[Block] = [Subheading(("Variants",))]
    whole = _NamedTrace(("in the scenario itself",), trace)
    by_name: dict[tuple[str, ...], _NamedTrace] = {_positions(trace): whole}
    queries, axis, pictures = selection.queries, selection.axis, selection.pictures
    rows = Selection(queries=queries, axis=axis, pictures=pictures, detail=selection.detail)
    for name, other in trace.variants.items():
        before = by_name.setdefault(
            _positions(other), _NamedTrace(("in the variant ", Word(name)), other)
        )
        blocks += _variant(name, other, whole if before.trace is other else before, trace, rows)
    return blocks


def _positions(trace: Trace) -> tuple[str, ...]:
    return tuple(p.kind for p in trace.scenario.stack.positions)


def _variant(
    name: str, other: Trace, before: _NamedTrace, trace: Trace, rows: Selection
) -> list[Block]:
    """Returns what a variant changed, what comes of it, and what it finds."""
    own, result = result_of(before.trace) or result_of(trace), result_of(other)
    if own is None or result is None:
        return []
    varied = Word("; ".join(other.scenario.file.varied))
    varied_as: Spans = (Word(name), " (", varied, "): ")
    changed = _changed(trace.quantities, other)
    if other.scenario.training is not None:
        blocks = beside_another(other, before.trace, varied_as)
        data = [DataTable(variant_block(name, q, Selection())) for q in numbers_of_training(other)]
        if blocks:
            return [*blocks[:1], *_given_in(name, other, changed), *blocks[1:], *data]
    compared = _Compared.of(own, result)
    says = other.scenario.page.about
    about = [Paragraph((Word(says),))] if says != trace.scenario.page.about else []
    note = Callout((*varied_as, *compared.sentences(own, result, before.called, rows)))
    tables = [*_given_in(name, other, changed), variant_block(name, result, rows)]
    found = () if compared.same else finding_anew(other, before.trace, rows)
    anew = _taken_anew(before.trace, other, rows)
    return [
        note,
        *anew,
        *about,
        *tables,
        *_words_moved(trace, other),
        *([Callout(as_it_was(found))] if found else []),
    ]


def _given_in(name: str, variant: Trace, changed: Sequence[Quantity]) -> list[Block]:
    """Returns what a variant gives; its tables know that they are its own."""
    blocks = given_blocks(variant, changed, Selection())
    return [b._replace(variant=name) if isinstance(b, MatrixBlock) else b for b in blocks]


def _taken_anew(before: Trace, other: Trace, rows: Selection) -> list[Block]:
    """Returns the steps that a variant takes and the trace before it doesn't: what each is for, a
    row of it worked, and what is worth a remark; a summary works none."""
    if rows.detail == "summary":
        return []
    known, brief = {part.step for part in before.story}, rows._replace(detail="rows")
    blocks: list[Block] = []
    for part in shown_parts(other):
        if part.step not in known and not isinstance(part.place, BackwardPlace | UpdatePlace):
            known.add(part.step)
            formulas = Bullets(tuple((formula,) for formula in formulas_at(other, part)))
            blocks += [Paragraph(opening_of(other, part, ())), formulas]
            blocks += [*arranged(other, part, brief), *remarks_on(other, part)]
            blocks += pictures_of(other, part, rows) if rows.pictured else ()
    return blocks


def _words_moved(trace: Trace, other: Trace) -> list[Block]:
    """Says how near the tokens are to each other where a variant gives them other embeddings."""
    own, others = (_looked_up(t) for t in (trace, other))
    if own is None or others is None or own.rows.names != others.rows.names:
        return []
    alike, when = np.array_equal(own.values, others.values), ("here", "in the variant")
    return [] if alike else nearness(own, others, own.rows.words, trace.rounding.decimals, when)


def _looked_up(trace: Trace) -> Quantity | None:
    """Finds the first quantity that is made by looking tokens up in the table of embeddings; None
    without one."""
    made = (q for q in trace.quantities.values() if q.definition and q.definition.step == "embed")
    return next(made, None)


def _changed(own: Mapping[str, Quantity], other: Trace) -> list[Quantity]:
    """Lists the matrices that a variant gives, and the scenario doesn't give like that."""
    return [
        quantity
        for name, quantity in other.quantities.items()
        if quantity.given
        and not (name in own and np.array_equal(own[name].values, quantity.values))
    ]


class _Compared(NamedTuple):
    """A comparison of the rows of two results with the same tokens; empty for results that can't be
    compared."""

    order: tuple[int, ...] = ()
    """The row of the second result for each row of the first."""
    off: Array | None = None
    """How far each number is off, [rows, columns]."""

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

    def sentences(self, own: Quantity, other: Quantity, before: Spans, shown: Selection) -> Spans:
        """Puts the comparison in a sentence; `before` names what it is compared with. The row that
        differs most is one of those that are shown."""
        symbol = Symbol(other.name)
        if self.off is None:
            return (symbol, " has other tokens or another shape than ", *before, ".")
        rows = shown.rows(own)
        array = self.off[[*rows]]
        k, j = (int(place) for place in np.unravel_index(int(array.argmax()), array.shape))
        i = rows[k]
        numbers = contrasted(other.matrix.number(self.order[i], j), own.matrix.number(i, j))
        differing = int((self.off.max(axis=1) > _SAME).sum())
        if self.same or (numbers is None and len(rows) == len(self.order)):
            return (symbol, *self._alike(before))
        those = agreed(differing, "differs from that", "differ from those")
        of = every(differing, "row") if differing == len(self.order) else (
            f"{differing} of the {len(self.order)} rows"
        )  # fmt: skip
        that: Spans = () if own.name == other.name else ("of ", Symbol(own.name), " ")
        start = (f"{of} of ", symbol, f" {those} ", *that, *before)
        if numbers is None:
            return (*start, ", none of them shown here.")
        its, others = numbers
        most = agreed(differing, "the row of ", "most that of ")
        among = "of those shown " if differing > 1 and len(rows) < len(self.order) else ""
        row = called_as(own.rows.names, i)
        instead = (its, " instead of ", others, *_in_column(own, j))
        ends = "; now the order makes a difference." if self.reordered else "."
        return (*start, f": {among}{most}", *row, ", with ", *instead, ends)

    def _alike(self, before: Spans) -> Spans:
        if not self.reordered:
            return (" has the same rows as ", *before, ".")
        return (
            " has the same row for each token as ", *before, ", only in the order of these"
            " tokens: the order of the words makes no difference.",
        )  # fmt: skip


def _in_column(quantity: Quantity, j: int) -> Spans:
    """Says in which column a number stands: ` in column 2`, ` in column “Gender”`; nothing where
    that has no name."""
    name = quantity.columns.names[j] if not quantity.is_list else ""
    return (" in column ", *([name] if name == str(j + 1) else quoted(name))) if name else ()
