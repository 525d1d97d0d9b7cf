"""Speculative decoding: tokens that a small model has drafted, verified by the large one at once.

Leviathan et al. 2022, arXiv:2211.17192, 2.3 and algorithm 1; Chen et al. 2023, arXiv:2302.01318.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from attncli.errors import listed, quote
from attncli.maths.equations.tree import Number
from attncli.maths.operations.prediction import (
    Acceptance,
    AcceptedDraft,
    Cumulative,
    DrawnToken,
    Excess,
)
from attncli.maths.operations.rearranging import TakeRows
from attncli.maths.operations.softmax import DivideByRow, RowSum
from attncli.names import Name
from attncli.scenario.file.keys import SHARE, Key, ListOf, Needs, Record
from attncli.scenario.file.matrices import MATRIX
from attncli.scenario.file.problems import Objections
from attncli.steps.mistakes import remade, wrong
from attncli.steps.prediction.logits import MIN_P, TOP_P
from attncli.steps.step import Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Axis, Definition, Place
from attncli.trace.quantity import distinct_tokens

DRAFT = Key(
    "draft",
    Record.of(
        Key("q", MATRIX, "the probabilities that drafted each of the last tokens, [γ, vocabulary]"),
        Key("r", ListOf(SHARE), "a number between 0 and 1 for each, by which it is accepted"),
        Key("draw", SHARE, "a number between 0 and 1 that draws the token after the accepted ones"),
        needs=Needs("draft", ("q", "r", "draw"), "{q: [[0.5, 0.5]], r: [0.3], draw: 0.6}"),
    ),
    "the last tokens are a draft, which is verified as in speculative decoding, with"
    " `predict_from: every`: `{q: [[0.5, 0.5]], r: [0.3], draw: 0.6}`",
)


def _drafted(place: Place) -> tuple[str, ...]:
    """Returns the drafted tokens, which are the last ones of the text."""
    r = place.scenario.prediction.draft["r"]
    return place.text.tokens[len(place.text.tokens) - len(r) :]


def _check_draft(place: Place) -> Objections:
    prediction = place.scenario.prediction
    vocabulary, r, q = prediction.logits.vocabulary, prediction.draft["r"], place.name("q")
    matrix = place.scenario.given.matrices.get(q)
    given = len(r) if matrix is None else matrix.shape[0]
    if given != len(r):
        wrong = f"{given} rows of probabilities, and {len(r)} numbers to accept tokens by"
        yield place.name("r"), wrong, f"give {given} numbers"
    if len(place.text.tokens) <= len(r):
        wrong = f"{len(place.text.tokens)} tokens, and the last {len(r)} are drafted"
        yield place.name("r"), wrong, "give tokens before the draft"
    elif not prediction.every:
        wrong = "a draft, and probabilities of the last token alone"
        yield place.path, wrong, "say predict_from: every"
    for token in _drafted(place):
        if token not in vocabulary:
            wrong = f"{quote(token)} is drafted, and not among the tokens that logits stand for"
            yield place.path, wrong, f"known: {listed(vocabulary)}"


def _plan(place: Place) -> Iterator[Definition]:
    prediction = place.scenario.prediction
    said, sampled, vocabulary = prediction.draft, prediction.config, prediction.logits.vocabulary
    p, q, accept, accepted, excess = map(place.name, ("p", "q", "accept", "accepted", "excess"))
    total, adjusted, sums = map(place.name, ("excess_sum", "adjusted", "cumulative"))
    drafted, r = distinct_tokens(_drafted(place)), tuple(map(Number.written, said["r"]))
    columns = tuple(vocabulary.index(t) if t in vocabulary else 0 for t in _drafted(place))
    texts, count = distinct_tokens(place.text.tokens), len(place.text.tokens)
    rows = tuple(range(max(0, count - len(r) - 1), count))
    cut = sampled.says(TOP_P) or sampled.says(MIN_P)
    shares = Name("renormalized", Name("next")) if cut else Name("probabilities")
    axis, after = Axis(drafted, "token"), Axis(texts[-len(rows) :], "Q")
    yield Definition(p, TakeRows(rows, after.names, "drafted from"), (shares,), rows=after)
    yield Definition(accept, Acceptance(columns), (p, q), rows=axis)
    yield Definition(accepted, AcceptedDraft(r), (accept,), rows=axis)
    yield Definition(excess, Excess(), (accepted, p, q))
    yield Definition(total, RowSum(), (excess,))
    yield Definition(adjusted, DivideByRow(), (excess, total))
    yield Definition(sums, Cumulative(), (adjusted,))
    drawn = DrawnToken(Number.written(said["draw"]))
    yield Definition(place.name("drawn"), drawn, (adjusted, sums))


VERIFY_STEP = Step(
    name="verify",
    at=Place,
    keys=(DRAFT,),
    check=_check_draft,
    words=Wording(
        title="Verification of a draft",
        does="accepts drafted tokens, and draws the one after them",
        shapes="probabilities [n, vocabulary], q [γ, vocabulary] → accept [γ, 1] → adjusted"
        " [1, vocabulary]",
        happens=lambda _: (
            "A drafted token is accepted where its number r is below min(1, p / q), and all before"
            " it are accepted. At the first one that isn't, the next token is drawn from what p has"
            " in excess of q, divided by its sum. If all are accepted, nothing is drafted any more,"
            " and q counts as 0 there: one more token is drawn from p."
        ),
        why=(
            "One pass of the large model verifies several tokens of a small one, and what comes out"
            " has the probabilities of the large one."
        ),
        more=(
            "A large model works several tokens in nearly the time of one, since its weights are"
            " read once for all of them. A token that the draft proposes too often is refused"
            " now and then, so that it is as frequent as the large model wants it. What the draft"
            " has left out comes back by the excess."
        ),
    ),
    results=Results(
        names=(
            "p",
            "accept",
            "accepted",
            "excess",
            "excess_sum",
            "adjusted",
            "cumulative",
            "drawn",
        ),
        nouns={"p": "probability", "adjusted": "adjusted probability"},
        plan=lambda place: tuple(_plan(place)),
        adds_up_to_one=("adjusted",),
    ),
    formulas=Formulas(
        x="probabilities", config={"draft": {"r": (Decimal("0.3"),), "draw": Decimal("0.6")}}
    ),
    example=Example(
        "next_token",
        (
            "generate=1",
            "predict_from=every",
            "draft={q: [[0.1, 0.2, 0.4, 0.1, 0.1, 0.1], [0.2, 0.1, 0.5, 0.1, 0.05, 0.05]],"
            " r: [0.3, 0.9], draw: 0.6}",
        ),
    ),
    mistakes=(
        Mistake(
            "ratio_turned_over",
            "Accepting by q / p instead of p / q.",
            wrong(remade(lambda own, _: replace(own, turned=not own.turned)), "accept"),
        ),
        Mistake(
            "drawn_from_p",
            "Drawing from p after a refusal, instead of from its excess over q.",
            wrong(remade(lambda own, _: replace(own, whole=True)), "excess"),
        ),
    ),
)
