"""Sections of a page: their opening, the quantities of a part in them, and tokenizers.

A list that
its lines gave in full isn't printed again as a table of one column. Where only one row is worked,
the lists of a part stand together as columns of one table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from types import ModuleType
from typing import NamedTuple

from attncli.document.blocks import (
    Block,
    Callout,
    Derivation,
    Line,
    Paragraph,
    Section,
    Spans,
    Term,
    each,
    parts_of,
)
from attncli.document.retold import Followed, by_case, retold
from attncli.document.tables import DataTable, MatrixBlock, SideBySide
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import (
    ONE,
    Apply,
    Equation,
    Expression,
    MatrixProduct,
    Omitted,
    Shapes,
    Sum,
    Symbol,
    Transposed,
    Vector,
    minus,
)
from attncli.maths.equations.tree import each as nodes_of
from attncli.maths.notation import plain
from attncli.maths.operations.operation import One
from attncli.maths.operations.rearranging import ColumnsAsRows, JoinRows, TakeRows
from attncli.names import GRADIENTS, Name
from attncli.pages.parts.blocks import (
    by_gates,
    given_blocks,
    matrix_block,
    together_block,
    token_blocks,
)
from attncli.pages.parts.selection import (
    Selection,
    definitions_of,
    is_aside,
    made_by,
    place_in_words,
    title_of,
    who_goes_there,
)
from attncli.pages.parts.sentences import each_sentence, joined
from attncli.pages.parts.working import adds_up_uses, here, working_of
from attncli.steps import formulas_of
from attncli.steps.order import step_of
from attncli.trace import BackwardPlace, CellPlace, Definition, Place, PlannedStep, Quantity, Trace
from attncli.trace.quantity import counted


def _tokenizing(part: PlannedStep) -> ModuleType | None:
    """Returns the module that tells of tokenizers, for a part where that is told; else None, as few
    pages need it."""
    if part.place.text.tokenizing is None:
        return None
    from attncli.pages.parts import tokenizing

    return tokenizing


def cuts_of(part: PlannedStep, *, alone: bool) -> list[Block]:
    """Returns how words are cut into pieces at a step, or before it, where that is told; of a
    section that is read `alone`, also what one before it said."""
    tokenizing = _tokenizing(part)
    return [*tokenizing.cuts_of(part, alone=alone)] if tokenizing else []


def as_met(part: PlannedStep, block: Block) -> Block:
    """Puts a table of pairs in the order in which a reader meets them. That of a trace, the largest
    first, tells what is to be counted. Any other block is left as it is."""
    if part.step != "learn" or not isinstance(block, MatrixBlock):
        return block
    from attncli.pages.parts.tokenizing import pairs_as_met

    places = {pair: k for k, pair in enumerate(pairs_as_met(part))}
    names = [name.raw for name in block.names.rows]
    if not places.keys() >= set(names):
        return block
    return block._replace(rows=tuple(sorted(block.rows, key=lambda i: places[names[i]])))


def told_at_the_end(trace: Trace, part: PlannedStep) -> list[Block]:
    """Returns the ending of a part that tells of tokenizers; nothing of another part."""
    tokenizing = _tokenizing(part)
    tell = tokenizing and tokenizing.ENDINGS.get(part.step)
    return [*tell(trace, part)] if tell else []


def example_of(trace: Trace, part: PlannedStep) -> list[Block]:
    """Returns the working of what a part chooses, where its numbers stand in a table of its
    ending."""
    tokenizing = _tokenizing(part) if part.step == "learn" else None
    return [*tokenizing.worked_pair(trace, part)] if tokenizing else []


def learned_at(trace: Trace, part: PlannedStep) -> list[Block]:
    """Returns what a training came to, at its last round."""
    tokenizing = _tokenizing(part)
    return [*tokenizing.learned_at(trace, part)] if tokenizing else []


def in_tables(trace: Trace, part: PlannedStep) -> set[str]:
    """Finds the quantities of a part whose numbers stand in tables of its ending."""
    tokenizing = _tokenizing(part)
    local = tokenizing.IN_TABLES.get(part.step, ()) if tokenizing else ()
    return {d.name for d in definitions_of(trace, part) if d.name.local in local}


def listed_again(trace: Trace, part: PlannedStep) -> set[str]:
    """Finds the quantities of a part that another one of it shows again, all in one table."""
    if part.place.text.tokenizing is None:
        return set()
    from attncli.maths.operations.rearranging import Listed

    definitions = definitions_of(trace, part)
    return {name for m in definitions if isinstance(m.operation, Listed) for name in m.operands}


def section_of(
    trace: Trace, part: PlannedStep, number: int | None, blocks: Sequence[Block]
) -> Section:
    """Returns a section about a part."""
    formulas = formulas_at(trace, part)
    place = place_in_words(part.path)
    section = Section(part.step, number, title_of(part), formulas, tuple(blocks), part.path, place)
    return section._replace(own=part.place.called)


def formulas_at(trace: Trace, part: PlannedStep) -> tuple[Equation, ...]:
    """Returns the formulas of a part, in the names of its place."""
    return formulas_of(step_of(part), part.place, definitions_of(trace, part) or part.definitions)


def leads_on(part: PlannedStep, after: Sequence[PlannedStep]) -> bool:
    """Tells whether what comes after it tells a part in brief: of what a sublayer adds, the
    residual."""
    return bool(after) and (step_of(part).prominence.on_the_way or after[0].step == "residual")


def told_by_next(part: PlannedStep, after: Sequence[PlannedStep]) -> bool:
    """Tells whether what comes next needs no more than a part's lines, and has a table like its
    own: after what a sublayer adds comes the residual, after a residual the norm of its layer."""
    if not after or isinstance(part.place, BackwardPlace):
        return False
    kinds = part.step, after[0].step
    same_layer = after[0].path.path == part.path
    return (
        after[0].step == "residual"
        or kinds in (("scale", "softmax"), ("scale", "mask"))
        or (kinds == ("residual", "norm") and same_layer)
    )


def is_told_before(part: PlannedStep, before: Sequence[PlannedStep]) -> bool:
    """Tells whether another layer had the same residual, inside of it."""
    made = {definition.name.local for definition in part.definitions}
    return part.step == "residual" and any(
        made == {definition.name.local for definition in step.definitions} for step in before
    )


def without_twins(section: Section) -> Section:
    """Leaves out formulas that are like one before but for the quantity: of the columns that heads
    take of Q, K and V, those of K and V."""
    kept: dict[str, Equation] = {}
    for formula in section.formulas:
        text = plain(formula)
        if isinstance(formula.left, Symbol):
            local = re.escape(formula.left.name.rpartition(".")[2])
            text = re.sub(rf"(?<!\w){local}(?!\w)", "·", text)
        kept.setdefault(text, formula)
    return section._replace(formulas=tuple(kept.values()))


def without_tables(blocks: Iterable[Block]) -> list[Block]:
    """Keeps tables of what is made as data, if there are lines that work a row of them."""
    every = list(blocks)
    if not any(isinstance(block, Derivation) for block in every):
        return every
    return [DataTable(b) if isinstance(b, MatrixBlock) and not b.given else b for b in every]


def happens_again(part: PlannedStep, before: Sequence[PlannedStep]) -> bool:
    """Tells whether a page said before in the same words what happens; of steps that are
    `explained_once`, and of a step back through a cell at some time, whether one was."""
    happens = step_of(part).happens_at(part.place)
    alike = [step for step in before if step.kind == part.kind]
    if step_of(part).prominence.explained_once or is_back_in_time(part.place):
        return bool(alike)
    return any(step_of(step).happens_at(step.place) == happens for step in alike)


def is_back_in_time(place: Place) -> bool:
    return isinstance(place, BackwardPlace) and isinstance(place.forward, CellPlace)


def in_fewer_words(
    section: Section, blocks: Sequence[Block], formulas_before: Collection[Equation]
) -> Section:
    """Returns a section that happens again, with a formula that goes into its heading where it is
    another than before: of a residual, what is added to what."""
    is_new = len(section.formulas) == 1 and section.formulas[0] not in formulas_before
    formulas = section.formulas if is_new else ()
    return section._replace(blocks=tuple(blocks), formulas=formulas)


def of_sums(trace: Trace, part: PlannedStep, section: Section) -> tuple[Equation, ...]:
    """Returns the formulas of a step back that say of what several uses a gradient is the sum."""
    sums = {part.place.here(q.name) for q in made_by(trace, part) if adds_up_uses(q)}
    return tuple(f for f in section.formulas if isinstance(f.left, Symbol) and f.left.name in sums)


def as_result(section: Section, part: PlannedStep) -> Section:
    """Returns the last section with the table of what its part ends with named as the result, or
    else its closing table."""
    made = part.definitions[-1].name if part.definitions else ""
    blocks = [*section.blocks]
    own = (k for k, b in enumerate(blocks) if isinstance(b, MatrixBlock) and b.quantity == made)
    place = next(own, len(blocks) - 1)
    closing = blocks[place]
    if isinstance(closing, SideBySide):
        *others, (heading, matrix) = closing.columns
        columns = (*others, (heading, _result(matrix)))
        blocks[place] = closing._replace(caption="Result", columns=columns)
    elif isinstance(closing, MatrixBlock):
        blocks[place] = _result(closing)
    return section._replace(blocks=tuple(blocks))


def _result(table: MatrixBlock) -> MatrixBlock:
    return table._replace(display=table.display._replace(is_result=True))


_ROUNDED_BY_ITSELF = "The numbers are rounded one by one, so they need not add up to exactly 1."
ROUNDED_BY_ITSELF = Callout(retold(Followed(), _ROUNDED_BY_ITSELF))
"""It is the same whatever its numbers are."""


class ShownQuantity(NamedTuple):
    """A quantity as a page shows it."""

    quantity: Quantity
    """The quantity itself."""
    working: list[Block]
    """The blocks of its working."""
    table: MatrixBlock | None
    """Its table; None where its rows stand in another one."""
    again: bool = False
    """Whether a later quantity of the part lists it again."""
    repeats: bool = False
    """Whether it repeats another quantity of the part, so that it is not told in brief."""

    @property
    def table_has_sums(self) -> bool:
        return self.table is not None and self.table.display.with_sums


def shown_quantities(
    trace: Trace, part: PlannedStep, selection: Selection, *, one_row: bool = False
) -> list[ShownQuantity]:
    """Lists what a part made, with working and tables; `one_row` works only the last row where no
    queries are asked for."""
    step = step_of(part)
    listed = listed_again(trace, part)
    aside = {part.place.name(name) for name, _ in step.results.together} | listed
    quantities, made = [], made_by(trace, part)
    remarks: list[Block] = []
    for quantity in made:
        sums = quantity.local in step.results.adds_up_to_one
        table = matrix_block(quantity, selection, part.path, with_sums=sums)
        table = _turned(table) if trace.scenario.page.show.layout == "column" else table
        repeats = _is_repeated(quantity, made) or is_aside(trace, quantity)
        repeats = repeats and selection.detail != "full"
        working = [] if repeats else working_of(trace, quantity, selection, one_row=one_row)
        if part.place.called:
            new = [x for x in _remarks_of(trace, part, (quantity,)) if x not in remarks]
            remarks += new
            working = [*_formula_of(part, quantity), *new, *working]
        shown = None if quantity.name in aside else table
        quantities.append(ShownQuantity(quantity, working, shown, quantity.name in listed, repeats))
    return quantities


def _turned(table: MatrixBlock) -> MatrixBlock:
    """Turns a table of one query's numbers into a column."""
    turned = len(table.rows) == 1 and all(table.names.roles)
    return table._replace(display=table.display._replace(turned=turned))


def one_by_one(quantities: Iterable[ShownQuantity]) -> list[Block]:
    """Returns each quantity's working with its table behind it, as an exercise has them."""
    blocks: list[Block] = []
    for quantity in quantities:
        blocks = (
            _gone_on(blocks, quantity.working) if quantity.again else [*blocks, *quantity.working]
        )
        if quantity.table is not None:
            blocks += [quantity.table, *_about_sums(quantity.table)]
    return blocks


def arranged(
    trace: Trace, part: PlannedStep, selection: Selection, *, again: bool = False
) -> list[Block]:
    """Arranges the quantities of a part as a page has them: no number twice in a row of its own. Of
    a step that is told `again` in brief, the last matrix stands for those before it."""
    one_row = selection.detail == "rows"
    quantities = shown_quantities(trace, part, selection, one_row=one_row)
    if part.place.called:
        return _each_in_turn(quantities, selection)
    blocks = _arranged(trace, part, selection, quantities, again=again)
    return blocks if selection.detail == "full" else _working_first(blocks)


def _arranged(
    trace: Trace,
    part: PlannedStep,
    selection: Selection,
    quantities: Sequence[ShownQuantity],
    *,
    again: bool,
) -> list[Block]:
    shown_later, one_row = in_tables(trace, part), selection.detail == "rows"
    blocks: list[Block] = []
    lists: list[MatrixBlock] = []
    brief = selection.detail == "summary" and not all(q.quantity.is_list for q in quantities)
    for quantity in quantities:
        if quantity.quantity.name in shown_later:
            working = [] if one_row else quantity.working
            blocks = _gone_on(blocks, working) if quantity.again else [*blocks, *working]
            blocks += [] if quantity.table is None else [DataTable(quantity.table)]
        elif quantity.table is not None and (
            (selection.tells_less and _is_on_the_way(trace, part, quantity, selection))
            or _is_known(
                trace,
                quantity,
                selection,
                again=again
                and quantity is not quantities[-1]
                and not adds_up_uses(quantity.quantity),
            )
        ):
            blocks += [*quantity.working, DataTable(quantity.table)]
        elif _sums_up(quantity, blocks):
            blocks = _as_column(blocks, quantity)
        elif quantity.quantity.is_list and quantity.table is not None:
            blocks += quantity.working
            whole = _is_whole(quantity, selection)
            if row := _row_of(trace, part, quantity, whole=whole):
                blocks = _gone_on(blocks, row)
            elif not (whole or (brief and quantity is not quantities[-1])):
                lists.append(quantity.table)
                continue
            blocks[-1:] = [DataTable(quantity.table), *blocks[-1:]]
        else:
            blocks += one_by_one([quantity])
    return [*blocks, *_columns(lists)]


def _each_in_turn(quantities: Sequence[ShownQuantity], selection: Selection) -> list[Block]:
    """Returns each quantity of a scenario's own step after its formula: its working, its table. A
    number needs no table, nor does a list that its lines gave, or what meets a condition."""
    blocks: list[Block] = []
    for quantity in quantities:
        definition, table, own = quantity.quantity.definition, quantity.table, quantity.quantity
        is_aside = definition is not None and definition.operation.is_condition
        is_told = any(isinstance(block, Derivation) for block in quantity.working)
        is_given = is_told and own.is_list and _is_whole(quantity, selection)
        if table is not None and (is_aside or own.is_number or is_given):
            blocks += [*quantity.working, DataTable(table)]
        else:
            blocks += one_by_one([quantity])
    return blocks


def _formula_of(part: PlannedStep, quantity: Quantity) -> list[Block]:
    """Returns the formula of what a scenario's own step makes, which stands before its working."""
    definition = quantity.definition
    if definition is None or definition.operation.is_condition:
        return []
    if isinstance(definition.operation, JoinRows):
        return []
    names = map(part.place.here, (definition.name, *definition.operands))
    return [Paragraph((formula,)) for formula in definition.operation.formulas(*names)]


def formulas_before(part: PlannedStep, quantities: Iterable[Quantity]) -> list[Block]:
    """Returns the formulas of some of what a scenario's own step makes; nothing for other steps."""
    if not part.place.called:
        return []
    return [block for quantity in quantities for block in _formula_of(part, quantity)]


def only_data(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """Returns the quantities of a part that a page in brief goes without, for formats that keep
    data."""
    return [DataTable(matrix_block(q, selection, part.path)) for q in made_by(trace, part)]


def _working_first(blocks: Sequence[Block]) -> list[Block]:
    """Puts all lines of working into one block before the tables, which can stand side by side."""
    lines = [
        line for block in each(blocks) if isinstance(block, Derivation) for line in block.lines
    ]
    tables = [block for block in blocks if isinstance(block, MatrixBlock)]
    others = [entry for entry in blocks if not isinstance(entry, Derivation | MatrixBlock)]
    return [*([Derivation(tuple(lines))] if lines else []), *tables, *others]


def _is_repeated(quantity: Quantity, made: Sequence[Quantity]) -> bool:
    """Tells whether a quantity has the numbers of another that the part made, as they are or put
    back to where they came from; or one number, which its formula tells."""
    definition = quantity.definition
    if definition is not None and isinstance(definition.operation, One):
        return True
    if definition is None or not definition.operation.repeats:
        return False
    return definition.operands[-1] in [other.name for other in made]


def _is_whole(quantity: ShownQuantity, selection: Selection) -> bool:
    """Tells whether the lines gave all of a list."""
    some = selection.detail == "rows" and not selection.picks(quantity.quantity)
    return bool(quantity.working) and (not some or quantity.quantity.matrix.shape[0] == 1)


def _is_known(trace: Trace, quantity: ShownQuantity, selection: Selection, *, again: bool) -> bool:
    """Tells whether a page that is told in brief goes without the table of a matrix: its numbers
    are those of others, or of its only line, or it leads to the last one of a step told again."""
    definition = quantity.quantity.definition
    if quantity.repeats or (definition is not None and definition.operation.stands_in_a_table):
        return True
    if definition is None or quantity.quantity.is_list or selection.detail == "full":
        return False
    if definition.step == "mask" or isinstance(definition.operation, ColumnsAsRows):
        return False  # the step is there for the table
    if _is_by_one_use(trace, quantity.quantity.name):
        return True
    if again or definition.operation.copies or _is_looked_up(trace, definition):
        return True
    in_its_line = bool(quantity.working) and len(quantity.quantity.rows.names) == 1
    return in_its_line and not quantity.table_has_sums


def _is_on_the_way(
    trace: Trace, part: PlannedStep, quantity: ShownQuantity, selection: Selection
) -> bool:
    """Tells whether a quantity is there for another of its part alone, and the lines above tell
    enough of it: all its numbers, or of a page by rows that of the row that is worked."""
    own, name = {d.name for d in part.definitions}, quantity.quantity.name
    users = [d.name for d in trace.plan if name in d.operands and d.name in trace]
    if not users or not own.issuperset(users) or isinstance(part.place, BackwardPlace):
        return False
    if part.step == "mask" or not quantity.working or selection.detail == "summary":
        return False
    return selection.detail == "rows" or not _leaves_out(quantity.working)


def _leaves_out(blocks: Iterable[Block]) -> bool:
    """Tells whether some lines of working, or terms of these, are left out."""
    parts = (part for block in blocks for part in parts_of(block, Omitted))
    return any(True for _ in parts)


def _is_by_one_use(trace: Trace, name: Name) -> bool:
    """Tells whether a gradient comes by one use of several, `grad.X.layers[1].Q`, which are added
    up for the table of `grad.X`."""
    return name.inside(GRADIENTS) and any(place in trace.quantities for place in name.path.places)


def _is_looked_up(trace: Trace, definition: Definition) -> bool:
    """Tells whether a matrix has rows of one that is written out in the scenario."""
    if not isinstance(definition.operation, TakeRows):
        return False
    return all(
        trace[name].given and name not in trace.scenario.given.sources
        for name in definition.operands
    )


def _sums_up(quantity: ShownQuantity, blocks: Sequence[Block]) -> bool:
    """Tells whether a list has a number for each row of the table before it, made of that row."""
    definition = quantity.quantity.definition
    match blocks:
        case [*_, MatrixBlock() as table] if (
            quantity.quantity.is_list and quantity.table and definition
        ):
            return definition.operands == (table.quantity,) and table.rows == quantity.table.rows
        case _:
            return False


def _as_column(blocks: Sequence[Block], quantity: ShownQuantity) -> list[Block]:
    """Returns the blocks with a list as one more column of their last table, which stands behind
    the list's working."""
    *before, table = blocks
    assert isinstance(table, MatrixBlock)
    assert quantity.table is not None
    return [*before, *quantity.working, table._replace(lists=(*table.lists, quantity.table))]


def _columns(lists: Sequence[MatrixBlock]) -> list[Block]:
    """Puts lists of the same rows as columns into one table."""
    groups = groupby(lists, lambda table: table.names.rows)
    tables = ([*group] for _, group in groups)
    return [first._replace(lists=tuple(others)) for first, *others in tables]


def _row_of(trace: Trace, part: PlannedStep, what: ShownQuantity, *, whole: bool) -> list[Block]:
    """Returns a vector of a cell at a time as one row, `a[1] = [0.508, 0.000]`: a state, or one
    that its lines don't give in full; so also a single number."""
    quantity = what.quantity
    count = quantity.matrix.shape[0]
    if whole and (part.step != "state" or quantity.is_number):
        return []
    expression: Expression = quantity.number(0, 0)
    if not quantity.is_number:
        if quantity.name.time is None or quantity.rows.names != counted(count) or count == 1:
            return []
        places = elided(count, MOST_PARTS)
        expression = Vector(
            tuple(Omitted() if i is None else quantity.number(i, 0) for i in places)
        )
    label = quantity.name_symbol(here(trace, quantity))
    return [Derivation((Line(label, (("=", expression),), quantity.name),))]


def _gone_on(blocks: Sequence[Block], working: Sequence[Block]) -> list[Block]:
    """Returns blocks with some working after them, in one block with the working that is there
    last."""
    match [*blocks[-1:], *working]:
        case [Derivation(before), Derivation(after)]:
            return [*blocks[:-1], Derivation((*before, *after))]
        case _:
            return [*blocks, *working]


def _about_sums(table: MatrixBlock) -> list[Block]:
    """Remarks on rows that don't add up to 1 as they are shown."""
    if not table.display.with_sums:
        return []
    shown = elided(len(table.rows), MOST_PARTS)
    sums = [Sum(table.matrix.row(table.rows[k]).entries) for k in shown if k is not None]
    off = Sum(tuple(Apply("abs", (minus(total, ONE),)) for total in sums))
    spans = by_case((off, (_ROUNDED_BY_ITSELF,)))
    return [Callout(spans)] if spans else []


def opening_blocks(
    trace: Trace,
    part: PlannedStep,
    selection: Selection,
    givens: Sequence[Quantity],
    *,
    alone: bool = False,
) -> list[Block]:
    """Returns what opens a part: what happens, the given matrices that it needs, remarks on how it
    is done here; in a section that is read `alone`, also what one before it said."""
    made = made_by(trace, part)
    shown = not selection.queries or any(q.shape[0] - 1 in selection.queries for q in made)
    happens = step_of(part).happens_at(part.place, with_last_row=shown)
    blocks: list[Block] = [Paragraph(happens)] if any(happens) else []
    if part.step == "tokenize":
        return [*blocks, *cuts_of(part, alone=alone), *token_blocks(part.place)]
    given = given_blocks(trace, givens, selection, part.path)
    blocks += by_gates(part, given) if part.step == "gates" else given
    blocks += cuts_of(part, alone=alone)
    if not part.place.called:  # whose formulas stand with what they make
        blocks += remarks_on(trace, part)
    if part.path.local == "experts":
        blocks.append(Callout(who_goes_there(trace, part)))
    return blocks


def remarks_on(trace: Trace, part: PlannedStep) -> list[Block]:
    """Says what has to be said of how a step was done on these numbers."""
    return _remarks_of(trace, part, made_by(trace, part))


def _remarks_of(trace: Trace, part: PlannedStep, made: Iterable[Quantity]) -> list[Block]:
    """Says what has to be said of how some quantities of a part were made."""
    names = {quantity.name for quantity in made}
    remarks = [
        definition.operation.remark(*trace.operands(definition))
        for definition in definitions_of(trace, part)
        if definition.name in names
    ]
    return [Callout((remark,)) for remark in dict.fromkeys(remarks) if remark is not None]


def table_together(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """Returns the rows of what a step made and started from, side by side, or as tables; nothing of
    a step that sets none together."""
    together = step_of(part).results.together
    if not together:
        return []
    table = together_block(trace, part, together, selection)
    if table is not None:
        return [table]
    aside = {part.place.name(name) for name, _ in together}
    made = [quantity for quantity in made_by(trace, part) if quantity.name in aside]
    return [matrix_block(quantity, selection, part.path) for quantity in made]


def opening_of(trace: Trace, part: PlannedStep, before: Sequence[PlannedStep]) -> Spans:
    """Returns the paragraph that opens a section. What a page has said `before` of the same step it
    doesn't say again: its purpose, and shapes that are the same."""
    step = step_of(part)
    alike = [entry for entry in before if entry.kind == part.kind]
    shapes = shapes_in(trace, part)
    if alike and shapes_in(trace, alike[-1]) == shapes:
        shapes = ()
    spans = joined(((equation,) for equation in shapes), ", ")
    purpose = () if alike else (step.why_here(part.place),)
    if isinstance(part.place, BackwardPlace) and not any(
        isinstance(entry.place, BackwardPlace) for entry in before
    ):
        purpose = (*purpose, *_GRADIENT)
    happens = _unless_said(part, alike, before)
    sizes = ("Shapes: ", *spans, ".") if spans else ()
    return joined((words for words in (purpose, happens, sizes) if any(words)), " ")


_GRADIENT: Spans = (
    " Here ", Term("grad.x"), " is the gradient of x, the derivative of the loss by x: how fast the"
    " loss grows with x.",
)  # fmt: skip


def _unless_said(
    part: PlannedStep, alike: Sequence[PlannedStep], before: Sequence[PlannedStep]
) -> Spans:
    """Says what happens at a part, without the sentences that steps like it have said before: of a
    way back those of any other."""
    others = [*alike[:1], *alike[-1:]]
    if not others and isinstance(part.place, BackwardPlace):
        others = [entry for entry in before if isinstance(entry.place, BackwardPlace)]
    told = (each_sentence(step_of(entry).happens_at(entry.place)) for entry in others)
    said = {sentence for sentences in told for sentence in sentences}
    own = each_sentence(step_of(part).happens_at(part.place))
    return joined((sentence for sentence in own if sentence not in said), " ")


def shapes_in(trace: Trace, part: PlannedStep) -> tuple[Equation, ...]:
    """Returns the shapes of the products of matrices that a part makes, each once: `(3 × 2)(2 × 4)
    = (3 × 4)`."""
    made = definitions_of(trace, part)
    return tuple(dict.fromkeys(shapes for d in made for shapes in _shapes(trace, d)))


def _shapes(trace: Trace, definition: Definition) -> Iterator[Equation]:
    formula = definition.operation.formula(definition.name, *definition.operands)
    for product in nodes_of(formula.right, MatrixProduct):
        sizes = [_size(trace, factor) for factor in product.factors]
        known = tuple(size for size in sizes if size is not None)
        if len(known) == len(sizes):
            result = (known[0][0], known[-1][1])
            yield Equation(Shapes(known), Shapes((result,)))


def _size(trace: Trace, factor: Expression) -> tuple[int, int] | None:
    """Finds the rows and columns of what a formula names, if it is a quantity or one turned over;
    else None."""
    match factor:
        case Transposed(operand):
            size = _size(trace, operand)
            return None if size is None else (size[1], size[0])
        case Symbol(name):
            quantity = trace.quantities.get(Name(name))
            return None if quantity is None else quantity.matrix.shape
        case _:
            return None
