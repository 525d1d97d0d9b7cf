"""Named quantities, how each was made, and replaying them with some replaced."""

from attncli.trace.quantity import Axis, Making, Quantity
from attncli.trace.trace import Trace, Unfinished, make

__all__ = ["Axis", "Making", "Quantity", "Trace", "Unfinished", "make"]
