"""What a recurrent cell makes of its input and its memory: gates and the state.

* gates: those of LSTM and GRU cells. Hochreiter & Schmidhuber 1997; Gers et al. 2000 (the forget
  gate); Cho et al. 2014, arXiv:1406.1078. A reset after the product with the memory: Chung et al.
  2014, arXiv:1412.3555, as PyTorch and cuDNN have it.
* state: the memory after a token, of plain, LSTM and GRU cells. Elman 1990; Hochreiter &
  Schmidhuber 1997; Cho et al. 2014, arXiv:1406.1078.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from attncli.errors import listed
from attncli.file.keys import Choice, Key, ListOf
from attncli.file.matrices import MATRIX, VECTOR
from attncli.file.problems import Objections
from attncli.names import Name, below
from attncli.operations.activations import Activate
from attncli.operations.attention import MatMul, TransposedWeights
from attncli.operations.equation import is_a
from attncli.operations.operation import Operation
from attncli.operations.rearranging import Same, TakeColumns, TakeRun
from attncli.operations.recurrent import (
    AddUp,
    Gated,
    GatedBlend,
    GatedColumn,
    GatedProduct,
    OnlyRow,
    RowAsColumn,
    SumWithGate,
    Zeros,
)
from attncli.scenario.model import CELLS, GATES, LETTERS, WAYS, Recurrent, Settings
from attncli.steps.linear import by_the_other_side
from attncli.steps.mistakes import (
    Change,
    Ways,
    all_wrong,
    by,
    either,
    left_out,
    operand,
    remade,
    wrong,
)
from attncli.steps.order import keys_of
from attncli.steps.step import Backward, General, Mistake, Planned, Step
from attncli.trace import Axis, CellPlace, Definition, WayPlace
from attncli.trace.quantity import counted, distinct_tokens
from attncli.trace.shapes import matrices_of_way

_OF = {letter: f"the {gate} gate" for gate, letter in LETTERS.items()} | {
    "u": "the update gate (of an lstm: the input gate)",
    "c": "the candidate",
}
RESET = Key(
    "reset",
    Choice(("before", "after")),
    "of a gru: the reset gate comes `before` the product with W_ca (the default), or "
    "`after` it (the default of `weights_layout: torch`)",
    "before",
    shared=True,
)
UPDATE = Key(
    "update",
    Choice(("new", "old")),
    "of a gru: what an update gate of 1 takes, what is `new` (the default) or what is "
    "`old` (the default of `weights_layout: torch`)",
    "new",
    shared=True,
)
_KEYS = tuple(
    key
    for letter, what in _OF.items()
    for key in (
        Key(f"W_{letter}x", MATRIX, f"weights of the input in {what}, [h, d]"),
        Key(f"W_{letter}a", MATRIX, f"weights of the memory in {what}, [h, h]"),
        Key(f"b_{letter}", VECTOR, f"the bias of {what}, [h]"),
    )
)


_IN_TORCH = {RESET.name: "after", UPDATE.name: "old"}
"""What PyTorch does, where matrices are kept as it keeps them."""


def _check_gates(place: CellPlace) -> Objections:
    for key in (RESET, UPDATE) if place.cell.kind != "gru" else ():
        if place.cell.config.says(key):
            yield below(place.layer.path, key.name), f"{key.name} is for cell: gru", "leave it out"


def settled(settings: Settings) -> Settings:
    """What is said of a cell, or goes without saying where PyTorch keeps its matrices."""
    if settings.layout != "torch":
        return settings
    return settings._replace(values={**_IN_TORCH, **settings.values})


def keeps_old(place: WayPlace) -> bool:
    """Whether an update gate of 1 keeps the old memory, instead of taking the candidate."""
    return settled(place.cell.config).get(UPDATE) == "old"


def _cell_gates(place: CellPlace) -> CellPlace:
    """The place of the cell whose gates these are: they have a path of their own."""
    return place.at(place.path.path)


def gate_name(place: CellPlace, local: str) -> Name:
    """The full name of a gate at this time, or of what leads to it: `gates[2].forget`."""
    return below(place.timed("gates"), local)


def _gate(place: CellPlace, gate: str) -> Iterator[Definition]:
    """A gate: a sum over the input and the memory, and what squashes it."""
    z = gate_name(place, f"z_{gate}")
    if gate == "candidate" and place.cell.kind == "gru":
        yield from _candidate_of_gru(place, z)
    else:
        memory = place.timed("a", place.before)
        yield _sum_gates(place, z, gate, memory)
    kind = "tanh" if gate == "candidate" else "sigmoid"
    yield Definition(gate_name(place, gate), Activate(kind), (z,))


def _sum_gates(place: CellPlace, made: Name, gate: str, memory: Name) -> Definition:
    """W x[t] + U a[t−1] + b"""
    letter = LETTERS[gate]
    inputs = (matrix(place, f"W_{letter}x"), place.timed("x"))
    products = (*inputs, matrix(place, f"W_{letter}a"), memory)
    biases = (*bias_of_input(place, letter), *bias_of_memory(place, letter))
    operation = AddUp(2, 0, len(biases), place.cell.in_out, if_empty(place, 3))
    return Definition(made, operation, (*products, *biases))


def _candidate_of_gru(place: CellPlace, z: Name) -> Iterator[Definition]:
    before, reset_a = place.timed("a", place.before), gate_name(place, "reset_a")
    reset = gate_name(place, "reset")
    if settled(place.cell.config).get(RESET) == "before":
        yield Definition(reset_a, GatedColumn(), (reset, before))
        yield _sum_gates(place, z, "candidate", reset_a)
        return
    drawn = gate_name(place, "candidate_a")
    biases = bias_of_memory(place, "c")
    operands = (matrix(place, "W_ca"), before, *biases)
    product = AddUp(1, 0, len(biases), place.cell.in_out, if_empty(place, 1))
    yield Definition(drawn, product, operands)
    yield Definition(reset_a, GatedColumn(), (reset, drawn))
    own = bias_of_input(place, "c")
    operands = (matrix(place, "W_cx"), place.timed("x"), reset_a, *own)
    yield Definition(z, AddUp(1, 1, len(own), place.cell.in_out), operands)


def _reset_ignored(_: CellPlace, planned: Planned) -> Iterator[Planned]:
    """What the reset gate is to be multiplied by, as it is, there or where that is used."""
    made = {d.name.local: d for d in planned}
    if "reset_a" in made:
        reset_a, z = made["reset_a"], made["z_candidate"]
        operands = (reset_a.operands[1] if o == reset_a.name else o for o in z.operands)
        yield (reset_a._replace(operation=Same(), operands=reset_a.operands[1:]),)
        yield (z._replace(operands=tuple(operands)),)


def _reset_after(gates_at: CellPlace, planned: Planned) -> Iterator[Planned]:
    """A candidate whose reset gate comes after the product with the memory, where it is to come
    before: in its sum alone, or in what is gated too."""
    made = {d.name.local: d for d in planned}
    if "reset_a" not in made or "candidate_a" in made:
        return
    place, reset_a, z = _cell_gates(gates_at), made["reset_a"], made["z_candidate"]
    own, inside = bias_of_input(place, "c"), bias_of_memory(place, "c")
    inputs, (U, (reset, memory)) = z.operands[:2], (z.operands[2], reset_a.operands)
    in_out = place.cell.in_out
    summed = SumWithGate(True, len(inside), len(own), in_out)
    yield (z._replace(operation=summed, operands=(*inputs, U, memory, reset, *inside, *own)),)
    product, total = GatedProduct(len(inside), in_out), AddUp(1, 1, len(own), in_out)
    yield (
        reset_a._replace(operation=product, operands=(U, memory, reset, *inside)),
        z._replace(operation=total, operands=(*inputs, reset_a.name, *own)),
    )


def _reset_before(gates_at: CellPlace, planned: Planned) -> Iterator[Planned]:
    """A candidate whose reset gate comes before the product with the memory, where it is to come
    after: in its sum alone, or in what leads there too."""
    made = {d.name.local: d for d in planned}
    if "candidate_a" not in made:
        return
    place = _cell_gates(gates_at)
    drawn, reset_a, z = (made[name] for name in ("candidate_a", "reset_a", "z_candidate"))
    (U, memory, *inside), reset = drawn.operands, reset_a.operands[0]
    inputs, own = z.operands[:2], z.operands[3:]
    summed = SumWithGate(False, len(inside), len(own), place.cell.in_out)
    yield (z._replace(operation=summed, operands=(*inputs, U, memory, reset, *inside, *own)),)
    yield (
        reset_a._replace(operands=(reset, memory)),
        drawn._replace(operands=(U, reset_a.name, *inside)),
        z._replace(operands=(*inputs, drawn.name, *own)),
    )


def _in_sums(change: Change[CellPlace]) -> Ways[CellPlace]:
    """A mistake in the sum of each gate over the input and the memory itself."""

    def in_sum(z: Definition, gates_at: CellPlace) -> Definition | None:
        place = _cell_gates(gates_at)
        memory = place.timed("a", place.before)
        return change(z, place) if z.operands[3:4] == (memory,) else None

    return all_wrong(in_sum, *(f"z_{gate}" for gate in LETTERS))


def _without_memory(z: Definition, place: CellPlace) -> Definition:
    bias = z.operands[4 : len(z.operands) - len(bias_of_memory(place, "u"))]
    operation = AddUp(1, 0, len(bias), place.cell.in_out)
    return z._replace(operation=operation, operands=(*z.operands[:2], *bias))


def _without_bias_gates(z: Definition, place: CellPlace) -> Definition | None:
    products, bias = z.operands[:4], z.operands[4:]
    operation = AddUp(2, 0, 0, place.cell.in_out)
    return z._replace(operation=operation, operands=products) if bias else None


_HAPPENS_GATES = {
    "lstm": (
        "The input gate (update) says how much of the candidate is written. The forget gate says"
        " how much of the cell state is kept, the output gate how much of it is shown. The"
        " sigmoid squashes the sum of each gate to numbers between 0 and 1, tanh that of the"
        " candidate to numbers between −1 and 1."
    ),
    "gru": (
        "The reset gate says how much of the memory the candidate may see, the update gate how"
        " much of the memory is {updated}."
    ),
}

GATES_STEP = Step(
    name="gates",
    at=CellPlace,
    keys=(*_KEYS, RESET, UPDATE),
    title="Gates",
    does="decides what is kept, what is written and what is shown",
    makes=(*LETTERS, *(f"z_{gate}" for gate in LETTERS), "candidate_a", "reset_a"),
    shapes="x[t] [d], a[t−1] [h] → each gate [h]",
    happens=lambda place: (
        _HAPPENS_GATES.get(place.cell.kind, "").format(
            updated="kept" if keeps_old(place) else "replaced"
        )
        + terms_left_out(_cell_gates(place))
    ),
    why="Gates are numbers between 0 and 1 that decide how old memory and new candidate are mixed.",
    more=(
        "Nobody sets the gates: weight matrices, random before training, compute them at each step"
        " from the new input and the last hidden state. They are what the network has learned of"
        " the language. To both products a bias b is added: with a large one a gate stays open. A"
        " plain recurrent cell has no gates and rewrites its whole memory at each token, so what"
        " came long ago is soon lost. In training, the gradient goes back through it and is"
        " multiplied by the same matrix at every step. Over a long sentence it may vanish: it comes"
        " near 0, and nothing is learned from early words. Or it explodes: it grows without end,"
        " and the weights with it. The LSTM was made against the vanishing. Where its forget gate"
        " stays near 1, the memory and its gradient come through many steps nearly whole."
    ),
    example="yassine_lstm",
    check=_check_gates,
    plan=lambda place: tuple(d for gate in gates(place) for d in _gate(_cell_gates(place), gate)),
    general=General(
        path=Name("gates").at(2),
        cell=Recurrent("lstm"),
        gives=tuple(f"b_{x}" for x in LETTERS.values()),
    ),
    mistakes=(
        Mistake(
            "tanh_for_sigmoid",
            "Squashing a gate by tanh instead of the sigmoid, so that it can turn negative.",
            all_wrong(by(Activate("tanh")), *(gate for gate in LETTERS if gate != "candidate")),
        ),
        Mistake(
            "sigmoid_for_tanh",
            "Squashing the candidate by the sigmoid instead of tanh, so that it can't be negative.",
            wrong(by(Activate("sigmoid")), "candidate"),
        ),
        Mistake(
            "reset_ignored",
            "Ignoring the reset gate, so that the candidate sees the whole memory.",
            _reset_ignored,
        ),
        Mistake(
            "reset_after_product",
            "Multiplying by the reset gate after the product with the weights of the memory,"
            " instead of before it.",
            _reset_after,
        ),
        Mistake(
            "reset_before_product",
            "Multiplying by the reset gate before the product with the weights of the memory,"
            " instead of after it.",
            _reset_before,
        ),
        Mistake(
            "memory_forgotten",
            "Leaving the memory out of a gate's sum.",
            _in_sums(_without_memory),
        ),
        Mistake(
            "bias_forgotten",
            "Leaving the bias out of a gate's sum.",
            _in_sums(_without_bias_gates),
        ),
    ),
    backward=Backward(
        "the gates",
        "Where a gate is nearly open or shut, the sigmoid is flat, and little of the gradient"
        " goes back.",
        example="yassine_lstm",
        shown_with=("targets=[[0]]", "loss=binary_cross_entropy"),
    ),
)


def _check_state(place: CellPlace) -> Objections:
    cell, where = place.cell, below(place.layer.path, "activation")
    if cell.activation not in _DOES:
        yield where, f"a recurrent cell with {cell.activation}", f"use {' or '.join(_DOES)}"
    elif cell.kind != "rnn" and cell.activation != "tanh":
        yield where, f"an {cell.kind} has gates and tanh of its own", "leave it out"


def _plain(place: CellPlace) -> tuple[Definition, ...]:
    biases = (*bias_of_input(place, "a"), *bias_of_memory(place, "a"))
    total, operands = _added_up(place, len(biases)), (place.timed("ax"), place.timed("aa"), *biases)
    z = Definition(place.timed("z"), total, operands)
    text = place.cell.activation
    does = Activate(text if text in _DOES else "tanh")  # of another there is a complaint
    return z, Definition(place.timed("a"), does, (z.name,))


def _added_up(place: CellPlace, biases: int) -> AddUp:
    return AddUp(0, 2, biases, empty=if_empty(place, 1))


def _without_bias_state(definition: Definition, place: CellPlace) -> Definition:
    return definition._replace(operation=_added_up(place, 0), operands=definition.operands[:2])


def _lstm(place: CellPlace) -> tuple[Definition, ...]:
    """What the cell takes over of the candidate, and what it keeps; and what it shows of that."""
    c, squashed = place.timed("c"), place.timed("tanh_c")
    new, candidate, old = (gate_name(place, gate) for gate in ("update", "candidate", "forget"))
    operands = (new, candidate, old, place.timed("c", place.before))
    return (
        Definition(c, Gated(if_empty(place, 3, "c")), operands),
        Definition(squashed, Activate("tanh"), (c,)),
        Definition(place.timed("a"), GatedColumn(), (gate_name(place, "output"), squashed)),
    )


def _gru(place: CellPlace) -> tuple[Definition, ...]:
    gates = (gate_name(place, "update"), gate_name(place, "candidate"))
    blend = GatedBlend(keeps_old(place), if_empty(place, 2))
    return (Definition(place.timed("a"), blend, (*gates, place.timed("a", place.before))),)


_PLANS = {"rnn": _plain, "lstm": _lstm, "gru": _gru}


def _other_blend(_: Operation, place: CellPlace) -> GatedBlend:
    return GatedBlend(not keeps_old(place), if_empty(place, 2))


def _other_gates(definition: Definition, _: CellPlace) -> Definition:
    new, candidate, old, before = definition.operands
    return definition._replace(operands=(old, candidate, new, before))


_HAPPENS_STATE = {
    "rnn": "Input and memory are added up{bias}, and {does}: the new state.",
    "lstm": (
        "The new cell state c is the forget gate times the old one, plus the input gate (update)"
        " times the candidate. The new hidden state a is the output gate times tanh(c)."
    ),
    "gru": (
        "The new state lies between the candidate and the old state: an update gate near 1 takes"
        " the {one}, one near 0 the {other}."
    ),
}
_DOES = {"tanh": "tanh squashes the sum", "relu": "relu keeps what is above 0"}
_UPDATED = ("candidate", "old state")


def _happens(place: CellPlace) -> str:
    bias = " with the bias" if bias_of_input(place, "a") else ""
    text, other = _UPDATED[::-1] if keeps_old(place) else _UPDATED
    does = _DOES[place.cell.activation]
    line = _HAPPENS_STATE[place.cell.kind].format(bias=bias, does=does, one=text, other=other)
    empty = {"rnn": "a", "lstm": "c"}.get(place.cell.kind)  # those of a gru, its gates have told
    return line + (terms_left_out(place, empty) if empty else "")


STATE_STEP = Step(
    name="state",
    at=CellPlace,
    keys=(Key("b_a", VECTOR, "the bias of the memory of a plain cell, [h]"),),
    title="State",
    does="writes the new state",
    makes=("z", "a", "c", "tanh_c"),
    shapes="ax[t] [h], aa[t] [h] → a[t] [h]; or gates [h], the state before [h] → a[t] [h]",
    happens=_happens,
    why=(
        "The state is what a recurrent cell passes on: to the next step as its memory, and to the"
        " read-out."
    ),
    more="With tanh the numbers of a stay between −1 and 1, however many tokens there are.",
    example="yassine_rnn_sentence",
    check=_check_state,
    plan=lambda place: _PLANS[place.cell.kind](place),
    general=General(cell=Recurrent(), gives=("b_a",)),
    mistakes=(
        Mistake(
            "activation_forgotten",
            "Leaving out the activation, so that the sum of input and memory is the state.",
            wrong(left_out, "a", when=lambda place: place.cell.kind == "rnn"),
        ),
        Mistake(
            "tanh_forgotten",
            "Showing the cell state itself instead of its tanh.",
            wrong(left_out, "tanh_c"),
        ),
        Mistake(
            "bias_forgotten",
            "Leaving out the bias b_a.",
            wrong(_without_bias_state, "z"),
        ),
        Mistake(
            "gates_swapped",
            "Multiplying the old by the gate of the new, and the new by the gate of the old.",
            either(wrong(remade(_other_blend), GatedBlend), wrong(_other_gates, Gated)),
        ),
    ),
    backward=Backward(
        "the state",
        "The gradient goes back through the equation of the state, where a tanh is nearly flat if"
        " its result is near −1 or 1.",
        example="rnn_backward_through_time",
    ),
)


# --------------------------------------------------------------------------------------------------
# Recurrent cells: stacked matrices, the start, what comes in and what is remembered.
# * unstack: taking stacked matrices apart, one run of rows a gate, as PyTorch keeps them.
# * start: the memory before the first token.
# * input: one token's vector, and what a plain cell makes of it: W_ax x[t].
# * memory: what a plain cell makes of its memory: W_aa a[t−1].

INITIAL = {"a": "initial_state", "c": "initial_cell"}
"""The keys that give the states before the first token."""


def gates(place: WayPlace) -> tuple[str, ...]:
    """The gates of a cell; a plain one has none."""
    return GATES.get(place.cell.kind, ())


def letters(place: WayPlace) -> tuple[str, ...]:
    """What the matrices of a cell are called by: `f` of `W_fx`, or the `a` of a plain cell."""
    return tuple(LETTERS[gate] for gate in gates(place)) or ("a",)


def matrix(place: WayPlace, local: str) -> Name:
    """The full name of a matrix such as `W_fx`: given, or a part of a stacked one."""
    return place.name(local) if place.cell.stacked else place.weights(local)


def bias_of_input(place: WayPlace, letter: str) -> tuple[Name, ...]:
    """The full name of the bias beside the input, if it is given."""
    if place.cell.stacked:
        given = place.scenario.gives(place.weights("b_ih"))
        return (place.name(f"b_{letter}x"),) if given else ()
    name = place.weights(f"b_{letter}")
    return (name,) if place.scenario.gives(name) else ()


def bias_of_memory(place: WayPlace, letter: str) -> tuple[Name, ...]:
    """The full name of the bias beside the memory, which only stacked matrices have."""
    given = place.cell.stacked and place.scenario.gives(place.weights("b_hh"))
    return (place.name(f"b_{letter}a"),) if given else ()


def product(place: WayPlace, made: Name, W: Name, x: Name) -> Definition:
    """`made` = W x, by full names; of a W that is kept in × out its columns are taken."""
    operation = TransposedWeights() if place.cell.in_out else MatMul()
    return Definition(made, operation, (W, x))


def _turned_over(_: Operation, place: WayPlace) -> Operation:
    return MatMul() if place.cell.in_out else TransposedWeights()


def _columns_for_rows(W: str, of: str, *made: str) -> Mistake[CellPlace]:
    """The columns of a matrix for its rows in W x, or its rows for its columns where it is kept
    in × out."""

    def which(_: Definition, product: Definition) -> str:
        by_rows = is_a(product.operation, MatMul)
        return f"Multiplying {of} {by_the_other_side(W, by_rows=by_rows)}."

    says = f"Multiplying {of} by the columns of {W} where its rows belong, or the other way round."
    return Mistake(f"{W}_transposed", says, wrong(remade(_turned_over), *made), which)


def is_empty(place: CellPlace, local: str = "a") -> bool:
    """Whether the state that this time starts from is nothing but zeros, before any token."""
    given = place.scenario.given.get(place.weights(INITIAL[local]))
    return place.before == place.start and (given is None or not given.values.any())


def if_empty(place: CellPlace, operand: int, local: str = "a") -> int | None:
    """The place of the memory among an operation's operands, if its terms are to be left out."""
    return operand if is_empty(place, local) else None


def terms_left_out(place: CellPlace, local: str = "a") -> str:
    """What is said where the terms of an empty memory are left out; nothing where they aren't."""
    what = "cell state" if local == "c" else "state"
    return f" The initial {what} is 0: its terms are left out." if is_empty(place, local) else ""


def rows(place: WayPlace) -> Axis:
    """The tokens that the times of a cell are, as names of rows."""
    names = distinct_tokens(place.text.tokens)
    return Axis(names if len(names) == place.times else counted(place.times), "token")


_GATE_ORDER: Key[tuple[str, ...]] = Key(
    "gate_order",
    ListOf(Choice(tuple(LETTERS))),
    "the gates in W_ih and W_hh, from the top; by default PyTorch's, `[update, forget, "
    "candidate, output]` of an lstm, `[reset, update, candidate]` of a gru",
    shared=True,
)

_STACKED = {"x": ("W_ih", "b_ih"), "a": ("W_hh", "b_hh")}


def _check_unstack(place: WayPlace) -> Objections:
    settings, own = place.cell.config, gates(place)
    if not settings.says(_GATE_ORDER):
        return
    where, order = below(place.layer.path, _GATE_ORDER.name), settings.get(_GATE_ORDER)
    if not place.cell.stacked:
        wrong = "gate_order is for matrices that are stacked"
        yield where, wrong, "leave it out, or say weights_layout: torch"
    elif sorted(order) != sorted(own):
        right = f"name each gate of {place.cell.kind} once: {', '.join(own) or 'it has none'}"
        yield where, f"the gates {listed(order)}", right


def gate_order(cell: Recurrent) -> tuple[str, ...]:
    """The gates in the order in which they are stacked: that which is said, if it has each gate
    once; else the usual one."""
    texts, usual = cell.config.get(_GATE_ORDER) or (), GATES.get(cell.kind, ())
    return texts if sorted(texts) == sorted(usual) else usual


def _plan_unstack(place: WayPlace) -> tuple[Definition, ...]:
    return tuple(_runs(place, gate_order(place.cell))) if place.cell.stacked else ()


def _runs(place: WayPlace, order: tuple[str, ...]) -> Iterator[Definition]:
    letters = tuple(LETTERS[gate] for gate in order) or ("a",)
    count = len(letters)
    for k, letter in enumerate(letters):
        for source, (W, b) in _STACKED.items():
            yield _run(place, f"W_{letter}{source}", W, TakeRun(k, count, "gates"), count)
            if place.scenario.gives(place.weights(b)):
                yield _run(place, f"b_{letter}{source}", b, TakeColumns(k, count, "gates"), count)


def _run(place: WayPlace, made: str, stacked: str, run: Operation, count: int) -> Definition:
    operation = run if count > 1 else Same()
    return Definition(place.name(made), operation, (place.weights(stacked),))


def _other_orders(place: WayPlace) -> Iterator[tuple[Definition, ...]]:
    """All that is taken from elsewhere in each other order of the gates, first that in which the
    first two are exchanged."""
    order, own = gate_order(place.cell), {*_plan_unstack(place)}
    exchanged = (*order[1::-1], *order[2:])
    for other in dict.fromkeys((exchanged, *permutations(order))) if order else ():
        if other != order:
            yield tuple(d for d in _runs(place, other) if d not in own)


UNSTACK_STEP = Step(
    name="unstack",
    at=WayPlace,
    keys=(
        _GATE_ORDER,
        Key(
            "W_ih",
            MATRIX,
            "all weights of the input, as PyTorch stacks them, [gates · h, d], for "
            "`weights_layout: torch`",
        ),
        Key("W_hh", MATRIX, "all weights of the memory, as PyTorch stacks them, [gates · h, h]"),
        Key("b_ih", VECTOR, "the biases beside W_ih, [gates · h]"),
        Key("b_hh", VECTOR, "the biases beside W_hh, [gates · h]"),
    ),
    title="Gates out of the stack",
    does="splits a stacked matrix into those of the gates",
    makes=tuple(f"{kind}_{x}{y}" for kind in "Wb" for x in "aufrco" for y in "xa"),
    shapes="W_ih [gates · h, d], W_hh [gates · h, h] → a W [h, d] and a W [h, h] for each gate",
    happens=lambda _: "Each gate takes its own run of rows of the stacked matrices.",
    why=(
        "Programs keep the matrices of all gates in one for a single product, but by hand it is"
        " clearer to take them apart."
    ),
    more="The order of the gates is a convention that differs from library to library.",
    check=_check_unstack,
    plan=_plan_unstack,
    general=General(
        cell=Recurrent("gru", config=Settings(values={"weights_layout": "torch"})),
        gives=("b_ih", "b_hh"),
    ),
    mistakes=(
        Mistake(
            "gates_in_another_order",
            "Taking the gates' weights out of the stack in the wrong order.",
            lambda place, _: filter(None, _other_orders(place)),
        ),
    ),
    backward=Backward(
        "the stacked weights",
        "Each gate's gradients go back to the rows that it took.",
        example="",
    ),
)


def _start(place: WayPlace, name: str) -> Definition:
    given = place.weights(INITIAL[name])
    made = place.name(name).at(place.start)
    if place.scenario.gives(given):
        return Definition(made, OnlyRow(), (given,))
    return Definition(made, Zeros(), (_of_memory(place),))


def _of_memory(place: WayPlace) -> Name:
    """A matrix that is as high as the memory."""
    return matrix(place, f"W_{letters(place)[0]}a")


def _when(place: WayPlace) -> str:
    """The way back begins where the way forward ends."""
    return "after the last token" if place.way == "backward" else "before the first token"


_WHY_START = (
    "The memory of a recurrent cell is its hidden state, which begins with zeros unless the cell"
    " continues from another text."
)


def _why_start(place: WayPlace) -> str:
    if place.cell.kind != "lstm":
        return _WHY_START
    return (
        "An LSTM has two memories. The cell state c is the long one, which its gates keep and"
        " write. The hidden state a is what they show of it to the next step and the read-out."
    )


def _happens_start(place: WayPlace) -> str:
    states = {"a": "state", "c": "cell state"} if place.cell.kind == "lstm" else {"a": "state"}
    by_name: dict[str, list[str]] = {}
    for name, called in states.items():
        given = place.scenario.gives(place.weights(INITIAL[name]))
        by_name.setdefault("given" if given else "all zeros", []).append(f"the {called}")
    parts = (f"{' and '.join(of)} {'are' if of[1:] else 'is'} {how}" for how, of in by_name.items())
    return f"{_when(place).capitalize()}, {', '.join(parts)}."


START_STEP = Step(
    name="start",
    at=WayPlace,
    keys=(
        Key(
            "initial_state",
            VECTOR,
            "a⟨0⟩, [h], the memory before the first token, zeros by default; where a cell goes "
            "backward, what stands after the last token",
        ),
        Key("initial_cell", VECTOR, "of an lstm: c⟨0⟩, [h], zeros by default"),
    ),
    title="Initial state",
    does="sets the state of a recurrent cell before the first token",
    titled=lambda place: f"Initial state, {_when(place)}",
    makes=("a", "c"),
    shapes="a[0] [h], of an lstm also c[0] [h]",
    happens=_happens_start,
    why_at=_why_start,
    why=_WHY_START,
    more=(
        "Nothing has been read yet, so the memory is empty. From there on, the cell adds each"
        " token to what it remembers of the earlier ones. A memory has a fixed size, so what is new"
        " displaces what is old."
    ),
    example="yassine_rnn_sentence",
    plan=lambda place: tuple(
        _start(place, name) for name in (("a", "c") if place.cell.kind == "lstm" else ("a",))
    ),
    general=General(cell=Recurrent()),
    mistakes=(
        Mistake(
            "memory_dropped",
            "Beginning with an empty memory instead of the given one.",
            wrong(by(Zeros, _of_memory), "a"),
        ),
    ),
    backward=Backward(
        "the initial state",
        "The initial state gets the gradient that comes back from the first step.",
        gives=("initial_state",),
        example="rnn_backward_through_time",
        shown_with=("initial_state=[0.1, 0, 0]",),
    ),
)


def _check_input(place: CellPlace) -> Objections:
    yield from _check_matrices(place)
    cell, path, back = place.cell, place.layer.path, below(place.layer.path, "backward")
    if cell.direction == "both" and not place.scenario.writes(back):
        right = "give those of the other way in `backward`, like backward: {W_ax: …}"
        yield below(path, "direction"), "both directions, and no matrices of the way back", right
    if "backward" in cell.config.values and cell.direction != "both":
        wrong = "matrices of the way back, and one way only"
        yield back, wrong, "say direction: both, or leave them out"


def _check_matrices(place: CellPlace) -> Objections:
    """Those of either way are of this kind of cell, kept in this way."""
    cell, path, data = place.cell, place.layer.path, place.cell.config.values
    own = matrices_of_way(cell)
    for at, given in ((path, data), (below(path, "backward"), data.get("backward", {}))):
        for name in keys_of("way"):
            if name in given and name not in own:
                wrong = (
                    f"{name} is none of the matrices of this cell ({cell.kind}, weights_layout:"
                    f" {cell.config.layout or 'linear'})"
                )
                yield below(at, name), wrong, f"it has {listed(sorted(own))}"


def _plan_input(place: CellPlace) -> tuple[Definition, ...]:
    key = rows(place).index(place.time - 1)
    operation = RowAsColumn(place.time - 1, key)
    x = Definition(place.timed("x"), operation, (place.x,))
    if place.cell.kind != "rnn":
        return (x,)
    return x, product(place, place.timed("ax"), matrix(place, "W_ax"), x.name)


INPUT_STEP = Step(
    name="input",
    at=CellPlace,
    keys=(
        Key(
            "cell", Choice(CELLS), "makes the layer recurrent: `rnn`, `gru` or `lstm`", shared=True
        ),
        Key(
            "direction",
            Choice((*WAYS, "both")),
            "which way it goes over the sentence: `forward` (the default), `backward`, or `both`, "
            "and then `backward: {…}` has the matrices of the way back",
            shared=True,
        ),
        Key("W_ax", MATRIX, "weights of the input in the memory of a plain cell, [h, d]"),
    ),
    title="Input",
    does="takes in the next token",
    makes=("x", "ax"),
    shapes="X [n, d] → x[t] [d]; W_ax [h, d], x[t] [d] → W_ax x[t] [h]",
    happens=lambda place: (
        "The token's vector is the cell's input"
        + (" and is multiplied by the weights of the input." if place.cell.kind == "rnn" else ".")
    ),
    why="A recurrent cell reads one token at a time: its new input is that token's vector.",
    more=(
        "The matrix that it is multiplied by picks out what is worth remembering, with one dot"
        " product for each number of the memory."
    ),
    example="yassine_rnn_sentence",
    check=_check_input,
    plan=_plan_input,
    general=General(cell=Recurrent()),
    mistakes=(_columns_for_rows("W_ax", "the input", "ax"),),
    backward=Backward(
        "the input",
        "The gradient of a token's term goes back to the token's vector and to the weights.",
        example="rnn_backward_through_time",
    ),
)


def _plan_memory(place: CellPlace) -> tuple[Definition, ...]:
    if place.cell.kind != "rnn":
        return ()
    operation = AddUp(1, 0, 0, place.cell.in_out, if_empty(place, 1))
    operands = (matrix(place, "W_aa"), place.timed("a", place.before))
    return (Definition(place.timed("aa"), operation, operands),)


MEMORY_STEP = Step(
    name="memory",
    at=CellPlace,
    keys=(Key("W_aa", MATRIX, "weights of the memory in the memory of a plain cell, [h, h]"),),
    title="Memory",
    does="brings back the state of the step before",
    makes=("aa",),
    shapes="W_aa [h, h], a[t−1] [h] → W_aa a[t−1] [h]",
    happens=lambda place: (
        f"The memory of the tokens {'after' if place.way == 'backward' else 'before'} is multiplied"
        f" by its own weights{': it is still empty' if is_empty(place) else ''}."
    ),
    why=(
        "This makes the cell recurrent: the state of the step before comes back in, through the"
        " same W_aa at every step."
    ),
    more="With an empty memory it adds nothing.",
    example="yassine_rnn_sentence",
    plan=_plan_memory,
    general=General(cell=Recurrent()),
    mistakes=(
        _columns_for_rows("W_aa", "the memory"),
        Mistake(
            "memory_not_carried",
            "Using the initial memory at every step.",
            wrong(operand(1, lambda place: place.timed("a", place.start))),
        ),
    ),
    backward=Backward(
        "the memory",
        "The gradient goes back to the state before through the same weights at every step, so it"
        " may vanish or explode.",
        example="rnn_backward_through_time",
        read_first=True,
    ),
)
