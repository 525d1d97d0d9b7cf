"""The indices of an equation's parts: the free ones, what they go along, other names for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from attncli.maths.equations import tree as ex
from attncli.maths.equations.signatures import Signature
from attncli.maths.equations.tree import (
    Expression,
    Operand,
    children,
    operands_in,
    rewritten,
)

_NEXT = "klmnopqrstuvwxyz"


def free(node: Expression) -> set[str]:
    """Returns the indices of a part that none of its own sums runs over."""
    match node:
        case Operand(_, indices):
            return set(indices)
        case ex.Total() | ex.Reduced():
            return free(node.operand) - set(node.over)
        case _:
            return {index for part in children(node) for index in free(part)}


def along(node: ex.Total | ex.Reduced, over: str, operand: Expression) -> Expression:
    """Returns a sum, or the largest of several numbers, over other indices, of something else."""
    if isinstance(node, ex.Total):
        return ex.Total(over, operand)
    return ex.Reduced(node.function, over, operand)


def sides_of(tree: Expression, shapes: Signature) -> dict[str, str]:
    """Finds the extent that each index runs along, as the shapes name it."""
    sides: dict[str, str] = dict(zip("ij", shapes.result, strict=True))
    for operand in operands_in(tree):
        kept = (side for side in shapes.operands[operand.place] if side != "1")
        sides |= dict(zip(operand.indices, kept, strict=True))
    return sides


def renamed(
    tree: Expression, names: Mapping[str, str], own: Callable[[str], str] | None = None
) -> Expression:
    """Renames the indices of a part; with `own`, those that its sums run over get the names that it
    returns."""

    def change(node: Expression) -> Expression | None:
        match node:
            case Operand(place, indices):
                return Operand(place, tuple(names.get(index, index) for index in indices))
            case ex.Total() | ex.Reduced():
                inner = {**names, **{index: own(index) for index in node.over}} if own else names
                over = "".join(inner.get(index, index) for index in node.over)
                return along(node, over, renamed(node.operand, inner, own))
            case _:
                return None

    return rewritten(tree, change)


def unnamed(tree: Expression, names: Mapping[str, str]) -> Expression:
    """Renames the free indices of a part, and puts those that its sums run over in capitals."""
    return renamed(tree, names, str.upper)


def are_caught(node: Expression, names: Mapping[str, str]) -> bool:
    """Tells whether a sum would take one of the new names of free indices for the index that it
    runs over."""
    match node:
        case ex.Total() | ex.Reduced():
            new = {names[index] for index in free(node) if index in names}
            return bool(new & set(node.over)) or are_caught(node.operand, names)
        case _:
            return any(are_caught(part, names) for part in children(node))


@dataclass(frozen=True)
class IndexNames:
    """The names of the indices that sums run over.

    An index is in capitals until it gets a name: the one that it had, or else k, l, …; none of
    those of the result, and each for one extent only.
    """

    sides: Mapping[str, str]
    """The extent that each index goes along, by the name that it had."""
    of_result: str
    _given: dict[str, str] = field(default_factory=dict)

    def given(self, tree: Expression, around: str = "") -> Expression:
        """Names the indices of all sums in a part; `around` are the indices of the sums that it is
        in."""
        return rewritten(
            tree,
            lambda node: (
                self._of_sum(node, around) if isinstance(node, ex.Total | ex.Reduced) else None
            ),
        )

    def _of_sum(self, node: ex.Total | ex.Reduced, around: str) -> Expression:
        names: dict[str, str] = {}
        for index in node.over:
            taken = {*self.of_result, *around, *names.values()}
            names[index] = self._name(index.lower(), taken)
        over = "".join(names.values())
        return along(node, over, self.given(renamed(node.operand, names), around + over))

    def _name(self, before: str, taken: set[str]) -> str:
        side = self.sides[before]
        for name in before + _NEXT:
            if name not in taken and self._given.setdefault(name, side) == side:
                return name
        raise ValueError("an equation has too many indices")
