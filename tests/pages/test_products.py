"""Products laid out as on paper: that they are products, in all shipped scenarios."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from attncli.document.blocks import ColumnSum, Derivation, Document, Line, parts_of
from attncli.document.tables import MatrixBlock, ProductBlock
from attncli.formats import RenderOptions, render
from attncli.maths.equations.elision import MOST_PARTS
from attncli.maths.operations.attention import (
    Affine,
    AffineTransposed,
    Linear,
    MatMul,
    MatMulTransposed,
    TransposedWeights,
    WeightedSum,
)
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.recurrent import GatedProduct
from attncli.maths.operations.softmax import DivideByRow, Softmax
from attncli.names import Word
from attncli.pages.parts.products import Factors, factors_of
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from tests.auditor import audit
from tests.conftest import sampled
from tests.helpers.pages import (
    LIGHT,
    SHIPPED,
    document_of,
    page_of,
    shipped_trace,
    tables_of,
    trace_of,
)


def products_of(document: Document) -> Iterator[ProductBlock]:
    return (
        block
        for section in document.sections
        for block in section.blocks
        if isinstance(block, ProductBlock)
    )


def names(table: MatrixBlock, *, of_rows: bool) -> list[Word]:
    """The names along one side of a table, as it is laid out."""
    if of_rows != table.display.transposed:
        return [table.names.rows[i] for i in table.rows]
    return [*table.names.columns]


def laid_out(table: MatrixBlock) -> np.ndarray:
    values = table.matrix.values[[*table.rows]]
    return values.T if table.display.transposed else values


@sampled(3, name=LIGHT)
def test_each_result_is_its_row_times_its_column(name: str) -> None:
    """Within what its digits say; its names are those at the left and above."""
    trace = shipped_trace(name)
    for detail in ("full", "rows"):
        for product in products_of(document_of(trace, detail)):
            left, above, result = map(laid_out, (product.left, product.above, product.result))
            worked = left @ above + (0 if product.added is None else laid_out(product.added))
            off = 0.5 * 10.0**-product.result.matrix.decimals if trace.rounding.carries else 0.0
            np.testing.assert_allclose(result, worked, rtol=1e-9, atol=off + 1e-9)
            along = names(product.result, of_rows=True), names(product.result, of_rows=False)
            assert along == (names(product.left, of_rows=True), names(product.above, of_rows=False))
            if product.after is not None:
                assert along[0] == names(product.after, of_rows=True)
            assert all(max(laid_out(table).shape) <= MOST_PARTS for table in product.tables)


@sampled(3, name=LIGHT)
def test_a_product_takes_the_place_of_its_own_lines(name: str) -> None:
    """Nothing of another quantity goes into its fold; in lines a page is as it was."""
    page = document_of(shipped_trace(name))
    for product in products_of(page):
        own = {table.quantity for table in (product.result, product.after) if table is not None}
        lines = [line for block in product.told for line in parts_of(block, Line)]
        sums = [block for block in product.told if isinstance(block, ColumnSum)]
        assert {line.quantity for line in lines} | {total.quantity for total in sums} <= own
        assert {b.quantity for b in product.told if isinstance(b, MatrixBlock)} <= own
    told = [block for section in page.in_lines.sections for block in section.blocks]
    assert not any(isinstance(block, ProductBlock) for block in told)
    every = [block for s in page.sections for block in s.blocks]
    others = [b for b in every if isinstance(b, Derivation | ColumnSum)]
    folded = [b for product in products_of(page) for b in product.working]
    assert len(others) + len(folded) == sum(isinstance(b, Derivation | ColumnSum) for b in told)


def test_what_is_laid_out_of_the_first_lesson() -> None:
    found = {
        product.result.name: (
            product.left.name,
            product.above.name,
            product.above.display.transposed,
            product.after and product.after.name,
            product.added and product.added.name,
        )
        for product in products_of(document_of(shipped_trace("i_love_ai")))
    }
    assert found == {
        "Q": ("X", "W_Q", False, None, None),
        "K": ("X", "W_K", False, None, None),
        "V": ("X", "W_V", False, None, None),
        "scores": ("Q", "K", True, "weights", None),
        "output": ("weights", "V", False, None, None),
        "hidden": ("output", "W1", False, "activated", "b1"),
        "ffn": ("activated", "W2", False, None, "b2"),
    }


def test_where_one_row_is_worked_products_stand_behind_its_line() -> None:
    """Those of the heads together, of the network, of the logits; the line stays in its block, and
    what is made of each row goes where there is no room for it."""
    for name, made in (
        ("encoder_block", {"attention", "hidden", "ffn"}),
        ("next_token", {"logits"}),
    ):
        found = {p.result.name: p for p in products_of(document_of(shipped_trace(name), "rows"))}
        assert made <= {*found}
        assert not any(found[its].told for its in made)
    trace = shipped_trace("encoder_block")
    narrow, wide, wider = (page_of(trace, "terminal", width, "rows") for width in (99, 110, 160))
    assert "W2   │" not in narrow
    assert "W1     │" not in narrow
    for page in (narrow, wide, wider):
        assert len(re.findall(r"attention\[alone\] += ", page)) == 1
        assert len(re.findall(r"hidden\[alone\] += ", page)) == 1
    assert re.search(r"norm1\.normed │.* hidden │[ 1-6]*$", wide, re.MULTILINE)
    assert "activated │     1      2      3      4      5      6    ffn  │" in wide
    assert re.search("hidden │.*activated │", wider)
    assert not re.search("hidden │.*activated │", wide)


@pytest.mark.parametrize(
    ("changes", "of"),
    [((), "scores"), (("scale=sqrt_d_k",), "scaled"), (("mask=causal",), "masked")],
)
def test_the_softmax_stands_beside_what_it_is_taken_of(changes: Sequence[str], of: str) -> None:
    """Beside the product, or the table of scaled or masked scores; there with bars, too."""
    trace = trace_of(SHIPPED["i_love_ai"], *changes)
    page = document_of(trace)
    after = {p.result.name: p.after for p in products_of(page)}
    blocks = [block for section in page.sections for block in section.blocks]
    after |= {b.name: b.after for b in blocks if isinstance(b, MatrixBlock)}
    shares = {name for name, table in after.items() if table and table.name == "weights"}
    assert shares == {of}
    assert all(
        b.after is None
        for s in page.in_lines.sections
        for b in s.blocks
        if isinstance(b, MatrixBlock)
    )
    narrow, wide = (page_of(trace, "terminal", width) for width in (99, 120))
    beside = f"{of} .*│.*weights │"
    assert not re.search(beside, narrow)
    assert re.search(beside, wide)


def test_products_in_equations_of_ones_own() -> None:
    """S[k, j] = Σ_i phi_K[i, k] V[i, j] is phi_Kᵀ V; a quotient of a product is none."""
    found = {
        p.result.name: (p.left.name, p.left.display.transposed, p.above.name)
        for p in products_of(document_of(shipped_trace("linear_attention")))
    }
    projections = {name: ("X", False, f"W_{name}") for name in "QKV"}
    assert found == {**projections, "S": ("phi_K", True, "V")}


def test_a_page_of_one_step_tells_no_other() -> None:
    page = walkthrough(shipped_trace("i_love_ai"), Selection(("scores",)))
    (product,) = products_of(page)
    assert product.after is None


@pytest.mark.parametrize(
    ("operation", "factors"),
    [
        (MatMul(), Factors(0, 1, False, False, None)),
        (Linear(), Factors(0, 1, False, True, None)),
        (Affine(), Factors(0, 1, False, False, 2)),
        (AffineTransposed(), Factors(0, 1, False, True, 2)),
        (MatMulTransposed(), Factors(0, 1, False, True, None)),
        (WeightedSum(), Factors(0, 1, False, False, None)),
        (TransposedWeights(), Factors(0, 1, True, False, None)),
        (DivideByRow(), None),
        (GatedProduct(1), None),
        (Softmax(), None),
    ],
)
def test_factors(operation: Operation, factors: Factors | None) -> None:
    assert factors_of(operation) == factors


def test_in_a_terminal_they_stand_from_100_columns_on() -> None:
    trace = shipped_trace("i_love_ai")
    narrow, wide = (page_of(trace, "terminal", width) for width in (99, 100))
    assert audit(narrow, "terminal", tables_of(trace)).products == 0
    assert audit(wide, "terminal", tables_of(trace)).products == 45
    assert narrow == render(document_of(trace).in_lines, "terminal", RenderOptions(99))
    assert max(map(len, wide.splitlines())) <= 100


def test_what_has_no_room_is_told_in_lines() -> None:
    """By what is measured: of one page some products fit in 100 columns, and all in 160."""
    trace = shipped_trace("encoder_block")
    laid_out = [
        audit(page_of(trace, "terminal", n), "terminal", tables_of(trace)).products
        for n in (99, 100, 160)
    ]
    every = sum(product.result.matrix.size for product in products_of(document_of(trace)))
    assert laid_out[0] == 0 < laid_out[1] < laid_out[2] == every


@pytest.mark.parametrize(("form", "width"), [("html", 80), ("terminal", 100), ("terminal", 160)])
@pytest.mark.parametrize("name", ["i_love_ai", "masked_word", "mixture_of_experts"])
def test_an_auditor_evaluates_every_number(name: str, form: str, width: int) -> None:
    trace = shipped_trace(name)
    found = audit(page_of(trace, form, width), form, tables_of(trace))
    assert not found.false
    assert found.products > 40


@pytest.mark.parametrize("form", ["html", "terminal"])
def test_an_auditor_finds_a_wrong_number(form: str) -> None:
    """One of the result, where it stands first."""
    trace = shipped_trace("i_love_ai")
    page = page_of(trace, form, 100)
    assert "4.728" in page
    found = audit(page.replace("4.728", "4.729", 1), form, tables_of(trace))
    assert any(text.startswith("product: ['2.364', '2.364']") for text in found.false)
