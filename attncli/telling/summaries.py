"""What a scenario holds, in a line."""

from __future__ import annotations

from attncli.document import Spans
from attncli.telling.facts import sizes
from attncli.telling.sentences import counted
from attncli.trace import Trace
from attncli.trace.published import published_numbers
from attncli.trace.trace import Outline
from attncli.word import Word


def summary(outline: Outline) -> Spans:
    """`I love AI: 3 tokens, d_model = 2, …; carry, 3 decimals; tokenize → … → ffn`"""
    scenario = outline.scenario
    steps = [part.step for part in outline.parts]
    path = f"{steps[0]} → {steps[-1]}" if len(steps) > 1 else "".join(steps) or "nothing to work"
    rounding = f"{scenario.rounding.policy}, {scenario.rounding.decimals} decimals"
    return (Word(scenario.title), ": ", *sizes(outline, scenario.stack), f"; {rounding}; {path}")


def published_in_short(trace: Trace) -> str:
    """`; 8 of 62 published numbers differ`; nothing where it prints none."""
    printed = published_numbers(trace) if trace.scenario.published else ()
    worked = [one for one in printed if not one.assumed]
    differing = sum(one.differs for one in worked)
    if not worked:
        return ""
    verb = "differs" if differing == 1 else "differ"
    return f"; {differing or 'none'} of {counted(len(worked), 'published number')} {verb}"
