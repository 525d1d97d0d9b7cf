"""Long rows as a page tells them: what is left out is added up without making each number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from attncli import load, work
from attncli.arithmetic import decimals, evaluation
from attncli.arithmetic import operations as ops
from attncli.arithmetic.elision import MOST_PARTS, shortened
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Rounding
from attncli.arithmetic.shown_totals import total_shown
from attncli.notation import plain
from tests.conftest import THOROUGH
from tests.pages import page_of

EXACT, CARRY = Rounding("exact", 4), Rounding("carry", 4)
LONG = 700


def rows() -> Iterator[tuple[str, Matrix]]:
    """Numbers of all sizes, near halves and edges, with zeros and what a mask hides."""
    rng = np.random.default_rng(3)
    for k in range(60 if THOROUGH else 15):
        places = int(rng.integers(0, 9))
        normal, signs = rng.standard_normal((1, LONG)), rng.choice([-1.0, 1.0], (1, LONG))
        some = {
            "of a size": normal * 10.0 ** rng.integers(-9, 6),
            "of all sizes": signs * 10.0 ** rng.uniform(-14, 14, (1, LONG)),
            "halves": np.round(normal, int(rng.integers(0, places + 3))),
            "half units": rng.integers(-20, 20, (1, LONG)) * 10.0 ** -(places + 1) / 2,
            "first digits": signs * rng.integers(1, 99, (1, LONG)) * 10.0 ** -(places + 3.0),
        }
        some["with zeros"] = np.where(normal > 1, 0.0, some["of a size"])
        some["hidden"] = np.where(normal > 2, -np.inf, some["of a size"])
        yield from ((f"{name}, {k}", Matrix(x + 0.0, None, places)) for name, x in some.items())
        whole = np.round(normal * 100, places) + 0.0
        yield f"carried, {k}", Matrix(whole, places, places)
        yield f"with more decimals than are shown, {k}", Matrix(whole, places, max(0, places - 2))


@pytest.mark.slow
def test_totals_are_those_of_numbers_one_by_one() -> None:
    for name, matrix in rows():
        each = [matrix.shown(0, j) for j in range(LONG)]
        for start in (0, 3):
            wanted = decimals.total(each[start:])
            found = total_shown(matrix, range(1), range(start, LONG))
            assert found.as_tuple() == wanted.as_tuple(), name
        turned = Matrix(matrix.values.T.copy(), matrix.places, matrix.decimals)
        assert total_shown(turned, range(LONG), range(1)) == decimals.total(each), name


@pytest.mark.parametrize("rounding", [EXACT, CARRY])
def test_so_are_those_of_what_was_worked(rounding: Rounding) -> None:
    """Whose smallest numbers are worked again, unless that is too much work."""
    for width in (LONG, 40_000):
        logits = np.random.default_rng(5).standard_normal((3, width)) * 4
        x = Matrix.of_array(logits, 4, carry=rounding.carries)
        exp = ops.Exponential.under(rounding, "softmax").make(rounding, "softmax", x)
        total = ops.RowSum().make(rounding, "softmax", exp)
        weights = ops.DivideByRow().make(rounding, "softmax", exp, total)
        for matrix in (x, exp, weights):
            each = (matrix.shown(1, j) for j in range(width))
            found = total_shown(matrix, range(1, 2), range(width))
            assert found.as_tuple() == decimals.total(each).as_tuple()


SUMS = (ops.RowSum(), ops.RowMean(), ops.DivideByRowSum(), ops.DivideByColumnSum())


@pytest.mark.parametrize("operation", SUMS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("rounding", [EXACT, CARRY])
@pytest.mark.parametrize("shape", [(2, LONG), (LONG, 2), (2, 20)])
def test_in_brief_a_line_says_the_same(
    operation: ops.Operation, rounding: Rounding, shape: tuple[int, int]
) -> None:
    """With the same sign before its result, which hangs on all terms."""
    for seed in range(8):
        numbers = np.random.default_rng(seed).uniform(0.1, 3, shape)
        x = Matrix.of_array(numbers, 4, carry=rounding.carries)
        made = operation.make(rounding, "step", x)
        for i in range(min(2, made.shape[0])):
            whole, brief = operation.cell(i, 0, x), operation.brief(i, 0, x)
            told = [plain(shortened(form, MOST_PARTS)) for form in whole]
            assert told == [plain(shortened(form, MOST_PARTS)) for form in brief]
            sign = evaluation.relation(whole[-1], made.number(i, 0))
            assert sign == evaluation.relation(brief[-1], made.number(i, 0))


def test_signs_of_both_kinds_are_seen() -> None:
    """Among the sums above, so that it means something that they agree."""
    told = set()
    for seed in range(8):
        numbers = np.random.default_rng(seed).uniform(0.1, 3, (2, LONG))
        x = Matrix.of_array(numbers, 4, carry=False)
        made = ops.RowMean().make(EXACT, "step", x)
        told |= {evaluation.relation(ops.RowMean().brief(i, 0, x)[-1], made.number(i, 0))
                 for i in range(2)}  # fmt: skip
        total = ops.RowSum().make(EXACT, "step", x)
        told |= {evaluation.relation(ops.RowSum().brief(i, 0, x)[-1], total.number(i, 0))
                 for i in range(2)}  # fmt: skip
    assert told == {"=", "≈"}


def test_what_is_left_out_has_no_value_unless_it_is_told() -> None:
    from attncli.arithmetic.expression import Omitted, Sum

    with pytest.raises(TypeError):
        evaluation.shown(Sum((Omitted(),)))


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize("detail", ["full", "rows"])
def test_a_page_of_a_large_vocabulary_makes_the_numbers_that_it_tells(
    policy: str, detail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    width = 40_000  # too many to be worked again where a float is in doubt
    logits = np.random.default_rng(2).standard_normal((3, width))
    rounding = {"policy": policy, "decimals": 6}
    trace = work(load({"logits": logits, "rounding": rounding}, large=True))
    made, number = list[int](), Matrix._number

    def counted(matrix: Matrix, i: int, j: int) -> object:
        made.append(j)
        return number(matrix, i, j)

    monkeypatch.setattr(Matrix, "_number", counted)
    page = page_of(trace, "terminal", 80, detail)
    assert "exp_sum" in page
    assert 20 < len(made) < width / 40
