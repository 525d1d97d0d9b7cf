"""Sentences about scenarios: their facts, their rounding, what is missing."""

from __future__ import annotations

from attncli.arithmetic.expression import Equation, Number, Symbol
from attncli.arithmetic.rounding import Rounding
from attncli.document import Note, Span, Spans, Term
from attncli.scenario import Scenario
from attncli.trace import Trace, Unfinished


def counted(count: int, noun: str) -> str:
    """`1 token`, `3 tokens`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def rounding_in_words(rounding: Rounding) -> str:
    """The rounding policy as a teacher would state it."""
    places = counted(rounding.decimals, "decimal")
    own = "".join(f"; {step}: {counted(n, 'decimal')}" for step, n in rounding.steps.items())
    if rounding.carries:
        return (
            f"carry, {places}{own}: every result is rounded, half away from zero, and the"
            " rounded figure is what the next step uses. Each = holds from the digits shown."
        )
    return (
        f"exact, {places}{own} on the page: the sums are done in full precision and rounded,"
        " half away from zero, only to be shown. A ≈ stands where the digits shown would not"
        " give the result."
    )


def sizes(scenario: Scenario, trace: Trace) -> Spans:
    """`3 tokens, d_model = 2, d_k = 2, d_v = 2`"""
    spans: list[Span] = [counted(len(scenario.tokens), "token")] if scenario.tokens else []
    known = {
        "d_model": trace["X"].matrix.shape[1] if "X" in trace else None,
        "d_k": scenario.d_k,
        "d_v": trace["V"].matrix.shape[1] if "V" in trace else None,
        "d_ff": trace["hidden"].matrix.shape[1] if "hidden" in trace else None,
    }
    for name, size in known.items():
        if size is not None:
            spans += [", "] if spans else []
            spans.append(Equation(Symbol(name), Number.written(size)))
    return tuple(spans)


def unfinished_in_words(unfinished: Unfinished) -> Note:
    """Why the trace ends where it does, in one line."""
    making = unfinished.making
    wanted = [*dict.fromkeys(unfinished.missing)]
    if wanted == ["d_k"]:
        return Note(
            (
                "The trace ends here: the next step, ", Term("scale"), ", divides by √d_k, and"
                " nothing tells d_k. Say ", Term("scale: none"), ", or the number to divide by.",
            )
        )  # fmt: skip
    spans: list[Span] = ["The trace ends here: the next step, ", Term(making.step), ", needs "]
    for position, name in enumerate(wanted):
        spans += [" and "] if position else []
        spans += [Term(name), *_or(name)]
    return Note((*spans, "."))


def _or(name: str) -> Spans:
    """What else than the quantity itself a scenario could give."""
    match name:
        case "X":
            return (" (or ", Term("embeddings"), " for a ", Term("sentence"), ")")
        case "embeddings":
            return (" (or ", Term("X"), ")")
        case "W_Q" | "W_K" | "W_V":
            return (" (or ", Term(name.removeprefix("W_")), ")")
        case "Q" | "K" | "V":
            return (" (or ", Term(f"W_{name}"), " with embeddings)")
        case _:
            return ()
