"""The weights of all heads, averaged, as PyTorch's `MultiheadAttention` returns them."""

from __future__ import annotations

from attncli.arithmetic.operations import Add, MeanOf, Operation, Same
from attncli.file.keys import Key
from attncli.file.kinds import Flag
from attncli.name import Name, below
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import AttentionPlace, Definition

_AVERAGE = Key(
    "average_heads",
    Flag(),
    "whether the mean of all heads' weights is worked, too, as `MultiheadAttention` returns it",
    False,
    shared=True,
)


def _weights(place: AttentionPlace) -> tuple[Name, ...]:
    """The weights that values are multiplied by, of each head."""
    said, attention = place.attention.said.values, place.attention
    local = "dropped" if "dropout" in said else "key_weights" if "sinks" in said else "weights"
    return tuple(below(attention.head_path(head), local) for head in range(attention.heads))


def _mean(place: AttentionPlace, operation: Operation) -> Definition:
    return Definition(place.name("mean_weights"), operation, _weights(place))


def _plan(place: AttentionPlace) -> tuple[Definition, ...]:
    if not place.attention.said.get(_AVERAGE):
        return ()
    heads = place.attention.heads
    return (_mean(place, MeanOf(heads) if heads > 1 else Same()),)


def _happens(place: AttentionPlace) -> str:
    if place.attention.heads == 1:
        return "There is one head: its weights are the mean."
    return "The weights of all heads are added up and divided by how many heads there are."


STEP = Step(
    name="average",
    at=AttentionPlace,
    keys=(_AVERAGE,),
    title="Average of the heads",
    does="averages the weights of all heads",
    makes=("mean_weights",),
    shapes="h weights [n, m] → mean_weights [n, m]",
    happens=_happens,
    why=(
        "What a layer attends to as a whole is shown by the mean of its heads' weights; nothing in"
        " the model goes on with it."
    ),
    more="Heads that attend to different tokens blur each other in it.",
    plan=_plan,
    general=General(heads=2, said={"average_heads": True}),
    shown_with=("heads=2", "average_heads=true"),
    adds_up_to_one=(),
    mistakes=(
        Mistake(
            "not_divided",
            "Adding the weights up without dividing by the number of heads.",
            lambda place: _mean(place, Add(place.attention.heads)),
        ),
    ),
    pictures=("heat_maps",),
    backward=Backward(
        "the average of the heads",
        "What is looked at only is no part of the loss.",
        example="",
    ),
)
