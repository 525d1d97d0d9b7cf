"""Recurrent cells: gates and the state, made of the input and the memory.

* gates: those of LSTM and GRU cells. Hochreiter & Schmidhuber 1997; Gers et al. 2000 (the forget
  gate); Cho et al. 2014, arXiv:1406.1078. A reset after the product with the memory: Chung et al.
  2014, arXiv:1412.3555, as PyTorch and cuDNN have it.
* state: the memory after a token, of plain, LSTM and GRU cells. Elman 1990; Hochreiter &
  Schmidhuber 1997; Cho et al. 2014, arXiv:1406.1078.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncli.maths.operations.activations import Activate
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.rearranging import Same
from attncli.maths.operations.recurrent import (
    AddUp,
    Gated,
    GatedBlend,
    GatedColumn,
    GatedProduct,
    SumWithGate,
)
from attncli.names import Name, below
from attncli.scenario.file.keys import Choice, Key
from attncli.scenario.file.matrices import MATRIX, VECTOR
from attncli.scenario.file.problems import Objections
from attncli.scenario.model import LETTERS, Recurrent, Settings
from attncli.steps.mistakes import (
    Change,
    Ways,
    all_wrong,
    by,
    either,
    left_out,
    remade,
    wrong,
)
from attncli.steps.recurrent.sequence import (
    bias_of_input,
    bias_of_memory,
    gates,
    if_empty,
    matrix,
    terms_left_out,
)
from attncli.steps.step import Backward, Example, Formulas, Mistake, Planned, Results, Step, Wording
from attncli.trace import CellPlace, Definition, WayPlace

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
"""The settings of PyTorch's cells, where matrices are stored as it stores them."""


def _check_gates(place: CellPlace) -> Objections:
    for key in (RESET, UPDATE) if place.cell.kind != "gru" else ():
        if place.cell.config.says(key):
            yield below(place.layer.path, key.name), f"{key.name} is for cell: gru", "leave it out"


def settled(settings: Settings) -> Settings:
    """Returns what is said of a cell, with what goes without saying where its matrices are stored
    as PyTorch stores them."""
    if settings.layout != "torch":
        return settings
    return settings._replace(values={**_IN_TORCH, **settings.values})


def keeps_old(place: WayPlace) -> bool:
    """Tells whether an update gate of 1 keeps the old memory, instead of taking the candidate."""
    return settled(place.cell.config).get(UPDATE) == "old"


def _cell_gates(place: CellPlace) -> CellPlace:
    """Returns the place of the cell whose gates these are: gates have a path of their own."""
    return place.at(place.path.path)


def gate_name(place: CellPlace, local: str) -> Name:
    """Returns the full name of a gate at this time, or of what leads to it: `gates[2].forget`."""
    return below(place.timed("gates"), local)


def _gate(place: CellPlace, gate: str) -> Iterator[Definition]:
    """Yields a gate: a sum over the input and the memory, and what squashes it."""
    z = gate_name(place, f"z_{gate}")
    if gate == "candidate" and place.cell.kind == "gru":
        yield from _candidate_of_gru(place, z)
    else:
        memory = place.timed("a", place.before)
        yield _sum_gates(place, z, gate, memory)
    kind = "tanh" if gate == "candidate" else "sigmoid"
    yield Definition(gate_name(place, gate), Activate(kind), (z,))


def _sum_gates(place: CellPlace, made: Name, gate: str, memory: Name) -> Definition:
    """Defines W x[t] + U a[t−1] + b."""
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
    """Yields the ways to take what the reset gate should be multiplied by as it is: there, or where
    that is used."""
    made = {d.name.local: d for d in planned}
    if "reset_a" in made:
        reset_a, z = made["reset_a"], made["z_candidate"]
        operands = (reset_a.operands[1] if o == reset_a.name else o for o in z.operands)
        yield (reset_a._replace(operation=Same(), operands=reset_a.operands[1:]),)
        yield (z._replace(operands=tuple(operands)),)


def _reset_after(gates_at: CellPlace, planned: Planned) -> Iterator[Planned]:
    """Yields the ways to apply the reset gate after the product with the memory, where it should
    come before: in the candidate's sum alone, or in what is gated too."""
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
    """Yields the ways to apply the reset gate before the product with the memory, where it should
    come after: in the candidate's sum alone, or in what leads there too."""
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
    """Returns the one way to make a change in the sum of each gate over the input and the memory
    itself."""

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
    check=_check_gates,
    words=Wording(
        title="Gates",
        does="decides what is kept, what is written and what is shown",
        shapes="x[t] [d], a[t−1] [h] → each gate [h]",
        happens=lambda place: (
            _HAPPENS_GATES.get(place.cell.kind, "").format(
                updated="kept" if keeps_old(place) else "replaced"
            )
            + terms_left_out(_cell_gates(place))
        ),
        why=(
            "Gates are numbers between 0 and 1 that decide how old memory and new candidate are"
            " mixed."
        ),
        more=(
            "Nobody sets the gates: weight matrices, random before training, compute them at each"
            " step from the new input and the last hidden state. They are what the network has"
            " learned of the language. To both products a bias b is added: with a large one a gate"
            " stays open. A plain recurrent cell has no gates and rewrites its whole memory at each"
            " token, so what came long ago is soon lost. In training, the gradient goes back"
            " through it and is multiplied by the same matrix at every step. Over a long sentence"
            " it may vanish: it comes near 0, and nothing is learned from early words. Or it"
            " explodes: it grows without end, and the weights with it. The LSTM was made against"
            " the vanishing. Where its forget gate stays near 1, the memory and its gradient come"
            " through many steps nearly whole."
        ),
    ),
    results=Results(
        names=(*LETTERS, *(f"z_{gate}" for gate in LETTERS), "candidate_a", "reset_a"),
        nouns={
            "update": "update gate",
            "forget": "forget gate",
            "reset": "reset gate",
            "output": "output gate",
            "candidate": "candidate",
        },
        plan=lambda place: tuple(
            d for gate in gates(place) for d in _gate(_cell_gates(place), gate)
        ),
    ),
    formulas=Formulas(
        path=Name("gates").at(2),
        cell=Recurrent("lstm"),
        gives=tuple(f"b_{x}" for x in LETTERS.values()),
    ),
    example=Example("yassine_lstm"),
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
        example=Example("yassine_lstm", ("targets=[[0]]", "loss=binary_cross_entropy")),
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
    """Defines the cell state, of what it takes over of the candidate and what it keeps; and what
    the cell shows of that."""
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
    check=_check_state,
    words=Wording(
        title="State",
        does="writes the new state",
        shapes="ax[t] [h], aa[t] [h] → a[t] [h]; or gates [h], the state before [h] → a[t] [h]",
        happens=_happens,
        why=(
            "The state is what a recurrent cell passes on: to the next step as its memory, and to"
            " the read-out."
        ),
        more="With tanh the numbers of a stay between −1 and 1, however many tokens there are.",
    ),
    results=Results(
        names=("z", "a", "c", "tanh_c"),
        nouns={"a": "state", "c": "memory", "z": "sum before the activation"},
        plan=lambda place: _PLANS[place.cell.kind](place),
    ),
    formulas=Formulas(cell=Recurrent(), gives=("b_a",)),
    example=Example("yassine_rnn_sentence"),
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
        example=Example("rnn_backward_through_time"),
    ),
)
