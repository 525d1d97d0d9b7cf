"""Expressions as plain text: `0.5 × 0.885 − 0.1 × 0.997`, `e^(−5)`, `7.389 / 12.825`.

The text may be broken at its ordinary spaces; all other spaces are no-break ones until
`unbreakable` or a layout has done with it.
"""

from __future__ import annotations

from collections.abc import Callable

from attncli.maths.equations import tree as ex
from attncli.maths.notation.escaping import harmless, printed
from attncli.maths.notation.notation import ATOM, FACTOR, JOINED, Node, Notation
from attncli.maths.numbers import decimals
from attncli.names import Word

GLUE = "\u00a0"
MINUS = "−"
BLANK, CARRIED = "______", "······"
"""What a number is written upon, that is asked for or only to be carried over; of one width, which
tells nothing of the answer's."""
_SHORT = 24
_TIMES, _CLOSE_TIMES = f"{GLUE}×{GLUE}", "×"


class PlainNotation(Notation):
    """Plain text, in which the sign of a product inside a vector has no spaces around it."""

    gives = "plain notation"
    minus, times, dot, matrices = MINUS, _TIMES, "·", GLUE
    glue, transposed_mark = GLUE, "ᵀ"

    def __init__(self, word: Callable[[Word], str] = printed) -> None:
        self.word = word

    def of_number(self, node: ex.Number) -> str:
        text = decimals.text(node.shown)
        return MINUS + text[1:] if text.startswith("-") else text

    def of_blank(self, node: ex.Blank) -> str:
        if node.answer is not None:
            return self.of_number(node.answer)
        return BLANK if node.id else CARRIED

    def of_symbol(self, node: ex.Symbol) -> str:
        if not node.indices:
            return node.name
        texts = (self.word(index) if isinstance(index, Word) else index for index in node.indices)
        inside = f",{GLUE}".join(text.replace(" ", GLUE) for text in texts)
        return f"{node.name}[{inside}]"

    def parentheses(self, text: str) -> str:
        """Puts a text in parentheses; a short one isn't broken: `(1 − update[i])`."""
        return f"({text.replace(' ', GLUE) if len(text) <= _SHORT else text})"

    def of_product(self, node: ex.Product) -> str:
        if self.times != _TIMES and any(isinstance(f, ex.Quotient) for f in node.factors):
            return self.but(times=_TIMES).of_product(node)  # `a / b×c` looks like a / (b × c)
        return super().of_product(node)

    def of_vector(self, node: ex.Vector) -> str:
        return f"[{self.but(times=_CLOSE_TIMES).listed(node.entries)}]"

    def of_apply(self, node: ex.Apply) -> str:
        if node.function == "where":
            return self.cases(*node.arguments)
        if node.function in JOINED:
            return self.joined(node)
        arguments = f",{GLUE}".join(map(self.write, node.arguments))
        return f"{node.function}({arguments})"

    def exponent(self, node: ex.Expression) -> str:
        """Writes an exponent; a quotient without spaces, `10000^(2/4)`, so that it isn't broken."""
        if not isinstance(node, ex.Quotient):
            return self.held(node, ATOM)
        return f"({'/'.join(self.sides(node))})"

    def of_root(self, node: ex.Root) -> str:
        return f"√{self.held(node.operand, ATOM)}"

    def of_total(self, node: ex.Total) -> str:
        operand = self.held(node.operand, FACTOR)
        if node.met is not None:  # long enough for a line to be broken behind it
            return f"Σ{self._under(node.over, node.met)}{self.joint}{operand}"
        return f"Σ{self._under(node.over)}{GLUE}{operand}"

    def of_reduced(self, node: ex.Reduced) -> str:
        sign = "Π" if node.function == "prod" else node.function
        under = f"{sign}{self._under(node.over, node.met)}"
        if sign == "Π":
            return f"{under}{GLUE}{self.held(node.operand, FACTOR)}"
        return under + self.parentheses(self.write(node.operand))

    def _under(self, over: str, met: ex.Expression | None = None) -> str:
        """Writes the index of a sum, and what must hold for a term to count."""
        return f"_{over}" if met is None else f"_{{{over}:{GLUE}{self.write(met)}}}"


_PAGE = PlainNotation()


def plain(node: Node, word: Callable[[Word], str] = printed) -> str:
    """Writes the expression in plain text, its words made harmless.

    Raises TypeError for a node that has no notation.
    """
    return (_PAGE if word is printed else PlainNotation(word)).write(node)


def name_of(term: str | ex.Symbol, word: Callable[[Word], str] = printed) -> str:
    """Writes a name of the program, or the address of a cell, on one line."""
    return harmless(term) if isinstance(term, str) else unbreakable(plain(term, word))


def unbreakable(text: str) -> str:
    """Replaces no-break spaces by ordinary ones, in a text that won't be broken any more."""
    return text.replace(GLUE, " ")
