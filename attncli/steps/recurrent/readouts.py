"""The outputs of a recurrent layer.

* states: all states of a layer, one row a token.
* readout: what is read out of the memory: W_ya a[t] + b_y, through a sigmoid or a softmax.
* readouts: all that is read out of a cell, one row a time, beside which its targets stand.
* gradient: what a gradient is multiplied by on its way back through time: ∏ W_aaᵀ diag(1 − a²).
  Bengio et al. 1994; Pascanu et al. 2013, arXiv:1211.5063.
"""

from __future__ import annotations

from attncli.maths.operations.activations import Activate
from attncli.maths.operations.attention import MatMul
from attncli.maths.operations.rearranging import ColumnsAsRows, JoinColumns, Same
from attncli.maths.operations.recurrent import (
    AddUp,
    FrobeniusNorm,
    ReluSlope,
    RowAsColumn,
    TanhSlope,
    TimesDiagonal,
)
from attncli.maths.operations.softmax import AddedUp, Exponential, ShareItself, SoftmaxDown
from attncli.names import Name, below
from attncli.scenario.file.keys import Choice, Flag, Key
from attncli.scenario.file.matrices import MATRIX, VECTOR
from attncli.scenario.file.problems import Objections
from attncli.scenario.model import Recurrent, Settings
from attncli.steps.mistakes import either, left_out, operand, remade, turned_round, wrong
from attncli.steps.recurrent.sequence import matrix, product, rows
from attncli.steps.step import Backward, Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Axis, CellPlace, Definition, WayPlace


def _plan_states(place: WayPlace) -> tuple[Definition, ...]:
    cell = place.cell
    if cell.direction != "both":
        return (_of_way(place, place.path),)
    ways = [_of_way(place, cell.way_path(place.path, way)) for way in cell.ways]
    joined = JoinColumns(len(ways))
    return (*ways, Definition(place.name("states"), joined, tuple(w.name for w in ways)))


def _of_way(place: WayPlace, path: Name) -> Definition:
    way = place.at(path)
    columns = tuple(way.name("a").at(time) for time in range(1, place.times + 1))
    operation = ColumnsAsRows(place.times)
    return Definition(way.name("states"), operation, columns, rows=rows(place))


def _as_made(definition: Definition, place: WayPlace) -> Definition | None:
    """Changes the states of the way back to the order in which they are made; returns None for
    others."""
    is_back = definition.name.path == place.cell.way_path(place.path, "backward")
    return turned_round(definition, place) if is_back and "backward" in place.cell.ways else None


_ALONG = "Side by side, the states show how the memory changes along the sentence."

STATES_STEP = Step(
    name="states",
    at=WayPlace,
    words=Wording(
        title="States",
        does="puts the states of all steps side by side",
        shapes="a[1] … a[n] [h] → states [n, h]",
        happens=lambda _: "Each row is the state after a token.",
        why=_ALONG,
        more="A next layer takes them as its input.",
        why_at=lambda place: (
            _ALONG if place.times > 1 else "A next layer takes states as its input."
        ),
    ),
    results=Results(
        names=("states",), nouns={"states": "state"}, plan=_plan_states, pictures=("states",)
    ),
    formulas=Formulas(cell=Recurrent()),
    example=Example("yassine_rnn_sentence"),
    mistakes=(
        Mistake(
            "states_in_the_order_of_making",
            "Listing the states of the way back in the order in which they are computed, so that"
            " each stands beside another token.",
            wrong(_as_made, ColumnsAsRows),
        ),
    ),
    backward=Backward(
        "the states", "Each state gets its row of the gradient.", example=Example("")
    ),
)


READOUT = Key(
    "readout",
    Choice(("sigmoid", "softmax", "none")),
    "what the read-out is turned into, `sigmoid` by default",
    "sigmoid",
)
READOUT_FROM: Key[str] = Key(
    "readout_from",
    Choice(("every", "last")),
    "after which steps there is a read-out: `every` one (the default), or the `last` of the "
    "cell; with `direction: both` the last of the sentence",
)


def _check_readout(place: CellPlace) -> Objections:
    scenario, path = place.scenario, place.layer.path
    for key in (READOUT, READOUT_FROM):
        name = below(path, key.name)
        own = place.cell.config.says(key) and scenario.writes(name)
        if own and not scenario.writes(below(path, "W_ya")):
            yield name, f"{key.name}, and no W_ya for a read-out", "give W_ya, or leave it out"


def end_of(place: WayPlace) -> str:
    """Returns what becomes of what is read out: `sigmoid`, `softmax`, `none`."""
    return place.cell.config.get(READOUT)


def made_at(place: WayPlace) -> tuple[str, str]:
    """Returns the local names of what comes before a sigmoid or a softmax, and of what comes
    out."""
    z = "z_y" if _bias(place) else "ya"
    return z, z if end_of(place) == "none" else "y"


def _plan_readout(place: CellPlace) -> tuple[Definition, ...]:
    W = below(place.layer.path, "W_ya")
    if not place.scenario.gives(W):
        return ()
    definitions, state = list[Definition](), place.timed("a")
    if place.cell.direction == "both":  # its two states at a time as one
        state, key = place.timed("s"), rows(place).index(place.time - 1)
        operation = RowAsColumn(place.time - 1, key)
        definitions.append(Definition(state, operation, (place.name("states"),)))
    definitions.append(product(place, place.timed("ya"), W, state))
    if _bias(place):
        operands = (place.timed("ya"), *_bias(place))
        definitions.append(Definition(place.timed("z_y"), AddUp(0, 1, 1), operands))
    return (*definitions, *_squashed(place, definitions[-1].name))


def _bias(place: WayPlace) -> tuple[Name, ...]:
    b = below(place.layer.path, "b_y")
    return (b,) if place.scenario.gives(b) else ()


def _squashed(place: CellPlace, z: Name) -> tuple[Definition, ...]:
    y = place.timed("y")
    if end_of(place) == "sigmoid":
        return (Definition(y, Activate("sigmoid"), (z,)),)
    if end_of(place) == "none":
        return ()
    rounding = place.scenario.rounding.of_quantity("readout", place.timed("y_exp"))
    exp, total = place.timed("y_exp"), place.timed("y_sum")
    return (
        Definition(exp, Exponential.down(rounding), (z,)),
        Definition(total, AddedUp(), (exp,)),
        Definition(y, ShareItself(), (exp, total)),
    )


def _whole(place: CellPlace, made: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Returns a softmax as one equation, whose gradient is that of its result, as people know
    it."""
    if end_of(place) != "softmax" or not made:
        return made
    *before, exp, _, y = made
    return (*before, y._replace(operation=SoftmaxDown(), operands=exp.operands))


_HAPPENS = {
    "sigmoid": (
        "The state is multiplied by the weights of the read-out. A sigmoid turns the result into"
        " a probability."
    ),
    "softmax": (
        "The state is multiplied by the weights of the read-out. A softmax turns the result into"
        " probabilities."
    ),
    "none": "The state is multiplied by the weights of the read-out.",
}

READOUT_STEP = Step(
    name="readout",
    at=CellPlace,
    keys=(
        Key("W_ya", MATRIX, "weights of the read-out of the memory, W_ya a⟨t⟩ + b_y, [k, h]"),
        Key("b_y", VECTOR, "its bias, [k]"),
        READOUT,
        READOUT_FROM,
    ),
    check=_check_readout,
    words=Wording(
        title="Read-out",
        does="computes an answer from the state",
        shapes="W_ya [k, h], a[t] [h] → y[t] [k]",
        happens=lambda place: _HAPPENS[end_of(place)],
        why="A state by itself is no answer, so W_ya computes one from it.",
        more=(
            "A sigmoid turns a single number into a probability. A softmax turns one number for"
            " each class into probabilities that add up to 1."
        ),
    ),
    results=Results(
        names=("s", "ya", "z_y", "y_exp", "y_sum", "y"),
        nouns={"ya": "state's part of the read-out", "z_y": "logit", "y": "read-out"},
        plan=_plan_readout,
    ),
    formulas=Formulas(
        cell=Recurrent(config=Settings(values={"readout": "softmax"})), gives=("W_ya", "b_y")
    ),
    example=Example("yassine_rnn_sentence"),
    mistakes=(
        Mistake(
            "bias_forgotten",
            "Leaving out the bias b_y of the read-out.",
            either(
                wrong(left_out, "z_y"),
                wrong(operand(0, lambda place: place.timed("ya")), Activate),
            ),
        ),
    ),
    backward=Backward(
        "the read-out",
        "The state's gradient comes from the weights of the read-out, and the weights' gradient"
        " from the state.",
        whole=_whole,
        example=Example("rnn_backward_through_time"),
    ),
)


def _plan_readouts(place: WayPlace) -> tuple[Definition, ...]:
    """Defines what comes out; and, where gradients go back, the logits that it was made of."""
    z, y = made_at(place)
    readouts = _side_by_side(place, "readouts", y)
    if z == y or not place.scenario.goes_back:
        return (readouts,)
    return _side_by_side(place, "readout_logits", z), readouts


def _side_by_side(place: WayPlace, made: str, local: str) -> Definition:
    times, names = times_read(place), rows(place).names
    axis = Axis(tuple(names[time - 1] for time in times), rows(place).role)
    columns = tuple(place.name(local).at(time) for time in times)
    return Definition(place.name(made), ColumnsAsRows(len(times)), columns, rows=axis)


def times_read(place: WayPlace) -> tuple[int, ...]:
    """Returns the times at which the cell is read out, as the sentence goes."""
    return tuple(sorted(place.order)) if place.cell.readout_every else (place.order[-1],)


def _sized(place: WayPlace, planned: Definition) -> Definition:
    """Returns a definition with a column for each class or token that probabilities are of, if they
    are as many."""
    vocabulary = place.scenario.prediction.logits.vocabulary
    if end_of(place) != "softmax" or place.width(planned.name) != len(vocabulary):
        return planned
    return planned._replace(columns=Axis(vocabulary, "vocabulary"))


READOUTS_STEP = Step(
    name="readouts",
    at=WayPlace,
    words=Wording(
        title="Read-outs",
        does="puts the read-outs of all steps side by side",
        shapes="y[1] … y[n] [k] → readouts [n, k]",
        happens=lambda place: (
            "Each row is the read-out after a token."
            if end_of(place) == "none"
            else "Each row has the probabilities after a token."
        ),
        why="A loss compares the read-out of each step with its target.",
        more="With one read-out, after the last token, there is a single row.",
    ),
    results=Results(
        names=("readouts", "readout_logits"),
        nouns={"readouts": "read-out", "readout_logits": "logit"},
        plan=_plan_readouts,
        sized=_sized,
    ),
    formulas=Formulas(
        cell=Recurrent(config=Settings(values={"readout": "softmax"})), gives=("b_y",)
    ),
    example=Example("rnn_backward_through_time"),
    mistakes=(
        Mistake(
            "readouts_turned_round",
            "Listing the read-outs from the last to the first, so that each stands beside"
            " another's target.",
            wrong(turned_round, "readouts"),
        ),
    ),
    backward=Backward(
        "the read-outs",
        "Each step's read-out gets its row of the gradient.",
        example=Example("rnn_backward_through_time"),
    ),
)


def _check_gradient(place: CellPlace) -> Objections:
    if place.cell.kind != "rnn" or place.cell.direction == "both":
        wrong = "the factor is that of an rnn that goes one way"
        yield below(place.layer.path, "gradient"), wrong, "leave it out"


def _plan_gradient(place: CellPlace) -> tuple[Definition, ...]:
    if not place.cell.gradient:
        return ()
    slope, factor = place.timed("slope"), place.timed("factor")
    tanh = place.cell.activation == "tanh"
    sloped = (TanhSlope(), place.timed("a")) if tanh else (ReluSlope(), place.timed("z"))
    last = place.time == place.order[-1]
    operands = (matrix(place, "W_aa"), slope)
    own = Definition(place.timed("step_factor"), TimesDiagonal(place.cell.in_out), operands)
    later = 2 * place.time - place.before
    chained = (
        Definition(factor, Same(), (own.name,))
        if last
        else Definition(factor, MatMul(), (own.name, place.timed("factor", later)))
    )
    norm = Definition(place.timed("factor_norm"), FrobeniusNorm(), (factor,))
    made = (Definition(slope, sloped[0], (sloped[1],)), own, chained, norm)
    first = place.time == place.order[0]
    return (*made, _norms(place)) if first else made


def _norms(place: CellPlace) -> Definition:
    """Defines how large the factor is at each time, one row a token."""
    columns = tuple(place.timed("factor_norm", time) for time in range(1, place.times + 1))
    operation, number = ColumnsAsRows(place.times), Axis((), "")
    return Definition(
        place.name("factor_norms"), operation, columns,
        rows=rows(place), columns=number,
    )  # fmt: skip


_WHICH_W_AA = (
    "Multiplying by W_aaᵀ instead of W_aa itself, which is kept in × out.",
    "Multiplying by W_aa itself instead of W_aaᵀ.",
)
_PRODUCT = (
    "The factor of a step is the product of these matrices so far, and leads to the state before"
    " it. Its norm is the root of the sum of its squares (the Frobenius norm)."
)


def _happens_gradient(place: CellPlace) -> str:
    start = "first" if place.way == "backward" else "last"
    slope = {"tanh": "1 − a²", "relu": ("1 where z is above 0, and 0 otherwise")}[
        place.cell.activation
    ]
    return (
        f"On its way back from the {start} token, a gradient is multiplied at each step by W_aa"
        f" transposed and by the slope of the activation. The slope of {place.cell.activation} is"
        f" {slope}."
        f"{f' {_PRODUCT}' if place.time == place.order[-1] else ''}"
    )


GRADIENT_STEP = Step(
    name="gradient",
    at=CellPlace,
    keys=(
        Key(
            "gradient",
            Flag(),
            "of an rnn that goes one way, in its own layer: by what a gradient is multiplied on "
            "its way back through time, ∏ W_aaᵀ diag(1 − a²), and how large that is (√ of the sum "
            "of all squares)",
        ),
    ),
    check=_check_gradient,
    words=Wording(
        title="Gradient factor",
        does="follows how much an error shrinks or grows on its way back",
        shapes="W_aa [h, h], a[t] [h] → factor[t] [h, h]",
        happens=_happens_gradient,
        why=(
            "Learning goes backward through time: the error after the last token is multiplied by"
            " one matrix for each token."
        ),
        more=(
            f"{_PRODUCT} Where the norm shrinks, the gradient vanishes, so that early words teach"
            " almost nothing. Where it grows, the gradient explodes."
        ),
    ),
    results=Results(
        names=("slope", "step_factor", "factor", "factor_norm", "factor_norms"),
        nouns={"factor_norm": "norm of the gradient's factor"},
        plan=_plan_gradient,
        pictures=("gradient_norm",),
    ),
    formulas=Formulas(cell=Recurrent(gradient=True)),
    example=Example("yassine_rnn_sentence"),
    mistakes=(
        Mistake(
            "W_aa_not_transposed",
            "Multiplying by W_aa itself where W_aaᵀ belongs, or the other way round.",
            wrong(remade(lambda _, place: TimesDiagonal(not place.cell.in_out)), TimesDiagonal),
            lambda _, made: _WHICH_W_AA[made.operation == TimesDiagonal(in_out=True)],
        ),
    ),
)
