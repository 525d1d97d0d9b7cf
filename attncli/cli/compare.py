"""`attn compare`: two scenarios side by side, or one with and without a change."""

# no lazy annotations here: Typer reads them
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

from attncli.choices import DETAILS
from attncli.cli import options
from attncli.cli.arguments import Excerpt, ForThisRun, PageOptions, Told, taking
from attncli.cli.complaints import Complaints
from attncli.refusals import Refusal

if TYPE_CHECKING:
    from attncli.building.trees import Difference
    from attncli.file.changes import Change
    from attncli.trace import Trace

DIFFERS = 1


class CompareArguments(NamedTuple):
    """What was typed."""

    scenario: options.ScenarioArgument
    second: Annotated[
        str,
        options.scenario(
            "Another one; without it the same with what `--set`, `--decimals` and "
            "`--rounding` change. Of two scenarios these change both.",
            "[SECOND]",
        ),
    ] = ""
    part: Excerpt = Excerpt()
    changed: ForThisRun = ForThisRun()
    detail: Annotated[
        str,
        options.choice(
            "--detail",
            lambda: DETAILS,
            "`summary`: how many numbers of each quantity differ; `rows`: the rows that differ; "
            "`full`: all rows.",
        ),
    ] = "rows"
    page: PageOptions = PageOptions()

    def sides(self) -> "tuple[_Asked, _Asked]":
        """What is compared. Raises Refusal where that is one and the same."""
        changes = self.changed.changes()
        if self.second:
            own, other = (_Asked(one, one, changes) for one in (self.scenario, self.second))
            return own, other
        if not changes:
            wrong = "there is nothing to compare it with"
            right = "name a second scenario, or change something with --set"
            raise Refusal.of(f"attn compare {self.scenario}", wrong, right)
        called = f"{self.scenario} with {', '.join(self._said())}"
        return _Asked(self.scenario, self.scenario, ()), _Asked(called, self.scenario, changes)

    def _said(self) -> "Iterator[str]":
        """The changes as they were typed: `scale=none`, `--decimals 4`."""
        yield from self.changed.set_ or ()
        for option, said in self.changed.options()[1:]:
            if said is not None:
                yield f"{option} {said}"


class _Asked(NamedTuple):
    """A scenario with changes, and what the page calls it."""

    called: str
    scenario: str
    changes: "Sequence[str | Change]"


@taking(CompareArguments)
def command(typed: CompareArguments) -> Told:
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
    from attncli.telling.selection import check_detail, check_steps

    complaints = Complaints()
    complaints.hear(check_steps, typed.part.steps)
    complaints.hear(check_detail, typed.detail)
    complaints.hear(typed.page.check)
    sides = complaints.hear(typed.sides)
    complaints.stop_if_any()
    assert sides is not None
    traces = [typed.page.allowed.worked_alone(one.scenario, one.changes) for one in sides]
    return _told(typed, sides, traces, [*_changed(sides)])


def _changed(sides: "Sequence[_Asked]") -> "Iterator[Difference]":
    from attncli.building.trees import changed_tree, differences
    from attncli.file.problems import Problems

    own, other = (changed_tree(one.scenario, one.changes, Problems()) for one in sides)
    yield from differences(own, other)


def _told(
    typed: CompareArguments,
    sides: "Sequence[_Asked]",
    traces: "Sequence[Trace]",
    changed: "Sequence[Difference]",
) -> Told:
    from attncli.telling.compared import compared
    from attncli.telling.comparing import comparison

    named = [(one.called, trace) for one, trace in zip(sides, traces, strict=True)]
    told = compared(named, changed, typed.part.steps, typed.detail, **typed.part.within)
    return Told(comparison(told), typed.page, 0 if told.same else DIFFERS)
