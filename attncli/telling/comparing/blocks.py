"""Pairs of quantities as tables: each cell with what it is in the other trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.arithmetic.elision import MOST_PARTS, elided, elided_rows
from attncli.arithmetic.expression import Omitted
from attncli.document import Block, Prose, Spans, Table, TableCell, Term, Working
from attncli.marked import CHANGED, MarkedNumber
from attncli.notation import plain
from attncli.refusals import listed
from attncli.telling.comparing.pairs import Pair, PairedCell
from attncli.telling.sentences import counted, joined
from attncli.telling.working import cell_line
from attncli.trace import Quantity, Trace
from attncli.word import Word

ORDINALS = ("first", "second")


def pair_blocks(pair: Pair, places: Sequence[int]) -> Iterator[Block]:
    """The table of a pair, some of its common rows in it; and which rows and columns only one of
    both has."""
    rows = [None if k is None else places[k] for k in
            elided_rows(len(places), of_list=pair.own.is_list)]  # fmt: skip
    columns = elided(len(pair.columns), MOST_PARTS)
    yield Table(
        (Word(pair.name), *(_heading(pair, m) for m in columns)),
        tuple(
            (Omitted(),) * (1 + len(columns))
            if k is None
            else (_row_name(pair, k), *(_entry(pair, k, m) for m in columns))
            for k in rows
        ),
    )
    if only := list(pair.left_out):
        yield Prose(_only_in_one(only))


def _only_in_one(only: Sequence[tuple[int, str]]) -> Spans:
    """`Only the first has tennis; only the second has Tennis.`"""
    told = [
        f"only the {which} has {listed(dict.fromkeys(name for at, name in only if at == place))}"
        for place, which in enumerate(ORDINALS)
        if any(at == place for at, _ in only)
    ]
    text = "; ".join(told)
    return (Word(f"{text[:1].upper()}{text[1:]}."),)


def _heading(pair: Pair, m: int | None) -> Word | str:
    if m is None:
        return "…"
    return "" if pair.own.is_list else pair.own.columns.words[pair.columns[m][0]]


def _row_name(pair: Pair, k: int) -> Word:
    return pair.own.rows.words[pair.rows[k][0]]


def _entry(pair: Pair, k: int, m: int | None) -> TableCell:
    if m is None:
        return "…"
    cell = pair.cell(k, m)
    if not pair.differs[k, m]:
        return plain(pair.own.number(*cell.own))
    own, other = map(plain, pair.numbers(cell))
    return MarkedNumber(Word(own), CHANGED, other)


def changed_in_words(pair: Pair, cell: PairedCell) -> str:
    """`weights[love, AI]: 0.422 → 0.331`."""
    own, other = map(plain, pair.numbers(cell))
    return f"{pair.own.address(*cell.own)}: {own} → {other}"


def both_workings(traces: Sequence[Trace], pair: Pair, cell: PairedCell) -> Iterator[Block]:
    """How a cell was worked in either trace."""
    for which, trace, quantity, place in (
        (ORDINALS[0], traces[0], pair.own, cell.own),
        (ORDINALS[1], traces[1], pair.other, cell.other),
    ):
        yield Prose((f"In the {which}", *_made_of(quantity, pair), ":"))
        yield Working((cell_line(trace, quantity, *place),))


def _made_of(quantity: Quantity, pair: Pair) -> Spans:
    """What a quantity is made of, where the other one of its pair is made of something else."""
    made = [() if one.definition is None else one.definition.operands
            for one in (pair.own, pair.other)]  # fmt: skip
    if quantity.definition is None:
        return (", where it is given",)
    if made[0] == made[1]:
        return ()
    return (", where it is made of ", *joined((Term(name),) for name in
            quantity.definition.operands))  # fmt: skip


def first_in_words(pair: Pair, cell: PairedCell) -> Spans:
    """Which cell differs first, and how many of its quantity."""
    return (
        Term(pair.own.name), " is the first that differs: ",
        f"{pair.count} of {counted(pair.size, 'number')}, of which ", Term(pair.symbol(cell)),
        " comes first.",
    )  # fmt: skip
