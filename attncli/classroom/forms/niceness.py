"""What isn't nice about a scenario's own numbers, which its forms share, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from attncli.classroom.forms.candidate_quantity import made_of, shown_rows
from attncli.classroom.forms.new_scenario import (
    FEWEST,
    MOST,
    MOST_D_MODEL,
    NORMS,
    USUAL_DECIMALS,
)
from attncli.classroom.forms.rules import CHECKS
from attncli.errors import counted, listed
from attncli.maths.notation.escaping import harmless
from attncli.maths.operations.rearranging import TakeRows
from attncli.names import Name
from attncli.pages.parts.next_commands import typed
from attncli.trace import Definition, Trace

_MANY = 2
"""Decimals of a sum of products that make it a long one."""
_TOLD = {
    "sums": "weights that don't add up to 1 as shown",
    "ties": "weights of a row that are shown alike",
    "extreme": "weights shown as 0 or above 0.95",
    "exponentials": "powers of e with three digits and more",
    "large": "numbers with five digits and more",
}
"""The rules whose breaking is told, in words."""


class _LongSums(NamedTuple):
    """Sums of products that have many decimals since a given matrix has some."""

    given: Name
    own: int
    """The decimals of the matrix."""
    names: tuple[Name, ...]
    """What is made of it."""
    now: int
    """The most decimals of these."""
    then: int
    """Their most decimals with whole numbers in the matrix."""


def not_nice(trace: Trace, asked: Collection[str]) -> Iterator[str]:
    """Yields sentences on what isn't nice to work with in some quantities, each with why it is so;
    none where all is nice."""
    long = _long_sums(trace, asked)
    if long is not None:
        yield _of_sums(trace, long)
    broken = [*_broken(trace, asked)]
    if broken:
        yield f"the scenario's own numbers have {listed(broken, ' and ')}, and forms may have, too"
    if (long is not None or broken) and (command := design_command(trace)):
        yield f"`{command}` makes a scenario of this size without that"


def _of_sums(trace: Trace, long: _LongSums) -> str:
    values = trace[long.given].values
    parts = {1: "halves" if np.all(values * 2 % 1 == 0) else "tenths", 2: "hundredths"}
    fractions = parts.get(long.own, f"numbers of {counted(long.own, 'decimal')}")
    then = counted(long.then, "decimal") if long.then else "no decimals"
    return (
        f"{long.given} has {fractions}; with whole numbers {listed(long.names)}"
        f" {'has' if len(long.names) == 1 else 'have'} {then} at most, not {long.now}"
    )


def _long_sums(trace: Trace, asked: Collection[str]) -> _LongSums | None:
    """Finds the given matrix whose decimals make most sums of products long; None where none
    does."""
    found: dict[Name, list[tuple[Name, int, int]]] = {}
    for name in asked:
        definition = trace[name].definition
        if definition is None:
            continue
        own = [trace[operand].matrix.places for operand in definition.operands]
        places = definition.operation.places(*trace.operands(definition))
        known = [p for p in own if p is not None]
        if places is None or places < _MANY or len(known) < len(own) or places != sum(known):
            continue
        for operand, p in zip(definition.operands, known, strict=True):
            source = _source(trace, trace[operand].name)
            if p and trace[source].given:
                found.setdefault(source, []).append((trace[name].name, places, places - p))
    if not found:
        return None
    given = max(found, key=lambda name: len(found[name]))
    rows = found[given]
    names, now, then = zip(*rows, strict=True)
    return _LongSums(given, trace[given].matrix.places or 0, names, max(now), max(then))


def _source(trace: Trace, name: Name) -> Name:
    """Finds the quantity that another one is a copy of, or looked up in; itself where it is
    neither."""
    definition: Definition | None = trace[name].definition
    while definition is not None and (
        isinstance(definition.operation, TakeRows) or definition.operation.only_moves
    ):
        name = definition.operands[0]
        definition = trace[name].definition
    return name


def _broken(trace: Trace, asked: Collection[str]) -> Iterator[str]:
    """Yields what rules the numbers break that are asked for, in words."""
    rows = shown_rows(trace)
    for rule, says in _TOLD.items():
        for name in asked:
            broken = None if trace[name].given else CHECKS[rule](made_of(trace, trace[name], rows))
            if broken is not None and broken.any():
                yield says
                break


def design_command(trace: Trace) -> str:
    """Writes the command that makes a scenario of the same size, with the same words; it is empty
    for what can't be made."""
    layer = trace.scenario.stack.layers[0]
    X = trace.quantities.get(Name("X"))
    if X is None or layer.recurrent is not None:
        return ""
    (tokens, d_model), heads = X.shape, layer.attention.heads
    if not (FEWEST <= tokens <= MOST and d_model <= MOST_D_MODEL and heads <= d_model):
        return ""
    more = " --mask causal" * any(q.local == "mask" for q in trace.quantities.values())
    has_ffn = any(q.local == "W1" for q in trace.quantities.values())
    kinds = [settings.values.get("kind", "layer") for settings in layer.norms.each if settings]
    has_norm = kinds and kinds[0] in NORMS and d_model > 1
    more += f" --norm {kinds[0]}" if has_norm else ""
    more += " --residuals" * layer.residuals + " --no-ffn" * (not has_ffn)
    decimals = trace.rounding.decimals
    more += f" --decimals {decimals}" if decimals != USUAL_DECIMALS else ""
    size = f"{_text_asked_for(trace, tokens)} --d-model {d_model} --heads {heads}"
    return f"attn design {size}{more}"


def _text_asked_for(trace: Trace, tokens: int) -> str:
    """Writes the option for a scenario's own words, or for so many where it has none."""
    text = trace.scenario.text
    is_sentence = Name("embeddings") in trace and text.tokenizing is None
    words = " ".join(text.tokens).split()
    if not is_sentence or len(words) != tokens:
        return f"--tokens {tokens}"
    return f"--sentence {typed(harmless(' '.join(words)))}"
