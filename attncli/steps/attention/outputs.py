"""From weights to the output of all heads.

* weighted_sum: the output of a head.
* average: the weights of all heads, averaged, as PyTorch's `MultiheadAttention` returns them.
* merge: the heads' outputs together (Vaswani et al. 2017, arXiv:1706.03762, 3.2.2).
"""

from __future__ import annotations

from attncli.arithmetic.operations.activations import Add, MeanOf
from attncli.arithmetic.operations.moved import Interleave, JoinColumns, Same
from attncli.arithmetic.operations.products import TransposedWeights, WeightedSum
from attncli.file.keys import Key
from attncli.file.kinds import Flag
from attncli.file.matrices import MATRIX, NAMED, VECTOR
from attncli.name import Name, below
from attncli.steps.linear import MISTAKES_BACK, bias_left_out, linear, rows_for_columns
from attncli.steps.mistakes import as_a, by, left_out, operand, turned_round, wrong
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import AttentionPlace, Definition, HeadPlace

WEIGHTED_SUM_STEP = Step(
    name="weighted_sum",
    at=HeadPlace,
    keys=(Key("output", NAMED, "the output of a head, [n, d_v]", in_parts=True),),
    title="Weighted sum",
    does="blends the values by their weights: the output of a head",
    makes=("output",),
    shapes="weights [n, m], V [m, d_v] → output [n, d_v]",
    happens=lambda _: (
        "For each query, every value is multiplied by its weight, and the products are added."
    ),
    why="The output for a token is a blend of all the values, each as strong as its weight.",
    more=(
        "So the token's new vector holds something of every token that it attends to: it is the"
        " token in its context."
    ),
    plan=lambda place: (
        Definition(place.name("output"), WeightedSum(), (place.x, place.latest("V"))),
    ),
    general=General(x="weights"),
    on_the_way=True,
    mistakes=(
        Mistake(
            "keys_for_values",
            "Blending the keys instead of the values.",
            wrong(operand(1, "K")),
        ),
        Mistake(
            "inputs_for_values",
            "Blending what the values are made of instead of the values.",
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
    pictures=("planes",),
    backward=Backward(
        "the weighted sum",
        (
            "A value is pushed by each query as strongly as that attends to it; a weight, as far "
            "as its value points along the gradient."
        ),
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


def _weights(place: AttentionPlace) -> tuple[Name, ...]:
    """The weights that values are multiplied by, of each head."""
    said, attention = place.attention.said.values, place.attention
    local = "dropped" if "dropout" in said else "key_weights" if "sinks" in said else "weights"
    return tuple(below(attention.head_path(head), local) for head in range(attention.heads))


def _plan_average(place: AttentionPlace) -> tuple[Definition, ...]:
    if not place.attention.said.get(_AVERAGE):
        return ()
    heads = place.attention.heads
    mean = MeanOf(heads) if heads > 1 else Same()
    return (Definition(place.name("mean_weights"), mean, _weights(place)),)


def _happens_average(place: AttentionPlace) -> str:
    if place.attention.heads == 1:
        return "There is one head: its weights are the mean."
    return "The weights of all heads are added up and divided by how many heads there are."


AVERAGE_STEP = Step(
    name="average",
    at=AttentionPlace,
    keys=(_AVERAGE,),
    title="Average of the heads",
    does="averages the weights of all heads",
    makes=("mean_weights",),
    shapes="h weights [n, m] → mean_weights [n, m]",
    happens=_happens_average,
    why=(
        "What a layer attends to as a whole is shown by the mean of its heads' weights; nothing in"
        " the model goes on with it."
    ),
    more="Heads that attend to different tokens blur each other in it.",
    plan=_plan_average,
    general=General(heads=2, said={"average_heads": True}),
    shown_with=("heads=2", "average_heads=true"),
    mistakes=(
        Mistake(
            "not_divided",
            "Adding the weights up without dividing by the number of heads.",
            wrong(lambda one, _: one._replace(operation=Add(len(one.operands)))),
        ),
    ),
    pictures=("heat_maps",),
    backward=Backward(
        "the average of the heads",
        "What is looked at only is no part of the loss.",
        example="",
    ),
)


def _outputs(place: AttentionPlace) -> tuple[Name, ...]:
    attention = place.attention
    return tuple(below(attention.head_path(head), "output") for head in range(attention.heads))


def _plan_merge(place: AttentionPlace) -> tuple[Definition, ...]:
    outputs = _outputs(place)
    definitions: list[Definition] = []
    x = outputs[0]
    if len(outputs) > 1:
        definitions.append(Definition(place.name("concat"), JoinColumns(len(outputs)), outputs))
        x = place.name("concat")
    if place.gives("W_O"):
        out_in = place.attention.said.linear
        definitions.append(linear(place, "attention", x, "_O", out_in=out_in))
    return tuple(definitions)


def _happens_merge(place: AttentionPlace) -> str:
    several = place.attention.heads > 1
    told = "All heads' outputs are set side by side" if several else "The output is"
    if place.gives("W_O"):
        told += f"{' and' if several else ''} multiplied by W_O: the attention"
    return f"{told}."


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
    title="Heads together",
    does="puts the heads' outputs together and mixes them",
    titled=lambda place: "Heads together" if place.attention.heads > 1 else "Output projection",
    makes=("concat", "attention"),
    shapes="h outputs [n, d_v] → concat [n, h · d_v] → attention [n, d_model]",
    happens=_happens_merge,
    why=(
        "The attention of a layer is one vector for each token, of the model's width, ready to be"
        " added to the token's own."
    ),
    more=(
        "Each head has found something else: side by side their outputs make one long vector, and"
        " W_O mixes what they found."
    ),
    example="three_tokens_two_heads",
    plan=_plan_merge,
    general=General(heads=2, gives=("W_O",)),
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
            "Leaving W_O out, and going on with the heads' outputs as they are.",
            wrong(left_out, "attention"),
        ),
        rows_for_columns("W_O", "attention"),
        bias_left_out("b_O", "attention"),
    ),
    pictures=("heat_maps",),
    backward=Backward(
        "the heads' merging",
        "The gradient of the whole is cut into the heads' columns, through W_O if there is one.",
        usual_mistakes=MISTAKES_BACK,
        shown_with=("heads=2",),
    ),
)
