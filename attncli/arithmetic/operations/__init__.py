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
    from attncli.arithmetic.operations.counting import *
    from attncli.arithmetic.operations.derivatives import *
    from attncli.arithmetic.operations.exponential import *
    from attncli.arithmetic.operations.frequencies import *
    from attncli.arithmetic.operations.losses import *
    from attncli.arithmetic.operations.masking import *
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
    from attncli.arithmetic.operations.texts import *
    from attncli.arithmetic.operations.viterbi import *

_NAMES = {
    "activations": (
        "ACTIVATIONS",
        "Activate",
        "Add",
        "BiasAfter",
        "DivideBy",
        "Dropout",
        "MeanOf",
        "MixtureOf",
        "Multiply",
        "MultiplyBy",
        "SoftCap",
    ),
    "base": ("Layout", "Operation", "Working"),
    "counting": ("CountInWords", "PairScore", "Share"),
    "derivatives": ("derivative",),
    "texts": ("EquationText", "Kind", "equation", "is_a"),
    "exponential": ("Exponential",),
    "frequencies": ("BlendFrequencies", "Frequencies", "RampOfPairs", "RampOfTurns", "TurnsTable"),
    "losses": (
        "AbsoluteError",
        "BinaryCrossEntropies",
        "BinaryLossOfLogits",
        "CrossEntropies",
        "DistributionLoss",
        "LossOfLogits",
        "MeanOfAll",
        "MeanSquaredError",
        "OneHot",
        "Smooth",
        "SmoothOthers",
        "SquaredError",
        "SumOfSquares",
        "SumOverRows",
        "TargetDifference",
    ),
    "masking": (
        "AddFinite",
        "Causal",
        "Finite",
        "MINUS_INFINITY",
        "Masked",
        "Padding",
        "Rule",
        "Seen",
        "TableRule",
        "Window",
    ),
    "moved": (
        "ColumnsAsRows",
        "Interleave",
        "JoinColumns",
        "JoinRows",
        "Listed",
        "OnlyRow",
        "RepeatDown",
        "RowAsColumn",
        "Same",
        "TakeColumn",
        "TakeColumns",
        "TakeEvery",
        "TakeRows",
        "TakeRun",
        "WithoutColumn",
    ),
    "norms": (
        "ColumnMean",
        "MeanOfSquares",
        "Normalize",
        "NormalizeColumns",
        "RootOf",
        "RootOfEach",
        "RowMean",
        "SubtractFromEach",
        "SubtractRow",
    ),
    "optimizing": (
        "ClipFactor",
        "DifferenceOf",
        "FirstAverage",
        "FirstSquares",
        "MovingAverage",
        "MovingSquares",
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
    "pieces": ("CorpusLoss", "CutScores", "LogShare", "LossWithout", "PruningLoss"),
    "positions": ("Alibi", "SinesForCosines", "Sinusoids", "WaveOfEachColumn", "alibi_slopes"),
    "products": (
        "Affine",
        "AffineTransposed",
        "Linear",
        "MatMul",
        "MatMulTransposed",
        "ProductOfMatrices",
        "TransposedWeights",
        "WeightedSum",
        "scaled_vector",
    ),
    "recurrent": (
        "AddUp",
        "FrobeniusNorm",
        "Gated",
        "GatedBlend",
        "GatedColumn",
        "One",
        "ReluSlope",
        "TanhSlope",
        "TimesDiagonal",
        "Zeros",
    ),
    "relative": ("Buckets", "BucketsTurned", "TakeByBucket"),
    "rotary": ("RotaryTable", "Rotate"),
    "sampling": ("KeptShare", "KeptSum", "NegativeLog", "Nucleus", "TopK"),
    "softmax": (
        "AddedUp",
        "DivideByColumnSum",
        "DivideByRow",
        "DivideByRowSum",
        "ExponentialOf",
        "MaskedShare",
        "RaisedTo",
        "RowSum",
        "ShareItself",
        "Softmax",
        "SoftmaxDown",
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
