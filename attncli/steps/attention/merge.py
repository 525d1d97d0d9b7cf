"""The heads' outputs together (Vaswani et al. 2017, arXiv:1706.03762, 3.2.2)."""

from __future__ import annotations

from attncli.arithmetic.operations import Interleave, JoinColumns, Linear, MatMul, Same
from attncli.file.keys import Key
from attncli.file.matrices import MATRIX, VECTOR
from attncli.name import Name, below
from attncli.steps.linear import MISTAKES_BACK, linear
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import AttentionPlace, Definition


def _outputs(place: AttentionPlace) -> tuple[Name, ...]:
    attention = place.attention
    return tuple(below(attention.head_path(head), "output") for head in range(attention.heads))


def _plan(place: AttentionPlace) -> tuple[Definition, ...]:
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


def _interleaved(place: AttentionPlace) -> Definition | None:
    joined = _joined(place)
    return joined and joined._replace(operation=Interleave(len(joined.operands)))


def _joined(place: AttentionPlace) -> Definition | None:
    """All heads side by side; None of a single one."""
    return next((one for one in _plan(place) if isinstance(one.operation, JoinColumns)), None)


def _through_W_O(  # noqa: N802
    place: AttentionPlace, *, bias: bool = True, transposed: bool = False
) -> Definition | None:
    if not place.gives("W_O") or not (bias or place.gives("b_O")):
        return None
    x = _plan(place)[-1].operands[0]
    out_in = place.attention.said.linear != transposed
    made = linear(place, "attention", x, "_O", out_in=out_in)
    plain = Linear() if out_in else MatMul()
    return made if bias else made._replace(operation=plain, operands=made.operands[:2])


def _without_W_O(place: AttentionPlace) -> Definition | None:  # noqa: N802
    made = _through_W_O(place)
    return made and made._replace(operation=Same(), operands=made.operands[:1])


def _reversed(place: AttentionPlace) -> Definition | None:
    outputs = _outputs(place)
    if len(outputs) == 1:
        return None
    joined = JoinColumns(len(outputs))
    return Definition(place.name("concat"), joined, tuple(reversed(outputs)))


def _happens(place: AttentionPlace) -> str:
    several = place.attention.heads > 1
    told = "All heads' outputs are set side by side" if several else "The output is"
    if place.gives("W_O"):
        told += f"{' and' if several else ''} multiplied by W_O: the attention"
    return f"{told}."


STEP = Step(
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
    happens=_happens,
    why=(
        "The attention of a layer is one vector for each token, of the model's width, ready to be"
        " added to the token's own."
    ),
    more=(
        "Each head has found something else: side by side their outputs make one long vector, and"
        " W_O mixes what they found."
    ),
    example="three_tokens_two_heads",
    plan=_plan,
    general=General(heads=2, gives=("W_O",)),
    mistakes=(
        Mistake(
            "heads_in_another_order",
            "Setting the heads' outputs side by side in another order.",
            _reversed,
        ),
        Mistake(
            "heads_interleaved",
            "Taking the columns of the heads in turn instead of one head after the other.",
            _interleaved,
        ),
        Mistake(
            "W_O_left_out",
            "Leaving W_O out, and going on with the heads' outputs as they are.",
            _without_W_O,
        ),
        Mistake(
            "W_O_transposed",
            "Multiplying by the rows of W_O instead of its columns.",
            lambda place: _through_W_O(place, transposed=True),
        ),
        Mistake(
            "b_O_forgotten",
            "Leaving out the bias b_O.",
            lambda place: _through_W_O(place, bias=False),
        ),
    ),
    pictures=("heat_maps",),
    backward=Backward(
        "the heads' merging",
        "The gradient of the whole is cut into the heads' columns, through W_O if there is one.",
        usual_mistakes=MISTAKES_BACK,
        shown_with=("heads=2",),
    ),
)
