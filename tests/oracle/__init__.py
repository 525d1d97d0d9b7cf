"""The sums of a Transformer again, from the literature and without any of the package's code.

The scenario is read with PyYAML alone (or is a mapping with NumPy arrays). `exact` is plain NumPy
in float64; `carry` is the same in decimal arithmetic, each quantity rounded half away from zero
before it is used.

    figures    numbers, functions and roundings; the book that quantities are written in
    matrices   given matrices: rows, named rows, random ones, files
    positions  sinusoidal and rotary positions, the slopes of ALiBi
    attention  projections, heads, masks, softmax
    layer      residuals, norms, feed-forward networks
    stack      embeddings, layers, encoder and decoder
    predict    logits, next tokens, losses
"""

from tests.oracle.figures import Arrays, activation, round_half_away
from tests.oracle.stack import read, work

__all__ = ["Arrays", "activation", "read", "round_half_away", "work"]
