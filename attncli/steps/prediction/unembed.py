"""From vectors to logits: one number for each token of the vocabulary.

Tied to the embeddings: Press & Wolf 2016, arXiv:1608.05859.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Activate, MultiplyBy, Same, SoftCap, TakeRows
from attncli.file.keys import Key
from attncli.file.kinds import NUMBER, POSITIVE, Choice, Either
from attncli.file.matrices import MATRIX, VECTOR
from attncli.file.nodes import Scalar
from attncli.name import Name
from attncli.steps.linear import layer_of
from attncli.steps.step import General, Mistake, Step
from attncli.trace import Axis, Definition, Place
from attncli.trace.quantity import told_apart

_TIED = Choice(("tied",), "rows of numbers")
_KEYS = (
    Key(
        "unembedding",
        Either(lambda node: _TIED if isinstance(node, Scalar) else MATRIX, (_TIED, MATRIX)),
        "what the logits are made with: `tied`, the embeddings transposed, or a matrix "
        "[d_model, vocabulary]",
    ),
    Key("b_U", VECTOR, "the bias of the logits, [vocabulary]"),
    Key(
        "predict_from",
        Choice(("last", "every")),
        "which positions get logits: the `last` (the default), or `every` one (where there "
        "are targets)",
    ),
    Key("logit_scale", NUMBER, "what the logits are multiplied by (Cohere, Granite)"),
    Key("logit_softcap", POSITIVE, "c in c · tanh(logits / c), after `logit_scale` (Gemma 2)"),
)

_VOCABULARY = "vocabulary"
_UNEMBEDDING = Name("unembedding")


def _plan(place: Place) -> tuple[Definition, ...]:
    x, definitions = place.x, []
    if not place.scenario.prediction.every:
        last = _last_row(place)
        definitions.append(last)
        x = last.name
    logits = _logits(place, x)
    return (*definitions, logits, *_changed(place, logits.name))


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


def _last_row(place: Place, row: int = -1) -> Definition:
    tokens = told_apart(place.text.tokens)
    count = len(tokens) or place.height(place.x) or 1
    name = tokens[row] if tokens else str(count)
    axis = Axis((name,), "Q")
    return Definition(
        place.name("last"), TakeRows((row % count,), (name,), "last"), (place.x,),
        rows=axis,
    )  # fmt: skip


def _logits(place: Place, x: Name) -> Definition:
    tied = place.scenario.prediction.unembedding == "tied"
    matrix = place.text.table if tied else _UNEMBEDDING
    out_in = tied or place.stack.said.linear
    operation, operands = layer_of(place, x, matrix, Name("b_U"), out_in=out_in)
    return Definition(place.name("logits"), operation, operands, blame=_UNEMBEDDING)


def _sized(place: Place, planned: Definition) -> Definition:
    """The last of as many rows as there are; logits of the vocabulary, if they are as many."""
    if planned.name == place.name("last"):
        return _last_row(place)
    if planned.name != place.name("logits"):
        return planned
    vocabulary = place.scenario.prediction.vocabulary
    if place.width(planned.name) != len(vocabulary):
        return planned
    return planned._replace(columns=Axis(vocabulary, _VOCABULARY))


def _from_first(place: Place) -> Definition | None:
    return None if place.scenario.prediction.every else _last_row(place, 0)


def _happens(place: Place) -> str:
    prediction = place.scenario.prediction
    which = "Each token's vector" if prediction.every else "The last token's vector"
    matrix = "the table of embeddings, transposed" if prediction.unembedding == "tied" else (
        "the unembedding"
    )  # fmt: skip
    told = f"{which} is multiplied by {matrix}: a logit for each token of the vocabulary."
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


STEP = Step(
    name="unembed",
    at=Place,
    keys=(*_KEYS,),
    title="Logits",
    does="compares the last vector with each token of the vocabulary",
    makes=("last", "logits", "scaled_logits", "capped_logits"),
    shapes="x [n, d_model], unembedding [d_model, vocabulary] → logits [1, vocabulary]",
    happens=_happens,
    why=(
        "To find what comes next, the vector of the last token, which by now holds what it has"
        " gathered from the others, is compared with a vector for each token of the vocabulary."
    ),
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
)
