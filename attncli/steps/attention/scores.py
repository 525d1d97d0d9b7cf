"""Scores of queries and keys, and what is done to them before masks and softmax.

* scores: dot products of queries and keys (Vaswani et al. 2017, arXiv:1706.03762, 3.2.1).
* scale: by √d_k (Vaswani et al. 2017, arXiv:1706.03762, 3.2.1).
* softcap, temperature: in files beside this one.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from attncli.maths.equations.tree import (
    Expression,
    Number,
    Product,
    Quotient,
    Root,
    Symbol,
    constant,
)
from attncli.maths.operations.activations import DivideBy, MultiplyBy
from attncli.maths.operations.attention import MatMul, MatMulTransposed, SumsInPairs
from attncli.maths.operations.equation import Indexed
from attncli.maths.operations.operation import Operation
from attncli.names import Name, below
from attncli.scenario.file.keys import POSITIVE, Key, word_or
from attncli.scenario.file.matrices import NAMED
from attncli.steps.mistakes import (
    by,
    either,
    instead,
    remade,
    turned_round,
    without_root,
    wrong,
)
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
from attncli.trace import Definition, HeadPlace


def _of_all_heads(place: HeadPlace) -> Definition | None:
    """Defines the scores by the queries and keys of all heads; returns None where these aren't
    split, or don't go in as they are."""
    whole = tuple(below(place.attention.path, name) for name in ("Q", "K"))
    own = tuple(map(place.name, ("Q", "K")))
    attention = place.attention
    is_split = attention.heads == attention.kv_heads > 1 and not attention.own_heads
    as_they_are = tuple(map(place.latest, ("Q", "K"))) == own
    if not is_split or not as_they_are:
        return None
    return Definition(place.name("scores"), MatMulTransposed(), whole)


def _scaled_as_one(place: HeadPlace) -> Definition | None:
    """Defines scores divided by the root of how wide the keys of all heads are together; returns
    None where they aren't divided by √d_k."""
    if place.attention.config.get(SCALE) != "sqrt_d_k" or place.d_k is None:
        return None
    width = Number.written(place.d_k * place.attention.heads)
    return _scaled_by(place, DivideBy(Root(width)))._replace(operands=(place.name("scores"),))


SCORES_STEP = Step(
    name="scores",
    at=HeadPlace,
    keys=(Key("scores", NAMED, "attention scores, [n, m]", in_parts=True),),
    words=Wording(
        title="Attention scores",
        does="compares each query with each key",
        shapes="Q [n, d_k], K [m, d_k] → scores [n, m]",
        happens=lambda _: "Each query is compared with each key by their dot product.",
        why="A score says how well what one token looks for matches what another token offers.",
        more=(
            "A dot product is large where two vectors are long and point the same way, and 0 where"
            " they are at right angles. Training makes W_Q and W_K such that it is large where one"
            " token is relevant to another. K has a key in each row, and Kᵀ one in each column. So"
            " a row times a column is the dot product of a query and a key. Scores aren't"
            " symmetric: how well one token's query matches another's key says nothing of the other"
            " way round."
        ),
    ),
    results=Results(
        names=("scores",),
        nouns={"scores": "score"},
        plan=lambda place: (
            Definition(
                place.name("scores"), MatMulTransposed(), (place.latest("Q"), place.latest("K"))
            ),
        ),
        pictures=("planes",),
    ),
    prominence=Prominence(on_the_way=True),
    mistakes=(
        Mistake(
            "K_not_transposed",
            "Multiplying Q by K as it stands, rows by columns, instead of Q Kᵀ.",
            wrong(by(MatMul)),
        ),
        Mistake(
            "queries_and_keys_swapped",
            "Taking keys as rows and queries as columns, K Qᵀ, which transposes the table.",
            wrong(turned_round),
        ),
        Mistake(
            "added_up",
            "Adding the numbers of the query and of the key, instead of multiplying them in pairs.",
            wrong(by(SumsInPairs)),
        ),
        Mistake(
            "heads_not_split",
            "Leaving the heads unsplit: the queries and keys of all heads are multiplied as one, so"
            " that there is only one softmax for all.",
            either(instead(_of_all_heads), instead(_of_all_heads, _scaled_as_one)),
        ),
    ),
    backward=Backward(
        "the scores",
        "Each score's gradient is shared out to Q and K, in proportion to the other's numbers.",
        more=(
            "A query moves towards the keys whose scores should grow, and away from those whose"
            " scores should fall. A key does the same with its queries."
        ),
        usual_mistakes=("transpose_forgotten",),
    ),
)


SCALE: Key[str | Decimal] = Key(
    "scale",
    word_or(("sqrt_d_k", "none"), POSITIVE),
    "what the scores are divided by: `sqrt_d_k` (the default), `none`, or a number",
    "sqrt_d_k",
    shared=True,
    inherited=True,
)


def _products(place: HeadPlace) -> int:
    """Returns how many products are added up to a score."""
    positions = place.attention.positions.disentangled
    return 1 + (len(positions.terms) if positions else 0)


def _root(place: HeadPlace, d_k: Expression) -> Root:
    """Returns √d_k; of several products that are added up, the root of as many times d_k (He et al.
    2020, arXiv:2006.03654, 3.1)."""
    count = _products(place)
    return Root(Product((constant(count), d_k)) if count > 1 else d_k)


def _plan_scale(place: HeadPlace) -> tuple[Definition, ...]:
    scale = place.attention.config.get(SCALE)
    if scale == "none" and not place.scenario.gives(place.name("scaled")):
        return ()
    if isinstance(scale, Decimal):
        return (_scaled_by(place, DivideBy(Number.written(scale))),)
    root = _root(place, Symbol("d_k"))
    return (_scaled_by(place, DivideBy(root))._replace(needs=(Name("d_k"),)),)


def _sized(place: HeadPlace, planned: Definition) -> Definition:
    is_root = planned.needs and place.attention.config.get(SCALE) != "none"
    if not is_root or place.d_k is None:
        return planned
    roots = (_root(place, d_k) for d_k in (Number.written(place.d_k), Symbol("d_k")))
    return _scaled_by(place, _divided_by(*roots))


@lru_cache(maxsize=64)
def _divided_by(root: Root, shown: Root) -> DivideBy:
    """Returns the scaling of all heads of one width, which is prepared once."""
    return DivideBy(root, shown)


def _happens_scale(place: HeadPlace) -> str:
    if isinstance(place.attention.config.get(SCALE), Decimal):
        return "Each score is divided by the number that the scenario gives."
    d_k = "" if place.d_k is None else f", here of d_k = {place.d_k}"
    several = f"{_products(place)} times " if _products(place) > 1 else ""
    text = f"Each score is divided by the square root of {several}the number of key dimensions"
    return f"{text}{d_k}."


def _scaled_by(place: HeadPlace, operation: Operation) -> Definition:
    blame = below(place.attention.path, "scale")
    return Definition(place.name("scaled"), operation, (place.x,), blame=blame)


def _by_root_of_d_model(divide: Indexed, place: HeadPlace) -> Operation | None:
    d_model = place.width(below(place.stack.path, "X"))
    match divide.tree:
        case Quotient(_, Root()) if d_model is not None and d_model != place.d_k:
            return DivideBy(Root(Number.written(d_model)))
    return None


def _is_known(place: HeadPlace) -> bool:
    return place.d_k is not None


SCALE_STEP = Step(
    name="scale",
    at=HeadPlace,
    keys=(SCALE, Key("scaled", NAMED, "scores after scaling, [n, m]", in_parts=True)),
    words=Wording(
        title="Scaling",
        does="divides the scores, so that their spread doesn't grow with d_k",
        shapes="scores [n, m] → scaled [n, m]",
        happens=_happens_scale,
        why=(
            "Dot products grow with d_k, by about its root, and large scores would give nearly all"
            " weight to one token."
        ),
        more=(
            "Where one weight of the softmax is nearly 1, all gradients are nearly 0, so that"
            " learning stalls."
        ),
    ),
    results=Results(
        names=("scaled",), nouns={"scaled": "scaled score"}, plan=_plan_scale, sized=_sized
    ),
    formulas=Formulas(x="scores"),
    example=Example("king_and_queen", ("scale=sqrt_d_k",)),
    prominence=Prominence(on_the_way=True),
    mistakes=(
        Mistake(
            "divided_by_d_k",
            "Dividing by d_k itself instead of its square root.",
            wrong(without_root, when=_is_known),
        ),
        Mistake(
            "divided_by_root_of_d_model",
            "Dividing by √d_model, the width of the model, instead of √d_k, that of the keys.",
            wrong(remade(_by_root_of_d_model), when=_is_known),
        ),
        Mistake(
            "multiplied",
            "Multiplying instead of dividing.",
            wrong(remade(lambda divide, _: MultiplyBy(divide.tree.divisor)), when=_is_known),
        ),
        Mistake(
            "not_scaled",
            "Forgetting to scale the scores.",
            wrong(by(DivideBy(Number.written(1)))),
        ),
    ),
    backward=Backward(
        "the scaling",
        "The gradient is divided by the same number as the scores.",
        usual_mistakes=("scale_left_out",),
    ),
)
