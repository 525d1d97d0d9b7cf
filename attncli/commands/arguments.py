"""Arguments that commands share: a part of a scenario, changes, limits, the place of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol

from attncli.commands.declaring import argument, choice, flag, output, text
from attncli.commands.output import (
    abilities_chosen,
    check_able,
    check_binary,
    check_target,
    chosen_format,
    page_for,
)
from attncli.commands.progress import watching
from attncli.efforts import MOST_PAPERS, WORKING, Effort
from attncli.errors import Complaints, Problem, UserError
from attncli.option_values import DETAILS, FLOATS, POLICIES, PRECISIONS, Pictures
from attncli.output_files import Contents, OutputError, write_files, write_out
from attncli.plugins import MODELS, plugins
from attncli.scenario.file.problems import ALL_THE_SAME, nearest

if TYPE_CHECKING:
    from attncli.document.blocks import Document
    from attncli.formats import RenderOptions
    from attncli.pipeline.trees import Source
    from attncli.scenario.file.changes import Change
    from attncli.scenario.scenario import Scenario
    from attncli.trace import PlannedStep, Trace


def scenario_names() -> Iterable[str]:
    """Returns the names of shipped scenarios."""
    from attncli.scenario.file import shipped

    return shipped.names()


def _steps() -> Iterable[str]:
    from attncli.steps.order import STORY

    return STORY


BY_SUFFIX = "The output format; by default terminal, or as -o's suffix says."
_FORMATS = (
    " `html` is one file in which every number can be asked where it comes from. `svg` has"
    " the pictures of the page alone. `xlsx` is a workbook whose numbers are formulas. `npz`"
    " and `safetensors` have the quantities alone. `pdf`, `xlsx` and `safetensors` need"
    " `pip install 'attncli[pdf,xlsx,safetensors]'`."
)
DETAILS_SAY = (
    "`summary`: each head's weights, the result, and what was found; `rows`: one row of each table"
    " worked; `full`: every cell. By default `full`, or `rows` where that would be long; JSON is"
    " always in full by default."
)
STEP = text(
    "--step", "NAME", "Only this step; may be repeated. `attn list steps` names them.", _steps
)
SCENARIO = argument("SCENARIO", "A scenario file, or the name of a shipped one.", scenario_names)


class Excerpt(NamedTuple):
    """A part of a trace that is asked for."""

    step: Annotated[Sequence[str] | None, STEP] = None
    layer: Annotated[str | None, text("--layer", "N", "Only this layer: `2`, or `encoder.1`.")] = (
        None
    )
    head: Annotated[str | None, text("--head", "N", "Only this head, counted from 1.")] = None
    time: Annotated[
        str | None,
        text("--time", "N", "Only this step of a recurrent cell: `2`, or `last`."),
    ] = None
    token: Annotated[
        str | None,
        text(
            "--token",
            "TOKEN",
            "Only the rows of this query: `love`, its position `2`, or `last`.",
        ),
    ] = None
    rows: Annotated[
        Sequence[str] | None,
        text(
            "--rows",
            "ROW",
            "Only the numbers in this row of each table, by its name, its position or `last`; may "
            "be repeated.",
        ),
    ] = None
    columns: Annotated[
        Sequence[str] | None,
        text(
            "--columns",
            "COLUMN",
            "Only the numbers in this column of each table, `AI`, `2` or `last`; may be repeated.",
        ),
    ] = None

    @property
    def steps(self) -> Sequence[str]:
        """Returns the steps that are asked for; none means all."""
        return self.step or ()

    def includes(self, part: PlannedStep) -> bool:
        """Tells whether the step at a part is asked for."""
        return not self.step or part.is_named(self.step)

    @property
    def within(self) -> dict[str, str | None]:
        """Returns the token, layer, head and time that are asked for in each step."""
        return {
            "token": self.token,
            "layer": self.layer,
            "head": self.head,
            "time": self.time,
        }

    def options(self) -> list[tuple[str, object]]:
        """Returns what was said of the part, each by the option that says it."""
        return [
            ("--step", self.step),
            *((f"--{name}", value) for name, value in self.within.items()),
            ("--rows", self.rows),
            ("--columns", self.columns),
        ]


class ForThisRun(NamedTuple):
    """A set of changes to a scenario for one run."""

    decimals: Annotated[
        str | None, text("--decimals", "N", "The decimals of every step, for this run.")
    ] = None
    rounding: Annotated[
        str | None, choice("--rounding", lambda: POLICIES, "The rounding policy, for this run.")
    ] = None
    set_: Annotated[
        Sequence[str] | None,
        text(
            "--set",
            "KEY=VALUE",
            "Another value for this run: `scale=none`, `'W_K[1,2]=0'`, "
            "`rounding.steps.softmax=4`; may be repeated.",
        ),
    ] = None

    def options(self) -> list[tuple[str, object]]:
        """Returns what was said, each by the option that says it."""
        return [("--set", self.set_), ("--decimals", self.decimals), ("--rounding", self.rounding)]

    def changes(self) -> list[str | Change]:
        """Makes the changes of `--set`, then those of `--decimals` (of every step) and
        `--rounding`."""
        from attncli.scenario.file.changes import Change

        changes: list[str | Change] = list(self.set_ or ())
        if self.decimals is not None:
            option = f"--decimals {self.decimals}"
            changes.append(Change(option, "rounding.decimals", self.decimals))
            changes.append(Change(option, "rounding.steps", "{}"))
        if self.rounding is not None:
            option = f"--rounding {self.rounding}"
            changes.append(Change(option, "rounding.policy", self.rounding))
        return changes


class ScenarioOfModel(NamedTuple):
    """The scenario of a saved model."""

    entries: Mapping[str, object]
    """What its file says."""
    is_large: bool
    """Whether it has more numbers than are read without being asked for."""


class ReaderOfModels(Protocol):
    """A reader of saved models, which a wing has."""

    def scenario(
        self,
        folder: str,
        place: Path,
        read: Mapping[str, str | None],
        files: Mapping[str, str | None] = ...,
    ) -> ScenarioOfModel:
        """Makes the scenario of a model in a folder, for a file in a place. What it reads is a text
        or IDs by the option that says it, `--text` first and then what an encoder reads, or is in
        files, by what each has. Raises UserError."""
        ...

    def data_of(
        self,
        source: str | Path | Mapping[str, object],
        tokens: object,
        *,
        config: object,
        encoder_tokens: object,
        picture: str | None,
    ) -> AbstractContextManager[dict[str, object]]:
        """Yields what the scenario of a model says, of a folder or of tensors in memory, as long as
        these are there. Raises UserError."""
        ...

    def told(self, topic: str) -> str:
        """Tells what is known of a family of models, or of all, as Markdown; nothing where the word
        is none of theirs."""
        ...


def saved_models() -> ReaderOfModels:
    """Returns what reads saved models. Raises UserError where nothing does."""
    known = plugins(MODELS)
    if not known:
        wrong, right = "nothing that is installed reads saved models", "install attncli whole"
        raise UserError.of("--from", wrong, right)
    reader: ReaderOfModels = next(iter(known.values())).load()
    return reader


class SavedModel(NamedTuple):
    """A saved model in the place of a scenario."""

    from_: Annotated[
        str | None,
        text(
            "--from",
            "FOLDER",
            "In the place of a scenario a model as `transformers` saves it: a folder with"
            " `config.json` and `model.safetensors`. Only what is shown is read, and worked.",
        ),
    ] = None
    text: Annotated[
        str,
        text(
            "--text",
            "TEXT",
            "With `--from`: what it reads, a text or the IDs of its tokens, `5,17,2`.",
        ),
    ] = "0,1,2"
    """The text or tokens that it reads."""
    encoder_text: Annotated[
        str | None,
        text(
            "--encoder-text",
            "TEXT",
            "With `--from` a model that has an encoder: what that reads, a text or IDs; `--text` is"
            " then the decoder's. By default both read the same, as the page says.",
        ),
    ] = None
    """What its encoder reads, where it has one; by default the same."""

    def scenario(self) -> Mapping[str, object]:
        """Makes the scenario of the model, with all its files named from here. Raises UserError."""
        assert self.from_ is not None
        read = {"--text": self.text, "--encoder-text": self.encoder_text}
        return saved_models().scenario(self.from_, Path(), read).entries


class Allowed(NamedTuple):
    """A limit to what a scenario may read and cost."""

    files_outside: Annotated[
        bool,
        flag("--files-outside", "Read matrices from outside the scenario's folder too."),
    ] = False
    large: Annotated[
        bool,
        flag(
            "--large",
            "Do what takes more than some five seconds or a gigabyte too, or is of over a thousand "
            "papers.",
        ),
    ] = False
    effort: Effort = WORKING
    """What the command does with the scenario, which no option says."""

    def check_count(self, count: int, what: str, of: str) -> None:
        """Raises UserError for more papers of a kind, `forms`, than are handled without being asked
        for; `of` names what has so many."""
        if count > MOST_PAPERS and not self.large:
            right = f"take at most {MOST_PAPERS:,}, or give {ALL_THE_SAME}"
            raise UserError.of(of, f"{count:,} {what} are too much at once", right)

    def load(self, scenario: Source, changes: Sequence[str | Change] = ()) -> Scenario:
        """Reads a scenario with changes, while a bar shows how far it is. Raises ScenarioError."""
        from attncli.pipeline import load

        with watching("Learning pieces") as tell:
            return load(
                scenario,
                changes,
                outside=self.files_outside,
                large=self.large,
                in_place=True,
                progress=tell,
                effort=self.effort,
            )

    def worked_alone(self, scenario: str, changes: Sequence[str | Change] = ()) -> Trace:
        """Works a scenario without variants or generated tokens. Raises ScenarioError."""
        from attncli.pipeline import work

        return work(self.load(scenario, changes).alone())

    def worked_each(
        self,
        scenarios: Sequence[str | None],
        changes: Sequence[str | Change],
        complaints: Complaints,
    ) -> list[Trace | None]:
        """Works each of some scenarios; the result is None where there is none, or where something
        is wrong, which `complaints` hears."""
        work = partial(self.worked_alone, changes=changes)
        return [None if s is None else complaints.hear(work, s) for s in scenarios]

    def worked_on_demand(self, scenario: Source, changes: Sequence[str | Change] = ()) -> Trace:
        """Reads a scenario and returns a trace that works only what is asked for, when it is.
        Raises ScenarioError."""
        from attncli.pipeline import work_on_demand

        return work_on_demand(self.load(scenario, changes))


def _page_formats() -> Iterable[str]:
    from attncli.formats import page_format_names

    return page_format_names()


class PageOptions(NamedTuple):
    """A set of options for a page: what becomes of it, and what it may read, cost and write
    over."""

    form: Annotated[str | None, choice("--format", _page_formats, BY_SUFFIX + _FORMATS)] = None
    fragment: Annotated[
        bool,
        flag(
            "--fragment",
            "LaTeX without a preamble, to be included in a document of your own that loads "
            "amsmath and booktabs (of an exercise: an `exam` document).",
        ),
    ] = False
    values_only: Annotated[
        bool, flag("--values-only", "JSON without texts: names, shapes, labels and values.")
    ] = False
    output: Annotated[str | None, output("FILE", "Write to a file, whole or not at all.")] = None
    allowed: Allowed = Allowed()
    force: Annotated[bool, flag("--force", "Write over an existing file.")] = False

    def check(self) -> None:
        """Raises OutputError where it can't be written so, or a file is in the way."""
        form = self.chosen()
        self.check_form(form)
        check_binary(form, self.output)
        check_target(self.output, force=self.force)

    def chosen(self) -> str:
        """Returns the format: the one that is named, else as a file's suffix says. Raises
        OutputError."""
        return chosen_format(self.form, self.output, [*_page_formats()])

    def check_form(self, form: str) -> None:
        """Raises OutputError for a format whose pages don't go without a preamble, or without
        texts, where that is asked for."""
        if self.fragment:
            check_able("fragment", form, "--fragment", "has no preamble to leave out")
        if self.values_only:
            check_able("values_only", form, "--values-only", "has no values without texts")

    def deliver(self, page: Document, *, slides: bool = False) -> None:
        """Renders a page, perhaps as slides, and writes it to a file or to standard output. Without
        a format, a file's suffix tells it. Raises OutputError."""
        from attncli.formats import stream_of

        form = self.chosen()
        manner = self.rendering._replace(slides=slides)
        write_out(stream_of(page, form, manner), self.output, force=self.force)

    @property
    def rendering(self) -> RenderOptions:
        """Returns what a format has to know of where the page goes and of what is left out."""
        where = page_for(self.output)
        return where._replace(fragment=self.fragment, values_only=self.values_only)


class PageOutput(NamedTuple):
    """A page to be shown or written, and where it goes."""

    page: Document
    options: PageOptions
    status: int = 0
    """The exit status."""
    wrong: Sequence[Sequence[Problem]] = ()
    """What couldn't be done of it."""
    says: str = ""
    notes: Sequence[Problem] = ()
    """What was done as it was asked, and may be meant otherwise."""
    slides: bool = False
    """Whether it is for a projector."""

    @property
    def is_printed(self) -> bool:
        """Tells whether the page goes to standard output."""
        return self.options.output in (None, "-")

    def write(self) -> None:
        """Writes the page to where it goes. Raises OutputError."""
        self.options.deliver(self.page, slides=self.slides)


class TextOutput(NamedTuple):
    """A text, the file that it is for, and what is said when it is there."""

    text: Contents
    output: str | None = None
    force: bool = False
    says: str = ""
    status: int = 0
    wrong: Sequence[Sequence[Problem]] = ()
    beside: Mapping[str, Contents] = {}
    """Files that are kept beside it by their names, over older ones."""
    notes: Sequence[Problem] = ()

    @property
    def is_printed(self) -> bool:
        """Tells whether the text goes to standard output."""
        return self.output in (None, "-")

    def write(self) -> None:
        """Writes the text to where it goes. Raises OutputError."""
        write_out(self.text, self.output, force=self.force, beside=self.beside)


class FilesOutput(NamedTuple):
    """A set of texts for a folder by their names, and what is said when they are there."""

    texts: Mapping[str, Contents]
    folder: str
    force: bool = False
    says: str = ""
    status: int = 0
    wrong: Sequence[Sequence[Problem]] = ()
    notes: Sequence[Problem] = ()
    is_printed: bool = False

    def write(self) -> None:
        """Writes all files, or none. Raises OutputError."""
        write_files(self.folder, self.texts, force=self.force)


Output = PageOutput | TextOutput | FilesOutput
"""What comes of what was asked."""


TOLD_IN_FULL = Effort(steps=1.5, numbers=8, memory=3.5)
"""What pages take that have pictures, or all cells as data."""


class Arguments(NamedTuple):
    """A request to work a scenario out as it was typed, and what to do with the page."""

    scenario: Annotated[str, SCENARIO]
    part: Excerpt = Excerpt()
    cell: Annotated[
        Sequence[str] | None,
        text(
            "--cell",
            "CELL",
            "Only the working of this cell, with no term left out: `'weights[love, AI]'`, "
            "`'layers[1].heads[2].weights[love, AI]'`; may be repeated.",
        ),
    ] = None
    changed: ForThisRun = ForThisRun()
    detail: Annotated[str | None, choice("--detail", lambda: DETAILS, DETAILS_SAY)] = None
    pictures: Annotated[
        bool,
        flag(
            "--pictures",
            "With all pictures of the page. `svg` has them anyway, `html` and `pdf` have one of "
            "each thing.",
        ),
    ] = False
    page: PageOptions = PageOptions()
    gradient_check: Annotated[
        bool,
        flag(
            "--gradient-check",
            "The page ends with each gradient beside a central difference of the loss.",
        ),
    ] = False
    slides: Annotated[
        bool,
        flag("--slides", "PDF for a projector: 16:9, and each step begins a page."),
    ] = False
    model: SavedModel = SavedModel()
    precision: Annotated[
        str | None,
        choice(
            "--precision",
            lambda: FLOATS,
            "The floats that `--detail cost` counts the bytes of, float32 by default.",
        ),
    ] = None
    trace: Annotated[
        str | None,
        text(
            "--trace",
            "NAME",
            "In the place of the scenario itself a variant of it by its name, or the pass after a"
            " token that was generated: `'token 2'`, `'token 2, beam 1'`.",
        ),
    ] = None

    def work(self, *, on_demand: bool = False) -> Trace:
        """Works the scenario, with `on_demand` only as far as it is asked for. Raises UserError of
        everything that is wrong with the request."""
        from attncli.pages.parts.selection import check_detail

        complaints = Complaints()
        complaints.hear(check_detail, self.detail or "full")
        complaints.hear(self.page.check)
        if self.slides:
            form = self.page.chosen()
            complaints.hear(check_able, "slides", form, "--slides", "has no slides")
        trace = complaints.hear(self.worked_with, (), on_demand=on_demand)
        source = None if self.model.from_ is not None else self.scenario
        asked = AskedScenario(source, self.changed.changes(), trace)
        complaints.hear(check_steps_of, self.part.steps, [asked])
        complaints.stop_if_any()
        assert trace is not None
        return trace

    @property
    def drawn(self) -> Pictures:
        """Returns which pictures the page is to have: all that are asked for, or those that the
        format draws."""
        if self.pictures:
            return Pictures.ALL
        return abilities_chosen(self.page.form, self.page.output).pictures

    @property
    def is_told_in_full(self) -> bool:
        """Tells whether the page has its pictures, or all that is known of it as data."""
        try:
            can = abilities_chosen(self.page.form, self.page.output)
        except OutputError:  # which is told by itself
            return False
        return can.pictures > Pictures.NONE or can.detail is not None

    def worked_with(self, more: Sequence[str | Change], *, on_demand: bool = False) -> Trace:
        """Works the scenario with some more changes, all of it or only what is asked for. Raises
        ScenarioError."""
        from attncli.pipeline import work

        allowed, changes = self.page.allowed, [*self.changed.changes(), *more]
        if self.is_told_in_full:
            allowed = allowed._replace(effort=allowed.effort.at_least(TOLD_IN_FULL))
        if self.model.from_ is not None:
            allowed = allowed._replace(files_outside=True, large=True)
            return allowed.worked_on_demand(self.model.scenario(), changes)
        if (on_demand or self.cell) and self.trace is None:
            return allowed.worked_on_demand(self.scenario, changes)
        trace = work(allowed.load(self.scenario, changes))
        return trace if self.trace is None else _beside(trace, self.trace)


class AskedScenario(NamedTuple):
    """A scenario that a command is asked about, with the trace of it where it can be worked."""

    source: Source | None
    """None where there is no file of it."""
    changes: Sequence[str | Change]
    trace: Trace | None


def check_steps_of(steps: Sequence[str], scenarios: Iterable[AskedScenario]) -> None:
    """Raises SelectionError, naming all of them, for steps that are none of the story and that no
    scenario writes itself, as far as that can be known."""
    from attncli.pages.parts.selection import check_steps, own_steps
    from attncli.pipeline import steps_written_in

    own: list[str] = []
    for source, changes, trace in scenarios if steps else ():
        if trace is not None:
            own += own_steps(trace)
        elif source is not None:
            written = steps_written_in(source, changes)
            if written is None:
                return
            own += written
    check_steps(steps, own)


def _beside(trace: Trace, name: str) -> Trace:
    """Returns a variant, or the pass of a generated token, by itself. Raises UserError."""
    if name not in trace.further:
        right = nearest(name, trace.further) if trace.further else "add variants, or generate more"
        raise UserError.of(
            f"--trace {name}", "no variant and no token generated has this name", right
        )
    found = trace.further[name]
    title = f"{trace.scenario.title}: {name}"
    return replace(found, scenario=replace(found.scenario.alone(), title=title))


def whole_number(option: str, text: str, least: int, most: int) -> int:
    """Reads the whole number of an option. Raises OutputError for anything else, and for one that
    is too small or too large."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        wrong = "is no whole number"
    elif text != digits or int(digits[:_LONGEST]) < least:
        wrong = "is too few"
    elif len(digits) > _LONGEST or int(digits) > most:
        wrong = "is too many"
    else:
        return int(digits)
    raise OutputError.of(f"{option} {text}", wrong, f"give one from {least} to {most}")


_LONGEST = 30
"""More digits than any number has that is taken."""


def check_precision(text: str | None) -> None:
    from attncli.scenario.file.problems import nearest

    if text is not None and text not in PRECISIONS:
        wrong = "no such type of floats"
        raise UserError.of(f"--precision {text}", wrong, nearest(text, PRECISIONS))
