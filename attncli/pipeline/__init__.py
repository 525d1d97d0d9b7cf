"""From a source to its scenario, whose story is planned; and from that to its trace.

trees           the tree of a source, with changes, and that of each variant
builder         a scenario of the values that were read; `stacks`, `texts`, `prediction` its parts
start_numbers   numbers that steps of a scenario's own start with, as arrays that are given
given_matrices  the matrices of a scenario by their names
implied_values  the values that files, tokenizers, `one_hot` and encoders stand for
plain_data      a scenario as plain data, and with other numbers
exporting       a form of a scenario as a file of its own
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from attncli.efforts import WORKING, Effort
from attncli.errors import UserError
from attncli.names import Name
from attncli.pipeline.builder import Origin, ScenarioBuilder
from attncli.pipeline.given_matrices import with_drawn
from attncli.pipeline.trees import (
    Changes,
    Source,
    changed_tree,
    check_size,
    folder_of,
    name_of,
    variants_of,
)
from attncli.scenario.file import shipped
from attncli.scenario.file.named_files import names_file
from attncli.scenario.file.nodes import Map
from attncli.scenario.file.problems import Diagnostics, scenario_error
from attncli.scenario.scenario import Scenario
from attncli.steps.schema import SCENARIO, check_names_of_steps, givable
from attncli.steps.story import planned, with_numbers
from attncli.steps.unused_settings import unused
from attncli.trace import Definition, PlannedStep, Quantity, Trace, Unfinished, make
from attncli.trace.budget import cost_of, excess
from attncli.trace.generation import generated
from attncli.trace.on_demand import OnDemand, given_quantity
from attncli.trace.trace import Outline, outlined

if TYPE_CHECKING:
    from attncli.tokenizers.pieces import Progress

Recount = Callable[[Sequence[int]], Scenario]


def load(  # noqa: PLR0913  (what it may read and cost, and what is told of it)
    source: Source,
    changes: str | Mapping[str, object] | Changes = (),
    *,
    outside: bool = False,
    large: bool = False,
    in_place: bool = False,
    progress: Progress | None = None,
    effort: Effort = WORKING,
) -> Scenario:
    """Reads the scenario of a file, of a shipped scenario's name, or of a mapping.

    A mapping has the keys of a scenario file; its matrices may be arrays of NumPy, PyTorch, JAX or
    whatever else gives its numbers as these do. `changes`, one or several, are applied first, each
    written `KEY=VALUE` as for `--set`: `scale=none`, `W_K[1,2]=0`, or as a mapping, `{"scale":
    "none"}`. `outside` allows matrices from files that don't lie in the scenario's folder, `large`
    what takes longer or more memory than the budget allows; `in_place` leaves large matrices in
    their files, which mustn't change then, until they are worked with; `progress` is called with
    how much is done, and of how much in all, while a tokenizer learns; `effort` is what is to be
    done with the scenario, which the budget is for.

    Raises ScenarioError, whose `problems` are all that is wrong.
    """
    problems = Diagnostics()
    tree, changed = changed_tree(source, _listed(changes), problems)
    _check_is_scenario(tree)
    if not large:
        check_size(tree)
    origin = Origin(name_of(source), folder_of(source), outside, large, in_place, progress)
    whole = _of_file(_read(tree, origin, problems), changed=changed)
    read = {
        name: _of_file(_read(other, origin, problems), varied=varied)
        for name, other, varied in variants_of(tree, problems)
    }
    scenario = _planned_as_meant(whole, tree, origin, problems)
    others = {name: planned(other, problems) for name, other in read.items()}
    _check_cost(scenario.with_variants(others), effort, problems)
    others = {name: with_drawn(other, problems) for name, other in others.items()}
    scenario = with_drawn(scenario, problems)
    problems.stop_if_any()
    if "word_counts" in scenario.given.matrices:
        scenario = _countable(scenario, tree, partial(_recounted, tree, outside, large))
    return scenario.with_variants(others)


def _listed(changes: str | Mapping[str, object] | Changes) -> Changes:
    if isinstance(changes, str):
        return [changes]
    if isinstance(changes, Mapping):
        return [f"{key}={value}" for key, value in changes.items()]
    if isinstance(changes, Iterable):
        return [*changes]
    raise TypeError(f"changes are like 'scale=none', not {type(changes).__name__}")


def _is_fine(origin: Origin, tree: Map) -> bool:
    """Tells whether a tree's matrices fit together."""
    problems = Diagnostics()
    planned(_read(tree, origin, problems), problems)
    return not problems.found


def _check_is_scenario(tree: Map) -> None:
    """Raises ScenarioError for an exercise file, which alone names a scenario, and for an exam,
    which alone has parts."""
    if tree.get("scenario") is not None:
        right = "name its scenario; attn exercise, grade and practice take the exercise"
        raise scenario_error(tree.where, "this is an exercise, not a scenario", right)
    if tree.get("parts") is not None:
        right = "name the scenario of a part; attn exam, grade and design take the exam"
        raise scenario_error(tree.where, "this is an exam, not a scenario", right)


def _recounted(tree: Map, outside: bool, large: bool, counts: Sequence[int]) -> Scenario:
    """Makes the scenario of a tree with other counts of the texts of its corpus. Raises
    ScenarioError."""
    from attncli.pipeline.plain_data import with_counts

    return load(with_counts(tree, counts), outside=outside, large=large)


def _countable(scenario: Scenario, tree: Map, recount: Recount) -> Scenario:
    """Adds to a scenario what other counts of its corpus take."""
    from attncli.pipeline.plain_data import text_counts

    counts = text_counts(tree)
    return _of_file(scenario, text_counts=counts, recount=recount) if counts else scenario


def _of_file(scenario: Scenario, **said: Any) -> Scenario:  # noqa: ANN401
    """Adds to a scenario what is said of its file."""
    return replace(scenario, file=replace(scenario.file, **said))


def _read(tree: Map, origin: Origin, problems: Diagnostics) -> Scenario:
    """Reads the scenario that a tree says; whether its matrices fit together is for others to
    say."""
    values = SCENARIO.read(tree, problems) or {}
    check_names_of_steps(tree, problems)
    if problems.is_misread:
        problems.stop_if_any()
    return ScenarioBuilder.of(tree, values, origin, problems).scenario()


def _check_cost(scenario: Scenario, effort: Effort, problems: Diagnostics) -> None:
    """Raises ScenarioError for what costs more than it may, all variants together."""
    cost = cost_of(scenario)
    for other in scenario.variants.values():
        cost = cost.plus(cost_of(other))
    wrong = excess(scenario, cost, effort)
    if wrong is not None:
        problems.found.append(wrong)
        problems.stop_if_any()


def _planned_as_meant(
    whole: Scenario, tree: Map, origin: Origin, problems: Diagnostics
) -> Scenario:
    """Plans the scenario; if its matrices only fit in the other layout, that is said."""
    unread = bool(problems.found)
    scenario = planned(whole, problems)
    if problems.found and not unread and not whole.plan.written.alone:
        from attncli.pipeline.builder import in_other_layout

        problems.found = in_other_layout(tree, problems.found, partial(_is_fine, origin))
    return scenario


def steps_written_in(source: Source, changes: Changes = ()) -> tuple[str, ...] | None:
    """Names the steps that a source writes itself, though it may not be a scenario that can be
    worked; none where nothing is there to read. Returns None where they can't be known: what is
    there can't be read, or takes them from another file."""
    if not isinstance(source, Mapping) and not shipped.find(os.fspath(source)).is_file():
        return ()
    try:
        tree = changed_tree(source, changes, Diagnostics()).tree
        _check_is_scenario(tree)
    except UserError:
        return None
    steps = tree.get("steps")
    if steps is not None and names_file(steps):
        return None
    return tuple(name.text for name, _ in steps.entries) if isinstance(steps, Map) else ()


def outline(source: Source) -> Outline:
    """Tells what a scenario comes to without its variants: nothing is drawn or worked. Raises
    ScenarioError."""
    problems = Diagnostics()
    tree = changed_tree(source, (), problems).tree
    check_size(tree)
    origin = Origin(name_of(source), folder_of(source), outside=False, large=False)
    scenario = planned(_read(tree, origin, problems).alone(), problems)
    problems.stop_if_any()
    known = {*scenario.given.names}
    steps = _needed(scenario.plan.story, known)
    known.update(definition.name for definition in _made_of(known, steps))
    return outlined(scenario, steps, {name: scenario.plan.shapes[name] for name in known})


def work(scenario: Scenario) -> Trace:
    """Works a scenario, as far as what is given goes.

    Raises ScenarioError where the numbers can't be worked: a row of exponentials that all round to
    zero, numbers too long for the decimals asked for.
    """
    trace = _worked(scenario)
    if scenario.page.show.answer.cell:
        from attncli.trace.answer import check_answer

        check_answer(trace)
    if not scenario.variants and scenario.prediction.generation.length < 2:  # noqa: PLR2004
        return trace
    variants = {name: work(other) for name, other in scenario.variants.items()}
    return replace(trace, generated=generated(trace, _planned_and_worked), variants=variants)


def _worked(scenario: Scenario) -> Trace:
    quantities = _given(scenario)
    steps = _needed(with_numbers(scenario), quantities)
    for definition in _made_of(quantities, steps):
        quantities[definition.name] = make(scenario, quantities, definition)
    return _trace(scenario, steps, quantities)


def _planned_and_worked(scenario: Scenario) -> Trace:
    problems = Diagnostics()
    scenario = planned(scenario, problems)
    problems.stop_if_any()
    return _worked(scenario)


def work_on_demand(scenario: Scenario) -> Trace:
    """Plans a scenario by itself, without variants and generated tokens, and works it when somebody
    asks for a quantity: that one, and what leads to it. Asking for it raises what `work` does."""

    alone = scenario.alone()
    given = _given(alone)
    steps = _needed(with_numbers(alone), given)
    return _trace(alone, steps, OnDemand(alone, given, _made_of(given, steps)))


def _given(scenario: Scenario) -> dict[str, Quantity]:
    given = scenario.given.matrices
    return {name: given_quantity(scenario, name, matrix) for name, matrix in given.items()}


def _made_of(given: Iterable[str], steps: Iterable[PlannedStep]) -> Sequence[Definition]:
    """Returns what can be made of what is given, in order."""
    known, made = set(given), []
    for definition in (definition for part in steps for definition in part.definitions):
        if not definition.needs and known.issuperset(definition.operands):
            known.add(definition.name)
            made.append(definition)
    return made


def _trace(
    scenario: Scenario, steps: tuple[PlannedStep, ...], quantities: Mapping[str, Quantity]
) -> Trace:
    """Makes the trace of quantities by themselves. Raises ScenarioError for what is said in it of
    what isn't there."""
    plan = (definition for part in steps for definition in part.definitions)
    ends, idle = _unfinished(scenario, plan, quantities), unused(scenario, steps, quantities)
    trace = Trace(scenario, quantities, steps, ends, unused=idle)
    if scenario.source.published:
        from attncli.trace.published import published_numbers

        published_numbers(trace)
    if scenario.source.claims or scenario.source.ours:
        from attncli.trace.claims import judged_claims

        judged_claims(trace)
    return trace


def _passed_over(story: Iterable[PlannedStep], given: Container[str]) -> set[Name]:
    """Finds what would be made before something of the same place that is given, from which the
    story continues."""
    found: set[Name] = set()
    before: dict[Name, list[Name]] = {}
    for part in story:
        for path in {d.name.path for d in part.definitions if d.name in given}:
            found.update(before.get(path, ()))
        for definition in part.definitions:
            before.setdefault(definition.name.path, []).append(definition.name)
    return found


def _unfinished(
    scenario: Scenario, plan: Iterable[Definition], known: Container[str]
) -> Unfinished | None:
    """Finds the first quantity that couldn't be made; rather one that has some of what it needs,
    and that isn't passed over unless what comes next waits for it. None where all could be made."""
    blocked = {definition.name: definition for definition in plan if definition.name not in known}
    if not blocked:
        return None
    passed = _passed_over(scenario.plan.story, scenario.given.matrices)
    begun = [m for m in blocked.values() if any(name in known for name in m.operands)]
    next_ones = [m for m in begun or blocked.values() if m.name not in passed]
    waited_for = _waited_for(next_ones[0], blocked) if next_ones else blocked
    definition = next((m for m in begun if m.name in waited_for), next(iter(blocked.values())))
    missing: list[Name] = []
    waiting = [definition]
    while waiting:  # what is missing for what is missing, down to what a file can give
        needed = waiting.pop()
        absent = [name for name in (*needed.operands, *needed.needs) if name not in known]
        deeper = [n for n in absent if n in blocked and n.local not in givable()]
        missing += [name for name in absent if name not in deeper]
        waiting += [blocked[name] for name in deeper]
    return Unfinished(definition, tuple(dict.fromkeys(missing)))


def _waited_for(definition: Definition, blocked: Mapping[Name, Definition]) -> set[Name]:
    """Finds what of some definitions leads to one of them, and that itself."""
    found, waiting = set[Name](), [definition.name]
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting += [n for n in blocked[name].operands if n in blocked and n not in found]
    return found


def _needed(parts: Iterable[PlannedStep], given: Collection[str]) -> tuple[PlannedStep, ...]:
    """Returns the steps with the definitions that lead somewhere: not those of given quantities,
    nor of what only given quantities would have been made of, nor of what is passed over, needed by
    nothing and can't be made."""
    story = list(parts)
    definitions = [definition for part in story for definition in part.definitions]
    if not any(definition.name in given for definition in definitions):
        return tuple(story)
    consumed = {operand for definition in definitions for operand in definition.operands}
    wanted: set[str] = {
        definition.name for definition in definitions if definition.name not in consumed
    }
    wanted -= _passed_over(story, given).difference(d.name for d in _made_of(given, story))
    kept: set[str] = set()
    for definition in reversed(definitions):
        if definition.name in wanted and definition.name not in given:
            kept.add(definition.name)
            wanted.update(definition.operands)
    return tuple(part.only(kept) for part in story)
