"""From the values that were read to a recurrent layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from attncli.file.keys import typed
from attncli.file.problems import NamedProblems
from attncli.name import Name, below
from attncli.scenario.model import Attention, Layer, Recurrent, Settings
from attncli.steps.schema import ATTENTION, CELL, LAYER_ALONE, WAY

Values = Mapping[str, Any]

_FOR_BOTH = {"weights_layout", "activation", "d_k", "d_v", "d_ff", "norms"}
"""What is for other layers, and yet may be said where a cell is."""


class RecurrentBuilder(NamedTuple):
    """Builds recurrent layers of the values that were read."""

    complaints: NamedProblems

    def layer(self, path: Name, values: Values) -> Layer:
        """A recurrent layer; what it says that isn't for a cell is wrong."""
        cell = typed(Recurrent, values, kind=values["cell"], said=Settings(path, values))
        self._check_foreign(path, values, cell)
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
        if below(path, "cell") in self.complaints.places:
            return  # which has a complaint of its own
        for key in values:
            if key in ("backward", *WAY) or (key in CELL and not CELL[key].shared):
                self.complaints.add(
                    below(path, key), f"{key} is of a recurrent cell, and this layer has none",
                    "say which, like cell: rnn",
                )  # fmt: skip

    def _check_foreign(self, path: Name, values: Values, cell: Recurrent) -> None:
        for key in values:
            if key in ("block", "cross", *ATTENTION, *LAYER_ALONE) and key not in _FOR_BOTH:
                self.complaints.add(
                    below(path, key), f"{key} is not for a recurrent layer (cell: {cell.kind})",
                    "leave it out, or give it a layer of its own",
                )  # fmt: skip
