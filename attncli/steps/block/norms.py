"""Norms: of a block, before and after it, and of queries and keys.

* norm: layer norm (Ba et al. 2016, arXiv:1607.06450), RMS norm (Zhang & Sennrich 2019,
  arXiv:1910.07467) and batch norm (Ioffe & Szegedy 2015, arXiv:1502.03167), in use and in training.
* qk_norm: queries and keys are normalized before they are compared (Henry et al. 2020,
  arXiv:2010.04245). Each head by itself, as Qwen3 has it (arXiv:2505.09388); all heads together, as
  OLMo 2 (arXiv:2501.00656); after the rotation, as Llama 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from attncli.maths.equations.tree import Number
from attncli.maths.operations.norms import (
    MeanOfEach,
    MeanOfSquares,
    Normalize,
    NormalizeColumns,
    RootOf,
    RootOfEach,
    RowMean,
    RunningMean,
    RunningVariance,
    SquaresOfEach,
    SubtractFromEach,
    SubtractRow,
)
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.rearranging import Same
from attncli.names import Name, below
from attncli.scenario.file.keys import (
    SHARE,
    Choice,
    Either,
    Flag,
    Key,
    KeyValues,
    NumberKind,
    Record,
)
from attncli.scenario.file.matrices import VECTOR
from attncli.scenario.file.nodes import Scalar
from attncli.scenario.file.problems import Objections
from attncli.scenario.model import Settings, Stack, projected_when
from attncli.scenario.scenario import Scenario
from attncli.steps.mistakes import (
    WENT_IN,
    Change,
    by,
    either,
    in_last,
    left_out,
    operand,
    remade,
    sum_for_mean,
    without_root,
    wrong,
)
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
from attncli.trace import AttentionPlace, Definition, HeadPlace, NormPlace

KIND = Key(
    "kind",
    Choice(("layer", "rms", "batch")),
    "`layer` (the default), `rms`, which takes no mean away, or `batch`, each column by its own"
    " mean and variance, or by a `mean` and a `variance` that are given",
    "layer",
)
EPSILON = Key("epsilon", NumberKind(least=0), "ε, 0.00001 by default", Decimal("0.00001"))
EPSILON_IN = Key(
    "epsilon_in",
    Choice(("root", "deviation")),
    "where ε is added: under the `root` (the default), or to the `deviation`",
    "root",
)
OVER = Key(
    "over",
    Choice(("n", "n-1")),
    "what the sum of the squares is divided by: `n` (the default) or `n-1`",
    "n",
)
PLUS_ONE = Key(
    "gamma_plus_one",
    Flag(),
    "whether numbers are multiplied by 1 + γ instead of γ, as Gemma has it",
    False,
)
SETTINGS: tuple[Key[object], ...] = (KIND, EPSILON, EPSILON_IN, OVER, PLUS_ONE)
_OF_A_ROW: tuple[Key[object], ...] = (OVER, PLUS_ONE)
"""Settings that a batch norm has no use for, whose mean and variance training found."""
MOMENTUM = Key(
    "momentum",
    SHARE,
    "of `batch` in training, `0.1` as a rule: the part of each column's own mean and variance in"
    " `running_mean` and `running_variance`; the rest is the `mean` and the `variance` given",
)
NORM = Record.of(
    *SETTINGS,
    Key("gamma", VECTOR, "γ, [d], multiplied; left out where it isn't given"),
    Key("beta", VECTOR, "β, [d], added; left out where it isn't given"),
    Key("mean", VECTOR, "of `batch`: the mean of each column, [d], that training found"),
    Key("variance", VECTOR, "of `batch`: its variance, [d]"),
    MOMENTUM,
)
_NO_NORM = Choice(("none",), "a map like {gamma: [1, 1], beta: [0, 0]}")


_INSTEAD_OF = {"pre": "post", "post": "pre"}
_SAYS = {
    "pre": (
        "Normalizing the input of each sublayer (pre-norm) instead of the sum of its input and"
        " output (post-norm)."
    ),
    "post": (
        "Normalizing the sum of each sublayer's input and output (post-norm) instead of its input"
        " (pre-norm)."
    ),
}


def norm_order(order: str) -> Mistake[NormPlace]:
    """Makes the mistake of norms that stand in this order, in all layers that have them in the
    other one; it is made in the first of them."""

    def ways(place: NormPlace, _: Planned) -> Iterator[Planned]:
        layers = (layer for stack in place.scenario.stacks for layer in stack.layers)
        concerned = (
            layer.norms.each[0] for layer in layers if layer.norms.order == _INSTEAD_OF[order]
        )
        if place.path == next((norm.path for norm in concerned), None):
            yield from filter(None, (tuple(_made_otherwise(place.scenario, order)),))

    return Mistake(f"{order}_norm", _SAYS[order], ways)


def _made_otherwise(scenario: Scenario, order: str) -> list[Definition]:
    """Returns what is made of something else in this order, in the order in which that can be
    made."""
    from attncli.steps.story import sized, story

    encoder = scenario.encoder
    other = replace(
        scenario,
        stack=_ordered(scenario.stack, order),
        encoder=None if encoder is None else _ordered(encoder, order),
    )
    steps = sized(replace(other, plan=replace(other.plan, story=story(other))))
    planned = {d.name: d.operands for part in scenario.plan.story for d in part.definitions}
    return [
        d
        for part in steps
        for d in part.definitions
        if d.name not in scenario.given.matrices and planned.get(d.name, d.operands) != d.operands
    ]


def _ordered(stack: Stack, order: str) -> Stack:
    layers = (
        layer._replace(norms=layer.norms._replace(order=order))
        if layer.norms.order == _INSTEAD_OF[order]
        else layer
        for layer in stack.layers
    )
    return stack._replace(layers=tuple(layers))


_FOUND = ("mean", "variance")
_RUNNING = {"mean": RunningMean, "variance": RunningVariance}


class Normalizing(NamedTuple):
    """Rows that are normalized, and how."""

    norm: Settings
    x: Name
    name: Callable[[str], Name]
    """Returns the full names of the quantities on the way."""
    out: Name
    given: tuple[tuple[str, Name], ...]
    """γ and β by their full names, where they are given."""
    blame: Name
    width: str = "d_model"
    """What the width is called in formulas."""
    of_batch: bool = False

    def definitions(self) -> tuple[Definition, ...]:
        """Defines all that a norm makes: of each row, or for a batch norm of each column, by what
        training found of it."""
        kind, given, made = self.norm.get(KIND), dict(self.given), list[Definition]()
        inside, epsilon = self.norm.get(EPSILON_IN) == "root", self.norm.get(EPSILON)
        has, root_of = ("gamma" in given, "beta" in given), (Number.written(epsilon), inside)

        def make(name: Name, operation: Operation, *operands: Name) -> Name:
            made.append(Definition(name, operation, operands, blame=self.blame))
            return name

        if kind == "batch":
            own = "batch_" if self.of_batch else ""
            mean, variance = (self.name(f"{own}{local}") for local in _FOUND)
            if self.of_batch:
                make(mean, MeanOfEach(), self.x)
            x = make(self.name("centered"), SubtractFromEach(), self.x, mean)
            if self.of_batch:
                make(variance, SquaresOfEach(), x)
            root = make(self.name("deviation"), RootOfEach(*root_of), variance)
            if (momentum := self.norm.get(MOMENTUM)) is not None:
                part, of = Number.written(momentum), dict(zip(_FOUND, (mean, x), strict=True))
                for local, running in _RUNNING.items():
                    make(self.name(f"running_{local}"), running(part), self.name(local), of[local])
            make(self.out, NormalizeColumns(*has), x, root, *given.values())
            return tuple(made)
        x, squares, root = self.x, self.name("mean_square"), self.name("rms")
        if kind != "rms":
            squares, root = self.name("variance"), self.name("deviation")
            mean = make(self.name("mean"), RowMean(self.width), x)
            x = make(self.name("centered"), SubtractRow(), x, mean)
        make(squares, MeanOfSquares(self.norm.get(OVER) == "n-1", self.width), x)
        make(root, RootOf(*root_of), squares)
        normalize = Normalize(*has, self.norm.get(PLUS_ONE) or False)
        make(self.out, normalize, x, root, *given.values())
        return tuple(made)


def _normalizing_norm(place: NormPlace) -> Normalizing:
    own = place.path in place.scenario.file.places
    of_embeddings = place.norm is place.stack.embedding_norm
    before_projection = of_embeddings and projected_when(place.stack) == "after"
    return Normalizing(
        place.norm,
        place.x,
        place.name,
        place.out,
        tuple((local, place.name(local)) for local in ("gamma", "beta") if place.gives(local)),
        place.path if own else below(place.path.path, "norms"),
        "d_embed" if before_projection else "d_model",
        _is_batch(place) and (place.norm.says(MOMENTUM) or not place.gives("mean")),
    )


def _is_batch(place: NormPlace) -> bool:
    return place.norm.get(KIND) == "batch"


def _check_norm(place: NormPlace) -> Objections:
    """Complains of a mean and a variance that aren't those of a batch norm, or aren't both there,
    and of what else is not for that kind."""
    batch, trains = _is_batch(place), place.norm.says(MOMENTUM)
    needs = trains or any(map(place.gives, _FOUND))
    if trains and not batch:
        yield below(place.path, MOMENTUM.name), "momentum is of batch norms", "say kind: batch"
    for key in _FOUND:
        where = below(place.path, key)
        if batch and needs and not place.gives(key):
            right = f"add what training found, like {key}: [0, 1]"
            yield where, f"a batch norm without its {key}", right
        if not batch and place.gives(key):
            yield where, f"{key} is of batch norms", "say kind: batch, or leave it out"
    for other in _OF_A_ROW if batch else ():
        if place.norm.get(other) != other.default:
            wrong = f"{other.name} is not for batch norms"
            yield below(place.path, other.name), wrong, "leave it out"


def norm_in_words(normalizing: Normalizing) -> str:
    """Says how a norm is done."""
    norm, given, width = normalizing.norm, dict(normalizing.given), normalizing.width
    what = ["Layer norm subtracts each row's mean", "divides by its standard deviation"]
    if norm.get(KIND) == "rms":
        what = ["RMS norm divides each row by the root of the mean of its squares"]
    if norm.get(KIND) == "batch":
        what = ["Batch norm subtracts from each column the mean that training found"]
        what += ["divides by the root of the variance that it found"]
    if normalizing.of_batch:
        what = ["Batch norm subtracts each column's mean", "divides by its standard deviation"]
    factor = "1 + γ" if norm.get(PLUS_ONE) else "γ"
    what += [f"multiplies by the learned gain {factor}"] if "gamma" in given else []
    what += ["adds the learned shift β"] if "beta" in given else []
    done = " and ".join(filter(None, (", ".join(what[:-1]), what[-1])))
    where = "inside the root" if norm.get(EPSILON_IN) == "root" else "to the deviation"
    epsilon = norm.get(EPSILON)
    added = f" ε = {epsilon:f} is added {where}." if epsilon else ""
    if norm.get(KIND) == "batch":
        moved = (
            " The running mean and variance, which are used after training, move towards those of"
            " the columns. For that, the sum of the squares is divided by n − 1."
        )
        return f"{done}.{added}{moved * norm.says(MOMENTUM)}"
    divisor = f"{width} − 1" if norm.get(OVER) == "n-1" else width
    return f"{done}. The sum of the squares is divided by {divisor}.{added}"


_TITLES = {
    **{f"norm{k}": f"Norm {k}" for k in (1, 2, 3)},
    **{f"norm{k}_after": f"Norm {k} after" for k in (1, 2, 3)},
    "embedding_norm": "Embedding norm",
    "final_norm": "Final norm",
}


def _epsilon_elsewhere(_: RootOf, place: NormPlace) -> Operation:
    epsilon, inside = place.norm.get(EPSILON), place.norm.get(EPSILON_IN) == "root"
    return RootOf(Number.written(epsilon), not inside)


def _which_epsilon(_: Definition, made: Definition) -> str:
    inside = isinstance(made.operation, RootOf) and made.operation.inside
    places = (
        ("under the root", "to the deviation") if inside else ("to the deviation", "under the root")
    )
    return "Adding ε {} where it belongs {}.".format(*places)


def _which_divisor(_: Definition, made: Definition) -> str:
    less_one = isinstance(made.operation, MeanOfSquares) and made.operation.less_one
    divisors = ("n − 1", "n") if less_one else ("n", "n − 1")
    return "Dividing the squares by {} where {} belongs.".format(*divisors)


def _without(local: str) -> Change[NormPlace]:
    """Returns the change to a norm without its γ or its β; it makes nothing where that isn't
    given."""

    def change(definition: Definition, place: NormPlace) -> Definition | None:
        whole = _normalizing_norm(place)
        rest = tuple(given for given in whole.given if given[0] != local)
        is_last = definition.name == place.out and rest != whole.given
        return whole._replace(given=rest).definitions()[-1] if is_last else None

    return change


NORM_STEP = Step(
    name="norm",
    at=NormPlace,
    keys=(
        Key("embedding_norm", NORM, "a norm before the first layer"),
        Key(
            "final_norm",
            Either(lambda node: _NO_NORM if isinstance(node, Scalar) else NORM, (_NO_NORM, NORM)),
            "a norm after the last layer",
        ),
        Key(
            "norm",
            Choice(
                ("post", "pre", "after", "both", "none"),
                other="how norms are done belongs in norms: {kind: layer}",
            ),
            "where norms stand: `post`, after each residual (the default of `encoder` and "
            "`decoder`), `pre`, before each sublayer, `after` it, before its output is added (OLMo"
            " 2), `both` before and after it (Gemma 2), or `none`",
            shared=True,
        ),
        Key(
            "norms",
            Record.of(*SETTINGS),
            "how norms are done that don't say it themselves: of a layer its own; for the whole"
            " file those of all layers, `embedding_norm` and `final_norm`",
            shared=True,
        ),
        *(
            Key(f"norm{k}", NORM, f"the layer's norm {k}: γ, β, and how it is done")
            for k in (1, 2, 3)
        ),
        *(
            Key(f"norm{k}_after", NORM, f"with `norm: both`: the norm after sublayer {k}")
            for k in (1, 2, 3)
        ),
    ),
    check=_check_norm,
    words=Wording(
        title="Norm",
        does="brings each token's vector back to a standard size",
        shapes="x [n, d_model] → mean [n], variance [n], deviation [n] → normed [n, d_model]",
        happens=lambda place: norm_in_words(_normalizing_norm(place)),
        why=(
            "From layer to layer, numbers could grow or shrink without end, so a norm"
            " (normalization) brings each token's vector back to a standard size."
        ),
        more=(
            "A layer norm gives the vector mean 0 and standard deviation 1, an RMS norm only the"
            " size. Then the learned γ and β may stretch and shift it again."
        ),
        titled=lambda place: _TITLES.get(place.path.local, "Norm"),
    ),
    results=Results(
        names=(
            *("mean", "centered", "variance", "deviation", "mean_square", "rms", "normed"),
            *("batch_mean", "batch_variance", *(f"running_{local}" for local in _FOUND)),
        ),
        nouns={
            "mean": "mean",
            "centered": "centered vector",
            "variance": "variance",
            "deviation": "standard deviation",
            "mean_square": "mean square",
            "rms": "root mean square",
            "normed": "normed vector",
        },
        plan=lambda place: _normalizing_norm(place).definitions(),
        running={f"running_{local}": local for local in _FOUND},
    ),
    formulas=Formulas(x="x", gives=("gamma", "beta")),
    example=Example("encoder_block", ("block=encoder",)),
    prominence=Prominence(on_the_way=True, explained_once=True),
    mistakes=(
        Mistake(
            "other_divisor",
            "Dividing the squares by n − 1 where n belongs, or the other way round.",
            wrong(
                remade(lambda _, place: MeanOfSquares(place.norm.get(OVER) != "n-1")), MeanOfSquares
            ),
            _which_divisor,
        ),
        Mistake(
            "not_centered",
            "Dividing the numbers themselves by the deviation, without subtracting the mean.",
            wrong(operand(0, WENT_IN), Normalize, when=lambda p: not _is_batch(p)),
        ),
        Mistake(
            "not_normed",
            "Leaving out the norm.",
            in_last(by(Same(), WENT_IN)),
        ),
        Mistake(
            "epsilon_elsewhere",
            "Adding ε to the deviation where it belongs under the root, or the other way round.",
            wrong(remade(_epsilon_elsewhere), RootOf),
            _which_epsilon,
        ),
        Mistake(
            "root_forgotten",
            "Dividing by the variance itself, without taking its root.",
            either(wrong(without_root, RootOf, RootOfEach), wrong(left_out, RootOf, RootOfEach)),
        ),
        Mistake(
            "sum_for_mean",
            "Adding up without dividing by how many numbers there are: the sum instead of the"
            " mean.",
            wrong(sum_for_mean),
        ),
        *(
            Mistake(f"{local}_forgotten", f"Leaving out {letter}.", wrong(_without(local)))
            for local, letter in (("gamma", "γ"), ("beta", "β"))
        ),
        *map(norm_order, ("pre", "post")),
    ),
    backward=Backward(
        "the norm",
        "A norm undoes a change of a vector's size (a layer norm also a shift), so the gradient"
        " has almost no part in these directions.",
        fixed=("mean", "variance"),
        example=Example("i_love_ai"),
    ),
)


_QK = ("Q", "K")
_NAMES = ("mean", "centered", "variance", "deviation", "mean_square", "rms")
_GIVEN = ("gamma", "beta")
_KIND = KIND._replace(
    kind=Choice(("rms", "layer")), says="`rms` (the default), or `layer`", default="rms"
)
QK_NORM = Key(
    "qk_norm",
    Record.of(
        _KIND,
        *SETTINGS[1:],
        Key(
            "when", Choice(("before", "after")), "`before` the rotation (the default) or `after` it"
        ),
        Key(
            "heads",
            Choice(("each", "together")),
            "`each` head by itself (the default, as Qwen3 has it), or all `together` (as OLMo 2)",
        ),
        Key("gamma_Q", VECTOR, "γ of the queries, [d_k], or of all heads together [heads · d_k]"),
        Key("gamma_K", VECTOR, "γ of the keys"),
        Key("beta_Q", VECTOR, "β of the queries"),
        Key("beta_K", VECTOR, "β of the keys"),
    ),
    "queries and keys are normalized: `{kind: rms}`, with γ and β",
    shared=True,
)


def _settings(place: AttentionPlace) -> KeyValues:
    return place.attention.config.get(QK_NORM)


def _together(place: AttentionPlace) -> bool:
    return place.attention.heads > 1 and _settings(place).get("heads") == "together"


def _after(place: AttentionPlace) -> bool:
    return bool(_settings(place).get("when") == "after")


def _check_qk_norm(place: AttentionPlace) -> Objections:
    attention, settings = place.attention, _settings(place)
    where = attention.config.at(QK_NORM)
    if _after(place) and attention.positions.rotated is None:
        wrong = "qk_norm after a rotation, and nothing rotates queries and keys"
        yield where, wrong, "leave `when` out, or say positions: rope"
    if settings.get("heads") == "together" and attention.heads > 1:
        if attention.own_heads:
            wrong = "all heads together, and each head has matrices of its own"
            yield where, wrong, "say heads: each"
        elif _after(place):
            wrong = "all heads together, and each head rotates its own queries and keys"
            yield where, wrong, "say when: before, or heads: each"


def _is_due(place: AttentionPlace) -> bool:
    """Tells whether this is the moment: for all heads, or in each; before the rotation or after
    it."""
    if not place.attention.config.says(QK_NORM):
        return False
    turned = "Q" in place.wires
    at_head = isinstance(place, HeadPlace)
    return turned if _after(place) else not turned and at_head != _together(place)


def _normalizing_qk_norm(place: AttentionPlace, name: str) -> Normalizing:
    settings, path = _settings(place), place.attention.config.at(QK_NORM)
    norm = Settings(path, {_KIND.name: _KIND.default, **settings})
    given = {local: below(path, f"{local}_{name}") for local in _GIVEN}
    return Normalizing(
        norm,
        place.latest(name),
        lambda local: place.name(f"{name}_{local}"),
        place.name(f"normed_{name}"),
        tuple((local, full) for local, full in given.items() if place.scenario.gives(full)),
        path,
        "d" if _together(place) else "d_k",
    )


def _plan_qk_norm(place: AttentionPlace) -> tuple[Definition, ...]:
    if not _is_due(place):
        return ()
    parts = (_normalizing_qk_norm(place, name).definitions() for name in _QK)
    return tuple(
        d
        for name, made in zip(_QK, parts, strict=True)
        for d in (*made[:-1], made[-1]._replace(wire=name))
    )


def _other_gamma(definition: Definition, place: AttentionPlace) -> Definition | None:
    """Changes a norm of queries to one with the γ of the keys; returns None where not both have
    one."""
    own, other = (dict(_normalizing_qk_norm(place, name).given) for name in _QK)
    if own.keys() != other.keys() or "gamma" not in own:
        return None
    return definition._replace(operands=(*definition.operands[:2], *other.values()))


def _happens_qk_norm(place: AttentionPlace) -> str:
    several = place.attention.heads > 1
    whose = (" of all heads together" if _together(place) else " of this head") if several else ""
    how = norm_in_words(_normalizing_qk_norm(place, "Q"))
    return f"Queries and keys{whose} are normalized before they are compared. {how}"


QK_NORM_STEP = Step(
    name="qk_norm",
    at=AttentionPlace,
    keys=(QK_NORM,),
    check=_check_qk_norm,
    words=Wording(
        title="Query and key norm",
        does="brings all queries and keys to the same size",
        shapes="Q [n, d_k], K [m, d_k] → normed_Q [n, d_k], normed_K [m, d_k]",
        happens=_happens_qk_norm,
        why=(
            "A score is large also where its two vectors are long, so all queries and keys are"
            " brought to the same size."
        ),
        more=(
            "Otherwise they may grow in training until a single key takes all of the attention. The"
            " learned γ sets how large the scores may get."
        ),
    ),
    results=Results(
        names=tuple(made for x in _QK for made in (*(f"{x}_{of}" for of in _NAMES), f"normed_{x}")),
        nouns={"normed_Q": "normed query", "normed_K": "normed key"},
        plan=_plan_qk_norm,
    ),
    formulas=Formulas(config={"qk_norm": {}}, gives=("gamma_Q", "gamma_K")),
    example=Example(changes=("qk_norm={kind: rms}",)),
    prominence=Prominence(on_the_way=True),
    mistakes=(
        *(
            Mistake[AttentionPlace](
                f"{x}_not_normed",
                f"Leaving the {what} unnormalized.",
                wrong(by(Same(), x), f"normed_{x}"),
            )
            for x, what in (("Q", "queries"), ("K", "keys"))
        ),
        Mistake(
            "gamma_of_the_keys",
            "Multiplying the queries by the keys' γ.",
            wrong(_other_gamma, "normed_Q"),
        ),
    ),
    backward=Backward(
        "the norm of queries and keys",
        "A normalized vector can only be turned, so the gradient has almost no part along the"
        " vector.",
    ),
)
