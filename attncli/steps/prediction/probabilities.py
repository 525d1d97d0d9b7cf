"""From logits to probabilities, and the next token.

* predict: those of the next token. Top-k: Fan et al. 2018, arXiv:1805.04833. Top-p:
  Holtzman et al. 2019, arXiv:1904.09751.
* classify: those of what doesn't come next: classes, or which token belongs in a place.
"""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations.activations import DivideBy
from attncli.arithmetic.operations.masking import Masked
from attncli.arithmetic.operations.sampling import KeptShare, KeptSum, Nucleus, TopK
from attncli.arithmetic.operations.softmax import DivideByRow, DivideByRowSum
from attncli.file.keys import Key, Record
from attncli.file.kinds import COUNT, POSITIVE, NumberKind, WholeNumber
from attncli.file.matrices import MATRIX
from attncli.name import Name
from attncli.scenario.tokenizers.kind import TOKEN
from attncli.steps.attention.weights import IN_SOFTMAX, softmax
from attncli.steps.mistakes import WENT_IN, by, wrong
from attncli.steps.step import General, Mistake, Step
from attncli.trace import Definition, Place

TEMPERATURE: Key[Decimal | None] = Key("temperature", POSITIVE, "what logits are divided by")
TOP_K: Key[int | None] = Key("top_k", COUNT, "how many of the likeliest tokens are kept")
TOP_P: Key[Decimal | None] = Key(
    "top_p", NumberKind(positive=True, most=1), "the share that the kept tokens reach"
)

_PROBABILITIES = Name("probabilities")


def _plan_predict(place: Place) -> tuple[Definition, ...]:
    said = place.scenario.prediction.said
    temperature, top_k, top_p = said.get(TEMPERATURE), said.get(TOP_K), said.get(TOP_P)
    definitions: list[Definition] = []
    x = place.x
    if temperature is not None:
        divide = DivideBy(Number.written(temperature))
        definitions.append(
            Definition(place.name("tempered"), divide, (x,), blame=place.name("temperature"))
        )
        x = definitions[-1].name
    if top_k is not None:
        kept, filtered = place.name("kept"), place.name("filtered")
        masked = Masked(Number.written(Decimal("-Infinity")))
        definitions.append(Definition(kept, TopK(top_k), (x,)))
        definitions.append(Definition(filtered, masked, (x, kept)))
        x = filtered
    definitions += softmax(place, x, _PROBABILITIES, "predict")
    if top_p is not None:
        definitions += _nucleus(place, Number.written(top_p))
    return tuple(definitions)


def _nucleus(place: Place, p: Number) -> tuple[Definition, ...]:
    nucleus, total = place.name("nucleus"), place.name("nucleus_sum")
    operands = (_PROBABILITIES, nucleus)
    return (
        Definition(nucleus, Nucleus(p), (_PROBABILITIES,)),
        Definition(total, KeptSum(), operands),
        Definition(place.name("renormalized"), KeptShare(), (*operands, total)),
    )


def _happens(place: Place) -> str:
    said = place.scenario.prediction.said
    temperature, top_k, top_p = said.get(TEMPERATURE), said.get(TOP_K), said.get(TOP_P)
    told = ["A softmax turns the logits into probabilities"]
    if top_k is not None:
        told.insert(0, f"Only the {top_k} largest logits are kept")
    if temperature is not None:
        told.insert(0, f"The logits are divided by the temperature {temperature}")
    if top_p is not None:
        told.append(
            f"Of the likeliest tokens as many are kept as reach {top_p} together, and"
            " what they have is shared out among them"
        )
    return ". ".join(told) + "."


PREDICT_STEP = Step(
    name="predict",
    at=Place,
    keys=(
        Key(
            "probabilities",
            MATRIX,
            "given in the place of what would make them: a row for each target, [n, vocabulary]",
        ),
        Key(
            "next",
            Record.of(TEMPERATURE, TOP_K, TOP_P),
            "how the probabilities of the next token are made of the logits: `{temperature: 0.8, "
            "top_k: 40, top_p: 0.9}`, applied in this order",
        ),
        Key(
            "generate",
            WholeNumber(1, 50),
            "how many tokens to generate greedily; what is given for one sentence only (a mask's "
            "table, `X`, targets) can't go with it",
        ),
        Key("end_token", TOKEN, "with `generate`: the token after which no other one is made"),
    ),
    title="Next token",
    does="turns the logits into probabilities, and chooses the next token",
    makes=(
        "tempered", "kept", "filtered", "exp", "exp_sum", "probabilities", "nucleus",
        "nucleus_sum", "renormalized",
    ),
    shapes="logits [1, vocabulary] → probabilities [1, vocabulary]",
    happens=_happens,
    why="A probability says how likely a token is to come next.",
    more=(
        "The greedy choice is the likeliest one; sampling takes any of them as often as its"
        " probability says. Top-k, top-p and a temperature below 1 keep a sample from wandering off"
        " into what is hardly likely; a temperature above 1 does the opposite."
    ),
    example="next_token",
    plan=_plan_predict,
    general=General(x="logits"),
    mistakes=(
        Mistake(
            "without_exponentials",
            "Dividing the logits themselves by their sum, without raising e to them.",
            wrong(by(DivideByRowSum, WENT_IN), DivideByRow),
        ),
        *IN_SOFTMAX,
    ),
    adds_up_to_one=("probabilities", "renormalized"),
    pictures=("softmax_bars", "temperatures"),
)  # fmt: skip


CLASSIFY_STEP = PREDICT_STEP._replace(
    name="classify",
    keys=(),
    title="Probabilities",
    does="turns the logits of a head, or of classes, into probabilities",
    makes=("exp", "exp_sum", "probabilities"),
    shapes="logits [n, classes] → probabilities [n, classes]",
    happens=lambda _: "A softmax turns each row of logits into probabilities.",
    why=(
        "Logits may be any numbers; probabilities are shares, which say how sure the model is of"
        " each answer."
    ),
    more="The likeliest is what it answers: a class, or the token that belongs in a place.",
    example="masked_word",
    plan=lambda place: softmax(place, place.x, _PROBABILITIES, "classify"),
    adds_up_to_one=("probabilities",),
    pictures=("softmax_bars",),
)
