"""What `run`, `explain` and `lint` are asked for alike: a scenario, changes, where it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncli.cli.complaints import Complaints, complaining
from attncli.cli.output import check_output, deliver
from attncli.cli.progress import watching
from attncli.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from attncli.document import Document
    from attncli.scenario.settings import Change
    from attncli.trace import Trace


class Request(NamedTuple):
    """A scenario to work out, and what to do with the page."""

    scenario: str
    changes: Sequence[str | Change]
    steps: Sequence[str]
    detail: str
    form: str | None
    output: str | None
    force: bool
    outside: bool = False
    fragment: bool = False
    large: bool = False

    def work(self) -> Trace:
        """The worked scenario; or everything that is wrong with the request is said."""
        from attncli.telling.selection import check_detail, check_steps

        complaints = Complaints()
        with complaints.heard():
            check_steps(self.steps)
        with complaints.heard():
            check_detail(self.detail)
        with complaints.heard():
            check_output(self.form, self.output, force=self.force, fragment=self.fragment)
        with complaints.heard():
            trace = self.worked_with(())
        complaints.stop_if_any()
        return trace

    def worked_with(self, more: Sequence[str]) -> Trace:
        """The scenario worked with some more changes. Raises ScenarioError."""
        from attncli.pipeline import load, work

        changes = [*self.changes, *more]
        with watching("Learning pieces") as tell:
            scenario = load(
                self.scenario, changes, outside=self.outside, large=self.large, progress=tell
            )
            return work(scenario)

    def deliver(self, tell: Callable[[], Document]) -> None:
        """Tells, renders and writes the page, or says what is wrong."""
        with complaining():
            deliver(tell(), self.form, self.output, force=self.force, fragment=self.fragment)


class Excerpt(NamedTuple):
    """The part of a trace that is asked for, besides its steps."""

    token: str | None
    layer: str | None
    head: str | None


def changes_of(
    sets: Sequence[str] | None, decimals: str | None, rounding: str | None
) -> list[str | Change]:
    """`--set`, then `--decimals` (of every step) and `--rounding`."""
    from attncli.scenario.settings import Change

    changes: list[str | Change] = list(sets or ())
    if decimals is not None:
        option = f"--decimals {decimals}"
        changes.append(Change(option, "rounding.decimals", decimals))
        changes.append(Change(option, "rounding.steps", "{}"))
    if rounding is not None:
        changes.append(Change(f"--rounding {rounding}", "rounding.policy", rounding))
    return changes
