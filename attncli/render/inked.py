"""Notations in which the numbers and names of queries, keys and values have their inks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attncli.arithmetic.expression import Expression, Number, Symbol
from attncli.notation.notation import Notation
from attncli.render.colours import ink_of, ink_of_number


class Inked(Notation):
    """What stands before a notation that has inks where it is `coloured`; all numbers have that
    of a `result`, which may be theirs."""

    coloured = True
    result = ""

    def in_ink(self, text: str, name: str) -> str:
        """Mathematics in an ink, as the notation has it."""
        raise NotImplementedError

    def inked(self, text: str, name: str) -> str:
        """Mathematics in an ink; as it is for none."""
        return self.in_ink(text, name) if self.coloured and name else text

    def number(self, node: Number) -> str:
        return self.inked(super().number(node), self.result or ink_of_number(node))

    def symbol(self, node: Symbol) -> str:
        return self.inked(super().symbol(node), ink_of(node.name))

    def column(
        self, entries: Sequence[Expression], filled: Callable[[Sequence[Expression]], list[str]]
    ) -> list[str]:
        """Expressions below each other: numbers as they are filled up, if all are."""
        if not all(isinstance(entry, Number) for entry in entries):
            return [self.write(entry) for entry in entries]
        texts = zip(filled(entries), entries, strict=True)
        return [self.inked(text, ink_of_number(entry)) for text, entry in texts]
