"""Which of our operations an equation is, as its tree tells, whatever its names are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

from attncli.maths.equations.tree import Expression, Symbol
from attncli.maths.operations import activations, attention
from attncli.maths.operations.activations import ACTIVATIONS, Activate, Add, DivideBy, MultiplyBy
from attncli.maths.operations.equation import EquationText, Indexed

Maker = EquationText | Callable[..., Indexed]
"""What makes an operation of the numbers that its equation names."""


def operation_of(written: EquationText) -> Maker:
    """Returns what makes the operation that an equation is: one of these modules, the first that
    has its tree, or else the equation itself."""
    return _known().get(_signature(written, len(written.names)), written)


@cache
def _known() -> Mapping[tuple[str, Expression], Maker]:
    found = [value for module in (activations, attention) for value in vars(module).values()]
    makers: dict[Maker, int] = {x: len(x.names) for x in found if isinstance(x, EquationText)}
    makers |= {DivideBy: 1, MultiplyBy: 1, partial(Add, 2): 0}
    makers |= {partial(Activate, kind): 0 for kind in ACTIVATIONS}
    return {_signature(make, count): make for make, count in reversed(makers.items())}


def _signature(make: Maker, count: int) -> tuple[str, Expression]:
    """Returns the shapes and the tree of an operation, with letters by their order for its sides,
    and for so many numbers."""
    made = make(*(Symbol(str(k)) for k in range(count)))
    letters: dict[str, str] = {}
    words = made.shapes.replace(",", " ,").split()
    named = (
        letters.setdefault(word, f"s{len(letters)}") if word.isalpha() else word for word in words
    )
    return " ".join(named), made.tree
