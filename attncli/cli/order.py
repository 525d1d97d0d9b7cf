"""An exercise as it is ordered: read and checked, worked, written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from attncli.cli.complaints import Complaints, complaining
from attncli.cli.output import OutputError, check_free
from attncli.cli.papers import check_targets, write_papers
from attncli.cli.terms import Terms, parse_counts, parse_manner

if TYPE_CHECKING:
    from attncli.cli.request import Part
    from attncli.scenario.address import Address
    from attncli.scenario.settings import Change
    from attncli.telling.exercise.papers import Wish
    from attncli.trace import Trace


class Order(NamedTuple):
    """What was typed; `command` makes it again."""

    scenario: str
    changes: Sequence[str | Change]
    steps: Sequence[str]
    part: Part
    cells: Sequence[str]
    blank: str
    points: Sequence[str]
    key: str | None
    hints: bool
    forms: str | None
    seed: str
    allow: Sequence[str]
    mistakes: str | None
    stress: str | None
    detail: str | None
    form: str | None
    fragment: bool
    output: str | None
    outside: bool
    force: bool
    command: str

    def fulfil(self) -> None:
        """Writes what is ordered, or says everything that is wrong."""
        terms, trace = self._checked()
        with complaining():
            wish = self._wish(trace, terms)
            if terms.counts.stress is not None:
                from attncli.cli.stress import stress

                stress(self, terms, trace, wish)
                return
            counts = terms.counts
            made = variants(trace, wish, counts.forms, counts.seed, self.allow)
            write_papers(self, terms.manner, wish, made, len(counts.names))

    def _checked(self) -> tuple[Terms, Trace]:
        """The terms of the order and the worked scenario; or all that is wrong is said."""
        from attncli.design.rules import check_names
        from attncli.pipeline import load, work
        from attncli.telling.exercise.choice import parse_blanking, parse_points
        from attncli.telling.selection import check_detail, check_steps

        complaints = Complaints()
        counts = None
        with complaints.heard():
            check_steps(self.steps)
        with complaints.heard():
            check_detail(self.detail or "full")
        with complaints.heard():
            blanking = parse_blanking(self.blank)
        with complaints.heard():
            points = parse_points(self.points)
        complaints.messages += check_names(self.allow)
        with complaints.heard():
            counts = parse_counts(self)
        with complaints.heard():
            manner = parse_manner(self, counts)
            if counts is not None and counts.stress is not None:
                check_free(self.output, force=self.force)
            elif counts is not None:
                check_targets(self, manner, counts.names)
        with complaints.heard():
            trace = work(load(self.scenario, self.changes, outside=self.outside).alone())
        complaints.stop_if_any()
        assert counts is not None
        return Terms(blanking, points, counts, manner), trace

    def _wish(self, trace: Trace, terms: Terms) -> Wish:
        """What the exercise asks of the scenario. Raises SelectionError."""
        from attncli.telling.exercise.papers import Wish
        from attncli.telling.selection import select
        from attncli.telling.walkthrough import check_told

        cells = self._cells(trace) if self.cells else []
        detail = self.detail or ("full" if terms.blanking.terms else "summary")
        token, layer, head = self.part
        selection = select(trace, self.steps, token, detail, layer=layer, head=head)
        check_told(trace, selection)
        counts, share = terms.counts, terms.manner.share
        wish = Wish(selection, cells, terms.blanking, terms.points, str(counts.seed), share)
        wish.check_points(trace)
        return wish

    def _cells(self, trace: Trace) -> list[tuple[str, Address]]:
        """The cells that are asked for, each once. Raises SelectionError."""
        from attncli.telling.selection import SelectionError, find_cells

        token, layer, head = self.part
        others = [("--step", self.steps), ("--token", token), ("--layer", layer), ("--head", head)]
        found: dict[tuple[str, int, int], Address] = {}
        wrong = []
        for name, address in find_cells(trace, self.cells, others):
            if name not in trace:
                wrong.append(f"--cell {name}: holds no figures; ask for another cell")
            elif trace[name].given and any(_sets(change, name) for change in self.changes):
                wrong.append(
                    f"--cell {name}: --set tells it, and the sheet carries the command; change the"
                    " file instead"
                )
            else:
                found.setdefault((name, *trace[name].find(address)), address)
        if wrong:
            raise SelectionError("\n".join(wrong))
        return [(name, address) for (name, *_), address in found.items()]


def _sets(change: str | Change, name: str) -> bool:
    """Whether a change is one of a quantity."""
    text = change if isinstance(change, str) else change.key
    key = text.partition("=")[0].partition("[")[0].strip()
    return key == name or key.startswith(f"{name}.")


def variants(
    trace: Trace, wish: Wish, count: int | None, seed: int, allow: Sequence[str]
) -> Iterator[tuple[str, Trace]]:
    """The name and the trace of each form; of the one with the scenario's own numbers without a
    count. Raises OutputError where no numbers will do."""
    from attncli.document import OWN_FORM, form_name

    if count is None:
        yield OWN_FORM, trace
        return
    from attncli.design.search import Request, Unsatisfied, search

    request = Request(count, seed, wish.quantities(trace), allow)
    try:
        for k, form in enumerate(search(trace.scenario, request)):
            yield form_name(k), form
    except Unsatisfied as trouble:
        raise OutputError(str(trouble)) from None
