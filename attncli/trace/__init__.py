"""Named quantities, how each was made, and replaying them with some replaced."""

from attncli.trace.quantity import Axis, Making, Quantity
from attncli.trace.scope import Scope
from attncli.trace.trace import Part, Trace, Unfinished, make

__all__ = ["Axis", "Making", "Part", "Quantity", "Scope", "Trace", "Unfinished", "make"]
