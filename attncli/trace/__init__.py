"""Named quantities, how each was made, and replaying them with some replaced.

trace, quantity    a worked scenario, and each of its matrices; `axes` the names of rows and columns
on_demand          quantities that are worked when somebody asks for them
place              where in the model a step is taken
extents            the extents of sides that are equal, or add up
shapes, budget     the shapes of quantities and the cost of working, before any is worked
missing            why a quantity can't be made
generation         the tokens that are generated
published, claims  what a source prints and says
answer             the number that a scenario says is its answer
slopes             gradients beside central differences
"""

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
