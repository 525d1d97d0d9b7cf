"""An equation at some cells of its result only: what of its operands these take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from attncli.arithmetic.expression import Operand
from attncli.arithmetic.rounding import Cells
from attncli.arithmetic.signature import Signature

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CELL = "c"
"""The index of a list of cells, which no equation has."""


class Portion(NamedTuple):
    """The cells of an equation's result that are asked for: a list, which goes along one index
    then, or all cells of some rows."""

    shapes: Signature
    chosen: Cells | slice

    @property
    def indices(self) -> str:
        """The indices of what is made of them."""
        return _CELL if isinstance(self.chosen, Cells) else self.shapes.indices

    def of(self, array: NDArray[Any], operand: Operand) -> NDArray[Any]:
        """What they take of an operand [n, m], with an axis for each of `along`."""
        chosen = self._chosen
        sides = self.shapes.along(operand)
        at = tuple(chosen.get(side, slice(None)) if side else 0 for side in sides)
        return np.asarray(array[at])

    @property
    def _chosen(self) -> Mapping[str, Any]:
        if isinstance(self.chosen, slice):
            return {"i": self.chosen} if "i" in self.shapes.indices else {}
        cells = {"i": self.chosen.rows, "j": self.chosen.columns}
        return {index: cells[index] for index in self.shapes.indices}

    def along(self, operand: Operand) -> str:
        """The indices of what they take of an operand."""
        if isinstance(self.chosen, slice):
            return "".join(operand.indices)
        own = self.shapes.indices
        return "".join(dict.fromkeys(_CELL if x in own else x for x in operand.indices))
