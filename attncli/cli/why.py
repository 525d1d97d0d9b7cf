"""`attn why`: the tree of working that a number comes from."""

# no lazy annotations here: Typer reads them
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from attncli.cli import options
from attncli.cli.arguments import ForThisRun, PageOptions, Told, taking, whole
from attncli.cli.complaints import Complaints

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.trace import Trace


class WhyArguments(NamedTuple):
    """What was typed."""

    cells: Annotated[
        list[str],
        typer.Argument(metavar="CELL...", help="The numbers: `'output[love, 2]'`, one or more."),
    ]
    scenario: options.ScenarioArgument
    depth: Annotated[
        str | None,
        typer.Option(
            "--depth",
            metavar="N",
            help="How many levels of working are told, from 1, or `all`; by default as many as "
            "fit on a screen.",
        ),
    ] = None
    changed: ForThisRun = ForThisRun()
    page: PageOptions = PageOptions()

    def work(self) -> "Trace":
        """The scenario, worked as far as it is asked for. Raises ScenarioError."""
        return self.page.allowed.worked_on_demand(self.scenario, self.changed.changes())


@taking(WhyArguments)
def command(typed: WhyArguments) -> Told:
    """Show what a number comes from, as a tree of working.

    Below each line stands the working of each number in it, down to what the scenario gives. What
    stands in the tree already isn't told twice.

    Examples:

      attn why 'output[love, 2]' i_love_ai

      attn why 'weights[love, AI]' i_love_ai --depth all --format html -o why.html
    """
    complaints = Complaints()
    depth = complaints.hear(_depth, typed.depth)
    complaints.hear(typed.page.check)
    trace = complaints.hear(typed.work)
    complaints.stop_if_any()
    assert trace is not None
    return Told(_page(trace, typed.cells, depth), typed.page)


def _depth(said: str | None) -> int | None:
    """How deep the tree is told; None where nobody says. Raises OutputError."""
    from attncli.telling.why import ALL, DEEPEST

    if said is None:
        return None
    return DEEPEST if said == ALL else whole("--depth", said, 1, DEEPEST)


def _page(trace: "Trace", cells: list[str], depth: int | None) -> "Document":
    from attncli.telling.cells import find_cells
    from attncli.telling.why import locations, why_page

    return why_page(trace, locations(trace, find_cells(trace, cells, option="")), depth)
