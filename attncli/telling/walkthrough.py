"""The whole worked trace, or a part of it, as a document."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.arithmetic.expression import MOST_PARTS, Equation, Number, Root, Symbol, elided
from attncli.document import (
    Block,
    Document,
    Facts,
    Line,
    MatrixBlock,
    Note,
    Prose,
    Section,
    SideBySide,
    Spans,
    Subheading,
    Word,
    Working,
)
from attncli.scenario.address import Address
from attncli.steps import STEPS, Step
from attncli.telling.blocks import matrix_block, together_block, token_blocks
from attncli.telling.selection import (
    Selection,
    SelectionError,
    place_in_list,
    sentence_axis,
)
from attncli.telling.words import rounding_in_words, sizes, unfinished_in_words
from attncli.telling.working import cell_line, working_of
from attncli.trace import Quantity, Trace


def walkthrough(trace: Trace, selection: Selection) -> Document:
    """The page of `attn run`: facts, a section a step, what is missing for going on."""
    told = told_steps(trace)
    shown = [step for step in told if selection.includes(step.name)]
    sections = []
    introduced: set[str] = set()
    for step in shown:
        givens = _givens(trace, step, introduced)
        introduced |= {quantity.name for quantity in givens}
        blocks = (
            *step_blocks(trace, step, selection, givens),
            *table_together(trace, step, selection),
        )
        sections.append(_section(trace, step, told.index(step) + 1, blocks))
    if shown and shown[-1] is told[-1]:
        sections[-1] = _as_result(sections[-1])
    return Document(
        Word(trace.scenario.title),
        tuple(sections),
        facts_of(trace),
        given=tuple(matrix_block(quantity, Selection()) for quantity in _all_given(trace)),
        closing=() if selection.steps else _closing(trace, selection),
        rounding=rounding_facts(trace),
    )


def told_steps(trace: Trace) -> list[Step]:
    """The steps that the trace gets through, in order."""
    done = {quantity.making.step for quantity in trace.quantities.values() if quantity.making}
    return [
        step
        for step in STEPS
        if step.name in done or (step.name == "tokenize" and trace.scenario.tokens)
    ]


def check_told(trace: Trace, selection: Selection) -> None:
    """Raises SelectionError for steps asked for that the trace doesn't go through."""
    told = [step.name for step in told_steps(trace)]
    missing = [step for step in selection.steps if step not in told]
    if missing:
        through = f"it goes through {', '.join(told)}" if told else "it goes through none"
        raise SelectionError(
            "\n".join(
                f"--step {step}: this scenario has no such step; {through}" for step in missing
            )
        )


def step_blocks(
    trace: Trace, step: Step, selection: Selection, givens: Sequence[Quantity]
) -> list[Block]:
    """What happens, the given matrices that the step needs, the working, the tables."""
    scenario = trace.scenario
    blocks: list[Block] = [Prose((step.happens(scenario),))]
    if step.name == "tokenize":
        return [*blocks, *token_blocks(trace)]
    blocks += [matrix_block(quantity, selection) for quantity in givens]
    blocks += _remarks(trace, step)
    aside = {name for name, _ in step.together}
    for quantity in made_by(trace, step):
        blocks += working_of(trace, quantity, selection)
        if quantity.name not in aside:
            sums = quantity.name == step.adds_up_to_one
            table = matrix_block(quantity, selection, with_sums=sums)
            blocks += [table, *(_about_sums(table, selection) if sums else ())]
    return blocks


def _about_sums(table: MatrixBlock, selection: Selection) -> list[Block]:
    """A word on rows that don't add up to 1 as they are shown."""
    shown = elided(len(table.rows), MOST_PARTS)
    sums = [table.row_sum(table.rows[k]).shown for k in shown if k is not None]
    if selection.detail == "summary" or all(total == 1 for total in sums):
        return []
    return [Note(("Each figure is rounded by itself, so a row need not add up to exactly 1.",))]


def _remarks(trace: Trace, step: Step) -> list[Block]:
    """What has to be said of how a step was done on these figures."""
    makings = [quantity.making for quantity in made_by(trace, step) if quantity.making]
    remarks = [making.operation.remark(*trace.operands(making)) for making in makings]
    return [Note((remark,)) for remark in remarks if remark is not None]


def table_together(trace: Trace, step: Step, selection: Selection) -> list[Block]:
    if not step.together:
        return []
    table = together_block(trace, step, selection)
    if table is not None:
        return [table]
    aside = {name for name, _ in step.together}
    made = [quantity for quantity in made_by(trace, step) if quantity.name in aside]
    return [matrix_block(quantity, selection) for quantity in made]


def made_by(trace: Trace, step: Step) -> list[Quantity]:
    return [
        quantity
        for quantity in trace.quantities.values()
        if quantity.making is not None and quantity.making.step == step.name
    ]


def _all_given(trace: Trace) -> list[Quantity]:
    return [quantity for quantity in trace.quantities.values() if quantity.given]


def _givens(trace: Trace, step: Step, introduced: set[str]) -> list[Quantity]:
    """The given matrices that a step is the first to need."""
    operands = operands_of(trace, step)
    return [operand for operand in operands if operand.given and operand.name not in introduced]


def operands_of(trace: Trace, step: Step) -> list[Quantity]:
    """The quantities that a step starts from."""
    made = made_by(trace, step)
    names = [name for quantity in made if quantity.making for name in quantity.making.operands]
    own = {quantity.name for quantity in made}
    return [trace[name] for name in dict.fromkeys(names) if name not in own]


def _section(trace: Trace, step: Step, number: int, blocks: Sequence[Block]) -> Section:
    formulas = step.formulas(trace.scenario)
    return Section(step.name, number, step.title, formulas, tuple(blocks))


def _as_result(section: Section) -> Section:
    """The last section, its closing table named as the result."""
    *before, last = section.blocks
    if isinstance(last, SideBySide):
        last = last._replace(caption="Result")
    return section._replace(blocks=(*before, last))


def _closing(trace: Trace, selection: Selection) -> tuple[Block, ...]:
    """Given quantities that no step came to use, and why the trace ends where it does."""
    used = {name for making in trace.plan if making.name in trace for name in making.operands}
    unused = [quantity for quantity in _all_given(trace) if quantity.name not in used]
    heading = "Given, and not needed so far" if used else "Given"
    blocks: list[Block] = [Subheading(heading)] if unused else []
    blocks += [matrix_block(quantity, selection) for quantity in unused]
    if trace.unfinished is not None:
        blocks.append(unfinished_in_words(trace.unfinished))
    return tuple(blocks)


def facts_of(trace: Trace) -> Facts:
    """What the page opens with."""
    scenario = trace.scenario
    rows: list[tuple[str, Spans]] = []
    if scenario.sentence is not None:
        rows.append(("Sentence", (Word(scenario.sentence),)))
    if scenario.source is not None:
        rows.append(("Source", (Word(scenario.source),)))
    rows.append(("Sizes", sizes(scenario, trace)))
    if "scores" in trace:
        rows.append(("Scaling", _scaling(trace)))
    rows.append(("Rounding", (rounding_in_words(trace.rounding),)))
    return Facts(tuple((name, spans) for name, spans in rows if spans))


def _scaling(trace: Trace) -> Spans:
    scenario = trace.scenario
    if not scenario.scales:
        return ("none: the scores go into the softmax as they are",)
    if scenario.divisor is None:
        return ("scores are divided by ", Root(Symbol("d_k")))
    if isinstance(scenario.scale, Number):
        return ("scores are divided by ", scenario.scale)
    return ("scores are divided by ", Equation(Root(Symbol("d_k")), scenario.divisor))


def rounding_facts(trace: Trace) -> dict[str, object]:
    """The rounding policy as data."""
    rounding = trace.rounding
    return {
        "policy": rounding.policy,
        "decimals": rounding.decimals,
        "steps": dict(rounding.steps),
    }


def cells(trace: Trace, wanted: Sequence[tuple[str, Address]]) -> Document:
    """The working of single cells, with no term left out."""
    told = told_steps(trace)
    by_step: dict[str, list[Line]] = {}
    for name, address in wanted:
        step, line = _cell(trace, name, address)
        by_step.setdefault(step, []).append(line)
    sections = [
        _section(trace, step, told.index(step) + 1, (Working(tuple(by_step[step.name])),))
        for step in told
        if step.name in by_step
    ]
    given = by_step.get("")
    return Document(
        Word(trace.scenario.title),
        tuple(sections),
        closing=(Working(tuple(given)),) if given else (),
        rounding=rounding_facts(trace),
    )


def _cell(trace: Trace, name: str, address: Address) -> tuple[str, Line]:
    if name in trace:
        quantity = trace[name]
        line = cell_line(trace, quantity, *quantity.find(address), whole=True)
        return quantity.making.step if quantity.making else "", line
    place = place_in_list(trace.scenario, address)
    tokens, ids = trace.scenario.tokens, trace.scenario.ids
    label = Symbol(name, (sentence_axis(trace.scenario).index(place),))
    value = Number.written(ids[place]) if name == "ids" else Symbol(tokens[place])
    return "tokenize", Line(label, (("=", value),))
