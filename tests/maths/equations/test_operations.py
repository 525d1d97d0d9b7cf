"""Every operation: its numbers, its working, its rounding, its shapes and its looks agree."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli.maths.equations import deciding
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Apply, Negative, Number, Power, Quotient, Sum, constant
from attncli.maths.notation import plain, unbreakable
from attncli.maths.notation.latex import latex
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Doubtful, Error, Rounding, Unworkable, carry, cleanse
from attncli.maths.operations.gradients import TargetSlope
from attncli.maths.operations.losses import TargetDifference
from tests.conftest import FEWER, THOROUGH, sampled
from tests.helpers import ops, truth

EXACT = Rounding("exact", 3)
TEN_THOUSAND = constant(10000)
PLUS_ONE_E9 = Number.written(Decimal("-1e9"))

Arrays = Any


@pytest.fixture(autouse=True)
def sixty_digits() -> Iterator[None]:
    with mpmath.workdps(60):
        yield


class Case(NamedTuple):
    """An operation, its operands' shapes and kinds (a letter each), and what it should make.

    f: any numbers; p: positive ones; b: ones and zeros, no row without a one; m: numbers and −∞.
    """

    operation: ops.Operation
    shapes: tuple[tuple[int, int], ...]
    kinds: str
    expected: Callable[..., Arrays]


def _layer_norm(c: Arrays, d: Arrays, *rest: Arrays) -> Arrays:
    return c / d * (rest[0] if rest else 1) + (rest[1] if len(rest) > 1 else 0)


def _sinusoids(shape: tuple[int, ...], base: float, start: int) -> Arrays:
    n, d = shape
    out = np.zeros((n, d))
    for pos, k in product(range(n), range(d // 2)):
        angle = (pos + start) / base ** (2 * k / d)
        out[pos, 2 * k : 2 * k + 2] = math.sin(angle), math.cos(angle)
    return out


def _rotated(x: Arrays, c: Arrays, s: Arrays, interleaved: bool) -> Arrays:
    """By complex numbers, as in the paper's (first + i second) e^(i angle)."""
    r, out = 2 * c.shape[1], x.copy()
    first, second = (
        (x[:, 0:r:2], x[:, 1:r:2]) if interleaved else (x[:, : r // 2], x[:, r // 2 : r])
    )
    turned = (first + 1j * second) * (c + 1j * s)
    if interleaved:
        out[:, 0:r:2], out[:, 1:r:2] = turned.real, turned.imag
    else:
        out[:, : r // 2], out[:, r // 2 : r] = turned.real, turned.imag
    return out


def _top(x: Arrays, k: int) -> Arrays:
    out = np.zeros_like(x)
    for i, row in enumerate(x):
        for j in sorted(range(len(row)), key=lambda j: (-row[j], j))[:k]:
            out[i, j] = 1
    return out


def _ranked_sums(p: Arrays) -> Arrays:
    order = np.argsort(-p, axis=1, kind="stable")
    sums = np.take_along_axis(p, order, axis=1).cumsum(1)
    return np.take_along_axis(sums, order.argsort(1), axis=1)


def _distance(x: Arrays) -> Arrays:
    n, m = x.shape
    return np.array([[abs(i + m - n - j) for j in range(m)] for i in range(n)])


def _silu(x: Arrays) -> Arrays:
    return np.array([[float(v / (1 + mpmath.exp(-v))) for v in row] for row in x.tolist()])


HALF, CAP = Number.written(Decimal("0.5")), Number.written(Decimal("1.5"))
DROPPED = Number.written(Decimal("0.1"))
EPS = Number.written(Decimal("0.00001"))
F33 = ((3, 3),)
F34 = ((3, 4),)

CASES: dict[str, Case] = {
    "same": Case(ops.Same(), F34, "f", lambda x: x),
    "take_columns": Case(ops.TakeColumns(1, 3), ((2, 6),), "f", lambda x: x[:, 2:4]),
    "take_block": Case(ops.TakeBlock(1, 3), F34, "f", lambda x: x[:, 1:3]),
    "abs_max": Case(ops.AbsMax(127), F34, "p", lambda x: np.abs(x).max(keepdims=True) / 127),
    "abs_max_of_groups": Case(
        ops.AbsMax(7, 2), F34, "p", lambda x: np.abs(x).reshape(3, 2, 2).max(axis=2) / 7
    ),
    "repeat_along": Case(ops.RepeatAlong(2), F34, "f", lambda x: np.repeat(x, 2, axis=1)),
    "restored": Case(ops.RestoredInGroups(), F34 * 2, "ff", lambda x, s: x * s),
    "repeat_down": Case(
        ops.RepeatDown(1), ((3, 2), (1, 3)), "ff", lambda x, row: np.full((len(x), 1), row[0, 1])
    ),
    "without_column": Case(ops.WithoutColumn(last=True), F34, "f", lambda x: x[:, :3]),
    "mean_of": Case(ops.MeanOf(2), F34 * 2, "ff", lambda a, b: (a + b) / 2),
    "take_column": Case(ops.TakeColumn(1, 3, "expert"), F33, "f", lambda x: x[:, 1:2]),
    "mixture_of": Case(
        ops.MixtureOf((True, False)), ((3, 1), *F34 * 2), "fff", lambda g, x, y: g * x + y
    ),
    "join_columns": Case(ops.JoinColumns(3), ((2, 1), (2, 2), (2, 3)), "fff", lambda *x: np.hstack(x)),
    "join_rows": Case(ops.JoinRows(), ((1, 3), (2, 3)), "ff", lambda *x: np.vstack(x)),
    "silu": Case(ops.Activate("silu"), F34, "f", _silu),
    "add": Case(ops.Add(2), F34 * 2, "ff", lambda a, b: a + b),
    "add3": Case(ops.Add(3), F34 * 3, "fff", lambda a, b, c: a + b + c),
    "multiply": Case(ops.Multiply(), F34 * 2, "ff", lambda a, b: a * b),
    "multiply_by_one_more": Case(
        ops.MultiplyByOneMore(), F34 * 2, "ff", lambda a, b: a * (1 + b)
    ),
    "at_most": Case(ops.AtMost(CAP), F34, "f", lambda x: np.minimum(1.5, x)),
    "between": Case(ops.Between(CAP), F34, "f", lambda x: np.clip(x, -1.5, 1.5)),
    "soft_cap": Case(ops.SoftCap(CAP), F34, "f", lambda x: 1.5 * np.tanh(x / 1.5)),
    "dropout": Case(ops.Dropout(DROPPED), F34 * 2, "fb", lambda x, k: x * k / 0.9),
    "dropout_half": Case(ops.Dropout(HALF), F34 * 2, "fb", lambda x, k: x * k * 2),
    "row_mean": Case(ops.RowMean(), F33, "f", lambda x: x.mean(1, keepdims=True)),
    "row_mean4": Case(ops.RowMean(), F34, "f", lambda x: x.mean(1, keepdims=True)),
    "row_mean1": Case(ops.RowMean(), ((3, 1),), "f", lambda x: x),
    "subtract_row": Case(ops.SubtractRow(), ((3, 4), (3, 1)), "ff", lambda x, m: x - m),
    "mean_of_squares": Case(ops.MeanOfSquares(), F33, "f", lambda x: (x**2).mean(1, keepdims=True)),
    "less_one": Case(ops.MeanOfSquares(less_one=True), F33, "f", lambda x: (x**2).sum(1, keepdims=True) / 2),
    "root": Case(ops.RootOf(EPS), ((3, 1),), "p", lambda v: np.sqrt(v + 1e-5)),
    "root0": Case(ops.RootOf(constant(0)), ((3, 1),), "p", np.sqrt),
    "root_outside": Case(ops.RootOf(EPS, inside=False), ((3, 1),), "p", lambda v: np.sqrt(v) + 1e-5),
    "normalize": Case(ops.Normalize(False, False), ((3, 4), (3, 1)), "fp", _layer_norm),
    "normalize_gamma": Case(ops.Normalize(True, False), ((3, 4), (3, 1), (1, 4)), "fpf", _layer_norm),
    "normalize_beta": Case(
        ops.Normalize(False, True), ((3, 4), (3, 1), (1, 4)), "fpf", lambda c, d, b: c / d + b
    ),
    "normalize_both": Case(
        ops.Normalize(True, True), ((3, 4), (3, 1), (1, 4), (1, 4)), "fpff", _layer_norm
    ),
    "sinusoids": Case(
        ops.Sinusoids(TEN_THOUSAND, 0, 3, 6), (), "", lambda: _sinusoids((3, 6), 1e4, 0)
    ),
    "sinusoids_start": Case(
        ops.Sinusoids(constant("7.5"), 4000, 3, 4), (), "", lambda: _sinusoids((3, 4), 7.5, 4000)
    ),
    "rotary_cos": Case(
        ops.RotaryTable("cos", None, TEN_THOUSAND), F34, "f",
        lambda x: _sinusoids(x.shape, 1e4, 0)[:, 1::2],
    ),
    "rotary_sin": Case(
        ops.RotaryTable("sin", 2, constant(500), 3), F34, "f",
        lambda x: _sinusoids((len(x), 2), 500, 3)[:, ::2],
    ),
    "frequencies": Case(
        ops.Frequencies(constant(500)), F34, "f", lambda _: [[1], [500**-0.5]]
    ),
    "frequencies_ntk": Case(
        ops.Frequencies(constant(500), 4, constant(3)), ((2, 6),), "f",
        lambda _: [[1], [(500 * 9) ** -0.5]],
    ),
    "frequencies_dynamic": Case(
        ops.Frequencies(constant(500), None, constant(4), constant(2), 1), F34, "f",
        lambda _: [[1], [(500 * 5**2) ** -0.5]],
    ),
    "ramp_of_pairs": Case(
        ops.RampOfPairs(constant(100), constant(64), constant(32), constant(1)), ((3, 1),), "f",
        lambda _: [[1], [0.5], [0]],
    ),
    "ramp_of_turns": Case(
        ops.RampOfTurns(constant(32), constant(1), constant(4)), ((3, 1),), "p",
        lambda x: np.clip((32 * x / (2 * np.pi) - 1) / 3, 0, 1),
    ),
    "turns_table": Case(
        ops.TurnsTable("sin", 3, constant(2)), ((2, 4), (2, 1)), "ff",
        lambda _, f: 2 * np.sin(np.arange(3, 5)[:, None] * f.T),
    ),
    "rotate": Case(
        ops.Rotate("interleaved", None), ((3, 4), (3, 2), (3, 2)), "fff",
        lambda x, c, s: _rotated(x, c, s, True),
    ),
    "rotate_half": Case(
        ops.Rotate("half", None), ((3, 4), (3, 2), (3, 2)), "fff",
        lambda x, c, s: _rotated(x, c, s, False),
    ),
    "rotate_some": Case(
        ops.Rotate("interleaved", 4), ((2, 5), (2, 2), (2, 2)), "fff",
        lambda x, c, s: _rotated(x, c, s, True),
    ),
    "rotate_some_half": Case(
        ops.Rotate("half", 4), ((2, 5), (2, 2), (2, 2)), "fff",
        lambda x, c, s: _rotated(x, c, s, False),
    ),
    "buckets": Case(ops.Buckets(8, 6), ((2, 5),), "f", lambda _: np.array([[2, 2, 1, 0, 5], [3, 2, 2, 1, 0]])),
    "buckets_before": Case(
        ops.Buckets(4, 5, both=False), ((3, 3),), "f", lambda _: np.array([[0, 0, 0], [1, 0, 0], [2, 1, 0]])
    ),
    "take_by_bucket": Case(ops.TakeByBucket(4, 2, 1), ((2, 3), (4, 2)), "bf", lambda b, t: t[b.astype(int), 1]),
    "signed_buckets": Case(
        ops.SignedBuckets(4, 0), ((2, 5),), "f", lambda _: np.array([[3, 3, 3, 2, 1], [3, 3, 3, 3, 2]])
    ),
    "take_for_query": Case(
        ops.TakeInRow(2), ((2, 3), (2, 2)), "bf", lambda b, x: np.take_along_axis(x, b.astype(int), 1)
    ),
    "take_for_key": Case(
        ops.TakeInRow(2, of="j"), ((2, 3), (3, 2)), "bf",
        lambda b, x: np.take_along_axis(x, b.astype(int).T, 1).T,
    ),
    "windows": Case(
        ops.Windows(2, 3, 2), ((5, 2),), "f",
        lambda x: np.array([[*x[:3, 0], *x[:3, 1]], [*x[2:, 0], *x[2:, 1]]]),
    ),
    "alibi": Case(ops.Alibi(HALF), ((2, 5),), "f", lambda x: -0.5 * _distance(x)),
    "alibi_irrational": Case(
        ops.Alibi(ops.alibi_slopes(16)[0]), F33, "f", lambda x: -(2**-0.5) * _distance(x)
    ),
    "seen": Case(
        ops.Seen((ops.Causal(), ops.Window(2))), ((2, 4),), "f",
        lambda x: (_distance(x) < 2) & np.tri(2, 4, 2, dtype=bool),
    ),
    "seen_tables": Case(
        ops.Seen((ops.TableRule(allowed=False), ops.Padding((2,)), ops.Finite()), must_see=False),
        F33 * 3, "fbm",
        lambda _, t, a: (t == 0) & np.isfinite(a) & (np.arange(3) != 2),
    ),
    "masked": Case(ops.Masked(), F33 * 2, "fb", lambda x, s: np.where(s == 1, x, -np.inf)),
    "masked_finite": Case(
        ops.Masked(PLUS_ONE_E9), F33 * 2, "fb", lambda x, s: np.where(s == 1, x, -1e9)
    ),
    "add_finite": Case(
        ops.AddFinite(), F33 * 2, "fm", lambda x, t: x + np.where(np.isfinite(t), t, 0)
    ),
    "exponential": Case(ops.Exponential(decimals=3, carry=True), F33, "m", np.exp),
    "group_score": Case(
        ops.GroupScore(2, 2), ((3, 6),), "f",
        lambda x: np.sort(x.reshape(3, 2, 3), axis=2)[:, :, 1:].sum(axis=2),
    ),
    "best_of_group": Case(
        ops.GroupScore(2), ((3, 6),), "f", lambda x: x.reshape(3, 2, 3).max(axis=2)
    ),
    "add_to_each": Case(ops.AddToEach(), ((3, 4), (1, 4)), "ff", lambda x, b: x + b),
    "top_k": Case(ops.TopK(2), F34, "f", lambda x: _top(x, 2)),
    "new_tokens": Case(
        ops.NewTokens((2, 0, 2, 1)), F34, "f",
        lambda _: np.array([[0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 0, 1]]),
    ),
    "penalized": Case(
        ops.Penalized(Number.written(Decimal("1.25"))), F34 * 2, "fb",
        lambda x, new: np.where(new == 1, x, np.where(x > 0, x / 1.25, x * 1.25)),
    ),
    "cache_bytes": Case(
        ops.CacheBytes(3, 2, HALF), ((5, 4), (5, 4)), "ff", lambda *_: [[2 * 3 * 2 * 2 * 5 / 2]]
    ),
    "cache_bytes_of_wide_values": Case(
        ops.CacheBytes(3, 2, HALF), ((5, 4), (5, 6)), "ff", lambda *_: [[3 * 2 * (2 + 3) * 5 / 2]]
    ),
    "row_max": Case(ops.RowMax(), F34, "f", lambda x: x.max(1, keepdims=True)),
    "row_max_running": Case(
        ops.RowMax(running=True), (*F34, (3, 1)), "ff",
        lambda x, m: np.maximum(x.max(1, keepdims=True), m),
    ),
    "at_least": Case(ops.AtLeast(), (*F34, (3, 1)), "pp", lambda p, t: p >= t),
    "at_least_kept": Case(
        ops.AtLeastOfKept(), (*F34, (3, 1), *F34), "ppb", lambda p, t, k: (p >= t) * k
    ),
    "cumulative": Case(ops.Cumulative(), F34, "p", lambda p: p.cumsum(1)),
    "cumulative_ranked": Case(ops.Cumulative(ranked=True), F34, "p", _ranked_sums),
    "kept_sum": Case(ops.KeptSum(), F34 * 2, "pb", lambda p, k: (p * k).sum(1, keepdims=True)),
    "kept_share": Case(ops.KeptShare(), (*F34 * 2, (3, 1)), "pbp", lambda p, k, s: p * k / s),
    "negative_log": Case(
        ops.NegativeLog((1, 0, 3)), F34, "p", lambda p: -np.log(p[[0, 1, 2], [1, 0, 3]])[:, None]
    ),
    "cut_scores": Case(
        ops.CutScores(((0, 2), (1,), (2, 1, 0))), ((3, 1),), "f",
        lambda s: np.array([s[0] + s[2], s[1], s[2] + s[1] + s[0]]),
    ),
    "long_cut": Case(
        ops.CutScores((tuple(range(40)) * 2,)), ((40, 1),), "f", lambda s: [[2 * s.sum()]]
    ),
    "loss_without": Case(
        ops.LossWithout((((0, (1, 2)), (2, (0,))), ((1, (2,)),))), ((3, 1),) * 3, "pff",
        lambda c, s, p: np.array(
            [c[0] * (s[0] - p[1] - p[2]) + c[2] * (s[2] - p[0]), c[1] * (s[1] - p[2])]
        ),
    ),
    "pruning_loss": Case(
        ops.PruningLoss(((1, (0, 2)), (2, (0,))), 2), ((3, 1), (1, 1), (1, 1)), "ppp",
        lambda f, e, w: np.array(
            [
                f[1] / w[0] * (np.log(f[1] / e[0])
                - np.log((f[0] + f[1]) * (f[2] + f[1]) / (e[0] + 2 * f[1]) ** 2)),
                f[2] / w[0] * (np.log(f[2] / e[0]) - np.log((f[0] + f[2]) / (e[0] + 2 * f[2]))),
            ]
        ),
    ),
    "arrivals": Case(
        ops.Arrivals(((2, None), (0, 1), (None, 0)), 2, unknown=True),
        ((3, 1), (1, 1), (1, 1), (1, 1)), "ffff",
        lambda s, a, b, u: np.array([s[2], b[0] + s[0], a[0] + u[0]]),
    ),
    "target_difference": Case(
        TargetDifference(ops.LossOfLogits((1, None, 0))), ((3, 4), (3, 4), (2, 1), (2, 1)), "fpff",
        lambda *of: of[3][[0, 0, 1]] * (of[1] - np.eye(4)[[1, 0, 0]]) * [[1], [0], [1]],
    ),
    "target_slope": Case(
        TargetSlope((1, 3)), ((2, 4), (2, 1), (2, 1)), "pff",
        lambda p, _, G: -G / p * np.eye(4)[[1, 3]],
    ),
    "largest": Case(ops.LargestOf(), ((4, 1),), "f", lambda x: x.max(0, keepdims=True)),
    "least": Case(ops.Least(), ((4, 1),), "f", lambda x: x.min(0, keepdims=True)),
    "share": Case(ops.Share(), ((2, 1),), "p", lambda x: x[:1] / x[1:]),
    "column_mean": Case(ops.ColumnMean(), ((3, 1),), "f", lambda x: x.mean(0, keepdims=True)),
    "exponential_of": Case(ops.ExponentialOf(), ((1, 1),), "f", np.exp),
    "linear": Case(ops.Linear(), ((3, 2), (4, 2)), "ff", lambda x, W: x @ W.T),
    "affine_transposed": Case(
        ops.AffineTransposed(), ((3, 2), (4, 2), (1, 4)), "fff", lambda x, W, b: x @ W.T + b
    ),
}  # fmt: skip

AS_THEY_ARE = (
    ops.Same, ops.TakeColumn, ops.TakeColumns, ops.JoinColumns, ops.JoinRows, ops.Seen, ops.Masked,
    ops.TopK, ops.RepeatDown, ops.WithoutColumn, ops.Buckets, ops.TakeByBucket,
    ops.SignedBuckets, ops.TakeInRow, ops.Windows,
    ops.NewTokens, ops.ZeroOne, ops.TakeBlock, ops.RepeatAlong,
)  # fmt: skip
"""Operations that round nothing."""


def written(random: Random, shape: tuple[int, int], kind: str) -> Matrix:
    """Numbers with up to two decimals, as people write them."""

    def number() -> Decimal:
        if kind == "b":
            return Decimal(random.randint(0, 1))
        if kind == "m" and random.random() < 0.3:
            return Decimal("-Infinity")
        places = random.randint(0, 2)
        low = 1 if kind == "p" else -3 * 10**places
        return Decimal(random.randint(low, 3 * 10**places)).scaleb(-places)

    return Matrix.of_written(
        _with_ones(random, kind, [[number() for _ in range(shape[1])] for _ in range(shape[0])])
    )


def _with_ones(random: Random, kind: str, rows: list[list[Decimal]]) -> list[list[Decimal]]:
    for row in rows:
        if kind == "b":
            row[random.randrange(len(row))] = Decimal(1)
        elif kind == "m" and not any(number.is_finite() for number in row):
            row[0] = Decimal(1)
    return rows


def computed(random: Random, shape: tuple[int, int], kind: str) -> Matrix:
    """Numbers of a quantity, in full precision."""
    if kind in "bm":
        return written(random, shape, kind)
    low = 0.05 if kind == "p" else -3
    array = np.array([[random.uniform(low, 3) for _ in range(shape[1])] for _ in range(shape[0])])
    return Matrix.of_array(array, 3, carry=False)


def carried(random: Random, shape: tuple[int, int], kind: str) -> Matrix:
    """Numbers of a quantity with three decimals."""
    if kind in "bm":
        return written(random, shape, kind)
    return Matrix.of_array(computed(random, shape, kind).values, 3, carry=True)


MAKERS = (written, computed, carried)


def operands_of(case: Case, make: Callable[..., Matrix], seed: int) -> list[Matrix]:
    random = Random(seed)
    return [make(random, shape, kind) for shape, kind in zip(case.shapes, case.kinds, strict=True)]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("name", CASES)
def test_numbers_working_and_paper_agree(name: str, make: Callable[..., Matrix]) -> None:
    case = CASES[name]
    for seed in range(8 if THOROUGH else 2):
        operands = operands_of(case, make, seed)
        result = case.operation.make(EXACT, "step", *operands)
        expected = case.expected(*(operand.values for operand in operands))
        np.testing.assert_allclose(result.values, expected, rtol=1e-11, atol=1e-12)
        assert not (np.signbit(result.values) & (result.values == 0)).any()
        for i, j in np.ndindex(*result.shape):
            true = deciding.full(case.operation.cell(i, j, *operands)[0])
            assert close(float(result.values[i, j]), true)


@pytest.mark.parametrize("make", [written, carried])
@pytest.mark.parametrize("name", CASES)
def test_no_value_is_farther_off_than_it_may_be(name: str, make: Callable[..., Matrix]) -> None:
    """Operands in decimals are floats in the operation; its values are off by what it says."""
    case = CASES[name]
    for seed in range(8 if THOROUGH else 2):
        operands = operands_of(case, make, seed)
        values = case.operation.values(*operands)
        most = truth.off(case.operation.error(*operands), values)
        for i, j in np.ndindex(*values.shape):
            true = deciding.full(case.operation.cell(i, j, *operands)[0])
            if true.is_finite():
                off = abs(Decimal(float(values[i, j])) - true)
                assert off <= Decimal(float(most[i, j])) + LEAST, (i, j)


@settings(max_examples=20 * FEWER)
@given(
    st.sampled_from(sorted(ops.ACTIVATIONS)), st.decimals(-700, 700, places=6), st.integers(0, 6)
)
def test_no_activation_is_farther_off_than_it_may_be(kind: str, x: Decimal, small: int) -> None:
    operand = Matrix.of_written([[x.scaleb(-small)]])
    operation = ops.Activate(kind)
    values = operation.values(operand)
    value, most = values.item(), truth.off(operation.error(operand), values).item()
    true = deciding.full(operation.cell(0, 0, operand)[0])
    assert abs(Decimal(value) - true) <= Decimal(most) + LEAST


LEAST = Decimal("5e-324")
"""A float can be no nearer to a number than its smallest ones lie apart."""


def close(value: float, true: Decimal) -> bool:
    if math.isinf(value):
        return Decimal(value) == true
    return abs(Decimal(value) - true) <= Decimal("1e-12") * max(Decimal(1), abs(true))


@sampled(17, name=CASES, make=MAKERS, places=range(5))
def test_rounded_as_the_true_values(name: str, make: Callable[..., Matrix], places: int) -> None:
    case, rounding = CASES[name], Rounding("carry", places)
    for seed in range(6):
        operands = operands_of(case, make, seed)
        try:
            result = case.operation.make(rounding, "step", *operands)
        except Unworkable:
            # a root, or all exponentials of a row, that round to 0
            assert isinstance(case.operation, ops.RootOf | ops.Exponential)
            continue
        for i, j in np.ndindex(*result.shape):
            forms = case.operation.cell(i, j, *operands)
            number = result.number(i, j)
            if isinstance(case.operation, AS_THEY_ARE):
                assert number == forms[0]
                continue
            assert number.full == number.shown
            assert Fraction(number.shown) == truth.rounded(forms[0], places)
            assert Decimal(repr(float(result.values[i, j]))) == number.shown
            if make is not computed:  # of hidden digits the shown ones don't tell
                assert deciding.relation(forms[-1], number) == "="


def half_away(value: Decimal, places: int) -> Decimal:
    with localcontext() as context:
        context.prec = 200
        return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP) + 0


@pytest.mark.parametrize("name", CASES)
def test_signatures(name: str) -> None:
    case = CASES[name]
    given_shapes, _, made = case.operation.signature().partition(" -> ")
    extents: dict[str, int] = {}
    sides = given_shapes.split(", ") if given_shapes else []
    for shape, axes in zip(case.shapes, sides, strict=True):
        for size, axis in zip(shape, axes.split(" "), strict=True):
            text, _, more = axis.partition("+")
            times, _, letter = text.rpartition("*")
            if letter.isdigit():
                assert size == int(letter)
                continue
            known = (size - int(more or 0)) // int(times or 1)
            assert re.fullmatch(r"[a-z]\d*", letter)
            assert extents.setdefault(letter, known) == known
    result = case.operation.make(EXACT, "step", *operands_of(case, written, 1))
    for size, axis in zip(result.shape, made.split(" "), strict=True):
        assert size == sum(extent_of(term, extents) for term in axis.split("+"))


def extent_of(term: str, extents: Mapping[str, int]) -> int:
    """A term of an extent: `4`, `n`, `3*b`."""
    times, star, letter = term.rpartition("*")
    known = int(letter) if letter.isdigit() else extents[letter]
    return int(times) * known if star else known


_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?")
_PYTHON = {"−": "-", "×": "*", "^": "**", "∞": "mpf('inf')", "[": "vec([", "]": "])"}


def read(text: str) -> Any:
    """What a text comes to, as Python reads it with mpmath's numbers: no code of the package."""
    text = _NUMBER.sub(lambda match: f"mpf('{match[0]}')", text)
    text = re.sub(r"√(mpf\('[^']*'\))", r"sqrt(\1)", text).replace("√(", "sqrt(")
    for sign, python in _PYTHON.items():
        text = text.replace(sign, python)
    return eval(text, {
        "mpf": mpmath.mpf, "sqrt": mpmath.sqrt, "sin": mpmath.sin, "cos": mpmath.cos,
        "ln": mpmath.ln, "tanh": mpmath.tanh, "e": mpmath.e, "π": mpmath.pi, "max": max,
        "min": min, "abs": abs,
        "vec": lambda entries: np.array(entries, dtype=object),
    })  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_form_can_be_read_back(name: str) -> None:
    case = CASES[name]
    for make in (written, computed):
        operands = operands_of(case, make, 3)
        rows, columns = case.operation.make(EXACT, "step", *operands).shape
        for i, j in np.ndindex(rows, columns):
            for form in case.operation.cell(i, j, *operands):
                text = unbreakable(plain(form))
                assert_same(read(text), deciding.shown(form), text)
                assert balanced(latex(form))
        for i in range(rows):
            for form in case.operation.row(i, ("A", "B", "C", "D")[: len(operands)], *operands):
                text = unbreakable(plain(form))
                assert balanced(latex(form))
                if re.search("[A-D]", text):
                    continue  # x Wᵀ goes by names
                shown = [
                    deciding.shown(case.operation.cell(i, j, *operands)[0]) for j in range(columns)
                ]
                for value, true in zip(read(text), shown, strict=True):
                    assert_same(value, true, text)
        formula = case.operation.formula("made", *("layers[1].A", "B_x", "C", "D")[: len(operands)])
        assert unbreakable(plain(formula)).startswith("made")
        assert balanced(latex(formula))


def assert_same(value: Any, true: Decimal, text: str) -> None:
    if true.is_infinite():
        assert value == float(true), text
    else:
        difference = abs(value - mpmath.mpf(str(true)))
        assert difference <= mpmath.mpf("1e-45") * max(1, abs(value)), text


def balanced(text: str) -> bool:
    return text.count("{") == text.count("}") and "−" not in text and "∞" not in text


def test_the_callers_decimal_context_plays_no_part() -> None:
    def everything() -> list[list[list[float]]]:
        return [
            case.operation.make(
                Rounding("carry", 4), "step", *operands_of(case, carried, 5)
            ).values.tolist()
            for case in CASES.values()
        ]

    before, slopes = everything(), ops.alibi_slopes(24)
    with localcontext() as context:
        context.prec = 3
        assert everything() == before
        assert ops.alibi_slopes(24) == slopes


@pytest.mark.parametrize(
    ("operation", "numbers", "places", "rounded"),
    [
        (ops.RowMean(), [["0.1", "0.15", "0.2"]], 1, "0.2"),
        (ops.RootOf(constant("0.0025")), ["0.02"], 1, "0.2"),
        (ops.RootOf(constant("0.05"), inside=False), ["0.01"], 1, "0.2"),
        (ops.Normalize(True, False), ["-0.1", "0.4", "0.6"], 1, "-0.2"),
        (ops.Normalize(True, True), ["0.1", "0.3", "0.3", "-0.25"], 1, "-0.2"),
        (ops.Dropout(DROPPED), ["0.45", "1"], 0, "1"),
        (ops.KeptShare(), ["0.3", "1", "2"], 1, "0.2"),
        (ops.Alibi(HALF), [["1", "1"]], 0, "-1"),
    ],
)
def test_halves_go_away_from_zero(
    operation: ops.Operation, numbers: list[Any], places: int, rounded: str
) -> None:
    rows = [number if isinstance(number, list) else [number] for number in numbers]
    operands = [Matrix.of_written([list(map(Decimal, row))]) for row in rows]
    made = operation.make(Rounding("carry", places), "step", *operands)
    assert made.number(0, 0).shown == Decimal(rounded)


# -- evaluation ------------------------------------------------------------------------------


def applied(function: str, x: Decimal) -> Decimal:
    return deciding.full(Apply(function, (Number.written(x),)))


@pytest.mark.parametrize("function", ["sin", "cos"])
@pytest.mark.parametrize(
    "x", ["0", "1", "-2.5", "3.14159265358979", "355", "1e22", "-123456789.125", "1e80"]
)
def test_waves(function: str, x: str) -> None:
    with mpmath.workdps(250):
        true = getattr(mpmath, function)(mpmath.mpf(x))
        ours = mpmath.mpf(str(applied(function, Decimal(x))))
        assert abs(ours - true) <= abs(true) * mpmath.mpf("1e-58")


@given(st.decimals(0, 30, places=6), st.booleans())
def test_what_the_error_function_leaves_of_1(x: Decimal, minus: bool) -> None:
    """Its last digits are those that a gelu of a number far below 0 is made of."""
    erf = Apply("erf", (Number.written(-x if minus else x),))
    with mpmath.workdps(60 + int(x * x)):
        true = mpmath.erfc(mpmath.mpf(str(x)))
        left = deciding.full(Sum((constant(1), erf if minus else Negative(erf))))
        assert abs(mpmath.mpf(str(left)) - true) <= true * mpmath.mpf("1e-49")


@pytest.mark.parametrize(
    ("base", "p", "q"), [(10000, 2, 4), (10000, 2, 3), (500000, 126, 128), (2, 1, 7)]
)
def test_fractional_powers(base: int, p: int, q: int) -> None:
    power = deciding.full(Power(constant(base), Quotient(constant(p), constant(q))))
    with mpmath.workdps(100):
        true = mpmath.mpf(base) ** (mpmath.mpf(p) / q)
        assert abs(mpmath.mpf(str(power)) - true) <= true * mpmath.mpf("1e-57")


def test_logarithms() -> None:
    for x in ("0.25", "1", "1e-12", "0.999999999999", "123456"):
        with mpmath.workdps(100):
            ours = mpmath.mpf(str(applied("ln", Decimal(x))))
            assert abs(ours - mpmath.log(mpmath.mpf(x))) < mpmath.mpf("1e-25")


# -- −∞ --------------------------------------------------------------------------------------

HIDDEN = Decimal("-Infinity")


def test_minus_infinity_is_a_number() -> None:
    for matrix in (
        Matrix.of_written([[Decimal("1.0"), HIDDEN]]),
        Matrix(np.array([[1.0, -np.inf]]), 1, 3),
        Matrix(np.array([[1.0, -np.inf]]), None, 3),
    ):
        number = matrix.number(0, 1)
        assert (plain(number), latex(number)) == ("−∞", r"-\infty")
        assert number == ops.MINUS_INFINITY
        assert deciding.relation(number, number) == "="
        assert deciding.relation(matrix.number(0, 0), number) == "≈"
    assert decimals.places(HIDDEN) == 0
    assert decimals.round_to(HIDDEN, 3) == HIDDEN


class Known(NamedTuple):
    """The one number that is settled."""

    number: Decimal

    def units(self, doubtful: Doubtful) -> Any:
        count = float(self.number.scaleb(doubtful.decimals))
        return np.full(doubtful.near.shape, count)


def test_minus_infinity_is_carried_and_cleansed_around() -> None:
    hidden = Matrix.of_written([[Decimal("1.25"), HIDDEN], [HIDDEN, Decimal("-0.125")]])
    for places in (None, 3):
        values = Matrix(hidden.values.copy(), places, 3).values.copy()
        carry(values, Error(0.0, 1e-15), places, 2, Known(Decimal("1.25")))
        assert values[0, 1] == values[1, 0] == -np.inf
        assert values[0, 0] == 1.25
        values = hidden.values.copy()
        assert cleanse(values, Error(0.0, 1e-15), 3, 3)
        assert values.tolist() == hidden.values.tolist()
    too_long = np.array([[1e20, -np.inf]])
    with pytest.raises(Unworkable, match=r"^1e\+20 with 3 decimals"):
        carry(too_long, Error(0.0), None, 3, Known(Decimal(0)))


@pytest.mark.parametrize("policy", ["carry", "exact"])
def test_exponentials_of_what_is_masked(policy: Any) -> None:
    rounding = Rounding(policy, 3)
    scores = Matrix.of_written(
        [[Decimal(3), HIDDEN, Decimal(1)], [Decimal(900), Decimal(900), HIDDEN]]
    )
    operation = ops.Exponential.under(rounding, "softmax")
    made = operation.make(rounding, "softmax", scores)
    assert made.values[0, 1] == made.values[1, 2] == 0
    assert made.values[1].tolist() == [1, 1, 0]
    assert [unbreakable(plain(form)) for form in operation.cell(0, 1, scores)] == ["e^(−∞)"]
    forms = operation.cell(1, 2, scores)
    assert [unbreakable(plain(form)) for form in forms] == ["e^(−∞ − 900)", "e^(−∞)"]
    assert plain(made.number(1, 2)).startswith("0")
    sums = ops.RowSum().make(rounding, "softmax", made)
    weights = ops.DivideByRow().make(rounding, "softmax", made, sums)
    assert weights.values[1].tolist() == [0.5, 0.5, 0]
    with pytest.raises(Unworkable, match="every key is masked out"):
        operation.make(rounding, "softmax", Matrix.of_written([[HIDDEN, HIDDEN]]))


# -- joining ---------------------------------------------------------------------------------


def test_runs_of_columns_are_views() -> None:
    whole = Matrix.of_array(np.random.default_rng(0).normal(size=(1024, 768)), 3, carry=False)
    parts = [ops.TakeColumns(k, 12).make(EXACT, "project", whole) for k in range(12)]
    assert all(np.shares_memory(part.values, whole.values) for part in parts)
    assert whole.number(5, 65) == parts[1].number(5, 1)
    joined = ops.JoinColumns(12).make(EXACT, "attend", *parts)
    assert (joined.values == whole.values).all()
    assert ops.Same().make(EXACT, "project", whole).values is whole.values
    with pytest.raises(ValueError, match="768 columns can't be split into 5"):
        ops.TakeColumns(0, 5).make(EXACT, "project", whole)
    with pytest.raises(ValueError, match="dimension"):
        ops.JoinRows().make(EXACT, "cache", whole, parts[0])


def test_numbers_stay_as_written() -> None:
    x = Matrix.of_written([[Decimal("1.0"), Decimal("0.12345")], [Decimal(2), Decimal("1e3")]])
    rounding = Rounding("carry", 2)
    for made in (
        ops.Same().make(rounding, "s", x),
        ops.JoinRows().make(rounding, "s", ops.TakeRows((0,), ("a",)).make(rounding, "s", x),
                            ops.TakeRows((1,), ("b",)).make(rounding, "s", x)),
        ops.JoinColumns(2).make(rounding, "s", *(ops.TakeColumns(k, 2).make(rounding, "s", x) for k in (0, 1))),
        ops.Masked().make(rounding, "s", x, Matrix.of_written([[Decimal(1)] * 2] * 2)),
    ):  # fmt: skip
        assert made.written == x.written
    mixed = ops.JoinRows().make(rounding, "s", x, Matrix(np.array([[0.25, 1.0]]), 2, 2))
    assert [plain(mixed.number(i, 1)) for i in range(3)] == ["0.12345", "1000.00000", "1.00000"]


# -- adding and gating -----------------------------------------------------------------------


@given(st.lists(st.decimals(-9, 9, places=3), min_size=1, max_size=6), st.integers(0, 4))
def test_sums_of_written_numbers(numbers: list[Decimal], places: int) -> None:
    operands = [Matrix.of_written([[number]]) for number in numbers]
    exact = ops.Add(len(numbers)).make(Rounding("exact", 6), "residual", *operands)
    assert exact.values[0, 0] == float(sum(numbers))
    made = ops.Add(len(numbers)).make(Rounding("carry", places), "residual", *operands)
    assert made.number(0, 0).shown == half_away(sum(numbers, Decimal(0)), places)


def test_sums_that_cancel_leave_no_noise() -> None:
    def seventh(*numbers: str) -> Matrix:
        written = Matrix.of_written([[Decimal(number) for number in numbers]])
        return ops.DivideBy(constant(7)).make(EXACT, "scale", written)

    a, b, minus = seventh("0.1", "1.1"), seventh("0.2", "2.2"), seventh("-0.3", "-3.3")
    both = ops.Add(2).make(EXACT, "residual", a, b)
    assert (both.values + minus.values).any()
    assert ops.Add(3).make(EXACT, "residual", a, b, minus).values.tolist() == [[0.0, 0.0]]
    assert ops.AddFinite().make(EXACT, "bias", both, minus).values.tolist() == [[0.0, 0.0]]


def test_what_is_too_much_work_in_full_leaves_no_noise_either() -> None:
    rng = np.random.default_rng(1)
    x = Matrix(rng.normal(size=(1, 200_000)), None, 3)
    tenth = ops.DivideBy(constant(10)).make(EXACT, "scale", x)
    minus = ops.Add(1).make(EXACT, "same", Matrix(-(x.values * 0.1), None, 3))
    assert (tenth.values + minus.values).any()
    assert not ops.Add(2).make(EXACT, "residual", tenth, minus).values.any()


def test_a_word_of_no_pieces_scores_0() -> None:
    scores = Matrix.of_written([[Decimal("0.25")], [Decimal(2)]])
    made = ops.CutScores(((), (1, 0), ())).make(Rounding("carry", 2), "prune", scores)
    assert made.values.tolist() == [[0.0], [2.25], [0.0]]


def test_a_sum_may_be_longer_than_calls_can_nest() -> None:
    scores = Matrix.of_written([[Decimal("0.25")]] * 5000)
    made = ops.CutScores((tuple(range(5000)),)).make(EXACT, "prune", scores)
    assert made.values.tolist() == [[1250.0]]


def test_shapes_are_not_stretched() -> None:
    matrix, two = (Matrix.of_written([[Decimal(1)] * 2] * n) for n in (1, 2))
    for operation in (ops.Add(2), ops.Multiply(), ops.Dropout(HALF), ops.Masked(), ops.AddFinite()):
        with pytest.raises(ValueError, match=r"shape|added"):
            operation.make(EXACT, "step", two, matrix)
    with pytest.raises(ValueError, match="shape"):
        ops.Seen((ops.TableRule(allowed=True),)).make(EXACT, "mask", two, matrix)


def test_silu_far_below_zero() -> None:
    far = Matrix.of_written([[Decimal(-50), Decimal(-3000000), Decimal(40)]])
    values = ops.Activate("silu").make(EXACT, "ffn", far).values[0]
    assert values[0] == pytest.approx(-50 * math.exp(-50), rel=1e-14)
    assert values[1:].tolist() == [0, 40]


# -- norms -----------------------------------------------------------------------------------


def norm(x: Matrix, rounding: Rounding, epsilon: str = "0.00001") -> dict[str, Matrix]:
    mean = ops.RowMean().make(rounding, "norm", x)
    centered = ops.SubtractRow().make(rounding, "norm", x, mean)
    variance = ops.MeanOfSquares().make(rounding, "norm", centered)
    deviation = ops.RootOf(constant(epsilon)).make(rounding, "norm", variance)
    normed = ops.Normalize(False, False).make(rounding, "norm", centered, deviation)
    return {"mean": mean, "centered": centered, "variance": variance, "normed": normed}


@pytest.mark.parametrize("width", [3, 7, 49, 768])
def test_equal_numbers_are_normalized_to_zero(width: int) -> None:
    for number in (Decimal("0.1"), Decimal("0.7"), Decimal("-2.35")):
        equal = Matrix.of_written([[number] * width])
        made = norm(equal, EXACT)
        assert made["mean"].values[0, 0] == float(number)
        assert not made["normed"].values.any()
    noisy = Matrix.of_array(np.full((1, width), 1 / 3 + 1e-9), 3, carry=False)
    assert not norm(noisy, EXACT)["normed"].values.any()


def test_a_norm_as_the_paper_has_it() -> None:
    x = np.random.default_rng(3).normal(size=(5, 8))
    made = norm(Matrix.of_array(x, 3, carry=False), EXACT)["normed"].values
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(made, expected, rtol=1e-12)


def test_what_a_norm_cannot_divide_by() -> None:
    with pytest.raises(Unworkable, match="would be 0") as trouble:
        norm(Matrix.of_written([[Decimal(1), Decimal(2)], [Decimal(1), Decimal(1)]]), EXACT, "0")
    assert (trouble.value.row, trouble.value.instead) == (1, "an epsilon above 0")
    with pytest.raises(Unworkable, match="rounds to 0 with 1 decimals") as trouble:
        ops.RootOf(EPS).make(Rounding("carry", 1), "norm", Matrix.of_written([[Decimal(0)]]))
    assert "3 decimals" in trouble.value.instead
    tiny = Matrix.of_written([[Decimal(0)]])
    with pytest.raises(Unworkable, match="rounds to 0") as trouble:
        ops.RootOf(constant("1e-40")).make(Rounding("carry", 3), "norm", tiny)
    assert "the policy exact" in trouble.value.instead
    with pytest.raises(Unworkable, match="no square root"):
        ops.RootOf(EPS).make(EXACT, "norm", Matrix.of_written([[Decimal(-1)]]))
    with pytest.raises(Unworkable, match="one number each"):
        ops.MeanOfSquares(less_one=True).make(EXACT, "norm", Matrix.of_written([[Decimal(1)]]))
    matrix, zero = Matrix.of_written([[Decimal(1)]]), Matrix.of_written([[Decimal(0)]])
    with pytest.raises(Unworkable, match="to divide by is 0"):
        ops.Normalize(False, False).make(EXACT, "norm", matrix, zero)


@pytest.mark.parametrize(
    ("operation", "numbers", "texts"),
    [
        (ops.RowMean(), [["1", "-2", "3"]], ["(1 − 2 + 3) / 3"]),
        (ops.MeanOfSquares(), [["0.5", "-0.5"]], ["(0.5^2 + (−0.5)^2) / 2", "(0.25 + 0.25) / 2"]),
        (ops.MeanOfSquares(True), [["2", "1"]], ["(2^2 + 1^2) / (2 − 1)", "(4 + 1) / (2 − 1)"]),
        (ops.RootOf(EPS), [["0.25"]], ["√(0.25 + 0.00001)", "√0.25001"]),
        (ops.RootOf(constant(0)), [["0.25"]], ["√0.25"]),
        (ops.RootOf(EPS, inside=False), [["0.25"]], ["√0.25 + 0.00001"]),
        (ops.NegativeLog((0,)), [["0.25"]], ["−ln(0.25)"]),
        (ops.SoftCap(constant(50)), [["-2"]], ["50 × tanh(−2 / 50)"]),
        (ops.Alibi(HALF), [["7"]], ["0"]),
    ],
)
def test_texts(operation: ops.Operation, numbers: list[list[str]], texts: list[str]) -> None:
    matrix = Matrix.of_written([[Decimal(number) for number in row] for row in numbers])
    assert [unbreakable(plain(form)) for form in operation.cell(0, 0, matrix)] == texts


def test_texts_of_several_operands() -> None:
    c, d, g, b, z = (
        Matrix.of_written([[Decimal(x)]]) for x in ("-0.5", "0.707", "1.2", "-0.1", "0")
    )

    def text(operation: ops.Operation, *operands: Matrix) -> list[str]:
        return [unbreakable(plain(form)) for form in operation.cell(0, 0, *operands)]

    assert text(ops.Normalize(True, True), c, d, g, b) == ["−0.5 / 0.707 × 1.2 − 0.1"]
    assert text(ops.Add(3), c, d, b) == ["−0.5 + 0.707 − 0.1"]
    assert text(ops.SubtractRow(), d, c) == ["0.707 − (−0.5)"]
    assert text(ops.Multiply(), d, c) == ["0.707 × (−0.5)"]
    assert text(ops.Dropout(DROPPED), d, g) == ["0.707 × 1.2 / (1 − 0.1)"]
    assert text(ops.KeptShare(), d, z, g) == ["0"]
    assert unbreakable(
        plain(ops.JoinColumns(2).formula("concat", "heads[1].output", "heads[2].output"))
    ) == ("concat = [heads[1].output, heads[2].output]")
    row = Matrix.of_written([[Decimal("-0.5"), Decimal("0.707")]])
    weights = Matrix.of_written([[Decimal("1.2"), Decimal("-0.1")]])
    linear = ops.Linear().row(0, ("X", "W_Q"), row, weights)
    assert unbreakable(plain(linear[0])) == "[−0.5, 0.707] × W_Qᵀ"
    assert unbreakable(plain(ops.Linear().row(0, ("X", "W_Q"), c, g)[0])) == "−0.5 × [1.2]"


# -- positions -------------------------------------------------------------------------------


def wave_texts(operation: ops.Operation, i: int, j: int, d: int) -> list[str]:
    shape = Matrix.of_written([[Decimal(0)] * d] * (i + 1))
    return [unbreakable(plain(form)) for form in operation.cell(i, j, shape)]


def test_texts_of_waves() -> None:
    sinusoids = ops.Sinusoids(TEN_THOUSAND, 0, 4, 4)
    assert wave_texts(sinusoids, 1, 2, 4) == ["sin(1 / 10000^(2/4))", "sin(1 / 100)", "sin(0.01)"]
    assert wave_texts(sinusoids, 3, 1, 4) == ["cos(3 / 10000^(0/4))", "cos(3)"]
    assert wave_texts(sinusoids, 0, 2, 4) == ["sin(0)"]
    assert wave_texts(sinusoids, 0, 3, 4) == ["cos(0)"]
    assert wave_texts(replace(sinusoids, d=6), 1, 2, 6) == ["sin(1 / 10000^(2/6))"]
    assert wave_texts(ops.Sinusoids(constant(9), 0, 3, 4), 2, 2, 4) == [
        "sin(2 / 9^(2/4))",
        "sin(2 / 3)",
    ]
    assert wave_texts(ops.RotaryTable("cos", 2, TEN_THOUSAND, 5), 0, 0, 4) == [
        "cos(5 / 10000^(0/2))",
        "cos(5)",
    ]
    form = sinusoids.cell(1, 2)[0]
    assert latex(form) == r"\sin\left(\dfrac{1}{10000^{2/4}}\right)"


@pytest.mark.parametrize("places", [0, 3, 12])
def test_waves_round_as_their_true_values(places: int) -> None:
    waves = ops.Sinusoids(TEN_THOUSAND, 10**6, 40, 8)
    made = waves.make(Rounding("carry", places), "embed")
    for i, j in np.ndindex(*made.shape):
        angle = (10**6 + i) / mpmath.mpf(10000) ** (mpmath.mpf(2 * (j // 2)) / 8)
        true = Decimal(mpmath.nstr((mpmath.cos if j % 2 else mpmath.sin)(angle), 40))
        assert made.number(i, j).shown == half_away(true, places)


def test_columns_that_do_not_go_in_pairs() -> None:
    odd = Matrix(np.zeros((2, 3)), 0, 0)
    with pytest.raises(ValueError, match="columns"):
        ops.Sinusoids(TEN_THOUSAND, 0, 2, 3).make(EXACT, "embed")
    for operation in (
        ops.RotaryTable("cos", None, TEN_THOUSAND),
        ops.RotaryTable("cos", 4, TEN_THOUSAND),
    ):
        with pytest.raises(ValueError, match="columns"):
            operation.make(EXACT, "embed", odd)
    with pytest.raises(ValueError, match="angles"):
        ops.Rotate("half", 2).make(EXACT, "rotate", odd, odd, odd)


@pytest.mark.parametrize("pairs", ["interleaved", "half"])
def test_rotations_only_know_distances(pairs: Any) -> None:
    rng = np.random.default_rng(2)
    q, k = (Matrix.of_array(np.tile(rng.normal(size=(1, 8)), (9, 1)), 3, carry=False) for _ in "qk")
    tables = [
        ops.RotaryTable(f, None, TEN_THOUSAND).make(EXACT, "rotate", q) for f in ("cos", "sin")
    ]
    turned = [ops.Rotate(pairs, None).make(EXACT, "rotate", x, *tables).values for x in (q, k)]
    scores = turned[0] @ turned[1].T
    np.testing.assert_allclose(scores[1:, 1:], scores[:-1, :-1], rtol=1e-12)
    np.testing.assert_allclose(scores[0, 0], q.values[0] @ k.values[0], rtol=1e-12)


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6, 8, 12, 16, 20, 64])
def test_slopes_as_the_papers_code_has_them(heads: int) -> None:
    def slopes(n: int) -> list[float]:
        if math.log2(n).is_integer():
            start: float = 2 ** (-(2 ** -(math.log2(n) - 3)))
            return [start * start**i for i in range(n)]
        near = 2 ** math.floor(math.log2(n))
        return slopes(near) + slopes(2 * near)[0::2][: n - near]

    ours = ops.alibi_slopes(heads)
    np.testing.assert_allclose([float(slope.full) for slope in ours], slopes(heads), rtol=1e-13)
    assert all(len(slope.full.as_tuple().digits) <= 15 for slope in ours)


# -- masks -----------------------------------------------------------------------------------


@given(
    st.integers(1, 5),
    st.integers(1, 5),
    st.lists(
        st.sampled_from(["causal", "window", "padding", "allowed", "blocked", "add"]), unique=True
    ),
    st.randoms(use_true_random=False),
)
def test_masks_by_each_rule(n: int, m: int, names: Sequence[str], random: Random) -> None:
    width, hidden = random.randint(1, 4), random.randrange(m)
    table = [[Decimal(random.randint(0, 1)) for _ in range(m)] for _ in range(n)]
    added = [[random.choice([HIDDEN, Decimal("0.5")]) for _ in range(m)] for _ in range(n)]
    rules = {
        "causal": ops.Causal(), "window": ops.Window(width), "padding": ops.Padding((hidden,)),
        "allowed": ops.TableRule(True), "blocked": ops.TableRule(False), "add": ops.Finite(),
    }  # fmt: skip
    given_tables = [
        Matrix.of_written(added if name == "add" else table)
        for name in names
        if name in ("allowed", "blocked", "add")
    ]

    def sees(name: str, i: int, j: int) -> bool:
        return {
            "causal": j <= i + m - n, "window": abs(i + m - n - j) < width, "padding": j != hidden,
            "allowed": table[i][j] == 1, "blocked": table[i][j] == 0, "add": added[i][j] != HIDDEN,
        }[name]  # fmt: skip

    expected = [
        [float(all(sees(name, i, j) for name in names)) for j in range(m)] for i in range(n)
    ]
    operation = ops.Seen(tuple(rules[name] for name in names))  # type: ignore[misc]
    operands = (Matrix(np.zeros((n, m)), 0, 0), *given_tables)
    blind = [i for i, row in enumerate(expected) if not any(row)]
    if blind:
        with pytest.raises(Unworkable, match="every key is masked out") as trouble:
            operation.make(EXACT, "mask", *operands)
        assert trouble.value.row == blind[0]
        operation = ops.Seen(operation.rules, must_see=False)
    made = operation.make(Rounding("carry", 3), "mask", *operands)
    assert made.values.tolist() == expected
    assert {plain(made.number(i, j)) for i, j in np.ndindex(n, m)} <= {"0", "1"}
    for i, j in np.ndindex(n, m):
        assert deciding.full(operation.cell(i, j, *operands)[0]) == int(expected[i][j])


def test_masked_scores() -> None:
    scores = Matrix(np.array([[0.125, 2.0]]), 3, 3)
    seen = Matrix(np.array([[1.0, 0.0]]), 0, 0)
    made = ops.Masked().make(Rounding("carry", 1), "mask", scores, seen)
    assert [plain(made.number(0, j)) for j in (0, 1)] == ["0.125", "−∞"]
    made = ops.Masked(PLUS_ONE_E9).make(Rounding("carry", 3), "mask", scores, seen)
    assert [plain(made.number(0, j)) for j in (0, 1)] == ["0.125", "−1000000000.000"]
    kept = Matrix.of_written([[Decimal("1.50"), Decimal(1)]])
    made = ops.Masked().make(Rounding("carry", 3), "mask", kept, seen)
    assert [plain(made.number(0, j)) for j in (0, 1)] == ["1.50", "−∞"]
    long = Number.written(Decimal("-0.12345"))
    made = ops.Masked(long).make(Rounding("carry", 1), "mask", scores, seen)
    assert made.number(0, 1).shown == Decimal("-0.12345")


# -- sampling --------------------------------------------------------------------------------


def probabilities(*numbers: str) -> Matrix:
    return Matrix.of_written([[Decimal(number) for number in numbers]])


@pytest.mark.parametrize(
    ("p", "numbers", "kept"),
    [
        ("0.9", ("0.4", "0.3", "0.2", "0.1"), [1, 1, 1, 0]),
        ("0.9", ("0.1", "0.2", "0.3", "0.4"), [0, 1, 1, 1]),
        ("0.7", ("0.1", "0.6", "0.1", "0.2"), [0, 1, 0, 1]),
        ("0.5", ("0.25", "0.25", "0.25", "0.25"), [1, 1, 0, 0]),
        ("0.1", ("0.3", "0.4", "0.3"), [0, 1, 0]),
        ("1", ("0.333", "0.333", "0.333"), [1, 1, 1]),
        ("0.300000001", ("0.1", "0.2", "0.3"), [0, 1, 1]),
    ],
)
def test_nuclei(p: str, numbers: tuple[str, ...], kept: list[int]) -> None:
    operation = ops.Nucleus(constant(p))
    written_ones = probabilities(*numbers)
    carried_ones = Matrix(written_ones.values.copy(), written_ones.places, written_ones.decimals)
    floats = Matrix(written_ones.values.copy(), None, 3)
    shares = float(sum(map(Decimal, numbers))) == 1  # what is not rounded adds up to 1
    for matrix in (written_ones, carried_ones, *[floats] * shares):
        for rounding in (EXACT, Rounding("carry", 2)):
            made = operation.make(rounding, "next", matrix)
            assert made.values.tolist() == [kept]
        assert [plain(operation.cell(0, j, matrix)[0]) for j in range(len(kept))] == list(
            map(str, kept)
        )


@pytest.mark.parametrize("written", ["2.0", "2.00", "2"])
def test_equal_numbers_stay_as_they_are_written(written: str) -> None:
    """2.0 and 2.00 are equal, and have different digits on a page, in whatever order they come."""
    for order in (["2", "2.0", "2.00"], ["2.00", "2.0", "2"]):
        made = {text: ops.DivideBy(Number.written(Decimal(text))) for text in order}
        x = Matrix.of_written([[Decimal("3.5")]])
        by_name = {
            text: unbreakable(plain(divided.cell(0, 0, x)[0])) for text, divided in made.items()
        }
        assert by_name[written] == f"3.5 / {written}"


def test_the_largest_are_kept_and_shared() -> None:
    p = probabilities("0.2", "0.3", "0.3", "0.2")
    assert ops.TopK(1).make(EXACT, "next", p).values.tolist() == [[0, 1, 0, 0]]
    assert ops.TopK(3).make(EXACT, "next", p).values.tolist() == [[1, 1, 1, 0]]
    assert ops.TopK(9).make(EXACT, "next", p).values.tolist() == [[1, 1, 1, 1]]
    kept = ops.TopK(2).make(EXACT, "next", p)
    total = ops.KeptSum().make(Rounding("carry", 3), "next", p, kept)
    assert plain(ops.KeptSum().cell(0, 0, p, kept)[0]).replace("\u00a0", " ") == "0.3 + 0.3"
    shares = ops.KeptShare().make(Rounding("carry", 3), "next", p, kept, total)
    assert shares.values.tolist() == [[0, 0.5, 0.5, 0]]
    with pytest.raises(Unworkable, match="sum to divide by is 0"):
        ops.KeptShare().make(EXACT, "next", p, kept, Matrix.of_written([[Decimal(0)]]))


def test_losses() -> None:
    p = Matrix.of_written([[Decimal("0.25"), Decimal(1)], [Decimal("0.5"), Decimal(0)]])
    made = ops.NegativeLog((1, 0)).make(Rounding("carry", 3), "loss", p)
    assert [plain(made.number(i, 0)) for i in (0, 1)] == ["0.000", "0.693"]
    mean = ops.ColumnMean().make(Rounding("carry", 3), "loss", made)
    assert mean.values.tolist() == [[0.347]]
    assert ops.ExponentialOf().make(Rounding("carry", 3), "loss", mean).values.tolist() == [[1.415]]
    with pytest.raises(Unworkable, match="has no logarithm") as trouble:
        ops.NegativeLog((1, 1)).make(EXACT, "loss", p)
    assert trouble.value.row == 1
    with pytest.raises(ValueError, match="1 targets for 2 rows"):
        ops.NegativeLog((1,)).make(EXACT, "loss", p)


# -- size ------------------------------------------------------------------------------------


def test_a_large_layer_is_worked_at_numpys_speed() -> None:
    rng = np.random.default_rng(0)
    x = Matrix.of_array(rng.normal(size=(512, 768)), 3, carry=True)
    rounding = Rounding("carry", 3)
    assert norm(x, rounding)["normed"].shape == (512, 768)
    scores = Matrix.of_array(rng.normal(size=(1024, 1024)), 3, carry=True)
    seen = ops.Seen((ops.Causal(), ops.Window(64))).make(rounding, "mask", scores)
    masked = ops.Masked().make(rounding, "mask", scores, seen)
    exp = ops.Exponential.under(rounding, "softmax").make(rounding, "softmax", masked)
    assert ((exp.values > 0) <= (seen.values == 1)).all()
    waves = ops.Sinusoids(TEN_THOUSAND, 0, 512, 768).make(rounding, "embed")
    assert waves.values[0].tolist() == [0.0, 1.0] * 384
