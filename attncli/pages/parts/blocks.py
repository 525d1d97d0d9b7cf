"""Blocks for quantities: tables of numbers and of words, rows side by side, lists, trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from attncli.document.blocks import (
    Block,
    Callout,
    DefinitionList,
    Paragraph,
    Spans,
    Subheading,
    Table,
    TextList,
    Tree,
    TreeRow,
    each,
)
from attncli.document.tables import Branch, MatrixBlock, SideBySide, TableDisplay, TableNames
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import Number, Omitted, Symbol, Vector
from attncli.maths.numbers import decimals
from attncli.maths.operations.attention import is_off_one
from attncli.names import TOP, Name, Word, below, words
from attncli.pages.parts.selection import (
    WITHIN_A_STEP,
    Selection,
    made_by,
    operands_of,
    place_in_words,
    title_of,
)
from attncli.pages.parts.sentences import called_as, in_turns, joined
from attncli.steps import step_named
from attncli.steps.input.embeddings import only_numbered
from attncli.trace import Place, PlannedStep, Quantity, Trace
from attncli.trace.axes import place_of
from attncli.trace.quantity import distinct_tokens

Row = tuple[Word | str | Omitted | Branch, ...]

MOST_ROWS = 4 * MOST_PARTS
"""What a table of words that is looked things up in may have."""

_TO_FOLD = 6


def table(headings: tuple[Word | str, ...], rows: Iterable[Row], most: int = MOST_PARTS) -> Table:
    """Returns a table; the middle of a long one is left out."""
    every = list(rows)
    places = elided(len(every), most)
    shown = ((Omitted(),) * len(headings) if k is None else every[k] for k in places)
    return Table(headings, tuple(shown))


def folded(whole: Block) -> Block:
    """Folds a table of two columns into one of four, which takes half the room, unless it is
    short."""
    if not isinstance(whole, Table) or len(whole.headings) != 2 or len(whole.rows) < _TO_FOLD:  # noqa: PLR2004
        return whole
    half = -(-len(whole.rows) // 2)
    right = [*whole.rows[half:], ("", "")][:half]
    rows = tuple((*a, *b) for a, b in zip(whole.rows[:half], right, strict=True))
    return Table(whole.headings * 2, rows, folded=True)


def rounds_between(own: int, numbers: Sequence[int]) -> list[Block]:
    """Says of the rounds after `own` that aren't told that they go the same way."""
    after = [number for number in numbers if number > own]
    if not after or after[0] == own + 1:
        return []
    last = after[0] - 1
    which = f"Rounds {own + 1} to {last} go" if last > own + 1 else f"Round {last} goes"
    return [Paragraph((f"{which} the same way.",))]


_ON_A_LINE = ("heads", "experts", "shared_expert")
"""Places whose steps are told on one line with them."""


def matrix_block(
    quantity: Quantity, selection: Selection, path: Name = TOP, *, with_sums: bool = False
) -> MatrixBlock:
    """Returns the table of a quantity, named as seen from a path."""
    rows, asked = selection.rows(quantity), selection.rows_asked_for(quantity)
    both = quantity.rows.role == "Q" and quantity.columns.role == "K"
    return MatrixBlock(
        quantity.name.seen_from(path),
        quantity.numbers,
        TableNames(
            quantity.rows.words,
            quantity.columns.words,
            (quantity.rows.role, quantity.columns.role) if both else ("", ""),
        ),
        rows,
        made_in=quantity.definition.step if quantity.definition else "",
        origin=quantity.origin,
        display=TableDisplay(with_sums=with_sums, shares=_are_shares(quantity)),
        quantity=quantity.name,
        data_rows=asked if rows != asked else (),
    )


def variant_block(variant: str, quantity: Quantity, selection: Selection) -> MatrixBlock:
    """Returns the table of a quantity of a scenario's variant."""
    return matrix_block(quantity, selection)._replace(variant=variant)


def _are_shares(quantity: Quantity) -> bool:
    """Tells whether the numbers of a row are parts of 1; of what is given, weights are."""
    step = quantity.definition.step if quantity.definition else "softmax"
    return quantity.local in step_named(step).results.adds_up_to_one


def given_blocks(
    trace: Trace, quantities: Sequence[Quantity], selection: Selection, path: Name = TOP
) -> list[Block]:
    """Returns given matrices as tables, and where they come from if the file doesn't write them
    out. Those of which a selection has no row are left out, as of what an expert makes to which no
    token goes."""
    sources = trace.scenario.given.sources
    quantities = [quantity for quantity in quantities if selection.rows(quantity)]
    elsewhere = [quantity for quantity in quantities if quantity.name in sources]
    rows = [(q.name.seen_from(path), _matrix_summary(q, sources[q.name])) for q in elsewhere]
    shown = [q for q in quantities if q.name not in sources or _is_small(q)]
    tables = (given_block(trace, quantity, selection, path) for quantity in shown)
    shares = [quantity for quantity in shown if quantity.given and _are_shares(quantity)]
    notes = (note for weights in shares for note in about_given_weights(weights))
    return [*([DefinitionList(tuple(rows))] if rows else []), *tables, *notes]


def given_block(
    trace: Trace, quantity: Quantity, selection: Selection, path: Name = TOP
) -> MatrixBlock:
    """Returns the table of a given quantity. One of embeddings by ID says whose each row is, one of
    weights what its rows add up to."""
    block = matrix_block(
        quantity, selection, path, with_sums=quantity.given and _are_shares(quantity)
    )
    text = place_of(quantity.name, trace.scenario).stack.text
    if text.table.name != quantity.name or not text.table.by_id:
        return block
    tokens = {str(number): token for token, number in text.known_ids.items()}
    whose = tuple(tokens.get(row, "") for row in quantity.rows.names)
    names = block.names._replace(tokens=words(whose))
    return block._replace(names=names) if all(whose) else block


def by_gates(part: PlannedStep, given: Sequence[Block]) -> list[Block]:
    """Arranges what a cell's gates work on: what was made before, then the given matrices, those of
    one gate, which are added up, in a row."""
    gates = {name: k for k, d in enumerate(part.definitions) for name in d.operands}
    matrices = [block for block in each(given) if isinstance(block, MatrixBlock) and block.given]
    others = [block for block in given if not isinstance(block, MatrixBlock) or not block.given]
    rows: list[Block] = []
    for _, group in groupby(matrices, lambda matrix: gates[matrix.quantity]):
        first, *more = group
        display = first.display._replace(begins_row=True)
        rows.append(first._replace(display=display, origin=""))
        rows += (matrix._replace(origin="") for matrix in more)
    return [*others, *([OF_EACH_GATE] if rows else []), *rows]


OF_EACH_GATE = Paragraph(("Given, the matrices of each gate in a row of their own:",))
"""What stands before them, where they stand together."""


def _is_small(quantity: Quantity) -> bool:
    return max(quantity.matrix.shape) <= MOST_PARTS


def _matrix_summary(quantity: Quantity, source: str) -> Spans:
    """Describes a given matrix: `512 × 512; normal, seed 7; begins [0.034, −0.012, 0.009, …]`"""
    rows, columns = quantity.matrix.shape
    size = f"{rows} × {columns}" if rows > 1 or quantity.rows.role else f"{columns}"
    if _is_small(quantity):
        return (f"{size}; ", Word(source))
    first = [quantity.matrix.number(0, j) for j in range(min(3, columns))]
    begins = Vector((*first, Omitted())) if columns > len(first) else Vector(tuple(first))
    return (f"{size}; ", Word(source), "; begins ", begins)


def together_block(
    trace: Trace, part: PlannedStep, names: Sequence[tuple[str, str]], selection: Selection
) -> SideBySide | None:
    """Returns the rows of a part's quantities side by side; None where fewer than two can be set
    so."""
    place = part.place
    found = [(heading, trace.quantities.get(place.name(name))) for name, heading in names]
    made = {quantity.name for quantity in made_by(trace, part)}
    near = made | {quantity.name for quantity in operands_of(trace, part)}
    present = [(heading, q) for heading, q in found if q is not None and q.name in near]
    if len(present) < 2 or not any(quantity.name in made for _, quantity in present):  # noqa: PLR2004
        return None
    if len({(selection.rows(q), q.rows.names) for _, q in present}) > 1:
        return None
    first = present[-1][1]
    columns = tuple(
        (heading, matrix_block(quantity, selection, place.path)) for heading, quantity in present
    )
    return SideBySide("", first.rows.words, selection.rows(first), columns)


def token_blocks(place: Place) -> list[Block]:
    """Returns the tokens of a sentence and their IDs: as a table, and as lists."""
    text = place.text
    names = words(distinct_tokens(text.tokens))
    lists: list[Block] = [TextList(below(place.path, "tokens"), names, words(text.tokens))]
    headings: tuple[str, ...] = ("Position", "Token")
    if text.ids:
        lists.append(TextList(below(place.path, "ids"), names, text.ids))
        headings = (*headings, "ID")
    rows = (
        (str(k + 1), Word(token), *((str(text.ids[k]),) if text.ids else ()))
        for k, token in enumerate(text.tokens)
    )
    return lists if only_numbered(text) else [table(headings, rows), *lists]


def tree_block(trace: Trace, parts: Sequence[PlannedStep]) -> Tree:
    """Returns the tree of what ran: every part with what it made, below its layer and head."""
    rows: list[TreeRow] = []
    before: tuple[Name, ...] = ()
    for number, part in enumerate(parts, start=1):
        ancestors = _ancestors(part.path)
        rows += _opened(before, ancestors)
        before = ancestors
        made = _made_in_short(made_by(trace, part), part.path)
        rows.append(TreeRow(len(ancestors), str(number), title_of(part), made))
    return Tree(tuple(rows))


def short_tree(parts: Sequence[PlannedStep]) -> Tree:
    """Returns the tree of what ran on one screen: the steps that are taken at one place on one
    line."""
    rows: list[TreeRow] = []
    before: tuple[Name, ...] = ()
    numbered = enumerate(parts, start=1)
    for ancestors, group in groupby(numbered, lambda pairs: _ancestors(pairs[1].path)):
        taken = list(group)
        head = ancestors[-1:] if ancestors and ancestors[-1].local in _ON_A_LINE else ()
        rows += _opened(before, ancestors[: len(ancestors) - len(head)])
        before = ancestors
        first, last = taken[0][0], taken[-1][0]
        numbers = str(first) if first == last else f"{first}–{last}"
        steps = " → ".join(in_turns([part.place.called or part.step for _, part in taken]))
        place = f"{place_in_words(head[0].alone)}: " if head else ""
        rows.append(TreeRow(len(ancestors) - len(head), numbers, (f"{place}{steps}",)))
    return Tree(tuple(rows))


def _opened(before: Sequence[Name], now: Sequence[Name]) -> list[TreeRow]:
    """Returns lines for the layers and heads that begin here."""
    return [
        TreeRow(depth, "", (place,))
        for depth, path in enumerate(now)
        if path not in before and (place := place_in_words(path.alone))
    ]


def _ancestors(path: Name) -> tuple[Name, ...]:
    """Returns the places around a path, the outermost first: `layers[1]`, `layers[1].heads[2]`.
    Norms are steps rather than places."""
    return tuple(place for place in path.places if place.local not in WITHIN_A_STEP)


def _made_in_short(made: Sequence[Quantity], path: Name) -> Spans:
    """Writes what was made in short, `Q [3, 2], K, V [5, 2]`: names, and the shape of those that
    have the same."""
    lines: list[Spans] = []
    for shape, group in groupby(made, shape_in_short):
        names = [Symbol(quantity.name.seen_from(path)) for quantity in group]
        places = elided(len(names), MOST_PARTS)
        shown = joined(("…",) if place is None else (names[place],) for place in places)
        lines.append((*shown, shape))
    return joined(lines)


def shape_in_short(quantity: Quantity) -> str:
    """Writes a shape in short: ` [3, 2]`, ` [3]` of a list, whether it lies or not; nothing of a
    single number."""
    rows, columns = quantity.matrix.shape
    if quantity.is_number:
        return ""
    if quantity.is_list or quantity.is_vector:
        return f" [{rows * columns}]"
    return f" [{rows}, {columns}]"


def common_mistakes(blocks: Sequence[Block]) -> list[Block]:
    """Returns what is told of a step's common mistakes under their heading; nothing where there are
    none."""
    return [Subheading(("Common mistakes",)), *blocks] if blocks else []


def about_given_weights(weights: Quantity) -> list[Callout]:
    """Remarks on rows that are a little off 1 as they are given. Of those that are off by more than
    their rounding can account for, the step that uses them speaks."""
    off = list(_off(weights))
    shown = (("…",) if k is None else off[k] for k in elided(len(off), MOST_PARTS))
    end = ", not to 1: each of them may have been rounded on its own."
    words = ("As they are given, the weights of ", *joined(shown, ", those of "), end)
    return [Callout(words)] if off else []


def _off(weights: Quantity) -> Iterator[Spans]:
    """Yields the rows that are a little off 1, and their sums: `I add up to 1.1`."""
    for i, row in enumerate(weights.matrix.written or ()):
        total = decimals.total(row)
        if total != 1 and not is_off_one(row):
            yield *called_as(weights.rows.names, i), " add up to ", Number.written(total)
