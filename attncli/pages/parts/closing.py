"""The end of a page, in its order: unused values, results, the source, next commands."""

from __future__ import annotations

from attncli.document.blocks import Answer, Block
from attncli.pages.parts.answer import closing_finding
from attncli.pages.parts.next_commands import what_if, where_to_read
from attncli.pages.parts.selection import Selection, shown_parts
from attncli.pages.parts.sentences import unfinished_in_words
from attncli.pages.parts.source import closing_on_the_source
from attncli.pages.parts.unused import looks_forgotten, not_needed, unused_in, unused_settings
from attncli.trace import BackwardPlace, Trace


def closing_of(trace: Trace, selection: Selection, answer: Answer | None) -> tuple[Block, ...]:
    """Returns all that comes behind the sections of a page that began with an answer."""
    unused, end = unused_in(trace), trace.unfinished
    return (
        *not_needed(trace, unused, selection),
        *unused_settings(trace),
        *([unfinished_in_words(end)] if end and looks_forgotten(trace, unused) else ()),
        *_way_back(trace, selection),
        *closing_finding(trace, selection, answer),
        *_asked_for(trace, selection),
        *_generated(trace, selection),
        *_trained(trace, selection),
        *_varied(trace, selection),
        *closing_on_the_source(trace, on_paper=selection.manner.on_paper),
        *(() if selection.manner.on_paper else (*where_to_read(trace, selection), *what_if(trace))),
    )


def _way_back(trace: Trace, selection: Selection) -> list[Block]:
    """Returns the way back at a glance, where there is one of several steps. A page of training by
    rows, which goes on from it, is long enough without."""
    back = sum(isinstance(part.place, BackwardPlace) for part in shown_parts(trace))
    is_long = trace.scenario.training and selection.detail == "rows"
    if not back or ((is_long or back == 1) and not selection.whole):
        return []
    from attncli.pages.parts.gradients import chain_of

    return chain_of(trace, selection)


def _asked_for(trace: Trace, selection: Selection) -> list[Block]:
    show = trace.scenario.page.show
    if not (show.before_after or show.graph or show.arrows):
        return []
    from attncli.pages.parts.show import asked_for

    return asked_for(trace, selection)


def _varied(trace: Trace, selection: Selection) -> list[Block]:
    if not trace.variants:
        return []
    from attncli.pages.parts.variants import variants_of

    return variants_of(trace, selection)


def _trained(trace: Trace, selection: Selection) -> list[Block]:
    if trace.scenario.training is None:
        return []
    from attncli.pages.parts.training import training_table

    return training_table(trace, selection)


def _generated(trace: Trace, selection: Selection) -> list[Block]:
    if not trace.scenario.prediction.generation.length:
        return []
    from attncli.pages.parts.generation import generation_of

    return generation_of(trace, selection)
