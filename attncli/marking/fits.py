"""How well causes explain what is wrong in a quantity, and which of them is told first."""

from typing import NamedTuple

import numpy as np

from attncli.marking.tolerance import Flags
from attncli.marking.verdicts import Cause, Judgement


class Fit(NamedTuple):
    """How well a cause explains the open numbers of a quantity: which of them it gives, and how
    many of the author's other numbers speak against it, being right, or are `left` open."""

    cause: Cause
    judgement: Judgement
    cells: Flags
    against: Flags
    left: int
    width: float
    way: int | None = None
    later: int = 0
    again: bool = False
    throughout: int = 0
    far: float = 0
    """How far back on the way it was done; what was only written down elsewhere is told last."""

    @property
    def explains(self) -> int:
        return int(np.count_nonzero(self.cells))

    @property
    def is_supported(self) -> bool:
        """Whether the neighbours agree; a single number may be rounded otherwise too."""
        if (
            self.judgement in ("rounding", "worked otherwise")
            or self.explains > np.count_nonzero(self.against) + self.left
        ):
            return True
        rows = (self.cells.sum(axis=1) > 1) & ~self.against.any(axis=1)
        return bool(rows.any())

    def order(self) -> tuple[int, int, int, bool, int, int, float]:
        """The order in which causes are told; of those that explain as much, what was done before,
        then what holds fewest numbers, which is least by chance, or more of the whole paper; then
        the nearest on the way."""
        against, again = int(np.count_nonzero(self.against)), not self.again
        width = round(self.width)
        far = self.far
        return -self.explains, against, -self.later, again, width, -self.throughout, far
