"""Queries, keys and values, how heads share them, and what comes out of the heads.

* project: (Vaswani et al. 2017, arXiv:1706.03762, 3.2.2).
* split: each head takes its own columns (Vaswani et al. 2017, arXiv:1706.03762, 3.2.2). Heads that
  share keys and values: Shazeer 2019, arXiv:1911.02150; Ainslie et al. 2023, arXiv:2305.13245.
* weighted_sum: the output of a head.
* average: the weights of all heads, averaged, as PyTorch's `MultiheadAttention` returns them.
* merge: the heads' outputs together (Vaswani et al. 2017, arXiv:1706.03762, 3.2.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from attncli.maths.equations.tree import Equation, Number, Symbol, define
from attncli.maths.operations.activations import Add, MeanOf
from attncli.maths.operations.attention import (
    CacheBytes,
    MatMul,
    SumsInPairsOfColumns,
    TransposedWeights,
    WeightedSum,
)
from attncli.maths.operations.rearranging import (
    Interleave,
    JoinColumns,
    JoinRows,
    Same,
    TakeColumns,
    TakeEvery,
)
from attncli.names import Name, below
from attncli.scenario.file.keys import (
    COUNT,
    POSITIVE,
    Choice,
    Either,
    Flag,
    Key,
    ListOf,
    Needs,
    Record,
    WholeNumber,
)
from attncli.scenario.file.matrices import MATRIX, NAMED, VECTOR
from attncli.scenario.file.nodes import Items
from attncli.scenario.file.problems import Objections
from attncli.scenario.tokenizers.settings import TOKEN
from attncli.steps.linear import MISTAKES_BACK, bias_left_out, linear, rows_for_columns
from attncli.steps.mistakes import (
    all_wrong,
    as_a,
    by,
    instead,
    left_out,
    operand,
    remade,
    turned_round,
    wrong,
)
from attncli.steps.order import HEAD
from attncli.steps.step import (
    Backward,
    Example,
    Formulas,
    Mistake,
    Prominence,
    Results,
    Step,
    Wording,
)
from attncli.trace import AttentionPlace, Definition, HeadPlace

_CACHE = Record.of(
    Key("tokens", ListOf(TOKEN), "the tokens that come before the new ones"),
    Key("K", NAMED, "their keys, [c, kv_heads · d_k]"),
    Key("V", NAMED, "their values, [c, kv_heads · d_v]"),
    Key(
        "bytes",
        POSITIVE,
        "how many bytes a number of the cache takes, such as 2: the page works out what all layers"
        " keep, and what the new tokens add",
    ),
    needs=Needs("cache", ("K", "V"), "{K: [[1, 0]], V: [[0, 1]]}"),
)
_LAYOUT = Key(
    "weights_layout",
    Choice(("row", "linear", "torch")),
    "`row`: weights are in × out, used as x W (the default of attention); `linear`: out × "
    "in, as `nn.Linear` keeps them, used as x Wᵀ (the default of cells, whose vectors are "
    "columns: W x); `torch`: those of a cell, stacked as PyTorch keeps them",
    shared=True,
    inherited=True,
)

_NAMES = ("Q", "K", "V")
_SEPARATE = {"Q": "queries", "K": "keys", "V": "values"}
ROLES = {"Q": "Q", "K": "K", "V": "K"}


def _check_project(place: AttentionPlace) -> Objections:
    """Complains of matrices stacked as those of a cell, where none is meant, and of a cache where
    tokens see later ones."""
    settings, scenario = place.attention.config, place.scenario
    if settings.layout == "torch" and not scenario.writes(below(place.layer.path, "cell")):
        wrong = "torch is how recurrent cells are stacked"
        yield settings.at(_LAYOUT), wrong, "say linear for attention, or cell: rnn for a cell"
    if scenario.prediction.generation.cache_bytes is not None and _sees_later_ones(place):
        wrong = "a cache, and tokens that see later ones, by which their keys and values change"
        yield "generate.cache", wrong, "say mask: causal, or leave the cache out"


def _sees_later_ones(place: AttentionPlace) -> bool:
    """Tells whether what a token hands on to a later layer depends on tokens after it."""
    from attncli.steps.attention.masks import mask_rules  # which pages without masks do without

    causal = [rule for rule in mask_rules(place.attention) if rule.kind == "causal"]
    from_top = any(rule.from_top for rule in causal)
    return from_top or (len(place.stack.layers) > 1 and not causal)


def input_of(place: AttentionPlace, name: str) -> Name:
    """Returns the name of what Q, K or V, or its latent vectors, are made of: the memory for keys
    and values that come from one."""
    separate = below(place.stack.path, _SEPARATE[name])
    if place.attention is place.stack.layers[0].attention and place.scenario.gives(separate):
        return separate
    return place.x if name == "Q" else place.source


def latent_of(place: AttentionPlace, name: str) -> Name | None:
    """Returns the name of the latent vectors that Q, K or V is made of; None where it isn't."""
    of, latent = "Q" if name == "Q" else "KV", place.attention.latent
    if not place.scenario.gives(below(latent, f"W_D{of}")):
        return None
    is_normed = place.scenario.gives(below(latent, f"gamma_{of}"))
    return below(place.attention.path, f"normed_c_{of}" if is_normed else f"c_{of}")


def is_decoupled(place: AttentionPlace) -> bool:
    """Tells whether only a part of each query and key turns, which has matrices of its own."""
    return place.scenario.gives(below(place.attention.latent, "W_KR"))


def turning(place: AttentionPlace, name: str) -> Name:
    """Returns the full name of the queries or the keys, or of that part of them, that turns."""
    if not is_decoupled(place):
        return place.latest(name)
    return below(place.path if name == "Q" else place.attention.path, f"{name}_R")


def _input(place: AttentionPlace, name: str) -> Name:
    return latent_of(place, name) or input_of(place, name)


def _takes_embeddings(place: AttentionPlace) -> bool:
    """Tells whether Q, K and V are all made of X; past the first layer it is another layer's
    output."""
    X = below(place.stack.path, "X")
    return all(_input(place, name) == X for name in _NAMES)


def _definition(place: AttentionPlace, name: str, of: Name | None = None) -> Definition:
    """Defines Q, K or V, made `of` something else than it should be where that is said."""
    x = of or _input(place, name)
    cached = name != "Q" and place.attention.cached is not None
    made = f"{name}_new" if cached else name
    if not place.attention.projects:
        definition = Definition(place.name(made), Same(), (x,))
    else:
        definition = linear(place, made, x, f"_{name}", out_in=place.attention.config.linear)
    return definition._replace(role=ROLES[name])


def _plan_project(place: AttentionPlace) -> tuple[Definition, ...]:
    definitions = [_definition(place, name) for name in _NAMES]
    for name in ("K", "V") if place.attention.cached is not None else ():
        rows = (below(place.name("cache"), name), place.name(f"{name}_new"))
        definitions.append(Definition(place.name(name), JoinRows(), rows, role="K"))
    return (*definitions, *_of_positions(place), *_sizes(place))


def _of_positions(place: AttentionPlace) -> Iterator[Definition]:
    """Yields the keys and queries of relative positions, by matrices of their own or by W_K and
    W_Q."""
    positions = place.attention.positions.disentangled
    if positions is None:
        return
    for term in positions.terms:
        name, made = ("K", "K_r") if term == "c2p" else ("Q", "Q_r")
        x = below(positions.norm, "normed") if positions.norm else positions.table
        suffix = f"_{name}r" if place.gives(f"W_{name}r") else f"_{name}"
        if place.attention.projects:
            yield linear(place, made, x, suffix, out_in=place.attention.config.linear)
        else:
            yield Definition(place.name(made), Same(), (x,))


def _sizes(place: AttentionPlace) -> Iterator[Definition]:
    """Yields the bytes that the new tokens add to a cache, and those of all of it."""
    each = _bytes_each(place)
    if each is None:
        return
    heads = 1 if place.attention.own_heads else place.attention.kv_heads
    size = CacheBytes(len(place.stack.layers), heads, Number.written(each))
    if place.attention.cached is not None:
        yield Definition(place.name("new_bytes"), size, (place.name("K_new"), place.name("V_new")))
    yield Definition(place.name("cache_bytes"), size, (place.name("K"), place.name("V")))


def _bytes_each(place: AttentionPlace) -> Decimal | None:
    """Returns the bytes of a number of the cache, where they are said for this attention; otherwise
    None.

    Those of the cache that generation keeps are told once, in the first layer.
    """
    kept = place.scenario.prediction.generation.cache_bytes
    if kept is not None and place.layer is place.stack.layers[0]:
        return kept
    each: Decimal | None = place.attention.config.values.get("cache", {}).get("bytes")
    return each


def _by_weights_of(place: AttentionPlace, name: str, other: str) -> Definition | None:
    """Defines Q made by the weights of K, or the other way about; returns None where nothing is
    projected."""
    if not place.attention.projects:
        return None
    own, layer = _definition(place, name), _definition(place, other)
    operands = (own.operands[0], *layer.operands[1:])
    return own._replace(operation=layer.operation, operands=operands)


def _of_the_tokens(place: AttentionPlace, name: str) -> Definition | None:
    """Defines keys or values made of what the queries are made of; returns None where that is the
    same, or not as high."""
    x, own = (_input(place, text) for text in ("Q", name))
    is_latent = latent_of(place, "Q") or latent_of(place, name)
    other = x != own and not is_latent and place.height(x) == place.height(own)
    return _definition(place, name, x) if other else None


def _of_the_queries(place: AttentionPlace, name: str) -> Definition | None:
    """Defines keys or values made of the queries; returns None where these aren't as wide as what
    should be taken."""
    Q, x = place.name("Q"), _input(place, name)
    fits = place.attention.projects and place.width(Q) == place.width(x) is not None
    return _definition(place, name, Q) if fits else None


def _happens_project(place: AttentionPlace) -> str:
    if not place.attention.projects:
        return _taken_as_they_are(place)
    vector = "Each input embedding" if _takes_embeddings(place) else "The vector of each token"
    text = f"{vector} is multiplied by three weight matrices"
    if latent_of(place, "K"):
        text = "Keys and values are computed from the latent vectors, each by a matrix of its own"
    elif place.source != place.x:
        text = (
            "Queries are computed from the tokens, keys and values from the encoder's output, here"
        )
        text += " called memory"
    each, cached = _bytes_each(place), place.attention.cached
    if cached is not None:
        text += ". The cached keys and values of the tokens before come first"
    if each is not None:
        text += (
            ". Those of all tokens are computed and stored (prefill)"
            if cached is None
            else ". Only those of the new tokens are computed, and they are stored in their turn"
        )
        text += (
            ". A cache takes 2 · layers · kv_heads · d_head · tokens numbers, for keys and values"
        )
    if place.attention.positions.disentangled is not None:
        text += ". So are the vectors of relative positions, for their queries Q_r and keys K_r"
    return f"{text}.{_TURNED_OVER if place.attention.config.linear else ''}"


_TURNED_OVER = (
    " The matrices are stored as in nn.Linear, one row for each column of the result, so they are"
    " transposed first."
)


def _taken_as_they_are(place: AttentionPlace) -> str:
    vectors = "input embeddings" if _takes_embeddings(place) else "vectors of the tokens"
    x = place.here(place.x)
    text = "There are no weight matrices, so "
    if place.scenario.gives(below(place.attention.head_path(0), "weights")):
        return (
            f"{text}V is {x} here: the {vectors} themselves are the values. No queries and keys"
            " are needed, since the weights are given."
        )
    if any(_input(place, name) != place.x for name in _NAMES):
        return f"{text}the {vectors} themselves are queries, keys and values."
    return f"{text}Q, K and V are {x} here: the {vectors} themselves are queries, keys and values."


PROJECT_STEP = Step(
    name="project",
    at=AttentionPlace,
    keys=(
        *(
            Key(name, NAMED, f"what {W} of the first attention is applied to, where that isn't X")
            for name, W in (("queries", "W_Q"), ("keys", "W_K"), ("values", "W_V"))
        ),
        Key(
            "memory",
            NAMED,
            "what cross-attention attends to, [m, d_memory]; it may have another length and width",
        ),
        Key(
            "projection",
            Choice(("none",)),
            "`none`: Q = K = V = X",
            shared=True,
        ),
        _LAYOUT,
        Key(
            "W_Q",
            MATRIX,
            "query weights, [d_model, heads · d_k], used as x W_Q; each head takes its run of"
            " columns",
            in_parts=True,
        ),
        Key("W_K", MATRIX, "key weights, [d_model, kv_heads · d_k]", in_parts=True),
        Key("W_V", MATRIX, "value weights, [d_model, kv_heads · d_v]", in_parts=True),
        Key("b_Q", VECTOR, "query bias", in_parts=True),
        Key("b_K", VECTOR, "key bias", in_parts=True),
        Key("b_V", VECTOR, "value bias", in_parts=True),
        Key("W_Qr", MATRIX, "what makes the queries of relative positions, W_Q by default"),
        Key("W_Kr", MATRIX, "what makes their keys, W_K by default"),
        Key("b_Qr", VECTOR, "its bias, with a W_Qr"),
        Key("b_Kr", VECTOR, "its bias, with a W_Kr"),
        Key(
            "cache",
            _CACHE,
            "`{tokens: [...], K: [...], V: [...]}`: keys and values of earlier tokens, both of "
            "them, which the new ones see too",
        ),
        Key("Q", NAMED, "queries, [n, d_k]", in_parts=True),
        Key("K", NAMED, "keys, [m, d_k]", in_parts=True),
        Key("V", NAMED, "values, [m, d_v]", in_parts=True),
        Key(
            "d_k",
            COUNT,
            "the columns of a head's queries and keys, for random matrices; d_model / heads by"
            " default",
            shared=True,
        ),
        Key(
            "d_v",
            COUNT,
            "the columns of a head's values, for random matrices; d_model / heads by default",
            shared=True,
        ),
    ),
    check=_check_project,
    words=Wording(
        title="Queries, keys, values",
        does="makes a query, a key and a value from each token",
        shapes="X [n, d_model] → Q [n, d_k], K [m, d_k], V [m, d_v]",
        happens=_happens_project,
        why=(
            "In attention every token has three roles: its query says what it looks for, its key"
            " what it offers, its value what it passes on."
        ),
        more=(
            "Three learned matrices compute all three from the same vector: the sentence attends to"
            " itself (self-attention). If the embeddings themselves were compared, each word would"
            " match itself and words like it best. With matrices of their own, words that are quite"
            " unlike can match, as a pronoun and its noun. What a token passes on may also differ"
            " from what it is found by."
        ),
    ),
    results=Results(
        names=(*_NAMES, "K_new", "V_new", "Q_r", "K_r", "new_bytes", "cache_bytes"),
        nouns={
            "Q": "query",
            "K": "key",
            "V": "value",
            "K_new": "new key",
            "V_new": "new value",
            "Q_r": "position query",
            "K_r": "position key",
        },
        plan=_plan_project,
        together=(("X", "Input embedding"), ("Q", "Query"), ("K", "Key"), ("V", "Value")),
        roles=(
            ("Query", "what a token looks for", "Who is relevant to me?"),
            ("Key", "what it offers to the others", "This is what I know about."),
            ("Value", "what it passes on when attended to", "This is what I hold."),
        ),
    ),
    prominence=Prominence(on_the_way=True),
    mistakes=(
        *(rows_for_columns(f"W_{x}", x, f"{x}_new", in_letters=True) for x in _NAMES),
        *(bias_left_out(f"b_{x}", x, f"{x}_new") for x in _NAMES),
        Mistake(
            "columns_added_up",
            "Adding the numbers of a row and of a column, instead of multiplying them in pairs.",
            wrong(by(SumsInPairsOfColumns), MatMul),
        ),
        Mistake(
            "W_Q_and_W_K_swapped",
            "Computing the queries with W_K and the keys with W_Q.",
            instead(
                lambda place: _by_weights_of(place, "Q", "K"),
                lambda place: _by_weights_of(place, "K", "Q"),
            ),
        ),
        Mistake(
            "values_not_counted",
            "Counting the bytes of the keys alone, although values are stored too.",
            all_wrong(remade(lambda own, _: replace(own, values_too=False)), CacheBytes),
        ),
        Mistake(
            "V_by_W_K",
            "Computing the values with W_K, the weights of the keys.",
            instead(lambda place: _by_weights_of(place, "V", "K")),
        ),
        Mistake(
            "memory_not_used",
            "Computing keys and values from what the queries are computed from, instead of from"
            " the memory.",
            instead(
                lambda place: _of_the_tokens(place, "K"), lambda place: _of_the_tokens(place, "V")
            ),
        ),
        Mistake(
            "computed_from_Q",
            "Computing keys and values from the queries, instead of from the vectors that the"
            " queries are computed from.",
            instead(
                lambda place: _of_the_queries(place, "K"), lambda place: _of_the_queries(place, "V")
            ),
        ),
    ),
    backward=Backward(
        "the projections",
        "The gradient of a weight matrix is its input times the gradient of its output, summed over"
        " all tokens.",
        usual_mistakes=MISTAKES_BACK,
        example=Example("i_love_ai"),
    ),
)


_COUNT = WholeNumber(1, 1024)
_OWN = ListOf(HEAD)
_KV_HEADS = Key(
    "kv_heads",
    _COUNT,
    "how many heads of keys and values the heads of queries share; 1 is multi-query attention",
    shared=True,
    inherited=True,
)


def _check_split(place: AttentionPlace) -> Objections:
    """Complains of heads of keys and values that the heads can't share evenly, or that are said
    where each head has its own."""
    attention, settings = place.attention, place.attention.config
    if not settings.says(_KV_HEADS):
        return
    kv_heads, where = settings.get(_KV_HEADS), below(settings.path, "kv_heads")
    if attention.own_heads:
        wrong = "kv_heads, and heads that have keys and values of their own"
        yield where, wrong, "leave it out"
    elif attention.heads % kv_heads:
        wrong = f"{kv_heads} heads of keys and values can't be shared by {attention.heads}"
        yield where, wrong, f"give a number that {attention.heads} can be divided by"


def _plan_split(place: AttentionPlace) -> tuple[Definition, ...]:
    attention = place.attention
    if attention.heads == 1:
        return ()
    of_all = ("Q_R",) if is_decoupled(place) else ()
    every = (*_NAMES, *(d.name.local for d in _of_positions(place)))
    names = of_all if attention.own_heads else (*every, *of_all)
    return tuple(_columns(place, name, head) for head in range(attention.heads) for name in names)


def _columns(place: AttentionPlace, name: str, head: int) -> Definition:
    attention = place.attention
    part, of = head, attention.heads
    if not name.startswith("Q"):
        part, of = part * attention.kv_heads // attention.heads, attention.kv_heads
    made = below(attention.head_path(head), name)
    blame = below(attention.path, "heads")
    operands = (place.latest(name),)
    role = ROLES.get(name.removesuffix("_R"), "")
    return Definition(made, TakeColumns(part, of), operands, role=role, blame=blame)


def _happens_split(place: AttentionPlace) -> str:
    text = "Each head takes its share of the columns of Q"
    if place.attention.positions.disentangled is not None:
        text += ", and of those of relative positions"
    if place.attention.kv_heads < place.attention.heads:
        return f"{text}, and those of K and V that its group of heads has in common."
    return f"{text}, K and V." if not is_decoupled(place) else f"{text}, K, V and Q_R."


def _formulas(place: AttentionPlace) -> tuple[Equation, ...]:
    """Returns the formulas that say which columns of all the queries, keys and values are a
    head's."""
    return tuple(
        define(place.here(definition.name), _run(place, definition))
        for definition in _plan_split(place)
    )


def _run(place: AttentionPlace, definition: Definition) -> Symbol:
    operation, whole = definition.operation, definition.operands[0]
    assert isinstance(operation, TakeColumns)
    width = place.width(whole)
    if width is None:
        return Symbol(place.here(whole), ("the head's columns",))
    size = width // operation.of
    first, last = operation.part * size + 1, (operation.part + 1) * size
    run = f"columns {first}–{last}" if last > first else f"column {first}"
    return Symbol(place.here(whole), (run,))


SPLIT_STEP = Step(
    name="split",
    at=AttentionPlace,
    keys=(
        Key(
            "heads",
            Either(lambda node: _OWN if isinstance(node, Items) else _COUNT, (_COUNT, _OWN)),
            "how many heads there are; or a list with each head's own `W_Q`, `W_K`, `W_V`, biases "
            "and `bias`. Heads that list only a `bias` split the layer's matrices",
            1,
            shared=True,
            inherited=True,
        ),
        _KV_HEADS,
    ),
    check=_check_split,
    words=Wording(
        title="The heads' columns",
        does="gives each head its columns of the queries, keys and values",
        shapes="Q [n, h · d_k] → Q [n, d_k] of each of h heads",
        happens=_happens_split,
        why=(
            "Heads attend side by side, each with attention weights of its own: one can look for"
            " the verb, another for the word before."
        ),
        more=(
            "A head is an attention of its own. A single row of weights would have to mix all that"
            " a token looks for. W_Q holds the matrices of all heads side by side, so a head's"
            " queries are a run of columns of Q. The same holds for keys and values. Several narrow"
            " heads cost no more than a wide one."
        ),
    ),
    results=Results(
        names=(*_NAMES, "Q_R", "Q_r", "K_r"),
        nouns={"Q": "query", "K": "key", "V": "value"},
        plan=_plan_split,
    ),
    formulas=Formulas(heads=2, own=_formulas),
    example=Example("three_tokens_two_heads", ("heads=2",)),
    prominence=Prominence(on_the_way=True),
    mistakes=(
        Mistake(
            "other_head",
            "Taking the columns of another head for Q.",
            wrong(remade(lambda run, _: None if run.part else replace(run, part=1)), "Q"),
        ),
        Mistake(
            "columns_dealt_out",
            "Giving the heads the columns in turn, instead of one run of columns to each head.",
            all_wrong(as_a(TakeEvery)),
        ),
    ),
    backward=Backward(
        "the heads' columns",
        "Each head's gradients go back to the head's own columns.",
    ),
)


WEIGHTED_SUM_STEP = Step(
    name="weighted_sum",
    at=HeadPlace,
    keys=(Key("output", NAMED, "the output of a head, [n, d_v]", in_parts=True),),
    words=Wording(
        title="Weighted sum",
        does="blends the values by their weights: the output of a head",
        shapes="weights [n, m], V [m, d_v] → output [n, d_v]",
        happens=lambda _: (
            "For each query, every value is multiplied by its weight, and the products are added."
        ),
        why=(
            "The output for a token blends all values, each in proportion to its weight: this is"
            " what the token gathers."
        ),
        more=(
            "So the token's new vector holds something of every token that it attends to. It"
            " represents the token in its context. No token waits for another one's result, so all"
            " can be computed at the same time, while a recurrent network reads one after the"
            " other."
        ),
    ),
    results=Results(
        names=("output",),
        nouns={"output": "output"},
        plan=lambda place: (
            Definition(place.name("output"), WeightedSum(), (place.x, place.latest("V"))),
        ),
        pictures=("planes",),
    ),
    formulas=Formulas(x="weights"),
    prominence=Prominence(on_the_way=True),
    mistakes=(
        Mistake(
            "keys_for_values",
            "Blending the keys instead of the values.",
            wrong(operand(1, "K")),
        ),
        Mistake(
            "inputs_for_values",
            "Blending the vectors that the values are computed from, instead of the values.",
            wrong(operand(1, lambda place: place.source), when=lambda p: p.attention.projects),
        ),
        Mistake(
            "scores_for_weights",
            "Multiplying by the scores instead of the weights.",
            wrong(operand(0, "scores")),
        ),
        Mistake(
            "weights_by_column",
            "Taking a column of the weights instead of a row, weightsᵀ V.",
            wrong(by(TransposedWeights)),
        ),
    ),
    backward=Backward(
        "the weighted sum",
        "A value gets the outputs' gradients times their weights, and a weight gets the dot"
        " product of its value and the output's gradient.",
        usual_mistakes=("transpose_forgotten",),
    ),
)


_AVERAGE = Key(
    "average_heads",
    Flag(),
    "whether the mean of all heads' weights is worked, too, as `MultiheadAttention` returns it",
    False,
    shared=True,
)


def _plan_average(place: AttentionPlace) -> tuple[Definition, ...]:
    """Defines the mean of the weights that values are multiplied by, over all heads."""
    attention, data = place.attention, place.attention.config.values
    if not attention.config.get(_AVERAGE):
        return ()
    local = "dropped" if "dropout" in data else "key_weights" if "sinks" in data else "weights"
    weights = tuple(below(attention.head_path(k), local) for k in range(attention.heads))
    mean = MeanOf(attention.heads) if attention.heads > 1 else Same()
    return (Definition(place.name("mean_weights"), mean, weights),)


AVERAGE_STEP = Step(
    name="average",
    at=AttentionPlace,
    keys=(_AVERAGE,),
    words=Wording(
        title="Average of the heads",
        does="averages the weights of all heads",
        shapes="h weights [n, m] → mean_weights [n, m]",
        happens=lambda place: (
            "The weights of all heads are added up and divided by the number of heads."
            if place.attention.heads > 1
            else "There is one head: its weights are the mean."
        ),
        why="The mean of the heads' weights shows what a layer attends to as a whole.",
        more=(
            "Nothing else in the model uses the mean. Where heads attend to different tokens, the"
            " mean blurs them."
        ),
    ),
    results=Results(
        names=("mean_weights",),
        nouns={"mean_weights": "mean weight"},
        plan=_plan_average,
        further_pictures=("heat_maps",),
    ),
    formulas=Formulas(heads=2, config={"average_heads": True}),
    example=Example(changes=("heads=2", "average_heads=true")),
    mistakes=(
        Mistake(
            "not_divided",
            "Adding the weights up without dividing by the number of heads.",
            wrong(lambda d, _: d._replace(operation=Add(len(d.operands)))),
        ),
    ),
    backward=Backward(
        "the average of the heads",
        "The mean is no part of the loss and gets no gradient.",
        example=Example(""),
    ),
)


def _plan_merge(place: AttentionPlace) -> tuple[Definition, ...]:
    heads = map(place.attention.head_path, range(place.attention.heads))
    x, *others = outputs = tuple(place.out_of(head) for head in heads)
    definitions = []
    if others:
        x = place.name("concat")
        definitions.append(Definition(x, JoinColumns(len(outputs)), outputs))
    if place.gives("W_O"):
        out_in = place.attention.config.linear
        definitions.append(linear(place, "attention", x, "_O", out_in=out_in))
    return tuple(definitions)


def _happens_merge(place: AttentionPlace) -> str:
    several = place.attention.heads > 1
    text = "All heads' outputs are set side by side"
    if not place.gives("W_O"):
        return f"{text}."
    return f"{text} and multiplied by W_O: the attention." if several else (
        "The output times W_O is the attention."
    )  # fmt: skip


MERGE_STEP = Step(
    name="merge",
    at=AttentionPlace,
    keys=(
        Key(
            "W_O",
            MATRIX,
            "output weights, [heads · d_v, d_model], which the heads' outputs, side by side, are "
            "multiplied by",
        ),
        Key("b_O", VECTOR, "output bias"),
    ),
    words=Wording(
        title="Heads together",
        does="puts the heads' outputs together and mixes them",
        shapes="h outputs [n, d_v] → concat [n, h · d_v] → attention [n, d_model]",
        happens=_happens_merge,
        why=(
            "The attention of a layer is one vector for each token, of the model's width, ready to"
            " be added to the token's own."
        ),
        more=(
            "Each head finds something else. Side by side, their outputs form one long vector, and"
            " W_O mixes what they found."
        ),
        titled=lambda place: "Heads together" if place.attention.heads > 1 else "Output projection",
    ),
    results=Results(
        names=("concat", "attention"),
        nouns={"concat": "concatenated output", "attention": "attention output"},
        plan=_plan_merge,
        pictures=("heat_maps",),
    ),
    formulas=Formulas(heads=2, gives=("W_O",)),
    example=Example("three_tokens_two_heads"),
    mistakes=(
        Mistake(
            "heads_in_another_order",
            "Setting the heads' outputs side by side in another order.",
            wrong(turned_round, "concat"),
        ),
        Mistake(
            "heads_interleaved",
            "Taking the columns of the heads in turn instead of one head after the other.",
            wrong(as_a(Interleave), "concat"),
        ),
        Mistake(
            "W_O_left_out",
            "Leaving out W_O, so that the heads' outputs stay unmixed.",
            wrong(left_out, "attention"),
        ),
        rows_for_columns("W_O", "attention"),
        bias_left_out("b_O", "attention"),
    ),
    backward=Backward(
        "the heads' merging",
        "The gradient goes back through W_O, if there is one, and is split into the heads'"
        " columns.",
        usual_mistakes=MISTAKES_BACK,
        example=Example("learning_to_attend", ("heads=2",)),
    ),
)
