"""What a scenario holds, in a line."""

from __future__ import annotations

from attncli.document import Spans
from attncli.telling.facts import sizes
from attncli.trace.outline import Outline
from attncli.word import Word


def summary(outline: Outline) -> Spans:
    """`I love AI: 3 tokens, d_model = 2, …; carry, 3 decimals; tokenize → … → ffn`"""
    scenario = outline.scenario
    steps = [part.step for part in outline.parts]
    path = f"{steps[0]} → {steps[-1]}" if len(steps) > 1 else "".join(steps) or "nothing to work"
    rounding = f"{scenario.rounding.policy}, {scenario.rounding.decimals} decimals"
    return (Word(scenario.title), ": ", *sizes(outline, scenario.stack), f"; {rounding}; {path}")
