"""From vectors to logits: one number for each token of the vocabulary.

Tied to the embeddings: Press & Wolf 2016, arXiv:1608.05859.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Activate, MultiplyBy, Same, SoftCap
from attncli.file.keys import Key
from attncli.file.kinds import NUMBER, POSITIVE, Choice, Either, ListOf
from attncli.file.matrices import MATRIX, VECTOR
from attncli.file.nodes import Scalar
from attncli.name import Name
from attncli.scenario.tokenizers.kind import TOKEN
from attncli.steps.linear import MISTAKES_BACK, layer_of
from attncli.steps.prediction.chosen import chosen, whose
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Axis, Definition, Place

_TIED = Choice(("tied",), "rows of numbers")
_KEYS = (
    Key(
        "unembedding",
        Either(lambda node: _TIED if isinstance(node, Scalar) else MATRIX, (_TIED, MATRIX)),
        "what the logits are made with: `tied`, the embeddings transposed, or a matrix "
        "[d_model, vocabulary]",
    ),
    Key("logits", MATRIX, "given in the place of what would make them, [n, vocabulary]"),
    Key("b_U", VECTOR, "the bias of the logits, [vocabulary]"),
    Key(
        "predict_from",
        Choice(("last", "first", "every")),
        "which positions get logits, or go into a `head`: the `last` (the default), the `first`,"
        " or `every` one (where there are targets)",
    ),
    Key(
        "labels",
        ListOf(TOKEN),
        "what the logits stand for where these are classes: `[cat, dog]`",
    ),
    Key("logit_scale", NUMBER, "what the logits are multiplied by (Cohere, Granite)"),
    Key("logit_softcap", POSITIVE, "c in c · tanh(logits / c), after `logit_scale` (Gemma 2)"),
)

_VOCABULARY = "vocabulary"
_UNEMBEDDING = Name("unembedding")


def _plan(place: Place) -> tuple[Definition, ...]:
    one = None if place.scenario.prediction.head else chosen(place)
    logits = _logits(place, place.x if one is None else one.name)
    return (*filter(None, [one]), logits, *_changed(place, logits.name))


def _changed(place: Place, x: Name) -> Iterator[Definition]:
    """The logits multiplied and capped, as far as that is said."""
    prediction = place.scenario.prediction
    if prediction.logit_scale is not None:
        multiply = MultiplyBy(Number.written(prediction.logit_scale))
        yield Definition(place.name("scaled_logits"), multiply, (x,))
        x = place.name("scaled_logits")
    if prediction.logit_softcap is not None:
        cap = SoftCap(Number.written(prediction.logit_softcap))
        yield Definition(place.name("capped_logits"), cap, (x,))


def _logits(place: Place, x: Name) -> Definition:
    tied = place.scenario.prediction.unembedding == "tied"
    matrix = place.text.table if tied else _UNEMBEDDING
    out_in = tied or place.stack.said.linear
    operation, operands = layer_of(place, x, matrix, Name("b_U"), out_in=out_in)
    return Definition(place.name("logits"), operation, operands, blame=_UNEMBEDDING)


def _sized(place: Place, planned: Definition) -> Definition:
    """The last of as many rows as there are; logits of the vocabulary, if they are as many."""
    one = chosen(place)
    if one is not None and planned.name == one.name:
        return one
    if planned.name != place.name("logits"):
        return planned
    vocabulary = place.scenario.prediction.vocabulary
    if place.width(planned.name) != len(vocabulary):
        return planned
    return planned._replace(columns=Axis(vocabulary, _VOCABULARY))


def _from_first(place: Place) -> Definition | None:
    prediction = place.scenario.prediction
    return chosen(place, 0) if prediction.which == "last" and not prediction.head else None


def _happens(place: Place) -> str:
    prediction = place.scenario.prediction
    which = "What the head made of it" if prediction.head else whose(place)
    matrix = "the table of embeddings, transposed" if prediction.unembedding == "tied" else (
        "the unembedding"
    )  # fmt: skip
    what = "class" if prediction.of_classes else "token of the vocabulary"
    told = f"{which} is multiplied by {matrix}: a logit for each {what}."
    if prediction.logit_scale is not None:
        told += f" Each logit is multiplied by {_text(prediction.logit_scale)}."
    if prediction.logit_softcap is not None:
        cap = _text(prediction.logit_softcap)
        told += f" Each is then bent so that it stays between −{cap} and {cap}."
    return told


def _text(number: Decimal) -> str:
    return decimals.text(number).replace("-", "−")


def _cap_not_divided(place: Place) -> Definition | None:
    capped = _plan(place)[-1]
    if place.scenario.prediction.logit_softcap is None:
        return None
    return capped._replace(operation=Activate("tanh"))


def _not_changed(place: Place) -> Definition | None:
    """The last logits as they are, without what is done to them."""
    changed = tuple(_changed(place, place.name("logits")))
    return changed[-1]._replace(operation=Same()) if changed else None


def _why(place: Place) -> str:
    prediction = place.scenario.prediction
    if prediction.foretells:
        return _next(place)
    if prediction.of_classes:
        return "To find of which class it is, the model compares what it knows with each class."
    return (
        "To find which token belongs in a place, the vector there is compared with a vector for"
        " each token of the vocabulary."
    )


def _next(place: Place) -> str:
    """Why, where the next token is looked for; what a vector knows by then."""
    every = place.scenario.prediction.every
    vector = "each token's vector" if every else "the vector of the last token"
    gathers = any(layer.attends or layer.recurrent for layer in place.stack.layers)
    holds = _GATHERED if gathers else ""
    alone = "" if gathers else " Nothing here has told it of other tokens."
    return (
        f"To find what comes next, {vector}{holds} is compared with a vector for each token of the"
        f" vocabulary.{alone}"
    )


_GATHERED = ", which by now holds what it has gathered from the others,"
_NEXT = (
    f"To find what comes next, the vector of the last token{_GATHERED} is compared with a vector"
    " for each token of the vocabulary."
)

STEP = Step(
    name="unembed",
    at=Place,
    keys=(*_KEYS,),
    title="Logits",
    does="compares the last vector with each token of the vocabulary",
    makes=("last", "first", "logits", "scaled_logits", "capped_logits"),
    shapes="x [n, d_model], unembedding [d_model, vocabulary] → logits [1, vocabulary]",
    happens=_happens,
    why=_NEXT,
    why_at=_why,
    more="A large dot product says: that token fits.",
    example="next_token",
    plan=_plan,
    sized=_sized,
    general=General(x="x"),
    mistakes=(
        Mistake(
            "from_the_first", "Taking the first token's vector instead of the last.", _from_first
        ),
        Mistake(
            "logits_not_changed",
            "Going on with the logits as they are, where they are to be multiplied or capped.",
            _not_changed,
        ),
        Mistake(
            "cap_not_divided",
            "Taking the tanh of the logit as it is, without dividing by the cap before and"
            " multiplying by it after.",
            _cap_not_divided,
        ),
    ),
    backward=Backward(
        "the logits",
        (
            "A vector is pushed towards its target's column, and away from what was likely and "
            "wrong."
        ),
        usual_mistakes=MISTAKES_BACK,
    ),
)
