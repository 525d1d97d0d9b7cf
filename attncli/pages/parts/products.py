"""Products of two matrices, laid out as on paper where a page has room for all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from attncli.document.blocks import Block, ColumnSum, Derivation, Line, each, parts_of
from attncli.document.tables import DataTable, MatrixBlock, ProductBlock, SideBySide
from attncli.maths.equations.elision import MOST_PARTS
from attncli.maths.equations.tree import Operand, Product, Sum, Total, Vector
from attncli.maths.equations.tree import each as nodes_of
from attncli.maths.operations.equation import Indexed, is_a
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.softmax import DivideByRow
from attncli.names import Name
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.selection import Selection, made_by
from attncli.trace import PlannedStep, Quantity, Trace


class Factors(NamedTuple):
    """The operands of a product of two matrices, by their places among those of the operation."""

    left: int
    above: int
    """The right one."""
    left_turned: bool
    """Whether the left one is transposed."""
    above_turned: bool
    """Whether the right one is."""
    added: int | None
    """A row that is added to each of the result's, if there is one."""


def factors_of(operation: Operation) -> Factors | None:
    """Finds the operands of an equation that is a plain product of two matrices, result[i, j] =
    Σ_k left[i, k] above[k, j], with either transposed, and with or without a bias b[j]; None of any
    other operation."""
    if not isinstance(operation, Indexed) or "j" not in operation.sides.indices:
        return None
    match operation.tree:
        case Sum((Total() as total, Operand(place, ("j",)))):
            return _factors(total, place)
        case Total() as total:
            return _factors(total, None)
        case _:
            return None


def _factors(total: Total, added: int | None) -> Factors | None:
    match total:
        case Total(k, Product((Operand() as first, Operand() as second)), None):
            ways: tuple[dict[tuple[str, ...], bool], ...] = (
                {("i", k): False, (k, "i"): True},
                {(k, "j"): False, ("j", k): True},
            )
        case _:
            return None
    for left, above in ((first, second), (second, first)):
        turned = ways[0].get(left.indices), ways[1].get(above.indices)
        if turned[0] is not None and turned[1] is not None:
            return Factors(left.place, above.place, turned[0], turned[1], added)
    return None


def is_by_cell(operation: Operation) -> bool:
    """Tells whether each number of a result is made of the one that stands in its place in the only
    operand, as by an activation."""
    if not isinstance(operation, Indexed) or operation.repeats:
        return False
    operands = [*nodes_of(operation.tree, Operand)]
    return bool(operands) and all(o == Operand(0, ("i", "j")) for o in operands)


TableOf = Callable[[Quantity], MatrixBlock]


def with_products(
    trace: Trace, part: PlannedStep, blocks: Iterable[Block], selection: Selection
) -> list[Block]:
    """Returns the blocks of a part, its products of two matrices in the place of their lines and
    tables; other tables know their softmaxes."""
    table_of = partial(matrix_block, selection=selection, path=part.path)
    kept = products_in(trace, part, blocks, table_of, selection.includes)
    made = {quantity.name: quantity for quantity in made_by(trace, part)}
    for k, block in enumerate(kept):
        quantity = made.get(block.quantity) if isinstance(block, MatrixBlock) else None
        softmax = quantity and softmax_of(trace, quantity, selection.includes)
        if not isinstance(block, MatrixBlock) or softmax is None or block.lists:
            continue
        after = table_of(softmax).alone
        if has_room(block) and has_room(after):
            kept[k] = block._replace(display=block.display._replace(after=after))
    return kept


def products_in(
    trace: Trace,
    part: PlannedStep,
    blocks: Iterable[Block],
    table_of: TableOf,
    tells: Callable[[PlannedStep], bool],
) -> list[Block]:
    """Returns the blocks of a part with its products. Tables that the blocks don't have are made by
    `table_of`, and softmaxes are those of parts that the page `tells`."""
    kept = [*each(blocks)]
    for quantity in made_by(trace, part):
        after = _made_of_rows(trace, part, quantity, tells)
        kept = _with_product(trace, quantity, after, kept, table_of)
    return kept


def _with_product(
    trace: Trace,
    quantity: Quantity,
    after: Quantity | None,
    blocks: list[Block],
    table_of: TableOf,
) -> list[Block]:
    """Returns the blocks with a quantity's product in them, where it is one that there is room
    for."""
    definition = quantity.definition
    factors = None if definition is None else factors_of(definition.operation)
    start = _place_of(blocks, quantity.name)
    if definition is None or factors is None or start is None:
        return blocks
    own = {quantity.name} if after is None else {quantity.name, after.name}
    told = tuple(_run_about(own, blocks[start:]))
    known = {table.quantity: table for table in blocks if isinstance(table, MatrixBlock)}
    if any(isinstance(block, MatrixBlock) and block.lists for block in told):
        return blocks

    def laid_out(quantity: Quantity) -> MatrixBlock:
        return (known.get(quantity.name) or table_of(quantity)).alone

    def operand(quantity: Quantity, *, transposed: bool = False) -> MatrixBlock:
        table = _asked_elsewhere(laid_out(quantity))
        return table._replace(display=table.display._replace(transposed=transposed), origin="")

    operands = [trace[name] for name in definition.operands]
    left, above = operands[factors.left], operands[factors.above]
    result = laid_out(quantity)
    product = ProductBlock(
        _called_along(operand(left, transposed=factors.left_turned), result, rows=True),
        _called_along(operand(above, transposed=factors.above_turned), result, rows=False),
        result,
        told,
        None if after is None else laid_out(after),
        None if factors.added is None else operand(operands[factors.added]),
    )
    if not all(map(has_room, product.tables)):
        return blocks
    if not _shows(blocks[start], quantity.name) or (told and not _tells_all(product)):
        return _behind_lines(product._replace(told=()), blocks)
    return [*blocks[:start], product, *blocks[start + len(told) :]]


def _behind_lines(product: ProductBlock, blocks: list[Block]) -> list[Block]:
    """Returns the blocks with a product behind the lines that work a row of it, where they have its
    other rows for data; else as they are."""
    name = product.result.quantity
    if not any(isinstance(block, DataTable) and block.table.quantity == name for block in blocks):
        return blocks
    start = next(k for k, block in enumerate(blocks) if _works(block, name)) + 1
    while start < len(blocks) and isinstance(blocks[start], ProductBlock):
        start += 1
    return [*blocks[:start], product, *blocks[start:]]


def _place_of(blocks: Sequence[Block], name: Name) -> int | None:
    """Finds the first block that tells of a quantity, or else has a line of it among others."""
    shown = (k for k, block in enumerate(blocks) if _shows(block, name))
    worked = (k for k, block in enumerate(blocks) if _works(block, name))
    return next(shown, next(worked, None))


def _works(block: Block, name: Name) -> bool:
    """Tells whether a block works some of a quantity in lines."""
    lines = block.lines if isinstance(block, Derivation) and not block.mistake else ()
    own = (line.quantity for line in lines if isinstance(line, Line))
    return name in own or (isinstance(block, ColumnSum) and block.quantity == name)


def _asked_elsewhere(table: MatrixBlock) -> MatrixBlock:
    """Returns a table as an operand, without what a sheet asks for where it makes it; of a given
    one the product has the only table."""
    if table.given or not table.blanks:
        return table
    untold = table.matrix.without(table.matrix.marked(table.blanks))
    return table._replace(matrix=untold, blanks={})


def _called_along(operand: MatrixBlock, result: MatrixBlock, *, rows: bool) -> MatrixBlock:
    """Names the rows of what stands at the left of a result, or the columns of what stands above
    it, as the result does, and shows those that it shows."""
    turned = operand.display.transposed
    names = result.names.rows if rows else result.names.columns
    own = operand.names
    own = own._replace(columns=names) if turned == rows else own._replace(rows=names)
    called = operand._replace(names=own)
    return called._replace(rows=result.rows) if rows and not turned else called


def _run_about(
    names: Collection[Name], blocks: Iterable[Block]
) -> Iterator[Derivation | ColumnSum | MatrixBlock]:
    """Yields the first blocks, as far as they are lines and tables of some quantities."""
    for block in blocks:
        if not isinstance(block, Derivation | ColumnSum | MatrixBlock):
            return
        if _told_in(block).isdisjoint(names):
            return
        yield block


def _told_in(block: Block) -> set[Name]:
    """Finds the one quantity that lines or a table tell of; none of other blocks, or of lines of
    several."""
    match block:
        case MatrixBlock():
            return {block.quantity}
        case ColumnSum():
            return {Name(block.quantity)}
        case Derivation(mistake=""):
            names = {Name(line.quantity) for line in block.lines if isinstance(line, Line)}
            return names if len(names) == 1 else set()
        case _:
            return set()


def _shows(block: Block, name: Name) -> bool:
    """Tells whether a block tells of a quantity, alone or beside others."""
    columns = block.columns if isinstance(block, SideBySide) else ()
    return name in _told_in(block) or any(table.quantity == name for _, table in columns)


def _tells_all(product: ProductBlock) -> bool:
    """Tells whether its lines or its table tell all of a result, and not single cells."""
    result = product.result
    own = [block for block in product.told if result.quantity in _told_in(block)]
    if any(isinstance(block, MatrixBlock) for block in own):
        return True
    told = [line.parts[-1][1] for block in own for line in parts_of(block, Line)]
    told += [block.total for block in own if isinstance(block, ColumnSum)]
    cells = (len(last.entries) if isinstance(last, Vector) else 1 for last in told)
    return sum(cells) == len(result.rows) * result.matrix.shape[1]


def has_room(table: MatrixBlock) -> bool:
    """Tells whether a page shows all of a table."""
    return max(len(table.rows), table.matrix.shape[1]) <= MOST_PARTS


def _made_of_rows(
    trace: Trace, part: PlannedStep, quantity: Quantity, tells: Callable[[PlannedStep], bool]
) -> Quantity | None:
    """Finds what is made of each row of a quantity alone: its softmax, where the page tells it, or
    its activation, where the same part works it."""
    softmax = softmax_of(trace, quantity, tells)
    if softmax is not None:
        return softmax
    own = {definition.name for definition in part.definitions}
    made = [m for m in _made_of(trace, quantity) if m.name in own and is_by_cell(_operation(m))]
    known = (exp for exp in made if _shares_of(trace, exp) is None)
    return next(known, None)


def softmax_of(
    trace: Trace, quantity: Quantity, tells: Callable[[PlannedStep], bool]
) -> Quantity | None:
    """Finds the softmax of the rows of a quantity, where it is of a part that the page `tells`."""
    divided = (_shares_of(trace, exp) for exp in _made_of(trace, quantity))
    softmax = next((m for m in divided if m is not None), None)
    part = None if softmax is None else trace.part_of(softmax.name)
    return softmax if part is not None and tells(part) else None


def _shares_of(trace: Trace, exp: Quantity) -> Quantity | None:
    """Finds what is made of a quantity by dividing it by the sums of its rows."""
    made = (m for m in _made_of(trace, exp) if is_a(_operation(m), DivideByRow))
    return next(made, None)


def _made_of(trace: Trace, quantity: Quantity) -> list[Quantity]:
    """Lists the tables that are made of a quantity, first of all."""
    names = (d.name for d in trace.plan if d.operands[:1] == (quantity.name,))
    made = (trace.quantities.get(name) for name in names)
    return [q for q in made if q is not None and q.definition is not None and not q.is_list]


def _operation(made: Quantity) -> Operation:
    assert made.definition is not None
    return made.definition.operation
