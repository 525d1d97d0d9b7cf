"""A step as a lesson: its purpose, shapes, working, mistakes; and the list of steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from attncli.document.blocks import (
    Block,
    Bullets,
    Callout,
    DefinitionList,
    Derivation,
    Document,
    Interactive,
    PageData,
    Paragraph,
    Section,
    Spans,
    Subheading,
    Table,
    Term,
)
from attncli.maths.equations.tree import Equation, Symbol, with_each
from attncli.names import Name, Word, raw
from attncli.pages.packaged_steps import packaged_steps
from attncli.pages.parts.blocks import common_mistakes, shape_in_short
from attncli.pages.parts.next_commands import as_asked_for
from attncli.pages.parts.pictures import pictures_of
from attncli.pages.parts.sections import listed_again, section_of
from attncli.pages.parts.selection import Selection, made_by, operands_of, shown_parts, with_routing
from attncli.pages.parts.sentences import about_of, facts_of, joined, rounding_facts
from attncli.pages.parts.working import Origins, Workings, cell_line
from attncli.pages.walkthrough import part_blocks
from attncli.scenario.scenario import Scenario
from attncli.steps import Mistake, Step, formulas_of, steps
from attncli.steps.general_formulas import general_place
from attncli.steps.mistakes import all_made_wrongly, mistaken
from attncli.steps.order import OWN, THROUGH, step_of
from attncli.steps.step import Planned
from attncli.trace import Definition, PlannedStep, Quantity, Trace, WayPlace
from attncli.trace.place import P


def steps_catalogue() -> Document:
    """Returns the page of every step and what it does, a line each, in the order in which they are
    told; then of those that lead back through others."""
    rows = tuple((step.name, (step.words.does,)) for step in steps() if step.name not in THROUGH)
    back = Paragraph(("The gradients go back, the last step first: ", ", ".join(THROUGH), "."))
    learn = Callout(("Why, and how: ", Term("attn explain softmax")))
    why = Callout(("Questions, each with an answer: ", Term("attn explain")))
    return Document(
        Word("Steps"), (), closing=(DefinitionList(rows), back, *packaged_steps(), learn, why)
    )


def general_formulas(step: Step[Any]) -> tuple[Equation, ...]:
    """Returns the formulas of a step with all that it can have, at any time if it has times. Raises
    LookupError where it makes nothing."""
    if step.name == OWN:
        return ()
    place = general_place(step.name)
    formulas = formulas_of(step, place, step.planned(place))
    if not formulas:
        raise LookupError(f"the step {step.name} makes nothing where `general_place` puts it")
    return tuple(map(_at_any_time, formulas)) if isinstance(place, WayPlace) else formulas


def _at_any_time(formula: Equation) -> Equation:
    """Turns a formula that was made for the second of three times into one for any time t."""

    def change(node: Symbol) -> Symbol:
        name = node.name
        if isinstance(name, Name) and name.time in _TIMES:
            name = name.at(_TIMES[name.time])
        index = ("t" if raw(index) == "2" else index for index in node.indices)
        return Symbol(name, tuple(index))

    return Equation(*(with_each(side, Symbol, change) for side in formula))


_TIMES: dict[object, str] = {1: "t−1", 2: "t", 3: "t+1"}


_KEYS = "how many queries and how many keys; in self-attention as many as tokens"


def lessons(
    trace: Trace,
    pairs: Sequence[tuple[Step[Any], Trace]],
    selection: Selection,
    changes: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    *,
    whole: bool = True,
) -> Document:
    """Returns lessons on steps of a trace, each with the trace whose numbers it works on: the
    scenario's own, or one with the `changes` that give it the step; `whole` if they are on all of
    it."""
    sections = (
        _lesson(step, its, selection, changes.get(step.name, ()) if its is not trace else ())
        for step, its in pairs
    )
    scenario = trace.scenario.title
    title = pairs[0][0].words.title if len(pairs) == 1 else f"{scenario}, step by step"
    facts = DefinitionList((("Scenario", (Word(scenario),)), *facts_of(trace).rows))
    about = about_of(trace.scenario) if whole else _whose_numbers(trace.scenario)
    data = PageData(rounding=rounding_facts(trace))
    document = Document(Word(title), tuple(sections), facts, about=about, data=data)
    is_one = all(its is trace for _, its in pairs)
    if not is_one:
        return document
    return document._replace(interactive=Interactive(Origins(trace), Workings(trace)))


def with_lessons(trace: Trace, page: Document, selection: Selection) -> Document:
    """Returns a page with what lessons say of its steps besides the working, each with the section
    that works what the lesson would."""
    selection, sections = with_routing(trace, selection), [*page.sections]
    steps = {part.kind: step_of(part)._replace(name=part.called) for part in shown_parts(trace)}
    for kind, step in steps.items():
        part = part_to_explain(step, trace, selection)
        alike = [k for k, s in enumerate(sections) if (s.step, s.own) == kind and not s.is_data]
        if part is None or not alike:
            continue
        k = next((k for k in alike if sections[k].path == part.path), alike[0])
        lesson = tuple(_around_working(step, trace, part))
        sections[k] = sections[k]._replace(folded=sections[k].folded._replace(lesson=lesson))
    return page._replace(sections=tuple(sections))


def _around_working(step: Step[P], trace: Trace, part: PlannedStep) -> list[Block]:
    """Returns what a lesson says of a step that the page of its numbers doesn't."""
    shapes = _shapes(step, trace, part)[bool(part.place.called) :]
    return [*_roles(step), DefinitionList(tuple(shapes)), *_mistakes(trace, step, part)]


def _roles(step: Step[P]) -> list[Block]:
    roles = step.results.roles
    return [Table(("Vector", "Role", "It says"), roles)] if roles else []


def _whose_numbers(scenario: Scenario) -> tuple[Block, ...]:
    """Says whose numbers a lesson on a single step works with."""
    called = as_asked_for(scenario)
    command: Spans = () if called is None else (" (", Term(f"attn run {called}"), ")")
    return (Paragraph(("With the numbers of “", Word(scenario.title), "”", *command, ".")),)


def _lesson(
    step: Step[Any], trace: Trace, selection: Selection, changes: tuple[str, ...]
) -> Section:
    selection = with_routing(trace, selection)
    part = part_to_explain(step, trace, selection)
    texts = (step.why_here(part.place if part else None), step.words.more)
    blocks: list[Block] = [Paragraph((text,)) for text in texts if text]
    blocks += _roles(step)
    if part is None:
        blocks += [DefinitionList(tuple(_in_letters(step))), Callout(_left_out(trace, step))]
        blocks += _mistakes(trace, step, None)
        formulas = general_formulas(step)
        return Section(step.name, None, (step.words.title,), formulas, tuple(blocks))
    shapes = _shapes(step, trace, part)
    blocks.append(DefinitionList(tuple(shapes[bool(part.place.called) :])))
    blocks.append(Subheading(("On these numbers",)))
    if changes:
        change = Term(", ".join(c.replace("=", ": ", 1) for c in changes))
        words = ("This scenario doesn't have this step. With ", change, " it would look like this.")
        blocks.append(Callout(words))
    blocks += part_blocks(trace, part, selection, operands_of(trace, part))
    blocks += pictures_of(trace, part, selection) if selection.pictured else ()
    blocks += _mistakes(trace, step, part)
    return section_of(trace, part, None, blocks)


def part_to_explain(step: Step[P], trace: Trace, selection: Selection) -> PlannedStep | None:
    """Finds the first part that takes a step, in the layer and head that are asked for; where it is
    taken at several times the second, which goes on from the one before. None where there is
    none."""
    chosen = selection._replace(steps=())
    steps = (part for part in shown_parts(trace) if _takes(part, step))
    parts = [part for part in steps if chosen.includes(part)]
    at_times = len(parts) > 1 and parts[0].time != parts[1].time
    return parts[1 if at_times else 0] if parts else None


def _takes(part: PlannedStep, step: Step[P]) -> bool:
    """Tells whether a step is taken at a part; one of a scenario's own may have the name of
    another."""
    return part.called == step.name and step_of(part).words == step.words


def _mistakes(trace: Trace, step: Step[Any], part: PlannedStep | None) -> list[Block]:
    if not step.mistakes:
        return []
    blocks: list[Block] = []
    for mistake in step.mistakes:
        if part is None or any(mistake.ways(part.place, part.definitions)):
            blocks += _mistake_blocks(trace, part, mistake)
    return common_mistakes(blocks)


def _left_out(trace: Trace, step: Step[P]) -> Spans:
    why = f"doesn't have the step {step.name}"
    if trace.unfinished is not None:
        why = "doesn't give what the step needs"
    text = f"This scenario {why}, so there are no numbers to show"
    if not step.example.scenario:
        return (f"{text}.",)
    return (f"{text}. ", Term(f"attn explain {step.name}"), " shows some.")


def _shapes(step: Step[P], trace: Trace, part: PlannedStep) -> list[tuple[str, Spans]]:
    rows = _in_letters(step)
    again = listed_again(trace, part)
    made = [quantity for quantity in made_by(trace, part) if quantity.name not in again]
    if made:
        before = _with_shapes(operands_of(trace, part), part)
        arrow = (" → ",) if before else ()
        rows.append(("Here", (*before, *arrow, *_with_shapes(made, part))))
    return rows


def _in_letters(step: Step[P]) -> list[tuple[str, Spans]]:
    """Returns the shapes of a step, with a word on n and m where it has a number of keys."""
    of_keys = "[m, " in step.words.shapes or ", m]" in step.words.shapes
    return [("Shapes", (step.words.shapes,)), *([("n, m", (_KEYS,))] if of_keys else [])]


def _with_shapes(quantities: Sequence[Quantity], part: PlannedStep) -> Spans:
    return joined(
        (Symbol(part.place.here(quantity.name)), shape_in_short(quantity) or " [1]")
        for quantity in quantities
    )


def _mistake_blocks(trace: Trace, part: PlannedStep | None, mistake: Mistake[Any]) -> list[Block]:
    """Returns a mistake in words, and what it gives in the cell that it changes most."""
    ways = [] if part is None else [*all_made_wrongly(trace, part, mistake)]
    if not ways or part is None:
        return [Bullets(((mistake.says,),))]
    definition, wrong = _that_shows(trace, ways)
    says = mistake.says_of(definition, part.definitions)
    if wrong is None:
        return [Bullets(((says, " With these numbers it can't be done."),))]
    cell = worst_cell(trace[definition.name], wrong[definition.name])
    if cell is None:
        same = " With these numbers it makes no difference, so they can't reveal it."
        return [Bullets(((says, same),))]
    right = trace[definition.name]
    number = right.matrix.number(*cell)
    address = Term(right.symbol(*cell, part.place.here(right.name)))
    words = (" ", address, " is ", number, ". The mistake gives")
    line = cell_line(wrong, wrong[definition.name], *cell)
    return [Bullets(((says, *words),)), Derivation((line,), mistake.name)]


def _that_shows(trace: Trace, ways: Sequence[Planned]) -> tuple[Definition, Trace | None]:
    """Finds the first way to make a mistake that can be seen in the numbers, and returns what it
    makes wrongly with the mistaken trace. Else it is the first way that can be worked; else the
    first, and None."""
    tried = [(way[0], mistaken(trace, way, (way[0].name,))) for way in ways]
    done = [(made, wrong) for made, wrong in tried if wrong is not None]
    seen = ((d, wrong) for d, wrong in done if worst_cell(trace[d.name], wrong[d.name]))
    return next(seen, (done or tried)[0])


def worst_cell(right: Quantity, wrong: Quantity) -> tuple[int, int] | None:
    """Finds the cell that is most off; None where it is shown alike."""
    with np.errstate(invalid="ignore"):  # −∞ less −∞
        off = np.where(wrong.values == right.values, 0, np.abs(wrong.values - right.values))
    i, j = divmod(int(off.argmax()), off.shape[1])
    differs = wrong.matrix.number(i, j).shown != right.matrix.number(i, j).shown
    return (i, j) if differs else None
