"""Expressions in the mathematics of Typst: `dfrac(7.389, 12.825)`, `attach(italic("W"), b: …)`.

Names and words are string literals, and a sign that Typst would read is escaped, so that nothing
is ever read as code. A line may be broken at a `JOINT`, which stands in no call and no parentheses
that grow; the sign behind one has the space that it has between two numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from attncli.maths.equations import tree as ex
from attncli.maths.notation.escaping import shown
from attncli.maths.notation.latex import FUNCTIONS
from attncli.maths.notation.notation import ATOM, FACTOR, GREEK, JOINED, Notation, base_of
from attncli.maths.notation.plain import MINUS
from attncli.maths.numbers import decimals
from attncli.names import GRADIENTS, Name, Word

JOINT = "\n"
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_INDEX = re.compile(r"[0-9][a-z](\+[0-9])?")
_LONG_ROOT = 4
"""Places to break a line at."""
_COMMA = "\\,"


def literal(text: str) -> str:
    return f'"{"".join(_ESCAPES.get(entry, entry) for entry in text)}"'


class TypstNotation(Notation):
    """Typst's mathematics, in which every sign but `×` is the character itself.

    `inline` writes quotients and parentheses so that there are more places to break a line at.
    `letters` writes the letters of a name or a word as literals, `blank` a number to be filled in.
    """

    gives = "Typst notation"
    plus, minus, times, dot, matrices = "+", MINUS, " by() ", "·", " thin "
    omitted, comma = "…", f"{_COMMA}{JOINT}"
    joint, glue = JOINT, " med "
    inline = False

    def __init__(self, letters: Callable[[str], str], blank: Callable[[ex.Blank], str]) -> None:
        self.letters, self.of_blank = letters, blank

    def word(self, word: Word | str) -> str:
        return self.letters(shown(word))

    def of_word(self, node: Word) -> str:
        return self.word(node)

    def parentheses(self, text: str) -> str:
        if "dfrac(" in text and not self.inline:
            return f"lr(({_whole(text)}))"
        return f"\\({text if self.inline else _whole(text)}\\)"

    def of_number(self, node: ex.Number) -> str:
        text = decimals.text(node.shown).replace("-", MINUS, 1)
        mantissa, e, exponent = text.partition("e")
        power = exponent.replace("-", MINUS)
        return f"{mantissa}×attach(10, t: {power})" if e else mantissa

    def of_symbol(self, node: ex.Symbol) -> str:
        name = node.name if isinstance(node.name, Name) else Name(node.name)
        if not node.indices:
            return self._named(name)
        return f"{self._named(name)}\\[{_COMMA.join(map(self._index, node.indices))}\\]"

    def _index(self, index: Word | str) -> str:
        """Writes a number, a letter that stands for any, or a word."""
        text = shown(index)
        if text.isascii() and text.isdigit():
            return text
        if isinstance(index, str) and len(text) == 1 and text.isascii() and text.isalpha():
            return _letter(text)
        return self.word(index)

    def _named(self, name: Name) -> str:
        """Writes the name of a quantity with what follows a `_` below it and a time above it; ∂
        stands before what a gradient is of."""
        if name.path and name.inside(GRADIENTS):
            return f"{literal('∂')} {self._named(name.seen_from(GRADIENTS))}"
        if name.alone.time is not None and name.path.time is not None:  # `a[2].aa[3]`
            return f"{self._named(name.path)}{literal('.')}{self._named(name.alone)}"
        if name.time is not None:
            time = str(name.time).replace("-", MINUS)
            return f"attach({self._named(name.at(None))}, t: ⟨{self.letters(time)}⟩)"
        if name.path.time is not None:  # `gates[2].forget`
            return f"{self._named(name.path)}{literal('.')}{self._below(name.alone)}"
        return self._below(name)

    def _below(self, name: Name) -> str:
        head, tail = base_of(name)
        base = self._letters(head)
        return f"attach({base}, b: {self._letters(tail)})" if tail else base

    def _letters(self, name: str) -> str:
        if name in GREEK:
            return _letter(GREEK[name])
        if (len(name) == 1 and name.isalnum()) or _INDEX.fullmatch(name):
            return _letter(name)
        return self.letters(name)

    def of_shapes(self, node: ex.Shapes) -> str:
        return "".join(f"\\({rows}{self.times}{columns}\\)" for rows, columns in node.sizes)

    def of_quotient(self, node: ex.Quotient) -> str:
        if self.inline:
            return "\\/".join(self.sides(node, self.joint))
        dividend, divisor = (_whole(self.write(part)) for part in node.parts)
        return f"dfrac({dividend}, {divisor})"

    def of_power(self, node: ex.Power) -> str:
        base = _whole(self.held(node.base, ATOM))
        return f"attach({base}, t: {_whole(self.exponent(node.exponent))})"

    def exponent(self, node: ex.Expression) -> str:
        """Writes an exponent; a quotient in one line, since a fraction up there is too small to
        read."""
        return "\\/".join(self.sides(node)) if isinstance(node, ex.Quotient) else self.write(node)

    def of_transposed(self, node: ex.Transposed) -> str:
        return f"attach({_whole(self.held(node.operand, ATOM))}, t: ⊤)"

    def of_root(self, node: ex.Root) -> str:
        """Writes a root; of a sum too long for one line, what stands under it to the power of
        1/2."""
        text = self.write(node.operand)
        if self.inline and text.count(self.joint) > _LONG_ROOT:
            return f"\\({text}attach(\\), t: 1\\/2)"
        return f"sqrt({_whole(text)})"

    def of_vector(self, node: ex.Vector) -> str:
        return f"\\[{self.listed(node.entries)}\\]"

    def of_apply(self, node: ex.Apply) -> str:
        if node.function == "where":
            return self.cases(*node.arguments)
        if node.function in JOINED:
            return self.joined(node)
        known = node.function in FUNCTIONS
        name = literal(node.function) if known else self.of_symbol(ex.Symbol(node.function))
        return name + self.parentheses(self.listed(node.arguments))

    def prose(self, text: str) -> str:
        return literal(text) if text else ""

    def of_total(self, node: ex.Total) -> str:
        return f"{self._under('∑', node)}{self.held(node.operand, FACTOR)}"

    def of_reduced(self, node: ex.Reduced) -> str:
        if node.function == "prod":
            return f"{self._under('∏', node)}{self.held(node.operand, FACTOR)}"
        name = self._under(literal(node.function), node)
        return name + self.parentheses(self.write(node.operand))

    def _under(self, sign: str, node: ex.Total | ex.Reduced) -> str:
        """Writes the index of a sum below its sign, and what must hold for a term to count."""
        met = "" if node.met is None else f": {_whole(self.write(node.met))}"
        return f"attach(limits({sign}), b: {_letter(node.over)}{met})"

    def of_equation(self, node: ex.Equation) -> str:
        return f"{self.write(node.left)} = {self.write(node.right)}"


def _letter(text: str) -> str:
    """Writes a variable; more than one letter would be the name of something of Typst's."""
    return f"italic({literal(text)})"


def _whole(text: str) -> str:
    """Removes the places to break a text at."""
    return text.replace(JOINT, " ").replace(TypstNotation.glue, " ")
