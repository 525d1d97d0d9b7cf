"""The commands as functions: what each makes of what it is asked, before it is written anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, NamedTuple

from attncli.commands.arguments import (
    DETAILS_SAY,
    SCENARIO,
    Arguments,
    AskedScenario,
    Excerpt,
    ForThisRun,
    PageOptions,
    PageOutput,
    check_precision,
    check_steps_of,
    scenario_names,
    whole_number,
)
from attncli.commands.declaring import argument, choice, command, text, words
from attncli.commands.output import abilities_chosen
from attncli.efforts import WORKING, Effort
from attncli.errors import Complaints, UserError
from attncli.option_values import COST, DETAILS

if TYPE_CHECKING:
    from attncli.document.blocks import Block, Document
    from attncli.pipeline.trees import Difference
    from attncli.scenario.file.changes import Change
    from attncli.steps import Step
    from attncli.trace import Trace
    from attncli.trace.place import P


_OF_RUN = ("gradient_check", "slides", "precision", "from_", "text", "encoder_text", "trace")
"""What only `attn run` does."""
_SIDES = ("rows", "columns")
"""What only numbers in rows and columns go by."""
_WITHOUT_DETAIL = (
    *("layer", "head", "time", "token", "cell", "detail", "pictures", "fragment"), *_SIDES, *_OF_RUN
)  # fmt: skip


@command(
    Arguments,
    own={
        "scenario": argument(
            "[SCENARIO]",
            "A scenario file, or the name of a shipped one; or none, with --from.",
            scenario_names,
            shows_default=False,
        ),
        "detail": choice(
            "--detail",
            lambda: (*DETAILS, COST),
            f"{DETAILS_SAY} `cost`: instead of the working the multiplications, parameters and "
            "bytes of each step, and of all keys and values that a decoder keeps.",
        ),
    },
    effort=WORKING,
    scenario="",
)
def run(typed: Arguments) -> PageOutput:
    """Work a scenario out, every step as tables and as arithmetic.

    Examples:

      attn run i_love_ai

      attn run scenarios/i_love_ai.yaml --step softmax --token love

      attn run i_love_ai --cell 'weights[love, AI]'

      attn run three_tokens_two_heads --head 2 --step softmax

      attn run my.yaml --gradient-check

      attn run my.yaml --rounding exact --decimals 4 --set scale=none -o page.md

      attn run --from checkpoint/ --text "I love AI" --layer 1 --detail summary
    """
    if bool(typed.scenario) == (typed.model.from_ is not None):
        wrong = "a scenario and a model" if typed.scenario else "missing argument 'SCENARIO'"
        right = "name one, like `attn run i_love_ai`; `attn list` shows them"
        raise UserError.of("attn run", wrong, "keep one" if typed.scenario else right)
    check_precision(typed.precision)
    trace = (typed._replace(detail=None) if typed.detail == COST else typed).work()
    tell = partial(whole_page, typed=typed)
    some = typed.cell or typed.part.rows or typed.part.columns
    page = _cells(trace, typed) if some else living_page(trace, typed, tell)
    if typed.gradient_check:
        from attncli.pages.parts.way_back import gradient_check

        page = page._replace(closing=(*page.closing, *gradient_check(trace)))
    return PageOutput(page, typed.page)


def _cells(trace: Trace, typed: Arguments) -> Document:
    from attncli.pages.explain import address_of, cells_page, find_cells
    from attncli.pages.parts.selection import cells_along, check_on_page, select

    part = typed.part
    chosen = select(
        trace, part.steps, part.token, layer=part.layer, head=part.head, time=part.time
    ).along(part.rows or (), part.columns or ())
    if typed.cell:
        others = [("--step", part.steps)]
        return cells_page(trace, find_cells(trace, typed.cell, others, within=chosen))
    check_on_page(trace, chosen)
    cells = cells_along(trace, chosen)
    return cells_page(trace, [(q.name, address_of(q, i, j)) for q, i, j in cells])


def _answer_of(page: Document, trace: Trace) -> Iterator[str]:
    """Yields the change that says which cell answers a page, where its scenario doesn't say so."""
    from attncli.maths.notation import plain

    cell = None if page.answer is None else page.answer.cell
    if cell is not None and not trace.scenario.page.show.answer.cell:
        quantity = trace[cell.quantity]
        yield f"show.answer={plain(quantity.symbol(cell.row, cell.column))}"


def living_page(trace: Trace, typed: Arguments, tell: Callable[[Trace], Document]) -> Document:
    """Returns the page that is told of a trace, with what can be changed in it, where the format
    can change it."""
    page, can = tell(trace), abilities_chosen(typed.page.form, typed.page.output)
    if not (can.changing and typed.scenario) or typed.trace is not None or typed.detail == COST:
        return page
    from attncli.commands.changing import changeable
    from attncli.pages.parts.constants import told_with_constants
    from attncli.pipeline.trees import FileText
    from attncli.scenario.file.problems import ScenarioError

    def told(more: Sequence[str]) -> Document:
        try:  # the answer keeps its cell
            other = typed.worked_with([*more, *_answer_of(page, trace)])
        except ScenarioError:
            other = typed.worked_with(more)
        return told_with_constants(tell(other), other)

    file, variants = FileText.of(typed.scenario), page.interactive.further
    page = told_with_constants(page, trace)
    found = changeable(trace, file, typed.changed.changes(), told, variants)
    found = None if found is None else found._replace(called=typed.scenario)
    return page._replace(interactive=page.interactive._replace(changeable=found))


def whole_page(trace: Trace, typed: Arguments) -> Document:
    """Makes a scenario's own page, as the format needs it."""
    from attncli.commands.renderings import page_of

    can = abilities_chosen(typed.page.form, typed.page.output)
    detail, floats = typed.detail or can.detail, typed.precision or "float32"
    steps, within = typed.part.steps, typed.part.within
    page = page_of(trace, steps, detail, typed.drawn, floats, on_paper=can.printed, **within)
    return page._replace(as_slides=typed.slides)


_USUAL = "i_love_ai"
"""The scenario on whose numbers steps are explained that have no example of their own."""

_TARGETS = "targets=[[1, 0], [0, 1], [1, 1]]"
"""What should come out of it, for the way back."""


def _askable() -> Iterable[str]:
    """Yields what a shell completes: questions, steps and shipped scenarios."""
    from attncli.pages.questions import questions
    from attncli.steps.order import STORY

    return [*questions(), *STORY, *scenario_names()]


@command(
    Arguments,
    without=("cell", *_SIDES, *_OF_RUN),
    own={
        "scenario": words(
            "[QUESTION]...",
            "A question, in your own words or by its name; a step, a key or a quantity; `steps` "
            "for all of them; or a scenario, for the steps that it takes.",
            _askable,
        )
    },
    effort=Effort(steps=1.5, numbers=4, memory=3),
    scenario="",
)
def explain(typed: Arguments) -> PageOutput:
    """Answer a question in numbers, or explain a step.

    Alone it lists the questions. A step is shown with its purpose, its working and common mistakes.

    Examples:

      attn explain

      attn explain why divide by sqrt d_k

      attn explain without_softmax

      attn explain W_O

      attn explain softmax

      attn explain my.yaml --step scores --token love

      attn explain steps --format markdown -o lesson.md
    """
    page = _answer(typed)
    if page is not None:
        return PageOutput(page, typed.page)
    packaged = _packaged(typed)
    if packaged:
        from attncli.pages.packaged_steps import lesson_on_file

        return PageOutput(lesson_on_file(packaged), typed.page)
    meant, line = _meant(typed)
    page = lessons_page(meant.work(on_demand=True), meant, every=typed.scenario in ("", _EVERY))
    more = _asked_about(meant.part.step) if not _is_file(typed.scenario) else ()
    about, closing = (*line, *page.about), (*page.closing, *more)
    return PageOutput(page._replace(about=about, closing=closing), meant.page)


def _asked_about(steps: Sequence[str] | None) -> tuple[Block, ...]:
    """Returns what leads from the page of a single step to the questions about it."""
    from attncli.pages.answers import asked_about

    return asked_about(steps[0]) if steps is not None and len(steps) == 1 else ()


_EVERY = "steps"
"""What is typed for lessons on all steps."""


def _answer(typed: Arguments) -> Document | None:
    """Makes the page of a question, or the list of all, or of those that a text may mean; None
    where a step or a scenario is asked for. Raises UserError."""
    text = typed.scenario
    is_other = _is_step(text) or _is_file(text) or text == _EVERY or _packaged(typed)
    if is_other or (not text and typed.part.step):
        return None
    from attncli.pages.answers import answer
    from attncli.pages.questions import step_asked_for

    said = [
        option
        for option, value in (
            *typed.part.options(), *typed.changed.options(), ("--detail", typed.detail),
        )
        if value
    ]  # fmt: skip
    page = answer(text)
    if page is not None and said:
        right = "leave it out, or name a step or a scenario"
        raise UserError.of(
            text or "attn explain", f"{said[0]} asks for a part of a scenario", right
        )
    if page is not None:
        typed.page.check()
    elif " " in text and not step_asked_for(text):
        raise UserError.of(text, "no question has these words", "see attn explain")
    return page


def _packaged(typed: Arguments) -> str:
    """Returns the name of a package's file of steps, where that alone is asked for; else
    nothing."""
    from attncli.plugins import STEPS, plugins
    from attncli.steps.order import STORY

    if typed.scenario and _is_file(typed.scenario):
        return ""
    names = [*filter(None, (typed.scenario, *typed.part.steps))]
    entry = plugins(STEPS).get(names[0]) if len(names) == 1 else None
    is_other = entry is None or not entry.is_file or entry.name in STORY
    return "" if entry is None or is_other else entry.name


def _meant(typed: Arguments) -> tuple[Arguments, tuple[Block, ...]]:
    """Returns what is to be explained: a name that is a step's, or of what a step takes or makes,
    and no scenario's, asks for the step; and the line that says what such a name is."""
    from attncli.pages.answers import named
    from attncli.pages.questions import step_asked_for

    text = typed.scenario
    if " " in text and not _is_file(text):
        text = step_asked_for(text)
    if _is_file(text):
        return typed, ()
    if text in ("", _EVERY):
        return _on(typed, typed.part.steps), ()
    if _is_step(text):
        return _on(typed, (text.casefold(), *typed.part.steps)), ()
    known = named(text)
    if known is None:  # a scenario that there isn't, as will be said
        return typed, ()
    return _on(typed, (known.step, *typed.part.steps)), (known.line,)


def _on(typed: Arguments, steps: Sequence[str]) -> Arguments:
    """Returns what is asked for with steps, on the scenario on whose numbers they are explained."""
    part = typed.part._replace(step=tuple(steps) or None)
    return typed._replace(scenario=_example(steps), part=part)


def _example(steps: Sequence[str]) -> str:
    """Returns the shipped scenario on whose numbers steps are explained: that of the first step."""
    from attncli.steps import step_named
    from attncli.steps.order import STORY

    known = [step_named(name).example.scenario for name in steps[:1] if name in STORY]
    return next(filter(None, known), _USUAL)


def _is_step(name: str) -> bool:
    from attncli.steps.order import STORY

    return name.casefold() in STORY and not _is_file(name)


def _is_file(name: str) -> bool:
    from attncli.scenario.file import shipped

    return shipped.find(name).is_file()


def lessons_page(trace: Trace, typed: Arguments, *, every: bool) -> Document:
    """Makes the page of the steps of a trace as lessons, or of `every` step that there is."""
    from attncli.pages.lesson import lessons
    from attncli.pages.parts.selection import check_lines, select, shown_parts
    from attncli.steps import step_named
    from attncli.steps.order import OWN, STORY, step_of

    chosen = select(trace, (), detail=typed.detail or "full", **typed.part.within)
    chosen = chosen.illustrated(typed.drawn)
    parts = [step for step in shown_parts(trace) if typed.part.includes(step)]
    check_lines(trace, [step for step in parts if chosen.includes(step)])
    taken = typed.part.step or (STORY if every else [step.step for step in parts])
    own = {part.called: step_of(part) for part in parts if part.place.called}
    replaced = (
        {*own, OWN} - {part.step for part in parts if not part.place.called} if own else set()
    )
    wanted = [step_named(name) for name in STORY if name in taken and name not in replaced]
    wanted += [step._replace(name=name) for name, step in own.items()]
    asked = trace.scenario.goes_back or bool(typed.part.step)
    changes = {step.name: _changes(step, trace) for step in wanted if asked or not _is_back(step)}
    pairs = [
        (step, _trace_through(step, trace, changes.get(step.name, ()), typed)) for step in wanted
    ]
    return lessons(trace, pairs, chosen, changes, whole=not typed.part.step)


def _is_back(step: Step[P]) -> bool:
    """Tells whether a step is one of the way back, which lessons on all steps tell without
    numbers."""
    from attncli.trace import BackwardPlace

    return step.at is BackwardPlace


def _changes(step: Step[P], trace: Trace) -> tuple[str, ...]:
    """Returns the changes that give a step to a scenario that goes without it; on the way back also
    those that give a loss."""
    changes = step.example.changes
    if not _is_back(step) or trace.scenario.goes_back:
        return changes
    known = trace.scenario.prediction.loss.targets or trace.scenario.plan.written.alone
    known = known or any("targets=" in text for text in changes)
    return (*changes, *(() if known else (_TARGETS,)), "backward=true")


def _trace_through(
    step: Step[P], trace: Trace, changes: tuple[str, ...], typed: Arguments
) -> Trace:
    """Returns a trace that goes through a step, if the scenario or changes to it make one, or else
    the trace itself."""
    from attncli.pages.parts.selection import shown_parts
    from attncli.scenario.file.problems import ScenarioError

    taken = any(part.step == step.name for part in shown_parts(trace))
    if taken or not changes or trace.unfinished:
        return trace
    try:
        return typed.worked_with(changes, on_demand=True)
    except ScenarioError:  # its numbers don't go with the step
        return trace


class WhyArguments(NamedTuple):
    """A request for the working of some numbers, and how deep its tree is told."""

    cells: Annotated[
        Sequence[str], argument("CELL...", "The numbers: `'output[love, 2]'`, one or more.")
    ]
    scenario: Annotated[str, SCENARIO]
    depth: Annotated[
        str | None,
        text(
            "--depth",
            "N",
            "How many levels of working are shown, from 1, or `all`; by default as many as "
            "fit on a screen.",
        ),
    ] = None
    changed: ForThisRun = ForThisRun()
    page: PageOptions = PageOptions()

    def check_order(self) -> None:
        """Raises UserError for a scenario before its cells."""
        from attncli.scenario.file.shipped import find

        scenarios = [text for text in self.cells if find(text).is_file()]
        if not isinstance(self.scenario, str) or find(self.scenario).is_file() or not scenarios:
            return
        from attncli.pages.parts.next_commands import typed

        cells = (text for text in (*self.cells, self.scenario) if text not in scenarios)
        right = " ".join(map(typed, (*cells, scenarios[0])))
        raise UserError.of(scenarios[0], "the scenario comes last", f"write attn why {right}")

    def work(self) -> Trace:
        """Works the scenario as far as it is asked for. Raises ScenarioError."""
        return self.page.allowed.worked_on_demand(self.scenario, self.changed.changes())


@command(WhyArguments, effort=WORKING)
def why(typed: WhyArguments) -> PageOutput:
    """Show what a number comes from, as a tree of working.

    Below each line stands the working of each number in it, down to what the scenario gives. What
    stands in the tree already isn't shown twice.

    Examples:

      attn why 'output[love, 2]' i_love_ai

      attn why 'weights[love, AI]' i_love_ai --depth all --format html -o why.html
    """
    typed.check_order()
    complaints = Complaints()
    depth = complaints.hear(_depth, typed.depth)
    complaints.hear(typed.page.check)
    trace = complaints.hear(typed.work)
    complaints.stop_if_any()
    assert trace is not None
    return PageOutput(tree_of(trace, typed.cells, depth), typed.page)


def _depth(text: str | None) -> int | None:
    """Reads how deep the tree is told; None where nobody says. Raises OutputError."""
    from attncli.pages.why import ALL, DEEPEST

    if text is None:
        return None
    return DEEPEST if text == ALL else whole_number("--depth", text, 1, DEEPEST)


def tree_of(trace: Trace, cells: Sequence[str], depth: int | None) -> Document:
    from attncli.pages.explain import find_cells
    from attncli.pages.why import locations, why_page

    return why_page(trace, locations(trace, find_cells(trace, cells, option="")), depth)


DIFFERS = 1


class CompareArguments(NamedTuple):
    """A request to compare two scenarios, or one with and without changes."""

    scenario: Annotated[str, SCENARIO]
    second: Annotated[
        str,
        argument(
            "[SECOND]",
            "Another one; without it the same with what `--set`, `--decimals` and "
            "`--rounding` change. Of two scenarios these change both.",
            scenario_names,
            shows_default=False,
        ),
    ] = ""
    part: Excerpt = Excerpt()
    changed: ForThisRun = ForThisRun()
    detail: Annotated[
        str,
        choice(
            "--detail",
            lambda: DETAILS,
            "`summary`: how many numbers of each quantity differ; `rows`: the rows that differ; "
            "`full`: all rows.",
        ),
    ] = "rows"
    page: PageOptions = PageOptions()

    def sides(self) -> tuple[_Asked, _Asked]:
        """Returns the two sides that are compared. Raises UserError where they are one and the
        same."""
        changes = self.changed.changes()
        if self.second:
            own, other = (_Asked(text, text, changes) for text in (self.scenario, self.second))
            return own, other
        if not changes:
            wrong = "there is nothing to compare it with"
            right = "name a second scenario, or change something with --set"
            raise UserError.of(f"attn compare {self.scenario}", wrong, right)
        called = f"{self.scenario} with {', '.join(self._said())}"
        return _Asked(self.scenario, self.scenario, ()), _Asked(called, self.scenario, changes)

    def _said(self) -> Iterator[str]:
        """Yields the changes as they were typed: `scale=none`, `--decimals 4`."""
        yield from self.changed.set_ or ()
        for option, value in self.changed.options()[1:]:
            if value is not None:
                yield f"{option} {value}"


class _Asked(NamedTuple):
    """A scenario with changes, and what the page calls it."""

    called: str
    scenario: str
    changes: Sequence[str | Change]


@command(CompareArguments, without=_SIDES, effort=Effort(steps=2, numbers=25, memory=14))
def compare(typed: CompareArguments) -> PageOutput:
    """Compare two scenarios, or one with and without a change.

    What changed in the input, then each quantity with the cells that differ, and the first that
    does. Where only the rounding changes: each number's drift, in units of the last place. Exit
    status 0 when all numbers are the same, 1 when some differ.

    Examples:

      attn compare i_love_ai --set scale=sqrt_d_k

      attn compare i_love_tennis i_love_tennis_causal

      attn compare i_love_ai --rounding exact

      attn compare three_tokens three_tokens_two_heads --step softmax
    """
    from attncli.pages.parts.selection import check_detail

    complaints = Complaints()
    complaints.hear(check_detail, typed.detail)
    complaints.hear(typed.page.check)
    sides = complaints.hear(typed.sides) or ()
    allowed = typed.page.allowed
    traces: Sequence[Trace] = ()
    with complaints.heard():
        traces = [allowed.worked_alone(side.scenario, side.changes) for side in sides]
    worked: Sequence[Trace | None] = traces or [None] * len(sides)
    asked = [
        AskedScenario(side.scenario, side.changes, trace)
        for side, trace in zip(sides, worked, strict=True)
    ]
    if asked:
        complaints.hear(check_steps_of, typed.part.steps, asked)
    complaints.stop_if_any()
    return _compared(typed, sides, traces, [*_changed(sides)])


def _changed(sides: Sequence[_Asked]) -> Iterator[Difference]:
    from attncli.pipeline.trees import changed_tree, differences
    from attncli.scenario.file.problems import Diagnostics

    own, other = (changed_tree(side.scenario, side.changes, Diagnostics()).tree for side in sides)
    yield from differences(own, other)


def _compared(
    typed: CompareArguments,
    sides: Sequence[_Asked],
    traces: Sequence[Trace],
    changed: Sequence[Difference],
) -> PageOutput:
    from attncli.pages.compare import comparison
    from attncli.pages.parts.differences import compared

    named = [(asked.called, trace) for asked, trace in zip(sides, traces, strict=True)]
    drift = compared(named, changed, typed.part.steps, typed.detail, **typed.part.within)
    return PageOutput(comparison(drift), typed.page, 0 if drift.same else DIFFERS)


SOMETHING_WRONG = 1


@command(
    Arguments,
    without=("step", *_WITHOUT_DETAIL),
    effort=Effort(steps=1.5, numbers=8, memory=8),
)
def check(typed: Arguments) -> PageOutput:
    """Check the numbers that a scenario's source prints.

    Each number of its `published:`, and of its variants', is judged: whether it follows, from the
    given numbers or from earlier ones of the source, and if not, which mistake gives it. Exits with
    0 if all of them follow, with 1 if one doesn't.

    Examples:

      attn check alice_met_bob

      attn check mine.yaml --format json
    """
    from attncli.pages.check import checked

    trace = typed.work()
    _check_printed(typed.scenario, trace)
    page, follows = checked(trace)
    return PageOutput(page, typed.page, 0 if follows else SOMETHING_WRONG)


def _check_printed(scenario: str, trace: Trace) -> None:
    """Raises UserError where there is nothing to check."""
    traces = (trace, *trace.variants.values())
    sources = [entry.scenario.source for entry in traces]
    if not any(source.published or source.claims for source in sources):
        right = "write what its source prints under published:, like {weights: …}"
        if trace.scenario.file.changed.unsaid:
            wrong = "what its source prints is of the numbers that its file has"
            raise UserError.of(scenario, wrong, "leave --set out")
        raise UserError.of(scenario, "it has no published numbers", right)
