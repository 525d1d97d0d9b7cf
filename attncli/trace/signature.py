"""Reading the signatures of operations: `n k, k m -> n m`."""

from __future__ import annotations

from functools import cache

from attncli.records import NamedTuple


class Dim(NamedTuple):
    """An extent: a constant, and letters with how often each counts: `3*b`, `a+b`, `4`."""

    constant: int
    letters: tuple[tuple[str, int], ...]

    @property
    def alone(self) -> str | None:
        """The letter that the extent is, if it is just one."""
        if self.constant or len(self.letters) != 1 or self.letters[0][1] != 1:
            return None
        return self.letters[0][0]


class Signature(NamedTuple):
    """The rows and columns of each operand, and of the result."""

    operands: tuple[tuple[Dim, Dim], ...]
    result: tuple[Dim, Dim]

    def source_of(self, letter: str | None) -> tuple[int, int] | None:
        """The first operand and its side that a letter stands alone for."""
        if letter is None:
            return None
        for k, sides in enumerate(self.operands):
            for side in (0, 1):
                if sides[side].alone == letter:
                    return k, side
        return None


@cache
def parse(text: str) -> Signature:
    """The signature that `text` writes. Raises ValueError for anything else."""
    before, arrow, after = text.partition("->")
    if not arrow:
        raise ValueError(f"{text!r} is no signature")
    operands = tuple(_sides(part) for part in before.split(",")) if before.strip() else ()
    return Signature(operands, _sides(after))


def _sides(text: str) -> tuple[Dim, Dim]:
    rows, columns = text.split()
    return _dim(rows), _dim(columns)


def _dim(text: str) -> Dim:
    constant, letters = 0, []
    for term in text.split("+"):
        factor, star, letter = term.partition("*")
        if star:
            letters.append((letter, int(factor)))
        elif term.isdigit():
            constant += int(term)
        else:
            letters.append((term, 1))
    return Dim(constant, tuple(letters))
