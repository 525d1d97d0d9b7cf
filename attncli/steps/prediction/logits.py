"""From the last vectors to logits, probabilities and the next token.

* head: what a model does with its last vectors, before any logits. BERT's for masked words,
  dense, activation, norm, and its pooler, the first token's vector through a dense layer and tanh:
  Devlin et al. 2018, arXiv:1810.04805.
* unembed: from vectors to logits: one number for each token of the vocabulary. Tied to the
  embeddings: Press & Wolf 2016, arXiv:1608.05859.
* predict: the probabilities of the next token. Top-k: Fan et al. 2018, arXiv:1805.04833. Top-p:
  Holtzman et al. 2019, arXiv:1904.09751. Min-p: Nguyen et al. 2024, arXiv:2407.01082. The penalty
  for repetition: Keskar et al. 2019, arXiv:1909.05858.
* classify: those of what doesn't come next: classes, or which token belongs in a place.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from attncli.maths.equations.tree import Number
from attncli.maths.numbers import decimals
from attncli.maths.operations.activations import (
    ACTIVATIONS,
    Activate,
    DivideBy,
    Multiply,
    MultiplyBy,
    SoftCap,
)
from attncli.maths.operations.masking import Masked
from attncli.maths.operations.prediction import (
    AtLeast,
    AtLeastOfKept,
    Cumulative,
    DividedByPenalty,
    DrawnToken,
    KeptShare,
    KeptSum,
    LogProbability,
    NewTokens,
    Nucleus,
    Penalized,
    ScoreSoFar,
    TopK,
)
from attncli.maths.operations.rearranging import Same, TakeRows
from attncli.maths.operations.softmax import DivideByRow, DivideByRowSum, RowMax
from attncli.names import Name
from attncli.scenario.file.keys import (
    COUNT,
    NUMBER,
    POSITIVE,
    SHARE,
    Choice,
    Either,
    Key,
    ListOf,
    Needs,
    NumberKind,
    Record,
    WholeNumber,
)
from attncli.scenario.file.matrices import MATRIX, VECTOR
from attncli.scenario.file.nodes import Map, Scalar
from attncli.scenario.file.problems import Objections
from attncli.scenario.tokenizers.settings import TOKEN
from attncli.steps.attention.weights import IN_SOFTMAX, softmax
from attncli.steps.block.norms import NORM
from attncli.steps.linear import MISTAKES_BACK, layer_of, linear
from attncli.steps.mistakes import WENT_IN, as_a, by, in_last, instead, left_out, remade, wrong
from attncli.steps.step import Backward, Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Axis, Definition, Place
from attncli.trace.quantity import distinct_tokens

_WHOSE = {"last": "The last token's vector", "first": "The first token's vector",
          "every": "Each token's vector"}  # fmt: skip


def chosen(place: Place, row: int | None = None) -> Definition | None:
    """Defines the row of one token, by default of that which is asked for; returns None where all
    are."""
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
    """Returns the row of one token, of as many as there are, if that is what was planned; otherwise
    what was planned."""
    return row if row is not None and row.name == planned.name else planned


def whose(place: Place) -> str:
    """Says whose vector goes on: `The last token's vector`."""
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
    """Defines the row of another token, where the first or the last one is asked for, as `which`
    says; otherwise returns None."""
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
    words=Wording(
        title="Head",
        does="prepares the last vectors for one task",
        shapes="x [n, d_model], W [d_model, d] → hidden [n, d] → activated [n, d]",
        happens=_happens_head,
        why="A head prepares the last vectors of a model for one task.",
        more=(
            "A head is small and learned with its task, such as finding a hidden word or the class"
            " of a sentence or a picture."
        ),
    ),
    results=Results(
        names=("last", "first", "hidden", "activated"),
        nouns={"hidden": "hidden layer", "activated": "activated layer"},
        plan=_plan_head,
        sized=lambda place, planned: sized_row(chosen(place), planned),
    ),
    formulas=Formulas(x="x", gives=("b",)),
    example=Example("masked_word"),
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
        example=Example("masked_word", ("targets=[I, love, AI]",)),
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
    """Yields the logits multiplied and capped, as far as that is said."""
    prediction = place.scenario.prediction
    if prediction.logits.scale is not None:
        multiply = MultiplyBy(Number.written(prediction.logits.scale))
        yield Definition(place.name("scaled_logits"), multiply, (x,))
        x = place.name("scaled_logits")
    if prediction.logits.softcap is not None:
        cap = SoftCap(Number.written(prediction.logits.softcap))
        yield Definition(place.name("capped_logits"), cap, (x,))


def _logits(place: Place, x: Name) -> Definition:
    tied = place.scenario.prediction.logits.unembedding == "tied"
    matrix = place.text.table.name if tied else _UNEMBEDDING
    out_in = tied or place.stack.config.linear
    operation, operands = layer_of(place, x, matrix, Name("b_U"), out_in=out_in)
    return Definition(place.name("logits"), operation, operands, blame=_UNEMBEDDING)


def _sized_unembed(place: Place, planned: Definition) -> Definition:
    """Returns the row that is asked for, of as many as there are, or the logits with the names of
    the vocabulary's tokens, if they are as many; otherwise what was planned."""
    vocabulary, width = place.scenario.prediction.logits.vocabulary, place.width(planned.name)
    if planned.name == place.name("logits") and width == len(vocabulary):
        return planned._replace(columns=Axis(vocabulary, _VOCABULARY))
    return sized_row(chosen(place), planned)


def _happens_unembed(place: Place) -> str:
    prediction = place.scenario.prediction
    which = "The head's output" if prediction.head else whose(place)
    matrix = "the transposed table of embeddings" if prediction.logits.unembedding == "tied" else (
        "the unembedding"
    )  # fmt: skip
    what = "class" if prediction.of_classes else "token of the vocabulary"
    text = f"{which} is multiplied by {matrix}: a logit for each {what}."
    if prediction.logits.scale is not None:
        text += f" Each logit is multiplied by {_text(prediction.logits.scale)}."
    if prediction.logits.softcap is not None:
        cap = _text(prediction.logits.softcap)
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
    """Says why, where the next token is looked for, and what a vector knows by then."""
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
    words=Wording(
        title="Logits",
        does="compares the last vector with each token of the vocabulary",
        shapes="x [n, d_model], unembedding [d_model, vocabulary] → logits [1, vocabulary]",
        happens=_happens_unembed,
        why=f"{_BY} the last token's vector{_GATHERED}.",
        more=("A large dot product says that the vector fits."),
        why_at=_why,
    ),
    results=Results(
        names=("last", "first", "logits", "scaled_logits", "capped_logits"),
        nouns={"logits": "logit", "scaled_logits": "scaled logit", "capped_logits": "capped logit"},
        plan=_plan_unembed,
        sized=_sized_unembed,
    ),
    formulas=Formulas(x="x"),
    example=Example("next_token"),
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


PENALTY: Key[Decimal | None] = Key(
    "repetition_penalty",
    POSITIVE,
    "what the logits of tokens that occurred already are divided by where they are positive, and"
    " multiplied by where they aren't",
)
TEMPERATURE: Key[Decimal | None] = Key("temperature", POSITIVE, "what logits are divided by")
TOP_K: Key[int | None] = Key("top_k", COUNT, "how many of the most likely tokens are kept")
TOP_P: Key[Decimal | None] = Key(
    "top_p", NumberKind(positive=True, most=1), "the share that the kept tokens reach"
)
MIN_P: Key[Decimal | None] = Key(
    "min_p",
    NumberKind(positive=True, most=1),
    "the share of the largest probability that a kept token has at least",
)
_DRAWS = ListOf(SHARE)
DRAW: Key[Decimal | tuple[Decimal, ...] | None] = Key(
    "draw",
    Either(lambda n: SHARE if isinstance(n, Scalar) else _DRAWS, (SHARE, _DRAWS)),
    "a number between 0 and 1 that draws the next token: the first whose cumulative probability"
    " exceeds it; or a list with one for each token that is generated",
)
DRAW_ORDER = Key(
    "draw_order",
    Choice(("vocabulary", "probability")),
    "the order in which probabilities are added up for a draw: that of the `vocabulary` (the"
    " default), or of `probability`, the largest first",
)
SAMPLING = (PENALTY, TEMPERATURE, TOP_K, TOP_P, MIN_P, DRAW, DRAW_ORDER)
CHANGES_LOGITS = SAMPLING[:3]

_TOKENS = WholeNumber(1, 50)
_RECORD = Record.of(
    Key("tokens", _TOKENS, "how many tokens"),
    Key(
        "beams",
        WholeNumber(2, 16),
        "beam search: each step continues from so many texts, those whose tokens have the largest"
        " sums of log-probabilities",
    ),
    Key(
        "cache",
        Record.of(Key("bytes", POSITIVE, "how many bytes a number of the cache takes, such as 2"),
                  needs=Needs("cache", ("bytes",), "{bytes: 2}")),
        "keys and values are kept: the first pass works all tokens (prefill), each later one the"
        " new token alone (decode)",
    ),
    needs=Needs("generate", ("tokens",), "{tokens: 3, beams: 2}"),
)  # fmt: skip

_PROBABILITIES = Name("probabilities")


def _check_predict(place: Place) -> Objections:
    """Complains of what stands in the way of penalties and draws."""
    prediction, settings = place.scenario.prediction, place.scenario.prediction.config
    if settings.says(PENALTY) and not _repeated(place):
        wrong = "no token of the vocabulary has occurred, which the penalty would be for"
        yield settings.at(PENALTY), wrong, "give tokens, and the vocabulary"
    count = max(prediction.generation.length, 1)
    if settings.says(DRAW) and len(prediction.draws) < count:
        wrong = f"{len(prediction.draws)} numbers to draw {count} tokens by"
        yield settings.at(DRAW), wrong.replace("1 numbers", "one number"), f"give a list of {count}"
    for key in (TOP_K, TOP_P, MIN_P, DRAW) if prediction.generation.beams else ():
        if settings.says(key):
            wrong = f"{key.name} beside beams, which are the most likely of all tokens"
            yield settings.at(key), wrong, "leave one of them out"


def _repeated(place: Place) -> tuple[int, ...]:
    """Returns the places in the vocabulary of the text's tokens."""
    vocabulary = place.scenario.prediction.logits.vocabulary
    tokens = place.scenario.tokens_so_far
    return tuple(vocabulary.index(t) for t in tokens if t in vocabulary)


def _plan_predict(place: Place) -> tuple[Definition, ...]:
    made = [*_changed_logits(place)]
    made += softmax(place, made[-1].name if made else place.x, _PROBABILITIES, "predict")
    made += _kept_shares(place)
    prediction = place.scenario.prediction
    settings, score = prediction.config, prediction.generation.score
    if prediction.generation.beams:
        log_p = place.name("log_p")
        made.append(Definition(log_p, LogProbability(), (made[-1].name,)))
        if score is not None:
            made.append(Definition(place.name("score"), ScoreSoFar(score), (log_p,)))
    if settings.says(DRAW):
        ranked, sums = settings.get(DRAW_ORDER) == "probability", place.name("cumulative")
        p, u = made[-1].name, Number.written(prediction.draws[0])
        made.append(Definition(sums, Cumulative(ranked), (p,)))
        blame = settings.at(DRAW)
        made.append(Definition(place.name("drawn"), DrawnToken(u, ranked), (p, sums), blame=blame))
    return tuple(made)


def _changed_logits(place: Place) -> Iterator[Definition]:
    """Yields the logits as the penalty, the temperature and top-k leave them."""
    settings, x = place.scenario.prediction.config, place.x
    penalty, temperature = settings.get(PENALTY), settings.get(TEMPERATURE)
    top_k = settings.get(TOP_K)
    if penalty is not None:
        new, penalized = place.name("new"), place.name("penalized")
        yield Definition(new, NewTokens(_repeated(place)), (x,))
        yield Definition(penalized, Penalized(Number.written(penalty)), (x, new))
        x = penalized
    if temperature is not None:
        divide, blame = DivideBy(Number.written(temperature)), place.name("temperature")
        yield Definition(place.name("tempered"), divide, (x,), blame=blame)
        x = place.name("tempered")
    if top_k is not None:
        kept, filtered = place.name("kept"), place.name("filtered")
        yield Definition(kept, TopK(top_k), (x,))
        yield Definition(filtered, Masked(), (x, kept))


def _kept_shares(place: Place) -> Iterator[Definition]:
    """Yields the probabilities that top-p and min-p keep, and their shares."""
    settings = place.scenario.prediction.config
    top_p, min_p, kept = settings.get(TOP_P), settings.get(MIN_P), place.name("nucleus")
    if top_p is not None:
        yield Definition(kept, Nucleus(Number.written(top_p)), (_PROBABILITIES,))
    if min_p is not None:
        most, least = place.name("largest"), place.name("threshold")
        yield Definition(most, RowMax(), (_PROBABILITIES,))
        yield Definition(least, MultiplyBy(Number.written(min_p)), (most,))
        likely, of_kept = place.name("likely"), (_PROBABILITIES, least, kept)
        alone = Definition(likely, AtLeast(), of_kept[:2])
        yield alone if top_p is None else Definition(likely, AtLeastOfKept(), of_kept)
        kept = likely
    if top_p is not None or min_p is not None:
        total, operands = place.name(f"{kept.local}_sum"), (_PROBABILITIES, kept)
        yield Definition(total, KeptSum(), operands)
        yield Definition(place.name("renormalized"), KeptShare(), (*operands, total))


_DIVIDED = "are kept, and their probabilities are divided by their sum"
_SAID: tuple[tuple[Key[object] | None, str], ...] = (
    (PENALTY, "Logits of tokens that occurred already are divided by {} where they are positive,"
     " and multiplied by it where they aren't"),
    (TEMPERATURE, "The logits are divided by the temperature {}: below 1 it favours likely tokens,"
     " above 1 it makes all more alike"),
    (TOP_K, "Only the {} largest logits are kept"),
    (None, "A softmax turns the logits into probabilities"),
    (TOP_P, f"The fewest most likely tokens that reach {{}} together {_DIVIDED}"),
    (MIN_P, f"Tokens with at least {{}} times the largest probability {_DIVIDED}"),
)  # fmt: skip


def _happens(place: Place) -> str:
    prediction, settings = place.scenario.prediction, place.scenario.prediction.config
    said = ((key, text) for key, text in _SAID if key is None or settings.says(key))
    texts = [text if key is None else text.format(settings.get(key)) for key, text in said]
    if settings.says(DRAW):
        ranked = settings.get(DRAW_ORDER) == "probability"
        along = "from the most likely on" if ranked else "in the order of the vocabulary"
        texts += [
            f"The probabilities are added up {along}",
            f"The first sum above the given number {prediction.draws[0]} draws its token, so that"
            " each token has as much room as its probability says",
        ]
    if prediction.generation.beams:
        texts.append("A beam's score is the sum of the log-probabilities of its new tokens")
    return ". ".join(texts) + "."


_WHICH_ORDER = (
    "Adding the probabilities up in the order of the vocabulary instead of from the most likely"
    " on.",
    "Adding the probabilities up from the most likely on instead of in the order of the"
    " vocabulary.",
)
_OF_SAMPLING: tuple[Mistake[Any], ...] = (
    Mistake(
        "penalty_divides_all",
        "Dividing negative logits by the penalty too, which makes their tokens more likely.",
        wrong(as_a(DividedByPenalty), "penalized"),
    ),
    Mistake(
        "shares_not_divided",
        "Leaving the kept probabilities as they are, so that they don't add up to 1.",
        wrong(by(Multiply, 0, 1), KeptShare),
    ),
    Mistake(
        "other_order",
        "Adding the probabilities up in the order of the vocabulary where they go from the most"
        " likely on, or the other way round.",
        wrong(remade(lambda own, _: Cumulative(not own.ranked)), "cumulative"),
        lambda _, made: _WHICH_ORDER[made.operation == Cumulative(ranked=True)],
    ),
)


_OF_PREDICT = (
    "new", "penalized", "tempered", "kept", "filtered", "exp", "exp_sum", "probabilities",
    "nucleus", "largest", "threshold", "likely", "nucleus_sum", "likely_sum", "renormalized",
    "cumulative", "drawn", "log_p", "score",
)  # fmt: skip

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
            Record.of(*SAMPLING),
            "how the probabilities of the next token are computed from the logits, and which one"
            " is drawn: `{repetition_penalty: 1.2, temperature: 0.8, top_k: 40, top_p: 0.9,"
            " min_p: 0.05, draw: 0.63}`, applied in this order",
        ),
        Key(
            "generate",
            Either(lambda n: _RECORD if isinstance(n, Map) else _TOKENS, (_TOKENS, _RECORD)),
            "how many tokens to generate, greedily or by numbers to `draw` them by; what is given"
            " for one sentence only (a mask's table, `X`, targets) can't go with it. Or how:"
            " `{tokens: 3, cache: {bytes: 2}}`, `{tokens: 3, beams: 2}`",
        ),
        Key("end_token", TOKEN, "with `generate`: the token after which no other one is made"),
    ),
    check=_check_predict,
    words=Wording(
        title="Next token",
        does="turns the logits into probabilities, and chooses the next token",
        shapes="logits [1, vocabulary] → probabilities [1, vocabulary]",
        happens=_happens,
        why="A probability says how likely a token is to come next.",
        more=(
            "In training, the model has been made to predict the next token of much text, and so"
            " has learned which tokens follow which. Logits may be negative and add up to anything,"
            " while the softmax makes positive shares of them, in the same order. The greedy choice"
            " is the most likely token. Sampling takes each token as often as its probability says."
            " Top-k, top-p and a temperature below 1 keep samples away from unlikely tokens. A"
            " temperature above 1 does the opposite, one near 0 leaves nearly nothing but the"
            " greedy choice, and 1 changes nothing. The chosen token goes to the end of the text,"
            " and the model is asked again."
        ),
    ),
    results=Results(
        names=_OF_PREDICT,
        nouns={
            "penalized": "penalized logit",
            "tempered": "tempered logit",
            "probabilities": "probability",
        },
        plan=_plan_predict,
        adds_up_to_one=("probabilities", "renormalized"),
        pictures=("softmax_bars",),
        further_pictures=("temperatures",),
    ),
    formulas=Formulas(x="logits"),
    example=Example("next_token"),
    mistakes=(
        *_OF_SAMPLING,
        Mistake(
            "without_exponentials",
            "Dividing the logits themselves by their sum, without raising e to them.",
            wrong(by(DivideByRowSum, WENT_IN), DivideByRow),
        ),
        *IN_SOFTMAX,
    ),
)


CLASSIFY_STEP = PREDICT_STEP._replace(
    name="classify",
    keys=(),
    check=lambda _: (),
    words=Wording(
        title="Probabilities",
        does="turns the logits of a head, or of classes, into probabilities",
        shapes="logits [n, classes] → probabilities [n, classes]",
        happens=lambda _: "A softmax turns each row of logits into probabilities.",
        why=(
            "Logits may be any numbers, while probabilities say how sure the model is of each"
            " answer."
        ),
        more=(
            "The largest probability is the model's answer: that of a class, or of the token that"
            " belongs in a place."
        ),
    ),
    results=Results(
        names=("exp", "exp_sum", "probabilities"),
        nouns={"probabilities": "probability"},
        plan=lambda place: softmax(place, place.x, _PROBABILITIES, "classify"),
        adds_up_to_one=("probabilities",),
        pictures=("softmax_bars",),
    ),
    example=Example("masked_word"),
    mistakes=PREDICT_STEP.mistakes[len(_OF_SAMPLING) :],
)
