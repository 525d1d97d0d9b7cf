"""What a step comes to for one token, the one that its page is about: a sentence that closes the
section of a step whose numbers as a whole tell nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import Spans
from attncli.document.retold import By, Followed, Pick, Value, by_case, is_less, retold
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import (
    ONE,
    TWO,
    Apply,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Symbol,
    Vector,
    constant,
    minus,
    rounded,
)
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array
from attncli.names import GRADIENTS, Word
from attncli.pages.parts.selection import Selection, made_by, row_asked_for
from attncli.pages.parts.sentences import MOST_TIED, called_as, capital, nouns_of, tied
from attncli.trace import (
    BackwardPlace,
    CellPlace,
    HeadPlace,
    PlannedStep,
    Quantity,
    ResidualPlace,
    Trace,
)
from attncli.trace.quantity import distinct_tokens

_MOST = 8
"""A row of more numbers is no result that one takes in."""


_NEARLY = Number.written(Decimal("0.02"))
"""What rounding may leave of a mean of 0, and of a deviation of 1."""


class Told(NamedTuple):
    """A part of a trace, and how its page is told."""

    trace: Trace
    part: PlannedStep
    selection: Selection

    def made(self, *locals_: str) -> Quantity | None:
        """Finds the last quantity of one of these names that the part made; None where it made
        none."""
        made = (q for q in reversed(made_by(self.trace, self.part)) if q.local in locals_)
        return next(made, None)

    def row(self, quantity: Quantity) -> int:
        """Finds the row that the page is about: of the token that is asked for, or else the
        last."""
        asked, rows = row_asked_for(self.trace), self.selection.rows(quantity)
        is_there = asked is not None and asked[0].names == quantity.rows.names
        return asked[1] if asked is not None and is_there and asked[1] in rows else rows[-1]

    def token(self, quantity: Quantity) -> Spans:
        noun, _ = self.nouns(quantity)
        return called_as(quantity.rows.names, self.row(quantity), noun)

    @property
    def looks_away(self) -> bool:
        """Tells whether the keys of the part are of other tokens than its queries."""
        place = self.part.place
        return isinstance(place, HeadPlace) and place.attention.sees_memory

    def nouns(self, quantity: Quantity) -> tuple[str, str]:
        """Returns what rows and columns without names are called."""
        return nouns_of(quantity, same=not self.looks_away)

    def itself(self, quantity: Quantity, i: int) -> int | None:
        """Finds the column that is of the same token as a row; None where that isn't known."""
        alike = quantity.rows.names == quantity.columns.names and not self.looks_away
        return i if alike else None

    def largest_in(
        self, quantity: Quantity, leads: tuple[str, str] = ("", "")
    ) -> tuple[Spans, Number] | None:
        """Finds the dimension in which the row is largest in size, behind what leads to one above 0
        or to one below, and the number there; None where all are alike, and of a row that is shown
        in part."""
        i, matrix = self.row(quantity), quantity.matrix
        if None in elided(matrix.shape[1], MOST_PARTS):
            return None
        sizes = np.abs(matrix.values[i])
        return None if quantity.is_list else _extreme(quantity, i, sizes, leads=leads)


Tell = Callable[[Told], Spans | None]
"""Says what is notable of a row; None where nothing is."""


def _extreme(
    quantity: Quantity,
    i: int,
    sizes: Array,
    before: Quantity | None = None,
    leads: tuple[str, str] = ("", ""),
) -> tuple[Spans, Number] | None:
    """Finds the dimension of a row that has the largest size, or is furthest from what it was
    `before`, and the number there; None where none is larger than others."""
    j = int(sizes.argmax())
    if sizes.size == 1 or (sizes == sizes[j]).sum() > 1:
        return None

    def called(k: int) -> Spans:
        name = quantity.columns.names[k]
        return (*(("dimension ",) if name == str(k + 1) else ()), Word(name))

    by: By = "size" if before is None else "change"
    others = None if before is None else partial(before.row, i)
    pick = Pick(sizes.size, partial(quantity.row, i), called, by, others, leads=leads)
    lead = leads[int(quantity.values[i, j] < 0)]
    return retold(pick, lead, *called(j)), quantity.number(i, j)


def in_a_row(trace: Trace, part: PlannedStep, selection: Selection) -> Spans:
    """Says what there is to say of the row that the page is about; nothing where that is
    nothing."""
    tell = _slope if isinstance(part.place, BackwardPlace) else _SAYS.get(part.step)
    told = Told(trace, part, selection)
    has_rows = all(selection.rows(q) for q in made_by(trace, part))
    spans = tell(told) if tell is not None and has_rows else None
    return capital(spans) if spans else ()


def _embedded(told: Told) -> Spans | None:
    """Says how many rows are looked up: `The tokens use 3 of the 30,000 rows of embeddings.`"""
    made = told.made("E", "X")
    definition = None if made is None else made.definition
    ids = told.part.place.stack.text.ids
    if definition is None or not ids:
        return None
    table = told.trace.quantities.get(definition.operands[0])
    if table is None:
        return None
    count, (n, d) = len(set(ids)), table.matrix.shape
    which = f"all {n:,}" if count == n else f"{count:,} of the {n:,}"
    is_long = None in elided(n, MOST_PARTS)
    size = f" The table has {n:,} × {d:,} = {n * d:,} parameters." if is_long else ""
    return retold(Followed(), f"The tokens use {which} rows of ", Symbol(table.name), f".{size}")


def _changed(told: Told, before: Quantity | None, after: Quantity | None) -> Spans | None:
    """Says in which dimension a row changes most: `“go” changes most in dimension 4: from 0.2 to
    0.5.`"""
    if before is None or after is None or before.matrix.shape != after.matrix.shape:
        return None
    i = told.row(after)
    moved = np.abs(after.values[i] - before.values[i])
    now, then = _extreme(after, i, moved, before), _extreme(before, i, moved)
    if now is None or then is None:
        return None
    was, is_ = retold(Value(before=True), then[1]), retold(Value(), now[1])
    return (*told.token(after), " changes most in ", *now[0], ": from ", *was, " to ", *is_, ".")


def _positioned(told: Told) -> Spans | None:
    if any(p.kind == "sinusoidal" for p in told.part.place.stack.positions):
        return None  # a remark says what their waves do
    X = told.made("X", "summed")
    first = None if X is None or X.definition is None else X.definition.operands[0]
    return _changed(told, None if first is None else told.trace.quantities.get(first), X)


def _normed(told: Told) -> Spans | None:
    """Says what the norm did: `The row of “go” now has mean 0 and standard deviation 1, up to
    rounding.` A gain and a shift may leave it with others, of which nothing is said."""
    mean, normed = told.made("mean"), told.made("normed")
    if mean is None or normed is None:
        return None
    row = normed.row(told.row(normed))
    middle, squares = (
        Quotient(Sum(tuple(terms)), constant(len(row)))
        for terms in (row, [Power(number, TWO) for number in row])
    )
    deviation = Root(minus(squares, Power(middle, TWO)))
    near = (is_less(Apply("abs", (part,)), _NEARLY) for part in (middle, minus(deviation, ONE)))
    ends = " now has mean 0 and standard deviation 1, up to rounding."
    return by_case((Product(tuple(near)), ("The row of ", *told.token(normed), ends)))


def _preferred(told: Told) -> Spans | None:
    """Says which keys a query prefers: `“go” prefers keys that are negative in dimension 2 (its
    query is −1.175 there).`"""
    Q = told.made("Q")
    leads = ("positive in ", "negative in ")
    if Q is None or (found := told.largest_in(Q, leads)) is None:
        return None
    where, number = found
    is_ = retold(Value(), number)
    return (*told.token(Q), " prefers keys that are ", *where, " (its query is ", *is_, " there).")


def _largest_of(*locals_: str, begins: str) -> Tell:
    """Returns what tells in which dimension the row is largest in size: `The attention for “go” is
    furthest from 0 in dimension 3 (0.224).`"""

    def tell(told: Told) -> Spans | None:
        made = told.made(*locals_)
        found = None if made is None else told.largest_in(made)
        if made is None or found is None:
            return None
        words = (*told.token(made), " is furthest from 0 in ", *found[0])
        return (f"{begins} for ", *words, " (", *retold(Value(), found[1]), ").")

    return tell


def _best_of(local: str, verb: str, then: str = "", begins: Spans = ()) -> Tell:
    """Returns what tells of which column the row's largest number is: `“love” matches “AI” best
    (2).`, `The highest logit of “go” is that of “alone” (2.372).`"""

    def tell(told: Told) -> Spans | None:
        made = told.made(local)
        if made is None or made.matrix.shape[1] == 1:
            return None
        return (*begins, *told.token(made), f" {verb} ", *_largest(told, made, then), ".")

    return tell


def _largest(told: Told, quantity: Quantity, then: str = "") -> Spans:
    """Names the columns of the largest number of the row, as they are shown, with that: `“AI” best
    (2)`"""
    i, names = told.row(quantity), quantity.columns.names
    most = quantity.matrix.number(i, int(np.argmax(quantity.values[i])))
    alike = [j for j in range(len(names)) if quantity.matrix.shown(i, j) == most.shown]
    own, (_, noun) = told.itself(quantity, i), told.nouns(quantity)

    def called(j: int) -> Spans:
        return ("itself",) if j == own else called_as(names, j, noun)

    shown = tied(map(called, alike[:MOST_TIED]), many=len(alike))
    pick = Pick(len(names), partial(quantity.row, i), called, ties=True)
    each = " each" if len(alike) > 1 else ""
    return (*retold(pick, *shown), f"{then} (", *retold(Value(each=True), most, each), ")")


def _scaled(told: Told) -> Spans | None:
    """Says between which numbers scores lie: `The scores of “go” now lie between −0.298 and
    0.610.`"""
    scaled = told.made("scaled")
    if scaled is None or scaled.matrix.shape[1] == 1:
        return None
    i, row = told.row(scaled), scaled.values[told.row(scaled)]
    least, most = (scaled.matrix.number(i, int(j)) for j in (row.argmin(), row.argmax()))
    if least.shown == most.shown:
        return None
    pick = Pick(row.size, partial(scaled.row, i), ties=True)
    low, high = (retold(Value(pick._replace(by="least")), least), retold(Value(pick), most))
    start = ("The scores of ", *told.token(scaled), " now lie between ")
    return (*start, *low, " and ", *high, ".")


def _masked(told: Told) -> Spans | None:
    """Says how many scores are hidden: `The mask hides 3 of the 9 scores.`"""
    masked = told.made("masked")
    if masked is None:
        return None
    unseen = np.isneginf(masked.values)
    if not unseen.any():
        return None
    says = f"The mask hides {unseen.sum()} of the {unseen.size} scores"
    left = (~unseen).sum(axis=1).tolist()
    if left.count(1) != 1:
        return retold(Followed(), f"{says}.")
    i, names = left.index(1), masked.columns.names
    j = int((~unseen[i]).argmax())
    of_query, of_key = told.nouns(masked)
    key = ("itself",) if j == told.itself(masked, i) else called_as(names, j, of_key)
    query = called_as(masked.rows.names, i, of_query)
    return retold(Followed(), f"{says}: ", *query, " sees only ", *key, ".")


def _blended(told: Told) -> Spans | None:
    """Says where attention moves a token: `Attention moves “love” from its own value, [2, 1], to
    [2.364, 2.364].`"""
    output, place = told.made("output"), told.part.place
    if output is None or not isinstance(place, HeadPlace):
        return None
    V = told.trace.quantities.get(place.find("V"))
    if V is None or V.rows.names != output.rows.names or place.attention.sees_memory:
        return None
    i = told.row(output)
    if V.matrix.shape[1] > _MOST:
        return None
    own, moved = (Vector(tuple(q.row(i))) for q in (V, output))
    start = (*told.token(output), " from its own value, ", own)
    return ("Attention moves ", *retold(Followed(), *start, ", to ", moved), ".")


def _added(told: Told) -> Spans | None:
    """Says how a residual changes a row: `“go” changes most in dimension 4: from 0.2 to 0.5.`"""
    place, made = told.part.place, made_by(told.trace, told.part)
    if not made or not isinstance(place, ResidualPlace):
        return None
    skipped = told.trace.quantities.get(place.skipped)
    return _changed(told, skipped, made[-1])


def _surprised(told: Told) -> Spans | None:
    """Says what other losses would mean: `Equal probabilities for all 3 classes would give a loss
    of 1.10, certainty 0.`"""
    loss = told.made("cross_entropy")
    probabilities = told.trace.quantities.get(told.part.place.name("probabilities"))
    if loss is None or probabilities is None or told.part.is_again:
        return None
    count = probabilities.matrix.shape[1]
    places = decimals.places(loss.matrix.number(0, 0).shown)
    is_own = told.trace.rounding.is_own(told.part.step, loss.name)
    exact = rounded(Apply("ln", (constant(count),)), places if is_own else None)
    number = Number.inner(decimals.shown(math.log(count), places), exact)
    what = "classes" if told.trace.scenario.prediction.of_classes else "tokens"
    which = f"all {count}" if count > len("ab") else "both"
    return (
        f"Equal probabilities for {which} {what} would give a loss of ",
        *retold(Followed(), number),
        ", certainty 0.",
    )


def _remembered(told: Told) -> Spans | None:
    """Says what a cell remembers: `After “is” the state is [0.319, −0.170].`"""
    place = told.part.place
    if not isinstance(place, CellPlace):
        return None
    state = told.made("a")
    names = distinct_tokens(place.stack.text.tokens)
    if state is None or state.matrix.shape[0] > _MOST or place.time > len(names):
        return None
    numbers = Vector(tuple(state.number(k, 0) for k in range(state.matrix.shape[0])))
    start = ("After ", *called_as(names, place.time - 1), " the state is ")
    return (*start, *retold(Followed(), numbers), ".")


def _slope(told: Told) -> Spans | None:
    """Says how the loss falls fastest: `The loss falls fastest as W_K[1, 1] grows and as W_K[1, 2]
    falls.` A step that makes parts of a gradient says it only of what is given and whose gradient
    is whole."""
    made = [q for q in made_by(told.trace, told.part) if not q.local.endswith("loss")]
    of = {q: q.name.seen_from(GRADIENTS) for q in made if not q.is_list}
    known = told.trace.quantities
    if not all(name in known for name in of.values()):
        of = {q: name for q, name in of.items() if name in known and known[name].given}

    def called(q: Quantity, i: int, j: int) -> Spans:
        return ("as ", Symbol(of[q].alone, q.indices(i, j)))

    def cells() -> list[_Cell]:
        return [(q, i, j) for q in of for i, j in np.ndindex(*q.values.shape)]

    signs = (" falls", " grows")
    ends = [(*called(q, i, j), signs[int(q.values[i, j] < 0)]) for q, i, j in _steepest([*of])]
    if not 0 < len(ends) <= MOST_TIED:
        return None
    size = sum(q.values.size for q in of)
    numbers, name = (
        (lambda: [q.number(i, j) for q, i, j in cells()]),
        (lambda k: called(*cells()[k])),
    )
    pick = Pick(size, numbers, name, "steep", ties=True, signs=signs)
    return ("The loss falls fastest ", *retold(pick, *tied(ends)), ".")


_Cell = tuple[Quantity, int, int]


def _steepest(gradients: Sequence[Quantity]) -> Iterator[_Cell]:
    """Yields the cells whose numbers are the largest in size, as the digits shown tell; none of
    zeros."""
    tops = (
        q.matrix.shown(*divmod(int(np.abs(q.values).argmax()), q.values.shape[1]))
        for q in gradients
    )
    most = max(map(abs, tops), default=Decimal(0))
    unit = float(decimals.unit(decimals.places(most)))
    for q in gradients if most else ():
        for i, j in np.argwhere(np.abs(q.values) > float(most) - unit).tolist():
            if abs(q.matrix.shown(i, j)) == most:
                yield q, i, j


_SAYS: Mapping[str, Tell] = {
    "embed": _embedded,
    "positions": _positioned,
    "norm": _normed,
    "project": _preferred,
    "scores": _best_of("scores", "matches", " best"),
    "scale": _scaled,
    "mask": _masked,
    "weighted_sum": _blended,
    "merge": _largest_of("attention", "concat", begins="The attention"),
    "residual": _added,
    "ffn": _largest_of("ffn", begins="The feed-forward network's output"),
    "mix": _largest_of("mixture", begins="The experts' mixture"),
    "unembed": _best_of("logits", "is that of", begins=("The highest logit of ",)),
    "loss": _surprised,
    "state": _remembered,
}
"""What says it of a step, by its name."""
