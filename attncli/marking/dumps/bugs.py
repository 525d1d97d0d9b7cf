"""The bugs that a trace may have: the mistakes declared beside the steps, and what only programs
do."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.marking.hypotheses import WrongWay
from attncli.steps import step_named
from attncli.steps.mistakes import all_made_wrongly
from attncli.trace import Trace


def bugs(trace: Trace) -> Iterator[WrongWay]:
    """All of them, the likeliest first: those that people make too, then those of programs."""
    for part in trace.story:
        for mistake in step_named(part.step).mistakes:
            definitions = all_made_wrongly(trace, part, mistake)
            if definitions:
                yield WrongWay(mistake.name, mistake.says, definitions)
