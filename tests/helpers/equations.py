"""An example of every operation that is one equation, and what PyTorch does in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, NamedTuple

from attncli.maths import operations
from attncli.maths.equations.formulas import cell
from attncli.maths.equations.tree import (
    Apply,
    Expression,
    Length,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Symbol,
    Total,
    constant,
    e_to,
    minus,
)
from attncli.maths.numbers.rounding import Rounding
from attncli.maths.operations.equation import Indexed
from attncli.maths.operations.recurrent import OfMemory
from attncli.maths.operations.written import WrittenOperation
from tests.helpers import ops

Tensor = Any


class Example(NamedTuple):
    """An operation, the numbers that its operands may be, by a letter each, and the same of
    tensors.

    f: any numbers; p: positive ones; s: shares, between 0 and 1; b: ones and zeros, and c: any numbers, that something is
    chosen by, so that there is no derivative.
    """

    operation: Indexed
    kinds: str
    torch: Callable[..., Tensor]


def _activation(kind: str) -> Example:
    def of(x: Tensor) -> Tensor:
        from torch.nn import functional

        if kind == "gelu_tanh":
            return functional.gelu(x, approximate="tanh")
        if kind == "quick_gelu":
            return x * (1.702 * x).sigmoid()
        if kind == "relu2":
            return functional.relu(x) ** 2
        return getattr(functional, kind)(x)

    return Example(ops.Activate(kind), "f", of)


def _function(name: str) -> Callable[..., Tensor]:
    def of(*operands: Tensor, **options: Any) -> Tensor:
        import torch

        return getattr(torch, name)(*operands, **options)

    return of


def _written(number: str) -> Number:
    return Number.written(Decimal(number))


def _masked(x: Tensor, seen: Tensor) -> Tensor:
    return x * seen - 7.5 * (1 - seen)


def _blend(u: Tensor, new: Tensor, old: Tensor) -> Tensor:
    return u * new + (1 - u) * old


def _kept(u: Tensor, new: Tensor, old: Tensor) -> Tensor:
    return (1 - u) * new + u * old


def _mean_of_squares(x: Tensor, less: int) -> Tensor:
    return (x * x).sum(1, keepdim=True) / (x.shape[1] - less)


def _all(x: Tensor) -> Tensor:
    return x.sum().reshape(1, 1)


def _smoothed_others(y: Tensor) -> Tensor:
    return 0.9 * y + (1 - y) * 0.1 / (y.shape[1] - 1)


def _functional(name: str) -> Callable[..., Tensor]:
    def of(*operands: Tensor, **options: Any) -> Tensor:
        from torch.nn import functional

        return getattr(functional, name)(*operands, **options)

    return of


EPSILON = _written("0.01")
_SQUARES = "sum(g[i, j] ** 2 for i in n for j in m)"
STEP_UP = ops.StepDown.swap("x[i, j] - rate * g[i, j]", "x[i, j] + rate * g[i, j]")
ROOT_OF_ALL = ops.OverRoot.swap("sqrt(v[i, j]) + epsilon", "sqrt(v[i, j] + epsilon)")
ALWAYS_CLIPPED = ops.ClipFactor.swap("min(1, most / (norm + 0.000001))", "most / (norm + 0.000001)")
ROOT_OF_SQUARES = ops.SquaresTimes.swap(_SQUARES, f"sqrt({_SQUARES})")
exp, log, sqrt, tanh = map(_function, ("exp", "log", "sqrt", "tanh"))

EXAMPLES: dict[str, Example] = {
    **{kind: _activation(kind) for kind in ops.ACTIVATIONS},
    "matmul": Example(ops.MatMul(), "ff", lambda x, W: x @ W),
    "matmul_transposed": Example(ops.MatMulTransposed(), "ff", lambda q, k: q @ k.T),
    "linear": Example(ops.Linear(), "ff", lambda x, W: x @ W.T),
    "weighted_sum": Example(ops.WeightedSum(), "ff", lambda w, v: w @ v),
    "transposed_weights": Example(ops.TransposedWeights(), "ff", lambda w, v: w.T @ v),
    "affine": Example(ops.Affine(), "fff", lambda x, W, b: x @ W + b),
    "affine_transposed": Example(ops.AffineTransposed(), "fff", lambda x, W, b: x @ W.T + b),
    "divide_by": Example(ops.DivideBy(constant(8)), "f", lambda x: x / 8),
    "divide_by_root": Example(ops.DivideBy(Root(constant(2)), Symbol("√d")), "f", lambda x: x / 2**0.5),
    "multiply_by": Example(ops.MultiplyBy(_written("1.5")), "f", lambda x: 1.5 * x),
    "softmax": Example(ops.Softmax(), "f", lambda x: x.softmax(1)),
    "add": Example(ops.Add(3), "fff", lambda a, b, c: a + b + c),
    "add_to_each": Example(ops.AddToEach(), "ff", lambda x, b: x + b),
    "multiply": Example(ops.Multiply(), "ff", lambda a, b: a * b),
    "multiply_by_one_more": Example(ops.MultiplyByOneMore(), "ff", lambda a, b: a * (1 + b)),
    "at_most": Example(ops.AtMost(_written("1.5")), "f", lambda x: x.clamp(max=1.5)),
    "between": Example(ops.Between(_written("1.5")), "f", lambda x: x.clamp(-1.5, 1.5)),
    "mean_of": Example(ops.MeanOf(3), "fff", lambda a, b, c: (a + b + c) / 3),
    "mixture_of": Example(
        ops.MixtureOf((True, True, False)), "fffff", lambda g, x, h, y, z: g * x + h * y + z
    ),
    "soft_cap": Example(ops.SoftCap(_written("1.5")), "f", lambda x: 1.5 * tanh(x / 1.5)),
    "dropout": Example(ops.Dropout(_written("0.1")), "ff", lambda x, kept: x * kept / 0.9),
    "zero_row": Example(ops.ZeroRow(), "f", lambda x: 0 * x[:1]),
    "zeros": Example(ops.Zeros(), "f", lambda W: 0 * W[:, :1]),
    "corpus_loss": Example(ops.CorpusLoss(), "pf", lambda counts, scores: -_all(counts * scores)),
    "corpus_loss_unweighted": Example(
        ops.CorpusLoss.swap("count[i] * score[i]", "score[i]", "-sum(score[word] for word in w)")(),
        "f",
        lambda scores: -_all(scores),
    ),
    "exponential": Example(ops.Exponential(decimals=3, carry=True), "f", exp),
    "exponential_down": Example(ops.Exponential.down(Rounding("carry", 3)), "f", exp),
    "masked": Example(ops.Masked(_written("-7.5")), "fb", _masked),
    "add_finite": Example(ops.AddFinite(), "fc", lambda x, table: x + table),
    "kept_sum": Example(ops.KeptSum(), "pb", lambda p, kept: (p * kept).sum(1, keepdim=True)),
    "kept_share": Example(ops.KeptShare(), "pbp", lambda p, kept, total: p * kept / total),
    "penalized": Example(
        ops.Penalized(_written("1.25")), "cb",
        lambda x, new: x * new + (x / 1.25 * (x > 0) + x * 1.25 * (x <= 0)) * (1 - new),
    ),
    "divided_by_penalty": Example(
        ops.DividedByPenalty(_written("1.25")), "fb", lambda x, new: x * new + x / 1.25 * (1 - new)
    ),
    "log_probability": Example(ops.LogProbability(), "p", log),
    "score_so_far": Example(ops.ScoreSoFar(_written("-1.5")), "f", lambda x: x - 1.5),
    "at_least": Example(ops.AtLeast(), "cc", lambda p, least: (p >= least).double()),
    "at_least_of_kept": Example(
        ops.AtLeastOfKept(), "ccb", lambda p, least, kept: (p >= least) * kept
    ),
    "block_exponential": Example(ops.BlockExponential(), "cc", lambda x, m: exp(x - m)),
    "rescale_factor": Example(ops.RescaleFactor(), "cc", lambda old, m: exp(old - m)),
    "running_sum": Example(
        ops.RunningSum(), "fff", lambda f, old, p: f * old + p.sum(1, keepdim=True)
    ),
    "running_output": Example(ops.RunningOutput(), "ffff", lambda f, old, p, V: f * old + p @ V),
    "quantized": Example(
        ops.Quantized(2), "cc", lambda x, scale: (x / scale).clamp(-2, 2)
    ),
    "quantized_in_groups": Example(
        ops.QuantizedInGroups(2), "cc", lambda x, scale: (x / scale).clamp(-2, 2)
    ),
    "restored": Example(ops.Restored(), "ff", lambda x, scale: x * scale),
    "restored_in_groups": Example(ops.RestoredInGroups(), "ff", lambda x, scale: x * scale),
    "relu_slope": Example(ops.ReluSlope(), "c", lambda z: (z > 0).double()),
    "tanh_slope": Example(ops.TanhSlope(), "f", lambda a: 1 - a**2),
    "times_diagonal": Example(ops.TimesDiagonal(), "ff", lambda W, slope: W.T * slope.T),
    "times_diagonal_in_out": Example(
        ops.TimesDiagonal(in_out=True), "ff", lambda W, slope: W * slope.T
    ),
    "frobenius": Example(ops.FrobeniusNorm(), "f", lambda W: sqrt(_all(W * W))),
    "row_mean": Example(ops.RowMean(), "f", lambda x: x.mean(1, keepdim=True)),
    "column_mean": Example(ops.ColumnMean(), "f", lambda x: x.mean(0, keepdim=True)),
    "subtract_row": Example(ops.SubtractRow(), "ff", lambda x, mean: x - mean),
    "mean_of_squares": Example(ops.MeanOfSquares(), "f", lambda x: _mean_of_squares(x, 0)),
    "less_one": Example(ops.MeanOfSquares(less_one=True), "f", lambda x: _mean_of_squares(x, 1)),
    "root": Example(ops.RootOf(EPSILON), "p", lambda v: sqrt(v + 0.01)),
    "root_outside": Example(ops.RootOf(EPSILON, inside=False), "p", lambda v: sqrt(v) + 0.01),
    "root_without": Example(ops.RootOf(constant(0)), "p", sqrt),
    "normalize": Example(ops.Normalize(False, False), "fp", lambda c, d: c / d),
    "normalize_gamma": Example(ops.Normalize(True, False), "fpp", lambda c, d, g: c / d * g),
    "normalize_plus_one": Example(
        ops.Normalize(True, False, plus_one=True), "fpp", lambda c, d, g: c / d * (1 + g)
    ),
    "normalize_beta": Example(ops.Normalize(False, True), "fpf", lambda c, d, b: c / d + b),
    "normalize_both": Example(ops.Normalize(True, True), "fpff", lambda c, d, g, b: c / d * g + b),
    "subtract_from_each": Example(ops.SubtractFromEach(), "ff", lambda x, mean: x - mean),
    "root_of_each": Example(ops.RootOfEach(EPSILON), "p", lambda v: sqrt(v + 0.01)),
    "normalize_columns": Example(
        ops.NormalizeColumns(True, True), "fpff", lambda c, d, g, b: c / d * g + b
    ),
    "exponential_of": Example(ops.ExponentialOf(), "f", exp),
    "added_up": Example(ops.AddedUp(), "f", _all),
    "sums_in_pairs": Example(
        ops.SumsInPairs(), "ff", lambda q, k: (q[:, None] + k[None]).sum(2)
    ),
    "sums_in_pairs_of_columns": Example(
        ops.SumsInPairsOfColumns(), "ff", lambda x, w: (x[:, :, None] + w[None]).sum(1)
    ),
    "log_share": Example(ops.LogShare(), "pp", lambda x, total: log(x / total)),
    "share_itself": Example(ops.ShareItself(), "pp", lambda x, total: x / total),
    "row_sum": Example(ops.RowSum(), "f", lambda x: x.sum(1, keepdim=True)),
    "divide_by_row": Example(ops.DivideByRow(), "fp", lambda x, total: x / total),
    "divide_by_row_sum": Example(ops.DivideByRowSum(), "p", lambda x: x / x.sum(1, keepdim=True)),
    "divide_by_column_sum": Example(
        ops.DivideByColumnSum(), "p", lambda x: x / x.sum(0, keepdim=True)
    ),
    "gated": Example(ops.Gated(), "ffff", lambda u, new, f, old: u * new + f * old),
    "gated_product": Example(
        ops.GatedProduct(1), "ffff", lambda U, a, gate, c: gate * (U @ a + c.T)
    ),
    "sum_with_gate": Example(
        ops.SumWithGate(True, 1, 1), "fffffff", lambda W, x, U, a, gate, c, b: W @ x + gate * (U @ a + c.T) + b.T
    ),
    "sum_with_gate_before": Example(
        ops.SumWithGate(False, 0, 1), "ffffff", lambda W, x, U, a, gate, b: W @ x + U @ (gate * a) + b.T
    ),
    "row_sum_of_several": Example(
        ops.RowSumOfSeveral(2), "ff", lambda a, b: (a + b).sum(1, keepdim=True)
    ),
    "gated_column": Example(ops.GatedColumn(), "ff", lambda gate, x: gate * x),
    "gated_blend": Example(ops.GatedBlend(), "fff", _blend),
    "gated_blend_keeps": Example(ops.GatedBlend(keeps=True), "fff", _kept),
    "add_up": Example(
        ops.AddUp(2, 1, 1), "ffffff", lambda W, x, U, a, c, b: W @ x + U @ a + c + b.T
    ),
    "add_up_in_out": Example(
        ops.AddUp(1, 0, 2, in_out=True), "ffff", lambda W, x, b, c: W.T @ x + b.T + c.T
    ),
    "bias_after": Example(
        ops.BiasAfter("tanh"), "fff", lambda x, W, b: tanh(x @ W) + b
    ),
    "bias_after_transposed": Example(
        ops.BiasAfter("tanh", transposed=True), "fff", lambda x, W, b: tanh(x @ W.T) + b
    ),
    "blend_frequencies": Example(
        ops.BlendFrequencies(constant(4)), "ff", lambda x, kept: kept * x + (1 - kept) * x / 4
    ),
    "ramp_of_turns": Example(
        ops.RampOfTurns(constant(32), constant(1), constant(4)), "c",
        lambda f: ((32 * f / (2 * 3.141592653589793) - 1) / 3).clamp(0, 1),
    ),
    "raised_to": Example(ops.RaisedTo(2), "f", lambda x: 2.0**x),
    "scaled_power": Example(ops.ScaledPower(_written("2")), "f", lambda x: exp(x / 2**0.5)),
    "sum_of_all": Example(ops.SumOfAll(), "f", lambda x: _all(x) + 0 * x[:, :1]),
    "masked_share": Example(
        ops.MaskedShare(), "fb", lambda x, seen: exp(x) / exp(x).sum(1, keepdim=True) * seen
    ),
    "step_down": Example(ops.StepDown(_written("0.1")), "ff", lambda x, g: x - 0.1 * g),
    "step_down_by": Example(ops.StepDownBy(), "fff", lambda x, g, rate: x - rate * g),
    "shrink_by": Example(ops.ShrinkBy(EPSILON), "ff", lambda x, rate: (1 - rate * 0.01) * x),
    "learning_rate": Example(
        ops.LearningRate("warmup", rate=Decimal("0.01"), count=Decimal(1), warmup=Decimal(4)),
        "", lambda: 0.01 * _function("eye")(1).double() / 4,
    ),
    "step_up": Example(STEP_UP(_written("0.1")), "ff", lambda x, g: x + 0.1 * g),
    "plus_times": Example(ops.PlusTimes(EPSILON), "ff", lambda g, x: g + 0.01 * x),
    "times_plus": Example(ops.TimesPlus(_written("0.9")), "ff", lambda v, g: 0.9 * v + g),
    "look_ahead": Example(ops.LookAhead(_written("0.9")), "ff", lambda g, v: g + 0.9 * v),
    "larger_of": Example(ops.LargerOf(), "cc", _function("maximum")),
    "shrink": Example(
        ops.Shrink(_written("0.1"), EPSILON), "f", lambda x: (1 - 0.1 * 0.01) * x
    ),
    "moving_average": Example(
        ops.MovingAverage(_written("0.9")), "ff", lambda m, g: 0.9 * m + 0.1 * g
    ),
    "moving_average_of_squares": Example(
        ops.MovingSquares(_written("0.9")), "ff", lambda v, g: 0.9 * v + 0.1 * g**2
    ),
    "first_average": Example(ops.FirstAverage(_written("0.9")), "f", lambda g: 0.1 * g),
    "first_average_of_squares": Example(
        ops.FirstSquares(_written("0.9")), "f", lambda g: 0.1 * g**2
    ),
    "without_bias": Example(
        ops.WithoutBias(_written("0.9"), 3), "f", lambda m: m / (1 - 0.9**3)
    ),
    "first_of_row": Example(ops.FirstOfRow(), "f", lambda g: (g * g).mean(1, keepdim=True)),
    "first_of_column": Example(ops.FirstOfColumn(), "f", lambda g: (g * g).mean(0, keepdim=True)),
    "later_of_row": Example(
        ops.LaterOfRow(_written("2"), _written("-0.5")), "ff",
        lambda v, g: v + (v * -1 + (g * g).mean(1, keepdim=True)) * 2**-0.5,
    ),
    "later_of_column": Example(
        ops.LaterOfColumn(_written("3"), _written("-1")), "ff",
        lambda v, g: v * 2 / 3 + (g * g).mean(0, keepdim=True) / 3,
    ),
    "from_row_and_column": Example(
        ops.FromRowAndColumn(EPSILON), "pp", lambda row, column: row * column / row.mean()
    ),
    "over_larger_root": Example(
        ops.OverLargerRoot(EPSILON), "fp", lambda g, v: g / sqrt(v).clamp(min=0.01)
    ),
    "root_mean_square": Example(ops.RootMeanSquare(), "f", lambda x: sqrt(_all(x * x) / x.numel())),
    "clipped_by_rms": Example(
        ops.ClippedByRMS(_written("0.5")), "fp", lambda x, rms: x / (rms / 0.5).clamp(min=1)
    ),
    "relative_step": Example(
        ops.RelativeStep(_written("0.5"), _written("0.8"), _written("4")), "p",
        lambda rms: rms.clamp(min=0.5) * 0.5,
    ),
    "relative_step_by": Example(
        ops.RelativeStepBy(_written("0.5"), _written("4")), "pp",
        lambda rms, rate: rms.clamp(min=0.5) * rate.clamp(max=0.5),
    ),
    "low_rank_update": Example(
        ops.LowRankUpdate(_written("8")), "cf", lambda A, x: 8 / len(A) * x
    ),
    "mean_of_each": Example(ops.MeanOfEach(), "f", lambda x: x.mean(0, keepdim=True)),
    "squares_of_each": Example(ops.SquaresOfEach(), "f", lambda x: (x * x).mean(0, keepdim=True)),
    "running_mean": Example(
        ops.RunningMean(_written("0.25")), "ff", lambda old, mean: 0.75 * old + 0.25 * mean
    ),
    "running_variance": Example(
        ops.RunningVariance(_written("0.25")), "ff",
        lambda old, x: 0.75 * old + 0.25 * (x * x).sum(0, keepdim=True) / (len(x) - 1),
    ),
    "over_root": Example(ops.OverRoot(EPSILON), "fp", lambda m, v: m / (sqrt(v) + 0.01)),
    "over_root_inside": Example(
        ROOT_OF_ALL(EPSILON), "fp", lambda m, v: m / sqrt(v + 0.01)
    ),
    "norm_of_norms": Example(
        ops.NormOfNorms(3), "ppp", lambda a, b, c: sqrt(a * a + b * b + c * c)
    ),
    "clip_factor": Example(
        ops.ClipFactor(_written("1.5")), "c", lambda norm: (1.5 / (norm + 1e-6)).clamp(max=1)
    ),
    "clip_factor_always": Example(
        ALWAYS_CLIPPED(_written("1.5")), "p", lambda norm: 1.5 / (norm + 1e-6)
    ),
    "times_number": Example(ops.TimesNumber(), "ff", lambda c, g: c * g),
    "difference_of": Example(ops.DifferenceOf(), "ff", lambda x, y: x - y),
    "squares_times": Example(ops.SquaresTimes(_written("-0.1")), "f", lambda g: -0.1 * _all(g * g)),
    "root_times": Example(
        ROOT_OF_SQUARES(_written("-0.1")), "f", lambda g: -0.1 * sqrt(_all(g * g))
    ),
    "slope_times_step": Example(
        ops.SlopeTimesStep(), "fff", lambda g, new, old: _all(g * (new - old))
    ),
    "softmax_down": Example(ops.SoftmaxDown(), "f", lambda x: x.softmax(0)),
    "squared_error": Example(ops.SquaredError(), "ff", lambda x, y: (x - y) ** 2),
    "absolute_error": Example(ops.SquaredError.swap("(x[i, j] - y[i, j]) ** 2", "sqrt((x[i, j] - y[i, j]) ** 2)")(), "ff", lambda x, y: (x - y).abs()),
    "mean_of_all": Example(ops.MeanOfAll(), "f", lambda x: x.mean().reshape(1, 1)),
    "loss_times": Example(ops.LossTimes(_written("3")), "f", lambda loss: 0 * loss[:1, :1] + 3),
    "mean_of_rows": Example(ops.MeanOfRows(), "f", lambda x: _all(x) / len(x)),
    "sum_of_entries": Example(ops.SumOfEntries(), "f", _all),
    "half_of_sum": Example(ops.HalfOfSum(), "f", lambda x: _all(x) / 2),
    "sum_of_squares": Example(ops.SumOfSquaredErrors(), "ff", lambda x, y: _all((x - y) ** 2)),
    "half_of_squares": Example(
        ops.HalfSumOfSquaredErrors(), "ff", lambda x, y: _all((x - y) ** 2) / 2
    ),
    "squares_of_rows": Example(
        ops.MeanSquaredErrorOfRows(), "ff", lambda x, y: _all((x - y) ** 2) / len(x)
    ),
    "mean_squared_error": Example(
        ops.MeanSquaredError(), "ff", lambda x, y: _functional("mse_loss")(x, y).reshape(1, 1)
    ),
    "smooth": Example(ops.Smooth(_written("0.1")), "f", lambda y: 0.9 * y + 0.1 / y.shape[1]),
    "smooth_others": Example(ops.SmoothOthers(_written("0.1")), "f", _smoothed_others),
    "cross_entropies": Example(
        ops.CrossEntropies(), "pf", lambda p, y: -(y * log(p)).sum(1, keepdim=True)
    ),
    "binary_cross_entropies": Example(
        ops.BinaryCrossEntropies(), "sb",
        lambda p, y: _functional("binary_cross_entropy")(p, y, reduction="none"),
    ),
    "of_memory": Example(
        OfMemory("h 1, h 1 -> h 1", Sum((cell(0, "i"), cell(1, "i"))), empty=1), "ff",
        lambda x, memory: x + memory,
    ),
}  # fmt: skip
"""One at least of each class, which a test sees to."""


# -- equations that no operation is, in which an operand occurs as several cells --------------------


def _softmax() -> Indexed:
    row = Total("k", e_to(cell(0, "i", "k")))
    return Indexed("n m -> n m", Quotient(e_to(cell(0, "i", "j")), row))


def _rms_norm() -> Indexed:
    mean = Quotient(Total("k", Power(cell(0, "i", "k"), constant(2))), Length(0, 1))
    normed = Quotient(cell(0, "i", "j"), Root(Sum((mean, EPSILON))))
    return Indexed("n m, 1 m -> n m", Product((normed, cell(1, "j"))))


def _rms_norm_of_tensors(x: Tensor, gamma: Tensor) -> Tensor:
    return x / sqrt((x * x).mean(1, keepdim=True) + 0.01) * gamma


def _centered(index: str) -> Expression:
    mean = Quotient(Total("m", cell(0, "i", "m")), Length(0, 1))
    return minus(cell(0, "i", index), mean)


def _layer_norm() -> Indexed:
    variance = Quotient(Total("k", Power(_centered("k"), constant(2))), Length(0, 1))
    return Indexed("n m -> n m", Quotient(_centered("j"), Root(Sum((variance, EPSILON)))))


def _layer_norm_of_tensors(x: Tensor) -> Tensor:
    centered = x - x.mean(1, keepdim=True)
    return centered / sqrt((centered * centered).mean(1, keepdim=True) + 0.01)


def _attended() -> Indexed:
    """Scores of X with itself."""
    return Indexed("n d -> n n", Total("k", Product((cell(0, "i", "k"), cell(0, "j", "k")))))


def _shifted() -> Indexed:
    shift = Product((cell(1, "i"), cell(2)))
    return Indexed("n m, n 1, 1 1 -> n m", Sum((cell(0, "i", "j"), shift)))


SEVERAL: dict[str, Example] = {
    "softmax": Example(_softmax(), "f", lambda x: x.softmax(1)),
    "rms_norm": Example(_rms_norm(), "ff", _rms_norm_of_tensors),
    "layer_norm": Example(_layer_norm(), "f", _layer_norm_of_tensors),
    "x_with_itself": Example(_attended(), "f", lambda x: x @ x.T),
    "counted": Example(
        Indexed("n m, n 1 -> n 1", Total("j", Sum((cell(0, "i", "j"), cell(1, "i"))))),
        "ff",
        lambda x, y: (x + y).sum(1, keepdim=True),
    ),
    "shifted": Example(_shifted(), "fff", lambda x, y, s: x + y * s),
    "waves": Example(
        Indexed("n 1 -> n 1", Product((Apply("sin", (cell(0, "i"),)), cell(0, "i")))), "f",
        lambda x: x * _function("sin")(x),
    ),
}  # fmt: skip


def modules() -> list[ModuleType]:
    """All that is imported where every operation is."""
    found = walk_packages(operations.__path__, f"{operations.__name__}.")
    return [import_module(module.name) for module in found]


def texts() -> dict[str, ops.EquationText]:
    """The equations of the package that are texts, by their names."""
    return {
        name: value
        for module in modules()
        for name, value in vars(module).items()
        if isinstance(value, ops.EquationText)
    }


def equations() -> Iterator[type[Indexed]]:
    """The classes of the package that are equations, but for what texts are read into, and those that scenarios
    write: these have tests of their own."""
    modules()
    waiting = [Indexed]
    while waiting:
        inner = waiting.pop().__subclasses__()
        waiting += inner
        yield from (kind for kind in inner if not issubclass(kind, WrittenOperation))
