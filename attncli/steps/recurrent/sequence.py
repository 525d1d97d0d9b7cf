"""Recurrent cells before their gates: stacked matrices, the start, the inputs and the memory.

* unstack: taking stacked matrices apart, one run of rows a gate, as PyTorch keeps them.
* start: the memory before the first token.
* input: one token's vector, and what a plain cell makes of it: W_ax x[t].
* memory: what a plain cell makes of its memory: W_aa a[t−1].
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from attncli.errors import listed
from attncli.maths.operations.attention import MatMul, TransposedWeights
from attncli.maths.operations.equation import is_a
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.rearranging import Same, TakeColumns, TakeRun
from attncli.maths.operations.recurrent import (
    AddUp,
    OnlyRow,
    RowAsColumn,
    Zeros,
)
from attncli.names import Name, below
from attncli.scenario.file.keys import Choice, Key, ListOf
from attncli.scenario.file.matrices import MATRIX, VECTOR
from attncli.scenario.file.problems import Objections
from attncli.scenario.model import CELLS, GATES, LETTERS, WAYS, Recurrent, Settings
from attncli.steps.linear import by_the_other_side
from attncli.steps.mistakes import (
    by,
    operand,
    remade,
    wrong,
)
from attncli.steps.order import keys_of
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
from attncli.trace import Axis, CellPlace, Definition, WayPlace
from attncli.trace.quantity import counted, distinct_tokens
from attncli.trace.shapes import matrices_of_way

INITIAL = {"a": "initial_state", "c": "initial_cell"}
"""The keys that give the states before the first token."""


def gates(place: WayPlace) -> tuple[str, ...]:
    """Returns the gates of a cell; a plain one has none."""
    return GATES.get(place.cell.kind, ())


def letters(place: WayPlace) -> tuple[str, ...]:
    """Returns what the matrices of a cell are called by: `f` of `W_fx`, or the `a` of a plain
    cell."""
    return tuple(LETTERS[gate] for gate in gates(place)) or ("a",)


def matrix(place: WayPlace, local: str) -> Name:
    """Returns the full name of a matrix such as `W_fx`: given, or a part of a stacked one."""
    return place.name(local) if place.cell.stacked else place.weights(local)


def bias_of_input(place: WayPlace, letter: str) -> tuple[Name, ...]:
    """Returns the full name of the bias beside the input, if it is given."""
    if place.cell.stacked:
        given = place.scenario.gives(place.weights("b_ih"))
        return (place.name(f"b_{letter}x"),) if given else ()
    name = place.weights(f"b_{letter}")
    return (name,) if place.scenario.gives(name) else ()


def bias_of_memory(place: WayPlace, letter: str) -> tuple[Name, ...]:
    """Returns the full name of the bias beside the memory, which only stacked matrices have."""
    given = place.cell.stacked and place.scenario.gives(place.weights("b_hh"))
    return (place.name(f"b_{letter}a"),) if given else ()


def product(place: WayPlace, made: Name, W: Name, x: Name) -> Definition:
    """Defines `made` = W x, by full names; of a W that is stored in × out its columns are taken."""
    operation = TransposedWeights() if place.cell.in_out else MatMul()
    return Definition(made, operation, (W, x))


def _turned_over(_: Operation, place: WayPlace) -> Operation:
    return MatMul() if place.cell.in_out else TransposedWeights()


def _columns_for_rows(W: str, of: str, *made: str) -> Mistake[CellPlace]:
    """Makes the mistake of taking the columns of a matrix for its rows in W x, or its rows for its
    columns where it is stored in × out."""

    def which(_: Definition, product: Definition) -> str:
        by_rows = is_a(product.operation, MatMul)
        return f"Multiplying {of} {by_the_other_side(W, by_rows=by_rows)}."

    says = f"Multiplying {of} by the columns of {W} where its rows belong, or the other way round."
    return Mistake(f"{W}_transposed", says, wrong(remade(_turned_over), *made), which)


def is_empty(place: CellPlace, local: str = "a") -> bool:
    """Tells whether the state that this time starts from is nothing but zeros, before any token."""
    given = place.scenario.given.matrices.get(place.weights(INITIAL[local]))
    return place.before == place.start and (given is None or not given.values.any())


def if_empty(place: CellPlace, operand: int, local: str = "a") -> int | None:
    """Returns the place of the memory among an operation's operands, if its terms are to be left
    out; otherwise None."""
    return operand if is_empty(place, local) else None


def terms_left_out(place: CellPlace, local: str = "a") -> str:
    """Says that the terms of an empty memory are left out; nothing where they aren't."""
    what = "cell state" if local == "c" else "state"
    return f" The initial {what} is 0: its terms are left out." if is_empty(place, local) else ""


def rows(place: WayPlace) -> Axis:
    """Returns the tokens that the times of a cell are, as names of rows."""
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
    """Returns the gates in the order in which they are stacked: that which is said, if it has each
    gate once; else the usual one."""
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
    """Yields all that is taken from elsewhere in each other order of the gates, first that in which
    the first two are exchanged."""
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
    check=_check_unstack,
    words=Wording(
        title="Gates out of the stack",
        does="splits a stacked matrix into those of the gates",
        shapes="W_ih [gates · h, d], W_hh [gates · h, h] → a W [h, d] and a W [h, h] for each gate",
        happens=lambda _: "Each gate takes its own run of rows of the stacked matrices.",
        why=(
            "Programs keep the matrices of all gates in one for a single product, but by hand it is"
            " clearer to take them apart."
        ),
        more="The order of the gates is a convention that differs from library to library.",
    ),
    results=Results(
        names=tuple(f"{kind}_{x}{y}" for kind in "Wb" for x in "aufrco" for y in "xa"),
        plan=_plan_unstack,
    ),
    formulas=Formulas(
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
        example=Example(""),
    ),
)


def _start(place: WayPlace, name: str) -> Definition:
    given = place.weights(INITIAL[name])
    made = place.name(name).at(place.start)
    if place.scenario.gives(given):
        return Definition(made, OnlyRow(), (given,))
    return Definition(made, Zeros(), (_of_memory(place),))


def _of_memory(place: WayPlace) -> Name:
    """Returns the name of a matrix that is as high as the memory."""
    return matrix(place, f"W_{letters(place)[0]}a")


def _when(place: WayPlace) -> str:
    """Says when a way begins; the way back begins where the way forward ends."""
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
    words=Wording(
        title="Initial state",
        does="sets the state of a recurrent cell before the first token",
        shapes="a[0] [h], of an lstm also c[0] [h]",
        happens=_happens_start,
        why=_WHY_START,
        more=(
            "Nothing has been read yet, so the memory is empty. From there on, the cell adds each"
            " token to what it remembers of the earlier ones. A memory has a fixed size, so what is"
            " new displaces what is old."
        ),
        titled=lambda place: f"Initial state, {_when(place)}",
        why_at=_why_start,
    ),
    results=Results(
        names=("a", "c"),
        nouns={"a": "state", "c": "memory"},
        plan=lambda place: tuple(
            _start(place, name) for name in (("a", "c") if place.cell.kind == "lstm" else ("a",))
        ),
    ),
    formulas=Formulas(cell=Recurrent()),
    example=Example("yassine_rnn_sentence"),
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
        example=Example("rnn_backward_through_time", ("initial_state=[0.1, 0, 0]",)),
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
    """Complains of matrices, of either way, that aren't of this kind of cell, kept in this way."""
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
    check=_check_input,
    words=Wording(
        title="Input",
        does="takes in the next token",
        shapes="X [n, d] → x[t] [d]; W_ax [h, d], x[t] [d] → W_ax x[t] [h]",
        happens=lambda place: (
            "The token's vector is the cell's input"
            + (
                " and is multiplied by the weights of the input."
                if place.cell.kind == "rnn"
                else "."
            )
        ),
        why="A recurrent cell reads one token at a time: its new input is that token's vector.",
        more=(
            "The matrix that it is multiplied by picks out what is worth remembering, with one dot"
            " product for each number of the memory."
        ),
    ),
    results=Results(
        names=("x", "ax"), nouns={"x": "input", "ax": "input's part of the state"}, plan=_plan_input
    ),
    formulas=Formulas(cell=Recurrent()),
    example=Example("yassine_rnn_sentence"),
    mistakes=(_columns_for_rows("W_ax", "the input", "ax"),),
    backward=Backward(
        "the input",
        "The gradient of a token's term goes back to the token's vector and to the weights.",
        example=Example("rnn_backward_through_time"),
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
    words=Wording(
        title="Memory",
        does="brings back the state of the step before",
        shapes="W_aa [h, h], a[t−1] [h] → W_aa a[t−1] [h]",
        happens=lambda place: (
            f"The memory of the tokens {'after' if place.way == 'backward' else 'before'} is"
            f" multiplied by its own weights{': it is still empty' if is_empty(place) else ''}."
        ),
        why=(
            "This makes the cell recurrent: the state of the step before comes back in, through the"
            " same W_aa at every step."
        ),
        more="With an empty memory it adds nothing.",
    ),
    results=Results(names=("aa",), nouns={"aa": "memory's part of the state"}, plan=_plan_memory),
    formulas=Formulas(cell=Recurrent()),
    example=Example("yassine_rnn_sentence"),
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
        example=Example("rnn_backward_through_time"),
        prominence=Prominence(read_first=True),
    ),
)
