"""What is read out of the memory: W_ya a[t] + b_y, through a sigmoid or a softmax."""

from __future__ import annotations

from attncli.arithmetic.operations import (
    Activate,
    AddedUp,
    AddUp,
    Exponential,
    RowAsColumn,
    ShareItself,
    SoftmaxDown,
)
from attncli.file.keys import Key
from attncli.file.kinds import Choice
from attncli.file.matrices import MATRIX, VECTOR
from attncli.file.problems import Problems
from attncli.name import Name, below
from attncli.scenario.model import Recurrent, Settings
from attncli.steps.recurrent.cells import product, rows
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import CellPlace, Definition, WayPlace

READOUT = Key(
    "readout",
    Choice(("sigmoid", "softmax", "none")),
    "what becomes of what is read out, `sigmoid` by default",
    "sigmoid",
)
READOUT_FROM: Key[str] = Key(
    "readout_from",
    Choice(("every", "last")),
    "at which times it is read out: `every` one (the default), or the `last` that the "
    "cell comes to; with `direction: both` the last of the sentence",
)
_KEYS = (
    Key("W_ya", MATRIX, "weights of what is read out of the memory, W_ya a⟨t⟩ + b_y, [k, h]"),
    Key("b_y", VECTOR, "its bias, [k]"),
    READOUT,
    READOUT_FROM,
)


def _check(place: CellPlace, problems: Problems) -> None:
    scenario, path = place.scenario, place.layer.path
    for key in (READOUT, READOUT_FROM):
        name = below(path, key.name)
        own = place.cell.said.says(key) and scenario.writes(name)
        if own and not scenario.writes(below(path, "W_ya")):
            wrong = f"{key.name}, and no W_ya to read out with"
            problems.add(scenario.where(name), wrong, "give W_ya, or leave it out")


def end_of(place: WayPlace) -> str:
    """What becomes of what is read out: `sigmoid`, `softmax`, `none`."""
    return place.cell.said.get(READOUT)


def made_at(place: WayPlace) -> tuple[str, str]:
    """The local names of what comes before a sigmoid or a softmax, and of what comes out."""
    z = "z_y" if _bias(place) else "ya"
    return z, z if end_of(place) == "none" else "y"


def _plan(place: CellPlace) -> tuple[Definition, ...]:
    W = below(place.layer.path, "W_ya")
    if not place.scenario.gives(W):
        return ()
    definitions = list(_seen(place))
    state = definitions[-1].name if definitions else place.timed("a")
    definitions.append(product(place, place.timed("ya"), (W, state)))
    if _bias(place):
        operands = (place.timed("ya"), *_bias(place))
        definitions.append(Definition(place.timed("z_y"), AddUp(0, 1, 1), operands))
    return (*definitions, *_squashed(place, definitions[-1].name))


def _seen(place: CellPlace) -> tuple[Definition, ...]:
    """Of a layer that goes both ways, its two states at a time as one."""
    if place.cell.direction != "both":
        return ()
    operation = RowAsColumn(place.time - 1, rows(place).index(place.time - 1))
    return (Definition(place.timed("s"), operation, (place.name("states"),)),)


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
    """A softmax as one equation, whose gradient is that of its result, as people know it."""
    if end_of(place) != "softmax" or not made:
        return made
    *before, exp, _, y = made
    return (*before, y._replace(operation=SoftmaxDown(), operands=exp.operands))


def _without_bias(place: CellPlace) -> Definition | None:
    if not _bias(place) or end_of(place) != "sigmoid":
        return None
    return Definition(place.timed("y"), Activate("sigmoid"), (place.timed("ya"),))


_HAPPENS = {
    "sigmoid": "The state is multiplied by the weights of the read-out; a sigmoid turns the"
    " result into a probability.",
    "softmax": "The state is multiplied by the weights of the read-out; a softmax turns the"
    " result into probabilities.",
    "none": "The state is multiplied by the weights of the read-out.",
}

STEP = Step(
    name="readout",
    at=CellPlace,
    keys=(*_KEYS,),
    title="Read-out",
    does="draws an answer from the state",
    makes=("s", "ya", "z_y", "y_exp", "y_sum", "y"),
    shapes="W_ya [k, h], a[t] [h] → y[t] [k]",
    happens=lambda place: _HAPPENS[end_of(place)],
    why="A state is no answer by itself; W_ya draws one from it.",
    more=(
        "That is one number that a sigmoid turns into a probability, or one for each class,"
        " which a softmax turns into probabilities that add up to 1."
    ),
    example="yassine_rnn_sentence",
    check=_check,
    plan=_plan,
    general=General(
        cell=Recurrent(said=Settings(values={"readout": "softmax"})), gives=("W_ya", "b_y")
    ),
    mistakes=(
        Mistake("bias_forgotten", "Leaving out the bias b_y of the read-out.", _without_bias),
    ),
    backward=Backward(
        "the read-out",
        "The state is pushed along the weights of the read-out, and the weights along the state.",
        whole=_whole,
        example="rnn_backward_through_time",
    ),
)
