"""What commands are asked for alike: a part of a scenario, changes, where it goes; and how a record
of what was typed becomes a command."""

# no lazy annotations here: Typer reads them
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import typer

from attncli.cli import options
from attncli.cli.complaints import Complaints, complaining
from attncli.cli.output import check_output, chosen_format, page_for
from attncli.cli.progress import watching
from attncli.writing import OutputError, write_files, write_out

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.file.changes import Change
    from attncli.scenario.scenario import Scenario
    from attncli.trace import Trace
    from attncli.writing import Contents

R = TypeVar("R", bound=NamedTuple)


class Excerpt(NamedTuple):
    """The part of a trace that is asked for."""

    step: options.Steps = None
    layer: options.LayerOption = None
    head: options.HeadOption = None
    token: options.Token = None

    @property
    def steps(self) -> Sequence[str]:
        """The steps that are asked for; none means all."""
        return self.step or ()

    def includes(self, step: str) -> bool:
        """Whether a step is asked for."""
        return not self.step or step in self.step

    @property
    def within(self) -> dict[str, Any]:
        """Where in each step."""
        return {"token": self.token, "layer": self.layer, "head": self.head}

    def options(self) -> list[tuple[str, object]]:
        """What was said of the part, by the options that say it."""
        return [("--step", self.step), *((f"--{name}", said) for name, said in self.within.items())]


class ForThisRun(NamedTuple):
    """What is changed in the scenario."""

    decimals: options.Decimals = None
    rounding: options.RoundingOption = None
    set_: options.Sets = None

    def options(self) -> list[tuple[str, object]]:
        """What was said, by the options that say it."""
        return [("--set", self.set_), ("--decimals", self.decimals), ("--rounding", self.rounding)]

    def changes(self) -> "list[str | Change]":
        """`--set`, then `--decimals` (of every step) and `--rounding`."""
        from attncli.file.changes import Change

        changes: list[str | Change] = list(self.set_ or ())
        if self.decimals is not None:
            option = f"--decimals {self.decimals}"
            changes.append(Change(option, "rounding.decimals", self.decimals))
            changes.append(Change(option, "rounding.steps", "{}"))
        if self.rounding is not None:
            option = f"--rounding {self.rounding}"
            changes.append(Change(option, "rounding.policy", self.rounding))
        return changes


class Allowed(NamedTuple):
    """What a scenario may read, and cost."""

    files_outside: options.FilesOutside = False
    large: options.Large = False

    def load(self, scenario: str, changes: "Sequence[str | Change]" = ()) -> "Scenario":
        """A scenario, read with changes while a bar shows how far it is. Raises ScenarioError."""
        from attncli.pipeline import load

        with watching("Learning pieces") as tell:
            return load(
                scenario,
                changes,
                outside=self.files_outside,
                large=self.large,
                in_place=True,
                progress=tell,
            )

    def worked_alone(self, scenario: str, changes: "Sequence[str | Change]" = ()) -> "Trace":
        """A scenario, worked without variants or tokens generated. Raises ScenarioError."""
        from attncli.pipeline import work

        return work(self.load(scenario, changes).alone())

    def worked_on_demand(self, scenario: str, changes: "Sequence[str | Change]" = ()) -> "Trace":
        """The same, of which only what is asked for is worked, when it is. Raises ScenarioError."""
        from attncli.pipeline import work_on_demand

        return work_on_demand(self.load(scenario, changes))


class PageOptions(NamedTuple):
    """What becomes of a page, and what it may read, cost and write over."""

    form: options.FormatOption = None
    fragment: options.Fragment = False
    values_only: options.ValuesOnly = False
    output: options.Output = None
    allowed: Allowed = Allowed()
    force: options.Force = False

    def check(self) -> None:
        """Raises OutputError where it can't be written so."""
        check_output(
            self.form,
            self.output,
            force=self.force,
            fragment=self.fragment,
            values_only=self.values_only,
        )

    def deliver(self, page: "Document") -> None:
        """Renders a page and writes it to a file or to standard output. Without a format, a file's
        suffix tells it. Raises OutputError."""
        from attncli.render import page_format_names, stream_of

        form = chosen_format(self.form, self.output, page_format_names())
        where = page_for(self.output)
        where = where._replace(fragment=self.fragment, values_only=self.values_only)
        write_out(stream_of(page, form, where), self.output, force=self.force)


class Told(NamedTuple):
    """What a command tells: a page, where it goes, and the exit status."""

    page: "Document"
    options: PageOptions
    status: int = 0

    def deliver(self) -> int:
        """Writes the page to where it goes. Raises OutputError."""
        self.options.deliver(self.page)
        return self.status


class Text(NamedTuple):
    """What a command writes: a text, the file that it is for, and what is said when it is there."""

    text: "Contents"
    output: str | None = None
    force: bool = False
    says: str = ""
    status: int = 0

    def deliver(self) -> int:
        """Writes the text to where it goes. Raises OutputError."""
        write_out(self.text, self.output, force=self.force)
        if self.says and self.output not in (None, "-"):
            write_out(self.says)
        return self.status


class Files(NamedTuple):
    """What a command writes into a folder: texts by their names, and what is said then."""

    texts: "Mapping[str, Contents]"
    folder: str
    force: bool = False
    says: str = ""

    def deliver(self) -> int:
        """Writes all files, or none. Raises OutputError."""
        write_files(self.folder, self.texts, force=self.force)
        write_out(self.says)
        return 0


Made = Told | Text | Files | int | None
"""What comes of a command: something to deliver, or the exit status where that is done."""


class Arguments(NamedTuple):
    """A scenario to work out, and what to do with the page, as it was typed."""

    scenario: options.ScenarioArgument
    part: Excerpt = Excerpt()
    cell: options.Cells = None
    changed: ForThisRun = ForThisRun()
    detail: options.DetailOption = None
    pictures: options.Pictured = False
    page: PageOptions = PageOptions()

    def work(self) -> "Trace":
        """The worked scenario. Raises Refusal of everything that is wrong with the request."""
        from attncli.telling.selection import check_detail, check_steps

        complaints = Complaints()
        complaints.hear(check_steps, self.part.steps)
        complaints.hear(check_detail, self.detail or "full")
        complaints.hear(self.page.check)
        with complaints.heard():
            trace = self.worked_with(())
        complaints.stop_if_any()
        return trace

    @property
    def pictured(self) -> bool:
        """Whether the page is to have its pictures: asked for, or in a format that draws them."""
        from attncli.cli.output import abilities_chosen

        return self.pictures or abilities_chosen(self.page.form, self.page.output).pictured

    def worked_with(self, more: Sequence[str]) -> "Trace":
        """The scenario worked with some more changes. Raises ScenarioError."""
        from attncli.pipeline import work

        allowed, changes = self.page.allowed, [*self.changed.changes(), *more]
        if self.cell:  # which takes nothing but what leads to it
            return allowed.worked_on_demand(self.scenario, changes)
        return work(allowed.load(self.scenario, changes))


def acting(act: Callable[..., Made]) -> Callable[..., None]:
    """Makes a command of a function: what it makes is delivered, all that is wrong is said."""

    @wraps(act)
    def command(**typed: Any) -> None:  # noqa: ANN401
        with complaining():
            made = act(**typed)
            status = made if made is None or isinstance(made, int) else made.deliver()
        if status:
            raise typer.Exit(status)

    return command


def taking(
    record: type[R], without: Container[str] = (), **instead: tuple[object, object]
) -> Callable[[Callable[[R], Made]], Callable[..., None]]:
    """Makes a command of a function of what was typed as a record: the annotated fields of this
    named tuple, and of the records among them, are the options, with their defaults, but for those
    that it does without, and those that have another annotation and default instead."""
    parameters = []
    for name, *usual in _fields(record):
        annotation, default = instead.get(name, usual)
        if name not in without:
            parameter = Parameter(
                name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
            parameters.append(parameter)

    def command_of(act: Callable[[R], Made]) -> Callable[..., None]:
        def of_record(**typed: Any) -> Made:  # noqa: ANN401
            return act(_recorded(record, typed))

        of_record.__name__, of_record.__doc__ = act.__name__, act.__doc__
        # where Typer looks for the options
        of_record.__annotations__ = {one.name: one.annotation for one in parameters}
        vars(of_record)["__signature__"] = Signature(parameters)
        return acting(of_record)

    return command_of


def _fields(record: type[NamedTuple]) -> Iterator[tuple[str, object, object]]:
    """The fields of a record and of those in it, each with its annotation and default."""
    for name, kind in record.__annotations__.items():
        if hasattr(kind, "_fields"):
            yield from _fields(kind)
        else:
            yield name, kind, record._field_defaults.get(name, Parameter.empty)


def _recorded(record: type[R], typed: Mapping[str, Any]) -> R:
    """What was typed as a record, with its defaults for the rest."""
    values = dict(record._field_defaults)
    for name, kind in record.__annotations__.items():
        if hasattr(kind, "_fields"):
            values[name] = _recorded(kind, typed)
        elif name in typed:
            values[name] = typed[name]
    return record._make(values[name] for name in record._fields)


def whole(option: str, text: str, least: int, most: int) -> int:
    """The whole number of an option. Raises OutputError for anything else, and for one that is
    too small or too large."""
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
