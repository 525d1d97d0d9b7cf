"""The whole worked trace, or a part of it, as a document."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attncli.arithmetic.elision import MOST_PARTS
from attncli.document import (
    Block,
    Document,
    MatrixBlock,
    Note,
    Prose,
    Section,
    SideBySide,
    Tree,
)
from attncli.file.problems import ALL_THE_SAME
from attncli.refusals import Problem, listed
from attncli.scenario.budget import MOST_LINES
from attncli.steps import formulas_of
from attncli.telling.afterwards import ending_of
from attncli.telling.blocks import (
    by_gates,
    given_block,
    given_blocks,
    matrix_block,
    short_tree,
    together_block,
    token_blocks,
    tree_block,
)
from attncli.telling.closing import closing_of
from attncli.telling.facts import facts_of, rounding_facts
from attncli.telling.opening import opening_of
from attncli.telling.parts import (
    definitions_of,
    is_structured,
    made_by,
    operands_of,
    place_in_words,
    step_of,
    title_of,
    told_parts,
)
from attncli.telling.published import differences_in
from attncli.telling.quantities import arranged
from attncli.telling.selection import Selection, SelectionError
from attncli.telling.tokenizers import cuts_of
from attncli.trace import PlannedStep, Quantity, Trace
from attncli.word import Word


def walkthrough(trace: Trace, selection: Selection) -> Document:
    """The page of `attn run`: facts, a section a part, what is missing for going on."""
    told = told_parts(trace)
    shown = [part for part in told if selection.includes(part)]
    structured, whole = is_structured(trace), not selection.partial
    brief = structured and whole and selection.detail == "summary"
    sections = (
        _result(trace, told, selection) if brief else _sections(trace, shown, told, selection)
    )
    return Document(
        Word(trace.scenario.title),
        tuple(sections),
        facts_of(trace),
        given=tuple(given_block(trace, quantity, Selection()) for quantity in _all_given(trace)),
        opening=(_tree(trace, told, selection),) if structured and whole and told else (),
        closing=closing_of(trace, selection) if whole else (),
        sources=trace.scenario.sources,
        rounding=rounding_facts(trace),
    )


def _result(trace: Trace, told: Sequence[PlannedStep], selection: Selection) -> list[Section]:
    """What the last part comes to, and nothing else."""
    if not told or not made_by(trace, told[-1]):
        return []
    last = told[-1]
    *before, result = made_by(trace, last)
    shown = [*(quantity for quantity in before if quantity.is_number), result]
    tables = (matrix_block(quantity, Selection(), last.path) for quantity in shown)
    section = section_of(trace, last, len(told), (*tables, *ending_of(trace, last, selection)))
    return [section._replace(formulas=())]


def _tree(trace: Trace, told: Sequence[PlannedStep], selection: Selection) -> Tree:
    return short_tree(told) if selection.detail == "summary" else tree_block(trace, told)


def _sections(
    trace: Trace, shown: Sequence[PlannedStep], told: Sequence[PlannedStep], selection: Selection
) -> list[Section]:
    numbers = {id(part): number for number, part in enumerate(told, start=1)}
    sections = []
    introduced: set[str] = set()
    for k, part in enumerate(shown):
        givens = _givens(trace, part, introduced)
        introduced |= {quantity.name for quantity in givens}
        _, *others = part_blocks(trace, part, selection, givens)
        blocks = [Prose(opening_of(trace, part, shown[:k])), *others]
        sections.append(section_of(trace, part, numbers[id(part)], blocks))
    if shown and shown[-1] is told[-1]:
        sections[-1] = _as_result(sections[-1])
    return sections


def check_told(trace: Trace, selection: Selection) -> None:
    """Raises SelectionError for steps asked for that the trace doesn't go through."""
    parts = told_parts(trace)
    told = list(dict.fromkeys(part.step for part in parts))
    missing = [step for step in selection.steps if step not in told]
    if missing:
        through = f"it goes through {listed(told)}" if told else "it goes through none"
        wrong = "this scenario has no such step"
        raise SelectionError(Problem.of(f"--step {step}", wrong, through) for step in missing)
    if parts and not any(selection.includes(part) for part in parts):
        options = "--step, --layer, --head, --token"
        raise SelectionError.of(options, "together they leave nothing of the page", "drop one")
    check_lines(trace, [part for part in parts if selection.includes(part)])


def check_lines(trace: Trace, parts: Sequence[PlannedStep]) -> None:
    """Raises SelectionError for more lines of working than are told without being asked for."""
    made = (quantity for part in parts for quantity in made_by(trace, part))
    lines = sum(math.prod(min(extent, MOST_PARTS) for extent in q.matrix.shape) for q in made)
    if lines > MOST_LINES and not trace.scenario.large:
        less = f"ask for less, by --step, --layer or --token, or give {ALL_THE_SAME}"
        raise SelectionError.of("the page", f"{lines:,} lines of working are too many", less)


def part_blocks(
    trace: Trace, part: PlannedStep, selection: Selection, givens: Sequence[Quantity]
) -> list[Block]:
    """All that is told of a part: how it is worked, and what its numbers come to."""
    return [
        *opening_blocks(trace, part, selection, givens),
        *arranged(trace, part, selection),
        *differences_in(trace, part, selection),
        *ending_of(trace, part, selection),
        *table_together(trace, part, selection),
    ]


def opening_blocks(
    trace: Trace, part: PlannedStep, selection: Selection, givens: Sequence[Quantity]
) -> list[Block]:
    """What happens, the given matrices that the part needs, remarks on how it is done here."""
    step = step_of(part)
    blocks: list[Block] = [Prose(step.happens_at(part.place))]
    if part.step == "tokenize":
        return [*blocks, *cuts_of(part), *token_blocks(part.place)]
    given = given_blocks(trace, givens, selection, part.path)
    blocks += by_gates(part, given) if part.step == "gates" else given
    blocks += cuts_of(part)
    blocks += remarks_on(trace, part)
    return blocks


def remarks_on(trace: Trace, part: PlannedStep) -> list[Block]:
    """What has to be said of how a step was done on these numbers."""
    remarks = [
        definition.operation.remark(*trace.operands(definition))
        for definition in definitions_of(trace, part)
    ]
    return [Note((remark,)) for remark in remarks if remark is not None]


def table_together(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """The rows of what a step made and started from, side by side, or as tables."""
    together = step_of(part).together
    if not together:
        return []
    table = together_block(trace, part, together, selection)
    if table is not None:
        return [table]
    aside = {part.place.name(name) for name, _ in together}
    made = [quantity for quantity in made_by(trace, part) if quantity.name in aside]
    return [matrix_block(quantity, selection, part.path) for quantity in made]


def _all_given(trace: Trace) -> list[Quantity]:
    return [quantity for quantity in trace.quantities.values() if quantity.given]


def _givens(trace: Trace, part: PlannedStep, introduced: set[str]) -> list[Quantity]:
    """The given matrices whose numbers a part is the first to need."""
    operands = operands_of(trace, part)
    sizes_only = [one for one in definitions_of(trace, part) if one.operation.takes_only_sizes]
    known = introduced | {name for one in sizes_only for name in one.operands}
    return [operand for operand in operands if operand.given and operand.name not in known]


def section_of(
    trace: Trace, part: PlannedStep, number: int | None, blocks: Sequence[Block]
) -> Section:
    """A section about a part."""
    step = step_of(part)
    definitions = definitions_of(trace, part) or part.definitions
    formulas = formulas_of(step, part.place, definitions)
    place = place_in_words(part.path)
    return Section(part.step, number, title_of(part), formulas, tuple(blocks), part.path, place)


def _as_result(section: Section) -> Section:
    """The last section, its closing table named as the result."""
    *before, last = section.blocks
    if isinstance(last, SideBySide):
        *others, (heading, matrix) = last.columns
        columns = (*others, (heading, matrix._replace(is_result=True)))
        last = last._replace(caption="Result", columns=columns)
    elif isinstance(last, MatrixBlock):
        last = last._replace(is_result=True)
    return section._replace(blocks=(*before, last))
