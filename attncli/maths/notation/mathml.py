"""Expressions in MathML Core, which browsers draw by themselves: formulas of a page.

Source: MathML Core (W3C), of which only elements are used that every engine knows.
"""

from __future__ import annotations

from html import escape

from attncli.maths.equations import tree as ex
from attncli.maths.notation.escaping import shown
from attncli.maths.notation.latex import FUNCTIONS
from attncli.maths.notation.notation import ATOM, FACTOR, GREEK, JOINED, Node, Notation, base_of
from attncli.maths.notation.plain import MINUS
from attncli.maths.numbers import decimals
from attncli.names import GRADIENTS, Name, Word


def _element(name: str, inside: str) -> str:
    return f"<{name}>{inside}</{name}>"


def _operator(sign: str) -> str:
    return _element("mo", escape(sign))


def _mrow(*parts: str) -> str:
    return _element("mrow", "".join(parts))


def _identifier(text: str) -> str:
    """Writes a name; one of several letters stands upright, as MathML has it."""
    return _element("mi", escape(GREEK.get(text, text)))


class MathmlNotation(Notation):
    """MathML. What all notations have in common is joined from elements, so that every sign is an
    element."""

    gives = "MathML notation"
    plus, minus, times, dot = _operator("+"), _operator(MINUS), _operator("×"), _operator("·")
    matrices, omitted, comma = "<mspace width='0.17em'/>", _operator("…"), _operator(",")
    joint = glue = ""

    def word(self, word: Word | str) -> str:
        return self.prose(shown(word))

    def parentheses(self, text: str) -> str:
        return _mrow(_operator("("), text, _operator(")"))

    def of_number(self, node: ex.Number) -> str:
        text = decimals.text(node.shown).replace("-", MINUS, 1)
        sign, digits = (self.minus, text[1:]) if text.startswith(MINUS) else ("", text)
        return sign + _element("mn", escape(digits))

    def of_blank(self, node: ex.Blank) -> str:
        return self.of_number(node.answer) if node.answer is not None else _element("mtext", "____")

    def of_symbol(self, node: ex.Symbol) -> str:
        name = node.name if isinstance(node.name, Name) else Name(node.name)
        if not node.indices:
            return _named(name)
        inside = _operator(",").join(map(self._index, node.indices))
        return _mrow(_named(name), _operator("["), inside, _operator("]"))

    def _index(self, index: Word | str) -> str:
        if isinstance(index, Word):
            return self.word(index)
        return _element("mn" if index.isdigit() else "mi", escape(index))

    def of_shapes(self, node: ex.Shapes) -> str:
        return "".join(
            _mrow(_operator("("), _number(rows), self.times, _number(columns), _operator(")"))
            for rows, columns in node.sizes
        )

    def of_quotient(self, node: ex.Quotient) -> str:
        dividend, divisor = (_mrow(self.write(part)) for part in node.parts)
        return _element("mfrac", dividend + divisor)

    def of_power(self, node: ex.Power) -> str:
        base = _mrow(self.held(node.base, ATOM))
        return _element("msup", base + _mrow(self.exponent(node.exponent)))

    def exponent(self, node: ex.Expression) -> str:
        if isinstance(node, ex.Quotient):
            return _operator("/").join(self.sides(node))
        return self.write(node)

    def of_transposed(self, node: ex.Transposed) -> str:
        return _element("msup", _mrow(self.held(node.operand, ATOM)) + _operator("⊤"))

    def of_root(self, node: ex.Root) -> str:
        return _element("msqrt", self.write(node.operand))

    def of_vector(self, node: ex.Vector) -> str:
        return _mrow(_operator("["), self.listed(node.entries), _operator("]"))

    def of_apply(self, node: ex.Apply) -> str:
        if node.function == "where":
            return self.cases(*node.arguments)
        if node.function in JOINED:
            return self.joined(node)
        known = node.function in FUNCTIONS
        name = _element("mi", node.function) if known else self.of_symbol(ex.Symbol(node.function))
        return name + self.parentheses(self.listed(node.arguments))

    def prose(self, text: str) -> str:
        return _element("mtext", escape(text.replace(" ", "\u00a0"))) if text else ""

    def of_total(self, node: ex.Total) -> str:
        return self._under(_operator("∑"), node) + self.held(node.operand, FACTOR)

    def of_reduced(self, node: ex.Reduced) -> str:
        if node.function == "prod":
            return self._under(_operator("∏"), node) + self.held(node.operand, FACTOR)
        name = _element("mi", escape(node.function))
        return self._under(name, node) + self.parentheses(self.write(node.operand))

    def of_relation(self, node: ex.Relation) -> str:
        return self.write(node.left) + _operator(node.sign) + self.write(node.right)

    def _under(self, sign: str, node: ex.Total | ex.Reduced) -> str:
        """Writes the index of a sum below its sign, and what must hold for a term to count."""
        over = _element("mi", escape(node.over))
        if node.met is not None:
            over = _mrow(over, _operator(":"), self.write(node.met))
        return _element("munder", sign + over)

    def of_equation(self, node: ex.Equation) -> str:
        return self.write(node.left) + _operator("=") + self.write(node.right)


def _number(size: int) -> str:
    return _element("mn", str(size))


def _named(name: Name) -> str:
    """Writes the name of a quantity with what follows a `_` below it and a time above it; ∂ stands
    before what a gradient is of."""
    if name.path and name.inside(GRADIENTS):
        return _mrow(_element("mi", "∂"), _named(name.seen_from(GRADIENTS)))
    if name.alone.time is not None and name.path.time is not None:  # `a[2].aa[3]`
        return _mrow(_named(name.path), _identifier("."), _named(name.alone))
    if name.time is not None:
        time = _mrow(_operator("⟨"), _element("mtext", escape(str(name.time))), _operator("⟩"))
        return _element("msup", _named(name.at(None)) + time)
    head, tail = base_of(name)
    return _element("msub", _identifier(head) + _identifier(tail)) if tail else _identifier(head)


_PAGE = MathmlNotation()


def mathml(node: Node, notation: MathmlNotation = _PAGE) -> str:
    """Writes the expression as a `<math>` element. Raises TypeError for a node that has no
    notation."""
    return f"<math>{notation.write(node)}</math>"
