"""The column of a table that says what each row adds up to: true from the digits beside it."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli.document.blocks import Document, Section
from attncli.document.tables import MatrixBlock, TableDisplay, TableNames
from attncli.formats import RenderOptions, render
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers import decimals
from attncli.names import Word, words
from tests.auditor.calculator import number, rounds_to
from tests.helpers.pages import SHIPPED, page_of, trace_of

TABLE_ROW = {"markdown": re.compile(r" *\| *"), "terminal": re.compile(r" *│ *|  +")}
NAMES = ("a", "sum", "row sum", "Σ", "sum ")


@st.composite
def blocks(draw: st.DrawFn) -> MatrixBlock:
    """Shares of all sizes, as `exact` has them, under names that may be that of their sum."""
    columns = draw(st.integers(1, 4))
    exponents = draw(st.lists(st.integers(0, 30), min_size=columns, max_size=columns))
    counts = draw(st.lists(st.integers(1, 999), min_size=columns, max_size=columns))
    shares = np.array([n * 10.0**-e for n, e in zip(counts, exponents, strict=True)])
    matrix = Matrix((shares / shares.sum())[None, :], None, draw(st.integers(1, 6)))
    names = draw(st.permutations(NAMES))[:columns]
    names_of_both = TableNames(words(("a",)), words(tuple(names)))
    display = TableDisplay(with_sums=True)
    return MatrixBlock("shares", matrix, names_of_both, (0,), display=display)


def table(block: MatrixBlock, form: str) -> tuple[list[str], list[str]]:
    """The headings and the only row of a table, without what names the row."""
    page = render(
        Document(Word("A"), (Section("s", 1, ("S",), (), (block,)),)), form, RenderOptions(400)
    )
    lines = [line for line in page.splitlines() if "shares" in line or "≈" in line or "a " in line]
    rows = [TABLE_ROW[form].split(line.strip(" |")) for line in lines]
    heading = next(k for k, row in enumerate(rows) if "shares" in row[0])
    return rows[heading][1:], rows[-1][1:]


@pytest.mark.parametrize("form", TABLE_ROW)
@given(block=blocks())
def test_sums_are_true_from_the_digits_shown(form: str, block: MatrixBlock) -> None:
    headings, cells = table(block, form)
    *shares, total = cells
    assert len(headings) == len(cells) == block.matrix.shape[1] + 1
    assert headings[-1] not in {heading.strip() for heading in headings[:-1]}
    added = sum(map(number, shares), start=Decimal(0))
    if len(added.as_tuple().digits) > decimals.SIGNIFICANT:
        assert total.startswith("≈ ")
        assert rounds_to(added, total.removeprefix("≈ "))
    else:
        assert number(total) == added


def test_a_sum_that_is_off_is_remarked_on_where_the_page_first_has_one() -> None:
    """Also in a step that happens again and is told in fewer words."""
    page = page_of(trace_of(SHIPPED["next_token"]))
    before, remark, after = page.partition("The numbers are rounded one by one")
    assert remark
    assert "1.001" in before[-400:]
    assert "1.001" not in before[:-400]
    assert "rounded one by one" not in after
