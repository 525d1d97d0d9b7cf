"""The papers of an exercise, one form after the other, as texts and files."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import repeat, tee
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attncli.commands.arguments import FilesOutput, TextOutput
from attncli.commands.output import (
    check_binary,
    check_target,
    chosen_format,
)
from attncli.commands.progress import watched
from attncli.errors import Complaints, Problem
from attncli.maths.notation.escaping import printed
from attncli.names import Word
from attncli.option_values import KEYS
from attncli.output_files import Contents, OutputError, check_folder, safe_name
from attncli.scenario.file.problems import nearest

if TYPE_CHECKING:
    from attncli.classroom.commands import ExerciseArguments
    from attncli.classroom.exercises.exam_papers import ExamForm, FormTraces
    from attncli.classroom.exercises.requests import ExerciseRequest
    from attncli.classroom.files.exam_file import ExamFile
    from attncli.classroom.forms.candidate_quantity import Attempt
    from attncli.classroom.forms.search import SearchRequest
    from attncli.document.blocks import Document
    from attncli.document.questions import Worth
    from attncli.trace import Trace


def _check_targets(order: ExerciseArguments, manner: PaperSettings, forms: Sequence[str]) -> None:
    """Raises OutputError where results don't fit where they are to go, or files are in the way."""
    names, output = _file_names(order, manner, forms), order.page.output
    if manner.folder:
        assert output is not None
        check_folder(output, names, force=order.page.force)
    elif len(names) > 1 and (len(forms) > 1 or not _is_file(output)):
        where = output or "standard output"
        wrong = f"there are {len(names)} papers to write"
        raise OutputError.of(where, wrong, "name a folder with -o, like -o sheets/")
    elif len(names) > 1:
        folder = Path(str(output)).parent
        if not folder.is_dir():
            raise OutputError.of(str(output), f"there is no folder {folder}", "make it first")
        for place in _beside(Path(str(output)), manner).values():
            check_target(str(place), force=order.page.force)
    else:
        check_target(output, force=order.page.force)


def _is_file(output: str | None) -> bool:
    """Tells whether a name is that of a file that others may stand beside; a device's is not."""
    if output is None or output == "-":
        return False
    return os.path.isfile(output) or not os.path.lexists(output)  # noqa: PTH113 - a name too long is none


def _beside(path: Path, manner: PaperSettings) -> dict[str, Path]:
    """Returns the places of the papers of one form, by what they are: the first is that which is
    named, the others stand beside it."""
    first, *others = manner.papers
    places = {kind: path.with_name(f"{path.stem}_{kind}{path.suffix}") for kind in others}
    return {first: path, **places}


def _file_names(order: ExerciseArguments, manner: PaperSettings, forms: Sequence[str]) -> list[str]:
    """Makes a name for each paper, from the scenario, the form and what it is; one where all forms
    are gathered in a file."""
    from attncli.document.questions import OWN_FORM
    from attncli.formats import info_of, suffixes_of

    suffix = suffixes_of(manner.format)[0]
    stem = safe_name(Path(order.scenario).stem)
    if info_of(manner.format).papers.gathered:
        forms = [OWN_FORM]
    papers = [
        "_".join((stem, *(() if form == OWN_FORM else (form,)), kind)) + suffix
        for form in forms
        for kind in manner.kinds
    ]
    return [*papers, f"{stem}_grid{suffix}"] if manner.grid else papers


def papers_of(
    order: ExerciseArguments, manner: PaperSettings, forms: Iterable[ExamForm], count: int
) -> FilesOutput | TextOutput:
    """Makes the papers of all forms, for a folder, or the one that there is."""
    files = paper_files(order, manner, watched(forms, count, "Forms"))
    if manner.folder:
        assert order.page.output is not None
        return FilesOutput(files, order.page.output, order.page.force)
    if len(files) == 1:
        return TextOutput(next(iter(files.values())), order.page.output, order.page.force)
    places = _beside(Path(str(order.page.output)), manner)
    texts = {place.name: text for place, text in zip(places.values(), files.values(), strict=True)}
    folder = str(next(iter(places.values())).parent)
    return FilesOutput(texts, folder, order.page.force, _listed_files(places))


def _listed_files(places: Mapping[str, Path]) -> str:
    """Tells which file is what: `sheet.pdf is the sheet, sheet_key.pdf the key`."""
    (kind, path), *others = ((k, printed(Word(str(place)))) for k, place in places.items())
    return f"{', '.join((f'{path} is the {kind}', *(f'{p} the {k}' for k, p in others)))}\n"


def paper_files(
    order: ExerciseArguments, manner: PaperSettings, made: Iterable[ExamForm]
) -> dict[str, Contents]:
    """Makes the papers of forms by the names of their files, and the grid of all."""
    forms: list[str] = []

    def papers() -> Iterator[Document]:
        kept: list[Document] = []
        most: dict[str, Worth] = {}
        for form in made:
            forms.append(form.name)
            kept += [form.whole] * manner.grid
            most |= form.most
            yield from (_paper(kind, form, manner) for kind in manner.kinds)
        if kept:
            from attncli.classroom.exercises.answer_grid import answer_grid

            yield answer_grid(kept, most)

    with _rarely_collecting():
        texts = _texts(papers(), order, manner)
    return dict(zip(_file_names(order, manner, forms), texts, strict=True))


def blank_sheet(whole: Document, form: str) -> Document:
    """Makes the student's sheet of an exercise; one that checks itself where a format has these."""
    from attncli.classroom.exercises.papers import self_checking, sheet_of
    from attncli.formats import info_of

    return self_checking(whole) if info_of(form).papers.checking else sheet_of(whole)


def answers_files(order: ExerciseArguments, exercises: Mapping[str, Document]) -> dict[str, str]:
    """Makes a file to fill in for each form, by its name."""
    from attncli.classroom.exercises.papers import sheet_of
    from attncli.formats import render

    manner = PaperSettings("yaml", folder=True, kinds=("answers",), share=None)
    names = _file_names(order, manner, [*exercises])
    sheets = map(sheet_of, exercises.values())
    page = order.page.rendering
    return {name: render(sheet, "yaml", page) for name, sheet in zip(names, sheets, strict=True)}


@contextmanager
def _rarely_collecting() -> Iterator[None]:
    """Makes the garbage collector look seldom: pages are many small tuples, which go by
    themselves, and looking for rings among them takes a third of the time."""
    often = gc.get_threshold()
    gc.set_threshold(1_000_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*often)


def _texts(
    papers: Iterable[Document], order: ExerciseArguments, manner: PaperSettings
) -> list[Contents]:
    """Papers in their format, gathered in one file where that has them so; a package only where
    it goes to a file, and otherwise the text of what is in it."""
    from attncli.formats import contents_of, files_of, info_of, render_forms

    page, can = order.page.rendering, info_of(manner.format)
    if can.papers.packed and order.page.output not in (None, "-"):
        from attncli.output_files import packed

        return [packed(files_of([*papers], manner.format, page))]
    if can.papers.gathered:
        return [render_forms([*papers], manner.format, page)]
    return [contents_of(paper, manner.format, page) for paper in papers]


def _paper(kind: str, form: ExamForm, manner: PaperSettings) -> Document:
    from attncli.classroom.exercises.exam_papers import key_of
    from attncli.classroom.exercises.left_to_draw import knowing_pools
    from attncli.classroom.exercises.papers import sheet_of
    from attncli.classroom.exercises.tasks import hints_page
    from attncli.formats import info_of

    papers = info_of(manner.format).papers
    match kind:
        case "key":
            return key_of(form)
        case "hints":
            return form.changed(hints_page)
        case "sheet":
            return blank_sheet(form.whole, manner.format)
        case _ if papers.self_keyed:
            paper = form.hinted if papers.hints == "embedded" else form.whole
            return knowing_pools(paper, form) if papers.draws else paper
        case _:
            sheet = sheet_of(form.whole)
            return sheet._replace(answers=sheet.answers._replace(key=key_of(form)))


def form_names(count: int | None) -> list[str]:
    """Returns what so many forms are called; without a number the one with the scenario's own
    numbers."""
    from attncli.document.questions import OWN_FORM, form_name

    return [OWN_FORM] if count is None else [form_name(k) for k in range(count)]


class PaperSettings(NamedTuple):
    """A way to write an exercise: how, and where."""

    format: str
    folder: bool
    kinds: tuple[str, ...]
    """The papers of each form."""
    share: int | None
    """What a known mistake earns, in per cent, where mistakes are to be looked for."""
    grid: bool = False
    """Whether there is a grid, one of all forms."""

    @property
    def papers(self) -> tuple[str, ...]:
        """Returns the papers where there is one form."""
        return (*self.kinds, *(("grid",) * self.grid))


def parse_manner(order: ExerciseArguments, exam: ExamFile | None) -> PaperSettings:
    """Reads how and where an exercise is to be written. Raises UserError, naming all that is
    wrong."""
    from attncli.formats import paper_format_names

    _check_no_workbook(order.page.form, order.page.output)
    by_file = exam is not None and exam.path is not None
    names = form_names(None if exam is None else exam.forms)
    many = by_file or order.hints or order.grid or order.key == "separate" or len(names) > 1
    folder = order.page.output is not None and is_folder(order.page.output, many=many)
    complaints = Complaints()
    target = None if folder else order.page.output
    form = complaints.hear(chosen_format, order.page.form, target, paper_format_names())
    complaints.hear(parse_choice, "--key", order.key or KEYS[0], KEYS)
    if form is not None:
        complaints.hear(check_binary, form, order.page.output)
    complaints.stop_if_any()
    assert form is not None
    manner = _checked(order, form, folder=folder)
    if exam is not None and exam.share is not None:
        manner = manner._replace(share=exam.share)
    if exam is not None and not (folder and by_file):
        _check_targets(order, manner, names)
    return manner


def _check_no_workbook(form: str | None, output: str | None) -> None:
    """Raises OutputError where a sheet is asked for as a workbook."""
    if form == "xlsx" or (form is None and output is not None and output.lower().endswith(".xlsx")):
        text = f"--format {form}" if output is None else output
        right = "a sheet in .html marks itself, and a spreadsheet fills in .csv for attn grade"
        wrong = "a workbook that marks answers would hold them for everybody to read"
        raise OutputError.of(text, wrong, right)


def parse_choice(option: str, text: str, known: Sequence[str]) -> str:
    """Returns the one of some words that is ordered. Raises OutputError."""
    if text not in known:
        raise OutputError.of(f"{option} {text}", "no such choice", nearest(text, known))
    return text


def is_folder(output: str, *, many: bool) -> bool:
    """Tells whether a name is a folder's, or one that `many` papers would go into."""
    path = Path(output)
    if output.endswith(("/", os.sep)) or os.path.isdir(path):  # noqa: PTH112 - a name too long is none
        return True
    suffix = path.suffix.removeprefix(".")
    return many and output != "-" and (not suffix or suffix.isdecimal())  # `midterm_2.1`


def _checked(order: ExerciseArguments, form: str, *, folder: bool) -> PaperSettings:
    from attncli.formats import exercise_format_names, info_of

    can = info_of(form)
    apart = folder or (can.papers.keys[0] == "embedded" and not can.papers.self_keyed)
    apart = apart and (folder or _is_file(order.page.output)) and "separate" in can.papers.keys
    key = order.key or ("separate" if apart else can.papers.keys[0])
    wrong = []
    if key not in can.papers.keys:
        right = f"say {' or '.join(can.papers.keys)}"
        wrong.append(Problem.of(f"--key {key}", f"the format {form} doesn't go with it", right))
    if order.hints and can.papers.hints == "none":
        right = "choose another, or leave --hints out"
        wrong.append(Problem.of("--hints", f"the format {form} has none", right))
    if order.grid and form in exercise_format_names():
        right = "choose one of pages, such as pdf, or leave --grid out"
        wrong.append(Problem.of("--grid", f"the format {form} has no pages", right))
    if wrong:
        raise OutputError(wrong)
    order.page.check_form(form)
    first = "exercise" if key == "embedded" else "sheet"
    apart = order.hints and can.papers.hints == "separate"
    kinds = (first, *(("key",) if key == "separate" else ()), *(("hints",) * apart))
    return PaperSettings(form, folder, kinds, can.papers.share, order.grid)


def variants(  # noqa: PLR0913 - of what, how many, and by which rules
    trace: Trace,
    request: ExerciseRequest,
    count: int | None,
    seed: int,
    allow: Sequence[str],
    hidden: list[Attempt] | None = None,
    *,
    own: bool = False,
    parts: Sequence[ExerciseRequest] = (),
) -> Iterator[Trace]:
    """Yields the trace of each form; without a count that with the scenario's own numbers, which
    the first form has, too, with `own`: then the others cost what it does, if such are found. Of
    several `parts` that ask it together, each has its points.

    `hidden` gets the mistakes that such numbers hardly show. Raises UnsatisfiedError where no
    numbers will do.
    """
    if count is None or own:
        yield trace
    others = 0 if count is None else count - own
    if not others:
        return
    from attncli.classroom.exercises.blanked import blanks_of
    from attncli.classroom.forms.search import SearchRequest, search

    points = partial(_points_of, parts or (request,)) if _may_be_longer(trace) else None
    blanks = blanks_of(trace, request)
    wanted = SearchRequest(
        others, seed, request.quantities(trace), allow, points=points, blanks=blanks, hidden=hidden
    )
    yield from (_beside_own(trace, wanted) if own else None) or search(trace.scenario, wanted)


_EFFORT = 4
"""How many times as long as others are forms looked for that cost what own numbers do."""


def _beside_own(trace: Trace, wanted: SearchRequest) -> Iterator[Trace] | None:
    """Looks for forms that cost what the scenario's own numbers do, and are drawn from these: for
    such as keep all rules; else for such as break those that its own numbers break, which are easy
    perhaps for that; else for such as hide mistakes, too. Returns None where there are none."""
    from attncli.classroom.forms.costs import cost_of
    from attncli.classroom.forms.plan import plan_of
    from attncli.classroom.forms.pools import own_pools
    from attncli.classroom.forms.rules import RULES
    from attncli.classroom.forms.search import CostsWanted, UnsatisfiedError, search

    pools = own_pools(trace.scenario, plan_of(trace, wanted.asked).drawn)
    cost = cost_of(trace, wanted.asked, wanted.blanks.cells)
    like = wanted._replace(pools=pools, costs=CostsWanted(aim=cost), effort=_EFFORT)
    as_own = like._replace(spare=frozenset(RULES))
    hiding = as_own._replace(allow=(*wanted.allow, "mistakes"))
    for tried in (like, as_own, hiding):
        try:
            found = [*search(trace.scenario, tried)]
        except UnsatisfiedError:
            continue
        if tried is hiding and wanted.hidden is not None:
            wanted.hidden.extend(_hidden([trace, *found], wanted))
        return iter(found)
    return None


def _hidden(traces: Sequence[Trace], wanted: SearchRequest) -> Iterator[Attempt]:
    """Yields the mistakes that don't show in one of some forms."""
    from attncli.classroom.forms.candidate_quantity import attempts
    from attncli.classroom.forms.showing import shows

    slips = [] if "mistakes" in wanted.allow else [*attempts(traces[0], wanted.asked)]
    for slip, flags in zip(slips, shows(traces, slips, wanted.blanks), strict=True):
        if flags is not None and not flags.all():
            yield slip


def _points_of(requests: Sequence[ExerciseRequest], trace: Trace) -> Worth | None:
    """Adds up the points of a form; None for one that hasn't what is asked for."""
    from attncli.pages.parts.selection import SelectionError

    try:
        return sum(request.on(trace).all_points(trace) for request in requests)
    except SelectionError:
        return None


def _may_be_longer(trace: Trace) -> bool:
    """Tells whether pages of other numbers may have more to ask for: other pairs are counted, or
    other experts chosen. What is asked for is looked up only then, since it takes as long as a
    page."""
    is_routed = any(step.step == "route" for step in trace.story)
    return is_routed or trace.scenario.file.recount is not None


def traces_of_forms(
    exam: ExamFile,
    traces: Sequence[Trace | None],
    requests: Sequence[ExerciseRequest | None],
    hidden: list[Attempt] | None = None,
) -> Iterator[FormTraces]:
    """Yields each form by its name, with what is worked in each of its parts. Parts about the same
    scenario have the same numbers, as far as they can. `hidden` is that of `variants`."""
    from attncli.classroom.exercises.between_parts import sharing
    from attncli.classroom.exercises.requests import together

    each: list[Iterable[Trace | None]] = [repeat(None)] * len(exam.parts)
    for shared in sharing(exam, traces):
        places = shared.places
        trace, asked = traces[places[0]], [r for k in places if (r := requests[k]) is not None]
        assert trace is not None
        rules = dict.fromkeys(rule for k in places for rule in exam.numbers_of(k).allow)
        made = variants(
            trace,
            together(asked),
            exam.forms,
            shared.seed,
            [*rules],
            hidden,
            own=exam.keeps_own and shared.is_first,
            parts=asked,
        )
        for k, own in zip(places, tee(made, len(places)), strict=True):
            each[k] = own
    return zip(form_names(exam.forms), zip(*each, strict=False), strict=False)
