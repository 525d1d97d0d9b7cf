"""The tables of a cell's gates on a sheet: blanks below what they are worked from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attncli.document.blocks import Block, each
from attncli.document.tables import MatrixBlock
from attncli.names import Name
from attncli.pages.parts.blocks import OF_EACH_GATE
from attncli.trace import Definition


def gate_by_gate(blocks: Iterable[Block], definitions: Sequence[Definition]) -> list[Block]:
    """Returns the blocks of the gates that `definitions` make, gate by gate: the matrices that it
    alone takes in a row, below these what all take, and its own tables. So each can be worked from
    what stands beside it, on whatever page that is."""
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
    rows = list[MatrixBlock]()
    for gate, names in zip(gates, takes, strict=True):
        given = [n for n in names if n in tables and n not in operands]
        own = [n for n in given if sum(n in other for other in takes) == 1]
        below = [n for n in given if n not in own] + [n for n in gate if n in tables]
        rows += _row(tables[n] for n in own)
        rows += _row(tables[n] for n in below)
    placed = {table.quantity for table in rows}
    left: list[Block] = []
    end = 0
    for block in known:
        if isinstance(block, MatrixBlock) and block.quantity in placed:
            end = len(left)
        else:
            left.append(block)
    return [*left[:end], *rows, *left[end:]]


def _row(tables: Iterable[MatrixBlock]) -> list[MatrixBlock]:
    return [
        table._replace(origin="", display=table.display._replace(begins_row=k == 0))
        for k, table in enumerate(tables)
    ]
