"""The working of a form from the inside out: `tanh(0 + 2.0)`, `tanh(2.0)`, as people do it.

Each form has the value of the one before it, to the last digit that it shows. What comes out in
full is worked first. What doesn't, e^0.5 or 1 / 3, is written with some digits where the form that
it stands in then still is what stood before.
"""

from __future__ import annotations

from attncli.maths.equations import deciding
from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import Expression, Number
from attncli.maths.equations.working import LONGEST_PRODUCT, negated
from attncli.maths.numbers import decimals
from attncli.names import Word

_MOST_FORMS = 6
_MORE = 3
"""Digits that a number on the way has beyond those of the result."""


def worked_inside_out(first: Expression, places: int) -> tuple[Expression, ...]:
    """Lists a form and those that it is worked to, the last one before its value, which is shown
    with so many `places`."""
    forms = [ex.rewritten(first, _unsigned)]
    while len(forms) < _MOST_FORMS:
        following = _exactly(forms[-1]) or _nearly(forms[-1], places)
        if following is None:
            break
        forms.append(following)
    return tuple(forms)


def _unsigned(node: Expression) -> Expression | None:
    """Leaves the minus of a zero out, but where it is taken away: `3 − 0.0`."""
    match node:
        case ex.Negative(Number(_, shown) as zero) if not shown:
            return zero
        case ex.Sum((first, *others)):
            terms = [ex.rewritten(first, _unsigned)]
            for term in others:
                inner = term.operand if isinstance(term, ex.Negative) else term
                worked = ex.rewritten(inner, _unsigned)
                terms.append(ex.Negative(worked) if inner is not term else worked)
            return ex.Sum(tuple(terms))
    return None


def _exactly(form: Expression) -> Expression | None:
    """Works all innermost parts that come out in full; returns None where there are none."""
    made = _InnermostPass(None)
    following = made.inside(form)
    return following if made.has_worked else None


def _nearly(form: Expression, places: int) -> Expression | None:
    """Works all innermost parts, to as many digits as leave the form's value what it is; returns
    None where no number of digits does."""
    for digits in range(places + _MORE, LONGEST_PRODUCT + 1):
        made = _InnermostPass(digits)
        following = made.inside(form)
        if not made.has_worked:
            return None
        if deciding.relation(form, following) == "=" and _round_alike(form, following, places):
            return following
    return None


def _round_alike(form: Expression, following: Expression, places: int) -> bool:
    """Tells whether two forms come to the same result: 0.520499877… and 0.520500 don't, with three
    decimals."""
    results = (deciding.rounded_as_shown(x, places) for x in (form, following))
    return next(results) == next(results)


class _InnermostPass:
    """One pass over a form, which works its innermost parts but not the form itself."""

    def __init__(self, digits: int | None) -> None:
        self.digits = digits
        """The decimals of what doesn't come out in full; None leaves that as it is."""
        self.has_worked = False

    def inside(self, node: Expression) -> Expression:
        """Works what is innermost in the parts of a node."""
        if isinstance(node, ex.Leaf | Word):
            return node
        parts = [
            tuple(map(self._part, part))
            if type(part) is tuple
            else self._part(part)
            if isinstance(part, ex.Node)
            else part
            for part in node.parts
        ]
        if isinstance(node, ex.Negative) and isinstance(parts[0], Number) and not parts[0].shown:
            return parts[0]  # zero has no sign
        return node.of(parts)

    def _part(self, node: Expression) -> Expression:
        if isinstance(node, ex.Negative):
            inner = self._part(node.operand)
            if isinstance(inner, Number) and inner is not node.operand:
                return negated(inner)
            return node.of([inner])
        if isinstance(node, ex.Leaf | Word):
            return node
        return self._worked(node) if all(map(_is_number, ex.children(node))) else self.inside(node)

    def _worked(self, node: Expression) -> Expression:
        """Works what has numbers for its parts; leaves what would be cut short."""
        value = deciding.exactly(node)
        if value is None and self.digits is not None:
            value = deciding.rounded_as_shown(node, self.digits)
        elif value is None or decimals.places(value) > LONGEST_PRODUCT:
            return node
        self.has_worked = True
        return Number.inner(value, node)


def _is_number(node: Expression) -> bool:
    """Tells whether a part is a number, or one that is taken away."""
    inner = node.operand if isinstance(node, ex.Negative) else node
    return isinstance(inner, Number) or inner in (ex.E, ex.PI)
