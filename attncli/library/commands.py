"""The commands as functions: what each makes of what it is asked, before it is written anywhere."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from attncli.choices import FLOATS
from attncli.errors import BAD_INPUT, Complaints, Problem, UserError, listed
from attncli.library.output import abilities_chosen, check_target, is_written, page_for
from attncli.library.requests import (
    Allowed,
    Arguments,
    Excerpt,
    ForThisRun,
    PageOptions,
    Text,
    Told,
    whole_number,
)
from attncli.writing import OutputError

if TYPE_CHECKING:
    from attncli.building.trees import Difference
    from attncli.document.blocks import Document
    from attncli.dumps.departures import Close, Comparison
    from attncli.file.changes import Change
    from attncli.nice_numbers.sketch import Sizes
    from attncli.steps import Step
    from attncli.trace import Trace


def run(typed: Arguments) -> Told:
    """A scenario worked out, every step as tables and as arithmetic. Raises UserError."""
    trace = typed.work()
    page = _cells(trace, typed) if typed.cell else _whole(trace, typed)
    if typed.gradient_check:
        from attncli.pages.way_back import gradient_check

        page = page._replace(closing=(*page.closing, *gradient_check(trace)))
    return Told(page, typed.page)


def _cells(trace: Trace, typed: Arguments) -> Document:
    from attncli.pages.cells import cells_page, find_cells

    return cells_page(trace, find_cells(trace, typed.cell or (), typed.part.options()))


def _whole(trace: Trace, typed: Arguments) -> Document:
    from attncli.library.pages import page_of

    can = abilities_chosen(typed.page.form, typed.page.output)
    detail = typed.detail or can.detail
    return page_of(trace, typed.part.steps, detail, typed.pictured, **typed.part.within)


_USUAL = "i_love_ai"
"""The scenario on whose numbers steps are explained that have no example of their own."""

_TARGETS = "targets=[[1, 0], [0, 1], [1, 1]]"
"""What should come out of it, for the way back."""


def explain(typed: Arguments) -> Told:
    """Explain a step: its purpose, working and common mistakes. Raises UserError."""
    meant = _meant(typed)
    page = lessons_page(meant.work(), meant, every=not typed.scenario)
    return Told(page, meant.page)


def _meant(typed: Arguments) -> Arguments:
    """What is to be explained: a name that is a step's, and no scenario's, asks for the step."""
    if typed.scenario and not _is_step(typed.scenario):
        return typed
    steps = [*typed.part.steps]
    if typed.scenario:
        steps = [typed.scenario.casefold(), *steps]
    return typed._replace(scenario=_example(steps), part=typed.part._replace(step=steps or None))


def _example(steps: Sequence[str]) -> str:
    """The shipped scenario on whose numbers steps are explained: that of the first."""
    from attncli.steps import step_named
    from attncli.steps.order import STORY

    known = [step_named(name).example for name in steps[:1] if name in STORY]
    return next(filter(None, known), _USUAL)


def _is_step(name: str) -> bool:
    from attncli.file import shipped
    from attncli.steps.order import STORY

    return name.casefold() in STORY and not shipped.find(name).is_file()


def lessons_page(trace: Trace, typed: Arguments, *, every: bool) -> Document:
    """The steps of a trace as lessons, or `every` one that there is."""
    from attncli.pages.lesson import lessons
    from attncli.pages.selection import check_lines, select, told_parts
    from attncli.steps import step_named
    from attncli.steps.order import STORY

    chosen = select(trace, detail=typed.detail or "full", **typed.part.within)
    chosen = chosen.illustrated(typed.pictured)
    parts = [one for one in told_parts(trace) if typed.part.includes(one.step)]
    check_lines(trace, [one for one in parts if chosen.includes(one)])
    taken = typed.part.step or (STORY if every else [one.step for one in parts])
    wanted = [step_named(name) for name in STORY if name in taken]
    asked = trace.scenario.goes_back or bool(typed.part.step)
    changes = {one.name: _changes(one, trace) for one in wanted if asked or not _is_back(one)}
    told = [(one, _trace_through(one, trace, changes.get(one.name, ()), typed)) for one in wanted]
    return lessons(trace, told, chosen, changes)


def _is_back(step: Step[Any]) -> bool:
    """Whether a step is one of the way back, of which lessons on all that there is only tell."""
    from attncli.trace import BackwardPlace

    return step.at is BackwardPlace


def _changes(step: Step[Any], trace: Trace) -> tuple[str, ...]:
    """What gives a step to a scenario that goes without it: on the way back also a loss."""
    if not _is_back(step) or trace.scenario.goes_back:
        return step.shown_with
    known = trace.scenario.prediction.targets or any("targets=" in one for one in step.shown_with)
    return (*step.shown_with, *(() if known else (_TARGETS,)), "backward=true")


def _trace_through(
    step: Step[Any], trace: Trace, changes: tuple[str, ...], typed: Arguments
) -> Trace:
    """A trace that goes through a step, if the scenario or changes to it make one."""
    from attncli.file.problems import ScenarioError
    from attncli.pages.selection import told_parts

    taken = any(part.step == step.name for part in told_parts(trace))
    if taken or not changes or trace.unfinished:
        return trace
    try:
        return typed.worked_with(changes)
    except ScenarioError:  # its numbers don't go with the step
        return trace


class WhyArguments(NamedTuple):
    """Numbers, and how deep the tree of their working is told."""

    cells: Sequence[str]
    scenario: str
    depth: str | None = None
    changed: ForThisRun = ForThisRun()
    page: PageOptions = PageOptions()

    def work(self) -> Trace:
        """The scenario, worked as far as it is asked for. Raises ScenarioError."""
        return self.page.allowed.worked_on_demand(self.scenario, self.changed.changes())


def why(typed: WhyArguments) -> Told:
    """Show what a number comes from, as a tree of working. Raises UserError."""
    complaints = Complaints()
    depth = complaints.hear(_depth, typed.depth)
    complaints.hear(typed.page.check)
    trace = complaints.hear(typed.work)
    complaints.stop_if_any()
    assert trace is not None
    return Told(_tree(trace, typed.cells, depth), typed.page)


def _depth(said: str | None) -> int | None:
    """How deep the tree is told; None where nobody says. Raises OutputError."""
    from attncli.pages.why import ALL, DEEPEST

    if said is None:
        return None
    return DEEPEST if said == ALL else whole_number("--depth", said, 1, DEEPEST)


def _tree(trace: Trace, cells: Sequence[str], depth: int | None) -> Document:
    from attncli.pages.cells import find_cells
    from attncli.pages.why import locations, why_page

    return why_page(trace, locations(trace, find_cells(trace, cells, option="")), depth)


DIFFERS = 1


class CompareArguments(NamedTuple):
    """Two scenarios, or one and what is changed in it."""

    scenario: str
    second: str = ""
    part: Excerpt = Excerpt()
    changed: ForThisRun = ForThisRun()
    detail: str = "rows"
    page: PageOptions = PageOptions()

    def sides(self) -> tuple[_Asked, _Asked]:
        """What is compared. Raises UserError where that is one and the same."""
        changes = self.changed.changes()
        if self.second:
            own, other = (_Asked(one, one, changes) for one in (self.scenario, self.second))
            return own, other
        if not changes:
            wrong = "there is nothing to compare it with"
            right = "name a second scenario, or change something with --set"
            raise UserError.of(f"attn compare {self.scenario}", wrong, right)
        called = f"{self.scenario} with {', '.join(self._said())}"
        return _Asked(self.scenario, self.scenario, ()), _Asked(called, self.scenario, changes)

    def _said(self) -> Iterator[str]:
        """The changes as they were typed: `scale=none`, `--decimals 4`."""
        yield from self.changed.set_ or ()
        for option, said in self.changed.options()[1:]:
            if said is not None:
                yield f"{option} {said}"


class _Asked(NamedTuple):
    """A scenario with changes, and what the page calls it."""

    called: str
    scenario: str
    changes: Sequence[str | Change]


def compare(typed: CompareArguments) -> Told:
    """Compare two scenarios, or one with and without a change. Raises UserError."""
    from attncli.pages.selection import check_detail, check_steps

    complaints = Complaints()
    complaints.hear(check_steps, typed.part.steps)
    complaints.hear(check_detail, typed.detail)
    complaints.hear(typed.page.check)
    sides = complaints.hear(typed.sides)
    complaints.stop_if_any()
    assert sides is not None
    traces = [typed.page.allowed.worked_alone(one.scenario, one.changes) for one in sides]
    return _compared(typed, sides, traces, [*_changed(sides)])


def _changed(sides: Sequence[_Asked]) -> Iterator[Difference]:
    from attncli.building.trees import changed_tree, differences
    from attncli.file.problems import Diagnostics

    own, other = (changed_tree(one.scenario, one.changes, Diagnostics()) for one in sides)
    yield from differences(own, other)


def _compared(
    typed: CompareArguments,
    sides: Sequence[_Asked],
    traces: Sequence[Trace],
    changed: Sequence[Difference],
) -> Told:
    from attncli.pages.compare import comparison
    from attncli.pages.differences import compared

    named = [(one.called, trace) for one, trace in zip(sides, traces, strict=True)]
    told = compared(named, changed, typed.part.steps, typed.detail, **typed.part.within)
    return Told(comparison(told), typed.page, 0 if told.same else DIFFERS)


SOMETHING_WRONG = 1


def check(typed: Arguments) -> Told:
    """Check the numbers that a scenario's source prints. Raises UserError."""
    from attncli.exercises.report import checked

    trace = typed.work()
    _check_printed(typed.scenario, trace)
    page, follows = checked(trace)
    return Told(page, typed.page, 0 if follows else SOMETHING_WRONG)


def _check_printed(scenario: str, trace: Trace) -> None:
    """Raises UserError where there is nothing to check."""
    told = (trace, *trace.variants.values())
    if not any(one.scenario.published for one in told):
        right = "write what its source prints under published:, like {weights: …}"
        raise UserError.of(scenario, "it has no published numbers", right)


def lint(typed: Arguments) -> Told:
    """Tell what is weak about a scenario's numbers. Raises UserError."""
    trace = typed.work()
    return Told(_weak(trace, typed.part.steps, typed.part.token), typed.page)


def _weak(trace: Trace, steps: Sequence[str], token: str | None) -> Document:
    from dataclasses import replace

    from attncli.pages.selection import check_told, select
    from attncli.pages.weaknesses import weaknesses

    check_told(trace, select(trace, steps, token))
    if token is not None:
        show = trace.scenario.show._replace(queries=(token,))
        trace = trace.retold(replace(trace.scenario, show=show))
    return weaknesses(trace, steps)


DEPARTS, CANT_TELL = 1, 3


class DiffArguments(NamedTuple):
    """A scenario, and what an implementation made of it."""

    scenario: str
    dump: str
    map_: Sequence[str] | None = None
    precision: str | None = None
    rtol: str | None = None
    atol: str | None = None
    changed: ForThisRun = ForThisRun()
    page: PageOptions = PageOptions()

    def work(self) -> Trace:
        """The scenario, worked in full precision. Raises ScenarioError."""
        from attncli.pipeline import work

        changes = self.changed._replace(rounding="exact").changes()
        return work(self.page.allowed.load(self.scenario, changes))


def diff(typed: DiffArguments) -> Told:
    """Tell where an implementation departs, and by which bug. Raises UserError."""
    from attncli.file.array_files import read_dump

    complaints = Complaints()
    complaints.hear(typed.page.check)
    complaints.hear(_check_precision, typed.precision)
    close = complaints.hear(_close, typed.rtol, typed.atol)
    mapped = complaints.hear(_mapped, typed.map_ or ())
    tensors = complaints.hear(read_dump, typed.dump)
    trace = complaints.hear(typed.work)
    complaints.stop_if_any()
    assert tensors is not None
    assert trace is not None
    from attncli.dumps.departures import Comparison
    from attncli.dumps.tensors import taken_apart
    from attncli.pages.departures import report

    taken = taken_apart(tensors, trace, mapped or {}, typed.dump, typed.precision)
    comparison = Comparison(trace, taken, close)
    return Told(report(comparison, typed.dump), typed.page, _status(comparison))


def _status(comparison: Comparison) -> int:
    if comparison.first is not None or comparison.misshapen:
        return DEPARTS
    return 0 if comparison.lost is None else CANT_TELL


def _close(rtol: str | None, atol: str | None) -> Close | None:
    """What is let pass, where that is said. Raises UserError."""
    from attncli.dumps.departures import Close

    said = {"rtol": rtol, "atol": atol}
    known = {name: _tolerance(name, text) for name, text in said.items() if text is not None}
    return Close(**known) if known else None


def _tolerance(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise UserError.of(f"--{name} {text}", "no tolerance", "give 0 or more, as 1e-5")
    return value


def _check_precision(said: str | None) -> None:
    from attncli.file.problems import nearest

    if said is not None and said not in FLOATS:
        wrong = "no such type of floats"
        raise UserError.of(f"--precision {said}", wrong, nearest(said, FLOATS))


def _mapped(said: Sequence[str]) -> Mapping[str, str]:
    """What `--map` says: pairs, and files of pairs. Raises UserError."""
    pairs: dict[str, str] = {}
    for one in said:
        theirs, equals, ours = one.partition("=")
        if equals:
            pairs[theirs] = ours
        else:
            pairs |= _pairs_of(one)
    return pairs


def _pairs_of(path: str) -> Mapping[str, str]:
    from attncli.file.nodes import Scalar
    from attncli.file.problems import Diagnostics, knows_nothing
    from attncli.file.reading import read_file

    if not Path(path).suffix:
        right = "write THEIRS=OURS, or name a .yaml file"
        raise UserError.of(f"--map {path}", "it says of no tensor what it is", right)
    problems = Diagnostics()
    read = read_file(Path(path), problems, knows_nothing)
    for key, value in read.entries:
        if not isinstance(value, Scalar):
            problems.add(value.where, f"what {key.text} is", "write a name, like attn.q: Q")
    problems.stop_if_any()
    return {key.text: value.text for key, value in read.entries if isinstance(value, Scalar)}


_MOST_DECIMALS = 9


class DesignArguments(NamedTuple):
    """How large a scenario is to be, and which rules its numbers needn't keep."""

    tokens: str = "3"
    d_model: str = "2"
    heads: str = "1"
    seed: str = "1"
    decimals: str = "3"
    allow: Sequence[str] | None = None
    output: str | None = None
    force: bool = False


def design(typed: DesignArguments) -> Text:
    """Make a new scenario whose numbers are nice to work with by hand. Raises UserError."""
    from attncli.building.exercise_file import LARGEST_SEED
    from attncli.nice_numbers.rules import check_names

    complaints = Complaints()
    sizes = _sizes(complaints, typed)
    number = complaints.hear(whole_number, "--seed", typed.seed, 0, LARGEST_SEED)
    complaints.problems += check_names(typed.allow or ())
    complaints.hear(check_target, typed.output, force=typed.force)
    complaints.stop_if_any()
    assert sizes is not None
    assert number is not None
    text = _designed(sizes, number, typed.allow or ())
    return Text(text, typed.output, typed.force, is_written(typed.output))


def _sizes(complaints: Complaints, typed: DesignArguments) -> Sizes | None:
    """The sizes that are asked for; None having heard what is wrong with them."""
    from attncli.nice_numbers.sketch import FEWEST, MOST, MOST_D_MODEL, Sizes

    found = [
        complaints.hear(whole_number, "--tokens", typed.tokens, FEWEST, MOST),
        complaints.hear(whole_number, "--d-model", typed.d_model, 1, MOST_D_MODEL),
        complaints.hear(whole_number, "--heads", typed.heads, 1, MOST_D_MODEL),
        complaints.hear(whole_number, "--decimals", typed.decimals, 1, _MOST_DECIMALS),
    ]
    known = [size for size in found if size is not None]
    sizes = Sizes(*known) if len(known) == len(found) else None
    if sizes is not None and sizes.d_model % sizes.heads:
        fitting = [str(h) for h in range(1, sizes.d_model + 1) if sizes.d_model % h == 0]
        wrong = f"{sizes.d_model} dimensions can't be shared equally by {sizes.heads} heads"
        right = f"give {' or '.join(fitting)}"
        complaints.problems.append(Problem.of(f"--heads {typed.heads}", wrong, right))
    return sizes


def _designed(sizes: Sizes, seed: int, allow: Sequence[str]) -> str:
    from attncli.nice_numbers.search import UnsatisfiedError
    from attncli.nice_numbers.sketch import sketch, text_of

    try:
        words, scenario = sketch(sizes, seed, allow)
    except UnsatisfiedError as error:
        wrong, right = error.problems[0].wrong, "choose other sizes, or give up a rule with --allow"
        raise OutputError.of("a scenario of these sizes", wrong, right) from None
    return text_of(sizes, words, scenario, _command(sizes, seed, allow))


def _command(sizes: Sizes, seed: int, allow: Sequence[str]) -> str:
    """The command that makes a scenario again."""
    import shlex

    words = ["attn", "design", "--tokens", str(sizes.tokens), "--d-model", str(sizes.d_model)]
    words += ["--heads", str(sizes.heads), "--seed", str(seed), "--decimals", str(sizes.decimals)]
    words += [word for rule in allow for word in ("--allow", rule)]
    return " ".join(map(shlex.quote, words))


class NewArguments(NamedTuple):
    """A file to write, and the checkpoint that it is of, with what that reads."""

    file: str
    from_: str | None = None
    tokens: str = "0,1,2"
    encoder_tokens: str | None = None
    encoder_states: str | None = None
    picture: str | None = None
    force: bool = False


def new(typed: NewArguments) -> Text:
    """A scenario to start from, or that of a checkpoint. Raises UserError."""
    text, large = (_starter(), False) if typed.from_ is None else _of_checkpoint(typed)
    return Text(text, typed.file, typed.force, is_written(typed.file, large=large))


def _starter() -> str:
    from attncli.scenario import starter

    return starter.text()


def _of_checkpoint(typed: NewArguments) -> tuple[str, bool]:
    """The scenario of a checkpoint, and whether it has more numbers than are read without being
    asked for."""
    from attncli.building import checkpoints
    from attncli.building.checkpoint import Checkpoint
    from attncli.building.checkpoints import Inputs, reading_of
    from attncli.file.emitting import emitted
    from attncli.scenario.scenario import MOST_NUMBERS

    assert typed.from_ is not None
    checkpoint = Checkpoint.of(typed.from_)
    place = Path() if typed.file == "-" else Path(typed.file).parent
    folder = checkpoint.file.parent
    said = {"--tokens": typed.tokens, "--encoder-tokens": typed.encoder_tokens}
    read, of_encoder = (
        None if text is None else reading_of(option, text, folder, place)
        for option, text in said.items()
    )
    assert read is not None
    inputs = Inputs(read, of_encoder, typed.encoder_states, typed.picture)
    text = emitted(checkpoints.scenario_of(checkpoint, place, inputs))
    return text, checkpoint.size > MOST_NUMBERS


class ValidateArguments(NamedTuple):
    """Scenario files, and what they may read and cost."""

    files: Sequence[str]
    allowed: Allowed = Allowed()


def validate(typed: ValidateArguments) -> Text:
    """Every problem of scenario files; of one without any what it holds."""
    from attncli.formats import summary_line
    from attncli.names import Word
    from attncli.pages.closing import ending_in_short
    from attncli.pages.sentences import published_in_short, summary
    from attncli.pipeline import work
    from attncli.trace.trace import outline_of

    complaints = [Complaints() for _ in typed.files]
    lines = []
    for file, heard in zip(typed.files, complaints, strict=True):
        with heard.heard():
            trace = work(typed.allowed.load(file))
            said = (*summary(outline_of(trace)), published_in_short(trace), ending_in_short(trace))
            lines.append(f"{summary_line(Word(file), said)}\n")
    wrong = [heard.problems for heard in complaints if heard.problems]
    return Text("".join(lines), status=BAD_INPUT if wrong else 0, wrong=wrong)


LISTS = ("scenarios", "steps")


class ListArguments(NamedTuple):
    """What is listed."""

    what: str = LISTS[0]


def list_(typed: ListArguments) -> Told:
    """The shipped scenarios, or the steps with what they do. Raises UserError."""
    if typed.what not in LISTS:
        raise OutputError.of(typed.what, "there is no such list", f"say {' or '.join(LISTS)}")
    return Told(_catalogue(typed.what), PageOptions())


def _catalogue(what: str) -> Document:
    if what == "steps":
        from attncli.pages.lesson import steps_catalogue

        return steps_catalogue()
    from attncli.pages.shipped import scenarios_catalogue

    return scenarios_catalogue()


SCHEMAS = ("scenario", "output")

_LINE = 120
"""Characters: what fits in a line has no more of them."""


class SchemaArguments(NamedTuple):
    """What the schema is of."""

    which: str = SCHEMAS[0]


def schema(typed: SchemaArguments) -> Text:
    """The JSON Schema of scenario files, or of what is written as JSON. Raises UserError."""
    if typed.which not in SCHEMAS:
        right = f"say {' or '.join(SCHEMAS)}"
        raise OutputError.of(typed.which, "there is no such schema", right)
    return Text(_laid_out(_schema_of(typed.which)) + "\n")


def _schema_of(which: str) -> dict[str, Any]:
    if which == "output":
        from attncli.formats.output_schema import output_schema

        return output_schema()
    from attncli.steps.schema import json_schema

    return json_schema()


def _laid_out(value: Any, indent: str = "") -> str:  # noqa: ANN401
    """JSON in which only what is too long for a line has a line for each of its parts."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _LINE or not isinstance(value, dict | list):
        return line
    deeper = indent + "  "
    if isinstance(value, list):
        parts, brackets = [_laid_out(part, deeper) for part in value], "[]"
    else:
        parts = [f"{json.dumps(key)}: {_laid_out(part, deeper)}" for key, part in value.items()]
        brackets = "{}"
    inside = f",\n{deeper}".join(parts)
    return f"{brackets[0]}\n{deeper}{inside}\n{indent}{brackets[1]}"


class HelpArguments(NamedTuple):
    """What somebody wants to know of."""

    topic: str | None = None


def help_(typed: HelpArguments) -> Told | Text:
    """The reference's topics, or what it says of one or of a word. Raises UserError."""
    if typed.topic is not None:
        return Text(_reference(typed.topic))
    from attncli.pages.shipped import topics_page

    return Told(topics_page(), PageOptions())


def _reference(topic: str) -> str:
    from attncli.formats.reference import reference_text
    from attncli.pages.shipped import entries, topics

    found = topics()
    text = found[topic].text if topic in found else entries(topic)
    if not text:
        raise UserError.of(f"attn help {topic}", *_unknown(topic, found))
    return reference_text(text, page_for(None))


def _unknown(word: str, found: Iterable[str]) -> tuple[str, str]:
    """What is wrong with a word that the reference has nothing about, and what would be right."""
    from attncli.steps.schema import step_meant

    meant = step_meant(word)
    if meant is not None:
        return "there is no such topic, key or option", meant
    right = f"say one of {listed(found)}, or `attn COMMAND --help` for a command"
    return "there is no such topic, key, step or option", right
