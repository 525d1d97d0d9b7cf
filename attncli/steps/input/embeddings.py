"""From a text or a picture to vectors, one a token.

* tokenize: from a sentence to tokens and their IDs.
* embed: from IDs to vectors.
* patch: from the patches of a picture to vectors, with a class token in front. Dosovitskiy et al.
  2020, arXiv:2010.11929, 3.1.
* project_in: from the width of the embeddings to that of the model. Before positions are added: OPT
  of 350 million parameters (Zhang et al. 2022, arXiv:2205.01068). After the norm: ALBERT's
  factorized embeddings (Lan et al. 2019, arXiv:1909.11942, 3.1), ELECTRA (Clark et al. 2020,
  arXiv:2003.10555, 3.2).
* project_out: from the width of the model back to that of the embeddings, which the logits are made
  with. OPT of 350 million parameters: Zhang et al. 2022, arXiv:2205.01068.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from attncli.maths.equations.tree import Apply, Equation, Number, Root, Symbol, at, define
from attncli.maths.operations.activations import MultiplyBy
from attncli.maths.operations.attention import Linear, MatMul
from attncli.maths.operations.rearranging import JoinRows, Same, TakeRows
from attncli.names import Name, Word, WordedText, below
from attncli.scenario.file.address import write_index
from attncli.scenario.file.keys import (
    COUNT,
    POSITIVE,
    Choice,
    Either,
    Key,
    Kind,
    ListOf,
    MapOf,
    Record,
    TextKind,
    WholeNumber,
    word_or,
)
from attncli.scenario.file.matrices import MATRIX, NAMED, VECTOR, VectorKind
from attncli.scenario.file.nodes import Map, Node, Scalar
from attncli.scenario.file.problems import Objections
from attncli.scenario.file.sources import SourceKind, is_source
from attncli.scenario.model import (
    CONVOLUTIONS,
    CONVOLVE,
    PROJECT,
    TokenizedText,
    makes_X,
    projected_when,
    steps_to_X,
)
from attncli.scenario.tokenizers.settings import TOKEN, TOKENIZING, tokenizer_kind
from attncli.steps.linear import MISTAKES_BACK, linear, rows_for_columns, without_bias
from attncli.steps.mistakes import instead, turned_round, wrong
from attncli.steps.step import Backward, Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Axis, Definition, Place
from attncli.trace.quantity import counted, distinct_tokens


def _happens_tokenize(place: Place) -> str | WordedText:
    cut = "The tokens are given"
    if only_numbered(place.text):
        cut += f" without words: they are called 1 to {len(place.text.tokens)}"
    if place.text.cut:
        cut = tokenizer_kind(place.text.tokenizer).explained
    looked_up = ". Each token's ID is looked up in the vocabulary"
    text = f"{cut}{looked_up if place.text.ids else ''}."
    return text if place.text.tokenizing else (text, *_distinct_phrase(place.text.tokens))


def only_numbered(text: TokenizedText) -> bool:
    """Tells whether tokens are given that have no other names than their positions."""
    named = text.tokens != counted(len(text.tokens)) or text.ids or text.cut
    return len(text.tokens) > 1 and not named


def _distinct_phrase(tokens: tuple[str, ...]) -> WordedText:
    """Says how a token is called that comes more than once."""
    again = next((token for token, count in Counter(tokens).items() if count > 1), None)
    named = zip(distinct_tokens(tokens), tokens, strict=True)
    names = [Word(name) for name, token in named if token == again]
    if again is None:
        return ()
    text = " Tokens that occur more than once are distinguished by their positions: “"
    return (text, names[0], "” and “", names[1], "”.")


def _formulas(place: Place) -> tuple[Equation, ...]:
    tokens = define("tokens", Apply("tokenize", (Symbol("sentence"),)))
    ids = define("ids", at("vocabulary", "tokens"))
    with_ids = (ids,) if place.text.ids or not place.text.tokens else ()
    return (tokens, *with_ids) if place.text.cut else with_ids


_ID = WholeNumber(0, 10**9, "give the token's ID here, and its vector under embeddings")

TOKENIZE_STEP = Step(
    name="tokenize",
    at=Place,
    keys=(
        Key("sentence", TextKind("a sentence"), "the text that is worked on"),
        *TOKENIZING,
        Key("tokens", ListOf(TOKEN), "the tokens themselves, instead of cutting the sentence"),
        Key("vocabulary", MapOf(_ID, "token"), "token → ID"),
        Key(
            "ids",
            ListOf(WholeNumber(0, 10**9)),
            "the tokens by their IDs, instead of a sentence or tokens; without a vocabulary they"
            " are called by these",
        ),
    ),
    words=Wording(
        title="Tokens",
        does="cuts the text into tokens and looks up their IDs",
        shapes="a sentence → n tokens → n whole numbers",
        happens=_happens_tokenize,
        why=(
            "A network works on numbers, so a text is cut into tokens: pieces that have a place in"
            " the model's vocabulary."
        ),
        more=(
            "The vocabulary is the list of all tokens that the model knows, and a token's ID is its"
            " place in it. The ID is only a name: a larger one isn't more."
        ),
    ),
    results=Results(names=("tokens", "ids"), plan=lambda _: (), pictures=("merge_trees",)),
    formulas=Formulas(own=_formulas),
)


ONE_HOT = "one_hot"
_ONE_HOT = Choice((ONE_HOT,), "a map from token to vector, or rows by ID")
_TOKEN_VECTORS = MapOf(VectorKind(inline=True), "token")


def _embeddings(node: Node) -> Kind[object]:
    if isinstance(node, Scalar):
        return _ONE_HOT
    return _TOKEN_VECTORS if isinstance(node, Map) and not is_source(node) else MATRIX


EMBEDDING_SCALE: Key[str | Decimal] = Key(
    "embedding_scale",
    word_or(("sqrt_d_model", "none"), POSITIVE),
    "what embeddings are multiplied by: `none` (the default), `sqrt_d_model`, or a number",
    "none",
)

_TOKENS = "token"
_ROOT = Root(Symbol("d_model"))


_ADDED = (*CONVOLUTIONS, "embedding_scale", "segments", "embedding_norm", "project_in")


def _check_embed(place: Place) -> Objections:
    """Complains of what is added to embeddings where X itself is given."""
    stack, data = place.stack, place.stack.config.values
    added = [key for key in _ADDED if key in data]
    added += ["positions"] if any(p.is_added for p in stack.positions) else []
    for key in added if "X" in data else ():
        wrong = f"{key} goes into X, and X itself is given"
        yield below(stack.path, key), wrong, "give embeddings instead of X, or leave it out"


def _is_scaled(place: Place) -> bool:
    return place.stack.config.get(EMBEDDING_SCALE) != "none"


def embedded(place: Place) -> Name:
    """Returns the full name of what is looked up: X, where nothing else is done to it."""
    return place.name("E" if steps_to_X(place.stack) or _is_scaled(place) else "X")


def _plan_embed(place: Place) -> tuple[Definition, ...]:
    found = _look_up(place, embedded(place), place.text.rows_of_tokens)
    if not _is_scaled(place):
        return (found,)
    scaled = place.name("scaled_E" if steps_to_X(place.stack) else "X")
    scale = place.stack.config.get(EMBEDDING_SCALE)
    factor = Number.written(scale) if isinstance(scale, Decimal) else _ROOT
    needs = (Name("d_model"),) if factor is _ROOT else ()
    return found, Definition(scaled, MultiplyBy(factor), (found.name,), needs=needs)


def _sized(place: Place, planned: Definition) -> Definition:
    d_model = place.width(place.name("X"))
    if d_model is None or planned.needs != (Name("d_model"),):
        return planned
    return planned._replace(operation=MultiplyBy(Root(Number.written(d_model)), _ROOT), needs=())


def _look_up(place: Place, name: Name, rows: tuple[int, ...]) -> Definition:
    text = place.text
    names = (
        text.table.row_names[row] if row < len(text.table.row_names) else str(row) for row in rows
    )
    keys = tuple(names if text.table.by_id else map(write_index, names))
    by = "ids" if text.table.by_id else "tokens"
    tokens = Axis(distinct_tokens(text.tokens), _TOKENS)
    needs = (Name("sentence"),) if not text.tokens and place.scenario.gives(text.table.name) else ()
    operation = TakeRows(rows, keys, by)
    return Definition(name, operation, (text.table.name,), rows=tokens, needs=needs)


def _next_rows(place: Place) -> Definition | None:
    height = place.height(place.text.table.name)
    if height is None:
        return None
    rows = tuple((row + 1) % height for row in place.text.rows_of_tokens)
    return _look_up(place, embedded(place), rows)


def _happens_embed(place: Place) -> str:
    scale = place.stack.config.get(EMBEDDING_SCALE)
    text = "Each token picks its row of the embedding table"
    if isinstance(scale, Decimal):
        text += ", and every number is multiplied by the number that the scenario gives"
    elif scale != "none":
        text += ", and every number is multiplied by √d_model"
    return f"{text}." if steps_to_X(place.stack) else f"{text}: its input embedding."


_WHY = (
    "An embedding is a vector of {} numbers: a point in a space where training brings words close"
    " together that are used alike."
)

EMBED_STEP = Step(
    name="embed",
    at=Place,
    keys=(
        Key(
            "embeddings",
            Either(_embeddings, (_TOKEN_VECTORS, MATRIX, SourceKind(2), _ONE_HOT)),
            "token → vector; or a matrix whose rows are counted by ID from 0, or without a "
            "vocabulary one with a row for each token, in order; or `one_hot`: "
            "vectors with a single 1, in the place of the token among the IDs, or among the "
            "tokens",
        ),
        Key("X", NAMED, "the input embeddings themselves, [n, d_model]"),
        Key("d_model", COUNT, "the columns of X, for random matrices"),
        Key(
            "features",
            ListOf(TOKEN),
            "the names of the columns of `embeddings` and of `X`, which are counted otherwise",
        ),
        EMBEDDING_SCALE,
    ),
    check=_check_embed,
    words=Wording(
        title="Embeddings",
        does="looks up the vector of each token",
        shapes="n tokens, embeddings [vocabulary, d_model] → X [n, d_model]",
        happens=_happens_embed,
        why=_WHY.format("d_model"),
        more=(
            "A network can calculate with a vector, while an ID is only a name. The table is"
            " learned, as all weight matrices of a network are. It begins with random numbers,"
            " which training on much text moves against their gradients. A gradient says how the"
            " error of the model's predictions grows with a number. Words that stand in like places"
            " are moved alike, and so end up close together. Few dimensions have a meaning"
            " that one could name. Real models have hundreds, which is room for fine differences."
        ),
        why_at=lambda place: _WHY.format("d_embed" if projected_when(place.stack) else "d_model"),
    ),
    results=Results(
        names=("X", "E", "scaled_E"),
        nouns={"X": "embedding", "E": "embedding", "scaled_E": "scaled embedding"},
        plan=_plan_embed,
        sized=_sized,
        pictures=("planes",),
    ),
    mistakes=(
        Mistake(
            "off_by_one",
            "Counting the rows of the table from the wrong number, so that each token gets the"
            " row after its own.",
            instead(_next_rows),
        ),
    ),
    backward=Backward(
        "the embeddings",
        "A token's row of the table gets the sum of the gradients wherever the token stands, and"
        " other rows get none.",
        example=Example("embedding_before_during_after"),
    ),
)


PATCHES = Key(
    "patches",
    NAMED,
    "instead of a sentence: the patches of a picture, a row each, [n, pixels]; without W_patch"
    " their embeddings, [n, d_model]",
)
_INSTEAD = ("sentence", "tokens", "ids", "embeddings", "X")
_OF_PATCHES = ("patches", "W_patch", "b_patch", "class_token")


def _pieces(place: Place) -> str:
    """Returns what goes in, in a word: patches, or the frames of a sound."""
    return "frames" if "frames" in place.stack.config.values else "patches"


def _check_patch(place: Place) -> Objections:
    data, path, pieces = place.stack.config.values, place.stack.path, _pieces(place)
    for key in (*_INSTEAD, *(_OF_PATCHES if pieces == "frames" else ())):
        if key in data:
            wrong = f"{key} beside {pieces}, which go in instead"
            yield below(path, key), wrong, "keep one of them"
    if "embedding_scale" in data:
        wrong = f"embedding_scale is for embeddings of tokens, and {pieces} go in"
        yield below(path, "embedding_scale"), wrong, "leave it out"


def _plan_patch(place: Place) -> tuple[Definition, ...]:
    x = "E" if steps_to_X(place.stack) else "X"
    first = place.gives("class_token")
    made = "patch_embeddings" if first else x
    patches = place.name(_pieces(place))
    if CONVOLVE in steps_to_X(place.stack):
        return (Definition(place.name(x), Same(), (patches,)),)
    if place.gives("W_patch"):
        out_in = place.stack.config.linear
        vectors = [linear(place, made, patches, "_patch", out_in=out_in)]
    else:
        vectors = [] if first else [Definition(place.name(x), Same(), (patches,))]
    if not first:
        return tuple(d._replace(rows=_tokens(place)) for d in vectors)
    below_it = vectors[0].name if vectors else patches
    rows = (place.name("class_token"), below_it)
    return (*vectors, Definition(place.name(x), JoinRows(), rows, rows=_tokens(place)))


def _tokens(place: Place) -> Axis | None:
    names = place.text.tokens
    return Axis(distinct_tokens(names), "token") if names else None


def _happens_patch(place: Place) -> str:
    texts = []
    if place.gives("W_patch"):
        texts.append("Each patch, whose pixels stand in a row, is multiplied by the same matrix")
    if place.gives("class_token"):
        texts.append("A class token, which is learned, comes before the patches")
    return ". ".join(texts or [f"The vectors of the {_pieces(place)} are given"]) + "."


_WHY_PIECES = {
    "patches": "A Transformer reads a picture as a sequence of square patches, each of which"
    " becomes a vector, as a token does.",
    "frames": "A frame of a spectrogram says how loud each pitch is in a moment of the sound.",
}

PATCH_STEP = Step(
    name="patch",
    at=Place,
    keys=(
        PATCHES,
        Key("W_patch", MATRIX, "what patches are multiplied by, [pixels, d_model]"),
        Key("b_patch", VECTOR, "its bias, [d_model]"),
        Key("class_token", VECTOR, "a row that is put before those of the patches, [d_model]"),
        Key(
            "frames",
            NAMED,
            "instead of a sentence: the frames of a sound's spectrogram, a row each, [n, channels],"
            " which convolutions make vectors of",
        ),
    ),
    check=_check_patch,
    words=Wording(
        title="Patches",
        does="makes a vector of each patch of a picture",
        shapes=(
            "patches [n, pixels], W_patch [pixels, d_model] → X [n, d_model], or [n + 1, d_model]"
        ),
        happens=_happens_patch,
        why=_WHY_PIECES["patches"],
        more=(
            "A class token gathers what the patches show of the whole picture. Only the added"
            " positions tell where a patch lies in it."
        ),
        titled=lambda place: _pieces(place).capitalize(),
        why_at=lambda place: _WHY_PIECES[_pieces(place)],
    ),
    results=Results(
        names=("patch_embeddings", "E", "X"),
        nouns={"patch_embeddings": "patch embedding", "E": "embedding", "X": "embedding"},
        plan=_plan_patch,
        pictures=("pixels",),
    ),
    formulas=Formulas(x="patches", gives=("W_patch", "b_patch", "class_token")),
    example=Example("picture"),
    mistakes=(
        Mistake(
            "class_token_behind", "Putting the class token last.", wrong(turned_round, JoinRows)
        ),
    ),
    backward=Backward(
        "the patches",
        "The gradient of W_patch is the pixels times the gradients of the patches' vectors,"
        " summed over all patches.",
        example=Example("picture", ("targets=[rising]",)),
    ),
)


def _projected(place: Place) -> Definition:
    """Defines x W + b. [n, k], [k, m], [m] -> [n, m]"""
    return linear(place, "projected", place.x, "", out_in=place.stack.config.linear)


def _mistakes(other: str, name: str, other_way: str) -> tuple[Mistake[Place], ...]:
    """Returns the mistakes that are made in a projection.

    The last one, of a `name`, takes the matrix of the `other` projection, which goes the other way,
    `other_way`, instead of its own.
    """

    def by_other(definition: Definition, place: Place) -> Definition | None:
        matrix = below(below(place.stack.path, other), "W")
        operation = MatMul() if place.stack.config.linear else Linear()
        is_there = place.scenario.gives(matrix)
        return (
            definition._replace(operation=operation, operands=(place.x, matrix))
            if is_there
            else None
        )

    text = f"Taking the matrix {other_way}, transposed, instead of a matrix of its own."
    return (
        rows_for_columns("W")._replace(name="transposed"),
        Mistake("bias_forgotten", "Leaving out the bias b.", wrong(without_bias)),
        Mistake(name, text, wrong(by_other)),
    )


_PROJECT_IN = Record.of(
    Key("W", MATRIX, "what embeddings are multiplied by, [d_embed, d_model]"),
    Key("b", VECTOR, "its bias, [d_model]"),
    Key(
        "when",
        Choice(("before", "after")),
        "`before` positions are added (the default, as in OPT), or `after` all that is added, and"
        " the norm (ALBERT, ELECTRA)",
        "before",
    ),
)


def _plan_project_in(place: Place) -> tuple[Definition, ...]:
    made, X = _projected(place), below(place.stack.path, "X")
    return (made._replace(name=X) if makes_X(PROJECT, place.stack) else made,)


PROJECT_IN_STEP = Step(
    name="project_in",
    at=Place,
    keys=(
        Key(
            "project_in",
            _PROJECT_IN,
            "embeddings that are narrower than the model, or wider, are multiplied by a matrix:"
            " `{W: …}`, with a bias `b` or without",
        ),
    ),
    words=Wording(
        title="Projection in",
        does="makes the embeddings as wide as the model",
        shapes="E [n, d_embed], W [d_embed, d_model] → projected [n, d_model]",
        happens=lambda place: (
            "Each embedding is multiplied by a matrix that makes it as wide as the model"
            + (": the token's input embedding." if makes_X(PROJECT, place.stack) else ".")
        ),
        why=(
            "Short rows keep the table of embeddings small, however large the vocabulary and"
            " however wide the model."
        ),
        more=(
            "50,000 rows of 1,024 numbers are 51 million numbers. Rows of 512, with a matrix of 512"
            " × 1,024 for all of them, are 26 million. What a token means by itself takes less room"
            " than what it means in a sentence."
        ),
    ),
    results=Results(
        names=("projected", "X"),
        nouns={"projected": "projected embedding", "X": "projected embedding"},
        plan=_plan_project_in,
    ),
    formulas=Formulas(x="E", gives=("b",)),
    example=Example(
        changes=(
            "embeddings={I: [1], love: [-1], AI: [2]}",
            "project_in={W: [[1, 0.5]], b: [0, 1]}",
        )
    ),
    mistakes=_mistakes("project_out", "by_the_matrix_back", "that projects back"),
    backward=Backward(
        "the projection in",
        "All embeddings go through the same matrix, so its gradient is summed over them, and"
        " theirs come back through it.",
        usual_mistakes=MISTAKES_BACK,
        example=Example("i_love_ai"),
    ),
)


_PROJECT_OUT = Record.of(
    Key("W", MATRIX, "what the last states are multiplied by, [d_model, d_embed]"),
    Key("b", VECTOR, "its bias, [d_embed]"),
)


_NARROW = (
    "embeddings={I: [1], love: [-1], AI: [2]}",
    "project_in={W: [[1, 0.5]]}",
    "project_out={W: [[0.5], [-1]]}",
)

PROJECT_OUT_STEP = Step(
    name="project_out",
    at=Place,
    keys=(
        Key(
            "project_out",
            _PROJECT_OUT,
            "the last states, normed or not, are multiplied by a matrix before any logits: `{W:"
            " …}`, with a bias `b` or without, which makes them as wide as embeddings that are the"
            " unembedding too",
        ),
    ),
    words=Wording(
        title="Projection out",
        does="makes the last states as wide as the embeddings",
        shapes="x [n, d_model], W [d_model, d_embed] → projected [n, d_embed]",
        happens=lambda _: (
            "Each token's last state is multiplied by a matrix that makes it as wide as an"
            " embedding."
        ),
        why=(
            "A state can be compared with the embeddings of the vocabulary only if it has as many"
            " numbers as they have."
        ),
        more=(
            "The width comes back by a matrix of its own, since the layers have changed the states."
        ),
    ),
    results=Results(
        names=("projected",),
        nouns={"projected": "projected state"},
        plan=lambda place: (_projected(place),),
    ),
    formulas=Formulas(x="x", gives=("b",)),
    example=Example(changes=_NARROW),
    mistakes=_mistakes("project_in", "by_the_matrix_in", "that embeddings are projected by"),
    backward=Backward(
        "the projection out",
        "The gradient goes back through the same matrix for each token, to a vector as wide as"
        " the model.",
        usual_mistakes=MISTAKES_BACK,
        example=Example("i_love_ai", (*_NARROW, "targets=[[1], [0], [1]]")),
    ),
)
