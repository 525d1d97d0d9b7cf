"""Named quantities, how each was made, and replaying them with some replaced."""

from attncli.names import GRADIENTS
from attncli.trace.place import (
    AttentionPlace,
    BackwardPlace,
    CellPlace,
    CutPlace,
    HeadPlace,
    LayerPlace,
    NormPlace,
    Place,
    ResidualPlace,
    RoundPlace,
    UpdatePlace,
    WayPlace,
)
from attncli.trace.quantity import Axis, Definition, Quantity
from attncli.trace.trace import PlannedStep, Trace, Unfinished, make

__all__ = [
    "GRADIENTS", "AttentionPlace", "Axis", "BackwardPlace", "CellPlace", "CutPlace",
    "Definition", "HeadPlace", "LayerPlace", "NormPlace", "Place", "PlannedStep", "Quantity",
    "ResidualPlace", "RoundPlace", "Trace", "Unfinished", "UpdatePlace", "WayPlace", "make",
]  # fmt: skip
