"""The working of a form from the inside out: `tanh(0 + 2.0)`, `tanh(2.0)`, as people do it.

Each form has the value of the one before it, to the last digit that it shows. What comes out in
full is worked first. What doesn't, e^0.5 or 1 / 3, is written with some digits where the form that
it stands in then still is what stood before; else, in a sum, each of its terms is.
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
        form = forms[-1]
        following = _exactly(form) or _nearly(form, places) or _term_by_term(form, places)
        if following is None:
            break
        forms.append(following)
    match forms:
        case [_, *_, ex.Negative(Number(_, shown))] if decimals.places(shown) <= places:
            forms.pop()  # which is what is made already
    return tuple(forms)


def row_worked_inside_out(first: ex.Vector, places: int) -> tuple[ex.Vector, ...]:
    """Lists the forms that a row of cells is worked to, where one has more than a pocket calculator
    does at once: a divisor to be worked first, or several terms of a sum with functions."""
    rows = [first]
    while len(rows) < _MOST_FORMS:
        before = rows[-1].entries
        made = [_divisors_worked(entry) or _term_by_term(entry, places) for entry in before]
        if all(entry is None for entry in made):
            break
        entries = (entry or known for entry, known in zip(made, before, strict=True))
        rows.append(ex.Vector(tuple(entries)))
    return tuple(rows[1:])


def _divisors_worked(form: Expression) -> Expression | None:
    """Works each divisor that has something to be added up or multiplied, and what is divided by
    it, as far as that comes out in full; returns None where there is none."""

    def change(node: Expression) -> Expression | None:
        match node:
            case ex.Quotient(dividend, divisor) if not _is_logistic(node):
                worked = _in_full(divisor)
                if worked == divisor:
                    return None
                return ex.Quotient(_in_full(dividend), worked)
            case _:
                return None

    made = ex.rewritten(form, change)
    return None if made == form else made


def _is_logistic(node: Expression) -> bool:
    """Tells whether a part is 1 / (1 + e^−z), which is a function and no quotient."""
    match node:
        case ex.Quotient(_, ex.Sum((ex.ONE, ex.Power(ex.E, _)))):
            return True
        case _:
            return False


def _in_full(node: Expression) -> Expression:
    """Works all that comes out in full in a part, and the part itself."""
    inside = _InnermostPass(None)
    whole = ex.Vector((node,))
    while (following := inside.inside(whole)) != whole:
        assert isinstance(following, ex.Vector)
        whole, inside = following, _InnermostPass(None)
    return whole.entries[0]


def _term_by_term(form: Expression, places: int) -> Expression | None:
    """Works the terms of a sum, of which several have functions; returns None for another form, or
    where no number of digits leaves its value what it is."""
    if not isinstance(form, ex.Sum) or sum(map(_has_function, form.terms)) < _SEVERAL:
        return None
    for digits in _TERM_DIGITS:
        terms = tuple(_rounded_term(term, places + digits) for term in form.terms)
        if _is_still(ex.Sum(terms), form, places):
            return ex.Sum(terms)
    return None


_SEVERAL = 2
_TERM_DIGITS = (_MORE, _MORE + 1, _MORE + 2, _MORE - 1, _MORE + 3, _MORE + 4)
"""Digits that the terms of a sum have beyond those of the result, as they are tried."""


def _has_function(term: Expression) -> bool:
    """Tells whether a term is worked with a function whose values have no end."""
    return any(
        isinstance(part, ex.Root | ex.Apply) or (isinstance(part, ex.Power) and part.base == ex.E)
        for part in ex.each(term, ex.Node)
    )


def _rounded_term(term: Expression, places: int) -> Expression:
    """Works a term to a number, one that is taken away to such a one."""
    if isinstance(term, ex.Leaf):
        return term
    if isinstance(term, ex.Negative):
        inner = _rounded_term(term.operand, places)
        return ex.Negative(inner)
    value = deciding.exactly(term)
    if value is None or decimals.places(value) > LONGEST_PRODUCT:
        value = deciding.rounded_as_shown(term, places)
    return Number.inner(value, term)


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
        if _is_still(following, form, places):
            return following
    return None


def _is_still(following: Expression, form: Expression, places: int) -> bool:
    """Tells whether a form has the value of the one before it, to the last digit that it shows, and
    comes to the same result."""
    is_equal = deciding.relation(form, following) == "="
    return is_equal and _round_alike(form, following, places)


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
