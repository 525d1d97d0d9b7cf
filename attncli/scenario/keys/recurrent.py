"""What a recurrent layer may say."""

from __future__ import annotations

from attncli.scenario.keys.kinds import Choice, Flag, Key, ListOf, Record
from attncli.scenario.keys.matrices import MatrixKind, VectorKind

_MATRIX = MatrixKind()
_VECTOR = VectorKind()

CELLS = ("rnn", "gru", "lstm")
WAYS = ("forward", "backward")
GATES = {
    "lstm": ("update", "forget", "candidate", "output"),
    "gru": ("reset", "update", "candidate"),
}
"""The gates of a cell in PyTorch's order; an update gate is also called an input gate."""
LETTERS = {"update": "u", "forget": "f", "reset": "r", "candidate": "c", "output": "o"}
"""How the matrices of a gate are called: `W_fx`, `W_fa`, `b_f`."""

_OF = {
    "a": "the memory of a plain cell",
    **{letter: f"the {gate} gate" for gate, letter in LETTERS.items()},
    "c": "the candidate",
}

_WEIGHTS = tuple(
    key
    for letter, what in _OF.items()
    for key in (
        Key(f"W_{letter}x", _MATRIX, f"weights of the input in {what}, [h, d]"),
        Key(f"W_{letter}a", _MATRIX, f"weights of the memory in {what}, [h, h]"),
        Key(f"b_{letter}", _VECTOR, f"the bias of {what}, [h]"),
    )
)
_STACKED = (
    Key("W_ih", _MATRIX, "all weights of the input, as PyTorch stacks them, [gates · h, d]"),
    Key("W_hh", _MATRIX, "all weights of the memory, as PyTorch stacks them, [gates · h, h]"),
    Key("b_ih", _VECTOR, "the biases beside W_ih, [gates · h]"),
    Key("b_hh", _VECTOR, "the biases beside W_hh, [gates · h]"),
)
_START = (
    Key("initial_state", _VECTOR, "a[0], the memory before the first token, zeros by default, [h]"),
    Key("initial_cell", _VECTOR, "c[0] of an lstm, zeros by default, [h]"),
)
ONE_WAY = (*_WEIGHTS, *_STACKED, *_START)

CELL_SETTINGS = (
    Key("cell", Choice(CELLS), "a recurrent layer: rnn, gru or lstm"),
    Key("direction", Choice((*WAYS, "both")), "which way it goes over the sentence"),
    Key("gate_order", ListOf(Choice(tuple(LETTERS))), "the gates in W_ih and W_hh, from the top"),
    Key("reset", Choice(("before", "after")), "gru: reset before the product with W_ca, or after"),
    Key("update", Choice(("new", "old")), "gru: what an update gate of 1 takes"),
)
CELL_KEYS = (
    *ONE_WAY,
    Key("backward", Record(ONE_WAY), "the matrices of the way back, where a cell goes both ways"),
    Key("W_ya", _MATRIX, "weights of what is read out of the memory, [k, h]"),
    Key("b_y", _VECTOR, "its bias, [k]"),
    Key("readout", Choice(("sigmoid", "softmax", "none")), "its end, sigmoid by default"),
    Key("readout_from", Choice(("every", "last")), "at which times, every one by default"),
    Key("gradient", Flag(), "rnn: by what a gradient is multiplied on its way back"),
)
