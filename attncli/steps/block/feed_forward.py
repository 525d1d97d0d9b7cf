"""Feed-forward networks, and the residual connections around sublayers.

Vaswani et al. 2017, 3.3; around sublayers He et al. 2015, arXiv:1512.03385, and
Vaswani et al. 2017, 3.1.

Gated networks: Shazeer 2020, arXiv:2002.05202; with limits, OpenAI 2025, gpt-oss, arXiv:2508.10925.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from attncli.maths.equations.tree import Number
from attncli.maths.operations.activations import (
    ACTIVATIONS,
    Activate,
    Add,
    AtMost,
    Between,
    BiasAfter,
    Multiply,
    MultiplyBy,
    MultiplyByOneMore,
)
from attncli.maths.operations.equation import EquationText
from attncli.maths.operations.rearranging import Same
from attncli.names import Name, below
from attncli.scenario.file.keys import COUNT, NUMBER, Choice, Either, Flag, Key, ListOf
from attncli.scenario.file.matrices import MATRIX, VECTOR
from attncli.scenario.file.nodes import Items, Numbers
from attncli.scenario.file.problems import Objections
from attncli.steps.linear import (
    MISTAKES_BACK,
    bias_left_out,
    linear,
    rows_for_columns,
    without_bias,
)
from attncli.steps.mistakes import by, left_out, operand, wrong
from attncli.steps.step import (
    Backward,
    Example,
    Formulas,
    Mistake,
    Planned,
    Prominence,
    Results,
    Step,
    Wording,
)
from attncli.trace import Definition, LayerPlace, ResidualPlace

_GATED = {"swiglu": "silu", "geglu": "gelu"}
"""Activations of gated networks (Shazeer 2020, arXiv:2002.05202), and what they gate with."""
ACTIVATION = Key(
    "activation",
    Choice((*ACTIVATIONS, *_GATED, "none")),
    "the activation of the feed-forward network, `relu` by default (`gelu` is the exact "
    "one; `swiglu` and `geglu` are gated); of an rnn `tanh` (the default) or `relu`",
    "relu",
    shared=True,
)
_GATE = Key(
    "gated",
    Flag(),
    "whether what is activated is a gate, which multiplies x W3 + b3: with `silu` that is `swiglu`",
    False,
    shared=True,
)
_CLAMP: Key[Decimal] = Key(
    "clamp",
    NUMBER,
    "of a gated network: the most that goes into the activation, and how far x W3 + b3 may be from"
    " 0 (gpt-oss)",
    shared=True,
)
_ONE_MORE = Key(
    "up_plus_one",
    Flag(),
    "of a gated network: whether the gate is multiplied by 1 + x W3 + b3 (gpt-oss)",
    False,
    shared=True,
)
_D_FF = Key(
    "d_ff",
    COUNT,
    "the columns of the feed-forward network, for random matrices; 4 d_model by default",
    shared=True,
)
MATRICES = (
    Key("W1", MATRIX, "first weights of the feed-forward network, [d_model, d_ff]"),
    Key("b1", VECTOR, "its bias, [d_ff]; may be left out, as all biases may"),
    Key("W2", MATRIX, "second weights of the feed-forward network, [d_ff, d_out]"),
    Key("b2", VECTOR, "its bias, [d_out]"),
    Key(
        "W3",
        MATRIX,
        "of a gated network: what a gate multiplies, [d_model, d_ff]: (act(x W1 + b1) × "
        "(x W3 + b3)) W2 + b2",
    ),
    Key("b3", VECTOR, "their bias, [d_ff]"),
)


def _gated(place: LayerPlace) -> bool:
    return place.layer.config.get(ACTIVATION) in _GATED or bool(place.layer.config.get(_GATE))


def _is_bare(place: LayerPlace) -> bool:
    """Tells whether an activation stands by itself, without a layer before it or after it."""
    weights = any(place.gives(f"{letter}{k}") for letter in "Wb" for k in "123")
    return not (place.layer.attends or weights or _gated(place))


def _plan_ffn(place: LayerPlace) -> tuple[Definition, ...]:
    bare, kind, out_in = _is_bare(place), _kind(place), place.layer.config.linear
    definitions = [] if bare else [linear(place, "hidden", place.x, "1", out_in=out_in)]
    x = place.x if bare else definitions[0].name
    limit = place.layer.config.get(_CLAMP) if _gated(place) else None
    if limit is not None:
        definitions.append(_cut_off(place, "clamped", AtMost, x))
        x = definitions[-1].name
    if kind != "none":
        definitions.append(Definition(place.name("activated"), Activate(kind), (x,)))
        x = definitions[-1].name
    if bare:
        return tuple(definitions)
    if _gated(place):
        definitions.append(linear(place, "up", place.x, "3", out_in=out_in))
        if limit is not None:
            definitions.append(_cut_off(place, "clamped_up", Between, definitions[-1].name))
        times = MultiplyByOneMore if place.layer.config.get(_ONE_MORE) else Multiply
        gated, operands = place.name("gated"), (x, definitions[-1].name)
        definitions.append(Definition(gated, times(), operands))
        x = gated
    return (*definitions, linear(place, "ffn", x, "2", out_in=out_in))


def _cut_off(place: LayerPlace, local: str, how: EquationText, x: Name) -> Definition:
    """Defines numbers cut off at the limit that is said."""
    limit = Number.written(place.layer.config.get(_CLAMP))
    return Definition(place.name(local), how(limit), (x,))


def _happens_ffn(place: LayerPlace) -> str:
    if _is_bare(place):
        return f"The activation {_kind(place)} is applied to each number by itself."
    kind = place.layer.config.get(ACTIVATION)
    text = "Each token's vector goes on its own through a first layer"
    if _gated(place):
        activation = f" and the activation {_kind(place)}" if kind != "none" else ""
        limit = place.layer.config.get(_CLAMP)
        cut = "" if limit is None else f" Both are cut off at {limit:f} first."
        return f"{text}{activation}, is multiplied by a gate, and goes through a second layer.{cut}"
    relu = ", which turns negative numbers into 0," if kind == "relu" else ""
    middle = f", the activation {kind}{relu}" if kind != "none" else ""
    return f"{text}{middle} and a second layer."


def _kind(place: LayerPlace) -> str:
    """Returns the activation itself, also of a gated network."""
    kind = place.layer.config.get(ACTIVATION)
    return _GATED.get(kind, kind)


def _without_bias(layer: Definition, place: LayerPlace) -> Definition | None:
    """Changes a layer to one without its bias; returns None where that is all zeros."""
    bias = place.scenario.given.matrices.get(layer.operands[-1])
    return None if bias is None or not bias.values.any() else without_bias(layer, place)


def _bias_after(place: LayerPlace, planned: Planned) -> Iterator[Planned]:
    hidden = next((d for d in planned if d.name.local == "hidden"), None)
    bare = hidden and _without_bias(hidden, place)
    if hidden is not None and bare is not None and _kind(place) != "none":
        operation = BiasAfter(_kind(place), place.layer.config.linear)
        yield Definition(place.name("activated"), operation, hidden.operands), bare


_WHY_FFN = (
    "Attention mixes the tokens, and the feed-forward network then computes new features of each"
    " token alone, with the same matrices for all."
)
_GELU = (
    " ReLU turns negative numbers into 0. GELU does it smoothly: it is x times the probability that"
    " a standard normal number is below x, which the error function erf gives."
)


FFN_STEP = Step(
    name="ffn",
    at=LayerPlace,
    keys=(ACTIVATION, _GATE, _CLAMP, _ONE_MORE, _D_FF, *MATRICES),
    words=Wording(
        title="Feed-forward network",
        does="works on each token alone, in a wider space",
        shapes="output [n, d_v] → hidden [n, d_ff] → activated [n, d_ff] → ffn [n, d_out]",
        happens=_happens_ffn,
        why=_WHY_FFN,
        more=(
            "Without the activation between them, its two layers would do no more than a single"
            " matrix. With it, a hidden number can be a feature that is there or isn't. ReLU is 0"
            " as long as the sum is negative, and the bias b1 shifts where that ends. In large"
            " models the hidden vector is mostly four times as wide as the token's."
        ),
        titled=lambda place: "Activation" if _is_bare(place) else "Feed-forward network",
        why_at=lambda place: f"{_WHY_FFN}{_GELU if _kind(place) == 'gelu' else ''}",
    ),
    results=Results(
        names=("hidden", "clamped", "activated", "up", "clamped_up", "gated", "ffn"),
        nouns={"hidden": "hidden layer", "activated": "activated layer", "ffn": "network's output"},
        plan=_plan_ffn,
        together=(("output", "output"), ("ffn", "ffn")),
    ),
    formulas=Formulas(x="output", gives=("b1", "b2")),
    mistakes=(
        Mistake(
            "activation_forgotten",
            "Leaving out the activation, so that the hidden numbers go straight into the second"
            " layer.",
            wrong(left_out, "activated"),
        ),
        Mistake(
            "relu_for_another",
            "Taking ReLU instead of the activation that is asked for.",
            wrong(by(Activate("relu")), "activated"),
        ),
        Mistake(
            "not_cut_off",
            "Leaving what the gate multiplies as it is, where it is cut off at a limit.",
            wrong(left_out, "clamped_up"),
        ),
        Mistake(
            "one_not_added",
            "Multiplying the gate without adding 1 first, where 1 is to be added.",
            wrong(by(Multiply, 0, 1), MultiplyByOneMore),
        ),
        rows_for_columns("W1", "hidden"),
        rows_for_columns("W2", "ffn"),
        bias_left_out("b1", "hidden", change=_without_bias),
        bias_left_out("b2", "ffn", change=_without_bias),
        Mistake(
            "bias_after_activation",
            "Adding the bias b1 after the activation instead of before it.",
            _bias_after,
        ),
    ),
    backward=Backward(
        "the feed-forward network",
        "The gradient goes back through both layers, but not where the activation is flat.",
        usual_mistakes=(*MISTAKES_BACK, "mask_of_the_gradient"),
        example=Example("i_love_ai"),
    ),
)


_OF_EACH = ListOf(NUMBER)
_SCALE: Key[Decimal | tuple[Decimal, ...]] = Key(
    "residual_scale",
    Either(
        lambda node: _OF_EACH if isinstance(node, Items | Numbers) else NUMBER, (NUMBER, _OF_EACH)
    ),
    "what a sublayer's output is multiplied by before it is added (Granite's multiplier); or a list"
    " with a number for each sublayer, in their order: `[1, 0.5]`",
    shared=True,
)
_PARALLEL = Key(
    "parallel",
    Choice(("none", "shared_norm", "own_norms")),
    "attention and feed-forward network side by side, both computed from what goes into the layer"
    " and added to it together: with one norm for both, `shared_norm` (GPT-J, Phi), or each with"
    " its own, `own_norms` (GPT-NeoX)",
    "none",
    shared=True,
)


def _plan_residual(place: ResidualPlace) -> tuple[Definition, ...]:
    made = (place.x, *place.also)
    multiplied = tuple(filter(None, (_scaled(place, name, k) for k, name in enumerate(made))))
    terms = (place.skipped, *([d.name for d in multiplied] or made))
    total = Definition(place.name(f"residual{place.number}"), Add(len(terms)), terms)
    return (*multiplied, total)


def _factor(place: ResidualPlace, number: int) -> Decimal | None:
    """Returns what the output of a sublayer, from 1, is multiplied by, or None."""
    scale = place.layer.config.get(_SCALE)
    if not isinstance(scale, tuple):
        return scale
    return scale[number - 1] if number <= len(scale) else None


def _check_factors(place: ResidualPlace) -> Objections:
    """Complains where there isn't a number for each sublayer."""
    layer, scale = place.layer, place.layer.config.get(_SCALE)
    sublayers = layer.attends + (layer.cross is not None) + layer.has_ffn
    if isinstance(scale, tuple) and len(scale) != sublayers and place.number == 1:
        whose = f"of {layer.path} " if layer.path else ""
        wrong = f"the numbers are {len(scale)}, the sublayers {whose}{sublayers}"
        yield layer.config.at(_SCALE), wrong, "give a number for each sublayer"


def _scaled(place: ResidualPlace, x: Name, k: int) -> Definition | None:
    """Defines a sublayer's output multiplied by a number; returns None where none is said."""
    factor = _factor(place, place.number + k)
    if factor is None:
        return None
    name = place.name(f"multiplied{place.number + k}")
    return Definition(name, MultiplyBy(Number.written(factor)), (x,), "residual")


def _check_feed_forward(place: ResidualPlace) -> Objections:
    layer, where = place.layer, below(place.layer.path, _PARALLEL.name)
    yield from _check_factors(place)
    if layer.parallel != "none" and layer.norms.order not in ("pre", "none"):
        wrong = f"{layer.parallel} with norm: {layer.norms.order}"
        yield where, wrong, "norms of sublayers side by side come before them: norm: pre"
    if layer.parallel != "none" and layer.cross is not None:
        wrong = "sublayers side by side, and a cross-attention among them"
        yield where, wrong, "leave it out: each has to work on what the one before made"


def _entered(place: ResidualPlace) -> Name | None:
    """Returns the name of what went into the layer, which its first residual skips ahead; None
    where it has no residual."""
    places = (part.place for part in place.scenario.plan.story)
    parts = (entry for entry in places if isinstance(entry, ResidualPlace))
    return next((entry.skipped for entry in parts if entry.layer.path == place.layer.path), None)


def _happens_residual(place: ResidualPlace) -> str:
    found = (_factor(place, place.number + k) for k in range(1 + len(place.also)))
    factors = dict.fromkeys(f"{factor:f}" for factor in found if factor is not None)
    times = f", multiplied by {' and '.join(factors)}," if factors else ""
    if place.also:
        return f"The outputs of both sublayers{times} are added to the layer's input."
    return f"The sublayer's output{times} is added to its input."


RESIDUAL_STEP = Step(
    name="residual",
    at=ResidualPlace,
    keys=(
        Key(
            "residuals",
            Flag(),
            "whether the input of a sublayer is added to its output, as with `block: encoder` and"
            " `decoder` if nothing is said",
            shared=True,
        ),
        _SCALE,
        _PARALLEL,
    ),
    check=_check_feed_forward,
    words=Wording(
        title="Residual",
        does="adds the output of a sublayer to its input",
        shapes="x [n, d_model], sublayer(x) [n, d_model] → residual [n, d_model]",
        happens=_happens_residual,
        why=(
            "A residual connection around each sublayer (attention, feed-forward network) keeps"
            " what is already known of a token."
        ),
        more=(
            "A sublayer only has to learn what to add, instead of learning to pass everything on."
            " The sum also gives the gradient a direct way back through many layers. A further"
            " layer does the same with matrices of its own, on vectors that already know of the"
            " others."
        ),
        titled=lambda place: "Residual" if place.also else f"Residual {place.number}",
    ),
    results=Results(
        names=tuple(f"{made}{k}" for made in ("multiplied", "residual") for k in (1, 2, 3)),
        nouns={"residual1": "sum", "residual2": "sum", "residual3": "sum"},
        plan=_plan_residual,
    ),
    formulas=Formulas(x="attention"),
    example=Example("encoder_block", ("block=encoder",)),
    mistakes=(
        Mistake(
            "not_added",
            "Leaving out the sublayer's input: only its output is used.",
            wrong(by(Same(), 1), Add, when=lambda place: not place.also),
        ),
        Mistake(
            "added_to_X",
            "Adding the output to the input of the whole layer, instead of the input of the"
            " sublayer.",
            wrong(operand(0, _entered), Add),
        ),
    ),
    backward=Backward(
        "the residual",
        "Both terms of the sum get its gradient unchanged, so part of it goes back around the"
        " sublayer.",
        example=Example("i_love_ai", ("block=encoder", "norm=pre")),
        prominence=Prominence(explained_once=True),
    ),
)
