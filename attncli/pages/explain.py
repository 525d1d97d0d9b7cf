"""Pages of a single step, of a single quantity, and of the working of single cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product
from typing import cast

from attncli.document.blocks import Derivation, Document, Interactive, Line, PageData, Subheading
from attncli.errors import Problem, listed, shortened
from attncli.maths.equations.tree import Number, Symbol
from attncli.names import Name, Word, below
from attncli.pages.parts.blocks import given_block, given_blocks, matrix_block
from attncli.pages.parts.published import differences_at
from attncli.pages.parts.sections import section_of
from attncli.pages.parts.selection import (
    Selection,
    SelectionError,
    check_on_page,
    check_steps,
    find_time,
    made_by,
    own_steps,
    select,
    sentence_axis,
    shown_of,
    shown_parts,
    tried,
)
from attncli.pages.parts.sentences import about_of, facts_of, rounding_facts
from attncli.pages.parts.working import Origins, Workings, cell_line, working_of
from attncli.pages.walkthrough import walkthrough
from attncli.scenario.file.address import (
    EVERY,
    LAST,
    Address,
    AddressError,
    Index,
    matching,
    parse_address,
    parse_pattern,
)
from attncli.scenario.file.problems import ALL_THE_SAME
from attncli.scenario.model import Stack, TokenizedText
from attncli.scenario.scenario import MOST_LINES
from attncli.steps.schema import step_meant
from attncli.trace import PlannedStep, Quantity, Trace
from attncli.trace.quantity import known_name, meant, timed
from attncli.trace.trace import parts_of

CellMeant = tuple[Name, Address]
"""A cell that somebody names: the quantity, or the list, that it is of, and its address."""


def find_cells(
    trace: Trace,
    texts: Sequence[str],
    others: Sequence[tuple[str, object]] = (),
    option: str = "--cell ",
    within: Selection | None = None,
) -> list[CellMeant]:
    """Finds the cells that an option or argument names: one, or all of a pattern; `within` chooses
    among those of a pattern, and says of which head, layer or time a name is. `others` are options
    that don't go with it. Raises SelectionError."""
    wrong: list[Problem] = []
    chosen = Selection() if within is None else within
    found = tried(lambda text: _cells_meant(trace, text, option, chosen), texts, wrong)
    wrong += [
        Problem.of(option, "a cell says itself of which step it is", f"leave {option} out")
        for option, given in others
        if given
    ]
    if wrong:
        raise SelectionError(wrong)
    return [cell for cells in found for cell in cells]


def names_of(trace: Trace) -> list[Name]:
    """Lists the names of all quantities, by which they are known; none is worked for it."""
    return [*cast("Iterable[Name]", trace.quantities)]


def _cells_meant(trace: Trace, text: str, option: str, within: Selection) -> list[CellMeant]:
    """Lists the cells that a text means: those of a pattern, or else the one that it names. Raises
    SelectionError."""
    try:
        address = parse_pattern(text)
        found = _of_pattern(trace, address, within)
    except AddressError as error:
        raise SelectionError.of(f"{option}{text}", error.wrong, error.right) from None
    if found is None:
        return [find_cell(trace, text, option)]
    if len(found) > MOST_LINES and not trace.scenario.file.large:
        wrong, right = f"{len(found):,} cells are too many", f"name fewer, or give {ALL_THE_SAME}"
        raise SelectionError.of(f"{option}{text}", wrong, right)
    kept = [(q, i, j) for q, i, j in found if _is_within(trace, within, q, i, j)]
    if not kept:
        wrong = "it names no cell of the part that is asked for"
        raise SelectionError.of(f"{option}{text}", wrong, "leave --head, --layer and the like out")
    return [(q.name, address_of(q, i, j)) for q, i, j in kept]


def _is_within(trace: Trace, within: Selection, quantity: Quantity, i: int, j: int) -> bool:
    """Tells whether a cell is of a part, a row and a column that are selected."""
    part = trace.part_of(quantity.name)
    if part is not None and not within.includes(part):
        return False
    if within.picks(quantity) and i not in within.queries:
        return False
    return not within.sides.said or (i, j) in within.sides.cells(quantity)


def _of_pattern(
    trace: Trace, address: Address, within: Selection
) -> list[tuple[Quantity, int, int]] | None:
    """Lists the cells that an address of several means, or that the selected head, layer or time
    tells the quantity of; None where it is no such address. Raises AddressError."""
    of_time = _of_time(trace, address)
    if of_time is not None:
        return of_time
    quantities = _quantities_meant(trace, address.name, within)
    several = len(quantities) > 1 or any(i.is_every or i.is_last for i in address.indices)
    is_other = bool(quantities) and meant(address.name, trace.quantities) is None
    found = [cell for q in quantities for cell in _along(q, address.indices)]
    if several or is_other or len(found) > 1:
        whole = all(quantity.is_timed for quantity in quantities)
        return found if found and (address.indices or whole) else None
    return None


def _quantities_meant(trace: Trace, name: str, within: Selection) -> list[Quantity]:
    """Lists the quantities of a name: with `[*]` or `[last]` in it those that match, else the one
    that is called so, or those of the selected head, layer or time."""
    known = trace.quantities
    if f"[{EVERY}]" in name or f"[{LAST}]" in name:
        matches = [q.name for q in known.values() if matching(name).fullmatch(q.name)]
        for bracket in re.finditer(rf"\[({re.escape(EVERY)}|{LAST})\]", name):
            if bracket[1] == LAST:
                matches = _last_of(matches, name[: bracket.start()])
        return [known[entry] for entry in matches]
    own = meant(name, known)
    if own is not None:
        return [own]
    if not within.partial:
        return []
    alike = [q for q in known.values() if q.name.seen_from(q.name.path).at(None) == name]
    return [
        q for q in alike if (part := trace.part_of(q.name)) is not None and within.includes(part)
    ]


def _last_of(names: Sequence[Name], before: str) -> list[Name]:
    """Keeps those of some names that have the largest number behind their beginning."""
    begins = re.compile(rf"{matching(before).pattern}\[(\d+)\]")
    numbers = [(int(found[1]), name) for name in names if (found := begins.match(name))]
    return [name for number, name in numbers if number == max(n for n, _ in numbers)]


def _along(quantity: Quantity, indices: Sequence[Index]) -> list[tuple[Quantity, int, int]]:
    """Lists the cells of a quantity that indices mean: what they don't say is all. Raises
    AddressError."""
    sides = [axis for axis in (quantity.rows, quantity.columns) if axis.names not in ((), ("",))]
    if len(indices) > len(sides):
        return []
    places = [
        axis.places(index, quantity.name) for axis, index in zip(sides, indices, strict=False)
    ]
    n, m = quantity.shape
    if quantity.is_vector:
        places.insert(0, range(n))
    rest = (range(n), range(m))[len(places) :]
    return [(quantity, i, j) for i, j in product(*places, *rest)]


def _of_time(trace: Trace, address: Address) -> list[tuple[Quantity, int, int]] | None:
    """Lists all cells of what is of one time, `a[2]`, `gates[2].forget`, or of what a step makes
    then, `gates[2]`; None where the address means something else."""
    if len(address.indices) > 1:
        return None
    inside = f"[{address.indices[0].text}]" if address.indices else ""
    whole = address.name + inside
    quantities = _quantities_meant(trace, whole, Selection())
    if all(q.is_timed for q in quantities) and quantities:
        return [cell for q in quantities for cell in _along(q, ())]
    if not inside or quantities:
        return None
    index, parts = address.indices[0], [p for p in shown_parts(trace) if p.called == address.name]
    times = [part.time for part in parts if part.time is not None]
    if not times:
        return None
    try:
        chosen = times if index.is_every else [find_time(trace, index.text)]
    except SelectionError as error:
        right = error.problems[0].right
        raise AddressError(f"{address.name} has no step {index.text}", right) from None
    made = (q for part in parts if part.time in chosen for q in made_by(trace, part))
    return [cell for q in made for cell in _along(q, ())]


def address_of(quantity: Quantity, i: int, j: int) -> Address:
    """Returns the address of a cell, counted from 0. It isn't parsed, since its name may end in a
    time."""
    axes = () if quantity.is_number else (quantity.rows, quantity.columns)
    named = [axis.names[place] for axis, place in zip(axes, (i, j), strict=False) if axis.names]
    named = named[1:] if quantity.is_vector else named
    return Address(quantity.name, tuple(Index(name, quoted=True) for name in named))


def find_cell(trace: Trace, text: str, option: str = "--cell ") -> CellMeant:
    """Finds the quantity, or the list, and the address that a text means; `option` is what named
    it. Raises SelectionError."""
    lists = [
        below(stack.path, name)
        for stack in trace.scenario.stacks
        for name in ("tokens", "ids")
        if getattr(stack.text, name)
    ]
    address = Address(text)
    try:
        address = parse_address(text)
        known = [*names_of(trace), *lists]
        at_a_time = timed(address, {name: name for name in known})
        if at_a_time.name in trace.quantities and trace[at_a_time.name].is_number:
            address = at_a_time
        name = known_name(
            address.name, known, lambda word: _loss_meant(trace, word) or step_meant(word)
        )
        if name in trace.quantities:
            trace[name].find(address)
        else:
            place_in_list(text_of_list(trace, name), address)
    except AddressError as error:
        wrong, right = _at_a_time(trace, address) or (error.wrong, error.right)
        raise SelectionError.of(
            f"{option}{text}", wrong, right + _together(trace, address)
        ) from None
    return name, address


def _loss_meant(trace: Trace, word: str) -> str | None:
    """Says what the loss is called here, where a word calls it otherwise (`mse`); else None."""
    path, _, local = word.rpartition("loss")
    loss = path + trace.scenario.prediction.loss.name
    return f"the loss here is {loss}" if not local and loss in trace else None


def _together(trace: Trace, address: Address) -> str:
    """Suggests the number that all of a list makes, where the list is named whole: the losses of
    all positions make the cross-entropy. Else nothing."""
    made = (q.definition for q in trace.quantities.values() if q.is_number)
    of_all = [d.name for d in made if d is not None and d.operands == (address.name,)]
    return f", or {of_all[0]} for all of them" if of_all and not address.indices else ""


def _at_a_time(trace: Trace, address: Address) -> tuple[str, str] | None:
    """Returns what is wrong and right where `a[2, 1]` is said and `a[2][1]` is meant; else None."""
    if not address.indices:
        return None
    time, *others = (index.text for index in address.indices)
    name = f"{address.name}[{time}]"
    if name not in trace.quantities or not others:
        return None
    return "the step stands by itself", f"did you mean {name}[{listed(others)}]?"


def text_of_list(trace: Trace, name: Name) -> TokenizedText:
    """Returns the text that a list such as `encoder.tokens` belongs to."""
    stacks: dict[Name, Stack] = {stack.path: stack for stack in trace.scenario.stacks}
    return stacks[name.path].text


def place_in_list(text: TokenizedText, address: Address) -> int:
    """Finds the place, from 0, of the token that an index of `tokens` or `ids` means. Raises
    AddressError."""
    axis = sentence_axis(text)
    if len(address.indices) != 1:
        example = f"{address.name}[{shortened(axis.index(0))}]"
        raise AddressError(f"{address.name} is addressed by a token", f"write it like {example}")
    return axis.find(address.indices[0], "the sentence")


def cells_page(trace: Trace, wanted: Sequence[CellMeant]) -> Document:
    """Returns the page of single cells: the working of each, with no term left out."""
    worked = [*parts_of(trace)]
    lines: dict[int | None, list[Line]] = {}
    for name, address in wanted:
        lines.setdefault(_part_of(worked, name), []).append(line_of(trace, name, address))
    last = max((k for k in lines if k is not None), default=-1)
    numbers = {  # those on the page of the whole trace
        id(part): number for number, part in enumerate(shown_of(trace, worked[: last + 1]), start=1)
    }
    cells = {(name, *_place(trace, name, address)) for name, address in wanted}
    sections = [
        section_of(
            trace,
            part,
            numbers.get(id(part)),
            (Derivation(tuple(lines[k])), *differences_at(trace, part, cells)),
        )
        for k, part in enumerate(worked)
        if k in lines
    ]
    given = lines.get(None)
    return Document(
        Word(trace.scenario.title),
        tuple(sections),
        closing=(Subheading(("Given",)), Derivation(tuple(given))) if given else (),
        data=PageData(rounding=rounding_facts(trace)),
        interactive=Interactive(Origins(trace), Workings(trace)),
    )


def _part_of(worked: Sequence[PlannedStep], name: str) -> int | None:
    """Finds the place among the parts of the one that made a quantity; None for a given one."""
    for k, part in enumerate(worked):
        if any(definition.name == name for definition in part.definitions):
            return k
        if part.step == "tokenize" and name in (
            part.place.name("tokens"), part.place.name("ids")
        ):  # fmt: skip
            return k
    return None


def _place(trace: Trace, name: Name, address: Address) -> tuple[int, int]:
    """Finds the row and column, from 0, of a cell or of an entry of a list."""
    if name in trace.quantities:
        return trace[name].find(address)
    return place_in_list(text_of_list(trace, name), address), 0


def line_of(trace: Trace, name: Name, address: Address) -> Line:
    """Returns the line of working of a cell, or of an entry of a list."""
    if name in trace.quantities:
        quantity = trace[name]
        return cell_line(trace, quantity, *quantity.find(address), whole=True)
    text = text_of_list(trace, name)
    place = place_in_list(text, address)
    label = Symbol(name, (Word(sentence_axis(text).index(place)),))
    ids = name.local == "ids"
    value = Number.written(text.ids[place]) if ids else Word(text.tokens[place])
    return Line(label, (("=", value),), name)


_MOST_IN_FULL = 60
"""A quantity with more cells than this is worked row by row."""


def step_page(
    trace: Trace, name: str, token: str | None, layer: str | None, head: str | None
) -> Document:
    """Returns the page of a step: of a token, a layer and a head, if these are said. Raises
    SelectionError."""
    check_steps([name], own_steps(trace))
    chosen = select(trace, [name], token, layer=layer, head=head)
    check_on_page(trace, chosen)
    return walkthrough(trace, chosen)


def given_page(trace: Trace) -> Document:
    """Returns the page of what a scenario is about and gives, before anything is worked."""
    scenario = trace.scenario
    given = [trace.quantities[name] for name in scenario.given.matrices]
    return Document(
        Word(scenario.title),
        (),
        facts_of(trace),
        about=about_of(scenario),
        opening=tuple(given_blocks(trace, given, Selection())),
        data=PageData(rounding=rounding_facts(trace)),
        interactive=Interactive(Origins(trace)),
    )


def quantity_page(trace: Trace, quantity: Quantity) -> Document:
    """Returns the page of a quantity: its table, and before it the working, where it was made."""
    page = Document(
        Word(trace.scenario.title),
        (),
        data=PageData(rounding=rounding_facts(trace)),
        interactive=Interactive(Origins(trace)),
    )
    part = trace.part_of(quantity.name)
    if part is None:
        return page._replace(opening=(given_block(trace, quantity, Selection()),))
    detail = "full" if quantity.matrix.size <= _MOST_IN_FULL else "rows"
    worked = working_of(trace, quantity, Selection(detail=detail))
    table = matrix_block(quantity, Selection(), part.path)
    return page._replace(sections=(section_of(trace, part, None, [*worked, table]),))
