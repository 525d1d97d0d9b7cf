"""Other numbers for a lesson, as hard as its own: whole where these are whole, with zeros too."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from attncli.classroom.exercises.blanked import blanks_of
from attncli.classroom.exercises.requests import ExerciseRequest
from attncli.classroom.forms.plan import plan_of
from attncli.classroom.forms.pools import Pools, own_pools
from attncli.classroom.forms.search import SearchRequest, UnsatisfiedError, search
from attncli.classroom.paper_files import variants
from attncli.trace import Trace

_MANY = 10**6
"""More other numbers than anybody asks for; they are looked for one by one."""
_FREE = ("extreme", "mistakes", "sums", "ties", "trivial", "uniform", "unvaried", "winners")
"""Rules of papers that small numbers with zeros break, and that practice can do without."""


def others_of(trace: Trace, request: ExerciseRequest, seed: int) -> Iterator[Trace]:
    """Yields the scenario with other numbers, as long as there are any: with those that are drawn
    from its own where papers would have more decimals than it, else as papers have them."""
    asked = request.quantities(trace)
    if pools := _own_pools(trace, asked):
        wanted = SearchRequest(_MANY, seed, asked, _FREE, pools, blanks=blanks_of(trace, request))
        with suppress(UnsatisfiedError):
            yield from search(trace.scenario, wanted)
    with suppress(UnsatisfiedError):
        yield from variants(trace, request, _MANY, seed, ())


def _own_pools(trace: Trace, asked: Collection[str]) -> Pools:
    """Returns for each matrix that is drawn alone its own numbers and the next larger one, in units
    of their last decimal; nothing where papers have no more decimals than they."""
    drawn = plan_of(trace, asked).drawn
    matrices = trace.scenario.given.matrices
    longer = (e.places > (matrices[e.names[0]].places or 0) for e in drawn if not e.whole)
    return own_pools(trace.scenario, drawn) if any(longer) else {}
