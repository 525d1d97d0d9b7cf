"""The tables of a cell's gates on a sheet: blanks below what they are worked from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attncli.document.blocks import AnswerSpace, Block, each
from attncli.document.tables import MatrixBlock
from attncli.names import Name
from attncli.pages.parts.blocks import OF_EACH_GATE
from attncli.trace import Definition


def gate_by_gate(blocks: Iterable[Block], definitions: Sequence[Definition]) -> list[Block]:
    """Returns the blocks of the gates that `definitions` make, gate by gate: the matrices that it
    alone takes in a row, below these what all take, its own tables, and its share of the room for
    working. So each can be worked from what stands beside it, on whatever page that is."""
    known = [block for block in each(blocks) if block != OF_EACH_GATE]
    tables = {block.quantity: block for block in known if isinstance(block, MatrixBlock)}
    operands = {definition.name: definition.operands for definition in definitions}
    gates: list[list[Name]] = []
    for name, of in operands.items():
        if gates and not {*of}.isdisjoint(gates[-1]):
            gates[-1].append(name)
        else:
            gates.append([name])
    takes = [list(dict.fromkeys(o for n in gate for o in operands[n])) for gate in gates]
    told, rooms = _shared_out(known, len(gates))
    rows = list[Block]()
    for gate, names, room in zip(gates, takes, rooms, strict=True):
        given = [n for n in names if n in tables and n not in operands]
        own = [n for n in given if sum(n in other for other in takes) == 1]
        below = [n for n in given if n not in own] + [n for n in gate if n in tables]
        rows += _row(tables[n] for n in own)
        rows += [*_row(tables[n] for n in below), *room]
    placed = {table.quantity for table in rows if isinstance(table, MatrixBlock)}
    left: list[Block] = []
    end = 0
    for block in told:
        if isinstance(block, MatrixBlock) and block.quantity in placed:
            end = len(left)
        else:
            left.append(block)
    return [*left[:end], *rows, *left[end:]]


_LEAST_LINES = 2


def _shared_out(
    blocks: Sequence[Block], count: int
) -> tuple[Sequence[Block], Sequence[Sequence[AnswerSpace]]]:
    """Returns blocks without the room for working that they end with, and the room that each of so
    many gates gets of it; where somebody said how much there is to be, it stays at the end."""
    match blocks:
        case [*before, AnswerSpace(lines, to_end, exact=False)] if count:
            share = AnswerSpace(max(_LEAST_LINES, lines // count))
            return before, [[share]] * (count - 1) + [[share._replace(to_end=to_end)]]
    return blocks, [[]] * count


def _row(tables: Iterable[MatrixBlock]) -> list[MatrixBlock]:
    return [
        table._replace(origin="", display=table.display._replace(begins_row=k == 0))
        for k, table in enumerate(tables)
    ]
