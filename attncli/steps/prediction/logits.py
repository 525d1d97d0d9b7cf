"""From the last vectors to logits, probabilities and the next token.

* head: what a model does with its last vectors, before any logits. BERT's for masked words,
  dense, activation, norm, and its pooler, the first token's vector through a dense layer and tanh:
  Devlin et al. 2018, arXiv:1810.04805.
* unembed: from vectors to logits: one number for each token of the vocabulary. Tied to the
  embeddings: Press & Wolf 2016, arXiv:1608.05859.
* predict: the probabilities of the next token. Top-k: Fan et al. 2018, arXiv:1805.04833. Top-p:
  Holtzman et al. 2019, arXiv:1904.09751.
* classify: those of what doesn't come next: classes, or which token belongs in a place.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from attncli.equations.tree import Number
from attncli.file.keys import (
    COUNT,
    NUMBER,
    POSITIVE,
    Choice,
    Either,
    Key,
    ListOf,
    NumberKind,
    Record,
    WholeNumber,
)
from attncli.file.matrices import MATRIX, VECTOR
from attncli.file.nodes import Scalar
from attncli.names import Name
from attncli.numbers import decimals
from attncli.operations.activations import ACTIVATIONS, Activate, DivideBy, MultiplyBy, SoftCap
from attncli.operations.attention import DivideByRow, DivideByRowSum
from attncli.operations.masking import Masked
from attncli.operations.prediction import KeptShare, KeptSum, Nucleus, TopK
from attncli.operations.rearranging import Same, TakeRows
from attncli.scenario.tokenizers.settings import TOKEN
from attncli.steps.attention.weights import IN_SOFTMAX, softmax
from attncli.steps.block.norms import NORM
from attncli.steps.linear import MISTAKES_BACK, layer_of, linear
from attncli.steps.mistakes import WENT_IN, by, in_last, instead, left_out, wrong
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Axis, Definition, Place
from attncli.trace.quantity import distinct_tokens

_WHOSE = {"last": "The last token's vector", "first": "The first token's vector",
          "every": "Each token's vector"}  # fmt: skip


def chosen(place: Place, row: int | None = None) -> Definition | None:
    """The row of one token, by default of that which is asked for; None where all are."""
    which = place.scenario.prediction.which
    if which == "every":
        return None
    row = {"first": 0, "last": -1}[which] if row is None else row
    tokens = distinct_tokens(place.text.tokens)
    count = len(tokens) or place.height(place.x) or 1
    name = tokens[row] if tokens else str(row % count + 1)
    operation = TakeRows((row % count,), (name,), which)
    return Definition(Name(which), operation, (place.x,), rows=Axis((name,), "Q"))


def sized_row(row: Definition | None, planned: Definition) -> Definition:
    """The row of one token, of as many as there are, if that is what was planned."""
    return row if row is not None and row.name == planned.name else planned


def whose(place: Place) -> str:
    """`The last token's vector`."""
    return _WHOSE[place.scenario.prediction.which]


_ACTIVATION = Key(
    "activation",
    Choice((*ACTIVATIONS, "none")),
    "one of those of a feed-forward network, `none` by default",
    "none",
)
_HEAD = Record.of(
    Key("W", MATRIX, "what vectors are multiplied by, [d_model, d]"),
    Key("b", VECTOR, "its bias, [d]"),
    _ACTIVATION,
    Key("norm", NORM, "a norm after the activation"),
)


def _plan_head(place: Place) -> tuple[Definition, ...]:
    definition = chosen(place)
    dense = linear(place, "hidden", place.x if definition is None else definition.name, "",
                   out_in=place.stack.config.linear)  # fmt: skip
    kind = _kind(place)
    made = [*filter(None, [definition]), dense]
    if kind != "none":
        made.append(Definition(place.name("activated"), Activate(kind), (dense.name,)))
    return tuple(made)


def _kind(place: Place) -> str:
    head = place.scenario.prediction.head
    return "none" if head is None else head.activation


def _happens_head(place: Place) -> str:
    kind = _kind(place)
    activated = "" if kind == "none" else f" and the activation {kind}"
    return f"{whose(place)} goes through a layer of the head's own{activated}."


def _row_of(place: Place, row: int, which: str) -> Definition | None:
    """The row of another token, where that of the first or of the last one is asked for."""
    return chosen(place, row) if place.scenario.prediction.which == which else None


HEAD_STEP = Step(
    name="head",
    at=Place,
    keys=(
        Key(
            "head",
            _HEAD,
            "a layer between the last layer and the logits, such as BERT's for masked words"
            " (`{W: …, b: …, activation: gelu, norm: {…}}`, with `predict_from: every`) and its"
            " pooler (`tanh`, with `predict_from: first`)",
        ),
    ),
    title="Head",
    does="prepares the last vectors for one task",
    makes=("last", "first", "hidden", "activated"),
    shapes="x [n, d_model], W [d_model, d] → hidden [n, d] → activated [n, d]",
    happens=_happens_head,
    why="A head prepares the last vectors of a model for one task.",
    more=(
        "A head is small and learned with its task, such as finding a hidden word or the class of a"
        " sentence or a picture."
    ),
    example="masked_word",
    plan=_plan_head,
    sized=lambda place, planned: sized_row(chosen(place), planned),
    general=General(x="x", gives=("b",)),
    mistakes=(
        Mistake(
            "activation_forgotten", "Leaving out the activation.", wrong(left_out, "activated")
        ),
        Mistake(
            "relu_for_another",
            "Taking ReLU instead of the activation that is asked for.",
            wrong(by(Activate("relu")), "activated"),
        ),
        Mistake(
            "from_the_last",
            "Taking the last token's vector instead of the first.",
            instead(lambda place: _row_of(place, -1, "first")),
        ),
    ),
    backward=Backward(
        "the head",
        "A weight is pushed by what came in times the gradient of what went out, and only the"
        " vectors that were taken get any.",
        example="masked_word",
        shown_with=("targets=[I, love, AI]",),
    ),
)


_TIED = Choice(("tied",), "rows of numbers")

_VOCABULARY = "vocabulary"
_UNEMBEDDING = Name("unembedding")


def _plan_unembed(place: Place) -> tuple[Definition, ...]:
    entry = None if place.scenario.prediction.head else chosen(place)
    logits = _logits(place, place.x if entry is None else entry.name)
    return (*filter(None, [entry]), logits, *_changed(place, logits.name))


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
    out_in = tied or place.stack.config.linear
    operation, operands = layer_of(place, x, matrix, Name("b_U"), out_in=out_in)
    return Definition(place.name("logits"), operation, operands, blame=_UNEMBEDDING)


def _sized_unembed(place: Place, planned: Definition) -> Definition:
    """The last of as many rows as there are; logits of the vocabulary, if they are as many."""
    vocabulary, width = place.scenario.prediction.vocabulary, place.width(planned.name)
    if planned.name == place.name("logits") and width == len(vocabulary):
        return planned._replace(columns=Axis(vocabulary, _VOCABULARY))
    return sized_row(chosen(place), planned)


def _happens_unembed(place: Place) -> str:
    prediction = place.scenario.prediction
    which = "The head's output" if prediction.head else whose(place)
    matrix = "the transposed table of embeddings" if prediction.unembedding == "tied" else (
        "the unembedding"
    )  # fmt: skip
    what = "class" if prediction.of_classes else "token of the vocabulary"
    text = f"{which} is multiplied by {matrix}: a logit for each {what}."
    if prediction.logit_scale is not None:
        text += f" Each logit is multiplied by {_text(prediction.logit_scale)}."
    if prediction.logit_softcap is not None:
        cap = _text(prediction.logit_softcap)
        text += f" A tanh then squashes each logit into the range from −{cap} to {cap}."
    return text


def _text(number: Decimal) -> str:
    return decimals.text(number).replace("-", "−")


def _why(place: Place) -> str:
    prediction = place.scenario.prediction
    if prediction.foretells:
        return _next(place)
    if prediction.of_classes:
        return "To find the class, the model gives each class a number for how well it fits."
    return (
        "To find which token belongs in a place, the vector there is compared with a vector for"
        " each token of the vocabulary."
    )


def _next(place: Place) -> str:
    """Why, where the next token is looked for; what a vector knows by then."""
    every = place.scenario.prediction.every
    vector = "each token's vector" if every else "the last token's vector"
    gathers = any(layer.attends or layer.recurrent for layer in place.stack.layers)
    holds = _GATHERED if gathers else ""
    alone = "" if gathers else " No step here has mixed the tokens."
    return f"{_BY} {vector}{holds}.{alone}"


_BY = "To find the next token, the model goes by"
_GATHERED = ", with what it has gathered"


UNEMBED_STEP = Step(
    name="unembed",
    at=Place,
    keys=(
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
            "which positions get logits, or go into a `head`: the `last` (the default), the"
            " `first`, or `every` one (where there are targets)",
        ),
        Key(
            "labels",
            ListOf(TOKEN),
            "what the logits stand for where these are classes: `[cat, dog]`",
        ),
        Key("logit_scale", NUMBER, "what the logits are multiplied by (Cohere, Granite)"),
        Key("logit_softcap", POSITIVE, "c in c · tanh(logits / c), after `logit_scale` (Gemma 2)"),
    ),
    title="Logits",
    does="compares the last vector with each token of the vocabulary",
    makes=("last", "first", "logits", "scaled_logits", "capped_logits"),
    shapes="x [n, d_model], unembedding [d_model, vocabulary] → logits [1, vocabulary]",
    happens=_happens_unembed,
    why=f"{_BY} the last token's vector{_GATHERED}.",
    why_at=_why,
    more=("A large dot product says that the vector fits."),
    example="next_token",
    plan=_plan_unembed,
    sized=_sized_unembed,
    general=General(x="x"),
    mistakes=(
        Mistake(
            "from_the_first",
            "Taking the first token's vector instead of the last.",
            instead(
                lambda place: None if place.scenario.prediction.head else _row_of(place, 0, "last")
            ),
        ),
        Mistake(
            "logits_not_changed",
            "Leaving the logits as they are, although they are to be multiplied or capped.",
            in_last(by(Same(), "logits"), "scaled_logits", "capped_logits"),
        ),
        Mistake(
            "cap_not_divided",
            "Taking the tanh of the logit as it is, without dividing by the cap before and"
            " multiplying by it after.",
            wrong(by(Activate("tanh")), "capped_logits"),
        ),
    ),
    backward=Backward(
        "the logits",
        "A step against the gradient moves a vector towards its target's column and away from the"
        " others.",
        usual_mistakes=MISTAKES_BACK,
    ),
)


TEMPERATURE: Key[Decimal | None] = Key("temperature", POSITIVE, "what logits are divided by")
TOP_K: Key[int | None] = Key("top_k", COUNT, "how many of the most likely tokens are kept")
TOP_P: Key[Decimal | None] = Key(
    "top_p", NumberKind(positive=True, most=1), "the share that the kept tokens reach"
)

_PROBABILITIES = Name("probabilities")


def _plan_predict(place: Place) -> tuple[Definition, ...]:
    settings = place.scenario.prediction.config
    temperature, top_k, top_p = settings.get(TEMPERATURE), settings.get(TOP_K), settings.get(TOP_P)
    made, x = list[Definition](), place.x
    if temperature is not None:
        divide, blame = DivideBy(Number.written(temperature)), place.name("temperature")
        made.append(Definition(place.name("tempered"), divide, (x,), blame=blame))
        x = made[-1].name
    if top_k is not None:
        kept, filtered = place.name("kept"), place.name("filtered")
        made.append(Definition(kept, TopK(top_k), (x,)))
        made.append(Definition(filtered, Masked(), (x, kept)))
        x = filtered
    made += softmax(place, x, _PROBABILITIES, "predict")
    if top_p is not None:
        nucleus, total = place.name("nucleus"), place.name("nucleus_sum")
        operands = (_PROBABILITIES, nucleus)
        made.append(Definition(nucleus, Nucleus(Number.written(top_p)), (_PROBABILITIES,)))
        made.append(Definition(total, KeptSum(), operands))
        made.append(Definition(place.name("renormalized"), KeptShare(), (*operands, total)))
    return tuple(made)


def _happens(place: Place) -> str:
    settings = place.scenario.prediction.config
    temperature, top_k, top_p = settings.get(TEMPERATURE), settings.get(TOP_K), settings.get(TOP_P)
    texts = ["A softmax turns the logits into probabilities"]
    if top_k is not None:
        texts.insert(0, f"Only the {top_k} largest logits are kept")
    if temperature is not None:
        effect = "below 1 it favours likely tokens, above 1 it makes all more alike"
        texts.insert(0, f"The logits are divided by the temperature {temperature}: {effect}")
    if top_p is not None:
        texts.append(
            f"The fewest most likely tokens that reach {top_p} together are kept, and their"
            " probabilities are divided by their sum"
        )
    return ". ".join(texts) + "."


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
            "how the probabilities of the next token are computed from the logits:"
            " `{temperature: 0.8, top_k: 40, top_p: 0.9}`, applied in this order",
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
        "In training, the model has been made to predict the next token of much text, and so has"
        " learned which tokens follow which. Logits may be negative and add up to anything, while"
        " the softmax makes positive shares of them, in the same order. The greedy choice is the"
        " most likely token. Sampling takes each token as often as its probability says. Top-k,"
        " top-p and a temperature below 1 keep samples away from unlikely tokens. A temperature"
        " above 1 does the opposite, one near 0 leaves nearly nothing but the greedy choice, and 1"
        " changes nothing. The chosen token goes to the end of the text, and the model is asked"
        " again."
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
    why="Logits may be any numbers, while probabilities say how sure the model is of each answer.",
    more=(
        "The largest probability is the model's answer: that of a class, or of the token that"
        " belongs in a place."
    ),
    example="masked_word",
    plan=lambda place: softmax(place, place.x, _PROBABILITIES, "classify"),
    adds_up_to_one=("probabilities",),
    pictures=("softmax_bars",),
)
