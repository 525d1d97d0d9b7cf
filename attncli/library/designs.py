"""`attn design`: a new scenario, or forms that cost the same, with a table of what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from attncli.errors import Complaints, Problem
from attncli.library.arguments import (
    Allowed,
    Excerpt,
    FilesOutput,
    Output,
    PageOptions,
    PageOutput,
    TextOutput,
    whole_number,
)
from attncli.library.output import check_target, is_written, page_for, watched
from attncli.output_files import Contents, OutputError, check_folder

if TYPE_CHECKING:
    from attncli.building.exercise_file import ExerciseFile
    from attncli.nice_numbers.new_scenario import Sizes
    from attncli.trace import Trace


_MOST_DECIMALS = 9


class DesignArguments(NamedTuple):
    """The scenario that forms are made of, or how large a new one is to be; how many forms, what is
    asked of them, and which rules their numbers needn't keep."""

    scenario: str | None = None
    forms: str | None = None
    step: Sequence[str] | None = None
    tokens: str = "3"
    d_model: str = "2"
    heads: str = "1"
    seed: str = "1"
    decimals: str = "3"
    allow: Sequence[str] | None = None
    form: str | None = None
    output: str | None = None
    allowed: Allowed = Allowed()
    force: bool = False
    context: Any = None


def design(typed: DesignArguments) -> Output:
    """Make a new scenario whose numbers are nice to work with by hand, or forms of one that cost
    the same, with a table of what they cost. Raises UserError."""
    if typed.scenario is not None or typed.forms is not None:
        return _forms(typed)
    complaints = Complaints()
    if typed.step or typed.form:
        right = "say it with a scenario, or with --forms"
        complaints.problems.append(Problem.of("--step, --format", "are for a table", right))
    sizes, seed = _terms(complaints, typed)
    complaints.hear(check_target, typed.output, force=typed.force)
    complaints.stop_if_any()
    assert sizes is not None
    (text,) = _designed(sizes, seed, typed, 1)
    return TextOutput(text, typed.output, typed.force, is_written(typed.output))


def _terms(complaints: Complaints, typed: DesignArguments) -> tuple[Sizes | None, int]:
    """The sizes of a new scenario and its seed; what is wrong with them and the rules is heard."""
    from attncli.building.exercise_file import LARGEST_SEED
    from attncli.nice_numbers.rules import check_names

    sizes = _sizes(complaints, typed)
    seed = complaints.hear(whole_number, "--seed", typed.seed, 0, LARGEST_SEED)
    complaints.problems += check_names(typed.allow or ())
    return sizes, seed or 0


def _sizes(complaints: Complaints, typed: DesignArguments) -> Sizes | None:
    """The sizes that are asked for; None having heard what is wrong with them."""
    from attncli.nice_numbers.new_scenario import FEWEST, MOST, MOST_D_MODEL, Sizes

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


def _designed(sizes: Sizes, seed: int, typed: DesignArguments, count: int) -> list[str]:
    """New scenarios as files. Raises OutputError where there are no such numbers."""
    from attncli.nice_numbers.costs import HARD, LIMITS
    from attncli.nice_numbers.new_scenario import sketches, text_of
    from attncli.nice_numbers.search import UnsatisfiedError

    allow = typed.allow or ()
    try:
        limits = LIMITS if typed.forms else HARD
        words, scenarios = sketches(sizes, seed, allow, count, limits)
    except UnsatisfiedError as error:
        wrong, right = error.problems[0].wrong, "choose other sizes, or give up a rule with --allow"
        raise OutputError.of("a scenario of these sizes", wrong, right) from None
    command = _command(sizes, seed, allow, typed.forms)
    return [text_of(sizes, words, scenario, command) for scenario in scenarios]


def _command(sizes: Sizes, seed: int, allow: Sequence[str], forms: str | None) -> str:
    """The command that makes a scenario again."""
    import shlex

    words = ["attn", "design", "--tokens", str(sizes.tokens), "--d-model", str(sizes.d_model)]
    words += ["--heads", str(sizes.heads), "--seed", str(seed), "--decimals", str(sizes.decimals)]
    words += [word for rule in allow for word in ("--allow", rule)]
    words += ["--forms", forms, "-o", "forms/"] if forms else []
    return " ".join(map(shlex.quote, words))


# --------------------------------------------------------------------------------------------------
# Forms that cost the same, and what they cost.

_TABLE = "costs.md"


class DesignedForm(NamedTuple):
    """A form: what it is called, the text of its scenario, and that worked."""

    name: str
    text: str
    trace: Trace


def _forms(typed: DesignArguments) -> Output:
    from attncli.exercises.form_costs import CostedForm, costs_page
    from attncli.exercises.requests import request_of
    from attncli.formats import render
    from attncli.names import Word

    complaints = Complaints()
    folder = _folder(complaints, typed)
    exercise, forms = (_new if typed.scenario is None else _of_scenario)(typed, complaints)
    names, found = [], []
    texts: dict[str, Contents] = {}
    for form in watched(forms, exercise.forms or 1, "Forms"):
        request = request_of(form.trace, exercise)
        found.append(CostedForm.of(form.name, form.trace, request))
        texts[f"{form.name}.yaml"] = form.text
        names.append(form.trace.scenario.title)
    page = costs_page(Word(names[0]), found)
    if folder is None:
        return PageOutput(page, PageOptions(typed.form, output=typed.output, force=typed.force))
    table = render(page, "markdown", page_for(folder))
    check_folder(folder, [*texts, _TABLE], force=typed.force)
    says = f"{render(page, 'terminal', page_for(None))}{folder} has them, and {_TABLE}\n"
    return FilesOutput({**texts, _TABLE: table}, folder, typed.force, says)


def _folder(complaints: Complaints, typed: DesignArguments) -> str | None:
    """The folder that forms go into, if they do; or else it is heard where a table can't go."""
    from attncli.library.paper_files import is_folder

    if typed.output is None or not is_folder(typed.output, many=True):
        complaints.hear(PageOptions(typed.form, output=typed.output, force=typed.force).check)
        return None
    if typed.form is not None:
        right = f"leave it out: the table is in {_TABLE}"
        complaints.problems.append(Problem.of("--format", "a folder has scenarios", right))
    return typed.output


def _of_scenario(
    typed: DesignArguments, complaints: Complaints
) -> tuple[ExerciseFile, Iterator[DesignedForm]]:
    """What is asked of a scenario, or by an exercise file, and the forms."""
    from attncli.library.exercise_arguments import ExerciseArguments, typed_options
    from attncli.library.exercises import ordered_exercise

    assert typed.scenario is not None
    of_new = {"tokens", "d_model", "heads", "decimals"}
    right = "leave it out, or leave the scenario out for a new one"
    complaints.problems += [
        Problem.of(option, "a scenario has a size of its own", right)
        for name, option in typed_options(typed.context)
        if name in of_new
    ]
    order = ExerciseArguments(
        typed.scenario,
        Excerpt(typed.step),
        forms=typed.forms,
        seed=typed.seed,
        allow=typed.allow,
        allowed=typed.allowed,
        context=typed.context,
    )
    ordered = ordered_exercise(order, complaints)
    place = typed.scenario if ordered is None else ordered.exercise.scenario
    trace = complaints.hear(typed.allowed.worked_alone, place)
    complaints.stop_if_any()
    assert ordered is not None
    assert trace is not None
    return ordered.exercise, _forms_of(trace, ordered.exercise)


def _forms_of(trace: Trace, it: ExerciseFile) -> Iterator[DesignedForm]:
    from attncli.building.plain_scenario import exported
    from attncli.exercises.requests import request_of
    from attncli.library.paper_files import variants

    for name, form in variants(trace, request_of(trace, it), it.forms, it.seed, it.allow):
        yield DesignedForm(name, exported(it.scenario, (), form.scenario), form)


def _new(
    typed: DesignArguments, complaints: Complaints
) -> tuple[ExerciseFile, Iterator[DesignedForm]]:
    """What is asked of new scenarios, and these."""
    from attncli.building.exercise_file import MOST_FORMS, ExerciseFile
    from attncli.library.exercises import asks_of
    from attncli.pages.parts.selection import check_steps

    sizes, seed = _terms(complaints, typed)
    count = complaints.hear(whole_number, "--forms", typed.forms or "", 1, MOST_FORMS)
    complaints.hear(check_steps, typed.step or ())
    complaints.stop_if_any()
    assert sizes is not None
    assert count is not None
    asks = asks_of(Excerpt(typed.step), None, None)
    return ExerciseFile("", asks, forms=count), _new_forms(_designed(sizes, seed, typed, count))


def _new_forms(texts: Sequence[str]) -> Iterator[DesignedForm]:
    from attncli.document.questions import form_name

    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "form.yaml"
        for k, text in enumerate(texts):
            path.write_text(text, "utf-8")
            yield DesignedForm(form_name(k), text, Allowed().worked_alone(str(path)))
