"""Lists of what there is: the steps, the shipped scenarios, what a file holds."""

from __future__ import annotations

from collections.abc import Mapping

from attncli.document import Document, Facts, Span, Spans, Word
from attncli.scenario import Scenario
from attncli.steps import STEPS
from attncli.telling.walkthrough import told_steps
from attncli.telling.words import sizes
from attncli.trace import Trace


def steps_catalogue() -> Document:
    """Every step: what it makes, its formulas."""
    general = Scenario()
    rows: list[tuple[str, Spans]] = []
    for step in STEPS:
        spans: list[Span] = [f"{step.title}: "]
        for position, formula in enumerate(step.formulas(general)):
            spans += [", "] if position else []
            spans.append(formula)
        rows.append((step.name, tuple(spans)))
    return Document(Word("Steps"), (), closing=(Facts(tuple(rows)),))


def scenarios_catalogue(traces: Mapping[str, Trace]) -> Document:
    """Every shipped scenario: its title and what it holds."""
    rows = tuple((name, summary(trace)) for name, trace in traces.items())
    return Document(Word("Scenarios"), (), closing=(Facts(rows),))


def summary(trace: Trace) -> Spans:
    """`I love AI: 3 tokens, d_model = 2, …; carry, 3 decimals; tokenize → … → ffn`"""
    scenario = trace.scenario
    steps = [step.name for step in told_steps(trace)]
    path = f"{steps[0]} → {steps[-1]}" if len(steps) > 1 else "".join(steps) or "nothing to work"
    rounding = f"{scenario.rounding.policy}, {scenario.rounding.decimals} decimals"
    return (Word(scenario.title), ": ", *sizes(scenario, trace), f"; {rounding}; {path}")
