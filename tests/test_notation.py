"""Whatever is written down means what it is: signs and parentheses, read again by the auditor."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from attncli.arithmetic import expression as ex
from attncli.notation import latex, plain
from tests.auditor.calculator import value
from tests.truth import half_away, truth

NUMBERS = st.integers(-99, 99).map(lambda tenths: ex.Number.written(Decimal(tenths).scaleb(-1)))


def _of_parts(parts: st.SearchStrategy[ex.Expression]) -> st.SearchStrategy[ex.Expression]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    divisors = NUMBERS.filter(lambda number: bool(number.shown))
    return st.one_of(
        parts.map(ex.Negative),
        several.map(ex.Sum),
        several.map(ex.Product),
        st.tuples(parts, divisors).map(lambda pair: ex.Quotient(*pair)),
        parts.map(lambda part: ex.Power(part, ex.constant(2))),
    )


EXPRESSIONS = st.recursive(NUMBERS, _of_parts, max_leaves=6)


def no_names(name: str) -> Decimal:
    raise AssertionError(name)


@given(EXPRESSIONS)
def test_plain_text_means_what_it_is(expression: ex.Expression) -> None:
    text = plain(expression)
    assert "−−" not in text
    assert "--" not in latex(expression)
    read = value(text.replace("\u00a0", " "), no_names)
    assert half_away(truth(expression), 12) == half_away(Fraction(read), 12)
