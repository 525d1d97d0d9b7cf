"""Operations: each makes a matrix at NumPy's speed and tells the working of every cell."""

from attncli.arithmetic.operations.base import Layout, Operation, Working
from attncli.arithmetic.operations.elementwise import (
    ACTIVATION_FORMULAS,
    ACTIVATIONS,
    Activate,
    DivideBy,
    MultiplyBy,
    TakeRows,
)
from attncli.arithmetic.operations.products import (
    Affine,
    MatMul,
    MatMulTransposed,
    TransposedWeights,
    WeightedSum,
    scaled_vector,
)
from attncli.arithmetic.operations.softmax import (
    DivideByColumnSum,
    DivideByRow,
    DivideByRowSum,
    Exponential,
    RowSum,
)

__all__ = [
    "ACTIVATIONS",
    "ACTIVATION_FORMULAS",
    "Activate",
    "Affine",
    "DivideBy",
    "DivideByColumnSum",
    "DivideByRow",
    "DivideByRowSum",
    "Exponential",
    "Layout",
    "MatMul",
    "MatMulTransposed",
    "MultiplyBy",
    "Operation",
    "RowSum",
    "TakeRows",
    "TransposedWeights",
    "WeightedSum",
    "Working",
    "scaled_vector",
]
