"""The indices of an equation's parts: which are free, what they go along, other names for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from attncli.arithmetic import expression as ex
from attncli.arithmetic.expression import Expression, Operand, rewritten, with_each
from attncli.arithmetic.signature import Signature, operands_in

_NEXT = "klmnopqrstuvwxyz"


def free(node: object) -> set[str]:
    """The indices of a part that none of its own sums goes over."""
    match node:
        case Operand(_, indices):
            return set(indices)
        case ex.Total(over, operand):
            return free(operand) - set(over)
        case tuple():
            return {index for part in node for index in free(part)}
        case _:
            return set()


def sides_of(tree: Expression, shapes: Signature) -> dict[str, str]:
    """The extent that each index goes along, as the shapes name it."""
    sides: dict[str, str] = dict(zip("ij", shapes.result, strict=True))
    for operand in operands_in(tree):
        kept = (side for side in shapes.operands[operand.place] if side != "1")
        sides |= dict(zip(operand.indices, kept, strict=True))
    return sides


def renamed(
    tree: Expression, names: Mapping[str, str], own: Callable[[str], str] | None = None
) -> Expression:
    """A part with other names for its indices; where `own` is told, those that its sums go over
    have the names that it gives them."""

    def change(node: Expression) -> Expression | None:
        match node:
            case Operand(place, indices):
                return Operand(place, tuple(names.get(index, index) for index in indices))
            case ex.Total(over, operand):
                inner = {**names, **{index: own(index) for index in over}} if own else names
                told = "".join(inner.get(index, index) for index in over)
                return ex.Total(told, renamed(operand, inner, own))
            case _:
                return None

    return rewritten(tree, change)


def unnamed(tree: Expression, names: Mapping[str, str]) -> Expression:
    """A part with other names for its free indices, and in capitals those that its sums go over."""
    return renamed(tree, names, str.upper)


def are_caught(node: object, names: Mapping[str, str]) -> bool:
    """Whether a sum would take one of the new names of free indices for the one it goes over."""
    match node:
        case Operand():
            return False
        case ex.Total(over, operand):
            new = {names[index] for index in free(node) if index in names}
            return bool(new & set(over)) or are_caught(operand, names)
        case tuple():
            return any(are_caught(part, names) for part in node)
        case _:
            return False


@dataclass(frozen=True)
class IndexNames:
    """Names for the indices that sums go over, which are in capitals until they have one: the one
    that they had, or else k, l, …; none of those of the result, and each of one extent."""

    sides: Mapping[str, str]
    """The extent that each index goes along, by the name that it had."""
    of_result: str
    _given: dict[str, str] = field(default_factory=dict)

    def given(self, tree: Expression, around: str = "") -> Expression:
        """A part with names for the indices of all of its sums; `around` are those of sums that it
        is in."""
        return with_each(tree, ex.Total, lambda total: self._of_sum(total, around))

    def _of_sum(self, node: ex.Total, around: str) -> Expression:
        names: dict[str, str] = {}
        for index in node.over:
            taken = {*self.of_result, *around, *names.values()}
            names[index] = self._name(index.lower(), taken)
        over = "".join(names.values())
        return ex.Total(over, self.given(renamed(node.operand, names), around + over))

    def _name(self, before: str, taken: set[str]) -> str:
        side = self.sides[before]
        for name in before + _NEXT:
            if name not in taken and self._given.setdefault(name, side) == side:
                return name
        raise ValueError("an equation has too many indices")
