"""Named quantities, how each was made, and replaying them with some replaced."""

from attncli.trace.place import Place
from attncli.trace.quantity import Axis, Definition, Quantity
from attncli.trace.trace import PlannedStep, Trace, Unfinished, make

__all__ = ["Axis", "Definition", "Place", "PlannedStep", "Quantity", "Trace", "Unfinished", "make"]
