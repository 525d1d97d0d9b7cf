"""Generated tokens, pass by pass, or as the tree of a beam search; draws at other temperatures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import count

from attncli.document.blocks import (
    Block,
    Callout,
    Span,
    Spans,
    Subheading,
    Table,
    TableCell,
    Term,
    Tree,
    TreeRow,
)
from attncli.maths.equations.tree import Number
from attncli.maths.numbers import decimals
from attncli.names import Name, Word
from attncli.pages.parts.pictures import tempered_by
from attncli.pages.parts.selection import Selection
from attncli.pages.parts.sentences import called_as, quoted
from attncli.scenario.file.problems import ScenarioError
from attncli.steps.prediction.logits import TEMPERATURE
from attncli.trace import Quantity, Trace
from attncli.trace.generation import Continuation, generation


def generation_of(trace: Trace, selection: Selection) -> list[Block]:
    """Returns the choice of each step of generation; a summary goes without the temperature.
    Returns nothing where no next token is predicted."""
    if trace.next_token is None:
        return []
    tempered = [] if selection.detail == "summary" else on_temperature(trace)
    told = _beams(trace) if trace.scenario.prediction.generation.beams else [_passes(trace)]
    return [Subheading(("Generation",)), Callout(_how(trace)), *told, *tempered]


def _how(trace: Trace) -> Spans:
    """Says what each step does, and where its working is to be seen."""
    said = trace.scenario.prediction.generation
    drawn = "draws the next token" if trace.drawn else "takes the most likely next token"
    does = f"keeps the {said.beams} largest sums of log-probabilities"
    does = does if said.beams else drawn
    texts = "each of the texts" if said.beams else "the tokens"
    text = f"Each step runs the whole model again on {texts} so far and {does}"
    if said.cache_bytes is not None:
        text = (
            "The first pass works all tokens and keeps their keys and values (prefill). Each later"
            " pass works its new token alone, which sees those that are kept (decode). Each step"
            f" {does}"
        )
    ended: Spans = ()
    if not said.beams and (last := [*generation(trace)][-1]) and last[0].ends:
        ended = (" It ends with “", Word(said.end_token), "”, after which none follows.")
    later = next((name for name in trace.further if name not in trace.variants), None)
    see: Spans = () if later is None else (
        " To see the working of a later one, say ", Term(f"--trace '{later}'"), ".",
    )  # fmt: skip
    return (f"{text}.", *see, *ended)


def _passes(trace: Trace) -> Table:
    headings: tuple[str, ...] = ("Step", "Tokens so far", "Next token", "Probability")
    cached = trace.scenario.prediction.generation.cache_bytes is not None
    rows: list[tuple[TableCell, ...]] = []
    for k, step in enumerate((trace, *trace.generated)):
        probabilities = step.next_token
        assert probabilities is not None
        j = int((step.drawn or probabilities).values[-1].argmax())
        number = probabilities.matrix.number(probabilities.matrix.shape[0] - 1, j)
        chosen = (Word(probabilities.columns.names[j]), str(number.shown))
        told = _of_cache(step) if cached else (Word(" ".join(step.scenario.tokens_so_far)),)
        rows.append((str(k + 1), *told, *chosen))
    if cached:
        headings = ("Pass", "Works", "Kept before", "Bytes added", "Bytes kept", *headings[2:])
    return Table(headings, tuple(rows), passes=True)


def _of_cache(step: Trace) -> tuple[TableCell, ...]:
    """Returns the tokens that a pass works, how many were kept before, and the bytes of the keys
    and values that it adds and that are kept then."""
    text, attention = step.scenario.text, step.scenario.stack.layers[0].attention
    sizes = {"new_bytes": Decimal(0), "cache_bytes": Decimal(0)}
    for quantity in step.quantities.values():
        name = quantity.name
        if name.local in sizes and name.inside(attention.path):  # of each head that has its own
            sizes[name.local] += quantity.matrix.number(0, 0).full
    added, kept = map(str, sizes.values())
    before = len(attention.cached or ())
    return Word(" ".join(text.tokens)), str(before), added if before else kept, kept


def _beams(trace: Trace) -> Iterator[Block]:
    """Yields the tree of all texts that were kept, and the texts at its ends from the best on."""
    steps = [*generation(trace)]
    yield Tree(tuple(_branches(steps, trace.scenario.tokens_so_far)))
    ends = [beam for beams in steps for beam in beams if beam.ends or beams is steps[-1]]
    ends.sort(key=lambda beam: beam.sum.full, reverse=True)
    sums = (decimals.text(beam.sum.shown).replace("-", "−") for beam in ends)
    texts = (Word(" ".join(beam.text)) for beam in ends)
    ranked = zip(map(str, count(1)), texts, sums, strict=False)
    yield Table(("Rank", "Tokens", "Sum of log-probabilities"), tuple(ranked))


def _branches(
    steps: Sequence[Sequence[Continuation]], text: tuple[str, ...], depth: int = 0
) -> Iterator[TreeRow]:
    """Yields the tokens that are kept after a text, each with those after it."""
    for beam in steps[depth] if depth < len(steps) else ():
        if beam.trace.scenario.tokens_so_far == text:
            made: list[Span] = ["log-probability ", beam.log_p, ", sum ", beam.sum]
            made += [", ends"] if beam.ends else []
            yield TreeRow(depth, str(depth + 1), quoted(beam.token), tuple(made))
            yield from _branches(steps, beam.text, depth + 1)


def on_temperature(trace: Trace) -> list[Block]:
    """Says how many of 100 draws are of the likeliest token, at the temperature and at one on the
    other side of 1, or that it changes nothing; nothing where no temperature is set."""
    own, name = trace.scenario.prediction.config.get(TEMPERATURE), Name("tempered", Name("next"))
    shares = trace.next_token
    if own is None or shares is None or name not in trace:
        return []
    other = Decimal("0.5") if own > 1 else Decimal(2)
    j = int(trace[name].values[-1].argmax())
    try:
        others = tempered_by(trace, name, other, shares.name)[shares.name]
    except ScenarioError:  # exponentials that get too large
        return []
    now, then = (_of_100(q, j) for q in (shares, others))
    if now.shown == then.shown:
        says = "The temperature changes no greedy choice: the largest logit stays the largest."
        return [Callout((says,))]
    drawn: Spans = (
        "Of 100 draws about ", now, " would be ", *called_as(shares.columns.names, j),
        " at temperature ", Number.written(own), ", and about ", then, " at temperature ",
        Number.written(other), ".",
    )  # fmt: skip
    return [Callout(drawn)]


def _of_100(shares: Quantity, j: int) -> Number:
    """Counts how many of 100 draws are of a token, from the digits shown."""
    share = shares.matrix.shown(shares.matrix.shape[0] - 1, j)
    return Number.written(decimals.round_to(decimals.product(share, Decimal(100)), 0))
