"""`attn design`: a new scenario, or forms that cost the same, with a table of what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from attncli.commands.arguments import (
    FilesOutput,
    Output,
    PageOutput,
    TextOutput,
    whole_number,
)
from attncli.commands.output import check_target, is_written
from attncli.commands.progress import watched
from attncli.errors import Complaints, Problem, counted
from attncli.names import Word
from attncli.output_files import Contents, OutputError, check_folder

if TYPE_CHECKING:
    from attncli.classroom.commands import DesignArguments, ExerciseArguments
    from attncli.classroom.files.exam_file import ExamFile
    from attncli.classroom.forms.new_scenario import Sizes
    from attncli.trace import Trace


_MOST_DECIMALS = 9
_TOKENS = 3
"""How many words there are where nothing is said of them."""
_OF_LAYER = ("mask", "norm", "residuals", "no_ffn")
"""Options for what belongs to a new layer."""


def designed(typed: DesignArguments, asked: ExerciseArguments) -> Output:
    """Makes a new scenario whose numbers are nice to work with by hand, or forms of one that cost
    the same, with a table of what they cost. Raises UserError."""
    if typed.scenario is not None:
        return _forms(typed, asked, typed.scenario)
    text = _new(typed)
    if typed.forms is None:
        return TextOutput(text, typed.page.output, typed.page.force, is_written(typed.page.output))
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "new.yaml"
        path.write_text(text, "utf-8")
        return _forms(typed, asked, str(path))


def _new(typed: DesignArguments) -> str:
    """Writes a new scenario as a file. Raises UserError."""
    from attncli.classroom.files.exercise_file import LARGEST_SEED, MOST_FORMS
    from attncli.classroom.forms.rules import check_names

    complaints = Complaints()
    words = (typed.sentence or "").split()
    sizes = _sizes(complaints, typed, words)
    number = complaints.hear(whole_number, "--seed", typed.seed, 0, LARGEST_SEED)
    if typed.forms is not None:
        complaints.hear(whole_number, "--forms", typed.forms, 1, MOST_FORMS)
    elif typed.step or typed.page.form:
        right = "say how many forms there are, like --forms 4"
        complaints.problems.append(Problem.of("--step or --format", "is for a table", right))
    complaints.problems += check_names(typed.allow or ())
    if typed.forms is None:
        complaints.hear(check_target, typed.page.output, force=typed.page.force)
    complaints.stop_if_any()
    assert sizes is not None
    assert number is not None
    return _designed(sizes, number, typed.allow or (), words)


def _sizes(complaints: Complaints, typed: DesignArguments, words: Sequence[str]) -> Sizes | None:
    """Reads the sizes that are asked for, of somebody's own words as many as there are; None where
    something is wrong, which `complaints` hears."""
    from attncli.classroom.forms.new_scenario import (
        FEWEST,
        MASKS,
        MOST,
        MOST_D_MODEL,
        NORMS,
        Sizes,
    )
    from attncli.classroom.paper_files import parse_choice

    hear = complaints.hear
    tokens: int | None = len(words) or _TOKENS
    if typed.tokens is not None:
        tokens = hear(whole_number, "--tokens", typed.tokens, FEWEST, MOST)
    if typed.sentence is not None and not FEWEST <= len(words) <= MOST:
        wrong, right = f"has {counted(len(words), 'word')}", f"give it {FEWEST} to {MOST}"
        complaints.problems.append(Problem.of("--sentence", wrong, right))
    elif words and tokens not in (None, len(words)):
        wrong = f"the sentence has {counted(len(words), 'word')}"
        complaints.problems.append(Problem.of(f"--tokens {tokens}", wrong, "leave it out"))
    d_model = hear(whole_number, "--d-model", typed.d_model, 1, MOST_D_MODEL)
    heads = hear(whole_number, "--heads", typed.layer.heads, 1, MOST_D_MODEL)
    decimals = hear(whole_number, "--decimals", typed.decimals, 1, _MOST_DECIMALS)
    mask = hear(parse_choice, "--mask", typed.layer.mask, MASKS)
    norm = hear(parse_choice, "--norm", typed.layer.norm, NORMS)
    if tokens is None or d_model is None or heads is None or decimals is None:
        return None
    if mask is None or norm is None:
        return None
    sizes = Sizes(
        tokens, d_model, heads, decimals, mask, norm, typed.layer.residuals, not typed.layer.no_ffn
    )
    if sizes.heads > sizes.d_model:
        wrong = f"{sizes.d_model} dimensions are too few for {sizes.heads} heads"
        right = f"give {sizes.d_model} or fewer"
        complaints.problems.append(Problem.of(f"--heads {typed.layer.heads}", wrong, right))
    if sizes.d_model == 1 and sizes.norm == "layer":
        wrong, right = (
            "a single number minus its mean is 0",
            "give --d-model 2 or more, or --norm rms",
        )
        complaints.problems.append(Problem.of("--norm layer", wrong, right))
    return sizes


def _designed(sizes: Sizes, seed: int, allow: Sequence[str], own: Sequence[str]) -> str:
    from attncli.classroom.forms.new_scenario import sketch, text_of
    from attncli.classroom.forms.search import UnsatisfiedError

    try:
        words, scenario = sketch(sizes, seed, allow, own)
    except UnsatisfiedError as error:
        wrong, right = error.problems[0].wrong, "choose other sizes, or give up a rule with --allow"
        raise OutputError.of("a scenario of these sizes", wrong, right) from None
    return text_of(sizes, words, scenario, _command(sizes, seed, allow, own))


def _command(sizes: Sizes, seed: int, allow: Sequence[str], own: Sequence[str]) -> str:
    """Writes the command that makes a scenario again."""
    import shlex

    words = ["attn", "design"]
    words += ["--sentence", " ".join(own)] if own else ["--tokens", str(sizes.tokens)]
    words += ["--d-model", str(sizes.d_model), "--heads", str(sizes.heads)]
    words += ["--seed", str(seed), "--decimals", str(sizes.decimals)]
    words += ["--mask", sizes.mask] if sizes.mask != "none" else []
    words += ["--norm", sizes.norm] if sizes.norm != "none" else []
    words += ["--residuals"] * sizes.residuals + ["--no-ffn"] * (not sizes.network)
    words += [word for rule in allow for word in ("--allow", rule)]
    return " ".join(map(shlex.quote, words))


def _forms(typed: DesignArguments, asked: ExerciseArguments, source: str) -> Output:
    """Makes the forms of a scenario, an exercise or an exam with the table of their costs; or the
    table alone. Raises UserError."""
    from attncli.classroom.exercises.exam_papers import requests_of
    from attncli.classroom.exercises.form_costs import CostedForm, costs_page
    from attncli.classroom.paper_files import form_names, traces_of_forms
    from attncli.formats import contents_of, suffixes_of
    from attncli.pipeline.exporting import exported, texts_beside

    exam, traces, folder = _ordered(typed, asked, source)
    requests, names = requests_of(exam, traces), form_names(exam.forms)
    texts: dict[str, Contents] = {}
    costed = []
    made = traces_of_forms(exam, traces, requests)
    for name, parts in watched(made, len(names), "Forms"):
        costed.append(CostedForm.of(name, parts, requests))
        for k, (part, trace) in enumerate(zip(exam.parts, parts, strict=True), start=1):
            if part.exercise is not None and trace is not None:
                place = name if len(parts) == 1 else f"{name}_{k}"
                texts[f"{place}.yaml"] = exported(part.exercise.scenario, (), trace.scenario)
                texts |= texts_beside(part.exercise.scenario)
    given_up = {rule for exercise in exam.exercises for rule in exercise.numbers.allow}
    alike = exam.forms is not None and "difficulty" not in given_up
    title = next(trace.scenario.title for trace in traces if trace is not None)
    page = costs_page(
        Word(exam.frame.title or title), costed, alike=alike, keeps_own=exam.keeps_own
    )
    if folder is None:
        return PageOutput(page, typed.page)
    form = typed.page.form or "markdown"
    table = f"costs{suffixes_of(form)[0]}"
    texts[table] = contents_of(page, form, typed.page.rendering)
    check_folder(folder, [*texts], force=typed.page.force)
    says = f"{folder} has {counted(len(names), 'form')}, and what they cost in {table}\n"
    return FilesOutput(texts, folder, typed.page.force, says)


def _ordered(
    typed: DesignArguments, asked: ExerciseArguments, source: str
) -> tuple[ExamFile, list[Trace | None], str | None]:
    """Returns the exam that is asked for, its worked scenarios, and the folder that forms go into,
    if one is named. Raises UserError."""
    from attncli.classroom.arguments import typed_options
    from attncli.classroom.exercise_orders import ordered_exam
    from attncli.classroom.paper_files import is_folder

    complaints = Complaints()
    right = "leave it out, or leave the scenario out for a new one"
    for name, option in typed_options(typed.context) if typed.scenario is not None else ():
        if name in ("sentence", "tokens", "d_model", "heads", "decimals", *_OF_LAYER):
            wrong = f"a scenario has a {'sentence' if name == 'sentence' else 'size'} of its own"
            complaints.problems.append(Problem.of(option, wrong, right))
    exam = ordered_exam(asked._replace(scenario=source), complaints)
    if exam is not None:
        complaints.hear(typed.page.allowed.check_count, exam.forms or 1, "forms", source)
    places = (source,) if exam is None else exam.scenarios
    traces = typed.page.allowed.worked_each(places, (), complaints)
    folder = typed.page.output
    if folder is None or not is_folder(folder, many=typed.page.form is None):
        folder = None
        complaints.hear(typed.page.check)
    if not any(places):
        right = "give one with a scenario"
        complaints.problems.append(Problem.of(source, "has no numbers to work with", right))
    complaints.stop_if_any()
    assert exam is not None
    return exam, traces, folder
