"""What is said once the numbers are there: the likeliest token, who attends to whom, how a
scenario's variants compare, which tokens were generated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from attncli.arithmetic.expression import Symbol
from attncli.document import Block, Bullets, Note, Spans, Subheading, Table, Term, TextList
from attncli.scenario.model import ENCODER
from attncli.telling.blocks import graph_block, matrix_block
from attncli.telling.contrast import contrasted
from attncli.telling.selection import Selection
from attncli.telling.tokenizers import ending_with
from attncli.trace import CellPlace, PlannedStep, Quantity, Trace
from attncli.word import Word, words

_SAME = 1e-12
"""What floats may be off by where the same sums are done in another order."""


def ending_of(trace: Trace, part: PlannedStep) -> list[Block]:
    """What a part's numbers come to, in words."""
    tell = _ENDINGS.get(part.step) or ending_with(part)
    return [] if tell is None else tell(trace, part)


def _gradient(trace: Trace, part: PlannedStep) -> list[Block]:
    """Whether a gradient vanishes or explodes on its way back to where the cell began."""
    norms = trace.quantities.get(part.place.name("factor_norms"))
    place = part.place
    if (
        norms is None
        or not isinstance(place, CellPlace)
        or part.definitions[-1].name != norms.name
        or len(norms.values) == 1
    ):
        return []
    places = [time - 1 for time in reversed(place.order)]
    one, whole = (norms.matrix.number(places[end], 0) for end in (0, -1))
    shown = [float(norms.matrix.number(place, 0).shown) for place in places]
    nothing = math.sqrt(trace[place.timed("factor")].matrix.shape[0])
    return [
        Note(
            (
                "Over the whole way back the factor goes from ", one, " to ", whole,
                _verdict(shown, nothing),
            )
        )
    ]  # fmt: skip


def _verdict(norms: Sequence[float], nothing: float) -> str:
    """Whether a factor vanishes or explodes, by its norms, time by time; that of a factor which
    changes nothing is √h."""
    if norms[-1] == 0:
        return ": nothing is left of a gradient, it vanishes."
    steps = [later - before for before, later in pairwise((nothing, *norms))]
    if all(step < 0 for step in steps):
        return ": it shrinks at each step, as a gradient does that vanishes."
    if all(step > 0 for step in steps):
        return ": it grows at each step, as a gradient does that explodes."
    return "."


def _predicted(trace: Trace, _: PlannedStep) -> list[Block]:
    probabilities = trace.next_token
    if probabilities is None:
        return []
    places = probabilities.values.argmax(axis=1)
    tokens = tuple(probabilities.columns.names[j] for j in places)
    notes: list[Block] = [
        Note(
            (
                "After ", Word(row), " the likeliest next token is ", Word(token), " (",
                probabilities.matrix.number(i, int(places[i])), ").",
            )
        )
        for i, (row, token) in enumerate(zip(probabilities.rows.names, tokens, strict=True))
    ]  # fmt: skip
    return [*notes, TextList("predicted", words(probabilities.rows.names), words(tokens))]


_ENDINGS: Mapping[str, Callable[[Trace, PlannedStep], list[Block]]] = {
    "predict": _predicted,
    "gradient": _gradient,
}
"""What is told of a step besides its numbers, by its name; those of tokenizers have their own."""


def closing_notes(trace: Trace, selection: Selection) -> list[Block]:
    """What closes the page."""
    return [
        *_attends_most(trace, selection),
        *_graph(trace, selection),
        *_generated(trace),
        *_variants(trace),
    ]


def _weights(trace: Trace) -> Quantity | None:
    """The weights of the last head of the main stack."""
    found = [q for q in trace.quantities.values() if q.local == "weights"]
    main = [quantity for quantity in found if not quantity.name.inside(ENCODER)]
    return next(reversed(main or found), None)


def _attends_most(trace: Trace, selection: Selection) -> list[Block]:
    """Whom each query attends to most, where the trace ends with the weights."""
    weights = _weights(trace)
    if weights is None or any(q.local == "output" for q in trace.quantities.values()):
        return []
    return [Bullets(tuple(_most(weights, i) for i in selection.rows(weights)))]


def _most(weights: Quantity, i: int) -> Spans:
    j = int(weights.values[i].argmax())
    number = weights.matrix.number(i, j)
    row, column = weights.rows.names[i], weights.columns.names[j]
    return (Word(row), " attends most to ", Word(column), " (", number, ").")


def _graph(trace: Trace, selection: Selection) -> list[Block]:
    weights = _weights(trace)
    if not trace.scenario.show.graph or weights is None:
        return []
    graph = graph_block(weights, selection)
    return [Subheading(("Who attends to whom",)), graph] if graph.edges else []


def _generated(trace: Trace) -> list[Block]:
    """The greedy choice of each step of generation."""
    if not trace.scenario.prediction.generate or trace.next_token is None:
        return []
    rows: list[tuple[Word | str, ...]] = []
    for k, step in enumerate((trace, *trace.generated)):
        probabilities = step.next_token
        assert probabilities is not None
        j = int(probabilities.values[-1].argmax())
        number = probabilities.matrix.number(probabilities.matrix.shape[0] - 1, j)
        text = " ".join(step.scenario.text.tokens)
        rows.append(
            (str(k + 1), Word(text), Word(probabilities.columns.names[j]), str(number.shown))
        )
    headings = ("Step", "Tokens so far", "Next token", "Probability")
    said: Block = Note(
        (
            "Each step works the whole model again on the tokens so far and takes the likeliest"
            " next one. Give ", Term("tokens"), " as they are then to see the working of a step.",
        )
    )  # fmt: skip
    return [Subheading(("Generation",)), said, Table(headings, tuple(rows))]


def _variants(trace: Trace) -> list[Block]:
    """The last result of each variant, and how it compares with that of the one before it that
    is told its positions in the same way, or else with the scenario's own."""
    if not trace.variants:
        return []
    own = _result(trace)
    if own is None:
        from attncli.telling.learning import side_by_side

        return side_by_side(trace)
    blocks: list[Block] = [Subheading(("Variants",))]
    whole: tuple[Spans, Trace] = (("the scenario's own",), trace)
    first_told = {_positions(trace): whole}
    for name, other in trace.variants.items():
        result = _result(other)
        if result is None:
            continue
        before, reference = first_told.get(_positions(other), whole)
        compared = _compared(_result(reference) or own, result, before)
        varied = Word("; ".join(other.scenario.varied))
        blocks.append(Note((Word(name), " (", varied, "): ", *compared)))
        blocks.append(matrix_block(result, Selection()))
        first_told.setdefault(_positions(other), (("the variant ", Word(name)), other))
    return blocks


def _positions(trace: Trace) -> tuple[str, ...]:
    return tuple(one.kind for one in trace.scenario.stack.positions)


def _result(trace: Trace) -> Quantity | None:
    """What a trace comes to: the last quantity with a row for each token."""
    made = [q for q in trace.quantities.values() if not q.given and q.rows.role in ("Q", "token")]
    return made[-1] if made else None


def _compared(own: Quantity, other: Quantity, before: Spans) -> Spans:
    """Whether two results have the same rows for the same tokens; `before` names the first."""
    symbol = Symbol(other.name)
    tokens = sorted(own.rows.names) == sorted(other.rows.names)
    if own.values.shape != other.values.shape or not tokens:
        return (symbol, " has other tokens than ", *before, ".")
    order = [other.rows.names.index(name) for name in own.rows.names]
    off = np.abs(other.values[order] - own.values)
    i, j = (int(place) for place in np.unravel_index(int(off.argmax()), off.shape))
    numbers = contrasted(other.matrix.number(order[i], j), own.matrix.number(i, j))
    if numbers is None or not off.max() > _SAME:
        where = "." if order == sorted(order) else ", in the order of these tokens: a permutation."
        return (symbol, " has the same rows as ", *before, where)
    its, others = numbers
    return (
        symbol, " has other rows than ", *before, f": in row {i + 1}, ", Word(own.rows.names[i]),
        f", {'it' if own.is_list else f'the number in column {j + 1}'} is ",
        its, " instead of ", others, ".",
    )  # fmt: skip
