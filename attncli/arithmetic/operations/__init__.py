"""Operations: each makes a matrix at NumPy's speed and tells the working of every cell.

A module of them is imported when one of its names is asked for: a scenario needs few.
"""

# ruff: noqa: F403

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attncli.arithmetic.operations.activations import *
    from attncli.arithmetic.operations.base import *
    from attncli.arithmetic.operations.batch_norm import *
    from attncli.arithmetic.operations.columns import *
    from attncli.arithmetic.operations.composed import *
    from attncli.arithmetic.operations.counting import *
    from attncli.arithmetic.operations.derivatives import *
    from attncli.arithmetic.operations.elementwise import *
    from attncli.arithmetic.operations.exponential import *
    from attncli.arithmetic.operations.frequencies import *
    from attncli.arithmetic.operations.gradients import *
    from attncli.arithmetic.operations.joining import *
    from attncli.arithmetic.operations.losses import *
    from attncli.arithmetic.operations.masking import *
    from attncli.arithmetic.operations.means import *
    from attncli.arithmetic.operations.moved import *
    from attncli.arithmetic.operations.norms import *
    from attncli.arithmetic.operations.optimizing import *
    from attncli.arithmetic.operations.pieces import *
    from attncli.arithmetic.operations.positions import *
    from attncli.arithmetic.operations.products import *
    from attncli.arithmetic.operations.recurrent import *
    from attncli.arithmetic.operations.relative import *
    from attncli.arithmetic.operations.rotary import *
    from attncli.arithmetic.operations.sampling import *
    from attncli.arithmetic.operations.softmax import *
    from attncli.arithmetic.operations.viterbi import *

_NAMES = {
    "activations": ("ACTIVATIONS", "Activate", "BiasAfter"),
    "base": ("Layout", "Operation", "Working"),
    "batch_norm": ("NormalizeColumns", "RootOfEach", "SubtractFromEach"),
    "columns": ("AddedUp", "ColumnsAsRows", "OnlyRow", "RowAsColumn", "ShareItself", "Zeros"),
    "composed": ("DistributionLoss", "LossOfLogits", "Softmax", "SoftmaxDown", "TargetDifference"),
    "counting": ("CountInWords", "PairScore", "Share"),
    "derivatives": ("derivative",),
    "elementwise": (
        "Add",
        "DivideBy",
        "Dropout",
        "MeanOf",
        "MixtureOf",
        "Multiply",
        "MultiplyBy",
        "SoftCap",
    ),
    "exponential": ("Exponential",),
    "frequencies": (
        "BlendFrequencies",
        "Frequencies",
        "RampOfPairs",
        "RampOfTurns",
        "TurnsTable",
    ),
    "gradients": ("FrobeniusNorm", "One", "ReluSlope", "TanhSlope", "TimesDiagonal"),
    "joining": (
        "Interleave",
        "JoinColumns",
        "JoinRows",
        "Listed",
        "RepeatDown",
        "TakeColumn",
        "TakeColumns",
        "TakeEvery",
        "TakeRun",
        "WithoutColumn",
    ),
    "losses": (
        "AbsoluteError",
        "BinaryCrossEntropies",
        "BinaryLossOfLogits",
        "CrossEntropies",
        "MeanOfAll",
        "MeanSquaredError",
        "OneHot",
        "Smooth",
        "SmoothOthers",
        "SquaredError",
        "SumOfSquares",
        "SumOverRows",
    ),
    "masking": (
        "MINUS_INFINITY",
        "AddFinite",
        "Causal",
        "Finite",
        "Masked",
        "Padding",
        "Rule",
        "Seen",
        "TableRule",
        "Window",
    ),
    "means": ("ColumnMean", "RowMean"),
    "moved": ("Same", "TakeRows"),
    "norms": ("MeanOfSquares", "Normalize", "RootOf", "SubtractRow"),
    "optimizing": (
        "ClipFactor",
        "DifferenceOf",
        "FirstAverage",
        "MovingAverage",
        "NormOfNorms",
        "OverRoot",
        "PlusTimes",
        "Shrink",
        "SlopeTimesStep",
        "SquaresTimes",
        "StepDown",
        "TimesNumber",
        "TimesPlus",
        "WithoutBias",
    ),
    "pieces": (
        "CorpusLoss",
        "CutScores",
        "LogShare",
        "LossWithout",
        "PruningLoss",
    ),
    "positions": (
        "Alibi",
        "SinesForCosines",
        "Sinusoids",
        "WaveOfEachColumn",
        "alibi_slopes",
    ),
    "relative": ("Buckets", "BucketsTurned", "TakeByBucket"),
    "products": (
        "Affine",
        "AffineTransposed",
        "Linear",
        "MatMul",
        "MatMulTransposed",
        "TransposedWeights",
        "WeightedSum",
        "scaled_vector",
    ),
    "recurrent": ("AddUp", "GatedBlend", "Gated", "GatedColumn"),
    "rotary": ("RotaryTable", "Rotate"),
    "sampling": ("ExponentialOf", "KeptShare", "KeptSum", "NegativeLog", "Nucleus", "TopK"),
    "softmax": (
        "DivideByColumnSum",
        "DivideByRow",
        "DivideByRowSum",
        "MaskedShare",
        "RaisedTo",
        "RowSum",
        "SumOfAll",
    ),
    "viterbi": ("Arrivals", "BelowTheLeast", "LargestOf", "Least"),
}
"""What each module has for others."""

_HOMES = {name: module for module, names in _NAMES.items() for name in names}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """What is asked for by `from attncli.arithmetic.operations import MatMul`."""
        if name in _HOMES:
            return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
