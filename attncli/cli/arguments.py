"""What `run`, `explain` and `lint` are asked for alike: a scenario, changes, where it goes; and how
such a record of what was typed becomes a command."""

# no lazy annotations here: Typer reads them
from collections.abc import Callable, Container, Sequence
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, TypeVar

from attncli.cli import options
from attncli.cli.complaints import Complaints, complaining
from attncli.cli.output import check_output, deliver
from attncli.cli.progress import watching
from attncli.records import NamedTuple

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.file.changes import Change
    from attncli.trace import Trace

R = TypeVar("R", bound=NamedTuple)


class Excerpt(NamedTuple):
    """The part of a trace that is asked for, besides its steps."""

    token: str | None
    layer: str | None
    head: str | None

    def options(self, steps: Sequence[str] | None) -> list[tuple[str, object]]:
        """What was said of the part, by the options that say it."""
        said = [(f"--{name}", value) for name, value in self._asdict().items()]
        return [("--step", steps), *said]


class Arguments(NamedTuple):
    """A scenario to work out, and what to do with the page, as it was typed."""

    scenario: options.ScenarioArgument
    step: options.Steps = None
    layer: options.LayerOption = None
    head: options.HeadOption = None
    token: options.Token = None
    cell: options.Cells = None
    decimals: options.Decimals = None
    rounding: options.RoundingOption = None
    set_: options.Sets = None
    detail: options.DetailOption = None
    form: options.FormatOption = None
    fragment: options.Fragment = False
    output: options.Output = None
    files_outside: options.FilesOutside = False
    large: options.Large = False
    force: options.Force = False

    @property
    def steps(self) -> Sequence[str]:
        """The steps that are asked for; none means all."""
        return self.step or ()

    def includes(self, step: str) -> bool:
        """Whether a step is asked for."""
        return not self.step or step in self.step

    @property
    def part(self) -> Excerpt:
        """The part of the trace that is asked for, besides its steps."""
        return Excerpt(self.token, self.layer, self.head)

    def work(self) -> "Trace":
        """The worked scenario; or everything that is wrong with the request is said."""
        from attncli.telling.selection import check_detail, check_steps

        complaints = Complaints()
        complaints.hear(check_steps, self.steps)
        complaints.hear(check_detail, self.detail or "full")
        complaints.hear(
            check_output, self.form, self.output, force=self.force, fragment=self.fragment
        )
        with complaints.heard():
            trace = self.worked_with(())
        complaints.stop_if_any()
        return trace

    def worked_with(self, more: Sequence[str]) -> "Trace":
        """The scenario worked with some more changes. Raises ScenarioError."""
        from attncli.pipeline import load, work

        changes = [*changes_of(self.set_, self.decimals, self.rounding), *more]
        with watching("Learning pieces") as tell:
            scenario = load(
                self.scenario, changes, outside=self.files_outside, large=self.large, progress=tell
            )
            return work(scenario)

    def deliver(self, tell: "Callable[[], Document]") -> None:
        """Tells, renders and writes the page, or says what is wrong."""
        with complaining():
            deliver(tell(), self.form, self.output, force=self.force, fragment=self.fragment)


def changes_of(
    sets: Sequence[str] | None, decimals: str | None, rounding: str | None
) -> "list[str | Change]":
    """`--set`, then `--decimals` (of every step) and `--rounding`."""
    from attncli.file.changes import Change

    changes: list[str | Change] = list(sets or ())
    if decimals is not None:
        option = f"--decimals {decimals}"
        changes.append(Change(option, "rounding.decimals", decimals))
        changes.append(Change(option, "rounding.steps", "{}"))
    if rounding is not None:
        changes.append(Change(f"--rounding {rounding}", "rounding.policy", rounding))
    return changes


def taking(
    record: type[R], without: Container[str] = (), **instead: tuple[object, object]
) -> Callable[[Callable[[R], None]], Callable[..., None]]:
    """Makes a command of a function of what was typed as a record: the annotated fields of this
    named tuple are the options, with their defaults, but for those that it does without, and
    those that have another annotation and default instead."""
    parameters = []
    for name, kind in record.__annotations__.items():
        usual = (kind, record._field_defaults.get(name, Parameter.empty))
        annotation, default = instead.get(name, usual)
        if name not in without:
            parameter = Parameter(
                name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
            parameters.append(parameter)

    def command_of(act: Callable[[R], None]) -> Callable[..., None]:
        def command(**typed: Any) -> None:  # noqa: ANN401
            values = {**record._field_defaults, **typed}
            act(record._make(values[name] for name in record._fields))

        command.__name__, command.__doc__ = act.__name__, act.__doc__
        # where Typer looks for the options
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        vars(command)["__signature__"] = Signature(parameters)
        return command

    return command_of
