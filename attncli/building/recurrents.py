"""From the values that were read to a recurrent layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncli.file.keys import typed
from attncli.file.problems import Complaints
from attncli.name import Name, below
from attncli.records import NamedTuple
from attncli.refusals import listed
from attncli.scenario.model import GATES, LETTERS, Attention, Layer, Recurrent, Settings
from attncli.steps.schema import ATTENTION, CELL, LAYER_ALONE, WAY

Values = Mapping[str, Any]

_FOR_BOTH = {"weights_layout", "activation", "d_k", "d_v", "d_ff", "norms"}
"""What is for other layers, and yet may be said where a cell is."""
_STACKED = ("W_ih", "W_hh", "b_ih", "b_hh")


def _known_order(kind: str, values: Values) -> tuple[str, ...]:
    """The order of the gates that is said, if it has each gate once; else the usual one."""
    usual = GATES.get(kind, ())
    said = tuple(values.get("gate_order", usual))
    return said if sorted(said) == sorted(usual) else usual


class RecurrentBuilder(NamedTuple):
    """Builds recurrent layers of the values that were read."""

    complaints: Complaints

    def layer(self, path: Name, values: Values) -> Layer:
        """A recurrent layer; what it says that isn't for a cell, or not for this one, is wrong."""
        kind, layout = values["cell"], values.get("weights_layout", "linear")
        usual = {"reset": "after", "update": "old"} if layout == "torch" else {}
        said = Settings(path, {**usual, **values})
        cell = typed(Recurrent, values, kind=kind, layout=layout, said=said)._replace(
            gate_order=_known_order(kind, values),
            readout_every=values.get("readout_from", "every") == "every",
        )
        self._check_foreign(path, values, cell)
        self._check_idle(path, values, cell)
        self._check_matrices(path, values, cell)
        self._check_both(path, values, cell)
        return Layer(path, "recurrent", attention=Attention(path), recurrent=cell)

    @staticmethod
    def shared(values: Values, layer: Values) -> Values:
        """What a layer of a list takes over of what is said for all: one with a cell what is for
        cells, another one the rest."""
        recurrent = "cell" in layer or ("cell" in values and "block" not in layer)
        if recurrent:
            own = {*CELL, "weights_layout", "activation"}
            return {key: value for key, value in values.items() if key in own}
        return {key: value for key, value in values.items() if key not in CELL}

    def check_none(self, path: Name, values: Values) -> None:
        """Complains of what is for a cell where there is none."""
        if self._is_written(path, "cell"):
            return  # which has a complaint of its own
        for key in values:
            if key in ("backward", *WAY) or (key in CELL and not CELL[key].shared):
                self.complaints.add(
                    below(path, key), f"{key} is of a recurrent cell, and this layer has none",
                    "say which, like cell: rnn",
                )  # fmt: skip
        if values.get("weights_layout") == "torch":
            self.complaints.add(
                below(path, "weights_layout"), "torch is how recurrent cells are stacked",
                "say linear for attention, or cell: rnn for a cell",
            )  # fmt: skip

    def _check_foreign(self, path: Name, values: Values, cell: Recurrent) -> None:
        for key in values:
            if key in ("block", "cross", *ATTENTION, *LAYER_ALONE) and key not in _FOR_BOTH:
                self.complaints.add(
                    below(path, key), f"{key} is not for a recurrent layer (cell: {cell.kind})",
                    "leave it out, or give it a layer of its own",
                )  # fmt: skip
        if cell.activation not in ("tanh", "relu"):
            self.complaints.add(
                below(path, "activation"), f"a recurrent cell with {cell.activation}",
                "use tanh or relu",
            )  # fmt: skip
        elif cell.kind != "rnn" and cell.activation != "tanh":
            self.complaints.add(
                below(path, "activation"), f"an {cell.kind} has gates and tanh of its own",
                "leave it out",
            )  # fmt: skip
        for key in ("reset", "update") if cell.kind != "gru" else ():
            if key in values:
                self.complaints.add(below(path, key), f"{key} is for cell: gru", "leave it out")

    def _check_idle(self, path: Name, values: Values, cell: Recurrent) -> None:
        """Complains of what the layer itself says, and what then does nothing."""
        if "gate_order" in values and cell.layout != "torch":
            self.complaints.add(
                below(path, "gate_order"), "gate_order is for matrices that are stacked",
                "leave it out, or say weights_layout: torch",
            )  # fmt: skip
        for key in ("readout", "readout_from"):
            own = self._is_written(path, key) and not self._is_written(path, "W_ya")
            if key in values and own:
                self.complaints.add(
                    below(path, key), f"{key}, and no W_ya to read out with",
                    "give W_ya, or leave it out",
                )  # fmt: skip

    def _is_written(self, path: Name, key: str) -> bool:
        """Whether a key is in the file at this place itself, read or not."""
        where = self.complaints.where
        return where(below(path, key)) != where(path)

    def _check_matrices(self, path: Name, values: Values, cell: Recurrent) -> None:
        """The matrices are those of the layout and the cell."""
        letters = [LETTERS[gate] for gate in GATES.get(cell.kind, ())] or ["a"]
        own = {name for x in letters for name in (f"W_{x}x", f"W_{x}a", f"b_{x}")}
        own = set(_STACKED) if cell.layout == "torch" else own
        own |= {"initial_state", *(("initial_cell",) if cell.kind == "lstm" else ())}
        inside = ((path, values), (below(path, "backward"), values.get("backward", {})))
        for place, given in inside:
            for name in WAY:
                if name in given and name not in own:
                    self.complaints.add(
                        below(place, name),
                        f"{name} is none of the matrices of this cell ({cell.kind},"
                        f" weights_layout: {cell.layout})",
                        f"it has {listed(sorted(own))}",
                    )
        gates, said = GATES.get(cell.kind, ()), tuple(values.get("gate_order", cell.gate_order))
        if cell.layout == "torch" and cell.gate_order != said:
            self.complaints.add(
                below(path, "gate_order"), f"the gates {listed(said)}",
                f"name each gate of {cell.kind} once: {', '.join(gates) or 'it has none'}",
            )  # fmt: skip

    def _check_both(self, path: Name, values: Values, cell: Recurrent) -> None:
        given = "backward" in values or self._is_written(path, "backward")
        if cell.direction == "both" and not given:
            self.complaints.add(
                below(path, "direction"), "both directions, and no matrices of the way back",
                "give those of the other way in `backward`, like backward: {W_ax: …}",
            )  # fmt: skip
        if "backward" in values and cell.direction != "both":
            self.complaints.add(
                below(path, "backward"), "matrices of the way back, and one way only",
                "say direction: both, or leave them out",
            )  # fmt: skip
        if cell.gradient and (cell.kind != "rnn" or cell.direction == "both"):
            self.complaints.add(
                below(path, "gradient"), "the factor is that of an rnn that goes one way",
                "leave it out",
            )  # fmt: skip
